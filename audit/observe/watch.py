"""A job of the command line as others see it: log events, metrics, lineage, SARIF and JUnit files.

All files are written after the job has published what it had to. One that cannot be written makes
the exit code 3, and undoes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import pyarrow as pa

from audit.clock import now
from audit.commands.lakes import latest_run
from audit.errors import AuditError, NothingChanged, storage_error
from audit.exit_codes import DONE, INCOMPLETE, INTERRUPTED, TERMINATED
from audit.failures import failure
from audit.ingest.pipeline import IngestReport
from audit.ingest.sources import Source
from audit.lake import Lake
from audit.layout import Partition
from audit.observe.files import append_lines, replacing
from audit.observe.findings import told_of_run
from audit.observe.junit import junit_of_run
from audit.observe.lineage import Ending, Job, events
from audit.observe.log import note, place_in, say
from audit.observe.prometheus import Ended, Gauge, exposition, ingest_metrics, job_metrics, run_metrics
from audit.observe.sarif import Invocation, Problem, sarif
from audit.partitions import Choice, partition_name
from audit.results import count
from audit.run import RunOutcome, partition_of
from rules_replay.venues import Register


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """Where each kind of file goes; None where it is not wanted."""

    metrics: Path | None = None
    lineage: Path | None = None
    sarif: Path | None = None
    junit: Path | None = None


class Watch:
    """One job on a lake. As a context it tells of a job that fails, too.

    ``url`` is the address of a lake of which the folder is a working copy.
    """

    def __init__(self, name: str, root: Path, outputs: Outputs, url: str | None = None) -> None:
        self._name = name
        self._lake = Lake(root)
        self._place = url or _plain(root.absolute())
        self._outputs = outputs
        self._started = now()
        self._clock = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            message, code = failure(error)
            self._end(code, "ABORT" if code in (INTERRUPTED, TERMINATED) else "FAIL", error=message)

    def ran(self, outcome: RunOutcome, register: Register) -> int:
        """Tell what a run did; gives the exit code with which the command ends."""
        _note_run(outcome)
        return self._tell_run(outcome.record, outcome.exit_code, register, outcome.seconds)

    def unchanged(self, nothing: NothingChanged, register: Register) -> int:
        """Tell of a run that had nothing to do: its files are about the latest that had."""
        note(str(nothing), "run.unchanged", partitions=nothing.partitions)
        record = latest_run(self._lake)
        assert record is not None, "a partition is unchanged since a run"
        return self._tell_run(record, DONE, register, {})

    def ingested(self, report: IngestReport, sources: Iterable[Source], code: int) -> int:
        """Tell what an ingest did; gives the exit code with which the command ends."""
        _note_ingest(report)
        record = None
        if report.record is not None:
            records = self._lake.records("ingests")
            record = next(each for each in records if each["sha256"] == report.record)
        taken = {each.name for each in report.files}
        paths = [path for each in sources if each.name in taken for path in (each.path, each.events)]
        read = tuple(_plain(path.absolute()) for path in paths if path is not None)
        return self._end(code, "COMPLETE", record, ingest_metrics(report), read=read)

    def _tell_run(
        self, record: Mapping[str, Any], code: int, register: Register, seconds: Mapping[str, float]
    ) -> int:
        scope = [partition_of(each) for each in record["report_scope"]]
        code = write_findings(self._lake, record, register, scope, self._outputs, code)
        currencies = {name: venue.currency for name, venue in register.venues.items()}
        gauges = run_metrics(record, currencies, seconds)
        own = record if seconds else None
        return self._end(code, "COMPLETE", own, gauges)

    def _end(
        self,
        code: int,
        ending: Ending,
        record: Mapping[str, Any] | None = None,
        gauges: Sequence[Gauge] = (),
        *,
        error: str | None = None,
        read: tuple[str, ...] = (),
    ) -> int:
        ended = now()
        if self._outputs.lineage is not None:
            job = Job(
                name=self._name,
                lake=self._place,
                started=self._started,
                ended=ended,
                ending=ending,
                exit_code=code,
                record=record,
                error=error,
                read=read,
            )
            path = self._outputs.lineage
            code = _attempt("lineage", path, lambda: append_lines(path, events(job)), code)
        if self._outputs.metrics is not None:
            told = Ended(
                job=self._name,
                at=int(ended.timestamp()),
                seconds=round(time.monotonic() - self._clock, 3),
                exit_code=code,
            )
            text = exposition([*job_metrics(told), *gauges], {"lake": self._place})
            code = _attempt(
                "metrics", self._outputs.metrics, _writer(self._outputs.metrics, text.encode()), code
            )
        return code


def tell_again(lake: Lake, register: Register, choice: Choice, outputs: Outputs) -> int:
    """Write the findings of the latest run again, or of a part of its partitions; gives an exit code.

    The lake must have a run; nothing of what it published may be damaged.
    """
    if outputs == Outputs():
        return DONE
    record = latest_run(lake)
    assert record is not None, "its report has just been written"
    scope = [each for each in map(partition_of, record["report_scope"]) if choice.has(each)]
    return write_findings(lake, record, register, scope, outputs, DONE)


def write_findings(
    lake: Lake,
    record: Mapping[str, Any],
    register: Register,
    scope: Sequence[Partition],
    outputs: Outputs,
    code: int,
) -> int:
    """Write the findings of a recorded run as SARIF and JUnit, where these are wanted.

    Gives the exit code ``code``, or 3 where one could not be written.
    """

    def as_sarif() -> Iterator[bytes]:
        with told_of_run(lake, record, register, scope) as findings:
            yield from sarif(findings, lambda: _invocation(record))

    def as_junit() -> Iterator[bytes]:
        with told_of_run(lake, record, register, scope) as findings:
            yield junit_of_run(lake, record, findings, scope)

    for name, path, pieces in (("SARIF", outputs.sarif, as_sarif), ("JUnit", outputs.junit, as_junit)):
        if path is not None:
            code = _attempt(name, path, _writer(path, pieces), code)
    return code


def _writer(path: Path, content: bytes | Callable[[], Iterator[bytes]]) -> Callable[[], None]:
    def write() -> None:
        with replacing(path) as file:
            for piece in (content,) if isinstance(content, bytes) else content():
                file.write(piece)

    return write


def _attempt(what: str, path: Path, write: Callable[[], None], code: int) -> int:
    """Write a file; where that fails say so, and the exit code is 3."""
    try:
        write()
    except OSError as error:
        problem = str(storage_error(error, f"write the {what} file", path))
    except (duckdb.Error, pa.ArrowException, AuditError) as error:
        problem = f"{path}: could not write the {what} file: {str(error).partition(chr(10))[0]}"
    else:
        return code
    say(f"pontoon-audit: {problem}", "output.failed", "error", file=str(path))
    return max(code, INCOMPLETE)


def _plain(path: Path) -> str:
    """A path as text that UTF-8 can hold, whatever bytes it is of."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def _invocation(record: Mapping[str, Any]) -> Invocation:
    failed = tuple(
        Problem("partition.failed", f"{partition_name(partition_of(each))}: not replayed: {each['reason']}")
        for each in record["partitions"]
        if each["outcome"] == "failed"
    )
    lines = record["counts"]["quarantined"]
    kept = (Problem("lines.quarantined", f"{count(lines, 'line')} in quarantine, not audited"),)
    code = record["exit_code"]
    return Invocation(
        exit_code=code,
        complete=code != INCOMPLETE,
        problems=failed + (kept if lines else ()),
        at=datetime.fromisoformat(record["at"]),
        run_id=record["run_id"],
    )


def _note_run(outcome: RunOutcome) -> None:
    """Log events for what people are told on standard output."""
    record = outcome.record
    for each in record["partitions"]:
        if each["outcome"] == "replayed":
            named = {name: each[name] for name in ("venue", "gaming_date", "rounds", "findings")}
            told = f"{partition_name(partition_of(each))}: {count(each['rounds'], 'round')} replayed"
            note(told, "partition.replayed", run_id=record["run_id"], **named)
    if outcome.quarantined:
        told = f"{count(outcome.quarantined, 'line')} in quarantine, not audited"
        note(told, "lines.quarantined", "warning", run_id=record["run_id"], lines=outcome.quarantined)
    validation = record["validation"]
    if validation is not None:
        note(
            f"Validation {validation['outcome']}",
            "validation.finished",
            "info" if validation["outcome"] == "passed" else "error",
            run_id=record["run_id"],
            **validation,
        )
    note(
        f"Run {record['run_id']} recorded",
        "run.recorded",
        run_id=record["run_id"],
        record=record["sha256"],
        counts=record["counts"],
        money=record["money"],
        stages={name: round(seconds, 3) for name, seconds in outcome.seconds.items()},
    )


def _note_ingest(report: IngestReport) -> None:
    """Log events for what people are told on standard output."""
    for message in report.first_refused:
        note(message, "line.quarantined", "warning", **place_in(message))
    for failed in report.failed:
        note(str(failed), "file.failed", "error", file=failed.source, reason=failed.reason)
    for name in report.unchanged:
        note(f"{name}: ingested before, nothing to do", "file.unchanged", file=name)
    for file in report.files:
        told = f"{file.name}: {count(file.lines, 'line')}, {file.stored:,} stored"
        names = ("lines", "stored", "superseding", "duplicates", "quarantined")
        note(told, "file.ingested", file=file.name, **{name: getattr(file, name) for name in names})
    note("Ingest recorded" if report.record else "Nothing to record", "ingest.recorded", record=report.record)
