"""Weeks dealt by the croupier, with and without a scheme, put into a lake and asked everything.

Used by the tests of surveillance and by ``python -m tests.surveil_figures``.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from audit.ingest.pipeline import ingest
from audit.lake import Lake
from audit.law import load_law
from audit.partitions import Choice
from audit.run import run
from audit.surveil import LEVEL
from audit.surveil.questions import Surveillance, surveil
from audit.surveil.result import Result
from audit.surveil.table import QUESTIONS
from data_samples.corpus import SHARES, possible
from data_samples.croupier import Slips, deal_slips
from data_samples.schemes import Scheme
from tests.commands import write_log

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
RULEBOOK = "act-2018"
TABLES = 2
WEEK = 3_000
"""Rounds of a week of four evenings at so many tables."""


def lake_of(
    folder: Path,
    seed: int,
    *,
    scheme: Scheme | None = None,
    rounds: int = WEEK,
    tables: int = TABLES,
    rulebook: str = RULEBOOK,
) -> Lake:
    """A lake of some rounds that has been audited, with honest mistakes of the shares of the corpus."""
    slips = Slips({label: share for label, share in SHARES.items() if label in possible(rulebook)})
    dealt = deal_slips(rulebook, seed, slips, rate=0.0, tables=tables, scheme=scheme)
    log = write_log(folder / "log.jsonl", (round_ for round_, _ in islice(dealt, rounds)))
    lake = Lake(folder / "lake")
    law = load_law()
    ingest([str(log)], lake, law.register, register_sha256=law.register_sha256, at=AT)
    run(lake, law, Choice(), at=AT, jobs=1)
    return lake


def asked(lake: Lake, level: float = LEVEL) -> Surveillance:
    """Everything asked of a lake."""
    return surveil(lake, Choice(), load_law().register, level)


def unusual(found: Surveillance | Iterable[Result], *questions: str) -> list[Result]:
    """The unusual results of some questions, of all where none is named."""
    results = found.results if isinstance(found, Surveillance) else found
    chosen = questions or tuple(QUESTIONS)
    return [each for each in results if each.verdict == "unusual" and each.question in chosen]
