"""Functions compiled for ingest, and kept on disk apart from the kernel's.

They are kept in a folder named by a digest of all that they are made of: numba itself notices a
change to the file of a function only, not to the numbers that it took from elsewhere.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import numba

from rules_replay.kernel import compiled as kernel
from rules_replay.kernel.kept import cache_folder

F = TypeVar("F", bound=Callable[..., Any])

SOURCES = (
    "columns.py", "compiled.py", "scan_events.py", "scan_format.py", "scan_lines.py", "scan_references.py",
    "scan_values.py",
)  # fmt: skip
"""What compiled functions and their numbers are made of, beside the vocabulary of the kernel."""


def ingest_folder() -> Path:
    """Where they are kept."""
    of_kernel = cache_folder()
    found = hashlib.sha256(of_kernel.name.encode())
    for source in SOURCES:
        found.update(files("audit.ingest").joinpath(source).read_bytes())
    return of_kernel.with_name(f"ingest-{found.hexdigest()[:16]}")


@contextmanager
def _kept_apart() -> Iterator[None]:
    if "NUMBA_CACHE_DIR" in os.environ:
        yield
        return
    settings: Any = numba.config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(ingest_folder())
    try:
        yield
    finally:
        settings.CACHE_DIR = before


def compiled(function: F) -> F:
    """The function compiled, to be called by other compiled functions only."""
    with _kept_apart():
        return kernel.compiled(function)


def inlined(function: F) -> F:
    """The function compiled into the one place that calls it.

    A call hands over every array with its shape, which takes longer than what is done with most events.
    """
    with _kept_apart():
        return kernel.inlined(function)


def entry(function: F) -> F:
    """The function compiled, to be called from Python."""
    with _kept_apart():
        return kernel.entry(function)
