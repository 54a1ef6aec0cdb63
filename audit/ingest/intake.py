"""The lines of some inputs, one after another: opened, decoded, and told from what came before.

Every command that reads logs without a lake begins so. A `Kind` says what the lines hold and
how one is decoded; `taken` gives each item once, with its place, and counts the rest.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar

from audit.errors import SourceFailed, UsageProblem
from audit.ingest import wire
from audit.ingest.lines import BOM, Read, Refused, refused, too_long
from audit.ingest.readers import OpenSource, Source, find_sources, open_source
from audit.mapping.model import LogMapping
from audit.progress import Advance, Progress

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Rejected:
    """Something of the input that could not be used, in one line for people.

    ``what`` is the kind of thing: a line, a file, a round.
    """

    message: str
    what: str


@dataclass(frozen=True, slots=True)
class Placed(Generic[T]):
    """An item as decoded, with where it stood; `taken` adds the digest of its content."""

    item: T
    file: str
    line: int
    digest: str = ""

    @property
    def where(self) -> str:
        """The place as messages begin with it: ``night.jsonl:12``."""
        return f"{self.file}:{self.line}"


@dataclass(slots=True, kw_only=True)
class Intake:
    """What came in: files, their lines, and of those the duplicates and the rejected.

    A duplicate is an item seen before with the same content, which is counted and not given
    again. With other content it is a line rejected. ``unknown`` are fields outside the format.
    """

    files: int = 0
    lines: int = 0
    duplicates: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)

    @property
    def complete(self) -> bool:
        """True when nothing of the input was rejected."""
        return not self.rejected.total()

    def reject(self, message: str, what: str) -> Rejected:
        """Count and give one rejection."""
        self.rejected[what] += 1
        return Rejected(message, what)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[T]):
    """What the lines of an input hold.

    ``name`` is a noun; the field of its id is called ``<name>_id``. ``identity`` gives the venue
    and that id, ``digest`` a text that is the same for the same content, ``unknown`` the names
    of fields outside the format.
    """

    name: str
    read: Callable[[OpenSource], Iterator[Placed[T] | Refused]]
    identity: Callable[[T], tuple[str, str]]
    digest: Callable[[T], str]
    unknown: Callable[[T], Iterable[str]]


def _rounds(opened: OpenSource) -> Iterator[Placed[Read] | Refused]:
    for each in opened:
        yield each if isinstance(each, Refused) else Placed(each, each.file, each.line)


ROUNDS: Kind[Read] = Kind(
    name="round",
    read=_rounds,
    identity=lambda read: (read.round.venue, read.round.round_id),
    digest=lambda read: wire.content_digest(read.round, read.extra),
    unknown=lambda read: read.unknown,
)
"""Round logs, as JSON Lines or CSV pairs."""


def line_by_line(
    decode: Callable[[bytes], T], expected: str
) -> Callable[[OpenSource], Iterator[Placed[T] | Refused]]:
    """How a `Kind` of JSON Lines is read; ``decode`` raises `wire.Rejected` for a bad line.

    ``expected`` names the items in the plural for whoever gives a CSV pair instead.
    """

    def read(opened: OpenSource) -> Iterator[Placed[T] | Refused]:
        name = opened.source.name
        if opened.source.events is not None:
            raise SourceFailed(name, f"a CSV pair holds rounds; expected {expected} as JSON Lines")
        for line in opened.lines():
            try:
                if line.size > wire.MAX_LINE:
                    raise too_long(line.size)
                item = decode(line.data.removeprefix(BOM) if line.number == 1 else line.data)
            except wire.Rejected as rejected:
                yield refused(rejected, line.data, line.size, name, line.number, line.offset)
            else:
                yield Placed(item, name, line.number)

    return read


Taken: TypeAlias = Placed[T] | Rejected


def taken(
    arguments: Iterable[str | Path],
    kind: Kind[T],
    intake: Intake,
    progress: Progress | None = None,
    mapping: LogMapping | None = None,
) -> Iterator[Taken[T]]:
    """Every item of files, folders, patterns or standard input (``-``) once, and what was rejected.

    ``intake`` is counted up as it goes. With a ``mapping`` the inputs are a vendor's files.
    Raises `UsageProblem` where the arguments name no input at all.
    """
    sources, missing = named_sources(arguments, mapping)
    yield from taken_from(sources, missing, kind, intake, progress)


def named_sources(
    arguments: Iterable[str | Path], mapping: LogMapping | None = None
) -> tuple[list[Source], list[SourceFailed]]:
    """The inputs that arguments name, and what could not be found.

    Raises `UsageProblem` where there are no inputs at all.
    """
    sources, missing = find_sources(arguments, mapping)
    if not sources:
        raise UsageProblem("; ".join(str(each) for each in missing))
    return sources, missing


def taken_from(
    sources: Iterable[Source],
    missing: Iterable[SourceFailed],
    kind: Kind[T],
    intake: Intake,
    progress: Progress | None = None,
) -> Iterator[Taken[T]]:
    """What is `taken` from some inputs; those that could not be found are rejected."""
    for failure in missing:
        yield intake.reject(str(failure), "file")
    with closing(_Seen()) as seen:
        for source in sources:
            intake.files += 1
            try:
                yield from _source(source, kind, intake, seen, progress)
            except SourceFailed as failure:
                yield intake.reject(str(failure), "file")


def _source(
    source: Source, kind: Kind[T], intake: Intake, seen: _Seen, progress: Progress | None
) -> Iterator[Taken[T]]:
    with open_source(source) as opened, _counted(source.name, progress) as advance:
        for done, line in enumerate(kind.read(opened), 1):
            intake.lines += 1
            if isinstance(line, Refused):
                yield intake.reject(line.message, "line")
            else:
                intake.unknown.update(kind.unknown(line.item))
                placed = replace(line, digest=kind.digest(line.item))
                before = seen.before(placed, kind)
                if before is None:
                    yield placed
                elif before == _SAME:
                    intake.duplicates += 1
                else:
                    name = f"{kind.name} {kind.identity(line.item)[1]}"
                    reason = f"{kind.name}_id: {name} came before with other content, from {before}"
                    yield intake.reject(f"{line.where}: {reason}", "line")
            advance(done)


def _counted(name: str, progress: Progress | None) -> AbstractContextManager[Advance]:
    return nullcontext(lambda done: None) if progress is None else progress.work(name)


_SAME = ""


class _Seen:
    """The items seen so far, in a temporary base that goes to disk when it grows."""

    def __init__(self) -> None:
        self._base = sqlite3.connect("", isolation_level=None)
        self._base.execute("PRAGMA journal_mode = OFF")
        self._base.execute(
            "CREATE TABLE seen (venue TEXT, id TEXT, digest TEXT, place TEXT,"
            " PRIMARY KEY (venue, id)) WITHOUT ROWID"
        )

    def close(self) -> None:
        self._base.close()

    def before(self, placed: Placed[T], kind: Kind[T]) -> str | None:
        """None for an item not seen yet, `_SAME`, or where it came from with other content."""
        key = kind.identity(placed.item)
        found = self._base.execute(
            "SELECT digest, place FROM seen WHERE venue = ? AND id = ?", key
        ).fetchone()
        if found is None:
            place = f"{placed.file} line {placed.line}"
            self._base.execute("INSERT INTO seen VALUES (?, ?, ?, ?)", (*key, placed.digest, place))
            return None
        return _SAME if found[0] == placed.digest else str(found[1])
