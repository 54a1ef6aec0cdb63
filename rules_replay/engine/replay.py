"""One round through the rules: lay out, judge conduct, settle, compare."""

from __future__ import annotations

from dataclasses import dataclass

from rules_replay.engine.bonus import Bonuses, bonuses, check_bonus_lines, super_bonus_instead
from rules_replay.engine.comparison import compare_stakes
from rules_replay.engine.coverage import coverage
from rules_replay.engine.dealer import (
    DealerHand,
    Needs,
    card_may_be_due,
    check_dealer,
    dealer_needs,
    play_dealer,
)
from rules_replay.engine.dealing import (
    check_deck,
    check_draws,
    check_initial_deal,
    check_interim,
    check_left_below_12,
    check_turns,
)
from rules_replay.engine.evidence import left_open
from rules_replay.engine.irregularities import check_consequences
from rules_replay.engine.laying_out import lay_out
from rules_replay.engine.options import check_options
from rules_replay.engine.payout import effective_stake
from rules_replay.engine.pieces import Bet, Hand
from rules_replay.engine.placing import (
    check_box_numbers,
    check_insurance,
    check_wagers,
    check_withdrawals,
)
from rules_replay.engine.removals import check_removals, due_to_dealer, due_to_players
from rules_replay.engine.report import Report
from rules_replay.engine.settlement import dealer_dependent, stake_dues
from rules_replay.engine.sides import check_side_bets
from rules_replay.engine.standing import Standing, standing
from rules_replay.engine.table import Table, hand_total
from rules_replay.engine.terms import Due
from rules_replay.engine.timing import check_timing
from rules_replay.log import SIDE_KINDS, Round
from rules_replay.results import HandRow, Money, RoundReplay, SettlementRow
from rules_replay.rulebook import Rulebook


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A round laid out and settled: what `explain` tells and `replay_round` reports."""

    table: Table
    standings: dict[str, Standing]
    needs: Needs
    dealer: DealerHand
    dues: dict[str, Due]
    bonuses: Bonuses
    incomplete: bool


def play(round_: Round, book: Rulebook) -> Played:
    """Lay a round out under a rulebook and work out what every wager is due."""
    table = lay_out(round_, book)
    for bet in table.bets.values():
        bet.effective = effective_stake(table, bet)
    table.disturbed = due_to_players(table)
    standings = {bet.id: standing(table, bet) for bet in table.on_hands}
    needs = dealer_needs(table, standings)
    table.disturbed |= due_to_dealer(table, needs)
    dealer = play_dealer(table, needs)
    paid = bonuses(table, standings)
    dues = {
        wager: super_bonus_instead(table, due.bet, due, paid)
        for wager, due in stake_dues(table, standings, dealer).items()
    }
    return Played(
        table=table,
        standings=standings,
        needs=needs,
        dealer=dealer,
        dues=dues,
        bonuses=paid,
        incomplete=_incomplete(table, standings, needs, dealer),
    )


def replay_round(round_: Round, book: Rulebook, *, covered: bool = True) -> RoundReplay:
    """Everything one round shows under a rulebook and its readings in force; its coverage if wanted."""
    played = play(round_, book)
    report = judge(played)
    findings = tuple(report.findings)
    return RoundReplay(
        round_id=round_.round_id,
        rulebook=book.id,
        hands=hand_rows(played),
        settlements=settlement_rows(played),
        findings=findings,
        coverage=coverage(played.table, findings, _left_open(played)) if covered else (),
    )


def _left_open(played: Played) -> dict[str, str]:
    return left_open(
        played.table, played.needs, played.dealer, played.dues, played.bonuses, played.incomplete
    )


def judge(played: Played) -> Report:
    """The findings of a round, in the order of play."""
    table = played.table
    report = Report(table.book, table.facts)
    check_deck(table, report)
    check_wagers(table, report)
    check_box_numbers(table, report)
    check_side_bets(table, played.incomplete, report)
    check_initial_deal(table, report)
    check_insurance(table, report)
    check_options(table, report)
    check_turns(table, report)
    check_draws(table, report)
    check_left_below_12(table, report)
    check_removals(table, report)
    check_interim(table, played.standings, played.bonuses, report)
    check_timing(table, played.standings, played.dealer, played.dues, report)
    if not table.void:
        check_dealer(table, played.needs, played.dealer, played.incomplete, report)
    check_withdrawals(table, report)
    _check_irregularities(table, report)
    check_consequences(table, played.dealer, report)
    _check_complete(played, report)
    compare_stakes(table, played.dues, played.incomplete, report)
    check_bonus_lines(table, played.bonuses, played.incomplete, report)
    return report


def _incomplete(table: Table, standings: dict[str, Standing], needs: Needs, dealer: DealerHand) -> bool:
    """The events stop before the wagers that depend on the dealer could be decided."""
    played_out = not card_may_be_due(dealer, needs) and bool(table.dealer.cards) and table.initial_complete
    if table.void or played_out:
        return False
    waiting = [bet for bet in table.bets.values() if dealer_dependent(table, bet, standings.get(bet.id))]
    return bool(waiting) and all(bet.recorded is None for bet in waiting)


def _check_complete(played: Played, report: Report) -> None:
    if played.incomplete:
        events = len(played.table.round.events)
        report.find(
            "record.incomplete",
            seq=events - 1 if events else None,
            expected="events until every wager can be decided",
            recorded=f"the log ends after {events} events",
        )


_REPORTED_WORDS = {
    "exposed_card": "exposed card",
    "card_burned_in_error": "card burned in error",
    "missed_first_card": "the dealer's first card missed",
    "short_hand": "a hand dealt too few cards",
    "superfluous_hand": "a hand dealt to no wager",
    "absent_player": "a player not present",
    "shoe_exhausted": "the shoe ran out",
    "reconstructed": "hands reconstructed",
    "option_not_offered": "an option not offered",
    "other": "an irregularity of another kind",
}


def _check_irregularities(table: Table, report: Report) -> None:
    for seq, event in table.irregularities:
        report.find(
            "irregularity.reported",
            seq=seq,
            hand=_irregular_hand(table, event.box, event.hand),
            box=event.box,
            expected="the consequence the rulebook orders",
            recorded=_REPORTED_WORDS[event.code],
            clause=table.book.irregularity_clause(event.code),
        )


def _irregular_hand(table: Table, box: int | None, no: int | None) -> Hand | None:
    if box is None or box == 0:
        return table.dealer if box == 0 else None
    return table.boxes[box].hands.get(no or 1) if box in table.boxes else None


def hand_rows(played: Played) -> tuple[HandRow, ...]:
    """One row a hand that holds cards, the dealer's first."""
    table = played.table
    return tuple([_hand_row(played, hand) for hand in (table.dealer, *table) if hand.cards])


def _hand_row(played: Played, hand: Hand) -> HandRow:
    counted = hand_total(played.table, hand, hand.lying)
    return HandRow(
        box=hand.box,
        hand=hand.no,
        cards=tuple(each.text for each in hand.lying.faces),
        total=counted.points,
        soft=counted.soft,
        doubled=hand.doubled,
        split_from=hand.split_from,
        ended=_ended(played, hand, counted.points),
    )


_ENDED_AT = {"void": "void", "surrendered": "surrendered", "pontoon": "pontoon", "twenty_one": "21"}


def _ended(played: Played, hand: Hand, points: int) -> str:
    if hand.box == 0:
        if played.dealer.pontoon:
            return "pontoon"
        return "bust" if points > 21 else ("stood" if played.dealer.finished else "open")
    places = {played.standings[bet.id].place for bet in played.table.bets_on(hand)}
    if len(places) == 1 and (word := _ENDED_AT.get(places.pop())):
        return word
    if points > 21:
        return "bust"
    if hand.doubled:
        return "doubled"
    if hand.split_aces:
        return "one card"
    return "stood" if hand.stood_at is not None else "open"


def settlement_rows(played: Played) -> tuple[SettlementRow, ...]:
    """One row a wager line: stakes first, then the bonus lines due or recorded."""
    rows = [_stake_row(due) for due in played.dues.values()]
    for bet in played.table.bets.values():
        rows.extend(_bonus_rows(played, bet))
    return tuple(rows)


def _stake_row(due: Due) -> SettlementRow:
    bet = due.bet
    found = bet.recorded
    return SettlementRow(
        wager=bet.id,
        line="stake",
        kind=bet.kind,
        player=bet.player,
        box=bet.box,
        hand=1 if bet.kind in SIDE_KINDS else bet.hand.no,
        stake=int(bet.placed.amount),
        effective_stake=bet.effective,
        expected=due.expected,
        recorded=found[0] if found else None,
        odds=due.odds,
        clause=due.clause,
        reading=due.reading,
        basis=due.basis,
        reason=due.reason,
        corrected=bool(bet.reversed),
    )


def _bonus_rows(played: Played, bet: Bet) -> list[SettlementRow]:
    rows = []
    paid = played.bonuses
    book = played.table.book
    for line, due, outcome in (
        ("super_bonus", paid.super_bonus.get(bet.id, 0), "super_bonus"),
        ("bonus", paid.other.get(bet.id, 0), "other_bonus"),
    ):
        lines = bet.standing_lines(line)
        if not due and not lines:
            continue
        known = bet.id not in paid.unknown
        expected = Money(result="win", paid=due) if due else None
        recorded = None
        if lines:
            recorded = Money(
                result=str(lines[-1][1].result),
                paid=sum(settle.paid or 0 for _, settle in lines),
                taken=sum(settle.taken or 0 for _, settle in lines),
            )
        rows.append(
            SettlementRow(
                wager=bet.id,
                line=line,
                kind=bet.kind,
                player=bet.player,
                box=bet.box,
                hand=bet.hand.no,
                stake=int(bet.placed.amount),
                effective_stake=bet.effective,
                expected=expected if known else None,
                recorded=recorded,
                odds=None,
                clause=book.outcome_clause(outcome),
                reading=None,
                basis="as_required",
                reason="due in a Super Bonus round" if due else "no entitlement",
            )
        )
    return rows
