"""The rounds beside a house book, each cut down to what its checks ask of it."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from rules_replay.cutting_card import Stack
from rules_replay.log import (
    SIDE_KINDS,
    AnyEvent,
    CutCard,
    Deal,
    Irregularity,
    Limits,
    Round,
    Shuffler,
    Void,
    Wager,
)


@dataclass(frozen=True, slots=True)
class Stake:
    """One main wager, in thousandths."""

    wager: str
    box: int
    player: str
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dealt:
    """A round as the checks of a book see it.

    ``stakes`` are the main wagers as listed. ``cut`` says whether the cutting card came out and
    ``cut_box`` on whose hand: that of the next card, 0 for the dealer. ``out`` is how many cards
    left the shoe and ``out_before_cut`` how many of them before the cutting card; None where
    the log does not show every one. ``events`` are empty unless an entry points to the round.
    """

    round_id: str
    table: str
    shoe: str
    round_no: int
    started_at: datetime
    ended_at: datetime | None
    shuffler: Shuffler
    limits: Limits | None
    sides: frozenset[str]
    stakes: tuple[Stake, ...]
    cut: bool
    cut_box: int | None
    decks: int
    out: int | None
    out_before_cut: int | None
    voided: bool
    irregularities: tuple[str, ...]
    events: tuple[AnyEvent, ...]

    @property
    def minimum(self) -> int | None:
        """The least main wager by the sign, in thousandths, where the log carries it."""
        return None if self.limits is None else self.limits.min

    @property
    def sign(self) -> tuple[int | None, int | None, int | None]:
        """Minimum, maximum and box maximum of the sign; None where the log does not carry it."""
        found = self.limits or Limits()
        return found.min, found.max, found.box_max


def dealt(round_: Round, *, whole: bool) -> Dealt:
    """A round cut down; ``whole`` keeps its events."""
    cut, cut_box = False, None
    sides = set(round_.offers or ()) & SIDE_KINDS
    stakes: list[Stake] = []
    irregularities: list[str] = []
    voided = False
    stack = Stack(last_round=round_.round_no - 1)
    before = stack.take(round_)
    for event in round_.events:
        match event:
            case Wager(kind="main"):
                stakes.append(Stake(event.id, event.box, event.player, event.amount))
            case Wager() if event.kind in SIDE_KINDS:
                sides.add(event.kind)
            case Deal() if cut and cut_box is None:
                cut_box = event.box
            case CutCard():
                cut = True
            case Void(scope="round"):
                voided = True
            case Irregularity():
                irregularities.append(event.code)
            case _:
                pass
    return Dealt(
        round_id=round_.round_id,
        table=round_.table,
        shoe=round_.shoe,
        round_no=round_.round_no,
        started_at=round_.started_at,
        ended_at=round_.ended_at,
        shuffler=round_.shuffler,
        limits=round_.limits,
        sides=frozenset(sides),
        stakes=tuple(stakes),
        cut=cut,
        cut_box=cut_box,
        decks=round_.decks,
        out=stack.out if stack.whole else None,
        out_before_cut=before,
        voided=voided,
        irregularities=tuple(irregularities),
        events=round_.events if whole else (),
    )


class Rounds:
    """The rounds of one venue, by name, by table in time, and by shoe in order."""

    def __init__(self, rounds: Iterable[Dealt]) -> None:
        listed = sorted(rounds, key=lambda each: (each.started_at, each.shoe, each.round_no))
        self.by_id = {each.round_id: each for each in listed}
        self._tables: dict[str, list[Dealt]] = defaultdict(list)
        self._shoes: dict[tuple[str, str], list[Dealt]] = defaultdict(list)
        for each in listed:
            self._tables[each.table].append(each)
            self._shoes[each.table, each.shoe].append(each)
        for shoe in self._shoes.values():
            shoe.sort(key=lambda each: each.round_no)

    @property
    def tables(self) -> tuple[str, ...]:
        """Every table at which a round was dealt."""
        return tuple(sorted(self._tables))

    @property
    def shoes(self) -> tuple[tuple[str, str], ...]:
        """Every table and shoe."""
        return tuple(sorted(self._shoes))

    def of_table(self, table: str) -> tuple[Dealt, ...]:
        """The rounds of a table in the order in which they began."""
        return tuple(self._tables.get(table, ()))

    def of_shoe(self, table: str, shoe: str) -> tuple[Dealt, ...]:
        """The rounds of a shoe by their numbers."""
        return tuple(self._shoes.get((table, shoe), ()))

    def last_begun(self, table: str, at: datetime) -> Dealt | None:
        """The last round that had begun at a table by an instant."""
        listed = self._tables.get(table, [])
        begun = bisect_right(listed, at, key=lambda each: each.started_at)
        return listed[begun - 1] if begun else None
