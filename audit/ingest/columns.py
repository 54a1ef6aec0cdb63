"""Rounds to Arrow columns and back.

The columns are those of `rules_replay.log.ROUNDS` and `EVENTS`; what goes in comes
out equal, instants compared as instants.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, islice, repeat
from operator import attrgetter
from typing import Any, cast, get_args

import msgspec
import numpy as np
import pyarrow as pa

from audit.errors import LakeError
from rules_replay import log
from rules_replay.log import EVENTS, MONEY, ROUNDS, Amount, CardText, Limits, Round

_EVENT_TYPES: tuple[type[log.Event], ...] = get_args(log.AnyEvent)
_TYPE_OF = {str(kind.__struct_config__.tag): kind for kind in _EVENT_TYPES}
_LIMIT_NAMES = Limits.__struct_fields__
_WIDE = pa.decimal128(19, 0)


def _column_of(kind: type[log.Event], attribute: str) -> str:
    if kind is log.Wager and attribute == "id":
        return "wager"
    return "from" if attribute == "source" else attribute


_COLUMNS_OF = {
    kind: tuple((attribute, _column_of(kind, attribute)) for attribute in kind.__struct_fields__)
    for kind in _EVENT_TYPES
}


def money_array(thousandths: list[int | None]) -> pa.Array:
    """Amounts as DECIMAL(18,3), without a float or a ``Decimal`` on the way."""
    return pa.array(thousandths, pa.int64()).cast(_WIDE).view(MONEY)


def thousandths_of(amounts: pa.Array) -> pa.Array:
    """DECIMAL(18,3) as whole thousandths, 64-bit integers."""
    return amounts.view(pa.decimal128(18, 0)).cast(pa.int64())


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    return money_array(values) if kind == MONEY else pa.array(values, kind)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a round came from: file as named on ingest, its digest, line and byte offset."""

    file: str
    sha256: str
    line: int
    offset: int


@dataclass(slots=True)
class Columns:
    """Collects rounds and turns them into a table of rounds and a table of events."""

    _rounds: list[tuple[Any, ...]] = field(default_factory=list)
    _events: dict[type, list[log.AnyEvent]] = field(default_factory=lambda: {t: [] for t in _EVENT_TYPES})
    _kinds: list[type] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._rounds)

    def add(self, round_: Round, *, extra: str | None, digest: str, origin: Origin) -> None:
        """Add one round, with its fields outside the format and its `wire.content_digest`."""
        limits = round_.limits
        self._rounds.append(
            (
                round_.round_id,
                round_.table,
                round_.shoe,
                round_.round_no,
                round_.started_at,
                round_.started_at.isoformat(),
                round_.ended_at,
                round_.rulebook,
                round_.decks,
                round_.shuffler,
                round_.currency,
                round_.dealer,
                round_.supervisor,
                *(repeat(None, len(_LIMIT_NAMES)) if limits is None else msgspec.structs.astuple(limits)),
                round_.offers,
                round_.records,
                round_.last_rounds,
                len(round_.events),
                extra,
                digest,
                origin.file,
                origin.sha256,
                origin.line,
                origin.offset,
            )
        )
        for event in round_.events:
            kind = type(event)
            self._events[kind].append(event)
            self._kinds.append(kind)

    def tables(self) -> tuple[pa.Table, pa.Table]:
        """The rounds and the events collected, in the order in which they were added."""
        values = list(zip(*self._rounds, strict=True)) or [()] * len(ROUNDS)
        rounds = pa.table(
            [_array(list(column), each.type) for column, each in zip(values, ROUNDS, strict=True)],
            schema=ROUNDS,
        )
        return rounds, self._event_table(rounds)

    def _event_table(self, rounds: pa.Table) -> pa.Table:
        counts = rounds["event_count"].to_numpy()
        codes = {kind: code for code, kind in enumerate(_EVENT_TYPES)}
        kinds = np.fromiter(map(codes.__getitem__, self._kinds), np.int64, len(self._kinds))
        places = {kind: np.flatnonzero(kinds == codes[kind]) for kind in _EVENT_TYPES}
        parts: dict[str, list[tuple[np.ndarray, list[Any]]]] = {each.name: [] for each in EVENTS}
        for kind, events in self._events.items():
            if events:
                for attribute, name in _COLUMNS_OF[kind]:
                    parts[name].append((places[kind], list(map(attrgetter(attribute), events))))
        starts = np.repeat(np.cumsum(counts) - counts, counts)
        tags = pa.array([str(kind.__struct_config__.tag) for kind in _EVENT_TYPES])
        made = {
            "round_id": rounds["round_id"].combine_chunks().take(np.repeat(np.arange(len(counts)), counts)),
            "seq": pa.array(np.arange(len(kinds)) - starts, pa.int32()),
            "e": tags.take(kinds),
        }
        columns = [
            made[each.name] if each.name in made else _scattered(parts[each.name], each.type, len(kinds))
            for each in EVENTS
        ]
        return pa.table(columns, schema=EVENTS)


def _scattered(parts: list[tuple[np.ndarray, list[Any]]], kind: pa.DataType, size: int) -> pa.Array:
    """Values of some rows put into their places; null in every other row."""
    values = _array(list(chain.from_iterable(column for _, column in parts)), kind)
    order = np.full(size, -1, np.int64)
    start = 0
    for place, column in parts:
        order[place] = np.arange(start, start + len(column))
        start += len(column)
    return values.take(pa.array(order, mask=order < 0))


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
