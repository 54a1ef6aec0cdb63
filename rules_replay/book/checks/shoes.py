"""Checks of a shoe: who cut, how a machine was loaded, and what followed its faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rules_replay.book.house import House, ShoeDealt
from rules_replay.book.law import Edition
from rules_replay.book.log import Cut, Fault, Loading, Person, Seat
from rules_replay.book.rounds import Dealt
from rules_replay.cards import DECK
from rules_replay.ledger import Missing, Outcome


@dataclass(frozen=True, slots=True)
class _Turn:
    """Whose turn to cut came first, by which clause; several players where they share a box."""

    players: frozenset[str]
    clause: str


def cut_in_turn(entry: Cut, law: Edition, house: House) -> Outcome | None:
    """The cut is offered to the player whose turn it is, then clockwise, and last made by staff."""
    shoe = house.rounds.of_shoe(entry.table, entry.shoe)
    if shoe and shoe[0].shuffler == "continuous":
        if law.word("machine_cut"):
            return _no_cut(entry, law)
        if "cut" in law.terms.get("machine_ends", ()):
            return None
    if entry.ground == "new_cards" and not law.word("new_cards_cutter"):
        return None
    return _cut(entry, law, house)


def _no_cut(entry: Cut, law: Edition) -> Outcome:
    if entry.by.post == "player":
        yield law.finding(
            "book.cut",
            "no cut by a player with a continuous shuffler",
            f"cut by {entry.by.name}",
            player=entry.by.name,
            clause=law.word("machine_cut"),
        )


def _cut(entry: Cut, law: Edition, house: House) -> Outcome:
    turn = _turn(entry, law, house)
    if isinstance(turn, Missing):
        yield turn
        return
    clauses = law.terms["cut_clauses"]
    seated = {seat.player for seat in entry.seats or ()}
    if "seated" in clauses and entry.seats and entry.by.post == "player" and entry.by.name not in seated:
        yield law.finding(
            "book.cut",
            "cut by a seated player",
            f"by {entry.by.name}, who had no seat",
            player=entry.by.name,
            clause=clauses["seated"],
        )
        return
    yield from _offered(
        "book.cut", law, turn, entry.by, entry.declined, entry.seats, clauses["next"], clauses["staff"]
    )


def _turn(entry: Cut, law: Edition, house: House) -> _Turn | Missing:
    clauses = law.terms["cut_clauses"]
    if entry.ground == "new_cards":
        return _far_left(entry.seats, clauses["new_cards"])
    if entry.ground == "start":
        if law.word("first_cutter") == "far_left":
            return _far_left(entry.seats, clauses["start"])
        if entry.first_player is None:
            return Missing("first_player")
        return _Turn(frozenset({entry.first_player}), clauses["start"])
    last = _last_round_before(entry, house)
    if last is None:
        return Missing(f"the last round at {entry.table} before {entry.shoe}")
    if last.cut_box is None:
        fact = "the hand on which the cutting card came out" if last.cut else "cut_card"
        return Missing(f"{fact} in {last.round_id}")
    if last.cut_box == 0:
        return _far_right(entry.seats, clauses["dealer"])
    players = frozenset(each.player for each in last.stakes if each.box == last.cut_box)
    return _Turn(players, clauses["box"]) if players else Missing(f"wagers on box {last.cut_box}")


def _last_round_before(entry: Cut, house: House) -> Dealt | None:
    """The last round of the shoe that was dealt at the table before the one cut."""
    before = [
        each
        for each in house.rounds.of_table(entry.table)
        if each.started_at <= entry.at and each.shoe != entry.shoe
    ]
    return before[-1] if before else None


def _far_left(seats: Sequence[Seat] | None, clause: str) -> _Turn | Missing:
    """The player at the dealer's far left, which is the lowest box."""
    if not seats:
        return Missing("seats")
    return _Turn(frozenset({min(seats, key=lambda seat: seat.box).player}), clause)


def _far_right(seats: Sequence[Seat] | None, clause: str) -> _Turn | Missing:
    """The player at the dealer's far right, which is the highest box."""
    if not seats:
        return Missing("seats")
    return _Turn(frozenset({max(seats, key=lambda seat: seat.box).player}), clause)


def _offered(
    code: str,
    law: Edition,
    turn: _Turn,
    by: Person,
    declined: Sequence[str],
    seats: Sequence[Seat] | None,
    next_clause: str,
    staff_clause: str,
) -> Outcome:
    """The cut was offered to whoever came first, then clockwise, until somebody took it."""
    offered = [*declined, *([by.name] if by.post == "player" else [])]
    wanted = " or ".join(sorted(turn.players))
    if not offered or offered[0] not in turn.players:
        got = f"to {offered[0]}" if offered else f"to nobody; cut by {by.name} ({by.post})"
        yield law.finding(
            code,
            f"offered to {wanted} first",
            got,
            player=offered[0] if offered else None,
            clause=turn.clause,
        )
        return
    if len(offered) == 1 and by.post == "player":
        return
    order = _clockwise(seats, offered[0])
    if order is None:
        yield Missing("seats")
    elif offered != order[: len(offered)]:
        yield law.finding(
            code, f"offered clockwise: {', '.join(order)}", ", ".join(offered), clause=next_clause
        )
    elif by.post != "player":
        last = law.word("last_cutter")
        if len(offered) < len(order):
            yield law.finding(
                code,
                f"offered to {order[len(offered)]} next",
                f"cut by {by.name} ({by.post})",
                clause=next_clause,
            )
        elif last not in ("employee", by.post):
            yield law.finding(code, f"cut by a {last}", f"by {by.name} ({by.post})", clause=staff_clause)


def _clockwise(seats: Sequence[Seat] | None, first: str) -> list[str] | None:
    """The players once round the table from one of them; None where his seat is not known."""
    ordered = [seat.player for seat in sorted(seats or (), key=lambda seat: seat.box)]
    if first not in ordered:
        return None
    place = ordered.index(first)
    return list(dict.fromkeys(ordered[place:] + ordered[:place]))


# --- machines ---


def loaded_by_the_dealer(held: Loading | ShoeDealt, law: Edition, house: House) -> Outcome | None:
    """New cards are shuffled by the dealer, then loaded, before the machine's first round."""
    if isinstance(held, ShoeDealt):
        return _not_loaded("book.loading", held, law, house)
    return _loaded(held, law, house) if held.why == "new_cards" else None


def _not_loaded(code: str, held: ShoeDealt, law: Edition, house: House) -> Outcome:
    first = held.first
    finding = law.finding(code, f"a loading before {first.round_id}", f"none for {first.shoe}")
    yield from house.absent("loading", first.table, first.started_at, finding)


def _loaded(entry: Loading, law: Edition, house: House) -> Outcome:
    code = "book.loading"
    if entry.shuffled_by is None:
        yield Missing("shuffled_by")
    elif entry.shuffled_by.post != "dealer":
        by = f"by {entry.shuffled_by.name} ({entry.shuffled_by.post})"
        yield law.finding(code, "shuffled by the dealer", by)
    if entry.shuffled_at is None:
        yield Missing("shuffled_at")
    elif entry.shuffled_at > entry.at:
        yield law.finding(code, "shuffled before they were loaded", f"at {entry.shuffled_at.isoformat()}")
    shoe = house.rounds.of_shoe(entry.table, entry.shoe)
    if not shoe:
        yield Missing(f"rounds of {entry.shoe}")
    elif shoe[0].started_at < entry.at:
        yield law.finding(code, f"loaded before {shoe[0].round_id}", f"at {entry.at.isoformat()}")


def burned_after_loading(held: Loading | ShoeDealt, law: Edition, house: House) -> Outcome:
    """Once the machine is loaded, five cards go face down into the rack (adelaide-2008)."""
    code, wanted = "book.loading-burns", law.whole("loading_burns")
    if isinstance(held, ShoeDealt):
        yield from _not_loaded(code, held, law, house)
    elif held.burned is None:
        yield Missing("burned")
    elif held.burned != wanted:
        clause = law.clauses[code][held.why == "jam"]
        yield law.finding(code, f"{wanted} cards into the rack", str(held.burned), clause=clause)


def faulty_round_finished(entry: Fault, law: Edition, house: House) -> Outcome | None:
    """A round in which the machine failed for good is finished by hand from an ordinary shoe."""
    found = house.rounds.by_id.get(entry.round_id)
    if entry.rectified or (found is not None and found.shuffler != "continuous"):
        return None
    return _finished(entry, found, law)


def _finished(entry: Fault, found: Dealt | None, law: Edition) -> Outcome:
    code = "book.fault-round"
    finished, shuffled, cut, shoe = law.clauses[code]
    if found is None:
        yield Missing(f"round {entry.round_id}")
    elif found.voided:
        yield law.finding(code, "the round finished", "declared void", clause=finished)
    if entry.shuffled_by is None:
        yield Missing("shuffled_by")
    elif entry.shuffled_by.post != "dealer":
        by = f"by {entry.shuffled_by.name} ({entry.shuffled_by.post})"
        yield law.finding(code, "the cards left shuffled by the dealer", by, clause=shuffled)
    if entry.cut_by is None:
        yield Missing("cut_by")
    else:
        turn = _far_right(entry.seats, cut)
        if isinstance(turn, Missing):
            yield turn
        else:
            yield from _offered(code, law, turn, entry.cut_by, entry.declined, entry.seats, cut, cut)
    if entry.finished_from is None:
        yield Missing("finished_from")
    elif entry.finished_from != "ordinary_shoe":
        yield law.finding(code, "finished from an ordinary shoe", "from the machine", clause=shoe)


def cards_after_a_fault(entry: Fault, law: Edition, house: House) -> Outcome | None:
    """Canberra: new cards from the next round on. Adelaide: a shuffle by hand."""
    if _mended(entry, house):
        return None
    return _next_cards(entry, law, house)


def _mended(entry: Fault, house: House) -> bool:
    """Whether the machine went on, or there was none."""
    found = house.rounds.by_id.get(entry.round_id)
    return entry.rectified or (found is not None and found.shuffler == "manual")


def _followed_by(entry: Fault, house: House) -> tuple[Dealt, Dealt] | Missing:
    """The round of the fault and the next at its table."""
    found = house.rounds.by_id.get(entry.round_id)
    if found is None:
        return Missing(f"round {entry.round_id}")
    later = (each for each in house.rounds.of_table(found.table) if each.started_at > found.started_at)
    after = next(later, None)
    return Missing(f"the round after {found.round_id}") if after is None else (found, after)


def _next_cards(entry: Fault, law: Edition, house: House) -> Outcome:
    code = "book.fault-cards"
    rounds = _followed_by(entry, house)
    if isinstance(rounds, Missing):
        yield rounds
        return
    found, after = rounds
    if after.shoe == found.shoe:
        yield law.finding(code, "another shoe from the next round on", f"{after.round_id} from {after.shoe}")
    elif law.word("after_fault") == "manual" and after.shuffler != "manual":
        recorded = f"{after.round_id} with the {after.shuffler} shuffler"
        yield law.finding(code, "shuffled by hand", recorded, clause=law.clauses[code][-1])


def cutting_card_after_a_fault(entry: Fault, law: Edition, house: House) -> Outcome | None:
    """After a shuffle by hand the cutting card lies at most two decks from the rear (adelaide-2008)."""
    return None if _mended(entry, house) else _cutting_card(entry, law, house)


def _cutting_card(entry: Fault, law: Edition, house: House) -> Outcome:
    rounds = _followed_by(entry, house)
    if isinstance(rounds, Missing):
        yield rounds
        return
    _, after = rounds
    so_far = 0
    for number, each in enumerate(house.rounds.of_shoe(after.table, after.shoe), 1):
        if each.round_no != number or each.out is None:
            yield Missing(f"every card of {after.shoe} before its cutting card")
            return
        if each.out_before_cut is not None:
            most = int(law.terms["fault_cut_decks"]) * len(DECK)
            behind = each.decks * len(DECK) - so_far - each.out_before_cut
            if behind > most:
                expected, recorded = (
                    f"at most {most} cards behind the cutting card",
                    f"{behind} in {after.shoe}",
                )
                yield law.finding("book.fault-cut", expected, recorded)
            return
        so_far += each.out
    yield Missing(f"cut_card in {after.shoe}")
