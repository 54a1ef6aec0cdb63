"""The table as a round goes on: hands, wagers on them, and the record being written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from data_samples.law import Law
from rules_replay.cards import Card, Total, total
from rules_replay.log import Amount, AnyEvent, Event, Wager, WagerKind


@dataclass(frozen=True, slots=True)
class Mark:
    """The place in the record at which a wager is settled."""

    wager: str


Item: TypeAlias = AnyEvent | Mark
Kind = TypeVar("Kind", bound=Event)


@dataclass(slots=True, kw_only=True)
class Stake:
    """A wager on the table. ``settled`` is true once nothing that follows can change it."""

    id: str
    box: int
    hand: int
    player: str
    kind: WagerKind
    amount: int
    on: str | None = None
    limit: int | None = None
    surrendered: bool = False
    forfeited: bool = False
    settled: bool = False

    @property
    def live(self) -> bool:
        """True while the dealer's hand decides it."""
        return not (self.surrendered or self.forfeited or self.settled)


@dataclass(slots=True, kw_only=True)
class Hand:
    """One hand. ``from_initial`` counts its cards of the initial deal."""

    box: int
    number: int
    cards: list[Card] = field(default_factory=list)
    from_initial: int = 0
    from_split: bool = False
    doubled: bool = False
    stood: bool = False
    surrendered: bool = False

    def total(self, law: Law, *, undoubled: bool = False) -> Total:
        """The count; ``undoubled`` for a co-wagerer who keeps his own total (nz-2000 12.6)."""
        return total(self.cards, 0 if undoubled else self._fixed_aces(law))

    def _fixed_aces(self, law: Law) -> int:
        if not self.doubled or law.fixed_aces == "none":
            return 0
        counted = 2 if law.fixed_aces == "first_two_of_hand" else self.from_initial
        return sum(each.rank == "A" for each in self.cards[:counted])

    @property
    def split_aces(self) -> bool:
        return self.from_split and bool(self.cards) and self.cards[0].rank == "A"

    @property
    def pontoon(self) -> bool:
        return not self.from_split and len(self.cards) == 2 and total(self.cards).points == 21

    def finished(self, law: Law) -> bool:
        """True when no lawful decision is left."""
        if self.stood or self.surrendered or self.total(law).points >= 21:
            return True
        return (self.doubled and len(self.cards) > 2) or (self.split_aces and len(self.cards) > 1)


@dataclass(slots=True, kw_only=True)
class Draft:
    """A round's record before it is settled, and the table at its end.

    ``cut_off`` is a record that breaks off: nothing is settled after its last mark.
    """

    items: list[Item] = field(default_factory=list)
    hands: dict[tuple[int, int], Hand] = field(default_factory=dict)
    stakes: dict[str, Stake] = field(default_factory=dict)
    cut_off: bool = False

    def wager(
        self,
        box: int,
        player: str,
        kind: WagerKind,
        amount: int,
        *,
        hand: int = 1,
        on: str | None = None,
        limit: int | None = None,
    ) -> Stake:
        """Put a wager on the table and write it down."""
        stake = Stake(
            id=f"w{len(self.stakes) + 1}",
            box=box,
            hand=hand,
            player=player,
            kind=kind,
            amount=amount,
            on=on,
            limit=limit,
        )
        self.stakes[stake.id] = stake
        self.items.append(wager_event(stake))
        return stake

    def on_hand(self, box: int, hand: int) -> list[Stake]:
        """Main, split and double wagers that ride on a hand."""
        return [
            stake
            for stake in self.stakes.values()
            if (stake.box, stake.hand) == (box, hand) and stake.kind in ("main", "split", "double")
        ]

    def originals(self, box: int, hand: int) -> list[Stake]:
        """Main and split wagers that ride on a hand, in the order in which their owners have the say."""
        mains = [each.player for each in self.stakes.values() if (each.box, each.kind) == (box, "main")]
        riding = [stake for stake in self.on_hand(box, hand) if stake.kind != "double"]
        return sorted(riding, key=lambda stake: mains.index(stake.player))

    def doubled_part(self, stake: Stake) -> Stake | None:
        """The doubled portion on a main or split wager."""
        return next(
            (each for each in self.stakes.values() if each.kind == "double" and each.on == stake.id), None
        )

    def mark(self, stake: Stake) -> None:
        """Settle a wager here: nothing that follows can change it."""
        stake.settled = True
        self.items.append(Mark(stake.id))

    def new_hand(self, box: int) -> Hand:
        """The next free hand of a box."""
        number = 1 + sum(1 for place in self.hands if place[0] == box)
        hand = Hand(box=box, number=number)
        self.hands[(box, number)] = hand
        return hand

    def places(self, kind: type[Kind]) -> list[tuple[int, Kind]]:
        """The events of one kind with their places in the record."""
        return [(n, item) for n, item in enumerate(self.items) if isinstance(item, kind)]

    def events(self) -> tuple[AnyEvent, ...]:
        """The record so far without the places of settlement."""
        return tuple(item for item in self.items if not isinstance(item, Mark))


def wager_event(stake: Stake) -> Wager:
    """A wager as the log writes it."""
    return Wager(
        id=stake.id,
        box=stake.box,
        hand=stake.hand,
        player=stake.player,
        kind=stake.kind,
        amount=Amount(stake.amount),
        on=stake.on,
        limit=None if stake.limit is None else Amount(stake.limit),
    )
