"""What the dealer's cards come to by themselves, whatever the players' hands need of him."""

from __future__ import annotations

from rules_replay.kernel.codes import ACE, KING, NEVER, NOT
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.count import best, is_soft, picture, rank, readable, value
from rules_replay.kernel.facts import late_first_card
from rules_replay.kernel.records import Table


@compiled
def must_draw(points: int, soft: bool) -> bool:
    """The dealer draws to hard 16 and to soft 17."""
    return points <= 17 if soft else points <= 16


@inlined
def count_dealer(table: Table) -> None:
    """Count the dealer's cards up to where the rules make him stop."""
    head = table.space.head
    counting = 0
    points = 0
    aces = 0
    unread = False
    foreign = False
    done_at = NEVER
    seq = table.space.hands[0].first
    while seq != NOT:
        card = int(table.space.events[seq].card)
        counting += 1
        done_at = seq
        points += value(card)
        aces += rank(card) == ACE
        unread |= not readable(card)
        foreign |= readable(card) and rank(card) > KING
        stops = not must_draw(best(points, aces, 0), is_soft(points, aces, 0))
        if counting >= 2 and stops and not unread:
            break
        seq = table.space.links[seq].next
    head.dealer_counting = counting
    head.dealer_done_at = done_at
    head.dealer_points = best(points, aces, 0)
    head.dealer_soft = is_soft(points, aces, 0)
    head.dealer_unread = unread
    head.dealer_foreign = foreign
    head.dealer_pontoon = counting >= 2 and not late_first_card(table) and begins_with_pontoon(table)


@compiled
def begins_with_pontoon(table: Table) -> bool:
    """An ace and a picture as the dealer's first two cards, of which there are two."""
    first = table.space.hands[0].first
    one = table.space.events[first].card
    two = table.space.events[table.space.links[first].next].card
    return (rank(one) == ACE and picture(two)) or (rank(two) == ACE and picture(one))


@compiled
def nothing_left_from(table: Table) -> int:
    """Seq of the card with which the dealer went over 21 or had Pontoon, `NEVER` where he did neither."""
    head = table.space.head
    decided = not head.dealer_unread and (head.dealer_points > 21 or head.dealer_pontoon)
    return int(head.dealer_done_at) if decided else NEVER
