"""What the checks said: the findings, and which checks held, failed or could not be made."""

from __future__ import annotations

from rules_replay.checks import catalogue
from rules_replay.explain.data import CoverageTold, FindingTold, NotChecked
from rules_replay.explain.readings import reading_named
from rules_replay.explain.wording import answer_words, lack
from rules_replay.log import amount_text
from rules_replay.results import Finding, RoundReplay
from rules_replay.rulebook import Rulebook


def told_finding(number: int, finding: Finding, book: Rulebook | None) -> FindingTold:
    """A finding under its number, with the meaning of its code and the reading it depends on."""
    other = None
    if finding.depends_on is not None and book is not None:
        other = _reading_words(book, finding.depends_on)
    return FindingTold(
        number=number,
        code=finding.code,
        severity=finding.severity,
        meaning=catalogue()[finding.code].meaning,
        seq=finding.seq,
        box=finding.box,
        hand=finding.hand,
        wager=finding.wager,
        player=finding.player,
        expected=finding.expected,
        recorded=finding.recorded,
        difference=amount_text(finding.delta) if finding.delta is not None else None,
        clause=finding.clause,
        basis=finding.basis,
        other_reading=other,
    )


def _reading_words(book: Rulebook, depends_on: str) -> str:
    """What a finding rests on: ``dealer_pontoon_split=original_cap`` as question and answers."""
    reading, answer = reading_named(book, depends_on)
    return (
        f"{reading.question}: {answer_words(reading.value)!r} is applied here; on {answer_words(answer)!r} "
        f"this would be in order ({reading.clause})"
    )


def coverage(replay: RoundReplay) -> CoverageTold:
    """How many checks held and failed, and why the others could not be made."""
    verdicts = [row.verdict for row in replay.coverage]
    return CoverageTold(
        passed=verdicts.count("passed"),
        failed=verdicts.count("failed"),
        not_checked=tuple(
            NotChecked(code=row.code, meaning=catalogue()[row.code].meaning, why=lack(row.missing))
            for row in replay.coverage
            if row.verdict == "not_evaluable"
        ),
    )
