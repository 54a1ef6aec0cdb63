"""The simplest hands of one rulebook settled in plain Polars and in DuckDB SQL.

This is what a settlement comes to without an engine. It takes hands that are not split,
doubled, surrendered or insured, in rounds without a void, a burn or anything out of the
ordinary, and of their wagers the main ones alone. They win, lose or stand off against the
dealer by total, at the odds of Table 1 of `act-2018`. No order of events is looked at, no
legality, no reading, and nothing is compared with what was recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import duckdb
import polars as pl

RULEBOOK = "act-2018"
NOT_SIMPLE = ("split", "double", "surrender", "forfeit", "assign")
"""Events that take the hands of a box out."""

OTHER_WAGERS = ("split", "double", "insurance")
"""Kinds of wagers that do so, also where the recorder writes no decisions."""

OUT_OF_THE_ORDINARY = ("void", "irregularity", "withdraw", "burn")
"""Events that take a whole round out."""

GIVEN_UP = ("surrender", "forfeit")
"""Recorded results that do so."""

_SQL = """
WITH log AS (
    SELECT round_id, e, box, wager, kind, amount, card, result
    FROM read_parquet($files, hive_partitioning = false)
), cards AS (
    SELECT round_id, box, card[-1:] AS suit,
           CASE card[:-2] WHEN 'A' THEN 1 WHEN 'J' THEN 10 WHEN 'Q' THEN 10 WHEN 'K' THEN 10
                          ELSE CAST(card[:-2] AS TINYINT) END AS points
    FROM log WHERE e = 'deal'
), hands AS (
    SELECT round_id, box, count(*) AS cards, sum(points) AS hard, bool_or(points = 1) AS ace,
           min(suit) AS suit, min(suit) = max(suit) AS suited,
           bool_and(points = 7)
               OR (bool_or(points = 6) AND bool_or(points = 7) AND bool_or(points = 8)) AS special
    FROM cards GROUP BY ALL
), totals AS (
    SELECT *, CASE WHEN ace AND hard <= 11 THEN hard + 10 ELSE hard END AS total FROM hands
), met AS (
    SELECT w.round_id, w.wager, w.amount, p.*,
           CASE WHEN p.total > 21 THEN 'lose'
                WHEN p.total = 21 OR d.total > 21 OR p.total > d.total THEN 'win'
                WHEN p.total < d.total THEN 'lose'
                ELSE 'stand_off' END AS result
    FROM log AS w
    JOIN totals AS p USING (round_id, box)
    JOIN totals AS d ON d.round_id = w.round_id AND d.box = 0
    ANTI JOIN (SELECT round_id FROM log WHERE e IN $out_of_the_ordinary OR result IN $given_up) AS odd
        ON odd.round_id = w.round_id
    ANTI JOIN (SELECT round_id, box FROM log WHERE e IN $not_simple OR kind IN $other_wagers) AS less
        ON less.round_id = w.round_id AND less.box = w.box
    WHERE w.e = 'wager' AND w.kind = 'main'
)
SELECT round_id, wager, result,
       CAST(CASE WHEN result <> 'win' THEN 0
            WHEN total < 21 OR cards = 4 THEN amount
            WHEN cards = 2 OR cards = 5 THEN amount * 1.5
            WHEN cards = 6 THEN amount * 2
            WHEN cards >= 7 THEN amount * 3
            WHEN NOT special THEN amount
            WHEN NOT suited THEN amount * 1.5
            WHEN suit = 'S' THEN amount * 3
            ELSE amount * 2 END AS DECIMAL(18, 3)) AS paid
FROM met
"""


def in_duckdb(files: Sequence[Path], out: Path) -> None:
    """Settle the simplest hands of some files of events; the answers go to a Parquet file."""
    with duckdb.connect() as base:
        base.execute(
            f"COPY ({_SQL}) TO $out (FORMAT parquet)",
            {
                "files": [str(path) for path in files],
                "out_of_the_ordinary": list(OUT_OF_THE_ORDINARY),
                "given_up": list(GIVEN_UP),
                "not_simple": list(NOT_SIMPLE),
                "other_wagers": list(OTHER_WAGERS),
                "out": str(out),
            },
        )


def in_polars(files: Sequence[Path], out: Path) -> None:
    """The same in Polars."""
    log = pl.scan_parquet(list(files), hive_partitioning=False).select(
        "round_id", "e", "box", "wager", "kind", "amount", "card", "result"
    )
    rank = pl.col("card").str.head(-1)
    points = (
        pl.when(rank == "A")
        .then(1)
        .when(rank.is_in(["J", "Q", "K"]))
        .then(10)
        .otherwise(rank.cast(pl.Int8, strict=False))
        .alias("points")
    )
    hands = (
        log.filter(pl.col("e") == "deal")
        .select("round_id", "box", points, pl.col("card").str.tail(1).alias("suit"))
        .group_by("round_id", "box")
        .agg(
            pl.len().alias("cards"),
            pl.col("points").sum().cast(pl.Int64).alias("hard"),
            (pl.col("points") == 1).any().alias("ace"),
            pl.col("suit").min(),
            (pl.col("suit").min() == pl.col("suit").max()).alias("suited"),
            (
                (pl.col("points") == 7).all()
                | (
                    (pl.col("points") == 6).any()
                    & (pl.col("points") == 7).any()
                    & (pl.col("points") == 8).any()
                )
            ).alias("special"),
        )
        .with_columns(
            pl.when(pl.col("ace") & (pl.col("hard") <= 11))
            .then(pl.col("hard") + 10)
            .otherwise(pl.col("hard"))
            .alias("total")
        )
    )
    total, cards, amount = pl.col("total"), pl.col("cards"), pl.col("amount")
    dealer = hands.filter(pl.col("box") == 0).select("round_id", pl.col("total").alias("dealer"))
    result = (
        pl.when(total > 21)
        .then(pl.lit("lose"))
        .when((total == 21) | (pl.col("dealer") > 21) | (total > pl.col("dealer")))
        .then(pl.lit("win"))
        .when(total < pl.col("dealer"))
        .then(pl.lit("lose"))
        .otherwise(pl.lit("stand_off"))
        .alias("result")
    )
    half_more, thrice = amount * Decimal("1.5"), amount * 3
    paid = (
        pl.when(pl.col("result") != "win")
        .then(Decimal(0))
        .when((total < 21) | (cards == 4))
        .then(amount)
        .when(cards.is_in([2, 5]))
        .then(half_more)
        .when(cards == 6)
        .then(amount * 2)
        .when(cards >= 7)
        .then(thrice)
        .when(~pl.col("special"))
        .then(amount)
        .when(~pl.col("suited"))
        .then(half_more)
        .when(pl.col("suit") == "S")
        .then(thrice)
        .otherwise(amount * 2)
        .cast(pl.Decimal(18, 3))
        .alias("paid")
    )
    odd = log.filter(pl.col("e").is_in(OUT_OF_THE_ORDINARY) | pl.col("result").is_in(GIVEN_UP))
    less = log.filter(pl.col("e").is_in(NOT_SIMPLE) | pl.col("kind").is_in(OTHER_WAGERS))
    (
        log.filter((pl.col("e") == "wager") & (pl.col("kind") == "main"))
        .select("round_id", "box", "wager", "amount")
        .join(odd.select("round_id"), on="round_id", how="anti")
        .join(less.select("round_id", "box"), on=("round_id", "box"), how="anti")
        .join(hands, on=("round_id", "box"))
        .join(dealer, on="round_id")
        .with_columns(result)
        .select("round_id", "wager", "result", paid)
        .sink_parquet(out)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How many wagers were settled, how many of them otherwise than by the engine, and how many
    of these in rounds in which it found nothing.
    """

    settled: int
    otherwise: int
    unexplained: int


def agreement(answers: Path, settlements: Sequence[Path], findings: Sequence[Path]) -> Agreement:
    """Hold answers against what the engine requires."""
    with duckdb.connect() as base:
        counted = base.execute(
            """
            WITH both_ways AS (
                SELECT a.result IS DISTINCT FROM s.expected_result
                           OR a.paid IS DISTINCT FROM s.expected_paid AS otherwise,
                       a.round_id IN (SELECT round_id FROM read_parquet($findings)) AS found
                FROM read_parquet($answers) AS a
                LEFT JOIN read_parquet($settlements, hive_partitioning = false) AS s
                    ON s.round_id = a.round_id AND s.wager = a.wager AND s.line = 'stake'
            )
            SELECT count(*), count(*) FILTER (otherwise), count(*) FILTER (otherwise AND NOT found)
            FROM both_ways
            """,
            {
                "answers": str(answers),
                "settlements": [str(path) for path in settlements],
                "findings": [str(path) for path in findings],
            },
        ).fetchone()
    assert counted is not None
    settled, otherwise, unexplained = counted
    return Agreement(settled=settled, otherwise=otherwise, unexplained=unexplained)
