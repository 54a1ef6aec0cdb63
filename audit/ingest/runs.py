"""Keys with a number each, kept on disk in sorted runs.

What is added becomes a run of its own, and is merged with the runs before it as long as they
are not much longer. So there are few runs whatever was added, and a key is written again only
each time that the number of keys has about doubled. A look-up is a binary search in each run.
Memory is bounded by what is added or asked for at a time; the runs are mapped.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Keys: TypeAlias = npt.NDArray[np.uint64]
"""Keys of 128 bits, as two columns: their first and their last half."""

ROW = np.dtype([("first", np.uint64), ("last", np.uint64), ("number", np.int64)])
"""A key and its number, as they lie in a file; sorted by the first half."""

_MERGED_ROWS = 500_000
"""About so many rows are merged at a time."""


def keys_of(data: npt.NDArray[np.uint8]) -> Keys:
    """Keys given as 16 bytes each."""
    found: Keys = np.ascontiguousarray(data).view(">u8").astype(np.uint64)
    return found


@dataclass(frozen=True, slots=True)
class Run:
    """One file of rows."""

    path: Path
    rows: npt.NDArray[np.void]

    @classmethod
    def at(cls, path: Path) -> Run:
        """A run that was written before; raises ``OSError`` or ``ValueError``."""
        return cls(path, np.memmap(path, ROW, "r"))

    @classmethod
    def written(cls, path: Path, parts: Iterable[npt.NDArray[np.void]]) -> Run:
        """A run of some rows in order; raises ``OSError``."""
        with path.open("wb") as file:
            for part in parts:
                file.write(part.tobytes())
        return cls.at(path)


class Runs:
    """Runs in a folder, each in a file named by a number; none may be empty."""

    def __init__(self, folder: Path, names: Iterable[str] = ()) -> None:
        self._folder = folder
        self._runs = [Run.at(folder / name) for name in names]
        self._made = max((int(run.path.name) for run in self._runs), default=0)

    def __len__(self) -> int:
        return sum(len(run.rows) for run in self._runs)

    @property
    def names(self) -> list[str]:
        """The files of the runs."""
        return [run.path.name for run in self._runs]

    def add(self, keys: Keys, numbers: npt.NDArray[np.int64]) -> list[Path]:
        """Add keys; gives the files that are no longer needed. Raises ``OSError``."""
        if not len(keys):
            return []
        rows = np.empty(len(keys), ROW)
        order = np.argsort(keys[:, 0], kind="stable")
        rows["first"], rows["last"], rows["number"] = keys[order, 0], keys[order, 1], numbers[order]
        self._runs.append(Run.written(self._next(), [rows]))
        unneeded = []
        while len(self._runs) > 1 and 2 * len(self._runs[-1].rows) > len(self._runs[-2].rows):
            pair = [self._runs.pop(), self._runs.pop()]
            self._runs.append(Run.written(self._next(), _merged(pair[1].rows, pair[0].rows)))
            unneeded += [run.path for run in pair]
        return unneeded

    def _next(self) -> Path:
        self._made += 1
        return self._folder / str(self._made)

    def find(self, keys: Keys) -> list[tuple[int, int]]:
        """The place of each key that is there, with a number it has; once for each number."""
        found: list[tuple[int, int]] = []
        order = np.argsort(keys[:, 0])
        sought = keys[order]
        for run in self._runs:
            firsts, lasts = run.rows["first"], run.rows["last"]
            at = np.searchsorted(firsts, sought[:, 0])
            here = np.arange(len(sought))
            while len(here := here[at[here] < len(firsts)]):
                here = here[firsts[at[here]] == sought[here, 0]]
                same = here[lasts[at[here]] == sought[here, 1]]
                found += zip(order[same].tolist(), run.rows["number"][at[same]].tolist(), strict=True)
                at[here] += 1
        return found


def _merged(one: npt.NDArray[np.void], other: npt.NDArray[np.void]) -> Iterable[npt.NDArray[np.void]]:
    parts = (len(one) + len(other)) // _MERGED_ROWS + 1
    marks = np.array([number * (2**64 // parts) for number in range(1, parts)], np.uint64)
    cuts = [np.split(rows, np.searchsorted(rows["first"], marks)) for rows in (one, other)]
    for pair in zip(*cuts, strict=True):
        rows = np.concatenate(pair)
        yield rows[np.argsort(rows["first"], kind="stable")]
