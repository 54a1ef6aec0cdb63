"""The payout tables as their rulebooks print them: every row as a condition of its own.

``printed_rows.csv`` holds them, apart from the terms that the engine pays by, so that the
two can be held against each other. Its columns: ``rulebook``, ``table``, ``row``, the words
``printed``, then the condition (``cards``, ``total``, ``ranks``, ``suits``, ``wager``; an
empty one asks for nothing), what the row ``pays``, its ``clause``, the ``reading`` under
which the row stands as written here, and the rows it ``yields_to`` ``because`` of a clause.
A row says when it holds and never which row comes first.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias, get_args

from rules_replay.cards import RED_SUITS, Card
from rules_replay.errors import RulebookError
from rules_replay.log import Amount
from rules_replay.rulebook import SILENT, Rulebook, rulebook_ids

Situation: TypeAlias = Literal[
    "unsplit", "split", "split aces", "doubled", "co-wagerer", "beside a doubled hand"
]
"""What a main or split wager rides on: a hand not doubled (from the deal, of a split, of split
aces), a hand that its owner doubled, one that only the controlling player doubled, or a split
hand of a box on which another hand was doubled."""

SITUATIONS: tuple[Situation, ...] = get_args(Situation)

WAGERS: dict[str, frozenset[Situation]] = {
    "unsplit": frozenset({"unsplit"}),
    "doubled": frozenset({"doubled"}),
    "co-wagerer": frozenset({"co-wagerer"}),
    "on a doubled hand": frozenset({"doubled", "co-wagerer"}),
    "on a doubled box": frozenset({"doubled", "co-wagerer", "beside a doubled hand"}),
}
"""What the column ``wager`` may say, and the situations it covers."""

OTHER = "other"
"""A row that holds where no other row of its table does, because it says so."""

COLUMNS = (
    *("rulebook", "table", "row", "printed", "cards", "total", "ranks", "suits", "wager"),
    *("pays", "clause", "reading", "yields_to", "because"),
)

_SPECIAL = {"678": (6, 7, 8), "777": (7, 7, 7)}
_COUNT = re.compile(r"([1-9][0-9]*)(\+?)")
_SPAN = re.compile(r"([0-9]+)(?:-([0-9]*)|<([0-9]+))")


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalHand:
    """A hand as a payout table sees it.

    ``values`` are the point values sorted, aces 1 and ten-values 10; ``suits`` is
    ``spades``, ``one suit`` (another) or ``mixed`` for three cards and empty otherwise.
    """

    values: tuple[int, ...]
    suits: str
    situation: Situation
    points: int
    soft: bool

    def __str__(self) -> str:
        cards = " ".join({1: "A", 10: "K"}.get(each, str(each)) for each in self.values)
        suits = f" ({self.suits})" if self.suits else ""
        kind = "" if self.situation == "unsplit" else f", {self.situation}"
        return f"{cards}{suits} = {'soft' if self.soft else 'hard'} {self.points}{kind}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedRow:
    """One printed row. ``clause`` is ``silent`` where a reading fills what is not printed."""

    table: str
    row: str
    printed: str
    cards: str
    total: str
    ranks: str
    suits: str
    wager: str
    pays: str
    clause: str
    reading: str
    yields_to: frozenset[str]
    because: str

    @property
    def silent(self) -> bool:
        """Not in the text: what fills a hole that the printed rows leave."""
        return self.clause == SILENT

    def stands(self, book: Rulebook) -> bool:
        """Whether the row is written so under the readings in force."""
        question, _, answer = self.reading.partition("=")
        return not question or book.reads(question) == answer

    def holds(self, hand: FinalHand) -> bool:
        """Whether a winning hand fits a row of the table for hands."""
        if self.wager and hand.situation not in WAGERS[self.wager]:
            return False
        if self.cards and not _counts(self.cards, len(hand.values)):
            return False
        if self.total and hand.points != int(self.total):
            return False
        if self.ranks == "A ten" and hand.values != (1, 10):
            return False
        if self.ranks in _SPECIAL and hand.values != _SPECIAL[self.ranks]:
            return False
        return not self.suits or _suits(self.suits, hand.suits)

    def holds_pair(self, first: Card, second: Card) -> bool:
        """Whether two cards fit a row of a table for pairs."""
        pair = first.rank == second.rank
        if pair != (self.ranks == "pair"):
            return False
        red = {each.suit in RED_SUITS for each in (first, second)}
        match self.suits:
            case "same":
                return first.suit == second.suit
            case "one colour":
                return len(red) == 1 and first.suit != second.suit
            case "two colours":
                return len(red) == 2
        return True

    def holds_rank(self, rank: str) -> bool:
        """Whether a row of the table for insurance names the rank of the dealer's second card."""
        return rank in self.ranks.split()

    def holds_stake(self, stake: int) -> bool:
        """Whether a stake in thousandths lies in a tier: ``2-24``, ``25-`` or, both ends out, ``24<25``."""
        match = _SPAN.fullmatch(self.total)
        assert match is not None
        low = Amount.parse(match[1])
        if match[3]:
            return low < stake < Amount.parse(match[3])
        return low <= stake and (not match[2] or stake <= Amount.parse(match[2]))

    def edges(self) -> tuple[int, ...]:
        """The stakes in thousandths that a tier names."""
        return tuple(int(Amount.parse(each)) for each in re.findall("[0-9]+", self.total))

    def holds_total(self, points: int, soft: bool) -> bool:
        """Whether a total lies in a row of the dealer's table: ``hard 2-16; soft 12-17``."""
        wanted = "soft" if soft else "hard"
        for part in self.total.split("; "):
            kind, _, span = part.partition(" ")
            low, _, high = span.partition("-")
            if kind == wanted and int(low) <= points <= int(high):
                return True
        return False


def _counts(wanted: str, count: int) -> bool:
    match = _COUNT.fullmatch(wanted)
    assert match is not None
    return count >= int(match[1]) if match[2] else count == int(match[1])


def _suits(wanted: str, found: str) -> bool:
    match wanted:
        case "mixed" | "spades":
            return found == wanted
        case "same but spades":
            return found == "one suit"
    return found in ("one suit", "spades")


@cache
def printed_rows(rulebook_id: str) -> tuple[PrintedRow, ...]:
    """The rows of a shipped rulebook in the order of the text; ``KeyError`` for an unknown id."""
    if rulebook_id not in rulebook_ids():
        raise KeyError(rulebook_id)
    text = files("rules_replay").joinpath("printed_rows.csv").read_text(encoding="utf-8")
    return parse_rows(text, "printed_rows.csv")[rulebook_id]


def parse_rows(text: str, source: str) -> dict[str, tuple[PrintedRow, ...]]:
    """Read printed rows from CSV text, by rulebook; `RulebookError` lists every problem found."""
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise RulebookError(source, [f"line 1: expected the columns {','.join(COLUMNS)}"])
    rows: dict[str, list[PrintedRow]] = {each: [] for each in rulebook_ids()}
    problems = []
    for found in reader:
        where = f"line {reader.line_num}"
        if len(found) != len(COLUMNS) or None in found.values():
            problems.append(f"{where}: expected {len(COLUMNS)} fields")
            continue
        rulebook = found.pop("rulebook")
        problems += [f"{where}: {each}" for each in _faults(rulebook, found)]
        yields_to = frozenset(found.pop("yields_to").split())
        if rulebook in rows:
            rows[rulebook].append(PrintedRow(**found, yields_to=yields_to))
    if problems:
        raise RulebookError(source, problems)
    return {rulebook: tuple(listed) for rulebook, listed in rows.items()}


_VOCABULARY = {
    "ranks": ("", "A ten", *_SPECIAL, OTHER, "pair", "no pair"),
    "suits": ("", "mixed", "spades", "same", "same but spades", "one colour", "two colours"),
    "wager": ("", *WAGERS),
}


def _faults(rulebook: str, found: dict[str, str]) -> list[str]:
    faults = [] if rulebook in rulebook_ids() else [f"rulebook {rulebook!r} is not held"]
    known = dict(_VOCABULARY)
    if found["table"] == "insurance":
        del known["ranks"]
    faults += [
        f"{column}: expected one of {', '.join(filter(None, words))}, got {found[column]!r}"
        for column, words in known.items()
        if found[column] not in words
    ]
    if found["cards"] and not _COUNT.fullmatch(found["cards"]):
        faults.append(f"cards: expected a number such as 5 or 7+, got {found['cards']!r}")
    if found["table"] == "super_bonus" and not _SPAN.fullmatch(found["total"]):
        faults.append(f"total: expected a tier such as 2-24, 25- or 24<25, got {found['total']!r}")
    faults += [f"{column}: missing" for column in ("table", "row", "printed", "clause") if not found[column]]
    if found["yields_to"] and not found["because"]:
        faults.append("because: a row that yields needs the reason")
    return faults
