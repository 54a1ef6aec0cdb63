"""Cards that never come: a card missing from the decks on a table.

Of a shoe from which a card is missing, that card is seen less often. With D copies of a card in N
cards, of which m were seen and x of them that card, the odds that one copy is missing are
multiplied by ``(1 - x/D) / (1 - m/N)``; where all D were seen nothing of it is left. Shoes made of the
same decks multiply. For several cards missing at once the multipliers are added up over every choice of
them (an elementary symmetric polynomial), and one to `MOST` missing cards share the bet evenly. It is
fair: where nothing is missing it passes 1 / level with a probability of at most the level, however often
it is looked at (Ville's inequality).

The log does not say which decks are in a shoe. So the decks are taken to be those of a table on a
gaming date, of every other shoe of it (two sets in turn), and of a table throughout.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from audit.surveil.cards import Walked
from audit.surveil.exposure import Exposure
from audit.surveil.likelihood import POWER, Floats, Ints, log_text, mixed_log
from audit.surveil.result import Answer, Result, Series, judged, whole
from rules_replay.cards import DECK

MOST: Final = 8
"""Most cards taken to be missing at once."""

RUNS: Final = 200
SHOES: Final = 300
"""Shoes of decks that lack a card dealt to find how many it takes."""

_NOTHING = -1e4


def bet_logs(seen: Ints, decks: int) -> Floats:
    """Logarithm of the bet after each shoe that cards are missing.

    ``seen`` has shape (shoes, 48), or (series, shoes, 48) for several series of shoes at once.
    """
    cards = len(DECK) * decks
    with np.errstate(divide="ignore"):
        logs = np.cumsum(np.log(1 - seen / decks), axis=-2)
    rest = cards - seen.sum(axis=-1)
    sizes = np.arange(MOST)
    drawn = np.log(cards - sizes) - np.log(np.maximum(rest[..., None] - sizes, 0.5))
    found = _choices_log(logs) + np.moveaxis(np.cumsum(np.cumsum(drawn, axis=-1), axis=-2), -1, 0)
    found[:, rest < MOST] = _NOTHING
    return mixed_log(np.maximum(found, _NOTHING))


def _choices_log(logs: Floats) -> Floats:
    """Logarithm of the mean, over every choice of different cards, of the product of their shares.

    By the number chosen, from 1 to `MOST`, along a first axis of its own.
    """
    most = np.maximum(logs.max(axis=-1), -500.0)
    shares = np.exp(np.maximum(logs - most[..., None], -700.0))
    sums = np.zeros((MOST + 1, *most.shape))
    sums[0] = 1.0
    for card in range(shares.shape[-1]):
        sums[1:] += sums[:-1] * shares[..., card]
    ways = np.array([math.log(math.comb(len(DECK), size)) for size in range(1, MOST + 1)])
    sizes = np.arange(1, MOST + 1)
    outer = (slice(None), *(None for _ in most.shape))
    with np.errstate(divide="ignore"):
        found: Floats = np.log(sums[1:]) - ways[outer] + sizes[outer] * most
    return found


def card_logs(seen: Ints, decks: int) -> Floats:
    """Logarithm of the bet on each card alone, after all shoes; shape (48,)."""
    cards = len(DECK) * decks
    with np.errstate(divide="ignore"):
        logs = np.log(1 - seen / decks).sum(axis=0)
    rest = cards - seen.sum(axis=1)
    found: Floats = np.maximum(logs + np.log(cards / np.maximum(rest, 1)).sum(), _NOTHING)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Decks:
    """Shoes that are taken to be made of the same decks, in the order dealt.

    ``seen`` has the copies of each card seen in each, ``rounds`` the rounds of each, ``ends`` the id of its
    last round.
    """

    venue: str
    kind: str
    subject: str
    decks: int
    seen: NDArray[np.int64]
    rounds: Sequence[int]
    begins: Sequence[str]
    ends: Sequence[str]


def missing_answer(exposure: Exposure, found_in: Walked, level: float) -> Answer:
    """Decks that seem to lack cards."""
    sets = list(_sets(exposure, found_in))
    found: list[Result] = []
    series: list[Series] = []
    for kind in ("table and date", "every other shoe", "table"):
        of_kind = [each for each in sets if each.kind == kind]
        log_level = math.log(level / max(len(of_kind), 1))
        results = judged([_result(each, log_level) for each in of_kind], level)
        for decks, result in zip(of_kind, results, strict=True):
            if result.verdict == "unusual" or (kind == "table and date" and len(series) < 40):
                logs = bet_logs(decks.seen, decks.decks)
                points = [(float(at), float(log) / math.log(10)) for at, log in enumerate(logs, 1)]
                name = f"{kind} {decks.subject}" if result.verdict == "unusual" else ""
                series.append(Series(name=name, points=[(0.0, 0.0), *points]))
        found += [
            replace(each, limits=f"{_cards(decks)} {each.limits}") if each.verdict == "unusual" else each
            for decks, each in zip(of_kind, results, strict=True)
        ]
    continuous = exposure.rounds.filter(pl.col("shuffler") == "continuous")
    left_out = (
        [f"{len(continuous):,} rounds from continuous shufflers, which no shoe ends: not evaluable"]
        if len(continuous)
        else []
    )
    return Answer(
        question="missing", results=found, series=series, threshold=-math.log10(level), left_out=left_out
    )


def _sets(exposure: Exposure, found_in: Walked) -> Iterator[Decks]:
    shoes = (
        exposure.rounds.filter(pl.col("shuffler") != "continuous")
        .group_by("shoe_no", maintain_order=True)
        .agg(
            pl.col("venue", "table", "gaming_date").first(),
            pl.col("decks").max(),
            pl.col("decks").n_unique().alias("counts"),
            pl.col("exhausted").any(),
            pl.len().alias("rounds"),
            pl.col("round_id").first().alias("begins"),
            pl.col("round_id").last().alias("ends"),
        )
        .filter(~pl.col("exhausted"), pl.col("counts") == 1, pl.col("decks") > 0)
        .filter(~pl.col("shoe_no").is_in(np.flatnonzero(found_in.broken >= 0).tolist()))
        .with_columns(turn=pl.int_range(pl.len()).over("venue", "table", "gaming_date") % 2)
    )
    for kind, keys in (
        ("table and date", ("table", "gaming_date")),
        ("every other shoe", ("table", "gaming_date", "turn")),
        ("table", ("table",)),
    ):
        for values, rows in shoes.group_by("venue", *keys, "decks", maintain_order=True):
            venue, *names, decks = values
            yield Decks(
                venue=str(venue),
                kind=kind,
                subject=_named(kind, names, int(decks)),
                decks=int(decks),
                seen=found_in.seen[rows["shoe_no"].to_numpy()],
                rounds=rows["rounds"].to_list(),
                begins=rows["begins"].to_list(),
                ends=rows["ends"].to_list(),
            )


def _named(kind: str, names: Sequence[object], decks: int) -> str:
    words = " ".join(str(each) for each in names[:2])
    turn = (", odd shoes", ", even shoes")[int(str(names[2]))] if kind == "every other shoe" else ""
    return f"{words}, {decks} decks{turn}"


def _result(decks: Decks, log_level: float) -> Result:
    logs = bet_logs(decks.seen, decks.decks)
    best = int(np.argmax(logs))
    log_e = max(0.0, float(logs[best]))
    passed = np.flatnonzero(logs >= -log_level)
    share = float(decks.seen.sum()) / (len(decks.seen) * len(DECK) * decks.decks)
    needed = shoes_needed(decks.decks, round(20 * share) / 20, 1, round(log_level, 6))
    a_shoe = sum(decks.rounds) / len(decks.rounds)
    seen = decks.seen[: best + 1].sum(axis=0)
    least = int(np.argmax(card_logs(decks.seen[: best + 1], decks.decks)))
    limits = _power(needed, decks, a_shoe)
    if len(passed):
        at = int(passed[0])
        limits = f"Passed after {at + 1} shoes, {sum(decks.rounds[: at + 1])} rounds. {limits}"
    return Result(
        question="missing",
        venue=decks.venue,
        kind=decks.kind,
        subject=decks.subject,
        detail=DECK[least],
        trials=len(decks.seen),
        observed=whole(int(seen[least])),
        expected=whole(float(seen.mean())),
        log_p=-log_e,
        by_bet=True,
        rounds=sum(decks.rounds),
        needed=needed,
        first_round=decks.begins[0],
        last_round=decks.ends[best],
        limits=limits,
    )


def _power(needed: int | None, decks: Decks, a_shoe: float) -> str:
    if needed is None:
        return f"One card missing of {decks.decks} decks takes more than {SHOES} shoes to be seen."
    return (
        f"One card missing of {decks.decks} decks is seen in {needed} shoes, about "
        f"{round(needed * a_shoe):,} rounds, with a probability of {POWER}. Which decks a shoe is made of is "
        "not recorded. A shuffle that leaves cards behind looks the same; how a card came to be missing "
        "is not shown."
    )


def _cards(decks: Decks) -> str:
    """The cards on which the bet alone has grown most, with how often they were seen."""
    best = int(np.argmax(bet_logs(decks.seen, decks.decks)))
    seen = decks.seen[: best + 1]
    logs = card_logs(seen, decks.decks)
    mean = seen.sum() / len(DECK)
    order = sorted(range(len(DECK)), key=lambda place: (-logs[place], place))[:MOST]
    told = [
        f"{DECK[place]} (seen {int(seen[:, place].sum())} times, e {log_text(float(logs[place]))})"
        for place in order
        if logs[place] > 0
    ]
    return f"Seen least of an average of {mean:.1f}: {', '.join(told)}."


@cache
def shoes_needed(decks: int, share: float, lacking: int, log_level: float) -> int | None:
    """Shoes after which cards that are missing are found with probability `POWER`, by dealing such shoes.

    ``share`` of the shoe is seen each time; ``lacking`` different cards are missing. None for more than
    `SHOES`. The same arguments give the same number.
    """
    grown = growth(decks, share, lacking)
    passed = grown >= -log_level
    first = np.where(passed.any(axis=1), passed.argmax(axis=1), SHOES)
    needed = int(np.sort(first)[math.ceil(POWER * RUNS) - 1])
    return needed + 1 if needed < SHOES else None


@cache
def growth(decks: int, share: float, lacking: int) -> Floats:
    """How the bet grew in `RUNS` series of shoes that lack cards, as logarithms; shape (runs, shoes)."""
    rng = np.random.default_rng([decks, round(share * 1000), lacking])
    copies = np.full(len(DECK), decks)
    copies[:lacking] -= 1
    drawn = min(round(share * len(DECK) * decks), int(copies.sum()))
    seen = rng.multivariate_hypergeometric(copies, drawn, size=(RUNS, SHOES))
    return bet_logs(seen, decks)
