"""``ingest``, ``run``, ``report``, ``verify`` and ``status`` as people see them, and rebuilding a report."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from audit.commands.causes import cause_lines
from audit.commands.checking import money_lines
from audit.commands.show import show_lines, show_table
from audit.dispositions import IN_FORCE, standing
from audit.errors import LakeError, NothingChosen, UsageProblem
from audit.ingest.pipeline import IngestReport
from audit.lake import Lake
from audit.law import Law
from audit.layout import DERIVED, EVIDENCE, HISTORY
from audit.partitions import Choice
from audit.publication import Unfinished
from audit.report import ReportFiles, ReportScope, write_report
from audit.results import count
from audit.run import RunOutcome, partition_of, run_header


def rebuild_report(lake: Lake, law: Law, choice: Choice, report_dir: Path | None = None) -> ReportFiles:
    """Write the report of the latest run again, or of a part of its partitions.

    Under the choice that the run had, the files have the run's own bytes, unless somebody has
    looked into a finding since. Raises
    what `reportable` raises, and `LakeBusy` during a run.
    """
    with lake.reading():
        record, scope = reportable(lake, choice)
        return write_report(
            lake.root,
            report_dir or lake.root / "report",
            scope,
            run_header(record, record["n"], datetime.fromisoformat(record["at"])),
            law.register,
            standing(lake).values(),
            findings=sum(record["counts"]["findings"].values()),
        )


def reportable(lake: Lake, choice: Choice) -> tuple[dict[str, Any], ReportScope]:
    """The record of the latest run, and those of its partitions that are chosen and intact.

    Raises `UsageProblem` where there was no run, `NothingChosen` where it had none of the
    partitions chosen, `LakeError` where a file no longer matches the ledger.
    """
    record = latest_run(lake)
    if record is None:
        raise UsageProblem(f"{lake.root}: no run yet; `pontoon-audit run --lake {lake.root}` makes a report")
    scope = [each for each in map(partition_of, record["report_scope"]) if choice.has(each)]
    if not scope:
        raise NothingChosen(f"{lake.root}: the latest run has nothing of {choice.words}")
    known = lake.published()
    problems = [
        problem
        for partition in scope
        for problem in lake.damaged(partition, (*EVIDENCE, *DERIVED, *HISTORY), known)
    ]
    if problems:
        raise LakeError(f"{lake.root}: {problems[0]}; a report of it could not be trusted")
    return record, ReportScope.of(scope)


def latest_run(lake: Lake) -> dict[str, Any] | None:
    """The last record of the run ledger, None before the first run."""
    last = deque(lake.records("runs"), maxlen=1)
    return last[0] if last else None


def status(lake: Lake) -> dict[str, Any]:
    """What is in a lake, its latest run, and what was left unfinished while nobody is at work."""
    return told_status(lake, lake.status(), lake.unfinished())


def told_status(lake: Lake, found: Mapping[str, Any], unfinished: list[Unfinished] | None) -> dict[str, Any]:
    """What is in a lake together with its latest run; ``unfinished`` is None while a process is at work."""
    last = latest_run(lake)
    kept = ("run_id", "at", "code_version", "chosen", "exit_code", "counts", "money", "validation")
    return {
        **found,
        "latest_run": None if last is None else {name: last[name] for name in kept},
        "at_work": unfinished is None,
        "unfinished": [each.as_json() for each in unfinished or ()],
    }


# --- for people ----------------------------------------------------------------------------


def show_ingest(report: IngestReport) -> None:
    """An ingest as a table of files and a line of totals."""
    if report.files:
        show_table(
            ("file", "lines", "stored", "of them superseding", "duplicates", "quarantined"),
            (
                (file.name, file.lines, file.stored, file.superseding, file.duplicates, file.quarantined)
                for file in report.files
            ),
        )
    lines = [f"{name}: ingested before, nothing to do" for name in report.unchanged]
    lines += [str(failure) for failure in report.failed]
    lines += report.first_refused
    more = report.count("quarantined") - len(report.first_refused)
    lines += [f"and {more:,} more lines quarantined; all are in the quarantine table"] if more > 0 else []
    lines += [
        f"{file.name}: fields outside the format, kept and not read: {', '.join(sorted(file.unknown))}"
        for file in report.files
        if file.unknown
    ]
    lines += [
        f"venue {venue} is not in the register: its rounds are stored and will not be audited"
        for venue in sorted(report.unregistered)
    ]
    totals = report.totals_out.as_json()
    lines += [
        f"{currency}: {count(int(counted['rounds']), 'round')}, {count(int(counted['wagers']), 'wager')}, "
        f"stakes {counted['stakes']}, paid {counted['paid']}, taken {counted['taken']}"
        for currency, counted in totals.items()
    ]
    show_lines(lines)


def show_run(outcome: RunOutcome) -> None:
    """A run as a table of partitions and a few lines."""
    severities = tuple(outcome.record["counts"]["findings"])
    show_table(
        ("venue", "gaming date", "rounds", *severities),
        (
            (each["venue"], each["gaming_date"], each["rounds"], *each["findings"].values())
            for each in outcome.record["partitions"]
            if each["outcome"] == "replayed"
        ),
    )
    lines = money_lines(outcome.record["money"])
    left = outcome.record["counts"]["partitions_unchanged"]
    lines += (
        [f"{count(left, 'partition')} unchanged since the last audit and left as audited."] if left else []
    )
    corrected = outcome.record["counts"]["settlements_corrected"]
    lines += [f"{count(corrected, 'settlement')} corrected at the table."] if corrected else []
    lines += [*_over_time(outcome.record["counts"])]
    lines += [] if outcome.causes is None else cause_lines(outcome.causes, outcome.register)
    lines += [_hanging(each) for each in outcome.record["on_readings"]]
    unruled = outcome.record["counts"]["rounds_without_rulebook"]
    if unruled:
        lines.append(f"No rulebook was in force for {count(unruled, 'round')}; not audited.")
    lines += _incomplete(outcome)
    if outcome.validation is not None:
        suites = {suite.name: suite.outcome for suite in outcome.validation.suites}
        named = [f"{name} {verdict}" for name, verdict in suites.items() if name != "checks"]
        lines.append(f"Validation: {', '.join(named)}.")
        lines += [
            f"Validation {each.outcome}: {each.code}: {each.error or each.meaning}"
            for suite in outcome.validation.suites
            for each in suite.expectations
            if each.outcome == "error" or (each.outcome == "failed" and suite.name != "checks")
        ]
        if outcome.record["control_totals"] == "not compared":
            lines.append("Control totals were not compared: no ingest counted exactly these rounds.")
    if outcome.report_dir is not None:
        lines.append(f"Report: {outcome.report_dir / 'report.html'}")
    lines.append(f"Run {outcome.record['run_id']} recorded as {outcome.anchor}")
    show_lines(lines)


def _over_time(counts: Mapping[str, Any]) -> Iterator[str]:
    """What is new among the findings, and what people have made of them, in lines."""
    since = counts["over_time"]
    altered = f" ({since['changed']:,} altered)" if since["changed"] else ""
    if any(since.values()):
        yield (
            f"Since the runs before: {since['new']:,} new, {since['continuing']:,} continuing{altered}, "
            f"{since['reopened']:,} reopened; {since['resolved']:,} resolved."
        )
    made = [
        f"{number:,} {name}" for name, number in counts["disposed"].items() if number and name in IN_FORCE
    ]
    if made:
        yield f"Of them looked into: {', '.join(made)}."
    changed = counts["disposed"]["changed_since"]
    if changed:
        yield f"Looked into and changed since, so open again: {count(changed, 'finding')}."
    ignored = sum(counts.get("ignored", {}).values())
    if ignored:
        yield f"Left out of the exit code: {count(ignored, 'finding')}, explained or a false positive."


def _hanging(each: Mapping[str, Any]) -> str:
    """What hangs on one reading, in a line."""
    return (
        f"{each['venue']}: {count(each['findings'], 'finding')} on the reading "
        f"{each['reading']}={each['in_force']} ({each['rulebook']} {each['clause']}), in order under "
        f"{each['other']}: {each['currency']} {each['overpaid']} overpaid, {each['underpaid']} underpaid."
    )


def _incomplete(outcome: RunOutcome) -> list[str]:
    lines = []
    if outcome.failed:
        lines.append(
            f"Incomplete: {count(len(outcome.failed), 'partition')} could not be replayed; see above why."
        )
    if outcome.quarantined:
        lines.append(f"Incomplete: {count(outcome.quarantined, 'line')} in quarantine, not audited.")
    if not outcome.catalogued:
        lines.append("Incomplete: the catalogue audit.duckdb could not be rebuilt; see above why.")
    return lines


def show_status(found: Mapping[str, Any]) -> None:
    """`status` as tables."""
    show_table(
        ("venue", "rounds", "gaming dates", "first", "last", "dates not replayed"),
        (
            (name, each["rounds"], each["gaming_dates"], each["first"], each["last"], each["not_replayed"])
            for name, each in found["venues"].items()
        ),
    )
    show_table(("table", "rows"), found["rows"].items())
    last = found["latest_run"]
    lines = ["No run yet."]
    if last is not None:
        lines = [
            f"Latest run {last['run_id']} at {last['at']} ({last['chosen']}), exit code {last['exit_code']}."
        ]
    if "snapshot" in found:
        lines.append(
            "Snapshot {number:,} of {lake}: {files:,} files, {bytes:,} bytes.".format(**found["snapshot"])
        )
    lines += ["Another process is at work in this lake."] if found["at_work"] else []
    lines += [f"Unfinished: {each['text']}." for each in found["unfinished"]]
    show_lines(lines)
