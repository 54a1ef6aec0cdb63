"""The traceability matrix: every printed clause of a rulebook, with the checks that hold it.

One CSV a rulebook lies in ``rules_replay/clauses``, its rows in the order of the text. The
columns: ``clause`` as printed (several rows may share one), ``gist`` in this project's words,
``evidence`` (what could show a breach), ``checks`` and ``reading`` (codes and ids, separated
by spaces) and ``reason``: why there is no check, or where the check ends.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias, cast, get_args

from rules_replay.book import law as books
from rules_replay.checks import Check, catalogue
from rules_replay.errors import RulebookError
from rules_replay.rulebook import NONE, READINGS, SILENT, Rulebook, rulebook_ids
from rules_replay.tournament import law as tournaments

Evidence: TypeAlias = Literal["round", "shoe", "table", "ledger", "human", "definition", "discretion"]
"""What could show a breach: one round, the rounds of a shoe, the table's sign and layout, a
ledger beside the round log; ``human`` conduct that no log records; a ``definition`` binds
nobody by itself, and a ``discretion`` may be used or not."""

CHECKABLE: frozenset[Evidence] = frozenset({"round", "shoe", "table", "ledger"})
"""The evidence that a log can hold."""

Standing: TypeAlias = Literal["checked", "no check yet", "beyond a log"]
"""Held by a check; could be, and is not; or nothing that a log could show, as the reason says."""

COLUMNS = ("clause", "gist", "evidence", "checks", "reading", "reason")
WAITING = "no check yet:"
"""How the reason of a clause begins that a log could show and no check covers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseRow:
    """One row: a clause, or the part of it that its gist tells."""

    clause: str
    gist: str
    evidence: Evidence
    checks: tuple[str, ...]
    readings: tuple[str, ...]
    reason: str

    @property
    def checkable(self) -> bool:
        """Whether a log can hold the evidence."""
        return self.evidence in CHECKABLE

    @property
    def standing(self) -> Standing:
        """Whether a check holds the row; if none does, whether one could."""
        if self.checks:
            return "checked"
        return "no check yet" if self.reason.startswith(WAITING) else "beyond a log"


def known_checks() -> dict[str, Check]:
    """Every check by code: those of the round log, of tournaments, and of house books."""
    return catalogue() | tournaments.catalogue() | books.catalogue()


@cache
def load_matrix(rulebook_id: str) -> tuple[ClauseRow, ...]:
    """The matrix of a shipped rulebook; ``KeyError`` for an unknown id, `RulebookError` for a bad file."""
    if rulebook_id not in rulebook_ids():
        raise KeyError(rulebook_id)
    name = rulebook_id.replace("-", "_") + ".csv"
    text = files("rules_replay").joinpath("clauses", name).read_text(encoding="utf-8")
    return parse_matrix(text, f"clauses/{name}")


def parse_matrix(text: str, source: str) -> tuple[ClauseRow, ...]:
    """Read a matrix from CSV text; `RulebookError` lists every problem found."""
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise RulebookError(source, [f"line 1: expected the columns {','.join(COLUMNS)}"])
    rows: list[ClauseRow] = []
    problems: list[str] = []
    seen: set[tuple[str, str]] = set()
    for found in reader:
        where = f"line {reader.line_num}"
        if len(found) != len(COLUMNS) or None in found.values():
            problems.append(f"{where}: expected {len(COLUMNS)} fields")
            continue
        row = ClauseRow(
            clause=found["clause"],
            gist=found["gist"],
            evidence=cast(Evidence, found["evidence"]),
            checks=tuple(found["checks"].split()),
            readings=tuple(found["reading"].split()),
            reason=found["reason"],
        )
        problems.extend(f"{where}: {row.clause or '(no clause)'}: {each}" for each in _faults(row))
        if (row.clause, row.gist) in seen:
            problems.append(f"{where}: {row.clause}: the same gist twice")
        seen.add((row.clause, row.gist))
        rows.append(row)
    if problems:
        raise RulebookError(source, problems)
    return tuple(rows)


def _faults(row: ClauseRow) -> Iterator[str]:
    if not row.clause or not row.gist:
        yield "a clause and a gist are needed"
    if row.evidence not in get_args(Evidence):
        yield f"evidence: expected one of {', '.join(get_args(Evidence))}, got {row.evidence!r}"
    for kind, named, known in (
        ("check", row.checks, known_checks().keys()),
        ("reading", row.readings, READINGS.keys() | tournaments.readings().keys()),
    ):
        for each in sorted(set(named) - known):
            yield f"unknown {kind} {each!r}"
        for each in sorted({each for each in named if named.count(each) > 1}):
            yield f"{kind} {each!r} twice"
    waiting = row.reason.startswith(WAITING)
    if not row.checks and not row.reason:
        yield f'no check and no reason. Say why no log can show it, or "{WAITING}" and what a check needs'
    if waiting and row.checks:
        yield f'has a check and says "{WAITING}"'
    if waiting and row.evidence not in CHECKABLE:
        yield f'"{WAITING}" is for evidence that a log can hold, not {row.evidence!r}'


def unchecked(rows: Iterable[ClauseRow]) -> tuple[ClauseRow, ...]:
    """The rows whose evidence a log can hold and that no check covers."""
    return tuple(row for row in rows if row.checkable and not row.checks)


def citations(book: Rulebook) -> dict[str, tuple[str, ...]]:
    """Every place that cites clauses of a rulebook, such as ``clauses.settle.odds``, with them.

    The places are those of the rulebook's file, the checks and readings of its tournaments, and
    the checks of house books.
    """
    said = {name: term.clause for name, term in book.terms.items()}
    said |= {f"reading.{name}": reading.clause for name, reading in book.readings.items()}
    said |= {f"clauses.{code}": clause for code, clause in book.clauses.items()}
    said |= {f"outcomes.{name}": clause for name, clause in book.outcomes.items()}
    said |= {f"irregularities.{code}": clause for code, clause in book.irregularities.items()}
    cited = {place: _clauses(text) for place, text in said.items()}
    for ledger in (tournaments, books):
        cited |= {f"clauses.{code}": clauses for code, clauses in ledger.citations(book.id).items()}
    if book.id in tournaments.editions():
        for name, reading in tournaments.editions()[book.id].readings.items():
            cited[f"reading.{name}"] = _clauses(reading.clause)
    return cited


def _clauses(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split("; ") if part not in (SILENT, NONE))


def disagreements(book: Rulebook, rows: Iterable[ClauseRow]) -> tuple[str, ...]:
    """Where a rulebook and its matrix do not say the same, in words; empty where they agree."""
    listed = tuple(rows)
    checks = {row.clause: set[str]() for row in listed}
    for row in listed:
        checks[row.clause].update(row.checks)
    readings = {each for row in listed for each in row.readings}
    cited = citations(book)
    found = [
        f"{place}: {clause} is no row of the matrix"
        for place, clauses in cited.items()
        for clause in clauses
        if clause not in checks
    ]
    found += [
        f"clauses.{code}: no row of {clause} names the check"
        for code in known_checks()
        for clause in cited.get(f"clauses.{code}", ())
        if clause in checks and code not in checks[clause]
    ]
    found += [
        f"row {row.clause}: names {code}, for which the rulebook cites no clause"
        for row in listed
        for code in row.checks
        if not cited.get(f"clauses.{code}")
    ]
    found += [
        f"{place}: no row names it"
        for place, clauses in cited.items()
        if place.startswith("reading.") and clauses and place.removeprefix("reading.") not in readings
    ]
    return tuple(found)
