"""``check``: rounds read, replayed and reported one after another, without a lake.

Rounds go out in the order in which they stand in the input. What is held at a time is
one round, the shoes so far, and a digest of each round seen.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from audit.errors import SourceFailed, UsageProblem
from audit.ingest.lines import Read, Refused
from audit.ingest.readers import Source, find_sources, open_source
from audit.ingest.wire import content_digest
from audit.law import Law
from audit.progress import Progress
from audit.results import by_severity, money_json
from rules_replay.errors import ReplayFailed
from rules_replay.log import amount_text
from rules_replay.replay import Tally, replay_one
from rules_replay.results import Finding, RoundReplay


@dataclass(frozen=True, slots=True)
class Checked:
    """A round that was replayed, with the line it came from."""

    read: Read
    replay: RoundReplay


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line, a file or a round that could not be checked, in one line for people."""

    message: str
    what: Literal["line", "file", "round"]


Item: TypeAlias = Checked | Rejected


@dataclass(slots=True)
class Summary:
    """What a check came to.

    ``lines`` is the sum of the rounds replayed, ``duplicates``, and the lines and rounds
    rejected. A duplicate is a round seen before with the same content: it is counted and
    neither replayed nor printed again. With other content it is a line rejected.
    """

    files: int = 0
    lines: int = 0
    duplicates: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    codes: Counter[tuple[str, str]] = field(default_factory=Counter)
    tally: Tally = field(default_factory=Tally)

    @property
    def complete(self) -> bool:
        """True when every line of every input was checked."""
        return not self.rejected.total()

    def as_json(self) -> dict[str, Any]:
        """The summary ready for JSON."""
        return {
            "complete": self.complete,
            "files": self.files,
            "lines": self.lines,
            "rounds": self.tally.rounds,
            "rounds_without_rulebook": self.tally.rulebooks[None],
            "duplicates": self.duplicates,
            "rejected": {name: self.rejected[name] for name in ("line", "file", "round")},
            "unknown_fields": dict(sorted(self.unknown.items())),
            "findings": by_severity(self.tally.findings),
            "money": money_json(self.tally.money),
            "checks": {name: self.tally.checks[name] for name in ("passed", "failed", "not_evaluable")},
        }


class Check:
    """One check of some inputs; ``summary`` is whole once `items` is exhausted."""

    def __init__(self, law: Law, progress: Progress | None = None) -> None:
        self._auditor = law.auditor()
        self._progress = progress
        self.summary = Summary()

    def items(self, arguments: Iterable[str | Path]) -> Iterator[Item]:
        """Every round of files, folders, patterns or standard input (``-``), and what was rejected.

        Raises `UsageProblem` where the arguments name no input at all.
        """
        sources, missing = find_sources(arguments)
        if not sources:
            raise UsageProblem("; ".join(str(each) for each in missing))
        for failure in missing:
            yield self._reject(str(failure), "file")
        with closing(Seen()) as seen:
            for source in sources:
                yield from self._source(source, seen)

    def _source(self, source: Source, seen: Seen) -> Iterator[Item]:
        self.summary.files += 1
        try:
            with open_source(source) as opened:
                if self._progress is None:
                    yield from self._lines(opened, seen)
                    return
                with self._progress.work(source.name) as advance:
                    for done, item in enumerate(self._lines(opened, seen), 1):
                        yield item
                        advance(done)
        except SourceFailed as failure:
            yield self._reject(str(failure), "file")

    def _lines(self, lines: Iterable[Read | Refused], seen: Seen) -> Iterator[Item]:
        for line in lines:
            self.summary.lines += 1
            if isinstance(line, Refused):
                yield self._reject(line.message, "line")
                continue
            self.summary.unknown.update(line.unknown)
            before = seen.before(line)
            if before is None:
                yield self._replayed(line)
            elif before == "same":
                self.summary.duplicates += 1
            else:
                reason = f"round {line.round.round_id} came before with other content, from {before}"
                yield self._reject(f"{line.file}:{line.line}: round_id: {reason}", "line")

    def _replayed(self, read: Read) -> Item:
        try:
            replay = replay_one(self._auditor, read.round)
        except ReplayFailed as failure:
            return self._reject(f"{read.file}:{read.line}: {failure}", "round")
        self.summary.tally.add_round(read.round, replay)
        self.summary.codes.update((each.code, each.severity) for each in replay.findings)
        return Checked(read, replay)

    def _reject(self, message: str, what: Literal["line", "file", "round"]) -> Rejected:
        self.summary.rejected[what] += 1
        return Rejected(message, what)


class Seen:
    """The rounds seen so far, in a temporary base that goes to disk when it grows."""

    def __init__(self) -> None:
        self._base = sqlite3.connect("", isolation_level=None)
        self._base.execute("PRAGMA journal_mode = OFF")
        self._base.execute(
            "CREATE TABLE seen (venue TEXT, round_id TEXT, sha256 TEXT, place TEXT,"
            " PRIMARY KEY (venue, round_id)) WITHOUT ROWID"
        )

    def close(self) -> None:
        self._base.close()

    def before(self, read: Read) -> str | None:
        """None for a round not seen yet, ``same``, or where it came from with other content."""
        key = (read.round.venue, read.round.round_id)
        digest = content_digest(read.round, read.extra)
        found = self._base.execute(
            "SELECT sha256, place FROM seen WHERE venue = ? AND round_id = ?", key
        ).fetchone()
        if found is None:
            self._base.execute(
                "INSERT INTO seen VALUES (?, ?, ?, ?)", (*key, digest, f"{read.file} line {read.line}")
            )
            return None
        return "same" if found[0] == digest else str(found[1])


def round_object(replay: RoundReplay) -> dict[str, Any]:
    """One round as ``--format jsonl`` prints it: expected settlements, and findings."""
    found: dict[str, Any] = {"round_id": replay.round_id}
    if replay.rulebook is not None:
        found["rulebook"] = replay.rulebook
    found["settlements"] = [
        {
            "wager": row.wager,
            "line": row.line,
            "result": row.expected.result,
            "paid": amount_text(row.expected.paid),
            "taken": amount_text(row.expected.taken),
        }
        for row in replay.settlements
        if row.expected is not None
    ]
    found["findings"] = [finding_object(each) for each in replay.findings]
    return found


FINDING_FIELDS = (
    *("code", "severity", "seq", "box", "hand", "wager"),
    *("expected", "recorded", "delta", "clause", "depends_on"),
)


def finding_object(finding: Finding) -> dict[str, Any]:
    """One finding as it is printed: absent values left out, money as a decimal string."""
    found = {name: getattr(finding, name) for name in FINDING_FIELDS}
    if finding.delta is not None:
        found["delta"] = amount_text(finding.delta)
    return {name: value for name, value in found.items() if value not in (None, "")}
