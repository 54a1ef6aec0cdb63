"""Compiled, a place in an array counts from the start, and the kernel looks up none that is not there."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import pytest

from rules_replay.kernel.compiled import entry
from rules_replay.rulebook import rulebook_ids
from tests.kernel.watched import FAULTY, RECKLESS, Loader


@entry
def _looked_up(values: npt.NDArray[np.int64], place: int) -> int:
    return int(values[place])


@entry
def _put_in(values: npt.NDArray[np.int64], row: int, place: int) -> None:
    values[row, place] = 7


def _counts_from_the_end() -> bool:
    """Uncompiled the functions are Python, which counts a negative place from the end."""
    return bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]


def test_a_negative_place_is_not_counted_from_the_end() -> None:
    values = np.arange(4)
    assert _looked_up(values[1:], 1) == 2
    assert _looked_up(values[1:], -1) == (3 if _counts_from_the_end() else 0)


def test_nor_is_one_of_several() -> None:
    values = np.zeros((3, 4), np.int64)
    _put_in(values, 2, -1)
    row = 2 if _counts_from_the_end() else 1
    assert np.argwhere(values == 7).tolist() == [[row, 3]]


class TestWatched:
    """Places are watched in what is to be compiled, and one that is not there is an error."""

    SOURCE = """
from rules_replay.kernel.compiled import entry

@entry
def read(values, place):
    return values[place]

@entry
def add(values, row, place):
    values[row, place] += 7

def unwatched(values, place):
    return values[place]
"""

    @pytest.fixture
    def watched(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
        monkeypatch.setattr("rules_replay.kernel.compiled.entry", lambda function: function)
        path = tmp_path / "watched_here.py"
        path.write_text(self.SOURCE, encoding="utf-8")
        spec = spec_from_file_location("watched_here", path, loader=Loader("watched_here", str(path)))
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def test_a_place_that_is_there(self, watched: ModuleType) -> None:
        values = np.arange(6).reshape(2, 3)
        watched.add(values, 1, 2)
        assert (watched.read(values, (1, 2)), watched.read((4, 5), 1)) == (12, 5)
        assert watched.read(values, slice(1, 9)).tolist() == [[3, 4, 12]]
        assert watched.unwatched(values[0], -1) == 2

    @pytest.mark.parametrize("place", [(0, -1), (-1, 0), (0, 3), (2, 0), -1, 2, np.int8(-1)], ids=str)
    def test_one_that_is_not(self, watched: ModuleType, place: Any) -> None:
        with pytest.raises(IndexError, match="of"):
            watched.read(np.zeros((2, 3)), place)
        if isinstance(place, tuple):
            with pytest.raises(IndexError, match="of"):
                watched.add(np.zeros((2, 3)), *place)


@pytest.mark.slow
def test_the_kernel_looks_up_no_place_that_is_not_there() -> None:
    """In rounds most of which are beyond all reason, and in some of them under every other reading."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.kernel.watched", *rulebook_ids()],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = [line.split() for line in done.stdout.splitlines()]
    assert [(name, int(rounds)) for name, rounds, *_ in told] == [
        (name, FAULTY + RECKLESS) for name in rulebook_ids()
    ]
    assert all(int(line[2]) > 1000 for line in told)
