"""A check that several rulebooks cite is shown broken and kept under each of them.

The rounds are those of ``cases/checks.toml``, told under the other rulebook, or its own in
``cases/checks_elsewhere.toml`` where they turn on a term in which the rulebooks differ.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rules_replay.matrix import citations
from rules_replay.rulebook import load_rulebook, rulebook_ids
from tests.rounds import found
from tests.test_checks import PAIRS, Pair

OWN: dict[str, Any] = tomllib.loads(
    (Path(__file__).parent / "cases" / "checks_elsewhere.toml").read_text(encoding="utf-8")
)
NOT_BY_DEFAULT: list[list[str]] = OWN.pop("not_by_default")

ELSEWHERE = [
    (rulebook, code)
    for rulebook in rulebook_ids()
    for code, pair in PAIRS.items()
    if rulebook != pair.rulebook
    and citations(load_rulebook(rulebook))[f"clauses.{code}"]
    and [rulebook, code] not in NOT_BY_DEFAULT
]

everywhere = pytest.mark.parametrize(
    ("rulebook", "code"), ELSEWHERE, ids=[f"{rulebook}-{code}" for rulebook, code in ELSEWHERE]
)


def told_under(rulebook: str, code: str) -> Pair:
    """The pair of a check under a rulebook other than that of ``checks.toml``."""
    told = msgspec.structs.asdict(PAIRS[code]) | {"rulebook": rulebook} | OWN.get(rulebook, {}).get(code, {})
    return msgspec.convert(told, Pair)


def test_own_rounds_are_of_rulebooks_that_cite_the_check() -> None:
    assert {(rulebook, code) for rulebook, pairs in OWN.items() for code in pairs} <= set(ELSEWHERE)


@everywhere
def test_a_breach_is_found_and_nothing_else(rulebook: str, code: str) -> None:
    pair = told_under(rulebook, code)
    assert {finding.code for finding in pair.audit(pair.breach).findings} == {code} | pair.beside


@everywhere
def test_the_compliant_form_is_free_of_findings(rulebook: str, code: str) -> None:
    pair = told_under(rulebook, code)
    findings = pair.audit(pair.in_order).findings
    assert {finding.code for finding in findings if finding.severity != "notice"} == set()
    assert code not in {finding.code for finding in findings}


def test_in_adelaide_a_surrender_binds_the_box_only_where_the_venue_says_so() -> None:
    told = "a 20@1 by Ann | b 20@1 by Bo | 1:KC 0:QH 1:6D | surrender 1 only a | stand 1 | 0:9D"
    assert found("adelaide-2008", told, surrender_binds="box") == ["surrender.all-players"]
    assert found("adelaide-2008", told) == []
