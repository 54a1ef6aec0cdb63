"""Logs for trying things out: ``sample``."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from audit.cli.app import app, for_people
from audit.cli.options import BookId, Faults, Json, date_option
from audit.errors import UsageProblem, storage_error
from audit.exit_codes import DONE


@app.command()
@for_people
def sample(
    rulebook: BookId,
    rounds: Annotated[int, typer.Option("--rounds", min=1, metavar="N", help="Rounds to deal.")] = 100,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The same seed deals the same night.")] = 1,
    faults: Annotated[Faults, typer.Option("--faults", help="Mistakes to put in.")] = Faults.none,
    rate: Annotated[
        float, typer.Option("--rate", min=0, max=1, metavar="SHARE", help="Share of rounds with a mistake.")
    ] = 0.05,
    tables: Annotated[int | None, typer.Option("--tables", min=1, metavar="N", help="Tables open.")] = None,
    on: Annotated[date | None, date_option("--date", "Evening on which the tables open.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="Log to write, .gz or .zst compressed; the truth goes beside it."
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Deal a round log by a rulebook, with or without labelled faults.

    With --out the faults put in are written beside the log, as night.truth for night.jsonl.gz;
    without it the rounds go to standard output.
    """
    from audit.commands.rules import held
    from audit.commands.show import show_json, show_lines
    from audit.results import count
    from data_samples.croupier import deal_night
    from data_samples.write import truth_beside, write_night

    book = held(rulebook).id
    if out is None:
        if as_json:
            raise UsageProblem("--json tells what was written: name the file with --out")
        from audit.ingest.wire import encode_line

        night = deal_night(book, seed, rounds, faults=faults.value, rate=rate, tables=tables, evening=on)
        try:
            for round_, _ in night:
                sys.stdout.buffer.write(encode_line(round_) + b"\n")
        except ValueError as error:
            raise UsageProblem(str(error)) from None
        return DONE
    if out.is_dir():
        raise UsageProblem(f"{out}: a folder, and a log is a file; name one, as {out / 'night.jsonl.gz'}")
    if not out.parent.is_dir():
        raise UsageProblem(f"{out}: there is no folder {out.parent}; make it first")
    # Pipes and devices are written into, and a file that was only made ready for it.
    for path in (out, truth_beside(out)):
        if path.is_file() and path.stat().st_size:
            raise UsageProblem(f"{path}: is there already; name another file with --out")
    try:
        written = write_night(
            out, book, seed, rounds, faults=faults.value, rate=rate, tables=tables, evening=on
        )
    except ValueError as error:
        raise UsageProblem(str(error)) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise storage_error(error, "write the log", out) from None
    found = {
        "log": str(written.path),
        "truth": str(written.truth),
        "rounds": written.rounds,
        "faulty": written.faulty,
    }
    if as_json:
        show_json(found)
    else:
        dealt = f"{count(written.rounds, 'round')}, {written.faulty:,} with a fault"
        show_lines((f"{found['log']}: {dealt}; {found['truth']}",))
    return DONE
