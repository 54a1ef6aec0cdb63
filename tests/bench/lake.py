"""Large logs and lakes, made of the evenings of `data_samples.bulk`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from audit.ingest.pipeline import ingest
from audit.lake import Lake
from audit.version import code_digest
from data_samples.bulk import EVENING_ROUNDS, RATE, Original, deal_original, evenings, shares
from rules_replay.venues import load_register


def originals(folder: Path, rounds: int, rate: float = RATE) -> dict[str, Original]:
    """The evening of each rulebook, long enough for so many rounds in all; dealt once, kept in ``folder``.

    ``rate`` is the share of rounds in which a fault is sought.
    """
    folder.mkdir(parents=True, exist_ok=True)
    dealt = {}
    for name, part in shares(rounds).items():
        needed = min(part, EVENING_ROUNDS)
        path = folder / f"{name}-{needed}-{rate}-{code_digest()[:12]}.jsonl"
        if not path.exists():
            evening = deal_original(name, needed, rate=rate)
            path.write_bytes(b"".join(line + b"\n" for line in evening.lines))
        dealt[name] = Original(name, tuple(path.read_bytes().splitlines()))
    return dealt


def write_log(path: Path, dealt: Mapping[str, Original], rounds: int) -> None:
    """So many rounds as one file of JSON Lines."""
    with path.open("wb") as log:
        for name, part in shares(rounds, tuple(dealt)).items():
            for evening in evenings(dealt[name], part):
                log.write(evening.lines())


def write_lake(root: Path, dealt: Mapping[str, Original], rounds: int, *, jobs: int, at: datetime) -> None:
    """So many rounds as a new lake, by one ingest at an instant of a log for each evening."""
    with TemporaryDirectory(prefix=".logs-", dir=root.parent) as folder:
        for name, part in shares(rounds, tuple(dealt)).items():
            for evening in evenings(dealt[name], part):
                (Path(folder) / f"{name}-{evening.day}.jsonl").write_bytes(evening.lines())
        report = ingest([folder], Lake(root), load_register(), jobs=jobs, at=at)
    assert (report.complete, report.count("stored")) == (True, rounds)
