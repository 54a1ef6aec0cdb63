"""``sample-review``: rounds for a person to check against the cameras."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from audit.cli.app import for_people, group
from audit.cli.lakes import choice_of, there
from audit.cli.options import Json, LakeDir, OnDate, Since, Until, Venue, Venues
from audit.exit_codes import DONE

review = group("sample-review", "Rounds for a person to check against the cameras.")


@review.command("draw")
@for_people
def review_draw(
    lake: LakeDir,
    rounds: Annotated[int, typer.Option("--rounds", min=1, metavar="N", help="Rounds to draw.")],
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="The same seed draws the same rounds.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Worksheet to write, .xlsx or .csv.")],
    on: OnDate = None,
    since: Since = None,
    until: Until = None,
    venue: Venue = None,
    venues: Venues = None,
    as_json: Json = False,
) -> int:
    """Draw rounds into a worksheet, more of those with risk or much money on them.

    docs/sample-review.md says how they are drawn and how the worksheet is filled in.
    """
    from audit.commands.review import draw_worksheet, drawn_json, show_drawn
    from audit.commands.show import show_json
    from audit.lake import Lake
    from audit.law import load_law

    choice = choice_of(on, since, until, venue)
    drawn = draw_worksheet(Lake(there(lake)), load_law(venues), choice, rounds, seed, out)
    if as_json:
        show_json(drawn_json(drawn, out))
    else:
        show_drawn(drawn, out)
    return DONE


@review.command("conclude")
@for_people
def review_conclude(
    worksheet: Annotated[Path, typer.Argument(metavar="WORKSHEET", help="Worksheet with its answers.")],
    lake: LakeDir,
    confidence: Annotated[str, typer.Option("--confidence", metavar="SHARE", help="Confidence.")] = "0.95",
    under: Annotated[
        str, typer.Option("--under", metavar="RATE", help="How many more rounds bring it to this rate?")
    ] = "0.01",
    as_json: Json = False,
) -> int:
    """How often the log can at most differ from what happened, by the answers of a worksheet.

    The sample is drawn again from the lake and must be the one in the worksheet. Exit code 1 where
    the log differs in any round, 3 where an answer is missing.
    """
    from audit.commands.review import conclude_from, exit_code_of, show_conclusion
    from audit.commands.show import show_json
    from audit.lake import Lake

    found = conclude_from(worksheet, Lake(there(lake)), confidence, under)
    if as_json:
        show_json(found.as_json())
    else:
        show_conclusion(found)
    return exit_code_of(found)
