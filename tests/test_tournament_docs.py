"""The page on the tournament log says what the program holds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from audit.ingest.tournaments import decode_tournament
from rules_replay.tournament import audit_tournament, catalogue, editions, log
from rules_replay.tournament.checks import JOINED
from rules_replay.venues import load_register

PAGE = (Path(__file__).parents[1] / "docs" / "tournament-format.md").read_text(encoding="utf-8")
STRUCTS = [each for each in vars(log).values() if isinstance(each, type) and issubclass(each, msgspec.Struct)]
WORDS = (log.Form, log.Stage, log.Ties, log.EntryKind, log.Item)


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


def test_lists_every_check_with_the_clause_cited_first() -> None:
    assert set(re.findall(r"`(tournament\.[a-z-]+)`", PAGE)) == set(catalogue())
    for code in catalogue().keys() - {"tournament.no-rules"}:
        old, new = row_of(code).split("|")[2:4]
        for text, edition in ((old, editions()["act-2005"]), (new, editions()["act-2018"])):
            clauses = edition.clauses.get(code, ("",))
            first = text.strip().partition(", ")[0]
            assert first == clauses[0] or (first and clauses[0].startswith(first)), code


def test_lists_every_required_item_with_its_clause() -> None:
    for each in editions()["act-2018"].items:
        clause = each.clause.removeprefix("20.3(a)") if each.item != "rules_prevail" else each.clause
        pattern = rf"^\| .*`{each.item}`.*{re.escape(clause)}.*\|$"
        assert re.search(pattern, PAGE, flags=re.MULTILINE), each


def test_tells_every_reading() -> None:
    for rulebook, edition in editions().items():
        for each in edition.readings.values():
            row = row_of(each.id)
            assert all(f"`{answer}`" in row for answer in (each.default, *each.alternatives))
            assert f"{rulebook} {each.clause}" in row


def test_the_example_is_in_order() -> None:
    example = re.search(r"```json\n(.*?)```", PAGE, flags=re.DOTALL)
    assert example
    replay = audit_tournament(decode_tournament(example[1].replace("\n", "").encode()).item, load_register())
    assert (replay.rulebook, replay.findings) == ("act-2018", ())
    assert {row.code for row in replay.coverage if row.verdict != "passed"} == set(JOINED)
