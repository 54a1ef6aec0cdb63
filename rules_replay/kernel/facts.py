"""What several rules ask of a table: the first cards, who may bet what, what was reported."""

from __future__ import annotations

from rules_replay.kernel.book import (
    INSURANCE_THIRD_PARTY_BARRED,
    READS_PERSONAL_LIMIT_BOX,
    READS_SIDE_BET_NEEDS_ANYONE,
    READS_SIDE_BET_NEEDS_ANYWHERE,
)
from rules_replay.kernel.codes import (
    ACE,
    ASSIGN,
    INSURANCE,
    IRREGULARITY,
    MAIN,
    MISSED_FIRST_CARD,
    NEVER,
    NOT,
    PERFECT_PAIRS,
    SPLIT_BET,
    TEN,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import may_begin_pontoon, picture
from rules_replay.kernel.records import Table
from rules_replay.kernel.table import did, reported


@compiled
def captures(table: Table, fact: int) -> bool:
    """Whether the recorder captures a fact: what only it would show may be there where he does not."""
    return bool((table.round.facts >> fact) & 1)


@compiled
def upcard(table: Table) -> int:
    """The dealer's first card, `NOT` where there is none."""
    first = table.space.hands[0].first
    return NOT if first == NOT else table.space.events[first].card


@compiled
def hand_under(table: Table, bet: int) -> int:
    """The hand that a bet, or the bet under a doubled portion, rides on."""
    return table.space.bets[table.space.bets[bet].under].hand


@compiled
def dealer_played_on_at(table: Table) -> int:
    """The dealer's second card, but for one within the initial deal: that went on (ruling 12).

    What is open until the subsequent deal is still to come then (act-2018 7.3 9.1, nz-2000 def:Surrender
    10.3, rws-2017 3.9 3.10, adelaide-2008 26 70).
    """
    head = table.space.head
    if head.n_initial > 0 and table.space.initial[head.n_initial - 1] > head.dealer_second_at:
        return NEVER
    return int(head.dealer_second_at)


@compiled
def initial_cards(table: Table, box: int, moment: int) -> tuple[int, int, int]:
    """How many cards of the initial deal lay on a box (by its printed number) by a moment, the first two."""
    count = 0
    one_at, two_at = NEVER, NEVER
    for hand in range(1, table.space.head.n_hands):
        if table.space.hands[hand].box != box:
            continue
        seq = table.space.hands[hand].first
        while seq != NOT:
            if table.space.links[seq].initial and seq < moment:
                count += 1
                if seq < one_at:
                    one_at, two_at = seq, one_at
                elif seq < two_at:
                    two_at = seq
            seq = table.space.links[seq].next
    only = table.space.hand_at[box, 1] if count == 0 else NOT
    if only != NOT and table.space.hands[only].superfluous and table.space.hands[only].n > 0:
        # A box with a side wager alone, where the rulebook does not void it (rws-2017 3.6 3.7).
        one_at = table.space.hands[only].first
        two_at = table.space.links[one_at].next if table.space.hands[only].n > 1 else NEVER
        one_at = one_at if one_at < moment else NEVER
        two_at = two_at if two_at < moment else NEVER
        count = int(one_at != NEVER) + int(two_at != NEVER)
    one = NOT if one_at == NEVER else int(table.space.events[one_at].card)
    two = NOT if two_at == NEVER else int(table.space.events[two_at].card)
    return count, one, two


@compiled
def last_initial_at(table: Table, box: int) -> int:
    """Seq of the last card of the initial deal that lies on a box, by its printed number; or `NOT`."""
    last = NOT
    for hand in range(1, table.space.head.n_hands):
        seq = table.space.hands[hand].first if table.space.hands[hand].box == box else NOT
        while seq != NOT:
            if table.space.links[seq].initial:
                last = max(last, seq)
            seq = table.space.links[seq].next
    return int(last)


@compiled
def are_pontoon(one: int, two: int) -> bool:
    """An ace and a ten-value card, a ten that does not belong there among them."""
    return _ace_and_ten(one, two) or _ace_and_ten(two, one)


@compiled
def _ace_and_ten(one: int, two: int) -> bool:
    return (one >> 2) == ACE and (picture(two) or (two >> 2) == TEN)


@compiled
def box_has_pontoon(table: Table, box: int) -> bool:
    """Whether a box (by its printed number) received a Pontoon."""
    count, one, two = initial_cards(table, box, NEVER)
    return count == 2 and are_pontoon(one, two)


@compiled
def late_first_card(table: Table) -> bool:
    """The dealer lacked a card of the initial deal, as was reported, and so makes no Pontoon.

    adelaide-2008 105(d). Noticed before, the hands are reconstructed (105(a)).
    """
    if table.book.irregularity_late_first_card_no_pontoon == 0:
        return False
    return table.space.hands[0].lacks_initial_card and reported(table, MISSED_FIRST_CARD, 0) < NEVER


@compiled
def pontoon_possible(table: Table) -> bool:
    """Whether the dealer's first card leaves room for a Pontoon."""
    card = upcard(table)
    return card != NOT and not late_first_card(table) and may_begin_pontoon(card)


@compiled
def reported_for(table: Table, code: int, box: int) -> bool:
    """Whether an irregularity was reported for a box by its number, and not for the whole table."""
    for number in range(table.space.head.n_acts if table.space.head.n_irregularities else 0):
        act = table.space.acts[number]
        if act.kind == IRREGULARITY and act.box == box and table.space.events[act.seq].code == code:
            return True
    return False


@compiled
def limit_of(table: Table, root: int) -> int:
    """The maximum that binds a main wager: the sign's, or a personal limit (act-2018 3.2 4.6); or `NOT`."""
    at = table.space.bets[root]
    if at.limit != NOT:
        return at.limit
    if table.book.reads_personal_limit == READS_PERSONAL_LIMIT_BOX:
        most = NOT
        box = table.space.box_at[at.box]
        bet = NOT if box == NOT else table.space.boxes[box].first_main
        while bet != NOT:
            most = max(most, table.space.bets[bet].limit)
            bet = table.space.bets[bet].next_main
        if most != NOT:
            return most
    return table.round.limit_max


@compiled
def taken_back_in_time(table: Table, bet: int) -> bool:
    """Whether a wager was off the table again before the first card: it was none (act-2018 4.3)."""
    withdrawn_at = table.space.bets[bet].withdrawn_at
    return bool(NOT < withdrawn_at < table.space.head.first_card_at)


@compiled
def ridden(table: Table, bet: int, moment: int) -> int:
    """The hand of a main or split wager at a moment: where it was placed, or last assigned to."""
    at = table.space.bets[bet]
    no = table.space.events[at.seq].hand if at.kind == SPLIT_BET else 1
    hand = table.space.hand_at[at.box, no]
    for number in range(table.space.head.n_acts if did(table, ASSIGN) else 0):
        act = table.space.acts[number]
        if act.kind == ASSIGN and act.bet == bet and act.seq < moment:
            hand = act.hand
    return int(hand)


@compiled
def on_offer(table: Table, bet: int) -> bool:
    """Whether the rulebook has a side wager and the table offers it (act-2018 18.1)."""
    offered = table.book.side_kinds
    if table.round.offers != NOT:
        offered &= table.round.offers
    kind = table.space.bets[bet].kind
    if not (offered >> kind) & 1 or table.book.side_one_kind_a_table == 0:
        return bool((offered >> kind) & 1)
    for other in range(table.space.head.n_bets):
        found = table.space.bets[other].kind
        if taken_back_in_time(table, other):
            continue
        if found >= PERFECT_PAIRS and (offered >> found) & 1:
            return bool(found == kind)
    return True


@compiled
def has_main(table: Table, bet: int) -> bool:
    """Whether the main wager that a side wager needs lies on its box (act-2018 18.8, adelaide-2008 95)."""
    at = table.space.bets[bet]
    needs = table.book.reads_side_bet_needs
    if needs == READS_SIDE_BET_NEEDS_ANYWHERE:
        return _has_main_anywhere(table, at.player)
    box = table.space.box_at[at.box]
    main = NOT if box == NOT else table.space.boxes[box].first_main
    if needs == READS_SIDE_BET_NEEDS_ANYONE:
        return bool(main != NOT)
    while main != NOT:
        if table.space.bets[main].player == at.player:
            return True
        main = table.space.bets[main].next_main
    return False


@inlined
def _has_main_anywhere(table: Table, player: int) -> bool:
    for bet in range(table.space.head.n_bets):
        if table.space.bets[bet].kind == MAIN and table.space.bets[bet].player == player:
            return True
    return False


@compiled
def third_party_allowed(table: Table, insured: int) -> bool:
    """Others may insure a wager whose owner placed no insurance at all (act-2018 7.2)."""
    if table.book.insurance_third_party == INSURANCE_THIRD_PARTY_BARRED:
        return False
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.kind == INSURANCE and at.on == insured and at.player == table.space.bets[insured].player:
            return False
    return True
