"""A night with causes planted in it: one slip repeated, at a table, by a dealer, or everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import msgspec

from data_samples.croupier import Faults, deal_night
from data_samples.settle import settle_event
from data_samples.write import NIGHTS_LABELS
from rules_replay.cards import card, total
from rules_replay.engine import replay_round
from rules_replay.log import Amount, AnyEvent, Deal, Round, Settle
from rules_replay.results import Money
from rules_replay.rulebook import load_rulebook
from tests.rounds import settled

BOOK = "act-2018"
Spoiling: TypeAlias = Callable[[Round], Round]


def dealt(seed: int, rounds: int, *, rate: float = 0.0) -> list[Round]:
    """A night of four tables, with slips that have nothing to do with one another at a rate."""
    faults: Faults = "realistic" if rate else "none"
    night = deal_night(BOOK, seed, rounds, faults=faults, rate=rate, tables=4, labels=NIGHTS_LABELS)
    return [round_ for round_, _ in night]


def spoiled(rounds: Iterable[Round], where: Callable[[Round], bool], how: Spoiling) -> list[Round]:
    """The rounds, those chosen each spoiled in one way."""
    return [how(each) if where(each) else each for each in rounds]


def wrong_button(round_: Round) -> Round:
    """Every win at 3 to 2 is paid 1 to 1, as an odds button set wrongly would have it."""
    rows = {
        (row.wager, row.line): row.effective_stake
        for row in replay_round(round_, load_rulebook(BOOK)).settlements
        if row.odds == "3:2" and row.kind in ("main", "split")
    }
    events = tuple(
        settle_event(event.wager, event.line, Money(result="win", paid=rows[event.wager, event.line]))
        if isinstance(event, Settle) and (event.wager, event.line) in rows
        else event
        for event in round_.events
    )
    return msgspec.structs.replace(round_, events=events)


def wrong_sign(round_: Round) -> Round:
    """The sign in the log has a quarter of the maximum that the table plays by."""
    limits = round_.limits
    assert limits is not None
    assert limits.max is not None
    fewer = msgspec.structs.replace(limits, max=Amount(limits.max // 4), box_max=None)
    return msgspec.structs.replace(round_, limits=fewer)


def stands_on_soft_17(round_: Round) -> Round:
    """The dealer stops at soft 17 where the rules have him draw, and settles by that."""
    cut = _stopped(round_.events, 17)
    if cut is None:
        return round_
    kept = tuple(
        event
        for seq, event in enumerate(round_.events)
        if not isinstance(event, Settle) and not (seq > cut and isinstance(event, Deal) and event.box == 0)
    )
    return settled(msgspec.structs.replace(round_, events=kept), load_rulebook(BOOK))


def keeps_a_card(round_: Round) -> Round:
    """The dealer takes a card on hard 17 and does not burn it; wagers are settled as without it."""
    own = [
        (seq, event) for seq, event in enumerate(round_.events) if isinstance(event, Deal) and event.box == 0
    ]
    hand = total(card(event.card) for _, event in own)
    if len(own) < 2 or hand.soft or hand.points != 17:
        return round_
    last, _ = own[-1]
    events = (*round_.events[: last + 1], Deal(box=0, card=own[0][1].card), *round_.events[last + 1 :])
    return msgspec.structs.replace(round_, events=events)


def _stopped(events: Sequence[AnyEvent], points: int) -> int | None:
    """The event of the dealer's card that made a soft total on which another followed."""
    cards = []
    made = None
    for seq, event in enumerate(events):
        if isinstance(event, Deal) and event.box == 0:
            if made is not None:
                return made
            cards.append(card(event.card))
            hand = total(cards)
            if len(cards) > 1 and hand.soft and hand.points == points:
                made = seq
    return None
