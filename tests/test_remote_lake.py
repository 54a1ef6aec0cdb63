"""Commands on a lake on object storage: the same bytes as in a folder, all of them published at once."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from audit.catalog import MACROS, Macro
from audit.layout import TABLES
from audit.remote import snapshot as snapshots
from audit.remote.snapshot import manifest_key
from audit.remote.store import Store
from audit.remote.wanted import tables_in
from audit.remote.working_copy import WorkingCopy
from tests.commands import Ran, night, pontoon, write_log
from tests.object_storage import INSTANT, Kept, contents
from tests.rounds import play

IN_ORDER = "a 20@1 | 1:KS 0:9D 1:QH | stand 1 | 0:8C | a wins 20"


@pytest.fixture(autouse=True)
def same_instant(unvalidated: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", INSTANT)


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake in a store that has taken in one round; not to be altered."""
    folder = tmp_path_factory.mktemp("ingested")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", INSTANT)
        assert Kept.in_folder(folder).pontoon("ingest", log(folder)).code == 0
    return folder


@pytest.fixture
def kept(ingested: Path, tmp_path: Path) -> Kept:
    """A copy of it, of which no machine has a working copy."""
    shutil.copytree(ingested / "store", tmp_path / "store")
    return Kept.in_folder(tmp_path)


def log(folder: Path, text: str = IN_ORDER, name: str = "log.jsonl") -> Path:
    return write_log(folder / name, [play("act-2018", text)])


class TestBytes:
    """Whether a lake lies in a folder or on object storage, it holds the same files."""

    def test_of_an_ingest(self, kept: Kept, tmp_path: Path) -> None:
        assert pontoon("ingest", log(tmp_path), "--lake", tmp_path / "lake").code == 0
        assert kept.contents == contents(tmp_path / "lake")

    @pytest.mark.slow
    def test_of_every_command(
        self, tmp_path: Path, unvalidated: object, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kept = Kept.in_folder(tmp_path)
        lake = tmp_path / "lake"
        other = log(tmp_path, IN_ORDER.replace("wins 20", "wins 10"), "other.jsonl")
        steps: list[tuple[int, tuple[str | Path, ...]]] = [
            (0, ("ingest", log(tmp_path), night("act-2018"))),
            (1, ("run", "--date", "2018-10-20")),
            (0, ("ingest", other, "--supersede")),
            (1, ("run",)),
            (0, ("run", "--changed")),
            (0, ("report", "--date", "2018-10-20")),
            (0, ("report",)),
        ]
        for number, (code, step) in enumerate(steps):
            # Every second step on a machine that has seen nothing yet.
            machine = kept.on("one" if number % 2 else f"machine-{number}")
            with monkeypatch.context() as patch:
                if number == 1:
                    patch.setattr("audit.run._Night._validate", unvalidated)
                assert pontoon(*step, "--lake", lake).code == machine.pontoon(*step).code == code, step
            assert kept.contents == contents(lake), step
        assert kept.newest.number == 6
        asked = kept.pontoon("query", "SELECT min(fingerprint) FROM findings", "--format", "csv")
        finding = asked.out.split()[-1]
        step = ("disposition", finding, "--status", "explained", "--by", "A. Smith", "--note", "seen")
        assert pontoon(*step, "--lake", lake).code == kept.pontoon(*step).code == 0
        assert kept.contents == contents(lake)
        told = kept.on("new").pontoon("verify", "--head")
        assert (told.code, told.out) == (0, pontoon("verify", "--head", "--lake", lake).out)
        assert kept.on("third").pontoon("dispositions").out == pontoon("dispositions", "--lake", lake).out


class TestCommands:
    """What commands say of a lake by its address."""

    def test_status(self, kept: Kept, tmp_path: Path) -> None:
        assert pontoon("ingest", log(tmp_path), "--lake", tmp_path / "lake").code == 0
        local = pontoon("status", "--lake", tmp_path / "lake", "--json").object
        found = kept.pontoon("status", "--json").object
        snapshot = found.pop("snapshot")
        assert found == local
        assert (snapshot["number"], snapshot["lake"], snapshot["files"]) == (1, kept.url, len(kept.contents))
        assert f"Snapshot 1 of {kept.url}: 3 files" in kept.pontoon("status").out

    def test_published_is_said_on_standard_error(self, tmp_path: Path) -> None:
        kept = Kept.in_folder(tmp_path)
        ran = kept.pontoon("ingest", log(tmp_path), "--json")
        assert ran.object["stored"] == 1
        assert f"{kept.url}: published as snapshot 1" in ran.err

    def test_nothing_new_publishes_nothing(self, kept: Kept, tmp_path: Path) -> None:
        ran = kept.pontoon("ingest", log(tmp_path))
        assert "ingested before, nothing to do" in ran.out
        assert kept.newest.number == 1

    def test_no_lake(self, tmp_path: Path) -> None:
        kept = Kept.in_folder(tmp_path)
        for command in (("status",), ("run",), ("verify",), ("snapshots", "list")):
            ran = kept.pontoon(*command)
            assert ran.code == 2
            assert f"{kept.url}: no lake here; `pontoon-audit ingest FILE --lake {kept.url}`" in ran.err
        assert not (tmp_path / "store").exists()

    def test_no_input_makes_no_lake(self, tmp_path: Path) -> None:
        kept = Kept.in_folder(tmp_path)
        assert kept.pontoon("ingest", tmp_path / "none.jsonl").code == 2
        assert not (tmp_path / "store").exists()

    def test_a_store_of_another_kind(self, tmp_path: Path) -> None:
        ran = Kept("gs://bucket/lake", tmp_path).pontoon("status")
        assert ran.code == 2
        assert "gs://bucket/lake: expected a folder, s3://BUCKET/PREFIX or file:///FOLDER" in ran.err

    def test_errors_name_the_address(self, kept: Kept) -> None:
        ran = kept.pontoon("explain", "none")
        assert (ran.code, ran.err) == (2, f"pontoon-audit: no round none in {kept.url}; check the id\n")

    def test_reading_writes_nothing(self, kept: Kept, tmp_path: Path) -> None:
        before = {path: path.stat().st_mtime_ns for path in (tmp_path / "store").rglob("*")}
        for command in (("status",), ("verify",), ("explain", "none"), ("dispositions",)):
            kept.pontoon(*command)
        assert {path: path.stat().st_mtime_ns for path in (tmp_path / "store").rglob("*")} == before

    def test_metrics_and_lineage_name_the_address(self, kept: Kept, tmp_path: Path) -> None:
        metrics, lineage = tmp_path / "metrics", tmp_path / "lineage"
        step = ("ingest", log(tmp_path), "--metrics-file", metrics, "--lineage-file", lineage)
        assert kept.pontoon(*step).code == 0
        assert f'lake="{kept.url}"' in metrics.read_text()
        assert str(kept.cache) not in metrics.read_text() + lineage.read_text()

    def test_snapshots(self, kept: Kept, tmp_path: Path) -> None:
        more = log(tmp_path, IN_ORDER.replace("wins 20", "wins 10"), "other.jsonl")
        assert kept.pontoon("ingest", more, "--supersede").code == 0
        found = kept.pontoon("snapshots", "list", "--json").object
        assert [each["number"] for each in found["snapshots"]] == [1, 2]
        asked = kept.pontoon("snapshots", "prune", "--older-than", "30", "--json").object
        assert (asked["snapshots"], asked["objects"], asked["snapshots_kept"]) == ([], 0, 2)
        _long_ago(tmp_path / "store")
        dry = kept.pontoon("snapshots", "prune", "--older-than", "30", "--dry-run")
        assert dry.out.startswith("To be removed: 1 snapshot, ")
        assert kept.store.listing("manifests").keys() == {manifest_key(1), manifest_key(2)}
        assert kept.pontoon("snapshots", "prune", "--older-than", "30").out.startswith(
            "Removed: 1 snapshot, "
        )
        assert kept.store.listing("manifests").keys() == {manifest_key(2)}
        assert kept.on("new").pontoon("verify").code == 0

    def test_a_folder_has_no_snapshots(self, tmp_path: Path) -> None:
        ran = pontoon("snapshots", "list", "--lake", tmp_path)
        assert (ran.code, "a folder has no snapshots" in ran.err) == (2, True)

    @pytest.mark.slow
    def test_where_copies_are(self, kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
        assert pontoon("status", "--lake", kept.url).code == 0
        assert [*(tmp_path / "xdg" / "pontoon-audit").glob("*/lake/ledger")]
        monkeypatch.setenv("PONTOON_AUDIT_CACHE", str(tmp_path / "named"))
        assert pontoon("status", "--lake", kept.url).code == 0
        assert [*(tmp_path / "named").glob("*/lake/ledger")]


def _long_ago(folder: Path) -> None:
    for path in folder.rglob("*"):
        os.utime(path, (1.5e9, 1.5e9))


class TestAtOnce:
    """Two writers: the second is told, and nothing of the first is lost."""

    def test_of_two_machines(self, kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        other = log(tmp_path, IN_ORDER.replace("wins 20", "wins 10"), "other.jsonl")
        with _before_publishing(monkeypatch, lambda: kept.on("first").pontoon("ingest", other)):
            ran = kept.on("second").pontoon("ingest", other, "--supersede")
        assert ran.code == 3
        assert ran.err.endswith(
            f"pontoon-audit: {kept.url}: another process published snapshot 2 meanwhile; nothing of this was "
            "published, run again\n"
        )
        assert ran.out == ""
        # What the first has published is known to the second when it is given again.
        again = kept.on("second").pontoon("ingest", other, "--supersede")
        assert (again.code, kept.newest.number) == (0, 3)
        for step in (("ingest", log(tmp_path)), ("ingest", other), ("ingest", other, "--supersede")):
            pontoon(*step, "--lake", tmp_path / "lake")
        assert kept.contents == contents(tmp_path / "lake")

    def test_of_one_machine(self, kept: Kept, tmp_path: Path) -> None:
        assert kept.pontoon("status").code == 0
        with (kept.copy.parent / ".lock").open() as held:
            fcntl.flock(held, fcntl.LOCK_SH)
            assert kept.pontoon("status").code == 0
            writer = kept.pontoon("ingest", log(tmp_path))
            fcntl.flock(held, fcntl.LOCK_EX)
            reader = kept.pontoon("status")
        for ran in (writer, reader):
            assert ran.code == 3
            assert "another process is using the working copy" in ran.err
        assert kept.pontoon("ingest", log(tmp_path)).code == 0


@contextmanager
def _before_publishing(monkeypatch: pytest.MonkeyPatch, doing: Callable[[], Ran]) -> Iterator[None]:
    """Have a command run once, just before the first manifest is made."""
    require = snapshots._require_exclusive
    waiting = [doing]

    def first(store: Store) -> None:
        while waiting:
            assert "published as snapshot" in waiting.pop()().err
        require(store)

    with monkeypatch.context() as patch:
        patch.setattr(snapshots, "_require_exclusive", first)
        yield


class TestDamage:
    """An object that is gone or differs is found before anything is made of it."""

    def test_a_flipped_byte(self, kept: Kept) -> None:
        path = kept.object("rounds/")
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        place = min(place for place in kept.contents if place.startswith("rounds/"))
        told = (
            f"{place}: its object {kept.newest.files[place].object} differs from the SHA-256 in the manifest"
        )
        ran = kept.pontoon("explain", "none")
        assert (ran.code, ran.err) == (3, f"pontoon-audit: {kept.url}: {told}; run `pontoon-audit verify`\n")
        verified = kept.on("other").pontoon("verify", "--json")
        assert verified.code == 1
        assert verified.object["problems"] == [told, f"{place}: published, and now missing"]

    def test_is_found_though_the_copy_is_sound(self, kept: Kept) -> None:
        assert kept.pontoon("verify").code == 0
        kept.object("events/").unlink()
        (problem,) = kept.pontoon("verify", "--json").object["problems"]
        assert problem.endswith(f"{kept.newest.files[problem.partition(':')[0]].object} is missing")
        assert kept.pontoon("explain", "none").code == 2

    def test_a_manifest(self, kept: Kept, tmp_path: Path) -> None:
        path = tmp_path / "store" / manifest_key(1)
        path.write_bytes(path.read_bytes().replace(b'"bytes"', b'"Bytes"', 1))
        ran = kept.pontoon("status")
        assert ran.code == 3
        assert f"{kept.url}/{manifest_key(1)}: no longer as it was written" in ran.err

    @pytest.mark.slow
    def test_a_manifest_before_the_newest(self, kept: Kept, tmp_path: Path) -> None:
        more = log(tmp_path, IN_ORDER.replace("wins 20", "wins 10"), "other.jsonl")
        assert kept.pontoon("ingest", more, "--supersede").code == 0
        path = tmp_path / "store" / manifest_key(1)
        path.write_bytes(path.read_bytes().replace(b'"bytes"', b'"Bytes"', 1))
        verified = kept.pontoon("verify", "--json")
        assert (verified.code, verified.object["problems"]) == (
            1,
            [f"{manifest_key(1)}: no longer as it was written"],
        )


class TestWorkingCopy:
    """It is made to be the newest snapshot, whatever was done to it; what was done is never published."""

    def test_is_mended(self, kept: Kept) -> None:
        assert kept.pontoon("verify").code == 0
        copy = kept.copy
        (rounds,) = copy.glob("rounds/*/*/*.parquet")
        (events,) = copy.glob("events/*/*/*.parquet")
        rounds.write_bytes(b"")
        events.unlink()
        events.symlink_to(rounds)
        (copy / "ledger" / "runs.jsonl").write_bytes(b"{}\n")
        (copy / ".staging" / "left").mkdir(parents=True)
        shutil.copytree(rounds.parent.parent, copy / "findings" / "venue=other")
        (copy.parent / "copy.json").write_bytes(b"{")
        assert kept.pontoon("verify").code == 0
        assert contents(copy) == kept.contents
        assert not any((copy / ".staging").iterdir())

    @pytest.mark.slow
    def test_follows_other_machines(self, kept: Kept, tmp_path: Path) -> None:
        assert kept.pontoon("verify").code == 0
        more = log(tmp_path, IN_ORDER.replace("wins 20", "wins 10"), "other.jsonl")
        assert kept.on("other").pontoon("ingest", more, "--supersede").code == 0
        assert kept.pontoon("verify").code == 0
        assert contents(kept.copy) == kept.contents

    @pytest.mark.parametrize(
        ("alter", "told"),
        [
            (lambda copy: _first(copy, "rounds").write_bytes(b"other"), "not what the ledger says of it"),
            (lambda copy: _first(copy, "events").unlink(), "gone, and not by what was done now"),
            (
                lambda copy: shutil.copytree(copy / "rounds", copy / "findings"),
                "not what the ledger says of it",
            ),
            (
                lambda copy: (copy / "ledger" / "ingests.jsonl").write_bytes(b""),
                "a record of it is gone or altered",
            ),
        ],
    )
    def test_what_nobody_vouches_for_is_not_published(
        self,
        kept: Kept,
        monkeypatch: pytest.MonkeyPatch,
        alter: Callable[[Path], object],
        told: str,
        tmp_path: Path,
    ) -> None:
        publish = WorkingCopy.publish

        def altered(copy: WorkingCopy) -> None:
            alter(copy.root)
            publish(copy)

        monkeypatch.setattr(WorkingCopy, "publish", altered)
        ran = kept.pontoon("ingest", log(tmp_path))
        assert ran.code == 3
        assert f"{told}; nothing was published, run again" in ran.err
        assert kept.newest.number == 1
        monkeypatch.undo()
        assert kept.pontoon("verify").code == 0

    def test_left_behind_by_a_failure_to_publish(
        self, kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What was done and not published is done again, from the snapshot before."""
        other = log(tmp_path, IN_ORDER.replace("wins 20", "wins 10"), "other.jsonl")
        link = os.link

        def refuse(source: Path, target: Path, **named: bool) -> None:
            if "/objects/" in str(target):
                raise OSError(28, "no space")
            link(source, target, **named)

        with monkeypatch.context() as patch:
            patch.setattr(os, "link", refuse)
            ran = kept.pontoon("ingest", other, "--supersede")
        assert ran.code == 3
        assert "could not write: the disk is full" in ran.err
        assert kept.newest.number == 1
        assert kept.pontoon("ingest", other, "--supersede", "--json").object["superseding"] == 1
        assert pontoon("ingest", log(tmp_path), "--lake", tmp_path / "lake").code == 0
        assert pontoon("ingest", other, "--supersede", "--lake", tmp_path / "lake").code == 0
        assert kept.contents == contents(tmp_path / "lake")


def _first(copy: Path, table: str) -> Path:
    return next(copy.glob(f"{table}/*/*/*.parquet"))


class TestWanted:
    """A machine that has no copy yet fetches what a command needs."""

    @pytest.mark.parametrize(
        ("sql", "tables"),
        [
            ("SELECT count(*) FROM findings", {"findings"}),
            ('FROM "Rounds" JOIN events USING (round_id)', {"rounds", "events"}),
            ("SELECT * FROM runs", set()),
            ("SELECT * FROM findings_of_dealer('d')", {"findings", "rounds"}),
            ("SELECT 1", set()),
        ],
    )
    def test_tables_of_a_query(self, sql: str, tables: set[str]) -> None:
        found = tables_in(sql)
        assert found is not None
        assert set(found) == tables

    @pytest.mark.parametrize(
        "sql",
        [
            "",
            "FROM query('FROM ' || 'fin' || 'dings')",
            "FROM query_table('find' || 'ings')",
            "FROM read_parquet(lake_root() || '/r*/*/*/*.parquet')",
            "FROM '/lake/r?unds/x.parquet'",
            'FROM "r*nds.parquet"',
            "SELECT * FROM parquet_metadata(x)",
            "FROM parquet_scan(x)",
        ],
    )
    def test_queries_that_may_read_anything(self, sql: str) -> None:
        assert tables_in(sql) is None

    @pytest.mark.parametrize("macro", MACROS, ids=lambda macro: macro.name)
    def test_tables_of_a_macro(self, macro: Macro) -> None:
        asked = tables_in(f"FROM {macro.name}()")
        assert asked is not None
        assert asked >= set(re.findall(r"\w+", macro.query)) & set(TABLES)

    def test_status_needs_no_table(self, kept: Kept) -> None:
        kept.pontoon("status")
        assert kept.brought() == {"ledger/ingests.jsonl"}

    def test_later_commands_fetch_the_rest(self, kept: Kept, tmp_path: Path) -> None:
        kept.pontoon("status")
        more = log(tmp_path, IN_ORDER.replace("wins 20", "wins 10"), "other.jsonl")
        assert kept.pontoon("ingest", more, "--supersede").code == 0
        assert kept.pontoon("verify").code == 0
        assert kept.brought() == set(kept.contents)

    @pytest.mark.slow
    def test_a_run_of_one_date(self, tmp_path: Path) -> None:
        """With the days before from which its shoes run on, and no others."""
        kept = Kept.in_folder(tmp_path)
        days = [f"2019-03-{day:02}" for day in range(1, 13)]
        rounds = [
            play(
                "act-2018",
                IN_ORDER,
                started_at=f"{day}T20:14:05+11:00",
                round_id=day,
                shoe=f"S{min(number, 10)}",
                round_no=max(1, number - 9),
            )
            for number, day in enumerate(days, 1)
        ]
        assert kept.pontoon("ingest", write_log(tmp_path / "log.jsonl", rounds)).code == 0
        assert pontoon("ingest", tmp_path / "log.jsonl", "--lake", tmp_path / "lake").code == 0
        machine = kept.on("new")
        for step in (("run", "--date", days[-1]), ("run", "--date", days[2], "--fail-on", "never")):
            code = pontoon(*step, "--lake", tmp_path / "lake").code
            assert machine.pontoon(*step).code == code < 2
            assert kept.contents == contents(tmp_path / "lake")
        brought = {place.split("/")[2] for place in machine.brought() if place.startswith("rounds/")}
        assert brought == {f"gaming_date={day}" for day in (*days[1:3], *days[7:])}

    def test_nothing_chosen(self, kept: Kept) -> None:
        ran = kept.pontoon("run", "--date", "1999-01-01")
        assert ran.code == 2
        assert f"{kept.url}: nothing is stored for gaming date 1999-01-01; the lake holds" in ran.err
