"""The rows of a report in files, for a process that has not opened the lake."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from audit.report.model import ExceptionRow, QuarantinedLine, ResolvedRow

T = TypeVar("T")

EXCEPTIONS = "exceptions"
QUARANTINED = "quarantined"
RESOLVED = "resolved"


@dataclass(frozen=True, slots=True)
class KeptRows:
    """What `ScopedLake.keep` wrote into a folder: an Arrow stream for each kind of row."""

    folder: Path

    def exceptions(self, limit: int | None = None) -> Iterator[ExceptionRow]:
        """Findings in the order of the report, the first ``limit``."""
        return islice(self._rows(EXCEPTIONS, ExceptionRow._make), limit)

    def quarantined(self, limit: int | None = None) -> Iterator[QuarantinedLine]:
        """Quarantined lines by file and line, the first ``limit``."""
        return islice(self._rows(QUARANTINED, QuarantinedLine._make), limit)

    def resolved(self) -> Iterator[ResolvedRow]:
        """Findings that runs made and the latest did not, in the order of their rounds."""
        return self._rows(RESOLVED, ResolvedRow._make)

    def _rows(self, name: str, make: Callable[[Iterable[Any]], T]) -> Iterator[T]:
        with pa.OSFile(str(self.folder / name)) as file, pa.ipc.open_stream(file) as stream:
            for batch in stream:
                columns = [column.to_pylist() for column in batch.columns]
                yield from map(make, zip(*columns, strict=True))


def keep(path: Path, batches: pa.RecordBatchReader) -> None:
    """Write rows to a file, a batch at a time."""
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, batches.schema) as stream:
        for batch in batches:
            stream.write_batch(batch)
