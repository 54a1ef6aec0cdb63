"""A lake on an S3 server: audited, read by other programs, and left alone when the server is gone."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from audit.remote.s3 import S3Store
from tests.commands import night, pontoon
from tests.object_storage import BUCKET, INSTANT, Kept, S3Server, contents, s3_server

PAGE = Path(__file__).parents[1] / "docs" / "object-storage.md"


@pytest.fixture(autouse=True, scope="module")
def server() -> Iterator[S3Server]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", INSTANT)
        with s3_server(patch) as running:
            yield running


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """A lake that a night was ingested into; not to be altered."""
    kept = Kept(f"s3://{BUCKET}/lakes/canberra", tmp_path_factory.mktemp("s3") / "cache")
    assert kept.pontoon("ingest", night("act-2018")).code == 0
    return kept


def test_the_bytes_of_a_lake_in_a_folder(kept: Kept, tmp_path: Path) -> None:
    assert pontoon("ingest", night("act-2018"), "--lake", tmp_path / "lake").code == 0
    assert kept.contents == contents(tmp_path / "lake")
    assert kept.on("other").pontoon("verify").code == 0


@pytest.mark.slow
def test_a_night(tmp_path: Path) -> None:
    """Ingested and audited, and the server named on the command line."""
    kept = Kept(f"s3://{BUCKET}/lakes/night", tmp_path / "cache")
    assert kept.pontoon("ingest", night("act-2018")).code == 0
    assert kept.pontoon("run").code == 1
    for step in (("ingest", night("act-2018")), ("run",)):
        pontoon(*step, "--lake", tmp_path / "lake")
    assert kept.contents == contents(tmp_path / "lake")
    sql = "SELECT count(*) FROM findings"
    other = kept.on("other")
    assert other.pontoon("query", sql).out == pontoon("query", sql, "--lake", tmp_path / "lake").out
    assert {place.split("/")[0] for place in other.brought()} == {"ledger", "findings"}


def test_readers_that_know_nothing_of_this_program(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    """The examples of docs/object-storage.md: Polars, PyArrow and DuckDB read the lake by its manifest."""
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(examples) == 3
    assert f'LAKE = "{kept.url}"' in examples[0]
    names: dict[str, Any] = {}
    for example in examples:
        exec(example, names)
    assert names["frame"].height == names["dataset"].count_rows() == 60
    days = {str(day): number for _, day, number in names["found"]}
    assert {*days} == {"2018-10-20", "2024-11-30"}
    assert sum(days.values()) == 60
    assert capsys.readouterr().out


@pytest.mark.slow
def test_two_processes_at_once(tmp_path: Path) -> None:
    """Both begin at the same snapshot; one of them publishes, the other says so and ends with 3."""
    kept = Kept(f"s3://{BUCKET}/lakes/two", tmp_path / "cache")
    assert kept.pontoon("ingest", night("act-2018")).code == 0
    logs = night("nz-2000"), night("rws-2017")
    running = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "audit.cli", "--cache", str(tmp_path / log.stem)),
                *("ingest", str(log), "--lake", kept.url),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for log in logs
    ]
    told = [each.communicate()[1] for each in running]
    codes = [each.returncode for each in running]
    late = [text for text, code in zip(told, codes, strict=True) if code]
    assert set(codes) <= {0, 3}
    assert kept.newest.number == 1 + codes.count(0)
    assert all("another process published snapshot 2 meanwhile" in text for text in late)
    for log in logs:
        assert kept.pontoon("ingest", log).code == 0
    assert kept.newest.number == 3
    assert kept.on("reader").pontoon("verify").code == 0


@pytest.mark.slow
def test_the_server_goes_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is published; when the server is back, the command given again ends it."""
    kept = Kept(f"s3://{BUCKET}/lakes/gone", tmp_path / "cache")
    upload = S3Store.upload
    made: list[str] = []

    with s3_server(monkeypatch) as running:
        assert kept.pontoon("ingest", night("act-2018")).code == 0

        def until_it_goes(store: S3Store, key: str, path: Path) -> None:
            if len(made) == 2:
                running.stop()
            made.append(key)
            upload(store, key, path)

        with monkeypatch.context() as patch:
            patch.setattr(S3Store, "upload", until_it_goes)
            ran = kept.pontoon("ingest", night("nz-2000"))
    assert ran.code == 3
    assert f"could not write: {running.endpoint} cannot be reached; check the network" in ran.err
    assert ran.out == ""
    with s3_server(monkeypatch):
        assert kept.newest.number == 1
        assert kept.on("reader").pontoon("verify").code == 0
        assert kept.pontoon("ingest", night("nz-2000")).code == 0
        for log in (night("act-2018"), night("nz-2000")):
            assert pontoon("ingest", log, "--lake", tmp_path / "lake").code == 0
        assert kept.contents == contents(tmp_path / "lake")
