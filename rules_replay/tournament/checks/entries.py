"""Checks of entries and the money taken for them: players, reserves, fees, commission, refunds."""

from __future__ import annotations

from collections import Counter, defaultdict

from rules_replay.ledger import Missing
from rules_replay.log import amount_text
from rules_replay.tournament.law import Edition, Outcome
from rules_replay.tournament.log import Entry, Tournament


def players_within_range(held: Tournament, law: Edition) -> Outcome:
    """As many players enter as the conditions allow."""
    conditions = held.conditions
    if conditions is None or (conditions.min_players is None and conditions.max_players is None):
        yield Missing("conditions.min_players and max_players")
        return
    least, most = conditions.min_players or 0, conditions.max_players
    players = len({each.player for each in held.entries})
    if players < least or (most is not None and players > most):
        wanted = f"{least} to {most} players" if most is not None else f"at least {least} players"
        yield law.fault("tournament.players", wanted, str(players))


def one_entry_each(held: Tournament, law: Edition) -> Outcome:
    """A player enters once; 2018 lets an eliminated player buy back where the conditions say so."""
    by_player: dict[str, list[Entry]] = defaultdict(list)
    for each in held.entries:
        by_player[each.player].append(each)
    for player, entries in by_player.items():
        back = sum(each.kind == "buy_back" for each in entries)
        if len(entries) - back != 1:
            yield law.fault("tournament.entry", "one entry", f"{len(entries) - back} entries", player=player)
        if back:
            yield from _buy_backs(held, law, player, back)
    seated = {seat.player: session.session for session in held.sessions for seat in session.seats}
    for player, session in seated.items():
        if player not in by_player:
            yield law.fault("tournament.entry", "one entry", f"none, seated in {session}", player=player)


def _buy_backs(held: Tournament, law: Edition, player: str, times: int) -> Outcome:
    conditions = held.conditions
    allowed = None if conditions is None else conditions.buy_backs
    if law.says("buy_back") == "never":
        reaches = law.reads("conditions_reach") == "all_of_section_20"
        if times > (allowed or 0 if reaches else 0):
            yield law.fault(
                "tournament.entry",
                f"bought back at most {allowed} times by the conditions"
                if reaches and allowed
                else "no second entry",
                f"{times} more by buying back",
                player=player,
            )
        return
    if conditions is None or (allowed is None and "buy_back" in conditions.states):
        yield Missing("conditions.buy_backs")
    elif times > (allowed or 0):
        yield law.fault(
            "tournament.entry",
            f"bought back at most {allowed or 0} times by the conditions",
            str(times),
            player=player,
            clause=law.clauses["tournament.entry"][1],
        )
    out = 0
    for session in held.sessions:
        if session.eliminations is None:
            yield Missing("eliminations")
            return
        out += sum(each.player == player for each in session.eliminations)
    if times > out:
        yield law.fault(
            "tournament.entry",
            f"bought back at most as often as put out, {out}",
            str(times),
            player=player,
            clause=law.clauses["tournament.entry"][1],
        )


def reserves_take_open_seats(held: Tournament, law: Edition) -> Outcome:
    """A reserve takes the seat of a player absent from the first session (2018: that player's own first)."""
    for entry in held.entries:
        if entry.kind != "reserve":
            continue
        absent = [
            (session, seat)
            for session in held.in_time
            for seat in session.seats
            if seat.player == entry.replaces
        ]
        taken = [each for each in held.in_time if any(seat.player == entry.player for seat in each.seats)]
        if entry.replaces is None or not absent or not taken:
            yield Missing("replaces, and the seats of both players")
            continue
        session, seat = absent[0]
        start = session.began_at or session.starts_at
        if seat.seated_at is not None and seat.seated_at <= start:
            yield law.fault(
                "tournament.reserve",
                "the seat of a player who has not sat down",
                f"{entry.replaces} sat down in {session.session} at {seat.seated_at.isoformat()}",
                player=entry.player,
            )
        first = taken[0]
        if first.session != session.session:
            wanted = f"a seat in {session.session}, the first session of {entry.replaces}"
            yield law.fault("tournament.reserve", wanted, first.session, player=entry.player)
        elif law.says("reserve_seat") == "first_session" and first.starts_at != held.in_time[0].starts_at:
            yield law.fault(
                "tournament.reserve", "a seat in the first session", first.session, player=entry.player
            )


def fees_as_stated(held: Tournament, law: Edition) -> Outcome:
    """Every entrant, a reserve too, pays the fee that the conditions state."""
    for entry in held.entries:
        conditions = held.conditions
        buying_back = entry.kind == "buy_back"
        due = None
        if conditions is not None:
            due = conditions.buy_back_fee if buying_back else conditions.fee
        if due is None:
            yield Missing("conditions.buy_back_fee" if buying_back else "conditions.fee")
        elif entry.fee != due:
            yield law.fault(
                "tournament.fee",
                amount_text(due),
                amount_text(entry.fee),
                player=entry.player,
                delta=due - entry.fee,
                clause=law.clauses["tournament.fee"][entry.kind == "reserve"],
            )


def _commission_limits(held: Tournament) -> dict[str, int | None]:
    """The most that may be kept of an entry, by what sets it; None where that is not known."""
    return {
        "approved": None if held.documents is None else held.documents.commission or 0,
        "stated in the conditions": None if held.conditions is None else held.conditions.commission,
    }


def prize_pool(held: Tournament) -> int:
    """All fees less the commission kept, but no more of it than was allowed; in thousandths."""
    limits = [each for each in _commission_limits(held).values() if each is not None]
    return sum(each.fee - min([each.commission, *limits]) for each in held.entries)


def commission_as_approved(held: Tournament, law: Edition) -> Outcome:
    """No more is kept of an entry than was approved, nor than the conditions state."""
    clauses, limits = law.clauses["tournament.commission"], _commission_limits(held)
    for entry in held.entries:
        if entry.commission and limits["approved"] is None:
            yield Missing("documents.commission")
        for clause, (source, limit) in zip(clauses, limits.items(), strict=True):
            if limit is not None and entry.commission > limit:
                yield law.fault(
                    "tournament.commission",
                    f"at most {amount_text(limit)} {source}",
                    amount_text(entry.commission),
                    player=entry.player,
                    delta=limit - entry.commission,
                    clause=clause,
                )
                break


def refunded_only_on_cancellation(held: Tournament, law: Edition) -> Outcome:
    """A cancelled tournament refunds every fee in full, commission included; no other refunds any."""
    if held.refunds is None:
        yield Missing("refunds")
        return
    due: Counter[str] = Counter()
    paid: Counter[str] = Counter()
    if held.cancelled_at is not None:
        for entry in held.entries:
            due[entry.player] += entry.fee
    for refund in held.refunds:
        paid[refund.player] += refund.amount
    for player in sorted(due | paid):
        if due[player] != paid[player]:
            yield law.fault(
                "tournament.refund",
                amount_text(due[player]) if due[player] else "no refund",
                amount_text(paid[player]),
                player=player,
                delta=paid[player] - due[player],
            )
