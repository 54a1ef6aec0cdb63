"""The same input under the same code gives the same bytes on machines that differ in everything else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from audit.clock import now
from audit.digests import file_digest
from audit.errors import UsageProblem
from tests.commands import night, pontoon

ROOT = Path(__file__).parents[1]
INSTANT = "1767323045"
LOGS = ("act-2018", "nz-2000")

ONE_MACHINE = {
    "PYTHONHASHSEED": "1",
    "TZ": "Pacific/Kiritimati",
    "LC_ALL": "C",
    "POLARS_MAX_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}
ANOTHER = {
    "PYTHONHASHSEED": "4242",
    "TZ": "America/St_Johns",
    "LC_ALL": "C.UTF-8",
    "POLARS_MAX_THREADS": "4",
    "OMP_NUM_THREADS": "4",
    "PYTHONUTF8": "1",
    "COLUMNS": "200",
}
ANYWHERE = {
    name: value
    for name, value in os.environ.items()
    if name not in {*ONE_MACHINE, *ANOTHER, "LANG", "LANGUAGE"} and not name.startswith("LC_")
}


def audited(folder: Path, machine: dict[str, str], logs: list[str], jobs: int, umask: int) -> dict[str, str]:
    """The digest of every file of a lake made in a process of its own, the catalogue left out.

    It names its lake by an absolute path, and is no evidence.
    """
    (folder / "logs").mkdir(parents=True)
    for log in logs:
        shutil.copyfile(night(log), folder / "logs" / f"{log}.jsonl")
    environment = {**ANYWHERE, **machine, "SOURCE_DATE_EPOCH": INSTANT, "PYTHONPATH": str(ROOT)}
    for command in (
        ["ingest", "logs", "--lake", "lake"],
        ["run", "--lake", "lake", "--jobs", str(jobs), "--fail-on", "never"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", "from audit.cli import main; main()", *command],
            cwd=folder,
            env=environment,
            umask=umask,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
    lake = folder / "lake"
    return {
        path.relative_to(lake).as_posix(): file_digest(path)
        for path in sorted(lake.rglob("*"))
        if path.is_file() and path.name not in {"audit.duckdb", ".lock"} and path.suffix != ".sqlite"
    }


@pytest.mark.slow
def test_two_machines_publish_the_same_bytes(tmp_path: Path) -> None:
    one = audited(tmp_path / "a", ONE_MACHINE, [*LOGS], jobs=1, umask=0o077)
    other = audited(tmp_path / "elsewhere" / "and deeper é", ANOTHER, [*reversed(LOGS)], jobs=2, umask=0o022)
    assert one == other
    assert any(name.startswith("findings/") for name in one)
    assert {
        "ledger/ingests.jsonl",
        "ledger/runs.jsonl",
        "report/report.html",
        "report/exceptions.xlsx",
    } <= one.keys()


class TestTheInstant:
    """`SOURCE_DATE_EPOCH` fixes what is recorded as the time."""

    def test_is_taken_from_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", INSTANT)
        assert now().isoformat() == "2026-01-02T03:04:05+00:00"

    def test_is_whole_seconds_of_utc_otherwise(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
        found = now()
        assert found.microsecond == 0
        assert found.utcoffset() is not None

    @pytest.mark.parametrize("text", ["soon", "", "1e9", "9" * 40])
    def test_is_refused_in_one_line(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> None:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", text)
        with pytest.raises(UsageProblem, match="SOURCE_DATE_EPOCH"):
            now()
        refused = pontoon("ingest", night("nz-2000"), "--lake", tmp_path / "lake")
        assert refused.code == 2
        assert refused.err.startswith("pontoon-audit: SOURCE_DATE_EPOCH=")
