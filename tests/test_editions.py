"""Two editions compared: what moved, what changed, what is new, and numbers that mean another rule now."""

from __future__ import annotations

import pytest

from rules_replay.editions import Editions, compare_editions, compare_rows
from rules_replay.matrix import ClauseRow
from rules_replay.rulebook import rulebook_ids
from tests.commands import pontoon


def rows(*told: tuple[str, str]) -> list[ClauseRow]:
    return [
        ClauseRow(clause=clause, gist=gist, evidence="human", checks=(), readings=(), reason="conduct")
        for clause, gist in told
    ]


SAME = ("1", "Play starts with the first card."), ("2", "A box takes three players.")


def changes(found: Editions) -> list[tuple[str, str | None, str | None]]:
    return [(each.change, each.one, each.other) for each in found.changes]


class TestCompareRows:
    """A gist is followed from one text to the other, by its words."""

    def test_what_is_the_same_is_counted_and_not_listed(self) -> None:
        found = compare_rows(rows(*SAME), rows(*SAME))
        assert found == Editions(akin=True, unchanged=2)

    def test_renumbered_changed_gone_and_new(self) -> None:
        one = rows(
            *SAME,
            ("3", "A sign shows the limits."),
            ("4", "A player may split to four hands."),
            ("5", "Smoking is left to the operator."),
            ("6", "The last three rounds are announced to every seat."),
        )
        other = rows(
            *SAME,
            ("7", "A sign shows the limits."),
            ("4", "A player may split to three hands."),
            ("8", "Third parties insure what an owner declines."),
            ("9", "The last three rounds are announced to every player."),
        )
        assert changes(compare_rows(one, other)) == [
            ("changed", "4", "4"),
            ("renumbered", "3", "7"),
            ("renumbered and changed", "6", "9"),
            ("gone", "5", None),
            ("new", None, "8"),
        ]

    def test_a_number_that_means_another_rule_now(self) -> None:
        one = rows(*SAME, ("7.2", "Insurance closes before the subsequent deal."))
        other = rows(
            *SAME,
            ("7.2", "Others insure what an owner declines."),
            ("7.3", "Insurance closes before the subsequent deal."),
        )
        (reused,) = compare_rows(one, other).reused
        assert reused.clause == "7.2"
        assert reused.other_gists == ("Others insure what an owner declines.",)

    def test_a_number_of_which_a_part_stayed_is_not_reused(self) -> None:
        one = rows(*SAME, ("3", "Bets close at the call."), ("3", "Chips only."))
        other = rows(*SAME, ("3", "Bets close at the call."), ("3", "Dealers wash their hands."))
        assert compare_rows(one, other).reused == ()

    def test_each_row_is_matched_once(self) -> None:
        one = rows(*SAME, ("3", "A pair pays 6 to 1."), ("4", "A pair pays 12 to 1."))
        other = rows(*SAME, ("3", "A pair pays 12 to 1."), ("4", "A pair pays 25 to 1."))
        assert changes(compare_rows(one, other)) == [
            ("renumbered", "4", "3"),
            ("renumbered and changed", "3", "4"),
        ]

    def test_two_texts_of_their_own_are_no_editions(self) -> None:
        one = rows(("1", "Play starts with the first card."), ("2", "Bets are in chips."))
        other = rows(("1", "No joker belongs to the deck."), ("2", "The house wins ties."))
        assert compare_rows(one, other) == Editions(akin=False)


class TestTheShippedTexts:
    """The approvals of 2005 and 2018 are editions of one text; the others are not."""

    def test_only_the_two_approvals_are_editions_of_one_text(self) -> None:
        akin = {
            (one, other)
            for one in rulebook_ids()
            for other in rulebook_ids()
            if one < other and compare_editions(one, other).akin
        }
        assert akin == {("act-2005", "act-2018")}

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            *(("7.2", "7.3"), ("7.3", "7.4"), ("7.4", "7.5[1]"), ("7.5", "7.5[2]"), ("18.9", "18.7")),
            *(("18.10", "18.8"), ("18.12", "18.10"), ("18.13", "18.11"), ("18.14", "18.12")),
            *(("18.15", "18.13"), ("20.2", "20.4"), ("20.17", "20.16"), ("20.24", "20.21")),
        ],
    )
    def test_clauses_that_moved_without_a_change_of_words(self, one: str, other: str) -> None:
        assert ("renumbered", one, other) in changes(compare_editions("act-2005", "act-2018"))

    @pytest.mark.parametrize("clause", ["3.2", "4.6", "7.1", "16.1"])
    def test_clauses_that_changed_where_they_stand(self, clause: str) -> None:
        assert ("changed", clause, clause) in changes(compare_editions("act-2005", "act-2018"))

    def test_third_party_insurance_is_new_and_the_additional_rounds_are_gone(self) -> None:
        found = changes(compare_editions("act-2005", "act-2018"))
        assert ("new", None, "7.2(c)") in found
        assert ("gone", "20.21", None) in found

    def test_numbers_that_mean_another_rule_now(self) -> None:
        reused = {each.clause for each in compare_editions("act-2005", "act-2018").reused}
        assert {"7.2", "7.3", "7.4", "18.1", "18.8", "18.12", "18.14", "20.2", "20.19"} <= reused
        assert not {"7.1", "12.7", "14.2", "18.3(a)"} & reused


class TestTheCommand:
    """``rules diff`` has it all, for people and as JSON."""

    def test_json_has_changes_and_reused_numbers(self) -> None:
        ran = pontoon("rules", "diff", "act-2005", "act-2018", "--json")
        clauses = ran.object["clauses"]
        assert (ran.code, clauses["editions_of_one_text"]) == (0, True)
        moved = next(each for each in clauses["changes"] if each["change"] == "renumbered")
        assert moved["act-2005"] == {
            "clause": "7.2",
            "gist": "Insurance is placed before the subsequent deal starts.",
        }
        assert moved["act-2018"]["clause"] == "7.3"
        assert "7.2" in {each["clause"] for each in clauses["reused_numbers"]}

    def test_json_has_the_clause_of_every_check_that_moved(self) -> None:
        checks = pontoon("rules", "diff", "act-2005", "act-2018", "--json").object["checks"]
        by_check = {each["check"]: each for each in checks}
        assert by_check["insurance.increment"]["act-2005"] == "7.3"
        assert by_check["insurance.increment"]["act-2018"] == "7.4"
        assert "settle.double" not in by_check

    def test_for_people(self) -> None:
        out = pontoon("rules", "diff", "act-2005", "act-2018").out
        assert "number reused" in out
        assert "renumbered and changed" in out
        assert "rows of the matrices are the same in both." in out

    def test_texts_of_their_own_are_compared_by_check_alone(self) -> None:
        out = pontoon("rules", "diff", "nz-2000", "act-2018").out
        assert "no editions of one" in out
        assert "settle.insurance" in out
        assert "number reused" not in out

    def test_a_rulebook_against_itself_has_nothing(self) -> None:
        found = pontoon("rules", "diff", "nz-2000", "nz-2000", "--json").object
        assert (found["checks"], found["clauses"]["changes"]) == ([], [])
