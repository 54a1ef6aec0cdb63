"""The events of a line, read into columns.

Events repeat from line to line, as a card dealt to a box does, so each spelling of one is read once
and known again by its bytes. The same pass writes every spelling in canonical form, see
`wire.content_digest`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from audit.ingest.columns import EMPTY, NO_INSTANT
from audit.ingest.compiled import inlined
from audit.ingest.scan_format import AMOUNT, INSTANT, KEYS, NAME, WHOLE, WORD, E, Format, code_of
from audit.ingest.scan_references import FORM, FORM_STOP, SIZE, TEXT, follows, note_needs
from audit.ingest.scan_values import (
    CLOSE,
    CLOSE_LIST,
    COLON,
    COMMA,
    NINE,
    OPEN,
    OPEN_LIST,
    QUOTE,
    ZERO,
    Bytes,
    Eights,
    Numbers,
    amount,
    copied,
    digits,
    instant,
    is_null,
    object_end,
    past_space,
    put,
    put_amount,
    put_instant,
    put_number,
    same_text,
    text_end,
)

# --- one event ------------------------------------------------------------------------------

_LONGEST_NAME = 200


@inlined
def _object(
    data: Bytes, at: int, end: int, form: Format, values: Numbers, froms: Numbers, tos: Numbers
) -> tuple[int, int, int]:
    """Read the object that begins at ``at``: the place after it, bits of the fields written, bits of nulls.

    Fields go to ``values``; of a text, its place is put in ``froms`` and ``tos``. The place
    is -1 where anything is unusual.
    """
    written, nulls = 0, 0
    if at >= end or data[at] != OPEN:
        return -1, 0, 0
    at = past_space(data, at + 1, end)
    if at < end and data[at] == CLOSE:
        return at + 1, 0, 0
    while at < end:
        if data[at] != QUOTE:
            return -1, 0, 0
        stop = text_end(data, at + 1, end)
        if stop < 0:
            return -1, 0, 0
        field = code_of(data, at + 1, stop, KEYS, form.lists)
        if field < 0 or (written | nulls) >> field & 1:
            return -1, 0, 0
        at = past_space(data, stop + 1, end)
        if at >= end or data[at] != COLON:
            return -1, 0, 0
        at = past_space(data, at + 1, end)
        kind = form.types[field]
        if is_null(data, at, end):
            nulls |= 1 << field
            at += 4
        elif kind == WHOLE:
            written |= 1 << field
            stop = at
            while stop < end and data[stop] >= ZERO and data[stop] <= NINE:
                stop += 1
            size = stop - at
            if size < 1 or size > 18 or (size > 1 and data[at] == ZERO):
                return -1, 0, 0
            values[field] = digits(data, at, stop)
            at = stop
        else:
            written |= 1 << field
            if at >= end or data[at] != QUOTE:
                return -1, 0, 0
            at += 1
            stop = text_end(data, at, end)
            if stop < 0:
                return -1, 0, 0
            froms[field], tos[field] = at, stop
            if kind == WORD:
                values[field] = code_of(data, at, stop, form.rows[field], form.lists)
                if values[field] < 0:
                    return -1, 0, 0
            elif kind == AMOUNT:
                values[field] = amount(data, at, stop)
                if values[field] < 0:
                    return -1, 0, 0
            elif kind == INSTANT:
                values[field] = instant(data, at, stop)
                if values[field] == NO_INSTANT:
                    return -1, 0, 0
            elif kind == NAME and (stop == at or stop - at > _LONGEST_NAME):
                return -1, 0, 0
            at = stop + 1
        at = past_space(data, at, end)
        if at < end and data[at] == CLOSE:
            return at + 1, written, nulls
        if at >= end or data[at] != COMMA:
            return -1, 0, 0
        at = past_space(data, at + 1, end)
    return -1, 0, 0


@inlined
def _put_event(
    out: Bytes,
    at: int,
    data: Bytes,
    kind: int,
    form: Format,
    written: int,
    values: Numbers,
    froms: Numbers,
    tos: Numbers,
) -> int:
    """Write one event in canonical form: its fields in the order of its class, defaults left out."""
    out[at] = OPEN
    at += 1
    for place in range(-1, form.order.shape[1]):
        field = E if place < 0 else form.order[kind, place]
        if field < 0:
            break
        if not written >> field & 1:
            continue
        as_number = form.types[field] == WHOLE or form.types[field] == WORD
        if as_number and field != E and values[field] == form.default[kind, field]:
            continue
        if field != E:
            out[at] = COMMA
            at += 1
        out[at] = QUOTE
        at += 1
        for each in range(form.lists.sizes[KEYS, field]):
            out[at] = form.lists.words[KEYS, field, each]
            at += 1
        out[at], out[at + 1] = QUOTE, COLON
        at += 2
        if form.types[field] == WHOLE:
            at = put_number(out, at, values[field], 1)
            continue
        out[at] = QUOTE
        at += 1
        if form.types[field] == AMOUNT:
            at = put_amount(out, at, values[field])
        elif form.types[field] == INSTANT:
            at = put_instant(out, at, values[field])
        else:
            at = put(out, at, data, froms[field], tos[field])
        out[at] = QUOTE
        at += 1
    out[at] = CLOSE
    return at + 1


# --- the events of a line -------------------------------------------------------------------


class Cells(NamedTuple):
    """What is found of events, a column for each: ``words``, ``whole`` and ``amounts`` by row.

    Of texts it is the place in the bytes and the size, of ``at`` the instant.
    """

    words: Any
    whole: Any
    amounts: Any
    text_froms: Any
    text_sizes: Any
    at: Numbers


class Spelled(NamedTuple):
    """The spellings of events, numbered as they come.

    ``slots`` is a hash table of their numbers, ``notes`` has a row for each, ``tally`` counts.
    ``texts`` has them as they are written one after another, also eight bytes at a time, and
    ``canonical`` in canonical form. That all lies close together is what makes it quick.
    """

    slots: Any
    notes: Any
    texts: Bytes
    eights: Eights
    canonical: Bytes
    tally: Numbers


SPELLINGS, _SOUGHT, _KNOWN, WRITTEN, _TEXTS, FORMS = range(6)
"""What is counted: spellings, events that were looked up and those that were known, the bytes that
the events of all usual lines have in canonical form, with a comma each, and those of ``texts`` and
``canonical``."""

SLOTS = 1 << 15
_MOST_SPELLINGS = SLOTS // 2
"""No more than so many are known again."""

_TRIED, _WORTH = 4096, 4
"""After so many events no more are looked up, unless one in so many was known: each may have its instant."""
_PROBES = 16
"""So many slots are looked at for a spelling."""
LEAST_EVENT = len('{"e":"void"}')
"""No event has fewer bytes."""


class Scratch(NamedTuple):
    """Room for one event, for what those before it in the round have made, and for the line before."""

    values: Numbers
    froms: Numbers
    tos: Numbers
    made: Numbers
    wager_froms: Numbers
    wager_tos: Numbers
    hands: Numbers
    before: Any


@inlined
def _keep_event(cells: Cells, number: int, kind: int, written: int, form: Format, scratch: Scratch) -> None:
    cells.words[:, number] = EMPTY
    cells.whole[:, number] = EMPTY
    cells.amounts[:, number] = EMPTY
    cells.text_froms[:, number] = 0
    cells.text_sizes[:, number] = EMPTY
    cells.at[number] = NO_INSTANT
    cells.words[0, number] = kind
    for place in range(form.order.shape[1]):
        field = form.order[kind, place]
        if field < 0:
            break
        row = form.rows[field]
        if form.types[field] == WHOLE:
            cells.whole[row, number] = scratch.values[field]
        elif form.types[field] == AMOUNT:
            cells.amounts[row, number] = scratch.values[field]
        elif form.types[field] == WORD:
            cells.words[row, number] = scratch.values[field]
        elif written >> field & 1:
            if form.types[field] == INSTANT:
                cells.at[number] = scratch.values[field]
            else:
                cells.text_froms[row, number] = scratch.froms[field]
                cells.text_sizes[row, number] = scratch.tos[field] - scratch.froms[field]


@inlined
def _read_event(
    data: Bytes, at: int, end: int, form: Format, scratch: Scratch, cells: Cells, spelled: Spelled
) -> int:
    """Read the event at ``at`` as the next spelling; the place after it, or -1 where it is unusual."""
    values = scratch.values
    values[:] = EMPTY
    stop, written, nulls = _object(data, at, end, form, values, scratch.froms, scratch.tos)
    kind = values[E]
    if (
        stop < 0
        or kind < 0
        or written & ~form.allowed[kind]
        or nulls & ~form.nullable[kind]
        or form.required[kind] & ~written
    ):
        return -1
    for place in range(form.order.shape[1]):
        field = form.order[kind, place]
        if field < 0:
            break
        if not written >> field & 1:
            values[field] = form.default[kind, field]
        elif form.types[field] == WHOLE:
            if values[field] < form.low[kind, field] or values[field] > form.high[kind, field]:
                return -1
    tally = spelled.tally
    number, form_at = tally[SPELLINGS], tally[FORMS]
    notes = spelled.notes[number]
    if not note_needs(kind, written, values, scratch.froms, scratch.tos, notes):
        return -1
    form_stop = _put_event(
        spelled.canonical, form_at, data, kind, form, written, values, scratch.froms, scratch.tos
    )
    notes[FORM], notes[FORM_STOP] = form_at, form_stop
    _keep_event(cells, number, kind, written, form, scratch)
    tally[SPELLINGS], tally[FORMS] = number + 1, form_stop
    return stop


@inlined
def _event(
    data: Bytes,
    eights: Eights,
    at: int,
    end: int,
    form: Format,
    scratch: Scratch,
    cells: Cells,
    spelled: Spelled,
) -> tuple[int, int]:
    """The place after the event at ``at``, or -1 where it is unusual, and the number of its spelling."""
    tally, slots = spelled.tally, spelled.slots
    stop, slot = -1, -1
    if tally[_SOUGHT] < _TRIED or tally[_KNOWN] > tally[_SOUGHT] // _WORTH:
        stop, told = object_end(eights, at, end)
        size = stop - at
        if size >= LEAST_EVENT:
            tally[_SOUGHT] += 1
            slot = told & (SLOTS - 1)
            for probe in range(_PROBES + 1):
                number = slots[slot]
                if number < 0:
                    break
                if probe == _PROBES:
                    slot = -1
                    break
                notes = spelled.notes[number]
                if notes[SIZE] == size and same_text(eights, at, stop, spelled.eights, notes[TEXT]):
                    tally[_KNOWN] += 1
                    return stop, number
                slot = (slot + 1) & (SLOTS - 1)
    number = tally[SPELLINGS]
    read = _read_event(data, at, end, form, scratch, cells, spelled)
    # With a brace in a text the event ends elsewhere, and is not looked up.
    if slot >= 0 and read == stop and number < _MOST_SPELLINGS:
        slots[slot] = number
        spelled.notes[number, TEXT], spelled.notes[number, SIZE] = tally[_TEXTS], stop - at
        tally[_TEXTS] = copied(spelled.texts, spelled.eights, tally[_TEXTS], data, eights, at, stop)
    return read, number


@inlined
def events(
    data: Bytes,
    eights: Eights,
    at: int,
    end: int,
    form: Format,
    scratch: Scratch,
    cells: Cells,
    spelled: Spelled,
    places: Any,
    total: int,
) -> tuple[int, int]:
    """Read the list of events at ``at``: the place after it, or -1, and the events so far."""
    scratch.made[:] = 0
    if at >= end or data[at] != OPEN_LIST:
        return -1, total
    at = past_space(data, at + 1, end)
    if at < end and data[at] == CLOSE_LIST:
        return at + 1, total
    while at < end:
        at, number = _event(data, eights, at, end, form, scratch, cells, spelled)
        if at < 0:
            return -1, total
        notes = spelled.notes[number]
        if not follows(data, notes, scratch.made, scratch.wager_froms, scratch.wager_tos, scratch.hands):
            return -1, total
        places[total] = number
        spelled.tally[WRITTEN] += notes[FORM_STOP] - notes[FORM] + 1
        total += 1
        at = past_space(data, at, end)
        if at < end and data[at] == CLOSE_LIST:
            return at + 1, total
        if at >= end or data[at] != COMMA:
            return -1, total
        at = past_space(data, at + 1, end)
    return -1, total
