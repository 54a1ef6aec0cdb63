"""The two-file CSV form: ``rounds.csv`` and ``events.csv``, joined by ``round_id``.

Columns are named after the fields of the format; an empty cell is an absent field.
A limit of the table's sign has a column such as ``limits.min`` (``limit_min`` is
understood as well); a list is written ``a;b`` or as JSON. ``seq`` orders the events
of a round from 0 without a gap.
"""

from __future__ import annotations

import csv
import errno
import json
import re
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from audit.errors import SourceFailed
from audit.ingest import wire
from audit.ingest.lines import BOM, Line, Read, Refused, refused, split_lines, too_long
from audit.ingest.sources import Source
from audit.ingest.wire import Rejected
from rules_replay.log import Limits

_WHOLE_NUMBERS = frozenset({"round_no", "decks", "box", "hand", "to", "multiplier", "reverses"})
_LISTS = frozenset({"offers", "records"})
_LIMITS = {
    spelled: name
    for name in Limits.__struct_encode_fields__
    for spelled in (f"limits.{name}", f"limit_{name}")
}


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of a CSV file: its cells that are not empty, and its bytes.

    A row with a ``problem`` has no cells but its round id, where that is legible.
    """

    cells: dict[str, str]
    problem: str | None
    raw: bytes
    number: int
    offset: int

    @property
    def round_id(self) -> str:
        return self.cells.get("round_id", "")


class _Rows:
    """The rows of a CSV file by column name, with the bytes each was read from."""

    def __init__(self, name: str, stream: BinaryIO, needed: tuple[str, ...]) -> None:
        self._taken: list[Line] = []
        self._reader = csv.reader(self._texts(stream), strict=True)
        try:
            self._columns = [cell.strip() for cell in next(self._reader, [])]
        except csv.Error as error:
            raise SourceFailed(name, f"the first line is not CSV: {error}") from None
        for column in needed:
            if column not in self._columns:
                raise SourceFailed(name, f"no column {column!r}; {self._instead()}")
        twice = sorted({column for column in self._columns if self._columns.count(column) > 1})
        if twice:
            raise SourceFailed(name, f"column {twice[0]!r} stands twice in the first line")

    def _instead(self) -> str:
        """What the first line holds in place of the names of the columns."""
        first = self._taken[0].data if self._taken else b""
        found = (
            wire.other_form(first) or f"found {wire.shortened(repr(first.decode('utf-8', 'replace')), 120)}"
        )
        return f"the first line must name the columns, with commas between; {found}"

    def _texts(self, stream: BinaryIO) -> Iterator[str]:
        for line in split_lines(stream):
            self._taken.append(line)
            data = line.data.removeprefix(BOM) if line.number == 1 else line.data
            if line.size > wire.MAX_LINE:
                data = b""
            yield data.decode("utf-8", "surrogateescape") + "\n"

    def __iter__(self) -> Iterator[_Row]:
        while True:
            self._taken.clear()
            cells: list[str] = []
            problem: str | None = None
            try:
                cells = next(self._reader)
            except StopIteration:
                return
            except csv.Error as error:
                problem = f"not CSV: {error}"
            raw = b"\n".join(line.data[: wire.MAX_LINE] for line in self._taken)
            problem = self._problem(cells, raw) or problem
            named = {name: cell for name, cell in zip(self._columns, cells, strict=False) if cell != ""}
            if problem is not None:
                named = {name: cell for name, cell in named.items() if name == "round_id" and cell.isascii()}
            yield _Row(named, problem, raw, self._taken[0].number, self._taken[0].offset)

    def _problem(self, cells: list[str], raw: bytes) -> str | None:
        longest = max(line.size for line in self._taken)
        if longest > wire.MAX_LINE:
            return too_long(longest).reason
        if not raw.strip():
            return BLANK_ROW
        if b"\0" in raw:
            return wire.NUL_REASON
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as error:
            return wire.not_utf8(error)
        if cells and len(cells) != len(self._columns):
            return f"expected {len(self._columns)} cells as in the first line, got {len(cells)}"
        return None


BLANK_ROW = "blank line; expected a row of the table"


def csv_rounds(source: Source, rounds: BinaryIO, events: BinaryIO) -> Iterator[Read | Refused]:
    """The rounds of a CSV pair; the line of a round is its line in ``rounds.csv``.

    The events are put in an index on disk first, so neither file need be sorted.
    Event rows that belong to no round are refused, one entry for each round id.
    """
    header = _Rows(source.name, rounds, ("round_id",))
    events_name = source.events_name
    with tempfile.TemporaryDirectory() as folder, _event_index(Path(folder) / "events.sqlite") as index:
        index.fill(events_name, _Rows(events_name, events, ("round_id", "seq", "e")))
        for row in header:
            yield _csv_round(source.name, row, index.claim(row.round_id))
        for orphans in index.unclaimed():
            first, raw = orphans[0], b"\n".join(row.raw for row in orphans)
            reason = (
                f"{source.name} has no round of this id, but {events_name} has {len(orphans)} of its events"
            )
            rejected = Rejected("round_id", reason, wire.legible_round_id(first.round_id))
            yield refused(rejected, raw, len(raw), events_name, first.number, first.offset)


def _csv_round(name: str, row: _Row, events: list[_Row]) -> Read | Refused:
    raw = b"\n".join([row.raw, *(event.raw for event in events)])
    try:
        for each in (row, *events):
            if each.problem is not None:
                place = "" if each is row else f"in the event at line {each.number}: "
                raise Rejected("", place + each.problem)
        found: dict[str, str] = {}
        fields = _round_fields(row.cells, found)
        if not events:
            raise Rejected("events", "missing; the second file has no event of this round")
        fields["events"] = _event_fields(events, found)
        round_ = wire.decode_fields(fields)
    except Rejected as rejected:
        return refused(wire.sketched(rejected, row.cells), raw, len(raw), name, row.number, row.offset)
    if not found:
        return Read(round_, None, (), raw, name, row.number, row.offset)
    extra, unknown = wire.extra_text(found), wire.unknown_names(found)
    return Read(round_, extra, unknown, raw, name, row.number, row.offset)


def _round_fields(cells: Mapping[str, str], found: dict[str, str]) -> dict[str, Any]:
    """The fields of a round from its row; cells outside the format go to ``found``."""
    fields: dict[str, Any] = {}
    limits: dict[str, str] = {}
    for name, cell in cells.items():
        if name in _LIMITS:
            limits[_LIMITS[name]] = cell
        elif name == "events" or name not in wire.ROUND_FIELDS:
            found[name] = cell
        else:
            fields[name] = _value(name, cell)
    if limits:
        fields.setdefault("limits", limits)
    return fields


def _event_fields(rows: Sequence[_Row], found: dict[str, str]) -> list[dict[str, Any]]:
    """The events of a round in the order of ``seq``, which must count from 0 without a gap."""
    placed: dict[int, _Row] = {}
    for row in rows:
        text = row.cells.get("seq", "")
        if not re.fullmatch(r"[0-9]{1,9}", text):
            where = f"in the event at line {row.number}"
            raise Rejected("seq", f"expected a whole number from 0, got {wire.shortened(text)!r} {where}")
        if int(text) in placed:
            raise Rejected("seq", f"two events have seq {int(text)}, the second at line {row.number}")
        placed[int(text)] = row
    events: list[dict[str, Any]] = []
    for seq in range(len(placed)):
        if seq not in placed:
            raise Rejected("seq", f"no event has seq {seq}; expected 0 to {len(placed) - 1} without a gap")
        cells = dict(placed[seq].cells)
        del cells["seq"], cells["round_id"]
        known = wire.EVENT_FIELDS.get(cells.get("e", ""), frozenset(cells))
        found.update((f"events[{seq}].{name}", cell) for name, cell in cells.items() if name not in known)
        events.append({name: _value(name, cell) for name, cell in cells.items() if name in known})
    return events


def _value(name: str, cell: str) -> Any:
    """A cell as the type the format gives the field; left as text where it does not fit."""
    if name in _WHOLE_NUMBERS and re.fullmatch(r"-?[0-9]{1,18}", cell):
        return int(cell)
    if name == "last_rounds" and cell in ("true", "false"):
        return cell == "true"
    if cell.startswith(("[", "{")) and (name in _LISTS or name == "limits"):
        try:
            return msgspec.json.decode(cell)
        except (msgspec.DecodeError, RecursionError):
            return cell
    if name in _LISTS:
        return re.split(r"[\s;|,]+", cell.strip())
    return cell


class _EventIndex:
    """The rows of ``events.csv`` by round id, on disk."""

    def __init__(self, base: sqlite3.Connection) -> None:
        self._base = base
        base.executescript(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
            "CREATE TABLE event"
            " (round_id TEXT, number INTEGER, at INTEGER, problem TEXT, cells TEXT, raw BLOB);"
            "CREATE TABLE claimed (round_id TEXT PRIMARY KEY) WITHOUT ROWID;"
        )

    def fill(self, name: str, rows: Iterable[_Row]) -> None:
        """Store every row; raises `SourceFailed` for one that cannot be told to belong to a round."""
        self._base.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)", self._stored(name, rows))
        self._base.execute("CREATE INDEX by_round ON event (round_id, number)")

    @staticmethod
    def _stored(name: str, rows: Iterable[_Row]) -> Iterator[tuple[object, ...]]:
        for row in rows:
            if row.problem == BLANK_ROW:
                continue
            if not row.round_id:
                raise SourceFailed(
                    name,
                    f"line {row.number}: {row.problem or 'no round_id'}; the event may belong to any round, "
                    "so none of this pair was taken",
                )
            cells = json.dumps(row.cells)
            yield (row.round_id, row.number, row.offset, row.problem, cells, row.raw)

    def claim(self, round_id: str) -> list[_Row]:
        """The rows of a round, which from now on belong to one."""
        self._base.execute("INSERT OR IGNORE INTO claimed VALUES (?)", (round_id,))
        return self._rows(round_id)

    def unclaimed(self) -> Iterator[list[_Row]]:
        """The rows of each round id that no round claimed, in the order of the file."""
        ids = self._base.execute(
            "SELECT round_id FROM event WHERE round_id NOT IN (SELECT round_id FROM claimed) "
            "GROUP BY round_id ORDER BY min(number)"
        )
        for (round_id,) in ids:
            yield self._rows(round_id)

    def _rows(self, round_id: str) -> list[_Row]:
        stored = self._base.execute(
            "SELECT cells, problem, raw, number, at FROM event WHERE round_id = ? ORDER BY number",
            (round_id,),
        )
        return [_Row(json.loads(cells), *others) for cells, *others in stored]


@contextmanager
def _event_index(path: Path) -> Iterator[_EventIndex]:
    base = sqlite3.connect(path, isolation_level=None)
    try:
        yield _EventIndex(base)
    except sqlite3.Error as error:
        raise OSError(errno.ENOSPC if "full" in str(error) else errno.EIO, str(error)) from None
    finally:
        base.close()
