"""Asking a lake everything and publishing what came of it.

The results are one Parquet file of the lake, the page a file of its report. Both are put in place together
with a record of the ledger ``surveillance``, which names their SHA-256 and, as every record does, the newest
records of the other ledgers: the run that the results rest on.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow.parquet as pq

from audit.catalog import build_catalog
from audit.clock import now
from audit.digests import file_digest
from audit.durable import write_durably
from audit.errors import os_reason, storage_error
from audit.lake import Lake
from audit.law import Law
from audit.layout import DATA_FILE, SURVEILLANCE
from audit.ledger import Head, anchor_text
from audit.partitions import Choice
from audit.progress import Progress
from audit.provenance import provenance
from audit.surveil.page import page_text
from audit.surveil.questions import Surveillance, surveil
from audit.surveil.result import VERDICTS, as_table

PAGE: Final = "surveillance.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What was asked, and the record of it; ``problem`` says why the catalogue is still the one before."""

    found: Surveillance
    record: Mapping[str, Any]
    page: Path
    problem: str | None

    @property
    def anchor(self) -> str:
        """The record as it is noted down elsewhere, for ``verify --expect``."""
        return anchor_text("surveillance", Head(self.record["n"], self.record["sha256"]))


def publish_surveillance(
    lake: Lake,
    law: Law,
    choice: Choice,
    level: float,
    *,
    at: datetime | None = None,
    progress: Progress | None = None,
) -> Published:
    """Ask everything of the chosen partitions and publish it, replacing what was published before.

    Raises what `read_exposure` does, `LakeBusy` or `StorageError`.
    """
    told = progress or Progress()
    with lake.writing(), lake.staging() as folder:
        with told.wait("Comparing rates, cards and shoes"):
            found = surveil(lake, choice, law.register, level)
        instant = (at or now()).replace(microsecond=0)
        data, page = folder / DATA_FILE, folder / PAGE
        try:
            pq.write_table(as_table(found.results, level), data, compression="zstd")
            _sync(data)
            write_durably(page, page_text(found, choice.words).encode())
        except OSError as error:
            raise storage_error(error, "write the results", lake.root) from None
        place = f"{SURVEILLANCE}/{DATA_FILE}"
        record = lake.publish(
            folder,
            (),
            "surveillance",
            {
                "kind": "surveillance",
                **provenance(),
                "chosen": choice.words,
                "level": f"{level:g}",
                "register_sha256": law.register_sha256,
                "rounds": found.rounds,
                "counts": counts(found),
                "report": {PAGE: file_digest(page)},
                "published": [
                    {
                        "path": place,
                        "sha256": file_digest(data),
                        "bytes": data.stat().st_size,
                        "rows": len(found.results),
                    }
                ],
            },
            instant,
            beside={place: data, f"report/{PAGE}": page},
        )
        problem = _catalogue(lake.root)
    return Published(found=found, record=record, page=lake.root / "report" / PAGE, problem=problem)


def counts(found: Surveillance) -> dict[str, dict[str, int]]:
    """By question how many results have which verdict."""
    counted = {each.question: Counter(result.verdict for result in each.results) for each in found.answers}
    return {question: {verdict: each[verdict] for verdict in VERDICTS} for question, each in counted.items()}


def _sync(path: Path) -> None:
    path.chmod(0o644)
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _catalogue(root: Path) -> str | None:
    try:
        build_catalog(root)
    except duckdb.Error as error:
        return str(error).partition("\n")[0]
    except OSError as error:
        return os_reason(error)
    return None
