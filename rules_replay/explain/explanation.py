"""The explanation of a round: put together, and handed on as text or as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from rules_replay.explain.data import Told
from rules_replay.explain.findings import coverage, told_finding
from rules_replay.explain.heading import heading
from rules_replay.explain.judged import Judged
from rules_replay.explain.page import Page
from rules_replay.explain.readings import readings
from rules_replay.explain.sections import write
from rules_replay.explain.unjudged import Unjudged
from rules_replay.log import Round
from rules_replay.results import RoundReplay
from rules_replay.rulebook import Rulebook

LEVELS = (1, 2, 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation(Told):
    """The story of one round, and the two ways to hand it on."""

    def text(self, width: int = 100, colour: bool = False, ascii_only: bool = False) -> str:
        """The explanation for a terminal, at least 72 columns wide.

        ``colour`` adds ANSI colours; ``ascii_only`` writes cards as ``8S`` and draws
        nothing outside ASCII.
        """
        page = Page(max(width, 72))
        write(page, self)
        return page.text(colour, ascii_only)

    def as_json(self) -> dict[str, Any]:
        """The explanation as plain data; what is absent is left out, amounts are decimal text."""
        plain: dict[str, Any] = _without_empty(msgspec.to_builtins(self))
        return plain


def explain_round(round_: Round, book: Rulebook | None, replay: RoundReplay, level: int = 2) -> Explanation:
    """Tell a round under the rulebook in force, beside the replay that the auditor made of it.

    Without a rulebook the events and the recorded amounts are told and nothing is
    judged. Raises ``ValueError`` for a level other than 1, 2 or 3.
    """
    if level not in LEVELS:
        raise ValueError(f"level: expected 1, 2 or 3, got {level!r}")
    story = Unjudged(round_, replay) if book is None else Judged(round_, replay, book)
    return Explanation(
        level=level,
        heading=heading(round_, replay, book),
        findings=tuple(told_finding(number, each, book) for number, each in enumerate(replay.findings, 1)),
        hands=story.hands(),
        wagers=story.wagers(),
        steps=story.steps() if level >= 2 else (),
        readings=readings(round_, book, replay) if level >= 3 and book is not None else (),
        coverage=coverage(replay) if level >= 3 and book is not None else None,
    )


def _without_empty(value: Any) -> Any:
    """Plain data without what is absent; false and the texts of the log stay as they are."""
    if isinstance(value, dict):
        kept = {key: _without_empty(each) for key, each in value.items()}
        return {key: each for key, each in kept.items() if each is not None and each != [] and each != ""}
    if isinstance(value, list | tuple):
        return [_without_empty(each) for each in value]
    return value
