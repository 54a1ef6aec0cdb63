"""Checks of how a tournament ended: places, ties, the prize pool and the prizes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import pairwise

from rules_replay.ledger import Missing
from rules_replay.log import THOUSANDTHS, amount_text
from rules_replay.tournament.checks.entries import prize_pool
from rules_replay.tournament.checks.sessions import first_seats
from rules_replay.tournament.law import Edition, Outcome
from rules_replay.tournament.log import Conditions, Placing, Session, Ties, Tournament

CENT = THOUSANDTHS // 100


def _final(held: Tournament) -> Session | None:
    return next((each for each in reversed(held.in_time) if each.stage == "final"), None)


def _chips(session: Session) -> dict[str, int | None]:
    """Chips at the end of a session of everyone who was still in, which nobody is with none."""
    out = {each.player for each in session.eliminations or ()}
    last = {seat.player: seat.chips_end for seat in session.seats if not seat.forfeited}
    return {player: chips for player, chips in last.items() if player not in out and chips != 0}


def _points(held: Tournament) -> dict[str, int] | None:
    """Points of every player over all sessions; None where some were not recorded."""
    totals: Counter[str] = Counter()
    for session in held.sessions:
        for seat in first_seats(session).values():
            if seat.points is None and not seat.forfeited:
                return None
            totals[seat.player] += seat.points or 0
    return dict(totals)


def _tied(values: Mapping[str, int | None]) -> list[list[str]]:
    """The groups of players with the same chips or points, in the order of the log."""
    groups: dict[int | None, list[str]] = defaultdict(list)
    for player, value in values.items():
        groups[value].append(player)
    return [group for value, group in groups.items() if value is not None and len(group) > 1]


def places_follow_the_play(held: Tournament, law: Edition) -> Outcome:
    """More chips in the final, or more points, is a better place; a play-off orders those who tied."""
    final, conditions = _final(held), held.conditions
    if held.places is None or final is None or conditions is None:
        yield Missing("places, conditions and a final session")
        return
    for player, times in Counter(each.player for each in held.places).items():
        if times > 1:
            yield law.fault("tournament.places", "one place", f"{times} places", player=player)
    if conditions.form == "points":
        points = _points(held)
        if points is None:
            yield Missing("seats.points")
            return
        reached: Mapping[str, int | None] = points
    else:
        reached = {**dict.fromkeys(first_seats(final), -1), **_chips(final)}
    if None in reached.values():
        yield Missing("seats.chips_end")
        return
    came_out = {player: at for each in final.play_offs for at, player in enumerate(each.players)}

    def standing(placing: Placing) -> tuple[int, int]:
        # Whoever did not reach the final stands behind those who did, put out of it or not.
        value = reached.get(placing.player, -2) or 0
        return -value, came_out.get(placing.player, 0) if value >= 0 else 0

    ordered = sorted(held.places, key=lambda each: (standing(each), each.place))
    for better, worse in pairwise(ordered):
        if standing(better) < standing(worse) and better.place >= worse.place:
            yield law.fault(
                "tournament.places",
                f"a place before {worse.player}",
                f"place {better.place}, {worse.player} place {worse.place}",
                player=better.player,
            )


def ties_as_the_rule_says(held: Tournament, law: Edition) -> Outcome:
    """2005: equal chips at the end are played off, players out in one round share. 2018: the conditions."""
    conditions = held.conditions
    prizes = {each.player: each.prize for each in held.places or ()}
    by_conditions = law.says("ties") == "as_conditions"
    if by_conditions and conditions is None:
        yield Missing("conditions")
        return
    if held.places is None:
        yield Missing("places")
    for session in held.in_time:
        chips = _chips(session)
        if None in chips.values():
            yield Missing("seats.chips_end")
        last = session.stage == "final" and (conditions is None or conditions.form != "points")
        for group in _tied(chips):
            if by_conditions and not _contested(held, session, group, prizes if last else None):
                continue
            yield from _tie(held, law, session, group, last, prizes)
        if law.says("out_together") == "share":
            yield from _out_together(held, law, session, prizes)
    if by_conditions and conditions is not None and conditions.form == "points":
        yield from _points_ties(held, law, prizes)


def _contested(
    held: Tournament, session: Session, group: list[str], prizes: Mapping[str, int] | None
) -> bool:
    """Whether something hangs on a tie: a prize, points, or going on to another session."""
    if prizes is not None:
        return any(prizes.get(player, 0) for player in group)
    if held.conditions is not None and held.conditions.form == "points":
        return True
    later = {
        seat.player for each in held.in_time if each.starts_at > session.starts_at for seat in each.seats
    }
    return 0 < len(later.intersection(group)) < len(group)


def _tie(
    held: Tournament,
    law: Edition,
    session: Session,
    group: list[str],
    last: bool,
    prizes: Mapping[str, int],
) -> Outcome:
    stated = _stated(held.conditions, last)
    rule: Ties | None = stated if law.says("ties") == "as_conditions" else "play_off"
    if law.reads("conditions_reach") == "all_of_section_20":
        rule = stated or rule
    code, names = "tournament.tie-break", ", ".join(group)
    clause = law.clauses[code][0]
    if law.says("ties") == "as_conditions" and not last and held.conditions is not None:
        clause = law.clauses[code][2 if held.conditions.form == "points" else 1]
    played = any(set(group) <= set(each.players) for each in session.play_offs)
    if rule is None:
        yield Missing("conditions.final_ties" if last else "conditions.session_ties")
        return
    about = f"{session.session}: {names}"
    if played != (rule == "play_off"):
        wanted = "additional rounds" if rule == "play_off" else "no additional rounds, equal shares"
        yield law.fault(
            code,
            f"{session.session}: {wanted} for {names}",
            "additional rounds" if played else "none played",
            clause=clause,
            about=about,
        )
    elif rule == "share" and last:
        yield from _equal_prizes(
            law, group, prizes, f"{session.session}: equal prizes for {names}", clause, about
        )
    elif rule == "share":
        points = {first_seats(session)[player].points for player in group}
        if len(points) > 1:
            yield law.fault(
                code,
                f"{session.session}: equal points for {names}",
                "different points",
                clause=clause,
                about=about,
            )


def _stated(conditions: Conditions | None, last: bool) -> Ties | None:
    if conditions is None:
        return None
    return conditions.final_ties if last else conditions.session_ties


def _points_ties(held: Tournament, law: Edition, prizes: Mapping[str, int]) -> Outcome:
    points, rule = _points(held), _stated(held.conditions, True)
    if points is None:
        yield Missing("seats.points")
        return
    play_offs = [each for session in held.sessions for each in session.play_offs]
    for group in _tied(points):
        if not any(prizes.get(player, 0) for player in group):
            continue
        due = "equal prizes" if rule == "share" else "additional rounds"
        wanted = f"equal points: {due} for {', '.join(group)}"
        if rule is None:
            yield Missing("conditions.final_ties")
        elif rule == "share":
            yield from _equal_prizes(law, group, prizes, wanted)
        elif not any(set(group) <= set(each.players) for each in play_offs):
            yield law.fault("tournament.tie-break", wanted, "none played")


def _out_together(held: Tournament, law: Edition, session: Session, prizes: Mapping[str, int]) -> Outcome:
    together: dict[str, list[str]] = defaultdict(list)
    for each in session.eliminations or ():
        if each.after is not None:
            together[each.after].append(each.player)
    for round_id, group in together.items():
        by_play_off = (
            law.reads("conditions_reach") == "all_of_section_20"
            and _stated(held.conditions, True) == "play_off"
            and any(set(group) <= set(each.players) for each in session.play_offs)
        )
        if len(group) > 1 and not by_play_off:
            yield from _equal_prizes(
                law,
                group,
                prizes,
                f"{session.session}: {', '.join(group)} out in {round_id}, equal prizes",
                law.clauses["tournament.tie-break"][1],
                f"{session.session}: {round_id}",
            )


def _equal_prizes(
    law: Edition,
    group: Iterable[str],
    prizes: Mapping[str, int],
    wanted: str,
    clause: str | None = None,
    about: str | None = None,
) -> Outcome:
    paid = [prizes.get(player, 0) for player in group]
    if max(paid) - min(paid) > CENT:
        yield law.fault(
            "tournament.tie-break",
            wanted,
            ", ".join(amount_text(each) for each in paid),
            clause=clause,
            about=about,
        )


def whole_pool_returned(held: Tournament, law: Edition) -> Outcome:
    """The prizes together are all fees less the commission; a forfeited fee stays in."""
    if held.places is None:
        yield Missing("places")
        return
    paid, pool = sum(each.prize for each in held.places), prize_pool(held)
    if paid != pool:
        yield law.fault(
            "tournament.prize-pool",
            f"{amount_text(pool)} in prizes",
            amount_text(paid),
            delta=paid - pool,
            severity="notice" if paid > pool else None,
        )


def prizes_as_stated(held: Tournament, law: Edition) -> Outcome:
    """Each place is paid what the conditions give it; players who share places share their prizes."""
    if held.places is None or held.conditions is None or not held.conditions.prizes:
        yield Missing("places and conditions.prizes")
        return
    stated = {each.place: each for each in held.conditions.prizes}
    pool = prize_pool(held)
    due: dict[int, Fraction] = defaultdict(Fraction)
    for place, share in stated.items():
        percent = Fraction(share.percent or 0, 100 * THOUSANDTHS)
        due[place] = Fraction(share.amount) if share.amount is not None else pool * percent
    groups: dict[int, list[Placing]] = defaultdict(list)
    for each in sorted(held.places, key=lambda each: each.place):
        groups[each.place].append(each)
    rank = 1
    for place, group in groups.items():
        together = sum((due[rank + at] for at in range(len(group))), Fraction(0))
        rank += len(group)
        for each in group:
            wanted = together / len(group)
            if abs(each.prize - wanted) >= CENT:
                yield law.fault(
                    "tournament.prize-table",
                    f"{amount_text(round(wanted))} for place {place}",
                    amount_text(each.prize),
                    player=each.player,
                    delta=each.prize - round(wanted),
                )
