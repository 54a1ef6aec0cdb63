"""Runs and ingests as OpenLineage events: which data came of which, by which code.

A job gives two events, START and COMPLETE, FAIL or ABORT, in the form of the OpenLineage
specification 2-0-2. Data sets are the tables of the lake and the files read, named by their
absolute paths as the specification has it for a local file system.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

import msgspec

from audit.version import code_digest, code_version
from expectations.tables import STORED, columns

Ending: TypeAlias = Literal["COMPLETE", "FAIL", "ABORT"]

JOBS = "pontoon-audit"
"""Namespace of the jobs."""

_SPECIFICATION = "https://openlineage.io/spec"
_EVENT = f"{_SPECIFICATION}/2-0-2/OpenLineage.json#/$defs/RunEvent"
_FACET = f"{_SPECIFICATION}/2-0-2/OpenLineage.json#/$defs/"
_FACETS = {
    "schema": "1-2-0/SchemaDatasetFacet",
    "outputStatistics": "1-0-2/OutputStatisticsOutputDatasetFacet",
    "processing_engine": "1-1-1/ProcessingEngineRunFacet",
    "errorMessage": "1-0-1/ErrorMessageRunFacet",
    "jobType": "2-0-4/JobTypeJobFacet",
}
_RUN_IDS = uuid.uuid5(uuid.NAMESPACE_OID, "pontoon-audit run")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One execution of ``run`` or ``ingest`` that has ended.

    ``record`` is its ledger record, None where nothing was recorded; ``error`` why it failed.
    ``read`` names the files that an ingest read. ``ending`` is FAIL only where nothing was
    recorded: a run that found breaches, or left a partition out, has run.
    """

    name: str
    lake: str
    started: datetime
    ended: datetime
    ending: Ending
    exit_code: int
    record: Mapping[str, Any] | None = None
    error: str | None = None
    read: tuple[str, ...] = field(default=())

    @property
    def run_id(self) -> str:
        """A UUID made of the record's SHA-256, which no two runs of a lake share.

        Without a record of the lake and the instant; the job did nothing that could be repeated.
        """
        if self.record is not None:
            return str(uuid.uuid5(_RUN_IDS, self.record["sha256"]))
        return str(uuid.uuid5(_RUN_IDS, f"{self.name} {self.lake} {self.started.isoformat()}"))


def events(job: Job) -> list[bytes]:
    """The two events of a job, each one line of JSON."""
    start = _event(job, "START", job.started, {})
    facets = {"pontoonAudit_run": _own(job)}
    if job.error is not None:
        facets["errorMessage"] = _facet("errorMessage", message=job.error, programmingLanguage="PYTHON")
    end = _event(job, job.ending, job.ended, facets)
    if job.record is not None:
        end["inputs"] = [*_files(job.read), *(_table(job.lake, name) for name in _tables_read(job.record))]
        end["outputs"] = [_table(job.lake, name, rows) for name, rows in _tables_written(job.record).items()]
    return [msgspec.json.encode(each) for each in (start, end)]


def _event(job: Job, kind: str, at: datetime, facets: Mapping[str, Any]) -> dict[str, Any]:
    engine = _facet("processing_engine", name="pontoon-audit", version=code_version())
    return {
        "eventType": kind,
        "eventTime": at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "run": {"runId": job.run_id, "facets": {"processing_engine": engine, **facets}},
        "job": {
            "namespace": JOBS,
            "name": job.name,
            "facets": {
                "jobType": _facet(
                    "jobType", processingType="BATCH", integration="PONTOON_AUDIT", jobType="JOB"
                )
            },
        },
        "inputs": [],
        "outputs": [],
        "producer": _producer(),
        "schemaURL": _EVENT,
    }


def _producer() -> str:
    """This program as a package URL, which names the version too."""
    return f"pkg:generic/pontoon-audit@{code_version().replace(' ', '-')}"


def _facet(name: str, /, **content: Any) -> dict[str, Any]:
    version, kind = _FACETS[name].split("/")
    url = f"{_SPECIFICATION}/facets/{version}/{kind}.json#/$defs/{kind}"
    return {"_producer": _producer(), "_schemaURL": url, **content}


def _own(job: Job) -> dict[str, Any]:
    """What the specification has no place for: the code, and the record in the ledger."""
    found: dict[str, Any] = {
        "_producer": _producer(),
        "_schemaURL": f"{_FACET}RunFacet",
        "codeVersion": code_version(),
        "codeSha256": code_digest(),
        "exitCode": job.exit_code,
    }
    if job.record is not None:
        found["record"] = job.record["sha256"]
        found |= {name: job.record[name] for name in ("run_id", "rulebooks", "chosen") if name in job.record}
    return found


def _files(names: Iterable[str]) -> list[dict[str, Any]]:
    return [{"namespace": "file", "name": name, "facets": {}} for name in names]


def _table(lake: str, name: str, written: Counter[str] | None = None) -> dict[str, Any]:
    described = [
        {"name": each.name, "type": each.type, "description": each.comment} for each in columns(name)
    ]
    found: dict[str, Any] = {
        "namespace": "file",
        "name": f"{lake}/{name}",
        "facets": {"schema": _facet("schema", fields=described)},
    }
    if written is not None:
        statistics = _facet(
            "outputStatistics", rowCount=written["rows"], size=written["bytes"], fileCount=written["files"]
        )
        found["outputFacets"] = {"outputStatistics": statistics}
    return found


def _tables_read(record: Mapping[str, Any]) -> list[str]:
    paths = {each["path"].partition("/")[0] for each in record.get("inputs", ())}
    return [name for name in STORED if name in paths]


def _tables_written(record: Mapping[str, Any]) -> dict[str, Counter[str]]:
    """By table what a record says was published: rows, bytes and files."""
    found: dict[str, Counter[str]] = {}
    for each in record["published"]:
        counted = found.setdefault(each["path"].partition("/")[0], Counter())
        counted.update(rows=each["rows"], bytes=each["bytes"], files=1)
    return {name: found[name] for name in STORED if name in found}
