"""Tournaments: section 20 of the two Canberra rulebooks, held against a ledger log of its own.

`catalogue` lists the checks of a tournament, `citations` the clauses they hold, and
`audit_tournament` makes them. Round logs, their checks and their coverage know nothing of it.
"""

from rules_replay.tournament.law import answers, catalogue, citations, editions, readings
from rules_replay.tournament.log import FORMAT, Tournament
from rules_replay.tournament.replay import TournamentReplay, audit_tournament
from rules_replay.tournament.rounds import LoggedRound, LoggedRounds, logged_round

__all__ = [
    "FORMAT",
    "LoggedRound",
    "LoggedRounds",
    "Tournament",
    "TournamentReplay",
    "answers",
    "audit_tournament",
    "catalogue",
    "citations",
    "editions",
    "logged_round",
    "readings",
]
