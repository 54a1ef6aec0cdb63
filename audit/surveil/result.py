"""What a question comes to for one subject, and how it is kept.

A result says what was observed and expected, how likely that is, what money moved, on how many
rounds it rests, how many it would take, and what it does not show.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from audit.surveil.likelihood import adjusted_log, log_text
from audit.surveil.table import QUESTIONS, SURVEILLANCE

Verdict: TypeAlias = Literal["unusual", "ordinary", "not evaluable"]
VERDICTS: Final[tuple[Verdict, ...]] = ("unusual", "not evaluable", "ordinary")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One answer. ``overpaid`` to ``net`` are in thousandths of ``currency``, None where it moves no money.

    ``observed`` and ``expected`` are counts, or amounts in whole units. ``log_p`` is the logarithm of
    the p-value; with ``by_bet`` it is that of 1 / e. ``trials`` counts what could have gone either way and
    ``needed`` how many of them the test wants; ``rounds`` are those that they came from.
    """

    question: str
    venue: str
    kind: str
    subject: str
    detail: str = ""
    trials: int
    observed: Decimal
    expected: Decimal | None
    log_p: float | None = None
    by_bet: bool = False
    log_q: float | None = None
    tests: int = 0
    verdict: Verdict = "ordinary"
    currency: str | None = None
    overpaid: int | None = None
    underpaid: int | None = None
    net: int | None = None
    rounds: int
    needed: int | None = None
    first_round: str | None = None
    last_round: str | None = None
    limits: str

    @property
    def p_text(self) -> str | None:
        """The p-value of a test that has one."""
        return None if self.log_p is None or self.by_bet else log_text(self.log_p)

    @property
    def e_text(self) -> str | None:
        """The e-value of a bet."""
        return log_text(-self.log_p) if self.log_p is not None and self.by_bet else None

    @property
    def q_text(self) -> str | None:
        """The likelihood adjusted for the number of tests."""
        return None if self.log_q is None else log_text(self.log_q)


def judged(results: Iterable[Result], level: float, tests: int | None = None) -> list[Result]:
    """Results of one question and kind of subject, adjusted for their number and given a verdict.

    ``tests`` counts them where some are left out that found nothing. One without a likelihood is not
    evaluable; nor is one that found nothing in fewer trials than its test needs.
    """
    listed = list(results)
    tested = [each for each in listed if each.log_p is not None]
    count = len(tested) if tests is None else tests
    adjusted = iter(adjusted_log(np.array([each.log_p for each in tested]), count))
    found = []
    for each in listed:
        if each.log_p is None:
            found.append(replace(each, verdict="not evaluable"))
            continue
        log_q = float(next(adjusted))
        too_few = each.needed is None or each.trials < each.needed
        unusual = log_q <= math.log(level)
        verdict: Verdict = "unusual" if unusual else "not evaluable" if too_few else "ordinary"
        found.append(replace(each, log_q=log_q, tests=count, verdict=verdict))
    return found


def whole(count: float) -> Decimal:
    """A count as a decimal with three places."""
    return Decimal(f"{count:.3f}")


def in_order(results: Iterable[Result]) -> list[Result]:
    """The unusual first, the least likely of them first; then by question and subject."""
    names = list(QUESTIONS)

    def place(each: Result) -> tuple[Any, ...]:
        return (
            VERDICTS.index(each.verdict),
            (each.log_q or 0.0) if each.verdict == "unusual" else 0.0,
            names.index(each.question),
            each.venue,
            each.kind,
            each.subject,
            each.detail,
            each.currency or "",
        )

    return sorted(results, key=place)


# --- as a table --------------------------------------------------------------------------------


def as_table(results: Sequence[Result], level: float) -> pa.Table:
    """Results as the table `SURVEILLANCE`, in their order."""
    return pa.Table.from_pylist([_row(each, level) for each in results], schema=SURVEILLANCE)


def _row(each: Result, level: float) -> dict[str, Any]:
    return {
        "venue": each.venue,
        "question": each.question,
        "subject_kind": each.kind,
        "subject": each.subject,
        "detail": each.detail,
        "verdict": each.verdict,
        "trials": each.trials,
        "observed": each.observed,
        "expected": each.expected,
        "p": each.p_text,
        "e": each.e_text,
        "q": each.q_text,
        "tests": each.tests,
        "level": f"{level:g}",
        "currency": each.currency,
        "overpaid": _units(each.overpaid),
        "underpaid": _units(each.underpaid),
        "net": _units(each.net),
        "rounds": each.rounds,
        "needed": each.needed,
        "first_round": each.first_round,
        "last_round": each.last_round,
        "limits": each.limits,
    }


def _units(thousandths: int | None) -> Decimal | None:
    return None if thousandths is None else Decimal(thousandths).scaleb(-3)


# --- what a question gives the report ------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Points of a picture: ``(x, y)`` in order, with a name; ``marks`` are points to be marked."""

    name: str
    points: Sequence[tuple[float, float]]
    marks: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """All results of a question, with what is drawn of them and what could not be looked at."""

    question: str
    results: Sequence[Result]
    series: Sequence[Series] = ()
    threshold: float | None = None
    left_out: Sequence[str] = field(default=())

    def of(self, verdict: Verdict) -> Iterator[Result]:
        """The results with a verdict."""
        return (each for each in self.results if each.verdict == verdict)
