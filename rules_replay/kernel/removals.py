"""Cards burned off a hand that they were due to.

A card that came by mistake may be burned (act-2018 15.2 15.3, nz-2000 16.3 16.5, adelaide-2008 104 109), and
any irregularity of the cards that the table reported may be why. Any other was the hand's: taken off it,
another comes in its place, and the log no longer fixes what the hand became. One that was not the hand's
and came with nothing reported was another's, who never had it (nz-2000 16.2, adelaide-2008 102 103).
"""

from __future__ import annotations

from rules_replay.kernel.codes import (
    BURN,
    BURNS,
    DEAL_BURNED_OFF,
    DEAL_SUPERFLUOUS_HAND,
    DEAL_TURN_ORDER,
    DECISIONS,
    DRAW,
    NEVER,
    NOT,
    PROCEDURE,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import best, foreign, is_soft, readable
from rules_replay.kernel.dealer import NEEDED, players_went_on
from rules_replay.kernel.dealers_cards import must_draw
from rules_replay.kernel.dealing import offence, reported_misdealt
from rules_replay.kernel.facts import captures
from rules_replay.kernel.records import Table
from rules_replay.kernel.report import find_hand
from rules_replay.kernel.table import did, on_hand


@inlined
def look_at_players_removals(table: Table) -> None:
    """Mark the hands of boxes that a card was burned off which they were due, by the first of such acts."""
    if did(table, BURN):
        for number in range(table.space.head.n_acts):
            act = table.space.acts[number]
            if act.kind == BURN and act.hand != 0 and _due_to_player(table, number):
                _mark(table, number)


@inlined
def look_at_dealers_removals(table: Table) -> None:
    """The same of the dealer's hand, once what depends on him is known."""
    if did(table, BURN):
        for number in range(table.space.head.n_acts):
            act = table.space.acts[number]
            if act.kind == BURN and act.hand == 0 and _due_to_dealer(table, number):
                _mark(table, number)


@inlined
def _mark(table: Table, number: int) -> None:
    hand = table.space.hands[table.space.acts[number].hand]
    if hand.disturbed_by == NOT:
        hand.disturbed_by = number


@inlined
def check_removals(table: Table) -> None:
    """A card that a hand was to have stays on it: once a hand.

    Whether the dealer's second card came early, and had to be burned, decisions tell (act-2018 15.3).
    """
    if not did(table, BURN):
        return
    known = captures(table, DECISIONS)
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.hand == 0 and act.n == 1 and not known:
            continue
        if act.kind == BURN and table.space.hands[act.hand].disturbed_by == number:
            find_hand(table, DEAL_BURNED_OFF, act.seq, act.hand, NOT)
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind == BURN and _burned_off_nobody(table, number) and _is_first_unreported(table, number):
            find_hand(table, DEAL_SUPERFLUOUS_HAND, int(act.to), act.hand, PROCEDURE)
    _check_out_of_turn(table)


@inlined
def _check_out_of_turn(table: Table) -> None:
    """A further card to a hand out of its turn, burned off it with nothing reported; once a round."""
    for place in range(table.space.head.n_found):
        if table.space.found[place].code == DEAL_TURN_ORDER:
            return
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind == BURN and _came_out_of_turn(table, number):
            find_hand(table, DEAL_TURN_ORDER, int(act.to), act.hand, PROCEDURE)
            return


@inlined
def _burned_off_nobody(table: Table, number: int) -> bool:
    """Whether a card was burned off a box without a main wager, and none is left on it."""
    hand = table.space.hands[table.space.acts[number].hand]
    return bool(hand.superfluous and hand.n == 0)


@compiled
def _is_first_unreported(table: Table, number: int) -> bool:
    """Whether a card burned off a hand is the first of those that no report may explain."""
    for other in range(number):
        act = table.space.acts[other]
        if act.kind == BURN and act.hand == table.space.acts[number].hand:
            if not _may_have_been_wrong(table, other):
                return False
    return not _may_have_been_wrong(table, number)


@compiled
def _came_out_of_turn(table: Table, number: int) -> bool:
    """Whether a further card burned off a hand, with nothing reported, was open to it but not in its turn."""
    act = table.space.acts[number]
    hand = int(act.hand)
    if hand == 0 or table.space.hands[hand].superfluous or table.space.links[act.to].initial:
        return False
    if _may_have_been_wrong(table, number) or _off(table, hand):
        return False
    draw = _draw_of(table, number)
    return draw != NOT and _could_draw(table, draw) and not _in_turn(table, draw)


@compiled
def _may_have_been_wrong(table: Table, number: int) -> bool:
    """Whether the log names a reason to take the card away, or may lack one."""
    act = table.space.acts[number]
    if not captures(table, BURNS) or table.space.head.round_void:
        return True
    card = int(table.space.events[act.to].card)
    if table.space.hands[act.hand].void_at != NOT or foreign(card) or not readable(card):
        return True
    return reported_misdealt(table, int(act.box))


@compiled
def _due_to_player(table: Table, number: int) -> bool:
    act = table.space.acts[number]
    hand = int(act.hand)
    if table.space.hands[hand].superfluous or _may_have_been_wrong(table, number) or _off(table, hand):
        return False
    if table.space.links[act.to].initial:
        return bool(act.in_order)
    draw = _draw_of(table, number)
    if draw == NOT or not captures(table, DECISIONS):
        return False
    return _could_draw(table, draw) and _in_turn(table, draw)


@compiled
def _draw_of(table: Table, number: int) -> int:
    """The further card that was burned, as a number among the acts; `NOT` for one of the initial deal."""
    for draw in range(table.space.head.n_acts):
        if table.space.acts[draw].kind == DRAW and table.space.acts[draw].seq == table.space.acts[number].to:
            return draw
    return NOT


@compiled
def _off(table: Table, hand: int) -> bool:
    """Whether every wager on a hand was declared void or taken back."""
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if on_hand(table, bet, hand) and at.void_at == NOT and at.withdrawn_at == NOT:
            return False
    return True


@compiled
def _could_draw(table: Table, number: int) -> bool:
    """Whether a further card was open to a hand, the one card of a double included."""
    act = table.space.acts[number]
    at = table.space.hands[act.hand]
    if not table.space.head.initial_done_at < act.seq < table.space.head.first_second_at:
        return False
    if at.doubled_at != NOT and act.seq > at.doubled_at and act.n != at.cards_at_double:
        return False
    return bool(act.unreadable == 0 and offence(table, number) == 0)


@compiled
def _in_turn(table: Table, number: int) -> bool:
    """Whether the cards and options of others show the hand to be the one in turn."""
    act = table.space.acts[number]
    before = NOT
    for move in range(table.space.head.n_moves):
        other = table.space.acts[table.space.moves[move]]
        if other.kind == DRAW and table.space.links[other.seq].undone:
            continue
        earlier = other.seq < act.seq
        if other.box != act.box and earlier == (other.box > act.box):
            return False
        if other.box == act.box and earlier:
            before = other.hand
        elif other.hand == before and other.hand != act.hand and other.seq > act.seq:
            return False
    return True


@compiled
def _due_to_dealer(table: Table, number: int) -> bool:
    act = table.space.acts[number]
    head = table.space.head
    if _may_have_been_wrong(table, number):
        return False
    if act.n == 0:
        return bool(act.in_order)
    if head.first_second_at < NEVER and players_went_on(table, int(head.first_second_at)):
        return False
    if act.n == 1:
        return bool(head.need_second == NEEDED)
    draws = must_draw(best(act.points, act.aces, 0), is_soft(act.points, act.aces, 0))
    return bool(act.unreadable == 0 and draws and head.need_total == NEEDED)
