"""What hangs on a reading: the question behind a finding, the answer in force and the other one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rules_replay.rulebook import load_rulebook


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """How a venue answered the open questions of a rulebook in one run, by question."""

    venue: str
    rulebook: str
    answers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question on which findings hang; under the answer ``other`` they are in order.

    ``text``, ``clause`` and ``reason`` are the rulebook's and empty where it is not held.
    """

    reading: str
    in_force: str
    other: str
    text: str = ""
    clause: str = ""
    reason: str = ""


def answers_of(recorded: Iterable[Mapping[str, Any]]) -> tuple[Answers, ...]:
    """The readings in force as a run record has them."""
    return tuple(
        Answers(venue=each["venue"], rulebook=each["rulebook"], answers=each["answers"]) for each in recorded
    )


def question_of(depends_on: str, venue: str, rulebook: str | None, answers: Iterable[Answers]) -> Question:
    """The question that ``id=value`` answers otherwise than the venue did.

    A rulebook in force at two times may have been read in two ways: those that differ
    from the other answer are named. Without a record of it the default was in force.
    """
    name, _, other = depends_on.partition("=")
    try:
        reading = None if rulebook is None else load_rulebook(rulebook).readings.get(name)
    except KeyError:
        reading = None
    given = [
        each.answers[name]
        for each in answers
        if (each.venue, each.rulebook) == (venue, rulebook) and name in each.answers
    ]
    read_as = sorted({each for each in given if each != other}) or (
        [] if reading is None else [reading.default]
    )
    if reading is None:
        return Question(reading=name, in_force=" or ".join(read_as), other=other)
    return Question(
        reading=name,
        in_force=" or ".join(read_as),
        other=other,
        text=reading.question,
        clause=reading.clause,
        reason=reading.reason,
    )
