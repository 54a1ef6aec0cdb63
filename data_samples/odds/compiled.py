"""The one door to numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """The function compiled to machine code, kept on disk for the next run."""
    return cast(F, njit(cache=True, error_model="numpy")(function))


def inlined(function: F) -> F:
    """The same for a function that is made part of every compiled caller; passing arrays costs time."""
    return cast(F, njit(cache=True, error_model="numpy", inline="always")(function))
