"""Rows of settlements and hands spread into columns, all at once: a column at a time reads every row once
for each.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rules_replay.kernel.codes import STAKE
from rules_replay.kernel.compiled import entry
from rules_replay.kernel.records import Bools, Counts, Ints, Records

Shorts: TypeAlias = npt.NDArray[np.int16]


class Lines(NamedTuple):
    """The columns of settlements, a value for each line of a wager; amounts in thousandths.

    ``net`` is what the player got beyond what is due, or all that is due where nothing was recorded.
    ``odds`` has both numbers of the odds, 32 bits each, 0 for none; ``clause`` that of the rulebook
    ``clause % books``. ``unfixed``, ``unsettled`` and ``without_odds`` mark what the columns that
    depend on it do not tell.
    """

    round_at: Ints
    name: Ints
    line: Ints
    kind: Ints
    player: Ints
    box: Shorts
    hand: Shorts
    stake: Counts
    effective: Counts
    status: Ints
    due_result: Ints
    due_paid: Counts
    due_taken: Counts
    results: Counts
    paid: Counts
    taken: Counts
    net: Counts
    odds: Counts
    clause: Counts
    reading: Counts
    basis: Ints
    corrected: Bools
    unfixed: Bools
    unsettled: Bools
    without_odds: Bools


_KINDS: Final = {
    np.int16: ("box", "hand"),
    np.int32: ("round_at", "name", "line", "kind", "player", "status", "due_result", "basis"),
    np.bool_: ("corrected", "unfixed", "unsettled", "without_odds"),
}
_KIND_OF: Final[dict[str, type[np.generic]]] = {
    name: kind for kind, names in _KINDS.items() for name in names
}
"""What the values of a column are, where they are not 64-bit integers."""


def spread(settled: Records, book_of: Ints, books: int) -> Lines:
    """The columns of settlements; ``book_of`` is the number of each round's rulebook out of so many."""
    columns: Any = (np.empty(len(settled), _KIND_OF.get(name, np.int64)) for name in Lines._fields)
    lines = Lines(*columns)
    _spread(settled, book_of, books, lines)
    return lines


class Ends(NamedTuple):
    """The columns of hands, a value for each."""

    round_at: Ints
    box: Shorts
    hand: Shorts
    card_count: Shorts
    total: Shorts
    soft: Bools
    doubled: Bools
    split_from: Shorts
    ended: Ints


def spread_hands(hands: Records) -> Ends:
    """The columns of hands."""
    kinds: Any = {"round_at": np.int32, "soft": np.bool_, "doubled": np.bool_, "ended": np.int32}
    columns: Any = (np.empty(len(hands), kinds.get(name, np.int16)) for name in Ends._fields)
    ends = Ends(*columns)
    _spread_hands(hands, ends)
    return ends


@entry
def _spread_hands(hands: Records, ends: Ends) -> None:
    for place in range(len(hands)):
        row = hands[place]
        ends.round_at[place] = row.round_at
        ends.box[place] = row.box
        ends.hand[place] = row.no
        ends.card_count[place] = row.n
        ends.total[place] = row.total
        ends.soft[place] = row.soft
        ends.doubled[place] = row.doubled
        ends.split_from[place] = row.split_from
        ends.ended[place] = row.ended


@entry
def _spread(settled: Records, book_of: Ints, books: int, lines: Lines) -> None:
    for place in range(len(settled)):
        row = settled[place]
        lines.round_at[place] = row.round_at
        lines.name[place] = row.name
        lines.line[place] = row.line
        lines.kind[place] = row.kind
        lines.player[place] = row.player
        lines.box[place] = row.box
        lines.hand[place] = row.hand
        lines.stake[place] = row.stake
        lines.effective[place] = row.effective
        lines.status[place] = 0 if row.fixed else 1
        lines.due_result[place] = row.due_result
        lines.due_paid[place] = row.due_paid
        lines.due_taken[place] = row.due_taken
        lines.results[place] = row.results
        lines.paid[place] = row.paid
        lines.taken[place] = row.taken
        owed = row.due_paid - row.due_taken
        lines.net[place] = row.paid - row.taken - owed if row.settled else -owed
        without_odds = row.odds[0] <= 0 or not row.fixed
        lines.without_odds[place] = without_odds
        lines.odds[place] = 0 if without_odds else int(row.odds[0]) << 32 | int(row.odds[1])
        lines.clause[place] = int(row.clause) * books + book_of[row.round_at]
        lines.reading[place] = row.reading
        lines.basis[place] = row.basis
        lines.corrected[place] = row.corrected and row.line == STAKE
        lines.unfixed[place] = not row.fixed
        lines.unsettled[place] = not row.settled
