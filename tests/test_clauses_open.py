"""What hangs on the clauses that can be read in two ways: the money under each answer.

Amounts are net of the stake. The first answer of a pair is the default.
"""

from __future__ import annotations

import pytest

from tests.rounds import OPEN, due, found, net

NZ, ADELAIDE, RWS = "nz-2000", "adelaide-2008", "rws-2017"

both = pytest.mark.parametrize("act", ["act-2005", "act-2018"])


@both
class TestClause7Insurance:
    """7.1 to 7.4: on what, until when and by whom, in both approvals of Casino Canberra."""

    TWO_BOXES = (
        "a 20@1 by Ann | b 40@2 by Ann | 1:AH 2:9D 0:AC 1:KH 2:7D | a wins 30 | i {} insures b | stand 2"
    )

    @pytest.mark.parametrize(
        ("amount", "by_wager", "by_total"),
        [("20", False, False), ("21", True, False), ("30", True, False), ("31", True, True)],
    )
    def test_7_1_is_half_of_the_wager_or_of_all_the_players_original_wagers(
        self, act: str, amount: str, by_wager: bool, by_total: bool
    ) -> None:
        told = self.TWO_BOXES.format(amount) + " | 0:9C"
        assert ("insurance.over-half" in found(act, told)) == by_wager
        assert ("insurance.over-half" in found(act, told, insurance_cap="total")) == by_total

    def test_7_1_adds_up_what_a_player_places_on_all_his_boxes(self, act: str) -> None:
        told = (
            "a 20@1 by Ann | b 40@2 by Ann | 1:9H 2:9D 0:AC 1:KH 2:7D | i 10 insures a | k 21 insures b "
            "| stand 1 | stand 2 | 0:9C"
        )
        assert "insurance.over-half" in found(act, told)
        assert "insurance.over-half" in found(act, told, insurance_cap="total")
        assert "insurance.over-half" not in found(act, told.replace("k 21", "k 20"), insurance_cap="total")

    def test_7_1_a_pontoon_bars_the_hand_or_the_person(self, act: str) -> None:
        told = self.TWO_BOXES.format("10") + " | 0:KC"
        assert "insurance.pontoon-holder" not in found(act, told)
        assert "insurance.pontoon-holder" in found(act, told, pontoon_bars_insurance="player")
        other = told.replace("b 40@2 by Ann", "b 40@2 by Bo")
        assert "insurance.pontoon-holder" not in found(act, other, pontoon_bars_insurance="player")

    def test_before_the_subsequent_deal_of_the_table_or_of_the_box(self, act: str) -> None:
        told = "a 20@1 | b 20@2 | 1:9C 2:9H 0:AS 1:4D 2:6D | 1:7C | stand 1 | i 10 insures b | stand 2 | 0:KD"
        assert "insurance.late" in found(act, told)
        assert "insurance.late" not in found(act, told, insurance_window="own_turn")
        for late in (told.replace("i 10 insures b | stand 2", "2:2C | i 10 insures b"), _swapped(told)):
            assert "insurance.late" in found(act, late, insurance_window="own_turn")

    @pytest.mark.parametrize(
        "choice", ["stand 1", "double 1 with d 20 on a", "stand 2"], ids=["stand", "double", "another's"]
    )
    def test_the_subsequent_deal_begins_with_the_first_choice(self, act: str, choice: str) -> None:
        """10.1: a surrender is none of its choices (9.1)."""
        told = "a 20@1 | b 20@2 | 1:6C 2:9H 0:AS 1:5D 2:9D | {} | i 10 insures b"
        assert "insurance.late" in found(act, told.format(choice))
        assert "insurance.late" not in found(act, told.format(choice), insurance_window="before_any_draw")
        assert "insurance.late" not in found(act, told.format("surrender 1"))

    @pytest.mark.parametrize(("second", "lives", "falls"), [("QD", "0", "-20"), ("9D", "-20", "-10")])
    def test_9_3_insurance_of_a_surrendered_hand_lives_or_goes_back(
        self, act: str, second: str, lives: str, falls: str
    ) -> None:
        told = f"a 20@1 | 1:KC 0:AC 1:6D | i 10 insures a | surrender 1 | 0:{second}"
        assert net(act, told) == lives
        assert net(act, told, insurance_life="falls_if_surrendered") == falls
        bust = "a 20@1 | 1:KC 0:AC 1:6D | i 10 insures a | 1:9D | 0:QD"
        assert net(act, bust) == net(act, bust, insurance_life="falls_if_surrendered") == "0"


def _swapped(told: str) -> str:
    """The insurance on the first box, whose turn has passed."""
    return told.replace("insures b", "insures a")


class TestClause7_2ThirdParties:
    """act-2018 7.1, 7.2: whether others may insure the wager of a Pontoon holder."""

    def test_bars_the_wager_or_its_owner_only(self) -> None:
        told = (
            "a 20@1 by Ann | b 20@2 by Bo | 1:AC 2:9H 0:AS 1:KD 2:8D | a wins 30 | i 10 insures a by Bo "
            "| stand 2 | 0:9D"
        )
        assert found("act-2018", told).count("insurance.pontoon-holder") == 1
        assert "insurance.pontoon-holder" not in found("act-2018", told, pontoon_bars_insurance="owner")
        own = told.replace("by Bo", "by Ann")
        assert "insurance.pontoon-holder" in found("act-2018", own, pontoon_bars_insurance="owner")


@both
class TestClause18PerfectPairs:
    """2018: 18.8 to 18.11; 2005: 18.10 to 18.13."""

    TOLD = (
        "a 20@1 by Ann | b 20@2 by {} | p 10@1 perfect_pairs by Ann | r {}@2 perfect_pairs by {} "
        "| 1:7H 2:QS 0:9C 1:7C 2:QS | stand 1 | stand 2 | 0:8D | a loses 20 | b wins 20"
    )

    @pytest.mark.parametrize(
        ("reading", "won"),
        [("each_wager", "310"), ("highest_returned", "250"), ("highest_collected", "240")],
    )
    def test_the_highest_payout_is_one_a_wager_or_one_a_player(
        self, act: str, reading: str, won: str
    ) -> None:
        assert net(act, self.TOLD.format("Ann", "10", "Ann"), pairs_payout=reading) == won

    @pytest.mark.parametrize("reading", ["each_wager", "highest_returned", "highest_collected"])
    def test_two_players_win_one_each(self, act: str, reading: str) -> None:
        assert net(act, self.TOLD.format("Bo", "10", "Bo"), pairs_payout=reading) == "310"

    def test_the_highest_is_the_amount_and_of_equal_ones_the_first(self, act: str) -> None:
        lost = due(act, self.TOLD.format("Ann", "2", "Ann"), pairs_payout="highest_collected")
        assert (lost["p"], lost["r"]) == ("win 60", "lose 2")
        equal = self.TOLD.format("Ann", "10", "Ann").replace("2:QS", "2:7D", 1).replace("2:QS", "2:7S", 1)
        paid = due(act, equal, pairs_payout="highest_returned")
        assert (paid["p"], paid["r"]) == ("win 60", "returned")

    def test_a_wager_that_is_void_outdoes_nobody(self, act: str) -> None:
        told = self.TOLD.format("Ann", "10", "Ann").replace("| 1:7H", "| void wager r | 1:7H")
        assert due(act, told, pairs_payout="highest_returned")["p"] == "win 60"

    def test_a_card_that_nobody_read_leaves_open_which_is_the_highest(self, act: str) -> None:
        told = self.TOLD.format("Ann", "10", "Ann").replace("2:QS", "2:??")
        assert due(act, told)["p"] == "win 60"
        assert due(act, told, pairs_payout="highest_returned")["p"] == OPEN
        other = self.TOLD.format("Bo", "10", "Bo").replace("2:QS", "2:??")
        assert due(act, other, pairs_payout="highest_returned")["p"] == "win 60"

    def test_the_pontoon_wager_beside_it_is_on_the_box_or_anywhere(self, act: str) -> None:
        told = (
            "a 20@1 by Ann | b 20@2 by Bo | p 10@2 perfect_pairs by Ann | 1:KC 2:7H 0:9C 1:9D 2:7C "
            "| stand 1 | stand 2 | 0:8D"
        )
        assert due(act, told)["p"] == "void"
        assert due(act, told, side_bet_needs="anywhere")["p"] == "win 60"
        without = told.replace("a 20@1 by Ann", "a 20@1 by Cy")
        assert due(act, without, side_bet_needs="anywhere")["p"] == "void"


@both
class TestRule14DealerPontoon:
    """14.1(g), 11.8, 11.9 and 10.2(b) of both approvals."""

    def test_14_1_g_a_paid_21_stands_or_falls(self, act: str) -> None:
        told = "a 20@1 | 1:9C 0:AD 1:7D | 1:5S | 0:KD"
        assert net(act, told) == "20"
        assert net(act, told, twenty_one_paid="falls_to_pontoon") == "-20"
        assert net(act, told.replace("0:KD", "0:9D"), twenty_one_paid="falls_to_pontoon") == "20"
        assert "dealer.needless-draw" in found(act, told)
        assert "dealer.needless-draw" not in found(act, told, twenty_one_paid="falls_to_pontoon")

    def test_14_1_g_a_doubled_21_and_a_pontoon_stand_under_either(self, act: str) -> None:
        doubled = (
            "a 20@1 | b 20@2 | 1:6C 2:9H 0:KS 1:5D 2:9C | double 1 with ad 20 on a | 1:QH | stand 2 | 0:AH"
        )
        assert due(act, doubled, twenty_one_paid="falls_to_pontoon")["a"] == "win 20"
        pontoon = "a 20@1 | b 20@2 | 1:AC 2:9H 0:KS 1:KD 2:9C | stand 2 | 0:AH"
        assert due(act, pontoon, twenty_one_paid="falls_to_pontoon")["a"] == "win 30"

    def test_11_9_the_original_wager_won_as_a_21_is_taken_elsewhere_or_out_of_play(self, act: str) -> None:
        told = "a 20@1 | 1:8S 0:KH 1:8D | split 1 with a2 20 on a | 1:5S 1:8C | 1.2:9C | stand 1.2 | 0:{}"
        assert net(act, told.format("AD")) == "0"
        assert net(act, told.format("AD"), original_won_as_21="out_of_play") == "20"
        assert net(act, told.format("9D"), original_won_as_21="out_of_play") == "0"

    def test_11_8_hands_over_21_beyond_one_original_wager_stay_lost_or_go_back(self, act: str) -> None:
        told = (
            "a 20@1 | 1:8S 0:KH 1:8D | split 1 with a2 20 on a | 1:8C | split 1 with a3 20 on a | 1:JC 1:5D "
            "| 1.3:JD 1.3:5H | 1.2:JH | stand 1.2 | 0:{}"
        )
        assert net(act, told.format("AD")) == "-40"
        assert net(act, told.format("AD"), bust_above_original="returned") == "-20"
        assert net(act, told.format("8D"), bust_above_original="returned") == "-40"

    def test_13_1_b_a_card_is_drawn_for_a_surrender_alone_or_none(self, act: str) -> None:
        alone = "a 20@1 | 1:KC 0:AS 1:6D | i 10 insures a | surrender 1 | a surrenders 10 | i returned"
        reading = {"second_card_for_surrender": "not_drawn"}
        assert net(act, alone) == OPEN
        assert "dealer.under-draw" in found(act, alone)
        assert net(act, alone, **reading) == "-10"
        assert found(act, alone, **reading) == []
        for second, paid in (("KD", "0"), ("5C", "-20")):
            assert net(act, f"a 20@1 | 1:KC 0:AS 1:6D | i 10 insures a | surrender 1 | 0:{second}") == paid
        beside = "a 20@1 | b 20@2 | 1:KC 2:9H 0:AS 1:6D 2:9C | surrender 1 | stand 2"
        assert due(act, beside, **reading)["a"] == OPEN


@both
class TestClause2_5Aces:
    """2.5(a): aces among the first two cards of a double count one."""

    def test_a_third_ace_held_before_the_double_is_free_or_held(self, act: str) -> None:
        told = "a 20@1 | 1:4C 0:9H 1:3D | 1:AC | double 1 with ad 20 on a | 1:3H | 0:KD"
        assert net(act, told) == "40"
        assert net(act, told, later_aces="held_at_one") == "-40"

    def test_the_ace_that_is_the_double_card_is_free_under_either(self, act: str) -> None:
        told = "a 20@1 | 1:6C 0:9H 1:4D | double 1 with ad 20 on a | 1:AC"
        assert net(act, told) == net(act, told, later_aces="held_at_one") == "40"


INSURED = {
    "bust": "a 20@1 | 1:KC 0:AC 1:6D | i 10 insures a | 1:9S",
    "surrendered": "a 20@1 | 1:KC 0:AC 1:6D | i 10 insures a | surrender 1",
    "paid": "a 20@1 | 1:9C 0:AC 1:7D | i 10 insures a | 1:5S",
}


class TestNewZealand:
    """Division 15 of 2000, by clause."""

    @pytest.mark.parametrize(
        ("hand", "second", "lives", "falls"),
        [
            ("bust", "QD", "0", "-30"),
            ("bust", "9D", "-30", "-30"),
            ("surrendered", "QD", "0", "-20"),
            ("surrendered", "9D", "-20", "-10"),
            ("paid", "QD", "40", "20"),
            ("paid", "9D", "10", "20"),
        ],
    )
    def test_10_6_insurance_lives_or_goes_with_the_hand(
        self, hand: str, second: str, lives: str, falls: str
    ) -> None:
        told = f"{INSURED[hand]} | 0:{second}"
        assert net(NZ, told) == lives
        assert net(NZ, told, insurance_life="lost_when_bust") == falls

    def test_10_2_a_pontoon_bars_the_hand_the_person_or_nobody(self) -> None:
        on_it = "a 20@1 | 1:AC 0:AS 1:KD | a wins 30 | i 10 insures a | 0:9D"
        beside = (
            "a 20@1 by Ann | b 20@2 by Ann | 1:AC 2:9H 0:AS 1:KD 2:8D | a wins 30 | i 10 insures b "
            "| stand 2 | 0:9D"
        )
        faulted = {
            reading: tuple(
                "insurance.pontoon-holder" in found(NZ, told, pontoon_bars_insurance=reading)
                for told in (on_it, beside)
            )
            for reading in ("hand", "player", "nobody")
        }
        assert faulted == {"hand": (True, False), "player": (True, True), "nobody": (False, False)}

    def test_5_1_e_equal_totals_over_21_lose_or_stand_off(self) -> None:
        told = "a 20@1 | b 20@2 | 1:KC 2:9H 0:6S 1:5D 2:8D | 1:8C | stand 2 | 0:9C 0:8D"
        assert due(NZ, told)["a"] == "lose 20"
        assert due(NZ, told, bust_on_dealers_total="stand_off")["a"] == "stand_off"
        other = told.replace("0:8D", "0:7D")
        assert due(NZ, other, bust_on_dealers_total="stand_off")["a"] == "lose 20"

    def test_14_2_a_split_hand_over_21_takes_its_wager_or_the_box(self) -> None:
        told = "a 20@1 | 1:8S 0:7H 1:8D | split 1 with a2 20 on a | 1:6S 1:9C | 1.2:KC | stand 1.2 | 0:JD"
        assert net(NZ, told) == "0"
        assert net(NZ, told, split_bust_takes="box") == "-40"

    def test_table_11_1_mixed_suits_are_not_all_one_or_all_different(self) -> None:
        told = "a 20@1 | 1:6C 0:9H 1:7C | 1:8{}"
        assert net(NZ, told.format("D")) == "30"
        assert net(NZ, told.format("D"), mixed_suits="all_different") == "20"
        three = "a 20@1 | 1:7C 0:9H 1:7D | 1:7S"
        assert net(NZ, three) == net(NZ, three, mixed_suits="all_different")

    def test_13_5_a_doubled_split_hand_is_paid_even_or_by_the_table(self) -> None:
        told = (
            "a 20@1 | 1:2C 0:6S 1:2D | split 1 with a2 20 on a | 1:3C 1:4D 1:2H "
            "| double 1 with ad 20 on a | 1:KC | 1.2:KD 1.2:6D | stand 1.2 | 0:JD 0:2C"
        )
        assert net(NZ, told) == "40"
        assert net(NZ, told, doubled_split_odds="table") == "60"

    @pytest.mark.parametrize(
        ("hand", "card", "amounts"),
        [
            ("1:5C 0:9H 1:3D | 1:AC", "2H", ("40", "-40", "-40")),
            ("1:6C 0:9H 1:4D", "AC", ("40", "40", "-40")),
            ("1:AC 0:9H 1:2D | 1:5C", "3H", ("-40", "-40", "-40")),
        ],
    )
    def test_12_2_aces_beyond_the_initial_deal(self, hand: str, card: str, amounts: tuple[str, ...]) -> None:
        told = f"a 20@1 | {hand} | double 1 with ad 20 on a | 1:{card} | 0:9D"
        readings = ("free", "held_at_one", "all_at_one")
        assert tuple(net(NZ, told, later_aces=each) for each in readings) == amounts


class TestAdelaide:
    """SkyCity Adelaide, August 2008, by rule."""

    def test_11_equal_totals_over_21_lose_or_stand_off(self) -> None:
        told = "a 20@1 | b 20@2 | 1:KC 2:9H 0:6S 1:5D 2:8D | 1:7C | stand 2 | 0:9C 0:7D"
        assert due(ADELAIDE, told)["a"] == "lose 20"
        assert due(ADELAIDE, told, bust_on_dealers_total="stand_off")["a"] == "stand_off"

    def test_27_the_row_for_spades_is_alone_or_on_top(self) -> None:
        told = "a 20@1 | 1:6S 0:9H 1:7S | 1:8S"
        assert net(ADELAIDE, told) == "60"
        assert net(ADELAIDE, told, spades_row="added") == "100"
        hearts = "a 20@1 | 1:6H 0:9H 1:7H | 1:8H"
        assert net(ADELAIDE, hearts) == net(ADELAIDE, hearts, spades_row="added") == "40"

    def test_65_splits_two_cards_of_one_value_or_of_one_rank(self) -> None:
        told = (
            "a 20@1 | 1:{} 0:6S 1:QD | split 1 with a2 20 on a | 1:9C | stand 1 | 1.2:9D | stand 1.2 "
            "| 0:JD 0:7C"
        )
        assert "split.unequal-value" not in found(ADELAIDE, told.format("KC"))
        assert "split.unequal-value" in found(ADELAIDE, told.format("KC"), split_pair="same_rank")
        assert "split.unequal-value" not in found(ADELAIDE, told.format("QC"), split_pair="same_rank")

    def test_76_a_card_is_drawn_for_insurance_alone_or_none(self) -> None:
        told = "a 40@1 | 1:KC 0:AC 1:6D | i 20 insures a | 1:9S"
        assert net(ADELAIDE, told) == OPEN
        assert net(ADELAIDE, f"{told} | 0:KD") == "0"
        assert net(ADELAIDE, told, second_card_for_surrender="not_drawn") == "-40"


class TestSentosa:
    """Resorts World Sentosa 2017, by clause."""

    def test_3_8_1_a_multiplier_is_paid_to_one_or_in_all(self) -> None:
        told = "a 20@1 | j 10@1 pandemonium | 1:AC 0:9C 1:KD | press 1 25"
        assert due(RWS, told)["j"] == "win 250"
        assert due(RWS, told, jackpot_pays="in_all")["j"] == "win 240"

    def test_3_8_2_a_press_speaks_for_the_box_or_for_the_player(self) -> None:
        told = (
            "a 10@1 by Ann | b 10@2 by {} | j 10@1 pandemonium by Ann | k 10@2 pandemonium by {} "
            "| 1:AC 2:AD 0:9C 1:KD 2:QD | press 1 5"
        )
        one = told.format("Ann", "Ann")
        assert (due(RWS, one)["j"], due(RWS, one)["k"]) == ("win 50", OPEN)
        by_player = due(RWS, one, jackpot_press="each_player")
        assert (by_player["j"], by_player["k"]) == ("win 50", "win 50")
        assert "jackpot.press" in found(RWS, one)
        assert "jackpot.press" not in found(RWS, one, jackpot_press="each_player")
        assert due(RWS, told.format("Bo", "Bo"), jackpot_press="each_player")["k"] == OPEN
        twice = f"{one} | press 2 50"
        assert due(RWS, twice)["k"] == "win 500"
        assert "jackpot.press" in found(RWS, twice, jackpot_press="each_player")

    def test_3_7_1_two_aces_are_a_pair_or_none(self) -> None:
        told = "a 20@1 | p 10@1 pair | 1:{0}H 0:9C 1:{0}C | stand 1 | 0:JD"
        assert due(RWS, told.format("A"))["p"] == "win 110"
        assert due(RWS, told.format("A"), aces_are_a_pair="no")["p"] == "lose 10"
        assert due(RWS, told.format("K"), aces_are_a_pair="no")["p"] == "win 110"

    def test_3_9_insurance_does_not_spare_the_main_bet_or_does(self) -> None:
        told = "a 100@1 by Ann | b 100@1 by Bo | 1:KC 0:AS 1:8D | i 50 insures a by Ann | stand 1 | 0:KD"
        assert (net(RWS, told, of="Ann"), net(RWS, told, of="Bo")) == ("0", "-100")
        spared = {"insurance_spares_main": "yes"}
        assert (net(RWS, told, of="Ann", **spared), net(RWS, told, of="Bo", **spared)) == ("100", "-100")

    def test_3_13_a_split_hand_is_paid_by_the_table_or_even(self) -> None:
        told = "a 20@1 | 1:7C 0:9H 1:7D | split 1 with a2 20 on a | 1:7H 1:7S | 1.2:KC | stand 1.2 | 0:8D"
        assert due(RWS, told)["a"] == "win 30"
        assert due(RWS, told, split_odds="even")["a"] == "win 20"

    def test_3_16_a_player_over_21_loses_the_hand_or_the_insurance_too(self) -> None:
        told = "a 40@1 | 1:KC 0:AC 1:6D | i 20 insures a | 1:9S | 0:KD"
        assert net(RWS, told) == "0"
        assert net(RWS, told, insurance_life="lost_when_bust") == "-60"

    def test_3_3_the_initial_bet_is_on_the_box_or_anywhere(self) -> None:
        told = (
            "a 20@1 by Ann | b 20@2 by Bo | p 10@2 pair by Ann | 1:KC 2:7H 0:9C 1:9D 2:7C | stand 1 | stand 2"
        )
        assert "side-bet.without-main" in found(RWS, told)
        assert "side-bet.without-main" not in found(RWS, told, side_bet_needs="anywhere")
