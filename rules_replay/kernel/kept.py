"""Where the compiled kernel is kept, told without loading numba.

numba notices a change to the file of a function, but not to what it calls in other files or to
the numbers it took from them. So the folder of its cache is named by a digest of all the sources
that compiled functions are made of: a changed kernel finds an empty folder and compiles anew.
"""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

_VOCABULARY = ("cards.py", "log.py", "checks.csv", "rulebook.py")


@cache
def _digest() -> str:
    package = files("rules_replay")
    kernel = package.joinpath("kernel")
    sources = sorted(each.name for each in kernel.iterdir() if each.name.endswith(".py"))
    found = hashlib.sha256(f"{version('numba')} {sys.version}".encode())
    for source in (*map(package.joinpath, _VOCABULARY), *map(kernel.joinpath, sources)):
        found.update(source.read_bytes())
    return found.hexdigest()[:16]


def cache_folder() -> Path:
    """Where compiled functions are kept: under ``XDG_CACHE_HOME``, or ``~/.cache``."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "pontoon-audit" / f"kernel-{_digest()}"


def is_compiled() -> bool:
    """Whether the kernel of this version has been compiled here before."""
    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or cache_folder())
    return any(folder.glob("**/batch.judge_rounds-*.nbi"))
