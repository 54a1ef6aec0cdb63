"""Wagers placed after their moment, and what those of one hand come to together."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rules_replay.rulebook import rulebook_ids
from tests.rounds import due, findings, found

every = pytest.mark.parametrize("rulebook", rulebook_ids())

LATE = {
    "act-2005": ("act-2005 4.3; def:Split", "act-2005 4.3; def:Double/double down"),
    "act-2018": ("act-2018 4.3; def:Split", "act-2018 4.3; def:Double/double down"),
    "nz-2000": ("nz-2000 13.2; 13.3", "nz-2000 12.3; 12.4"),
    "rws-2017": ("rws-2017 3.13; 5.2", "rws-2017 3.14; 5.2"),
    "adelaide-2008": ("adelaide-2008 65; 18", "adelaide-2008 62(a); 18"),
}


class TestPlacedLate:
    """act-2018 def:Double def:Split 4.3, nz-2000 12.3 13.2, rws-2017 3.13 3.14, adelaide-2008 62(a) 65."""

    DOUBLED = "a 20@1 by Ann | b 20@1 by Bo | 1:6C 0:9H 1:5D | double 1 with d 20 on a"
    SPLIT = "a 20@1 by Ann | b 20@1 by Bo | 1:8C 0:9H 1:8D | split 1 with s 20 on a"
    PLAYED = "1:KC | stand 1 | 1.2:2C | {}1.2:9C | stand 1.2 | 0:8C"
    IN_TIME = (
        f"{DOUBLED} | e 20 doubles b | 1:9C | 0:8C",
        f"{SPLIT} | t 20 splits b to 1.2 | {PLAYED.format('')}",
    )
    DOUBLED_LATE = (
        f"{DOUBLED} | 1:9C | e 20 doubles b | 0:8C",
        f"{DOUBLED} | 1:9C | 0:8C | e 20 doubles b",
    )
    SPLIT_LATE = f"{SPLIT} | {PLAYED.format('t 20 splits b to 1.2 | ')}"
    NO_SPLIT = "a 20@1 | 1:KC 0:9H 1:8D | s 20 splits a to 1 | stand 1 | 0:8C"
    BURNED = f"{DOUBLED} | irregularity other 1 | 1:KC | burn 1:KC | e 20 doubles b | 1:QC | 0:8C"
    UNRECORDED = f"without decisions | {DOUBLED_LATE[0]}"
    PLAYED_OUT = "a 20@1 | b 20@2 | 1:{} 2:KC 0:6H 1:{} 2:QD | stand 2 | 0:KH 0:QH | {}"
    AFTER_THE_DEALER = (
        PLAYED_OUT.format("6C", "5D", "double 1 with d 20 on a | 1:2C | a wins 20 | d wins 20"),
        PLAYED_OUT.format("8C", "8D", "split 1 with s 20 on a | 1:KD | 1.2:KS | stand 1 | stand 1.2"),
    )
    DEALT_BEFORE = "b 20@2 | 1:AS 2:9C 0:AD 1:KC | a 20@1 | 2:9D | i 10 insures a | stand 2 | 0:9C"

    @classmethod
    def told(cls) -> Iterator[str]:
        yield from (*cls.IN_TIME, *cls.DOUBLED_LATE, cls.SPLIT_LATE)
        yield from (cls.NO_SPLIT, cls.BURNED, cls.UNRECORDED, *cls.AFTER_THE_DEALER, cls.DEALT_BEFORE)

    @every
    @pytest.mark.parametrize("told", IN_TIME)
    def test_before_the_card_it_is_in_time(self, rulebook: str, told: str) -> None:
        assert found(rulebook, told) == []

    @every
    @pytest.mark.parametrize("told", DOUBLED_LATE)
    def test_a_double_after_its_card(self, rulebook: str, told: str) -> None:
        (late,) = [each for each in findings(rulebook, told) if each.severity != "notice"]
        assert (late.code, late.wager, late.clause) == ("double.late", "e", LATE[rulebook][1])
        assert due(rulebook, told)["e"] == "win 20"

    @every
    def test_a_split_after_a_card(self, rulebook: str) -> None:
        (late,) = [each for each in findings(rulebook, self.SPLIT_LATE) if each.severity != "notice"]
        assert (late.code, late.wager, late.clause) == ("split.late", "t", LATE[rulebook][0])

    @every
    def test_insurance_of_a_wager_on_a_box_that_had_its_cards_before_it(self, rulebook: str) -> None:
        barred = [] if rulebook == "rws-2017" else ["insurance.pontoon-holder"]
        assert found(rulebook, self.DEALT_BEFORE) == ["wager.late", "deal.superfluous-hand", *barred]

    @every
    def test_a_split_wager_with_no_split(self, rulebook: str) -> None:
        assert "split.late" in found(rulebook, self.NO_SPLIT)

    @every
    @pytest.mark.parametrize(
        ("told", "code"), [*zip(AFTER_THE_DEALER, ("double.late", "split.late"), strict=True)]
    )
    def test_after_the_dealer_has_drawn(self, rulebook: str, told: str, code: str) -> None:
        """act-2018 4.3 13.1(a), nz-2000 5.5(a) 8.5, rws-2017 3.18, adelaide-2008 52."""
        assert code in found(rulebook, told)
        assert "dealer.early-second-card" in found(rulebook, told)
        early = told.replace("0:KH 0:QH | ", "0:KH | ")
        assert code not in found(rulebook, f"{early} | 0:QH")

    @every
    def test_a_card_that_was_burned_had_not_come(self, rulebook: str) -> None:
        assert "double.late" not in found(rulebook, self.BURNED)

    @every
    def test_without_decisions_nobody_can_say(self, rulebook: str) -> None:
        assert found(rulebook, self.UNRECORDED) == []


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
