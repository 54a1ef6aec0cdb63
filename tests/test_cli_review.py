"""``sample-review`` from the command line: drawn, filled in, concluded from, and refused."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.commands import copied, night, pontoon

pytestmark = pytest.mark.slow

DRAW = ("sample-review", "draw", "--lake")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("review") / "lake"
    pontoon("ingest", night("act-2018"), night("rws-2017"), "--lake", root)
    assert pontoon("run", "--lake", root).code in (0, 1)
    return root


def drawn(lake: Path, out: Path, *more: str, rounds: int = 40, seed: int = 7) -> Any:
    ran = pontoon(*DRAW, lake, "--rounds", str(rounds), "--seed", str(seed), "--out", out, "--json", *more)
    assert ran.code == 0, ran.err
    return ran.object


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def filled(path: Path, answer: Callable[[int], str]) -> Path:
    found = rows(path)
    for number, row in enumerate(found):
        row["answer"] = answer(number)
        row["what_differs"] = "the hand was paid" if row["answer"] == "differs" else ""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(found[0]))
        writer.writeheader()
        writer.writerows(found)
    return path


def concluded(lake: Path, path: Path, code: int, *more: str) -> Any:
    ran = pontoon("sample-review", "conclude", path, "--lake", lake, "--json", *more)
    assert ran.code == code, ran.err
    return ran.object


def test_the_same_seed_draws_the_same_bytes_and_another_other_rounds(lake: Path, tmp_path: Path) -> None:
    for name in ("one.xlsx", "other.xlsx", "one.csv", "other.csv"):
        drawn(lake, tmp_path / name)
    for form in ("xlsx", "csv"):
        assert (tmp_path / f"one.{form}").read_bytes() == (tmp_path / f"other.{form}").read_bytes()
    drawn(lake, tmp_path / "third.csv", seed=8)
    ids = [{row["round_id"] for row in rows(tmp_path / f"{name}.csv")} for name in ("one", "third")]
    assert ids[0] != ids[1]


def test_a_larger_sample_of_the_seed_holds_the_smaller(lake: Path, tmp_path: Path) -> None:
    drawn(lake, tmp_path / "small.csv", rounds=20)
    drawn(lake, tmp_path / "large.csv", rounds=60)
    small, large = (
        {row["round_id"] for row in rows(tmp_path / f"{name}.csv")} for name in ("small", "large")
    )
    assert small < large


def test_the_worksheet_says_where_to_look_and_what_the_log_says(lake: Path, tmp_path: Path) -> None:
    made = drawn(lake, tmp_path / "sheet.csv", "--venue", "casino-canberra")
    found = rows(tmp_path / "sheet.csv")
    assert len(found) == made["drawn"] == 40
    assert made["frame_rounds"] == 60
    assert {row["venue"] for row in found} == {"casino-canberra"}
    assert {row["stratum"] for row in found} == {each["stratum"] for each in made["strata"]}
    of_findings = [row for row in found if row["stratum"] == "findings"]
    assert of_findings
    assert all("the log shows" in row["look_at"] for row in of_findings)
    for row in found:
        assert row["camera_from"] < row["started_at_local"] < row["camera_to"]
        assert row["started_at_local"].endswith(("+10:00", "+11:00"))
        assert "the dealer" in row["log_in_short"]
        assert row["answer"] == ""


def test_the_workbook_says_how_it_was_drawn(lake: Path, tmp_path: Path) -> None:
    made = drawn(lake, tmp_path / "sheet.xlsx")
    book = openpyxl.load_workbook(tmp_path / "sheet.xlsx")
    told = {str(row[0]): str(row[1]) for row in book["How it was drawn"].iter_rows(values_only=True)}
    assert told["seed"] == "7"
    assert told["frame, SHA-256"] == made["frame_sha256"]
    given = {row[0]: row[2] for row in book["Strata"].iter_rows(min_row=2, values_only=True)}
    assert given == {each["stratum"]: each["drawn"] for each in made["strata"]}


def test_all_in_order_is_an_upper_bound_and_what_it_would_take(lake: Path, tmp_path: Path) -> None:
    drawn(lake, tmp_path / "sheet.csv")
    found = concluded(lake, filled(tmp_path / "sheet.csv", lambda _: "agrees"), 0)
    assert (found["rounds"], found["drawn"], found["agrees"]) == (120, 40, 40)
    bound = found["upper_bound"]
    assert 0 < bound["rounds"] < 80
    assert float(bound["rate"]) >= bound["rounds"] / 120
    assert found["upper_bound_if_unseen_agree"]["rounds"] == bound["rounds"]
    assert set(bound["money_at_stake"]) == {"AUD", "SGD"}
    assert 0 < found["more_rounds_needed"] <= 80
    surer = concluded(lake, tmp_path / "sheet.csv", 0, "--confidence", "0.999")
    assert surer["upper_bound"]["rounds"] > bound["rounds"]
    assert surer["confidence"] == "0.999"
    looser = concluded(lake, tmp_path / "sheet.csv", 0, "--under", "0.9")
    assert looser["more_rounds_needed"] == 0


def test_what_cannot_be_seen_counts_against_the_log(lake: Path, tmp_path: Path) -> None:
    drawn(lake, tmp_path / "sheet.csv")
    sure = concluded(lake, filled(tmp_path / "sheet.csv", lambda _: "agrees"), 0)
    dim = filled(tmp_path / "sheet.csv", lambda number: "agrees" if number % 10 else "cannot be seen")
    found = concluded(lake, dim, 0)
    assert found["unseen"] == 4
    assert found["upper_bound"]["rounds"] > sure["upper_bound"]["rounds"]
    assert found["upper_bound_if_unseen_agree"]["rounds"] == sure["upper_bound"]["rounds"]
    ran = pontoon("sample-review", "conclude", dim, "--lake", lake)
    assert "4 rounds not seen count as differing" in ran.out


def test_a_round_that_differs_is_named(lake: Path, tmp_path: Path) -> None:
    drawn(lake, tmp_path / "sheet.csv")
    filled(tmp_path / "sheet.csv", lambda number: "differs" if number == 5 else "agrees")
    found = concluded(lake, tmp_path / "sheet.csv", 1)
    (differing,) = found["differing"]
    assert differing["round_id"] == rows(tmp_path / "sheet.csv")[5]["round_id"]
    assert differing["what_differs"] == "the hand was paid"
    ran = pontoon("sample-review", "conclude", tmp_path / "sheet.csv", "--lake", lake)
    assert ran.code == 1
    assert f"Differs: round {differing['round_id']} of {differing['venue']}" in ran.out
    assert "With confidence 0.95 the log differs from what happened in at most" in ran.out


def test_a_blank_answer_is_incomplete(lake: Path, tmp_path: Path) -> None:
    drawn(lake, tmp_path / "sheet.csv")
    found = concluded(lake, filled(tmp_path / "sheet.csv", lambda n: "agrees" if n else ""), 3)
    assert found["blank"] == 1


def test_a_workbook_filled_in_is_read(lake: Path, tmp_path: Path) -> None:
    drawn(lake, tmp_path / "sheet.xlsx")
    book = openpyxl.load_workbook(tmp_path / "sheet.xlsx")
    for line in range(2, 42):
        book["Rounds"].cell(line, 2, "agrees")
    book.save(tmp_path / "sheet.xlsx")
    assert concluded(lake, tmp_path / "sheet.xlsx", 0)["agrees"] == 40


def altered(path: Path, change: Callable[[list[dict[str, str]]], list[dict[str, str]]]) -> Path:
    found = change(rows(path))
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(found[0]))
        writer.writeheader()
        writer.writerows(found)
    return path


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda found: found[1:], "no line for"),
        (lambda found: [*found, found[0]], "stands there twice"),
        (lambda found: [{**found[0], "round_id": "ANOTHER"}, *found[1:]], "round ANOTHER was not drawn"),
        (
            lambda found: [{**row, "draw": row["draw"].replace("seed=7", "seed=8")} for row in found],
            "was not drawn",
        ),
        (lambda found: [{**found[0], "draw": ""}, *found[1:]], "must be left as it is"),
        (
            lambda found: [{**row, "draw": row["draw"][:-3] + "000"} for row in found],
            "no longer holds in that form",
        ),
    ],
)
def test_another_worksheet_than_the_drawn_one_is_refused(
    lake: Path, tmp_path: Path, change: Callable[[list[dict[str, str]]], list[dict[str, str]]], words: str
) -> None:
    drawn(lake, tmp_path / "sheet.csv")
    filled(tmp_path / "sheet.csv", lambda _: "agrees")
    ran = pontoon("sample-review", "conclude", altered(tmp_path / "sheet.csv", change), "--lake", lake)
    assert ran.code == 2
    assert words in ran.err


def test_a_worksheet_that_is_not_there_is_2(lake: Path, tmp_path: Path) -> None:
    ran = pontoon("sample-review", "conclude", tmp_path / "none.xlsx", "--lake", lake)
    assert (ran.code, ran.out) == (2, "")
    assert f"{tmp_path / 'none.xlsx'}: no such worksheet; check the name" in ran.err


def test_a_worksheet_is_never_overwritten_and_too_few_rounds_are_refused(lake: Path, tmp_path: Path) -> None:
    (tmp_path / "sheet.csv").write_text("answers")
    ran = pontoon(*DRAW, lake, "--rounds", "40", "--seed", "1", "--out", tmp_path / "sheet.csv")
    assert (ran.code, (tmp_path / "sheet.csv").read_text()) == (2, "answers")
    assert "is there already" in ran.err
    ran = pontoon(*DRAW, lake, "--rounds", "1", "--seed", "1", "--out", tmp_path / "few.csv")
    assert ran.code == 2
    assert "1 rounds cannot be of" in ran.err
    assert sorted(each.name for each in tmp_path.iterdir()) == ["sheet.csv"]


def test_what_was_never_audited_or_was_altered_is_refused(lake: Path, tmp_path: Path) -> None:
    pontoon("ingest", night("act-2018"), "--lake", tmp_path / "fresh")
    ran = pontoon(*DRAW, tmp_path / "fresh", "--rounds", "9", "--seed", "1", "--out", tmp_path / "a.csv")
    assert ran.code == 2
    assert "is not audited yet" in ran.err
    broken = copied(lake, tmp_path / "broken")
    path = next((broken / "settlements").rglob("*.parquet"))
    path.write_bytes(path.read_bytes()[:-1] + b"\x00")
    ran = pontoon(*DRAW, broken, "--rounds", "40", "--seed", "1", "--out", tmp_path / "b.csv")
    assert ran.code == 3
    assert "a sample of it could not be trusted" in ran.err
