"""Compiled, a place in an array counts from the start, and the kernel looks up none that is not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import numpy.typing as npt
import pytest

from rules_replay.kernel.compiled import entry
from rules_replay.rulebook import rulebook_ids

WATCHED = """
import sys
from tests.kernel.parity import differences, register_for
from tests.kernel.rounds import faulty_rounds, reckless_rounds

for rulebook in sys.argv[1:]:
    for rounds in (list(faulty_rounds(rulebook, 2, 100)), list(reckless_rounds(rulebook, 7, 400))):
        register = register_for(rulebook, rounds[0].venue)
        print(differences(rounds, rounds[0].venue, register=register))
"""


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


@pytest.mark.slow
def test_the_kernel_looks_up_no_place_that_is_not_there(tmp_path: Path) -> None:
    """Compiled so that a place beyond an array, or a negative one, is an error."""
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *rulebook_ids()],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.split("\n"), done.returncode) == (["[]"] * 10 + [""], 0), done.stderr
