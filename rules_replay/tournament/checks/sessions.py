"""Checks of the sessions: seats, chips, wagers, eliminations and the order of betting."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime

from rules_replay.ledger import Missing
from rules_replay.tournament.law import Edition, Outcome
from rules_replay.tournament.log import Seat, Session, Stake, Tournament, TournamentRound


def first_seats(session: Session) -> dict[str, Seat]:
    """The seat that each player had first in a session."""
    seats: dict[str, Seat] = {}
    for seat in session.seats:
        seats.setdefault(seat.player, seat)
    return seats


def _commencement(session: Session) -> datetime:
    return session.began_at or session.starts_at


def seats_by_ballot_and_kept(held: Tournament, law: Edition) -> Outcome:
    """Seats are balloted before the session and stay as they were drawn."""
    reserves = held.entered("reserve")
    for session in held.sessions:
        for player, rows in Counter(seat.player for seat in session.seats).items():
            if rows > 1:
                yield law.fault(
                    "tournament.seating",
                    f"{session.session}: one seat for the session",
                    f"{rows} seats",
                    player=player,
                )
        occupied: dict[tuple[str, int], str] = {}
        for seat in session.seats:
            place = f"{session.session}: table {seat.table} seat {seat.seat}"
            other = (
                seat.player if seat.forfeited else occupied.setdefault((seat.table, seat.seat), seat.player)
            )
            if other != seat.player:
                yield law.fault(
                    "tournament.seating", f"{place}: one player", f"also {other}", player=seat.player
                )
        for player, seat in first_seats(session).items():
            if player in reserves:
                continue
            if seat.by is None:
                yield Missing("seats.by")
            elif seat.by != "ballot":
                yield law.fault(
                    "tournament.seating", f"{session.session}: by ballot", "otherwise", player=player
                )
            elif seat.drawn_at is not None and seat.drawn_at > _commencement(session):
                yield law.fault(
                    "tournament.seating",
                    f"{session.session}: drawn before {_commencement(session).isoformat()}",
                    f"drawn at {seat.drawn_at.isoformat()}",
                    player=player,
                )


def late_players_lose_their_place(held: Tournament, law: Edition) -> Outcome:
    """Not seated in time loses the place: 2005 when play begins, 2018 at the stated time."""
    reserves = held.entered("reserve")
    for session in held.sessions:
        at_commencement = law.says("late_from") == "commencement"
        if at_commencement and session.began_at is None:
            yield Missing("began_at")
            continue
        limit = _commencement(session) if at_commencement else session.starts_at
        for player, seat in first_seats(session).items():
            if player in reserves:
                continue
            at = seat.seated_at
            if at is None:
                if not seat.forfeited:
                    yield Missing("seats.seated_at")
                continue
            late = at > limit if at_commencement else at >= limit
            if late != seat.forfeited:
                yield law.fault(
                    "tournament.late-seat",
                    f"{session.session}: place {'forfeited' if late else 'kept'}, {limit.isoformat()} counts",
                    f"sat down at {at.isoformat()} and {'played' if late else 'lost the place'}",
                    player=player,
                )
            elif not late and at >= session.starts_at:
                yield law.fault(
                    "tournament.late-seat",
                    f"{session.session}: seated before {session.starts_at.isoformat()}",
                    f"sat down at {at.isoformat()}, before play began; the place is kept",
                    player=player,
                    severity="notice",
                )


def starting_chips_as_stated(held: Tournament, law: Edition) -> Outcome:
    """A player begins with the chips of the conditions or, where chips are carried, with his own."""
    conditions = held.conditions
    if conditions is None or conditions.starting_chips is None:
        yield Missing("conditions.starting_chips")
        return
    holding: dict[str, int | None] = {}
    for session in held.in_time:
        for player, seat in first_seats(session).items():
            if seat.forfeited:
                continue
            carried = conditions.chips_carried and player in holding
            due = holding[player] if carried else conditions.starting_chips
            if due is None or seat.chips_start is None:
                yield Missing("seats.chips_start and chips_end")
            elif seat.chips_start != due:
                yield law.fault(
                    "tournament.starting-chips",
                    f"{session.session}: {due:,} chips{' carried over' if carried else ''}",
                    f"{seat.chips_start:,}",
                    player=player,
                    clause=law.clauses["tournament.starting-chips"][carried],
                )
        for seat in session.seats:
            holding[seat.player] = seat.chips_end
        for out in session.eliminations or ():
            holding.pop(out.player, None)


def chips_only_by_play(held: Tournament, law: Edition) -> Outcome:
    """Chips come and go by wagers and by bought-back entries alone, and every session adds up."""
    bought = Counter(each.player for each in held.entries if each.kind == "buy_back")
    for session in held.sessions:
        for seat in session.seats:
            moved = 0
            for change in seat.changes:
                moved += change.chips if change.way == "added" else -change.chips
                if change.why == "buy_back" and change.way == "added" and bought[seat.player]:
                    bought[seat.player] -= 1
                    continue
                yield law.fault(
                    "tournament.chips",
                    f"{session.session}: chips change by play alone",
                    f"{change.chips:,} {change.way}",
                    player=seat.player,
                )
            if seat.forfeited:
                continue
            if seat.chips_start is None or seat.chips_end is None or seat.won is None or seat.lost is None:
                yield Missing("seats.chips_start, chips_end, won and lost")
                continue
            due = seat.chips_start + seat.won - seat.lost + moved
            if seat.chips_end != due:
                yield law.fault(
                    "tournament.chips",
                    f"{session.session}: {due:,} chips at the end",
                    f"{seat.chips_end:,}",
                    player=seat.player,
                )


def minimum_risked_each_round(held: Tournament, law: Edition) -> Outcome:
    """Everyone in play stakes at least the table minimum in every round."""
    least = None if held.conditions is None else held.conditions.min_wager
    for session in held.sessions:
        if least is None or session.rounds is None or session.eliminations is None:
            yield Missing("conditions.min_wager, rounds and eliminations")
            continue
        at_one_table = _players_of_tables(session)
        some_time = {each.player for each in session.eliminations if each.after is None}
        for round_, out in with_eliminated(session):
            staked = {each.player: each for each in round_.stakes}
            for player in at_one_table[round_.table] - out - some_time - staked.keys():
                staked[player] = Stake(player=player, chips=0)
            for player, stake in sorted(staked.items()):
                unable = stake.holding is not None and stake.holding < least
                if stake.chips < least and not stake.voided and not unable:
                    yield law.fault(
                        "tournament.min-wager",
                        f"{round_.round_id}: at least {least:,} chips",
                        f"{stake.chips:,}" if stake.chips else "no wager",
                        player=player,
                    )


def _players_of_tables(session: Session) -> dict[str, set[str]]:
    """By table, the players who sat there throughout the session."""
    tables: dict[str, set[str]] = defaultdict(set)
    for seat in session.seats:
        tables[seat.player].add(seat.table)
    players: dict[str, set[str]] = defaultdict(set)
    for player, seat in first_seats(session).items():
        if not seat.forfeited and len(tables[player]) == 1:
            players[seat.table].add(player)
    return players


def with_eliminated(session: Session) -> Iterator[tuple[TournamentRound, set[str]]]:
    """The rounds of a session, each with the players put out before it."""
    after: dict[str | None, set[str]] = defaultdict(set)
    for each in session.eliminations or ():
        after[each.after].add(each.player)
    out: set[str] = set()
    for round_ in session.rounds or ():
        yield round_, set(out)
        out |= after[round_.round_id]


def out_when_below_the_minimum(held: Tournament, law: Edition) -> Outcome:
    """Whoever cannot stake the minimum before a round is out, and who is out does not play on."""
    least = None if held.conditions is None else held.conditions.min_wager
    bought = Counter(each.player for each in held.entries if each.kind == "buy_back")
    put_out: Counter[str] = Counter()
    for session in held.in_time:
        for player, seat in first_seats(session).items():
            if session.stage == "repechage":
                del put_out[player]
            elif put_out[player] > bought[player] and not seat.forfeited:
                yield law.fault(
                    "tournament.elimination",
                    f"out before {session.session}",
                    f"seated in {session.session}",
                    player=player,
                )
        if session.eliminations is None:
            yield Missing("eliminations")
        if session.rounds is None:
            yield Missing("rounds")
        if least is None:
            yield Missing("conditions.min_wager")
        for each in session.eliminations or ():
            put_out[each.player] += 1
            if each.reason != "below_minimum" or least is None:
                continue
            if each.chips is None:
                yield Missing("eliminations.chips")
            elif each.chips >= least:
                yield law.fault(
                    "tournament.elimination",
                    f"{session.session}: stays in with {least:,} chips or more",
                    f"put out with {each.chips:,}",
                    player=each.player,
                )
        for round_, out in with_eliminated(session):
            for stake in round_.stakes:
                if stake.player in out and put_out[stake.player] > bought[stake.player]:
                    recorded = "staked although out"
                elif least is not None and stake.holding is not None and stake.holding < least:
                    recorded = f"staked {stake.chips:,} with {stake.holding:,} chips, below {least:,}"
                else:
                    continue
                yield law.fault(
                    "tournament.elimination",
                    f"{round_.round_id}: out before the round",
                    recorded,
                    player=stake.player,
                )


def order_of_the_marker(held: Tournament, law: Edition) -> Outcome:
    """2005: the marker shows who bets first, the others follow clockwise, and it moves on each round."""
    warned: set[str] = set()
    for session in held.sessions:
        if session.rounds is None:
            yield Missing("rounds")
            continue
        places: dict[tuple[str, str | None], int] = {
            (seat.table, seat.player): seat.seat for seat in session.seats
        }
        marked: dict[str, TournamentRound | None] = {}
        for round_ in session.rounds:
            needed = {(round_.table, each) for each in (*(s.player for s in round_.stakes), round_.marker)}
            before, marked[round_.table] = marked.get(round_.table), None
            if not needed <= places.keys():
                yield Missing("rounds.marker and the seat of everyone who staked")
                continue
            marked[round_.table] = round_
            if before is not None:
                yield from _marker_moved(law, before, round_, places)
            turns = _turns(round_, places, round_.marker)
            for stake in round_.stakes:
                in_turn = stake.player == turns[0]
                turns.remove(stake.player)
                yield from _offences(law, round_, stake, in_turn, stake.player in warned)
                if stake.warned:
                    warned.add(stake.player)


def _turns(
    round_: TournamentRound, places: dict[tuple[str, str | None], int], first: str | None, after: int = 0
) -> list[str]:
    """The players who staked, clockwise from the seat of ``first``, or from so many seats after it."""
    start = places[round_.table, first] + after
    seats = {each.player: places[round_.table, each.player] for each in round_.stakes}
    return sorted(
        (each.player for each in round_.stakes), key=lambda each: (seats[each] < start, seats[each])
    )


def _offences(law: Edition, round_: TournamentRound, stake: Stake, in_turn: bool, warned: bool) -> Outcome:
    if not in_turn:
        yield law.fault(
            "tournament.order",
            f"{round_.round_id}: wagers clockwise from {round_.marker}; out of turn, a warning",
            f"out of turn, {'warned' if stake.warned else 'not warned'}",
            player=stake.player,
            severity="procedure",
        )
    if stake.changed:
        yield law.fault(
            "tournament.order",
            f"{round_.round_id}: the wager stays after its turn",
            "changed",
            player=stake.player,
        )
    if stake.voided and (in_turn or not warned):
        yield law.fault(
            "tournament.order",
            f"{round_.round_id}: the wager stands",
            "declared void" + ("" if in_turn else " without an earlier warning"),
            player=stake.player,
        )


def _marker_moved(
    law: Edition,
    before: TournamentRound,
    after: TournamentRound,
    places: dict[tuple[str, str | None], int],
) -> Outcome:
    turns = _turns(after, places, before.marker, after=1)
    if turns and after.marker != turns[0]:
        yield law.fault(
            "tournament.order",
            f"{after.round_id}: the marker moves on to {turns[0]}",
            f"it stood at {after.marker}",
            clause=law.clauses["tournament.order"][1],
            severity="procedure",
        )
