"""Work in processes of their own: its values, its errors, what it tells, and what a kill costs."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from audit.engines.local import MEMORY
from audit.errors import AuditError
from audit.workers import WorkerKilled, Workers, tell

PATIENCE = 60.0


def double(number: int) -> int:
    return 2 * number


def refuse(words: str) -> None:
    raise AuditError(words)


def count(units: int) -> int:
    for _ in range(units):
        tell(1)
    return os.getpid()


def environment() -> dict[str, str]:
    return dict(os.environ)


def memory_pool() -> str:
    return str(pa.default_memory_pool().backend_name)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def sleep(started: Path) -> None:
    started.write_text(str(os.getpid()))
    time.sleep(PATIENCE)


def test_where_replaying_processes_take_their_memory_from(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrow passes over a name that it does not know."""
    for name in MEMORY:
        monkeypatch.delenv(name, raising=False)
    with Workers(1, environment=MEMORY) as workers:
        assert workers.give(memory_pool).result(PATIENCE) == "system"


def test_values_errors_and_what_is_told() -> None:
    told: list[int] = []
    with Workers(2, told=told.append) as workers:
        doubled = [workers.give(double, each) for each in range(20)]
        counted = [workers.give(count, 5) for _ in range(4)]
        refused = workers.give(refuse, "no such venue")
        assert [each.result(PATIENCE) for each in doubled] == [2 * each for each in range(20)]
        assert os.getpid() not in {each.result(PATIENCE) for each in counted}
        with pytest.raises(AuditError, match="no such venue") as error:
            refused.result(PATIENCE)
    assert "in refuse" in error.value.__notes__[0]
    assert told == [1] * 20


def test_processes_have_variables_that_this_one_has_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PONTOON_GIVEN", "by the user")
    with Workers(1, environment={"PONTOON_GIVEN": "by us", "PONTOON_NEW": "1"}) as workers:
        theirs = workers.give(environment).result(PATIENCE)
    assert (theirs["PONTOON_GIVEN"], theirs["PONTOON_NEW"]) == ("by the user", "1")
    assert "PONTOON_NEW" not in os.environ


@pytest.mark.slow
def test_a_kill_costs_the_task_and_nothing_else() -> None:
    with Workers(2) as workers:
        given: list[Future[Any]] = [
            workers.give(die) if each % 5 == 0 else workers.give(double, each) for each in range(20)
        ]
        done, pending = wait(given, PATIENCE)
        assert not pending
        assert [type(each.exception()) for each in given] == [
            WorkerKilled if each % 5 == 0 else type(None) for each in range(20)
        ]
        assert len(done) == 20


@pytest.mark.slow
def test_leaving_ends_what_is_at_work(tmp_path: Path) -> None:
    started = tmp_path / "started"
    begun = time.monotonic()
    with Workers(1) as workers:
        workers.give(sleep, started)
        waiting = workers.give(double, 1)
        while not started.exists() or not started.read_text():
            assert time.monotonic() < begun + PATIENCE
            time.sleep(0.01)
    assert waiting.cancelled()
    assert time.monotonic() < begun + PATIENCE
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)
