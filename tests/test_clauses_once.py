"""One fault, one accusation: what a log shows twice over, or not at all, in Canberra and Adelaide.

Clauses are numbered as in both approvals of Canberra unless a class says otherwise.
"""

from __future__ import annotations

import pytest

from tests.rounds import audited, due, found

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
