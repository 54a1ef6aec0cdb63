"""All questions, asked of one lake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from audit.lake import Lake
from audit.partitions import Choice
from audit.surveil.cards import card_answers, walked
from audit.surveil.exposure import Exposure, read_exposure
from audit.surveil.hold import hold_answer
from audit.surveil.meters import meter_answer
from audit.surveil.missing import missing_answer
from audit.surveil.rates import rate_answers, shared_causes
from audit.surveil.result import Answer, Result, in_order
from audit.surveil.sequences import sequence_answer
from audit.surveil.stakes import stake_answer
from rules_replay.venues import Register


@dataclass(frozen=True, slots=True, kw_only=True)
class Surveillance:
    """The answers to every question, and what they are about."""

    answers: Sequence[Answer]
    rounds: int
    venues: Sequence[str]
    first: str
    last: str
    left_out: Sequence[str]
    level: float

    @property
    def results(self) -> list[Result]:
        """Every result, the unusual first."""
        return in_order(each for answer in self.answers for each in answer.results)


def surveil(lake: Lake, choice: Choice, register: Register, level: float) -> Surveillance:
    """Ask everything of the chosen partitions of a lake; see `read_exposure` for what it raises."""
    return ask(read_exposure(lake, choice, register), level)


def ask(exposure: Exposure, level: float) -> Surveillance:
    """Ask everything."""
    answers = list(_answers(exposure, level))
    return Surveillance(
        answers=answers,
        rounds=len(exposure.rounds),
        venues=exposure.rounds["venue"].unique().sort().to_list(),
        first=str(exposure.rounds["gaming_date"].min()),
        last=str(exposure.rounds["gaming_date"].max()),
        left_out=(
            *exposure.left_out,
            *(f"{each.question}: {text}" for each in answers for text in each.left_out),
        ),
        level=level,
    )


def _answers(exposure: Exposure, level: float) -> Iterator[Answer]:
    for answer in rate_answers(exposure, level):
        yield replace(answer, results=shared_causes(exposure, answer.results, level))
    cards = walked(exposure)
    yield from card_answers(exposure, cards, level)
    yield meter_answer(exposure, level)
    yield hold_answer(exposure, level)
    yield sequence_answer(exposure, level)
    yield missing_answer(exposure, cards, level)
    yield stake_answer(exposure, level)
