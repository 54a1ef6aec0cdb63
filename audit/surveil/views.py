"""Views of the catalogue on surveillance: all results, and those of a few questions together."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from audit.catalog_history import View, of_one_file
from audit.layout import DATA_FILE, SURVEILLANCE
from audit.surveil.table import SURVEILLANCE as RESULTS
from expectations.tables import Column, columns_of, literal


@cache
def _columns() -> tuple[Column, ...]:
    return columns_of(RESULTS)


def _all(root: Path) -> str:
    return of_one_file(root / SURVEILLANCE / DATA_FILE, _columns())


def _view(name: str, meaning: str, *questions: str) -> View:
    listed = ", ".join(map(literal, questions))

    def query(_: Path) -> str:
        return f"SELECT * FROM surveillance WHERE question IN ({listed})"

    return View(name=name, meaning=meaning, own=_columns(), query=query)


def surveillance_views() -> tuple[View, ...]:
    """In the order in which they need one another."""
    return (
        View(
            name="surveillance",
            meaning="what was asked of many rounds together, one row per question and subject, by the latest "
            "`surveil`; likelihoods and limits, never guilt",
            own=_columns(),
            query=_all,
        ),
        _view(
            "surveillance_rates",
            "money over- and underpaid and findings by dealer, table, shift, player and pair",
            *("overpaid", "underpaid", "findings"),
        ),
        _view(
            "surveillance_cards",
            "how often cards completed hands, dealers' totals and multipliers, against their chances",
            *("cards", "dealer", "multiplier"),
        ),
        _view("surveillance_hold", "what the house kept by period, against the theoretical return", "hold"),
        _view(
            "surveillance_shoes",
            "sequences that came again, and cards that never came",
            "sequence",
            "missing",
        ),
        _view("surveillance_stakes", "wins at stakes suddenly raised", "stake"),
    )
