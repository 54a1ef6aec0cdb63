"""A command in a process of its own that can be stopped, or looked at, at each single step.

A step is a change to the lake that Python makes: a rename, a link, a folder made or removed, a file
opened to write. They are told by audit events of the interpreter, before they happen, so that the
program knows nothing of it.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audit import cli, run
from audit.ingest import crew, pipeline, shelves
from audit.publication import INTENT
from audit.surveil import missing
from tests.unvalidated import passed

STEPS = frozenset({"os.rename", "os.link", "os.mkdir", "os.remove", "os.rmdir", "os.truncate"})
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
SERIES = 20
"""Series of shoes that surveillance deals to tell what it can see. A kill does not care for the figures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Driven:
    """A command on a lake, and what is done to it.

    ``kill_at`` is the step at which it gets the signal ``by``; ``copies`` is the folder into which the
    lake is copied before every step, or before one of ``every`` so many. Steps are counted from the
    writing of the intent. ``part_bytes`` makes parts of that many bytes of log, ``readers`` has an input
    read by that many processes however small it is; ``errors`` is the file that standard error goes to.
    Not ``validated``, a run says that it passed without the seconds that Great Expectations takes.
    """

    arguments: tuple[str, ...]
    lake: Path
    kill_at: int | None = None
    by: int = signal.SIGKILL
    copies: Path | None = None
    every: int = 1
    part_bytes: int | None = None
    readers: int | None = None
    validated: bool = True
    errors: Path = Path(os.devnull)


class _Steps:
    """Counts the steps of this process from the writing of the intent on."""

    def __init__(self, driven: Driven) -> None:
        self._driven = driven
        self._begun = False
        self._busy = False
        self.count = 0

    def heard(self, event: str, given: tuple[Any, ...]) -> None:
        if self._busy or not self._is_step(event, given):
            return
        if not self._begun:
            self._begun = any(INTENT in str(each) for each in given[:2])
            if not self._begun:
                return
        self.count += 1
        if self.count == self._driven.kill_at:
            os.kill(os.getpid(), self._driven.by)
        if self._driven.copies is not None and self.count % self._driven.every == 0:
            self._busy = True
            copied(self._driven.lake, self._driven.copies / f"{self.count:04d}")
            self._busy = False

    def _is_step(self, event: str, given: tuple[Any, ...]) -> bool:
        lake = str(self._driven.lake)
        if event == "open":
            path, _, flags = given
            return bool(flags & WRITING) and str(path).startswith(lake)
        # What clears a whole folder up names its files by their place in it, and is one step.
        return event in STEPS and str(given[0]).startswith(lake)


def copied(lake: Path, target: Path) -> None:
    """A copy of a lake as it is, without what a run has linked to look at."""
    shutil.copytree(
        lake,
        target,
        symlinks=True,
        ignore=lambda folder, names: {"lake"} & {*names} if Path(folder).parent.name == ".staging" else set(),
    )


def perform(driven: Driven) -> None:
    """Run the command in this process, in a group of its own, and end with its exit code."""
    os.setsid()
    # A shell that starts the tests in the background has them ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    steps = _Steps(driven)
    with driven.errors.open("w") as errors, Path(os.devnull).open("w") as nowhere:
        os.dup2(errors.fileno(), 2)
        os.dup2(nowhere.fileno(), 1)
        sys.stderr, sys.stdout = errors, nowhere
        vars(missing)["RUNS"] = SERIES
        if driven.part_bytes is not None:
            shelves.PART_BYTES = driven.part_bytes
        if not driven.validated:
            vars(run)["_Night"]._validate = passed
        if driven.readers is not None:
            readers = driven.readers
            vars(pipeline)["Crew"] = lambda _: crew.Crew(readers)
        if driven.copies is not None or driven.kill_at is not None:
            sys.addaudithook(steps.heard)
        sys.exit(_main(driven.arguments))


def _main(arguments: Sequence[str]) -> int:
    sys.argv = ["pontoon-audit", *arguments]
    try:
        cli.main()
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else 1
    return 0
