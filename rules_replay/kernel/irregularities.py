"""Irregularities that the table itself reported, and the consequences that the rulebook orders."""

from __future__ import annotations

from rules_replay.kernel.book import (
    IRREGULARITY_PUT_RIGHT_BEFORE_PLAY,
    IRREGULARITY_PUT_RIGHT_INITIAL_DEAL,
)
from rules_replay.kernel.clauses import of_irregularity
from rules_replay.kernel.codes import (
    ABSENT_PLAYER,
    DOUBLE,
    DRAW,
    INSURANCE,
    IRREGULARITY,
    IRREGULARITY_ABSENT_PLAYER,
    IRREGULARITY_REPORTED,
    IRREGULARITY_SHORT_HAND,
    IRREGULARITY_SUPERFLUOUS_UNBURNED,
    IRREGULARITY_UNRESOLVED,
    MISSED_FIRST_CARD,
    NEVER,
    NOT,
    NOTICE,
    RECONSTRUCTED,
    SHORT_HAND,
    SPLIT,
    STAND,
    SUPERFLUOUS_HAND,
    SURRENDER,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import best
from rules_replay.kernel.dealing import out_of_order
from rules_replay.kernel.records import Table
from rules_replay.kernel.report import add, counts, find_box, find_hand
from rules_replay.kernel.table import on_hand, reported


@inlined
def check_irregularities(table: Table) -> None:
    """Each report, under the clause that governs it."""
    if table.space.head.n_irregularities == 0 or not counts(table, IRREGULARITY_REPORTED):
        return
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind == IRREGULARITY:
            found = add(table, IRREGULARITY_REPORTED, act.seq)
            found.box = act.box
            found.hand = _hand_named(table, act.box, act.no)
            found.clause = of_irregularity(int(table.space.events[act.seq].code))


@inlined
def _hand_named(table: Table, box: int, no: int) -> int:
    """The number of the hand that a report names, `NOT` where there is none such."""
    if box == 0:
        return int(table.space.hands[0].no)
    wanted = 1 if no == NOT else no
    if box == NOT or table.space.hand_at[box, wanted] == NOT:
        return NOT
    return int(wanted)


@inlined
def check_consequences(table: Table) -> None:
    """Each report against what was done after it."""
    if table.space.head.n_irregularities == 0:
        return
    undone = table.space.head.round_void or reported(table, RECONSTRUCTED, NOT) < NEVER
    until = NOT if undone else _ends_reconstruction(table)
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind != IRREGULARITY:
            continue
        code = table.space.events[act.seq].code
        if code == MISSED_FIRST_CARD or code == SHORT_HAND or code == SUPERFLUOUS_HAND:
            if act.seq <= until and not _put_right(table, act.box) and not _lies_as_due(table):
                find_box(table, IRREGULARITY_UNRESOLVED, act.seq, act.box, NOT)
        if code == SUPERFLUOUS_HAND:
            _check_burned(table, act.seq, act.box)
        elif code == ABSENT_PLAYER and act.box > 0:
            _check_absent(table, act.seq, act.box, act.no)
    if not table.space.head.round_void:
        _check_short_hands(table)


@inlined
def _put_right(table: Table, box: int) -> bool:
    """A misdeal was undone by a void hand or a wager taken back.

    act-2018 15.4, nz-2000 16.5, rws-2017 5.1.2, adelaide-2008 105(a) 109.
    """
    if table.book.irregularity_hand_may_be_void != 0:
        for hand in range(1, table.space.head.n_hands):
            at = table.space.hands[hand]
            if (box <= 0 or at.box == box) and (at.void_at != NOT or _wagers_void(table, hand)):
                return True
    for bet in range(table.space.head.n_bets):
        at_bet = table.space.bets[bet]
        if at_bet.withdrawn_at != NOT and at_bet.box == box:
            return True
    return False


@compiled
def _lies_as_due(table: Table) -> bool:
    """Whether the initial deal came out complete and in order, with no card on a box due none."""
    for hand in range(1, table.space.head.n_hands):
        if table.space.hands[hand].superfluous and table.space.hands[hand].n > 0:
            return False
    return bool(table.space.head.initial_done_at != NEVER and out_of_order(table) == NOT)


@inlined
def _wagers_void(table: Table, hand: int) -> bool:
    """Whether each of the wagers on a hand was declared void, which they are with it (nz-2000 16.5)."""
    riders = 0
    for bet in range(table.space.head.n_bets):
        if on_hand(table, bet, hand):
            riders += 1
            if table.space.bets[bet].void_at == NOT:
                return False
    return riders > 0


@inlined
def _ends_reconstruction(table: Table) -> int:
    """Until when a misdeal has to be undone; later, other rules say how the round goes on."""
    until = table.book.irregularity_put_right
    if until == IRREGULARITY_PUT_RIGHT_INITIAL_DEAL:
        return _initial_deal_ended(table)
    return _play_began(table) if until == IRREGULARITY_PUT_RIGHT_BEFORE_PLAY else NEVER


@compiled
def _initial_deal_ended(table: Table) -> int:
    """Seq of the last card of the initial deal (adelaide-2008 105(b) takes over from 105(a))."""
    count = table.space.head.n_initial
    return int(table.space.initial[count - 1]) if count > 0 else NEVER


@inlined
def _play_began(table: Table) -> int:
    """The first decision, card or settlement after the initial deal (rws-2017 5.1.2)."""
    began = min(table.space.head.subsequent_at, table.space.head.dealer_second_at)
    for bet in range(table.space.head.n_bets):
        if table.space.bets[bet].first_line != NOT:
            began = min(began, table.space.bets[bet].first_line)
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind == STAND or act.kind == SURRENDER:
            return int(min(began, act.seq))
    return int(began)


@inlined
def _check_burned(table: Table, seq: int, box: int) -> None:
    """adelaide-2008 109: once the initial deal is over, the cards of the hand are burned."""
    if seq < _initial_deal_ended(table):
        return
    for place in range(table.space.head.n_hands - 1):
        hand = table.space.order[place]
        at = table.space.hands[hand]
        if at.superfluous and at.n > 0 and (box == NOT or box == at.box):
            find_hand(table, IRREGULARITY_SUPERFLUOUS_UNBURNED, seq, hand, NOT)


@inlined
def _check_absent(table: Table, seq: int, box: int, no: int) -> None:
    """act-2018 15.7, nz-2000 16.6, adelaide-2008 50(a)(i).

    Another player on the box may have taken the decisions over: then it is a notice.
    """
    done_at = min(_option_for_absent(table, seq, box, no), _insured_for_absent(table, seq, box, no))
    if done_at < NEVER:
        severity = NOTICE if _shared(table, box) else NOT
        find_box(table, IRREGULARITY_ABSENT_PLAYER, done_at, box, severity)


@inlined
def _option_for_absent(table: Table, seq: int, box: int, no: int) -> int:
    """The first card on 12 or more, or option, that an absent player's hand took, or `NEVER`."""
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.seq <= seq or act.box != box or (no != NOT and act.no != no):
            continue
        option = act.kind == SPLIT or act.kind == DOUBLE or act.kind == SURRENDER
        drawn = act.kind == DRAW and act.unreadable == 0
        if option or (drawn and 12 <= best(act.points, act.aces, 0) < 21):
            return int(act.seq)
    return NEVER


@inlined
def _insured_for_absent(table: Table, seq: int, box: int, no: int) -> int:
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.kind != INSURANCE or at.on == NOT or at.seq <= seq:
            continue
        hand = table.space.hands[at.hand]
        of_his = hand.box == box and (no == NOT or hand.no == no)
        if of_his and at.player == table.space.bets[at.on].player:
            return int(at.seq)
    return NEVER


@inlined
def _shared(table: Table, box: int) -> bool:
    """Whether more than one player has a main wager on a box (by its printed number)."""
    first = table.space.boxes[table.space.box_at[box]].first_main
    bet = first
    while bet != NOT:
        if table.space.bets[bet].player != table.space.bets[first].player:
            return True
        bet = table.space.bets[bet].next_main
    return False


@inlined
def _check_short_hands(table: Table) -> None:
    """adelaide-2008 106: short hands found after the dealer's second card are finished last, in order."""
    noted, of_table = _note_short_hands(table)
    if not noted:
        return
    last_box = 0
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind != DRAW or act.seq < table.space.head.dealer_second_at:
            continue
        box = table.space.boxes[table.space.box_at[act.box]]
        since = box.mark
        # A report that names no box is about the hands which then have too few cards.
        if best(act.points, act.aces, 0) < 12:
            since = min(since, of_table)
        if act.seq < since or box.mark == NOT:
            continue
        fault = _finished_wrongly(table, act.seq) or act.box < last_box
        last_box = act.box
        if fault:
            box.mark = NOT
            find_hand(table, IRREGULARITY_SHORT_HAND, act.seq, act.hand, NOT)


@inlined
def _note_short_hands(table: Table) -> tuple[bool, int]:
    """Whether any short hand was reported; where it first was for no box in particular.

    Each box is marked with where it first was for this box (or `NEVER`).
    """
    noted = False
    of_table = NEVER
    for box in range(table.space.head.n_boxes):
        table.space.boxes[box].mark = NEVER
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind != IRREGULARITY or table.space.events[act.seq].code != SHORT_HAND:
            continue
        if act.box <= 0:
            of_table = min(of_table, int(act.seq))
        elif table.space.box_at[act.box] != NOT:
            box_of = table.space.boxes[table.space.box_at[act.box]]
            box_of.mark = min(box_of.mark, act.seq)
        noted = True
    return noted, of_table


@inlined
def _finished_wrongly(table: Table, seq: int) -> bool:
    """A card before the dealer's hand was finished, or though the dealer left nothing to decide."""
    head = table.space.head
    finished = head.dealer_done_at == NEVER or head.dealer_done_at < seq
    return bool(not finished or head.dealer_points > 21 or head.dealer_pontoon)
