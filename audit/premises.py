"""The folder of a lake as somebody else may have left it: links out of it, doors closed and open to all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from audit.errors import LakeError, StorageError, storage_error

PRIVATE_MASK = 0o022
"""What files and folders made here never are: writable by the group or by everybody."""


def refuse_links(root: Path, tables: Iterable[str], others: Iterable[str]) -> None:
    """Raise `LakeError` where a place to be written to is a symbolic link, which may lead anywhere.

    ``tables`` are folders of partitions, ``others`` further names in the lake. The lake itself may be
    reached through a link.
    """
    for path in _places(root, tables, others):
        if path.is_symlink():
            raise LakeError(
                f"{path}: a symbolic link, and nothing is written through one; put what it leads to there"
            )


def _places(root: Path, tables: Iterable[str], others: Iterable[str]) -> Iterator[Path]:
    yield from (root / name for name in others)
    for name in tables:
        yield root / name
        yield from (root / name).glob("*")
        yield from (root / name).glob("*/*")


def refuse_closed(root: Path, tables: Iterable[str]) -> None:
    """Raise `StorageError` for a folder of partitions that this user may not look into.

    Whatever looks for files passes over such a folder as though it were empty.
    """
    for name in tables:
        for venue in _folders_in(root / name):
            for day in _folders_in(venue):
                # A writer at work may have taken the folder away meanwhile.
                if not os.access(day, os.R_OK | os.X_OK) and os.access(day, os.F_OK):
                    raise _closed(PermissionError(errno.EACCES, os.strerror(errno.EACCES)), day)


def _folders_in(folder: str | Path) -> list[str]:
    try:
        with os.scandir(folder) as found:
            return [each.path for each in found if each.is_dir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _closed(error, folder) from None


def _closed(error: OSError, folder: str | Path) -> StorageError:
    return storage_error(error, "look into the folder", folder)


def private_umask() -> None:
    """Make no file or folder from now on that the group or everybody may write to."""
    os.umask(os.umask(PRIVATE_MASK) | PRIVATE_MASK)


def open_to_all(root: Path) -> str | None:
    """What to say of a lake in whose folder everybody may put and replace files; None if not so."""
    try:
        mode = root.stat().st_mode
    except OSError:
        return None
    if not mode & stat.S_IWOTH:
        return None
    return f"{root}: everybody on this machine may write to this folder; `chmod o-w {root}` keeps them out"
