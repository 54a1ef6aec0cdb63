"""When things were done: collections, payments, surrenders and calls in the order the rulebook sets.

A settlement belongs to the moment at which it was first recorded: one undone and made again later was in
time, and one undone and made again in its time was not too early. A wager that was never settled, or settled
wrongly, is found as that and not also as late.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice

from rules_replay.engine.dealer import DealerHand, pontoon_possible
from rules_replay.engine.pieces import NEVER, Bet, Hand
from rules_replay.engine.placing import third_party_allowed
from rules_replay.engine.report import Report
from rules_replay.engine.standing import Standing
from rules_replay.engine.table import Table
from rules_replay.engine.terms import Due
from rules_replay.log import Deal


def check_timing(
    table: Table, standings: dict[str, Standing], dealer: DealerHand, dues: dict[str, Due], report: Report
) -> None:
    """The moments of a round, in the order of play."""
    _check_call(table, report)
    _check_presses(table, report)
    _check_assigned_in_time(table, report)
    if table.void:
        return
    _check_pontoons_before_surrender(table, standings, report)
    _check_bust_collected(table, standings, report)
    for bet in table.insurance_bets:
        _check_insurance_moment(table, bet, standings, dues, report)
    _check_half_collected(table, standings, dealer, report)


def _check_call(table: Table, report: Report) -> None:
    """act-2018 6.2, nz-2000 8.2, adelaide-2008 15."""
    if table.first_card_at < table.no_more_bets_at < NEVER:
        report.find(
            "deal.late-call",
            seq=table.no_more_bets_at,
            expected="the call of no more bets before the first card",
            recorded=f"the first card at event {table.first_card_at}, the call after it",
        )


def _check_presses(table: Table, report: Report) -> None:
    """rws-2017 3.8.1: the button goes clockwise from the dealer's left."""
    highest = 0
    for seq, press in table.presses:
        if press.box < highest:
            report.find(
                "jackpot.press-order",
                seq=seq,
                box=press.box,
                expected=f"box {highest} after box {press.box}",
                recorded=f"box {press.box} after box {highest}",
            )
            return
        highest = press.box


def _check_assigned_in_time(table: Table, report: Report) -> None:
    """nz-2000 15.3(d): the co-wagerer chooses before any further card since his own hand was split."""
    for act in table.assigns:
        own = table.ridden(act.bet, act.seq)
        splits = [split.seq for split in table.splits if split.hand is own and split.seq < act.seq]
        formed = max(splits, default=NEVER)
        further = table.next_deal_after(formed)
        if further < act.seq:
            report.find(
                "split.assign-late",
                seq=act.seq,
                bet=act.bet,
                expected="the hand chosen before a further card was dealt",
                recorded=f"a card at event {further}, the choice after it",
            )


def stands_from(bet: Bet) -> int:
    """Seq of the first settlement of a bet's stake that was not undone, `NEVER` where there is none."""
    return next((seq for seq, _ in bet.standing_lines("stake")), NEVER)


def _collected(bet: Bet) -> bool:
    return any(settle.taken for _, settle in bet.standing_lines("stake"))


def _paid(bet: Bet) -> bool:
    return any(settle.paid for _, settle in bet.standing_lines("stake"))


def _check_pontoons_before_surrender(table: Table, standings: dict[str, Standing], report: Report) -> None:
    """act-2018 9.1, nz-2000 def:Surrender, adelaide-2008 61 70.

    A Pontoon still unpaid when a further card came is `interim.pontoon-unpaid` and not also this.
    """
    if not table.surrenders:
        return
    further = table.next_deal_after(table.initial_done_at) if table.initial_complete else NEVER
    paid = [
        bet.settled_at
        for bet in table.on_hands
        if standings[bet.id].place == "pontoon" and bet.settled_at < further
    ]
    last_paid = max(paid, default=-1)
    boxes: set[int] = set()
    for act in table.surrenders:
        if last_paid > act.seq and act.hand.box not in boxes:
            boxes.add(act.hand.box)
            report.find(
                "surrender.before-interim",
                seq=act.seq,
                hand=act.hand,
                expected="every Pontoon paid before a surrender",
                recorded=f"surrendered at event {act.seq}, a Pontoon paid at event {last_paid}",
            )


def _check_bust_collected(table: Table, standings: dict[str, Standing], report: Report) -> None:
    """nz-2000 14.2, rws-2017 3.16, adelaide-2008 51.

    A card to the hand that is over 21 is `draw.after-bust` and not also this.
    """
    for bet in table.on_hands:
        at = standings[bet.id]
        if at.place != "bust" or not _collected(bet) or _waits_for_dealer(table, bet):
            continue
        hand = bet.base.hand
        over = max(hand.cards[len(at.cards) - 1].seq, bet.seq)
        further = _next_deal_elsewhere(table, hand, over)
        if further < bet.settled_at:
            report.find(
                "interim.bust-uncollected",
                seq=further,
                bet=bet,
                expected="collected before a further card was dealt",
                recorded=f"collected at event {bet.settled_at}, a card was dealt at event {further}",
            )


def _waits_for_dealer(table: Table, bet: Bet) -> bool:
    """Under one reading a doubled bust still turns on the dealer's Pontoon."""
    original_only = table.book.reads("doubled_bust_dealer_pontoon") == "original_only"
    return bet.base.hand.doubled and original_only and pontoon_possible(table)


def _next_deal_elsewhere(table: Table, hand: Hand, after: int) -> int:
    for seq in islice(table.deals, bisect_right(table.deals, after), None):
        event = table.round.events[seq]
        assert isinstance(event, Deal)
        if (event.box, event.hand) != (hand.box, hand.no):
            return seq
    return NEVER


def _check_insurance_moment(
    table: Table, bet: Bet, standings: dict[str, Standing], dues: dict[str, Due], report: Report
) -> None:
    """Insurance that nobody could place has no moment of its own."""
    due = dues[bet.id].expected
    if due is None or bet.settled_at == NEVER or len(table.dealer.cards) < 2:
        return
    if bet.on is None or (bet.player != bet.on.player and not third_party_allowed(table, bet.on)):
        return
    if due.result == "lose" and _collected(bet):
        _check_lost_insurance(table, bet, report)
    elif due.result == "win" and _paid(bet):
        _check_won_insurance(table, bet, standings, report)


def _check_lost_insurance(table: Table, bet: Bet, report: Report) -> None:
    """act-2018 7.5[2](a), nz-2000 10.6, adelaide-2008 26(b)."""
    second, third = (*(drawn.seq for drawn in table.dealer.cards[1:3]), NEVER)[:2]
    if bet.seq < third and not any(second < moment < third for moment in (bet.settled_at, stands_from(bet))):
        report.find(
            "insurance.lost-uncollected",
            seq=bet.settled_at,
            bet=bet,
            expected="collected after the dealer's second card and before any more",
            recorded=f"collected {'before the second' if bet.settled_at < second else 'after a third'}",
        )


def _check_won_insurance(table: Table, bet: Bet, standings: dict[str, Standing], report: Report) -> None:
    """act-2018 7.5[2](b): paid on completion of the final settlement, to which interim ones do not belong."""
    final = [each.settled_at for each in table.on_hands if not standings[each.id].decided]
    last = max((moment for moment in final if moment < NEVER), default=-1)
    if stands_from(bet) < last:
        report.find(
            "insurance.won-paid-early",
            seq=bet.settled_at,
            bet=bet,
            expected="paid once every other wager is settled",
            recorded=f"paid at event {bet.settled_at}, another wager settled at event {last}",
        )


def _check_half_collected(
    table: Table, standings: dict[str, Standing], dealer: DealerHand, report: Report
) -> None:
    """act-2018 9.4, nz-2000 9.5. A card that the dealer should not have drawn delays nothing."""
    drawn = table.dealer.cards[: len(dealer.cards)]
    complete = drawn[-1].seq if drawn else -1
    for bet in table.on_hands:
        if standings[bet.id].place == "surrendered" and _collected(bet) and stands_from(bet) < complete:
            report.find(
                "surrender.half-early",
                seq=bet.settled_at,
                bet=bet,
                expected="collected when the dealer's hand is complete",
                recorded=f"collected at event {bet.settled_at}, a dealer's card came at event {complete}",
            )
