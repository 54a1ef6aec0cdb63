"""Writes the files of a report, each put in place whole."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from audit.causes import Causes
from audit.causes.table import FILE_NAME as CAUSES_NAME
from audit.causes.table import write_causes
from audit.dispositions import Disposition
from audit.engines.local import processors
from audit.garbage import without_collection
from audit.layout import Partition
from audit.report.gather import ScopedLake, open_lake
from audit.report.model import Aside, ReportFiles, ReportScope, RunHeader
from audit.report.page import write_page
from audit.report.sheets import (
    WORKBOOK_EXCEPTIONS,
    ExceptionsWorkbook,
    FigureRows,
    figure_rows,
    write_causes_csv,
    write_exceptions_csv,
)
from audit.report.summary import write_summary
from audit.report.workbook import SHEET_ROWS
from audit.workers import WorkerKilled, Workers
from rules_replay.venues import Register, load_register

Step: TypeAlias = Callable[..., None]
"""A method of `ExceptionsWorkbook`."""

WORKBOOK_NAME = "exceptions.xlsx"
APART_FROM = 2_000
"""Findings from which on a process of its own pays for the second of processor time that it takes to
load: the workbook takes as long as the page and the tables."""
AHEAD = 10_000
"""Exceptions that this process makes ready, and holds, while their causes are sought."""


def write_report(
    lake_root: Path,
    out_dir: Path,
    scope: ReportScope,
    header: RunHeader,
    register: Register | None = None,
    dispositions: Iterable[Disposition] = (),
    aside: Mapping[Partition, Aside] | None = None,
    *,
    findings: int = 0,
) -> ReportFiles:
    """Report the partitions in ``scope`` of the lake into ``out_dir``, which is made if missing.

    The same partitions give the same bytes, but for ``header``, which stands in one
    place of the page and of ``summary.json``, and for what the page and that place say is
    new or continues by ``header.number``. ``register`` gives the zone and the
    start of the gaming day of each venue; without one the shipped register does.
    ``dispositions`` are those in force, ``aside`` has what was kept aside of partitions while they
    were replayed; of others it is found in the lake. Where about ``findings`` are expected, and they
    are many, a process of its own writes the workbook.
    A file that is there is replaced; none is ever seen half written. Raises
    ``duckdb.Error`` for a lake file that cannot be read, and ``OSError``.
    """
    venues = load_register() if register is None else register
    out_dir.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=out_dir, prefix=".report-") as name,
        without_collection(),
        _process(findings) as process,
    ):
        scratch = Path(name)
        with (
            open_lake(
                lake_root, scope, venues, scratch / "spill", header.number, dispositions, aside
            ) as lake,
            _writing_workbook(scratch / WORKBOOK_NAME, lake, venues, process) as workbook,
        ):
            gathered = lake.gathered()
            workbook.add_exceptions(gathered.of_finding)
            figures = lake.figures()
            workbook.add_figures(figure_rows(figures))
            causes = gathered.causes()
            workbook.add_causes(causes)
            workbook.close()
            made = ReportFiles(
                html=out_dir / "report.html",
                csv=out_dir / "exceptions.csv",
                xlsx=out_dir / WORKBOOK_NAME,
                json=out_dir / "summary.json",
                causes=out_dir / CAUSES_NAME,
                causes_csv=out_dir / "causes.csv",
                found=causes,
            )
            write_page(scratch / made.html.name, lake, figures, causes, header, venues)
            write_exceptions_csv(scratch / made.csv.name, lake, causes, venues)
            write_causes(scratch / made.causes.name, causes, venues)
            write_causes_csv(scratch / made.causes_csv.name, causes, venues)
            write_summary(scratch / made.json.name, figures, causes, header, venues)
        for path in made.paths:
            (scratch / path.name).replace(path)
    return made


@contextmanager
def _process(findings: int) -> Iterator[Workers | None]:
    """For the workbook of many findings a process of its own, which loads while the lake is opened."""
    if findings < APART_FROM or processors() == 1:
        yield None
        return
    with Workers(1) as process:
        process.give(loaded)
        yield process


@contextmanager
def _writing_workbook(
    path: Path, lake: ScopedLake, register: Register, process: Workers | None
) -> Iterator[ExceptionsWorkbook | _Apart]:
    """Begin the workbook, in a process of its own, where there is one, beside what is done meanwhile."""
    if process is None:
        yield ExceptionsWorkbook(path, lake, register)
        return
    kept = path.parent / "kept"
    kept.mkdir()
    rows = lake.keep(kept, WORKBOOK_EXCEPTIONS, SHEET_ROWS)
    apart = _Apart(process, partial(ExceptionsWorkbook, path, rows, register))
    yield apart
    apart.wait()


class _Apart:
    """A workbook that a process of its own writes, step by step as `ExceptionsWorkbook`."""

    def __init__(self, process: Workers, begin: Callable[[], ExceptionsWorkbook]) -> None:
        self._process = process
        self._begin = begin
        self._steps: list[tuple[Step, tuple[Any, ...]]] = []
        self._given = [process.give(begin_workbook, begin, AHEAD)]

    def add_exceptions(self, of_finding: Mapping[int, str]) -> None:
        self._do(ExceptionsWorkbook.add_exceptions, of_finding)

    def add_figures(self, rows: FigureRows) -> None:
        self._do(ExceptionsWorkbook.add_figures, rows)

    def add_causes(self, causes: Causes) -> None:
        self._do(ExceptionsWorkbook.add_causes, causes)

    def close(self) -> None:
        self._do(ExceptionsWorkbook.close)

    def _do(self, step: Step, *what: Any) -> None:
        self._steps.append((step, what))
        self._given.append(self._process.give(go_on, step, *what))

    def wait(self) -> None:
        """Wait until it is written; should the process be killed, write it here."""
        try:
            for each in self._given:
                each.result()
        except WorkerKilled:
            # Perhaps the memory was not enough for both at a time.
            workbook = self._begin()
            for step, what in self._steps:
                step(workbook, *what)


_begun: list[ExceptionsWorkbook] = []
"""In a process of its own, the workbook that it has begun."""


def loaded() -> None:
    """In a process of its own, have loaded what it takes."""


def begin_workbook(begin: Callable[[], ExceptionsWorkbook], ahead: int) -> None:
    """In a process of its own, begin a workbook and make so many exceptions ready."""
    workbook = begin()
    workbook.make_ready(ahead)
    _begun.append(workbook)


def go_on(step: Step, *what: Any) -> None:
    """In that process, go on with it."""
    step(_begun[-1], *what)
