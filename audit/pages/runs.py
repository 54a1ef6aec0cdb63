"""The pages of a Parquet column chunk, compiled: their headers, runs of places, and lists of texts.

They are read as the format has them (https://parquet.apache.org/docs/file-format/). Nothing is read beyond
the bytes given nor written beyond the rows asked for, whatever the bytes are: a function that cannot make
sense of them says so.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rules_replay.kernel.compiled import compiled, entry, inlined

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.int64]

PAGE: Final = np.dtype(
    [
        ("kind", np.int64),
        ("whole", np.int64),
        ("packed", np.int64),
        ("values", np.int64),
        ("encoding", np.int64),
        ("levels", np.int64),
        ("start", np.int64),
    ]
)
"""A page: its kind, the size of its content unpacked and as stored, its values and how they are encoded, how
their levels are, and where its content starts."""

BEYOND: Final = 8
"""Bytes that have to follow those that are read, whatever they are."""

_WIDEST: Final = 24
_DEEPEST: Final = 4


@entry
def find_pages(chunk: Bytes, pages: Any) -> int:
    """Fill in the pages of a column chunk; returns how many there are, -1 where they are not understood."""
    at = 0
    count = 0
    while at < len(chunk):
        if count == len(pages):
            return -1
        page = pages[count]
        at = _read_header(chunk, at, page)
        if at < 0 or page.whole < 0 or page.packed < 0 or page.packed > len(chunk) - at:
            return -1
        page.start = at
        at += page.packed
        count += 1
    return count


@compiled
def _read_header(chunk: Bytes, at: int, page: Any) -> int:
    """Read the header of a page, Thrift's compact form; returns the place after it, or -1."""
    page.kind = -1
    page.whole = -1
    page.packed = -1
    page.values = -1
    page.encoding = -1
    page.levels = -1
    # The number of the field read last and of the structure it is in, packed into one number by depth.
    fields = 0
    depth = 0
    while True:
        if at >= len(chunk):
            return -1
        head = int(chunk[at])
        at += 1
        if head == 0:
            if depth == 0:
                return at
            depth -= 1
            fields >>= 16
            continue
        if head >> 4 == 0:
            return -1
        field = (fields & 0xFFFF) + (head >> 4)
        fields = (fields & ~0xFFFF) | field
        kind = head & 15
        if kind == 12:
            depth += 1
            if depth == _DEEPEST:
                return -1
            fields <<= 16
        elif kind == 8:
            size, at = _varint(chunk, at)
            if at < 0 or size > len(chunk) - at:
                return -1
            at += size
        elif kind in (4, 5, 6):
            number, at = _varint(chunk, at)
            if at < 0:
                return -1
            _note(page, depth, (fields >> 16) & 0xFFFF, field, (number >> 1) ^ -(number & 1))
        elif kind not in (1, 2):
            return -1


@compiled
def _note(page: Any, depth: int, within: int, field: int, number: int) -> None:
    """Keep a number of the header, of which those of a page of data are in field 5, of a list in field 7."""
    if depth == 0:
        if field == 1:
            page.kind = number
        elif field == 2:
            page.whole = number
        elif field == 3:
            page.packed = number
    elif depth == 1 and within in (5, 7):
        if field == 1:
            page.values = number
        elif field == 2:
            page.encoding = number
        elif field == 3 and within == 5:
            page.levels = number


@compiled
def _varint(data: Bytes, at: int) -> tuple[int, int]:
    """A number of up to four seven-bit bytes and one more, and the place after it, or -1."""
    number = 0
    shift = 0
    while at < len(data) and shift < 35:
        byte = int(data[at])
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
        shift += 7
    return 0, -1


@entry
def read_places(
    data: Bytes,
    starts: Numbers,
    counts: Numbers,
    optional: bool,
    size: int,
    dense: Places,
    places: Places,
    known: Bytes,
) -> int:
    """Read pages of places in a list of ``size`` values.

    Page after page starts at ``starts``, the last of which is the end of all, and has so many rows of
    ``counts``. ``places`` gets a place for each row, any where it holds nothing, and ``known`` whether it
    holds something; ``dense`` is work space. `BEYOND` bytes follow the pages, and as many places and flags
    the rows. Returns how many rows hold something, -1 where the pages are not understood.
    """
    row = 0
    held = 0
    for page in range(len(counts)):
        count = int(counts[page])
        at = int(starts[page])
        end = int(starts[page + 1])
        if count < 0 or count > len(places) - BEYOND - row:
            return -1
        here = count
        if optional:
            if end - at < 4:
                return -1
            levels = _four(data, at)
            at += 4
            if levels > end - at or not _read_levels(data, at, at + levels, known, row, count):
                return -1
            at += levels
            here = 0
            for each in range(row, row + count):
                here += int(known[each])
        else:
            for each in range(row, row + count):
                known[each] = 1
        if here > 0:
            if at >= end:
                return -1
            width = int(data[at])
            if width > _WIDEST or not _read_runs(data, at + 1, end, width, dense, here):
                return -1
            highest = 0
            for each in range(here):
                highest = max(highest, int(dense[each]))
            if highest >= size:
                return -1
        dense[here] = 0
        # A row that holds nothing takes the place of the next that does, which spares a branch.
        place = 0
        for each in range(row, row + count):
            places[each] = dense[place]
            place += int(known[each])
        row += count
        held += here
    return held if row == len(places) - BEYOND else -1


@inlined
def _four(data: Bytes, at: int) -> int:
    """A number of four bytes."""
    return int(data[at]) | int(data[at + 1]) << 8 | int(data[at + 2]) << 16 | int(data[at + 3]) << 24


@inlined
def _eight(data: Bytes, at: int) -> Any:
    """Eight bytes, as bits without a sign."""
    word = np.uint64(data[at]) | np.uint64(data[at + 1]) << np.uint64(8)
    word |= np.uint64(data[at + 2]) << np.uint64(16) | np.uint64(data[at + 3]) << np.uint64(24)
    word |= np.uint64(data[at + 4]) << np.uint64(32) | np.uint64(data[at + 5]) << np.uint64(40)
    word |= np.uint64(data[at + 6]) << np.uint64(48) | np.uint64(data[at + 7]) << np.uint64(56)
    return word


@compiled
def _read_levels(data: Bytes, at: int, end: int, known: Bytes, row: int, count: int) -> bool:
    """Read runs of single bits into so many of ``known``, from a row on, and a few more."""
    done = 0
    while done < count:
        run, at = _varint(data, at)
        if at < 0 or at >= end:
            return False
        groups = run >> 1
        first = row + done
        if run & 1:
            if groups > end - at:
                return False
            groups = min(groups, (count - done + 7) >> 3)
            for group in range(groups):
                byte = data[at + group]
                for bit in range(8):
                    known[first + 8 * group + bit] = byte >> bit & 1
            at += run >> 1
            done += 8 * groups
        else:
            level = data[at]
            if level > 1:
                return False
            groups = min(groups, count - done)
            for each in range(first, first + groups):
                known[each] = level
            at += 1
            done += groups
        if groups == 0:
            return False
    return True


@compiled
def _read_runs(data: Bytes, at: int, end: int, width: int, places: Places, count: int) -> bool:
    """Read so many places of so many bits each, and a few more."""
    mask = np.uint64((1 << width) - 1)
    done = 0
    while done < count:
        run, at = _varint(data, at)
        if at < 0 or at > end:
            return False
        groups = run >> 1
        if run & 1:
            if groups * width > end - at:
                return False
            groups = min(groups, (count - done + 7) >> 3)
            for group in range(groups):
                first = done + 8 * group
                if width <= 8:
                    word = _eight(data, at + group * width)
                    for each in range(8):
                        places[first + each] = word >> np.uint64(each * width) & mask
                else:
                    for each in range(8):
                        bit = each * width
                        word = _eight(data, at + group * width + (bit >> 3))
                        places[first + each] = word >> np.uint64(bit & 7) & mask
            at += (run >> 1) * width
            done += 8 * groups
        else:
            size = (width + 7) >> 3
            if size > end - at:
                return False
            place = 0
            for each in range(size):
                place |= int(data[at + each]) << (8 * each)
            groups = min(groups, count - done)
            for each in range(done, done + groups):
                places[each] = place
            at += size
            done += groups
        if groups == 0:
            return False
    return True


@entry
def read_texts(page: Bytes, offsets: Places, letters: Bytes) -> bool:
    """Read a list of texts, each with its length before it; tells whether it is understood.

    ``offsets`` gets the start of each and the end of all in ``letters``.
    """
    at = 0
    to = 0
    offsets[0] = 0
    for each in range(len(offsets) - 1):
        if len(page) - at < 4:
            return False
        size = _four(page, at)
        at += 4
        if size > len(page) - at or size > len(letters) - to:
            return False
        for letter in range(size):
            letters[to + letter] = page[at + letter]
        at += size
        to += size
        offsets[each + 1] = to
    return at == len(page)


@entry
def look_up(listed: Any, places: Places, values: Any) -> None:
    """Look up the value of each place in a list."""
    for each in range(len(places)):
        values[each] = listed[places[each]]
