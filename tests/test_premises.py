"""What stands in a lake's folder that this program has not put there, and who may write to it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import night, pontoon

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    pontoon("ingest", night("nz-2000"), "--lake", tmp_path / "lake")
    return tmp_path / "lake"


@pytest.mark.parametrize(
    "place",
    ["ledger", ".staging", "rounds", "events", "archive", "findings", ".lock", "report", "audit.duckdb"],
)
def test_nothing_is_written_through_a_link(lake: Path, tmp_path: Path, place: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("kept")
    at = lake / place
    if at.is_dir():
        shutil.copytree(at, elsewhere, dirs_exist_ok=True)
        shutil.rmtree(at)
    at.unlink(missing_ok=True)
    at.symlink_to(elsewhere, target_is_directory=True)
    before = sorted(path.relative_to(elsewhere) for path in elsewhere.rglob("*"))
    for command in (["ingest", night("act-2018")], ["run"]):
        done = pontoon(*command, "--lake", lake)
        assert done.code == 3
        assert f"{at}: a symbolic link" in done.err
    assert sorted(path.relative_to(elsewhere) for path in elsewhere.rglob("*")) == before


def test_nor_through_that_of_a_partition(lake: Path, tmp_path: Path) -> None:
    partition = next(lake.glob("rounds/*/*"))
    shutil.move(partition, tmp_path / "moved")
    partition.symlink_to(tmp_path / "moved")
    done = pontoon("run", "--lake", lake)
    assert done.code == 3
    assert "a symbolic link" in done.err


def test_the_lake_itself_may_be_reached_through_one(lake: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(lake)
    assert pontoon("run", "--lake", link, "--fail-on", "never").code == 0


def test_a_folder_open_to_all_is_told_of(lake: Path) -> None:
    assert "everybody" not in pontoon("ingest", night("act-2018"), "--lake", lake).err
    lake.chmod(0o777)
    done = pontoon("ingest", night("act-2005"), "--lake", lake)
    assert done.code == 0
    assert "everybody on this machine may write to this folder; `chmod o-w" in done.err


def test_nothing_is_made_that_others_may_write_to(tmp_path: Path) -> None:
    command = ["ingest", str(night("nz-2000")), "--lake", str(tmp_path / "lake")]
    subprocess.run(
        [sys.executable, "-c", "from audit.cli import main; main()", *command],
        cwd=ROOT,
        umask=0,
        check=True,
        capture_output=True,
    )
    made = list((tmp_path / "lake").rglob("*"))
    assert len(made) > 5
    assert [path for path in made if path.stat().st_mode & 0o022] == []
