"""Files for other programs, put in place whole or added to line by line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes the place of ``path`` when all of it is on disk.

    A reader sees the old file or the new one. The name in between ends in ``.new``, which no
    collector takes for its own. On an error nothing of it stays; raises ``OSError``.
    """
    aside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with aside.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def append_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Add lines to a file, made if need be; a line that was cut off before them is ended first.

    On an error nothing of them stays; raises ``OSError``.
    """
    with path.open("ab+") as file:
        before = file.seek(0, os.SEEK_END)
        torn = False
        if before:
            file.seek(before - 1)
            torn = file.read(1) != b"\n"
        try:
            file.write((b"\n" if torn else b"") + b"".join(line + b"\n" for line in lines))
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            os.ftruncate(file.fileno(), before)
            raise
