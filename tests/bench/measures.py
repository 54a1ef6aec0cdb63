"""What is measured, each in a process of its own (`tests.bench.measure`).

A measure prints one JSON object. Its ``seconds`` are those of the work alone, without the
start of Python and imports.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, time
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from audit.engines.local import processors
from audit.ingest.columns import events_of, rounds_of
from audit.lake import Lake
from audit.law import Law, load_law
from audit.layout import Partition
from audit.partitions import REPLAYED_FROM, Choice, Planned, Replayed, replay_partition
from audit.progress import Advance, Progress
from audit.rows import round_tables
from audit.run import run
from audit.workers import settle
from data_samples.bulk import RATE
from rules_replay.fast import FastReplay
from rules_replay.kernel.encode import Log
from rules_replay.kernel.records import HANDROW, SETTLED
from rules_replay.log import Round
from rules_replay.replay import Replay
from rules_replay.venues import load_register
from tests.bench.lake import originals, write_lake, write_log
from tests.bench.parts import PARTS, Stopwatch
from tests.bench.plain import RULEBOOK, agreement, in_duckdb, in_polars

Answer = dict[str, Any]

KERNEL_PASSES = 5

_ROUND_COLUMNS = {
    "round_id": "VARCHAR",
    "venue": "VARCHAR",
    "table": "VARCHAR",
    "shoe": "VARCHAR",
    "round_no": "INTEGER",
    "started_at": "TIMESTAMPTZ",
    "ended_at": "TIMESTAMPTZ",
    "rulebook": "VARCHAR",
    "decks": "INTEGER",
    "shuffler": "VARCHAR",
    "currency": "VARCHAR",
    "dealer": "VARCHAR",
    "supervisor": "VARCHAR",
    "offers": "VARCHAR[]",
    "records": "VARCHAR[]",
    "last_rounds": "BOOLEAN",
}
_LIMITS = ("min", "max", "box_max", "multiples", "side_min", "side_max", "smallest_chip")
_EVENT_COLUMNS = {
    "e": "VARCHAR",
    "at": "TIMESTAMPTZ",
    "id": "VARCHAR",
    "wager": "VARCHAR",
    "box": "SMALLINT",
    "hand": "SMALLINT",
    "player": "VARCHAR",
    "kind": "VARCHAR",
    "amount": "DECIMAL(18,3)",
    "on": "VARCHAR",
    "limit": "DECIMAL(18,3)",
    "card": "VARCHAR",
    "from": "VARCHAR",
    "to": "SMALLINT",
    "multiplier": "INTEGER",
    "scope": "VARCHAR",
    "reason": "VARCHAR",
    "code": "VARCHAR",
    "line": "VARCHAR",
    "result": "VARCHAR",
    "paid": "DECIMAL(18,3)",
    "taken": "DECIMAL(18,3)",
    "reverses": "INTEGER",
}


# --- making ----------------------------------------------------------------------------


def make_lake(kept: str, root: str, rounds: str, rate: str = str(RATE)) -> Answer:
    """A lake of so many rounds, its originals kept in a folder; a fault in such a share of them."""
    dealt = originals(Path(kept), int(rounds), float(rate))
    started = perf_counter()
    write_lake(Path(root), dealt, int(rounds), jobs=processors(), at=datetime.now(UTC))
    return {"seconds": perf_counter() - started}


def make_log(kept: str, path: str, rounds: str) -> Answer:
    """A log of so many rounds."""
    dealt = originals(Path(kept), int(rounds))
    started = perf_counter()
    write_log(Path(path), dealt, int(rounds))
    return {"seconds": perf_counter() - started, "bytes": Path(path).stat().st_size}


# --- references ------------------------------------------------------------------------


def scan(root: str) -> Answer:
    """DuckDB reads every value of every column of ``events`` into an aggregate."""
    files = [str(path) for path in sorted(Path(root).glob("events/*/*/*.parquet"))]
    with duckdb.connect() as base:
        started = perf_counter()
        _scanned(base, files)
        seconds = perf_counter() - started
        counted = base.execute("SELECT count(*) FROM read_parquet($files)", {"files": files}).fetchone()
    assert counted is not None
    return {
        "seconds": seconds,
        "events": counted[0],
        "bytes": sum(Path(each).stat().st_size for each in files),
    }


def _scanned(base: duckdb.DuckDBPyConnection, files: Sequence[str]) -> None:
    base.execute(
        "SELECT bit_xor(hash(COLUMNS(*))) FROM read_parquet($files, hive_partitioning = false)",
        {"files": files},
    ).fetchall()


def read_json_to_one_file(log: str, out: str) -> Answer:
    """DuckDB's own reading of a log: the events alone, into one file, nothing validated."""
    return _timed(copy_log, log, out)


def copy_log(base: duckdb.DuckDBPyConnection, log: str, out: str) -> None:
    """The events of a log to ``events.parquet`` in a folder."""
    base.execute(f"COPY ({_unnested(log)}) TO '{out}/events.parquet' (FORMAT parquet, COMPRESSION zstd)")


def read_json_to_partitions(log: str, out: str) -> Answer:
    """The same with rounds and events, parted as a lake is."""
    return _timed(copy_log_to_partitions, log, out)


def copy_log_to_partitions(base: duckdb.DuckDBPyConnection, log: str, out: str) -> None:
    """The rounds and events of a log to ``rounds`` and ``events`` in a folder, by venue and day."""
    parted = "(FORMAT parquet, COMPRESSION zstd, PARTITION_BY (venue, gaming_date))"
    rounds = f"SELECT *, started_at::DATE AS gaming_date FROM {_log(log, events=False)}"
    base.execute(f"COPY ({rounds}) TO '{out}/rounds' {parted}")
    base.execute(f"COPY ({_unnested(log)}) TO '{out}/events' {parted}")


def _timed(copy: Callable[[duckdb.DuckDBPyConnection, str, str], None], log: str, out: str) -> Answer:
    shutil.rmtree(out, ignore_errors=True)
    Path(out).mkdir(parents=True)
    with duckdb.connect() as base:
        started = perf_counter()
        copy(base, log, out)
        seconds = perf_counter() - started
    shutil.rmtree(out)
    return {"seconds": seconds}


def _unnested(log: str) -> str:
    return (
        "SELECT venue, started_at::DATE AS gaming_date, round_id, generate_subscripts(events, 1) - 1 AS seq, "
        f"unnest(events, recursive := true) FROM {_log(log, events=True)}"
    )


def _log(path: str, *, events: bool) -> str:
    columns = {**_ROUND_COLUMNS, "limits": _struct(dict.fromkeys(_LIMITS, "DECIMAL(18,3)"))}
    if events:
        columns["events"] = f"{_struct(_EVENT_COLUMNS)}[]"
    listed = ", ".join(f"{_quoted(name)}: '{kind}'" for name, kind in columns.items())
    return f"read_json('{path}', format = 'newline_delimited', columns = {{{listed}}})"


def _struct(columns: dict[str, str]) -> str:
    return f"STRUCT({', '.join(f'{_quoted(name)} {kind}' for name, kind in columns.items())})"


def _quoted(name: str) -> str:
    return f'"{name}"'


# --- ours ------------------------------------------------------------------------------


class Stages(Progress):
    """Says nothing, and keeps how long each piece of work took, by its title."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: dict[str, float] = {}

    def say(self, text: str, *_: Any, **__: Any) -> None:
        """Nothing."""

    @contextmanager
    def work(self, title: str, total: int | None = None) -> Iterator[Advance]:
        """Timed."""
        with self._timed(title):
            yield lambda done: None

    @contextmanager
    def wait(self, title: str) -> Iterator[None]:
        """Timed."""
        with self._timed(title):
            yield

    @contextmanager
    def _timed(self, title: str) -> Iterator[None]:
        started = perf_counter()
        try:
            yield
        finally:
            self.seconds[title] = perf_counter() - started


def run_lake(root: str) -> Answer:
    """A whole run, and the seconds of its stages: replay, validation, report."""
    stages = Stages()
    started = perf_counter()
    outcome = run(Lake(root), load_law(), Choice(), progress=stages)
    seconds = perf_counter() - started
    assert not outcome.failed, outcome.failed
    assert outcome.validation is not None
    counts = outcome.record["counts"]
    by_name = {title.split()[0].lower(): taken for title, taken in stages.seconds.items()}
    return {
        "seconds": seconds,
        "replay": by_name["replaying"],
        "validation": by_name["validating"],
        "report": by_name["writing"],
        "rounds": counts["rounds"],
        "partitions": len(outcome.record["partitions"]),
        "findings": sum(counts["findings"].values()),
        "validation_outcome": outcome.record["validation"]["outcome"],
    }


def readable(root: str, rounds: str) -> Answer:
    """The readable engine on rounds held in memory, its tables made and thrown away."""
    lake = Lake(root)
    some = list(
        islice((each for partition in lake.partitions() for each in lake.read_rounds(partition)), int(rounds))
    )
    replay = Replay(load_law().auditor())
    started = perf_counter()
    for _ in replay.batches(some):
        pass
    return {"seconds": perf_counter() - started, "rounds": replay.tally.rounds}


def kernel(root: str, rounds: str) -> Answer:
    """The kernel alone, on arrays in memory; its tables are not made of what it writes down.

    The least of so many passes over the same arrays: the first loads the kernel and makes room.
    """
    law = load_law()
    logs = list(_encoded(Lake(root), law, int(rounds)))
    seconds = min(sum(_judged(law, venue, its) for venue, its in logs) for _ in range(KERNEL_PASSES))
    rounds_judged = sum(len(log.rounds) for _, its in logs for log in its)
    return {"seconds": seconds, "rounds": rounds_judged, "passes": KERNEL_PASSES}


def _encoded(lake: Lake, law: Law, least: int) -> Iterator[tuple[str, list[Log]]]:
    """Venue and rounds of partitions as the kernel reads them, until there are so many."""
    done = 0
    for partition in lake.partitions():
        if done < least:
            venue = partition.venue or ""
            fast = _fast(law, venue)
            its = [fast.encoded(*tables) for tables in round_tables(lake, partition)]
            done += sum(len(log.rounds) for log in its)
            yield venue, its


def _judged(law: Law, venue: str, logs: Sequence[Log]) -> float:
    """Seconds that it takes the kernel to judge the rounds of a partition."""
    fast = _fast(law, venue)
    started = perf_counter()
    for log in logs:
        fast.judge(log)
    return perf_counter() - started


def _fast(law: Law, venue: str) -> FastReplay:
    return FastReplay(law.auditor(), venue, partial(_logged, venue))


def parts(root: str, rounds: str) -> Answer:
    """The replay stage in this process alone: microseconds of processor time a round, by part.

    It is as the processes of a run are: started with `audit.engines.local.MEMORY`, and warm.
    Beside them those of DuckDB's scan of the same ``events`` in one thread.
    """
    lake, law = Lake(root), load_law()
    first, *others = lake.partitions()
    chosen, done = [], 0
    for each in others:
        if done < int(rounds):
            chosen.append(each)
            done += _rounds(lake, each)
    watch = Stopwatch()
    with lake.staging() as folder:
        _replayed(lake, folder, first, law)
        settle()
        with watch.watching(PARTS):
            started = process_time()
            told = sum(_replayed(lake, folder, each, law).compared for each in chosen)
            spent = process_time() - started
    by_part = {part: 1e6 * watch.spent[part] / done for part in PARTS}
    files = [str(path) for each in chosen for path in lake.files("events", each)]
    with duckdb.connect(config={"threads": 1}) as base:
        started = process_time()
        _scanned(base, files)
        scan_spent = process_time() - started
    return {
        "seconds": spent,
        "rounds": done,
        "told": told,
        "bytes": {form: size / done for form, size in bytes_held(lake, law, chosen).items()},
        "parts": by_part,
        "rest": 1e6 * spent / done - sum(by_part.values()),
        "scan": 1e6 * scan_spent / done,
    }


def bytes_held(lake: Lake, law: Law, partitions: Sequence[Partition]) -> dict[str, int]:
    """What a replay reads, makes of it and writes, in bytes, by the form that it is in."""
    held: Counter[str] = Counter()
    for partition in partitions:
        held["read"] += sum(
            path.stat().st_size for table in REPLAYED_FROM for path in lake.files(table, partition)
        )
        venue = partition.venue or ""
        fast = _fast(law, venue)
        for some, its in round_tables(lake, partition):
            log = fast.encoded(some, its)
            batch = fast.batch(some, its)
            held["decoded"] += some.nbytes + its.nbytes
            held["replayed"] += log.rounds.nbytes + log.events.nbytes
            held["found"] += batch.hands.num_rows * HANDROW.itemsize
            held["found"] += batch.settlements.num_rows * SETTLED.itemsize
            held["columns"] += batch.hands.nbytes + batch.settlements.nbytes + batch.findings.nbytes
        with lake.staging() as folder:
            held["encoded"] += sum(each.byte_count for each in _replayed(lake, folder, partition, law).staged)
    return dict(held)


def _replayed(lake: Lake, folder: Path, partition: Partition, law: Law) -> Replayed:
    return replay_partition(
        lake, folder, Planned(partition=partition, by_kernel=True), law, lambda done: None
    )


def _logged(venue: str, some: pa.Table, its: pa.Table) -> list[Round]:
    return [*rounds_of(some, events_of(its), venue)]


def plain_polars(root: str) -> Answer:
    """The simplest hands of `plain.RULEBOOK` in Polars."""
    return _plain(in_polars, Lake(root))


def plain_duckdb(root: str) -> Answer:
    """The simplest hands of `plain.RULEBOOK` in DuckDB."""
    return _plain(in_duckdb, Lake(root))


def _plain(settle: Callable[[Sequence[Path], Path], None], lake: Lake) -> Answer:
    partitions = [each for each in lake.partitions() if _under(each)]
    events = [path for each in partitions for path in lake.files("events", each)]
    with lake.staging() as folder:
        out = folder / "answers.parquet"
        started = perf_counter()
        settle(events, out)
        seconds = perf_counter() - started
        found = agreement(
            out,
            [path for each in partitions for path in lake.files("settlements", each)],
            [path for each in partitions for path in lake.files("findings", each)],
        )
    assert found.settled, "no wager was settled"
    assert not found.unexplained, f"{found.unexplained} wagers settled otherwise than by the engine"
    return {
        "seconds": seconds,
        "rounds": sum(_rounds(lake, each) for each in partitions),
        "wagers": found.settled,
        "otherwise": found.otherwise,
    }


def _rounds(lake: Lake, partition: Partition) -> int:
    return sum(pq.read_metadata(path).num_rows for path in lake.files("rounds", partition))


def _under(partition: Partition) -> bool:
    """Whether `plain.RULEBOOK` was in force at the venue on the evening."""
    assert partition.venue is not None
    assert partition.gaming_date is not None
    evening = datetime.combine(partition.gaming_date, time(12), tzinfo=UTC)
    window = load_register().window_at(partition.venue, evening)
    return window is not None and window.rulebook == RULEBOOK


MEASURES: dict[str, Callable[..., Answer]] = {
    "make-lake": make_lake,
    "make-log": make_log,
    "scan": scan,
    "read-json-to-one-file": read_json_to_one_file,
    "read-json-to-partitions": read_json_to_partitions,
    "run": run_lake,
    "readable": readable,
    "kernel": kernel,
    "parts": parts,
    "plain-polars": plain_polars,
    "plain-duckdb": plain_duckdb,
}


def main() -> None:
    """Take the measure that the command line names, and print what it answers."""
    print(json.dumps(MEASURES[sys.argv[1]](*sys.argv[2:])))
