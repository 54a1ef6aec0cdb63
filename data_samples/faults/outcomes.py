"""Faults of the final settlement: won, lost and tied wrongly, wrong amounts, wrong words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

import msgspec

from data_samples.faults.hands import shape
from data_samples.faults.kinds import (
    Case,
    Fault,
    Spoiled,
    drop,
    expected,
    expecting,
    resettle,
    settles,
)
from data_samples.faults.scenes import accompanied, alone, doubled, drawn, hand
from data_samples.law import Law
from data_samples.plan import Expected, Plan
from data_samples.settle import settle_event
from rules_replay.log import Deal, Void
from rules_replay.results import Money, SettlementRow


class WrongMoney(Fault, ABC):
    """One line of one wager settled with other money than is due."""

    @abstractmethod
    def wanted(self, case: Case, row: SettlementRow) -> bool:
        """Rows that this mistake can be made on."""

    @abstractmethod
    def money(self, case: Case, row: SettlementRow) -> Money:
        """What is recorded instead."""

    def opportunities(self, case: Case) -> list[SettlementRow]:
        """The rows of a round that this mistake can be made on."""
        return case.rows(lambda each: self.wanted(case, each))

    def slip(self, case: Case, row: SettlementRow) -> Spoiled:
        """Make the mistake on one of them."""
        return resettle(case, row, self.code, self.money(case, row))

    def spoil(self, case: Case) -> Spoiled | None:
        rows = self.opportunities(case)
        return self.slip(case, case.rng.choice(rows)) if rows else None


def lost(row: SettlementRow) -> Money:
    """The whole stake collected."""
    return Money(result="lose", taken=row.effective_stake)


def even(row: SettlementRow) -> Money:
    """Paid 1 to 1."""
    return Money(result="win", paid=row.effective_stake)


class TiePaid(WrongMoney):
    """A stand-off is paid as a win."""

    label = "tie-paid"
    code = "settle.outcome"
    common = 8

    def stage(self, plan: Plan) -> bool:
        hand(plan, "X 8", dealer="X 8")
        return True

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return case.bare(row) and expected(row).result == "stand_off"

    def money(self, case: Case, row: SettlementRow) -> Money:
        return even(row)


class TieTaken(TiePaid):
    """A stand-off is collected as a loss."""

    label = "tie-taken"
    common = 5

    def money(self, case: Case, row: SettlementRow) -> Money:
        return lost(row)


class LoserLeft(WrongMoney):
    """A losing wager is left on the table."""

    label = "loser-left"
    code = "settle.taken"
    common = 8

    def stage(self, plan: Plan) -> bool:
        hand(plan, "X 7", dealer="X 9")
        return True

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return case.bare(row) and expected(row).result == "lose"

    def money(self, case: Case, row: SettlementRow) -> Money:
        return Money(result="lose", taken=0)


class LoserShort(LoserLeft):
    """Half of a losing wager is collected."""

    label = "loser-short"
    common = 3

    def money(self, case: Case, row: SettlementRow) -> Money:
        return Money(result="lose", taken=row.effective_stake // 2)


class LoserPaid(LoserLeft):
    """A losing wager is paid."""

    label = "loser-paid"
    code = "settle.outcome"
    common = 4

    def money(self, case: Case, row: SettlementRow) -> Money:
        return even(row)


class WinnerTaken(WrongMoney):
    """A winning wager is collected."""

    label = "winner-taken"
    code = "settle.outcome"
    common = 4

    def stage(self, plan: Plan) -> bool:
        hand(plan, "X 9", dealer="X 7")
        return True

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return case.bare(row) and expected(row).result == "win" and case.hand(row).total < 21

    def money(self, case: Case, row: SettlementRow) -> Money:
        return lost(row)


class WrongOdds(WrongMoney):
    """A win on one row of the pay table is paid at the odds of another."""

    code = "settle.odds"
    shapes: ClassVar[tuple[str, ...]]
    cards: ClassVar[str]
    odds: ClassVar[tuple[int, int]] = (1, 1)

    def stage(self, plan: Plan) -> bool:
        drawn(plan, self.cards, dealer="234569")
        return True

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return (
            case.bare(row)
            and expected(row).result == "win"
            and shape(case.hand(row)) in self.shapes
            and expected(row).paid != self.money(case, row).paid
        )

    def money(self, case: Case, row: SettlementRow) -> Money:
        win, stake = self.odds
        return Money(result="win", paid=row.effective_stake * win // stake)


class PontoonEven(WrongOdds):
    """Pontoon is paid 1 to 1 instead of 3 to 2."""

    label = "pontoon-even"
    common = 6
    shapes = ("pontoon",)
    cards = "A X"


class ManyCardsEven(WrongOdds):
    """A five-card 21 is paid even money."""

    label = "five-card-21-even"
    common = 6
    shapes = ("five",)
    cards = "2 4 3 5 7"


class ManyCardsBust(ManyCardsEven):
    """A five-card 21 is taken for a bust and collected."""

    label = "five-card-21-bust"
    code = "settle.outcome"
    common = 3

    def money(self, case: Case, row: SettlementRow) -> Money:
        return lost(row)


class FourCardsBust(WrongOdds):
    """A four-card 21 is taken for a bust and collected."""

    label = "four-card-21-bust"
    code = "settle.outcome"
    common = 3
    shapes = ("four",)
    cards = "2 4 5 X"

    def money(self, case: Case, row: SettlementRow) -> Money:
        return lost(row)


class SixCardsAsFive(WrongOdds):
    """A six-card 21 is paid 3 to 2 instead of 2 to 1."""

    label = "six-cards-as-five"
    common = 3
    shapes = ("six",)
    cards = "2 3 2 3 4 7"
    odds = (3, 2)


class SevenCardsAsSix(WrongOdds):
    """A 21 of seven or more cards is paid 2 to 1 instead of 3 to 1."""

    label = "seven-cards-as-six"
    common = 2
    shapes = ("seven",)
    cards = "2 2 2 3 3 3 6"
    odds = (2, 1)


class SuitedAsMixed(WrongOdds):
    """A suited 6-7-8 is paid as one of mixed suits."""

    label = "suited-as-mixed"
    common = 3
    shapes = ("678_suited", "777_suited")
    cards = "6H 7H 8H"
    odds = (3, 2)


class MixedAsSuited(WrongOdds):
    """A 6-7-8 of mixed suits is paid as a suited one."""

    label = "mixed-as-suited"
    common = 4
    shapes = ("678_mixed", "777_mixed")
    cards = "6D 7C 8H"
    odds = (2, 1)


class SpadesAsSuited(WrongOdds):
    """A 6-7-8 all of spades is paid as any other suit."""

    label = "spades-as-suited"
    common = 2
    shapes = ("678_spades", "777_spades")
    cards = "6S 7S 8S"
    odds = (2, 1)


class SevensAsMixed(WrongOdds):
    """Three sevens of one suit are paid as three of mixed suits."""

    label = "sevens-as-mixed"
    shapes = ("777_suited", "777_spades")
    cards = "7D 7D 7D"
    odds = (3, 2)


class OverMaximumPaid(WrongMoney):
    """A wager above the maximum is paid on the whole stake, not up to the maximum."""

    label = "over-maximum-paid"
    code = "settle.odds"
    common = 2

    def possible(self, law: Law) -> bool:
        return law.cuts_at_maximum

    def stage(self, plan: Plan) -> bool:
        box = hand(plan, "X 9", dealer="X 7")
        alone(plan, box)
        sign = plan.table.sign
        excess = (sign.maximum + 2 * sign.step) * 1000
        plan.box(box).mains[0] = replace(plan.box(box).mains[0], amount=excess, limit=None)
        return True

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return case.bare(row) and expected(row).result == "win" and row.effective_stake < row.stake

    def money(self, case: Case, row: SettlementRow) -> Money:
        return Money(result="win", paid=expected(row).paid * row.stake // row.effective_stake)


class SwappedPlayers(Fault):
    """Two winners on one box are each paid what is due to the other."""

    label = "swapped-players"
    code = "settle.odds"
    common = 3

    def stage(self, plan: Plan) -> bool:
        box = accompanied(plan)
        plan.deal(box, "X 9")
        plan.decide(box, "stand")
        plan.deal(0, "X 7")
        return True

    def spoil(self, case: Case) -> Spoiled | None:
        winners = case.rows(lambda row: case.bare(row) and expected(row).result == "win")
        for one in winners:
            for other in winners:
                same_hand = (one.box, one.hand) == (other.box, other.hand)
                if same_hand and one.player != other.player and expected(one).paid < expected(other).paid:
                    first = resettle(case, one, self.code, expected(other))
                    return _again(first, other, self.code, expected(one))
        return None


def _again(spoiled: Spoiled, row: SettlementRow, code: str, money: Money) -> Spoiled:
    fresh = settle_event(row.wager, row.line, money)
    events = tuple(fresh if settles(event, row.wager) else event for event in spoiled.round.events)
    found = expecting(row, code, money.net - expected(row).net)
    return Spoiled(
        round=msgspec.structs.replace(spoiled.round, events=events), expected=(*spoiled.expected, found)
    )


class SettlementMissing(Fault):
    """A wager is left without any settlement in the record."""

    label = "settlement-missing"
    code = "settle.missing"
    common = 8

    def spoil(self, case: Case) -> Spoiled | None:
        row = case.pick(lambda each: each.line == "stake" and each.kind in ("main", "split", "double"))
        return None if row is None else drop(case, row, self.code)


class WrongPortion(Fault):
    """The win of a doubled hand is booked on the first wager alone, its doubled portion on none."""

    label = "wrong-portion"
    code = "settle.attribution"
    common = 2

    def stage(self, plan: Plan) -> bool:
        doubled(plan, "5 6 X", dealer="X 7")
        return True

    def spoil(self, case: Case) -> Spoiled | None:
        part = case.pick(lambda row: row.kind == "double" and expected(row).result == "win")
        if part is None:
            return None
        whole = next((row for row in case.rows(_first_of(part)) if expected(row).result == "win"), None)
        if whole is None:
            return None
        both = Money(result="win", paid=expected(whole).paid + expected(part).paid)
        first = resettle(case, whole, self.code, both)
        second = _again(first, part, self.code, Money(result="win", paid=0))
        return Spoiled(round=second.round, expected=(Expected(code=self.code, box=part.box),))


def _first_of(part: SettlementRow) -> Callable[[SettlementRow], bool]:
    def fits(row: SettlementRow) -> bool:
        return (
            row.kind in ("main", "split")
            and row.line == "stake"
            and (row.box, row.hand, row.player) == (part.box, part.hand, part.player)
        )

    return fits


class WrongWord(TiePaid):
    """A stand-off is written down as a wager returned, with the right amounts."""

    label = "wrong-word"
    code = "settle.label"
    common = 2

    def money(self, case: Case, row: SettlementRow) -> Money:
        return Money(result="returned")


class VoidSettled(Fault):
    """A wager that the casino declared void is settled as if it stood."""

    label = "void-settled"
    code = "settle.void"

    def stage(self, plan: Plan) -> bool:
        box = accompanied(plan)
        plan.deal(box, "X 7")
        plan.decide(box, "stand")
        plan.deal(0, "X 9")
        return True

    def spoil(self, case: Case) -> Spoiled | None:
        row = case.pick(lambda each: self._follows(case, each) and expected(each).net != 0)
        if row is None:
            return None
        events = list(case.round.events)
        last_card = max(n for n, event in enumerate(events) if isinstance(event, Deal))
        void = Void(scope="wager", wager=row.wager, reason="placed against the rules")
        events.insert(last_card + 1, void)
        round_ = msgspec.structs.replace(case.round, events=tuple(events))
        return Spoiled(round=round_, expected=(expecting(row, self.code, expected(row).net),))

    def _follows(self, case: Case, row: SettlementRow) -> bool:
        """A co-wagerer's only wager, so that nothing hangs on it."""
        mains = [each for each in case.replay.settlements if each.box == row.box and each.kind == "main"]
        own = [each for each in case.replay.settlements if each.player == row.player]
        return row.kind == "main" and row.line == "stake" and mains[0] != row and len(own) == 1


FAULTS: tuple[Fault, ...] = (
    TiePaid(),
    TieTaken(),
    LoserLeft(),
    LoserShort(),
    LoserPaid(),
    WinnerTaken(),
    PontoonEven(),
    ManyCardsEven(),
    ManyCardsBust(),
    FourCardsBust(),
    SixCardsAsFive(),
    SevenCardsAsSix(),
    SuitedAsMixed(),
    MixedAsSuited(),
    SpadesAsSuited(),
    SevensAsMixed(),
    OverMaximumPaid(),
    SwappedPlayers(),
    SettlementMissing(),
    WrongPortion(),
    WrongWord(),
    VoidSettled(),
)
