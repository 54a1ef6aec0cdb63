"""Which bets are void, and by what."""

from __future__ import annotations

from rules_replay.cards import total
from rules_replay.engine.dealers_cards import late_first_card
from rules_replay.engine.short_hands import refused_card
from rules_replay.engine.table import NEVER, Bet, Table


def voiding(table: Table, bet: Bet) -> tuple[str, str] | None:
    """Why a bet is void and by which outcome; None where it is not (act-2018 def:Void, nz-2000 16.5)."""
    if table.void:
        return "the round is void", "void_round"
    base = bet.base
    root = bet.root
    for each in (bet, base, root):
        if each.void_at is not None:
            return "the wager was declared void", "void_wager"
        if each.withdrawn_at is not None:
            return "the wager was withdrawn", "void_wager"
    if base.hand.void_at is not None:
        return "the hand was declared void", "void_hand"
    if bet.kind != "main" and root.hand.void_at is not None and not beside_void_hand(table, base):
        return "the hand was declared void", "void_hand"
    if _controller_withdrew(table, base) and _binds_the_hand(table, bet.box):
        return "the player controlling the hand withdrew", "void_hand"
    return None


def _controller_withdrew(table: Table, base: Bet) -> bool:
    """Whether the player controlling a hand took back his main wager, or his split wager on that hand."""
    box = table.boxes.get(base.box)
    if box is None or not box.mains:
        return False
    first = box.mains[0]
    return any(
        each.withdrawn_at is not None and each.root is first
        for each in (first, *table.bets_on(base.hand))
        if each.kind in ("main", "split")
    )


def beside_void_hand(table: Table, base: Bet) -> bool:
    """A split wager on another hand than the void one of the main wager, where single hands may be void.

    nz-2000 16.5 makes the wagers on the void hand void; ruling 10 lets the split wager go with the main one.
    Neither settlement is wrong.
    """
    apart = base.kind == "split" and base.hand.void_at is None and base.root.hand.void_at is not None
    return apart and table.book.flag("irregularity.hand_may_be_void")


def _binds_the_hand(table: Table, box: int) -> bool:
    """Whether the controlling player who withdraws takes the others on the hand with him.

    So he does for a hand with too few cards, reported or seen (adelaide-2008 107), not for one that refused
    an exposed card (103); after a dealer's first card that came late each player may go or stay
    (105(d)(ii)).
    """
    if not table.book.flag("draw.short_hand_options"):
        return False
    if table.reported_for("short_hand", box) < NEVER:
        return True
    if late_first_card(table):
        return False
    return table.reported("short_hand", box) < NEVER or any(
        hand.lacks_initial_card
        or (hand.pile.legible and total(hand.faces).points < 12 and not refused_card(table, hand))
        for hand in table
        if hand.box == box
    )
