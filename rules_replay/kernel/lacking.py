"""What may leave a check open, a bit each, and which checks it leaves open.

Who asks for what is missing goes from the lowest bit up.
"""

from __future__ import annotations

from typing import Final

from rules_replay.kernel.codes import (
    FAMILY_DOUBLE,
    FAMILY_FORFEIT,
    FAMILY_HAND,
    FAMILY_INSURANCE,
    FAMILY_JACKPOT,
    FAMILY_PAIRS,
    FAMILY_SURRENDER,
)

CARD_UNREAD: Final = 1 << 0
FIRST_CARD_UNREAD: Final = 1 << 1
PLAYERS_CARD_UNREAD: Final = 1 << 2
"""A card dealt, the dealer's first, one of a player's that could not be read."""
FIRST_CARD_UNREAD_AT_SURRENDER: Final = 1 << 3
CARD_UNREAD_OF_SURRENDER: Final = 1 << 4
"""The same of the last two where somebody surrendered."""
NO_DECISIONS: Final = 1 << 5
NO_SURRENDER_SEEN: Final = 1 << 6
"""Decisions are not captured; nor was any wager settled as surrendered."""
NO_CALL: Final = 1 << 7
BREAKS_OFF: Final = 1 << 8
DEAL_BREAKS_OFF: Final = 1 << 9
"""The record stops before the wagers are decided; within the initial deal."""
NO_MINIMUM: Final = 1 << 10
NO_MAIN_MINIMUM: Final = 1 << 11
NO_MAXIMUM: Final = 1 << 12
NO_SIGN: Final = 1 << 13
NO_CHIP: Final = 1 << 14
"""What is not known of the sign: the least or greatest of some wager, the least main wager, anything; and
of the chips the smallest."""
NOT_FIXED: Final = 1 << 15
"""A wager that cannot be held against its due, one bit up for each number of a family."""
BONUS_NOT_FIXED: Final = 1 << 23
UNDER_DRAW_OPEN: Final = 1 << 24
DRAW_UNSEEN: Final = 1 << 25
NEEDLESS_DRAW_OPEN: Final = 1 << 26
DRAW_UNREAD: Final = 1 << 27
"""Whether the dealer lacks a card, what he drew at all, whether he drew one for nothing, what he drew to."""
CUT_UNSEEN: Final = 1 << 28
"""In some round of the shoe the cutting card would not have been recorded."""
NO_DECISIONS_AT_BURN: Final = 1 << 29
"""Decisions are not captured, and a card was burned off a hand."""

BITS: Final = 30
"""How many there are."""

_READABLE: Final = {
    CARD_UNREAD: ("deck.foreign-card", "deck.composition"),
    FIRST_CARD_UNREAD: ("insurance.no-ace",),
    FIRST_CARD_UNREAD_AT_SURRENDER: ("surrender.upcard",),
    CARD_UNREAD_OF_SURRENDER: ("surrender.timing", "surrender.before-interim"),
    PLAYERS_CARD_UNREAD: (
        "insurance.pontoon-holder",
        "interim.pontoon-unpaid",
        "interim.twenty-one-unpaid",
        "interim.bust-uncollected",
        "split.unequal-value",
        "split.aces-resplit",
        "split.aces-extra-card",
        "split.declined",
        "double.hand",
        "forfeit.eligibility",
        "draw.below-12",
        "draw.on-21",
        "draw.after-bust",
        "jackpot.multiplier",
        "jackpot.press",
        "irregularity.absent-player",
    ),
}
_WRITTEN_DOWN: Final = {
    NO_DECISIONS: ("surrender.before-interim", "jackpot.multiplier", "irregularity.absent-player"),
    NO_DECISIONS_AT_BURN: ("deal.burned-off",),
    NO_SURRENDER_SEEN: ("surrender.half-early", "settle.surrender"),
    NO_CALL: ("deal.late-call",),
    BREAKS_OFF: (
        "interim.pontoon-unpaid",
        "interim.twenty-one-unpaid",
        "interim.bust-uncollected",
        "insurance.lost-uncollected",
        "insurance.won-paid-early",
        "surrender.half-early",
        "double.one-card",
        "draw.below-12",
        "dealer.under-draw",
        "dealer.over-draw",
        "dealer.early-second-card",
        "dealer.needless-draw",
        "settle.missing",
        "bonus.super",
        "bonus.other-wagers",
        "jackpot.press",
        "side-bet.settled-late",
    ),
    DEAL_BREAKS_OFF: ("deal.missing-card",),
    NO_MINIMUM: ("wager.below-min",),
    NO_MAIN_MINIMUM: ("wager.below-min-again",),
    NO_MAXIMUM: ("wager.above-max",),
    NO_SIGN: ("wager.multiples", "wager.box-total"),
    NO_CHIP: ("insurance.increment",),
}
_FAMILIES: Final = {
    FAMILY_HAND: ("settle.outcome", "settle.odds", "settle.taken"),
    FAMILY_DOUBLE: ("settle.double",),
    FAMILY_SURRENDER: ("settle.surrender",),
    FAMILY_FORFEIT: ("settle.forfeit",),
    FAMILY_INSURANCE: ("settle.insurance", "insurance.lost-uncollected", "insurance.won-paid-early"),
    FAMILY_PAIRS: ("settle.pairs",),
    FAMILY_JACKPOT: ("settle.jackpot",),
}
_FIXED: Final = {
    **{
        NOT_FIXED << family: (*codes, "settle.attribution", "settle.label")
        for family, codes in _FAMILIES.items()
    },
    BONUS_NOT_FIXED: ("bonus.super", "bonus.other-wagers"),
    UNDER_DRAW_OPEN: ("dealer.under-draw",),
    DRAW_UNSEEN: ("dealer.under-draw", "dealer.over-draw", "dealer.needless-draw"),
    NEEDLESS_DRAW_OPEN: ("dealer.needless-draw",),
    DRAW_UNREAD: ("dealer.under-draw", "dealer.over-draw"),
    CUT_UNSEEN: ("shoe.shuffle-due",),
}
LEAVES_OPEN: Final = {**_READABLE, **_WRITTEN_DOWN, **_FIXED}
"""The codes of the checks that each leaves open."""


def leave_open(code: str) -> int:
    """All that leaves a check open."""
    return sum(lacking for lacking, codes in LEAVES_OPEN.items() if code in codes)
