"""``docs/odds.md`` and the exact dealer table beside it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from string import Template

from data_samples.odds.charts import LEGEND, UPCARDS, card_name, charts
from data_samples.odds.rules import ROWS, STAKE, Published, Rules, published, rules_of
from data_samples.odds.strategy import basic_strategy
from rules_replay.dealer_finals import FINALS, dealer_finals
from rules_replay.log import amount_text
from rules_replay.rulebook import NONE, SILENT, Rulebook, load_rulebook

DECKS = (4, 6, 8)
"""Shoes of the dealer table."""

TOLERANCE = 5
"""How far from a published figure still counts as reproducing it, in hundredths of a per cent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A house edge with its standard error, both in per cent of the initial wager."""

    edge: float
    error: float
    rounds: int
    computed: float
    super_bonus: float
    splits: float
    doubles: float
    forfeits: float
    surrenders: float


Measure = Callable[[Rules], Measured]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A rulebook at a table: its shoe, other readings than its own, the row that it fits and a remark."""

    rulebook: str
    decks: int
    readings: tuple[tuple[str, str], ...] = ()
    fits: int | None = None
    remark: str

    @property
    def book(self) -> Rulebook:
        return load_rulebook(self.rulebook).with_readings(dict(self.readings))

    @property
    def rules(self) -> Rules:
        return rules_of(self.book, self.decks)

    @property
    def name(self) -> str:
        chosen = [f"{question}={answer}" for question, answer in self.readings]
        return ", ".join([self.rulebook, f"{self.decks} decks", *chosen])


ENTRIES = (
    Entry(
        rulebook="act-2005",
        decks=4,
        fits=31,
        remark="Four hands and aces once (11.3), doubles on any number of cards (12.1). The row takes "
        "busted wagers plus one; the default reading of 11.8 and 11.9 caps the sum at the larger of the two.",
    ),
    Entry(
        rulebook="act-2005",
        decks=4,
        readings=(("dealer_pontoon_split", "busted_plus_one"),),
        fits=31,
        remark="The reading that the row describes.",
    ),
    Entry(
        rulebook="act-2018",
        decks=4,
        fits=31,
        remark="For a lone player the clauses that matter are those of 2005, so the figures are the same.",
    ),
    Entry(
        rulebook="act-2018",
        decks=8,
        remark="No row has eight decks with four hands; here for the size of the shoe alone.",
    ),
    Entry(
        rulebook="nz-2000",
        decks=8,
        fits=34,
        remark="Three hands (13.4(a)), doubles on any number of cards (12.1), original and busted wagers "
        "only (13.7, 13.8, 14.2). Unlike the row it splits aces once (13.4(b)), which costs the player.",
    ),
    Entry(
        rulebook="rws-2017",
        decks=8,
        remark="No row fits: a box may have four hands (3.13), two cards are doubled (3.14), every split "
        "stake is lost to a dealer's Pontoon (3.13) and the doubled portion is not (3.14).",
    ),
    Entry(
        rulebook="adelaide-2008",
        decks=8,
        remark="No row fits the default reading: Table 1 of 27 as printed pays five or more cards on "
        "any winning hand, and there is no Super Bonus.",
    ),
    Entry(
        rulebook="adelaide-2008",
        decks=8,
        readings=(("card_count_rows", "total_21"),),
        fits=62,
        remark="Doubles on hard 9 to 11 (62), three hands (67(a)), aces once (67(c)), every stake lost to a "
        "dealer's Pontoon (10(b), 69). The row counts a Super Bonus that Adelaide does not pay.",
    ),
)
"""What is published in `docs/odds.md`, in its order."""


def document(measure: Measure, seed: int) -> str:
    """The whole of ``docs/odds.md``; ``measure`` finds the edge of a rule set."""
    rows = published()
    edges = {row.edge: [measure(rules).edge for _, rules in row.read_as] for row in rows}
    text = files("data_samples.odds").joinpath("page.md").read_text(encoding="utf-8")
    return Template(text).substitute(
        rounds=f"{measure(ENTRIES[0].rules).rounds:,}",
        seed=seed,
        stake=amount_text(STAKE),
        by_rulebook="\n".join(_rulebook_table(measure, {row.edge: row for row in rows})),
        remarks="\n".join(f"- **{entry.name}**: {entry.remark}" for entry in ENTRIES),
        by_row="\n".join(_published_table(measure, rows)),
        letter_31=f"{-edges[31][1]:.2f}",
        letter_34=f"{-edges[34][2]:.2f}",
        two_low=f"{edges[50][0]:.2f}",
        two_high=f"{edges[50][1]:.2f}",
        any_cards=f"{edges[50][2]:.2f}",
        static=static_part(),
    )


def _rulebook_table(measure: Measure, rows: dict[int, Published]) -> Iterator[str]:
    yield _row(
        "rulebook",
        [
            *("edge", "error", "computed", "fits the row", "difference"),
            *("Super Bonus", "splits", "doubles", "forfeits", "surrenders"),
        ],
    )
    yield "|---" * 11 + "|"
    for entry in ENTRIES:
        found = measure(entry.rules)
        row = rows[entry.fits].text if entry.fits is not None else "none"
        off = f"{found.edge - entry.fits / 100:+.3f}" if entry.fits is not None else ""
        options = (found.splits, found.doubles, found.forfeits, found.surrenders)
        yield _row(
            entry.name,
            [*_edge_cells(found), row, off, f"{found.super_bonus:.3f}", *(f"{each:.2f}" for each in options)],
        )


def _edge_cells(found: Measured) -> list[str]:
    return [f"{found.edge:.3f}", f"{found.error:.3f}", f"{found.computed:.3f}"]


def _published_table(measure: Measure, rows: tuple[Published, ...]) -> Iterator[str]:
    yield _row("published", ["read as", "edge", "error", "computed", "difference", "within 0.05"])
    yield "|---" * 7 + "|"
    for row in rows:
        for place, (words, rules) in enumerate(row.read_as):
            found = measure(rules)
            off = found.edge - row.edge / 100
            yield _row(
                f"**{row.text}**: {row.words}" if place == 0 else "",
                [words, *_edge_cells(found), f"{off:+.3f}", "yes" if abs(off) <= TOLERANCE / 100 else "no"],
            )


def static_part() -> str:
    """The parameters, the strategies and the dealer table: what needs no simulation."""
    return "\n".join([*_parameter_part(), *_strategy_part(), *_dealer_part()])


_TERMS = (
    ("hands from a box", "split.hands_per_box"),
    ("doubling", "double.on"),
)
_READINGS = (
    ("dealer's Pontoon, split box", "dealer_pontoon_split"),
    ("dealer's Pontoon, doubled hand", "dealer_pontoon_double"),
    ("doubled bust, dealer's Pontoon", "doubled_bust_dealer_pontoon"),
    ("doubled 21", "doubled_21"),
    ("aces fixed by a double", "fixed_aces"),
    ("forfeit up to", "forfeit_limit"),
    ("card-count rows", "card_count_rows"),
    ("Super Bonus excluded by", "super_bonus_excluded_by"),
)
_CHECKS = (
    ("aces split once", "split.aces-resplit"),
    ("split aces take one card", "split.aces-extra-card"),
    ("one card after a double", "double.one-card"),
)


def _books() -> list[Rulebook]:
    return [load_rulebook(each) for each in dict.fromkeys(entry.rulebook for entry in ENTRIES)]


def _parameter_part() -> Iterator[str]:
    books = _books()
    yield from ("## Rules as parameters", "", "Each with the clause that fixes it.", "")
    yield "| | " + " | ".join(book.id for book in books) + " |"
    yield "|---" * (len(books) + 1) + "|"
    for words, term in _TERMS:
        yield _row(words, [_cited(str(book.terms[term].value), book.terms[term].clause) for book in books])
    for words, reading in _READINGS:
        yield _row(words, [_cited(book.reads(reading), book.readings[reading].clause) for book in books])
    for words, check in _CHECKS:
        cited = [book.clauses[check] for book in books]
        yield _row(words, [_cited("no" if each in (SILENT, NONE) else "yes", each) for each in cited])
    for row in ROWS:
        yield _row(
            f"pays {row.replace('_', ' ')}",
            [_cited(_odds(book.odds(f"payout.{row}")), book.terms[f"payout.{row}"].clause) for book in books],
        )
    yield ""


def _row(words: str, cells: list[str]) -> str:
    return f"| {words} | " + " | ".join(cells) + " |"


def _cited(value: str, clause: str) -> str:
    return f"{value.replace('_', ' ')} ({clause})"


def _odds(odds: Fraction) -> str:
    return f"{odds.numerator}:{odds.denominator}"


def _strategy_part() -> Iterator[str]:
    yield from ("## Basic strategy", "", LEGEND, "")
    drawn: dict[Rules, list[str]] = {}
    for entry in ENTRIES:
        drawn.setdefault(entry.rules, []).append(entry.name)
    for rules, names in drawn.items():
        yield from (f"### {'; '.join(names)}", "", charts(rules, basic_strategy(rules)), "")


def _dealer_part() -> Iterator[str]:
    yield from (
        "## The dealer's final total by first card",
        "",
        "From a full shoe less the first card, to six places; `21` is one of three or more cards.",
        "The exact fractions are in [odds-dealer.csv](odds-dealer.csv).",
        "",
    )
    for decks in DECKS:
        yield from (f"### {decks} decks", "", "| first card | " + " | ".join(FINALS) + " |")
        yield "|---" * (len(FINALS) + 1) + "|"
        for up in UPCARDS:
            finals = dealer_finals(decks, up)
            yield _row(card_name(up), [f"{float(finals[final]):.6f}" for final in FINALS])
        yield ""


def dealer_csv() -> str:
    """Exact probabilities of the dealer's final totals: decks, first card, final, numerator, denominator."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["decks", "first_card", "final", "numerator", "denominator"])
    for decks in DECKS:
        for up in UPCARDS:
            for final, chance in dealer_finals(decks, up).items():
                writer.writerow([decks, card_name(up), final, chance.numerator, chance.denominator])
    return text.getvalue()
