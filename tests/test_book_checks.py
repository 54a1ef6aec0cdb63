"""Every check of a house book in breach and in order, and what holds for any book."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rules_replay.book import AnyEntry, Dealt, audit_book, catalogue, citations, dealt, editions
from rules_replay.book.checks import CHECKS
from rules_replay.book.log import KINDS
from rules_replay.checks import catalogue as round_catalogue
from rules_replay.log import Round, decode_custom
from rules_replay.matrix import load_matrix
from rules_replay.rulebook import rulebook_ids
from rules_replay.tournament import catalogue as tournament_catalogue
from tests.books import REGISTER, audited, book_cases, entries, entry, named, rounds

CASES = list(book_cases())
SAMPLES = Path(__file__).parents[1] / "data_samples" / "books"


@pytest.mark.parametrize("case", CASES, ids=named)
def test_case(case: dict[str, Any]) -> None:
    replay = audited(entries(case), rounds(case))
    assert sorted({each.code for _, each in replay.findings}) == sorted(case["finds"])
    verdicts: dict[str, set[str]] = {}
    for made in replay.checks:
        assert made.rulebook == case["rulebook"]
        verdicts.setdefault(made.code, set()).add(made.judged.verdict)
        assert (made.judged.verdict == "not_evaluable") == (made.judged.missing is not None)
    for code in case.get("not_evaluable", ()):
        assert verdicts[code] == {"not_evaluable"}
    for code in case.get("passes", ()):
        assert verdicts[code] == {"passed"}
    assert not set(case.get("unmade", ())) & verdicts.keys()
    found = [each for _, each in replay.findings if each.code == case["code"]]
    for each in found:
        assert each.expected
        assert each.recorded
        assert each.severity == case.get("severity", catalogue()[each.code].severity)
    wanted = case.get("clauses", {}).get(case["rulebook"], case.get("clause"))
    if wanted is not None:
        assert {each.clause for each in found} == {f"{case['rulebook']} {wanted}"}
    if "player" in case:
        assert {each.player for each in found} == {case["player"]}


class TestCatalogue:
    """The codes of house books stand in a catalogue of their own, each with clauses and with cases."""

    def test_shares_no_code_with_the_other_logs(self) -> None:
        assert not catalogue().keys() & (round_catalogue().keys() | tournament_catalogue().keys())
        assert all(code.startswith("book.") for code in catalogue())

    def test_has_a_function_for_every_code(self) -> None:
        assert list(CHECKS) == list(catalogue())

    def test_needs_kinds_of_entries(self) -> None:
        assert {check.needs for check in catalogue().values()} == set(KINDS)

    @pytest.mark.parametrize("rulebook", sorted(editions()))
    def test_every_code_of_an_edition_has_a_breach_and_a_form_in_order(self, rulebook: str) -> None:
        of_edition = [case for case in CASES if case["rulebook"] == rulebook]
        breached = {case["code"] for case in of_edition if case["code"] in case["finds"]}
        passed = {code for case in of_edition for code in case.get("passes", ())} | {"book.late-entry"}
        assert breached == passed == editions()[rulebook].clauses.keys()

    @pytest.mark.parametrize("rulebook", sorted(editions()))
    def test_every_code_that_can_lack_a_fact_is_seen_to_lack_one(self, rulebook: str) -> None:
        lacking = {code for case in CASES for code in case.get("not_evaluable", ())}
        assert lacking == CHECKS.keys() - {"book.late-entry"}

    @pytest.mark.parametrize("rulebook", sorted(editions()))
    def test_every_clause_named_is_printed_in_the_rulebook(self, rulebook: str) -> None:
        printed = {row.clause for row in load_matrix(rulebook)}
        edition = editions()[rulebook]
        named_in_terms = [
            *edition.terms.get("cut_clauses", {}).values(),
            *edition.terms.get("side_approvals", {}).values(),
        ]
        assert {clause for clauses in citations(rulebook).values() for clause in clauses} <= printed
        assert set(named_in_terms) <= {clause for clauses in edition.clauses.values() for clause in clauses}

    def test_a_rulebook_without_such_clauses_has_no_such_checks(self) -> None:
        assert set(rulebook_ids()) - set(editions()) == {"rws-2017"}
        assert citations("rws-2017") == {}


class TestRulebookInForce:
    """Each thing in a book is held against the rulebook in force when it happened."""

    def test_a_gap_between_two_rulebooks_is_one_notice(self) -> None:
        listed = [
            entry("act-2018", number, {"entry": "closure", "at": f"2018-01-0{number}T20:00:00+11:00"})
            for number in (2, 1)
        ]
        (made,) = audited(listed, None).checks
        (finding,) = made.judged.findings
        assert (finding.code, finding.severity, made.rulebook) == (
            "rulebook.none-in-force",
            "notice",
            None,
        )
        assert finding.recorded == "none for 2 entries, the first e1 at 2018-01-01T20:00:00+11:00"

    def test_what_lasts_may_have_begun_before_any_rulebook(self) -> None:
        case = {
            "rulebook": "act-2018",
            "rounds": ["a 5@1"],
            "entries": [
                {
                    "entry": "book",
                    "since": "2018-01-01T00:00:00+11:00",
                    "until": "23:00",
                    "keeps": ["approval"],
                },
                {"entry": "approval", "of": "table", "at": "2018-01-01T00:00:00+11:00"},
            ],
        }
        replay = audited(entries(case), rounds(case))
        assert replay.findings == ()
        assert {made.rulebook for made in replay.checks} == {"act-2018"}

    def test_a_venue_whose_rulebook_says_nothing_has_no_checks(self) -> None:
        listed = [entry("rws-2017", 1, {"entry": "closure", "notice_at": None})]
        assert audited(listed, None).checks == ()

    def test_a_venue_that_is_not_in_the_register_is_a_notice(self) -> None:
        listed = [entry("act-2018", 1, {"entry": "closure", "venue": "elsewhere", "notice_at": None})]
        assert [each.code for _, each in audited(listed, None).findings] == ["rulebook.none-in-force"]

    def test_the_day_decides_between_the_editions(self) -> None:
        listed = [
            entry("act-2018", 1, {"entry": "closure", "notice_at": None}),
            entry("act-2018", 2, {"entry": "closure", "at": "2010-01-01T20:00:00+11:00", "notice_at": None}),
        ]
        assert [made.rulebook for made in audited(listed, None).checks] == ["act-2018", "act-2005"]

    def test_a_round_decides_for_the_entry_that_points_to_it(self) -> None:
        case = {
            "rulebook": "act-2018",
            "rounds": ["a 5@1 | void round"],
            "entries": [
                {
                    "entry": "voiding",
                    "at": "2010-01-01T20:00:00+11:00",
                    "round_id": "r1",
                    "ground": "fraud",
                }
            ],
        }
        assert {made.rulebook for made in audited(entries(case), rounds(case)).checks} == {"act-2018"}

    def test_entries_of_two_venues_are_two_books(self) -> None:
        listed = [
            entry("act-2018", 1, {"entry": "closure"}),
            entry("nz-2000", 2, {"entry": "closure"}),
        ]
        with pytest.raises(ValueError, match="too many values"):
            audit_book(listed, None, REGISTER)


class TestWhatABookCovers:
    """The absence of an entry is a fact only at the tables, in the time and of the kinds that are kept."""

    ROUNDS = ("a 5@1",)

    def lacking(self, **book: Any) -> set[str]:
        """The verdicts on the approval of table P01 under a book that covers so much."""
        fields = {"entry": "book", "since": "06:00", "until": "23:00", "keeps": ["approval"]} | book
        case = {"rulebook": "act-2018", "rounds": self.ROUNDS, "entries": [fields]}
        replay = audited(entries(case), rounds(case))
        return {
            made.judged.verdict
            for made in replay.checks
            if made.code == "book.table-approval" and made.subject.table == "P01"
        }

    def test_all_tables_unless_it_names_some(self) -> None:
        assert self.lacking() == {"failed"}
        assert self.lacking(tables=["P01"]) == {"failed"}
        assert self.lacking(tables=["P02"]) == set()

    def test_from_since_until_before_until(self) -> None:
        assert self.lacking(since="20:00") == {"failed"}
        assert self.lacking(until="20:00") == set()

    def test_a_book_that_begins_while_gaming_goes_on(self) -> None:
        case = {
            "rulebook": "act-2018",
            "rounds": ["a 5@1", "a 5@1"],
            "entries": [{"entry": "book", "since": "20:01", "until": "23:00", "keeps": ["approval"]}],
        }
        found = [each.recorded for _, each in audited(entries(case), rounds(case)).findings]
        assert found == ["no approval in force for 2 of 2 rounds, such as r2"]

    def test_the_kinds_that_it_keeps(self) -> None:
        assert self.lacking(keeps=["cut"]) == {"not_evaluable"}
        assert self.lacking(keeps=[]) == {"not_evaluable"}

    def test_a_book_that_does_not_say_is_about_the_tables_it_names(self) -> None:
        case: dict[str, Any] = {
            "rulebook": "act-2018",
            "rounds": ["a 5@1", {"table": "P02"}],
            "entries": [{"entry": "closure", "table": "P02"}],
        }
        told = audited(entries(case), rounds(case))
        assert {made.subject.table for made in told.checks} == {"P02"}
        case["entries"].append({"entry": "hours", "first_day": "2019-01-01", "week": []})
        told = audited(entries(case), rounds(case))
        assert {made.subject.table for made in told.checks if made.code == "book.hours"} == {"P01", "P02"}

    def test_a_table_that_the_book_covers_and_no_round_was_given_of(self) -> None:
        case = {"rulebook": "act-2018", "rounds": [], "keeps": ["approval"]}
        replay = audited(entries(case), rounds(case))
        assert {made.judged.verdict for made in replay.checks} == {"not_evaluable"}
        assert {made.judged.missing for made in replay.checks} == {"rounds"}


class TestRoundsCutDown:
    """What is kept of a round is what the checks ask."""

    def cut(self, text: str, **fields: Any) -> Dealt:
        (found,) = rounds({"rulebook": "act-2018", "rounds": [{"say": text} | fields]}) or []
        return dealt(found, whole=False)

    def test_events_are_kept_only_of_rounds_that_entries_point_to(self) -> None:
        assert self.cut("a 5@1 | 1:8S").events == ()

    def test_side_wagers_offered_and_placed(self) -> None:
        assert self.cut("a 5@1 | p 5@1 pair | offers perfect_pairs super_bonus").sides == {
            "pair",
            "perfect_pairs",
        }

    def test_the_cutting_card_lies_before_the_next_card(self) -> None:
        assert self.cut("a 5@1 | 1:8S | cut card | burn 2S | 0:9S | 1:2S").cut_box == 0
        assert (self.cut("a 5@1 | cut card").cut, self.cut("a 5@1 | cut card").cut_box) == (True, None)


class TestSamples:
    """The samples are what their names and labels say."""

    @staticmethod
    def read(name: str, kind: Any) -> list[Any]:
        return [
            msgspec.json.decode(line, type=kind, dec_hook=decode_custom)
            for line in (SAMPLES / name).read_bytes().splitlines()
        ]

    def replay(self, name: str) -> Any:
        dealt_there: list[Round] = self.read("rounds.jsonl", Round)
        listed: list[AnyEntry] = self.read(name, AnyEntry)
        return audit_book(listed, [dealt(each, whole=True) for each in dealt_there], REGISTER)

    def test_the_clean_one_passes_every_check(self) -> None:
        replay = self.replay("act-2018.jsonl")
        assert [each.code for _, each in replay.findings if each.severity != "notice"] == []
        assert {made.code for made in replay.checks} == editions()["act-2018"].clauses.keys()
        assert {made.judged.verdict for made in replay.checks} <= {"passed", "failed"}

    def test_the_faults_are_found_as_labelled(self) -> None:
        labels = [json.loads(line) for line in (SAMPLES / "faults.truth").read_text().splitlines()]
        found = {
            (made.code, made.subject.entry_id or made.subject.round_id or made.subject.table)
            for made, each in self.replay("faults.jsonl").findings
            if each.severity != "notice"
        }
        assert found == {(label["code"], label["about"]) for label in labels}
