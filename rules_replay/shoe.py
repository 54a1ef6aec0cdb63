"""What only a run of rounds shows: the composition of a shoe, a missed shuffle, a missing round.

Rounds of a shoe must be fed in their order. With a continuous shuffler the cards go
back into the machine, so a card is counted within its round only and no shuffle falls due.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from rules_replay.cards import DECK, card
from rules_replay.log import Burn, CutCard, Deal, Irregularity, Round
from rules_replay.results import Finding
from rules_replay.rulebook import Rulebook


@dataclass(slots=True)
class Shoe:
    """One shoe so far: copies of each card seen, and when the cutting card came out."""

    copies: Counter[str] = field(default_factory=Counter)
    reported: set[str] = field(default_factory=set)
    cut_card_round: int | None = None
    last_round: int | None = None


def check_shoe(shoe: Shoe, round_: Round, book: Rulebook | None) -> list[Finding]:
    """Take a round into its shoe and return what the shoe now shows about it.

    Without a rulebook in force the cards are counted and nothing is reported.
    """
    findings: list[Finding] = []
    if book is not None:
        findings += _round_gap(shoe, round_, book)
        findings += _shuffle_due(shoe, round_, book)
    findings += _composition(shoe, round_, book)
    _note_cut_card(shoe, round_)
    shoe.last_round = max(round_.round_no, shoe.last_round or 0)
    return findings


def _note_cut_card(shoe: Shoe, round_: Round) -> None:
    """Remember when the cutting card came out; a rack shuffled in mid-round has a new one (nz-2000 16.7)."""
    for event in round_.events:
        if isinstance(event, Irregularity) and event.code == "shoe_exhausted":
            shoe.cut_card_round = None
        elif isinstance(event, CutCard) and shoe.cut_card_round is None:
            shoe.cut_card_round = round_.round_no


def _round_gap(shoe: Shoe, round_: Round, book: Rulebook) -> list[Finding]:
    if shoe.last_round is None or round_.round_no <= shoe.last_round + 1:
        return []
    missing = round_.round_no - shoe.last_round - 1
    return [
        Finding(
            code="shoe.round-gap",
            severity="notice",
            expected=f"round {shoe.last_round + 1} of shoe {round_.shoe}",
            recorded=f"round {round_.round_no}: {missing} missing",
            clause=book.clause_of("shoe.round-gap"),
        )
    ]


def _shuffle_due(shoe: Shoe, round_: Round, book: Rulebook) -> list[Finding]:
    """act-2018 5.4 5.5, nz-2000 8.7 8.8, adelaide-2008 54 55; automated shoes have no cutting card."""
    if round_.shuffler == "continuous" or book.word("shoe.shuffle") == "not_stated":
        return []
    if round_.last_rounds and book.flag("shoe.last_rounds_excuse"):
        return []
    if "cut_card" not in round_.facts:
        return []
    first_cut = _cut_card_before_first_card(round_)
    if shoe.cut_card_round is not None and shoe.cut_card_round < round_.round_no:
        recorded = f"the cutting card came out in round {shoe.cut_card_round} and the shoe went on"
        seq = None
    elif first_cut is not None:
        recorded = "the cutting card came out first and the round was dealt"
        seq = first_cut
    else:
        return []
    return [
        Finding(
            code="shoe.shuffle-due",
            severity="procedure",
            seq=seq,
            expected="the cards shuffled before this round",
            recorded=recorded,
            clause=book.clause_of("shoe.shuffle-due"),
        )
    ]


def _cut_card_before_first_card(round_: Round) -> int | None:
    for seq, event in enumerate(round_.events):
        if isinstance(event, CutCard):
            return seq
        if isinstance(event, Deal) or (isinstance(event, Burn) and event.source == "shoe"):
            return None
    return None


def _composition(shoe: Shoe, round_: Round, book: Rulebook | None) -> list[Finding]:
    findings: list[Finding] = []
    if round_.shuffler == "continuous":
        shoe.copies.clear()
    rebuilt = any(isinstance(each, Irregularity) and each.code == "reconstructed" for each in round_.events)
    for seq, event in enumerate(round_.events):
        if isinstance(event, Irregularity) and event.code == "shoe_exhausted":
            shoe.copies = _on_the_table(round_, seq)
        if rebuilt and isinstance(event, Burn) and event.source == "hand":
            shoe.copies[card(event.card).text] -= 1
        name = _card_out(event)
        if name is None:
            continue
        shoe.copies[name] += 1
        if shoe.copies[name] > round_.decks and name not in shoe.reported:
            shoe.reported.add(name)
            if book is not None:
                findings.append(_too_many(shoe, round_, book, name, seq, event))
    return findings


def _card_out(event: object) -> str | None:
    """The name of a card that left the shoe with this event, if it is one of the 48."""
    if isinstance(event, Deal) or (isinstance(event, Burn) and event.source == "shoe"):
        name = card(event.card).text
        return name if name in DECK else None
    return None


def _on_the_table(round_: Round, until: int) -> Counter[str]:
    """Cards out of the shoe in this round so far: the only ones a reshuffled rack lacks."""
    names = (_card_out(event) for event in round_.events[:until])
    return Counter(name for name in names if name is not None)


def _too_many(shoe: Shoe, round_: Round, book: Rulebook, name: str, seq: int, event: object) -> Finding:
    assert isinstance(event, Deal | Burn)
    return Finding(
        code="deck.composition",
        severity="breach",
        seq=seq,
        box=event.box,
        hand=event.hand if event.box is not None else None,
        expected=f"at most {round_.decks} of {name} in {round_.decks} decks",
        recorded=f"number {shoe.copies[name]} of shoe {round_.shoe}",
        clause=book.clause_of("deck.composition"),
    )
