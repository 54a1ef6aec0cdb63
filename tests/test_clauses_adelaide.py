"""SkyCity Adelaide, rules of August 2008: what each clause makes of a round.

Amounts are net of the stake: ``"-20"`` is a stake of 20 lost.
"""

from __future__ import annotations

import pytest

from tests.rounds import OPEN, audited, due, findings, found, net, noticed

ADL = "adelaide-2008"
FIFTIES = "a 50@1 | 1:8S 0:KH 1:8D | split 1 with a2 50 on a"


class TestRule120Rounding:
    """A win the chips cannot pay is raised, or, where multiples are posted, the stake is cut first."""

    @pytest.mark.parametrize(
        ("stake", "exact", "raised", "cut"), [("25", "37.5", "40", "30"), ("15", "22.5", "25", "15")]
    )
    def test_a_pontoon_on_an_odd_stake(self, stake: str, exact: str, raised: str, cut: str) -> None:
        dealt = f"a {stake}@1 | 1:AC 0:9H 1:KD"
        assert net(ADL, f"sign chip 5 min 10 | {dealt}") == raised
        assert net(ADL, f"sign chip 5 min 10 multiples 10 | {dealt}") == cut
        assert net(ADL, f"sign chip 5 min 10 | {dealt}", amounts="exact") == exact
        assert net(ADL, f"sign min 10 | {dealt}") == exact

    @pytest.mark.parametrize(
        "told", ["sign chip 2 min 5 multiples 5 | a 15@1", "sign chip 5 min 10 multiples 5 | a 5@1"]
    )
    def test_what_stays_unpayable_is_open(self, told: str) -> None:
        """A cut that leaves nothing of a stake is no way to pay it."""
        assert net(ADL, f"{told} | 1:AC 0:9H 1:KD") == OPEN

    def test_half_of_a_surrendered_stake_is_exact(self) -> None:
        assert net(ADL, "sign chip 5 min 10 | a 25@1 | 1:KC 0:QH 1:6D | surrender 1 | 0:9D") == "-12.5"

    @pytest.mark.parametrize(("stake", "code"), [("10", []), ("12.5", []), ("15", ["insurance.over-half"])])
    def test_insurance_on_an_odd_stake(self, stake: str, code: list[str]) -> None:
        told = f"sign chip 5 | a 25@1 | 1:KC 0:AH 1:8D | i {stake} insures a | stand 1 | 0:7D"
        assert found(ADL, told) == code


class TestRule49And70Surrender:
    """In each box's own turn, each wagerer for himself."""

    def test_is_open_in_the_boxs_own_turn(self) -> None:
        told = (
            "a 20@1 | b 20@2 | c 40@3 | 1:5C 2:5D 3:KC 0:QH 1:4D 2:4C 3:6D | 1:8C | stand 1 | 2:8D | stand 2"
        )
        late = f"{told} | surrender 3 | 0:KD"
        assert net(ADL, late, of="P3") == "-20"
        assert found(ADL, late) == []
        assert found(ADL, late, surrender_window="before_any_draw") == ["surrender.timing"]
        assert net(ADL, f"{told} | stand 3 | 0:KD", of="P3") == "-40"

    def test_is_over_once_the_box_has_drawn(self) -> None:
        assert found(ADL, "a 20@1 | 1:9C 0:QH 1:4D | 1:2C | surrender 1 | 0:9D") == ["surrender.timing"]

    def test_when_the_controller_surrenders_the_next_plays_on(self) -> None:
        """71, 73."""
        told = "a 100@1 by Ann | b 50@1 by Bo | 1:KC 0:QH 1:6D | surrender 1 only a | 1:5S | 0:9D"
        assert (net(ADL, told, of="Ann"), net(ADL, told, of="Bo")) == ("-50", "50")
        assert found(ADL, told) == []

    def test_the_next_in_line_may_split_what_is_left(self) -> None:
        told = (
            "a 50@1 by Ann | b 50@1 by Bo | 1:8C 0:QH 1:8D | surrender 1 only a | split 1 with b2 50 on b "
            "| 1:KC | stand 1 | 1.2:9C | stand 1.2 | 0:7D"
        )
        assert due(ADL, told) == {"a": "surrender 25", "b": "win 50", "b2": "stand_off"}
        assert found(ADL, told) == []

    def test_a_co_wagerer_may_surrender_alone(self) -> None:
        told = "a 50@1 by Ann | b 50@1 by Bo | 1:KC 0:QH 1:6D | surrender 1 only b | stand 1 | 0:9D"
        assert found(ADL, told) == []

    def test_a_dealers_pontoon_takes_the_whole_stake(self) -> None:
        """72."""
        assert net(ADL, "a 40@1 | 1:KC 0:QH 1:6D | surrender 1 | 0:AD") == "-40"

    def test_a_split_hand_may_not_be_surrendered(self) -> None:
        """67, 69."""
        dealt = "a 50@1 | 1:8S 0:AH 1:8D | split 1 with a2 50 on a | 1:KC | stand 1 | 1.2:7C"
        told = f"{dealt} | surrender 1.2 | 0:8D | a2 surrenders 25"
        assert found(ADL, told) == ["surrender.after-split"]
        assert due(ADL, f"{dealt} | stand 1.2 | 0:8D")["a2"] == "lose 50"


class TestRule27Table1:
    """Five, six and seven cards are paid on any winning hand; one row a hand."""

    @pytest.mark.parametrize(
        ("cards", "dealer", "any_hand", "total_21"),
        [
            ("2C 3D 4H 5S 5C", "9H 9D", "30", "20"),
            ("2C 3D 2H 2S 3H 4C 4D", "KH 9D", "60", "20"),
            ("2C 3D 4H 5S 7C", "KH 9D", "30", "30"),
        ],
    )
    def test_card_counts_below_21(self, cards: str, dealer: str, any_hand: str, total_21: str) -> None:
        first, second, *further = cards.split()
        upcard, hole = dealer.split()
        drawn = " ".join(f"1:{card}" for card in further)
        told = f"a 20@1 | b 20@2 | 1:{first} 2:KC 0:{upcard} 1:{second} 2:8D | {drawn} | stand 2 | 0:{hole}"
        assert net(ADL, told, of="P1") == any_hand
        assert net(ADL, told, of="P1", card_count_rows="total_21") == total_21

    def test_a_low_five_card_hand_has_to_win_first(self) -> None:
        told = "a 20@1 | 1:2C 0:9H 1:3D | 1:4H 1:5S 1:4C | stand 1 | 0:9D"
        assert due(ADL, told) == {"a": "stand_off"}

    def test_even_money_on_five_cards_is_ambiguous(self) -> None:
        told = "a 20@1 | 1:2C 0:9H 1:3D | 1:4H 1:5S 1:5C | stand 1 | 0:9D | a wins 20"
        (finding,) = audited(ADL, told)
        assert (finding.code, finding.severity) == ("settle.odds", "ambiguous")
        assert finding.depends_on == "card_count_rows=total_21"

    def test_a_spade_run_earns_the_spade_row_alone(self) -> None:
        assert net(ADL, "a 20@1 | 1:6S 0:9H 1:7S | 1:8S") == "60"


class TestRule26And76LastCards:
    """With only surrender or insurance at stake one dealer card is due and no more."""

    def test_insurance_outlives_a_bust_hand(self) -> None:
        told = "a 40@1 | 1:KC 0:AH 1:6D | i 20 insures a | 1:9S"
        assert net(ADL, f"{told} | 0:KD") == "0"
        assert net(ADL, f"{told} | 0:KD", insurance_life="falls") == "-40"
        assert found(ADL, f"{told} | 0:KD") == []
        assert found(ADL, f"{told} | 0:5D 0:9C") == ["dealer.needless-draw"]

    def test_a_card_with_nothing_at_stake_is_needless_by_the_default_reading(self) -> None:
        """52, 76."""
        told = "a 20@1 | 1:KC 0:8H 1:6D | 1:9C"
        assert found(ADL, told) == []
        assert found(ADL, f"{told} | 0:9D") == ["dealer.needless-draw"]
        (finding,) = audited(ADL, f"{told} | 0:9D")
        assert finding.severity == "ambiguous"

    def test_a_pontoon_holder_may_not_insure(self) -> None:
        """59."""
        assert found(ADL, "a 20@1 | 1:AC 0:AH 1:KD | a wins 30 | i 10 insures a | 0:9D") == [
            "insurance.pontoon-holder"
        ]


class TestRule62Double:
    """Two cards of hard 9, 10 or 11; both portions are at risk to a dealer's Pontoon."""

    @pytest.mark.parametrize(
        ("cards", "code"),
        [
            ("5C 4D", []),
            ("6C 5D", []),
            ("AC 8D", ["double.hand"]),
            ("5C 3D", ["double.hand"]),
            ("9C 3D", ["double.hand"]),
        ],
    )
    def test_takes_hard_9_10_and_11(self, cards: str, code: list[str]) -> None:
        first, second = cards.split()
        told = f"a 50@1 | 1:{first} 0:9H 1:{second} | double 1 with ad 50 on a | 1:7H | 0:QD"
        assert found(ADL, told) == code

    def test_takes_no_third_card(self) -> None:
        told = "a 50@1 | 1:2C 0:9H 1:3D | 1:5S | double 1 with ad 50 on a | 1:7H | 0:QD"
        assert found(ADL, told) == ["double.hand"]

    def test_an_ace_doubled_against_the_rule_is_settled_as_it_lies(self) -> None:
        """No rule fixes the ace of a double."""
        dealt = "a 50@1 | 1:AC 0:8H 1:8D"
        assert net(ADL, f"{dealt} | double 1 with ad 50 on a | 1:2C") == "100"
        assert net(ADL, f"{dealt} | stand 1 | 0:9D") == "50"

    def test_a_live_double_loses_both_portions_to_a_pontoon(self) -> None:
        """10(b), 63."""
        told = "a 50@1 | 1:6S 0:KH 1:5D | double 1 with ad 50 on a | 1:4C | 0:AC"
        assert net(ADL, told) == "-100"
        assert (
            net(ADL, told, dealer_pontoon_double="original_per_box", dealer_pontoon_split="original_cap")
            == "-50"
        )

    def test_a_doubled_21_is_paid_at_once(self) -> None:
        """9(d), 60."""
        told = "a 50@1 | b 20@2 | 1:6S 2:KD 0:KH 1:5D 2:8D | double 1 with ad 50 on a | 1:KS | stand 2 | 0:AC"
        assert net(ADL, told, of="P1") == "100"

    def test_a_forfeit_is_open_until_the_dealers_second_card(self) -> None:
        """64(a)."""
        doubled = "a 50@1 | 1:6S 0:9H 1:4D | double 1 with ad 50 on a | 1:2C"
        assert net(ADL, f"{doubled} | forfeit a") == "-50"
        assert found(ADL, f"{doubled} | forfeit a") == []
        assert found(ADL, f"{doubled} | 0:QC | forfeit a") == ["forfeit.eligibility"]
        assert net(ADL, f"{doubled} | 0:QC") == "-100"

    def test_a_forfeit_at_21_is_a_breach(self) -> None:
        (finding,) = findings(ADL, "a 50@1 | 1:6S 0:9H 1:5D | double 1 with ad 50 on a | 1:KC | forfeit a")
        assert (finding.code, finding.severity) == ("forfeit.eligibility", "breach")

    def test_a_co_wagerer_who_does_not_double_is_paid_even_money(self) -> None:
        """64."""
        told = "a 20@1 by Ann | b 20@1 by Bo | 1:6C 0:9H 1:5D | double 1 with ad 20 on a | 1:9D | 0:8C"
        assert net(ADL, told, of="Bo") == "20"


class TestRule67Split:
    """Three hands; equal values; a pair once declined stays whole; live stakes lose to a Pontoon."""

    @pytest.mark.parametrize(
        ("first", "all_live", "plus_one", "cap"),
        [
            ("1:KC | stand 1", "-100", "-50", "-50"),
            ("1:5S 1:8C", "0", "0", "0"),
            ("1:6C 1:KC", "-100", "-100", "-50"),
        ],
        ids=["live", "paid 21", "bust"],
    )
    def test_every_live_hand_loses_to_a_pontoon(
        self, first: str, all_live: str, plus_one: str, cap: str
    ) -> None:
        """10(b), 69; the other rulebooks' readings are not to be imported."""
        told = f"{FIFTIES} | {first} | 1.2:KD | stand 1.2 | 0:AC"
        assert net(ADL, told) == all_live
        assert net(ADL, told, dealer_pontoon_split="busted_plus_one") == plus_one
        assert net(ADL, told, dealer_pontoon_split="original_cap") == cap

    def test_unlike_tens_may_be_split(self) -> None:
        """65."""
        told = (
            "a 50@1 | 1:KC 0:6H 1:QD | split 1 with a2 50 on a | 1:JC | stand 1 | 1.2:9C "
            "| stand 1.2 | 0:KD 0:2C"
        )
        assert net(ADL, told) == "100"
        assert found(ADL, told) == []

    def test_three_hands_and_no_fourth(self) -> None:
        three = "a 25@1 | 1:8S 0:6H 1:8D | split 1 with b 25 on a | 1:8C | split 1 with c 25 on a | 1:8H"
        ends = "1.3:KH | stand 1.3 | 1.2:KD | stand 1.2 | 0:KC 0:9C"
        assert found(ADL, f"{three} | stand 1 | {ends}") == []
        fourth = f"{three} | split 1 with d 25 on a | 1:KS | stand 1 | 1.4:KC | stand 1.4 | {ends}"
        assert found(ADL, fourth) == ["split.too-many-hands"]
        assert net(ADL, fourth) == "100"

    def test_a_pair_once_kept_is_not_split_later(self) -> None:
        """67(b), 68."""
        dealt = f"{FIFTIES} | 1:8C"
        kept = f"{dealt} | 1:5C | stand 1 | 1.2:8H | split 1.2 with a3 50 on a2 | 1.2:KC | stand 1.2 | 1.3:KD"
        assert found(ADL, f"{kept} | stand 1.3 | 0:8C") == ["split.declined"]
        split = (
            f"{dealt} | split 1 with a3 50 on a | 1:KC | stand 1 | 1.3:KD | stand 1.3 | 1.2:KS | stand 1.2"
        )
        assert found(ADL, f"{split} | 0:8C") == []

    def test_a_co_wagerer_who_does_not_split_rides_on_the_first_hand(self) -> None:
        """81."""
        told = "a 20@1 by Ann | b 20@1 by Bo | 1:8S 0:7H 1:8D | split 1 with a2 20 on a | {} "
        ends = "| 1:KC | stand 1 | 1.2:9C | stand 1.2 | 0:JD"
        assert net(ADL, told.format("") + ends, of="Bo") == "20"
        assert found(ADL, told.format("assign b 1.2") + ends) == ["split.later-hand"]


class TestRule119Limits:
    """A stake over the maximum is cut, the double and each split stake for themselves."""

    def test_original_and_double_are_cut_separately(self) -> None:
        told = "sign max 100 | a 150@1 | 1:6C 0:9H 1:5D | double 1 with ad 150 on a | 1:9D | 0:8C"
        assert net(ADL, told) == "200"
        assert found(ADL, told) == []

    def test_one_main_wager_a_player_on_a_box(self) -> None:
        """12."""
        told = "a 20@1 by Ann | b 20@1 by Ann | 1:KC 0:9H 1:8D | stand 1 | 0:8C"
        assert found(ADL, told) == ["wager.second-main"]

    def test_a_stake_under_the_minimum_is_settled(self) -> None:
        """118."""
        told = "sign min 10 | a 5@1 | 1:AC 0:9H 1:KD"
        assert net(ADL, told) == "7.5"
        assert net(ADL, f"{told} | void wager a") == "0"


class TestRule95PerfectPairs:
    """5, 10 and 25 to 1, on any box with a main wager; three on a box."""

    @pytest.mark.parametrize(
        ("second", "paid"), [("7C", "win 50"), ("7D", "win 100"), ("7H", "win 250"), ("8H", "lose 10")]
    )
    def test_anyones_main_wager_carries_it(self, second: str, paid: str) -> None:
        told = f"a 20@1 by Ann | p 10@1 perfect_pairs by Bo | 1:7H 0:9C 1:{second} | 1:3C | stand 1 | 0:9D"
        assert due(ADL, told)["p"] == paid
        assert found(ADL, told) == []

    def test_under_the_other_reading_it_needs_ones_own(self) -> None:
        told = "a 20@1 by Ann | p 10@1 perfect_pairs by Bo | 1:7H 0:9C 1:7D | stand 1 | 0:9D"
        assert "side-bet.without-main" in found(ADL, told, side_bet_needs="own")

    def test_a_fourth_on_a_box_is_a_breach(self) -> None:
        side = " | ".join(f"p{n} 10@1 perfect_pairs by P{n}" for n in range(4))
        told = f"a 20@1 | {side} | 1:7H 0:9C 1:8D | 1:3C | stand 1 | 0:9D"
        assert found(ADL, told) == ["side-bet.too-many"]

    @pytest.mark.parametrize(("decks", "code"), [("6", []), ("5", ["deck.count-range"])])
    def test_takes_six_decks_or_more(self, decks: str, code: list[str]) -> None:
        """5."""
        told = f"decks {decks} | offers perfect_pairs | a 20@1 | 1:KC 0:9H 1:8D | stand 1 | 0:8C"
        assert found(ADL, told) == code


class TestRule51Bust:
    """A bust hand is lost at once, a 21 is paid at once."""

    def test_a_bust_hand_loses_to_a_dealer_bust_on_the_same_total(self) -> None:
        told = "a 20@1 | b 20@2 | 1:KC 2:9D 0:6H 1:5D 2:9C | 1:7C | stand 2 | 0:9S 0:7D"
        assert due(ADL, told) == {"a": "lose 20", "b": "win 20"}

    def test_a_21_nobody_noticed_is_paid_as_it_was(self) -> None:
        """57, 60."""
        told = "a 20@1 | 1:AC 0:9H 1:3D | 1:7C 1:6S | stand 1 | 0:8C"
        assert net(ADL, told) == "20"
        assert "draw.on-21" in found(ADL, told)


class TestRule103ExposedCard:
    """Who refuses an exposed card gets no more, even below 12."""

    def test_the_refuser_stays_where_he_is(self) -> None:
        told = "a 20@1 | 1:6C 0:9H 1:4D | irregularity exposed_card 1 | stand 1 | burn KC | 0:9D"
        assert net(ADL, told) == "-20"
        assert found(ADL, told) == []


class TestRule105ShortHands:
    """A hand left below 12 is finished after the dealer: paid if he busts, a stand-off on his Pontoon."""

    DEALT = "a 50@1 | 1:7C 0:KH 1:4D | stand 1"

    def test_a_dealers_pontoon_stands_off(self) -> None:
        """106(c)."""
        assert due(ADL, f"{self.DEALT} | 0:AC") == {"a": "stand_off"}

    def test_a_dealers_bust_pays(self) -> None:
        """106(a)."""
        assert due(ADL, f"{self.DEALT} | 0:5C 0:8D") == {"a": "win 50"}

    def test_five_cards_are_paid_by_their_row(self) -> None:
        """106(a): paid as a winner is paid by Table 1 (27)."""
        told = "a 50@1 | 1:2C 0:KH 1:2D | 1:2H 1:2S 1:3D | stand 1 | 0:5C 0:8D"
        assert due(ADL, told) == {"a": "win 75"}
        assert due(ADL, told, card_count_rows="total_21") == {"a": "win 50"}
        assert found(ADL, told) == ["draw.below-12"]
        findings = {each.code: each for each in audited(ADL, f"{told} | a wins 50")}
        assert findings["settle.odds"].depends_on == "card_count_rows=total_21"

    def test_otherwise_the_log_cannot_show_what_the_player_chose(self) -> None:
        assert due(ADL, f"{self.DEALT} | 0:QC") == {"a": OPEN}
        assert due(ADL, f"{self.DEALT} | 0:QC | withdraw a") == {"a": "void"}

    def test_below_12_is_reported(self) -> None:
        assert found(ADL, f"{self.DEALT} | 0:QC") == ["draw.below-12"]

    def test_a_late_first_card_makes_no_pontoon(self) -> None:
        """105(d): a king and an ace are then a 21."""
        dealt = "a 50@1 | 1:9C 1:7D | irregularity missed_first_card 0 | {} | 0:KC 0:AD"
        assert due(ADL, dealt.format("stand 1")) == {"a": "lose 50"}
        assert due(ADL, dealt.format("withdraw a")) == {"a": "void"}
        assert "surrender.timing" in found(ADL, dealt.format("surrender 1"))


class TestRule105SurrenderAfterALateFirstCard:
    """105(d)(ii): players may leave for nothing or play on; the offer of surrender is of the initial deal."""

    TOLD = (
        "a 20@1 | b 20@2 | 1:7S 2:KS 1:4H 2:8D | 1:9D | stand 1 | irregularity missed_first_card | 0:KC "
        "| {} | 0:AC"
    )

    def test_comes_too_late(self) -> None:
        told = self.TOLD.format("surrender 2")
        assert "surrender.timing" in found(ADL, told)
        assert due(ADL, told)["b"] == "surrender 10"
        assert due(ADL, f"{told} | b loses 20")["b"] == "lose 20"
        assert "surrender.timing" not in found(ADL, self.TOLD.format("stand 2"))


class TestRule105FirstCardMissed:
    """105(d) is of a dealer who lacks his first card after the initial deal; before, 105(a) mends it."""

    IN_THE_DEAL = "a 20@1 | 1:KC | {}0:KH 1:6D | surrender 1 | 0:AD"

    @pytest.mark.parametrize("box", ["", " 0", " 1"])
    def test_noticed_in_the_initial_deal(self, box: str) -> None:
        told = self.IN_THE_DEAL.format(f"irregularity missed_first_card{box} | ")
        assert due(ADL, told) == {"a": "lose 20"}
        assert "settle.surrender" in found(ADL, f"{told} | a surrenders 10")
        insured = told.replace("0:KH", "0:AH").replace("surrender 1", "i 10 insures a | stand 1")
        assert "insurance.late" not in found(ADL, insured)


class TestRule106OneHandShort:
    """105(b), 105(c), 106: only the hand that was reported short, and from then on."""

    DEALT = "a 20@1 | b 20@2 | 1:5C 2:KD 0:KH 1:4D 2:6H"
    PASSED = f"{DEALT} | 2:2C | stand 2 | 0:8D | {{}}1:9C"
    OTHER = f"{DEALT} | 1:9C | {{}}0:8D | 2:2C | stand 2"

    def test_it_is_finished_after_the_dealer(self) -> None:
        told = self.PASSED.format("irregularity short_hand 1 | ")
        assert "dealer.early-second-card" not in found(ADL, told)
        assert "deal.turn-order" not in found(ADL, told)
        for reported in ("", "irregularity short_hand 2 | "):
            assert "dealer.early-second-card" in found(ADL, self.PASSED.format(reported))

    def test_no_other_is(self) -> None:
        assert "dealer.early-second-card" in found(ADL, self.OTHER.format("irregularity short_hand 1 | "))
        assert "dealer.early-second-card" in found(ADL, f"{self.OTHER.format('')} | irregularity short_hand")

    def test_turns_of_others_are_looked_at(self) -> None:
        told = f"{self.DEALT} | irregularity short_hand 3 | 2:2C | 1:9C | stand 1 | stand 2 | 0:8D"
        assert found(ADL, told) == ["deal.turn-order"]


class TestRule107OthersOnAHandGivenUp:
    """107: the others' wagers are void with the controlling player's, and nobody left the hand below 12."""

    TOLD = "a 20@1 by Ann | b 10@1 by Bo | c 20@2 | 1:5C 2:KD 0:9H 1:4D 2:9C | {}withdraw a | stand 2 | 0:8D"

    def test_leaves_nothing_below_12(self) -> None:
        told = self.TOLD.format("irregularity short_hand 1 | ")
        assert due(ADL, told)["b"] == "void"
        assert found(ADL, told) == []

    def test_on_the_hand_from_a_split_that_is_given_up(self) -> None:
        told = (
            "a 20@1 by Ann | b 10@1 by Bo | c 20@2 | 1:8C 2:KD 0:9H 1:8D 2:9C "
            "| split 1 with s 20 on a, t 10 on b | 1:KC | stand 1 | 1.2:2C | stand 1.2 | stand 2 "
            "| irregularity short_hand 1 | withdraw {} | 0:8D"
        )
        assert due(ADL, told.format("s")) == {
            "a": "win 20",
            "b": "win 10",
            "c": "win 20",
            "s": "void",
            "t": "void",
        }
        assert due(ADL, told.format("t"))["s"] == OPEN


class TestRule6Joker:
    """A promotional joker is no card of the hand: the next card takes its place."""

    def test_the_next_card_replaces_it(self) -> None:
        told = "a 20@1 | 1:2C 0:9H 1:4D | 1:JK 1:6S 1:9D"
        assert net(ADL, told) == "20"
        assert found(ADL, told) == []
        assert noticed(ADL, told) == ["deck.foreign-card"]

    def test_in_the_initial_deal_too(self) -> None:
        told = "a 20@1 | b 20@2 | 1:2C 2:JK 2:9C 0:9H 1:4D 2:9D | 1:6S 1:9S | stand 2 | 0:8C"
        assert found(ADL, told) == []


class TestRule113Invalidation:
    """A round the house invalidates is undone, interim payments included."""

    def test_a_paid_pontoon_goes_back(self) -> None:
        told = "a 50@1 | b 20@2 | 1:AC 2:9C 0:9H 1:KD 2:9D | a wins 75 | void round"
        assert due(ADL, told) == {"a": "void", "b": "void"}
        assert found(ADL, told) == ["settle.void"]


class TestRule6JokerTakenOff:
    """A joker taken off a hand again takes no card of the hand along."""

    def test_the_cards_before_it_stay(self) -> None:
        told = "a 20@1 | 1:KC 0:6H 1:6D | 1:JK | burn 1:JK | 1:4C | stand 1 | 0:KD 0:3D"
        assert due(ADL, told) == {"a": "win 20"}
        assert found(ADL, told) == []


class TestRule67And68UnreadPair:
    """A pair that nobody read was not declined."""

    def test_two_cards_of_which_one_was_not_read(self) -> None:
        told = (
            "a 20@1 | 1:8S 0:6H 1:8D | split 1 with a2 20 on a | 1:{} 1:2C | stand 1 | 1.2:8H "
            "| split 1.2 with a3 20 on a | 1.2:KD | stand 1.2 | 1.3:KC | stand 1.3 | 0:KS 0:2D"
        )
        assert found(ADL, told.format("8C")) == ["split.declined"]
        assert found(ADL, told.format("??")) == []


class TestRule81StaysOnItsHand:
    """A split wager stays on its hand when that is split again, and a main wager on the first."""

    TOLD = (
        "a 20@1 by Ann | b 10@1 by Bo | 1:8S 0:6H 1:8D | split 1 with a2 20 on a, b2 10 on b | 1:KC "
        "| stand 1 | 1.2:8C | split 1.2 with a3 20 on a | assign b2 1.{} | 1.2:KS | stand 1.2 | 1.3:KD "
        "| stand 1.3 | 0:KH 0:3D"
    )

    @pytest.mark.parametrize(("hand", "codes"), [("2", []), ("3", ["split.later-hand"])])
    def test_a_split_wager(self, hand: str, codes: list[str]) -> None:
        assert found(ADL, self.TOLD.format(hand)) == codes


class TestRule105dAnd107Withdrawal:
    """107 takes all on a short hand along with the controlling player; 105(d)(ii) leaves each his choice."""

    def test_after_a_late_first_card_the_others_play_on(self) -> None:
        told = (
            "a 20@1 by Ann | b 10@1 by Bo | 1:6C 1:4D | 1:2C | irregularity missed_first_card | 0:KH "
            "| withdraw a | 1:9C | 0:7D"
        )
        assert due(ADL, told) == {"a": "void", "b": "win 10"}

    def test_and_the_next_decides(self) -> None:
        told = (
            "a 20@1 by Ann | b 10@1 by Bo | c 10@2 | 1:6C 2:KC 1:4D 2:9D | stand 2 "
            "| irregularity missed_first_card | 0:6H | withdraw a | double 1 with d 10 on b | 1:9C "
            "| 0:KD 0:2D"
        )
        assert "double.not-controller" not in found(ADL, told)

    def test_from_a_short_hand_the_others_go_too(self) -> None:
        told = (
            "a 20@1 by Ann | b 10@1 by Bo | 1:6C 0:9H 1:4D | stand 1 | 0:8D | irregularity short_hand 1 "
            "| withdraw a"
        )
        assert due(ADL, told) == {"a": "void", "b": "void"}

    @pytest.mark.parametrize("box", ["", " 1"])
    def test_one_that_is_seen_to_be_short_binds_whatever_was_reported(self, box: str) -> None:
        told = f"a 20@1 by Ann | b 10@1 by Bo | 1:6C 0:9H 1:4D | irregularity other{box} | withdraw a | 0:8D"
        assert due(ADL, told) == {"a": "void", "b": "void"}

    def test_from_a_hand_with_all_its_cards_nobody_goes_with_him(self) -> None:
        dealt = "a 20@1 by Ann | b 10@1 by Bo | 1:KC 0:9H 1:9D"
        told = f"{dealt} | withdraw a | stand 1 | 0:8D"
        assert due(ADL, told) == {"a": "void", "b": "win 10"}
        assert "settle.outcome" in found(ADL, f"{told} | a voided | b voided")
        assert found(ADL, f"{told} | a voided | b wins 10") == []


class TestRule106HandFinishedLate:
    """A hand that failed to draw to 12 (50(a)) may still draw once that is reported, after the dealer too."""

    TOLD = "a 50@1 | 1:7C 0:KS 1:4D | stand 1 | 0:QD"

    @pytest.mark.parametrize(
        ("drawn", "due_"),
        [("1:9D", "stand_off"), ("1:KD", "win 50"), ("1:4D 1:KD", "lose 50")],
        ids=["20", "21", "over 21"],
    )
    def test_counts_with_the_cards_that_it_then_draws(self, drawn: str, due_: str) -> None:
        told = f"{self.TOLD} | irregularity short_hand 1 | {drawn}"
        assert due(ADL, told) == {"a": due_}
        assert found(ADL, told) == []

    def test_not_before_it_is_reported(self) -> None:
        assert "draw.after-stand" in found(ADL, f"{self.TOLD} | 1:9D | irregularity short_hand 1")

    def test_nor_a_hand_that_stood_on_12(self) -> None:
        told = "a 50@1 | 1:7C 0:KS 1:5D | stand 1 | 0:QD | irregularity short_hand 1 | 1:9D"
        assert found(ADL, told) == ["draw.after-stand"]
        assert due(ADL, told) == {"a": OPEN}

    def test_before_the_dealers_second_card(self) -> None:
        """105(c)."""
        told = (
            "a 50@1 | c 20@2 | 1:7C 2:KC 0:KS 1:4D 2:2D | stand 1 | 2:8D | irregularity short_hand 1 | 1:9D "
            "| 0:QD"
        )
        assert due(ADL, told) == {"a": "stand_off", "c": "stand_off"}
        assert found(ADL, told) == []


class TestRule106HandConcluded:
    """106(a), 106(c): a dealer over 21 or with Pontoon leaves a short hand nothing to draw for."""

    DEALT = "a 20@1 | b 20@2 | 1:5C 2:9H 0:{} 1:4D 2:9D | stand 2 | 0:{} | irregularity short_hand{} | {}"
    DRAWN = ("1:7C", "1:2C 1:KC", "1:5C 1:KC")

    @pytest.mark.parametrize("box", ["", " 1"])
    @pytest.mark.parametrize("drawn", DRAWN, ids=["16", "21", "over 21"])
    def test_a_card_that_it_then_gets_does_not_count(self, drawn: str, box: str) -> None:
        for dealer, second, due_ in (("9C", "5D 0:KD", "win 20"), ("KC", "AD", "stand_off")):
            told = self.DEALT.format(dealer, second, box, drawn)
            assert due(ADL, told)["a"] == due_
            assert found(ADL, told) == ["irregularity.short-hand"]
            assert "settle.outcome" in found(ADL, f"{told} | a loses 20")

    def test_one_before_the_dealer_is_done_counts(self) -> None:
        told = self.DEALT.format("9C", "5D", " 1", "1:5C 1:KC | 0:KD")
        assert due(ADL, told)["a"] == "lose 20"

    def test_nor_does_the_second_card_of_a_split_hand(self) -> None:
        split = "a 20@1 | 1:8S 0:KC 1:8D | split 1 with s 20 on a | 1:KD | stand 1 | 0:AD"
        told = f"{split} | irregularity short_hand 1 | 1.2:KH"
        assert due(ADL, told) == {"a": "lose 20", "s": "stand_off"}

    def test_where_the_dealer_stands_it_counts(self) -> None:
        told = self.DEALT.format("9C", "8D", " 1", "1:7C 1:KC")
        assert due(ADL, told)["a"] == "lose 20"
        assert found(ADL, told) == []


class TestRule106ReportWithoutBox:
    """106: a report that names no box is about the hands which had too few cards."""

    DEALT = "a 20@1 | b 20@2 | c 20@3 | 1:5S 2:5H 3:9H 0:9C 1:4D 2:4C 3:9D | stand 3 | 0:8D"

    def test_they_are_finished_from_left_to_right(self) -> None:
        told = f"{self.DEALT} | irregularity short_hand"
        assert found(ADL, f"{told} | 1:KD | 2:KC") == []
        assert found(ADL, f"{told} | 2:KC | 1:KD") == ["irregularity.short-hand"]
        assert found(ADL, f"{told} | irregularity short_hand 2 | 2:KC | 1:KD") == ["irregularity.short-hand"]

    def test_after_the_dealer(self) -> None:
        told = self.DEALT.replace("0:8D", "0:5D")
        assert found(ADL, f"{told} | irregularity short_hand | 1:KD | 0:3D | 2:KC") == [
            "irregularity.short-hand"
        ]
        assert found(ADL, f"{told} | 0:3D | irregularity short_hand | 1:KD | 2:KC") == []


class TestRule106HandOfOneCard:
    """A hand with one card has too few: a dealer over 21 pays it, and his Pontoon is a stand-off."""

    SPLIT = "a 20@1 | 1:8S 0:{} 1:8D | split 1 with s 20 on a | 1:KC | stand 1 | stand 1.2 | {}"
    REPORTED = "a 20@1 | b 20@2 | 1:8S 2:KC 0:6H 2:9D | stand 2 | 0:KD 0:9H | irregularity short_hand 1"

    def test_of_a_split(self) -> None:
        assert due(ADL, self.SPLIT.format("6H", "0:KD 0:9H"))["s"] == "win 20"
        assert due(ADL, self.SPLIT.format("AH", "0:KD"))["s"] == "stand_off"
        assert due(ADL, self.SPLIT.format("9H", "0:KD"))["s"] == OPEN

    def test_collected_all_the_same(self) -> None:
        told = self.SPLIT.format("6H", "0:KD 0:9H")
        assert found(ADL, told) == ["draw.below-12"]
        assert found(ADL, f"{told} | s loses 20") == ["draw.below-12", "settle.outcome"]

    def test_of_the_initial_deal_where_the_table_reported_it(self) -> None:
        assert due(ADL, self.REPORTED)["a"] == "win 20"
        assert due(ADL, self.REPORTED.replace(" | irregularity short_hand 1", ""))["a"] == OPEN

    def test_no_other_rulebook_says_so(self) -> None:
        assert due("nz-2000", self.SPLIT.format("6H", "0:KD 0:9H"))["s"] == OPEN


class TestRule25ByTheSecondCard:
    """Insurance wins on a king, queen or jack as the second card, whether or not that makes Pontoon."""

    LATE = (
        "a 20@1 | 1:KC 1:8D | 1:2C | irregularity missed_first_card | 0:AH | stand 1 | i 10 insures a | 0:{}"
    )

    def test_after_an_ace_that_came_late(self) -> None:
        """105(d)(iii): a 21, on which the insurance that should not have been offered wins all the same."""
        assert due(ADL, self.LATE.format("KD"))["i"] == "win 20"
        assert due(ADL, self.LATE.format("9D"))["i"] == "lose 10"
        assert "settle.insurance" in found(ADL, self.LATE.format("KD") + " | i loses 10")

    @pytest.mark.parametrize("rulebook", [ADL, "nz-2000"])
    @pytest.mark.parametrize("first", ["9H", "KH"])
    def test_without_an_ace_it_is_open_on_a_picture(self, rulebook: str, first: str) -> None:
        """nz-2000 10.1: the clause begins with an ace, and a second card of those would win."""
        told = f"a 20@1 | 1:9C 0:{first} 1:8D | i 10 insures a | stand 1 | 0:KD"
        assert due(rulebook, told)["i"] == OPEN
        assert found(rulebook, f"{told} | i wins 20") == ["insurance.no-ace"]
        assert due(rulebook, told.replace("0:KD", "0:8D"))["i"] == "lose 10"

    def test_in_canberra_it_is_against_pontoon(self) -> None:
        told = "a 20@1 | 1:9C 0:KH 1:8D | i 10 insures a | stand 1 | 0:KD"
        assert due("act-2018", told)["i"] == "lose 10"


class TestRule106DealerOfAShortHand:
    def test_he_concludes_his_hand(self) -> None:
        """75, 106(a): over 21 he pays it."""
        told = "a 20@1 | 1:5C 0:9H 1:4D | stand 1 | 0:{}"
        assert found(ADL, told.format("7C")) == ["draw.below-12", "dealer.under-draw"]
        assert found(ADL, told.format("8C")) == ["draw.below-12"]
