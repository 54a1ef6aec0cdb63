"""What each wager of a judged round was due beside what was recorded, with the arithmetic."""

from __future__ import annotations

from rules_replay.engine.payout import faces_text
from rules_replay.explain.data import WagerTold, settlement
from rules_replay.explain.readings import reading_named
from rules_replay.explain.wording import answer_words, wagers_listed
from rules_replay.explain.working import Working
from rules_replay.log import amount_text
from rules_replay.results import Money, SettlementRow
from rules_replay.rulebook import Rulebook


def wager_told(work: Working, row: SettlementRow) -> WagerTold:
    """One line of one wager. A bonus that the wager was not entitled to counts as nothing due."""
    delta = row.delta
    bonus = row.line != "stake"
    decided = row.wager not in work.played.bonuses.unknown
    no_entitlement = bonus and decided and row.expected is None
    if no_entitlement and row.recorded is not None:
        delta = row.recorded.net
    return WagerTold(
        wager=row.wager,
        line=row.line,
        kind=row.kind,
        player=row.player,
        box=row.box,
        hand=row.hand,
        where=work.where(row.box, row.hand),
        stake=amount_text(row.stake),
        effective_stake=amount_text(row.effective_stake),
        judged=True,
        due=settlement(Money(result="nothing") if no_entitlement else row.expected),
        recorded=settlement(row.recorded),
        difference=amount_text(delta) if delta is not None else None,
        because=_bonus_arithmetic(work, row) if bonus else row.reason,
        clause=row.clause,
        odds=row.odds,
        basis=row.basis,
        reading=_rests_on(work.book, row.reading) if row.reading is not None else None,
        corrected=row.corrected,
        findings=tuple(
            number
            for number, finding in enumerate(work.replay.findings, 1)
            if finding.wager == row.wager and finding.code.startswith("bonus.") == bonus
        ),
    )


def _bonus_arithmetic(work: Working, row: SettlementRow) -> str:
    """Why a bonus line is due, with the figures of the rulebook's table."""
    book, paid = work.book, work.played.bonuses
    if row.wager in paid.unknown:
        return "whether a Super Bonus was due in this round cannot be decided from the log"
    if row.expected is None:
        return "this wager was not entitled to it"
    if row.line == "bonus":
        earned = f"as one of the other wagers, this one earns {amount_text(row.expected.paid)}"
        return f"{wagers_listed(paid.super_bonus)} won a Super Bonus in this round: {earned}"
    high = book.whole("bonus.high_from")
    tier = "at least" if row.effective_stake >= high else "less than"
    cards = faces_text(work.played.standings[row.wager].cards)
    return (
        f"{cards} against the dealer's {faces_text(work.table.dealer.faces[:1])}: "
        f"a stake of {amount_text(row.effective_stake)}, {tier} {amount_text(high)}, "
        f"earns {amount_text(row.expected.paid)}"
    )


def _rests_on(book: Rulebook, reading_in_force: str) -> str:
    """The reading that an amount rests on, in words."""
    reading, answer = reading_named(book, reading_in_force)
    return f"rests on a reading: {reading.question}: {answer_words(answer)!r} ({reading.clause})"
