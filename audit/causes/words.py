"""A cause in words: one sentence of what is the same about its findings, and what it points to.

What it points to is said as what such a pattern is more like, and never as who did what and why.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from audit.causes.model import Cause, Dimension, Opportunities, Value
from rules_replay.venues import Register

_UNITS = {
    "wager": ("such wager", "such wagers"),
    "hand": ("such hand", "such hands"),
    "round": ("such round", "such rounds"),
}
_NAMES: dict[Dimension, str] = {
    "table": "table {}",
    "dealer": "dealer {}",
    "box": "box {}",
    "kind": "{} wagers",
    "shift": "the {} shift",
    "gaming_date": "gaming date {}",
}
_FEW = 4


def sentence(cause: Cause, register: Register) -> str:
    """What happened, where, how often and when, in one sentence."""
    rounds = _count(cause.rounds, "round", "rounds")
    what = f"{cause.manner}{_reading(cause)}"
    if cause.opportunities is None:
        return f"{rounds}, {_where(cause)}: {what}"
    often = _how_often(cause, cause.opportunities, register)
    return f"{rounds}, {place_words(cause)}, one cause: {what}, {often}"


def place_words(cause: Cause) -> str:
    """The place that explains the findings: ``table P07``, or the venue as a whole."""
    if cause.place:
        named = ", ".join(
            _NAMES[dimension].format(_value(dimension, value)) for dimension, value in cause.place
        )
        if "table" in dict(cause.place) or not 0 < len(cause.tables) <= _FEW:
            return named
        return f"{named} ({'table' if len(cause.tables) == 1 else 'tables'} {', '.join(cause.tables)})"
    return f"all of {cause.venue} ({_count(len(cause.tables), 'table', 'tables')})"


def points_to(cause: Cause) -> str:
    """What such a pattern is more like, and what speaks for it; empty for a finding of its own."""
    counted = cause.opportunities
    if counted is None:
        return ""
    said = [_likeness(cause, counted)]
    if cause.place and counted.others and cause.pattern != "unknown":
        said.append(f"Elsewhere in the venue {counted.others:,} in the same time are not of this cause.")
    if cause.pattern == "some" and any(dimension == "dealer" for dimension, _ in cause.place):
        said.append("The log names who was dealing, not who was at fault.")
    return " ".join(said)


def chance_words(cause: Cause) -> str:
    """How unlikely the findings are to gather like this by chance."""
    if cause.likelihood is None:
        return ""
    return f"less than one in 10^{-cause.likelihood} by chance"


def local_text(microseconds: int | None, venue: str, register: Register) -> str | None:
    """An instant on the clock of a venue, ISO 8601; UTC for a venue that the register lacks."""
    return None if microseconds is None else _local(microseconds, venue, register).isoformat()


def _local(microseconds: int, venue: str, register: Register) -> datetime:
    known = register.venues.get(venue)
    instant = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    return instant.astimezone(UTC if known is None else known.zone)


def _value(dimension: Dimension, value: Value) -> str:
    return str(value).replace("_", " ") if dimension == "kind" else str(value)


def _where(cause: Cause) -> str:
    parts = [f"table {table}" for table in cause.tables] or [cause.venue]
    return ", ".join(parts)


def _reading(cause: Cause) -> str:
    return f" (in order on the reading {cause.depends_on})" if cause.depends_on else ""


def _how_often(cause: Cause, counted: Opportunities, register: Register) -> str:
    one, many = _UNITS[counted.unit]
    when = _when(cause, register)
    if cause.pattern == "every":
        after = (
            f"{counted.after:,} after it went otherwise" if counted.after else "since the first no right one"
        )
        return f"every {one} {when}; {after}"
    number = _count(counted.number, one, many)
    if cause.pattern == "some":
        return f"{counted.missed:,} of {number} {when}"
    return f"{when}, in {counted.missed:,} of {number}"


def _when(cause: Cause, register: Register) -> str:
    if cause.first_us is None or cause.last_us is None:
        return "at a time not recorded"
    first, last = (_local(each, cause.venue, register) for each in (cause.first_us, cause.last_us))
    form = "%H:%M" if len(cause.gaming_dates) == 1 else "%Y-%m-%d %H:%M"
    return f"between {first.strftime(form)} and {last.strftime(form)}"


def _likeness(cause: Cause, counted: Opportunities) -> str:
    dimensions = {dimension for dimension, _ in cause.place}
    hands = _people(cause.dealers)
    if cause.pattern == "unknown":
        return (
            "The log does not show how often this could have happened and did not, so it cannot tell "
            "a rule from an accident."
        )
    if cause.pattern == "some":
        right = counted.number - counted.missed
        return (
            f"{right:,} in the same time and place went otherwise: more like something done now and then "
            "than like a setting or a rule."
        )
    if "dealer" in dimensions:
        return (
            "Every one with this dealer: more like a rule understood otherwise than like slips; "
            "training, or what the dealer was told, would explain it."
        )
    if not dimensions:
        return (
            f"Every one, at {_count(len(cause.tables), 'table', 'tables')} under {hands}: more like "
            "software, or a rule printed otherwise, than like anyone's slip."
        )
    return (
        f"Every one, under {hands}: more like a setting, a sign or a button at this place "
        "than like anyone's slip."
        if len(cause.dealers) > 1
        else f"Every one, under {hands}, with nobody else to compare: a setting of the table and a habit "
        "of the dealer would look the same."
    )


def _people(dealers: Iterable[str]) -> str:
    known = list(dealers)
    if not known:
        return "dealers not recorded"
    if len(known) <= _FEW:
        return f"{'dealer' if len(known) == 1 else 'dealers'} {', '.join(known)}"
    return f"{len(known)} dealers"


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
