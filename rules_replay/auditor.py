"""Rounds in order in, everything known about each out.

The auditor finds the rulebook in force, replays the round, looks at its shoe, and
asks of every finding whether another reading of an ambiguous clause removes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from msgspec import structs

from rules_replay.engine import Played, judge, play, replay_round
from rules_replay.engine.comparison import right_in_sum
from rules_replay.log import Round
from rules_replay.results import CoverageRow, Finding, FindingKey, RoundReplay
from rules_replay.rulebook import Rulebook, load_rulebook
from rules_replay.shoe import Shoe, check_shoe, not_shown
from rules_replay.venues import Register, Window


@cache
def _book(rulebook: str, chosen: tuple[tuple[str, str], ...]) -> Rulebook:
    return load_rulebook(rulebook).with_readings(dict(chosen))


@dataclass(frozen=True, slots=True)
class InForce:
    """A rulebook and the instants between which it is in force; ``until`` is None where no end is known."""

    since: datetime
    until: datetime | None
    book: Rulebook


class Auditor:
    """Audits rounds one at a time; rounds of one shoe must come in their order.

    ``readings`` override both the rulebook's defaults and the venue's own choices; a
    reading that a rulebook does not know raises `RulebookError`.
    """

    def __init__(self, register: Register, readings: Mapping[str, str] | None = None) -> None:
        self._register = register
        self._readings = dict(readings or {})
        self._shoes: dict[tuple[str, str, str], Shoe] = {}

    def rulebook_for(self, round_: Round) -> Rulebook | None:
        """The rulebook in force when the first card left the shoe, under the readings chosen."""
        window = self._register.window_at(round_.venue, round_.started_at)
        return None if window is None else self._book_of(window)

    def _book_of(self, window: Window) -> Rulebook:
        chosen = {**window.readings, **self._readings}
        return _book(window.rulebook, tuple(sorted(chosen.items())))

    def in_force(self, venue: str) -> tuple[InForce, ...]:
        """What is in force at a venue and when, under the readings chosen."""
        known = self._register.venues.get(venue)
        windows = () if known is None else known.windows
        return tuple(InForce(each.since, each.until, self._book_of(each)) for each in windows)

    def follow(self, round_: Round) -> None:
        """Take a round into its shoe without auditing it: an earlier one, audited elsewhere."""
        check_shoe(self._shoe_of(round_), round_, self.rulebook_for(round_))

    def _shoe_of(self, round_: Round) -> Shoe:
        return self._shoes.setdefault((round_.venue, round_.table, round_.shoe), Shoe())

    def audit(self, round_: Round) -> RoundReplay:
        """Replay one round and take it into its shoe."""
        return audit_in_shoe(round_, self.rulebook_for(round_), self._shoe_of(round_))


@dataclass(frozen=True, slots=True)
class Told:
    """A round replayed under the readings in force: its own findings and those of its shoe apart."""

    replayed: RoundReplay
    own: tuple[Finding, ...]
    of_shoe: tuple[Finding, ...]


def tell(round_: Round, book: Rulebook, shoe: Shoe, *, covered: bool = True) -> Told:
    """Replay one round and take it into its shoe, no other reading considered; its coverage if wanted."""
    of_shoe = check_shoe(shoe, round_, book)
    replayed = replay_round(round_, book, covered=covered)
    return Told(replayed, (*_claimed(round_, book), *replayed.findings), tuple(of_shoe))


def audit_in_shoe(round_: Round, book: Rulebook | None, shoe: Shoe) -> RoundReplay:
    """Replay one round under the rulebook in force and every other reading, and take it into its shoe."""
    if book is None:
        check_shoe(shoe, round_, book)
        return without_rulebook(round_)
    told = tell(round_, book, shoe)
    findings = (*_with_readings(round_, book, list(told.own)), *told.of_shoe)
    covered = _covered(told.replayed.coverage, findings, not_shown(shoe))
    return replace(told.replayed, findings=findings, coverage=covered)


def without_rulebook(round_: Round) -> RoundReplay:
    """A round that no held rulebook governs is reported and never audited by another."""
    finding = Finding(
        code="rulebook.none-in-force",
        severity="notice",
        expected="a rulebook held for the venue at that instant",
        recorded=f"none for {round_.venue} at {round_.started_at.isoformat()}",
        clause="venue register",
    )
    return RoundReplay(
        round_id=round_.round_id,
        rulebook=None,
        findings=(finding,),
        coverage=(CoverageRow(code=finding.code, verdict="failed"),),
    )


def _claimed(round_: Round, book: Rulebook) -> list[Finding]:
    if round_.rulebook in (None, book.id):
        return []
    return [
        Finding(
            code="rulebook.mismatch",
            severity="breach",
            expected=book.id,
            recorded=str(round_.rulebook),
            clause=book.clause_of("rulebook.mismatch"),
        )
    ]


def _with_readings(round_: Round, book: Rulebook, findings: list[Finding]) -> list[Finding]:
    """Mark as ambiguous every breach or procedure finding that another reading removes."""
    open_ = [finding for finding in findings if finding.severity in ("breach", "procedure")]
    if not open_:
        return findings
    removed: dict[FindingKey, str] = {}
    for reading, other_book in other_readings(book):
        other = play(round_, other_book)
        left = judge(other).findings
        still = {finding.key for finding in left}
        for finding in open_:
            gone = finding.key not in still and _in_order(finding, other, left)
            if gone and finding.code != "rulebook.mismatch":
                removed.setdefault(finding.key, reading)
    return [
        structs.replace(finding, severity="ambiguous", depends_on=removed[finding.key])
        if finding.key in removed and finding in open_
        else finding
        for finding in findings
    ]


@cache
def _alternatives(rulebook: str, chosen: tuple[tuple[str, str], ...]) -> tuple[tuple[str, Rulebook], ...]:
    return _answered_otherwise(_book(rulebook, chosen))


def _answered_otherwise(book: Rulebook) -> tuple[tuple[str, Rulebook], ...]:
    return tuple(
        (f"{reading.id}={answer}", book.with_readings({reading.id: answer}))
        for reading in book.readings.values()
        for answer in (reading.default, *reading.alternatives)
        if answer != reading.value
    )


def other_readings(book: Rulebook) -> tuple[tuple[str, Rulebook], ...]:
    """The same rulebook with one question at a time answered otherwise."""
    if book.digest != load_rulebook(book.id).digest:
        # A text that was not shipped, such as that of a case made by another version.
        return _answered_otherwise(book)
    chosen = {reading.id: reading.value for reading in book.readings.values()}
    return _alternatives(book.id, tuple(sorted(chosen.items())))


def _in_order(finding: Finding, other: Played, left: Sequence[Finding]) -> bool:
    """Whether the other reading positively allows what was recorded, ``left`` being what it finds.

    A settlement that the other reading merely cannot fix does not clear anybody. Money is right on the
    wager, or in the sum of its player's on the box (ruling 1); attribution only where all of that is. A
    bonus line stands for itself.
    """
    if finding.delta is None or finding.wager is None or finding.code.startswith("bonus."):
        return True
    bet = other.table.bets[finding.wager]
    if finding.code == "settle.attribution":
        wrong = any(
            each.code.startswith("settle.") and (each.player, each.box) == (finding.player, finding.box)
            for each in left
        )
        return not wrong and right_in_sum(other.dues, bet)
    due = other.dues[finding.wager].expected
    found = bet.recorded
    if due is not None and found is not None and found[0].net == due.net:
        return True
    return finding.code.startswith("settle.") and found is not None and right_in_sum(other.dues, bet)


def _covered(
    coverage: tuple[CoverageRow, ...], findings: tuple[Finding, ...], not_shown: Mapping[str, str]
) -> tuple[CoverageRow, ...]:
    """The shoe's and the register's findings fail their checks too; what the shoe cannot show is open."""
    failed = {finding.code for finding in findings}
    return tuple(_verdict(row, failed, not_shown) for row in coverage)


def _verdict(row: CoverageRow, failed: set[str], not_shown: Mapping[str, str]) -> CoverageRow:
    if row.code in failed:
        return CoverageRow(code=row.code, verdict="failed")
    if row.verdict == "passed" and row.code in not_shown:
        return CoverageRow(code=row.code, verdict="not_evaluable", missing=not_shown[row.code])
    return row
