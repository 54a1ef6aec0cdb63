"""Faults in settling insurance, side wagers and the Super Bonus."""

from __future__ import annotations

import msgspec

from data_samples.faults.hands import shape
from data_samples.faults.kinds import (
    Case,
    Fault,
    OnJackpot,
    OnPairs,
    Spoiled,
    add,
    drop,
    expected,
    expecting,
    settles,
)
from data_samples.faults.outcomes import WrongMoney, lost
from data_samples.faults.scenes import doubled, drawn, has_side
from data_samples.law import Law
from data_samples.plan import Plan
from rules_replay.log import Deal
from rules_replay.results import HandRow, Money, SettlementRow
from rules_replay.rulebook import load_rulebook

SUITED_SEVENS = ("777_suited", "777_spades")


class InsuranceEven(WrongMoney):
    """Winning insurance is paid 1 to 1 instead of 2 to 1."""

    label = "insurance-even"
    code = "settle.insurance"
    common = 3
    dealer = "A X"
    due = "win"

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "X 8")
        plan.decide(box, "stand")
        plan.script.insured.add(box)
        plan.deal(0, self.dealer)
        return True

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return row.kind == "insurance" and expected(row).result == self.due

    def money(self, case: Case, row: SettlementRow) -> Money:
        return Money(result="win", paid=row.effective_stake)


class InsuranceTaken(InsuranceEven):
    """Winning insurance is collected."""

    label = "insurance-taken"
    common = 2

    def money(self, case: Case, row: SettlementRow) -> Money:
        return lost(row)


class InsuranceLeft(InsuranceEven):
    """Losing insurance is left on the table."""

    label = "insurance-left"
    common = 5
    dealer = "A 7"
    due = "lose"

    def money(self, case: Case, row: SettlementRow) -> Money:
        return Money(result="lose", taken=0)


class PairsTier(WrongMoney):
    """A pair in two colours is paid as a mixed one, or a mixed one as coloured."""

    label = "pairs-tier"
    code = "settle.pairs"
    common = 4

    def possible(self, law: Law) -> bool:
        return "perfect_pairs" in law.side_kinds

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "9H 9D")
        return has_side(plan, "perfect_pairs", box)

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return row.kind == "perfect_pairs" and expected(row).result == "win"

    def money(self, case: Case, row: SettlementRow) -> Money:
        book = load_rulebook(case.law.rulebook)
        mixed = row.effective_stake * book.odds("payout.mixed_pair")
        coloured = row.effective_stake * book.odds("payout.coloured_pair")
        return Money(result="win", paid=int(coloured if expected(row).paid == mixed else mixed))


class PairShort(WrongMoney):
    """A pair is paid 10 to 1 instead of 11 to 1."""

    label = "pair-short"
    code = "settle.pairs"
    common = 3

    def possible(self, law: Law) -> bool:
        return "pair" in law.side_kinds

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "9 9")
        return has_side(plan, "pair", box)

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return row.kind == "pair" and expected(row).result == "win"

    def money(self, case: Case, row: SettlementRow) -> Money:
        return Money(result="win", paid=10 * row.effective_stake)


class PairsLeft(OnPairs, WrongMoney):
    """A losing pairs wager is left on the table."""

    label = "pairs-left"
    code = "settle.pairs"
    common = 5

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return row.kind in ("perfect_pairs", "pair") and expected(row).result == "lose"

    def money(self, case: Case, row: SettlementRow) -> Money:
        return Money(result="lose", taken=0)


class PairsTaken(PairsTier):
    """A winning pairs wager is collected."""

    label = "pairs-taken"
    common = 2

    def money(self, case: Case, row: SettlementRow) -> Money:
        return lost(row)


class SideLate(OnPairs):
    """A pairs wager is settled at the end of the round, not before the subsequent deal."""

    label = "pairs-late"
    code = "side-bet.settled-late"
    common = 2

    def spoil(self, case: Case) -> Spoiled | None:
        row = case.pick(lambda each: each.kind in ("perfect_pairs", "pair"))
        return None if row is None else postpone(case, row, self.code)


def postpone(case: Case, row: SettlementRow, code: str) -> Spoiled | None:
    """Move a settlement to the end of the round; None where no card was dealt after it."""
    events = list(case.round.events)
    place = next(n for n, event in enumerate(events) if settles(event, row.wager))
    if not any(isinstance(event, Deal) for event in events[place:]):
        return None
    events.append(events.pop(place))
    round_ = msgspec.structs.replace(case.round, events=tuple(events))
    return Spoiled(round=round_, expected=(expecting(row, code, None),))


class PontoonLate(Fault):
    """A Pontoon is paid at the end of the round, after further cards."""

    label = "pontoon-late"
    code = "interim.pontoon-unpaid"
    common = 4
    cards = "A X"

    def stage(self, plan: Plan) -> bool:
        drawn(plan, self.cards)
        return True

    def spoil(self, case: Case) -> Spoiled | None:
        row = case.pick(lambda each: case.bare(each) and self.fits(case.hand(each)))
        return None if row is None else postpone(case, row, self.code)

    def fits(self, hand: HandRow) -> bool:
        """Hands that must be paid before the next card."""
        return shape(hand) == "pontoon"


class TwentyOneLate(PontoonLate):
    """A 21 is paid at the end of the round, after further cards."""

    label = "twenty-one-late"
    code = "interim.twenty-one-unpaid"
    cards = "5 6 X"

    def fits(self, hand: HandRow) -> bool:
        return hand.total == 21 and shape(hand) != "pontoon"


class JackpotShort(OnJackpot, WrongMoney):
    """A Pandemonium wager is paid at another multiplier than the meter showed."""

    label = "jackpot-short"
    code = "settle.jackpot"
    common = 3

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return row.kind == "pandemonium" and expected(row).result == "win"

    def money(self, case: Case, row: SettlementRow) -> Money:
        twice = 2 * row.effective_stake
        return Money(result="win", paid=twice if expected(row).paid > twice else 3 * row.effective_stake)


class JackpotLeft(JackpotShort):
    """A losing Pandemonium wager is left on the table."""

    label = "jackpot-left"
    common = 4

    def stage(self, plan: Plan) -> bool:
        return has_side(plan, "pandemonium", plan.any_box())

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return row.kind == "pandemonium" and expected(row).result == "lose"

    def money(self, case: Case, row: SettlementRow) -> Money:
        return Money(result="lose", taken=0)


class SuperBonusMissing(Fault):
    """A Super Bonus is not paid."""

    label = "super-bonus-missing"
    code = "bonus.super"
    line = "super_bonus"
    common = 2

    def possible(self, law: Law) -> bool:
        return law.super_bonus

    def stage(self, plan: Plan) -> bool:
        drawn(plan, "7H 7H 7H", dealer="7")
        return True

    def spoil(self, case: Case) -> Spoiled | None:
        row = case.pick(lambda each: each.line == self.line and expected(each).paid > 0)
        return None if row is None else drop(case, row, self.code)


class SuperBonusTier(WrongMoney):
    """A Super Bonus is paid at the wrong tier."""

    label = "super-bonus-tier"
    code = "bonus.super"
    common = 2

    def possible(self, law: Law) -> bool:
        return law.super_bonus

    def stage(self, plan: Plan) -> bool:
        drawn(plan, "7C 7C 7C", dealer="7")
        return True

    def wanted(self, case: Case, row: SettlementRow) -> bool:
        return row.line == "super_bonus" and expected(row).paid > 0

    def money(self, case: Case, row: SettlementRow) -> Money:
        book = load_rulebook(case.law.rulebook)
        low, high = book.whole("bonus.low_award"), book.whole("bonus.high_award")
        return Money(result="win", paid=high if expected(row).paid == low else low)


class SuperBonusUndeserved(Fault):
    """A Super Bonus is paid on suited sevens though the dealer's first card is no seven."""

    label = "super-bonus-undeserved"
    code = "bonus.super"

    def possible(self, law: Law) -> bool:
        return law.super_bonus

    def stage(self, plan: Plan) -> bool:
        drawn(plan, "7S 7S 7S", dealer="234569")
        return True

    def spoil(self, case: Case) -> Spoiled | None:
        if any(row.line == "super_bonus" for row in case.replay.settlements):
            return None
        row = case.pick(lambda each: self.fits(case, each))
        if row is None:
            return None
        return add(
            case, row, self.code, "super_bonus", load_rulebook(case.law.rulebook).whole("bonus.low_award")
        )

    def fits(self, case: Case, row: SettlementRow) -> bool:
        """Wagers on suited sevens."""
        return case.bare(row) and shape(case.hand(row)) in SUITED_SEVENS


class SuperBonusDoubled(SuperBonusUndeserved):
    """A Super Bonus is paid on a doubled hand of suited sevens."""

    label = "super-bonus-doubled"

    def possible(self, law: Law) -> bool:
        return law.super_bonus and law.double_on != "hard_nine_to_eleven"

    def stage(self, plan: Plan) -> bool:
        doubled(plan, "7D 7D 7D", dealer="7")
        return True

    def fits(self, case: Case, row: SettlementRow) -> bool:
        hand = case.hand(row)
        paid_even = row.line == "stake" and expected(row).paid == row.effective_stake
        return paid_even and row.kind == "main" and hand.doubled and shape(hand) in SUITED_SEVENS


class FiftyMissing(SuperBonusMissing):
    """Another wager does not get its 50 in a round with a Super Bonus winner."""

    label = "fifty-missing"
    code = "bonus.other-wagers"
    line = "bonus"


class FiftyUndeserved(Fault):
    """The 50 of a Super Bonus round is paid to a wager though nobody won the Super Bonus."""

    label = "fifty-undeserved"
    code = "bonus.other-wagers"

    def possible(self, law: Law) -> bool:
        return law.super_bonus

    def stage(self, plan: Plan) -> bool:
        drawn(plan, "7S 7S 7S", dealer="234569")
        return True

    def spoil(self, case: Case) -> Spoiled | None:
        if any(row.line != "stake" for row in case.replay.settlements):
            return None
        row = case.pick(case.bare)
        if row is None:
            return None
        return add(case, row, self.code, "bonus", load_rulebook(case.law.rulebook).whole("bonus.other_award"))


FAULTS: tuple[Fault, ...] = (
    InsuranceEven(),
    InsuranceTaken(),
    InsuranceLeft(),
    PairsTier(),
    PairShort(),
    PairsLeft(),
    PairsTaken(),
    SideLate(),
    PontoonLate(),
    TwentyOneLate(),
    JackpotShort(),
    JackpotLeft(),
    SuperBonusMissing(),
    SuperBonusTier(),
    SuperBonusUndeserved(),
    SuperBonusDoubled(),
    FiftyMissing(),
    FiftyUndeserved(),
)
