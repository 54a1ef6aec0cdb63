"""One round or many looked into: ``explain``, ``counterfactual``, ``query``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from audit.cli.app import app, for_people
from audit.cli.lakes import choice_of, mapped_once, there
from audit.cli.options import (
    Format,
    Json,
    LakeDir,
    MappingFile,
    OnDate,
    Readings,
    Since,
    Until,
    Venue,
    Venues,
)
from audit.errors import UsageProblem
from audit.exit_codes import DONE, INCOMPLETE


@app.command()
@for_people
def explain(
    round_id: Annotated[str, typer.Argument(metavar="ROUND", help="Id of the round.")],
    file: Annotated[
        list[str] | None, typer.Option("--file", metavar="FILE", help="Round log that has it; repeatable.")
    ] = None,
    lake: Annotated[Path | None, typer.Option("--lake", metavar="DIR", help="Lake that has it.")] = None,
    venue: Annotated[
        str | None, typer.Option("--venue", metavar="VENUE", help="Its venue, where several have the id.")
    ] = None,
    level: Annotated[int, typer.Option("--level", min=1, max=3, help="1 short, 2 step by step, 3 all.")] = 2,
    mapping: MappingFile = None,
    venues: Venues = None,
    reading: Readings = None,
    as_json: Json = False,
) -> int:
    """One round step by step, with clauses and amounts."""
    from audit.commands.explaining import explain_from_files, explain_from_lake
    from audit.commands.mapping import chosen
    from audit.commands.show import show_explanation, show_json
    from audit.lake import Lake
    from audit.law import load_law

    if bool(file) == (lake is not None):
        raise UsageProblem("name where the round is: either --file FILE or --lake DIR")
    mapped_once(mapping, lake)
    law = load_law(venues, reading or ())
    if lake is not None:
        told = explain_from_lake(round_id, Lake(there(lake)), law, level, venue)
    else:
        told = explain_from_files(round_id, file or [], law, level, venue, chosen(mapping))
    if as_json:
        show_json(told.as_json())
    else:
        show_explanation(told)
    return DONE


@app.command()
@for_people
def counterfactual(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE...]", help="Round logs: files, folders, patterns, or - for stdin."),
    ] = None,
    lake: Annotated[
        Path | None, typer.Option("--lake", metavar="DIR", help="Lake to take rounds of.")
    ] = None,
    under: Annotated[
        str | None, typer.Option("--under", metavar="RULEBOOK", help="The other rulebook; none: as in force.")
    ] = None,
    reading: Readings = None,
    on: OnDate = None,
    since: Since = None,
    until: Until = None,
    venue: Venue = None,
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.table,
    mapping: MappingFile = None,
    venues: Venues = None,
    as_json: Json = False,
) -> int:
    """Settle recorded rounds as played under another rulebook or reading.

    Lists the rounds, wagers and money that would change, what was done that the other
    rulebook would not allow, and counts what it cannot fix. --reading answers open
    questions of the other side only.
    """
    from audit.commands.counterfactual import Compare, show_comparison
    from audit.commands.mapping import chosen
    from audit.lake import Lake
    from audit.law import load_law

    if bool(files) == (lake is not None):
        raise UsageProblem("name where the rounds are: either FILE... or --lake DIR")
    mapped_once(mapping, lake)
    choice = choice_of(on, since, until, venue)
    if files and (on or since or until or venue):
        raise UsageProblem(
            "--date, --since, --until and --venue choose rounds of a lake; name one with --lake"
        )
    compare = Compare(load_law(venues, reading or ()), under)
    if lake is not None:
        items = compare.lake(Lake(there(lake)), choice)
    else:
        items = compare.files(files or [], chosen(mapping))
    show_comparison(compare, items, "json" if as_json else form.value)
    return DONE if compare.summary.complete else INCOMPLETE


@app.command()
@for_people
def query(
    lake: LakeDir,
    sql: Annotated[
        str | None, typer.Argument(metavar="[SQL]", help="A query; stdin or a prompt unless given.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.table,
    unsafe: Annotated[
        bool, typer.Option("--unsafe", help="DuckDB without confinement: it may write and read anything.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Ask the catalogue of a lake in SQL.

    The session reads the lake and nothing else, unless --unsafe is given. With --json one query
    at a time.
    """
    from audit.commands.query import Form, answer, open_session, prompt, statements

    how: Form = "json" if as_json else form.value
    with open_session(there(lake), unsafe) as session:
        if sql is None and sys.stdin.isatty():
            prompt(session, how)
            return DONE
        given = statements(sys.stdin.read() if sql is None else sql)
        if as_json and len(given) > 1:
            raise UsageProblem(
                f"--json prints one object, and there are {len(given)} queries; give them one at a time, "
                "or use --format csv or jsonl"
            )
        for statement in given:
            answer(session, statement, how)
    return DONE
