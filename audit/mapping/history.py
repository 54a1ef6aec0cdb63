"""What a lake's ledger says of a mapping: the version that had its number, the fields last seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from audit.errors import UsageProblem
from audit.mapping.drift import Drift, drift
from audit.mapping.model import LogMapping


@dataclass(slots=True)
class LastSeen:
    """The fields of the last file under a mapping's id, whatever its version, None before the first."""

    name: str | None = None
    fields: Mapping[str, list[str]] | None = None

    def next(self, name: str, fields: Mapping[str, list[str]]) -> Drift | None:
        """What changed with the file that comes next, which is then the last; None for the first."""
        found = None if self.name is None or self.fields is None else drift(self.name, self.fields, fields)
        self.name, self.fields = name, fields
        return found


def last_seen(records: Iterable[Mapping[str, Any]], mapping: LogMapping) -> LastSeen:
    """What ingest records say of a mapping.

    Raises `UsageProblem` where its version was another text: rounds could not be told apart by it.
    """
    seen = LastSeen()
    for record in records:
        known = record.get("mapping")
        if known is None or known["id"] != mapping.document.id:
            continue
        if known["version"] == mapping.document.version and known["sha256"] != mapping.sha256:
            raise UsageProblem(
                f"{mapping.name}: the lake knows another text as {mapping.label}; "
                "a mapping that was changed needs a higher version"
            )
        for file in record["files"]:
            seen.next(file["name"], file["fields"])
    return seen
