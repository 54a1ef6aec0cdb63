"""Checks of what stands on paper before a tournament: director, documents, conditions."""

from __future__ import annotations

import re

from rules_replay.ledger import Missing
from rules_replay.tournament.law import Edition, Outcome
from rules_replay.tournament.log import Tournament


def named_by_the_shift_manager(held: Tournament, law: Edition) -> Outcome:
    """The Gaming Shift Manager names the tournament director."""
    if held.director is None:
        yield Missing("director")
    elif held.director.named_by != "gaming_shift_manager":
        yield law.fault(
            "tournament.director",
            "named by the Gaming Shift Manager",
            f"{held.director.name} named by somebody else",
        )


def documents_in_time(held: Tournament, law: Edition) -> Outcome:
    """2005: the conditions are approved. 2018: documented, available and notified before any entry."""
    papers = held.documents
    if papers is None:
        yield Missing("documents")
        return
    if law.says("documents") == "approved":
        steps = {"approved": papers.approved_at}
        limit, event = held.held_at, "the tournament"
    else:
        steps = {
            "documented": papers.documented_at,
            "made available": papers.available_at,
            "notified": papers.notified_at,
        }
        limit = min([held.held_at, *(each.at for each in held.entries if each.at is not None)])
        event = "the first entry"
    for clause, (step, at) in zip(law.clauses["tournament.documents"], steps.items(), strict=True):
        if at is None or at > limit:
            yield law.fault(
                "tournament.documents",
                f"conditions {step} before {event}, {limit.isoformat()}",
                f"not {step}" if at is None else f"{step} at {at.isoformat()}",
                clause=clause,
            )


def conditions_complete(held: Tournament, law: Edition) -> Outcome:
    """2018: the conditions state every item of the list that concerns this form of tournament."""
    conditions = held.conditions
    if conditions is None:
        yield Missing("conditions")
        return
    shown: set[str | None] = {None, *(each.stage for each in held.sessions)}
    for session in held.sessions:
        shown.update("elimination" for out in session.eliminations or () if out.reason == "conditions")
    for each in law.items:
        needed = conditions.form in each.forms and each.shown_by in shown
        if needed and each.item not in conditions.stated:
            yield law.fault(
                "tournament.conditions", f"conditions state {each.item}", "not stated", clause=each.clause
            )


def prevailing_text_applied(held: Tournament, law: Edition) -> Outcome:
    """2005: approved conditions prevail over the rules before 20.5. 2018: the rules over the conditions.

    Two readings bear on how far: whether all of section 20 counts as before 20.5, and whether
    it is section 20 alone that prevails in 2018.
    """
    if held.conditions is None:
        return
    for place, each in enumerate(held.conditions.varies):
        in_section_20 = re.match(r"20\.([0-9]+)", each.clause)
        if law.says("prevails") == "rules":
            wrong = each.applied and (in_section_20 is not None or law.reads("the_rules") == "all_rules")
        else:
            after_20_5 = in_section_20 is not None and int(in_section_20[1]) >= 5
            beyond = after_20_5 and law.reads("conditions_reach") == "preceding_paragraphs"
            wrong = each.applied == beyond
        if wrong:
            texts = ("the rule", "the condition") if each.applied else ("the condition", "the rule")
            yield law.fault(
                "tournament.precedence",
                f"played by {texts[0]} where they differ on {each.clause}",
                f"played by {texts[1]}" + (f": {each.says}" if each.says else ""),
                about=f"variation {place}",
            )
