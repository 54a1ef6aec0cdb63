"""Hands with too few cards: what is owed to them, and who may refuse a card."""

from __future__ import annotations

from collections.abc import Iterator

from rules_replay.cards import total
from rules_replay.engine.pieces import NEVER, Hand
from rules_replay.engine.table import Table
from rules_replay.log import Irregularity


def owed_cards(table: Table, hand: Hand) -> bool:
    """A hand left short of the cards due to it, whose options the log cannot show (adelaide-2008 105 106).

    One that refused an exposed card stands on what it has (103).
    """
    options = table.book.flag("draw.short_hand_options")
    return options and not hand.doubled and not refused_card(table, hand)


def reported_short(table: Table, hand: Hand) -> bool:
    """Whether it is the table, and not the log, that left a hand with one card (adelaide-2008 106)."""
    return table.reported("short_hand", hand.box) < NEVER and owed_cards(table, hand)


def lacks_initial_card(table: Table, hand: Hand) -> bool:
    """A hand with too few cards of the initial deal, but for one reported and given its card since."""
    return hand.lacks_initial_card and not _short_hand_cured(table, hand)


def _short_hand_cured(table: Table, hand: Hand) -> bool:
    reported = table.reported("short_hand", hand.box) < NEVER
    return reported and table.book.flag("draw.short_hand_options") and len(hand.cards) >= 2


def was_complete(hand: Hand, moment: int) -> bool:
    """Whether a hand had all the cards that it was to have by a moment, whoever says that it was short."""
    held = tuple(drawn.card for drawn in hand.cards if drawn.seq < moment)
    points = total(held).points
    if hand.doubled_at is not None and hand.doubled_at < moment:
        return len(held) > hand.cards_at_double
    if points >= 21 or (hand.split_aces and len(held) >= 2):
        return True
    return hand.stood_at is not None and hand.stood_at < moment and points >= 12


def after_stand(table: Table, hand: Hand, seq: int) -> bool:
    """A card after a stand, but for one to a hand that failed to draw to 12 and was reported short since.

    Such a hand still has the option of drawing (adelaide-2008 50(a) 105 106).
    """
    if hand.stood_at is None or seq < hand.stood_at:
        return False
    if not table.book.flag("draw.short_hand_options"):
        return True
    stood_on = total(tuple(drawn.card for drawn in hand.cards if drawn.seq < hand.stood_at))
    return stood_on.points >= 12 or not hand.stood_at < table.reported("short_hand", hand.box) < seq


def refused_card(table: Table, hand: Hand) -> bool:
    """A player who refuses an exposed card takes no more (nz-2000 16.4, adelaide-2008 103)."""
    return any(event.box == hand.box for _, event in _refused_cards(table, hand.box))


def may_have_refused(table: Table, box: int, moment: int = NEVER) -> bool:
    """Whether an exposed card reported before a moment may be one that the player of a box refused.

    The report may name his box, the dealer's or none. He takes no more cards, and what the players refuse
    becomes the dealer's card, his second (nz-2000 16.4, adelaide-2008 103).
    """
    return any(seq < moment for seq, _ in _refused_cards(table, box))


def _refused_cards(table: Table, box: int) -> Iterator[tuple[int, Irregularity]]:
    """The reports of an exposed card that a box may have refused, where the rulebook lets it.

    It went to another: to a later box or to the dealer, unless the report names this one. Once the dealer's
    hand has two cards, nothing comes that players could have taken.
    """
    if not table.irregularities or not table.book.flag("irregularity.refused_card_to_dealer"):
        return
    for seq, event in table.irregularities:
        if event.code != "exposed_card" or event.box not in (None, 0, box):
            continue
        next_card = table.next_deal_after(seq)
        taken_by = 0 if next_card == NEVER else table.deal_at(next_card).box
        refused = taken_by != box if event.box == box else not 0 < taken_by <= box
        if refused and seq < table.dealer_second_at:
            yield seq, event


def finishes_short_hand(table: Table, box: int, seq: int) -> bool:
    """Whether a box reported short of cards may be dealt to out of its turn, and after the dealer.

    adelaide-2008 105(b) 105(c) 106.
    """
    return table.reported("short_hand", box) < seq and table.book.flag("draw.short_hand_options")
