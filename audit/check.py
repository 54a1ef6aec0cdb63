"""``check``: rounds read, replayed and reported one after another, without a lake.

Rounds go out in the order in which they stand in the input, but for those of a shoe whose lines, in all
files together, are not in the order of its rounds: these come after all others, by venue, table, shoe,
gaming date, ``round_no`` and ``round_id``, as ``run`` replays them. What is held at a time is one round
(of large files some thousands), the shoes so far, and on disk a digest of each round seen and the rounds
that wait for their shoe.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from audit.ingest.in_order import in_order, lasting_sources, shoes_out_of_order
from audit.ingest.intake import ROUNDS, Intake, Rejected, Taken, named_sources, taken_from
from audit.ingest.lines import Read
from audit.ingest.readers import find_sources
from audit.law import Law
from audit.mapping.model import LogMapping
from audit.mapping.support import not_taken_for_passed
from audit.progress import Progress
from audit.results import by_severity, finding_json, money_json
from rules_replay.errors import ReplayFailed
from rules_replay.log import amount_text
from rules_replay.replay import Tally, replay_one
from rules_replay.results import RoundReplay


@dataclass(frozen=True, slots=True)
class Checked:
    """A round that was replayed, with the line it came from."""

    read: Read
    replay: RoundReplay


Item: TypeAlias = Checked | Rejected


@dataclass(slots=True, kw_only=True)
class Summary(Intake):
    """What a check came to.

    ``lines`` is the sum of the rounds replayed, ``duplicates``, and the lines and rounds
    rejected.
    """

    codes: Counter[tuple[str, str]] = field(default_factory=Counter)
    tally: Tally = field(default_factory=Tally)

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


BULK_FROM = 40
"""Megabytes of JSON Lines, some 20,000 rounds, from which on the kernel replays them."""

UNPACKED = 18
"""How much smaller a packed log is, about."""


def megabytes(arguments: Iterable[str | Path]) -> float:
    """About how large the files are that arguments name, unpacked; standard input counts for nothing."""
    sources, _ = find_sources(arguments)
    paths = [path for source in sources for path in (source.path, source.events) if path is not None]
    return sum(_size(path) * (UNPACKED if path.suffix in (".gz", ".zst") else 1) for path in paths) / 1e6


def _size(path: Path) -> int:
    """The bytes of a file; none where it cannot be looked at, which is told when it is opened."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


class Check:
    """One check of some inputs; ``summary`` is whole once `items` is exhausted.

    With a ``mapping`` the inputs are a vendor's files.
    """

    def __init__(self, law: Law, progress: Progress | None = None, mapping: LogMapping | None = None) -> None:
        self._auditor = law.auditor()
        self._register = law.register
        self._progress = progress
        self._mapping = mapping
        self.summary = Summary()

    def items(self, arguments: Iterable[str | Path]) -> Iterator[Item]:
        """Every round of files, folders, patterns or standard input (``-``), and what was rejected.

        Raises `UsageProblem` where the arguments name no input at all.
        """
        arguments = list(arguments)
        sources, missing = named_sources(arguments, self._mapping)
        with tempfile.TemporaryDirectory() as folder:
            sources = lasting_sources(sources, Path(folder))
            waiting = shoes_out_of_order(sources, self._register)
            coming = taken_from(sources, missing, ROUNDS, self.summary, self._progress)
            yield from self._judged(arguments, in_order(coming, waiting, self._register))

    def _judged(self, arguments: Sequence[str | Path], coming: Iterator[Taken[Read]]) -> Iterator[Item]:
        if self._mapping is None and megabytes(arguments) >= BULK_FROM:
            # It loads numba, which costs more than it gains where there are few rounds.
            from audit.check_bulk import BulkCheck

            yield from BulkCheck(self._auditor, self.summary).items(coming)
            return
        for each in coming:
            yield each if isinstance(each, Rejected) else self._replayed(each.item)

    def _replayed(self, read: Read) -> Item:
        try:
            replay = replay_one(self._auditor, read.round)
        except ReplayFailed as failure:
            return self.summary.reject(f"{read.file}:{read.line}: {failure}", "round")
        replay = not_taken_for_passed(replay, read.extra)
        self.summary.tally.add_round(read.round, replay)
        self.summary.codes.update((each.code, each.severity) for each in replay.findings)
        return Checked(read, replay)


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
    found["findings"] = [finding_json(each, FINDING_FIELDS) for each in replay.findings]
    return found


FINDING_FIELDS = (
    *("code", "severity", "seq", "box", "hand", "wager"),
    *("expected", "recorded", "delta", "clause", "depends_on"),
)
