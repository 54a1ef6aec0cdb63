"""Logs and books without a lake: ``check``, ``tournament``, ``book``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from audit.cli.app import app, for_people
from audit.cli.lakes import named_once, say_lakes_among, there
from audit.cli.options import (
    BookFiles,
    CheckFormat,
    FailOn,
    FailOnOption,
    Files,
    Format,
    Json,
    MappingFile,
    Readings,
    TournamentFiles,
    Venues,
)
from audit.exit_codes import exit_code


@app.command()
@for_people
def check(
    files: Files,
    form: Annotated[CheckFormat, typer.Option("--format", help="How to print.")] = CheckFormat.table,
    fail_on: FailOnOption = FailOn.breach,
    venues: Venues = None,
    reading: Readings = None,
    mapping: MappingFile = None,
    as_json: Json = False,
) -> int:
    """Replay round logs and print what is wrong; no lake needed."""
    from audit.check import Check
    from audit.commands.checking import show_check
    from audit.commands.mapping import chosen
    from audit.law import load_law
    from audit.progress import Progress

    say_lakes_among(files)
    quiet = sys.stdout.isatty() and (as_json or form is not CheckFormat.table)
    checked = Check(load_law(venues, reading or ()), None if quiet else Progress(), chosen(mapping))
    show_check(checked, checked.items(files), "json" if as_json else form.value, fail_on.value)
    return exit_code(checked.summary.complete, checked.summary.tally.findings, fail_on.value)


@app.command()
@for_people
def tournament(
    files: TournamentFiles,
    rounds: Annotated[
        list[str] | None,
        typer.Option("--rounds", metavar="FILE", help="Round log of their rounds; repeatable."),
    ] = None,
    lake: Annotated[
        Path | None, typer.Option("--lake", metavar="DIR", help="Lake that has their rounds.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.table,
    fail_on: FailOnOption = FailOn.breach,
    venues: Venues = None,
    reading: Readings = None,
    as_json: Json = False,
) -> int:
    """Hold tournament logs against the rules on tournaments in force.

    With --rounds or --lake their rounds are looked up in the round log as well. What a
    tournament log holds is in docs/tournament-format.md.
    """
    from audit.commands.tournaments import show_tournaments
    from audit.lake import Lake
    from audit.law import load_law
    from audit.progress import Progress
    from audit.tournament_rounds import FiledRounds, LakeRounds, RoundSource
    from audit.tournaments import TournamentAudit
    from rules_replay.tournament import answers

    law = load_law(venues, reading or (), answers())
    named_once(rounds, lake)
    say_lakes_among(files)
    source: RoundSource | None = None
    if rounds:
        quiet = sys.stdout.isatty() and (as_json or form is not Format.table)
        source = FiledRounds(rounds, None if quiet else Progress())
    elif lake is not None:
        source = LakeRounds(Lake(there(lake)))
    held = TournamentAudit(law, source)
    show_tournaments(held, held.items(files), "json" if as_json else form.value)
    return exit_code(held.summary.complete, held.summary.findings, fail_on.value)


@app.command()
@for_people
def book(
    files: BookFiles,
    rounds: Annotated[
        list[str] | None,
        typer.Option("--rounds", metavar="FILE", help="Round logs dealt at the time; repeatable."),
    ] = None,
    lake: Annotated[
        Path | None, typer.Option("--lake", metavar="DIR", help="Lake to take the rounds of.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.table,
    fail_on: FailOnOption = FailOn.breach,
    venues: Venues = None,
    as_json: Json = False,
) -> int:
    """Hold house books against the rulebook in force, with the rounds that they are about.

    What a house book holds is in docs/book-format.md.
    """
    from audit.books import BookAudit
    from audit.commands.books import show_books
    from audit.lake import Lake
    from audit.law import load_law

    named_once(rounds, lake)
    say_lakes_among(files)
    held = BookAudit(load_law(venues))
    of_lake = None if lake is None else Lake(there(lake))
    show_books(held, held.items(files, rounds or (), of_lake), "json" if as_json else form.value)
    return exit_code(held.summary.complete, held.summary.findings, fail_on.value)
