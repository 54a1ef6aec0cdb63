"""Causes as data: JSON for machines, Parquet beside the report for the catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from audit.causes.model import Cause, Causes
from audit.causes.words import local_text, place_words, points_to, sentence
from audit.results import decimal_text
from rules_replay.log import INSTANT, MONEY
from rules_replay.venues import Register

FILE_NAME = "causes.parquet"


def _field(name: str, kind: pa.DataType, comment: str, *, null: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable=null, metadata={"comment": comment})


CAUSES = pa.schema(
    [
        _field("cause", pa.string(), "names the cause, the same in every run that finds it"),
        _field("sentence", pa.string(), "the cause in one sentence"),
        _field("venue", pa.string(), "key into the venue register"),
        _field("code", pa.string(), "check of its gravest finding"),
        _field("codes", pa.list_(pa.string()), "every check that its findings are of"),
        _field("severity", pa.string(), "the gravest of its findings"),
        _field("rulebook", pa.string(), "rulebook in force", null=True),
        _field("depends_on", pa.string(), "reading that would remove the findings", null=True),
        _field("manner", pa.string(), "what was done instead of what was due"),
        _field("place", pa.string(), "what explains the findings; of a single one null", null=True),
        _field("pattern", pa.string(), "every, some or unknown: of the opportunities there; or single"),
        _field("points_to", pa.string(), "what such a pattern is more like; of a single one null", null=True),
        _field("first_at", INSTANT, "start of the first round concerned", null=True),
        _field("last_at", INSTANT, "start of the last round concerned", null=True),
        _field("rounds", pa.int64(), "rounds concerned"),
        _field("findings", pa.int64(), "findings"),
        _field(
            "rounds_possible", pa.int64(), "rounds there, first to last, where it could happen", null=True
        ),
        _field("unit", pa.string(), "what opportunities are: wager, hand or round", null=True),
        _field("opportunities", pa.int64(), "opportunities there, from the first to the last", null=True),
        _field("missed", pa.int64(), "of them gone wrong in this manner", null=True),
        _field("before", pa.int64(), "opportunities there before the first", null=True),
        _field("after", pa.int64(), "opportunities there after the last", null=True),
        _field("elsewhere", pa.int64(), "opportunities in the meantime, elsewhere in the venue", null=True),
        _field("likelihood", pa.int16(), "power of ten below which it is chance", null=True),
        _field("currency", pa.string(), "currency, where findings are all in one", null=True),
        _field("overpaid", MONEY, "paid to players in excess, in that currency", null=True),
        _field("underpaid", MONEY, "held back from players, in that currency", null=True),
        _field("tables", pa.list_(pa.string()), "tables of the rounds"),
        _field("dealers", pa.list_(pa.string()), "dealers of the rounds"),
        _field("gaming_dates", pa.list_(pa.date32()), "gaming dates of the rounds"),
        _field("clauses", pa.list_(pa.string()), "clauses of the findings"),
        _field("round_ids", pa.list_(pa.string()), "the rounds"),
        _field("fingerprints", pa.list_(pa.string()), "the findings"),
    ]
)


def write_causes(path: Path, causes: Causes, register: Register) -> None:
    """Write the causes to a Parquet file, one row each; the same causes give the same bytes."""
    rows = [_row(each, register) for each in causes.all]
    pq.write_table(pa.Table.from_pylist(rows, schema=CAUSES), path, compression="zstd")


def _row(cause: Cause, register: Register) -> dict[str, Any]:
    counted = cause.opportunities
    money = list(cause.currencies.items())
    currency, (over, under) = money[0] if len(money) == 1 else (None, (None, None))
    several = cause.pattern != "single"
    return {
        "cause": cause.id,
        "sentence": sentence(cause, register),
        "venue": cause.venue,
        "code": cause.code,
        "codes": cause.codes,
        "severity": cause.severity,
        "rulebook": cause.rulebook,
        "depends_on": cause.depends_on,
        "manner": cause.manner,
        "place": place_words(cause) if several else None,
        "pattern": cause.pattern,
        "points_to": points_to(cause) if several else None,
        "first_at": cause.first_us,
        "last_at": cause.last_us,
        "rounds": cause.rounds,
        "findings": cause.findings,
        "rounds_possible": None if counted is None else counted.rounds,
        "unit": None if counted is None else counted.unit,
        "opportunities": None if counted is None else counted.number,
        "missed": None if counted is None else counted.missed,
        "before": None if counted is None else counted.before,
        "after": None if counted is None else counted.after,
        "elsewhere": None if counted is None else counted.others,
        "likelihood": cause.likelihood,
        "currency": currency,
        "overpaid": over,
        "underpaid": under,
        "tables": cause.tables,
        "dealers": cause.dealers,
        "gaming_dates": cause.gaming_dates,
        "clauses": cause.clauses,
        "round_ids": cause.round_ids,
        "fingerprints": cause.fingerprints,
    }


def cause_json(cause: Cause, register: Register) -> dict[str, Any]:
    """A cause ready for JSON; times on the clock of the venue, amounts as decimal strings."""
    counted = cause.opportunities
    return {
        "cause": cause.id,
        "sentence": sentence(cause, register),
        "points_to": points_to(cause),
        "venue": cause.venue,
        "check": cause.code,
        "checks": list(cause.codes),
        "severity": cause.severity,
        "rulebook": cause.rulebook,
        "depends_on": cause.depends_on,
        "manner": cause.manner,
        "place": {dimension: str(value) for dimension, value in cause.place},
        "pattern": cause.pattern,
        "clauses": list(cause.clauses),
        "tables": list(cause.tables),
        "dealers": list(cause.dealers),
        "gaming_dates": [each.isoformat() for each in cause.gaming_dates],
        "first": local_text(cause.first_us, cause.venue, register),
        "last": local_text(cause.last_us, cause.venue, register),
        "rounds": cause.rounds,
        "findings": cause.findings,
        "findings_by_severity": dict(cause.severities),
        "opportunities": None
        if counted is None
        else {
            "unit": counted.unit,
            "rounds": counted.rounds,
            "number": counted.number,
            "missed": counted.missed,
            "before": counted.before,
            "after": counted.after,
            "elsewhere": counted.others,
        },
        "likelihood_below_ten_to": cause.likelihood,
        "money": {
            currency: {"overpaid": decimal_text(over), "underpaid": decimal_text(under)}
            for currency, (over, under) in cause.currencies.items()
        },
    }


def causes_json(causes: Causes, register: Register) -> dict[str, Any]:
    """Those of several findings in full, and how many findings are causes of their own."""
    return {
        "several": [cause_json(each, register) for each in causes.several],
        "single": len(causes.single),
    }
