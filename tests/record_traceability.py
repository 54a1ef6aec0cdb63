"""Writes `docs/traceability` anew: ``python -m tests.record_traceability``.

For each rulebook the matrix of ``rules_replay/clauses`` with the tests beside the checks,
and ``docs/traceability.md`` with the counts. `test_matrix` compares them with what is
kept.
"""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import get_args

from rules_replay.matrix import (
    CHECKABLE,
    COLUMNS,
    ClauseRow,
    Evidence,
    Standing,
    load_matrix,
    unchecked,
)
from rules_replay.rulebook import Rulebook, load_rulebook, rulebook_ids
from tests.traceability import held_by, rounds_of

DOCS = Path(__file__).parents[1] / "docs"
FOLDER = DOCS / "traceability"
PAGE = DOCS / "traceability.md"

OPENING = """\
# Traceability

Every printed clause of every rulebook, with the checks that hold it and the tests that hold those; \
where there is no check, the reason. Written by `python -m tests.record_traceability` from \
`rules_replay/clauses`, the rulebooks and the tests, and not by hand; a test fails when it is out of date.

One CSV a rulebook, rows in the order of the text:

| column | |
|---|---|
| `clause` | the clause as printed; several rows may share one; a heading counts as a row |
| `gist` | what it says, in this project's words |
| `evidence` | what could show a breach: one `round`, the rounds of a `shoe`, the `table`'s sign and layout, \
a `ledger` beside the round log (a [tournament log](tournament-format.md) or a \
[house book](book-format.md)); `human` conduct that no log records; a `definition`, which binds nobody \
by itself; a `discretion`, which may be used or not |
| `checks` | the codes that hold it; `pontoon-audit rules clauses --by-check RULEBOOK` tells what they mean |
| `reading` | the open question that the clause leaves (`pontoon-audit rules readings RULEBOOK`) |
| `reason` | why there is no check, or where the check ends; `no check yet:` and what one would need, \
where a log could show it |
| `tests` | the tests that hold the checks under this rulebook, and the golden rounds that turn on \
the clause |

A test is listed with a check when it replays rounds and names the code, itself or in the case that it runs.
"""


def pages() -> dict[Path, str]:
    """Every file with its text."""
    books = map(load_rulebook, rulebook_ids())
    return {FOLDER / f"{book.id}.csv": matrix_text(book) for book in books} | {PAGE: page_text()}


def matrix_text(book: Rulebook) -> str:
    """The matrix of a rulebook as CSV, with its tests."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*COLUMNS, "tests"])
    for row in load_matrix(book.id):
        checks, readings = " ".join(row.checks), " ".join(row.readings)
        tests = " ".join(_tests(row, book.id))
        writer.writerow([row.clause, row.gist, row.evidence, checks, readings, row.reason, tests])
    return out.getvalue()


def _tests(row: ClauseRow, rulebook: str) -> list[str]:
    if not row.checks:
        return []
    held = {test for code in row.checks for test in held_by(code, rulebook)}
    return sorted(held.union(rounds_of(row.clause, rulebook)))


def page_text() -> str:
    """The page with the counts."""
    return "\n".join([OPENING, *_counts(), *_without()])


def _counts() -> Iterator[str]:
    yield "## Counts\n"
    yield from _table(
        ("rulebook", "rows", "clauses", *get_args(Standing)),
        (
            (
                f"[{rulebook}](traceability/{rulebook}.csv)",
                len(rows),
                len({row.clause for row in rows}),
                *(sum(row.standing == standing for row in rows) for standing in get_args(Standing)),
            )
            for rulebook, rows in _matrices()
        ),
    )
    yield "Rows by evidence, checked of all. Only the first four are evidence that a log can hold.\n"
    of_a_log = [each for each in get_args(Evidence) if each in CHECKABLE]
    evidences = of_a_log + [each for each in get_args(Evidence) if each not in CHECKABLE]
    yield from _table(
        ("rulebook", *evidences),
        ((rulebook, *(_checked(rows, each) for each in evidences)) for rulebook, rows in _matrices()),
    )


def _checked(rows: Iterable[ClauseRow], evidence: Evidence) -> str:
    counted = Counter(row.standing for row in rows if row.evidence == evidence)
    return f"{counted['checked']} of {counted.total()}"


def _without() -> Iterator[str]:
    yield "## Without a check although a log can hold the evidence\n"
    if not any(unchecked(rows) for _, rows in _matrices()):
        yield "None.\n"
        return
    for rulebook, rows in _matrices():
        without = unchecked(rows)
        waiting = sum(row.standing == "no check yet" for row in without)
        yield f"### {rulebook}: {waiting} with no check yet, {len(without) - waiting} beyond a log\n"
        if without:
            yield from _table(
                ("clause", "gist", "evidence", "reason"),
                ((row.clause, row.gist, row.evidence, row.reason) for row in without),
            )


def _matrices() -> Iterator[tuple[str, tuple[ClauseRow, ...]]]:
    return ((rulebook, load_matrix(rulebook)) for rulebook in rulebook_ids())


def _table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield f"| {' | '.join(headings)} |"
    yield "|" + "---|" * len(headings)
    for row in rows:
        yield f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |"
    yield ""


def main() -> None:
    """Write every file and remove the matrix of a rulebook that is no more."""
    FOLDER.mkdir(exist_ok=True)
    written = pages()
    for path, text in written.items():
        path.write_text(text, encoding="utf-8", newline="")
    for path in FOLDER.glob("*.csv"):
        if path not in written:
            path.unlink()
    print(f"{len(written)} files written to {DOCS.name}", file=sys.stderr)


if __name__ == "__main__":
    main()
