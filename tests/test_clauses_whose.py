"""Whose wager is whose: several of one player, on another hand than its own, or off the table in time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rules_replay.rulebook import rulebook_ids
from tests.rounds import OPEN, due, found, noticed

ACT = ["act-2005", "act-2018"]
ALL = sorted(rulebook_ids())

every = pytest.mark.parametrize("rulebook", ALL)


class TestTwoWagersOfTheController:
    """act-2018 4.5 11.1 12.2, nz-2000 15.3(e): it is a player who controls a box, with whichever wager."""

    BOX = "a 20@1 by Ann | e 30@1 by Ann | c 10@1 by Cy"
    DOUBLED = f"{BOX} | 1:6C 0:6H 1:5D | double 1 with {{}} | 1:9C | 0:KD 0:9S"
    SPLIT = f"{BOX} | 1:8C 0:6H 1:8D | split 1 with {{}} | 1:KC | stand 1 | 1.2:KS | stand 1.2 | 0:KD 0:9S"

    @classmethod
    def told(cls) -> Iterator[str]:
        for more in ("f 30 on e", "f 30 on e, g 10 on c", "g 10 on c"):
            yield cls.DOUBLED.format(more)
            yield cls.SPLIT.format(more)

    @pytest.mark.parametrize("rulebook", [*ACT, "nz-2000", "rws-2017"])
    def test_he_takes_part_with_either(self, rulebook: str) -> None:
        for told in (self.DOUBLED, self.SPLIT):
            for more in ("f 30 on e", "f 30 on e, g 10 on c"):
                assert found(rulebook, told.format(more)) == []

    @pytest.mark.parametrize("rulebook", [*ACT, "nz-2000"])
    def test_another_does_not_without_him(self, rulebook: str) -> None:
        assert found(rulebook, self.DOUBLED.format("g 10 on c")) == ["double.not-controller"]
        assert found(rulebook, self.SPLIT.format("g 10 on c")) == ["split.not-controller"]


class TestPortionForAWagerOnAnotherHand:
    """act-2018 12.3, nz-2000 15.3(c), adelaide-2008 80: those on the hand may double along, and no others."""

    DEALT = (
        "a 20@1 by Ann | b 10@1 by Bo | 1:8C 0:6H 1:8D | split 1 with s 20 on a | 1:KC | stand 1 | 1.2:3S "
        "| double 1.2 with d 20 on s, e 10 on b | 1.2:9C | 0:KD 0:9S"
    )
    PAID = f"{DEALT} | a {{}} 20 | b wins 10 | s wins 20 | d wins 20"

    @classmethod
    def told(cls) -> Iterator[str]:
        yield cls.DEALT
        yield cls.PAID.format("loses")
        yield cls.DEALT.replace(", e 10 on b", ", e 20 on a")

    @every
    def test_the_other_hand_was_not_doubled(self, rulebook: str) -> None:
        assert due(rulebook, self.DEALT) == {
            **dict.fromkeys(("a", "s", "d"), "win 20"),
            "b": "win 10",
            "e": OPEN,
        }
        assert found(rulebook, self.DEALT) == ["double.hand"]

    @every
    def test_what_is_taken_from_it_is_found(self, rulebook: str) -> None:
        assert "settle.outcome" not in found(rulebook, self.PAID.format("wins"))
        assert "settle.outcome" in found(rulebook, self.PAID.format("loses"))

    @every
    def test_the_controlling_player_neither(self, rulebook: str) -> None:
        assert found(rulebook, self.DEALT.replace(", e 10 on b", ", e 20 on a")) == ["double.hand"]


class TestSplitWagerOfWhoHadLost:
    """act-2018 4.3, nz-2000 5.5(a): a wager for one that was settled before the split is a new one."""

    DEALT = (
        "a 20@1 by Ann | b 20@1 by Bo | 1:8C 0:6H 1:8D | split 1 with s 20 on a | 1:9C | {}1.2:8S "
        "| split 1.2 with t 20 on s, u 20 on b | 1.2:KC | stand 1.2 | 1.3:KS | stand 1.3 | 0:KD 0:9S"
    )
    OVER = DEALT.format("1:KD | a loses 20 | b loses 20 | ")
    LIVE = DEALT.format("stand 1 | ")
    IN_NO_ORDER = f"without settle_order | {OVER}"
    MOVED = OVER.replace("s 20 on a", "s 20 on a, u 20 on b").replace(
        "t 20 on s, u 20 on b", "t 20 on s | assign u 1.3"
    )

    @classmethod
    def told(cls) -> Iterator[str]:
        yield from (cls.OVER, cls.LIVE, cls.IN_NO_ORDER, cls.MOVED)

    @every
    def test_comes_too_late(self, rulebook: str) -> None:
        assert "split.late" in found(rulebook, self.OVER)
        assert "split.late" not in found(rulebook, self.LIVE)

    @every
    def test_not_known_to_where_settlements_stand_in_no_order(self, rulebook: str) -> None:
        assert "split.late" not in found(rulebook, self.IN_NO_ORDER)

    def test_not_one_placed_in_time_and_moved_to_a_later_hand(self) -> None:
        assert found("nz-2000", self.MOVED) == []


class TestChoiceOfAHandOfAnotherSplit:
    """nz-2000 15.3(d): he chooses once his own hand was split, before a further card."""

    DEALT = "a 20@1 by Ann | b 20@1 by Bo | 1:8C 0:6H 1:8D | split 1 with s 20 on a | "
    AGAIN = "1.2:8S | split 1.2 with t 20 on s | {}1.2:KC | stand 1.2 | 1.3:KS | stand 1.3 | 0:KD 0:9S"
    STAYED = f"{DEALT}1:KD | stand 1 | {AGAIN}"
    MOVED = f"{DEALT}assign b 1.2 | 1:KD | stand 1 | {AGAIN}"

    @classmethod
    def told(cls) -> Iterator[str]:
        for text in (cls.STAYED, cls.MOVED):
            yield from (text.format(""), text.format("assign b 1.3 | "))

    def test_not_when_another_is(self) -> None:
        assert found("nz-2000", self.STAYED.format("assign b 1.3 | ")) == ["split.assign-late"]
        assert found("nz-2000", self.STAYED.format("")) == []

    def test_his_own_may_be_another(self) -> None:
        assert found("nz-2000", self.MOVED.format("assign b 1.3 | ")) == []


class TestTakenBackBeforeTheFirstCard:
    """act-2018 4.3: a wager off the table before the first card is no wager of the round."""

    PLAYERS = (
        "a 20@1 by Ann | b 20@1 by Bo | c 20@1 by Cy | d 20@1 by Di | e 20@1 by Ed | {}1:KC 0:9H 1:8D "
        "| stand 1 | 0:8C"
    )
    TOTAL = "sign box_max 100 | a 60@1 by Ann | b 60@1 by Bo | {}1:KC 0:9H 1:8D | stand 1 | 0:8C"
    STEP = "sign multiples 10 | a 20@1 | b 25@2 | {}1:KC 0:9H 1:8D | stand 1 | 0:8C"
    KINDS = "a 20@1 | p 5@1 perfect_pairs | {}q 5@1 pair | 1:KC 0:9H 1:KD | q wins 55 | stand 1 | 0:8C"

    @classmethod
    def told(cls) -> Iterator[str]:
        for text, gone in (
            (cls.PLAYERS, "withdraw d | withdraw e | "),
            (cls.TOTAL, "withdraw b | "),
            (cls.STEP, "withdraw b | "),
            (cls.KINDS, "withdraw p | "),
        ):
            yield from (text.format(""), text.format(gone))

    @pytest.mark.parametrize("rulebook", ACT)
    @pytest.mark.parametrize(
        ("told", "gone", "code"),
        [
            (PLAYERS, "withdraw d | withdraw e | ", "wager.players-per-box"),
            (TOTAL, "withdraw b | ", "wager.box-total"),
            (STEP, "withdraw b | ", "wager.multiples"),
        ],
        ids=["players", "total", "multiples"],
    )
    def test_counts_for_nothing(self, rulebook: str, told: str, gone: str, code: str) -> None:
        assert code in found(rulebook, told.format(""))
        assert found(rulebook, told.format(gone)) == []
        assert noticed(rulebook, told.format(gone)) == ["wager.withdrawn"] * gone.count("withdraw")

    def test_nor_does_its_kind(self) -> None:
        """act-2018 18.1: one kind of side wager at a table (ruling 8)."""
        assert "side-bet.not-offered" in found("act-2018", self.KINDS.format(""))
        assert found("act-2018", self.KINDS.format("withdraw p | ")) == []


class TestWithdrawnFromAHandThatIsNotShort:
    """adelaide-2008 105 106 107: the option is of a hand with too few cards, to draw or to withdraw."""

    BOX = "a 20@1 by Ann | c 10@1 by Cy | b 20@2 by Bo"
    STOOD = f"{BOX} | 1:KC 2:9D 0:9S 1:6D 2:9C | stand 1 | stand 2 | 0:KD | irregularity short_hand 1 | {{}}"
    SHORT = f"{BOX} | 1:5C 2:9D 0:9S 1:6D 2:9C | stand 1 | stand 2 | 0:KD | irregularity short_hand 1 | {{}}"
    DOUBLED = (
        "a 20@1 | b 20@2 | 1:5C 2:9D 0:9S 1:6D 2:9C | double 1 with d 20 on a | 1:2C | stand 2 | 0:KD "
        "| irregularity short_hand 1 | withdraw a"
    )
    ACES = (
        "a 20@1 | b 20@2 | 1:AC 2:9D 0:9S 1:AD 2:9C | split 1 with s 20 on a | 1:2C | 1.2:3C | stand 2 "
        "| 0:KD | irregularity short_hand 1 | withdraw a"
    )
    GIVEN_UP = (
        "a 20@1 by Ann | c 10@1 by Cy | b 20@2 by Bo | 1:5C 2:9D 0:KS 1:4D 2:9C | surrender 1 only a "
        "| stand 1 | stand 2 | 0:QD | irregularity short_hand 1 | withdraw c"
    )

    @classmethod
    def told(cls) -> Iterator[str]:
        for text in (cls.STOOD, cls.SHORT):
            yield from (text.format("withdraw a"), text.format("1:4C | withdraw a"))
        yield from (cls.DOUBLED, cls.ACES, cls.GIVEN_UP)

    def test_is_found(self) -> None:
        for told in (self.STOOD.format("withdraw a"), self.DOUBLED, self.ACES):
            assert "wager.withdrawn" in found("adelaide-2008", told)
        assert "wager.withdrawn" not in found("adelaide-2008", self.SHORT.format("withdraw a"))

    def test_so_is_one_from_a_hand_that_was_drawn_to(self) -> None:
        assert "wager.withdrawn" in found("adelaide-2008", self.SHORT.format("1:4C | withdraw a"))

    def test_and_takes_nobody_along(self) -> None:
        assert due("adelaide-2008", self.STOOD.format("withdraw a"))["c"] == "lose 10"
        assert due("adelaide-2008", self.SHORT.format("withdraw a"))["c"] == "void"

    def test_who_surrendered_had_left_it(self) -> None:
        """73: the next player controls the hand then."""
        assert due("adelaide-2008", self.GIVEN_UP)["a"] == "surrender 10"
        assert due("adelaide-2008", self.GIVEN_UP)["c"] == "void"

    def test_of_a_split_the_other_hand_stays(self) -> None:
        split = "a 20@1 by Ann | c 10@1 by Cy | b 20@2 by Bo | 1:8C 2:9D 0:9S 1:8D 2:9C "
        told = (
            f"{split}| split 1 with s 20 on a, t 10 on c | 1:3C | stand 1 | 1.2:KC | stand 1.2 | stand 2 "
            "| 0:JD | irregularity short_hand 1 | withdraw a"
        )
        assert due("adelaide-2008", told) == {
            **dict.fromkeys(("a", "c"), "void"),
            **dict.fromkeys(("s", "b"), "lose 20"),
            "t": "lose 10",
        }
