"""Writes ``docs/soundness.md`` anew: ``python -m tests.record_soundness``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from audit.commands.lint import HEADINGS, counted_rows, filled_rows, lint, resolved_rows
from rules_replay.soundness import Soundness

PAGE = Path(__file__).parents[1] / "docs" / "soundness.md"

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
    filled = "\n".join(f"- `{book}`: {text}." for book, text in filled_rows(found))
    return _PAGE.format(
        introduction="\n\n".join(_INTRODUCTION),
        counts=_markdown(HEADINGS, counted_rows(found)),
        resolutions=_markdown(
            ("rulebook", "why one row gives way", "pairs of rows", "for example"), resolved_rows(found)
        ),
        filled=filled or "Nothing.",
    )


def _markdown(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(_plain(each) for each in line) + " |" for line in lines)


def _plain(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def main() -> None:
    """Write the page."""
    PAGE.write_text(soundness_page(lint(())), encoding="utf-8")


if __name__ == "__main__":
    main()
