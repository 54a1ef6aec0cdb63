"""The nightly run: plan the partitions, replay, validate, publish, report.

One run is one publication. Everything is made in a staging folder of the lake: results,
verdicts and report. Then the tables and the run record are put in place together, and
the report and the catalogue after them. A partition that fails is left as it was and the
others go on.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import pyarrow.parquet as pq

from audit.basis import basis_of, newly_quarantined, unchanged
from audit.clock import now
from audit.digests import file_digest
from audit.dispositions import Disposed, disposed, standing
from audit.engines import Crew, Engine, Work
from audit.engines.local import Local, processors
from audit.errors import NothingChanged, os_reason, storage_error
from audit.exit_codes import INCOMPLETE, FailOn, exit_code
from audit.history import with_history
from audit.lake import Lake
from audit.law import Law
from audit.layout import DERIVED, HISTORY, Partition
from audit.ledger import Head, anchor_text, record_digest
from audit.observe.stages import Stages
from audit.partitions import (
    REPLAYED_FROM,
    Choice,
    Failed,
    Plan,
    Replayed,
    partition_name,
)
from audit.progress import Progress
from audit.provenance import provenance
from audit.readings import answers_of, question_of
from audit.results import by_severity, money_json, moved_json, over_time
from audit.stopping import unstopped
from rules_replay.replay import Tally
from rules_replay.rulebook import load_rulebook
from rules_replay.venues import Register

if TYPE_CHECKING:
    from audit.causes import Causes
    from audit.report import RunHeader
    from audit.report.placing import Ready
    from expectations.census import ControlTotals
    from expectations.report import ValidationReport

VALIDATION_FOLDER = "validation"
"""Folder of the report in which the verdicts of Great Expectations are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """What a run did. ``record`` is its entry in the run ledger, ``seconds`` what its stages took.

    ``causes`` are those of its findings, told on the clocks of ``register``.
    """

    record: Mapping[str, Any]
    replayed: tuple[Replayed, ...]
    failed: tuple[Failed, ...]
    quarantined: int
    validation: ValidationReport | None
    report_dir: Path | None
    catalogued: bool
    fail_on: FailOn
    seconds: Mapping[str, float]
    causes: Causes | None
    register: Register

    @property
    def exit_code(self) -> int:
        """That of the record; 3 where the catalogue could not be built, too."""
        recorded: int = self.record["exit_code"]
        return recorded if self.catalogued else INCOMPLETE

    @property
    def anchor(self) -> str:
        """The record as it is noted down elsewhere, for ``verify --expect``."""
        return anchor_text("runs", Head(self.record["n"], self.record["sha256"]))

    def as_json(self) -> dict[str, Any]:
        """The outcome ready for JSON."""
        from audit.causes.table import causes_json

        return {
            "run_id": self.record["run_id"],
            "anchor": self.anchor,
            "exit_code": self.exit_code,
            "fail_on": self.fail_on,
            "partitions": self.record["partitions"],
            "counts": self.record["counts"],
            "money": self.record["money"],
            "on_readings": self.record["on_readings"],
            "validation": None if self.validation is None else self.validation.to_json(),
            "causes": None if self.causes is None else causes_json(self.causes, self.register),
            "control_totals": self.record["control_totals"],
            "catalogued": self.catalogued,
            "report_dir": None if self.report_dir is None else str(self.report_dir),
            "record": self.record["sha256"],
        }


def run(
    lake: Lake,
    law: Law,
    choice: Choice,
    *,
    fail_on: FailOn = "breach",
    jobs: int | None = None,
    engine: Engine | None = None,
    report_dir: Path | None = None,
    only_changed: bool = False,
    ignore_disposed: bool = False,
    at: datetime | None = None,
    progress: Progress | None = None,
) -> RunOutcome:
    """Audit the chosen partitions of a lake and publish what came of it.

    ``jobs`` is the number of processes, one for each processor unless given, where no other
    ``engine`` replays the partitions; ``report_dir`` is ``report`` in the lake unless given. With
    ``only_changed`` partitions whose results would come out the same again are left as they are; with
    ``ignore_disposed`` findings that somebody has explained, or called false positives, do not count
    for ``fail_on``. Raises `NothingChosen`, `NothingChanged`, `LakeError`, `LakeBusy`, `StorageError`,
    or what the engine raises.
    """
    telling = progress or Progress()
    working = engine or Local(jobs or processors())
    with lake.writing(), lake.staging() as folder, working.crew(lake, folder, telling) as crew:
        instant = (at or now()).replace(microsecond=0)
        night = _Night(lake, law, folder, instant, telling)
        return night.run(
            choice,
            fail_on,
            crew,
            report_dir or lake.root / "report",
            only_changed=only_changed,
            ignore_disposed=ignore_disposed,
        )


class _Night:
    """One run, in a staging folder of the lake."""

    def __init__(self, lake: Lake, law: Law, folder: Path, at: datetime, progress: Progress) -> None:
        self._lake = lake
        self._law = law
        self._folder = folder
        self._at = at
        self._progress = progress
        self._stages = Stages()
        self._known = lake.published()
        self._left: frozenset[Partition] = frozenset()
        self._number = sum(1 for _ in lake.records("runs")) + 1
        self._changes: Mapping[Partition, Mapping[str, int]] = {}
        self._standing = standing(lake)
        self._disposed = Disposed()

    def run(
        self,
        choice: Choice,
        fail_on: FailOn,
        crew: Crew,
        report_dir: Path,
        *,
        only_changed: bool,
        ignore_disposed: bool,
    ) -> RunOutcome:
        plan = Plan(self._lake, self._known, choice)
        if only_changed:
            self._leave_unchanged(plan)
        self._stages.done("plan")
        failed = list(plan.failed)
        replayed: list[Replayed] = []
        for each in crew.replay(Work.of(self._lake, plan.planned, self._law)):
            if isinstance(each, Replayed):
                replayed.append(each)
            else:
                failed.append(each)
        replayed.sort(key=lambda each: each.partition.order)
        self._stages.done("replay")
        self._compare(replayed, failed)
        self._stages.done("compare")
        failed.sort(key=lambda each: each.partition.order)
        for each in failed:
            self._progress.say(
                f"{partition_name(each.partition)}: not replayed: {each.reason}",
                "partition.failed",
                "error",
                **_place(each.partition),
                reason=each.reason,
            )

        record = self._record(plan, replayed, failed, choice)
        validation, causes = None, None
        if replayed:
            inside = self._folder / "lake"
            self._lay_out(inside, plan, replayed)
            validation = self._validate(inside, replayed, fail_on, record)
            self._stages.done("validate")
            causes = self._report(inside, plan, replayed, record)
            self._stages.done("report")
        quarantined = record["counts"]["quarantined"]
        counted = _added_up(replayed).findings
        if ignore_disposed:
            counted -= self._disposed.settled
            record["counts"]["ignored"] = by_severity(self._disposed.settled)
        code = _exit_code(counted, failed, quarantined, validation, fail_on)
        record |= {"fail_on": fail_on, "ignore_disposed": ignore_disposed, "exit_code": code}
        staged = [each for partition in replayed for each in partition.staged]
        with self._report_ready(report_dir) if replayed else nullcontext() as ready, unstopped():
            beside = ready.beside if ready else {}
            sealed = self._lake.publish(self._folder, staged, "runs", record, self._at, beside=beside)
            if ready:
                ready.install()
            problem = self._catalogue()
        if problem is not None:
            self._progress.say(
                f"audit.duckdb is still the one before: {problem}", "catalogue.failed", "error"
            )
        self._stages.done("publish")
        return RunOutcome(
            record=sealed,
            replayed=tuple(replayed),
            failed=tuple(failed),
            quarantined=quarantined,
            validation=validation,
            report_dir=report_dir if replayed else None,
            catalogued=problem is None,
            fail_on=fail_on,
            seconds=self._stages.seconds,
            causes=causes,
            register=self._law.register,
        )

    def _leave_unchanged(self, plan: Plan) -> None:
        self._left = unchanged(self._lake, plan.planned, self._known, self._law)
        plan.planned = [each for each in plan.planned if each.partition not in self._left]
        plan.quarantine = newly_quarantined(self._lake, plan.quarantine, self._known)
        if not plan.planned and not plan.failed and not plan.quarantine:
            # The run before may have been cut off when it had only this left to do.
            self._catalogue()
            raise NothingChanged(len(self._left))

    def _compare(self, replayed: list[Replayed], failed: list[Failed]) -> None:
        """Have what changed among the findings of each partition staged with them."""
        compared = list(with_history(self._lake, self._folder, self._known, self._number, replayed))
        failed += [each for each in compared if isinstance(each, Failed)]
        sound = [each for each in compared if not isinstance(each, Failed)]
        replayed[:] = [each.replayed for each in sound]
        self._changes = {each.replayed.partition: each.counts for each in sound}
        findings = [each.path for done in replayed for each in done.staged if each.table == "findings"]
        self._disposed = disposed(findings, self._standing)

    def _lay_out(self, inside: Path, plan: Plan, replayed: Sequence[Replayed]) -> None:
        """The lake as it is about to be, of links, so that it can be judged before it is published."""
        links = [
            (path, path.relative_to(self._lake.root))
            for table, partitions in (
                *((table, [each.partition for each in replayed]) for table in (*REPLAYED_FROM, *HISTORY)),
                ("quarantine", plan.quarantine),
            )
            for partition in partitions
            for path in self._lake.files(table, partition)
        ]
        links += [(each.path, Path(each.place)) for done in replayed for each in done.staged]
        try:
            for path, place in links:
                (inside / place).parent.mkdir(parents=True, exist_ok=True)
                os.link(path, inside / place)
        except OSError as error:
            raise storage_error(error, "link the results", self._lake.root) from None

    def _validate(
        self, inside: Path, replayed: Sequence[Replayed], fail_on: FailOn, record: dict[str, Any]
    ) -> ValidationReport:
        with self._progress.wait("Validating"):
            # Great Expectations takes seconds to import.
            from expectations.session import Scope
            from expectations.validate import validate

            partitions = [each.partition for each in replayed]
            totals = control_totals(self._lake, partitions)
            record["control_totals"] = "compared" if totals is not None else "not compared"
            report = validate(
                inside,
                Scope.of((str(each.venue), str(each.gaming_date)) for each in partitions),
                totals,
                (self._folder / "report" / VALIDATION_FOLDER).absolute(),
                "notice" if fail_on == "never" else fail_on,
                run_id=record["run_id"],
                at=self._at,
                censuses=[each.census for each in replayed],
            )
        record["validation"] = {
            "outcome": _evidence_outcome(report),
            "suites": {suite.name: suite.outcome for suite in report.suites},
            "errors": [
                f"{each.code}: {each.error}"
                for suite in report.suites
                for each in suite.expectations
                if each.outcome == "error"
            ],
        }
        return report

    def _report(
        self, inside: Path, plan: Plan, replayed: Sequence[Replayed], record: dict[str, Any]
    ) -> Causes:
        from audit.report import Aside, ReportScope, write_report

        scope = ReportScope.of([*(each.partition for each in replayed), *plan.quarantine])
        record["report_scope"] = [_place(each) for each in scope.partitions]
        with self._progress.wait("Writing the report"):
            files = write_report(
                inside,
                self._folder / "report",
                scope,
                run_header(record, self._number, self._at),
                self._law.register,
                self._standing.values(),
                {
                    each.partition: Aside(each.behind, each.census.totals)
                    for each in replayed
                    if each.behind is not None
                },
                findings=sum(record["counts"]["findings"].values()),
            )
        record["report"] = {path.name: file_digest(path) for path in files.paths}
        return files.found

    def _report_ready(self, report_dir: Path) -> AbstractContextManager[Ready]:
        from audit.report.placing import made_ready

        return made_ready(self._folder / "report", report_dir, self._lake.root)

    def _catalogue(self) -> str | None:
        """Build the catalogue; what is wrong where a damaged file of the lake or the disk prevents it."""
        import duckdb

        from audit.catalog import build_catalog

        try:
            build_catalog(self._lake.root)
        except duckdb.Error as error:
            return str(error).partition("\n")[0]
        except OSError as error:
            return os_reason(error)
        return None

    # --- the record ---

    def _record(
        self, plan: Plan, replayed: Sequence[Replayed], failed: Sequence[Failed], choice: Choice
    ) -> dict[str, Any]:
        tally = _added_up(replayed)
        rows: Counter[str] = Counter()
        for done in replayed:
            rows.update({each.table: each.rows for each in done.staged})
        readings = _readings_in_force(self._law, replayed)
        bases = {each.partition: basis_of(each, self._known, self._law) for each in plan.planned}
        record: dict[str, Any] = {
            "kind": "run",
            **provenance(),
            "rulebooks": {name: load_rulebook(name).digest for name in sorted(filter(None, tally.rulebooks))},
            "register_sha256": self._law.register_sha256,
            "readings": readings,
            "readings_chosen": dict(sorted(self._law.readings.items())),
            "chosen": choice.words,
            "inputs": self._inputs(plan, replayed),
            "partitions": [
                *(_replayed_entry(each, bases[each.partition]) for each in replayed),
                *(_failed_entry(each) for each in failed),
            ],
            "counts": {
                "rounds": tally.rounds,
                "rounds_without_rulebook": tally.rulebooks[None],
                "rounds_compared": sum(each.compared for each in replayed),
                "rounds_disagreed": sum(each.disagreed for each in failed),
                **{table: rows[table] for table in ("hands", "settlements")},
                "settlements_corrected": sum(_corrected(each) for each in replayed),
                "findings": by_severity(tally.findings),
                "checks": {name: tally.checks[name] for name in ("passed", "failed", "not_evaluable")},
                "quarantined": sum(
                    pq.read_metadata(path).num_rows
                    for partition in plan.quarantine
                    for path in self._lake.files("quarantine", partition)
                ),
                "partitions_failed": len(failed),
                "partitions_unchanged": len(self._left),
            },
            "money": money_json(tally.money),
            "on_readings": _on_readings(replayed, readings),
            "control_totals": "not compared",
            "validation": None,
            "report": None,
            "report_scope": [],
        }
        # The digest in a run id is that of what the run made of its input, whatever was found before.
        outputs = [each.as_json() for done in replayed for each in done.staged if each.table in DERIVED]
        digest = record_digest({**record, "outputs": outputs})
        for entry in record["partitions"]:
            if entry["outcome"] == "replayed":
                entry["over_time"] = dict(self._changes[partition_of(entry)])
        record["counts"]["over_time"] = over_time(self._changes.values())
        record["counts"]["disposed"] = self._disposed.as_json()
        return {"run_id": f"{self._number:04d}-{digest[:12]}", **record}

    def _inputs(self, plan: Plan, replayed: Sequence[Replayed]) -> list[dict[str, str]]:
        """The evidence read, with the digests it was checked against."""
        done = {each.partition for each in replayed}
        read = {
            partition
            for planned in plan.planned
            if planned.partition in done
            for partition in (planned.partition, *planned.before)
        }
        folders = {f"{table}/{each.folder}" for each in read for table in REPLAYED_FROM}
        folders |= {f"quarantine/{each.folder}" for each in plan.quarantine}
        return [
            {"path": path, "sha256": digest}
            for path, digest in sorted(self._known.items())
            if path.rpartition("/")[0] in folders
        ]


def run_header(record: Mapping[str, Any], number: int, at: datetime) -> RunHeader:
    """What the report says about the run that it belongs to, which is on line ``number`` of its ledger."""
    from audit.report import RunHeader

    return RunHeader(
        run_id=record["run_id"],
        finished_at=at,
        code_version=record["code_version"],
        not_replayed=tuple(
            partition_name(partition_of(each)) for each in record["partitions"] if each["outcome"] == "failed"
        ),
        readings=answers_of(record["readings"]),
        rounds_compared=record["counts"].get("rounds_compared"),
        rounds_disagreed=record["counts"].get("rounds_disagreed", 0),
        number=number,
    )


def _added_up(replayed: Iterable[Replayed]) -> Tally:
    tally = Tally()
    for each in replayed:
        tally.add(each.tally)
    return tally


def _place(partition: Partition) -> dict[str, str | None]:
    day = partition.gaming_date
    return {"venue": partition.venue, "gaming_date": None if day is None else day.isoformat()}


def partition_of(entry: Mapping[str, Any]) -> Partition:
    """The partition that an entry of a run record is about."""
    day = entry["gaming_date"]
    return Partition(entry["venue"], None if day is None else date.fromisoformat(day))


def _replayed_entry(done: Replayed, basis: str) -> dict[str, Any]:
    return {
        **_place(done.partition),
        "outcome": "replayed",
        "rounds": done.tally.rounds,
        "rulebooks": {
            name or "none": done.tally.rulebooks[name] for name in sorted(done.tally.rulebooks, key=str)
        },
        "findings": by_severity(done.tally.findings),
        "money": money_json(done.tally.money),
        "basis": basis,
    }


def _corrected(done: Replayed) -> int:
    """Settlements that the table itself reversed and made good."""
    return sum(
        pc.sum(pq.read_table(each.path, columns=["corrected"], partitioning=None)["corrected"]).as_py() or 0
        for each in done.staged
        if each.table == "settlements"
    )


def _failed_entry(failed: Failed) -> dict[str, Any]:
    return {**_place(failed.partition), "outcome": "failed", "reason": failed.reason}


def _readings_in_force(law: Law, replayed: Iterable[Replayed]) -> list[dict[str, Any]]:
    """The answers to every open question, by venue and rulebook."""
    found = []
    books: dict[str, set[str]] = {}
    for each in replayed:
        books.setdefault(str(each.partition.venue), set()).update(filter(None, each.tally.rulebooks))
    for venue in sorted(books):
        for window in law.register.venues[venue].windows if venue in law.register.venues else ():
            if window.rulebook in books[venue]:
                book = load_rulebook(window.rulebook).with_readings({**window.readings, **law.readings})
                found.append(
                    {
                        "venue": venue,
                        "rulebook": book.id,
                        "since": window.since.isoformat(),
                        "answers": {question: book.reads(question) for question in sorted(book.readings)},
                    }
                )
    return found


def _on_readings(replayed: Iterable[Replayed], in_force: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The findings that another reading removes, by venue, rulebook, reading and currency."""
    tallies: dict[str, Tally] = {}
    for each in replayed:
        tallies.setdefault(str(each.partition.venue), Tally()).add(each.tally)
    answers = answers_of(in_force)
    found = []
    for venue in sorted(tallies):
        for (rulebook, depends_on, currency), hanging in sorted(
            tallies[venue].readings.items(), key=lambda item: item[0]
        ):
            question = question_of(depends_on, venue, rulebook, answers)
            found.append(
                {
                    "venue": venue,
                    "rulebook": rulebook,
                    "reading": question.reading,
                    "in_force": question.in_force,
                    "other": question.other,
                    "clause": question.clause,
                    "findings": hanging.findings,
                    "currency": currency,
                    **moved_json(hanging.money),
                }
            )
    return found


def _exit_code(
    findings: Counter[str],
    failed: Sequence[Failed],
    quarantined: int,
    validation: ValidationReport | None,
    fail_on: FailOn,
) -> int:
    sound = validation is None or _evidence_outcome(validation) == "passed"
    return exit_code(sound and not failed and not quarantined, findings, fail_on)


def _evidence_outcome(report: ValidationReport) -> str:
    """The verdict on tables and control totals; a check that failed is a finding and not counted here."""
    if any(suite.outcome == "error" for suite in report.suites):
        return "error"
    sound = all(suite.outcome == "passed" for suite in report.suites if suite.name != "checks")
    return "passed" if sound else "failed"


def control_totals(lake: Lake, partitions: Iterable[Partition]) -> Mapping[str, ControlTotals] | None:
    """By currency what ingest counted for exactly these partitions.

    The ledger has totals for each ingest; None where one put rounds both into these
    partitions and elsewhere, or superseded some of theirs, so that nobody counted these alone.
    """
    from expectations.census import MEASURES, ControlTotals

    chosen = {f"rounds/{each.folder}" for each in partitions}
    totals: dict[str, Counter[str]] = {}
    for record in lake.records("ingests"):
        places = [each["path"] for each in record["published"] if each["path"].startswith("rounds/")]
        inside = [place for place in places if place.rpartition("/")[0] in chosen]
        retired = [each["path"] for each in record["retired"] if each["path"].rpartition("/")[0] in chosen]
        if retired or 0 < len(inside) < len(places):
            return None
        for currency, counted in (record["totals"] if inside else {}).items():
            totals.setdefault(currency, Counter()).update({name: _whole(counted[name]) for name in MEASURES})
    return {currency: ControlTotals(**counted) for currency, counted in totals.items()}


def _whole(counted: int | str) -> int:
    """A count as it is, an amount as thousandths."""
    return counted if isinstance(counted, int) else int(Decimal(counted).scaleb(3))
