"""How far the work is, on standard error: bars on a terminal, plain lines or JSON otherwise."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from audit.observe.log import Level, in_json, note, say

EVERY = 5.0
"""Seconds between two plain lines about the same work."""

PATIENCE = 2.0
"""Seconds before the first of them."""

Advance = Callable[[int], None]
"""Called with how many are done so far, all told."""


class Progress:
    """Tells people what is being done and how far it is.

    On ``stream``, always in plain lines or bars; without one on standard error, as `speak` chose.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._terminal = (stream or sys.stderr).isatty() and (stream is not None or not in_json())

    def say(self, text: str, event: str = "message", level: Level = "info", **fields: Any) -> None:
        """One line, at once."""
        if self._stream is None:
            say(text, event, level, **fields)
        else:
            print(text, file=self._stream, flush=True)

    @contextmanager
    def work(self, title: str, total: int | None = None) -> Iterator[Advance]:
        """Work that is counted as it goes, of so many units where that is known."""
        self._note(title, "work.started", total=total)
        started = time.monotonic()
        if self._terminal:
            with self._bar(title, total) as advance:
                yield advance
        else:
            yield self._lines(title, total)
        self._finished(title, started)

    @contextmanager
    def wait(self, title: str) -> Iterator[None]:
        """Work that takes seconds and cannot say how far it is."""
        started = time.monotonic()
        if self._terminal:
            with self._bar(title, None):
                yield
        else:
            self.say(f"{title} …", "work.started", title=title)
            yield
        self._finished(title, started)

    def _finished(self, title: str, started: float) -> None:
        self._note(title, "work.finished", seconds=round(time.monotonic() - started, 3))

    def _note(self, title: str, event: str, **fields: Any) -> None:
        if self._stream is None:
            note(f"{title}: {event.partition('.')[2]}", event, title=title, **fields)

    @contextmanager
    def _bar(self, title: str, total: int | None) -> Iterator[Advance]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bars

        counted = (SpinnerColumn(),) if total is None else (BarColumn(), MofNCompleteColumn())
        console = Console(file=self._stream or sys.stderr)
        with Bars(TextColumn("{task.description}"), *counted, TimeElapsedColumn(), console=console) as bars:
            task = bars.add_task(title, total=total)
            yield lambda done: bars.update(task, completed=done)

    def counting(self) -> Callable[[str, int], None]:
        """For work that names itself as it goes: called with a name and how many of it are done."""
        last = time.monotonic() + PATIENCE - EVERY

        def count(name: str, done: int) -> None:
            nonlocal last
            if time.monotonic() >= last + EVERY:
                last = time.monotonic()
                self.say(f"{name}: {done:,}", "work.progress", title=name, done=done)

        return count

    def _lines(self, title: str, total: int | None) -> Advance:
        next_line = time.monotonic() + PATIENCE

        def advance(done: int) -> None:
            nonlocal next_line
            if time.monotonic() >= next_line:
                next_line = time.monotonic() + EVERY
                text = f"{title}: {done:,}" if total is None else f"{title}: {done:,} of {total:,}"
                self.say(text, "work.progress", title=title, done=done, total=total)

        return advance
