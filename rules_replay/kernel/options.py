"""The player's options: surrender, split, double, forfeit. Was each one open when it was taken?"""

from __future__ import annotations

from rules_replay.kernel.book import (
    DOUBLE_ON_HARD_NINE_TO_ELEVEN,
    DOUBLE_ON_TWO_CARDS_OR_THREE_PLUS,
    READS_FORFEIT_LIMIT_21,
    READS_SPLIT_PAIR_EQUAL_VALUE,
    READS_SURRENDER_BINDS_BOX,
    SPLIT_CO_WAGERER_HAND_FIRST,
    SPLIT_DECLINED_BARRED,
)
from rules_replay.kernel.codes import (
    ACE,
    ASSIGN,
    BURN,
    DOUBLE,
    DOUBLE_BET,
    DOUBLE_HAND,
    DOUBLE_NOT_CONTROLLER,
    DOUBLE_ONE_CARD,
    DOUBLE_STAKE,
    DRAW,
    FORFEIT,
    FORFEIT_ELIGIBILITY,
    NEVER,
    NOT,
    NOTICE,
    PLACE_VOID,
    PROCEDURE,
    SPLIT,
    SPLIT_ACES_RESPLIT,
    SPLIT_BET,
    SPLIT_DECLINED,
    SPLIT_LATER_HAND,
    SPLIT_MORE_THAN_TWO_CARDS,
    SPLIT_NOT_CONTROLLER,
    SPLIT_STAKE,
    SPLIT_TOO_MANY_HANDS,
    SPLIT_UNEQUAL_VALUE,
    STAND,
    SURRENDER,
    SURRENDER_AFTER_SPLIT,
    SURRENDER_ALL_PLAYERS,
    SURRENDER_TIMING,
    SURRENDER_UPCARD,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import best, fixed_aces, is_soft, may_begin_pontoon, rank, readable, value
from rules_replay.kernel.facts import upcard
from rules_replay.kernel.given_up import after_next_card, did_not_double
from rules_replay.kernel.records import Table
from rules_replay.kernel.report import find_bet, find_bet_on, find_hand
from rules_replay.kernel.standing import most_doubled
from rules_replay.kernel.table import controller, did, on_hand, placed
from rules_replay.kernel.windows import first_card_not_shown, offered_late, surrender_too_late

_AFTER_SPLIT = 1
_UPCARD = 2
_TIMING = 4

_OVER = 1
_AT_21 = 2
_INPUT_ERROR = 3


@inlined
def check_options(table: Table) -> None:
    """Every option taken, by kind in the order of the log."""
    if did(table, SURRENDER):
        _check_surrenders(table)
    if did(table, SPLIT) or did(table, ASSIGN):
        _check_splits(table)
    if did(table, DOUBLE):
        _check_doubles(table)
    if placed(table, SPLIT_BET) or placed(table, DOUBLE_BET):
        _check_stakes(table)
    if did(table, FORFEIT):
        _check_forfeits(table)


@inlined
def _check_stakes(table: Table) -> None:
    for bet in range(table.space.head.n_bets):
        if table.space.bets[bet].kind == SPLIT_BET:
            _check_split_stake(table, bet)
        elif table.space.bets[bet].kind == DOUBLE_BET:
            _check_double_stake(table, bet)


@inlined
def _check_surrenders(table: Table) -> None:
    """Each fault once a box, then whether the boxes surrendered as one."""
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind != SURRENDER:
            continue
        table.space.hands[act.hand].surrender_called_at = act.seq
        fault = _surrender_offence(table, number)
        box = table.space.boxes[table.space.box_at[act.box]]
        if fault != 0 and (box.surrender_faults & fault) == 0:
            box.surrender_faults |= fault
            _find_surrender(table, number, fault)
    if table.book.reads_surrender_binds == READS_SURRENDER_BINDS_BOX and not table.space.head.round_void:
        for box_number in range(table.space.head.n_boxes):
            _check_surrender_binds(table, box_number)


@inlined
def _find_surrender(table: Table, number: int, fault: int) -> None:
    act = table.space.acts[number]
    code = SURRENDER_TIMING
    if fault == _AFTER_SPLIT:
        code = SURRENDER_AFTER_SPLIT
    elif fault == _UPCARD:
        code = SURRENDER_UPCARD
    if act.bet == NOT:
        find_hand(table, code, act.seq, act.hand, NOT)
    else:
        find_bet_on(table, code, act.seq, act.bet, act.hand)


@inlined
def _surrender_offence(table: Table, number: int) -> int:
    """Why a surrender was not open; 0 where it was."""
    act = table.space.acts[number]
    if act.of_split and not offered_late(table, number):
        return _AFTER_SPLIT
    card = upcard(table)
    if card == NOT or table.space.hands[0].first > act.seq:
        return 0 if first_card_not_shown(table) else _TIMING
    if not may_begin_pontoon(card):
        return _UPCARD
    return _TIMING if surrender_too_late(table, number) else 0


@inlined
def _check_surrender_binds(table: Table, box: int) -> None:
    """act-2018 9.2 9.5, nz-2000 9.6: all on the box surrender, or nobody."""
    first_up = NOT
    first_in = NOT
    bet = table.space.boxes[box].first_main
    while bet != NOT:
        at = table.space.bets[bet]
        gone = at.void_at != NOT or at.withdrawn_at != NOT or table.space.hands[at.hand].void_at != NOT
        if not gone and _called_on_box(table, at.hand, at.box, at.seq):
            if at.surrendered_at == NOT and first_in == NOT:
                first_in = bet
            if at.surrendered_at != NOT and first_up == NOT:
                first_up = bet
        bet = at.next_main
    if first_up != NOT and first_in != NOT:
        odd = first_in if first_up == table.space.boxes[box].first_main else first_up
        find_bet(table, SURRENDER_ALL_PLAYERS, table.space.bets[first_up].surrendered_at, odd, NOT)


@inlined
def _called_on_box(table: Table, hand: int, box: int, since: int) -> bool:
    """Whether a hand is one of a box, by its printed number, on which surrender was called after a moment."""
    at = table.space.hands[hand]
    return bool(at.surrender_called_at > since and at.box == box)


@inlined
def _check_splits(table: Table) -> None:
    for number in range(table.space.head.n_acts):
        if table.space.acts[number].kind == SPLIT:
            _check_split(table, number)
    if table.book.split_co_wagerer_hand == SPLIT_CO_WAGERER_HAND_FIRST:
        for number in range(table.space.head.n_acts):
            _check_assign(table, number)


@inlined
def _check_split(table: Table, number: int) -> None:
    act = table.space.acts[number]
    if act.n > 2:
        _find_split(table, number, SPLIT_MORE_THAN_TWO_CARDS, 1)
    elif act.n == 2 and not _pair(table, act.first, act.second):
        _find_split(table, number, SPLIT_UNEQUAL_VALUE, 2)
    if act.hands_after > table.book.split_hands_per_box:
        _find_split(table, number, SPLIT_TOO_MANY_HANDS, 4)
    if _aces_again(table, number):
        _find_split(table, number, SPLIT_ACES_RESPLIT, 8)
    if table.book.split_declined == SPLIT_DECLINED_BARRED and _declined_before(table, number):
        _find_split(table, number, SPLIT_DECLINED, 16)
    _check_split_placed(table, number)


@compiled
def _find_split(table: Table, number: int, code: int, fault: int) -> None:
    """A fault of a split, by its bit, once a hand."""
    act = table.space.acts[number]
    hand = table.space.hands[act.hand]
    if (hand.split_faults & fault) == 0:
        hand.split_faults |= fault
        find_hand(table, code, act.seq, act.hand, NOT)


@inlined
def _check_split_placed(table: Table, number: int) -> None:
    """A split needs a wager on the new hand; one that the log breaks off at may still get it."""
    act = table.space.acts[number]
    if act.seq + 1 >= table.round.count:
        return
    for bet in range(table.space.head.n_bets):
        if table.space.bets[bet].kind == SPLIT_BET and table.space.bets[bet].hand == act.to:
            return
    rider = _first_rider(table, act.hand)
    if rider != NOT:
        find_bet_on(table, SPLIT_STAKE, act.seq, rider, act.to)


@compiled
def _first_rider(table: Table, hand: int) -> int:
    """The first main or split bet on a hand, `NOT` where there is none."""
    for bet in range(table.space.head.n_bets):
        if on_hand(table, bet, hand):
            return bet
    return NOT


@compiled
def _equal_value(one: int, two: int) -> bool:
    """Two cards of one value, as far as they could be read."""
    if not readable(one) or not readable(two):
        return True
    return value(one) == value(two)


@inlined
def _pair(table: Table, one: int, two: int) -> bool:
    """Two cards that may be split: of one value, or under one reading of one rank."""
    if not _equal_value(one, two):
        return False
    if table.book.reads_split_pair == READS_SPLIT_PAIR_EQUAL_VALUE:
        return True
    return not readable(one) or not readable(two) or rank(one) == rank(two)


@inlined
def _aces_again(table: Table, number: int) -> bool:
    """act-2018 11.3, nz-2000 13.4(b), rws-2017 3.13, adelaide-2008 67(c): aces are split once."""
    act = table.space.acts[number]
    if act.n == 0 or act.aces != act.n:
        return False
    for before in range(number):
        earlier = table.space.acts[before]
        if earlier.kind != SPLIT or earlier.aces != earlier.n:
            continue
        if earlier.hand == act.hand or earlier.to == act.hand:
            return True
    return False


@inlined
def _declined_before(table: Table, number: int) -> bool:
    """adelaide-2008 67(b) 68: a pair of the box that was drawn to, doubled or stood on earlier."""
    act = table.space.acts[number]
    if act.n == 0:
        return False
    for before in range(number):
        earlier = table.space.acts[before]
        if earlier.kind != DRAW and earlier.kind != DOUBLE and earlier.kind != STAND:
            continue
        if earlier.box != act.box or earlier.n != 2 or earlier.unreadable > 0 or rank(earlier.first) == ACE:
            continue
        if value(earlier.first) == value(earlier.second) == value(act.first):
            return True
    return False


@inlined
def _check_assign(table: Table, number: int) -> None:
    """act-2018 11.2(b), adelaide-2008 81: a wager that is not split rides on the first hand.

    A split wager stays where it was placed when its hand is split again.
    """
    act = table.space.acts[number]
    if act.kind != ASSIGN:
        return
    bet = table.space.bets[act.bet]
    first = table.space.events[bet.seq].hand if bet.kind == SPLIT_BET else 1
    if act.no != first:
        find_bet(table, SPLIT_LATER_HAND, act.seq, act.bet, NOT)


@inlined
def _check_split_stake(table: Table, bet: int) -> None:
    at = table.space.bets[bet]
    root = table.space.bets[at.root]
    together, last = _covering(table, bet)
    if last == bet and together != root.amount and together != root.effective:
        find_bet(table, SPLIT_STAKE, at.seq, bet, NOT)
    controls = controller(table, table.space.box_at[at.box], at.seq)
    if controls == NOT or table.space.hands[at.hand].formed_at == NOT:
        return
    if not _takes_part(table, SPLIT_BET, at.hand, controls):
        find_bet(table, SPLIT_NOT_CONTROLLER, at.seq, bet, NOT)
    if table.book.split_declined == SPLIT_DECLINED_BARRED and _stayed_out(table, bet):
        find_bet(table, SPLIT_DECLINED, at.seq, bet, NOTICE)


@compiled
def _covering(table: Table, bet: int) -> tuple[int, int]:
    """What covers the hand of a split wager for the same original one, and the last wager that does.

    Void ones are left out beside others.
    """
    together, last, of_void, last_void = 0, NOT, 0, NOT
    for other in range(table.space.head.n_bets):
        at = table.space.bets[other]
        same = at.kind == SPLIT_BET and at.hand == table.space.bets[bet].hand
        if not same or at.root != table.space.bets[bet].root:
            continue
        if at.void_at == NOT and at.withdrawn_at == NOT:
            together, last = together + at.amount, other
        of_void, last_void = of_void + at.amount, other
    return (of_void, last_void) if last == NOT else (together, last)


@compiled
def _takes_part(table: Table, kind: int, hand: int, controls: int) -> bool:
    """Whether the player of the main bet that controls a box has a split or doubled bet on a hand."""
    player = table.space.bets[controls].player
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.kind == kind and at.hand == hand and table.space.bets[at.root].player == player:
            return True
    return False


@inlined
def _stayed_out(table: Table, bet: int) -> bool:
    """Whether the player let an earlier split of the box go by (adelaide-2008 67(b) 68 81)."""
    at = table.space.bets[bet]
    new = table.space.hands[at.hand]
    parent = table.space.hand_at[new.box, new.split_from]
    if new.box != at.box:
        return False
    _mark_joined(table, bet)
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.seq >= new.formed_at:
            return False
        if act.kind == SPLIT and act.hand == parent and table.space.hands[act.to].joined_by != bet:
            return True
    return False


@inlined
def _mark_joined(table: Table, bet: int) -> None:
    """Mark the hands of a box on which the player of a split bet has split, by their numbers."""
    at = table.space.bets[bet]
    for other in range(table.space.head.n_bets):
        its = table.space.bets[other]
        if its.kind == SPLIT_BET and its.root == at.root:
            hand = table.space.hand_at[at.box, table.space.hands[its.hand].no]
            if hand != NOT:
                table.space.hands[hand].joined_by = bet


@inlined
def _check_doubles(table: Table) -> None:
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind != DOUBLE or table.space.hands[act.hand].double_fault:
            continue
        if not may_double(table, number):
            table.space.hands[act.hand].double_fault = True
            find_hand(table, DOUBLE_HAND, act.seq, act.hand, NOT)
    for place in range(table.space.head.n_hands - 1):
        hand = table.space.order[place]
        if table.space.hands[hand].doubled_at != NOT:
            _check_double_placed(table, hand)
            _check_one_card(table, hand)


@inlined
def may_double(table: Table, number: int) -> bool:
    """Whether the double, by its number among the acts, was open; cards that nobody read do not bar it."""
    act = table.space.acts[number]
    if act.again or table.space.hands[act.hand].split_aces:
        return False
    if act.unreadable > 0 or act.n < 2:
        return True
    return double_open(table, act.n, act.points, act.aces)


@compiled
def double_open(table: Table, n: int, points: int, aces: int) -> bool:
    """Whether so many cards, at least two, with so many points (aces at one) and aces may be doubled."""
    total = best(points, aces, 0)
    rule = table.book.double_on
    if total >= 21 or (rule != DOUBLE_ON_TWO_CARDS_OR_THREE_PLUS and n != 2):
        return False
    if rule != DOUBLE_ON_HARD_NINE_TO_ELEVEN:
        return True
    return 9 <= total <= 11 and not is_soft(points, aces, 0)


@inlined
def _check_double_placed(table: Table, hand: int) -> None:
    """A double needs an additional wager by somebody on the hand."""
    doubled_at = table.space.hands[hand].doubled_at
    rider = _first_rider(table, hand)
    if rider == NOT or doubled_at + 1 >= table.round.count:
        return
    for bet in range(rider, table.space.head.n_bets):
        if on_hand(table, bet, hand) and table.space.bets[bet].first_portion != NOT:
            return
    find_bet(table, DOUBLE_STAKE, doubled_at, rider, NOT)


@inlined
def _check_one_card(table: Table, hand: int) -> None:
    """act-2018 12.3, nz-2000 12.4, rws-2017 3.14, adelaide-2008 62(b): a doubled hand takes one card."""
    at = table.space.hands[hand]
    if at.void_at != NOT or table.space.head.round_void:
        return
    taken = at.n - at.cards_at_double
    if taken == 0 and (_unfinished(table, hand) or _left_off(table, hand)):
        return
    if taken != 1:
        find_hand(table, DOUBLE_ONE_CARD, at.doubled_at if at.last == NOT else at.last, hand, NOT)
    elif did(table, BURN):
        _check_further_burned(table, hand)


@compiled
def _check_further_burned(table: Table, hand: int) -> None:
    """A card dealt to a doubled hand that had its one, and burned off it again: no hand changed."""
    at = table.space.hands[hand]
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind == BURN and act.hand == hand and act.to > at.doubled_at and act.n > at.cards_at_double:
            find_hand(table, DOUBLE_ONE_CARD, int(act.to), hand, PROCEDURE)
            return


@inlined
def _unfinished(table: Table, hand: int) -> bool:
    """The log stops before the card could come."""
    if table.space.head.last_deal_at >= table.space.hands[hand].doubled_at:
        return False
    for bet in range(table.space.head.n_bets):
        if on_hand(table, bet, hand) and table.space.bets[bet].settled_at < NEVER:
            return False
    return True


@inlined
def _left_off(table: Table, hand: int) -> bool:
    """Nobody was left on a doubled hand for its card: each wager was given up since, or void (ruling 2)."""
    riders = 0
    doubled_at = table.space.hands[hand].doubled_at
    for bet in range(table.space.head.n_bets):
        if not on_hand(table, bet, hand):
            continue
        riders += 1
        at = table.space.bets[bet]
        given_up = at.surrendered_at > doubled_at or at.forfeited_at > doubled_at
        if not given_up and at.place != PLACE_VOID:
            return False
    return riders > 0


@inlined
def _check_double_stake(table: Table, bet: int) -> None:
    at = table.space.bets[bet]
    if at.on == NOT:
        return
    if at.misplaced:
        find_bet(table, DOUBLE_HAND, at.seq, bet, NOT)
        return
    on = table.space.bets[at.on]
    step = table.round.limit_multiples
    least = min(step, on.amount) if table.book.double_minimum_increment != 0 and step != NOT else 0
    if at.amount + _portions_before(table, bet) > most_doubled(table, at.on) or at.amount < least:
        find_bet(table, DOUBLE_STAKE, at.seq, bet, NOT)
    controls = controller(table, table.space.box_at[at.box], at.seq)
    if controls != NOT and not _takes_part(table, DOUBLE_BET, at.hand, controls):
        find_bet(table, DOUBLE_NOT_CONTROLLER, at.seq, bet, NOT)


@inlined
def _portions_before(table: Table, bet: int) -> int:
    """What was placed before to double the same wager, void portions left out."""
    together = 0
    other = table.space.bets[table.space.bets[bet].on].first_portion
    while other != NOT and other != bet:
        at = table.space.bets[other]
        if at.void_at == NOT and at.withdrawn_at == NOT:
            together += at.amount
        other = at.next_portion
    return int(together)


@inlined
def _check_forfeits(table: Table) -> None:
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind != FORFEIT:
            continue
        objection = forfeit_objection(table, number)
        lenient = objection == _AT_21 and table.book.reads_forfeit_limit == READS_FORFEIT_LIMIT_21
        lenient = lenient or objection == _INPUT_ERROR
        if objection != 0:
            find_bet(table, FORFEIT_ELIGIBILITY, act.seq, act.bet, NOTICE if lenient else NOT)


@inlined
def forfeit_objection(table: Table, number: int) -> int:
    """What speaks against a forfeit, by its number among the acts: nothing (0), only a total of 21 (2), that
    its player did not double where that is an input error (3; adelaide-2008 64(b)), or more (1).
    """
    act = table.space.acts[number]
    hand = table.space.bets[act.bet].hand
    at = table.space.hands[hand]
    if at.doubled_at == NOT or act.seq < at.doubled_at:
        return _OVER
    if did_not_double(table, int(act.bet)):
        return _INPUT_ERROR
    if act.n <= at.cards_at_double or act.seq > table.space.head.dealer_second_at:
        return _OVER
    if after_next_card(table, hand, int(act.seq)):
        return _OVER
    points = best(act.points, act.aces, fixed_aces(table, hand))
    if points > 21:
        return _OVER
    return _AT_21 if points == 21 and act.unreadable == 0 else 0
