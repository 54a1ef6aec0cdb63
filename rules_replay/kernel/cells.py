"""The cells of Arrow columns written into records of events, a row at a time.

The columns are written together because the records of a batch are larger than the caches: a column at a
time would take each of them through memory once for every column.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rules_replay.kernel.codes import (
    ASSIGN,
    BURN,
    DEAL,
    DOUBLE,
    FORFEIT,
    IRREGULARITY,
    NOT,
    PRESS,
    SETTLE,
    SPLIT,
    STAND,
    SURRENDER,
    VOID,
    WAGER,
    WITHDRAW,
)
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


_WITH_HAND: Final = (
    1 << BURN | 1 << SURRENDER | 1 << SPLIT | 1 << ASSIGN | 1 << DOUBLE | 1 << STAND | 1 << VOID
)
_WITH_WAGER: Final = 1 << SURRENDER | 1 << ASSIGN | 1 << FORFEIT | 1 << PRESS | 1 << VOID | 1 << WITHDRAW
"""A bit for each kind of event of `_fill_other` that has a hand (1 where it names none), or a wager."""


@inlined
def _is_any(kind: int, of: int) -> bool:
    return kind != NOT and (of >> kind) & 1 != 0


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


@inlined
def _clear(event: Any, kind: int) -> None:
    """An event that says nothing but what kind it is."""
    event.kind = kind
    event.wager_kind = NOT
    event.box = NOT
    event.hand = 1
    event.wager = NOT
    event.on = NOT
    event.player = NOT
    event.amount = NOT
    event.limit = NOT


@inlined
def _hand(cells: Cells, row: int) -> int:
    hand = _number(cells.hand, row)
    return 1 if hand == NOT else hand


@inlined
def _fill_wager(event: Any, cells: Cells, row: int) -> None:
    event.wager = _text(cells.wager, row)
    event.box = _number(cells.box, row)
    event.hand = _hand(cells, row)
    event.player = _text(cells.player, row)
    event.wager_kind = _text(cells.kind, row)
    event.amount = _amount(cells.amount, row)
    event.on = _text(cells.on, row)
    event.limit = _amount(cells.limit, row)


@inlined
def _fill_settle(event: Any, cells: Cells, row: int) -> None:
    event.wager = _text(cells.wager, row)
    event.line = _text(cells.line, row)
    event.result = _text(cells.result, row)
    event.paid = _amount(cells.paid, row)
    event.taken = _amount(cells.taken, row)
    event.reverses = _number(cells.reverses, row)


@inlined
def _fill_other(event: Any, cells: Cells, row: int, kind: int) -> None:
    """An event that is neither a wager nor a settlement nor a card dealt."""
    if _is_any(kind, _WITH_HAND):
        event.hand = _hand(cells, row)
    if _is_any(kind, _WITH_HAND) or kind == PRESS or kind == IRREGULARITY:
        event.box = _number(cells.box, row)
    if _is_any(kind, _WITH_WAGER):
        event.wager = _text(cells.wager, row)
    if kind == BURN:
        event.card = _text(cells.card, row)
        event.off_hand = _text(cells.source, row) == 1
        event.explained = _text(cells.reason, row) == 1
    elif kind == SPLIT:
        event.to = _number(cells.to, row)
    elif kind == VOID:
        event.scope = _text(cells.scope, row)
        event.explained = _text(cells.reason, row) == 1
    elif kind == PRESS:
        event.multiplier = _number(cells.multiplier, row)
    elif kind == IRREGULARITY:
        event.code = _text(cells.code, row)
        event.hand = _number(cells.hand, row)


@entry
def fill_events(events: Records, start: int, count: int, cells: Cells) -> int:
    """Write so many rows into ``events`` from ``start`` on; returns how many of them are wagers.

    Of each only the cells are looked at that an event of its kind can have.
    """
    wagers = 0
    for row in range(count):
        event = events[start + row]
        kind = _text(cells.e, row)
        _clear(event, kind)
        if kind == DEAL:
            event.box = _number(cells.box, row)
            event.hand = _hand(cells, row)
            event.card = _text(cells.card, row)
        elif kind == SETTLE:
            _fill_settle(event, cells, row)
        elif kind == WAGER:
            _fill_wager(event, cells, row)
            wagers += 1
        else:
            _fill_other(event, cells, row, kind)
    return wagers
