"""Casino Canberra, approvals of 2005 and 2018: rare rounds, by clause.

Clauses are numbered as in both approvals unless a class says otherwise.
"""

from __future__ import annotations

import pytest

from tests.rounds import OPEN, due, found

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
