"""One venue's book held against the rulebook in force for each thing in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rules_replay.book.checks import CHECKS
from rules_replay.book.house import House, Subject
from rules_replay.book.law import Edition, catalogue, editions
from rules_replay.book.log import AnyEntry, instant_of
from rules_replay.book.rounds import Dealt
from rules_replay.ledger import Judged, judge
from rules_replay.results import Finding
from rules_replay.venues import Register


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckMade:
    """One check of one thing: ``rulebook`` is None where none was in force."""

    code: str
    rulebook: str | None
    subject: Subject
    judged: Judged


@dataclass(frozen=True, slots=True, kw_only=True)
class BookReplay:
    """What the checks of one venue's book say, in catalogue order."""

    venue: str
    checks: tuple[CheckMade, ...]

    @property
    def findings(self) -> tuple[tuple[CheckMade, Finding], ...]:
        """Every finding with the check that gave it."""
        return tuple((made, found) for made in self.checks for found in made.judged.findings)


def audit_book(entries: Iterable[AnyEntry], rounds: Iterable[Dealt] | None, register: Register) -> BookReplay:
    """Make every check of the entries of one venue, with its rounds; None where none were given.

    Raises ``ValueError`` where the entries are not of exactly one venue.
    """
    listed = tuple(entries)
    (venue,) = {each.venue for each in listed} or {""}
    house = House(venue, listed, rounds, register)
    made = [*_without_law(house, register)]
    for code, check in CHECKS.items():
        for subject in house.subjects(catalogue()[code].subject):
            law = _law_at(register, venue, subject)
            if law is None or code not in law.clauses:
                continue
            outcome = check(subject.held, law, house)
            if outcome is not None:
                made.append(CheckMade(code=code, rulebook=law.id, subject=subject, judged=judge(outcome)))
    return BookReplay(venue=venue, checks=tuple(made))


def _law_at(register: Register, venue: str, subject: Subject) -> Edition | None:
    window = register.window_at(venue, subject.at)
    return None if window is None else editions().get(window.rulebook)


def _without_law(house: House, register: Register) -> Iterator[CheckMade]:
    """Entries on a time at which no rulebook is held are told once, and not audited."""
    bare = [
        (at, entry)
        for entry in house.entries
        if (at := instant_of(entry)) is not None and register.window_at(house.venue, at) is None
    ]
    if not bare:
        return
    at, first = min(bare, key=lambda pair: pair[0])
    finding = Finding(
        code="rulebook.none-in-force",
        severity="notice",
        expected="a rulebook held for the venue at that instant",
        recorded=f"none for {len(bare)} entries, the first {first.entry_id} at {at.isoformat()}",
        clause="venue register",
    )
    yield CheckMade(
        code=finding.code,
        rulebook=None,
        subject=Subject(at=at, table=None, entry_id=first.entry_id, held=first),
        judged=judge(iter([finding])),
    )
