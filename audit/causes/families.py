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
from typing import TypeAlias

from audit.causes.manner import SIGN_COLUMNS
from audit.causes.model import Member, Unit
from expectations.tables import identifier, literal
from rules_replay.checks import catalogue
from rules_replay.log import FACTS

Subject: TypeAlias = tuple[str, str]
"""A table of the lake, and which of its rows."""

_SUBJECTS: dict[str, Subject] = {
    "insurance": ("settlements", "kind = 'insurance'"),
    "pairs": ("settlements", "kind IN ('pair', 'perfect_pairs')"),
    "side": ("settlements", "kind IN ('pair', 'perfect_pairs', 'pandemonium')"),
    "jackpot": ("settlements", "kind = 'pandemonium'"),
    "double": ("settlements", "kind = 'double'"),
    "split": ("settlements", "kind = 'split'"),
    "twenty-one": ("hands", "box > 0 AND ended IN ('21', 'pontoon')"),
    "surrender": ("hands", "ended = 'surrendered'"),
    "surrendered": ("hands", "ended = 'surrendered'"),
    "forfeit": ("settlements", "expected_result = 'forfeit' OR recorded_result = 'forfeit'"),
    "void": ("settlements", "expected_result = 'void'"),
}
"""Where rounds with the subject of a check are found; of any other it is every round."""

_CUT: Subject = ("settlements", "effective_stake < stake AND line = 'stake' AND kind = 'main'")
"""Where rounds with a main wager are found that a sign or a player's own limit cuts."""

_SEEN = ("interim.", "deck.count", "rulebook.", "side-bet.settled-late", "settle.missing")
"""Checks of rounds in which the log shows what was right as well as what was wrong."""

_STOPPED = re.compile(r"stopped at (hard|soft) (\d+)")
_DRAWN = re.compile(r"no card on (hard|soft) (\d+), ")


@dataclass(frozen=True, slots=True)
class Family:
    """Opportunities of one kind at a venue, and whether doing right shows among them.

    Wagers go by what was ``due`` on them (clause, result, odds and line); all else are rounds ``where``
    a condition holds that have a row of the ``subject``, if there is one.
    """

    venue: str
    unit: Unit
    seen: bool
    due: tuple[tuple[str, str, str, str], ...] = ()
    where: str = "true"
    subject: Subject | None = None


def family_of(members: Sequence[Member]) -> Family:
    """The opportunities of findings in one manner, all of one venue."""
    first = members[0]
    if first.manner.above_sign and any(each.due is not None for each in members):
        return Family(first.venue, "round", seen=True, subject=_CUT)
    dues = {each.due for each in members}
    known = tuple(sorted(due for due in dues if due is not None))
    if known and None not in dues:
        return Family(first.venue, "wager", seen=True, due=known)
    check = catalogue().get(first.code)
    recorded = [] if check is None or check.needs is None else [_recorded(check.needs)]
    of_dealer = _dealer_hands(first, members)
    if of_dealer is not None:
        return Family(first.venue, "hand", seen=True, where=_all(recorded), subject=of_dealer)
    return Family(
        first.venue,
        "round",
        seen=first.code.startswith(_SEEN),
        where=_all([*recorded, *_signs(members)]),
        subject=None if check is None else _SUBJECTS.get(check.subject),
    )


def _all(conditions: Sequence[str]) -> str:
    return " AND ".join(conditions) or "true"


def _signs(members: Sequence[Member]) -> list[str]:
    """The rounds under a sign with one of the figures that the findings were held against."""
    signs = sorted({each.sign for each in members if each.sign is not None})
    if not signs:
        return []
    listed = ", ".join(f"{each:f}" for each in signs)
    columns = SIGN_COLUMNS[members[0].code]
    return ["(" + " OR ".join(f"{identifier(each)} IN ({listed})" for each in columns) + ")"]


def _recorded(fact: str) -> str:
    if fact not in FACTS:
        raise ValueError(f"no recorder writes {fact!r}")
    return f"(records IS NULL OR list_contains(records, {literal(fact)}))"


_POINTS = (
    "list_transform(string_split(cards, ' '), "
    "lambda x: CASE WHEN x[1] IN ('J', 'Q', 'K', 'T', '1') THEN 10 WHEN x[1] = 'A' THEN 1 "
    "ELSE coalesce(TRY_CAST(x[1] AS INTEGER), 0) END)"
)


def _dealer_hands(first: Member, members: Sequence[Member]) -> Subject | None:
    """Dealer's hands at the total in question: those dealt with rightly, and those of the findings."""
    under = _STOPPED.search(first.manner.key) if first.code == "dealer.under-draw" else None
    over = _DRAWN.search(first.manner.key) if first.code == "dealer.over-draw" else None
    if under is not None:
        right = _went_on(soft=under[1] == "soft", total=int(under[2]))
    elif over is not None:
        right = (
            f"card_count >= 2 AND ended = 'stood' AND soft = {over[1] == 'soft'} AND total = {int(over[2])}"
        )
    else:
        return None
    wrong = ", ".join(literal(each) for each in sorted({each.round_id for each in members}))
    # Not with AND, whose sides are both worked out where what comes of it is wanted as a column.
    return ("hands", f"CASE WHEN box = 0 THEN round_id IN ({wrong}) OR ({right}) ELSE false END")


def _went_on(*, soft: bool, total: int) -> str:
    """True of a hand that took a card on a total."""
    wanted = total - 10 if soft else total
    fits = f"list_sum(points[1:i]) = {wanted}"
    if soft:
        fits += " AND list_contains(points[1:i], 1)"
    elif wanted <= 11:
        fits += " AND NOT list_contains(points[1:i], 1)"
    likely = "card_count >= 3 AND cards LIKE '%A%'" if soft else "card_count >= 3"
    # The points in a list of one, so that they are found once for a hand.
    return (
        f"CASE WHEN {likely} THEN list_transform([{_POINTS}], lambda points: "
        f"len(list_filter(range(2, card_count::BIGINT), lambda i: {fits})))[1] > 0 ELSE false END"
    )
