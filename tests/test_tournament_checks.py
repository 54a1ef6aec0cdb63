"""Every check of a tournament in breach and in order, and what holds for any tournament."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules_replay.checks import catalogue as round_catalogue
from rules_replay.errors import RulebookError
from rules_replay.log import THOUSANDTHS, Amount, amount_text, decode_custom
from rules_replay.matrix import load_matrix
from rules_replay.severity import SEVERITIES
from rules_replay.tournament import (
    Tournament,
    TournamentReplay,
    audit_tournament,
    catalogue,
    citations,
    editions,
    readings,
)
from rules_replay.tournament.checks import CHECKS, JOINED
from rules_replay.tournament.checks.entries import prize_pool
from rules_replay.venues import load_register, parse_register

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "data_samples" / "tournaments"
CASES = tomllib.loads((ROOT / "tests" / "cases" / "tournaments.toml").read_text(encoding="utf-8"))["case"]
REGISTER = load_register()


def named(case: dict[str, Any]) -> str:
    """What a case is called, without a space."""
    return f"{case['code']}/{case['rulebook']}/{case['title']}".replace(" ", "-")


def clean(rulebook: str) -> dict[str, Any]:
    """The clean sample of a rulebook as plain values."""
    loaded: dict[str, Any] = json.loads((SAMPLES / f"{rulebook}.jsonl").read_text(encoding="utf-8"))
    return loaded


def changed(case: dict[str, Any]) -> dict[str, Any]:
    """The clean sample of a case's rulebook with the case's changes."""
    plain = clean(case["rulebook"])
    for *path, last, value in case.get("set", ()):
        _at(plain, path)[last] = value
    for *path, value in case.get("add", ()):
        _at(plain, path).append(value)
    for *path, last in case.get("drop", ()):
        _at(plain, path).pop(last, *(() if isinstance(last, int) else (None,)))
    return plain


def _at(plain: Any, path: list[Any]) -> Any:
    for step in path:
        plain = plain[step]
    return plain


def read(line: bytes) -> Tournament:
    """A tournament of one line of its log."""
    return msgspec.json.decode(line, type=Tournament, dec_hook=decode_custom)


def audited(plain: dict[str, Any], **readings: str) -> TournamentReplay:
    """A tournament given as plain values, held against the rules in force under readings chosen."""
    return audit_tournament(read(json.dumps(plain).encode()), REGISTER, readings)


@pytest.mark.parametrize("case", CASES, ids=named)
def test_case(case: dict[str, Any]) -> None:
    replay = audited(changed(case))
    assert replay.rulebook == case["rulebook"]
    assert sorted({each.code for each in replay.findings}) == sorted(case["finds"])
    lacking = {row.code for row in replay.coverage if row.verdict == "not_evaluable"}
    assert set(case.get("not_evaluable", ())) <= lacking
    found = [each for each in replay.findings if each.code == case["code"]]
    for each in found:
        assert each.expected
        assert each.recorded
        assert SEVERITIES.index(each.severity) >= SEVERITIES.index(catalogue()[each.code].severity)
    for name in {"severity", "clause", "depends_on"} & case.keys():
        assert {getattr(each, name) for each in found} == {case[name]}
    if "delta" in case:
        assert {amount_text(each.delta or 0) for each in found} == {case["delta"]}


class TestCatalogue:
    """The codes of tournaments stand in a catalogue of their own, each with a clause and with cases."""

    def test_shares_no_code_with_the_round_log(self) -> None:
        assert not catalogue().keys() & round_catalogue().keys()
        assert all(code.startswith("tournament.") for code in catalogue())

    def test_has_a_function_for_every_code(self) -> None:
        assert ["tournament.no-rules", *CHECKS, *JOINED] == list(catalogue())

    @pytest.mark.parametrize("rulebook", sorted(editions()))
    def test_every_code_of_an_edition_has_a_breach(self, rulebook: str) -> None:
        breached = {case["code"] for case in CASES if case["rulebook"] == rulebook and case["finds"]}
        assert breached >= editions()[rulebook].clauses.keys() - JOINED.keys()

    def test_every_code_has_a_form_in_order(self) -> None:
        in_order = {case["code"] for case in CASES if not case["finds"]}
        assert in_order == set(CHECKS)

    def test_only_the_editions_have_citations(self) -> None:
        assert set(editions()) == {"act-2005", "act-2018"}
        assert citations("nz-2000") == {}
        assert "20.3(a)(vi)" in citations("act-2018")["tournament.conditions"]

    @pytest.mark.parametrize("rulebook", sorted(editions()))
    def test_every_clause_named_is_printed_in_the_rulebook(self, rulebook: str) -> None:
        edition = editions()[rulebook]
        printed = {row.clause for row in load_matrix(rulebook)}
        assert {clause for _, clause in edition.terms.values()} <= printed
        assert {clause for clauses in citations(rulebook).values() for clause in clauses} <= printed

    def test_readings_are_told_whole_and_used(self) -> None:
        used = {case["depends_on"] for case in CASES if "depends_on" in case}
        assert used == {f"{each.id}={other}" for each in readings().values() for other in each.alternatives}
        assert all(each.question and each.reason and each.default for each in readings().values())


ON_READINGS = [case for case in CASES if "depends_on" in case]

OUT_TOGETHER = {
    "player": "elm",
    "reason": "below_minimum",
    "chips": 40,
    "after": "T20081115-P03-final-2",
}


class TestReadings:
    """Nobody is accused on an interpretation, whichever answer is in force."""

    @pytest.mark.parametrize("case", ON_READINGS, ids=named)
    def test_the_other_reading_removes_what_it_is_named_for(self, case: dict[str, Any]) -> None:
        question, _, answer = case["depends_on"].partition("=")
        codes = {each.code for each in audited(changed(case), **{question: answer}).findings}
        assert case["code"] not in codes

    @pytest.mark.parametrize(
        ("code", "changes"),
        [
            (
                "tournament.precedence",
                [
                    ("conditions", "varies", 0, "clause", "20.21"),
                    ("conditions", "varies", 0, "applied", False),
                ],
            ),
            ("tournament.tie-break", [("conditions", "final_ties", "share")]),
        ],
    )
    def test_2005_20_5_chosen_otherwise_names_the_default(
        self, code: str, changes: list[tuple[Any, ...]]
    ) -> None:
        """The rule was followed where the conditions differ: in order by default, and arguable."""
        plain = changed({"rulebook": "act-2005", "set": changes})
        assert audited(plain).findings == ()
        (found,) = audited(plain, conditions_reach="all_of_section_20").findings
        assert (found.code, found.severity) == (code, "ambiguous")
        assert found.depends_on == "conditions_reach=preceding_paragraphs"

    def test_2005_20_5_a_share_that_is_none_stays_a_breach(self) -> None:
        """No additional rounds, and unequal prizes: wrong by the rule and by the conditions."""
        case = {
            "rulebook": "act-2005",
            "set": [["conditions", "final_ties", "share"]],
            "drop": [["sessions", 2, "play_offs"]],
        }
        for answer in ("preceding_paragraphs", "all_of_section_20"):
            (found,) = audited(changed(case), conditions_reach=answer).findings
            assert (found.code, found.severity, found.depends_on) == ("tournament.tie-break", "breach", None)

    def test_2005_20_5_more_buy_backs_than_the_conditions_allow_stay_a_breach(self) -> None:
        again = {"player": "cedar", "kind": "buy_back", "fee": "110", "commission": "110"}
        case = {
            "rulebook": "act-2005",
            "set": [["conditions", "buy_backs", 1]],
            "add": [["entries", again], ["entries", again]],
            "drop": [["conditions", "commission"], ["documents"]],
        }
        for answer in ("preceding_paragraphs", "all_of_section_20"):
            (found,) = audited(changed(case), conditions_reach=answer).findings
            assert (found.code, found.severity) == ("tournament.entry", "breach")

    def test_2005_20_22_out_together_and_played_off_as_the_conditions_say(self) -> None:
        case = {
            "rulebook": "act-2005",
            "set": [["conditions", "final_ties", "play_off"]],
            "add": [["sessions", 2, "eliminations", OUT_TOGETHER]],
        }
        plain = changed(case)
        shared = [each for each in audited(plain).findings if each.code == "tournament.tie-break"]
        assert {(each.severity, each.depends_on) for each in shared} == {("breach", None)}
        out = [each["player"] for each in plain["sessions"][2]["eliminations"]]
        plain["sessions"][2]["play_offs"].append({"players": out, "rounds": 2})
        played = [each for each in audited(plain).findings if each.code == "tournament.tie-break"]
        assert {(each.severity, each.depends_on) for each in played} == {
            ("ambiguous", "conditions_reach=all_of_section_20")
        }

    def test_2018_20_3_b_of_two_variations_only_the_arguable_one_is_ambiguous(self) -> None:
        varies = [{"clause": "20.13", "applied": True}, {"clause": "9.1", "applied": True}]
        plain = changed({"rulebook": "act-2018", "set": [["conditions", "varies", varies]]})
        assert [each.severity for each in audited(plain).findings] == ["breach", "ambiguous"]
        (found,) = audited(plain, the_rules="section_20").findings
        assert (found.severity, found.depends_on) == ("breach", None)

    def test_the_register_may_choose_and_the_command_overrides_it(self) -> None:
        text = (
            '[[venue]]\nid = "casino-canberra"\nzone = "Australia/Sydney"\ncurrency = "AUD"\n'
            'day_start = "06:00"\n[[venue.window]]\nrulebook = "act-2005"\n'
            'since = 2005-02-08T00:00:00+11:00\nnote = "for a test"\n'
            'readings = { conditions_reach = "all_of_section_20", forfeit_limit = "20" }\n'
        )
        register = parse_register(text, "venues.toml")
        (window,) = register.venues["casino-canberra"].windows
        assert window.readings == {"forfeit_limit": "20"}
        changes = [["conditions", "varies", 0, "clause", "20.21"]]
        held = read(json.dumps(changed({"rulebook": "act-2005", "set": changes})).encode())
        assert audit_tournament(held, register).findings == ()
        overridden = audit_tournament(held, register, {"conditions_reach": "preceding_paragraphs"})
        assert [each.severity for each in overridden.findings] == ["ambiguous"]
        with pytest.raises(RulebookError, match="conditions_reach: expected one of preceding_paragraphs"):
            parse_register(text.replace("all_of_section_20", "everything"), "venues.toml")
        with pytest.raises(RulebookError, match="reading the_rules: unknown"):
            parse_register(text.replace("conditions_reach", "the_rules"), "venues.toml")


class TestRulebookInForce:
    """The edition is the one in force at the venue when the tournament was held."""

    def test_none_held_is_a_notice_and_nothing_else(self) -> None:
        replay = audited(clean("act-2018") | {"held_at": "2018-01-05T20:00:00+11:00"})
        assert [(each.code, each.severity) for each in replay.findings] == [
            ("rulebook.none-in-force", "notice")
        ]
        assert replay.rulebook is None

    def test_a_rulebook_without_section_20_is_a_notice_and_nothing_else(self) -> None:
        replay = audited(clean("act-2018") | {"venue": "skycity-auckland"})
        assert [(each.code, each.severity) for each in replay.findings] == [("tournament.no-rules", "notice")]
        assert replay.rulebook == "nz-2000"

    def test_the_day_decides_between_the_editions(self) -> None:
        plain = clean("act-2018")
        assert audited(plain | {"held_at": "2010-11-18T15:00:00+11:00"}).rulebook == "act-2005"


class TestSamples:
    """The samples are what their names and labels say."""

    @pytest.mark.parametrize("rulebook", sorted(editions()))
    def test_a_clean_one_passes_every_check_of_its_edition(self, rulebook: str) -> None:
        replay = audited(clean(rulebook))
        assert replay.findings == ()
        assert {row.code for row in replay.coverage if row.verdict != "passed"} == set(JOINED)
        assert {row.code for row in replay.coverage} >= editions()[rulebook].clauses.keys() - {
            "tournament.precedence",
            "tournament.reserve",
        }

    def test_the_faults_are_found_as_labelled(self) -> None:
        lines = (SAMPLES / "faults.jsonl").read_bytes().splitlines()
        labels = [json.loads(line) for line in (SAMPLES / "faults.truth").read_text().splitlines()]
        assert len(lines) == len(labels) > 0
        for line, label in zip(lines, labels, strict=True):
            replay = audit_tournament(read(line), REGISTER)
            assert replay.tournament_id == label["tournament_id"]
            assert sorted({each.code for each in replay.findings}) == sorted(label["codes"])


AMOUNTS = st.integers(0, 10_000).map(lambda cents: cents * 10)
PARTS = st.lists(st.integers(1, 100), min_size=1, max_size=6)
TIES = st.lists(st.booleans(), min_size=5, max_size=5)


def held(entries: list[tuple[int, int]], parts: list[int], ties: list[bool]) -> dict[str, Any]:
    """A tournament of so many (fee, commission) whose prizes share the pool out by parts.

    Tied neighbours share a place. A remainder of less than a cent goes to the last.
    """
    plain = {
        name: value
        for name, value in clean("act-2018").items()
        if name in ("format", "tournament_id", "venue", "currency", "held_at")
    }
    pool = sum(fee - commission for fee, commission in entries)
    dues = [Fraction(pool * part, sum(parts)) for part in parts]
    groups: list[list[int]] = []
    for at in range(len(parts)):
        if at and ties[at - 1]:
            groups[-1].append(at)
        else:
            groups.append([at])
    exact = [sum((dues[at] for at in group), Fraction(0)) / len(group) for group in groups for _ in group]
    so_far = [int(sum(exact[: at + 1], Fraction(0))) for at in range(len(exact))]
    prizes = [after - before for after, before in zip(so_far, [0, *so_far], strict=False)]
    firsts = [group[0] + 1 for group in groups for _ in group]
    return plain | {
        "entries": [
            {"player": f"p{at}", "fee": amount_text(fee), "commission": amount_text(commission)}
            for at, (fee, commission) in enumerate(entries)
        ],
        "conditions": {
            "form": "single",
            "prizes": [
                {"place": at, "amount": amount_text(int(due))} for at, due in enumerate(dues, start=1)
            ],
        },
        "places": [
            {"player": f"p{at}", "place": place, "prize": amount_text(prize)}
            for at, (place, prize) in enumerate(zip(firsts, prizes, strict=True))
        ],
    }


ENTRIES = st.lists(
    AMOUNTS.flatmap(lambda fee: st.tuples(st.just(fee), st.integers(0, fee // 10).map(lambda c: c * 10))),
    min_size=6,
    max_size=12,
)


class TestMoneyIsConserved:
    """Prizes and commission together are the fees; a thousandth more or less is found."""

    @given(ENTRIES, PARTS, TIES)
    def test_a_pool_shared_out_whole_is_in_order(
        self, entries: list[tuple[int, int]], parts: list[int], ties: list[bool]
    ) -> None:
        plain = held(entries, parts, ties)
        tournament = read(json.dumps(plain).encode())
        prizes = sum(each.prize for each in tournament.places or ())
        assert prizes + sum(each.commission for each in tournament.entries) == sum(
            each.fee for each in tournament.entries
        )
        codes = Counter(each.code for each in audit_tournament(tournament, REGISTER).findings)
        assert not codes["tournament.prize-pool"]
        assert not codes["tournament.prize-table"]

    @given(ENTRIES, PARTS, TIES, st.integers(1, THOUSANDTHS))
    def test_what_is_kept_back_is_the_delta(
        self, entries: list[tuple[int, int]], parts: list[int], ties: list[bool], kept: int
    ) -> None:
        plain = held(entries, parts, ties)
        first = plain["places"][0]
        prize = Amount.parse(first["prize"])
        kept = min(kept, prize)
        first["prize"] = amount_text(prize - kept)
        found = [each for each in audited(plain).findings if each.code == "tournament.prize-pool"]
        assert [each.delta for each in found] == ([-kept] if kept else [])

    @given(ENTRIES, st.integers(0, 1_000_000))
    def test_the_pool_never_bears_more_commission_than_was_approved(
        self, entries: list[tuple[int, int]], approved: int
    ) -> None:
        plain = held(entries, [1], [])
        plain["documents"] = {"commission": amount_text(approved)}
        tournament = read(json.dumps(plain).encode())
        borne = sum(fee for fee, _ in entries) - prize_pool(tournament)
        assert borne == sum(min(commission, approved) for _, commission in entries)
        found = [each for each in audited(plain).findings if each.code == "tournament.commission"]
        over = [commission - approved for _, commission in entries if commission > approved]
        assert [-(each.delta or 0) for each in found] == over

    @given(ENTRIES)
    def test_a_cancelled_tournament_owes_exactly_the_fees(self, entries: list[tuple[int, int]]) -> None:
        plain = held(entries, [1], []) | {"cancelled_at": "2023-11-18T12:00:00+11:00", "refunds": []}
        found = [each for each in audited(plain).findings if each.code == "tournament.refund"]
        assert -sum(each.delta or 0 for each in found) == sum(fee for fee, _ in entries)
        plain["refunds"] = [{"player": each["player"], "amount": each["fee"]} for each in plain["entries"]]
        assert "tournament.refund" not in {each.code for each in audited(plain).findings}


def paths(plain: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place within plain values."""
    steps = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    return [path, *(each for step, value in steps for each in paths(value, (*path, step)))]


@st.composite
def altered(draw: st.DrawFn) -> dict[str, Any]:
    """A clean sample from which things were taken, and in which things of one kind changed places."""
    plain = clean(draw(st.sampled_from(sorted(editions()))))
    for _ in range(draw(st.integers(1, 6))):
        *path, last = draw(st.sampled_from([each for each in paths(plain) if each]))
        inside = _at(plain, path)
        others = [
            each
            for each in paths(plain)
            if each and each[-1] == last and type(last) is str and each[:-1] != path
        ]
        if draw(st.booleans()) or not others:
            del inside[last]
        else:
            *other, name = draw(st.sampled_from(others))
            inside[last] = json.loads(json.dumps(_at(plain, other)[name]))
    return plain


class TestAnyTournament:
    """Whatever a log holds, the checks say something of it that holds together."""

    @given(altered())
    def test_findings_and_coverage_agree(self, plain: dict[str, Any]) -> None:
        try:
            tournament = read(json.dumps(plain).encode())
        except msgspec.ValidationError:
            return
        replay = audit_tournament(tournament, REGISTER)
        covered = [row.code for row in replay.coverage]
        assert len(covered) == len(set(covered))
        failed = {row.code for row in replay.coverage if row.verdict == "failed"}
        assert failed == {each.code for each in replay.findings}
        assert all(row.missing for row in replay.coverage if row.verdict == "not_evaluable")
        assert audit_tournament(tournament, REGISTER) == replay
