"""The exception report: a page to read, tables to sort, totals for machines.

`write_report` reads the chosen partitions of a lake and writes ``report.html``,
``exceptions.csv``, ``exceptions.xlsx`` and ``summary.json``.
"""

from audit.report.model import Aside, ReportFiles, ReportScope, RunHeader
from audit.report.write import write_report

__all__ = ["Aside", "ReportFiles", "ReportScope", "RunHeader", "write_report"]
