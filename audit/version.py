"""Which code this is: the released version, and a digest of the files that run."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

DISTRIBUTION = "pontoon-audit"
LOCK_NAME = "requirements.lock"

_PACKAGES = ("audit", "expectations", "rules_replay")
_LEFT_OUT = frozenset({".pyc", ".pyo"})


def code_version() -> str:
    """The version of the installed distribution, or that it is not installed."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "not installed"


@cache
def code_digest() -> str:
    """SHA-256 over the names and contents of every file of the packages that audit."""
    home = Path(__file__).parents[1]
    hasher = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted((home / package).rglob("*")):
            # The lock is in an installed package only, and recorded by itself.
            if path.is_file() and path.suffix not in _LEFT_OUT and path.name != LOCK_NAME:
                name = path.relative_to(home).as_posix()
                hasher.update(f"{name}\n{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return hasher.hexdigest()
