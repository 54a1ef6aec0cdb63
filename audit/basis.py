"""What the results of a partition rest on, as one digest, and which partitions still stand on theirs.

A run record has the basis of every partition that it replayed. One whose evidence, law and code are
as they were, and whose results lie untouched in the lake, would come out in the same bytes again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from audit.lake import Lake
from audit.law import Law
from audit.layout import DERIVED, HISTORY, Partition
from audit.ledger import record_digest
from audit.partitions import REPLAYED_FROM, Planned
from audit.version import code_digest
from rules_replay.rulebook import load_rulebook


def basis_of(planned: Planned, known: Mapping[str, str], law: Law) -> str:
    """SHA-256 over the evidence that a replay reads, the code, and the law for its venue.

    ``known`` has the SHA-256 of every published file. The days before from which shoes run on
    belong to the evidence. Raises `RulebookError` for a rulebook that is not held.
    """
    folders = {
        f"{table}/{each.folder}" for each in (planned.partition, *planned.before) for table in REPLAYED_FROM
    }
    venue = law.register.venues.get(planned.partition.venue or "")
    books = sorted({window.rulebook for window in venue.windows}) if venue is not None else []
    return record_digest(
        {
            "evidence": {
                path: digest for path, digest in known.items() if path.rpartition("/")[0] in folders
            },
            "code": code_digest(),
            "register": law.register_sha256,
            "rulebooks": {name: load_rulebook(name).digest for name in books},
            "readings": dict(law.readings),
        }
    )


def bases_of(records: Iterable[Mapping[str, Any]]) -> dict[tuple[str | None, str | None], str]:
    """By venue and gaming date the basis of the newest replay; none where the record says none."""
    return {
        (each["venue"], each["gaming_date"]): each["basis"]
        for record in records
        for each in record["partitions"]
        if each["outcome"] == "replayed" and "basis" in each
    }


def unchanged(
    lake: Lake, plan: Sequence[Planned], known: Mapping[str, str], law: Law
) -> frozenset[Partition]:
    """The partitions whose published results would come out the same again."""
    before = bases_of(lake.records("runs"))
    found = set()
    for each in plan:
        day = each.partition.gaming_date
        last = before.get((each.partition.venue, None if day is None else day.isoformat()))
        if last == basis_of(each, known, law) and not lake.damaged(
            each.partition, (*DERIVED, *HISTORY), known
        ):
            found.add(each.partition)
    return frozenset(found)


def newly_quarantined(
    lake: Lake, partitions: Iterable[Partition], known: Mapping[str, str]
) -> list[Partition]:
    """Those of some partitions that hold quarantined lines which no run has told of."""
    told = {each["path"] for record in lake.records("runs") for each in record["inputs"]}
    waiting = {path.rpartition("/")[0] for path in known.keys() - told}
    return [each for each in partitions if f"quarantine/{each.folder}" in waiting]
