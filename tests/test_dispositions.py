"""What somebody made of a finding outlives every run, and stands until the finding is another matter."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from audit.catalog import build_catalog
from audit.commands.lakes import rebuild_report
from audit.dispositions import LONGEST_NAME, LONGEST_NOTE, dispose, dispositions, standing
from audit.errors import LakeError, UsageProblem
from audit.lake import Lake
from audit.law import load_law
from audit.partitions import Choice
from audit.past import latest, past_of
from tests.commands import Ran, copied, pontoon
from tests.test_findings_over_time import PAID_SHORTER, ask, audit, supersede
from tests.test_run_changed import FIRST, IN_ORDER, PAID_SHORT, dealt, put

pytestmark = pytest.mark.usefixtures("unvalidated")

EVIL = '=HYPERLINK("http://x","<script>alert(1)</script>")'


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory, unvalidated: object) -> Lake:
    """One gaming date with two rounds paid short, audited."""
    folder = tmp_path_factory.mktemp("dispositions")
    lake = Lake(folder / "lake")
    put(lake, folder, "first.jsonl", dealt(1, 1, PAID_SHORT), dealt(2, 1, PAID_SHORT))
    audit(lake)
    return lake


@pytest.fixture
def lake(audited: Lake, tmp_path: Path) -> Lake:
    """A copy of the audited lake."""
    return Lake(copied(audited.root, tmp_path / "lake"))


def named(lake: Lake) -> list[str]:
    """The fingerprints of the findings, by round."""
    return [each.fingerprint for each in sorted(latest(lake).values(), key=lambda each: each.round_id)]


def disposition(lake: Lake, *fingerprints: str, **options: str) -> Ran:
    given = {"status": "explained", "by": "J. Smith", "note": "paid at the cage"} | options
    flags = [text for name, value in given.items() for text in (f"--{name}", value)]
    return pontoon("disposition", *fingerprints, "--lake", lake.root, *flags)


def listed(lake: Lake) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pontoon("dispositions", "--lake", lake.root, "--json").object[
        "dispositions"
    ]
    return found


class TestRecording:
    """A disposition is added to a ledger, with the facts that it rests on, and nothing is overwritten."""

    def test_it_keeps_the_facts_of_the_finding(self, lake: Lake) -> None:
        name = named(lake)[0]
        told = disposition(lake, name)
        assert told.code == 0
        assert told.out == (
            f"{name}: settle.odds in round R-1-1: explained.\nRecorded as J. Smith's, line 1 of the ledger.\n"
        )
        (record,) = lake.records("dispositions")
        assert record["kind"] == "disposition"
        assert record["findings"] == [
            {
                "fingerprint": name,
                "venue": "casino-canberra",
                "gaming_date": "2023-03-01",
                "round_id": "R-1-1",
                "code": "settle.odds",
                "severity": "breach",
                "delta": "-10",
                "seq": 6,
            }
        ]
        assert lake.verify().intact

    def test_several_at_once_are_one_record_and_the_same_twice_is_one(self, lake: Lake) -> None:
        one, two = named(lake)
        assert disposition(lake, two, one[:8], one).code == 0
        (record,) = lake.records("dispositions")
        assert [each["fingerprint"] for each in record["findings"]] == [two, one]

    def test_a_later_one_replaces_and_open_takes_back(self, lake: Lake) -> None:
        name = named(lake)[0]
        disposition(lake, name)
        disposition(lake, name, status="confirmed", note="no slip at the cage")
        assert standing(lake)[name].status == "confirmed"
        told = disposition(lake, name, status="open", note="the slip was found")
        assert f"{name}: settle.odds in round R-1-1: open again." in told.out
        assert standing(lake) == {}
        assert [each.status for each in dispositions(lake)] == ["explained", "confirmed", "open"]
        assert [each["standing"] for each in listed(lake)] == [False, False, False]

    def test_an_altered_record_is_found(self, lake: Lake) -> None:
        disposition(lake, named(lake)[0], status="confirmed")
        path = lake.ledger_path("dispositions")
        path.write_text(path.read_text().replace('"confirmed"', '"explained"'))
        assert "ledger/dispositions.jsonl: line 1: the record does not match" in lake.verify().problems[0]

    def test_a_run_does_not_go_by_an_altered_record(self, lake: Lake) -> None:
        disposition(lake, *named(lake), status="confirmed")
        path = lake.ledger_path("dispositions")
        path.write_text(path.read_text().replace('"confirmed"', '"explained"'))
        with pytest.raises(LakeError, match="it was altered; bring it back"):
            audit(lake, ignore_disposed=True)
        assert pontoon("dispositions", "--lake", lake.root).code == 3

    def test_as_json(self, lake: Lake) -> None:
        name = named(lake)[0]
        told = pontoon(
            "disposition", name, "--lake", lake.root, "--status", "false-positive",
            "--by", "J. Smith", "--note", "odds misread", "--json",
        ).object  # fmt: skip
        assert told["status"] == "false-positive"
        assert told["sha256"] == next(lake.records("dispositions"))["sha256"]


class TestNaming:
    """The beginning of a fingerprint is enough where no other finding has it."""

    def test_upper_case_is_the_same(self, lake: Lake) -> None:
        name = named(lake)[0]
        assert [each.fingerprint for each in past_of(lake, [name[:10].upper()])] == [name]

    @pytest.mark.parametrize("name", ["", "12345", "zzzzzzzz", "abcdef' OR true --"])
    def test_what_is_no_fingerprint(self, lake: Lake, name: str) -> None:
        told = disposition(lake, name)
        assert told.code == 2
        assert "not a fingerprint; give its first 6 hexadecimal digits or more" in told.err

    def test_an_unknown_one(self, lake: Lake) -> None:
        told = disposition(lake, "0" * 20)
        assert told.code == 2
        assert "no finding of this lake has such a fingerprint" in told.err
        assert not lake.ledger_path("dispositions").exists()

    def test_all_that_is_wrong_is_told_and_nothing_recorded(self, lake: Lake) -> None:
        told = disposition(lake, "12", named(lake)[0], "0" * 20)
        assert told.code == 2
        assert "12: not a fingerprint" in told.err
        assert f"{'0' * 20}: no finding" in told.err
        assert not lake.ledger_path("dispositions").exists()

    def test_an_ambiguous_one(self, lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
        # Eighty bits do not meet by chance in six digits, so the findings are made to.
        past = latest(lake).values()
        twins = [replace(each, fingerprint=f"abcdef{number}") for number, each in enumerate(past)]
        monkeypatch.setattr("audit.past._read", lambda *_: twins)
        told = disposition(lake, "abcdef")
        assert told.code == 2
        assert "abcdef: begins the fingerprints of 2 findings: abcdef0 (settle.odds in round" in told.err

    def test_before_the_first_run_there_is_nothing_to_name(self, tmp_path: Path) -> None:
        lake = Lake(tmp_path / "lake")
        put(lake, tmp_path, "first.jsonl", dealt(1, 1))
        assert "no finding of this lake" in disposition(lake, "abcdef").err
        assert listed(lake) == []
        assert "Nobody has looked into" in pontoon("dispositions", "--lake", lake.root).out

    def test_a_damaged_history_is_not_believed(self, lake: Lake) -> None:
        name = named(lake)[0]
        (path,) = lake.root.glob("changes/*/*/*.parquet")
        path.write_bytes(path.read_bytes() + b"?")
        with pytest.raises(LakeError, match="cannot be told from it"):
            past_of(lake, [name])
        assert disposition(lake, name).code == 3

    def test_a_history_that_is_gone_is_missed(self, lake: Lake) -> None:
        shutil.rmtree(lake.root / "changes")
        with pytest.raises(LakeError, match="now missing"):
            latest(lake)

    @pytest.mark.slow
    def test_a_resolved_finding_can_still_be_looked_into(self, lake: Lake, tmp_path: Path) -> None:
        name = named(lake)[0]
        supersede(lake, tmp_path, "corrected.jsonl", IN_ORDER)
        audit(lake)
        assert disposition(lake, name).code == 0
        assert [each["state"] for each in listed(lake)] == ["resolved"]


class TestTexts:
    """Names and notes are texts by people: one line, bounded, and harmless wherever they are shown."""

    @pytest.mark.parametrize(
        ("option", "text", "problem"),
        [
            ("note", "  ", "--note: say something"),
            ("by", "", "--by: say something"),
            ("note", "x" * (LONGEST_NOTE + 1), "--note: 2,001 characters; at most 2,000"),
            ("by", "x" * (LONGEST_NAME + 1), "--by: 101 characters; at most 100"),
            ("note", "one\ntwo", "--note: holds a line break"),
            ("by", "J\x1b[31m", "--by: holds a line break or another invisible character"),
            ("note", "safe\u202etxt", "--note: holds a line break or another invisible character"),
        ],
    )
    def test_a_text_that_is_refused(self, lake: Lake, option: str, text: str, problem: str) -> None:
        told = disposition(lake, named(lake)[0], **{option: text})
        assert told.code == 2
        assert problem in told.err
        assert not lake.ledger_path("dispositions").exists()

    def test_a_status_that_is_none(self, lake: Lake) -> None:
        assert disposition(lake, named(lake)[0], status="guilty").code == 2

    def test_a_text_of_markup_and_formulas_is_shown_as_it_is(self, lake: Lake, tmp_path: Path) -> None:
        dispose(lake, named(lake)[:1], "explained", "@SUM(1)", EVIL, FIRST)
        files = rebuild_report(lake, load_law(), Choice(), tmp_path / "report")
        page = files.html.read_text()
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)" in page
        assert "'=HYPERLINK" in files.csv.read_text("utf-8-sig")
        assert "'@SUM(1)" in files.csv.read_text("utf-8-sig")
        rows = list(openpyxl.load_workbook(files.xlsx)["Exceptions"].iter_rows())
        (cell,) = [cell for row in rows for cell in row if cell.value == EVIL]
        assert cell.data_type == "s"
        assert cell.hyperlink is None
        assert EVIL.split("<")[0] in pontoon("dispositions", "--lake", lake.root).out


@pytest.mark.slow
class TestStanding:
    """A disposition binds to the fingerprint, and no further than the facts it was made on."""

    def test_it_outlives_a_run(self, lake: Lake) -> None:
        disposition(lake, named(lake)[0])
        outcome = audit(lake)
        assert outcome.record["counts"]["disposed"] == {
            "confirmed": 0,
            "explained": 1,
            "false-positive": 0,
            "changed_since": 0,
        }
        query = "SELECT round_id, disposition, disposed_by, changed_since FROM finding_states ORDER BY ALL"
        assert ask(lake, query) == [("R-1-1", "explained", "J. Smith", False), ("R-1-2", None, None, False)]
        assert ask(lake, "SELECT round_id FROM findings_open") == [("R-1-2",)]

    def test_the_views_show_it_at_once(self, lake: Lake) -> None:
        build_catalog(lake.root)
        disposition(lake, named(lake)[0])
        assert ask(lake, "SELECT status FROM dispositions") == [("explained",)]
        assert ask(lake, "SELECT round_id FROM findings_open") == [("R-1-2",)]

    @pytest.mark.usefixtures("validated")
    def test_another_amount_is_another_matter(self, lake: Lake, tmp_path: Path) -> None:
        disposition(lake, *named(lake))
        supersede(lake, tmp_path, "shorter.jsonl", PAID_SHORTER)
        told = pontoon("run", "--lake", lake.root, "--ignore-disposed")
        assert told.code == 1
        assert "Of them looked into: 1 explained." in told.out
        assert "Looked into and changed since, so open again: 1 finding." in told.out
        assert "Left out of the exit code: 1 finding, explained or a false positive." in told.out
        assert ask(lake, "SELECT round_id, changed_since FROM findings_open") == [("R-1-1", True)]
        assert [each["changed_since"] for each in listed(lake)] == [True, False]
        assert "Changed since they were looked into, so open again: 1 finding." in (
            pontoon("dispositions", "--lake", lake.root).out
        )

    def test_a_finding_that_comes_back_has_it_still(self, lake: Lake, tmp_path: Path) -> None:
        disposition(lake, *named(lake))
        supersede(lake, tmp_path, "corrected.jsonl", IN_ORDER)
        assert audit(lake).record["counts"]["disposed"]["explained"] == 1
        supersede(lake, tmp_path, "again.jsonl", PAID_SHORT, dealer="D2")
        assert audit(lake).record["counts"]["disposed"]["explained"] == 2


@pytest.mark.slow
class TestExitCode:
    """With --ignore-disposed explained findings and false positives do not make the exit code 1."""

    def test_only_when_asked_for(self, lake: Lake) -> None:
        disposition(lake, *named(lake))
        outcome = audit(lake)
        assert outcome.exit_code == 1
        assert outcome.record["ignore_disposed"] is False
        assert "ignored" not in outcome.record["counts"]

    @pytest.mark.parametrize(
        ("status", "code"), [("explained", 0), ("false-positive", 0), ("confirmed", 1), ("open", 1)]
    )
    def test_by_what_was_made_of_them(self, lake: Lake, status: str, code: int) -> None:
        disposition(lake, *named(lake), status=status)
        outcome = audit(lake, ignore_disposed=True)
        assert outcome.exit_code == code
        assert outcome.record["ignore_disposed"] is True
        assert outcome.record["counts"]["ignored"]["breach"] == (0 if code else 2)
        assert outcome.record["counts"]["findings"]["breach"] == 2

    def test_what_nobody_looked_into_counts(self, lake: Lake) -> None:
        disposition(lake, named(lake)[0])
        assert audit(lake, ignore_disposed=True).exit_code == 1

    def test_incomplete_still_wins(self, lake: Lake) -> None:
        disposition(lake, *named(lake))
        (path,) = lake.root.glob("rounds/*/*/*.parquet")
        path.write_bytes(path.read_bytes()[:-1] + b"?")
        assert audit(lake, ignore_disposed=True).exit_code == 3


class TestReport:
    """The report shows what was made of a finding, and counts the finding as before."""

    def test_on_the_page_in_the_sheets_and_in_json(self, lake: Lake, tmp_path: Path) -> None:
        names = named(lake)
        dispose(lake, names[:1], "explained", "J. Smith", "paid at the cage, slip 118", FIRST)
        files = rebuild_report(lake, load_law(), Choice(), tmp_path / "report")
        page = files.html.read_text()
        assert "explained, by J. Smith on 2026-01-02: paid at the cage, slip 118" in page
        assert "Looked into: 1 explained." in page
        assert names[0] in page
        assert '<span class="tag">explained</span>' in page
        line = f"{names[0]},1,explained,J. Smith,2026-01-02T03:04:05+00:00,"
        assert line + '"paid at the cage, slip 118",no' in files.csv.read_text("utf-8-sig")
        summary = json.loads(files.json.read_text())
        assert summary["disposed"]["explained"] == 1
        assert summary["totals"]["findings_by_severity"]["breach"] == 2
        sheet = openpyxl.load_workbook(files.xlsx)["Exceptions"]
        header, *rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
        notes = [row[header.index("disposition note")] for row in rows]
        assert [note for note in notes if note is not None] == ["paid at the cage, slip 118"]

    @pytest.mark.slow
    def test_one_that_has_changed_since_is_marked(self, lake: Lake, tmp_path: Path) -> None:
        disposition(lake, named(lake)[0])
        supersede(lake, tmp_path, "shorter.jsonl", PAID_SHORTER)
        audit(lake)
        page = (lake.root / "report" / "report.html").read_text()
        assert "Looked into: 1 changed since it was looked into." in page
        assert "Severity, amount or event have changed since, so it is open again." in page
        assert '<span class="tag">changed since</span>' in page

    @pytest.mark.slow
    def test_the_same_lake_gives_the_same_bytes(self, lake: Lake, tmp_path: Path) -> None:
        disposition(lake, named(lake)[0])
        audit(lake)
        files = rebuild_report(lake, load_law(), Choice(), tmp_path / "again")
        for path in (files.html, files.csv, files.xlsx, files.json):
            assert path.read_bytes() == (lake.root / "report" / path.name).read_bytes(), path.name

    def test_without_any_nothing_is_said_of_it(self, lake: Lake) -> None:
        page = (lake.root / "report" / "report.html").read_text()
        assert 'id="disposed"' not in page
        assert "<dt>Looked into</dt>" not in page


def test_a_text_is_refused_before_the_lake_is_held(lake: Lake) -> None:
    with lake.writing(), pytest.raises(UsageProblem, match="--note"):
        dispose(lake, named(lake), "explained", "J. Smith", "a\tb", FIRST)
