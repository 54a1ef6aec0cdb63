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


BATCH: Final = 200_000
"""Rounds that are put together with their subjects at a time."""


@dataclass(frozen=True, slots=True)
class Occasions:
    """Rounds, or rounds of players, added up by stratum and subject.

    ``cells`` have so many (``n``) and the money of them. ``marks`` have, by what is asked and in the same
    cells, how many it hit (``hits``) and the numbers of the first and last of them.
    """

    cells: pl.DataFrame
    marks: pl.DataFrame

    def of(self, mark: str) -> Occasions:
        """Those with one kind of hit."""
        return Occasions(self.cells, self.marks.filter(pl.col("mark") == mark))

    def with_known(self, names: Sequence[str]) -> Occasions:
        """Those whose subjects are known."""
        return Occasions(self.cells.drop_nulls(list(names)), self.marks.drop_nulls(list(names)))

    def added(self, keys: Sequence[str]) -> pl.DataFrame:
        """How many there are by some keys, and how many of them are hit."""
        hits = self.marks.group_by(*keys).agg(pl.col("hits").sum())
        counted = self.cells.group_by(*keys).agg(pl.col("n").sum())
        return counted.join(hits, on=keys, how="left", nulls_equal=True).with_columns(
            pl.col("hits").fill_null(0)
        )


def occasions(exposure: Exposure, batch: int = BATCH) -> tuple[Occasions, Occasions]:
    """All rounds with a wager that was settled, and all such rounds of players."""
    parts: list[tuple[Occasions, Occasions]] = []
    for start in range(0, len(exposure.rounds), batch):
        parts.append(_occasions(exposure, start, batch))
        if len(parts) > 1:
            # What is held does not grow with the batches.
            parts = [_joined(parts)]
    return _joined(parts)


def _joined(parts: Sequence[tuple[Occasions, Occasions]]) -> tuple[Occasions, Occasions]:
    by_round, by_player = (
        Occasions(
            pl.concat([part[which].cells for part in parts]).group_by(keys).agg(pl.all().sum()),
            pl.concat([part[which].marks for part in parts]).group_by("mark", *keys).agg(_MARKED),
        )
        for which, keys in enumerate((_OF_ROUNDS, _OF_PLAYERS))
    )
    return by_round, by_player


def rate_answers(exposure: Exposure, level: float) -> Iterator[Answer]:
    """Overpayments, underpayments and findings, by every kind of subject.

    Unusual dealers and tables are each told whether they stay so beside the other.
    """
    by_round, by_player = occasions(exposure)
    ids = exposure.rounds["round_id"]
    for question, mark in (("overpaid", "over"), ("underpaid", "under")):
        results = [
            each
            for all_of_them, kinds in ((by_round, ROUND_KINDS), (by_player, PLAYER_KINDS))
            for kind, names in kinds.items()
            for each in _final(_candidates(all_of_them.of(mark), ids, question, kind, names), level)
        ]
        yield Answer(question=question, results=_with_causes(by_round, results, level))
    results = _finding_results(exposure, by_round, by_player, level)
    yield Answer(question="findings", results=_with_causes(by_round, results, level))


def _finding_results(
    exposure: Exposure, by_round: Occasions, by_player: Occasions, level: float
) -> list[Result]:
    found: list[Result] = []
    ids = exposure.rounds["round_id"]
    codes = exposure.codes["code"].unique().sort().to_list()
    for kind, names in ROUND_KINDS.items():
        tests = [
            each
            for code in (*codes, ANY)
            for each in _candidates(by_round.of(_FINDING + code), ids, "findings", kind, names, code)
        ]
        found += _final(tests, level)
    for kind, names in PLAYER_KINDS.items():
        marked = by_player.of(_FINDING + ANY)
        found += _final(_candidates(marked, ids, "findings", kind, names, ANY), level)
    return found


_FINDING = "finding "
_OF_ROUNDS = (*_STRATUM, "dealer", "table", "shift")
_OF_PLAYERS = (*_STRATUM, "dealer", "player")
_MARKED = (pl.col("hits").sum(), pl.col("first").min(), pl.col("last").max())


def _occasions(exposure: Exposure, start: int, count: int) -> tuple[Occasions, Occasions]:
    """Those of so many rounds from one on."""
    facts = exposure.rounds.slice(start, count).select(
        "r", "venue", "currency", "rulebook", "table", "shift", "dealer", "lines"
    )
    flows, codes = (
        each.slice(first, last - first)
        for each in (exposure.flows, exposure.codes)
        for first, last in [[each["r"].search_sorted(at) for at in (start, start + count)]]
    )
    moved = flows.group_by("r").agg(pl.col("over", "under", "net").sum())
    by_round = (
        facts.join(moved, on="r", how="left")
        .filter(pl.col("lines") > 0)
        .with_columns(
            pl.col("over", "under", "net").fill_null(0),
            bucket=pl.col("lines").clip(upper_bound=MOST_LINES["round"]),
        )
    )
    by_player = (
        flows.filter(pl.col("lines") > 0)
        .join(facts.drop("lines"), on="r", how="left")
        .with_columns(bucket=pl.col("lines").clip(upper_bound=MOST_LINES["player"]))
    )
    any_of_them = codes.select("r").unique().with_columns(code=pl.lit(ANY))
    found = pl.concat([codes, any_of_them]).with_columns(mark=_FINDING + pl.col("code"))
    return (
        Occasions(
            _cells(by_round, _OF_ROUNDS),
            _marks([*_moved(by_round), by_round.join(found, on="r")], _OF_ROUNDS),
        ),
        Occasions(
            _cells(by_player, _OF_PLAYERS),
            _marks(
                [
                    *_moved(by_player),
                    by_player.filter(pl.col("found") > 0).with_columns(mark=pl.lit(_FINDING + ANY)),
                ],
                _OF_PLAYERS,
            ),
        ),
    )


def _cells(rows: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    return rows.group_by(keys).agg(pl.len().cast(pl.Int64).alias("n"), pl.col("over", "under", "net").sum())


def _moved(rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The rows in which players received too much, and too little."""
    for amount in ("over", "under"):
        yield rows.filter(pl.col(amount) > 0).with_columns(mark=pl.lit(amount))


def _marks(rows: Iterable[pl.DataFrame], keys: Sequence[str]) -> pl.DataFrame:
    marked = pl.concat([each.select("mark", "r", *keys) for each in rows])
    return marked.group_by("mark", *keys).agg(
        pl.len().cast(pl.Int64).alias("hits"),
        pl.col("r").min().alias("first"),
        pl.col("r").max().alias("last"),
    )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A result before it is judged; ``furthest`` is the least p-value that its rounds could come to."""

    result: Result
    furthest: float
    share: float


def _candidates(
    marked: Occasions, ids: pl.Series, question: str, kind: str, names: Sequence[str], detail: str = ""
) -> list[Candidate]:
    counted = _counted(marked.with_known(names), ids, names)
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


def _counted(marked: Occasions, ids: pl.Series, names: Sequence[str]) -> Mapping[tuple[Any, ...], _Group]:
    house = marked.added(_STRATUM).select(*_STRATUM, of="n", marked="hits")
    keys = (*_HOUSE, *names)
    own = (
        marked.added((*keys, "rulebook", "bucket"))
        .join(house, on=_STRATUM, nulls_equal=True)
        .sort(*keys, "rulebook", "bucket")
    )
    ends = marked.marks.group_by(keys).agg(pl.col("first").min(), pl.col("last").max())
    money = (
        marked.cells.group_by(keys)
        .agg(pl.col("n", "over", "under", "net").sum())
        .join(ends, on=keys, how="left", nulls_equal=True)
        .sort(keys)
    )
    width = len(keys)
    groups = {}
    for row in money.iter_rows():
        *sums, first, last = row[width:]
        at = (None, None) if first is None else (ids[first], ids[last])
        groups[row[:width]] = _Group([], [], *sums, *at)
    for *key, _, _, drawn, hits, of, marked_of in own.iter_rows():
        group = groups[tuple(key)]
        group.strata.append((drawn, marked_of, of))
        group.hits.append(hits)
    return groups


# --- what two causes have to do with one another -------------------------------------------------


def _with_causes(by_round: Occasions, results: Iterable[Result], level: float) -> list[Result]:
    """Unusual dealers and tables, each told whether it stays so beside the other.

    A dealer is compared with the others at the same tables, a table with the same dealers' rounds
    elsewhere. What is no longer unusual then belongs to the table, or to the dealer.
    """
    found = []
    for each in results:
        other = {"dealer": "table", "table": "dealer"}.get(each.kind)
        if each.verdict != "unusual" or other is None:
            found.append(each)
            continue
        mark = {"overpaid": "over", "underpaid": "under"}.get(each.question, _FINDING + each.detail)
        log_p = _within(by_round.of(mark), each, other)
        words = _cause(each.kind, other, log_p, level)
        found.append(replace(each, limits=f"{words} {each.limits}"))
    return found


def _within(marked: Occasions, each: Result, other: str) -> float | None:
    """The p-value among rounds that are alike in the other respect; None where none can be compared."""
    at_venue = pl.col("venue") == each.venue
    marked = Occasions(marked.cells.filter(at_venue), marked.marks.filter(at_venue))
    marked = marked.with_known([each.kind, other])
    stratum = (*_STRATUM, other)
    house = marked.added(stratum).select(*stratum, of="n", marked="hits")
    is_subject = pl.col(each.kind) == each.subject
    own = (
        Occasions(marked.cells.filter(is_subject), marked.marks.filter(is_subject))
        .added(stratum)
        .join(house, on=stratum, nulls_equal=True)
        .sort(*stratum)
    )
    strata = [(drawn, marked_of, of) for *_, drawn, _, of, marked_of in own.iter_rows()]
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
