"""The reason of every due as text, and the cards of a hand: UTF-8, eight bytes at a time into a buffer.

They are made of what the judged rounds came to, once that is written out, and not while rounds are
judged. A writer takes the place at which to begin and returns the place after what it wrote,
beyond which it may leave some bytes of no meaning.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from rules_replay.kernel.codes import STAKE
from rules_replay.kernel.compiled import compiled, entry, inlined
from rules_replay.kernel.reasons import (
    HOLE_CARDS,
    HOLE_DEALER,
    HOLE_FIRST,
    HOLE_HAND,
    HOLE_INNER,
    HOLE_NUMBER,
    HOLE_ODDS,
    HOLE_SECOND,
    HOLE_SUM,
    HOLE_THIRD,
    LONGEST,
    NUMBERS,
    TOTALS,
    WORDS_AT_ONCE,
    Sentences,
    sentences,
)
from rules_replay.kernel.records import Counts, Letters, Records
from rules_replay.kernel.words import WORD, write_word

_COMMA_AND_BLANK: Final = int.from_bytes(b", ", "little")
_COLON: Final = ord(":")
_POINT: Final = ord(".")
_MINUS: Final = ord("-")
_ZERO: Final = ord("0")

_BEYOND: Final = WORD * WORDS_AT_ONCE
_LIKELY_ROOM: Final = 96
_REASON_ROOM: Final = 3 * (LONGEST + _BEYOND) + 10 * 24 + _BEYOND
"""Bytes that a reason takes at most beside cards: three sentences and ten amounts."""
_CARD_ROOM: Final = 6

_DUE_BONUS: Final = np.frombuffer(b"due in a Super Bonus round", np.uint8)
_NO_BONUS: Final = np.frombuffer(b"no entitlement", np.uint8)
"""Reasons of a bonus line."""


def card_texts(hands: Records, cards: Letters) -> tuple[Letters, Counts]:
    """The cards of hands as the log writes them, one hand after another, and where each ends.

    ``cards`` has the cards of all these hands by number.
    """
    letters = np.empty(4 * int(hands["n"].sum()) + WORD, np.uint8)
    ends = np.zeros(len(hands), np.int64)
    _write_cards(hands, cards, _sentences(), letters, ends)
    return letters, ends


def reason_texts(settled: Records, cards: Letters) -> tuple[Letters, Counts]:
    """The reasons of settlements one after another, and where each ends.

    ``cards`` has the cards of all hands by number.
    """
    letters = np.empty(_LIKELY_ROOM * len(settled), np.uint8)
    ends = np.zeros(len(settled), np.int64)
    done = 0
    while done < len(settled):
        done = _write_reasons(settled, cards, _sentences(), letters, ends, done)
        if done < len(settled):
            more = len(letters) + _REASON_ROOM + _CARD_ROOM * int(settled[done].counting)
            letters = np.concatenate([letters, np.empty(more, np.uint8)])
    return letters, ends


@cache
def _sentences() -> Sentences:
    return sentences()


@entry
def _write_cards(hands: Records, cards: Letters, words: Sentences, text: Letters, ends: Counts) -> None:
    place = 0
    card = 0
    for number in range(len(hands)):
        for _ in range(hands[number].n):
            place = _write_short(words.cards[cards[card]], text, place)
            card += 1
        place -= 1
        ends[number] = place


@entry
def _write_reasons(
    settled: Records, cards: Letters, words: Sentences, text: Letters, ends: Counts, start: int
) -> int:
    """Write reasons from that of settlement ``start`` on; returns the first for which there was no room."""
    place = 0 if start == 0 else int(ends[start - 1])
    for number in range(start, len(settled)):
        row = settled[number]
        if place + _REASON_ROOM + _CARD_ROOM * int(row.counting) > len(text):
            return number
        if row.line == STAKE:
            place = _write_reason(row, cards, words, text, place)
        else:
            place = _copy(_DUE_BONUS if row.entitled else _NO_BONUS, text, place)
        ends[number] = place
    return len(settled)


@compiled
def _copy(letters: Letters, text: Letters, place: int) -> int:
    """Letters of which there are a few words at most."""
    for each in range(len(letters)):
        text[place + each] = letters[each]
    return place + len(letters)


@compiled
def _write_short(word: int, text: Letters, place: int) -> int:
    """A text of up to seven letters, whose length is in its topmost byte."""
    write_word(word, text, place)
    return place + (word >> 56)


@inlined
def _write_reason(row: Any, cards: Letters, words: Sentences, text: Letters, place: int) -> int:
    """Write why a wager is due what it is due."""
    story = int(row.story)
    sentence = story & 255
    for number in range(words.starts[sentence], words.starts[sentence + 1]):
        place = _write_letters(words, number, text, place)
        hole = words.pieces[number].hole
        if hole == HOLE_INNER:
            place = _write_letters(words, int(words.starts[(story >> 8) & 255]), text, place)
        elif hole == HOLE_SUM:
            place = _write_sum(row, cards, words, story >> 16, text, place)
        elif hole != 0:
            place = _write_hole(row, cards, words, hole, text, place)
    return place


@compiled
def _write_letters(words: Sentences, number: int, text: Letters, place: int) -> int:
    """The letters of a piece, by its number, some words at once."""
    piece = words.pieces[number]
    for start in range(0, piece.size_of, _BEYOND):
        word = piece.word + start // WORD
        for each in range(WORDS_AT_ONCE):
            write_word(words.words[word + each], text, place + start + WORD * each)
    return place + int(piece.size_of)


@inlined
def _write_sum(row: Any, cards: Letters, words: Sentences, sentence: int, text: Letters, place: int) -> int:
    for number in range(words.starts[sentence], words.starts[sentence + 1]):
        place = _write_letters(words, number, text, place)
        if words.pieces[number].hole != 0:
            place = _write_hole(row, cards, words, words.pieces[number].hole, text, place)
    return place


@compiled
def _write_hole(row: Any, cards: Letters, words: Sentences, hole: int, text: Letters, place: int) -> int:
    if hole == HOLE_HAND:
        return _write_hand(row, cards, words, text, place)
    if hole == HOLE_DEALER:
        return _write_total(words, int(row.dealer_points), row.dealer_soft, text, place)
    if hole == HOLE_ODDS:
        place = _write_number(words, int(row.odds[0]), text, place)
        text[place] = _COLON
        return _write_number(words, int(row.odds[1]), text, place + 1)
    if hole == HOLE_NUMBER:
        return _write_number(words, row.told[0], text, place)
    if hole == HOLE_CARDS:
        place = _write_short(words.faces[row.one], text, place)
        return _write_short(words.faces[row.two], text, place) - 1
    amount = row.effective
    if hole == HOLE_FIRST:
        amount = row.told[0]
    elif hole == HOLE_SECOND:
        amount = row.told[1]
    elif hole == HOLE_THIRD:
        amount = row.told[2]
    return _write_amount(words, amount, text, place)


@compiled
def _write_number(words: Sentences, number: int, text: Letters, place: int) -> int:
    """A whole number that is not negative."""
    if number < NUMBERS:
        return _write_short(words.numbers[number], text, place)
    end = place + 1
    rest = number // 10
    while rest > 0:
        end += 1
        rest //= 10
    at = end
    while at > place:
        at -= 1
        text[at] = _ZERO + number % 10
        number //= 10
    return end


@inlined
def _write_amount(words: Sentences, thousandths: int, text: Letters, place: int) -> int:
    """An amount without trailing zeros: 12500 as ``12.5``."""
    if thousandths < 0:
        text[place] = _MINUS
        place += 1
        thousandths = -thousandths
    place = _write_number(words, thousandths // 1000, text, place)
    part = thousandths % 1000
    if part == 0:
        return place
    text[place] = _POINT
    place += 1
    while part > 0:
        text[place] = _ZERO + part // 100
        place += 1
        part = part % 100 * 10
    return place


@compiled
def _write_total(words: Sentences, points: int, soft: bool, text: Letters, place: int) -> int:
    """A total as ``soft 17``."""
    if points < TOTALS:
        return _write_short(words.soft[points] if soft else words.hard[points], text, place)
    write_word(words.soft[0] if soft else words.hard[0], text, place)
    return _write_number(words, points, text, place + len("hard "))


@inlined
def _write_hand(row: Any, cards: Letters, words: Sentences, text: Letters, place: int) -> int:
    """The cards that count for a wager, and their total: ``7♠ 8♦, hard 15``."""
    for card in range(int(row.cards_at), int(row.cards_at) + int(row.counting)):
        place = _write_short(words.faces[cards[card]], text, place)
    if row.counting > 0:
        place -= 1
    write_word(_COMMA_AND_BLANK, text, place)
    return _write_total(words, int(row.points), row.soft, text, place + 2)
