"""Whatever is done to a lake, its ledgers, its report or the law is found and named, or said not to be."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from audit.damage import NOT_OURS
from audit.errors import LakeError, StorageError, UsageProblem
from audit.lake import Lake
from audit.law import load_law
from audit.layout import TABLES
from audit.partitions import Choice, Plan
from audit.verification import Anchor, verify
from tests.commands import copied, pontoon
from tests.record_tampering import (
    AT,
    BEGIN,
    END,
    NOT_FOUND,
    PAGE,
    PLACES,
    PROGRAM,
    TAMPERINGS,
    Kept,
    Once,
    Tampering,
    build,
    first_of,
    flip,
    places_of,
    rows,
    say,
    table,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    return build(tmp_path_factory.mktemp("kept"))


@pytest.fixture(scope="module")
def once(kept: Kept, tmp_path_factory: pytest.TempPathFactory) -> Once:
    return Once(kept, tmp_path_factory.mktemp("once"))


@pytest.fixture
def lake(kept: Kept, tmp_path: Path) -> Path:
    return copied(kept.lake, tmp_path / "lake")


class TestTheTable:
    """The table of the documentation is what `verify` says today."""

    def test_it_is_up_to_date(self, once: Once) -> None:
        page = PAGE.read_text(encoding="utf-8")
        recorded = page.partition(BEGIN)[2].partition(END)[0]
        assert table(rows(once)) == recorded, "run `python -m tests.record_tampering`"

    @pytest.mark.parametrize("each", TAMPERINGS, ids=lambda each: each.what)
    def test_everything_is_found_but_what_leaves_no_trace(self, once: Once, each: Tampering) -> None:
        assert bool(once.tampered(each).problems) == (each.what not in NOT_FOUND)

    @pytest.mark.parametrize("of", [*TABLES, "archive"])
    def test_a_bit_is_found_wherever_it_is(self, kept: Kept, lake: Path, of: str) -> None:
        path = first_of(lake, of)
        place = path.relative_to(lake).as_posix()
        words = (f"{place}: differs from the SHA-256 in the ledger; it was altered or damaged",)
        for byte in places_of(path):
            flip(path, byte)
            assert Lake(lake).verify().problems == words
            flip(path, byte)
        assert len(set(places_of(path))) == PLACES
        assert Lake(lake).verify().intact


class TestTheProgram:
    """Another law is a problem; other code is worth a note."""

    @pytest.mark.parametrize("what", [each for each in PROGRAM if "program" not in each])
    def test_an_edited_law_is_a_problem(self, once: Once, what: str) -> None:
        code, said = once.by_copy(what)
        assert code == 1
        (problem,) = said.problems
        assert "run 0002-" in problem
        assert "their findings rest on that one" in problem

    def test_other_code_is_a_note(self, once: Once) -> None:
        code, said = once.by_copy("the program edited")
        assert (code, said.problems) == (0, ())
        assert any("3 partitions audited with other code" in note for note in said.notes)


class TestRecordsOfOthers:
    """A record that somebody else chained to a ledger is not passed over."""

    @pytest.mark.parametrize(
        "record",
        [
            {"kind": "run"},
            {"published": "everything"},
            {"published": [], "heads": {"ingests": 1}},
            {"published": [], "inputs": [1]},
            {"published": [], "partitions": [{"venue": None, "gaming_date": None}], "report": "none"},
        ],
    )
    def test_it_is_told(self, kept: Kept, lake: Path, record: dict[str, Any]) -> None:
        ledger = Lake(lake).ledger("runs")
        ledger.append(ledger.sealed(record, AT))
        found = verify(Lake(lake), load_law())
        assert found.records == 7
        assert NOT_OURS in found.problems


class TestReport:
    """The files of the report are held against the run that wrote them."""

    def test_a_report_elsewhere_is_compared_where_it_is_said_to_be(
        self, kept: Kept, lake: Path, tmp_path: Path
    ) -> None:
        (lake / "report").rename(tmp_path / "elsewhere")
        assert "report/exceptions.csv: not there, so not compared" in " ".join(say(kept, lake).notes)
        found = verify(Lake(lake), load_law(), report_dir=tmp_path / "elsewhere")
        assert not any(each.startswith("report/") for each in (*found.problems, *found.notes))

    def test_that_of_an_earlier_run_is_told_from_an_altered_one(self, kept: Kept, lake: Path) -> None:
        name = "report/report.html"
        shutil.copy(kept.before / name, lake / name)
        assert say(kept, lake).problems == ()
        assert any(f"{name}: that of run 0001-" in each for each in say(kept, lake).notes)


class TestAnchors:
    """A record noted down elsewhere finds a lake that was set back."""

    def test_what_was_noted_down_is_there(self, kept: Kept) -> None:
        ran = pontoon("verify", "--lake", kept.lake, *(f"--expect={each}" for each in kept.anchors))
        assert ran.code == 0

    def test_head_prints_them(self, kept: Kept) -> None:
        printed = pontoon("verify", "--lake", kept.lake, "--head").out.splitlines()
        assert [line for line in printed if line.count(":") == 2 and "note" not in line.lower()] == list(
            kept.anchors
        )
        assert pontoon("verify", "--lake", kept.lake, "--json").object["heads"] == list(kept.anchors)

    def test_the_beginning_of_a_digest_will_do(self, kept: Kept) -> None:
        ledger, n, sha256 = kept.anchors[1].split(":")
        short = f"{ledger}:{n}:{sha256[:16]}"
        assert pontoon("verify", "--lake", kept.lake, "--expect", short).code == 0
        other = f"{ledger}:{n}:{'0' * 16}"
        ran = pontoon("verify", "--lake", kept.lake, "--expect", other)
        assert ran.code == 1
        assert "another record than the one expected" in ran.out

    @pytest.mark.parametrize("text", ["", "runs:1", "runs:0:" + "a" * 64, "runs:1:abc", "what:1:" + "a" * 64])
    def test_anything_else_is_refused(self, text: str) -> None:
        with pytest.raises(UsageProblem, match="expected LEDGER:LINE:SHA256"):
            Anchor.parse(text)


class TestRun:
    """A run takes nothing from a place where something else may stand."""

    def test_a_link_in_place_of_evidence_is_not_followed(self, kept: Kept, lake: Path) -> None:
        path = first_of(lake, "rounds")
        elsewhere = lake.parent / "elsewhere.parquet"
        path.rename(elsewhere)
        path.symlink_to(elsewhere)
        opened = Lake(lake)
        plan = Plan(opened, opened.published(), Choice())
        assert ["a symbolic link stands for it" in each.reason for each in plan.failed] == [True]

    def test_evidence_that_was_altered_is_not_read(self, kept: Kept, lake: Path) -> None:
        flip(first_of(lake, "events"), -1)
        opened = Lake(lake)
        plan = Plan(opened, opened.published(), Choice())
        assert ["differs from the SHA-256" in each.reason for each in plan.failed] == [True]

    def test_a_ledger_that_is_no_record_stops_it(self, lake: Path) -> None:
        with Lake(lake).ledger_path("ingests").open("ab") as file:
            file.write(b"[]\n")
        with pytest.raises(LakeError, match="is not a record"):
            Lake(lake).published()


class TestRecords:
    """What every record says of its making."""

    def test_they_name_code_environment_and_law(self, kept: Kept) -> None:
        opened = Lake(kept.lake)
        for ledger in ("ingests", "runs", "dispositions"):
            for record in opened.records(ledger):
                assert len(record["code_sha256"]) == 64
                assert record["environment"].keys() == {"python", "packages_sha256", "lock_sha256"}
                assert len(record["environment"]["lock_sha256"]) == 64
        assert {each["register_sha256"] for each in opened.records("ingests")} == {load_law().register_sha256}

    def test_they_name_the_newest_of_the_other_ledgers(self, kept: Kept) -> None:
        opened = Lake(kept.lake)
        ingests, runs = list(opened.records("ingests")), list(opened.records("runs"))
        assert [each["heads"] for each in ingests] == [
            {},
            *[{"runs": {"n": 1, "sha256": runs[0]["sha256"]}}] * 2,
        ]
        assert [each["heads"]["ingests"]["n"] for each in runs] == [1, 3]

    def test_records_of_earlier_versions_are_read(self, tmp_path: Path) -> None:
        opened = Lake(tmp_path / "lake")
        with opened.writing(create=True):
            opened.ledger("ingests").append(
                opened.ledger("ingests").sealed({"kind": "ingest", "files": [], "published": []}, AT)
            )
        assert verify(opened, load_law()).intact

    def test_a_lake_on_read_only_media_is_verified(self, lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        opened = os.open

        def read_only(path: Any, flags: int, *mode: int, **where: Any) -> int:
            if flags & os.O_RDWR:
                raise OSError(errno.EROFS, "Read-only file system", str(path))
            return opened(path, flags, *mode, **where)

        monkeypatch.setattr(os, "open", read_only)
        assert Lake(lake).verify().intact
        (lake / ".lock").unlink()
        assert Lake(lake).verify().intact
        with pytest.raises(StorageError, match="the file system is read-only"), Lake(lake).writing():
            pass
