"""Cards burned off a hand that they were due to.

A card that came by mistake may be burned (act-2018 15.2 15.3, nz-2000 16.3 16.5, adelaide-2008 104 109), and
any irregularity of the cards that the table reported may be why. Any other was the hand's: taken off it,
another comes in its place, and the log no longer fixes what the hand became. One that was not the hand's
and came with nothing reported was another's, who never had it (nz-2000 16.2, adelaide-2008 102 103).
"""

from __future__ import annotations

from rules_replay.engine.acts import Draw, Removal
from rules_replay.engine.dealer import Needs, came_early
from rules_replay.engine.dealers_cards import must_draw
from rules_replay.engine.dealing import offence, reported_misdealt
from rules_replay.engine.pieces import Hand
from rules_replay.engine.report import Report
from rules_replay.engine.table import Table


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
    """A card that a hand was to have stays on it: once a hand.

    Whether the dealer's second card came early, and had to be burned, decisions tell (act-2018 15.3).
    """
    for removal in table.removals:
        dealers_second = removal.hand is table.dealer and len(removal.below) == 1
        if dealers_second and "decisions" not in table.facts:
            continue
        if table.disturbed.get(removal.hand) is removal:
            report.find(
                "deal.burned-off",
                seq=removal.seq,
                hand=removal.hand,
                expected="the card left on the hand that it was due to, or an irregularity reported",
                recorded=f"{removal.drawn.card} burned off it",
            )
    _check_superfluous(table, report)
    _check_out_of_turn(table, report)


def _check_superfluous(table: Table, report: Report) -> None:
    """Cards dealt to a box without a main wager, and all burned off it with nothing reported: once a hand."""
    seen: set[Hand] = set()
    for removal in table.removals:
        hand = removal.hand
        if not hand.superfluous or hand.cards or hand in seen or _may_have_been_wrong(table, removal):
            continue
        seen.add(hand)
        report.find(
            "deal.superfluous-hand",
            seq=removal.drawn.seq,
            hand=hand,
            severity="procedure",
            expected="no cards to a box without a main wager, or an irregularity reported",
            recorded=f"{removal.drawn.card} dealt to it and burned",
        )


def _check_out_of_turn(table: Table, report: Report) -> None:
    """A further card to a hand out of its turn, burned off it with nothing reported; once a round."""
    if any(each.code == "deal.turn-order" for each in report.findings):
        return
    for removal in table.removals:
        hand = removal.hand
        if hand is table.dealer or hand.superfluous or removal.drawn.initial:
            continue
        if _may_have_been_wrong(table, removal) or _off(table, hand):
            continue
        draw = _draw_of(table, removal)
        if _could_draw(table, draw) and not _in_turn(table, draw):
            report.find(
                "deal.turn-order",
                seq=draw.seq,
                hand=hand,
                severity="procedure",
                expected="a card to the hand in turn, or an irregularity reported",
                recorded=f"{removal.drawn.card} dealt to hand {hand.no} of box {hand.box} and burned",
            )
            return


def _may_have_been_wrong(table: Table, removal: Removal) -> bool:
    """Whether the log names a reason to take the card away, or may lack one."""
    hand, taken = removal.hand, removal.drawn.card
    if "burns" not in table.facts or table.void or hand.void_at is not None:
        return True
    if taken.foreign or not taken.readable:
        return True
    return reported_misdealt(table, hand.box)


def _due_to_player(table: Table, removal: Removal) -> bool:
    hand, drawn = removal.hand, removal.drawn
    if hand.superfluous or _may_have_been_wrong(table, removal):
        return False
    if _off(table, hand):
        return False
    if drawn.initial:
        return removal.in_order
    draw = _draw_of(table, removal)
    return "decisions" in table.facts and _could_draw(table, draw) and _in_turn(table, draw)


def _off(table: Table, hand: Hand) -> bool:
    """Whether every wager on a hand was declared void or taken back."""
    return all(bet.void_at is not None or bet.withdrawn_at is not None for bet in table.bets_on(hand))


def _draw_of(table: Table, removal: Removal) -> Draw:
    return next(each for each in table.draws if each.seq == removal.drawn.seq)


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
