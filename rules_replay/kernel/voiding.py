"""Which bets are void, and by what."""

from __future__ import annotations

from rules_replay.kernel.codes import (
    MAIN,
    NEVER,
    NOT,
    ON_VOID_HAND,
    ON_VOID_ROUND,
    ON_VOID_WAGER,
    SHORT_HAND,
    SPLIT_BET,
    VOID,
    WITHDRAW,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import best
from rules_replay.kernel.facts import hand_under, late_first_card, reported_for
from rules_replay.kernel.reasons import (
    CONTROLLER_WITHDREW,
    HAND_DECLARED_VOID,
    ROUND_VOID,
    SAID_NOTHING,
    WAGER_DECLARED_VOID,
    WAGER_WITHDRAWN,
)
from rules_replay.kernel.records import Table
from rules_replay.kernel.short_hands import refused_card
from rules_replay.kernel.table import happened, reported


@inlined
def voiding(table: Table, bet: int) -> tuple[int, int]:
    """Why a bet is void and by which outcome (act-2018 def:Void, nz-2000 16.5)."""
    if table.space.head.round_void:
        return ROUND_VOID, ON_VOID_ROUND
    if not happened(table, VOID) and not happened(table, WITHDRAW):
        return SAID_NOTHING, NOT
    at = table.space.bets[bet]
    taken_back = _taken_back(table, bet)
    if taken_back == SAID_NOTHING and at.under != bet:
        taken_back = _taken_back(table, at.under)
    if taken_back == SAID_NOTHING and at.root != bet:
        taken_back = _taken_back(table, at.root)
    if taken_back != SAID_NOTHING:
        return taken_back, ON_VOID_WAGER
    if table.space.hands[hand_under(table, bet)].void_at != NOT:
        return HAND_DECLARED_VOID, ON_VOID_HAND
    if at.kind != MAIN and table.space.hands[table.space.bets[at.root].hand].void_at != NOT:
        if not beside_void_hand(table, at.under):
            return HAND_DECLARED_VOID, ON_VOID_HAND
    if _controller_withdrew(table, at.under) and _binds_the_hand(table, at.box):
        return CONTROLLER_WITHDREW, ON_VOID_HAND
    return SAID_NOTHING, NOT


@compiled
def _controller_withdrew(table: Table, base: int) -> bool:
    """Whether the player controlling a hand took back his main wager, or his split wager on that hand."""
    at = table.space.bets[base]
    box = table.space.box_at[at.box]
    first = NOT if box == NOT else table.space.boxes[box].first_main
    if first == NOT:
        return False
    if table.space.bets[first].withdrawn_at != NOT:
        return True
    for bet in range(table.space.head.n_bets):
        other = table.space.bets[bet]
        if other.kind == SPLIT_BET and other.root == first and other.hand == at.hand:
            if other.withdrawn_at != NOT:
                return True
    return False


@compiled
def beside_void_hand(table: Table, base: int) -> bool:
    """A split wager on another hand than the void one of the main wager, where single hands may be void
    (nz-2000 16.5; ruling 10).
    """
    at = table.space.bets[base]
    if at.kind != SPLIT_BET or table.book.irregularity_hand_may_be_void == 0:
        return False
    void_at = table.space.hands[table.space.bets[at.root].hand].void_at
    return bool(table.space.hands[at.hand].void_at == NOT and void_at != NOT)


@compiled
def _binds_the_hand(table: Table, box: int) -> bool:
    """Whether the controlling player who withdraws takes the others along: for a hand with too few cards,
    reported or seen (adelaide-2008 107), and not only for a dealer's late first card (105(d)(ii)) or where
    an exposed card was refused (103).
    """
    if table.book.draw_short_hand_options == 0:
        return False
    if reported_for(table, SHORT_HAND, box):
        return True
    if late_first_card(table):
        return False
    if reported(table, SHORT_HAND, box) < NEVER:
        return True
    for hand in range(1, table.space.head.n_hands):
        at = table.space.hands[hand]
        below_12 = _below_12(table, hand) and not refused_card(table, box)
        if at.box == box and (at.lacks_initial_card or below_12):
            return True
    return False


@compiled
def _below_12(table: Table, hand: int) -> bool:
    """Whether the cards of a hand, all of them readable, come to less than 12."""
    at = table.space.hands[hand]
    return bool(at.unreadable == 0 and best(at.points, at.aces, 0) < 12)


@compiled
def _taken_back(table: Table, bet: int) -> int:
    if table.space.bets[bet].void_at != NOT:
        return WAGER_DECLARED_VOID
    return SAID_NOTHING if table.space.bets[bet].withdrawn_at == NOT else WAGER_WITHDRAWN
