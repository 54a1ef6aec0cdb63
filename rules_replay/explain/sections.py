"""The sections of an explanation as text, in the order in which they are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from rules_replay.explain.data import FindingTold, Ground, Step, Told, WagerTold
from rules_replay.explain.page import Page, wrap
from rules_replay.explain.wording import (
    KIND_WORDS,
    LINE_WORDS,
    answer_words,
    card_sign,
    count,
    figure,
    listed,
    sentence,
)
from rules_replay.severity import SEVERITIES

_SEVERITY_WORDS = {
    "breach": "Breach",
    "procedure": "Procedure",
    "ambiguous": "Depends on a reading",
    "indeterminate": "Cannot be decided",
    "notice": "Notice",
}
_BASIS_WORDS = {
    "as_required": "from the cards as the rules count them",
    "as_dealt": "from the table as it stood, since a card that should have come is missing or the log "
    "cannot fix the hand",
}
_DEFINITION = re.compile(r"def:([^;)]+)")
_CARD_CODE = re.compile(r"\b(?:(?:10|[A2-9JQK])[SHDC]|JK)\b")
_STYLES = {"breach": "breach", "procedure": "breach", "ambiguous": "caution", "indeterminate": "caution"}


def write(page: Page, told: Told) -> None:
    """Write all that the level of the explanation tells."""
    _write_heading(page, told)
    _write_findings(page, told)
    _write_hands(page, told)
    _write_wagers(page, told)
    if told.level >= 2:
        _write_steps(page, told)
    if told.level >= 3:
        _write_readings(page, told)
        _write_coverage(page, told)


def _write_heading(page: Page, told: Told) -> None:
    heading = told.heading
    page.para(f"Round {heading.round_id}", style="bold")
    page.para(
        f"{heading.venue}, table {heading.table}, shoe {heading.shoe}, round {heading.round_no}, "
        f"{_instant(heading.started_at)}"
    )
    if heading.rulebook is not None:
        page.para(f"Rules: {heading.title} ({heading.instrument}), cited as {heading.rulebook}")
    if told.level >= 3:
        ended = f"ended {_instant(heading.ended_at)}; " if heading.ended_at is not None else ""
        staff = [("dealer", heading.dealer), ("supervisor", heading.supervisor)]
        names = "".join(f"; {role} {name}" for role, name in staff if name)
        page.para(f"{ended}{count(heading.decks, 'deck')}, {heading.shuffler} shuffling{names}")
        if heading.sign:
            page.para(f"Sign: {heading.sign}")
    if heading.not_recorded:
        page.para(f"This log does not record {' or '.join(heading.not_recorded)}.")
    page.blank()
    page.para(heading.verdict, style=_verdict_style(told))
    for line in heading.money:
        page.para(line)


def _instant(text: str) -> str:
    """An instant with its offset, as people read it: ``2019-03-01 20:14:05 +11:00``."""
    day, _, rest = text.partition("T")
    clock = re.split(r"(?=[+-])", rest, maxsplit=1)
    return f"{day} {' '.join(clock)}"


def _clock(at: str | None) -> str:
    """The time of day of an instant by the clock of the round."""
    return _instant(at).split(" ")[1] if at is not None else ""


def _verdict_style(told: Told) -> str:
    if told.heading.rulebook is None or told.heading.verdict.startswith("Undecided"):
        return "caution"
    found = {finding.severity for finding in told.findings}
    gravest = next((severity for severity in SEVERITIES if severity in found), "notice")
    return _STYLES.get(gravest, "good")


def _write_findings(page: Page, told: Told) -> None:
    if not told.findings:
        return
    page.head("Findings")
    for finding in told.findings:
        page.para(
            f"{_SEVERITY_WORDS[finding.severity]}: {finding.meaning} ({finding.code})",
            indent=1,
            lead=f"{finding.number:>2}  ",
            style=_STYLES.get(finding.severity, ""),
        )
        for name, value in _finding_lines(finding):
            page.para(value, indent=5, lead=f"{name:<11} ")


def _finding_lines(finding: FindingTold) -> Iterable[tuple[str, str]]:
    where = [f"event {finding.seq}"] if finding.seq is not None else []
    if finding.box is not None:
        where.append("the dealer" if finding.box == 0 else f"box {finding.box}")
    if finding.hand is not None and finding.box:
        where.append(f"hand {finding.hand}")
    if finding.wager is not None:
        where.append(f"wager {finding.wager} of {finding.player}")
    if where:
        yield "where", ", ".join(where)
    yield "required", _with_signs(finding.code, finding.expected)
    yield "recorded", _with_signs(finding.code, finding.recorded)
    if finding.difference is not None:
        yield "difference", _difference_words(finding.difference)
    yield "clause", _clause(finding.clause)
    if finding.basis == "as_dealt":
        yield "judged", _BASIS_WORDS[finding.basis]
    if finding.other_reading is not None:
        yield "open point", finding.other_reading


def _with_signs(code: str, text: str) -> str:
    """Cards in a finding as signs; only where its text holds no name out of the log."""
    if not code.startswith(("dealer.", "surrender.", "split.unequal", "insurance.no-ace", "deck.foreign")):
        return text
    return _CARD_CODE.sub(lambda found: card_sign(found[0]), text)


def _clause(clause: str) -> str:
    """A citation in words: definitions by name, and a silence as such."""
    named = _DEFINITION.sub(r"definition of \1", clause)
    return named.replace("(silent)", "has no clause on it")


def _write_hands(page: Page, told: Told) -> None:
    if not told.hands:
        return
    page.head("Hands at the end")
    for hand in told.hands:
        words = [
            f"{sentence(hand.where)}{': ' if hand.players else ''}{listed(hand.players)}",
            ", ".join(part for part in (hand.total, hand.ended) if part),
            *hand.remarks,
        ]
        side = [line for text in words for line in wrap(text, 32)]
        pictures = _pictures([card_sign(each) for each in hand.cards], page.width - 36)
        for left, right in zip_longest(side, pictures, fillvalue=""):
            page.fixed(f"  {left:<32}  {right}")


def _pictures(signs: Sequence[str], width: int) -> list[str]:
    """Cards drawn side by side, three lines a row of cards, as many rows as the width asks for."""
    rows: list[list[str]] = [[]]
    for sign in signs:
        if rows[-1] and sum(len(each) + 2 for each in rows[-1]) + len(sign) + 2 > width:
            rows.append([])
        rows[-1].append(sign)
    lines = []
    for row in rows:
        lines.append("".join("┌" + "─" * len(each) + "┐" for each in row))
        lines.append("".join(f"│{each}│" for each in row))
        lines.append("".join("└" + "─" * len(each) + "┘" for each in row))
    return lines


def _write_wagers(page: Page, told: Told) -> None:
    if not told.wagers:
        return
    page.head(f"Wagers, in {told.heading.currency}")
    rows = [_wager_cells(each) for each in told.wagers]
    titles = ("wager", "stake", "due", "recorded", "difference")
    columns = [[row[place] for row in [titles, *rows]] for place in range(5)]
    stake = max(len(cell) for cell in columns[1])
    room = page.width - 10 - stake
    shares = [_share(columns[place], room * part // 100) for place, part in ((2, 26), (3, 26), (4, 22))]
    widths = [max(room - sum(shares), 8), stake, *shares]
    page.row(titles, widths, 1)
    for wager, cells in zip(told.wagers, rows, strict=True):
        page.row(cells, widths, 1, "" if wager.difference in ("0", None) else "breach")
        if told.level >= 2:
            _write_reason(page, told, wager)


def _share(cells: Sequence[str], most: int) -> int:
    """The width of a column: its longest cell, at most ``most``, and never less than its longest word."""
    longest_word = max(len(word) for cell in cells for word in cell.split())
    return max(min(max(len(cell) for cell in cells), most), longest_word)


def _wager_cells(wager: WagerTold) -> tuple[str, str, str, str, str]:
    what = LINE_WORDS.get(wager.line, KIND_WORDS[wager.kind])
    open_ = "not decided" if wager.judged else "not judged"
    due = str(wager.due) if wager.due is not None else open_
    difference = _difference_words(wager.difference) if wager.difference is not None else open_
    return (
        f"{wager.wager}: {wager.player}, {wager.where}, {what}",
        figure(wager.stake),
        due,
        str(wager.recorded) if wager.recorded is not None else "nothing",
        difference,
    )


def _write_reason(page: Page, told: Told, wager: WagerTold) -> None:
    if wager.because:
        clause = _short(told, wager.clause)
        page.para(f"{wager.because} ({clause})", indent=6)
    if wager.corrected:
        page.para("an earlier settlement of this wager was undone at the table", indent=6)
    if wager.findings:
        page.para(_see(wager.findings), indent=6, lead="✗ ")
    if told.level < 3 or not wager.because:
        return
    parts = [f"reckoned on a stake of {figure(wager.effective_stake)}"]
    if wager.odds is not None:
        parts.append(f"odds {wager.odds}")
    parts.append(f"judged {_BASIS_WORDS[wager.basis]}")
    page.para("; ".join(parts), indent=6)
    if wager.reading is not None:
        page.para(wager.reading, indent=6)


def _difference_words(difference: str) -> str:
    """A difference in the player's favour or against him, in words."""
    if difference == "0":
        return "none"
    amount = figure(difference.lstrip("-"))
    return f"{amount} too {'little' if difference.startswith('-') else 'much'} to the player"


def _see(numbers: Sequence[int]) -> str:
    return f"finding{'' if len(numbers) == 1 else 's'} {listed(str(each) for each in numbers)}"


def _short(told: Told, clause: str) -> str:
    """A clause without the edition, which the heading names."""
    edition = f"{told.heading.rulebook} "
    return _clause(clause if "(silent)" in clause else clause.removeprefix(edition))


def _write_steps(page: Page, told: Told) -> None:
    phase = ""
    wide = max((len(step.where) for step in told.steps if step.card), default=0)
    longest = max((len(_row_of_cards(step)) for step in told.steps if step.card), default=0)
    stamped = max((len(_clock(step.at)) for step in told.steps), default=0)
    for step in told.steps:
        if step.phase != phase:
            phase = step.phase
            page.head(phase)
        lead = f"{step.seq:>4}  "
        if told.level >= 3 and stamped:
            lead += f"{_clock(step.at):<{stamped}}  "
        if step.card:
            row = _row_of_cards(step).ljust(min(longest, 36))
            page.fixed(f"{lead}{sentence(step.where).ljust(wide)}  {row}  {step.total}")
        else:
            page.para(step.text, lead=lead)
        _write_notes(page, told, step)
    if told.steps:
        page.blank()
        page.para(
            "The number before each line is the event's place in the log. [8♠] is the card just dealt, "
            "✓ says what allowed or required an event, ✗ what speaks against it."
        )


def _row_of_cards(step: Step) -> str:
    signs = [card_sign(each) for each in step.cards]
    return " ".join([*signs[:-1], f"[{signs[-1]}]"])


def _write_notes(page: Page, told: Told, step: Step) -> None:
    if step.grounds and (step.decision or told.level >= 3):
        page.para("; ".join(_said(told, ground) for ground in step.grounds), indent=6, lead="✓ ")
    for remark in step.remarks:
        page.para(_said(told, remark), indent=6, lead="· ")
    for number in step.objections:
        finding = told.findings[number - 1]
        text = f"finding {number}, {_SEVERITY_WORDS[finding.severity].lower()}: {finding.meaning}"
        style = _STYLES.get(finding.severity, "")
        lead = "· " if finding.severity == "notice" else "✗ "
        page.para(f"{text} ({_short(told, finding.clause)})", indent=6, lead=lead, style=style)
    if step.see:
        page.para(f"see {_see(step.see)}", indent=6, lead="✗ ")


def _said(told: Told, ground: Ground) -> str:
    return f"{ground.text} ({_short(told, ground.clause)})" if ground.clause else ground.text


def _write_readings(page: Page, told: Told) -> None:
    if told.heading.rulebook is None:
        return
    page.head("Open points of the rulebook that bear on this round")
    for reading in told.readings:
        page.para(f"{reading.question} ({_short(told, reading.clause)})", indent=2)
        chosen = "" if reading.answer == reading.default else ", chosen by the venue or the user"
        page.para(f"read here as: {answer_words(reading.answer)}{chosen}. {reading.reason}", indent=6)
        if reading.answer != reading.default:
            page.para(f"by default: {answer_words(reading.default)}", indent=6)
        for effect in reading.effects:
            page.para(effect, indent=6, lead="· ")
    if not told.readings:
        page.para("No other reading of a clause would change anything in this round.", indent=2)


def _write_coverage(page: Page, told: Told) -> None:
    if told.coverage is None:
        return
    page.head("Checks")
    held, failed = told.coverage.passed, told.coverage.failed
    page.para(f"{count(held, 'check')} held and {failed} did not.", indent=2)
    if told.coverage.not_checked:
        page.para("Not checked:", indent=2)
    for each in told.coverage.not_checked:
        page.para(f"{each.meaning} ({each.code}): {each.why}", indent=4, lead="· ")
