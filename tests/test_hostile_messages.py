"""Names that others chose do nothing to the terminal on which a message appears."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import pontoon

NAME = "a\x1b[2J\x1b]0;owned\x07\u202e\nb.jsonl:1: forged.jsonl"


def test_a_rejected_line_is_told_in_one_harmless_line(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"{\n")
    said = pontoon("check", tmp_path).err.splitlines()
    assert said[0].startswith(r"a\x1b[2J\x1b]0;owned\x07\u202e\nb.jsonl:1: forged.jsonl:1: not JSON")
    assert all(line.isprintable() for line in said)


@pytest.mark.parametrize("command", [("check",), ("status", "--lake"), ("verify", "--lake")])
def test_nor_does_the_name_of_what_is_not_there(tmp_path: Path, command: tuple[str, ...]) -> None:
    ran = pontoon(*command, tmp_path / "no\x1b[2J\x07")
    assert ran.code != 0
    assert r"no\x1b[2J\x07" in ran.err
    assert "\x1b" not in ran.err


def test_machines_are_given_the_name_as_it_is(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"{\n")
    lines = pontoon("--log-format", "json", "check", tmp_path).err.splitlines()
    rejected = next(each for each in map(json.loads, lines) if each["event"] == "input.rejected")
    assert rejected["message"].startswith(NAME)
