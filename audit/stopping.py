"""Being told to stop: Ctrl-C and SIGTERM, and the end of the process that gave the work."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess


class Terminated(KeyboardInterrupt):
    """The process was told to end by SIGTERM; whatever handles Ctrl-C handles it as well."""


def end_on_sigterm() -> None:
    """Have SIGTERM raise `Terminated` in this process, so that what it does is ended in order."""
    signal.signal(signal.SIGTERM, _terminate)


def _terminate(number: int, frame: FrameType | None) -> None:
    # A second one, as a scheduler may send it, must not cut off the clearing up.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Terminated


@contextmanager
def unstopped() -> Iterator[None]:
    """Put Ctrl-C and SIGTERM off until what is done inside is over; they then count."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    before = {each: signal.signal(each, note) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
        for number in came[:1]:
            signal.raise_signal(number)


def end_with_parent() -> None:
    """In a process that was given work: leave stopping to the one that gave it, and end when it ends."""
    # A command line that starts no processes does without this import.
    from multiprocessing import parent_process

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
