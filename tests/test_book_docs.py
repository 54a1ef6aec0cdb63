"""The page on the house book says what the program holds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from audit.ingest.books import BOOK_FORMAT
from rules_replay.book import audit_book, catalogue, editions, log
from rules_replay.venues import load_register

PAGE = (Path(__file__).parents[1] / "docs" / "book-format.md").read_text(encoding="utf-8")
STRUCTS = [each for each in vars(log).values() if isinstance(each, type) and issubclass(each, msgspec.Struct)]
WORDS = (log.EntryKind, log.Post, log.Approved, log.CutGround, log.VoidGround)
RULEBOOKS = ("nz-2000", "act-2005", "adelaide-2008", "act-2018")


def row_of(name: str) -> str:
    """The row of a table that begins with a name."""
    found = re.search(rf"^\| `{re.escape(name)}`.*$", PAGE, flags=re.MULTILINE)
    assert found, name
    return found[0]


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda each: each.__name__)
def test_names_every_field(struct: type[msgspec.Struct]) -> None:
    for name in struct.__struct_encode_fields__:
        assert f"`{name}`" in PAGE, name


def test_names_every_word() -> None:
    for words in WORDS:
        for word in get_args(words):
            assert f"`{word}`" in PAGE, word


def test_tells_every_kind_of_entry() -> None:
    assert set(re.findall(r"^\*\*`([a-z_]+)`\*\*", PAGE, flags=re.MULTILINE)) == {"book", *log.KINDS}


def test_lists_every_check_with_the_clause_cited_first() -> None:
    assert set(re.findall(r"`(book\.[a-z-]+)`", PAGE)) == set(catalogue())
    assert set(RULEBOOKS) == set(editions())
    for code in catalogue():
        cells = [cell.strip() for cell in row_of(code).split("|")[2:6]]
        wanted = [editions()[rulebook].clauses.get(code, ("",))[0] for rulebook in RULEBOOKS]
        assert cells == wanted, code


def test_the_examples_are_in_order() -> None:
    example = re.search(r"```json\n(.*?)```", PAGE, flags=re.DOTALL)
    assert example
    lines = example[1].replace("\n ", " ").splitlines()
    assert len(lines) == 3
    replay = audit_book([BOOK_FORMAT.decode(line.encode()).item for line in lines], None, load_register())
    assert replay.findings == ()
    passed = {made.code for made in replay.checks if made.judged.verdict == "passed"}
    assert passed == {"book.closure", "book.cut"}
