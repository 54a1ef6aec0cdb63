"""What is said of known weaknesses, and that one fails the check."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.advisories import told

CLEAN = {"name": "a", "version": "1.0", "vulns": []}
WEAK = {"name": "b", "version": "2.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.1"]}]}
SKIPPED = {"name": "c", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("dependencies", "code", "said"),
    [
        ([CLEAN], 0, "Known weaknesses: 0. 1 of 1 packages looked up."),
        ([CLEAN, SKIPPED], 0, "1 of 2 packages looked up, 1 NOT"),
        ([CLEAN, WEAK], 1, "b 2.0: PYSEC-1, mended in 2.1\nKnown weaknesses: 1."),
    ],
)
def test_an_answer(dependencies: list[dict[str, Any]], code: int, said: str) -> None:
    found, text = told(json.dumps({"dependencies": dependencies}))
    assert found == code
    assert said in text


@pytest.mark.parametrize("answer", ["", "No route to host", "[]", "{}"])
def test_no_answer_is_said_to_be_none(answer: str) -> None:
    assert told(answer) == (
        0,
        "Known weaknesses are NOT looked up: the service that lists them cannot be reached.",
    )
