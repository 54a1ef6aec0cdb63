"""The reason of every due as text, and the cards of a hand: UTF-8, eight bytes at a time into a buffer.

A writer takes the place at which to begin and returns the place after what it wrote, beyond
which it may leave up to seven bytes of no meaning; the room functions say beforehand how many
bytes there will be at most.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from rules_replay.kernel.codes import NOT
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.facts import initial_cards
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
    Sentences,
)
from rules_replay.kernel.records import Table
from rules_replay.kernel.standing import hand_under

Letters = npt.NDArray[np.uint8]

_COMMA_AND_BLANK: Final = int.from_bytes(b", ", "little")
_COLON: Final = ord(":")
_POINT: Final = ord(".")
_MINUS: Final = ord("-")
_ZERO: Final = ord("0")

_WORD: Final = 8
_SENTENCE_ROOM: Final = 3 * LONGEST
_AMOUNTS_ROOM: Final = 10 * 24
_CARD_ROOM: Final = 6


@inlined
def reason_room(count: int) -> int:
    """How many bytes the reason of a due takes at most in a round of so many events."""
    return _SENTENCE_ROOM + _AMOUNTS_ROOM + _CARD_ROOM * (count + 2) + _WORD


@compiled
def _write(word: int, text: Letters, place: int) -> None:
    """Eight letters; places without a sign spare the question whether one counts from the end."""
    first = np.uint64(place)
    for each in range(_WORD):
        text[first + np.uint64(each)] = (word >> 8 * each) & 255


@compiled
def _write_short(word: int, text: Letters, place: int) -> int:
    """A text of up to seven letters, whose length is in its topmost byte."""
    _write(word, text, place)
    return place + (word >> 56)


@inlined
def write_reason(table: Table, bet: int, sentences: Sentences, text: Letters, place: int) -> int:
    """Write why a bet is due what it is due."""
    story = int(table.space.bets[bet].story)
    sentence = story & 255
    for number in range(sentences.starts[sentence], sentences.starts[sentence + 1]):
        piece = sentences.pieces[number]
        place = _write_letters(sentences, number, text, place)
        if piece.hole == HOLE_INNER:
            place = _write_letters(sentences, int(sentences.starts[(story >> 8) & 255]), text, place)
        elif piece.hole == HOLE_SUM:
            place = _write_sum(table, bet, sentences, story >> 16, text, place)
        elif piece.hole != 0:
            place = _write_hole(table, bet, sentences, piece.hole, text, place)
    return place


@compiled
def _write_letters(sentences: Sentences, number: int, text: Letters, place: int) -> int:
    """The letters of a piece, by its number."""
    piece = sentences.pieces[number]
    for word in range((piece.size_of + _WORD - 1) // _WORD):
        _write(sentences.words[piece.word + word], text, place + _WORD * word)
    return place + int(piece.size_of)


@inlined
def _write_sum(table: Table, bet: int, sentences: Sentences, sentence: int, text: Letters, place: int) -> int:
    for number in range(sentences.starts[sentence], sentences.starts[sentence + 1]):
        place = _write_letters(sentences, number, text, place)
        if sentences.pieces[number].hole != 0:
            place = _write_hole(table, bet, sentences, sentences.pieces[number].hole, text, place)
    return place


@compiled
def _write_hole(table: Table, bet: int, sentences: Sentences, hole: int, text: Letters, place: int) -> int:
    at = table.space.bets[bet]
    if hole == HOLE_HAND:
        return _write_hand(table, bet, sentences, text, place)
    if hole == HOLE_DEALER:
        head = table.space.head
        return _write_total(sentences, head.dealer_points, head.dealer_soft, text, place)
    if hole == HOLE_ODDS:
        place = _write_number(sentences, at.told[3] >> 32, text, place)
        text[place] = _COLON
        return _write_number(sentences, at.told[3] & 0xFFFFFFFF, text, place + 1)
    if hole == HOLE_NUMBER:
        return _write_number(sentences, at.told[0], text, place)
    if hole == HOLE_CARDS:
        _, one, two = initial_cards(table, at.box)
        place = _write_short(sentences.faces[one], text, place)
        return _write_short(sentences.faces[two], text, place) - 1
    amount = at.effective
    if hole == HOLE_FIRST:
        amount = at.told[0]
    elif hole == HOLE_SECOND:
        amount = at.told[1]
    elif hole == HOLE_THIRD:
        amount = at.told[2]
    return _write_amount(sentences, amount, text, place)


@compiled
def _write_number(sentences: Sentences, number: int, text: Letters, place: int) -> int:
    """A whole number that is not negative."""
    if number < NUMBERS:
        return _write_short(sentences.numbers[number], text, place)
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
def _write_amount(sentences: Sentences, thousandths: int, text: Letters, place: int) -> int:
    """An amount without trailing zeros: 12500 as ``12.5``."""
    if thousandths < 0:
        text[place] = _MINUS
        place += 1
        thousandths = -thousandths
    place = _write_number(sentences, thousandths // 1000, text, place)
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
def _write_total(sentences: Sentences, points: int, soft: bool, text: Letters, place: int) -> int:
    """A total as ``soft 17``."""
    if points < TOTALS:
        return _write_short(sentences.soft[points] if soft else sentences.hard[points], text, place)
    _write(sentences.soft[0] if soft else sentences.hard[0], text, place)
    return _write_number(sentences, points, text, place + len("hard "))


@inlined
def _write_hand(table: Table, bet: int, sentences: Sentences, text: Letters, place: int) -> int:
    """The cards that count for a bet, and their total: ``7♠ 8♦, hard 15``."""
    at = table.space.bets[bet]
    seq = table.space.hands[hand_under(table, bet)].first
    for _ in range(at.counting):
        place = _write_short(sentences.faces[table.space.events[seq].card], text, place)
        seq = table.space.links[seq].next
    if at.counting > 0:
        place -= 1
    _write(_COMMA_AND_BLANK, text, place)
    return _write_total(sentences, at.points, at.soft, text, place + 2)


@inlined
def cards_room(n: int) -> int:
    """How many bytes so many cards take at most."""
    return 4 * n + _WORD


@inlined
def write_cards(table: Table, hand: int, sentences: Sentences, text: Letters, place: int) -> int:
    """The cards of a hand that holds any as the log writes them, in the order drawn, a space between."""
    seq = table.space.hands[hand].first
    while seq != NOT:
        place = _write_short(sentences.cards[table.space.events[seq].card], text, place)
        seq = table.space.links[seq].next
    return place - 1
