"""Checks of players held to the minimum: by a restriction, or for the rest of a shoe."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET

from rules_replay.book.house import House
from rules_replay.book.law import Edition
from rules_replay.book.log import LateEntry, Restriction
from rules_replay.book.rounds import Dealt
from rules_replay.ledger import Missing, Outcome
from rules_replay.log import amount_text


def restricted_by_the_book(entry: Restriction, law: Edition, house: House) -> Outcome:
    """Canberra: by the approved procedures, reported to the Commission. Adelaide: after consultation."""
    if law.word("restriction") == "consultation":
        if entry.consulted_at is UNSET:
            yield Missing("consulted_at")
        elif entry.consulted_at is None or entry.consulted_at > entry.at:
            when = entry.consulted_at.isoformat() if entry.consulted_at else "not consulted"
            yield law.finding(
                "book.restriction", "the inspectorate consulted before", when, player=entry.player
            )
        return
    if entry.procedures is None:
        yield Missing("procedures")
    elif entry.procedures == "not_followed":
        yield law.finding(
            "book.restriction", "by the approved procedures", "not by them", player=entry.player
        )
    if entry.reported_at is UNSET:
        yield Missing("reported_at")
    elif entry.reported_at is None:
        yield law.finding(
            "book.restriction", "reported to the Commission", "not reported", player=entry.player
        )


def restricted_stakes(entry: Restriction, law: Edition, house: House) -> Outcome:
    """A restricted player wagers the minimum on one box."""
    if not house.given:
        yield Missing("rounds")
    tables = house.rounds.tables if entry.table is None else (entry.table,)
    held = [
        each
        for table in tables
        for each in house.rounds.of_table(table)
        if entry.at <= each.started_at and (entry.until is None or each.started_at < entry.until)
    ]
    boxes = law.whole("restricted_boxes")
    yield from _held_stakes(held, entry.player, boxes, law, "book.restricted-stake", None)


def _held_stakes(
    rounds: Iterable[Dealt], player: str, boxes: int | None, law: Edition, code: str, clause: str | None
) -> Outcome:
    for each in rounds:
        stakes = [stake for stake in each.stakes if stake.player == player]
        used = sorted({stake.box for stake in stakes})
        if boxes is not None and len(used) > boxes:
            yield law.finding(
                code,
                f"wagers on at most {boxes} {'box' if boxes == 1 else 'boxes'}",
                f"on boxes {', '.join(map(str, used))} in {each.round_id}",
                player=player,
                clause=clause,
            )
        if stakes and each.minimum is None:
            yield Missing(f"limits.min of {each.round_id}")
            continue
        for stake in stakes:
            if each.minimum is not None and stake.amount > each.minimum:
                yield law.finding(
                    code,
                    f"the minimum, {amount_text(each.minimum)}",
                    f"{amount_text(stake.amount)} in {each.round_id}",
                    player=player,
                    box=stake.box,
                    wager=stake.wager,
                    clause=clause,
                )


# --- late entry ---


def _machine(entry: LateEntry, law: Edition, house: House) -> bool:
    """Whether the rule has no effect for want of a shoe that ends."""
    rounds = house.rounds.of_shoe(entry.table, entry.shoe)
    ends = "late_entry" in law.terms.get("machine_ends", ())
    return ends and bool(rounds) and rounds[0].shuffler == "continuous"


def late_entry_used(entry: LateEntry, law: Edition, house: House) -> Outcome:
    """The operator may hold a late player to the minimum; that he did so is told as a notice."""
    yield law.finding(
        "book.late-entry",
        "may be held to the minimum until a new shoe",
        f"held in {entry.shoe} from round {entry.round_no}",
        player=entry.player,
    )


def late_entry_reaches(entry: LateEntry, law: Edition, house: House) -> Outcome:
    """The player missed the shoe's first rounds, or sat out a round after he had bet.

    Adelaide: neither of the first two; or bet on one of them and sat out the third or a later one.
    """
    if _machine(entry, law, house):
        yield law.finding(
            "book.late-entry-reach",
            "no such power with an automated shuffling shoe",
            f"used in {entry.shoe}",
            player=entry.player,
            clause=law.clauses["book.late-entry-reach"][-1],
        )
        return
    earlier = [
        each for each in house.rounds.of_shoe(entry.table, entry.shoe) if each.round_no < entry.round_no
    ]
    known = {each.round_no: any(stake.player == entry.player for stake in each.stakes) for each in earlier}
    lacking = [number for number in range(1, entry.round_no) if number not in known]
    if lacking:
        yield Missing(f"round {lacking[0]} of {entry.shoe}")
        return
    first = law.whole("late_first_rounds")
    assert first is not None
    in_first = [number for number, bet in known.items() if bet and number <= first]
    missed_first = bool(known) and not in_first and entry.round_no > first
    if first == 1:
        begun = min((number for number, bet in known.items() if bet), default=None)
        gap = begun is not None and any(not bet for number, bet in known.items() if number > begun)
    else:
        gap = bool(in_first) and any(not bet for number, bet in known.items() if number > first)
    if not missed_first and not gap:
        bets = ", ".join(str(number) for number, bet in sorted(known.items()) if bet) or "none before"
        yield law.finding(
            "book.late-entry-reach",
            "a player who missed the first of the shoe, or sat a round out after betting",
            f"bet on rounds {bets}, held from {entry.round_no}",
            player=entry.player,
            clause=law.clauses["book.late-entry-reach"][bool(in_first)],
        )


def late_stakes(entry: LateEntry, law: Edition, house: House) -> Outcome | None:
    """A player so held wagers the minimum until a new shoe; in Adelaide on at most two boxes."""
    if _machine(entry, law, house):
        return None
    return _late_stakes(entry, law, house)


def _late_stakes(entry: LateEntry, law: Edition, house: House) -> Outcome:
    shoe = house.rounds.of_shoe(entry.table, entry.shoe)
    held = [each for each in shoe if each.round_no >= entry.round_no]
    numbers = {each.round_no for each in held}
    wanted = range(entry.round_no, max(numbers, default=entry.round_no) + 1)
    lacking = [number for number in wanted if number not in numbers]
    if lacking:
        yield Missing(f"round {lacking[0]} of {entry.shoe}")
    bet = any(each.round_no <= 2 and _bets(each, entry.player) for each in shoe)
    clauses = law.clauses["book.late-entry-stake"]
    clause = clauses[-1] if bet else clauses[0]
    boxes = law.whole("late_boxes")
    yield from _held_stakes(held, entry.player, boxes, law, "book.late-entry-stake", clause)


def _bets(found: Dealt, player: str) -> bool:
    return any(stake.player == player for stake in found.stakes)
