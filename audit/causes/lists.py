"""Lists of numbers and of texts in one file, of which only those asked for are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa


def write_lists(
    path: Path, numbers: Mapping[str, npt.NDArray[Any]], others: Mapping[str, Sequence[Any]]
) -> None:
    """Write lists of numbers, and under other names others of what JSON knows."""
    texts = {name: np.frombuffer(msgspec.json.encode(list(each)), np.uint8) for name, each in others.items()}
    rows = pa.RecordBatch.from_pydict({name: _as_row(each) for name, each in {**numbers, **texts}.items()})
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, rows.schema) as written:
        written.write_batch(rows)


def _as_row(numbers: npt.NDArray[Any]) -> pa.Array:
    """A list of numbers as the only row of a column."""
    ends = pa.array([0, len(numbers)], pa.int64())
    return pa.LargeListArray.from_arrays(ends, pa.array(np.ascontiguousarray(numbers)))


class Lists:
    """What `write_lists` wrote, mapped into memory; a list is read when it is asked for."""

    def __init__(self, path: Path) -> None:
        with pa.memory_map(str(path)) as file, pa.ipc.open_file(file) as kept:
            self._kept = kept.get_batch(0)
        self._found: dict[str, npt.NDArray[Any]] = {}

    def numbers(self, name: str) -> npt.NDArray[Any]:
        """A list of numbers where it lies in the file."""
        if name not in self._found:
            self._found[name] = self._kept.column(name).values.to_numpy()
        return self._found[name]

    def values(self, name: str) -> list[Any]:
        """Another list."""
        found: list[Any] = msgspec.json.decode(self.numbers(name).data)
        return found
