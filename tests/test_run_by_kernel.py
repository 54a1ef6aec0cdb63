"""A run through the kernel publishes the bytes of one through the readable engine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from audit import engines
from audit.behind import rows_behind
from audit.causes.counting import Stored, count_in
from audit.commands.lakes import rebuild_report
from audit.engines import Work, local
from audit.ingest.pipeline import ingest
from audit.lake import Lake
from audit.law import load_law
from audit.layout import Partition
from audit.partitions import Choice
from audit.report import gather
from audit.run import run
from audit.workers import Workers
from rules_replay.rulebook import rulebook_ids
from rules_replay.venues import Register
from tests.commands import night

TABLES = ("hands", "settlements", "findings", "coverage")


def _published(lake: Lake) -> dict[str, str]:
    paths = [path for table in TABLES for path in sorted((lake.root / table).rglob("*.parquet"))]
    return {str(path.relative_to(lake.root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernel", "validated")
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
@pytest.mark.usefixtures("compiled_kernel", "unvalidated")
def test_the_report_of_rows_kept_aside_is_the_report_of_the_lake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    counted_anew: list[Partition] = []

    def noted(folder: Path, table: str) -> Iterator[pa.RecordBatch]:
        asked.append(table)
        return rows_behind(folder, table)

    def count_noted(files: Stored, partition: Partition, register: Register, path: Path) -> None:
        counted_anew.append(partition)
        count_in(files, partition, register, path)

    lake = Lake(tmp_path / "lake")
    for rulebook in ("adelaide-2008", "rws-2017"):
        ingest([night(rulebook)], lake, load_law().register)
    monkeypatch.setattr(engines, "FAST_FROM", 1)
    monkeypatch.setattr(gather, "rows_behind", noted)
    monkeypatch.setattr(gather, "count_in", count_noted)
    run(lake, load_law(), Choice(), jobs=2)
    assert set(asked) == {"rounds", "hands", "settlements", "events"}
    assert not counted_anew
    asked.clear()

    again = rebuild_report(lake, load_law(), Choice(), tmp_path / "again")

    assert not asked
    assert counted_anew
    for path in again.paths:
        assert path.read_bytes() == (lake.root / "report" / path.name).read_bytes()


@pytest.mark.slow
@pytest.mark.usefixtures("compiled_kernel", "unvalidated")
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
