"""Cards too many of the initial deal: a third one to a box while others waited for theirs.

They end no deal and no option that is open until it is over; the log does not say whose they were, nor what
their hand became. Where the later cards may be further ones, it may lack those of the deal instead.
"""

from __future__ import annotations

from itertools import islice

from rules_replay import log
from rules_replay.cards import card
from rules_replay.engine.pieces import NEVER, Drawn, Hand
from rules_replay.engine.table import Table, hand_of, hands_in_order

_AFTER_THE_DEAL = ("insurance", "split", "double")
_DECISIONS = (log.Stand, log.Surrender, log.Split, log.Double, log.Forfeit, log.Assign)
_UNDECIDED = ("absent_player", "short_hand", "exposed_card")


def is_excess(table: Table, seq: int) -> bool:
    """Whether a card to a hand that has its two is one too many of the initial deal, which then went on.

    Nothing that comes after that deal had come, and nothing of it came before every box had two cards and the
    dealer one (act-2018 6.2 9.1 10.1, nz-2000 8.2, rws-2017 3.6, adelaide-2008 47). Where he alone lacked
    his, the deal had gone round and was taken to be over.
    """
    if table.initial_closed_at != NEVER or table.served_at != NEVER or not _waiting_boxes(table):
        return False
    if table.goes_on[0] < seq:
        table.goes_on = (NEVER, False) if _has_gone_on(table) else _look_ahead(table, seq)
    return table.goes_on[1]


def _waiting_boxes(table: Table) -> set[int]:
    return {box for box in table.participants if len(hand_of(table, box, 1).cards) < 2}


def _has_gone_on(table: Table) -> bool:
    acts = (table.stands, table.surrenders, table.splits, table.doubles, table.forfeits, table.assigns)
    return any(acts) or any(bet.kind in _AFTER_THE_DEAL for bet in table.bets.values())


def _look_ahead(table: Table, seq: int) -> tuple[int, bool]:
    """Where in the log the initial deal is complete, and True; or what first shows that it did not go on."""
    due = dict.fromkeys(table.participants, 2) | {0: 1}
    lying = {box: len(hand_of(table, box, 1).lying) for box in due}
    waiting = sum(lying[box] < least for box, least in due.items())
    for place, event in enumerate(islice(table.events, seq, None), seq):
        if isinstance(event, _DECISIONS) or (isinstance(event, log.Wager) and event.kind in _AFTER_THE_DEAL):
            return place, False
        if not isinstance(event, log.Deal | log.Burn):
            continue
        box = event.box or 0
        if box not in due or (box != 0 and event.hand != 1):
            continue
        waited = lying[box] < due[box]
        lying[box] = max(lying[box] + _more_cards(table, event), 0)
        if lying[0] > 2:
            return place, False
        waiting += (lying[box] < due[box]) - waited
        if waiting == 0:
            return place, True
    return NEVER, False


def _more_cards(table: Table, event: log.Deal | log.Burn) -> int:
    """How many more cards lie on a hand by an event; a promotional joker lies on none (adelaide-2008 6)."""
    if card(event.card).rank == "JK" and table.book.word("deck.joker") == "promotional":
        return 0
    if isinstance(event, log.Deal):
        return 1
    return 0 if event.source == "shoe" else -1


def deal_too_many(table: Table, hand: Hand, drawn: Drawn) -> None:
    """The card lies beside the hand: what is done with that is judged by the others."""
    table.passed_over |= _waiting_boxes(table)
    if not table.dealer.cards:
        table.passed_over.add(0)
    hand.overdealt = True
    hand.excess.append(drawn)
    table.initial_sequence.append((drawn.seq, hand.box))


def look_back(table: Table) -> None:
    """The initial deal is complete: did a card too many come, or does the log lack one of others?"""
    if not table.passed_over:
        return
    overdealt = [hand for hand in hands_in_order(table) if hand.excess]
    unsure = any(_may_be_done(table, hand) for hand in overdealt)
    for box in table.passed_over:
        hand_of(table, box, 1).lacks_initial_card = unsure
    if unsure:
        too_many = {drawn.seq for hand in overdealt for drawn in hand.excess}
        table.initial_sequence = [each for each in table.initial_sequence if each[0] not in too_many]


def _may_be_done(table: Table, hand: Hand) -> bool:
    """Whether a hand may have taken its further cards and was finished without a stand.

    So is one with 21 or over it, and one whose player was absent, short of cards or refused one (act-2018
    10.2 15.7, nz-2000 16.4 16.6, rws-2017 3.11, adelaide-2008 50 103 105). Then the later cards of those that
    waited may be further ones too.
    """
    if "decisions" not in table.facts or any(event.code in _UNDECIDED for _, event in table.irregularities):
        return True
    return not hand.lying.legible or hand.lying.total().points >= 21


def take_back_excess(table: Table, hand: Hand) -> None:
    """The last of the cards too many of a hand is burned."""
    removed = hand.excess.pop()
    hand.overdealt = bool(hand.excess)
    table.taken_back.add(removed.seq)
    table.initial_sequence = [each for each in table.initial_sequence if each[0] != removed.seq]
    if table.served_at != NEVER:
        look_back(table)
