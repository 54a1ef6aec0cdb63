"""A large lake, made of the evenings of `data_samples.bulk`.

It is the lake that an ingest of the same evenings, each a log of its own, would leave:
same files, same bytes. `tests/test_bulk.py` holds it to that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, date, datetime
from functools import cached_property
from itertools import accumulate
from multiprocessing import get_context
from pathlib import Path

import msgspec
import pyarrow as pa

from audit.ingest.columns import Columns, Origin, events_of_table
from audit.ingest.pipeline import FileReport
from audit.ingest.shelves import round_part
from audit.ingest.totals import Totals
from audit.ingest.wire import encode_line
from audit.lake import Lake, Partition, Staged
from audit.provenance import provenance
from audit.version import code_digest
from data_samples.bulk import EVENING_ROUNDS, Evening, Original, deal_original, evenings, shares
from rules_replay.log import Round


def originals(folder: Path, rounds: int) -> dict[str, Original]:
    """The evening of each rulebook, long enough for so many rounds in all; dealt once, kept in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    dealt = {}
    for name, part in shares(rounds).items():
        needed = min(part, EVENING_ROUNDS)
        path = folder / f"{name}-{needed}-{code_digest()[:12]}.jsonl"
        if not path.exists():
            path.write_bytes(b"".join(line + b"\n" for line in deal_original(name, needed).lines))
        dealt[name] = Original(name, tuple(path.read_bytes().splitlines()))
    return dealt


def write_log(path: Path, dealt: Mapping[str, Original], rounds: int) -> None:
    """So many rounds as one file of JSON Lines."""
    with path.open("wb") as log:
        for name, part in shares(rounds, tuple(dealt)).items():
            for evening in evenings(dealt[name], part):
                log.write(evening.lines())


def log_name(evening: Evening) -> str:
    """What the log of one evening is called."""
    return f"{evening.original.rulebook}-{evening.day}.jsonl"


def write_lake(root: Path, dealt: Mapping[str, Original], rounds: int, *, jobs: int, at: datetime) -> None:
    """So many rounds as a lake in a new folder, in one publication at an instant."""
    lake = Lake(root)
    with lake.writing(create=True), lake.staging() as folder:
        made: list[_Made] = []
        for name, part in shares(rounds, tuple(dealt)).items():
            nights = [(each.day, each.rounds) for each in evenings(dealt[name], part)]
            if jobs == 1 or len(nights) == 1:
                press = _Press(dealt[name], folder)
                made += [press.evening(*night) for night in nights]
                continue
            # Arrow's threads do not survive a fork.
            with ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (dealt[name], folder)) as pool:
                made += pool.map(_evening, nights)
        totals = Totals()
        for _, _, each in made:
            totals.add(each)
        lake.publish(
            folder,
            [staged for parts, _, _ in made for staged in parts],
            "ingests",
            {
                "kind": "ingest",
                **provenance(),
                "register_sha256": None,
                "files": [file.as_json() for _, file, _ in made],
                "failed": [],
                "totals": totals.as_json(),
                "superseded": [],
            },
            at,
        )


_Made = tuple[tuple[Staged, Staged], FileReport, Totals]
"""An evening's two parts, the report of its log, and its control totals."""


class _Press:
    """Evening after evening of one original, written into a staging folder."""

    def __init__(self, original: Original, folder: Path) -> None:
        self._original = original
        self._folder = folder
        self._rounds = tuple(original.rounds())
        self._canonical = [_canonical(round_) for round_ in self._rounds]
        self._counted: dict[int, Totals] = {}

    @cached_property
    def _tables(self) -> tuple[pa.Table, pa.Table]:
        columns = Columns()
        ends = accumulate(len(line) + 1 for line in self._original.lines)
        for number, (round_, line, end) in enumerate(
            zip(self._rounds, self._original.lines, ends, strict=True), 1
        ):
            origin = Origin("", "", number, end - len(line) - 1)
            columns.add(round_, extra=None, digest="", origin=origin)
        return columns.tables()

    def evening(self, day: date, count: int) -> _Made:
        evening = Evening(self._original, day, count)
        log = evening.lines()
        file = FileReport(
            log_name(evening), hashlib.sha256(log).hexdigest(), len(log), lines=count, stored=count
        )
        rounds, events = self._tables
        rounds = evening.columns(rounds.slice(0, count))
        events = evening.columns(events.slice(0, pa.compute.sum(rounds["event_count"]).as_py()))
        rounds = _filled(rounds, "content_sha256", self._digests(evening))
        rounds = _filled(rounds, "source_file", [file.name] * count)
        rounds = _filled(rounds, "source_sha256", [file.sha256] * count)
        narrow = events_of_table(events, rounds["event_count"])
        partition = Partition(self._original.house.venue, day)
        return round_part(self._folder, partition, [(rounds, narrow)]), file, self._totals(count)

    def _totals(self, count: int) -> Totals:
        """Control totals of the first rounds, the same every evening."""
        if count not in self._counted:
            totals = self._counted[count] = Totals()
            for round_ in self._rounds[:count]:
                totals.add_round(round_)
        return self._counted[count]

    def _digests(self, evening: Evening) -> list[str]:
        """`wire.content_digest` of every round, without a round being encoded again."""
        shift = evening.shift
        return [
            hashlib.sha256(
                b"".join((evening.renamed(before), _utc(start + shift), between, _utc(end + shift), after))
            ).hexdigest()
            for before, start, between, end, after in self._canonical[: evening.rounds]
        ]


_Canonical = tuple[bytes, datetime, bytes, datetime, bytes]
"""A round in canonical form, taken apart at the instants at which it started and ended."""


def _canonical(round_: Round) -> _Canonical:
    start = round_.started_at.astimezone(UTC)
    end = (round_.ended_at or round_.started_at).astimezone(UTC)
    line = encode_line(msgspec.structs.replace(round_, started_at=start, ended_at=end))
    before, rest = line.split(_utc(start), 1)
    between, after = rest.split(_utc(end), 1)
    return before, start, between, end, after


def _utc(instant: datetime) -> bytes:
    return f'"{instant.isoformat()[:-6]}Z"'.encode()


def _filled(table: pa.Table, name: str, values: list[str]) -> pa.Table:
    place = table.schema.get_field_index(name)
    return table.set_column(place, table.schema.field(place), pa.array(values, pa.string()))


_press: _Press


def _begin(original: Original, folder: Path) -> None:
    global _press
    _press = _Press(original, folder)


def _evening(night: tuple[date, int]) -> _Made:
    return _press.evening(*night)
