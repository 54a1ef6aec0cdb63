"""A command on a lake on object storage: the copy it works on, and what of the lake it needs."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from audit.errors import UsageProblem
from audit.remote.address import CACHE_VARIABLE
from audit.remote.store import open_store
from audit.remote.working_copy import Wanted, WorkingCopy, everything

WRITING: Final = frozenset({"ingest", "run", "report", "disposition"})
"""Commands that publish."""


def cache_folder(named: Path | None = None) -> Path:
    """Where working copies are: as named, ``$PONTOON_AUDIT_CACHE``, or the user's cache folder."""
    if named is not None:
        return named
    if told := os.environ.get(CACHE_VARIABLE):
        return Path(told)
    caches = os.environ.get("XDG_CACHE_HOME")
    return (Path(caches) if caches else Path.home() / ".cache") / "pontoon-audit"


def copy_folder(cache: Path, url: str, endpoint: str | None) -> Path:
    """The folder of the copy of one lake, named so that people can tell which it is."""
    name = re.sub("[^a-z0-9]+", "-", url.partition("://")[2].lower()).strip("-")[-60:].strip("-")
    digest = hashlib.sha256(f"{endpoint or ''} {url}".encode()).hexdigest()
    return cache / f"{name}-{digest[:12]}"


@contextmanager
def working_on(
    url: str, command: str, cache: Path | None = None, endpoint: str | None = None
) -> Iterator[WorkingCopy]:
    """The working copy of a lake, held for a command.

    Raises `UsageProblem` where there is no lake and the command makes none, otherwise as
    `WorkingCopy.held`.
    """
    store = open_store(url, endpoint)
    try:
        copy = WorkingCopy(store, copy_folder(cache_folder(cache), url, endpoint).absolute())
        with copy.held(_wanted(command), writing=command in WRITING, damaged_too=command == "verify"):
            if not copy.snapshot.number and command != "ingest":
                raise UsageProblem(f"{url}: no lake here; `pontoon-audit ingest FILE --lake {url}` makes one")
            yield copy
    finally:
        store.close()


def _wanted(command: str) -> Wanted:
    return _ledgers if command == "dispositions" else everything


def _ledgers(path: str) -> bool:
    return path.startswith("ledger/")
