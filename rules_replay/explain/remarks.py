"""What happened by an event, beyond the event itself."""

from __future__ import annotations

from rules_replay import log
from rules_replay.cards import total
from rules_replay.engine.dealers_cards import is_dealer_pontoon, must_draw
from rules_replay.engine.pieces import Hand
from rules_replay.engine.standing import reading_aces
from rules_replay.engine.table import Table, hand_total, is_pontoon
from rules_replay.explain.data import Ground, settlement
from rules_replay.explain.moments import AtTable, hand_at
from rules_replay.explain.wording import legible
from rules_replay.explain.working import Working

_TOO_MANY = Ground(text="the initial deal was not over: a card too many, or others lack theirs")
_BURNED_LATER = Ground(text="taken off the hand again later: it does not count")


def remarks_at(work: Working, seq: int) -> list[Ground]:
    """What is remarked at an event of a judged round."""
    event = work.round.events[seq]
    match event:
        case log.Wager():
            return _wager_remarks(work, event)
        case log.Deal(box=0):
            return _dealer_remarks(work, seq)
        case log.Deal():
            return _deal_remarks(work, seq, event)
        case log.Double():
            return _double_remarks(work, seq, event)
        case log.Surrender():
            return _surrender_remarks(work, seq, event)
        case log.Settle(reverses=None):
            return _settle_remarks(work, seq, event)
        case _:
            return []


def _wager_remarks(work: Working, event: log.Wager) -> list[Ground]:
    remarks = []
    mains = work.mains(event.box)
    if event.kind == "main" and len(mains) > 1:
        first = mains[0].id == event.id
        remarks.append(Ground(text="controls the box" if first else "a co-wagerer on the box"))
    effective = work.table.bets[event.id].effective
    if effective == event.amount:
        return remarks
    clause = work.cited(work.book.outcomes["over_maximum"])
    return [*remarks, Ground(text=f"counts as {work.money(effective)}, the maximum", clause=clause)]


def _deal_remarks(work: Working, seq: int, event: log.Deal) -> list[Ground]:
    table = work.tables[seq + 1]
    hand = hand_at(table, event.box, event.hand)
    if hand is not None and hand.excess and hand.excess[-1].seq == seq:
        return [_TOO_MANY, *_burned_later(work, seq)]
    if hand is None or not hand.cards or hand.cards[-1].seq != seq:
        return []
    remarks = _co_wagerer_totals(work, table, hand)
    if hand.lacks_initial_card and len(hand.cards) == 2:
        remarks.append(Ground(text="the card that the initial deal left out"))
    counted = hand_total(table, hand)
    if counted.bust:
        remarks.append(Ground(text="over 21"))
    elif is_pontoon(hand, hand.faces) and not hand.doubled:
        remarks.append(Ground(text="Pontoon", clause=work.book.outcome_clause("win_pontoon")))
    elif hand.of_split and is_pontoon(Hand(box=hand.box, no=hand.no), hand.faces):
        clause = work.book.outcome_clause("split_21_not_pontoon")
        remarks.append(Ground(text="21 and not Pontoon: the hand came from a split", clause=clause))
    return [*remarks, *_burned_later(work, seq)]


def _burned_later(work: Working, seq: int) -> list[Ground]:
    lies = any(drawn.seq == seq for hand in work.table for drawn in (*hand.cards, *hand.excess))
    return [] if lies else [_BURNED_LATER]


def _co_wagerer_totals(work: Working, table: Table, hand: Hand) -> list[Ground]:
    """Totals of those who did not double, where theirs is another."""
    counted = hand_total(table, hand)
    remarks = []
    for bet in table.bets_on(hand) if hand.doubled else []:
        own = total(hand.faces, reading_aces(table, bet))
        if own != counted:
            clause = work.cited(work.book.readings["co_wagerer_not_doubling_total"].clause)
            text = f"{own} for {bet.player}, who did not double (wager {bet.id})"
            remarks.append(Ground(text=text, clause=clause))
    return remarks


def _surrender_remarks(work: Working, seq: int, event: log.Surrender) -> list[Ground]:
    """Who makes the decisions from here, where the surrender passes them on."""
    before, after = (
        table.controller(table.boxes[event.box], seq + 1) if event.box in table.boxes else None
        for table in work.tables[seq : seq + 2]
    )
    if before is None or after is None or before.id == after.id or after.surrendered_at is not None:
        return []
    return [Ground(text=f"{after.player} controls the box from here (wager {after.id})")]


def _double_remarks(work: Working, seq: int, event: log.Double) -> list[Ground]:
    before, after = (AtTable(table) for table in work.tables[seq : seq + 2])
    was, now = before.total(event.box, event.hand), after.total(event.box, event.hand)
    if was == now:
        return []
    clause = work.book.outcome_clause("ace_in_double")
    return [Ground(text=f"an ace of a doubled hand counts one: {was} becomes {now}", clause=clause)]


def _dealer_remarks(work: Working, seq: int) -> list[Ground]:
    """Pontoon, a card that does not count, and where the dealer stops."""
    dealer, counting = work.table.dealer, work.played.dealer
    place = next((place for place, drawn in enumerate(dealer.cards) if drawn.seq == seq), None)
    if place is None:
        return [_BURNED_LATER]
    if place >= len(counting.cards):
        return [Ground(text=f"left out of the settlement, which counts {counting.total}")]
    if place == 1 and is_dealer_pontoon(work.table, dealer.faces):
        return [Ground(text="the dealer has Pontoon")]
    if place != len(counting.cards) - 1 or place == 0 or not counting.finished:
        return []
    return _dealer_stops(work)


def _dealer_stops(work: Working) -> list[Ground]:
    counting = work.played.dealer
    if counting.total.bust:
        return [Ground(text="the dealer is over 21")]
    if not legible(counting.cards):
        return []
    if not must_draw(counting.total):
        clause = work.book.outcome_clause("dealer_draw")
        return [Ground(text=f"the dealer stops on {counting.total}", clause=clause)]
    if work.played.needs.total == "no":
        clause = work.cited(work.book.outcomes["dealer_no_effect"])
        return [Ground(text="the dealer stops: no hand was left to play against", clause=clause)]
    return []


def _settle_remarks(work: Working, seq: int, event: log.Settle) -> list[Ground]:
    if seq in work.undone_at:
        return [Ground(text=f"undone at event {work.undone_at[seq]}")]
    row = work.line_closed_by(seq, event)
    if row is None:
        return []
    remarks = []
    if len(work.standing_lines(event.wager, event.line)) > 1:
        remarks.append(Ground(text=f"together with what went before: {settlement(row.recorded)}"))
    if row.expected is None:
        undecided = f"what was due cannot be decided: {row.reason}"
        due = undecided if row.line == "stake" else "nothing was due"
        remarks.append(Ground(text=due, clause=row.clause))
    elif row.expected != row.recorded:
        remarks.append(Ground(text=f"due: {settlement(row.expected)}", clause=row.clause))
    return remarks
