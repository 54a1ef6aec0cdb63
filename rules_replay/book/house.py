"""One venue's book with its rounds: what the checks look things up in, and what they are about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from itertools import groupby
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from rules_replay.book.log import (
    AnyEntry,
    Book,
    EntryKind,
    Hours,
    Incident,
    Loading,
    Voiding,
    entry_kind,
    instant_of,
)
from rules_replay.book.rounds import Dealt, Rounds
from rules_replay.ledger import Missing, Outcome
from rules_replay.results import Finding
from rules_replay.venues import Register

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class TableDay:
    """The rounds of a table on one gaming date, in the order in which they began.

    None at all where a book covers a table whose rounds were not given. ``before`` and
    ``after`` are the rounds next to them at the table.
    """

    table: str | None
    day: date
    rounds: tuple[Dealt, ...]
    before: Dealt | None = None
    after: Dealt | None = None


@dataclass(frozen=True, slots=True)
class ShoeDealt:
    """A shoe of a shuffling machine for which the book has no loading."""

    first: Dealt


@dataclass(frozen=True, slots=True)
class Untold:
    """An irregularity that a round reports and the book has no incident for."""

    round: Dealt
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What one check is about: an entry, a round, or a table on a gaming date.

    ``at`` decides which rulebook governs it.
    """

    at: datetime
    table: str | None
    entry_id: str | None = None
    round_id: str | None = None
    gaming_date: date | None = None
    held: Any


class House:
    """The entries of one venue and the rounds dealt there; ``rounds`` is None where none were given."""

    def __init__(
        self, venue: str, entries: Iterable[AnyEntry], rounds: Iterable[Dealt] | None, register: Register
    ) -> None:
        self.venue = venue
        self.entries = tuple(entries)
        self.given = rounds is not None
        self.rounds = Rounds(rounds or ())
        self._register = register
        self._of: dict[type, list[AnyEntry]] = defaultdict(list)
        for entry in self.entries:
            self._of[type(entry)].append(entry)

    def of(self, kind: type[E]) -> list[E]:
        """The entries of a kind, as they stand in the book."""
        return self._of.get(kind, [])  # type: ignore[return-value]

    @property
    def zone(self) -> ZoneInfo | None:
        """The zone of the venue's clock; None for one that is not in the register."""
        known = self._register.venues.get(self.venue)
        return None if known is None else known.zone

    def gaming_date(self, at: datetime) -> date:
        """The gaming date of an instant at the venue."""
        return self._register.gaming_date(self.venue, at)

    def keeps(self, kind: EntryKind, table: str | None, at: datetime) -> bool:
        """Whether the book holds every entry of a kind that bears on a table at an instant."""
        return any(kind in book.keeps for book in self._covering(table, at))

    def _covering(self, table: str | None, at: datetime) -> Iterator[Book]:
        for book in self.of(Book):
            if book.since <= at < book.until and (book.tables is None or table in book.tables):
                yield book

    def absent(self, kind: EntryKind, table: str | None, at: datetime, finding: Finding) -> Outcome:
        """No entry of a kind: a finding where the book keeps them, else a fact that was not recorded."""
        yield finding if self.keeps(kind, table, at) else Missing(f"{kind} entries for {table} at that time")

    def has_day(self, table: str, at: datetime) -> bool:
        """Whether rounds of a table on the gaming date of an instant are given."""
        return (table, self.gaming_date(at)) in self._days

    @cached_property
    def _days(self) -> frozenset[tuple[str, date]]:
        return frozenset(
            (each.table, self.gaming_date(each.started_at)) for each in self.rounds.by_id.values()
        )

    def during(self, table: str, at: datetime) -> Dealt | Missing | None:
        """The round that was going on at a table at an instant, None if there was none."""
        if not self.has_day(table, at):
            return Missing(f"rounds of {table} on that day")
        found = self.rounds.last_begun(table, at)
        if found is None or found.started_at == at:
            return None
        if found.ended_at is None:
            return Missing(f"ended_at of {found.round_id}")
        return found if at < found.ended_at else None

    # --- subjects ---

    def subjects(self, name: str) -> Iterator[Subject]:
        """Everything that checks with this subject are about, in a fixed order."""
        special = _SUBJECTS.get(name)
        if special is not None:
            yield from special(self)
        for entry in self.entries:
            if entry_kind(entry) == name:
                yield self._entry(entry)

    def _entry(self, entry: AnyEntry) -> Subject:
        named = self.rounds.by_id.get(getattr(entry, "round_id", ""))
        at = instant_of(entry)
        assert at is not None
        return Subject(
            at=at if named is None else named.started_at,
            table=getattr(entry, "table", None),
            entry_id=entry.entry_id,
            round_id=getattr(entry, "round_id", None),
            held=entry,
        )

    def _table_days(self) -> Iterator[Subject]:
        """Every table and gaming date that the book is about, and tables whose rounds were not given.

        Where nothing says what it covers, it is about the tables that its entries name; hours
        name them all.
        """
        bounded = bool(self.of(Book))
        touched = {getattr(entry, "table", None) for entry in self.entries}
        whole = bool(self.of(Hours))
        for table in self.rounds.tables:
            days = [
                (day, tuple(found))
                for day, found in groupby(
                    self.rounds.of_table(table), key=lambda each: self.gaming_date(each.started_at)
                )
            ]
            for place, (day, rounds) in enumerate(days):
                at = rounds[0].started_at
                before = days[place - 1][1][-1] if place else None
                after = days[place + 1][1][0] if place + 1 < len(days) else None
                covered = any(self._is_of(table, each.started_at) for each in rounds)
                if covered if bounded else whole or table in touched:
                    yield _table_day(at, TableDay(table, day, rounds, before, after))
        for book in self.of(Book):
            for name in book.tables or (None,):
                if not self._dealt_during(book, name):
                    day = self.gaming_date(book.since)
                    yield _table_day(book.since, TableDay(name, day, ()))

    def _dealt_during(self, book: Book, table: str | None) -> bool:
        tables = self.rounds.tables if table is None else (table,)
        return any(
            book.since <= each.started_at < book.until
            for name in tables
            for each in self.rounds.of_table(name)
        )

    def _shoes_not_loaded(self) -> Iterator[Subject]:
        loaded = {(each.table, each.shoe) for each in self.of(Loading) if each.why == "new_cards"}
        for table, shoe in self.rounds.shoes:
            first = self.rounds.of_shoe(table, shoe)[0]
            if first.shuffler == "continuous" and first.round_no == 1 and (table, shoe) not in loaded:
                if self._is_of(table, first.started_at):
                    yield _round(first, ShoeDealt(first))

    def _void_rounds(self) -> Iterator[Subject]:
        told = {each.round_id for each in self.of(Voiding)}
        for each in self.rounds.by_id.values():
            if each.voided and each.round_id not in told and self._is_of(each.table, each.started_at):
                yield _round(each, each)

    def _untold(self) -> Iterator[Subject]:
        told = {(each.round_id, each.code) for each in self.of(Incident)}
        for each in self.rounds.by_id.values():
            for code in dict.fromkeys(each.irregularities):
                if (each.round_id, code) not in told and self._is_of(each.table, each.started_at):
                    yield _round(each, Untold(each, code))

    def _rebuilds(self) -> Iterator[Subject]:
        for subject in self._untold():
            if subject.held.code == "reconstructed":
                yield subject
        for entry in self.of(Incident):
            if entry.code == "reconstructed" or entry.supervised_by is not None:
                yield self._entry(entry)

    def _is_of(self, table: str, at: datetime) -> bool:
        """Whether the book is about a table at an instant at all."""
        return any(self._covering(table, at))


def _table_day(at: datetime, held: TableDay) -> Subject:
    return Subject(at=at, table=held.table, gaming_date=held.day, held=held)


def _round(found: Dealt, held: object) -> Subject:
    return Subject(at=found.started_at, table=found.table, round_id=found.round_id, held=held)


_SUBJECTS: Mapping[str, Callable[[House], Iterator[Subject]]] = {
    "table_day": House._table_days,
    "loading": House._shoes_not_loaded,
    "voiding": House._void_rounds,
    "incident": House._untold,
    "reconstruction": House._rebuilds,
}
"""Subjects that are not, or not only, the entries of the kind of that name."""
