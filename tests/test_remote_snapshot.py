"""Snapshots: one manifest makes a whole lake appear, and of two writers one is told."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from audit.errors import LakeBusy, LakeError, StorageError, UsageProblem
from audit.ledger import GENESIS
from audit.remote.pruning import prune, unneeded
from audit.remote.snapshot import (
    MARKER,
    NOTHING,
    Entry,
    Snapshot,
    chain_problems,
    manifest_key,
    newest,
    object_key,
    parsed,
    publish,
    snapshot,
)
from audit.remote.store import FolderStore, Taken
from audit.remote.uploads import GRACE, REUSED_FOR, Uploads, instant
from tests.object_storage import file_url

DIGEST = "0f" * 32
PLACE = "rounds/venue=caf%C3%A9/gaming_date=2024-01-01/part-0f.parquet"


def entry(place: str, sha256: str = DIGEST) -> Entry:
    return Entry(place, object_key(place, sha256), sha256, 7)


def following(before: Snapshot, *places: str) -> Snapshot:
    return before.followed_by({place: entry(place) for place in places})


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    return FolderStore(file_url(tmp_path / "store"))


def published(store: FolderStore, count: int) -> list[Snapshot]:
    made = [NOTHING]
    for number in range(count):
        made.append(following(made[-1], PLACE, f"ledger/{number}.jsonl"))
        publish(store, made[-1])
    return made[1:]


class TestManifest:
    """A manifest names every file with its object, SHA-256 and size, and the manifest before it."""

    def test_comes_back_as_it_was(self) -> None:
        made = following(following(NOTHING, PLACE), "ledger/runs.jsonl", PLACE)
        assert parsed(made.as_bytes()) == made
        assert parsed(following(NOTHING).as_bytes()) == following(NOTHING)

    def test_can_be_read_without_this_program(self) -> None:
        found = json.loads(following(NOTHING, PLACE).as_bytes())
        assert (found["number"], found["previous"]) == (1, GENESIS)
        assert found["files"] == [
            {
                "path": PLACE,
                "object": f"objects/{PLACE.removesuffix('.parquet')}.{DIGEST[:32]}.parquet",
                "sha256": DIGEST,
                "bytes": 7,
            }
        ]

    def test_the_order_of_files_changes_nothing(self) -> None:
        there, back = following(NOTHING, PLACE, "a/b"), following(NOTHING, "a/b", PLACE)
        assert there.as_bytes() == back.as_bytes()

    def test_any_byte_flipped_is_seen(self) -> None:
        content = following(NOTHING, PLACE).as_bytes()
        for place in range(len(content)):
            altered = bytearray(content)
            altered[place] ^= 1
            assert parsed(bytes(altered)) is None

    @pytest.mark.parametrize("place", ["../out", "/etc/passwd", "a/../../b", "a//b", "./a"])
    def test_a_place_out_of_the_lake(self, place: str) -> None:
        inside = Entry("ledger/a", "objects/a", DIGEST, 7)
        out = Entry(place, "objects/a", DIGEST, 7)
        beside = Entry("ledger/a", f"objects/{place}", DIGEST, 7)
        assert parsed(NOTHING.followed_by({inside.path: inside}).as_bytes()) is not None
        for each in (out, beside):
            assert parsed(NOTHING.followed_by({each.path: each}).as_bytes()) is None


class TestPublishing:
    """A manifest is made only where there is none."""

    def test_the_newest(self, store: FolderStore) -> None:
        assert newest(store) == NOTHING
        *_, last = published(store, 11)
        assert newest(store) == last
        assert last.number == 11

    def test_two_at_once(self, store: FolderStore) -> None:
        (base,) = published(store, 1)
        together = threading.Barrier(4)
        told: list[str] = []

        def write(name: str) -> None:
            together.wait()
            try:
                publish(store, following(base, name))
            except LakeBusy as error:
                told.append(str(error))

        writers = [threading.Thread(target=write, args=(f"ledger/{each}",)) for each in range(4)]
        for each in writers:
            each.start()
        for each in writers:
            each.join()
        assert len(told) == 3
        assert {each.partition(": ")[2] for each in told} == {
            "another process published snapshot 2 meanwhile; nothing of this was published, run again"
        }
        assert newest(store).number == 2

    def test_a_number_that_was_freed(self, store: FolderStore) -> None:
        first, *_ = published(store, 4)
        store.remove(manifest_key(2))
        with pytest.raises(LakeBusy):
            publish(store, following(first, "late"))
        assert newest(store).number == 4

    def test_an_answer_that_was_lost(self, store: FolderStore, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(store, "create", _after(store.create, StorageError("the line was cut")))
        made = following(NOTHING, PLACE)
        publish(store, made)
        assert newest(store) == made

    def test_an_answer_that_was_lost_and_asked_again(
        self, store: FolderStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(store, "create", _after(store.create, Taken("asked again")))
        made = following(NOTHING, PLACE)
        publish(store, made)
        assert newest(store) == made

    def test_refused_once(self, store: FolderStore, monkeypatch: pytest.MonkeyPatch) -> None:
        refusals = [StorageError("a conflict, try again")]
        monkeypatch.setattr(store, "create", _refusing(store.create, refusals))
        publish(store, following(NOTHING, PLACE))
        assert newest(store).number == 1

    def test_refused(self, store: FolderStore, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(store, "create", _refusing(store.create, [StorageError("refused")] * 2))
        with pytest.raises(StorageError, match="refused"):
            publish(store, following(NOTHING, PLACE))
        assert newest(store) == NOTHING

    def test_what_became_of_it_cannot_be_told(
        self, store: FolderStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def gone(key: str) -> bytes:
            raise StorageError("gone")

        monkeypatch.setattr(store, "create", _refusing(store.create, [StorageError("the line was cut")]))
        monkeypatch.setattr(store, "read", gone)
        with pytest.raises(StorageError, match="whether it was published could not be asked any more"):
            publish(store, following(NOTHING, PLACE))

    def test_a_server_that_overwrites(self, store: FolderStore, tmp_path: Path) -> None:
        """Not every S3 server heeds If-None-Match; on such a one nothing may be published."""

        class Overwriting(FolderStore):
            def create(self, key: str, content: bytes) -> None:
                self.remove(key)
                super().create(key, content)

        with pytest.raises(StorageError, match="writes over an object that it was told to make only where"):
            publish(Overwriting(store.url), following(NOTHING, PLACE))
        assert newest(store) == NOTHING


def _after(create: Callable[[str, bytes], None], error: Exception) -> Callable[[str, bytes], None]:
    """Make a manifest, and then fail."""

    def made(key: str, content: bytes) -> None:
        create(key, content)
        if key != MARKER:
            raise error

    return made


def _refusing(
    create: Callable[[str, bytes], None], errors: list[StorageError]
) -> Callable[[str, bytes], None]:
    """Fail for the first manifests, without making them."""

    def made(key: str, content: bytes) -> None:
        if key != MARKER and errors:
            raise errors.pop()
        create(key, content)

    return made


class TestChain:
    """Each manifest names the one before it."""

    def test_sound(self, store: FolderStore) -> None:
        published(store, 3)
        assert [*chain_problems(store)] == []

    def test_the_oldest_removed(self, store: FolderStore) -> None:
        published(store, 3)
        store.remove(manifest_key(1))
        assert [*chain_problems(store)] == []

    def test_one_removed(self, store: FolderStore) -> None:
        published(store, 3)
        store.remove(manifest_key(2))
        assert [*chain_problems(store)] == [f"{manifest_key(2)}: missing, and one after it is there"]

    def test_one_exchanged(self, store: FolderStore) -> None:
        first, *_ = published(store, 3)
        store.remove(manifest_key(2))
        store.create(manifest_key(2), following(first, "other").as_bytes())
        assert [*chain_problems(store)] == [
            f"{manifest_key(3)}: does not follow {manifest_key(2)}; one of the two was exchanged"
        ]

    def test_the_first_exchanged(self, store: FolderStore) -> None:
        store.create(manifest_key(1), Snapshot(1, DIGEST, {}).as_bytes())
        assert [*chain_problems(store)] == [f"{manifest_key(1)}: the first one, and it names one before it"]

    def test_one_altered(self, store: FolderStore) -> None:
        published(store, 3)
        altered = store.read(manifest_key(2)).replace(b'"bytes": 7', b'"bytes": 8')
        store.remove(manifest_key(2))
        store.create(manifest_key(2), altered)
        assert [*chain_problems(store)] == [f"{manifest_key(2)}: no longer as it was written"]
        with pytest.raises(LakeError, match="no longer as it was written; put back the version that was"):
            snapshot(store, 2)


class TestUploads:
    """An object that was left by an attempt before is taken over, if it is that file and not old."""

    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        file = tmp_path / "runs.jsonl"
        file.write_bytes(b"content")
        return file

    SHA256 = "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"

    def test_made(self, store: FolderStore, file: Path) -> None:
        made = Uploads(store, instant()).made("ledger/runs.jsonl", file, self.SHA256)
        key = f"objects/ledger/runs.{self.SHA256[:32]}.jsonl"
        assert made == Entry("ledger/runs.jsonl", key, self.SHA256, 7)
        assert store.read(key) == b"content"

    def test_taken_over(self, store: FolderStore, file: Path) -> None:
        first = Uploads(store, instant()).made("ledger/runs.jsonl", file, self.SHA256)
        assert Uploads(store, instant()).made("ledger/runs.jsonl", file, self.SHA256) == first
        assert len(store.listing("objects")) == 1

    def test_one_that_is_old_may_be_about_to_go(self, store: FolderStore, file: Path) -> None:
        Uploads(store, instant()).made("ledger/runs.jsonl", file, self.SHA256)
        later = Uploads(store, instant() + REUSED_FOR)
        assert later.made("ledger/runs.jsonl", file, self.SHA256).object.endswith("-1.jsonl")
        assert len(store.listing("objects")) == 2

    def test_one_that_differs_is_left(self, store: FolderStore, file: Path) -> None:
        store.create(object_key("ledger/runs.jsonl", self.SHA256), b"Content")
        made = Uploads(store, instant()).made("ledger/runs.jsonl", file, self.SHA256)
        assert made.object.endswith("-1.jsonl")
        assert store.read(made.object) == b"content"

    def test_too_long_under_way(self, store: FolderStore) -> None:
        begun = instant()
        uploads = Uploads(store, begun)
        uploads.require_soon(begun + GRACE - REUSED_FOR)
        with pytest.raises(StorageError, match="took longer than 12:00:00; nothing was published"):
            uploads.require_soon(begun + GRACE - REUSED_FOR + timedelta(seconds=1))


class TestPruning:
    """What is removed is old and of no snapshot that stays; the newest stays in any case."""

    NOW = datetime.now(UTC)

    @pytest.fixture
    def aged(self, store: FolderStore) -> FolderStore:
        """Five snapshots, made 50, 40, 30, 20 and 10 days ago, each of an object of its own and a common one.

        Besides, objects of none, of an hour ago and of 5 days ago.
        """
        common = entry(PLACE)
        made = NOTHING
        ages = {common.object: 60.0}
        store.create(common.object, b"content")
        for days in (50.0, 40.0, 30.0, 20.0, 10.0):
            own = entry(f"ledger/runs-{days:.0f}.jsonl")
            store.create(own.object, b"content")
            made = made.followed_by({each.path: each for each in (common, own)})
            publish(store, made)
            ages |= {own.object: days, manifest_key(made.number): days}
        for name, days in {"objects/new": 1 / 24, "objects/left": 5}.items():
            store.create(name, b"content")
            ages[name] = days
        folder = Path(store.url.removeprefix("file://"))
        for key, days in ages.items():
            then = (self.NOW - timedelta(days=days)).timestamp()
            os.utime(folder / key, (then, then))
        return store

    def test_what_goes(self, aged: FolderStore) -> None:
        found = unneeded(aged, timedelta(days=25), self.NOW)
        # The second was the newest until 30 days ago, the third until 20 days ago.
        assert found.snapshots == (1, 2)
        gone = {object_key(f"ledger/runs-{days}.jsonl", DIGEST) for days in (50, 40)}
        assert {*found.objects} == {*gone, "objects/left"}
        assert found.as_json() == {"snapshots": [1, 2], "objects": 3, "bytes": 21, "snapshots_kept": 3}
        prune(aged, found)
        assert {*aged.listing("manifests")} == {manifest_key(number) for number in (3, 4, 5)}
        assert [*chain_problems(aged)] == []
        for number in (3, 4, 5):
            for each in snapshot(aged, number).files.values():
                assert aged.read(each.object) == b"content"
        assert aged.read("objects/new") == b"content"

    def test_the_newest_stays(self, aged: FolderStore) -> None:
        found = unneeded(aged, timedelta(days=1), self.NOW + timedelta(days=500))
        assert found.snapshots == (1, 2, 3, 4)
        prune(aged, found)
        for each in newest(aged).files.values():
            assert aged.read(each.object) == b"content"

    def test_cut_off_and_given_again(self, aged: FolderStore, monkeypatch: pytest.MonkeyPatch) -> None:
        found = unneeded(aged, timedelta(days=25), self.NOW)
        removed: list[str] = []
        remove = aged.remove

        def cut_off(key: str) -> None:
            if len(removed) == 1:
                raise StorageError("the line was cut")
            removed.append(key)
            remove(key)

        monkeypatch.setattr(aged, "remove", cut_off)
        with pytest.raises(StorageError):
            prune(aged, found)
        monkeypatch.undo()
        assert [*chain_problems(aged)] == []
        again = unneeded(aged, timedelta(days=25), self.NOW)
        assert again.snapshots == (2,)
        assert again.objects == found.objects

    def test_too_soon(self, store: FolderStore) -> None:
        with pytest.raises(UsageProblem, match="at least 1 day"):
            unneeded(store, timedelta(hours=23), self.NOW)
