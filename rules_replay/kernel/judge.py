"""One round from first to last: laid out, settled, every check made in the order of play."""

from __future__ import annotations

from rules_replay.kernel.bonus import award_bonuses
from rules_replay.kernel.codes import BREACH, NOT, RULEBOOK_MISMATCH
from rules_replay.kernel.comparison import (
    check_bonus_lines,
    check_complete,
    compare_stakes,
    find_incomplete,
    record_stake,
)
from rules_replay.kernel.compiled import compiled, inlined
from rules_replay.kernel.dealer import NEEDED_NOT, play_dealer, second_need, total_need
from rules_replay.kernel.dealer_checks import check_dealer
from rules_replay.kernel.dealers_cards import count_dealer
from rules_replay.kernel.dealing import (
    check_deck,
    check_draws,
    check_initial_deal,
    check_left_below_12,
    check_turns,
)
from rules_replay.kernel.facts import pontoon_possible
from rules_replay.kernel.interim import check_interim
from rules_replay.kernel.irregularities import check_consequences, check_irregularities
from rules_replay.kernel.laying_out import lay_out
from rules_replay.kernel.options import check_options
from rules_replay.kernel.payout import effective_stake
from rules_replay.kernel.placing import (
    check_box_numbers,
    check_insurance,
    check_wagers,
    check_withdrawals,
)
from rules_replay.kernel.records import Table
from rules_replay.kernel.removals import (
    check_removals,
    look_at_dealers_removals,
    look_at_players_removals,
)
from rules_replay.kernel.report import add
from rules_replay.kernel.settlement import settle_all
from rules_replay.kernel.side_checks import check_side_bets
from rules_replay.kernel.standing import stand
from rules_replay.kernel.timing import check_timing


@compiled
def play(table: Table) -> None:
    """Lay the round out and work out what every wager is due and what was recorded for it."""
    lay_out(table)
    look_at_players_removals(table)
    count_dealer(table)
    _look_at_bets(table)
    look_at_dealers_removals(table)
    play_dealer(table)
    award_bonuses(table)
    settle_all(table)
    find_incomplete(table)


@inlined
def _look_at_bets(table: Table) -> None:
    """Of every bet: the stake that counts, where it stands, its need of the dealer, what was recorded."""
    head = table.space.head
    possible = pontoon_possible(table)
    places, total, second = 0, NEEDED_NOT, NEEDED_NOT
    for bet in range(head.n_bets):
        table.space.bets[bet].effective = effective_stake(table, bet)
        places |= stand(table, bet)
        total = max(total, total_need(table, bet))
        second = max(second, second_need(table, bet, possible))
        record_stake(table, bet)
    head.places = places
    head.need_total = total
    head.need_second = max(total, second)


@compiled
def judge(table: Table) -> None:
    """Find everything that a played round shows against its rulebook, in the order of play."""
    check_deck(table)
    check_wagers(table)
    check_box_numbers(table)
    check_side_bets(table)
    check_initial_deal(table)
    check_insurance(table)
    check_options(table)
    check_turns(table)
    check_draws(table)
    check_left_below_12(table)
    check_removals(table)
    check_interim(table)
    check_timing(table)
    if not table.space.head.round_void:
        check_dealer(table)
    check_withdrawals(table)
    check_irregularities(table)
    check_consequences(table)
    check_complete(table)
    compare_stakes(table)
    check_bonus_lines(table)


@inlined
def check_claim(table: Table) -> None:
    """The rulebook named on the round is the one in force."""
    if table.round.misclaimed:
        found = add(table, RULEBOOK_MISMATCH, NOT)
        found.severity = BREACH
