"""``python -m tests.bench bench``, ``findings`` and ``scale``: measure, keep the numbers, write the page.

Every measure runs in a process of its own, one after another, each beside its reference
on the same files. It runs up to `REPEATS` times, as long as that fits into `PATIENCE`;
the fastest counts, and of memory the most.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from audit.engines import FAST_FROM
from audit.engines.local import MEMORY
from audit.workers import having
from tests.bench.page import page
from tests.bench.watch import Watched, watch

HOME = Path(__file__).parents[2]
NUMBERS = HOME / "docs" / "performance.json"
PAGE = HOME / "docs" / "performance.md"

ROUNDS = 5_000_000
INGEST_ROUNDS = 1_000_000
READABLE_ROUNDS = 5_000
KERNEL_ROUNDS = 200_000
PARTS_ROUNDS = 200_000
WARM_ROUNDS = FAST_FROM
"""As many as it takes for a run to use the kernel."""
FINDINGS_ROUNDS = 1_000_000
FINDINGS_RATE = 0.0135
"""A fault in such a share of so many rounds leads to some 10,000 findings."""

SCALE = (100_000, 1_000_000, 10_000_000)
REPEATS = 3
PATIENCE = 300.0
"""Seconds that the repetitions of one measure may take together."""

Numbers = dict[str, Any]


class Bench:
    """Measures in a folder that may grow large, and tells on standard error what it does."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lake = folder / "lake"
        self._log = folder / "log.jsonl"

    def bench(self, rounds: int, run_rounds: int, ingest_rounds: int) -> Numbers:
        """Every measure of the page; the run may have a smaller lake."""
        self._warm()
        found: Numbers = {"rounds": rounds}
        found["lake"] = self._make("make-lake", self._lake, rounds)
        found["scan"] = self._measure("scan", self._lake)
        if run_rounds != rounds:
            self._make("make-lake", self._lake, run_rounds)
        found["run_scan"] = self._measure("scan", self._lake)
        found["run"] = self._measure("run", self._lake)
        for name in ("plain-polars", "plain-duckdb"):
            found[name.replace("-", "_")] = self._measure(name, self._lake)
        found["readable"] = self._measure("readable", self._lake, READABLE_ROUNDS)
        with having(MEMORY):
            found["parts"] = self._measure("parts", self._lake, PARTS_ROUNDS)
            found["kernel"] = self._measure("kernel", self._lake, KERNEL_ROUNDS)
        shutil.rmtree(self._lake)
        found["log"] = {"rounds": ingest_rounds, **self._make("make-log", self._log, ingest_rounds)}
        found["ingest"] = self._ingest()
        shutil.rmtree(self._lake)
        for name in ("read-json-to-one-file", "read-json-to-partitions"):
            found[name.replace("-", "_")] = self._measure(name, self._log, self._folder / "copied")
        self._log.unlink()
        return found

    def findings(self, rounds: int) -> Numbers:
        """A run with many findings, for what they cost its validation and report."""
        self._warm()
        self._make("make-lake", self._lake, rounds, FINDINGS_RATE)
        found = self._measure("run", self._lake)
        shutil.rmtree(self._lake)
        return found

    def scale(self, sizes: Sequence[int]) -> list[Numbers]:
        """Ingest and run at every size, the run on what was ingested."""
        self._warm()
        return [self._step(rounds) for rounds in sizes]

    def _step(self, rounds: int) -> Numbers:
        self._make("make-log", self._log, rounds)
        step = {"rounds": rounds, "ingest": self._ingest()}
        self._log.unlink()
        step["run"] = self._measure("run", self._lake)
        shutil.rmtree(self._lake)
        return step

    def _warm(self) -> None:
        """An ingest and a run of few rounds, so that no measure compiles."""
        self._make("make-log", self._log, WARM_ROUNDS)
        self._watched("first ingest", self._ingesting())
        self._log.unlink()
        self._watched("first run", _measure("run", self._lake))
        shutil.rmtree(self._lake)

    def _make(self, name: str, target: Path, *how: object) -> Numbers:
        """Make a lake or a log anew."""
        self._clear()
        return summed_up([self._watched(name, _measure(name, self._folder / "originals", target, *how))])

    def _measure(self, name: str, *arguments: object) -> Numbers:
        runs: list[Watched] = []
        while another(runs):
            runs.append(self._watched(name, _measure(name, *arguments)))
        return summed_up(runs)

    def _ingest(self) -> Numbers:
        """The command itself, from its start to its end."""
        runs: list[Watched] = []
        while another(runs):
            self._clear()
            runs.append(self._watched("ingest", self._ingesting()))
        return {**summed_up(runs), "seconds": min(each.seconds for each in runs)}

    def _ingesting(self) -> list[str]:
        command = ["-c", "from audit.cli import main; main()", "ingest", str(self._log)]
        return [*command, "--lake", str(self._lake), "--json"]

    def _clear(self) -> None:
        shutil.rmtree(self._lake, ignore_errors=True)

    def _watched(self, name: str, command: Sequence[str]) -> Watched:
        watched = watch(command)
        print(f"{name}: {watched.seconds:.1f} s", file=sys.stderr, flush=True)
        return watched


def _measure(name: str, *arguments: object) -> list[str]:
    return ["-m", "tests.bench.measure", name, *map(str, arguments)]


def another(runs: Sequence[Watched]) -> bool:
    """Whether a measure that took so long so far is to be repeated."""
    spent = sum(each.seconds for each in runs)
    return not runs or (len(runs) < REPEATS and spent + spent / len(runs) <= PATIENCE)


def summed_up(runs: Sequence[Watched]) -> Numbers:
    """Repetitions as one: the answer and times of the fastest, and the most memory of any."""
    best = min(runs, key=lambda each: each.answer.get("seconds", each.seconds))
    return {
        **best.answer,
        "wall": best.seconds,
        "processor": best.processor,
        "largest": max(each.largest for each in runs),
        "together": max(each.together for each in runs),
        "repeats": len(runs),
    }


def machine() -> Numbers:
    """The machine, by processors that may be used and memory in bytes."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"cores": len(os.sched_getaffinity(0)), "memory": memory}


def main(arguments: Sequence[str]) -> int:
    """Measure and write the page; 2 for arguments that make no sense."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure and write the page.")
    parser.add_argument(
        "--folder", type=Path, default=HOME / "build" / "bench", help="where to work (%(default)s)"
    )
    parser.add_argument("--numbers", type=Path, default=NUMBERS, help="what was measured (%(default)s)")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page about it (%(default)s)")
    kinds = parser.add_subparsers(dest="kind", required=True)
    kind = kinds.add_parser("bench", help="everything beside its reference")
    kind.add_argument("--rounds", type=int, default=ROUNDS, help="rounds in the lake (%(default)s)")
    kind.add_argument("--run-rounds", type=int, help="rounds in the lake of the run; all unless given")
    kind.add_argument("--ingest-rounds", type=int, default=INGEST_ROUNDS, help="(%(default)s)")
    kind = kinds.add_parser("findings", help="a run with some 10,000 findings")
    kind.add_argument("--rounds", type=int, default=FINDINGS_ROUNDS, help="(%(default)s)")
    kind = kinds.add_parser("scale", help="ingest and run at growing sizes")
    kind.add_argument("--sizes", type=int, nargs="+", default=SCALE, help="rounds (%(default)s)")
    kinds.add_parser("page", help="the page anew from the numbers kept")
    chosen = parser.parse_args(arguments)

    kept: Numbers = json.loads(chosen.numbers.read_bytes()) if chosen.numbers.exists() else {}
    chosen.folder.mkdir(parents=True, exist_ok=True)
    if chosen.kind == "bench":
        rounds = chosen.rounds
        kept["bench"] = Bench(chosen.folder).bench(
            rounds, chosen.run_rounds or rounds, min(chosen.ingest_rounds, rounds)
        )
        kept["bench"]["machine"] = machine()
    elif chosen.kind == "findings":
        kept["findings"] = {"machine": machine(), **Bench(chosen.folder).findings(chosen.rounds)}
    elif chosen.kind == "scale":
        kept["scale"] = {"machine": machine(), "steps": Bench(chosen.folder).scale(chosen.sizes)}
    chosen.numbers.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    chosen.page.write_text(page(kept), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
