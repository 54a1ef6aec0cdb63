"""Rounds without the decisions: what is read off cards and settlements all the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rules_replay.rulebook import rulebook_ids
from tests.rounds import found, replay

every = pytest.mark.parametrize("rulebook", rulebook_ids())


class TestDrawsWithoutDecisions:
    """A card on 21 or over it is found whether or not decisions are recorded."""

    WAGERED = "without decisions | a 20@1"
    SPLIT = f"{WAGERED} | 1:AC 0:9H 1:AD | split 1 with s 20 on a | 1:KC | 1:5C | 1.2:9C | 0:8C"
    DOUBLED = f"{WAGERED} | 1:6C 0:9H 1:5D | double 1 with d 20 on a | 1:KC | 1:5C | 0:8C"
    BUST = f"{WAGERED} | 1:6C 0:9H 1:8D | 1:KC | 1:5C | 0:8C"
    TOLD = (SPLIT, DOUBLED, BUST)

    @every
    @pytest.mark.parametrize(
        ("told", "code"), [(SPLIT, "draw.on-21"), (DOUBLED, "draw.on-21"), (BUST, "draw.after-bust")]
    )
    def test_is_found(self, rulebook: str, told: str, code: str) -> None:
        assert code in found(rulebook, told)


class TestSurrenderNobodyRecorded:
    """Who surrendered loses all to a Pontoon, the others play on (rws-2017 3.10.1, adelaide-2008 71 72)."""

    SHARED = "without decisions | a 20@1 by Ann | b 20@1 by Bo | 1:KC 0:KH 1:6D"
    WAITED = f"{SHARED} | {{}} | 0:AC | a loses 20"
    SHORT = "without decisions | a 20@1 | 1:5C 0:KH 1:6D | {}0:AC | a {}"
    AT_ONCE = f"{SHARED} | 1:9C | b loses 20 | a loses 20 | 0:AC"

    @pytest.mark.parametrize("rulebook", ["rws-2017", "adelaide-2008"])
    @pytest.mark.parametrize("cards", ["1:5C | b wins 20", "1:9C | b loses 20"])
    def test_may_be_one_of_several(self, rulebook: str, cards: str) -> None:
        told = self.WAITED.format(cards)
        assert found(rulebook, told) == []
        assert clause_of(rulebook, told, "a") == {"rws-2017": "3.10.1", "adelaide-2008": "72"}[rulebook]

    @pytest.mark.parametrize("rulebook", ["rws-2017", "adelaide-2008"])
    def test_is_not_what_was_lost_at_once(self, rulebook: str) -> None:
        """rws-2017 3.16, adelaide-2008 10(a): over 21, before the dealer's second card."""
        assert found(rulebook, self.AT_ONCE) == []
        over = {"rws-2017": "3.16; 3.13; 3.14", "adelaide-2008": "10(a); 51"}[rulebook]
        assert clause_of(rulebook, self.AT_ONCE, "a") == over

    @pytest.mark.parametrize("rulebook", ["rws-2017", "adelaide-2008"])
    def test_over_21_needs_the_order_of_settlements(self, rulebook: str) -> None:
        told = self.WAITED.format("1:9C | b loses 20").replace("decisions", "decisions settle_order")
        over = {"rws-2017": "3.16; 3.13; 3.14", "adelaide-2008": "10(a); 51"}[rulebook]
        assert clause_of(rulebook, told, "a") == over

    @pytest.mark.parametrize("rulebook", ["rws-2017", "adelaide-2008"])
    def test_is_not_where_nobody_else_played_on(self, rulebook: str) -> None:
        told = self.WAITED.replace("b 20@1 by Bo | ", "").format("1:5C")
        assert "settle.outcome" in found(rulebook, told)

    @pytest.mark.parametrize("rulebook", ["act-2005", "act-2018"])
    def test_is_not_where_it_binds_the_box(self, rulebook: str) -> None:
        assert "settle.outcome" in found(rulebook, self.WAITED.format("1:5C | b wins 20"))

    def test_may_be_that_of_a_hand_below_12(self) -> None:
        """adelaide-2008 72, 106(c): played on, it would have stood off."""
        assert found("adelaide-2008", self.SHORT.format("", "loses 20")) == []
        assert found("adelaide-2008", self.SHORT.format("", "ties")) == []
        short = self.SHORT.format("irregularity short_hand 1 | ", "loses 20")
        assert "settle.outcome" in found("adelaide-2008", short)

    @classmethod
    def told(cls) -> Iterator[str]:
        """Every round of the class."""
        yield cls.AT_ONCE
        waited = [cls.WAITED.format(each) for each in ("1:5C | b wins 20", "1:9C | b loses 20")]
        yield from (*waited, waited[1].replace("decisions", "decisions settle_order"))
        yield from (cls.SHORT.format("", each) for each in ("loses 20", "ties"))


def clause_of(rulebook: str, told: str, wager: str) -> str:
    """The clauses by which a wager is due what it is, without the rulebook's name."""
    (clause,) = (each.clause for each in replay(rulebook, told).settlements if each.wager == wager)
    return clause.removeprefix(f"{rulebook} ")
