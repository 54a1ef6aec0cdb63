"""Faults of the moment: what is right in itself, done too early, too late or in the wrong order."""

from __future__ import annotations

import msgspec

from data_samples.faults.extras import InsuranceEven, InsuranceLeft, postpone
from data_samples.faults.kinds import Case, Fault, Looked, Spoiled, expected, expecting, settles
from data_samples.faults.play import PlayFault
from data_samples.faults.record import deal_in_wrong_order
from data_samples.faults.scenes import has_side, split_eights, two_players
from data_samples.law import Law
from data_samples.plan import Expected, Plan
from data_samples.state import Draft, Mark
from rules_replay.log import (
    AnyEvent,
    Assign,
    Burn,
    CardText,
    CutCard,
    Deal,
    Irregularity,
    NoMoreBets,
    Press,
    Surrender,
)
from rules_replay.results import SettlementRow


class BustUncollected(Looked):
    """A hand over 21 is collected at the end of the round, after further cards."""

    label = "bust-uncollected"
    code = "interim.bust-uncollected"
    common = 4

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "X 6 X")
        plan.decide(box, "hit")
        return plan.live_box(box)

    def spoil(self, case: Case) -> Spoiled | None:
        row = case.pick(lambda each: case.bare(each) and case.hand(each).total > 21)
        return None if row is None else postpone(case, row, self.code)


class InsuranceCollectedLate(Looked, InsuranceLeft):
    """Losing insurance is collected at the end of the round, after the dealer's third card."""

    label = "insurance-collected-late"
    code = "insurance.lost-uncollected"
    common = 3
    dealer = "A 3 X"

    def spoil(self, case: Case) -> Spoiled | None:
        rows = self.opportunities(case)
        return (
            postpone(case, case.rng.choice(rows), self.code) if rows and len(case.dealer.cards) > 2 else None
        )


class InsurancePaidEarly(Looked, InsuranceEven):
    """Winning insurance is paid before the wagers that the dealer's Pontoon decides."""

    label = "insurance-paid-early"
    code = "insurance.won-paid-early"
    common = 2

    def spoil(self, case: Case) -> Spoiled | None:
        row = case.pick(lambda each: self.wanted(case, each))
        waiting = case.rows(lambda each: case.bare(each) and 12 <= case.hand(each).total < 21)
        if row is None or not waiting:
            return None
        return _moved(case, row, self.code, 1 + _last(case, Deal))


class HalfCollectedEarly(Looked):
    """The half of a surrendered wager is collected before the dealer's hand is complete."""

    label = "half-collected-early"
    code = "surrender.half-early"
    common = 2

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "X 6")
        plan.decide(box, "surrender")
        plan.deal(0, "X 8")
        return True

    def spoil(self, case: Case) -> Spoiled | None:
        row = case.pick(lambda each: case.surrendered(each) and expected(each).result == "surrender")
        place = _last(case, Surrender)
        dealt = any(isinstance(event, Deal) and event.box == 0 for event in case.round.events[place:])
        return _moved(case, row, self.code, place + 1) if row is not None and dealt else None


def _last(case: Case, kind: type[AnyEvent]) -> int:
    return max((n for n, event in enumerate(case.round.events) if isinstance(event, kind)), default=-1)


def _moved(case: Case, row: SettlementRow, code: str, place: int) -> Spoiled | None:
    """Settle a wager at an earlier place; None where it is settled before it."""
    events = list(case.round.events)
    now = next(n for n, event in enumerate(events) if settles(event, row.wager, row.line))
    if now <= place:
        return None
    events.insert(place, events.pop(now))
    round_ = msgspec.structs.replace(case.round, events=tuple(events))
    return Spoiled(round=round_, expected=(expecting(row, code, None),))


class SurrenderBeforePontoons(Looked):
    """A surrender is taken before a Pontoon on the table is paid."""

    label = "surrender-before-pontoons"
    code = "surrender.before-interim"
    common = 2

    def stage(self, plan: Plan) -> bool:
        if len(plan.boxes) < 2:
            return False
        pontoon, gives_up = plan.rng.sample([box.number for box in plan.boxes], 2)
        plan.deal(pontoon, "A X")
        plan.deal(gives_up, "X 6")
        plan.decide(gives_up, "surrender")
        plan.deal(0, "X")
        return True

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        paid = [
            place
            for place, item in enumerate(draft.items)
            if isinstance(item, Mark) and self._on_pontoon(draft, item.wager)
        ]
        surrenders = draft.places(Surrender)
        if not paid or not surrenders or surrenders[0][0] < paid[0]:
            return None
        place, event = surrenders[0]
        draft.items.insert(paid[0], draft.items.pop(place))
        return (Expected(code=self.code, box=event.box),)

    def _on_pontoon(self, draft: Draft, wager: str) -> bool:
        stake = draft.stakes[wager]
        return stake.kind == "main" and draft.hands[(stake.box, 1)].pontoon


class AssignLate(Looked):
    """A co-wagerer says on which hand of a split his wager rides after a further card."""

    label = "assign-late"
    code = "split.assign-late"

    def stage(self, plan: Plan) -> bool:
        box = split_eights(plan, box=two_players(plan))
        plan.script.joins[(box, 1)] = False
        plan.script.assigns[(box, 1)] = 2
        return True

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        for place, event in draft.places(Assign):
            if isinstance(draft.items[place + 1], Deal):
                draft.items.insert(place + 1, draft.items.pop(place))
                return (Expected(code=self.code, wager=event.wager),)
        return None


class PressOrder(Looked):
    """The Pandemonium button is pressed for a box before one nearer to the dealer's left."""

    label = "press-order"
    code = "jackpot.press-order"

    def stage(self, plan: Plan) -> bool:
        if len(plan.boxes) < 2:
            return False
        both = [box.number for box in plan.boxes[:2]]
        for box in both:
            plan.deal(box, "A X")
        return all(has_side(plan, "pandemonium", box) for box in both)

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        pressed = draft.places(Press)
        if len(pressed) != 2 or pressed[0][1].box == pressed[1][1].box:
            return None
        (first, low), (_, high) = pressed
        draft.items.remove(high)
        draft.items.insert(first, high)
        return (Expected(code=self.code, box=low.box),)


class LateCall(Looked):
    """No more bets is called after the first card."""

    label = "late-call"
    code = "deal.late-call"
    common = 2

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        for place, _ in draft.places(NoMoreBets):
            draft.items.pop(place)
        draft.items.insert(draft.places(Deal)[0][0] + 1, NoMoreBets())
        return (Expected(code=self.code),)


class BoxTooMany(Looked, PlayFault):
    """A box is played beyond those that a table may have."""

    label = "box-too-many"
    code = "deal.box-range"

    def stage(self, plan: Plan) -> bool:
        plan.boxes[-1].number = 8
        plan.expect(self.code, 8)
        return True


class DecksChanged(Looked):
    """Another number of decks is put down for the last round of a shoe than before."""

    label = "decks-changed"
    code = "deck.count-changed"

    def possible(self, law: Law) -> bool:
        return super().possible(law) and law.decks[0] < law.decks[1]

    def spoil(self, case: Case) -> Spoiled | None:
        if _last(case, CutCard) < 0 or case.round.decks >= case.law.decks[1]:
            return None
        round_ = msgspec.structs.replace(case.round, decks=case.round.decks + 1)
        return Spoiled(round=round_, expected=(Expected(code=self.code),))


class WrongShuffler(Looked):
    """A continuous shuffler is put down for the last round of a shoe where the rules know none."""

    label = "wrong-shuffler"
    code = "shoe.continuous-shuffler"

    def spoil(self, case: Case) -> Spoiled | None:
        if _last(case, CutCard) < 0:
            return None
        round_ = msgspec.structs.replace(case.round, shuffler="continuous")
        return Spoiled(round=round_, expected=(Expected(code=self.code),))


class CuttingCardUnused(WrongShuffler):
    """A continuous shuffler is put down for a round in which a cutting card comes out."""

    label = "cutting-card-unused"
    code = "shoe.cut-card-unused"


class CuttingCardForward(Looked, PlayFault):
    """The cutting card lies nearer to the front of the shoe than half of its cards."""

    label = "cutting-card-forward"
    code = "shoe.cut-position"
    common = 2

    def stage(self, plan: Plan) -> bool:
        known = {"burns", "cut_card"} <= plan.table.facts()
        if plan.shoe.continuous or not known or plan.table.round_no > 1 or not plan.whole_shoe:
            return False
        plan.shoe.misplace_cutting_card(4)
        plan.expect(self.code)
        return True


class ShoeRanOut(Looked):
    """A shoe runs out though no cutting card had been seen."""

    label = "shoe-ran-out"
    code = "shoe.cut-card-missing"

    def stage(self, plan: Plan) -> bool:
        return plan.whole_shoe

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        known = {"burns", "cut_card"} <= plan.table.facts()
        if plan.shoe.continuous or not known or plan.table.round_no > 1 or draft.places(CutCard):
            return None
        draft.items.insert(draft.places(Deal)[-1][0], Irregularity(code="shoe_exhausted"))
        return (Expected(code=self.code),)


class BurnUnexplained(Looked):
    """A card is burned off the shoe in the middle of a round, and no reason is put down."""

    label = "burn-unexplained"
    code = "shoe.burn-unexplained"

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        if plan.shoe.cut_card_next or "burns" not in plan.table.facts():
            return None
        burned = Burn(card=CardText(plan.shoe.draw()), source="shoe")
        draft.items.insert(draft.places(Deal)[0][0] + 1, burned)
        return (Expected(code=self.code),)


class MisdealUnresolved(Looked):
    """A misdeal, cards of two boxes swapped, is reported and neither undone nor declared void."""

    label = "misdeal-unresolved"
    code = "irregularity.unresolved"

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        if len(plan.boxes) < 2:
            return None
        last = draft.places(Deal)[2 * len(plan.boxes)][0]
        box = plan.any_box()
        number = [each.number for each in plan.boxes].index(box)
        dealt = deal_in_wrong_order(draft, min(number, len(plan.boxes) - 2))
        draft.items.insert(last, Irregularity(code="superfluous_hand", box=box))
        return (dealt, Expected(code=self.code, box=box))


class AbsentPlayerPlayed(Looked, PlayFault):
    """A card is drawn on 12 or more for a player who is reported absent."""

    label = "absent-player-played"
    code = "irregularity.absent-player"

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "X 4 2")
        plan.decide(box, "hit stand")
        plan.script.box = box
        return True

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        box = plan.script.box
        last = draft.places(Deal)[2 * len(plan.boxes)][0]
        draft.items.insert(last + 1, Irregularity(code="absent_player", box=box))
        return (Expected(code=self.code, box=box),)


FAULTS: tuple[Fault, ...] = (
    BustUncollected(),
    InsuranceCollectedLate(),
    InsurancePaidEarly(),
    HalfCollectedEarly(),
    SurrenderBeforePontoons(),
    AssignLate(),
    PressOrder(),
    LateCall(),
    BoxTooMany(),
    DecksChanged(),
    WrongShuffler(),
    CuttingCardUnused(),
    CuttingCardForward(),
    ShoeRanOut(),
    BurnUnexplained(),
    MisdealUnresolved(),
    AbsentPlayerPlayed(),
)
