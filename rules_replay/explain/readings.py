"""The open questions of the rulebook whose other answers would change something in a round."""

from __future__ import annotations

from collections.abc import Mapping

from rules_replay.checks import catalogue
from rules_replay.engine import replay_round
from rules_replay.explain.data import ReadingTold, settlement
from rules_replay.explain.wording import LINE_WORDS, answer_words
from rules_replay.log import Round
from rules_replay.results import FindingKey, RoundReplay, SettlementRow
from rules_replay.rulebook import Reading, Rulebook


def reading_named(book: Rulebook, named: str) -> tuple[Reading, str]:
    """The reading and the answer in ``dealer_pontoon_split=original_cap``."""
    name, _, answer = named.partition("=")
    return book.readings[name], answer


def readings(round_: Round, book: Rulebook, replay: RoundReplay) -> tuple[ReadingTold, ...]:
    """The open questions whose other answers change a wager or a finding of this round."""
    here = replay_round(round_, book)
    numbers = {finding.key: number for number, finding in enumerate(replay.findings, 1)}
    told = []
    for reading in book.readings.values():
        effects: list[str] = []
        for answer in (reading.default, *reading.alternatives):
            if answer != reading.value:
                there = replay_round(round_, book.with_readings({reading.id: answer}))
                changes = _changes(here, there, numbers)
                effects += [f"if read as {answer_words(answer)!r}: {'; '.join(changes)}"] if changes else []
        if effects or reading.value != reading.default:
            told.append(
                ReadingTold(
                    id=reading.id,
                    question=reading.question,
                    answer=reading.value,
                    default=reading.default,
                    alternatives=reading.alternatives,
                    clause=book.cite(reading.clause),
                    reason=reading.reason,
                    effects=tuple(effects),
                )
            )
    return tuple(told)


def _changes(here: RoundReplay, there: RoundReplay, numbers: Mapping[FindingKey, int]) -> list[str]:
    """What another reading would make different, in words."""
    changes = []
    due_there = {(row.wager, row.line): row for row in there.settlements}
    for row in here.settlements:
        other = due_there.pop((row.wager, row.line), None)
        if other is None or other.expected != row.expected:
            changes.append(f"{_line_words(row)} is due {_due_words(other)} instead of {_due_words(row)}")
    changes += [f"{_line_words(row)} is due {_due_words(row)}" for row in due_there.values()]
    keys_here = {finding.key for finding in here.findings}
    keys_there = {finding.key for finding in there.findings}
    for key, number in numbers.items():
        if key in keys_here and key not in keys_there:
            changes.append(f"finding {number} falls away")
    for finding in there.findings:
        if finding.key not in keys_here:
            about = f", wager {finding.wager}" if finding.wager is not None else ""
            meaning = catalogue()[finding.code].meaning
            changes.append(f"a further finding: {meaning} ({finding.code}{about})")
    return changes


def _line_words(row: SettlementRow) -> str:
    line = f", {LINE_WORDS[row.line]}," if row.line != "stake" else ""
    return f"wager {row.wager}{line}"


def _due_words(row: SettlementRow | None) -> str:
    if row is None:
        return "nothing"
    due = settlement(row.expected)
    return "what the log cannot show" if due is None else f"'{due}'"
