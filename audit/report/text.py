"""Words, amounts and times as a reader sees them, and texts of the log made harmless.

A log is written by others: a name in it may hold a tag, a formula or a character that
hides or turns text round. `visible` shows such characters by their escapes;
`spreadsheet_text` keeps a cell from being taken for a formula. HTML is escaped by the
template engine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal
from functools import lru_cache, wraps

from rules_replay.cards import RED_SUITS, SUIT_SIGNS, UNREADABLE
from rules_replay.checks import catalogue
from rules_replay.venues import Register
from rules_replay.words import visible as visible

SEVERITY_SIGNS = {"breach": "✕", "procedure": "▲", "ambiguous": "≈", "indeterminate": "?", "notice": "i"}
SEVERITY_WORDS = {
    "breach": "Money moved wrongly, or a rule that protects the fairness of the game was broken.",
    "procedure": "A rule was broken, and no money depends on it in this round.",
    "ambiguous": "A breach as the clause is read here, and in order on another listed reading of it. "
    "The exception names that reading.",
    "indeterminate": "The log shows that something is wrong and cannot show what should have been paid.",
    "notice": "Lawful, and someone should look at it: a discretion used, a limit brushed, "
    "a fact not recorded.",
}
BASIS_WORDS = {
    "as_required": "From the cards in the order dealt; a needless dealer card is left out, "
    "as the rules burn it.",
    "as_dealt": "From the table as it stood: a card that should have come is missing, "
    "which is an exception of its own.",
}
FACT_WORDS = {
    "decisions": "the players' decisions (surrender, split, double, stand)",
    "settle_order": "the moment at which each wager was settled",
    "burns": "cards burned",
    "cut_card": "when the cutting card came out",
}
KIND_WORDS = {"perfect_pairs": "perfect pairs", "pandemonium": "Pandemonium"}

STATE_WORDS = {
    "new": "new: no run before found it",
    "continuing": "continuing: a run before found it too",
    "reopened": "reopened: the run before no longer found it",
}
DISPOSITION_WORDS = {
    "confirmed": "confirmed",
    "explained": "explained",
    "false-positive": "false positive",
    "changed_since": "changed since it was looked into",
}

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")  # noqa: RUF001 - full-width twins of the signs
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
REPEATED = 100
"""Characters up to which a text is remembered with what was made of it."""


def shortened(text: str, longest: int) -> str:
    """The text cut to ``longest`` characters, saying how many are left out."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text) - longest} more characters)"


def remembered(make: Callable[[str], str]) -> Callable[[str], str]:
    """The same function, which remembers what it made of short texts: most of a night are in many rows."""
    short = lru_cache(maxsize=4096)(make)

    @wraps(make)
    def made(text: str) -> str:
        return short(text) if len(text) <= REPEATED else make(text)

    return made


@remembered
def spreadsheet_text(text: str) -> str:
    """The text as a spreadsheet may open it: visible, and never taken for a formula.

    A leading apostrophe marks it as text where it begins like a formula, after
    spaces too. A plain number such as ``-12.5`` stays as it is.
    """
    harmless = visible(text)
    if text.lstrip(" ").startswith(_FORMULA_STARTS) and not _NUMBER.fullmatch(text):
        return "'" + harmless
    return harmless


def money(amount: Decimal, currency: str | None) -> str:
    """An amount for reading: ``AUD 1,312.50``, with a third decimal only where it counts."""
    cents = amount.quantize(Decimal("0.01"))
    shown = cents if cents == amount else amount
    text = f"{abs(shown):,f}"
    return f"{'−' if shown < 0 else ''}{currency or ''} {text}".strip()  # noqa: RUF001 - a true minus sign


def difference(delta: Decimal, currency: str | None) -> str:
    """A difference in the player's money in words: ``AUD 12.50 overpaid``."""
    if not delta:
        return "no money"
    return f"{money(abs(delta), currency)} {'overpaid' if delta > 0 else 'underpaid'}"


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: ``1 round``, ``1,500 rounds``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def day_text(day: date | None) -> str:
    """A date in full: ``1 March 2019``."""
    return "no date" if day is None else f"{day.day} {day:%B %Y}"


def listed(words: Iterable[str]) -> str:
    """Words joined as in a sentence: ``a, b and c``."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def days_text(days: Iterable[date | None]) -> str:
    """Gaming dates in words: each where they are few, the first and last where they are many."""
    known = sorted({day for day in days if day is not None})
    if not known:
        return "no date"
    if len(known) <= 3:
        return listed(day_text(day) for day in known)
    return f"{day_text(known[0])} to {day_text(known[-1])} ({len(known)} gaming dates)"


def meaning(code: str) -> str:
    """What a check says, as a sentence; the code itself where the catalogue lacks it."""
    check = catalogue().get(code)
    return code if check is None else check.meaning[0].upper() + check.meaning[1:]


def missing_words(reason: str) -> str:
    """What a check lacked, as a sentence: a fact that no recorder captured, or one that this log lacks."""
    if reason in FACT_WORDS:
        return f"The recorder does not capture {FACT_WORDS[reason]}"
    return f"The log lacks {reason}" if reason else "The log does not say what was missing"


def venues_text(venues: Iterable[str | None]) -> str:
    """Venues in words, each once."""
    known = sorted({venue for venue in venues if venue is not None})
    return listed(known) if known else "no venue"


def looked_into(disposition: str | None, changed_since: bool) -> str:
    """What was made of a finding, in two or three words."""
    if disposition is None:
        return "nobody yet"
    return "changed since" if changed_since else DISPOSITION_WORDS[disposition]


def kind_words(kind: str | None) -> str:
    """A kind of wager in words."""
    return "" if kind is None else KIND_WORDS.get(kind, kind)


def card_parts(text: str) -> tuple[str, str, bool]:
    """A card as rank, suit sign and whether it is red; ``?`` for one that could not be read."""
    if text == UNREADABLE:
        return "?", "", False
    rank, suit = text[:-1], text[-1:]
    if suit not in SUIT_SIGNS:
        return ("Joker" if text == "JK" else text), "", False
    return ("10" if rank == "T" else rank), SUIT_SIGNS[suit], suit in RED_SUITS


def card_line(cards: str | None) -> str:
    """The cards of a hand on one line: ``8♠ 8♥ 3♦``."""
    return " ".join(map(_card_text, (cards or "").split()))


@lru_cache(maxsize=256)
def _card_text(text: str) -> str:
    rank, suit, _ = card_parts(text)
    return rank + suit


def zone_of(register: Register, venue: str, recorded_offset: str | None) -> tzinfo:
    """The venue's time zone; for a venue that the register lacks, the offset in the log."""
    known = register.venues.get(venue)
    if known is not None:
        return known.zone
    if recorded_offset is None:
        return UTC
    return datetime.strptime(recorded_offset.upper(), "%z").tzinfo or UTC


def local_time(microseconds: int, zone: tzinfo) -> datetime:
    """The instant ``microseconds`` after the start of 1970 UTC on the clock of a zone."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)).astimezone(zone)


def outcome_words(result: str | None, paid: Decimal | None, taken: Decimal | None, currency: str) -> str:
    """A settlement in words: ``win, AUD 37.50 paid``."""
    if result is None:
        return "no settlement"
    parts = [result.replace("stand_off", "stand-off")]
    if paid:
        parts.append(f"{money(paid, currency)} paid")
    if taken:
        parts.append(f"{money(taken, currency)} taken")
    return ", ".join(parts)


def event_words(event: Mapping[str, object], currency: str) -> str:
    """One recorded event in words; ``event`` has the columns of the ``events`` table."""

    def amount(column: str) -> str:
        value = event[column]
        return money(value, currency) if isinstance(value, Decimal) else "an unknown amount"

    place = hand_name(event["box"], event["hand"])
    shown = card_line(str(event["card"] or ""))
    wager = f"wager {event['wager']}"
    match event["e"]:
        case "wager":
            kind = kind_words(str(event["kind"]))
            return f"{event['player']} places {wager} ({kind}) of {amount('amount')} on {place}"
        case "deal":
            return f"{shown} dealt to {place}"
        case "burn":
            return f"{shown} burned from {'the shoe' if event['from'] != 'hand' else place}"
        case "surrender" | "double" | "stand" as deed:
            return f"{deed} on {place}"
        case "split":
            return f"split of {place} into hand {event['to']}"
        case "settle" if event["reverses"] is not None:
            return f"the settlement of {wager} at event {event['reverses']} undone"
        case "settle":
            paid, taken = event["paid"], event["taken"]
            outcome = outcome_words(
                str(event["result"]),
                paid if isinstance(paid, Decimal) else None,
                taken if isinstance(taken, Decimal) else None,
                currency,
            )
            return f"{wager} settled: {outcome}"
        case "press":
            return f"Pandemonium button pressed on {place}, multiplier {event['multiplier']}"
        case "irregularity":
            return f"irregularity reported: {str(event['code']).replace('_', ' ')}"
        case "void":
            return f"{event['scope']} declared void"
        case "assign" | "forfeit" | "withdraw" as deed:
            return f"{deed} of {wager}"
        case other:
            return str(other).replace("_", " ")


def hand_name(box: object, hand: object) -> str:
    """A place at the table: ``the dealer``, ``box 3``, ``box 3, hand 2``."""
    if box is None:
        return "the table"
    if box == 0:
        return "the dealer"
    return f"box {box}" if hand in (None, 1) else f"box {box}, hand {hand}"
