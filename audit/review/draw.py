"""Drawing rounds, and what the worksheet says of each: where to look, and what the log says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from audit.errors import UsageProblem
from audit.report.text import (
    card_line,
    hand_name,
    listed,
    local_time,
    meaning,
    outcome_words,
    zone_of,
)
from audit.results import decimal_text
from audit.review.design import RISKS, Stratum, allocate
from audit.review.frame import Frame, Scope
from rules_replay.venues import Register

BEFORE = timedelta(seconds=60)
"""Camera time before the first card: wagers are placed then."""
AFTER = timedelta(seconds=60)
"""Camera time after the end: settlements are paid then."""
UNENDED = timedelta(minutes=5)
"""How long a round is looked at whose end was not recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """A sample: how it was drawn, and its rounds as stratum, venue, round id and gaming date.

    ``frame_sha256`` is the digest of the frame; the same seed, number and frame give the same rounds.
    """

    seed: int
    rounds: int
    scope: Scope
    frame_sha256: str
    strata: tuple[Stratum, ...]
    allocated: Mapping[str, int]
    drawn: tuple[tuple[str, str, str, date], ...]

    @property
    def text(self) -> str:
        """Everything that somebody needs who wants to draw it again, in one line."""
        return (
            f"pontoon-sample-review/1 seed={self.seed} rounds={self.rounds} since={self.scope.since} "
            f"until={self.scope.until} venues={','.join(self.scope.venues)} frame={self.frame_sha256}"
        )


def draw(frame: Frame, seed: int, rounds: int) -> Draw:
    """Draw so many rounds of a frame; raises `UsageProblem` for too few."""
    strata = frame.strata()
    try:
        allocated = allocate(rounds, strata)
    except ValueError as error:
        raise UsageProblem(str(error)) from None
    return Draw(
        seed=seed,
        rounds=rounds,
        scope=frame.scope,
        frame_sha256=frame.digest(),
        strata=strata,
        allocated=allocated,
        drawn=tuple(frame.draw(seed, allocated)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One round of the worksheet: where and when it was, what the log says and what to look at.

    Times are on the clock of the venue; from ``camera_from`` to ``camera_to`` is what to watch.
    """

    stratum: str
    venue: str
    round_id: str
    gaming_date: date
    table: str
    dealer: str | None
    boxes: tuple[int, ...]
    started: datetime
    camera_from: datetime
    camera_to: datetime
    currency: str
    staked: Decimal
    log: str
    look_at: str


def looks(frame: Frame, drawn: Draw, register: Register) -> Iterator[Look]:
    """The rounds drawn, in the order of the worksheet: venue, gaming date, table and time."""
    places = {(venue, round_id): stratum for stratum, venue, round_id, _ in drawn.drawn}
    keys = [f"{venue}\n{round_id}" for venue, round_id in places]
    hands = _by_round(frame.rows(_HANDS, [keys]))
    settlements = _by_round(frame.rows(_SETTLEMENTS, [keys]))
    findings = _by_round(frame.rows(_FINDINGS, [keys]))
    events = _by_round(frame.rows(_EVENTS, [keys]))
    for row in frame.rows(_ROUNDS, [keys]):
        venue, round_id, gaming_date, table, dealer, started, ended, offset, currency, staked = row
        key = (venue, round_id)
        zone = zone_of(register, venue, offset)
        begun = local_time(started, zone)
        over = begun + UNENDED if ended is None else local_time(ended, zone)
        yield Look(
            stratum=places[key],
            venue=venue,
            round_id=round_id,
            gaming_date=gaming_date,
            table=table,
            dealer=dealer,
            boxes=tuple(sorted({box for box, *_ in hands.get(key, []) if box})),
            started=begun,
            camera_from=begun - BEFORE,
            camera_to=max(over, begun) + AFTER,
            currency=currency,
            staked=staked,
            log=_in_short(hands.get(key, []), settlements.get(key, []), currency),
            look_at=_look_at(places[key], findings.get(key, []), events.get(key, [])),
        )


def _by_round(rows: Iterator[tuple[Any, ...]]) -> dict[tuple[str, str], list[tuple[Any, ...]]]:
    found: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
    for venue, round_id, *rest in rows:
        found.setdefault((venue, round_id), []).append(tuple(rest))
    return found


def _in_short(hands: Sequence[tuple[Any, ...]], settlements: Sequence[tuple[Any, ...]], currency: str) -> str:
    """The hands with their cards and totals, each followed by what became of its wagers."""
    if not hands:
        return "not replayed: no rulebook was in force"
    parts = []
    for box, hand, cards, total, soft, ended in hands:
        wagers = [
            f"{kind.replace('_', ' ')} {decimal_text(stake)} of {player}"
            f"{'' if line == 'stake' else ' (' + line.replace('_', ' ') + ')'}: "
            + outcome_words(result, paid, taken, currency)
            for at, of, kind, player, stake, line, result, paid, taken in settlements
            if (at, of) == (box, hand)
        ]
        name = hand_name(box, hand)
        shown = f"{name} {card_line(cards) or 'no cards'} = {'soft' if soft else 'hard'} {total}, {ended}"
        parts.append(f"{shown}{'; ' if wagers else ''}{'; '.join(wagers)}")
    return " | ".join(parts)


def _look_at(stratum: str, findings: Sequence[tuple[Any, ...]], events: Sequence[tuple[Any, ...]]) -> str:
    """What is in question in a round, then what is always."""
    parts = [
        f"{meaning(code)} ({code}{'' if box is None else ', ' + hand_name(box, hand)}): "
        f"the log shows {recorded or 'nothing'}"
        for code, box, hand, recorded in findings
    ]
    parts += [_event(*each) for each in events]
    if stratum in RISKS and not parts:
        parts.append(RISKS[stratum])
    parts.append("every card in its order, every stake, every payment and collection")
    return "; ".join(parts)


def _event(e: str, seq: int, box: int | None, hand: int | None, what: str | None) -> str:
    place = "" if box is None else f" at {hand_name(box, hand)}"
    match e:
        case "deal" | "burn":
            return f"a card that the recorder could not read{place} (event {seq})"
        case "settle":
            return f"a settlement undone and made again (event {seq})"
        case "irregularity":
            return f"irregularity reported: {(what or 'other').replace('_', ' ')}{place} (event {seq})"
        case "void":
            return f"{what or 'something'} declared void{place} (event {seq})"
    return f"a wager taken back{place} (event {seq})"


def allocation_words(drawn: Draw) -> str:
    """The rule by which the rounds were shared out, and what came of it, in a sentence or two."""
    shares = listed(
        f"{drawn.allocated[each.name]} of {each.rounds:,} in “{each.name}”" for each in drawn.strata
    )
    return (
        "Half the weight of a stratum is its share of rounds, half its share of the money at stake in its "
        f"currency, doubled where the log gives a reason to look; at least one round each: {shares}."
    )


_CHOSEN = "list_contains($1::VARCHAR[], {0}venue || chr(10) || {0}round_id)"

_ROUNDS = f"""
SELECT r.venue, r.round_id, r.gaming_date, r."table", r.dealer, epoch_us(r.started_at), epoch_us(r.ended_at),
    nullif(regexp_extract(r.started_at_text, '([Zz]|[+-]\\d\\d:\\d\\d)$'), ''), r.currency, f.staked
FROM rounds r JOIN frame f USING (venue, gaming_date, round_id) WHERE {_CHOSEN.format("r.")}
ORDER BY r.venue, r.gaming_date, r."table", r.started_at, r.round_id
"""
_HANDS = f"""
SELECT venue, round_id, box, hand, cards, total, soft, ended FROM hands WHERE {_CHOSEN.format("")}
ORDER BY venue, round_id, box, hand
"""
_SETTLEMENTS = f"""
SELECT venue, round_id, box, hand, kind, player, stake, line, recorded_result, recorded_paid, recorded_taken
FROM settlements WHERE {_CHOSEN.format("")} AND (line = 'stake' OR recorded_result IS NOT NULL)
ORDER BY venue, round_id, box, hand, wager, line
"""
_FINDINGS = f"""
SELECT venue, round_id, code, box, hand, recorded FROM findings WHERE {_CHOSEN.format("")}
ORDER BY venue, round_id, ordinal
"""
_EVENTS = f"""
SELECT venue, round_id, e, seq, box, hand, CASE e WHEN 'irregularity' THEN code ELSE "scope" END
FROM events WHERE {_CHOSEN.format("")} AND (card = '??' OR e IN ('irregularity', 'void', 'withdraw')
    OR (e = 'settle' AND reverses IS NOT NULL))
ORDER BY venue, round_id, seq
"""
