"""Cards burned off a hand that they were due to.

A card that came by mistake may be burned (act-2018 15.2 15.3, nz-2000 16.3 16.5, adelaide-2008 104 109), and
any irregularity that the table reported may be why. Any other was the hand's: taken off it, another comes in
its place, and the log no longer fixes what the hand became.
"""

from __future__ import annotations

from rules_replay.engine.dealer import Needs, came_early, must_draw
from rules_replay.engine.dealing import offence
from rules_replay.engine.report import Report
from rules_replay.engine.table import Draw, Hand, Removal, Table


def due_to_players(table: Table) -> dict[Hand, Removal]:
    """The first card burned off each hand of a box that it was due to."""
    found: dict[Hand, Removal] = {}
    for removal in table.removals:
        if removal.hand is not table.dealer and removal.hand not in found and _due_to_player(table, removal):
            found[removal.hand] = removal
    return found


def due_to_dealer(table: Table, needs: Needs) -> dict[Hand, Removal]:
    """The first card burned off the dealer's hand that he was to have, if there is one."""
    for removal in table.removals:
        if removal.hand is table.dealer and _due_to_dealer(table, removal, needs):
            return {table.dealer: removal}
    return {}


def check_removals(table: Table, report: Report) -> None:
    """A card that a hand was to have stays on it: once a hand."""
    for removal in table.removals:
        if table.disturbed.get(removal.hand) is removal:
            report.find(
                "deal.burned-off",
                seq=removal.seq,
                hand=removal.hand,
                expected="the card left on the hand that it was due to, or an irregularity reported",
                recorded=f"{removal.drawn.card} burned off it",
            )


def _may_have_been_wrong(table: Table, removal: Removal) -> bool:
    """Whether the log names a reason to take the card away, or may lack one."""
    hand, taken = removal.hand, removal.drawn.card
    if "burns" not in table.facts or table.void or hand.void_at is not None:
        return True
    if taken.foreign or not taken.readable:
        return True
    return any(hand is table.dealer or event.box in (None, 0, hand.box) for _, event in table.irregularities)


def _due_to_player(table: Table, removal: Removal) -> bool:
    hand, drawn = removal.hand, removal.drawn
    if hand.superfluous or _may_have_been_wrong(table, removal):
        return False
    if all(bet.void_at is not None or bet.withdrawn_at is not None for bet in table.bets_on(hand)):
        return False
    if drawn.initial:
        return removal.in_order
    draw = next(each for each in table.draws if each.seq == drawn.seq)
    return "decisions" in table.facts and _could_draw(table, draw) and _in_turn(table, draw)


def _could_draw(table: Table, draw: Draw) -> bool:
    """Whether a further card was open to a hand, the one card of a double included."""
    hand = draw.hand
    doubled = hand.doubled_at is not None and draw.seq > hand.doubled_at
    if not table.initial_done_at < draw.seq < table.first_second_at:
        return False
    if doubled and len(draw.before) != hand.cards_at_double:
        return False
    return draw.before.legible and offence(table, draw) is None


def _in_turn(table: Table, draw: Draw) -> bool:
    """Whether the cards and options of others show the hand to be the one in turn."""
    hand, before = draw.hand, None
    for seq, other in table.moves:
        earlier = seq < draw.seq
        if other.box != hand.box and earlier == (other.box > hand.box):
            return False
        if other.box == hand.box and earlier:
            before = other
        elif other is before and other is not hand and seq > draw.seq:
            return False
    return True


def _due_to_dealer(table: Table, removal: Removal, needs: Needs) -> bool:
    if _may_have_been_wrong(table, removal):
        return False
    if len(removal.below) == 0:
        return removal.in_order
    if came_early(table, table.first_second_at):
        return False
    if len(removal.below) == 1:
        return needs.second == "yes"
    return removal.below.legible and must_draw(removal.below.total()) and needs.total == "yes"
