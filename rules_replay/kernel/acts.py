"""What was done, with what the table held at that moment."""

from __future__ import annotations

from typing import Any

from rules_replay.kernel.codes import DOUBLE, DRAW, NOT, SPLIT
from rules_replay.kernel.compiled import compiled
from rules_replay.kernel.records import Table


@compiled
def _next_act(table: Table, kind: int, seq: int) -> Any:
    act = table.space.acts[table.space.head.n_acts]
    table.space.head.n_acts += 1
    table.space.head.acts |= 1 << kind
    act.kind = kind
    act.seq = seq
    act.to = NOT
    act.bet = NOT
    act.card = NOT
    act.again = False
    act.in_order = False
    act.elsewhere = False
    act.hands_after = 0
    act.first = NOT
    act.second = NOT
    return act


@compiled
def add_bare_act(table: Table, kind: int, seq: int) -> Any:
    """An act that is on no hand."""
    act = _next_act(table, kind, seq)
    act.hand = NOT
    act.box = NOT
    act.no = NOT
    act.of_split = False
    act.n = 0
    act.points = 0
    act.aces = 0
    act.unreadable = 0
    return act


@compiled
def add_act(table: Table, kind: int, seq: int, hand: int) -> Any:
    """An act on a hand, which is counted as it now is."""
    if kind == DRAW or kind == SPLIT or kind == DOUBLE:
        table.space.moves[table.space.head.n_moves] = table.space.head.n_acts
        table.space.head.n_moves += 1
    act = _next_act(table, kind, seq)
    at = table.space.hands[hand]
    act.hand = hand
    act.box = at.box
    act.no = at.no
    act.of_split = at.of_split
    act.n = at.n
    act.points = at.points
    act.aces = at.aces
    act.unreadable = at.unreadable
    if at.n > 0:
        act.first = table.space.events[at.first].card
    if at.n > 1:
        act.second = table.space.events[table.space.links[at.first].next].card
    return act
