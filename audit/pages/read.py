"""The row groups of a Parquet file, by `audit.pages.runs` where it can and by Arrow where not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

LEAST_ROWS: Final = 10_000
"""Rows of the smallest group that is read by page: for fewer it is not worth loading numba."""

_DATA, _LIST = 0, 2
"""Kinds of page."""
_PLAIN, _RUNS = 0, 3
_PLACES = (2, 8)
"""Encodings: values one after another, runs, and places in a list by its old and its new number."""
_MOST_PAGES: Final = 4096
_SHORT: Final = 64
_STORED: Mapping[str, np.dtype[Any]] = {"INT32": np.dtype(np.int32), "INT64": np.dtype(np.int64)}
_TEXT = pa.dictionary(pa.int32(), pa.string())


class Groups:
    """The row groups of a file of plain columns, one table each.

    Columns of text come as dictionaries, those of ``texts`` alone where Arrow has to read them, as it does
    groups of fewer than ``least`` rows.
    """

    def __init__(self, path: Path, texts: Sequence[str], least: int = LEAST_ROWS) -> None:
        self._file = pq.ParquetFile(path, read_dictionary=texts)
        self._source = pa.OSFile(str(path))
        self._least = least
        self._is_flat = all(
            self._file.schema.column(place).max_repetition_level == 0
            and self._file.schema.column(place).max_definition_level <= 1
            for place in range(len(self._file.schema))
        )
        self.schema = pa.schema(
            [each.with_type(_TEXT) if each.type == pa.string() else each for each in self._file.schema_arrow]
        )
        self.count = self._file.num_row_groups

    def read(self, group: int) -> pa.Table:
        """A row group, one chunk a column."""
        columns = self._columns(group) if self._is_flat else None
        if columns is None:
            return self._file.read_row_group(group, use_threads=False)
        return pa.table(columns, schema=self.schema)

    def close(self) -> None:
        """Close the file."""
        self._source.close()
        self._file.close()

    def _columns(self, group: int) -> list[pa.Array] | None:
        """The columns of a group; None where one of them is stored in another way."""
        stored = self._file.metadata.row_group(group)
        if stored.num_rows < self._least:
            return None
        columns = []
        for place, field in enumerate(self._file.schema_arrow):
            optional = self._file.schema.column(place).max_definition_level > 0
            column = self._column(stored.column(place), stored.num_rows, field.type, optional)
            if column is None:
                return None
            columns.append(column)
        return columns

    def _column(self, stored: Any, rows: int, kind: pa.DataType, optional: bool) -> pa.Array | None:
        start = stored.dictionary_page_offset
        if start is None or stored.compression not in ("ZSTD", "UNCOMPRESSED"):
            return None
        from audit.pages.runs import BEYOND, PAGE, find_pages, read_places

        chunk = np.frombuffer(self._source.read_at(stored.total_compressed_size, start), np.uint8)
        pages = np.zeros(min(_MOST_PAGES, len(chunk)), PAGE)
        found: list[_Page] = pages[: max(find_pages(chunk, pages.view(np.recarray)), 0)].tolist()
        if len(found) < 2 or not _is_list(*found[0]) or not all(_is_of_places(*each) for each in found[1:]):
            return None
        first, *others = (_content(chunk, each, stored.compression) for each in found)
        listed = _listed(first, found[0][3], stored.physical_type, kind)
        if listed is None:
            return None
        dense, places = (np.empty(rows + BEYOND, np.int32) for _ in range(2))
        known = np.empty(rows + BEYOND, np.uint8)
        starts = np.array([0, *accumulate(map(len, others))])
        counts = np.array([values for *_, values, _, _, _ in found[1:]])
        data = np.frombuffer(b"".join((*others, bytes(BEYOND))), np.uint8)
        held = read_places(data, starts, counts, optional, len(listed), dense, places, known)
        if held < 0:
            return None
        if held == 0:
            return pa.nulls(rows, _TEXT if isinstance(listed, pa.Array) else kind)
        bits = None if held == rows else pa.py_buffer(np.packbits(known[:rows], bitorder="little"))
        return _array(listed, places[:rows], bits, kind)


_Page: TypeAlias = tuple[int, int, int, int, int, int, int]
"""The fields of `runs.PAGE`."""


def _is_list(kind: int, _whole: int, _packed: int, _values: int, encoding: int, *_: int) -> bool:
    return kind == _LIST and encoding in (_PLAIN, *_PLACES)


def _is_of_places(
    kind: int, _whole: int, _packed: int, _values: int, encoding: int, levels: int, _start: int
) -> bool:
    return kind == _DATA and encoding in _PLACES and levels == _RUNS


def _content(chunk: npt.NDArray[np.uint8], page: _Page, compression: str) -> bytes:
    _, whole, packed, _, _, _, start = page
    stored = chunk[start : start + packed].tobytes()
    return stored if compression == "UNCOMPRESSED" else _unpacked(stored, whole)


def _unpacked(packed: bytes, size: int) -> bytes:
    # Pages of a column without a value are all the same, and many.
    return (_unpacked_often if len(packed) < _SHORT else _unpacked_once)(packed, size)


def _unpacked_once(packed: bytes, size: int) -> bytes:
    found: bytes = _zstd().decompress(packed, decompressed_size=size, asbytes=True)
    return found


_unpacked_often = lru_cache(maxsize=64)(_unpacked_once)


@cache
def _zstd() -> pa.Codec:
    return pa.Codec("zstd")


def _listed(content: bytes, count: int, stored: str, kind: pa.DataType) -> pa.Array | npt.NDArray[Any] | None:
    """The values of a list: texts as an Arrow array, numbers as they lie in one of their kind."""
    if stored == "BYTE_ARRAY" and kind in (pa.string(), _TEXT):
        if not 0 <= count <= len(content) // 4:
            return None
        from audit.pages.runs import read_texts

        offsets, letters = np.empty(count + 1, np.int32), np.empty(len(content), np.uint8)
        if not read_texts(np.frombuffer(content, np.uint8), offsets, letters):
            return None
        return pa.StringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(letters))
    if stored not in _STORED or count * _STORED[stored].itemsize != len(content):
        return None
    numbers = np.frombuffer(content, _STORED[stored])
    if pa.types.is_decimal128(kind):
        halves = np.stack([numbers, -(numbers < 0).astype(np.int64)], axis=1, dtype=np.int64)
        # Of sixteen bytes each, which are copied and never looked at.
        return halves.view(np.complex128)[:, 0]
    if pa.types.is_timestamp(kind) and stored == "INT64":
        return numbers
    return numbers.astype(kind.to_pandas_dtype()) if pa.types.is_signed_integer(kind) else None


def _array(
    listed: pa.Array | npt.NDArray[Any],
    places: npt.NDArray[np.int32],
    bits: pa.Buffer | None,
    kind: pa.DataType,
) -> pa.Array:
    if isinstance(listed, pa.Array):
        return pa.DictionaryArray.from_buffers(_TEXT, len(places), [bits, pa.py_buffer(places)], listed)
    from audit.pages.runs import look_up

    values = np.empty(len(places), listed.dtype)
    look_up(listed, places, values)
    return pa.Array.from_buffers(kind, len(places), [bits, pa.py_buffer(values)])
