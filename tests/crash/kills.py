"""Killing commands at random moments and at chosen steps."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from audit.publication import INTENT
from tests.crash.aftermath import Left, left_by_kill, mended_by_next, right_when_run_again
from tests.crash.lakes import Scenario, ended, started

AIMS = ("any moment", "the publication", "the end")
"""Kills are spread over the whole command, over the moving of files, and over what follows."""

PUBLICATION_SECONDS = 0.02


@dataclass(slots=True)
class Tally:
    """What came of some kills. ``moments`` counts them by command and by what it was doing."""

    kills: int = 0
    ended_before: int = 0
    observations: int = 0
    moments: Counter[tuple[str, str]] = field(default_factory=Counter)
    mixed: int = 0

    def add(self, scenario: Scenario, left: Left, *, ended_before: bool) -> None:
        """Count one kill."""
        self.kills += 1
        self.ended_before += ended_before
        self.observations += 2 * len(scenario.old.by_duckdb.keys() | scenario.new.by_duckdb.keys())
        self.moments[scenario.name, left.moment] += 1
        self.mixed += 0 < left.new < left.changing

    def as_json(self) -> dict[str, Any]:
        """Ready for JSON."""
        moments: dict[str, dict[str, int]] = {}
        for (command, moment), number in sorted(self.moments.items()):
            moments.setdefault(command, {})[moment] = number
        return {
            "kills": self.kills,
            "ended before the kill": self.ended_before,
            "partitions looked at": self.observations,
            "lakes with old and new partitions": self.mixed,
            "moments": moments,
        }


def killed_at_random(scenario: Scenario, chance: random.Random, tally: Tally) -> None:
    """Kill a command at a random moment, check what it left, and run it again."""
    scenario.restore()
    seconds = scenario.seconds
    aim = chance.choice(AIMS)
    process = started(scenario.driven())
    if aim == "any moment":
        process.join(chance.uniform(0, seconds))
    else:
        _wait_for_intent(process, scenario.lake)
        process.join(chance.uniform(0, PUBLICATION_SECONDS if aim == "the publication" else seconds / 4))
    ended_before = not process.is_alive()
    kill_group(process)
    tally.add(scenario, left_by_kill(scenario), ended_before=ended_before)
    right_when_run_again(scenario)


def _wait_for_intent(process: BaseProcess, lake: Path) -> None:
    while process.is_alive() and next(lake.glob(f".staging/*/{INTENT}"), None) is None:
        time.sleep(0.0005)


def kill_group(process: BaseProcess) -> None:
    """SIGKILL a command and all processes that it started, and wait until they are gone."""
    assert process.pid is not None
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join()
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.005)
    raise AssertionError("a process that was killed is still there")


def each_step(scenario: Scenario, folder: Path, every: int = 1) -> list[Left]:
    """Look at the lake as it is before each step of a publication, and have the next writer mend it.

    A process that is killed leaves just what is in the files at that moment, so a copy of them is
    what it would leave there.
    """
    scenario.restore()
    code = ended(scenario.driven(copies=folder, every=every))
    assert code == scenario.code
    found = []
    for copy in sorted(folder.iterdir()):
        shutil.rmtree(scenario.lake)
        copy.rename(scenario.lake)
        found.append(left_by_kill(scenario))
        mended_by_next(scenario)
    return found


def killed_at_steps(
    scenario: Scenario, steps: Sequence[int], then: Callable[[Scenario], None] = right_when_run_again
) -> list[Left]:
    """Have a command kill itself at some steps, each time check what it left, and run it again."""
    found = []
    for step in steps:
        scenario.restore()
        assert ended(scenario.driven(kill_at=step)) == -signal.SIGKILL
        found.append(left_by_kill(scenario))
        then(scenario)
    return found
