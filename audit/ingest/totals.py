"""Control totals: what is counted on the way in and counted again on the way out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rules_replay.log import Round, Settle, Wager, amount_text


@dataclass(slots=True)
class CurrencyTotals:
    """Rounds of one currency: counts, and money in thousandths.

    ``paid`` and ``taken`` add up every settlement as it was recorded, those that the
    table later reversed included.
    """

    rounds: int = 0
    events: int = 0
    wagers: int = 0
    stakes: int = 0
    paid: int = 0
    taken: int = 0

    def add(self, other: CurrencyTotals) -> None:
        """Add another set of totals to this one."""
        self.rounds += other.rounds
        self.events += other.events
        self.wagers += other.wagers
        self.stakes += other.stakes
        self.paid += other.paid
        self.taken += other.taken

    def as_json(self) -> dict[str, int | str]:
        """Counts as numbers, money as decimal strings."""
        return {
            "rounds": self.rounds,
            "events": self.events,
            "wagers": self.wagers,
            "stakes": amount_text(self.stakes),
            "paid": amount_text(self.paid),
            "taken": amount_text(self.taken),
        }


@dataclass(slots=True)
class Totals:
    """Control totals by currency."""

    by_currency: dict[str, CurrencyTotals] = field(default_factory=dict)

    def of(self, currency: str) -> CurrencyTotals:
        """The totals of one currency, to be added to."""
        return self.by_currency.setdefault(currency, CurrencyTotals())

    def add_round(self, round_: Round) -> None:
        """Count one round."""
        found = self.of(round_.currency)
        found.rounds += 1
        found.events += len(round_.events)
        for event in round_.events:
            if isinstance(event, Settle):
                found.paid += event.paid or 0
                found.taken += event.taken or 0
            elif isinstance(event, Wager):
                found.wagers += 1
                found.stakes += event.amount

    def add(self, other: Totals) -> None:
        """Add another set of totals to this one."""
        for currency, totals in other.by_currency.items():
            self.of(currency).add(totals)

    def as_json(self) -> Mapping[str, Mapping[str, int | str]]:
        """By currency, in alphabetical order."""
        return {currency: self.by_currency[currency].as_json() for currency in sorted(self.by_currency)}

    def differences(self, other: Totals) -> list[str]:
        """Where this and another set differ, in words; empty when they balance."""
        found = []
        for currency in sorted(self.by_currency | other.by_currency):
            mine = self.by_currency.get(currency, CurrencyTotals()).as_json()
            theirs = other.by_currency.get(currency, CurrencyTotals()).as_json()
            found += [
                f"{currency} {name}: {mine[name]} in, {theirs[name]} out"
                for name in mine
                if mine[name] != theirs[name]
            ]
        return found
