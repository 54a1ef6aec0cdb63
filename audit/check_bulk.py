"""Large checks: rounds through the kernel, some thousands at a time, in the order in which they are given.

What is said of a round is what the readable engine says of it, which tells every round with
findings. Where the two engines differ, the rounds replayed together are rejected together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar

import pyarrow as pa

from audit.check import Checked, Item, Summary
from audit.ingest.columns import Columns, Origin, events_of, rounds_of, values_of
from audit.ingest.intake import Placed, Rejected
from audit.ingest.lines import Read
from audit.mapping.coverage import Withheld
from audit.results import count
from rules_replay.auditor import Auditor
from rules_replay.errors import ReplayFailed
from rules_replay.fast import FastReplay
from rules_replay.log import Round
from rules_replay.replay import BATCH_ROUNDS, Batch, Tally
from rules_replay.results import Finding, Money, RoundReplay, SettlementRow

_FINDING = (
    *("code", "severity", "seq", "box", "hand", "wager", "player", "expected", "recorded", "delta"),
    *("clause", "depends_on", "basis"),
)
_SETTLEMENT = (
    *("wager", "line", "kind", "player", "box", "hand", "stake", "effective_stake", "odds", "clause"),
    *("reading", "basis", "reason", "corrected"),
)

R = TypeVar("R")


class BulkCheck:
    """The rounds of a check by the kernel. ``summary`` is whole once `items` is exhausted."""

    def __init__(self, auditor: Auditor, summary: Summary) -> None:
        self._auditor = auditor
        self._summary = summary
        self._venues: dict[str, _Venue] = {}

    def items(self, taken: Iterable[Placed[Read] | Rejected]) -> Iterator[Item]:
        """Each round with its settlements and findings (no hands, no coverage), and what was rejected."""
        coming = iter(taken)
        while some := list(islice(coming, BATCH_ROUNDS)):
            yield from self._replayed(some)
        for venue in self._venues.values():
            self._summary.tally.add(venue.tally())

    def _replayed(self, some: Sequence[Placed[Read] | Rejected]) -> Iterator[Item]:
        items: dict[int, Item] = {}
        reads: dict[str, dict[int, Placed[Read]]] = {}
        for place, each in enumerate(some):
            if isinstance(each, Rejected):
                items[place] = each
            else:
                reads.setdefault(each.item.round.venue, {})[place] = each
        for name, here in reads.items():
            venue = self._venues.get(name) or self._venues.setdefault(name, _Venue(self._auditor, name))
            try:
                replays = venue.replayed(list(here.values()))
            except ReplayFailed as failure:
                items |= self._refused(here, failure)
                continue
            for (place, read), replay in zip(here.items(), replays, strict=True):
                self._summary.codes.update((found.code, found.severity) for found in replay.findings)
                items[place] = Checked(read.item, replay)
        return (items[place] for place in sorted(items))

    def _refused(self, here: dict[int, Placed[Read]], failure: ReplayFailed) -> dict[int, Item]:
        """One message for all rounds of a venue that were replayed together, at the place of the first."""
        (first, placed), *others = here.items()
        self._summary.rejected["round"] += len(others)
        rounds, venue = count(len(here), "round"), placed.item.round.venue
        message = f"{placed.where}: from here {rounds} of {venue} not audited: {failure}"
        return {first: self._summary.reject(message, "round")}


class _Venue:
    """The rounds of one venue, which follow one another."""

    def __init__(self, auditor: Auditor, name: str) -> None:
        self._auditor = auditor
        self._replay = FastReplay(
            auditor, name, lambda some, theirs: [*rounds_of(some, events_of(theirs), name)]
        )
        self._withheld = Withheld(self._replay.coverage)

    def replayed(self, reads: Sequence[Placed[Read]]) -> list[RoundReplay]:
        """What is to be said of some rounds; raises `ReplayFailed`."""
        columns = Columns()
        for each in reads:
            # Where a round came from is nothing to the kernel; the sample is drawn by the digest.
            where = Origin("", "", 0, 0)
            columns.add(each.item.round, extra=each.item.extra, digest=each.digest, origin=where)
        batches = [*self._withheld.batches([columns.tables()], self._batch)]
        settled = _by_round(pa.concat_tables([each.settlements for each in batches]), _settlements)
        found = _by_round(pa.concat_tables([each.findings for each in batches]), _findings)
        return [self._round(each.item.round, settled, found) for each in reads]

    def _batch(self, rounds: pa.Table, events: pa.Table) -> Iterator[Batch]:
        yield self._replay.batch(rounds, events)

    def _round(
        self, round_: Round, settled: Mapping[str, list[SettlementRow]], found: Mapping[str, list[Finding]]
    ) -> RoundReplay:
        book, round_id = self._auditor.rulebook_for(round_), round_.round_id
        return RoundReplay(
            round_id=round_id,
            rulebook=None if book is None else book.id,
            settlements=tuple(settled.get(round_id, ())),
            findings=tuple(found.get(round_id, ())),
        )

    def tally(self) -> Tally:
        """What all rounds came to, once the last is replayed."""
        self._replay.finish()
        self._withheld.count(self._replay.tally)
        return self._replay.tally


def _by_round(rows: pa.Table, made: Callable[[pa.Table], Iterable[R]]) -> dict[str, list[R]]:
    """What is made of the rows of each round."""
    found: dict[str, list[R]] = {}
    for round_id, each in zip(values_of(rows["round_id"]), made(rows), strict=True):
        found.setdefault(round_id, []).append(each)
    return found


def _settlements(rows: pa.Table) -> Iterator[SettlementRow]:
    for expected, recorded, *values in zip(
        _moneys(rows, "expected"),
        _moneys(rows, "recorded"),
        *(values_of(rows[name]) for name in _SETTLEMENT),
        strict=True,
    ):
        named = dict(zip(_SETTLEMENT, values, strict=True))
        yield SettlementRow(expected=expected, recorded=recorded, **named)


def _moneys(rows: pa.Table, whose: str) -> Iterator[Money | None]:
    columns = (values_of(rows[f"{whose}_{name}"]) for name in ("result", "paid", "taken"))
    for result, paid, taken in zip(*columns, strict=True):
        yield None if result is None else Money(result=result, paid=paid, taken=taken)


def _findings(rows: pa.Table) -> Iterator[Finding]:
    for values in zip(*(values_of(rows[name]) for name in _FINDING), strict=True):
        yield Finding(**dict(zip(_FINDING, values, strict=True)))
