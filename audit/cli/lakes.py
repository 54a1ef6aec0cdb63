"""What commands ask of the lake and the rounds that they are given."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from audit.cli.app import at_hand
from audit.errors import LakeError, UsageProblem

if TYPE_CHECKING:
    from audit.lake import Lake
    from audit.partitions import Choice


def choice_of(on: date | None, since: date | None, until: date | None, venues: list[str] | None) -> Choice:
    """The partitions that dates and venues choose; raises `UsageProblem`."""
    from audit.partitions import Choice

    if on is not None and (since is not None or until is not None):
        raise UsageProblem("--date stands alone; with --since and --until leave it out")
    if since is not None and until is not None and since > until:
        raise UsageProblem(f"--since {since} is after --until {until}")
    return Choice(venues=tuple(venues or ()), since=on or since, until=on or until)


def named_once(rounds: list[str] | None, lake: Path | None) -> None:
    """Refuse rounds that are named in a log and in a lake."""
    if rounds and lake is not None:
        raise UsageProblem("name where the rounds are once: either --rounds FILE or --lake DIR")


def mapped_once(mapping: str | None, lake: Path | None) -> None:
    """Refuse a mapping beside a lake."""
    if mapping is not None and lake is not None:
        raise UsageProblem("--mapping reads a vendor's files; what a lake holds was mapped when it came in")


def say_lakes_among(files: list[str]) -> None:
    """Say which lakes lie where logs are looked for; they are passed over."""
    from audit.ingest.sources import lakes_among, what_audits
    from audit.observe.log import say

    for lake in lakes_among(files):
        say(f"{lake}: a lake, passed over; {what_audits(lake)}", "lake.passed", file=str(lake))


def refuse_file(report_dir: Path | None) -> None:
    """Refuse a file where the folder of the report is to be named."""
    if report_dir is not None and report_dir.exists() and not report_dir.is_dir():
        raise UsageProblem(f"{report_dir}: a file, and a report is a folder; name a folder with --report-dir")


def there(lake: Path) -> Path:
    """A lake that exists; raises `UsageProblem`, and `StorageError` where it may not be read."""
    from audit.lake import Lake

    try:
        Lake(lake).require()
    except LakeError as error:
        raise UsageProblem(str(error)) from None
    return lake


def signed(lake: Path, key: Path | None) -> Lake:
    """A lake to write in, its records signed where a key is named."""
    from audit.lake import Lake
    from audit.observe.log import say
    from audit.premises import open_to_all

    if warning := open_to_all(lake):
        say(warning, "lake.exposed", "warning")
    written = None if at_hand.copy is None else at_hand.copy.publish
    if key is None:
        return Lake(lake, written=written)
    # It takes a tenth of a second to import.
    from audit.signing import load_signer

    return Lake(lake, load_signer(key), written)
