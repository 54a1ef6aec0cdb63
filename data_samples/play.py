"""One round of play, from the first wager to the dealer's last card, under one rulebook.

The order is the rulebooks' own: wagers, initial deal, pairs, insurance, Pontoons paid,
surrender, each box in turn, the dealer. Amounts are not this module's business: it only
marks where a wager is settled (see `data_samples.settle`).
"""

from __future__ import annotations

from data_samples import options
from data_samples.plan import DEALER, Bet, BoxPlan, Move, Place, Plan
from data_samples.players import wants_forfeit, wants_insurance, wants_surrender
from data_samples.state import Draft, Hand, Stake
from rules_replay.cards import card, total
from rules_replay.log import (
    Assign,
    CardText,
    CutCard,
    Deal,
    Double,
    Forfeit,
    NoMoreBets,
    Press,
    Split,
    Stand,
    Surrender,
)

METER = {2: 30, 3: 25, 5: 20, 10: 12, 20: 6, 25: 4, 50: 2, 100: 1}
"""Multipliers of the Pandemonium meter (rws-2017 4.3) and how often each comes up."""


class UnableToStack(Exception):
    """The shoe no longer holds the cards a script asks for."""


def play_round(plan: Plan) -> Draft:
    """Deal one round; raises `UnableToStack` before anything has happened."""
    return _Round(plan).play()


class _Round:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.law = plan.law
        self.script = plan.script
        self.shoe = plan.shoe
        self.rng = plan.rng
        self.draft = Draft()
        self.moves = {place: list(moves) for place, moves in plan.script.moves.items()}
        self.dealer_moves = list(plan.script.dealer)
        self.declined: set[int] = set()
        self.insured: list[Stake] = []
        self.stacked = self._stack()

    def _stack(self) -> dict[Place, list[str]]:
        places = [place for place, cards in self.script.cards.items() for _ in cards]
        held = self.shoe.hold(wish for cards in self.script.cards.values() for wish in cards)
        if held is None:
            raise UnableToStack
        stacked: dict[Place, list[str]] = {place: [] for place in self.script.cards}
        for place, text in zip(places, held, strict=True):
            stacked[place].append(text)
        return stacked

    def play(self) -> Draft:
        self.place_wagers()
        self.initial_deal()
        self.settle_pairs()
        self.offer_insurance()
        self.pay_pontoons()
        if self.law.surrender_window == "before_any_draw":
            for box in self.plan.boxes:
                self.offer_surrender(box)
        for number in self.script.turns or tuple(box.number for box in self.plan.boxes):
            if number == self.script.early_second_card:
                self.deal(0)
            self.play_box(self.plan.box(number))
        self.dealer_hand()
        self.shoe.release(text for cards in self.stacked.values() for text in cards)
        return self.draft

    def place_wagers(self) -> None:
        for box in self.plan.boxes:
            for bet in box.mains:
                self._place(box, bet)
        for box in self.plan.boxes:
            for bet in box.sides:
                self._place(box, bet)
        if self.plan.table.announces:
            self.draft.items.append(NoMoreBets())

    def _place(self, box: BoxPlan, bet: Bet) -> None:
        self.draft.wager(box.number, bet.player, bet.kind, bet.amount, limit=bet.limit)

    def initial_deal(self) -> None:
        for box in self.plan.boxes:
            self.draft.new_hand(box.number)
            self.deal(box.number)
        self.draft.new_hand(0)
        scheme = self.plan.table.scheme
        late = scheme is not None and scheme.skips_first_card and scheme.by_first_dealer(self.plan.table)
        if not late:
            self.deal(0)
        for box in self.plan.boxes:
            self.deal(box.number)
        if late:
            self.deal(0)
        for hand in self.draft.hands.values():
            hand.from_initial = len(hand.cards)

    def deal(self, box: int, number: int = 1) -> Hand:
        hand = self.draft.hands[(box, number)]
        waiting = self.stacked.get((box, number), [])
        if not hand.cards and self.script.alien_card_to == box:
            text = self.shoe.smuggle(self.rng.choice(self.plan.exhausted()))
        else:
            before = self.shoe.cut_card_out
            text = self.shoe.draw_held(waiting.pop(0)) if waiting else self.shoe.draw()
            if self.shoe.cut_card_out and not before:
                self.draft.items.append(CutCard())
        hand.cards.append(card(text))
        self.draft.items.append(Deal(box=box, hand=number, card=CardText(text)))
        return hand

    @property
    def dealer(self) -> Hand:
        return self.draft.hands[DEALER]

    @property
    def upcard(self) -> int:
        return self.dealer.cards[0].value

    def settle_pairs(self) -> None:
        for stake in list(self.draft.stakes.values()):
            if stake.kind in ("perfect_pairs", "pair"):
                self.draft.mark(stake)

    def offer_insurance(self) -> None:
        for box in self.plan.boxes:
            if self.upcard != 1 and box.number not in self.script.insured:
                continue
            scripted = box.number in self.script.insured
            for main in self.draft.originals(box.number, 1)[: 1 if scripted else None]:
                self._offer_insurance(box, main, scripted=scripted)

    def _offer_insurance(self, box: BoxPlan, main: Stake, *, scripted: bool) -> None:
        amount = options.insurance_of(main, self.plan.table.sign, self.law)
        open_to_him = amount > 0 and not self.draft.hands[(box.number, 1)].pontoon
        if scripted or (open_to_him and wants_insurance(box.habits[main.player], self.rng)):
            self.insured.append(self.draft.wager(box.number, main.player, "insurance", amount, on=main.id))
        elif open_to_him and self.law.insures_others:
            self._offer_insurance_to_others(box, main, amount)

    def _offer_insurance_to_others(self, box: BoxPlan, main: Stake, amount: int) -> None:
        """act-2018 7.2: where the owner declines, another player may insure his wager."""
        others = sorted({bet.player for each in self.plan.boxes for bet in each.mains} - {main.player})
        if others and self.rng.random() < 0.1:
            player = self.rng.choice(others)
            self.insured.append(self.draft.wager(box.number, player, "insurance", amount, on=main.id))

    def pay_pontoons(self) -> None:
        for box in self.plan.boxes:
            side = [
                stake
                for stake in self.draft.stakes.values()
                if stake.box == box.number and stake.kind == "pandemonium"
            ]
            pontoon = self.draft.hands[(box.number, 1)].pontoon
            if pontoon:
                for stake in self.draft.on_hand(box.number, 1):
                    self.draft.mark(stake)
            if pontoon and side:
                multiplier = self.rng.choices(list(METER), weights=list(METER.values()))[0]
                self.draft.items.append(Press(box=box.number, multiplier=multiplier))
            for stake in side:
                self.draft.mark(stake)

    def offer_surrender(self, box: BoxPlan) -> None:
        """Ask for surrender on the box's first hand.

        Where the recorder keeps no decisions the box answers as one: a wager given up alone
        and annulled could not be told from a loss.
        """
        hand = self.draft.hands[(box.number, 1)]
        asked = self.moves.get((box.number, 1))
        if asked:
            if asked[0] == "surrender" and len(hand.cards) == 2:
                asked.pop(0)
                self._surrender(hand)
            return
        if self.upcard not in (1, 10) or hand.total(self.law).points >= 21:
            return
        view = options.view(hand, self.law, self.upcard, frozenset({"surrender"}))
        stakes = self.draft.originals(box.number, 1)
        if self.law.surrender_binds == "wager" and "decisions" in self.plan.table.facts():
            giving_up = [
                stake for stake in stakes if wants_surrender(box.habits[stake.player], view, self.rng)
            ]
            self._surrender_wagers(hand, stakes, giving_up)
        elif wants_surrender(box.habits[stakes[0].player], view, self.rng):
            self._surrender(hand)

    def _surrender(self, hand: Hand) -> None:
        stakes = self.draft.originals(hand.box, hand.number)
        self._surrender_wagers(
            hand, stakes, stakes[-1:] if self.script.rider_surrenders == hand.box else stakes
        )

    def _surrender_wagers(self, hand: Hand, stakes: list[Stake], giving_up: list[Stake]) -> None:
        if not giving_up:
            return
        if len(giving_up) == len(stakes):
            hand.surrendered = True
            self.draft.items.append(Surrender(box=hand.box, hand=hand.number))
        else:
            for stake in giving_up:
                self.draft.items.append(Surrender(box=hand.box, hand=hand.number, wager=stake.id))
        for stake in giving_up:
            stake.surrendered = True

    def play_box(self, box: BoxPlan) -> None:
        if self.law.surrender_window == "own_turn":
            self.offer_surrender(box)
        number = 1
        while (box.number, number) in self.draft.hands:
            self.play_hand(box, self.draft.hands[(box.number, number)])
            number += 1

    def play_hand(self, box: BoxPlan, hand: Hand) -> None:
        if len(hand.cards) == 1:
            self.draw(hand)
        while True:
            move = self._next_move(box, hand)
            if move is None:
                return
            self._make(move, box, hand)

    def _next_move(self, box: BoxPlan, hand: Hand) -> Move | None:
        scripted = self.moves.get((hand.box, hand.number))
        if scripted:
            return scripted.pop(0)
        if hand.finished(self.law):
            return None
        hands = sum(1 for place in self.draft.hands if place[0] == box.number)
        declined = box.number in self.declined
        open_options = options.open_to(hand, self.law, hands=hands, declined=declined)
        view = options.view(hand, self.law, self.upcard, open_options)
        move = options.decide(box.habits[self._playing(hand)[0].player], view, self.rng)
        if "split" in open_options and move != "split":
            self.declined.add(box.number)
        return move

    def _make(self, move: Move, box: BoxPlan, hand: Hand) -> None:
        if move == "hit":
            self.draw(hand)
        elif move == "stand":
            hand.stood = True
            self.draft.items.append(Stand(box=hand.box, hand=hand.number))
        elif move == "split":
            self.split(box, hand)
        elif move == "double":
            self.double(box, hand)
        elif move == "surrender":
            self._surrender(hand)
        else:
            self.forfeit(hand)

    def draw(self, hand: Hand) -> None:
        self.deal(hand.box, hand.number)
        self._settle_if_decided(hand)

    def _settle_if_decided(self, hand: Hand) -> None:
        """Pay a 21 and collect a bust before the next card, where table and rulebook do so."""
        for stake in self.draft.on_hand(hand.box, hand.number):
            if not stake.live:
                continue
            points = hand.total(self.law, undoubled=self._keeps_own_total(hand, stake)).points
            if points < 21:
                continue
            if points == 21 and hand.doubled and not self.law.pays_doubled_21_at_once:
                stake.settled = True
            elif points > 21 and not self._collects_busts_at_once:
                stake.settled = True
            else:
                self.draft.mark(stake)

    @property
    def _collects_busts_at_once(self) -> bool:
        return "interim.bust-uncollected" in self.law.checks or self.plan.table.collects_busts_at_once

    def _keeps_own_total(self, hand: Hand, stake: Stake) -> bool:
        if not (hand.doubled and self.law.own_total_undoubled):
            return False
        return stake.kind != "double" and self.draft.doubled_part(stake) is None

    def split(self, box: BoxPlan, hand: Hand) -> None:
        new = self.draft.new_hand(box.number)
        new.cards.append(hand.cards.pop(1))
        new.from_initial, hand.from_initial = int(hand.from_initial == 2), min(hand.from_initial, 1)
        hand.from_split = new.from_split = True
        self.draft.items.append(Split(box=box.number, hand=hand.number, to=new.number))
        place = (hand.box, hand.number)
        leader, *riders = self._playing(hand)
        if self.script.leads.get(place, True):
            self._split_wager(leader, new)
        for rider in riders:
            if self._joins(box, place, rider):
                self._split_wager(rider, new)
            elif self._rides_on_new_hand(place, new):
                rider.hand = new.number
                self.draft.items.append(Assign(wager=rider.id, box=box.number, hand=new.number))
        self.draw(hand)

    def _playing(self, hand: Hand) -> list[Stake]:
        stakes = self.draft.originals(hand.box, hand.number)
        return [stake for stake in stakes if not stake.surrendered]

    def _joins(self, box: BoxPlan, place: Place, rider: Stake) -> bool:
        if place in self.script.joins:
            return self.script.joins[place]
        return self.rng.random() < box.habits[rider.player].joins

    def _rides_on_new_hand(self, place: Place, new: Hand) -> bool:
        if place in self.script.assigns:
            return self.script.assigns[place] == new.number
        return self.law.rider_chooses_hand and self.rng.random() < 0.4

    def _split_wager(self, stake: Stake, new: Hand) -> None:
        main = stake.on or stake.id
        amount = self.script.amounts.get((new.box, new.number), stake.amount)
        self.draft.wager(new.box, stake.player, "split", amount, hand=new.number, on=main)

    def double(self, box: BoxPlan, hand: Hand) -> None:
        hand.doubled = True
        self.draft.items.append(Double(box=hand.box, hand=hand.number))
        place = (hand.box, hand.number)
        leader, *riders = self._playing(hand)
        if self.script.leads.get(place, True):
            self._double_wager(leader)
        for rider in riders:
            if self._joins(box, place, rider):
                self._double_wager(rider)
        self.draw(hand)
        if place not in self.script.moves:
            self._offer_forfeit(hand)

    def _double_wager(self, stake: Stake) -> None:
        amount = self.script.amounts.get((stake.box, stake.hand))
        if amount is None:
            less = self.rng.random() < 0.1
            amount = options.double_for_less(stake.amount, self.plan.table.sign) if less else stake.amount
        self.draft.wager(stake.box, stake.player, "double", amount, hand=stake.hand, on=stake.id)

    def _offer_forfeit(self, hand: Hand) -> None:
        """Asked at once: nz-2000 12.8 closes the option with the next card to anyone."""
        points = hand.total(self.law).points
        for stake in self.draft.originals(hand.box, hand.number):
            doubled = self.draft.doubled_part(stake)
            if doubled is not None and stake.live and points < 21:
                if wants_forfeit(points, self.upcard, self.rng):
                    self._forfeit(stake, doubled)

    def forfeit(self, hand: Hand) -> None:
        for stake in self.draft.originals(hand.box, hand.number):
            doubled = self.draft.doubled_part(stake)
            if doubled is not None:
                self._forfeit(stake, doubled)

    def _forfeit(self, stake: Stake, doubled: Stake) -> None:
        stake.forfeited = doubled.forfeited = True
        self.draft.items.append(Forfeit(wager=stake.id))

    def dealer_hand(self) -> None:
        """Draw to hard 16 and soft 17 while a wager depends on it, and otherwise stop."""
        if len(self.dealer.cards) == 1 and self._dealer_move(self._needs_second_card()):
            self.deal(0)
            self._collect_insurance()
        elif len(self.dealer.cards) == 1:
            return
        while self._dealer_move(self._needs_another_card()):
            self.deal(0)

    def _dealer_move(self, lawful: bool) -> bool:
        return self.dealer_moves.pop(0) == "draw" if self.dealer_moves else lawful

    def _riding(self) -> list[Stake]:
        return [stake for stake in self.draft.stakes.values() if stake.kind in ("main", "split", "double")]

    def _needs_second_card(self) -> bool:
        if self.insured or any(stake.live for stake in self._riding()):
            return True
        if self.upcard in (1, 10) and any(stake.surrendered for stake in self._riding()):
            return True
        return self.law.second_card_idle and self.plan.table.takes_second_card_idle

    def _needs_another_card(self) -> bool:
        count = total(self.dealer.cards)
        if count.points >= 18 or (count.points == 17 and not (count.soft and self._draws_to_soft_17)):
            return False
        if any(stake.live for stake in self._riding()):
            return True
        return self.law.later_cards_idle and self.plan.table.takes_second_card_idle

    @property
    def _draws_to_soft_17(self) -> bool:
        scheme = self.plan.table.scheme
        return scheme is None or not (scheme.stands_on_soft_17 and scheme.on(self.plan.table))

    def _collect_insurance(self) -> None:
        """Losing insurance is collected before any further card (nz-2000 10.6, adelaide-2008 26(b))."""
        if total(self.dealer.cards).points != 21:
            for stake in self.insured:
                self.draft.mark(stake)
