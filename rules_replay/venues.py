"""The venue register: zone, currency, gaming day, and the rulebook in force at an instant.

A rulebook governs a round when it was in force as the round's first card left the
shoe. Where none was, the round is stored and reported and never audited by another.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from rules_replay.errors import RulebookError
from rules_replay.rulebook import load_rulebook, rulebook_ids
from rules_replay.tournament.law import answers

DEFAULT_DAY_START = time(6, 0)

_CURRENCY = re.compile("[A-Z]{3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A rulebook in force at a venue from ``since`` up to, not including, ``until``.

    ``readings`` are the venue's own choices among the rulebook's readings, and
    ``tournament_readings`` those among the readings of its rules on tournaments.
    """

    rulebook: str
    since: datetime
    until: datetime | None
    note: str
    readings: Mapping[str, str]
    tournament_readings: Mapping[str, str] = field(default_factory=dict)

    def holds(self, instant: datetime) -> bool:
        return self.since <= instant and (self.until is None or instant < self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Venue:
    """One venue of the register."""

    id: str
    zone: ZoneInfo
    currency: str
    day_start: time
    windows: tuple[Window, ...]

    def window_at(self, instant: datetime) -> Window | None:
        """The rulebook in force at an instant, or None."""
        return next((window for window in self.windows if window.holds(instant)), None)

    def gaming_date(self, instant: datetime) -> date:
        """The gaming date of an instant: the local date, or the day before until ``day_start``.

        Read off the wall clock of the venue's zone, so that a day of 23 or 25 hours
        still begins at the same hour.
        """
        return _gaming_date(instant.astimezone(self.zone), self.day_start)


def _gaming_date(local: datetime, day_start: time) -> date:
    early = local.time() < day_start
    return local.date() - timedelta(days=1) if early else local.date()


@dataclass(frozen=True, slots=True, kw_only=True)
class Register:
    """All venues known, by id."""

    venues: Mapping[str, Venue]

    def gaming_date(self, venue: str, instant: datetime) -> date:
        """The gaming date at a venue; one that is not in the register goes by the recorded offset."""
        known = self.venues.get(venue)
        if known is None:
            return _gaming_date(instant, DEFAULT_DAY_START)
        return known.gaming_date(instant)

    def window_at(self, venue: str, instant: datetime) -> Window | None:
        """The rulebook in force at a venue at an instant, or None."""
        known = self.venues.get(venue)
        return None if known is None else known.window_at(instant)


def shipped_register_text() -> str:
    """The register that comes with the project, as TOML text."""
    return files("rules_replay").joinpath("venues.toml").read_text(encoding="utf-8")


def load_register(path: Path | None = None) -> Register:
    """Load the register, the shipped one unless a file is given.

    Raises `RulebookError` naming every problem: an unknown key, a window without a
    note, an instant without an offset, two rulebooks in force at one instant.
    """
    if path is None:
        return parse_register(shipped_register_text(), "venues.toml")
    return parse_register(path.read_text(encoding="utf-8"), path.name)


def parse_register(text: str, source: str) -> Register:
    """Read a register from TOML text; ``source`` names it in messages."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulebookError(source, [f"not TOML: {error}"]) from None
    problems: list[str] = []
    venues: dict[str, Venue] = {}
    for key in tables:
        if key != "venue":
            problems.append(f"{key}: unknown key; expected only [[venue]] tables")
    entries = tables.get("venue", [])
    if not isinstance(entries, list):
        raise RulebookError(source, ["venue: expected [[venue]] tables"])
    for number, entry in enumerate(entries):
        venue = _venue(entry, f"venue[{number}]", problems)
        if venue is None:
            continue
        if venue.id in venues:
            problems.append(f"venue[{number}].id: {venue.id!r} is listed twice")
        venues[venue.id] = venue
    if problems:
        raise RulebookError(source, problems)
    return Register(venues=venues)


def _venue(entry: Any, where: str, problems: list[str]) -> Venue | None:
    if not _is_table(entry, where, problems):
        return None
    before = len(problems)
    _keys(entry, {"id", "zone", "currency", "day_start", "window"}, where, problems)
    for key in ("id", "zone", "currency", "day_start"):
        if not isinstance(entry.get(key), str):
            problems.append(f"{where}.{key}: expected text, got {entry.get(key)!r}")
    if len(problems) > before:
        return None
    if not _CURRENCY.fullmatch(entry["currency"]):
        problems.append(
            f"{where}.currency: expected an ISO 4217 code such as 'AUD', got {entry['currency']!r}"
        )
        return None
    try:
        zone = ZoneInfo(entry["zone"])
    except (KeyError, ValueError, OSError):
        problems.append(f"{where}.zone: {entry['zone']!r} is not a time zone such as 'Australia/Sydney'")
        return None
    day_start = _wall_clock(entry["day_start"])
    if day_start is None:
        problems.append(f"{where}.day_start: expected a time such as '06:00', got {entry['day_start']!r}")
        return None
    entries = entry.get("window", [])
    if not isinstance(entries, list):
        problems.append(f"{where}.window: expected [[venue.window]] tables, got {entries!r}")
        return None
    listed = [_window(each, f"{where}.window[{place}]", problems) for place, each in enumerate(entries)]
    windows = sorted((w for w in listed if w is not None), key=lambda window: window.since)
    for earlier, later in pairwise(windows):
        if earlier.until is None or later.since < earlier.until:
            problems.append(
                f"{where}: {earlier.rulebook} and {later.rulebook} are both in force at "
                f"{later.since.isoformat()}; end the first window with `until`"
            )
    return Venue(
        id=entry["id"],
        zone=zone,
        currency=entry["currency"],
        day_start=day_start,
        windows=tuple(windows),
    )


def _wall_clock(text: str) -> time | None:
    """A time of the venue's own clock, which has no offset; None for anything else."""
    try:
        found = time.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is None else None


def _window(entry: Any, where: str, problems: list[str]) -> Window | None:
    if not _is_table(entry, where, problems):
        return None
    before = len(problems)
    _keys(entry, {"rulebook", "since", "until", "note", "readings"}, where, problems)
    for key in ("rulebook", "note"):
        if not isinstance(entry.get(key), str):
            problems.append(f"{where}.{key}: expected text, got {entry.get(key)!r}")
    for key in ("since", "until"):
        found = entry.get(key)
        if key == "until" and found is None:
            continue
        if not isinstance(found, datetime) or found.tzinfo is None:
            problems.append(f"{where}.{key}: expected an instant with its offset, got {found!r}")
    readings = entry.get("readings", {})
    if not isinstance(readings, dict) or not all(isinstance(v, str) for v in readings.values()):
        problems.append(f"{where}.readings: expected a table of reading = 'value'")
    if len(problems) == before and entry.get("until") is not None and entry["until"] <= entry["since"]:
        problems.append(f"{where}.until: expected an instant after since, got {entry['until'].isoformat()}")
    if isinstance(entry.get("rulebook"), str):
        _check_held(entry["rulebook"], readings, where, problems)
    if len(problems) > before:
        return None
    of_tournaments = answers(entry["rulebook"])
    return Window(
        rulebook=entry["rulebook"],
        since=entry["since"],
        until=entry.get("until"),
        note=entry["note"],
        readings={question: each for question, each in readings.items() if question not in of_tournaments},
        tournament_readings={name: each for name, each in readings.items() if name in of_tournaments},
    )


def _check_held(rulebook: str, readings: Any, where: str, problems: list[str]) -> None:
    if rulebook not in rulebook_ids():
        problems.append(f"{where}.rulebook: {rulebook!r} is not held; held are {', '.join(rulebook_ids())}")
        return
    of_tournaments = answers(rulebook)
    of_rounds: dict[str, str] = {}
    for question, answer in readings.items() if isinstance(readings, dict) else ():
        known = of_tournaments.get(question)
        if known is None:
            of_rounds[question] = answer
        elif answer not in known:
            expected = f"expected one of {', '.join(known)}, got {answer!r}"
            problems.append(f"{where}.readings: reading {question}: {expected}")
    try:
        load_rulebook(rulebook).with_readings(of_rounds)
    except RulebookError as error:
        problems.extend(f"{where}.readings: {problem}" for problem in error.problems)


def _is_table(entry: Any, where: str, problems: list[str]) -> bool:
    if isinstance(entry, dict):
        return True
    problems.append(f"{where}: expected a table, got {entry!r}")
    return False


def _keys(entry: dict[str, Any], known: set[str], where: str, problems: list[str]) -> None:
    for key in sorted(set(entry) - known):
        problems.append(f"{where}.{key}: unknown key; known are {', '.join(sorted(known))}")
