"""Faults of play: options that are not open, cards that must not or must be dealt.

Each is scripted, cards and decisions; the settlement that follows is the lawful one of
the table as it then stands.
"""

from __future__ import annotations

from data_samples.faults.kinds import Fault
from data_samples.faults.scenes import alone, doubled, hand, split_eights, two_players
from data_samples.law import Law
from data_samples.plan import Expected, Plan
from data_samples.state import Draft, Stake


class PlayFault(Fault):
    """A fault that lies in cards and decisions."""

    scripted = True


class SurrenderLowCard(PlayFault):
    """Surrender is granted though the dealer's first card is no ace, king, queen or jack."""

    label = "surrender-low-card"
    code = "surrender.upcard"
    common = 2

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "X 6")
        plan.decide(box, "surrender")
        plan.deal(0, "6")
        plan.expect(self.code, box, 1)
        return plan.live_box(box)


class SurrenderLate(PlayFault):
    """Surrender is granted after the hand drew a card."""

    label = "surrender-late"
    code = "surrender.timing"
    common = 3

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "5 4 6")
        plan.decide(box, "hit surrender")
        plan.deal(0, "X 8")
        plan.expect(self.code, box, 1)
        return True


class SurrenderSplit(PlayFault):
    """A split hand is surrendered."""

    label = "surrender-split-hand"
    code = "surrender.after-split"
    common = 2

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "8 8 X")
        plan.deal(box, "X", hand=2)
        plan.decide(box, "split surrender")
        plan.decide(box, "stand", hand=2)
        plan.script.joins[(box, 1)] = True
        plan.deal(0, "X 9")
        plan.expect(self.code, box, 1)
        return True


class SurrenderAlone(PlayFault):
    """A co-wagerer surrenders though the player in control of the box plays on."""

    label = "surrender-alone"
    code = "surrender.all-players"
    common = 2

    def possible(self, law: Law) -> bool:
        return law.surrender_binds == "box"

    def stage(self, plan: Plan) -> bool:
        box = two_players(plan)
        plan.deal(box, "X 6")
        plan.decide(box, "surrender stand")
        plan.script.rider_surrenders = box
        plan.deal(0, "X 8")
        plan.expect(self.code, box)
        return True


class SplitUnequal(PlayFault):
    """Two cards of different point value are split."""

    label = "split-unequal"
    code = "split.unequal-value"

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "9 4 X")
        plan.deal(box, "8", hand=2)
        plan.decide(box, "split stand")
        plan.decide(box, "stand", hand=2)
        plan.expect(self.code, box)
        return True


class SplitTooOften(PlayFault):
    """One hand more is formed from a box than the rulebook allows."""

    label = "split-too-often"
    code = "split.too-many-hands"
    common = 2

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        limit = plan.law.hands_per_box
        plan.deal(box, "8 8 " + "8 " * (limit - 1) + "X")
        plan.decide(box, "split " * limit + "stand")
        for number in range(2, limit + 2):
            plan.deal(box, "X", hand=number)
            plan.decide(box, "stand", hand=number)
        plan.expect(self.code, box)
        return True


class AcesSplitAgain(PlayFault):
    """Split aces are split again."""

    label = "aces-split-again"
    code = "split.aces-resplit"
    common = 2

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "A A A 7")
        plan.decide(box, "split split")
        plan.deal(box, "6", hand=2)
        plan.deal(box, "8", hand=3)
        plan.expect(self.code, box)
        return True


class AceThirdCard(PlayFault):
    """A split ace is dealt more than one card."""

    label = "split-ace-third-card"
    code = "split.aces-extra-card"
    common = 3

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "A A 5 4")
        plan.decide(box, "split hit")
        plan.deal(box, "7", hand=2)
        plan.expect(self.code, box, 1)
        return True


class SplitAlone(PlayFault):
    """A co-wagerer splits though the player in control keeps his wager on the first hand."""

    label = "split-alone"
    code = "split.not-controller"

    def stage(self, plan: Plan) -> bool:
        box = split_eights(plan, box=two_players(plan))
        plan.script.leads[(box, 1)] = False
        plan.script.joins[(box, 1)] = True
        plan.expect(self.code, box)
        return True


class SplitAfterDeclining(PlayFault):
    """A pair is split after one was declined earlier in the round."""

    label = "split-after-declining"
    code = "split.declined"

    def possible(self, law: Law) -> bool:
        return not law.split_after_declining

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "8 8 8")
        plan.decide(box, "split stand")
        plan.deal(box, "8 X", hand=2)
        plan.decide(box, "split stand", hand=2)
        plan.deal(box, "X", hand=3)
        plan.decide(box, "stand", hand=3)
        plan.expect(self.code, box)
        return True


class SplitThreeCards(PlayFault):
    """A hand of three cards is split."""

    label = "split-three-cards"
    code = "split.more-than-two-cards"

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "4 4 3 X")
        plan.decide(box, "hit split stand")
        plan.deal(box, "X", hand=2)
        plan.decide(box, "stand", hand=2)
        plan.expect(self.code, box)
        if not plan.law.split_after_declining:
            plan.expect("split.declined", box)
        return True


class RiderOnLaterHand(PlayFault):
    """The wager of a co-wagerer who does not split is put on the second hand."""

    label = "rider-on-later-hand"
    code = "split.later-hand"

    def possible(self, law: Law) -> bool:
        return not law.rider_chooses_hand

    def stage(self, plan: Plan) -> bool:
        box = split_eights(plan, box=two_players(plan))
        plan.script.joins[(box, 1)] = False
        plan.script.assigns[(box, 1)] = 2
        plan.expect(self.code, box)
        return True


class DoubleForbidden(PlayFault):
    """A hand is doubled that may not be: too many cards, the wrong total, or a split ace."""

    label = "double-forbidden"
    code = "double.hand"
    common = 3

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        if plan.law.double_on == "two_cards_or_three_plus":
            return self._split_ace(plan, box)
        three_cards = plan.law.double_on == "two_cards"
        plan.deal(box, "2 3 4 X" if three_cards else "5 3 X")
        plan.decide(box, "hit double" if three_cards else "double")
        plan.expect(self.code, box, 1)
        return True

    def _split_ace(self, plan: Plan, box: int) -> bool:
        plan.deal(box, "A A 5 4")
        plan.decide(box, "split double")
        plan.deal(box, "7", hand=2)
        plan.expect(self.code, box, 1)
        plan.expect("split.aces-extra-card", box, 1)
        return True


class DoubleTooMuch(PlayFault):
    """A hand is doubled for more than the original wager."""

    label = "double-too-much"
    code = "double.stake"
    common = 2

    def stage(self, plan: Plan) -> bool:
        box = doubled(plan, "5 5 8")
        alone(plan, box)
        stake = plan.box(box).mains[0].amount
        plan.script.amounts[(box, 1)] = stake + plan.table.sign.step * 1000
        return True

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        box = next(iter(plan.script.amounts))[0]
        return tuple(found(self.code, s) for s in draft.stakes.values() if (s.kind, s.box) == ("double", box))


def found(code: str, stake: Stake) -> Expected:
    """A finding about a wager."""
    return Expected(code=code, box=stake.box, hand=stake.hand, wager=stake.id)


class DoubleTwoCards(PlayFault):
    """A doubled hand is dealt a second card."""

    label = "double-two-cards"
    code = "double.one-card"
    common = 2

    def stage(self, plan: Plan) -> bool:
        box = doubled(plan, "5 5 4 3")
        plan.decide(box, "hit")
        plan.expect(self.code, box, 1)
        return True


class DoubleAlone(PlayFault):
    """A co-wagerer doubles though the player in control puts up nothing."""

    label = "double-alone"
    code = "double.not-controller"

    def stage(self, plan: Plan) -> bool:
        box = doubled(plan, "5 5 8", box=two_players(plan))
        plan.script.leads[(box, 1)] = False
        plan.script.joins[(box, 1)] = True
        plan.expect(self.code, box)
        return True


class StoodBelow12(PlayFault):
    """A hand below 12 is left without a card."""

    label = "stood-below-12"
    code = "draw.below-12"
    common = 3

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "5 4")
        plan.decide(box, "stand")
        plan.expect(self.code, box, 1)
        return plan.live_box(box)


class CardTo21(PlayFault):
    """A hand that made 21 and was paid is dealt another card."""

    label = "card-to-21"
    code = "draw.on-21"
    common = 3

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "5 6 X 4")
        plan.decide(box, "hit hit")
        plan.expect(self.code, box, 1)
        return plan.live_box(box)


class CardAfterBust(PlayFault):
    """A hand over 21 is dealt another card."""

    label = "card-after-bust"
    code = "draw.after-bust"
    common = 2

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "X 6 X 2")
        plan.decide(box, "hit hit")
        plan.expect(self.code, box, 1)
        return plan.live_box(box)


class CardAfterStand(PlayFault):
    """A hand that stood is dealt another card."""

    label = "card-after-stand"
    code = "draw.after-stand"
    common = 3

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, "X 3 5")
        plan.decide(box, "stand hit")
        plan.expect(self.code, box, 1)
        return plan.live_box(box)


class TurnsSwapped(PlayFault):
    """Two boxes are played in the wrong order."""

    label = "turns-swapped"
    code = "deal.turn-order"
    common = 2

    def stage(self, plan: Plan) -> bool:
        numbers = [box.number for box in plan.boxes]
        if len(numbers) < 2:
            return False
        place = plan.rng.randrange(len(numbers) - 1)
        numbers[place : place + 2] = reversed(numbers[place : place + 2])
        for box in numbers[place : place + 2]:
            plan.deal(box, "X 3 5")
            plan.decide(box, "hit stand")
        plan.script.turns = tuple(numbers)
        plan.expect(self.code)
        return True


class StoodOnSoft17(PlayFault):
    """The dealer stands on soft 17."""

    label = "dealer-stood-on-soft-17"
    code = "dealer.under-draw"
    common = 6
    cards = "6 A"
    moves = "draw stop"

    def stage(self, plan: Plan) -> bool:
        hand(plan, "X 8", dealer=self.cards)
        plan.script.dealer[:] = self.moves.split()
        plan.expect(self.code, 0)
        return True


class StoodOn16(StoodOnSoft17):
    """The dealer stands on hard 16."""

    label = "dealer-stood-on-16"
    common = 3
    cards = "9 7"


class DrewOn17(StoodOnSoft17):
    """The dealer draws on hard 17."""

    label = "dealer-drew-on-17"
    code = "dealer.over-draw"
    common = 4
    cards = "X 7 2"
    moves = "draw draw stop"


class DrewOnSoft18(DrewOn17):
    """The dealer draws on soft 18."""

    label = "dealer-drew-on-soft-18"
    common = 3
    cards = "7 A 2"


class SecondCardEarly(PlayFault):
    """The dealer takes his second card before the last box has been played."""

    label = "dealer-second-card-early"
    code = "dealer.early-second-card"
    common = 2

    def stage(self, plan: Plan) -> bool:
        if len(plan.boxes) < 2:
            return False
        last = plan.boxes[-1].number
        plan.deal(last, "X 3 5")
        plan.decide(last, "hit stand")
        plan.deal(0, "9 8")
        plan.script.early_second_card = last
        plan.expect(self.code, 0)
        return True


class NeedlessCard(PlayFault):
    """The dealer draws though every hand is over and nothing depends on it."""

    label = "dealer-needless-card"
    code = "dealer.needless-draw"
    common = 4

    def possible(self, law: Law) -> bool:
        return not law.later_cards_idle

    def stage(self, plan: Plan) -> bool:
        if len(plan.boxes) > 4:
            return False
        for box in plan.boxes:
            plan.deal(box.number, "X 6 X")
            plan.decide(box.number, "hit")
        plan.deal(0, "5 4 6")
        plan.script.dealer[:] = ["draw", "draw", "stop"]
        plan.expect(self.code, 0)
        return True


FAULTS: tuple[Fault, ...] = (
    SurrenderLowCard(),
    SurrenderLate(),
    SurrenderSplit(),
    SurrenderAlone(),
    SplitUnequal(),
    SplitTooOften(),
    AcesSplitAgain(),
    AceThirdCard(),
    SplitAlone(),
    SplitAfterDeclining(),
    SplitThreeCards(),
    RiderOnLaterHand(),
    DoubleForbidden(),
    DoubleTooMuch(),
    DoubleTwoCards(),
    DoubleAlone(),
    StoodBelow12(),
    CardTo21(),
    CardAfterBust(),
    CardAfterStand(),
    TurnsSwapped(),
    StoodOnSoft17(),
    StoodOn16(),
    DrewOn17(),
    DrewOnSoft18(),
    SecondCardEarly(),
    NeedlessCard(),
)
