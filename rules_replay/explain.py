"""The story of one round: every card, what each decision was allowed by, what each wager was due.

`explain_round` joins the events of a round, the readable engine's working and the
findings of its replay into one `Explanation`. It is written for a dealer who is told
that something was wrong and wants to know why, and for a regulator who checks each
figure. It judges nothing: totals, dues, clauses and findings are the engine's.

Three levels of detail: 1 tells the verdict, the findings, the hands and the wagers;
2 adds the arithmetic and every event in order; 3 adds the readings that would change
something, the checks that the log could not support, and the timestamps.

An `Explanation` carries the texts of the log as they were recorded. They may hold
anything, so `Explanation.text` writes control and direction characters as escapes.
"""

from __future__ import annotations

import re
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import zip_longest
from typing import Any, Protocol, get_args

import msgspec

from rules_replay import log
from rules_replay.cards import JOKER, SUIT_SIGNS, UNREADABLE, Card, card, total
from rules_replay.checks import catalogue
from rules_replay.engine import Played, play, replay_round
from rules_replay.engine.dealer import early_card_left, is_dealer_pontoon, must_draw
from rules_replay.engine.payout import faces_text
from rules_replay.engine.placing import reopened_until
from rules_replay.engine.settlement import dealer_dependent
from rules_replay.engine.sides import jackpot_won, presses_for, side_bets
from rules_replay.engine.standing import is_pontoon, reading_aces
from rules_replay.engine.table import NEVER, Hand, Table, hand_total, lay_out
from rules_replay.log import SIDE_KINDS, Round, amount_text
from rules_replay.results import SEVERITIES, Finding, HandRow, Money, RoundReplay, SettlementRow
from rules_replay.rulebook import Rulebook

LEVELS = (1, 2, 3)


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
            parts.append(f"{_figure(self.paid)} paid")
        if self.taken != "0":
            parts.append(f"{_figure(self.taken)} taken")
        return ", ".join(parts)


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
class Explanation:
    """The story of one round at one level of detail; what a level leaves out is empty."""

    level: int
    heading: Heading
    findings: tuple[FindingTold, ...]
    hands: tuple[HandTold, ...]
    wagers: tuple[WagerTold, ...]
    steps: tuple[Step, ...]
    readings: tuple[ReadingTold, ...]
    coverage: CoverageTold | None

    def text(self, width: int = 100, colour: bool = False, ascii_only: bool = False) -> str:
        """The explanation for a terminal, at least 72 columns wide.

        ``colour`` adds ANSI colours; ``ascii_only`` writes cards as ``8S`` and draws
        nothing outside ASCII.
        """
        page = _Page(max(width, 72))
        _write(page, self)
        return page.text(colour, ascii_only)

    def as_json(self) -> dict[str, Any]:
        """The explanation as plain data; what is absent is left out, amounts are decimal text."""
        plain: dict[str, Any] = _without_empty(msgspec.to_builtins(self))
        return plain


def explain_round(round_: Round, book: Rulebook | None, replay: RoundReplay, level: int = 2) -> Explanation:
    """Tell a round under the rulebook in force, beside the replay that the auditor made of it.

    Without a rulebook the events and the recorded amounts are told and nothing is
    judged. Raises ``ValueError`` for a level other than 1, 2 or 3.
    """
    if level not in LEVELS:
        raise ValueError(f"level: expected 1, 2 or 3, got {level!r}")
    story = _Unjudged(round_, replay) if book is None else _Judged(round_, replay, book)
    return Explanation(
        level=level,
        heading=_heading(story, book),
        findings=tuple(_finding(number, each, book) for number, each in story.numbered),
        hands=story.hands(),
        wagers=story.wagers(),
        steps=story.steps() if level >= 2 else (),
        readings=_readings(round_, book, replay) if level >= 3 and book is not None else (),
        coverage=_coverage(replay) if level >= 3 and book is not None else None,
    )


# Words and figures


_KIND_WORDS = {
    "main": "main",
    "split": "split",
    "double": "doubled portion",
    "insurance": "insurance",
    "perfect_pairs": "Perfect Pairs",
    "pair": "any pair",
    "pandemonium": "Pandemonium",
}
_LINE_WORDS = {"super_bonus": "Super Bonus", "bonus": "bonus for other wagers"}
_ENDED_WORDS = {
    "pontoon": "Pontoon",
    "open": "no further card",
    "bust": "over 21",
    "21": "decided at 21",
    "one card": "split ace, one card only",
}
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
_FACT_WORDS = {
    "decisions": "the players' decisions",
    "settle_order": "when each wager was settled",
    "burns": "the cards burned",
    "cut_card": "when the cutting card came out",
}
_IRREGULARITY_WORDS = {
    "exposed_card": "an exposed card",
    "card_burned_in_error": "a card burned in error",
    "missed_first_card": "the dealer's first card was missed",
    "short_hand": "a hand was dealt too few cards",
    "superfluous_hand": "a hand was dealt without a wager",
    "absent_player": "a player is absent",
    "shoe_exhausted": "the shoe ran out",
    "reconstructed": "the hands were reconstructed",
    "option_not_offered": "an option was not offered",
    "other": "an irregularity of another kind",
}
_DOUBLE_WORDS = {
    "two_cards_or_three_plus": "may be doubled: under 21 and no split ace",
    "two_cards": "may be doubled: two cards under 21 and no split ace",
    "hard_nine_to_eleven": "may be doubled: two cards of hard 9, 10 or 11 and no split ace",
}
_WINDOW_WORDS = {
    "before_any_draw": "no further card had been dealt",
    "own_turn": "the hand was untouched and its turn had not passed",
}
_DEADLINE_WORDS = {
    "dealer_second_card": "before the dealer's second card",
    "next_card": "before any further card",
}


def _figure(amount: str) -> str:
    """Decimal text as a table prints it: ``1,312.50``, a third decimal only where it counts."""
    value = Decimal(amount)
    cents = value.quantize(Decimal("0.01"))
    return f"{cents if cents == value else value:,f}"


def _money(thousandths: int, currency: str) -> str:
    return f"{currency} {_figure(amount_text(thousandths))}"


def _settlement(money: Money | None) -> Settlement | None:
    if money is None:
        return None
    return Settlement(result=money.result, paid=amount_text(money.paid), taken=amount_text(money.taken))


def _difference_words(difference: str) -> str:
    """A difference in the player's favour or against him, in words."""
    if difference == "0":
        return "none"
    amount = _figure(difference.lstrip("-"))
    return f"{amount} too {'little' if difference.startswith('-') else 'much'} to the player"


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _listed(words: Iterable[str]) -> str:
    *first, last = words or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _wagers_listed(wagers: Collection[str]) -> str:
    return f"wager{'' if len(wagers) == 1 else 's'} {_listed(wagers)}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _card_sign(text: str) -> str:
    """A card as a reader knows it: ``8♠``, ``10♦``, ``joker``, ``??``."""
    if text in (UNREADABLE, JOKER):
        return "joker" if text == JOKER else text
    face = card(text)
    return face.rank + SUIT_SIGNS[face.suit]


def _total_words(cards: Sequence[Card], counted: object) -> str:
    if any(not each.readable for each in cards):
        return f"{counted} without the card that could not be read"
    return str(counted)


def _reading_words(book: Rulebook, depends_on: str) -> str:
    """What a finding rests on: ``dealer_pontoon_split=original_cap`` as question and answers."""
    name, _, answer = depends_on.partition("=")
    reading = book.readings[name]
    return (
        f"{reading.question}: {_answer(reading.value)!r} is applied here; on {_answer(answer)!r} "
        f"this would be in order ({reading.clause})"
    )


def _rests_on(book: Rulebook, reading_in_force: str) -> str:
    """The reading that an amount rests on, in words."""
    name, _, answer = reading_in_force.partition("=")
    reading = book.readings[name]
    return f"rests on a reading: {reading.question}: {_answer(answer)!r} ({reading.clause})"


def _lack(fact: str | None) -> str:
    """Why a check could not be made."""
    if fact in _FACT_WORDS:
        return f"the log does not record {_FACT_WORDS[fact]}"
    return "a card of the round could not be read" if fact == "a readable card" else f"for want of {fact}"


def _answer(word: str) -> str:
    return word.replace("_", " ")


def _without_empty(value: Any) -> Any:
    """Plain data without what is absent; false and the texts of the log stay as they are."""
    if isinstance(value, dict):
        kept = {key: _without_empty(each) for key, each in value.items()}
        return {key: each for key, each in kept.items() if each is not None and each != [] and each != ""}
    if isinstance(value, list | tuple):
        return [_without_empty(each) for each in value]
    return value


# The heading, the findings, the readings, the coverage


def _heading(story: _Story, book: Rulebook | None) -> Heading:
    round_ = story.round
    return Heading(
        round_id=round_.round_id,
        venue=round_.venue,
        table=round_.table,
        shoe=round_.shoe,
        round_no=round_.round_no,
        started_at=round_.started_at.isoformat(),
        ended_at=round_.ended_at.isoformat() if round_.ended_at is not None else None,
        decks=round_.decks,
        shuffler=round_.shuffler,
        currency=round_.currency,
        dealer=round_.dealer,
        supervisor=round_.supervisor,
        sign=_sign(round_.limits),
        not_recorded=tuple(_FACT_WORDS[fact] for fact in get_args(log.Fact) if fact not in round_.facts),
        rulebook=book.id if book is not None else None,
        title=book.title if book is not None else None,
        instrument=book.instrument if book is not None else None,
        verdict=_verdict(story.replay, book),
        money=_moved(story.replay, round_.currency),
    )


def _sign(limits: log.Limits | None) -> str:
    """The table's sign in words; empty where the log has none."""
    if limits is None:
        return ""
    names = {
        "min": "at least",
        "max": "at most",
        "box_max": "together on a box at most",
        "multiples": "in multiples of",
        "side_min": "side wagers at least",
        "side_max": "side wagers at most",
        "smallest_chip": "smallest chip",
    }
    found = ((words, getattr(limits, name)) for name, words in names.items())
    return ", ".join(
        f"{words} {_figure(amount_text(amount))}" for words, amount in found if amount is not None
    )


_NOUNS = {
    "breach": ("breach", "breaches"),
    "procedure": ("fault of procedure", "faults of procedure"),
    "ambiguous": (
        "finding that depends on how a clause is read",
        "findings that depend on how a clause is read",
    ),
    "indeterminate": ("point that the log cannot decide", "points that the log cannot decide"),
    "notice": ("notice", "notices"),
}
_LEADS = {
    "breach": "Not in order",
    "procedure": "Not in order",
    "ambiguous": "Open to argument",
    "indeterminate": "Undecided",
    "notice": "In order",
}


def _verdict(replay: RoundReplay, book: Rulebook | None) -> str:
    if book is None:
        return (
            "Not judged: no rulebook is held for this venue at this time. What happened is told as recorded."
        )
    numbers = dict.fromkeys(SEVERITIES, 0)
    for finding in replay.findings:
        numbers[finding.severity] += 1
    found = [severity for severity in SEVERITIES if numbers[severity]]
    counts = _listed(_count(numbers[each], *_NOUNS[each]) for each in found) if found else ""
    open_ = sum(row.expected is None and row.line == "stake" for row in replay.settlements)
    if open_ and not any(each != "notice" for each in found):
        undecided = f"what {_count(open_, 'wager')} {'was' if open_ == 1 else 'were'} due"
        return f"Undecided: the log cannot show {undecided}{'; ' + counts if counts else ''}."
    if not found:
        return "In order: every wager was settled as the rules require, and no rule was found broken."
    return f"{_LEADS[found[0]]}: {counts}."


def _moved(replay: RoundReplay, currency: str) -> tuple[str, ...]:
    """What the findings say each player got too much or too little.

    What rests on an ambiguous clause is kept apart and said to do so.
    """
    told: list[str] = []
    surely: set[str] = set()
    for ambiguous in (False, True):
        sums: dict[str, int] = {}
        for finding in replay.findings:
            if finding.delta and finding.player and (finding.severity == "ambiguous") == ambiguous:
                sums[finding.player] = sums.get(finding.player, 0) + finding.delta
        told += [
            f"{'On the reading applied here, ' if ambiguous else ''}{player} received "
            f"{'a further ' if ambiguous and player in surely else ''}"
            f"{_money(abs(moved), currency)} too {'much' if moved > 0 else 'little'}."
            for player, moved in sums.items()
            if moved
        ]
        surely = set(sums)
    if replay.findings and not told and replay.settlements and _all_as_due(replay.settlements):
        told.append("Every wager was settled as due.")
    return tuple(told)


def _all_as_due(rows: Sequence[SettlementRow]) -> bool:
    return all(row.expected is not None and row.recorded == row.expected for row in rows)


def _finding(number: int, finding: Finding, book: Rulebook | None) -> FindingTold:
    other = None
    if finding.depends_on is not None and book is not None:
        other = _reading_words(book, finding.depends_on)
    return FindingTold(
        number=number,
        code=finding.code,
        severity=finding.severity,
        meaning=catalogue()[finding.code].meaning,
        seq=finding.seq,
        box=finding.box,
        hand=finding.hand,
        wager=finding.wager,
        player=finding.player,
        expected=finding.expected,
        recorded=finding.recorded,
        difference=amount_text(finding.delta) if finding.delta is not None else None,
        clause=finding.clause,
        basis=finding.basis,
        other_reading=other,
    )


def _readings(round_: Round, book: Rulebook, replay: RoundReplay) -> tuple[ReadingTold, ...]:
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
                effects += [f"if read as {_answer(answer)!r}: {'; '.join(changes)}"] if changes else []
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


def _changes(here: RoundReplay, there: RoundReplay, numbers: Mapping[Any, int]) -> list[str]:
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
    line = f", {_LINE_WORDS[row.line]}," if row.line != "stake" else ""
    return f"wager {row.wager}{line}"


def _due_words(row: SettlementRow | None) -> str:
    if row is None:
        return "nothing"
    due = _settlement(row.expected)
    return "what the log cannot show" if due is None else f"'{due}'"


def _coverage(replay: RoundReplay) -> CoverageTold:
    verdicts = [row.verdict for row in replay.coverage]
    return CoverageTold(
        passed=verdicts.count("passed"),
        failed=verdicts.count("failed"),
        not_checked=tuple(
            NotChecked(
                code=row.code,
                meaning=catalogue()[row.code].meaning,
                why=_lack(row.missing),
            )
            for row in replay.coverage
            if row.verdict == "not_evaluable"
        ),
    )


# The cards at each moment


class _Moment(Protocol):
    """The cards as they lay after an event."""

    def cards(self, box: int, hand: int) -> tuple[Card, ...]: ...

    def total(self, box: int, hand: int) -> str: ...


@dataclass(frozen=True, slots=True)
class _AtTable:
    """A moment as the engine lays it out, with totals as the rulebook counts them."""

    table: Table

    def hand(self, box: int, hand: int) -> Hand | None:
        if box == 0:
            return self.table.dealer
        return self.table.boxes[box].hands.get(hand) if box in self.table.boxes else None

    def cards(self, box: int, hand: int) -> tuple[Card, ...]:
        found = self.hand(box, hand)
        return found.faces if found is not None else ()

    def total(self, box: int, hand: int) -> str:
        found = self.hand(box, hand)
        if found is None:
            return str(total(()))
        return _total_words(found.faces, hand_total(self.table, found))


@dataclass(frozen=True, slots=True)
class _Laid:
    """A moment without a rulebook: the cards, counted as cards are."""

    hands: Mapping[tuple[int, int], tuple[Card, ...]]

    def cards(self, box: int, hand: int) -> tuple[Card, ...]:
        return self.hands.get((box, 1 if box == 0 else hand), ())

    def total(self, box: int, hand: int) -> str:
        cards = self.cards(box, hand)
        return _total_words(cards, total(cards))

    def after(self, event: log.AnyEvent) -> _Laid:
        """The cards once an event has happened."""
        hands = dict(self.hands)
        if isinstance(event, log.Deal):
            place = (event.box, event.hand if event.box else 1)
            hands[place] = (*hands.get(place, ()), card(event.card))
        elif isinstance(event, log.Burn) and event.source == "hand":
            place = (event.box or 0, event.hand if event.box else 1)
            hands[place] = hands.get(place, ())[:-1]
        elif isinstance(event, log.Split):
            cards = hands.get((event.box, event.hand), ())
            hands[event.box, event.hand] = cards[:1] + cards[2:]
            hands[event.box, event.to] = (*hands.get((event.box, event.to), ()), *cards[1:2])
        return _Laid(hands)


# The story


@dataclass(frozen=True, slots=True, kw_only=True)
class _Claim:
    """Why an event was in order, as long as no finding of ``codes`` says otherwise.

    ``rests_on`` is the check that must have been made for the claim to hold.
    """

    codes: tuple[str, ...]
    text: str
    clause: str
    rests_on: str | None = None


_DECISIONS = (
    log.Surrender,
    log.Split,
    log.Assign,
    log.Double,
    log.Stand,
    log.Forfeit,
    log.Press,
    log.Void,
    log.Withdraw,
    log.Settle,
)


class _Story(ABC):
    """What a round with and without a rulebook have in common: places, sentences, steps."""

    def __init__(self, round_: Round, replay: RoundReplay) -> None:
        self.round = round_
        self.replay = replay
        self.numbered = tuple(enumerate(replay.findings, 1))
        self.placed = {event.id: event for event in round_.events if isinstance(event, log.Wager)}
        self.settled: dict[int, log.Settle] = {
            seq: event for seq, event in enumerate(round_.events) if isinstance(event, log.Settle)
        }
        self.undone_at = {
            event.reverses: seq for seq, event in self.settled.items() if event.reverses is not None
        }
        self._several = {
            event.box
            for event in round_.events
            if isinstance(event, log.Split) or (isinstance(event, log.Deal | log.Wager) and event.hand > 1)
        }

        self._rides_on: dict[str, tuple[int, int]] = {}
        for event in round_.events:
            if isinstance(event, log.Wager) and event.kind in ("main", "split"):
                self._rides_on[event.id] = (event.box, event.hand)
            elif isinstance(event, log.Assign):
                self._rides_on[event.wager] = (event.box, event.hand)

    @abstractmethod
    def hands(self) -> tuple[HandTold, ...]:
        """The hands at the end."""

    @abstractmethod
    def wagers(self) -> tuple[WagerTold, ...]:
        """Every line of every wager."""

    @abstractmethod
    def moments(self) -> Sequence[_Moment]:
        """The cards before the first event and after each."""

    @abstractmethod
    def phase(self, seq: int) -> str:
        """The part of the round that an event belongs to."""

    @abstractmethod
    def remarks(self, seq: int) -> list[Ground]:
        """What happened by an event, beyond the event itself."""

    @abstractmethod
    def claims(self, seq: int) -> list[_Claim]:
        """What an event was allowed or required by, were there no finding against it."""

    def money(self, thousandths: int) -> str:
        return _money(thousandths, self.round.currency)

    def where(self, box: int, hand: int = 1) -> str:
        """A place as people call it: ``dealer``, ``box 3``, ``box 1, hand 2``."""
        if box == 0:
            return "dealer"
        return f"box {box}, hand {hand}" if box in self._several else f"box {box}"

    def the(self, box: int, hand: int) -> str:
        """A place within a sentence."""
        return "the dealer" if box == 0 else self.where(box, hand)

    def players(self, box: int, hand: int) -> tuple[str, ...]:
        """Whose main and split wagers ride on a hand, the controlling player first."""
        there = (wager for wager, place in self._rides_on.items() if place == (box, hand))
        return tuple(dict.fromkeys(self.placed[wager].player for wager in there))

    def steps(self) -> tuple[Step, ...]:
        """Every event in order."""
        moments = self.moments()
        return tuple(
            self._step(seq, event, moments[seq], moments[seq + 1])
            for seq, event in enumerate(self.round.events)
        )

    def _step(self, seq: int, event: log.AnyEvent, before: _Moment, after: _Moment) -> Step:
        box, hand, wager = self._place(event)
        remarks, grounds, objections, see = self._weighed(seq, box, hand, wager)
        of_hand = isinstance(event, log.Deal | log.Burn | log.Split | log.Double | log.Stand | log.Surrender)
        cards = after.cards(box, hand) if of_hand and box is not None else ()
        dealt = isinstance(event, log.Deal) and len(cards) > len(before.cards(event.box, event.hand))
        return Step(
            seq=seq,
            event=log.event_kind(event),
            phase=self.phase(seq),
            at=event.at.isoformat() if event.at is not None else None,
            box=box,
            hand=hand if box is not None else None,
            wager=wager,
            where=self.where(box, hand) if box is not None else "",
            text=self.told(event, after),
            card=str(event.card) if isinstance(event, log.Deal) and dealt else None,
            cards=tuple(each.text for each in cards),
            total=after.total(box, hand) if cards and box is not None else None,
            decision=isinstance(event, _DECISIONS)
            or (isinstance(event, log.Wager) and event.kind != "main")
            or (isinstance(event, log.Deal) and event.box == 0),
            remarks=remarks,
            grounds=grounds,
            objections=objections,
            see=see,
        )

    def _place(self, event: log.AnyEvent) -> tuple[int | None, int, str | None]:
        """Box, hand and wager of an event, those of its wager where it names only that."""
        if isinstance(event, log.Wager):
            return event.box, event.hand, event.id
        wager = getattr(event, "wager", None)
        box = getattr(event, "box", None)
        hand = getattr(event, "hand", None)
        if box is None and wager in self.placed:
            box, hand = self.placed[wager].box, self.placed[wager].hand
        if isinstance(event, log.Burn) and event.source == "hand":
            box = box or 0
        return box, hand or 1, wager

    def _weighed(
        self, seq: int, box: int | None, hand: int, wager: str | None
    ) -> tuple[tuple[Ground, ...], tuple[Ground, ...], tuple[int, ...], tuple[int, ...]]:
        """Remarks, grounds, findings at the event, and earlier findings that cover it."""
        at_event = [number for number, finding in self.numbered if finding.seq == seq]
        remarks = self.remarks(seq)
        unchecked = {row.code: row.missing for row in self.replay.coverage if row.verdict == "not_evaluable"}
        grounds: list[Ground] = []
        earlier: list[int] = []
        missing: list[str | None] = []
        for claim in self.claims(seq):
            against = [
                number
                for number, finding in self.numbered
                if finding.code in claim.codes and _covers(finding, seq, box, hand, wager)
            ]
            earlier += [number for number in against if number not in at_event]
            if claim.rests_on in unchecked:
                missing.append(unchecked[claim.rests_on])
            elif not against:
                grounds.append(Ground(text=claim.text, clause=claim.clause))
        remarks += [Ground(text=f"not checked: {_lack(fact)}") for fact in dict.fromkeys(missing)]
        return tuple(remarks), tuple(grounds), tuple(at_event), tuple(dict.fromkeys(earlier))

    def told(self, event: log.AnyEvent, after: _Moment) -> str:
        """An event as a sentence."""
        match event:
            case log.Wager():
                return self._wager_told(event)
            case log.NoMoreBets():
                return "No more bets."
            case log.Deal():
                return f"{_sentence(self.where(event.box, event.hand))} receives {_card_sign(event.card)}."
            case log.Burn():
                return self._burn_told(event, after)
            case log.Surrender():
                what = f"wager {event.wager}" if event.wager is not None else "the hand"
                who = _sentence(self.where(event.box, event.hand))
                return f"{who} surrenders {what} on {after.total(event.box, event.hand)}."
            case log.Split():
                return f"Box {event.box} splits hand {event.hand}: its second card goes to hand {event.to}."
            case log.Assign():
                who = self._player(event.wager)
                return f"{who} lets wager {event.wager} ride on {self.where(event.box, event.hand)}."
            case log.Double():
                return f"{_sentence(self.where(event.box, event.hand))} doubles."
            case log.Stand():
                where = _sentence(self.where(event.box, event.hand))
                return f"{where} stands on {after.total(event.box, event.hand)}."
            case log.Forfeit():
                who = self._player(event.wager)
                return f"{who} forfeits wager {event.wager} and takes the doubled portion back."
            case log.Press():
                of = f" for wager {event.wager}" if event.wager is not None else ""
                return f"Box {event.box} presses the button{of}: the meter shows {event.multiplier}."
            case log.CutCard():
                return "The cutting card comes out."
            case log.Void():
                return self._void_told(event)
            case log.Irregularity():
                at = f" at {self.the(event.box, event.hand or 1)}" if event.box is not None else ""
                return f"The table reports{at}: {_IRREGULARITY_WORDS[event.code]}."
            case log.Withdraw():
                return f"{self._player(event.wager)} takes wager {event.wager} back."
            case log.Settle():
                return self._settle_told(event)

    def _player(self, wager: str) -> str:
        return self.placed[wager].player

    def _wager_told(self, event: log.Wager) -> str:
        amount = self.money(event.amount)
        limit = f", with a personal maximum of {self.money(event.limit)}" if event.limit is not None else ""
        where = self.where(event.box, event.hand)
        match event.kind:
            case "main":
                told = f"{event.player} wagers {amount} on box {event.box}"
            case "split":
                told = f"{event.player} places {amount} on {where} to follow wager {event.on}"
            case "double":
                told = f"{event.player} adds {amount} to wager {event.on}"
            case "insurance":
                told = f"{event.player} insures wager {event.on} for {amount}"
            case _:
                told = f"{event.player} wagers {amount} on {_KIND_WORDS[event.kind]}, box {event.box}"
        return f"{told}{limit} (wager {event.id})."

    def _burn_told(self, event: log.Burn, after: _Moment) -> str:
        why = f" ({event.reason})" if event.reason else ""
        sign = _card_sign(event.card)
        if event.source == "shoe":
            return f"{sign} is burned from the shoe{why}."
        hand = self.the(event.box or 0, event.hand)
        left = after.cards(event.box or 0, event.hand)
        rest = f"{faces_text(left)}, {after.total(event.box or 0, event.hand)}" if left else "no card"
        return f"{sign} is taken off the hand of {hand} and burned{why}: {rest} is left."

    def _void_told(self, event: log.Void) -> str:
        why = f" ({event.reason})" if event.reason else ""
        what = "the round"
        if event.scope == "hand":
            what = f"the hand of {self.the(event.box or 0, event.hand)}"
        elif event.scope == "wager":
            what = f"wager {event.wager}"
        return f"The casino declares {what} void{why}."

    def _settle_told(self, event: log.Settle) -> str:
        if event.reverses is not None:
            undone = self.settled.get(event.reverses)
            was = f" ({self._recorded(undone)})" if undone is not None and undone.result is not None else ""
            return f"The settlement of wager {event.wager} at event {event.reverses} is undone{was}."
        line = f" the {_LINE_WORDS[event.line]} on" if event.line != "stake" else ""
        return f"The dealer settles{line} wager {event.wager}: {self._recorded(event)}."

    def _recorded(self, event: log.Settle) -> Settlement:
        return Settlement(
            result=str(event.result),
            paid=amount_text(event.paid or 0),
            taken=amount_text(event.taken or 0),
        )

    def standing_lines(self, wager: str, line: str) -> list[tuple[int, log.Settle]]:
        """Settlements of a line that were not undone, in order."""
        return [
            (seq, event)
            for seq, event in self.settled.items()
            if (event.wager, event.line) == (wager, line)
            and event.reverses is None
            and seq not in self.undone_at
        ]


_BURNED_LATER = Ground(text="taken off the hand again later: it does not count")
_ONCE_A_ROUND = frozenset(
    {"deal.turn-order", "dealer.early-second-card", "dealer.needless-draw", "dealer.over-draw"}
)


def _covers(finding: Finding, seq: int, box: int | None, hand: int, wager: str | None) -> bool:
    """Whether a finding, made at an event or earlier, speaks of this event too.

    The engine makes a finding of a kind once a hand, a box or a round.
    """
    if finding.seq is None or finding.seq > seq:
        return False
    if finding.seq == seq or finding.code in _ONCE_A_ROUND:
        return True
    if finding.code.startswith("surrender."):
        return finding.box == box
    return finding.box == box and finding.hand in (None, hand) and finding.wager in (None, wager)


class _Unjudged(_Story):
    """A round that no held rulebook governs: told as recorded."""

    def moments(self) -> list[_Laid]:
        moments = [_Laid({})]
        for event in self.round.events:
            moments.append(moments[-1].after(event))
        return moments

    def phase(self, seq: int) -> str:
        return "What happened"

    def remarks(self, seq: int) -> list[Ground]:
        if seq in self.undone_at:
            return [Ground(text=f"undone at event {self.undone_at[seq]}")]
        return []

    def claims(self, seq: int) -> list[_Claim]:
        return []

    def hands(self) -> tuple[HandTold, ...]:
        last = self.moments()[-1]
        return tuple(
            HandTold(
                box=box,
                hand=hand,
                where=self.where(box, hand),
                cards=tuple(each.text for each in cards),
                total=last.total(box, hand),
                ended="",
                players=self.players(box, hand),
                remarks=(),
            )
            for (box, hand), cards in sorted(last.hands.items())
            if cards
        )

    def wagers(self) -> tuple[WagerTold, ...]:
        return tuple(
            told
            for event in self.placed.values()
            for line in get_args(log.Line)
            if (told := self._wager(event, line)) is not None
        )

    def _wager(self, event: log.Wager, line: str) -> WagerTold | None:
        lines = self.standing_lines(event.id, line)
        if line != "stake" and not lines:
            return None
        results = dict.fromkeys(str(settle.result) for _, settle in lines)
        recorded = Settlement(
            result=" and ".join(results),
            paid=amount_text(sum(settle.paid or 0 for _, settle in lines)),
            taken=amount_text(sum(settle.taken or 0 for _, settle in lines)),
        )
        return WagerTold(
            wager=event.id,
            line=line,
            kind=event.kind,
            player=event.player,
            box=event.box,
            hand=event.hand,
            where=self.where(event.box, event.hand),
            stake=amount_text(event.amount),
            effective_stake=amount_text(event.amount),
            judged=False,
            due=None,
            recorded=recorded if lines else None,
            difference=None,
            because="",
            clause="",
            odds=None,
            basis="",
            reading=None,
            corrected=any(
                self.settled[seq].wager == event.id for seq in self.undone_at if seq in self.settled
            ),
            findings=(),
        )


_PHASES = (
    "Before the first card",
    "The initial deal",
    "The players' turns",
    "The dealer's turn",
    "Settlement",
)


class _Judged(_Story):
    """A round under the rulebook in force, with the engine's working."""

    def __init__(self, round_: Round, replay: RoundReplay, book: Rulebook) -> None:
        super().__init__(round_, replay)
        self.book = book
        self.played: Played = play(round_, book)
        self.table = self.played.table
        self.rows = {(row.wager, row.line): row for row in replay.settlements}
        self._tables: list[Table] = []

    def moments(self) -> list[_AtTable]:
        return [_AtTable(table) for table in self._laid_out()]

    def _laid_out(self) -> list[Table]:
        """The engine's table before the first event and after each, each laid out anew."""
        if not self._tables:
            events = self.round.events
            self._tables = [
                lay_out(msgspec.structs.replace(self.round, events=events[:count]), self.book)
                for count in range(len(events) + 1)
            ]
        return self._tables

    def cited(self, clause: str) -> str:
        """A clause with its edition; empty where the rulebook has none."""
        return "" if clause in ("none", "silent") else self.book.cite(clause)

    def claim(self, text: str, code: str, *further: str) -> list[_Claim]:
        """A claim that rests on a check; none where the rulebook has no clause for it."""
        if self.book.clauses[code] in ("none", "silent"):
            return []
        clause = self.book.clause_of(code)
        return [_Claim(codes=(code, *further), text=text, clause=clause, rests_on=code)]

    def phase(self, seq: int) -> str:
        table = self.table
        dealt = table.initial_done_at if table.initial_complete else table.initial_closed_at - 1
        if seq < table.first_card_at:
            return _PHASES[0]
        if seq <= dealt:
            return _PHASES[1]
        settling = min((each for each in self.settled if each > table.last_deal_at), default=NEVER)
        if seq >= settling:
            return _PHASES[4]
        return _PHASES[3] if seq >= table.dealer_second_at else _PHASES[2]

    def hands(self) -> tuple[HandTold, ...]:
        return tuple(
            HandTold(
                box=row.box,
                hand=row.hand,
                where=self.where(row.box, row.hand),
                cards=row.cards,
                total=self._final_total(row),
                ended=self._ended(row),
                players=self.players(row.box, row.hand),
                remarks=tuple(self._hand_remarks(row)),
            )
            for row in self.replay.hands
        )

    def _final_total(self, row: HandRow) -> str:
        counted = f"{'soft' if row.soft else 'hard'} {row.total}"
        return _total_words([card(each) for each in row.cards], counted)

    def _ended(self, row: HandRow) -> str:
        if row.box == 0 and len(row.cards) == 1:
            return "one card only" if row.ended == "open" else "no second card needed"
        return _ENDED_WORDS.get(row.ended, row.ended)

    def _hand_remarks(self, row: HandRow) -> list[str]:
        hand = _AtTable(self.table).hand(row.box, row.hand)
        if hand is None:
            return []
        if row.box == 0:
            counting = self.played.dealer.cards
            if len(counting) == len(row.cards):
                return []
            return [f"counts as {faces_text(counting)}, {self.played.dealer.total}: the rest is left out"]
        remarks = [f"split from hand {row.split_from}"] if row.split_from is not None else []
        for bet in self.table.bets_on(hand):
            at = self.played.standings[bet.id]
            if len(at.cards) != len(row.cards):
                remarks.append(f"wager {bet.id} counts {faces_text(at.cards)}, {at.total}")
            elif (at.total.points, at.total.soft) != (row.total, row.soft):
                remarks.append(f"{at.total} for {bet.player}, who did not double (wager {bet.id})")
        return remarks

    def wagers(self) -> tuple[WagerTold, ...]:
        return tuple(self._wager(row) for row in self.replay.settlements)

    def _wager(self, row: SettlementRow) -> WagerTold:
        delta = row.delta
        bonus = row.line != "stake"
        decided = row.wager not in self.played.bonuses.unknown
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
            where=self.where(row.box, row.hand),
            stake=amount_text(row.stake),
            effective_stake=amount_text(row.effective_stake),
            judged=True,
            due=_settlement(Money(result="nothing") if no_entitlement else row.expected),
            recorded=_settlement(row.recorded),
            difference=amount_text(delta) if delta is not None else None,
            because=self._bonus_arithmetic(row) if bonus else row.reason,
            clause=row.clause,
            odds=row.odds,
            basis=row.basis,
            reading=_rests_on(self.book, row.reading) if row.reading is not None else None,
            corrected=row.corrected,
            findings=tuple(
                number
                for number, finding in self.numbered
                if finding.wager == row.wager and finding.code.startswith("bonus.") == bonus
            ),
        )

    def _bonus_arithmetic(self, row: SettlementRow) -> str:
        """Why a bonus line is due, with the figures of the rulebook's table."""
        book, paid = self.book, self.played.bonuses
        if row.wager in paid.unknown:
            return "whether a Super Bonus was due in this round cannot be decided from the log"
        if row.expected is None:
            return "this wager was not entitled to it"
        if row.line == "bonus":
            earned = f"as one of the other wagers, this one earns {amount_text(row.expected.paid)}"
            return f"{_wagers_listed(paid.super_bonus)} won a Super Bonus in this round: {earned}"
        high = book.whole("bonus.high_from")
        tier = "at least" if row.effective_stake >= high else "less than"
        cards = faces_text(self.played.standings[row.wager].cards)
        return (
            f"{cards} against the dealer's {faces_text(self.table.dealer.faces[:1])}: "
            f"a stake of {amount_text(row.effective_stake)}, {tier} {amount_text(high)}, "
            f"earns {amount_text(row.expected.paid)}"
        )

    # What is said about each event

    def remarks(self, seq: int) -> list[Ground]:
        event = self.round.events[seq]
        match event:
            case log.Wager():
                return self._wager_remarks(event)
            case log.Deal(box=0):
                return self._dealer_remarks(seq)
            case log.Deal():
                return self._deal_remarks(seq, event)
            case log.Double():
                return self._double_remarks(seq, event)
            case log.Surrender():
                return self._surrender_remarks(seq, event)
            case log.Settle(reverses=None):
                return self._settle_remarks(seq, event)
            case _:
                return []

    def _wager_remarks(self, event: log.Wager) -> list[Ground]:
        remarks = []
        mains = self.table.boxes[event.box].mains if event.box in self.table.boxes else []
        if event.kind == "main" and len(mains) > 1:
            first = mains[0].id == event.id
            remarks.append(Ground(text="controls the box" if first else "a co-wagerer on the box"))
        effective = self.table.bets[event.id].effective
        if effective == event.amount:
            return remarks
        clause = self.cited(self.book.outcomes["over_maximum"])
        return [*remarks, Ground(text=f"counts as {self.money(effective)}, the maximum", clause=clause)]

    def _deal_remarks(self, seq: int, event: log.Deal) -> list[Ground]:
        table = self._laid_out()[seq + 1]
        hand = _AtTable(table).hand(event.box, event.hand)
        if hand is None or not hand.cards or hand.cards[-1].seq != seq:
            return []
        remarks = self._co_wagerers(table, hand)
        if hand.lacks_initial_card and len(hand.cards) == 2:
            remarks.append(Ground(text="the card that the initial deal left out"))
        counted = hand_total(table, hand)
        if counted.bust:
            remarks.append(Ground(text="over 21"))
        elif is_pontoon(hand, hand.faces) and not hand.doubled:
            remarks.append(Ground(text="Pontoon", clause=self.book.outcome_clause("win_pontoon")))
        elif _ace_and_ten(hand.faces) and hand.of_split:
            clause = self.book.outcome_clause("split_21_not_pontoon")
            remarks.append(Ground(text="21 and not Pontoon: the hand came from a split", clause=clause))
        if not any(drawn.seq == seq for hand in self.table for drawn in hand.cards):
            remarks.append(_BURNED_LATER)
        return remarks

    def _co_wagerers(self, table: Table, hand: Hand) -> list[Ground]:
        """Totals of those who did not double, where theirs is another."""
        counted = hand_total(table, hand)
        remarks = []
        for bet in table.bets_on(hand) if hand.doubled else []:
            own = total(hand.faces, reading_aces(table, bet))
            if own != counted:
                clause = self.cited(self.book.readings["co_wagerer_not_doubling_total"].clause)
                text = f"{own} for {bet.player}, who did not double (wager {bet.id})"
                remarks.append(Ground(text=text, clause=clause))
        return remarks

    def _surrender_remarks(self, seq: int, event: log.Surrender) -> list[Ground]:
        """Who makes the decisions from here, where the surrender passes them on."""
        before, after = (
            table.controller(table.boxes[event.box]) if event.box in table.boxes else None
            for table in self._laid_out()[seq : seq + 2]
        )
        if before is None or after is None or before.id == after.id or after.surrendered_at is not None:
            return []
        return [Ground(text=f"{after.player} controls the box from here (wager {after.id})")]

    def _double_remarks(self, seq: int, event: log.Double) -> list[Ground]:
        before, after = (_AtTable(table) for table in self._laid_out()[seq : seq + 2])
        was, now = before.total(event.box, event.hand), after.total(event.box, event.hand)
        if was == now:
            return []
        clause = self.book.outcome_clause("ace_in_double")
        return [Ground(text=f"an ace of a doubled hand counts one: {was} becomes {now}", clause=clause)]

    def _dealer_remarks(self, seq: int) -> list[Ground]:
        """Pontoon, a card that does not count, and where the dealer stops."""
        played, dealer = self.played, self.played.table.dealer
        place = next((place for place, drawn in enumerate(dealer.cards) if drawn.seq == seq), None)
        if place is None:
            return [_BURNED_LATER]
        if place >= len(played.dealer.cards):
            return [Ground(text=f"left out of the settlement, which counts {played.dealer.total}")]
        if place == 1 and is_dealer_pontoon(self.table, dealer.faces):
            return [Ground(text="the dealer has Pontoon")]
        if place != len(played.dealer.cards) - 1 or place == 0 or not played.dealer.finished:
            return []
        return self._dealer_stops()

    def _dealer_stops(self) -> list[Ground]:
        counted = self.played.dealer.total
        if counted.bust:
            return [Ground(text="the dealer is over 21")]
        if any(not each.readable for each in self.played.dealer.cards):
            return []
        if not must_draw(counted):
            clause = self.book.outcome_clause("dealer_draw")
            return [Ground(text=f"the dealer stops on {counted}", clause=clause)]
        if self.played.needs.total == "no":
            clause = self.cited(self.book.outcomes["dealer_no_effect"])
            return [Ground(text="the dealer stops: no hand was left to play against", clause=clause)]
        return []

    def _settle_remarks(self, seq: int, event: log.Settle) -> list[Ground]:
        if seq in self.undone_at:
            return [Ground(text=f"undone at event {self.undone_at[seq]}")]
        row = self.rows.get((event.wager, event.line))
        lines = self.standing_lines(event.wager, event.line)
        if row is None or row.recorded is None or seq != lines[-1][0]:
            return []
        together = [Ground(text=f"together with what went before: {_settlement(row.recorded)}")]
        remarks = together if len(lines) > 1 else []
        if row.expected is None and row.line != "stake":
            return [*remarks, Ground(text="nothing was due", clause=row.clause)]
        if row.expected is None:
            return [*remarks, Ground(text=f"what was due cannot be decided: {row.reason}", clause=row.clause)]
        if row.expected != row.recorded:
            remarks.append(Ground(text=f"due: {_settlement(row.expected)}", clause=row.clause))
        return remarks

    # What each event was allowed by

    def claims(self, seq: int) -> list[_Claim]:
        event = self.round.events[seq]
        before = self._laid_out()[seq]
        match event:
            case log.Wager():
                return self._wager_claims(event)
            case log.Deal(box=0):
                return self._dealer_claims(before)
            case log.Deal():
                return self._draw_claims(before, event)
            case log.Surrender():
                return self._surrender_claims(seq, event)
            case log.Split():
                return self._split_claims(seq)
            case log.Assign():
                return self._assign_claims()
            case log.Double():
                return self._double_claims(seq)
            case log.Stand():
                return self._stand_claims(before, event)
            case log.Forfeit():
                return self._forfeit_claims(seq)
            case log.Press():
                return self._press_claims(seq, event)
            case log.Void():
                clause = self.book.outcome_clause(f"void_{event.scope}")
                text = f"a {event.scope} may be declared void"
                return [] if "(silent)" in clause else [_Claim(codes=(), text=text, clause=clause)]
            case log.Withdraw():
                text = "an irregularity was reported, after which a player may take a wager back"
                return self.claim(text, "wager.withdrawn") if self.table.irregularities else []
            case log.Settle(reverses=None):
                return self._settle_claims(seq, event)
            case _:
                return []

    def _wager_claims(self, event: log.Wager) -> list[_Claim]:
        if event.kind == "insurance":
            return self._insurance_claims(event)
        bet = self.table.bets[event.id]
        shared = len(self.table.boxes[event.box].mains) > 1 if event.box in self.table.boxes else False
        if event.kind == "split":
            text = f"equal to the original wager of {self.money(bet.root.placed.amount)}"
            by = self.claim("the player who controls the box splits too", "split.not-controller")
            return self.claim(text, "split.stake") + (by if shared else [])
        if event.kind == "double" and bet.on is not None:
            text = f"no more than the {self.money(bet.on.placed.amount)} doubled"
            by = self.claim("the player who controls the box doubles too", "double.not-controller")
            return self.claim(text, "double.stake") + (by if shared else [])
        if event.kind in SIDE_KINDS:
            return [
                *self.claim("offered under these rules at this table", "side-bet.not-offered"),
                *self.claim("a main wager lies on the box", "side-bet.without-main", "side-bet.not-offered"),
            ]
        claims = self.claim("placed before the first card", "wager.late")
        sign = _sign(self.round.limits)
        if sign:
            claims += self.claim(
                f"within the sign ({sign})", "wager.below-min", "wager.above-max", "wager.multiples"
            )
        return claims

    def _insurance_claims(self, event: log.Wager) -> list[_Claim]:
        bet = self.table.bets[event.id]
        upcard = self.table.upcard
        if bet.on is None or upcard is None or not upcard.readable:
            return []
        insured = bet.on
        in_time = "before the subsequent deal"
        if bet.seq < reopened_until(self.table, event.box, bet.seq):
            in_time = "it had not been offered before"
        claims = [
            *self.claim(f"the dealer shows {faces_text((upcard,))}", "insurance.no-ace"),
            *self.claim(in_time, "insurance.late", "insurance.no-ace"),
            *self.claim(
                f"no more than half of {self.money(insured.effective)}",
                "insurance.over-half",
                "insurance.third-party",
            ),
        ]
        if event.player != insured.player:
            text = f"others may insure a wager that its owner, {insured.player}, does not"
            claims += self.claim(text, "insurance.third-party")
        return claims

    def _draw_claims(self, before: Table, event: log.Deal) -> list[_Claim]:
        hand = _AtTable(before).hand(event.box, event.hand)
        if hand is None or before.initial_closed_at == NEVER or hand.superfluous:
            return []
        if hand.doubled and len(hand.cards) == hand.cards_at_double:
            return self.claim("the one card of a double", "double.one-card")
        if hand.doubled or len(hand.cards) < 2 or any(not each.readable for each in hand.faces):
            return []
        counted = hand_total(before, hand)
        if counted.points >= 21:
            return []
        return self.claim(
            f"{counted} may take a card",
            "draw.on-21",
            "draw.after-bust",
            "draw.after-stand",
            "split.aces-extra-card",
            "deal.turn-order",
        )

    def _surrender_claims(self, seq: int, event: log.Surrender) -> list[_Claim]:
        upcard = self.table.upcard
        if upcard is None or not upcard.readable:
            return []
        shows = f"the dealer shows {faces_text((upcard,))}, and an ace, king, queen or jack opens surrender"
        window = _WINDOW_WORDS[self.book.reads("surrender_window")]
        if seq < reopened_until(self.table, event.box, seq):
            window = "it had not been offered before, and the hand was untouched"
        offences = ("surrender.upcard", "surrender.timing", "surrender.after-split")
        claims = [
            *self.claim(shows, "surrender.upcard", *offences),
            *self.claim(window, "surrender.timing", *offences),
            *self.claim("the hand was not split", "surrender.after-split"),
        ]
        mains = self.table.boxes[event.box].mains if event.box in self.table.boxes else []
        if len(mains) > 1 and self.book.reads("surrender_binds") == "box":
            claims += self.claim("it binds every wager on the box", "surrender.all-players")
        return claims

    def _split_claims(self, seq: int) -> list[_Claim]:
        act = next(act for act in self.table.splits if act.seq == seq)
        claims = []
        if len(act.cards) == 2 and all(each.readable for each in act.cards):
            text = f"{faces_text(act.cards)}: two cards of equal value"
            claims += self.claim(text, "split.unequal-value", "split.more-than-two-cards")
        most = self.book.whole("split.hands_per_box")
        claims += self.claim(
            f"{_count(act.hands_after, 'hand')} of at most {most} from a box", "split.too-many-hands"
        )
        if len(act.cards) == 2 and all(each.rank == "A" for each in act.cards):
            claims += self.claim("aces are split for the first time", "split.aces-resplit")
        if self.book.word("split.declined") == "barred":
            claims += self.claim("no split was declined before", "split.declined")
        return claims

    def _assign_claims(self) -> list[_Claim]:
        first = self.book.word("split.co_wagerer_hand") == "first"
        rides = "the first hand" if first else "the hand its player chooses"
        clause = self.cited(self.book.terms["split.co_wagerer_hand"].clause)
        text = f"a wager that is not split rides on {rides}"
        return [_Claim(codes=("split.later-hand",), text=text, clause=clause)]

    def _double_claims(self, seq: int) -> list[_Claim]:
        act = next((act for act in self.table.doubles if act.seq == seq), None)
        if act is None or len(act.cards) < 2 or any(not each.readable for each in act.cards):
            return []
        return self.claim(
            f"{total(act.cards)} on {_count(len(act.cards), 'card')} "
            f"{_DOUBLE_WORDS[self.book.word('double.on')]}",
            "double.hand",
        )

    def _stand_claims(self, before: Table, event: log.Stand) -> list[_Claim]:
        hand = _AtTable(before).hand(event.box, event.hand)
        if hand is None or hand.doubled or any(not each.readable for each in hand.faces):
            return []
        counted = hand_total(before, hand)
        if counted.points < 12:
            return []
        return self.claim(f"{counted} may stand: it is 12 or more", "draw.below-12")

    def _forfeit_claims(self, seq: int) -> list[_Claim]:
        act = next(act for act in self.table.forfeits if act.seq == seq)
        hand = act.bet.hand
        if not hand.doubled or any(not each.readable for each in act.cards):
            return []
        deadline = _DEADLINE_WORDS[self.book.word("forfeit.deadline")]
        limit = self.book.reads("forfeit_limit")
        bound = "not over 21" if limit == "21" else f"not over {limit}"
        text = f"a doubled hand of {hand_total(self.table, hand, act.cards)}, {bound}, {deadline}"
        return self.claim(text, "forfeit.eligibility")

    def _press_claims(self, seq: int, event: log.Press) -> list[_Claim]:
        won = [
            bet
            for bet in side_bets(self.table)
            if bet.kind == "pandemonium"
            and (seq, event) in presses_for(self.table, bet)
            and bet.box in self.table.boxes
            and jackpot_won(self.table, bet)
            and len(presses_for(self.table, bet)) == 1
        ]
        if not won:
            return []
        return [
            *self.claim("a Pandemonium wager on a Pontoon: one press", "jackpot.press"),
            *self.claim(f"the meter has {event.multiplier}", "jackpot.multiplier"),
        ]

    def _dealer_claims(self, before: Table) -> list[_Claim]:
        """Why a card to the dealer had to come, or might."""
        cards = before.dealer.faces
        needs = self.played.needs
        if not cards or early_card_left(self.table) or any(not each.readable for each in cards):
            return []
        if len(cards) >= 2 and not must_draw(total(cards)):
            return []
        if len(cards) == 1:
            need, question, why = needs.second, "dealer_second_card_idle", self._waiting()
        else:
            need, question = needs.total, "dealer_plays_on_idle"
            why = f"{total(cards)}: the dealer draws to hard 16 and soft 17"
        clause = self.book.outcome_clause("dealer_draw")
        if need == "open":
            why = "a hand that may still be live waits"
        elif need == "no":
            if self.book.reads(question) != "allowed":
                return []
            why = "nothing waited for it, and it may be drawn all the same"
            clause = self.cited(self.book.readings[question].clause)
        codes = ("dealer.early-second-card", "dealer.needless-draw", "dealer.over-draw")
        rests_on = "dealer.under-draw" if need == "yes" else None
        return [_Claim(codes=codes, text=why, clause=clause, rests_on=rests_on)]

    def _waiting(self) -> str:
        played = self.played
        waiting = [
            bet.id
            for bet in self.table.bets.values()
            if bet.kind != "double" and dealer_dependent(self.table, bet, played.standings.get(bet.id))
        ]
        if not waiting:
            return "a wager waits for the dealer's second card"
        verb = "waits" if len(waiting) == 1 else "wait"
        return f"{_wagers_listed(waiting)} {verb} for the dealer's second card"

    def _settle_claims(self, seq: int, event: log.Settle) -> list[_Claim]:
        row = self.rows.get((event.wager, event.line))
        lines = self.standing_lines(event.wager, event.line)
        if row is None or row.expected is None or row.recorded != row.expected or seq != lines[-1][0]:
            return []
        return [_Claim(codes=(), text="as due", clause=row.clause)]


def _ace_and_ten(cards: Sequence[Card]) -> bool:
    ranks = [each.rank == "A" for each in cards]
    return len(cards) == 2 and sum(ranks) == 1 and any(each.picture or each.rank == "10" for each in cards)


# The page


_CONTROL = {"bold": "1", "breach": "31", "caution": "33", "good": "32"}
_DEFINITION = re.compile(r"def:([^;)]+)")
_CARD_CODE = re.compile(r"\b(?:(?:10|[A2-9JQK])[SHDC]|JK)\b")
_RED_CARD = re.compile(r"(?:10|[A2-9JQK])[♥♦]")
_ASCII = str.maketrans(
    {
        "♠": "S",
        "♥": "H",
        "♦": "D",
        "♣": "C",
        "┌": "+",
        "┐": "+",
        "└": "+",
        "┘": "+",
        "─": "-",
        "│": "|",
        "✓": "+",
        "✗": "!",
        "·": "-",
    }
)


def visible(text: str) -> str:
    """The text with control, direction and other invisible characters written as escapes."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode("ascii") for each in text
    )


def _wrapped(text: str, width: int) -> list[str]:
    """Visible text in lines; a code with a hyphen is never cut at it."""
    return textwrap.wrap(visible(text), width, break_on_hyphens=False) or [""]


class _Page:
    """Lines of a given width; every text that comes in is made visible first."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.lines: list[tuple[str, str]] = []

    def blank(self) -> None:
        if self.lines and self.lines[-1][0]:
            self.lines.append(("", ""))

    def head(self, text: str) -> None:
        self.blank()
        self.para(text, style="bold")

    def para(self, text: str, indent: int = 0, lead: str = "", style: str = "") -> None:
        """A paragraph, wrapped; ``lead`` stands before its first line and indents the rest."""
        lead = " " * indent + visible(lead)
        wrapped = _wrapped(text, max(self.width - len(lead), 20))
        for number, line in enumerate(wrapped):
            before = lead if number == 0 else " " * len(lead)
            self.lines.append(((before + line).rstrip(), style))

    def fixed(self, text: str) -> None:
        """A line whose spaces count; wrapped only where it is too long."""
        line = visible(text).rstrip()
        if len(line) <= self.width:
            self.lines.append((line, ""))
        else:
            self.para(line.lstrip(), indent=len(line) - len(line.lstrip()))

    def row(self, cells: Sequence[str], widths: Sequence[int], right: int, style: str = "") -> None:
        """A row of a table, each cell wrapped in its column; column ``right`` is right-aligned."""
        columns = [_wrapped(cell, size) for cell, size in zip(cells, widths, strict=True)]
        for number in range(max(len(column) for column in columns)):
            parts = []
            for place, (column, size) in enumerate(zip(columns, widths, strict=True)):
                text = column[number] if number < len(column) else ""
                parts.append(text.rjust(size) if place == right else text.ljust(size))
            self.lines.append((("  " + "  ".join(parts)).rstrip(), style))

    def text(self, colour: bool, ascii_only: bool) -> str:
        lines = [self._painted(line, style) if colour else line for line, style in self.lines]
        text = "\n".join(lines) + "\n"
        if ascii_only:
            text = text.translate(_ASCII).encode("ascii", "backslashreplace").decode("ascii")
        return text

    def _painted(self, line: str, style: str) -> str:
        if style:
            return f"\x1b[{_CONTROL[style]}m{line}\x1b[0m"
        return _RED_CARD.sub(lambda found: f"\x1b[31m{found[0]}\x1b[0m", line)


_STYLES = {"breach": "breach", "procedure": "breach", "ambiguous": "caution", "indeterminate": "caution"}


def _write(page: _Page, told: Explanation) -> None:
    _write_heading(page, told)
    _write_findings(page, told)
    _write_hands(page, told)
    _write_wagers(page, told)
    if told.level >= 2:
        _write_steps(page, told)
    if told.level >= 3:
        _write_readings(page, told)
        _write_coverage(page, told)


def _write_heading(page: _Page, told: Explanation) -> None:
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
        page.para(f"{ended}{_count(heading.decks, 'deck')}, {heading.shuffler} shuffling{names}")
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
    """The time of day of an instant, as recorded."""
    return _instant(at).split(" ")[1] if at is not None else ""


def _verdict_style(told: Explanation) -> str:
    if told.heading.rulebook is None or told.heading.verdict.startswith("Undecided"):
        return "caution"
    found = {finding.severity for finding in told.findings}
    gravest = next((severity for severity in SEVERITIES if severity in found), "notice")
    return _STYLES.get(gravest, "good")


def _write_findings(page: _Page, told: Explanation) -> None:
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
    return _CARD_CODE.sub(lambda found: _card_sign(found[0]), text)


def _clause(clause: str) -> str:
    """A citation in words: definitions by name, and a silence as such."""
    named = _DEFINITION.sub(r"definition of \1", clause)
    return named.replace("(silent)", "has no clause on it")


def _write_hands(page: _Page, told: Explanation) -> None:
    if not told.hands:
        return
    page.head("Hands at the end")
    for hand in told.hands:
        words = [
            f"{_sentence(hand.where)}{': ' if hand.players else ''}{_listed(hand.players)}",
            ", ".join(part for part in (hand.total, hand.ended) if part),
            *hand.remarks,
        ]
        side = [line for text in words for line in _wrapped(text, 32)]
        pictures = _pictures([_card_sign(each) for each in hand.cards], page.width - 36)
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


def _write_wagers(page: _Page, told: Explanation) -> None:
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
    what = _LINE_WORDS.get(wager.line, _KIND_WORDS[wager.kind])
    open_ = "not decided" if wager.judged else "not judged"
    due = str(wager.due) if wager.due is not None else open_
    difference = _difference_words(wager.difference) if wager.difference is not None else open_
    return (
        f"{wager.wager}: {wager.player}, {wager.where}, {what}",
        _figure(wager.stake),
        due,
        str(wager.recorded) if wager.recorded is not None else "nothing",
        difference,
    )


def _write_reason(page: _Page, told: Explanation, wager: WagerTold) -> None:
    if wager.because:
        clause = _short(told, wager.clause)
        page.para(f"{wager.because} ({clause})", indent=6)
    if wager.corrected:
        page.para("an earlier settlement of this wager was undone at the table", indent=6)
    if wager.findings:
        page.para(_see(wager.findings), indent=6, lead="✗ ")
    if told.level < 3 or not wager.because:
        return
    parts = [f"reckoned on a stake of {_figure(wager.effective_stake)}"]
    if wager.odds is not None:
        parts.append(f"odds {wager.odds}")
    parts.append(f"judged {_BASIS_WORDS[wager.basis]}")
    page.para("; ".join(parts), indent=6)
    if wager.reading is not None:
        page.para(wager.reading, indent=6)


def _see(numbers: Sequence[int]) -> str:
    return f"finding{'' if len(numbers) == 1 else 's'} {_listed(str(each) for each in numbers)}"


def _short(told: Explanation, clause: str) -> str:
    """A clause without the edition, which the heading names."""
    edition = f"{told.heading.rulebook} "
    return _clause(clause if "(silent)" in clause else clause.removeprefix(edition))


def _write_steps(page: _Page, told: Explanation) -> None:
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
            page.fixed(f"{lead}{_sentence(step.where).ljust(wide)}  {row}  {step.total}")
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
    signs = [_card_sign(each) for each in step.cards]
    return " ".join([*signs[:-1], f"[{signs[-1]}]"])


def _write_notes(page: _Page, told: Explanation, step: Step) -> None:
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


def _said(told: Explanation, ground: Ground) -> str:
    return f"{ground.text} ({_short(told, ground.clause)})" if ground.clause else ground.text


def _write_readings(page: _Page, told: Explanation) -> None:
    if told.heading.rulebook is None:
        return
    page.head("Open points of the rulebook that bear on this round")
    for reading in told.readings:
        page.para(f"{reading.question} ({_short(told, reading.clause)})", indent=2)
        chosen = "" if reading.answer == reading.default else ", chosen by the venue or the user"
        page.para(f"read here as: {_answer(reading.answer)}{chosen}. {reading.reason}", indent=6)
        if reading.answer != reading.default:
            page.para(f"by default: {_answer(reading.default)}", indent=6)
        for effect in reading.effects:
            page.para(effect, indent=6, lead="· ")
    if not told.readings:
        page.para("No other reading of a clause would change anything in this round.", indent=2)


def _write_coverage(page: _Page, told: Explanation) -> None:
    if told.coverage is None:
        return
    page.head("Checks")
    held, failed = told.coverage.passed, told.coverage.failed
    page.para(f"{_count(held, 'check')} held and {failed} did not.", indent=2)
    if told.coverage.not_checked:
        page.para("Not checked:", indent=2)
    for each in told.coverage.not_checked:
        page.para(f"{each.meaning} ({each.code}): {each.why}", indent=4, lead="· ")
