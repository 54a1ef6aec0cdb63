"""The folder of a lake as somebody else may have left it: links out of it, and doors open to all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from audit.errors import LakeError

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
