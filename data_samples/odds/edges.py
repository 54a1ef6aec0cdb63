"""What basic strategy is expected to lose, by rulebook and decks: ``python -m data_samples.odds.edges FILE``.

Computed, not measured: the figure that docs/odds.md has in its column *computed*, under the
default readings, in per cent of the initial wager. ``audit.surveil`` holds what tables won against it.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from pathlib import Path

from data_samples.odds.rules import rules_of
from data_samples.odds.strategy import basic_strategy
from rules_replay.rulebook import load_rulebook, rulebook_ids

COLUMNS = ("rulebook", "decks", "edge")


def edge_text(rulebook: str, decks: int) -> str:
    """The expected loss with three decimals."""
    return f"{-100 * basic_strategy(rules_of(load_rulebook(rulebook), decks)).value:.3f}"


def rows() -> Iterator[tuple[str, int, str]]:
    """Every rulebook with every number of decks that it allows."""
    for name in rulebook_ids():
        book = load_rulebook(name)
        for decks in range(book.whole("deck.minimum"), book.whole("deck.maximum") + 1):
            yield name, decks, edge_text(name, decks)


def edges_csv() -> str:
    """All rows as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows())
    return text.getvalue()


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(edges_csv(), encoding="utf-8")
