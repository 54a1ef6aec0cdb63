"""The table as the log shows it: boxes, hands and bets after every event has happened.

Laying out a round never judges and never repairs: each event is applied because it
did happen. What a rule needs to know about the moment of an event (the cards then on
the hand, how many hands the box then had) is kept with it as an act, so that the
rules in the other modules can look at any moment without replaying the round.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, takewhile
from typing import Any, Final

import msgspec

from rules_replay import log
from rules_replay.cards import Card, Total, card, counted
from rules_replay.results import Money
from rules_replay.rulebook import Rulebook

NEVER = 2**31
"""A seq later than any event: the place of what never happened."""


class Drawn(msgspec.Struct, frozen=True):
    """A card on a hand: where in the log it was dealt, and whether in the initial deal."""

    card: Card
    seq: int
    initial: bool


class Pile(msgspec.Struct, frozen=True, eq=False):
    """The cards of a hand at one moment: the last one on the pile below it.

    Moments share what they have in common, and each carries its count, so that a hand of
    any length can be looked at after every card.
    """

    below: Pile | None = None
    last: Card | None = None
    size: int = 0
    points: int = 0
    aces: int = 0
    legible: bool = True

    def __len__(self) -> int:
        return self.size

    def under(self, last: Card) -> Pile:
        """The pile with one more card on it."""
        return Pile(
            below=self,
            last=last,
            size=self.size + 1,
            points=self.points + last.value,
            aces=self.aces + (last.rank == "A"),
            legible=self.legible and last.readable,
        )

    @property
    def faces(self) -> tuple[Card, ...]:
        """The cards, first to last."""
        found: list[Card] = []
        pile: Pile | None = self
        while pile is not None and pile.last is not None:
            found.append(pile.last)
            pile = pile.below
        return tuple(reversed(found))

    def total(self, fixed_aces: int = 0) -> Total:
        """What the cards count, as `rules_replay.cards.total`."""
        return counted(self.points, self.aces, fixed_aces)


NO_CARDS = Pile()


class Hand(msgspec.Struct, eq=False):
    """A hand of a box, or the dealer's (box 0).

    ``split_aces`` marks a hand formed from two aces; ``doubled_at`` is the seq of the
    double and ``cards_at_double`` the number of cards the hand had then. ``lacks_split_card``
    marks a hand split off one that had no second card to give: a card is not in the log.
    ``undecided`` are the bets that came to it since it was last surrendered.
    """

    box: int
    no: int
    cards: list[Drawn] = msgspec.field(default_factory=list)
    split_from: int | None = None
    of_split: bool = False
    split_aces: bool = False
    doubled_at: int | None = None
    cards_at_double: int = 0
    stood_at: int | None = None
    void_at: int | None = None
    superfluous: bool = False
    lacks_initial_card: bool = False
    lacks_split_card: bool = False
    pile: Pile = NO_CARDS
    undecided: list[Bet] = msgspec.field(default_factory=list)

    def take(self, drawn: Drawn) -> None:
        """A card comes on the hand."""
        self.cards.append(drawn)
        self.pile = self.pile.under(drawn.card)

    def drop(self) -> Drawn:
        """The last card goes off the hand."""
        self.pile = self.pile.below or NO_CARDS
        return self.cards.pop()

    def give_second(self) -> Drawn:
        """The second card goes to another hand."""
        given = self.cards.pop(1)
        self.pile = NO_CARDS
        for drawn in self.cards:
            self.pile = self.pile.under(drawn.card)
        return given

    @property
    def faces(self) -> tuple[Card, ...]:
        return tuple([drawn.card for drawn in self.cards])

    @property
    def doubled(self) -> bool:
        return self.doubled_at is not None


class Bet(msgspec.Struct, eq=False, kw_only=True):
    """A wager with what became of it; ``on`` is the wager doubled, split or insured.

    ``moved_late`` marks one put on another hand when it was settled, or its own hand complete;
    ``misplaced`` a doubled portion put on another hand, just doubled, than that of the wager it is named for.
    Once the round is laid out, ``standing`` are the settlements of each line that no reversal undid, and
    ``recorded`` is what those of its stake come to, with the seq of the last.
    """

    placed: log.Wager
    id: str
    kind: str
    player: str
    box: int
    seq: int
    on: Bet | None
    hand: Hand
    effective: int = 0
    surrendered_at: int | None = None
    forfeited_at: int | None = None
    withdrawn_at: int | None = None
    void_at: int | None = None
    moved_late: bool = False
    misplaced: bool = False
    lines: list[tuple[int, log.Settle]] = msgspec.field(default_factory=list)
    reversed: set[int] = msgspec.field(default_factory=set)
    standing: dict[str, list[tuple[int, log.Settle]]] = msgspec.field(default_factory=dict)
    recorded: tuple[Money, int] | None = None

    @property
    def root(self) -> Bet:
        """The main wager that a split or double belongs to; any other bet itself."""
        return self.on.root if self.on is not None and self.kind in ("split", "double") else self

    @property
    def base(self) -> Bet:
        """The main or split wager that a doubled portion rests on; any other bet itself."""
        return self.on if self.kind == "double" and self.on is not None else self

    @property
    def settled_at(self) -> int:
        """Seq of the first settlement of the stake, `NEVER` where there is none."""
        return next((seq for seq, settle in self.lines if settle.line == "stake"), NEVER)

    def standing_lines(self, line: str) -> Sequence[tuple[int, log.Settle]]:
        """Settlements of a line that no reversal undid, in order."""
        return self.standing.get(line, ())


class Box(msgspec.Struct, eq=False):
    """A box: its hands by number, and the main wagers on it, the controlling player's first."""

    no: int
    hands: dict[int, Hand] = msgspec.field(default_factory=dict)
    mains: list[Bet] = msgspec.field(default_factory=list)


class Draw(msgspec.Struct, frozen=True, kw_only=True):
    """A card dealt after the initial deal to a player's hand, and the hand before it."""

    seq: int
    hand: Hand
    before: Pile
    dealer_cards: int


class SplitAct(msgspec.Struct, frozen=True, kw_only=True):
    """A split: the cards of the hand split and how many hands the box then had."""

    seq: int
    hand: Hand
    to: Hand
    held: Pile
    hands_after: int

    @property
    def cards(self) -> tuple[Card, ...]:
        return self.held.faces


class DoubleAct(msgspec.Struct, frozen=True, kw_only=True):
    """A double: the cards then on the hand, and whether a double had brought it a card before.

    One reported for each player who doubles is one double.
    """

    seq: int
    hand: Hand
    held: Pile
    again: bool

    @property
    def cards(self) -> tuple[Card, ...]:
        return self.held.faces


class SurrenderAct(msgspec.Struct, frozen=True, kw_only=True):
    """A surrender of a hand or of one bet on it; ``of_split`` as the hand then was.

    ``elsewhere`` marks one that names a bet which rode on another hand: the log contradicts itself.
    """

    seq: int
    hand: Hand
    bet: Bet | None
    held: Pile
    of_split: bool
    elsewhere: bool

    @property
    def cards(self) -> tuple[Card, ...]:
        return self.held.faces


class StandAct(msgspec.Struct, frozen=True, kw_only=True):
    """A hand that wanted no further card."""

    seq: int
    hand: Hand
    held: Pile

    @property
    def cards(self) -> tuple[Card, ...]:
        return self.held.faces


class Removal(msgspec.Struct, frozen=True, kw_only=True):
    """A card burned off a hand, and what lay ``below`` it.

    ``in_order`` marks one of the initial deal that had come in its turn.
    """

    seq: int
    hand: Hand
    drawn: Drawn
    below: Pile
    in_order: bool


class ForfeitAct(msgspec.Struct, frozen=True, kw_only=True):
    """A bet given up after doubling."""

    seq: int
    bet: Bet
    held: Pile
    dealer_cards: int

    @property
    def cards(self) -> tuple[Card, ...]:
        return self.held.faces


class AssignAct(msgspec.Struct, frozen=True, kw_only=True):
    """A co-wagerer's choice of hand."""

    seq: int
    bet: Bet
    hand: Hand


@dataclass(eq=False)
class Table:
    """A whole round laid out; seqs that never came are `NEVER`.

    ``dealer_second_at`` is the dealer's second card that stays with him, ``first_second_at`` the
    first that came, burned or not; ``burned_at`` is the first card burned off the shoe, ``taken_back``
    are the cards burned off a hand by their seq, ``removals`` the same in order, and ``disturbed``, which
    are found once the round is laid out, those by hand that were due to it.

    ``on_hands`` are the wagers on hands, which are main, split and doubled ones; ``insurance`` are those by
    the bet insured; ``riders`` the main and split ones by hand; ``groups`` those that belong to a main one.

    What is looked up again and again is gathered once when the round is laid out, or the first
    time that it is asked for after that: a round of any length takes a time in keeping with it.
    """

    round: log.Round
    book: Rulebook
    facts: frozenset[str]
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
                    found[place] = max(found.get(place, -1), _gone_at(bet))
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
            gone = [_gone_at(bet) for bet in box.mains]
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


def most_doubled(base: Bet) -> int:
    """For how much a main or split wager may be doubled: the original one, or itself if it is more.

    A split wager may be less where the original was above the maximum (act-2018 def:Double, adelaide-2008
    62(a); ruling 3).
    """
    return max(base.placed.amount, base.root.placed.amount)


def taken_back_in_time(table: Table, bet: Bet) -> bool:
    """Whether a wager was off the table again before the first card: it was none (act-2018 4.3)."""
    return bet.withdrawn_at is not None and bet.withdrawn_at < table.first_card_at


def _gone_at(bet: Bet) -> int:
    """Seq at which a main wager was declared void, by itself or with its hand, or taken back."""
    moments = (bet.void_at, bet.withdrawn_at, bet.hand.void_at)
    return min((moment for moment in moments if moment is not None), default=NEVER)


def _first_by_box(acts: Sequence[Draw | SplitAct | DoubleAct | StandAct]) -> dict[int, int]:
    found: dict[int, int] = {}
    for act in acts:
        found.setdefault(act.hand.box, act.seq)
    return found


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


def lay_out(round_: log.Round, book: Rulebook) -> Table:
    """Apply every event of a round in order."""
    table = Table(round=round_, book=book, facts=round_.facts)
    table.participants = _participants(round_)
    for seq, event in enumerate(round_.events):
        _HAPPENS[type(event)](table, seq, event)
    _gather(table)
    return table


def _gather(table: Table) -> None:
    """What the rules look up again and again, now that every event has happened."""
    table.void = _round_void(table)
    table.hands = tuple(_in_order(table))
    for bet in table.bets.values():
        for seq, settle in bet.lines:
            if seq not in bet.reversed:
                bet.standing.setdefault(settle.line, []).append((seq, settle))
        bet.recorded = _recorded(bet.standing_lines("stake"))
        if bet.kind in ("main", "split", "double"):
            table.on_hands.append(bet)
            table.groups.setdefault(bet.root, []).append(bet)
        if bet.kind in ("main", "split"):
            table.riders.setdefault(bet.hand, []).append(bet)
        elif bet.kind == "insurance":
            table.insurance_bets.append(bet)
            table.insurance.setdefault(bet.on, []).append(bet)
        elif bet.kind in log.SIDE_KINDS:
            table.side_bets.append(bet)
    if table.dealer_second_at != NEVER or table.served_at != NEVER:
        _close_initial(table, table.dealer_second_at)
    elif table.initial_closed_at == NEVER and not table.void:
        _miss_initial_cards(table)


def _miss_initial_cards(table: Table) -> None:
    """Cards of the initial deal that a log lacks in which nothing but settlements follows it.

    A box whose main wager was settled should have two cards by then, and the dealer one (act-2018 6.2,
    nz-2000 8.2, rws-2017 3.6). A settlement ends no deal, so only the end shows it.
    """
    settled_at = -1
    for box in table.participants:
        kept = [bet for bet in table.boxes[box].mains if _gone_at(bet) == NEVER]
        settled = [seq for bet in kept for seq, _ in bet.standing_lines("stake")]
        hand = _hand(table, box, 1)
        hand.lacks_initial_card = bool(settled) and len(hand.cards) < 2
        settled_at = max(settled_at, *settled, -1)
    table.dealer.lacks_initial_card = settled_at >= 0 and not table.dealer.cards
    if settled_at >= 0:
        table.initial_closed_at = settled_at


def _round_void(table: Table) -> bool:
    """The whole round is void: declared so, or by a foreign card where the rulebook says so."""
    foreign = bool(table.foreign) and table.book.word("deck.foreign_card") == "round_void"
    return table.void_round_at < NEVER or foreign


def _in_order(table: Table) -> Iterator[Hand]:
    for _, box in sorted(table.boxes.items()):
        yield from (hand for _, hand in sorted(box.hands.items()))


def _recorded(lines: Sequence[tuple[int, log.Settle]]) -> tuple[Money, int] | None:
    """Several settlements of a line add up."""
    if not lines:
        return None
    results = {str(settle.result) for _, settle in lines}
    money = Money(
        result=" and ".join(sorted(results)),
        paid=sum(settle.paid or 0 for _, settle in lines),
        taken=sum(settle.taken or 0 for _, settle in lines),
    )
    return money, lines[-1][0]


def _participants(round_: log.Round) -> tuple[int, ...]:
    """Boxes with a main wager before the first card: those the initial deal goes round.

    A box whose main wagers were all void or taken back by then, and that got no card, is none of them.
    """
    mains: dict[str, int] = {}
    gone: set[str] = set()
    for event in round_.events:
        if isinstance(event, log.Deal):
            break
        if isinstance(event, log.Wager) and event.kind == "main":
            mains[event.id] = event.box
        elif isinstance(event, log.Withdraw) or (isinstance(event, log.Void) and event.scope == "wager"):
            gone.add(event.wager or "")
    boxes = {box for wager, box in mains.items() if wager not in gone}
    if len(boxes) < len(set(mains.values())):
        boxes |= set(mains.values()) & {event.box for event in round_.events if isinstance(event, log.Deal)}
    return tuple(sorted(boxes))


def _close_bets(table: Table, seq: int, event: log.NoMoreBets) -> None:
    table.no_more_bets_at = min(table.no_more_bets_at, seq)


def _assign(table: Table, seq: int, event: log.Assign) -> None:
    bet = table.bets[event.wager]
    hand = _hand(table, event.box, event.hand)
    if hand is not bet.hand and (is_complete(bet.hand) or _is_settled(bet)):
        bet.moved_late = True
    _ride(bet, hand)
    table.assigns.append(AssignAct(seq=seq, bet=bet, hand=bet.hand))


def is_complete(hand: Hand) -> bool:
    """Whether a hand takes no more cards: it stood, was doubled, has a card to a split ace, or 21 or more."""
    played = hand.stood_at is not None or hand.doubled
    return played or (len(hand.cards) >= 2 and (hand.split_aces or hand.pile.total().points >= 21))


def _is_settled(bet: Bet) -> bool:
    return any(settle.line == "stake" and seq not in bet.reversed for seq, settle in bet.lines)


def _stand(table: Table, seq: int, event: log.Stand) -> None:
    _close_initial(table, seq)
    hand = _hand(table, event.box, event.hand)
    hand.stood_at = seq if hand.stood_at is None else hand.stood_at
    table.stands.append(StandAct(seq=seq, hand=hand, held=hand.pile))


def _forfeit(table: Table, seq: int, event: log.Forfeit) -> None:
    bet = table.bets[event.wager].base
    bet.forfeited_at = seq
    table.forfeits.append(
        ForfeitAct(seq=seq, bet=bet, held=bet.hand.pile, dealer_cards=len(table.dealer.cards))
    )


def _press(table: Table, seq: int, event: log.Press) -> None:
    table.presses.append((seq, event))


def _cut_card(table: Table, seq: int, event: log.CutCard) -> None:
    table.cut_card_at = min(table.cut_card_at, seq)


def _irregularity(table: Table, seq: int, event: log.Irregularity) -> None:
    table.irregularities.append((seq, event))


def _withdraw(table: Table, seq: int, event: log.Withdraw) -> None:
    table.bets[event.wager].withdrawn_at = seq


def _settle(table: Table, seq: int, event: log.Settle) -> None:
    bet = table.bets[event.wager]
    if event.reverses is None:
        bet.lines.append((seq, event))
    else:
        bet.reversed.add(event.reverses)


def _box(table: Table, no: int) -> Box:
    box = table.boxes.get(no)
    if box is None:
        box = table.boxes[no] = Box(no)
    return box


def _hand(table: Table, box: int, no: int) -> Hand:
    if box == 0:
        return table.dealer
    hands = _box(table, box).hands
    hand = hands.get(no)
    if hand is None:
        hand = hands[no] = Hand(box=box, no=no)
    return hand


def _place(table: Table, seq: int, event: log.Wager) -> None:
    on = table.bets.get(event.on) if event.on is not None else None
    no = on.hand.no if event.kind in ("double", "insurance") and on is not None else event.hand
    bet = Bet(
        placed=event,
        id=event.id,
        kind=event.kind,
        player=event.player,
        box=event.box,
        seq=seq,
        on=on,
        hand=_hand(table, event.box, 1 if event.kind in log.SIDE_KINDS else no),
    )
    table.bets[event.id] = bet
    if event.kind == "double" and on is not None and _shows_hand(table, event, on):
        _ride(on, _hand(table, event.box, event.hand))
        bet.hand = on.hand
    _ride(bet, bet.hand)
    if event.kind == "double" and on is not None:
        bet.misplaced = _doubles_another(table, event, on)
    if event.kind == "double" and on is not None and not bet.misplaced:
        table.portions.setdefault(on.id, []).append(bet)
    if event.kind == "main":
        _box(table, event.box).mains.append(bet)
    if event.kind == "double" and not bet.hand.doubled and not bet.misplaced:
        _double(table, seq, bet.hand)


def _doubles_another(table: Table, event: log.Wager, on: Bet) -> bool:
    """Whether a portion lies on a hand that was doubled and waits for its card, and its wager on another.

    That one was not doubled (act-2018 12.3, nz-2000 15.3(c), adelaide-2008 80).
    """
    if "decisions" not in table.facts or on.box != event.box or on.hand.doubled:
        return False
    named = table.boxes[on.box].hands.get(event.hand)
    return named is not None and named.doubled and len(named.cards) == named.cards_at_double


def _shows_hand(table: Table, event: log.Wager, on: Bet) -> bool:
    """Whether a doubled portion shows which hand a co-wagerer chose, decisions not being recorded.

    nz-2000 15.3(d), rws-2017 3.13.
    """
    if "decisions" in table.facts or table.book.word("split.co_wagerer_hand") != "any":
        return False
    box = table.boxes[on.box]
    return on.box == event.box and event.hand in box.hands and on in box.mains[1:]


def _ride(bet: Bet, hand: Hand) -> None:
    bet.hand = hand
    if bet.kind in ("main", "split"):
        hand.undecided.append(bet)


def _deal(table: Table, seq: int, event: log.Deal) -> None:
    drawn = card(event.card)
    table.first_card_at = min(table.first_card_at, seq)
    table.last_deal_at = seq
    table.deals.append(seq)
    if drawn.foreign or not drawn.readable:
        _note_odd_card(table, seq, drawn, event.box, event.hand)
    if drawn.rank == "JK" and table.book.word("deck.joker") == "promotional":
        return
    hand = _hand(table, event.box, event.hand)
    if event.box == 0:
        _deal_to_dealer(table, seq, drawn)
        return
    if not table.boxes[event.box].mains:
        hand.superfluous = True
        hand.take(Drawn(drawn, seq, initial=False))
        return
    if table.initial_closed_at == NEVER and not hand.of_split and len(hand.cards) < 2:
        hand.take(Drawn(drawn, seq, initial=True))
        table.initial_sequence.append((seq, event.box))
        _end_initial_when_complete(table, seq)
        return
    _close_initial(table, seq)
    table.subsequent_at = min(table.subsequent_at, seq)
    table.draws.append(Draw(seq=seq, hand=hand, before=hand.pile, dealer_cards=len(table.dealer.cards)))
    hand.take(Drawn(drawn, seq, initial=False))


def _deal_to_dealer(table: Table, seq: int, drawn: Card) -> None:
    count = len(table.dealer.cards)
    if count == 0 and table.initial_closed_at == NEVER:
        table.initial_sequence.append((seq, 0))
    if count == 1:
        table.dealer_second_at = seq
        table.first_second_at = min(table.first_second_at, seq)
    elif count == 2:
        _close_initial(table, seq)
    table.dealer.take(Drawn(drawn, seq, initial=count == 0))
    if count == 0:
        _end_initial_when_complete(table, seq)


def _note_odd_card(table: Table, seq: int, drawn: Card, box: int, hand: int) -> None:
    if not drawn.readable:
        table.unreadable.append((seq, box, hand))
    if drawn.foreign:
        table.foreign.append((seq, drawn, box, hand))


def _end_initial_when_complete(table: Table, seq: int) -> None:
    if table.initial_closed_at != NEVER or not table.dealer.cards:
        return
    if not all(len(_hand(table, box, 1).cards) >= 2 for box in table.participants):
        return
    table.served_at = min(table.served_at, seq)
    if not _late_box_waits(table):
        table.initial_done_at = seq
        table.initial_closed_at = seq


def _late_box_waits(table: Table) -> bool:
    """Whether a box on which a main wager was placed after the first card has one card of the deal.

    The deal goes round to it as well (rws-2017 3.6, act-2018 6.2, nz-2000 8.2, adelaide-2008 47).
    """
    first = [box.hands[1] for box in table.boxes.values() if box.mains and 1 in box.hands]
    return any(len(hand.cards) == 1 and hand.cards[0].initial for hand in first)


def _close_initial(table: Table, seq: int) -> None:
    """The initial deal is over by what follows it, whether or not every card came.

    It was over with the dealer's second card, unless cards of it came after that card (ruling 12).
    """
    if table.initial_closed_at != NEVER:
        return
    if table.served_at != NEVER:
        # Only a box with a late wager waits for a card, and that in vain.
        table.initial_done_at = table.initial_closed_at = table.served_at
        return
    table.initial_closed_at = min(seq, table.dealer_second_at)
    for box in table.participants:
        hand = _hand(table, box, 1)
        hand.lacks_initial_card = len(hand.cards) < 2
    table.dealer.lacks_initial_card = not table.dealer.cards


def _burn(table: Table, seq: int, event: log.Burn) -> None:
    burned = card(event.card)
    if event.source == "shoe":
        table.burned_at = min(table.burned_at, seq)
        if burned.foreign:
            table.foreign.append((seq, burned, event.box or 0, event.hand))
        return
    hand = _hand(table, event.box or 0, event.hand)
    joker = burned.rank == "JK" and table.book.word("deck.joker") == "promotional"
    if not hand.cards or joker:
        return
    removed = hand.drop()
    table.taken_back.add(removed.seq)
    in_order = removed.initial and _came_in_order(table, hand, removed.seq)
    table.removals.append(Removal(seq=seq, hand=hand, drawn=removed, below=hand.pile, in_order=in_order))
    if removed.initial:
        _take_back_initial(table, removed.seq)
    elif removed.seq == table.dealer_second_at:
        # He has none yet (act-2018 15.3).
        table.dealer_second_at = NEVER
    elif table.initial_done_at == NEVER and _only_interrupted(table, removed.seq):
        table.subsequent_at = NEVER
        _reopen_initial(table)


def _came_in_order(table: Table, hand: Hand, seq: int) -> bool:
    """Whether a card of the initial deal, which lies on its hand no more, came once round and in turn.

    Once round the boxes, the dealer, once round again (act-2018 6.2, nz-2000 8.2, rws-2017 3.6,
    adelaide-2008 47).
    """
    if hand is not table.dealer and hand.box not in table.participants:
        return False
    had = len(hand.cards)
    dealers = sum(drawn.seq < seq for drawn in table.dealer.cards)
    if hand is table.dealer:
        due = dict.fromkeys(table.participants, 1)
    elif dealers != had:
        return False
    else:
        due = {box: had + (box < hand.box) for box in table.participants if box != hand.box}
    return all(
        sum(drawn.seq < seq for drawn in _hand(table, box, 1).cards) == count for box, count in due.items()
    )


def _only_interrupted(table: Table, seq: int) -> bool:
    """Whether a card burned off its hand had ended the initial deal, and nothing that counts came since.

    The deal goes on (act-2018 15.3, nz-2000 16.5, rws-2017 5.1.2, adelaide-2008 105).
    """
    decisions = (table.stands, table.surrenders, table.splits, table.doubles)
    if seq != table.initial_closed_at or any(acts and acts[-1].seq > seq for acts in decisions):
        return False
    since = takewhile(lambda draw: draw.seq > seq, reversed(table.draws))
    return all(draw.seq in table.taken_back for draw in since)


def _take_back_initial(table: Table, seq: int) -> None:
    """A card of the initial deal was removed: the deal is open again until play begins."""
    table.initial_sequence = [each for each in table.initial_sequence if each[0] != seq]
    if table.subsequent_at == NEVER and table.dealer_second_at == NEVER:
        table.initial_done_at = NEVER
        _reopen_initial(table)


def _reopen_initial(table: Table) -> None:
    table.initial_closed_at = NEVER
    table.served_at = NEVER
    for hand in (table.dealer, *_in_order(table)):
        hand.lacks_initial_card = False


def _surrender(table: Table, seq: int, event: log.Surrender) -> None:
    """A hand that has its cards is given up; the initial deal may go on for the others.

    adelaide-2008 47(d) does not list it among what ends that deal, and act-2018 9 comes before 10.
    """
    hand = _hand(table, event.box, event.hand)
    if len(hand.cards) < 2 or not table.dealer.cards:
        _close_initial(table, seq)
    bet = table.bets.get(event.wager) if event.wager is not None else None
    table.surrenders.append(
        SurrenderAct(
            seq=seq,
            hand=hand,
            bet=bet,
            held=hand.pile,
            of_split=hand.of_split,
            elsewhere=bet is not None and bet.hand is not hand,
        )
    )
    for each in [bet] if bet is not None else hand.undecided:
        if each.surrendered_at is None and (each is bet or each.hand is hand):
            each.surrendered_at = seq
    if bet is None:
        hand.undecided.clear()


def _split(table: Table, seq: int, event: log.Split) -> None:
    _close_initial(table, seq)
    table.subsequent_at = min(table.subsequent_at, seq)
    hand = _hand(table, event.box, event.hand)
    new = _hand(table, event.box, event.to)
    held = hand.pile
    table.splits.append(
        SplitAct(
            seq=seq,
            hand=hand,
            to=new,
            held=held,
            hands_after=len(table.boxes[event.box].hands),
        )
    )
    aces = held.size == held.aces == 2
    hand.split_aces = new.split_aces = aces or hand.split_aces
    hand.of_split = new.of_split = True
    new.split_from = hand.no
    if len(hand.cards) >= 2:
        new.take(hand.give_second())
    else:
        new.lacks_split_card = True


def _declare_double(table: Table, seq: int, event: log.Double) -> None:
    _close_initial(table, seq)
    _double(table, seq, _hand(table, event.box, event.hand))


def _double(table: Table, seq: int, hand: Hand) -> None:
    table.subsequent_at = min(table.subsequent_at, seq)
    again = hand.doubled and len(hand.cards) > hand.cards_at_double
    table.doubles.append(DoubleAct(seq=seq, hand=hand, held=hand.pile, again=again))
    if not hand.doubled:
        hand.doubled_at = seq
        hand.cards_at_double = len(hand.cards)


def _void(table: Table, seq: int, event: log.Void) -> None:
    if event.scope == "round":
        table.void_round_at = min(table.void_round_at, seq)
    elif event.scope == "hand" and event.box is not None:
        hand = _hand(table, event.box, event.hand)
        hand.void_at = seq
    elif event.wager is not None and event.wager in table.bets:
        table.bets[event.wager].void_at = seq


_HAPPENS: Final[Mapping[type, Callable[[Table, int, Any], None]]] = {
    log.Wager: _place,
    log.NoMoreBets: _close_bets,
    log.Deal: _deal,
    log.Burn: _burn,
    log.Surrender: _surrender,
    log.Split: _split,
    log.Assign: _assign,
    log.Double: _declare_double,
    log.Stand: _stand,
    log.Forfeit: _forfeit,
    log.Press: _press,
    log.CutCard: _cut_card,
    log.Void: _void,
    log.Irregularity: _irregularity,
    log.Withdraw: _withdraw,
    log.Settle: _settle,
}
"""What each kind of event does to the table."""
