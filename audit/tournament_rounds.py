"""The round log beside a tournament: where the rounds that it names are looked up."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

import msgspec

from audit.errors import LakeError
from audit.ingest.intake import ROUNDS, Intake, Rejected, taken
from audit.lake import Lake
from audit.partitions import Choice, Plan, partition_name
from audit.progress import Progress
from rules_replay.tournament import LoggedRound, LoggedRounds, Tournament, logged_round


class RoundSource(Protocol):
    """Where rounds come from: `read` once, before the first tournament, then `of` each of them."""

    intake: Intake

    def read(self) -> Iterator[Rejected]:
        """Read what must be read beforehand; what could not be used is given."""

    def of(self, held: Tournament) -> LoggedRounds:
        """The rounds that a tournament names, as far as they are there."""


def named_rounds(held: Tournament) -> tuple[str, ...]:
    """The ids of all rounds of a tournament, each once, in its order."""
    named = (each.round_id for session in held.sessions for each in session.rounds or ())
    return tuple(dict.fromkeys(named))


class FiledRounds:
    """The rounds of some round logs, kept in a temporary base that goes to disk when it grows."""

    def __init__(self, arguments: Iterable[str | Path], progress: Progress | None = None) -> None:
        self.intake = Intake()
        self._arguments = tuple(arguments)
        self._progress = progress
        self._base = sqlite3.connect("", isolation_level=None)
        self._base.execute("PRAGMA journal_mode = OFF")
        self._base.execute(
            "CREATE TABLE logged (venue TEXT, round_id TEXT, round BLOB, PRIMARY KEY (venue, round_id))"
            " WITHOUT ROWID"
        )

    def read(self) -> Iterator[Rejected]:
        """Read the logs to their end; raises `UsageProblem` where the arguments name no input at all."""
        for each in taken(self._arguments, ROUNDS, self.intake, self._progress):
            if isinstance(each, Rejected):
                yield each
                continue
            round_ = each.item.round
            packed = msgspec.json.encode(logged_round(round_))
            self._base.execute("INSERT INTO logged VALUES (?, ?, ?)", (round_.venue, round_.round_id, packed))

    def of(self, held: Tournament) -> LoggedRounds:
        found = {}
        for round_id in named_rounds(held):
            row = self._base.execute(
                "SELECT round FROM logged WHERE venue = ? AND round_id = ?", (held.venue, round_id)
            ).fetchone()
            if row is not None:
                found[round_id] = msgspec.json.decode(row[0], type=LoggedRound)
        return found


class LakeRounds:
    """The rounds of a lake, read where a tournament names them."""

    def __init__(self, lake: Lake) -> None:
        self.intake = Intake()
        self._lake = lake

    def read(self) -> Iterator[Rejected]:
        """Nothing: a lake is looked up."""
        return iter(())

    def of(self, held: Tournament) -> LoggedRounds:
        """Raises `LakeError` where the evidence no longer matches the ledger."""
        wanted = set(named_rounds(held))
        parts = self._lake.parts_with(held.venue, wanted)
        days = {self._lake.partition_of(path).gaming_date for path in parts}
        found: dict[str, LoggedRound] = {}
        for day in sorted(each for each in days if each is not None):
            choice = Choice(venues=(held.venue,), since=day, until=day)
            plan = Plan(self._lake, self._lake.published(), choice)
            for failed in plan.failed:
                raise LakeError(f"{partition_name(failed.partition)}: {failed.reason}")
            for planned in plan.planned:
                for round_ in self._lake.read_rounds(planned.partition):
                    if round_.round_id in wanted:
                        found[round_.round_id] = logged_round(round_)
        return found
