"""Exactly one payout row for every hand that can win: for every rulebook, and caught where it is not so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib.resources import files

import pytest

from audit.commands.lint import lint
from rules_replay import soundness
from rules_replay.errors import RulebookError
from rules_replay.matrix import load_matrix
from rules_replay.printed import FinalHand, PrintedRow, parse_rows, printed_rows
from rules_replay.rulebook import SILENT, Rulebook, load_rulebook, rulebook_ids
from rules_replay.soundness import Fault, Soundness, check_hands, check_soundness, check_table, final_hands
from tests.commands import pontoon
from tests.record_soundness import PAGE, soundness_page
from tests.rounds import book

SHIPPED = files("rules_replay").joinpath("printed_rows.csv").read_text(encoding="utf-8")


@cache
def sound(rulebook: str) -> Soundness:
    return check_soundness(load_rulebook(rulebook))


def faults(rulebook: str, rows: list[PrintedRow], rules: Rulebook | None = None) -> tuple[Fault, ...]:
    """What is found of the table for hands with other rows, or another rulebook."""
    return check_hands(rules or load_rulebook(rulebook), rows).faults


def without(rulebook: str, row: str, table: str = "hand") -> list[PrintedRow]:
    return [each for each in printed_rows(rulebook) if (each.table, each.row) != (table, row)]


def changed(rulebook: str, row: str, table: str = "hand", /, **fields: object) -> list[PrintedRow]:
    return [
        replace(each, **fields) if (each.table, each.row) == (table, row) else each  # type: ignore[arg-type]
        for each in printed_rows(rulebook)
    ]


@pytest.mark.slow
class TestTheShippedRulebooks:
    """No gap, no overlap, no row that nothing reaches, and the engine pays the row that applies."""

    @pytest.mark.parametrize("rulebook", rulebook_ids())
    def test_every_table_is_sound(self, rulebook: str) -> None:
        found = sound(rulebook)
        assert [fault for table in found.tables for fault in table.faults] == []
        assert found.sound
        assert {"hand", "insurance", "dealer"} <= {table.table for table in found.tables}

    @pytest.mark.parametrize("rulebook", rulebook_ids())
    def test_every_reading_that_changes_a_row_is_gone_through(self, rulebook: str) -> None:
        readings = [table.readings for table in sound(rulebook).tables if table.table == "hand"]
        rules = load_rulebook(rulebook)
        others = [
            f"{name}={answer}"
            for name in soundness.ROW_READINGS
            for answer in rules.readings[name].alternatives
        ]
        assert readings == ["as in force", *others]

    @pytest.mark.parametrize("rulebook", rulebook_ids())
    def test_printed_rows_cite_clauses_of_the_matrix(self, rulebook: str) -> None:
        clauses = {row.clause for row in load_matrix(rulebook)} | {SILENT}
        cited = {part for row in printed_rows(rulebook) for part in row.clause.split("; ")}
        assert cited <= clauses

    def test_the_page_of_the_documentation_is_up_to_date(self) -> None:
        page = soundness_page([sound(each) for each in rulebook_ids()])
        assert page == PAGE.read_text(encoding="utf-8"), "run `python -m tests.record_soundness`"

    def test_adelaide_prints_two_rows_for_three_spades_and_no_clause_that_picks_one(self) -> None:
        hands = sound("adelaide-2008").tables[0]
        assert {each.rows.split(" / ")[1]: each.because.partition(":")[0] for each in hands.resolved} == {
            "6, 7, 8 ALL SPADES": SILENT,
            "7,7,7 ALL SPADES": SILENT,
        }

    def test_stakes_between_the_printed_tiers_are_told(self) -> None:
        told = {each.rulebook: each for each in map(sound, rulebook_ids())}
        filled = {
            rulebook: [each for table in found.tables for each in table.filled]
            for rulebook, found in told.items()
        }
        assert filled["act-2018"] == filled["act-2005"] == []
        assert any("more than $24" in each for each in filled["nz-2000"])
        assert any("more than $99" in each for each in filled["rws-2017"])


class TestHands:
    """Every hand that can be drawn, and no other."""

    @staticmethod
    def dealt(decks: int, longest: int) -> set[tuple[int, ...]]:
        """Hands of up to so many cards, drawn in every order that the rules allow."""

        def total(values: tuple[int, ...]) -> int:
            return sum(values) + (10 if 1 in values and sum(values) <= 11 else 0)

        def draw(values: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
            if len(values) >= 2 and total(values) <= 21:
                yield values
            if len(values) < 2 or (total(values) < 21 and len(values) < longest):
                for value in range(1, 11):
                    if values.count(value) < decks * (12 if value == 10 else 4):
                        yield from draw((*values, value))

        return {tuple(sorted(values)) for values in draw(()) if total(values) >= 12}

    def test_five_cards_and_fewer_are_those_drawn_in_every_order(self) -> None:
        found = {
            hand.values
            for hand in final_hands(load_rulebook("act-2018"))
            if hand.situation == "unsplit" and len(hand.values) <= 5
        }
        assert found == self.dealt(decks=8, longest=5)

    def test_nobody_draws_on_21(self) -> None:
        values = {hand.values for hand in final_hands(load_rulebook("act-2018"))}
        assert (1,) * 11 in values
        assert (1,) * 12 not in values
        assert (1, 10, 10) in values

    def test_the_shoe_bounds_the_aces(self) -> None:
        rules = load_rulebook("nz-2000")
        few = replace(
            rules, terms={**rules.terms, "deck.maximum": replace(rules.terms["deck.maximum"], value=1)}
        )
        assert max(hand.values.count(1) for hand in final_hands(few)) == 4
        assert max(len(hand.values) for hand in final_hands(rules)) == 20

    @pytest.mark.parametrize(
        ("rulebook", "allowed"),
        [
            ("adelaide-2008", lambda hand: len(hand.values) == 3 and hand.points >= 11),
            ("rws-2017", lambda hand: len(hand.values) == 3),
            ("act-2018", lambda hand: len(hand.values) >= 3),
        ],
    )
    def test_doubled_hands_are_those_that_may_be_doubled(
        self, rulebook: str, allowed: Callable[[FinalHand], bool]
    ) -> None:
        doubled = [hand for hand in final_hands(load_rulebook(rulebook)) if hand.situation == "doubled"]
        assert doubled
        assert all(map(allowed, doubled))

    def test_an_ace_of_a_doubled_hand_counts_one(self) -> None:
        points = {
            hand.points
            for hand in final_hands(load_rulebook("rws-2017"))
            if hand.situation == "doubled" and hand.values == (1, 4, 5)
        }
        # doubled counts 10; 5-4 doubled and an ace drawn counts 20 (rws-2017 3.14).
        assert points == {10, 20}

    def test_a_co_wagerer_may_count_his_own_ace_in_new_zealand(self) -> None:
        def counts(reading: str) -> set[int]:
            rules = book("nz-2000", co_wagerer_not_doubling_total=reading)
            return {
                hand.points
                for hand in final_hands(rules)
                if hand.situation == "co-wagerer" and hand.values == (1, 1, 9)
            }

        assert counts("own") == {21}
        assert counts("same") == {11, 21}


@pytest.mark.slow
class TestWhatIsCaught:
    """A table that is not sound is found out, whichever way it is broken."""

    def test_a_row_removed_pays_the_hand_as_another(self) -> None:
        (found,) = faults("act-2018", without("act-2018", "payout_five"))
        assert (found.kind, "the engine pays 3:2 payout_five" in found.example) == ("disagreement", True)

    def test_no_row_for_the_rest_is_a_gap(self) -> None:
        kinds = {each.kind for each in faults("nz-2000", without("nz-2000", "payout_other"))}
        assert kinds == {"gap"}

    def test_a_row_that_takes_in_another(self) -> None:
        rows = changed("act-2018", "payout_five", cards="5+")
        found = [each.rows for each in faults("act-2018", rows) if each.kind == "overlap"]
        assert sorted(found) == [
            "5 cards totalling 21 / 6 cards totalling 21",
            "5 cards totalling 21 / 7 or more cards totalling 21",
        ]

    def test_the_same_suit_with_spades_and_without_a_reason(self) -> None:
        rows = changed("act-2018", "payout_678_suited", suits="same")
        (found,) = (each for each in faults("act-2018", rows) if each.kind == "overlap")
        assert found.rows == "6,7,8 suited (except spades) / 6,7,8 all spades"
        assert "6 7 8 (spades)" in found.example

    def test_a_row_that_nothing_can_reach(self) -> None:
        longer = replace(
            printed_rows("act-2018")[0], row="long", printed="21 or more cards", cards="21+", ranks=""
        )
        (found,) = faults("act-2018", [*printed_rows("act-2018"), longer])
        assert (found.kind, found.rows, found.cases) == ("unreachable", "21 or more cards", 0)

    def test_a_row_that_always_gives_way_is_unreachable(self) -> None:
        rows = changed("nz-2000", "payout_six", yields_to=frozenset({"payout_other", "six"}))
        six = replace(
            next(each for each in rows if each.row == "payout_six"), row="six", yields_to=frozenset()
        )
        kinds = {(each.kind, each.rows) for each in faults("nz-2000", [*rows, six])}
        assert ("unreachable", "6 cards totalling 21") in kinds

    def test_two_rows_that_give_way_to_each_other_leave_nothing(self) -> None:
        rows = changed("act-2018", "low", "super_bonus", total="0<26", yields_to=frozenset({"high"}))
        rows = [replace(row, yields_to=frozenset({"low"})) if row.row == "high" else row for row in rows]
        (found,) = check_table(load_rulebook("act-2018"), "super_bonus", rows).faults
        assert (found.kind, found.rows) == ("gap", "every row gives way to another")

    def test_a_table_that_is_not_there_at_all(self) -> None:
        rows = [row for row in printed_rows("adelaide-2008") if row.table != "perfect_pairs"]
        tables = {
            table.table: table for table in check_soundness(load_rulebook("adelaide-2008"), rows).tables
        }
        assert [(each.kind, each.cases) for each in tables["perfect_pairs"].faults] == [("gap", 48 * 48)]

    @pytest.mark.parametrize("rulebook", rulebook_ids())
    def test_other_odds_in_the_rulebook(self, rulebook: str) -> None:
        rules = load_rulebook(rulebook)
        cut = replace(rules.terms["payout.six_cards"], value=Fraction(3, 2))
        rules = replace(rules, terms={**rules.terms, "payout.six_cards": cut})
        (found,) = faults(rulebook, list(printed_rows(rulebook)), rules)
        assert (found.kind, found.rows.lower().startswith("6 cards")) == ("disagreement", True)

    @pytest.mark.parametrize(
        ("table", "rows", "kinds"),
        [
            ("perfect_pairs", without("act-2018", "coloured_pair", "perfect_pairs"), {"gap"}),
            ("pair", without("act-2018", "no_pair", "pair"), {"gap"}),
            (
                "perfect_pairs",
                changed("act-2018", "mixed_pair", "perfect_pairs", suits=""),
                {"overlap", "disagreement"},
            ),
            ("insurance", changed("act-2018", "insurance_win", "insurance", ranks="J Q"), {"disagreement"}),
            ("super_bonus", without("act-2018", "high", "super_bonus"), {"gap"}),
            (
                "super_bonus",
                changed("act-2018", "high", "super_bonus", total="24-"),
                {"overlap", "disagreement"},
            ),
            ("super_bonus", changed("act-2018", "low", "super_bonus", pays="500"), {"disagreement"}),
            (
                "dealer",
                changed("act-2018", "draw", "dealer", total="hard 2-16; soft 12-18"),
                {"overlap", "disagreement"},
            ),
            ("dealer", changed("act-2018", "draw", "dealer", total="hard 2-16; soft 12-16"), {"gap"}),
            ("dealer", without("act-2018", "bust", "dealer"), {"gap"}),
            ("dealer", changed("act-2018", "bust", "dealer", total="hard 32-40"), {"gap", "unreachable"}),
        ],
    )
    def test_the_other_tables(self, table: str, rows: list[PrintedRow], kinds: set[str]) -> None:
        assert {each.kind for each in check_table(load_rulebook("act-2018"), table, rows).faults} == kinds

    def test_a_multiplier_that_the_meter_has_not_and_one_that_is_not_printed(self) -> None:
        rows = without("rws-2017", "times_5", "pandemonium")
        rows.append(
            replace(rows[-1], table="pandemonium", row="times_7", printed="7 to 1", total="7", pays="7:1")
        )
        found = check_table(load_rulebook("rws-2017"), "pandemonium", rows).faults
        assert {each.kind for each in found} == {"gap", "disagreement"}

    def test_stakes_between_the_tiers_need_an_answer(self) -> None:
        rows = without("nz-2000", "between", "super_bonus")
        (found,) = check_table(load_rulebook("nz-2000"), "super_bonus", rows).faults
        assert (found.kind, found.cases, found.example) == ("gap", 2, "24.001")


class TestPrintedRows:
    """The file of printed rows says what is wrong with it."""

    @pytest.mark.parametrize(
        ("old", "new", "problem"),
        [
            ("nz-2000,hand,payout_five", "nz-1999,hand,payout_five", "rulebook 'nz-1999' is not held"),
            (",5,21,,,", ",5-7,21,,,", "cards: expected a number such as 5 or 7+"),
            ("678,mixed", "678,motley", "suits: expected one of"),
            ("678,mixed", "876,mixed", "ranks: expected one of"),
            (
                "wagers doubled down,,,,,doubled,",
                "wagers doubled down,,,,,dabbled,",
                "wager: expected one of",
            ),
            (",2-24,", ",2 to 24,", "total: expected a tier such as"),
            (
                ",doubled_odds,12.5 takes a doubled wager out of 11.1",
                ",doubled_odds,",
                "because: a row that yields",
            ),
            ("rulebook,table,row", "book,table,row", "line 1: expected the columns"),
        ],
    )
    def test_a_fault_is_named_with_its_line(self, old: str, new: str, problem: str) -> None:
        assert old in SHIPPED
        with pytest.raises(RulebookError, match=r"printed_rows\.csv") as raised:
            parse_rows(SHIPPED.replace(old, new, 1), "printed_rows.csv")
        assert any(problem in each for each in raised.value.problems), raised.value.problems

    def test_a_line_cut_short(self) -> None:
        with pytest.raises(RulebookError, match="expected 14 fields"):
            parse_rows(SHIPPED + "nz-2000,hand\n", "printed_rows.csv")

    def test_an_unknown_rulebook(self) -> None:
        with pytest.raises(KeyError):
            printed_rows("act-1999")


class TestTheCommand:
    """``rules lint``: 0 where all is sound, 1 where it is not, 2 for a rulebook that is not held."""

    def test_sound_is_0(self) -> None:
        ran = pontoon("rules", "lint", "adelaide-2008", "--json")
        (found,) = ran.object["rulebooks"]
        assert (ran.code, ran.object["sound"], found["id"]) == (0, True, "adelaide-2008")
        assert found["tables"][0]["cases"] > 10_000
        assert {table["gaps"] for table in found["tables"]} == {0}

    def test_for_people(self) -> None:
        ran = pontoon("rules", "lint", "adelaide-2008")
        assert ran.code == 0
        assert "adelaide-2008: sound; the longest winning hand has 20 cards." in ran.out

    def test_not_sound_is_1_and_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rows = tuple(without("adelaide-2008", "payout_other"))
        monkeypatch.setattr(soundness, "printed_rows", lambda _: rows)
        ran = pontoon("rules", "lint", "adelaide-2008")
        assert ran.code == 1
        assert "adelaide-2008: NOT SOUND" in ran.out
        assert "gap: no row" in ran.out
        found = pontoon("rules", "lint", "adelaide-2008", "--json")
        assert (found.code, found.object["sound"]) == (1, False)

    def test_an_unknown_rulebook_is_2(self) -> None:
        ran = pontoon("rules", "lint", "act-2019")
        assert (ran.code, ran.out) == (2, "")
        assert "held are nz-2000" in ran.err

    def test_without_a_name_all_are_looked_at(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(
            "audit.commands.lint.check_soundness",
            lambda rules: Soundness(rulebook=rules.id, tables=(), longest=0),
        )
        assert [each.rulebook for each in lint(())] == list(rulebook_ids())
