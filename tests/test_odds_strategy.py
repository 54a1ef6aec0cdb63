"""Basic strategy, and the page that publishes it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from data_samples.odds.report import ENTRIES, Measured, document, static_part
from data_samples.odds.rules import Rules, published, rules_of
from data_samples.odds.strategy import (
    DOUBLE,
    FORFEIT,
    HIT,
    PLAY,
    SPLIT,
    STAND,
    SURRENDER,
    UNSPLIT,
    Sheet,
    Strategy,
    basic_strategy,
    opening_place,
)
from rules_replay.dealer_finals import dealer_finals
from rules_replay.rulebook import load_rulebook, rulebook_ids

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def new_zealand() -> Strategy:
    return basic_strategy(rules_of(load_rulebook("nz-2000"), 8))


class TestRulesOf:
    """Parameters come from the rulebook's terms and readings."""

    def test_the_texts_give_the_parameters(self) -> None:
        rules = {each: rules_of(load_rulebook(each), 8) for each in rulebook_ids()}
        assert {each: rules[each].hands_per_box for each in rules} == {
            "nz-2000": 3,
            "act-2005": 4,
            "adelaide-2008": 3,
            "rws-2017": 4,
            "act-2018": 4,
        }
        assert rules["act-2005"] == rules["act-2018"]
        assert not any(each.hit_after_double for each in rules.values())
        assert rules["adelaide-2008"].super_bonus == 0
        assert rules["rws-2017"].super_bonus == 100

    def test_a_stake_below_the_lowest_tier_has_no_super_bonus(self) -> None:
        assert rules_of(load_rulebook("rws-2017"), 8, stake=9_000).super_bonus == 0
        assert rules_of(load_rulebook("nz-2000"), 8, stake=25_000).super_bonus == Fraction(200)

    def test_another_reading_is_another_rule_set(self) -> None:
        book = load_rulebook("act-2018").with_readings({"dealer_pontoon_split": "busted_plus_one"})
        assert rules_of(book, 4).pontoon_split == "busted_plus_one"


@pytest.mark.slow
class TestStrategy:
    """What a player does who knows the rules and the dealer's first card."""

    def test_below_twelve_nobody_stands(self, new_zealand: Strategy) -> None:
        for points in range(4, 12):
            assert (new_zealand.play[:, 1:, 2:, points, 0, 0] != STAND).all()

    def test_hard_seventeen_stands_but_against_an_ace(self, new_zealand: Strategy) -> None:
        stands = [new_zealand.play[UNSPLIT, up, 2, 17, 0, 0] == STAND for up in range(1, 11)]
        assert stands == [False, *[True] * 9]

    def test_more_cards_call_for_the_card_count_bonus(self, new_zealand: Strategy) -> None:
        """Hard 15 against a six stands on two cards and is drawn to when the next card is the sixth."""
        assert new_zealand.play[UNSPLIT, 6, 2, 15, 0, 0] == STAND
        assert new_zealand.play[UNSPLIT, 6, 6, 15, 0, 0] == HIT

    def test_suits_on_the_way_to_a_bonus_row_are_drawn_to(self, new_zealand: Strategy) -> None:
        assert new_zealand.play[UNSPLIT, 4, 2, 14, 0, 0] == STAND
        assert new_zealand.play[UNSPLIT, 4, 2, 14, 0, 3] == HIT

    def test_suited_sevens_wait_for_the_super_bonus(self, new_zealand: Strategy) -> None:
        sevens = new_zealand.opening[7, opening_place(14, True), 0]
        assert (sevens[4], sevens[5], sevens[6]) == (SPLIT, PLAY, PLAY)
        assert new_zealand.play[UNSPLIT, 7, 2, 14, 0, 5] == HIT

    def test_a_stiff_doubled_hand_is_forfeited_against_a_picture(self, new_zealand: Strategy) -> None:
        assert new_zealand.doubled[UNSPLIT, 10, 14, 0] == FORFEIT
        assert new_zealand.doubled[UNSPLIT, 6, 14, 0] == STAND

    def test_doubles_stay_within_the_rules(self) -> None:
        two = basic_strategy(rules_of(load_rulebook("rws-2017"), 8)).play
        few = basic_strategy(rules_of(load_rulebook("adelaide-2008"), 8)).play
        assert (two[:, :, 3:] != DOUBLE).all()
        assert (two[:, :, 2] == DOUBLE).any()
        outside = [points for points in range(22) if not 9 <= points <= 11]
        assert (few[:, :, :, outside] != DOUBLE).all()
        assert (few[:, :, 3:] != DOUBLE).all()
        assert (few[:, :, :, :, 1:] != DOUBLE).all()

    @pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
    def test_surrender_is_never_best(self, entry: object) -> None:
        found = next(each for each in ENTRIES if each is entry)
        assert (basic_strategy(found.rules).opening != SURRENDER).all()

    def test_a_cheaper_surrender_would_be_taken(self) -> None:
        """A hard 16 against an ace without the forfeit of the whole: the option itself is weighed."""
        rules = rules_of(load_rulebook("nz-2000"), 8)
        poor = replace(rules, odds=tuple(odds / 2 for odds in rules.odds))
        opening = basic_strategy(poor).opening
        assert opening[1, opening_place(16, False), 0, 0] == SURRENDER

    @pytest.mark.slow
    def test_more_options_never_cost_the_player(self) -> None:
        rules = rules_of(load_rulebook("nz-2000"), 8)

        def value(**changed: str | int | bool) -> float:
            return basic_strategy(replace(rules, **changed)).value  # type: ignore[arg-type]

        least, middle, most = (
            value(double_on=on) for on in ("hard_nine_to_eleven", "two_cards", "two_cards_or_three_plus")
        )
        assert least < middle < most
        assert value(hit_after_double=True) > most
        assert value(hands_per_box=1) < value(hands_per_box=2) < most
        assert value(aces_split_once=False) > most
        assert value(forfeit_limit=0) < most

    def test_a_hand_that_stands_is_worth_what_the_dealers_totals_make_it(self) -> None:
        """A hand of hard twenty against a ten: won against a bust or less, lost to 21 and Pontoon."""
        finals = dealer_finals(8, 10)
        expected = (
            finals["bust"] + finals["17"] + finals["18"] + finals["19"] - finals["21"] - finals["pontoon"]
        )
        sheet = Sheet(rules_of(load_rulebook("nz-2000"), 8), 10, UNSPLIT)
        assert sheet.worth(2, 20, 0, 0).net == pytest.approx(float(expected))


@pytest.mark.slow
class TestPage:
    """`docs/odds.md` is what `make odds` writes."""

    def test_its_parameters_strategies_and_dealer_table_are_those_of_the_rulebooks(self) -> None:
        page = (DOCS / "odds.md").read_text(encoding="utf-8")
        assert page.endswith(static_part() + "\n"), "run make odds"

    def test_every_edge_stands_in_its_table(self) -> None:
        read = [rules for row in published() for _, rules in row.read_as]
        order = list(dict.fromkeys([*read, *(entry.rules for entry in ENTRIES)]))

        def measure(rules: Rules) -> Measured:
            return Measured(
                edge=order.index(rules) + 0.125,
                error=0.5,
                rounds=1000,
                computed=0.25,
                super_bonus=0.0,
                splits=0.0,
                doubles=0.0,
                forfeits=0.0,
                surrenders=0.0,
            )

        page = document(measure, 1)
        assert all(f"| {place}.125 | 0.500 | 0.250 |" in page for place in range(len(order)))
        assert "over 1,000 rounds (seed 1)" in page
        assert "| +0.125 | no |" not in page
        assert "| -0.185 | no |" in page
