"""Findings by their fingerprint, with the last that the history of a lake says of each.

Whoever names a finding may leave off the end of its fingerprint, as long as no other finding of the
lake begins with the same digits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal

import duckdb

from audit.errors import LakeError, UsageProblem
from audit.lake import Lake
from audit.layout import HISTORY, Partition
from expectations.tables import glob_text, literal, scan
from rules_replay.words import visible

SHORTEST = 6
"""Digits of a fingerprint that have to be given."""

_IN_FORM = re.compile(rf"[0-9a-f]{{{SHORTEST},}}")
_NAMED = 5
"""Findings listed where a name fits several."""


@dataclass(frozen=True, slots=True)
class Past:
    """A finding with the facts that its last change gave it; ``delta`` is in whole currency units."""

    venue: str
    gaming_date: date
    fingerprint: str
    change: str
    run: int
    round_id: str
    code: str
    severity: str
    delta: Decimal | None
    seq: int | None

    @property
    def partition(self) -> Partition:
        """Where it was found."""
        return Partition(self.venue, self.gaming_date)

    @property
    def words(self) -> str:
        """The finding in a few words, for a list to choose from."""
        return f"{self.fingerprint} ({self.code} in round {self.round_id})"


def past_of(lake: Lake, named: Sequence[str]) -> list[Past]:
    """The findings that these beginnings of fingerprints name, each once, in the order given.

    Raises `UsageProblem` telling everything that is wrong with the names, and `LakeError` where
    the history was damaged.
    """
    problems = [
        f"{visible(name)}: not a fingerprint; give its first {SHORTEST} hexadecimal digits or more"
        for name in named
        if not _IN_FORM.fullmatch(name.lower())
    ]
    beginnings = [name.lower() for name in named if _IN_FORM.fullmatch(name.lower())]
    past = _read(lake, beginnings) if beginnings else []
    found: dict[str, Past] = {}
    for name in beginnings:
        fitting = [each for each in past if each.fingerprint.startswith(name)]
        problems += _misfit(name, fitting)
        found.update((each.fingerprint, each) for each in fitting)
    if problems:
        raise UsageProblem("; ".join(problems))
    return list(found.values())


def latest(lake: Lake) -> Mapping[str, Past]:
    """Every finding of a lake as its last change left it, by fingerprint; see `past_of` for errors."""
    return {each.fingerprint: each for each in _read(lake)}


def _misfit(name: str, fitting: Sequence[Past]) -> list[str]:
    if not fitting:
        return [f"{name}: no finding of this lake has such a fingerprint; the view finding_states has all"]
    if len(fitting) == 1:
        return []
    listed = ", ".join(each.words for each in fitting[:_NAMED])
    more = f" and {len(fitting) - _NAMED} more" if len(fitting) > _NAMED else ""
    return [f"{name}: begins the fingerprints of {len(fitting)} findings: {listed}{more}"]


def _read(lake: Lake, beginnings: Sequence[str] = ()) -> list[Past]:
    partitions = lake.partitions("changes")
    _trust(lake, partitions)
    if not partitions:
        return []
    files = f"{glob_text(lake.root)}/changes/venue=*/gaming_date=*/*.parquet"
    chosen = " OR ".join(f"starts_with(fingerprint, {literal(name)})" for name in beginnings) or "true"
    # A round that moved to another gaming date is known under both: the one where it is now tells.
    query = f"""
        WITH last AS (
            SELECT * FROM {scan("changes", [files])} WHERE {chosen}
            QUALIFY row_number() OVER (PARTITION BY venue, gaming_date, fingerprint ORDER BY run DESC) = 1
        )
        SELECT {", ".join(each.name for each in fields(Past))} FROM last
        QUALIFY row_number() OVER (PARTITION BY fingerprint ORDER BY change = 'resolved', run DESC) = 1
        ORDER BY fingerprint"""
    with duckdb.connect() as connection:
        return [Past(*row) for row in connection.execute(query).fetchall()]


def _trust(lake: Lake, partitions: Sequence[Partition]) -> None:
    known: dict[str, dict[str, str]] = {}
    for path, digest in lake.published().items():
        if path.startswith("changes/"):
            known.setdefault(path.rpartition("/")[0], {})[path] = digest
    problems = [
        problem
        for each in partitions
        for problem in lake.damaged(each, HISTORY, known.pop(f"changes/{each.folder}", {}))
    ]
    problems += [f"{path}: published, and now missing" for paths in known.values() for path in paths]
    if problems:
        raise LakeError(f"{lake.root}: {problems[0]}; what was found before cannot be told from it")
