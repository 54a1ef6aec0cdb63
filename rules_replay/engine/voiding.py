"""Which bets are void, and by what."""

from __future__ import annotations

from rules_replay.cards import total
from rules_replay.engine.dealers_cards import late_first_card
from rules_replay.engine.pieces import NEVER, Bet, Hand
from rules_replay.engine.short_hands import refused_card, was_complete
from rules_replay.engine.table import Table


def voiding(table: Table, bet: Bet) -> tuple[str, str] | None:
    """Why a bet is void and by which outcome; None where it is not (act-2018 def:Void, nz-2000 16.5)."""
    if table.void:
        return "the round is void", "void_round"
    base = bet.base
    root = bet.root
    by_hand = table.book.flag("draw.short_hand_options")
    for each in (bet, base, root):
        if each.void_at is not None:
            return "the wager was declared void", "void_wager"
        # What is withdrawn from one hand of a split leaves the others (adelaide-2008 105 106 107).
        if each.withdrawn_at is not None and (each.hand is base.hand or not by_hand):
            return "the wager was withdrawn", "void_wager"
    if base.hand.void_at is not None:
        return "the hand was declared void", "void_hand"
    if bet.kind != "main" and root.hand.void_at is not None and not beside_void_hand(table, base):
        return "the hand was declared void", "void_hand"
    if by_hand and _given_up_by_controller(table, base):
        return "the player controlling the hand withdrew", "void_hand"
    return None


def _given_up_by_controller(table: Table, base: Bet) -> bool:
    """Whether the player controlling a hand took back his wager on it and the others with him (107).

    One that was surrendered before had left the hand (73).
    """
    box = table.boxes.get(base.box)
    left_at = NEVER if base.surrendered_at is None else base.surrendered_at
    return box is not None and any(
        each.withdrawn_at is not None
        and each.withdrawn_at < left_at
        and table.controller(box, each.withdrawn_at) is each.root
        and _binds_the_hand(table, base.hand, each.withdrawn_at)
        for each in table.bets_on(base.hand)
    )


def beside_void_hand(table: Table, base: Bet) -> bool:
    """A split wager on another hand than the void one of the main wager, where single hands may be void.

    nz-2000 16.5 makes the wagers on the void hand void; ruling 10 lets the split wager go with the main one.
    Neither settlement is wrong.
    """
    apart = base.kind == "split" and base.hand.void_at is None and base.root.hand.void_at is not None
    return apart and table.book.flag("irregularity.hand_may_be_void")


def _binds_the_hand(table: Table, hand: Hand, moment: int) -> bool:
    """Whether the controlling player who withdraws takes the others on the hand with him.

    So he does for a hand with too few cards, reported or seen (adelaide-2008 107), not for one that refused
    an exposed card (103); after a dealer's first card that came late each player may go or stay
    (105(d)(ii)).
    """
    if was_complete(hand, moment):
        return False
    if table.reported_for("short_hand", hand.box) < NEVER:
        return True
    if late_first_card(table):
        return False
    if table.reported("short_hand", hand.box) < NEVER or hand.lacks_initial_card:
        return True
    return hand.pile.legible and total(hand.faces).points < 12 and not refused_card(table, hand)
