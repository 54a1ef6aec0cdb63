"""A run through the kernel publishes the bytes of one through the readable engine."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from audit import engines
from audit.engines import Work, local
from audit.ingest.pipeline import ingest
from audit.lake import Lake
from audit.law import load_law
from audit.partitions import Choice
from audit.run import run
from audit.workers import Workers
from rules_replay.rulebook import rulebook_ids
from tests.commands import night

TABLES = ("hands", "settlements", "findings", "coverage")


def _published(lake: Lake) -> dict[str, str]:
    paths = [path for table in TABLES for path in sorted((lake.root / table).rglob("*.parquet"))]
    return {str(path.relative_to(lake.root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernel")
def test_the_kernel_publishes_what_the_readable_engine_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Lake(tmp_path / "lake")
    for rulebook in rulebook_ids():
        ingest([night(rulebook)], lake, load_law().register)
    run(lake, load_law(), Choice(), jobs=1)
    readable = _published(lake)

    monkeypatch.setattr(engines, "FAST_FROM", 1)
    outcome = run(lake, load_law(), Choice(), jobs=1)

    assert readable
    assert _published(lake) == readable
    assert outcome.record["counts"]["rounds_compared"] > 0
    assert outcome.record["counts"]["rounds_disagreed"] == 0


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernel")
def test_one_process_compiles_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []

    class Counted(Workers):
        def __init__(self, jobs: int, **rest: Any) -> None:
            started.append(jobs)
            super().__init__(jobs, **rest)

    lake = Lake(tmp_path / "lake")
    ingest([night("nz-2000"), night("act-2005"), night("rws-2017")], lake, load_law().register)
    monkeypatch.setattr(local, "is_compiled", lambda: False)
    monkeypatch.setattr(local, "Workers", Counted)
    monkeypatch.setattr(Work, "by_kernel", True)
    outcome = run(lake, load_law(), Choice(), jobs=2)
    assert started == [1, 2]
    assert outcome.record["counts"]["rounds"] > 0
