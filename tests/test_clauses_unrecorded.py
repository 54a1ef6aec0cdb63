"""Rounds without the decisions: what is read off cards and settlements all the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rules_replay.auditor import Auditor
from rules_replay.rulebook import rulebook_ids
from rules_replay.venues import load_register
from tests.rounds import OPEN, book, due, found, play, replay, settled, verdicts

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
    SPLIT = (
        "without decisions | a 10@1 by Ann | b 20@1 by Bo | 1:8S 0:KC 1:8H | split 1 with s 20 on b "
        "| 1:3D 1:KD | b wins 20 | 1.2:9S | 0:AD | s loses 20 | a {}"
    )
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

    def test_may_be_of_a_hand_that_another_split(self) -> None:
        """adelaide-2008 71, 72: the other's hand came to 21 and was paid."""
        assert found("adelaide-2008", self.SPLIT.format("loses 10")) == []
        assert found("adelaide-2008", self.SPLIT.format("loses 4")) != []
        halved = self.SPLIT.replace("0:AD", "0:9D")
        assert "settle.surrender" not in found("adelaide-2008", halved.format("surrenders 5"))
        assert "settle.surrender" in found("adelaide-2008", halved.format("surrenders 4"))

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
        yield from (cls.SPLIT.format(each) for each in ("loses 10", "loses 4", "surrenders 5"))
        waited = [cls.WAITED.format(each) for each in ("1:5C | b wins 20", "1:9C | b loses 20")]
        yield from (*waited, waited[1].replace("decisions", "decisions settle_order"))
        yield from (cls.SHORT.format("", each) for each in ("loses 20", "ties"))


class TestHandOfCoWagerer:
    """Who does not split with the box chooses his hand, which decisions alone show (nz-2000 15.3(d))."""

    SPLIT = (
        "{}a 20@1 by Ann | b 10@1 by Bo | 1:8S 0:9C 1:8H | split 1 with s 20 on a | {}1:8D | stand 1 "
        "| 1.2:KD | stand 1.2 | 0:8C | a loses 20 | b wins 10 | s wins 20"
    )
    DOUBLED = (
        "{}a 20@1 by Ann | b 10@1 by Bo | 1:8S 0:9C 1:8H | split 1 with s 20 on a | {}1:KD | stand 1 "
        "| 1.2:3D | double 1.2 with d 20 on s, e 10 on b | 1.2:9D | 0:8C"
    )
    chosen = pytest.mark.parametrize("rulebook", ["nz-2000", "rws-2017"])

    @classmethod
    def told(cls) -> Iterator[str]:
        """Every round of the class."""
        for told in (cls.SPLIT, cls.DOUBLED):
            yield from (
                told.format(*each) for each in (("without decisions | ", ""), ("", "assign b 1.2 | "))
            )

    @chosen
    def test_is_not_taken_for_the_first(self, rulebook: str) -> None:
        told = self.SPLIT.format("without decisions | ", "")
        assert found(rulebook, told) == []
        assert due(rulebook, told)["b"] == OPEN
        assert due(rulebook, self.SPLIT.format("", "assign b 1.2 | "))["b"] == "win 10"
        assert "settle.outcome" in found(rulebook, self.SPLIT.format("", ""))

    @chosen
    def test_is_shown_by_its_double(self, rulebook: str) -> None:
        told = self.DOUBLED.format("without decisions | ", "")
        assert found(rulebook, told) == []
        assert due(rulebook, told) == due(rulebook, self.DOUBLED.format("", "assign b 1.2 | "))

    @pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "adelaide-2008"])
    def test_is_the_first_elsewhere(self, rulebook: str) -> None:
        """act-2018 11.12, adelaide-2008 69."""
        assert "settle.outcome" in found(rulebook, self.SPLIT.format("without decisions | ", ""))


class TestForfeitRecordedAllTheSame:
    """A forfeit in the log is no surrender, though decisions are said not to be recorded."""

    TOLD = (
        "without decisions | a 20@1 | b 20@2 | 1:6S 2:9S 0:9C 1:5H 2:KH | double 1 with d 20 on a | 1:3H "
        "| forfeit a | a surrenders 10 | d returned | stand 2 | 0:8D"
    )

    @every
    def test_is_held_against_its_settlement(self, rulebook: str) -> None:
        assert found(rulebook, self.TOLD) == ["settle.forfeit"]


class TestGivenUpAgainstTheCards:
    """A settlement that says given up, and cards that say otherwise: which holds nobody recorded."""

    DRAWN = "without decisions | a 20@1 | 1:4C 0:KH 1:3D | 1:{} | 0:8C | a surrenders 10"
    ANOTHERS = (
        "without decisions | a 20@1 by Ann | b 20@1 by Bo | 1:4C 0:KH 1:9D | 1:5C | 0:8C "
        "| b ties | a surrenders 10"
    )
    NOT_DOUBLED = "without decisions | a 20@1 | 1:KC 0:9H 1:QD | 0:9C | a forfeits 20"
    WITHDRAWN = (
        "without decisions | a 20@1 | 1:6C 0:9H 1:5D | double 1 with d 20 on a | 1:{} | 0:{}C "
        "| a {} 20 | d returned"
    )
    TOLD = (
        DRAWN.format("5C"),
        DRAWN.format("8C"),
        ANOTHERS,
        NOT_DOUBLED,
        WITHDRAWN.format("2C", "8", "loses"),
        WITHDRAWN.format("2C", "8", "forfeits"),
        WITHDRAWN.format("2C", "A", "loses").replace("0:9H", "0:KH"),
        WITHDRAWN.format("KC", "8", "wins"),
    )

    @every
    @pytest.mark.parametrize("card", ["5C", "8C"])
    def test_a_surrender_after_a_card(self, rulebook: str, card: str) -> None:
        """act-2018 9.2 10.1, nz-2000 9.3, rws-2017 3.10, adelaide-2008 71."""
        told = self.DRAWN.format(card)
        assert due(rulebook, told) == {"a": OPEN}
        assert found(rulebook, told) == []

    @pytest.mark.parametrize("rulebook", ["rws-2017", "adelaide-2008"])
    def test_the_card_may_be_for_another_on_the_box(self, rulebook: str) -> None:
        """rws-2017 3.10, adelaide-2008 71."""
        assert due(rulebook, self.ANOTHERS)["a"] == "surrender 10"
        assert found(rulebook, self.ANOTHERS) == []

    @every
    def test_a_forfeit_of_a_hand_that_nobody_doubled(self, rulebook: str) -> None:
        """act-2018 12.6, nz-2000 12.8, rws-2017 3.14, adelaide-2008 64(a)."""
        assert due(rulebook, self.NOT_DOUBLED) == {"a": OPEN}

    @every
    def test_a_doubled_portion_that_went_back(self, rulebook: str) -> None:
        """act-2018 12.6, nz-2000 12.8, rws-2017 3.14, adelaide-2008 64(a)."""
        told = self.WITHDRAWN.format("2C", "8", "loses")
        assert due(rulebook, told) == {"a": OPEN, "d": OPEN}
        assert found(rulebook, told) == []
        recorded = told.replace("without decisions | ", "")
        assert "settle.double" in found(rulebook, recorded)


class TestDealersSecondCardBurned:
    """act-2018 15.3, nz-2000 16.5: one that came too early is burned, as decisions alone may show."""

    DEALT = "{}a 20@1 | 1:KC 0:9H 1:QD | {}0:5C | burn 0:5C | {}0:8C | a wins 20"
    BLIND = DEALT.format("without decisions | ", "", "")
    TOLD = (BLIND, DEALT.format("", "", "stand 1 | "), DEALT.format("", "stand 1 | ", ""))

    @every
    def test_accuses_nobody_where_they_are_not_recorded(self, rulebook: str) -> None:
        assert "deal.burned-off" not in found(rulebook, self.BLIND)
        assert verdicts(rulebook, self.BLIND)["deal.burned-off"] == "decisions"
        assert ["deal.burned-off" in found(rulebook, told) for told in self.TOLD[1:]] == [False, True]


@pytest.mark.parametrize("rulebook", [each for each in rulebook_ids() if each != "rws-2017"])
@pytest.mark.parametrize(
    ("first", "second"),
    [("", "passed"), ("without cut_card | ", "not_evaluable"), ("cut card | ", "failed")],
)
def test_a_shuffle_may_be_due_by_a_card_that_an_earlier_round_did_not_record(
    rulebook: str, first: str, second: str
) -> None:
    """act-2018 5.4, nz-2000 8.7, adelaide-2008 54."""
    auditor = Auditor(load_register())
    rules = book(rulebook)
    for number, recorded in enumerate((first, ""), 1):
        told = f"round {number} | {recorded}a 20@1 | 1:KC 0:9H 1:9D | stand 1 | 0:8C"
        audited = auditor.audit(settled(play(rulebook, told, round_id=f"round-{number}"), rules))
    assert {row.code: row.verdict for row in audited.coverage}["shoe.shuffle-due"] == second


@every
def test_a_surrender_that_no_settlement_shows_may_have_been_settled_wrongly(rulebook: str) -> None:
    told = "{}a 20@1 | 1:KC 0:KH 1:6D | {}0:8C | a {}"
    blind = [told.format("without decisions | ", "", each) for each in ("loses 20", "surrenders 10")]
    assert [verdicts(rulebook, each)["settle.surrender"] for each in blind] == ["decisions", "passed"]
    stood = told.format("", "stand 1 | ", "loses 20")
    assert verdicts(rulebook, stood)["settle.surrender"] == "passed"


def clause_of(rulebook: str, told: str, wager: str) -> str:
    """The clauses by which a wager is due what it is, without the rulebook's name."""
    (clause,) = (each.clause for each in replay(rulebook, told).settlements if each.wager == wager)
    return clause.removeprefix(f"{rulebook} ")
