"""Eight bytes at a time into a buffer of bytes."""

from __future__ import annotations

from typing import Final

from rules_replay.kernel.compiled import compiled
from rules_replay.kernel.records import Letters

WORD: Final = 8
"""Bytes of a word."""


@compiled
def write_word(word: int, text: Letters, place: int) -> None:
    """Write eight bytes, the lowest first."""
    for each in range(WORD):
        text[place + each] = (word >> 8 * each) & 255
