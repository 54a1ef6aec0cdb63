"""One line of a house book to one entry, or one `Rejected` that says why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, get_args

from audit.ingest.intake import Kind, line_by_line
from audit.ingest.ledgers import LedgerFormat, LedgerLine
from audit.ingest.wire import Rejected
from rules_replay.book import log
from rules_replay.book.log import (
    AnyEntry,
    Approval,
    Book,
    Cut,
    Fault,
    Hours,
    Restriction,
    Seat,
    Seating,
    instant_of,
)
from rules_replay.log import IrregularityCode

_WORDS: dict[str, tuple[str, ...]] = {
    "format": (log.FORMAT,),
    "entry": ("book", *log.KINDS),
    "keeps": log.KINDS,
    "days": log.WEEK,
    "of": get_args(log.Approved),
    "post": get_args(log.Post),
    "ground": (*get_args(log.CutGround), *get_args(log.VoidGround)),
    "code": get_args(IrregularityCode),
    "when": ("opening", "closing"),
    "cards": ("all", "some"),
    "procedures": ("followed", "not_followed"),
    "why": ("new_cards", "jam"),
    "finished_from": ("ordinary_shoe", "machine"),
    "during": ("initial_deal", "later"),
}


def _refuse(entry: AnyEntry) -> None:
    """Refuse what types cannot say: a span that ends before it begins, a box with two seats."""
    match entry:
        case Book() | Approval() | Restriction():
            begins: Any = entry.since if isinstance(entry, Book) else entry.at
            if entry.until is not None and entry.until <= begins:
                field = "since" if isinstance(entry, Book) else "at"
                raise Rejected("until", f"expected an instant after {field}, got {entry.until.isoformat()}")
        case Hours(last_day=last_day) if last_day is not None and last_day < entry.first_day:
            raise Rejected("last_day", f"expected a day not before first_day, got {last_day.isoformat()}")
        case Seating(last_round=last) if last is not None and last < entry.first_round:
            raise Rejected("last_round", f"expected a number of at least first_round, got {last}")
        case Cut() | Fault():
            _refuse_seats(entry.seats or ())
        case _:
            pass


def _refuse_seats(seats: Iterable[Seat]) -> None:
    for box, times in Counter(seat.box for seat in seats).items():
        if times > 1:
            raise Rejected("seats", f"{times} players sit at box {box}; expected one")


BOOK_FORMAT: LedgerFormat[AnyEntry] = LedgerFormat(AnyEntry, _WORDS, "entry", _refuse)
"""How entries are read and written."""

ENTRIES: Kind[LedgerLine[AnyEntry]] = Kind(
    name="entry",
    read=line_by_line(BOOK_FORMAT.decode, "entries of a house book"),
    identity=lambda line: (line.item.venue, line.item.entry_id),
    digest=lambda line: line.digest,
    unknown=lambda line: line.unknown,
)
"""House books."""


def happened(entries: Iterable[AnyEntry]) -> Iterator[datetime]:
    """The instants between which the rounds lie that a book is about.

    Approvals, hours and restrictions may go back for years and tell nothing of that.
    """
    for entry in entries:
        at = instant_of(entry)
        if isinstance(entry, Book):
            yield from (entry.since, entry.until)
        elif at is not None and not isinstance(entry, Restriction):
            yield at


def rounds_named(entries: Iterable[AnyEntry]) -> Iterator[str]:
    """The rounds that entries point to."""
    for entry in entries:
        found = getattr(entry, "round_id", None)
        if found is not None:
            yield found
