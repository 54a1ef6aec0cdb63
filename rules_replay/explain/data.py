"""What is told of a round, as plain data: amounts are decimal text, what is absent is None or empty.

The texts of the log stay as they were recorded, whatever they hold.
"""

from __future__ import annotations

from dataclasses import dataclass

from rules_replay.explain.wording import figure
from rules_replay.log import amount_text
from rules_replay.results import Money


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """Which round it was, under which rules, and what came out. ``money`` sums the differences by player."""

    round_id: str
    venue: str
    table: str
    shoe: str
    round_no: int
    started_at: str
    ended_at: str | None
    decks: int
    shuffler: str
    currency: str
    dealer: str | None
    supervisor: str | None
    sign: str
    not_recorded: tuple[str, ...]
    rulebook: str | None
    title: str | None
    instrument: str | None
    verdict: str
    money: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """A result with its amounts, as decimal text; empty where there was none to decide."""

    result: str
    paid: str
    taken: str

    def __str__(self) -> str:
        parts = [self.result.replace("_", "-")]
        if self.paid != "0":
            parts.append(f"{figure(self.paid)} paid")
        if self.taken != "0":
            parts.append(f"{figure(self.taken)} taken")
        return ", ".join(parts)


def settlement(money: Money | None) -> Settlement | None:
    """A result of the replay as decimal text; None where there is none."""
    if money is None:
        return None
    return Settlement(result=money.result, paid=amount_text(money.paid), taken=amount_text(money.taken))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Something said about an event, with the clause behind it (empty where none is needed)."""

    text: str
    clause: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One event. ``cards`` are those of its hand afterwards and ``card`` the one just dealt.

    ``grounds`` are what the event was allowed or required by, ``objections`` the numbers
    of the findings made at it, and ``see`` those of an earlier finding that covers it.
    """

    seq: int
    event: str
    phase: str
    at: str | None
    box: int | None
    hand: int | None
    wager: str | None
    where: str
    text: str
    card: str | None
    cards: tuple[str, ...]
    total: str | None
    decision: bool
    remarks: tuple[Ground, ...]
    grounds: tuple[Ground, ...]
    objections: tuple[int, ...]
    see: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandTold:
    """A hand at the end of the round; ``remarks`` say where it counts otherwise, and for whom."""

    box: int
    hand: int
    where: str
    cards: tuple[str, ...]
    total: str
    ended: str
    players: tuple[str, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerTold:
    """One line of one wager: stake, due, recorded, and the difference to the player.

    Amounts are decimal text. ``difference`` is the recorded net to the player less the
    net due; None where the log cannot fix what was due, or where nobody judged it.
    """

    wager: str
    line: str
    kind: str
    player: str
    box: int
    hand: int
    where: str
    stake: str
    effective_stake: str
    judged: bool
    due: Settlement | None
    recorded: Settlement | None
    difference: str | None
    because: str
    clause: str
    odds: str | None
    basis: str
    reading: str | None
    corrected: bool
    findings: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingTold:
    """A finding by its number in this explanation, with the meaning of its code."""

    number: int
    code: str
    severity: str
    meaning: str
    seq: int | None
    box: int | None
    hand: int | None
    wager: str | None
    player: str | None
    expected: str
    recorded: str
    difference: str | None
    clause: str
    basis: str
    other_reading: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingTold:
    """An open question of the rulebook whose other answer would change something here."""

    id: str
    question: str
    answer: str
    default: str
    alternatives: tuple[str, ...]
    clause: str
    reason: str
    effects: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotChecked:
    """A check that the log could not support, and why."""

    code: str
    meaning: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageTold:
    """How many checks held and failed, and which could not be looked at."""

    passed: int
    failed: int
    not_checked: tuple[NotChecked, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What is told of one round at one level of detail; what a level leaves out is empty."""

    level: int
    heading: Heading
    findings: tuple[FindingTold, ...]
    hands: tuple[HandTold, ...]
    wagers: tuple[WagerTold, ...]
    steps: tuple[Step, ...]
    readings: tuple[ReadingTold, ...]
    coverage: CoverageTold | None
