"""The ledgers of a lake: one JSON record a line, each naming the SHA-256 of the one before it.

A record cannot be altered, taken out or moved without breaking a link, and the first
broken link of a ledger can be named. Nothing here knows what a record is about.

The SHA-256 of a record is over all of it but itself and the ``signature``, which is over
that SHA-256.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from audit.durable import sync
from audit.errors import LakeError

LedgerName: TypeAlias = Literal["ingests", "runs", "dispositions", "surveillance"]
LEDGERS: Final[tuple[LedgerName, ...]] = ("ingests", "runs", "dispositions", "surveillance")

GENESIS: Final = "0" * 64
"""What the first record of a ledger names as the one before it."""

Record: TypeAlias = dict[str, Any]

NOT_HASHED: Final = frozenset({"sha256", "signature"})


@dataclass(frozen=True, slots=True)
class Head:
    """The newest record of a ledger: its line, from 1, and its SHA-256."""

    n: int
    sha256: str


def anchor_text(ledger: LedgerName, head: Head) -> str:
    """The newest record of a ledger as it is noted down elsewhere."""
    return f"{ledger}:{head.n}:{head.sha256}"


BEGINNING: Final = Head(0, GENESIS)
"""Stands before the first record."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A ledger followed from its first record: those that are sound, and what is wrong with the next."""

    sound: int
    problem: str | None


@dataclass(frozen=True, slots=True)
class Ledger:
    """One ledger, in a file that need not be there yet."""

    path: Path

    def records(self) -> Iterator[Record]:
        """The records, oldest first; raises `LakeError` for one that is not JSON.

        The beginning of one, at which a writer is or was cut off, is none yet.
        """
        for number, line in self._lines():
            yield self._record(number, line)

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.endswith(b"\n") or _is_whole(line):
                    yield number, line

    def _record(self, number: int, line: bytes) -> Record:
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            raise LakeError(f"{self.path}: line {number} is not a record; run `pontoon-audit verify`")
        return record

    def last(self) -> Record | None:
        """The newest record, None where there is none."""
        last = deque(self._lines(), maxlen=1)
        return self._record(*last[0]) if last else None

    def head(self) -> Head | None:
        """Which record is the newest, None where there is none."""
        last = self.last()
        return None if last is None else Head(last["n"], last["sha256"])

    def sealed(self, record: Mapping[str, Any], at: datetime) -> Record:
        """A record as it would be appended now, with ``n``, ``at``, ``previous`` and ``sha256``."""
        head = self.head() or BEGINNING
        sealed = {
            "n": head.n + 1,
            "at": at.isoformat(timespec="seconds"),
            **record,
            "previous": head.sha256,
        }
        return {**sealed, "sha256": record_digest(sealed)}

    def append(self, record: Mapping[str, Any]) -> None:
        """Add a sealed record and make it durable; on an error nothing of it stays."""
        with self.path.open("ab", buffering=0) as file:
            before = file.tell()
            try:
                line = memoryview(as_line(record) + b"\n")
                while line:
                    line = line[file.write(line) :]
                os.fsync(file.fileno())
                sync(self.path.parent)
            except BaseException:
                os.truncate(self.path, before)
                raise

    def mend_last_line(self) -> bool:
        """Drop the beginning of a record whose writing was cut off; end one that lacks only its end.

        Whether something was dropped.
        """
        if not self.path.exists():
            return False
        with self.path.open("r+b") as file:
            content = file.read()
            last = content[content.rfind(b"\n") + 1 :]
            if _is_whole(last):
                file.write(b"\n")
            elif last:
                file.truncate(len(content) - len(last))
                return True
        return False

    def follow(self) -> Chain:
        """Compute every link again, up to the first that is broken."""
        previous = GENESIS
        number = 0
        lines = self.path.read_bytes().splitlines() if self.path.exists() else []
        for number, line in enumerate(lines, 1):
            where = f"ledger/{self.path.name}: line {number}"
            try:
                record = json.loads(line)
                claimed = record["sha256"]
                sound = record_digest(record) == claimed and as_line(record) == line
                linked, order = record["previous"], record["n"]
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                return Chain(number - 1, f"{where}: not a ledger record; the ledger was altered or cut")
            if not sound:
                return Chain(number - 1, f"{where}: the record does not match its SHA-256; it was altered")
            if linked != previous or order != number:
                return Chain(
                    number - 1,
                    f"{where}: does not follow the record before it; a record was altered or lost",
                )
            previous = claimed
        return Chain(number, None)


def _is_whole(line: bytes) -> bool:
    """Whether a line without its end is a whole record."""
    try:
        record = json.loads(line)
        return bool(record_digest(record) == record["sha256"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False


def as_line(record: Mapping[str, Any]) -> bytes:
    """A record as it stands in a ledger, without the line feed."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


def record_digest(record: Mapping[str, Any]) -> str:
    """SHA-256 of a ledger record, keys sorted, no white space."""
    hashed = {name: value for name, value in record.items() if name not in NOT_HASHED}
    text = json.dumps(hashed, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
