"""Many lines at once: the usual ones by compiled code, all else by `wire`.

`audit.ingest.scan` reads the events of a line, and what of a round hardly ever repeats. The
other fields repeat from line to line byte by byte, so each spelling of one is decoded once, by
the type that `rules_replay.log` gives it. A line of which anything is not taken is left to
`wire` whole: that is the definition, and this a quicker way to the same rounds.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, get_type_hints

import msgspec
import numpy as np
import pyarrow as pa

from audit.ingest import wire
from audit.ingest.columns import NO_INSTANT, Events, Whole, limit_values, money_array
from audit.ingest.lines import Lines
from audit.ingest.scan import Scanned, scan
from audit.ingest.scan_format import HEAD
from audit.ingest.scan_values import Numbers
from audit.ingest.wire import Rejected
from rules_replay.log import INSTANT, ROUNDS, Limits, Round

_READ_BY_SCAN = ("round_id", "round_no", "started_at", "ended_at")
_CODED = tuple(name for name in HEAD if name not in _READ_BY_SCAN)
_HINTS = get_type_hints(Round, include_extras=True)
_DEFAULTS = {each.encode_name: each.default for each in msgspec.structs.fields(Round) if not each.required}
_DECODERS = {name: msgspec.json.Decoder(_HINTS[name], dec_hook=wire.read_custom) for name in _CODED}


@dataclass(frozen=True, slots=True)
class Bulk:
    """Rounds read in bulk, in the order of their lines.

    ``places`` are those of the lines, ``columns`` of `ROUNDS` up to the digest by name. Venues
    and currencies are given as lists, and of each round its place in them; ``starts`` are
    microseconds since 1970, ``offsets`` minutes. ``digests`` are those of the content as bytes.
    """

    places: Whole
    columns: dict[str, pa.Array]
    events: Events
    venues: list[str]
    venue_of: Whole
    currencies: list[str]
    currency_of: Whole
    starts: Whole
    offsets: Whole
    digests: list[bytes]
    unknown: Counter[str] = field(default_factory=Counter)


def bulk_of(lines: Lines, starts: Whole, stops: Whole) -> tuple[Bulk, list[int]]:
    """The usual rounds of some lines, and the places of all other lines.

    ``starts`` and ``stops`` say where each line is in the bytes.
    """
    places = np.flatnonzero(stops - starts <= wire.MAX_LINE)
    if not _is_utf8(lines.data):
        places = places[[_is_utf8(lines.data[starts[each] : stops[each]]) for each in places.tolist()]]
    foreign: dict[int, tuple[str | None, tuple[str, ...]]] = {}
    while True:
        scanned = scan(lines.data, starts[places], stops[places])
        taken = places[scanned.usual]
        spellings = [_Spellings(name, *scanned.coded(name)) for name in _CODED]
        refused = np.zeros(len(taken), np.bool_)
        for each in spellings:
            refused |= each.refused
        for row in np.flatnonzero(scanned.heads.foreign[scanned.usual] & ~refused).tolist():
            place = int(taken[row])
            if place not in foreign:
                try:
                    decoded = wire.decode_line(scanned.without_events(row))
                    foreign[place] = decoded.extra, decoded.unknown
                except Rejected:
                    refused[row] = True
        if not refused.any():
            others = np.ones(len(starts), np.bool_)
            others[taken] = False
            outside = [foreign.get(each) for each in taken.tolist()] if foreign else [None] * len(taken)
            return _bulk(taken, scanned, spellings, outside), np.flatnonzero(others).tolist()
        # The events of a line that is refused must not stand among the others.
        places = np.setdiff1d(places, taken[refused])


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


class _Spellings:
    """A field of all rounds: the values it has, and which of them each round has."""

    def __init__(self, name: str, codes: Numbers, written: Sequence[bytes | None]) -> None:
        self.name = name
        self.codes = codes
        read = [_read(name, each) for each in written]
        self.refused = np.array([each is None for each in read], np.bool_)[codes]
        self.values = [None if each is None else each[0] for each in read]
        self.pieces = [b"" if each is None else each[1] for each in read]

    def array(self, kind: pa.DataType) -> pa.Array:
        """The field as a column."""
        return pa.array(self.values, kind).take(pa.array(self.codes))

    def places(self) -> tuple[list[Any], Whole]:
        """The values without repetition, and of each round its place among them."""
        found = list(dict.fromkeys(self.values))
        return found, np.array([found.index(each) for each in self.values], np.int64)[self.codes]


@lru_cache(maxsize=20_000)
def _read(name: str, written: bytes | None) -> tuple[Any, bytes] | None:
    """The value of a field and what stands for it in canonical form; None for one that is not usual."""
    if written is None:
        return _DEFAULTS[name], b""
    try:
        wire.refuse_bytes(written)
        value = _DECODERS[name].decode(written)
        if written.startswith(b"{"):
            wire.refuse_twice(written)
    except (msgspec.DecodeError, ValueError, Rejected, RecursionError):
        return None
    if name == "venue" and wire.venue_problem(value):
        return None
    if isinstance(value, Limits):
        if not wire.known_limits(written):
            return None
        value = None if value == Limits() else value
    if name in _DEFAULTS and value == _DEFAULTS[name]:
        return value, b""
    return value, _label(name) + wire.encode_value(value)


def _label(name: str) -> bytes:
    return (b"" if name == HEAD[0] else b",") + msgspec.json.encode(name) + b":"


def _bulk(
    places: Whole,
    scanned: Scanned,
    spellings: Sequence[_Spellings],
    outside: Sequence[tuple[str | None, tuple[str, ...]] | None],
) -> Bulk:
    by_name = {each.name: each for each in spellings}
    extra = [None if each is None else each[0] for each in outside]
    usual, heads = scanned.usual, scanned.heads
    ended = heads.ended[usual]
    venues, venue_of = by_name["venue"].places()
    currencies, currency_of = by_name["currency"].places()
    columns = {each.name: by_name[each.name].array(each.type) for each in ROUNDS if each.name in by_name} | {
        "round_id": scanned.round_ids(),
        "round_no": pa.array(heads.numbers[usual].astype(np.int32)),
        "started_at": pa.array(heads.started[usual]).view(INSTANT),
        "started_at_text": scanned.recorded_starts(),
        "ended_at": pa.array(ended, mask=ended == NO_INSTANT).view(INSTANT),
        "event_count": pa.array(scanned.events.counts.astype(np.int32)),
        "extra": pa.array(extra, pa.string()),
        **_limits(by_name["limits"]),
    }
    unknown: Counter[str] = Counter()
    for each in outside:
        if each is not None:
            unknown.update(each[1])
    return Bulk(
        places=places,
        columns=columns,
        events=scanned.events,
        venues=venues,
        venue_of=venue_of,
        currencies=currencies,
        currency_of=currency_of,
        starts=heads.started[usual],
        offsets=heads.offsets[usual],
        digests=_digests(scanned, by_name, extra),
        unknown=unknown,
    )


def _limits(spellings: _Spellings) -> dict[str, pa.Array]:
    rows = [limit_values(each) for each in spellings.values]
    columns = zip(*rows, strict=True) if rows else [()] * len(Limits.__struct_fields__)
    codes = pa.array(spellings.codes)
    return {
        f"limit_{name}": money_array(pa.array(column, pa.int64()).take(codes))
        for name, column in zip(Limits.__struct_fields__, columns, strict=True)
    }


def _digests(scanned: Scanned, spellings: dict[str, _Spellings], extra: Sequence[str | None]) -> list[bytes]:
    """`wire.content_digest` of every round, as bytes."""
    pieces: list[bytes] = []
    codes: list[Numbers] = []
    for name in HEAD:
        if name in spellings:
            found = spellings[name]
            codes.append(found.codes + len(pieces))
            pieces += found.pieces
            continue
        codes.append(np.full(len(scanned.usual), len(pieces)))
        if name == "ended_at":
            codes[-1][scanned.heads.ended[scanned.usual] == NO_INSTANT] = -1
        pieces.append(_label(name))
    out, stops = scanned.canonical(codes, [*pieces, b',"events":['])
    written: Any = memoryview(out.data)
    ends = stops.tolist()
    digests = [hashlib.sha256(written[start:end]).digest() for start, end in pairwise([0, *ends])]
    for row, each in enumerate(extra):
        if each is not None:
            start = ends[row - 1] if row else 0
            digests[row] = hashlib.sha256(bytes(written[start : ends[row]]) + b"\n" + each.encode()).digest()
    return digests
