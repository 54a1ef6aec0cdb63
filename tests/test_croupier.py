"""A night dealt by the croupier: lawful where no fault is put in, and the same for the same seed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import date, timedelta
from functools import cache
from itertools import islice

import pytest

from data_samples.croupier import deal_night
from data_samples.law import law_of
from data_samples.tables import HOUSES
from rules_replay.auditor import Auditor
from rules_replay.cards import DECK
from rules_replay.log import Burn, CutCard, Deal, Round, Settle, Wager, event_kind
from rules_replay.results import Finding
from rules_replay.rulebook import load_rulebook, rulebook_ids
from rules_replay.venues import load_register

BOOKS = pytest.mark.parametrize("rulebook", rulebook_ids())


def clean_rounds(rulebook: str, seed: int, rounds: int) -> list[Round]:
    return [round_ for round_, _ in deal_night(rulebook, seed, rounds, tables=6)]


@cache
def clean_night(rulebook: str) -> list[Round]:
    """Rounds at six tables, no fault in them."""
    return clean_rounds(rulebook, 11, 400)


@cache
def one_table(rulebook: str) -> list[Round]:
    """One table from opening to closing and into the next evening, a month before the bundled night."""
    evening = HOUSES[rulebook].evening - timedelta(days=30)
    return [round_ for round_, _ in deal_night(rulebook, 42, 700, tables=1, evening=evening)]


def above_notice(rounds: Iterable[Round]) -> list[tuple[str, Finding]]:
    auditor = Auditor(load_register())
    return [
        (round_.round_id, finding)
        for round_ in rounds
        for finding in auditor.audit(round_).findings
        if finding.severity != "notice"
    ]


@pytest.mark.slow
@BOOKS
class TestCleanNight:
    """Without faults a night is played, settled and written down as its rulebook requires."""

    def test_has_no_finding_above_notice(self, rulebook: str) -> None:
        assert above_notice(clean_night(rulebook)[:80]) == []

    @pytest.mark.slow
    def test_nor_has_the_rest_of_it(self, rulebook: str) -> None:
        assert above_notice(clean_night(rulebook)) == []

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(101, 103))
    def test_has_no_finding_above_notice_over_many_seeds(self, rulebook: str, seed: int) -> None:
        assert above_notice(clean_rounds(rulebook, seed, 300)) == []

    def test_carries_no_truth(self, rulebook: str) -> None:
        assert all(truth is None for _, truth in deal_night(rulebook, 5, 30))

    def test_every_wager_is_settled_once_within_its_stake(self, rulebook: str) -> None:
        for round_ in clean_night(rulebook):
            stakes = {event.id: event.amount for event in round_.events if isinstance(event, Wager)}
            lines = [e for e in round_.events if isinstance(e, Settle) and e.line == "stake"]
            assert sorted(line.wager for line in lines) == sorted(stakes)
            for line in lines:
                assert line.taken is not None
                assert line.paid is not None
                assert 0 <= line.taken <= stakes[line.wager]
                assert not (line.paid and line.taken)
                assert (line.result == "win") == (line.paid > 0)

    def test_main_and_side_wagers_keep_to_the_sign(self, rulebook: str) -> None:
        for round_ in clean_night(rulebook):
            limits = round_.limits
            assert limits is not None
            assert limits.min is not None
            assert limits.max is not None
            for event in round_.events:
                if isinstance(event, Wager) and event.kind == "main":
                    assert limits.min <= event.amount <= (event.limit or limits.max)
                    assert event.amount % (limits.multiples or limits.min) == 0
                elif isinstance(event, Wager) and event.kind in (round_.offers or ()):
                    assert limits.side_min is not None
                    assert limits.side_min <= event.amount <= (limits.side_max or 0)


@pytest.mark.slow
@BOOKS
class TestTrueShoe:
    """Cards are dealt from so many decks of 48, shuffled when the cutting card has come out."""

    def test_no_card_comes_out_more_often_than_the_decks_hold_it(self, rulebook: str) -> None:
        copies: dict[str, Counter[str]] = defaultdict(Counter)
        decks: dict[str, int] = {}
        for round_, _ in deal_night(rulebook, 21, 250, faults="realistic", rate=0.3, labels=SETTLED_WRONGLY):
            key = round_.round_id if round_.shuffler == "continuous" else round_.shoe
            decks[key] = round_.decks
            copies[key].update(e.card for e in round_.events if isinstance(e, Deal | Burn))
        assert all(card in DECK for counts in copies.values() for card in counts)
        assert all(max(counts.values()) <= decks[shoe] for shoe, counts in copies.items())

    def test_rounds_of_a_shoe_are_numbered_without_a_gap(self, rulebook: str) -> None:
        numbers: dict[str, list[int]] = defaultdict(list)
        for round_ in clean_night(rulebook):
            numbers[round_.shoe].append(round_.round_no)
        assert all(found == list(range(1, len(found) + 1)) for found in numbers.values())

    def test_a_shoe_ends_with_the_round_of_the_cutting_card(self, rulebook: str) -> None:
        last: dict[str, Round] = {}
        cut: dict[str, int] = {}
        for round_ in clean_night(rulebook):
            last[round_.shoe] = round_
            if any(isinstance(event, CutCard) for event in round_.events):
                cut[round_.shoe] = round_.round_no
        assert cut
        assert all(last[shoe].round_no == number for shoe, number in cut.items())

    def test_the_number_of_decks_is_one_the_rulebook_allows(self, rulebook: str) -> None:
        law = law_of(load_rulebook(rulebook))
        for round_ in clean_night(rulebook):
            assert law.decks[0] <= round_.decks <= law.decks[1]
            if "perfect_pairs" in (round_.offers or ()):
                assert round_.decks >= law.decks_with_perfect_pairs


SETTLED_WRONGLY = frozenset(
    {"tie-paid", "loser-left", "pontoon-even", "five-card-21-even", "sevens-as-mixed"}
)
"""Faults that stack the shoe and leave the cards alone."""


@BOOKS
class TestSeed:
    """Everything is drawn from one seed."""

    def test_the_same_seed_deals_the_same_night(self, rulebook: str) -> None:
        first = list(deal_night(rulebook, 31, 80, faults="all", rate=0.3))
        assert first == list(deal_night(rulebook, 31, 80, faults="all", rate=0.3))

    def test_another_seed_deals_another_night(self, rulebook: str) -> None:
        first = [round_.events for round_ in clean_rounds(rulebook, 31, 20)]
        assert first != [round_.events for round_ in clean_rounds(rulebook, 32, 20)]


@BOOKS
class TestGamingNight:
    """The house opens in the evening and closes in the morning, by the venue's clock."""

    def test_rounds_come_in_order_of_time_with_unique_ids(self, rulebook: str) -> None:
        rounds = clean_night(rulebook)
        starts = [round_.started_at.timestamp() for round_ in rounds]
        assert starts == sorted(starts)
        assert len({round_.round_id for round_ in rounds}) == len(rounds)

    @pytest.mark.slow
    def test_no_round_is_dealt_between_five_and_six_in_the_evening(self, rulebook: str) -> None:
        hours = {round_.started_at.hour for round_ in one_table(rulebook)}
        assert hours == {*range(5), *range(18, 24)}

    @pytest.mark.slow
    def test_the_last_three_rounds_before_closing_are_announced(self, rulebook: str) -> None:
        nights: Counter[date] = Counter()
        venue = load_register().venues[HOUSES[rulebook].venue]
        for round_ in one_table(rulebook):
            nights[venue.gaming_date(round_.started_at)] += round_.last_rounds
        *closed, _ = nights.values()
        assert closed
        assert set(closed) == {3}

    def test_every_round_falls_under_the_rulebook(self, rulebook: str) -> None:
        register = load_register()
        for round_ in clean_night(rulebook):
            window = register.window_at(round_.venue, round_.started_at)
            assert window is not None
            assert window.rulebook == rulebook


@BOOKS
@pytest.mark.slow
def test_options_and_wagers_of_the_rulebook_all_occur(rulebook: str) -> None:
    rounds = [*clean_night(rulebook), *one_table(rulebook)]
    kinds = {event_kind(event) for round_ in rounds for event in round_.events}
    assert {"surrender", "split", "double", "forfeit", "stand", "no_more_bets", "cut_card"} <= kinds
    wagers = {e.kind for round_ in rounds for e in round_.events if isinstance(e, Wager)}
    assert wagers == {"main", "split", "double", "insurance", *law_of(load_rulebook(rulebook)).side_kinds}
    boxes = Counter(
        len({e.box for e in round_.events if isinstance(e, Wager) and e.kind == "main"}) for round_ in rounds
    )
    assert set(boxes) >= {1, 2, 3, 4, 5}


def test_recorders_differ_in_what_they_capture() -> None:
    rounds = clean_night("act-2018")
    records = {round_.records for round_ in rounds}
    assert None in records
    assert any(facts is not None and "decisions" not in facts for facts in records)
    without = [r for r in rounds if r.records is not None and "decisions" not in r.records]
    hidden = {event_kind(event) for round_ in without for event in round_.events}
    assert not hidden & {"stand", "surrender", "double", "forfeit"}


class TestRefusal:
    """What cannot be dealt is refused with the reason."""

    def test_an_unknown_rulebook(self) -> None:
        with pytest.raises(KeyError, match="act-1999"):
            next(deal_night("act-1999", 1, 1))

    def test_an_unknown_fault(self) -> None:
        with pytest.raises(ValueError, match="no fault is called ties-payed"):
            next(deal_night("act-2018", 1, 1, labels=frozenset({"ties-payed"})))

    def test_an_evening_on_which_the_rulebook_was_not_in_force(self) -> None:
        with pytest.raises(ValueError, match="casino-canberra did not play by act-2018 on 2017-12-31"):
            next(deal_night("act-2018", 1, 1, evening=date(2017, 12, 31)))


def test_a_night_is_dealt_as_it_is_asked_for() -> None:
    endless = deal_night("nz-2000", 61, 10**9, tables=4)
    assert len(list(islice(endless, 5))) == 5
