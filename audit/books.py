"""``book``: house books read, held against the rulebook in force with their rounds, and reported."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeAlias

from audit.ingest.books import ENTRIES, happened, rounds_named
from audit.ingest.intake import ROUNDS, Intake, Rejected, taken
from audit.lake import Lake
from audit.law import Law
from audit.partitions import Choice, Plan, partition_name
from audit.results import by_severity
from rules_replay.book import AnyEntry, BookReplay, CheckMade, Dealt, audit_book, dealt
from rules_replay.log import Round
from rules_replay.results import Finding

BookItem: TypeAlias = BookReplay | Rejected

_DAY = timedelta(days=1)


@dataclass(slots=True, kw_only=True)
class BookSummary(Intake):
    """What an audit of house books came to.

    ``lines`` is the sum of the entries, ``duplicates`` and the lines rejected; ``rounds`` is
    what came in beside them, and of those ``taken`` the rounds at the venues of the books.
    """

    entries: int = 0
    rounds: Intake = field(default_factory=Intake)
    taken: int = 0
    findings: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)

    @property
    def complete(self) -> bool:
        """True when nothing of the books and of the rounds was rejected."""
        return not self.rejected.total() and not self.rounds.rejected.total()

    def as_json(self) -> dict[str, Any]:
        """The summary ready for JSON."""
        return {
            "complete": self.complete,
            "files": self.files,
            "lines": self.lines,
            "entries": self.entries,
            "duplicates": self.duplicates,
            "rejected": {name: self.rejected[name] for name in ("line", "file")},
            "rounds": self.taken,
            "rounds_rejected": {name: self.rounds.rejected[name] for name in ("line", "file", "partition")},
            "unknown_fields": dict(sorted(self.unknown.items())),
            "findings": by_severity(self.findings),
            "checks": {name: self.checks[name] for name in ("passed", "failed", "not_evaluable")},
        }


class BookAudit:
    """One audit of some books; ``summary`` is whole once `items` is exhausted."""

    def __init__(self, law: Law) -> None:
        self._law = law
        self.summary = BookSummary()

    def items(
        self,
        arguments: Iterable[str | Path],
        rounds: Iterable[str | Path] = (),
        lake: Lake | None = None,
    ) -> Iterator[BookItem]:
        """The books of files, folders, patterns or standard input (``-``), venue after venue.

        Everything rejected comes first. ``rounds`` and ``lake`` are where the rounds are; with
        neither no rounds are given. Raises `UsageProblem` where arguments name no input at
        all, `NothingChosen` where the lake has nothing of a book's venue.
        """
        books: dict[str, list[AnyEntry]] = defaultdict(list)
        for each in taken(arguments, ENTRIES, self.summary):
            if isinstance(each, Rejected):
                yield each
            else:
                self.summary.entries += 1
                books[each.item.item.venue].append(each.item.item)
        given = tuple(rounds)
        dealt_at: dict[str, list[Dealt]] = {venue: [] for venue in books}
        named = {venue: frozenset(rounds_named(entries)) for venue, entries in books.items()}
        found = self._of_lake(lake, books) if lake is not None else self._of_files(given)
        for item in found:
            if isinstance(item, Rejected):
                yield item
            elif item.venue in dealt_at:
                self.summary.taken += 1
                whole = item.round_id in named[item.venue]
                dealt_at[item.venue].append(dealt(item, whole=whole))
        for venue in sorted(books):
            known = dealt_at[venue] if given or lake is not None else None
            yield self._audited(books[venue], known)

    def _of_files(self, arguments: tuple[str | Path, ...]) -> Iterator[Round | Rejected]:
        if arguments:
            for each in taken(arguments, ROUNDS, self.summary.rounds):
                yield each if isinstance(each, Rejected) else each.item.round

    def _of_lake(self, lake: Lake, books: Mapping[str, list[AnyEntry]]) -> Iterator[Round | Rejected]:
        published = lake.published()
        for venue in sorted(books):
            plan = Plan(lake, published, self._about(venue, books[venue]))
            for failed in plan.failed:
                message = f"{partition_name(failed.partition)}: {failed.reason}"
                yield self.summary.rounds.reject(message, "partition")
            for planned in plan.planned:
                yield from lake.read_rounds(planned.partition)

    def _about(self, venue: str, entries: Iterable[AnyEntry]) -> Choice:
        """The gaming dates that a book is about, and those beside them, for a shoe may run over."""
        days = [self._law.register.gaming_date(venue, at) for at in happened(entries)]
        if not days:
            return Choice(venues=(venue,))
        return Choice(venues=(venue,), since=min(days) - _DAY, until=max(days) + _DAY)

    def _audited(self, entries: list[AnyEntry], rounds: list[Dealt] | None) -> BookReplay:
        replay = audit_book(entries, rounds, self._law.register)
        for made in replay.checks:
            self.summary.checks[made.judged.verdict] += 1
            self.summary.findings.update(each.severity for each in made.judged.findings)
        return replay


FINDING_FIELDS = (
    *("code", "severity", "table", "gaming_date", "entry_id", "round_id"),
    *("player", "box", "hand", "wager", "seq", "expected", "recorded", "clause"),
)


def finding_object(made: CheckMade, finding: Finding) -> dict[str, Any]:
    """One finding as it is printed, with what it is about; absent values left out."""
    about = _about(made)
    found = {name: about.get(name, getattr(finding, name, None)) for name in FINDING_FIELDS}
    return {name: value for name, value in found.items() if value not in (None, "")}


def _about(made: CheckMade) -> dict[str, str]:
    """What a check is about: the table, and the gaming date, entry or round."""
    subject = made.subject
    about = {
        "table": subject.table,
        "gaming_date": None if subject.gaming_date is None else subject.gaming_date.isoformat(),
        "entry_id": subject.entry_id,
        "round_id": subject.round_id,
    }
    return {name: value for name, value in about.items() if value is not None}


def book_object(replay: BookReplay) -> dict[str, Any]:
    """One venue's book as ``--format jsonl`` prints it: findings, and what could not be checked."""
    lacking = [
        {"code": made.code, "rulebook": made.rulebook, **_about(made), "lacks": made.judged.missing}
        for made in replay.checks
        if made.judged.verdict == "not_evaluable"
    ]
    found = [finding_object(made, finding) for made, finding in replay.findings]
    return {"venue": replay.venue, "findings": found} | ({"not_evaluable": lacking} if lacking else {})
