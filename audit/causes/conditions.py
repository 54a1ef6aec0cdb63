"""Conditions on rounds, hands and settlements by which opportunities are told, a column at a time.

A table is a row group of a file of the lake, its texts read as dictionaries, so that a text is
looked at once for all its rows. What is null is never held to be anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from expectations.tables import STORED
from rules_replay.log import MONEY, Fact

Numbers: TypeAlias = npt.NDArray[np.int32]
Mask: TypeAlias = npt.NDArray[np.bool_]


class Condition(Protocol):
    """What rows of a table may be; ``columns`` are those that it looks at."""

    @property
    def table(self) -> str: ...

    @property
    def columns(self) -> tuple[str, ...]: ...

    def holds(self, rows: Rows) -> Mask:
        """Of which rows it holds."""


class Rows:
    """Some columns of a row group; what several conditions ask is made once."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self._columns: dict[str, pa.Array] = {}
        self._coded: dict[str, tuple[Numbers, list[Any]]] = {}

    def column(self, name: str) -> pa.Array:
        """A column in one piece."""
        if name not in self._columns:
            self._columns[name] = _whole(self._table[name])
        return self._columns[name]

    def coded(self, name: str) -> tuple[Numbers, list[Any]]:
        """A column as places in a list of its values, whose last is None."""
        if name not in self._coded:
            column = self.column(name)
            if not pa.types.is_dictionary(column.type):
                column = column.dictionary_encode()
            texts = column.dictionary.to_pylist()
            self._coded[name] = _indices(column), [*texts, None]
        return self._coded[name]

    def are(self, name: str, words: Sequence[str]) -> Mask:
        """Which rows have one of some words in a column."""
        places, texts = self.coded(name)
        return np.array([each in words for each in texts], np.bool_)[places]

    def numbers(self, name: str) -> npt.NDArray[Any]:
        """A column of whole numbers without nulls."""
        return cast(npt.NDArray[Any], self.column(name).to_numpy(zero_copy_only=False))


def _whole(column: pa.ChunkedArray) -> pa.Array:
    if column.num_chunks == 1:
        return column.chunk(0)
    if pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    return column.combine_chunks()


def amounts(column: pa.Array) -> npt.NDArray[np.int64]:
    """Amounts in thousandths; -1 for null."""
    # Of 128 bits the low half says all there is to an amount.
    halves = np.frombuffer(column.buffers()[1], np.int64)[:: column.type.bit_width // 64]
    found = halves[column.offset : column.offset + len(column)]
    if not column.null_count:
        return found
    return np.where(column.is_null().to_numpy(zero_copy_only=False), -1, found)


def _indices(column: pa.Array) -> Numbers:
    """Places of texts in the dictionary of a column; of a null that after the last."""
    places = column.indices
    if places.null_count:
        places = places.fill_null(len(column.dictionary))
    return cast(Numbers, places.to_numpy(zero_copy_only=False).astype(np.int32, copy=False))


def row_groups(table: str, files: Sequence[Path], columns: Sequence[str]) -> Iterator[pa.Table]:
    """Some columns of files of a table, a row group at a time."""
    texts = [each for each in columns if _is_text(table, each) and each != _MANY.get(table)]
    for path in files:
        with pq.ParquetFile(path, read_dictionary=texts, pre_buffer=False) as file:
            for group in range(file.num_row_groups):
                yield file.read_row_group(group, list(columns), use_threads=False)


def _is_text(table: str, column: str) -> bool:
    return bool(STORED[table].schema.field(column).type == pa.string())


_MANY: Final = {"rounds": "round_id", "hands": "cards"}
"""Columns of texts that hardly repeat."""


# --- rounds ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Recorded:
    """Rounds whose recorder captures a fact; without a list it captures all."""

    fact: Fact

    table = "rounds"
    columns = ("records",)

    def holds(self, rows: Rows) -> Mask:
        lists = rows.column("records")
        found: Mask = lists.is_null().to_numpy(zero_copy_only=False).copy()
        facts = pc.list_flatten(lists)
        is_it = pc.fill_null(pc.equal(facts.cast(pa.string()), self.fact), False)
        whose = pc.list_parent_indices(lists).to_numpy()
        found[whose[is_it.to_numpy(zero_copy_only=False)]] = True
        return found


@dataclass(frozen=True, slots=True)
class Signed:
    """Rounds under a sign with one of some figures in one of some columns."""

    columns: tuple[str, ...]
    figures: tuple[Decimal, ...]

    table = "rounds"

    def holds(self, rows: Rows) -> Mask:
        figures = pa.array(self.figures, MONEY)
        is_one = (pc.is_in(rows.column(name).cast(MONEY), value_set=figures) for name in self.columns)
        found: Mask = reduce(pc.or_, is_one).to_numpy(zero_copy_only=False)
        return found


# --- settlements and hands ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Words:
    """Rows with one of some words in one of some columns."""

    table: str
    columns: tuple[str, ...]
    words: tuple[str, ...]

    def holds(self, rows: Rows) -> Mask:
        found: Mask = np.logical_or.reduce([rows.are(name, self.words) for name in self.columns])
        return found


@dataclass(frozen=True, slots=True)
class PlayersHands:
    """Hands of players that ended in one of some ways."""

    ended: tuple[str, ...]

    table = "hands"
    columns = ("box", "ended")

    def holds(self, rows: Rows) -> Mask:
        return (rows.numbers("box") > 0) & rows.are("ended", self.ended)


@dataclass(frozen=True, slots=True)
class Cut:
    """Main wagers that a sign or a player's own limit cuts."""

    table = "settlements"
    columns = ("effective_stake", "stake", "line", "kind")

    def holds(self, rows: Rows) -> Mask:
        found: Mask = amounts(rows.column("effective_stake")) < amounts(rows.column("stake"))
        if found.any():
            found &= rows.are("line", ("stake",)) & rows.are("kind", ("main",))
        return found


@dataclass(frozen=True, slots=True)
class DealersHands:
    """Hands of the dealer that came to a total and went on, or stood on it; and those of ``wrong`` rounds."""

    soft: bool
    total: int
    stood: bool
    wrong: frozenset[str]


Totals: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Hands by their row, and totals: twice the total, and one more of a soft one. A hand may have several."""


def totals_of_dealer(rows: Rows) -> tuple[Totals, Totals]:
    """Of hands those of the dealer that stood, with the total, and those that went on, with each before."""
    stood = np.flatnonzero(
        (rows.numbers("box") == 0) & (rows.numbers("card_count") >= 2) & rows.are("ended", ("stood",))
    )
    totals = rows.numbers("total")[stood].astype(np.int64) * 2 + rows.numbers("soft")[stood]
    return (stood, totals), _went_on(rows)


def _points() -> npt.NDArray[np.int32]:
    points = np.zeros(256, np.int32)
    for rank in "23456789":
        points[ord(rank)] = int(rank)
    for rank in "JQKT1":
        points[ord(rank)] = 10
    points[ord("A")] = _ACE
    return points


_ACE: Final = 1
_SOFT: Final = 11
"""Up to which sum of a hand an ace in it may count ten more."""
_POINTS: Final = _points()
"""What a card counts, an ace one, by the first letter of its text."""


def _went_on(rows: Rows) -> Totals:
    """The dealer's hands of three and more cards, and what each was on a card that was not the last."""
    whose = np.flatnonzero((rows.numbers("box") == 0) & (rows.numbers("card_count") >= 3))
    if not len(whose):
        return whose, whose
    cards = rows.column("cards").take(pa.array(whose))
    ends = np.frombuffer(cards.buffers()[1], np.int32)[cards.offset : cards.offset + len(cards) + 1]
    letters = np.frombuffer(cards.buffers()[2] or b"", np.uint8)[ends[0] : ends[-1]]
    begins = np.zeros(len(letters) + 1, np.bool_)
    begins[ends[:-1] - ends[0]] = True
    begins[1:] |= letters == ord(" ")
    at = np.flatnonzero(begins[:-1])
    hand = np.searchsorted(ends[1:] - ends[0], at, side="right")
    points = _POINTS[letters[at]]
    first = np.flatnonzero(np.diff(hand, prepend=-1))
    number = np.arange(len(at)) - np.repeat(first, np.diff(first, append=len(at)))
    sums, aces = (
        np.cumsum(each) - np.repeat(np.cumsum(each)[first] - each[first], np.diff(first, append=len(at)))
        for each in (points, (points == _ACE).astype(np.int32))
    )
    inner = (number >= 1) & (number + 1 < rows.numbers("card_count")[whose][hand])
    sums, soft = sums[inner].astype(np.int64), (aces[inner] > 0) & (sums[inner] <= _SOFT)
    return whose[hand[inner]], (sums + 10 * soft) * 2 + soft
