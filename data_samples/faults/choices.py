"""Faults in settling doubled, split, surrendered and forfeited wagers."""

from __future__ import annotations

from data_samples.faults.hands import shape
from data_samples.faults.kinds import Case, Fault, expected
from data_samples.faults.outcomes import WrongMoney, lost
from data_samples.faults.scenes import doubled, split_eights
from data_samples.law import Law
from data_samples.plan import Plan
from rules_replay.results import Money, SettlementRow


class DoubledAtTableOdds(WrongMoney):
    """A doubled 21 of 6-7-8 or 7-7-7 is paid at the table's odds instead of 1 to 1."""

    label = "double-at-table-odds"
    code = "settle.double"
    common = 4

    def possible(self, law: Law) -> bool:
        return law.double_on != "hard_nine_to_eleven"

    def stage(self, plan: Plan) -> bool:
        doubled(plan, "6S 7H 8D", dealer="234569")
        return True

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        hand = case.hand(row)
        return (
            row.line == "stake"
            and row.kind in ("main", "double")
            and hand.doubled
            and shape(hand) in ("678_mixed", "777_mixed")
            and expected(row).paid == row.effective_stake
        )

    def money(self, case: Case, row: SettlementRow) -> Money:
        return Money(result="win", paid=row.effective_stake * 3 // 2)


class DoubledLoserShort(WrongMoney):
    """Only one portion of a losing doubled hand is collected."""

    label = "doubled-loser-short"
    code = "settle.double"
    common = 4

    def stage(self, plan: Plan) -> bool:
        doubled(plan, "5 6 6", dealer="X 9")
        return True

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return row.kind == "double" and expected(row).result == "lose"

    def money(self, case: Case, row: SettlementRow) -> Money:
        return Money(result="stand_off")


class DoubledTiePaid(WrongMoney):
    """A tied doubled hand is paid on one portion."""

    label = "doubled-tie-paid"
    code = "settle.double"
    common = 3

    def stage(self, plan: Plan) -> bool:
        doubled(plan, "5 6 8", dealer="X 9")
        return True

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return row.kind == "double" and expected(row).result == "stand_off"

    def money(self, case: Case, row: SettlementRow) -> Money:
        return Money(result="win", paid=row.effective_stake)


class DoubledPortionTaken(WrongMoney):
    """The doubled portion is collected on a dealer's Pontoon that only takes the original wager."""

    label = "doubled-portion-taken"
    code = "settle.double"
    common = 4

    def possible(self, law: Law) -> bool:
        return law.dealer_pontoon_double != "all"

    def stage(self, plan: Plan) -> bool:
        doubled(plan, "5 6 8", dealer="X A")
        return True

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return case.dealer_pontoon and row.kind == "double" and self._spared(row) and not given_up(case, row)

    def money(self, case: Case, row: SettlementRow) -> Money:
        return lost(row)

    def _spared(self, row: SettlementRow) -> bool:
        return expected(row).result == "returned"


class DoubledPortionReturned(DoubledPortionTaken):
    """The doubled portion is handed back on a dealer's Pontoon that takes both portions."""

    label = "doubled-portion-returned"

    def possible(self, law: Law) -> bool:
        return law.dealer_pontoon_double == "all"

    def money(self, case: Case, row: SettlementRow) -> Money:
        return Money(result="returned")

    def _spared(self, row: SettlementRow) -> bool:
        return expected(row).result == "lose"


class SplitPortionTaken(WrongMoney):
    """The wager on a split hand is collected on a dealer's Pontoon that only takes the original."""

    label = "split-portion-taken"
    code = "settle.outcome"
    common = 4

    def possible(self, law: Law) -> bool:
        return law.dealer_pontoon_split != "all"

    def stage(self, plan: Plan) -> bool:
        split_eights(plan, dealer="X A")
        return True

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return case.dealer_pontoon and case.bare(row) and expected(row).result == "returned"

    def money(self, case: Case, row: SettlementRow) -> Money:
        return lost(row)


class SplitPortionReturned(WrongMoney):
    """The wager on a split hand is handed back on a dealer's Pontoon that takes every live wager."""

    label = "split-portion-returned"
    code = "settle.outcome"
    common = 4

    def possible(self, law: Law) -> bool:
        return law.dealer_pontoon_split == "all"

    def stage(self, plan: Plan) -> bool:
        split_eights(plan, dealer="X A")
        return True

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        live = row.kind == "split" and case.hand(row).total < 21
        return case.dealer_pontoon and live and case.bare(row) and expected(row).result == "lose"

    def money(self, case: Case, row: SettlementRow) -> Money:
        return Money(result="returned")


class SurrenderHalfOnPontoon(WrongMoney):
    """Half is handed back on a surrender that the dealer's Pontoon annuls."""

    label = "surrender-half-on-pontoon"
    code = "settle.surrender"
    common = 5
    dealer = "X A"

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "X 6")
        plan.decide(box, "surrender")
        plan.deal(0, self.dealer)
        return True

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        stake_lost = row.line == "stake" and expected(row).result == "lose"
        return stake_lost and case.surrendered(row) and case.dealer_pontoon

    def money(self, case: Case, row: SettlementRow) -> Money:
        return Money(result="surrender", taken=row.effective_stake // 2)


class SurrenderWhole(SurrenderHalfOnPontoon):
    """The whole wager is collected on a surrender that costs half."""

    label = "surrender-whole"
    common = 4
    dealer = "X 8"

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return row.line == "stake" and expected(row).result == "surrender"

    def money(self, case: Case, row: SettlementRow) -> Money:
        return lost(row)


class SurrenderFree(SurrenderWhole):
    """Nothing is collected on a surrender."""

    label = "surrender-free"
    common = 2

    def money(self, case: Case, row: SettlementRow) -> Money:
        return Money(result="stand_off")


class ForfeitReturned(WrongMoney):
    """The original wager of a forfeited hand is handed back."""

    label = "forfeit-returned"
    code = "settle.forfeit"
    common = 2

    def stage(self, plan: Plan) -> bool:
        box = doubled(plan, "5 6 2", dealer="X")
        plan.decide(box, "forfeit")
        return True

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return row.kind != "double" and expected(row).result == "forfeit"

    def money(self, case: Case, row: SettlementRow) -> Money:
        return Money(result="returned")


class ForfeitedPortionTaken(ForfeitReturned):
    """The doubled portion of a forfeited hand is collected with the original wager."""

    label = "forfeited-portion-taken"

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return row.kind == "double" and expected(row).result == "returned" and given_up(case, row)

    def money(self, case: Case, row: SettlementRow) -> Money:
        return lost(row)


def given_up(case: Case, row: SettlementRow) -> bool:
    """True for a doubled portion whose player forfeited the hand."""
    return any(
        each.player == row.player and (each.box, each.hand) == (row.box, row.hand)
        for each in case.rows(lambda other: expected(other).result == "forfeit")
    )


FAULTS: tuple[Fault, ...] = (
    DoubledAtTableOdds(),
    DoubledLoserShort(),
    DoubledTiePaid(),
    DoubledPortionTaken(),
    DoubledPortionReturned(),
    SplitPortionTaken(),
    SplitPortionReturned(),
    SurrenderHalfOnPontoon(),
    SurrenderWhole(),
    SurrenderFree(),
    ForfeitReturned(),
    ForfeitedPortionTaken(),
)
