"""A command that kills itself as it makes an object.

Of the objects that it makes the one so numbered, from 1, is never made, or is the last one made.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import audit.ingest.pipeline
import audit.law
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


def kills_itself(before: bool, number: int, *arguments: str | Path) -> bool:
    """Run a command in a process forked from one with all imports done; whether it killed itself."""
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__])
    given = (dict(os.environ), before, number, [*map(str, arguments)])
    process = context.Process(target=_perform, args=given)
    process.start()
    process.join()
    return process.exitcode == -signal.SIGKILL


def _perform(environment: Mapping[str, str], before: bool, number: int, arguments: list[str]) -> None:
    # It is forked from a process that may be older than what the test has put there.
    os.environ.clear()
    os.environ.update(environment)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    counted: list[int] = []
    for store in (FolderStore, S3Store):
        for name in ("create", "upload"):
            setattr(store, name, killing(getattr(store, name), before, number, counted))
    sys.argv = ["pontoon-audit", *arguments]
    main()


__all__ = ["audit", "kills_itself"]
