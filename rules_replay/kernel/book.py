"""A rulebook as a record of small integers, in which the kernel reads it.

Words and answers to open questions have the numbers of their places in `WORDS` and in
`rules_replay.rulebook.READINGS`. A record is one rulebook under one set of readings: terms by
their names with an underscore for the dot, readings as ``reads_`` and their ids.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np

from rules_replay.checks import catalogue
from rules_replay.kernel.codes import CARDS_OF_A_DECK
from rules_replay.kernel.records import DUE, DUES, PLAIN_CARDS, TOTALS
from rules_replay.rulebook import READINGS, TERMS

Records: TypeAlias = Any
"""An array of `BOOK` records."""

WORDS: Final[dict[str, tuple[str, ...]]] = {
    "deck.joker": ("foreign", "promotional"),
    "deck.foreign_card": ("finding", "round_void"),
    "insurance.third_party": ("barred", "when_declined"),
    "insurance.pontoon_holder": ("barred", "notice"),
    "insurance.increment": ("none", "half_chip", "payable"),
    "interim.doubled_21": ("at_once", "notice", "exempt"),
    "irregularity.put_right": ("whenever", "before_play", "initial_deal"),
    "split.co_wagerer_hand": ("first", "any"),
    "split.declined": ("allowed", "barred"),
    "double.on": ("two_cards_or_three_plus", "two_cards", "hard_nine_to_eleven"),
    "forfeit.deadline": ("dealer_second_card", "next_card"),
    "forfeit.not_doubling": ("allowed", "notice"),
    "shoe.shuffle": ("required", "not_stated"),
    "bonus.double_excludes": ("hand", "wager"),
}
"""The words that a term may be, in the order of their numbers."""

DECK_JOKER_FOREIGN: Final = 0
DECK_JOKER_PROMOTIONAL: Final = 1
DECK_FOREIGN_CARD_FINDING: Final = 0
DECK_FOREIGN_CARD_ROUND_VOID: Final = 1
INSURANCE_THIRD_PARTY_BARRED: Final = 0
INSURANCE_THIRD_PARTY_WHEN_DECLINED: Final = 1
INSURANCE_PONTOON_HOLDER_BARRED: Final = 0
INSURANCE_PONTOON_HOLDER_NOTICE: Final = 1
INSURANCE_INCREMENT_NONE: Final = 0
INSURANCE_INCREMENT_HALF_CHIP: Final = 1
INSURANCE_INCREMENT_PAYABLE: Final = 2
INTERIM_DOUBLED_21_AT_ONCE: Final = 0
INTERIM_DOUBLED_21_NOTICE: Final = 1
INTERIM_DOUBLED_21_EXEMPT: Final = 2
IRREGULARITY_PUT_RIGHT_WHENEVER: Final = 0
IRREGULARITY_PUT_RIGHT_BEFORE_PLAY: Final = 1
IRREGULARITY_PUT_RIGHT_INITIAL_DEAL: Final = 2
SPLIT_CO_WAGERER_HAND_FIRST: Final = 0
SPLIT_CO_WAGERER_HAND_ANY: Final = 1
SPLIT_DECLINED_ALLOWED: Final = 0
SPLIT_DECLINED_BARRED: Final = 1
DOUBLE_ON_TWO_CARDS_OR_THREE_PLUS: Final = 0
DOUBLE_ON_TWO_CARDS: Final = 1
DOUBLE_ON_HARD_NINE_TO_ELEVEN: Final = 2
FORFEIT_DEADLINE_DEALER_SECOND_CARD: Final = 0
FORFEIT_DEADLINE_NEXT_CARD: Final = 1
FORFEIT_NOT_DOUBLING_ALLOWED: Final = 0
FORFEIT_NOT_DOUBLING_NOTICE: Final = 1
SHOE_SHUFFLE_REQUIRED: Final = 0
SHOE_SHUFFLE_NOT_STATED: Final = 1
BONUS_DOUBLE_EXCLUDES_HAND: Final = 0
BONUS_DOUBLE_EXCLUDES_WAGER: Final = 1
"""Words by number."""

READS_DEALER_PONTOON_SPLIT_ORIGINAL_CAP: Final = 0
READS_DEALER_PONTOON_SPLIT_BUSTED_PLUS_ONE: Final = 1
READS_DEALER_PONTOON_SPLIT_ORIGINAL_STACK: Final = 2
READS_DEALER_PONTOON_SPLIT_ALL: Final = 3
READS_DEALER_PONTOON_DOUBLE_ORIGINAL_PER_BOX: Final = 0
READS_DEALER_PONTOON_DOUBLE_ORIGINAL_PER_HAND: Final = 1
READS_DEALER_PONTOON_DOUBLE_ALL: Final = 2
READS_DOUBLED_BUST_DEALER_PONTOON_LOST_AT_BUST: Final = 0
READS_DOUBLED_BUST_DEALER_PONTOON_ORIGINAL_ONLY: Final = 1
READS_DOUBLED_21_WINS_AT_ONCE: Final = 0
READS_DOUBLED_21_HELD_BEATS_21: Final = 1
READS_DOUBLED_21_HELD: Final = 2
READS_FIXED_ACES_FIRST_TWO_OF_HAND: Final = 0
READS_FIXED_ACES_INITIAL_DEAL: Final = 1
READS_FIXED_ACES_NONE: Final = 2
READS_CO_WAGERER_NOT_DOUBLING_ODDS_EVEN: Final = 0
READS_CO_WAGERER_NOT_DOUBLING_ODDS_TABLE: Final = 1
READS_CO_WAGERER_NOT_DOUBLING_TOTAL_SAME: Final = 0
READS_CO_WAGERER_NOT_DOUBLING_TOTAL_OWN: Final = 1
READS_DOUBLE_CUTS_BOX_ODDS_HAND: Final = 0
READS_DOUBLE_CUTS_BOX_ODDS_BOX: Final = 1
READS_CARD_COUNT_ROWS_TOTAL_21: Final = 0
READS_CARD_COUNT_ROWS_ANY_WINNING_HAND: Final = 1
READS_SURRENDER_WINDOW_BEFORE_ANY_DRAW: Final = 0
READS_SURRENDER_WINDOW_OWN_TURN: Final = 1
READS_SURRENDER_BINDS_BOX: Final = 0
READS_SURRENDER_BINDS_WAGER: Final = 1
READS_SURRENDER_BINDS_EITHER: Final = 2
READS_DEALER_SECOND_CARD_IDLE_FORBIDDEN: Final = 0
READS_DEALER_SECOND_CARD_IDLE_ALLOWED: Final = 1
READS_DEALER_PLAYS_ON_IDLE_FORBIDDEN: Final = 0
READS_DEALER_PLAYS_ON_IDLE_ALLOWED: Final = 1
READS_FORFEIT_LIMIT_21: Final = 0
READS_FORFEIT_LIMIT_20: Final = 1
READS_SUPER_BONUS_WITH_TABLE_WITH: Final = 0
READS_SUPER_BONUS_WITH_TABLE_INSTEAD: Final = 1
READS_SUPER_BONUS_WINNERS_EACH_OWN_STAKE: Final = 0
READS_SUPER_BONUS_WINNERS_CONTROLLER: Final = 1
READS_SUPER_BONUS_EXCLUDED_BY_SUITED_SEVENS_SPLIT_OR_DOUBLE: Final = 0
READS_SUPER_BONUS_EXCLUDED_BY_ANY_SPLIT_OR_DOUBLE: Final = 1
READS_SUPER_BONUS_EXCLUDED_BY_NEVER_PAID: Final = 2
READS_OTHER_WAGERS_BONUS_MAIN_AND_SPLIT: Final = 0
READS_OTHER_WAGERS_BONUS_FIRST_MAIN_OF_BOX: Final = 1
READS_OTHER_WAGERS_BONUS_PER_ORIGINAL: Final = 2
READS_OTHER_WAGERS_BONUS_WITH_SIDE_BETS: Final = 3
READS_OTHER_WAGERS_BONUS_NONE: Final = 4
READS_SIDE_BET_NEEDS_OWN: Final = 0
READS_SIDE_BET_NEEDS_ANYONE: Final = 1
READS_SIDE_BET_NEEDS_ANYWHERE: Final = 2
READS_INSURANCE_LIFE_LIVES: Final = 0
READS_INSURANCE_LIFE_FALLS: Final = 1
READS_INSURANCE_LIFE_LOST_WHEN_BUST: Final = 2
READS_INSURANCE_LIFE_FALLS_IF_SURRENDERED: Final = 3
READS_AMOUNTS_EXACT: Final = 0
READS_AMOUNTS_CHIP_DOWN: Final = 1
READS_AMOUNTS_CHIP_UP: Final = 2
READS_AMOUNTS_PAYABLE: Final = 3
READS_OVER_MAX_BASE_CAPPED: Final = 0
READS_OVER_MAX_BASE_AS_PLACED: Final = 1
READS_PERSONAL_LIMIT_PLAYER: Final = 0
READS_PERSONAL_LIMIT_BOX: Final = 1
READS_INSURANCE_CAP_WAGER: Final = 0
READS_INSURANCE_CAP_TOTAL: Final = 1
READS_INSURANCE_WINDOW_BEFORE_ANY_DRAW: Final = 0
READS_INSURANCE_WINDOW_OWN_TURN: Final = 1
READS_INSURANCE_WINDOW_BEFORE_ANY_DECISION: Final = 2
READS_INSURANCE_SPARES_MAIN_NO: Final = 0
READS_INSURANCE_SPARES_MAIN_YES: Final = 1
READS_PONTOON_BARS_INSURANCE_HAND: Final = 0
READS_PONTOON_BARS_INSURANCE_OWNER: Final = 1
READS_PONTOON_BARS_INSURANCE_PLAYER: Final = 2
READS_PONTOON_BARS_INSURANCE_NOBODY: Final = 3
READS_PAIRS_PAYOUT_EACH_WAGER: Final = 0
READS_PAIRS_PAYOUT_HIGHEST_RETURNED: Final = 1
READS_PAIRS_PAYOUT_HIGHEST_COLLECTED: Final = 2
READS_ACES_ARE_A_PAIR_YES: Final = 0
READS_ACES_ARE_A_PAIR_NO: Final = 1
READS_JACKPOT_PAYS_TO_ONE: Final = 0
READS_JACKPOT_PAYS_IN_ALL: Final = 1
READS_JACKPOT_PRESS_EACH_BOX: Final = 0
READS_JACKPOT_PRESS_EACH_PLAYER: Final = 1
READS_LATER_ACES_FREE: Final = 0
READS_LATER_ACES_HELD_AT_ONE: Final = 1
READS_LATER_ACES_ALL_AT_ONE: Final = 2
READS_SPLIT_PAIR_EQUAL_VALUE: Final = 0
READS_SPLIT_PAIR_SAME_RANK: Final = 1
READS_SPLIT_ODDS_TABLE: Final = 0
READS_SPLIT_ODDS_EVEN: Final = 1
READS_DOUBLED_SPLIT_ODDS_EVEN: Final = 0
READS_DOUBLED_SPLIT_ODDS_TABLE: Final = 1
READS_MIXED_SUITS_NOT_ALL_ONE: Final = 0
READS_MIXED_SUITS_ALL_DIFFERENT: Final = 1
READS_SPADES_ROW_ALONE: Final = 0
READS_SPADES_ROW_ADDED: Final = 1
READS_BUST_ON_DEALERS_TOTAL_LOST: Final = 0
READS_BUST_ON_DEALERS_TOTAL_STAND_OFF: Final = 1
READS_SPLIT_BUST_TAKES_HAND: Final = 0
READS_SPLIT_BUST_TAKES_BOX: Final = 1
READS_TWENTY_ONE_PAID_STANDS: Final = 0
READS_TWENTY_ONE_PAID_FALLS_TO_PONTOON: Final = 1
READS_SECOND_CARD_FOR_SURRENDER_DRAWN: Final = 0
READS_SECOND_CARD_FOR_SURRENDER_NOT_DRAWN: Final = 1
READS_ORIGINAL_WON_AS_21_TAKEN_FROM_ANOTHER: Final = 0
READS_ORIGINAL_WON_AS_21_OUT_OF_PLAY: Final = 1
READS_BUST_ABOVE_ORIGINAL_LOST: Final = 0
READS_BUST_ABOVE_ORIGINAL_RETURNED: Final = 1
"""Answers to open questions by number."""

MAIN_KINDS: Final = ("main", "split", "double", "insurance")
SIDE_KINDS: Final = ("perfect_pairs", "pair", "pandemonium")
WAGER_KINDS: Final = (*MAIN_KINDS, *SIDE_KINDS)
"""Kinds of wager in the order of their numbers."""

MULTIPLIERS: Final = 64
"""The most different multipliers that a meter may have."""

SUBJECTS: Final = (
    "round",
    "claim",
    "wager",
    "limit",
    "side",
    "pairs",
    "jackpot",
    "insurance",
    "twenty-one",
    "surrender",
    "split",
    "double",
    "forfeit",
    "hand",
    "dealer",
    "void",
    "super-bonus",
    "shoe",
    "irregularity",
    "burned",
    "call",
    "surrendered",
    "assigned",
    "continuous",
    "cutting-card",
    "last-rounds",
)
"""What a round must contain for a check to apply, in the order of the numbers in `coverage`."""


def _field(term: str) -> tuple[Any, ...]:
    name = term.replace(".", "_")
    if term.startswith("payout."):
        return (name, np.int64, (2,))
    if term == "jackpot.multipliers":
        return (name, np.int64, (MULTIPLIERS,))
    return (name, np.int64)


BOOK: Final = np.dtype(
    [
        *(_field(term) for term in TERMS),
        *((f"reads_{question}", np.int8) for question in READINGS),
        ("multipliers", np.int64),
        ("says", np.int8, (len(catalogue()),)),
        ("severity", np.int8, (len(catalogue()),)),
        ("needs", np.int8, (len(catalogue()),)),
        ("subject", np.int8, (len(catalogue()),)),
        ("left_open_by", np.int32, (len(catalogue()),)),
        ("dues", DUE, (DUES,)),
        ("came_to", np.int8, (TOTALS * TOTALS,)),
        ("earns_by_cards", np.int8, (PLAIN_CARDS + 1,)),
        ("ended_by", np.int8, (8,)),
        ("counted", np.int64, (CARDS_OF_A_DECK,)),
    ],
    align=True,
)
"""One rulebook. Odds are pairs (3 to 2 is ``[3, 2]``; ``[0, 1]`` where there is no such row);
``side_kinds`` has a bit for each number of a kind, ``irregularity_wager_back_after`` for that of a report;
``multipliers`` counts ``jackpot_multipliers``.
By check: ``says`` what the rulebook says on it, ``severity`` of a finding (conduct on which the
rulebook is silent is a notice), ``needs`` the fact without which it cannot be made, or `NOT`,
``subject`` what a round must contain for it to apply, ``left_open_by`` what else of a round may be
lacking and leaves it open (`lacking`).
What hands of plain rounds are due (`rules_replay.kernel.dues`): ``dues`` by what a hand came to and the
row that it earns; ``came_to`` by the dealer's total and, within it, its own; ``earns_by_cards`` by the
number of cards of a hand that is not doubled; ``ended_by`` how one ended that neither won nor lost at
once: 4 for doubled, 2 for split aces, 1 for stood.
``counted`` has each card of a deck as one number, to be added to that of a hand: one card, its points (an
ace at one) from bit 16 on, and whether it is an ace at bit 32.
What does not differ between rulebooks is here as well, since numba keeps a table of a module with the
code that it has compiled."""
