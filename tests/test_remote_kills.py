"""A writer killed at any moment: readers see the snapshot before, and the command given again ends it."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from audit.remote.snapshot import manifest_key
from tests.commands import night, pontoon
from tests.object_storage import BUCKET, INSTANT, Kept, contents, s3_server
from tests.remote_killed import kills_itself

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True, scope="module")
def same_instant() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", INSTANT)
        yield


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """A lake before and after a command that nobody cuts off, and the command."""

    before: dict[str, str]
    after: dict[str, str]
    first: tuple[str | Path, ...]
    command: tuple[str | Path, ...]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    lake = tmp_path_factory.mktemp("undisturbed") / "lake"
    first, command = ("ingest", night("act-2018")), ("ingest", night("nz-2000"))
    assert pontoon(*first, "--lake", lake).code == 0
    before = contents(lake)
    assert pontoon(*command, "--lake", lake).code == 0
    return Undisturbed(before, contents(lake), first, command)


def killed(kept: Kept, command: tuple[str | Path, ...], when: str, number: int) -> bool:
    """Run a command in a process of its own that kills itself; whether it did, before its end."""
    return kills_itself(when == "before", number, "--cache", kept.cache, *command, "--lake", kept.url)


def look(kept: Kept, undisturbed: Undisturbed) -> bool:
    """What a reader elsewhere sees: all as before, or all as it is to be; whether the latter."""
    reader = kept.on(f"reader-of-{kept.cache.name}")
    assert reader.pontoon("verify").code == 0
    seen = contents(reader.copy)
    assert seen == kept.contents
    assert seen in (undisturbed.before, undisturbed.after)
    return seen == undisturbed.after


class TestEveryStep:
    """Killed before the first object that it makes, and after each."""

    def test_on_a_disk(self, tmp_path: Path, undisturbed: Undisturbed) -> None:
        whole = Kept.in_folder(tmp_path / "whole")
        assert whole.pontoon(*undisturbed.first).code == 0
        assert whole.contents == undisturbed.before
        made, published = 0, []
        while True:
            here = tmp_path / f"step-{made}"
            shutil.copytree(tmp_path / "whole", here)
            kept = Kept.in_folder(here)
            if not killed(kept, undisturbed.command, "after" if made else "before", max(made, 1)):
                break
            made += 1
            published.append(look(kept, undisturbed))
            assert kept.pontoon(*undisturbed.command).code == 0
            assert kept.contents == undisturbed.after
            assert kept.newest.number == 2
            shutil.rmtree(here)
        # The last object made is the manifest, and only then is anything published.
        assert published == [False] * (len(published) - 1) + [True]
        assert len(published) >= 6

    def test_on_a_server(
        self, tmp_path: Path, undisturbed: Undisturbed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with s3_server(monkeypatch):
            published = []
            for number in (3, 7, 8):
                kept = Kept(f"s3://{BUCKET}/step-{number}", tmp_path / f"cache-{number}")
                assert kept.pontoon(*undisturbed.first).code == 0
                assert killed(kept, undisturbed.command, "after", number) == (number < 8)
                published.append(look(kept, undisturbed))
                assert kept.pontoon(*undisturbed.command).code == 0
                assert kept.contents == undisturbed.after
            assert published == [False, True, True]


class TestAnyMoment:
    """Killed from outside at moments spread over the whole command."""

    def test_on_a_server(
        self, tmp_path: Path, undisturbed: Undisturbed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        chance = random.Random(20240301)
        with s3_server(monkeypatch):
            for number in range(2):
                kept = Kept(f"s3://{BUCKET}/moment-{number}", tmp_path / f"cache-{number}")
                assert kept.pontoon(*undisturbed.first).code == 0
                arguments = ["--cache", kept.cache, *undisturbed.command, "--lake", kept.url]
                started = [sys.executable, "-m", "audit.cli", *map(str, arguments)]
                with subprocess.Popen(
                    started, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                ) as running:
                    try:
                        running.wait(0.8 + chance.random() * 1.2)
                    except subprocess.TimeoutExpired:
                        running.kill()
                look(kept, undisturbed)
                assert kept.pontoon(*undisturbed.command).code == 0
                assert kept.contents == undisturbed.after
                assert manifest_key(3) not in kept.store.listing("manifests")
