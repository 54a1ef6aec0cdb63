"""``mapping test``: what a mapping makes of a sample, and what it cannot make of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from audit.ingest.lines import Read, Refused
from audit.ingest.readers import open_source
from audit.ingest.sources import Source
from audit.ingest.wire import encode_line
from audit.law import Law
from audit.mapping.model import LogMapping
from audit.mapping.support import WORDS, not_taken_for_passed, unsupported
from audit.mapping.unmapped import unmapped_fields
from audit.results import by_severity
from rules_replay.errors import ReplayFailed
from rules_replay.replay import Tally, replay_one

SHOWN_REFUSED = 20


@dataclass(slots=True, kw_only=True)
class Tried:
    """A mapping tried on samples. ``rounds`` are the first ones; ``not_evaluable`` says why by check."""

    mapping: LogMapping
    rounds: list[Read] = field(default_factory=list)
    mapped: int = 0
    refused: int = 0
    first_refused: list[str] = field(default_factory=list)
    left_out: int = 0
    fields: dict[str, list[str]] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)

    @property
    def unmapped(self) -> list[str]:
        """The fields of the samples that the mapping does not read."""
        return unmapped_fields(self.mapping.document, self.fields)

    @property
    def not_evaluable(self) -> dict[str, str]:
        """The checks that the mapping cannot support, with what is missing for each."""
        return unsupported(self.mapping.unrecorded, self.mapping.document.records)

    def as_json(self) -> dict[str, Any]:
        """What was tried, ready for JSON; the rounds as the round log has them."""
        import json

        return {
            "mapping": self.mapping.as_json(),
            "mapped": self.mapped,
            "refused": self.refused,
            "first_refused": self.first_refused,
            "left_out": self.left_out,
            "rounds": [json.loads(encode_line(each.round)) for each in self.rounds],
            "unmapped_fields": self.unmapped,
            "fields": self.fields,
            "unrecorded": {name: WORDS[name] for name in self.mapping.unrecorded},
            "not_evaluable": self.not_evaluable,
            "findings": by_severity(self.tally.findings),
        }


def try_mapping(mapping: LogMapping, sources: list[Source], law: Law, shown: int) -> Tried:
    """Read samples by a mapping and replay what comes of them; ``shown`` rounds are kept.

    Raises `SourceFailed` for a sample that cannot be read at all.
    """
    tried = Tried(mapping=mapping)
    auditor = law.auditor()
    for source in sources:
        with open_source(source) as opened:
            for each in opened:
                if isinstance(each, Refused):
                    tried.refused += 1
                    if len(tried.first_refused) < SHOWN_REFUSED:
                        tried.first_refused.append(each.message)
                    continue
                tried.mapped += 1
                if len(tried.rounds) < shown:
                    tried.rounds.append(each)
                try:
                    replay = not_taken_for_passed(replay_one(auditor, each.round), each.extra)
                except ReplayFailed as failure:
                    tried.refused += 1
                    tried.first_refused.append(f"{each.file}:{each.line}: {failure}")
                    continue
                tried.tally.add_round(each.round, replay)
            if opened.mapped is not None:
                tried.left_out += opened.mapped.left_out
                for name, types in opened.mapped.inventory.as_json().items():
                    tried.fields[name] = sorted({*tried.fields.get(name, []), *types})
    return tried
