"""``python -m tests.record_cluster``: measure what sizes a cluster, and write it into docs/cluster.md.

A run over a lake of `tests.bench` goes through one Dask worker, in a process of its own whose processor
time and largest resident set the operating system counts. The numbers are kept in
docs/cluster/figures.json, and the part of the page between its two marks is made of them alone.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from decimal import Decimal
from io import StringIO
from pathlib import Path

import psutil

from audit.engines.dask import Dask
from audit.lake import Lake
from audit.law import load_law
from audit.layout import DERIVED, EVIDENCE, HISTORY
from audit.partitions import Choice
from audit.progress import Progress
from audit.run import RunOutcome, run
from tests.bench.lake import originals, write_lake
from tests.cluster import cluster, kill

HOME = Path(__file__).parents[1]
PAGE = HOME / "docs" / "cluster.md"
FIGURES = HOME / "docs" / "cluster" / "figures.json"
MARKS = "<!-- measured -->\n", "<!-- /measured -->\n"

ROUNDS = 200_000
LARGE = 10_000_000_000
PRICES = Decimal("0.05"), Decimal("0.023")
"""Of a core for an hour and of a gigabyte for a month, in whatever currency."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a worker that had its engine loaded took for so many rounds, and the process that gave it work.

    Processor time in seconds, user and system; memory and disk in bytes. ``here_seconds`` is what that
    process took for ``here_rounds`` more rounds than another run had.
    """

    rounds: int
    partitions: int
    worker_seconds: float
    here_rounds: int
    here_seconds: float
    largest_worker: int
    evidence_bytes: int
    derived_bytes: int


def measure(folder: Path) -> Figures:
    """Measure in a folder that takes some hundred megabytes."""
    lake = Lake(folder / "lake")
    if not lake.root.exists():
        dealt = originals(folder / "originals", ROUNDS)
        write_lake(lake.root, dealt, ROUNDS, jobs=1, at=datetime(2026, 1, 2, tzinfo=UTC))
    house = Choice(venues=("skycity-auckland",))
    with tempfile.TemporaryDirectory(dir=folder) as name, cluster(Path(name) / "cluster") as made:
        compiling = made.workers(1)
        _run(lake, made.address, house)
        kill(compiling)
        command = made.workers(1)
        few, small = _run(lake, made.address, house)
        (worker,) = made.at_work(command)
        before = _seconds(worker)
        outcome, whole = _run(lake, made.address, Choice())
        rounds = outcome.record["counts"]["rounds"]
        return Figures(
            rounds=rounds,
            partitions=len(outcome.replayed),
            worker_seconds=round(_seconds(worker) - before, 2),
            here_rounds=rounds - few.record["counts"]["rounds"],
            here_seconds=round(whole - small, 2),
            largest_worker=_largest(worker),
            evidence_bytes=_bytes(lake, EVIDENCE),
            derived_bytes=_bytes(lake, (*DERIVED, *HISTORY)),
        )


def _run(lake: Lake, address: str, choice: Choice) -> tuple[RunOutcome, float]:
    """A run, and the processor time that this process took for it."""
    begun = time.process_time()
    outcome = run(lake, load_law(), choice, engine=Dask(address), progress=Progress(StringIO()))
    return outcome, time.process_time() - begun


def _seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _largest(process: psutil.Process) -> int:
    """The largest resident set that a process has had."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii").splitlines()
    (line,) = (each for each in status if each.startswith("VmHWM:"))
    return 1024 * int(line.split()[1])


def _bytes(lake: Lake, tables: tuple[str, ...]) -> int:
    return sum(
        path.stat().st_size
        for table in tables
        for partition in lake.partitions(table)
        for path in lake.files(table, partition)
    )


def told(figures: Figures) -> str:
    """The part of the page that is made of figures."""
    rounds = figures.rounds
    micros = figures.worker_seconds / rounds * 1e6
    here = figures.here_seconds / figures.here_rounds * 1e6
    evidence, derived = figures.evidence_bytes / rounds, figures.derived_bytes / rounds
    hours, alone = LARGE * micros / 3.6e9, LARGE * here / 3.6e9
    disk = LARGE * (evidence + derived) / 1e9
    core, gigabyte = map(float, PRICES)
    many = f"{LARGE:,} rounds"
    rows = [
        (f"{rounds:,} rounds in {figures.partitions} partitions, one worker", "measured", "a round"),
        ("processor time of the worker", f"{figures.worker_seconds:,.1f} s", f"{micros:.1f} µs"),
        ("rounds a second and core", "", f"{1e6 / micros:,.0f}"),
        ("largest resident set of the worker (`VmHWM`)", f"{figures.largest_worker / 2**20:,.0f} MiB", ""),
        (
            f"processor time of the command for {figures.here_rounds:,} rounds more",
            f"{figures.here_seconds:,.1f} s",
            f"{here:.1f} µs",
        ),
        ("evidence in the lake", f"{figures.evidence_bytes / 1e6:,.1f} MB", f"{evidence:.0f} bytes"),
        ("results in the lake", f"{figures.derived_bytes / 1e6:,.1f} MB", f"{derived:.0f} bytes"),
        (f"**for {many}**", "**arithmetic**", ""),
        ("workers", f"{micros:.1f} µs x {many}", f"{hours:,.0f} core hours"),
        ("on 100 cores", f"{hours:,.0f} / 100", f"{hours / 100:,.1f} hours"),
        ("the command, on one core", f"{here:.1f} µs x {many}", f"{alone:,.1f} hours"),
        ("workers that keep the command busy", f"{micros:.1f} / {here:.1f}", f"{micros / here:,.0f}"),
        ("disk", f"({evidence:.0f} + {derived:.0f}) bytes x {many}", f"{disk:,.0f} GB"),
        (
            f"cores, at {core} an hour",
            f"({hours:,.0f} + {alone:,.1f}) x {core}",
            f"{(hours + alone) * core:,.2f}",
        ),
        (f"disk, at {gigabyte} a GB", f"{disk:,.0f} x {gigabyte}", f"{disk * gigabyte:,.2f} a month"),
    ]
    lines = [f"| {' | '.join(row)} |\n" for row in rows]
    return "".join((lines[0], "|---|---|---|\n", *lines[1:]))


def written(page: str, figures: Figures) -> str:
    """A page with its part between the marks made anew."""
    head, _, rest = page.partition(MARKS[0])
    _, _, tail = rest.partition(MARKS[1])
    return f"{head}{MARKS[0]}{told(figures)}{MARKS[1]}{tail}"


def kept() -> Figures:
    """The figures that were kept."""
    return Figures(**json.loads(FIGURES.read_text(encoding="utf-8")))


def main(arguments: list[str]) -> int:
    """Measure, in a folder of one's own or a temporary one, and write; ``--again`` writes what was kept."""
    if arguments != ["--again"]:
        with tempfile.TemporaryDirectory() as name:
            figures = measure(Path(arguments[0]) if arguments else Path(name))
        FIGURES.write_text(json.dumps(asdict(figures), indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), kept()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
