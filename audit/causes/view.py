"""The view ``causes`` of the catalogue: the causes of the report that lies in the lake."""

from __future__ import annotations

from pathlib import Path

import duckdb

from audit.catalog_history import View
from audit.causes.table import CAUSES, FILE_NAME
from expectations.tables import Column, glob_text, identifier, literal


def _columns() -> tuple[Column, ...]:
    with duckdb.connect() as connection:
        types = connection.from_arrow(CAUSES.empty_table()).types
    return tuple(
        Column(
            name=field.name,
            type=str(kind),
            comment=field.metadata[b"comment"].decode(),
            nullable=field.nullable,
        )
        for field, kind in zip(CAUSES, types, strict=True)
    )


def _query(root: Path) -> str:
    path = root / "report" / FILE_NAME
    if path.is_file():
        listed = ", ".join(identifier(each.name) for each in CAUSES_VIEW.own)
        return f"SELECT {listed} FROM read_parquet({literal(glob_text(path))}, hive_partitioning = false)"
    empty = ", ".join(f"NULL::{each.type} AS {identifier(each.name)}" for each in CAUSES_VIEW.own)
    return f"SELECT {empty} WHERE false"


CAUSES_VIEW = View(
    name="causes",
    meaning="what most likely lies behind the findings of the report in the lake, one row per cause",
    own=_columns(),
    query=_query,
)
