"""Casino Canberra, approvals of 2005 and 2018: what each clause makes of a round.

Clauses are numbered as in both approvals unless a class says otherwise. Amounts are net of
the stake: ``"-20"`` is a stake of 20 lost.
"""

from __future__ import annotations

import pytest

from tests.rounds import OPEN, audited, book, due, found, net, noticed

both = pytest.mark.parametrize("act", ["act-2005", "act-2018"])

UNPAYABLE = "sign chip 5 | a 25@1"
SURRENDERED = "a 20@1 | 1:KC 0:AS 1:6D | surrender 1"
EIGHTS = "a 20@1 | 1:8S 0:KH 1:8D | split 1 with a2 20 on a"
DOUBLED_ELEVEN = "a 20@1 | b 20@2 | 1:6C 2:9H 0:KS 1:5D 2:9C | double 1 with ad 20 on a | 1:QH | stand 2"


@both
class TestClause8Pontoon:
    """An ace with a king, queen or jack as the first two cards pays 3 to 2 and cannot be beaten."""

    def test_pays_three_to_two_against_any_dealer(self, act: str) -> None:
        for first, second in (("KC", "AS"), ("9C", "8D"), ("AC", "QD")):
            assert due(act, f"a 25@1 | 1:AH 0:{first} 1:JD | 0:{second}") == {"a": "win 37.5"}

    def test_is_not_made_by_a_split_hand(self, act: str) -> None:
        """11.7: it is a 21 and pays even money."""
        told = "a 20@1 | 1:KH 0:8C 1:QD | split 1 with a2 20 on a | 1:AS | 1.2:9C | stand 1.2 | 0:KS"
        assert due(act, told) == {"a": "win 20", "a2": "win 20"}

    def test_is_paid_before_any_further_card(self, act: str) -> None:
        late = "a 20@1 | b 20@2 | 1:AH 2:9H 0:8C 1:JD 2:5D | 2:4C | stand 2 | 0:QD | a wins 30"
        at_once = "a 20@1 | b 20@2 | 1:AH 2:9H 0:8C 1:JD 2:5D | a wins 30 | 2:4C | stand 2 | 0:QD"
        assert found(act, late) == ["interim.pontoon-unpaid"]
        assert found(act, at_once) == []

    def test_amounts_are_exact_though_chips_cannot_pay_them(self, act: str) -> None:
        told = f"{UNPAYABLE} | 1:AH 0:8C 1:JD"
        assert net(act, told) == "37.5"
        assert net(act, told, amounts="chip_down") == "35"
        assert net(act, told, amounts="chip_up") == "40"


@both
class TestTable1:
    """A winning wager is paid by the one row of Table 1 that its cards earn."""

    @pytest.mark.parametrize(
        ("cards", "won"),
        [
            ("2C 3D 4H 5S 7C", "30"),
            ("2C 3D 4H 5S 2H 5C", "40"),
            ("2C 3D 2H 2S 3H 4C 5C", "60"),
            ("2C 2D 2H 2S 3H 3C 3D 4C", "60"),
            ("6C 7D 8H", "30"),
            ("6C 7C 8H", "30"),
            ("8H 6H 7H", "40"),
            ("7S 8S 6S", "60"),
            ("7C 7D 7H", "30"),
            ("7H 7H 7H", "40"),
            ("7S 7S 7S", "60"),
            ("9C 7D 5S", "20"),
            ("5C 5D 5H 6S", "20"),
        ],
    )
    def test_pays_a_21_by_its_cards(self, act: str, cards: str, won: str) -> None:
        first, second, *further = cards.split()
        drawn = " ".join(f"1:{card}" for card in further)
        assert due(act, f"a 20@1 | 1:{first} 0:9C 1:{second} | {drawn}") == {"a": f"win {won}"}

    def test_pays_five_cards_only_at_21(self, act: str) -> None:
        told = "a 20@1 | 1:2C 0:9C 1:3D | 1:4H 1:5S 1:5C | stand 1 | 0:9D"
        assert net(act, told) == "20"
        assert net(act, told, card_count_rows="any_winning_hand") == "30"

    def test_stands_off_on_the_same_total(self, act: str) -> None:
        """14.1(h): equal totals without exceeding 21."""
        assert due(act, "a 20@1 | 1:KC 0:9C 1:8D | stand 1 | 0:9D") == {"a": "stand_off"}

    def test_takes_a_bust_hand_though_the_dealer_busts_too(self, act: str) -> None:
        """14.1(e)."""
        told = "a 20@1 | b 20@2 | 1:KC 2:KD 0:6C 1:5D 2:3D | 1:8C | stand 2 | 0:9D 0:8H"
        assert due(act, told) == {"a": "lose 20", "b": "win 20"}


@both
class TestClause9Surrender:
    """Before anyone draws, a hand may be given up for half against an ace, king, queen or jack."""

    def test_costs_half_and_the_whole_stake_when_the_dealer_makes_pontoon(self, act: str) -> None:
        """9.3 and 9.4."""
        assert net(act, f"{SURRENDERED} | 0:JH") == "-20"
        assert net(act, f"{SURRENDERED} | 0:5C") == "-10"

    def test_needs_exactly_one_further_dealer_card(self, act: str) -> None:
        """13.1(b): the second card decides half or whole, the third decides nothing."""
        assert found(act, f"{SURRENDERED} | 0:5C") == []
        assert found(act, f"{SURRENDERED} | 0:5C 0:9C") == ["dealer.needless-draw"]
        assert found(act, f"{SURRENDERED} | 0:5C 0:9C", dealer_plays_on_idle="allowed") == []
        assert found(act, f"{SURRENDERED} | a surrenders 10") == ["dealer.under-draw"]

    def test_half_of_an_odd_stake_is_exact(self, act: str) -> None:
        assert net(act, f"{UNPAYABLE} | 1:KC 0:AS 1:6D | surrender 1 | 0:5C") == "-12.5"

    def test_half_an_odd_stake_is_rounded_under_the_other_readings(self, act: str) -> None:
        told = f"{UNPAYABLE} | 1:KC 0:AS 1:6D | surrender 1 | 0:5C"
        assert {net(act, told, amounts=each) for each in ("chip_down", "chip_up")} == {"-10", "-15"}

    def test_is_over_once_a_box_has_drawn(self, act: str) -> None:
        """9.1 and 10.1; the amounts are those of a surrender, since the table granted it."""
        late = (
            "a 20@1 | b 20@2 | 1:9C 2:KC 0:QS 1:4D 2:6D | 1:7C | stand 1 | surrender 2 | 0:9D "
            "| b surrenders 10"
        )
        assert found(act, late) == ["surrender.timing"]
        assert net(act, late, of="P2") == "-10"
        assert found(act, late, surrender_window="own_turn") == []
        refused = "a 20@1 | b 20@2 | 1:9C 2:KC 0:QS 1:4D 2:6D | 1:7C | stand 1 | stand 2 | 0:9D"
        assert net(act, refused, of="P2") == "-20"

    def test_too_late_by_one_reading_only_is_ambiguous(self, act: str) -> None:
        late = "a 20@1 | b 20@2 | 1:9C 2:KC 0:QS 1:4D 2:6D | 1:7C | stand 1 | surrender 2 | 0:9D"
        (finding,) = audited(act, late)
        assert (finding.severity, finding.depends_on) == ("ambiguous", "surrender_window=own_turn")

    def test_is_over_for_good_once_the_box_itself_has_drawn(self, act: str) -> None:
        late = "a 20@1 | 1:9C 0:QS 1:4D | 1:3C | surrender 1 | 0:9D"
        for window in ("before_any_draw", "own_turn"):
            assert found(act, late, surrender_window=window) == ["surrender.timing"]

    def test_is_not_open_against_a_nine(self, act: str) -> None:
        assert found(act, "a 20@1 | 1:KC 0:9S 1:6D | surrender 1 | 0:9C | a surrenders 10") == [
            "surrender.upcard"
        ]

    def test_binds_everybody_on_the_box_both_ways(self, act: str) -> None:
        """9.2 and 9.5."""
        shared = "a 20@1 by Ann | b 10@1 by Bo | 1:KC 0:QS 1:6D"
        assert found(act, f"{shared} | surrender 1 | 0:9D") == []
        assert found(act, f"{shared} | surrender 1 only a | stand 1 | 0:9D") == ["surrender.all-players"]
        assert found(act, f"{shared} | surrender 1 only b | stand 1 | 0:9D") == ["surrender.all-players"]


@both
class TestClause10Subsequent:
    """Hands under 12 are drawn to, a 21 is paid at once, and bust hands take no more."""

    def test_pairs_below_12_may_be_split(self, act: str) -> None:
        """10.1(a) is not subject to 10.2."""
        told = (
            "a 20@1 | 1:3C 0:5S 1:3D | split 1 with a2 20 on a | 1:8H 1:QH | 1.2:9S 1.2:7C "
            "| stand 1.2 | 0:KC 0:3S"
        )
        assert net(act, told) == "40"
        assert found(act, told) == []

    def test_a_soft_total_of_12_may_stand(self, act: str) -> None:
        """10.2(c) counts the best total."""
        assert found(act, "a 20@1 | 1:5C 0:9S 1:4D | 1:AC | stand 1 | 0:8C") == []
        assert found(act, "a 20@1 | 1:5C 0:9S 1:4D | stand 1 | 0:8C") == ["draw.below-12"]

    def test_a_21_keeps_its_payment_when_the_dealer_makes_pontoon(self, act: str) -> None:
        """10.2(b), 14.1(d)."""
        told = "a 20@1 | b 20@2 | 1:9C 2:KC 0:AD 1:7D 2:8D | 1:5S | stand 2 | 0:KH"
        assert due(act, told) == {"a": "win 20", "b": "lose 20"}
        assert found(act, told) == []


@both
class TestClause11Split:
    """Up to four hands from a box; a dealer's Pontoon takes no more than one original wager of them."""

    def test_one_hand_paid_at_21_leaves_one_original_wager_to_take(self, act: str) -> None:
        assert net(act, f"{EIGHTS} | 1:5S 1:8C | 1.2:9C | stand 1.2 | 0:AD") == "0"

    def test_a_bust_hand_counts_towards_the_one_original_wager(self, act: str) -> None:
        """11.8 and 11.9 under one cap, or one after the other."""
        told = f"{EIGHTS} | 1:5S 1:QC | 1.2:JC | stand 1.2 | 0:AD"
        assert net(act, told) == "-20"
        assert net(act, told, dealer_pontoon_split="busted_plus_one") == "-40"
        assert net(act, told, dealer_pontoon_split="original_stack") == "-20"

    def test_bust_hands_stay_lost_beyond_the_cap(self, act: str) -> None:
        told = (
            f"{EIGHTS} | 1:8C | split 1 with a3 20 on a | 1:5S 1:QC | 1.3:6C 1.3:KD | 1.2:JC "
            "| stand 1.2 | 0:AD"
        )
        assert net(act, told) == "-40"
        assert net(act, told, dealer_pontoon_split="busted_plus_one") == "-60"

    def test_live_hands_lose_one_original_wager_together(self, act: str) -> None:
        told = f"{EIGHTS} | 1:KS | stand 1 | 1.2:JC | stand 1.2 | 0:AD"
        assert due(act, told) == {"a": "lose 20", "a2": "returned"}
        assert net(act, told, dealer_pontoon_split="all") == "-40"

    def test_a_split_and_doubled_box_loses_one_original_wager(self, act: str) -> None:
        """11.9 with 12.5."""
        told = f"{EIGHTS} | 1:3S | double 1 with ad 20 on a | 1:7C | 1.2:JC | stand 1.2 | 0:AD"
        assert net(act, told) == "-20"
        assert net(act, told, dealer_pontoon_double="original_per_hand") == "-40"

    def test_takes_four_hands_and_no_fifth(self, act: str) -> None:
        """11.3."""
        four = (
            "a 5@1 | 1:8S 0:6H 1:8D | split 1 with b 5 on a | 1:8C | split 1 with c 5 on a | 1:8H "
            "| split 1 with d 5 on a"
        )
        ends = "1:KS | stand 1 | 1.4:KC | stand 1.4 | 1.3:KH | stand 1.3 | 1.2:KD | stand 1.2 | 0:KC 0:9C"
        assert found(act, f"{four} | {ends}") == []
        assert net(act, f"{four} | {ends}") == "20"
        fifth = f"{four} | 1:8S | split 1 with f 5 on a | 1:KS | stand 1 | 1.5:KS | stand 1.5"
        assert found(act, f"{fifth} | {ends.partition(' | stand 1 | ')[2]}") == ["split.too-many-hands"]

    def test_split_aces_take_one_card_each_and_are_not_split_again(self, act: str) -> None:
        """11.3 and 11.5."""
        aces = "a 20@1 | 1:AS 0:6H 1:AD | split 1 with a2 20 on a"
        assert found(act, f"{aces} | 1:9C 1.2:8C | 0:KC 0:2C") == []
        assert found(act, f"{aces} | 1:2C 1:8C 1.2:8C | 0:KC 0:2C") == ["split.aces-extra-card"]
        again = f"{aces} | 1:AC | split 1 with a3 20 on a | 1:9C 1.3:8C 1.2:8D | 0:KC 0:2C"
        assert "split.aces-resplit" in found(act, again)

    def test_needs_equal_values_not_equal_ranks(self, act: str) -> None:
        ends = "1:9C | stand 1 | 1.2:8C | stand 1.2 | 0:KC 0:2C"
        assert found(act, f"a 20@1 | 1:KS 0:6H 1:QD | split 1 with a2 20 on a | {ends}") == []
        assert found(act, f"a 20@1 | 1:KS 0:6H 1:9D | split 1 with a2 20 on a | {ends}") == [
            "split.unequal-value"
        ]

    def test_a_co_wagerer_who_does_not_split_rides_on_the_first_hand(self, act: str) -> None:
        """11.2(b)."""
        shared = "a 20@1 by Ann | b 10@1 by Bo | 1:8S 0:7H 1:8D | split 1 with a2 20 on a"
        ends = "1:KS | stand 1 | 1.2:9C | stand 1.2 | 0:JC"
        told = f"{shared} | {ends}"
        assert due(act, told) == {"a": "win 20", "b": "win 10", "a2": "stand_off"}
        assert found(act, told) == []
        assert found(act, f"{shared} | assign b 1.2 | {ends}") == ["split.later-hand"]


@both
class TestClause12Double:
    """One card for a further stake, even money, and only the original wager at risk to a Pontoon."""

    def test_a_doubled_21_is_paid_at_once(self, act: str) -> None:
        pontoon = f"{DOUBLED_ELEVEN} | 0:AH"
        assert net(act, pontoon, of="P1") == "40"
        assert net(act, pontoon, of="P1", doubled_21="held_beats_21") == "-20"
        other_21 = f"{DOUBLED_ELEVEN} | 0:5H 0:6H"
        assert net(act, other_21, of="P1") == "40"
        assert net(act, other_21, of="P1", doubled_21="held_beats_21") == "40"

    def test_a_held_21_asks_of_the_dealer_a_second_card_alone(self, act: str) -> None:
        """10.2(b), 14.1(d): he who stops with a small total is right by every reading."""
        alone = "a 20@1 | 1:6C 0:{}S 1:5D | double 1 with ad 20 on a | 1:QH"
        small, ace = alone.format("8"), alone.format("A")
        for reading in ("wins_at_once", "held_beats_21"):
            for told in (f"{small} | 0:2C 0:9D", f"{ace} | 0:2C 0:9D"):
                assert "dealer.needless-draw" in found(act, told, doubled_21=reading)
            assert found(act, small, doubled_21=reading) == []
            assert due(act, small, doubled_21=reading) == {"a": "win 20", "ad": "win 20"}
        assert found(act, f"{ace} | 0:2C", doubled_21="held_beats_21") == []
        assert due(act, f"{ace} | 0:2C", doubled_21="held_beats_21") == {"a": "win 20", "ad": "win 20"}
        assert found(act, ace, doubled_21="held_beats_21") == ["dealer.under-draw"]
        severities = [
            [finding.severity for finding in audited(act, told)]
            for told in (f"{small} | 0:2C 0:9D", f"{ace} | 0:2C", f"{ace} | 0:2C 0:9D")
        ]
        assert severities == [["procedure"], ["ambiguous"], ["procedure"]]

    @pytest.mark.parametrize(
        ("told", "won"),
        [
            ("1:4C 0:KH 1:3D | 1:AC | double 1 with ad 20 on a | 1:3H | 0:9D", "40"),
            ("1:6C 0:KH 1:5D | double 1 with ad 20 on a | 1:AC | 0:9D", "-40"),
            ("1:9C 0:KH 1:AD | double 1 with ad 20 on a | 1:2C | 0:8D", "-40"),
            ("1:6C 0:KH 1:4D | double 1 with ad 20 on a | 1:AC | 0:8D", "40"),
        ],
    )
    def test_an_ace_among_the_first_two_cards_counts_one(self, act: str, told: str, won: str) -> None:
        """2.5(a): a third-card ace and the card of the double are free."""
        assert net(act, f"a 20@1 | {told}") == won

    def test_an_ace_dealt_to_a_split_card_counts_one(self, act: str) -> None:
        told = (
            "a 20@1 | 1:8C 0:KH 1:8D | split 1 with a2 20 on a | 1:AC | double 1 with ad 20 on a | 1:2H "
            "| 1.2:KC | stand 1.2 | 0:8C"
        )
        assert due(act, told) == {"a": "lose 20", "a2": "stand_off", "ad": "lose 20"}
        assert due(act, told, fixed_aces="initial_deal") == {"a": "win 20", "a2": "stand_off", "ad": "win 20"}

    def test_a_co_wagerer_who_does_not_double_has_the_same_total(self, act: str) -> None:
        told = "a 20@1 by Ann | b 20@1 by Bo | 1:AC 0:KH 1:6D | double 1 with ad 20 on a | 1:4H | 0:8C"
        assert net(act, told, of="Bo") == "-20"
        assert net(act, told, of="Bo", co_wagerer_not_doubling_total="own") == "20"

    def test_a_co_wagerer_who_does_not_double_is_paid_even_money(self, act: str) -> None:
        """12.8."""
        told = "a 20@1 by Ann | b 20@1 by Bo | 1:2C 0:KH 1:3D | 1:4H 1:2H | double 1 with ad 20 on a | 1:KD"
        assert net(act, told, of="Bo") == "20"
        assert net(act, told, of="Bo", co_wagerer_not_doubling_odds="table") == "30"

    def test_a_double_leaves_the_odds_of_the_other_split_hands(self, act: str) -> None:
        told = (
            "a 20@1 | 1:2C 0:6S 1:2D | split 1 with a2 20 on a | 1:9C | double 1 with ad 20 on a | 1:KC "
            "| 1.2:3C 1.2:4C 1.2:5C 1.2:7C"
        )
        assert net(act, told) == "70"
        assert net(act, told, double_cuts_box_odds="box") == "60"

    def test_a_bust_double_is_lost_before_the_dealer_plays(self, act: str) -> None:
        told = "a 20@1 | b 20@2 | 1:7C 2:KC 0:KS 1:5D 2:8D | double 1 with ad 20 on a | 1:KC | stand 2 | 0:AD"
        assert net(act, told, of="P1") == "-40"
        assert net(act, told, of="P1", doubled_bust_dealer_pontoon="original_only") == "-20"

    def test_a_live_double_loses_the_original_wager_to_a_pontoon(self, act: str) -> None:
        """12.5."""
        told = "a 20@1 | 1:6C 0:KS 1:5D | double 1 with ad 10 on a | 1:4C | 0:AD"
        assert due(act, told) == {"a": "lose 20", "ad": "returned"}
        assert net(act, told, dealer_pontoon_double="all") == "-30"

    @pytest.mark.parametrize("for_less", ["20", "10"])
    def test_a_forfeit_gives_the_doubled_portion_back(self, act: str, for_less: str) -> None:
        """12.6."""
        doubled = f"a 20@1 | 1:6S 0:9D 1:5H | double 1 with ad {for_less} on a | 1:2C"
        told = f"{doubled} | forfeit a"
        assert due(act, told) == {"a": "forfeit 20", "ad": "returned"}
        assert found(act, told) == []

    def test_no_forfeit_after_the_dealers_second_card(self, act: str) -> None:
        doubled = "a 20@1 | 1:6S 0:9D 1:5H | double 1 with ad 20 on a | 1:2C"
        assert found(act, f"{doubled} | 0:8C | forfeit a") == ["forfeit.eligibility"]
        assert net(act, f"{doubled} | 0:8C") == "-40"

    def test_a_forfeit_at_21_is_odd_and_no_breach(self, act: str) -> None:
        told = "a 20@1 | 1:6S 0:9D 1:5H | double 1 with ad 20 on a | 1:KC | forfeit a"
        assert found(act, told) == []
        assert noticed(act, told) == ["forfeit.eligibility"]

    @pytest.mark.parametrize("cards", ["1:KC 0:9D 1:6C", "1:AC 0:9D 1:7C", "1:2C 0:9D 1:3C | 1:4C"])
    def test_any_hand_under_21_may_be_doubled(self, act: str, cards: str) -> None:
        """12.1 and 12.4."""
        assert found(act, f"a 20@1 | {cards} | double 1 with ad 20 on a | 1:2H | 0:8C") == []

    def test_a_double_may_be_less_and_not_more_than_the_original(self, act: str) -> None:
        told = "sign multiples 5 | a 20@1 | 1:6S 0:9D 1:5H | double 1 with ad {} on a | 1:8C | 0:9C"
        assert found(act, told.format("2")) == []
        assert found(act, told.format("21")) == ["double.stake"]


@both
class TestClause13Dealer:
    """The dealer draws to hard 16 and soft 17, last, and no card that could change nothing."""

    @pytest.mark.parametrize(
        ("drawn", "wrong"),
        [
            ("0:6C 0:5C", []),
            ("0:AC 0:9C", ["dealer.over-draw"]),
            ("0:5C 0:AC 0:3C", []),
            ("0:6C", ["dealer.under-draw"]),
            ("0:7C", []),
            ("0:7C 0:2C", ["dealer.over-draw"]),
        ],
    )
    def test_stops_at_hard_17_and_soft_18(self, act: str, drawn: str, wrong: list[str]) -> None:
        assert found(act, f"a 20@1 | 1:KC 0:KH 1:8D | stand 1 | {drawn}") == wrong

    def test_draws_on_soft_17(self, act: str) -> None:
        stood = "a 20@1 | 1:KC 0:AH 1:8D | stand 1 | 0:6C"
        assert found(act, stood) == ["dealer.under-draw"]
        assert due(act, stood) == {"a": "win 20"}

    def test_draws_nothing_when_every_hand_is_decided(self, act: str) -> None:
        told = "a 20@1 | 1:KC 0:8H 1:6D | 1:9C"
        assert found(act, told) == []
        assert found(act, f"{told} | 0:KD") == ["dealer.needless-draw"]

    def test_an_early_second_card_is_burned_and_replaced(self, act: str) -> None:
        """15.3."""
        early = "a 20@3 | 3:9C 0:KS 3:6D | 0:AD"
        burned = f"{early} | burn 0:AD | irregularity exposed_card 0 | 3:4H | stand 3 | 0:9C"
        assert net(act, burned) == "0"
        assert found(act, burned) == ["dealer.early-second-card"]
        assert net(act, f"{early} | 3:4H | stand 3") == OPEN

    def test_a_card_drawn_beyond_17_does_not_count(self, act: str) -> None:
        told = "a 20@1 | 1:KC 0:KH 1:8D | stand 1 | 0:7C 0:4D"
        assert net(act, f"{told} | burn 0:4D") == net(act, told) == "20"
        assert found(act, told) == ["dealer.over-draw"]
        assert found(act, f"{told} | burn 0:4D") == []


@both
class TestClause7Insurance:
    """Up to half the wager against an ace, decided by the dealer's second card alone."""

    def test_of_a_surrendered_hand_lives(self, act: str) -> None:
        told = "a 20@1 | 1:KC 0:AS 1:6D | surrender 1 | i 10 insures a"
        assert net(act, f"{told} | 0:JH") == "0"
        assert net(act, f"{told} | 0:5H") == "-20"
        assert net(act, f"{told} | 0:JH", insurance_life="falls") == "-20"
        assert net(act, f"{told} | 0:5H", insurance_life="falls") == "-10"

    def test_the_bar_on_pontoon_holders_goes_by_box(self, act: str) -> None:
        told = "a 20@1 by Ann | b 20@2 by Ann | 1:AC 2:KC 0:AS 1:QD 2:6D | i 10 insures {} | stand 2 | 0:JH"
        assert net(act, told.format("b")) == "30"
        assert found(act, told.format("b")) == []
        assert found(act, told.format("a")) == ["insurance.pontoon-holder"]

    def test_is_capped_at_half_the_wager_insured(self, act: str) -> None:
        """The stakes of the player's other boxes do not add to it."""
        told = "a 40@1 by Ann | b 20@2 by Ann | 1:KC 2:AC 0:AS 1:6D 2:QD | i {} insures a | stand 1 | 0:JH"
        assert found(act, told.format("20")) == []
        assert found(act, told.format("30")) == ["insurance.over-half"]

    def test_of_an_odd_stake_is_capped_at_its_exact_half(self, act: str) -> None:
        told = f"{UNPAYABLE} | 1:KC 0:AS 1:6D | i {{}} insures a | stand 1 | 0:5C 0:3C"
        assert found(act, told.format("10")) == found(act, told.format("12.5")) == []
        assert found(act, told.format("15")) == ["insurance.over-half"]
        assert found(act, told.format("6")) == ["insurance.increment"]

    def test_closes_with_the_first_card_drawn(self, act: str) -> None:
        told = "a 20@1 | b 20@2 | 1:KC 2:KD 0:AS 1:3D 2:9D | 1:7C | i 10 insures b | stand 2 | 0:9C"
        assert found(act, told) == ["insurance.late"]

    def test_needs_an_ace(self, act: str) -> None:
        assert found(act, "a 20@1 | 1:KC 0:KS 1:8D | i 10 insures a | stand 1 | 0:7C") == ["insurance.no-ace"]


@both
class TestClause3Limits:
    """A wager above the maximum is paid and collected to the maximum; one below the minimum stands."""

    def test_a_wager_over_the_maximum_is_cut_in_every_amount(self, act: str) -> None:
        """3.5."""
        told = "sign max 200 | a 250@1 | 1:KC 0:QS 1:6D | surrender 1 | 0:8C"
        assert net(act, told) == "-100"
        assert net(act, told, over_max_base="as_placed") == "-125"
        assert found(act, told) == []
        assert noticed(act, told) == ["wager.above-max"]

    def test_wagers_on_one_box_are_not_cut_for_each_other(self, act: str) -> None:
        told = "sign max 200 {}| a 150@1 by Ann | b 100@1 by Bo | 1:KC 0:7S 1:9D | stand 1 | 0:KD"
        assert net(act, told.format(""), of="Bo") == "100"
        assert found(act, told.format("box_max 200 ")) == ["wager.box-total"]

    def test_a_wager_below_the_minimum_is_settled_all_the_same(self, act: str) -> None:
        """3.4: the log does not show the warning that would let a second one be returned."""
        told = "sign min 10 | a 5@1 | 1:KC 0:9S 1:7D | stand 1 | 0:KD"
        assert net(act, told) == "-5"
        assert noticed(act, told) == ["wager.below-min"]

    def test_a_wager_returned_after_a_warning_is_void(self, act: str) -> None:
        assert due(act, "sign min 10 | a 5@1 | 1:KC 0:9S 1:7D | stand 1 | void wager a") == {"a": "void"}

    def test_wagers_keep_to_the_multiples_on_the_sign(self, act: str) -> None:
        told = "sign multiples 5 | a {}@1 | 1:KC 0:9S 1:7D | stand 1 | 0:KD"
        assert found(act, told.format("15")) == []
        assert found(act, told.format("17")) == ["wager.multiples"]


class TestClause3And4PersonalLimit:
    """A personal limit raises its player in 2018; 3.2 of 2005 can be read to raise the whole box."""

    TOLD = "sign max 200 | a 600@1 by Ann limit 1000 | b 300@1 by Bo | 1:KC 0:7S 1:9D | stand 1 | 0:KD"

    @pytest.mark.parametrize(("reading", "won"), [("box", "300"), ("player", "200")])
    def test_2005_holds_both_readings(self, reading: str, won: str) -> None:
        question = book("act-2005").readings["personal_limit"]
        assert reading in (question.default, *question.alternatives)
        assert net("act-2005", self.TOLD, of="Ann", personal_limit=reading) == "600"
        assert net("act-2005", self.TOLD, of="Bo", personal_limit=reading) == won

    def test_2018_the_marker_raises_its_player_alone(self) -> None:
        assert net("act-2018", self.TOLD, of="Ann") == "600"
        assert net("act-2018", self.TOLD, of="Bo") == "200"
        assert net("act-2018", self.TOLD, of="Bo", personal_limit="box") == "300"

    @pytest.mark.parametrize("rulebook", ["act-2005", "act-2018"])
    def test_the_box_maximum_leaves_the_personal_limit_out(self, rulebook: str) -> None:
        """4.6."""
        told = (
            "sign max 200 box_max 200 | a 600@1 by Ann limit 1000 | b {}@1 by Bo | 1:KC 0:7S 1:9D "
            "| stand 1 | 0:KD"
        )
        assert found(rulebook, told.format("100")) == []
        assert net(rulebook, told.format("100"), of="Bo") == "100"


@both
class TestClause15Irregularities:
    """A misdealt round is rebuilt, and void once it cannot be."""

    DEALT = "a 20@1 | b 20@2 | 1:9C 2:8D 0:7S 2:KH 1:5C"

    def test_a_skipped_box_stands_as_dealt_until_it_is_rebuilt_or_void(self, act: str) -> None:
        played = f"{self.DEALT} | 1:4C | stand 1 | stand 2 | 0:QD"
        assert due(act, played) == {"a": "win 20", "b": "win 20"}
        assert found(act, played) == ["deal.order"]
        stood = f"{self.DEALT} | stand 1 | stand 2 | 0:QD"
        assert due(act, stood) == {"a": "lose 20", "b": "win 20"}
        rebuilt = f"{self.DEALT} | burn 1:5C | burn 2:KH | 1:KH 2:5C | irregularity reconstructed | stand 1"
        assert due(act, f"{rebuilt} | 2:6C | stand 2 | 0:QD") == {"a": "win 20", "b": "win 20"}
        assert found(act, f"{rebuilt} | 2:6C | stand 2 | 0:QD") == []

    def test_a_void_round_undoes_payments_already_made(self, act: str) -> None:
        """15.5, def:Void."""
        told = "a 20@1 | b 20@2 | 1:AC 2:8D 0:7S 1:KH 2:5C | a wins 30 | void round"
        assert due(act, told) == {"a": "void", "b": "void"}
        assert found(act, told) == ["settle.void"]
        assert found(act, f"{told} | undo a | a voided") == []


@both
class TestTable2SuperBonus:
    """Three suited sevens against a dealer's seven: 1,000, 5,000 from a stake of 25; 50 to the others."""

    SHARED = (
        "a 25@1 by Ann | b 10@1 by Bo | c 10@2 by Cy | p 5@2 perfect_pairs by Cy | 1:7H 2:8D 0:7C 1:7H 2:8C "
        "| 1:7H | split 2 with c2 10 on c | 2:9C | stand 2 | 2.2:9D | stand 2.2 | 0:JD"
    )

    def test_is_paid_on_top_of_table_1_by_each_stake(self, act: str) -> None:
        assert net(act, self.SHARED, of="Ann") == "5050"
        assert net(act, self.SHARED, of="Bo") == "1020"
        assert net(act, self.SHARED, of="Ann", super_bonus_with_table="instead") == "5000"
        assert net(act, self.SHARED, of="Bo", super_bonus_winners="controller") == "70"

    @pytest.mark.parametrize(
        ("reading", "lines"), [("main_and_split", 2), ("with_side_bets", 3), ("per_original", 1)]
    )
    def test_fifty_goes_to_every_other_main_and_split_wager(self, act: str, reading: str, lines: int) -> None:
        paid = due(act, self.SHARED, other_wagers_bonus=reading)
        mine = [line for wager, line in paid.items() if wager in ("c/bonus", "c2/bonus", "p/bonus")]
        assert mine == ["win 50"] * lines

    @pytest.mark.parametrize(("stake", "award"), [("24.99", "1000"), ("25", "5000"), ("1", "1000")])
    def test_goes_by_the_stake(self, act: str, stake: str, award: str) -> None:
        told = f"a {stake}@1 | 1:7H 0:7C 1:7H | 1:7H"
        assert due(act, told)["a/super_bonus"] == f"win {award}"

    @pytest.mark.parametrize(
        "cards", ["1:7H 0:7C 1:7D | 1:7H", "1:7H 0:8C 1:7H | 1:7H", "1:6H 0:7C 1:7H | 1:8H"]
    )
    def test_needs_three_suited_sevens_and_the_dealers_seven(self, act: str, cards: str) -> None:
        assert "a/super_bonus" not in due(act, f"a 25@1 | {cards}")

    def test_is_lost_by_splitting_suited_sevens(self, act: str) -> None:
        """11.10."""
        told = "a 25@1 | 1:7H 0:7C 1:7H | split 1 with a2 25 on a | 1:7H 1:7H | 1.2:KC | stand 1.2 | 0:KD"
        assert "a/super_bonus" not in due(act, told)

    def test_is_not_lost_by_splitting_unsuited_sevens(self, act: str) -> None:
        told = "a 25@1 | 1:7H 0:7C 1:7D | split 1 with a2 25 on a | 1:7H 1:7H | 1.2:KC | stand 1.2 | 0:KD"
        assert due(act, told)["a/super_bonus"] == "win 5000"
        assert due(act, told)["a2/bonus"] == "win 50"
        assert "a/super_bonus" not in due(act, told, super_bonus_excluded_by="any_split_or_double")

    def test_is_lost_to_the_whole_hand_by_the_controllers_double(self, act: str) -> None:
        """12.7 and 12.8."""
        told = "a 25@1 by Ann | b 25@1 by Bo | 1:7H 0:7C 1:7H | double 1 with ad 25 on a | 1:7H"
        assert due(act, told) == {"a": "win 25", "b": "win 25", "ad": "win 25"}


@both
class TestClause18SideWagers:
    """Pairs wagers on the first two cards of a box where the player has a main wager."""

    def test_each_winning_wager_is_paid(self, act: str) -> None:
        told = (
            "a 20@1 by Ann | b 20@2 by Ann | p 10@1 perfect_pairs by Ann | q 10@2 perfect_pairs by Ann "
            "| 1:7H 2:QS 0:9C 1:7C 2:QS | stand 1 | stand 2 | 0:JD"
        )
        assert {due(act, told)[each] for each in "pq"} == {"win 60", "win 250"}

    @pytest.mark.parametrize(
        ("second", "paid"), [("7C", "win 60"), ("7D", "win 120"), ("7H", "win 250"), ("8H", "lose 10")]
    )
    def test_perfect_pairs_pay_6_12_and_25(self, act: str, second: str, paid: str) -> None:
        told = f"a 20@1 | p 10@1 perfect_pairs | 1:7H 0:9C 1:{second} | 1:3C | stand 1 | 0:JD"
        assert due(act, told)["p"] == paid

    def test_a_king_and_a_queen_are_no_pair(self, act: str) -> None:
        told = "a 20@1 | p 10@1 perfect_pairs | 1:KH 0:9C 1:QH | stand 1 | 0:JD"
        assert due(act, told)["p"] == "lose 10"

    @pytest.mark.parametrize("second", ["7C", "9C"])
    def test_without_ones_own_main_wager_is_void_win_or_lose(self, act: str, second: str) -> None:
        told = f"a 20@1 by Ann | p 10@1 perfect_pairs by Bo | 1:7H 0:9C 1:{second} | stand 1 | 0:JD"
        assert due(act, told)["p"] == "void"
        assert found(act, told) == ["side-bet.without-main"]
        other = {"7C": "win 60", "9C": "lose 10"}[second]
        assert due(act, told, side_bet_needs="anyone")["p"] == other

    def test_is_settled_before_the_round_goes_on(self, act: str) -> None:
        late = "a 20@1 | p 10@1 perfect_pairs | 1:7H 0:9C 1:7D | 1:3C | stand 1 | 0:JD | p wins 120"
        assert found(act, late) == ["side-bet.settled-late"]


class TestClause18WhichSideWagers:
    """2018 knows two pairs wagers, one of them at a table, three on a box; 2005 knows one, uncapped."""

    FOUR = (
        "a 20@1 by Ann | b 20@1 by Bo | p 10@1 perfect_pairs by Ann | q 10@1 perfect_pairs by Ann "
        "| r 10@1 perfect_pairs by Bo | s 10@1 perfect_pairs by Bo | 1:7H 0:9C 1:7D | 1:3C | stand 1 | 0:JD"
    )
    KINGS = "a 20@1 | p 10@1 perfect_pairs | q 10@1 pair | 1:KH 0:9C 1:KC | stand 1 | 0:JD"

    def test_2018_a_fourth_on_a_box_is_settled_and_reported(self) -> None:
        """18.6."""
        assert due("act-2018", self.FOUR)["s"] == "win 120"
        assert found("act-2018", self.FOUR) == ["side-bet.too-many"]
        assert found("act-2005", self.FOUR) == []

    def test_2018_the_second_kind_at_a_table_is_not_on_offer(self) -> None:
        """18.1."""
        assert {wager: due("act-2018", self.KINGS)[wager] for wager in "pq"} == {"p": "win 60", "q": "void"}
        assert found("act-2018", self.KINGS) == ["side-bet.not-offered"]

    def test_2018_pairs_play_pays_11_for_any_pair(self) -> None:
        """18.23."""
        told = "a 20@1 | q 10@1 pair | 1:KH 0:9C 1:KC | stand 1 | 0:JD"
        assert due("act-2018", told)["q"] == "win 110"
        assert due("act-2005", told)["q"] == "void"


class TestClause7Of2018ThirdPartyInsurance:
    """2018 lets others insure a wager that its owner left uninsured; 2005 does not."""

    DEALT = "a 100@1 by Ann | b 50@2 by Bo | c 50@3 by Cy | 1:KC 2:KD 3:KH 0:AS 1:8D 2:8C 3:8H"
    ENDS = "stand 1 | stand 2 | stand 3 | 0:QS"

    def test_others_may_insure_what_the_owner_declined(self) -> None:
        told = f"{self.DEALT} | i 50 insures a by Bo | {self.ENDS}"
        assert due("act-2018", told)["i"] == "win 100"
        assert found("act-2018", told) == []
        assert found("act-2005", told) == ["insurance.third-party"]

    def test_all_of_it_together_is_capped_at_half(self) -> None:
        told = f"{self.DEALT} | i 50 insures a by Bo | j 50 insures a by Cy | {self.ENDS}"
        assert found("act-2018", told) == ["insurance.over-half"]

    def test_a_partial_insurance_leaves_nothing_to_others(self) -> None:
        told = f"{self.DEALT} | i 20 insures b | j 5 insures b by Cy | {self.ENDS}"
        assert found("act-2018", told) == ["insurance.third-party"]

    def test_nobody_may_insure_a_pontoon(self) -> None:
        told = (
            "a 100@1 by Ann | b 50@2 by Bo | 1:KC 2:KD 0:AS 1:AD 2:8C | i 50 insures a by Bo | stand 2 | 0:QS"
        )
        assert found("act-2018", told) == ["insurance.pontoon-holder"]
