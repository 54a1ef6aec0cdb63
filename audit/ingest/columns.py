"""Rounds to Arrow columns and back.

The columns are those of `rules_replay.log.ROUNDS` and `EVENTS`; what goes in comes
out equal, instants compared as instants. On the way events are kept as whole numbers
without gaps: amounts in thousandths, a text as its place in a list of those that occur.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import Any, TypeAlias, cast, get_args, get_type_hints

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.errors import LakeError
from rules_replay import log
from rules_replay.cards import LEGAL_TEXTS
from rules_replay.log import EVENTS, INSTANT, MONEY, ROUNDS, Amount, CardText, Limits, Round

MODELS: tuple[type[log.Event], ...] = get_args(log.AnyEvent)
"""The kinds of event in the order of their codes."""

_TYPE_OF = {str(kind.__struct_config__.tag): kind for kind in MODELS}
_LIMIT_NAMES = Limits.__struct_fields__
_WIDE = pa.decimal128(19, 0)

Whole: TypeAlias = npt.NDArray[np.int64]


def _column_of(kind: type[log.Event], attribute: str) -> str:
    if kind is log.Wager and attribute == "id":
        return "wager"
    return "from" if attribute == "source" else attribute


_COLUMNS_OF = {
    kind: tuple((attribute, _column_of(kind, attribute)) for attribute in kind.__struct_fields__)
    for kind in MODELS
}


def money_array(thousandths: Any) -> pa.Array:
    """Amounts as DECIMAL(18,3), without a float or a ``Decimal`` on the way."""
    if not isinstance(thousandths, pa.Array):
        thousandths = pa.array(thousandths, pa.int64())
    return thousandths.cast(_WIDE).view(MONEY)


def thousandths_of(amounts: pa.Array) -> pa.Array:
    """DECIMAL(18,3) as whole thousandths, 64-bit integers."""
    return amounts.view(pa.decimal128(18, 0)).cast(pa.int64())


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a round came from: file as named on ingest, its digest, line and byte offset."""

    file: str
    sha256: str
    line: int
    offset: int


# --- events ------------------------------------------------------------------------------

EMPTY = -1
"""What a cell without a value is; no value can be negative."""

NO_INSTANT = int(np.iinfo(np.int64).min)
"""What a cell of ``at`` without an instant is."""

KINDS = {tag: code for code, tag in enumerate(_TYPE_OF)}
"""The code of each kind of event."""

AMOUNT_COLUMNS = tuple(each.name for each in EVENTS if each.type == MONEY)
WHOLE_COLUMNS = tuple(each.name for each in EVENTS if pa.types.is_integer(each.type) and each.name != "seq")
TEXT_COLUMNS = ("wager", "on", "player", "reason")
_OF_ROUND = ("round_id", "seq")
"""Columns that follow from the rounds, and are not kept."""


def _words_of(kind: Any) -> tuple[str, ...]:
    """The words a field may have, where the format lists them."""
    if kind is CardText:
        return tuple(sorted(LEGAL_TEXTS))
    for each in (kind, *get_args(kind)):
        words = get_args(each)
        if words and all(isinstance(word, str) for word in words):
            return cast(tuple[str, ...], words)
    return ()


def _vocabularies() -> dict[str, tuple[str, ...]]:
    found = {"e": tuple(_TYPE_OF)}
    for model, columns in _COLUMNS_OF.items():
        hints = get_type_hints(model, include_extras=True)
        found.update((column, words) for name, column in columns if (words := _words_of(hints[name])))
    return found


WORDS = _vocabularies()
"""The words of each column that has a fixed vocabulary; a cell is the place of one in its list."""

_WORD_ARRAYS = {column: pa.array(words, pa.string()) for column, words in WORDS.items()}
_WORD_CODES: dict[str, dict[str | None, int]] = {
    column: {None: EMPTY} | {word: code for code, word in enumerate(words)} for column, words in WORDS.items()
}

_NARROW_MONEY = pa.decimal64(18, 3)


def _narrow(each: pa.Field) -> pa.Field:
    if each.type == MONEY:
        return each.with_type(_NARROW_MONEY)
    if each.name in WORDS:
        return each.with_type(pa.dictionary(pa.int8(), pa.string()))
    return each.with_type(pa.dictionary(pa.int32(), pa.string())) if each.type == pa.string() else each


NARROW_EVENTS = pa.schema([_narrow(each) for each in EVENTS])
"""`EVENTS` as they are handed to the writer: texts as numbers into a list, amounts in 64 bits."""


def _cell_type(column: str) -> np.dtype[Any]:
    kind = NARROW_EVENTS.field(column).type
    if pa.types.is_dictionary(kind):
        kind = kind.index_type
    return np.dtype(np.int64 if kind in (_NARROW_MONEY, INSTANT) else str(kind))


CELL_TYPES = {each: _cell_type(each) for each in EVENTS.names if each not in _OF_ROUND}
"""What the cells of each column are kept in."""


@dataclass(slots=True)
class Events:
    """The events of some rounds, one after another.

    ``counts`` are those of the rounds' events, and ``places`` has of each event its row in ``cells``,
    where events that are alike may share one. A cell is a whole number, `EMPTY` where there is no
    value: numbers as they are, amounts in thousandths, of a word its place in `WORDS`, of a text
    that in ``texts``; in ``at`` microseconds since 1970, or `NO_INSTANT`.
    """

    counts: Whole
    places: Whole
    cells: dict[str, npt.NDArray[Any]]
    texts: dict[str, pa.Array]

    def __len__(self) -> int:
        return len(self.places)

    @property
    def starts(self) -> Whole:
        """The row of each round's first event."""
        first: Whole = np.cumsum(self.counts) - self.counts
        return first

    def by_round(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The sum of some values over each round's events."""
        running = np.concatenate([[0], np.cumsum(values)])
        sums: npt.NDArray[Any] = running[self.starts + self.counts] - running[self.starts]
        return sums

    def sums(self, column: str) -> npt.NDArray[Any]:
        """The sum of an amount over each round's events, in thousandths, however large."""
        values = np.maximum(self.cells[column], 0)
        if len(self) and int(values.max()) > _LARGEST // len(self):
            values = values.astype(object)
        return self.by_round(values.take(self.places))

    def counted(self, kind: str) -> npt.NDArray[Any]:
        """How many events of a kind each round has."""
        return self.by_round((self.cells["e"] == KINDS[kind]).take(self.places))

    def between(self, first: int, rounds: int) -> Events:
        """The events of so many rounds from one on, without a copy."""
        start = int(self.counts[:first].sum())
        counts = self.counts[first : first + rounds]
        stop = start + int(counts.sum())
        return Events(counts, self.places[start:stop], self.cells, self.texts)

    def of(self, order: Whole) -> Events:
        """The events of some of the rounds, in the order given."""
        rows = rows_of(self.starts, self.counts, order)
        return Events(self.counts[order], self.places.take(rows), self.cells, self.texts)

    def narrow(self, round_ids: pa.Array) -> pa.Table:
        """The events as `NARROW_EVENTS`; ``round_ids`` are those of the rounds.

        A column's list of texts depends on the texts that occur and on nothing else.
        """
        owner = np.repeat(np.arange(len(self.counts), dtype=np.int32), self.counts)
        seq = (np.arange(len(self)) - np.repeat(self.starts, self.counts)).astype(np.int32)
        made = {"round_id": pa.DictionaryArray.from_arrays(owner, round_ids), "seq": pa.array(seq)}
        rows, places = self._occurring()
        for name, cells in self.cells.items():
            kind, empty, texts = NARROW_EVENTS.field(name).type, EMPTY, None
            its = cells.take(rows)
            if name in WORDS:
                its, texts = _coded(its, _WORD_ARRAYS[name])
            elif name in self.texts:
                its, texts = _coded(its, self.texts[name], by_text=True)
            elif kind == INSTANT:
                empty = NO_INSTANT
            values = its.take(places) if (its != empty).any() else np.full(len(self), empty, its.dtype)
            buffers = [_filled(values, empty), pa.py_buffer(values)]
            made[name] = (
                pa.Array.from_buffers(kind, len(values), buffers)
                if texts is None
                else pa.DictionaryArray.from_buffers(kind, len(values), buffers, texts)
            )
        return pa.table([made[name] for name in EVENTS.names], schema=NARROW_EVENTS)

    def _occurring(self) -> tuple[Whole, Whole]:
        """The rows that occur, and of each event its place among them."""
        occurs = np.zeros(len(self.cells["e"]), np.bool_)
        occurs[self.places] = True
        rows = np.flatnonzero(occurs)
        numbers = np.empty(len(occurs), np.int64)
        numbers[rows] = np.arange(len(rows))
        return rows, numbers.take(self.places)

    def table(self, round_ids: pa.Array) -> pa.Table:
        """The events as `EVENTS`; ``round_ids`` are those of the rounds."""
        return self.narrow(round_ids).cast(EVENTS)

    def write(self, folder: Path) -> None:
        """Write the events to a folder, to be read by `read_events`; raises ``OSError``."""
        write_ipc(folder / "events", pa.table({"place": pa.array(self.places.astype(np.int32))}))
        write_ipc(folder / "cells", pa.table({name: pa.array(each) for name, each in self.cells.items()}))
        lists = {name: pa.ListArray.from_arrays([0, len(texts)], texts) for name, texts in self.texts.items()}
        write_ipc(folder / "texts", pa.table(lists))


_LARGEST = int(np.iinfo(np.int64).max)


def write_ipc(path: Path, table: pa.Table) -> None:
    """Write a table as it lies in memory, in one piece; raises ``OSError``."""
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def read_ipc(path: Path) -> pa.Table:
    """A table written by `write_ipc`, not copied but mapped."""
    with pa.memory_map(str(path)) as file:
        return pa.ipc.open_file(file).read_all()


def read_events(folder: Path, counts: Whole) -> Events:
    """The events that `Events.write` wrote; ``counts`` are those of the rounds' events."""
    places, cells, texts = (read_ipc(folder / each) for each in ("events", "cells", "texts"))
    return Events(
        counts,
        places["place"].to_numpy().astype(np.int64),
        {name: cells[name].combine_chunks().to_numpy() for name in cells.column_names},
        {name: texts[name].combine_chunks().flatten() for name in texts.column_names},
    )


def joined(some: Sequence[Events]) -> Events:
    """Events one after another."""
    if len(some) == 1:
        return some[0]
    cells = {
        name: np.concatenate([each.cells[name] for each in some])
        for name in CELL_TYPES
        if name not in TEXT_COLUMNS
    }
    texts = {}
    for name in TEXT_COLUMNS:
        every = pa.concat_arrays([each.texts[name] for each in some]).dictionary_encode()
        numbers = np.append(every.indices.to_numpy(), np.int32(EMPTY))
        cells[name] = np.concatenate(
            [
                numbers[np.where(each.cells[name] == EMPTY, EMPTY, each.cells[name] + start)]
                for start, each in zip(_firsts(each.texts[name] for each in some), some, strict=False)
            ]
        )
        texts[name] = every.dictionary
    places = [
        each.places + start
        for start, each in zip(_firsts(each.cells["e"] for each in some), some, strict=False)
    ]
    counts = np.concatenate([each.counts for each in some])
    return Events(counts, np.concatenate(places), cells, texts)


def _firsts(some: Iterable[Sized]) -> list[int]:
    """Where each of some lists begins when they stand one after another, and where the last ends."""
    return list(accumulate(map(len, some), initial=0))


def _filled(cells: npt.NDArray[Any], empty: int) -> pa.Buffer | None:
    """Arrow's bits for the cells that hold a value, None where all do."""
    filled = cells != empty
    return None if filled.all() else pa.py_buffer(np.packbits(filled, bitorder="little"))


def _coded(
    cells: npt.NDArray[Any], texts: pa.Array, *, by_text: bool = False
) -> tuple[npt.NDArray[Any], pa.Array]:
    """Cells that are places in a list of texts, as places among those that occur, and these.

    They keep their order, or are sorted where the order of the list depends on chance.
    """
    occurs = np.zeros(len(texts) + 1, np.bool_)
    occurs[cells] = True
    occurs = occurs[:-1]
    some = texts.filter(pa.array(occurs))
    places = np.full(len(texts) + 1, EMPTY, cells.dtype)
    if by_text:
        order = pa.compute.sort_indices(some).to_numpy()
        some = some.take(pa.array(order))
        places[np.flatnonzero(occurs)[order]] = np.arange(len(order))
    else:
        places[np.flatnonzero(occurs)] = np.arange(len(some))
    return places.take(cells), some


def rows_of(starts: Whole, counts: Whole, order: Whole) -> Whole:
    """The rows of the events of some rounds, one round after another in the order given."""
    counts = counts[order]
    ends = np.cumsum(counts)
    rows: Whole = np.arange(counts.sum()) + np.repeat(starts[order] - ends + counts, counts)
    return rows


def events_in(rounds: Sequence[Round]) -> Events:
    """The events of some rounds."""
    events = list(chain.from_iterable(each.events for each in rounds))
    size = len(events)
    codes = {kind: code for code, kind in enumerate(MODELS)}
    values: dict[str, list[Any]] = {each: [None] * size for each in CELL_TYPES}
    for place, event in enumerate(events):
        for attribute, column in _COLUMNS_OF[type(event)]:
            values[column][place] = getattr(event, attribute)
    cells: dict[str, npt.NDArray[Any]] = {
        "e": np.fromiter(map(codes.__getitem__, map(type, events)), np.int8, size)
    }
    texts = {}
    for name, kind in CELL_TYPES.items():
        if name == "e":
            continue
        if name in WORDS:
            cells[name] = np.fromiter(map(_WORD_CODES[name].__getitem__, values[name]), kind, size)
        elif name in TEXT_COLUMNS:
            cells[name], texts[name] = _listed(pa.array(values[name], pa.string()))
        elif name == "at":
            cells[name] = _numbers(pa.array(values[name], INSTANT), kind, NO_INSTANT)
        else:
            cells[name] = np.fromiter((EMPTY if each is None else each for each in values[name]), kind, size)
    counts = np.fromiter((len(each.events) for each in rounds), np.int64, len(rounds))
    return Events(counts, np.arange(size), cells, texts)


def events_of_table(table: pa.Table, event_counts: pa.ChunkedArray) -> Events:
    """The events of a table of `EVENTS`, by how many each round has."""
    cells: dict[str, npt.NDArray[Any]] = {}
    texts = {}
    for name, kind in CELL_TYPES.items():
        column = table[name].combine_chunks()
        if name in WORDS:
            cells[name] = _numbers(pa.compute.index_in(column, _WORD_ARRAYS[name]), kind)
        elif name in TEXT_COLUMNS:
            cells[name], texts[name] = _listed(column)
        elif name in AMOUNT_COLUMNS:
            cells[name] = _numbers(thousandths_of(column), kind)
        else:
            cells[name] = _numbers(column, kind, NO_INSTANT if name == "at" else EMPTY)
    counts = event_counts.to_numpy().astype(np.int64)
    return Events(counts, np.arange(table.num_rows), cells, texts)


def _numbers(column: pa.Array, kind: np.dtype[Any], empty: int = EMPTY) -> npt.NDArray[Any]:
    if column.type == INSTANT:
        column = column.view(pa.int64())
    numbers: npt.NDArray[Any] = column.fill_null(empty).to_numpy().astype(kind)
    return numbers


def _listed(column: pa.Array) -> tuple[npt.NDArray[Any], pa.Array]:
    """Texts as places in a list of those that occur, and that list."""
    coded = column.dictionary_encode()
    return _numbers(coded.indices, np.dtype(np.int32)), coded.dictionary


# --- rounds ------------------------------------------------------------------------------


def round_values(round_: Round, event_count: int) -> tuple[Any, ...]:
    """The columns of a round up to its number of events, in their order."""
    started_at = round_.started_at
    return (
        round_.round_id,
        round_.table,
        round_.shoe,
        round_.round_no,
        started_at,
        started_at.isoformat(),
        round_.ended_at,
        round_.rulebook,
        round_.decks,
        round_.shuffler,
        round_.currency,
        round_.dealer,
        round_.supervisor,
        *limit_values(round_.limits),
        round_.offers,
        round_.records,
        round_.last_rounds,
        event_count,
    )


_NO_LIMITS = (None,) * len(_LIMIT_NAMES)


def limit_values(limits: Limits | None) -> tuple[int | None, ...]:
    """The columns of a table's limits, in their order."""
    return _NO_LIMITS if limits is None else msgspec.structs.astuple(limits)


def round_table(values: Sequence[tuple[Any, ...]]) -> pa.Table:
    """Rounds given by the values of all their columns."""
    columns = list(zip(*values, strict=True)) or [()] * len(ROUNDS)
    arrays = [
        money_array(column) if each.type == MONEY else pa.array(column, each.type)
        for column, each in zip(columns, ROUNDS, strict=True)
    ]
    return pa.table(arrays, schema=ROUNDS)


@dataclass(slots=True)
class Columns:
    """Collects rounds and turns them into a table of rounds and a table of events."""

    _values: list[tuple[Any, ...]] = field(default_factory=list)
    _rounds: list[Round] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._rounds)

    def add(self, round_: Round, *, extra: str | None, digest: str, origin: Origin) -> None:
        """Add one round, with its fields outside the format and its `wire.content_digest`."""
        where = (origin.file, origin.sha256, origin.line, origin.offset)
        self._values.append((*round_values(round_, len(round_.events)), extra, digest, *where))
        self._rounds.append(round_)

    def tables(self) -> tuple[pa.Table, pa.Table]:
        """The rounds and the events collected, in the order in which they were added."""
        rounds = round_table(self._values)
        return rounds, events_in(self._rounds).table(rounds["round_id"].combine_chunks())


# --- and back ----------------------------------------------------------------------------


_OF_A_ROUND = (
    *(
        "round_id",
        "table",
        "shoe",
        "round_no",
        "started_at_text",
        "ended_at",
        "rulebook",
        "decks",
        "shuffler",
    ),
    *("currency", "dealer", "supervisor", "offers", "records", "last_rounds", "event_count"),
    *(f"limit_{name}" for name in _LIMIT_NAMES),
)
"""The columns that a round is made of again."""


def rounds_of(rounds: pa.Table, events: Iterator[log.AnyEvent], venue: str) -> Iterator[Round]:
    """The rounds of a table, each with its events taken off ``events``, which has the same order."""
    columns = {name: values_of(rounds[name]) for name in _OF_A_ROUND}
    for place in range(rounds.num_rows):
        row = {name: column[place] for name, column in columns.items()}
        taken = tuple(islice(events, row["event_count"]))
        if len(taken) != row["event_count"]:
            raise LakeError(f"round {row['round_id']}: events are missing; run `pontoon-audit verify`")
        yield _round(row, venue, taken)


def values_of(column: pa.ChunkedArray) -> list[Any]:
    """The values of a column as Python's, amounts in thousandths."""
    if column.null_count == len(column):
        return [None] * len(column)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if column.type == pa.string():
        return cast(list[Any], column.to_numpy().tolist())
    column = column.combine_chunks()
    if pa.types.is_decimal(column.type):
        column = column.cast(MONEY)
        return [None if each is None else Amount(each) for each in thousandths_of(column).to_pylist()]
    return cast(list[Any], column.to_pylist())


def events_of(events: pa.Table) -> Iterator[log.AnyEvent]:
    """The events of a table, in its order."""
    columns = {name: values_of(events[name]) for name in CELL_TYPES}
    columns["card"] = [None if each is None else CardText(each) for each in columns["card"]]
    recipes = {
        tag: (kind, [(attribute, columns[name]) for attribute, name in _COLUMNS_OF[kind]])
        for tag, kind in _TYPE_OF.items()
    }
    for place, tag in enumerate(columns["e"]):
        kind, fields = recipes[tag]
        given = {name: value for name, column in fields if (value := column[place]) is not None}
        yield cast(log.AnyEvent, kind(**given))


def _round(row: dict[str, Any], venue: str, events: tuple[log.AnyEvent, ...]) -> Round:
    limits = {name: row[f"limit_{name}"] for name in _LIMIT_NAMES}
    return Round(
        format="pontoon-round/1",
        round_id=row["round_id"],
        venue=venue,
        table=row["table"],
        shoe=row["shoe"],
        round_no=row["round_no"],
        started_at=datetime.fromisoformat(row["started_at_text"]),
        ended_at=row["ended_at"],
        rulebook=row["rulebook"],
        decks=row["decks"],
        shuffler=row["shuffler"],
        currency=row["currency"],
        dealer=row["dealer"],
        supervisor=row["supervisor"],
        limits=Limits(**limits) if any(each is not None for each in limits.values()) else None,
        offers=None if row["offers"] is None else tuple(row["offers"]),
        records=None if row["records"] is None else tuple(row["records"]),
        last_rounds=row["last_rounds"],
        events=events,
    )
