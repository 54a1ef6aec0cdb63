"""New Zealand, Division 15 of 2000: what each clause makes of a round.

Amounts are net of the stake: ``"-20"`` is a stake of 20 lost.
"""

from __future__ import annotations

import pytest

from tests.rounds import OPEN, audited, due, found, net, noticed, replay

NZ = "nz-2000"
EIGHTS = "a 20@1 | 1:8S 0:KH 1:8D | split 1 with a2 20 on a"


class TestClause4Aces:
    """An ace is 11 unless that busts; in a doubled hand those of the initial deal count 1."""

    @pytest.mark.parametrize(
        ("told", "initial_deal", "first_two"),
        [
            (
                "1:8C 0:KH 1:8D | split 1 with a2 20 on a | 1:AC | double 1 with ad 20 on a | 1:2H | 1.2:KC",
                "40",
                "-40",
            ),
            ("1:5C 0:KH 1:3D | 1:AC | double 1 with ad 20 on a | 1:2H", "40", "40"),
            ("1:AC 0:KH 1:2D | 1:5C | double 1 with ad 20 on a | 1:3H", "-40", "-40"),
            ("1:6C 0:KH 1:4D | double 1 with ad 20 on a | 1:AH", "40", "40"),
        ],
    )
    def test_which_aces_are_fixed_by_a_double(self, told: str, initial_deal: str, first_two: str) -> None:
        """4.1(c)(ii), 12.2. The split hand beside it stands off."""
        assert net(NZ, f"a 20@1 | {told} | 0:8C") == initial_deal
        assert net(NZ, f"a 20@1 | {told} | 0:8C", fixed_aces="first_two_of_hand") == first_two


class TestClause5Outcome:
    """Higher wins, lower loses, equal stands off, 21 and Pontoon win whatever the dealer has."""

    def test_a_bust_hand_loses_though_the_dealer_busts_on_the_same_total(self) -> None:
        told = "a 20@1 | b 20@2 | 1:KC 2:9D 0:6H 1:5D 2:8D | 1:8S | stand 2 | 0:9C 0:8H"
        assert due(NZ, told) == {"a": "lose 20", "b": "win 20"}

    def test_equal_totals_stand_off(self) -> None:
        assert net(NZ, "a 20@1 | 1:KC 0:9C 1:8D | stand 1 | 0:9D") == "0"

    def test_a_wager_between_the_call_and_the_first_card_is_in_time(self) -> None:
        """5.1, 5.5."""
        told = "a 20@1 | no more bets | b 50@2 | 1:KC 2:9C 0:9S 1:8D 2:9D | stand 1 | stand 2 | 0:8C"
        assert found(NZ, told) == []
        assert noticed(NZ, told) == ["wager.late"]
        assert net(NZ, told, of="P2") == "50"

    def test_a_wager_after_the_first_card_is_late(self) -> None:
        told = "a 20@1 | 1:KC | b 50@2 | 0:9S 1:8D | stand 1 | 0:8C"
        assert found(NZ, told) == ["wager.late"]


class TestClause8And9Surrender:
    """Surrender is open from the initial deal until any further card, and costs half."""

    DEALT = "a 20@1 | b 20@2 | 1:9C 2:9D 0:KS 1:5D 2:4D"

    def test_is_open_before_anyone_draws(self) -> None:
        told = f"{self.DEALT} | surrender 2 | 1:3C | stand 1 | 0:9S"
        assert net(NZ, told, of="P2") == "-10"
        assert found(NZ, told) == []

    def test_is_over_with_the_first_card_to_anyone(self) -> None:
        late = f"{self.DEALT} | 1:3C | stand 1 | surrender 2 | 0:9S"
        assert found(NZ, late) == ["surrender.timing"]
        assert net(NZ, late, of="P2") == "-10"
        assert found(NZ, late, surrender_window="own_turn") == []
        refused = f"{self.DEALT} | 1:3C | stand 1 | 2:3D | stand 2 | 0:9S"
        assert net(NZ, refused, of="P2") == "-20"

    @pytest.mark.parametrize(
        ("option", "card"),
        [
            ("double 1 with ad 20 on a", "1:8C"),
            ("split 1 with as 20 on a", "1:8C | stand 1 | 1.2:KD | stand 1.2"),
        ],
    )
    def test_is_open_until_the_card_of_another_boxs_option(self, option: str, card: str) -> None:
        told = f"a 20@1 | b 20@2 | 1:5C 2:9D 0:KS 1:5D 2:4D | {option} | surrender 2 | {card} | 0:9S"
        assert found(NZ, told) == []

    def test_is_over_once_its_own_hand_was_doubled(self) -> None:
        told = f"{self.DEALT} | double 2 with bd 20 on b | surrender 2 | stand 1 | 2:3C | 0:9S"
        assert "surrender.timing" in found(NZ, told)

    def test_is_over_by_any_reading_once_the_hand_has_drawn(self) -> None:
        late = f"{self.DEALT} | 1:3C | stand 1 | 2:3D | surrender 2 | 0:9S"
        assert found(NZ, late, surrender_window="own_turn") == ["surrender.timing"]
        (finding,) = audited(NZ, late)
        assert finding.severity == "breach"

    def test_a_forgotten_offer_stays_open_until_the_box_draws(self) -> None:
        """16.12."""
        told = f"{self.DEALT} | 1:3C | stand 1 | irregularity option_not_offered 2 | {{}} | 0:9S"
        assert found(NZ, told.format("surrender 2")) == []
        assert found(NZ, told.format("2:3D | surrender 2")) == ["surrender.timing"]

    @pytest.mark.parametrize("where", [" 2", ""], ids=["the box", "the table"])
    def test_a_forgotten_offer_outlives_a_double_that_had_no_card(self, where: str) -> None:
        """16.12: until further cards have been dealt to the player."""
        told = (
            f"{self.DEALT} | 1:3C | stand 1 | irregularity option_not_offered{where} "
            "| double 2 with bd 20 on b | {}surrender 2 | 0:9S"
        )
        assert found(NZ, told.format("")) == []
        assert due(NZ, told.format("")) == {"a": "lose 20", "b": "surrender 10", "bd": OPEN}
        assert found(NZ, told.format("2:2C | ")) == ["surrender.timing"]

    def test_a_forgotten_offer_outlives_a_split_that_had_no_card(self) -> None:
        """16.12; what of the two wagers is given up then, no clause says."""
        told = (
            "a 20@1 | b 20@2 | 1:9C 2:8D 0:KS 1:5D 2:8C | 1:3C | stand 1 | {} "
            "| split 2 with b2 20 on b | {}surrender 2 | {} | 0:9S"
        )
        forgotten, both = "irregularity option_not_offered 2", "surrender 2.2"
        assert found(NZ, told.format(forgotten, "", both)) == []
        assert due(NZ, told.format(forgotten, "", both)) == {"a": "lose 20", "b": OPEN, "b2": OPEN}
        drawn = told.format(forgotten, "2:5D | ", "2.2:KD | stand 2.2")
        assert found(NZ, drawn) == ["surrender.after-split"]
        assert found(NZ, told.format("stand 1", "", both)) == ["surrender.after-split"]

    def test_a_dealers_pontoon_takes_the_whole_stake(self) -> None:
        """9.4."""
        assert net(NZ, "a 20@1 | 1:KC 0:KS 1:6D | surrender 1 | 0:AH") == "-20"

    def test_is_not_open_to_a_hand_over_21(self) -> None:
        """14.2: it has lost, so half of it is not to be given back; what was agreed on stays open."""
        told = f"{self.DEALT} | 1:3C | stand 1 | 2:KD | b loses 20 | surrender 2 | 0:9S"
        assert due(NZ, told)["b"] == OPEN
        assert found(NZ, told) == ["surrender.timing"]

    def test_binds_the_box(self) -> None:
        """9.6."""
        told = "a 20@1 by Ann | b 20@1 by Bo | 1:KC 0:QS 1:6D | surrender 1 only a | stand 1 | 0:9D"
        assert found(NZ, told) == ["surrender.all-players"]


class TestClause9And11HalfDollars:
    """No clause of this division rounds."""

    def test_pontoon_on_an_odd_stake(self) -> None:
        told = "sign chip 1 | a 5@1 | 1:AC 0:9S 1:KD"
        assert net(NZ, told) == "7.5"
        assert net(NZ, told, amounts="chip_down") == "7"
        assert net(NZ, told, amounts="chip_up") == "8"

    def test_surrender_of_an_odd_stake(self) -> None:
        told = "sign chip 1 | a 25@1 | 1:KC 0:KS 1:6D | surrender 1 | 0:9H"
        assert net(NZ, told) == "-12.5"

    def test_surrender_of_an_odd_stake_is_rounded_under_the_other_readings(self) -> None:
        told = "sign chip 1 | a 25@1 | 1:KC 0:KS 1:6D | surrender 1 | 0:9H"
        assert {net(NZ, told, amounts=each) for each in ("chip_down", "chip_up")} == {"-13", "-12"}

    def test_insurance_has_to_be_payable(self) -> None:
        """10.4(b): twice the insurance is a multiple of the smallest chip."""
        told = "sign chip 1 | a 25@1 | 1:KC 0:AS 1:6D | i {} insures a | stand 1 | 0:7H"
        assert found(NZ, told.format("12")) == []
        assert found(NZ, told.format("12.5")) == []
        assert found(NZ, told.format("12.25")) == ["insurance.increment"]
        assert found(NZ, told.format("13")) == ["insurance.over-half"]


class TestClause10Insurance:
    """A wager of its own on the dealer's second card."""

    TOLD = "a 20@1 | 1:KC 0:AS 1:5D | i 10 insures a | "

    @pytest.mark.parametrize(
        ("played", "lives_pontoon", "falls_pontoon", "lives_nine", "falls_nine"),
        [
            ("1:8C", "0", "-20", "-30", "-20"),
            ("surrender 1", "0", "-20", "-20", "-10"),
            ("1:6C", "40", "20", "10", "20"),
        ],
    )
    def test_lives_until_the_dealers_second_card(
        self, played: str, lives_pontoon: str, falls_pontoon: str, lives_nine: str, falls_nine: str
    ) -> None:
        """10.1, 10.6: bust, surrendered and paid hands leave it alone."""
        if played == "surrender 1":
            told = f"a 20@1 | 1:KC 0:AS 1:5D | i 10 insures a | {played}"
        else:
            told = self.TOLD + played
        assert net(NZ, f"{told} | 0:QH") == lives_pontoon
        assert net(NZ, f"{told} | 0:9H") == lives_nine
        assert net(NZ, f"{told} | 0:QH", insurance_life="falls") == falls_pontoon
        assert net(NZ, f"{told} | 0:9H", insurance_life="falls") == falls_nine

    def test_the_bar_on_pontoon_holders_goes_by_hand(self) -> None:
        """10.2."""
        told = "a 20@1 by Ann | b 20@2 by Ann | 1:AC 2:KC 0:AS 1:QD 2:6D | i 10 insures {} | stand 2 | 0:QH"
        assert net(NZ, told.format("b")) == "30"
        assert found(NZ, told.format("b")) == []
        assert found(NZ, told.format("a")) == ["insurance.pontoon-holder"]

    def test_is_open_until_a_further_card_is_dealt(self) -> None:
        """10.3: a split or double deals none, and one that was taken back has not come (16.5)."""
        dealt = "a 20@1 | b 20@2 | 1:6C 2:KD 0:AS 1:5D 2:8D"
        rest = "1:KH | stand 2 | 0:8C | a wins 20 | ad wins 20 | i loses 10 | b loses 20"
        double = "double 1 with ad 20 on a"
        assert found(NZ, f"{dealt} | {double} | i 10 insures b | {rest}") == []
        taken_back = "1:2C | irregularity other 1 | burn 1:2C"
        assert found(NZ, f"{dealt} | {taken_back} | i 10 insures b | {double} | {rest}") == []
        late = f"{dealt} | {double} | 1:KH | i 10 insures b | {rest.removeprefix('1:KH | ')}"
        assert "insurance.late" in found(NZ, late)

    def test_a_voided_hand_takes_its_insurance_with_it(self) -> None:
        """10.7."""
        told = "a 20@1 | 1:KC 0:AS 1:6D | i 10 insures a | void hand 1 | 0:QH"
        assert due(NZ, told) == {"a": "void", "i": "void"}

    def test_a_forgotten_offer_stays_open_until_the_dealers_second_card(self) -> None:
        """16.11."""
        told = "a 20@1 | 1:KC 0:AS 1:3D | 1:5C | {} i 10 insures a | stand 1 | 0:9H"
        assert found(NZ, told.format("")) == ["insurance.late"]
        assert found(NZ, told.format("irregularity option_not_offered 1 |")) == []

    @pytest.mark.parametrize(("drawn", "settled"), [("1:8C", "a loses 20"), ("1:6C", "a wins 20")])
    @pytest.mark.parametrize("fate", ["returned", "loses 10"])
    def test_where_it_falls_with_the_hand_no_second_card_is_due(
        self, drawn: str, settled: str, fate: str
    ) -> None:
        """10.1 and 10.6 let it live; 14.2 or 10.7 could take it with the hand, and then nothing is left."""
        listed = audited(NZ, f"{self.TOLD}{drawn} | {settled} | i {fate}")
        assert [(each.code, each.severity, each.depends_on) for each in listed] == [
            ("dealer.under-draw", "ambiguous", "insurance_life=falls")
        ]

    def test_a_surrender_asks_for_the_second_card_by_any_reading(self) -> None:
        listed = audited(NZ, f"{self.TOLD}surrender 1 | a surrenders 10 | i returned")
        assert [(each.code, each.severity) for each in listed] == [("dealer.under-draw", "breach")]

    def test_only_the_owner_may_insure(self) -> None:
        told = "a 20@1 | b 20@2 | 1:KC 2:KD 0:AS 1:8D 2:8C | i 10 insures a by P2 | stand 1 | stand 2 | 0:9H"
        assert found(NZ, told) == ["insurance.third-party"]


class TestClause11Table:
    """One row of the table for each winning hand, and the Super Bonus on top of it."""

    @pytest.mark.parametrize(
        ("cards", "won"),
        [("6C 7C 8D", "30"), ("6C 7C 8C", "40"), ("6S 7S 8S", "60"), ("7C 7D 7H", "30"), ("9C 7D 5S", "20")],
    )
    def test_mixed_suits_are_any_that_are_not_all_the_same(self, cards: str, won: str) -> None:
        first, second, third = cards.split()
        assert net(NZ, f"a 20@1 | 1:{first} 0:9C 1:{second} | 1:{third}") == won

    SUPER = (
        "a 10@1 by Ann | b 24.50@1 by Bo | c 25@1 by Cy | d 10@2 by Di | 1:7D 2:5H 0:7C 1:7D 2:5C | 1:7D "
        "| split 2 with d2 10 on d | 2:6C | double 2 with dd 10 on d | 2:2C | 2.2:8C 2.2:4C "
        "| stand 2.2 | 0:KD"
    )

    def test_the_super_bonus_goes_by_each_players_stake(self) -> None:
        """11.2, 11.4: a stake between the printed tiers takes the lower one."""
        assert net(NZ, self.SUPER, of="Ann") == "1020"
        assert net(NZ, self.SUPER, of="Bo") == "1049"
        assert net(NZ, self.SUPER, of="Cy") == "5050"

    def test_the_super_bonus_of_the_controller_alone(self) -> None:
        assert net(NZ, self.SUPER, of="Bo", super_bonus_winners="controller") == "99"
        assert net(NZ, self.SUPER, of="Cy", super_bonus_winners="controller") == "100"

    def test_a_stake_under_two_dollars_makes_no_winner(self) -> None:
        told = "a {}@1 | b 10@2 | 1:7D 2:KH 0:7C 1:7D 2:9C | 1:7D | stand 2 | 0:KC"
        assert due(NZ, told.format("1.99")) == {"a": "win 3.98", "b": "win 10"}
        assert due(NZ, told.format("2"))["a/super_bonus"] == "win 1000"

    def test_fifty_goes_to_each_other_wager_won_lost_or_tied(self) -> None:
        """11.3: 17 is a stand-off, 13 doubled is lost; both split wagers get 50."""
        paid = due(NZ, self.SUPER)
        assert (paid["d"], paid["d2"]) == ("lose 10", "stand_off")
        assert [wager for wager in paid if wager.endswith("/bonus")] == ["d/bonus", "d2/bonus"]

    @pytest.mark.parametrize(
        ("reading", "wagers"),
        [("per_original", {"d"}), ("main_and_split", {"d", "d2"}), ("with_side_bets", {"d", "d2", "dd"})],
    )
    def test_how_many_fifties_by_reading(self, reading: str, wagers: set[str]) -> None:
        paid = due(NZ, self.SUPER, other_wagers_bonus=reading)
        assert {wager.removesuffix("/bonus") for wager in paid if wager.endswith("/bonus")} == wagers

    def test_a_forfeited_wager_gets_its_fifty(self) -> None:
        told = (
            "a 10@1 | b 10@2 | 1:7D 2:6H 0:7C 1:7D 2:5C | 1:7D | double 2 with bd 10 on b | 2:2C | forfeit b"
        )
        assert due(NZ, told)["b/bonus"] == "win 50"

    def test_splitting_excludes_the_super_bonus(self) -> None:
        """13.6."""
        told = "a 25@1 | 1:7D 0:7C 1:7H | split 1 with a2 25 on a | 1:7D 1:7D | 1.2:KC | stand 1.2 | 0:KD"
        assert "a/super_bonus" not in due(NZ, told)

    def test_doubling_excludes_only_those_who_doubled(self) -> None:
        """12.5, 12.6."""
        told = "a 25@1 by Ann | b 25@1 by Bo | 1:7D 0:7C 1:7D | double 1 with ad 25 on a | 1:7D"
        paid = due(NZ, told)
        assert paid["a"] == paid["ad"] == "win 25"
        assert (paid["b"], paid["b/super_bonus"]) == ("win 50", "win 5000")


class TestClause12Double:
    """One card, even money for those who doubled; the others keep their own total and odds."""

    def test_a_co_wagerer_keeps_an_ace_at_11(self) -> None:
        """12.2, 12.6."""
        told = "a 20@1 by Ann | b 30@1 by Bo | 1:AC 0:KH 1:4D | double 1 with ad 20 on a | 1:6S | 0:QD"
        assert net(NZ, told, of="Ann") == "-40"
        assert net(NZ, told, of="Bo") == "30"
        assert net(NZ, told, of="Bo", co_wagerer_not_doubling_total="same") == "-30"

    def test_a_co_wagerer_keeps_the_table_odds(self) -> None:
        told = "a 20@1 by Ann | b 30@1 by Bo | 1:2C 0:KH 1:3D | 1:4S 1:2H | double 1 with ad 20 on a | 1:KS"
        assert net(NZ, told, of="Ann") == "40"
        assert net(NZ, told, of="Bo") == "45"
        assert net(NZ, told, of="Bo", co_wagerer_not_doubling_odds="even") == "30"

    @pytest.mark.parametrize(
        ("second", "held_beats_21", "held"), [("0:QD", "-20", "-20"), ("0:3D 0:7C", "40", "0")]
    )
    def test_a_doubled_21_wins_at_once(self, second: str, held_beats_21: str, held: str) -> None:
        """9.2, 12.5; the other readings hold it for the dealer."""
        told = (
            "a 20@1 | b 20@2 | 1:6C 2:KC 0:AH 1:5D 2:8C | double 1 with ad 20 on a | 1:KS "
            f"| stand 2 | {second}"
        )
        assert net(NZ, told, of="P1") == "40"
        assert net(NZ, told, of="P1", doubled_21="held_beats_21") == held_beats_21
        assert net(NZ, told, of="P1", doubled_21="held") == held

    def test_a_late_payment_of_a_doubled_21_is_a_notice(self) -> None:
        dealt = "a 20@1 | b 20@2 | 1:6C 2:9C 0:9H 1:5D 2:5C | double 1 with ad 20 on a | 1:KS"
        told = f"{dealt} | 2:4C | stand 2 | 0:8D | a wins 20 | ad wins 20"
        assert found(NZ, told) == []
        assert "interim.twenty-one-unpaid" in noticed(NZ, told)

    def test_a_late_payment_of_who_did_not_double_is_none(self) -> None:
        """12.6: his hand is paid at the odds of 11.1, as 9.2 has it, whatever the doubled one comes to."""
        dealt = (
            "a 20@1 by Ann | c 20@1 by Cy | b 20@2 | 1:{}C 2:9C 0:9H 1:{}D 2:5C | double 1 with ad 20 on a "
            "| 1:{}S | 2:4C | stand 2 | 0:8D | c wins 20"
        )
        for cards in (("6", "5", "K"), ("A", "4", "6")):
            assert found(NZ, dealt.format(*cards)) == ["interim.twenty-one-unpaid"]

    def test_a_five_card_21_of_a_doubled_split_hand_pays_even_money(self) -> None:
        """12.5 before 13.5."""
        told = (
            "a 20@1 | 1:2C 0:8H 1:2D | split 1 with a2 20 on a | 1:3C 1:4C 1:2H "
            "| double 1 with ad 20 on a | 1:KS "
            "| 1.2:KC 1.2:6C | stand 1.2 | 0:QC"
        )
        assert due(NZ, told) == {"a": "win 20", "a2": "stand_off", "ad": "win 20"}

    def test_a_bust_double_is_lost_at_the_bust(self) -> None:
        """14.2."""
        told = (
            "a 20@1 | b 20@2 | 1:5C 2:KC 0:AH 1:4D 2:8C | 1:3C | double 1 with ad 20 on a | 1:KS "
            "| stand 2 | 0:QS"
        )
        assert net(NZ, told, of="P1") == "-40"
        assert net(NZ, told, of="P1", doubled_bust_dealer_pontoon="original_only") == "-20"

    @pytest.mark.parametrize("doubled", ["20", "5"])
    def test_a_forfeit_costs_the_original_stake(self, doubled: str) -> None:
        """12.8."""
        told = f"a 20@2 | 2:7C 0:9H 2:4D | double 2 with ad {doubled} on a | 2:3C | forfeit a"
        assert net(NZ, told) == "-20"
        assert found(NZ, told) == []

    def test_a_forfeit_after_a_further_card_is_too_late(self) -> None:
        dealt = "a 20@2 | b 20@3 | 2:7C 3:9C 0:9H 2:4D 3:4C | double 2 with ad 20 on a | 2:3C | 3:7D"
        assert found(NZ, f"{dealt} | stand 3 | forfeit a | 0:KD") == ["forfeit.eligibility"]
        assert net(NZ, f"{dealt} | stand 3 | 0:KD", of="P2") == "-40"

    @pytest.mark.parametrize(
        "taken_back",
        [
            "2:KC | irregularity other 2 | burn 2:KC | 2:5D",
            "2:5D | 2:3C | burn 2:3C",
            "2:5D | 0:3C | burn 0:3C",
            "2:5D | 3:2C | burn 3:2C",
        ],
        ids=["the double's", "a second one", "the dealer's", "another box's"],
    )
    def test_a_card_that_was_burned_off_its_hand_closes_no_forfeit(self, taken_back: str) -> None:
        """12.8 with 16.5: as though it had not been drawn."""
        dealt = "a 20@2 | b 20@3 | 2:7C 3:9C 0:9H 2:4D 3:8C | double 2 with ad 20 on a"
        told = f"{dealt} | {taken_back} | {{}}forfeit a | stand 3 | 0:8S"
        assert "forfeit.eligibility" not in found(NZ, told.format(""))
        assert due(NZ, told.format(""))["a"] == "forfeit 20"
        assert "forfeit.eligibility" in found(NZ, told.format("3:2H | "))

    def test_a_late_forfeit_that_the_table_did_not_give_takes_and_returns_nothing(self) -> None:
        """12.8: open until a further card is drawn; then the hand is played out."""
        dealt = "a 20@2 | b 20@3 | 2:7C 3:9C 0:9H 2:4D 3:4C | double 2 with ad 20 on a | 2:3C | 3:7D"
        told = f"{dealt} | stand 3 | forfeit a | {{}} | a {{}} 20 | ad {{}} 20 | b {{}}"
        lost, won = ("0:KD", "loses", "loses", "wins 20"), ("0:6D 0:8S", "wins", "wins", "wins 20")
        for dealer, on_a, on_ad, on_b in (lost, won):
            assert found(NZ, told.format(dealer, on_a, on_ad, on_b)) == ["forfeit.eligibility"]
        given = f"{dealt} | stand 3 | forfeit a | 0:KD | a forfeits 20 | ad returned | b wins 20"
        assert found(NZ, given) == ["forfeit.eligibility"]

    def test_a_forfeit_in_time_gives_the_doubled_portion_back(self) -> None:
        told = (
            "a 20@2 | 2:7C 0:9H 2:4D | double 2 with ad 20 on a | 2:3C | forfeit a | a loses 20 | ad loses 20"
        )
        assert "settle.forfeit" in found(NZ, told)

    def test_a_forfeit_at_21_is_a_notice(self) -> None:
        told = "a 20@1 | 1:6C 0:9H 1:5D | double 1 with ad 20 on a | 1:KS | forfeit a"
        assert net(NZ, told) == "-20"
        assert noticed(NZ, told) == ["forfeit.eligibility"]

    def test_a_double_is_at_least_one_increment(self) -> None:
        """12.3."""
        told = "sign multiples 5 | a 20@1 | 1:6C 0:9H 1:5D | double 1 with ad {} on a | 1:8S | 0:9C"
        assert found(NZ, told.format("5")) == []
        assert found(NZ, told.format("4")) == ["double.stake"]


class TestClause13Split:
    """Three hands; a dealer's Pontoon takes the original wager where it lies."""

    @pytest.mark.parametrize(
        ("first", "second", "third", "stack", "cap", "plus_one"),
        [
            ("live", "live", None, "-20", "-20", "-20"),
            ("bust", "live", None, "-20", "-20", "-40"),
            ("live", "bust", None, "-40", "-20", "-40"),
            ("live", "bust", "live", "-40", "-20", "-40"),
            ("21", "live", "live", "10", "10", "10"),
            ("21", "bust", "live", "-10", "10", "-10"),
            ("21", "live", None, "10", "10", "10"),
        ],
    )
    def test_what_a_dealers_pontoon_takes(
        self, first: str, second: str, third: str | None, stack: str, cap: str, plus_one: str
    ) -> None:
        """13.7, 13.8, 14.2; a hand of 6, 7 and 8 has already been paid 30."""
        ends = {"bust": "{0}:6C {0}:9H", "live": "{0}:KS | stand {0}", "21": "{0}:6C {0}:7H"}
        told = EIGHTS if third is None else f"{EIGHTS} | 1:8C | split 1 with a3 20 on a"
        told += f" | {ends[first].format('1.1')}"
        if third is not None:
            told += f" | {ends[third].format('1.3')}"
        told += f" | {ends[second].format('1.2')} | 0:AD"
        assert net(NZ, told) == stack
        assert net(NZ, told, dealer_pontoon_split="original_cap") == cap
        assert net(NZ, told, dealer_pontoon_split="busted_plus_one") == plus_one

    def test_split_and_doubled_loses_one_original_wager(self) -> None:
        """12.7 with 13.7."""
        told = f"{EIGHTS} | 1:3S | double 1 with ad 20 on a | 1:7C | 1.2:9C | stand 1.2 | 0:AD"
        assert net(NZ, told) == "-20"
        assert net(NZ, told, dealer_pontoon_double="original_per_hand") == "-40"
        assert net(NZ, told, dealer_pontoon_double="all", dealer_pontoon_split="all") == "-60"

    def test_a_bust_hand_leaves_the_other_to_be_played(self) -> None:
        """14.2 says box and means hand."""
        told = "a 20@1 | 1:8S 0:7H 1:8D | split 1 with a2 20 on a | 1:6C 1:9H | 1.2:KC | stand 1.2 | 0:JD"
        assert due(NZ, told) == {"a": "lose 20", "a2": "win 20"}

    @pytest.mark.parametrize(
        ("assigned", "net_of_bo"), [("", "-20"), ("assign b 1.1", "-20"), ("assign b 1.2", "30")]
    )
    def test_a_co_wagerer_who_does_not_split_chooses_his_hand(self, assigned: str, net_of_bo: str) -> None:
        """15.3(d): the first by default."""
        told = (
            f"a 20@1 by Ann | b 20@1 by Bo | 1:8S 0:9H 1:8D | split 1 with a2 20 on a | {assigned} "
            "| 1:KC | stand 1 | 1.2:6C 1.2:7D | 0:5D 0:6H"
        )
        assert net(NZ, told, of="Bo") == net_of_bo
        assert found(NZ, told) == []

    def test_three_hands_and_no_fourth(self) -> None:
        """13.4(a)."""
        three = "a 5@1 | 1:8S 0:6H 1:8D | split 1 with b 5 on a | 1:8C | split 1 with c 5 on a"
        ends = "1:KS | stand 1 | 1.3:KH | stand 1.3 | 1.2:KD | stand 1.2 | 0:KC 0:9C"
        assert found(NZ, f"{three} | {ends}") == []
        fourth = f"{three} | 1:8H | split 1 with d 5 on a | 1:KS | stand 1 | 1.4:KC | stand 1.4"
        rest = "1.3:KH | stand 1.3 | 1.2:KD | stand 1.2 | 0:KC 0:9C"
        assert found(NZ, f"{fourth} | {rest}") == ["split.too-many-hands"]


class TestClause14Dealer:
    """The dealer's second card is always in order, a third only while it can matter."""

    def test_a_second_card_with_nothing_live_is_either_way_in_order(self) -> None:
        """8.5 against 14.4."""
        bust = "a 20@1 | 1:KC 0:8H 1:6D | 1:9C"
        assert net(NZ, bust) == "-20"
        assert found(NZ, bust) == found(NZ, f"{bust} | 0:9D") == []
        assert found(NZ, f"{bust} | 0:2D 0:9C") == ["dealer.needless-draw"]
        assert found(NZ, f"{bust} | 0:9D", dealer_second_card_idle="forbidden") == ["dealer.needless-draw"]

    def test_the_second_card_is_due_for_a_surrender(self) -> None:
        told = "a 20@1 | 1:KC 0:KH 1:6D | surrender 1"
        assert found(NZ, f"{told} | a surrenders 10") == ["dealer.under-draw"]
        assert net(NZ, told) == OPEN

    def test_a_joker_leaves_the_total_open(self) -> None:
        """It has no value that could be below 12 (4.1)."""
        told = "a 20@1 | 1:JK 0:9H 1:KC | stand 1 | 0:8D"
        assert found(NZ, told) == ["deck.foreign-card"]
        assert due(NZ, told) == {"a": OPEN}

    def test_a_hand_on_11_or_less_is_drawn_to(self) -> None:
        """14.1(d), best total."""
        assert found(NZ, "a 20@1 | 1:5C 0:9H 1:4D | stand 1 | 0:8C") == ["draw.below-12"]
        assert found(NZ, "a 20@1 | 1:AC 0:9H 1:2D | stand 1 | 0:8C") == []


class TestClause16Irregularities:
    """Rebuild where possible, else void; a refused exposed card leaves a low hand standing."""

    def test_a_refused_exposed_card_leaves_the_hand_where_it_is(self) -> None:
        """16.4: the king becomes the dealer's second card."""
        told = "a 20@1 | 1:5C 0:6H 1:4D | irregularity exposed_card 1 | stand 1 | 0:KC 0:8D"
        assert net(NZ, told) == "20"
        assert found(NZ, told) == []

    TWO = "a 20@1 | b 20@2 | 1:5C 2:9C 0:6H 1:4D 2:5D"

    @pytest.mark.parametrize(
        "reported",
        ["exposed_card", "exposed_card 0", "exposed_card 1 | irregularity exposed_card 2"],
        ids=["the table", "the dealer", "each box"],
    )
    @pytest.mark.parametrize("stands", ["stand 1 | stand 2 | 0:KC", "0:KC | stand 1 | stand 2", "0:KC"])
    def test_what_the_players_refuse_is_the_dealers_second_card_in_time(
        self, reported: str, stands: str
    ) -> None:
        """16.4: who refuses has no card to come, on 9 as on 14, and the dealer is not early."""
        told = f"{self.TWO} | irregularity {reported} | {stands} 0:8D"
        if "stand 2" in stands.partition("0:KC")[2]:
            told = f"{self.TWO} | irregularity {reported} | {stands} | 0:8D"
        assert found(NZ, told) == []
        assert due(NZ, told) == {"a": "win 20", "b": "win 20"}

    def test_a_card_that_nobody_reported_is_early(self) -> None:
        told = f"{self.TWO} | 1:8C | stand 1 | {{}}0:KC | {{}}stand 2 | 0:8D"
        for placed in (
            ("", ""),
            ("", "irregularity exposed_card 2 | "),
            ("irregularity exposed_card 1 | ", ""),
        ):
            assert found(NZ, told.format(*placed)) == ["dealer.early-second-card"]
        assert found(NZ, told.format("irregularity exposed_card 2 | ", "")) == []
        assert found("act-2018", told.format("irregularity exposed_card 2 | ", "")) == [
            "dealer.early-second-card"
        ]

    def test_a_card_dealt_after_it_shows_that_somebody_was_not_asked(self) -> None:
        told = f"{self.TWO} | irregularity exposed_card 1 | 0:KC | 2:2C | stand 2 | 0:8D"
        assert found(NZ, told) == ["dealer.early-second-card"]
        assert due(NZ, told) == {"a": OPEN, "b": OPEN}

    @pytest.mark.parametrize("void", ["void hand 1", "void wager a", "void round"])
    def test_a_misdeal_is_put_right_by_what_is_void(self, void: str) -> None:
        """16.5: the hand, and any wagers on it."""
        told = "a 20@1 | b 20@2 | 1:9C 2:KD 0:7H 2:9D 1:8C | irregularity short_hand 1 | {}stand 2 | 0:KD"
        assert "irregularity.unresolved" not in found(NZ, told.format(f"{void} | "))
        assert "irregularity.unresolved" in found(NZ, told.format("stand 1 | "))
        assert "irregularity.unresolved" in found(NZ, told.format("void wager b | stand 1 | "))

    def test_a_void_round_reverses_what_was_paid_and_collected(self) -> None:
        """16.5."""
        told = "a 20@1 | b 20@2 | c 20@3 | 1:AC 2:KD 3:5D 0:6H 1:KC 2:5C 3:4C | a wins 30 | 2:9H | void round"
        assert due(NZ, told) == {"a": "void", "b": "void", "c": "void"}

    @pytest.mark.parametrize("on_the_other", ["a2 wins 20 | a3 wins 20", "a2 voided | a3 voided"])
    def test_a_void_hand_leaves_open_those_split_off_it(self, on_the_other: str) -> None:
        """16.5 makes void the wagers on the hand; ruling 10 lets split wagers go with the main one."""
        told = (
            f"{EIGHTS} | 1:KC | stand 1 | 1.2:8H | split 1.2 with a3 20 on a | void hand 1 "
            f"| 1.2:KD | stand 1.2 | 1.3:QD | stand 1.3 | 0:7C | a voided | {on_the_other}"
        )
        assert due(NZ, told) == {"a": "void", "a2": OPEN, "a3": OPEN}
        assert not [code for code in found(NZ, told) if code.startswith("settle.")]
        assert due("act-2018", told) == {"a": "void", "a2": "void", "a3": "void"}

    def test_a_void_second_hand_leaves_the_first_as_it_is(self) -> None:
        told = f"{EIGHTS} | 1:KC | stand 1 | 1.2:QH | void hand 1.2 | 0:7C"
        assert due(NZ, told) == {"a": "win 20", "a2": "void"}

    def test_a_void_hand_leaves_the_others_as_they_are(self) -> None:
        told = (
            "a 20@1 | b 20@2 | c 20@3 | 1:AC 2:KD 3:5D 0:6H 1:KC 2:5C 3:4C | a wins 30 | 2:9H | b loses 20 "
            "| void hand 3"
        )
        assert due(NZ, told) == {"a": "win 30", "b": "lose 20", "c": "void"}
        assert found(NZ, told) == []

    def test_an_extra_round_past_the_cutting_card_stands(self) -> None:
        """8.7, 8.8, 16.9: the shuffle is missed, the wagers are settled."""
        first = "round 8 | a 20@1 | 1:KC 0:9H 1:8D | stand 1 | cut card | 0:8C"
        extra = "round 9 | a 20@1 | 1:KD 0:9D 1:6D | stand 1 | 0:8D | a loses 20"
        assert [each.code for each in audited(NZ, first, extra)] == ["shoe.shuffle-due"]
        last = "last rounds | " + extra
        assert [each.code for each in audited(NZ, first, last)] == ["shoe.shuffle-due"]


class TestClause15NobodyPresent:
    """15.3(a), 16.6: with the controlling player away the hand is dealt to 12 or more and stands."""

    @pytest.mark.parametrize(("dealer", "won"), [("0:KD 0:9C", "50"), ("0:KD 0:AC", "-50")])
    def test_the_hand_stands_at_12(self, dealer: str, won: str) -> None:
        told = (
            "a 10@1 by Ann | b 50@1 by Bo | 1:8C 0:6H 1:3D | irregularity absent_player 1 | 1:2C | stand 1 "
            f"| {dealer}"
        )
        assert net(NZ, told, of="Bo") == won
        assert found(NZ, told) == []


class TestClause11FirstCardUnread:
    """11.2 turns on the dealer's first card: where nobody could read it, the Super Bonus is open."""

    DEALT = "a {}@1 | b 20@2 | 1:7H 2:KC 0:{} 1:7H 2:9C | 1:7H | stand 2 | 0:KD"

    def test_a_super_bonus_paid_accuses_nobody(self) -> None:
        told = self.DEALT.format("25", "??") + " | a gets super_bonus 5000 | b gets bonus 50"
        assert due(NZ, told)["a/super_bonus"] == due(NZ, told)["b/bonus"] == OPEN
        assert found(NZ, told) == []

    def test_nor_does_one_that_was_not_paid(self) -> None:
        assert found(NZ, self.DEALT.format("25", "??")) == []

    @pytest.mark.parametrize(("stake", "first"), [("25", "8C"), ("1.5", "??")])
    def test_where_none_can_be_due_it_is_not_to_be_paid(self, stake: str, first: str) -> None:
        told = self.DEALT.format(stake, first) + " | a gets super_bonus 1000"
        assert found(NZ, told) == ["bonus.super"]


class TestClause14CardUnread:
    """14.2: a hand over 21 without its unread card has lost, and one of 21 without it is over 21."""

    @pytest.mark.parametrize("cards", ["1:5H 1:6S", "1:KH 1:2S", "1:9S 1:2H 1:3S"])
    def test_a_hand_of_21_or_more_beside_a_card_nobody_read_has_lost(self, cards: str) -> None:
        told = f"a 20@1 | 1:KC 0:5S 1:?? | {cards} | a loses 20 | 0:9D"
        assert due(NZ, told) == {"a": "lose 20"}
        assert found(NZ, told) == []

    def test_below_that_it_is_open(self) -> None:
        assert due(NZ, "a 20@1 | 1:KC 0:5S 1:?? | 1:5H | stand 1 | 0:9D 0:9C") == {"a": OPEN}

    def test_a_doubled_hand(self) -> None:
        told = "a 20@1 | 1:5C 0:9S 1:7D | 1:?? 1:3H | double 1 with ad 20 on a | 1:6H | a loses 20"
        assert due(NZ, told) == {"a": "lose 20", "ad": "lose 20"}
        assert found(NZ, told) == []


class TestClause8CardMissing:
    """8.2: a wager was settled on a box that got no second card, and nothing else followed."""

    @pytest.mark.parametrize(
        ("dealt", "lacking"),
        [
            ("1:AC 0:KH | a wins 30", [1]),
            ("1:9C 0:7H | a loses 20", [1]),
            ("1:AC 1:KC | a wins 30", [0]),
            ("1:9C | a loses 20", [1, 0]),
        ],
    )
    def test_the_card_is_missing_and_not_the_dealers_second(self, dealt: str, lacking: list[int]) -> None:
        missed = audited(NZ, f"a 20@1 | {dealt}")
        assert [(each.code, each.box) for each in missed] == [("deal.missing-card", box) for box in lacking]
        assert {each.severity for each in missed} == {"indeterminate"}

    def test_a_hand_with_a_card_missing_was_not_left_below_12(self) -> None:
        """14.1(d): what it lacks may have made it more."""
        told = "a 20@1 | b 20@2 | 1:9C 2:KD 0:7H 2:2D | 2:7D | stand 2 | 1:2C | stand 1 | 0:KC"
        assert "draw.below-12" not in found(NZ, told)
        assert due(NZ, told) == {"a": OPEN, "b": "win 20"}
        split = "a 20@1 | 1:8C 0:7H | split 1 with s 20 on a | 1:KC | stand 1 | 1.2:2D | stand 1.2 | 0:KD"
        assert found(NZ, split) == ["deal.missing-card"]
        whole = split.replace("0:7H", "0:7H 1:8D")
        assert found(NZ, whole) == ["draw.below-12"]

    @pytest.mark.parametrize(
        ("did", "code"),
        [("surrender 1", "surrender.timing"), ("i 10 insures a | stand 1", "insurance.no-ace")],
    )
    def test_where_the_dealers_first_card_is_missing_nothing_shows_what_it_was(
        self, did: str, code: str
    ) -> None:
        """9.3, 10.3: it may have lain there; not where the table says that it did not."""
        told = f"a 20@1 | 1:KC 1:6D | {{}}{did} | 0:AD 0:7C"
        assert found(NZ, told.format("")) == ["deal.missing-card"]
        assert due(NZ, told.format(""))["a"] == OPEN
        assert code in found(NZ, told.format("irregularity missed_first_card | "))
        assert code in found(NZ, f"a 20@1 | 1:KC | {did} | 0:AD 1:6D | 0:7C")

    def test_a_pontoon_beside_it_is_still_due(self) -> None:
        assert due(NZ, "a 20@1 | 1:AC 1:KC | a wins 30") == {"a": "win 30"}

    def test_a_box_that_awaits_its_card_lacks_none(self) -> None:
        """The log stops in the initial deal, after a Pontoon paid too early."""
        told = "a 20@1 | b 20@2 | 1:AC 2:9C 0:7H 1:KC | a wins 30"
        assert [each.code for each in replay(NZ, told).findings] == ["record.incomplete"]

    def test_nor_does_one_whose_settlement_was_undone(self) -> None:
        told = "a 20@1 | 1:9C 0:7H | a loses 20 | undo a"
        assert [each.code for each in replay(NZ, told).findings] == ["record.incomplete"]

    @pytest.mark.parametrize("void", ["void round", "void hand 1", "void wager a"])
    def test_a_box_that_is_void_is_owed_none(self, void: str) -> None:
        """16.5."""
        assert found(NZ, f"a 20@1 | 1:9C 0:7H | {void} | a voided") == []


class TestClause12And13Together:
    """A shared box, a split, a double and a dealer's Pontoon in one round: each player bears one wager."""

    @pytest.mark.parametrize(
        ("told", "wanted"),
        [
            (
                f"{EIGHTS} | 1:3C | double 1 with ad 20 on a | 1:7C | forfeit a | 1.2:KD | stand 1.2 | 0:AC",
                {"a": "forfeit 20", "ad": "returned", "a2": "returned"},
            ),
            (
                f"{EIGHTS} | 1:KC | 1.2:3D | double 1.2 with ad 20 on a2 | 1.2:7C | forfeit a2 | 0:AS",
                {"a": "lose 20", "a2": "forfeit 20", "ad": "returned"},
            ),
            (
                f"{EIGHTS} | 1:3S | double 1 with ad 20 on a | 1:KC | 1.2:9C | stand 1.2 | 0:AD",
                {"a": "win 20", "ad": "win 20", "a2": "lose 20"},
            ),
            (
                (
                    "a 20@1 by Ann | b 30@1 by Bo | 1:8S 0:KH 1:8D | split 1 with a2 20 on a, b2 30 on b "
                    "| 1:6C 1:9H | 1.2:KC | stand 1.2 | 0:AD"
                ),
                {"a": "lose 20", "a2": "returned", "b": "lose 30", "b2": "returned"},
            ),
            (
                (
                    "a 20@1 by Ann | b 30@1 by Bo | 1:8S 0:KH 1:8D | split 1 with a2 20 on a | assign b 1.2 "
                    "| 1:6C 1:9H | 1.2:KC | stand 1.2 | 0:AD"
                ),
                {"a": "lose 20", "a2": "returned", "b": "lose 30"},
            ),
            (
                "a 20@1 by Ann | b 30@1 by Bo | 1:AC 0:KH 1:2D | double 1 with ad 20 on a | 1:5S | 0:AD",
                {"a": "lose 20", "ad": "returned", "b": "lose 30"},
            ),
        ],
        ids=[
            "the original forfeited",
            "a split hand forfeited",
            "the original won as a doubled 21",
            "both split",
            "one stays on the second hand",
            "one does not double",
        ],
    )
    def test_a_dealers_pontoon_takes_one_wager_of_each(self, told: str, wanted: dict[str, str]) -> None:
        """12.7, 12.8, 13.7, 13.8, 15.3(d)."""
        assert due(NZ, told) == wanted
        assert found(NZ, told) == []

    def test_two_readings_in_one_round_are_named_each_where_it_clears_somebody(self) -> None:
        """14.2 with 12.7 and 13.7: the first hand doubled and over 21, the second live."""
        told = f"{EIGHTS} | 1:6C | double 1 with ad 20 on a | 1:9H{{}} | 1.2:KC | stand 1.2 | 0:AD{{}}"
        assert due(NZ, told.format("", "")) == {"a": "lose 20", "ad": "lose 20", "a2": "returned"}
        for ad, a2, code, reading in (
            ("returned", "returned", "settle.double", "doubled_bust_dealer_pontoon=original_only"),
            ("loses 20", "loses 20", "settle.outcome", "dealer_pontoon_split=busted_plus_one"),
        ):
            (finding,) = audited(NZ, told.format(f" | a loses 20 | ad {ad}", f" | a2 {a2}"))
            assert (finding.code, finding.severity, finding.depends_on) == (code, "ambiguous", reading)
