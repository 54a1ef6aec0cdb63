"""Casino Canberra, approvals of 2005 and 2018: rare rounds, by clause.

Clauses are numbered as in both approvals unless a class says otherwise.
"""

from __future__ import annotations

import pytest

from tests.rounds import OPEN, due, findings, found, replay

both = pytest.mark.parametrize("act", ["act-2005", "act-2018"])


@both
class TestClause10CardsNobodyMayTake:
    """10.1(d), 12.3: a card after a stand, or after the one card of a double, makes nobody lose."""

    def test_a_card_after_a_stand_leaves_the_hand_open_though_it_goes_over_21(self, act: str) -> None:
        told = "a 20@1 | 1:KC 0:9S 1:5D | stand 1 | 1:QD | 0:8C"
        assert due(act, told) == {"a": OPEN}
        assert found(act, told) == ["draw.after-stand"]

    def test_a_second_card_after_a_double_does_too(self, act: str) -> None:
        told = "a 20@1 | 1:6C 0:9S 1:5D | double 1 with ad 20 on a | 1:2C 1:9D | 0:8C"
        assert due(act, told) == {"a": OPEN, "ad": OPEN}
        assert found(act, told) == ["double.one-card"]

    @pytest.mark.parametrize(("card", "result"), [("KC", "win 20"), ("9C", OPEN)])
    def test_a_double_that_made_21_has_won_whatever_follows(self, act: str, card: str, result: str) -> None:
        """10.2(b)."""
        told = f"a 20@1 | 1:6C 0:9S 1:5D | double 1 with ad 20 on a | 1:{card} 1:9D"
        assert due(act, told) == {"a": result, "ad": result}

    def test_a_double_over_21_has_lost_whatever_follows(self, act: str) -> None:
        """14.1(e)."""
        told = "a 20@1 | 1:6C 0:9S 1:8D | double 1 with ad 20 on a | 1:KC 1:9D"
        assert due(act, told) == {"a": "lose 20", "ad": "lose 20"}
        assert found(act, told) == ["double.one-card"]

    def test_a_21_that_stood_has_won_whatever_follows(self, act: str) -> None:
        told = "a 20@1 | 1:9C 0:9S 1:7D | 1:5C | stand 1 | 1:2D"
        assert due(act, told) == {"a": "win 20"}
        assert found(act, told) == ["draw.on-21"]

    def test_an_unread_card_after_a_stand_leaves_open_what_was_not_lost_before(self, act: str) -> None:
        assert due(act, "a 20@1 | 1:KC 0:9S 1:5D | stand 1 | 1:?? 1:QD | 0:8C") == {"a": OPEN}
        assert due(act, "a 20@1 | 1:KC 0:9S 1:5D | 1:?? 1:QD") == {"a": "lose 20"}


@both
class TestClause15SecondCardBurned:
    """15.3: a second card of the dealer's that came early is burned; until the next one he has none."""

    def test_a_hand_doubled_after_it_may_be_forfeited(self, act: str) -> None:
        """12.6."""
        told = (
            "a 20@1 | b 20@2 | 1:9C 2:6D 0:KS 1:8D 2:5C | 0:AD | burn 0:AD | double 2 with bd 20 on b | 2:2C "
            "| forfeit b | 0:7S"
        )
        assert due(act, told) == {"a": "stand_off", "b": "forfeit 20", "bd": "returned"}
        assert found(act, told) == ["dealer.early-second-card"]
        assert found(act, told.replace(" | forfeit b | 0:7S", " | 0:7S | forfeit b")) == [
            "forfeit.eligibility",
            "dealer.early-second-card",
        ]

    def test_surrender_is_still_open(self, act: str) -> None:
        """9.1."""
        told = "a 20@1 | 1:KC 0:QS 1:6D | 0:5D | burn 0:5D | surrender 1 | 0:9D"
        assert due(act, told) == {"a": "surrender 10"}
        assert found(act, told) == ["dealer.early-second-card"]
        assert found(act, "a 20@1 | 1:KC 0:QS 1:6D | 0:5D | surrender 1") == ["surrender.timing"]

    def test_so_is_insurance(self, act: str) -> None:
        """2005: 7.2; 2018: 7.3."""
        told = "a 20@1 | 1:KC 0:AS 1:9D | 0:5D | burn 0:5D | i 10 insures a | stand 1 | 0:9D"
        assert found(act, told) == ["dealer.early-second-card"]
        left = "a 20@1 | 1:KC 0:AS 1:9D | 0:5D | i 10 insures a | stand 1"
        assert found(act, left) == ["insurance.late", "dealer.early-second-card"]

    def test_the_initial_deal_goes_on_after_it(self, act: str) -> None:
        """6.2(c)."""
        told = "a 20@1 | b 20@2 | 1:9C 2:8D 0:KS 0:5H | burn 0:5H | 1:9D 2:9H | stand 1 | stand 2 | 0:8C"
        assert due(act, told) == {"a": "stand_off", "b": "lose 20"}
        assert found(act, told) == ["dealer.early-second-card"]

    def test_one_that_replaces_it_too_early_is_early_again(self, act: str) -> None:
        told = "a 20@1 | 1:9C 0:KS 1:6D | 0:AD | burn 0:AD | 0:9C | 1:4H | stand 1"
        assert due(act, told) == {"a": OPEN}
        assert found(act, told) == ["dealer.early-second-card"]


@both
class TestVoidBeforeTheDeal:
    """def:Void, 6.2: a box without a wager is owed no card."""

    @pytest.mark.parametrize("gone", ["void wager a", "withdraw a"])
    def test_a_wager_returned_before_the_first_card(self, act: str, gone: str) -> None:
        """3.4, 4.3."""
        told = f"a 5@1 | b 20@2 | {gone} | 2:KD 0:9H 2:9D | stand 2 | 0:8C"
        assert due(act, told) == {"a": "void", "b": "win 20"}
        assert found(act, told) == []

    def test_a_wager_void_while_the_cards_go_round(self, act: str) -> None:
        """17.2(a)."""
        told = "a 20@1 | b 20@2 | 1:9C 2:KD 0:8H | void wager a | 2:9D | stand 2 | 0:KS"
        assert found(act, told) == []
        with_another = told.replace("| 1:9C", "| c 20@1 by Cy | 1:9C")
        assert found(act, with_another) == ["deal.missing-card"]

    def test_the_card_is_missing_where_the_wager_became_void_for_lack_of_it(self, act: str) -> None:
        told = "a 20@1 | b 20@2 | 1:9C 2:KD 0:8H 2:9D | stand 2 | void wager a | 0:KS"
        assert found(act, told) == ["deal.missing-card"]

    def test_the_pairs_wager_goes_with_it_until_the_initial_deal_is_complete(self, act: str) -> None:
        """2005: 18.10; 2018: 18.8."""
        told = "a 20@1 | p 5@1 perfect_pairs | b 20@2 | 1:9C 2:KD 0:8H {}1:9D 2:9D {}| stand 2 | 0:KS"
        assert due(act, told.format("| void wager a | ", ""))["p"] == "void"
        assert due(act, told.format("", "| void wager a "))["p"] == "win 30"
        another = told.replace("| 1:9C", "| c 20@1 by Cy | q 5@1 perfect_pairs by Cy | 1:9C")
        paid = due(act, another.format("| void wager a | ", ""))
        assert (paid["p"], paid["q"]) == ("void", "win 30")


@both
class TestClause18VoidWagers:
    """2005: 18.13; 2018: 18.11, 18.22: lost ones are removed and winners paid in time, void ones neither."""

    @pytest.mark.parametrize(
        ("told", "codes"),
        [
            ("a 20@1 | p 5@1 perfect_pairs | 1:5C 0:8H 1:4D | 1:6C | void round | a voided | p voided", []),
            (
                "a 20@1 | p 5@1 perfect_pairs by Bo | 1:5C 0:8H 1:4D | 1:9C | stand 1 | 0:9D | p voided",
                ["side-bet.without-main"],
            ),
            (
                "a 20@1 | p 5@1 perfect_pairs | 1:5C 0:8H 1:4D | 1:9C | stand 1 | 0:9D | p loses 5",
                ["side-bet.settled-late"],
            ),
        ],
    )
    def test_a_void_one_has_no_moment(self, act: str, told: str, codes: list[str]) -> None:
        assert found(act, told) == codes


@both
class TestClause14BonusesNotShown:
    """14.3, Table 2: what a log breaks off before, or shows no card for, accuses nobody."""

    ROUND = "a 25@1 | b 20@2 | 1:7H 2:KC 0:7C 1:7H 2:8D | 1:7H | a wins 50 | {}stand 2"

    def test_a_log_that_breaks_off_before_the_bonuses(self, act: str) -> None:
        assert _codes(act, self.ROUND.format("")) == ["record.incomplete"]
        assert _codes(act, self.ROUND.format("a gets super_bonus 1000 | ")) == [
            "record.incomplete",
            "bonus.super",
        ]

    def test_one_that_breaks_off_later(self, act: str) -> None:
        told = self.ROUND.format("") + " | 0:KD | b wins 20"
        assert _codes(act, told) == ["bonus.super", "bonus.other-wagers"]
        places = [(each.seq, each.wager) for each in replay(act, told).findings]
        assert places == [(0, "a"), (1, "b")]

    @pytest.mark.parametrize(
        ("cards", "codes"),
        [
            ("1:7H 0:?? 1:7H | 1:7H", []),
            ("1:7H 0:?? 1:7H | 1:7D", ["bonus.super"]),
            ("1:7H 0:8C 1:7H | 1:7H", ["bonus.super"]),
        ],
    )
    def test_a_first_card_of_the_dealer_that_nobody_read(
        self, act: str, cards: str, codes: list[str]
    ) -> None:
        assert found(act, f"a 25@1 | {cards} | a gets super_bonus 5000") == codes


def _codes(act: str, told: str) -> list[str]:
    """Codes of a round just as told, notices left out."""
    return [each.code for each in replay(act, told).findings if each.severity != "notice"]


@both
class TestClause12AddedTwice:
    """def:Double: what is added to a wager is at most the wager, in one portion or in two."""

    TOLD = "a 20@1 | 1:6C 0:9S 1:5D | double 1 with ad 10 on a, ae {} on a | 1:7C | 0:8C"

    def test_up_to_the_wager_together(self, act: str) -> None:
        assert found(act, self.TOLD.format("10")) == []
        assert due(act, self.TOLD.format("10")) == {"a": "win 20", "ad": "win 10", "ae": "win 10"}

    def test_not_beyond_it(self, act: str) -> None:
        assert found(act, self.TOLD.format("11")) == ["double.stake"]
        assert due(act, self.TOLD.format("11")) == {"a": "win 20", "ad": OPEN, "ae": OPEN}


class TestClause10SuperBonusStays:
    """10.2(b): a 21 is paid before any further card, but for a hand that wins a Super Bonus."""

    ENDS = "2:4D | stand 2 | 0:KD | a wins 50"

    @pytest.mark.parametrize("act", ["act-2005", "act-2018", "nz-2000"])
    def test_three_suited_sevens_against_a_seven_may_wait(self, act: str) -> None:
        told = f"a 25@1 | b 20@2 | 1:7H 2:KC 0:7C 1:7H 2:5D | 1:7H | {self.ENDS}"
        assert found(act, told) == []

    @both
    def test_those_of_a_box_that_split_suited_sevens_may_not(self, act: str) -> None:
        """11.10."""
        told = (
            "a 25@1 | b 20@2 | 1:7H 2:KC 0:7C 1:7H 2:5D | split 1 with a2 25 on a | 1:7H 1:7H "
            f"| 1.2:KC | stand 1.2 | {self.ENDS}"
        )
        assert found(act, told) == ["interim.twenty-one-unpaid"]
        unsuited = told.replace("0:7C 1:7H", "0:7C 1:7D")
        assert found(act, unsuited) == []

    def test_there_is_none_in_adelaide(self) -> None:
        """adelaide-2008 60."""
        told = f"a 25@1 | b 20@2 | 1:7H 2:KC 0:7C 1:7H 2:5D | 1:7H | {self.ENDS}"
        assert found("adelaide-2008", told) == ["interim.twenty-one-unpaid"]

    @both
    def test_a_card_that_nobody_read_keeps_only_the_hand_it_may_be_due_to(self, act: str) -> None:
        told = "a 25@1 | b 20@2 | 1:7H 2:KC 0:?? 1:7H 2:5D | 1:7H | 2:6D | 0:KD | a wins 50 | b wins 20"
        unpaid = [each for each in findings(act, told) if each.code.startswith("interim.")]
        assert [(each.code, each.wager) for each in unpaid] == [("interim.twenty-one-unpaid", "b")]


@both
class TestClause11ControlPassesOn:
    """11.1, 12.2: where the first wager on a box is void, the next player decides."""

    SHARED = "a 20@1 by Ann | b 10@1 by Bo"

    def test_to_double(self, act: str) -> None:
        told = f"{self.SHARED} | {{}}1:6C 0:9S 1:5D | double 1 with bd 10 on b | 1:7C | 0:8C"
        assert found(act, told.format("void wager a | ")) == []
        assert found(act, told.format("")) == ["double.not-controller"]

    def test_to_split(self, act: str) -> None:
        told = (
            f"{self.SHARED} | 1:8C 0:9S 1:8D | {{}}split 1 with b2 10 on b | 1:KC | stand 1 | 1.2:9C "
            "| stand 1.2 | 0:8C"
        )
        assert found(act, told.format("void wager a | ")) == []
        assert found(act, told.format("")) == ["split.not-controller"]

    def test_not_for_what_was_decided_before(self, act: str) -> None:
        told = (
            f"{self.SHARED} | 1:8C 0:9S 1:8D | split 1 with a2 20 on a | 1:KC | stand 1 | 1.2:9C "
            "| stand 1.2 | void wager a | 0:8C"
        )
        assert due(act, told) == {"a": "void", "b": "win 10", "a2": "void"}
        assert found(act, told) == []


@both
class TestVoidWagersBindNobody:
    """def:Void: what is void or taken back is as though it had not been placed."""

    @pytest.mark.parametrize("gone", ["void wager a", "withdraw a"])
    def test_who_is_left_on_a_box_surrenders_alone(self, act: str, gone: str) -> None:
        """9.2, 9.5."""
        told = f"a 20@1 by Ann | b 10@1 by Bo | {gone} | 1:KC 0:QS 1:6D | surrender 1 only b | 0:9D"
        assert due(act, told) == {"a": "void", "b": "surrender 5"}
        assert found(act, told) == []

    @pytest.mark.parametrize("gone", ["void wager i", "withdraw i"])
    def test_insurance_leaves_room_for_more(self, act: str, gone: str) -> None:
        """7.1: the first was too much and is reported, the second is not."""
        told = f"a 20@1 | 1:KC 0:AS 1:6D | i 15 insures a | {gone} | j 10 insures a | stand 1 | 0:KD"
        assert due(act, told) == {"a": "lose 20", "i": "void", "j": "win 20"}
        (finding,) = (each for each in findings(act, told) if each.severity != "notice")
        assert (finding.code, finding.wager) == ("insurance.over-half", "i")


@both
class TestClause11AHandOfOneCard:
    """11.6, 12.1, def:Split: who splits or doubles has two cards, so one of them is not in the log."""

    def test_split_off_leaves_the_new_hand_open(self, act: str) -> None:
        told = (
            "a 20@1 | 1:8C 0:7S 1:8D | split 1 with a2 20 on a | split 1 with a3 20 on a | 1:KC | stand 1 "
            "| 1.3:8S 1.3:AS | stand 1.3 | 1.2:KD | stand 1.2 | 0:KH"
        )
        assert due(act, told) == {"a": "win 20", "a2": "win 20", "a3": "open"}
        assert found(act, told) == ["deal.missing-card"]

    def test_a_hand_over_21_without_it_is_lost_all_the_same(self, act: str) -> None:
        told = (
            "a 20@1 | 1:8C 0:7S 1:8D | split 1 with a2 20 on a | split 1 with a3 20 on a | 1:KC | stand 1 "
            "| 1.3:8S 1.3:6S 1.3:QS | 1.2:KD | stand 1.2 | 0:KH"
        )
        assert due(act, told) == {"a": "win 20", "a2": "win 20", "a3": "lose 20"}

    def test_doubled_stays_open(self, act: str) -> None:
        told = (
            "a 20@1 | 1:8C 0:7S 1:8D | split 1 with a2 20 on a | double 1 with d 20 on a | 1:KC "
            "| 1.2:KD | stand 1.2 | 0:KH"
        )
        assert due(act, told) == {"a": "open", "a2": "win 20", "d": "open"}
        assert found(act, told) == ["deal.missing-card"]

    def test_is_not_said_to_have_had_21(self, act: str) -> None:
        """10.2(b)."""
        told = (
            "a 20@1 | 1:8C 0:7S 1:8D | split 1 with a2 20 on a | split 1 with a3 20 on a | 1:KC | stand 1 "
            "| 1.3:KS 1.3:AS 1.3:2S | stand 1.3 | 1.2:KD | stand 1.2 | 0:KH"
        )
        assert found(act, told) == ["deal.missing-card"]
        told = "a 20@1 | b 20@2 | 1:KC 2:KD 0:7S 1:8D | stand 1 | 2:AD 2:2D | stand 2 | 0:KH"
        assert found(act, told) == ["deal.missing-card"]


class TestClause12ForfeitThatTheTableDidNotGive:
    """12.6, 10.2(b): what was not open to forfeit, and was settled as though it was not, stays in play."""

    @pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "adelaide-2008"])
    @pytest.mark.parametrize(
        "first", ["forfeit a | a wins 20 | d wins 20", "a wins 20 | d wins 20 | forfeit a"]
    )
    def test_a_doubled_21_was_paid_at_once(self, rulebook: str, first: str) -> None:
        """adelaide-2008 60, 64(a)."""
        told = f"a 20@1 | 1:6C 0:9H 1:5D | double 1 with d 20 on a | 1:KC | {first}"
        assert due(rulebook, told) == {"a": "win 20", "d": "win 20"}
        codes = ["forfeit.eligibility"] if rulebook == "adelaide-2008" else []
        assert found(rulebook, told) == codes

    @pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "adelaide-2008"])
    def test_a_hand_that_was_not_doubled(self, rulebook: str) -> None:
        """adelaide-2008 64(a)."""
        told = "a 20@1 | 1:KC 0:9H 1:QD | stand 1 | forfeit a | 0:9D | a wins 20"
        assert due(rulebook, told) == {"a": "win 20"}
        assert found(rulebook, told) == ["forfeit.eligibility"]

    @pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "adelaide-2008"])
    def test_a_double_placed_after_it_is_lost_with_the_hand(self, rulebook: str) -> None:
        """adelaide-2008 64(a); ruling 2."""
        told = (
            "a 20@1 | 1:6C 0:9H 1:5D | forfeit a | double 1 with d 20 on a | 1:2C | 0:9D | a loses 20 | d {}"
        )
        assert due(rulebook, told.format("loses 20")) == {"a": "lose 20", "d": "lose 20"}
        assert found(rulebook, told.format("loses 20")) == ["forfeit.eligibility"]
        assert due(rulebook, told.format("returned")) == {"a": "forfeit 20", "d": "returned"}

    @both
    def test_settled_as_forfeited_it_is_checked_as_played(self, act: str) -> None:
        told = "a 20@1 | 1:KC 0:9H 1:QD | stand 1 | forfeit a | 0:9D | a forfeits 20"
        assert due(act, told) == {"a": "forfeit 20"}
        assert found(act, told) == ["forfeit.eligibility"]


class TestClause9SurrenderThatTheTableDidNotGive:
    """9.1, 10.1: a hand that has drawn can't be surrendered; played on, it is a hand as any other."""

    @pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "adelaide-2008"])
    @pytest.mark.parametrize("settled", ["loses 20", "loses 19"])
    def test_it_loses_the_whole_stake(self, rulebook: str, settled: str) -> None:
        """adelaide-2008 49, 70; the card after it was open to the hand, where the table did not give it."""
        told = f"a 20@1 | 1:3C 0:QS 1:2D | 1:4C | surrender 1 | 1:6H | stand 1 | 0:9D | a {settled}"
        whole = settled == "loses 20"
        assert due(rulebook, told) == {"a": "lose 20" if whole else "surrender 10"}
        codes = ["surrender.timing"] + ([] if whole else ["draw.after-stand", "settle.surrender"])
        assert found(rulebook, told) == codes

    @both
    def test_settled_as_surrendered_it_is_checked_as_played(self, act: str) -> None:
        told = "a 20@1 | 1:3C 0:QS 1:6D | 1:4C | surrender 1 | 0:9D | a surrenders 10"
        assert due(act, told) == {"a": "surrender 10"}
        assert found(act, told) == ["surrender.timing"]

    @both
    def test_in_time_it_binds(self, act: str) -> None:
        """9.2."""
        told = "a 20@1 | 1:KC 0:QS 1:6D | surrender 1 | 0:9D | a loses 20"
        assert due(act, told) == {"a": "surrender 10"}
        assert found(act, told) == ["settle.surrender"]

    @pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "adelaide-2008"])
    @pytest.mark.parametrize("option", ["split 1 with s 20 on a", "double 1 with s 20 on a"])
    def test_the_hand_that_was_split_or_doubled_on_is_played(self, rulebook: str, option: str) -> None:
        """10.1, ruling 2; adelaide-2008 71."""
        cards = "1:9H 1.2:8H" if option.startswith("split") else "1:8H"
        told = f"a 20@1 | 1:5C 0:QS 1:5D | surrender 1 | {option} | {cards} | 0:9D | a loses 20"
        assert due(rulebook, told) == {"a": "lose 20", "s": "lose 20"}
        assert found(rulebook, told)[0] == "draw.after-stand"
        assert "settle.surrender" not in found(rulebook, told)
        assert due(rulebook, told.replace("a loses 20", "a surrenders 10"))["a"] == "surrender 10"

    def test_but_not_by_another_who_stayed_on_the_hand(self) -> None:
        """adelaide-2008 70, 71: each player on a box surrenders for himself."""
        told = (
            "a 20@1 | b 20@1 | 1:5C 0:QS 1:5D | surrender 1 only b | double 1 with d 20 on a | 1:8H | 0:9D "
            "| b loses 20"
        )
        assert due("adelaide-2008", told)["b"] == "surrender 10"
        assert "settle.surrender" in found("adelaide-2008", told)


class TestClause7InsuranceWithoutAnAce:
    """7.5: insurance wins on a ten as the second card; a Pontoon that begins with one leaves it open."""

    @pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "adelaide-2008", "nz-2000"])
    def test_a_pontoon_of_king_and_ace(self, rulebook: str) -> None:
        """nz-2000 10.1, adelaide-2008 25."""
        told = "a 20@1 | 1:9C 0:KS 1:8D | i 10 insures a | stand 1 | 0:AD"
        assert due(rulebook, told)["i"] == OPEN
        assert found(rulebook, f"{told} | i loses 10") == ["insurance.no-ace"]
        assert due(rulebook, told.replace("0:AD", "0:9D"))["i"] == "lose 10"


class TestClause9SurrenderOfAVoidHand:
    """9.2, 9.5: nobody has to surrender with another on a hand that is void."""

    @both
    def test_it_binds_nobody(self, act: str) -> None:
        told = "a 20@1 | b 20@1 | 1:9C 0:KS 1:8D | surrender 1 only a {}| 0:9D"
        assert "surrender.all-players" in found(act, told.format(""))
        assert "surrender.all-players" not in found(act, told.format("| void hand 1 "))


class TestClause7EarlySecondCard:
    """A second card of the dealer's in the initial deal begins no subsequent deal (7.3, 9.1; ruling 12)."""

    EARLY = "a 20@1 | 1:9C 0:AS | 0:KD | 1:6D"

    @pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "adelaide-2008", "nz-2000", "rws-2017"])
    def test_insurance_is_in_time(self, rulebook: str) -> None:
        """nz-2000 10.3, rws-2017 3.9, adelaide-2008 26."""
        told = f"{self.EARLY} | i 10 insures a | stand 1"
        assert found(rulebook, told) == ["dealer.early-second-card"]
        assert due(rulebook, told)["i"] == OPEN
        late = told.replace("0:KD | 1:6D", "1:6D | 0:KD")
        assert "insurance.late" in found(rulebook, late)

    @pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "adelaide-2008", "nz-2000", "rws-2017"])
    def test_surrender_is_in_time(self, rulebook: str) -> None:
        """nz-2000 def:Surrender, rws-2017 3.10, adelaide-2008 70."""
        told = f"{self.EARLY} | surrender 1"
        assert "surrender.timing" not in found(rulebook, told)
        assert "surrender.timing" in found(rulebook, told.replace("0:KD | 1:6D", "1:6D | 0:KD"))
