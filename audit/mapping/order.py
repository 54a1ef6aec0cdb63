"""The pieces of a round as events: in the order recorded, or in the one that the rules prescribe.

Where the vendor has no order, wagers come first, then the initial deal once round the boxes, the
dealer, and once round again; insurance; the boxes in turn, each hand finished before the next; the
dealer; and the settlements. No check is held against an order that was put in, see `support`.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import pairwise
from typing import Any, TypeAlias

from audit.mapping.errors import Unmapped
from audit.mapping.lineage import children_of
from audit.mapping.model import BONUS_LINES
from audit.mapping.money import Outcome, Recorded, Settled, shares
from audit.mapping.pieces import (
    FIRST_HAND,
    ActionPiece,
    CardPiece,
    HandKey,
    Pieces,
    SettlementPiece,
    WagerPiece,
    hand_words,
)
from audit.mapping.suits import with_suits
from rules_replay.log import amount_text

_Moment: TypeAlias = CardPiece | ActionPiece | WagerPiece | SettlementPiece

_WITH_ACTION = ("split", "double")


class Assembly:
    """The events of one round as they come to be; ``decisions`` tells whether any are recorded."""

    def __init__(self, pieces: Pieces, *, decisions: bool) -> None:
        self._pieces = pieces
        self._decisions = decisions
        self.events: list[dict[str, Any]] = []
        self._numbers: dict[HandKey, int] = {}
        self._next_number: dict[int, int] = {}
        self._dealt: dict[HandKey, list[int]] = {(0, FIRST_HAND): []}
        self._placed: list[tuple[WagerPiece, str, int]] = []
        self._ids: set[str] = set()
        self._by_vendor_id: dict[str, str] = {}
        self._doubles: dict[str, str] = {}
        self._waiting = list(pieces.wagers)
        self.children = children_of(pieces)

    # --- hands ---

    def number(self, hand: HandKey, place: str = "") -> int:
        """The number of a hand in its box; the first of a box that comes from no other is hand 1."""
        known = self._numbers.get(hand)
        if known is not None:
            return known
        if hand in self._pieces.parents:
            raise Unmapped(place, f"{hand_words(hand)} is used before the split that made it")
        self._numbers[hand] = 1
        self._next_number[hand[0]] = 2
        return 1

    def actions_on(self, hand: HandKey) -> list[ActionPiece]:
        """The decisions on a hand."""
        return [each for each in self._pieces.actions if each.hand == hand]

    def doubled(self, hand: HandKey) -> bool:
        """Whether a hand was doubled, by a decision or by a wager that doubles it."""
        wagered = any(each.hand == hand and self.kind(each) == "double" for each in self._pieces.wagers)
        return wagered or self._has(hand, "double")

    def next_child(self, action: ActionPiece) -> HandKey:
        """The hand that a split makes: the one it names, or the next of those that came of it."""
        hand = action.hand
        listed = [each for each in self.children.get(hand, []) if each not in self._numbers]
        if action.to is not None:
            listed = [each for each in listed if each == (hand[0], action.to)]
        if not listed:
            raise Unmapped("actions", f"a split of {hand_words(hand)}, and no hand that came of it")
        return listed[0]

    def _new_number(self, hand: HandKey) -> int:
        number = self._numbers[hand] = self._next_number[hand[0]]
        self._next_number[hand[0]] += 1
        return number

    # --- events ---

    def _add(self, e: str, at: datetime | None = None, **fields: Any) -> int:
        event: dict[str, Any] = {"e": e, **{name: each for name, each in fields.items() if each is not None}}
        if at is not None:
            event["at"] = at
        self.events.append(event)
        return len(self.events) - 1

    def deal(self, card: CardPiece, hand: HandKey | None = None) -> None:
        """A card to a hand; a cancelled one goes from the shoe out of play."""
        if card.cancelled:
            self._add("burn", card.at, card=card.card, reason="cancelled")
            return
        of = hand or card.hand
        number = self.number(of, "cards")
        seq = self._add("deal", card.at, box=of[0], hand=number, card=card.card)
        self._dealt.setdefault(of, []).append(seq)

    def split(self, hand: HandKey, to: HandKey, at: datetime | None = None) -> None:
        """A split with the wagers that follow it."""
        number = self.number(hand, "actions")
        self._add("split", at, box=hand[0], hand=number, to=self._new_number(to))
        mine = self._dealt.setdefault(hand, [])
        if len(mine) > 1:
            self._dealt[to] = [mine.pop(1)]
        self._place_with(to, "split")

    def double(self, hand: HandKey, at: datetime | None = None) -> None:
        """A double with its wagers, one of them taken out of a stake that has both in one."""
        self._add("double", at, box=hand[0], hand=self.number(hand, "actions"))
        self._place_with(hand, "double")
        for piece, wager, amount in list(self._placed):
            if piece.hand == hand and piece.includes_double and wager not in self._doubles:
                self._doubles[wager] = self._wager(piece, "double", amount, on=wager)

    def act(self, action: ActionPiece) -> None:
        """A decision other than a split or a double."""
        box, number = action.hand[0], self.number(action.hand, "actions")
        if action.action != "forfeit":
            self._add(action.action, action.at, box=box, hand=number)
            return
        for piece, wager, _ in self._placed:
            if piece.hand == action.hand and self.kind(piece) in ("main", "split"):
                self._add("forfeit", action.at, wager=wager)

    # --- wagers ---

    def place(self, kinds: Iterable[str]) -> None:
        """Place every wager of these kinds that still waits, in the order of the record."""
        wanted = frozenset(kinds)
        for piece in [each for each in self._waiting if self.kind(each) in wanted]:
            self.place_one(piece)

    def place_one(self, piece: WagerPiece) -> None:
        """Place a wager that still waits; what was paid beside one waits for the settlements."""
        kind = self.kind(piece)
        if kind in BONUS_LINES:
            return
        self._waiting.remove(piece)
        on = None if kind not in (*_WITH_ACTION, "insurance") else self._on(piece, kind)
        amount = piece.amount
        if piece.includes_double and self._has(piece.hand, "double"):
            if amount % 2:
                raise Unmapped(
                    f"{piece.place}.amount",
                    f"{amount_text(amount)} cannot be a wager and its double of one size",
                )
            amount //= 2
        wager = self._wager(piece, kind, amount, on)
        self._placed.append((piece, wager, amount))
        if piece.id is not None:
            self._by_vendor_id[piece.id] = wager

    def place_insurance(self) -> None:
        """Place the insurance of which no moment is recorded."""
        for piece in self.waiting():
            if piece.position is None and self.kind(piece) == "insurance":
                self.place_one(piece)

    def unplaced(self) -> None:
        """Refuse wagers for which no moment came."""
        for piece in self._waiting:
            kind = self.kind(piece)
            if kind in BONUS_LINES:
                continue
            raise Unmapped(
                f"{piece.place}.kind",
                f"a wager of kind {kind} on {hand_words(piece.hand)}, and no {kind} of it is recorded",
            )

    def waiting(self) -> list[WagerPiece]:
        """The wagers not placed yet."""
        return list(self._waiting)

    def kind(self, piece: WagerPiece) -> str:
        """The kind of a wager; where the vendor has none, what its hand makes of it."""
        return piece.kind or ("split" if piece.hand in self._pieces.parents else "main")

    def _place_with(self, hand: HandKey, kind: str) -> None:
        for piece in [each for each in self._waiting if each.hand == hand and self.kind(each) == kind]:
            self.place_one(piece)

    def _on(self, piece: WagerPiece, kind: str) -> str:
        """The wager that this one rests on: the player's own, or the first there is.

        A double and a bonus rest on a wager on the hand; a split and insurance on one on the box.
        """
        of_hand = kind not in ("split", "insurance")
        bases = ("main", "split") if of_hand else ("main",)
        found = [
            (other.player != piece.player, wager)
            for other, wager, _ in self._placed
            if self.kind(other) in bases
            and other.hand[0] == piece.hand[0]
            and (not of_hand or other.hand == piece.hand)
        ]
        if not found:
            raise Unmapped(
                f"{piece.place}.kind",
                f"a wager of kind {kind} on {hand_words(piece.hand)} with no main wager to rest on",
            )
        return min(found, key=lambda each: each[0])[1]

    def _wager(self, piece: WagerPiece, kind: str, amount: int, on: str | None) -> str:
        wager = self._id_of(piece, kind)
        self._add(
            "wager",
            piece.at,
            id=wager,
            box=piece.hand[0],
            hand=self.number(piece.hand, piece.place),
            player=piece.player,
            kind=kind,
            amount=amount_text(amount),
            on=on,
            limit=None if piece.limit is None else amount_text(piece.limit),
        )
        return wager

    def _id_of(self, piece: WagerPiece, kind: str) -> str:
        number = self.number(piece.hand, piece.place)
        plain = piece.id if piece.id is not None else f"b{piece.hand[0]}h{number}-{kind}"
        wager, again = plain, 2
        if piece.id is not None and plain in self._ids and not piece.includes_double:
            raise Unmapped(f"{piece.place}.id", f"two wagers of the round have the id {plain!r}")
        while wager in self._ids:
            wager, again = f"{plain}-{again}", again + 1
        self._ids.add(wager)
        return wager

    # --- the end ---

    def settle(self, piece: SettlementPiece) -> None:
        """A settlement written apart from its wager."""
        wager = self._by_vendor_id.get(piece.wager)
        if wager is None:
            raise Unmapped(f"{piece.place}.wager", f"no wager of the round has the id {piece.wager!r}")
        of, stake = next((each, amount) for each, id_, amount in self._placed if id_ == wager)
        moved = piece.recorded.moved(stake, piece.place)
        outcome = self._outcome(of, self.kind(of), void=of.status == "void")
        self._settle(wager, piece.recorded.settled(stake, moved, outcome), piece.at)

    def settle_all(self, *, void: bool) -> None:
        """The settlements that stand with their wagers, and what was declared void."""
        if void:
            self._add("void", scope="round")
        for piece, wager, _ in self._placed:
            if piece.status == "void" and not void:
                self._add("void", scope="wager", wager=wager)
        for piece, wager, stake in self._placed:
            if piece.recorded is not None:
                self._settle_with(piece, piece.recorded, wager, stake, void=void or piece.status == "void")
        for piece in self._waiting:
            self._settle_bonus(piece)

    def _settle_with(
        self, piece: WagerPiece, recorded: Recorded, wager: str, stake: int, *, void: bool
    ) -> None:
        paid, taken = recorded.moved(piece.amount, piece.place)
        double = self._doubles.get(wager)
        both = shares(paid, taken, stake) if double is not None else ((paid, taken),)
        kinds = (self.kind(piece), "double")
        for each, moved, kind in zip((wager, double), both, kinds, strict=False):
            if each is not None:
                outcome = self._outcome(piece, kind, void=void)
                self._settle(each, recorded.settled(stake, moved, outcome))

    def _outcome(self, piece: WagerPiece, kind: str, *, void: bool) -> Outcome:
        return Outcome(
            kind=kind,
            void=void,
            surrendered=self._has(piece.hand, "surrender") if self._decisions else None,
            forfeited=self._has(piece.hand, "forfeit"),
            dealer_pontoon=self._dealer_pontoon(),
        )

    def _dealer_pontoon(self) -> bool:
        first = {self.events[seq]["card"][:-1] for seq in self._dealt[0, FIRST_HAND][:2]}
        return "A" in first and bool(first & {"J", "Q", "K"})

    def _settle_bonus(self, piece: WagerPiece) -> None:
        if piece.recorded is None:
            return
        paid, _ = piece.recorded.moved(piece.amount, piece.place)
        if paid:
            wager, line = self._on(piece, self.kind(piece)), self.kind(piece)
            self._add("settle", wager=wager, line=line, result="win", paid=amount_text(paid))

    def _has(self, hand: HandKey, action: str) -> bool:
        return any(each.action == action for each in self.actions_on(hand))

    def _settle(self, wager: str, settled: Settled, at: datetime | None = None) -> None:
        paid, taken = amount_text(settled.paid), amount_text(settled.taken)
        self._add("settle", at, wager=wager, result=settled.result, paid=paid, taken=taken)

    def all_dealt(self) -> None:
        """Refuse cards of hands that nothing leads to."""
        for hand in dict.fromkeys(card.hand for card in self._pieces.cards if not card.cancelled):
            if hand not in self._dealt:
                raise Unmapped("cards", f"nothing says where {hand_words(hand)} came from")

    def give_suits(self) -> None:
        """Suits for cards that have none."""
        dealer = self._dealt.pop((0, FIRST_HAND))
        pairs = {
            place
            for place, hand in enumerate(self._dealt, 1)
            for piece, _, _ in self._placed
            if piece.hand == hand and self.kind(piece) == "perfect_pairs"
        }
        with_suits(self.events, [dealer, *self._dealt.values()], pairs)


# --- by the rules -------------------------------------------------------------------------


def in_rules_order(pieces: Pieces, *, decisions: bool, void: bool) -> Assembly:
    """A round whose vendor records no order."""
    made = Assembly(pieces, decisions=decisions)
    for action in pieces.actions:
        if action.action == "split" and not made.children.get(action.hand):
            made.next_child(action)
    own: dict[HandKey, list[CardPiece]] = {}
    for card in pieces.cards:
        if not card.cancelled:
            own.setdefault(card.hand, []).append(card)
    made.place({"main", "perfect_pairs", "pair", "pandemonium"})
    roots = {
        hand[0]: hand
        for hand in [*(piece.hand for piece in pieces.wagers), *own]
        if hand[0] != 0 and hand not in pieces.parents
    }
    boxes = sorted(roots.items())
    dealer = own.get((0, FIRST_HAND), [])
    queues = {root: _root_cards(made, own, root) for _, root in boxes}
    for _, root in boxes:
        _deal_next(made, queues[root], root)
    for card in dealer[:1]:
        made.deal(card)
    for _, root in boxes:
        _deal_next(made, queues[root], root)
    made.place({"insurance"})
    for card in pieces.cards:
        if card.cancelled:
            made.deal(card)
    for _, root in boxes:
        _play(made, own, root, queues[root])
    for card in dealer[1:]:
        made.deal(card)
    made.unplaced()
    made.settle_all(void=void)
    return made


def _deal_next(made: Assembly, queue: list[CardPiece], hand: HandKey) -> None:
    if queue:
        made.deal(queue.pop(0), hand)


def _root_cards(made: Assembly, own: dict[HandKey, list[CardPiece]], hand: HandKey) -> list[CardPiece]:
    """The cards a hand draws in its turn: between its first and its own second those that splits moved on."""
    mine = own.get(hand, [])
    moved = [own[child][0] for child in made.children.get(hand, []) if own.get(child)]
    return [*mine[:1], *moved, *mine[1:]]


def _play(made: Assembly, own: dict[HandKey, list[CardPiece]], hand: HandKey, queue: list[CardPiece]) -> None:
    """The turn of a hand whose first cards are dealt, then those of the hands split off it."""
    doubled = made.doubled(hand)
    for each in made.actions_on(hand):
        if each.action == "surrender":
            made.act(each)
    children = made.children.get(hand, [])
    for child in children:
        made.split(hand, child)
        _deal_next(made, queue, hand)
    while len(queue) > doubled:
        _deal_next(made, queue, hand)
    if doubled:
        made.double(hand)
        _deal_next(made, queue, hand)
    for each in made.actions_on(hand):
        if each.action == "forfeit":
            made.act(each)
    for child in children:
        rest = _root_cards(made, own, child)[1:]
        _deal_next(made, rest, child)
        _play(made, own, child, rest)


# --- as recorded --------------------------------------------------------------------------


def in_recorded_order(pieces: Pieces, *, decisions: bool, void: bool) -> Assembly:
    """A round whose vendor says when, or in which order, cards came and decisions were taken."""
    made = Assembly(pieces, decisions=decisions)
    moments = _moments(pieces)
    for wager in made.waiting():
        if wager.position is None and made.kind(wager) not in (*_WITH_ACTION, "insurance"):
            made.place_one(wager)
    boxes = {piece.hand[0] for piece in pieces.wagers if made.kind(piece) == "main"}
    owed = 2 * len(boxes) + 1
    for piece in moments:
        if isinstance(piece, CardPiece):
            owed -= not piece.cancelled
            made.deal(piece)
            if owed == 0:
                made.place_insurance()
        elif isinstance(piece, ActionPiece):
            _act(made, piece)
        elif isinstance(piece, SettlementPiece):
            made.settle(piece)
        elif made.kind(piece) not in _WITH_ACTION and piece in made.waiting():
            made.place_one(piece)
    made.place_insurance()
    made.unplaced()
    for settlement in pieces.settlements:
        if settlement.position is None:
            made.settle(settlement)
    made.settle_all(void=void)
    return made


def _moments(pieces: Pieces) -> list[_Moment]:
    """Everything that has a position, in order; wagers come first where positions are equal.

    Raises `Unmapped` where cards and decisions of several hands, or a card and a decision, are at
    one position: their order would be invented.
    """
    found: list[tuple[Any, int, int, _Moment]] = []
    kinds: tuple[list[Any], ...] = (pieces.wagers, pieces.cards, pieces.actions, pieces.settlements)
    for rank, kind in enumerate(kinds):
        found += [(each.position, rank, n, each) for n, each in enumerate(kind) if each.position is not None]
    found.sort(key=lambda each: each[:3])
    moves = [each for each in found if isinstance(each[3], CardPiece | ActionPiece)]
    for (position, _, _, one), (same, _, _, other) in pairwise(moves):
        if position != same:
            continue
        assert isinstance(one, CardPiece | ActionPiece)
        assert isinstance(other, CardPiece | ActionPiece)
        if one.hand != other.hand or isinstance(other, ActionPiece):
            raise Unmapped(
                "order.by",
                f"something of {hand_words(one.hand)} and of {hand_words(other.hand)} both at {position}, "
                "so their order is not recorded; use order.by = 'number' or 'rules'",
            )
    return [each[3] for each in found]


def _act(made: Assembly, action: ActionPiece) -> None:
    if action.action == "double":
        made.double(action.hand, action.at)
    elif action.action == "split":
        made.split(action.hand, made.next_child(action), action.at)
    else:
        made.act(action)
