"""The exceptions as CSV and as an Excel workbook."""

from __future__ import annotations

import csv
import os
import signal
import zipfile
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from audit.layout import Partition
from audit.report import ReportFiles, ReportScope, sheets, write, write_report
from audit.report.workbook import CELL_CHARACTERS, Workbook
from tests.test_report_lake import AUCKLAND, CANBERRA, HEADER, LakeBuilder, report

FORMULA = '=HYPERLINK("http://example.invalid","click")'


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> ReportFiles:
    lake = LakeBuilder()
    lake.round(CANBERRA, "R1", table=FORMULA, dealer="@SUM(A1)", supervisor="-12.5", shoe="\t=1+1")
    lake.round(CANBERRA, "R2", dealer="Zoë 李", table="two\nlines", shoe='quote " and , comma')
    lake.finding(
        CANBERRA, "R1", "settle.odds", "breach", "-12.5",
        wager="a", player="https://example.invalid", box=3, hand=1, seq=1, expected="+1",
    )  # fmt: skip
    lake.finding(CANBERRA, "R2", "settle.outcome", "breach", "99999999999999.125")
    lake.finding(CANBERRA, "R2", "wager.below-min", "notice", ordinal=1, recorded="y" * 40_000)
    lake.add(
        "quarantine",
        CANBERRA,
        source_file="night.jsonl",
        source_line=3,
        reason=FORMULA,
        bytes=b"{",
        byte_count=1,
    )
    lake.add(
        "coverage", CANBERRA, code="dealer.over-draw", rulebook="act-2018", not_evaluable=8, reason="burns"
    )
    return report(tmp_path_factory.mktemp("sheets"), lake, CANBERRA)


def csv_rows(files: ReportFiles) -> list[dict[str, str]]:
    with files.csv.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def sheet(files: ReportFiles, title: str) -> list[dict[str, Any]]:
    book = openpyxl.load_workbook(files.xlsx)
    heading, *rows = book[title].iter_rows()
    return [{str(name.value): cell for name, cell in zip(heading, row, strict=False)} for row in rows]


class TestCsv:
    """RFC 4180 in UTF-8 with a byte order mark, and no cell that a spreadsheet would run."""

    def test_the_bytes_are_as_excel_expects_them(self, files: ReportFiles) -> None:
        content = files.csv.read_bytes()
        assert content.startswith(b"\xef\xbb\xbfnumber,severity,check,")
        assert content.endswith(b"\r\n")
        assert content.count(b"\n") == content.count(b"\r\n")

    def test_every_exception_has_its_fields(self, files: ReportFiles) -> None:
        large, small, notice = csv_rows(files)
        assert [row["number"] for row in (large, small, notice)] == ["1", "2", "3"]
        assert {
            name: small[name] for name in ("check", "severity", "venue", "gaming_date", "round_id", "event")
        } == {
            "check": "settle.odds",
            "severity": "breach",
            "venue": "casino-canberra",
            "gaming_date": "2019-03-01",
            "round_id": "R1",
            "event": "1",
        }
        assert small["started_at_local"] == "2019-03-01T20:14:05+11:00"
        assert (small["cards"], small["dealer_cards"]) == ("9♠ 8♥ 2♦", "K♠ Q♥")
        assert (small["stake"], small["delta_to_player"], small["currency"]) == ("25", "-12.5", "AUD")
        assert (small["wager_kind"], small["arithmetic"]) == ("main", "19 against 20 loses")
        assert (small["source_file"], small["source_line"]) == ("night.jsonl.gz", "12")
        assert notice["delta_to_player"] == ""

    def test_formulas_are_neutralised_and_numbers_left_alone(self, files: ReportFiles) -> None:
        row = csv_rows(files)[1]
        assert row["table"] == "'" + FORMULA
        assert row["dealer"] == "'@SUM(A1)"
        assert row["shoe"] == r"'\t=1+1"
        assert row["expected"] == "'+1"
        assert row["supervisor"] == "-12.5"

    def test_quotes_commas_and_foreign_letters_come_back(self, files: ReportFiles) -> None:
        row = csv_rows(files)[0]
        assert row["shoe"] == 'quote " and , comma'
        assert row["dealer"] == "Zoë 李"
        assert row["table"] == r"two\nlines"


class TestWorkbook:
    """Amounts are numbers with a money format, everything else is a string."""

    def test_it_has_a_sheet_for_each_part_of_the_report(self, files: ReportFiles) -> None:
        assert openpyxl.load_workbook(files.xlsx).sheetnames == [
            "Summary",
            "Causes",
            "Exceptions",
            "By table",
            "By dealer",
            "By hour",
            "By check",
            "Not evaluated",
            "Quarantine",
            "Resolved",
        ]

    def test_amounts_can_be_summed(self, files: ReportFiles) -> None:
        cell = sheet(files, "Exceptions")[1]["delta to player"]
        assert (cell.data_type, cell.value, cell.number_format) == ("n", -12.5, "#,##0.00#")

    def test_an_amount_beyond_the_digits_of_excel_stays_exact_as_text(self, files: ReportFiles) -> None:
        cell = sheet(files, "Exceptions")[0]["delta to player"]
        assert (cell.data_type, cell.value) == ("s", "99999999999999.125")

    def test_no_cell_is_a_formula_or_a_link(self, files: ReportFiles) -> None:
        row = sheet(files, "Exceptions")[1]
        assert (row["table"].data_type, row["table"].value) == ("s", FORMULA)
        assert (row["player"].data_type, row["player"].hyperlink) == ("s", None)
        with zipfile.ZipFile(files.xlsx) as archive:
            for name in archive.namelist():
                if name.startswith("xl/worksheets/"):
                    assert b"<f>" not in archive.read(name)
                    assert b"<hyperlink" not in archive.read(name)

    def test_a_text_beyond_the_cell_says_what_is_left_out(self, files: ReportFiles) -> None:
        value = sheet(files, "Exceptions")[2]["recorded"].value
        assert len(value) <= CELL_CHARACTERS
        assert value.endswith("more characters)")

    def test_totals_and_gaps_are_there(self, files: ReportFiles) -> None:
        (line,) = sheet(files, "Summary")
        assert (line["rounds"].value, line["staked"].value, line["underpaid (breach)"].value) == (2, 50, 12.5)
        (gap,) = sheet(files, "Not evaluated")
        assert gap["why"].value == "The recorder does not capture cards burned"
        (quarantined,) = sheet(files, "Quarantine")
        assert (quarantined["source line"].value, quarantined["reason"].value) == (3, FORMULA)
        assert sum(row["rounds"].value for row in sheet(files, "By hour")) == 2

    def test_dates_in_the_archive_are_fixed(self, files: ReportFiles) -> None:
        with zipfile.ZipFile(files.xlsx) as archive:
            assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
            assert b"2000-01-01T00:00:00Z" in archive.read("docProps/core.xml")


def test_a_long_workbook_leaves_the_rest_to_the_csv_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheets, "WORKBOOK_EXCEPTIONS", 2)
    lake = LakeBuilder()
    lake.round(CANBERRA, "R1")
    for ordinal in range(5):
        lake.finding(CANBERRA, "R1", "settle.odds", "breach", "1", ordinal=ordinal)
    files = report(tmp_path, lake, CANBERRA)
    assert len(csv_rows(files)) == 5
    assert len(sheet(files, "Exceptions")) == 2
    assert "3 more exceptions, less grave than those in this workbook, stand in exceptions.csv" in str(
        sheet(files, "Summary")[1]["venue"].value
    )


def test_of_many_days_the_workbook_adds_up_each_month(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheets, "WORKBOOK_DAYS", 3)
    lake = LakeBuilder()
    days = [Partition(CANBERRA.venue, date(2019, month, day)) for month, day in ((3, 1), (3, 31), (4, 1))]
    for number, day in enumerate((*days, AUCKLAND)):
        for table in ("P10", "P09") if number == 0 else ("P09", "P10"):
            lake.round(day, f"R{number}-{table}", table=table)
    for number, delta in enumerate(("1", "2.5", "-4")):
        lake.finding(days[number], f"R{number}-P09", "settle.odds", "breach", delta)
    files = report(tmp_path, lake, *days, AUCKLAND)
    listed = [
        tuple(row[name].value for name in ("gaming date", "table", "rounds", "breach", "overpaid (breach)"))
        for row in sheet(files, "By table")
    ]
    assert listed == [
        ("March 2019", "P09", 2, 2, 3.5),
        ("March 2019", "P10", 2, 0, 0),
        ("April 2019", "P09", 1, 1, 0),
        ("April 2019", "P10", 1, 0, 0),
        ("March 2019", "P09", 1, 0, 0),
        ("March 2019", "P10", 1, 0, 0),
    ]
    hours = [row for row in sheet(files, "By hour") if row["gaming date"].value == "March 2019"]
    assert len(hours) == 2 * 24
    assert sum(row["rounds"].value for row in hours) == 6
    assert "of 4 days are listed by month" in str(sheet(files, "Summary")[-1]["venue"].value)


def test_a_second_currency_repeats_no_count(tmp_path: Path) -> None:
    lake = LakeBuilder()
    for currency in ("AUD", "USD"):
        lake.round(CANBERRA, f"R-{currency}", currency=currency)
        lake.finding(CANBERRA, f"R-{currency}", "settle.odds", "breach", "1.5")
    rows = sheet(report(tmp_path, lake, CANBERRA), "By table")
    assert [(row["rounds"].value, row["breach"].value, row["currency"].value) for row in rows] == [
        (2, 2, "AUD"),
        (None, None, "USD"),
    ]
    assert sum(Decimal(str(row["overpaid (breach)"].value)) for row in rows) == 3


def test_a_text_like_the_markup_of_a_cell_is_text(tmp_path: Path) -> None:
    text = "<r><t>not mine</t></r>"
    with Workbook(tmp_path / "book.xlsx", "A title") as book:
        book.sheet("Rows", (("column", 10),), [[text]])
    assert openpyxl.load_workbook(tmp_path / "book.xlsx")["Rows"]["A2"].value == f"{text} "


def _killed(begin: Any, ahead: int) -> None:
    """The beginning of a workbook, in a process that is killed halfway."""
    begin.args[0].write_bytes(b"PK")
    os.kill(os.getpid(), signal.SIGKILL)


def _killed_at(name: str, step: Any, *what: Any) -> None:
    """A step of the workbook, where it is the one so called in a process that is killed then."""
    if step.__name__ == name:
        os.kill(os.getpid(), signal.SIGKILL)
    write.go_on(step, *what)


@pytest.mark.parametrize(
    "killed",
    [
        None,
        *(
            pytest.param(step, marks=pytest.mark.slow)
            for step in ("begin", "add_exceptions", "add_figures", "add_causes", "close")
        ),
    ],
)
def test_a_process_of_its_own_writes_the_same_workbook(
    killed: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = LakeBuilder()
    for number in range(12):
        lake.round(CANBERRA, f"R{number}", dealer=None if number % 3 else FORMULA)
        lake.finding(CANBERRA, f"R{number}", "settle.odds", "breach", f"-{number}.125", wager="a")
    for line in (3, 1):
        lake.add("quarantine", CANBERRA, source_file="a.jsonl", source_line=line, reason=FORMULA, bytes=b"{")
    lake.add("changes", CANBERRA, run=2, change="resolved", round_id="R5", delta=Decimal("0.5"))
    here = report(tmp_path, lake, CANBERRA)
    assert [len(sheet(here, title)) for title in ("Exceptions", "Quarantine", "Resolved")] == [12, 2, 1]
    monkeypatch.setattr(write, "APART_FROM", 1)
    monkeypatch.setattr(write, "processors", lambda: 2)
    monkeypatch.setattr(write, "AHEAD", 5)
    if killed == "begin":
        monkeypatch.setattr(write, "begin_workbook", _killed)
    elif killed is not None:
        monkeypatch.setattr(write, "go_on", partial(_killed_at, killed))
    there = write_report(
        tmp_path / "lake", tmp_path / "there", ReportScope.of([CANBERRA]), HEADER, findings=12
    )
    for one, other in zip(here.paths, there.paths, strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert {path.name for path in (tmp_path / "there").iterdir()} == {path.name for path in here.paths}
