"""Hands with too few cards: what is owed to them, and who may refuse a card."""

from __future__ import annotations

from rules_replay.kernel.codes import ACE, EXPOSED_CARD, IRREGULARITY, NEVER, NOT, SHORT_HAND
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import best, rank, value
from rules_replay.kernel.records import Table
from rules_replay.kernel.table import next_deal_after, reported


@compiled
def owed_cards(table: Table, hand: int, doubled: bool) -> bool:
    """A hand left short of the cards due to it, whose options the log cannot show (adelaide-2008 105 106).

    One that refused an exposed card stands on what it has (103).
    """
    options = table.book.draw_short_hand_options != 0
    return options and not doubled and not refused_card(table, table.space.hands[hand].box)


@compiled
def reported_short(table: Table, hand: int) -> bool:
    """Whether it is the table, and not the log, that left a hand with one card (adelaide-2008 106)."""
    at = table.space.hands[hand]
    return reported(table, SHORT_HAND, at.box) < NEVER and owed_cards(table, hand, at.doubled_at != NOT)


@inlined
def lacks_initial_card(table: Table, hand: int) -> bool:
    """A hand with too few cards of the initial deal, but for one reported and given its card since."""
    return table.space.hands[hand].lacks_initial_card and not _short_hand_cured(table, hand)


@inlined
def _short_hand_cured(table: Table, hand: int) -> bool:
    at = table.space.hands[hand]
    if table.book.draw_short_hand_options == 0 or at.n < 2:
        return False
    return reported(table, SHORT_HAND, at.box) < NEVER


@compiled
def was_complete(table: Table, hand: int, moment: int) -> bool:
    """Whether a hand had all the cards that it was to have by a moment, whoever says that it was short."""
    at = table.space.hands[hand]
    held = 0
    points = 0
    aces = 0
    seq = at.first
    while seq != NOT and seq < moment:
        held += 1
        points += value(int(table.space.events[seq].card))
        aces += rank(int(table.space.events[seq].card)) == ACE
        seq = table.space.links[seq].next
    if NOT < at.doubled_at < moment:
        return bool(held > at.cards_at_double)
    counted = best(points, aces, 0)
    if counted >= 21 or (at.split_aces and held >= 2):
        return True
    return bool(NOT < at.stood_at < moment and counted >= 12)


@compiled
def after_stand(table: Table, hand: int, seq: int) -> bool:
    """A card after a stand; not one to a hand that stood on less than 12 and was reported short since then.

    That hand's player may still draw (adelaide-2008 50(a) 105 106).
    """
    at = table.space.hands[hand]
    if at.stood_at == NOT or seq < at.stood_at:
        return False
    if table.book.draw_short_hand_options == 0:
        return True
    since = reported(table, SHORT_HAND, at.box)
    if since < at.stood_at or since > seq:
        return True
    points = 0
    aces = 0
    card = at.first
    while card != NOT and card < at.stood_at:
        points += value(int(table.space.events[card].card))
        aces += rank(int(table.space.events[card].card)) == ACE
        card = table.space.links[card].next
    return bool(best(points, aces, 0) >= 12)


@compiled
def refused_card(table: Table, box: int) -> bool:
    """A player who refuses an exposed card takes no more (nz-2000 16.4, adelaide-2008 103)."""
    if table.space.head.n_irregularities == 0 or table.book.irregularity_refused_card_to_dealer == 0:
        return False
    for number in range(table.space.head.n_acts):
        if table.space.acts[number].box == box and _was_refused(table, number, box):
            return True
    return False


@compiled
def may_have_refused(table: Table, box: int, moment: int) -> bool:
    """Whether an exposed card reported before a moment, for a box, the dealer's or none, may be one that was
    refused there: what the players refuse becomes the dealer's card, his second
    (nz-2000 16.4, adelaide-2008 103).
    """
    if table.space.head.n_irregularities == 0 or table.book.irregularity_refused_card_to_dealer == 0:
        return False
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.seq < moment and (act.box <= 0 or act.box == box) and _was_refused(table, number, box):
            return True
    return False


@compiled
def _was_refused(table: Table, number: int, box: int) -> bool:
    """Whether an act reports an exposed card that went to another than a box.

    It went to a later box or to the dealer, unless the report names this one. Once the dealer's hand has two
    cards, nothing comes that players could have taken.
    """
    act = table.space.acts[number]
    if act.kind != IRREGULARITY or table.space.events[act.seq].code != EXPOSED_CARD:
        return False
    if act.seq >= table.space.head.dealer_second_at:
        return False
    next_card = next_deal_after(table, act.seq)
    taken_by = 0 if next_card == NEVER else int(table.space.events[next_card].box)
    if act.box == box:
        return bool(taken_by != box)
    return not 0 < taken_by <= box


@compiled
def finishes_short_hand(table: Table, box: int, seq: int) -> bool:
    """Whether a box reported short of cards may be dealt to out of its turn, and after the dealer.

    adelaide-2008 105(b) 105(c) 106.
    """
    return table.book.draw_short_hand_options != 0 and reported(table, SHORT_HAND, box) < seq
