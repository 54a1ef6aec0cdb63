"""What a cause is: findings with one explanation, the place that explains them, and how often."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal, TypeAlias

Dimension: TypeAlias = Literal["table", "dealer", "gaming_date", "shift", "box", "kind"]
Value: TypeAlias = str | int | date
Place: TypeAlias = tuple[tuple[Dimension, Value], ...]
"""What findings have in common, in the order of `DIMENSIONS`; nothing: the venue as a whole."""

DIMENSIONS: tuple[Dimension, ...] = ("table", "dealer", "box", "kind", "shift", "gaming_date")

Pattern: TypeAlias = Literal["every", "some", "unknown", "single"]
"""Whether every opportunity between the first and the last was missed, or only some.

``unknown`` where a log does not show how often it could have happened, ``single`` for a finding
that clusters with nothing."""

Unit: TypeAlias = Literal["wager", "hand", "round"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """What was done instead of what was due.

    ``key`` is the same for the same kind of difference whatever the stakes and cards, ``words`` say it.
    ``above_sign`` marks what follows from a wager above the maximum, under whichever check it is found.
    """

    key: str
    words: str
    above_sign: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One finding as clustering sees it; ``number`` is that of the report.

    ``due`` is what was due on the wager concerned: clause, result, odds and line.
    """

    number: int
    fingerprint: str
    severity: str
    code: str
    rulebook: str | None
    clause: str
    depends_on: str | None
    venue: str
    gaming_date: date
    table: str | None
    dealer: str | None
    round_id: str
    started_us: int | None
    shift: str | None
    box: int | None
    wager: str | None
    kind: str | None
    delta: Decimal | None
    currency: str | None
    manner: Manner
    due: tuple[str, str, str, str] | None
    sign: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opportunities:
    """How often what went wrong at a place could have gone wrong there.

    Those from the first to the last finding, with the ``rounds`` in which they were; ``missed`` of
    them went wrong in this way. ``before`` and ``after`` count those in scope on either side,
    ``others`` those elsewhere in the venue in the same time.
    """

    unit: Unit
    number: int
    rounds: int
    missed: int
    before: int
    after: int
    others: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Findings that one explanation covers, or a finding of its own.

    ``id`` stays the same while venue, check, rulebook, reading, manner and place do. ``code`` is the
    check of its gravest finding, ``codes`` are all of them. ``likelihood`` is the power of ten below
    which findings would gather like this by chance; None for a single one. ``currencies`` has what was
    overpaid and underpaid. Times are microseconds since 1970 UTC.
    """

    id: str
    venue: str
    code: str
    codes: tuple[str, ...]
    severity: str
    rulebook: str | None
    depends_on: str | None
    manner: str
    place: Place
    pattern: Pattern
    clauses: tuple[str, ...]
    tables: tuple[str, ...]
    dealers: tuple[str, ...]
    gaming_dates: tuple[date, ...]
    first_us: int | None
    last_us: int | None
    rounds: int
    severities: Mapping[str, int]
    opportunities: Opportunities | None
    likelihood: int | None
    currencies: Mapping[str, tuple[Decimal, Decimal]]
    numbers: tuple[int, ...]
    fingerprints: tuple[str, ...]
    round_ids: tuple[str, ...]

    @property
    def findings(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True, slots=True)
class Causes:
    """All causes, those of several findings first, the gravest of them leading."""

    several: tuple[Cause, ...]
    single: tuple[Cause, ...]

    @property
    def all(self) -> tuple[Cause, ...]:
        return self.several + self.single

    @property
    def of_finding(self) -> Mapping[int, str]:
        """The id of the cause of every finding, by its number in the report."""
        return {number: cause.id for cause in self.all for number in cause.numbers}


def cause_id(*facts: str | None) -> str:
    """Names a cause by its defining facts, the same in every run."""
    text = "\x1f".join("" if fact is None else fact for fact in facts)
    return "c" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:15]


def place_text(place: Place) -> str:
    """A place as it goes into an id: ``table=P07;dealer=D12``."""
    return ";".join(f"{dimension}={value}" for dimension, value in place)
