"""Cards burned off hands that they were due to; what is placed after its moment; what was taken back lost."""

from __future__ import annotations

import pytest

from rules_replay.rulebook import rulebook_ids
from tests.rounds import OPEN, due, findings, found, noticed

every = pytest.mark.parametrize("rulebook", rulebook_ids())
with_pairs = pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "adelaide-2008"])

LATE = {
    "act-2005": ("act-2005 4.3; def:Split", "act-2005 4.3; def:Double/double down"),
    "act-2018": ("act-2018 4.3; def:Split", "act-2018 4.3; def:Double/double down"),
    "nz-2000": ("nz-2000 13.2; 13.3", "nz-2000 12.3; 12.4"),
    "rws-2017": ("rws-2017 3.13; 5.2", "rws-2017 3.14; 5.2"),
    "adelaide-2008": ("adelaide-2008 65; 18", "adelaide-2008 62(a); 18"),
}


class TestBurnedOff:
    """A card that a hand was to have stays on it.

    act-2018 15.2 15.3, nz-2000 16.2 16.4, rws-2017 3.6, adelaide-2008 102 103 104.
    """

    DEALT = "a 20@1 | b 20@2 | 1:8C 2:KD 0:KH 1:5D 2:9H"

    @every
    def test_a_players_card(self, rulebook: str) -> None:
        told = f"{self.DEALT} | 1:KC | burn 1:KC | 1:6C | stand 1 | stand 2 | 0:8C"
        assert found(rulebook, told) == ["deal.burned-off"]
        assert due(rulebook, told) == {"a": OPEN, "b": "win 20"}

    @every
    @pytest.mark.parametrize("end", ["0:6D 0:4D | burn 0:4D | 0:8C", "0:6D 0:QD | burn 0:QD | 0:4C"])
    def test_the_dealers_card(self, rulebook: str, end: str) -> None:
        told = f"{self.DEALT} | 1:7C | stand 1 | stand 2 | {end}"
        assert found(rulebook, told) == ["deal.burned-off"]
        assert due(rulebook, told) == {"a": OPEN, "b": OPEN}

    @every
    def test_the_dealers_second_and_first_card(self, rulebook: str) -> None:
        second = f"{self.DEALT} | 1:7C | stand 1 | stand 2 | 0:AD | burn 0:AD | 0:8C"
        dealt = self.DEALT.replace("0:KH", "0:AH | burn 0:AH | 0:6H")
        first = f"{dealt} | 1:7C | stand 1 | stand 2 | 0:KC 0:KD"
        for told in (second, first):
            assert found(rulebook, told) == ["deal.burned-off"]
            assert due(rulebook, told) == {"a": OPEN, "b": OPEN}

    @every
    def test_a_card_of_the_initial_deal(self, rulebook: str) -> None:
        told = "a 20@1 | b 20@2 | 1:AC 2:KD 0:9H 1:6D | burn 1:6D | 1:KC 2:9D | stand 2 | 0:8C"
        assert found(rulebook, told) == ["deal.burned-off"]
        assert due(rulebook, told) == {"a": OPEN, "b": "win 20"}

    @with_pairs
    def test_a_pair_dealt_again_is_not_known(self, rulebook: str) -> None:
        told = (
            "a 20@1 | p 5@1 perfect_pairs | 1:KC 0:9H 1:6D | burn 1:6D | 1:KC | p wins 125 | stand 1 | 0:8C"
        )
        assert found(rulebook, told) == ["deal.burned-off"]
        assert due(rulebook, told) == {"a": OPEN, "p": OPEN}

    @every
    def test_the_card_of_a_double(self, rulebook: str) -> None:
        told = "a 20@1 | 1:6C 0:9H 1:5D | double 1 with d 20 on a | 1:2C | burn 1:2C | 1:KC | 0:8C"
        assert found(rulebook, told) == ["deal.burned-off"]
        assert due(rulebook, told) == {"a": OPEN, "d": OPEN}

    @every
    @pytest.mark.parametrize(
        "told",
        [
            pytest.param(
                "1:7C | stand 1 | stand 2 | 0:7C | 0:2C | burn 0:2C", id="beyond the dealer's total"
            ),
            pytest.param("1:7C | stand 1 | 0:7C | burn 0:7C | stand 2 | 0:8C", id="the dealer's too early"),
            pytest.param("1:7C | stand 1 | 1:2C | burn 1:2C | stand 2 | 0:8C", id="to a hand that stood"),
            pytest.param("2:2C | burn 2:2C | 1:7C | stand 1 | stand 2 | 0:8C", id="out of turn"),
            pytest.param("1:7C | stand 1 | stand 2 | 2:?? | burn 2:?? | 0:8C", id="not legible"),
            pytest.param(
                "1:7C | irregularity other 1 | burn 1:7C | 1:6C | stand 1 | stand 2 | 0:8C", id="reported"
            ),
            pytest.param("1:7C | burn 1:7C | 1:6C | stand 1 | stand 2 | 0:8C | void round", id="void"),
            pytest.param(
                "1:7C | burn 1:7C | 1:6C | stand 1 | void hand 1 | stand 2 | 0:8C", id="a void hand"
            ),
            pytest.param(
                "without burns | 1:7C | burn 1:7C | 1:6C | stand 1 | stand 2 | 0:8C", id="not captured"
            ),
            pytest.param("without decisions | 1:7C | burn 1:7C | 1:6C | 0:8C", id="may have stood"),
        ],
    )
    def test_what_came_wrongly_or_with_a_word_may_go(self, rulebook: str, told: str) -> None:
        assert "deal.burned-off" not in found(rulebook, f"{self.DEALT} | {told}")

    @every
    @pytest.mark.parametrize(
        "dealt",
        [
            "1:8C 2:KD 0:KH 2:9H | burn 2:9H | 1:5D 2:9H",
            "1:8C 2:KD 0:KH 1:5D 1:2C | burn 1:2C | 2:9H",
            "1:8C 0:KH | burn 0:KH | 2:KD 0:KH 1:5D 2:9H",
            "1:8C 2:KD 3:2C | burn 3:2C | 0:KH 1:5D 2:9H",
        ],
    )
    def test_so_may_a_card_of_the_initial_deal_that_was_anothers(self, rulebook: str, dealt: str) -> None:
        told = f"a 20@1 | b 20@2 | {dealt} | 1:7C | stand 1 | stand 2 | 0:8C"
        assert found(rulebook, told) == []

    @every
    def test_a_card_interrupting_another_hand_of_the_box(self, rulebook: str) -> None:
        split = "a 20@1 | 1:8C 0:9H 1:8D | split 1 with s 20 on a | 1:2C"
        told = f"{split} | 1.2:KC | burn 1.2:KC | 1:9C | stand 1 | 1.2:QC | stand 1.2 | 0:8C"
        assert "deal.burned-off" not in found(rulebook, told)
        told = f"{split} | 1:9C | stand 1 | 1.2:KC | burn 1.2:KC | 1.2:QC | stand 1.2 | 0:8C"
        assert found(rulebook, told) == ["deal.burned-off"]

    @every
    def test_a_dealers_card_that_nothing_needed(self, rulebook: str) -> None:
        told = "a 20@1 | 1:KC 0:9H 1:6D | 1:9C | a loses 20 | 0:8C | burn 0:8C"
        assert "deal.burned-off" not in found(rulebook, told)

    @every
    def test_it_is_found_once_a_hand(self, rulebook: str) -> None:
        told = f"{self.DEALT} | 1:KC | burn 1:KC | 1:QC | burn 1:QC | 1:6C | stand 1 | stand 2 | 0:8C"
        assert found(rulebook, told) == ["deal.burned-off"]


class TestPlacedLate:
    """act-2018 def:Double def:Split 4.3, nz-2000 12.3 13.2, rws-2017 3.13 3.14, adelaide-2008 62(a) 65."""

    DOUBLED = "a 20@1 by Ann | b 20@1 by Bo | 1:6C 0:9H 1:5D | double 1 with d 20 on a"
    SPLIT = "a 20@1 by Ann | b 20@1 by Bo | 1:8C 0:9H 1:8D | split 1 with s 20 on a"

    @every
    def test_a_double_after_its_card(self, rulebook: str) -> None:
        assert found(rulebook, f"{self.DOUBLED} | e 20 doubles b | 1:9C | 0:8C") == []
        for told in ("1:9C | e 20 doubles b | 0:8C", "1:9C | 0:8C | e 20 doubles b"):
            told = f"{self.DOUBLED} | {told}"
            (late,) = [each for each in findings(rulebook, told) if each.severity != "notice"]
            assert (late.code, late.wager, late.clause) == ("double.late", "e", LATE[rulebook][1])
            assert due(rulebook, told)["e"] == "win 20"

    @every
    def test_a_split_after_a_card(self, rulebook: str) -> None:
        played = "1:KC | stand 1 | 1.2:2C | {}1.2:9C | stand 1.2 | 0:8C"
        in_time = f"{self.SPLIT} | t 20 splits b to 1.2 | {played.format('')}"
        assert found(rulebook, in_time) == []
        told = f"{self.SPLIT} | {played.format('t 20 splits b to 1.2 | ')}"
        (late,) = [each for each in findings(rulebook, told) if each.severity != "notice"]
        assert (late.code, late.wager, late.clause) == ("split.late", "t", LATE[rulebook][0])

    @every
    def test_a_split_wager_with_no_split(self, rulebook: str) -> None:
        told = "a 20@1 | 1:KC 0:9H 1:8D | s 20 splits a to 1 | stand 1 | 0:8C"
        assert "split.late" in found(rulebook, told)

    @every
    def test_a_card_that_was_burned_had_not_come(self, rulebook: str) -> None:
        told = f"{self.DOUBLED} | irregularity other 1 | 1:KC | burn 1:KC | e 20 doubles b | 1:QC | 0:8C"
        assert "double.late" not in found(rulebook, told)

    @every
    def test_without_decisions_nobody_can_say(self, rulebook: str) -> None:
        assert found(rulebook, f"without decisions | {self.DOUBLED} | 1:9C | e 20 doubles b | 0:8C") == []


class TestSplitStake:
    """What covers one hand for one original wager is taken together.

    Ruling 3, act-2018 def:Split, nz-2000 13.2, rws-2017 3.13, adelaide-2008 65.
    """

    SPLIT = "a 20@1 | 1:8C 0:9H 1:8D | split 1 with {} | 1:KC | stand 1 | 1.2:QC | stand 1.2 | 0:8C"

    @every
    @pytest.mark.parametrize(
        ("placed", "wrong"),
        [
            ("s 20 on a", []),
            ("s 10 on a,t 10 on a", []),
            ("s 20 on a,t 20 on a", ["split.stake"]),
            ("s 10 on a,t 5 on a", ["split.stake"]),
        ],
    )
    def test_wagers_on_one_hand_add_up(self, rulebook: str, placed: str, wrong: list[str]) -> None:
        assert found(rulebook, self.SPLIT.format(placed)) == wrong

    @every
    def test_one_declared_void_does_not_count(self, rulebook: str) -> None:
        told = self.SPLIT.format("s 15 on a,t 20 on a").replace("| 1:KC", "| void wager s | 1:KC")
        assert found(rulebook, told) == []


class TestInsuranceOnASplit:
    """Half of the original wager, whichever of its wagers the insurance names.

    act-2018 7.1, nz-2000 10.4(a), rws-2017 3.9, adelaide-2008 26.
    """

    @every
    def test_it_adds_up_by_the_original(self, rulebook: str) -> None:
        told = (
            "a 20@1 | 1:8C 0:AH 1:8D | split 1 with s 20 on a | i 10 insures a | {} | 1:KC | stand 1 | 1.2:QC"
        )
        told += " | stand 1.2 | 0:8C"
        assert "insurance.over-half" not in found(rulebook, told.format("no more bets"))
        assert "insurance.over-half" in found(rulebook, told.format("j 10 insures s"))


class TestTakenBackLost:
    """act-2018 4.3, nz-2000 5.5(b) 5.7, rws-2017 5.2, adelaide-2008 16: what could still win is a notice."""

    DEALT = "a 20@1 | b 20@2 | 1:KC 2:9D 0:9S 1:6D 2:9C"

    @every
    def test_after_the_dealers_second_card(self, rulebook: str) -> None:
        told = f"{self.DEALT} | stand 1 | stand 2 | 0:KD | withdraw a"
        assert found(rulebook, told) == ["wager.withdrawn"]
        assert "wager.withdrawn" in noticed(rulebook, f"{self.DEALT} | withdraw a | stand 2 | 0:KD")

    @every
    def test_on_a_hand_over_21(self, rulebook: str) -> None:
        told = f"{self.DEALT} | 1:8C | withdraw a | stand 2 | 0:KD"
        assert found(rulebook, told) == ["wager.withdrawn"]


class TestDrawsWithoutDecisions:
    """A card on 21 or over it is found whether or not decisions are recorded."""

    @every
    @pytest.mark.parametrize(
        ("told", "code"),
        [
            ("1:AC 0:9H 1:AD | split 1 with s 20 on a | 1:KC | 1:5C | 1.2:9C | 0:8C", "draw.on-21"),
            ("1:6C 0:9H 1:5D | double 1 with d 20 on a | 1:KC | 1:5C | 0:8C", "draw.on-21"),
            ("1:6C 0:9H 1:8D | 1:KC | 1:5C | 0:8C", "draw.after-bust"),
        ],
    )
    def test_is_found(self, rulebook: str, told: str, code: str) -> None:
        assert code in found(rulebook, f"without decisions | a 20@1 | {told}")

    @every
    def test_a_double_of_21_is_one_fault(self, rulebook: str) -> None:
        told = "a 20@1 | 1:8C 0:9H 1:7D | 1:6C | double 1 with d 20 on a | 1:5C | 0:8C"
        assert "draw.on-21" not in found(rulebook, told)
        assert "double.hand" in found(rulebook, told)


class TestExposedCard:
    """nz-2000 16.4, adelaide-2008 103 let a player refuse it; act-2018 15.2 and rws-2017 do not."""

    DEALT = "a 20@1 | b 20@2 | 1:5C 2:KD 0:9H 1:4D 2:9C"

    @every
    def test_excuses_a_hand_below_12_where_it_may_be_refused(self, rulebook: str) -> None:
        told = f"{self.DEALT} | irregularity exposed_card 1 | 2:2C | stand 2 | 0:8C"
        excused = rulebook in ("nz-2000", "adelaide-2008")
        assert ("draw.below-12" not in found(rulebook, told)) == excused

    @every
    @pytest.mark.parametrize(
        "told",
        [
            pytest.param("irregularity exposed_card 1 | 1:2C | stand 1 | stand 2 | 0:8C", id="he took it"),
            pytest.param(
                "irregularity exposed_card | 1:2C | stand 1 | stand 2 | 0:8C", id="he took it, unnamed"
            ),
            pytest.param(
                "stand 1 | stand 2 | 0:8C | irregularity exposed_card 0 | 0:2C | burn 0:2C", id="too late"
            ),
        ],
    )
    def test_not_one_that_was_not_refused(self, rulebook: str, told: str) -> None:
        assert "draw.below-12" in found(rulebook, f"{self.DEALT} | {told}")

    def test_an_earlier_box_took_it(self) -> None:
        told = "a 20@1 | b 20@2 | 1:5C 2:5D 0:9H 1:9D 2:4C | irregularity exposed_card | {} | stand 2 | 0:8C"
        assert "draw.below-12" in found("nz-2000", told.format("1:2C | stand 1"))
        assert "draw.below-12" not in found("nz-2000", told.format("stand 1"))


class TestDealerOfAShortHand:
    def test_he_concludes_his_hand(self) -> None:
        """adelaide-2008 75, 106(a): over 21 he pays it."""
        told = "a 20@1 | 1:5C 0:9H 1:4D | stand 1 | 0:{}"
        assert found("adelaide-2008", told.format("7C")) == ["draw.below-12", "dealer.under-draw"]
        assert found("adelaide-2008", told.format("8C")) == ["draw.below-12"]
