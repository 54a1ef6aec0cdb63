"""What a fault is, and what it may look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import ClassVar

import msgspec

from data_samples.faults.scenes import has_side
from data_samples.law import Law
from data_samples.plan import Expected, Plan
from data_samples.settle import settle_event
from data_samples.state import Draft
from rules_replay.log import AnyEvent, Round, Settle, Surrender
from rules_replay.results import HandRow, Money, RoundReplay, SettlementRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A round played and settled as required, for a fault to spoil."""

    round: Round
    replay: RoundReplay
    law: Law
    plan: Plan
    rng: Random

    def rows(self, wanted: Callable[[SettlementRow], bool]) -> list[SettlementRow]:
        """Settlements that are fixed by the rules and fit."""
        return [row for row in self.replay.settlements if row.expected is not None and wanted(row)]

    def pick(self, wanted: Callable[[SettlementRow], bool]) -> SettlementRow | None:
        """One of them at random, or None."""
        rows = self.rows(wanted)
        return self.rng.choice(rows) if rows else None

    def hand(self, row: SettlementRow) -> HandRow:
        """The hand that a wager rides on."""
        return next(h for h in self.replay.hands if (h.box, h.hand) == (row.box, row.hand))

    @property
    def dealer(self) -> HandRow:
        return next(hand for hand in self.replay.hands if hand.box == 0)

    @property
    def dealer_pontoon(self) -> bool:
        return len(self.dealer.cards) == 2 and self.dealer.total == 21

    def surrendered(self, row: SettlementRow) -> bool:
        """True for a wager that was surrendered, whatever became of it."""
        return row.kind in ("main", "split") and any(
            (event.box, event.hand) == (row.box, row.hand) and event.wager in (None, row.wager)
            for event in self.round.events
            if isinstance(event, Surrender)
        )

    def bare(self, row: SettlementRow) -> bool:
        """True for a main or split wager on a hand that nobody doubled or gave up."""
        return (
            row.line == "stake"
            and row.kind in ("main", "split")
            and not self.hand(row).doubled
            and not self.surrendered(row)
            and expected(row).result in ("win", "lose", "stand_off", "returned")
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoiled:
    """A round with a fault in it and the findings it must lead to."""

    round: Round
    expected: tuple[Expected, ...]


class Fault:
    """One kind of mistake, with the code under which an audit must find it.

    A fault of play names its cards and decisions in `stage` and is ``scripted``. Any
    other is put into the record before (`rewrite`) or after (`spoil`) it is settled,
    and `stage` only serves to bring about a situation that is rare. ``common`` says how
    often such mistakes are made, from 1 to 10; a realistic night draws by its square.
    """

    label: ClassVar[str]
    code: ClassVar[str]
    scripted: ClassVar[bool] = False
    common: ClassVar[int] = 1
    delays_shuffle: ClassVar[bool] = False

    def possible(self, law: Law) -> bool:
        """Whether the mistake can be made under a rulebook at all."""
        return True

    def stage(self, plan: Plan) -> bool:
        """Stack the shoe and script the play; False where this round has no place for it."""
        return True

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        """Change the record before it is settled; None where it does not fit.

        A scripted fault that needs no change says here what its script must lead to.
        """
        return tuple(plan.script.expected) or None

    def spoil(self, case: Case) -> Spoiled | None:
        """Change the settled record; None where it does not fit."""
        return None


class Looked(Fault):
    """A fault that only matters where the rulebook has something to say on it."""

    def possible(self, law: Law) -> bool:
        return self.code in law.checks


class OnPairs(Fault):
    """A fault that needs a pairs wager."""

    def possible(self, law: Law) -> bool:
        return bool(law.side_kinds)

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        return any(has_side(plan, kind, box) for kind in ("perfect_pairs", "pair"))


class OnJackpot(Fault):
    """A fault that needs a Pandemonium wager beside a Pontoon."""

    def possible(self, law: Law) -> bool:
        return "pandemonium" in law.side_kinds

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "A X")
        return has_side(plan, "pandemonium", box)


def expected(row: SettlementRow) -> Money:
    """What is due on a row that the rules fix."""
    if row.expected is None:
        raise ValueError(f"nothing is fixed for wager {row.wager}")
    return row.expected


def resettle(case: Case, row: SettlementRow, code: str, money: Money) -> Spoiled:
    """Record other money on one line, which is then a finding with its delta."""
    fresh = settle_event(row.wager, row.line, money)
    events = tuple(fresh if _settles(event, row) else event for event in case.round.events)
    found = expecting(row, code, money.net - expected(row).net)
    return Spoiled(round=msgspec.structs.replace(case.round, events=events), expected=(found,))


def drop(case: Case, row: SettlementRow, code: str) -> Spoiled:
    """Leave one settlement line out of the record."""
    events = tuple(event for event in case.round.events if not _settles(event, row))
    found = expecting(row, code, -expected(row).net)
    return Spoiled(round=msgspec.structs.replace(case.round, events=events), expected=(found,))


def add(case: Case, row: SettlementRow, code: str, line: str, paid: int) -> Spoiled:
    """Pay a line that is not due, at the end of the round."""
    extra = settle_event(row.wager, line, Money(result="win", paid=paid))
    events = (*case.round.events, extra)
    found = expecting(row, code, paid)
    return Spoiled(round=msgspec.structs.replace(case.round, events=events), expected=(found,))


def expecting(row: SettlementRow, code: str, delta: int | None) -> Expected:
    """The finding about one wager."""
    return Expected(code=code, box=row.box, hand=row.hand, wager=row.wager, delta=delta)


def settles(event: AnyEvent, wager: str, line: str = "stake") -> bool:
    """True for the settlement of that line of that wager."""
    return isinstance(event, Settle) and (event.wager, event.line) == (wager, line)


def _settles(event: AnyEvent, row: SettlementRow) -> bool:
    return settles(event, row.wager, row.line)
