"""A run of rounds in, Arrow tables out: hands, settlements, findings and coverage.

Rounds come in the order in which they were dealt, shoe by shoe; the rows go out in the
same order, so the same rounds under the same rulebooks give the same tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeAlias

import pyarrow as pa

from rules_replay.auditor import Auditor
from rules_replay.checks import catalogue
from rules_replay.errors import ReplayFailed, RulebookError
from rules_replay.fingerprint import fingerprints
from rules_replay.log import COVERAGE, FINDINGS, HANDS, MONEY, SETTLEMENTS, Round
from rules_replay.results import Finding, HandRow, Money, RoundReplay, SettlementRow

_WHOLE = pa.decimal128(19, 0)
"""What holds every 64-bit integer."""

BATCH_ROUNDS = 2048
"""Rounds whose results are held at a time."""


Verdicts: TypeAlias = Counter[tuple[str, str | None, str, str | None]]
"""Rounds by check, rulebook, verdict and missing fact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The results of some rounds, one after another, as tables of `rules_replay.log`."""

    hands: pa.Table
    settlements: pa.Table
    findings: pa.Table


@dataclass(slots=True, kw_only=True)
class Moved:
    """Money that went the wrong way, in thousandths: to players in excess, and held back from them."""

    overpaid: int = 0
    underpaid: int = 0

    def add(self, delta: int) -> None:
        """Count what a player received beyond (or short of) what the rules require."""
        self.overpaid += max(delta, 0)
        self.underpaid += max(-delta, 0)

    def join(self, other: Moved) -> None:
        """Add what another has counted."""
        self.overpaid += other.overpaid
        self.underpaid += other.underpaid


@dataclass(slots=True, kw_only=True)
class Hanging:
    """Findings that another reading of a clause removes, and their money."""

    findings: int = 0
    money: Moved = field(default_factory=Moved)


@dataclass(slots=True)
class Tally:
    """What a run of rounds came to: counts, and by currency the money of its breaches.

    ``checks`` counts the verdicts, by ``passed``, ``failed`` and ``not_evaluable``;
    ``rulebooks`` the rounds under each rulebook, None for those under none; ``readings``
    what hangs on a reading, by rulebook, the other reading as ``id=value``, and currency.
    """

    rounds: int = 0
    rulebooks: Counter[str | None] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)
    money: dict[str, Moved] = field(default_factory=dict)
    readings: dict[tuple[str, str, str], Hanging] = field(default_factory=dict)

    def add_round(self, round_: Round, replayed: RoundReplay) -> None:
        """Count one round."""
        self.rounds += 1
        self.rulebooks[replayed.rulebook] += 1
        self.add_findings(round_.currency, replayed)
        self.checks.update(row.verdict for row in replayed.coverage)

    def add_findings(self, currency: str, replayed: RoundReplay) -> None:
        """Count the findings of a round, and their money."""
        for finding in replayed.findings:
            self.findings[finding.severity] += 1
            if finding.severity == "breach" and finding.delta:
                self.money.setdefault(currency, Moved()).add(finding.delta)
            if finding.depends_on is not None and replayed.rulebook is not None:
                key = (replayed.rulebook, finding.depends_on, currency)
                hanging = self.readings.setdefault(key, Hanging())
                hanging.findings += 1
                hanging.money.add(finding.delta or 0)

    def add(self, other: Tally) -> None:
        """Add another tally to this one."""
        self.rounds += other.rounds
        self.rulebooks.update(other.rulebooks)
        self.findings.update(other.findings)
        self.checks.update(other.checks)
        for currency, moved in other.money.items():
            self.money.setdefault(currency, Moved()).join(moved)
        for key, hanging in other.readings.items():
            mine = self.readings.setdefault(key, Hanging())
            mine.findings += hanging.findings
            mine.money.join(hanging.money)


class Replay:
    """Replays one run of rounds. ``tally`` and `coverage` are whole once `batches` is exhausted."""

    def __init__(self, auditor: Auditor) -> None:
        self._auditor = auditor
        self._verdicts: Verdicts = Counter()
        self.tally = Tally()

    def batches(self, rounds: Iterable[Round], batch_rounds: int = BATCH_ROUNDS) -> Iterator[Batch]:
        """The results of the rounds, so many rounds at a time.

        Raises `ReplayFailed` naming the round that the engine could not replay.
        """
        coming = iter(rounds)
        while some := list(islice(coming, batch_rounds)):
            replays = [self._replayed(round_) for round_ in some]
            yield Batch(
                hands=hands_table(replays),
                settlements=settlements_table(replays),
                findings=findings_table(zip((each.venue for each in some), replays, strict=True)),
            )

    def _replayed(self, round_: Round) -> RoundReplay:
        replayed = replay_one(self._auditor, round_)
        self.tally.add_round(round_, replayed)
        self._verdicts.update(
            (row.code, replayed.rulebook, row.verdict, row.missing) for row in replayed.coverage
        )
        return replayed

    def coverage(self) -> pa.Table:
        """The `coverage_table` of the rounds replayed."""
        return coverage_table(self._verdicts)


def coverage_table(verdicts: Verdicts) -> pa.Table:
    """One row for each check, rulebook and missing fact, in the order of the catalogue.

    Rounds that were evaluated stand in the row without a missing fact.
    """
    rows: dict[tuple[str, str | None, str | None], Counter[str]] = {}
    for (code, rulebook, verdict, missing), rounds in verdicts.items():
        rows.setdefault((code, rulebook, missing), Counter())[verdict] += rounds
    place = {code: number for number, code in enumerate(catalogue())}
    ordered = sorted(rows, key=lambda key: (place[key[0]], key[1] or "", key[2] or ""))
    return _table(
        COVERAGE,
        (
            (
                code,
                rulebook,
                rows[code, rulebook, missing]["passed"] + rows[code, rulebook, missing]["failed"],
                rows[code, rulebook, missing]["passed"],
                rows[code, rulebook, missing]["failed"],
                rows[code, rulebook, missing]["not_evaluable"],
                missing,
            )
            for code, rulebook, missing in ordered
        ),
    )


def replay_one(auditor: Auditor, round_: Round) -> RoundReplay:
    """Replay one round; whatever the engine could not do becomes `ReplayFailed`.

    `RulebookError` passes, since its owner is another.
    """
    try:
        return auditor.audit(round_)
    except RulebookError:
        raise
    except Exception as error:
        raise ReplayFailed(round_.round_id, f"{type(error).__name__}: {error}") from error


def hands_table(replays: Iterable[RoundReplay]) -> pa.Table:
    """The hands of some rounds."""
    return _table(HANDS, (_hand(each.round_id, hand) for each in replays for hand in each.hands))


def _hand(round_id: str, hand: HandRow) -> tuple[Any, ...]:
    return (
        round_id,
        hand.box,
        hand.hand,
        " ".join(hand.cards),
        len(hand.cards),
        hand.total,
        hand.soft,
        hand.doubled,
        hand.split_from,
        hand.ended,
    )


def settlements_table(replays: Iterable[RoundReplay]) -> pa.Table:
    """The settlements of some rounds."""
    return _table(
        SETTLEMENTS, (_settlement(each.round_id, row) for each in replays for row in each.settlements)
    )


def _settlement(round_id: str, row: SettlementRow) -> tuple[Any, ...]:
    return (
        round_id,
        row.wager,
        row.line,
        row.kind,
        row.player,
        row.box,
        row.hand,
        row.stake,
        row.effective_stake,
        "indeterminate" if row.expected is None else "fixed",
        *_money(row.expected),
        *_money(row.recorded),
        row.delta,
        row.odds,
        row.clause,
        row.reading,
        row.basis,
        row.reason,
        row.corrected,
    )


def _money(money: Money | None) -> tuple[str, int, int] | tuple[None, None, None]:
    return (None, None, None) if money is None else (money.result, money.paid, money.taken)


def findings_table(replays: Iterable[tuple[str, RoundReplay]]) -> pa.Table:
    """The findings of some rounds, each round with its venue before it."""
    return _table(FINDINGS, (row for venue, each in replays for row in _findings(venue, each)))


def _findings(venue: str, replayed: RoundReplay) -> Iterator[tuple[Any, ...]]:
    named = fingerprints(venue, replayed.round_id, replayed.findings)
    for ordinal, (finding, fingerprint) in enumerate(zip(replayed.findings, named, strict=True)):
        yield _finding(replayed, ordinal, finding, fingerprint)


def _finding(replayed: RoundReplay, ordinal: int, finding: Finding, fingerprint: str) -> tuple[Any, ...]:
    return (
        replayed.round_id,
        ordinal,
        finding.code,
        finding.severity,
        finding.seq,
        finding.box,
        finding.hand,
        finding.wager,
        finding.player,
        finding.expected,
        finding.recorded,
        finding.delta,
        finding.clause,
        finding.depends_on,
        finding.basis,
        replayed.rulebook,
        fingerprint,
    )


def _table(schema: pa.Schema, rows: Iterable[tuple[Any, ...]]) -> pa.Table:
    """Rows in the order of the schema's columns as a table, money in thousandths as DECIMAL."""
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.table(
        [_array(column, each.type) for column, each in zip(columns, schema, strict=True)], schema=schema
    )


def _array(values: tuple[Any, ...], kind: pa.DataType) -> pa.Array:
    if kind == MONEY:
        return pa.array(values, pa.int64()).cast(_WHOLE).view(MONEY)
    return pa.array(values, kind)
