"""What was recorded against what was due: one code a wager, first that fits."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from rules_replay.engine.given_up import surrendered_too_late
from rules_replay.engine.options import forfeit_objection
from rules_replay.engine.payout import most_paid
from rules_replay.engine.pieces import Bet
from rules_replay.engine.report import Report
from rules_replay.engine.sides import jackpot_won
from rules_replay.engine.standing import OVER_OR_21
from rules_replay.engine.table import Table
from rules_replay.engine.terms import Due
from rules_replay.log import SIDE_KINDS, Limits, amount_text
from rules_replay.results import Money
from rules_replay.rulebook import NONE, SILENT
from rules_replay.severity import Severity

_FAMILY_CODES = {
    "void": "settle.void",
    "insurance": "settle.insurance",
    "pairs": "settle.pairs",
    "jackpot": "settle.jackpot",
    "surrender": "settle.surrender",
    "forfeit": "settle.forfeit",
    "double": "settle.double",
}
_CLASSES = {"win": "win", "lose": "lose", "surrender": "surrender", "forfeit": "lose"}


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A stake line that differs from what was due."""

    due: Due
    recorded: Money
    seq: int
    code: str


def money_text(money: Money) -> str:
    """A settlement in words: ``win, 37.5 paid``."""
    parts = [money.result.replace("_", "-")]
    if money.paid:
        parts.append(f"{amount_text(money.paid)} paid")
    if money.taken:
        parts.append(f"{amount_text(money.taken)} taken")
    return ", ".join(parts)


def compare_stakes(table: Table, dues: dict[str, Due], incomplete: bool, report: Report) -> None:
    """Every stake line against its due; missing ones first, then differences by player and box."""
    differences: list[Difference] = []
    for due in dues.values():
        found = due.bet.recorded
        if found is None:
            _report_missing(table, due, incomplete, report)
            continue
        recorded, seq = found
        if due.expected is None and not due.acceptable:
            _check_taken_of_open(table, due, recorded, seq, report)
            _check_paid_of_open(table, due, recorded, seq, report)
            _check_kept_of_over_or_21(table, due, recorded, seq, report)
        code = _difference(table, due, recorded)
        if code is not None:
            differences.append(Difference(due=due, recorded=recorded, seq=seq, code=code))
    _report_differences(table, dues, differences, report)


def _report_missing(table: Table, due: Due, incomplete: bool, report: Report) -> None:
    """A wager never settled; one that is void went back without a line."""
    if incomplete or due.family == "void":
        return
    report.find(
        "settle.missing",
        seq=due.bet.seq,
        bet=due.bet,
        expected=money_text(due.expected) if due.expected else "a settlement",
        recorded="none",
        delta=-due.expected.net if due.expected else None,
    )


def _check_taken_of_open(table: Table, due: Due, recorded: Money, seq: int, report: Report) -> None:
    """Whatever an open wager came to, the house keeps no more of it than its stake.

    It keeps nothing of a jackpot wager that has won, whatever was pressed (rws-2017 3.8.1).
    """
    won = due.family == "jackpot" and jackpot_won(table, due.bet)
    most = 0 if won else due.bet.placed.amount
    if recorded.taken <= most:
        return
    report.find(
        _money_code(due, Money(result="lose"), recorded),
        seq=seq,
        bet=due.bet,
        severity="indeterminate",
        expected=f"at most {amount_text(most)} taken ({due.reason})",
        recorded=money_text(recorded),
        delta=recorded.net + most,
    )


def _check_paid_of_open(table: Table, due: Due, recorded: Money, seq: int, report: Report) -> None:
    """Whatever an open wager came to, nothing wins it more than its stake at the best odds there are."""
    most = most_paid(table, due.bet)
    if recorded.paid <= most:
        return
    report.find(
        _money_code(due, Money(result="win"), recorded),
        seq=seq,
        bet=due.bet,
        severity="indeterminate",
        expected=f"at most {amount_text(most)} paid ({due.reason})",
        recorded=money_text(recorded),
        delta=recorded.net - most,
    )


def _check_kept_of_over_or_21(table: Table, due: Due, recorded: Money, seq: int, report: Report) -> None:
    """A hand was paid for that had 21 before a further card, or was over it: one or the other was wrong."""
    if due.reason == OVER_OR_21 and recorded.paid <= most_paid(table, due.bet):
        report.find(
            "settle.double" if due.family == "double" else "settle.outcome",
            seq=seq,
            bet=due.bet,
            severity="indeterminate",
            expected=f"the stake collected ({due.reason})",
            recorded=money_text(recorded),
        )


def _difference(table: Table, due: Due, recorded: Money) -> str | None:
    if due.expected is None:
        open_ = {(money.paid, money.taken) for money in due.acceptable}
        if not open_ or (recorded.paid, recorded.taken) in open_:
            return None
        return _money_code(due, due.acceptable[0], recorded)
    if (recorded.paid, recorded.taken) == (due.expected.paid, due.expected.taken):
        named = due.expected.result in recorded.result.split(" and ")
        return None if named or _given_up_in_vain(table, due, recorded) else "settle.label"
    return _money_code(due, due.expected, recorded)


def _given_up_in_vain(table: Table, due: Due, recorded: Money) -> bool:
    """The whole stake taken, as lost or forfeited, of a wager given up when that was not open: one fault.

    Ruling 2.
    """
    whole = {"lose", "forfeit"}
    if due.expected is None or not whole.issuperset({due.expected.result, *recorded.result.split(" and ")}):
        return False
    base = due.bet.base
    if surrendered_too_late(table, base):
        return True
    return any(
        act.bet is base and act.seq == base.forfeited_at and forfeit_objection(table, act)[0]
        for act in table.forfeits
    )


def _money_code(due: Due, expected: Money, recorded: Money) -> str:
    if due.family in _FAMILY_CODES:
        return _FAMILY_CODES[due.family]
    wanted = _CLASSES.get(expected.result, "back")
    if _CLASSES.get(recorded.result, "back") != wanted:
        return "settle.outcome"
    return {"win": "settle.odds", "lose": "settle.taken"}.get(wanted, "settle.outcome")


def _report_differences(
    table: Table, dues: dict[str, Due], differences: list[Difference], report: Report
) -> None:
    by_player: dict[tuple[str, int], list[Difference]] = {}
    for difference in differences:
        bet = difference.due.bet
        by_player.setdefault((bet.player, bet.box), []).append(difference)
    for mine in by_player.values():
        money = [each for each in mine if each.code != "settle.label"]
        if money and right_in_sum(dues, money[0].due.bet):
            _report_attribution(table, money, report)
            mine = [each for each in mine if each.code == "settle.label"]
        for each in mine:
            _report_difference(table, each, report)


def right_in_sum(dues: Mapping[str, Due], bet: Bet) -> bool:
    """Whether what the player of a wager got on its box adds up, wagers without a settlement left out."""
    required = recorded = 0
    for due in dues.values():
        found = due.bet.recorded
        if found is None or (due.bet.player, due.bet.box) != (bet.player, bet.box):
            continue
        if due.expected is None:
            return False
        required += due.expected.net
        recorded += found[0].net
    return required == recorded


def _report_attribution(table: Table, money: list[Difference], report: Report) -> None:
    first = money[0]
    report.find(
        "settle.attribution",
        seq=first.seq,
        bet=first.due.bet,
        expected="; ".join(f"{each.due.bet.id}: {_expected_text(each.due)}" for each in money),
        recorded="; ".join(f"{each.due.bet.id}: {money_text(each.recorded)}" for each in money),
        delta=0,
        basis=first.due.basis,
    )


def _expected_text(due: Due) -> str:
    if due.expected is not None:
        return money_text(due.expected)
    return " or ".join(money_text(money) for money in due.acceptable)


def _report_difference(table: Table, difference: Difference, report: Report) -> None:
    due = difference.due
    expected = due.expected or due.acceptable[0]
    clause = due.clause
    severity: Severity | None = None
    if difference.code == "settle.label":
        clause = report.book.clause_of("settle.label")
    elif _undersized_and_returned(table, difference):
        clause, severity = report.book.clause_of("wager.below-min-again"), "notice"
    elif _half_that_chips_cannot_make(table, difference):
        severity = "notice"
    report.find(
        difference.code,
        seq=difference.seq,
        bet=due.bet,
        expected=f"{_expected_text(due)} ({due.reason})",
        recorded=money_text(difference.recorded),
        delta=difference.recorded.net - expected.net,
        severity=severity,
        clause=clause,
        basis=due.basis,
    )


def _half_that_chips_cannot_make(table: Table, difference: Difference) -> bool:
    """Half of a surrendered stake, off by less than the smallest chip because no chips make it exactly.

    Whether adelaide-2008 120 reaches what goes back of a stake is open (70): it accuses nobody.
    """
    due, recorded = difference.due, difference.recorded
    limits = table.round.limits
    chip = limits.smallest_chip if limits is not None else None
    if due.expected is None or not chip or table.book.reads("amounts") != "payable":
        return False
    halves = due.expected.result == recorded.result == "surrender" and not recorded.paid
    off = abs(recorded.taken - due.expected.taken)
    return halves and due.expected.taken % chip != 0 and off < chip


def _undersized_and_returned(table: Table, difference: Difference) -> bool:
    """A wager below the minimum may go back where its owner was warned (act-2018 3.4, adelaide-2008 118).

    Its split and doubled portions go with it (ruling 10), and a side wager has its own minimum
    (act-2018 18.7, adelaide-2008 94). The warning is not in the log, so a return is reported and accuses
    nobody.
    """
    bet = difference.due.bet
    limits = table.round.limits or Limits()
    least = limits.side_min if bet.kind in SIDE_KINDS else limits.min
    ordered = table.book.clauses["wager.below-min-again"] not in (NONE, SILENT)
    if not ordered or least is None or bet.kind == "insurance" or bet.root.placed.amount >= least:
        return False
    return _went_back(bet) and _went_back(bet.root)


def _went_back(bet: Bet) -> bool:
    if bet.recorded is None:
        return False
    recorded = bet.recorded[0]
    return recorded.result in ("returned", "void") and not recorded.paid and not recorded.taken
