"""The reason of every due as text, and the cards of a hand: UTF-8, byte by byte into a buffer.

A writer takes the place at which to begin and returns the place after what it wrote; the
room functions say beforehand how many bytes there will be at most.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from rules_replay.kernel.codes import ACE, JACK, JOKER_CARD, KING, NOT, TEN, UNREADABLE_CARD
from rules_replay.kernel.compiled import compiled
from rules_replay.kernel.count import rank, suit
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
    HOLE_STAKE,
    HOLE_SUM,
    HOLE_THIRD,
    LAST_HOLE,
    LONGEST,
    Sentences,
)
from rules_replay.kernel.records import Table
from rules_replay.kernel.standing import hand_under

Letters = npt.NDArray[np.uint8]

_SPACE: Final = ord(" ")
_COMMA: Final = ord(",")
_COLON: Final = ord(":")
_POINT: Final = ord(".")
_MINUS: Final = ord("-")
_QUESTION: Final = ord("?")
_ZERO: Final = ord("0")
_A: Final = ord("A")
_J: Final = ord("J")
_Q: Final = ord("Q")
_K: Final = ord("K")
_SUIT_LETTERS: Final = int.from_bytes(b"SHDC", "little")
_SIGN: Final = "♠".encode()[0]
_OF_SIGN: Final = "♠".encode()[1]
_SIGNS: Final = int.from_bytes(bytes(each.encode()[2] for each in "♠♥♦♣"), "little")
_SOFT: Final = int.from_bytes(b"soft ", "little")
_HARD: Final = int.from_bytes(b"hard ", "little")

_SENTENCE_ROOM: Final = 3 * LONGEST
_AMOUNTS_ROOM: Final = 10 * 24
_CARD_ROOM: Final = 6


@compiled
def reason_room(table: Table, bet: int) -> int:
    """How many bytes the reason of a bet's due takes at most."""
    return _SENTENCE_ROOM + _AMOUNTS_ROOM + _CARD_ROOM * (int(table.space.bets[bet].counting) + 2)


@compiled
def write_reason(table: Table, bet: int, sentences: Sentences, text: Letters, place: int) -> int:
    """Write why a bet is due what it is due."""
    story = int(table.space.bets[bet].story)
    sentence = story & 255
    inner = (story >> 8) & 255
    for at in range(sentences.starts[sentence], sentences.starts[sentence + 1]):
        letter = sentences.letters[at]
        if letter > LAST_HOLE:
            text[place] = letter
            place += 1
        elif letter == HOLE_INNER:
            for each in range(sentences.starts[inner], sentences.starts[inner + 1]):
                text[place] = sentences.letters[each]
                place += 1
        elif letter == HOLE_SUM:
            place = _write_sum(table, bet, sentences, story >> 16, text, place)
        else:
            place = _write_hole(table, bet, letter, text, place)
    return place


@compiled
def _write_sum(table: Table, bet: int, sentences: Sentences, sentence: int, text: Letters, place: int) -> int:
    for at in range(sentences.starts[sentence], sentences.starts[sentence + 1]):
        letter = sentences.letters[at]
        if letter > LAST_HOLE:
            text[place] = letter
            place += 1
        else:
            place = _write_hole(table, bet, letter, text, place)
    return place


@compiled
def _write_hole(table: Table, bet: int, hole: int, text: Letters, place: int) -> int:
    at = table.space.bets[bet]
    if hole == HOLE_STAKE:
        return write_amount(at.effective, text, place)
    if hole == HOLE_FIRST:
        return write_amount(at.told[0], text, place)
    if hole == HOLE_SECOND:
        return write_amount(at.told[1], text, place)
    if hole == HOLE_THIRD:
        return write_amount(at.told[2], text, place)
    if hole == HOLE_NUMBER:
        return _write_number(at.told[0], text, place)
    if hole == HOLE_ODDS:
        return write_odds(at.told[3] >> 32, at.told[3] & 0xFFFFFFFF, text, place)
    if hole == HOLE_HAND:
        return _write_hand(table, bet, text, place)
    if hole == HOLE_DEALER:
        return _write_total(table.space.head.dealer_points, table.space.head.dealer_soft, text, place)
    if hole == HOLE_CARDS:
        _, one, two = initial_cards(table, at.box)
        place = _write_face(one, text, place)
        text[place] = _SPACE
        return _write_face(two, text, place + 1)
    return place


@compiled
def _write_number(number: int, text: Letters, place: int) -> int:
    """A whole number that is not negative."""
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


@compiled
def write_amount(thousandths: int, text: Letters, place: int) -> int:
    """An amount without trailing zeros: 12500 as ``12.5``."""
    if thousandths < 0:
        text[place] = _MINUS
        place += 1
        thousandths = -thousandths
    place = _write_number(thousandths // 1000, text, place)
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
def write_odds(over: int, under: int, text: Letters, place: int) -> int:
    """Odds as ``3:2``."""
    place = _write_number(over, text, place)
    text[place] = _COLON
    return _write_number(under, text, place + 1)


@compiled
def _write_total(points: int, soft: bool, text: Letters, place: int) -> int:
    """A total as ``soft 17``."""
    word = _SOFT if soft else _HARD
    for at in range(5):
        text[place + at] = (word >> 8 * at) & 255
    return _write_number(points, text, place + 5)


@compiled
def _write_hand(table: Table, bet: int, text: Letters, place: int) -> int:
    """The cards that count for a bet, and their total: ``7♠ 8♦, hard 15``."""
    at = table.space.bets[bet]
    seq = table.space.hands[hand_under(table, bet)].first
    for number in range(at.counting):
        if number > 0:
            text[place] = _SPACE
            place += 1
        place = _write_face(int(table.space.events[seq].card), text, place)
        seq = table.space.links[seq].next
    text[place] = _COMMA
    text[place + 1] = _SPACE
    return _write_total(at.points, at.soft, text, place + 2)


@compiled
def _write_rank(card: int, text: Letters, place: int) -> int:
    """A rank; ``JK`` for a joker and ``?`` for a card that could not be read."""
    if card == UNREADABLE_CARD:
        text[place] = _QUESTION
        return place + 1
    found = rank(card)
    if card == JOKER_CARD:
        text[place] = _J
        text[place + 1] = _K
        return place + 2
    if found == TEN:
        text[place] = _ZERO + 1
        text[place + 1] = _ZERO
        return place + 2
    if found == ACE:
        text[place] = _A
    elif found < JACK:
        text[place] = _ZERO + found + 1
    elif found == JACK:
        text[place] = _J
    else:
        text[place] = _K if found == KING else _Q
    return place + 1


@compiled
def _write_face(card: int, text: Letters, place: int) -> int:
    """A card with the sign of its suit."""
    place = _write_rank(card, text, place)
    if card >= JOKER_CARD:
        return place
    text[place] = _SIGN
    text[place + 1] = _OF_SIGN
    text[place + 2] = (_SIGNS >> 8 * suit(card)) & 255
    return place + 3


@compiled
def cards_room(n: int) -> int:
    """How many bytes so many cards take at most."""
    return 4 * n


@compiled
def write_card(card: int, text: Letters, place: int) -> int:
    """A card as the log writes it: ``8S``, ``10S``, ``JK``, ``??``."""
    place = _write_rank(card, text, place)
    if card == JOKER_CARD:
        return place
    if card == UNREADABLE_CARD:
        text[place] = _QUESTION
    else:
        text[place] = (_SUIT_LETTERS >> 8 * suit(card)) & 255
    return place + 1


@compiled
def write_cards(table: Table, hand: int, text: Letters, place: int) -> int:
    """The cards of a hand in the order drawn, a space between."""
    seq = table.space.hands[hand].first
    first = True
    while seq != NOT:
        if not first:
            text[place] = _SPACE
            place += 1
        place = write_card(int(table.space.events[seq].card), text, place)
        first = False
        seq = table.space.links[seq].next
    return place
