"""``query``: SQL over the catalogue, one query, a script, or a prompt."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import duckdb
import msgspec

from audit.catalog import RefusedStatement, open_read_only
from audit.commands.show import show_table
from audit.errors import LakeError, UsageProblem
from audit.observe.log import say

Form: TypeAlias = Literal["table", "csv", "jsonl", "json"]

SHOWN = 1000
"""Rows in the table for people; all of them are in the other formats."""

_BATCH = 10_000
_PROMPT = "pontoon> "
_MORE = "    ...> "


class Session(Protocol):
    """What runs a query: the confined session, or DuckDB itself under ``--unsafe``."""

    def run(self, query: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query; `columns` names their columns."""
        ...

    @property
    def columns(self) -> tuple[str, ...]: ...


class _Confined:
    def __init__(self, path: Path) -> None:
        self._session = open_read_only(path)

    def run(self, query: str) -> Iterator[tuple[Any, ...]]:
        try:
            self._session.execute(query)
        except (duckdb.CatalogException, duckdb.PermissionException) as error:
            if isinstance(error, duckdb.CatalogException) and "Table with name" not in str(error):
                raise
            # What DuckDB holds of itself is no better guess for a file.
            told = re.sub(r'\nDid you mean "(pg_|duckdb_|sqlite_|information_schema).*', "", _message(error))
            told += "\nOnly the lake can be read; SHOW TABLES lists its views"
            raise RefusedStatement(told) from None
        while rows := self._session.fetchmany(_BATCH):
            yield from rows

    @property
    def columns(self) -> tuple[str, ...]:
        return self._session.column_names

    def close(self) -> None:
        self._session.close()


class _Unconfined:
    def __init__(self, path: Path) -> None:
        self._connection = duckdb.connect(str(path))
        self._connection.execute("SET TimeZone = 'UTC'")

    def run(self, query: str) -> Iterator[tuple[Any, ...]]:
        self._connection.execute(query)
        while self._connection.description and (rows := self._connection.fetchmany(_BATCH)):
            yield from rows

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(column[0] for column in self._connection.description or ())

    def close(self) -> None:
        self._connection.close()


@contextmanager
def open_session(lake: Path, unsafe: bool) -> Iterator[Session]:
    """A session on the catalogue of a lake; raises `UsageProblem` where there is none.

    Raises `LakeError` for one that cannot be opened.
    """
    path = lake / "audit.duckdb"
    if not path.is_file():
        raise UsageProblem(f"{path}: no catalogue here; `pontoon-audit run --lake {lake}` builds it")
    try:
        session = _Unconfined(path) if unsafe else _Confined(path)
    except duckdb.Error as error:
        told = str(error).partition("\n")[0]
        raise LakeError(
            f"{path}: the catalogue cannot be opened ({told}); where it is damaged, the next "
            f"`pontoon-audit run --lake {lake}` builds it anew"
        ) from None
    try:
        yield session
    finally:
        session.close()


def statements(text: str) -> list[str]:
    """The statements of a script; raises `UsageProblem` for one that does not parse, or none."""
    try:
        found = [each.query for each in duckdb.extract_statements(text)]
    except duckdb.Error as error:
        raise UsageProblem(_message(error)) from None
    if not found:
        raise UsageProblem("no query given")
    return found


def answer(session: Session, query: str, form: Form) -> None:
    """Run one query and print its rows; raises `UsageProblem` for one that cannot be run."""
    try:
        _print(session, session.run(query), form)
    except (duckdb.Error, RefusedStatement) as error:
        raise UsageProblem(_message(error)) from None


def prompt(session: Session, form: Form) -> None:
    """Read queries from a terminal until the end of input; each ends with a semicolon."""
    import readline  # noqa: F401 - gives the prompt its line editing

    say("Queries end with a semicolon; SHOW TABLES; lists the views; Ctrl-D leaves.", "query.hint")
    held = ""
    while True:
        try:
            held += input(_MORE if held else _PROMPT) + "\n"
        except EOFError:
            print(file=sys.stderr)
            return
        except KeyboardInterrupt:
            print(file=sys.stderr)
            held = ""
            continue
        if not held.strip():
            held = ""
        elif held.rstrip().endswith(";"):
            try:
                for query in statements(held):
                    answer(session, query, form)
            except UsageProblem as problem:
                say(str(problem), "query.refused", "error")
            held = ""


def _message(error: Exception) -> str:
    return str(error).strip().replace("\n\n", "\n")


def _print(session: Session, rows: Iterator[tuple[Any, ...]], form: Form) -> None:
    if form == "table":
        _print_table(session, rows)
    elif form == "csv":
        first = next(rows, None)
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(session.columns)
        writer.writerows(() if first is None else [first])
        writer.writerows(rows)
    elif form == "jsonl":
        for row in rows:
            sys.stdout.write(_json(dict(zip(session.columns, row, strict=True))) + "\n")
    else:
        listed = [list(row) for row in rows]
        sys.stdout.write(_json({"columns": list(session.columns), "rows": listed}) + "\n")


def _print_table(session: Session, rows: Iterator[tuple[Any, ...]]) -> None:
    shown: list[tuple[Any, ...]] = []
    more = False
    for row in rows:
        more = len(shown) == SHOWN
        if more:
            break
        shown.append(row)
    show_table(session.columns, shown)
    if more:
        say(f"Only the first {SHOWN:,} rows are shown; --format csv prints them all.", "query.cut", "warning")


def _json(value: Any) -> str:
    return msgspec.json.encode(value, enc_hook=str).decode()
