"""Checks of who comes first at a box: the player who decides, and those who insure another's wager."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rules_replay.book.house import House
from rules_replay.book.law import Edition
from rules_replay.book.log import InsuranceRequest, Seating
from rules_replay.book.rounds import Dealt, Stake
from rules_replay.ledger import Missing, Outcome
from rules_replay.log import Wager


def right_player_decides(entry: Seating, law: Edition, house: House) -> Outcome | None:
    """The first main wager listed on a shared box is that of the player who must decide for it.

    The seated player; else in Canberra the one nearest the dealer, in Adelaide the highest
    wager and of equal ones the nearest. nz-2000 says nothing of a box at which nobody sits.
    """
    shoe = house.rounds.of_shoe(entry.table, entry.shoe)
    last = entry.last_round
    seen = [
        each
        for each in shoe
        if entry.first_round <= each.round_no and (last is None or each.round_no <= last)
    ]
    shared = [(each, stakes) for each in seen if _concerned(stakes := _on(each, entry.box), entry, law)]
    if seen and not shared:
        return None
    return _decides(entry, shared, law)


def _concerned(stakes: tuple[Stake, ...], entry: Seating, law: Edition) -> bool:
    players = {stake.player for stake in stakes}
    return len(players) > 1 and (law.word("control") != "seated" or entry.player in players)


def _on(found: Dealt, box: int) -> tuple[Stake, ...]:
    return tuple(stake for stake in found.stakes if stake.box == box)


def _decides(entry: Seating, shared: list[tuple[Dealt, tuple[Stake, ...]]], law: Edition) -> Outcome:
    if not shared:
        yield Missing(f"rounds of {entry.shoe}")
    for found, stakes in shared:
        wanted = _decider(entry, stakes, law)
        if isinstance(wanted, Missing):
            yield wanted
            return
        if wanted != stakes[0].player:
            yield law.finding(
                "book.box-control",
                f"{wanted} decides for box {entry.box}",
                f"{stakes[0].player} in {found.round_id}",
                box=entry.box,
                wager=stakes[0].wager,
                player=stakes[0].player,
                clause=law.clauses["book.box-control"][0 if wanted == entry.player else -1],
            )


def _decider(entry: Seating, stakes: tuple[Stake, ...], law: Edition) -> str | Missing:
    players = {stake.player for stake in stakes}
    if entry.player in players:
        return str(entry.player)
    candidates = players
    if law.word("control") == "seated_highest":
        highest = max(stake.amount for stake in stakes)
        candidates = {stake.player for stake in stakes if stake.amount == highest}
        if len(candidates) == 1 and not candidates & set(entry.declined):
            return candidates.pop()
        if candidates <= set(entry.declined):
            candidates = players
    if entry.nearest is None:
        return Missing("nearest")
    left = (each for each in entry.nearest if each in candidates and each not in entry.declined)
    return next(left, None) or Missing("nearest")


# --- insurance by others ---


def insurers_in_order(entry: InsuranceRequest, law: Edition, house: House) -> Outcome:
    """Players on the insured box come first, then the closest, then whoever has insured least."""
    found = house.rounds.by_id.get(entry.round_id)
    if found is None:
        yield Missing(f"round {entry.round_id}")
        return
    owner = next((stake for stake in found.stakes if stake.wager == entry.on), None)
    if owner is None:
        yield Missing(f"the main wager {entry.on} in {found.round_id}")
        return
    insured = [
        (seq, event)
        for seq, event in enumerate(found.events)
        if isinstance(event, Wager) and event.kind == "insurance"
    ]
    let = {event.player: (seq, event) for seq, event in reversed(insured) if event.on == owner.wager}
    let.pop(owner.player, None)
    passed_over = [each for each in entry.players if each not in let and each != owner.player]
    for insurer, (seq, event) in let.items():
        cover = {
            each.player: sum(
                other.amount
                for place, other in insured
                if place < seq and other.player == each.player and other.on not in _own(found, each.player)
            )
            for each in found.stakes
        }
        for other in passed_over:
            clause = _comes_first(other, insurer, owner, found, cover, law)
            if clause:
                yield law.finding(
                    "book.insurance-order",
                    f"{other} before {insurer}",
                    f"{insurer} insured {owner.wager} in {found.round_id}",
                    player=insurer,
                    box=owner.box,
                    wager=event.id,
                    clause=clause,
                )


def _own(found: Dealt, player: str) -> set[str]:
    return {stake.wager for stake in found.stakes if stake.player == player}


def _comes_first(
    player: str, than: str, owner: Stake, found: Dealt, cover: Mapping[str, int], law: Edition
) -> str | None:
    """The clause by which one player comes before another, or None."""
    same, closest, least = law.clauses["book.insurance-order"]
    one, other = (min(_places(each, owner, found), default=None) for each in (player, than))
    if one is None or one == other:
        return None
    if other is None:
        return same if one[0] == 0 else closest
    if one[0] != other[0]:
        return (same if one[0] == 0 else closest) if one[0] < other[0] else None
    if one[2] == other[2]:
        return (same if one[0] == 0 else closest) if one[1] < other[1] else None
    return least if cover[player] < cover[than] else None


def _places(player: str, owner: Stake, found: Dealt) -> Iterator[tuple[int, int, int]]:
    """A player's wagers by distance in boxes from the insured one, row from the dealer, and box."""
    rows: dict[int, int] = {}
    for stake in found.stakes:
        row = rows[stake.box] = rows.get(stake.box, 0) + 1
        if stake.player == player:
            yield abs(stake.box - owner.box), row, stake.box
