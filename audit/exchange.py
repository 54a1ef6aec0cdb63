"""Two folders change places in one step, so that a reader sees the one or the other whole."""

from __future__ import annotations

import ctypes
import errno
import os
from functools import cache
from pathlib import Path
from typing import Any, Final

_HERE: Final = -100
_EXCHANGE: Final = 2
_UNSUPPORTED: Final = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP})


def exchange(one: Path, other: Path, aside: Path) -> None:
    """Have two folders of one file system change places.

    Linux does it in one step. On a file system that cannot, such as NFS, it takes three renames by
    way of ``aside``, and ``other`` is missing between the first and the second.
    """
    renameat2 = _renameat2()
    if renameat2 is not None:
        if renameat2(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0:
            return
        number = ctypes.get_errno()
        if number not in _UNSUPPORTED:
            raise OSError(number, os.strerror(number), str(one), None, str(other))
    other.rename(aside)
    one.rename(other)
    aside.rename(one)


@cache
def _renameat2() -> Any:
    """The call of the C library, None where it has none."""
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
