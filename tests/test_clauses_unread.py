"""Rounds with a card that nobody could read: what every card that it may be leaves certain."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rules_replay.rulebook import rulebook_ids
from tests.rounds import OPEN, book, due, findings, found, play, settled, verdicts

every = pytest.mark.parametrize("rulebook", rulebook_ids())
act = pytest.mark.parametrize("rulebook", ["act-2005", "act-2018"])


CARD = "a readable card"


class TestHandThatMayHaveWon:
    """With 21 it has won, whatever came after.

    act-2018 10.2(b), nz-2000 9.2, rws-2017 3.15, adelaide-2008 60.
    """

    BEFORE = "a 20@1 | 1:KC 0:6H 1:9D | 1:?? 1:KS | a {}"
    FIRST = "a 20@1 | 1:?? 0:9H 1:6D | 1:KS 1:7S | a {}"

    @classmethod
    def told(cls) -> Iterator[str]:
        """Every round of the class."""
        for told in (cls.BEFORE, cls.FIRST):
            yield from (told.format(each) for each in ("wins 20", "loses 20"))

    @every
    @pytest.mark.parametrize("told", [BEFORE, FIRST])
    def test_who_paid_it_was_wrong_then_or_before(self, rulebook: str, told: str) -> None:
        """He dealt to a 21, or paid a hand over it."""
        assert due(rulebook, told.format("wins 20")) == {"a": OPEN}
        (finding,) = (
            each for each in findings(rulebook, told.format("wins 20")) if each.severity != "notice"
        )
        assert (finding.code, finding.severity, finding.delta) == ("settle.outcome", "indeterminate", None)

    @every
    @pytest.mark.parametrize("told", [BEFORE, FIRST])
    def test_who_collected_it_is_not_taken_to_have_dealt_to_a_21(self, rulebook: str, told: str) -> None:
        assert due(rulebook, told.format("loses 20")) == {"a": "lose 20"}
        assert found(rulebook, told.format("loses 20")) == []


class TestForfeitWithAnUnreadCard:
    """A hand that no card brings to 21 was given up as any other.

    act-2018 12.6, nz-2000 12.8, rws-2017 3.14, adelaide-2008 64(a).
    """

    DOUBLED = (
        "a 20@1 | b 20@2 | 1:6C 2:9C 0:9H 1:?? 2:KC | double 1 with d 20 on a | 1:3D | forfeit a "
        "| {}stand 2 | 0:8C"
    )
    MAY_WIN = DOUBLED.replace("1:3D", "1:6D")

    @classmethod
    def told(cls) -> Iterator[str]:
        """Every round of the class."""
        for told in (cls.DOUBLED, cls.MAY_WIN):
            yield from (told.format(each) for each in ("", "a forfeits 20 | d loses 20 | "))

    @every
    def test_is_due_as_forfeited(self, rulebook: str) -> None:
        dues = due(rulebook, self.DOUBLED.format(""))
        assert (dues["a"], dues["d"]) == ("forfeit 20", "returned")
        assert found(rulebook, self.DOUBLED.format("")) == []
        taken = self.DOUBLED.format("a forfeits 20 | d loses 20 | ")
        assert found(rulebook, taken) == ["settle.forfeit"]

    @every
    def test_is_open_where_the_hand_may_have_21(self, rulebook: str) -> None:
        dues = due(rulebook, self.MAY_WIN.format(""))
        assert (dues["a"], dues["d"]) == (OPEN, OPEN)


class TestDealersCardUnread:
    """What his other cards show of his draw.

    act-2018 13.1, nz-2000 14.3, rws-2017 3.18, adelaide-2008 75.
    """

    STOOD = "a 20@1 | 1:KC 0:9H 1:9D | stand 1 | {}"
    BUST = "a 20@1 | 1:KC 0:9H 1:6D | 1:QD | a loses 20 | 0:??"

    @classmethod
    def told(cls) -> Iterator[str]:
        """Every round of the class."""
        yield from (cls.STOOD.format(each) for each in ("0:8C 0:??", "0:8C 0:?? 0:2C", "0:?? 0:KC", "0:??"))
        yield cls.BUST

    @every
    @pytest.mark.parametrize("cards", ["0:8C 0:??", "0:8C 0:?? 0:2C"])
    def test_a_card_after_17_is_one_too_many_whatever_it_was(self, rulebook: str, cards: str) -> None:
        assert found(rulebook, self.STOOD.format(cards)) == ["dealer.over-draw"]
        assert due(rulebook, self.STOOD.format(cards)) == {"a": "win 20"}

    @every
    @pytest.mark.parametrize("cards", ["0:?? 0:KC", "0:??"])
    def test_after_it_nothing_is_known(self, rulebook: str, cards: str) -> None:
        told = self.STOOD.format(cards)
        assert found(rulebook, told) == []
        round_ = settled(play(rulebook, told), book(rulebook))
        open_ = {code for code, lacks in verdicts(rulebook, round_).items() if lacks == CARD}
        assert {"dealer.under-draw", "dealer.over-draw"} <= open_
        assert "dealer.needless-draw" not in open_

    @act
    def test_one_that_nobody_needed_is_needless_whatever_it_was(self, rulebook: str) -> None:
        assert found(rulebook, self.BUST) == ["dealer.needless-draw"]


class TestSevensSplitUnread:
    """Whether they were suited, which excludes the Super Bonus, is not known (act-2018 11.10)."""

    TOLD = (
        "a 15@1 | b 10@2 | 1:7H 2:9S 0:7D 1:?? 2:KD | split 1 with s 15 on a | 1:7H 1:7H | a wins 30 | {}"
        "1.2:JH | stand 1.2 | stand 2 | 0:3D 0:2S 0:6S | s loses 15 | b wins 10"
    )
    PAID = "a gets super_bonus 1000 | b gets bonus 50 | s gets bonus 50 | "

    @classmethod
    def told(cls) -> Iterator[str]:
        """Every round of the class."""
        yield from (cls.TOLD.format(each) for each in ("", cls.PAID))

    @act
    @pytest.mark.parametrize("paid", ["", PAID])
    def test_neither_paid_nor_kept_is_wrong(self, rulebook: str, paid: str) -> None:
        told = self.TOLD.format(paid)
        assert not [code for code in found(rulebook, told) if code.startswith("bonus.")]
        assert verdicts(rulebook, told)["bonus.super"] == CARD

    @act
    def test_it_is_known_where_both_were_read(self, rulebook: str) -> None:
        unlike, suited = (self.TOLD.replace("1:??", second).format("") for second in ("1:7D", "1:7H"))
        assert due(rulebook, unlike)["a/super_bonus"] == "win 1000"
        assert "a/super_bonus" not in due(rulebook, suited)


@every
def test_the_composition_of_the_shoe_is_open(rulebook: str) -> None:
    """The card may be the copy too many (act-2018 2.3)."""
    told = "a 20@1 | 1:KC 0:9H 1:{} | stand 1 | 0:8C"
    assert verdicts(rulebook, told.format("9D"))["deck.composition"] == "passed"
    assert verdicts(rulebook, told.format("??"))["deck.composition"] == CARD
