"""Rounds of a shoe in the order in which they were dealt, in whatever order their lines stand.

What a shoe shows depends on that order, and the format gives it by ``round_no``: lines may stand
anyhow. The inputs are read once beforehand, for the numbers alone. Rounds of a shoe whose lines are
in order then go on as they come; those of any other wait on disk until all have come, and follow in
the order in which a lake keeps them. What is held in memory is the last round of each shoe.
"""

from __future__ import annotations

import pickle  # nosec B403  # of what this process wrote itself, in a file without a name
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TypeAlias, cast

import msgspec

from audit.errors import SourceFailed
from audit.ingest.intake import Placed, Taken
from audit.ingest.lines import BOM, Read, Refused
from audit.ingest.readers import Source, lasting_source, read_rounds, unchecked_lines
from rules_replay.log import Instant, Round
from rules_replay.venues import Register

Shoe: TypeAlias = tuple[str, str, str]
"""Venue, table and shoe."""


class _Head(msgspec.Struct):
    """What of a round says where it belongs."""

    round_id: str
    venue: str
    table: str
    shoe: str
    round_no: int
    started_at: Instant


_HEADS = msgspec.json.Decoder(_Head)


def lasting_sources(sources: Sequence[Source], folder: Path) -> list[Source]:
    """The inputs so that they can be read again: standard input and named pipes are copied below ``folder``.

    One of which nothing can be read stays as it is, for whoever opens it to say so.
    """
    return [_lasting(source, folder / str(number)) for number, source in enumerate(sources)]


def _lasting(source: Source, folder: Path) -> Source:
    try:
        folder.mkdir()
        return lasting_source(source, folder)
    except (OSError, SourceFailed):
        return source


def shoes_out_of_order(sources: Iterable[Source], register: Register) -> set[Shoe]:
    """The shoes of which a round stands before one that was dealt earlier, in all inputs together.

    Lines that give no round, and inputs that cannot be read, count for nothing here.
    """
    found: set[Shoe] = set()
    last: dict[Shoe, _Head | Round] = {}
    for source in sources:
        if source.mapping is not None and "shoe" in source.mapping.unrecorded:
            # Each round is a shoe of its own.
            continue
        for head in _heads(source):
            shoe = (head.venue, head.table, head.shoe)
            before = last.get(shoe)
            if before is not None and _stands_before(head, before, register):
                found.add(shoe)
            else:
                last[shoe] = head
    return found


def _heads(source: Source) -> Iterator[_Head | Round]:
    try:
        if source.mapping is not None or source.events is not None:
            for each in read_rounds(source):
                if not isinstance(each, Refused):
                    yield each.round
            return
        for line in unchecked_lines(source):
            try:
                yield _HEADS.decode(line.data.removeprefix(BOM) if line.number == 1 else line.data)
            except (ValueError, RecursionError):
                continue
    except (OSError, SourceFailed):
        return


def _stands_before(head: _Head | Round, before: _Head | Round, register: Register) -> bool:
    if head.round_no > before.round_no and head.started_at >= before.started_at:
        return False
    return _place(head, register) < _place(before, register)


def _place(head: _Head | Round, register: Register) -> tuple[str, int, str]:
    """The place of a round in its shoe, as a lake has it: the gaming date, the number, the id."""
    return _gaming_date(register, head.venue, head.started_at), head.round_no, head.round_id


def _gaming_date(register: Register, venue: str, instant: datetime) -> str:
    try:
        return register.gaming_date(venue, instant).isoformat()
    except OverflowError:
        # At either end of the calendar: no round of a log, which is refused where it is read.
        return ""


def in_order(
    taken: Iterable[Taken[Read]], waiting: Collection[Shoe], register: Register
) -> Iterator[Taken[Read]]:
    """What was taken, but that the rounds of some shoes wait and come last, each shoe in its order."""
    if not waiting:
        yield from taken
        return
    with closing(_Waiting()) as held:
        for each in taken:
            if isinstance(each, Placed):
                round_ = each.item.round
                shoe = (round_.venue, round_.table, round_.shoe)
                if shoe in waiting:
                    held.add(shoe, _place(round_, register), each)
                    continue
            yield each
        yield from held.in_order()


class _Waiting:
    """Rounds that wait, in a temporary base that goes to disk when it grows."""

    def __init__(self) -> None:
        self._base = sqlite3.connect("", isolation_level=None)
        self._base.execute("PRAGMA journal_mode = OFF")
        self._base.execute(
            'CREATE TABLE waiting (venue TEXT, "table" TEXT, shoe TEXT, day TEXT, no INTEGER, id TEXT,'
            " round BLOB)"
        )

    def close(self) -> None:
        self._base.close()

    def add(self, shoe: Shoe, place: tuple[str, int, str], each: Placed[Read]) -> None:
        row = (*shoe, *place, pickle.dumps(each))
        self._base.execute("INSERT INTO waiting VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def in_order(self) -> Iterator[Placed[Read]]:
        self._base.execute('CREATE INDEX dealt ON waiting (venue, "table", shoe, day, no, id)')
        ordered = 'SELECT round FROM waiting ORDER BY venue, "table", shoe, day, no, id'
        for (written,) in self._base.execute(ordered):
            yield cast("Placed[Read]", pickle.loads(written))  # nosec B301
