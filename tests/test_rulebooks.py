"""A rulebook that is wrong is refused, with every problem named by file and field."""

from __future__ import annotations

import re
import tomllib
from fractions import Fraction
from importlib.resources import files

import pytest

from rules_replay.checks import catalogue
from rules_replay.engine import replay_round
from rules_replay.errors import RulebookError
from rules_replay.kernel.books import book_records
from rules_replay.rulebook import (
    LATER_CHECKS,
    LATER_OUTCOMES,
    READINGS,
    load_rulebook,
    parse_rulebook,
    rulebook_ids,
)
from tests.rounds import play

TEXT = files("rules_replay").joinpath("rulebooks", "act_2018.toml").read_text(encoding="utf-8")


def refused(old: str, new: str) -> str:
    """The message for the 2018 rulebook with one passage replaced."""
    assert TEXT.count(old) == 1, old
    with pytest.raises(RulebookError) as caught:
        parse_rulebook(TEXT.replace(old, new), "demo.toml")
    return str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        pytest.param(
            'hands_per_box = { value = 4, clause = "11.3" }',
            "hands_per_box = { value = 4 }",
            "split.hands_per_box: no clause",
            id="a term without its clause",
        ),
        pytest.param(
            'hands_per_box = { value = 4, clause = "11.3" }',
            'hands_per_box = { value = 4, clause = "silent" }',
            "split.hands_per_box: the rulebook is silent, so a note must say",
            id="a silence without a note",
        ),
        pytest.param(
            'hands_per_box = { value = 4, clause = "11.3" }',
            'hands_per_box = { value = 4, clause = "11.3" }\nper_table = { value = 4, clause = "11.3" }',
            "split.per_table: unknown key",
            id="an unknown term",
        ),
        pytest.param(
            'hands_per_box = { value = 4, clause = "11.3" }',
            'hands_per_box = { value = 4, clause = "11.3", page = 9 }',
            "split.hands_per_box.page: unknown key",
            id="an unknown key of a term",
        ),
        pytest.param(
            'hands_per_box = { value = 4, clause = "11.3" }',
            "",
            "split.hands_per_box: missing",
            id="a missing term",
        ),
        pytest.param(
            'hands_per_box = { value = 4, clause = "11.3" }',
            "hands_per_box = 4",
            "split.hands_per_box: expected { value = …, clause = … }, got 4",
            id="a bare value",
        ),
        pytest.param(
            'hands_per_box = { value = 4, clause = "11.3" }',
            'hands_per_box = { value = "four", clause = "11.3" }',
            "split.hands_per_box: expected a whole number, got 'four'",
            id="a word for a number",
        ),
        pytest.param(
            'pontoon = { value = "3:2", clause = "8.1; Table 1" }',
            'pontoon = { value = 1.5, clause = "8.1; Table 1" }',
            'payout.pontoon: expected text such as "3:2", got 1.5. Quote the odds.',
            id="odds as a number",
        ),
        pytest.param(
            'pontoon = { value = "3:2", clause = "8.1; Table 1" }',
            'pontoon = { value = "3:0", clause = "8.1; Table 1" }',
            "payout.pontoon: expected text such as \"3:2\", got '3:0'",
            id="odds against nothing",
        ),
        pytest.param(
            'high_award = { value = "5000", clause = "14.3; Table 2" }',
            'high_award = { value = 5000, clause = "14.3; Table 2" }',
            'bonus.high_award: expected an amount as text such as "25", got 5000',
            id="an amount as a number",
        ),
        pytest.param(
            'last_rounds_excuse = { value = true, clause = "5.5" }',
            'last_rounds_excuse = { value = "yes", clause = "5.5" }',
            "shoe.last_rounds_excuse: expected true or false, got 'yes'",
            id="a word for a flag",
        ),
        pytest.param(
            'on = { value = "two_cards_or_three_plus", clause = "12.1; 12.4" }',
            'on = { value = "anything", clause = "12.1; 12.4" }',
            "double.on: expected one of two_cards_or_three_plus, two_cards, hard_nine_to_eleven, got",
            id="an unknown choice",
        ),
        pytest.param(
            'kinds = { value = ["perfect_pairs", "pair"], clause = "18.1" }',
            'kinds = { value = ["perfect_pairs", "trios"], clause = "18.1" }',
            "side.kinds: expected a list out of pair, pandemonium, perfect_pairs, got",
            id="an unknown side wager",
        ),
        pytest.param(
            "[reading.dealer_pontoon_split]",
            "[reading.dealer_pontoon_triple]",
            "reading.dealer_pontoon_triple: unknown reading",
            id="an unknown reading",
        ),
        pytest.param(
            "[reading.dealer_pontoon_split]",
            "[reading.dealer_pontoon_triple]",
            "reading.dealer_pontoon_split: missing",
            id="a missing reading",
        ),
        pytest.param(
            'default = "original_cap"',
            'default = "half_cap"',
            "reading.dealer_pontoon_split: expected one of original_cap, busted_plus_one, original_stack,",
            id="an answer the engine does not know",
        ),
        pytest.param(
            'alternatives = ["busted_plus_one", "original_stack"]',
            'alternatives = ["half_cap"]',
            "reading.dealer_pontoon_split: expected one of original_cap",
            id="an alternative the engine does not know",
        ),
        pytest.param(
            'question = "Which aces count one on a doubled hand"',
            "",
            "reading.fixed_aces.question: expected text, got None",
            id="a reading without its question",
        ),
        pytest.param(
            '"deal.order" = "6.2"',
            "",
            "clauses.deal.order: no clause",
            id="a check without a clause",
        ),
        pytest.param(
            '"deal.order" = "6.2"',
            '"deal.order" = "6.2"\n"deal.disorder" = "6.2"',
            "clauses.deal.disorder: unknown key",
            id="a clause of no check",
        ),
        pytest.param(
            'stand_off = "14.1(h)"', "", "outcomes.stand_off: no clause", id="an outcome without a clause"
        ),
        pytest.param(
            'absent_player = "15.7"', "", "irregularities.absent_player: no clause", id="an irregularity"
        ),
        pytest.param(
            "since = 2018-10-19",
            'since = "2018-10-19"',
            "rulebook.since: expected a date",
            id="a date as text",
        ),
        pytest.param(
            'instrument = "NI2018-569"',
            'instrument = "NI2018-569"\neditor = "nobody"',
            "rulebook.editor: unknown key",
            id="an unknown key of the head",
        ),
        pytest.param(
            "checked_on = ", "checked_at = ", "rulebook.checked_on: expected a date", id="a missing date"
        ),
        pytest.param("[deck]", "[deck", "not TOML", id="not TOML"),
    ],
)
def test_a_broken_rulebook_is_refused(old: str, new: str, problem: str) -> None:
    message = refused(old, new)
    assert message.startswith("demo.toml: ")
    assert problem in message


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('rulebook = "a"', "rulebook: expected a table, got 'a'"),
        ("clauses = 5", "clauses: expected a table, got 5"),
        ("outcomes = []", "outcomes: expected a table, got []"),
        ('irregularities = "none"', "irregularities: expected a table, got 'none'"),
        ('[reading]\namounts = "exact"', "reading.amounts: expected a table, got 'exact'"),
        (
            "[reading.amounts]\nalternatives = 5",
            "reading.amounts.alternatives: expected a list of texts, got 5",
        ),
        ("[reading.amounts]\nweaker = [1]", "reading.amounts.weaker: expected a list of texts, got [1]"),
        ('[side]\nkinds = { value = [["pair"]], clause = "1" }', "side.kinds: expected a list out of"),
    ],
)
def test_what_is_of_another_kind_is_a_problem_like_others(text: str, problem: str) -> None:
    with pytest.raises(RulebookError) as caught:
        parse_rulebook(text, "demo.toml")
    assert any(each.startswith(problem) for each in caught.value.problems)


def test_every_problem_is_named_at_once() -> None:
    text = TEXT.replace('pontoon = { value = "3:2"', "pontoon = { value = 2").replace(
        '"deal.order" = "6.2"', ""
    )
    with pytest.raises(RulebookError, match=r"demo\.toml: 2 problems") as caught:
        parse_rulebook(text, "demo.toml")
    assert len(caught.value.problems) == 2


def test_a_text_from_before_a_term_was_added_still_judges_rounds() -> None:
    """A case holds the text by which it was judged, and is judged again by it."""
    shipped = files("rules_replay").joinpath("rulebooks", "nz_2000.toml").read_text(encoding="utf-8")
    added = ("by_second_card", "wager_back_after", "refused_card_to_dealer", "not_doubling", *LATER_OUTCOMES)
    lines = [line for line in shipped.splitlines() if not line.startswith(added)]
    assert len(lines) == len(shipped.splitlines()) - len(added)
    later = [line for line in lines if not line.startswith(tuple(f'"{code}"' for code in LATER_CHECKS))]
    assert len(later) == len(lines) - len(LATER_CHECKS)
    retired = 'cutting_card_half_is_approximate = { value = false, clause = "7.6" }'
    before = "\n".join(later).replace("[shoe]", f"[shoe]\n{retired}")
    assert retired in before
    book = parse_rulebook(before, "nz_2000.toml")
    told = (
        "a 20@1 by Ann | b 10@1 by Bo | i 10 insures a | 1:6C 0:9H 1:5D | double 1 with d 20 on a | 1:9C "
        "| forfeit b | withdraw a | 0:KD"
    )
    codes = {each.code for each in replay_round(play("nz-2000", told), book).findings}
    assert "insurance.no-ace" in codes
    assert "forfeit.eligibility" not in codes
    assert book_records([book]).forfeit_not_doubling[0] == 0


def test_an_unknown_rulebook_is_no_rulebook() -> None:
    with pytest.raises(KeyError, match="act-1998"):
        load_rulebook("act-1998")


@pytest.mark.parametrize("rulebook", rulebook_ids())
class TestShippedRulebooks:
    """Each shipped rulebook loads and cites a clause or says that it is silent, for every check."""

    def test_loads_under_its_own_name(self, rulebook: str) -> None:
        book = load_rulebook(rulebook)
        assert book.id == rulebook
        assert book.since <= book.checked_on
        assert re.fullmatch(r"[0-9a-f]{64}", book.digest)

    def test_cites_itself_for_every_check(self, rulebook: str) -> None:
        book = load_rulebook(rulebook)
        assert set(book.clauses) == set(catalogue())
        for code in catalogue():
            assert book.clause_of(code).startswith(f"{rulebook} ")

    def test_names_every_check_in_its_own_file(self, rulebook: str) -> None:
        """Those that an older text may leave out as well."""
        name = f"{rulebook.replace('-', '_')}.toml"
        text = files("rules_replay").joinpath("rulebooks", name).read_text(encoding="utf-8")
        assert set(tomllib.loads(text)["clauses"]) == set(catalogue())

    def test_answers_every_question_by_default(self, rulebook: str) -> None:
        book = load_rulebook(rulebook)
        assert set(book.readings) == set(READINGS)
        for reading in book.readings.values():
            assert reading.value == reading.default
            assert reading.default not in reading.alternatives

    def test_a_chosen_reading_leaves_the_digest_alone(self, rulebook: str) -> None:
        book = load_rulebook(rulebook)
        other = book.with_readings({"surrender_window": "own_turn"})
        assert other.reads("surrender_window") == "own_turn"
        assert other.digest == book.digest
        assert load_rulebook(rulebook).reads("surrender_window") == book.reads("surrender_window")

    def test_refuses_an_unknown_reading_and_an_unknown_answer(self, rulebook: str) -> None:
        with pytest.raises(RulebookError) as caught:
            load_rulebook(rulebook).with_readings({"surrender_widow": "own_turn", "amounts": "guess"})
        assert caught.value.source == rulebook
        unknown, answer = caught.value.problems
        assert unknown.startswith("reading surrender_widow: unknown; known are aces_are_a_pair, amounts, ")
        assert answer == "reading amounts: expected one of exact, chip_down, chip_up, payable, got 'guess'"


class TestFigures:
    """Figures that the texts print, rulebook by rulebook."""

    @pytest.mark.parametrize(
        ("rulebook", "least", "most", "hands"),
        [
            ("nz-2000", 4, 8, 3),
            ("act-2005", 3, 8, 4),
            ("adelaide-2008", 3, 8, 3),
            ("rws-2017", 4, 8, 4),
            ("act-2018", 3, 8, 4),
        ],
    )
    def test_decks_and_hands(self, rulebook: str, least: int, most: int, hands: int) -> None:
        book = load_rulebook(rulebook)
        assert (book.whole("deck.minimum"), book.whole("deck.maximum")) == (least, most)
        assert book.whole("split.hands_per_box") == hands

    @pytest.mark.parametrize("rulebook", rulebook_ids())
    def test_the_table_odds_are_the_same_everywhere(self, rulebook: str) -> None:
        book = load_rulebook(rulebook)
        odds = {
            "pontoon": "3/2",
            "five_cards": "3/2",
            "six_cards": "2",
            "seven_cards": "3",
            "678_mixed": "3/2",
            "678_suited": "2",
            "678_spades": "3",
            "777_mixed": "3/2",
            "777_suited": "2",
            "777_spades": "3",
            "other": "1",
            "doubled": "1",
            "insurance": "2",
        }
        assert {row: book.odds(f"payout.{row}") for row in odds} == {
            row: Fraction(text) for row, text in odds.items()
        }
