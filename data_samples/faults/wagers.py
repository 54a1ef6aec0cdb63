"""Faults in placing wagers: too late, too many, too much, by the wrong player, not on offer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import msgspec

from data_samples.faults.kinds import Fault
from data_samples.faults.play import PlayFault, found
from data_samples.faults.scenes import (
    accompanied,
    alone,
    doubled,
    hand,
    join,
    side,
    split_eights,
    stranger,
)
from data_samples.law import Law
from data_samples.plan import Expected, Plan, SideKind
from data_samples.state import Draft, Stake
from rules_replay.log import Amount, Deal, Forfeit, Wager


def _first(stakes: Iterable[Stake]) -> Stake | None:
    return next(iter(stakes), None)


def _placed(draft: Draft, stake: Stake) -> tuple[int, Wager]:
    """A wager in the record and its place."""
    return next((place, event) for place, event in draft.places(Wager) if event.id == stake.id)


def _move(draft: Draft, place: int, behind: int) -> None:
    """Move an item behind another that comes later."""
    draft.items.insert(behind, draft.items.pop(place))


def _change(draft: Draft, stake: Stake, amount: int) -> None:
    """Another amount on a wager already in the record."""
    place, event = _placed(draft, stake)
    stake.amount = amount
    draft.items[place] = msgspec.structs.replace(event, amount=Amount(amount))


def _card(draft: Draft, number: int) -> int:
    """Where the card of that number, counted from 0, was dealt."""
    return draft.places(Deal)[number][0]


class LateWager(Fault):
    """A co-wagerer puts chips down after the initial deal."""

    label = "late-wager"
    code = "wager.late"
    common = 4

    def stage(self, plan: Plan) -> bool:
        accompanied(plan)
        return True

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        late = [
            stake
            for box in plan.boxes
            for stake in _mains(draft, box.number)[1:]
            if not any(other.player == stake.player and other is not stake for other in draft.stakes.values())
        ]
        if not late:
            return None
        stake = plan.rng.choice(late)
        _move(draft, _placed(draft, stake)[0], _card(draft, 2 * len(plan.boxes)))
        return (found(self.code, stake),)


def _mains(draft: Draft, box: int) -> list[Stake]:
    return [stake for stake in draft.stakes.values() if stake.box == box and stake.kind == "main"]


class AgainstSign(PlayFault):
    """A main wager of an amount outside the sign, which `stage` scripts."""

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        box = next(iter(plan.script.amounts))[0]
        return (found(self.code, _mains(draft, box)[0]),)


class OddMultiple(AgainstSign):
    """A wager is accepted that is no multiple of what the sign asks."""

    label = "odd-multiple"
    code = "wager.multiples"
    common = 2

    def stage(self, plan: Plan) -> bool:
        sign = plan.table.sign
        if sign.multiples is None:
            return False
        box = plan.box(hand(plan, "X 8"))
        box.mains[0] = replace(box.mains[0], amount=(2 * sign.minimum + 1) * 1000, limit=None)
        plan.script.amounts[(box.number, 0)] = box.mains[0].amount
        return True


class BelowMinimum(AgainstSign):
    """A wager below the minimum is accepted; it is lawful and worth a look."""

    label = "below-minimum"
    code = "wager.below-min"

    def stage(self, plan: Plan) -> bool:
        sign = plan.table.sign
        if sign.multiples is not None:
            return False
        box = plan.box(hand(plan, "X 8"))
        box.mains[0] = replace(box.mains[0], amount=sign.minimum * 400, limit=None)
        plan.script.amounts[(box.number, 0)] = box.mains[0].amount
        return True


class AboveMaximum(BelowMinimum):
    """A wager above the maximum is accepted and settled by the rules; it is worth a look."""

    label = "above-maximum"
    code = "wager.above-max"

    def stage(self, plan: Plan) -> bool:
        sign = plan.table.sign
        box = plan.box(hand(plan, "X 8"))
        alone(plan, box.number)
        excess = (sign.maximum + 2 * sign.step) * 1000
        box.mains[0] = replace(box.mains[0], amount=excess, limit=None)
        plan.script.amounts[(box.number, 0)] = excess
        return True


class FourPlayers(PlayFault):
    """A fourth player wagers on a box."""

    label = "four-players"
    code = "wager.players-per-box"

    def possible(self, law: Law) -> bool:
        return law.players_per_box > 0

    def stage(self, plan: Plan) -> bool:
        if plan.table.sign.box_maximum is not None:
            return False
        box = plan.any_box()
        while len(plan.box(box).mains) <= plan.law.players_per_box:
            join(plan, box)
        plan.expect(self.code, box)
        return True


class BoxFull(PlayFault):
    """The main wagers on a box add up to more than the box maximum."""

    label = "box-over-maximum"
    code = "wager.box-total"

    def stage(self, plan: Plan) -> bool:
        sign = plan.table.sign
        if sign.box_maximum is None:
            return False
        box = plan.any_box()
        alone(plan, box)
        mains = plan.box(box).mains
        mains[0] = replace(mains[0], amount=sign.maximum * 1000, limit=None)
        while sum(bet.amount for bet in mains) <= sign.box_maximum * 1000:
            join(plan, box, sign.maximum * 1000)
        plan.expect(self.code, box)
        return len(mains) <= (plan.law.players_per_box or len(mains))


class SecondMain(PlayFault):
    """One player puts two main wagers on one box."""

    label = "second-main-wager"
    code = "wager.second-main"

    def possible(self, law: Law) -> bool:
        return law.one_main_per_player

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        alone(plan, box)
        plan.box(box).mains.append(plan.box(box).mains[0])
        plan.expect(self.code, box)
        return plan.table.sign.box_maximum is None


class SideNotOffered(PlayFault):
    """A pairs wager is taken that the table does not offer, and handed back."""

    label = "side-bet-not-offered"
    code = "side-bet.not-offered"
    common = 2

    def stage(self, plan: Plan) -> bool:
        kinds: tuple[SideKind, ...] = ("pair", "perfect_pairs")
        missing = [kind for kind in kinds if kind not in plan.table.offers]
        enough_decks = plan.table.decks >= plan.law.decks_with_perfect_pairs
        missing = [kind for kind in missing if kind == "pair" or enough_decks]
        if not missing:
            return False
        side(plan, plan.any_box(), missing[0])
        plan.script.side = missing[0]
        return True

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        return tuple(
            found(self.code, stake) for stake in draft.stakes.values() if stake.kind == plan.script.side
        )


class SideWithoutMain(PlayFault):
    """A pairs wager is taken from someone who has no wager on the box."""

    label = "side-bet-without-main"
    code = "side-bet.without-main"
    common = 2

    def possible(self, law: Law) -> bool:
        return bool(law.side_kinds) and law.side_bet_needs == "own"

    def stage(self, plan: Plan) -> bool:
        kinds: tuple[SideKind, ...] = ("pair", "perfect_pairs")
        offered = [kind for kind in kinds if kind in plan.table.offers]
        box = plan.any_box()
        room = not plan.law.sides_per_box or len(plan.box(box).sides) < plan.law.sides_per_box
        if not offered or not room:
            return False
        plan.script.player = stranger(plan, box)
        side(plan, box, offered[0], plan.script.player)
        return True

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        return tuple(
            found(self.code, stake) for stake in draft.stakes.values() if stake.player == plan.script.player
        )


class FourSides(PlayFault):
    """More pairs wagers are taken on a box than the rulebook allows."""

    label = "too-many-side-bets"
    code = "side-bet.too-many"

    def possible(self, law: Law) -> bool:
        return bool(law.side_kinds) and law.sides_per_box > 0

    def stage(self, plan: Plan) -> bool:
        kinds: tuple[SideKind, ...] = ("pair", "perfect_pairs")
        offered = [kind for kind in kinds if kind in plan.table.offers]
        box = plan.any_box()
        if not offered:
            return False
        while sum(bet.kind == offered[0] for bet in plan.box(box).sides) <= plan.law.sides_per_box:
            side(plan, box, offered[0])
        plan.expect(self.code, box)
        return True


class InsuredWithoutAce(PlayFault):
    """Insurance is taken though the dealer's first card is no ace."""

    label = "insurance-without-ace"
    code = "insurance.no-ace"
    common = 2
    cards = "X 8"
    dealer = "9 8"

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, self.cards)
        plan.decide(box, "stand")
        plan.script.insured.add(box)
        plan.deal(0, self.dealer)
        return True

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        stake = _insurance(draft, plan)
        return None if stake is None else (found(self.code, stake),)


def _insurance(draft: Draft, plan: Plan) -> Stake | None:
    return _first(s for s in draft.stakes.values() if s.kind == "insurance" and s.box in plan.script.insured)


class InsuredByPontoonHolder(InsuredWithoutAce):
    """A player who holds Pontoon takes insurance."""

    label = "insurance-pontoon-holder"
    code = "insurance.pontoon-holder"
    cards = "A X"
    dealer = "A 7"

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, self.cards)
        plan.script.insured.add(box)
        plan.deal(0, self.dealer)
        return True


class InsuredOverHalf(InsuredWithoutAce):
    """Insurance of the whole wager is taken."""

    label = "insurance-over-half"
    code = "insurance.over-half"
    common = 3
    dealer = "A 8"

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        stake = _insurance(draft, plan)
        if stake is None:
            return None
        _change(draft, stake, draft.stakes[stake.on or ""].amount)
        return (found(self.code, stake),)


class InsuredLate(InsuredWithoutAce):
    """Insurance is taken after the subsequent deal began."""

    label = "insurance-late"
    code = "insurance.late"
    common = 2
    cards = "5 3 X"
    dealer = "A 8"

    def stage(self, plan: Plan) -> bool:
        box = plan.any_box()
        plan.deal(box, self.cards)
        plan.decide(box, "hit stand")
        plan.script.insured.add(box)
        plan.deal(0, self.dealer)
        return True

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        stake = _insurance(draft, plan)
        if stake is None:
            return None
        _move(draft, _placed(draft, stake)[0], _card(draft, 2 * len(plan.boxes) + 1))
        return (found(self.code, stake),)


class InsuredOddAmount(InsuredWithoutAce):
    """Insurance is taken for an amount that the rulebook's increment does not allow."""

    label = "insurance-odd-amount"
    code = "insurance.increment"
    dealer = "A 8"

    def possible(self, law: Law) -> bool:
        return law.insurance_increment != "none"

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        stake = _insurance(draft, plan)
        if stake is None or plan.table.sign.smallest_chip is None:
            return None
        _change(draft, stake, stake.amount - 500)
        return (found(self.code, stake),)


class InsuredByAnother(InsuredWithoutAce):
    """A wager is insured by a player who does not own it."""

    label = "insurance-third-party"
    code = "insurance.third-party"
    common = 2
    dealer = "A 8"

    def possible(self, law: Law) -> bool:
        return not law.insures_others

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        stake = _insurance(draft, plan)
        if stake is None:
            return None
        place, event = _placed(draft, stake)
        stake.player = stranger(plan, stake.box)
        draft.items[place] = msgspec.structs.replace(event, player=stake.player)
        return (found(self.code, stake),)


class SplitStake(PlayFault):
    """The wager on a split hand is larger than the original."""

    label = "split-stake"
    code = "split.stake"
    common = 2

    def stage(self, plan: Plan) -> bool:
        box = split_eights(plan)
        plan.script.joins[(box, 1)] = True
        plan.script.amounts[(box, 2)] = plan.box(box).mains[0].amount + plan.table.sign.step * 1000
        alone(plan, box)
        return True

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        box = next(iter(plan.script.amounts))[0]
        return tuple(found(self.code, s) for s in draft.stakes.values() if s.kind == "split" and s.box == box)


class DoubledLate(PlayFault):
    """The wager that doubles is placed once the card of the double lies there."""

    label = "doubled-late"
    code = "double.late"
    common = 2

    def stage(self, plan: Plan) -> bool:
        alone(plan, doubled(plan, "5 5 8"))
        return True

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        return _behind_the_next_card(draft, "double", self.code)


class SplitLate(PlayFault):
    """The wager on a split hand is placed once the other hand has its second card."""

    label = "split-late"
    code = "split.late"
    common = 2

    def stage(self, plan: Plan) -> bool:
        alone(plan, split_eights(plan))
        return True

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        return _behind_the_next_card(draft, "split", self.code)


def _behind_the_next_card(draft: Draft, kind: str, code: str) -> tuple[Expected, ...] | None:
    """Move the first wager of a kind behind the card that follows it."""
    stake = _first(each for each in draft.stakes.values() if each.kind == kind)
    if stake is None:
        return None
    place, _ = _placed(draft, stake)
    following = [card for card, _ in draft.places(Deal) if card > place]
    if not following:
        return None
    _move(draft, place, following[0])
    return (found(code, stake),)


class ForfeitLate(PlayFault):
    """A doubled hand is forfeited after the dealer's second card."""

    label = "forfeit-late"
    code = "forfeit.eligibility"
    common = 2

    def stage(self, plan: Plan) -> bool:
        box = doubled(plan, "5 6 2", dealer="8 9")
        alone(plan, box)
        plan.decide(box, "forfeit")
        return plan.live_box(box)

    def rewrite(self, draft: Draft, plan: Plan) -> tuple[Expected, ...] | None:
        forfeits = draft.places(Forfeit)
        dealer = [place for place, event in draft.places(Deal) if event.box == 0]
        if not forfeits or len(dealer) < 2:
            return None
        place, event = forfeits[0]
        _move(draft, place, dealer[1])
        return (found(self.code, draft.stakes[event.wager]),)


FAULTS: tuple[Fault, ...] = (
    LateWager(),
    OddMultiple(),
    BelowMinimum(),
    AboveMaximum(),
    FourPlayers(),
    BoxFull(),
    SecondMain(),
    SideNotOffered(),
    SideWithoutMain(),
    FourSides(),
    InsuredWithoutAce(),
    InsuredByPontoonHolder(),
    InsuredOverHalf(),
    InsuredLate(),
    InsuredOddAmount(),
    InsuredByAnother(),
    SplitStake(),
    DoubledLate(),
    SplitLate(),
    ForfeitLate(),
)
