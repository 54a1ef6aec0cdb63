"""docs/surveillance.md says what the tables hold, and its figures are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from audit.surveil.table import QUESTIONS
from audit.surveil.views import surveillance_views
from data_samples.odds.edges import edge_text
from tests.surveil_figures import PLANTED, column_rows, power_rows, table

PAGE = (Path(__file__).parents[1] / "docs" / "surveillance.md").read_text(encoding="utf-8")
EDGES = (Path(__file__).parents[1] / "audit" / "surveil" / "house_edges.csv").read_text(encoding="utf-8")


def section(name: str) -> str:
    return PAGE.partition(f"<!-- {name} -->\n")[2].partition(f"<!-- end of {name} -->")[0]


def test_views_columns_and_questions() -> None:
    for view in surveillance_views():
        assert f"| `{view.name}` |" in PAGE
    assert section("columns") == table(("column", "type", ""), column_rows())
    for question in QUESTIONS:
        assert f"`{question}`" in PAGE


@pytest.mark.slow
def test_power_is_that_of_the_code() -> None:
    first = next(power_rows())
    assert f"| {' | '.join(first)} |" in section("power")


def test_every_scheme_was_found_and_false_alarms_were_counted() -> None:
    found = section("planted")
    for each in PLANTED:
        assert f"| {each.what} |" in found
    assert re.search(r"\| all \| [\d,]+ \| [\d,]+ \| [\d,]+ \|", section("clean"))


@pytest.mark.slow
def test_edges_are_those_of_the_strategy() -> None:
    assert f"act-2018,3,{edge_text('act-2018', 3)}\n" in EDGES
