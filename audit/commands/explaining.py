"""``explain``: finding one round in a file or a lake, and what is known of its shoe before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.errors import SourceFailed, UsageProblem
from audit.ingest.readers import Read, find_sources, open_source
from audit.lake import Lake
from audit.law import Law
from audit.mapping.coverage import extras_in
from audit.mapping.model import LogMapping
from audit.mapping.support import not_taken_for_passed
from audit.partitions import auditor_so_far
from audit.whereabouts import only, partition_with, trusted
from rules_replay.explain import Explanation, explain_round
from rules_replay.log import Round
from rules_replay.results import RoundReplay


def explain_from_files(
    round_id: str,
    arguments: Sequence[str],
    law: Law,
    level: int,
    venue: str | None = None,
    mapping: LogMapping | None = None,
) -> Explanation:
    """Explain a round of some inputs, its shoe followed up to it.

    With a ``mapping`` the inputs are a vendor's files. Raises `UsageProblem` where no round, or rounds of
    several venues, have the id.
    """
    auditor = law.auditor()
    found: dict[str, tuple[Round, RoundReplay]] = {}
    for read in _rounds(arguments, mapping):
        round_ = read.round
        if round_.round_id != round_id or (venue is not None and round_.venue != venue):
            auditor.follow(round_)
        elif round_.venue not in found:
            found[round_.venue] = (round_, not_taken_for_passed(auditor.audit(round_), read.extra))
    round_, replay = found[only(round_id, list(found), venue, " ".join(arguments))]
    return explain_round(round_, auditor.rulebook_for(round_), replay, level)


def _rounds(arguments: Sequence[str], mapping: LogMapping | None) -> Iterator[Read]:
    sources, missing = find_sources(arguments, mapping)
    if missing:
        raise UsageProblem("; ".join(str(each) for each in missing))
    for source in sources:
        try:
            with open_source(source) as opened:
                yield from (line for line in opened if isinstance(line, Read))
        except SourceFailed as failure:
            raise UsageProblem(str(failure)) from None


def explain_from_lake(
    round_id: str, lake: Lake, law: Law, level: int, venue: str | None = None
) -> Explanation:
    """Explain a round of a lake, its shoe followed up to it.

    Raises `UsageProblem` where no round, or rounds of several venues, have the id, and
    `LakeError` where the evidence no longer matches the ledger.
    """
    lake.require()
    partition = partition_with(lake, round_id, venue)
    auditor = auditor_so_far(lake, trusted(lake, partition, round_id), law)
    for round_ in lake.read_rounds(partition):
        if round_.round_id == round_id:
            replay = not_taken_for_passed(auditor.audit(round_), extras_in(lake, partition).get(round_id))
            return explain_round(round_, auditor.rulebook_for(round_), replay, level)
        auditor.follow(round_)
    raise UsageProblem(f"round {round_id} went away while it was read; try again")
