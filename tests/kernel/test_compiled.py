"""A function is compiled once for all numbers that it may be called with."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from rules_replay.kernel.compiled import compiled, entry, inlined

pytestmark = pytest.mark.skipif(
    numba.config.DISABLE_JIT,  # type: ignore[attr-defined]
    reason="nothing is compiled here: NUMBA_DISABLE_JIT is set",
)


@compiled
def _added(number: Any, other: Any) -> Any:
    return number + other


@inlined
def _chosen(number: Any, otherwise: Any) -> Any:
    return number if number > 0 else otherwise


@entry
def _called(short: Any, wide: Any, unsigned: Any, flag: Any) -> Any:
    added = _added(short, wide) + _added(wide, 7) + _added(other=short, number=wide)
    chosen = _chosen(short, 5) + _chosen(wide, otherwise=short) + _chosen(-1, 5)
    return added, chosen, _added(unsigned, unsigned), _added(flag, flag)


def _taken(function: Any) -> list[tuple[str, ...]]:
    return [tuple(map(str, kinds)) for kinds in function.signatures]


def test_whole_numbers_of_any_width_and_written_out_are_one_kind() -> None:
    found = _called(np.int16(3), np.int64(1), np.uint64(2**63), np.bool_(True))
    assert found == (16, 9, 0, 2)
    assert _taken(_chosen) == [("int64", "int64")]
    assert _taken(_added) == [("int64", "int64"), ("uint64", "uint64"), ("bool", "bool")]
