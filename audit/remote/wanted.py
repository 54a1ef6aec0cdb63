"""Which files of a lake a command needs, so that a new working copy begins with those alone.

What is left out must not be able to change what a command says. Where that is not certain, the
whole lake is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath
from typing import Any, Final

from audit.layout import EVIDENCE, TABLES, Partition, partition_named
from audit.partitions import Choice

_LEDGER = "ledger"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Some files of a lake: whether a place is one of them. ``catalogue`` is what to call the
    catalogue of a lake that has only these, None where none is needed.
    """

    has: Callable[[str], bool]
    catalogue: str | None = None


EVERYTHING: Final = Wanted(lambda place: True)


def tables(names: Iterable[str], catalogue: str | None = None) -> Wanted:
    """Whole tables and the ledgers."""
    folders = {*names, _LEDGER}
    return Wanted(lambda place: place.partition("/")[0] in folders, catalogue)


def partitions(choice: Choice, whole: Iterable[str] = ()) -> Wanted:
    """Some partitions of every table, some tables whole, and the ledgers."""
    folders = {*whole, _LEDGER}

    def has(place: str) -> bool:
        if place.partition("/")[0] in folders:
            return True
        partition = partition_at(place)
        return partition is not None and choice.has(partition)

    return Wanted(has)


def partition_at(place: str, among: Iterable[str] = TABLES) -> Partition | None:
    """The partition of a table, one of some, that a place is in; None for what is of none."""
    table, *folders = PurePosixPath(place).parts[:-1] or ("",)
    if table not in among or len(folders) != 2:
        return None
    return partition_named(*folders)


def wanted_by(command: str, options: Mapping[str, Any]) -> Wanted:
    """What a command needs at first; ``options`` are those of the command line, by parameter."""
    venue = options.get("venue")
    match command:
        case "status":
            return tables(())
        case "disposition" | "dispositions":
            return tables(("changes",))
        case "ingest" | "tournament" | "book":
            return tables(EVIDENCE)
        case "explain" | "counterfactual" if not venue:
            return tables(EVIDENCE)
        case "explain" | "counterfactual":
            return partitions(Choice(venues=_named(venue)))
        case "export" if venue:
            return partitions(Choice(venues=_named(venue)), ("changes",))
        case "query":
            return _asked(options)
        case "run":
            # It replaces folders of the report as a whole.
            return partitions(choice_of(options), ("report",))
        case _:
            return EVERYTHING


def choice_of(options: Mapping[str, Any]) -> Choice:
    """The partitions chosen on the command line of a run."""
    on: date | None = options.get("on")
    return Choice(
        venues=_named(options.get("venue")),
        since=on or options.get("since"),
        until=on or options.get("until"),
    )


def _named(venue: str | list[str] | None) -> tuple[str, ...]:
    return (venue,) if isinstance(venue, str) else tuple(venue or ())


# --- queries ---------------------------------------------------------------------------------

_BY_NAME = re.compile(r"query|query_table|glob|lake_root|\w*read_\w+|\w*scan\w*|parquet_\w+|sniff_\w+")
"""Functions that may read a table whose name does not stand in the query."""

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def _asked(options: Mapping[str, Any]) -> Wanted:
    named = None if options.get("unsafe") else tables_in(options.get("sql") or "")
    if named is None:
        return Wanted(EVERYTHING.has, "everything")
    return tables(named, " ".join(sorted(named)))


def tables_in(sql: str) -> frozenset[str] | None:
    """The tables that a query names, through views and macros too; None where it may read any."""
    from audit.catalog import definitions

    words = _words(sql)
    if not words or any(map(_BY_NAME.fullmatch, words)):
        return None
    if any("/" in quoted or "*" in quoted for quoted in _QUOTED.findall(sql)):
        return None
    defined = {name.lower(): _words(text) for name, text in definitions().items()}
    known: set[str] = set()
    new = words
    while new:
        known |= new
        new = {word for name in new for word in defined.get(name, ())} - known
    return frozenset(table for table in TABLES if table in known)


def _words(text: str) -> set[str]:
    return {*re.findall(r"\w+", text.lower())}
