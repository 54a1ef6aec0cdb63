"""Side wagers: on offer, with their main wager, not too many, settled in time, pressed once."""

from __future__ import annotations

from rules_replay.kernel.codes import (
    JACKPOT_MULTIPLIER,
    JACKPOT_PRESS,
    NEVER,
    NOT,
    PANDEMONIUM,
    PERFECT_PAIRS,
    RETURNED,
    SIDE_BET_NOT_OFFERED,
    SIDE_BET_SETTLED_LATE,
    SIDE_BET_TOO_MANY,
    SIDE_BET_WITHOUT_MAIN,
    VOIDED,
)
from rules_replay.kernel.compiled import inlined
from rules_replay.kernel.facts import box_has_pontoon, has_main, initial_cards, on_offer, taken_back_in_time
from rules_replay.kernel.reasons import SAID_NOTHING
from rules_replay.kernel.records import Table
from rules_replay.kernel.report import find_bet
from rules_replay.kernel.sides import multiplier_known, side_void, speaks_for
from rules_replay.kernel.table import next_deal_after, placed_side


@inlined
def check_side_bets(table: Table) -> None:
    """Every side wager in the order placed; of one that is not on offer nothing else is asked."""
    if not placed_side(table):
        return
    for bet in range(table.space.head.n_bets):
        if table.space.bets[bet].kind < PERFECT_PAIRS or taken_back_in_time(table, bet):
            continue
        if not on_offer(table, bet):
            find_bet(table, SIDE_BET_NOT_OFFERED, table.space.bets[bet].seq, bet, NOT)
            continue
        if not has_main(table, bet):
            find_bet(table, SIDE_BET_WITHOUT_MAIN, table.space.bets[bet].seq, bet, NOT)
        _check_count(table, bet)
        why, _ = side_void(table, bet)
        if why != SAID_NOTHING or _had_no_moment(table, bet):
            continue
        # The deal to a box without a main wager may go on after that of the others is complete.
        if table.space.boxes[table.space.box_at[table.space.bets[bet].box]].n_mains > 0:
            _check_moment(table, bet)
        if table.space.bets[bet].kind == PANDEMONIUM:
            _check_press(table, bet)


@inlined
def _check_count(table: Table, bet: int) -> None:
    """At most so many side wagers of a kind on a box (act-2018 18.6 18.18, adelaide-2008 95)."""
    at = table.space.bets[bet]
    box = table.space.boxes[table.space.box_at[at.box]]
    kind = at.kind - PERFECT_PAIRS
    box.sides[kind] += 1
    most = table.book.side_per_box
    if most != 0 and box.sides[kind] > most:
        find_bet(table, SIDE_BET_TOO_MANY, at.seq, bet, NOT)


@inlined
def _had_no_moment(table: Table, bet: int) -> bool:
    """A wager that lacks its main wager and was given back or lies on a box without cards.

    It is neither paid nor removed (adelaide-2008 98, rws-2017 3.7 3.8).
    """
    if has_main(table, bet):
        return False
    at = table.space.bets[bet]
    if at.first_line != NOT and table.space.events[at.first_line].result in (VOIDED, RETURNED):
        return True
    count, _, _ = initial_cards(table, int(at.box), NEVER)
    return bool(count == 0)


@inlined
def _check_moment(table: Table, bet: int) -> None:
    """Side wagers are settled before the round goes on (act-2018 18.11, rws-2017 3.7, adelaide-2008 98)."""
    settled_at = table.space.bets[bet].first_line
    if table.space.head.initial_done_at == NEVER or settled_at == NOT:
        return
    if settled_at < table.space.head.initial_done_at:
        find_bet(table, SIDE_BET_SETTLED_LATE, settled_at, bet, NOT)
    payable_at = max(table.space.head.initial_done_at, table.space.bets[bet].seq)
    if next_deal_after(table, payable_at) < settled_at:
        find_bet(table, SIDE_BET_SETTLED_LATE, settled_at, bet, NOT)


@inlined
def _check_press(table: Table, bet: int) -> None:
    """The button is pressed once for a Pontoon, and the meter shows what it has (rws-2017 3.8.1 4.3)."""
    if not box_has_pontoon(table, table.space.bets[bet].box):
        return
    presses = 0
    last = table.space.bets[bet].seq
    unknown = NOT
    for number in range(table.space.head.n_acts):
        if not speaks_for(table, number, bet):
            continue
        presses += 1
        last = table.space.acts[number].seq
        if unknown == NOT and not multiplier_known(table, table.space.events[last].multiplier):
            unknown = last
    if presses > 1 or (presses == 0 and not _breaks_off(table, bet)):
        find_bet(table, JACKPOT_PRESS, last, bet, NOT)
    if unknown != NOT:
        find_bet(table, JACKPOT_MULTIPLIER, unknown, bet, NOT)


@inlined
def _breaks_off(table: Table, bet: int) -> bool:
    """Whether the log ends before the button was due: play had not gone on and the wager was not settled."""
    if not table.space.head.incomplete or table.space.bets[bet].first_line != NOT:
        return False
    return bool(next_deal_after(table, table.space.head.initial_done_at) == NEVER)
