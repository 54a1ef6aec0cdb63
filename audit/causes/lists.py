"""Lists of numbers and of texts in one file, of which only those asked for are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

_OTHERS: Final = "others"
"""The name by which the lists that are no numbers lie among those that are, as JSON."""


def write_lists(
    path: Path, numbers: Mapping[str, npt.NDArray[Any]], others: Mapping[str, Sequence[Any]]
) -> None:
    """Write lists of numbers, and others of what JSON knows."""
    texts = np.frombuffer(msgspec.json.encode({name: list(each) for name, each in others.items()}), np.uint8)
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **numbers, **{_OTHERS: texts})


class Lists:
    """What `write_lists` wrote, open until it is let go; nothing of it is held but the others."""

    def __init__(self, path: Path) -> None:
        self._kept = np.load(path)
        self._others: dict[str, list[Any]] = msgspec.json.decode(self._kept[_OTHERS])

    def numbers(self, name: str) -> npt.NDArray[Any]:
        """A list of numbers, read from the file."""
        found: npt.NDArray[Any] = self._kept[name]
        return found

    def values(self, name: str) -> list[Any]:
        """Another list."""
        return self._others[name]
