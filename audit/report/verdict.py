"""The one sentence that a report opens with."""

from __future__ import annotations

from audit.report.model import Figures
from audit.report.text import count, listed, money


def verdict(figures: Figures) -> str:
    """What the rounds in scope came to, in one sentence that claims no more than was audited."""
    left_out = [
        (figures.without_rulebook, f"{count(figures.without_rulebook, 'round')} had no rulebook in force"),
        (figures.quarantined, f"{count(figures.quarantined, 'line')} of the log could not be read"),
    ]
    if figures.without_rulebook == figures.rounds:
        del left_out[0]
    told = [(number, words) for number, words in left_out if number]
    if not told:
        return f"{_outcome(figures)}."
    was = "was" if sum(number for number, _ in told) == 1 else "were"
    return f"{_outcome(figures)}; {listed(words for _, words in told)} and {was} not audited."


def _outcome(figures: Figures) -> str:
    rounds = figures.rounds
    if not rounds:
        return "No rounds are stored, so nothing was audited"
    if figures.without_rulebook == rounds:
        return f"No rulebook was in force for {_all(rounds)}, so nothing was audited"
    played = count(rounds, "round")
    breaches = figures.findings["breach"]
    if breaches:
        return f"{count(breaches, 'breach', 'breaches')} in {played}{_money(figures)}"
    if figures.exceptions:
        return f"No breach in {played}, and {count(figures.exceptions, 'other exception')} to look at"
    return f"No exceptions in {played}"


def _all(rounds: int) -> str:
    return "the only round" if rounds == 1 else f"any of the {rounds:,} rounds"


def _money(figures: Figures) -> str:
    """Over- and underpayments, where one day and currency has them; more stand in a table."""
    lines = [line for _, line in figures.money if line.breach]
    if not lines:
        return ", no money misdirected"
    if len(lines) > 1:
        return ", with money over- or underpaid"
    moved, currency = lines[0].breach, lines[0].currency
    parts = [
        f"{money(amount, currency)} {word}"
        for amount, word in ((moved.overpaid, "overpaid"), (moved.underpaid, "underpaid"))
        if amount
    ]
    return f", {listed(parts)}"
