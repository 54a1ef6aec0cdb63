"""The table of the readable engine: what each event does to it, and what is gathered from it."""

from __future__ import annotations

from typing import get_args

import pytest

from rules_replay.cards import LEGAL_TEXTS, card
from rules_replay.engine.laying_out import _HAPPENS, lay_out
from rules_replay.log import SIDE_KINDS, AnyEvent
from rules_replay.rulebook import load_rulebook, rulebook_ids
from tests.kernel.rounds import reckless_rounds


def test_every_kind_of_event_does_something_to_the_table() -> None:
    assert set(_HAPPENS) == set(get_args(AnyEvent))


@pytest.mark.parametrize("rulebook", rulebook_ids())
def test_wagers_are_gathered_by_kind_in_the_order_placed(rulebook: str) -> None:
    book = load_rulebook(rulebook)
    for told in reckless_rounds(rulebook, 5, 60):
        table = lay_out(told, book)
        placed = list(table.bets.values())
        assert table.on_hands == [bet for bet in placed if bet.kind in ("main", "split", "double")]
        assert table.insurance_bets == [bet for bet in placed if bet.kind == "insurance"]
        assert table.side_bets == [bet for bet in placed if bet.kind in SIDE_KINDS]
        assert [hand for riders in table.riders.values() for hand in riders] == [
            bet
            for hand in table.riders
            for bet in placed
            if bet.hand is hand and bet.kind in ("main", "split")
        ]


@pytest.mark.parametrize("rulebook", rulebook_ids())
def test_what_is_recorded_of_a_stake_leaves_out_what_was_undone(rulebook: str) -> None:
    book = load_rulebook(rulebook)
    for told in reckless_rounds(rulebook, 5, 60):
        for bet in lay_out(told, book).bets.values():
            lines = [
                (seq, each) for seq, each in bet.lines if each.line == "stake" and seq not in bet.reversed
            ]
            if not lines:
                assert bet.recorded is None
                continue
            assert bet.recorded is not None
            money, seq = bet.recorded
            assert seq == lines[-1][0]
            assert money.net == sum((each.paid or 0) - (each.taken or 0) for _, each in lines)


@pytest.mark.parametrize("text", sorted(LEGAL_TEXTS))
def test_a_card_knows_what_it_counts(text: str) -> None:
    drawn = card(text)
    assert drawn.readable == (text != "??")
    assert drawn.foreign == (text == "JK" or text[:-1] in ("10", "T"))
    assert drawn.picture == (text[0] in "JQK" and text != "JK")
    assert drawn.may_begin_pontoon == (text[0] == "A" or drawn.picture or text == "??")
    ranks = {"A": 1, "10": 10, "T": 10, "J": 10, "Q": 10, "K": 10} | {
        str(pips): pips for pips in range(2, 10)
    }
    assert drawn.value == (0 if text in ("JK", "??") else ranks[text[:-1]])
