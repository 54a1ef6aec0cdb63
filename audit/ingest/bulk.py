"""Many lines at once: the events of the usual ones by compiled code, all else by `wire`.

A line whose events are in the usual form is cut in two. `audit.ingest.scan` reads the events;
the rest of the line, with an empty list in their place, goes through `wire.decode_line` like
any line, and is much shorter. A line that either of them does not take is left to `wire` whole:
that is the definition, and this a quicker way to the same rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.ingest import wire
from audit.ingest.columns import Events
from audit.ingest.lines import BOM, Line
from audit.ingest.scan import scan
from audit.ingest.wire import Decoded, Rejected


@dataclass(frozen=True, slots=True)
class Bulk:
    """Rounds read in bulk: the place of each among the lines, itself without events, and those.

    ``canonical`` are the events of each in the form that `wire.content_digest` takes.
    """

    places: list[int]
    rounds: list[Decoded]
    canonical: list[bytes]
    events: Events


def bulk_of(data: bytes, lines: Sequence[Line]) -> tuple[Bulk, list[int]]:
    """The usual rounds of some lines, and the places of all other lines.

    ``data`` are the bytes of the lines, one after another, a line feed between.
    """
    places = [place for place, line in enumerate(lines) if line.size <= wire.MAX_LINE]
    if not _is_utf8(data):
        places = [place for place in places if _is_utf8(lines[place].data)]
    heads: dict[int, Decoded] = {}
    while True:
        starts = np.array([lines[place].offset - lines[0].offset + _mark(lines[place]) for place in places])
        stops = np.array([lines[place].offset - lines[0].offset + lines[place].size for place in places])
        scanned = scan(data, starts.astype(np.int64), stops.astype(np.int64))
        spans = zip(places, starts.tolist(), scanned.lists, stops.tolist(), strict=True)
        usual = [each for each in spans if each[2][0] >= 0]
        refused = set()
        for place, start, (first, last), stop in usual:
            if place not in heads:
                try:
                    heads[place] = wire.decode_line(data[start:first] + b"[]" + data[last:stop])
                except Rejected:
                    refused.add(place)
        if not refused:
            taken = [each[0] for each in usual]
            others = sorted(set(range(len(lines))) - set(taken))
            return Bulk(taken, [heads[each] for each in taken], scanned.canonical, scanned.events), others
        # The events of a line whose head is refused must not stand among the others.
        places = [place for place in places if place not in refused]


def _mark(line: Line) -> int:
    """The size of a byte order mark, which is no part of the first line."""
    return len(BOM) if line.number == 1 and line.data.startswith(BOM) else 0


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
