"""The options that several commands have, and the words that they may be given."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

KEY_VARIABLE = "PONTOON_AUDIT_KEY"
"""Environment variable that names the key to sign with where --sign does not."""


class FailOn(StrEnum):
    """From which severity on findings make the exit code 1."""

    breach = "breach"
    procedure = "procedure"
    ambiguous = "ambiguous"
    indeterminate = "indeterminate"
    notice = "notice"
    never = "never"


class Format(StrEnum):
    """How findings and rows are printed."""

    table = "table"
    jsonl = "jsonl"
    csv = "csv"


class CheckFormat(StrEnum):
    """How ``check`` prints."""

    table = "table"
    jsonl = "jsonl"
    csv = "csv"
    sarif = "sarif"
    junit = "junit"


class UnusualOn(StrEnum):
    """Whether ``surveil`` ends with 1 where something is unusual."""

    unusual = "unusual"
    never = "never"


class LogFormat(StrEnum):
    """How what goes to standard error is said: to people, or to machines."""

    text = "text"
    json = "json"


class EngineName(StrEnum):
    """Where a run replays its partitions."""

    local = "local"
    dask = "dask"
    spark = "spark"


class Made(StrEnum):
    """What somebody made of a finding; ``open`` takes it back."""

    confirmed = "confirmed"
    explained = "explained"
    false_positive = "false-positive"
    open = "open"


class Faults(StrEnum):
    """Which faults ``sample`` puts in."""

    none = "none"
    realistic = "realistic"
    all = "all"


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"expected a date such as 2019-03-01, got {text!r}") from None


def date_option(name: str, text: str) -> Any:
    """An option that is a day."""
    return typer.Option(name, help=text, metavar="DATE", parser=_day)


Files = Annotated[
    list[str], typer.Argument(metavar="FILE...", help="Round logs: files, folders, patterns, or - for stdin.")
]
TournamentFiles = Annotated[
    list[str],
    typer.Argument(metavar="FILE...", help="Tournament logs: files, folders, patterns, or - for stdin."),
]
BookFiles = Annotated[
    list[str],
    typer.Argument(metavar="FILE...", help="House books: files, folders, patterns, or - for stdin."),
]
LakeDir = Annotated[
    Path, typer.Option("--lake", metavar="DIR", help="Folder of the lake, or s3://BUCKET/PREFIX.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
FailOnOption = Annotated[FailOn, typer.Option("--fail-on", help="Severity from which the exit code is 1.")]
Venues = Annotated[
    Path | None,
    typer.Option("--venues", metavar="FILE", help="Venue register to use instead of the shipped one."),
]
Readings = Annotated[
    list[str] | None,
    typer.Option(
        "--reading", metavar="ID=VALUE", help="Answer to an open question of the rulebooks; repeatable."
    ),
]
MappingFile = Annotated[
    str | None,
    typer.Option(
        "--mapping", metavar="MAPPING", help="Read a vendor's files by this mapping: a file or a shipped id."
    ),
]
OnDate = Annotated[date | None, date_option("--date", "Only this gaming date.")]
Since = Annotated[date | None, date_option("--since", "This gaming date and later.")]
Until = Annotated[date | None, date_option("--until", "This gaming date and earlier.")]
Venue = Annotated[
    list[str] | None, typer.Option("--venue", metavar="VENUE", help="Only this venue; repeatable.")
]
Sign = Annotated[
    Path | None,
    typer.Option(
        "--sign",
        metavar="KEY.pem",
        envvar=KEY_VARIABLE,
        help="Private key to sign with; `keygen` makes one.",
    ),
]
PublicKey = Annotated[
    Path | None,
    typer.Option("--key", metavar="PUBLIC.pem", help="Public key with which everything has to be signed."),
]
ReportDir = Annotated[
    Path | None,
    typer.Option("--report-dir", metavar="DIR", help="Where the report goes; LAKE/report unless given."),
]


def _output(name: str, text: str) -> Any:
    return typer.Option(name, metavar="FILE", help=text)


MetricsFile = Annotated[Path | None, _output("--metrics-file", "Write metrics for Prometheus here.")]
LineageFile = Annotated[Path | None, _output("--lineage-file", "Add OpenLineage events here, one a line.")]
SarifFile = Annotated[Path | None, _output("--sarif", "Write the findings as SARIF 2.1.0 here.")]
JunitFile = Annotated[Path | None, _output("--junit", "Write the findings as JUnit XML here.")]
BookId = Annotated[str, typer.Argument(metavar="RULEBOOK", help="Such as act-2018; `rules list` names them.")]
