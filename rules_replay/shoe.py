"""What only a run of rounds shows: the composition of a shoe, a missed shuffle, a missing round,
the place of the cutting card, a wager under the minimum after a warning.

Rounds of a shoe must be fed in their order. With a continuous shuffler the cards go
back into the machine, so a card is counted within its round only and no shuffle falls due.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from rules_replay.cards import card
from rules_replay.cutting_card import MISSING, POSITION, Stack, check_cutting_card
from rules_replay.log import MISDEALT, Burn, CutCard, Deal, Irregularity, Round, Settle, Wager, amount_text
from rules_replay.results import Finding
from rules_replay.rulebook import NONE, SILENT, Rulebook

FINAL_ROUNDS = 3
"""Rounds that may be announced as the last (act-2018 5.5, adelaide-2008 54 121)."""


@dataclass(slots=True)
class Shoe:
    """One shoe so far: copies of each card seen, the cutting card, who was under the minimum.

    ``cut_unseen``: in some round the cutting card would not have been recorded. ``continuous`` is whether a
    continuous shuffler dealt its first round: one shoe is one set of cards.
    """

    copies: Counter[str] = field(default_factory=Counter)
    reported: set[str] = field(default_factory=set)
    cut_card_round: int | None = None
    cut_unseen: bool = False
    last_round: int | None = None
    stack: Stack = field(default_factory=Stack)
    decks: int | None = None
    continuous: bool | None = None
    continuous_noted: bool = False
    final_rounds: int = 0
    undersized: set[str] = field(default_factory=set)


def check_shoe(shoe: Shoe, round_: Round, book: Rulebook | None) -> list[Finding]:
    """Take a round into its shoe and return what the shoe now shows about it.

    Without a rulebook in force the cards are counted and nothing is reported.
    """
    findings: list[Finding] = []
    if shoe.continuous is None:
        shoe.continuous = round_.shuffler == "continuous"
    if book is not None:
        findings += _round_gap(shoe, round_, book)
        findings += _shuffle_due(shoe, round_, book)
        findings += _shuffler(shoe, round_, book)
        findings += _decks_changed(shoe, round_, book)
        findings += _final_rounds(shoe, round_, book)
        findings += _undersized_again(shoe, round_, book)
        findings += _unexplained_burns(round_, book)
    findings += _composition(shoe, round_, book)
    findings += check_cutting_card(shoe.stack, round_, book)
    _note_cut_card(shoe, round_)
    shoe.last_round = max(round_.round_no, shoe.last_round or 0)
    return findings


def not_shown(shoe: Shoe) -> dict[str, str]:
    """Checks that the shoe as logged so far cannot support, and what is missing."""
    missing = "every round and burned card of the shoe"
    found = {} if shoe.stack.whole else {POSITION: missing, MISSING: missing}
    return found | ({"shoe.shuffle-due": "cut_card"} if shoe.cut_unseen else {})


def _note_cut_card(shoe: Shoe, round_: Round) -> None:
    """Remember when the cutting card came out; a rack shuffled in mid-round has a new one (nz-2000 16.7)."""
    shoe.cut_unseen = shoe.cut_unseen or "cut_card" not in round_.facts
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
    if _goes_back(shoe, round_) or book.word("shoe.shuffle") == "not_stated":
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


def _shuffler(shoe: Shoe, round_: Round, book: Rulebook) -> list[Finding]:
    """What a continuous shuffler rules out (adelaide-2008 41, act-2018 19.1), and whether it may be used."""
    if round_.shuffler != "continuous":
        return []
    findings: list[Finding] = []
    if book.clauses["shoe.continuous-shuffler"] != NONE and not shoe.continuous_noted:
        shoe.continuous_noted = True
        findings.append(
            Finding(
                code="shoe.continuous-shuffler",
                severity="notice",
                expected="a shuffler that holds one set of cards while the other is dealt",
                recorded="a continuous shuffler",
                clause=book.clause_of("shoe.continuous-shuffler"),
            )
        )
    cut = next((seq for seq, event in enumerate(round_.events) if isinstance(event, CutCard)), None)
    if cut is not None and book.clauses["shoe.cut-card-unused"] != NONE and "cut_card" in round_.facts:
        findings.append(
            Finding(
                code="shoe.cut-card-unused",
                severity="notice",
                seq=cut,
                expected="no cutting card with a continuous shuffler",
                recorded="one came out",
                clause=book.clause_of("shoe.cut-card-unused"),
            )
        )
    return findings


def _decks_changed(shoe: Shoe, round_: Round, book: Rulebook) -> list[Finding]:
    """The decks are settled before the shoe is made up (act-2018 2.3(a)); elsewhere it is a notice."""
    before, shoe.decks = shoe.decks, round_.decks
    if before in (None, round_.decks):
        return []
    silent = book.clauses["deck.count-changed"] == SILENT
    return [
        Finding(
            code="deck.count-changed",
            severity="notice" if silent else "procedure",
            expected=f"{before} decks, as in the round before",
            recorded=f"{round_.decks} decks in the same shoe",
            clause=book.clause_of("deck.count-changed"),
        )
    ]


def _final_rounds(shoe: Shoe, round_: Round, book: Rulebook) -> list[Finding]:
    shoe.final_rounds = shoe.final_rounds + 1 if round_.last_rounds else 0
    if shoe.final_rounds <= FINAL_ROUNDS or book.clauses["shoe.last-rounds"] == NONE:
        return []
    return [
        Finding(
            code="shoe.last-rounds",
            severity="procedure",
            expected=f"at most {FINAL_ROUNDS} rounds announced as the last",
            recorded=f"number {shoe.final_rounds} in a row",
            clause=book.clause_of("shoe.last-rounds"),
        )
    ]


def _undersized_again(shoe: Shoe, round_: Round, book: Rulebook) -> list[Finding]:
    """After one wager under the minimum its owner's next go back (act-2018 3.4, adelaide-2008 118).

    A notice, for the warning that brings it about is not logged.
    """
    least = round_.limits.min if round_.limits is not None else None
    if least is None or book.clauses["wager.below-min-again"] == NONE:
        return []
    under = [
        (seq, event)
        for seq, event in enumerate(round_.events)
        if isinstance(event, Wager) and event.kind == "main" and event.amount < least
    ]
    findings = [
        Finding(
            code="wager.below-min-again",
            severity="notice",
            seq=seq,
            box=wager.box,
            hand=wager.hand,
            wager=wager.id,
            player=wager.player,
            expected=f"returned, as a further wager under {amount_text(least)}",
            recorded=f"{amount_text(wager.amount)} paid or collected",
            clause=book.clause_of("wager.below-min-again"),
        )
        for seq, wager in under
        if wager.player in shoe.undersized and _money_moved(round_, wager.id)
    ]
    shoe.undersized |= {wager.player for _, wager in under}
    return findings


def _unexplained_burns(round_: Round, book: Rulebook) -> list[Finding]:
    """One card may be put away before a shoe's first round (nz-2000 8.1); any other has its reason."""
    if book.clauses["shoe.burn-unexplained"] == NONE or "burns" not in round_.facts:
        return []
    if any(isinstance(event, Irregularity) for event in round_.events):
        return []
    dealt = next((seq for seq, event in enumerate(round_.events) if isinstance(event, Deal)), 0)
    burned = [
        (seq, event)
        for seq, event in enumerate(round_.events)
        if isinstance(event, Burn) and event.source == "shoe" and not event.reason
    ]
    first_of_shoe = bool(burned) and round_.round_no == 1 and burned[0][0] < dealt
    return [
        Finding(
            code="shoe.burn-unexplained",
            severity="notice",
            seq=seq,
            expected="a reason for the card burned",
            recorded=f"{burn.card} burned, no reason recorded",
            clause=book.clause_of("shoe.burn-unexplained"),
        )
        for seq, burn in (burned[1:] if first_of_shoe else burned)
    ]


def _money_moved(round_: Round, wager: str) -> bool:
    lines = [
        (seq, event)
        for seq, event in enumerate(round_.events)
        if isinstance(event, Settle) and event.wager == wager
    ]
    undone = {settle.reverses for _, settle in lines}
    return any(settle.paid or settle.taken for seq, settle in lines if seq not in undone)


def _cut_card_before_first_card(round_: Round) -> int | None:
    for seq, event in enumerate(round_.events):
        if isinstance(event, CutCard):
            return seq
        if isinstance(event, Deal) or (isinstance(event, Burn) and event.source == "shoe"):
            return None
    return None


def _composition(shoe: Shoe, round_: Round, book: Rulebook | None) -> list[Finding]:
    findings: list[Finding] = []
    if _goes_back(shoe, round_):
        shoe.copies.clear()
    misdealt = any(isinstance(each, Irregularity) and each.code in MISDEALT for each in round_.events)
    for seq, event in enumerate(round_.events):
        if isinstance(event, Irregularity) and event.code == "shoe_exhausted":
            shoe.copies = _on_the_table(round_, seq)
        if misdealt and isinstance(event, Burn) and event.source == "hand":
            taken = card(event.card).text
            shoe.copies[taken] -= _dealt_again(round_, seq, taken)
        name = _card_out(event)
        if name is None:
            continue
        shoe.copies[name] += 1
        if shoe.copies[name] > round_.decks and name not in shoe.reported:
            shoe.reported.add(name)
            if book is not None:
                findings.append(_too_many(shoe, round_, book, name, seq, event))
    return findings


def _goes_back(shoe: Shoe, round_: Round) -> bool:
    """Whether the cards of a round go back into the machine that dealt the shoe from its first round on."""
    return round_.shuffler == "continuous" and shoe.continuous is True


def _dealt_again(round_: Round, seq: int, name: str) -> bool:
    """Whether a card taken off a hand is dealt after that as the next card (nz-2000 16.2 16.4)."""
    later = round_.events[seq + 1 :]
    return any(isinstance(each, Deal) and card(each.card).text == name for each in later)


def _card_out(event: object) -> str | None:
    """The name of a card that left the shoe with this event, if it is one of the 48."""
    if isinstance(event, Deal) or (isinstance(event, Burn) and event.source == "shoe"):
        out = card(event.card)
        return out.text if out.readable and not out.foreign else None
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
