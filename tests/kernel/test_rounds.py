"""The rounds for comparing the engines are such as ingest takes, and reach what they are meant to reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from random import Random

import pytest
from hypothesis import given

from audit.ingest.wire import decode_line, encode_line
from rules_replay import log
from rules_replay.log import Round
from rules_replay.rulebook import rulebook_ids
from tests.kernel.rounds import (
    faulty_rounds,
    lawful_rounds,
    nonsensical,
    nonsensical_rounds,
    reckless_rounds,
    resolved,
)

Walk = Callable[[str, int, int], Iterator[Round]]

WALKS = {"lawful": lawful_rounds, "faulty": faulty_rounds, "reckless": reckless_rounds}


@pytest.mark.slow
@pytest.mark.parametrize("rulebook", rulebook_ids())
@pytest.mark.parametrize("walk", WALKS.values(), ids=WALKS)
class TestWalks:
    """A walk from a seed gives rounds of a rulebook."""

    def test_every_round_is_one_that_ingest_stores(self, walk: Walk, rulebook: str) -> None:
        for round_ in walk(rulebook, 6, 40):
            assert decode_line(encode_line(round_)).round == round_

    def test_the_same_seed_gives_the_same_rounds(self, walk: Walk, rulebook: str) -> None:
        once = list(walk(rulebook, 6, 12))
        assert list(walk(rulebook, 6, 12)) == once
        assert list(walk(rulebook, 7, 12)) != once


@cache
def _many() -> tuple[Round, ...]:
    """Reckless rounds under every rulebook."""
    return tuple(chain.from_iterable(reckless_rounds(rulebook, 6, 600) for rulebook in rulebook_ids()))


@pytest.mark.slow
class TestReckless:
    """Reckless rounds leave nothing alone."""

    def test_every_kind_of_event_and_every_fact_occurs(self) -> None:
        events = list(chain.from_iterable(round_.events for round_ in _many()))

        assert {log.event_kind(event) for event in events} == set(log.EVENT_KINDS)
        assert {event.kind for event in events if isinstance(event, log.Wager)} == {
            *("main", "split", "double", "insurance"),
            *log.SIDE_KINDS,
        }
        assert {"JK", "??", "10S", "TH"} <= {event.card for event in events if isinstance(event, log.Deal)}
        assert {len(round_.facts) for round_ in _many()} == {0, 1, 2, 3, 4}

    def test_settlements_are_reversed(self) -> None:
        reversals = [
            (round_, event)
            for round_ in _many()
            for event in round_.events
            if isinstance(event, log.Settle) and event.reverses is not None
        ]

        assert len(reversals) > 50
        for round_, event in reversals:
            assert event.reverses is not None
            undone = round_.events[event.reverses]
            assert isinstance(undone, log.Settle)
            assert undone.wager == event.wager

    def test_each_round_has_a_name_of_its_own_within_the_rulebook(self) -> None:
        names = [round_.round_id for round_ in reckless_rounds("act-2018", 6, 600)]

        assert len(set(names)) == len(names)


class TestResolved:
    """An event that names what was not before it is left out, and a reversal follows its settlement."""

    def test_a_reversal_names_the_settlement_where_it_now_stands(self) -> None:
        placed = log.Wager(id="a", box=1, player="P", kind="main", amount=log.Amount(5000))
        settled = log.Settle(wager="a", result="lose", paid=log.Amount(0), taken=log.Amount(5000))
        undone = log.Settle(wager="a", reverses=1)

        assert resolved([(0, placed), (None, log.CutCard()), (1, settled), (2, undone)]) == (
            placed,
            log.CutCard(),
            settled,
            log.Settle(wager="a", reverses=2),
        )

    def test_an_event_before_what_it_names_is_left_out(self) -> None:
        placed = log.Wager(id="a", box=1, player="P", kind="main", amount=log.Amount(5000))

        events = resolved([(0, log.Forfeit(wager="a")), (1, log.Stand(box=1, hand=2)), (2, placed)])

        assert events == (placed,)


@given(nonsensical_rounds)
def test_nonsense_is_such_as_ingest_stores(round_: Round) -> None:
    assert decode_line(encode_line(round_)).round == round_


def test_nonsense_may_come_from_a_walk_too() -> None:
    rng = Random(3)
    rounds = [nonsensical(rulebook, rng.choice) for rulebook in rulebook_ids() for _ in range(20)]

    assert all(decode_line(encode_line(round_)).round == round_ for round_ in rounds)
