"""What a lake needs of an object store, on a disk and on an S3 server, and what people are told."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from audit.errors import StorageError, UsageProblem
from audit.remote import s3
from audit.remote.address import remote_url
from audit.remote.store import Absent, Store, Taken, open_store
from tests.object_storage import BUCKET, S3Server, file_url, s3_server


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with pytest.MonkeyPatch.context() as patch, s3_server(patch) as running:
        yield running


@pytest.fixture(params=["file", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "file":
        url = file_url(tmp_path / "store")
    else:
        request.getfixturevalue("server")
        url = f"s3://{BUCKET}/{tmp_path.name}"
    opened = open_store(url)
    yield opened
    opened.close()


class TestObjects:
    """An object is made where there is none, whole, and never altered."""

    def test_the_second_to_make_one_is_told(self, store: Store, tmp_path: Path) -> None:
        store.create("manifests/00000001.json", b"one")
        with pytest.raises(Taken):
            store.create("manifests/00000001.json", b"two")
        (tmp_path / "three").write_bytes(b"three")
        with pytest.raises(Taken):
            store.upload("manifests/00000001.json", tmp_path / "three")
        assert store.read("manifests/00000001.json") == b"one"

    def test_a_file_comes_back_as_it_was(
        self, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Twice as much is sent in parts, each of at least so much.
        monkeypatch.setattr(s3, "_PART_BYTES", 5 << 20)
        key = "objects/rounds/venue=caf%C3%A9 + [a]/gaming_date=2024-01-01/part.0f.parquet"
        content = bytes(range(256)) * 41_000
        (tmp_path / "there").write_bytes(content)
        store.upload(key, tmp_path / "there")
        store.fetch(key, tmp_path / "back")
        assert (tmp_path / "back").read_bytes() == content
        assert store.look(key).size == len(content)
        assert {*store.listing("objects")} == {key}
        with pytest.raises(Taken):
            store.upload(key, tmp_path / "there")

    def test_nothing_there(self, store: Store, tmp_path: Path) -> None:
        assert store.listing("manifests") == {}
        for look in (store.read, store.look, lambda key: store.fetch(key, tmp_path / "back")):
            with pytest.raises(Absent, match=": not there"):
                look("manifests/00000009.json")

    def test_a_listing_is_of_one_folder(self, store: Store) -> None:
        before = datetime.now(UTC) - timedelta(minutes=1)
        store.create("manifests/1", b"1")
        store.create("manifests-of-others/2", b"22")
        store.create("objects/a/b/3", b"333")
        assert {*store.listing("manifests")} == {"manifests/1"}
        (found,) = store.listing("objects").values()
        assert found.size == 3
        assert before < found.since < datetime.now(UTC) + timedelta(minutes=1)

    def test_what_is_removed_is_gone(self, store: Store) -> None:
        store.create("objects/1", b"1")
        store.remove("objects/1")
        store.remove("objects/1")
        assert store.listing("objects") == {}
        store.create("objects/1", b"again")


def test_a_file_half_written_is_nowhere_to_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is full, or a process that ends, leaves no object behind."""
    store = open_store(file_url(tmp_path))

    def refuse(*_: object) -> None:
        raise OSError(28, "no space")

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(StorageError, match="could not write: the disk is full"):
        store.create("manifests/1", b"1")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


class TestTold:
    """One line says what is wrong with the bucket, the credentials or the network."""

    def told(self, url: str, endpoint: str | None = None) -> str:
        store = open_store(url, endpoint)
        try:
            with pytest.raises(StorageError) as raised:
                store.create("lake.json", b"{}")
            with pytest.raises(StorageError):
                store.listing("manifests")
        finally:
            store.close()
        return str(raised.value)

    def test_no_bucket(self, server: S3Server) -> None:
        assert self.told("s3://no-such-bucket/lake") == (
            "s3://no-such-bucket/lake/lake.json: could not write: there is no bucket no-such-bucket; "
            "make it or check the name"
        )

    def test_no_credentials(self, server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("AWS_ACCESS_KEY_ID")
        monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
        assert "no credentials; set AWS_ACCESS_KEY_ID and" in self.told(f"s3://{BUCKET}/lake")

    def test_no_such_profile(self, server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_PROFILE", "nobody")
        assert "no credentials" in self.told(f"s3://{BUCKET}/lake")

    def test_access_denied(self, server: S3Server) -> None:
        server.ask_for_credentials(after=0)
        try:
            told = self.told(f"s3://{BUCKET}/lake")
        finally:
            server.ask_for_credentials(after=1_000_000_000)
        assert "access denied (InvalidAccessKeyId); check the credentials" in told

    @pytest.mark.slow
    def test_nobody_answers(self, server: S3Server) -> None:
        told = self.told(f"s3://{BUCKET}/lake", "http://127.0.0.1:9")
        assert "http://127.0.0.1:9 cannot be reached; check the network and run again" in told


@pytest.mark.parametrize(
    ("named", "url"),
    [
        ("lake", None),
        ("a/b:/c", None),
        ("/srv/lake", None),
        ("s3://bucket/a/lake/", "s3://bucket/a/lake"),
        ("s3://bucket", "s3://bucket"),
        ("file:///srv/a%20lake", "file:///srv/a%20lake"),
    ],
)
def test_which_lakes_are_on_object_storage(named: str, url: str | None) -> None:
    assert remote_url(Path(named)) == url


@pytest.mark.parametrize("named", ["gs://bucket/lake", "https://host/lake", "s3://", "memory://lake"])
def test_a_store_of_which_it_is_not_known_that_it_is_exclusive(named: str) -> None:
    with pytest.raises(UsageProblem, match="make an object only where there is none"):
        remote_url(Path(named))
