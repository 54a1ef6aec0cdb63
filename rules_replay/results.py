"""What a replay says: hands, settlements, findings and coverage of one round.

Amounts are whole thousandths of the currency unit. ``box`` 0 is the dealer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import msgspec

from rules_replay.severity import Severity

Basis: TypeAlias = Literal["as_required", "as_dealt"]
FindingKey: TypeAlias = tuple[str, int | None, int | None, str | None]


class Money(msgspec.Struct, frozen=True, kw_only=True):
    """A result with its amounts: what the house pays beyond the stake, and what it keeps."""

    result: str
    paid: int = 0
    taken: int = 0

    @property
    def net(self) -> int:
        """Net to the player."""
        return self.paid - self.taken


class HandRow(msgspec.Struct, frozen=True, kw_only=True):
    """One hand at the end of the round, the dealer's included (box 0)."""

    box: int
    hand: int
    cards: tuple[str, ...]
    total: int
    soft: bool
    doubled: bool
    split_from: int | None
    ended: str


class SettlementRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of one wager: what the rules require beside what was recorded.

    ``expected`` is None where the log cannot fix it; ``recorded`` is None where
    no settlement stands at the end of the round.
    """

    wager: str
    line: str
    kind: str
    player: str
    box: int
    hand: int
    stake: int
    effective_stake: int
    expected: Money | None
    recorded: Money | None
    odds: str | None
    clause: str
    reading: str | None
    basis: Basis
    reason: str
    corrected: bool = False

    @property
    def delta(self) -> int | None:
        """Recorded net to the player less the required net; None where nothing is fixed."""
        if self.expected is None:
            return None
        return (self.recorded.net if self.recorded else 0) - self.expected.net


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One rule that did not hold, with the evidence for it."""

    code: str
    severity: Severity
    seq: int | None = None
    box: int | None = None
    hand: int | None = None
    wager: str | None = None
    player: str | None = None
    expected: str = ""
    recorded: str = ""
    delta: int | None = None
    clause: str = ""
    depends_on: str | None = None
    basis: Basis = "as_required"

    @property
    def key(self) -> FindingKey:
        """What makes two findings the same one under different readings."""
        return (self.code, self.box, self.hand, self.wager)


class CoverageRow(msgspec.Struct, frozen=True, kw_only=True):
    """One check on one round. ``missing`` names the fact that was not recorded."""

    code: str
    verdict: Literal["passed", "failed", "not_evaluable"]
    missing: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundReplay:
    """Everything the replay of one round says; ``rulebook`` is None where none was in force."""

    round_id: str
    rulebook: str | None
    hands: tuple[HandRow, ...] = ()
    settlements: tuple[SettlementRow, ...] = ()
    findings: tuple[Finding, ...] = ()
    coverage: tuple[CoverageRow, ...] = field(default=(), repr=False)
