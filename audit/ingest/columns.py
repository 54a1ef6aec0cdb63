"""Rounds to Arrow columns and back.

The columns are those of `rules_replay.log.ROUNDS` and `EVENTS`; what goes in comes
out equal, instants compared as instants. On the way they are kept narrow: amounts as
whole thousandths, text as numbers into a list of the texts that occur.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, islice
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
"""What a cell without a value is, where cells are whole numbers; no value can be negative."""

KINDS = {tag: code for code, tag in enumerate(_TYPE_OF)}
"""The code of each kind of event."""

AMOUNT_COLUMNS = tuple(each.name for each in EVENTS if each.type == MONEY)
WHOLE_COLUMNS = tuple(each.name for each in EVENTS if pa.types.is_integer(each.type) and each.name != "seq")
TEXT_COLUMNS = ("wager", "on", "player", "reason")


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


@dataclass(slots=True)
class Events:
    """The events of some rounds, one after another, by column; an empty cell is `EMPTY`.

    ``counts`` are those of the rounds' events, ``kinds`` the codes of theirs. ``whole`` holds
    numbers as they are, ``amounts`` thousandths, ``words`` places in `WORDS`; ``texts`` are
    Arrow's, and so is ``at``.
    """

    counts: Whole
    kinds: npt.NDArray[np.int8]
    whole: dict[str, Whole]
    amounts: dict[str, Whole]
    words: dict[str, npt.NDArray[np.int8]]
    texts: dict[str, pa.Array]
    at: pa.Array

    def __len__(self) -> int:
        return len(self.kinds)

    def by_round(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The sum of some values over each round's events."""
        ends = np.cumsum(self.counts)
        running = np.concatenate([[0], np.cumsum(values)])
        sums: npt.NDArray[Any] = running[ends] - running[ends - self.counts]
        return sums

    def sums(self, column: str) -> list[int]:
        """The sum of an amount over each round's events, in thousandths, however large."""
        values = np.maximum(self.amounts[column], 0)
        if len(values) and int(values.max()) > _LARGEST // len(values):
            values = values.astype(object)
        sums: list[int] = self.by_round(values).tolist()
        return sums

    def table(self, round_ids: pa.Array) -> pa.Table:
        """The events as a narrow table, in their order; ``round_ids`` are those of the rounds."""
        owner = np.repeat(np.arange(len(self.counts), dtype=np.int32), self.counts)
        starts = np.cumsum(self.counts) - self.counts
        made: dict[str, pa.Array] = {
            "round_id": pa.DictionaryArray.from_arrays(owner, round_ids),
            "seq": pa.array((np.arange(len(self)) - starts[owner]).astype(np.int32)),
            "e": pa.DictionaryArray.from_arrays(self.kinds, _WORD_ARRAYS["e"]),
            "at": self.at,
            **self.texts,
        }
        for column, values in (*self.whole.items(), *self.amounts.items()):
            kind = NARROW_EVENTS.field(column).type
            made[column] = pa.array(values.astype(kind.to_pandas_dtype()), mask=values == EMPTY)
        for column, codes in self.words.items():
            filled = pa.array(codes, mask=codes == EMPTY)
            made[column] = pa.DictionaryArray.from_arrays(filled, _WORD_ARRAYS[column])
        return pa.table([made[name] for name in EVENTS.names], schema=NARROW_EVENTS)


_LARGEST = int(np.iinfo(np.int64).max)


def rows_of(starts: Whole, counts: Whole, order: Whole) -> Whole:
    """The rows of the events of some rounds, one round after another in the order given."""
    counts = counts[order]
    ends = np.cumsum(counts)
    rows: Whole = np.arange(counts.sum()) + np.repeat(starts[order] - ends + counts, counts)
    return rows


def _narrow(each: pa.Field) -> pa.Field:
    if each.type == MONEY:
        return each.with_type(pa.int64())
    if each.name in WORDS:
        return each.with_type(pa.dictionary(pa.int8(), pa.string()))
    return each.with_type(pa.dictionary(pa.int32(), pa.string())) if each.name == "round_id" else each


NARROW_EVENTS = pa.schema([_narrow(each) for each in EVENTS])
"""`EVENTS` as events are kept until they are written."""


def widened(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A narrow table as it is stored."""
    columns = []
    for each in schema:
        column = table[each.name].combine_chunks()
        if column.type != each.type:
            column = money_array(column) if each.type == MONEY else column.cast(each.type)
        columns.append(column)
    return pa.table(columns, schema=schema)


def events_in(rounds: Sequence[Round]) -> Events:
    """The events of some rounds."""
    events = list(chain.from_iterable(each.events for each in rounds))
    size = len(events)
    codes = {kind: code for code, kind in enumerate(MODELS)}
    kinds = np.fromiter(map(codes.__getitem__, map(type, events)), np.int8, size)
    values: dict[str, list[Any]] = {each.name: [None] * size for each in EVENTS}
    for place, event in enumerate(events):
        for attribute, column in _COLUMNS_OF[type(event)]:
            values[column][place] = getattr(event, attribute)
    words = {
        column: np.fromiter(map(_WORD_CODES[column].__getitem__, values[column]), np.int8, size)
        for column in WORDS
        if column != "e"
    }
    return Events(
        counts=np.fromiter((len(each.events) for each in rounds), np.int64, len(rounds)),
        kinds=kinds,
        whole={column: _filled(values[column]) for column in WHOLE_COLUMNS},
        amounts={column: _filled(values[column]) for column in AMOUNT_COLUMNS},
        words=words,
        texts={column: pa.array(values[column], pa.string()) for column in TEXT_COLUMNS},
        at=pa.array(values["at"], INSTANT),
    )


def _filled(values: Sequence[int | None]) -> Whole:
    return np.fromiter((EMPTY if each is None else each for each in values), np.int64, len(values))


# --- rounds ------------------------------------------------------------------------------


def round_values(round_: Round, event_count: int) -> tuple[Any, ...]:
    """The columns of a round up to its number of events, in their order."""
    limits = round_.limits
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
        *(_NO_LIMITS if limits is None else msgspec.structs.astuple(limits)),
        round_.offers,
        round_.records,
        round_.last_rounds,
        event_count,
    )


_NO_LIMITS = (None,) * len(_LIMIT_NAMES)


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
        events = events_in(self._rounds).table(rounds["round_id"].combine_chunks())
        return rounds, widened(events, EVENTS)


# --- and back ----------------------------------------------------------------------------


def rounds_of(rounds: pa.Table, events: Iterator[log.AnyEvent], venue: str) -> Iterator[Round]:
    """The rounds of a table, each with its events taken off ``events``, which has the same order."""
    columns = {name: _values(rounds, name) for name in rounds.column_names}
    for place in range(rounds.num_rows):
        row = {name: column[place] for name, column in columns.items()}
        taken = tuple(islice(events, row["event_count"]))
        if len(taken) != row["event_count"]:
            raise LakeError(f"round {row['round_id']}: events are missing; run `pontoon-audit verify`")
        yield _round(row, venue, taken)


def _values(table: pa.Table, name: str) -> list[Any]:
    column = table[name].combine_chunks()
    if column.type == MONEY:
        return [None if each is None else Amount(each) for each in thousandths_of(column).to_pylist()]
    return cast(list[Any], column.to_pylist())


def events_of(events: pa.Table) -> Iterator[log.AnyEvent]:
    """The events of a table, in its order."""
    columns = {name: _values(events, name) for name in events.column_names}
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
