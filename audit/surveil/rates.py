"""Money over- and underpaid and findings, by whom and where, against the rate of the house itself.

The house's own rounds say how often such a thing happens; a subject is unusual whose share of it
chance would hardly give out. Rounds are only compared with rounds of the same venue, rulebook and
number of wagers: more wagers are more occasions. Within these the test is Fisher's, exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import polars as pl

from audit.surveil.exposure import Exposure
from audit.surveil.likelihood import excess_log, expected_hits, furthest_log, trials_needed
from audit.surveil.result import Answer, Result, judged, whole

TIMES: Final = 3
"""How many times the rate of the house a test is wanted to see."""

MOST_LINES = {"round": 12, "player": 6}
"""Rounds with as many wagers or more are compared with one another."""

ROUND_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "dealer": ("dealer",),
    "table": ("table",),
    "shift": ("shift",),
}
PLAYER_KINDS: Final[Mapping[str, tuple[str, ...]]] = {"player": ("player",), "pair": ("dealer", "player")}

ANY = "any"
"""Stands for findings of whatever check."""

_HOUSE = ("venue", "currency")
_STRATUM = (*_HOUSE, "rulebook", "bucket")


def rate_answers(exposure: Exposure, level: float) -> Iterator[Answer]:
    """Overpayments, underpayments and findings, by every kind of subject."""
    by_round, by_player = _occasions(exposure)
    for question, amount in (("overpaid", "over"), ("underpaid", "under")):
        yield Answer(
            question=question,
            results=[
                each
                for rows, kinds in ((by_round, ROUND_KINDS), (by_player, PLAYER_KINDS))
                for kind, names in kinds.items()
                for each in _final(
                    _candidates(rows.with_columns(hit=pl.col(amount) > 0), question, kind, names), level
                )
            ],
        )
    yield Answer(question="findings", results=_finding_results(exposure, by_round, by_player, level))


def _finding_results(
    exposure: Exposure, by_round: pl.DataFrame, by_player: pl.DataFrame, level: float
) -> list[Result]:
    found: list[Result] = []
    codes = exposure.codes["code"].unique().sort().to_list()
    marked = {
        code: by_round.with_columns(
            hit=pl.col("r").is_in(exposure.codes.filter(pl.col("code") == code)["r"].implode())
        )
        for code in codes
    }
    marked[ANY] = by_round.with_columns(hit=pl.col("r").is_in(exposure.codes["r"].unique().implode()))
    for kind, names in ROUND_KINDS.items():
        tests = [
            each for code, rows in marked.items() for each in _candidates(rows, "findings", kind, names, code)
        ]
        found += _final(tests, level)
    for kind, names in PLAYER_KINDS.items():
        rows = by_player.with_columns(hit=pl.col("found") > 0)
        found += _final(_candidates(rows, "findings", kind, names, ANY), level)
    return found


def _occasions(exposure: Exposure) -> tuple[pl.DataFrame, pl.DataFrame]:
    """One row a round, and one a round and player, with what was moved in it."""
    facts = exposure.rounds.select(
        "r", "venue", "currency", "rulebook", "gaming_date", "round_id", "table", "shift", "dealer", "lines"
    )
    moved = exposure.flows.group_by("r").agg(
        pl.col("over", "under", "net").sum(),
    )
    by_round = facts.join(moved, on="r", how="left", maintain_order="left").with_columns(
        pl.col("over", "under", "net").fill_null(0),
        bucket=pl.col("lines").clip(upper_bound=MOST_LINES["round"]),
    )
    by_player = exposure.flows.join(
        facts.drop("lines"), on="r", how="left", maintain_order="left"
    ).with_columns(bucket=pl.col("lines").clip(upper_bound=MOST_LINES["player"]))
    return by_round.filter(pl.col("lines") > 0), by_player.filter(pl.col("lines") > 0)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A result before it is judged; ``furthest`` is the least p-value that its rounds could come to."""

    result: Result
    furthest: float
    share: float


def _candidates(
    rows: pl.DataFrame, question: str, kind: str, names: Sequence[str], detail: str = ""
) -> list[Candidate]:
    counted = _counted(rows.drop_nulls(list(names)), names)
    return [_candidate(key, group, question, kind, detail) for key, group in counted.items()]


def _candidate(key: tuple[Any, ...], group: _Group, question: str, kind: str, detail: str) -> Candidate:
    venue, currency, *names = key
    hits = sum(group.hits)
    log_p = excess_log(hits, group.strata) if hits else 0.0
    of_house = sum(each[2] for each in group.strata)
    share = sum(each[1] for each in group.strata) / of_house if of_house else 0.0
    moved = question in ("overpaid", "underpaid")
    return Candidate(
        Result(
            question=question,
            venue=venue,
            kind=kind,
            subject=" and ".join(names),
            detail=detail,
            trials=group.trials,
            observed=whole(hits),
            expected=whole(expected_hits(group.strata)),
            log_p=log_p,
            currency=currency,
            overpaid=group.over if moved or detail == ANY else None,
            underpaid=group.under if moved or detail == ANY else None,
            net=group.net,
            rounds=group.trials,
            first_round=group.first,
            last_round=group.last,
            limits="",
        ),
        furthest_log(group.strata),
        share,
    )


def _final(candidates: Sequence[Candidate], level: float) -> list[Result]:
    """Leave out what could not come to anything, and judge the rest."""
    able = [each for each in candidates if each.furthest <= math.log(level)]
    log_level = math.log(level / max(len(able), 1))
    finished = []
    for each in candidates:
        needed = _needed(float(f"{each.share:.3g}"), round(log_level, 6)) if each.share else 0
        finished.append(
            replace(
                each.result,
                log_p=each.result.log_p if each.furthest <= math.log(level) or not each.share else None,
                needed=needed,
                limits=_limits(each.result, needed),
            )
        )
    return judged(finished, level)


@cache
def _needed(share: float, log_level: float) -> int | None:
    return trials_needed(share, TIMES, log_level)


def _limits(result: Result, needed: int | None) -> str:
    power = (
        "The house has none in such rounds."
        if needed == 0
        else "The rate of the house is too high to be exceeded so far."
        if needed is None
        else f"{TIMES} times the rate of the house is seen in {needed:,} rounds with a probability of 0.9."
    )
    who = {
        "dealer": "not whether it was the dealer, the players or the table",
        "table": "not which of the people at the table it was",
        "shift": "not who it was",
        "player": "not whether the player did anything",
        "pair": "not whether either of the two knew",
    }[result.kind]
    return f"{power} It shows a rate, {who}, and no intent."


# --- counting ----------------------------------------------------------------------------------


@dataclass(slots=True)
class _Group:
    """Trials and hits of a subject by stratum, each beside those of the house."""

    strata: list[tuple[int, int, int]]
    hits: list[int]
    trials: int
    over: int
    under: int
    net: int
    first: str | None
    last: str | None


def _counted(rows: pl.DataFrame, names: Sequence[str]) -> Mapping[tuple[Any, ...], _Group]:
    house = rows.group_by(_STRATUM).agg(of=pl.len(), marked=pl.col("hit").sum())
    own = (
        rows.group_by(*_HOUSE, *names, "rulebook", "bucket")
        .agg(drawn=pl.len(), hits=pl.col("hit").sum())
        .join(house, on=_STRATUM, nulls_equal=True)
        .sort(*_HOUSE, *names, "rulebook", "bucket")
    )
    money = (
        rows.group_by(*_HOUSE, *names)
        .agg(
            pl.len().alias("trials"),
            pl.col("over", "under", "net").sum(),
            first=pl.col("round_id").filter(pl.col("hit")).first(),
            last=pl.col("round_id").filter(pl.col("hit")).last(),
        )
        .sort(*_HOUSE, *names)
    )
    width = 2 + len(names)
    groups = {row[:width]: _Group([], [], *row[width:]) for row in money.iter_rows()}
    for *key, _, _, drawn, hits, of, marked in own.iter_rows():
        group = groups[tuple(key)]
        group.strata.append((drawn, marked, of))
        group.hits.append(hits)
    return groups


# --- what two causes have to do with one another -------------------------------------------------


def shared_causes(exposure: Exposure, results: Iterable[Result], level: float) -> list[Result]:
    """Unusual dealers and tables, each told whether it stays so beside the other.

    A dealer is compared with the others at the same tables, a table with the same dealers' rounds
    elsewhere. What is no longer unusual then belongs to the table, or to the dealer.
    """
    by_round, _ = _occasions(exposure)
    found = []
    for each in results:
        other = {"dealer": "table", "table": "dealer"}.get(each.kind)
        if each.verdict != "unusual" or other is None:
            found.append(each)
            continue
        log_p = _within(_marked(exposure, by_round, each), each, other)
        words = _cause(each.kind, other, log_p, level)
        found.append(replace(each, limits=f"{words} {each.limits}"))
    return found


def _marked(exposure: Exposure, by_round: pl.DataFrame, each: Result) -> pl.DataFrame:
    if each.question == "findings":
        codes = exposure.codes
        chosen = codes if each.detail == ANY else codes.filter(pl.col("code") == each.detail)
        return by_round.with_columns(hit=pl.col("r").is_in(chosen["r"].unique().implode()))
    amount = {"overpaid": "over", "underpaid": "under"}[each.question]
    return by_round.with_columns(hit=pl.col(amount) > 0)


def _within(rows: pl.DataFrame, each: Result, other: str) -> float | None:
    """The p-value among rounds that are alike in the other respect; None where none can be compared."""
    rows = rows.filter(pl.col("venue") == each.venue).drop_nulls([each.kind, other])
    stratum = (*_STRATUM, other)
    house = rows.group_by(stratum).agg(of=pl.len(), marked=pl.col("hit").sum())
    own = (
        rows.filter(pl.col(each.kind) == each.subject)
        .group_by(stratum)
        .agg(drawn=pl.len(), hits=pl.col("hit").sum())
        .join(house, on=stratum, nulls_equal=True)
        .sort(*stratum)
    )
    strata = [(drawn, marked, of) for *_, drawn, _, of, marked in own.iter_rows()]
    if furthest_log([each for each in strata if each[0] < each[2]]) > math.log(0.05):
        return None
    return excess_log(int(own["hits"].sum()), strata)


def _cause(kind: str, other: str, log_p: float | None, level: float) -> str:
    if log_p is None:
        return f"Too few rounds could be compared to tell this {kind} from the {other}."
    if log_p <= math.log(level):
        return f"It stays unusual among the rounds of the same {other}s."
    if kind == "dealer":
        return "The other dealers at the same tables have as many: it goes with the table."
    return "The same dealers have as many at other tables: it goes with the dealers."
