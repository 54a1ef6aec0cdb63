"""Clauses on which each rulebook says something else: what it makes of a round, in both engines.

Clauses are named in front of the classes, by rulebook where the numbers differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import msgspec
import pytest

from rules_replay.log import Round
from tests.kernel.parity import WHOLLY, differences, register_for
from tests.rounds import OPEN, PLACES, book, due, findings, found, play, replay, settled

ACT = ("act-2005", "act-2018")
ALL = (*ACT, "adelaide-2008", "nz-2000", "rws-2017")
every = pytest.mark.parametrize("rulebook", ALL)
both = pytest.mark.parametrize("rulebook", ACT)


class TestForfeitOfWhoDidNotDouble:
    """nz-2000 12.8, rws-2017 3.14, adelaide-2008 64(b), ACT 12.6: a forfeit withdraws the doubled portion."""

    DOUBLED = "a 20@1 by Ann | b 10@1 by Bo | 1:6C 0:9H 1:5D | double 1 with d 20 on a | 1:2C | forfeit b"
    TOLD = (
        f"{DOUBLED} | 0:KD | a loses 20 | d loses 20 | b forfeits 10",
        f"{DOUBLED} | 0:KD | a loses 20 | d loses 20 | b loses 10",
        f"{DOUBLED} | 0:6D 0:8S | a wins 20 | d wins 20 | b wins 10",
        f"{DOUBLED} | forfeit a | a forfeits 20 | d returned | b forfeits 10",
        f"{DOUBLED} | forfeit a | 0:KD | a forfeits 20 | d returned | b forfeits 10",
        f"{DOUBLED} | 0:KD | forfeit b | a loses 20 | d loses 20 | b forfeits 10",
        f"without decisions | {DOUBLED} | 0:KD | a loses 20 | d loses 20 | b forfeits 10",
    )

    @pytest.mark.parametrize("result", ["forfeits", "loses"])
    @pytest.mark.parametrize("rulebook", ["nz-2000", "rws-2017", "adelaide-2008"])
    def test_is_reported_and_accuses_nobody(self, rulebook: str, result: str) -> None:
        """12.8 and 64(b) give each on the box his own choice; he gives up his stake for nothing."""
        told = f"{self.DOUBLED} | 0:KD | a loses 20 | d loses 20 | b {result} 10"
        (finding,) = findings(rulebook, told)
        assert (finding.code, finding.severity, finding.wager) == ("forfeit.eligibility", "notice", "b")
        assert due(rulebook, told)["b"] == "forfeit 10"

    @both
    def test_is_open_to_anyone_in_canberra(self, rulebook: str) -> None:
        """12.6."""
        told = f"{self.DOUBLED} | 0:KD | a loses 20 | d loses 20 | b forfeits 10"
        assert findings(rulebook, told) == ()
        assert due(rulebook, told)["b"] == "forfeit 10"
        assert "settle.forfeit" in found(rulebook, f"{self.DOUBLED} | 0:6D 0:8S | b wins 10")

    @pytest.mark.parametrize("rulebook", ["nz-2000", "rws-2017", "adelaide-2008"])
    def test_settled_as_played_it_is_due_what_the_hand_came_to(self, rulebook: str) -> None:
        told = f"{self.DOUBLED} | 0:6D 0:8S | a wins 20 | d wins 20 | b wins 10"
        assert due(rulebook, told) == {"a": "win 20", "d": "win 20", "b": "win 10"}
        assert [each.code for each in findings(rulebook, told)] == ["forfeit.eligibility"]

    @pytest.mark.parametrize("rulebook", ["nz-2000", "rws-2017", "adelaide-2008"])
    @pytest.mark.parametrize("dealer", ["", "0:KD | "], ids=["stops", "draws"])
    def test_the_dealer_is_not_blamed_for_it(self, rulebook: str, dealer: str) -> None:
        told = f"{self.DOUBLED} | forfeit a | {dealer}a forfeits 20 | d returned | b forfeits 10"
        assert [each.code for each in findings(rulebook, told)] == ["forfeit.eligibility"]

    @every
    def test_where_no_double_is_in_the_log_that_is_what_it_lacks(self, rulebook: str) -> None:
        told = (
            "a 20@1 by Ann | b 10@1 by Bo | 1:6C 0:9H 1:5D | double 1 | 1:2C | forfeit b | 0:KD "
            "| b forfeits 10"
        )
        assert "forfeit.eligibility" not in (each.code for each in findings(rulebook, told))

    @every
    def test_read_off_a_settlement_it_is_no_forfeit_to_report(self, rulebook: str) -> None:
        told = self.TOLD[-1].replace(" | forfeit b", "")
        assert found(rulebook, told) == []


def codes_of(rulebook: str, told: str) -> list[str]:
    return [each.code for each in findings(rulebook, told)]


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
        assert "wager.withdrawn" not in codes_of(rulebook, told)
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
            assert {each for each in ALL if "wager.withdrawn" not in codes_of(each, told)} == lets_go

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

    def test_nor_does_one_that_refused_a_card(self) -> None:
        """adelaide-2008 103: it takes no more, and is not short."""
        told = self.SHORT[0].format("irregularity exposed_card 1 | ")
        assert "wager.withdrawn" in codes_of("adelaide-2008", told)


class TestVoidSideWagerHasNoMoment:
    """adelaide-2008 98, rws-2017 3.7, 3.8, act-2018 18.11: one that goes back is neither paid nor taken."""

    KIND: ClassVar = {"rws-2017": "pair"}
    ON_ITS_OWN = "a 20@1 | p 5@2 {} by Bo | 1:5C 0:8H 1:4D | 1:9C | stand 1 | 0:9D | p {}"
    BESIDE = "a 20@1 | p 5@1 {} by Bo | 1:5C 0:8H 1:4D | 1:9C | stand 1 | 0:9D | p {}"
    ITS_OWN = "a 20@1 by Bo | p 5@1 {} by Bo | 1:5C 0:8H 1:4D | 1:9C | stand 1 | 0:9D | p {}"
    JACKPOT = "a 20@1 | p 5@{} pandemonium by Bo | 1:AC 0:8H 1:KD | {}a wins 30 | p {}"

    @classmethod
    def told(cls, rulebook: str) -> Iterator[str]:
        kind = cls.KIND.get(rulebook, "perfect_pairs")
        for text in (cls.ON_ITS_OWN, cls.BESIDE, cls.ITS_OWN):
            yield from (text.format(kind, result) for result in ("voided", "returned", "loses 5"))
        for box in (1, 2):
            yield from (
                cls.JACKPOT.format(box, press, "voided") for press in ("", "press 1 3 | ", "burn 2C | ")
            )

    @pytest.mark.parametrize("rulebook", [*ACT, "adelaide-2008", "rws-2017"])
    @pytest.mark.parametrize("result", ["voided", "returned", "loses 5"])
    def test_on_a_box_without_cards(self, rulebook: str, result: str) -> None:
        codes = found(rulebook, self.ON_ITS_OWN.format(self.KIND.get(rulebook, "perfect_pairs"), result))
        assert "side-bet.settled-late" not in codes
        assert codes[0] == "side-bet.without-main"

    def test_given_back_beside_the_main_wager_of_another(self) -> None:
        """rws-2017 3.3: the player's own is needed; settled as played it has its moment."""
        late = self.BESIDE.format("pair", "{}")
        assert "side-bet.settled-late" not in found("rws-2017", late.format("voided"))
        assert found("rws-2017", late.format("loses 5")) == ["side-bet.without-main", "side-bet.settled-late"]
        assert found("adelaide-2008", self.BESIDE.format("perfect_pairs", "loses 5")) == [
            "side-bet.settled-late"
        ]

    @pytest.mark.parametrize("rulebook", [*ACT, "adelaide-2008", "rws-2017"])
    def test_with_its_main_wager_it_has_one(self, rulebook: str) -> None:
        late = self.ITS_OWN.format(self.KIND.get(rulebook, "perfect_pairs"), "loses 5")
        assert found(rulebook, late) == ["side-bet.settled-late"]

    def test_nor_is_a_button_pressed_for_it(self) -> None:
        """rws-2017 3.8.1."""
        assert "jackpot.press" not in found("rws-2017", self.JACKPOT.format(1, "", "voided"))
        assert "jackpot.press" in found("rws-2017", self.JACKPOT.format(1, "", "loses 5"))


class TestRefusedExposedCard:
    """adelaide-2008 103, nz-2000 16.4: who refuses takes no more; the card becomes the dealer's second."""

    TWO = "a 20@1 | b 20@2 | 1:5C 2:9C 0:6H 1:4D 2:5D"
    SHARED = "a 20@1 by Ann | b 10@1 by Bo | 1:5C 0:9H 1:4D"
    REPORTS = ("exposed_card", "exposed_card 0", "exposed_card 1 | irregularity exposed_card 2")
    TURNS = ("stand 1 | stand 2 | 0:KC | 0:8D", "0:KC | stand 1 | stand 2 | 0:8D", "0:KC 0:8D")

    @classmethod
    def told(cls) -> Iterator[str]:
        for reported in (*cls.REPORTS, "exposed_card 1", "exposed_card 2", "other"):
            for turns in cls.TURNS:
                yield f"{cls.TWO} | irregularity {reported} | {turns}"
            for dealer in ("0:AC", "0:8D", "0:6S 0:8D"):
                dealt = cls.TWO.replace("0:6H", "0:KH")
                yield f"{dealt} | irregularity {reported} | stand 1 | stand 2 | {dealer}"
            yield f"{cls.SHARED} | irregularity {reported.partition(' |')[0]} | withdraw a | stand 1 | 0:8D"
        yield f"{cls.TWO} | 0:KC | irregularity exposed_card | stand 1 | stand 2 | 0:8D"
        yield f"{cls.TWO} | irregularity exposed_card | 0:KC | 2:2C | stand 2 | 0:8D"

    @pytest.mark.parametrize("rulebook", ["adelaide-2008", "nz-2000"])
    @pytest.mark.parametrize("reported", REPORTS)
    @pytest.mark.parametrize("turns", TURNS)
    def test_is_the_dealers_second_in_time(self, rulebook: str, reported: str, turns: str) -> None:
        """On 9 as on 14."""
        told = f"{self.TWO} | irregularity {reported} | {turns}"
        assert found(rulebook, told) == []
        assert due(rulebook, told) == {"a": "win 20", "b": "win 20"}

    @pytest.mark.parametrize("rulebook", ["adelaide-2008", "nz-2000"])
    def test_one_that_nobody_reported_before_is_early(self, rulebook: str) -> None:
        late = f"{self.TWO} | 0:KC | irregularity exposed_card | stand 1 | stand 2 | 0:8D"
        assert "dealer.early-second-card" in found(rulebook, late)
        drawn = f"{self.TWO} | irregularity exposed_card | 0:KC | 2:2C | stand 2 | 0:8D"
        assert found(rulebook, drawn) == ["dealer.early-second-card"]

    @pytest.mark.parametrize("dealer", ["AC", "8D"])
    def test_a_refuser_is_not_short(self, dealer: str) -> None:
        """adelaide-2008 103 before 105 and 106(c): he stands on 9, and loses to what beats it."""
        dealt = self.TWO.replace("0:6H", "0:KH")
        told = f"{dealt} | irregularity exposed_card 1 | stand 1 | stand 2 | 0:{dealer}"
        assert due("adelaide-2008", told)["a"] == "lose 20"
        assert found("adelaide-2008", told) == []

    @pytest.mark.parametrize("reported", ["exposed_card", "exposed_card 0"])
    def test_one_who_may_have_refused_may_be_short(self, reported: str) -> None:
        """adelaide-2008 103, 106: a dealer's Pontoon stands off a short hand and beats who refused."""
        dealt = f"{self.TWO.replace('0:6H', '0:KH')} | irregularity {reported} | stand 1 | stand 2"
        for dealer, wanted in (("0:AC", OPEN), ("0:8D", OPEN), ("0:6S 0:8D", "win 20")):
            assert due("adelaide-2008", f"{dealt} | {dealer}")["a"] == wanted
        for result in ("loses 20", "ties"):
            assert found("adelaide-2008", f"{dealt} | 0:AC | a {result}") == []

    def test_a_refuser_who_withdraws_takes_nobody_along(self) -> None:
        """adelaide-2008 107 is of a hand with too few cards."""
        told = f"{self.SHARED} | irregularity {{}} | withdraw a | stand 1 | 0:8D"
        assert due("adelaide-2008", told.format("exposed_card 1")) == {"a": "void", "b": "lose 10"}
        assert due("adelaide-2008", told.format("other")) == {"a": "void", "b": "void"}


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

    @both
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


def _told(rulebook: str) -> Iterator[Round]:
    """Every round of the classes above as it is told, and with the settlements that it lacks."""
    texts = [
        *TestForfeitOfWhoDidNotDouble.TOLD,
        *TestWagerTakenBack.told(),
        *TestVoidSideWagerHasNoMoment.told(rulebook),
        *TestRefusedExposedCard.told(),
        *TestSurrenderNobodyRecorded.told(),
    ]
    number = 0
    for text in texts:
        round_ = play(rulebook, text)
        for each in (round_, settled(round_, book(rulebook))):
            # What is replayed wholly goes through the readable engine alone.
            for _ in range(2 if number % WHOLLY == 0 else 1):
                number += 1
                yield play_again(each, number)


def play_again(round_: Round, number: int) -> Round:
    """The same round under a name and in a shoe of its own."""
    return msgspec.structs.replace(round_, round_id=f"round-{number}", shoe=f"P01-{number}")


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernel")
@every
def test_both_engines_say_the_same(rulebook: str) -> None:
    venue = PLACES[rulebook][0]
    assert differences(_told(rulebook), venue, register=register_for(rulebook, venue)) == []
