"""What the house kept, by day, week and throughout, against the theoretical return.

For main wagers the theory is what basic strategy loses at least (docs/odds.md): players lose more than that
on the average, and win more only by chance, by knowing cards, or by being paid too much. For pairs and
insurance it is exact, whoever plays. How often the jackpot meter shows a multiplier is not in
the rulebook, so there is no theory of it.

Every wager counts the same whatever its stake, rounds are taken as independent, and the
likelihood is that of the normal distribution: the one test here that is not exact. It is not evaluable
under `LEAST` rounds.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any, Final

import polars as pl

from audit.surveil.exposure import Exposure
from audit.surveil.likelihood import sums_of_runs
from audit.surveil.result import Answer, Result, Series, judged
from rules_replay.rulebook import load_rulebook

LEAST: Final = 1000
TOLERANCE: Final = Fraction(1, 1000)
"""By how much of a wager the loss of basic strategy may be off: computed, over super bonus and readings."""

PERIODS: Final = {"day": "%Y-%m-%d", "week": "%G-W%V", "whole": "all"}


def hold_answer(exposure: Exposure, level: float) -> Answer:
    """The hold of main, pairs, insurance and jackpot wagers by period."""
    facts = exposure.rounds.select("r", "venue", "currency", "rulebook", "decks", "gaming_date", "round_id")
    main = (
        exposure.flows.filter(pl.col("staked") > 0)
        .with_columns(units=pl.col("won") / pl.col("staked"))
        .group_by("r", maintain_order=True)
        .agg(
            pl.len().alias("lines"),
            pl.col("staked").sum(),
            pl.col("won").sum().alias("net"),
            pl.col("units").sum(),
        )
        .with_columns(kind=pl.lit("main"))
        .select("r", "kind", pl.col("lines").cast(pl.Int64), "staked", "net", "units")
    )
    wagers = pl.concat([main, exposure.sides.select(main.columns)]).join(
        facts, on="r", how="left", maintain_order="left"
    )
    theory = wagers.select("kind", "rulebook", "decks").unique(maintain_order=True)
    due = [player_return(*row) for row in theory.iter_rows()]
    theory = theory.with_columns(
        due=pl.Series([None if each is None else float(each) for each in due], dtype=pl.Float64)
    )
    wagers = wagers.join(
        theory, on=("kind", "rulebook", "decks"), how="left", nulls_equal=True, maintain_order="left"
    )
    results: list[Result] = []
    series: list[Series] = []
    for period, form in PERIODS.items():
        named = wagers.with_columns(
            period=pl.lit("all") if form == "all" else pl.col("gaming_date").dt.strftime(form)
        )
        results += judged(_results(named, period), level)
        if period == "day":
            series += _series(named)
    return Answer(question="hold", results=results, series=series)


def _results(wagers: pl.DataFrame, period: str) -> Iterator[Result]:
    keys = ("venue", "currency", "kind", "period")
    due = _due_money(wagers, keys)
    wagers = wagers.sort(*keys, maintain_order=True)
    over = (wagers["units"] - wagers["due"] * wagers["lines"]).fill_null(0.0).to_numpy()
    grouped = (
        wagers.group_by(*keys)
        .agg(
            pl.col("lines", "staked", "net").sum(),
            rows=pl.len(),
            rounds=pl.col("r").n_unique(),
            first=pl.col("round_id").first(),
            last=pl.col("round_id").last(),
        )
        .sort(*keys)
    )
    lengths = grouped["rows"].to_list()
    sums, squares = sums_of_runs(over, lengths), sums_of_runs(over**2, lengths)
    for row, total, spread in zip(grouped.iter_rows(named=True), sums, squares, strict=True):
        yield _result({**row, "over": total, "spread": spread}, period, due[tuple(row[key] for key in keys)])


def _due_money(wagers: pl.DataFrame, keys: Sequence[str]) -> Mapping[tuple[str, ...], Fraction | None]:
    """What players are due by theory, in thousandths; None where a part of it has no theory."""
    parts = wagers.group_by(*keys, "rulebook", "decks").agg(pl.col("staked").sum())
    found: dict[tuple[str, ...], Fraction | None] = {}
    for *names, rulebook, decks, staked in parts.iter_rows():
        key = tuple(names)
        share = player_return(names[2], rulebook, decks)
        so_far = found.get(key, Fraction(0))
        found[key] = None if share is None or so_far is None else so_far + share * staked
    return found


def _result(row: Mapping[str, Any], period: str, due: Fraction | None) -> Result:
    enough = due is not None and row["rounds"] >= LEAST and row["spread"] > 0
    return Result(
        question="hold",
        venue=row["venue"],
        kind=period,
        subject=row["period"],
        detail=row["kind"].replace("_", " "),
        trials=row["rounds"],
        observed=Decimal(-row["net"]).scaleb(-3),
        expected=None if due is None else Decimal(round(-due)).scaleb(-3),
        log_p=_tail_log(row["over"] / math.sqrt(row["spread"])) if enough else None,
        currency=row["currency"],
        net=row["net"],
        rounds=row["rounds"],
        needed=LEAST,
        first_round=row["first"],
        last_round=row["last"],
        limits=_limits(row, due),
    )


def _limits(row: Mapping[str, Any], due: Fraction | None) -> str:
    staked = Decimal(row["staked"]).scaleb(-3)
    kept = f"{_percent(-row['net'], row)} per cent of {staked:,} staked was kept"
    if due is None:
        return f"{kept}. There is no theoretical return: nothing says how often a multiplier comes up."
    of_main = "what basic strategy loses at least" if row["kind"] == "main" else "whoever plays"
    error = 100 * math.sqrt(row["spread"]) / row["lines"]
    return (
        f"{kept}, {_percent(-due, row)} by theory, {of_main}. Observed and expected are what is kept. "
        "The likelihood is of players winning so much or more, every wager counted alike (standard error "
        f"{error:.2f} per cent of a wager): the luck of a few large stakes is not in it, nor its reason."
    )


def _percent(part: int | Fraction, row: Mapping[str, Any]) -> str:
    return f"{float(Fraction(100 * part, 1) / row['staked']):.2f}"


def _tail_log(z: float) -> float:
    """Logarithm of the probability of that many standard errors or more."""
    from scipy.special import log_ndtr

    return float(log_ndtr(-z))


def _series(wagers: pl.DataFrame) -> Iterator[Series]:
    """By venue, the share of main stakes kept by day, with the theory and two standard errors as marks."""
    main = wagers.filter(pl.col("kind") == "main")
    for (venue,), rows in main.group_by("venue", maintain_order=True):
        days = (
            rows.group_by("period", maintain_order=True)
            .agg(
                pl.col("staked", "net").sum(),
                due=(pl.col("due").fill_null(0.0) * pl.col("staked")).sum(),
                spread=((pl.col("net") - pl.col("due").fill_null(0.0) * pl.col("staked")) ** 2).sum(),
            )
            .sort("period")
        )
        points, marks = [], []
        for place, (_, staked, net, due, spread) in enumerate(days.iter_rows()):
            points.append((float(place), -100 * net / staked))
            marks.append((-100 * due / staked, 200 * math.sqrt(spread) / staked))
        names = f"{venue}: {days['period'][0]} to {days['period'][-1]}"
        yield Series(name=names, points=points, marks=marks)


# --- the theory ---------------------------------------------------------------------------------


@cache
def player_return(kind: str, rulebook: str | None, decks: int) -> Fraction | None:
    """What a wager wins on the average, as a share of it; None where nothing says.

    ``main`` is the most that it can be, within `TOLERANCE`; the others are exact for a fresh shoe.
    """
    if rulebook is None or decks < 1:
        return None
    if kind == "main":
        edge = _edges().get((rulebook, decks))
        return None if edge is None else TOLERANCE - edge
    book = load_rulebook(rulebook)
    cards = 48 * decks
    if kind == "insurance":
        tens = Fraction(12 * decks, cards - 1)
        return tens * (book.odds("payout.insurance") + 1) - 1
    if kind not in book.side_kinds():
        return None
    if kind == "pair":
        return Fraction(4 * decks - 1, cards - 1) * (book.odds("payout.any_pair") + 1) - 1
    if kind == "perfect_pairs":
        perfect = Fraction(decks - 1, cards - 1)
        coloured = Fraction(decks, cards - 1)
        mixed = Fraction(2 * decks, cards - 1)
        return (
            perfect * (book.odds("payout.perfect_pair") + 1)
            + coloured * (book.odds("payout.coloured_pair") + 1)
            + mixed * (book.odds("payout.mixed_pair") + 1)
            - 1
        )
    return None


@cache
def _edges() -> Mapping[tuple[str, int], Fraction]:
    """The loss of basic strategy as a share of the wager, by rulebook and decks."""
    text = files("audit.surveil").joinpath("house_edges.csv").read_text(encoding="utf-8")
    return {
        (row["rulebook"], int(row["decks"])): Fraction(row["edge"]) / 100
        for row in csv.DictReader(text.splitlines())
    }
