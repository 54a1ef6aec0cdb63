"""The initial deal: who is dealt to, when it is over, and how it opens again."""

from __future__ import annotations

from itertools import takewhile

from rules_replay import log
from rules_replay.cards import Card, card
from rules_replay.engine.acts import Draw, Removal
from rules_replay.engine.excess import deal_too_many, is_excess, look_back, take_back_excess
from rules_replay.engine.pieces import NEVER, Drawn, Hand
from rules_replay.engine.table import Table, gone_at, hand_of, hands_in_order


def participants(round_: log.Round) -> tuple[int, ...]:
    """Boxes with a main wager before the first card: those the initial deal goes round.

    A box whose main wagers were all void or taken back by then, and that got no card, is none of them.
    """
    mains: dict[str, int] = {}
    gone: set[str] = set()
    for event in round_.events:
        if isinstance(event, log.Deal):
            break
        if isinstance(event, log.Wager) and event.kind == "main":
            mains[event.id] = event.box
        elif isinstance(event, log.Withdraw) or (isinstance(event, log.Void) and event.scope == "wager"):
            gone.add(event.wager or "")
    boxes = {box for wager, box in mains.items() if wager not in gone}
    if len(boxes) < len(set(mains.values())):
        boxes |= set(mains.values()) & {event.box for event in round_.events if isinstance(event, log.Deal)}
    return tuple(sorted(boxes))


def deal(table: Table, seq: int, event: log.Deal) -> None:
    """A card comes to a hand: one of the initial deal until that is over, and a draw after it."""
    drawn = card(event.card)
    table.first_card_at = min(table.first_card_at, seq)
    table.last_deal_at = seq
    table.deals.append(seq)
    if drawn.foreign or not drawn.readable:
        _note_odd_card(table, seq, drawn, event.box, event.hand)
    if drawn.rank == "JK" and table.book.word("deck.joker") == "promotional":
        return
    hand = hand_of(table, event.box, event.hand)
    if event.box == 0:
        _deal_to_dealer(table, seq, drawn)
        return
    if not table.boxes[event.box].mains:
        hand.superfluous = True
        hand.take(Drawn(drawn, seq, initial=False))
        return
    if table.initial_closed_at == NEVER and not hand.of_split and len(hand.cards) < 2:
        hand.take(Drawn(drawn, seq, initial=True))
        table.initial_sequence.append((seq, event.box))
        _end_initial_when_complete(table, seq)
        return
    if is_excess(table, seq):
        deal_too_many(table, hand, Drawn(drawn, seq, initial=False))
        return
    close_initial(table, seq)
    table.subsequent_at = min(table.subsequent_at, seq)
    table.draws.append(Draw(seq=seq, hand=hand, before=hand.pile, dealer_cards=len(table.dealer.cards)))
    hand.take(Drawn(drawn, seq, initial=False))


def _deal_to_dealer(table: Table, seq: int, drawn: Card) -> None:
    count = len(table.dealer.cards)
    if count == 0 and table.initial_closed_at == NEVER:
        table.initial_sequence.append((seq, 0))
    if count == 1:
        table.dealer_second_at = seq
        table.first_second_at = min(table.first_second_at, seq)
    elif count == 2:
        close_initial(table, seq)
    table.dealer.take(Drawn(drawn, seq, initial=count == 0))
    if count == 0:
        _end_initial_when_complete(table, seq)


def _note_odd_card(table: Table, seq: int, drawn: Card, box: int, hand: int) -> None:
    if not drawn.readable:
        table.unreadable.append((seq, box, hand))
    if drawn.foreign:
        table.foreign.append((seq, drawn, box, hand))


def _end_initial_when_complete(table: Table, seq: int) -> None:
    if table.initial_closed_at != NEVER or not table.dealer.cards:
        return
    if not all(len(hand_of(table, box, 1).cards) >= 2 for box in table.participants):
        return
    table.served_at = min(table.served_at, seq)
    look_back(table)
    if not _late_box_waits(table):
        table.initial_done_at = seq
        table.initial_closed_at = seq


def _late_box_waits(table: Table) -> bool:
    """Whether a box on which a main wager was placed after the first card has one card of the deal.

    The deal goes round to it as well (rws-2017 3.6, act-2018 6.2, nz-2000 8.2, adelaide-2008 47).
    """
    first = [box.hands[1] for box in table.boxes.values() if box.mains and 1 in box.hands]
    return any(len(hand.cards) == 1 and hand.cards[0].initial for hand in first)


def close_initial(table: Table, seq: int) -> None:
    """The initial deal is over by what follows it, whether or not every card came.

    It was over with the dealer's second card, unless cards of it came after that card (ruling 12).
    """
    if table.initial_closed_at != NEVER:
        return
    if table.served_at != NEVER:
        # Only a box with a late wager waits for a card, and that in vain.
        table.initial_done_at = table.initial_closed_at = table.served_at
        return
    table.initial_closed_at = min(seq, table.dealer_second_at)
    for box in table.participants:
        hand = hand_of(table, box, 1)
        hand.lacks_initial_card = len(hand.cards) < 2
    table.dealer.lacks_initial_card = not table.dealer.cards


def miss_initial_cards(table: Table) -> None:
    """Cards of the initial deal that a log lacks in which nothing but settlements follows it.

    A box whose main wager was settled should have two cards by then, and the dealer one (act-2018 6.2,
    nz-2000 8.2, rws-2017 3.6). A settlement ends no deal, so only the end shows it.
    """
    settled_at = -1
    for box in table.participants:
        kept = [bet for bet in table.boxes[box].mains if gone_at(bet) == NEVER]
        settled = [seq for bet in kept for seq, _ in bet.standing_lines("stake")]
        hand = hand_of(table, box, 1)
        hand.lacks_initial_card = bool(settled) and len(hand.cards) < 2
        settled_at = max(settled_at, *settled, -1)
    table.dealer.lacks_initial_card = settled_at >= 0 and not table.dealer.cards
    if settled_at >= 0:
        table.initial_closed_at = settled_at


def burn(table: Table, seq: int, event: log.Burn) -> None:
    """A card leaves the shoe, or the hand on which it was the last."""
    burned = card(event.card)
    if event.source == "shoe":
        table.burned_at = min(table.burned_at, seq)
        if burned.foreign:
            table.foreign.append((seq, burned, event.box or 0, event.hand))
        return
    hand = hand_of(table, event.box or 0, event.hand)
    joker = burned.rank == "JK" and table.book.word("deck.joker") == "promotional"
    if not hand.cards or joker:
        return
    if hand.excess and hand.excess[-1].seq > hand.cards[-1].seq:
        take_back_excess(table, hand)
        return
    removed = hand.drop()
    table.taken_back.add(removed.seq)
    in_order = removed.initial and _came_in_order(table, hand, removed.seq)
    table.removals.append(Removal(seq=seq, hand=hand, drawn=removed, below=hand.pile, in_order=in_order))
    if removed.initial:
        _take_back_initial(table, removed.seq)
    elif removed.seq == table.dealer_second_at:
        # He has none yet (act-2018 15.3).
        table.dealer_second_at = NEVER
    elif table.initial_done_at == NEVER and _only_interrupted(table, removed.seq):
        table.subsequent_at = NEVER
        _reopen_initial(table)


def _came_in_order(table: Table, hand: Hand, seq: int) -> bool:
    """Whether a card of the initial deal, which lies on its hand no more, came once round and in turn.

    Once round the boxes, the dealer, once round again (act-2018 6.2, nz-2000 8.2, rws-2017 3.6,
    adelaide-2008 47).
    """
    if hand is not table.dealer and hand.box not in table.participants:
        return False
    had = len(hand.cards)
    dealers = sum(drawn.seq < seq for drawn in table.dealer.cards)
    if hand is table.dealer:
        due = dict.fromkeys(table.participants, 1)
    elif dealers != had:
        return False
    else:
        due = {box: had + (box < hand.box) for box in table.participants if box != hand.box}
    return all(
        sum(drawn.seq < seq for drawn in hand_of(table, box, 1).cards) == count for box, count in due.items()
    )


def _only_interrupted(table: Table, seq: int) -> bool:
    """Whether a card burned off its hand had ended the initial deal, and nothing that counts came since.

    The deal goes on (act-2018 15.3, nz-2000 16.5, rws-2017 5.1.2, adelaide-2008 105).
    """
    decisions = (table.stands, table.surrenders, table.splits, table.doubles)
    if seq != table.initial_closed_at or any(acts and acts[-1].seq > seq for acts in decisions):
        return False
    since = takewhile(lambda draw: draw.seq > seq, reversed(table.draws))
    return all(draw.seq in table.taken_back for draw in since)


def _take_back_initial(table: Table, seq: int) -> None:
    """A card of the initial deal was removed: the deal is open again until play begins."""
    table.initial_sequence = [each for each in table.initial_sequence if each[0] != seq]
    if table.subsequent_at == NEVER and table.dealer_second_at == NEVER:
        table.initial_done_at = NEVER
        _reopen_initial(table)


def _reopen_initial(table: Table) -> None:
    table.initial_closed_at = NEVER
    table.served_at = NEVER
    for hand in (table.dealer, *hands_in_order(table)):
        hand.lacks_initial_card = False
