"""Which expectations of a partition's tables are certainly held, told in one reading of each.

Whatever is not shown here to be unbroken is counted by the exact queries of
`expectations.census`. So this may rely on what holds of every table that this program
writes, such as that events stand in the order of their rounds, although another order
would break nothing. Columns are looked at as numbers, a row group at a time; of the
rounds their ids are kept, of other tables at most a number a row.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache, reduce
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from expectations.tables import TABLES
from rules_replay.log import EVENT_KINDS, Line, Result, Shuffler, WagerKind
from rules_replay.results import Basis

CENSUS_TABLES = ("rounds", "events", "hands", "settlements", "findings", "coverage")
"""Tables of which a partition with rounds has a file each."""

WORDS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "rounds": {"shuffler": get_args(Shuffler)},
    "hands": {},
    "settlements": {
        "line": get_args(Line),
        "kind": get_args(WagerKind),
        "status": ("fixed", "indeterminate"),
        "expected_result": get_args(Result),
        "recorded_result": get_args(Result),
        "basis": get_args(Basis),
    },
}
"""Columns that hold a word of the format, and the words."""

Files: TypeAlias = Mapping[str, Sequence[Path]]
"""The Parquet files of one partition, by table of `CENSUS_TABLES`."""

Held: TypeAlias = tuple[str, str, int, int, int, str, str]
"""Rounds of one source file and currency: its SHA-256, the currency, how many, their first and last line,
the first and last of their ids."""

_Opened: TypeAlias = Mapping[str, Sequence[pq.ParquetFile]]
_Numbers: TypeAlias = npt.NDArray[np.int64]
_Flags: TypeAlias = npt.NDArray[np.bool_]

_CURRENCY = re.compile("[A-Z][A-Z][A-Z]")
_BITS = 31
"""What a number may take of a key that is made of two or three."""
_LOW = (1 << _BITS) - 1


@dataclass(slots=True)
class Seen:
    """What a look at a partition has shown.

    ``unbroken`` are the codes of expectations that are held. ``totals`` are the control
    totals of all events, by the names of `expectations.census.MEASURES`; ``held`` is what
    the rounds come from, sorted. Either is None where it could not be told.
    """

    unbroken: set[str] = field(default_factory=set)
    totals: Mapping[str, int] | None = None
    held: list[Held] | None = None

    def show(self, table: str, **unbroken: bool) -> None:
        """Note which expectations of a table are held."""
        self.unbroken |= {
            f"{table}.{name.replace('_', '-')}" for name, is_unbroken in unbroken.items() if is_unbroken
        }


def look(files: Files, evidence: Evidence | None = None) -> Seen:
    """Look at the files of one partition. What cannot be read shows nothing, and is no error here.

    ``evidence`` is what was read of its rounds and events already, if anything was.
    """
    seen = Seen()
    with ExitStack() as stack:
        opened: dict[str, list[pq.ParquetFile]] = {}
        for table in CENSUS_TABLES:
            as_written = _as_written(table, files[table], stack)
            if as_written:
                opened[table] = as_written
                seen.show(table, schema=True)
                seen.unbroken |= {f"{table}.complete.{name}" for name in required(table)}
        try:
            rounds = _evidence(opened, evidence).tell(seen)
            for table, tell in (
                ("hands", _tell_hands),
                ("settlements", _tell_settlements),
                ("findings", _tell_findings),
            ):
                if table in opened:
                    tell(opened[table], rounds, seen)
        except (KeyError, OSError, pa.ArrowException):
            # The exact queries find out, and say, what is wrong.
            pass
    return seen


def required(table: str) -> list[str]:
    """The columns of a table that hold no null."""
    return [each.name for each in TABLES[table].schema if not each.nullable]


def _as_written(table: str, paths: Sequence[Path], stack: ExitStack) -> list[pq.ParquetFile]:
    """Files that have exactly the columns that this program writes, so that none required is null."""
    files = []
    for path in paths:
        try:
            file = stack.enter_context(pq.ParquetFile(path, read_dictionary=_texts(table)))
        except (KeyError, OSError, pa.ArrowException):
            return []
        if not any(file.schema.equals(written) for written in _written(table)):
            return []
        files.append(file)
    return files


@cache
def _written(table: str) -> tuple[Any, ...]:
    """The columns of a table as they are in a Parquet file, down to which of them can be null.

    Amounts are kept either as integers, as in the evidence, or as bytes.
    """

    def schema(amounts_as_integers: bool) -> Any:
        file = io.BytesIO()
        empty = TABLES[table].schema.empty_table()
        pq.write_table(empty, file, store_decimal_as_integer=amounts_as_integers)
        return pq.ParquetFile(file).schema

    return schema(False), schema(True)


@cache
def _texts(table: str) -> tuple[str, ...]:
    """The columns of text that repeat: dictionaries spare looking at every value."""
    many = {"rounds": ("round_id",), "hands": ("cards",)}.get(table, ())
    return tuple(
        each.name for each in TABLES[table].schema if each.type == pa.string() and each.name not in many
    )


def _groups(files: Sequence[pq.ParquetFile], columns: Sequence[str]) -> Iterator[pa.Table]:
    """Some columns of files, a row group at a time."""
    for file in files:
        for group in range(file.num_row_groups):
            yield file.read_row_group(group, list(columns), use_threads=False)


# --- rounds and events -------------------------------------------------------------------

_OF_ROUNDS = ("round_id", "shuffler", "currency", "event_count", "source_sha256", "source_line")
_OF_EVENTS = (
    *("round_id", "seq", "e", "wager", "player", "kind", "amount", "box", "card"),
    *("result", "paid", "taken", "reverses"),
)
_NEEDED = ("wager", "player", "kind", "amount", "box", "card", "result", "reverses")
"""Columns that an event of some kind has to have a value in."""
_WAGER, _DEAL, _SETTLE = (EVENT_KINDS.index(kind) for kind in ("wager", "deal", "settle"))


class Evidence:
    """The rounds of a partition and their events, in the order in which they are read."""

    def __init__(self) -> None:
        self._rounds: list[pa.Table] = []
        self._in_order = self._known = self._complete = True
        self._totals = dict.fromkeys(("events", "wagers", "stakes", "paid", "taken"), 0)

    def add(self, rounds: pa.Table, events: Iterable[pa.RecordBatch]) -> None:
        """Add rounds and their events as they are stored; columns of text that repeat are dictionaries."""
        some = rounds.select(_OF_ROUNDS)
        self._rounds.append(some)
        ids = _column(some, "round_id")
        ends = np.cumsum(_column(some, "event_count").to_numpy(), dtype=np.int64)
        done = 0
        for batch in events:
            columns = {name: batch[name] for name in _OF_EVENTS}
            self._in_order = self._in_order and _follow(columns, ids, ends, done)
            self._count(columns)
            done += batch.num_rows
        self._in_order = self._in_order and done == (int(ends[-1]) if len(ends) else 0)

    def _count(self, events: Mapping[str, pa.Array]) -> None:
        kinds = _kinds(events["e"])
        null = {name: _nulls(events[name]) for name in _NEEDED}
        wagers = kinds == _WAGER
        stakes = events["amount"]
        if not (wagers | null["amount"]).all():
            stakes = stakes.filter(pa.array(wagers))
        self._known = self._known and bool((kinds >= 0).all())
        self._complete = self._complete and _complete(kinds, null)
        self._totals["events"] += len(kinds)
        self._totals["wagers"] += int(np.count_nonzero(wagers))
        self._totals["stakes"] += _sum(stakes)
        self._totals["paid"] += _sum(events["paid"])
        self._totals["taken"] += _sum(events["taken"])

    def is_all_of(self, rounds: Sequence[pq.ParquetFile], events: Sequence[pq.ParquetFile]) -> bool:
        """Whether it is as many rounds and events as there are in files."""
        counts = [sum(file.metadata.num_rows for file in files) for files in (rounds, events)]
        return counts == [sum(each.num_rows for each in self._rounds), self._totals["events"]]

    def tell(self, seen: Seen) -> _Rounds:
        """Note what it shows."""
        rounds = _Rounds(self._rounds)
        rounds.tell(seen)
        in_order = self._in_order and rounds.unique
        seen.show("rounds", events=in_order)
        seen.show(
            "events", key=in_order, order=in_order, round=in_order, e=self._known, complete=self._complete
        )
        seen.totals = self._totals
        return rounds


def _evidence(opened: _Opened, read: Evidence | None) -> Evidence:
    rounds, events = opened["rounds"], opened["events"]
    if read is not None and read.is_all_of(rounds, events):
        return read
    evidence = Evidence()
    evidence.add(
        pa.concat_tables([*_groups(rounds, _OF_ROUNDS), _nothing(rounds[0], _OF_ROUNDS)]),
        (batch for group in _groups(events, _OF_EVENTS) for batch in group.to_batches()),
    )
    return evidence


class _Rounds:
    """The rounds of a partition."""

    def __init__(self, tables: Sequence[pa.Table]) -> None:
        self._table = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
        self.ids = cast(pa.Array, _column(self._table, "round_id"))
        self.unique = len(self.ids.unique()) == len(self.ids)

    def tell(self, seen: Seen) -> None:
        """Note what is shown of them."""
        currencies = _column(self._table, "currency").dictionary.to_pylist()
        seen.show(
            "rounds",
            key=self.unique,
            shuffler=_only(_column(self._table, "shuffler"), WORDS["rounds"]["shuffler"]),
            source=self._sources_differ(),
            currency=all(_CURRENCY.fullmatch(each) for each in currencies),
        )
        seen.held = self._held()

    def _sources_differ(self) -> bool:
        source, line = (_column(self._table, name) for name in ("source_sha256", "source_line"))
        return _differ(source.indices.to_numpy(), line.to_numpy())

    def _held(self) -> list[Held]:
        source, currency = (_column(self._table, name) for name in ("source_sha256", "currency"))
        lines = _column(self._table, "source_line").to_numpy()
        ids = self.ids
        # As `_sources_differ` has it, a place in a list leaves room for another in the same number.
        keys = source.indices.to_numpy().astype(np.int64) << _BITS | currency.indices.to_numpy()
        if not (keys[1:] >= keys[:-1]).all():
            order = np.argsort(keys, kind="stable")
            keys, lines, ids = keys[order], lines[order], ids.take(pa.array(order))
        bounds = [*np.flatnonzero(np.diff(keys, prepend=-1)).tolist(), len(keys)]
        found: list[Held] = []
        for first, end in pairwise(bounds):
            names = pc.min_max(ids.slice(first, end - first)).as_py()
            some = lines[first:end]
            found.append(
                (
                    source.dictionary[int(keys[first]) >> _BITS].as_py(),
                    currency.dictionary[int(keys[first]) & _LOW].as_py(),
                    end - first,
                    int(some.min()),
                    int(some.max()),
                    names["min"],
                    names["max"],
                )
            )
        return sorted(found)

    def places(self, ids: pa.Array, after: int) -> _Numbers | None:
        """The place of each id, in order from a place on; None where one is not found like that."""
        if not len(ids):
            return np.zeros(0, np.int64)
        first, last = (pc.index(self.ids, ids[place], start=after).as_py() for place in (0, -1))
        if first < 0 or last < first:
            return None
        those = self.ids.slice(first, last - first + 1)
        if ids.equals(those):
            return np.arange(first, last + 1)
        found = pc.index_in(ids, value_set=those)
        return None if found.null_count else found.to_numpy().astype(np.int64) + first


def _follow(events: Mapping[str, pa.Array], ids: pa.Array, ends: _Numbers, before: int) -> bool:
    """Whether events are those that rounds say come after so many: of which round, and where in it."""
    seq = events["seq"].to_numpy()
    if not len(seq):
        return True
    first, last = np.searchsorted(ends, (before, before + len(seq) - 1), side="right")
    if last == len(ends):
        return False
    # Where each round begins, the first maybe before these events; those without events are none here.
    starts = np.concatenate([ends[first - 1 : first] if first else [0], ends[first:last]]) - before
    some = np.flatnonzero(np.diff(starts, append=len(seq)))
    begun = np.maximum(starts[some], 0)
    whose = _whose(events["round_id"], ids.slice(first, len(starts)))
    goes_on = seq[1:] - seq[:-1] == 1
    goes_on[begun[1:] - 1] = True
    same = whose[1:] == whose[:-1]
    same[begun[1:] - 1] = True
    return bool(
        goes_on.all()
        and same.all()
        and np.array_equal(whose[begun], some)
        and np.array_equal(seq[begun], begun - starts[some])
    )


def _whose(column: pa.Array, ids: pa.Array) -> npt.NDArray[Any]:
    """The place among some ids of the id in each row, -1 where it is none of them."""
    if column.dictionary.equals(ids):
        return cast(npt.NDArray[Any], column.indices.to_numpy())
    found = pc.fill_null(pc.index_in(column.dictionary, value_set=ids), -1).to_numpy()
    return _looked_up(found, column)


def _kinds(column: pa.Array) -> npt.NDArray[np.int8]:
    places = {kind: number for number, kind in enumerate(EVENT_KINDS)}
    numbers = [places.get(each, -1) for each in column.dictionary.to_pylist()]
    return _looked_up(np.array([*numbers, -1], np.int8), column)


def _complete(kinds: npt.NDArray[np.int8], null: Mapping[str, _Flags]) -> bool:
    """Whether no event lacks what one of its kind has to have."""
    unsettled = null["result"] & null["reverses"]
    lacking = (
        (_WAGER, (null["wager"], null["player"], null["kind"], null["amount"])),
        (_DEAL, (null["box"], null["card"])),
        (_SETTLE, (null["wager"], unsettled)),
    )
    return not any(((kinds == kind) & reduce(np.bitwise_or, nulls)).any() for kind, nulls in lacking)


# --- what is replayed --------------------------------------------------------------------


class _Keys:
    """The keys of the rows of a table, each begun by the place of its round."""

    def __init__(self, rounds: _Rounds) -> None:
        self._rounds = rounds
        self._after = 0
        self._keys: list[_Numbers] = []
        self.belong = self.differ = True

    def places(self, ids: pa.Array) -> _Numbers | None:
        """The place of the round of each row; None where that is not known, and nothing more to be shown."""
        found = self._rounds.places(ids.dictionary, self._after) if self.belong else None
        if found is None:
            self.belong = self.differ = False
            return None
        self._after = int(found[-1]) if len(found) else self._after
        return _looked_up(found, ids)

    def add(self, places: _Numbers, *parts: npt.NDArray[Any]) -> None:
        """Add keys of the places of rounds and two numbers of 16 bits."""
        high, low = (part.astype(np.int64) for part in parts)
        self._keys.append(places << 32 | (high & 0xFFFF) << 16 | low & 0xFFFF)

    def unique(self) -> bool:
        keys = np.concatenate([np.zeros(0, np.int64), *self._keys])
        return self.differ and (_increase(keys) or _increase(np.sort(keys)))


def _tell_hands(files: Sequence[pq.ParquetFile], rounds: _Rounds, seen: Seen) -> None:
    keys = _Keys(rounds)
    counted = True
    for group in _groups(files, ("round_id", "box", "hand", "cards", "card_count")):
        hands = {name: _column(group, name) for name in group.column_names}
        places = keys.places(hands["round_id"])
        if places is not None:
            keys.add(places, hands["box"].to_numpy(), hands["hand"].to_numpy())
        spaces = pc.count_substring(hands["cards"], " ").to_numpy()
        held = np.where(pc.binary_length(hands["cards"]).to_numpy() > 0, spaces + 1, 0)
        counted = counted and np.array_equal(held, hands["card_count"].to_numpy())
    seen.show("hands", key=keys.unique(), round=keys.belong, card_count=counted)


_AMOUNTS = ("expected_paid", "expected_taken", "recorded_paid", "recorded_taken", "delta")


def _tell_settlements(files: Sequence[pq.ParquetFile], rounds: _Rounds, seen: Seen) -> None:
    keys = _Keys(rounds)
    words = dict.fromkeys(WORDS["settlements"], True)
    balanced = True
    wagers: dict[str, int] = {}
    lines = {line: number for number, line in enumerate(WORDS["settlements"]["line"])}
    for group in _groups(files, ("round_id", "wager", *words, *_AMOUNTS)):
        settled = {name: _column(group, name) for name in group.column_names}
        for name in words:
            words[name] = words[name] and _only(settled[name], WORDS["settlements"][name])
        balanced = balanced and _balanced(settled)
        places = keys.places(settled["round_id"])
        if places is not None and words["line"]:
            keys.add(places, _numbered(settled["wager"], wagers), _numbered(settled["line"], lines))
    unique = words["line"] and len(wagers) < 2**16 and keys.unique()
    seen.show("settlements", key=unique, round=keys.belong, delta=balanced, **words)


def _tell_findings(files: Sequence[pq.ParquetFile], rounds: _Rounds, seen: Seen) -> None:
    keys = _Keys(rounds)
    for group in _groups(files, ("round_id",)):
        keys.places(_column(group, "round_id"))
    seen.show("findings", round=keys.belong)


def _balanced(settled: Mapping[str, pa.Array]) -> bool:
    """Whether each delta is the recorded net less the required net, and null where nothing is required."""
    amount = {name: _thousandths(settled[name]) for name in _AMOUNTS}
    null = {name: _nulls(settled[name]) for name in _AMOUNTS}
    unknown = null["expected_paid"] | null["expected_taken"]
    required = amount["expected_paid"] - amount["expected_taken"]
    delta = amount["recorded_paid"] - amount["recorded_taken"] - required
    return bool(np.where(unknown, null["delta"], ~null["delta"] & (amount["delta"] == delta)).all())


# --- columns -----------------------------------------------------------------------------


def _nothing(file: pq.ParquetFile, columns: Sequence[str]) -> pa.Table:
    schema = file.schema_arrow
    return pa.schema([schema.field(name) for name in columns]).empty_table()


def _column(table: pa.Table, name: str) -> pa.Array:
    """A column of a row group in one piece."""
    column = table[name]
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


_Looked = TypeVar("_Looked", bound=np.generic)


def _looked_up(of_texts: npt.NDArray[_Looked], column: pa.Array) -> npt.NDArray[_Looked]:
    """Something of each text of a dictionary, for each row; the column holds no null."""
    return cast(npt.NDArray[_Looked], of_texts.take(column.indices.to_numpy()))


def _nulls(column: pa.Array) -> _Flags:
    if not column.null_count:
        return np.zeros(len(column), np.bool_)
    # Arrow's own way to an array of booleans looks at the bits one by one.
    bits = np.frombuffer(column.buffers()[0], np.uint8)
    known = np.unpackbits(bits, count=column.offset + len(column), bitorder="little")[column.offset :]
    return cast(_Flags, known == 0)


def _thousandths(column: pa.Array) -> _Numbers:
    """DECIMAL(18,3) in thousandths, 0 for null: the low half of each sixteen bytes."""
    if not len(column):
        return np.zeros(0, np.int64)
    halves = np.frombuffer(column.buffers()[1], np.int64)[0::2][column.offset : column.offset + len(column)]
    return np.where(_nulls(column), 0, halves) if column.null_count else halves


def _sum(column: pa.Array) -> int:
    """The sum of a column in thousandths; Arrow adds in 128 bits."""
    return int(pc.sum(column, min_count=0).as_py().scaleb(3))


def _only(column: pa.Array, words: Sequence[str]) -> bool:
    return set(column.dictionary.to_pylist()) <= set(words)


def _numbered(column: pa.Array, numbers: dict[str, int]) -> npt.NDArray[np.int32]:
    """Each text as its number; ``numbers`` gets those that are new."""
    texts = column.dictionary.to_pylist()
    of_texts = np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int32)
    return _looked_up(of_texts, column)


def _increase(keys: _Numbers) -> bool:
    return bool((keys[1:] > keys[:-1]).all())


def _differ(high: npt.NDArray[Any], low: npt.NDArray[Any]) -> bool:
    """Whether no pair of numbers occurs twice; not told of lines beyond two thousand million."""
    if len(low) and (low.min() < 0 or low.max() >= 1 << _BITS):
        return False
    keys = high.astype(np.int64) << _BITS | low
    return _increase(keys) or _increase(np.sort(keys))
