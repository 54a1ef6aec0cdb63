"""Section 20 of the rulebooks that have one: what each edition says, with its clauses.

The editions lie in ``editions.toml`` beside this module, with the readings of the clauses
that leave something open, the checks in ``checks.csv`` with the columns of the round log's
catalogue (`rules_replay.checks`); their codes begin with ``tournament.`` and stand in no
other catalogue.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeAlias

from rules_replay.checks import Check, checks_of
from rules_replay.ledger import Missing, ledger_text
from rules_replay.results import Finding
from rules_replay.rulebook import Reading
from rules_replay.severity import Severity
from rules_replay.tournament.log import Form, Item

PACKAGE = "rules_replay.tournament"


@cache
def catalogue() -> dict[str, Check]:
    """Every check of a tournament by code. ``needs`` is the part of the log that is its evidence."""
    return checks_of(PACKAGE)


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
    """One edition of section 20, with the readings in force."""

    id: str
    terms: Mapping[str, tuple[str, str]]
    clauses: Mapping[str, tuple[str, ...]]
    items: tuple[RequiredItem, ...]
    readings: Mapping[str, Reading]

    def says(self, term: str) -> str | None:
        """What the edition says, or None where it says nothing on it."""
        return self.terms[term][0] if term in self.terms else None

    def reads(self, question: str) -> str | None:
        """The answer in force to an open question, or None where the edition does not leave it open."""
        return self.readings[question].value if question in self.readings else None

    def with_readings(self, chosen: Mapping[str, str]) -> Edition:
        """The same edition under other answers; questions that it does not leave open are passed over."""
        readings = {
            name: replace(each, value=chosen.get(name, each.value)) for name, each in self.readings.items()
        }
        return replace(self, readings=readings)

    def otherwise(self) -> Iterator[tuple[str, Edition]]:
        """The edition with one question at a time answered otherwise, and that answer as ``id=value``."""
        for each in self.readings.values():
            for answer in (each.default, *each.alternatives):
                if answer != each.value:
                    yield f"{each.id}={answer}", self.with_readings({each.id: answer})

    def fault(
        self,
        code: str,
        expected: str,
        recorded: str,
        *,
        clause: str | None = None,
        severity: Severity | None = None,
        player: str | None = None,
        delta: int | None = None,
        about: str | None = None,
    ) -> Fault:
        """A finding under this edition, about what was recorded unless ``about`` names its subject."""
        finding = Finding(
            code=code,
            severity=severity or catalogue()[code].severity,
            player=player,
            expected=expected,
            recorded=recorded,
            delta=delta,
            clause=f"{self.id} {clause or self.clauses[code][0]}",
        )
        return Fault(finding, (code, player, recorded if about is None else about))


@cache
def editions() -> dict[str, Edition]:
    """The editions by rulebook id: those rulebooks that have rules on tournaments."""
    tables: dict[str, dict[str, Any]] = tomllib.loads(ledger_text(PACKAGE, "editions.toml"))
    return {name: _edition(name, entry) for name, entry in tables.items()}


@cache
def readings() -> dict[str, Reading]:
    """The open questions of section 20 by id; no two editions share one."""
    return {name: each for edition in editions().values() for name, each in edition.readings.items()}


def answers(rulebook: str | None = None) -> dict[str, tuple[str, ...]]:
    """The open questions of section 20 with the answers that the checks know; of one rulebook if named."""
    known = readings() if rulebook is None else {}
    if rulebook in editions():
        known = dict(editions()[rulebook].readings)
    return {name: (each.default, *each.alternatives) for name, each in known.items()}


def citations(rulebook: str) -> dict[str, tuple[str, ...]]:
    """The clauses of a rulebook that each code holds; empty for a rulebook without section 20."""
    edition = editions().get(rulebook)
    if edition is None:
        return {}
    cited = {code: list(clauses) for code, clauses in edition.clauses.items()}
    for each in edition.items:
        cited["tournament.conditions"].append(each.clause)
    return {code: tuple(dict.fromkeys(clauses)) for code, clauses in cited.items()}


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
        readings={
            question: Reading(
                id=question,
                question=each["question"],
                value=each["default"],
                default=each["default"],
                alternatives=tuple(each["alternatives"]),
                clause=each["clause"],
                reason=each["reason"],
            )
            for question, each in entry.get("reading", {}).items()
        },
    )


@dataclass(frozen=True, slots=True)
class Fault:
    """A finding, and what it is about: the same under every reading that faults it."""

    finding: Finding
    about: tuple[str, str | None, str]


Outcome: TypeAlias = Iterator[Fault | Missing]
"""What a check gives: faults, and facts it lacked. Neither means that all is in order."""
