"""The page on mappings: it has every key, and its worked example works."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from audit.mapping import model
from audit.mapping.model import KNOWN_WORDS
from audit.mapping.support import WORDS
from rules_replay.log import Amount, amount_text
from tests.mappings import mapping, rounds

PAGE = (Path(__file__).parent.parent / "docs" / "mappings.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


TABLES = [
    each for each in vars(model).values() if isinstance(each, type) and issubclass(each, msgspec.Struct)
]
KEYS = sorted({each.encode_name for table in TABLES for each in msgspec.structs.fields(table)})


@pytest.mark.parametrize("key", KEYS)
def test_every_key_is_on_the_page(key: str) -> None:
    assert re.search(rf"`\[{{0,2}}([a-z_]+\.)?{key}(\]|`|\.| =)", PAGE), key


def test_the_keys_of_every_table_are_among_them() -> None:
    assert {"each", "when", "includes_double", "moved_card", "parent", "delimiter", "is"} <= set(KEYS)


@pytest.mark.parametrize("word", [*WORDS, *KNOWN_WORDS["action"], *KNOWN_WORDS["status"]])
def test_every_word_is_on_the_page(word: str) -> None:
    assert f"`{word}`" in PAGE


def test_the_worked_example_gives_the_round_shown() -> None:
    (found,) = rounds(mapping(block("toml")), block("json").encode())
    shown = re.search(r"```\n(0 wager.*?)```", PAGE, re.DOTALL)
    assert shown is not None
    for line, event in zip(shown[1].splitlines(), found.events, strict=True):
        told = msgspec.json.decode(msgspec.json.encode(event, enc_hook=str))
        assert line.split()[1] == told["e"]
        for name, value in re.findall(r"(\w+) (\w+)(?:,|$)", line.split(maxsplit=2)[2]):
            field = getattr(event, name)
            assert value == (amount_text(field) if isinstance(field, Amount) else str(field))
