"""``snapshots``: what is kept of a lake on object storage, and removing what is old."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from audit.commands.show import show_lines, show_table
from audit.errors import UsageProblem
from audit.remote.address import remote_url
from audit.remote.pruning import prune as remove
from audit.remote.pruning import unneeded
from audit.remote.snapshot import MANIFESTS, manifest_key, numbers
from audit.remote.store import Store, open_store
from audit.remote.uploads import instant
from audit.results import count


@contextmanager
def _store(remote: Path, endpoint: str | None) -> Iterator[Store]:
    url = remote_url(remote)
    if url is None:
        raise UsageProblem(f"{remote}: a folder has no snapshots; name a lake such as s3://BUCKET/PREFIX")
    store = open_store(url, endpoint)
    try:
        if not numbers(store.listing(MANIFESTS)):
            raise UsageProblem(f"{url}: no lake here; `pontoon-audit ingest FILE --lake {url}` makes one")
        yield store
    finally:
        store.close()


def listed(remote: Path, endpoint: str | None) -> dict[str, Any]:
    """The snapshots that are kept, oldest first, ready for JSON."""
    with _store(remote, endpoint) as store:
        made = store.listing(MANIFESTS)
    found = [(number, made[manifest_key(number)]) for number in numbers(made)]
    return {
        "lake": store.url,
        "snapshots": [
            {"number": number, "published": each.since.isoformat(timespec="seconds")}
            for number, each in found
        ],
    }


def prune(remote: Path, days: int, endpoint: str | None, *, dry_run: bool) -> dict[str, Any]:
    """Remove what stopped being of the newest snapshot so many days ago; what went, ready for JSON."""
    with _store(remote, endpoint) as store:
        found = unneeded(store, timedelta(days=days), instant())
        if not dry_run:
            remove(store, found)
        return {"lake": store.url, "dry_run": dry_run, **found.as_json()}


def show_listed(found: Mapping[str, Any]) -> None:
    """The snapshots as a table."""
    show_table(
        ("snapshot", "published"), ((each["number"], each["published"]) for each in found["snapshots"])
    )


def show_pruned(found: Mapping[str, Any]) -> None:
    """What was removed, in a line."""
    did = "To be removed" if found["dry_run"] else "Removed"
    gone = f"{count(len(found['snapshots']), 'snapshot')}, {count(found['objects'], 'object')}"
    kept = count(found["snapshots_kept"], "snapshot")
    show_lines((f"{did}: {gone}, {found['bytes']:,} bytes. Kept: {kept}.",))
