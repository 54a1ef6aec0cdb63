"""How often cards complete a hand, against the exact chances in the shoe as it stood.

Before a card comes, the cards of the shoe that were not seen yet are equally likely, so its chance of
completing a Pontoon, a pair or a bonus hand is a fraction that the log itself gives; so is the
dealer's chance of every total. Each card is one bet against that chance. The bets of a subject
multiply, whatever the players decided in between, and grow only where the cards do not come as
they should.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from audit.surveil.exposure import Exposure
from audit.surveil.likelihood import ODDS, POWER, bets_log, growth_needed, mixed_log, sums_of_runs
from audit.surveil.result import Answer, Result, judged, whole
from rules_replay.dealer_finals import FINALS

HANDS: Final = ("pontoon", "pair", "perfect pair", "6-7-8 or 7-7-7", "21 on five cards or more")
"""What a card may complete, by the number of its kind in `audit.surveil.walk`."""

ODDS_SEEN: Final = 1.5
"""How much greater than they should the odds are that a test is wanted to see."""

HAND_KINDS: Final = ("dealer", "table", "player")
DEALER_KINDS: Final = ("dealer", "table")


BATCH: Final = 200_000
"""Cards of the shoes that are walked through at a time, a shoe more or less."""

_BETS: Final = [f"bet{place}" for place in range(len(ODDS))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    """Cards that could complete something, one entry each, with the chance they had.

    ``seen`` has the copies of each card seen by shoe, shape (shoes, 48); ``broken`` by shoe the round
    from which on its cards no longer fit its decks, or -1. ``first`` is the first round.
    """

    kind: NDArray[np.int64]
    round: NDArray[np.int64]
    box: NDArray[np.int64]
    chance: NDArray[np.float64]
    hit: NDArray[np.bool_]
    seen: NDArray[np.int64]
    broken: NDArray[np.int64]
    first: int
    rounds: int


def trials_of(exposure: Exposure, batch: int = BATCH) -> Iterator[Trials]:
    """Walk through every shoe, so many cards at a time."""
    numbers = exposure.rounds["shoe_no"].to_numpy()
    opens = np.flatnonzero(np.diff(numbers, prepend=-1))
    # The first card of each shoe, and where each batch begins.
    cards = np.searchsorted(exposure.draws.round, opens)
    begins = opens[np.flatnonzero(np.diff(cards // batch, prepend=-1))]
    for start, end in pairwise([*begins.tolist(), len(numbers)]):
        yield _walked(exposure, start, end)


def _walked(exposure: Exposure, start: int, end: int) -> Trials:
    """The trials of whole shoes, from one round to before another."""
    # numba takes half a second to import.
    from audit.surveil.walk import CARDS, FINAL_COUNT, walk

    rounds = exposure.rounds.slice(start, end - start)
    draws = exposure.draws.of_rounds(start, end)
    round_, box, hand, card = (
        each.astype(np.int64) for each in (draws.round - start, draws.box, draws.hand, draws.card)
    )
    numbers = rounds["shoe_no"].to_numpy()
    shoes = int(numbers[-1] - numbers[0]) + 1
    room = 3 * len(draws) + FINAL_COUNT * len(rounds)
    kind, of_round, of_box, hit = (np.zeros(room, dtype=np.int64) for _ in range(4))
    chance = np.zeros(room, dtype=np.float64)
    seen = np.zeros((shoes, CARDS), dtype=np.int64)
    broken = np.full(shoes, -1, dtype=np.int64)
    split = np.zeros((len(rounds), 100), dtype=np.int64)
    split[round_[hand > 1], box[hand > 1]] = 1
    count = walk(
        card,
        round_,
        box,
        hand,
        draws.burned.astype(np.int64),
        numbers - numbers[0],
        rounds["decks"].to_numpy().astype(np.int64),
        (rounds["shuffler"] == "continuous").to_numpy().astype(np.int64),
        (~rounds["disturbed"]).to_numpy().astype(np.int64),
        rounds["live"].to_numpy().astype(np.int64),
        split,
        kind,
        of_round,
        of_box,
        chance,
        hit,
        seen,
        broken,
    )
    broken[broken >= 0] += start
    return Trials(
        kind=kind[:count],
        round=of_round[:count] + start,
        box=of_box[:count],
        chance=chance[:count],
        hit=hit[:count].astype(bool),
        seen=seen,
        broken=broken,
        first=start,
        rounds=end - start,
    )


# --- adding up ---------------------------------------------------------------------------------

Subject: TypeAlias = tuple[str, str, int]
"""Venue, subject, and kind of trial."""


@dataclass(slots=True)
class _Sum:
    """What the trials of a subject come to; ``logs`` are the logarithms of its bets, by `ODDS`."""

    trials: int
    hits: int
    rounds: int
    first: str
    last: str
    chance: float
    logs: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Walked:
    """All shoes walked through: ``seen`` and ``broken`` as in `Trials`, and the sums of all subjects.

    These by what completes a hand (``hands``) or is a dealer's total (``finals``), and by kind of subject.
    """

    seen: NDArray[np.int64]
    broken: NDArray[np.int64]
    hands: Mapping[str, Mapping[Subject, _Sum]]
    finals: Mapping[str, Mapping[Subject, _Sum]]


def walked(exposure: Exposure, batch: int = BATCH) -> Walked:
    """Walk through every shoe and add up, batch after batch."""
    from audit.surveil.walk import CARDS
    from audit.surveil.walk import FINALS as FIRST_FINAL

    hands: dict[str, dict[Subject, _Sum]] = {kind: {} for kind in HAND_KINDS}
    finals: dict[str, dict[Subject, _Sum]] = {kind: {} for kind in DEALER_KINDS}
    seen = [np.zeros((0, CARDS), dtype=np.int64)]
    broken = [np.zeros(0, dtype=np.int64)]
    for trials in trials_of(exposure, batch):
        seen.append(trials.seen)
        broken.append(trials.broken)
        table = _table(exposure, trials)
        of_boxes = table.filter(pl.col("kind") < FIRST_FINAL).join(
            _players(exposure, trials), on=("r", "box"), how="left", maintain_order="left"
        )
        for kind, sums in hands.items():
            _add(sums, of_boxes, kind)
        of_dealer = table.filter(pl.col("kind") >= FIRST_FINAL).with_columns(pl.col("kind") - FIRST_FINAL)
        for kind, sums in finals.items():
            _add(sums, of_dealer, kind)
    return Walked(np.concatenate(seen), np.concatenate(broken), hands, finals)


def _table(exposure: Exposure, trials: Trials) -> pl.DataFrame:
    """The trials with their bets, and the venue, table, dealer and id of their rounds."""
    logs = [bets_log(trials.chance, trials.hit, odds) for odds in ODDS]
    facts = exposure.rounds.slice(trials.first, trials.rounds)
    return pl.DataFrame(
        {
            "r": trials.round,
            "box": trials.box,
            "kind": trials.kind,
            "chance": trials.chance,
            "hit": trials.hit,
            **dict(zip(_BETS, logs, strict=True)),
        }
    ).join(
        facts.select("r", "venue", "table", "dealer", "round_id"), on="r", how="left", maintain_order="left"
    )


def _players(exposure: Exposure, trials: Trials) -> pl.DataFrame:
    """The player in control of each box: the first main wager on it."""
    rounds = exposure.boxes["r"]
    start, end = (rounds.search_sorted(each) for each in (trials.first, trials.first + trials.rounds))
    return exposure.boxes.slice(start, end - start).select("r", "box", "player")


def _add(sums: dict[Subject, _Sum], table: pl.DataFrame, kind: str) -> None:
    """Add trials up by subjects of a kind, in their order: the same bits each time."""
    table = table.drop_nulls(kind).sort("venue", kind, "kind", maintain_order=True)
    grouped = (
        table.group_by("venue", kind, "kind")
        .agg(
            pl.len(),
            pl.col("hit").sum(),
            pl.col("r").n_unique(),
            pl.col("round_id").first().alias("first"),
            pl.col("round_id").last().alias("last"),
        )
        .sort("venue", kind, "kind")
    )
    lengths = grouped["len"].to_list()
    chances = sums_of_runs(table["chance"].to_numpy(), lengths)
    logs = sums_of_runs(table.select(_BETS).to_numpy(), lengths)
    for (venue, subject, of, *counts), chance, bets in zip(grouped.iter_rows(), chances, logs, strict=True):
        trials, hits, rounds, first, last = counts
        so_far = sums.get((venue, subject, of))
        if so_far is None:
            sums[venue, subject, of] = _Sum(trials, hits, rounds, first, last, float(chance), bets.copy())
            continue
        so_far.trials += trials
        so_far.hits += hits
        so_far.rounds += rounds
        so_far.last = last
        so_far.chance += float(chance)
        so_far.logs += bets


# --- what comes of it --------------------------------------------------------------------------


def card_answers(exposure: Exposure, found: Walked, level: float) -> Iterator[Answer]:
    """Hands that cards completed at the boxes, and the dealer's totals."""
    broken = exposure.rounds.filter(pl.col("r").is_in(found.broken[found.broken >= 0].tolist()))
    left_out = [
        f"shoe {shoe} at table {name}: a card that its decks cannot hold; not looked at from {round_id} on"
        for shoe, name, round_id in broken.select("shoe", "table", "round_id").iter_rows()
    ]
    yield Answer(
        question="cards",
        results=[
            each for kind, sums in found.hands.items() for each in _results(sums, "cards", kind, HANDS, level)
        ],
        left_out=left_out,
    )
    yield Answer(
        question="dealer",
        results=[
            each
            for kind, sums in found.finals.items()
            for each in _results(sums, "dealer", kind, FINALS, level)
        ],
    )


def _results(
    sums: Mapping[Subject, _Sum], question: str, kind: str, names: Sequence[str], level: float
) -> list[Result]:
    log_level = math.log(level / max(len(sums), 1))
    found = []
    for (venue, subject, of), each in sorted(sums.items()):
        needed = _needed(float(f"{each.chance / each.trials:.3g}"), round(log_level, 6))
        found.append(
            Result(
                question=question,
                venue=venue,
                kind=kind,
                subject=subject,
                detail=names[of],
                trials=each.trials,
                observed=whole(each.hits),
                expected=whole(each.chance),
                log_p=min(0.0, -float(mixed_log(each.logs))),
                by_bet=True,
                rounds=each.rounds,
                needed=needed,
                first_round=each.first,
                last_round=each.last,
                limits=_limits(needed),
            )
        )
    return judged(found, level)


@cache
def _needed(chance: float, log_level: float) -> int | None:
    return growth_needed(chance, ODDS_SEEN, log_level)


def _limits(needed: int | None) -> str:
    power = (
        "No number of cards is enough."
        if needed is None
        else f"Odds {ODDS_SEEN} times as great are seen in {needed:,} such cards, probability {POWER}."
    )
    return f"{power} It rests on the cards as recorded, and shows neither how they came so nor intent."
