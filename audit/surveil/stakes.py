"""A stake suddenly raised, and the wins that follow.

A player's stake is *raised* where it is at least `TIMES` times the median of his last `BEFORE` rounds.
It is laid before the first card, so at a fair table it says nothing about the outcome. Each raised
round is a bet that the odds of winning are greater than they are in the rounds of the venue that
are not raised (their share, and three standard errors on top). Because a bet is laid before its
round, stakes that follow wins or losses do no harm, as they would to a comparison afterwards.
"""

from __future__ import annotations

import math
from array import array
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Final

import numpy as np
import polars as pl

from audit.surveil.exposure import Exposure
from audit.surveil.likelihood import POWER, mixed_log
from audit.surveil.result import Answer, Result, Series, judged, whole

BEFORE: Final = 10
TIMES: Final = 3
ODDS: Final = (1.5, 2.0, 3.0, 6.0, 12.0)
"""How much greater the odds of winning may be: the bet is spread on these."""
ODDS_SEEN: Final = 3.0
SHOWN: Final = 12
"""Players drawn, those with the greatest bets."""


@dataclass(slots=True)
class _Played:
    """A player's rounds in order: number, stake, whether won, whether raised (0 or 1), and net."""

    rounds: array[int] = field(default_factory=lambda: array("i"))
    stakes: array[int] = field(default_factory=lambda: array("q"))
    won: bytearray = field(default_factory=bytearray)
    raised: bytearray = field(default_factory=bytearray)
    nets: array[int] = field(default_factory=lambda: array("q"))


def stake_answer(exposure: Exposure, level: float) -> Answer:
    """Raised stakes by player, and by dealer and player."""
    facts = exposure.rounds.select("r", "venue", "currency", "started_at")
    rows = (
        exposure.flows.filter(pl.col("staked") > 0)
        .select("r", "player", "staked", "won")
        .join(facts, on="r", how="left", maintain_order="left")
        .sort("venue", "currency", "player", "started_at", "r")
    )
    players = _played(rows)
    shares = _shares(players)
    dealers = exposure.rounds["dealer"]
    ids = exposure.rounds["round_id"]
    by_player = [_result(key, "player", key[2], each, shares, ids, None) for key, each in players.items()]
    by_pair = [
        _result(key, "pair", f"{dealer} and {key[2]}", each, shares, ids, {dealer: dealers})
        for key, each in players.items()
        for dealer in sorted(
            {dealers[r] for r, up in zip(each.rounds, each.raised, strict=True) if up} - {None}
        )
    ]
    results = []
    for candidates in (by_player, by_pair):
        results += judged(_with_power([each for each in candidates if each is not None], level), level)
    return Answer(question="stake", results=results, series=list(_series(players, results)))


Key = tuple[str, str, str]


def _played(rows: pl.DataFrame) -> Mapping[Key, _Played]:
    players: dict[Key, _Played] = {}
    before: deque[int] = deque(maxlen=BEFORE)
    last: Key | None = None
    for r, player, staked, won, venue, currency in rows.select(
        "r", "player", "staked", "won", "venue", "currency"
    ).iter_rows():
        key = (venue, currency, player)
        if key != last:
            before.clear()
            last = key
        each = players.setdefault(key, _Played())
        each.rounds.append(r)
        each.stakes.append(staked)
        each.won.append(won > 0)
        each.nets.append(won)
        each.raised.append(len(before) == BEFORE and staked >= TIMES * median(before))
        before.append(staked)
    return players


def _shares(players: Mapping[Key, _Played]) -> Mapping[str, float]:
    """By venue the share of rounds won at a stake not raised, with three standard errors on top."""
    won: dict[str, list[int]] = {}
    for (venue, _, _), each in players.items():
        counted = won.setdefault(venue, [0, 0])
        for hit, raised in zip(each.won, each.raised, strict=True):
            counted[0] += hit and not raised
            counted[1] += not raised
    return {
        venue: min(0.9, hits / count + 3 * math.sqrt(hits / count * (1 - hits / count) / count) + 1 / count)
        for venue, (hits, count) in won.items()
        if count
    }


def _result(
    key: Key,
    kind: str,
    subject: str,
    played: _Played,
    shares: Mapping[str, float],
    ids: pl.Series,
    with_dealer: Mapping[str, pl.Series] | None,
) -> Result | None:
    venue, currency, _ = key
    chosen = [place for place, up in enumerate(played.raised) if up]
    if with_dealer is not None:
        ((dealer, dealers),) = with_dealer.items()
        chosen = [place for place in chosen if dealers[played.rounds[place]] == dealer]
    if not chosen or venue not in shares:
        return None
    share = shares[venue]
    hits = sum(played.won[place] for place in chosen)
    logs = np.array([hits * math.log(odds) - len(chosen) * math.log1p(share * (odds - 1)) for odds in ODDS])
    return Result(
        question="stake",
        venue=venue,
        kind=kind,
        subject=subject,
        trials=len(chosen),
        observed=whole(hits),
        expected=whole(share * len(chosen)),
        log_p=min(0.0, -float(mixed_log(logs))),
        by_bet=True,
        currency=currency,
        net=sum(played.nets[place] for place in chosen),
        rounds=len(played.rounds),
        first_round=ids[played.rounds[chosen[0]]],
        last_round=ids[played.rounds[chosen[-1]]],
        limits=_change(played, chosen),
    )


def _change(played: _Played, chosen: list[int]) -> str:
    """The first raise of the best run of wins, in words."""
    first = chosen[0]
    usual = median(played.stakes[max(0, first - BEFORE) : first])
    return f"First raised from {usual / 1000:g} to {played.stakes[first] / 1000:g}."


def _with_power(results: list[Result], level: float) -> Iterator[Result]:
    log_level = math.log(level / max(len(results), 1))
    for each in results:
        share = float(each.expected or 0) / each.trials
        needed = rounds_needed(round(share, 2), round(log_level, 6))
        yield replace(
            each,
            needed=needed,
            limits=f"{each.limits} Odds of winning {ODDS_SEEN:g} times as great are seen in {needed} raised "
            f"rounds with a probability of {POWER}. Who knows what cards are left or is lucky wins as well; "
            "nothing shows that anybody knew.",
        )


def rounds_needed(share: float, log_level: float) -> int | None:
    """Raised rounds after which odds `ODDS_SEEN` times as great are seen with probability `POWER`."""
    from scipy.stats import binom

    better = ODDS_SEEN * share / (1 + share * (ODDS_SEEN - 1))
    for count in range(1, 2000):
        hits = int(binom.isf(POWER, count, better))
        logs = np.array([hits * math.log(odds) - count * math.log1p(share * (odds - 1)) for odds in ODDS])
        if mixed_log(logs) >= -log_level:
            return count
    return None


def _series(players: Mapping[Key, _Played], results: list[Result]) -> Iterator[Series]:
    """The stakes of the players with the greatest bets, with raised rounds that were won as marks."""
    best = sorted(
        (each for each in results if each.kind == "player"),
        key=lambda each: (each.verdict != "unusual", each.log_p or 0.0, each.subject),
    )[:SHOWN]
    for each in best:
        played = players[each.venue, str(each.currency), each.subject]
        points = [(float(place), stake / 1000) for place, stake in enumerate(played.stakes)]
        marks = [
            point for point, hit, up in zip(points, played.won, played.raised, strict=True) if hit and up
        ]
        yield Series(name=f"{each.subject} ({each.verdict})", points=points, marks=marks)
