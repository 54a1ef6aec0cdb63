"""A command that kills itself as it makes an object: ``python -m tests.remote_killed before 3 ARGUMENTS``.

Of the objects that it makes the one so numbered, from 1, is never made, or is the last one made.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

from audit.cli import main
from audit.remote.s3 import S3Store
from audit.remote.store import FolderStore


def killing(make: Callable[..., None], before: bool, number: int, counted: list[int]) -> Callable[..., None]:
    """Make an object, and end without any clearing up where it is its turn."""
    # One at a time, so that a number says how many are there.
    alone = threading.Lock()

    def made(*arguments: Any) -> None:
        with alone:
            counted.append(1)
            if before and len(counted) == number:
                os.kill(os.getpid(), signal.SIGKILL)
            try:
                make(*arguments)
            finally:
                if not before and len(counted) == number:
                    os.kill(os.getpid(), signal.SIGKILL)

    return made


if __name__ == "__main__":
    when, at = sys.argv[1], int(sys.argv[2])
    so_far: list[int] = []
    for store in (FolderStore, S3Store):
        for name in ("create", "upload"):
            setattr(store, name, killing(getattr(store, name), when == "before", at, so_far))
    sys.argv[1:3] = []
    main()
