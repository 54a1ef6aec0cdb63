"""Values as the bytes of a line hold them: found, read and written again by compiled code.

What is written plainly is read to the same value as by `audit.ingest.wire`; anything else is
said to be unusual, by a number that stands for nothing.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from audit.ingest.columns import EMPTY, NO_INSTANT
from audit.ingest.compiled import compiled, entry, inlined

Bytes: TypeAlias = npt.NDArray[np.uint8]
Numbers: TypeAlias = npt.NDArray[np.int64]
Eights: TypeAlias = npt.NDArray[np.uint64]
"""Bytes eight at a time: at each place the number that they make from there on."""

QUOTE, BACKSLASH, COMMA, COLON, DOT, ZERO, NINE = (ord(each) for each in '"\\,:.09')
OPEN, CLOSE, OPEN_LIST, CLOSE_LIST = (ord(each) for each in "{}[]")
MINUS, PLUS, T, Z = (ord(each) for each in "-+TZ")
_SECOND = 1_000_000

# --- many at once --------------------------------------------------------------------------


SPARE = 16
"""Of so many bytes there are enough eights for compiled code to be the same as for many."""


def eights_of(data: Bytes) -> Eights:
    """The same bytes, `SPARE` or more and not copied, eight at a time."""
    return np.ndarray((len(data) - 7,), np.uint64, data, 0, (1,))


_LOW, _HIGH, _BRACES, _QUOTES, _BACKSLASHES = (
    np.uint64(0x0101010101010101 * each) for each in (1, 0x80, CLOSE, QUOTE, BACKSLASH)
)
_WHICH = np.uint64(0x0001020304050607)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_ONE, _SEVEN, _HALF, _ALL_BUT_ONE = (np.uint64(each) for each in (1, 7, 32, 56))


@inlined
def _have(eight: Any, same: Any) -> Any:
    """Not 0 where one of eight bytes is the byte that ``same`` has eight times; the lowest bit says which."""
    other = eight ^ same
    return (other - _LOW) & ~other & _HIGH


@inlined
def object_end(eights: Eights, at: int, end: int) -> tuple[int, int]:
    """The place after the first closing brace, or -1, and a number that tells the bytes up to there.

    It differs, as good as always, where they do. Bytes beyond ``end`` may be looked at.
    """
    found = _FACTOR
    while at < len(eights):
        here = eights[at]
        braces = _have(here, _BRACES)
        if braces:
            first = braces & (~braces + _ONE)
            found = (found ^ (here & ((first << _ONE) - _ONE))) * _FACTOR
            stop = int(at + 1 + np.int64(((first >> _SEVEN) * _WHICH) >> _ALL_BUT_ONE))
            return stop if stop <= end else -1, int(np.int64((found ^ (found >> _HALF)) >> _ONE))
        found = (found ^ here) * _FACTOR
        found ^= found >> _HALF
        at += 8
    return -1, 0


@inlined
def same_text(eights: Eights, at: int, stop: int, other_eights: Eights, other: int) -> bool:
    """Whether eight bytes or more are the same in two places."""
    last = stop - 8
    while at < last:
        if eights[at] != other_eights[other]:
            return False
        at += 8
        other += 8
    return bool(eights[last] == other_eights[other + last - at])


@compiled
def put(out: Bytes, at: int, data: Any, start: int, stop: int) -> int:
    """Copy some bytes; like all of these it gives the place after what it wrote."""
    for place in range(start, stop):
        out[at] = data[place]
        at += 1
    return at


@inlined
def copied(out: Bytes, out_eights: Eights, at: int, data: Any, eights: Eights, start: int, stop: int) -> int:
    """`put`, eight bytes at a time."""
    last = stop - 8
    if start > last:
        return put(out, at, data, start, stop)
    while start < last:
        out_eights[at] = eights[start]
        at += 8
        start += 8
    # The last eight may begin among those before them.
    at += last - start
    out_eights[at] = eights[last]
    return at + 8


# --- read --------------------------------------------------------------------------------


@inlined
def past_space(data: Bytes, at: int, end: int) -> int:
    """The first place from ``at`` on that holds no white space."""
    while at < end and (data[at] == 32 or data[at] == 9 or data[at] == 13):
        at += 1
    return at


@inlined
def text_end(data: Bytes, at: int, end: int) -> int:
    """The place of the quotation mark that ends a text, or -1 where it holds an escape."""
    while at < end:
        if data[at] == QUOTE:
            return at
        if data[at] == BACKSLASH or data[at] < 32:
            return -1
        at += 1
    return -1


@inlined
def value_end(data: Bytes, eights: Eights, at: int, end: int) -> int:
    """The place after the value that begins at ``at``, or -1; whether it is one is not looked at."""
    depth = 0
    while at < end:
        here = data[at]
        if here == QUOTE:
            at += 1
            while at + 8 <= end and not (_have(eights[at], _QUOTES) or _have(eights[at], _BACKSLASHES)):
                at += 8
            while at < end and data[at] != QUOTE:
                at += 2 if data[at] == BACKSLASH else 1
            if at >= end:
                return -1
            if depth == 0:
                return at + 1
        elif here in (OPEN, OPEN_LIST):
            depth += 1
        elif here in (CLOSE, CLOSE_LIST):
            if depth == 0:
                return at
            depth -= 1
            if depth == 0:
                return at + 1
        elif depth == 0 and (here == COMMA or here == 32 or here == 9 or here == 13):
            return at
        at += 1
    return -1


@inlined
def is_null(data: Bytes, at: int, end: int) -> bool:
    """Whether the word ``null`` begins at a place."""
    return (
        at + 4 <= end
        and data[at] == 110
        and data[at + 1] == 117
        and data[at + 2] == 108
        and data[at + 3] == 108
    )


@inlined
def digits(data: Bytes, at: int, stop: int) -> int:
    """The number that some digits make, or -1 where there is anything else."""
    found = 0
    for place in range(at, stop):
        digit = int(data[place]) - ZERO
        if digit < 0 or digit > 9:
            return -1
        found = found * 10 + digit
    return found


@compiled
def amount(data: Bytes, at: int, stop: int) -> int:
    """An amount in thousandths, or -1 where the text is none."""
    dot = at
    while dot < stop and data[dot] != DOT:
        dot += 1
    if dot == at or dot - at > 12:
        return -1
    found = digits(data, at, dot)
    if dot == stop or found < 0:
        return found * 1000 if found >= 0 else -1
    places = stop - dot - 1
    part = digits(data, dot + 1, stop)
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
def instant(data: Bytes, at: int, stop: int) -> int:
    """An instant in microseconds of UTC since 1970, or `NO_INSTANT` for what is not written plainly."""
    if stop - at < 20 or data[at + 4] != MINUS or data[at + 7] != MINUS or data[at + 10] != T:
        return NO_INSTANT
    if data[at + 13] != COLON or data[at + 16] != COLON:
        return NO_INSTANT
    year, month, day = (
        digits(data, at, at + 4),
        digits(data, at + 5, at + 7),
        digits(data, at + 8, at + 10),
    )
    hour, minute = digits(data, at + 11, at + 13), digits(data, at + 14, at + 16)
    second = digits(data, at + 17, at + 19)
    if year < 3 or year > 9997 or month < 1 or month > 12 or day < 1 or day > _month_days(year, month):
        return NO_INSTANT
    if hour < 0 or hour > 23 or minute < 0 or minute > 59 or second < 0 or second > 59:
        return NO_INSTANT
    micros, place = 0, at + 19
    if data[place] == DOT:
        first = place + 1
        place = first
        while place < stop and data[place] >= ZERO and data[place] <= NINE:
            place += 1
        if place in (first, stop) or place - first > 6:
            return NO_INSTANT
        micros = digits(data, first, place)
        for _ in range(6 - (place - first)):
            micros *= 10
    offset = 0
    if data[place] == Z:
        if place + 1 != stop:
            return NO_INSTANT
    else:
        if place + 6 != stop or data[place + 3] != COLON:
            return NO_INSTANT
        hours, minutes = digits(data, place + 1, place + 3), digits(data, place + 4, place + 6)
        if hours < 0 or hours > 23 or minutes < 0 or minutes > 59:
            return NO_INSTANT
        offset = hours * 60 + minutes
        if data[place] == MINUS:
            offset = -offset
        elif data[place] != PLUS:
            return NO_INSTANT
    seconds = ((_days(year, month, day) * 24 + hour) * 60 + minute - offset) * 60 + second
    return seconds * _SECOND + micros


@compiled
def offset(data: Bytes, stop: int) -> int:
    """The offset from UTC, in minutes, of an instant that `instant` could read."""
    if data[stop - 1] == Z:
        return 0
    minutes = digits(data, stop - 5, stop - 3) * 60 + digits(data, stop - 2, stop)
    return -minutes if data[stop - 6] == MINUS else minutes


@compiled
def _same(data: Bytes, at: int, size: int, start: int, stop: int) -> bool:
    if stop - start != size:
        return False
    for place in range(size):  # noqa: SIM110 - numba compiles no generator here
        if data[at + place] != data[start + place]:
            return False
    return True


@entry
def listed(data: Bytes, froms: Numbers, tos: Numbers, codes: Numbers, firsts: Numbers, table: Numbers) -> int:
    """Number the different texts among some, and give how many there are.

    ``codes`` gets the number of each, `EMPTY` where one begins at -1; ``firsts`` which of the
    texts was the first of a number. ``table`` has room for more than all, its size a power of 2,
    and holds `EMPTY`.
    """
    count, last = 0, EMPTY
    for each in range(len(froms)):
        at, size = froms[each], tos[each] - froms[each]
        if at < 0:
            codes[each] = EMPTY
            continue
        # Most values are that of the line before.
        if last >= 0 and _same(data, at, size, froms[firsts[last]], tos[firsts[last]]):
            codes[each] = last
            continue
        hashed = np.uint64(14695981039346656037)
        for place in range(at, at + size):
            hashed = (hashed ^ np.uint64(data[place])) * np.uint64(1099511628211)
        slot = np.int64((hashed ^ (hashed >> np.uint64(29))) & np.uint64(len(table) - 1))
        while table[slot] >= 0:
            first = firsts[table[slot]]
            if _same(data, at, size, froms[first], tos[first]):
                break
            slot = (slot + 1) & (len(table) - 1)
        if table[slot] < 0:
            table[slot] = count
            firsts[count] = each
            count += 1
        last = table[slot]
        codes[each] = last
    return count


# --- written --------------------------------------------------------------------------


@compiled
def put_number(out: Bytes, at: int, number: int, least: int) -> int:
    """Write a number with at least so many digits."""
    size, rest = 1, number // 10
    while rest > 0:
        size, rest = size + 1, rest // 10
    size = max(size, least)
    for place in range(at + size - 1, at - 1, -1):
        out[place] = ZERO + number % 10
        number //= 10
    return at + size


@compiled
def put_amount(out: Bytes, at: int, thousandths: int) -> int:
    """Write an amount without trailing zeros."""
    at = put_number(out, at, thousandths // 1000, 1)
    part = thousandths % 1000
    if part:
        out[at] = DOT
        places = 3
        while part % 10 == 0:
            part //= 10
            places -= 1
        at = put_number(out, at + 1, part, places)
    return at


@compiled
def put_instant(out: Bytes, at: int, micros: int) -> int:
    """Write an instant given in microseconds since 1970, in UTC."""
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
    at = put_number(out, at, year, 4)
    out[at] = MINUS
    at = put_number(out, at + 1, month, 2)
    out[at] = MINUS
    at = put_number(out, at + 1, of_year - (153 * shifted + 2) // 5 + 1, 2)
    out[at] = T
    at = put_number(out, at + 1, of_day // 3600, 2)
    out[at] = COLON
    at = put_number(out, at + 1, of_day // 60 % 60, 2)
    out[at] = COLON
    at = put_number(out, at + 1, of_day % 60, 2)
    if part:
        out[at] = DOT
        at = put_number(out, at + 1, part, 6)
    out[at] = Z
    return at + 1


@compiled
def put_recorded(out: Bytes, at: int, data: Bytes, start: int, stop: int) -> int:
    """Write an instant that `instant` could read as Python writes it, in the offset recorded."""
    at = put(out, at, data, start, start + 19)
    place = start + 19
    if data[place] == DOT:
        place += 1
        first = place
        while data[place] >= ZERO and data[place] <= NINE:
            place += 1
        micros = digits(data, first, place)
        for _ in range(6 - (place - first)):
            micros *= 10
        if micros:
            out[at] = DOT
            at = put_number(out, at + 1, micros, 6)
    minutes = offset(data, stop)
    out[at] = MINUS if minutes < 0 else PLUS
    at = put_number(out, at + 1, abs(minutes) // 60, 2)
    out[at] = COLON
    return int(put_number(out, at + 1, abs(minutes) % 60, 2))
