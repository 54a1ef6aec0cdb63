"""A command on a lake on object storage: the copy it works on, and what of the lake it needs."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from audit.errors import UsageProblem
from audit.lake import Lake
from audit.layout import Partition
from audit.partitions import Choice, Plan, nothing_chosen
from audit.remote.address import CACHE_VARIABLE
from audit.remote.store import Store, open_store
from audit.remote.wanted import choice_of, partition_at, partitions, wanted_by
from audit.remote.working_copy import WorkingCopy

READING: Final = frozenset(
    ("book", "counterfactual", "dispositions", "explain", "export", "query", "status", "tournament", "verify")
)
"""Commands that publish nothing, so that several may use a working copy at once."""


def cache_folder(named: Path | None = None) -> Path:
    """Where working copies are: as named, ``$PONTOON_AUDIT_CACHE``, or the user's cache folder."""
    if named is not None:
        return named
    if told := os.environ.get(CACHE_VARIABLE):
        return Path(told)
    caches = os.environ.get("XDG_CACHE_HOME")
    return (Path(caches) if caches else Path.home() / ".cache") / "pontoon-audit"


def copy_folder(cache: Path, store: Store) -> Path:
    """The folder of the copy of one lake, named so that people can tell which it is."""
    name = re.sub("[^a-z0-9]+", "-", store.url.partition("://")[2].lower())[-60:].strip("-")
    digest = hashlib.sha256(f"{store.endpoint} {store.url}".encode()).hexdigest()
    return cache / f"{name}-{digest[:12]}"


@contextmanager
def working_on(
    url: str,
    command: str,
    options: Mapping[str, Any],
    cache: Path | None = None,
    endpoint: str | None = None,
) -> Iterator[WorkingCopy]:
    """The working copy of a lake, held for a command with what of the lake its options ask for.

    Raises `UsageProblem` where there is no lake and the command makes none, otherwise as
    `WorkingCopy.held`.
    """
    store = open_store(url, endpoint)
    try:
        copy = WorkingCopy(store, copy_folder(cache_folder(cache), store).absolute())
        wanted = wanted_by(command, options)
        with copy.held(wanted, writing=command not in READING, damaged_too=command == "verify"):
            if not copy.snapshot.number and command != "ingest":
                raise UsageProblem(f"{url}: no lake here; `pontoon-audit ingest FILE --lake {url}` makes one")
            if command == "run":
                _bring_days_before(copy, choice_of(options))
            yield copy
    finally:
        store.close()


def _bring_days_before(copy: WorkingCopy, choice: Choice) -> None:
    """Bring the days before the first one chosen from which its shoes run on, as far back as they do."""
    rounds = _stored(copy, ("rounds",))
    if not any(map(choice.has, _stored(copy, ("rounds", "coverage", "quarantine")))):
        raise nothing_chosen(copy.store.url, rounds, choice)
    if choice.since is None:
        return
    lake = Lake(copy.root)
    first = [each for each in rounds if choice.has(each) and each.gaming_date == choice.since]
    for partition in first:
        # A shoe that reaches further back than this day does so through it.
        day = Choice(venues=(str(partition.venue),), since=choice.since, until=choice.since)
        days = 1
        while True:
            since = choice.since - timedelta(days=days)
            copy.bring(partitions(replace(day, since=since)))
            before = [
                each for planned in Plan(lake, lake.published(), day).planned for each in planned.before
            ]
            if not before or before[0].gaming_date != since:
                break
            days *= 2


def _stored(copy: WorkingCopy, tables: Iterable[str]) -> list[Partition]:
    found = {partition_at(place, tables) for place in copy.snapshot.files}
    return sorted(filter(None, found), key=lambda each: each.order)
