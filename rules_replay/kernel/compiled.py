"""The one door to numba: functions compiled to machine code and kept on disk for the next run."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from rules_replay.kernel.kept import cache_folder

F = TypeVar("F", bound=Callable[..., Any])

# numba's own types leave some of its options out.
_njit: Any = numba.njit

if "NUMBA_CACHE_DIR" not in os.environ:
    numba.config.CACHE_DIR = str(cache_folder())  # type: ignore[attr-defined]


def compiled(function: F) -> F:
    """The function compiled, to be called by other compiled functions only.

    It cannot be called from Python, which halves the time that it takes to compile.
    """
    return cast(F, _njit(cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))


def entry(function: F) -> F:
    """The function compiled, to be called from Python; it releases the interpreter's lock while it runs."""
    return cast(F, numba.njit(nogil=True, cache=True)(function))
