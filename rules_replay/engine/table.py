"""The table as the log shows it, and what the rules ask of it: who plays, what lies where, what came when."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from rules_replay import log
from rules_replay.cards import Card, Total
from rules_replay.engine.acts import (
    AssignAct,
    DoubleAct,
    Draw,
    ForfeitAct,
    Removal,
    SplitAct,
    StandAct,
    SurrenderAct,
)
from rules_replay.engine.pieces import NEVER, Bet, Box, Hand, Pile
from rules_replay.rulebook import Rulebook


@dataclass(eq=False)
class Table:
    """A whole round laid out; seqs that never came are `NEVER`.

    ``dealer_second_at`` is the dealer's second card that stays with him, ``first_second_at`` the
    first that came, burned or not; ``burned_at`` is the first card burned off the shoe, ``taken_back``
    are the cards burned off a hand by their seq, ``removals`` the same in order, and ``disturbed``, which
    are found once the round is laid out, those by hand that were due to it.

    ``events`` are those of the whole log, where no more than its beginning is laid out. ``passed_over`` are
    the boxes (0: the dealer) that waited for a card of the initial deal when another got one too many, and
    ``goes_on`` is where in the log, and whether, that deal was seen to go on after such a card.

    ``on_hands`` are the wagers on hands, which are main, split and doubled ones; ``insurance`` are those by
    the bet insured; ``riders`` the main and split ones by hand; ``groups`` those that belong to a main one.

    What is looked up again and again is gathered once when the round is laid out, or the first
    time that it is asked for after that: a round of any length takes a time in keeping with it.
    """

    round: log.Round
    book: Rulebook
    facts: frozenset[str]
    events: tuple[log.AnyEvent, ...] = ()
    boxes: dict[int, Box] = field(default_factory=dict)
    dealer: Hand = field(default_factory=lambda: Hand(box=0, no=1))
    bets: dict[str, Bet] = field(default_factory=dict)
    portions: dict[str, list[Bet]] = field(default_factory=dict)
    draws: list[Draw] = field(default_factory=list)
    taken_back: set[int] = field(default_factory=set)
    removals: list[Removal] = field(default_factory=list)
    disturbed: dict[Hand, Removal] = field(default_factory=dict)
    splits: list[SplitAct] = field(default_factory=list)
    doubles: list[DoubleAct] = field(default_factory=list)
    surrenders: list[SurrenderAct] = field(default_factory=list)
    stands: list[StandAct] = field(default_factory=list)
    forfeits: list[ForfeitAct] = field(default_factory=list)
    assigns: list[AssignAct] = field(default_factory=list)
    irregularities: list[tuple[int, log.Irregularity]] = field(default_factory=list)
    presses: list[tuple[int, log.Press]] = field(default_factory=list)
    foreign: list[tuple[int, Card, int, int]] = field(default_factory=list)
    unreadable: list[tuple[int, int, int]] = field(default_factory=list)
    initial_sequence: list[tuple[int, int]] = field(default_factory=list)
    passed_over: set[int] = field(default_factory=set)
    goes_on: tuple[int, bool] = (-1, False)
    participants: tuple[int, ...] = ()
    first_card_at: int = NEVER
    no_more_bets_at: int = NEVER
    burned_at: int = NEVER
    cut_card_at: int = NEVER
    initial_done_at: int = NEVER
    initial_closed_at: int = NEVER
    served_at: int = NEVER
    subsequent_at: int = NEVER
    dealer_second_at: int = NEVER
    first_second_at: int = NEVER
    void_round_at: int = NEVER
    last_deal_at: int = -1
    deals: list[int] = field(default_factory=list)
    hands: tuple[Hand, ...] = ()
    on_hands: list[Bet] = field(default_factory=list)
    side_bets: list[Bet] = field(default_factory=list)
    insurance_bets: list[Bet] = field(default_factory=list)
    insurance: dict[Bet | None, list[Bet]] = field(default_factory=dict)
    riders: dict[Hand, list[Bet]] = field(default_factory=dict)
    groups: dict[Bet, list[Bet]] = field(default_factory=dict)
    void: bool = False

    def __iter__(self) -> Iterator[Hand]:
        return iter(self.hands)

    @property
    def upcard(self) -> Card | None:
        """The dealer's first card, None where there is none."""
        return self.dealer.cards[0].card if self.dealer.cards else None

    @property
    def dealer_played_on_at(self) -> int:
        """The dealer's second card, but for one within the initial deal: that went on (ruling 12).

        What is open until the subsequent deal is still to come then (act-2018 7.3 9.1, nz-2000 def:Surrender
        10.3, rws-2017 3.9 3.10, adelaide-2008 26 70).
        """
        went_on = self.initial_sequence and self.initial_sequence[-1][0] > self.dealer_second_at
        return NEVER if went_on else self.dealer_second_at

    @property
    def initial_complete(self) -> bool:
        return self.initial_done_at != NEVER

    def off_the_box(self, box: int, player: str | None, moment: int) -> bool:
        """Whether the main wagers on a box, or a player's there, were all void or taken back before a moment.

        False where there are none.
        """
        return self._last_gone.get((box, player), NEVER) < moment

    @cached_property
    def _last_gone(self) -> dict[tuple[int, str | None], int]:
        """Seq at which the last main wager was off a box, by box and player, and by box for everybody."""
        found: dict[tuple[int, str | None], int] = {}
        for box in self.boxes.values():
            for bet in box.mains:
                for place in ((box.no, bet.player), (box.no, None)):
                    found[place] = max(found.get(place, -1), gone_at(bet))
        return found

    @cached_property
    def playing(self) -> set[str]:
        """The players with a main wager in the round."""
        mains = (bet for box in self.boxes.values() for bet in box.mains)
        return {bet.player for bet in mains if not taken_back_in_time(self, bet)}

    def ridden(self, bet: Bet, moment: int) -> Hand | None:
        """The hand of a main or split wager at a moment: where it was placed, or last assigned to."""
        chosen = [act.hand for act in self.assigns if act.bet is bet and act.seq < moment]
        if chosen:
            return chosen[-1]
        return self.boxes[bet.box].hands.get(bet.placed.hand if bet.kind == "split" else 1)

    def placed_after(self, hand: Hand, moment: int) -> bool:
        """Whether all wagers on a hand are main ones placed after a moment."""
        riders = self.bets_on(hand)
        return bool(riders) and all(bet.kind == "main" and bet.seq > moment for bet in riders)

    def bets_on(self, hand: Hand) -> list[Bet]:
        """Main and split bets that ride on a hand, the controlling player's first."""
        return self.riders.get(hand, [])

    def joined(self, kind: log.WagerKind, hand: Hand) -> set[Bet]:
        """The roots of the bets of a kind that ride on a hand."""
        return self._joined.get((kind, hand), set())

    @cached_property
    def _joined(self) -> dict[tuple[str, Hand], set[Bet]]:
        found: dict[tuple[str, Hand], set[Bet]] = {}
        for bet in self.bets.values():
            found.setdefault((bet.kind, bet.hand), set()).add(bet.root)
        return found

    def covering(self, bet: Bet) -> list[Bet]:
        """The split wagers that cover one hand for the same original wager, in order; void ones left out
        beside others.
        """
        same = self._covering[bet.root, bet.hand]
        return [each for each in same if each.void_at is None and each.withdrawn_at is None] or same

    @cached_property
    def _covering(self) -> dict[tuple[Bet, Hand], list[Bet]]:
        found: dict[tuple[Bet, Hand], list[Bet]] = {}
        for bet in self.on_hands:
            if bet.kind == "split":
                found.setdefault((bet.root, bet.hand), []).append(bet)
        return found

    def double_of(self, bet: Bet) -> Bet | None:
        """The doubled portion on a main or split bet."""
        placed = self.portions.get(bet.id)
        return placed[0] if placed else None

    def doubled_portions(self, bet: Bet) -> list[Bet]:
        """Every doubled portion placed on a main or split bet (one, in a lawful round)."""
        return self.portions.get(bet.id, [])

    @cached_property
    def added(self) -> dict[Bet, int]:
        """What each portion brings the doubling of its wager to, void ones before it left out."""
        found: dict[Bet, int] = {}
        for placed in self.portions.values():
            together = 0
            for bet in placed:
                found[bet] = together + bet.placed.amount
                if bet.void_at is None and bet.withdrawn_at is None:
                    together = found[bet]
        return found

    @cached_property
    def doubled_for_more(self) -> set[str]:
        """The wagers that one of their portions, with those before it that are not void, exceeds."""
        return {
            base
            for base, placed in self.portions.items()
            if any(self.added[bet] > most_doubled(self.bets[base]) for bet in placed)
        }

    def group(self, root: Bet) -> list[Bet]:
        """A main bet with the split and doubled bets that belong to it."""
        return self.groups.get(root, [])

    @cached_property
    def insured_by_owner(self) -> set[Bet]:
        """Bets that their own players insured."""
        return {
            insured
            for insured, placed in self.insurance.items()
            if insured is not None and any(bet.player == insured.player for bet in placed)
        }

    @cached_property
    def split_roots(self) -> set[Bet]:
        """Main bets with a split bet that belongs to them."""
        return {bet.root for bet in self.bets.values() if bet.kind == "split"}

    @cached_property
    def players(self) -> dict[int, set[str]]:
        """Who has a main wager, by box."""
        return {box.no: {bet.player for bet in box.mains} for box in self.boxes.values()}

    @cached_property
    def side_kinds(self) -> tuple[str, ...]:
        """The kinds of the side wagers, each once, in the order in which they were first placed."""
        return tuple(dict.fromkeys(bet.kind for bet in self.side_bets))

    @cached_property
    def counting(self) -> dict[tuple[Hand, int], tuple[Card, ...]]:
        """The cards that count of hands looked at before, by hand and aces held at one."""
        return {}

    @cached_property
    def kept_draws(self) -> list[Draw]:
        """The further cards of players that were not burned off the hand again."""
        return [draw for draw in self.draws if draw.seq not in self.taken_back]

    @cached_property
    def kept_deals(self) -> list[int]:
        """Seqs of the cards dealt to anyone that were not burned off the hand again."""
        return [seq for seq in self.deals if seq not in self.taken_back]

    @property
    def first_further_at(self) -> int:
        """Seq of the first further card that a player kept: one taken back is as though it had not come.

        act-2018 15.3, nz-2000 16.3 16.5, rws-2017 5.1.2, adelaide-2008 109.
        """
        return self.kept_draws[0].seq if self.kept_draws else NEVER

    @cached_property
    def foreign_at(self) -> dict[int, int]:
        """Where in the log the first foreign card came that lies on a hand of a box at the end, by box."""
        found: dict[int, int] = {}
        for hand in self:
            for drawn in hand.cards:
                if drawn.card.foreign:
                    found[hand.box] = min(found.get(hand.box, NEVER), drawn.seq)
        return found

    def done_before(self, base: Bet, moment: int) -> bool:
        """Whether a bet's hand was complete before a moment, and nothing was dealt or decided since.

        Who assigns a wager or forfeits it decides for that wager alone.
        """
        hand = base.hand
        last = max(self._last_decided.get(hand, -1), self._last_decided.get(base, -1))
        dealt = any(drawn.seq >= moment for drawn in hand.cards)
        return is_complete(hand) and not dealt and last < moment

    @cached_property
    def _last_decided(self) -> dict[Hand | Bet, int]:
        """Seq of the last card to each hand after the initial deal or decision on it, or on a bet alone."""
        found: dict[Hand | Bet, int] = {}

        def note(what: Hand | Bet, seq: int) -> None:
            found[what] = max(found.get(what, -1), seq)

        for acts in (self.draws, self.doubles, self.stands, self.surrenders, self.splits):
            for act in acts:
                note(act.hand, act.seq)
        for split in self.splits:
            note(split.to, split.seq)
        for alone in (self.assigns, self.forfeits):
            for choice in alone:
                note(choice.bet, choice.seq)
        return found

    @cached_property
    def formed(self) -> dict[Hand, SplitAct]:
        """The first split that formed each hand."""
        found: dict[Hand, SplitAct] = {}
        for act in self.splits:
            found.setdefault(act.to, act)
        return found

    def first_of(self, box: int, *kinds: Sequence[Draw | SplitAct | DoubleAct | StandAct]) -> int:
        """Seq of the first of some kinds of act on a box."""
        found = NEVER
        for acts in kinds:
            if id(acts) not in self._firsts:
                self._firsts[id(acts)] = _first_by_box(acts)
            found = min(found, self._firsts[id(acts)].get(box, NEVER))
        return found

    @cached_property
    def _firsts(self) -> dict[int, dict[int, int]]:
        return {}

    def controller(self, box: Box, moment: int) -> Bet | None:
        """The main bet of whoever made the decisions at a moment: the first on the box then in play."""
        if box not in self._in_play:
            binds = self.book.reads("surrender_binds") == "box"
            gone = [gone_at(bet) for bet in box.mains]
            if not binds:
                gone = [
                    min(left_at, NEVER if bet.surrendered_at is None else bet.surrendered_at)
                    for left_at, bet in zip(gone, box.mains, strict=True)
                ]
            self._in_play[box] = list(accumulate(gone, max))
        place = bisect_left(self._in_play[box], moment)
        if place < len(box.mains):
            return box.mains[place]
        return box.mains[0] if box.mains else None

    @cached_property
    def _in_play(self) -> dict[Box, list[int]]:
        """Of each main bet of a box the seq from which it and all before it decide nothing more."""
        return {}

    def reported(self, code: str, box: int | None = None) -> int:
        """Seq of the first irregularity of a code reported for a box or the whole table."""
        if not self.irregularities:
            return NEVER
        if box is None:
            places = self._reports.get(code, {}).values()
            return min(places, default=NEVER)
        of_code = self._reports.get(code, {})
        return min(of_code.get(box, NEVER), of_code.get(None, NEVER))

    def reported_for(self, code: str, box: int) -> int:
        """Seq of the first irregularity of a code reported for this very box."""
        return self._reports.get(code, {}).get(box, NEVER) if self.irregularities else NEVER

    @cached_property
    def surrenders_never_open(self) -> set[int]:
        """Seqs of the surrenders of hands from a split, of hands that had won or lost by then, and of another
        hand than the wager named rode on.
        """
        return {
            act.seq
            for act in self.surrenders
            if act.of_split or act.elsewhere or act.held.total().points >= 21
        }

    @cached_property
    def _reports(self) -> dict[str, dict[int | None, int]]:
        """Seq of the first irregularity by code and box."""
        found: dict[str, dict[int | None, int]] = {}
        for seq, irregularity in self.irregularities:
            found.setdefault(irregularity.code, {}).setdefault(irregularity.box, seq)
        return found

    @cached_property
    def moves(self) -> list[tuple[int, Hand]]:
        """Seq and hand of every further card kept, split and double, in order."""
        acts = (self.kept_draws, self.splits, self.doubles)
        return sorted(((act.seq, act.hand) for each in acts for act in each), key=lambda move: move[0])

    def deal_at(self, seq: int) -> log.Deal:
        """The deal of a card, by its seq."""
        event = self.round.events[seq]
        assert isinstance(event, log.Deal)
        return event

    def next_deal_after(self, seq: int) -> int:
        """Seq of the first card dealt to anyone after a moment."""
        return _next_after(self.deals, seq)

    def next_kept_deal_after(self, seq: int) -> int:
        """Seq of the first card after a moment that was not burned off its hand again."""
        return _next_after(self.kept_deals, seq)


def _next_after(deals: Sequence[int], seq: int) -> int:
    place = bisect_right(deals, seq)
    return deals[place] if place < len(deals) else NEVER


def _first_by_box(acts: Sequence[Draw | SplitAct | DoubleAct | StandAct]) -> dict[int, int]:
    found: dict[int, int] = {}
    for act in acts:
        found.setdefault(act.hand.box, act.seq)
    return found


def box_of(table: Table, no: int) -> Box:
    """A box by its number, made where there is none yet."""
    box = table.boxes.get(no)
    if box is None:
        box = table.boxes[no] = Box(no)
    return box


def hand_of(table: Table, box: int, no: int) -> Hand:
    """A hand, made where there is none yet; every hand of box 0 is the dealer's."""
    if box == 0:
        return table.dealer
    hands = box_of(table, box).hands
    hand = hands.get(no)
    if hand is None:
        hand = hands[no] = Hand(box=box, no=no)
    return hand


def hands_in_order(table: Table) -> Iterator[Hand]:
    """The players' hands by box and number."""
    for _, box in sorted(table.boxes.items()):
        yield from (hand for _, hand in sorted(box.hands.items()))


def most_doubled(base: Bet) -> int:
    """For how much a main or split wager may be doubled: the original one, or itself if it is more.

    A split wager may be less where the original was above the maximum (act-2018 def:Double, adelaide-2008
    62(a); ruling 3).
    """
    return max(base.placed.amount, base.root.placed.amount)


def taken_back_in_time(table: Table, bet: Bet) -> bool:
    """Whether a wager was off the table again before the first card: it was none (act-2018 4.3)."""
    return bet.withdrawn_at is not None and bet.withdrawn_at < table.first_card_at


def gone_at(bet: Bet) -> int:
    """Seq at which a main wager was declared void, by itself or with its hand, or taken back."""
    moments = (bet.void_at, bet.withdrawn_at, bet.hand.void_at)
    return min((moment for moment in moments if moment is not None), default=NEVER)


def is_complete(hand: Hand) -> bool:
    """Whether a hand takes no more cards: it stood, was doubled, has a card to a split ace, or 21 or more."""
    played = hand.stood_at is not None or hand.doubled
    return played or (len(hand.cards) >= 2 and (hand.split_aces or hand.pile.total().points >= 21))


def fixed_aces(table: Table, hand: Hand, reading: str) -> int:
    """How many aces of a doubled hand are held at one (act-2018 2.5(a), nz-2000 12.2)."""
    if not hand.doubled or reading == "none":
        return 0
    later = table.book.reads("later_aces")
    if later != "free":
        cards = hand.cards if later == "all_at_one" else hand.cards[: hand.cards_at_double]
        return sum(drawn.card.rank == "A" for drawn in cards)
    if reading == "initial_deal":
        return sum(drawn.card.rank == "A" and drawn.initial for drawn in hand.cards)
    return sum(drawn.card.rank == "A" for drawn in hand.cards[:2])


def is_pontoon(hand: Hand, cards: tuple[Card, ...]) -> bool:
    """An ace and a picture, or a foreign ten, as the first two cards, not after a split (act-2018 11.7)."""
    if hand.of_split or len(cards) != 2:
        return False
    ranks = {each.rank for each in cards}
    return "A" in ranks and any(each.picture or each.rank == "10" for each in cards)


def hand_total(table: Table, hand: Hand, held: Pile | None = None) -> Total:
    """The total of a hand, or of what it held, as it counts for those who doubled it."""
    return (hand.pile if held is None else held).total(
        fixed_aces(table, hand, table.book.reads("fixed_aces"))
    )
