"""A partition's rounds as tables: the same rounds in the same order as one by one."""

from __future__ import annotations

import pytest

from audit.ingest.columns import events_of, rounds_of
from audit.ingest.pipeline import ingest
from audit.lake import Lake
from audit.law import load_law
from audit.rows import earlier_tables, round_tables
from rules_replay.log import Round
from tests.commands import night


@pytest.fixture(scope="module", params=[1, 3], ids=["one-part", "three-parts"])
def lake(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """A night in one part, or dealt out to three, round by round."""
    folder = tmp_path_factory.mktemp("rows")
    lake = Lake(folder / "lake")
    lines = night("act-2018").read_bytes().splitlines(keepends=True)
    for number in range(request.param):
        log = folder / f"{number}.jsonl"
        log.write_bytes(b"".join(lines[number :: request.param]))
        ingest([log], lake, load_law().register)
    return lake


def _read(lake: Lake) -> dict[str, list[Round]]:
    return {
        str(partition): [
            round_
            for rounds, events in round_tables(lake, partition)
            for round_ in rounds_of(rounds, events_of(events), partition.venue or "")
        ]
        for partition in lake.partitions()
    }


def test_rounds_come_as_they_do_one_by_one(lake: Lake) -> None:
    wanted = {str(partition): list(lake.read_rounds(partition)) for partition in lake.partitions()}
    assert sum(map(len, wanted.values())) > 50
    assert _read(lake) == wanted


def test_earlier_rounds_are_those_before_the_first_elsewhere(lake: Lake) -> None:
    partition = lake.partitions()[0]
    rounds = list(lake.read_rounds(partition))
    shoe = (rounds[0].table, rounds[0].shoe)
    dealt = [each for each in rounds if (each.table, each.shoe) == shoe]
    early = [
        each["round_id"]
        for some, events in earlier_tables(lake, partition, {shoe: dealt[-1].round_no})
        for each in some.to_pylist()
        if events.num_rows
    ]
    assert len(dealt) > 1
    assert early == [each.round_id for each in dealt[:-1]]
