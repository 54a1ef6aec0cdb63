"""Hands and settlements as they are written: texts that repeat as places in a list, amounts in 64 bits.

They take a fraction of the time to make and to write, and are read as `rules_replay.log.HANDS`
and `SETTLEMENTS` all the same.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from rules_replay.log import HANDS, MONEY, SETTLEMENTS

_AMOUNT: Final = pa.decimal64(18, 3)
_PLACE: Final = pa.dictionary(pa.int32(), pa.string())
_ABSENT: Final = -1


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
    # It loads numba, which has made such a column; rows of the readable engine do without.
    from rules_replay.kernel.lists import in_order

    places = column.indices.fill_null(_ABSENT).to_numpy()
    ordered, order = in_order(places, len(column.dictionary))
    if len(order) == len(column.dictionary) and (order[1:] > order[:-1]).all():
        return column
    absent = places == _ABSENT if column.null_count else None
    return pa.DictionaryArray.from_arrays(
        pa.array(ordered, mask=absent), column.dictionary.take(pa.array(order))
    )
