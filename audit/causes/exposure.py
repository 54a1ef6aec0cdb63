"""How often what went wrong could have gone wrong: the opportunities, by place and time.

Four kinds. Of a settlement: every wager line on which the same was due, by the same clause and at
the same odds. Of the dealer's card: every hand of the dealer that came to the total in question and
shows whether it was dealt with rightly. Of a wager above the sign: the rounds with one that the sign
cuts. Of all else: the rounds that hold what the check is about,
as far as its fact is recorded.

Everything is counted in DuckDB, over the tables and views that the report has open; what comes out
grows with tables, dealers, days and hours, not with rounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import pyarrow as pa

from audit.causes.manner import SIGN_COLUMNS
from audit.causes.model import DIMENSIONS, Member, Place, Unit
from expectations.tables import identifier, literal
from rules_replay.checks import catalogue
from rules_replay.log import FACTS
from rules_replay.venues import DEFAULT_DAY_START, Register

QUARTER_HOUR = 900_000_000
"""Microseconds by which opportunities are counted in time."""

SHIFTS = ("morning", "evening", "night")
"""Eight hours each, from the start of the gaming day."""

_SUBJECTS = {
    "insurance": "settlements WHERE kind = 'insurance'",
    "pairs": "settlements WHERE kind IN ('pair', 'perfect_pairs')",
    "side": "settlements WHERE kind IN ('pair', 'perfect_pairs', 'pandemonium')",
    "jackpot": "settlements WHERE kind = 'pandemonium'",
    "double": "settlements WHERE kind = 'double'",
    "split": "settlements WHERE kind = 'split'",
    "twenty-one": "hands WHERE box > 0 AND ended IN ('21', 'pontoon')",
    "surrender": "hands WHERE ended = 'surrendered'",
    "surrendered": "hands WHERE ended = 'surrendered'",
    "forfeit": "settlements WHERE expected_result = 'forfeit' OR recorded_result = 'forfeit'",
    "void": "settlements WHERE expected_result = 'void'",
}
"""Where rounds with the subject of a check are found; of any other it is every round."""

_SEEN = ("interim.", "deck.count", "rulebook.", "side-bet.settled-late", "settle.missing")
"""Checks of rounds in which the log shows what was right as well as what was wrong."""

_STOPPED = re.compile(r"stopped at (hard|soft) (\d+)")
_DRAWN = re.compile(r"no card on (hard|soft) (\d+), ")


@dataclass(frozen=True, slots=True)
class Family:
    """Opportunities of one kind at a venue, and whether doing right shows among them.

    Wagers go by what was ``due`` on them (clause, result, odds and line), all else by a query.
    """

    venue: str
    unit: Unit
    seen: bool
    due: tuple[tuple[str, str, str, str], ...] = ()
    sql: str = ""


def family_of(members: Sequence[Member]) -> Family:
    """The opportunities of findings in one manner, all of one venue."""
    first = members[0]
    if first.manner.above_sign and any(each.due is not None for each in members):
        return Family(first.venue, "round", True, sql=_CUT)
    dues = {each.due for each in members}
    known = tuple(sorted(due for due in dues if due is not None))
    if known and None not in dues:
        return Family(first.venue, "wager", True, due=known)
    of_dealer = _dealer_hands(first, members)
    if of_dealer is not None:
        return Family(first.venue, "hand", True, sql=of_dealer)
    return Family(first.venue, "round", first.code.startswith(_SEEN), sql=_rounds(members))


_COLUMNS = (
    'r.venue, r."table", r.dealer, r.gaming_date, epoch_us(r.started_at) AS started, '
    "NULL::SMALLINT AS box, NULL::VARCHAR AS kind, r.round_id"
)


_CUT = f"""
SELECT {_COLUMNS} FROM rounds r SEMI JOIN (
    SELECT venue, gaming_date, round_id FROM settlements
    WHERE effective_stake < stake AND line = 'stake' AND kind = 'main'
) USING (venue, gaming_date, round_id)"""
"""Rounds with a main wager that a sign or a player's own limit cuts."""


def _rounds(members: Sequence[Member]) -> str:
    member = members[0]
    check = catalogue().get(member.code)
    where = [_recorded(check.needs)] if check is not None and check.needs else []
    signs = sorted({each.sign for each in members if each.sign is not None})
    if signs:
        listed = ", ".join(f"{each:f}" for each in signs)
        columns = SIGN_COLUMNS[member.code]
        where.append("(" + " OR ".join(f"r.{identifier(each)} IN ({listed})" for each in columns) + ")")
    condition = " AND ".join(where) or "true"
    subject = None if check is None else _SUBJECTS.get(check.subject)
    table = "rounds r"
    if subject is not None:
        table += f" SEMI JOIN (SELECT venue, gaming_date, round_id FROM {subject})"
        table += " USING (venue, gaming_date, round_id)"
    return f"SELECT {_COLUMNS} FROM {table} WHERE {condition}"


def _recorded(fact: str) -> str:
    if fact not in FACTS:
        raise ValueError(f"no recorder writes {fact!r}")
    return f"(r.records IS NULL OR list_contains(r.records, {literal(fact)}))"


_POINTS = (
    "list_transform(string_split(cards, ' '), "
    "lambda x: CASE WHEN x[1] IN ('J', 'Q', 'K', 'T', '1') THEN 10 WHEN x[1] = 'A' THEN 1 "
    "ELSE coalesce(TRY_CAST(x[1] AS INTEGER), 0) END)"
)


def _dealer_hands(first: Member, members: Sequence[Member]) -> str | None:
    """Dealer's hands at the total in question: those dealt with rightly, and those of the findings."""
    under = _STOPPED.search(first.manner.key) if first.code == "dealer.under-draw" else None
    over = _DRAWN.search(first.manner.key) if first.code == "dealer.over-draw" else None
    if under is not None:
        right = _went_on(soft=under[1] == "soft", total=int(under[2]))
    elif over is not None:
        right = (
            f"card_count >= 2 AND ended = 'stood' AND soft = {over[1] == 'soft'} AND total = {int(over[2])}"
        )
    else:
        return None
    wrong = ", ".join(literal(each) for each in sorted({each.round_id for each in members}))
    check = catalogue()[first.code]
    recorded = "true" if check.needs is None else _recorded(check.needs)
    return f"""
        SELECT {_COLUMNS} FROM rounds r SEMI JOIN (
            SELECT venue, gaming_date, round_id FROM hands
            WHERE venue = {literal(first.venue)} AND box = 0 AND (round_id IN ({wrong}) OR ({right}))
        ) USING (venue, gaming_date, round_id) WHERE {recorded}"""


def _went_on(*, soft: bool, total: int) -> str:
    """True of a hand that took a card on a total."""
    wanted = total - 10 if soft else total
    ace = f"list_contains({_POINTS}[1:i], 1)"
    fits = ace if soft else f"NOT ({ace} AND {wanted} <= 11)"
    likely = "cards LIKE '%A%' AND " if soft else ""
    return (
        f"card_count >= 3 AND {likely}len(list_filter(range(2, card_count::BIGINT), "
        f"lambda i: list_sum({_POINTS}[1:i]) = {wanted} AND {fits})) > 0"
    )


def shift_of(microseconds: int, venue: str, register: Register) -> str:
    """The third of the gaming day in which an instant lies, by the clock of the venue."""
    known = register.venues.get(venue)
    zone, start = (UTC, DEFAULT_DAY_START) if known is None else (known.zone, known.day_start)
    local = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)).astimezone(zone)
    minutes = (local.hour - start.hour) * 60 + local.minute - start.minute
    return SHIFTS[minutes % 1440 // 480]


class Exposure:
    """The opportunities of some families, counted once and asked often; a family goes by its number."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, families: Sequence[Family], register: Register
    ) -> None:
        """Have them in the temporary table ``cause_cells``: by table, dealer and time; by box and kind."""
        self._connection = connection
        dues = [(number, family.venue, *due) for number, family in enumerate(families) for due in family.due]
        self._given("cause_dues", _DUES, dues)
        self._opportunities = " UNION ALL ".join(
            [
                _WAGERS,
                *(
                    f"SELECT {number} AS family, * FROM ({family.sql}) WHERE venue = {literal(family.venue)}"
                    for number, family in enumerate(families)
                    if family.sql
                ),
            ]
        )
        connection.execute(_CELLS.format(opportunities=self._opportunities))
        quarters = connection.execute(
            "SELECT DISTINCT family, quarter FROM cause_cells WHERE NOT boxed ORDER BY ALL"
        ).fetchall()
        shifts = [
            (number, quarter, shift_of(quarter * QUARTER_HOUR, families[number].venue, register))
            for number, quarter in quarters
            if quarter is not None
        ]
        self._given("cause_shifts", _SHIFTS, shifts)

    def _given(self, name: str, schema: pa.Schema, rows: Sequence[tuple[Any, ...]]) -> None:
        columns = [[row[place] for row in rows] for place in range(len(schema))]
        table = pa.table(
            [pa.array(each, field.type) for each, field in zip(columns, schema, strict=True)], schema=schema
        )
        self._connection.register("given", table)
        self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM given")
        self._connection.unregister("given")

    def by_place(
        self, family: int, dimensions: Iterable[tuple[str, ...]], without: Sequence[Place]
    ) -> Mapping[tuple[str, ...], Mapping[tuple[Any, ...], int]]:
        """Opportunities of a family by each combination of dimensions, without those of some places."""
        found: dict[tuple[str, ...], dict[tuple[Any, ...], int]] = {}
        for some in dimensions:
            boxed = bool({"box", "kind"} & set(some))
            condition, parameters = _outside(without, boxed=boxed)
            columns = ", ".join(identifier(each) for each in some)
            group = f"GROUP BY {columns}" if some else ""
            rows = self._connection.execute(
                f"""SELECT {columns}{", " if some else ""} coalesce(sum(number), 0)::BIGINT
                FROM cause_cells LEFT JOIN cause_shifts USING (family, quarter)
                WHERE family = ? AND boxed = ? AND {condition} {group}""",
                [family, boxed, *parameters],
            ).fetchall()
            found[some] = {tuple(values): number for *values, number in rows}
        return found

    def between(self, family: int, inside: Place, without: Sequence[Place], quarters: tuple[int, int]) -> int:
        """Opportunities at a place and outside of others from one quarter of an hour to another."""
        if {"box", "kind"} & {dimension for place in (inside, *without) for dimension, _ in place}:
            return 0
        condition, parameters = _outside(without, boxed=False)
        here, values = _inside(inside)
        ((number,),) = self._connection.execute(
            f"""SELECT coalesce(sum(number), 0)::BIGINT
            FROM cause_cells LEFT JOIN cause_shifts USING (family, quarter)
            WHERE family = ? AND NOT boxed AND quarter BETWEEN ? AND ? AND {here} AND {condition}""",
            [family, *quarters, *values, *parameters],
        ).fetchall()
        return int(number)

    def spans(self, wanted: Sequence[tuple[int, Place, int, int]]) -> list[tuple[int, int, int, int, int]]:
        """Of families at places from one instant to another, in microseconds since 1970 UTC.

        Each time the opportunities there, the rounds in which they were, those before, those after,
        and those elsewhere in the meantime.
        """
        rows = [
            (number, family, first, last, *(dict(place).get(each) for each in DIMENSIONS))
            for number, (family, place, first, last) in enumerate(wanted)
        ]
        self._given("cause_spans", _SPAN_COLUMNS, rows)
        found = {
            number: counted
            for number, *counted in self._connection.execute(
                _SPANS.format(opportunities=self._opportunities)
            ).fetchall()
        }
        return [tuple(found.get(number, (0, 0, 0, 0, 0))) for number in range(len(rows))]


_DUES = pa.schema(
    [
        ("family", pa.int32()),
        ("venue", pa.string()),
        ("clause", pa.string()),
        ("result", pa.string()),
        ("odds", pa.string()),
        ("line", pa.string()),
    ]
)
_SHIFTS = pa.schema([("family", pa.int32()), ("quarter", pa.int64()), ("shift", pa.string())])
_SPAN_COLUMNS = pa.schema(
    [
        ("number", pa.int32()),
        ("family", pa.int32()),
        ("first", pa.int64()),
        ("last", pa.int64()),
        ("table", pa.string()),
        ("dealer", pa.string()),
        ("box", pa.int16()),
        ("kind", pa.string()),
        ("shift", pa.string()),
        ("gaming_date", pa.date32()),
    ]
)

_WAGERS = """
SELECT s.family, r.venue, r."table", r.dealer, r.gaming_date, epoch_us(r.started_at) AS started,
    s.box, s.kind, r.round_id
FROM (
    SELECT d.family, s.venue, s.gaming_date, s.round_id, s.box, s.kind
    FROM settlements s JOIN cause_dues d ON d.venue = s.venue AND d.clause = s.clause
        AND d.result = s.expected_result AND d.odds = coalesce(s.odds, '') AND d.line = s.line
) s JOIN rounds r USING (venue, gaming_date, round_id)"""

_CELLS = f"""
CREATE OR REPLACE TEMP TABLE cause_cells AS
SELECT family, "table", dealer, gaming_date, quarter, box, kind, grouping(quarter) = 1 AS boxed,
    count(*) AS number
FROM (SELECT *, started // {QUARTER_HOUR} AS quarter FROM ({{opportunities}}))
GROUP BY GROUPING SETS ((family, "table", dealer, gaming_date, quarter), (family, "table", box, kind))
"""

_HERE = " AND ".join(
    f"(c.{identifier(each)} IS NULL OR c.{identifier(each)} = {source}.{identifier(each)})"
    for each in DIMENSIONS
    for source in ("s" if each == "shift" else "o",)
)
_SPANS = f"""
SELECT number, count(*) FILTER (here AND started BETWEEN first AND last),
    count(DISTINCT round_id) FILTER (here AND started BETWEEN first AND last),
    count(*) FILTER (here AND started < first), count(*) FILTER (here AND started > last),
    count(*) FILTER (NOT here AND started BETWEEN first AND last)
FROM (
    SELECT c.number, c.first, c.last, o.started, o.round_id, coalesce({_HERE}, false) AS here
    FROM ({{opportunities}}) o JOIN cause_spans c ON c.family = o.family
    LEFT JOIN cause_shifts s ON s.family = o.family AND s.quarter = o.started // {QUARTER_HOUR}
) GROUP BY number
"""


def _inside(place: Place) -> tuple[str, list[Any]]:
    conditions = [f"{identifier(dimension)} IS NOT DISTINCT FROM ?" for dimension, _ in place]
    return " AND ".join(conditions) or "true", [value for _, value in place]


def _outside(places: Iterable[Place], *, boxed: bool) -> tuple[str, list[Any]]:
    known = {"table", "box", "kind"} if boxed else {"table", "dealer", "shift", "gaming_date"}
    conditions, parameters = [], []
    for place in places:
        if place and all(dimension in known for dimension, _ in place):
            here, values = _inside(place)
            conditions.append(f"NOT ({here})")
            parameters += values
    return " AND ".join(conditions) or "true", parameters
