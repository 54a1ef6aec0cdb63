"""Two editions of a rulebook compared clause by clause, by the gists of their matrices.

A gist that is the same under another number was renumbered; one that is much alike was
changed; what is left was taken out or is new. A number whose whole meaning is another now is
*reused*: a citation of it without the edition misleads. Two texts that share hardly a gist
are no editions of one another, and nothing is said of their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

from rules_replay.matrix import ClauseRow, load_matrix

Change: TypeAlias = Literal["changed", "renumbered", "renumbered and changed", "gone", "new"]
CHANGES: tuple[Change, ...] = ("changed", "renumbered", "renumbered and changed", "gone", "new")

AKIN = 0.25
"""Share of one text's gists that the other must repeat for the two to be editions of one text."""

ALIKE_HERE = 0.5
ALIKE_ELSEWHERE = 0.7
"""How alike two gists are, by their words, to be one rule changed: under one number, and under two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseChange:
    """One rule of the texts: where it stood and what it said, where it stands and what it says."""

    change: Change
    one: str | None
    other: str | None
    one_gist: str | None
    other_gist: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reused:
    """A number under which nothing of what it once said is left, and where that went."""

    clause: str
    one_gists: tuple[str, ...]
    other_gists: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Editions:
    """How the second text differs from the first; ``akin`` is False for two texts of their own."""

    akin: bool
    unchanged: int = 0
    changes: tuple[ClauseChange, ...] = ()
    reused: tuple[Reused, ...] = ()


def compare_editions(one: str, other: str) -> Editions:
    """Compare two shipped rulebooks; ``KeyError`` for one that is not held."""
    return compare_rows(load_matrix(one), load_matrix(other))


def compare_rows(one: Sequence[ClauseRow], other: Sequence[ClauseRow]) -> Editions:
    """Compare two matrices."""
    left, right = list(one), list(other)
    kept = {(row.clause, row.gist) for row in left} & {(row.clause, row.gist) for row in right}
    gists = {row.gist for row in right}
    if sum(row.gist in gists for row in left) < AKIN * min(len(left), len(right)):
        return Editions(akin=False)
    left = [row for row in left if (row.clause, row.gist) not in kept]
    right = [row for row in right if (row.clause, row.gist) not in kept]
    pairs: list[tuple[ClauseRow, ClauseRow]] = []
    for least, here in ((1.0, False), (ALIKE_HERE, True), (ALIKE_ELSEWHERE, False)):
        pairs += _matched(left, right, least, here=here)
    found = [_change(*pair) for pair in pairs]
    found += [_change(row, None) for row in left]
    found += [_change(None, row) for row in right]
    places = {row.clause: place for place, row in reversed(list(enumerate(one)))}
    after = {row.clause: place for place, row in reversed(list(enumerate(other)))}
    found.sort(
        key=lambda each: (
            CHANGES.index(each.change),
            places.get(each.one or "", -1),
            after.get(each.other or "", -1),
        )
    )
    return Editions(
        akin=True,
        unchanged=len(kept),
        changes=tuple(found),
        reused=_reused(one, other, {clause for clause, _ in kept}, pairs),
    )


def _matched(
    left: list[ClauseRow], right: list[ClauseRow], least: float, *, here: bool
) -> list[tuple[ClauseRow, ClauseRow]]:
    """The pairs of rows that are at least so alike, the most alike first; they leave both lists."""
    alike = [
        (-likeness, places)
        for places in ((a, b) for a in range(len(left)) for b in range(len(right)))
        if not here or left[places[0]].clause == right[places[1]].clause
        if (likeness := _likeness(left[places[0]].gist, right[places[1]].gist, least)) >= least
    ]
    taken: list[tuple[int, int]] = []
    for _, (a, b) in sorted(alike):
        if not any(a == x or b == y for x, y in taken):
            taken.append((a, b))
    pairs = [(left[a], right[b]) for a, b in sorted(taken)]
    for place in sorted((a for a, _ in taken), reverse=True):
        del left[place]
    for place in sorted((b for _, b in taken), reverse=True):
        del right[place]
    return pairs


def _likeness(one: str, other: str, least: float) -> float:
    if least == 1.0:
        return float(one == other)
    matcher = SequenceMatcher(None, _words(one), _words(other), autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= least else 0.0


def _words(gist: str) -> list[str]:
    return re.findall(r"\w+", gist.lower())


def _change(one: ClauseRow | None, other: ClauseRow | None) -> ClauseChange:
    change: Change
    if one is None or other is None:
        change = "new" if one is None else "gone"
    elif one.gist == other.gist:
        change = "renumbered"
    else:
        change = "changed" if one.clause == other.clause else "renumbered and changed"
    return ClauseChange(
        change=change,
        one=one.clause if one else None,
        other=other.clause if other else None,
        one_gist=one.gist if one else None,
        other_gist=other.gist if other else None,
    )


def _reused(
    one: Iterable[ClauseRow],
    other: Iterable[ClauseRow],
    kept: set[str],
    pairs: Iterable[tuple[ClauseRow, ClauseRow]],
) -> tuple[Reused, ...]:
    stayed = kept | {a.clause for a, b in pairs if a.clause == b.clause}
    before, after = _by_clause(one), _by_clause(other)
    return tuple(
        Reused(clause=clause, one_gists=gists, other_gists=after[clause])
        for clause, gists in before.items()
        if clause in after and clause not in stayed
    )


def _by_clause(rows: Iterable[ClauseRow]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for row in rows:
        found[row.clause] = (*found.get(row.clause, ()), row.gist)
    return found
