"""The page for investigators says what the catalogue holds, and its queries run."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from audit.catalog import MACROS, RUNS, VIEWS, build_catalog, open_read_only
from expectations.tables import STORED, columns
from tests.test_catalog_views import write_lake

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "data_samples" / "nights"
PAGE = (ROOT / "docs" / "investigators.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sql\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
QUERIES = [query.strip() for block in BLOCKS for query in block.split(";") if query.strip()]
IN_THE_SMALL_LAKE = {"CBR-P02-20230930-2026-20-008": "CBR-1", "CBR-P02-20230930-2026-20": "P01-20190301-1"}
"""A round and a shoe of the samples, of which the page asks, and those that the small lake has instead."""
QUESTIONS = re.findall(r"^### \d+\. (.*)$", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_catalog(write_lake(tmp_path_factory.mktemp("lake")))


def test_there_are_ten_questions_with_a_query_each() -> None:
    assert len(QUESTIONS) == 10
    for question in QUESTIONS:
        assert "```sql" in PAGE.partition(question)[2].partition("\n### ")[0], question


@pytest.mark.parametrize("query", QUERIES)
def test_every_query_finds_something_in_the_small_lake(catalog: Path, query: str) -> None:
    for name, instead in IN_THE_SMALL_LAKE.items():
        query = query.replace(f"'{name}'", f"'{instead}'")
    with open_read_only(catalog) as session:
        assert session.execute(query).fetchall()


@pytest.mark.parametrize("name", IN_THE_SMALL_LAKE)
def test_what_the_page_asks_of_is_in_the_samples(name: str) -> None:
    assert f"'{name}'" in PAGE
    with gzip.open(SAMPLES / "act-2018.jsonl.gz", "rt", encoding="utf-8") as night:
        assert any(f'"{name}"' in line for line in night)


def test_every_query_runs_on_an_empty_lake(tmp_path: Path) -> None:
    with open_read_only(build_catalog(tmp_path)) as session:
        for query in QUERIES:
            session.execute(query).fetchall()


def test_the_page_lists_every_column_and_macro() -> None:
    for name in STORED:
        section = PAGE.partition(f"\n### {name}\n")[2].partition("\n### ")[0]
        for column in columns(name)[2:]:
            assert f"| `{column.name}` | {column.type} | {column.comment} |" in section, name
    for name, (kind, comment) in RUNS.items():
        assert f"| `{name}` | {kind} | {comment} |" in PAGE
    for view in VIEWS:
        section = PAGE.partition(f"\n### {view.name}\n")[2].partition("\n### ")[0]
        for column in view.own:
            assert f"| `{column.name}` | {column.type} | {column.comment} |" in section, view.name
    for macro in MACROS:
        assert f"| `{macro.call}` | {macro.comment} |" in PAGE
