"""The story of a round: complete, true to the replay, harmless on a terminal, and kept line by line."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.ingest.wire import Rejected, check_round
from rules_replay import log
from rules_replay.auditor import Auditor
from rules_replay.explain import Explanation, Step, explain_round, visible
from rules_replay.log import Round, amount_text
from rules_replay.results import RoundReplay
from rules_replay.rulebook import Rulebook, rulebook_ids
from rules_replay.venues import load_register
from tests.record_explained import FOLDER, PLAYTHROUGHS, explained, file_of, kept_rounds
from tests.rounds import book, play, settled

LEVELS = (1, 2, 3)
ROUNDS = tuple(kept_rounds().values())


class TestRecordedPlaythroughs:
    """A playthrough reads as it was last read by a person: ``python -m tests.record_explained`` writes it."""

    @pytest.mark.parametrize("name", PLAYTHROUGHS)
    def test_reads_as_recorded(self, name: str) -> None:
        recorded = file_of(name).read_text(encoding="utf-8")
        assert PLAYTHROUGHS[name].text().splitlines() == recorded.splitlines()

    def test_every_file_is_compared(self) -> None:
        assert {path.name for path in FOLDER.glob("*.txt")} == {file_of(name).name for name in PLAYTHROUGHS}

    def test_every_rulebook_has_one(self) -> None:
        told = {explained(each.round(), 1).heading.rulebook for each in PLAYTHROUGHS.values()}
        assert told == {None, *rulebook_ids()}


@pytest.mark.parametrize("round_", ROUNDS, ids=lambda each: each.round_id)
class TestNothingIsLeftOut:
    """Every wager, finding and event of a round is told, with the figures of the replay."""

    def test_every_wager_and_finding_at_every_level(self, round_: Round) -> None:
        _, replay = audited(round_)
        for level in LEVELS:
            assert_complete(round_, replay, told(round_, level))

    def test_every_event_in_order_from_level_two(self, round_: Round) -> None:
        assert told(round_, 1).steps == ()
        for level in (2, 3):
            steps = told(round_, level).steps
            assert [step.seq for step in steps] == list(range(len(round_.events)))
            assert [step.event for step in steps] == [log.event_kind(each) for each in round_.events]

    def test_a_higher_level_keeps_what_a_lower_one_told(self, round_: Round) -> None:
        for lower, higher in ((1, 2), (2, 3)):
            less, more = told(round_, lower), told(round_, higher)
            assert (less.heading, less.findings, less.hands) == (more.heading, more.findings, more.hands)
            assert less.wagers == more.wagers
        lines = set(told(round_, 1).text().splitlines())
        assert lines <= set(told(round_, 2).text().splitlines())

    def test_the_amounts_are_the_replays(self, round_: Round) -> None:
        rules, replay = audited(round_)
        if rules is None:
            return
        rows = {(row.wager, row.line): row for row in replay.settlements}
        wagers = {(each.wager, each.line): each for each in told(round_, 1).wagers}
        assert wagers.keys() == rows.keys()
        for place, row in rows.items():
            wager = wagers[place]
            assert (wager.stake, wager.clause) == (amount_text(row.stake), row.clause)
            if row.expected is not None:
                assert wager.due is not None
                assert (wager.due.paid, wager.due.taken) == (
                    amount_text(row.expected.paid),
                    amount_text(row.expected.taken),
                )
                assert wager.difference == amount_text(row.delta or 0)

    def test_the_running_total_ends_at_the_total_of_the_hand(self, round_: Round) -> None:
        story = told(round_, 2)
        last = {(step.box, step.hand): step for step in story.steps if step.cards}
        for hand in story.hands:
            step = last[hand.box, hand.hand]
            assert (step.cards, step.total) == (hand.cards, hand.total)

    def test_plain_data_survives_json(self, round_: Round) -> None:
        for level in LEVELS:
            data = told(round_, level).as_json()
            assert json.loads(json.dumps(data)) == data
            assert len(data["wagers"]) >= 1


@lru_cache(maxsize=256)
def audited(round_: Round) -> tuple[Rulebook | None, RoundReplay]:
    auditor = Auditor(load_register())
    return auditor.rulebook_for(round_), auditor.audit(round_)


@cache
def told(round_: Round, level: int) -> Explanation:
    """A kept round told, once for all tests that look at it."""
    return explain_round(round_, *audited(round_), level)


def assert_complete(round_: Round, replay: RoundReplay, told: Explanation) -> None:
    """Every wager and finding of the round is in the explanation and in its text."""
    text = told.text(width=400)
    placed = [event.id for event in round_.events if isinstance(event, log.Wager)]
    assert {wager.wager for wager in told.wagers} == set(placed)
    assert all(f"{visible(wager)}: " in text for wager in placed)
    assert [(each.code, each.severity, each.seq) for each in told.findings] == [
        (each.code, each.severity, each.seq) for each in replay.findings
    ]
    assert all(f"({finding.code})" in text for finding in replay.findings)


EDITS = st.lists(
    st.tuples(st.sampled_from(("remove", "move", "repeat", "cut")), st.integers(0, 60), st.integers(0, 60)),
    min_size=1,
    max_size=6,
)


def edited(round_: Round, edits: Sequence[tuple[str, int, int]]) -> Round:
    """A round with events removed, moved and repeated, less those that no log may hold."""
    events = list(round_.events)
    for edit, one, other in edits:
        place = one % max(len(events), 1)
        match edit:
            case "remove":
                del events[place : place + 1]
            case "move" if events:
                events.insert(other % len(events), events.pop(place))
            case "repeat" if events:
                events.insert(other % len(events), events[place])
            case "cut":
                del events[place + 10 :]
    odd = msgspec.structs.replace(round_, events=tuple(events))
    while (refused := refused_event(odd)) is not None:
        del events[refused]
        odd = msgspec.structs.replace(round_, events=tuple(events))
    return odd


def refused_event(round_: Round) -> int | None:
    """The first event that refers to what no earlier event made."""
    try:
        check_round(round_)
    except Rejected as refused:
        found = re.match(r"events\[(\d+)\]", refused.field)
        return int(found[1]) if found is not None else None
    return None


class TestOddRounds:
    """Whatever a log holds that can be replayed can be told."""

    @given(st.sampled_from(ROUNDS), EDITS)
    def test_is_told_in_full_at_every_level(
        self, round_: Round, edits: Sequence[tuple[str, int, int]]
    ) -> None:
        odd = edited(round_, edits)
        rules, replay = audited(odd)
        for level in LEVELS:
            story = explain_round(odd, rules, replay, level)
            assert_complete(odd, replay, story)
            assert json.dumps(story.as_json())
            assert all(len(line) <= 100 for line in story.text().splitlines())

    @given(st.sampled_from(ROUNDS), EDITS)
    def test_nothing_is_said_to_be_allowed_that_a_finding_at_the_event_denies(
        self, round_: Round, edits: Sequence[tuple[str, int, int]]
    ) -> None:
        odd = edited(round_, edits)
        told = explained(odd, 3)
        for finding in told.findings:
            if finding.seq is None:
                continue
            step = told.steps[finding.seq]
            assert finding.number in step.objections
            for denied in DENIED.get(finding.code, ()):
                assert not [ground for ground in step.grounds if denied in ground.text]


DENIED = {
    "surrender.upcard": ("opens surrender", "no further card"),
    "surrender.timing": ("no further card", "turn had not passed"),
    "surrender.after-split": ("was not split",),
    "split.unequal-value": ("equal value",),
    "split.too-many-hands": ("at most",),
    "split.stake": ("equal to the original",),
    "double.hand": ("may be doubled",),
    "double.stake": ("no more than",),
    "insurance.no-ace": ("the dealer shows", "before the subsequent deal"),
    "insurance.late": ("before the subsequent deal",),
    "insurance.over-half": ("no more than half",),
    "draw.below-12": ("may stand",),
    "draw.on-21": ("may take a card",),
    "draw.after-bust": ("may take a card",),
    "draw.after-stand": ("may take a card",),
    "dealer.over-draw": ("the dealer draws to",),
    "dealer.needless-draw": ("may be drawn", "wait"),
    "wager.late": ("before the first card",),
    "forfeit.eligibility": ("a doubled hand of",),
    "jackpot.multiplier": ("the meter has",),
}
"""Words of a ground that may not stand at an event of which the finding says the opposite."""


ACT_21 = "a 20@1 | 1:6S 0:9C 1:6H | 1:9D"


class TestWhatIsSaidOfAnEvent:
    """Why an event was allowed, and what speaks against it."""

    def step(self, rulebook: str, told: str, seq: int) -> Step:
        return explained(settled(play(rulebook, told), book(rulebook)), 3).steps[seq]

    def test_a_second_breach_of_a_kind_refers_to_the_first(self) -> None:
        told = "a 20@1 | b 10@1 | 1:9S 0:9C 1:7H | surrender 1 only a | surrender 1 only b | 0:9D"
        first, second = explained(play("act-2018", told), 2).steps[5:7]
        assert (first.objections, first.see) == ((1,), ())
        assert (second.objections, second.see) == ((), (1,))
        assert not [ground for ground in second.grounds if "opens surrender" in ground.text]

    def test_a_card_on_21_is_told_beside_its_finding(self) -> None:
        step = explained(play("act-2018", f"{ACT_21} | 1:2C"), 3).steps[5]
        assert (step.card, step.total, step.grounds) == ("2C", "hard 23", ())
        assert step.objections == (1,)
        assert [each.text for each in step.remarks] == ["over 21"]

    def test_a_double_turns_an_ace_to_one_and_says_by_which_clause(self) -> None:
        step = self.step("act-2018", "a 20@1 | 1:AS 0:9C 1:7H | double 1 with d 20 on a | 1:KD | 0:8D", 4)
        assert [(each.text, each.clause) for each in step.remarks] == [
            ("an ace of a doubled hand counts one: soft 18 becomes hard 8", "act-2018 2.5(a)")
        ]
        assert step.total == "hard 8"

    def test_a_surrender_names_the_first_card_the_moment_and_the_hand(self) -> None:
        step = self.step("act-2018", "a 20@1 | 1:9S 0:KC 1:7H | surrender 1 | 0:8D", 4)
        assert [each.clause for each in step.grounds] == [
            "act-2018 9.1; def:Surrender",
            "act-2018 9.1; 10.1",
            "act-2018 9.1; 11.6; 10.1",
        ]
        assert "K♣" in step.grounds[0].text

    def test_the_dealer_draws_for_the_wagers_that_wait(self) -> None:
        told = "a 20@1 | b 20@2 | 1:9S 2:KH 0:6C 1:9H 2:KD | stand 1 | stand 2 | 0:KC | 0:2D"
        second = self.step("act-2018", told, 9)
        assert [each.text for each in second.grounds] == ["wagers a and b wait for the dealer's second card"]
        third = self.step("act-2018", told, 10)
        assert [each.text for each in third.grounds] == ["hard 16: the dealer draws to hard 16 and soft 17"]
        assert [each.text for each in third.remarks] == ["the dealer stops on hard 18"]

    def test_without_recorded_decisions_nothing_is_said_to_be_allowed(self) -> None:
        step = self.step("act-2018", "without decisions | a 20@1 | 1:9S 0:KC 1:7H | surrender 1 | 0:8D", 4)
        assert step.grounds == ()
        assert [each.text for each in step.remarks] == [
            "not checked: the log does not record the players' decisions"
        ]

    def test_a_card_burned_later_is_said_not_to_count(self) -> None:
        told = "a 20@1 | 1:9S 0:6C 1:9H | stand 1 | 0:KC | 0:2D | 0:3D | burn 0:3D"
        step = self.step("act-2018", told, 7)
        assert [each.text for each in step.remarks] == ["taken off the hand again later: it does not count"]

    def test_a_settlement_undone_says_where(self) -> None:
        told = "a 20@1 | 1:9S 0:KC 1:9H | stand 1 | 0:8D | a loses 20 | undo a | a ties"
        steps = explained(play("act-2018", told), 2).steps
        assert [each.text for each in steps[6].remarks] == ["undone at event 7"]
        assert steps[7].text == "The settlement of wager a at event 6 is undone (lose, 20.00 taken)."
        assert [each.text for each in steps[8].grounds] == ["as due"]
        assert explained(play("act-2018", told), 1).wagers[0].corrected


class TestReadings:
    """Level 3 names the open points whose other answer would change something, and no others."""

    TOLD = "a 20@1 | 1:8S 0:KC 1:8H | split 1 with s 20 on a | 1:2D | 1:KD | 1.2:9C | 1.2:8D | 0:AD"

    def told(self, **readings: str) -> Explanation:
        rules = book("act-2018", **readings)
        round_ = settled(play("act-2018", self.TOLD), book("act-2018"))
        return explain_round(round_, rules, Auditor(load_register(), readings).audit(round_), level=3)

    def test_names_question_answer_clause_and_what_would_change(self) -> None:
        reading = next(each for each in self.told().readings if each.id == "dealer_pontoon_split")
        assert (reading.answer, reading.default) == ("original_cap", "original_cap")
        assert reading.clause == "act-2018 11.8; 11.9"
        assert any("if read as 'busted plus one': wager a is due" in each for each in reading.effects)

    def test_a_reading_chosen_by_the_user_is_marked(self) -> None:
        told = self.told(dealer_pontoon_split="busted_plus_one")
        reading = next(each for each in told.readings if each.id == "dealer_pontoon_split")
        assert (reading.answer, reading.default) == ("busted_plus_one", "original_cap")
        assert "busted plus one, chosen by the venue or the user" in told.text(width=400)

    def test_a_reading_that_changes_nothing_is_left_out(self) -> None:
        told = explained(settled(play("act-2018", f"{ACT_21}"), book("act-2018")), 3)
        assert told.readings == ()

    def test_what_could_not_be_checked_says_why(self) -> None:
        told = explained(play("act-2018", f"without settle_order | {ACT_21} | a wins 20"), 3)
        assert told.coverage is not None
        why = {each.code: each.why for each in told.coverage.not_checked}
        assert why["interim.twenty-one-unpaid"] == "the log does not record when each wager was settled"


class TestWithoutRulebook:
    """Where no rulebook is held, what happened is told and nothing is judged."""

    def told(self, level: int) -> Explanation:
        return explained(
            play("act-2018", f"{ACT_21} | a wins 10 | undo a | a wins 5 | a wins 5", venue="elsewhere"), level
        )

    def test_amounts_are_recorded_and_nothing_is_due(self) -> None:
        (wager,) = self.told(1).wagers
        assert (str(wager.recorded), wager.due, wager.judged) == ("win, 10.00 paid", None, False)
        assert wager.corrected

    def test_says_so(self) -> None:
        told = self.told(3)
        assert told.heading.verdict.startswith("Not judged")
        assert (told.readings, told.coverage) == ((), None)
        assert not [step for step in told.steps if step.grounds or step.objections]

    def test_cards_are_counted_as_they_move(self) -> None:
        moves = "a 20@1 | 1:8S 0:9C 1:8H | split 1 with s 20 on a | 1:2D | 1.2:3D | 1.2:KD | burn 1.2:KD"
        told = explained(play("act-2018", moves, venue="elsewhere"), 2)
        assert {(hand.where, hand.cards, hand.total) for hand in told.hands} == {
            ("dealer", ("9C",), "hard 9"),
            ("box 1, hand 1", ("8S", "2D"), "hard 10"),
            ("box 1, hand 2", ("8H", "3D"), "hard 11"),
        }


CONTROLS = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
ANSI = re.compile(r"\x1b\[[0-9;]*m")


class TestText:
    """The text cannot act on a terminal, and colour changes nothing but colour."""

    @pytest.mark.parametrize("level", LEVELS)
    def test_no_control_or_direction_character_gets_through(self, level: int) -> None:
        text = explained(kept_rounds()["HOSTILE-1"], level).text()
        assert not [each for each in text.replace("\n", "") if unicodedata.category(each) in CONTROLS]
        assert r"\x1b[31mMallory\x1b[0m" in text

    @given(st.text(min_size=1, max_size=40))
    def test_whatever_a_player_is_called(self, name: str) -> None:
        told = play("act-2018", ACT_21)
        wager = msgspec.structs.replace(told.events[0], player=name)
        text = explained(msgspec.structs.replace(told, events=(wager, *told.events[1:])), 2).text()
        assert not [each for each in text.replace("\n", "") if unicodedata.category(each) in CONTROLS]

    @pytest.mark.parametrize("round_", ROUNDS[::7], ids=lambda each: each.round_id)
    def test_colour_only_colours(self, round_: Round) -> None:
        story = told(round_, 3)
        coloured = story.text(colour=True)
        assert coloured != story.text()
        assert ANSI.sub("", coloured) == story.text()

    def test_ascii_only_is_ascii(self) -> None:
        for round_ in ROUNDS[::7]:
            assert told(round_, 3).text(ascii_only=True).isascii()

    @pytest.mark.parametrize("width", [72, 80, 140])
    def test_keeps_to_the_width(self, width: int) -> None:
        for round_ in ROUNDS:
            lines = told(round_, 3).text(width).splitlines()
            assert max(len(line) for line in lines) <= width

    def test_amounts_in_plain_data_are_decimal_text(self) -> None:
        data = explained(play("act-2018", "a 12.5@1 | 1:AS 0:9C 1:KH | a wins 12.5"), 1).as_json()
        (wager,) = data["wagers"]
        assert wager["due"] == {"result": "win", "paid": "18.75", "taken": "0"}
        assert (wager["stake"], wager["difference"]) == ("12.5", "-6.25")


class TestVerdict:
    """The first lines say whether the round is in order and who got too much or too little."""

    def verdict(self, told: str) -> tuple[str, tuple[str, ...]]:
        heading = explained(play("act-2018", told), 1).heading
        return heading.verdict, heading.money

    def test_in_order(self) -> None:
        verdict, money = self.verdict(f"{ACT_21} | a wins 20")
        assert verdict.startswith("In order: every wager was settled")
        assert money == ()

    def test_an_overpayment(self) -> None:
        verdict, money = self.verdict(f"{ACT_21} | a wins 1030")
        assert verdict == "Not in order: 1 breach."
        assert money == ("P1 received AUD 1,010.00 too much.",)

    def test_a_fault_that_moved_no_money(self) -> None:
        verdict, money = self.verdict(f"{ACT_21} | a wins 20 | 0:8D")
        assert verdict == "Not in order: 1 fault of procedure."
        assert money == ("Every wager was settled as due.",)

    def test_an_unfinished_record_is_undecided(self) -> None:
        verdict, money = self.verdict("a 20@1 | 1:9S 0:KC 1:7H")
        assert verdict == "Undecided: 1 point that the log cannot decide."
        assert money == ()


def test_an_unknown_level_is_refused() -> None:
    round_ = ROUNDS[0]
    rules, replay = audited(round_)
    with pytest.raises(ValueError, match="level: expected 1, 2 or 3, got 4"):
        explain_round(round_, rules, replay, level=4)
