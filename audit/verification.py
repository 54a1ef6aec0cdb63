"""Everything that a lake's ledgers say, held against what is there now.

A *problem* takes away what the findings rest on: a broken link, a file that differs, a law that
is another text, a signature that does not hold. A *note* is for whoever goes on to repeat the
audit: other code or other libraries need not find anything else, but they may.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from audit.damage import NOT_OURS
from audit.digests import file_digest
from audit.errors import UsageProblem
from audit.lake import Lake
from audit.law import Law
from audit.ledger import LEDGERS, Head, LedgerName, Record, anchor_text
from audit.provenance import provenance
from audit.publication import in_between
from audit.results import count
from audit.signing import Verifier
from rules_replay.errors import RulebookError
from rules_replay.rulebook import load_rulebook

SHORTEST_ANCHOR: Final = 16
"""Digits of a SHA-256 that an anchor must have."""

_ANCHOR = re.compile(rf"({'|'.join(LEDGERS)}):([1-9][0-9]*):([0-9a-f]{{{SHORTEST_ANCHOR},64}})")


@dataclass(frozen=True, slots=True)
class Anchor:
    """A record that was noted down elsewhere: ``runs:12:9f86d0…``."""

    ledger: LedgerName
    n: int
    sha256: str

    @classmethod
    def parse(cls, text: str) -> Anchor:
        """Read what `anchor_text` wrote; `UsageProblem` for anything else."""
        found = _ANCHOR.fullmatch(text.strip().lower())
        if found is None:
            raise UsageProblem(
                f"--expect {text}: expected LEDGER:LINE:SHA256 as `verify --head` prints it, "
                f"at least {SHORTEST_ANCHOR} digits of the SHA-256"
            )
        return cls(cast(LedgerName, found[1]), int(found[2]), found[3])


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What was looked at and what came of it; ``heads`` are the newest sound records."""

    records: int
    files: int
    signed: int
    heads: Mapping[LedgerName, Head]
    problems: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def intact(self) -> bool:
        """True where there is no problem."""
        return not self.problems

    def as_json(self) -> dict[str, Any]:
        """The outcome ready for JSON."""
        return {
            "intact": self.intact,
            "records": self.records,
            "files": self.files,
            "signed": self.signed,
            "heads": [anchor_text(name, head) for name, head in self.heads.items()],
            "problems": list(self.problems),
            "notes": list(self.notes),
        }


def verify(
    lake: Lake,
    law: Law,
    *,
    key: Verifier | None = None,
    expected: Sequence[Anchor] = (),
    report_dir: Path | None = None,
) -> Verified:
    """Compute every chain and every SHA-256 of a lake again, and compare law, code and report.

    With ``key`` every record has to bear its signature, from the first signed one on; ``expected``
    are records that have to be there. ``report_dir`` is ``report`` in the lake unless given. Raises
    `LakeBusy` while another process is writing.
    """
    with lake.reading():
        found = lake.verify()
        ledgers = {
            name: list(islice(lake.records(name), found.sound[name])) if found.sound[name] else []
            for name in LEDGERS
        }
        problems = [
            *found.unfinished,
            *found.broken.values(),
            *_of_our_form(_cut(ledgers, found.broken)),
            *_unexpected(ledgers, expected),
            *(each for name in LEDGERS for each in _of_our_form(_signatures(name, ledgers[name], key))),
            *found.damaged,
            *(() if "ingests" in found.broken else _of_our_form(_sources(ledgers))),
            *_of_our_form(_law(ledgers["runs"], law)),
        ]
        cut_off, _ = in_between(lake.root)
        folder = report_dir or lake.root / "report"
        of_report = [_report([*ledgers[name], *cut_off], kind, folder) for name, kind in _REPORTED]
    signed = sum("signature" in record for records in ledgers.values() for record in records)
    unread = [f"{count(signed, 'record')} signed; `--key FILE` checks the signatures"] if signed else []
    return Verified(
        records=found.records,
        files=found.files,
        signed=signed,
        heads={
            name: Head(records[-1]["n"], records[-1]["sha256"])
            for name, records in ledgers.items()
            if records
        },
        problems=(*problems, *(problem for each in of_report for problem in each.problems)),
        notes=(
            *(note for each in of_report for note in each.notes),
            *(() if NOT_OURS in problems else _made_otherwise(ledgers["runs"])),
            *(unread if key is None else ()),
        ),
    )


Ledgers: TypeAlias = Mapping[LedgerName, Sequence[Record]]


def _of_our_form(problems: Iterator[str]) -> Iterator[str]:
    """Problems as they are found, or that a record is not what this program writes."""
    try:
        yield from problems
    except (KeyError, TypeError, ValueError, AttributeError):
        yield NOT_OURS


def _at(ledger: LedgerName, record: Record) -> str:
    return f"ledger/{ledger}.jsonl: line {record['n']}"


def _cut(ledgers: Ledgers, broken: Iterable[LedgerName]) -> Iterator[str]:
    """Records that a record of another ledger names and that are not there, one of each ledger."""
    told = set(broken)
    for name, records in ledgers.items():
        for record in records:
            for other, head in record.get("heads", {}).items():
                if other not in told and _sha_of(ledgers[other], head["n"]) != head["sha256"]:
                    told.add(other)
                    yield (
                        f"ledger/{other}.jsonl: line {head['n']} is not the record that {_at(name, record)} "
                        "names; the ledger was cut or exchanged"
                    )


def _sha_of(records: Sequence[Record], n: int) -> str | None:
    return str(records[n - 1]["sha256"]) if n <= len(records) else None


def _unexpected(ledgers: Ledgers, expected: Iterable[Anchor]) -> Iterator[str]:
    for each in expected:
        found = _sha_of(ledgers[each.ledger], each.n)
        where = f"ledger/{each.ledger}.jsonl: line {each.n}"
        if found is None:
            yield f"{where}: expected, and not there; the lake was set back to an earlier state"
        elif not found.startswith(each.sha256):
            yield f"{where}: another record than the one expected; the ledger was exchanged"


def _signatures(name: LedgerName, records: Sequence[Record], key: Verifier | None) -> Iterator[str]:
    """The first record of a ledger whose signature is missing, or does not hold."""
    begun = False
    for record in records:
        signer, signature = record.get("signed_by"), record.get("signature")
        if (signer is None) != (signature is None):
            yield f"{_at(name, record)}: its signature was taken off or added"
            return
        if key is None:
            continue
        if signature is None:
            if begun:
                yield f"{_at(name, record)}: not signed, though records before it are"
                return
        elif signer != key.id or not key.holds("record", record["sha256"], signature):
            yield f"{_at(name, record)}: not signed with this key, whose id is {key.id}"
            return
        else:
            begun = True
    if key is not None and records and not begun:
        yield f"ledger/{name}.jsonl: no record is signed"


def _sources(ledgers: Ledgers) -> Iterator[str]:
    """Inputs of a run that no ingest published."""
    published = {
        (file["path"], file["sha256"]) for record in ledgers["ingests"] for file in record["published"]
    }
    for record in ledgers["runs"]:
        lost = [each for each in record.get("inputs", ()) if (each["path"], each["sha256"]) not in published]
        if lost:
            yield (
                f"{_at('runs', record)}: read {lost[0]['path']}, which no ingest published with that content"
                + (f"; and {len(lost) - 1} more" if len(lost) > 1 else "")
            )


# --- the law and the program -----------------------------------------------------------------


def _standing(runs: Iterable[Record]) -> list[tuple[Record, dict[str, Any]]]:
    """For each partition the newest run that replayed it, and its entry there."""
    newest = {
        (entry["venue"], entry["gaming_date"]): (record, entry)
        for record in runs
        for entry in record.get("partitions", ())
        if entry["outcome"] == "replayed"
    }
    return [newest[place] for place in sorted(newest, key=str)]


def _law(runs: Iterable[Record], law: Law) -> Iterator[str]:
    """Rulebooks and registers that are no longer the text on which the published findings rest."""
    others: Counter[tuple[str, str, str]] = Counter()
    for record, entry in _standing(runs):
        for book in entry["rulebooks"]:
            digest = record["rulebooks"].get(book)
            if digest is not None and digest != _digest_now(book):
                others[f"rulebook {book}", record["run_id"], digest] += 1
        if record["register_sha256"] != law.register_sha256:
            others["venue register", record["run_id"], record["register_sha256"]] += 1
    for (what, run_id, digest), partitions in sorted(others.items()):
        means = "put it back" if what != "venue register" else "put it back, name it with --venues"
        yield (
            f"{what}: another text than the one (SHA-256 {digest}) on which run {run_id} audited "
            f"{count(partitions, 'partition')}; their findings rest on that one: {means}, "
            "or run the audit again"
        )


def _digest_now(book: str) -> str | None:
    try:
        return load_rulebook(book).digest
    except (KeyError, RulebookError):
        return None


def _made_otherwise(runs: Sequence[Record]) -> Iterator[str]:
    """How many partitions were audited by other code, or with other libraries, than are here."""
    here = provenance()
    compared: tuple[tuple[str, Callable[[Mapping[str, Any]], object]], ...] = (
        (f"other code than this (SHA-256 {here['code_sha256']})", lambda made: made["code_sha256"]),
        ("another Python", lambda made: made["environment"]["python"]),
        ("other libraries", lambda made: made["environment"]["packages_sha256"]),
        ("another lock of dependencies", lambda made: made["environment"]["lock_sha256"]),
    )
    for words, part in compared:
        other = [record for record, _ in _standing(runs) if _part(part, record) not in (None, part(here))]
        if other:
            yield f"{count(len(other), 'partition')} audited with {words}"


def _part(part: Callable[[Mapping[str, Any]], object], record: Record) -> object:
    # Records of earlier versions do not say what they were made with.
    try:
        return part(record)
    except (KeyError, TypeError):
        return None


# --- the report ------------------------------------------------------------------------------


@dataclass(slots=True)
class _OfReport:
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


_REPORTED: Final[tuple[tuple[LedgerName, str], ...]] = (("runs", "run"), ("surveillance", "surveillance"))
"""The ledgers whose records name files of the report, and what their records are called."""

_REMEDY: Final = {
    "run": "or `report` wrote it for a part of one: "
    "`pontoon-audit report` writes that of the newest run again",
    "surveillance": "or the lake was set back: `pontoon-audit surveil` writes it again",
}


def _report(records: Iterable[Record], kind: str, folder: Path) -> _OfReport:
    """What is to be said of the files of the report that records of one kind wrote."""
    found = _OfReport()
    reported = [each for each in records if each.get("kind") == kind and isinstance(each.get("report"), dict)]
    for name, digest in sorted(reported[-1]["report"].items()) if reported else ():
        path, where = folder / name, f"report/{name}"
        if not path.is_file():
            found.notes.append(f"{where}: not there, so not compared; --report-dir says where the report is")
            continue
        there = file_digest(path)
        of = [record for record in reported if record["report"].get(name) == there]
        if not of:
            found.problems.append(f"{where}: of no {kind}; it was altered, {_REMEDY[kind]}")
        elif there != digest:
            found.notes.append(
                f"{where}: that of {kind} {of[-1].get('run_id', of[-1]['n'])}, not of the newest"
            )
    return found
