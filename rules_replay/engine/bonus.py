"""The Super Bonus, and the bonus due to the other wagers of its round."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from rules_replay.cards import Card
from rules_replay.engine.payout import suited_sevens
from rules_replay.engine.pieces import Bet
from rules_replay.engine.report import Report
from rules_replay.engine.sides import side_void
from rules_replay.engine.standing import Standing
from rules_replay.engine.table import Table
from rules_replay.engine.terms import Due
from rules_replay.log import SIDE_KINDS, amount_text
from rules_replay.results import Money

Entitled: TypeAlias = Literal["yes", "no", "open"]

CODES = {"super_bonus": "bonus.super", "bonus": "bonus.other-wagers"}


class Bonuses(msgspec.Struct, frozen=True, kw_only=True):
    """Amounts due by wager id, and the wagers for which the log cannot tell."""

    super_bonus: dict[str, int]
    other: dict[str, int]
    unknown: frozenset[str]


def bonuses(table: Table, standings: dict[str, Standing]) -> Bonuses:
    """Who is due a Super Bonus in this round, and who the bonus for other wagers."""
    book = table.book
    excluded = book.reads("super_bonus_excluded_by")
    upcard = table.upcard
    if excluded == "never_paid" or upcard is None or table.void:
        return Bonuses(super_bonus={}, other={}, unknown=frozenset())
    if upcard.readable and upcard.rank != "7":
        return Bonuses(super_bonus={}, other={}, unknown=frozenset())
    winners: dict[str, int] = {}
    unknown: set[str] = set()
    for bet in table.bets.values():
        if bet.kind not in ("main", "split"):
            continue
        entitled = _entitled(table, bet, excluded)
        if entitled == "no":
            continue
        at = standings[bet.id]
        if at.place == "unknown" and _may_be_sevens(at):
            unknown.add(bet.id)
        if at.place == "twenty_one" and suited_sevens(at.cards) and (award := _award(table, bet)):
            if entitled == "open":
                unknown.add(bet.id)
            else:
                winners[bet.id] = award
    if not upcard.readable:
        unknown |= winners.keys()
        winners = {}
    other = _others(table, standings, winners) if winners else {}
    if unknown:
        unknown |= {bet.id for bet in table.bets.values()}
    return Bonuses(super_bonus=winners, other=other, unknown=frozenset(unknown))


def _may_be_sevens(at: Standing) -> bool:
    readable = [each for each in at.cards if each.readable]
    return len(at.cards) == 3 and all(each.rank == "7" for each in readable)


def _entitled(table: Table, bet: Bet, excluded: str) -> Entitled:
    """No Super Bonus after a double, nor after the splits that the rulebook names.

    Who did not double with his box is due it where he is due the odds of the table (nz-2000 12.6).
    """
    hand = bet.hand
    if hand.doubled:
        whole_hand = table.book.word("bonus.double_excludes") == "hand"
        whole_hand = whole_hand and table.book.reads("co_wagerer_not_doubling_odds") == "even"
        if whole_hand or table.double_of(bet) is not None:
            return "no"
    if excluded == "any_split_or_double" and hand.of_split:
        return "no"
    controls = table.book.reads("super_bonus_winners") == "controller"
    if controls and bet.root not in table.boxes[bet.box].mains[:1]:
        return "no"
    if excluded != "suited_sevens_split_or_double":
        return "yes"
    pairs = [act.cards for act in table.splits if act.hand.box == bet.box and len(act.held) == 2]
    if any(_suited_sevens(*pair) for pair in pairs):
        return "no"
    return "open" if any(_may_be_suited_sevens(*pair) for pair in pairs) else "yes"


def _suited_sevens(one: Card, other: Card) -> bool:
    return one.rank == other.rank == "7" and one.suit == other.suit


def _may_be_suited_sevens(one: Card, other: Card) -> bool:
    """Whether a pair of which a card could not be read may have been suited sevens."""
    unread = not (one.readable and other.readable)
    return unread and all(each.rank == "7" or not each.readable for each in (one, other))


def _award(table: Table, bet: Bet) -> int:
    """The award by the stake; a stake between the printed tiers takes the lower one."""
    book = table.book
    if bet.effective < book.whole("bonus.lowest_stake"):
        return 0
    high = bet.effective >= book.whole("bonus.high_from")
    return book.whole("bonus.high_award" if high else "bonus.low_award")


def _others(table: Table, standings: dict[str, Standing], winners: dict[str, int]) -> dict[str, int]:
    book = table.book
    amount = book.whole("bonus.other_award")
    reading = book.reads("other_wagers_bonus")
    by_circle = reading == "first_main_of_box" or book.flag("bonus.other_by_circle")
    kinds = {"main"} if by_circle or reading == "per_original" else {"main", "split"}
    if reading == "with_side_bets" and not by_circle:
        kinds.add("double")
    won = {table.bets[wager].box for wager in winners}
    due: dict[str, int] = {}
    for bet in table.bets.values():
        if bet.kind in SIDE_KINDS:
            seated = not by_circle or _of_seated_player(table, bet)
            if reading == "with_side_bets" and seated and side_void(table, bet) is None:
                due[bet.id] = amount
            continue
        if bet.kind not in kinds or bet.id in winners or standings[bet.id].place == "void":
            continue
        if by_circle and (bet.box in won or bet not in table.boxes[bet.box].mains[:1]):
            continue
        due[bet.id] = amount
    return due


def _of_seated_player(table: Table, bet: Bet) -> bool:
    """Whether a side wager is of the player whose main wager is the first of its box (rws-2017 4.2)."""
    box = table.boxes.get(bet.box)
    return box is not None and any(main.player == bet.player for main in box.mains[:1])


def super_bonus_instead(table: Table, bet: Bet, due: Due, paid: Bonuses) -> Due:
    """Under the reading that the Super Bonus replaces the table odds, nothing else is paid."""
    if bet.id not in paid.super_bonus or table.book.reads("super_bonus_with_table") == "with":
        return due
    return Due(
        bet=bet,
        family=due.family,
        expected=Money(result="win"),
        odds=None,
        clause=due.clause,
        reason="the Super Bonus is paid instead of the table odds",
        reading="super_bonus_with_table=instead",
    )


def check_bonus_lines(table: Table, paid: Bonuses, incomplete: bool, report: Report) -> None:
    """Every bonus line against what is due, one finding a wager and line.

    A log that breaks off does not show that a bonus still due was not paid (act-2018 14.3).
    """
    for bet in table.bets.values():
        if bet.id in paid.unknown:
            continue
        for line, due in (
            ("super_bonus", paid.super_bonus.get(bet.id, 0)),
            ("bonus", paid.other.get(bet.id, 0)),
        ):
            lines = bet.standing_lines(line)
            if not lines and not due:
                continue
            recorded = sum((s.paid or 0) - (s.taken or 0) for _, s in lines)
            if recorded == due or (incomplete and not lines):
                continue
            report.find(
                CODES[line],
                seq=lines[-1][0] if lines else bet.seq,
                bet=bet,
                expected=f"{amount_text(due)} paid" if due else "nothing: there is no entitlement",
                recorded=f"{amount_text(recorded)} paid" if lines else "nothing paid",
                delta=recorded - due,
                clause=table.book.outcome_clause("super_bonus" if line == "super_bonus" else "other_bonus"),
            )
