"""What is in a lake, counted by venue, table and ledger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from audit.layout import TABLES, Partition, partition_named
from audit.ledger import Ledger, LedgerName


def status_of(rows_of: Mapping[str, int], ledgers: Mapping[LedgerName, Ledger]) -> dict[str, Any]:
    """What is in a lake, ready for JSON: per venue, per table and per ledger.

    A gaming date is not replayed where its newest replay read other rounds than there are now.
    ``rows_of`` has the rows of every file of a table, by place.
    """
    venues: dict[str, dict[str, Any]] = {}
    rows: dict[str, int] = dict.fromkeys(TABLES, 0)
    rounds: Counter[Partition] = Counter()
    evidence: dict[Partition, set[str]] = {}
    replayed = set()
    for place, number in rows_of.items():
        table, venue, day = place.split("/")[:3]
        partition = partition_named(venue, day)
        rows[table] += number
        if table == "rounds" and partition is not None:
            rounds[partition] += number
            evidence.setdefault(partition, set()).add(place)
        if table == "coverage":
            replayed.add(partition)
    replayed_from = _replayed_from(ledgers["runs"])
    for partition in sorted(rounds, key=lambda each: each.order):
        if partition.gaming_date is not None:
            as_it_is = evidence[partition] == replayed_from.get(partition.folder)
            _count_venue(venues, partition, rounds[partition], partition in replayed and as_it_is)
    return {
        "venues": {name: venues[name] for name in sorted(venues)},
        "rows": rows,
        "ledgers": {name: sum(1 for _ in ledger.records()) for name, ledger in ledgers.items()},
    }


def _replayed_from(runs: Ledger) -> dict[str, set[str]]:
    """By folder of a partition the files of ``rounds`` that its newest replay read."""
    found: dict[str, set[str]] = {}
    for record in runs.records():
        read: dict[str, set[str]] = {}
        for each in record["inputs"]:
            table, _, below = each["path"].partition("/")
            if table == "rounds":
                read.setdefault(below.rpartition("/")[0], set()).add(each["path"])
        for each in record["published"]:
            table, _, below = each["path"].partition("/")
            if table == "coverage":
                folder = below.rpartition("/")[0]
                found[folder] = read.get(folder, set())
    return found


def _count_venue(
    venues: dict[str, dict[str, Any]], partition: Partition, rounds: int, replayed: bool
) -> None:
    day = str(partition.gaming_date)
    known = venues.setdefault(
        str(partition.venue),
        {"rounds": 0, "gaming_dates": 0, "first": day, "last": day, "not_replayed": 0},
    )
    known["rounds"] += rounds
    known["gaming_dates"] += 1
    known["first"] = min(known["first"], day)
    known["last"] = max(known["last"], day)
    known["not_replayed"] += not replayed
