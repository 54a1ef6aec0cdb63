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
from fractions import Fraction
from functools import cache
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from audit.surveil.exposure import Exposure
from audit.surveil.likelihood import ODDS, POWER, bets_log, growth_needed, mixed_log, sums_of_runs
from audit.surveil.result import Answer, Result, judged, whole
from rules_replay.dealer_finals import FINALS, dealer_finals, shoe_counts

HANDS: Final = ("pontoon", "pair", "perfect pair", "6-7-8 or 7-7-7", "21 on five cards or more")
"""What a card may complete, by the number of its kind in `audit.surveil.walk`."""

ODDS_SEEN: Final = 1.5
"""How much greater than they should the odds are that a test is wanted to see."""

HAND_KINDS: Final = ("dealer", "table", "player")
DEALER_KINDS: Final = ("dealer", "table")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    """Cards that could complete something, one entry each, with the chance they had.

    ``seen`` has the copies of each card seen by shoe, shape (shoes, 48); ``broken`` by shoe the round
    from which on its cards no longer fit its decks, or -1.
    """

    kind: NDArray[np.int64]
    round: NDArray[np.int64]
    box: NDArray[np.int64]
    chance: NDArray[np.float64]
    hit: NDArray[np.bool_]
    seen: NDArray[np.int64]
    broken: NDArray[np.int64]


def trials_of(exposure: Exposure) -> Trials:
    """Walk through every shoe."""
    # numba takes half a second to import.
    from audit.surveil.walk import CARDS, FINAL_COUNT, walk

    rounds, draws = exposure.rounds, exposure.draws
    room = 3 * len(draws) + FINAL_COUNT * len(rounds)
    shoes = int(rounds["shoe_no"].max() or 0) + 1  # type: ignore[arg-type]
    kind, of_round, of_box, hit = (np.zeros(room, dtype=np.int64) for _ in range(4))
    chance = np.zeros(room, dtype=np.float64)
    seen = np.zeros((shoes, CARDS), dtype=np.int64)
    broken = np.full(shoes, -1, dtype=np.int64)
    split = np.zeros((len(rounds), 100), dtype=np.int64)
    split[draws.round[draws.hand > 1], draws.box[draws.hand > 1]] = 1
    count = walk(
        draws.card,
        draws.round,
        draws.box,
        draws.hand,
        draws.burned.astype(np.int64),
        rounds["shoe_no"].to_numpy(),
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
    return Trials(
        kind=kind[:count],
        round=of_round[:count],
        box=of_box[:count],
        chance=chance[:count],
        hit=hit[:count].astype(bool),
        seen=seen,
        broken=broken,
    )


def card_answers(exposure: Exposure, trials: Trials, level: float) -> Iterator[Answer]:
    """Hands that cards completed at the boxes, and the dealer's totals."""
    from audit.surveil.walk import FINALS as FIRST_FINAL

    logs = np.stack([bets_log(trials.chance, trials.hit, odds) for odds in ODDS])
    table = pl.DataFrame(
        {
            "r": trials.round,
            "box": trials.box,
            "kind": trials.kind,
            "chance": trials.chance,
            "hit": trials.hit,
            **{f"bet{place}": row for place, row in enumerate(logs)},
        }
    ).join(_subjects(exposure), on="r", how="left", maintain_order="left")
    hands = table.filter(pl.col("kind") < FIRST_FINAL).join(
        _players(exposure), on=("r", "box"), how="left", maintain_order="left"
    )
    finals = table.filter(pl.col("kind") >= FIRST_FINAL).with_columns(pl.col("kind") - FIRST_FINAL)
    broken = exposure.rounds.filter(pl.col("r").is_in(trials.broken[trials.broken >= 0].tolist()))
    left_out = [
        f"shoe {shoe} at table {name}: a card that its decks cannot hold; not looked at from {round_id} on"
        for shoe, name, round_id in broken.select("shoe", "table", "round_id").iter_rows()
    ]
    yield Answer(
        question="cards",
        results=[each for kind in HAND_KINDS for each in _results(hands, "cards", kind, HANDS, level)],
        left_out=left_out,
    )
    yield Answer(
        question="dealer",
        results=[each for kind in DEALER_KINDS for each in _results(finals, "dealer", kind, FINALS, level)],
    )


def _subjects(exposure: Exposure) -> pl.DataFrame:
    return exposure.rounds.select("r", "venue", "table", "dealer", "round_id")


def _players(exposure: Exposure) -> pl.DataFrame:
    """The player in control of each box: the first main wager on it."""
    return exposure.boxes.select("r", "box", "player")


def _results(
    table: pl.DataFrame, question: str, kind: str, names: Sequence[str], level: float
) -> list[Result]:
    bets = [f"bet{place}" for place in range(len(ODDS))]
    table = table.drop_nulls(kind).sort("venue", kind, "kind", maintain_order=True)
    grouped = (
        table.group_by("venue", kind, "kind")
        .agg(
            pl.len().alias("trials"),
            pl.col("hit").sum(),
            pl.col("r").n_unique().alias("rounds"),
            pl.col("round_id").first().alias("first"),
            pl.col("round_id").last().alias("last"),
        )
        .sort("venue", kind, "kind")
    )
    lengths = grouped["trials"].to_list()
    expected = sums_of_runs(table["chance"].to_numpy(), lengths)
    logs = mixed_log(sums_of_runs(table.select(bets).to_numpy(), lengths).T)
    log_level = math.log(level / max(len(grouped), 1))
    found = []
    for row, chance, log_e in zip(grouped.iter_rows(named=True), expected, logs, strict=True):
        needed = _needed(float(f"{chance / row['trials']:.3g}"), round(log_level, 6))
        found.append(
            Result(
                question=question,
                venue=row["venue"],
                kind=kind,
                subject=row[kind],
                detail=names[row["kind"]],
                trials=row["trials"],
                observed=whole(row["hit"]),
                expected=whole(chance),
                log_p=min(0.0, -float(log_e)),
                by_bet=True,
                rounds=row["rounds"],
                needed=needed,
                first_round=row["first"],
                last_round=row["last"],
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


# --- a fresh shoe, exactly ---------------------------------------------------------------------


def fresh_chances(decks: int) -> Mapping[str, Fraction]:
    """The chances of the first two cards to a box and of the dealer's totals, from a fresh shoe.

    The dealer's are over his first card too, where he plays his hand to the end.
    """
    cards = 48 * decks
    tens, aces = 12 * decks, 4 * decks
    of_dealer = dict.fromkeys(FINALS, Fraction(0))
    for value, copies in enumerate(shoe_counts(decks), 1):
        for final, chance in dealer_finals(decks, value).items():
            of_dealer[final] += Fraction(copies, cards) * chance
    return {
        "pontoon": Fraction(2 * tens * aces, cards * (cards - 1)),
        "pair": Fraction(4 * decks - 1, cards - 1),
        "perfect pair": Fraction(decks - 1, cards - 1),
        **{f"dealer {final}": chance for final, chance in of_dealer.items()},
    }
