"""What a round lacks leaves the checks open that turn on it, and no others: neither passed nor failed."""

from __future__ import annotations

import msgspec
import pytest

from rules_replay.log import FACTS, Limits, NoMoreBets
from rules_replay.rulebook import rulebook_ids
from tests.rounds import OPEN, book, due, play, replay, verdicts

ACT = "act-2018"
ADL = "adelaide-2008"
NZ = "nz-2000"
RWS = "rws-2017"

CARD = "a readable card"
REST = "the rest of the round"
OUTCOME = "what fixes the outcome"
SIGN = "sign min 5 max 100 multiples 5 side_min 5 side_max 50 smallest_chip 2.50"
STANDS = "a 20@1 | 1:KC 0:9S 1:9C | stand 1 | 0:8C | a wins 20"
PLAYED = "a 20@1 | 1:KC 0:9S 1:9C"

every_rulebook = pytest.mark.parametrize("rulebook", rulebook_ids())


class TestUnreadCards:
    """A card that could not be read leaves open what depends on it."""

    @pytest.mark.parametrize("rulebook", [ACT, NZ, ADL])
    def test_insurance_on_a_first_card_that_may_be_no_ace(self, rulebook: str) -> None:
        told = "a 20@1 | 1:KC 0:?? 1:9D | i 10 insures a | stand 1 | 0:8C | a returned | i returned"
        assert verdicts(rulebook, told)["insurance.no-ace"] == CARD
        assert verdicts(rulebook, told.replace("??", "AS"))["insurance.no-ace"] == "passed"

    @every_rulebook
    def test_surrender_to_a_first_card_that_may_be_a_nine(self, rulebook: str) -> None:
        told = "a 20@1 | 1:KC 0:?? 1:6D | surrender 1 | 0:8C | a surrenders 10"
        assert verdicts(rulebook, told)["surrender.upcard"] == CARD
        assert verdicts(rulebook, told.replace("??", "KS"))["surrender.upcard"] == "passed"

    @every_rulebook
    def test_nobody_surrendered_to_it(self, rulebook: str) -> None:
        said = verdicts(rulebook, STANDS.replace("0:9S", "0:??"))
        assert (said["surrender.upcard"], said["surrender.timing"]) == ("passed", "passed")

    @every_rulebook
    def test_surrender_of_a_hand_that_may_have_21(self, rulebook: str) -> None:
        told = "a 20@1 | 1:AC 0:KS 1:?? | surrender 1 | 0:8C | a surrenders 10"
        assert verdicts(rulebook, told)["surrender.timing"] == CARD

    @pytest.mark.parametrize("rulebook", [ACT, NZ, ADL])
    def test_insurance_of_a_hand_that_may_be_pontoon(self, rulebook: str) -> None:
        told = "a 20@1 | 1:?? 0:AS 1:KD | i 10 insures a | stand 1 | 0:8C | i loses 10 | a returned"
        assert verdicts(rulebook, told)["insurance.pontoon-holder"] == CARD

    @every_rulebook
    def test_a_forfeit_of_a_hand_that_may_be_over_21(self, rulebook: str) -> None:
        told = (
            "a 20@1 | 1:4C 0:9S 1:5C | double 1 with d 20 on a | 1:?? | forfeit a | 0:8C"
            " | a forfeits 20 | d returned"
        )
        assert verdicts(rulebook, told)["forfeit.eligibility"] == CARD

    def test_a_press_for_a_hand_that_may_be_pontoon(self) -> None:
        told = "a 20@1 | j 5@1 pandemonium | 1:AC 0:9S 1:?? | stand 1 | 0:8C | j returned | a returned"
        said = verdicts(RWS, told)
        assert (said["jackpot.press"], said["jackpot.multiplier"], said["settle.jackpot"]) == (CARD,) * 3

    def test_the_bonus_where_the_first_card_may_be_a_seven(self) -> None:
        told = "a 25@1 | 1:7C 0:?? 1:7C | 1:7C | a wins 50 | 0:9C"
        assert verdicts(ACT, told)["bonus.super"] == CARD
        assert verdicts(ACT, told)["bonus.other-wagers"] == CARD

    @every_rulebook
    def test_a_foreign_card_may_be_among_them(self, rulebook: str) -> None:
        assert verdicts(rulebook, STANDS.replace("9S", "??"))["deck.foreign-card"] == CARD

    @every_rulebook
    def test_the_dealers_leaves_nothing_open_that_turns_on_the_players(self, rulebook: str) -> None:
        said = verdicts(rulebook, STANDS.replace("0:9S", "0:??"))
        open_ = {code for code, word in said.items() if word == CARD}
        assert {"dealer.under-draw", "dealer.over-draw", "settle.outcome"} < open_
        assert not {code for code in open_ if code.startswith(("draw.", "interim.", "split.", "double."))}

    @every_rulebook
    def test_what_has_no_cards_in_it_is_held(self, rulebook: str) -> None:
        """Whether a wager was settled, returned though void, and equal to the one it splits or doubles."""
        told = (
            "a 20@1 | b 20@2 | 1:8C 2:?? 0:9S 1:8D 2:9D | split 1 with s 20 on a | 1:KS | 1.2:KD | stand 1"
            " | stand 1.2 | stand 2 | void wager b | 0:8H | a wins 20 | s wins 20 | b voided"
        )
        said = verdicts(rulebook, told)
        codes = ("settle.missing", "settle.void", "split.stake", "split.too-many-hands")
        assert [said[code] for code in codes] == ["passed"] * 4
        assert said["split.unequal-value"] == CARD

    @every_rulebook
    def test_a_settlement_that_it_does_not_bear_on_is_held(self, rulebook: str) -> None:
        told = "a 20@1 | 1:KC 0:9S 1:?? | 1:QD | 1:KS | a loses 20"
        said = verdicts(rulebook, told)
        assert [said[code] for code in ("settle.outcome", "settle.odds", "settle.taken")] == ["passed"] * 3


class TestBreaksOff:
    """Where the record stops before the wagers are decided, what comes after it is not known (ruling 22)."""

    @every_rulebook
    @pytest.mark.parametrize("code", ["settle.missing", "settle.outcome", "settle.odds", "settle.taken"])
    def test_nothing_was_settled_yet(self, rulebook: str, code: str) -> None:
        assert verdicts(rulebook, PLAYED)[code] == REST
        assert verdicts(rulebook, STANDS)[code] == "passed"

    @every_rulebook
    def test_the_dealer_may_still_draw(self, rulebook: str) -> None:
        said = verdicts(rulebook, f"{PLAYED} | stand 1")
        open_ = ("dealer.under-draw", "dealer.over-draw", "dealer.early-second-card", "draw.below-12")
        assert [said[code] for code in open_] == [REST] * 4

    @every_rulebook
    def test_what_happened_before_is_held(self, rulebook: str) -> None:
        said = verdicts(rulebook, f"{SIGN} | {PLAYED}")
        held = ("wager.late", "wager.below-min", "deal.order", "deal.missing-card", "draw.on-21")
        assert [said[code] for code in held] == ["passed"] * 5

    @every_rulebook
    def test_within_the_initial_deal_a_card_may_still_come(self, rulebook: str) -> None:
        assert verdicts(rulebook, "a 20@1 | 1:KC 0:9S")["deal.missing-card"] == REST

    def test_a_side_wager_that_was_settled_is_held(self) -> None:
        told = "a 20@1 | x 10@1 perfect_pairs | 1:KC 0:9S 1:9C"
        assert verdicts(ACT, told)["settle.pairs"] == REST
        assert verdicts(ACT, f"{told} | x loses 10")["settle.pairs"] == "passed"


class TestNotFixed:
    """A wager that the log cannot fix is not taken for one settled rightly, whatever it is settled as."""

    @pytest.mark.parametrize("rulebook", [ACT, NZ, ADL])
    def test_a_foreign_card_on_the_box(self, rulebook: str) -> None:
        """Ruling 11."""
        said = verdicts(rulebook, "a 20@1 | 1:KC 0:9S 1:10C | stand 1 | 0:8C | a wins 20")
        codes = ("settle.outcome", "settle.odds", "settle.taken", "settle.attribution", "settle.label")
        assert [said[code] for code in codes] == [OUTCOME] * 5
        assert (said["settle.missing"], said["settle.surrender"]) == ("passed", "passed")

    @every_rulebook
    def test_a_second_card_after_a_double(self, rulebook: str) -> None:
        """Ruling 2."""
        told = "a 20@1 | 1:4C 0:9S 1:5C | double 1 with d 20 on a | 1:2C | 1:2D | 0:8C"
        said = verdicts(rulebook, f"{told} | a loses 20 | d loses 20")
        assert (said["settle.double"], said["settle.outcome"]) == (OUTCOME, "passed")

    @pytest.mark.parametrize("rulebook", [ACT, NZ, ADL])
    def test_the_dealers_draw_with_a_foreign_card(self, rulebook: str) -> None:
        said = verdicts(rulebook, STANDS.replace("0:8C", "0:10C"))
        assert (said["dealer.under-draw"], said["dealer.over-draw"]) == (OUTCOME, OUTCOME)

    @pytest.mark.parametrize("rulebook", [ACT, NZ, ADL])
    def test_a_dealer_who_stops_for_hands_that_nobody_can_fix(self, rulebook: str) -> None:
        told = "a 20@1 | 1:KC 0:9S 1:10C | stand 1 | 0:4C | a loses 20"
        assert verdicts(rulebook, told)["dealer.under-draw"] == OUTCOME

    def test_two_answers_that_a_ruling_leaves_open_are_held(self) -> None:
        """Ruling 5: the collection is one of two, and any other is found."""
        told = (
            "a 20@1 | 1:8C 0:AS 1:8D | split 1 with s 20 on a | 1:2C | double 1 with d 20 on a | 1:5D"
            " | forfeit a | 1.2:KD | stand 1.2 | 0:KH | a forfeits 20 | d returned"
        )
        assert verdicts(ACT, f"{told} | s returned")["settle.outcome"] == "passed"
        assert verdicts(ACT, f"{told} | s loses 10")["settle.outcome"] == "failed"


class TestSign:
    """What the sign says is what a wager is held against (act-2018 3.1, adelaide-2008 13)."""

    @every_rulebook
    def test_no_sign_is_recorded(self, rulebook: str) -> None:
        said = verdicts(rulebook, STANDS)
        wanted = {
            "wager.below-min": "the minimum on the sign",
            "wager.above-max": "the maximum on the sign",
            "wager.multiples": "the sign",
            "wager.box-total": "the sign",
            "wager.below-min-again": "the minimum on the sign",
        }
        clauses = book(rulebook).clauses
        wanted = {code: missing for code, missing in wanted.items() if clauses[code] != "none"}
        assert {code: said.get(code) for code in wanted} == wanted
        assert {verdicts(rulebook, f"{SIGN} | {STANDS}")[code] for code in wanted} == {"passed"}

    def test_an_empty_sign_is_none(self) -> None:
        bare = play(ACT, STANDS)
        assert verdicts(ACT, bare) == verdicts(ACT, msgspec.structs.replace(bare, limits=Limits()))

    def test_a_limit_that_is_not_on_it(self) -> None:
        said = verdicts(ACT, f"sign min 5 | {STANDS}")
        assert (said["wager.below-min"], said["wager.above-max"]) == ("passed", "the maximum on the sign")
        assert (said["wager.multiples"], said["wager.box-total"]) == ("passed", "passed")

    def test_that_of_side_wagers_is_another(self) -> None:
        told = f"sign min 5 max 100 | x 10@1 perfect_pairs | {STANDS} | x loses 10"
        said = verdicts(ACT, told)
        assert said["wager.below-min"] == "the minimum on the sign"
        assert said["wager.below-min-again"] == "passed"

    def test_a_limit_agreed_with_the_player_is_enough(self) -> None:
        said = verdicts(ACT, STANDS.replace("a 20@1", "a 20@1 limit 50"))
        assert said["wager.above-max"] == "passed"

    @pytest.mark.parametrize("rulebook", [ACT, NZ])
    def test_insurance_in_chips_nobody_knows(self, rulebook: str) -> None:
        """act-2018 7.4, nz-2000 10.4(b)."""
        told = "a 20@1 | 1:KC 0:AS 1:9D | i 10 insures a | stand 1 | 0:8C | i loses 10 | a ties"
        assert verdicts(rulebook, told)["insurance.increment"] == "the smallest chip"
        assert verdicts(rulebook, f"{SIGN} | {told}")["insurance.increment"] == "passed"


class TestCall:
    """A call of no more bets that is not in the log was not seen to be in time."""

    def test_is_not_recorded(self) -> None:
        assert verdicts(ACT, STANDS)["deal.late-call"] == "the call of no more bets"

    def test_is_recorded(self) -> None:
        told = play(ACT, STANDS)
        first, *rest = told.events
        called = msgspec.structs.replace(told, events=(first, NoMoreBets(), *rest))
        assert verdicts(ACT, called)["deal.late-call"] == "passed"


class TestFacts:
    """A check whose fact is not captured may apply though nothing shows it, and is counted."""

    def test_burns(self) -> None:
        assert "shoe.burn-unexplained" not in verdicts(NZ, STANDS)
        assert verdicts(NZ, f"without burns | {STANDS}")["shoe.burn-unexplained"] == "burns"

    def test_the_cutting_card(self) -> None:
        assert "shoe.cut-position" not in verdicts(NZ, STANDS)
        assert verdicts(NZ, f"without cut_card | {STANDS}")["shoe.cut-position"] == "cut_card"

    def test_surrenders(self) -> None:
        assert "surrender.before-interim" not in verdicts(NZ, STANDS)
        said = verdicts(NZ, f"without decisions | {STANDS}")
        assert (said["surrender.before-interim"], said["surrender.half-early"]) == ("decisions", "decisions")

    def test_a_surrender_read_off_its_settlement(self) -> None:
        """Ruling 15: when half was collected is seen without the decision."""
        told = "without decisions | a 20@1 | 1:KC 0:KS 1:6D | 0:8C | a surrenders 10"
        assert verdicts(NZ, told)["surrender.half-early"] == "passed"

    def test_whose_hand_a_wager_went_with(self) -> None:
        told = (
            "a 20@1 | 1:8C 0:9S 1:8D | split 1 with s 20 on a | 1:KS | 1.2:KD | 0:8H | a wins 20 | s wins 20"
        )
        assert "split.assign-late" not in verdicts(NZ, told)
        assert verdicts(NZ, f"without decisions | {told}")["split.assign-late"] == "decisions"

    @pytest.mark.parametrize("code", ["jackpot.multiplier", "jackpot.press", "jackpot.press-order"])
    def test_the_button(self, code: str) -> None:
        told = "a 20@1 | j 5@1 pandemonium | 1:AC 0:9S 1:KC | a wins 30 | j wins 25"
        assert verdicts(RWS, f"without decisions | {told}")[code] == "decisions"
        assert verdicts(RWS, f"without decisions | {told}")["settle.jackpot"] == OUTCOME

    @every_rulebook
    def test_a_forfeit_read_off_its_settlement_of_a_hand_not_doubled(self, rulebook: str) -> None:
        told = "without decisions | a 20@1 | 1:KC 0:9S 1:6C | 0:8C | a forfeits 20"
        assert verdicts(rulebook, told)["forfeit.eligibility"] == "decisions"

    @pytest.mark.parametrize("facts", [*((fact,) for fact in FACTS), FACTS])
    @every_rulebook
    def test_nothing_is_found_for_want_of_one(self, rulebook: str, facts: tuple[str, ...]) -> None:
        told = f"without {' '.join(facts)} | {SIGN} | {STANDS}"
        assert replay(rulebook, told).findings == ()


class TestCardTooMany:
    """A card too many for a split ace is played on with, unless it was burned (ruling 2; act-2018 11.5).

    Where burns are not captured the log does not say which, and nobody is accused over the money.
    """

    TOLD = (
        "a 20@1 | 1:AC 0:9S 1:AD | split 1 with s 20 on a | 1:8C | 1:5D | 1.2:9C | stand 1.2 | 0:8D"
        " | a wins 20 | s wins 20"
    )

    @every_rulebook
    def test_that_was_left(self, rulebook: str) -> None:
        found = {each.code: each.severity for each in replay(rulebook, self.TOLD).findings}
        assert found["settle.outcome"] == "breach"

    @every_rulebook
    def test_that_may_have_been_burned(self, rulebook: str) -> None:
        told = f"without burns | {self.TOLD}"
        found = [each.code for each in replay(rulebook, told).findings if each.severity != "notice"]
        assert found == ["split.aces-extra-card"]
        assert verdicts(rulebook, told)["settle.outcome"] == OUTCOME
        assert due(rulebook, told)["a"] == OPEN

    def test_that_takes_a_hand_over_21_makes_nobody_lose(self) -> None:
        told = f"without burns | {self.TOLD.replace('1:5D', '1:5D | 1:KD | 1:KH')}"
        assert due(ACT, told)["a"] == OPEN
