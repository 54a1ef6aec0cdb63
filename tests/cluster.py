"""A Dask cluster of processes on this machine, for tests: its scheduler, its workers, and their ends.

And what of a lake is the same whoever replayed it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from audit.digests import files_in
from audit.lake import Lake

HOME = Path(__file__).parents[1]
PATIENCE = 120.0


class Cluster:
    """A scheduler in a folder; what it and its workers say lies there too."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file = folder / "scheduler.json"
        self._commands: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._started(
            # Where a test is killed, they end by themselves.
            *("scheduler", "--port", "0", "--scheduler-file", str(self._file), "--no-dashboard"),
            *("--idle-timeout", "10 minutes"),
        )
        until = time.monotonic() + PATIENCE
        while not self._file.exists():
            assert time.monotonic() < until, "the scheduler did not come"
            time.sleep(0.05)

    @property
    def address(self) -> str:
        """Where the scheduler listens."""
        found: str = json.loads(self._file.read_text(encoding="utf-8"))["address"]
        return found

    def workers(
        self, count: int = 1, threads: int = 1, code: Path = HOME, inside: Path | None = None
    ) -> subprocess.Popen[bytes]:
        """Start workers that keep being replaced; ``code`` is what they run, ``inside`` where they are."""
        return self._started(
            *("worker", self.address, "--nworkers", str(count), "--nthreads", str(threads), "--no-dashboard"),
            *("--memory-limit", "0", "--local-directory", str(self.folder)),
            inside=inside,
            environment={"PYTHONPATH": str(code)},
        )

    def at_work(self, command: subprocess.Popen[bytes]) -> list[psutil.Process]:
        """The worker processes of a command that started some."""
        try:
            children = psutil.Process(command.pid).children()
            return [each for each in children if "spawn_main" in " ".join(each.cmdline())]
        except psutil.NoSuchProcess:
            return []

    def _started(
        self, *arguments: str, inside: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        with (self.folder / f"{len(self._commands)}.log").open("ab") as log:
            command = subprocess.Popen(
                [sys.executable, "-m", "dask", *arguments],
                stdout=log,
                stderr=log,
                cwd=inside or self.folder,
                env={**os.environ, **(environment or {"PYTHONPATH": ""})},
                start_new_session=True,
            )
        self._commands.append(command)
        return command

    def dismiss(self) -> None:
        """Kill all workers, and wait until the scheduler knows."""
        from distributed import Client

        for command in self._commands[1:]:
            kill(command)
        del self._commands[1:]
        with Client(self.address, set_as_default=False) as client:
            until = time.monotonic() + PATIENCE
            while client.scheduler_info(n_workers=-1)["workers"]:
                assert time.monotonic() < until, "the scheduler does not let go of workers"
                time.sleep(0.05)

    def end(self) -> None:
        """Kill everything."""
        for command in self._commands:
            kill(command)


def kill(command: subprocess.Popen[bytes]) -> None:
    """Kill a command and all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(command.pid, signal.SIGKILL)
    command.wait()


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster without workers, ended afterwards."""
    folder.mkdir()
    made = Cluster(folder)
    try:
        yield made
    finally:
        made.end()


def published(lake: Lake) -> dict[str, str]:
    """Every byte of a lake but its catalogue, which names the folder, and Data Docs, which name the time."""
    return {
        place: digest
        for place, digest in files_in(lake.root).items()
        if place != "audit.duckdb" and not place.startswith("report/validation/")
    }
