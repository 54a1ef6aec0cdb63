"""One fault, one accusation: what a log shows twice over, or not at all, in Canberra and Adelaide.

Clauses are numbered as in both approvals of Canberra unless a class says otherwise.
"""

from __future__ import annotations

import pytest

from tests.rounds import OPEN, audited, due, findings, found, noticed, replay

three = pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "adelaide-2008"])
both = pytest.mark.parametrize("act", ["act-2005", "act-2018"])


class TestClause9SurrenderTooLateByTheReadingInForce:
    """9.1, 10.1, adelaide-2008 49, 70: a surrender that the table did not give leaves the hand in play."""

    LATE = "a 20@1 | b 20@2 | 1:9C 2:KC 0:QS 1:4D 2:6D | 1:7C | stand 1 | surrender 2"

    @both
    def test_the_hand_loses_what_it_loses(self, act: str) -> None:
        told = f"{self.LATE} | 0:9D | b loses 20"
        assert due(act, told)["b"] == "lose 20"
        assert found(act, told) == ["surrender.timing"]
        assert due(act, told, surrender_window="own_turn")["b"] == "surrender 10"

    @both
    def test_it_may_draw(self, act: str) -> None:
        told = f"{self.LATE} | 2:4C | stand 2 | 0:9D | b wins 20"
        assert due(act, told)["b"] == "win 20"
        assert found(act, told) == ["surrender.timing"]
        given = told.replace("b wins 20", "b surrenders 10")
        assert found(act, given) == ["surrender.timing", "draw.after-stand"]

    @three
    @pytest.mark.parametrize("drew", ["", "| 2:3C "])
    def test_a_dealers_pontoon_takes_it_in_full_either_way(self, rulebook: str, drew: str) -> None:
        """9.3, adelaide-2008 72: on less than 12 as well, where 106(c) would give it back."""
        told = (
            f"a 20@1 | b 20@2 | 1:9C 2:5C 0:QS 1:4D 2:6D | 1:7C | stand 1 | 2:4H | surrender 2 {drew}| 0:AD"
        )
        assert due(rulebook, f"{told} | b loses 20")["b"] == "lose 20"
        early = "a 20@1 | b 20@2 | 1:5C 2:9C 0:QS 1:5D 2:4D | 2:7C | surrender 1 | 0:AD | a loses 20"
        assert due(rulebook, early)["a"] == "lose 20"
        assert "settle.outcome" not in found(rulebook, early)

    def test_in_the_turn_of_the_box_one_reading_only_refuses_it(self) -> None:
        for told in (f"{self.LATE} | 0:9D | b loses 20", f"{self.LATE} | 2:4C | stand 2 | 0:9D | b wins 20"):
            listed = audited("adelaide-2008", told)
            assert {each.severity for each in listed} == {"ambiguous"}
            assert {each.depends_on for each in listed} == {"surrender_window=before_any_draw"}

    @three
    def test_after_the_hands_own_double(self, rulebook: str) -> None:
        """10.1, adelaide-2008 49: doubled, it has made its choice."""
        told = "a 20@1 | 1:6C 0:QS 1:5D | double 1 with d 20 on a | surrender 1 | 1:2C | 0:9D"
        lost = f"{told} | a loses 20 | d loses 20"
        assert due(rulebook, lost) == {"a": "lose 20", "d": "lose 20"}
        assert found(rulebook, lost) == ["surrender.timing"]

    @three
    @pytest.mark.parametrize(
        ("option", "code", "settled"),
        [
            ("surrender 1", "surrender.timing", "a surrenders 10 | d returned"),
            ("forfeit a", "forfeit.eligibility", "a forfeits 20 | d returned"),
        ],
    )
    def test_a_hand_given_up_before_the_doubles_card_takes_none(
        self, rulebook: str, option: str, code: str, settled: str
    ) -> None:
        """def:Double, 9.2, 12.6; adelaide-2008 62(b), 64(a)."""
        told = f"a 20@1 | 1:6C 0:QS 1:5D | double 1 with d 20 on a | {option} | 0:9D | {settled}"
        assert found(rulebook, told) == [code]
        assert "double.one-card" in found(rulebook, told.replace(f"{option} | ", ""))


@three
class TestClause12GivenUpByAnotherWord:
    """12.6, 9.2, adelaide-2008 64(a), 70: a wager given up when that was not open is one fault (ruling 2)."""

    def test_a_surrender_after_the_double_settled_as_a_forfeit(self, rulebook: str) -> None:
        told = (
            "a 20@1 | 1:6C 0:QS 1:5D | double 1 with d 20 on a | 1:2C | surrender 1 | 0:9D "
            "| a forfeits 20 | d returned"
        )
        assert due(rulebook, told) == {"a": "forfeit 20", "d": "returned"}
        assert found(rulebook, told) == ["surrender.timing"]

    @pytest.mark.parametrize("second", ["9D", "AD"])
    def test_a_late_surrender_of_an_undoubled_hand(self, rulebook: str, second: str) -> None:
        told = f"a 20@1 | 1:3C 0:QS 1:5D | 1:6C | surrender 1 | 0:{second} | a forfeits 20"
        assert found(rulebook, told) == ["surrender.timing"]

    @pytest.mark.parametrize(
        "told",
        [
            "1:KC 0:9H 1:8D | stand 1 | forfeit a | 0:KD | a loses 20",
            "1:6C 0:QS 1:5D | double 1 with d 20 on a | 1:2C | 0:9D | forfeit a | a loses 20 | d returned",
        ],
        ids=["not doubled", "late"],
    )
    def test_a_forfeit_called_a_loss(self, rulebook: str, told: str) -> None:
        assert found(rulebook, f"a 20@1 | {told}") == ["forfeit.eligibility"]

    def test_in_time_the_word_is_wrong(self, rulebook: str) -> None:
        doubled = (
            "a 20@1 | 1:6C 0:QS 1:5D | double 1 with d 20 on a | 1:2C | forfeit a | a loses 20 | d returned"
        )
        assert found(rulebook, doubled) == ["settle.label"]
        annulled = "a 20@1 | 1:KC 0:QS 1:6D | surrender 1 | 0:AD | a forfeits 20"
        assert found(rulebook, annulled) == ["settle.label"]


@three
class TestClause10TurnTakenBack:
    """10.1, adelaide-2008 49: a card that was burned off its hand again was nobody's turn.

    It was the next card for the hand in turn, and was kept from it (nz-2000 16.2, adelaide-2008 102 103).
    """

    TOLD = "a 20@1 | b 20@2 | 1:5C 2:6C 0:9S 1:6D 2:6H | 2:4C | {}1:7C | stand 1 | 2:2S | stand 2 | 0:8C"

    def test_the_next_card_is_in_order(self, rulebook: str) -> None:
        reported = self.TOLD.format("irregularity card_burned_in_error 2 | burn 2:4C | ")
        assert found(rulebook, reported) == []
        for told, seq in ((self.TOLD.format("burn 2:4C | "), 7), (self.TOLD.format(""), 8)):
            (finding,) = findings(rulebook, told)
            assert (finding.code, finding.seq, finding.severity) == ("deal.turn-order", seq, "procedure")


@three
class TestClause6SurrenderWithinTheInitialDeal:
    """6.2, 9.1, adelaide-2008 47(d): a surrender of a hand that has its cards ends no initial deal."""

    TOLD = "a 20@1 | b 20@2 | 1:KC 2:9C 0:QS 1:6D | {} | 2:8C | stand 2 | 0:9D"

    def test_the_other_box_gets_its_second_card(self, rulebook: str) -> None:
        told = self.TOLD.format("surrender 1")
        assert due(rulebook, told) == {"a": "surrender 10", "b": "lose 20"}
        assert found(rulebook, told) == []

    def test_one_that_never_gets_it_lacks_it(self, rulebook: str) -> None:
        told = "a 20@1 | b 20@2 | 1:KC 2:9C 0:QS 1:6D | surrender 1 | 0:9D"
        assert found(rulebook, told) == ["deal.missing-card"]

    def test_a_stand_ends_it(self, rulebook: str) -> None:
        """10.1(d), adelaide-2008 47(d)(i)."""
        assert found(rulebook, self.TOLD.format("stand 1")) == ["deal.missing-card"]


@three
class TestClause11PutOnAnotherHandTooLate:
    """11.2(b), 10.2(b), adelaide-2008 60, 81: a wager that its hand decided is not decided by another."""

    SPLIT = "a 20@1 by Ann | b 10@1 by Bo | 1:8S 0:7H 1:8D | split 1 with a2 20 on a"
    ENDS = "1.2:9C | stand 1.2 | 0:KC | a2 ties"

    @pytest.mark.parametrize(
        "played",
        [
            "1:5S 1:8C | a wins 20 | b wins 10 | assign b 1.2",
            "1:5S 1:8C | a wins 20 | assign b 1.2 | b wins 10",
            "1:KS | stand 1 | assign b 1.2 | a wins 20 | b wins 10",
            "1:KS | stand 1 | assign b 1.2 | a wins 20 | b ties",
        ],
        ids=["settled", "21", "stood", "stood, by the other hand"],
    )
    def test_its_settlement_accuses_nobody(self, rulebook: str, played: str) -> None:
        told = f"{self.SPLIT} | {played} | {self.ENDS}"
        assert due(rulebook, told)["b"] == OPEN
        assert found(rulebook, told) == ["split.later-hand"]

    def test_before_that_it_rides_where_it_was_put(self, rulebook: str) -> None:
        """Ruling 2."""
        told = f"{self.SPLIT} | assign b 1.2 | 1:KS | stand 1 | {self.ENDS}"
        assert due(rulebook, told)["b"] == "stand_off"


@three
class TestClause4LateMainWager:
    """4.3, adelaide-2008 15: a main wager placed after the dealer's second card is late, and no more."""

    def test_on_a_box_of_its_own(self, rulebook: str) -> None:
        told = "a 20@1 | 1:KC 0:9S 1:8D | stand 1 | 0:8C | b 20@2 | 2:5C 2:4D | b loses 20"
        assert due(rulebook, told)["a"] == "win 20"
        assert found(rulebook, told) == ["wager.late"]

    def test_on_a_hand_that_was_surrendered(self, rulebook: str) -> None:
        """9.2: it binds those who wagered on the box by then."""
        told = "a 20@1 | 1:6C 0:QS 1:4D | surrender 1 | 0:9C | b 20@1 by Bo | a surrenders 10"
        assert found(rulebook, told) == ["wager.late"]

    def test_a_hand_left_below_12_is_found_all_the_same(self, rulebook: str) -> None:
        """10.2(c), adelaide-2008 50(a)."""
        told = "a 20@1 | 1:6C 0:QS 1:4D | stand 1 | 0:9C | b 20@1 by Bo"
        assert found(rulebook, told) == ["wager.late", "draw.below-12"]


@pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "adelaide-2008", "nz-2000"])
class TestClause7PontoonThatBarsNothing:
    """7.1, nz-2000 10.2, adelaide-2008 59: a Pontoon bars from insuring against an ace, once it is there."""

    @pytest.mark.parametrize(
        "told",
        [
            "a 20@1 | i 10 insures a | 1:AC 0:AS 1:KD | a wins 30 | 0:9D",
            "a 20@1 | 1:AC 0:KS 1:KD | a wins 30 | i 10 insures a | 0:9D",
        ],
        ids=["before any card", "against a king"],
    )
    def test_without_an_ace(self, rulebook: str, told: str) -> None:
        assert found(rulebook, told) == ["insurance.no-ace"]

    def test_before_its_second_card(self, rulebook: str) -> None:
        told = "a 20@1 | 1:AC 0:AS {}1:KD {}| a wins 30 | 0:9D"
        assert found(rulebook, told.format("| i 10 insures a | ", "")) == []
        assert found(rulebook, told.format("", "| i 10 insures a ")) == ["insurance.pontoon-holder"]

    def test_where_moments_are_not_recorded(self, rulebook: str) -> None:
        told = "without decisions | a 20@1 | i 10 insures a | 1:AC 0:AS 1:KD | a wins 30 | 0:9D"
        assert found(rulebook, told) == ["insurance.pontoon-holder"]


@three
class TestClause14MoreThanTheStake:
    """14.1, adelaide-2008 10: whatever an open wager came to, no more than its stake is lost."""

    @pytest.mark.parametrize(
        ("told", "code", "wager"),
        [
            ("1:KC 0:9S 1:?? | stand 1 | 0:9D | a loses {}", "settle.taken", "a"),
            ("1:9C 0:KS 1:8D | i 20 insures a | stand 1 | 0:AD | i loses {}", "settle.insurance", "i"),
        ],
    )
    def test_is_found_by_what_is_beyond_it(self, rulebook: str, told: str, code: str, wager: str) -> None:
        dealt = f"a 20@1 | {told}"
        assert code not in found(rulebook, dealt.format("20"))
        (odd,) = [each for each in findings(rulebook, dealt.format("20.5")) if each.code == code]
        assert (odd.severity, odd.wager, odd.delta) == ("indeterminate", wager, -500)


@three
class TestClause3UndersizedAndReturned:
    """3.4, 18.7, adelaide-2008 94, 118: after a warning a wager under the minimum goes back."""

    SPLIT = (
        "sign min 10 | a 5@1 | 1:8S 0:9H 1:8D | split 1 with a2 5 on a | 1:3C | double 1 with ad 5 on a "
        "| 1:9C | 1.2:KC | stand 1.2 | 0:8H"
    )

    def test_with_its_split_and_doubled_portions(self, rulebook: str) -> None:
        """Ruling 10."""
        told = f"{self.SPLIT} | a returned | a2 returned | ad returned"
        assert found(rulebook, told) == []
        assert noticed(rulebook, told) == [
            "wager.below-min",
            "settle.double",
            "settle.outcome",
            "settle.double",
        ]

    def test_portions_alone_may_not(self, rulebook: str) -> None:
        assert found(rulebook, f"{self.SPLIT} | a wins 5 | a2 returned | ad returned") == [
            "settle.outcome",
            "settle.double",
        ]

    def test_a_side_wager_under_its_own(self, rulebook: str) -> None:
        told = (
            "sign side_min {} | a 20@1 | p 2@1 perfect_pairs | 1:8S 0:9H 1:8D | p returned | stand 1 | 0:8H"
        )
        assert found(rulebook, told.format("5")) == []
        assert found(rulebook, told.format("2")) == ["settle.pairs"]


@three
class TestClause12DoubleOfASplitWagerThatWasCut:
    """def:Double, 3.5, adelaide-2008 62(a), 119: it is measured against the original wager (ruling 3)."""

    TOLD = (
        "sign max 100 | a 150@1 | 1:8S 0:7H 1:8D | split 1 with a2 100 on a | 1:3S "
        "| double 1 with ad 150 on a | 1:7C | 1.2:3C | double 1.2 with ae {} on a2 | 1.2:9C | 0:JD"
    )

    @pytest.mark.parametrize(("amount", "codes"), [("100", []), ("150", []), ("151", ["double.stake"])])
    def test_up_to_the_original(self, rulebook: str, amount: str, codes: list[str]) -> None:
        assert found(rulebook, self.TOLD.format(amount)) == codes
        assert due(rulebook, self.TOLD.format(amount))["ae"] == (OPEN if codes else "win 100")


class TestRule70HalfThatNoChipsMake:
    """adelaide-2008 70, 120: half of an odd stake is due, and less than a chip beside it accuses nobody."""

    TOLD = "{}a 25@1 | 1:KC 0:QH 1:6D | surrender 1 | 0:9D | a surrenders {}"

    @pytest.mark.parametrize(
        ("sign", "taken", "codes"),
        [
            ("sign chip 5 | ", "12.5", []),
            ("sign chip 5 | ", "10", []),
            ("sign chip 5 | ", "15", []),
            ("sign chip 5 | ", "20", ["settle.surrender"]),
            ("sign chip 2.5 | ", "10", ["settle.surrender"]),
            ("", "10", ["settle.surrender"]),
        ],
    )
    def test_by_the_chip(self, sign: str, taken: str, codes: list[str]) -> None:
        assert found("adelaide-2008", self.TOLD.format(sign, taken)) == codes

    def test_it_is_reported(self) -> None:
        told = self.TOLD.format("sign chip 5 | ", "10")
        assert due("adelaide-2008", told) == {"a": "surrender 12.5"}
        assert noticed("adelaide-2008", told) == ["settle.surrender"]
        assert found("adelaide-2008", told, amounts="exact") == ["settle.surrender"]


@three
class TestClause13CardToAHandThatHadStood:
    """13.1(a), 10.1(d), adelaide-2008 52: it does not make the dealer's second card early."""

    DEALT = "a 20@1 | b 20@2 | 1:KC 2:9C 0:9S 1:8D 2:9D | stand 1 | stand 2 | 0:8C | 1:2D"

    @pytest.mark.parametrize(("burned", "of_hand"), [("", OPEN), (" | burn 1:2D", "win 20")])
    def test_is_the_one_fault(self, rulebook: str, burned: str, of_hand: str) -> None:
        told = f"{self.DEALT}{burned}"
        assert due(rulebook, told) == {"a": of_hand, "b": "win 20"}
        assert found(rulebook, told) == ["draw.after-stand"]

    def test_a_hand_that_had_not_stood_was_not_complete(self, rulebook: str) -> None:
        told = self.DEALT.replace("| stand 1 ", "")
        assert found(rulebook, told) == ["dealer.early-second-card"]
        assert due(rulebook, told) == {"a": OPEN, "b": OPEN}

    @pytest.mark.parametrize(
        ("told", "code"),
        [
            ("1:6C 0:9S 1:5D | double 1 with d 20 on a | 1:2C | 0:8C | 1:3C", "double.one-card"),
            (
                "1:AC 0:9S 1:AD | split 1 with s 20 on a | 1:2C 1.2:3C | 0:8C | 1.2:4C",
                "split.aces-extra-card",
            ),
        ],
    )
    def test_nor_does_one_after_a_doubles_or_to_a_split_ace(
        self, rulebook: str, told: str, code: str
    ) -> None:
        """def:Double, 11.5, adelaide-2008 62(b), 74(a)."""
        assert found(rulebook, f"a 20@1 | {told}") == [code]

    def test_one_to_a_hand_over_21_tells_as_little(self, rulebook: str) -> None:
        told = "a 20@1 | b 20@2 | 1:KC 2:9C 0:9S 1:8D 2:9D | 1:9H | a loses 20 | stand 2 | 0:8C | 1:2D"
        assert "dealer.early-second-card" not in [each.code for each in replay(rulebook, told).findings]
