"""Findings in SARIF 2.1.0, the format in which tools that check things exchange what they found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias
from urllib.parse import quote

import msgspec

from audit.observe.findings import Told
from audit.report.text import meaning, missing_words
from audit.results import decimal_text
from audit.version import code_version
from rules_replay.checks import Check, catalogue
from rules_replay.rulebook import load_rulebook, rulebook_ids

_HEAD = b'{"$schema":"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json","version":"2.1.0","runs":[{"tool":'
_LEVELS = {"breach": "error", "notice": "note"}
_OTHERS = "warning"
_LOGS = "LOGS"
"""What the names of source files are relative to: wherever the logs are kept."""


_File: TypeAlias = tuple[str, str | None]
"""Name and SHA-256 of a source file: on two nights two files may have one name."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a run is not complete: a partition that failed, lines in quarantine."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """How the program ended. ``at`` and ``run_id`` are those of a recorded run."""

    exit_code: int
    complete: bool
    problems: tuple[Problem, ...] = ()
    at: datetime | None = None
    run_id: str | None = None


def sarif(findings: Iterable[Told], ended: Callable[[], Invocation]) -> Iterator[bytes]:
    """A SARIF log in pieces; what is held at a time is one finding, and the names of the files.

    ``ended`` is asked how the program ended once the findings are exhausted.
    """
    rules = list(catalogue())
    places = {code: place for place, code in enumerate(rules)}
    yield _HEAD + _json({"driver": _driver()}) + b',"columnKind":"unicodeCodePoints","results":['
    files: dict[_File, int] = {}
    between = b"\n"
    for told in findings:
        yield between + _json(_result(told, places, files))
        between = b",\n"
    yield b'\n],"artifacts":' + _json([_artifact(*file) for file in files])
    yield b',"originalUriBaseIds":' + _json(
        {_LOGS: {"description": {"text": "Where the round logs are kept."}}}
    )
    invocation = ended()
    yield b',"invocations":' + _json([_invocation(invocation)])
    if invocation.run_id is not None:
        yield b',"automationDetails":' + _json({"id": f"pontoon-audit/{invocation.run_id}"})
    yield b"}]}\n"


def level(severity: str) -> str:
    """The level of a severity: a breach is an error, a notice a note, all between a warning."""
    return _LEVELS.get(severity, _OTHERS)


def _json(value: Any) -> bytes:
    return msgspec.json.encode(value)


def _driver() -> dict[str, Any]:
    return {
        "name": "pontoon-audit",
        "version": code_version(),
        "shortDescription": {"text": "Replays casino Pontoon through the rulebook in force."},
        "rules": [_rule(check) for check in catalogue().values()],
    }


def _rule(check: Check) -> dict[str, Any]:
    books = [load_rulebook(name) for name in rulebook_ids()]
    clauses = {book.id: book.clause_of(check.code) for book in books}
    needs = f"{missing_words(check.needs)} where it is not evaluable. " if check.needs else ""
    return {
        "id": check.code,
        "shortDescription": {"text": f"{meaning(check.code)}."},
        "fullDescription": {
            "text": f"{meaning(check.code)}. Applies to a round with: {check.subject}. "
            f"Gravest severity: {check.severity}."
        },
        "help": {"text": f"{needs}Clauses: {'; '.join(clauses.values())}."},
        "defaultConfiguration": {"level": level(check.severity)},
        "properties": {"severity": check.severity, "clauses": clauses},
    }


def _result(told: Told, places: Mapping[str, int], files: dict[_File, int]) -> dict[str, Any]:
    found: dict[str, Any] = {"ruleId": told.code}
    if told.code in places:
        found["ruleIndex"] = places[told.code]
    found |= {
        "level": level(told.severity),
        "message": {"text": told.message},
        "locations": [_location(told, files)],
        "partialFingerprints": {"pontoonFinding/v1": told.fingerprint},
    }
    if told.state is not None:
        found["baselineState"] = _baseline(told)
    if told.settled is not None:
        found["suppressions"] = [{"kind": "external", "status": "accepted", "justification": told.settled}]
    properties = {
        **{name: getattr(told, name) for name in _PROPERTIES},
        "delta": None if told.delta is None else decimal_text(told.delta),
    }
    found["properties"] = {name: value for name, value in properties.items() if value not in (None, "")}
    return found


_PROPERTIES = (
    *("severity", "clause", "rulebook", "depends_on", "basis", "venue", "gaming_date", "table", "shoe"),
    *("round_no", "round_id", "seq", "box", "hand", "wager", "player", "expected", "recorded", "currency"),
)


def _baseline(told: Told) -> str:
    if told.state == "continuing":
        return "updated" if told.altered else "unchanged"
    return "new"


def _location(told: Told, files: dict[_File, int]) -> dict[str, Any]:
    """The line of the source file, and the place at the table from the venue down to the wager."""
    found: dict[str, Any] = {}
    if told.source_file is not None:
        index = files.setdefault((told.source_file, told.source_sha256), len(files))
        physical: dict[str, Any] = {
            "artifactLocation": {**_artifact_location(told.source_file), "index": index}
        }
        if told.source_line:
            physical["region"] = {"startLine": told.source_line}
        found["physicalLocation"] = physical
    steps = [
        (kind, name)
        for kind, name in (
            ("venue", told.venue),
            ("table", told.table),
            ("shoe", told.shoe),
            ("round", told.round_id),
            ("box", told.box),
            ("hand", told.hand),
            ("wager", told.wager),
        )
        if name is not None
    ]
    kind, name = steps[-1]
    path = "/".join(f"{each}:{quote(str(value), safe='')}" for each, value in steps)
    found["logicalLocations"] = [{"name": str(name), "kind": kind, "fullyQualifiedName": path}]
    return found


def _artifact_location(name: str) -> dict[str, str]:
    return {"uri": quote(name, safe="/", errors="surrogateescape").lstrip("/"), "uriBaseId": _LOGS}


def _artifact(name: str, sha256: str | None) -> dict[str, Any]:
    found: dict[str, Any] = {"location": _artifact_location(name)}
    if sha256:
        found["hashes"] = {"sha-256": sha256}
    return found


def _invocation(invocation: Invocation) -> dict[str, Any]:
    found: dict[str, Any] = {"executionSuccessful": invocation.complete, "exitCode": invocation.exit_code}
    if invocation.at is not None:
        found["startTimeUtc"] = invocation.at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if invocation.problems:
        found["toolExecutionNotifications"] = [
            {"descriptor": {"id": each.kind}, "level": "error", "message": {"text": each.message}}
            for each in invocation.problems
        ]
    return found
