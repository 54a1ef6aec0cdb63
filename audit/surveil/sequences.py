"""Cards that come again in the order of an earlier shoe: a shuffle that did not shuffle.

Of two shoes every run of cards of the one is looked for in the other, forwards and backwards, in the
order dealt and in the order in which hands are taken off the table. If the later shoe was shuffled, the
``k`` cards from any place of it on are those from a given place of the other with a chance of at most
``D/N · D/(N-1) · …``, D copies of a card in N cards. So the expected number of matches is known without
any assumption on the earlier shoe, and matches over expected matches, averaged over ``k`` from
`SHORTEST` to `LONGEST`, is a fair bet: one long run makes it grow, and so do many short ones. A table's
bet is the average of those on its next shoes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import polars as pl

from audit.surveil.exposure import Exposure
from audit.surveil.likelihood import Ints, mixed_log
from audit.surveil.result import Answer, Result, Series, judged, whole
from rules_replay.cards import DECK

SHORTEST: Final = 4
LONGEST: Final = 16
NEXT: Final = 2
"""How many shoes on a table later decks come again: those two after, which are tested apart."""

ORDERS: Final = (
    "as dealt",
    "as dealt, backwards",
    "as taken off the table",
    "as taken off the table, backwards",
)
_CROWDED: Final = 2000
"""Sequences that come more often than this in all shoes are left to chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shoe:
    """A shoe as it came out: ``dealt`` are places in the deck, below 0 for cards that were not read."""

    number: int
    venue: str
    table: str
    name: str
    decks: int
    dealt: Ints
    taken: Ints
    rounds: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Cards of two shoes that are the same: places at which they begin, and how many."""

    earlier: int
    later: int
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two shoes with something in common, and their matches in the order that has the longest."""

    later: Shoe
    result: Result
    matches: Sequence[Match]


def sequence_answer(exposure: Exposure, level: float) -> Answer:
    """Pairs of shoes with more in common than chance gives out, and tables that have many."""
    shoes = list(shoes_of(exposure))
    found = _pairs(shoes)
    place = _places(shoes)
    results: list[Result] = []
    series: list[Series] = []
    for kind, near in (("next shoes", True), ("earlier shoes", False)):
        tests = _tests(shoes, near)
        chosen = [pair for pair in sorted(found) if (place[pair[1]] - place[pair[0]] <= NEXT) == near]
        pairs = [
            _result(
                exposure, kind, shoes_at(shoes, one), shoes_at(shoes, other), found[one, other], tests, level
            )
            for one, other in chosen
        ]
        if near:
            results += judged(_by_table(shoes, pairs), level)
        told = judged((each.result for each in pairs), level, tests)
        results += told if told or not tests else judged([_nothing(shoes, kind, tests)], level, tests)
        for pair, result in zip(pairs, told, strict=True):
            if result.verdict == "unusual":
                series += [_stroke(result, match) for match in pair.matches]
    continuous = len(exposure.rounds.filter(pl.col("shuffler") == "continuous"))
    left_out = [f"{continuous:,} rounds from continuous shufflers, which no shoe ends: not evaluable"]
    return Answer(
        question="sequence", results=results, series=series, left_out=left_out if continuous else ()
    )


def _stroke(result: Result, match: Match) -> Series:
    ends = (match.earlier + match.length, match.later + match.length)
    return Series(
        name=result.subject,
        points=[(float(match.earlier), float(match.later)), (float(ends[0]), float(ends[1]))],
    )


def _by_table(shoes: Sequence[Shoe], pairs: Sequence[Pair]) -> Iterator[Result]:
    """By table the average of the bets on its next shoes."""
    tables: dict[tuple[str, str], list[Shoe]] = {}
    for each in shoes:
        tables.setdefault((each.venue, each.table), []).append(each)
    for (venue, table), own in tables.items():
        tests = _tests(own, near=True)
        if not tests:
            continue
        bets = [each.result for each in pairs if (each.later.venue, each.later.table) == (venue, table)]
        logs = np.array([-each.log_p for each in bets if each.log_p])
        log_e = float(mixed_log(logs)) + math.log(len(logs) / tests) if len(logs) else 0.0
        yield Result(
            question="sequence",
            venue=venue,
            kind="table",
            subject=table,
            trials=tests,
            observed=max((each.observed for each in bets), default=whole(0)),
            expected=None,
            log_p=min(0.0, -log_e),
            by_bet=True,
            rounds=sum(len(np.unique(each.rounds)) for each in own),
            needed=1,
            first_round=bets[0].first_round if bets else None,
            last_round=bets[-1].last_round if bets else None,
            limits=f"{len(bets):,} of {tests:,} pairs of a shoe and one of the {NEXT} after it have a run of "
            f"{SHORTEST} cards or more. Observed is the longest of them. {_NOT_SHOWN}",
        )


def shoes_of(exposure: Exposure) -> Iterator[Shoe]:
    """Every shoe that a shuffle ended, in the order of tables and time."""
    rounds, draws = exposure.rounds, exposure.draws
    numbers = rounds["shoe_no"].to_numpy()[draws.round]
    bounds = np.flatnonzero(np.diff(numbers, prepend=-1, append=-2))
    facts = rounds.group_by("shoe_no", maintain_order=True).agg(
        pl.col("venue", "table", "shoe", "decks", "shuffler").first()
    )
    told = {row[0]: row[1:] for row in facts.iter_rows()}
    for start, end in pairwise(bounds):
        number = int(numbers[start])
        venue, table, name, decks, shuffler = told[number]
        if shuffler == "continuous" or decks < 1:
            continue
        of_shoe = (draws.round, draws.box, draws.hand, draws.card)
        numbers_of, boxes, hands, cards = (each[start:end].astype(np.int64) for each in of_shoe)
        yield Shoe(
            number=number,
            venue=venue,
            table=table,
            name=name,
            decks=decks,
            dealt=cards,
            taken=_taken(numbers_of, boxes, hands, cards),
            rounds=numbers_of,
        )


def _taken(rounds: Ints, boxes: Ints, hands: Ints, cards: Ints) -> Ints:
    """The cards hand by hand, from the last box to the first, the dealer's on top."""
    order = np.lexsort((np.arange(len(cards)), hands, np.where(boxes == 0, 1000, -boxes), rounds))
    return cards[order]


def _places(shoes: Sequence[Shoe]) -> dict[int, int]:
    """The place of each shoe among those of its table, far apart for different tables."""
    found = {}
    last: tuple[str, str] | None = None
    place = 0
    for each in shoes:
        place = place + 1 if (each.venue, each.table) == last else place + 10 * NEXT
        last = (each.venue, each.table)
        found[each.number] = place
    return found


def _tests(shoes: Sequence[Shoe], near: bool) -> int:
    """How many pairs there are: on a table the next ones, or all others of the venue."""
    by_table: dict[tuple[str, str], int] = {}
    by_venue: dict[str, int] = {}
    for each in shoes:
        by_table[each.venue, each.table] = by_table.get((each.venue, each.table), 0) + 1
        by_venue[each.venue] = by_venue.get(each.venue, 0) + 1
    close = sum(max(0, count - gap) for count in by_table.values() for gap in range(1, NEXT + 1))
    return close if near else sum(count * (count - 1) // 2 for count in by_venue.values()) - close


# --- looking for them ---------------------------------------------------------------------------


def _pairs(shoes: Sequence[Shoe]) -> dict[tuple[int, int], list[tuple[int, Match]]]:
    """By earlier and later shoe the longest matches, each with its order.

    Found by the numbers of all runs of `SHORTEST` cards, sorted.
    """
    found: dict[tuple[int, int], list[tuple[int, Match]]] = {}
    if not shoes:
        return found
    later = _grams([(each.number, each.dealt) for each in shoes])
    for order in range(len(ORDERS)):
        earlier = _grams([(each.number, _in_order(each, order)) for each in shoes])
        for one, other in _common(earlier, later):
            first, second = shoes_at(shoes, one[0]), shoes_at(shoes, other[0])
            if first.number >= second.number or first.venue != second.venue:
                continue
            a, b = _in_order(first, order), second.dealt
            i, j = one[1], other[1]
            if i and j and a[i - 1] == b[j - 1] and a[i - 1] >= 0:
                continue
            length = _length(a, b, i, j)
            found.setdefault((first.number, second.number), []).append(
                (order, Match(earlier=i, later=j, length=length))
            )
    return found


def shoes_at(shoes: Sequence[Shoe], number: int) -> Shoe:
    """The shoe of a number in a sorted list."""
    low, high = 0, len(shoes)
    while low < high:
        middle = (low + high) // 2
        if shoes[middle].number < number:
            low = middle + 1
        else:
            high = middle
    return shoes[low]


def _in_order(shoe: Shoe, order: int) -> Ints:
    cards = shoe.dealt if order < 2 else shoe.taken
    return cards[::-1] if order % 2 else cards


def _length(a: Ints, b: Ints, i: int, j: int) -> int:
    length = 0
    while i + length < len(a) and j + length < len(b) and a[i + length] == b[j + length] >= 0:
        length += 1
    return length


@dataclass(frozen=True, slots=True)
class _Grams:
    """Every run of `SHORTEST` cards as a number, sorted, with its shoe and place."""

    code: Ints
    shoe: Ints
    place: Ints


def _grams(sequences: Sequence[tuple[int, Ints]]) -> _Grams:
    codes, numbers, places = [], [], []
    for number, cards in sequences:
        count = len(cards) - SHORTEST + 1
        if count < 1:
            continue
        of_run = np.zeros(count, dtype=np.int64)
        good = np.ones(count, dtype=bool)
        for step in range(SHORTEST):
            part = cards[step : step + count]
            of_run = of_run * len(DECK) + np.maximum(part, 0)
            good &= part >= 0
        codes.append(of_run[good])
        places.append(np.flatnonzero(good))
        numbers.append(np.full(int(good.sum()), number))
    if not codes:
        nothing = np.zeros(0, dtype=np.int64)
        return _Grams(nothing, nothing, nothing)
    code = np.concatenate(codes)
    order = np.argsort(code, kind="stable")
    return _Grams(code[order], np.concatenate(numbers)[order], np.concatenate(places)[order])


def _common(one: _Grams, other: _Grams) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Places of the one and the other with the same run of cards."""
    low = np.searchsorted(other.code, one.code, "left")
    high = np.searchsorted(other.code, one.code, "right")
    for at in np.flatnonzero((high > low) & (high - low <= _CROWDED)):
        for there in range(low[at], high[at]):
            if one.shoe[at] < other.shoe[there]:
                yield (
                    (int(one.shoe[at]), int(one.place[at])),
                    (int(other.shoe[there]), int(other.place[there])),
                )


# --- how likely it is ---------------------------------------------------------------------------


def match_log(earlier: int, later: int, decks: int, length: int) -> float:
    """Logarithm of the most matches of so many cards expected, ``later`` cards being all of that shoe."""
    places = max(earlier - length + 1, 0) * max(later - length + 1, 0)
    if not places:
        return -math.inf
    cards = len(DECK) * decks
    return math.log(places) + sum(math.log(decks / (cards - each)) for each in range(length))


def bet_log(matches: Sequence[tuple[int, Match]], earlier: int, later: int, decks: int) -> float:
    """Logarithm of the bet on two shoes, spread evenly on lengths and `ORDERS`."""
    total = 0.0
    ways = len(ORDERS) * (LONGEST - SHORTEST + 1)
    for length in range(SHORTEST, LONGEST + 1):
        there = sum(max(0, match.length - length + 1) for _, match in matches)
        if there:
            total += there * math.exp(-match_log(earlier, later, decks, length)) / ways
    return math.log(total) if total else -1e4


def run_needed(earlier: int, later: int, decks: int, log_level: float) -> int | None:
    """Cards in a row that come again which are enough by themselves."""
    for length in range(SHORTEST, LONGEST + 1):
        one = [(0, Match(earlier=0, later=0, length=length))]
        if bet_log(one, earlier, later, decks) >= -log_level:
            return length
    return None


def _result(
    exposure: Exposure,
    kind: str,
    earlier: Shoe,
    later: Shoe,
    matches: Sequence[tuple[int, Match]],
    tests: int,
    level: float,
) -> Pair:
    sizes = len(earlier.dealt), len(DECK) * later.decks
    longest_order, longest = max(matches, key=lambda each: (each[1].length, -each[1].later))
    covered = sum(match.length for order, match in matches if order == longest_order)
    needed = run_needed(*sizes, later.decks, math.log(level / max(tests, 1)))
    log_e = bet_log(matches, *sizes, later.decks)
    numbers = later.rounds[longest.later : longest.later + longest.length]
    ids = exposure.rounds["round_id"]
    of_later = exposure.flows.filter(pl.col("r").is_between(int(later.rounds[0]), int(later.rounds[-1])))
    result = Result(
        question="sequence",
        venue=later.venue,
        kind=kind,
        subject=f"{earlier.name} and {later.name}",
        detail=ORDERS[longest_order],
        trials=len(later.dealt),
        observed=whole(longest.length),
        expected=whole(math.exp(match_log(*sizes, later.decks, SHORTEST)) * len(ORDERS)),
        log_p=min(0.0, -log_e),
        by_bet=True,
        currency=exposure.rounds["currency"][int(later.rounds[0])],
        net=int(of_later["net"].sum()),
        rounds=int(later.rounds[-1] - later.rounds[0]) + 1,
        needed=SHORTEST,
        first_round=ids[int(numbers[0])],
        last_round=ids[int(numbers[-1])],
        limits=f"The longest run has {longest.length} cards, from card {longest.earlier + 1} of the one and "
        f"{longest.later + 1} of the other; {covered} cards lie in runs of {SHORTEST} or more "
        f"({ORDERS[longest_order]}). Observed is the longest run, expected the number of runs of "
        f"{SHORTEST} cards. {_power(needed)}{_NOT_SHOWN}",
    )
    strokes = [match for order, match in matches if order == longest_order]
    return Pair(later=later, result=result, matches=strokes)


_NOT_SHOWN: Final = "Cards in a known order help whoever follows them; that anybody did is not shown."


def _power(needed: int | None) -> str:
    return "" if needed is None else f"One run of {needed} cards is enough, whatever else is random. "


def _nothing(shoes: Sequence[Shoe], kind: str, tests: int) -> Result:
    return Result(
        question="sequence",
        venue=", ".join(sorted({each.venue for each in shoes})),
        kind=kind,
        subject="all",
        trials=tests,
        observed=whole(0),
        expected=None,
        log_p=0.0,
        by_bet=True,
        rounds=sum(len(np.unique(each.rounds)) for each in shoes),
        needed=1,
        limits=f"No run of {SHORTEST} cards came again.",
    )
