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


def _counts(found: Iterable[Soundness]) -> list[tuple[Any, ...]]:
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


def _resolutions(found: Iterable[Soundness]) -> list[tuple[str, str, int, str]]:
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


def _filled(found: Iterable[Soundness]) -> list[tuple[str, str]]:
    return [(each.rulebook, filled) for each in found for table in each.tables for filled in table.filled]


def show_lint(found: Sequence[Soundness]) -> None:
    """What was found as tables for people, what is not sound last."""
    show_table(HEADINGS, _counts(found))
    resolutions = _resolutions(found)
    if resolutions:
        show_table(("rulebook", "why one row gives way", "pairs of rows", "for example"), resolutions)
    show_lines(f"{book}: not printed, filled by a reading: {filled}" for book, filled in _filled(found))
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


_INTRODUCTION = (
    (
        "For every hand that can win, exactly one row of the payout table applies. "
        "`pontoon-audit rules lint` proves it by looking at all of them, and this page holds its numbers. "
        "`python -m tests.record_soundness` writes it anew, and a test fails when it is out of date."
    ),
    (
        "The rows are those of `rules_replay/printed_rows.csv`: each a condition of its own, as the rulebook "
        "prints it, with no order among them. The hands are all final hands that can win: every multiset of "
        "point values that can be drawn one card at a time without drawing on 21, from the most decks the "
        "rulebook allows, three cards in every suiting, on a hand dealt, split, doubled, doubled by the box "
        "alone, or beside a doubled hand. Where two rows hold at once, something must say which one gives "
        "way. What then applies is held against what the engine pays for the same cards. Where a rulebook "
        "lists more than one reading that can change a row, the hands are gone through once more for each."
    ),
    "A mistake that rows and engine share would pass: both come from one reading of the text.",
)

_PAGE = """\
# The payout tables are sound

{introduction}

## Counts

{counts}

## Rows that hold at once

{resolutions}

## What the text leaves out

{filled}
"""


def soundness_page(found: Sequence[Soundness]) -> str:
    """The page of the documentation: Markdown, the same for the same tables."""
    filled = "\n".join(f"- `{book}`: {text}." for book, text in _filled(found))
    return _PAGE.format(
        introduction="\n\n".join(_INTRODUCTION),
        counts=_markdown(HEADINGS, _counts(found)),
        resolutions=_markdown(
            ("rulebook", "why one row gives way", "pairs of rows", "for example"), _resolutions(found)
        ),
        filled=filled or "Nothing.",
    )


def _markdown(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(_plain(each) for each in line) + " |" for line in lines)


def _plain(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
