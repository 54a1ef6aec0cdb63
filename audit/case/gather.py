"""Taking one round out of a lake with all that the findings on it rest on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from audit.case.contents import (
    CASE,
    DISPOSITIONS,
    FORMAT,
    INGEST,
    REGISTER,
    ROUND,
    RULEBOOKS,
    RUN,
    SHOE,
    SOURCE,
    Matter,
    as_json,
    books_of,
    derived,
    round_line,
    tables_of,
)
from audit.case.instructions import instructions
from audit.case.source import SourceLine, source_line
from audit.errors import LakeError, UsageProblem
from audit.lake import Lake
from audit.layout import DERIVED, Partition
from audit.ledger import Record, as_line
from audit.past import SHORTEST, past_of
from audit.provenance import provenance
from audit.results import count
from audit.whereabouts import partition_with, trusted
from rules_replay.fingerprint import fingerprints
from rules_replay.log import Round
from rules_replay.results import RoundReplay
from rules_replay.rulebook import load_rulebook, rulebook_text
from rules_replay.venues import Register, parse_register

_ORIGIN = (
    "round_id",
    "table",
    "shoe",
    "content_sha256",
    "source_file",
    "source_sha256",
    "source_line",
    "source_offset",
)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a case is about: a round, or one finding of it, named by its place or its fingerprint."""

    partition: Partition
    round_id: str
    ordinal: int | None = None
    fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """The files of a case by name, and in a few words what it is about."""

    files: Mapping[str, bytes]
    subject: Mapping[str, Any]


def subject_of(lake: Lake, named: str, venue: str | None = None) -> Subject:
    """The round or finding that a text names: ROUND, ROUND#ORDINAL, or the beginning of a fingerprint.

    An id of a round comes first. Raises `UsageProblem` where it names nothing, or several things.
    """
    lake.require()
    try:
        return Subject(partition_with(lake, named, venue), named)
    except UsageProblem:
        round_id, mark, ordinal = named.rpartition("#")
        if mark and ordinal.isascii() and ordinal.isdigit():
            return Subject(partition_with(lake, round_id, venue), round_id, ordinal=int(ordinal))
        if len(named) < SHORTEST or not set(named.lower()) <= set("0123456789abcdef"):
            raise
    (past,) = past_of(lake, [named])
    return Subject(past.partition, past.round_id, fingerprint=past.fingerprint)


def gather(lake: Lake, subject: Subject, register_text: str, source: Path | None = None) -> Case:
    """The case of a round as the newest run of its date published it.

    Raises `UsageProblem` where the date was not audited, another register is given than the
    run had, or the finding is no longer found; `LakeError` where the evidence or the published
    results do not match the ledger, or this program comes to something else.
    """
    with lake.reading():
        partition, round_id = subject.partition, subject.round_id
        run = _run_of(lake, partition)
        problems = lake.damaged(partition, DERIVED)
        if problems:
            raise LakeError(f"{lake.root}: {problems[0]}; no case can rest on it")
        origin = _origin(lake, partition, round_id)
        matter = _matter(lake, partition, origin, run, _register(run, register_text))
        replay = matter.replayed()
        _compare(lake, partition, matter, replay, run)
        ingest = _ingest_of(lake, origin["part"])
        mapping = _mapping_of(lake, origin["source_sha256"])
        line = source_line(
            source, origin["source_file"], origin["source_sha256"], origin["source_line"], mapping
        )
        made = _dispositions(lake, partition.venue, round_id)
    finding = _finding(matter, replay, subject)
    books = sorted(matter.rulebooks)
    about: dict[str, Any] = {
        "format": FORMAT,
        "venue": matter.round.venue,
        "gaming_date": str(partition.gaming_date),
        "table": matter.round.table,
        "shoe": matter.round.shoe,
        "round_id": round_id,
        "finding": finding,
        "findings": len(replay.findings),
        "content_sha256": origin["content_sha256"],
        "source": _told_source(origin, line),
        "rulebook": replay.rulebook,
        "rulebooks": {name: matter.rulebooks[name].digest for name in books},
        "readings_chosen": dict(matter.readings),
        "readings": _answers(matter),
        "register_sha256": run["register_sha256"],
        **provenance(),
        "run": {"run_id": run["run_id"], "record": f"runs:{run['n']}:{run['sha256']}"},
        "ingest": {"record": f"ingests:{ingest['n']}:{ingest['sha256']}", "part": origin["part"]},
    }
    files = {
        CASE: as_json(about),
        ROUND: round_line(matter.round),
        SHOE: b"".join(map(round_line, matter.shoe)),
        REGISTER: register_text.encode(),
        **{f"{RULEBOOKS}/{name}.toml": rulebook_text(name).encode() for name in books},
        **derived(matter, replay),
        INGEST: as_line(ingest) + b"\n",
        RUN: as_line(run) + b"\n",
        **({SOURCE: line.line} if line.line is not None else {}),
        **({DISPOSITIONS: b"".join(as_line(each) + b"\n" for each in made)} if made else {}),
    }
    return Case({**files, "README.txt": instructions(about, [*files, "README.txt"])}, about)


def _run_of(lake: Lake, partition: Partition) -> Record:
    day = None if partition.gaming_date is None else partition.gaming_date.isoformat()
    found = None
    for record in lake.records("runs"):
        for each in record["partitions"]:
            if (each["venue"], each["gaming_date"], each["outcome"]) == (partition.venue, day, "replayed"):
                found = record
    if found is None:
        raise UsageProblem(f"{partition.folder}: not audited yet; `pontoon-audit run` does that first")
    return found


def _register(run: Record, text: str) -> Register:
    if hashlib.sha256(text.encode()).hexdigest() != run["register_sha256"]:
        raise UsageProblem(
            f"run {run['run_id']} had another venue register (SHA-256 {run['register_sha256']}); "
            "name it with --venues, or run the audit again"
        )
    return parse_register(text, REGISTER)


def _matter(
    lake: Lake, partition: Partition, origin: Mapping[str, Any], run: Record, register: Register
) -> Matter:
    """The round with those before it that the run had followed its shoe through."""
    round_id, shoe = origin["round_id"], (origin["table"], origin["shoe"])
    planned = trusted(lake, partition, round_id)
    here: list[Round] = []
    for round_ in lake.read_rounds(partition):
        if (round_.table, round_.shoe) == shoe:
            here.append(round_)
            if round_.round_id == round_id:
                break
    before = [
        each
        for day in planned.before
        for each in lake.read_rounds(day)
        if (each.table, each.shoe) == shoe and each.round_no < here[0].round_no
    ]
    books = books_of(register, (*before, *here))
    held = {name: load_rulebook(name) for name in books}
    other = [name for name in books if run["rulebooks"].get(name, held[name].digest) != held[name].digest]
    if other:
        raise LakeError(
            f"rulebook {other[0]}: another text than run {run['run_id']} had; run the audit again"
        )
    return Matter(
        round=here[-1],
        shoe=(*before, *here[:-1]),
        register=register,
        rulebooks=held,
        readings=_chosen(run, partition),
    )


def _chosen(run: Record, partition: Partition) -> dict[str, str]:
    """The readings chosen for a run; one of an earlier version recorded only all that were in force."""
    if "readings_chosen" in run:
        return dict(run["readings_chosen"])
    answers = [each["answers"] for each in run["readings"] if each["venue"] == partition.venue]
    return dict(answers[-1]) if answers else {}


def _answers(matter: Matter) -> dict[str, str]:
    book = matter.book_for(matter.round)
    return {} if book is None else {question: book.reads(question) for question in sorted(book.readings)}


def _compare(lake: Lake, partition: Partition, matter: Matter, replay: RoundReplay, run: Record) -> None:
    """The rows that the run published of the round have to be the ones found now."""
    for table, rows in tables_of(matter, replay).items():
        published = [
            row
            for path in lake.files(table, partition)
            for row in pq.read_table(
                path, filters=[("round_id", "=", matter.round.round_id)], partitioning=None
            ).to_pylist()
        ]
        if published != rows.to_pylist():
            raise LakeError(
                f"round {matter.round.round_id}: this program comes to other {table} than run "
                f"{run['run_id']} of version {run['code_version']} published; run the audit again"
            )


def _origin(lake: Lake, partition: Partition, round_id: str) -> dict[str, Any]:
    """Where a round came from, with the part of ``rounds`` that has it."""
    for path in lake.files("rounds", partition):
        rows = pq.read_table(
            path, columns=list(_ORIGIN), filters=[("round_id", "=", round_id)], partitioning=None
        )
        for row in rows.to_pylist():
            return {**row, "part": path.relative_to(lake.root).as_posix()}
    raise UsageProblem(f"round {round_id} went away while it was read; try again")


def _ingest_of(lake: Lake, part: str) -> Record:
    for record in lake.records("ingests"):
        if any(file["path"] == part for file in record["published"]):
            return record
    raise LakeError(f"{part}: in no record of an ingest; run `pontoon-audit verify`")


def _mapping_of(lake: Lake, sha256: str) -> str | None:
    """The mapping by which a file was read last, None for a round log."""
    found = None
    for record in lake.records("ingests"):
        if any(file["sha256"] == sha256 for file in record["files"]):
            found = record.get("mapping")
    return None if found is None else f"{found['id']} version {found['version']}"


def _dispositions(lake: Lake, venue: str | None, round_id: str) -> list[Record]:
    return [
        record
        for record in lake.records("dispositions")
        if any((each["venue"], each["round_id"]) == (venue, round_id) for each in record["findings"])
    ]


def _told_source(origin: Mapping[str, Any], line: SourceLine) -> dict[str, Any]:
    told = {
        "file": origin["source_file"],
        "sha256": origin["source_sha256"],
        "line": origin["source_line"],
        "offset": origin["source_offset"],
    }
    if line.line is None:
        return {**told, "line_sha256": None, "absent_because": line.absent_because}
    return {**told, "line_sha256": hashlib.sha256(line.line).hexdigest()}


def _finding(matter: Matter, replay: RoundReplay, subject: Subject) -> dict[str, Any] | None:
    """The finding that the case is about, None where it is about the round."""
    if subject.ordinal is None and subject.fingerprint is None:
        return None
    named = fingerprints(matter.round.venue, subject.round_id, replay.findings)
    for ordinal, (finding, fingerprint) in enumerate(zip(replay.findings, named, strict=True)):
        if subject.ordinal == ordinal or subject.fingerprint == fingerprint:
            return {
                "ordinal": ordinal,
                "fingerprint": fingerprint,
                "code": finding.code,
                "severity": finding.severity,
            }
    if subject.fingerprint is not None:
        raise UsageProblem(
            f"finding {subject.fingerprint}: no longer found; export round {subject.round_id} instead"
        )
    raise UsageProblem(
        f"round {subject.round_id} has {count(len(replay.findings), 'finding')}, counted from 0; "
        f"none is {subject.ordinal}"
    )
