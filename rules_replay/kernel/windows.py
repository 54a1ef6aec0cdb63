"""Until when insurance and surrender are open."""

from __future__ import annotations

from rules_replay.kernel.book import READS_SURRENDER_WINDOW_OWN_TURN
from rules_replay.kernel.codes import (
    DOUBLE,
    DRAW,
    MISSED_FIRST_CARD,
    NEVER,
    NOT,
    OPTION_NOT_OFFERED,
    SPLIT,
    STAND,
)
from rules_replay.kernel.compiled import compiled
from rules_replay.kernel.count import best
from rules_replay.kernel.facts import dealer_played_on_at, late_first_card
from rules_replay.kernel.records import Table
from rules_replay.kernel.table import reported


@compiled
def first_further_at(table: Table, box: int) -> int:
    """Seq of the first further card to a box, by its printed number, that was not burned off again; `NOT`
    for any box.
    """
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind == DRAW and (box == NOT or act.box == box) and not table.space.links[act.seq].undone:
            return int(act.seq)
    return NEVER


@compiled
def first_option_at(table: Table, box: int) -> int:
    """Seq of the first split or double of a box, by its printed number."""
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.box == box and (act.kind == SPLIT or act.kind == DOUBLE):
            return int(act.seq)
    return NEVER


@compiled
def first_card_not_shown(table: Table) -> bool:
    """The dealer's first card is all that the initial deal lacks, and the table did not report it missed.

    It may have lain there: what turned on it is not shown (act-2018 6.2, nz-2000 8.2 16.5, rws-2017 3.6).
    """
    if not table.space.hands[0].lacks_initial_card:
        return False
    for hand in range(1, table.space.head.n_hands):
        if table.space.hands[hand].lacks_initial_card:
            return False
    return bool(reported(table, MISSED_FIRST_CARD, NOT) == NEVER)


@compiled
def reopened_until(table: Table, box: int, seq: int) -> int:
    """Until when a forgotten option stays open on a box, by its printed number; 0 where it was not
    reopened (nz-2000 16.11 16.12).
    """
    if table.book.irregularity_options_reopen == 0:
        return 0
    if reported(table, OPTION_NOT_OFFERED, box) < seq:
        return int(table.space.head.dealer_second_at)
    return 0


@compiled
def first_touch(table: Table, box: int) -> int:
    """Seq of the first card, split, double or stand on a box, by its printed number, after the initial deal;
    `NOT` for any box.
    """
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if (box == NOT or act.box == box) and (_moves_on(table, number) or act.kind == STAND):
            return int(act.seq)
    return NEVER


@compiled
def next_boxes_turn(table: Table, box: int) -> int:
    """Seq at which the turn passed to a box of a greater number."""
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.box > box and _moves_on(table, number):
            return int(act.seq)
    return NEVER


@compiled
def _moves_on(table: Table, number: int) -> bool:
    act = table.space.acts[number]
    if act.kind == DRAW:
        return not table.space.links[act.seq].undone
    return bool(act.kind == SPLIT or act.kind == DOUBLE)


@compiled
def offered_late(table: Table, number: int) -> bool:
    """An option that was forgotten, open until the box's own next card, whatever was said (nz-2000 16.12)."""
    act = table.space.acts[number]
    if act.seq >= reopened_until(table, act.box, act.seq):
        return False
    return bool(first_further_at(table, act.box) > act.seq)


@compiled
def surrender_too_late(table: Table, number: int) -> bool:
    """act-2018 9.1, nz-2000 def:Surrender 16.12, rws-2017 3.10, adelaide-2008 49 70.

    With the dealer's first card late, players may leave for nothing or play on (adelaide-2008 105(d)(ii)).
    """
    if late_first_card(table):
        return True
    act = table.space.acts[number]
    if act.seq > dealer_played_on_at(table) or act.n > 2 or best(act.points, act.aces, 0) == 21:
        return True
    if act.seq < reopened_until(table, act.box, act.seq):
        return not offered_late(table, number)
    if table.book.reads_surrender_window == READS_SURRENDER_WINDOW_OWN_TURN:
        return bool(act.seq > min(first_touch(table, act.box), next_boxes_turn(table, act.box)))
    return bool(act.seq > min(first_further_at(table, NOT), first_option_at(table, act.box)))
