"""``rules lint``: whether exactly one payout row applies to every hand that can win."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from audit.commands.rules import held
from audit.commands.show import show_lines, show_table
from audit.results import count
from rules_replay.rulebook import rulebook_ids
from rules_replay.soundness import FaultKind, Soundness, TableSoundness, check_soundness

KINDS: dict[FaultKind, str] = {
    "gap": "gaps",
    "overlap": "overlaps",
    "unreachable": "unreachable",
    "disagreement": "engine differs",
}


def lint(rulebooks: Sequence[str]) -> list[Soundness]:
    """Check the tables of some rulebooks, of all of them where none is named.

    Raises `UsageProblem` for a rulebook that is not held.
    """
    books = [held(each) for each in rulebooks or rulebook_ids()]
    return [check_soundness(book) for book in books]


def lint_json(found: Iterable[Soundness]) -> dict[str, Any]:
    """What was found, ready for JSON."""
    listed = list(found)
    return {
        "sound": all(each.sound for each in listed),
        "rulebooks": [
            {
                "id": each.rulebook,
                "sound": each.sound,
                "longest_hand": each.longest,
                "tables": [_table_json(table) for table in each.tables],
            }
            for each in listed
        ],
    }


def _table_json(table: TableSoundness) -> dict[str, Any]:
    return {
        "table": table.table,
        "readings": table.readings,
        "cases": table.cases,
        "rows": table.rows,
        **{name.replace(" ", "_"): _faults(table, kind) for kind, name in KINDS.items()},
        "faults": [
            {"kind": each.kind, "rows": each.rows, "cases": each.cases, "example": each.example}
            for each in table.faults
        ],
        "resolved": [
            {"rows": each.rows, "cases": each.cases, "example": each.example, "because": each.because}
            for each in table.resolved
        ],
        "filled": list(table.filled),
    }


def _faults(table: TableSoundness, kind: FaultKind) -> int:
    return sum(each.kind == kind for each in table.faults)


HEADINGS = ("rulebook", "table", "readings", "cases", "rows", "resolved", *KINDS.values())


def counted_rows(found: Iterable[Soundness]) -> list[tuple[Any, ...]]:
    """Every table under every reading with its counts, in the order of `HEADINGS`."""
    return [
        (
            each.rulebook,
            table.table,
            table.readings,
            table.cases,
            table.rows,
            len(table.resolved),
            *(_faults(table, kind) for kind in KINDS),
        )
        for each in found
        for table in each.tables
    ]


def resolved_rows(found: Iterable[Soundness]) -> list[tuple[str, str, int, str]]:
    """Rulebook, why two rows never pay one hand, how many pairs of rows, and one of them with a hand."""
    pairs: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], str] = {}
    seen: set[tuple[str, str, str]] = set()
    for each in found:
        for table in each.tables:
            for resolved in table.resolved:
                if (each.rulebook, resolved.rows, resolved.because) in seen:
                    continue
                seen.add((each.rulebook, resolved.rows, resolved.because))
                pairs[each.rulebook, resolved.because] += 1
                first.setdefault((each.rulebook, resolved.because), f"{resolved.rows}: {resolved.example}")
    return [(book, because, pairs[book, because], first[book, because]) for book, because in pairs]


def filled_rows(found: Iterable[Soundness]) -> list[tuple[str, str]]:
    """Rulebook, and what its text leaves out and a reading fills."""
    return [(each.rulebook, filled) for each in found for table in each.tables for filled in table.filled]


def show_lint(found: Sequence[Soundness]) -> None:
    """What was found as tables for people, what is not sound last."""
    show_table(HEADINGS, counted_rows(found))
    resolutions = resolved_rows(found)
    if resolutions:
        show_table(("rulebook", "why one row gives way", "pairs of rows", "for example"), resolutions)
    show_lines(f"{book}: not printed, filled by a reading: {filled}" for book, filled in filled_rows(found))
    show_lines(
        f"{each.rulebook}, {table.table} ({table.readings}): {fault.kind}: {fault.rows}"
        + (f": {count(fault.cases, 'case')}, such as {fault.example}" if fault.cases else "")
        for each in found
        for table in each.tables
        for fault in table.faults
    )
    show_lines(
        f"{each.rulebook}: {'sound' if each.sound else 'NOT SOUND'}; the longest winning hand has "
        f"{each.longest} cards."
        for each in found
    )
