"""Nights on disk: the rounds as JSON Lines and the truth beside them.

``night.jsonl``, ``night.jsonl.gz`` or ``night.jsonl.zst`` is followed by ``night.truth``, one object
for each faulty round: ``round_id``, ``fault`` and the findings ``expected`` (``code``
and, where fixed, ``box``, ``hand``, ``wager``, ``delta``). Same call, same bytes.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import pyarrow as pa

from data_samples.croupier import Faults, Truth, deal_night
from data_samples.faults import by_label
from data_samples.plan import Expected
from rules_replay.log import Amount, Round, amount_text, encode_custom

NIGHTS_SEED = 2026
NIGHTS_ROUNDS = 1000
NIGHTS_RATE = 0.06
NIGHTS_LABELS = frozenset(by_label()) - {"doubled-late", "split-late", "burned-off"}
"""All faults but those that came later: what was written about the bundled nights stays true of them."""

_ROUNDS = msgspec.json.Encoder(enc_hook=encode_custom)
_TRUTH = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What was written: both files, and how many rounds carry a fault."""

    path: Path
    truth: Path
    rounds: int
    faulty: int


def write_night(
    path: Path,
    rulebook_id: str,
    seed: int,
    rounds: int,
    *,
    faults: Faults = "none",
    rate: float = 0.05,
    tables: int | None = None,
    evening: date | None = None,
    labels: frozenset[str] | None = None,
) -> Written:
    """Deal a night and write it with its truth; a name that ends in ``.gz`` or ``.zst`` is compressed.

    The choices are those of `data_samples.croupier.deal_night`.
    """
    night = deal_night(
        rulebook_id, seed, rounds, faults=faults, rate=rate, tables=tables, evening=evening, labels=labels
    )
    return _write(path, night)


def _write(path: Path, night: Iterable[tuple[Round, Truth | None]]) -> Written:
    truth_path = truth_beside(path)
    count = faulty = 0
    with _whole(truth_path) as beside, _whole(path) as plain, _packed(plain, path) as log:
        for round_, truth in night:
            log.write(_ROUNDS.encode(round_) + b"\n")
            count += 1
            if truth is not None:
                beside.write(_TRUTH.encode(truth_object(truth)) + b"\n")
                faulty += 1
    return Written(path=path, truth=truth_path, rounds=count, faulty=faulty)


@contextmanager
def _whole(path: Path) -> Iterator[BinaryIO]:
    """A file that has its name once it is whole; what was there before stays until then."""
    if path.exists() and not path.is_file():
        # A pipe or a device is written into, not exchanged.
        with path.open("wb") as file:
            yield file
        return
    there = path.resolve()
    aside = there.with_name(f"{there.name}.writing")
    try:
        with aside.open("wb") as file:
            yield file
        aside.replace(there)
    except BaseException as error:
        if isinstance(error, OSError) and error.filename is None:
            # A write that is refused does not say where.
            error.filename = str(path)
        aside.unlink(missing_ok=True)
        raise


@contextmanager
def _packed(plain: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    if path.suffix == ".zst":
        with pa.CompressedOutputStream(plain, "zstd") as packed:
            yield packed
        return
    if path.suffix != ".gz":
        yield plain
        return
    with gzip.GzipFile(filename="", mode="wb", fileobj=plain, compresslevel=9, mtime=0) as packed:
        yield packed  # type: ignore[misc]


def truth_beside(path: Path) -> Path:
    """The truth file of a log: ``night.truth`` for ``night.jsonl``, packed or not."""
    name = path.name.removesuffix(".gz").removesuffix(".zst").removesuffix(".jsonl")
    return path.with_name(f"{name}.truth")


def truth_object(truth: Truth) -> dict[str, Any]:
    """A truth as it is written: amounts as decimal strings, what is not fixed left out."""
    expected = [_expected_object(each) for each in truth.expected]
    return {"round_id": truth.round_id, "fault": truth.fault, "expected": expected}


def _expected_object(expected: Expected) -> dict[str, Any]:
    found: dict[str, Any] = {"code": expected.code}
    for name in ("box", "hand", "wager"):
        value = getattr(expected, name)
        if value is not None:
            found[name] = value
    if expected.delta is not None:
        found["delta"] = amount_text(expected.delta)
    return found


def read_truth(path: Path) -> list[Truth]:
    """Read a truth file back."""
    return [_truth(msgspec.json.decode(line)) for line in path.read_bytes().splitlines()]


def _truth(found: dict[str, Any]) -> Truth:
    expected = tuple(
        Expected(**{**each, "delta": _delta(each["delta"])} if "delta" in each else each)
        for each in found["expected"]
    )
    return Truth(round_id=found["round_id"], fault=found["fault"], expected=expected)


def _delta(text: str) -> int:
    sign = -1 if text.startswith("-") else 1
    return sign * Amount.parse(text.removeprefix("-"))


def bundled_night(rulebook_id: str) -> Path:
    """The night of about 1,000 rounds that comes with the project; its truth lies beside it."""
    return Path(str(files("data_samples").joinpath("nights", f"{rulebook_id}.jsonl.gz")))


def write_bundled(folder: Path, rulebook_id: str) -> Written:
    """Deal the bundled night of a rulebook anew."""
    path = folder / f"{rulebook_id}.jsonl.gz"
    return write_night(
        path, rulebook_id, NIGHTS_SEED, NIGHTS_ROUNDS, faults="all", rate=NIGHTS_RATE, labels=NIGHTS_LABELS
    )
