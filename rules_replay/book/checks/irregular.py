"""Checks of what went wrong in a round: voidings, dealer changes, rebuilds, refused cards."""

from __future__ import annotations

from collections.abc import Sequence

from rules_replay.book.house import House, Untold
from rules_replay.book.law import Edition
from rules_replay.book.log import DealerChange, Incident, Person, Refusal, Voiding
from rules_replay.book.rounds import Dealt
from rules_replay.ledger import Missing, Outcome
from rules_replay.log import AnyEvent, Deal, Double, Irregularity, Settle, Split, Stand


def void_on_a_ground(held: Voiding | Dealt, law: Edition, house: House) -> Outcome:
    """A later round stands though a card was misplaced before it; so does one after the cutting card."""
    if isinstance(held, Dealt):
        yield Missing(f"a voiding entry for {held.round_id}")
        return
    misplaced, cutting_card = law.clauses["book.void-ground"]
    if held.ground == "misplaced_card":
        if held.error_round is None:
            yield Missing("error_round")
        elif held.error_round != held.round_id:
            yield law.finding(
                "book.void-ground",
                f"{held.round_id} stands",
                f"void for a card misplaced in {held.error_round}",
                clause=misplaced,
            )
    elif held.ground == "cutting_card":
        found = house.rounds.by_id.get(held.round_id)
        if found is None:
            yield Missing(f"round {held.round_id}")
        elif found.shuffler != "continuous":
            yield law.finding(
                "book.void-ground",
                f"{held.round_id} stands and is finished",
                "void because the cutting card was out",
                clause=cutting_card,
            )


def dealers_change_between_rounds(entry: DealerChange, law: Edition, house: House) -> Outcome:
    """A dealer is relieved when his round is finished, unless events force it."""
    if entry.forced:
        return
    during = house.during(entry.table, entry.at)
    if isinstance(during, Missing):
        yield during
    elif during is not None:
        yield law.finding(
            "book.dealer-change",
            "after a round",
            f"{entry.takes_over} took over from {entry.leaves} during {during.round_id}",
        )


# --- incidents ---

_INSPECTING = ("inspector", "pit_boss")


def incident_approved(held: Incident | Untold, law: Edition, house: House) -> Outcome:
    """An inspector or pit boss hears of every irregularity, and play goes on by his leave."""
    if isinstance(held, Untold):
        recorded = f"no entry for {held.code} in {held.round.round_id}"
        finding = law.finding("book.incident", "an inspector or pit boss informed", recorded)
        yield from house.absent("incident", held.round.table, held.round.started_at, finding)
        return
    for field, person in (("informed", held.informed), ("approved_by", held.approved_by)):
        if person is None:
            yield Missing(field)
        elif person.post not in _INSPECTING:
            yield law.finding(
                "book.incident",
                "informed and approved by an inspector or pit boss",
                f"{field} {_who(person)}",
            )


def _who(person: Person) -> str:
    return f"{person.name} ({person.post})"


def rebuilt_under_supervision(held: Incident | Untold, law: Edition, house: House) -> Outcome:
    """Table games management supervises a full rebuild; in the initial deal an inspector may."""
    code = "book.reconstruction"
    if isinstance(held, Untold):
        recorded = f"no entry of it for {held.round.round_id}"
        finding = law.finding(code, "a rebuild under supervision", recorded)
        yield from house.absent("incident", held.round.table, held.round.started_at, finding)
        return
    if held.supervised_by is None:
        yield Missing("supervised_by")
        return
    who = _who(held.supervised_by)
    if held.supervised_by.post == "games_management":
        return
    if held.supervised_by.post != "inspector":
        yield law.finding(code, "supervised by table games management, or an inspector", who)
        return
    found = house.rounds.by_id.get(held.round_id)
    over = None if found is None else _initial_deal_over(found.events)
    if over is None:
        over = None if held.during is None else held.during == "later"
    if over is None:
        yield Missing("during")
    elif over:
        yield law.finding(code, "supervised by table games management once the initial deal is over", who)


def _initial_deal_over(events: Sequence[AnyEvent]) -> bool | None:
    """Whether 47(d) had ended the initial deal at the report of a rebuild; None where none is logged."""
    cards: dict[tuple[int, int], int] = {}
    over = False
    for event in events:
        match event:
            case Irregularity(code="reconstructed"):
                return over
            case Stand() | Split() | Settle(result="win"):
                over = True
            case Deal() if event.box:
                cards[event.box, event.hand] = cards.get((event.box, event.hand), 0) + 1
                over = over or cards[event.box, event.hand] > 2
            case _:
                pass
    return None


# --- refused cards ---


def no_card_after_a_refusal(entry: Refusal, law: Edition, house: House) -> Outcome:
    """A player who refuses an exposed card gets no more cards in the round."""
    found = house.rounds.by_id.get(entry.round_id)
    seq = _exposed_at(entry, found)
    if found is None or isinstance(seq, Missing):
        yield Missing(f"round {entry.round_id}") if isinstance(seq, int) else seq
        return
    for refused in entry.refused:
        hands = {(refused.box, refused.hand)}
        for place in range(seq + 1, len(found.events)):
            event = found.events[place]
            match event:
                case Deal() | Double() | Split() if (event.box, event.hand) in hands:
                    yield law.finding(
                        "book.refused-card",
                        "no further card",
                        f"a {event.__struct_config__.tag} in {found.round_id}",
                        player=refused.player,
                        box=refused.box,
                        hand=refused.hand,
                        seq=place,
                    )
                    break
                case _:
                    pass


def _exposed_at(entry: Refusal, found: Dealt | None) -> int | Missing:
    """The place of the irregularity at which the card was refused."""
    if found is None:
        return Missing(f"round {entry.round_id}")
    if entry.seq is not None:
        return entry.seq
    places = [
        seq
        for seq, event in enumerate(found.events)
        if isinstance(event, Irregularity) and event.code == "exposed_card"
    ]
    return places[0] if len(places) == 1 else Missing("seq")


def refused_card_to_the_dealer(entry: Refusal, law: Edition, house: House) -> Outcome | None:
    """A card that all players refuse becomes the dealer's second card."""
    return _to_the_dealer(entry, law, house) if entry.by_all else None


def _to_the_dealer(entry: Refusal, law: Edition, house: House) -> Outcome:
    found = house.rounds.by_id.get(entry.round_id)
    if entry.card is None or found is None:
        yield Missing("card" if entry.card is None else f"round {entry.round_id}")
        return
    dealers = [event.card for event in found.events if isinstance(event, Deal) and event.box == 0]
    if len(dealers) < 2:
        yield Missing(f"the dealer's second card in {found.round_id}")
    elif dealers[1] != entry.card:
        yield law.finding("book.refused-by-all", f"{entry.card} the dealer's second card", dealers[1], box=0)
