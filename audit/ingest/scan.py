"""Round logs read by compiled code, many lines at once, straight from their bytes into columns.

A line is scanned only in its usual form: no escape in any text, no key twice, in its ``events``
no field that the format does not give the kind, no settlement undone, and every reference is to
something earlier. `scan` says which lines are so; what any other line is, `wire` decides.

Here is what Python calls. The compiled functions stand apart, each module on those before it:
`scan_values` has the values, `scan_format` what is legal, `scan_references` what events ask of
those before them, `scan_events` the events of a line, `scan_lines` the lines.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.ingest.columns import AMOUNT_COLUMNS, CELL_TYPES, EMPTY, TEXT_COLUMNS, WHOLE_COLUMNS, WORDS, Events
from audit.ingest.lines import BATCH_BYTES
from audit.ingest.scan_events import FORMS, LEAST_EVENT, SLOTS, SPELLINGS, WRITTEN, Cells, Spelled
from audit.ingest.scan_format import FORMAT, HEAD
from audit.ingest.scan_lines import Heads, gathered, new_scratch, put_rounds, read_lines, recorded
from audit.ingest.scan_references import NOTES
from audit.ingest.scan_values import SPARE, Bytes, Numbers, eights_of, listed


@dataclass(frozen=True, slots=True)
class Scanned:
    """What was scanned of some lines.

    ``usual`` are the places of the usual lines, ``events`` theirs, ``heads`` the fields of all.
    """

    usual: Numbers
    events: Events
    heads: Heads
    _data: Bytes
    _spans: tuple[Numbers, Numbers]
    _spelled: Spelled

    def coded(self, field: str) -> tuple[Numbers, list[bytes | None]]:
        """A field of the usual lines as it is written: the values that occur, and which each line has."""
        place = HEAD.index(field)
        froms, tos = self.heads.froms[self.usual, place], self.heads.tos[self.usual, place]
        codes = np.empty(len(froms), np.int64)
        firsts = np.empty(len(froms), np.int64)
        count = listed(self._data, froms, tos, codes, firsts, _hash_table(len(froms)))
        found: list[bytes | None] = [
            self._data[froms[first] : tos[first]].tobytes() for first in firsts[:count].tolist()
        ]
        if (codes == EMPTY).any():
            codes[codes == EMPTY] = count
            found.append(None)
        return codes, found

    def without_events(self, row: int) -> bytes:
        """The line of a usual round, with an empty list in place of its events."""
        line = self.usual[row]
        start, stop = self._spans[0][line], self._spans[1][line]
        first, last = self.heads.lists[line]
        return self._data[start:first].tobytes() + b"[]" + self._data[last:stop].tobytes()

    def round_ids(self) -> pa.Array:
        """The ids of the usual rounds."""
        place = HEAD.index("round_id")
        return _texts(
            self._data, self.heads.froms[self.usual, place] + 1, self.heads.tos[self.usual, place] - 1
        )

    def recorded_starts(self) -> pa.Array:
        """When the usual rounds started, in ISO 8601 with the offset recorded."""
        offsets = np.zeros(len(self.usual) + 1, np.int32)
        out = np.empty(32 * len(self.usual), np.uint8)
        recorded(self._data, self.heads, self.usual, offsets, out)
        return pa.StringArray.from_buffers(len(self.usual), pa.py_buffer(offsets), pa.py_buffer(out))

    def canonical(self, codes: Sequence[Numbers], pieces: Sequence[bytes]) -> tuple[Bytes, Numbers]:
        """The usual rounds in canonical form, one after another, and where each ends.

        ``codes`` has an array for each field of `HEAD`: which of the ``pieces`` stands for it in
        each line, -1 for none. That of an id, a number or an instant is what goes before it. The
        last piece goes before the events.
        """
        bounds = np.cumsum([0, *map(len, pieces)])
        longest = 64 + max(map(len, pieces), default=0)
        size = SPARE + int(self._spelled.tally[WRITTEN]) + len(self.usual) * longest * (len(HEAD) + 1)
        out, stops = np.empty(size, np.uint8), np.empty(len(self.usual), np.int64)
        joined = np.frombuffer(b"".join([*pieces, bytes(SPARE)]), np.uint8)
        put_rounds(
            self._data, eights_of(self._data), self.heads, self.usual,
            np.array(codes), joined, eights_of(joined), bounds,
            self.events.places, self.events.counts, self._spelled, eights_of(self._spelled.canonical),
            out, eights_of(out), stops,
        )  # fmt: skip
        return out, stops


class _Room(threading.local):
    """Room for the events of so many bytes, kept by a thread from one scan to the next.

    To be given new room and take it back would take the system as long as half of what is done in
    it. It is for as many events as there could be; what is not written to costs nothing.
    """

    def __init__(self) -> None:
        self._size = -1

    def of(self, size: int) -> tuple[Cells, Spelled]:
        """Room for so many bytes."""
        if size > self._size:
            self._size = max(size, BATCH_BYTES + BATCH_BYTES // 4)
            self._make(self._size // LEAST_EVENT + 1)
        self._spelled.slots.fill(EMPTY)
        self._spelled.tally.fill(0)
        return self._cells, self._spelled

    def _make(self, events: int) -> None:
        texts = np.empty(self._size + SPARE, np.uint8)
        self._cells = Cells(
            words=np.empty((len(WORDS), events), np.int8),
            whole=np.empty((len(WHOLE_COLUMNS), events), np.int64),
            amounts=np.empty((len(AMOUNT_COLUMNS), events), np.int64),
            text_froms=np.empty((len(TEXT_COLUMNS), events), np.int64),
            text_sizes=np.empty((len(TEXT_COLUMNS), events), np.int64),
            at=np.empty(events, np.int64),
        )
        self._spelled = Spelled(
            slots=np.empty(SLOTS, np.int32),
            notes=np.empty((events, NOTES), np.int32),
            texts=texts,
            eights=eights_of(texts),
            canonical=np.empty(2 * self._size + SPARE, np.uint8),
            tally=np.empty(FORMS + 1, np.int64),
        )


_room = _Room()


def scan(data: bytes, starts: Numbers, stops: Numbers) -> Scanned:
    """Scan the lines of some bytes, by where each starts and stops; it holds until the next scan."""
    found = np.frombuffer(data if len(data) >= SPARE else data + bytes(SPARE), np.uint8)
    cells, spelled = _room.of(len(data))
    lines = len(starts)
    heads = Heads(
        froms=np.empty((lines, len(HEAD)), np.int64),
        tos=np.empty((lines, len(HEAD)), np.int64),
        lists=np.empty((lines, 2), np.int64),
        foreign=np.empty(lines, np.bool_),
        numbers=np.empty(lines, np.int64),
        started=np.empty(lines, np.int64),
        ended=np.empty(lines, np.int64),
        offsets=np.empty(lines, np.int64),
    )
    counts = np.empty(lines, np.int64)
    places = np.empty(len(data) // LEAST_EVENT + 1, np.int64)
    total = read_lines(
        found, eights_of(found), starts, stops, FORMAT, new_scratch(), cells, spelled, heads, places, counts
    )
    usual = np.flatnonzero(counts >= 0)
    return Scanned(
        usual=usual,
        events=_columns(found, cells, int(spelled.tally[SPELLINGS]), places[:total], counts[usual]),
        heads=heads,
        _data=found,
        _spans=(starts, stops),
        _spelled=spelled,
    )


def _columns(data: Bytes, cells: Cells, total: int, places: Numbers, counts: Numbers) -> Events:
    found: dict[str, npt.NDArray[Any]] = {"at": cells.at[:total].copy()}
    texts = {}
    for columns, values in (
        (WORDS, cells.words),
        (WHOLE_COLUMNS, cells.whole),
        (AMOUNT_COLUMNS, cells.amounts),
    ):
        for row, name in enumerate(columns):
            found[name] = values[row, :total].astype(CELL_TYPES[name])
    for row, name in enumerate(TEXT_COLUMNS):
        found[name], texts[name] = _listed_texts(
            data, cells.text_froms[row, :total], cells.text_sizes[row, :total]
        )
    return Events(counts, places, {name: found[name] for name in CELL_TYPES}, texts)


def _listed_texts(data: Bytes, froms: Numbers, sizes: Numbers) -> tuple[npt.NDArray[Any], pa.Array]:
    """Texts of the bytes as places in a list of those that occur, and that list."""
    written = np.flatnonzero(sizes != EMPTY)
    froms, tos = froms[written], froms[written] + sizes[written]
    codes, firsts = np.empty(len(written), np.int64), np.empty(len(written), np.int64)
    count = listed(data, froms, tos, codes, firsts, _hash_table(len(written)))
    cells = np.full(len(sizes), EMPTY, np.int32)
    cells[written] = codes
    firsts = firsts[:count]
    return cells, _texts(data, froms[firsts], tos[firsts])


def _hash_table(size: int) -> Numbers:
    """Room for so many different texts, twice over."""
    return np.full(1 << (2 * size + 1).bit_length(), EMPTY)


def _texts(data: Bytes, froms: Numbers, tos: Numbers) -> pa.Array:
    """The texts at some places of the bytes."""
    offsets = np.zeros(len(froms) + 1, np.int32)
    out = np.empty(int((tos - froms).sum()), np.uint8)
    gathered(data, froms, tos, offsets, out)
    return pa.StringArray.from_buffers(len(froms), pa.py_buffer(offsets), pa.py_buffer(out))
