"""Which checks a mapped log cannot support, beyond the facts that the format can name.

What `Round.records` can say is said there. Other things a vendor leaves out have no word in the
format: the order of events, the shoe, suits, the word for a result, the share of a double in
one payment. The mapping then writes what no rule objects to, and that must not count as having
been in order: the round carries the list in ``extra``, and these checks are *not evaluable*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from rules_replay.checks import catalogue
from rules_replay.results import CoverageRow, RoundReplay

FIELD = "unrecorded"
"""The field outside the format under which a mapped round names what its vendor does not record."""

WORDS: Mapping[str, str] = {
    "double_shares": "the shares of a wager and its double in one payment",
    "order": "the order of cards, wagers and decisions",
    "results": "the word for the result of a wager",
    "shoe": "the shoe and the place of the round in it",
    "suits": "the suits of cards",
    "surrenders": "which hands were surrendered",
    "wager_times": "when a wager was placed",
}

_CHECKS: Mapping[str, frozenset[str]] = {
    "double_shares": frozenset({"settle.attribution"}),
    "order": frozenset(
        {
            "deal.order",
            "deal.turn-order",
            "deal.late-call",
            "dealer.early-second-card",
            "wager.late",
            "irregularity.absent-player",
            "irregularity.short-hand",
        }
    ),
    "results": frozenset({"settle.label"}),
    "shoe": frozenset(
        {
            "deck.composition",
            "deck.count-changed",
            "shoe.round-gap",
            "shoe.shuffle-due",
            "shoe.last-rounds",
            "shoe.continuous-shuffler",
            "wager.below-min-again",
        }
    ),
    "suits": frozenset({"deck.composition"}),
    "surrenders": frozenset({"settle.surrender", "settle.taken"}),
    "wager_times": frozenset({"wager.late", "insurance.late"}),
}


def extra_of(unrecorded: Iterable[str]) -> str | None:
    """What a mapped round carries in ``extra``, None where its vendor leaves nothing out."""
    listed = list(unrecorded)
    return msgspec.json.encode({FIELD: listed}).decode() if listed else None


def unrecorded_in(extra: str | None) -> tuple[str, ...]:
    """What a round says its vendor does not record."""
    if extra is None or FIELD not in extra:
        return ()
    try:
        found: Any = msgspec.json.decode(extra).get(FIELD)
    except (msgspec.DecodeError, AttributeError):
        return ()
    known = found if isinstance(found, list) else []
    return tuple(each for each in known if isinstance(each, str) and each in WORDS)


def unsupported(unrecorded: Iterable[str], records: Iterable[str]) -> dict[str, str]:
    """The checks that cannot be made, in the catalogue's order, with what is missing for each."""
    listed, captured = tuple(unrecorded), frozenset(records)
    found: dict[str, str] = {}
    for check in catalogue().values():
        if check.needs is not None and check.needs not in captured:
            found[check.code] = check.needs
            continue
        missing = missing_for(check.code, listed)
        if missing is not None:
            found[check.code] = missing
    return found


def not_taken_for_passed(replay: RoundReplay, extra: str | None) -> RoundReplay:
    """The replay with what the round cannot support counted as not evaluable instead of passed."""
    listed = unrecorded_in(extra)
    if not listed:
        return replay
    rows = tuple(_row(row, listed) for row in replay.coverage)
    return replace(replay, coverage=rows)


def _row(row: CoverageRow, listed: tuple[str, ...]) -> CoverageRow:
    missing = missing_for(row.code, listed) if row.verdict == "passed" else None
    return row if missing is None else msgspec.structs.replace(row, verdict="not_evaluable", missing=missing)


def missing_for(code: str, unrecorded: Iterable[str]) -> str | None:
    """What a check lacks where these things are not recorded, None where it can be made."""
    return next((WORDS[name] for name in unrecorded if code in _CHECKS[name]), None)
