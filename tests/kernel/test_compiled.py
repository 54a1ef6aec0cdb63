"""A function is compiled once for all numbers that it may be called with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from rules_replay.kernel.compiled import compiled, entry, inlined

pytestmark = pytest.mark.skipif(
    numba.config.DISABLE_JIT,  # type: ignore[attr-defined]
    reason="nothing is compiled here: NUMBA_DISABLE_JIT is set",
)


def _taken(function: Any) -> list[tuple[str, ...]]:
    return [tuple(map(str, kinds)) for kinds in function.signatures]


def test_whole_numbers_of_any_width_and_written_out_are_one_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What an earlier run kept is loaded whole, and then nothing is compiled that could be looked at.
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    @compiled
    def added(number: Any, other: Any) -> Any:
        return number + other

    @inlined
    def chosen(number: Any, otherwise: Any) -> Any:
        return number if number > 0 else otherwise

    @entry
    def called(short: Any, wide: Any, unsigned: Any, flag: Any) -> Any:
        sums = added(short, wide) + added(wide, 7) + added(other=short, number=wide)
        choices = chosen(short, 5) + chosen(wide, otherwise=short) + chosen(-1, 5)
        return sums, choices, added(unsigned, unsigned), added(flag, flag)

    found = called(np.int16(3), np.int64(1), np.uint64(2**63), np.bool_(True))
    assert found == (16, 9, 0, 2)
    assert _taken(chosen) == [("int64", "int64")]
    assert _taken(added) == [("int64", "int64"), ("uint64", "uint64"), ("bool", "bool")]
