"""``mapping``: which there are, what one says, and what it makes of a sample."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from audit.commands.show import show_lines, show_table
from audit.errors import UsageProblem
from audit.ingest.lines import Read
from audit.ingest.sources import find_sources
from audit.ingest.wire import encode_line
from audit.law import Law
from audit.mapping.model import LogMapping, load_mapping, parse_mapping, shipped
from audit.mapping.support import WORDS, unsupported
from audit.observe.log import say
from audit.results import by_severity, count
from rules_replay.severity import SEVERITIES

if TYPE_CHECKING:
    from audit.ingest.pipeline import IngestReport
    from audit.mapping.sample import Tried


def chosen(named: str | None) -> LogMapping | None:
    """The mapping that an option names, None without one."""
    return None if named is None else load_mapping(named)


def listed() -> list[dict[str, Any]]:
    """The mappings that come with the program."""
    found = []
    for each in shipped().values():
        mapping = parse_mapping(each.read_bytes(), each.name)
        document = mapping.document
        found.append(
            mapping.as_json() | {"format": document.format, "rows": document.rows, "title": document.title}
        )
    return found


def show_listed(found: Sequence[dict[str, Any]]) -> None:
    """The mappings as a table."""
    names = ("id", "version", "format", "rows", "title")
    show_table(("mapping", *names[1:]), ([each[name] for name in names] for each in found))


def text_of(named: str) -> str:
    """The text of a mapping that is in order, as its file has it."""
    load_mapping(named)
    ours = shipped().get(named)
    if ours is not None and not Path(named).is_file():
        return ours.read_text(encoding="utf-8")
    return Path(named).read_text(encoding="utf-8")


def described(mapping: LogMapping) -> dict[str, Any]:
    """What a mapping says and what it cannot support, ready for JSON."""
    return {
        **mapping.as_json(),
        "document": msgspec.to_builtins(mapping.document),
        "unrecorded": {name: WORDS[name] for name in mapping.unrecorded},
        "not_evaluable": unsupported(mapping.unrecorded, mapping.document.records),
    }


def tried(mapping: LogMapping, files: Iterable[str], law: Law, shown: int) -> Tried:
    """A mapping tried on samples; raises `UsageProblem` where they cannot be found."""
    from audit.mapping.sample import try_mapping

    sources, missing = find_sources(files, mapping)
    if missing:
        raise UsageProblem("; ".join(str(each) for each in missing))
    return try_mapping(mapping, sources, law, shown)


def show_tried(done: Tried) -> None:
    """What came of a sample: the first rounds, what was not mapped, what cannot be checked."""
    for read in done.rounds:
        _show_round(read)
    lines = [f"{count(done.mapped, 'round')} mapped by {done.mapping.label}, {done.refused:,} refused."]
    lines += done.first_refused
    if done.left_out:
        lines.append(f"Cancelled or never placed, and in no round: {done.left_out:,}.")
    found = by_severity(done.tally.findings)
    lines.append("Findings: " + ", ".join(f"{found[severity]:,} {severity}" for severity in SEVERITIES) + ".")
    lines.append(f"Fields that the mapping does not read: {', '.join(done.unmapped) or 'none'}.")
    show_lines([*lines, ""])
    reasons: dict[str, list[str]] = {}
    for code, missing in done.not_evaluable.items():
        reasons.setdefault(missing, []).append(code)
    show_table(
        ("not recorded", "not evaluable"), ((reason, ", ".join(codes)) for reason, codes in reasons.items())
    )


def _show_round(read: Read) -> None:
    round_ = msgspec.json.decode(encode_line(read.round))
    events = round_.pop("events")
    title = f"{read.file}:{read.line}: round {round_['round_id']}"
    head = ", ".join(f"{name} {_plain(value)}" for name, value in round_.items() if name != "round_id")
    show_table(
        ("seq", "event", "fields"),
        (
            (
                seq,
                event["e"],
                ", ".join(f"{name} {_plain(value)}" for name, value in event.items() if name != "e"),
            )
            for seq, event in enumerate(events)
        ),
        title=f"{title}\n{head}",
    )


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def say_drift(report: IngestReport) -> None:
    """Say what changed about the fields of a vendor's files."""
    for file in report.files:
        for line in () if file.drift is None else file.drift.lines():
            say(f"{file.name}: {line}", "mapping.drift", "warning", file=file.name)
