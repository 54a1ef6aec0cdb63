"""Removing old snapshots, and objects that no snapshot names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from audit.errors import UsageProblem
from audit.progress import Progress
from audit.remote.parallel import each_of
from audit.remote.snapshot import MANIFESTS, OBJECTS, manifest_key, numbers, snapshot
from audit.remote.store import Listed, Store
from audit.remote.uploads import GRACE
from audit.results import count


@dataclass(frozen=True, slots=True, kw_only=True)
class Unneeded:
    """What may go: snapshots by number, oldest first, and objects by key, with their size in bytes."""

    snapshots: tuple[int, ...]
    objects: Mapping[str, int]
    kept: int

    def as_json(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "snapshots": list(self.snapshots),
            "objects": len(self.objects),
            "bytes": sum(self.objects.values()),
            "snapshots_kept": self.kept,
        }


def unneeded(store: Store, older_than: timedelta, at: datetime) -> Unneeded:
    """The snapshots that stopped being the newest before ``older_than``, and objects of none that stays.

    The newest snapshot stays in any case, and an object made less than a day ago, which a writer
    may be about to publish. Raises `UsageProblem` for a time shorter than that.
    """
    if older_than < GRACE:
        raise UsageProblem("--older-than: at least 1 day, since a writer may need for a while what it made")
    # Objects first: one that is published while this is looked at is then named by a manifest seen later.
    objects = store.listing(OBJECTS)
    made = store.listing(MANIFESTS)
    there = numbers(made)
    old = _superseded(there, made, at - older_than)
    kept = [number for number in there if number not in old]
    named = {entry.object for number in kept for entry in snapshot(store, number).files.values()}
    return Unneeded(
        snapshots=tuple(old),
        objects={
            key: found.size
            for key, found in sorted(objects.items())
            if key not in named and at - found.since > GRACE
        },
        kept=len(kept),
    )


def _superseded(there: list[int], made: Mapping[str, Listed], before: datetime) -> list[int]:
    """The oldest snapshots, as long as the next one is old enough too."""
    old = []
    for number, following in pairwise(there):
        if made[manifest_key(following)].since >= before:
            break
        old.append(number)
    return old


def prune(store: Store, found: Unneeded, progress: Progress | None = None) -> None:
    """Remove what may go: the oldest manifest first, so that those that stay are a chain at any moment."""
    for number in found.snapshots:
        store.remove(manifest_key(number))
    title = f"Removing {count(len(found.objects), 'object')}"
    with (progress or Progress()).work(title, len(found.objects)) as advance:
        each_of(store.remove, found.objects, advance)
