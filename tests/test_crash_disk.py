"""A disk that is full or read-only, and inputs that vanish: one line, exit code 3, nothing by halves."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from audit import exchange, publication
from audit.ingest.lines import Lines
from audit.ingest.readers import OpenSource, lasting_source
from audit.ingest.sources import Source
from audit.lake import Lake
from tests.commands import copied, night, pontoon
from tests.crash.disks import read_only, small_disk
from tests.crash.lakes import bytes_of, changed_log
from tests.unvalidated import passed

pytestmark = pytest.mark.slow

NIGHT = night("nz-2000")
ADVICE = ("the disk is full; free some space and run again", "raise the limit and run again")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with one night."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SOURCE_DATE_EPOCH", "1767323045")
        path = tmp_path_factory.mktemp("disk") / "lake"
        assert pontoon("ingest", NIGHT, "--lake", path).code == 0
    return path


@pytest.fixture(autouse=True)
def _one_instant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767323045")


def told_in_a_line(err: str) -> bool:
    last = err.strip().splitlines()[-1]
    return last.startswith("pontoon-audit: ") and "fault of the program" not in err and "Traceback" not in err


class TestFullDisk:
    """Whatever the disk has no room for, what was published before stays, and running again does it."""

    @pytest.mark.parametrize("kib", [40, 100, 160])
    def test_an_ingest(self, tmp_path: Path, lake: Path, kib: int) -> None:
        disk = tmp_path / "disk"
        with small_disk(disk, kib) as how:
            print(f"full disk: {how}")
            ran = pontoon("ingest", NIGHT, "--lake", disk / "lake")
            assert ran.code == 3, ran
            assert told_in_a_line(ran.err)
            assert any(advice in ran.err or "disk is full" in ran.err for advice in ADVICE), ran.err
            assert not list(disk.glob("lake/*/venue=*/*/*.parquet"))
            assert not [*Lake(disk / "lake").records("ingests")]
            assert not list(disk.glob("lake/.staging/*"))
            target = copied(disk / "lake", tmp_path / "lake")
        assert pontoon("ingest", NIGHT, "--lake", target).code == 0
        assert bytes_of(target) == bytes_of(lake)

    @pytest.mark.parametrize(
        "spare",
        [40, pytest.param(150, marks=pytest.mark.slow), pytest.param(400, marks=pytest.mark.slow), 900],
    )
    def test_a_run(self, tmp_path: Path, lake: Path, spare: int, monkeypatch: pytest.MonkeyPatch) -> None:
        size = sum(path.stat().st_size // 1024 + 8 for path in lake.rglob("*"))
        disk = tmp_path / "disk"
        with small_disk(disk, size + spare) as how:
            print(f"full disk: {how}")
            target = copied(lake, disk / "lake")
            ran = pontoon("run", "--lake", target, "--jobs", "1", "--fail-on", "never")
            assert ran.code == 3, ran
            assert told_in_a_line(ran.err) or "not replayed: " in ran.err, ran.err
            assert "fault of the program" not in ran.err
            assert Lake(target).verify().intact
            assert not list(target.glob("findings/*/*/*.parquet"))
            assert not list(target.glob(".staging/*"))
            left = copied(target, tmp_path / "lake")
        if spare < 900:
            # Validated once more, it would show the same.
            monkeypatch.setattr("audit.run._Night._validate", passed)
        assert pontoon("run", "--lake", left, "--jobs", "1", "--fail-on", "never").code == 0
        assert Lake(left).verify().intact

    def test_each_step_of_a_publication(
        self, tmp_path: Path, lake: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        target = copied(lake, tmp_path / "lake")
        before = bytes_of(target)
        changed = changed_log(tmp_path / "changed.jsonl", NIGHT)
        put: Callable[..., None] = publication._put
        for step in range(1, 100):
            calls = 0

            def refusing(*given: object, step: int = step) -> None:
                nonlocal calls
                calls += 1
                if calls == step:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                put(*given)

            monkeypatch.setattr(publication, "_put", refusing)
            ran = pontoon("ingest", changed, "--lake", target, "--supersede")
            if ran.code == 0:
                break
            assert ran.code == 3
            assert "could not publish: the disk is full" in ran.err
            assert bytes_of(target) == before
        assert step > 8
        assert Lake(target).verify().intact
        assert Lake(target).unfinished() == []

    def test_what_cannot_be_undone_is_finished_by_the_next(
        self, tmp_path: Path, lake: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        target = copied(lake, tmp_path / "lake")
        changed = changed_log(tmp_path / "changed.jsonl", NIGHT)

        def refusing(*_: object) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        with monkeypatch.context() as patched:
            patched.setattr("audit.ledger.Ledger.append", refusing)
            patched.setattr(publication, "_put_back", refusing)
            assert pontoon("ingest", changed, "--lake", target, "--supersede").code == 3
        (text,) = [each.text for each in Lake(target).unfinished() or () if each.what == "publication"]
        assert "the ingest of changed.jsonl was cut off" in text
        with Lake(target).writing():
            pass
        assert Lake(target).unfinished() == []
        assert Lake(target).verify().intact
        assert len([*Lake(target).records("ingests")]) == 2


class TestOtherFileSystems:
    """Where two folders cannot change places in one step it takes three, and the result is the same."""

    def test_the_same_is_published(self, tmp_path: Path, lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        changed = changed_log(tmp_path / "changed.jsonl", NIGHT)
        one, other = copied(lake, tmp_path / "one"), copied(lake, tmp_path / "other")
        assert pontoon("ingest", changed, "--lake", one, "--supersede").code == 0
        monkeypatch.setattr(exchange, "_renameat2", lambda: None)
        assert pontoon("ingest", changed, "--lake", other, "--supersede").code == 0
        assert bytes_of(one) == bytes_of(other)

    @pytest.mark.parametrize("renames", [0, 1, 2])
    def test_what_is_cut_off_is_finished(
        self, tmp_path: Path, lake: Path, monkeypatch: pytest.MonkeyPatch, renames: int
    ) -> None:
        changed = changed_log(tmp_path / "changed.jsonl", NIGHT)
        one, other = copied(lake, tmp_path / "one"), copied(lake, tmp_path / "other")
        assert pontoon("ingest", changed, "--lake", one, "--supersede").code == 0

        def stopping(a: Path, b: Path, aside: Path) -> None:
            for source, target in ((b, aside), (a, b), (aside, a))[:renames]:
                source.rename(target)
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        def refusing(*_: object) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        with monkeypatch.context() as patched:
            patched.setattr(publication, "exchange", stopping)
            patched.setattr(publication, "_put_back", refusing)
            assert pontoon("ingest", changed, "--lake", other, "--supersede").code == 3
        with Lake(other).writing():
            pass
        assert bytes_of(one) == bytes_of(other)

    @pytest.mark.parametrize("renames", [0, 1, 2])
    def test_what_is_refused_is_undone(
        self, tmp_path: Path, lake: Path, monkeypatch: pytest.MonkeyPatch, renames: int
    ) -> None:
        changed = changed_log(tmp_path / "changed.jsonl", NIGHT)
        target = copied(lake, tmp_path / "lake")
        before = bytes_of(target)

        def stopping(a: Path, b: Path, aside: Path) -> None:
            monkeypatch.undo()
            for source, target in ((b, aside), (a, b), (aside, a))[:renames]:
                source.rename(target)
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        monkeypatch.setattr(publication, "exchange", stopping)
        ran = pontoon("ingest", changed, "--lake", target, "--supersede")
        assert ran.code == 3
        assert "could not publish: the disk reported an input/output error" in ran.err
        assert bytes_of(target) == before


class TestReadOnly:
    """Nothing can be written, and all can be read."""

    @pytest.mark.parametrize("command", ["ingest", "run"])
    def test_a_lake(self, tmp_path: Path, lake: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
        target = copied(lake, tmp_path / "lake")
        before = bytes_of(target)
        given = [night("act-2018")] if command == "ingest" else []
        with read_only(target, monkeypatch) as how:
            print(f"read-only: {how}")
            ran = pontoon(command, *given, "--lake", target)
            assert ran.code == 3
            assert told_in_a_line(ran.err)
            assert str(target) in ran.err
            assert "mount it writable" in ran.err or "permission denied" in ran.err
            status = pontoon("status", "--lake", target, "--json")
            assert status.code == 0
            assert status.object["unfinished"] == []
            assert pontoon("verify", "--lake", target).code == 0
        assert bytes_of(target) == before

    def test_a_folder_for_the_report(
        self, tmp_path: Path, lake: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        target, reports = copied(lake, tmp_path / "lake"), tmp_path / "reports"
        reports.mkdir()
        before = bytes_of(target)
        with read_only(reports, monkeypatch) as how:
            print(f"read-only: {how}")
            ran = pontoon("run", "--lake", target, "--jobs", "1", "--report-dir", reports)
        assert ran.code == 3
        assert f"{reports}: could not write the report" in ran.err
        assert bytes_of(target) == before


class TestVanishedInput:
    """A file that goes away is named, and the others are ingested."""

    def test_between_listing_and_opening(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        logs = tmp_path / "logs"
        logs.mkdir()
        for name in ("a.jsonl", "b.jsonl"):
            (logs / name).write_bytes(night("nz-2000" if name == "a.jsonl" else "act-2018").read_bytes())

        def vanishing(source: Source, folder: Path) -> Source:
            (logs / "a.jsonl").unlink(missing_ok=True)
            return lasting_source(source, folder)

        monkeypatch.setattr("audit.ingest.pipeline.lasting_source", vanishing)
        ran = pontoon("ingest", logs, "--lake", tmp_path / "lake", "--json")
        assert ran.code == 3
        reason = "no such file or folder; check the name"
        assert ran.object["failed"] == [{"name": "a.jsonl", "reason": reason}]
        assert [each["name"] for each in ran.object["files"]] == ["b.jsonl"]
        assert Lake(tmp_path / "lake").verify().intact

    def test_while_it_is_read(self, tmp_path: Path, lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        log = tmp_path / NIGHT.name
        log.write_bytes(NIGHT.read_bytes())
        batches = OpenSource.batches

        def vanishing(self: OpenSource) -> Iterator[Lines]:
            log.unlink()
            return batches(self)

        monkeypatch.setattr(OpenSource, "batches", vanishing)
        assert pontoon("ingest", log, "--lake", tmp_path / "lake").code == 0
        assert bytes_of(tmp_path / "lake") == bytes_of(lake)

    def test_cut_while_it_is_read(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        log = tmp_path / NIGHT.name
        log.write_bytes(NIGHT.read_bytes())
        batches = OpenSource.batches

        def cutting(self: OpenSource) -> Iterator[Lines]:
            with log.open("r+b") as file:
                file.truncate(1000)
            return batches(self)

        monkeypatch.setattr(OpenSource, "batches", cutting)
        ran = pontoon("ingest", log, "--lake", tmp_path / "lake")
        assert ran.code == 3
        assert "changed while it was read; run again when it is complete" in ran.out
        assert not list(tmp_path.glob("lake/rounds/*/*/*.parquet"))
