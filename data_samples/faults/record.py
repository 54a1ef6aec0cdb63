"""Faults of the cards, the deal and the record itself."""

from __future__ import annotations

import msgspec

from data_samples.faults.kinds import Case, Fault, Looked, OnJackpot, Spoiled
from data_samples.faults.play import PlayFault
from data_samples.faults.scenes import hand
from data_samples.law import Law
from data_samples.plan import DEALER, Expected, Plan
from data_samples.state import Draft
from rules_replay.cards import UNREADABLE, card
from rules_replay.log import Burn, CardText, CutCard, Deal, Irregularity, Press, Void
from rules_replay.rulebook import rulebook_ids


def _cards(draft: Draft, box: int) -> list[int]:
    """Where the cards of a box (0: the dealer) were dealt."""
    return [place for place, event in draft.places(Deal) if event.box == box]


def deal_in_wrong_order(draft: Draft, number: int) -> Expected:
    """Have the box at a place of the table and the next one get their first cards in the wrong order."""
    first = draft.places(Deal)[number][0]
    draft.items[first], draft.items[first + 1] = draft.items[first + 1], draft.items[first]
    return Expected(code="deal.order")


class DealOrder(Fault):
    """Two boxes get their first cards in the wrong order."""

    label = "deal-order"
    code = "deal.order"
    common = 2

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        if len(plan.boxes) < 2:
            return None
        return (deal_in_wrong_order(draft, plan.rng.randrange(len(plan.boxes) - 1)),)


class CardMissing(Fault):
    """The second card of a box is not in the record."""

    label = "card-missing"
    code = "deal.missing-card"

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        boxes = [box.number for box in plan.boxes if not box.sides and self._stood_on_two(draft, box.number)]
        if not boxes:
            return None
        box = plan.rng.choice(boxes)
        draft.items.pop(_cards(draft, box)[1])
        return (Expected(code=self.code, box=box),)

    def _stood_on_two(self, draft: Draft, box: int) -> bool:
        return _stood(draft, box) and len(draft.hands[(box, 1)].cards) == 2


class SuperfluousHand(Fault):
    """Cards are dealt to a box on which nobody has a wager."""

    label = "superfluous-hand"
    code = "deal.superfluous-hand"

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        taken = [box.number for box in plan.boxes]
        empty = [number for number in range(1, max(taken)) if number not in taken]
        if not empty:
            return None
        box = plan.rng.choice(empty)
        following = next(number for number in taken if number > box)
        for place in reversed(_cards(draft, following)[:2]):
            draft.items.insert(place, Deal(box=box, card=CardText(plan.shoe.draw())))
        return (Expected(code=self.code, box=box),)


class SuperfluousUnburned(Looked, SuperfluousHand):
    """A superfluous hand is found after the initial deal, and its cards are left where they are."""

    label = "superfluous-unburned"
    code = "irregularity.superfluous-unburned"

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        dealt = super().rewrite(draft, plan) if len(draft.hands[DEALER].cards) > 1 else None
        if dealt is None:
            return None
        (superfluous,) = dealt
        draft.items.append(Irregularity(code="superfluous_hand", box=superfluous.box))
        left = Expected(code="irregularity.superfluous-unburned", box=superfluous.box)
        return (Expected(code="deal.superfluous-hand", box=superfluous.box), left)


class BurnedOff(PlayFault):
    """A card that a player was dealt in his turn is burned off his hand, and another dealt."""

    label = "burned-off"
    code = "deal.burned-off"
    common = 2

    def stage(self, plan: Plan) -> bool:
        plan.script.box = hand(plan, "X 3 5")
        return True

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        dealt = _cards(draft, plan.script.box)
        if len(dealt) < 3:
            return None
        drawn = CardText(plan.shoe.draw())
        box = plan.script.box
        draft.items[dealt[2] : dealt[2]] = [
            Deal(box=box, card=drawn),
            Burn(card=drawn, source="hand", box=box),
        ]
        return (Expected(code=self.code, box=box, hand=1),)


class UnreadableCard(Fault):
    """The recorder could not read a card of a hand that stood."""

    label = "unreadable-card"
    code = "record.unreadable-card"

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        pictures = _pictures(draft, plan)
        if not pictures:
            return None
        place, dealt = plan.rng.choice(pictures)
        draft.items[place] = msgspec.structs.replace(dealt, card=CardText(UNREADABLE))
        return (Expected(code=self.code),)


class ForeignCard(Fault):
    """A ten that should have been taken out of the deck is dealt."""

    label = "foreign-card"
    code = "deck.foreign-card"

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        pictures = _pictures(draft, plan)
        if not pictures:
            return None
        place, dealt = plan.rng.choice(pictures)
        draft.items[place] = msgspec.structs.replace(dealt, card=CardText("10" + dealt.card[-1]))
        if plan.law.foreign_card_voids:
            draft.items[place + 1 :] = [Void(scope="round", reason="a ten in the shoe")]
        return (Expected(code=self.code, box=dealt.box, hand=1),)


def _pictures(draft: Draft, plan: Plan) -> list[tuple[int, Deal]]:
    """Kings, queens and jacks of hands that stood unsplit, on boxes without side wagers."""
    boxes = [box.number for box in plan.boxes if not box.sides and _stood(draft, box.number)]
    return [
        (place, event)
        for place, event in draft.places(Deal)
        if event.box in boxes and card(event.card).picture
    ]


def _stood(draft: Draft, box: int) -> bool:
    return draft.hands[(box, 1)].stood and (box, 2) not in draft.hands


class CardOfAnotherDeck(PlayFault):
    """One more copy of a card comes out than the shoe's decks hold."""

    label = "card-of-another-deck"
    code = "deck.composition"

    def stage(self, plan: Plan) -> bool:
        if plan.table.shuffler == "continuous" or not plan.exhausted():
            return False
        plan.script.alien_card_to = plan.any_box()
        plan.expect(self.code)
        return True


class TooManyDecks(Fault):
    """More decks are put down for the last round of a shoe than the rulebook allows."""

    label = "too-many-decks"
    code = "deck.count-range"

    def spoil(self, case: Case) -> Spoiled | None:
        if not any(isinstance(event, CutCard) for event in case.round.events):
            return None
        round_ = msgspec.structs.replace(case.round, decks=case.law.decks[1] + 1)
        changed = Expected(code="deck.count-changed")
        return Spoiled(round=round_, expected=(Expected(code=self.code), changed))


class WrongRulebook(Fault):
    """The table claims a rulebook that is not in force."""

    label = "wrong-rulebook"
    code = "rulebook.mismatch"

    def spoil(self, case: Case) -> Spoiled | None:
        others = [name for name in rulebook_ids() if name != case.law.rulebook]
        round_ = msgspec.structs.replace(case.round, rulebook=case.rng.choice(others))
        return Spoiled(round=round_, expected=(Expected(code=self.code),))


class RecordBroken(Fault):
    """The record breaks off before the dealer's second card."""

    label = "record-broken-off"
    code = "record.incomplete"
    common = 2

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        dealer = _cards(draft, 0)
        if len(dealer) < 2 or not any(self._open(draft)):
            return None
        draft.items[dealer[1] :] = []
        draft.cut_off = True
        return (Expected(code=self.code),)

    def _open(self, draft: Draft) -> list[bool]:
        riding = [stake for stake in draft.stakes.values() if stake.kind in ("main", "split", "double")]
        return [stake.live for stake in riding]


class ExposedCard(Fault):
    """The table reports that a card was exposed; the rules say what follows, and it is worth a look."""

    label = "exposed-card"
    code = "irregularity.reported"

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        last = draft.places(Deal)[2 * len(plan.boxes)][0]
        draft.items.insert(last + 1, Irregularity(code="exposed_card"))
        return (Expected(code=self.code),)


class RoundGap(PlayFault):
    """A round is missing from the record of a shoe."""

    label = "round-missing"
    code = "shoe.round-gap"
    common = 2

    def stage(self, plan: Plan) -> bool:
        plan.script.skip_number = True
        plan.expect(self.code)
        return plan.table.round_no > 0


class ShuffleSkipped(PlayFault):
    """The shoe goes on for a round after the one in which the cutting card came out."""

    label = "shuffle-skipped"
    code = "shoe.shuffle-due"
    common = 2
    delays_shuffle = True

    def possible(self, law: Law) -> bool:
        return law.shuffle_required

    def stage(self, plan: Plan) -> bool:
        plan.expect(self.code)
        return plan.shuffle_overdue


def _on_jackpots(draft: Draft, box: int, code: str) -> tuple[Expected, ...]:
    """What is found of each Pandemonium wager of a box; one press pays them all (rws-2017 3.8.1)."""
    return tuple(
        Expected(code=code, box=box, wager=stake.id)
        for stake in draft.stakes.values()
        if (stake.box, stake.kind) == (box, "pandemonium")
    )


class UnknownMultiplier(OnJackpot):
    """The Pandemonium meter is recorded with a multiplier that it does not have."""

    label = "unknown-multiplier"
    code = "jackpot.multiplier"

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        pressed = draft.places(Press)
        if not pressed:
            return None
        place, press = pressed[0]
        draft.items[place] = msgspec.structs.replace(press, multiplier=7)
        return _on_jackpots(draft, press.box, self.code)


class PressedTwice(UnknownMultiplier):
    """The Pandemonium button is pressed twice for one box."""

    label = "pressed-twice"
    code = "jackpot.press"

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        pressed = draft.places(Press)
        if not pressed:
            return None
        place, press = pressed[0]
        draft.items.insert(place, press)
        return _on_jackpots(draft, press.box, self.code)


FAULTS: tuple[Fault, ...] = (
    DealOrder(),
    CardMissing(),
    SuperfluousHand(),
    SuperfluousUnburned(),
    BurnedOff(),
    UnreadableCard(),
    ForeignCard(),
    ExposedCard(),
    CardOfAnotherDeck(),
    TooManyDecks(),
    WrongRulebook(),
    RecordBroken(),
    RoundGap(),
    ShuffleSkipped(),
    UnknownMultiplier(),
    PressedTwice(),
)
