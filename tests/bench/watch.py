"""A command watched from outside: time, processor time and memory, as the operating system counts them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EVERY = 0.05
"""Seconds between two looks at the memory of all processes together, at the least."""

SHARE = 0.02
"""The part of the time that looking may take: it costs milliseconds, which what is watched would miss."""

PROC = Path("/proc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """One run of a command.

    ``seconds`` from start to end, ``processor`` seconds of all its processes; ``largest``
    resident set of any of them in bytes, which is the maximum that ``/usr/bin/time -v``
    gives; ``together`` the most that all held at one time, shared pages counted once.
    ``answer`` is what it printed as JSON.
    """

    seconds: float
    processor: float
    largest: int
    together: int
    answer: Any


_BETWEEN = """
import json, resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    json.dump([usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024], file)
sys.exit(code)
"""
"""A small process between, since a new one counts what the one that started it held until then."""


def watch(arguments: Sequence[str]) -> Watched:
    """Run a Python command to its end; raises ``RuntimeError`` with what it printed where it fails."""
    with tempfile.TemporaryDirectory() as name:
        used, out, problems = (Path(name) / each for each in ("used", "out", "problems"))
        between = [sys.executable, "-I", "-S", "-c", _BETWEEN, str(used)]
        with out.open("wb") as printed, problems.open("wb") as complained:
            started = time.perf_counter()
            process = subprocess.Popen(
                [*between, sys.executable, *arguments], stdout=printed, stderr=complained
            )
            looks = _Looks(process.pid)
            looks.start()
            code = process.wait()
            seconds = time.perf_counter() - started
            looks.stop()
        if code:
            raise RuntimeError(f"{' '.join(arguments)}: exit {code}\n{problems.read_text()}")
        processor, largest = json.loads(used.read_bytes())
        answer = json.loads(out.read_bytes() or b"{}")
    return Watched(
        seconds=seconds,
        processor=processor,
        largest=largest,
        together=max(looks.most, largest),
        answer=answer,
    )


class _Looks(threading.Thread):
    """Adds up, again and again, the memory of all processes below one."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._over = threading.Event()
        self.most = 0

    def run(self) -> None:
        pause = EVERY
        while not self._over.wait(pause):
            started = time.perf_counter()
            self.most = max(self.most, sum(map(memory, family(self._pid)[1:])))
            pause = max(EVERY, (time.perf_counter() - started) / SHARE)

    def stop(self) -> None:
        self._over.set()
        self.join()


def family(pid: int) -> list[int]:
    """A process and all below it, those that are gone by now left out."""
    found = [pid]
    for each in found:
        for task in PROC.glob(f"{each}/task/*/children"):
            try:
                found += map(int, task.read_text().split())
            except OSError:
                continue
    return found


def memory(pid: int) -> int:
    """What a process holds in bytes, its share of pages that others hold too; 0 where it is gone."""
    try:
        rollup = (PROC / str(pid) / "smaps_rollup").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:")), 0)
