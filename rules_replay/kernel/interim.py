"""Interim settlements: Pontoon and 21 are settled before any further card is dealt."""

from __future__ import annotations

from rules_replay.kernel.book import INTERIM_DOUBLED_21_EXEMPT, INTERIM_DOUBLED_21_NOTICE
from rules_replay.kernel.codes import (
    DOUBLE_BET,
    INTERIM_PONTOON_UNPAID,
    INTERIM_TWENTY_ONE_UNPAID,
    NEVER,
    NOT,
    NOTICE,
    PLACE_PONTOON,
    PLACE_TWENTY_ONE,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.payout import suited_sevens
from rules_replay.kernel.records import Table
from rules_replay.kernel.report import find_bet
from rules_replay.kernel.table import next_deal_after, stands


@inlined
def check_interim(table: Table) -> None:
    """Every settled bet that had won by its own cards was settled before a further card."""
    if table.space.head.round_void or not (stands(table, PLACE_PONTOON) or stands(table, PLACE_TWENTY_ONE)):
        return
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.kind > DOUBLE_BET or at.settled_at == NEVER:
            continue
        if at.place == PLACE_PONTOON or at.place == PLACE_TWENTY_ONE:
            _check_paid_at_once(table, bet)


@inlined
def _check_paid_at_once(table: Table, bet: int) -> None:
    at = table.space.bets[bet]
    rule = table.book.interim_doubled_21
    doubled = table.space.hands[at.hand].doubled_at != NOT
    if (doubled and rule == INTERIM_DOUBLED_21_EXEMPT) or _wins_super_bonus(table, bet):
        return
    reached = max(deciding_card_at(table, bet), at.seq)
    if table.space.head.n_initial > 0:
        reached = max(reached, table.space.initial[table.space.head.n_initial - 1])
    further = next_deal_after(table, reached)
    if further == NEVER or at.settled_at < further:
        return
    code = INTERIM_PONTOON_UNPAID if at.place == PLACE_PONTOON else INTERIM_TWENTY_ONE_UNPAID
    # Who did not double with the box keeps the odds that 9.2 pays at once (nz-2000 12.6).
    by_himself = table.space.bets[at.under].first_portion == NOT
    noticed = doubled and not by_himself and rule == INTERIM_DOUBLED_21_NOTICE
    find_bet(table, code, further, bet, NOTICE if noticed else NOT)


@compiled
def deciding_card_at(table: Table, bet: int) -> int:
    """Seq of the last card that counts for a bet."""
    at = table.space.bets[bet]
    seq = table.space.hands[table.space.bets[at.under].hand].first
    for _ in range(at.counting - 1):
        seq = table.space.links[seq].next
    return int(seq)


@inlined
def _wins_super_bonus(table: Table, bet: int) -> bool:
    """A hand that wins a Super Bonus, or may, stays on the table (act-2018 10.2(b), nz-2000 9.2)."""
    if table.book.interim_super_bonus_excepted == 0 or not table.space.head.bonus_due:
        return False
    if table.space.bets[bet].place != PLACE_TWENTY_ONE:
        return False
    hand = table.space.bets[table.space.bets[bet].under].hand
    if table.space.bets[bet].bonus_unknown and suited_sevens(table, bet, hand):
        return True
    for other in range(table.space.head.n_bets):
        its = table.space.bets[other]
        if its.hand == hand and its.super_bonus > 0:
            return True
    return False
