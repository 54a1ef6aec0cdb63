"""``mapping``: how vendors' logs become rounds."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from audit.cli.app import for_people, group
from audit.cli.options import Json, Venues
from audit.exit_codes import DONE, INCOMPLETE

mappings = group("mapping", "How vendors' logs become rounds.")

MappingName = Annotated[str, typer.Argument(metavar="MAPPING", help="A mapping's file, or a shipped id.")]


@mappings.command("list")
@for_people
def mapping_list(as_json: Json = False) -> int:
    """The mappings that come with the program."""
    from audit.commands.mapping import listed, show_listed
    from audit.commands.show import show_json

    if as_json:
        show_json({"mappings": listed()})
    else:
        show_listed(listed())
    return DONE


@mappings.command("show")
@for_people
def mapping_show(mapping: MappingName, as_json: Json = False) -> int:
    """The text of a mapping that is in order, to be copied and adapted.

    With --json what it says, and the checks that it cannot support.
    """
    from audit.commands.mapping import described, text_of
    from audit.commands.show import show_json
    from audit.mapping.model import load_mapping

    if as_json:
        show_json(described(load_mapping(mapping)))
    else:
        sys.stdout.write(text_of(mapping))
    return DONE


@mappings.command("schema")
@for_people
def mapping_schema(as_json: Json = False) -> int:
    """The JSON Schema of a mapping file, for editors; it is JSON with or without --json."""
    from audit.commands.show import show_json
    from audit.mapping.model import schema

    show_json(schema())
    return DONE


@mappings.command("test")
@for_people
def mapping_test(
    mapping: MappingName,
    samples: Annotated[
        list[str], typer.Argument(metavar="SAMPLE...", help="The vendor's files, folders or patterns.")
    ],
    rounds: Annotated[int, typer.Option("--rounds", min=0, help="How many rounds to show.")] = 3,
    venues: Venues = None,
    as_json: Json = False,
) -> int:
    """What a mapping makes of a sample: the first rounds, what is not mapped, what cannot be checked."""
    from audit.commands.mapping import show_tried, tried
    from audit.commands.show import show_json
    from audit.law import load_law
    from audit.mapping.model import load_mapping

    done = tried(load_mapping(mapping), samples, load_law(venues), rounds)
    if as_json:
        show_json(done.as_json())
    else:
        show_tried(done)
    return INCOMPLETE if done.refused else DONE
