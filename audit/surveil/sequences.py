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
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from audit.surveil.exposure import Exposure
from audit.surveil.likelihood import Floats, Ints, mixed_log
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
LISTED: Final = 10_000
"""Pairs of shoes far from one another with a result of their own: those with the greatest bets."""

_CROWDED: Final = 2000
"""Sequences that come more often than this in all shoes are left to chance."""
_BLOCK: Final = 20_000
"""Cards of earlier shoes that are looked for at a time."""
_END: Final = -9
"""Stands where a shoe ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shoe:
    """A shoe as it came out: ``dealt`` are places in the deck, below 0 for cards that were not read."""

    number: int
    venue: str
    table: str
    name: str
    decks: int
    dealt: NDArray[np.int8]
    taken: NDArray[np.int8]
    rounds: NDArray[np.int32]


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
    place = _places(shoes)
    found, unlisted = _pairs(shoes, place)
    moved = _Moved.of(exposure)
    results: list[Result] = []
    series: list[Series] = []
    for kind, near in (("next shoes", True), ("earlier shoes", False)):
        tests = _tests(shoes, near)
        chosen = [pair for pair in sorted(found) if (place[pair[1]] - place[pair[0]] <= NEXT) == near]
        pairs = [
            _result(
                moved, kind, shoes_at(shoes, one), shoes_at(shoes, other), found[one, other], tests, level
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
    left_out = []
    if continuous:
        left_out.append(f"{continuous:,} rounds from continuous shufflers, which no shoe ends: not evaluable")
    if unlisted:
        left_out.append(
            f"{unlisted:,} pairs of earlier shoes with a run in common: tested, and not listed beside the "
            f"{LISTED:,} least likely"
        )
    return Answer(question="sequence", results=results, series=series, left_out=left_out)


@dataclass(frozen=True, slots=True)
class _Moved:
    """What results say of rounds: their ids and currencies, and ``net`` won before each place in ``r``."""

    ids: pl.Series
    currencies: pl.Series
    r: Ints
    net: Ints

    @classmethod
    def of(cls, exposure: Exposure) -> _Moved:
        """Of all rounds."""
        net = np.concatenate([[0], np.cumsum(exposure.flows["net"].to_numpy())])
        return cls(
            exposure.rounds["round_id"], exposure.rounds["currency"], exposure.flows["r"].to_numpy(), net
        )

    def net_of(self, first: int, last: int) -> int:
        """What players won from one round to another."""
        return int(
            self.net[np.searchsorted(self.r, last, "right")] - self.net[np.searchsorted(self.r, first)]
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
        part = slice(start, end)
        yield Shoe(
            number=number,
            venue=venue,
            table=table,
            name=name,
            decks=decks,
            dealt=draws.card[part],
            taken=_taken(draws.round[part], draws.box[part], draws.hand[part], draws.card[part]),
            rounds=draws.round[part],
        )


def _taken(
    rounds: NDArray[np.int32], boxes: NDArray[np.int8], hands: NDArray[np.int8], cards: NDArray[np.int8]
) -> NDArray[np.int8]:
    """The cards hand by hand, from the last box to the first, the dealer's on top."""
    turns = np.where(boxes == 0, np.int16(1000), -boxes.astype(np.int16))
    order = np.lexsort((np.arange(len(cards)), hands, turns, rounds))
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

Found: TypeAlias = dict[tuple[int, int], list[tuple[int, Match]]]
"""By number of the earlier and the later shoe their matches, each with its order."""


@dataclass(frozen=True, slots=True)
class _Line:
    """The cards of all shoes in one line, each shoe followed by a place without a card.

    ``opens`` has where each shoe begins, and last where the line ends; ``shoe`` the place of the shoe among
    all, by card.
    """

    cards: NDArray[np.int8]
    opens: Ints
    shoe: NDArray[np.int32]

    @classmethod
    def of(cls, shoes: Sequence[Shoe], order: int) -> _Line:
        """All shoes with their cards in an order."""
        lengths = np.array([len(each.dealt) + 1 for each in shoes], dtype=np.int64)
        cards = np.full(int(lengths.sum()), _END, dtype=np.int8)
        opens = np.concatenate([[0], np.cumsum(lengths)])
        for each, start in zip(shoes, opens.tolist(), strict=False):
            cards[start : start + len(each.dealt)] = _in_order(each, order)
        return cls(cards, opens, np.repeat(np.arange(len(shoes), dtype=np.int32), lengths))

    def runs(self, start: int, end: int) -> tuple[NDArray[np.int32], Ints]:
        """The runs of `SHORTEST` cards that begin in a part of the line: their codes, sorted, and places."""
        part = self.cards[start : end + SHORTEST - 1]
        count = max(len(part) - SHORTEST + 1, 0)
        code = np.zeros(count, dtype=np.int32)
        good = np.ones(count, dtype=bool)
        for step in range(SHORTEST):
            cards = part[step : step + count]
            code = code * np.int32(len(DECK)) + np.maximum(cards, 0)
            good &= cards >= 0
        places = np.flatnonzero(good)
        order = np.argsort(code[places], kind="stable")
        return code[places][order], places[order] + start


def _pairs(shoes: Sequence[Shoe], place: Mapping[int, int]) -> tuple[Found, int]:
    """The longest matches of pairs of shoes, and how many pairs with a match are left out.

    Of shoes that are not next to one another the `LISTED` pairs with the greatest bets are given. Shoes are
    looked at so many cards at a time, each with all that come after.
    """
    near: Found = {}
    far: list[tuple[float, tuple[int, int], list[tuple[int, Match]]]] = []
    total = 0
    if not shoes:
        return near, 0
    lines = [_Line.of(shoes, order) for order in range(len(ORDERS))]
    later = lines[0].runs(0, len(lines[0].cards))
    facts = _Facts.of(shoes)
    opens = lines[0].opens
    begins = np.flatnonzero(np.diff(opens[:-1] // _BLOCK, prepend=-1))
    for first, beyond in pairwise([*begins.tolist(), len(shoes)]):
        found = [_matches(line, lines[0], later, opens[first], opens[beyond], facts) for line in lines]
        for bet, (one, other), matches in _by_pair(found, lines, facts):
            pair = shoes[one].number, shoes[other].number
            if place[pair[1]] - place[pair[0]] <= NEXT:
                near[pair] = matches
            else:
                total += 1
                far.append((-bet, pair, matches))
        if len(far) > 2 * LISTED:
            far = sorted(far, key=lambda each: each[:2])[:LISTED]
    far = sorted(far, key=lambda each: each[:2])[:LISTED]
    return near | {pair: matches for _, pair, matches in far}, total - len(far)


@dataclass(frozen=True, slots=True)
class _Facts:
    """Of each shoe: a number for its venue, its cards dealt, and its decks."""

    venue: Ints
    dealt: Ints
    decks: Ints

    @classmethod
    def of(cls, shoes: Sequence[Shoe]) -> _Facts:
        """Those of all shoes, in their order."""
        venues = {venue: number for number, venue in enumerate(dict.fromkeys(each.venue for each in shoes))}
        return cls(
            venue=np.array([venues[each.venue] for each in shoes]),
            dealt=np.array([len(each.dealt) for each in shoes]),
            decks=np.array([each.decks for each in shoes]),
        )


_Matches: TypeAlias = tuple[Ints, Ints, Ints]
"""Places in the line of the earlier and of the later shoe, and how many cards are alike from there."""


def _matches(
    line: _Line, dealt: _Line, later: tuple[NDArray[np.int32], Ints], start: int, end: int, facts: _Facts
) -> _Matches:
    """The longest matches that begin in a part of a line, with all later shoes as dealt."""
    codes, places = line.runs(start, end)
    low, high = (np.searchsorted(later[0], codes, side) for side in ("left", "right"))
    counts = np.where(high - low <= _CROWDED, high - low, 0)
    begins = np.cumsum(counts) - counts
    at = np.repeat(low - begins, counts) + np.arange(int(counts.sum()))
    one, other = np.repeat(places, counts), later[1][at]
    first, second = line.shoe[one], dealt.shoe[other]
    kept = (first < second) & (facts.venue[first] == facts.venue[second])
    one, other = one[kept], other[kept]
    before = line.cards[one - 1]
    # A place before the first card holds none: in the line it is the end of the shoe before.
    longer = (before == dealt.cards[other - 1]) & (before >= 0)
    one, other = one[~longer], other[~longer]
    length = np.full(len(one), SHORTEST, dtype=np.int64)
    growing = np.arange(len(one))
    while len(growing):
        beyond = line.cards[one[growing] + length[growing]]
        alike = (beyond == dealt.cards[other[growing] + length[growing]]) & (beyond >= 0)
        growing = growing[alike]
        length[growing] += 1
    return one, other, length


def _by_pair(
    found: Sequence[_Matches], lines: Sequence[_Line], facts: _Facts
) -> Iterator[tuple[float, tuple[int, int], list[tuple[int, Match]]]]:
    """By pair of shoes its bet, about, and its matches in the order found."""
    one, other, length = (np.concatenate([each[part] for each in found]) for part in range(3))
    if not len(one):
        return
    order = np.repeat(np.arange(len(found)), [len(each[0]) for each in found])
    first = np.concatenate([line.shoe[each[0]] for line, each in zip(lines, found, strict=True)])
    second = lines[0].shoe[other]
    by_pair = np.lexsort((second, first))
    one, other, length, order, first, second = (
        each[by_pair].astype(np.int64) for each in (one, other, length, order, first, second)
    )
    opens = lines[0].opens
    bets = _bets(length, facts.dealt[first], facts.decks[second])
    starts = np.flatnonzero((np.diff(first, prepend=-1) != 0) | (np.diff(second, prepend=-1) != 0))
    sums = np.add.reduceat(bets, starts)
    columns = (order, one - opens[first], other - opens[second], length)
    for bet, (start, end) in zip(sums.tolist(), pairwise([*starts.tolist(), len(first)]), strict=True):
        rows = zip(*(each[start:end].tolist() for each in columns), strict=True)
        matches = [(of, Match(earlier=i, later=j, length=cards)) for of, i, j, cards in rows]
        yield bet, (int(first[start]), int(second[start])), matches


def _bets(length: Ints, earlier: Ints, decks: Ints) -> Floats:
    """What each match adds to the bet on its shoes, as `bet_log` has it."""
    found = np.zeros(len(length))
    cards = len(DECK) * decks
    chance = np.ones(len(length))
    for size in range(1, LONGEST + 1):
        chance = chance * decks / (cards - size + 1)
        if size >= SHORTEST:
            expected = np.maximum(earlier - size + 1, 1) * np.maximum(cards - size + 1, 1) * chance
            found += np.maximum(length - size + 1, 0) / expected
    return found / (len(ORDERS) * (LONGEST - SHORTEST + 1))


def shoes_at(shoes: Sequence[Shoe], number: int) -> Shoe:
    """The shoe of a number in a sorted list."""
    return shoes[bisect_left(shoes, number, key=lambda each: each.number)]


def _in_order(shoe: Shoe, order: int) -> NDArray[np.int8]:
    cards = shoe.dealt if order < 2 else shoe.taken
    return cards[::-1] if order % 2 else cards


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
    moved: _Moved,
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
        currency=moved.currencies[int(later.rounds[0])],
        net=moved.net_of(int(later.rounds[0]), int(later.rounds[-1])),
        rounds=int(later.rounds[-1] - later.rounds[0]) + 1,
        needed=SHORTEST,
        first_round=moved.ids[int(numbers[0])],
        last_round=moved.ids[int(numbers[-1])],
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
