"""Wagers taken back: where an irregularity lets them go, and where they had been lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rules_replay.rulebook import rulebook_ids
from tests.rounds import due, findings, found, noticed

every = pytest.mark.parametrize("rulebook", rulebook_ids())


class TestWagerTakenBack:
    """adelaide-2008 105, 106(b), 107, 108, nz-2000 16.5, rws-2017 5.1.2; elsewhere ACT 4.3, adelaide-2008 16,
    nz-2000 5.5(b), rws-2017 5.2: a wager stays until it is decided, unless an irregularity lets it go.
    """

    DEALT = "a 20@1 | b 20@2 | 1:KC 2:9D 0:9S 1:6D 2:9C | stand 1 | stand 2"
    LOST = f"{DEALT} | {{}} 0:KD | withdraw a"
    LETS_GO = ("short_hand 1", "short_hand", "missed_first_card", "missed_first_card 0", "superfluous_hand 1")
    DOUBTFUL = ("other 1", "other", "other 0")
    LETS_STAY = ("exposed_card 2", "short_hand 2", "other 2", "absent_player 1", "shoe_exhausted")
    SHORT = (
        "a 20@1 | b 20@2 | 1:5C 2:9D 0:9S 1:5D 2:9C | stand 1 | stand 2 | {}withdraw a",
        "a 20@1 | b 20@2 | 1:5C 2:9D 0:9S 1:5D 2:9C | stand 2 | {}withdraw a",
        "a 20@1 | b 20@2 | 1:KC 2:9D 0:9S 2:9C | stand 2 | {}withdraw a",
        "a 20@1 | b 20@2 | 1:5C 2:2D 0:9S 1:5D 2:9C | 2:8D | {}withdraw a",
        "a 20@1 | b 20@2 | 1:5C 2:2D 0:AS 1:5D 2:9C | i 5 insures a | stand 1 | 2:8D | {}withdraw i",
        "a 20@1 | q 5@1 perfect_pairs | b 20@2 | 1:5C 2:9D 0:9S 1:4D 2:9C | stand 1 | {}withdraw q",
    )
    NOT_SHORT = (
        "a 20@1 | b 20@2 | 1:5C 2:9D 0:9S 1:5D 2:9C | {}withdraw a | stand 2",
        "a 20@1 | b 20@2 | 1:5C 2:9D | {}withdraw a | 0:9S 2:9C | stand 2",
        "a 20@1 | b 20@2 | 1:6C 2:9D 0:9S 1:6D 2:9C | stand 1 | stand 2 | {}withdraw a",
        "a 20@1 | b 20@2 | 1:5C 2:9D 0:9S 1:4D 2:9C | double 1 with d 9 on a | 1:2C | stand 2 | {}withdraw a",
    )

    @classmethod
    def told(cls) -> Iterator[str]:
        for reported in (
            *cls.LETS_GO,
            *cls.DOUBTFUL,
            *cls.LETS_STAY,
            "exposed_card 1",
            "card_burned_in_error",
        ):
            yield cls.LOST.format(f"irregularity {reported} |")
        for text in (*cls.SHORT, *cls.NOT_SHORT):
            yield text.format("")
            yield text.format("irregularity exposed_card 1 | ")
        yield f"{cls.DEALT} | withdraw a | irregularity short_hand 1"
        yield f"{cls.DEALT} | irregularity missed_first_card 2 | withdraw a"

    @every
    @pytest.mark.parametrize("reported", [*LETS_GO, *DOUBTFUL])
    def test_what_lets_it_go(self, rulebook: str, reported: str) -> None:
        told = self.LOST.format(f"irregularity {reported} |")
        # In Adelaide a short hand may go, and this one is none.
        short = reported.startswith("short_hand") and rulebook == "adelaide-2008"
        assert ("wager.withdrawn" in codes_of(rulebook, told)) == short
        assert due(rulebook, told)["a"] == "void"

    @every
    @pytest.mark.parametrize("reported", LETS_STAY)
    def test_what_does_not(self, rulebook: str, reported: str) -> None:
        told = self.LOST.format(f"irregularity {reported} |")
        assert "wager.withdrawn" in codes_of(rulebook, told)
        assert due(rulebook, told)["a"] == "void"

    @every
    def test_a_report_that_comes_after_it_does_not(self, rulebook: str) -> None:
        assert "wager.withdrawn" in codes_of(
            rulebook, f"{self.DEALT} | withdraw a | irregularity short_hand 1"
        )

    def test_a_card_that_went_wrong_may_where_the_casino_declares_what_is_void(self) -> None:
        """nz-2000 16.5, rws-2017 5.1.2; not adelaide-2008 103, 111, ACT 15.2."""
        for reported, lets_go in (
            ("exposed_card 1", {"rws-2017"}),
            ("card_burned_in_error", {"nz-2000", "rws-2017"}),
        ):
            told = self.LOST.format(f"irregularity {reported} |")
            assert {
                each for each in rulebook_ids() if "wager.withdrawn" not in codes_of(each, told)
            } == lets_go

    @every
    @pytest.mark.parametrize("told", SHORT)
    def test_a_hand_left_short_lets_it_go_in_adelaide(self, rulebook: str, told: str) -> None:
        codes = codes_of(rulebook, told.format(""))
        assert ("wager.withdrawn" in codes) == (rulebook != "adelaide-2008")

    @every
    @pytest.mark.parametrize("told", NOT_SHORT)
    def test_one_that_was_not_left_short_does_not(self, rulebook: str, told: str) -> None:
        """Its turn was still to come, it has 12, or the card of its double."""
        assert "wager.withdrawn" in codes_of(rulebook, told.format(""))

    def test_a_missed_first_card_does_until_the_dealer_has_his_second(self) -> None:
        """adelaide-2008 105(d)(ii): or the hand is played to its conclusion."""
        told = "a 20@1 | b 20@2 | 1:KC 2:9D 1:6D 2:9C | {} 0:9S | {}stand 2 | 0:KD | {}a voided"
        reported = "stand 1 | irregularity missed_first_card 0 | "
        for early, late, found_so in (("withdraw a | ", "", False), ("", "withdraw a | ", True)):
            codes = codes_of("adelaide-2008", told.format(reported, early, late))
            assert ("wager.withdrawn" in codes) == found_so

    def test_nor_does_one_that_refused_a_card(self) -> None:
        """adelaide-2008 103: it takes no more, and is not short."""
        told = self.SHORT[0].format("irregularity exposed_card 1 | ")
        assert "wager.withdrawn" in codes_of("adelaide-2008", told)


class TestTakenBackLost:
    """act-2018 4.3, nz-2000 5.5(b) 5.7, rws-2017 5.2, adelaide-2008 16: what could still win is a notice."""

    DEALT = "a 20@1 | b 20@2 | 1:KC 2:9D 0:9S 1:6D 2:9C"
    LATE = f"{DEALT} | stand 1 | stand 2 | 0:KD | withdraw a"
    EARLY = f"{DEALT} | withdraw a | stand 2 | 0:KD"
    OVER_21 = f"{DEALT} | 1:8C | withdraw a | stand 2 | 0:KD"
    TOLD = (LATE, EARLY, OVER_21)

    @every
    def test_after_the_dealers_second_card(self, rulebook: str) -> None:
        assert found(rulebook, self.LATE) == ["wager.withdrawn"]
        assert "wager.withdrawn" in noticed(rulebook, self.EARLY)

    @every
    def test_on_a_hand_over_21(self, rulebook: str) -> None:
        assert found(rulebook, self.OVER_21) == ["wager.withdrawn"]


def codes_of(rulebook: str, told: str) -> list[str]:
    return [each.code for each in findings(rulebook, told)]


class TestTakenBackDecided:
    """ACT 12.6, nz-2000 5.6 12.8: what the cards have decided stays; over 21 no report lets it go."""

    PAIRS = "a 20@1 | p 5@1 {kind} | 1:KC 0:9H 1:{card} | {more}withdraw p | 1:2C | stand 1 | 0:8D"
    DOUBLED = "a 20@1 | 1:6C 0:9H 1:5D | double 1 with d 20 on a | {}withdraw d | {}0:8D"
    BUST = "a 20@1 | b 20@2 | 1:KC 2:9D 0:9S 1:6D 2:9C | 1:8C | {}withdraw a | stand 2 | 0:KD"

    @classmethod
    def told(cls) -> Iterator[str]:
        yield from (cls.PAIRS.format(kind=kind, card="6D", more="") for kind in ("perfect_pairs", "pair"))
        yield from (cls.PAIRS.format(kind=kind, card="KD", more="") for kind in ("perfect_pairs", "pair"))
        yield cls.PAIRS.format(kind="pandemonium", card="6D", more="")
        yield cls.PAIRS.format(kind="pandemonium", card="AD", more="")
        yield cls.DOUBLED.format("", "1:2C | ")
        yield cls.DOUBLED.format("1:2C | ", "")
        yield cls.DOUBLED.format("1:2C | forfeit a | ", "")
        yield from (
            cls.BUST.format(f"irregularity {each} | ")
            for each in ("other 1", "missed_first_card", "short_hand 1")
        )

    @pytest.mark.parametrize(
        ("rulebook", "kind"),
        [
            *((each, "perfect_pairs") for each in ("act-2005", "act-2018", "adelaide-2008")),
            *(("rws-2017", kind) for kind in ("pair", "pandemonium")),
        ],
    )
    def test_a_side_wager_that_its_cards_had_lost(self, rulebook: str, kind: str) -> None:
        told = self.PAIRS.format(kind=kind, card="6D", more="")
        assert found(rulebook, told) == ["wager.withdrawn"]
        won = self.PAIRS.format(kind=kind, card="AD" if kind == "pandemonium" else "KD", more="")
        assert "wager.withdrawn" in noticed(rulebook, won)
        excused = self.PAIRS.format(kind=kind, card="6D", more="irregularity other 1 | ")
        assert "wager.withdrawn" not in (*found(rulebook, excused), *noticed(rulebook, excused))

    @every
    def test_a_doubled_portion_that_had_its_card(self, rulebook: str) -> None:
        assert "wager.withdrawn" in found(rulebook, self.DOUBLED.format("1:2C | ", ""))
        for told in (self.DOUBLED.format("", "1:2C | "), self.DOUBLED.format("1:2C | forfeit a | ", "")):
            assert "wager.withdrawn" not in found(rulebook, told)
            assert "wager.withdrawn" in noticed(rulebook, told)

    @every
    @pytest.mark.parametrize(
        "reported", ["other 1", "missed_first_card", "short_hand 1", "superfluous_hand 1"]
    )
    def test_over_21_no_report_lets_it_go(self, rulebook: str, reported: str) -> None:
        assert "wager.withdrawn" in found(rulebook, self.BUST.format(f"irregularity {reported} | "))
