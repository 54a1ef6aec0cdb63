"""Opportunities counted by partition, held against the same counted row by row."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from audit.behind import Behind
from audit.causes import counting
from audit.causes import exposure as exposing
from audit.causes.conditions import Cut, DealersHands, Recorded, Signed, Words
from audit.causes.counting import DEALT, EVERY, QUARTER_HOUR, Counted, Counting, count_in, shift_of
from audit.causes.exposure import Exposure
from audit.causes.families import Family
from audit.causes.lists import Lists, write_lists
from audit.causes.model import Place
from audit.layout import Partition
from audit.report import Aside, ReportScope, write_report
from rules_replay.narrow import NARROW_HANDS, NARROW_SETTLEMENTS, narrow
from rules_replay.replay import Batch
from rules_replay.venues import load_register
from tests.test_report_lake import HEADER, SCHEMAS, LakeBuilder

REGISTER = load_register()
VENUE = "casino-canberra"
DAYS = [Partition(VENUE, date(2019, 3, day)) for day in (1, 2, 3)]
ROUNDS = 60
CLAUSES = ("14.1", "14.2", "14.3")


@dataclass(frozen=True)
class Wager:
    """A wager of a round, and what was due on it."""

    box: int
    kind: str
    clause: str
    odds: str | None


@dataclass(frozen=True)
class Dealt:
    """A round as this test knows it."""

    day: Partition
    name: str
    started: int
    table: str
    dealer: str | None
    records: tuple[str, ...] | None
    limit: Decimal
    cut: bool
    stood: int
    wagers: tuple[Wager, ...]


def dealt(random: Random) -> Iterator[Dealt]:
    for day in DAYS:
        assert day.gaming_date is not None
        opened = datetime(day.gaming_date.year, day.gaming_date.month, day.gaming_date.day, 2, tzinfo=UTC)
        for number in range(ROUNDS):
            started = opened + timedelta(minutes=random.randrange(0, 22 * 60))
            yield Dealt(
                day=day,
                name=f"{day.gaming_date:%d}-{number:03d}",
                started=int(started.timestamp()) * 1_000_000,
                table=random.choice(("P1", "P2", "P3")),
                dealer=random.choice(("D1", "D2", None)),
                records=random.choice((None, ("decisions",), ("burns", "decisions"), ())),
                limit=random.choice((Decimal(5), Decimal("2.5"))),
                cut=random.random() < 0.3,
                stood=random.choice((17, 18)),
                wagers=tuple(
                    Wager(
                        box=random.choice((1, 2, 3)),
                        kind=random.choice(("main", "pair")),
                        clause=random.choice(CLAUSES),
                        odds=random.choice((None, "", "2:1")),
                    )
                    for _ in range(random.randrange(4))
                ),
            )


def lake_of(rounds: list[Dealt], concerned: set[str]) -> LakeBuilder:
    lake = LakeBuilder()
    for each in rounds:
        at = datetime.fromtimestamp(each.started / 1_000_000, UTC)
        lake.add(
            "rounds", each.day, round_id=each.name, started_at=at, started_at_text=at.isoformat(),
            table=each.table, dealer=each.dealer, records=each.records, limit_min=each.limit,
            currency="AUD", event_count=0,
        )  # fmt: skip
        lake.hand(each.day, each.name, 0, "KS 7H" if each.stood == 17 else "KS 8H", each.stood, "stood")
        for number, wager in enumerate(each.wagers):
            lake.add(
                "settlements", each.day, round_id=each.name, wager=f"w{number}", line="stake",
                kind=wager.kind, box=wager.box, hand=1, stake=Decimal("25.000"),
                effective_stake=Decimal("20.000") if each.cut else Decimal("25.000"), clause=wager.clause,
                expected_result="win", odds=wager.odds,
            )  # fmt: skip
        if each.name in concerned:
            lake.finding(each.day, each.name, "dealer.under-draw", "breach")
    return lake


def counted_in(root: Path, scratch: Path) -> dict[Partition, Counted]:
    files = {
        table: {day: sorted((root / table / day.folder).glob("*.parquet")) for day in DAYS}
        for table in SCHEMAS
    }
    found = {}
    for day in DAYS:
        path = scratch / str(day.gaming_date)
        count_in(files, day, REGISTER, path)
        found[day] = Counted(day, path)
    return found


CASES: dict[str, Family] = {
    "one due": Family(VENUE, "wager", True, due=(("14.1", "win", "", "stake"),)),
    "several due": Family(
        VENUE, "wager", True, due=(("14.1", "win", "2:1", "stake"), ("14.3", "win", "2:1", "stake"))
    ),
    "every round": Family(VENUE, "round", False),
    "recorded under a sign": Family(
        VENUE, "round", False, where=(Recorded("burns"), Signed(("limit_min",), (Decimal("2.5"),)))
    ),
    "a subject": Family(
        VENUE,
        "round",
        False,
        where=(Recorded("decisions"),),
        subject=Words("settlements", ("kind",), ("pair", "perfect_pairs")),
    ),
    "cut": Family(VENUE, "round", True, subject=Cut()),
    "the dealer": Family(
        VENUE,
        "hand",
        True,
        where=(Recorded("decisions"),),
        subject=DealersHands(
            False, 17, stood=True, wrong=frozenset({"01-003", "02-010", "02-011", "99-000"})
        ),
    ),
}


def opportunities(family: Family, rounds: list[Dealt]) -> Iterator[tuple[Dealt, Wager | None]]:
    for each in rounds:
        if family.due:
            dues = {(clause, odds) for clause, _, odds, _ in family.due}
            yield from ((each, wager) for wager in each.wagers if (wager.clause, wager.odds or "") in dues)
        elif all(
            each.records is None or condition.fact in each.records
            if isinstance(condition, Recorded)
            else each.limit in condition.figures
            for condition in family.where
            if isinstance(condition, Recorded | Signed)
        ):
            subject = family.subject
            if (
                subject is None
                or (isinstance(subject, Words) and any(wager.kind == "pair" for wager in each.wagers))
                or (
                    isinstance(subject, Cut)
                    and each.cut
                    and any(wager.kind == "main" for wager in each.wagers)
                )
                or (isinstance(subject, DealersHands) and (each.stood == 17 or each.name in subject.wrong))
            ):
                yield each, None


def value(each: Dealt, wager: Wager | None, dimension: str) -> Any:
    match dimension:
        case "box" | "kind":
            return None if wager is None else getattr(wager, dimension)
        case "shift":
            return shift_of(each.started, VENUE, REGISTER)
        case "gaming_date":
            return each.day.gaming_date
        case _:
            return getattr(each, dimension)


def lies_in(each: Dealt, wager: Wager | None, place: Place) -> bool:
    return all(value(each, wager, dimension) == wanted for dimension, wanted in place)


PLACES: tuple[Place, ...] = (
    (),
    (("table", "P1"),),
    (("dealer", "D2"),),
    (("table", "P2"), ("dealer", "D1")),
    (("shift", "evening"),),
    (("gaming_date", date(2019, 3, 2)),),
    (("table", "P9"),),
)
BOXED: tuple[Place, ...] = ((("table", "P1"), ("box", 2)), (("box", 1),), (("kind", "pair"),))


@pytest.fixture(scope="module")
def rounds() -> list[Dealt]:
    return [*dealt(Random(7))]


@pytest.fixture(scope="module")
def counted(rounds: list[Dealt], tmp_path_factory: pytest.TempPathFactory) -> dict[Partition, Counted]:
    folder = tmp_path_factory.mktemp("counting")
    lake = lake_of(rounds, {"01-003", "02-010", "02-011"})
    return counted_in(lake.write(folder / "lake"), folder)


@pytest.mark.parametrize("name", CASES)
def test_opportunities_at_places_and_in_time(
    name: str, rounds: list[Dealt], counted: dict[Partition, Counted]
) -> None:
    family = CASES[name]
    exposure = Exposure(DAYS, counted.__getitem__, [CASES["every round"], family])
    all_of = [*opportunities(family, rounds)]
    random = Random(name)
    starts = sorted(each.started for each in rounds)
    places = PLACES + (BOXED if family.due else ())
    wanted: list[tuple[int, Place, int, int]] = []
    for place in places:
        for _ in range(6):
            first, last = sorted(random.sample(starts, 2))
            wanted.append((1, place, first, last))
    for (_, place, first, last), found in zip(wanted, exposure.spans(wanted), strict=True):
        here = [each for each in all_of if lies_in(*each, place)]
        in_time = [each for each in here if first <= each[0].started <= last]
        assert found == (
            len(in_time),
            len({each.name for each, _ in in_time}),
            sum(each.started < first for each, _ in here),
            sum(each.started > last for each, _ in here),
            sum(first <= each.started <= last for each, _ in all_of) - len(in_time),
        )
    without: Place = (("table", "P1"), ("dealer", "D2"))
    for place in PLACES:
        first, last = sorted(each // QUARTER_HOUR for each in random.sample(starts, 2))
        assert exposure.between(1, place, [without], (first, last)) == sum(
            lies_in(*each, place)
            and not lies_in(*each, without)
            and first <= each[0].started // QUARTER_HOUR <= last
            for each in all_of
        )
    assert all_of


@pytest.mark.parametrize("pending", [exposing._PENDING, 2])
@pytest.mark.parametrize("name", CASES)
def test_opportunities_by_place(
    name: str,
    pending: int,
    rounds: list[Dealt],
    counted: dict[Partition, Counted],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exposing, "_PENDING", pending)
    exposure = Exposure(DAYS, counted.__getitem__, [CASES[name]])
    all_of = [*opportunities(CASES[name], rounds)]
    dimensions: tuple[tuple[Any, ...], ...] = (
        ("table", "dealer"),
        ("shift",),
        ("table", "box"),
        ("kind",),
        (),
    )
    found = exposure.by_place(0, dimensions, [(("table", "P3"),)])
    for some in dimensions:
        left = [each for each in all_of if "kind" in some or value(*each, "table") != "P3"]
        if some == ("kind",):
            left = [each for each in all_of if value(*each, "table") != "P3"]
        places = {tuple(value(*each, dimension) for dimension in some) for each in left}
        assert found[some].whole == len(left)
        assert found[some].places == (len(places) if some else 1)
        for place in places:
            assert found[some].at(place) == sum(
                tuple(value(*each, dimension) for dimension in some) == place for each in left
            )


def told(counted: Counted) -> dict[tuple[str, ...], Any]:
    """All that was counted, by names and not by numbers."""
    tables, dealers, kinds = (counted.values(each) for each in ("tables", "dealers", "kinds"))
    settings = counted.values("settings")
    place = [
        (tables[table], dealers[dealer] or "", shift, str(settings[setting]))
        for table, dealer, shift, setting in zip(
            *(counted.numbers(f"place_{each}").tolist() for each in ("table", "dealer", "shift", "setting")),
            strict=True,
        )
    ]
    found: dict[tuple[str, ...], Any] = {
        ("started",): counted.started.tolist(),
        ("named",): counted.named,
        ("corrected",): counted.corrected(),
        ("rounds",): (
            counted.rounds_by_table(),
            counted.rounds_by_dealer(),
            counted.rounds_by_currency(),
            sorted(map(str, counted.rounds_by_quarter())),
        ),
    }
    for item, its in counted.items.items():
        single = counted.opportunities([item])
        found[item] = (
            sorted(
                (place[at], number, rounds)
                for of, at, number, rounds in zip(*counted.cells(), strict=True)
                if of == its
            ),
            sorted(
                (tables[table], box, kinds[kind], number)
                for of, table, box, kind, number in zip(*counted.boxed(), strict=True)
                if of == its
            ),
            sorted(
                (no, box, kinds[kind] if item[0] == "wager" else "")
                for no, box, kind in zip(single.no, single.box, single.kind, strict=True)
            ),
        )
    return found


def test_a_replay_counts_what_the_files_of_a_lake_come_to(
    rounds: list[Dealt], counted: dict[Partition, Counted], tmp_path: Path
) -> None:
    lake = lake_of(rounds, {"01-003", "02-010", "02-011"})
    for day in DAYS:
        counting = Counting(day, REGISTER)
        tables = {
            table: pa.Table.from_pylist(lake.rows[table][day], schema=SCHEMAS[table])
            for table in ("rounds", "hands", "settlements", "findings")
        }
        names = tables["rounds"]["round_id"].to_pylist()
        for some in (names[:25], names[25:26], names[26:]):
            of_some = {
                table: rows.filter(pa.compute.is_in(rows["round_id"], pa.array(some)))
                for table, rows in tables.items()
            }
            counting.add(
                of_some["rounds"],
                narrow(of_some["hands"], NARROW_HANDS),
                narrow(of_some["settlements"], NARROW_SETTLEMENTS),
                of_some["findings"]["round_id"].unique(),
            )
        counting.write(tmp_path / "counted")
        once = told(Counted(day, tmp_path / "counted"))
        assert once == told(counted[day])
        assert {EVERY, DEALT} <= once.keys()


def test_lists_come_back_as_they_were_written(tmp_path: Path) -> None:
    numbers: dict[str, npt.NDArray[Any]] = {
        "small": np.array([3, 0, 255], np.uint8),
        "none": np.zeros(0, np.int32),
        "wide": np.array([-1, 1 << 62], np.int64),
        "every other": np.arange(10, dtype=np.uint16)[::2],
    }
    others: dict[str, list[Any]] = {"texts": ["é\n", None, ""], "items": [("a", "b"), ("c",)], "empty": []}
    write_lists(tmp_path / "lists", numbers, others)
    read = Lists(tmp_path / "lists")
    for name in (*reversed(numbers), *numbers):
        assert (read.numbers(name).dtype, read.numbers(name).tolist()) == (
            numbers[name].dtype,
            numbers[name].tolist(),
        )
    assert [read.values(name) for name in others] == [["é\n", None, ""], [["a", "b"], ["c"]], []]


@pytest.mark.parametrize("odd", [counting._ODD, 0, 1])
def test_rounds_alike_are_told_whatever_their_numbers_come_to(
    odd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "_ODD", odd)
    random = Random(3)
    rows = [
        (random.choice((-1, 5, 1 << 60)), 7, random.choice((0, 1)), random.choice((-1, 0, 1)))
        for _ in range(200)
    ]
    columns = [np.array(each, np.int64) for each in zip(*rows, strict=True)]
    one, alike = counting._unlike_columns(columns)
    assert len(one) == len(set(rows))
    assert [rows[one[each]] for each in alike] == rows
    assert [each.tolist() for each in counting._unlike_columns([np.full(3, 9)] * 2)] == [[0], [0, 0, 0]]


def test_of_a_partition_without_rounds_there_is_nothing(tmp_path: Path) -> None:
    Counting(DAYS[0], REGISTER).write(tmp_path / "counted")
    nothing = Counted(DAYS[0], tmp_path / "counted")
    assert (len(nothing.started), [*nothing.rounds_by_quarter()], nothing.corrected()) == (0, [], {})
    assert nothing.rounds_by_currency() == {}
    exposure = Exposure(DAYS[:1], lambda _: nothing, [*CASES.values()])
    assert exposure.spans([(0, (), 0, 1 << 60)]) == [(0, 0, 0, 0, 0)]
    assert exposure.by_place(2, [(), ("table",)], [])[()].whole == 0


def test_the_report_of_what_was_kept_aside_is_that_of_the_lake(rounds: list[Dealt], tmp_path: Path) -> None:
    lake = lake_of(rounds, {each.name for each in rounds if each.table == "P1"})
    root = lake.write(tmp_path / "lake")
    aside = {}
    for day in DAYS:
        tables = {
            table: pa.Table.from_pylist(lake.rows[table][day], schema=SCHEMAS[table])
            for table in ("rounds", "events", "hands", "settlements", "findings")
        }
        behind = Behind(tmp_path, day, REGISTER)
        behind.add(
            tables["rounds"],
            tables["events"],
            Batch(
                hands=narrow(tables["hands"], NARROW_HANDS),
                settlements=narrow(tables["settlements"], NARROW_SETTLEMENTS),
                findings=tables["findings"],
            ),
        )
        behind.close()
        behind.finish()
        aside[day] = Aside(behind.folder, None)
    scope = ReportScope.of(DAYS)
    found = write_report(root, tmp_path / "found", scope, HEADER)
    for table in ("rounds", "hands"):
        # Nothing of them is looked for in the lake any more.
        for path in (root / table).rglob("*.parquet"):
            path.unlink()
    kept = write_report(root, tmp_path / "kept", scope, HEADER, aside=aside)
    assert json.loads(kept.json.read_bytes())["totals"]["rounds"] == len(rounds)
    assert found.found.several
    for path, other in zip(found.paths, kept.paths, strict=True):
        assert path.read_bytes() == other.read_bytes()
