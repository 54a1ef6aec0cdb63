"""The checks of a tournament, one function a code: what each finds, and which facts it lacked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from rules_replay.tournament.checks import entries, outcome, papers, rounds, sessions
from rules_replay.tournament.law import Edition, Outcome
from rules_replay.tournament.log import Tournament
from rules_replay.tournament.rounds import LoggedRounds

TournamentCheck: TypeAlias = Callable[[Tournament, Edition], Outcome]
JoinedCheck: TypeAlias = Callable[[Tournament, Edition, LoggedRounds | None], Outcome]

CHECKS: Mapping[str, TournamentCheck] = {
    "tournament.director": papers.named_by_the_shift_manager,
    "tournament.documents": papers.documents_in_time,
    "tournament.conditions": papers.conditions_complete,
    "tournament.precedence": papers.prevailing_text_applied,
    "tournament.players": entries.players_within_range,
    "tournament.entry": entries.one_entry_each,
    "tournament.reserve": entries.reserves_take_open_seats,
    "tournament.fee": entries.fees_as_stated,
    "tournament.commission": entries.commission_as_approved,
    "tournament.seating": sessions.seats_by_ballot_and_kept,
    "tournament.late-seat": sessions.late_players_lose_their_place,
    "tournament.starting-chips": sessions.starting_chips_as_stated,
    "tournament.chips": sessions.chips_only_by_play,
    "tournament.min-wager": sessions.minimum_risked_each_round,
    "tournament.elimination": sessions.out_when_below_the_minimum,
    "tournament.order": sessions.order_of_the_marker,
    "tournament.places": outcome.places_follow_the_play,
    "tournament.tie-break": outcome.ties_as_the_rule_says,
    "tournament.prize-pool": outcome.whole_pool_returned,
    "tournament.prize-table": outcome.prizes_as_stated,
    "tournament.refund": entries.refunded_only_on_cancellation,
}
"""In catalogue order, those of `JOINED` after them."""

JOINED: Mapping[str, JoinedCheck] = {
    "tournament.round-log": rounds.rounds_in_the_log,
    "tournament.round-seats": rounds.players_in_their_seats,
    "tournament.round-stakes": rounds.stakes_as_wagered,
}
"""The checks that hold the rounds of a tournament against the round log; None where none was given."""


def all_checks(logged: LoggedRounds | None) -> Mapping[str, TournamentCheck]:
    """Every check in catalogue order, with the rounds of the round log."""
    return {**CHECKS, **{code: _with(logged, check) for code, check in JOINED.items()}}


def _with(logged: LoggedRounds | None, check: JoinedCheck) -> TournamentCheck:
    return lambda held, law: check(held, law, logged)
