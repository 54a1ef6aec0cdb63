"""Tables of rounds for the questions of surveillance, made without a lake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl

from audit.surveil.exposure import Draws, Exposure
from rules_replay.cards import DECK

BEGIN = datetime(2023, 9, 30, 8, tzinfo=UTC)
EMPTY: Mapping[str, pl.DataFrame] = {
    "flows": pl.DataFrame(
        schema={
            "r": pl.Int64,
            "player": pl.String,
            **dict.fromkeys(("lines", "net", "staked", "won", "over", "under", "found"), pl.Int64),
        }
    ),
    "codes": pl.DataFrame(schema={"r": pl.Int64, "code": pl.String}),
    "presses": pl.DataFrame(
        schema={"r": pl.Int64, "box": pl.Int64, "multiplier": pl.Int64, "player": pl.String}
    ),
    "boxes": pl.DataFrame(schema={"r": pl.Int64, "box": pl.Int64, "player": pl.String}),
    "sides": pl.DataFrame(
        schema={
            "r": pl.Int64,
            "kind": pl.String,
            "lines": pl.Int64,
            "staked": pl.Int64,
            "net": pl.Int64,
            "units": pl.Float64,
        }
    ),
}


def rounds_of(count: int, **columns: Sequence[Any]) -> pl.DataFrame:
    """So many rounds of one table, one shoe and one dealer, but for the columns given."""
    plain: dict[str, Any] = {
        "r": range(count),
        "shoe_no": [0] * count,
        "venue": ["casino-canberra"] * count,
        "gaming_date": [date(2023, 9, 30)] * count,
        "round_id": [f"R{number:05d}" for number in range(count)],
        "table": ["P01"] * count,
        "shoe": ["S1"] * count,
        "round_no": range(1, count + 1),
        "started_at": [BEGIN + timedelta(minutes=number) for number in range(count)],
        "shift": ["2023-09-30 evening"] * count,
        "decks": [6] * count,
        "shuffler": ["manual"] * count,
        "currency": ["AUD"] * count,
        "dealer": ["D01"] * count,
        "disturbed": [False] * count,
        "exhausted": [False] * count,
        "live": [False] * count,
        "lines": [1] * count,
        "rulebook": ["act-2018"] * count,
    }
    return pl.DataFrame({**plain, **columns})


def flows_of(rounds: pl.DataFrame, **columns: Sequence[Any]) -> pl.DataFrame:
    """One player a round with one wager of 10, lost, but for the columns given."""
    count = len(rounds)
    plain: dict[str, Any] = {
        "r": rounds["r"],
        "player": ["P1"] * count,
        "lines": [1] * count,
        "net": [-10_000] * count,
        "staked": [10_000] * count,
        "won": [-10_000] * count,
        "over": [0] * count,
        "under": [0] * count,
        "found": [0] * count,
    }
    return pl.DataFrame({**plain, **columns})


def draws_of(cards: Sequence[tuple[int, int, str]]) -> Draws:
    """Cards as (round, box, card) in the order drawn, all to hand 1; ``??`` could not be read."""
    codes = [DECK.index(card) if card in DECK else -1 for _, _, card in cards]
    return Draws(
        round=np.array([number for number, _, _ in cards], dtype=np.int32),
        box=np.array([box for _, box, _ in cards], dtype=np.int8),
        hand=np.ones(len(cards), dtype=np.int8),
        card=np.array(codes, dtype=np.int8),
        burned=np.zeros(len(cards), dtype=bool),
    )


def exposure_of(rounds: pl.DataFrame, draws: Draws | None = None, **frames: pl.DataFrame) -> Exposure:
    """An exposure of these tables, the others empty."""
    tables = {**EMPTY, **frames}
    return Exposure(
        rounds=rounds,
        draws=draws or draws_of(()),
        flows=tables["flows"],
        codes=tables["codes"],
        presses=tables["presses"],
        boxes=tables["boxes"],
        sides=tables["sides"],
    )
