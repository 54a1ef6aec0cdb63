"""Gathers findings into causes.

Findings of one venue, check, rulebook and reading that went wrong in the same manner are a group.
Within a group the place is sought that explains most: a table, a dealer, a dealer at a table, a
box, a kind of wager, a shift, a gaming date, or the venue as a whole. A place explains findings
where they would hardly gather there by chance (`_unlikely`); of several the one that tells most
apart is taken (`parted`), widened where what is left lies around it, and the rest is looked at
again. What no place explains is a cause of its own, a round each.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby, repeat
from math import log10
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from audit.causes.counting import QUARTER_HOUR, Counted, shift_of
from audit.causes.exposure import Exposure
from audit.causes.families import Family, family_of
from audit.causes.likelihood import log_tail, parted
from audit.causes.manner import settled, sign_figure, told
from audit.causes.model import (
    DIMENSIONS,
    Cause,
    Causes,
    Dimension,
    Manner,
    Member,
    Opportunities,
    Pattern,
    Place,
    cause_id,
    place_text,
)
from audit.layout import Partition
from expectations.tables import settlement_of
from rules_replay.severity import SEVERITIES
from rules_replay.venues import Register

if TYPE_CHECKING:
    import duckdb

SLIPS = (1, 50)
"""Slips of hand are taken to happen in at most this share of opportunities: more is no accident."""
CHANCE = -3.0
"""Log10 of the likelihood below which a place explains findings, all places tried counted in."""
WIDER = -2.0
"""The same for findings around a place that is one already."""

_PLACES: tuple[tuple[Dimension, ...], ...] = (
    ("table",),
    ("dealer",),
    ("table", "dealer"),
    (),
    ("table", "box"),
    ("box",),
    ("table", "kind"),
    ("kind",),
    ("shift",),
    ("table", "gaming_date"),
    ("gaming_date",),
)
"""The combinations of dimensions that may explain findings; of two that explain as well the first."""
SIMPLER = 2.0
"""Powers of ten by which two dimensions together have to tell more apart than one alone."""
ALIKE = 0.83
"""Power of ten up to which two shares differ no more than by chance: half of 3.84, chi squared at 95 %."""


def gather(
    connection: duckdb.DuckDBPyConnection,
    partitions: Iterable[Partition],
    counted: Callable[[Partition], Counted],
    register: Register,
) -> Gathered:
    """What the table ``exceptions`` of the report holds, gathered into causes.

    Reads ``settlements_concerned`` as well, and opens what was ``counted`` of partitions with rounds.
    """
    groups = [group for _, group in sorted(_groups(_members(connection, register)).items())]
    many = [group for group in groups if len(_rounds(group)) > 1]
    alone = [group for group in groups if len(_rounds(group)) == 1]
    several: list[_OfVenue] = []
    single = [_single(group) for group in alone]
    known_partitions = list(partitions)
    for venue, of_venue in groupby(many, key=lambda group: group[0].venue):
        some = list(of_venue)
        families: dict[Family, int] = {}
        of_group = [families.setdefault(family_of(group), len(families)) for group in some]
        known = list(families)
        exposure = Exposure([each for each in known_partitions if each.venue == venue], counted, known)
        explained: list[tuple[int, _Explained]] = []
        for family, group in zip(of_group, some, strict=True):
            found, left = _explained(group, family, exposure)
            explained += [(family, each) for each in found]
            single += [_single(each) for each in _by_round(left)]
        several.append(_OfVenue(explained, known, exposure))
    return Gathered(several, single)


@dataclass(frozen=True, slots=True)
class Gathered:
    """Findings by cause, before it is counted how often each could have come about."""

    several: Sequence[_OfVenue]
    single: Sequence[Cause]

    @property
    def of_finding(self) -> Mapping[int, str]:
        """As `Causes.of_finding`."""
        alone = {number: cause.id for cause in self.single for number in cause.numbers}
        explained = ((each.id, each.members) for venue in self.several for _, each in venue.explained)
        return alone | {member.number: cause for cause, members in explained for member in members}

    def causes(self) -> Causes:
        """The causes, with the opportunities counted."""
        several = (cause for each in self.several for cause in _told(each))
        return Causes(tuple(sorted(several, key=_order)), tuple(sorted(self.single, key=_order)))


# --- groups --------------------------------------------------------------------------------


def _members(connection: duckdb.DuckDBPyConnection, register: Register) -> Iterator[Member]:
    cursor = connection.cursor().execute(_MEMBERS)
    names = [each[0] for each in cursor.description or ()]
    shared: dict[Any, Any] = {}
    while rows := cursor.fetchmany(10_000):
        for values in rows:
            row = dict(zip(names, values, strict=True))
            manner, due = _manner(row)
            started = row["started_us"]
            member = Member(
                number=row["number"],
                fingerprint=row["fingerprint"],
                severity=row["severity"],
                code=row["code"],
                rulebook=row["rulebook"],
                clause=row["clause"],
                depends_on=row["depends_on"],
                venue=row["venue"],
                gaming_date=row["gaming_date"],
                table=row["table"],
                dealer=row["dealer"],
                round_id=row["round_id"],
                started_us=started,
                shift=None if started is None else shift_of(started, row["venue"], register),
                box=row["box"],
                wager=row["wager"],
                kind=row["kind"],
                delta=row["delta"],
                currency=row["currency"],
                manner=shared.setdefault(manner, manner),
                due=shared.setdefault(due, due),
                sign=sign_figure(row["code"], row["expected"]),
            )
            yield member


def _manner(row: dict[str, Any]) -> tuple[Manner, tuple[str, str, str, str] | None]:
    """What was done instead of what was due, and what was due on the wager where it is about one."""
    code: str = row["code"]
    of_settlement = code.startswith(("settle.", "bonus.")) and code != "settle.missing"
    if not of_settlement or row["expected_result"] is None or row["stake"] is None:
        return told(code, row["expected"], row["recorded"]), None
    zero = Decimal(0)
    manner = settled(
        line=row["line"],
        kind=row["kind"],
        placed=row["stake"],
        stake=row["effective_stake"],
        due=(
            row["expected_result"],
            row["odds"],
            row["expected_paid"] or zero,
            row["expected_taken"] or zero,
        ),
        was=(row["recorded_result"], row["recorded_paid"] or zero, row["recorded_taken"] or zero),
    )
    return manner, (row["due_clause"], row["expected_result"], row["odds"] or "", row["line"])


def _groups(members: Iterable[Member]) -> dict[tuple[str, ...], list[Member]]:
    groups: dict[tuple[str, ...], list[Member]] = defaultdict(list)
    for each in members:
        code = "" if each.manner.above_sign else each.code
        key = (each.venue, code, each.rulebook or "", each.depends_on or "", each.manner.key)
        groups[key].append(each)
    return groups


def _rounds(members: Iterable[Member]) -> set[str]:
    return {each.round_id for each in members}


def _by_round(members: Iterable[Member]) -> list[list[Member]]:
    found: dict[str, list[Member]] = defaultdict(list)
    for each in members:
        found[each.round_id].append(each)
    return list(found.values())


# --- places --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Explained:
    """Members that a place explains, and how unlikely they are to gather there by chance."""

    place: Place
    members: tuple[Member, ...]
    likelihood: float

    @property
    def id(self) -> str:
        """The id of the cause."""
        return _id(self.members[0], place_text(self.place))


@dataclass(frozen=True, slots=True)
class _OfVenue:
    """What was explained of a venue, each by the number of its family."""

    explained: Sequence[tuple[int, _Explained]]
    families: Sequence[Family]
    exposure: Exposure


def _explained(
    group: Sequence[Member], family: int, exposure: Exposure
) -> tuple[list[_Explained], list[Member]]:
    """The places that explain members of a group, and the members that none does."""
    left = [each for each in group if each.started_us is not None]
    beyond = [each for each in group if each.started_us is None]
    found: list[_Explained] = []
    while len(_rounds(left)) > 1:
        done = [each.place for each in found]
        best = _best(left, family, exposure, done)
        if best is None:
            break
        best = _fair(_widened(best, left, family, exposure, done), left, family, exposure)
        found.append(best)
        gone = {each.number for each in best.members}
        left = [each for each in left if each.number not in gone]
    return found, left + beyond


def _by_values(some: Sequence[Dimension], members: Sequence[Member]) -> dict[tuple[Any, ...], list[Member]]:
    """Members by what they have of some dimensions."""
    found: dict[tuple[Any, ...], list[Member]] = defaultdict(list)
    columns = (map(attrgetter(dimension), members) for dimension in some)
    for values, each in zip(zip(*columns, strict=True) if some else repeat(()), members, strict=False):
        found[values].append(each)
    return found


def _at(member: Member, place: Place) -> bool:
    return all(getattr(member, dimension) == value for dimension, value in place)


def _best(
    left: Sequence[Member], family: int, exposure: Exposure, done: Sequence[Place]
) -> _Explained | None:
    """Of the places whose findings hardly gathered by chance the one that tells most apart, if any.

    That is how much likelier the findings are if the place has a share of its own of opportunities
    gone wrong, over one share for all; for each place tried, and each dimension more, it has to be more.
    """
    exposed = exposure.by_place(family, _PLACES, done)
    tried = sum(each.places for each in exposed.values())
    rounds = len(_rounds(left))
    best: _Explained | None = None
    heaviest = 0.0
    for some in _PLACES:
        whole = exposed[some].whole
        # Of a single one nothing can be said; most places have one.
        several = (item for item in _by_values(some, left).items() if len(item[1]) > 1)
        for values, members in sorted(several, key=lambda item: str(item[0])):
            if None in values or (some == ("shift",) and len({each.gaming_date for each in members}) < 2):
                continue
            here, number = len(_rounds(members)), exposed[some].at(values)
            likelihood = _unlikely(here, rounds, number, whole, tried)
            if likelihood > CHANCE:
                continue
            told_apart = parted(here, number, rounds, whole)
            weight = told_apart - (log10(tried) + SIMPLER * (len(some) - 1) if some else 0.0)
            if best is None or weight > heaviest + 1e-9:
                best = _Explained(tuple(zip(some, values, strict=True)), tuple(members), likelihood)
                heaviest = weight
    if best is not None and not best.place:
        tables = {each.table for each in best.members}
        if len(tables) == 1 and None not in tables:
            # where all is at one table, its name says more than that of the venue
            return _Explained((("table", str(*tables)),), best.members, best.likelihood)
    return best


def _unlikely(here: int, rounds: int, number: int, whole: int, tried: int) -> float:
    """Log10 of the likelihood of so many rounds ``here``, were there no reason for them.

    The smaller of two: that so many of all ``rounds`` fell here, where ``number`` of the ``whole``
    opportunities are; and that slips of hand made so many of ``number`` go wrong. Places ``tried``
    are counted in.
    """
    if here < 2 or number < here:
        return 0.0
    from_chance = min(log_tail(rounds, here, number, whole), log_tail(number, here, *SLIPS))
    return min(0.0, from_chance + log10(max(1, tried)))


def _widened(
    best: _Explained, left: Sequence[Member], family: int, exposure: Exposure, done: Sequence[Place]
) -> _Explained:
    """The place without some of its dimensions, where what is left lies around it as it hardly would."""
    wider = sorted(
        (place for place in _wider(best.place) if place not in done),
        key=lambda place: (-len(place), [DIMENSIONS.index(dimension) for dimension, _ in place]),
    )
    for place in wider:
        members = [each for each in left if _at(each, place)]
        here = len(_rounds(best.members))
        around = len(_rounds(members)) - here
        if around < 1:
            continue
        outside = len(_rounds(left)) - here
        without = [*done, best.place]
        at = sorted(each.started_us // QUARTER_HOUR for each in members if each.started_us is not None)
        number = exposure.between(family, place, without, (at[0], at[-1]))
        always = (0, 1 << 62)
        inside = exposure.between(family, best.place, done, (at[0], at[-1]))
        if parted(here, inside, here + around, inside + number) > ALIKE:
            continue
        near = exposure.between(family, place, without, always)
        whole = exposure.between(family, (), without, always)
        likelihood = min(
            log_tail(outside, around, near, whole) if near >= around else 0.0,
            log_tail(number, around, *SLIPS) if number >= around else 0.0,
        )
        if likelihood <= WIDER:
            merged = _Explained(place, tuple(members), min(best.likelihood, best.likelihood + likelihood))
            return _widened(merged, left, family, exposure, done)
    return best


def _wider(place: Place) -> Iterator[Place]:
    for some in _PLACES:
        if len(some) < len(place) and set(some) <= {dimension for dimension, _ in place}:
            yield tuple(pair for pair in place if pair[0] in some)


def _fair(found: _Explained, left: Sequence[Member], family: int, exposure: Exposure) -> _Explained:
    """The table instead of the dealer, where in that time nobody else dealt such a thing there.

    The log then cannot tell the one from the other, and a table is nobody's name.
    """
    place = dict(found.place)
    tables = {each.table for each in found.members}
    if "dealer" not in place or len(tables) != 1:
        return found
    (table,) = tables
    at = sorted(each.started_us // QUARTER_HOUR for each in found.members if each.started_us is not None)
    by_others = exposure.between(
        family, (("table", table or ""),), [(("dealer", place["dealer"]),)], (at[0] + 1, at[-1] - 1)
    )
    if by_others:
        return found
    members = tuple(each for each in left if each.table == table)
    return _Explained((("table", table or ""),), members, found.likelihood)


# --- causes --------------------------------------------------------------------------------


def _told(venue: _OfVenue) -> Iterator[Cause]:
    wanted = [(number, each.place, *_span(each.members)) for number, each in venue.explained]
    spans = venue.exposure.spans(wanted) if wanted else ()
    for (number, each), counted in zip(venue.explained, spans, strict=True):
        family = venue.families[number]
        opportunities, rounds, before, after, others = counted
        wagers = {(member.round_id, member.wager, member.due and member.due[3]) for member in each.members}
        missed = len(wagers) if family.unit == "wager" else len(_rounds(each.members))
        pattern: Pattern = "unknown"
        if family.seen:
            pattern = "every" if missed >= opportunities else "some"
        yield _cause(
            each.id,
            each.members,
            each.place,
            pattern,
            Opportunities(
                unit=family.unit,
                number=opportunities,
                rounds=rounds,
                missed=missed,
                before=before,
                after=after,
                others=others,
            ),
            int(each.likelihood),
        )


def _span(members: Iterable[Member]) -> tuple[int, int]:
    at = [each.started_us for each in members if each.started_us is not None]
    return min(at), max(at)


def _single(members: Sequence[Member]) -> Cause:
    """The findings of one manner in one round."""
    first = members[0]
    return _cause(_id(first, f"round={first.round_id}"), members, (), "single", None, None)


def _id(first: Member, own: str) -> str:
    """The id of a cause by its first finding and what sets it off from others of that manner."""
    code = "" if first.manner.above_sign else first.code
    return cause_id(first.venue, code, first.rulebook, first.depends_on, first.manner.key, own)


def _cause(
    named: str,
    members: Sequence[Member],
    place: Place,
    pattern: Pattern,
    opportunities: Opportunities | None,
    likelihood: int | None,
) -> Cause:
    first = members[0]
    at = [each.started_us for each in members if each.started_us is not None]
    severities = Counter(each.severity for each in members)
    return Cause(
        id=named,
        venue=first.venue,
        code=first.code,
        codes=tuple(sorted({each.code for each in members})),
        severity=min(severities, key=SEVERITIES.index),
        rulebook=first.rulebook,
        depends_on=first.depends_on,
        manner=first.manner.words,
        place=place,
        pattern=pattern,
        clauses=tuple(sorted({each.clause for each in members if each.clause})),
        tables=tuple(sorted({each.table for each in members if each.table is not None})),
        dealers=tuple(sorted({each.dealer for each in members if each.dealer is not None})),
        gaming_dates=tuple(sorted({each.gaming_date for each in members})),
        first_us=min(at, default=None),
        last_us=max(at, default=None),
        rounds=len(_rounds(members)),
        severities={name: severities[name] for name in SEVERITIES if severities[name]},
        opportunities=opportunities,
        likelihood=likelihood,
        currencies=_money(members),
        numbers=tuple(sorted(each.number for each in members)),
        fingerprints=tuple(sorted(each.fingerprint for each in members)),
        round_ids=tuple(sorted(_rounds(members))),
    )


def _money(members: Iterable[Member]) -> dict[str, tuple[Decimal, Decimal]]:
    found: dict[str, tuple[Decimal, Decimal]] = {}
    zero = Decimal(0)
    for each in members:
        if each.delta:
            over, under = found.get(each.currency or "", (zero, zero))
            found[each.currency or ""] = (over + max(each.delta, zero), under - min(each.delta, zero))
    return dict(sorted(found.items()))


def _order(cause: Cause) -> tuple[Any, ...]:
    """The gravest first, then those with most rounds, then as the findings stand in the report."""
    return SEVERITIES.index(cause.severity), -cause.rounds, cause.numbers[0]


_MEMBERS = f"""
SELECT e.number, e.fingerprint, e.severity, e.code, e.rulebook, e.clause, e.depends_on, e.venue,
    e.gaming_date, e."table", e.dealer, e.round_id, e.started_us, e.box, e.kind, e.delta, e.currency,
    e.expected, e.recorded, e.wager, e.stake, s.effective_stake, s.odds, s.line, s.clause AS due_clause,
    s.expected_result, s.expected_paid, s.expected_taken,
    s.recorded_result, s.recorded_paid, s.recorded_taken
FROM exceptions e
LEFT JOIN settlements_concerned s ON {settlement_of("e")}
ORDER BY e.number
"""
