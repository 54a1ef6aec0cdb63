"""Points that the texts and the log format leave open, each settled once for all rulebooks.

One class a point, in the words of this project.
"""

from __future__ import annotations

import pytest

from rules_replay.results import Finding
from rules_replay.rulebook import rulebook_ids
from tests.rounds import OPEN, audited, due, findings, found, net, noticed, replay

every = pytest.mark.parametrize("rulebook", rulebook_ids())


class TestWhoBearsTheOneOriginalWager:
    """The main wager if its hand is live, else the live split wager on the lowest hand, then a double."""

    def test_the_main_wager_comes_first(self) -> None:
        told = (
            "a 20@1 | 1:8S 0:KH 1:8D | split 1 with a2 20 on a | 1:KS | stand 1 | 1.2:9S | stand 1.2 | 0:AD"
        )
        assert due("act-2018", told) == {"a": "lose 20", "a2": "returned"}

    def test_the_lowest_split_hand_comes_next(self) -> None:
        told = (
            "a 20@1 | 1:8S 0:KH 1:8D | split 1 with a2 20 on a | 1:8C | split 1 with a3 20 on a | 1:6C 1:7C "
            "| 1.3:KS | stand 1.3 | 1.2:9S | stand 1.2 | 0:AD"
        )
        assert due("act-2018", told) == {"a": "win 30", "a2": "lose 20", "a3": "returned"}

    def test_another_bearer_of_the_same_sum_is_an_attribution(self) -> None:
        told = (
            "a 20@1 | 1:8S 0:KH 1:8D | split 1 with a2 20 on a | 1:KS | stand 1 | 1.2:9S | stand 1.2 | 0:AD"
        )
        (finding,) = findings("act-2018", f"{told} | a returned | a2 loses 20")
        assert (finding.code, finding.severity, finding.delta) == ("settle.attribution", "procedure", 0)


class TestUnlawfulOptionLawfullySettled:
    """An option given against the rules is one finding; its settlement is checked as played."""

    @pytest.mark.parametrize(
        ("told", "code"),
        [
            ("1:KC 0:QS 1:3D | 1:2D | surrender 1 | 0:9D | a surrenders 10", "surrender.timing"),
            ("1:KC 0:KS 1:8D | i 10 insures a | stand 1 | 0:7D", "insurance.no-ace"),
            ("1:KC 0:AS 1:8D | i 15 insures a | stand 1 | 0:7D", "insurance.over-half"),
            ("1:KC 0:AS 1:2D | 1:6D | i 10 insures a | stand 1 | 0:7D", "insurance.late"),
            (
                "1:KC 0:AS 1:8D | i 10 insures a by Bo | i2 1 insures a | stand 1 | 0:7D",
                "insurance.third-party",
            ),
            (
                "1:KC 0:6S 1:9D | split 1 with a2 20 on a | 1:8D | stand 1 | 1.2:KD | stand 1.2 | 0:KD 0:2D",
                "split.unequal-value",
            ),
        ],
    )
    def test_is_one_finding(self, told: str, code: str) -> None:
        assert found("act-2018", f"a 20@1 | {told}") == [code]

    @pytest.mark.parametrize(
        "told",
        [
            "1:6C 0:9S 1:5D | double 1 with ad 20 on a | 1:2C 1:3C | 0:8D",
            "1:KC 0:9S 1:3D | stand 1 | 1:2C | 0:8D",
            "1:KC 0:9S 1:6D | surrender 1 | 0:8D",
            "1:6C 0:9S 1:5D | double 1 with ad 20 on a | 1:2C 1:KC | 0:8D",
            "1:KC 0:9S 1:6D | stand 1 | 1:KC | 0:8D",
            "1:KC 0:KS 1:AD | surrender 1 | 0:9D",
        ],
        ids=[
            "a card after the double's",
            "a card after a stand",
            "a surrender not open",
            "over 21 by a card after the double's",
            "over 21 by a card after a stand",
            "a Pontoon surrendered",
        ],
    )
    def test_stays_open_where_the_cards_do_not_fix_it(self, told: str) -> None:
        assert due("act-2018", f"a 20@1 | {told}")["a"] == OPEN

    @pytest.mark.parametrize("added", ["ad 21 on a", "ad 12 on a, ae 12 on a"], ids=["once", "twice"])
    @pytest.mark.parametrize(("card", "dealt"), [("8C", "win 20"), ("2C", "lose 20"), ("KC", "win 20")])
    @every
    def test_doubled_for_more_the_original_wager_is_fixed_all_the_same(
        self, rulebook: str, added: str, card: str, dealt: str
    ) -> None:
        """ACT 12.7, nz-2000 12.5, rws-2017 3.14, adelaide-2008 63: the hand is paid or lost at even money."""
        told = f"a 20@1 | 1:6C 0:9S 1:5D | double 1 with {added} | 1:{card} | 0:8D"
        dues = due(rulebook, told)
        assert (dues.pop("a"), set(dues.values())) == (dealt, {OPEN})
        wrong = "loses" if dealt == "win 20" else "wins"
        assert {"double.stake", "settle.double"} <= set(found(rulebook, f"{told} | a {wrong} 20"))

    @pytest.mark.parametrize("told", ["1:KC 0:9S 1:AD |", "1:5C 0:9S 1:6D | 1:KC |"])
    @pytest.mark.parametrize("drawn", ["5C", "KS"])
    @every
    def test_a_21_that_was_doubled_stays_open(self, rulebook: str, told: str, drawn: str) -> None:
        """It had won (nz-2000 9.1, 9.2; rws-2017 3.8, 3.15), and a card to it makes nobody lose."""
        played = f"a 20@1 | {told} double 1 with ad 20 on a | 1:{drawn} | 0:8D"
        assert due(rulebook, played) == {"a": OPEN, "ad": OPEN}
        paid = found(rulebook, f"{played} | a wins 30 | ad returned")
        assert "double.hand" in paid
        assert not [code for code in paid if code.startswith("settle")]

    @every
    def test_a_21_that_drew_and_was_doubled_stays_open(self, rulebook: str) -> None:
        """It had won before that card (ACT 10.2(b), nz-2000 9.2, rws-2017 3.14)."""
        played = "a 20@1 | 1:5C 0:7S 1:5D | 1:AC | 1:AD | double 1 with ad 20 on a | 1:8C | 0:KD"
        assert due(rulebook, played) == {"a": OPEN, "ad": OPEN}
        assert "draw.on-21" in found(rulebook, played)

    def test_what_doubled_for_more_is_open_over_21_as_well(self) -> None:
        """The wager is lost; of the double nobody knows what is to go back."""
        told = "a 20@1 | 1:KC 0:7S 1:5D | double 1 with ad 30 on a | 1:8C"
        assert due("act-2018", told) == {"a": "lose 20", "ad": OPEN}
        assert found("act-2018", f"{told} | a loses 20 | ad loses 20") == ["double.stake"]
        assert due("act-2018", told.replace("30", "20")) == {"a": "lose 20", "ad": "lose 20"}

    def test_a_second_card_to_a_split_ace_counts_as_dealt(self) -> None:
        told = "a 20@1 | 1:AS 0:6H 1:AD | split 1 with a2 20 on a | 1:2C 1:8C | 1.2:8C | 0:KC 0:2C"
        assert due("act-2018", told) == {"a": "win 20", "a2": "win 20"}
        assert found("act-2018", told) == ["split.aces-extra-card"]
        bases = {row.wager: row.basis for row in replay("act-2018", told).settlements}
        assert bases == {"a": "as_dealt", "a2": "as_required"}

    def test_a_card_to_a_21_changes_nothing(self) -> None:
        assert due("act-2018", "a 20@1 | 1:9C 0:9S 1:7D | 1:5C 1:9D | 0:8D") == {"a": "win 20"}

    def test_nor_does_one_after_a_stand_on_21(self) -> None:
        told = "a 20@1 | 1:9C 0:9S 1:7D | 1:5C | stand 1 | 1:9D | 0:8D"
        assert due("act-2018", told) == {"a": "win 20"}
        assert found("act-2018", told) == ["draw.on-21", "dealer.needless-draw"]

    def test_over_21_by_the_card_of_the_double_is_lost(self) -> None:
        told = "a 20@1 | 1:KC 0:9S 1:3D | double 1 with ad 20 on a | 1:9C 1:KC | 0:8D"
        assert due("act-2018", told) == {"a": "lose 20", "ad": "lose 20"}

    def test_a_pontoon_surrendered_and_paid_accuses_nobody_of_the_payment(self) -> None:
        told = "a 20@1 | 1:KC 0:KS 1:AD | surrender 1 | a wins 30 | 0:9D"
        assert found("act-2018", told) == ["surrender.timing"]

    def test_a_late_side_wager_is_not_also_settled_late(self) -> None:
        told = "a 20@1 | 1:KC 0:9S 1:3D | 1:6C | x 5@1 pair | x loses 5 | stand 1 | 0:8D"
        assert found("rws-2017", told) == ["wager.late"]
        told = told.replace("| x loses 5 | stand 1 | 0:8D", "| stand 1 | 0:8D | x loses 5")
        assert found("rws-2017", told) == ["wager.late", "side-bet.settled-late"]

    def test_insurance_placed_after_a_third_card_has_no_moment_to_be_collected(self) -> None:
        told = "a 20@1 | 1:KC 0:AS 1:5D | stand 1 | 0:2C 0:5D | i 10 insures a | i loses 10"
        assert found("nz-2000", told) == ["insurance.late"]


@every
class TestOneDoubleByEveryPlayer:
    """A double is of the hand: reported for each player it is one, and his portions count together."""

    def test_reported_for_each_player(self, rulebook: str) -> None:
        told = (
            "a 20@1 by Ann | b 20@1 by Bo | 1:6C 0:9S 1:5D | double 1 with ad 20 on a "
            "| double 1 with bd 20 on b | 1:9C | 0:9D"
        )
        assert due(rulebook, told) == dict.fromkeys(("a", "b", "ad", "bd"), "win 20")
        assert found(rulebook, told) == []

    def test_after_its_card_it_is_another(self, rulebook: str) -> None:
        told = "a 20@1 | 1:2C 0:9S 1:7D | double 1 with ad 10 on a | 1:2D | double 1 with ae 10 on a | 1:9C"
        assert "double.hand" in found(rulebook, f"{told} | 0:9D")

    @pytest.mark.parametrize(("more", "codes"), [("10", []), ("11", ["double.stake"])])
    def test_two_portions_of_one_player(self, rulebook: str, more: str, codes: list[str]) -> None:
        told = f"a 20@1 | 1:6C 0:9S 1:5D | double 1 with ad 10 on a, ae {more} on a | 1:9C | 0:9D"
        assert found(rulebook, told) == codes
        assert due(rulebook, told) == {"a": "win 20"} | (
            dict.fromkeys(("ad", "ae"), OPEN) if codes else {"ad": "win 10", "ae": "win 10"}
        )

    def test_a_void_portion_does_not_count(self, rulebook: str) -> None:
        told = (
            "a 20@1 | 1:6C 0:9S 1:5D | double 1 with ad 15 on a | void wager ad | double 1 with ae 20 on a "
            "| 1:9C | 0:9D"
        )
        assert found(rulebook, told) == []
        assert due(rulebook, told) == {"a": "win 20", "ad": "void", "ae": "win 20"}


@every
class TestDoubleLeftOff:
    """Where every wager on a doubled hand was given up or void before its card, none is owed (ruling 2)."""

    @pytest.mark.parametrize(
        ("told", "codes"),
        [
            ("surrender 1", ["surrender.timing"]),
            ("forfeit a", ["forfeit.eligibility"]),
            ("irregularity other 1 | withdraw a | withdraw ad", []),
            ("void wager a", []),
        ],
        ids=["surrendered", "forfeited", "withdrawn", "void"],
    )
    def test_is_one_finding_at_most(self, rulebook: str, told: str, codes: list[str]) -> None:
        dealt = "a 20@1 | b 20@2 | 1:6C 2:KD 0:KS 1:5D 2:9D | double 1 with ad 20 on a"
        assert found(rulebook, f"{dealt} | {told} | stand 2 | 0:9C") == codes

    @pytest.mark.parametrize("told", ["stand 1", "void wager ad"])
    def test_while_one_is_in_play_its_card_is_due(self, rulebook: str, told: str) -> None:
        dealt = "a 20@1 | b 20@2 | 1:6C 2:KD 0:KS 1:5D 2:9D | double 1 with ad 20 on a"
        assert "double.one-card" in found(rulebook, f"{dealt} | {told} | stand 2 | 0:9C")

    def test_two_cards_are_too_many_though_they_gave_up(self, rulebook: str) -> None:
        dealt = "a 20@1 | 1:2C 0:KS 1:3D | double 1 with ad 20 on a | 1:2D 1:3C | forfeit a | 0:9C"
        assert "double.one-card" in found(rulebook, dealt)


@every
class TestOptionWithoutItsWager:
    """A double or a split to which nobody added a wager is a fault of the stake."""

    def test_double(self, rulebook: str) -> None:
        told = "a 20@1 | 1:5C 0:9H 1:6D | double 1 | 1:9D | 0:8C"
        assert found(rulebook, told) == ["double.stake"]
        assert due(rulebook, told) == {"a": "win 20"}

    def test_split(self, rulebook: str) -> None:
        told = "a 20@1 | 1:8C 0:9H 1:8D | split 1 | 1:KD | stand 1 | 1.2:KC | stand 1.2 | 0:8C"
        assert found(rulebook, told) == ["split.stake"]


class TestOverTheMaximum:
    """Amounts go by the cut stake where a clause cuts it; the rest pays as placed."""

    @pytest.mark.parametrize(
        ("rulebook", "won"),
        [
            ("act-2005", "100"),
            ("act-2018", "100"),
            ("adelaide-2008", "100"),
            ("nz-2000", "150"),
            ("rws-2017", "150"),
        ],
    )
    def test_who_cuts(self, rulebook: str, won: str) -> None:
        told = "sign max 100 | a 150@1 | 1:KC 0:9S 1:9D | stand 1 | 0:8C"
        assert net(rulebook, told) == won
        assert found(rulebook, told) == []
        assert noticed(rulebook, told) == ["wager.above-max"]

    @pytest.mark.parametrize(("stake", "code"), [("150", []), ("100", []), ("120", ["split.stake"])])
    def test_a_split_equals_the_placed_or_the_cut_stake(self, stake: str, code: list[str]) -> None:
        told = (
            f"sign max 100 | a 150@1 | 1:8C 0:7S 1:8D | split 1 with a2 {stake} on a | 1:KC "
            "| stand 1 | 1.2:KD "
            "| stand 1.2 | 0:JC"
        )
        assert found("act-2018", told) == code
        assert net("act-2018", told) == "200"

    def test_a_double_is_measured_as_placed_and_then_cut(self) -> None:
        told = "sign max 100 | a 150@1 | 1:6C 0:9H 1:5D | double 1 with ad 150 on a | 1:9D | 0:8C"
        assert found("act-2018", told) == []
        assert net("act-2018", told) == "200"

    def test_insurance_goes_by_half_of_the_cut_stake(self) -> None:
        told = "sign max 100 | a 150@1 | 1:KC 0:AS 1:8D | i {} insures a | stand 1 | 0:7D"
        assert found("act-2018", told.format("50")) == []
        assert found("act-2018", told.format("60")) == ["insurance.over-half"]

    def test_side_wagers_are_cut_likewise(self) -> None:
        told = "sign side_max 5 | a 20@1 | p 10@1 perfect_pairs | 1:7C 0:9S 1:7D | 1:3C | stand 1 | 0:8D"
        assert due("act-2018", told)["p"] == "win 30"


class TestForfeitAt21:
    """A doubled 21 leaves nothing to forfeit: a notice where 21 is allowed, a breach where it is not."""

    @pytest.mark.parametrize(
        ("rulebook", "severity"),
        [
            ("act-2005", "notice"),
            ("act-2018", "notice"),
            ("nz-2000", "notice"),
            ("rws-2017", "breach"),
            ("adelaide-2008", "breach"),
        ],
    )
    def test_by_rulebook(self, rulebook: str, severity: str) -> None:
        told = "a 20@1 | 1:6C 0:9H 1:5D | double 1 with ad 20 on a | 1:KC | forfeit a"
        (finding,) = findings(rulebook, told)
        assert (finding.code, finding.severity) == ("forfeit.eligibility", severity)
        assert due(rulebook, told) == {"a": "forfeit 20", "ad": "returned"}

    @every
    def test_too_late_after_the_dealers_second_card(self, rulebook: str) -> None:
        told = "a 20@1 | 1:6C 0:9H 1:5D | double 1 with ad 20 on a | 1:2C | 0:8C | forfeit a"
        assert found(rulebook, told) == ["forfeit.eligibility"]

    @pytest.mark.parametrize("rulebook", [each for each in rulebook_ids() if each != "nz-2000"])
    def test_a_card_to_another_box_does_not_end_it_outside_new_zealand(self, rulebook: str) -> None:
        told = (
            "a 20@1 | b 20@2 | 1:6C 2:9C 0:9H 1:5D 2:4C | double 1 with ad 20 on a | 1:2C | 2:7D | stand 2 "
            "| forfeit a | 0:8C"
        )
        assert found(rulebook, told) == []
        assert found("nz-2000", told) == ["forfeit.eligibility"]


class TestActForfeitedSplitHand:
    """In ACT a forfeited split stake may count towards the one original wager or not: both are accepted."""

    TOLD = (
        "a 20@1 | 1:8S 0:KH 1:8D | split 1 with a2 20 on a | 1:3S | double 1 with ad 20 on a "
        "| 1:2C | forfeit a "
        "| 1.2:KS | stand 1.2 | 0:AD | a forfeits 20 | ad returned"
    )

    @pytest.mark.parametrize("ending", ["a2 returned", "a2 loses 20"])
    def test_both_amounts_are_accepted(self, ending: str) -> None:
        assert due("act-2018", self.TOLD)["a2"] == OPEN
        assert [each.severity for each in audited("act-2018", f"{self.TOLD} | {ending}")] in (
            [],
            ["ambiguous"],
        )

    def test_a_third_amount_is_not(self) -> None:
        (code,) = found("act-2018", f"{self.TOLD} | a2 loses 10")
        assert code in ("settle.taken", "settle.outcome")


class TestAdelaide120:
    """Rounding needs a recorded smallest chip, and bites only where the win is no multiple of it."""

    @pytest.mark.parametrize(
        ("sign", "won"),
        [
            ("min 10 multiples 10", "37.5"),
            ("chip 2.50 min 10 multiples 10", "37.5"),
            ("chip 5 min 10", "40"),
            ("chip 5 min 10 multiples 10", "30"),
            ("chip 4 min 10 multiples 10", OPEN),
        ],
    )
    def test_a_pontoon_on_25(self, sign: str, won: str) -> None:
        assert net("adelaide-2008", f"sign {sign} | a 25@1 | 1:AC 0:9H 1:KD") == won

    @pytest.mark.parametrize(("sign", "codes"), [("sign chip 5 min 10 | ", []), ("", ["settle.odds"])])
    def test_a_win_that_was_raised(self, sign: str, codes: list[str]) -> None:
        """Without a recorded chip nothing shows that the float could not pay: the exact amount is due."""
        told = f"{sign}a 25@1 | 1:AC 0:9H 1:KD | a wins 40"
        assert [(each.code, each.severity) for each in findings("adelaide-2008", told)] == [
            (code, "breach") for code in codes
        ]


class TestSuperBonusEverywhere:
    """Due wherever the rulebook has it; no offer at the table switches it off."""

    @pytest.mark.parametrize(
        ("rulebook", "award"),
        [
            ("act-2005", "1000"),
            ("act-2018", "1000"),
            ("nz-2000", "1000"),
            ("rws-2017", "1000"),
            ("adelaide-2008", None),
        ],
    )
    def test_by_rulebook(self, rulebook: str, award: str | None) -> None:
        paid = due(rulebook, "offers | a 20@1 | b 5@2 | 1:7H 2:KC 0:7C 1:7H 2:6D | 1:7H | 2:9S")
        assert paid.get("a/super_bonus") == (None if award is None else f"win {award}")
        assert paid.get("b/bonus") == (None if award is None else "win 50")

    def test_no_winner_makes_no_fifties(self) -> None:
        told = "a 1@1 | b 5@2 | 1:7H 2:KC 0:7C 1:7H 2:6D | 1:7H | 2:9S"
        assert set(due("nz-2000", told)) == {"a", "b"}


class TestSecondPairsWagerAtATable:
    """In ACT 2018 the kind placed second in the round is not on offer."""

    def test_the_first_placed_decides(self) -> None:
        told = "a 20@1 | q 10@1 pair | p 10@1 perfect_pairs | 1:7H 0:9C 1:7D | 1:3C | stand 1 | 0:8D"
        assert due("act-2018", told) == {"a": "stand_off", "q": "win 110", "p": "void"}


class TestSideWagerNotOnOffer:
    """Void, to be returned win or lose; so is one without its main wager in ACT."""

    @every
    def test_a_wager_the_rulebook_does_not_know(self, rulebook: str) -> None:
        kind = "perfect_pairs" if rulebook == "rws-2017" else "pandemonium"
        told = f"a 20@1 | p 10@1 {kind} | 1:7H 0:9C 1:7D | 1:3C | stand 1 | 0:8D"
        assert due(rulebook, told)["p"] == "void"
        assert found(rulebook, told) == ["side-bet.not-offered"]

    def test_a_wager_the_table_does_not_offer(self) -> None:
        told = (
            "offers pair | a 20@1 | p 10@1 perfect_pairs | 1:7H 0:9C 1:7D | 1:3C | stand 1 | 0:8D "
            "| p wins 120"
        )
        assert found("act-2018", told) == ["side-bet.not-offered", "settle.void"]


class TestVoidMainWager:
    """Split and doubled portions go with it; pairs wagers stand once the initial deal is complete."""

    def test_its_portions_go_with_it(self) -> None:
        told = (
            "a 20@1 | 1:8S 0:9H 1:8D | split 1 with a2 20 on a | 1:3S | double 1 with ad 20 on a | 1:2C "
            "| void wager a | 1.2:KS | stand 1.2"
        )
        assert due("act-2018", told) == {"a": "void", "a2": "void", "ad": "void"}

    def test_a_pairs_wager_stands_after_the_initial_deal(self) -> None:
        told = "a 20@1 | p 10@1 perfect_pairs | 1:7C 0:9H 1:7D | p wins 60 | void hand 1"
        assert due("act-2018", told) == {"a": "void", "p": "win 60"}

    @pytest.mark.parametrize(("rulebook", "insurance"), [("nz-2000", "void"), ("act-2018", "win 20")])
    def test_its_insurance_falls_in_new_zealand_and_stands_elsewhere(
        self, rulebook: str, insurance: str
    ) -> None:
        told = "a 20@1 | 1:KC 0:AH 1:6D | i 10 insures a | void wager a | 0:QH"
        assert due(rulebook, told) == {"a": "void", "i": insurance}

    @every
    def test_a_void_round_undoes_side_wagers_too(self, rulebook: str) -> None:
        kind = "pair" if rulebook == "rws-2017" else "perfect_pairs"
        told = f"a 20@1 | p 10@1 {kind} | 1:7C 0:9H 1:7D | void round"
        assert set(due(rulebook, told).values()) == {"void"}


class TestForeignCard:
    """Outside Sentosa a ten counts 10 and leaves open what depends on it; a joker may be promotional."""

    TOLD = "a 20@1 | b 20@2 | 1:10C 2:KD 0:9H 1:8D 2:9D | stand 1 | stand 2 | 0:8C"

    @pytest.mark.parametrize("rulebook", [each for each in rulebook_ids() if each != "rws-2017"])
    def test_a_ten_leaves_its_hand_open(self, rulebook: str) -> None:
        assert due(rulebook, self.TOLD) == {"a": OPEN, "b": "win 20"}
        assert found(rulebook, self.TOLD) == ["deck.foreign-card"]

    @pytest.mark.parametrize("rulebook", [each for each in rulebook_ids() if each != "rws-2017"])
    def test_a_ten_before_the_dealer_leaves_insurance_open(self, rulebook: str) -> None:
        told = "a 20@1 | 1:KC 0:10H 1:8D | i 10 insures a | stand 1 | 0:JC"
        assert due(rulebook, told) == {"a": OPEN, "i": OPEN}
        assert found(rulebook, f"{told} | i wins 20") == ["deck.foreign-card", "insurance.no-ace"]

    SPLIT = "a 20@1 | 1:8C 0:9H 1:8D | split 1 with s 20 on a"

    @pytest.mark.parametrize("rulebook", [each for each in rulebook_ids() if each != "rws-2017"])
    @pytest.mark.parametrize(
        ("told", "a", "s"),
        [
            # Stood, over 21, 21 and doubled before the card came.
            ("1:KC | stand 1 | 1.2:10C | stand 1.2 | 0:8C", "win 20", OPEN),
            ("1:KC | 1:5C | 1.2:10C | stand 1.2 | 0:8C", "lose 20", OPEN),
            ("1:KC | 1:3C | 1.2:10C | stand 1.2 | 0:8C", "win 20", OPEN),
            ("1:3C | double 1 with d 20 on a | 1:7C | 1.2:10C | stand 1.2 | 0:8C", "win 20", OPEN),
            # The hand itself, and one dealt or decided after the card.
            ("1:10C | stand 1 | 1.2:KC | stand 1.2 | 0:8C", OPEN, OPEN),
            ("1:KC | 1.2:10C | stand 1 | stand 1.2 | 0:8C", OPEN, OPEN),
            ("1:4C | 1.2:10C | 1:7C | stand 1 | stand 1.2 | 0:8C", OPEN, OPEN),
            ("1:KC | stand 1 | 1.2:10C | 1:3C | stand 1.2 | 0:8C", OPEN, OPEN),
            # The second hand is complete before a card too many comes to the first.
            ("1:KC | stand 1 | 1.2:KD | stand 1.2 | 1:10C | 0:8C", OPEN, "win 20"),
        ],
    )
    def test_a_hand_complete_by_then_does_not_hang_on_it(
        self, rulebook: str, told: str, a: str, s: str
    ) -> None:
        found_due = due(rulebook, f"{self.SPLIT} | {told}")
        assert (found_due["a"], found_due["s"]) == (a, s)

    def test_nor_does_a_split_ace_that_has_its_card(self) -> None:
        told = "a 20@1 | 1:AC 0:9H 1:AD | split 1 with s 20 on a | 1:9C | 1.2:10C | 0:8C"
        assert due("act-2018", told) == {"a": "win 20", "s": OPEN}

    def test_but_a_hand_whose_stand_nobody_recorded_does(self) -> None:
        told = f"without decisions | {self.SPLIT} | 1:KC | 1.2:10C | 0:8C"
        assert due("act-2018", told) == {"a": OPEN, "s": OPEN}

    def test_and_so_does_a_hand_that_a_wagerer_chose_after_it(self) -> None:
        told = (
            "a 20@1 | b 20@1 | 1:8C 0:9H 1:8D | split 1 with s 20 on a | 1:KC | stand 1 | 1.2:10C "
            "| assign b 1.2 | stand 1.2 | 0:8C"
        )
        assert due("act-2018", told) == {"a": "win 20", "b": OPEN, "s": OPEN}
        stays = told.replace("assign b 1.2", "assign b 1")
        assert due("act-2018", stays) == {"a": "win 20", "b": OPEN, "s": OPEN}

    @pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "nz-2000", "adelaide-2008"])
    @pytest.mark.parametrize("second", ["0:AC", "0:??"])
    def test_of_a_dealers_pontoon_the_whole_box_is_open(self, rulebook: str, second: str) -> None:
        split = self.SPLIT.replace("0:9H", "0:KH")
        told = f"{split} | 1:KC | stand 1 | 1.2:10C | stand 1.2 | {second}"
        assert due(rulebook, told) == {"a": OPEN, "s": OPEN}

    def test_a_ten_voids_the_round_in_sentosa(self) -> None:
        assert due("rws-2017", self.TOLD) == {"a": "void", "b": "void"}

    def test_one_finding_a_card(self) -> None:
        told = self.TOLD.replace("1:8D", "1:10D")
        assert found("act-2018", told) == ["deck.foreign-card"] * 2

    def test_a_joker_is_foreign_outside_adelaide(self) -> None:
        told = "a 20@1 | 1:2C 0:9H 1:4D | 1:JK 1:6S 1:9D | 0:8C"
        assert "deck.foreign-card" in found("act-2018", told)
        assert found("adelaide-2008", told.removesuffix(" | 0:8C")) == []


class TestEarlyDealerCard:
    """Procedure. Burned, it is left out; left in place, what depends on the dealer is open."""

    @every
    def test_burned_or_left(self, rulebook: str) -> None:
        early = "a 20@1 | 1:9C 0:KS 1:6D | 0:AD"
        burned = f"{early} | burn 0:AD | 1:4H | stand 1 | 0:9C"
        assert net(rulebook, burned) == "0"
        assert found(rulebook, burned) == ["dealer.early-second-card"]
        left = f"{early} | 1:4H | stand 1"
        assert net(rulebook, left) == OPEN
        assert found(rulebook, left) == ["dealer.early-second-card"]

    def test_left_it_does_not_decide_a_surrender_or_an_insurance(self) -> None:
        dealt = "a 20@1 | b 20@2 | 1:KC 2:9C 0:AS 1:6D 2:4D"
        told = f"{dealt} | i 10 insures a | surrender 1 | 0:KD | 2:5C | stand 2"
        assert due("act-2018", told) == {"a": OPEN, "b": OPEN, "i": OPEN}

    @pytest.mark.parametrize("dealt", ["1:9C 2:8D 0:7S 1:8C 0:6D 2:KD", "1:9C 2:8D 0:7S 0:6D 1:8C 2:KD"])
    @every
    def test_the_cards_after_it_may_be_of_the_initial_deal(self, rulebook: str, dealt: str) -> None:
        told = f"a 20@1 | b 20@2 | {dealt} | stand 1 | stand 2 | 0:5C"
        assert found(rulebook, told) == ["dealer.early-second-card"]
        assert due(rulebook, told) == {"a": OPEN, "b": OPEN}

    @every
    def test_what_does_not_depend_on_the_dealer_is_due(self, rulebook: str) -> None:
        told = "a 20@1 | b 20@2 | 1:KC 2:8D 0:7S 1:AC 0:6D 2:KD | stand 2 | 0:5C"
        assert due(rulebook, told) == {"a": "win 30", "b": OPEN}

    @every
    def test_it_is_early_though_nobody_went_on(self, rulebook: str) -> None:
        told = "a 20@1 | b 20@2 | 1:KC 2:AD 0:7S 1:AC 0:6D 2:KD"
        assert "dealer.early-second-card" in found(rulebook, told)

    def test_a_box_that_gets_no_card_after_it_lacks_one(self) -> None:
        told = "a 20@1 | b 20@2 | 1:9C 2:8D 0:7S 1:8C 0:6D | stand 1 | stand 2 | 0:5C"
        assert found("act-2018", told) == ["deal.missing-card", "dealer.early-second-card"]

    @pytest.mark.parametrize("drawn", ["0:KD", "0:5D 0:8D"])
    def test_nor_does_the_dealers_play_wait_for_one(self, drawn: str) -> None:
        told = f"without decisions | a 20@1 | b 20@2 | 1:9C 2:8D 0:7S 1:8C | {drawn}"
        assert found("act-2018", told) == ["deal.missing-card"]


class TestMissingInitialCard:
    """A hand that lacked a card is open, unless Adelaide's short hand was reported and completed."""

    TOLD = "a 20@1 | b 20@2 | 1:9C 2:KD 0:9H 2:9D | {} stand 2 | 1:KC | stand 1 | 0:8C"

    @pytest.mark.parametrize(
        ("rulebook", "reported", "wanted"),
        [
            ("adelaide-2008", "irregularity short_hand 1 |", "win 20"),
            ("adelaide-2008", "irregularity short_hand 2 |", OPEN),
            ("adelaide-2008", "", OPEN),
            ("act-2018", "irregularity short_hand 1 |", OPEN),
        ],
    )
    def test_by_rulebook(self, rulebook: str, reported: str, wanted: str) -> None:
        assert due(rulebook, self.TOLD.format(reported)) == {"a": wanted, "b": "win 20"}

    def test_a_hand_never_completed_is_open(self) -> None:
        told = "a 20@1 | b 20@2 | 1:9C 2:KD 0:9H 2:9D | irregularity short_hand 1 | stand 2 | 0:8C"
        assert due("adelaide-2008", told)["a"] == OPEN


class TestAdelaideBelow12:
    """A hand left below 12 is open unless the dealer busts or makes Pontoon, or the wager was withdrawn."""

    @pytest.mark.parametrize(
        ("ending", "wanted"),
        [("0:QC", OPEN), ("0:5C 0:9D", "win 50"), ("0:AC", "stand_off"), ("0:QC | withdraw a", "void")],
    )
    def test_by_the_dealers_hand(self, ending: str, wanted: str) -> None:
        assert due("adelaide-2008", f"a 50@1 | 1:7C 0:KH 1:4D | stand 1 | {ending}") == {"a": wanted}

    def test_elsewhere_the_hand_is_compared_as_it_stands(self) -> None:
        told = "a 50@1 | 1:7C 0:KH 1:4D | stand 1 | 0:QC"
        assert due("act-2018", told) == {"a": "lose 50"}


class TestMissingSettlement:
    """Its delta is minus the required net, and no other wager of the player absorbs it."""

    def test_the_delta(self) -> None:
        told = "a 20@1 by Ann | b 20@2 by Bo | 1:KC 2:KD 0:9H 1:9D 2:7S | stand 1 | stand 2 | 0:9C | {}"
        (finding,) = audited_unsettled("act-2018", told.format("b loses 20"))
        assert (finding.code, finding.wager, finding.delta) == ("settle.missing", "a", -20000)

    def test_is_not_absorbed(self) -> None:
        told = (
            "a 20@1 | 1:8C 0:7H 1:8D | split 1 with a2 20 on a | 1:KC | stand 1 | 1.2:KD | stand 1.2 | 0:JC "
            "| a wins 40"
        )
        assert {each.code for each in audited_unsettled("act-2018", told)} == {
            "settle.missing",
            "settle.odds",
        }


def audited_unsettled(rulebook: str, told: str) -> tuple[Finding, ...]:
    """Findings of a round just as told, notices left out."""
    listed = replay(rulebook, told).findings
    return tuple(each for each in listed if each.severity != "notice")


class TestDecisionsNotRecorded:
    """Surrender and forfeit are read off the recorded result, a double off its wager."""

    def test_surrender(self) -> None:
        told = "without decisions | a 20@1 | 1:KC 0:QS 1:6D | 0:9D | a surrenders 10"
        assert due("act-2018", told) == {"a": "surrender 10"}
        assert found("act-2018", told) == []

    def test_a_half_collected_on_a_dealers_pontoon(self) -> None:
        told = "without decisions | a 20@1 | 1:KC 0:QS 1:6D | 0:AD | a surrenders 10"
        assert found("act-2018", told) == ["settle.surrender"]

    def test_forfeit_and_double(self) -> None:
        lines = [
            "without decisions | a 20@1 | 1:6C 0:9H 1:5D",
            "double 1 with ad 20 on a | 1:2C | 0:8C | a forfeits 20 | ad returned",
        ]
        assert due("act-2018", " | ".join(lines)) == {"a": "forfeit 20", "ad": "returned"}


class TestHowOftenAFindingRepeats:
    """Once a round, a box, a hand, a card or a wager, by its kind."""

    def test_once_a_round(self) -> None:
        told = (
            "a 20@1 | b 20@2 | c 20@3 | 2:KC 1:KD 3:KH 0:9H 2:9D 1:9C 3:9S | stand 1 | stand 2 "
            "| stand 3 | 0:8C"
        )
        assert found("act-2018", told) == ["deal.order"]

    def test_once_a_hand(self) -> None:
        told = "a 20@1 | 1:KC 0:9S 1:6D | 1:9C 1:2C 1:3C"
        assert found("act-2018", told) == ["draw.after-bust"]

    def test_once_a_box(self) -> None:
        told = (
            "a 20@1 by Ann | b 20@1 by Bo | 1:KC 0:9S 1:6D | surrender 1 only a | surrender 1 only b | 0:8C"
        )
        assert found("act-2018", told) == ["surrender.upcard"]

    def test_once_a_wager(self) -> None:
        told = "sign multiples 5 | a 21@1 | b 22@2 | 1:KC 2:KD 0:9S 1:9C 2:9D | stand 1 | stand 2 | 0:8C"
        assert found("act-2018", told) == ["wager.multiples"] * 2

    def test_once_a_card_name_and_shoe(self) -> None:
        one = "decks 4 | a 20@1 | 1:KC 0:KC 1:KC | stand 1 | 0:KC"
        two = "decks 4 | a 20@1 | 1:KC 0:9C 1:KC | stand 1 | 0:KC"
        assert [each.code for each in audited("act-2018", one, two)] == ["deck.composition"]


class TestWhereAFindingPoints:
    """A finding carries every place it is about; one about a wager carries the wager and its box."""

    def test_a_wager(self) -> None:
        (finding,) = findings("act-2018", "a 20@3 | 3:KC 0:9S 3:9D | stand 3 | 0:8C | a wins 30")
        assert (finding.seq, finding.box, finding.hand, finding.wager) == (6, 3, 1, "a")

    def test_a_hand(self) -> None:
        (finding,) = findings("act-2018", "a 20@3 | 3:5C 0:9S 3:4D | stand 3 | 0:8C")
        assert (finding.seq, finding.box, finding.hand, finding.wager) == (4, 3, 1, None)

    def test_the_dealer(self) -> None:
        (finding,) = findings("act-2018", "a 20@3 | 3:KC 0:9S 3:9D | stand 3 | 0:7C")
        assert (finding.code, finding.box, finding.hand) == ("dealer.under-draw", 0, 1)


class TestSurrenderOfASplitHand:
    """Is surrender.after-split and not also surrender.timing."""

    @every
    def test_one_finding(self, rulebook: str) -> None:
        told = (
            "a 20@1 | 1:8C 0:QH 1:8D | split 1 with a2 20 on a | 1:7C | surrender 1 | 1.2:9C "
            "| stand 1.2 | 0:9D "
            "| a surrenders 10"
        )
        assert found(rulebook, told) == ["surrender.after-split"]


class TestInterimSettlement:
    """Any further card before the settlement; a wager never settled is settle.missing alone."""

    LATE = "a 20@1 | b 20@2 | 1:9C 2:9H 0:8C 1:7D 2:5D | 1:5C | 2:4C | stand 2 | 0:QD"

    @every
    def test_a_21_settled_after_the_next_card(self, rulebook: str) -> None:
        assert found(rulebook, f"{self.LATE} | a wins 20") == ["interim.twenty-one-unpaid"]

    @every
    def test_never_settled(self, rulebook: str) -> None:
        told = f"{self.LATE} | b ties"
        assert [each.code for each in audited_unsettled(rulebook, told)] == ["settle.missing"]

    @pytest.mark.parametrize(
        ("rulebook", "code", "notice"),
        [
            ("act-2018", ["interim.twenty-one-unpaid"], []),
            ("nz-2000", [], ["interim.twenty-one-unpaid"]),
            ("rws-2017", [], []),
        ],
    )
    def test_a_doubled_21(self, rulebook: str, code: list[str], notice: list[str]) -> None:
        told = (
            "a 20@1 | b 20@2 | 1:6C 2:9H 0:8C 1:5D 2:5D | double 1 with ad 20 on a | 1:KC | 2:4C "
            "| stand 2 | 0:QD "
            "| a wins 20 | ad wins 20"
        )
        assert sorted(set(found(rulebook, told))) == code
        assert sorted(set(noticed(rulebook, told))) == notice

    def test_needs_the_order_of_settlements(self) -> None:
        assert found("act-2018", f"without settle_order | {self.LATE} | a wins 20") == []


class TestLateWagers:
    """Late from the first card; between the call and the card a notice."""

    @every
    def test_by_the_moment(self, rulebook: str) -> None:
        told = "a 20@1 | no more bets | b 20@2 | 1:KC 2:KD 0:9S 1:9C 2:9D | stand 1 | stand 2 | 0:8C"
        assert (found(rulebook, told), noticed(rulebook, told)) == ([], ["wager.late"])
        late = "a 20@1 | 1:KC | c 20@1 by Cy | 0:9S 1:9C | stand 1 | 0:8C"
        assert found(rulebook, late) == ["wager.late"]


class TestResplitOrder:
    """1, 3, 2 and 1, 2, 3 are both in order; going back to a hand already left is not."""

    @pytest.mark.parametrize(
        ("played", "code"),
        [
            ("1.3:9D | stand 1.3 | 1.2:9H | stand 1.2", []),
            ("1.2:9H | stand 1.2 | 1.3:9D | stand 1.3", []),
            ("1.2:5H | 1.3:9D | stand 1.3 | 1.2:4S | stand 1.2", ["deal.turn-order"]),
        ],
    )
    def test_orders(self, played: str, code: list[str]) -> None:
        split = (
            "a 20@1 | 1:8S 0:7H 1:8D | split 1 with b 20 on a | 1:8C | split 1 with c 20 on a "
            "| 1:9C | stand 1"
        )
        assert found("act-2018", f"{split} | {played} | 0:JD") == code


class TestIncompleteRecord:
    """No dealer-dependent wager settled and the dealer unfinished; cut off later, settle.missing."""

    DEALT = "a 20@1 | b 20@2 | 1:KC 2:KD 0:9S 1:9C 2:7D | stand 1 | stand 2"

    @every
    def test_cut_off_before_the_dealer_is_done(self, rulebook: str) -> None:
        assert [each.code for each in audited_unsettled(rulebook, self.DEALT)] == ["record.incomplete"]

    @every
    def test_cut_off_during_settlement(self, rulebook: str) -> None:
        told = f"{self.DEALT} | 0:8C | a wins 20"
        assert [each.code for each in audited_unsettled(rulebook, told)] == ["settle.missing"]

    @pytest.mark.parametrize(
        "told",
        [
            "a 20@1 | 1:6C 0:9S 1:5D | double 1 with ad 20 on a",
            "a 20@1 | 1:8C 0:9S 1:8D | split 1",
            "a 20@1 | 1:8C 0:9S 1:8D | split 1 with a2 20 on a",
            "a 20@1 | 1:8C 0:9S 1:8D | split 1 with a2 20 on a | 1:KC | stand 1",
            "a 20@1 | 1:AC 0:9S 1:AD | split 1 with a2 20 on a | 1:KC | a wins 20",
            "a 20@1 | b 20@2 | 1:5C 2:2C 0:9S 1:4D 2:3D | 1:KC",
        ],
    )
    @every
    def test_a_hand_that_waits_for_its_card_accuses_nobody(self, rulebook: str, told: str) -> None:
        """act-2018 10.2(c), nz-2000 14.1(d), rws-2017 3.17, adelaide-2008 50(a): its turn had not come."""
        assert [each.code for each in audited_unsettled(rulebook, told)] == ["record.incomplete"]

    @pytest.mark.parametrize(
        "told",
        [
            "a 20@1 | b 20@2 | 1:5C 2:2C 0:9S 1:4D 2:3D | 1:2D 2:5C",
            "a 20@1 | 1:8C 0:9S 1:8D | split 1 with a2 20 on a | 1:2C 1.2:5C",
        ],
    )
    @every
    def test_a_hand_that_was_passed_over_is_left(self, rulebook: str, told: str) -> None:
        listed = [each.code for each in audited_unsettled(rulebook, told)]
        assert listed == ["draw.below-12", "record.incomplete"]

    def test_a_button_that_was_still_to_be_pressed(self) -> None:
        """rws-2017 3.8.1: before the round of play continues."""
        dealt = "a 20@1 | j 5@1 pandemonium | b 20@2 | 1:AC 2:KC 0:9S 1:JH 2:5D"
        assert [each.code for each in audited_unsettled("rws-2017", dealt)] == ["record.incomplete"]
        listed = [each.code for each in audited_unsettled("rws-2017", f"{dealt} | 2:2D")]
        assert listed == ["jackpot.press", "record.incomplete"]


class TestOptionNotOffered:
    """In NZ a forgotten insurance is open until the dealer's second card, a surrender until the box draws."""

    @pytest.mark.parametrize(("rulebook", "code"), [("nz-2000", []), ("act-2018", ["insurance.late"])])
    def test_insurance(self, rulebook: str, code: list[str]) -> None:
        told = (
            "a 20@1 | b 20@2 | 1:KC 2:KD 0:AS 1:2C 2:7D | 1:7C | stand 1 | irregularity option_not_offered 2 "
            "| i 10 insures b | stand 2 | 0:8C"
        )
        assert found(rulebook, told) == code

    @pytest.mark.parametrize(
        "reported", ["irregularity option_not_offered 2", "irregularity option_not_offered"]
    )
    def test_surrender_for_the_box_or_the_table(self, reported: str) -> None:
        told = (
            f"a 20@1 | b 20@2 | 1:KC 2:KD 0:QS 1:2C 2:6D | 1:7C | stand 1 | {reported} | surrender 2 | 0:8C"
        )
        assert found("nz-2000", told) == []

    def test_not_for_another_box(self) -> None:
        told = (
            "a 20@1 | b 20@2 | 1:KC 2:KD 0:QS 1:2C 2:6D | 1:7C | stand 1 | irregularity option_not_offered 1 "
            "| surrender 2 | 0:8C"
        )
        assert found("nz-2000", told) == ["surrender.timing"]


class TestShoes:
    """When a shuffle falls due, by rulebook, shuffler and the announced last rounds."""

    CUT = "round 8 | a 20@1 | 1:KC 0:9S 1:9C | cut card | stand 1 | 0:8C"
    NEXT = "round 9 | a 20@1 | 1:KD 0:9H 1:9D | stand 1 | 0:8D"

    @pytest.mark.parametrize(
        ("rulebook", "due_", "last"),
        [
            ("act-2005", ["shoe.shuffle-due"], []),
            ("act-2018", ["shoe.shuffle-due"], []),
            ("adelaide-2008", ["shoe.shuffle-due"], []),
            ("nz-2000", ["shoe.shuffle-due"], ["shoe.shuffle-due"]),
            ("rws-2017", [], []),
        ],
    )
    def test_after_the_cutting_card(self, rulebook: str, due_: list[str], last: list[str]) -> None:
        assert [each.code for each in audited(rulebook, self.CUT, self.NEXT)] == due_
        assert [each.code for each in audited(rulebook, self.CUT, f"last rounds | {self.NEXT}")] == last

    def test_a_cutting_card_drawn_first(self) -> None:
        told = "round 8 | a 20@1 | cut card | 1:KD 0:9H 1:9D | stand 1 | 0:8D"
        assert [each.code for each in audited("act-2018", told)] == ["shoe.shuffle-due"]

    def test_continuous_shufflers_are_exempt(self) -> None:
        told = [f"shuffler continuous | {each}" for each in (self.CUT, self.NEXT)]
        assert audited("act-2018", *told) == ()

    def test_a_shoe_has_one_shuffler(self) -> None:
        """2.3, 5.4: cards that no machine took back in its first round go back in none of its later ones."""
        told = [self.CUT, f"shuffler continuous | {self.NEXT}"]
        assert "shoe.shuffle-due" in [each.code for each in audited("act-2018", *told)]
        first = "round 8 | decks 3 | a 20@1 | 1:KC 0:KC 1:KC | stand 1 | 0:9C"
        second = "round 9 | shuffler continuous | decks 3 | a 20@1 | 1:8D 0:9H 1:KC | stand 1 | 0:8D"
        assert "deck.composition" in [each.code for each in audited("act-2018", first, second)]
        machine = [f"shuffler continuous | {first}", second]
        assert "deck.composition" not in [each.code for each in audited("act-2018", *machine)]

    @pytest.mark.parametrize("reported", ["exposed_card", "reconstructed", "superfluous_hand 2"])
    def test_a_card_that_is_dealt_on_is_one_card(self, reported: str) -> None:
        """nz-2000 16.2, 16.4, adelaide-2008 103: it is used as the next one."""
        first = "round 8 | decks 3 | a 20@1 | 1:KC 0:KC 1:9C | stand 1 | 0:9D"
        moved = "round 9 | decks 3 | a 20@1 | 1:8D 0:9H 1:8H | {}0:KC | burn 0:KC | {}0:{}"
        report = f"irregularity {reported} | "
        assert self.composition(first, moved.format(report, "1:KC | ", "8C")) == []
        assert self.composition(first, moved.format(report, "", "8C")) == []
        assert self.composition(first, moved.format("", "1:KC | ", "8C")) == ["deck.composition"]
        again = "round 10 | decks 3 | a 20@1 | 1:KC 0:9S 1:9C | stand 1 | 0:8S"
        kept = moved.format(report, "", "8C")
        assert self.composition(first, kept, again) == ["deck.composition"]

    @staticmethod
    def composition(*told: str) -> list[str]:
        return [each.code for each in audited("nz-2000", *told) if each.code == "deck.composition"]

    def test_the_count_restarts_when_the_shoe_ran_out(self) -> None:
        first = "round 8 | decks 3 | a 20@1 | 1:KC 0:KC 1:KC | stand 1 | 0:9C"
        second = "round 9 | decks 3 | a 20@1 | 1:8D 0:9H | {} 1:KC | stand 1 | 0:8D"
        assert [each.code for each in audited("act-2018", first, second.format(""))] == ["deck.composition"]
        ran_out = second.format("irregularity shoe_exhausted |")
        assert [each.code for each in audited("act-2018", first, ran_out)] == ["irregularity.reported"]

    def test_a_rack_shuffled_in_mid_round_has_a_new_cutting_card(self) -> None:
        first = (
            "round 8 | a 20@1 | 1:KD 0:9H | cut card | 1:8S | irregularity shoe_exhausted | {} stand 1 | 0:8D"
        )
        assert [each.code for each in audited("nz-2000", first.format(""), self.NEXT)] == [
            "irregularity.reported"
        ]
        again = audited("nz-2000", first.format("cut card |"), self.NEXT)
        assert [each.code for each in again] == ["irregularity.reported", "shoe.shuffle-due"]


class TestAdelaideDecks:
    """6 to 8 decks wherever Perfect Pairs is offered or wagered."""

    @pytest.mark.parametrize(
        ("extra", "code"),
        [
            ("", []),
            ("offers perfect_pairs |", ["deck.count-range"]),
            ("p 5@1 perfect_pairs |", ["deck.count-range"]),
        ],
    )
    def test_five_decks(self, extra: str, code: list[str]) -> None:
        told = f"decks 5 | a 20@1 | {extra} 1:KC 0:9H 1:8D | stand 1 | 0:8C"
        assert found("adelaide-2008", told) == code


class TestInsuranceStep:
    """NZ: twice the insurance is payable in chips. ACT: a multiple of half the smallest chip."""

    @pytest.mark.parametrize("rulebook", ["nz-2000", "act-2005", "act-2018"])
    @pytest.mark.parametrize(("stake", "code"), [("7.5", []), ("5", []), ("6", ["insurance.increment"])])
    def test_with_a_chip_of_5(self, rulebook: str, stake: str, code: list[str]) -> None:
        told = f"sign chip 5 | a 20@1 | 1:KC 0:AH 1:8D | i {stake} insures a | stand 1 | 0:7D"
        assert found(rulebook, told) == code


class TestBoxMaximum:
    """Wagers under a personal limit are left out of the sum in ACT; a silent rulebook makes it a notice."""

    TOLD = (
        "sign max 200 box_max 200 | a 600@1 by Ann limit 1000 | b 100@1 by Bo | 1:KC 0:9H 1:8D "
        "| stand 1 | 0:8C"
    )

    @pytest.mark.parametrize(
        ("rulebook", "code", "notices"),
        [
            ("act-2005", [], []),
            ("act-2018", [], []),
            ("nz-2000", ["wager.box-total"], []),
            ("adelaide-2008", [], ["wager.box-total"]),
            ("rws-2017", [], ["wager.box-total"]),
        ],
    )
    def test_by_rulebook(self, rulebook: str, code: list[str], notices: list[str]) -> None:
        assert found(rulebook, self.TOLD) == code
        assert noticed(rulebook, self.TOLD) == notices


class TestThirdPartyInsurance:
    """2018: only where the owner placed none, and all of it together up to half."""

    @pytest.mark.parametrize(
        ("placed", "code"),
        [
            ("i 10 insures a by Bo", []),
            ("i 5 insures a by Bo | j 5 insures a by Cy", []),
            ("i 6 insures a by Bo | j 5 insures a by Cy", ["insurance.over-half"]),
            ("i 1 insures a | j 5 insures a by Cy", ["insurance.third-party"]),
        ],
    )
    def test_who_and_how_much(self, placed: str, code: list[str]) -> None:
        told = (
            "a 20@1 by Ann | b 20@2 by Bo | c 20@3 by Cy | 1:KC 2:KD 3:KH 0:AH 1:8D 2:9D 3:9S "
            f"| {placed} | stand 1 | stand 2 | stand 3 | 0:7D"
        )
        assert found("act-2018", told) == code

    def test_a_stranger_to_the_round_insures_nobody(self) -> None:
        """7.2 ranks players with a wager, and those alone."""
        told = "a 20@1 by Ann | {}1:KC 0:AH 1:8D | i 10 insures a by Bo | stand 1 | 0:7D"
        assert found("act-2018", told.format("")) == ["insurance.third-party"]
        taken_back = "b 20@2 by Bo | withdraw b | "
        assert found("act-2018", told.format(taken_back)) == ["insurance.third-party"]


class TestCodesOfTheirOwn:
    """Four rules that no other code covers."""

    def test_a_split_of_more_than_two_cards(self) -> None:
        told = (
            "a 20@1 | 1:4S 0:7H 1:4D | 1:4C | split 1 with b 20 on a | 1:9C | stand 1 | 1.2:KC "
            "| stand 1.2 | 0:JD"
        )
        assert found("act-2018", told) == ["split.more-than-two-cards"]

    def test_a_second_main_wager(self) -> None:
        told = "a 20@1 by Ann | b 20@1 by Ann | 1:KC 0:9H 1:8D | stand 1 | 0:8C"
        assert found("adelaide-2008", told) == ["wager.second-main"]
        assert found("act-2018", told) == []

    def test_a_side_wager_settled_late_and_a_co_wagerer_on_a_later_hand(self) -> None:
        late = "a 20@1 | p 5@1 perfect_pairs | 1:7C 0:9H 1:8D | 1:4D | stand 1 | 0:8C | p loses 5"
        assert found("adelaide-2008", late) == ["side-bet.settled-late"]
        later = (
            "a 20@1 by Ann | b 20@1 by Bo | 1:8S 0:7H 1:8D | split 1 with a2 20 on a "
            "| assign b 1.2 | 1:9C | stand 1 "
            "| 1.2:KC | stand 1.2 | 0:JD"
        )
        assert found("adelaide-2008", later) == ["split.later-hand"]
        assert found("rws-2017", later) == []


@every
class TestHandVoidedInTheInitialDeal:
    """A hand that was void before its second card could come is due none."""

    @pytest.mark.parametrize("voided", ["void hand 1", "void wager a"])
    def test_lacks_no_card(self, rulebook: str, voided: str) -> None:
        told = "a 20@1 | b 20@2 | 1:9S | {}2:KC 0:9H 2:9C | stand 2 | 0:KD"
        assert found(rulebook, told.format(f"{voided} | ")) == []
        assert "deal.missing-card" in found(rulebook, told.format(""))


class TestSplitFaultsOnceAHand:
    """A hand split again and again beyond what is open is one finding of a kind."""

    def test_a_fourth_and_a_fifth_hand(self) -> None:
        told = (
            "a 10@1 | 1:8S 0:6C 1:8H | split 1 with a2 10 on a | 1:8D | split 1 with a3 10 on a | 1:8C "
            "| split 1 with a4 10 on a | 1:8C "
            "| split 1 with a5 10 on a | 1:KC | stand 1 | 1.5:KD | stand 1.5 | 1.4:KS | stand 1.4 | 1.3:KH "
            "| stand 1.3 | 1.2:QD | stand 1.2 | 0:QS 0:KD"
        )
        for rulebook in ("nz-2000", "adelaide-2008"):
            assert found(rulebook, told).count("split.too-many-hands") == 1


@every
class TestEarlySecondCardBurned:
    """Burned, it is settled without: what was open before it is open until the second card that stays."""

    def test_a_hand_doubled_after_it_may_be_forfeited(self, rulebook: str) -> None:
        told = (
            "a 20@1 | b 20@2 | 1:KC 2:6C 0:6H 1:8D 2:5D | stand 1 | 0:KC | burn 0:KC "
            "| double 2 with d 20 on b | 2:2C | forfeit b | 0:KD 0:9C"
        )
        assert due(rulebook, told) == {"a": "win 20", "b": "forfeit 20", "d": "returned"}
        assert found(rulebook, told) == ["dealer.early-second-card"]

    def test_a_surrender_after_it_is_in_time(self, rulebook: str) -> None:
        told = "a 20@1 | b 20@2 | 1:KC 2:KD 0:QH 1:8D 2:6D | stand 1 | 0:5C{} | surrender 2 | 0:7D"
        assert found(rulebook, told.format(" | burn 0:5C")) == ["dealer.early-second-card"]
        assert "surrender.timing" in found(rulebook, told.format(""))


@every
class TestWhoDecides:
    """The first main wager on the box is the controlling player's, as long as it is in play."""

    def test_not_one_void_before(self, rulebook: str) -> None:
        told = "a 20@1 by Ann | b 20@1 by Bo{} | 1:6C 0:9S 1:5D | double 1 with d 20 on b | 1:9C | 0:9D{}"
        assert found(rulebook, told.format(" | void wager a", "")) == []
        (odd,) = [each for each in findings(rulebook, told.format("", "")) if each.code[:7] == "double."]
        assert (odd.code, odd.wager) == ("double.not-controller", "d")

    def test_one_void_only_later(self, rulebook: str) -> None:
        told = (
            "a 20@1 by Ann | b 20@1 by Bo | 1:6C 0:9S 1:5D | double 1 with d 20 on a | 1:9C | void wager a "
            "| 0:9D"
        )
        assert found(rulebook, told) == []


class TestWithdrawnIsVoid:
    """A wager withdrawn is void: it need not surrender with its box, and in NZ its insurance falls."""

    def test_is_no_odd_one_out(self) -> None:
        told = (
            "a 20@1 by Ann | b 10@1 by Bo | 1:KC 0:QH 1:6D | irregularity other 1 | withdraw b "
            "| surrender 1 only a | 0:9D"
        )
        assert found("nz-2000", told) == []

    def test_takes_its_insurance_along(self) -> None:
        """nz-2000 10.7."""
        told = (
            "a 20@1 | b 20@2 | 1:KC 2:KD 0:AH 1:6D 2:9C | i 10 insures a | irregularity other 1 | withdraw a "
            "| stand 2 | 0:KS"
        )
        assert due("nz-2000", told) == {"a": "void", "b": "lose 20", "i": "void"}
        assert due("adelaide-2008", told)["i"] == "win 20"


@every
class TestGivenUpInVain:
    """A wager given up when that was not open is one finding: the dealer's next card is not another."""

    @pytest.mark.parametrize("drawn", ["", " | 0:8C"], ids=["left", "drawn"])
    @pytest.mark.parametrize(
        ("told", "code"),
        [
            ("1:6C 0:KS 1:8D | forfeit a", "forfeit.eligibility"),
            ("1:6C 0:KS 1:5D | double 1 with d 20 on a | 1:2C | 0:3C | forfeit a", "forfeit.eligibility"),
            ("1:KC 0:QS 1:6D | stand 1 | 0:3D | surrender 1", "surrender.timing"),
        ],
        ids=["not doubled", "forfeited late", "surrendered late"],
    )
    def test_neither_drawing_nor_stopping_is_found(
        self, rulebook: str, told: str, code: str, drawn: str
    ) -> None:
        assert found(rulebook, f"a 20@1 | {told}{drawn}") == [code]

    def test_in_time_the_dealers_card_is_needless(self, rulebook: str) -> None:
        told = "a 20@1 | 1:6C 0:KS 1:5D | double 1 with d 20 on a | 1:2C | forfeit a | 0:8C"
        codes = [] if rulebook in ("nz-2000", "rws-2017") else ["dealer.needless-draw"]
        assert found(rulebook, told) == codes


class TestGivenUpOverOr21:
    """A hand decided before it was given up leaves the dealer nothing to draw for."""

    @pytest.mark.parametrize("rulebook", ["act-2005", "act-2018"])
    def test_over_21(self, rulebook: str) -> None:
        told = "a 20@1 | 1:KC 0:9S 1:5D | double 1 with d 20 on a | 1:9C | 0:3C | forfeit a"
        assert found(rulebook, told) == ["forfeit.eligibility", "dealer.needless-draw"]

    @pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "adelaide-2008"])
    def test_21_not_doubled(self, rulebook: str) -> None:
        told = "a 20@1 | 1:9C 0:KS 1:7D | 1:5C | forfeit a | 0:8C"
        assert found(rulebook, told) == ["forfeit.eligibility", "dealer.needless-draw"]


@every
class TestDoubledOn21:
    """A hand that had won takes no card of a double (ACT 8.1 10.2, adelaide-2008 58 60): it stays open."""

    @pytest.mark.parametrize(
        "told",
        [
            "1:4C 0:6S 1:8D | 1:9C | double 1 with d 20 on a | 1:2C",
            "1:4C 0:6S 1:8D | 1:9C | double 1 with d 20 on a | 1:2C | 0:9D 0:3C",
            "1:AC 0:6S 1:KD | double 1 with d 20 on a | 1:2C | 0:9D 0:3C",
        ],
        ids=["over 21 by it", "over 21 by it and the dealer drew", "Pontoon"],
    )
    def test_is_neither_lost_nor_won_as_played(self, rulebook: str, told: str) -> None:
        assert due(rulebook, f"a 20@1 | {told}") == {"a": OPEN, "d": OPEN}
        codes = found(rulebook, f"a 20@1 | {told}")
        assert "double.hand" in codes
        assert set(codes) <= {"double.hand", "draw.on-21"}

    def test_doubled_to_21_wins(self, rulebook: str) -> None:
        told = "a 20@1 | 1:6C 0:6S 1:5D | double 1 with d 20 on a | 1:KC"
        assert due(rulebook, told) == {"a": "win 20", "d": "win 20"}

    def test_a_double_of_21_is_one_fault(self, rulebook: str) -> None:
        told = "a 20@1 | 1:8C 0:9H 1:7D | 1:6C | double 1 with d 20 on a | 1:5C | 0:8C"
        assert "draw.on-21" not in found(rulebook, told)
        assert "double.hand" in found(rulebook, told)


@every
class TestSurrenderReadOffThatWasNeverOpen:
    """One read off a settlement was as open as a recorded one: not against a 9, nor with Pontoon or 21."""

    @pytest.mark.parametrize(
        "told",
        [
            "1:KC 0:9S 1:6D | 0:8C",
            "1:KC 0:9S 1:6D",
            "1:KC 0:QS 1:AD | 0:8C",
        ],
        ids=["against a 9", "against a 9, no card", "Pontoon"],
    )
    def test_stays_open(self, rulebook: str, told: str) -> None:
        read_off = f"without decisions | a 20@1 | {told} | a surrenders 10"
        assert due(rulebook, read_off) == {"a": OPEN}
        assert found(rulebook, read_off) == []

    def test_of_a_split_hand_stays_open(self, rulebook: str) -> None:
        told = (
            "without decisions | a 20@1 | 1:8C 0:KS 1:8D | split 1 with s 20 on a | 1:KC 1.2:7D | 0:8C "
            "| a ties | s surrenders 10"
        )
        assert due(rulebook, told) == {"a": "stand_off", "s": OPEN}

    def test_against_a_queen_costs_half(self, rulebook: str) -> None:
        told = "without decisions | a 20@1 | 1:KC 0:QS 1:6D | 0:8C | a surrenders 10"
        assert due(rulebook, told) == {"a": "surrender 10"}
        assert found(rulebook, told) == []


@every
class TestBrokenOffBeforeAHandWasComplete:
    """Where the log stops in a hand's turn nobody knows what it became, and no settlement is missing yet."""

    @pytest.mark.parametrize(
        "told",
        [
            "1:6C 0:9S 1:4D",
            "1:6C 0:9S 1:5D | double 1 with d 20 on a",
            "1:8C 0:9S 1:8D | split 1 with s 20 on a",
            "1:?? 0:9S 1:5D",
            "1:KC 0:KS 1:?? | surrender 1",
        ],
        ids=["on 10", "before the double's card", "before the split's", "a card not read", "surrendered"],
    )
    def test_is_incomplete(self, rulebook: str, told: str) -> None:
        codes = [each.code for each in audited_unsettled(rulebook, f"a 20@1 | {told}")]
        assert codes == ["record.incomplete"]

    @pytest.mark.parametrize(
        "told", ["1:?? 0:9S 1:5D | stand 1 | 0:9D", "1:6C 0:9S 1:?? | stand 1 | 0:5D 0:4D"]
    )
    def test_with_the_dealers_hand_done_a_settlement_is_missing(self, rulebook: str, told: str) -> None:
        codes = [each.code for each in audited_unsettled(rulebook, f"a 20@1 | {told}")]
        assert codes == ["settle.missing"]


@pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "nz-2000", "rws-2017"])
class TestCardTakenBack:
    """A further card that was burned off its hand again closes no option (ACT 15.3, nz-2000 16.5)."""

    DEALT = "a 20@1 | b 20@2 | 1:9C 2:KD 0:QS 1:6D 2:6H"

    def test_leaves_surrender_open(self, rulebook: str) -> None:
        told = f"{self.DEALT} | 1:4C | burn 1:4C | surrender 2 | stand 1 | 0:8D"
        assert "surrender.timing" not in found(rulebook, told)
        assert due(rulebook, told)["b"] == "surrender 10"

    @pytest.mark.parametrize(
        "dealt",
        ["1:6D 1:5C | burn 1:5C | 2:6H", "2:6D 2:6H | burn 2:6H | burn 2:6D | 1:6D 2:6H"],
        ids=["one too many", "the wrong box"],
    )
    def test_leaves_the_initial_deal_that_it_interrupted(self, rulebook: str, dealt: str) -> None:
        """ACT 15.3, nz-2000 16.5, rws-2017 5.1.2: the cards after it are of that deal."""
        told = f"a 20@1 | b 20@2 | 1:9C 2:KD 0:AS {dealt} | i 10 insures a | surrender 2 | stand 1 | 0:8D"
        assert found(rulebook, told) == []
        assert due(rulebook, told) == {"a": "lose 20", "b": "surrender 10", "i": "lose 10"}

    def test_does_not_give_back_a_card_that_never_came(self, rulebook: str) -> None:
        told = "a 20@1 | b 20@2 | 1:9C 2:KD 0:9S 1:6D 1:5C | burn 1:5C | {}stand 1 | stand 2 | 0:8D"
        assert found(rulebook, told.format("")) == ["deal.missing-card"]
        assert "deal.missing-card" in found(rulebook, told.format("stand 1 | 2:6H | "))

    def test_one_that_stayed_ends_it(self, rulebook: str) -> None:
        told = f"{self.DEALT} | 1:4C | surrender 2 | stand 1 | 0:8D"
        assert "surrender.timing" in found(rulebook, told)


@pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "nz-2000", "rws-2017", "adelaide-2008"])
class TestSurrenderElsewhere:
    """A surrender of a hand that names a wager on another: the log contradicts itself, the wager is open."""

    @pytest.mark.parametrize("settled", ["a loses 20", "a surrenders 10", "a wins 20"])
    def test_accuses_nobody_of_the_settlement(self, rulebook: str, settled: str) -> None:
        told = (
            "a 20@1 | b 20@2 | 1:9C 2:KD 0:QS 1:6D 2:6H | surrender 2 only a | stand 1 | stand 2 | 0:8D "
            f"| {settled} | b loses 20"
        )
        assert due(rulebook, told) == {"a": OPEN, "b": "lose 20"}
        assert not [code for code in found(rulebook, told) if code.startswith("settle.")]


@pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "nz-2000", "rws-2017", "adelaide-2008"])
class TestStandSaidAgain:
    """A stand of a hand that had stood decides nothing: the dealer's second card was not early."""

    TOLD = "a 20@1 | 1:9C 0:QS 1:8D | {}0:7D | stand 1 | a ties"

    def test_is_no_decision(self, rulebook: str) -> None:
        assert found(rulebook, self.TOLD.format("stand 1 | ")) == []
        assert due(rulebook, self.TOLD.format("stand 1 | ")) == {"a": "stand_off"}

    def test_the_first_one_is(self, rulebook: str) -> None:
        assert found(rulebook, self.TOLD.format("")) == ["dealer.early-second-card"]


@pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "nz-2000", "rws-2017"])
@pytest.mark.parametrize("said", ["surrender 1", "stand 1"])
class TestSecondCardAfterADecision:
    """The second card of the initial deal is due to a box whatever was said before (ruling 12)."""

    def test_is_no_card_to_a_hand_that_stood(self, rulebook: str, said: str) -> None:
        told = f"a 20@1 | 1:9C 0:QS | {said} | 1:8D | 0:7D"
        assert "draw.after-stand" not in found(rulebook, told)
        assert "draw.after-stand" in found(rulebook, f"{told.removesuffix(' | 0:7D')} | {said} | 1:2D | 0:7D")
