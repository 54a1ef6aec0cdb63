"""Killed at any step: a reader sees each partition as before or as it is to be, and the next writer ends it.

More kills: ``python -m tests.crash --kills 300``.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.crash.aftermath import Left, mended_by_next
from tests.crash.kills import Tally, each_step, killed_at_random, killed_at_steps
from tests.crash.lakes import Stage

pytestmark = pytest.mark.slow

STEPS_APART = {"ingest": 6, "supersede": 4, "run": 8, "surveil": 1}
"""Every how many steps of a command its lake is looked at; surveillance puts three files in place."""
AT_WORK, PUTTING = "at work or clearing up", "while putting in place"


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(tmp_path_factory.mktemp("kills"), validated=False)


def goes_from_old_to_new(found: list[Left], every: int) -> None:
    """A publication that is looked at step by step begins with no partition new, and ends with all.

    A partition takes two steps at least, so the first look may find ``every // 2`` of them new.
    """
    assert found[0].new <= every // 2
    assert found[-1].new == found[0].changing
    assert [each.new for each in found] == sorted(each.new for each in found)
    assert any(0 < each.new < each.changing for each in found)


def test_processes_that_kill_themselves(stage: Stage) -> None:
    found = killed_at_steps(stage.scenario("ingest"), [1, 9, 20])
    assert [each.moment for each in found] == [AT_WORK, PUTTING, PUTTING]


def test_runs_that_kill_themselves(stage: Stage) -> None:
    found = killed_at_steps(stage.scenario("run"), [1, 30])
    assert [each.moment for each in found] == [AT_WORK, PUTTING]


def test_a_run_with_all_its_pages_kills_itself(stage: Stage) -> None:
    """Those of a validation, which the others leave out, are put in place with the rest."""
    found = killed_at_steps(stage.scenario("run", validated=True), [30], then=mended_by_next)
    assert [each.moment for each in found] == [PUTTING]


@pytest.mark.parametrize("name", STEPS_APART)
def test_steps_of_every_command(stage: Stage, tmp_path: Path, name: str) -> None:
    every = STEPS_APART[name]
    found = each_step(stage.scenario(name), tmp_path, every)
    goes_from_old_to_new(found, every)
    assert PUTTING in {each.moment for each in found}


@pytest.mark.parametrize(("name", "kills"), [("ingest", 2), ("supersede", 2), ("run", 1), ("surveil", 1)])
def test_random_kills(stage: Stage, name: str, kills: int) -> None:
    tally = Tally()
    chance = random.Random(name)
    scenario = stage.scenario(name)
    for _ in range(kills):
        killed_at_random(scenario, chance, tally)
    assert tally.kills == kills
    assert tally.kills > tally.ended_before
