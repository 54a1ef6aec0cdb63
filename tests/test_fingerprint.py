"""A finding keeps its fingerprint whatever else of it is corrected, and shares it with no other."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rules_replay.fingerprint import DIGITS, fingerprints
from rules_replay.results import Finding

SHORT = Finding(
    code="settle.odds",
    severity="breach",
    seq=6,
    box=1,
    hand=1,
    wager="a",
    player="P1",
    expected="paid 20",
    recorded="paid 10",
    delta=-10_000,
    clause="act-2018 14.2",
)


def fingerprint(finding: Finding, venue: str = "casino-canberra", round_id: str = "R-1") -> str:
    (found,) = fingerprints(venue, round_id, [finding])
    return found


def test_it_is_the_beginning_of_a_digest_that_anybody_can_compute() -> None:
    text = '["pontoon-finding/1","casino-canberra","R-1","settle.odds",1,1,"a",0]'
    assert fingerprint(SHORT) == hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


@pytest.mark.parametrize(
    "corrected",
    [
        {"severity": "ambiguous", "depends_on": "forfeit_limit=20"},
        {"delta": -5_000},
        {"expected": "paid 20 at 1:1", "recorded": "10"},
        {"clause": "act-2018 14.3"},
        {"basis": "as_dealt"},
        {"seq": 7},
        {"player": None},
    ],
)
def test_what_a_corrected_rule_may_alter_does_not_alter_it(corrected: dict[str, Any]) -> None:
    assert fingerprint(replace(SHORT, **corrected)) == fingerprint(SHORT)


@pytest.mark.parametrize("elsewhere", [{"code": "settle.taken"}, {"box": 2}, {"hand": 2}, {"wager": "b"}])
def test_another_check_or_place_is_another_finding(elsewhere: dict[str, Any]) -> None:
    assert fingerprint(replace(SHORT, **elsewhere)) != fingerprint(SHORT)


def test_a_round_id_is_unique_within_its_venue_only() -> None:
    assert fingerprint(SHORT, venue="skycity-auckland") != fingerprint(SHORT)
    assert fingerprint(SHORT, round_id="R-2") != fingerprint(SHORT)


def test_equal_findings_of_a_round_are_told_apart_by_their_order() -> None:
    other = replace(SHORT, code="settle.taken")
    first, between, second = fingerprints("casino-canberra", "R-1", [SHORT, other, replace(SHORT, seq=9)])
    assert first == fingerprint(SHORT)
    assert between == fingerprint(other)
    assert second not in (first, between)


_places = st.tuples(
    st.sampled_from(["settle.odds", "settle.taken"]),
    st.none() | st.integers(0, 2),
    st.none() | st.integers(1, 2),
    st.none() | st.sampled_from(["a", "b", '"]', "é"]),
)


@given(st.lists(_places, max_size=20))
def test_no_two_findings_of_a_round_share_one(
    places: list[tuple[str, int | None, int | None, str | None]],
) -> None:
    findings = [
        Finding(code=code, severity="breach", box=box, hand=hand, wager=wager)
        for code, box, hand, wager in places
    ]
    found = list(fingerprints("casino-canberra", "R-1", findings))
    assert len(set(found)) == len(findings)
