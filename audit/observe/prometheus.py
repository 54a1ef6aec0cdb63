"""What a run or an ingest came to, in the text format that Prometheus reads.

Made for the textfile collector of node_exporter: one file a job and lake, whose path is on every
sample so that several files can lie in one folder. Labels are few: venues of the register,
severities, currencies; no round, table or person. Amounts are written as exact decimals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

from audit.results import OVER_TIME
from audit.version import code_version
from rules_replay.severity import SEVERITIES

if TYPE_CHECKING:
    from audit.ingest.pipeline import IngestReport

Value: TypeAlias = int | float | Decimal

PREFIX = "pontoon_audit_"
ELSEWHERE = "unregistered"
"""Label of all venues that the register does not know: their names come from a log."""
VERDICTS = ("passed", "failed", "error", "none")


@dataclass(slots=True)
class Gauge:
    """One metric: its name without the prefix, what it says, and its samples by labels."""

    name: str
    says: str
    samples: list[tuple[Mapping[str, str], Value]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a job ended: at which second since 1970, after how many seconds, with which exit code.

    ``job`` is ``run`` or ``ingest``.
    """

    job: str
    at: int
    seconds: float
    exit_code: int


def exposition(gauges: Sequence[Gauge], common: Mapping[str, str]) -> str:
    """Metrics as text, ``common`` labels first on each sample; one without samples is left out."""
    lines: list[str] = []
    for gauge in gauges:
        if gauge.samples:
            name = PREFIX + gauge.name
            lines += [f"# HELP {name} {_escaped(gauge.says)}", f"# TYPE {name} gauge"]
            lines += [f"{name}{_labels({**common, **own})} {_number(value)}" for own, value in gauge.samples]
    return "".join(f"{line}\n" for line in lines)


def job_metrics(ended: Ended) -> list[Gauge]:
    """What is said of every job, also of one that failed before it did anything."""
    return [
        _one(f"{ended.job}_timestamp_seconds", f"When the last {ended.job} ended, since 1970.", ended.at),
        _one(f"{ended.job}_duration_seconds", f"How long the last {ended.job} took.", ended.seconds),
        _one(
            f"{ended.job}_exit_code",
            "0 done, 1 findings at or above --fail-on, 2 usage or configuration, 3 incomplete.",
            ended.exit_code,
        ),
        Gauge(
            f"{ended.job}_info",
            f"Always 1; the version that made the last {ended.job}.",
            [({"version": code_version()}, 1)],
        ),
    ]


def run_metrics(
    record: Mapping[str, Any], registered: Mapping[str, str], seconds: Mapping[str, float]
) -> list[Gauge]:
    """What a record of the run ledger says; ``registered`` has the currency of each venue that may be named.

    ``seconds`` are those of the stages of the run, empty where it was an earlier one.
    """
    counts = record["counts"]
    outcome = (record["validation"] or {}).get("outcome", "none")
    return [
        _by(
            "run_stage_seconds",
            "How long each stage of the last run took.",
            "stage",
            {name: round(each, 3) for name, each in seconds.items()},
        ),
        _one("rounds", "Rounds replayed by the last recorded run.", counts["rounds"]),
        _one(
            "rounds_without_rulebook",
            "Rounds of the last recorded run for which no rulebook was in force.",
            counts["rounds_without_rulebook"],
        ),
        _one(
            "rounds_compared",
            "Rounds of the last recorded run that both engines replayed and agreed on.",
            counts["rounds_compared"],
        ),
        _one(
            "rounds_disagreed",
            "Rounds of the last recorded run on which the engines disagreed.",
            counts["rounds_disagreed"],
        ),
        Gauge(
            "findings",
            "Findings of the last recorded run by venue and severity.",
            list(_findings(record, registered)),
        ),
        _by(
            "findings_compared",
            "Findings of the last recorded run against the runs before; changed are among continuing.",
            "change",
            {name: counts["over_time"][name] for name in OVER_TIME},
        ),
        _by(
            "overpaid",
            "Money overpaid to players in breach, in units of the currency.",
            "currency",
            _money(record, registered, "overpaid"),
        ),
        _by(
            "underpaid",
            "Money underpaid to players in breach, in units of the currency.",
            "currency",
            _money(record, registered, "underpaid"),
        ),
        _one(
            "settlements_corrected",
            "Settlements of the last recorded run that the table reversed and made good.",
            counts["settlements_corrected"],
        ),
        _by("checks", "Verdicts of checks on rounds in the last recorded run.", "verdict", counts["checks"]),
        _one(
            "quarantined_lines",
            "Lines in quarantine under the choice of the last recorded run.",
            counts["quarantined"],
        ),
        _by(
            "partitions",
            "Partitions of the last recorded run by what became of them.",
            "outcome",
            {
                "replayed": sum(each["outcome"] == "replayed" for each in record["partitions"]),
                "failed": counts["partitions_failed"],
                "unchanged": counts["partitions_unchanged"],
            },
        ),
        _by(
            "validation",
            "1 for the verdict on tables and control totals of the last recorded run, 0 for the others.",
            "outcome",
            {each: int(each == outcome) for each in VERDICTS},
        ),
    ]


def ingest_metrics(report: IngestReport) -> list[Gauge]:
    """What an ingest did."""
    return [
        _by(
            "ingest_files",
            "Files of the last ingest by what became of them.",
            "outcome",
            {
                "read": len(report.files),
                "unchanged": len(report.unchanged),
                "failed": len(report.failed),
            },
        ),
        _by(
            "ingest_lines",
            "Lines of the last ingest by what became of them.",
            "outcome",
            {name: report.count(name) for name in ("stored", "duplicates", "quarantined")},
        ),
    ]


def _one(name: str, says: str, value: Value) -> Gauge:
    return Gauge(name, says, [({}, value)])


def _by(name: str, says: str, label: str, values: Mapping[str, Value]) -> Gauge:
    return Gauge(name, says, [({label: each}, value) for each, value in values.items()])


def _findings(
    record: Mapping[str, Any], registered: Mapping[str, str]
) -> Iterator[tuple[Mapping[str, str], Value]]:
    found: dict[str, Counter[str]] = {}
    for each in record["partitions"]:
        if each["outcome"] == "replayed":
            venue = each["venue"] if each["venue"] in registered else ELSEWHERE
            found.setdefault(venue, Counter()).update(each["findings"])
    for venue in sorted(found):
        for severity in SEVERITIES:
            yield {"venue": venue, "severity": severity}, found[venue][severity]


def _money(record: Mapping[str, Any], registered: Mapping[str, str], way: str) -> dict[str, Value]:
    """By currency, 0 where a venue of it was audited and nothing went the wrong way."""
    audited = {each["venue"] for each in record["partitions"] if each["outcome"] == "replayed"}
    found: dict[str, Value] = {registered[venue]: 0 for venue in audited & registered.keys()}
    found |= {currency: Decimal(moved[way]) for currency, moved in record["money"].items()}
    return dict(sorted(found.items()))


def _labels(labels: Mapping[str, str]) -> str:
    inside = ",".join(f'{name}="{_escaped(value, quotes=True)}"' for name, value in labels.items())
    return f"{{{inside}}}" if inside else ""


def _escaped(text: str, *, quotes: bool = False) -> str:
    escaped = text.replace("\\", r"\\").replace("\n", r"\n")
    return escaped.replace('"', r"\"") if quotes else escaped


def _number(value: Value) -> str:
    return f"{value:f}" if isinstance(value, Decimal) else repr(value)
