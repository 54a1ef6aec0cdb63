"""Round logs read by compiled code, many lines at once, straight from their bytes into columns.

Events repeat from line to line, as a card dealt to a box does, so each spelling of one is read once
and known again by its bytes.

A line is scanned only in its usual form: no escape in any text, no key twice, in its ``events``
no field that the format does not give the kind, no settlement undone, and every reference is to
something earlier. `scan` says which lines are so; what any other line is, `wire` decides.
What is legal is read off the classes of `rules_replay.log`, into tables that the compiled
functions take: nothing here knows one kind of event from another but where it is written so.

Of a round itself only those fields are read here whose values hardly ever repeat; of the others
the place in the line is given, and which lines have the same bytes there.

The same pass writes every spelling of an event in canonical form, see `wire.content_digest`.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, get_args, get_type_hints

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.ingest.columns import (
    AMOUNT_COLUMNS,
    CELL_TYPES,
    EMPTY,
    KINDS,
    MODELS,
    NO_INSTANT,
    TEXT_COLUMNS,
    WHOLE_COLUMNS,
    WORDS,
    Events,
)
from audit.ingest.compiled import compiled, entry, inlined
from audit.ingest.lines import BATCH_BYTES
from audit.ingest.scan_values import (
    CLOSE,
    CLOSE_LIST,
    COLON,
    COMMA,
    NINE,
    OPEN,
    OPEN_LIST,
    QUOTE,
    SPARE,
    ZERO,
    Bytes,
    Eights,
    Numbers,
    amount,
    copied,
    digits,
    eights_of,
    instant,
    is_null,
    listed,
    object_end,
    offset,
    past_space,
    put,
    put_amount,
    put_instant,
    put_number,
    put_recorded,
    same_text,
    text_end,
    value_end,
)
from rules_replay.log import Round

# --- the format as tables ------------------------------------------------------------------

_NAME, _FREE, _WHOLE, _AMOUNT, _WORD, _INSTANT = range(6)

HEAD = tuple(name for name in Round.__struct_encode_fields__ if name != "events")
"""The fields of a round beside its events."""

_FIELDS = ("e", *dict.fromkeys(name for model in MODELS for name in model.__struct_encode_fields__))
"""Every field that an event may have. A field is the place of its name here."""

_E, _AT = _FIELDS.index("e"), _FIELDS.index("at")
_WORD_COLUMNS = tuple(WORDS)
_KEYS = len(_WORD_COLUMNS)
"""Which of the lists of words is that of the fields of events."""
_HEAD = _KEYS + 1
"""Which is that of the fields of a round, the events being the last."""
_LONGEST_NAME = 200
_LARGEST = int(np.iinfo(np.int64).max)
_HASHES = 256


def _column(name: str) -> str:
    return "wager" if name == "id" else name


def _type_of(name: str) -> tuple[int, int]:
    """What is written in a field, and the row of its column among those of its type."""
    column = _column(name)
    if column in WORDS:
        return _WORD, _WORD_COLUMNS.index(column)
    if column in AMOUNT_COLUMNS:
        return _AMOUNT, AMOUNT_COLUMNS.index(column)
    if column in WHOLE_COLUMNS:
        return _WHOLE, WHOLE_COLUMNS.index(column)
    if column == "at":
        return _INSTANT, 0
    return _FREE if column == "reason" else _NAME, TEXT_COLUMNS.index(column)


def _bounds(kind: Any) -> tuple[int, int]:
    """The least and the greatest of a whole number, out of its annotation."""
    for each in (kind, *get_args(kind)):
        for meta in getattr(each, "__metadata__", ()):
            if isinstance(meta, msgspec.Meta) and meta.ge is not None:
                return int(meta.ge), _LARGEST if meta.le is None else int(meta.le)
    return 0, _LARGEST


def _hash(word: bytes) -> int:
    """What `_code` looks a word up by: its size, its first and its last letter."""
    return (len(word) * 7 + word[0] * 31 + word[-1] * 17) & (_HASHES - 1)


class Lists(NamedTuple):
    """Lists of words with a hash table each: ``codes`` by hash, the words by code."""

    codes: Any
    words: Any
    sizes: Any


def _lists(lists: list[tuple[str, ...]]) -> Lists:
    longest = max(len(word) for words in lists for word in words)
    most = max(map(len, lists))
    found = Lists(
        codes=np.full((len(lists), _HASHES), EMPTY, np.int64),
        words=np.zeros((len(lists), most, longest), np.uint8),
        sizes=np.zeros((len(lists), most), np.int64),
    )
    for place, words in enumerate(lists):
        for code, word in enumerate(words):
            data = word.encode()
            found.words[place, code, : len(data)] = bytearray(data)
            found.sizes[place, code] = len(data)
            at = _hash(data)
            while found.codes[place, at] >= 0:
                at = (at + 1) % _HASHES
            found.codes[place, at] = code
    return found


class Format(NamedTuple):
    """The format as the arrays that `scan` takes.

    ``types`` and ``rows`` say of each field of an event what is written in it and which row of
    its type's columns it goes to. The others have a row for each kind of event: the least and
    greatest value by field, what an absent one stands for, bits of the fields allowed, required
    and allowed to be null, and the fields in canonical order. ``head_required`` has a bit for
    each field that a round must have.
    """

    lists: Lists
    types: Numbers
    rows: Numbers
    low: Any
    high: Any
    default: Any
    allowed: Numbers
    required: Numbers
    nullable: Numbers
    order: Any
    head_required: int


def _format() -> Format:
    kinds, fields = len(MODELS), len(_FIELDS)
    types = [_type_of(name) for name in _FIELDS]
    required = [each.encode_name for each in msgspec.structs.fields(Round) if each.required]
    found = Format(
        lists=_lists([*(WORDS[column] for column in _WORD_COLUMNS), _FIELDS, (*HEAD, "events")]),
        types=np.array([each[0] for each in types]),
        rows=np.array([each[1] for each in types]),
        low=np.zeros((kinds, fields), np.int64),
        high=np.full((kinds, fields), _LARGEST),
        default=np.full((kinds, fields), EMPTY),
        allowed=np.full(kinds, 1 << _E),
        required=np.full(kinds, 1 << _E),
        nullable=np.zeros(kinds, np.int64),
        order=np.full((kinds, fields), -1),
        head_required=sum(1 << (*HEAD, "events").index(name) for name in required),
    )
    for kind, model in enumerate(MODELS):
        _add(found, kind, model)
    return found


def _add(found: Format, kind: int, model: type[msgspec.Struct]) -> None:
    hints = get_type_hints(model, include_extras=True)
    for place, each in enumerate(msgspec.structs.fields(model)):
        field = _FIELDS.index(each.encode_name)
        found.order[kind, place] = field
        found.allowed[kind] |= 1 << field
        if found.types[field] == _WHOLE:
            found.low[kind, field], found.high[kind, field] = _bounds(hints[each.name])
        if each.required:
            found.required[kind] |= 1 << field
        elif each.default is None:
            found.nullable[kind] |= 1 << field
        else:
            words = WORDS.get(_column(each.encode_name))
            found.default[kind, field] = words.index(each.default) if words else each.default


FORMAT = _format()

# --- one event -----------------------------------------------------------------------------


@inlined
def _code(data: Bytes, at: int, stop: int, which: int, lists: Lists) -> int:
    """The code of a word in one of the lists, or -1."""
    size = stop - at
    if size < 1:
        return -1
    slot = (size * 7 + np.int64(data[at]) * 31 + np.int64(data[stop - 1]) * 17) & (_HASHES - 1)
    while lists.codes[which, slot] >= 0:
        code = lists.codes[which, slot]
        if lists.sizes[which, code] == size:
            same = True
            for place in range(size):
                if lists.words[which, code, place] != data[at + place]:
                    same = False
                    break
            if same:
                return int(code)
        slot = (slot + 1) % _HASHES
    return -1


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
        field = _code(data, at + 1, stop, _KEYS, form.lists)
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
        elif kind == _WHOLE:
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
            if kind == _WORD:
                values[field] = _code(data, at, stop, form.rows[field], form.lists)
                if values[field] < 0:
                    return -1, 0, 0
            elif kind == _AMOUNT:
                values[field] = amount(data, at, stop)
                if values[field] < 0:
                    return -1, 0, 0
            elif kind == _INSTANT:
                values[field] = instant(data, at, stop)
                if values[field] == NO_INSTANT:
                    return -1, 0, 0
            elif kind == _NAME and (stop == at or stop - at > _LONGEST_NAME):
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
        field = _E if place < 0 else form.order[kind, place]
        if field < 0:
            break
        if not written >> field & 1:
            continue
        as_number = form.types[field] == _WHOLE or form.types[field] == _WORD
        if as_number and field != _E and values[field] == form.default[kind, field]:
            continue
        if field != _E:
            out[at] = COMMA
            at += 1
        out[at] = QUOTE
        at += 1
        for each in range(form.lists.sizes[_KEYS, field]):
            out[at] = form.lists.words[_KEYS, field, each]
            at += 1
        out[at], out[at + 1] = QUOTE, COLON
        at += 2
        if form.types[field] == _WHOLE:
            at = put_number(out, at, values[field], 1)
            continue
        out[at] = QUOTE
        at += 1
        if form.types[field] == _AMOUNT:
            at = put_amount(out, at, values[field])
        elif form.types[field] == _INSTANT:
            at = put_instant(out, at, values[field])
        else:
            at = put(out, at, data, froms[field], tos[field])
        out[at] = QUOTE
        at += 1
    out[at] = CLOSE
    return at + 1


# --- what an event may refer to --------------------------------------------------------------

_MOST_WAGERS, _MOST_HANDS = 512, 128
"""More of them in one round than this is unusual."""

_COUNT_WAGERS, _COUNT_HANDS, _BOXES = range(3)
"""What is kept of what the events made: how many wagers and hands, and a bit for each box with a hand 1."""
_LAST_BOX = 62
"""A box beyond it is unusual."""

_WAGER, _DEAL, _BURN, _VOID, _IRREGULARITY, _SETTLE, _SPLIT = (
    KINDS[each] for each in ("wager", "deal", "burn", "void", "irregularity", "settle", "split")
)
_NO_HAND = tuple(
    KINDS[each] for each in ("no_more_bets", "cut_card", "forfeit", "withdraw", "settle", "press")
)
_ID, _WAGER_FIELD, _ON, _BOX, _HAND, _TO, _KIND, _FROM, _SCOPE, _LINE, _RESULT, _PAID, _TAKEN, _REVERSES = (
    _FIELDS.index(each)
    for each in (
        "id", "wager", "on", "box", "hand", "to", "kind", "from", "scope", "line", "result", "paid", "taken",
        "reverses",
    )
)  # fmt: skip
_ON_SOMETHING = tuple(WORDS["kind"].index(each) for each in ("split", "double", "insurance"))
_FROM_HAND = WORDS["from"].index("hand")
_STAKE = WORDS["line"].index("stake")
_SCOPE_HAND, _SCOPE_WAGER = (WORDS["scope"].index(each) for each in ("hand", "wager"))


_ASKED, _WAGER_AT, _WAGER_STOP, _ON_AT, _ON_STOP, _ITS_HAND, _NEW_HAND = range(7)
_TEXT, _SIZE, _FORM, _FORM_STOP, _ITS_BOX, _NEW_BOX = range(7, 13)
"""What is noted of the spelling of an event: bits of what it asks of the events before it, where its
wager stands and the one that it is on, its hand and the one that it makes; where it is among the
spellings, its size, and where it is in canonical form; the bit of the box whose hand 1 it asks for, and
of the box whose hand 1 it makes."""
_NOTES = 16
"""Room for so many, which is what the processor reads at a time."""
_IS_PLACED, _REFERS, _IS_ON, _HAS_HAND, _SPLITS = (1 << bit for bit in range(5))


@inlined
def _has_wager(data: Bytes, start: int, stop: int, made: Numbers, froms: Numbers, tos: Numbers) -> bool:
    size = stop - start
    for each in range(made[_COUNT_WAGERS]):
        first = froms[each]
        if tos[each] - first == size:
            same = True
            for place in range(size):
                if data[first + place] != data[start + place]:
                    same = False
                    break
            if same:
                return True
    return False


@compiled
def _has_hand(hand: int, made: Numbers, hands: Numbers) -> bool:
    for each in range(made[_COUNT_HANDS]):  # noqa: SIM110 - numba compiles no generator here
        if hands[each] == hand:
            return True
    return False


@compiled
def _names_hand(kind: int, values: Numbers) -> bool:
    """Whether the hand of an event must have been made."""
    if kind in _NO_HAND:
        return False
    if kind == _BURN:
        return values[_FROM] == _FROM_HAND
    if kind == _VOID:
        return values[_SCOPE] == _SCOPE_HAND
    if kind == _IRREGULARITY:
        return values[_BOX] >= 0 and values[_HAND] >= 0
    return True


@compiled
def _makes_hand(kind: int) -> bool:
    """Whether an event makes hand 1 of its box: a wager placed there, a card dealt to it."""
    return kind in (_WAGER, _DEAL)


@inlined
def _note_needs(kind: int, written: int, values: Numbers, froms: Numbers, tos: Numbers, notes: Any) -> bool:
    """Note what an event needs of those before it; false where it is unusual after any.

    ``values`` has the defaults by now. Compare `audit.ingest.wire.check_round`.
    """
    if written >> _REVERSES & 1:
        return False
    asked = 0
    notes[_ITS_BOX], notes[_NEW_BOX] = 0, 0
    if written >> _WAGER_FIELD & 1:
        asked |= _REFERS
        notes[_WAGER_AT], notes[_WAGER_STOP] = froms[_WAGER_FIELD], tos[_WAGER_FIELD]
    if written >> _ON & 1:
        asked |= _IS_ON
        notes[_ON_AT], notes[_ON_STOP] = froms[_ON], tos[_ON]
    if _names_hand(kind, values):
        if values[_BOX] < 0 or values[_HAND] < 0:
            return False
        if values[_BOX] > _LAST_BOX:
            return False
        if values[_HAND] != 1:
            asked |= _HAS_HAND
            notes[_ITS_HAND] = values[_BOX] * 100 + values[_HAND]
        elif _makes_hand(kind):
            notes[_NEW_BOX] = 1 << values[_BOX]
        elif kind != _IRREGULARITY:
            notes[_ITS_BOX] = 1 << values[_BOX]
    if kind == _WAGER:
        if values[_KIND] in _ON_SOMETHING and not written >> _ON & 1:
            return False
        asked |= _IS_PLACED
        notes[_WAGER_AT], notes[_WAGER_STOP] = froms[_ID], tos[_ID]
    elif kind == _SPLIT:
        if values[_TO] == 1:
            return False
        asked |= _SPLITS
        notes[_NEW_HAND] = values[_BOX] * 100 + values[_TO]
    elif kind == _SETTLE:
        if not (written >> _RESULT & 1 and written >> _PAID & 1):
            return False
        if values[_LINE] == _STAKE and not written >> _TAKEN & 1:
            return False
    elif kind == _VOID and values[_SCOPE] == _SCOPE_WAGER and not written >> _WAGER_FIELD & 1:
        return False
    notes[_ASKED] = asked
    return True


@inlined
def _follows(
    data: Bytes, notes: Any, made: Numbers, wager_froms: Numbers, wager_tos: Numbers, hands: Numbers
) -> bool:
    """Whether an event can follow those before it; what it makes is added to what they made."""
    if notes[_ITS_BOX] & ~made[_BOXES]:
        return False
    made[_BOXES] |= notes[_NEW_BOX]
    asked = notes[_ASKED]
    if asked == 0:
        return True
    wager, wager_stop = notes[_WAGER_AT], notes[_WAGER_STOP]
    if asked & _REFERS and not _has_wager(data, wager, wager_stop, made, wager_froms, wager_tos):
        return False
    if asked & _IS_ON:
        if not _has_wager(data, notes[_ON_AT], notes[_ON_STOP], made, wager_froms, wager_tos):
            return False
    if asked & _HAS_HAND and not _has_hand(notes[_ITS_HAND], made, hands):
        return False
    if asked & _IS_PLACED:
        count = made[_COUNT_WAGERS]
        if count == _MOST_WAGERS or _has_wager(data, wager, wager_stop, made, wager_froms, wager_tos):
            return False
        wager_froms[count], wager_tos[count] = wager, wager_stop
        made[_COUNT_WAGERS] = count + 1
    elif asked & _SPLITS:
        count = made[_COUNT_HANDS]
        if count == _MOST_HANDS or _has_hand(notes[_NEW_HAND], made, hands):
            return False
        hands[count] = notes[_NEW_HAND]
        made[_COUNT_HANDS] = count + 1
    return True


# --- the events of a line ----------------------------------------------------------------------


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


_SPELLINGS, _SOUGHT, _KNOWN, _WRITTEN, _TEXTS, _FORMS = range(6)
"""What is counted: spellings, events that were looked up and those that were known, the bytes that
the events of all usual lines have in canonical form, with a comma each, and those of ``texts`` and
``canonical``."""

_SLOTS = 1 << 15
_MOST_SPELLINGS = _SLOTS // 2
"""No more than so many are known again."""

_TRIED, _WORTH = 4096, 4
"""After so many events no more are looked up, unless one in so many was known: each may have its instant."""
_PROBES = 16
"""So many slots are looked at for a spelling."""
_LEAST_EVENT = len('{"e":"void"}')
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


_FIELD, _START, _VALUE, _STOP = range(4)
"""What is kept of the first fields of a line, in their order: which it is, where it begins, how far from
there its value is, and where it ends. The next line mostly has the same bytes there."""
_FIELDS_BEFORE = len(HEAD)


def _scratch() -> Scratch:
    fields, wagers = len(_FIELDS), _MOST_WAGERS
    rooms = [np.empty(size, np.int64) for size in (*[fields] * 3, _BOXES + 1, wagers, wagers, _MOST_HANDS)]
    rooms.append(np.zeros((_FIELDS_BEFORE + 1, _STOP + 1), np.int64))
    return Scratch(*rooms)


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
        if form.types[field] == _WHOLE:
            cells.whole[row, number] = scratch.values[field]
        elif form.types[field] == _AMOUNT:
            cells.amounts[row, number] = scratch.values[field]
        elif form.types[field] == _WORD:
            cells.words[row, number] = scratch.values[field]
        elif written >> field & 1:
            if form.types[field] == _INSTANT:
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
    kind = values[_E]
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
        elif form.types[field] == _WHOLE:
            if values[field] < form.low[kind, field] or values[field] > form.high[kind, field]:
                return -1
    tally = spelled.tally
    number, form_at = tally[_SPELLINGS], tally[_FORMS]
    notes = spelled.notes[number]
    if not _note_needs(kind, written, values, scratch.froms, scratch.tos, notes):
        return -1
    form_stop = _put_event(
        spelled.canonical, form_at, data, kind, form, written, values, scratch.froms, scratch.tos
    )
    notes[_FORM], notes[_FORM_STOP] = form_at, form_stop
    _keep_event(cells, number, kind, written, form, scratch)
    tally[_SPELLINGS], tally[_FORMS] = number + 1, form_stop
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
        if size >= _LEAST_EVENT:
            tally[_SOUGHT] += 1
            slot = told & (_SLOTS - 1)
            for probe in range(_PROBES + 1):
                number = slots[slot]
                if number < 0:
                    break
                if probe == _PROBES:
                    slot = -1
                    break
                notes = spelled.notes[number]
                if notes[_SIZE] == size and same_text(eights, at, stop, spelled.eights, notes[_TEXT]):
                    tally[_KNOWN] += 1
                    return stop, number
                slot = (slot + 1) & (_SLOTS - 1)
    number = tally[_SPELLINGS]
    read = _read_event(data, at, end, form, scratch, cells, spelled)
    # With a brace in a text the event ends elsewhere, and is not looked up.
    if slot >= 0 and read == stop and number < _MOST_SPELLINGS:
        slots[slot] = number
        spelled.notes[number, _TEXT], spelled.notes[number, _SIZE] = tally[_TEXTS], stop - at
        tally[_TEXTS] = copied(spelled.texts, spelled.eights, tally[_TEXTS], data, eights, at, stop)
    return read, number


@inlined
def _events(
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
        if not _follows(data, notes, scratch.made, scratch.wager_froms, scratch.wager_tos, scratch.hands):
            return -1, total
        places[total] = number
        spelled.tally[_WRITTEN] += notes[_FORM_STOP] - notes[_FORM] + 1
        total += 1
        at = past_space(data, at, end)
        if at < end and data[at] == CLOSE_LIST:
            return at + 1, total
        if at >= end or data[at] != COMMA:
            return -1, total
        at = past_space(data, at + 1, end)
    return -1, total


# --- lines -----------------------------------------------------------------------------------

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
            field = _code(data, at + 1, stop, _HEAD, form.lists)
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
            stop, total = _events(data, eights, first, end, form, scratch, cells, spelled, places, total)
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
def _scan(
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
    total = 0
    for line in range(len(starts)):
        first, before = total, spelled.tally[_WRITTEN]
        good, total = _line(
            data, eights, starts[line], stops[line], form, scratch, cells, spelled, heads, line, places, total
        )
        if good:
            counts[line] = total - first
        else:
            counts[line] = -1
            total, spelled.tally[_WRITTEN] = first, before
    return total


@entry
def _canonical(
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
            first, stop = spelled.notes[number, _FORM], spelled.notes[number, _FORM_STOP]
            to = copied(out, out_eights, to, spelled.canonical, spelled_eights, first, stop)
            out[to] = COMMA
            to += 1
        if counts[place]:
            to -= 1
        out[to], out[to + 1] = CLOSE_LIST, CLOSE
        to += 2
        stops[place] = to


@entry
def _recorded(data: Bytes, heads: Heads, usual: Numbers, offsets: Any, out: Bytes) -> None:
    to = 0
    for place in range(len(usual)):
        line = usual[place]
        to = put_recorded(out, to, data, heads.froms[line, _STARTED_AT] + 1, heads.tos[line, _STARTED_AT] - 1)
        offsets[place + 1] = to


@entry
def _gathered(data: Bytes, froms: Numbers, tos: Numbers, offsets: Any, out: Bytes) -> None:
    to = 0
    for place in range(len(froms)):
        to = put(out, to, data, froms[place], tos[place])
        offsets[place + 1] = to


# --- from Python -------------------------------------------------------------------------------


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
        _recorded(self._data, self.heads, self.usual, offsets, out)
        return pa.StringArray.from_buffers(len(self.usual), pa.py_buffer(offsets), pa.py_buffer(out))

    def canonical(self, codes: Sequence[Numbers], pieces: Sequence[bytes]) -> tuple[Bytes, Numbers]:
        """The usual rounds in canonical form, one after another, and where each ends.

        ``codes`` has an array for each field of `HEAD`: which of the ``pieces`` stands for it in
        each line, -1 for none. That of an id, a number or an instant is what goes before it. The
        last piece goes before the events.
        """
        bounds = np.cumsum([0, *map(len, pieces)])
        longest = 64 + max(map(len, pieces), default=0)
        size = SPARE + int(self._spelled.tally[_WRITTEN]) + len(self.usual) * longest * (len(HEAD) + 1)
        out, stops = np.empty(size, np.uint8), np.empty(len(self.usual), np.int64)
        joined = np.frombuffer(b"".join([*pieces, bytes(SPARE)]), np.uint8)
        _canonical(
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
            self._make(self._size // _LEAST_EVENT + 1)
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
            slots=np.empty(_SLOTS, np.int32),
            notes=np.empty((events, _NOTES), np.int32),
            texts=texts,
            eights=eights_of(texts),
            canonical=np.empty(2 * self._size + SPARE, np.uint8),
            tally=np.empty(_FORMS + 1, np.int64),
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
    places = np.empty(len(data) // _LEAST_EVENT + 1, np.int64)
    total = _scan(
        found, eights_of(found), starts, stops, FORMAT, _scratch(), cells, spelled, heads, places, counts
    )
    usual = np.flatnonzero(counts >= 0)
    return Scanned(
        usual=usual,
        events=_columns(found, cells, int(spelled.tally[_SPELLINGS]), places[:total], counts[usual]),
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
    _gathered(data, froms, tos, offsets, out)
    return pa.StringArray.from_buffers(len(froms), pa.py_buffer(offsets), pa.py_buffer(out))
