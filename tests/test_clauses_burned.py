"""A card burned off a hand that it was due to: what each rulebook makes of the round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import pytest

from rules_replay.rulebook import rulebook_ids
from tests.rounds import OPEN, due, findings, found

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


class TestCardOfAnother:
    """A card that came where it should not is the next card for whom it was due, and is not put away.

    act-2018 6.2 10.1 12.3 15.2, nz-2000 8.2 8.3 12.4 16.2, rws-2017 3.6 3.13 3.14, adelaide-2008 49 62(b) 102
    103 109.
    """

    DEALT = "a 20@1 | b 20@2 | 1:8C 2:KD 0:KH 1:5D 2:4H"
    TO_NOBODY = f"{DEALT} | 1:7C | stand 1 | 2:5C | stand 2 | 0:6D | {{}}7:9D | burn 7:9D | 0:5S"
    IN_THE_DEAL = (
        "a 20@1 | b 20@2 | 1:8C 2:KD | {}3:2C | burn 3:2C | 0:KH 1:5D 2:9H | 1:7C | stand 1 | stand 2 | 0:8C"
    )
    OUT_OF_TURN = f"{DEALT} | {{}}2:2C | burn 2:2C | 1:7C | stand 1 | 2:5C | stand 2 | 0:8C"
    AGAIN = f"{DEALT} | 2:2C | burn 2:2C | 2:2D | burn 2:2D | 1:7C | stand 1 | 2:5C | stand 2 | 0:8C"
    DOUBLED = "a 20@1 | 1:6C 0:9H 1:5D | double 1 with d 20 on a | 1:2C | {}1:9C | burn 1:9C | 0:8C"
    REPORTED = "irregularity card_burned_in_error | "

    @classmethod
    def told(cls) -> Iterator[str]:
        for told in (cls.TO_NOBODY, cls.IN_THE_DEAL, cls.OUT_OF_TURN, cls.DOUBLED):
            yield told.format("")
            yield told.format(cls.REPORTED)
        yield cls.AGAIN
        yield from (told for _, told in cls.reasons())

    @classmethod
    def reasons(cls) -> Iterator[tuple[bool, str]]:
        """Reports, and whether they may be why a card was taken off the dealer and off box 1."""
        end = "1:7C | stand 1 | 2:5C | stand 2 | {}0:AD | burn 0:AD | 0:8C"
        for code in ("absent_player 1", "option_not_offered", "superfluous_hand 3", "exposed_card 2"):
            yield False, f"{cls.DEALT} | {end.format(f'irregularity {code} | ')}"
        for code in ("exposed_card", "card_burned_in_error 0", "reconstructed 1", "other 2"):
            yield True, f"{cls.DEALT} | {end.format(f'irregularity {code} | ')}"
        own = "{}1:KC | burn 1:KC | 1:7C | stand 1 | 2:5C | stand 2 | 0:8C"
        for code in ("absent_player 1", "other 2", "exposed_card 2"):
            yield False, f"{cls.DEALT} | {own.format(f'irregularity {code} | ')}"
        for code in ("other 1", "exposed_card 1", "reconstructed", "short_hand 1"):
            yield True, f"{cls.DEALT} | {own.format(f'irregularity {code} | ')}"

    @every
    @pytest.mark.parametrize(
        ("told", "code"),
        [
            (TO_NOBODY, "deal.superfluous-hand"),
            (IN_THE_DEAL, "deal.superfluous-hand"),
            (OUT_OF_TURN, "deal.turn-order"),
        ],
    )
    def test_is_found_unless_a_report_explains_it(self, rulebook: str, told: str, code: str) -> None:
        (finding,) = findings(rulebook, told.format(""))
        assert (finding.code, finding.severity) == (code, "procedure")
        assert code not in found(rulebook, told.format(self.REPORTED))

    @every
    def test_turns_are_one_finding_a_round(self, rulebook: str) -> None:
        assert found(rulebook, self.AGAIN) == ["deal.turn-order"]

    @every
    @pytest.mark.parametrize("reported", ["", REPORTED])
    def test_a_second_card_of_a_double(self, rulebook: str, reported: str) -> None:
        told = self.DOUBLED.format(reported)
        assert found(rulebook, told) == ["double.one-card"]
        assert due(rulebook, told) == {"a": "lose 20", "d": "lose 20"}

    @every
    def test_what_may_be_the_reason(self, rulebook: str) -> None:
        for excused, told in self.reasons():
            assert ("deal.burned-off" in found(rulebook, told)) != excused, told
