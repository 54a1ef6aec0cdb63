"""The events of many lines read by compiled code, straight from their bytes into columns.

A line is scanned only in its usual form: its ``events`` hold no escape, no null, no field
that the format does not give the kind, no key twice, no settlement undone, and every reference
is to something earlier. `scan` says which lines are so; what any other line is, `wire` decides.
What is legal is read off the classes of `rules_replay.log`, into tables that the compiled
functions take: nothing here knows one kind of event from another but where it is written so.

The same pass writes the events of each line in canonical form, see `wire.content_digest`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, get_args, get_type_hints

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from audit.ingest.columns import (
    AMOUNT_COLUMNS,
    EMPTY,
    KINDS,
    MODELS,
    TEXT_COLUMNS,
    WHOLE_COLUMNS,
    WORDS,
    Events,
)
from rules_replay.kernel.compiled import compiled, entry
from rules_replay.log import INSTANT

Bytes: TypeAlias = npt.NDArray[np.uint8]
Numbers: TypeAlias = npt.NDArray[np.int64]

# --- the format as tables ------------------------------------------------------------------

_NAME, _FREE, _WHOLE, _AMOUNT, _WORD, _INSTANT = range(6)

_FIELDS = ("e", *dict.fromkeys(name for model in MODELS for name in model.__struct_encode_fields__))
"""Every field that an event may have. A field is the place of its name here."""

_E, _AT = _FIELDS.index("e"), _FIELDS.index("at")
_WORD_COLUMNS = tuple(WORDS)
_KEYS = len(_WORD_COLUMNS)
"""Which of the lists of words is that of the fields themselves."""
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


class _Lists:
    """Lists of words with a hash table each, as arrays: ``codes`` by hash, the words by code."""

    def __init__(self, lists: list[tuple[str, ...]]) -> None:
        longest = max(len(word) for words in lists for word in words)
        most = max(map(len, lists))
        self.codes = np.full((len(lists), _HASHES), EMPTY, np.int64)
        self.words = np.zeros((len(lists), most, longest), np.uint8)
        self.sizes = np.zeros((len(lists), most), np.int64)
        for place, words in enumerate(lists):
            for code, word in enumerate(words):
                data = word.encode()
                self.words[place, code, : len(data)] = bytearray(data)
                self.sizes[place, code] = len(data)
                at = _hash(data)
                while self.codes[place, at] >= 0:
                    at = (at + 1) % _HASHES
                self.codes[place, at] = code


class _Format:
    """The format of events as the arrays that `scan` takes."""

    def __init__(self) -> None:
        kinds, fields = len(MODELS), len(_FIELDS)
        types = [_type_of(name) for name in _FIELDS]
        self.types = np.array([each[0] for each in types])
        self.rows = np.array([each[1] for each in types])
        self.lists = _Lists([*(WORDS[column] for column in _WORD_COLUMNS), _FIELDS])
        self.low = np.zeros((kinds, fields), np.int64)
        self.high = np.full((kinds, fields), _LARGEST)
        self.default = np.full((kinds, fields), EMPTY)
        self.allowed = np.full(kinds, 1 << _E)
        self.required = np.full(kinds, 1 << _E)
        self.order = np.full((kinds, fields), -1)
        for kind, model in enumerate(MODELS):
            self._add(kind, model)

    def _add(self, kind: int, model: type[msgspec.Struct]) -> None:
        hints = get_type_hints(model, include_extras=True)
        for place, each in enumerate(msgspec.structs.fields(model)):
            field = _FIELDS.index(each.encode_name)
            self.order[kind, place] = field
            self.allowed[kind] |= 1 << field
            if self.types[field] == _WHOLE:
                self.low[kind, field], self.high[kind, field] = _bounds(hints[each.name])
            if each.required:
                self.required[kind] |= 1 << field
            elif each.default is not None:
                words = WORDS.get(_column(each.encode_name))
                self.default[kind, field] = words.index(each.default) if words else each.default


FORMAT = _Format()

# --- values --------------------------------------------------------------------------------

_QUOTE, _BACKSLASH, _COMMA, _COLON, _DOT, _ZERO, _NINE = (ord(each) for each in '"\\,:.09')
_OPEN, _CLOSE, _OPEN_LIST, _CLOSE_LIST = (ord(each) for each in "{}[]")
_MINUS, _PLUS, _T, _Z = (ord(each) for each in "-+TZ")
_NO_INSTANT = int(np.iinfo(np.int64).min)
_SECOND = 1_000_000


@compiled
def _past_space(data: Bytes, at: int, end: int) -> int:
    while at < end and (data[at] == 32 or data[at] == 9 or data[at] == 13):
        at += 1
    return at


@compiled
def _text_end(data: Bytes, at: int, end: int) -> int:
    """The place of the quotation mark that ends a text, or -1 where it holds an escape."""
    while at < end:
        if data[at] == _QUOTE:
            return at
        if data[at] == _BACKSLASH or data[at] < 32:
            return -1
        at += 1
    return -1


@compiled
def _code(data: Bytes, at: int, stop: int, which: int, codes: Any, words: Any, sizes: Any) -> int:
    """The code of a word in one of the lists, or -1."""
    size = stop - at
    if size < 1:
        return -1
    slot = (size * 7 + np.int64(data[at]) * 31 + np.int64(data[stop - 1]) * 17) & (_HASHES - 1)
    while codes[which, slot] >= 0:
        code = codes[which, slot]
        if sizes[which, code] == size:
            same = True
            for place in range(size):
                if words[which, code, place] != data[at + place]:
                    same = False
                    break
            if same:
                return code
        slot = (slot + 1) % _HASHES
    return -1


@compiled
def _digits(data: Bytes, at: int, stop: int) -> int:
    """The number that some digits make, or -1 where there is anything else."""
    found = 0
    for place in range(at, stop):
        digit = int(data[place]) - _ZERO
        if digit < 0 or digit > 9:
            return -1
        found = found * 10 + digit
    return found


@compiled
def _amount(data: Bytes, at: int, stop: int) -> int:
    """An amount in thousandths, or -1 where the text is none."""
    dot = at
    while dot < stop and data[dot] != _DOT:
        dot += 1
    if dot == at or dot - at > 12:
        return -1
    found = _digits(data, at, dot)
    if dot == stop or found < 0:
        return found * 1000 if found >= 0 else -1
    places = stop - dot - 1
    part = _digits(data, dot + 1, stop)
    if places < 1 or places > 3 or part < 0:
        return -1
    for _ in range(3 - places):
        part *= 10
    return found * 1000 + part


@compiled
def _days(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a date of the proleptic Gregorian calendar."""
    if month <= 2:
        year -= 1
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


@compiled
def _month_days(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


@compiled
def _instant(data: Bytes, at: int, stop: int) -> int:
    """An instant in microseconds of UTC since 1970, or `_NO_INSTANT` for what is not written plainly."""
    if stop - at < 20 or data[at + 4] != _MINUS or data[at + 7] != _MINUS or data[at + 10] != _T:
        return _NO_INSTANT
    if data[at + 13] != _COLON or data[at + 16] != _COLON:
        return _NO_INSTANT
    year, month, day = (
        _digits(data, at, at + 4),
        _digits(data, at + 5, at + 7),
        _digits(data, at + 8, at + 10),
    )
    hour, minute = _digits(data, at + 11, at + 13), _digits(data, at + 14, at + 16)
    second = _digits(data, at + 17, at + 19)
    if year < 3 or year > 9997 or month < 1 or month > 12 or day < 1 or day > _month_days(year, month):
        return _NO_INSTANT
    if hour < 0 or hour > 23 or minute < 0 or minute > 59 or second < 0 or second > 59:
        return _NO_INSTANT
    micros, place = 0, at + 19
    if data[place] == _DOT:
        first = place + 1
        place = first
        while place < stop and data[place] >= _ZERO and data[place] <= _NINE:
            place += 1
        if place in (first, stop) or place - first > 6:
            return _NO_INSTANT
        micros = _digits(data, first, place)
        for _ in range(6 - (place - first)):
            micros *= 10
    offset = 0
    if data[place] == _Z:
        if place + 1 != stop:
            return _NO_INSTANT
    else:
        if place + 6 != stop or data[place + 3] != _COLON:
            return _NO_INSTANT
        hours, minutes = _digits(data, place + 1, place + 3), _digits(data, place + 4, place + 6)
        if hours < 0 or hours > 23 or minutes < 0 or minutes > 59:
            return _NO_INSTANT
        offset = hours * 60 + minutes
        if data[place] == _MINUS:
            offset = -offset
        elif data[place] != _PLUS:
            return _NO_INSTANT
    seconds = ((_days(year, month, day) * 24 + hour) * 60 + minute - offset) * 60 + second
    return seconds * _SECOND + micros


# --- one event -----------------------------------------------------------------------------


@compiled
def _object(
    data: Bytes,
    at: int,
    end: int,
    types: Numbers,
    rows: Numbers,
    codes: Any,
    words: Any,
    sizes: Any,
    values: Numbers,
    froms: Numbers,
    tos: Numbers,
) -> tuple[int, int]:
    """Read the object that begins at ``at``: the place after it, and a bit for each field written.

    Fields go to ``values``; of a text, its place is put in ``froms`` and ``tos``. The place
    is -1 where anything is unusual.
    """
    written = 0
    if at >= end or data[at] != _OPEN:
        return -1, 0
    at = _past_space(data, at + 1, end)
    if at < end and data[at] == _CLOSE:
        return at + 1, 0
    while at < end:
        if data[at] != _QUOTE:
            return -1, 0
        stop = _text_end(data, at + 1, end)
        if stop < 0:
            return -1, 0
        field = _code(data, at + 1, stop, _KEYS, codes, words, sizes)
        if field < 0 or written >> field & 1:
            return -1, 0
        written |= 1 << field
        at = _past_space(data, stop + 1, end)
        if at >= end or data[at] != _COLON:
            return -1, 0
        at = _past_space(data, at + 1, end)
        kind = types[field]
        if kind == _WHOLE:
            stop = at
            while stop < end and data[stop] >= _ZERO and data[stop] <= _NINE:
                stop += 1
            size = stop - at
            if size < 1 or size > 18 or (size > 1 and data[at] == _ZERO):
                return -1, 0
            values[field] = _digits(data, at, stop)
            at = stop
        else:
            if at >= end or data[at] != _QUOTE:
                return -1, 0
            at += 1
            stop = _text_end(data, at, end)
            if stop < 0:
                return -1, 0
            froms[field], tos[field] = at, stop
            if kind == _WORD:
                values[field] = _code(data, at, stop, rows[field], codes, words, sizes)
                if values[field] < 0:
                    return -1, 0
            elif kind == _AMOUNT:
                values[field] = _amount(data, at, stop)
                if values[field] < 0:
                    return -1, 0
            elif kind == _INSTANT:
                values[field] = _instant(data, at, stop)
                if values[field] == _NO_INSTANT:
                    return -1, 0
            elif kind == _NAME and (stop == at or stop - at > _LONGEST_NAME):
                return -1, 0
            at = stop + 1
        at = _past_space(data, at, end)
        if at < end and data[at] == _CLOSE:
            return at + 1, written
        if at >= end or data[at] != _COMMA:
            return -1, 0
        at = _past_space(data, at + 1, end)
    return -1, 0


# --- canonical form --------------------------------------------------------------------------


@compiled
def _put(out: Bytes, at: int, data: Any, start: int, stop: int) -> int:
    for place in range(start, stop):
        out[at] = data[place]
        at += 1
    return at


@compiled
def _put_key(out: Bytes, at: int, words: Any, field: int, size: int) -> int:
    for place in range(size):
        out[at] = words[_KEYS, field, place]
        at += 1
    return at


@compiled
def _put_number(out: Bytes, at: int, number: int, least: int) -> int:
    """Write a number with at least so many digits."""
    size, rest = 1, number // 10
    while rest > 0:
        size, rest = size + 1, rest // 10
    size = max(size, least)
    for place in range(at + size - 1, at - 1, -1):
        out[place] = _ZERO + number % 10
        number //= 10
    return at + size


@compiled
def _put_amount(out: Bytes, at: int, thousandths: int) -> int:
    at = _put_number(out, at, thousandths // 1000, 1)
    part = thousandths % 1000
    if part:
        out[at] = _DOT
        places = 3
        while part % 10 == 0:
            part //= 10
            places -= 1
        at = _put_number(out, at + 1, part, places)
    return at


@compiled
def _put_instant(out: Bytes, at: int, micros: int) -> int:
    seconds, part = micros // _SECOND, micros % _SECOND
    days, of_day = seconds // 86400, seconds % 86400
    # The calendar of `_days` the other way: years that begin in March, in eras of 400.
    days += 719468
    era = days // 146097
    of_era = days - era * 146097
    year = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    year += era * 400
    if month <= 2:
        year += 1
    at = _put_number(out, at, year, 4)
    out[at] = _MINUS
    at = _put_number(out, at + 1, month, 2)
    out[at] = _MINUS
    at = _put_number(out, at + 1, of_year - (153 * shifted + 2) // 5 + 1, 2)
    out[at] = _T
    at = _put_number(out, at + 1, of_day // 3600, 2)
    out[at] = _COLON
    at = _put_number(out, at + 1, of_day // 60 % 60, 2)
    out[at] = _COLON
    at = _put_number(out, at + 1, of_day % 60, 2)
    if part:
        out[at] = _DOT
        at = _put_number(out, at + 1, part, 6)
    out[at] = _Z
    return at + 1


@compiled
def _put_event(
    out: Bytes,
    at: int,
    data: Bytes,
    kind: int,
    order: Any,
    types: Numbers,
    default: Any,
    words: Any,
    sizes: Any,
    written: int,
    values: Numbers,
    froms: Numbers,
    tos: Numbers,
) -> int:
    """Write one event in canonical form: its fields in the order of its class, defaults left out."""
    out[at] = _OPEN
    at += 1
    for place in range(-1, order.shape[1]):
        field = _E if place < 0 else order[kind, place]
        if field < 0:
            break
        if not written >> field & 1:
            continue
        as_number = types[field] == _WHOLE or types[field] == _WORD
        if as_number and field != _E and values[field] == default[kind, field]:
            continue
        if field != _E:
            out[at] = _COMMA
            at += 1
        out[at] = _QUOTE
        at = _put_key(out, at + 1, words, field, sizes[_KEYS, field])
        out[at], out[at + 1] = _QUOTE, _COLON
        at += 2
        if types[field] == _WHOLE:
            at = _put_number(out, at, values[field], 1)
            continue
        out[at] = _QUOTE
        at += 1
        if types[field] == _AMOUNT:
            at = _put_amount(out, at, values[field])
        elif types[field] == _INSTANT:
            at = _put_instant(out, at, values[field])
        else:
            at = _put(out, at, data, froms[field], tos[field])
        out[at] = _QUOTE
        at += 1
    out[at] = _CLOSE
    return at + 1


# --- what an event may refer to --------------------------------------------------------------

_MOST_WAGERS, _MOST_HANDS = 512, 128
"""More of them in one round than this is unusual."""

_COUNT_WAGERS, _COUNT_HANDS = 0, 1

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


@compiled
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
def _has_hand(box: int, hand: int, made: Numbers, hands: Numbers) -> bool:
    if hand == 1:
        return True
    for each in range(made[_COUNT_HANDS]):  # noqa: SIM110 - numba compiles no generator here
        if hands[each] == box * 100 + hand:
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
def _follows(
    data: Bytes,
    kind: int,
    written: int,
    values: Numbers,
    froms: Numbers,
    tos: Numbers,
    made: Numbers,
    wager_froms: Numbers,
    wager_tos: Numbers,
    hands: Numbers,
) -> bool:
    """Whether an event can follow those before it; what it makes is added to what they made.

    ``values`` has the defaults by now. Compare `audit.ingest.wire.check_round`.
    """
    if written >> _REVERSES & 1:
        return False
    for field in (_WAGER_FIELD, _ON):
        if written >> field & 1:
            if not _has_wager(data, froms[field], tos[field], made, wager_froms, wager_tos):
                return False
    if _names_hand(kind, values) and (
        values[_BOX] < 0 or not _has_hand(values[_BOX], values[_HAND], made, hands)
    ):
        return False
    if kind == _WAGER:
        if values[_KIND] in _ON_SOMETHING and not written >> _ON & 1:
            return False
        if _has_wager(data, froms[_ID], tos[_ID], made, wager_froms, wager_tos):
            return False
        count = made[_COUNT_WAGERS]
        if count == _MOST_WAGERS:
            return False
        wager_froms[count], wager_tos[count] = froms[_ID], tos[_ID]
        made[_COUNT_WAGERS] = count + 1
    elif kind == _SPLIT:
        count = made[_COUNT_HANDS]
        if count == _MOST_HANDS or _has_hand(values[_BOX], values[_TO], made, hands):
            return False
        hands[count] = values[_BOX] * 100 + values[_TO]
        made[_COUNT_HANDS] = count + 1
    elif kind == _SETTLE:
        if not (written >> _RESULT & 1 and written >> _PAID & 1):
            return False
        return values[_LINE] != _STAKE or written >> _TAKEN & 1 == 1
    elif kind == _VOID:
        return values[_SCOPE] != _SCOPE_WAGER or written >> _WAGER_FIELD & 1 == 1
    return True


# --- lines -----------------------------------------------------------------------------------


@compiled
def _events_at(data: Bytes, at: int, end: int) -> int:
    """The place of the list of events in the object of a line, or -1."""
    depth = 0
    while at < end:
        if data[at] == _QUOTE:
            stop = _text_end(data, at + 1, end)
            if stop < 0:
                return -1
            named = (
                depth == 1
                and stop - at == 7
                and data[at + 1] == 101  # e
                and data[at + 2] == 118  # v
                and data[at + 3] == 101  # e
                and data[at + 4] == 110  # n
                and data[at + 5] == 116  # t
                and data[at + 6] == 115  # s
            )
            at = _past_space(data, stop + 1, end)
            if named and at < end and data[at] == _COLON:
                at = _past_space(data, at + 1, end)
                return at if at < end and data[at] == _OPEN_LIST else -1
        else:
            if data[at] == _OPEN or data[at] == _OPEN_LIST:
                depth += 1
            elif data[at] == _CLOSE or data[at] == _CLOSE_LIST:
                depth -= 1
            at += 1
    return -1


@entry
def _scan(
    data: Bytes,
    starts: Numbers,
    stops: Numbers,
    types: Numbers,
    rows: Numbers,
    codes: Any,
    vocabulary: Any,
    sizes: Any,
    low: Any,
    high: Any,
    default: Any,
    allowed: Numbers,
    required: Numbers,
    order: Any,
    lists: Any,
    counts: Numbers,
    kinds: Any,
    whole: Any,
    amounts: Any,
    words: Any,
    text_froms: Any,
    text_sizes: Any,
    instants: Numbers,
    out: Bytes,
    ends: Numbers,
) -> int:
    fields = len(types)
    values, froms, tos = np.empty(fields, np.int64), np.empty(fields, np.int64), np.empty(fields, np.int64)
    wager_froms, wager_tos = np.empty(_MOST_WAGERS, np.int64), np.empty(_MOST_WAGERS, np.int64)
    hands, made = np.empty(_MOST_HANDS, np.int64), np.zeros(2, np.int64)
    total, put = 0, 0
    for line in range(len(starts)):
        end = stops[line]
        first, put_first = total, put
        made[:] = 0
        at = _events_at(data, starts[line], end)
        lists[line, 0] = at
        good = at >= 0
        if good:
            at = _past_space(data, at + 1, end)
            more = at < end and data[at] != _CLOSE_LIST
            while more:
                values[:] = EMPTY
                at, written = _object(
                    data, at, end, types, rows, codes, vocabulary, sizes, values, froms, tos
                )
                kind = values[_E]
                if at < 0 or kind < 0 or written & ~allowed[kind] or required[kind] & ~written:
                    good = False
                    break
                for place in range(fields):
                    field = order[kind, place]
                    if field < 0:
                        break
                    if not written >> field & 1:
                        values[field] = default[kind, field]
                    elif types[field] == _WHOLE:
                        if values[field] < low[kind, field] or values[field] > high[kind, field]:
                            good = False
                if not good or not _follows(
                    data, kind, written, values, froms, tos, made, wager_froms, wager_tos, hands
                ):
                    good = False
                    break
                if total > first:
                    out[put] = _COMMA
                    put += 1
                put = _put_event(
                    out,
                    put,
                    data,
                    kind,
                    order,
                    types,
                    default,
                    vocabulary,
                    sizes,
                    written,
                    values,
                    froms,
                    tos,
                )
                kinds[total] = kind
                for place in range(fields):
                    field = order[kind, place]
                    if field < 0:
                        break
                    row = rows[field]
                    if types[field] == _WHOLE:
                        whole[row, total] = values[field]
                    elif types[field] == _AMOUNT:
                        amounts[row, total] = values[field]
                    elif types[field] == _WORD:
                        words[row, total] = values[field]
                    elif not written >> field & 1:
                        continue
                    elif types[field] == _INSTANT:
                        instants[total] = values[field]
                    else:
                        text_froms[row, total] = froms[field]
                        text_sizes[row, total] = tos[field] - froms[field]
                total += 1
                at = _past_space(data, at, end)
                more = at < end and data[at] == _COMMA
                if more:
                    at = _past_space(data, at + 1, end)
            good = good and at < end and data[at] == _CLOSE_LIST
        if good:
            lists[line, 1] = at + 1
            counts[line] = total - first
        else:
            lists[line, :] = -1
            counts[line] = -1
            for place in range(first, total):
                whole[:, place] = EMPTY
                amounts[:, place] = EMPTY
                words[:, place] = EMPTY
                text_sizes[:, place] = EMPTY
                instants[place] = _NO_INSTANT
            total, put = first, put_first
        ends[line] = put
    return total


@entry
def _copied(data: Bytes, froms: Numbers, sizes: Numbers, offsets: Any, out: Bytes) -> None:
    """Put texts one after another, as Arrow keeps them."""
    put = 0
    for place in range(len(sizes)):
        for at in range(froms[place], froms[place] + max(sizes[place], 0)):
            out[put] = data[at]
            put += 1
        offsets[place + 1] = put


@dataclass(frozen=True, slots=True)
class Scanned:
    """What was scanned of some lines.

    ``lists`` is from where to where the list of events goes in the bytes, -1 for a line that is
    not usual; ``canonical`` are the events of each usual line in canonical form, without the
    brackets of their list. ``events`` are those of all usual lines.
    """

    lists: list[tuple[int, int]]
    canonical: list[bytes]
    events: Events


def scan(data: bytes, starts: Numbers, stops: Numbers) -> Scanned:
    """Scan the lines of some bytes, by where each starts and stops."""
    size = data.count(b'"e"')
    found = np.frombuffer(data, np.uint8)
    lists = np.empty((len(starts), 2), np.int64)
    counts, ends = np.empty(len(starts), np.int64), np.empty(len(starts), np.int64)
    kinds = np.empty(size, np.int8)
    whole = np.empty((len(WHOLE_COLUMNS), size), np.int64)
    amounts = np.empty((len(AMOUNT_COLUMNS), size), np.int64)
    words = np.empty((len(WORDS), size), np.int8)
    for each in (whole, amounts, words):
        each.fill(EMPTY)
    text_froms = np.zeros((len(TEXT_COLUMNS), size), np.int64)
    text_sizes = np.full((len(TEXT_COLUMNS), size), EMPTY)
    instants = np.full(size, _NO_INSTANT)
    out = np.empty(2 * len(data) + 16, np.uint8)
    total = _scan(
        found, starts, stops, FORMAT.types, FORMAT.rows,
        FORMAT.lists.codes, FORMAT.lists.words, FORMAT.lists.sizes,
        FORMAT.low, FORMAT.high, FORMAT.default, FORMAT.allowed, FORMAT.required, FORMAT.order,
        lists, counts, kinds, whole, amounts, words, text_froms, text_sizes, instants, out, ends,
    )  # fmt: skip
    usual = counts >= 0
    texts = {
        column: _texts(found, text_froms[row, :total], text_sizes[row, :total])
        for row, column in enumerate(TEXT_COLUMNS)
    }
    written = out[: ends[-1] if len(ends) else 0].tobytes()
    begins = np.concatenate([[0], ends[:-1]])
    spans = zip(begins[usual].tolist(), ends[usual].tolist(), strict=True)
    at = pa.array(instants[:total], pa.int64(), mask=instants[:total] == _NO_INSTANT)
    events = Events(
        counts=counts[usual],
        kinds=kinds[:total],
        whole={column: whole[row, :total] for row, column in enumerate(WHOLE_COLUMNS)},
        amounts={column: amounts[row, :total] for row, column in enumerate(AMOUNT_COLUMNS)},
        words={column: words[row, :total] for row, column in enumerate(WORDS) if column != "e"},
        texts=texts,
        at=at.view(INSTANT),
    )
    return Scanned(
        lists=[(first, last) for first, last in lists.tolist()],
        canonical=[written[start:stop] for start, stop in spans],
        events=events,
    )


def _texts(data: Bytes, froms: Numbers, sizes: Numbers) -> pa.Array:
    """The texts at some places of the bytes; null where the size is `EMPTY`."""
    offsets = np.zeros(len(sizes) + 1, np.int32)
    out = np.empty(int(np.maximum(sizes, 0).sum()), np.uint8)
    _copied(data, froms, sizes, offsets, out)
    there = pa.array(sizes != EMPTY).buffers()[1]
    return pa.StringArray.from_buffers(len(sizes), pa.py_buffer(offsets), pa.py_buffer(out), there)
