"""The view ``causes`` of the catalogue: the causes of the report that lies in the lake."""

from __future__ import annotations

from pathlib import Path

from audit.catalog_history import View, of_one_file
from audit.causes.table import CAUSES, FILE_NAME
from expectations.tables import columns_of


def _query(root: Path) -> str:
    return of_one_file(root / "report" / FILE_NAME, CAUSES_VIEW.own)


CAUSES_VIEW = View(
    name="causes",
    meaning="what most likely lies behind the findings of the report in the lake, one row per cause",
    own=columns_of(CAUSES),
    query=_query,
)
