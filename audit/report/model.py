"""What a report is about and what it says, before it becomes a page, a sheet or JSON.

Amounts are `Decimal` in whole currency units, exact to a thousandth, and are only ever
added up within one venue and one currency.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from audit.causes.model import Causes
from audit.layout import Partition
from audit.readings import Answers
from rules_replay.severity import SEVERITIES

if TYPE_CHECKING:
    from expectations.census import ControlTotals

ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class ReportScope:
    """The partitions that a report covers, sorted by venue and date, each once.

    A partition without a venue or date holds nothing but quarantined lines.
    """

    partitions: tuple[Partition, ...]

    @classmethod
    def of(cls, partitions: Iterable[Partition]) -> ReportScope:
        """A scope from partitions in any order."""
        return cls(tuple(sorted(set(partitions), key=lambda each: each.order)))


@dataclass(frozen=True, slots=True)
class Aside:
    """What a run kept aside of a partition while it replayed it.

    ``folder`` is that of `audit.behind`, ``totals`` are what was counted for the validation, by
    currency; None where it could not be counted.
    """

    folder: Path
    totals: Mapping[str, ControlTotals] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHeader:
    """What differs between two runs over the same rounds; nothing else in a report may.

    ``rounds_compared`` and ``rounds_disagreed`` count the rounds that were replayed by
    both engines and those on which the two differed; None where none were compared.
    ``not_replayed`` names the partitions that the run had to leave out; ``readings`` are
    the answers to open questions that it went by. ``number`` is the line of the run in its
    ledger, by which the history of a finding tells whether it is new; None where there is none.
    """

    run_id: str
    finished_at: datetime
    code_version: str
    not_replayed: tuple[str, ...] = ()
    rounds_compared: int | None = None
    rounds_disagreed: int | None = None
    readings: tuple[Answers, ...] = ()
    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFiles:
    """Where the files of a report were written, and the causes that it leads with.

    ``causes`` and ``causes_csv`` have a row for each of them.
    """

    html: Path
    csv: Path
    xlsx: Path
    json: Path
    causes: Path
    causes_csv: Path
    found: Causes

    @property
    def paths(self) -> tuple[Path, ...]:
        return self.html, self.csv, self.xlsx, self.json, self.causes, self.causes_csv


@dataclass(slots=True)
class Moved:
    """Money that went the wrong way: to players in excess, and held back from them."""

    overpaid: Decimal = ZERO
    underpaid: Decimal = ZERO

    def add(self, overpaid: Decimal, underpaid: Decimal) -> None:
        self.overpaid += overpaid
        self.underpaid += underpaid

    def __bool__(self) -> bool:
        return bool(self.overpaid or self.underpaid)


def _no_findings() -> dict[str, int]:
    return dict.fromkeys(SEVERITIES, 0)


@dataclass(slots=True)
class Tally:
    """Rounds and findings of one table, dealer, hour, check or day; money by currency."""

    rounds: int = 0
    findings: dict[str, int] = field(default_factory=_no_findings)
    breach: dict[str, Moved] = field(default_factory=dict)
    ambiguous: dict[str, Moved] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.findings.values())

    @property
    def gravity(self) -> tuple[int, ...]:
        """Sorts the worst first."""
        return tuple(-count for count in self.findings.values())

    def add_findings(self, severity: str, count: int, currency: str, over: Decimal, under: Decimal) -> None:
        """Count findings; money counts for a breach and, kept apart, for an ambiguous one."""
        self.findings[severity] += count
        books = {"breach": self.breach, "ambiguous": self.ambiguous}.get(severity)
        if books is not None and (over or under):
            books.setdefault(currency, Moved()).add(over, under)

    def add(self, other: Tally) -> None:
        """Count what another counts as well."""
        self.rounds += other.rounds
        for severity, count in other.findings.items():
            self.findings[severity] += count
        for book, others in ((self.breach, other.breach), (self.ambiguous, other.ambiguous)):
            for currency, moved in others.items():
                book.setdefault(currency, Moved()).add(moved.overpaid, moved.underpaid)


def _tallies() -> dict[str | None, Tally]:
    return defaultdict(Tally)


@dataclass(slots=True)
class Staked:
    """Rounds, wagers and stakes of one currency on one day, with settlements put right at the table."""

    rounds: int = 0
    wagers: int = 0
    staked: Decimal = ZERO
    corrected: int = 0


@dataclass(frozen=True, slots=True)
class MoneyLine:
    """Stakes of one currency on one day, and what went the wrong way."""

    currency: str
    staked: Staked
    breach: Moved
    ambiguous: Moved


@dataclass(slots=True, kw_only=True)
class Day:
    """One partition: its totals, and its findings by table, dealer and hour.

    ``hours`` are the 24 hours of the venue's clock in the order of the gaming day.
    """

    partition: Partition
    zone: str
    total: Tally = field(default_factory=Tally)
    currencies: dict[str, Staked] = field(default_factory=dict)
    tables: dict[str | None, Tally] = field(default_factory=_tallies)
    dealers: dict[str | None, Tally] = field(default_factory=_tallies)
    hours: dict[int, Tally] = field(default_factory=dict)
    without_rulebook: int = 0
    quarantined: int = 0

    def money(self) -> tuple[MoneyLine, ...]:
        """One line a currency, in alphabetical order."""
        seen = {*self.currencies, *self.total.breach, *self.total.ambiguous}
        return tuple(
            MoneyLine(
                currency,
                self.currencies.get(currency, Staked()),
                self.total.breach.get(currency, Moved()),
                self.total.ambiguous.get(currency, Moved()),
            )
            for currency in sorted(seen)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCount:
    """The findings of one check: rounds concerned, severities as found, the clauses cited."""

    code: str
    rounds: int
    tally: Tally
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hanging:
    """Findings of one day and currency that another reading, ``id=value``, removes."""

    partition: Partition
    rulebook: str | None
    depends_on: str
    currency: str
    findings: int
    money: Moved


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A check that the evidence could not support in some rounds, and what was missing."""

    code: str
    rulebook: str | None
    reason: str
    evaluated: int
    not_evaluable: int


class QuarantinedLine(NamedTuple):
    """A line that could not be read; ``head`` is its first bytes, for finding it again."""

    source_file: str
    source_line: int
    source_offset: int
    byte_count: int
    field: str
    reason: str
    round_id: str | None
    head: bytes


class ResolvedRow(NamedTuple):
    """A finding that was made and is no longer, with the facts that it last had.

    ``since_run`` is the run that resolved it, by its line in the run ledger.
    """

    venue: str
    gaming_date: date
    round_id: str
    code: str
    severity: str
    box: int | None
    hand: int | None
    wager: str | None
    delta: Decimal | None
    currency: str | None
    fingerprint: str
    since_run: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Everything a report counts. Exceptions themselves are read from the lake in order.

    ``over_time`` counts them against earlier runs, under the names of `audit.results.OVER_TIME`;
    None where nothing tells. ``disposed`` counts those that somebody looked into, by what was
    made of them, and under ``changed_since`` those that have changed since.
    """

    scope: ReportScope
    days: tuple[Day, ...]
    checks: tuple[CheckCount, ...]
    hanging: tuple[Hanging, ...]
    gaps: tuple[Gap, ...]
    checks_evaluated: int
    rulebooks: tuple[str, ...]
    exceptions: int
    over_time: Mapping[str, int] | None
    disposed: Mapping[str, int]

    @property
    def rounds(self) -> int:
        return sum(day.total.rounds for day in self.days)

    @property
    def wagers(self) -> int:
        return sum(staked.wagers for day in self.days for staked in day.currencies.values())

    @property
    def corrected(self) -> int:
        return sum(staked.corrected for day in self.days for staked in day.currencies.values())

    @property
    def without_rulebook(self) -> int:
        return sum(day.without_rulebook for day in self.days)

    @property
    def quarantined(self) -> int:
        return sum(day.quarantined for day in self.days)

    @property
    def money(self) -> tuple[tuple[Day, MoneyLine], ...]:
        """Every day's money, one line a currency; never added up across days or venues."""
        return tuple((day, line) for day in self.days for line in day.money())

    @property
    def findings(self) -> Mapping[str, int]:
        """Findings by severity, gravest first."""
        return {name: sum(day.total.findings[name] for day in self.days) for name in SEVERITIES}


class ExceptionRow(NamedTuple):
    """One finding with the facts of its round, in the order of the report.

    ``number`` counts from 1, gravest first, then by money. ``started_us`` is the
    start of the round in microseconds since 1970 UTC and ``recorded_offset`` the
    offset from UTC that the log gives it. ``stake``, ``odds`` and ``arithmetic``
    come from the settlement of the wager concerned. ``state`` is new, continuing or
    reopened, None where no history tells; ``altered`` one that continues with another
    severity, amount or event; ``since_run`` is the run since which every one found it.
    ``disposition`` to ``changed_since`` are what somebody made
    of it, when, and whether the finding has changed since.
    """

    number: int
    severity: str
    code: str
    rulebook: str | None
    clause: str
    depends_on: str | None
    basis: str
    venue: str
    gaming_date: date
    table: str | None
    dealer: str | None
    supervisor: str | None
    shoe: str | None
    round_no: int | None
    round_id: str
    started_us: int | None
    recorded_offset: str | None
    seq: int | None
    box: int | None
    hand: int | None
    wager: str | None
    player: str | None
    kind: str | None
    stake: Decimal | None
    effective_stake: Decimal | None
    odds: str | None
    expected: str
    recorded: str
    delta: Decimal | None
    currency: str | None
    arithmetic: str | None
    corrected: bool | None
    hand_cards: str | None
    dealer_cards: str | None
    source_file: str | None
    source_line: int | None
    source_sha256: str | None
    fingerprint: str
    since_run: int | None
    state: str | None
    altered: bool
    disposition: str | None
    disposed_by: str | None
    disposed_at: str | None
    note: str | None
    changed_since: bool


@dataclass(frozen=True, slots=True)
class HandDrawn:
    """One hand of a round as it lay at the end; ``doubled_cards`` came after doubling."""

    box: int
    hand: int
    cards: tuple[str, ...]
    total: int
    soft: bool
    doubled: bool
    split_from: int | None
    ended: str
    doubled_cards: int
