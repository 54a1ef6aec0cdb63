"""Finding one round in a lake, its evidence checked before it is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow.dataset as ds

from audit.errors import LakeError, UsageProblem
from audit.lake import Lake
from audit.layout import Partition
from audit.partitions import Choice, Plan, Planned


def partition_with(lake: Lake, round_id: str, venue: str | None = None) -> Partition:
    """The partition of a round; `UsageProblem` where no round, or rounds of several venues, have the id."""
    places = {
        str(partition.venue): partition
        for partition in _partitions_with(lake, round_id)
        if venue is None or partition.venue == venue
    }
    return places[only(round_id, list(places), venue, str(lake.root))]


def _partitions_with(lake: Lake, round_id: str) -> Iterator[Partition]:
    for partition in lake.partitions():
        paths = [str(path) for path in lake.files("rounds", partition)]
        rows = ds.dataset(paths, format="parquet").filter(ds.field("round_id") == round_id)
        if rows.count_rows():
            yield partition


def only(round_id: str, venues: Sequence[str], venue: str | None, where: str) -> str:
    """The one venue that has a round of the id."""
    if not venues:
        at = "" if venue is None else f" of venue {venue}"
        raise UsageProblem(f"no round {round_id}{at} in {where}; check the id")
    if len(venues) > 1:
        raise UsageProblem(
            f"round {round_id} is one of several venues; name one with --venue: {', '.join(sorted(venues))}"
        )
    return venues[0]


def trusted(lake: Lake, partition: Partition, round_id: str) -> Planned:
    """A partition with those before it from which its shoes run on, for the sake of one round.

    Raises `LakeError` where the evidence no longer matches the ledger.
    """
    plan = Plan(
        lake,
        lake.published(),
        Choice(venues=(str(partition.venue),), since=partition.gaming_date, until=partition.gaming_date),
    )
    for failed in plan.failed:
        raise LakeError(f"the evidence of round {round_id} cannot be trusted: {failed.reason}")
    return plan.planned[0]
