"""Putting the files of a publication in place, and finishing or undoing one that was cut off.

A publication is a list of moves out of a staging folder of the lake, and one ledger record. What is
to be done is written down as ``intent.json`` in the staging folder before the first move, so that
whoever writes next can finish it. Each move is one rename: of a file, or of a whole folder where
several of its files come and go together. So a bare glob over a partition of a table sees it as it
was, or as it is to be, and nothing in between.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from audit.digests import digest_at
from audit.durable import sync_folders, write_durably
from audit.exchange import exchange
from audit.ledger import BEGINNING, LEDGERS, Ledger, LedgerName, Record, record_digest

STAGING: Final = ".staging"
INTENT: Final = "intent.json"
DONE: Final = "done.json"
"""What the intent is called once its record is in the ledger."""

CATALOGUE: Final = "audit.duckdb"
BUILDING: Final = f".{CATALOGUE}.*"
"""Where in the lake its catalogue is built."""
WRITING: Final = "report/.report-*"
"""Where in the lake its report is written again."""

LedgerOf = Callable[[LedgerName], Ledger]


@dataclass(frozen=True, slots=True)
class Move:
    """A rename within the lake, both places relative to it.

    ``sha256`` is that of the file, or of the folder as `folder_digest` has it.
    """

    source: str
    target: str
    sha256: str

    def as_json(self) -> tuple[str, str, str]:
        """The move as the intent has it."""
        return self.source, self.target, self.sha256


@dataclass(frozen=True, slots=True)
class Unfinished:
    """Something that a process which was killed left behind.

    ``what`` is ``publication`` (some partitions are new and others old), ``published`` (what follows
    is missing), ``work`` (files of no publication), ``catalogue`` or ``report``.
    """

    what: str
    text: str

    def as_json(self) -> dict[str, str]:
        """Ready for JSON."""
        return {"what": self.what, "text": self.text}


# --- carrying out ----------------------------------------------------------------------------


def carry_out(
    root: Path, folder: Path, moves: Sequence[Move], ledger: Ledger, name: LedgerName, record: Record
) -> None:
    """Make the moves and append the record; on an error whatever was done is undone.

    ``folder`` is the staging folder that the moves come from.
    """
    write_intent(folder, moves, name, record)
    try:
        for number, move in enumerate(moves):
            _put(root, move, _aside(folder, number))
        _sync(root, moves)
        ledger.append(record)
    except BaseException:
        if _take_back(root, folder, moves):
            (folder / INTENT).unlink()
        raise
    with suppress(OSError):
        (folder / INTENT).replace(folder / DONE)


def write_intent(folder: Path, moves: Sequence[Move], name: LedgerName, record: Record) -> None:
    """Write down what is to be done."""
    intent = {"ledger": name, "record": record, "moves": [move.as_json() for move in moves]}
    write_durably(folder / INTENT, json.dumps(intent).encode())


def _aside(folder: Path, number: int) -> Path:
    """Where what stood at the target of a move is kept."""
    return folder / f"replaced-{number}"


def _put(root: Path, move: Move, aside: Path) -> None:
    source, target = root / move.source, root / move.target
    target.parent.mkdir(parents=True, exist_ok=True)
    if not source.is_dir():
        if target.exists():
            aside.unlink(missing_ok=True)
            os.link(target, aside)
        source.replace(target)
    elif target.exists():
        exchange(source, target, aside)
    else:
        source.rename(target)


def _take_back(root: Path, folder: Path, moves: Sequence[Move]) -> bool:
    """Undo the moves that were made, the last one first; whether the disk let all be undone."""
    undone = True
    for number, move in reversed(list(enumerate(moves))):
        try:
            _put_back(root / move.source, root / move.target, _aside(folder, number), move.sha256)
        except OSError:
            undone = False
    try:
        _sync(root, moves)
    except OSError:
        undone = False
    return undone


def _put_back(source: Path, target: Path, aside: Path, digest: str) -> None:
    if aside.is_file():
        aside.replace(target)
    elif aside.is_dir():
        # The exchange took several renames, and was cut off between them.
        if target.exists():
            target.rename(source)
        aside.rename(target)
    elif digest_at(target) == digest:
        if source.is_dir():
            exchange(source, target, aside)
        elif not source.exists():
            source.parent.mkdir(parents=True, exist_ok=True)
            target.rename(source)


def _sync(root: Path, moves: Iterable[Move]) -> None:
    parents = {(root / place).parent for move in moves for place in (move.source, move.target)}
    sync_folders({each for each in parents if each.is_dir()}, root)


# --- after a kill ----------------------------------------------------------------------------


def recover(root: Path, ledger_of: LedgerOf) -> None:
    """Finish or undo what killed processes left behind in a lake, and clear it up."""
    for folder in staging_folders(root):
        intent = read_intent(folder)
        if intent is not None:
            _finish(root, folder, intent, ledger_of(intent.name))
        clear(folder)
    for path in (*root.glob(BUILDING), *root.glob(WRITING)):
        remove(path)


def staging_folders(root: Path) -> list[Path]:
    """What lies in the staging folder of a lake, sorted."""
    try:
        return sorted((root / STAGING).iterdir())
    except FileNotFoundError:
        return []


def clear(folder: Path) -> None:
    """Remove a staging folder, what says how far it got last."""
    if folder.is_dir() and not folder.is_symlink():
        for path in folder.iterdir():
            if path.name not in {INTENT, DONE}:
                remove(path)
    remove(folder)


def remove(path: Path) -> None:
    """Remove a file, a link or a whole folder; what is gone is no error."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Intent:
    """What was to be done by a publication."""

    name: LedgerName
    record: Record
    moves: tuple[Move, ...]

    def published(self) -> dict[str, str | None]:
        """By place the SHA-256 of what it puts there; None for a file that it takes away."""
        places: dict[str, str | None] = {}
        for file in self.record["retired"]:
            places |= {file["path"]: None, file["archived"]: file["sha256"]}
        return places | {file["path"]: file["sha256"] for file in self.record["published"]}

    @property
    def sound(self) -> bool:
        """Whether the record has its own SHA-256, and all that is named lies in the lake."""
        moved = [place for each in self.moves for place in (each.source, each.target)]
        places = map(PurePosixPath, (*moved, *self.published()))
        outside = any(place.is_absolute() or ".." in place.parts for place in places)
        return not outside and record_digest(self.record) == self.record["sha256"]


def read_intent(folder: Path, file: str = INTENT) -> Intent | None:
    """The intent in a staging folder; None where there is none, or one that no publication writes."""
    try:
        found = json.loads((folder / file).read_bytes())
        intent = Intent(found["ledger"], found["record"], tuple(Move(*each) for each in found["moves"]))
        return intent if intent.sound and intent.name in LEDGERS else None
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _finish(root: Path, folder: Path, intent: Intent, ledger: Ledger) -> None:
    """Roll a publication forward whose files are all there, and back otherwise."""
    ledger.mend_last_line()
    head = ledger.head() or BEGINNING
    if head.sha256 == intent.record["sha256"]:
        return
    waiting = [move for move in intent.moves if digest_at(root / move.source) == move.sha256]
    placed = [move for move in intent.moves if digest_at(root / move.target) == move.sha256]
    if {*waiting, *placed} == {*intent.moves} and intent.record["previous"] == head.sha256:
        for number, move in enumerate(intent.moves):
            if move in waiting:
                _put(root, move, _aside(folder, number))
        _sync(root, intent.moves)
        ledger.append(intent.record)
    else:
        _take_back(root, folder, intent.moves)


def unfinished(root: Path) -> Iterator[Unfinished]:
    """What killed processes left behind in a lake in which nobody is at work."""
    for folder in staging_folders(root):
        place = f"{STAGING}/{folder.name}"
        intent, done = read_intent(folder), read_intent(folder, DONE)
        if intent is not None:
            yield Unfinished(
                "publication",
                f"{place}: {_named(intent.record)} was cut off while {len(intent.moves)} files were put in "
                "place; each partition of a table is as before or as it is to be, and the next ingest or "
                "run finishes it",
            )
        elif done is not None:
            yield Unfinished(
                "published",
                f"{place}: {_named(done.record)} was cut off after it was published; the next ingest or run "
                "clears up, and the next run builds the catalogue",
            )
        else:
            yield Unfinished(
                "work",
                f"{place}: an ingest or run was cut off at its work; what it published is whole and in the "
                "ledger, and the next ingest or run clears up; run it again",
            )
    for path in sorted(root.glob(BUILDING)):
        yield Unfinished(
            "catalogue",
            f"{path.name}: the catalogue was being built, and {CATALOGUE} is the one before; the next run "
            "builds it",
        )
    for path in sorted(root.glob(WRITING)):
        yield Unfinished(
            "report",
            f"report/{path.name}: a report was being written, and its files may be of two runs; "
            "`pontoon-audit report` writes it again",
        )


def _named(record: Mapping[str, Any]) -> str:
    if record.get("kind") == "run":
        return f"run {record.get('run_id')}"
    if record.get("kind") == "ingest":
        names = [str(file["name"]) for file in record.get("files", ())]
        return f"the ingest of {names[0]}" + (f" and {len(names) - 1} more" if names[1:] else "")
    return "a record"


def in_between(root: Path) -> tuple[list[Record], dict[str, str | None]]:
    """The records of publications that were cut off, and by place the SHA-256 of what they put there.

    None stands for nothing: a file that they take away.
    """
    intents = [intent for folder in staging_folders(root) if (intent := read_intent(folder)) is not None]
    places: dict[str, str | None] = {}
    for intent in intents:
        places |= intent.published()
    return [intent.record for intent in intents], places
