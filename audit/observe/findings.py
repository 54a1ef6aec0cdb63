"""Findings as the formats of other programs need them: of a lake as a run left it, or of a check."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from audit.check import Checked
from audit.dispositions import SETTLED, standing
from audit.lake import Lake
from audit.layout import Partition
from audit.report.gather import open_lake
from audit.report.model import ExceptionRow, ReportScope
from audit.report.text import hand_name, meaning
from audit.results import decimal_text
from rules_replay.fingerprint import fingerprints
from rules_replay.severity import Severity
from rules_replay.venues import Register


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One finding with its place. ``delta`` is recorded net to the player less the required net.

    ``state`` compares it with the runs before (new, continuing, reopened; None where nothing is
    known) and ``altered`` tells one that continues with other facts. ``settled`` is why somebody
    need not look at it again: what was made of it, by whom, when and why.
    """

    code: str
    severity: Severity
    clause: str
    rulebook: str | None
    depends_on: str | None
    basis: str
    venue: str
    gaming_date: str | None
    table: str | None
    shoe: str | None
    round_no: int | None
    round_id: str
    seq: int | None
    box: int | None
    hand: int | None
    wager: str | None
    player: str | None
    expected: str
    recorded: str
    delta: Decimal | None
    currency: str | None
    source_file: str | None
    source_line: int | None
    source_sha256: str | None
    fingerprint: str
    state: str | None = None
    altered: bool = False
    settled: str | None = None

    @property
    def message(self) -> str:
        """The finding in a few sentences: what, where, required, recorded, amount, clause."""
        place = [f"round {self.round_id}"]
        if self.box is not None:
            place.append(hand_name(self.box, self.hand))
        if self.wager is not None:
            place.append(f"wager {self.wager}")
        parts = [f"{meaning(self.code)}: {', '.join(place)}."]
        if self.expected:
            parts.append(f"Required: {self.expected}.")
        if self.recorded:
            parts.append(f"Recorded: {self.recorded}.")
        if self.delta:
            much = "too much" if self.delta > 0 else "too little"
            amount = f"{self.currency or ''} {decimal_text(abs(self.delta))}".strip()
            parts.append(f"{amount} {much} to the player.")
        if self.depends_on is not None:
            parts.append(f"In order under the reading {self.depends_on}.")
        return " ".join([*parts, f"Clause: {self.clause}."] if self.clause else parts)


@contextmanager
def told_of_run(
    lake: Lake, record: Mapping[str, Any], register: Register, scope: Sequence[Partition]
) -> Iterator[Iterator[Told]]:
    """The findings in some partitions as a run left them, gravest first, then by money.

    ``record`` is that of the run. Raises ``duckdb.Error`` for a file that cannot be read, and
    ``OSError``.
    """
    if not scope:
        yield iter(())
        return
    in_force = standing(lake).values()
    with (
        tempfile.TemporaryDirectory() as name,
        open_lake(lake.root, ReportScope.of(scope), register, Path(name), record["n"], in_force) as opened,
    ):
        yield map(_of_row, opened.exceptions())


def _of_row(row: ExceptionRow) -> Told:
    same = (
        *("code", "severity", "clause", "rulebook", "depends_on", "basis", "venue", "table", "shoe"),
        *("round_no", "round_id", "seq", "box", "hand", "wager", "player", "expected", "recorded"),
        *("delta", "currency", "source_file", "source_line", "source_sha256", "fingerprint"),
        *("state", "altered"),
    )
    settled = None
    if row.disposition in SETTLED and not row.changed_since:
        settled = f"{row.disposition} by {row.disposed_by} on {row.disposed_at}: {row.note}"
    return Told(
        **{name: getattr(row, name) for name in same},
        gaming_date=row.gaming_date.isoformat(),
        settled=settled,
    )


def told_of_check(checked: Iterable[Checked]) -> Iterator[Told]:
    """The findings of a check, in the order of its rounds."""
    for each in checked:
        round_, replay = each.read.round, each.replay
        named = fingerprints(round_.venue, round_.round_id, replay.findings)
        for finding, fingerprint in zip(replay.findings, named, strict=True):
            yield Told(
                **{
                    name: getattr(finding, name)
                    for name in ("code", "severity", "clause", "depends_on", "basis", "seq", "box", "hand")
                },
                **{name: getattr(finding, name) for name in ("wager", "player", "expected", "recorded")},
                rulebook=replay.rulebook,
                venue=round_.venue,
                gaming_date=None,
                table=round_.table,
                shoe=round_.shoe,
                round_no=round_.round_no,
                round_id=round_.round_id,
                delta=None if finding.delta is None else Decimal(finding.delta).scaleb(-3),
                currency=round_.currency,
                source_file=each.read.file,
                source_line=each.read.line,
                source_sha256=None,
                fingerprint=fingerprint,
            )
