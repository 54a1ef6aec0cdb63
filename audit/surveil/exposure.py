"""What the questions are asked about: rounds, money, cards and stakes, read out of a lake.

Rounds are numbered through in the order of venue, table, shoe and round, and every other table
names them by that number. Amounts are whole thousandths. Only partitions that a run has replayed
are read; their files are held against the ledger before.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray

from audit.dispositions import standing
from audit.errors import LakeError, NothingChosen
from audit.lake import Lake
from audit.layout import DERIVED, EVIDENCE, Partition
from audit.partitions import Choice, partition_name
from audit.results import count
from expectations.tables import glob_text, literal, nothing
from rules_replay.cards import DECK
from rules_replay.venues import Register

UNREADABLE, FOREIGN = -1, -2
"""Codes of cards that no deck of 48 has: those that could not be read, and tens and jokers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """Cards in the order in which they left the shoes, one entry a card.

    ``round`` is the number of the round, ``card`` the place in `DECK` or one of the codes above,
    ``burned`` whether it went to no hand.
    """

    round: NDArray[np.int32]
    box: NDArray[np.int8]
    hand: NDArray[np.int8]
    card: NDArray[np.int8]
    burned: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.round)

    def of_rounds(self, start: int, end: int) -> Draws:
        """Those from one round to before another."""
        part = slice(*np.searchsorted(self.round, (start, end)))
        return Draws(
            round=self.round[part],
            box=self.box[part],
            hand=self.hand[part],
            card=self.card[part],
            burned=self.burned[part],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """Everything that the questions look at.

    ``rounds`` has one row a round, in the order of its number ``r``; ``flows`` one a round and player:
    ``lines`` settled, ``over`` and ``under`` of breaches, findings ``found``, recorded ``net``, and of main
    wagers with what was split and doubled ``staked`` and ``won``. ``codes`` has one row a round and check not
    held, ``presses`` one a press of the jackpot button, ``boxes`` the player in control of each box, and
    ``sides`` stakes and nets by round and kind of side wager.
    """

    rounds: pl.DataFrame
    flows: pl.DataFrame
    codes: pl.DataFrame
    presses: pl.DataFrame
    boxes: pl.DataFrame
    sides: pl.DataFrame
    draws: Draws
    left_out: tuple[str, ...] = ()


def read_exposure(lake: Lake, choice: Choice, register: Register) -> Exposure:
    """Read the chosen partitions of a lake that were replayed.

    Raises `NothingChosen` where there is none, `LakeError` where a file no longer matches the ledger.
    """
    chosen = choice.of(lake)
    replayed = [each for each in chosen if lake.files("coverage", each)]
    if not replayed:
        raise NothingChosen(
            f"{lake.root}: nothing replayed of {choice.words}; `pontoon-audit run --lake {lake.root}` does it"
        )
    known = lake.published()
    for each in replayed:
        for problem in lake.damaged(each, (*EVIDENCE, *DERIVED), known):
            raise LakeError(f"{lake.root}: {problem}; no rate of it could be trusted")
    missing = [each for each in chosen if each not in replayed]
    notes = [f"{partition_name(each)}: not replayed, so not looked at" for each in missing]
    false = [name for name, made in standing(lake).items() if made.status == "false-positive"]
    with tempfile.TemporaryDirectory() as scratch, duckdb.connect() as connection:
        connection.execute("SET memory_limit = '1GB'")
        connection.execute("SET temp_directory = ?", [scratch])
        connection.execute("SET TimeZone = 'UTC'")
        for table in ("rounds", "events", "hands", "settlements", "findings"):
            connection.execute(f"CREATE VIEW {table} AS {_scan(lake, table, replayed)}")
        connection.execute(_PLAYED)
        connection.execute("CREATE TABLE dismissed (fingerprint VARCHAR)")
        if false:
            connection.executemany("INSERT INTO dismissed VALUES (?)", [(each,) for each in false])
        notes += _notes(connection)
        return Exposure(
            rounds=_with_rulebooks(_frame(connection, _ROUNDS), register),
            flows=_frame(connection, _FLOWS),
            codes=_frame(connection, _CODES),
            presses=_frame(connection, _PRESSES),
            boxes=_frame(connection, _BOXES),
            sides=_frame(connection, _SIDES),
            draws=_draws(connection),
            left_out=tuple(notes),
        )


def _frame(connection: duckdb.DuckDBPyConnection, query: str) -> pl.DataFrame:
    return pl.DataFrame(connection.sql(query).to_arrow_table())


def _scan(lake: Lake, table: str, partitions: Iterable[Partition]) -> str:
    files = [path for each in partitions for path in lake.files(table, each)]
    return f"SELECT * FROM {_parquet(files)}" if files else nothing(table)


def _parquet(files: Sequence[Path]) -> str:
    listed = ", ".join(literal(glob_text(path)) for path in files)
    types = "{'venue': VARCHAR, 'gaming_date': DATE}"
    return f"read_parquet([{listed}], hive_partitioning = true, hive_types = {types})"


def _notes(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """What of the rounds read cannot be asked about."""
    found = []
    for condition, text in (
        ("dealer IS NULL", "without a dealer recorded"),
        ("disturbed", "with an irregularity or voided, left out of card frequencies"),
        ("unreadable", "with a card that could not be read, which counts as not seen"),
    ):
        query = f"SELECT count(*) FROM played WHERE {condition}"
        ((rounds,),) = connection.execute(query).fetchall()
        if rounds:
            found.append(f"{count(rounds, 'round')} {text}")
    return found


def _with_rulebooks(rounds: pl.DataFrame, register: Register) -> pl.DataFrame:
    """The rounds with the rulebook in force at the first round of their day, and None where there is none."""
    first = rounds.group_by("venue", "gaming_date", maintain_order=True).agg(pl.col("started_at").min())
    books = []
    for venue, _, instant in first.iter_rows():
        window = register.window_at(venue, instant)
        books.append(None if window is None else window.rulebook)
    named = first.with_columns(pl.Series("rulebook", books, pl.String)).drop("started_at")
    return rounds.join(named, on=("venue", "gaming_date"), how="left", maintain_order="left")


def _draws(connection: duckdb.DuckDBPyConnection) -> Draws:
    codes = ", ".join(f"({literal(card)}, {place})" for place, card in enumerate(DECK))
    found = connection.execute(
        f"""
        SELECT p.r::INTEGER AS round, coalesce(e.box, 99)::TINYINT AS box,
            coalesce(e.hand, 1)::TINYINT AS hand, e.e = 'burn' AS burned,
            coalesce(d.place, CASE WHEN e.card = '??' THEN {UNREADABLE} ELSE {FOREIGN} END)::TINYINT AS card
        FROM events e JOIN played p USING (venue, gaming_date, round_id)
        LEFT JOIN (VALUES {codes}) d(card, place) ON d.card = e.card
        WHERE e.e = 'deal' OR (e.e = 'burn' AND coalesce(e."from", 'shoe') = 'shoe')
        ORDER BY p.r, e.seq"""
    ).fetchnumpy()
    return Draws(
        round=np.asarray(found["round"], dtype=np.int32),
        box=np.asarray(found["box"], dtype=np.int8),
        hand=np.asarray(found["hand"], dtype=np.int8),
        card=np.asarray(found["card"], dtype=np.int8),
        burned=np.asarray(found["burned"], dtype=bool),
    )


def _in_thousandths(amount: str) -> str:
    return f"CAST(({amount}) * 1000 AS BIGINT)"


_PLAYED = """
CREATE TABLE played AS
WITH shoes AS (
    SELECT venue, "table", shoe, min(started_at) AS opened FROM rounds GROUP BY ALL
), marks AS (
    SELECT venue, gaming_date, round_id,
        bool_or(e IN ('irregularity', 'void', 'withdraw')) AS disturbed,
        bool_or(e = 'irregularity' AND code = 'shoe_exhausted') AS exhausted,
        bool_or(e = 'forfeit' OR (e = 'surrender' AND wager IS NOT NULL)) AS parted,
        bool_or(coalesce(card = '??', false)) AS unreadable
    FROM events
    WHERE e IN ('irregularity', 'void', 'withdraw', 'forfeit', 'surrender') OR card = '??'
    GROUP BY ALL
), standing AS (
    SELECT DISTINCT venue, gaming_date, round_id
    FROM hands WHERE box > 0 AND ended IN ('stood', 'doubled') AND total < 21
)
SELECT row_number() OVER (
        ORDER BY r.venue, r."table", s.opened, r.shoe, r.round_no, r.started_at, r.round_id
    ) - 1 AS r,
    dense_rank() OVER (ORDER BY r.venue, r."table", s.opened, r.shoe) - 1 AS shoe_no,
    r.*, coalesce(m.disturbed, false) AS disturbed, coalesce(m.exhausted, false) AS exhausted,
    coalesce(m.unreadable, false) AS unreadable,
    h.round_id IS NOT NULL AND NOT coalesce(m.parted, false) AS live
FROM rounds r
JOIN shoes s USING (venue, "table", shoe)
LEFT JOIN marks m USING (venue, gaming_date, round_id)
LEFT JOIN standing h USING (venue, gaming_date, round_id)"""

_ROUNDS = """
SELECT p.r, p.shoe_no, p.venue, p.gaming_date, p.round_id, p."table", p.shoe, p.round_no, p.started_at,
    strftime(p.gaming_date, '%Y-%m-%d') || CASE
        WHEN p.started_at_text[12:13] BETWEEN '06' AND '13' THEN ' day'
        WHEN p.started_at_text[12:13] BETWEEN '14' AND '21' THEN ' evening' ELSE ' night' END AS shift,
    p.decks, p.shuffler, p.currency, p.dealer, p.disturbed, p.exhausted, p.live,
    coalesce(s.lines, 0) AS lines
FROM played p
LEFT JOIN (
    SELECT venue, gaming_date, round_id, count(*) AS lines
    FROM settlements WHERE status = 'fixed' GROUP BY ALL
) s USING (venue, gaming_date, round_id)
ORDER BY p.r"""

_NET = "coalesce(recorded_paid, 0) - coalesce(recorded_taken, 0)"
_OF_MAIN = "FILTER (kind IN ('main', 'split', 'double') AND line = 'stake')"

_FLOWS = f"""
WITH settled AS (
    SELECT venue, gaming_date, round_id, player,
        count(*) FILTER (status = 'fixed') AS lines,
        {_in_thousandths(f"sum({_NET})")} AS net,
        {_in_thousandths("coalesce(sum(effective_stake) FILTER (kind = 'main' AND line = 'stake'), 0)")}
            AS staked,
        {_in_thousandths(f"coalesce(sum({_NET}) {_OF_MAIN}, 0)")} AS won
    FROM settlements GROUP BY ALL
), wrong AS (
    SELECT venue, gaming_date, round_id, player,
        {_in_thousandths("coalesce(sum(delta) FILTER (severity = 'breach' AND delta > 0), 0)")} AS over,
        {_in_thousandths("coalesce(-sum(delta) FILTER (severity = 'breach' AND delta < 0), 0)")} AS under,
        count(*) AS found
    FROM findings ANTI JOIN dismissed USING (fingerprint)
    WHERE severity IN ('breach', 'procedure') GROUP BY ALL
)
SELECT p.r, s.player, s.lines, s.net, s.staked, s.won,
    coalesce(w.over, 0) AS over, coalesce(w.under, 0) AS under, coalesce(w.found, 0) AS found
FROM settled s
JOIN played p USING (venue, gaming_date, round_id)
LEFT JOIN wrong w ON (w.venue, w.gaming_date, w.round_id) = (s.venue, s.gaming_date, s.round_id)
    AND w.player = s.player
ORDER BY p.r, s.player"""

_CODES = """
SELECT DISTINCT p.r, f.code
FROM findings f ANTI JOIN dismissed USING (fingerprint)
JOIN played p USING (venue, gaming_date, round_id)
WHERE f.severity IN ('breach', 'procedure')
ORDER BY p.r, f.code"""

_PRESSES = """
SELECT p.r, e.box, e.multiplier, any_value(w.player ORDER BY w.seq) AS player
FROM events e JOIN played p USING (venue, gaming_date, round_id)
LEFT JOIN events w ON (w.venue, w.gaming_date, w.round_id, w.box)
    = (e.venue, e.gaming_date, e.round_id, e.box) AND w.kind = 'pandemonium'
WHERE e.e = 'press'
GROUP BY p.r, e.seq, e.box, e.multiplier
ORDER BY p.r, e.seq"""

_BOXES = """
SELECT p.r, e.box::BIGINT AS box, arg_min(e.player, e.seq) AS player
FROM events e JOIN played p USING (venue, gaming_date, round_id)
WHERE e.e = 'wager' AND e.kind = 'main'
GROUP BY p.r, e.box
ORDER BY p.r, e.box"""

_SIDES = f"""
SELECT p.r, s.kind, count(*) AS lines,
    {_in_thousandths("sum(effective_stake)")} AS staked,
    {_in_thousandths(f"sum({_NET})")} AS net,
    CAST(round(sum(({_NET}) / effective_stake), 9) AS DOUBLE) AS units
FROM settlements s JOIN played p USING (venue, gaming_date, round_id)
WHERE s.kind IN ('insurance', 'perfect_pairs', 'pair', 'pandemonium') AND s.line = 'stake'
    AND s.effective_stake > 0 AND s.recorded_result IN ('win', 'lose', 'stand_off')
GROUP BY p.r, s.kind
ORDER BY p.r, s.kind"""
