"""Conditions by which opportunities are told, held against the same asked row by row."""

from __future__ import annotations

from decimal import Decimal
from itertools import accumulate
from pathlib import Path

import pytest

from audit.causes.conditions import (
    Condition,
    Cut,
    PlayersHands,
    Recorded,
    Rows,
    Signed,
    Words,
    row_groups,
    totals_of_dealer,
)
from tests.test_report_lake import CANBERRA, LakeBuilder

HANDS = (
    ("KS QH", 0, "stood", 20, False),
    ("AS 5H KD", 0, "stood", 16, False),
    ("AS 6H", 0, "stood", 17, True),
    ("AS AH 5D TC", 0, "stood", 17, False),
    ("2S 3H AD JC 7S", 0, "busted", 23, False),
    ("7C ?? TD", 0, "stood", 17, False),
    ("9S 8H 2D", 3, "21", 19, False),
    ("AS 6H 2D", 3, "surrendered", 19, True),
    ("AS JH", 2, "pontoon", 21, True),
    ("", 0, "stood", 0, False),
)


def held(tmp_path: Path, lake: LakeBuilder, condition: Condition) -> list[bool]:
    files = sorted((lake.write(tmp_path) / condition.table).rglob("*.parquet"))
    columns = sorted({"round_id", *condition.columns})
    return [
        bool(each)
        for group in row_groups(condition.table, files, columns)
        for each in condition.holds(Rows(group))
    ]


def hands() -> LakeBuilder:
    lake = LakeBuilder()
    for number, (cards, box, ended, total, soft) in enumerate(HANDS):
        lake.hand(CANBERRA, f"R{number}", box, cards, total, ended, soft=soft)
    return lake


def went_on(cards: str, soft: bool, total: int) -> bool:
    """Whether a hand that came to a total after two cards or more took another."""
    counted = [{"A": 1}.get(each[0], 10 if each[0] in "TJQK" else int(each[0]) if each[0].isdigit() else 0)
               for each in cards.split()]  # fmt: skip
    for taken, points in list(enumerate(accumulate(counted), 1))[1:-1]:
        is_soft = 1 in counted[:taken] and points <= 11
        if (points + 10 * is_soft, is_soft) == (total, soft):
            return True
    return False


def of_dealer(tmp_path: Path) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Of those that stood and those that went on row and total, twice that and one more of a soft one."""
    files = sorted((hands().write(tmp_path) / "hands").rglob("*.parquet"))
    columns = ["box", "card_count", "cards", "ended", "soft", "total"]
    (group,) = row_groups("hands", files, columns)
    stood, drawn = (
        {(row, total) for row, total in zip(*(each.tolist() for each in found), strict=True)}
        for found in totals_of_dealer(Rows(group))
    )
    return stood, drawn


@pytest.mark.parametrize(
    ("soft", "total"), [*((True, each) for each in range(12, 22)), *((False, each) for each in range(4, 22))]
)
def test_dealers_hands_that_went_on(tmp_path: Path, soft: bool, total: int) -> None:
    right = {
        number for number, (cards, box, *_) in enumerate(HANDS) if box == 0 and went_on(cards, soft, total)
    }
    assert {row for row, on in of_dealer(tmp_path)[1] if on == total * 2 + soft} == right


def test_dealers_hands_that_stood(tmp_path: Path) -> None:
    assert of_dealer(tmp_path)[0] == {
        (number, total * 2 + soft)
        for number, (cards, box, ended, total, soft) in enumerate(HANDS)
        if box == 0 and ended == "stood" and cards
    }


@pytest.mark.parametrize(
    ("condition", "held_of"),
    [(PlayersHands(("21", "pontoon")), {6, 8}), (Words("hands", ("ended",), ("surrendered",)), {7})],
)
def test_hands_by_how_they_ended(tmp_path: Path, condition: Condition, held_of: set[int]) -> None:
    assert held(tmp_path, hands(), condition) == [number in held_of for number in range(len(HANDS))]


def test_settlements(tmp_path: Path) -> None:
    lake = LakeBuilder()
    lake.round(CANBERRA, "whole")
    for name, cut in (("cut", "20"), ("side", "20")):
        lake.add(
            "settlements", CANBERRA, round_id=name, line="stake", kind="main" if name == "cut" else "pair",
            stake=Decimal(25), effective_stake=Decimal(cut), recorded_result="forfeit",
        )  # fmt: skip
    assert held(tmp_path / "cut", lake, Cut()) == [False, True, False]
    forfeit = Words("settlements", ("expected_result", "recorded_result"), ("forfeit",))
    assert held(tmp_path / "forfeit", lake, forfeit) == [False, True, True]


def test_rounds(tmp_path: Path) -> None:
    lake = LakeBuilder()
    lake.round(CANBERRA, "all", limit_min=Decimal(5))
    lake.round(CANBERRA, "none", records=[], limit_side_min=Decimal("2.5"))
    lake.round(CANBERRA, "some", records=["burns", "decisions"])
    lake.round(CANBERRA, "other", records=["cut_card"], limit_min=Decimal("2.5"))
    assert held(tmp_path / "recorded", lake, Recorded("decisions")) == [True, False, True, False]
    signed = Signed(("limit_min", "limit_side_min"), (Decimal("2.5"), Decimal(10)))
    assert held(tmp_path / "signed", lake, signed) == [False, True, False, True]
