"""Clauses on which each rulebook says something else: what it makes of a round.

Clauses are named in front of the classes, by rulebook where the numbers differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import pytest

from rules_replay.auditor import Auditor
from rules_replay.results import Finding
from rules_replay.venues import load_register
from tests.rounds import OPEN, due, findings, found, play, replay

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
        f"{DOUBLED} | 0:KD | a loses 20 | d loses 20 | b returned",
        f"{DOUBLED} | 0:KD | a loses 20 | d loses 20 | b returned".replace("1:2C", "1:8C"),
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
    def test_given_back_it_was_kept_by_neither(self, rulebook: str) -> None:
        """Lost by the cards and by the forfeit; only where the hand stood off is its play what is due."""
        told = f"{self.DOUBLED} | 0:KD | a loses 20 | d loses 20 | b returned"
        assert due(rulebook, told)["b"] == "forfeit 10"
        assert found(rulebook, told) == ["settle.forfeit"]
        stood_off = told.replace("1:2C", "1:8C")
        assert due(rulebook, stood_off)["b"] == "stand_off"

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

    @pytest.mark.parametrize("rulebook", ["adelaide-2008", "nz-2000"])
    def test_after_the_dealers_second_card_there_is_nothing_to_refuse(self, rulebook: str) -> None:
        told = f"{self.TWO} | stand 1 | stand 2 | 0:KC{{}} | 0:8D"
        assert "draw.below-12" in found(rulebook, told.format(""))
        assert "draw.below-12" in found(rulebook, told.format(" | irregularity exposed_card 1"))

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


class TestExposedCard:
    """nz-2000 16.4, adelaide-2008 103 let a player refuse it; act-2018 15.2 and rws-2017 do not."""

    DEALT = "a 20@1 | b 20@2 | 1:5C 2:KD 0:9H 1:4D 2:9C"
    REFUSED = f"{DEALT} | irregularity exposed_card 1 | 2:2C | stand 2 | 0:8C"
    NOT_REFUSED: ClassVar = {
        "he took it": f"{DEALT} | irregularity exposed_card 1 | 1:2C | stand 1 | stand 2 | 0:8C",
        "he took it, unnamed": f"{DEALT} | irregularity exposed_card | 1:2C | stand 1 | stand 2 | 0:8C",
        "too late": f"{DEALT} | stand 1 | stand 2 | 0:8C | irregularity exposed_card 0 | 0:2C | burn 0:2C",
    }
    EARLIER = "a 20@1 | b 20@2 | 1:5C 2:5D 0:9H 1:9D 2:4C | irregularity exposed_card"
    TAKEN_EARLIER = f"{EARLIER} | 1:2C | stand 1 | stand 2 | 0:8C"
    NOT_TAKEN = f"{EARLIER} | stand 1 | stand 2 | 0:8C"
    TOLD = (REFUSED, *NOT_REFUSED.values(), TAKEN_EARLIER, NOT_TAKEN)

    @every
    def test_excuses_a_hand_below_12_where_it_may_be_refused(self, rulebook: str) -> None:
        excused = rulebook in ("nz-2000", "adelaide-2008")
        assert ("draw.below-12" not in found(rulebook, self.REFUSED)) == excused

    @every
    @pytest.mark.parametrize("told", NOT_REFUSED.values(), ids=NOT_REFUSED)
    def test_not_one_that_was_not_refused(self, rulebook: str, told: str) -> None:
        assert "draw.below-12" in found(rulebook, told)

    def test_an_earlier_box_took_it(self) -> None:
        assert "draw.below-12" in found("nz-2000", self.TAKEN_EARLIER)
        assert "draw.below-12" not in found("nz-2000", self.NOT_TAKEN)


class TestSideWagerSettledEarly:
    """Side wagers are settled once the initial deal is complete.

    act-2018 18.11, 18.22, rws-2017 3.7, 3.8, adelaide-2008 98.
    """

    PLACED = "a 20@1 | b 20@2 | p 5@1 {} | 1:5C 2:9C 0:8H 1:4D"
    EARLY = f"{PLACED} | p loses 5 | 2:KD | 1:9C | stand 1 | stand 2 | 0:9D"
    IN_TIME = f"{PLACED} 2:KD | p loses 5 | 1:9C | stand 1 | stand 2 | 0:9D"
    books = pytest.mark.parametrize("rulebook", [*ACT, "adelaide-2008", "rws-2017"])

    @classmethod
    def told(cls, rulebook: str) -> Iterator[str]:
        """Every round of the class."""
        kind = "pair" if rulebook == "rws-2017" else "perfect_pairs"
        yield from (told.format(kind) for told in (cls.EARLY, cls.IN_TIME))

    @books
    def test_is_found(self, rulebook: str) -> None:
        early, in_time = self.told(rulebook)
        assert found(rulebook, early) == ["side-bet.settled-late"]
        assert found(rulebook, in_time) == []


class TestSideWagerOfWhoLeaves:
    """The initial deal is over with the first to sit, though a card of it lacks: what its cards won stands.

    adelaide-2008 47(d)(i), 98, 105(d)(ii); ruling 10.
    """

    TOLD = (
        "a 20@1 | x 5@1 perfect_pairs | 1:8C 1:8D | x wins {} | stand 1 "
        "| irregularity missed_first_card 0 | 0:9H | withdraw a | 0:8D"
    )

    def test_is_paid_as_its_cards_have_it(self) -> None:
        assert due("adelaide-2008", self.TOLD.format("25"))["x"] == "win 25"
        assert "settle.void" not in found("adelaide-2008", self.TOLD.format("25"))
        assert "settle.pairs" in found("adelaide-2008", self.TOLD.format("30"))


class TestSettledBesideABonus:
    """A 21 is settled by its stake line, whenever its 50 was paid.

    act-2018 10.2(b), nz-2000 9.2, ruling 19.
    """

    SUPER = (
        "a 25@1 | b 20@2 | c 20@3 | 1:7H 2:KC 3:9C 0:7C 1:7H 2:5C 3:KD | 1:7H | {}2:6S | {}stand 3 | 0:KD "
        "| {}a wins 50 | a gets super_bonus 5000 | c gets bonus 50 | c wins 20"
    )
    MISSING = SUPER.format("", "", "b gets bonus 50 | ")
    LATE = SUPER.format("b gets bonus 50 | ", "", "b wins 20 | ")
    IN_TIME = SUPER.format("b gets bonus 50 | ", "b wins 20 | ", "")
    TOLD = (MISSING, LATE, IN_TIME)
    books = pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "nz-2000"])

    @staticmethod
    def codes(rulebook: str, told: str) -> list[str]:
        """What is found in a round with nothing added, notices left out."""
        return [each.code for each in replay(rulebook, told).findings if each.severity != "notice"]

    @books
    def test_a_bonus_in_time_is_no_payment_of_the_21(self, rulebook: str) -> None:
        assert self.codes(rulebook, self.LATE) == ["interim.twenty-one-unpaid"]
        assert self.codes(rulebook, self.IN_TIME) == []

    @books
    def test_one_never_settled_is_missing_alone(self, rulebook: str) -> None:
        assert self.codes(rulebook, self.MISSING) == ["settle.missing"]


class TestMostThatAnOpenWagerPays:
    """What no card could make right does not hang on one that is not known: the best odds there are."""

    HAND = "a 20@1 | 1:?? 0:9H 1:8D | stand 1 | 0:8C | a wins {}"
    INSURED = "a 20@1 | 1:KC 0:AH 1:8D | i 10 insures a | stand 1 | 0:?? | a loses 20 | i wins {}"
    PAIRS = "a 20@1 | p 5@1 {} | 1:?? 0:9H 1:8D | p wins {} | stand 1 | 0:8C | a wins 20"
    DOUBLED = "a 20@1 | 1:6C 0:9H 1:5D | double 1 with d 20 on a | 1:?? | 0:8C | a wins 20 | d wins {}"
    CHIP = "sign chip 25 | a 10@1 | 1:?? 0:9H 1:8D | stand 1 | 0:8C | a wins {}"

    @classmethod
    def told(cls) -> Iterator[str]:
        yield from (cls.HAND.format(each) for each in ("60", "60.001", "500"))
        yield from (cls.INSURED.format(each) for each in ("20", "21"))
        yield from (cls.PAIRS.format("perfect_pairs", each) for each in ("125", "126"))
        yield from (cls.PAIRS.format("pair", each) for each in ("55", "56"))
        yield from (cls.PAIRS.format("pandemonium", each) for each in ("500", "5000"))
        yield from (cls.DOUBLED.format(each) for each in ("20", "60", "61"))
        yield from (cls.CHIP.format(each) for each in ("50", "51"))

    @every
    @pytest.mark.parametrize(
        ("told", "most", "more", "code"),
        [
            (HAND, "60", "60.001", "settle.odds"),
            (INSURED, "20", "20.001", "settle.insurance"),
            (DOUBLED, "20", "20.001", "settle.double"),
            (CHIP, "50", "50.001", "settle.odds"),
        ],
    )
    def test_on_hands_and_insurance(self, rulebook: str, told: str, most: str, more: str, code: str) -> None:
        assert code not in found(rulebook, told.format(most))
        finding = next(each for each in findings(rulebook, told.format(more)) if each.code == code)
        assert (finding.severity, finding.delta) == ("indeterminate", 1)

    @pytest.mark.parametrize(
        ("rulebook", "kind", "most"),
        [
            *((each, "perfect_pairs", "125") for each in ("act-2005", "act-2018", "adelaide-2008")),
            ("rws-2017", "pair", "55"),
        ],
    )
    def test_on_pairs(self, rulebook: str, kind: str, most: str) -> None:
        assert "settle.pairs" not in found(rulebook, self.PAIRS.format(kind, most))
        told = self.PAIRS.format(kind, f"{most}.001")
        assert [each.delta for each in findings(rulebook, told) if each.code == "settle.pairs"] == [1]


class TestUndoneAndMadeAgainInTime:
    """ACT 7.5 9.4, nz-2000 9.5 10.6, adelaide-2008 26(b): what stands was not too early."""

    WON = "a 20@1 | 1:KC 0:AH 1:8D | i 10 insures a | stand 1 | 0:KD | i wins 20 | {}a loses 20{}"
    LOST = "a 20@1 | 1:KC 0:AH 1:8D | i 10 insures a | stand 1 | i loses 10 | {}0:5D{} | 0:2D | a ties"
    HALF = "a 20@1 | 1:KC 0:KH 1:6D | surrender 1 | a surrenders 10 | {}0:5D 0:6S{}"

    @classmethod
    def told(cls) -> Iterator[str]:
        yield from (cls.WON.format(*each) for each in (("", ""), ("undo i | ", " | i wins 20")))
        yield from (cls.LOST.format(*each) for each in (("", ""), ("undo i | ", " | i loses 10")))
        yield from (cls.HALF.format(*each) for each in (("", ""), ("undo a | ", " | a surrenders 10")))

    @pytest.mark.parametrize(
        ("told", "again", "code", "rulebooks"),
        [
            (WON, ("undo i | ", " | i wins 20"), "insurance.won-paid-early", ACT),
            (
                LOST,
                ("undo i | ", " | i loses 10"),
                "insurance.lost-uncollected",
                (*ACT, "nz-2000", "adelaide-2008"),
            ),
            (HALF, ("undo a | ", " | a surrenders 10"), "surrender.half-early", (*ACT, "nz-2000")),
        ],
    )
    def test_is_in_time(
        self, told: str, again: tuple[str, str], code: str, rulebooks: tuple[str, ...]
    ) -> None:
        for rulebook in rulebooks:
            assert code in found(rulebook, told.format("", "")), rulebook
            assert code not in found(rulebook, told.format(*again)), rulebook


class TestAnotherReadingOfOneOfTwoFaults:
    """A finding is ambiguous by what another reading says of it, whatever else is wrong."""

    SEVENS = (
        "a 25@1 by Ann | b 10@1 by Bo | 1:7S 0:7C 1:7S 1:7S | a wins 75 | a gets super_bonus 5000 | b wins {}"
    )
    ONE_STAKE = "a 20@1 | b 10@2 | 1:6S 2:9S 0:KC 1:5H 2:9C | double 1 with d 20 on a | 1:KD | stand 2 | 0:AD"
    SPLIT = (
        "a 20@1 | 1:8S 0:KC 1:8H | split 1 with s 20 on a | 1:8D | split 1 with t 20 on a | 1:9D | stand 1 "
        "| 1.3:9S | stand 1.3 | 1.2:6H 1.2:KH | 0:AD | s loses 20 | a returned | t loses 20"
    )

    @both
    @pytest.mark.parametrize("paid", ["30", "10"])
    def test_a_bonus_beside_a_wrong_stake(self, rulebook: str, paid: str) -> None:
        """14.3: under `super_bonus_winners=controller` nothing is due to the other player."""
        listed = {each.code: each for each in self.audited(rulebook, self.SEVENS.format(paid))}
        assert listed["bonus.super"].severity == "ambiguous"
        assert str(listed["bonus.super"].depends_on).startswith("super_bonus_winners=")
        assert ("settle.odds" in listed) == (paid == "10")

    def test_the_sum_of_a_player_under_another_reading(self) -> None:
        """Ruling 1: under `doubled_21=held` one original wager is lost, and it is here, on the other line."""
        told = f"{self.ONE_STAKE} | b loses 10 | a returned | d loses 20"
        listed = [each for each in self.audited("act-2018", told) if each.code == "settle.double"]
        assert {each.wager for each in listed} == {"a", "d"}
        assert {each.severity for each in listed} == {"ambiguous"}

    def test_attribution_is_not_excused_by_a_reading_that_finds_more(self) -> None:
        listed = [each for each in self.audited("nz-2000", self.SPLIT) if each.code == "settle.attribution"]
        assert [each.severity for each in listed] == ["procedure"]

    @staticmethod
    def audited(rulebook: str, told: str) -> tuple[Finding, ...]:
        return Auditor(load_register()).audit(play(rulebook, told)).findings


class TestDoubledAfterStanding:
    """ACT 10.1(d), nz-2000 8.5, rws-2017 3.18, adelaide-2008 52: the dealer's second card was in time."""

    TOLD = "a 20@1 | 1:6C 0:9H 1:7D | stand 1 | 0:2D | double 1 with d 20 on a | 1:2C | 0:8C"

    @every
    def test_does_not_make_the_dealers_card_early(self, rulebook: str) -> None:
        assert "dealer.early-second-card" not in found(rulebook, self.TOLD)
        assert found(rulebook, self.TOLD) != []
        assert "dealer.early-second-card" in found(rulebook, self.TOLD.replace("stand 1 | ", ""))


class TestSplitHandWithoutItsSecondCard:
    """act-2018 11.5 11.6 10.2(c), nz-2000 13.3 13.4, rws-2017 3.13, adelaide-2008 66 67."""

    SPLIT = "a 20@1 | 1:5S 0:9D 1:5H | split 1 with s 20 on a"
    REST = "1.2:9C | 1.2:8D | stand 1.2 | 0:8C"
    PAID = "a wins 20 | s ties"
    DOUBLED = f"{SPLIT} | {{}}double 1 with d 20 on a | 1:9S | {REST} | a loses 20 | d loses 20 | s wins 20"
    AGAIN = f"{SPLIT} | {{}}split 1 with t 20 on a | 1:KS | 1:3H | stand 1 | 1.3:KC | {REST}"
    CARDLESS = f"{AGAIN.replace(' | 1.3:KC', '')} | a wins 20 | t {{}} | s wins 20"
    CLAUSE: ClassVar = {
        "act-2005": "act-2005 11.5; 11.6; 10.2(c)",
        "act-2018": "act-2018 11.5; 11.6; 10.2(c)",
        "nz-2000": "nz-2000 13.3; 13.4",
        "rws-2017": "rws-2017 3.13",
        "adelaide-2008": "adelaide-2008 66; 67",
    }
    EXPLAINED = ("reconstructed", "short_hand 1", "shoe_exhausted", "other")
    SPARED = ("irregularity absent_player 1", "irregularity short_hand 2")

    @classmethod
    def told(cls) -> Iterator[str]:
        for each in (cls.DOUBLED, cls.AGAIN):
            yield each.format("")
            yield each.format("1:6C | ")
            yield f"without decisions | {each.format('')}"
            yield f"{each.format('')} | void round"
            yield f"{each.format('')} | void hand 1"
            yield each.format("withdraw a | ")
            yield each.format("burn 1:5S | ")
            for code in cls.EXPLAINED:
                yield each.format(f"irregularity {code} | ")
            for event in cls.SPARED:
                yield each.format(f"{event} | ")
        for fate in ("wins 20", "loses 20", "ties", "returned", "voided", "loses 20 | undo t"):
            yield cls.CARDLESS.format("", fate)
        yield cls.left()

    @classmethod
    def left(cls) -> str:
        return f"{cls.SPLIT} | stand 1 | {cls.REST}"

    @staticmethod
    def missing(rulebook: str, told: str) -> list[tuple[int | None, str]]:
        listed = [each for each in findings(rulebook, told) if each.code == "deal.missing-card"]
        assert {each.severity for each in listed} <= {"indeterminate"}
        return [(each.hand, each.clause) for each in listed]

    @every
    def test_doubled_or_split_again(self, rulebook: str) -> None:
        for told in (self.DOUBLED, self.AGAIN):
            assert self.missing(rulebook, told.format("")) == [(1, self.CLAUSE[rulebook])]
            assert self.missing(rulebook, told.format("1:6C | ")) == []

    @every
    def test_without_a_card_and_settled(self, rulebook: str) -> None:
        for fate in ("wins 20", "loses 20", "ties"):
            hands = [hand for hand, _ in self.missing(rulebook, self.CARDLESS.format("", fate))]
            assert hands == [1, 3]
        for fate in ("returned", "voided", "loses 20 | undo t"):
            hands = [hand for hand, _ in self.missing(rulebook, self.CARDLESS.format("", fate))]
            assert hands == [1]

    @every
    def test_left_on_one_card_it_is_below_12(self, rulebook: str) -> None:
        assert self.missing(rulebook, self.left()) == []
        assert "draw.below-12" in found(rulebook, self.left())

    @every
    def test_the_table_said_what_went_wrong(self, rulebook: str) -> None:
        for told in (self.DOUBLED, self.AGAIN):
            for code in self.EXPLAINED:
                assert self.missing(rulebook, told.format(f"irregularity {code} | ")) == []
            for event in self.SPARED:
                assert len(self.missing(rulebook, told.format(f"{event} | "))) == 1

    @every
    def test_nothing_was_in_play(self, rulebook: str) -> None:
        for told in (self.DOUBLED, self.AGAIN):
            for gone in ("void round", "void hand 1"):
                assert self.missing(rulebook, f"{told.format('')} | {gone}") == []
            assert self.missing(rulebook, told.format("withdraw a | ")) == []

    @every
    def test_the_moment_of_a_double_is_a_decision(self, rulebook: str) -> None:
        """Ruling 15."""
        assert self.missing(rulebook, f"without decisions | {self.DOUBLED.format('')}") == []
