"""A card burned off a hand that it was due to: what each rulebook makes of the round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import pytest

from rules_replay.rulebook import rulebook_ids
from tests.rounds import OPEN, due, found

every = pytest.mark.parametrize("rulebook", rulebook_ids())
with_pairs = pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "adelaide-2008"])


class TestBurnedOff:
    """A card that a hand was to have stays on it.

    act-2018 15.2 15.3, nz-2000 16.2 16.4, rws-2017 3.6, adelaide-2008 102 103 104.
    """

    DEALT = "a 20@1 | b 20@2 | 1:8C 2:KD 0:KH 1:5D 2:9H"
    PLAYERS = f"{DEALT} | 1:KC | burn 1:KC | 1:6C | stand 1 | stand 2 | 0:8C"
    DEALERS = (
        f"{DEALT} | 1:7C | stand 1 | stand 2 | 0:6D 0:4D | burn 0:4D | 0:8C",
        f"{DEALT} | 1:7C | stand 1 | stand 2 | 0:6D 0:QD | burn 0:QD | 0:4C",
        f"{DEALT} | 1:7C | stand 1 | stand 2 | 0:AD | burn 0:AD | 0:8C",
        f"{DEALT.replace('0:KH', '0:AH | burn 0:AH | 0:6H')} | 1:7C | stand 1 | stand 2 | 0:KC 0:KD",
    )
    INITIAL = "a 20@1 | b 20@2 | 1:AC 2:KD 0:9H 1:6D | burn 1:6D | 1:KC 2:9D | stand 2 | 0:8C"
    PAIR = "a 20@1 | p 5@1 perfect_pairs | 1:KC 0:9H 1:6D | burn 1:6D | 1:KC | p wins 125 | stand 1 | 0:8C"
    DOUBLE = "a 20@1 | 1:6C 0:9H 1:5D | double 1 with d 20 on a | 1:2C | burn 1:2C | 1:KC | 0:8C"
    MAY_GO: ClassVar = {
        "beyond the dealer's total": "1:7C | stand 1 | stand 2 | 0:7C | 0:2C | burn 0:2C",
        "the dealer's too early": "1:7C | stand 1 | 0:7C | burn 0:7C | stand 2 | 0:8C",
        "to a hand that stood": "1:7C | stand 1 | 1:2C | burn 1:2C | stand 2 | 0:8C",
        "out of turn": "2:2C | burn 2:2C | 1:7C | stand 1 | stand 2 | 0:8C",
        "not legible": "1:7C | stand 1 | stand 2 | 2:?? | burn 2:?? | 0:8C",
        "reported": "1:7C | irregularity other 1 | burn 1:7C | 1:6C | stand 1 | stand 2 | 0:8C",
        "void": "1:7C | burn 1:7C | 1:6C | stand 1 | stand 2 | 0:8C | void round",
        "a void hand": "1:7C | burn 1:7C | 1:6C | stand 1 | void hand 1 | stand 2 | 0:8C",
        "not captured": "without burns | 1:7C | burn 1:7C | 1:6C | stand 1 | stand 2 | 0:8C",
        "may have stood": "without decisions | 1:7C | burn 1:7C | 1:6C | 0:8C",
    }
    ANOTHERS = (
        "1:8C 2:KD 0:KH 2:9H | burn 2:9H | 1:5D 2:9H",
        "1:8C 2:KD 0:KH 1:5D 1:2C | burn 1:2C | 2:9H",
        "1:8C 0:KH | burn 0:KH | 2:KD 0:KH 1:5D 2:9H",
        "1:8C 2:KD 3:2C | burn 3:2C | 0:KH 1:5D 2:9H",
    )
    DEALT_TO = "a 20@1 | b 20@2 | {} | 1:7C | stand 1 | stand 2 | 0:8C"
    SPLIT = "a 20@1 | 1:8C 0:9H 1:8D | split 1 with s 20 on a"
    INTERRUPTED = f"{SPLIT} | 1:2C | 1.2:KC | burn 1.2:KC | 1:9C | stand 1 | 1.2:QC | stand 1.2 | 0:8C"
    IN_TURN = f"{SPLIT} | 1:2C | 1:9C | stand 1 | 1.2:KC | burn 1.2:KC | 1.2:QC | stand 1.2 | 0:8C"
    NEEDLESS = "a 20@1 | 1:KC 0:9H 1:6D | 1:9C | a loses 20 | 0:8C | burn 0:8C"
    TWICE = f"{DEALT} | 1:KC | burn 1:KC | 1:QC | burn 1:QC | 1:6C | stand 1 | stand 2 | 0:8C"

    @classmethod
    def told(cls) -> Iterator[str]:
        yield from (cls.PLAYERS, *cls.DEALERS, cls.INITIAL, cls.PAIR, cls.DOUBLE)
        yield from (f"{cls.DEALT} | {each}" for each in cls.MAY_GO.values())
        yield from map(cls.DEALT_TO.format, cls.ANOTHERS)
        yield from (cls.INTERRUPTED, cls.IN_TURN, cls.NEEDLESS, cls.TWICE)

    @every
    def test_a_players_card(self, rulebook: str) -> None:
        assert found(rulebook, self.PLAYERS) == ["deal.burned-off"]
        assert due(rulebook, self.PLAYERS) == {"a": OPEN, "b": "win 20"}

    @every
    @pytest.mark.parametrize("told", DEALERS)
    def test_the_dealers_card(self, rulebook: str, told: str) -> None:
        assert found(rulebook, told) == ["deal.burned-off"]
        assert due(rulebook, told) == {"a": OPEN, "b": OPEN}

    @every
    def test_a_card_of_the_initial_deal(self, rulebook: str) -> None:
        assert found(rulebook, self.INITIAL) == ["deal.burned-off"]
        assert due(rulebook, self.INITIAL) == {"a": OPEN, "b": "win 20"}

    @with_pairs
    def test_a_pair_dealt_again_is_not_known(self, rulebook: str) -> None:
        assert found(rulebook, self.PAIR) == ["deal.burned-off"]
        assert due(rulebook, self.PAIR) == {"a": OPEN, "p": OPEN}

    @every
    def test_the_card_of_a_double(self, rulebook: str) -> None:
        assert found(rulebook, self.DOUBLE) == ["deal.burned-off"]
        assert due(rulebook, self.DOUBLE) == {"a": OPEN, "d": OPEN}

    @every
    @pytest.mark.parametrize("told", MAY_GO.values(), ids=MAY_GO)
    def test_what_came_wrongly_or_with_a_word_may_go(self, rulebook: str, told: str) -> None:
        assert "deal.burned-off" not in found(rulebook, f"{self.DEALT} | {told}")

    @every
    @pytest.mark.parametrize("dealt", ANOTHERS)
    def test_so_may_a_card_of_the_initial_deal_that_was_anothers(self, rulebook: str, dealt: str) -> None:
        assert found(rulebook, self.DEALT_TO.format(dealt)) == []

    @every
    def test_a_card_interrupting_another_hand_of_the_box(self, rulebook: str) -> None:
        assert "deal.burned-off" not in found(rulebook, self.INTERRUPTED)
        assert found(rulebook, self.IN_TURN) == ["deal.burned-off"]

    @every
    def test_a_dealers_card_that_nothing_needed(self, rulebook: str) -> None:
        assert "deal.burned-off" not in found(rulebook, self.NEEDLESS)

    @every
    def test_it_is_found_once_a_hand(self, rulebook: str) -> None:
        assert found(rulebook, self.TWICE) == ["deal.burned-off"]
