"""``disposition`` and ``dispositions`` as people and machines see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from audit.commands.show import show_lines, show_table
from audit.dispositions import OPEN, Disposition, dispositions, standing
from audit.lake import Lake
from audit.past import Past, latest
from audit.results import count
from rules_replay.log import amount_text


def listed(lake: Lake) -> list[dict[str, Any]]:
    """Every disposition of a lake ready for JSON, oldest first.

    ``standing`` says whether it is the one in force, ``state`` what the history of findings last
    says of the finding, and ``changed_since`` whether its facts are no longer those looked into.
    """
    in_force = standing(lake)
    past = latest(lake)
    return [
        _told(each, in_force.get(each.fingerprint) == each, past.get(each.fingerprint))
        for each in dispositions(lake)
    ]


def _told(each: Disposition, stands: bool, past: Past | None) -> dict[str, Any]:
    return {
        "line": each.line,
        "at": each.at.isoformat(),
        "fingerprint": each.fingerprint,
        "status": each.status,
        "by": each.by,
        "note": each.note,
        "standing": stands,
        "venue": each.venue,
        "gaming_date": each.gaming_date,
        "round_id": each.round_id,
        "code": each.code,
        "severity": each.severity,
        "delta": None if each.delta is None else amount_text(int(each.delta.scaleb(3))),
        "seq": each.seq,
        "state": None if past is None else "resolved" if past.change == "resolved" else "found",
        "changed_since": past is not None and not each.is_of(past.severity, past.delta, past.seq),
    }


def show_disposed(record: Mapping[str, Any]) -> None:
    """What was recorded, a line for each finding."""
    status = "open again" if record["status"] == OPEN else record["status"]
    show_lines(
        [
            *(
                f"{each['fingerprint']}: {each['code']} in round {each['round_id']}: {status}."
                for each in record["findings"]
            ),
            f"Recorded as {record['by']}'s, line {record['n']} of the ledger.",
        ]
    )


def show_dispositions(found: Sequence[Mapping[str, Any]]) -> None:
    """`listed` as a table."""
    if not found:
        show_lines(("Nobody has looked into a finding of this lake.",))
        return
    show_table(
        ("fingerprint", "status", "stands", "by", "at", "check", "round", "severity", "delta", "note"),
        (
            (
                *(each["fingerprint"], each["status"], "yes" if each["standing"] else "no"),
                *(each["by"], each["at"], each["code"], each["round_id"], each["severity"]),
                *(each["delta"], each["note"]),
            )
            for each in found
        ),
    )
    changed = sum(each["standing"] and each["changed_since"] for each in found)
    if changed:
        show_lines((f"Changed since they were looked into, so open again: {count(changed, 'finding')}.",))
