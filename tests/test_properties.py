"""What holds of every round whatsoever: money and cards are conserved, and the engine never gives up."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest
from hypothesis import given, settings

from rules_replay import engine
from rules_replay.auditor import Auditor
from rules_replay.cards import card
from rules_replay.checks import catalogue
from rules_replay.log import Amount, Burn, Deal, Limits, Round, Settle, Wager
from rules_replay.results import Finding, RoundReplay
from rules_replay.rulebook import Rulebook
from rules_replay.severity import SEVERITIES
from rules_replay.venues import load_register
from tests.rounds import play, settled
from tests.strategies import any_rounds, effective_burns, lawful_rounds, unsettled

Case = tuple[Rulebook, Round]
PAYS = {"win": "paid", "lose": "taken", "surrender": "taken", "forfeit": "taken"}


def _codes(replay: RoundReplay, *groups: str) -> list[Finding]:
    return [each for each in replay.findings if each.code.partition(".")[0] in groups]


class TestMoney:
    """No amount appears or vanishes between the stakes, the house and the players."""

    @given(any_rounds)
    def test_a_required_settlement_moves_money_one_way(self, case: Case) -> None:
        """A winner pays nothing, a loser loses no more than the stake, a stake going back moves nothing."""
        book, told = case
        for row in engine.replay_round(told, book).settlements:
            money = row.expected
            if money is None:
                continue
            moves = PAYS.get(money.result)
            assert (money.paid > 0) <= (moves == "paid")
            assert (money.taken > 0) <= (moves == "taken")
            assert money.paid >= 0
            assert 0 <= money.taken <= row.effective_stake <= row.stake

    @given(any_rounds)
    def test_what_was_recorded_adds_up_to_the_settlements_that_stand(self, case: Case) -> None:
        book, told = case
        undone = {each.reverses for each in told.events if isinstance(each, Settle)}
        standing = [
            (each.paid or 0) - (each.taken or 0)
            for seq, each in enumerate(told.events)
            if isinstance(each, Settle) and each.reverses is None and seq not in undone
        ]
        rows = engine.replay_round(told, book).settlements
        assert sum(row.recorded.net for row in rows if row.recorded) == sum(standing)

    @given(any_rounds)
    def test_every_wager_has_one_stake_line(self, case: Case) -> None:
        book, told = case
        stakes = [row.wager for row in engine.replay_round(told, book).settlements if row.line == "stake"]
        assert sorted(stakes) == sorted(each.id for each in told.events if isinstance(each, Wager))

    @given(any_rounds)
    def test_a_round_recorded_as_required_has_no_settlement_finding(self, case: Case) -> None:
        book, told = case
        as_due = settled(unsettled(told), book)
        assert _codes(engine.replay_round(as_due, book), "settle", "bonus") == []

    @given(any_rounds)
    def test_a_thousandth_too_much_is_found_on_that_wager(self, case: Case) -> None:
        book, told = case
        as_due = settled(unsettled(told), book)
        for row in engine.replay_round(as_due, book).settlements:
            if row.expected is None or row.line != "stake":
                continue
            seq = next(
                n for n, e in enumerate(as_due.events) if isinstance(e, Settle) and e.wager == row.wager
            )
            line = as_due.events[seq]
            assert isinstance(line, Settle)
            wrong = msgspec.structs.replace(line, paid=Amount((line.paid or 0) + 1))
            events = (*as_due.events[:seq], wrong, *as_due.events[seq + 1 :])
            (finding,) = _codes(
                engine.replay_round(msgspec.structs.replace(as_due, events=events), book), "settle"
            )
            assert (finding.wager, finding.delta) == (row.wager, 1)
            return

    @given(any_rounds)
    def test_twice_the_stakes_make_twice_the_dues(self, case: Case) -> None:
        """Under exact amounts; the Super Bonus, which does not grow with the stake, is left out."""
        book, told = case
        exact = book.with_readings({"amounts": "exact"})
        once = engine.replay_round(unsettled(told), exact).settlements
        twice = engine.replay_round(_doubled(unsettled(told)), exact).settlements
        due_twice = {row.wager: row.expected for row in twice if row.line == "stake"}
        for row in once:
            if row.line != "stake" or row.expected is None:
                continue
            other = due_twice[row.wager]
            assert other is not None
            assert other.result == row.expected.result
            assert (other.paid, other.taken) == (2 * row.expected.paid, 2 * row.expected.taken)


def _doubled(told: Round) -> Round:
    """The round with every stake and every limit twice as high."""
    events = tuple(_twice(each) if isinstance(each, Wager) else each for each in told.events)
    limits = told.limits
    if limits is not None:
        amounts = msgspec.structs.asdict(limits).items()
        limits = Limits(**{name: None if each is None else Amount(2 * each) for name, each in amounts})
    return msgspec.structs.replace(told, events=events, limits=limits)


def _twice(wager: Wager) -> Wager:
    limit = None if wager.limit is None else Amount(2 * wager.limit)
    return msgspec.structs.replace(wager, amount=Amount(2 * wager.amount), limit=limit)


class TestCards:
    """Every card dealt lies on one hand at the end, or was burned off one, or is a promotional joker."""

    @given(any_rounds)
    def test_none_appears_and_none_vanishes(self, case: Case) -> None:
        book, told = case
        promotional = book.word("deck.joker") == "promotional"
        if promotional and any(isinstance(each, Burn) and each.source == "hand" for each in told.events):
            told = msgspec.structs.replace(
                told, events=tuple(e for e in told.events if not isinstance(e, Burn))
            )
        dealt = Counter(card(each.card).text for each in told.events if isinstance(each, Deal))
        if promotional:
            dealt.pop("JK", None)
        held = Counter(text for hand in engine.replay_round(told, book).hands for text in hand.cards)
        assert held <= dealt
        assert (dealt - held).total() == effective_burns(told)

    @given(any_rounds)
    def test_hands_are_listed_once_and_hold_cards(self, case: Case) -> None:
        book, told = case
        places = [(hand.box, hand.hand) for hand in engine.replay_round(told, book).hands if hand.cards]
        assert len(places) == len(set(places)) == len(engine.replay_round(told, book).hands)


class TestFindings:
    """Whatever the round, a finding can be looked up, places itself, and is counted."""

    @given(any_rounds)
    def test_a_finding_names_a_check_and_a_clause_of_the_rulebook(self, case: Case) -> None:
        book, told = case
        for finding in engine.replay_round(told, book).findings:
            check = catalogue()[finding.code]
            assert finding.clause.startswith(f"{book.id} ")
            assert SEVERITIES.index(finding.severity) >= SEVERITIES.index(check.severity)
            assert finding.expected
            assert finding.recorded
            assert finding.seq is None or 0 <= finding.seq < len(told.events)

    @given(any_rounds)
    def test_a_finding_about_money_carries_the_difference(self, case: Case) -> None:
        book, told = case
        for finding in engine.replay_round(told, book).findings:
            group = finding.code.partition(".")[0]
            if group not in ("settle", "bonus"):
                assert finding.delta is None
            elif finding.code in ("settle.label", "settle.attribution"):
                assert finding.delta == 0
            elif finding.code != "settle.missing":
                assert finding.delta is not None

    @given(any_rounds)
    def test_a_finding_about_a_wager_carries_its_box_and_player(self, case: Case) -> None:
        book, told = case
        wagers = {each.id: each for each in told.events if isinstance(each, Wager)}
        for finding in engine.replay_round(told, book).findings:
            if finding.wager is not None:
                assert finding.box is not None
                assert finding.player == wagers[finding.wager].player
            if finding.code.startswith(("settle.", "bonus.", "insurance.", "wager.")):
                assert finding.wager is not None

    @given(any_rounds)
    def test_a_check_fails_exactly_where_it_has_a_finding(self, case: Case) -> None:
        book, told = case
        replay = engine.replay_round(told, book)
        failed = {row.code for row in replay.coverage if row.verdict == "failed"}
        assert failed == {finding.code for finding in replay.findings}
        assert len(replay.coverage) == len({row.code for row in replay.coverage})
        for row in replay.coverage:
            assert (row.missing is not None) == (row.verdict == "not_evaluable")

    @given(any_rounds)
    def test_a_check_without_its_evidence_is_neither_passed_nor_failed(self, case: Case) -> None:
        book, told = case
        bare = msgspec.structs.replace(told, records=())
        replay = engine.replay_round(bare, book)
        for row in replay.coverage:
            needs = catalogue()[row.code].needs
            assert needs is None or (row.verdict, row.missing) == ("not_evaluable", needs)
        assert all(catalogue()[finding.code].needs is None for finding in replay.findings)

    @given(any_rounds)
    def test_the_same_round_says_the_same_twice(self, case: Case) -> None:
        book, told = case
        assert engine.replay_round(told, book) == engine.replay_round(told, book)

    @given(any_rounds)
    @settings(max_examples=settings().max_examples // 2)
    def test_the_auditor_follows_the_engine(self, case: Case) -> None:
        """It only adds what the register and the shoe show, and softens what another reading removes."""
        book, told = case
        mine = {finding.key for finding in engine.replay_round(told, book).findings}
        audited = Auditor(load_register()).audit(told)
        assert audited.rulebook == book.id
        assert mine <= {finding.key for finding in audited.findings}
        for finding in audited.findings:
            assert (finding.depends_on is not None) == (finding.severity == "ambiguous")
            if finding.depends_on is not None:
                question, _, answer = finding.depends_on.partition("=")
                reading = book.readings[question]
                assert answer in (reading.default, *reading.alternatives)


class TestOddRounds:
    """Rounds that are hard to follow are followed, under every reading."""

    @pytest.mark.parametrize(
        ("rulebook", "told"),
        [
            pytest.param(
                "nz-2000",
                "a 20@1 | b 20@2 | 1:6C 2:9C 0:9H 1:5D 2:9D | double 1 with ad 20 on a | 1:2C | forfeit a "
                "| burn 1:2C | stand 2 | 0:8C",
                id="the card of a double burned after the forfeit",
            ),
            pytest.param(
                "nz-2000",
                "a 20@1 | p 5@1 pair | i 5 insures p | 1:KC 0:AH 1:8D | stand 1 | 0:8C",
                id="insurance on a side wager",
            ),
            pytest.param(
                "nz-2000",
                "p 5@1 pair | 1:KC 0:7H | split 1 with b 5 on p | stand 1",
                id="a split wager without a main wager",
            ),
            pytest.param("adelaide-2008", "a 20@3 | 0:7H | 1:JK", id="a joker to a box without a wager"),
            pytest.param(
                "act-2018",
                "a 20@2 | 2:KS 0:QH | burn 0:QH | 2:KD | stand 2 | 0:AC | burn 0:AC",
                id="the dealer's first card burned twice",
            ),
            pytest.param("act-2018", "", id="no event"),
        ],
    )
    def test_are_audited(self, rulebook: str, told: str) -> None:
        for finding in Auditor(load_register()).audit(play(rulebook, told)).findings:
            assert finding.seq is None or finding.seq < len(play(rulebook, told).events)


class TestLawfulRounds:
    """Dealers and players who keep to the rules are not accused of anything."""

    @given(lawful_rounds)
    @settings(max_examples=3 * settings().max_examples)
    def test_nothing_is_found(self, case: Case) -> None:
        book, told = case
        findings = engine.replay_round(settled(told, book), book).findings
        assert [finding for finding in findings if finding.severity != "notice"] == []

    @given(lawful_rounds)
    def test_every_wager_can_be_settled(self, case: Case) -> None:
        """But for a split hand forfeited before a dealer's Pontoon, on which two amounts are arguable."""
        book, told = case
        played = engine.play(told, book)
        for due in played.dues.values():
            assert due.expected is not None or (len(due.acceptable) == 2 and played.dealer.pontoon)

    @given(lawful_rounds)
    def test_one_unpaid_wager_is_missed(self, case: Case) -> None:
        book, told = case
        whole = settled(told, book)
        last = whole.events[-1]
        assert isinstance(last, Settle)
        found = engine.replay_round(msgspec.structs.replace(whole, events=whole.events[:-1]), book).findings
        assert {each.code for each in found if each.severity != "notice"} <= {
            "settle.missing",
            "record.incomplete",
            "bonus.super",
            "bonus.other-wagers",
        }
        assert [each for each in found if each.severity != "notice"] != []
