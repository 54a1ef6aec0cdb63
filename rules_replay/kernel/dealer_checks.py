"""The dealer's draw against what was required; each code at most once a round."""

from __future__ import annotations

from rules_replay.kernel.book import (
    READS_DEALER_PLAYS_ON_IDLE_FORBIDDEN,
    READS_DEALER_SECOND_CARD_IDLE_FORBIDDEN,
)
from rules_replay.kernel.clauses import of_outcomes
from rules_replay.kernel.codes import (
    AS_DEALT,
    DEALER_EARLY_SECOND_CARD,
    DEALER_NEEDLESS_DRAW,
    DEALER_OVER_DRAW,
    DEALER_UNDER_DRAW,
    NOT,
    ON_DEALER_DRAW,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.dealer import (
    NEEDED_NOT,
    early_card_left,
    early_second_card_at,
)
from rules_replay.kernel.facts import late_first_card
from rules_replay.kernel.records import Table
from rules_replay.kernel.report import add, counts, find_hand


@inlined
def check_dealer(table: Table) -> None:
    """The dealer's second card came in time, and the dealer drew neither too few cards nor too many.

    A hand with a card that is foreign or out of order shows nothing about the draw; one with a card that
    could not be read only where it is to stop.
    """
    early = early_second_card_at(table)
    if early != NOT:
        find_hand(table, DEALER_EARLY_SECOND_CARD, early, 0, NOT)
    dealer = table.space.hands[0]
    if dealer.n == 0 or dealer.foreign > 0 or early_card_left(table):
        return
    if dealer.disturbed_by != NOT:
        return
    if dealer.lacks_initial_card and not late_first_card(table):
        return
    _check_enough(table)
    _check_stop(table)
    _check_needless(table)


@inlined
def _check_enough(table: Table) -> None:
    """act-2018 13.1, nz-2000 14.3 14.4, rws-2017 3.18, adelaide-2008 75 76."""
    head = table.space.head
    if (
        head.dealer_finished
        or head.incomplete
        or table.space.head.dealer_unread
        or not counts(table, DEALER_UNDER_DRAW)
    ):
        return
    found = add(table, DEALER_UNDER_DRAW, table.space.hands[0].last)
    found.box = 0
    found.hand = table.space.hands[0].no
    found.basis = AS_DEALT
    found.clause = of_outcomes(ON_DEALER_DRAW)


@compiled
def _plays_on_idly(table: Table) -> bool:
    """No total is needed any more, and the rulebook then forbids a third card."""
    forbidden = table.book.reads_dealer_plays_on_idle == READS_DEALER_PLAYS_ON_IDLE_FORBIDDEN
    return bool(forbidden and table.space.head.need_total == NEEDED_NOT)


@inlined
def _check_stop(table: Table) -> None:
    """No card follows hard 17 or soft 18; after a total that nobody needs, one is `dealer.needless-draw`."""
    if table.space.head.dealer_counting == table.space.hands[0].n or _plays_on_idly(table):
        return
    seq = int(table.space.hands[0].first)
    for _ in range(table.space.head.dealer_counting):
        seq = int(table.space.links[seq].next)
    find_hand(table, DEALER_OVER_DRAW, seq, 0, NOT)


@inlined
def _check_needless(table: Table) -> None:
    """No card comes to the dealer when nothing is left to decide."""
    dealer = table.space.hands[0]
    if dealer.n < 2:
        return
    second = table.space.links[dealer.first].next
    forbidden = table.book.reads_dealer_second_card_idle == READS_DEALER_SECOND_CARD_IDLE_FORBIDDEN
    if forbidden and table.space.head.need_second == NEEDED_NOT:
        find_hand(table, DEALER_NEEDLESS_DRAW, second, 0, NOT)
    elif dealer.n >= 3 and _plays_on_idly(table):
        find_hand(table, DEALER_NEEDLESS_DRAW, table.space.links[second].next, 0, NOT)
