"""The words of the round log and of the rulebooks as small integers.

Words have the numbers of their places in the vocabularies that both engines share
(`rules_replay.log`, `cards`, `checks`, `rulebook`); a test holds every number here against them.
"""

from __future__ import annotations

from typing import Final, get_args

from rules_replay.checks import catalogue
from rules_replay.log import MISDEALT as _OF_CARDS
from rules_replay.log import IrregularityCode
from rules_replay.rulebook import OUTCOMES

NEVER: Final = 2**31 - 1
"""A seq later than any event: the place of what never happened."""
NOT: Final = -1
"""No event, no box, no bet, no amount: what was not recorded or does not exist."""

WAGER: Final = 0
NO_MORE_BETS: Final = 1
DEAL: Final = 2
BURN: Final = 3
SURRENDER: Final = 4
SPLIT: Final = 5
ASSIGN: Final = 6
DOUBLE: Final = 7
STAND: Final = 8
FORFEIT: Final = 9
PRESS: Final = 10
CUT_CARD: Final = 11
VOID: Final = 12
IRREGULARITY: Final = 13
WITHDRAW: Final = 14
SETTLE: Final = 15
"""Kinds of event, as `rules_replay.log.EVENT_KINDS`."""

DRAW: Final = 20
FOREIGN: Final = 21
UNREADABLE: Final = 22
"""Kinds of act that are no events: a card after the initial deal, and two kinds of odd card."""

MAIN: Final = 0
SPLIT_BET: Final = 1
DOUBLE_BET: Final = 2
INSURANCE: Final = 3
PERFECT_PAIRS: Final = 4
PAIR: Final = 5
PANDEMONIUM: Final = 6
"""Kinds of wager, as `rules_replay.log.WagerKind`; from `PERFECT_PAIRS` on they are side wagers."""

WIN: Final = 0
LOSE: Final = 1
STAND_OFF: Final = 2
SURRENDERED: Final = 3
FORFEITED: Final = 4
RETURNED: Final = 5
VOIDED: Final = 6
"""Results, as `rules_replay.log.Result`."""

STAKE: Final = 0
SUPER_BONUS: Final = 1
BONUS: Final = 2
"""Settlement lines, as `rules_replay.log.Line`."""

OF_ROUND: Final = 0
OF_HAND: Final = 1
OF_WAGER: Final = 2
"""Scopes of a void."""

EXPOSED_CARD: Final = 0
CARD_BURNED_IN_ERROR: Final = 1
MISSED_FIRST_CARD: Final = 2
SHORT_HAND: Final = 3
SUPERFLUOUS_HAND: Final = 4
ABSENT_PLAYER: Final = 5
SHOE_EXHAUSTED: Final = 6
RECONSTRUCTED: Final = 7
OPTION_NOT_OFFERED: Final = 8
OTHER: Final = 9
"""Irregularities, as `rules_replay.log.IrregularityCode`."""

MISDEALT: Final = sum(
    1 << number for number, code in enumerate(get_args(IrregularityCode)) if code in _OF_CARDS
)
"""Those of the cards, a bit each, as `rules_replay.log.MISDEALT`."""

DECISIONS: Final = 0
SETTLE_ORDER: Final = 1
BURNS: Final = 2
CUT_CARDS: Final = 3
A_READABLE_CARD: Final = 4
THE_WHOLE_SHOE: Final = 5
THE_REST: Final = 6
WHAT_FIXES_THE_OUTCOME: Final = 7
THE_MINIMUM: Final = 8
THE_MAXIMUM: Final = 9
THE_SIGN: Final = 10
THE_SMALLEST_CHIP: Final = 11
THE_CALL: Final = 12
"""What a check may lack; the first four are `rules_replay.log.FACTS`, a bit each in a round."""
LACKED: Final = 13
"""How much that is."""

MANUAL: Final = 0
AUTOMATIC: Final = 1
CONTINUOUS: Final = 2
"""Shufflers, as `rules_replay.log.Shuffler`."""

BREACH: Final = 0
PROCEDURE: Final = 1
AMBIGUOUS: Final = 2
INDETERMINATE: Final = 3
NOTICE: Final = 4
"""Severities, as `rules_replay.severity.SEVERITIES`."""

AS_REQUIRED: Final = 0
AS_DEALT: Final = 1

NORMAL: Final = 0
SILENT_ON: Final = 1
NONE_OF: Final = 2
"""What a rulebook says on a check: a clause, nothing, or that it does not apply."""

PLACE_VOID: Final = 0
PLACE_FORFEITED: Final = 1
PLACE_SURRENDERED: Final = 2
PLACE_PONTOON: Final = 3
PLACE_TWENTY_ONE: Final = 4
PLACE_BUST: Final = 5
PLACE_LIVE: Final = 6
PLACE_SHORT: Final = 7
PLACE_UNKNOWN: Final = 8
"""Where a bet on a hand stands before the dealer plays."""

FAMILY_HAND: Final = 0
FAMILY_DOUBLE: Final = 1
FAMILY_SURRENDER: Final = 2
FAMILY_FORFEIT: Final = 3
FAMILY_VOID: Final = 4
FAMILY_INSURANCE: Final = 5
FAMILY_PAIRS: Final = 6
FAMILY_JACKPOT: Final = 7
"""Which group of settle codes a difference falls under."""

ACE: Final = 0
SEVEN: Final = 6
JACK: Final = 9
KING: Final = 11
TEN: Final = 12
"""Ranks: a card is four times its rank plus its suit (spades, hearts, diamonds, clubs)."""
CARDS_OF_A_DECK: Final = 48
JOKER_CARD: Final = 52
UNREADABLE_CARD: Final = 53

_CHECKS: Final = {code: number for number, code in enumerate(catalogue())}
_OUTCOMES: Final = {name: number for number, name in enumerate(OUTCOMES)}

RECORD_UNREADABLE_CARD: Final = _CHECKS["record.unreadable-card"]
RECORD_INCOMPLETE: Final = _CHECKS["record.incomplete"]
RULEBOOK_NONE_IN_FORCE: Final = _CHECKS["rulebook.none-in-force"]
RULEBOOK_MISMATCH: Final = _CHECKS["rulebook.mismatch"]
DECK_FOREIGN_CARD: Final = _CHECKS["deck.foreign-card"]
DECK_COUNT_RANGE: Final = _CHECKS["deck.count-range"]
DECK_COMPOSITION: Final = _CHECKS["deck.composition"]
DEAL_ORDER: Final = _CHECKS["deal.order"]
DEAL_MISSING_CARD: Final = _CHECKS["deal.missing-card"]
DEAL_SUPERFLUOUS_HAND: Final = _CHECKS["deal.superfluous-hand"]
DEAL_TURN_ORDER: Final = _CHECKS["deal.turn-order"]
WAGER_LATE: Final = _CHECKS["wager.late"]
WAGER_BELOW_MIN: Final = _CHECKS["wager.below-min"]
WAGER_ABOVE_MAX: Final = _CHECKS["wager.above-max"]
WAGER_MULTIPLES: Final = _CHECKS["wager.multiples"]
WAGER_PLAYERS_PER_BOX: Final = _CHECKS["wager.players-per-box"]
WAGER_BOX_TOTAL: Final = _CHECKS["wager.box-total"]
SIDE_BET_NOT_OFFERED: Final = _CHECKS["side-bet.not-offered"]
SIDE_BET_WITHOUT_MAIN: Final = _CHECKS["side-bet.without-main"]
SIDE_BET_TOO_MANY: Final = _CHECKS["side-bet.too-many"]
INSURANCE_NO_ACE: Final = _CHECKS["insurance.no-ace"]
INSURANCE_OVER_HALF: Final = _CHECKS["insurance.over-half"]
INSURANCE_PONTOON_HOLDER: Final = _CHECKS["insurance.pontoon-holder"]
INSURANCE_LATE: Final = _CHECKS["insurance.late"]
INSURANCE_INCREMENT: Final = _CHECKS["insurance.increment"]
INSURANCE_THIRD_PARTY: Final = _CHECKS["insurance.third-party"]
INTERIM_PONTOON_UNPAID: Final = _CHECKS["interim.pontoon-unpaid"]
INTERIM_TWENTY_ONE_UNPAID: Final = _CHECKS["interim.twenty-one-unpaid"]
SURRENDER_UPCARD: Final = _CHECKS["surrender.upcard"]
SURRENDER_TIMING: Final = _CHECKS["surrender.timing"]
SURRENDER_AFTER_SPLIT: Final = _CHECKS["surrender.after-split"]
SURRENDER_ALL_PLAYERS: Final = _CHECKS["surrender.all-players"]
SPLIT_UNEQUAL_VALUE: Final = _CHECKS["split.unequal-value"]
SPLIT_TOO_MANY_HANDS: Final = _CHECKS["split.too-many-hands"]
SPLIT_ACES_RESPLIT: Final = _CHECKS["split.aces-resplit"]
SPLIT_ACES_EXTRA_CARD: Final = _CHECKS["split.aces-extra-card"]
SPLIT_STAKE: Final = _CHECKS["split.stake"]
SPLIT_NOT_CONTROLLER: Final = _CHECKS["split.not-controller"]
SPLIT_DECLINED: Final = _CHECKS["split.declined"]
DOUBLE_HAND: Final = _CHECKS["double.hand"]
DOUBLE_STAKE: Final = _CHECKS["double.stake"]
DOUBLE_ONE_CARD: Final = _CHECKS["double.one-card"]
DOUBLE_NOT_CONTROLLER: Final = _CHECKS["double.not-controller"]
FORFEIT_ELIGIBILITY: Final = _CHECKS["forfeit.eligibility"]
DRAW_BELOW_12: Final = _CHECKS["draw.below-12"]
DRAW_ON_21: Final = _CHECKS["draw.on-21"]
DRAW_AFTER_BUST: Final = _CHECKS["draw.after-bust"]
DRAW_AFTER_STAND: Final = _CHECKS["draw.after-stand"]
DEALER_UNDER_DRAW: Final = _CHECKS["dealer.under-draw"]
DEALER_OVER_DRAW: Final = _CHECKS["dealer.over-draw"]
DEALER_EARLY_SECOND_CARD: Final = _CHECKS["dealer.early-second-card"]
DEALER_NEEDLESS_DRAW: Final = _CHECKS["dealer.needless-draw"]
SETTLE_MISSING: Final = _CHECKS["settle.missing"]
SETTLE_OUTCOME: Final = _CHECKS["settle.outcome"]
SETTLE_ODDS: Final = _CHECKS["settle.odds"]
SETTLE_TAKEN: Final = _CHECKS["settle.taken"]
SETTLE_SURRENDER: Final = _CHECKS["settle.surrender"]
SETTLE_DOUBLE: Final = _CHECKS["settle.double"]
SETTLE_FORFEIT: Final = _CHECKS["settle.forfeit"]
SETTLE_INSURANCE: Final = _CHECKS["settle.insurance"]
SETTLE_PAIRS: Final = _CHECKS["settle.pairs"]
SETTLE_JACKPOT: Final = _CHECKS["settle.jackpot"]
SETTLE_VOID: Final = _CHECKS["settle.void"]
SETTLE_ATTRIBUTION: Final = _CHECKS["settle.attribution"]
SETTLE_LABEL: Final = _CHECKS["settle.label"]
BONUS_SUPER: Final = _CHECKS["bonus.super"]
BONUS_OTHER_WAGERS: Final = _CHECKS["bonus.other-wagers"]
JACKPOT_MULTIPLIER: Final = _CHECKS["jackpot.multiplier"]
JACKPOT_PRESS: Final = _CHECKS["jackpot.press"]
SHOE_SHUFFLE_DUE: Final = _CHECKS["shoe.shuffle-due"]
SHOE_ROUND_GAP: Final = _CHECKS["shoe.round-gap"]
IRREGULARITY_REPORTED: Final = _CHECKS["irregularity.reported"]
WAGER_SECOND_MAIN: Final = _CHECKS["wager.second-main"]
SIDE_BET_SETTLED_LATE: Final = _CHECKS["side-bet.settled-late"]
SPLIT_MORE_THAN_TWO_CARDS: Final = _CHECKS["split.more-than-two-cards"]
SPLIT_LATER_HAND: Final = _CHECKS["split.later-hand"]
WAGER_WITHDRAWN: Final = _CHECKS["wager.withdrawn"]
INTERIM_BUST_UNCOLLECTED: Final = _CHECKS["interim.bust-uncollected"]
INSURANCE_LOST_UNCOLLECTED: Final = _CHECKS["insurance.lost-uncollected"]
INSURANCE_WON_PAID_EARLY: Final = _CHECKS["insurance.won-paid-early"]
SURRENDER_BEFORE_INTERIM: Final = _CHECKS["surrender.before-interim"]
SURRENDER_HALF_EARLY: Final = _CHECKS["surrender.half-early"]
SPLIT_ASSIGN_LATE: Final = _CHECKS["split.assign-late"]
JACKPOT_PRESS_ORDER: Final = _CHECKS["jackpot.press-order"]
DEAL_LATE_CALL: Final = _CHECKS["deal.late-call"]
DEAL_BOX_RANGE: Final = _CHECKS["deal.box-range"]
DECK_COUNT_CHANGED: Final = _CHECKS["deck.count-changed"]
SHOE_CONTINUOUS_SHUFFLER: Final = _CHECKS["shoe.continuous-shuffler"]
SHOE_CUT_CARD_UNUSED: Final = _CHECKS["shoe.cut-card-unused"]
SHOE_CUT_POSITION: Final = _CHECKS["shoe.cut-position"]
SHOE_LAST_ROUNDS: Final = _CHECKS["shoe.last-rounds"]
WAGER_BELOW_MIN_AGAIN: Final = _CHECKS["wager.below-min-again"]
IRREGULARITY_UNRESOLVED: Final = _CHECKS["irregularity.unresolved"]
IRREGULARITY_ABSENT_PLAYER: Final = _CHECKS["irregularity.absent-player"]
IRREGULARITY_SUPERFLUOUS_UNBURNED: Final = _CHECKS["irregularity.superfluous-unburned"]
IRREGULARITY_SHORT_HAND: Final = _CHECKS["irregularity.short-hand"]
SHOE_BURN_UNEXPLAINED: Final = _CHECKS["shoe.burn-unexplained"]
SHOE_CUT_CARD_MISSING: Final = _CHECKS["shoe.cut-card-missing"]
SPLIT_LATE: Final = _CHECKS["split.late"]
DOUBLE_LATE: Final = _CHECKS["double.late"]
DEAL_BURNED_OFF: Final = _CHECKS["deal.burned-off"]
"""Checks, by place in the catalogue."""

ON_WIN_DEALER_BUST: Final = _OUTCOMES["win_dealer_bust"]
ON_WIN_HIGHER: Final = _OUTCOMES["win_higher"]
ON_WIN_PONTOON: Final = _OUTCOMES["win_pontoon"]
ON_WIN_21: Final = _OUTCOMES["win_21"]
ON_LOSE_BUST: Final = _OUTCOMES["lose_bust"]
ON_LOSE_LOWER: Final = _OUTCOMES["lose_lower"]
ON_LOSE_DEALER_PONTOON: Final = _OUTCOMES["lose_dealer_pontoon"]
ON_STAND_OFF: Final = _OUTCOMES["stand_off"]
ON_SURRENDER_HALF: Final = _OUTCOMES["surrender_half"]
ON_SURRENDER_ANNULLED: Final = _OUTCOMES["surrender_annulled"]
ON_FORFEIT: Final = _OUTCOMES["forfeit"]
ON_DOUBLED_ODDS: Final = _OUTCOMES["doubled_odds"]
ON_DOUBLED_DEALER_PONTOON: Final = _OUTCOMES["doubled_dealer_pontoon"]
ON_SPLIT_DEALER_PONTOON: Final = _OUTCOMES["split_dealer_pontoon"]
ON_CO_WAGERER_ODDS: Final = _OUTCOMES["co_wagerer_odds"]
ON_INSURANCE_WIN: Final = _OUTCOMES["insurance_win"]
ON_INSURANCE_LOSE: Final = _OUTCOMES["insurance_lose"]
ON_PAIRS_WIN: Final = _OUTCOMES["pairs_win"]
ON_PAIRS_LOSE: Final = _OUTCOMES["pairs_lose"]
ON_JACKPOT_WIN: Final = _OUTCOMES["jackpot_win"]
ON_JACKPOT_LOSE: Final = _OUTCOMES["jackpot_lose"]
ON_SUPER_BONUS: Final = _OUTCOMES["super_bonus"]
ON_OTHER_BONUS: Final = _OUTCOMES["other_bonus"]
ON_VOID_ROUND: Final = _OUTCOMES["void_round"]
ON_VOID_HAND: Final = _OUTCOMES["void_hand"]
ON_VOID_WAGER: Final = _OUTCOMES["void_wager"]
ON_OVER_MAXIMUM: Final = _OUTCOMES["over_maximum"]
ON_PAYOUT_PONTOON: Final = _OUTCOMES["payout_pontoon"]
ON_PAYOUT_FIVE: Final = _OUTCOMES["payout_five"]
ON_PAYOUT_SIX: Final = _OUTCOMES["payout_six"]
ON_PAYOUT_SEVEN: Final = _OUTCOMES["payout_seven"]
ON_PAYOUT_678_MIXED: Final = _OUTCOMES["payout_678_mixed"]
ON_PAYOUT_678_SUITED: Final = _OUTCOMES["payout_678_suited"]
ON_PAYOUT_678_SPADES: Final = _OUTCOMES["payout_678_spades"]
ON_PAYOUT_777_MIXED: Final = _OUTCOMES["payout_777_mixed"]
ON_PAYOUT_777_SUITED: Final = _OUTCOMES["payout_777_suited"]
ON_PAYOUT_777_SPADES: Final = _OUTCOMES["payout_777_spades"]
ON_PAYOUT_OTHER: Final = _OUTCOMES["payout_other"]
ON_DEALER_DRAW: Final = _OUTCOMES["dealer_draw"]
ON_DEALER_NO_EFFECT: Final = _OUTCOMES["dealer_no_effect"]
ON_INTERIM_PONTOON: Final = _OUTCOMES["interim_pontoon"]
ON_INTERIM_21: Final = _OUTCOMES["interim_21"]
ON_ACE_IN_DOUBLE: Final = _OUTCOMES["ace_in_double"]
ON_SPLIT_21_NOT_PONTOON: Final = _OUTCOMES["split_21_not_pontoon"]
ON_SHORT_DEALER_BUST: Final = _OUTCOMES["short_dealer_bust"]
ON_SHORT_STANDS_OFF: Final = _OUTCOMES["short_stands_off"]
ON_SHORT_OPEN: Final = _OUTCOMES["short_open"]
ON_SPLIT_CARD: Final = _OUTCOMES["split_card"]
"""Outcomes that a rulebook has a clause for, by place in `rules_replay.rulebook.OUTCOMES`."""
