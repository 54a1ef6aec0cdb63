"""Both engines over millions of rounds: ``python -m tests.record_parity FOLDER --rounds 1000000``.

Rounds are dealt in blocks, each from a seed of its own. What was dealt is kept in the folder, and so is what
the readable engine says of it for as long as the code that says it stays the same: a change of the kernel
costs only its own replay, and what was interrupted is picked up again. Where nothing differs,
``docs/parity.md`` is written anew.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import feather

from audit.ingest.columns import events_of, rounds_of
from data_samples.croupier import deal_night
from data_samples.tables import BOXES as ALL_BOXES
from data_samples.tables import HOUSES
from rules_replay.auditor import Auditor
from rules_replay.rulebook import rulebook_ids
from rules_replay.venues import load_register
from tests.kernel.parity import SAID, Said, by_engine, by_kernel, compared, tables

PAGE = Path(__file__).parents[1] / "docs" / "parity.md"
BLOCK = 10_000
"""Rounds of a block."""

BOXES = 3
"""Most boxes taken at a table, but in every fourth block, where all may be: more rounds for the time."""

RATE = 0.003
"""Share of rounds in which a fault is sought."""

FIRST_SEED = 100
"""The seed of the first block; tests deal from those under it."""

COUNTED = ("rounds", "events", "hands", "settlements", "findings", "verdicts")

_PAGE = """\
# Both engines, round by round

The readable engine and the kernel share the vocabulary and no logic. This page says over how many of the
croupier's rounds they were held against each other with no difference: in any field of a hand, a settlement
or a finding, in their order, in what depends on which reading, or in the verdicts of coverage.

| rulebook | rounds | events | hands | settlements | findings | verdicts |
|---|---|---|---|---|---|---|
{rows}

Every block of {block:,} rounds is dealt in earnest from a seed of its own, nothing is repeated. A fault is
sought in {share} of the rounds. In three blocks of four at most {boxes} boxes are taken at a table, in the
fourth all may be. Rounds that no croupier would deal (events dropped, doubled, moved and put in at random,
and every other reading in force) are compared by the tests in `tests/kernel`, in smaller numbers.

The readable engine was that of digest `{readable}`, the kernel that of `{kernel}`, as
`python -m tests.record_parity FOLDER` tells them, which wrote this page. It keeps in the folder what was
dealt and what the readable engine said, so that after a change of the kernel a million rounds of each
rulebook are compared in minutes; after a change of the readable engine it takes some hours.
"""

_REPLAY = Path(__file__).parents[1] / "rules_replay"
_DEALT = ("rounds", "events")


@dataclass(frozen=True)
class Block:
    """Some rounds of a rulebook, and where what is known of them is kept."""

    folder: Path
    rulebook: str
    number: int
    rounds: int = BLOCK

    def differences(self) -> tuple[list[str], Counter[str]]:
        """In what the engines differ on these rounds; and of how much they said the same."""
        rounds, events = self._dealt()
        theirs = self._by_engine(rounds, events)
        ours, _ = by_kernel([(rounds, events)], Auditor(load_register()), self._venue)
        counts = Counter({name: table.num_rows for name, table in theirs.items() if name != "coverage"})
        counts.update(rounds=rounds.num_rows, events=events.num_rows, verdicts=_verdicts(theirs["coverage"]))
        return compared(ours, theirs), counts

    def _dealt(self) -> tuple[pa.Table, pa.Table]:
        kept = self._kept("dealt", _DEALT)
        if kept is None:
            dealt = deal_night(
                self.rulebook,
                FIRST_SEED + self.number,
                self.rounds,
                faults="all",
                rate=RATE,
                boxes=BOXES if self.number % 4 else ALL_BOXES,
            )
            kept = dict(zip(_DEALT, tables((each for each, _ in dealt), wholly=False), strict=True))
            self._keep("dealt", kept)
        return kept["rounds"], kept["events"]

    def _by_engine(self, rounds: pa.Table, events: pa.Table) -> Said:
        place = f"said-{readable_code()}"
        kept = self._kept(place, SAID)
        if kept is None:
            read = rounds_of(rounds, events_of(events), self._venue)
            kept, _ = by_engine(read, Auditor(load_register()))
            self._keep(place, kept)
        return kept

    @property
    def _venue(self) -> str:
        return HOUSES[self.rulebook].venue

    def _at(self, place: str, name: str) -> Path:
        return self.folder / self.rulebook / f"{self.number:03d}-{self.rounds}" / place / f"{name}.arrow"

    def _kept(self, place: str, names: Sequence[str]) -> Said | None:
        if not self._at(place, names[-1]).exists():
            return None
        return {name: feather.read_table(self._at(place, name)) for name in names}

    def _keep(self, place: str, found: Said) -> None:
        for name, table in found.items():
            path = self._at(place, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            feather.write_feather(table, path.with_suffix(".part"), compression="zstd")
            path.with_suffix(".part").rename(path)


def _verdicts(coverage: pa.Table) -> int:
    return sum(pc.sum(coverage[name]).as_py() or 0 for name in ("evaluated", "not_evaluable"))


@cache
def readable_code() -> str:
    """A digest of all that the readable engine is made of: the package without the kernel and its replay."""
    kinds = (".py", ".csv", ".toml", ".json")
    return _digest(path for path in _REPLAY.rglob("*") if path.suffix in kinds and not _of_kernel(path))


def kernel_code() -> str:
    """A digest of the kernel and what hands rounds to it."""
    return _digest(filter(_of_kernel, _REPLAY.glob("*/*.py")))


def _of_kernel(path: Path) -> bool:
    return path.relative_to(_REPLAY).parts[0] in ("kernel", "fast")


def _digest(paths: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for path in sorted(paths):
        found.update(f"{path.relative_to(_REPLAY)}\n".encode() + path.read_bytes())
    return found.hexdigest()[:16]


def blocks(folder: Path, rulebooks: Sequence[str], rounds: int) -> Iterator[Block]:
    """So many rounds of each rulebook, the first blocks of all before the second of any."""
    for number, start in enumerate(range(0, rounds, BLOCK)):
        for rulebook in rulebooks:
            yield Block(folder, rulebook, number, min(BLOCK, rounds - start))


def page(total: Mapping[str, Counter[str]]) -> str:
    """What was compared, by rulebook, as the page of the documentation."""
    rows = [
        f"| {rulebook} | " + " | ".join(f"{counts[name]:,}" for name in COUNTED) + " |"
        for rulebook, counts in sorted(total.items())
    ]
    return _PAGE.format(
        rows="\n".join(rows),
        block=BLOCK,
        share=f"{RATE:.1%}",
        boxes=BOXES,
        readable=readable_code(),
        kernel=kernel_code(),
    )


def _seldom_collect() -> None:
    # Of the millions of small objects hardly one is part of a cycle.
    gc.set_threshold(100_000, 50, 100)


def _compared(block: Block) -> tuple[Block, list[str], Counter[str]]:
    found, counts = block.differences()
    return block, found, counts


def main(arguments: Sequence[str]) -> int:
    """Compare, and write the page; 1 where the engines differ."""
    parser = argparse.ArgumentParser(prog="python -m tests.record_parity", description=__doc__)
    parser.add_argument("folder", type=Path, help="where rounds and what the readable engine said are kept")
    parser.add_argument("--rounds", type=int, default=1_000_000, help="rounds of a rulebook (%(default)s)")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes (%(default)s)")
    parser.add_argument("--page", type=Path, default=PAGE, help="what to write (%(default)s)")
    parser.add_argument("--rulebooks", nargs="+", default=rulebook_ids(), help="all, unless named")
    chosen = parser.parse_args(arguments)
    total: dict[str, Counter[str]] = {name: Counter() for name in chosen.rulebooks}
    differing = 0
    with ProcessPoolExecutor(chosen.workers, get_context("spawn"), _seldom_collect) as pool:
        wanted = blocks(chosen.folder, chosen.rulebooks, chosen.rounds)
        for done in as_completed([pool.submit(_compared, each) for each in wanted]):
            block, found, counts = done.result()
            differing += bool(found)
            total[block.rulebook].update(counts)
            print(block.rulebook, block.number, *(found or ["no difference"]), file=sys.stderr, flush=True)
    if differing:
        print(f"the engines differ in {differing} blocks", file=sys.stderr)
        return 1
    chosen.page.write_text(page(total), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
