"""The reasons that a due may have, by number, and the sentences in which they are told.

A story is up to three of these numbers in one: the sentence, the one inside it, and the
arithmetic. `rules_replay.kernel.stories` writes them out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import numpy as np

from rules_replay.cards import JOKER, SUIT_SIGNS, UNREADABLE
from rules_replay.kernel.compiled import compiled
from rules_replay.kernel.encode import CARD_TEXTS

SAID_NOTHING: Final = 0
A_FOREIGN_CARD: Final = 1
SURRENDER_NOT_OPEN: Final = 2
A_CARD_UNREADABLE: Final = 3
NOT_IN_INITIAL_DEAL: Final = 4
LACKED_A_CARD: Final = 5
NO_SECOND_CARD: Final = 6
NOT_ONE_CARD_AFTER_DOUBLE: Final = 7
SPLIT_ACE_DOUBLED: Final = 8
CARD_AFTER_STAND: Final = 9
DOUBLED_FOR_MORE: Final = 10
LEFT_BELOW_12: Final = 11
ROUND_VOID: Final = 12
WAGER_DECLARED_VOID: Final = 13
WAGER_WITHDRAWN: Final = 14
HAND_DECLARED_VOID: Final = 15
CONTROLLER_WITHDREW: Final = 16
WAGER_VOID: Final = 17
NOT_ON_OFFER: Final = 18
NO_MAIN_WAGER: Final = 19
HAND_VOIDED_EARLY: Final = 20
DEALER_WITHOUT_CARD: Final = 21
DEALER_UNREADABLE: Final = 22
DEALER_FOREIGN: Final = 23
DEALER_LACKED_FIRST: Final = 24
DEALER_EARLY_CARD: Final = 25
DEALER_ONE_CARD: Final = 26
DEALER_SECOND_UNKNOWN: Final = 27
STAKE_GOES_BACK: Final = 28
FORFEITED_DOUBLE: Final = 29
FORFEITED_STAKE: Final = 30
SURRENDERED_DOUBLE: Final = 31
SURRENDER_ANNULLED: Final = 32
HALF_NO_THOUSANDTH: Final = 33
HALF_IN_CHIPS: Final = 34
HALF_EXACT: Final = 35
BUST: Final = 36
STOOD_OFF: Final = 37
LOWER: Final = 38
PAID_THEN_PONTOON: Final = 39
BOX_BUST: Final = 40
PONTOON_AT_ONCE: Final = 41
TWENTY_ONE_AT_ONCE: Final = 42
DEALER_BUST: Final = 43
HIGHER: Final = 44
TWENTY_ONE_BEATS: Final = 45
SHORT_DEALER_BUST: Final = 46
SHORT_STANDS_OFF: Final = 47
INSURANCE_LOST: Final = 48
INSURANCE_WON: Final = 49
INSURANCE_FELL: Final = 50
INSURANCE_FELL_LOST: Final = 51
INSURANCE_NOT_DECIDED: Final = 52
OTHER_HAND_UNKNOWN: Final = 53
ORIGINAL_ONLY: Final = 54
EITHER_IS_LOST: Final = 55
LOST_TO_PONTOON: Final = 56
BACK_DESPITE_PONTOON: Final = 57
SUPER_BONUS_INSTEAD: Final = 58
CARDS_UNKNOWN: Final = 59
NO_PAIR: Final = 60
PAIR_WON: Final = 61
PAIR_OUTDONE_RETURNED: Final = 62
PAIR_OUTDONE_LOST: Final = 63
NO_PONTOON: Final = 64
NO_PRESS: Final = 65
PRESSES_DIFFER: Final = 66
NO_SUCH_MULTIPLIER: Final = 67
JACKPOT_WON: Final = 68
ARITHMETIC: Final = 69
RIVAL_UNKNOWN: Final = 89
MAIN_VOIDED_EARLY: Final = 96
TWENTY_ONE_DOUBLED: Final = 97
ONE_CARD_SPLIT: Final = 98
ONE_CARD_DOUBLED: Final = 99
BESIDE_VOID_HAND: Final = 100
INSURED_WITHOUT_ACE: Final = 101
SPLIT_ACE_MAY_BE_BURNED: Final = 102
MOVED_LATE: Final = 103
INSURANCE_WON_BY_CARD: Final = 104
SECOND_CARD_WITHOUT_ACE: Final = 105
CARD_BURNED_OFF: Final = 106
DEALERS_CARD_BURNED: Final = 107
HAND_NOT_RECORDED: Final = 108
OVER_OR_21: Final = 109
PORTION_ELSEWHERE: Final = 110
FORFEIT_NOT_RECORDED: Final = 111
CARD_TOO_MANY: Final = 112

ROW_PONTOON: Final = 70
ROW_678_MIXED: Final = 71
ROW_678_SUITED: Final = 72
ROW_678_SPADES: Final = 73
ROW_777_MIXED: Final = 74
ROW_777_SUITED: Final = 75
ROW_777_SPADES: Final = 76
ROW_FIVE: Final = 77
ROW_SIX: Final = 78
ROW_SEVEN: Final = 79
ROW_OTHER: Final = 80
ROW_DOUBLED: Final = 81
ROW_DOUBLED_BY_BOX: Final = 82
ROW_SPLIT: Final = 83
ROW_PAIR: Final = 84
ROW_PERFECT_PAIR: Final = 85
ROW_COLOURED_PAIR: Final = 86
ROW_MIXED_PAIR: Final = 87

SUM_NO_THOUSANDTH: Final = 90
SUM_EXACT: Final = 91
SUM_ROUNDED: Final = 92
SUM_RAISED: Final = 93
SUM_NOT_IN_CHIPS: Final = 94
SUM_CUT: Final = 95

_SENTENCES: Final = {
    SAID_NOTHING: "",
    A_FOREIGN_CARD: "a card of the box does not belong to the deck",
    SURRENDER_NOT_OPEN: "surrender was not open",
    A_CARD_UNREADABLE: "a card of the hand could not be read",
    CARD_BURNED_OFF: "a card due to the hand was burned",
    DEALERS_CARD_BURNED: "a card due to the dealer was burned",
    NOT_IN_INITIAL_DEAL: "the hand was not dealt in the initial deal",
    LACKED_A_CARD: "the hand lacked a card of the initial deal",
    NO_SECOND_CARD: "the split hand has no second card",
    ONE_CARD_SPLIT: "a hand of one card was split",
    ONE_CARD_DOUBLED: "a hand of one card was doubled",
    NOT_ONE_CARD_AFTER_DOUBLE: "a doubled hand takes exactly one card",
    SPLIT_ACE_DOUBLED: "a split ace was doubled and given a further card",
    SPLIT_ACE_MAY_BE_BURNED: "a card too many for a split ace may have been burned",
    TWENTY_ONE_DOUBLED: "a hand with 21 was doubled",
    CARD_AFTER_STAND: "a card was dealt to a hand that had stood",
    DOUBLED_FOR_MORE: "doubled for more than the original wager",
    LEFT_BELOW_12: "the hand was left below 12; the log cannot show the options it then had",
    ROUND_VOID: "the round is void",
    WAGER_DECLARED_VOID: "the wager was declared void",
    WAGER_WITHDRAWN: "the wager was withdrawn",
    HAND_DECLARED_VOID: "the hand was declared void",
    BESIDE_VOID_HAND: "another hand of the box was declared void",
    OVER_OR_21: "the hand was over 21, unless a card that could not be read made it 21 before its last",
    HAND_NOT_RECORDED: "which hand of the box the wager was on is not recorded",
    MOVED_LATE: "the wager was put on another hand after its own was complete",
    PORTION_ELSEWHERE: "the hand of its wager was not doubled",
    FORFEIT_NOT_RECORDED: "whether the wager was forfeited is not recorded",
    CARD_TOO_MANY: "a card too many came to the hand in the initial deal",
    CONTROLLER_WITHDREW: "the player controlling the hand withdrew",
    WAGER_VOID: "the wager is void",
    NOT_ON_OFFER: "the wager is not on offer",
    NO_MAIN_WAGER: "there is no main wager with it",
    HAND_VOIDED_EARLY: "the hand was voided before the initial deal was complete",
    MAIN_VOIDED_EARLY: "its main wager was void before the initial deal was complete",
    DEALER_WITHOUT_CARD: "the dealer has no card",
    DEALER_UNREADABLE: "a card of the dealer could not be read",
    DEALER_FOREIGN: "a card of the dealer does not belong to the deck",
    DEALER_LACKED_FIRST: "the dealer lacked a first card in the initial deal",
    DEALER_EARLY_CARD: "the dealer's second card came early and was left in place",
    DEALER_ONE_CARD: "the dealer has one card",
    DEALER_SECOND_UNKNOWN: "the dealer's second card is not known",
    STAKE_GOES_BACK: "{inner}: the stake goes back",
    FORFEITED_DOUBLE: "forfeited: the doubled portion is withdrawn",
    FORFEITED_STAKE: "forfeited after doubling: {stake} is lost",
    SURRENDERED_DOUBLE: "a surrendered hand was doubled",
    SURRENDER_ANNULLED: "the dealer's Pontoon annuls the surrender: {stake} is lost",
    HALF_NO_THOUSANDTH: "half of {stake} is no whole thousandth",
    HALF_IN_CHIPS: "surrendered: half of {stake}, {first} in chips goes back",
    HALF_EXACT: "surrendered: half of {stake} is {first}",
    BUST: "{hand} is over 21: {stake} is lost",
    STOOD_OFF: "{hand}, equal to dealer {dealer}: the stake goes back",
    LOWER: "{hand}, lower than dealer {dealer}: {stake} is lost",
    PAID_THEN_PONTOON: "{hand}, paid at once, and then the dealer made Pontoon: {stake} is lost",
    BOX_BUST: "another hand of the box is over 21: {stake} is lost",
    PONTOON_AT_ONCE: "Pontoon wins at once ({hand}), {inner}: {sum}",
    TWENTY_ONE_AT_ONCE: "21 wins at once ({hand}), {inner}: {sum}",
    DEALER_BUST: "dealer {dealer} is over 21 ({hand}), {inner}: {sum}",
    HIGHER: "higher than dealer {dealer} ({hand}), {inner}: {sum}",
    TWENTY_ONE_BEATS: "21 wins: the dealer has no Pontoon ({hand}), {inner}: {sum}",
    SHORT_DEALER_BUST: "the dealer is over 21: {sum}",
    SHORT_STANDS_OFF: "a short hand stands off against the dealer's Pontoon",
    INSURANCE_LOST: "the dealer has no Pontoon: {stake} is lost",
    INSURANCE_WON: "the dealer made Pontoon: {sum}",
    INSURANCE_WON_BY_CARD: "the dealer's second card wins it: {sum}",
    SECOND_CARD_WITHOUT_ACE: "the dealer's second card would win it, and his first is no ace",
    INSURED_WITHOUT_ACE: "the dealer's Pontoon does not begin with an ace",
    INSURANCE_FELL: "the insurance falls with the hand insured",
    INSURANCE_FELL_LOST: "the insurance falls with the hand insured: {stake} is lost",
    INSURANCE_NOT_DECIDED: ("no hand is left, the dealer takes no second card and the insurance goes back"),
    OTHER_HAND_UNKNOWN: "another hand of the player on the box cannot be fixed",
    ORIGINAL_ONLY: "the dealer made Pontoon: only the original wager is collected",
    EITHER_IS_LOST: (
        "a forfeited stake may or may not count towards the one original wager: "
        "{first} or {second} of this is lost"
    ),
    LOST_TO_PONTOON: "the dealer made Pontoon: {first} is lost",
    BACK_DESPITE_PONTOON: (
        "the dealer made Pontoon: no more than the original wager is collected, this goes back"
    ),
    SUPER_BONUS_INSTEAD: "the Super Bonus is paid instead of the table odds",
    CARDS_UNKNOWN: "the first two cards of the box are not known",
    NO_PAIR: "{cards} is no pair: {stake} is lost",
    PAIR_WON: "{cards}, {inner}: {sum}",
    PAIR_OUTDONE_RETURNED: "only the player's highest Perfect Pairs payout is paid: this wager goes back",
    RIVAL_UNKNOWN: "the first two cards of another box of the player are not known",
    PAIR_OUTDONE_LOST: "only the player's highest Perfect Pairs payout is paid: {stake} is lost",
    NO_PONTOON: "{cards} is no Pontoon: {stake} is lost",
    NO_PRESS: "no multiplier was pressed",
    PRESSES_DIFFER: "more than one multiplier was pressed",
    NO_SUCH_MULTIPLIER: "the meter has no {number}",
    JACKPOT_WON: "Pontoon, multiplier {number}: {stake} pays {second}",
    ARITHMETIC: "{sum}",
    ROW_PONTOON: "Pontoon",
    ROW_678_MIXED: "6-7-8 mixed",
    ROW_678_SUITED: "6-7-8 suited",
    ROW_678_SPADES: "6-7-8 spades",
    ROW_777_MIXED: "7-7-7 mixed",
    ROW_777_SUITED: "7-7-7 suited",
    ROW_777_SPADES: "7-7-7 spades",
    ROW_FIVE: "five cards",
    ROW_SIX: "six cards",
    ROW_SEVEN: "seven or more cards",
    ROW_OTHER: "other winning wager",
    ROW_DOUBLED: "doubled hand",
    ROW_DOUBLED_BY_BOX: "hand doubled by the box",
    ROW_SPLIT: "split hand",
    ROW_PAIR: "pair",
    ROW_PERFECT_PAIR: "perfect pair",
    ROW_COLOURED_PAIR: "coloured pair",
    ROW_MIXED_PAIR: "mixed pair",
    SUM_NO_THOUSANDTH: "{stake} at {odds} is no whole thousandth",
    SUM_EXACT: "{stake} at {odds} is {first}",
    SUM_ROUNDED: "{stake} at {odds} is {first}, rounded to the chip {second}",
    SUM_RAISED: "{stake} at {odds} is {first}, raised to {second}",
    SUM_NOT_IN_CHIPS: "{stake} at {odds} is {first}; no clause says how chips pay it",
    SUM_CUT: "{stake} at {odds} is {first}; stake cut to {third} pays {second}",
}

HOLE_HAND: Final = 1
HOLE_CARDS: Final = 2
HOLE_DEALER: Final = 3
HOLE_STAKE: Final = 4
HOLE_ODDS: Final = 5
HOLE_FIRST: Final = 6
HOLE_SECOND: Final = 7
HOLE_THIRD: Final = 8
HOLE_NUMBER: Final = 9
HOLE_INNER: Final = 10
HOLE_SUM: Final = 11
"""What stands in a sentence for what differs from bet to bet."""

_HOLES: Final = {
    "hand": HOLE_HAND,
    "cards": HOLE_CARDS,
    "dealer": HOLE_DEALER,
    "stake": HOLE_STAKE,
    "odds": HOLE_ODDS,
    "first": HOLE_FIRST,
    "second": HOLE_SECOND,
    "third": HOLE_THIRD,
    "number": HOLE_NUMBER,
    "inner": HOLE_INNER,
    "sum": HOLE_SUM,
}


LONGEST: Final = max(len(each.encode()) for each in _SENTENCES.values())
"""Bytes of the longest sentence, its holes by name."""


PIECE: Final = np.dtype([("word", np.int32), ("size_of", np.int16), ("hole", np.int16)], align=True)
"""A piece of a sentence: letters from a word on, and the hole after them (0: none)."""

WORDS_AT_ONCE: Final = 4
"""So many words of a piece are written together, whether or not it has so many."""

NUMBERS: Final = 1000
TOTALS: Final = 100
"""Below these a whole number and a total are kept as texts."""


Sentences: TypeAlias = Any
"""All that texts are made of, as one record: a compiled function is handed one address.

Letters are eight bytes of UTF-8 to a word, the first in its lowest byte. ``pieces`` are those of all
sentences, each from ``starts`` of its number to that of the next, their letters in ``words``. A card as it is
told (``faces``) or as the log has it (``cards``), a blank after it, a total (``hard``, ``soft``) and a whole
number take one word, with their length in its topmost byte.
"""


def sentences() -> Sentences:
    """The sentences, cut at their holes, and the small texts that fill them."""
    words: list[int] = []
    pieces: list[tuple[int, int, int]] = []
    starts = []
    for number in range(max(_SENTENCES) + 2):
        starts.append(len(pieces))
        letters, *rest = re.split(r"\{(\w+)\}", _SENTENCES.get(number, ""))
        for hole, after in zip([*rest[::2], None], [*rest[1::2], ""], strict=True):
            pieces.append((len(words), len(letters.encode()), 0 if hole is None else _HOLES[hole]))
            words += _words(letters.encode())
            letters = after
    fields: dict[str, Any] = {
        "words": [*words, *[0] * WORDS_AT_ONCE],
        "pieces": np.array(pieces, PIECE),
        "starts": starts,
        "faces": _short(_face(card) + " " for card in CARD_TEXTS),
        "cards": _short(card + " " for card in CARD_TEXTS),
        "hard": _short(f"hard {points}" for points in range(TOTALS)),
        "soft": _short(f"soft {points}" for points in range(TOTALS)),
        "numbers": _short(str(number) for number in range(NUMBERS)),
    }
    kind = np.dtype(
        [(name, PIECE if name == "pieces" else np.int64, (len(field),)) for name, field in fields.items()],
        align=True,
    )
    made = np.zeros(1, kind).view(np.recarray)[0]
    for name, field in fields.items():
        made[name] = field
    return made


def _face(card: str) -> str:
    """A card with the sign of its suit; ``?`` for one that could not be read."""
    if card == UNREADABLE:
        return "?"
    return card if card == JOKER else card[:-1] + SUIT_SIGNS[card[-1]]


def _words(letters: bytes) -> list[int]:
    return [
        int.from_bytes(letters[at : at + 8].ljust(8), "little", signed=True)
        for at in range(0, len(letters), 8)
    ]


def _short(texts: Iterable[str]) -> list[int]:
    """Texts of up to seven bytes, a word each."""
    made = [each.encode() for each in texts]
    return [int.from_bytes(each.ljust(7) + bytes([len(each)]), "little") for each in made]


@compiled
def story(sentence: int, inner: int, arithmetic: int) -> int:
    """The three numbers in one."""
    return sentence | inner << 8 | arithmetic << 16
