"""Views of the catalogue on findings over time, and on what people made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from expectations.tables import Column, columns, glob_text, identifier, literal


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A view over other views and a ledger: its query for the directory of a lake, and its meaning.

    ``own`` are its columns, after those of the table ``beginning`` where there is one.
    """

    name: str
    meaning: str
    own: tuple[Column, ...]
    query: Callable[[Path], str]
    beginning: str | None = None

    @property
    def columns(self) -> tuple[Column, ...]:
        """All its columns, in order."""
        return (() if self.beginning is None else columns(self.beginning)) + self.own


def of_one_file(path: Path, own: tuple[Column, ...]) -> str:
    """A query for the columns of one Parquet file; without it, for no rows of them."""
    if path.is_file():
        listed = ", ".join(identifier(each.name) for each in own)
        return f"SELECT {listed} FROM read_parquet({literal(glob_text(path))}, hive_partitioning = false)"
    empty = ", ".join(f"NULL::{each.type} AS {identifier(each.name)}" for each in own)
    return f"SELECT {empty} WHERE false"


def ledger_lines(root: Path, ledger: str) -> str:
    """A query for the lines of a ledger as JSON, with their numbers from 1.

    A damaged line is a JSON string. `read_text` over a glob gives no row where there is no file,
    and takes a line that is not JSON; DuckDB's JSON reader refuses the one and drops the other.
    """
    path = f"{glob_text(root / 'ledger')}/[{ledger[0]}]{ledger[1:]}.jsonl"
    return f"""
        SELECT line, CASE WHEN json_valid(text) THEN CAST(text AS JSON) ELSE to_json(text) END AS record
        FROM (
            SELECT unnest(string_split(content, chr(10))) AS text,
                   generate_subscripts(string_split(content, chr(10)), 1) AS line
            FROM read_text({literal(path)})
        ) WHERE trim(text) <> ''"""


def _column(name: str, kind: str, comment: str) -> Column:
    return Column(name=name, type=kind, comment=comment, nullable=True)


def _dispositions(root: Path) -> str:
    listed = ", ".join(
        f"CAST({identifier(each.name)} AS {each.type}) AS {identifier(each.name)}"
        for each in DISPOSITIONS.own
    )
    return f"""
        WITH records AS ({ledger_lines(root, "dispositions")}), findings_of AS (
            SELECT line, record, unnest(CAST(record -> '$.findings' AS JSON[])) AS finding
            FROM records WHERE json_type(record, '$.findings') = 'ARRAY'
        ), fields AS (
            SELECT line, TRY_CAST(record ->> '$.at' AS TIMESTAMPTZ) AS "at",
                finding ->> '$.fingerprint' AS fingerprint, record ->> '$.status' AS status,
                record ->> '$.by' AS disposed_by, record ->> '$.note' AS note,
                finding ->> '$.venue' AS venue, TRY_CAST(finding ->> '$.gaming_date' AS DATE) AS gaming_date,
                finding ->> '$.round_id' AS round_id, finding ->> '$.code' AS code,
                finding ->> '$.severity' AS severity,
                TRY_CAST(finding ->> '$.delta' AS DECIMAL(18, 3)) AS delta,
                TRY_CAST(finding ->> '$.seq' AS INTEGER) AS seq
            FROM findings_of
        )
        SELECT {listed} FROM fields ORDER BY line"""


def _finding_states(_: Path) -> str:
    return """
        WITH last AS (
            SELECT * FROM changes
            QUALIFY row_number() OVER (PARTITION BY venue, gaming_date, fingerprint ORDER BY run DESC) = 1
        ), first AS (
            SELECT venue, gaming_date, fingerprint, min(run) AS run FROM changes GROUP BY ALL
        ), parts AS (
            SELECT line, unnest(CAST(record -> '$.partitions' AS JSON[])) AS part
            FROM runs WHERE json_type(record, '$.partitions') = 'ARRAY'
        ), audited AS (
            SELECT part ->> '$.venue' AS venue, TRY_CAST(part ->> '$.gaming_date' AS DATE) AS gaming_date,
                max(line) AS run
            FROM parts WHERE part ->> '$.outcome' = 'replayed' GROUP BY ALL
        ), made AS (
            SELECT * FROM dispositions
            QUALIFY row_number() OVER (PARTITION BY fingerprint ORDER BY line DESC) = 1
        )
        SELECT l.venue, l.gaming_date, l.fingerprint,
            CASE WHEN l.change = 'resolved' THEN 'resolved'
                WHEN l.change = 'changed' OR l.run < a.run THEN 'continuing' ELSE l.change END AS state,
            l.round_id, l.code, l.severity, l.seq, l.box, l.hand, l.wager, l.delta,
            f.run AS first_run, fr."at" AS first_seen_at,
            l.change AS last_change, l.run AS last_change_run, lr."at" AS last_changed_at,
            m.status AS disposition, m.disposed_by, m."at" AS disposed_at, m.note,
            m.status IS NOT NULL AND (m.severity IS DISTINCT FROM l.severity
                OR m.delta IS DISTINCT FROM l.delta OR m.seq IS DISTINCT FROM l.seq) AS changed_since
        FROM last l
        JOIN first f USING (venue, gaming_date, fingerprint)
        LEFT JOIN audited a USING (venue, gaming_date)
        LEFT JOIN runs fr ON fr.line = f.run
        LEFT JOIN runs lr ON lr.line = l.run
        LEFT JOIN made m ON m.fingerprint = l.fingerprint AND m.status <> 'open'"""


def _findings_open(_: Path) -> str:
    return """
        SELECT f.*, s.state, s.first_seen_at, s.disposition, coalesce(s.changed_since, false) AS changed_since
        FROM findings f LEFT JOIN finding_states s USING (venue, gaming_date, fingerprint)
        WHERE s.disposition IS NULL OR s.disposition = 'confirmed' OR s.changed_since"""


_WHAT = (
    _column("round_id", "VARCHAR", "round the finding is about"),
    _column("code", "VARCHAR", "check that was not held"),
)
_STATE = _column("state", "VARCHAR", "new, continuing, resolved or reopened, by the latest run that looked")
_FIRST_SEEN = _column("first_seen_at", "TIMESTAMP WITH TIME ZONE", "instant of the first run that found it")
_DISPOSITION = _column(
    "disposition", "VARCHAR", "confirmed, explained or false-positive; null where nobody looked into it"
)
_CHANGED_SINCE = _column(
    "changed_since", "BOOLEAN", "severity, amount or event are no longer those looked into"
)

DISPOSITIONS = View(
    name="dispositions",
    meaning="what people made of findings, one row per record and finding, those replaced included",
    own=(
        _column("line", "BIGINT", "line of the ledger, from 1"),
        _column("at", "TIMESTAMP WITH TIME ZONE", "instant at which it was recorded"),
        _column("fingerprint", "VARCHAR", "finding looked into"),
        _column("status", "VARCHAR", "confirmed, explained, false-positive, or open: taken back"),
        _column("disposed_by", "VARCHAR", "who looked into it"),
        _column("note", "VARCHAR", "why"),
        _column("venue", "VARCHAR", "venue of the finding"),
        _column("gaming_date", "DATE", "gaming date of the finding"),
        *_WHAT,
        _column("severity", "VARCHAR", "severity when it was looked into"),
        _column("delta", "DECIMAL(18,3)", "recorded net less required net when it was looked into"),
        _column("seq", "INTEGER", "event it pointed at when it was looked into"),
    ),
    query=_dispositions,
)

FINDING_STATES = View(
    name="finding_states",
    meaning="every finding that any run made, as it stands now",
    own=(
        _column("venue", "VARCHAR", "key into the venue register"),
        _column("gaming_date", "DATE", "gaming date at the venue"),
        _column("fingerprint", "VARCHAR", "names the finding, the same in every run that finds it"),
        _STATE,
        *_WHAT,
        _column("severity", "VARCHAR", "severity; of a resolved one its last"),
        _column("seq", "INTEGER", "event it points at"),
        _column("box", "SMALLINT", "box it is about"),
        _column("hand", "SMALLINT", "hand it is about"),
        _column("wager", "VARCHAR", "wager it is about"),
        _column("delta", "DECIMAL(18,3)", "recorded net to the player less the required net"),
        _column("first_run", "BIGINT", "run that found it first: line of the run ledger"),
        _FIRST_SEEN,
        _column("last_change", "VARCHAR", "new, changed, resolved or reopened"),
        _column("last_change_run", "BIGINT", "run that saw its last change: line of the run ledger"),
        _column("last_changed_at", "TIMESTAMP WITH TIME ZONE", "instant of that run"),
        _DISPOSITION,
        _column("disposed_by", "VARCHAR", "who looked into it"),
        _column("disposed_at", "TIMESTAMP WITH TIME ZONE", "instant at which that was recorded"),
        _column("note", "VARCHAR", "why"),
        _CHANGED_SINCE,
    ),
    query=_finding_states,
)

FINDINGS_OPEN = View(
    name="findings_open",
    meaning="findings that nobody has explained, or that have changed since somebody did",
    beginning="findings",
    own=(_STATE, _FIRST_SEEN, _DISPOSITION, _CHANGED_SINCE),
    query=_findings_open,
)

VIEWS = (DISPOSITIONS, FINDING_STATES, FINDINGS_OPEN)
"""In the order in which they need one another."""
