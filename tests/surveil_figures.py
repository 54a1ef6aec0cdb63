"""The figures of ``docs/surveillance.md``: ``python -m tests.surveil_figures [--clean N] [--power]``.

Weeks are dealt, audited and asked everything: with a scheme at one table, and clean ones to count false
alarms. Power is that of decks that lack cards, dealt until they are found. Some twenty minutes; with
``--power`` only the latter, in one.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from audit.surveil import LEVEL
from audit.surveil.missing import RUNS, SHOES, growth
from audit.surveil.questions import Surveillance
from audit.surveil.result import Result
from audit.surveil.table import QUESTIONS
from audit.surveil.views import surveillance_views
from data_samples.schemes import REGULAR, Scheme
from tests.surveil_weeks import TABLES, WEEK, asked, lake_of, unusual

PAGE = Path(__file__).parents[1] / "docs" / "surveillance.md"
SEED = 1
CLEAN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A scheme of a week, and the question and kinds of subject that have to find it."""

    what: str
    scheme: Scheme
    question: str
    kinds: tuple[str, ...]


PLANTED = (
    Planted(
        what="a dealer lets one player off 4 in 10 losses",
        scheme=Scheme(favours=0.4),
        question="overpaid",
        kinds=("pair", "dealer", "player", "table"),
    ),
    Planted(
        what="40 cards keep their order in every shuffle at a table",
        scheme=Scheme(keeps=40),
        question="sequence",
        kinds=("table", "next shoes"),
    ),
    Planted(
        what="a king of spades is missing all week (3 decks)",
        scheme=Scheme(lacks=("KS",)),
        question="missing",
        kinds=("table", "table and date"),
    ),
    Planted(
        what="a player raises his stake tenfold in 15 of 100 rounds that he will win",
        scheme=Scheme(peeks=10),
        question="stake",
        kinds=("player", "pair"),
    ),
    Planted(
        what="a dealer skips his own first card",
        scheme=Scheme(skips_first_card=True),
        question="findings",
        kinds=("dealer", "table"),
    ),
    Planted(
        what="a table stands on soft 17 for 26 hours (1,170 rounds)",
        scheme=Scheme(stands_on_soft_17=True, lasts=1170),
        question="findings",
        kinds=("table", "dealer"),
    ),
    Planted(
        what="five cards missing for 438 rounds (3 decks)",
        scheme=Scheme(lacks=("KS", "4H", "9D", "AC", "7S"), lasts=438),
        question="missing",
        kinds=("table and date", "table"),
    ),
    Planted(
        what="a king missing for twelve hours (540 rounds, 3 decks)",
        scheme=Scheme(lacks=("KS",), lasts=540),
        question="missing",
        kinds=("table and date", "table"),
    ),
)


def week(seed: int, scheme: Scheme | None) -> Surveillance:
    """One week, asked everything."""
    with tempfile.TemporaryDirectory() as name:
        return asked(lake_of(Path(name), seed, scheme=scheme), LEVEL)


def planted_rows(planted: Iterable[Planted]) -> Iterator[Sequence[str]]:
    """One row for each kind of subject that a scheme has to be found by."""
    for each in planted:
        found = week(SEED, each.scheme)
        print(f"{each.what}: {len(unusual(found))} unusual", file=sys.stderr, flush=True)
        hits = unusual(found, each.question)
        for kind in each.kinds:
            of_kind = [hit for hit in hits if hit.kind == kind]
            ours = [hit for hit in of_kind if _about(hit)]
            yield (
                each.what if kind == each.kinds[0] else "",
                f"{each.question}: {kind}",
                _told(ours[0]) if ours else "not found",
                f"{len(ours)}",
                f"{len(of_kind) - len(ours)}",
            )


def _about(hit: Result) -> bool:
    """Whether a result is about the table of the scheme, or somebody at it."""
    return "P01" in hit.subject or REGULAR in hit.subject or hit.kind == "dealer"


def _told(hit: Result) -> str:
    name = f"{hit.subject}, {hit.detail}" if hit.detail else hit.subject
    return f"{name}: {hit.observed:.0f}, expected {hit.expected or 0:.1f}, q {hit.q_text}"


def column_rows() -> Iterator[Sequence[str]]:
    """The columns of the views."""
    view, *_ = surveillance_views()
    for each in view.columns:
        yield f"`{each.name}`", each.type, each.comment


def clean_rows(weeks: int) -> Iterator[Sequence[str]]:
    """By question what clean weeks called unusual."""
    alarms: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    evaluable: Counter[str] = Counter()
    for seed in range(101, 101 + weeks):
        found = week(seed, None)
        print(f"clean week {seed}: {[_told(each) for each in unusual(found)]}", file=sys.stderr, flush=True)
        for answer in found.answers:
            alarms[answer.question] += len([*answer.of("unusual")])
            tests[answer.question] += sum(
                max((each.tests for each in answer.results if each.kind == kind), default=0)
                for kind in {each.kind for each in answer.results}
            )
            evaluable[answer.question] += len(answer.results) - len([*answer.of("not evaluable")])
    for question in QUESTIONS:
        yield question, f"{tests[question]:,}", f"{evaluable[question]:,}", f"{alarms[question]:,}"
    yield "all", f"{tests.total():,}", f"{evaluable.total():,}", f"{alarms.total():,}"


def power_rows() -> Iterator[Sequence[str]]:
    """Shoes after which missing cards are found with a probability of 0.9, by decks and share seen."""
    for decks in (2, 3, 4, 6, 8):
        for lacking in (1, 5):
            yield (
                f"{decks}",
                f"{lacking}",
                *(_shoes(decks, share, lacking) for share in (0.5, 0.6, 0.7)),
            )


def _shoes(decks: int, share: float, lacking: int) -> str:
    passed = growth(decks, share, lacking) >= -math.log(LEVEL)
    first = sorted(int(each.argmax()) + 1 if each.any() else SHOES + 1 for each in passed)
    half, most = first[RUNS // 2], first[math.ceil(0.9 * RUNS) - 1]
    return " / ".join(f"{each}" if each <= SHOES else f"over {SHOES}" for each in (half, most))


# --- the page ----------------------------------------------------------------------------------


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def put(page: str, name: str, text: str) -> str:
    """The page with a text between the marks of a name."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, _, rest = page.partition(begin)
    return before + begin + text + end + rest.partition(end)[2]


def main() -> None:
    """Write the figures, and the columns of the views, into the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.surveil_figures")
    parser.add_argument("--clean", type=int, default=CLEAN, help="clean weeks (%(default)s)")
    parser.add_argument("--power", action="store_true", help="only the power of finding missing cards")
    chosen = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    heads = ("decks", "missing", "half seen", "60 per cent seen", "70 per cent seen")
    page = put(page, "power", table(heads, power_rows()))
    page = put(page, "columns", table(("column", "type", ""), column_rows()))
    if not chosen.power:
        of_planted = ("planted", "asked", "the least likely", "results about it", "others")
        page = put(page, "planted", table(of_planted, planted_rows(PLANTED)))
        told = f"{chosen.clean} weeks of {WEEK:,} rounds at {TABLES} tables, level {LEVEL:g}:\n\n"
        of_clean = ("question", "tests", "evaluable", "false alarms")
        page = put(page, "clean", told + table(of_clean, clean_rows(chosen.clean)))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
