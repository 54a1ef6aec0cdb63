"""Hands and settlements as they are written: texts that repeat as places in a list, amounts in 64 bits.

They take a fraction of the time to make and to write, and are read as `rules_replay.log.HANDS`
and `SETTLEMENTS` all the same.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from rules_replay.log import HANDS, MONEY, SETTLEMENTS

_AMOUNT: Final = pa.decimal64(18, 3)
_PLACE: Final = pa.dictionary(pa.int32(), pa.string())
_FIRST_ROWS: Final = 4096
_UNSEEN: Final = -1


def _narrowed(schema: pa.Schema, *many: str) -> pa.Schema:
    """A schema with lists for the texts of all columns but those of ``many`` different texts."""
    kinds = {MONEY: _AMOUNT, pa.string(): _PLACE}
    return pa.schema(
        [each if each.name in many else each.with_type(kinds.get(each.type, each.type)) for each in schema]
    )


NARROW_HANDS: Final = _narrowed(HANDS, "cards")
NARROW_SETTLEMENTS: Final = _narrowed(SETTLEMENTS, "reason")


def narrow(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Rows in one piece under a narrow schema, whether or not they are under it already.

    The texts of a list stand in the order in which they first occur, so that the same rows are
    the same table however they were made.
    """
    return pa.table([_column(rows[each.name], each.type) for each in schema], schema=schema)


def _column(column: pa.ChunkedArray, kind: pa.DataType) -> pa.Array:
    if kind != _PLACE:
        return column.cast(kind).combine_chunks()
    if column.type != _PLACE:
        return column.dictionary_encode().combine_chunks()
    return _in_order(column.unify_dictionaries().combine_chunks())


def _in_order(column: pa.DictionaryArray) -> pa.DictionaryArray:
    """The same texts, their list in the order in which they first occur, without those that do not."""
    texts = len(column.dictionary)
    places = column.indices.fill_null(texts).to_numpy()
    absent = places == texts if column.null_count else None
    # The first rows have most texts, and often all.
    order = _first_places(places[:_FIRST_ROWS], texts)
    new = np.full(texts + 1, _UNSEEN, np.int32)
    new[order] = np.arange(len(order))
    new[texts] = 0
    ordered = new.take(places)
    unseen = np.flatnonzero(ordered == _UNSEEN)
    if len(unseen):
        later = _first_places(places[unseen], texts)
        new[later] = np.arange(len(order), len(order) + len(later))
        ordered[unseen] = new.take(places[unseen])
        order = np.concatenate([order, later])
    return pa.DictionaryArray.from_arrays(
        pa.array(ordered, mask=absent), column.dictionary.take(pa.array(order))
    )


def _first_places(places: npt.NDArray[np.int32], texts: int) -> npt.NDArray[np.int64]:
    """The places below a number in the order in which they first occur."""
    size = len(places)
    first = np.full(texts + 1, size)
    # Of a place that is written several times the last stays, which from behind is the first.
    first[places[::-1]] = np.arange(size - 1, -1, -1)
    occurring = np.flatnonzero(first[:texts] < size)
    found: npt.NDArray[np.int64] = occurring[np.argsort(first[occurring])]
    return found
