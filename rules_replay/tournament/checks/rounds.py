"""Checks of the rounds of a tournament against the round log: are they there, who played, for what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from fractions import Fraction

from rules_replay.ledger import Missing
from rules_replay.log import amount_text
from rules_replay.tournament.checks.sessions import with_eliminated
from rules_replay.tournament.law import Edition, Outcome
from rules_replay.tournament.log import Session, Stake, Tournament, TournamentRound
from rules_replay.tournament.rounds import LoggedRound, LoggedRounds


def rounds_in_the_log(held: Tournament, law: Edition, logged: LoggedRounds | None) -> Outcome:
    """Every round of a session stands in the round log, once named, in the order in which it was played."""
    if logged is None:
        yield Missing("the round log")
        return
    named: set[str] = set()
    for session in held.in_time:
        if session.rounds is None:
            yield Missing("rounds")
        before: dict[str, tuple[str, datetime]] = {}
        for round_ in session.rounds or ():
            wanted, recorded = _place_in_log(session, round_, logged, named, before)
            if recorded:
                yield law.fault("tournament.round-log", f"{round_.round_id}: {wanted}", recorded)
            named.add(round_.round_id)


def _place_in_log(
    session: Session,
    round_: TournamentRound,
    logged: LoggedRounds,
    named: set[str],
    before: dict[str, tuple[str, datetime]],
) -> tuple[str, str]:
    """What was expected of a round and what is recorded otherwise, which is empty where all is in order."""
    found = logged.get(round_.round_id)
    if round_.round_id in named:
        return "a round of one session, once", f"named again in {session.session}"
    if found is None:
        return "in the round log", "not there"
    earlier = before.get(round_.table)
    before[round_.table] = (round_.round_id, found.started_at)
    if session.began_at is not None and found.started_at < session.began_at:
        wanted = f"after {session.session} began at {session.began_at.isoformat()}"
        return wanted, f"at {found.started_at.isoformat()} in the round log"
    if earlier is not None and found.started_at < earlier[1]:
        wanted = f"after {earlier[0]} at {earlier[1].isoformat()}"
        return wanted, f"at {found.started_at.isoformat()} in the round log"
    return "", ""


def players_in_their_seats(held: Tournament, law: Edition, logged: LoggedRounds | None) -> Outcome:
    """A round is played at its table, and only those wager in it who are seated there and still in."""
    together = _together(held, logged)
    if isinstance(together, Missing):
        yield together
        return
    for session, round_, out, found in together:
        if found.table != round_.table:
            yield law.fault(
                "tournament.round-seats",
                f"{round_.round_id}: at table {round_.table}",
                f"at table {found.table} in the round log",
            )
        seated = {seat.player for seat in session.seats if seat.table == round_.table and not seat.forfeited}
        for player in sorted(found.wagered):
            if player not in seated:
                yield law.fault(
                    "tournament.round-seats",
                    f"{round_.round_id}: wagers of those seated at {round_.table} in {session.session}",
                    "a wager in the round log",
                    player=player,
                    about=round_.round_id,
                )
            elif player in out:
                yield law.fault(
                    "tournament.round-seats",
                    f"{round_.round_id}: out before the round",
                    "a wager in the round log",
                    player=player,
                    clause=law.clauses["tournament.round-seats"][1],
                    about=round_.round_id,
                )


def stakes_as_wagered(held: Tournament, law: Edition, logged: LoggedRounds | None) -> Outcome:
    """Every stake of a round is a main wager of the round log and the other way round, at one rate.

    What a chip is in the round log, this log does not say: the rate of most stakes is taken
    as that of all. No clause makes the two logs agree on it, so another rate is a notice.
    """
    together = _together(held, logged)
    if isinstance(together, Missing):
        yield together
        return
    rounds = list(together)
    rates = Counter(rate for *_, round_, _, found in rounds for _, rate in _rates(round_, found))
    usual = rates.most_common(1)[0][0] if rates else None
    for _, round_, _, found in rounds:
        staked = {each.player: each for each in round_.stakes}
        for player in sorted(staked.keys() | found.wagered.keys()):
            in_ledger = player in staked and staked[player].chips > 0 and not staked[player].voided
            if player in staked and staked[player].voided:
                continue
            if in_ledger != (player in found.wagered):
                wanted = "the stake of the tournament log" if in_ledger else "no stake"
                yield law.fault(
                    "tournament.round-stakes",
                    f"{round_.round_id}: {wanted} as main wager",
                    "none in the round log"
                    if in_ledger
                    else f"{amount_text(found.wagered[player])} in the round log",
                    player=player,
                    about=round_.round_id,
                )
        for stake, rate in _rates(round_, found):
            if usual is not None and rate != usual:
                yield law.fault(
                    "tournament.round-stakes",
                    f"{round_.round_id}: {stake.chips:,} chips at the rate of the other stakes",
                    f"{amount_text(found.wagered[stake.player])} in the round log",
                    player=stake.player,
                    clause=law.clauses["tournament.round-stakes"][1],
                    severity="notice",
                    about=f"{round_.round_id} rate",
                )


def _rates(round_: TournamentRound, found: LoggedRound) -> Iterator[tuple[Stake, Fraction]]:
    """Thousandths of the round log for one chip, of every stake that stands in both logs."""
    for each in round_.stakes:
        if each.chips and not each.voided and each.player in found.wagered:
            yield each, Fraction(found.wagered[each.player], each.chips)


def _together(
    held: Tournament, logged: LoggedRounds | None
) -> Iterator[tuple[Session, TournamentRound, set[str], LoggedRound]] | Missing:
    """The rounds that both logs have, each with its session and the players put out before it.

    Where no player at all is in both, the logs call players by other names.
    """
    if logged is None:
        return Missing("the round log")
    if any(each.rounds is None for each in held.sessions):
        return Missing("rounds")
    rounds = [
        (session, round_, out, logged[round_.round_id])
        for session in held.in_time
        for round_, out in with_eliminated(session)
        if round_.round_id in logged
    ]
    if not rounds:
        return Missing("a round that is in the round log")
    known = {seat.player for session in held.sessions for seat in session.seats}
    if not any(known & found.wagered.keys() for *_, found in rounds):
        return Missing("players of the same names in both logs")
    return iter(rounds)
