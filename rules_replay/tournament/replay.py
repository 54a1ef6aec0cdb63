"""One tournament held against the edition in force at its venue on the day it was held."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec import structs

from rules_replay.ledger import Missing
from rules_replay.results import CoverageRow, Finding
from rules_replay.tournament.checks import TournamentCheck, all_checks
from rules_replay.tournament.law import Edition, Fault, catalogue, editions
from rules_replay.tournament.log import Tournament
from rules_replay.tournament.rounds import LoggedRounds

if TYPE_CHECKING:
    # The register knows the readings of section 20, so it cannot be needed to load them.
    from rules_replay.venues import Register


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentReplay:
    """What the checks of one tournament say; ``rulebook`` is None where none was in force.

    ``coverage`` has a row for every check that concerns the tournament under its edition.
    """

    tournament_id: str
    rulebook: str | None
    findings: tuple[Finding, ...] = ()
    coverage: tuple[CoverageRow, ...] = field(default=(), repr=False)


def audit_tournament(
    held: Tournament,
    register: Register,
    readings: Mapping[str, str] | None = None,
    logged: LoggedRounds | None = None,
) -> TournamentReplay:
    """Make every check of a tournament under the rulebook in force when it was held.

    ``readings`` override both the defaults and the venue's own choices, ``logged`` are the
    rounds of its venue in the round log, None where no round log is at hand. Every breach or
    procedure finding that another reading removes is ambiguous and names that reading.
    """
    window = register.window_at(held.venue, held.held_at)
    if window is None or window.rulebook not in editions():
        return _without_law(held, None if window is None else window.rulebook)
    law = editions()[window.rulebook].with_readings({**window.tournament_readings, **(readings or {})})
    findings: list[Finding] = []
    coverage: list[CoverageRow] = []
    subjects = set(_subjects(held))
    for code, check in all_checks(logged).items():
        if code not in law.clauses or catalogue()[code].subject not in subjects:
            continue
        faults, lacked = _split(check(held, law))
        findings += _with_readings(held, law, check, faults, lacked)
        if faults:
            coverage.append(CoverageRow(code=code, verdict="failed"))
        elif lacked:
            coverage.append(CoverageRow(code=code, verdict="not_evaluable", missing=lacked[0]))
        else:
            coverage.append(CoverageRow(code=code, verdict="passed"))
    return TournamentReplay(
        tournament_id=held.tournament_id, rulebook=law.id, findings=tuple(findings), coverage=tuple(coverage)
    )


def _subjects(held: Tournament) -> Iterator[str]:
    """What a tournament holds that checks are about, in the words of the catalogue."""
    yield "tournament"
    if held.conditions is not None and held.conditions.varies:
        yield "variation"
    if any(each.kind == "reserve" for each in held.entries):
        yield "reserve"
    if held.sessions:
        yield "session"
    if held.cancelled_at is None:
        yield "result"


def _with_readings(
    held: Tournament, law: Edition, check: TournamentCheck, faults: list[Fault], lacked: list[str]
) -> Iterator[Finding]:
    """The findings of a check, ambiguous where another reading positively allows what was recorded."""
    removed: dict[tuple[str, str | None, str], str] = {}
    for reading, other in law.otherwise() if faults else ():
        still, lacked_then = _split(check(held, other))
        if not set(lacked_then) - set(lacked):
            for about in {each.about for each in faults} - {each.about for each in still}:
                removed.setdefault(about, reading)
    for each in faults:
        if each.about in removed and each.finding.severity in ("breach", "procedure"):
            yield structs.replace(each.finding, severity="ambiguous", depends_on=removed[each.about])
        else:
            yield each.finding


def _split(given: Iterator[Fault | Missing]) -> tuple[list[Fault], list[str]]:
    faults: list[Fault] = []
    lacked: list[str] = []
    for each in given:
        if isinstance(each, Fault):
            faults.append(each)
        else:
            lacked.append(each.fact)
    return faults, lacked


def _without_law(held: Tournament, rulebook: str | None) -> TournamentReplay:
    """A tournament that no rules on tournaments govern is reported and not audited."""
    place = f"{held.venue} at {held.held_at.isoformat()}"
    finding = Finding(
        code="rulebook.none-in-force" if rulebook is None else "tournament.no-rules",
        severity="notice",
        expected="a rulebook held for the venue at that instant, with rules on tournaments",
        recorded=f"none for {place}" if rulebook is None else f"{rulebook} for {place} has none",
        clause="venue register",
    )
    return TournamentReplay(
        tournament_id=held.tournament_id,
        rulebook=rulebook,
        findings=(finding,),
        coverage=(CoverageRow(code=finding.code, verdict="failed"),),
    )
