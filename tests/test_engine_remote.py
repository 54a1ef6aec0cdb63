"""A partition replayed elsewhere: who may do it, what it is held against, and what is taken back."""

from __future__ import annotations

import pickle
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from audit.engines import Outcome, Work, remote
from audit.engines.choice import chosen_engine
from audit.engines.local import Local
from audit.engines.remote import (
    Seen,
    Task,
    WorkerDiffers,
    apart,
    lay_out,
    look,
    made_here,
    received,
    tasks_of,
    unlike,
)
from audit.errors import UsageProblem
from audit.ingest.pipeline import ingest
from audit.lake import Lake
from audit.law import load_law
from audit.layout import DERIVED
from audit.partitions import Choice, Failed, Plan, Replayed, attempt
from tests.commands import copied, night, pontoon


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    lake = Lake(tmp_path_factory.mktemp("remote") / "lake")
    ingest([night("act-2018")], lake, load_law().register)
    return lake


@contextmanager
def tasks(lake: Lake) -> Iterator[tuple[Path, list[Task]]]:
    """The tasks of a run over a whole lake, and the staging folder of it."""
    with lake.writing(), lake.staging() as folder:
        plan = Plan(lake, lake.published(), Choice())
        yield folder, tasks_of(Work.of(lake, plan.planned, load_law()), lake, folder)


def done(task: Task) -> Replayed:
    outcome = task.replay()
    assert isinstance(outcome, Replayed), outcome
    return outcome


def reason(outcome: Outcome) -> str:
    assert isinstance(outcome, Failed)
    return outcome.reason


class TestTasks:
    """What goes to another machine, and what an attempt there leaves."""

    def test_the_largest_comes_first_and_each_is_carried_whole(self, nights: Lake) -> None:
        with tasks(nights) as (_, made):
            assert {each.planned.partition for each in made} == set(nights.partitions())
            sizes = [
                sum(1 for _ in nights.read_rounds(each.planned.partition))
                for each in pickle.loads(pickle.dumps(made))
            ]
        assert sizes == sorted(sizes, reverse=True)

    def test_attempts_share_no_file_and_give_the_same_bytes(self, nights: Lake) -> None:
        with tasks(nights) as (_, (task, *_)):
            first, second = done(task), done(task)
        assert {each.path.parent for each in first.staged}.isdisjoint(
            each.path.parent for each in second.staged
        )
        assert [each.as_json() for each in first.staged] == [each.as_json() for each in second.staged]
        assert [each.table for each in first.staged] == list(DERIVED)

    def test_evidence_that_looks_otherwise_there_is_not_replayed(self, nights: Lake, tmp_path: Path) -> None:
        lake = Lake(copied(nights.root, tmp_path / "lake"))
        with tasks(lake) as (_, (task, *_)):
            (events,) = lake.files("events", task.planned.partition)
            events.unlink()
            assert "as a worker saw it, events/" in reason(task.replay())

    def test_another_code_does_not_work(self, nights: Lake) -> None:
        with tasks(nights) as (_, (task, *_)):
            other = replace(task, made={**task.made, "code_sha256": "0" * 64})
            with pytest.raises(WorkerDiffers, match=r"code and rulebooks \(SHA-256\) [0-9a-f]{12}, here 000"):
                other.replay()
            assert list(task.folder.iterdir()) == []


class TestResults:
    """What a worker wrote is held against its word before anything is published."""

    def test_whole_files_are_taken(self, nights: Lake) -> None:
        with tasks(nights) as (_, (task, *_)):
            outcome = done(task)
            assert received(task, outcome, nights.root) == outcome

    @pytest.mark.parametrize("damage", [None, "altered", "gone"])
    def test_what_was_kept_aside_is_taken_as_it_was_written_or_not_at_all(
        self, nights: Lake, damage: str | None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def kept(lake: Lake, folder: Path, *rest: Any) -> Outcome:
            outcome = attempt(lake, folder, *rest)
            assert isinstance(outcome, Replayed)
            (folder / "behind").mkdir()
            (folder / "behind" / "events").write_bytes(b"rows")
            return replace(outcome, behind=folder / "behind")

        monkeypatch.setattr(remote, "attempt", kept)
        with tasks(nights) as (_, (task, *_)):
            outcome = done(task)
            assert outcome.behind is not None
            if damage == "altered":
                (outcome.behind / "events").write_bytes(b"other")
            elif damage == "gone":
                shutil.rmtree(outcome.behind)
            taken = received(task, outcome, nights.root)
        assert isinstance(taken, Replayed)
        assert taken == replace(outcome, behind=outcome.behind if damage is None else None)

    @pytest.mark.parametrize("damage", ["altered", "cut", "gone", "linked"])
    def test_others_are_not(self, nights: Lake, damage: str) -> None:
        with tasks(nights) as (folder, (task, *_)):
            outcome = done(task)
            path = outcome.staged[2].path
            content = path.read_bytes()
            match damage:
                case "altered":
                    path.write_bytes(content[:-5] + bytes([content[-5] ^ 1]) + content[-4:])
                case "cut":
                    path.write_bytes(content[:-1])
                case "gone":
                    path.unlink()
                case "linked":
                    path.rename(folder / "elsewhere")
                    path.symlink_to(folder / "elsewhere")
            told = reason(received(task, outcome, nights.root))
        assert told.startswith("findings/venue=")
        assert "not here as the worker wrote it" in told


class TestFitness:
    """A worker is what this program is here, and is at the same lake."""

    def test_this_process_is_fit(self, nights: Lake) -> None:
        with nights.writing(), nights.staging() as folder:
            token = lay_out(folder)
            assert unlike(made_here()) is None
            assert apart(look(folder), folder, token) is None
            assert {each.name.partition("-")[0] for each in folder.iterdir()} == {"beacon", "look"}

    @pytest.mark.parametrize("key", ["python", "code_version", "code_sha256", "packages_sha256"])
    def test_whatever_differs_is_named(self, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
        here = dict.fromkeys(made_here(), "this")
        monkeypatch.setattr("audit.engines.remote.made_here", lambda: here)
        assert unlike(here) is None
        assert " another, here this; " in str(unlike({**here, key: "another"}))
        assert " unknown, here this; " in str(unlike({name: here[name] for name in here if name != key}))

    def test_another_lake_is_seen(self, nights: Lake, tmp_path: Path) -> None:
        with nights.writing(), nights.staging() as folder:
            token = lay_out(folder)
            nowhere = look(tmp_path / "lake" / ".staging" / folder.name)
            assert str(apart(nowhere, folder, token)).startswith("does not see the lake in ")
            unwritten = Seen(token=token, wrote=None, compiled=True)
            assert "run both as the same user" in str(apart(unwritten, folder, token))


class TestOptions:
    """Which options stand for which engine; the rest is refused with what to do."""

    def test_local_is_what_is_meant_by_nothing(self) -> None:
        assert chosen_engine("local", None, 3) == Local(3)

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (["--scheduler", "tcp://a:1"], "give --engine dask or spark with it"),
            (["--engine", "dask"], "needs --scheduler, such as tcp://10.0.0.7:8786"),
            (["--engine", "spark"], "needs --scheduler, such as spark://10.0.0.7:7077"),
            (["--engine", "dask", "--scheduler", "tcp://a:1", "--jobs", "2"], "--jobs is for this machine"),
            (
                ["--engine", "dask", "--scheduler", "nowhere"],
                "expected an address such as tcp://10.0.0.7:8786",
            ),
            (["--engine", "dask", "--scheduler", "odd://a:1"], "unknown address scheme"),
            (["--engine", "spark", "--scheduler", "tcp://a:1"], "expected a master of Spark"),
            (["--engine", "spark", "--scheduler", "yarn", "--jobs", "2"], "with --engine spark there are as"),
        ],
    )
    def test_others_are_refused(self, nights: Lake, options: list[str], words: str) -> None:
        ran = pontoon("run", "--lake", nights.root, *options)
        assert ran.code == 2
        assert words in ran.err

    @pytest.mark.parametrize(
        ("name", "scheduler", "library"),
        [("dask", "tcp://a:1", "distributed"), ("spark", "local[2]", "pyspark")],
    )
    def test_without_the_extra_it_says_what_to_install(
        self, name: Literal["dask", "spark"], scheduler: str, library: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, library, None)
        monkeypatch.delitem(sys.modules, f"audit.engines.{name}", raising=False)
        with pytest.raises(UsageProblem, match=rf"pip install 'pontoon-audit\[{name}\]'"):
            chosen_engine(name, scheduler, None)
