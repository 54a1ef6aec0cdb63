"""Finding the inputs that arguments name: files, folders, patterns and standard input."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING

from audit.errors import SourceFailed, os_reason
from audit.layout import is_lake

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
    goes into folders) or ``-``. Lakes in a folder are passed over. A file named twice is returned
    once. With a ``mapping`` they are the files of its vendor.
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


def lakes_among(arguments: Iterable[str | Path]) -> list[Path]:
    """The lakes that lie where arguments have `find_sources` search, and that it passes over."""
    found: list[Path] = []
    for argument in map(str, arguments):
        for place in _matches(argument) if _is_pattern(argument) else [Path(argument)]:
            if not is_lake(place):
                found += _search(place).lakes
            elif _is_pattern(argument):
                found.append(place)
    return list(dict.fromkeys(found))


def what_audits(lake: Path) -> str:
    """Advice to who wanted the logs in a lake."""
    return f"`pontoon-audit run --lake {lake}` audits what it holds"


def _is_pattern(argument: str) -> bool:
    return has_magic(argument) and not os.path.lexists(argument)


def _matches(pattern: str) -> list[Path]:
    """What a pattern matches, without what is in folders that it matches."""
    matches = sorted(glob(pattern, recursive=True))  # noqa: PTH207 - a whole pattern
    whole = {match for match in matches if Path(match).is_dir()}
    return [Path(match) for match in matches if not any(str(each) in whole for each in Path(match).parents)]


def _expand(argument: str, mapping: LogMapping | None) -> Iterator[Source | SourceFailed]:
    if argument == STDIN:
        yield Source(STDIN, None, mapping=mapping)
        return
    path = Path(argument)
    if _is_pattern(argument):
        matches = [match for match in _matches(argument) if not is_lake(match)]
        if not matches:
            yield SourceFailed(argument, "no file matches this pattern; check the pattern and the folder")
        for match in matches:
            yield from _folder(match, mapping) if match.is_dir() else _file(match, match.name, mapping)
    elif is_lake(path):
        yield SourceFailed(argument, f"a lake, in which no logs are looked for; {what_audits(path)}")
    elif path.is_dir():
        yield from _folder(path, mapping)
    else:
        yield from _file(path, path.name, mapping)


@dataclass(slots=True)
class _Found:
    """What a folder holds: files, links to folders, lakes, and what may not be looked into."""

    files: list[Path] = field(default_factory=list)
    linked: list[Path] = field(default_factory=list)
    lakes: list[Path] = field(default_factory=list)
    refused: list[OSError] = field(default_factory=list)


def _search(folder: Path) -> _Found:
    found = _Found()
    for root, folders, names in os.walk(folder, onerror=found.refused.append):
        found.files += [Path(root, name) for name in names]
        inside, folders[:] = sorted(folders), []
        for name in inside:
            path = Path(root, name)
            if is_lake(path):
                found.lakes.append(path)
                continue
            folders.append(name)
            if path.is_symlink():
                found.linked.append(path)
    return found


def _folder(folder: Path, mapping: LogMapping | None) -> Iterator[Source | SourceFailed]:
    found = _search(folder)
    for error in found.refused:
        yield SourceFailed(str(error.filename or folder), os_reason(error))
    # One that leads back into the folder leads to what is searched anyway.
    elsewhere = [path for path in found.linked if not path.resolve().is_relative_to(folder.resolve())]
    for path in elsewhere:
        yield SourceFailed(str(path), "a link to a folder, which is not followed; name that folder as well")
    wanted = [path for path in sorted(found.files) if _is_log(path.name, mapping)]
    for path in wanted:
        yield from _file(path, path.relative_to(folder).as_posix(), mapping)
    if not wanted and not found.refused and not elsewhere:
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
