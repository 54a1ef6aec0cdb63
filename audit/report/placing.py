"""Putting a finished report where people look for it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from audit.errors import storage_error


@dataclass(frozen=True, slots=True)
class Ready:
    """A report that only renames keep from its place.

    One that goes into the lake is published together with the tables: ``beside`` has its files and
    folders by their places in the lake. One that goes elsewhere is copied there first, so that a
    disk which refuses does so before anything is published; `install` then shows it, file by file.
    """

    beside: Mapping[str, Path]
    target: Path
    copied: Path | None

    def install(self) -> None:
        """Put a copied report in place; raises `StorageError`."""
        if self.copied is None:
            return
        try:
            for path in sorted(self.copied.iterdir()):
                target = self.target / path.name
                if path.is_dir() and target.exists():
                    target.rename(self.copied.with_name(f"old-{path.name}"))
                path.replace(target)
        except OSError as error:
            raise storage_error(error, "write the report", self.target) from None


@contextmanager
def made_ready(made: Path, target: Path, lake: Path) -> Iterator[Ready]:
    """Have the report in the folder ``made`` of a lake ready for ``target``; raises `StorageError`."""
    place = _place_in(target, lake)
    if place is not None:
        yield Ready({(place / path.name).as_posix(): path for path in sorted(made.iterdir())}, target, None)
        return
    try:
        target.mkdir(parents=True, exist_ok=True)
        aside = tempfile.TemporaryDirectory(dir=target, prefix=".report-", ignore_cleanup_errors=True)
    except OSError as error:
        raise storage_error(error, "write the report", target) from None
    with aside as name:
        try:
            copied = Path(name) / "new"
            for path in sorted([made, *made.rglob("*")]):
                there = copied / path.relative_to(made)
                if path.is_dir():
                    there.mkdir()
                else:
                    shutil.copyfile(path, there)
        except OSError as error:
            raise storage_error(error, "write the report", target) from None
        yield Ready({}, target, copied)


def _place_in(target: Path, lake: Path) -> Path | None:
    """Where in a lake a folder is; None where it is elsewhere, or on another disk."""
    root, folder = lake.resolve(), target.resolve()
    if not folder.is_relative_to(root):
        return None
    if folder.exists() and folder.stat().st_dev != root.stat().st_dev:
        return None
    return folder.relative_to(root)
