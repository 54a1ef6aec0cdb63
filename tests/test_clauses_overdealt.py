"""A card too many to a box in the initial deal, which ends neither that deal nor what is open until its end.

Each text is a round; its cards, whose they may be and the clause that counts are in the names and docstrings.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rules_replay.rulebook import rulebook_ids
from tests.rounds import OPEN, due, findings, found, replay

every = pytest.mark.parametrize("rulebook", rulebook_ids())

BOXES = "a 20@1 | b 20@2 | 1:5S 2:9D 0:{} 1:4C"
"""Box 2 waits for its second card."""
REST = "stand 1 | stand 2 | 0:9C"


class TestCardTooManyInTheInitialDeal:
    """act-2018 6.2 9.1 10.1 15.4, nz-2000 8.2 9.3 16.5, rws-2017 3.6 3.10 5.1.2, adelaide-2008 47 70 105."""

    UPCARD = BOXES.format("KH")
    ACE = BOXES.format("AH")
    SURRENDERED = f"{UPCARD} | 1:8H | 2:7D | surrender 2 | stand 1 | 0:9C"
    INSURED = f"{ACE} | 1:8H | 2:7D | i 10 insures b | {REST}"
    PLAYED = f"{UPCARD} | 1:3H | 2:7D | 1:8C | {{}} | stand 2 | 0:9C"
    PONTOON = "a 20@1 | b 20@2 | 1:AS 2:9D 0:KH 1:KC | 1:5H | 2:7D | a wins 30 | stand 2 | 0:9C"
    OVER = f"{UPCARD} | 1:KC | 1:5D | 2:7D | {{}}stand 2 | 0:9C | b loses 20"
    BURNED = f"{UPCARD} | 1:8H | {{}} | 1:9S | {REST}"
    DEALER_WAITS = f"a 20@1 | 1:5S | 1:4C | 1:8H | 0:KH | {REST.replace('stand 2 | ', '')}"
    WAGERS = "a 20@1 | b 20@2 | c 20@3"
    TO_TWO = f"{WAGERS} | 1:5S 2:9D 3:2C 0:KH 1:4C | 1:3H | 2:7D | 2:2D | 3:KC | {REST}"
    BURNS = ("burn 1:8H | 2:7D", "2:7D | burn 1:8H", "2:7D | stand 1 | burn 1:8H", "burn 1:8H | burn 1:4C")

    @classmethod
    def told(cls) -> Iterator[str]:
        for text in (cls.SURRENDERED, cls.INSURED, cls.PONTOON, cls.DEALER_WAITS, cls.TO_TWO):
            yield text
            yield f"without decisions | {text}"
            yield f"{text} | irregularity reconstructed 1"
        for act in ("stand 1", "double 1 with d 20 on a | 1:2C", "surrender 1", "1:KC", "1:2S | 1:2D | 1:3D"):
            yield cls.PLAYED.format(act)
            yield f"without decisions | {cls.PLAYED.format(act)}"
        for further in ("", "surrender 2 | ", "2:2C | 2:3C | "):
            yield cls.OVER.format(further)
            yield f"without decisions | {cls.OVER.format(further)}"
        for burned in cls.BURNS:
            yield cls.BURNED.format(burned)
            yield f"irregularity other | {cls.BURNED.format(burned)}"
        for reported in ("absent_player 1", "short_hand 2", "exposed_card", "other"):
            yield cls.SURRENDERED.replace("1:8H", f"irregularity {reported} | 1:8H")
        for decided in ("stand 1", "surrender 1", "i 10 insures a", "double 1 with d 20 on a", "0:9C | 0:2C"):
            yield f"{cls.ACE} | 1:8H | {decided} | 2:7D | {REST}"
        yield f"{cls.ACE} | surrender 1 | 1:8H | 2:7D | {REST}"
        yield f"{cls.ACE} | 1:8H | JK 2:7D | {REST}".replace("JK ", "2:JK ")
        yield f"{cls.ACE} | 1:?? | 2:7D | surrender 2 | {REST}"
        split = "split 1 with s 20 on a | 1:9C | 1.2:9D | stand 1 | stand 1.2 | stand 2 | 0:9C"
        yield f"{cls.UPCARD.replace('4C', '5C')} | 1:3H | 2:7D | {split}"

    @every
    def test_it_is_out_of_order_and_nothing_else(self, rulebook: str) -> None:
        told = self.PLAYED.format("stand 1")
        (finding,) = (each for each in findings(rulebook, told) if each.severity != "notice")
        assert (finding.code, finding.box) == ("deal.order", 1)
        assert found(rulebook, self.TO_TWO) == ["deal.order"]

    @every
    def test_surrender_and_insurance_are_still_open(self, rulebook: str) -> None:
        assert "surrender.timing" not in found(rulebook, self.SURRENDERED)
        assert due(rulebook, self.SURRENDERED)["b"] == "surrender 10"
        assert not {"insurance.late", "deal.missing-card"} & set(found(rulebook, self.INSURED))

    @every
    def test_its_hand_stays_open_and_the_others_do_not(self, rulebook: str) -> None:
        for act in ("stand 1", "surrender 1", "1:KC", "double 1 with d 20 on a | 1:2C"):
            paid = due(rulebook, self.PLAYED.format(act))
            assert paid["a"] == OPEN
            assert paid["b"] != OPEN
        hand = next(each for each in replay(rulebook, self.PLAYED.format("stand 1")).hands if each.box == 1)
        assert (hand.cards, hand.total) == (("5S", "4C", "8C", "3H"), 20)

    @every
    def test_pontoon_on_the_first_two_cards_has_won(self, rulebook: str) -> None:
        assert due(rulebook, self.PONTOON)["a"] == "win 30"
        assert found(rulebook, self.PONTOON) == ["deal.order"]

    @every
    def test_finished_by_it_the_hand_may_have_drawn_and_others_lack_a_card(self, rulebook: str) -> None:
        for told in (self.OVER.format(""), f"without decisions | {self.PLAYED.format('stand 1')}"):
            assert "deal.order" not in found(rulebook, told)
            missing = [each for each in findings(rulebook, told) if each.code == "deal.missing-card"]
            assert [(each.box, each.severity) for each in missing] == [(2, "indeterminate")]
            assert due(rulebook, told)["b"] == OPEN
        absent = self.PLAYED.replace("1:3H", "irregularity absent_player 1 | 1:3H").format("stand 1")
        assert "deal.missing-card" in found(rulebook, absent)

    @every
    def test_where_the_dealer_alone_waits_the_deal_was_taken_to_be_over(self, rulebook: str) -> None:
        assert found(rulebook, self.DEALER_WAITS) == ["deal.missing-card"]

    @every
    def test_burned_it_was_nobodys(self, rulebook: str) -> None:
        for burned in self.BURNS[:2]:
            told = self.BURNED.format(burned)
            assert found(rulebook, told) == []
            assert OPEN not in due(rulebook, told).values()

    @every
    def test_after_a_decision_it_is_a_further_card(self, rulebook: str) -> None:
        for decided in ("stand 1", "surrender 1"):
            told = f"{self.UPCARD} | 1:8H | {decided} | 2:7D | {REST}"
            assert "deal.missing-card" in found(rulebook, told)
