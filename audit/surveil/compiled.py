"""Functions compiled for surveillance, and kept on disk apart from the kernel's.

They are kept in a folder named by a digest of all that they are made of: numba itself notices a
change to the file of a function only.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

from rules_replay.kernel.kept import cache_folder

F = TypeVar("F", bound=Callable[..., Any])

SOURCES = ("compiled.py", "walk.py")


def surveil_folder() -> Path:
    """Where they are kept."""
    of_kernel = cache_folder()
    found = hashlib.sha256(of_kernel.name.encode())
    for source in SOURCES:
        found.update(files("audit.surveil").joinpath(source).read_bytes())
    return of_kernel.with_name(f"surveil-{found.hexdigest()[:16]}")


def compiled(function: F) -> F:
    """The function compiled to machine code; it releases the interpreter's lock while it runs."""
    settings: Any = numba.config
    before = settings.CACHE_DIR
    if "NUMBA_CACHE_DIR" not in os.environ:
        settings.CACHE_DIR = str(surveil_folder())
    try:
        return cast(F, numba.njit(nogil=True, cache=True, error_model="numpy")(function))
    finally:
        settings.CACHE_DIR = before
