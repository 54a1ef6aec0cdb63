"""A lake on an S3 server: audited, read by other programs, and left alone when the server is gone."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from audit.remote.s3 import S3Store
from tests.commands import night, pontoon
from tests.object_storage import BUCKET, INSTANT, Kept, S3Server, contents, s3_server

pytestmark = pytest.mark.slow

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


def test_the_example_for_the_shell_of_duckdb(tmp_path: Path) -> None:
    """All of it but the extension that reads from S3: the lake is one whose objects are files."""
    kept = Kept.in_folder(tmp_path)
    assert kept.pontoon("ingest", night("act-2018")).code == 0
    (example,) = re.findall(r"```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    *ready, rest = re.split(r"(?=SET VARIABLE lake)", example)
    assert "httpfs" in ready[0]
    rest = rest.replace("s3://surveillance/lakes/canberra", str(tmp_path / "store"))
    # There was no run yet.
    rest = rest.replace("findings", "rounds").replace("code", "venue")
    found = duckdb.connect().execute(rest).fetchall()
    assert found == [("casino-canberra", 60)]


def test_damaged_objects(tmp_path: Path) -> None:
    kept = Kept(f"s3://{BUCKET}/lakes/damaged", tmp_path / "cache")
    assert kept.pontoon("ingest", night("act-2018")).code == 0
    files = kept.newest.files
    rounds, events = (min(each for each in files if each.startswith(table)) for table in ("rounds", "events"))
    store = kept.store
    content = bytearray(store.read(files[rounds].object))
    content[100] ^= 1
    for path in (rounds, events):
        store.remove(files[path].object)
    store.create(files[rounds].object, bytes(content))
    store.close()
    told = [
        f"{events}: its object {files[events].object} is missing",
        f"{rounds}: its object {files[rounds].object} differs from the SHA-256 in the manifest",
    ]
    assert kept.pontoon("verify", "--json").object["problems"] == told
    new = kept.on("new").pontoon("verify", "--json")
    assert new.code == 1
    assert new.object["problems"][:2] == told
    ran = kept.on("other").pontoon("explain", "none")
    assert ran.code == 3
    assert any(each in ran.err for each in told)


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
