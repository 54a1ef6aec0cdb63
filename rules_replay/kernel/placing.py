"""Wagers as placed: in time, within the sign, not too many; insurance among them."""

from __future__ import annotations

from rules_replay.kernel.book import (
    INSURANCE_INCREMENT_NONE,
    INSURANCE_PONTOON_HOLDER_BARRED,
    READS_INSURANCE_CAP_TOTAL,
    READS_INSURANCE_WINDOW_BEFORE_ANY_DECISION,
    READS_INSURANCE_WINDOW_OWN_TURN,
    READS_PONTOON_BARS_INSURANCE_NOBODY,
    READS_PONTOON_BARS_INSURANCE_OWNER,
    READS_PONTOON_BARS_INSURANCE_PLAYER,
)
from rules_replay.kernel.codes import (
    ACE,
    BREACH,
    DEAL_BOX_RANGE,
    DECISIONS,
    DOUBLE_BET,
    DOUBLE_LATE,
    DRAW,
    INSURANCE,
    INSURANCE_INCREMENT,
    INSURANCE_LATE,
    INSURANCE_NO_ACE,
    INSURANCE_OVER_HALF,
    INSURANCE_PONTOON_HOLDER,
    INSURANCE_THIRD_PARTY,
    IRREGULARITY,
    MAIN,
    MISSED_FIRST_CARD,
    NEVER,
    NOT,
    NOTICE,
    OTHER,
    PANDEMONIUM,
    PERFECT_PAIRS,
    SETTLE_ORDER,
    SHORT_HAND,
    SPLIT_BET,
    SPLIT_LATE,
    STAND,
    WAGER_ABOVE_MAX,
    WAGER_BELOW_MIN,
    WAGER_BOX_TOTAL,
    WAGER_LATE,
    WAGER_MULTIPLES,
    WAGER_PLAYERS_PER_BOX,
    WAGER_SECOND_MAIN,
    WAGER_WITHDRAWN,
    WITHDRAW,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import (
    best,
    foreign,
    rank,
    readable,
    value,
)
from rules_replay.kernel.dealing import turn_was_over
from rules_replay.kernel.facts import (
    are_pontoon,
    box_has_pontoon,
    captures,
    dealer_played_on_at,
    hand_under,
    initial_cards,
    last_initial_at,
    late_first_card,
    limit_of,
    ridden,
    taken_back_in_time,
    third_party_allowed,
    upcard,
)
from rules_replay.kernel.given_up import doubled_with_card
from rules_replay.kernel.payout import pair_row
from rules_replay.kernel.records import Table
from rules_replay.kernel.report import find_bet, find_box
from rules_replay.kernel.short_hands import refused_card, was_complete
from rules_replay.kernel.table import happened, next_kept_deal_after, placed, reported
from rules_replay.kernel.windows import (
    first_card_not_shown,
    first_further_at,
    first_touch,
    next_boxes_turn,
    reopened_until,
)


@inlined
def check_wagers(table: Table) -> None:
    """Main and side wagers against the moment and the sign."""
    for bet in range(table.space.head.n_bets):
        kind = table.space.bets[bet].kind
        if taken_back_in_time(table, bet):
            continue
        if kind == MAIN or kind >= PERFECT_PAIRS:
            _check_in_time(table, bet)
            _check_limits(table, bet)
        elif (kind == DOUBLE_BET or kind == SPLIT_BET) and not table.space.bets[bet].misplaced:
            _check_option_in_time(table, bet)
    for box in range(table.space.head.n_boxes):
        _check_players(table, box)
        _check_box_total(table, box)
        _check_second_main(table, box)


@inlined
def _check_in_time(table: Table, bet: int) -> None:
    """A wager after the first card is late; between the call and the card it is a notice."""
    seq = table.space.bets[bet].seq
    if seq > table.space.head.first_card_at:
        find_bet(table, WAGER_LATE, seq, bet, NOT)
    elif seq > table.space.head.no_more_bets_at:
        find_bet(table, WAGER_LATE, seq, bet, NOTICE)


@inlined
def _check_option_in_time(table: Table, bet: int) -> None:
    """What is placed to double or split comes with the option: it pays for the card that follows.

    act-2018 def:Double 4.3, nz-2000 12.3 13.2, rws-2017 3.13 3.14, adelaide-2008 62(a) 65. Nor is an option
    open any more once the dealer has drawn to his hand (act-2018 13.1(a), nz-2000 8.5, rws-2017 3.18,
    adelaide-2008 52).
    """
    at = table.space.bets[bet]
    hand = table.space.hands[at.hand]
    taken_at = hand.formed_at if at.kind == SPLIT_BET else hand.doubled_at
    late = taken_at == NOT or next_kept_deal_after(table, int(taken_at)) < at.seq
    if late or _dealer_played_at(table) < at.seq:
        find_bet(table, SPLIT_LATE if at.kind == SPLIT_BET else DOUBLE_LATE, at.seq, bet, NOT)
    elif at.kind == SPLIT_BET and not _was_in_play(table, bet):
        find_bet(table, SPLIT_LATE, at.seq, bet, NOT)


@inlined
def _dealer_played_at(table: Table) -> int:
    """When the dealer had his third card. A second one alone may have come early (ruling 12)."""
    if table.space.hands[0].n < 3:
        return NEVER
    second_at = table.space.links[table.space.hands[0].first].next
    return int(table.space.links[second_at].next)


@inlined
def _was_in_play(table: Table, bet: int) -> bool:
    """Whether a wager that a split wager belongs to was still in play on the box when the hand was split.

    act-2018 def:Split 11.2, nz-2000 15.3(d), rws-2017 3.13, adelaide-2008 81. When it was settled is known
    only where the order of settlements is recorded.
    """
    root = table.space.bets[bet].root
    placed_on = ridden(table, bet, int(table.space.bets[bet].seq))
    split_at = NOT if placed_on == NOT else int(table.space.hands[placed_on].formed_at)
    if split_at == NOT:
        return True
    in_order = captures(table, SETTLE_ORDER)
    for other in range(table.space.head.n_bets):
        at = table.space.bets[other]
        if other == bet or at.root != root or at.kind > SPLIT_BET:
            continue
        if at.seq < split_at and (not in_order or split_at < at.settled_at):
            return True
    return False


@inlined
def _check_limits(table: Table, bet: int) -> None:
    at = table.space.bets[bet]
    sign = table.round
    side = at.kind >= PERFECT_PAIRS
    least = sign.limit_side_min if side else sign.limit_min
    most = sign.limit_side_max if side else limit_of(table, bet)
    if least != NOT and at.amount < least:
        find_bet(table, WAGER_BELOW_MIN, at.seq, bet, NOT)
    if most != NOT and at.amount > most:
        find_bet(table, WAGER_ABOVE_MAX, at.seq, bet, NOT)
    if not side and sign.limit_multiples > 0 and at.amount % sign.limit_multiples != 0:
        find_bet(table, WAGER_MULTIPLES, at.seq, bet, NOT)


@inlined
def _check_players(table: Table, box: int) -> None:
    """act-2018 4.5, nz-2000 15.1, adelaide-2008 77: the first wager of a player too many."""
    most = table.book.wager_players_per_box
    if most == 0 or table.space.boxes[box].n_mains <= most:
        return
    players = 0
    bet = table.space.boxes[box].first_main
    while bet != NOT:
        counts = not taken_back_in_time(table, bet)
        players += counts and _earlier_main(table, box, bet) == NOT
        if counts and players > most:
            find_bet(table, WAGER_PLAYERS_PER_BOX, table.space.bets[bet].seq, bet, NOT)
            return
        bet = table.space.bets[bet].next_main


@compiled
def _earlier_main(table: Table, box: int, bet: int) -> int:
    """The first main wager that the player has on a box before this one; `NOT` where there is none."""
    player = table.space.bets[bet].player
    main = table.space.boxes[box].first_main
    while main != bet:
        if table.space.bets[main].player == player and not taken_back_in_time(table, main):
            return main
        main = table.space.bets[main].next_main
    return NOT


@inlined
def _check_box_total(table: Table, box: int) -> None:
    """act-2018 4.6, nz-2000 15.2, adelaide-2008 13: the wagers on a box together."""
    most = table.round.limit_box_max
    if most == NOT:
        return
    leave_out = table.book.wager_box_maximum_leaves_out_personal_limits != 0
    placed = 0
    last = NOT
    bet = table.space.boxes[box].first_main
    while bet != NOT:
        at = table.space.bets[bet]
        if not (leave_out and at.limit != NOT) and not taken_back_in_time(table, bet):
            placed += at.amount
            last = bet
        bet = at.next_main
    if placed > most:
        find_bet(table, WAGER_BOX_TOTAL, table.space.bets[last].seq, last, NOT)


@inlined
def _check_second_main(table: Table, box: int) -> None:
    """One player, one main wager a box, where the rulebook says so (adelaide-2008 12)."""
    if table.book.wager_one_main_per_player == 0 or table.space.boxes[box].n_mains < 2:
        return
    bet = table.space.boxes[box].first_main
    while bet != NOT:
        if not taken_back_in_time(table, bet) and _earlier_main(table, box, bet) != NOT:
            find_bet(table, WAGER_SECOND_MAIN, table.space.bets[bet].seq, bet, NOT)
        bet = table.space.bets[bet].next_main


@inlined
def check_box_numbers(table: Table) -> None:
    """A table has so many boxes (nz-2000 3.1, adelaide-2008 3): the first event at a further one."""
    most = table.book.wager_boxes
    if most == 0 or table.space.head.highest_box <= most:
        return
    for seq in range(table.round.count):
        box = table.space.events[seq].box
        if box > most:
            find_box(table, DEAL_BOX_RANGE, seq, box, NOT)
            return


@inlined
def check_withdrawals(table: Table) -> None:
    """A wager taken back though nothing in the log lets the player is worth a look.

    After the dealer's second card, or once its cards have decided it, it is one that its player saw lost or
    may have; over 21 it is lost whatever was reported (act-2018 4.3, nz-2000 5.5(b) 5.6 5.7, rws-2017 5.2,
    adelaide-2008 16).
    """
    if not happened(table, WITHDRAW):
        return
    for bet in range(table.space.head.n_bets):
        withdrawn_at = int(table.space.bets[bet].withdrawn_at)
        if withdrawn_at == NOT:
            continue
        bust = _was_bust(table, bet, withdrawn_at)
        if bust or not _may_be_taken_back(table, bet, withdrawn_at):
            known = bust or withdrawn_at > table.space.head.dealer_second_at
            known = known or _was_lost(table, bet, withdrawn_at)
            find_bet(table, WAGER_WITHDRAWN, withdrawn_at, bet, NOT if known else NOTICE)


@inlined
def _may_be_taken_back(table: Table, bet: int, moment: int) -> bool:
    if _reported_to_let_go(table, bet, moment):
        return True
    return _left_short(table, int(hand_under(table, bet)), moment)


@inlined
def _was_bust(table: Table, bet: int, moment: int) -> bool:
    """Whether the cards of a wager's hand were over 21 by a moment, however its aces count."""
    if table.space.bets[bet].kind > DOUBLE_BET:
        return False
    points = 0
    seq = int(table.space.hands[hand_under(table, bet)].first)
    while seq != NOT and seq < moment:
        points += value(table.space.events[seq].card)
        seq = int(table.space.links[seq].next)
    return points > 21


@inlined
def _was_lost(table: Table, bet: int, moment: int) -> bool:
    """Whether the first two cards of its box had lost a side wager by a moment, or a double had had its card.

    A doubled portion goes back by a forfeit alone then (act-2018 12.6, nz-2000 5.6 12.8).
    """
    at = table.space.bets[bet]
    if at.kind == DOUBLE_BET:
        had_card = doubled_with_card(table, int(at.under), moment)
        return bool(had_card and table.space.bets[at.under].forfeited_at == NOT)
    if (int(table.book.side_kinds) >> int(at.kind)) & 1 == 0:
        return False
    kind, box = int(at.kind), int(at.box)
    count, one, two = initial_cards(table, box, moment)
    if count < 2 or not readable(one) or not readable(two) or foreign(one) or foreign(two):
        return False
    if kind == PANDEMONIUM:
        return table.space.hands[table.space.hand_at[box, 1]].of_split or not are_pontoon(one, two)
    _, _, name = pair_row(table, kind, one, two)
    return name == NOT


@compiled
def _reported_to_let_go(table: Table, bet: int, moment: int) -> bool:
    """Whether a report before a moment, for a wager's box, the dealer's or none, may let it be taken back;
    what is reported as `OTHER` may be anything. Where the dealer missed his first card, players may leave
    when he has it, or play on to the end (adelaide-2008 105(d)(ii)).
    """
    codes = int(table.book.irregularity_wager_back_after)
    if moment > table.space.head.dealer_second_at and late_first_card(table):
        codes &= ~(1 << MISSED_FIRST_CARD)
    if _had_its_cards(table, bet, moment):
        codes &= ~(1 << SHORT_HAND)
    box = table.space.bets[bet].box
    for number in range(table.space.head.n_acts if table.space.head.n_irregularities else 0):
        act = table.space.acts[number]
        if act.kind == IRREGULARITY and act.seq < moment and (act.box <= 0 or act.box == box):
            code = int(table.space.events[act.seq].code)
            if code == OTHER or (codes >> code) & 1:
                return True
    return False


@compiled
def _had_its_cards(table: Table, bet: int, moment: int) -> bool:
    """Whether the hand of a wager was not short by a moment, or its player had drawn to it since the report.

    He may draw or withdraw, not both (adelaide-2008 105(b) 105(c) 106(b)).
    """
    at = table.space.bets[bet]
    if at.kind > DOUBLE_BET or table.book.draw_short_hand_options == 0:
        return False
    if NOT < table.space.bets[at.under].surrendered_at < moment:
        return True
    hand = hand_under(table, bet)
    since = reported(table, SHORT_HAND, table.space.hands[hand].box)
    seq = table.space.hands[hand].first
    while seq != NOT and seq < moment:
        if seq > since:
            return True
        seq = table.space.links[seq].next
    return was_complete(table, hand, moment)


@compiled
def _left_short(table: Table, hand: int, moment: int) -> bool:
    """Whether a hand was left with too few cards by a moment, where its players may then withdraw.

    adelaide-2008 105(b), 105(c), 106(b), 107, 108. Who refused a card is not short of it (103).
    """
    if table.book.draw_short_hand_options == 0:
        return False
    at = table.space.hands[hand]
    count = table.space.head.n_initial
    if at.lacks_initial_card and count > 0 and table.space.initial[count - 1] < moment:
        return True
    if at.doubled_at != NOT or at.n == 0 or at.unreadable > 0 or best(at.points, at.aces, 0) >= 12:
        return False
    return not refused_card(table, int(at.box)) and _passed(table, hand, moment)


@inlined
def _passed(table: Table, hand: int, moment: int) -> bool:
    """Whether a hand had stood by a moment, or the deal had come to a later one or to the dealer."""
    at = table.space.hands[hand]
    if NOT < at.stood_at < moment or at.last < table.space.head.dealer_second_at < moment:
        return True
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if (act.kind == DRAW or act.kind == STAND) and at.last < act.seq < moment:
            if turn_was_over(table, hand, int(act.hand)):
                return True
    return False


@inlined
def check_insurance(table: Table) -> None:
    """Insurance: open, by whom, how much."""
    if not placed(table, INSURANCE):
        return
    for bet in range(table.space.head.n_bets):
        if table.space.bets[bet].kind == INSURANCE:
            _check_insurance_open(table, bet)
            _check_insurance_owner(table, bet)
            _check_insurance_step(table, bet)
    for bet in range(table.space.head.n_bets):
        if table.space.bets[bet].kind == INSURANCE and table.space.bets[bet].on != NOT:
            _check_insurance_half(table, bet)


@compiled
def _without_ace(table: Table, bet: int) -> bool:
    """Whether the dealer did not show an ace when an insurance wager was placed."""
    card = upcard(table)
    if card == NOT or table.space.bets[bet].seq < table.space.hands[0].first:
        return not first_card_not_shown(table)
    return bool(readable(card) and rank(card) != ACE)


@inlined
def _check_insurance_open(table: Table, bet: int) -> None:
    """act-2018 7.1, nz-2000 10.1 10.3, rws-2017 3.9, adelaide-2008 25: on an ace, before play goes on."""
    at = table.space.bets[bet]
    if _without_ace(table, bet):
        find_bet(table, INSURANCE_NO_ACE, at.seq, bet, NOT)
    elif late_first_card(table):
        find_bet(table, INSURANCE_LATE, at.seq, bet, NOT)
    elif at.seq > _insurance_closed_at(table, at.box) and at.seq >= reopened_until(table, at.box, at.seq):
        find_bet(table, INSURANCE_LATE, at.seq, bet, NOT)


@inlined
def _insurance_closed_at(table: Table, box: int) -> int:
    closed_at = first_further_at(table, NOT)
    if table.book.reads_insurance_window == READS_INSURANCE_WINDOW_BEFORE_ANY_DECISION:
        closed_at = first_touch(table, NOT)
    if table.book.reads_insurance_window == READS_INSURANCE_WINDOW_OWN_TURN:
        closed_at = min(first_touch(table, box), next_boxes_turn(table, box))
    return min(closed_at, dealer_played_on_at(table))


@inlined
def _plays(table: Table, player: int) -> bool:
    """Whether a player has a main wager in the round, as who insures another's has (act-2018 7.2)."""
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.kind == MAIN and at.player == player and not taken_back_in_time(table, bet):
            return True
    return False


@inlined
def _check_insurance_owner(table: Table, bet: int) -> None:
    at = table.space.bets[bet]
    if at.on == NOT:
        return
    # A Pontoon bars from insuring against an ace (act-2018 7.1, nz-2000 10.2, adelaide-2008 59).
    moments = captures(table, DECISIONS)
    if not (moments and _without_ace(table, bet)) and _pontoon_bars(table, bet):
        barred = table.book.insurance_pontoon_holder == INSURANCE_PONTOON_HOLDER_BARRED
        find_bet(table, INSURANCE_PONTOON_HOLDER, at.seq, bet, BREACH if barred else NOTICE)
    others = not _own(table, bet)
    if others and not (third_party_allowed(table, at.on) and _plays(table, at.player)):
        find_bet(table, INSURANCE_THIRD_PARTY, at.seq, bet, NOT)


@compiled
def _own(table: Table, bet: int) -> bool:
    """Whether an insurance wager is by the player whose wager it insures."""
    at = table.space.bets[bet]
    return bool(at.player == table.space.bets[at.on].player)


@inlined
def _pontoon_bars(table: Table, bet: int) -> bool:
    """Whether a Pontoon bars an insurance wager: that of the hand insured, or any of the player's."""
    reading = table.book.reads_pontoon_bars_insurance
    if reading == READS_PONTOON_BARS_INSURANCE_NOBODY:
        return False
    if reading == READS_PONTOON_BARS_INSURANCE_OWNER and not _own(table, bet):
        return False
    at = table.space.bets[bet]
    if _had_pontoon(table, table.space.bets[at.on].box, at.seq):
        return True
    if reading != READS_PONTOON_BARS_INSURANCE_PLAYER:
        return False
    for box in range(table.space.head.n_boxes):
        if _has_main_on(table, box, at.player) and _had_pontoon(table, table.space.boxes[box].no, at.seq):
            return True
    return False


@compiled
def _had_pontoon(table: Table, box: int, moment: int) -> bool:
    """Whether a box, by its printed number, had its Pontoon at a moment, if moments are recorded."""
    if not box_has_pontoon(table, box):
        return False
    return not captures(table, DECISIONS) or last_initial_at(table, box) < moment


@inlined
def _has_main_on(table: Table, box: int, player: int) -> bool:
    main = table.space.boxes[box].first_main
    while main != NOT:
        if table.space.bets[main].player == player:
            return True
        main = table.space.bets[main].next_main
    return False


@inlined
def _check_insurance_step(table: Table, bet: int) -> None:
    """act-2018 7.4, nz-2000 10.4(b): an amount of which the chips can pay the double."""
    chip = table.round.limit_smallest_chip
    if table.book.insurance_increment == INSURANCE_INCREMENT_NONE or chip <= 0:
        return
    if (2 * table.space.bets[bet].amount) % chip != 0:
        find_bet(table, INSURANCE_INCREMENT, table.space.bets[bet].seq, bet, NOT)


@inlined
def _check_insurance_half(table: Table, bet: int) -> None:
    """All insurance on one wager together is at most half of its stake (cut to the maximum).

    Under one reading a player's own insurance is measured against all his original wagers. What was
    declared void or taken back leaves room for more.
    """
    at = table.space.bets[bet]
    own = _own_original(table, bet)
    insured = _original(table, bet)
    if not own and not third_party_allowed(table, insured):
        return
    if own and table.book.reads_insurance_cap == READS_INSURANCE_CAP_TOTAL:
        placed, half_of = _own_insurance(table, bet), _originals(table, at.player)
    else:
        placed, half_of = _insurance_on(table, bet, own), table.space.bets[insured].effective
    if 2 * placed > half_of:
        find_bet(table, INSURANCE_OVER_HALF, at.seq, bet, NOT)


@compiled
def _original(table: Table, bet: int) -> int:
    """The main wager that an insurance wager is about."""
    return int(table.space.bets[table.space.bets[bet].on].root)


@compiled
def _own_original(table: Table, bet: int) -> bool:
    """Whether an insurance wager is by the player whose original wager it insures."""
    at = table.space.bets[bet]
    return bool(at.on != NOT and at.player == table.space.bets[_original(table, bet)].player)


@inlined
def _own_insurance(table: Table, last: int) -> int:
    """What the player of an insurance wager put, up to and with it, on wagers of his own."""
    placed = 0
    for bet in range(last + 1):
        at = table.space.bets[bet]
        mine = at.kind == INSURANCE and at.player == table.space.bets[last].player
        if mine and _own_original(table, bet) and (bet == last or _stays_placed(table, bet)):
            placed += at.amount
    return placed


@inlined
def _insurance_on(table: Table, last: int, own: bool) -> int:
    """What was put, up to and with an insurance wager, on the same wager: by its owner or by others."""
    placed = 0
    for bet in range(last + 1):
        at = table.space.bets[bet]
        if at.kind != INSURANCE or at.on == NOT or _original(table, bet) != _original(table, last):
            continue
        if _own_original(table, bet) == own and (bet == last or _stays_placed(table, bet)):
            placed += at.amount
    return placed


@compiled
def _stays_placed(table: Table, bet: int) -> bool:
    """Whether a wager was neither declared void nor taken back."""
    return bool(table.space.bets[bet].void_at == NOT and table.space.bets[bet].withdrawn_at == NOT)


@inlined
def _originals(table: Table, player: int) -> int:
    """The main wagers of a player on all boxes, each cut to the maximum."""
    placed = 0
    for bet in range(table.space.head.n_bets):
        if table.space.bets[bet].kind == MAIN and table.space.bets[bet].player == player:
            placed += table.space.bets[bet].effective
    return placed
