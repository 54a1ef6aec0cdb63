"""Finding the inputs that arguments name: files, folders, patterns and standard input."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING

from audit.errors import SourceFailed, os_reason

if TYPE_CHECKING:
    from audit.mapping.model import LogMapping

STDIN = "-"
LOG_ENDINGS = tuple(
    stem + packed for stem in (".jsonl", ".ndjson", ".json") for packed in ("", ".gz", ".zst")
)
CSV_ENDINGS = (".csv", ".csv.gz", ".csv.zst")
_ENDINGS_TEXT = ".jsonl, .ndjson or .json (also .gz, .zst), or rounds.csv with events.csv"


@dataclass(frozen=True, slots=True)
class Source:
    """One input: a JSON Lines file, a CSV pair, or standard input.

    ``name`` is how it is called in messages and in the lake: a bare file name, or a
    path below the folder it was found in, never an absolute path. ``events`` is the
    second file of a CSV pair. ``path`` is None for standard input. ``mapping`` says how a
    vendor's file is read.
    """

    name: str
    path: Path | None
    events: Path | None = None
    mapping: LogMapping | None = None

    @property
    def events_name(self) -> str:
        """How the second file of a CSV pair is called."""
        return "" if self.events is None else (Path(self.name).parent / self.events.name).as_posix()


def find_sources(
    arguments: Iterable[str | Path], mapping: LogMapping | None = None
) -> tuple[list[Source], list[SourceFailed]]:
    """The inputs that arguments name, in a fixed order, and what could not be found.

    An argument is a file, a folder (searched through, sorted, no links followed), a pattern (``**``
    goes into folders) or ``-``. A file named twice is returned once. With a ``mapping`` they
    are the files of its vendor.
    """
    sources: dict[tuple[Path | None, Path | None], Source] = {}
    failed: list[SourceFailed] = []
    for argument in map(str, arguments):
        for found in _expand(argument, mapping):
            if isinstance(found, SourceFailed):
                failed.append(found)
            else:
                key = (found.path and found.path.resolve(), found.events and found.events.resolve())
                sources.setdefault(key, found)
    return list(sources.values()), failed


def _expand(argument: str, mapping: LogMapping | None) -> Iterator[Source | SourceFailed]:
    if argument == STDIN:
        yield Source(STDIN, None, mapping=mapping)
        return
    path = Path(argument)
    if has_magic(argument) and not os.path.lexists(argument):
        matches = sorted(glob(argument, recursive=True))  # noqa: PTH207 - a whole pattern
        if not matches:
            yield SourceFailed(argument, "no file matches this pattern; check the pattern and the folder")
        whole = {match for match in matches if Path(match).is_dir()}
        for match in matches:
            if any(str(parent) in whole for parent in Path(match).parents):
                continue
            yield from (
                _folder(Path(match), mapping)
                if match in whole
                else _file(Path(match), Path(match).name, mapping)
            )
    elif path.is_dir():
        yield from _folder(path, mapping)
    else:
        yield from _file(path, path.name, mapping)


def _folder(folder: Path, mapping: LogMapping | None) -> Iterator[Source | SourceFailed]:
    refused: list[OSError] = []
    files: list[Path] = []
    linked: list[Path] = []
    for root, folders, names in os.walk(folder, onerror=refused.append):
        folders.sort()
        files += [Path(root, name) for name in names]
        linked += [path for name in folders if (path := Path(root, name)).is_symlink()]
    for error in refused:
        yield SourceFailed(str(error.filename or folder), os_reason(error))
    # One that leads back into the folder leads to what is searched anyway.
    elsewhere = [path for path in linked if not path.resolve().is_relative_to(folder.resolve())]
    for path in elsewhere:
        yield SourceFailed(str(path), "a link to a folder, which is not followed; name that folder as well")
    wanted = [path for path in sorted(files) if _is_log(path.name, mapping)]
    for path in wanted:
        yield from _file(path, path.relative_to(folder).as_posix(), mapping)
    if not wanted and not refused and not elsewhere:
        endings = _ENDINGS_TEXT if mapping is None else ", ".join(_endings(mapping))
        yield SourceFailed(str(folder), f"no round logs in this folder; expected names ending {endings}")


def _is_log(name: str, mapping: LogMapping | None) -> bool:
    if mapping is not None:
        return name.endswith(_endings(mapping))
    return name.endswith(LOG_ENDINGS) or (name.endswith(CSV_ENDINGS) and _csv_role(name) is not None)


def _endings(mapping: LogMapping) -> tuple[str, ...]:
    return CSV_ENDINGS if mapping.document.format == "csv" else LOG_ENDINGS


def _file(path: Path, name: str, mapping: LogMapping | None) -> Iterator[Source | SourceFailed]:
    if not os.path.lexists(path):
        yield SourceFailed(str(path), "no such file; check the name")
    elif mapping is not None:
        yield Source(name, path, mapping=mapping)
    elif path.name.endswith(CSV_ENDINGS):
        yield _csv_pair(path, name)
    else:
        yield Source(name, path)


def _csv_role(name: str) -> str | None:
    return next((role for role in ("rounds", "events") if role in name.split(".csv")[0]), None)


def _csv_pair(path: Path, name: str) -> Source | SourceFailed:
    role = _csv_role(path.name)
    if role is None:
        return SourceFailed(str(path), "a CSV log is two files with 'rounds' and 'events' in their names")
    other = "events" if role == "rounds" else "rounds"
    stem = other.join(path.name.rsplit(".csv", 1)[0].rsplit(role, 1))
    partner = next((found for end in CSV_ENDINGS if (found := path.with_name(stem + end)).exists()), None)
    if partner is None:
        return SourceFailed(
            str(path), f"its other half {stem}.csv is missing beside it; put both in one folder"
        )
    if role == "rounds":
        return Source(name, path, partner)
    return Source((Path(name).parent / partner.name).as_posix(), partner, path)
