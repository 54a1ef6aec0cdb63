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
from rules_replay.kernel.short_hands import refused_card, was_complete
from rules_replay.kernel.table import controller, happened, on_hand, reported


@inlined
def voiding(table: Table, bet: int) -> tuple[int, int]:
    """Why a bet is void and by which outcome (act-2018 def:Void, nz-2000 16.5)."""
    if table.space.head.round_void:
        return ROUND_VOID, ON_VOID_ROUND
    if not happened(table, VOID) and not happened(table, WITHDRAW):
        return SAID_NOTHING, NOT
    at = table.space.bets[bet]
    under = hand_under(table, bet)
    taken_back = _taken_back(table, bet, under)
    if taken_back == SAID_NOTHING and at.under != bet:
        taken_back = _taken_back(table, at.under, under)
    if taken_back == SAID_NOTHING and at.root != bet:
        taken_back = _taken_back(table, at.root, under)
    if taken_back != SAID_NOTHING:
        return taken_back, ON_VOID_WAGER
    if table.space.hands[under].void_at != NOT:
        return HAND_DECLARED_VOID, ON_VOID_HAND
    if at.kind != MAIN and table.space.hands[table.space.bets[at.root].hand].void_at != NOT:
        if not beside_void_hand(table, at.under):
            return HAND_DECLARED_VOID, ON_VOID_HAND
    if table.book.draw_short_hand_options != 0 and _given_up_by_controller(table, at.under, under):
        return CONTROLLER_WITHDREW, ON_VOID_HAND
    return SAID_NOTHING, NOT


@compiled
def _given_up_by_controller(table: Table, base: int, hand: int) -> bool:
    """Whether the player controlling a hand took back his wager on it and the others with him (107).

    One that was surrendered before had left the hand (73).
    """
    left_at = table.space.bets[base].surrendered_at
    box = table.space.box_at[table.space.hands[hand].box]
    if box == NOT:
        return False
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.withdrawn_at == NOT or not on_hand(table, bet, hand):
            continue
        if NOT < left_at < at.withdrawn_at:
            continue
        if controller(table, box, at.withdrawn_at) == at.root and _binds_the_hand(
            table, hand, at.withdrawn_at
        ):
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
def _binds_the_hand(table: Table, hand: int, moment: int) -> bool:
    """Whether the controlling player who withdraws takes the others along: for a hand with too few cards,
    reported or seen (adelaide-2008 107), and not only for a dealer's late first card (105(d)(ii)) or where
    an exposed card was refused (103).
    """
    at = table.space.hands[hand]
    if was_complete(table, hand, moment):
        return False
    if reported_for(table, SHORT_HAND, at.box):
        return True
    if late_first_card(table):
        return False
    if reported(table, SHORT_HAND, at.box) < NEVER or at.lacks_initial_card:
        return True
    return _below_12(table, hand) and not refused_card(table, at.box)


@compiled
def _below_12(table: Table, hand: int) -> bool:
    """Whether the cards of a hand, all of them readable, come to less than 12."""
    at = table.space.hands[hand]
    return bool(at.unreadable == 0 and best(at.points, at.aces, 0) < 12)


@compiled
def _taken_back(table: Table, bet: int, hand: int) -> int:
    """Why a bet is off the table; what is withdrawn from one hand of a split leaves the others where these
    may be given up one by one (adelaide-2008 105 106 107).
    """
    at = table.space.bets[bet]
    if at.void_at != NOT:
        return WAGER_DECLARED_VOID
    by_hand = table.book.draw_short_hand_options != 0
    if at.withdrawn_at == NOT or (by_hand and at.hand != hand):
        return SAID_NOTHING
    return WAGER_WITHDRAWN
