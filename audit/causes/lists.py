"""Lists of numbers and of texts in one file, of which only those asked for are read.

The file begins with the length of its head, eight bytes; the head is JSON and says of each list of
numbers where it lies and of what kind they are; the other lists stand in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

_LENGTH: Final = 8
"""Bytes of the length of the head; lists begin at multiples of it."""


class _Head(msgspec.Struct):
    numbers: dict[str, tuple[str, int, int]]
    """By name the kind of number as numpy writes it, the first byte counted from the end of the head, and
    how many there are."""
    others: dict[str, list[Any]]


def write_lists(
    path: Path, numbers: Mapping[str, npt.NDArray[Any]], others: Mapping[str, Sequence[Any]]
) -> None:
    """Write lists of numbers, and others of what JSON knows."""
    places: dict[str, tuple[str, int, int]] = {}
    at = 0
    for name, each in numbers.items():
        places[name] = each.dtype.str, at, len(each)
        at += _whole(each.nbytes)
    head = msgspec.json.encode(_Head(places, {name: list(each) for name, each in others.items()}))
    head = head.ljust(_whole(len(head)))
    with path.open("wb") as file:
        file.write(len(head).to_bytes(_LENGTH, "little"))
        file.write(head)
        for each in numbers.values():
            file.write(np.ascontiguousarray(each).data)
            file.write(bytes(_whole(each.nbytes) - each.nbytes))


class Lists:
    """What `write_lists` wrote; nothing of it is held but the head."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            length = int.from_bytes(file.read(_LENGTH), "little")
            self._head = msgspec.json.decode(file.read(length), type=_Head)
        self._begin = _LENGTH + length

    def numbers(self, name: str) -> npt.NDArray[Any]:
        """A list of numbers, read from the file."""
        kind, at, count = self._head.numbers[name]
        return np.fromfile(self._path, np.dtype(kind), count, offset=self._begin + at)

    def values(self, name: str) -> list[Any]:
        """Another list."""
        return self._head.others[name]


def _whole(size: int) -> int:
    return -(-size // _LENGTH) * _LENGTH
