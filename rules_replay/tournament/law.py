"""Section 20 of the rulebooks that have one: what each edition says, with its clauses.

The editions lie in ``editions.toml`` beside this module, the checks in ``checks.csv`` with
the columns of the round log's catalogue (`rules_replay.checks`); their codes begin with
``tournament.`` and stand in no other catalogue.
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias, cast

from rules_replay.checks import Check
from rules_replay.results import Finding, Severity
from rules_replay.tournament.log import Form, Item


@cache
def catalogue() -> dict[str, Check]:
    """Every check of a tournament by code. ``needs`` is the part of the log that is its evidence."""
    return {
        row["code"]: Check(
            code=row["code"],
            severity=cast(Severity, row["severity"]),
            needs=row["evaluable_with"] or None,
            subject=row["subject"],
            meaning=row["meaning"],
        )
        for row in csv.DictReader(_text("checks.csv").splitlines())
    }


def _text(name: str) -> str:
    return files("rules_replay.tournament").joinpath(name).read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A clause of section 20 that can be read in two ways; the checks take ``default``."""

    id: str
    rulebook: str
    clauses: tuple[str, ...]
    question: str
    default: str
    alternative: str
    reason: str

    @property
    def depends_on(self) -> str:
        """The other reading, as a finding that it would remove names it."""
        return f"{self.id}={self.alternative}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredItem:
    """What the conditions must state, by which clause, for which forms of tournament.

    With ``shown_by`` only if a session of that stage, or an ``elimination`` by the conditions,
    shows that it was needed.
    """

    item: Item
    clause: str
    forms: frozenset[Form]
    shown_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """One edition of section 20."""

    id: str
    terms: Mapping[str, tuple[str, str]]
    clauses: Mapping[str, tuple[str, ...]]
    items: tuple[RequiredItem, ...]

    def says(self, term: str) -> str | None:
        """What the edition says, or None where it says nothing on it."""
        return self.terms[term][0] if term in self.terms else None

    def finding(
        self,
        code: str,
        expected: str,
        recorded: str,
        *,
        clause: str | None = None,
        severity: Severity | None = None,
        reading: str | None = None,
        player: str | None = None,
        delta: int | None = None,
    ) -> Finding:
        """A finding under this edition; ``reading`` is the id of one that would remove it."""
        depends_on = readings()[reading].depends_on if reading else None
        return Finding(
            code=code,
            severity="ambiguous" if depends_on else severity or catalogue()[code].severity,
            player=player,
            expected=expected,
            recorded=recorded,
            delta=delta,
            clause=f"{self.id} {clause or self.clauses[code][0]}",
            depends_on=depends_on,
        )


@cache
def editions() -> dict[str, Edition]:
    """The editions by rulebook id: those rulebooks that have rules on tournaments."""
    return {name: _edition(name, entry) for name, entry in _tables().items() if name != "reading"}


@cache
def readings() -> dict[str, Reading]:
    """The clauses of section 20 that can be read in two ways, by id."""
    return {
        name: Reading(**{"id": name, **entry, "clauses": tuple(entry["clauses"])})
        for name, entry in _tables()["reading"].items()
    }


def citations(rulebook: str) -> dict[str, tuple[str, ...]]:
    """The clauses of a rulebook that each code holds; empty for a rulebook without section 20."""
    edition = editions().get(rulebook)
    if edition is None:
        return {}
    cited = {code: list(clauses) for code, clauses in edition.clauses.items()}
    for each in edition.items:
        cited["tournament.conditions"].append(each.clause)
    return {code: tuple(dict.fromkeys(clauses)) for code, clauses in cited.items()}


def _tables() -> dict[str, Any]:
    return tomllib.loads(_text("editions.toml"))


def _edition(name: str, entry: dict[str, Any]) -> Edition:
    every: tuple[Form, ...] = ("single", "knock_out", "points")
    return Edition(
        id=name,
        terms={term: (found["value"], found["clause"]) for term, found in entry["terms"].items()},
        clauses={code: tuple(clauses) for code, clauses in entry["clauses"].items()},
        items=tuple(
            RequiredItem(
                item=each["item"],
                clause=each["clause"],
                forms=frozenset(each.get("forms", every)),
                shown_by=each.get("shown_by"),
            )
            for each in entry.get("items", ())
        ),
    )


@dataclass(frozen=True, slots=True)
class Missing:
    """A fact that the log does not hold and without which a check cannot be made."""

    fact: str


Outcome: TypeAlias = Iterator[Finding | Missing]
"""What a check gives: findings, and facts it lacked. Neither means that all is in order."""
