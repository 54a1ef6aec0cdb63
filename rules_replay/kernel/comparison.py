"""What was recorded against what was due: one code a wager, first that fits."""

from __future__ import annotations

from rules_replay.kernel.book import READS_AMOUNTS_PAYABLE
from rules_replay.kernel.clauses import of_check, of_outcomes
from rules_replay.kernel.codes import (
    AS_REQUIRED,
    BONUS,
    BONUS_OTHER_WAGERS,
    BONUS_SUPER,
    FAMILY_DOUBLE,
    FAMILY_FORFEIT,
    FAMILY_HAND,
    FAMILY_INSURANCE,
    FAMILY_JACKPOT,
    FAMILY_PAIRS,
    FAMILY_SURRENDER,
    FAMILY_VOID,
    FORFEIT,
    FORFEITED,
    INDETERMINATE,
    INSURANCE,
    LOSE,
    NEVER,
    NORMAL,
    NOT,
    NOTICE,
    ON_OTHER_BONUS,
    ON_SUPER_BONUS,
    PANDEMONIUM,
    PERFECT_PAIRS,
    RECORD_INCOMPLETE,
    RETURNED,
    SETTLE_ATTRIBUTION,
    SETTLE_DOUBLE,
    SETTLE_FORFEIT,
    SETTLE_INSURANCE,
    SETTLE_JACKPOT,
    SETTLE_LABEL,
    SETTLE_MISSING,
    SETTLE_ODDS,
    SETTLE_OUTCOME,
    SETTLE_PAIRS,
    SETTLE_SURRENDER,
    SETTLE_TAKEN,
    SETTLE_VOID,
    STAKE,
    SUPER_BONUS,
    SURRENDERED,
    VOIDED,
    WAGER_BELOW_MIN_AGAIN,
    WIN,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.dealer import card_may_be_due
from rules_replay.kernel.facts import box_has_pontoon
from rules_replay.kernel.given_up import surrendered_too_late
from rules_replay.kernel.options import forfeit_objection
from rules_replay.kernel.payout import most_paid
from rules_replay.kernel.reasons import OVER_OR_21
from rules_replay.kernel.records import BOXES, Table
from rules_replay.kernel.report import BY_CHECK, find, find_bet, find_money
from rules_replay.kernel.settlement import dealer_dependent


@inlined
def record_stake(table: Table, bet: int) -> None:
    """The stake line of a bet as it stands at the end: several add up, reversed ones do not count."""
    at = table.space.bets[bet]
    at.settled = False
    at.results = 0
    at.paid = 0
    at.taken = 0
    at.recorded_at = NOT
    at.settled_at = NEVER
    seq = at.first_line
    while seq != NOT:
        event = table.space.events[seq]
        if event.line == STAKE:
            at.settled_at = min(at.settled_at, seq)
            if not table.space.links[seq].undone:
                at.settled = True
                at.results |= 1 << int(event.result)
                at.paid += max(event.paid, 0)
                at.taken += max(event.taken, 0)
                at.recorded_at = seq
        seq = table.space.links[seq].next


@inlined
def find_incomplete(table: Table) -> None:
    """Whether the events stop before the wagers that depend on the dealer could be decided."""
    head = table.space.head
    head.incomplete = False
    ended = table.space.hands[0].n > 0 and head.initial_done_at < NEVER
    if head.round_void or (ended and not card_may_be_due(table)):
        return
    waiting = False
    for bet in range(head.n_bets):
        if dealer_dependent(table, bet):
            if table.space.bets[bet].settled:
                return
            waiting = True
    head.incomplete = waiting


@inlined
def check_complete(table: Table) -> None:
    """The events go on until every wager can be decided."""
    if table.space.head.incomplete:
        find(table, RECORD_INCOMPLETE, table.round.count - 1, NOT)


@compiled
def _check_taken_of_open(table: Table, bet: int) -> None:
    """Whatever an open wager came to, the house keeps no more of it than its stake.

    It keeps nothing of a jackpot wager that has won, whatever was pressed (rws-2017 3.8.1).
    """
    at = table.space.bets[bet]
    won = at.kind == PANDEMONIUM and box_has_pontoon(table, at.box)
    most = 0 if won else at.amount
    if at.taken > most:
        code, delta = _money_code(at.family, LOSE, at.results), at.paid - at.taken + most
        find_money(table, code, at.recorded_at, bet, INDETERMINATE, AS_REQUIRED, delta, BY_CHECK)


@compiled
def _check_paid_of_open(table: Table, bet: int) -> None:
    """Whatever an open wager came to, nothing wins it more than its stake at the best odds there are."""
    at = table.space.bets[bet]
    most = most_paid(table, bet)
    if at.paid > most:
        code, delta = _money_code(at.family, WIN, at.results), at.paid - at.taken - most
        find_money(table, code, at.recorded_at, bet, INDETERMINATE, AS_REQUIRED, delta, BY_CHECK)


@inlined
def _check_kept_of_over_or_21(table: Table, bet: int) -> None:
    """A hand was paid for that had 21 before a further card, or was over it: one or the other was wrong."""
    at = table.space.bets[bet]
    if at.paid <= most_paid(table, bet):
        code = SETTLE_DOUBLE if at.family == FAMILY_DOUBLE else SETTLE_OUTCOME
        find_bet(table, code, at.recorded_at, bet, INDETERMINATE)


@inlined
def compare_stakes(table: Table) -> None:
    """Every stake line against its due; missing ones first, then differences by player and box."""
    differ = False
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        at.difference = _difference(table, bet) if at.settled else NOT
        if at.difference != NOT:
            differ = True
        if not at.settled:
            _report_missing(table, bet)
        elif not at.fixed and not at.open:
            if at.taken > 0 or at.paid > 0:
                _check_taken_of_open(table, bet)
                _check_paid_of_open(table, bet)
            if at.why == OVER_OR_21:
                _check_kept_of_over_or_21(table, bet)
    if not differ:
        return
    _add_up_by_player(table)
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if at.difference != NOT and table.space.bets[at.alike].first_difference == bet:
            _report_differences(table, at.alike)


@inlined
def _report_missing(table: Table, bet: int) -> None:
    """A wager never settled; one that is void went back without a line."""
    at = table.space.bets[bet]
    if table.space.head.incomplete or at.family == FAMILY_VOID:
        return
    if at.fixed:
        delta = at.due_taken - at.due_paid
        find_money(table, SETTLE_MISSING, at.seq, bet, NOT, AS_REQUIRED, delta, BY_CHECK)
    else:
        find_bet(table, SETTLE_MISSING, at.seq, bet, NOT)


@inlined
def _difference(table: Table, bet: int) -> int:
    """The code under which a bet's recorded stake line differs from its due, or `NOT`."""
    at = table.space.bets[bet]
    if not at.fixed:
        taken_as_open = at.taken == at.open_taken[0] or at.taken == at.open_taken[1]
        if not at.open or (at.paid == 0 and taken_as_open):
            return NOT
        return _money_code(at.family, LOSE if at.open_taken[0] > 0 else RETURNED, at.results)
    if at.paid == at.due_paid and at.taken == at.due_taken:
        named = (at.results >> int(at.due_result)) & 1
        return NOT if named or _given_up_in_vain(table, bet) else SETTLE_LABEL
    return _money_code(at.family, at.due_result, at.results)


@compiled
def _given_up_in_vain(table: Table, bet: int) -> bool:
    """Whether a wager whose whole stake was taken, as lost or as forfeited, had been given up when that was
    not open (ruling 2).
    """
    at = table.space.bets[bet]
    others = at.results & ~(1 << LOSE | 1 << FORFEITED)
    if others != 0 or (at.due_result != LOSE and at.due_result != FORFEITED):
        return False
    if surrendered_too_late(table, at.under):
        return True
    for number in range(table.space.head.n_acts):
        act = table.space.acts[number]
        if act.kind == FORFEIT and act.bet == at.under:
            if act.seq == table.space.bets[at.under].forfeited_at and forfeit_objection(table, number) != 0:
                return True
    return False


@compiled
def _money_code(family: int, due: int, results: int) -> int:
    if family != FAMILY_HAND:
        return _family_code(family)
    wanted = _class_of(due)
    if _class_recorded(results) != wanted:
        return SETTLE_OUTCOME
    if wanted == WIN:
        return SETTLE_ODDS
    return SETTLE_TAKEN if wanted == LOSE else SETTLE_OUTCOME


@inlined
def _family_code(family: int) -> int:
    if family == FAMILY_DOUBLE:
        return SETTLE_DOUBLE
    if family == FAMILY_SURRENDER:
        return SETTLE_SURRENDER
    if family == FAMILY_FORFEIT:
        return SETTLE_FORFEIT
    if family == FAMILY_INSURANCE:
        return SETTLE_INSURANCE
    if family == FAMILY_PAIRS:
        return SETTLE_PAIRS
    return SETTLE_JACKPOT if family == FAMILY_JACKPOT else SETTLE_VOID


@compiled
def _class_of(result: int) -> int:
    """Results that pay, collect, or send the stake back belong together."""
    if result == LOSE or result == FORFEITED:
        return LOSE
    return int(result) if result == WIN or result == SURRENDERED else RETURNED


@inlined
def _class_recorded(results: int) -> int:
    """The class of the one result recorded; of several that contradict each other, that of a stake back."""
    for result in range(VOIDED + 1):
        if results == 1 << result:
            return _class_of(result)
    return RETURNED


@inlined
def _add_up_by_player(table: Table) -> None:
    """Add up, for each player on a box, what was recorded beyond what was due, and line up differences.

    Wagers without a settlement are left out. Players and boxes meet in buckets.
    """
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        at.first_difference = NOT
        at.net = 0
        at.doubtful = False
        at.alike = _leader(table, bet)
        first = table.space.bets[at.alike]
        if at.settled and at.fixed:
            first.net += at.paid - at.taken - at.due_paid + at.due_taken
        elif at.settled:
            first.doubtful = True
        if at.difference == NOT:
            continue
        at.next_difference = NOT
        if first.first_difference == NOT:
            first.first_difference = bet
        else:
            table.space.bets[first.last_difference].next_difference = bet
        first.last_difference = bet
    for bet in range(table.space.head.n_bets):
        table.space.buckets[_bucket(table, bet)] = NOT


@compiled
def allowed_otherwise(table: Table, code: int, bet: int, box: int) -> bool:
    """Whether a reading, under which a finding of money is gone, positively allows what was recorded.

    Money is right on the wager, or in the sum of its player's on the box (ruling 1); attribution only where
    all of that is. A bonus line stands for itself.
    """
    if code == BONUS_SUPER or code == BONUS_OTHER_WAGERS:
        return True
    at = table.space.bets[bet]
    if code == SETTLE_ATTRIBUTION:
        for place in range(table.space.head.n_found):
            found = table.space.found[place]
            if _of_stake(found.code) and found.box == box and found.bet != NOT:
                if table.space.bets[found.bet].player == at.player:
                    return False
        return _right_in_sum(table, bet)
    if at.fixed and at.settled and at.paid - at.taken == at.due_paid - at.due_taken:
        return True
    return bool(_of_stake(code) and at.settled and _right_in_sum(table, bet))


@inlined
def _of_stake(code: int) -> bool:
    """Whether a finding is about what a wager's stake line came to; such codes follow one another."""
    return SETTLE_MISSING <= code <= SETTLE_LABEL


@compiled
def _right_in_sum(table: Table, bet: int) -> bool:
    """Whether what the player of a wager got on its box adds up, wagers without a settlement left out."""
    net = 0
    for other in range(table.space.head.n_bets):
        at = table.space.bets[other]
        if at.player != table.space.bets[bet].player or at.box != table.space.bets[bet].box or not at.settled:
            continue
        if not at.fixed:
            return False
        net += at.paid - at.taken - at.due_paid + at.due_taken
    return bool(net == 0)


@compiled
def _bucket(table: Table, bet: int) -> int:
    at = table.space.bets[bet]
    return (int(at.player) * BOXES + at.box) % len(table.space.buckets)


@inlined
def _leader(table: Table, bet: int) -> int:
    """The first bet of a player on a box, which is this one where there is none before it."""
    at = table.space.bets[bet]
    bucket = _bucket(table, bet)
    leader = int(table.space.buckets[bucket])
    while leader != NOT:
        first = table.space.bets[leader]
        if first.player == at.player and first.box == at.box:
            return leader
        leader = int(first.next_leader)
    at.next_leader = table.space.buckets[bucket]
    table.space.buckets[bucket] = bet
    return bet


@inlined
def _report_differences(table: Table, leader: int) -> None:
    """The differences of one player on one box, in the order of the bets."""
    first = table.space.bets[leader]
    money = first.first_difference
    while money != NOT and table.space.bets[money].difference == SETTLE_LABEL:
        money = table.space.bets[money].next_difference
    right_in_sum = money != NOT and first.net == 0 and not first.doubtful
    if right_in_sum:
        at = table.space.bets[money]
        find_money(table, SETTLE_ATTRIBUTION, at.recorded_at, money, NOT, at.due_basis, 0, BY_CHECK)
    bet = first.first_difference
    while bet != NOT:
        if not right_in_sum or table.space.bets[bet].difference == SETTLE_LABEL:
            _report_difference(table, bet)
        bet = table.space.bets[bet].next_difference


@inlined
def _report_difference(table: Table, bet: int) -> None:
    at = table.space.bets[bet]
    required = at.due_paid - at.due_taken if at.fixed else -at.open_taken[0]
    clause, severity = at.clause, NOT
    if at.difference == SETTLE_LABEL:
        clause = BY_CHECK
    elif _undersized_and_returned(table, bet):
        clause, severity = of_check(WAGER_BELOW_MIN_AGAIN), NOTICE
    elif _half_not_in_chips(table, bet):
        severity = NOTICE
    delta = at.paid - at.taken - required
    find_money(table, at.difference, at.recorded_at, bet, severity, at.due_basis, delta, clause)


@inlined
def _half_not_in_chips(table: Table, bet: int) -> bool:
    """Half of a surrendered stake that no chips make, and less than the smallest of them off (adelaide-2008
    70, 120).
    """
    at = table.space.bets[bet]
    chip = table.round.limit_smallest_chip
    if chip <= 0 or table.book.reads_amounts != READS_AMOUNTS_PAYABLE:
        return False
    halves = at.fixed and at.due_result == SURRENDERED and at.results == 1 << SURRENDERED and at.paid == 0
    return bool(halves and at.due_taken % chip != 0 and abs(at.taken - at.due_taken) < chip)


@inlined
def _undersized_and_returned(table: Table, bet: int) -> bool:
    """A wager below the minimum may go back where its owner was warned (act-2018 3.4, adelaide-2008 118)."""
    at = table.space.bets[bet]
    least = table.round.limit_side_min if at.kind >= PERFECT_PAIRS else table.round.limit_min
    ordered = table.book.says[WAGER_BELOW_MIN_AGAIN] == NORMAL
    if not ordered or least == NOT or at.kind == INSURANCE:
        return False
    # Split and doubled portions go with their main wager (ruling 10).
    if table.space.bets[at.root].amount >= least:
        return False
    return _went_back(table, bet) and _went_back(table, at.root)


@compiled
def _went_back(table: Table, bet: int) -> bool:
    at = table.space.bets[bet]
    back = at.results == 1 << RETURNED or at.results == 1 << VOIDED
    return bool(at.settled and back and at.paid == 0 and at.taken == 0)


@inlined
def check_bonus_lines(table: Table) -> None:
    """Every bonus line against what is due, one finding a wager and line.

    What a log that breaks off does not show is not missing.
    """
    if not bonus_lines(table):
        return
    for bet in range(table.space.head.n_bets):
        at = table.space.bets[bet]
        if not at.bonus_unknown:
            _check_bonus_line(table, bet, SUPER_BONUS, at.super_bonus)
            _check_bonus_line(table, bet, BONUS, at.other_bonus)


@compiled
def bonus_lines(table: Table) -> bool:
    """Whether any bonus is due or was recorded."""
    return bool(table.space.head.bonus_due or table.space.head.lines > 1 << STAKE)


@compiled
def _check_bonus_line(table: Table, bet: int, line: int, due: int) -> None:
    recorded = 0
    last = NOT
    seq = table.space.bets[bet].first_line
    while seq != NOT:
        event = table.space.events[seq]
        if event.line == line and not table.space.links[seq].undone:
            recorded += max(event.paid, 0) - max(event.taken, 0)
            last = seq
        seq = table.space.links[seq].next
    if recorded == due or (last == NOT and table.space.head.incomplete):
        return
    last = int(table.space.bets[bet].seq) if last == NOT else last
    code = BONUS_SUPER if line == SUPER_BONUS else BONUS_OTHER_WAGERS
    outcome = ON_SUPER_BONUS if line == SUPER_BONUS else ON_OTHER_BONUS
    find_money(table, code, last, bet, NOT, AS_REQUIRED, recorded - due, of_outcomes(outcome))
