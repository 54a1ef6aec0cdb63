"""Lines read one after another, and the usual ones written in canonical form.

Of a round itself only those fields are read here whose values hardly ever repeat; of the others
the place in the line is given. Which lines have the same bytes there, `Scanned.coded` says.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from audit.ingest.columns import EMPTY, NO_INSTANT
from audit.ingest.compiled import compiled, entry, inlined
from audit.ingest.scan_events import WRITTEN, Cells, Scratch, Spelled, events
from audit.ingest.scan_format import FIELDS, HEAD, HEAD_KEYS, Format, code_of
from audit.ingest.scan_references import BOXES, FORM, FORM_STOP, MOST_HANDS, MOST_WAGERS
from audit.ingest.scan_values import (
    CLOSE,
    CLOSE_LIST,
    COLON,
    COMMA,
    OPEN,
    QUOTE,
    ZERO,
    Bytes,
    Eights,
    Numbers,
    copied,
    digits,
    instant,
    is_null,
    offset,
    past_space,
    put,
    put_instant,
    put_recorded,
    same_text,
    text_end,
    value_end,
)

_ROUND_ID, _ROUND_NO, _STARTED_AT, _ENDED_AT = (
    HEAD.index(each) for each in ("round_id", "round_no", "started_at", "ended_at")
)
_EVENTS = len(HEAD)
_LONGEST_ID = 64
_LARGEST_NO = 2**31 - 1
_LEGAL = np.zeros(256, np.bool_)
_LEGAL[list(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-")] = True
"""Of each byte whether it can stand in the id of a round."""


class Heads(NamedTuple):
    """What is found of the rounds themselves, a row for each.

    ``froms`` and ``tos`` are the places of the fields of `HEAD` as they are written, -1 for an
    absent one; ``lists`` is that of the events. ``foreign`` says whether there is any field
    outside the format, ``offsets`` is that of the start in minutes.
    """

    froms: Any
    tos: Any
    lists: Any
    foreign: Any
    numbers: Numbers
    started: Numbers
    ended: Numbers
    offsets: Numbers


_FIELD, _START, _VALUE, _STOP = range(4)
"""What is kept of the first fields of a line, in their order: which it is, where it begins, how far from
there its value is, and where it ends. The next line mostly has the same bytes there."""
_FIELDS_BEFORE = len(HEAD)


def new_scratch() -> Scratch:
    """Room for lines to be read in, with no line before the first."""
    fields, wagers = len(FIELDS), MOST_WAGERS
    rooms = [np.empty(size, np.int64) for size in (*[fields] * 3, BOXES + 1, wagers, wagers, MOST_HANDS)]
    rooms.append(np.zeros((_FIELDS_BEFORE + 1, _STOP + 1), np.int64))
    return Scratch(*rooms)


@compiled
def _is_id(data: Bytes, at: int, stop: int) -> bool:
    if stop - at < 3 or stop - at > _LONGEST_ID + 2 or data[at] != QUOTE:
        return False
    for place in range(at + 1, stop - 1):  # noqa: SIM110 - numba compiles no generator here
        if not _LEGAL[data[place]]:
            return False
    return True


@inlined
def _head(data: Bytes, line: int, heads: Heads) -> bool:
    """Read the fields of a round that hardly ever repeat; false where one is unusual."""
    froms, tos = heads.froms[line], heads.tos[line]
    if not _is_id(data, froms[_ROUND_ID], tos[_ROUND_ID]):
        return False
    at, stop = froms[_ROUND_NO], tos[_ROUND_NO]
    number = digits(data, at, stop) if stop - at <= 10 else -1
    if number < 1 or number > _LARGEST_NO or data[at] == ZERO:
        return False
    heads.numbers[line] = number
    at, stop = froms[_STARTED_AT] + 1, tos[_STARTED_AT] - 1
    if data[at - 1] != QUOTE:
        return False
    heads.started[line] = instant(data, at, stop)
    heads.offsets[line] = offset(data, stop)
    if heads.started[line] == NO_INSTANT:
        return False
    at, stop = froms[_ENDED_AT] + 1, tos[_ENDED_AT] - 1
    heads.ended[line] = NO_INSTANT
    if at > 0 and not is_null(data, at - 1, stop + 1):
        heads.ended[line] = instant(data, at, stop) if data[at - 1] == QUOTE else NO_INSTANT
        return bool(heads.ended[line] != NO_INSTANT)
    return True


@inlined
def _as_before(eights: Eights, at: int, end: int, before: Numbers) -> int:
    """The place after the field at ``at`` where the line before has the same bytes there, or -1.

    The byte after it is the same too, so that it ends in the same place.
    """
    start, size = before[_START], before[_STOP] - before[_START] + 1
    if size < 8 or at + size > end or not same_text(eights, at, at + size, eights, start):
        return -1
    return int(at + size - 1)


@inlined
def _line(
    data: Bytes,
    eights: Eights,
    at: int,
    end: int,
    form: Format,
    scratch: Scratch,
    cells: Cells,
    spelled: Spelled,
    heads: Heads,
    line: int,
    places: Any,
    total: int,
) -> tuple[bool, int]:
    """Read one line: whether it is usual, and the events in all."""
    seen, count = 0, 0
    froms, tos = heads.froms[line], heads.tos[line]
    froms[:], tos[:] = -1, -1
    heads.foreign[line] = False
    at = past_space(data, at, end)
    if at >= end or data[at] != OPEN:
        return False, total
    while True:
        at = past_space(data, at + 1, end)
        if at >= end or data[at] != QUOTE:
            return False, total
        start, first, field = at, 0, EMPTY
        stop = _as_before(eights, at, end, scratch.before[count])
        if stop >= 0:
            field, first = scratch.before[count, _FIELD], at + scratch.before[count, _VALUE]
        else:
            stop = text_end(data, at + 1, end)
            if stop < 0:
                return False, total
            field = code_of(data, at + 1, stop, HEAD_KEYS, form.lists)
            at = past_space(data, stop + 1, end)
            if at >= end or data[at] != COLON:
                return False, total
            first = past_space(data, at + 1, end)
            if field != _EVENTS:
                stop = value_end(data, eights, first, end)
        if field >= 0 and seen >> field & 1:
            return False, total
        if field == _EVENTS:
            heads.lists[line, 0] = first
            stop, total = events(data, eights, first, end, form, scratch, cells, spelled, places, total)
            heads.lists[line, 1] = stop
        elif field >= 0:
            froms[field], tos[field] = first, stop
        else:
            heads.foreign[line] = True
        if stop < 0:
            return False, total
        if field >= 0:
            seen |= 1 << field
        if field != _EVENTS and count < _FIELDS_BEFORE:
            before = scratch.before[count]
            before[_FIELD], before[_START], before[_VALUE], before[_STOP] = field, start, first - start, stop
        count = min(count + 1, _FIELDS_BEFORE)
        at = past_space(data, stop, end)
        if at < end and data[at] == CLOSE:
            break
        if at >= end or data[at] != COMMA:
            return False, total
    whole = past_space(data, at + 1, end) == end and form.head_required & ~seen == 0
    return whole and _head(data, line, heads), total


@entry
def read_lines(
    data: Bytes,
    eights: Eights,
    starts: Numbers,
    stops: Numbers,
    form: Format,
    scratch: Scratch,
    cells: Cells,
    spelled: Spelled,
    heads: Heads,
    places: Any,
    counts: Numbers,
) -> int:
    """Read all lines: the events in all, ``counts`` of each line, -1 for an unusual one."""
    total = 0
    for line in range(len(starts)):
        first, before = total, spelled.tally[WRITTEN]
        good, total = _line(
            data, eights, starts[line], stops[line], form, scratch, cells, spelled, heads, line, places, total
        )
        if good:
            counts[line] = total - first
        else:
            counts[line] = -1
            total, spelled.tally[WRITTEN] = first, before
    return total


@entry
def put_rounds(
    data: Bytes,
    eights: Eights,
    heads: Heads,
    usual: Numbers,
    codes: Any,
    pieces: Bytes,
    pieces_eights: Eights,
    bounds: Numbers,
    places: Any,
    counts: Numbers,
    spelled: Spelled,
    spelled_eights: Eights,
    out: Bytes,
    out_eights: Eights,
    stops: Numbers,
) -> None:
    """Write the rounds of the usual lines in canonical form, one after another; see `Scanned.canonical`."""
    to, event = 0, 0
    for place in range(len(usual)):
        line = usual[place]
        out[to] = OPEN
        to += 1
        for field in range(codes.shape[0]):
            piece = codes[field, place]
            if piece >= 0:
                to = copied(out, out_eights, to, pieces, pieces_eights, bounds[piece], bounds[piece + 1])
            if heads.froms[line, field] < 0:
                continue
            if field in (_ROUND_ID, _ROUND_NO):
                to = copied(
                    out, out_eights, to, data, eights, heads.froms[line, field], heads.tos[line, field]
                )
            elif piece >= 0 and field in (_STARTED_AT, _ENDED_AT):
                value = heads.started[line] if field == _STARTED_AT else heads.ended[line]
                out[to] = QUOTE
                to = put_instant(out, to + 1, value)
                out[to] = QUOTE
                to += 1
        last = len(bounds) - 2
        to = copied(out, out_eights, to, pieces, pieces_eights, bounds[last], bounds[last + 1])
        for _ in range(counts[place]):
            number = places[event]
            event += 1
            first, stop = spelled.notes[number, FORM], spelled.notes[number, FORM_STOP]
            to = copied(out, out_eights, to, spelled.canonical, spelled_eights, first, stop)
            out[to] = COMMA
            to += 1
        if counts[place]:
            to -= 1
        out[to], out[to + 1] = CLOSE_LIST, CLOSE
        to += 2
        stops[place] = to


@entry
def recorded(data: Bytes, heads: Heads, usual: Numbers, offsets: Any, out: Bytes) -> None:
    """Write when the rounds of the usual lines started, one after another, and where each ends."""
    to = 0
    for place in range(len(usual)):
        line = usual[place]
        to = put_recorded(out, to, data, heads.froms[line, _STARTED_AT] + 1, heads.tos[line, _STARTED_AT] - 1)
        offsets[place + 1] = to


@entry
def gathered(data: Bytes, froms: Numbers, tos: Numbers, offsets: Any, out: Bytes) -> None:
    """Write the texts at some places of the bytes, one after another, and where each ends."""
    to = 0
    for place in range(len(froms)):
        to = put(out, to, data, froms[place], tos[place])
        offsets[place + 1] = to
