"""What a round lacks that a check turns on, beside the facts that its recorder does not capture.

A card that nobody could read, a record that breaks off, a sign that is not recorded, a wager that the log
cannot fix: each leaves some checks open, and a check left open is neither passed nor failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from rules_replay.engine.bonus import Bonuses
from rules_replay.engine.dealer import DealerHand, Needs, early_card_left
from rules_replay.engine.dealers_cards import late_first_card, must_draw
from rules_replay.engine.payout import limit_of
from rules_replay.engine.pieces import NEVER
from rules_replay.engine.table import Table
from rules_replay.engine.terms import Due
from rules_replay.log import Limits

Lack: TypeAlias = tuple[str, tuple[str, ...]]
"""What is missing, and the codes of the checks that it leaves open."""

READABLE_CARD = "a readable card"
REST = "the rest of the round"
OUTCOME = "what fixes the outcome"
MINIMUM = "the minimum on the sign"
MAXIMUM = "the maximum on the sign"

_ON_PLAYERS_CARDS = (
    *("draw.below-12", "draw.on-21", "draw.after-bust", "double.hand", "forfeit.eligibility"),
    *("split.unequal-value", "split.aces-resplit", "split.aces-extra-card", "split.declined"),
    *("interim.pontoon-unpaid", "interim.twenty-one-unpaid", "interim.bust-uncollected"),
    *("insurance.pontoon-holder", "jackpot.press", "jackpot.multiplier", "irregularity.absent-player"),
)
_ON_DECISIONS = ("surrender.before-interim", "jackpot.multiplier", "irregularity.absent-player")
_ON_THE_END = (
    *("settle.missing", "bonus.super", "bonus.other-wagers", "draw.below-12", "double.one-card"),
    *("dealer.under-draw", "dealer.over-draw", "dealer.early-second-card", "dealer.needless-draw"),
    *("interim.pontoon-unpaid", "interim.twenty-one-unpaid", "interim.bust-uncollected"),
    *("insurance.lost-uncollected", "insurance.won-paid-early", "surrender.half-early"),
    *("side-bet.settled-late", "jackpot.press"),
)
"""Checks of what a hand was left on, of the dealer's hand, of what was settled and when."""
_OF_FAMILY = {
    "hand": ("settle.outcome", "settle.odds", "settle.taken"),
    "double": ("settle.double",),
    "surrender": ("settle.surrender",),
    "forfeit": ("settle.forfeit",),
    "insurance": ("settle.insurance", "insurance.lost-uncollected", "insurance.won-paid-early"),
    "pairs": ("settle.pairs",),
    "jackpot": ("settle.jackpot",),
}
_OF_ANY_FAMILY = ("settle.attribution", "settle.label")


def left_open(
    table: Table, needs: Needs, dealer: DealerHand, dues: Mapping[str, Due], paid: Bonuses, incomplete: bool
) -> dict[str, str]:
    """Checks that the round cannot support, by code, with the first thing that each lacks."""
    found: dict[str, str] = {}
    for missing, codes in (
        *_unread(table),
        *_not_captured(table, dues),
        *_breaking_off(table, incomplete),
        *_not_on_the_sign(table),
        *_not_fixed(table, needs, dealer, dues, paid, incomplete),
    ):
        for code in codes:
            found.setdefault(code, missing)
    return found


def _unread(table: Table) -> Iterator[Lack]:
    if not table.unreadable:
        return
    yield READABLE_CARD, ("deck.foreign-card", "deck.composition")
    if table.upcard is not None and not table.upcard.readable:
        yield READABLE_CARD, ("insurance.no-ace", *(["surrender.upcard"] if table.surrenders else []))
    if any(box for _, box, _ in table.unreadable):
        yield READABLE_CARD, _ON_PLAYERS_CARDS
        if table.surrenders:
            yield READABLE_CARD, ("surrender.timing", "surrender.before-interim")


def _not_captured(table: Table, dues: Mapping[str, Due]) -> Iterator[Lack]:
    """A surrender settled as one is seen without the decision (ruling 15)."""
    if "decisions" not in table.facts:
        yield "decisions", _ON_DECISIONS
        if table.removals:
            yield "decisions", ("deal.burned-off",)
        if all(due.family != "surrender" for due in dues.values()):
            yield "decisions", ("surrender.half-early", "settle.surrender")
    if table.no_more_bets_at == NEVER:
        yield "the call of no more bets", ("deal.late-call",)


def _breaking_off(table: Table, incomplete: bool) -> Iterator[Lack]:
    if incomplete:
        yield REST, _ON_THE_END
        if table.initial_closed_at == NEVER:
            yield REST, ("deal.missing-card",)


def _not_on_the_sign(table: Table) -> Iterator[Lack]:
    """A sign shows a least and a greatest wager (act-2018 3.1 18.7, nz-2000 15.6, adelaide-2008 13 94).

    That multiples or a box maximum are posted on it is not said (adelaide-2008 13, nz-2000 15.2).
    """
    none = Limits()
    sign = table.round.limits or none
    mains = [bet for box in table.boxes.values() for bet in box.mains]
    if (mains and sign.min is None) or (table.side_bets and sign.side_min is None):
        yield MINIMUM, ("wager.below-min",)
    if mains and sign.min is None:
        yield MINIMUM, ("wager.below-min-again",)
    if (table.side_bets and sign.side_max is None) or any(limit_of(table, bet) is None for bet in mains):
        yield MAXIMUM, ("wager.above-max",)
    if sign == none:
        yield "the sign", ("wager.multiples", "wager.box-total")
    if not sign.smallest_chip:
        yield "the smallest chip", ("insurance.increment",)


def _not_fixed(
    table: Table, needs: Needs, dealer: DealerHand, dues: Mapping[str, Due], paid: Bonuses, incomplete: bool
) -> Iterator[Lack]:
    """What the log leaves open of the wagers and of the dealer's draw."""
    missing = READABLE_CARD if table.unreadable else REST if incomplete else OUTCOME
    for family in {due.family for due in dues.values() if _cannot_be_held(due, incomplete)}:
        yield missing, (*_OF_FAMILY[family], *_OF_ANY_FAMILY)
    if paid.unknown:
        yield missing, ("bonus.super", "bonus.other-wagers")
    yield missing, tuple(_of_the_draw(table, needs, dealer))


def _cannot_be_held(due: Due, incomplete: bool) -> bool:
    """A settlement whose due is not known, or one that is still to come."""
    if due.bet.recorded is None:
        return incomplete and due.family != "void"
    return due.expected is None and not due.acceptable


def _of_the_draw(table: Table, needs: Needs, dealer: DealerHand) -> Iterator[str]:
    """Checks of the dealer's draw that his own hand, or those of the players, leave open."""
    count = len(table.dealer.cards)
    foreign = any(each.foreign for each in table.dealer.faces)
    lacking = table.dealer.lacks_initial_card and not late_first_card(table)
    if foreign or lacking or early_card_left(table) or table.dealer in table.disturbed:
        yield from ("dealer.under-draw", "dealer.over-draw", "dealer.needless-draw")
        return
    if any(not each.readable for each in dealer.cards):
        yield from ("dealer.under-draw", "dealer.over-draw")
    goes_on = len(dealer.cards) < 2 or must_draw(dealer.total)
    if needs.total == "open" and goes_on and dealer.finished:
        yield "dealer.under-draw"
    second = needs.second == "open" and table.book.reads("dealer_second_card_idle") == "forbidden"
    third = needs.total == "open" and table.book.reads("dealer_plays_on_idle") == "forbidden"
    if (second and count >= 2) or (third and count >= 3):
        yield "dealer.needless-draw"
