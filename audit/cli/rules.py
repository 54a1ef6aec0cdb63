"""``rules``: the law as the program holds it."""

from __future__ import annotations

from typing import Annotated

import typer

from audit.cli.app import for_people, group
from audit.cli.options import BookId, Json, Readings, Venues
from audit.errors import UsageProblem
from audit.exit_codes import DONE, FOUND

rules = group("rules", "The law as the program holds it.")


@rules.command("list")
@for_people
def rules_list(venues: Venues = None, as_json: Json = False) -> int:
    """The rulebooks held, and where and when each was in force."""
    from audit.commands.rules import listed, show_list
    from audit.commands.show import show_json
    from audit.law import load_law

    (show_json if as_json else show_list)(listed(load_law(venues).register))
    return DONE


@rules.command("show")
@for_people
def rules_show(rulebook: BookId, as_json: Json = False) -> int:
    """Every term of a rulebook with its clause."""
    from audit.commands.rules import held, show_rulebook, shown
    from audit.commands.show import show_json

    (show_json if as_json else show_rulebook)(shown(held(rulebook)))
    return DONE


@rules.command("clauses")
@for_people
def rules_clauses(
    named: Annotated[
        str | None, typer.Argument(metavar="RULEBOOK", help="Such as act-2018; `rules list` names them.")
    ] = None,
    rulebook: Annotated[
        str | None, typer.Option("--rulebook", metavar="RULEBOOK", help="The same, as an option.")
    ] = None,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Only what a log could show and no check covers.")
    ] = False,
    by_check: Annotated[
        bool, typer.Option("--by-check", help="The clause behind every check, outcome and irregularity.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Every clause of a rulebook, with the checks that hold it.

    Or the reason why there is none.
    """
    from audit.commands import rules as law
    from audit.commands.show import show_json

    if named is not None and rulebook not in (None, named):
        raise UsageProblem(f"two rulebooks named: {named} and {rulebook}; name one")
    if unchecked and by_check:
        raise UsageProblem("--unchecked lists clauses and --by-check lists checks; give one of them")
    book = law.held(named or rulebook)
    if by_check:
        (show_json if as_json else law.show_by_check)(law.by_check(book))
    else:
        (show_json if as_json else law.show_clauses)(law.clauses(book, unchecked=unchecked))
    return DONE


@rules.command("readings")
@for_people
def rules_readings(
    rulebook: Annotated[
        str | None, typer.Argument(metavar="[RULEBOOK]", help="Such as act-2018; all unless given.")
    ] = None,
    reading: Readings = None,
    as_json: Json = False,
) -> int:
    """The questions that a rulebook leaves open, or those of every rulebook.

    Each with the answer in force, the default, the alternatives, the clause and the reason.
    """
    from audit.commands.rules import all_readings, held, readings, show_readings
    from audit.commands.show import show_json
    from audit.law import load_law
    from rules_replay.rulebook import READINGS
    from rules_replay.tournament import answers

    chosen = load_law(None, reading or (), {**READINGS, **answers()}).readings
    found = all_readings(chosen) if rulebook is None else readings(held(rulebook), chosen)
    if as_json:
        show_json(found)
    else:
        for book in found["rulebooks"] if rulebook is None else (found,):
            show_readings(book)
    return DONE


@rules.command("diff")
@for_people
def rules_diff(one: BookId, other: BookId, as_json: Json = False) -> int:
    """Where two rulebooks differ.

    Terms, readings and the clauses of each check; between editions of one text also the
    clauses that are new, gone, changed or renumbered, and numbers that mean another rule now.
    """
    from audit.commands.rules import differences, held, show_differences
    from audit.commands.show import show_json

    (show_json if as_json else show_differences)(differences(held(one), held(other)))
    return DONE


@rules.command("lint")
@for_people
def rules_lint(
    rulebooks: Annotated[
        list[str] | None, typer.Argument(metavar="[RULEBOOK...]", help="All that are held unless named.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Whether exactly one payout row applies to every hand that can win.

    Every final hand is enumerated and held against the rows as printed and against the
    engine; the exit code is 1 where a gap, an overlap or a row that nothing reaches is found.
    """
    from audit.commands.lint import lint, lint_json, show_lint
    from audit.commands.show import show_json

    found = lint(rulebooks or ())
    if as_json:
        show_json(lint_json(found))
    else:
        show_lint(found)
    return DONE if all(each.sound for each in found) else FOUND
