"""What people made of findings: confirmed, explained, or found to be the program's own mistake.

A disposition is a record of the ledger ``dispositions``, which is only ever added to, and binds
to the fingerprint of a finding, so that it outlives every run. It keeps the facts that the finding
had (severity, amount, the event it points at): once they differ, the finding is another matter than
the one looked into, and counts again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from audit.errors import LakeError, UsageProblem
from audit.lake import Lake
from audit.past import Past, past_of
from audit.provenance import provenance
from rules_replay.log import amount_text

Status: TypeAlias = Literal["confirmed", "explained", "false-positive", "open"]
IN_FORCE: Final = ("confirmed", "explained", "false-positive")
OPEN: Final = "open"
"""Takes back the disposition before it."""

SETTLED = frozenset({"explained", "false-positive"})
"""After these a finding need not be looked at again."""

LONGEST_NAME = 100
LONGEST_NOTE = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Disposition:
    """What somebody made of one finding. ``line`` is that of the ledger; ``delta`` is in whole units.

    Venue to ``seq`` are those of the finding when it was looked into.
    """

    line: int
    at: datetime
    fingerprint: str
    status: str
    by: str
    note: str
    venue: str
    gaming_date: str
    round_id: str
    code: str
    severity: str
    delta: Decimal | None
    seq: int | None

    def is_of(self, severity: str, delta: Decimal | None, seq: int | None) -> bool:
        """Whether the finding still has the facts that it was judged on."""
        return (self.severity, self.delta, self.seq) == (severity, delta, seq)


def dispositions(lake: Lake) -> Iterator[Disposition]:
    """Every disposition, oldest first, those that were replaced or taken back included.

    Raises `LakeError` where a record was altered: it may make a breach look explained.
    """
    problem = lake.ledger("dispositions").follow().problem
    if problem is not None:
        raise LakeError(f"{lake.root}: {problem}; bring it back from a copy of the lake")
    for record in lake.records("dispositions"):
        for finding in record["findings"]:
            delta = finding["delta"]
            yield Disposition(
                line=record["n"],
                at=datetime.fromisoformat(record["at"]),
                status=record["status"],
                by=record["by"],
                note=record["note"],
                **{**finding, "delta": None if delta is None else Decimal(delta)},
            )


def standing(lake: Lake) -> dict[str, Disposition]:
    """The disposition in force of each finding that has one, by fingerprint; see `dispositions`."""
    last = {each.fingerprint: each for each in dispositions(lake)}
    return {name: each for name, each in last.items() if each.status != OPEN}


def dispose(
    lake: Lake, named: Sequence[str], status: Status, by: str, note: str, at: datetime
) -> dict[str, Any]:
    """Record what ``by`` made of some findings, each named by the beginning of its fingerprint.

    Returns the record. Raises `UsageProblem` for a name that fits no finding or several, or for a
    text that is empty, too long or holds invisible characters; `LakeBusy` during a run.
    """
    by, note = _text("--by", by, LONGEST_NAME), _text("--note", note, LONGEST_NOTE)
    with lake.writing():
        findings = [_finding(each) for each in past_of(lake, named)]
        record = {
            "kind": "disposition",
            **provenance(),
            "status": status,
            "by": by,
            "note": note,
            "findings": findings,
        }
        return lake.append("dispositions", record, at)


def _text(option: str, text: str, longest: int) -> str:
    text = text.strip()
    if not text:
        raise UsageProblem(f"{option}: say something; an empty text tells nobody anything")
    if len(text) > longest:
        raise UsageProblem(f"{option}: {len(text):,} characters; at most {longest:,} are kept")
    if not text.isprintable():
        raise UsageProblem(
            f"{option}: holds a line break or another invisible character; give one line of text"
        )
    return text


def _finding(past: Past) -> dict[str, Any]:
    return {
        "fingerprint": past.fingerprint,
        "venue": past.venue,
        "gaming_date": past.gaming_date.isoformat(),
        "round_id": past.round_id,
        "code": past.code,
        "severity": past.severity,
        "delta": None if past.delta is None else amount_text(int(past.delta.scaleb(3))),
        "seq": past.seq,
    }


# --- what a run makes of them --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Disposed:
    """Findings of a run with a disposition in force.

    ``by_status`` counts those whose facts are still as they were, ``changed`` the others;
    ``settled`` has by severity those that need not be looked at again.
    """

    by_status: Counter[str] = field(default_factory=Counter)
    changed: int = 0
    settled: Counter[str] = field(default_factory=Counter)

    def as_json(self) -> dict[str, int]:
        """The counts by status, and that of findings which have changed since."""
        return {**{name: self.by_status[name] for name in IN_FORCE}, "changed_since": self.changed}


def disposed(findings: Sequence[Path], in_force: Mapping[str, Disposition]) -> Disposed:
    """The findings in some files of the table that have a disposition in force."""
    by_status: Counter[str] = Counter()
    settled: Counter[str] = Counter()
    changed = 0
    wanted = pa.array(sorted(in_force), pa.string())
    for path in findings if in_force else ():
        columns = ["fingerprint", "severity", "delta", "seq"]
        rows = pq.read_table(path, columns=columns, partitioning=None)
        rows = rows.filter(pc.is_in(rows["fingerprint"], wanted))
        for fingerprint, *facts in zip(*rows.to_pydict().values(), strict=True):
            disposition = in_force[fingerprint]
            if not disposition.is_of(*facts):
                changed += 1
                continue
            by_status[disposition.status] += 1
            if disposition.status in SETTLED:
                settled[facts[0]] += 1
    return Disposed(by_status, changed, settled)
