"""What made a record: this code, the Python that ran it, and the libraries it ran with."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from audit.version import DISTRIBUTION, LOCK_NAME, code_digest, code_version


def provenance() -> dict[str, Any]:
    """Code and environment as every record of a run or an ingest has them."""
    return {
        "code_version": code_version(),
        "code_sha256": code_digest(),
        "environment": {
            "python": platform.python_version(),
            "packages_sha256": packages_digest(),
            "lock_sha256": lock_digest(),
        },
    }


@cache
def packages_digest() -> str | None:
    """SHA-256 over the libraries that are installed for this program, directly or not.

    Of lines ``name==version``, sorted; None where the program runs without being installed.
    """
    found = installed_packages()
    text = "".join(f"{name}=={version}\n" for name, version in sorted(found.items()))
    return hashlib.sha256(text.encode()).hexdigest() if found else None


def installed_packages() -> dict[str, str]:
    """Name and version of every installed library that this program needs, directly or not."""
    found: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [(DISTRIBUTION, "")]
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        try:
            held = distribution(name)
        except PackageNotFoundError:
            continue
        if name != DISTRIBUTION:
            found[name] = held.version
        waiting += _needed(held, extra)
    return found


def _needed(held: Distribution, extra: str) -> Iterator[tuple[str, str]]:
    """What a library needs under one of its extras (none: ``""``), each with the extra asked for."""
    for each in map(Requirement, held.requires or ()):
        if each.marker is None or each.marker.evaluate({"extra": extra}):
            name = canonicalize_name(each.name)
            yield name, ""
            yield from ((name, wanted) for wanted in each.extras)


@cache
def lock_digest() -> str | None:
    """SHA-256 of the lock of dependencies that this version was tested with.

    It is in the installed package, and in a checkout beside it; None where it is in neither.
    """
    home = Path(__file__).parent
    for path in (home / LOCK_NAME, home.parent / LOCK_NAME):
        if path.is_file():
            return hashlib.sha256(path.read_bytes()).hexdigest()
    return None
