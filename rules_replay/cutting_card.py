"""Where in the shoe the cutting card lay: shown by the cards that came out before it.

Only a shoe that was logged from its first round, without a gap and with its burned cards,
shows that; and a rack shuffled back or a hand dealt again makes the count meaningless.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from rules_replay.cards import DECK
from rules_replay.log import Burn, CutCard, Deal, Irregularity, Round, Settle, Wager
from rules_replay.results import Finding
from rules_replay.rulebook import NONE, Rulebook
from rules_replay.severity import Severity

POSITION = "shoe.cut-position"
MISSING = "shoe.cut-card-missing"
NEEDED = frozenset({"burns", "cut_card"})
_RECOUNTED = frozenset({"shoe_exhausted", "reconstructed"})


@dataclass(slots=True)
class Stack:
    """Cards out of a shoe so far; ``whole`` while every one of them is known."""

    out: int = 0
    decks: int = 0
    last_round: int = 0
    whole: bool = True
    cut: bool = False
    ran_out_at: int | None = None
    left: int = 0

    def take(self, round_: Round) -> int | None:
        """Count a round in; returns how many cards were out when the cutting card came, if it did.

        ``ran_out_at`` is the seq at which a whole shoe ran out in this round with no cutting card yet, and
        ``left`` how many of its cards no record shows by then.
        """
        self.decks = self.decks or round_.decks
        known = round_.decks == self.decks and round_.shuffler != "continuous" and round_.facts >= NEEDED
        if round_.round_no != self.last_round + 1 or not known or _lacks_cards(round_):
            self.whole = False
        self.last_round = round_.round_no
        self.ran_out_at = None
        before: int | None = None
        for seq, event in enumerate(round_.events):
            if isinstance(event, Irregularity) and event.code in _RECOUNTED:
                if event.code == "shoe_exhausted" and self.whole and not self.cut:
                    self.ran_out_at = seq
                    self.left = self.decks * len(DECK) - self.out
                self.whole = False
            elif isinstance(event, CutCard) and not self.cut:
                self.cut = True
                before = self.out if self.whole else None
            elif isinstance(event, Deal) or (isinstance(event, Burn) and event.source == "shoe"):
                self.out += 1
        return before


def _lacks_cards(round_: Round) -> bool:
    """A box without its two cards, or a record that breaks off: more may have come out than is written."""
    dealt = Counter(event.box for event in round_.events if isinstance(event, Deal))
    mains = [event for event in round_.events if isinstance(event, Wager) and event.kind == "main"]
    return any(dealt[main.box] < 2 for main in mains) or _breaks_off(round_, {main.id for main in mains})


def _breaks_off(round_: Round, mains: set[str]) -> bool:
    """A wager is unsettled and nothing was settled after the last card."""
    last_card = max((seq for seq, event in enumerate(round_.events) if isinstance(event, Deal)), default=-1)
    settled = [(seq, event.wager) for seq, event in enumerate(round_.events) if isinstance(event, Settle)]
    unsettled = mains - {wager for _, wager in settled}
    return bool(unsettled) and all(seq < last_card for seq, _ in settled)


def check_cutting_card(stack: Stack, round_: Round, book: Rulebook | None) -> list[Finding]:
    """Take a round into its stack: where the cutting card lay, and whether there was one."""
    before = stack.take(round_)
    if book is None:
        return []
    return [*_position(round_, book, before), *_missing(round_, book, stack)]


def _missing(round_: Round, book: Rulebook, stack: Stack) -> list[Finding]:
    """act-2018 5.3, nz-2000 16.10; adelaide-2008 54(a) has the shoe dealt to its end.

    Where cards enough to have the cutting card among them are in no record, nobody can be blamed: a notice.
    """
    if stack.ran_out_at is None or book.clauses[MISSING] == NONE:
        return []
    least = book.whole("shoe.cutting_card_decks_behind") * len(DECK)
    return [
        Finding(
            code=MISSING,
            severity="procedure" if stack.left < max(least, 1) else "notice",
            seq=stack.ran_out_at,
            expected="a cutting card before the shoe ran out",
            recorded=f"none in {round_.round_no} rounds",
            clause=book.clause_of(MISSING),
        )
    ]


def _position(round_: Round, book: Rulebook, before: int | None) -> list[Finding]:
    """act-2018 5.3, nz-2000 7.6, adelaide-2008 38(a).

    In front of all cards of a shoe it is a shuffle that was due (nz-2000 8.8), and not also this. Too many
    cards behind it are a notice: where rounds before are in no log and the numbers began anew, as many are
    counted that had come out.
    """
    if not before or book.clauses[POSITION] == NONE:
        return []
    behind = round_.decks * len(DECK) - before
    least = book.whole("shoe.cutting_card_decks_behind") * len(DECK)
    most = round_.decks * len(DECK) // 2
    seq = next(seq for seq, event in enumerate(round_.events) if isinstance(event, CutCard))
    if behind > most:
        return [_misplaced(round_, book, seq, "notice", f"at most {most} cards", behind)]
    if behind < least:
        return [_misplaced(round_, book, seq, "procedure", f"at least {least} cards", behind)]
    return []


def _misplaced(
    round_: Round, book: Rulebook, seq: int, severity: Severity, expected: str, behind: int
) -> Finding:
    return Finding(
        code=POSITION,
        severity=severity,
        seq=seq,
        expected=f"{expected} behind the cutting card",
        recorded=f"{behind} cards of {round_.decks} decks",
        clause=book.clause_of(POSITION),
    )
