"""Resorts World Sentosa, Pontoon Pandemonium of 2017: what each clause makes of a round.

Amounts are net of the stake: ``"-20"`` is a stake of 20 lost.
"""

from __future__ import annotations

import pytest

from tests.rounds import OPEN, audited, due, findings, found, net, noticed, replay

RWS = "rws-2017"
FIFTIES = "a 50@1 | 1:8S 0:KH 1:8D | split 1 with a2 50 on a"


class TestClause3_3And3_7PlayerPair:
    """Player Pair pays 11 to 1 for two cards of one number or picture; it needs its own initial bet."""

    @pytest.mark.parametrize(
        ("cards", "won"),
        [("AS AD", "110"), ("KS KD", "110"), ("7S 7S", "110"), ("KS QD", "-10"), ("7S 8S", "-10")],
    )
    def test_what_is_a_pair(self, cards: str, won: str) -> None:
        first, second = cards.split()
        told = (
            f"a 20@1 by Ann | p 10@1 pair by Ann | b 20@2 | 1:{first} 2:KC 0:9C 1:{second} 2:9H "
            "| stand 2 | 0:8D"
        )
        assert due(RWS, told)["p"] == (f"win {won}" if won == "110" else "lose 10")

    def test_on_a_box_without_ones_own_bet_is_reported_and_settled(self) -> None:
        """3.3 has no words that void it."""
        told = (
            "a 20@1 by Ann | b 20@2 by Bo | p 10@2 pair by Ann | 1:KC 2:7C 0:9C 1:9H 2:7D | stand 1 | stand 2"
        )
        assert due(RWS, f"{told} | 0:8D")["p"] == "win 110"
        assert found(RWS, f"{told} | 0:8D") == ["side-bet.without-main"]
        assert found(RWS, f"{told} | 0:8D", side_bet_needs="anyone") == []

    def test_is_settled_before_play_goes_on(self) -> None:
        told = "a 20@1 | p 10@1 pair | 1:7C 0:9C 1:7D | 1:3C | stand 1 | 0:8D | p wins 110"
        assert found(RWS, told) == ["side-bet.settled-late"]


class TestClause3_8Pandemonium:
    """A Pontoon with a Pandemonium bet wins the multiplier the player's own press shows."""

    def test_pays_the_multiplier_to_one(self) -> None:
        told = "a 20@1 | j 10@1 pandemonium | 1:AC 0:9C 1:KD | press 1 25"
        assert net(RWS, told) == "280"
        assert due(RWS, told)["j"] == "win 250"

    def test_each_box_has_its_press(self) -> None:
        told = (
            "a 20@1 by Ann | b 20@2 by Ann | j 10@1 pandemonium by Ann | k 10@2 pandemonium by Ann "
            "| 1:AC 2:AD 0:9C 1:KD 2:QD | press 1 5 | press 2 50"
        )
        assert {wager: due(RWS, told)[wager] for wager in "jk"} == {"j": "win 50", "k": "win 500"}

    @pytest.mark.parametrize("named", ["", " for j", " for k", " for a"])
    def test_one_press_speaks_for_every_wager_on_the_box(self, named: str) -> None:
        """3.8.1: all winning wagers for that player's box, whichever the recorder named."""
        told = (
            "a 20@1 by Ann | b 20@1 by Bo | j 10@1 pandemonium by Ann | k 4@1 pandemonium by Bo "
            f"| 1:AC 0:9C 1:KD | press 1 25{named}"
        )
        assert found(RWS, told) == []
        assert due(RWS, told) == {"a": "win 30", "b": "win 30", "j": "win 250", "k": "win 100"}

    def test_a_press_of_its_own_speaks_for_a_wager_alone(self) -> None:
        told = (
            "a 20@1 by Ann | b 20@1 by Bo | j 10@1 pandemonium by Ann | k 4@1 pandemonium by Bo "
            "| 1:AC 0:9C 1:KD | press 1 25 for j | press 1 5 for k"
        )
        assert found(RWS, told) == []
        assert due(RWS, told) == {"a": "win 30", "b": "win 30", "j": "win 250", "k": "win 20"}

    @pytest.mark.parametrize(("paid", "reading"), [("50", "jackpot_press=each_player"), ("100", None)])
    def test_the_first_press_of_a_player_could_be_that_for_all_his_boxes(
        self, paid: str, reading: str | None
    ) -> None:
        """3.8.1: "once only". With 10 each, 5 and then 50: 50 and 500, or 50 and 50."""
        told = (
            "a 20@1 by Ann | b 20@2 by Ann | j 10@1 pandemonium by Ann | k 10@2 pandemonium by Ann "
            f"| 1:AC 2:AD 0:9C 1:KD 2:QD | press 1 5 | press 2 50 | j wins 50 | k wins {paid}"
        )
        (finding,) = audited(RWS, told)
        assert (finding.code, finding.depends_on) == ("settle.jackpot", reading)
        assert finding.severity == ("breach" if reading is None else "ambiguous")

    def test_two_presses_at_one_box_leave_it_open_under_either(self) -> None:
        told = "a 20@1 | j 10@1 pandemonium | 1:AC 0:9C 1:KD | press 1 5 | press 1 50"
        assert due(RWS, told, jackpot_press="each_player")["j"] == OPEN

    @pytest.mark.parametrize(
        ("pressed", "code"),
        [
            ("", "jackpot.press"),
            ("press 1 5 | press 1 50", "jackpot.press"),
            ("press 1 7", "jackpot.multiplier"),
        ],
    )
    def test_no_press_two_presses_or_an_unknown_multiplier_leave_it_open(
        self, pressed: str, code: str
    ) -> None:
        told = f"a 20@1 | j 10@1 pandemonium | 1:AC 0:9C 1:KD | {pressed}"
        assert due(RWS, told)["j"] == OPEN
        assert found(RWS, told) == [code]

    def test_loses_without_a_pontoon(self) -> None:
        told = "a 20@1 | j 10@1 pandemonium | 1:KC 0:9C 1:9D | stand 1 | 0:8D"
        assert due(RWS, told)["j"] == "lose 10"


class TestClause3_5And3_11Soft21:
    """Any 21 is paid at once and takes no further card."""

    def test_a_soft_21_is_paid(self) -> None:
        assert net(RWS, "a 20@1 | 1:AC 0:9C 1:2D | 1:8H") == "20"

    def test_a_card_after_it_changes_nothing(self) -> None:
        played_on = "a 20@1 | 1:AC 0:9C 1:2D | 1:8H 1:5C 1:5D"
        assert net(RWS, played_on) == "20"
        assert found(RWS, played_on) == ["draw.on-21"]


class TestClause3_9Insurance:
    """Up to half of one's own bet, paid 2 to 1 on a dealer's Pontoon, whatever became of the hand."""

    def test_is_paid_beside_the_main_bet_lost(self) -> None:
        told = "a 100@1 | 1:KC 0:AC 1:8D | i 50 insures a | stand 1 | 0:KD"
        assert net(RWS, told) == "0"

    def test_survives_a_bust(self) -> None:
        """3.16 takes the wagers on the hand."""
        bust = "a 40@1 | 1:KC 0:AC 1:6D | i 20 insures a | 1:9S"
        assert net(RWS, f"{bust} | 0:KD") == "0"
        assert net(RWS, f"{bust} | 0:KD", insurance_life="falls") == "-40"
        assert found(RWS, f"{bust} | 0:KD") == []
        assert net(RWS, bust) == OPEN

    @pytest.mark.parametrize(("second", "won"), [("KD", "250"), ("9D", "100")])
    def test_by_a_pontoon_holder_is_reported_and_paid(self, second: str, won: str) -> None:
        told = f"a 100@1 | 1:KC 0:AC 1:AD | a wins 150 | i 50 insures a | 0:{second}"
        assert net(RWS, told) == won
        assert found(RWS, told) == []
        assert noticed(RWS, told) == ["insurance.pontoon-holder"]

    @pytest.mark.parametrize(("stake", "code"), [("12.5", []), ("13", ["insurance.over-half"])])
    def test_half_of_an_odd_bet(self, stake: str, code: list[str]) -> None:
        told = f"sign chip 1 | a 25@1 | 1:KC 0:AC 1:8D | i {stake} insures a | stand 1 | 0:7D"
        assert found(RWS, told) == code

    def test_may_not_be_shared(self) -> None:
        told = "a 40@1 | b 40@2 | 1:KC 2:KD 0:AC 1:8D 2:8C | i 20 insures a by P2 | stand 1 | stand 2 | 0:7D"
        assert found(RWS, told) == ["insurance.third-party"]

    @pytest.mark.parametrize("fate", ["returned", "loses 20"])
    def test_lost_with_a_bust_it_asks_for_no_second_card(self, fate: str) -> None:
        """3.16 could take it with the hand: then nothing is left for the dealer to draw for."""
        listed = audited(RWS, f"a 40@1 | 1:KC 0:AC 1:6D | i 20 insures a | 1:9S | a loses 40 | i {fate}")
        assert [(each.code, each.severity, each.depends_on) for each in listed] == [
            ("dealer.under-draw", "ambiguous", "insurance_life=falls")
        ]

    def test_is_late_against_a_pontoon_that_lies_open(self) -> None:
        """3.9: against the dealer's possible Pontoon. His early second card leaves it open (ruling 12)."""
        told = "a 20@1 | b 20@2 | 1:KC 2:9D 0:AS 1:6D 2:8D | {} | stand 1 | stand 2 | 0:8H"
        insured = "i 10 insures a"
        late = told.format(f"0:KH | {insured}")
        assert found(RWS, late) == ["insurance.late", "dealer.early-second-card"]
        assert due(RWS, late) == {"a": OPEN, "b": OPEN, "i": OPEN}
        for in_time in (
            f"{insured} | 0:KH",
            f"0:KH | {insured} | burn 0:KH",
            f"0:KH | burn 0:KH | {insured}",
        ):
            assert found(RWS, told.format(in_time)) == ["dealer.early-second-card"]
        within = told.format(insured).replace("1:6D 2:8D", "1:6D 0:KH 2:8D")
        assert found(RWS, within) == ["dealer.early-second-card"]

    def test_is_open_until_a_player_has_a_further_card(self) -> None:
        """3.9: a split or double of a box deals none; one burned off again has not come."""
        dealt = "a 20@1 | b 20@2 | 1:6C 2:KD 0:AS 1:5D 2:8D"
        double = "double 1 with ad 20 on a"
        assert "insurance.late" not in found(
            RWS, f"{dealt} | {double} | i 10 insures b | 1:KH | stand 2 | 0:8C"
        )
        burned = f"{dealt} | 1:2C | burn 1:2C | i 10 insures b | {double} | 1:KH | stand 2 | 0:8C"
        assert "insurance.late" not in found(RWS, burned)
        late = f"{dealt} | {double} | 1:KH | i 10 insures b | stand 2 | 0:8C"
        assert "insurance.late" in found(RWS, late)


class TestClause3_10Surrender:
    """Before any further card, for half; a dealer's Pontoon takes it all."""

    DEALT = "a 20@1 | b 40@3 | 1:5C 3:KC 0:QH 1:4D 3:6D"

    def test_is_over_for_every_box_once_one_has_drawn(self) -> None:
        late = f"{self.DEALT} | 1:8C | stand 1 | surrender 3 | 0:KD"
        assert found(RWS, late) == ["surrender.timing"]
        assert net(RWS, late, of="P3") == "-20"
        assert found(RWS, late, surrender_window="own_turn") == []
        refused = f"{self.DEALT} | 1:8C | stand 1 | stand 3 | 0:KD"
        assert net(RWS, refused, of="P3") == "-40"

    def test_gives_up_one_box_and_not_the_others(self) -> None:
        told = "a 50@1 by Ann | b 50@2 by Ann | 1:KC 2:6C 0:KH 1:6D 2:5D | surrender 1 | 2:KS | 0:QS"
        assert net(RWS, told, of="Ann") == "25"

    def test_half_of_an_odd_bet_is_exact(self) -> None:
        assert net(RWS, "sign chip 1 | a 25@1 | 1:KC 0:QH 1:6D | surrender 1 | 0:KD") == "-12.5"

    def test_half_of_an_odd_bet_is_rounded_under_the_other_readings(self) -> None:
        told = "sign chip 1 | a 25@1 | 1:KC 0:QH 1:6D | surrender 1 | 0:KD"
        assert {net(RWS, told, amounts=each) for each in ("chip_down", "chip_up")} == {"-13", "-12"}

    def test_a_dealers_pontoon_takes_the_whole_bet(self) -> None:
        assert net(RWS, "a 40@1 | 1:KC 0:QH 1:6D | surrender 1 | 0:AD") == "-40"

    def test_is_barred_after_a_split(self) -> None:
        """3.13."""
        told = f"{FIFTIES} | 1:7C | surrender 1 | 1.2:9C | stand 1.2 | 0:9D | a surrenders 25"
        assert found(RWS, told) == ["surrender.after-split"]

    def test_of_one_wager_on_a_shared_box_is_left_open(self) -> None:
        told = "a 20@1 by Ann | b 20@1 by Bo | 1:KC 0:QH 1:6D | surrender 1 only a | stand 1 | 0:KD"
        assert due(RWS, told) == {"a": "surrender 10", "b": "lose 20"}
        assert found(RWS, told) == []


class TestClause4_1Table:
    """The pay table; amounts that chips cannot pay are owed exactly."""

    def test_a_pontoon_on_an_odd_bet(self) -> None:
        told = "sign chip 1 | a 25@1 | 1:AC 0:9C 1:KD"
        assert net(RWS, told) == "37.5"
        assert net(RWS, told, amounts="chip_down") == "37"
        assert net(RWS, told, amounts="chip_up") == "38"

    @pytest.mark.parametrize(
        ("cards", "won"),
        [
            ("6C 7C 8C", "40"),
            ("6S 7S 8S", "60"),
            ("7C 7C 7C", "40"),
            ("2C 3D 4H 5S 2H 5C", "40"),
            ("9C 7D 5S", "20"),
        ],
    )
    def test_pays_a_21_by_its_cards(self, cards: str, won: str) -> None:
        first, second, *further = cards.split()
        drawn = " ".join(f"1:{card}" for card in further)
        assert net(RWS, f"a 20@1 | 1:{first} 0:9C 1:{second} | {drawn}") == won


class TestClause3_14Double:
    """The first two cards only; even money; against a Pontoon one initial bet for each live hand."""

    @pytest.mark.parametrize(
        ("upcard", "drawn", "held"),
        [("8H", "0:6C 0:7C", "0"), ("KH", "0:AC", "-50")],
        ids=["dealer 21", "dealer Pontoon"],
    )
    def test_a_doubled_21_is_paid_at_once(self, upcard: str, drawn: str, held: str) -> None:
        """3.15 excepts the pay table, not the payment."""
        dealt = f"a 50@1 | b 20@2 | 1:6S 2:KD 0:{upcard} 1:5D 2:8D"
        told = f"{dealt} | double 1 with ad 50 on a | 1:KS | stand 2 | {drawn}"
        assert net(RWS, told, of="P1") == "100"
        assert net(RWS, told, of="P1", doubled_21="held") == held

    @pytest.mark.parametrize("portion", ["50", "20"])
    def test_a_live_double_loses_the_initial_bet_to_a_pontoon(self, portion: str) -> None:
        told = f"a 50@1 | 1:6S 0:KH 1:5D | double 1 with ad {portion} on a | 1:4C | 0:AC"
        assert net(RWS, told) == "-50"
        assert net(RWS, told, dealer_pontoon_double="all") == str(-50 - int(portion))

    def test_takes_two_cards_only(self) -> None:
        told = "a 50@1 | 1:6S 0:9H 1:2D | 1:3C | double 1 with ad 50 on a | 1:8C | 0:8D"
        assert found(RWS, told) == ["double.hand"]
        assert due(RWS, told) == {"a": "win 50", "ad": "win 50"}

    def test_a_forfeit_is_open_until_the_dealers_second_card(self) -> None:
        doubled = "a 50@1 | 1:6S 0:9H 1:4D | double 1 with ad 50 on a | 1:2C"
        assert net(RWS, f"{doubled} | forfeit a") == "-50"
        assert found(RWS, f"{doubled} | forfeit a") == []
        assert found(RWS, f"{doubled} | 0:QC | forfeit a") == ["forfeit.eligibility"]
        assert net(RWS, f"{doubled} | 0:QC") == "-100"

    def test_a_forfeit_at_21_is_a_breach(self) -> None:
        told = "a 50@1 | 1:6S 0:9H 1:5D | double 1 with ad 50 on a | 1:KC | forfeit a"
        (finding,) = findings(RWS, told)
        assert (finding.code, finding.severity) == ("forfeit.eligibility", "breach")
        assert net(RWS, told) == "-50"

    def test_nobody_forfeits_at_21_what_was_not_read(self) -> None:
        """Below 21 or not: a king, an ace and a card that may be any."""
        told = "a 50@1 | 1:?? 0:9H 1:KD | double 1 with ad 50 on a | 1:AC | forfeit a | 0:8C"
        assert found(RWS, told) == []

    def test_a_co_wagerer_who_does_not_double_is_paid_even_money(self) -> None:
        told = "a 20@1 by Ann | b 20@1 by Bo | 1:6C 0:9H 1:7D | double 1 with ad 20 on a | 1:8H"
        assert net(RWS, told, of="Bo") == "20"
        assert net(RWS, told, of="Bo", co_wagerer_not_doubling_odds="table") == "30"

    def test_a_third_card_ace_is_free(self) -> None:
        """3.5.2."""
        assert net(RWS, "a 50@1 | 1:6C 0:9H 1:4D | double 1 with ad 50 on a | 1:AH") == "100"
        assert net(RWS, "a 50@1 | 1:AC 0:9H 1:4D | double 1 with ad 50 on a | 1:6H | 0:8C") == "-100"

    @pytest.mark.parametrize("settled", ["a loses 50 | ad loses 50", "a forfeits 50 | ad returned"])
    def test_a_forfeit_before_its_card_counts_if_it_was_given(self, settled: str) -> None:
        """3.14: after doubling, with the point count of the hand known."""
        told = f"a 50@1 | 1:7C 0:9H 1:4D | double 1 with ad 50 on a | forfeit a | 1:3C | 0:KD | {settled}"
        assert found(RWS, told) == ["forfeit.eligibility"]


class TestClause3_13Split:
    """Four hands; all live stakes lose to a dealer's Pontoon."""

    LIVE = "1:KC | stand 1 | 1.2:KD | stand 1.2 | 0:AC"

    def test_every_live_hand_loses_to_a_pontoon(self) -> None:
        assert net(RWS, f"{FIFTIES} | {self.LIVE}") == "-100"

    def test_a_doubled_split_hand_loses_one_initial_bet_of_its_own(self) -> None:
        told = f"{FIFTIES} | 1:3C | double 1 with ad 50 on a | 1:7C | 1.2:KD | stand 1.2 | 0:AC"
        assert net(RWS, told) == "-100"
        assert net(RWS, told, dealer_pontoon_double="all") == "-150"
        per_box = {"dealer_pontoon_double": "original_per_box", "dealer_pontoon_split": "original_cap"}
        assert net(RWS, told, **per_box) == "-50"

    def test_a_bust_hand_stays_lost_beside_a_live_doubled_one(self) -> None:
        told = f"{FIFTIES} | 1:6C 1:KC | 1.2:3D | double 1.2 with ad 50 on a2 | 1.2:7C | 0:AC"
        assert due(RWS, told) == {"a": "lose 50", "a2": "lose 50", "ad": "returned"}

    def test_a_split_hand_is_paid_by_the_table(self) -> None:
        """Only the Super Bonus is withheld."""
        told = "a 20@1 | 1:7C 0:7H 1:7D | split 1 with a2 20 on a | 1:7S 1:7H | 1.2:KC | stand 1.2 | 0:QD"
        assert due(RWS, told) == {"a": "win 30", "a2": "stand_off"}

    def test_four_hands_and_no_fifth(self) -> None:
        told = (
            "a 25@1 | 1:8S 0:6H 1:8D | split 1 with b 25 on a | 1:8C | split 1 with c 25 on a | 1:8H "
            "| split 1 with d 25 on a | 1:8S | {} | 1.4:KC | stand 1.4 | 1.3:KH | stand 1.3 "
            "| 1.2:KD | stand 1.2 "
            "| 0:KC 0:9C"
        )
        assert found(RWS, told.format("stand 1")) == []
        fifth = told.format("split 1 with f 25 on a | 1:KS | stand 1 | 1.5:KS | stand 1.5")
        assert found(RWS, fifth) == ["split.too-many-hands"]
        assert net(RWS, fifth) == "125"


class TestClause3_18Dealer:
    """No clause spares the dealer a card that changes nothing: either practice is in order."""

    @pytest.mark.parametrize("drawn", ["", "| 0:9D", "| 0:2D 0:9C"])
    def test_the_dealer_may_draw_out_or_not(self, drawn: str) -> None:
        told = f"a 20@1 | 1:KC 0:8H 1:6D | 1:9C {drawn}"
        assert net(RWS, told) == "-20"
        assert found(RWS, told) == []

    def test_but_not_beyond_17(self) -> None:
        told = "a 20@1 | 1:KC 0:8H 1:8D | stand 1 | 0:9D 0:4C"
        assert found(RWS, told) == ["dealer.over-draw"]
        assert due(RWS, told) == {"a": "win 20"}

    def test_a_surrender_needs_the_second_card(self) -> None:
        assert found(RWS, "a 20@1 | 1:KC 0:KH 1:6D | surrender 1 | a surrenders 10") == ["dealer.under-draw"]


class TestClause4_2SuperBonus:
    """Three suited sevens against a seven: 1,000 on 10 or more, 5,000 on 100 or more; 50 to other boxes."""

    @pytest.mark.parametrize(
        ("stake", "suit", "won"),
        [
            ("100", "H", "5200"),
            ("100", "S", "5300"),
            ("99.50", "H", "1199"),
            ("10", "H", "1020"),
            ("9", "H", "18"),
        ],
    )
    def test_is_paid_on_top_of_the_table_by_the_stake(self, stake: str, suit: str, won: str) -> None:
        assert net(RWS, f"a {stake}@1 | 1:7{suit} 0:7C 1:7{suit} | 1:7{suit}") == won

    def test_the_bonus_alone_under_the_other_reading(self) -> None:
        told = "a 100@1 | 1:7H 0:7C 1:7H | 1:7H"
        assert net(RWS, told, super_bonus_with_table="instead") == "5000"

    def test_fifty_goes_to_the_first_main_wager_of_each_other_box(self) -> None:
        told = (
            "a 20@1 by Ann | b 20@1 by Bo | c 20@2 by Cy | d 20@2 by Di | p 5@2 pair by Cy "
            "| j 5@2 pandemonium by Cy | 1:7H 2:KC 0:7C 1:7H 2:6D | 1:7H | 2:9C"
        )
        paid = due(RWS, told)
        assert [wager for wager in paid if wager.endswith("/bonus")] == ["c/bonus"]
        assert paid["c/bonus"] == "win 50"
        with_sides = due(RWS, told, other_wagers_bonus="with_side_bets")
        lines = [wager for wager in with_sides if wager.endswith("/bonus")]
        assert lines == ["c/bonus", "p/bonus", "j/bonus"]

    def test_side_wagers_get_fifty_by_the_other_reading_if_of_the_seated_player(self) -> None:
        """4.2 speaks of the betting circle: no split wager, doubled portion or wager of who stands behind."""
        told = (
            "a 20@1 by Ann | q 5@1 pair by Ann | c 20@2 by Cy | d 20@2 by Di | p 5@2 pair by Di "
            "| 1:7H 2:8C 0:7C 1:7H 2:8D | 1:7H | split 2 with c2 20 on c | 2:3C | double 2 with cd 20 on c "
            "| 2:9C | 2.2:9D | stand 2.2 | 0:KD"
        )
        for reading, lines in (("first_main_of_box", ["c"]), ("with_side_bets", ["q", "c"])):
            paid = due(RWS, told, other_wagers_bonus=reading)
            assert [line for line in paid if line.endswith("/bonus")] == [f"{each}/bonus" for each in lines]

    def test_each_wagerer_by_his_own_bet(self) -> None:
        told = "a 100@1 by Ann | b 20@1 by Bo | 1:7H 0:7C 1:7H | 1:7H"
        assert (net(RWS, told, of="Ann"), net(RWS, told, of="Bo")) == ("5200", "1040")

    @pytest.mark.parametrize(
        "option",
        [
            "split 1 with a2 100 on a | 1:7H 1:7H | 1.2:KC | stand 1.2 | 0:KD",
            "double 1 with a2 100 on a | 1:7H",
        ],
    )
    def test_is_lost_by_a_split_or_a_double(self, option: str) -> None:
        assert "a/super_bonus" not in due(RWS, f"a 100@1 | 1:7H 0:7C 1:7H | {option}")

    SHARED = (
        "a 20@1 by Ann | b 20@1 by Bo | 1:7S 0:7H 1:7S | double 1 with d 20 on a | 1:7S "
        "| a wins 20 | d wins 20 | b wins 60 | b gets super_bonus 1000"
    )

    def test_may_be_due_to_who_did_not_double(self) -> None:
        """3.14, 4.2: doubled hands are excluded, or what was doubled."""
        codes = {each.code: each for each in audited(RWS, self.SHARED)}
        assert codes["bonus.super"].severity == codes["settle.double"].severity == "ambiguous"
        assert codes["bonus.super"].depends_on == "co_wagerer_not_doubling_odds=table"


class TestClause5Irregularities:
    """A card that does not belong voids the round, payments already made included."""

    def test_a_ten_voids_the_round(self) -> None:
        """5.1.1."""
        told = (
            "a 100@1 | b 20@2 | 1:AC 2:9C 0:9H 1:KD 2:9D | a wins 150 | stand 2 | 0:10C | undo a "
            "| a voided | b voided"
        )
        assert due(RWS, told) == {"a": "void", "b": "void"}
        assert found(RWS, told) == ["deck.foreign-card"]
        kept = told.replace(" | undo a | a voided", "")
        assert found(RWS, kept) == ["deck.foreign-card", "settle.void"]

    AFTER = "a 20@1 | b 20@2 | 1:KC 2:9C 0:9H 1:QD 2:9D | stand 1 | stand 2 | 0:8C | a wins 20 | {}b wins 20"

    @pytest.mark.parametrize("card", ["burn 10D", "burn JK"])
    def test_a_card_found_after_the_last_settlement_voids_nothing(self, card: str) -> None:
        """5.1.1, def:Round of play: it is found in no round, and what was settled stands."""
        after = f"{self.AFTER.format('')} | {card}"
        assert due(RWS, after) == {"a": "win 20", "b": "win 20"}
        assert found(RWS, after) == ["deck.foreign-card"]
        for within in (self.AFTER.format(f"{card} | "), f"without settle_order | {after}"):
            assert due(RWS, within) == {"a": "void", "b": "void"}

    TAKEN_BACK = "a 20@1 | withdraw a | 1:KC 0:9H 1:QD | burn 10D"

    def test_where_nothing_was_settled_the_round_was_not_over(self) -> None:
        """5.1.1."""
        (row,) = replay(RWS, self.TAKEN_BACK).settlements
        assert row.reason.startswith("the round is void")

    @pytest.mark.parametrize("voided", ["1:10C", "1:2C | void round"])
    def test_side_wagers_of_a_void_round_go_back_at_its_end(self, voided: str) -> None:
        """3.7 and 3.8 settle side wagers before the round goes on; a void one is not settled."""
        told = (
            "a 20@1 | b 20@2 | p 5@1 pair | j 5@2 pandemonium | 1:9S 2:AC 0:KH 1:9D 2:KC "
            f"| {voided} | a voided | b voided | p voided | j voided"
        )
        assert set(due(RWS, told).values()) == {"void"}
        assert found(RWS, told) == (["deck.foreign-card"] if "10C" in voided else [])

    def test_nobody_presses_for_a_void_jackpot_wager(self) -> None:
        """3.8.1: the button is for a winning wager."""
        told = "a 20@1 | j 5@1 pandemonium | 1:AC 0:9H 1:KC{} | j voided | 0:8C"
        assert found(RWS, told.format(" | void wager j")) == []
        assert found(RWS, told.format("")) == ["jackpot.press"]

    def test_a_player_pair_paid_stands_when_cards_were_misplaced(self) -> None:
        """5.1.2 voids only before an interim settlement."""
        told = (
            "a 20@2 | b 20@3 | p 10@3 pair by P3 | 2:KC 3:7C 0:9H 3:7D 2:8D | p wins 110 "
            "| irregularity other | stand 2 | 3:6C | stand 3 | 0:8C"
        )
        assert due(RWS, told)["p"] == "win 110"
        assert found(RWS, told) == ["deal.order"]

    def test_a_box_paid_without_its_second_card_lacks_one(self) -> None:
        """3.6: a Pontoon whose second card is in no record asks for no second card of the dealer."""
        assert found(RWS, "a 20@1 | 1:AC 0:KH | a wins 30") == ["deal.missing-card"]


class TestClause3HandsOver21:
    """3.16: a hand over 21 loses at once."""

    def test_with_21_beside_an_unread_card_it_has_lost(self) -> None:
        told = "a 20@1 | 1:3D 0:5S 1:?? | 1:3H 1:3C 1:2S 1:KH | a loses 20"
        assert due(RWS, told) == {"a": "lose 20"}
        assert found(RWS, told) == []

    def test_it_can_not_be_surrendered_any_more(self) -> None:
        told = "a 20@1 | 1:KD 0:QS 1:6H | 1:9H | a loses 20 | surrender 1 | 0:8H"
        assert due(RWS, told) == {"a": OPEN}
        assert found(RWS, told) == ["surrender.timing"]


class TestClause3_13And3_14Together:
    """A shared box, a split, a double and a dealer's Pontoon: one initial bet from each live hand."""

    SHARED = "a 50@1 by Ann | b 30@1 by Bo | 1:8S 0:{}H 1:8D"

    @pytest.mark.parametrize(
        ("told", "wanted"),
        [
            (
                (
                    "K | split 1 with a2 50 on a | 1:3C | double 1 with ad 50 on a, bd 10 on b | 1:7C "
                    "| 1.2:KD | stand 1.2 | 0:AC"
                ),
                {"a": "lose 50", "ad": "returned", "a2": "lose 50", "b": "lose 30", "bd": "returned"},
            ),
            (
                (
                    "K | split 1 with a2 50 on a | 1:3C | double 1 with ad 50 on a | 1:KC | 1.2:KD "
                    "| stand 1.2 | 0:AC"
                ),
                {"a": "win 50", "ad": "win 50", "a2": "lose 50", "b": "win 30"},
            ),
            (
                (
                    "A | i 25 insures a | k 15 insures b | split 1 with a2 50 on a | 1:3C "
                    "| double 1 with ad 50 on a | 1:7C | 1.2:KD 1.2:9C | 0:KC"
                ),
                {
                    "a": "lose 50",
                    "ad": "returned",
                    "a2": "lose 50",
                    "b": "lose 30",
                    "i": "win 50",
                    "k": "win 30",
                },
            ),
            (
                (
                    "K | surrender 1 only a | split 1 with b2 30 on b | 1:3C | double 1 with bd 30 on b "
                    "| 1:7C | 1.2:KD | stand 1.2 | 0:AC"
                ),
                {"a": "lose 50", "b": "lose 30", "b2": "lose 30", "bd": "returned"},
            ),
            (
                (
                    "K | split 1 with a2 50 on a | 1:3C | double 1 with ad 50 on a | 1:7C | forfeit a "
                    "| 1.2:KD | stand 1.2 | 0:AC"
                ),
                {"a": "forfeit 50", "ad": "returned", "a2": "lose 50", "b": "lose 30"},
            ),
        ],
        ids=["doubled by both", "a doubled 21", "both insured", "one surrendered", "one forfeited"],
    )
    def test_a_dealers_pontoon_takes_one_bet_of_each_hand(self, told: str, wanted: dict[str, str]) -> None:
        """3.9, 3.10.1, 3.13, 3.14, 3.15."""
        upcard, _, played = told.partition(" ")
        whole = f"{self.SHARED.format(upcard)} {played}"
        assert due(RWS, whole) == wanted
        assert found(RWS, whole) == []


class TestClause3_7And3_8WithSplitsAndVoids:
    """Side wagers rest on the first two cards of the box, whatever becomes of its hand."""

    @pytest.mark.parametrize(
        ("told", "wanted"),
        [
            (
                "1:8C 0:7H 1:8D | split 1 with a2 20 on a | 1:KC | stand 1 | 1.2:KD | stand 1.2 | 0:KH",
                {"a": "win 20", "a2": "win 20", "p": "win 110", "j": "lose 5"},
            ),
            (
                "1:AC 0:7H 1:AD | split 1 with a2 20 on a | 1:KC | 1.2:QD | 0:KH",
                {"a": "win 20", "a2": "win 20", "p": "win 110", "j": "lose 5"},
            ),
            ("1:AC 0:7H 1:KD | press 1 3", {"a": "win 30", "p": "lose 10", "j": "win 15"}),
            (
                "1:8C 0:7H 1:8D | irregularity other | withdraw a",
                {"a": "void", "p": "win 110", "j": "lose 5"},
            ),
            ("1:8C | void wager a | 0:7H 1:8D", {"a": "void", "p": "void", "j": "void"}),
            ("1:AC 0:7H 1:KD | press 1 3 | burn 10C", {"a": "void", "p": "void", "j": "void"}),
        ],
        ids=["split", "aces split", "Pontoon", "taken back later", "void before", "a ten burned"],
    )
    def test_by_the_first_two_cards(self, told: str, wanted: dict[str, str]) -> None:
        """3.7.1, 3.8.1, 5.1.1."""
        whole = f"a 20@1 | p 10@1 pair | j 5@1 pandemonium | {told}"
        assert due(RWS, whole) == wanted
        assert found(RWS, whole) == (["deck.foreign-card"] if "10C" in told else [])


class TestClause3_6BoxWithALateBet:
    """The initial deal goes round to a box on which a bet was placed after the first card."""

    @pytest.mark.parametrize(
        "order", ["1:9H | b 10@2 | 2:9D 0:AC 1:7H 2:KS", "1:9H 0:AC | b 10@2 | 2:9D 1:7H 2:KS"]
    )
    def test_its_second_card_ends_the_deal(self, order: str) -> None:
        told = f"a 10@1 | {order} | i 5 insures a | surrender 1 | stand 2 | 0:8D"
        assert found(RWS, told) == ["wager.late"]
        assert due(RWS, told) == {"a": "surrender 5", "b": "stand_off", "i": "lose 5"}

    def test_a_pontoon_is_paid_once_the_deal_is_over(self) -> None:
        told = "a 10@1 | p 10@1 pair | 1:AH | b 10@2 | 2:9D 0:9C 1:KH 2:KS | p loses 10 | a wins 15 | stand 2"
        assert found(RWS, f"{told} | 0:8D") == ["wager.late"]

    def test_where_it_gets_no_second_card_the_deal_was_over_without_it(self) -> None:
        told = "a 10@1 | p 10@1 pair | 1:9H | b 10@2 | 2:9D 0:9C 1:7H | 1:2C | p loses 10 | stand 1 | 2:KD"
        assert found(RWS, f"{told} | stand 2 | 0:8D") == ["wager.late", "side-bet.settled-late"]

    def test_a_card_after_the_deal_is_a_further_card(self) -> None:
        told = "a 10@1 | 1:9H 0:KC 1:7H | b 10@2 | 2:9D 2:KS | surrender 1 | stand 2 | 0:8D"
        assert {"wager.late", "surrender.timing"} <= set(found(RWS, told))


class TestClause3_7BoxWithASideBetAlone:
    """No words void it: it is settled on the two cards that its box got (ruling 9), once they are there."""

    TOLD = "a 10@1 | p 10@2 pair | 1:9H 2:9S 0:9C 1:7D 2:9D"

    def test_wins_on_a_pair(self) -> None:
        assert due(RWS, f"{self.TOLD} | p wins 110 | stand 1 | 0:9D")["p"] == "win 110"
        right = found(RWS, f"{self.TOLD} | p wins 110 | stand 1 | 0:9D")
        assert right == ["side-bet.without-main", "deal.superfluous-hand"]
        assert found(RWS, f"{self.TOLD} | p loses 10 | stand 1 | 0:9D") == [*right, "settle.pairs"]

    def test_loses_without_one(self) -> None:
        assert due(RWS, self.TOLD.replace("2:9D", "2:8D") + " | stand 1 | 0:9D")["p"] == "lose 10"

    def test_is_open_on_one_card(self) -> None:
        assert due(RWS, self.TOLD.replace(" 2:9D", "") + " | stand 1 | 0:9D")["p"] == OPEN


class TestClause3_8WonWhateverWasPressed:
    """3.8.1: with a Pontoon the bet wins; what it pays may be open, and nothing of it is taken."""

    TOLD = "a 10@1 | j 10@1 pandemonium | 1:AH 0:9C 1:KD | {} | j {} | a wins 15 | 0:8D"

    @pytest.mark.parametrize("pressed", ["press 1 5 | press 1 20", "press 1 15", "stand 1"])
    def test_collected_is_found(self, pressed: str) -> None:
        (finding,) = [
            each
            for each in findings(RWS, self.TOLD.format(pressed, "loses 10"))
            if each.wager == "j" and each.code == "settle.jackpot"
        ]
        assert (finding.severity, finding.delta) == ("indeterminate", -10_000)

    @pytest.mark.parametrize("pressed", ["press 1 5 | press 1 20", "press 1 15", "stand 1"])
    def test_paid_something_is_open(self, pressed: str) -> None:
        assert "settle.jackpot" not in found(RWS, self.TOLD.format(pressed, "wins 50"))


class TestClause3_9InsuranceWithoutAnAce:
    """Against any Pontoon: one of a king and an ace wins it too, settled as played (ruling 2)."""

    TOLD = "a 40@1 | 1:9H 0:KC 1:9D | i 20 insures a | stand 1 | 0:AD"

    def test_wins(self) -> None:
        assert due(RWS, self.TOLD) == {"a": "lose 40", "i": "win 40"}
        assert found(RWS, self.TOLD) == ["insurance.no-ace"]
        assert found(RWS, f"{self.TOLD} | i loses 20") == ["insurance.no-ace", "settle.insurance"]

    def test_loses_on_two_pictures(self) -> None:
        assert due(RWS, self.TOLD.replace("0:AD", "0:QD"))["i"] == "lose 20"
