"""The cells of Arrow columns written into records of events, a row at a time.

The columns are written together because the records of a batch are larger than the caches: a column at a
time would take each of them through memory once for every column.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rules_replay.kernel.codes import IRREGULARITY, NOT, WAGER
from rules_replay.kernel.compiled import entry, inlined
from rules_replay.kernel.records import Counts, Ints, Records

Bits: TypeAlias = npt.NDArray[np.uint8]


class Texts(NamedTuple):
    """A column of texts: ``places`` among the texts that occur, and the numbers that these have.

    ``known`` has a bit for each row that holds one, from bit ``first`` on, or nothing where all do.
    """

    places: Ints
    numbers: Ints
    known: Bits
    first: int


class Numbers(NamedTuple):
    """A column of integers, ``known`` as in `Texts`."""

    values: npt.NDArray[Any]
    known: Bits
    first: int


class Amounts(NamedTuple):
    """A column of DECIMAL(18,3), two halves of 64 bits each, ``known`` as in `Texts`."""

    halves: Counts
    known: Bits
    first: int


class Cells(NamedTuple):
    """The columns of events, by their names in the log."""

    e: Texts
    kind: Texts
    card: Texts
    scope: Texts
    code: Texts
    line: Texts
    result: Texts
    source: Texts
    reason: Texts
    wager: Texts
    on: Texts
    player: Texts
    box: Numbers
    hand: Numbers
    to: Numbers
    reverses: Numbers
    multiplier: Numbers
    amount: Amounts
    limit: Amounts
    paid: Amounts
    taken: Amounts


@inlined
def _is_known(known: Bits, bit: int) -> bool:
    return len(known) == 0 or bool(known[bit >> 3] >> (bit & 7) & 1)


@inlined
def _text(column: Texts, row: int) -> int:
    return int(column.numbers[column.places[row]]) if _is_known(column.known, column.first + row) else NOT


@inlined
def _number(column: Numbers, row: int) -> int:
    return int(column.values[row]) if _is_known(column.known, column.first + row) else NOT


@inlined
def _amount(column: Amounts, row: int) -> int:
    """Thousandths: the lower half, as no amount needs more."""
    return int(column.halves[2 * row]) if _is_known(column.known, column.first + row) else NOT


@entry
def fill_events(events: Records, start: int, count: int, cells: Cells) -> int:
    """Write so many rows into ``events`` from ``start`` on; returns how many of them are wagers."""
    wagers = 0
    for row in range(count):
        event = events[start + row]
        kind = _text(cells.e, row)
        event.kind = kind
        event.wager_kind = _text(cells.kind, row)
        event.card = _text(cells.card, row)
        event.off_hand = _text(cells.source, row) == 1
        event.explained = _text(cells.reason, row) == 1
        event.scope = _text(cells.scope, row)
        event.code = _text(cells.code, row)
        event.line = _text(cells.line, row)
        event.result = _text(cells.result, row)
        event.box = _number(cells.box, row)
        hand = _number(cells.hand, row)
        event.hand = 1 if hand == NOT and kind != IRREGULARITY else hand
        event.to = _number(cells.to, row)
        event.wager = _text(cells.wager, row)
        event.on = _text(cells.on, row)
        event.player = _text(cells.player, row)
        event.reverses = _number(cells.reverses, row)
        event.amount = _amount(cells.amount, row)
        event.limit = _amount(cells.limit, row)
        event.multiplier = _number(cells.multiplier, row)
        event.paid = _amount(cells.paid, row)
        event.taken = _amount(cells.taken, row)
        if kind == WAGER:
            wagers += 1
    return wagers
