"""The page of surveillance: one HTML file with its pictures, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from statistics import median_low
from typing import Final

from jinja2 import Environment
from markupsafe import Markup

from audit.report.markup import environment, packaged, policy
from audit.results import count
from audit.surveil.pictures import Picture, pictures_of
from audit.surveil.questions import Surveillance
from audit.surveil.result import Answer, Result
from audit.surveil.table import QUESTIONS
from rules_replay.log import amount_text

SHOWN: Final = 200
"""Unusual results in the table, the least likely."""

TITLES: Final = {
    "overpaid": "Overpaid",
    "underpaid": "Underpaid",
    "findings": "Findings",
    "cards": "Pontoons, pairs and bonus hands",
    "dealer": "Totals of the dealer",
    "multiplier": "Jackpot meter",
    "hold": "Hold",
    "sequence": "Repeated sequences",
    "missing": "Missing cards",
    "stake": "Raised stakes",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The results of one kind of subject, counted; ``needed`` is the median of what tests need."""

    kind: str
    tests: int
    unusual: int
    ordinary: int
    not_evaluable: int
    needed: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One question as the page shows it."""

    answer: Answer
    title: str
    asks: str
    lines: Sequence[Line]
    pictures: Sequence[Picture]


def page_text(found: Surveillance, chosen: str) -> str:
    """The page; the same results give the same text."""
    unusual = [each for each in found.results if each.verdict == "unusual"]
    style = packaged("audit.report", "report.css") + packaged("audit.surveil", "surveillance.css")
    return (
        _environment()
        .get_template("surveillance.html")
        .render(
            found=found,
            chosen=chosen,
            # Both are files of this program.
            style=Markup(style),  # nosec B704
            policy=policy(style),
            unusual=len(unusual),
            shown=unusual[:SHOWN],
            questions=QUESTIONS,
            sections=[_section(each) for each in found.answers],
        )
    )


def _section(answer: Answer) -> Section:
    return Section(
        answer=answer,
        title=TITLES[answer.question],
        asks=QUESTIONS[answer.question],
        lines=list(_lines(answer)),
        pictures=list(pictures_of(answer)),
    )


def _lines(answer: Answer) -> Iterator[Line]:
    for kind in dict.fromkeys(each.kind for each in answer.results):
        of_kind = [each for each in answer.results if each.kind == kind]
        needed = [each.needed for each in of_kind if each.needed is not None]
        verdicts = [each.verdict for each in of_kind]
        yield Line(
            kind=kind,
            tests=max(each.tests for each in of_kind),
            unusual=verdicts.count("unusual"),
            ordinary=verdicts.count("ordinary"),
            not_evaluable=verdicts.count("not evaluable"),
            needed=median_low(needed) if needed else None,
        )


def money_words(each: Result) -> str:
    """The money of a result in words: ``AUD 120 overpaid, players won AUD 95``."""
    parts = [
        f"{each.currency} {amount_text(amount)} {words}"
        for amount, words in ((each.overpaid, "overpaid"), (each.underpaid, "underpaid"))
        if amount
    ]
    if each.net is not None:
        how = "won" if each.net >= 0 else "lost"
        parts.append(f"players {how} {each.currency} {amount_text(abs(each.net))}")
    return ", ".join(parts)


def number_text(value: Decimal | None) -> str:
    """A count or an amount for reading."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value == value.to_integral_value() else f"{value:,.2f}"


@cache
def _environment() -> Environment:
    return environment("audit.surveil", count=count, money=money_words, number=number_text)
