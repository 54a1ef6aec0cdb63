"""What findings of one manner have in common: where the like of it could have gone wrong as well.

Four kinds. Of a settlement: every wager line on which the same was due, by the same clause and at
the same odds. Of the dealer's card: every hand of the dealer that came to the total in question and
shows whether it was dealt with rightly. Of a wager above the sign: the rounds with one that the sign
cuts. Of all else: the rounds that hold what the check is about,
as far as its fact is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from audit.causes.conditions import Condition, Cut, DealersHands, PlayersHands, Recorded, Signed, Words
from audit.causes.manner import SIGN_COLUMNS
from audit.causes.model import Member, Unit
from rules_replay.checks import catalogue
from rules_replay.log import FACTS

_SUBJECTS: dict[str, Condition] = {
    "insurance": Words("settlements", ("kind",), ("insurance",)),
    "pairs": Words("settlements", ("kind",), ("pair", "perfect_pairs")),
    "side": Words("settlements", ("kind",), ("pair", "perfect_pairs", "pandemonium")),
    "jackpot": Words("settlements", ("kind",), ("pandemonium",)),
    "double": Words("settlements", ("kind",), ("double",)),
    "split": Words("settlements", ("kind",), ("split",)),
    "twenty-one": PlayersHands(("21", "pontoon")),
    "surrender": Words("hands", ("ended",), ("surrendered",)),
    "surrendered": Words("hands", ("ended",), ("surrendered",)),
    "forfeit": Words("settlements", ("expected_result", "recorded_result"), ("forfeit",)),
    "void": Words("settlements", ("expected_result",), ("void",)),
}
"""Where rounds with the subject of a check are found; of any other it is every round."""

SUBJECTS: tuple[Condition, ...] = (*dict.fromkeys(_SUBJECTS.values()), Cut())
"""All that may be asked of the hands and settlements of a round, but for those of the dealer."""

_SEEN = ("interim.", "deck.count", "rulebook.", "side-bet.settled-late", "settle.missing")
"""Checks of rounds in which the log shows what was right as well as what was wrong."""

_STOPPED = re.compile(r"stopped at (hard|soft) (\d+)")
_DRAWN = re.compile(r"no card on (hard|soft) (\d+), ")


@dataclass(frozen=True, slots=True)
class Family:
    """Opportunities of one kind at a venue, and whether doing right shows among them.

    Wagers go by what was ``due`` on them (clause, result, odds and line); all else are rounds ``where``
    conditions hold that have a row of the ``subject``, if there is one.
    """

    venue: str
    unit: Unit
    seen: bool
    due: tuple[tuple[str, str, str, str], ...] = ()
    where: tuple[Condition, ...] = ()
    subject: Condition | DealersHands | None = None


def family_of(members: Sequence[Member]) -> Family:
    """The opportunities of findings in one manner, all of one venue."""
    first = members[0]
    if first.manner.above_sign and any(each.due is not None for each in members):
        return Family(first.venue, "round", seen=True, subject=Cut())
    dues = {each.due for each in members}
    known = tuple(sorted(due for due in dues if due is not None))
    if known and None not in dues:
        return Family(first.venue, "wager", seen=True, due=known)
    check = catalogue().get(first.code)
    recorded = () if check is None or check.needs is None else (_recorded(check.needs),)
    of_dealer = _dealer_hands(first, members)
    if of_dealer is not None:
        return Family(first.venue, "hand", seen=True, where=recorded, subject=of_dealer)
    return Family(
        first.venue,
        "round",
        seen=first.code.startswith(_SEEN),
        where=(*recorded, *_signs(members)),
        subject=None if check is None else _SUBJECTS.get(check.subject),
    )


def _signs(members: Sequence[Member]) -> tuple[Signed, ...]:
    """The rounds under a sign with one of the figures that the findings were held against."""
    signs = sorted({each.sign for each in members if each.sign is not None})
    return (Signed(SIGN_COLUMNS[members[0].code], tuple(signs)),) if signs else ()


def _recorded(fact: str) -> Recorded:
    if fact not in FACTS:
        raise ValueError(f"no recorder writes {fact!r}")
    return Recorded(fact)


def _dealer_hands(first: Member, members: Sequence[Member]) -> DealersHands | None:
    """Dealer's hands at the total in question: those dealt with rightly, and those of the findings."""
    under = _STOPPED.search(first.manner.key) if first.code == "dealer.under-draw" else None
    over = _DRAWN.search(first.manner.key) if first.code == "dealer.over-draw" else None
    at = under or over
    if at is None:
        return None
    return DealersHands(
        soft=at[1] == "soft",
        total=int(at[2]),
        stood=under is None,
        wrong=frozenset(each.round_id for each in members),
    )
