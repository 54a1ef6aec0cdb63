"""Holding the objects of a lake against its manifests."""

from __future__ import annotations

from dataclasses import replace

from audit.progress import Progress
from audit.remote.parallel import each_of
from audit.remote.snapshot import Entry, chain_problems
from audit.remote.store import Absent
from audit.remote.uploads import object_digest
from audit.remote.working_copy import WorkingCopy, differing_object, missing_object
from audit.results import count
from audit.verification import Verified


def with_objects(found: Verified, copy: WorkingCopy) -> Verified:
    """What verifying the working copy found, with what is wrong in the store before it."""
    told = problems(copy)
    return replace(found, problems=(*told, *found.problems))


def problems(copy: WorkingCopy, progress: Progress | None = None) -> list[str]:
    """What is wrong with the manifests that are kept, and with the objects of the newest, a line each.

    Every object is read, whether the copy has it or not.
    """
    found = [*chain_problems(copy.store)]
    entries = [copy.snapshot.files[path] for path in sorted(copy.snapshot.files)]
    title = f"Reading {count(len(entries), 'object')}, {copy.snapshot.total_bytes:,} bytes"
    with (progress or Progress()).work(title, len(entries)) as advance:
        told = each_of(lambda entry: _problem(copy, entry), entries, advance)
    return [*found, *(problem for entry in entries if (problem := told[entry]) is not None)]


def _problem(copy: WorkingCopy, entry: Entry) -> str | None:
    try:
        same = object_digest(copy.store, entry.object) == entry.sha256
    except Absent:
        return missing_object(entry)
    return None if same else differing_object(entry)
