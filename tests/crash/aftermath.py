"""What a killed command may leave, and what the next one must make of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from audit.commands.lakes import status
from audit.lake import Lake
from audit.layout import TABLES
from tests.crash.lakes import Scenario, bytes_of, ended
from tests.crash.readers import Seen, catalogued, seen

BESIDE = ("surveillance/data.parquet", "report/surveillance.html", "surveillance.jsonl")
"""What `surveil` replaces, which is no partition of a table."""

CUT_OFF = ".staging: a publication was cut off"


@dataclass(frozen=True, slots=True)
class Left:
    """A lake after a kill: what `status` calls unfinished, and how much of it is as it is to be.

    ``new`` counts the partitions, and the files `BESIDE` them, that changed, out of ``changing``.
    """

    unfinished: tuple[str, ...]
    new: int
    changing: int

    @property
    def moment(self) -> str:
        """When the command was killed, in words."""
        for what, words in (("publication", "while putting in place"), ("work", "at work or clearing up")):
            if what in self.unfinished:
                return words
        return "after it had published" if self.new else "before it wrote anything"


def left_by_kill(scenario: Scenario) -> Left:
    """Check what every reader sees, what `status` says and what `verify` says."""
    lake = Lake(scenario.lake)
    found = seen(scenario.lake)
    torn = [*_torn(found, scenario.old, scenario.new)]
    assert not torn, torn
    rows = catalogued(scenario.lake)
    for table in TABLES:
        assert rows[table] == sum(n for (name, *_), (n, _) in found.by_duckdb.items() if name == table)
    told = json.loads(json.dumps(status(lake)))
    unfinished = tuple(each["what"] for each in told["unfinished"])
    assert not told["at_work"]
    problems = lake.verify().problems
    assert all(each.startswith(CUT_OFF) for each in problems), problems
    changing = {
        place
        for place in scenario.old.by_duckdb.keys() | scenario.new.by_duckdb.keys()
        if scenario.old.by_duckdb.get(place) != scenario.new.by_duckdb.get(place)
    }
    new = sum(found.by_duckdb.get(place) == scenario.new.by_duckdb.get(place) for place in changing)
    beside = [*_beside(scenario)]
    new, count = new + sum(beside), len(changing) + len(beside)
    if 0 < new < count or problems:
        assert "publication" in unfinished, told["unfinished"]
        assert problems
    if leftovers(scenario):
        assert unfinished, leftovers(scenario)
    return Left(unfinished, new, count)


def _beside(scenario: Scenario) -> Iterator[bool]:
    """Whether each of the files `BESIDE` that the command replaces is as it is to be, or as before."""
    now, old, new = bytes_of(scenario.lake), scenario.bytes_before, scenario.after[scenario.records + 1]
    for place in BESIDE:
        assert now.get(place) in (old.get(place), new.get(place)), place
        if old.get(place) != new.get(place):
            yield now.get(place) == new.get(place)


def _torn(found: Seen, old: Seen, new: Seen) -> list[str]:
    """Partitions that are neither as before nor as they are to be."""
    return [
        f"{reader}: {' '.join(place)}"
        for reader in ("by_duckdb", "by_polars")
        for place in (
            getattr(found, reader).keys() | getattr(old, reader).keys() | getattr(new, reader).keys()
        )
        if getattr(found, reader).get(place)
        not in (getattr(old, reader).get(place), getattr(new, reader).get(place))
    ]


def leftovers(scenario: Scenario) -> list[str]:
    """What a command has in the lake only while it is at work."""
    return [
        path.relative_to(scenario.lake).as_posix()
        for pattern in (".staging/*", ".audit.duckdb.*", "report/.report-*")
        for path in sorted(scenario.lake.glob(pattern))
    ]


def mended_by_next(scenario: Scenario) -> None:
    """Check that whoever writes next finds a publication that had begun done, and any other undone."""
    with Lake(scenario.lake).writing():
        pass
    assert not leftovers(scenario)
    assert bytes_of(scenario.lake) == (
        scenario.after[scenario.records + 1]
        if scenario.written() > scenario.records
        else scenario.bytes_before
    )
    assert Lake(scenario.lake).verify().intact


def right_when_run_again(scenario: Scenario) -> None:
    """Check that the command, given again, ends in the bytes of one that nobody killed."""
    errors = scenario.lake.with_name("errors")
    code = ended(scenario.driven(errors=errors))
    assert code == scenario.code, errors.read_text()
    made = bytes_of(scenario.lake), scenario.written()
    assert not leftovers(scenario)
    assert Lake(scenario.lake).unfinished() == []
    catalogued(scenario.lake)
    assert made[0] == scenario.bytes_after(made[1])
