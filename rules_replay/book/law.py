"""What each rulebook says of the things a house book records, with its clauses.

The editions lie in ``editions.toml`` beside this module, the checks in ``checks.csv``; their
codes begin with ``book.``. A rulebook that has no clause for a check has no such check.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from rules_replay.checks import Check, checks_of
from rules_replay.ledger import ledger_text
from rules_replay.results import Finding

PACKAGE = "rules_replay.book"


@cache
def catalogue() -> dict[str, Check]:
    """Every check of a book by code. ``needs`` is the kind of entry that is its evidence."""
    return checks_of(PACKAGE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """One rulebook as far as a house book can show it."""

    id: str
    terms: Mapping[str, Any]
    clauses: Mapping[str, tuple[str, ...]]

    def word(self, term: str) -> str:
        """What the edition says in one word; empty where it says nothing on it."""
        return str(self.terms.get(term, ""))

    def posts(self, term: str) -> tuple[str, ...]:
        """The posts that the edition names for something."""
        return tuple(self.terms[term])

    def whole(self, term: str) -> int | None:
        """A number that the edition sets, or None where it sets none."""
        found = self.terms.get(term)
        return None if found is None else int(found)

    def finding(
        self,
        code: str,
        expected: str,
        recorded: str,
        *,
        clause: str | None = None,
        player: str | None = None,
        box: int | None = None,
        hand: int | None = None,
        wager: str | None = None,
        seq: int | None = None,
        delta: int | None = None,
    ) -> Finding:
        """A finding under this edition, citing the first clause of the check unless another is given."""
        return Finding(
            code=code,
            severity=catalogue()[code].severity,
            expected=expected,
            recorded=recorded,
            clause=f"{self.id} {clause or self.clauses[code][0]}",
            player=player,
            box=box,
            hand=hand,
            wager=wager,
            seq=seq,
            delta=delta,
        )


@cache
def editions() -> dict[str, Edition]:
    """The editions by rulebook id: those rulebooks that have a clause a house book can show."""
    return {
        name: Edition(
            id=name,
            terms=entry["terms"],
            clauses={code: tuple(clauses) for code, clauses in entry["clauses"].items()},
        )
        for name, entry in tomllib.loads(ledger_text(PACKAGE, "editions.toml")).items()
    }


def citations(rulebook: str) -> dict[str, tuple[str, ...]]:
    """The clauses of a rulebook that each code holds; empty for a rulebook without any."""
    edition = editions().get(rulebook)
    return {} if edition is None else dict(edition.clauses)
