"""What recorded rounds would have been due under another rulebook or another reading.

A round is settled twice as it was played: with the cards, decisions and stakes of the log.
Nobody knows what the players would have done under other rules, so decisions are never
changed: an option that the other rulebook would not have allowed is named as such, and a
wager that one of the two cannot fix is counted apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from rules_replay.auditor import Auditor
from rules_replay.checks import catalogue
from rules_replay.engine import Played, judge, play
from rules_replay.engine.pieces import Bet
from rules_replay.errors import ReplayFailed
from rules_replay.log import SIDE_KINDS, Line, Round
from rules_replay.results import Finding, Money
from rules_replay.rulebook import Rulebook, load_rulebook
from rules_replay.venues import Register

LINES: tuple[Line, ...] = get_args(Line)

OPTION_GROUPS = frozenset({"wager", "side-bet", "insurance", "surrender", "split", "double", "forfeit"})
"""Groups of checks about what players chose to do."""

NOTHING = Money(result="nothing")
"""No entitlement to a bonus line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineDue:
    """One line of one wager under both; None where that rulebook cannot fix it.

    ``barred`` marks a box on which an option was taken that the other would not allow.
    """

    wager: str
    line: Line
    kind: str
    player: str
    box: int
    hand: int
    stake: int
    in_force: Money | None
    under: Money | None
    clause_in_force: str
    clause_under: str
    reason: str
    barred: bool

    @property
    def difference(self) -> int | None:
        """Net to the player under the other less that in force, in thousandths; None if not fixed."""
        if self.in_force is None or self.under is None:
            return None
        return self.under.net - self.in_force.net


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundComparison:
    """One round under the rulebook in force and under another; amounts in thousandths.

    ``barred`` are findings against options that only the other rulebook objects to.
    """

    round_id: str
    venue: str
    currency: str
    in_force: str
    under: str
    lines: tuple[LineDue, ...]
    barred: tuple[Finding, ...]

    @property
    def changed(self) -> tuple[LineDue, ...]:
        """The lines whose money would change."""
        return tuple(line for line in self.lines if line.difference)

    @property
    def not_fixed(self) -> tuple[LineDue, ...]:
        """The lines that the rulebook in force, the other, or both cannot fix."""
        return tuple(line for line in self.lines if line.difference is None)

    @property
    def notable(self) -> bool:
        """Whether there is anything to list: money, an option barred, a wager no longer fixed."""
        lost = any(line.in_force is not None for line in self.not_fixed)
        return bool(self.changed or self.barred or lost)


@dataclass(slots=True, kw_only=True)
class Due:
    """Net amounts due to players, in thousandths, on the lines that both rulebooks fix.

    ``on_barred`` is the part of the difference on boxes with an option that the other bars.
    """

    in_force: int = 0
    under: int = 0
    on_barred: int = 0

    @property
    def difference(self) -> int:
        """What the players together would have had more."""
        return self.under - self.in_force


@dataclass(slots=True)
class Comparisons:
    """What a run of comparisons came to. ``not_fixed`` counts by ``in force``, ``under``, ``both``."""

    rounds: int = 0
    without_rulebook: int = 0
    changed_rounds: int = 0
    lines: int = 0
    changed_lines: int = 0
    not_fixed: Counter[str] = field(default_factory=Counter)
    barred: Counter[str] = field(default_factory=Counter)
    money: dict[str, Due] = field(default_factory=dict)

    def add(self, found: RoundComparison | None) -> None:
        """Count one round; None for one that no held rulebook governs."""
        self.rounds += 1
        if found is None:
            self.without_rulebook += 1
            return
        self.changed_rounds += bool(found.changed)
        self.lines += len(found.lines)
        self.changed_lines += len(found.changed)
        self.barred.update(each.code for each in found.barred)
        due = self.money.setdefault(found.currency, Due())
        for line in found.lines:
            if line.in_force is None or line.under is None:
                self.not_fixed[_open_under(line)] += 1
                continue
            due.in_force += line.in_force.net
            due.under += line.under.net
            due.on_barred += (line.under.net - line.in_force.net) if line.barred else 0


def _open_under(line: LineDue) -> str:
    if line.in_force is None and line.under is None:
        return "both"
    return "in force" if line.in_force is None else "under"


class Counterfactual:
    """Compares rounds with what they would have been due under another law.

    ``under`` is a rulebook, or None for the one in force; ``readings`` are answers to its
    open questions. ``KeyError`` for a rulebook that is not held, `RulebookError` for a
    reading that is not known.
    """

    def __init__(
        self, register: Register, under: str | None = None, readings: Mapping[str, str] | None = None
    ) -> None:
        self._auditor = Auditor(register)
        self._under = None if under is None else load_rulebook(under)
        self._readings = dict(readings or {})
        self._others: dict[tuple[str, tuple[str, ...]], Rulebook] = {}

    def compare(self, round_: Round) -> RoundComparison | None:
        """One round under both; None where no held rulebook was in force.

        Raises `ReplayFailed` naming the round that the engine could not settle.
        """
        book = self._auditor.rulebook_for(round_)
        if book is None:
            return None
        other = self._other(book)
        try:
            return compare(round_, book, other)
        except Exception as error:
            raise ReplayFailed(round_.round_id, f"{type(error).__name__}: {error}") from error

    def _other(self, book: Rulebook) -> Rulebook:
        """The other law for a round: the venue's readings stay where the rulebook stays."""
        key = book.id, tuple(reading.value for reading in book.readings.values())
        if key not in self._others:
            same = self._under is None or self._under.id == book.id
            base = book if same or self._under is None else self._under
            self._others[key] = base.with_readings(self._readings)
        return self._others[key]


def compare(round_: Round, book: Rulebook, other: Rulebook) -> RoundComparison:
    """Settle a round as played under two rulebooks."""
    one, two = play(round_, book), play(round_, other)
    known = {finding.key for finding in judge(one).findings}
    barred = tuple(
        finding for finding in judge(two).findings if _of_option(finding) and finding.key not in known
    )
    boxes = {finding.box for finding in barred}
    lines = [
        each
        for bet in one.table.bets.values()
        for line in LINES
        if (each := _line(one, two, bet, line, barred=bet.box in boxes)) is not None
    ]
    return RoundComparison(
        round_id=round_.round_id,
        venue=round_.venue,
        currency=round_.currency,
        in_force=book.id,
        under=other.id,
        lines=tuple(lines),
        barred=barred,
    )


def _of_option(finding: Finding) -> bool:
    """Whether a finding is about what a player did, and not about when the dealer settled it."""
    check = catalogue()[finding.code]
    told = finding.severity in ("breach", "procedure")
    return told and check.group in OPTION_GROUPS and check.needs != "settle_order"


def _line(one: Played, two: Played, bet: Bet, line: Line, *, barred: bool) -> LineDue | None:
    in_force, clause_in_force, _ = _due(one, bet.id, line)
    under, clause_under, reason = _due(two, bet.id, line)
    if in_force == under == NOTHING:
        return None
    return LineDue(
        wager=bet.id,
        line=line,
        kind=bet.kind,
        player=bet.player,
        box=bet.box,
        hand=1 if bet.kind in SIDE_KINDS else bet.hand.no,
        stake=int(bet.placed.amount),
        in_force=in_force,
        under=under,
        clause_in_force=clause_in_force,
        clause_under=clause_under,
        reason=reason,
        barred=barred,
    )


def _due(played: Played, wager: str, line: Line) -> tuple[Money | None, str, str]:
    """What a line is due, the clause and the arithmetic."""
    if line == "stake":
        due = played.dues[wager]
        return due.expected, due.clause, due.reason
    paid = played.bonuses
    amount = (paid.super_bonus if line == "super_bonus" else paid.other).get(wager, 0)
    clause = played.table.book.outcome_clause("super_bonus" if line == "super_bonus" else "other_bonus")
    if wager in paid.unknown:
        return None, clause, "it cannot be told whether the round has a Super Bonus"
    if not amount:
        return NOTHING, clause, "no entitlement"
    return Money(result="win", paid=amount), clause, "due in a Super Bonus round"
