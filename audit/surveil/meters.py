"""The jackpot meter: how often it showed a multiplier or more, against the house's own presses.

The rulebook lists the multipliers (rws-2017 4.3) and not how often each comes up, so there is
no theory to hold a meter against: what each dealer, table and player got is held against what all
presses of the venue showed, by Fisher's exact test.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import polars as pl

from audit.surveil.exposure import Exposure
from audit.surveil.likelihood import excess_log, expected_hits, furthest_log, trials_needed
from audit.surveil.result import Answer, Result, judged, whole

KINDS: Final = ("dealer", "table", "player")
TIMES: Final = 3


def meter_answer(exposure: Exposure, level: float) -> Answer:
    """Multipliers by dealer, table and player."""
    facts = exposure.rounds.select("r", "venue", "table", "dealer", "round_id")
    presses = exposure.presses.join(facts, on="r", how="left", maintain_order="left")
    results = [each for kind in KINDS for each in _results(presses.drop_nulls(kind), kind, level)]
    return Answer(question="multiplier", results=results)


def _results(presses: pl.DataFrame, kind: str, level: float) -> list[Result]:
    found: list[tuple[Result, float, float]] = []
    for (venue,), house in presses.group_by("venue", maintain_order=True):
        shown = sorted(house["multiplier"].unique().to_list())
        for (subject,), own in sorted(house.group_by(kind), key=lambda each: str(each[0])):
            for multiplier in shown[1:]:
                marked = int((house["multiplier"] >= multiplier).sum())
                hits = own.filter(pl.col("multiplier") >= multiplier)
                strata = [(len(own), marked, len(house))]
                result = Result(
                    question="multiplier",
                    venue=str(venue),
                    kind=kind,
                    subject=str(subject),
                    detail=f"{multiplier} or more",
                    trials=len(own),
                    observed=whole(len(hits)),
                    expected=whole(expected_hits(strata)),
                    log_p=excess_log(len(hits), strata),
                    rounds=own["r"].n_unique(),
                    first_round=hits["round_id"].first() if len(hits) else None,  # type: ignore[arg-type]
                    last_round=hits["round_id"].last() if len(hits) else None,  # type: ignore[arg-type]
                    limits="",
                )
                found.append((result, furthest_log(strata), marked / len(house)))
    return _final(found, level)


def _final(found: list[tuple[Result, float, float]], level: float) -> list[Result]:
    able = [result for result, furthest, _ in found if furthest <= math.log(level)]
    log_level = math.log(level / max(len(able), 1))
    finished = []
    for result, furthest, share in found:
        needed = trials_needed(share, TIMES, log_level)
        limits = (
            f"{TIMES} times the share of the house is seen in {needed:,} presses with a probability of 0.9. "
            if needed is not None
            else ""
        )
        finished.append(
            replace(
                result,
                log_p=result.log_p if furthest <= math.log(level) else None,
                needed=needed,
                limits=f"{limits}The rulebook does not say how often a multiplier should come up; this "
                "says only that others had less, and nothing of intent.",
            )
        )
    return judged(finished, level)
