"""When things are done, what a shoe shows over its rounds, and what follows a reported irregularity."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rules_replay.auditor import Auditor
from rules_replay.results import CoverageRow, Finding
from rules_replay.rulebook import rulebook_ids
from rules_replay.venues import load_register
from tests.rounds import audited, book, findings, found, noticed, play, settled

ACT = ("act-2005", "act-2018")
ADL = "adelaide-2008"
NZ = "nz-2000"
RWS = "rws-2017"

BUSTS_EARLY = "a 20@1 | b 20@2 | 1:KC 2:9D 0:9S 1:3C 2:8H | 1:QD"
INSURED = "a 20@1 | 1:KC 0:AS 1:9D | i 10 insures a | stand 1"


def codes(rulebook: str, *texts: str) -> list[str]:
    """Codes the auditor finds in rounds of one shoe, notices left out."""
    return [each.code for each in audited(rulebook, *texts) if each.severity != "notice"]


def notices(rulebook: str, *texts: str) -> list[str]:
    return [each.code for each in audited(rulebook, *texts) if each.severity == "notice"]


class TestBustCollectedAtOnce:
    """nz-2000 14.2, rws-2017 3.16, adelaide-2008 51: a hand over 21 loses its wager there and then."""

    @pytest.mark.parametrize("rulebook", [NZ, RWS, ADL])
    def test_not_before_a_further_card(self, rulebook: str) -> None:
        told = f"{BUSTS_EARLY} | stand 2 | 0:8C | a loses 20 | b ties"
        assert found(rulebook, told) == ["interim.bust-uncollected"]

    @pytest.mark.parametrize("rulebook", ACT)
    def test_is_no_duty_where_no_clause_says_at_once(self, rulebook: str) -> None:
        """act-2018 14.1(e) 11.8 say that it loses, not when it is taken."""
        assert found(rulebook, f"{BUSTS_EARLY} | stand 2 | 0:8C | a loses 20 | b ties") == []

    def test_each_wager_on_the_hand_is_late(self) -> None:
        doubled = (
            "a 20@1 | b 20@2 | 1:KC 2:9D 0:9S 1:5D 2:8H | double 1 with ad 20 on a | 1:9H | stand 2 | 0:8C"
            " | a loses 20 | ad loses 20 | b ties"
        )
        late = [each for each in findings(NZ, doubled) if each.code == "interim.bust-uncollected"]
        assert [(each.wager, each.severity, each.clause) for each in late] == [
            ("a", "procedure", "nz-2000 14.2"),
            ("ad", "procedure", "nz-2000 14.2"),
        ]

    def test_a_correction_is_no_late_collection(self) -> None:
        told = f"{BUSTS_EARLY} | a loses 10 | stand 2 | 0:8C | undo a | a loses 20 | b ties"
        assert found(NZ, told) == []

    def test_one_never_collected_is_another_finding(self) -> None:
        told = f"{BUSTS_EARLY} | stand 2 | 0:8C | a returned | b ties"
        assert found(NZ, told) == ["settle.outcome"]

    def test_a_card_to_the_hand_itself_is_another_finding(self) -> None:
        told = "a 20@1 | 1:KC 0:9S 1:3C | 1:QD | 1:2D | a loses 20"
        assert found(NZ, told) == ["draw.after-bust"]

    def test_a_recorder_without_the_order_supports_nothing(self) -> None:
        told = f"without settle_order | {BUSTS_EARLY} | stand 2 | 0:8C | a loses 20 | b ties"
        assert found(NZ, told) == []
        auditor = Auditor(load_register())
        rows = auditor.audit(settled(play(NZ, told), book(NZ))).coverage
        assert (
            CoverageRow(code="interim.bust-uncollected", verdict="not_evaluable", missing="settle_order")
            in rows
        )

    @pytest.mark.parametrize("answer", ["lost_at_bust", "original_only"])
    def test_a_doubled_bust_waits_only_where_a_dealer_pontoon_would_free_it(self, answer: str) -> None:
        told = (
            "a 20@1 | b 20@2 | 1:KC 2:9D 0:KS 1:5D 2:8H | double 1 with ad 20 on a | 1:9H | stand 2 | 0:8C"
            " | a loses 20 | ad loses 20 | b loses 20"
        )
        late = [
            each.code
            for each in findings(NZ, told, doubled_bust_dealer_pontoon=answer)
            if each.code == "interim.bust-uncollected"
        ]
        assert len(late) == (2 if answer == "lost_at_bust" else 0)


class TestInsuranceHasItsMoment:
    """act-2018 7.5, nz-2000 10.6, adelaide-2008 26(b): lost at the second card, won last of all."""

    @pytest.mark.parametrize("rulebook", [*ACT, NZ, ADL])
    def test_lost_insurance_goes_before_the_third_card(self, rulebook: str) -> None:
        late = f"{INSURED} | 0:2C 0:6H | a ties | i loses 10"
        assert found(rulebook, late) == ["insurance.lost-uncollected"]
        assert found(rulebook, f"{INSURED} | 0:2C | i loses 10 | 0:6H | a ties") == []

    def test_nor_before_the_second(self) -> None:
        assert found(NZ, f"{INSURED} | i loses 10 | 0:2C 0:6H | a ties") == ["insurance.lost-uncollected"]

    def test_after_the_last_card_nothing_is_late(self) -> None:
        assert found(NZ, f"{INSURED} | 0:8C | a ties | i loses 10") == []

    def test_sentosa_sets_no_moment(self) -> None:
        """rws-2017 3.9 says that it loses and that the round proceeds."""
        assert found(RWS, f"{INSURED} | 0:2C 0:6H | a ties | i loses 10") == []

    @pytest.mark.parametrize("rulebook", ACT)
    def test_won_insurance_is_paid_after_the_final_settlement(self, rulebook: str) -> None:
        assert found(rulebook, f"{INSURED} | 0:KD | i wins 20 | a loses 20") == ["insurance.won-paid-early"]
        assert found(rulebook, f"{INSURED} | 0:KD | a loses 20 | i wins 20") == []

    @pytest.mark.parametrize("rulebook", [NZ, RWS, ADL])
    def test_elsewhere_won_insurance_has_no_turn(self, rulebook: str) -> None:
        assert found(rulebook, f"{INSURED} | 0:KD | i wins 20 | a loses 20") == []

    def test_a_pontoon_paid_late_does_not_hold_it_up(self) -> None:
        """The interim settlement of act-2018 8 is not the final one of 14."""
        told = (
            "a 20@1 | b 20@2 | 1:KC 2:AC 0:AS 1:9D 2:KH | i 10 insures a | stand 1 | 0:KD | a loses 20"
            " | i wins 20 | b wins 30"
        )
        assert found("act-2018", told) == ["interim.pontoon-unpaid"]


class TestSurrenderComesBetween:
    """act-2018 9.1 9.4, nz-2000 def:Surrender 9.5, adelaide-2008 61: after Pontoons, taken at the end."""

    DEALT = "a 20@1 | b 20@2 | 1:AC 2:KD 0:KS 1:QC 2:6H"

    @pytest.mark.parametrize("rulebook", [*ACT, NZ, ADL])
    def test_pontoons_are_paid_first(self, rulebook: str) -> None:
        early = f"{self.DEALT} | surrender 2 | a wins 30 | 0:9D"
        assert found(rulebook, early) == ["surrender.before-interim"]
        assert found(rulebook, f"{self.DEALT} | a wins 30 | surrender 2 | 0:9D") == []

    def test_sentosa_lets_both_come_after_the_second_card(self) -> None:
        """rws-2017 3.8 3.10."""
        assert found(RWS, f"{self.DEALT} | surrender 2 | a wins 30 | 0:9D") == []

    def test_a_pontoon_left_past_a_card_is_one_finding(self) -> None:
        assert found(NZ, f"{self.DEALT} | surrender 2 | 0:9D | a wins 30") == ["interim.pontoon-unpaid"]

    @pytest.mark.parametrize("rulebook", [*ACT, NZ])
    def test_the_half_waits_for_the_dealers_hand(self, rulebook: str) -> None:
        dealt = "a 20@1 | b 20@2 | 1:KC 2:KD 0:KS 1:6D 2:9H | surrender 1"
        early = f"{dealt} | a surrenders 10 | stand 2 | 0:3D 0:6H"
        between = f"{dealt} | stand 2 | 0:3D | a surrenders 10 | 0:6H"
        assert found(rulebook, early) == ["surrender.half-early"]
        assert found(rulebook, between) == ["surrender.half-early"]
        assert found(rulebook, f"{dealt} | stand 2 | 0:3D 0:6H | a surrenders 10") == []

    @pytest.mark.parametrize("rulebook", [RWS, ADL])
    def test_elsewhere_the_half_has_no_moment(self, rulebook: str) -> None:
        dealt = "a 20@1 | b 20@2 | 1:KC 2:KD 0:KS 1:6D 2:9H | surrender 1 | stand 2"
        assert found(rulebook, f"{dealt} | 0:3D | a surrenders 10 | 0:6H") == []


class TestChoiceOfHand:
    """nz-2000 15.3(d): a co-wagerer chooses the hand before further cards are dealt."""

    SPLIT = "a 20@1 by Ann | b 10@1 by Bo | 1:8S 0:9H 1:8D | split 1 with a2 20 on a"

    def test_a_choice_after_a_card_is_late(self) -> None:
        late = f"{self.SPLIT} | 1:KC | assign b 1.2 | stand 1 | 1.2:9C | stand 1.2 | 0:8C"
        assert found(NZ, late) == ["split.assign-late"]

    def test_a_choice_after_the_second_split_is_in_time(self) -> None:
        told = (
            f"{self.SPLIT} | 1:8C | split 1 with a3 20 on a | assign b 1.3 | 1:KC | stand 1 | 1.3:9C"
            " | stand 1.3 | 1.2:9D | stand 1.2 | 0:8C"
        )
        assert found(NZ, told) == []


class TestCallsAndBoxes:
    """act-2018 6.2, nz-2000 8.2 3.1, adelaide-2008 15 3."""

    @pytest.mark.parametrize("rulebook", [*ACT, NZ, ADL])
    def test_the_call_comes_before_the_first_card(self, rulebook: str) -> None:
        assert found(rulebook, "a 20@1 | 1:KC | no more bets | 0:9S 1:9D | stand 1 | 0:8C") == [
            "deal.late-call"
        ]

    @pytest.mark.parametrize("rulebook", [NZ, ADL])
    def test_there_are_seven_boxes(self, rulebook: str) -> None:
        assert found(rulebook, "a 20@8 | 8:KC 0:9S 8:9D | stand 8 | 0:8C") == ["deal.box-range"]

    @pytest.mark.parametrize("rulebook", [*ACT, RWS])
    def test_elsewhere_the_layout_says_how_many(self, rulebook: str) -> None:
        assert found(rulebook, "a 20@8 | 8:KC 0:9S 8:9D | stand 8 | 0:8C") == []

    def test_the_button_goes_clockwise(self) -> None:
        """rws-2017 3.8.1; seats are not logged, so a notice."""
        dealt = "a 20@1 | b 20@2 | j 10@1 pandemonium | k 10@2 pandemonium | 1:AC 2:AD 0:7H 1:KD 2:KH"
        assert noticed(RWS, f"{dealt} | press 2 3 | press 1 2") == ["jackpot.press-order"]
        assert noticed(RWS, f"{dealt} | press 1 2 | press 2 3") == []


def stacked(rounds: int) -> list[str]:
    """Rounds of eight cards each, enough to bring a shoe of three decks to any depth."""
    told = []
    for number in range(rounds):
        suit, other = "SHDC"[number % 4], "HDCS"[number % 4]
        told.append(
            f"decks 4 | a 20@1 | b 20@2 | c 20@3 | 1:K{suit} 2:Q{suit} 3:J{suit} 0:9{suit} 1:9{other}"
            f" 2:8{suit} 3:8{other} | stand 1 | stand 2 | stand 3 | 0:7{other} 0:2{suit}"
        )
    return told


class TestCuttingCard:
    """act-2018 5.3, nz-2000 7.6, adelaide-2008 38(a): half the shoe behind it at most.

    In the ACT a deck at least. Four decks are 192 cards; each round takes nine.
    """

    def cut_in_round(self, number: int) -> list[str]:
        told = stacked(number)
        told[-1] = told[-1].replace("| stand 1", "| cut card | stand 1")
        return told

    def position(self, rulebook: str, rounds: list[str]) -> list[tuple[str, str]]:
        return [
            (each.severity, each.recorded)
            for each in audited(rulebook, *rounds)
            if each.code == "shoe.cut-position"
        ]

    @pytest.mark.parametrize("rulebook", [*ACT, NZ, ADL])
    def test_more_than_half_behind_is_a_notice(self, rulebook: str) -> None:
        """The ACT says about half; and rounds that are in no log look the same."""
        assert self.position(rulebook, self.cut_in_round(10)) == [("notice", "104 cards of 4 decks")]
        assert self.position(rulebook, self.cut_in_round(11)) == []

    def test_less_than_a_deck_behind_is_too_late_in_canberra(self) -> None:
        assert self.position("act-2018", self.cut_in_round(17)) == [("procedure", "41 cards of 4 decks")]
        assert self.position("act-2018", self.cut_in_round(16)) == []
        assert self.position(NZ, self.cut_in_round(17)) == []

    def test_in_front_of_all_cards_it_is_a_shuffle_that_was_due(self) -> None:
        """nz-2000 7.1(b), 8.8, adelaide-2008 55."""
        told = "a 20@1 | 1:KC 0:9S 1:9C | stand 1 | 0:8C"
        assert codes(NZ, f"cut card | {told}") == codes(ADL, f"cut card | {told}") == ["shoe.shuffle-due"]
        assert self.position(NZ, [told.replace("1:KC", "1:KC | cut card |")]) == [
            ("notice", "287 cards of 6 decks")
        ]

    def test_burned_cards_count(self) -> None:
        told = self.cut_in_round(10)
        told[0] = "burn 2C | " * 8 + told[0]
        assert self.position(NZ, told) == []

    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(lambda told: told[1:], id="the first round is missing"),
            pytest.param(lambda told: [told[0].replace(" 3:8H", ""), *told[1:]], id="a card is missing"),
            pytest.param(lambda told: [f"without burns | {told[0]}", *told[1:]], id="burns not captured"),
            pytest.param(
                lambda told: [f"{told[0]} | irregularity shoe_exhausted", *told[1:]], id="the rack came back"
            ),
        ],
    )
    def test_a_shoe_that_is_not_whole_shows_nothing(self, change: Callable[[list[str]], list[str]]) -> None:
        told = self.cut_in_round(10)
        rounds = change([f"round {number} | {text}" for number, text in enumerate(told, start=1)])
        assert self.position(NZ, rounds) == []
        auditor = Auditor(load_register())
        for number, text in enumerate(rounds):
            replay = auditor.audit(settled(play(NZ, text, round_id=f"r{number}"), book(NZ)))
        row = next(row for row in replay.coverage if row.code == "shoe.cut-position")
        assert (row.verdict, row.missing) == ("not_evaluable", "every round and burned card of the shoe")


class TestCuttingCardMissing:
    """act-2018 5.3, nz-2000 16.10: a shoe that runs out has shown its cutting card before."""

    OUT = "a 20@1 | 1:KC 0:9S 1:9C | stand 1 | irregularity shoe_exhausted | 0:8C"

    def severities(self, rulebook: str, *rounds: str) -> list[str]:
        found = audited(rulebook, *rounds)
        return [each.severity for each in found if each.code == "shoe.cut-card-missing"]

    @pytest.mark.parametrize("rulebook", [*ACT, NZ])
    def test_a_shoe_that_ran_out_without_one(self, rulebook: str) -> None:
        """Four decks are 192 cards: 21 rounds of nine and three more."""
        out = "decks 4 | a 20@1 | 1:KC 0:9S 1:9C | irregularity shoe_exhausted | stand 1 | 0:8C"
        assert self.severities(rulebook, *stacked(21), out) == ["procedure"]
        assert self.severities(rulebook, *stacked(20), f"cut card | {stacked(1)[0]}", out) == []

    def test_behind_less_than_a_deck_it_was_never_put_in_canberra(self) -> None:
        """act-2018 5.3: 145 cards out leave 47. In New Zealand it may be the last of them (7.6)."""
        out = "decks 4 | a 20@1 | 1:KC | irregularity shoe_exhausted | 0:9S 1:9C | stand 1 | 0:8C"
        assert self.severities("act-2018", *stacked(16), out) == ["procedure"]
        assert self.severities(NZ, *stacked(16), out) == ["notice"]
        assert self.severities("act-2018", *stacked(15), out) == ["notice"]

    @pytest.mark.parametrize("rulebook", [*ACT, NZ])
    def test_cards_in_no_record_may_have_shown_it(self, rulebook: str) -> None:
        assert self.severities(rulebook, self.OUT) == ["notice"]
        assert self.severities(rulebook, self.OUT.replace("1:9C", "1:9C | cut card")) == []
        assert self.severities(rulebook, self.OUT, self.OUT) == ["notice"]

    def test_adelaide_deals_it_to_its_end(self) -> None:
        """adelaide-2008 54(a)."""
        assert codes(ADL, self.OUT) == []

    def test_rounds_that_were_not_seen_may_have_shown_it(self) -> None:
        assert codes(NZ, f"round 2 | {self.OUT}") == []


class TestBurnedCards:
    """nz-2000 8.1: one card may go before the first round of a shoe; others have a reason."""

    ROUND = "a 20@1 | burn 2C | 1:KC 0:9S 1:9C | stand 1 | 0:8C"

    def test_the_first_card_of_a_shoe(self) -> None:
        assert notices(NZ, self.ROUND) == []

    @pytest.mark.parametrize(
        "told",
        [
            pytest.param(ROUND.replace("burn 2C", "burn 2C | burn 3C"), id="a second one"),
            pytest.param(f"round 2 | {ROUND}", id="a later round"),
            pytest.param(ROUND.replace("burn 2C | 1:KC", "1:KC | burn 2C |"), id="after the first deal"),
        ],
    )
    def test_any_other_is_noted(self, told: str) -> None:
        assert notices(NZ, told) == ["shoe.burn-unexplained"]
        assert codes(NZ, told) == []

    def test_an_irregularity_is_a_reason(self) -> None:
        told = f"round 2 | {self.ROUND}".replace("burn 2C", "irregularity card_burned_in_error | burn 2C")
        assert notices(NZ, told) == ["irregularity.reported"]

    def test_elsewhere_nothing_limits_them(self) -> None:
        assert notices("act-2018", f"round 2 | {self.ROUND}") == []


class TestShuffler:
    """nz-2000 3.3(e) 3.4, adelaide-2008 41; act-2018 19.1 only takes the cutting card's rule away."""

    ROUND = "a 20@1 | 1:KC 0:9S 1:9C | stand 1 | 0:8C"

    def test_new_zealand_notes_a_continuous_one_once_a_shoe(self) -> None:
        told = f"shuffler continuous | {self.ROUND}"
        assert notices(NZ, told, told) == ["shoe.continuous-shuffler"]
        assert codes(NZ, told, told) == []

    @pytest.mark.parametrize("rulebook", [*ACT, RWS, ADL])
    def test_elsewhere_it_is_nothing_to_note(self, rulebook: str) -> None:
        assert notices(rulebook, f"shuffler continuous | {self.ROUND}") == []

    def test_no_cutting_card_comes_out_of_it(self) -> None:
        cut = self.ROUND.replace("| stand", "| cut card | stand")
        assert notices(ADL, f"shuffler continuous | {cut}") == ["shoe.cut-card-unused"]
        assert notices(ADL, f"shuffler automatic | round 9 | {cut}") == []
        assert codes("act-2018", f"shuffler continuous | {cut}") == []


class TestShoe:
    """act-2018 2.3(a) 3.4 5.5, adelaide-2008 54 118 121."""

    ROUND = "a 20@1 | 1:KC 0:9S 1:9C | stand 1 | 0:8C"
    UNDER = "sign min 10 max 500 | a 5@1 by Ann | 1:KC 0:9S 1:9C | stand 1 | 0:8C"

    @pytest.mark.parametrize("rulebook", rulebook_ids())
    def test_the_decks_of_a_shoe_do_not_change(self, rulebook: str) -> None:
        changed = audited(rulebook, self.ROUND, f"decks 8 | {self.ROUND}", self.ROUND)
        severity = "procedure" if rulebook in ACT else "notice"
        assert [(each.code, each.severity) for each in changed] == [("deck.count-changed", severity)] * 2

    @pytest.mark.parametrize("rulebook", [*ACT, ADL])
    def test_three_rounds_are_the_last(self, rulebook: str) -> None:
        last = f"last rounds | {self.ROUND}"
        assert codes(rulebook, last, last, last) == []
        assert codes(rulebook, last, last, last, last) == ["shoe.last-rounds"]
        assert codes(rulebook, last, last, self.ROUND, last, last) == []

    @pytest.mark.parametrize("rulebook", [*ACT, ADL])
    def test_a_second_wager_under_the_minimum_goes_back(self, rulebook: str) -> None:
        again = [each for each in audited(rulebook, self.UNDER, self.UNDER) if each.code.endswith("again")]
        assert [(each.code, each.severity, each.player, each.wager) for each in again] == [
            ("wager.below-min-again", "notice", "Ann", "a")
        ]

    @pytest.mark.parametrize(
        "second",
        [
            pytest.param(UNDER.replace("Ann", "Bo"), id="another player's"),
            pytest.param(UNDER.replace("0:8C", "void round"), id="void"),
            pytest.param(UNDER.replace("5@1", "10@1"), id="at the minimum"),
        ],
    )
    def test_a_second_wager_that_is_no_second_one(self, second: str) -> None:
        assert "wager.below-min-again" not in notices("act-2018", self.UNDER, second)

    def test_new_zealand_leaves_it_to_division_1(self) -> None:
        assert "wager.below-min-again" not in notices(NZ, self.UNDER, self.UNDER)


class TestMisdealPutRight:
    """act-2018 15.4, nz-2000 16.5, rws-2017 5.1.2, adelaide-2008 105(a) 109."""

    DEALT = "a 20@1 | b 20@2 | 1:KC 2:9D 0:9S 2:9H 1:9C"
    PLAYED = "stand 1 | stand 2 | 0:8C"
    GOES_ON = ("deal.order", "irregularity.unresolved")

    @pytest.mark.parametrize("rulebook", sorted({*rulebook_ids()} - {ADL}))
    @pytest.mark.parametrize("misdeal", ["missed_first_card", "short_hand 1", "superfluous_hand 3"])
    def test_does_not_simply_go_on(self, rulebook: str, misdeal: str) -> None:
        told = f"{self.DEALT} | irregularity {misdeal} | {self.PLAYED}"
        assert found(rulebook, told) == [*self.GOES_ON]

    @pytest.mark.parametrize("rulebook", rulebook_ids())
    @pytest.mark.parametrize(
        "dealt",
        [
            "1:KC 2:9D 0:9S | irregularity short_hand 1 | 1:9C 2:9H",
            "1:KC 2:9D 0:9S 1:9C 2:9H | irregularity short_hand 2",
            "1:KC 2:9D | irregularity missed_first_card | 0:9S 1:9C 2:9H",
            "1:KC 2:9D 3:2C | irregularity superfluous_hand 3 | burn 3:2C | 0:9S 1:9C 2:9H",
        ],
    )
    def test_is_put_right_where_the_cards_lie_as_due(self, rulebook: str, dealt: str) -> None:
        assert found(rulebook, f"a 20@1 | b 20@2 | {dealt} | {self.PLAYED}") == []

    @pytest.mark.parametrize("rulebook", sorted({*rulebook_ids()} - {ADL}))
    def test_is_not_while_the_cards_of_a_superfluous_hand_lie_there(self, rulebook: str) -> None:
        told = f"a 20@1 | 1:KC 2:9D 0:9S 1:9C | irregularity superfluous_hand 2 | {self.PLAYED}"
        assert "irregularity.unresolved" in found(rulebook, told.replace(" | stand 2", ""))

    @pytest.mark.parametrize("rulebook", rulebook_ids())
    @pytest.mark.parametrize("cure", ["irregularity reconstructed", "void round"])
    def test_is_put_right_by_reconstruction_or_a_void_round(self, rulebook: str, cure: str) -> None:
        told = f"{self.DEALT} | irregularity short_hand 1 | {cure}"
        told += "" if cure == "void round" else f" | {self.PLAYED}"
        assert "irregularity.unresolved" not in found(rulebook, told)

    def test_new_zealand_may_void_the_hand_alone(self) -> None:
        """nz-2000 16.5."""
        told = f"{self.DEALT} | irregularity short_hand 2 | void hand 2 | stand 1 | 0:8C"
        assert found(NZ, told) == ["deal.order"]
        assert found("act-2018", told) == [*self.GOES_ON]

    @pytest.mark.parametrize("rulebook", rulebook_ids())
    def test_once_play_began_only_some_order_it(self, rulebook: str) -> None:
        told = f"{self.DEALT} | stand 1 | irregularity short_hand 1 | stand 2 | 0:8C"
        assert found(rulebook, told) == [*self.GOES_ON[: 1 if rulebook in (RWS, ADL) else 2]]

    def test_in_adelaide_only_while_the_initial_deal_goes_on(self) -> None:
        """adelaide-2008 105(b) gives a short hand found later the choice of drawing or withdrawing."""
        during = f"a 20@1 | b 20@2 | 1:KC 2:9D 0:9S 2:9H | irregularity short_hand 1 | 1:9C | {self.PLAYED}"
        assert found(ADL, during) == [*self.GOES_ON]
        assert found(ADL, during.replace("1:9C", "irregularity reconstructed | 1:9C")) == []
        assert found(ADL, f"{self.DEALT} | irregularity short_hand 1 | {self.PLAYED}") == ["deal.order"]

    def test_other_reports_order_nothing_of_the_kind(self) -> None:
        told = f"{self.DEALT} | irregularity exposed_card 2 | {self.PLAYED}"
        assert found("act-2018", told) == ["deal.order"]


class TestAbsentPlayer:
    """act-2018 15.7, nz-2000 16.6, adelaide-2008 50(a)(i): cards until 12, and no option."""

    @pytest.mark.parametrize("rulebook", [*ACT, NZ, ADL])
    @pytest.mark.parametrize(
        "told",
        [
            pytest.param("1:KC 0:9S 1:3C | irregularity absent_player 1 | 1:5D | stand 1 | 0:8C", id="card"),
            pytest.param("1:AC 0:9S 1:AD | irregularity absent_player 1 | 1:8D | stand 1 | 0:8C", id="soft"),
            pytest.param(
                "1:6C 0:9S 1:5C | irregularity absent_player 1 | double 1 with ad 20 on a | 1:9D | 0:8C",
                id="double",
            ),
            pytest.param(
                "1:8C 0:9S 1:8D | irregularity absent_player 1 | split 1 with a2 20 on a | 1:KD | stand 1"
                " | 1.2:KC | stand 1.2 | 0:8C",
                id="split",
            ),
            pytest.param(
                "1:KC 0:KS 1:6D | irregularity absent_player 1 | surrender 1 | 0:8C", id="surrender"
            ),
            pytest.param(
                "1:KC 0:AS 1:6D | irregularity absent_player 1 | i 10 insures a | stand 1 | 0:8C",
                id="insurance",
            ),
        ],
    )
    def test_gets_nothing_beyond_12(self, rulebook: str, told: str) -> None:
        assert found(rulebook, f"a 20@1 | {told}") == ["irregularity.absent-player"]

    @pytest.mark.parametrize("rulebook", rulebook_ids())
    def test_is_dealt_to_12(self, rulebook: str) -> None:
        told = "a 20@1 | 1:5C 0:9S 1:3C | irregularity absent_player 1 | 1:2H 1:5D | stand 1 | 0:8C"
        assert found(rulebook, told) == []

    def test_before_he_left_he_played(self) -> None:
        assert (
            found(NZ, "a 20@1 | 1:KC 0:9S 1:3C | 1:5D | irregularity absent_player 1 | stand 1 | 0:8C") == []
        )

    def test_another_player_on_the_box_may_have_decided(self) -> None:
        told = (
            "a 20@1 by Ann | b 20@1 by Bo | 1:KC 0:9S 1:3C | irregularity absent_player 1 | 1:5D"
            " | stand 1 | 0:8C"
        )
        assert found("act-2018", told) == []
        assert "irregularity.absent-player" in noticed("act-2018", told)


class TestAdelaideLateDiscoveries:
    """adelaide-2008 106 109: short hands after the dealer's, superfluous hands burned."""

    SHORT = (
        "a 20@1 | b 20@2 | 1:5C 2:4C 0:9S 1:3C 2:3D | 0:3C | irregularity short_hand 1"
        " | irregularity short_hand 2"
    )

    def test_short_hands_are_finished_after_the_dealers_hand(self) -> None:
        assert found(ADL, f"{self.SHORT} | 0:5D | 1:KD 2:KH") == []
        early = f"{self.SHORT} | 1:KD | 0:5D | 2:KH"
        assert found(ADL, early) == ["irregularity.short-hand"]

    def test_from_the_dealers_left_to_his_right(self) -> None:
        """106."""
        assert found(ADL, f"{self.SHORT} | 0:5D | 2:KH 1:KD") == ["irregularity.short-hand"]

    def test_no_card_once_the_dealer_is_over_21(self) -> None:
        """106(a)."""
        assert "irregularity.short-hand" in found(ADL, f"{self.SHORT} | 0:KD | 1:KD 2:KH")

    def test_no_card_against_a_pontoon(self) -> None:
        """106(c)."""
        told = "a 20@1 | 1:5C 0:KS 1:3C | 0:AC | irregularity short_hand 1 | 1:KD"
        assert "irregularity.short-hand" in found(ADL, told)

    def test_a_superfluous_hand_is_burned(self) -> None:
        """109."""
        dealt = "a 20@1 | 1:KC 2:9D 0:9S 1:9C | stand 1 | irregularity superfluous_hand 2"
        assert "irregularity.superfluous-unburned" in found(ADL, f"{dealt} | 0:8C")
        assert found(ADL, f"{dealt} | burn 2:9D | 0:8C") == []

    def test_without_burns_it_cannot_be_seen(self) -> None:
        told = (
            "without burns | a 20@1 | 1:KC 2:9D 0:9S 1:9C | stand 1 | irregularity superfluous_hand 2 | 0:8C"
        )
        assert "irregularity.superfluous-unburned" not in found(ADL, told)


class TestUndersizedWagers:
    """ACT 3.4, Adelaide 118: a wager below the minimum plays once and later goes back."""

    PLAYED = "1:KC 0:9H 1:9D | stand 1 | 0:8C | a returned"

    def settled_as(self, rulebook: str, stake: int) -> Finding:
        told = f"sign min 10 | a {stake}@1 | {self.PLAYED}"
        return next(each for each in audited(rulebook, told) if each.code == "settle.outcome")

    @pytest.mark.parametrize("rulebook", [*ACT, ADL])
    def test_a_return_is_reported_and_accuses_nobody(self, rulebook: str) -> None:
        finding = self.settled_as(rulebook, 5)
        assert finding.severity == "notice"
        assert finding.clause == book(rulebook).clause_of("wager.below-min-again")

    def test_no_clause_lets_it_go_back_in_new_zealand(self) -> None:
        assert self.settled_as(NZ, 5).severity == "breach"

    def test_a_wager_within_the_sign_does_not_go_back(self) -> None:
        assert self.settled_as("act-2018", 10).severity == "breach"


class TestSuperBonusHand:
    """A hand that wins the Super Bonus stays on the table where the clause on 21 excepts it."""

    TOLD = "a 100@1 | b 20@2 | 1:7H 2:KC 0:7C 1:7H 2:9C | {} | stand 2 | 0:KD | {}"
    PAID = "a wins 200 | a gets super_bonus 5000 | b wins 20 | b gets bonus 50"

    @pytest.mark.parametrize("rulebook", ["act-2005", "act-2018", "nz-2000"])
    def test_is_excepted(self, rulebook: str) -> None:
        """act-2018 10.2(b), nz-2000 9.2."""
        assert found(rulebook, self.TOLD.format("1:7H", self.PAID)) == []

    def test_is_paid_at_once_where_no_words_except_it(self) -> None:
        """rws-2017 3.15; adelaide-2008 60, which knows no Super Bonus."""
        assert found("rws-2017", self.TOLD.format("1:7H", self.PAID)) == ["interim.twenty-one-unpaid"]
        alone = self.TOLD.format("1:7H", "a wins 200 | b wins 20")
        assert found("adelaide-2008", alone) == ["interim.twenty-one-unpaid"]

    def test_is_none_on_a_split_hand(self) -> None:
        """nz-2000 13.6."""
        told = self.TOLD.format(
            "split 1 with a2 100 on a | 1:7H 1:7H | 1.2:KC | stand 1.2",
            "a wins 200 | a2 ties | b wins 20",
        )
        assert found("nz-2000", told) == ["interim.twenty-one-unpaid"]
