"""``rules``: the law as the program holds it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from audit.commands.show import show_lines, show_table
from audit.errors import UsageProblem
from rules_replay.checks import catalogue
from rules_replay.log import Amount, amount_text
from rules_replay.rulebook import Reading, Rulebook, TermValue, load_rulebook, rulebook_ids
from rules_replay.venues import Register


def held(rulebook: str) -> Rulebook:
    """A rulebook by its id; raises `UsageProblem` naming those held."""
    if rulebook not in rulebook_ids():
        raise UsageProblem(f"rulebook {rulebook!r} is not held; held are {', '.join(rulebook_ids())}")
    return load_rulebook(rulebook)


def value_text(value: TermValue) -> str:
    """A term's value as the rulebooks write it: odds ``3:2``, amounts in currency units."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Fraction):
        return f"{value.numerator}:{value.denominator}"
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return amount_text(value) if isinstance(value, Amount) else str(value)


def listed(register: Register) -> dict[str, Any]:
    """Every rulebook held, with the venues and the instants between which it was in force."""
    return {"rulebooks": [_listed(load_rulebook(each), register) for each in rulebook_ids()]}


def _listed(book: Rulebook, register: Register) -> dict[str, Any]:
    return {
        **_head(book),
        "in_force": [
            {
                "venue": venue.id,
                "since": window.since.isoformat(),
                "until": None if window.until is None else window.until.isoformat(),
                "readings": dict(window.readings),
                "note": window.note,
            }
            for venue in register.venues.values()
            for window in venue.windows
            if window.rulebook == book.id
        ],
    }


def _head(book: Rulebook) -> dict[str, Any]:
    return {
        "id": book.id,
        "title": book.title,
        "instrument": book.instrument,
        "source": book.source,
        "since": book.since.isoformat(),
        "checked_on": book.checked_on.isoformat(),
        "sha256": book.digest,
    }


def shown(book: Rulebook) -> dict[str, Any]:
    """One rulebook: what fixes it, and every term with its clause."""
    return {
        **_head(book),
        "terms": [
            {"term": name, "value": value_text(term.value), "clause": term.clause, "note": term.note}
            for name, term in sorted(book.terms.items())
        ],
    }


def readings(book: Rulebook) -> dict[str, Any]:
    """The open questions of a rulebook, each with its default and what else could be argued."""
    return {
        "id": book.id,
        "readings": [
            {
                "id": reading.id,
                "question": reading.question,
                "default": reading.default,
                "alternatives": list(reading.alternatives),
                "clause": reading.clause,
                "reason": reading.reason,
            }
            for _, reading in sorted(book.readings.items())
        ],
    }


def clauses(book: Rulebook) -> dict[str, Any]:
    """The clause behind every check, every way a wager can end, and every irregularity."""
    checks = [
        {
            "check": check.code,
            "severity": check.severity,
            "clause": book.clauses[check.code],
            "needs": check.needs,
            "meaning": check.meaning,
        }
        for check in catalogue().values()
    ]
    return {
        "id": book.id,
        "checks": checks,
        "outcomes": dict(book.outcomes),
        "irregularities": dict(book.irregularities),
    }


def differences(one: Rulebook, other: Rulebook) -> dict[str, Any]:
    """The terms and readings in which two rulebooks differ, with the clauses of both."""
    return {
        "rulebooks": [one.id, other.id],
        "terms": [
            {"term": name, one.id: _term(one, name), other.id: _term(other, name)}
            for name in sorted(one.terms.keys() | other.terms.keys())
            if _value(one, name) != _value(other, name)
        ],
        "readings": [
            {
                "reading": name,
                "question": one.readings[name].question,
                one.id: _answers(one.readings[name]),
                other.id: _answers(other.readings[name]),
            }
            for name in sorted(one.readings)
            if _arguable(one.readings[name]) != _arguable(other.readings[name])
        ],
    }


def _value(book: Rulebook, name: str) -> str | None:
    return value_text(book.terms[name].value) if name in book.terms else None


def _term(book: Rulebook, name: str) -> dict[str, str] | None:
    value = _value(book, name)
    return None if value is None else {"value": value, "clause": book.terms[name].clause}


def _arguable(reading: Reading) -> tuple[str, frozenset[str]]:
    return reading.default, frozenset(reading.alternatives)


def _answers(reading: Reading) -> dict[str, Any]:
    return {
        "default": reading.default,
        "alternatives": list(reading.alternatives),
        "clause": reading.clause,
    }


# --- for people ----------------------------------------------------------------------------


def show_list(found: dict[str, Any]) -> None:
    """`listed` as a table."""
    show_table(
        ("rulebook", "title", "venue", "in force since", "until", "why these days"),
        (
            (book["id"], book["title"], each["venue"], each["since"], each["until"], each["note"])
            for book in found["rulebooks"]
            for each in book["in_force"] or [dict.fromkeys(("venue", "since", "until", "note"))]
        ),
    )


def show_rulebook(found: dict[str, Any]) -> None:
    """`shown` as a heading and a table."""
    show_lines(
        (
            f"{found['id']}: {found['title']}",
            f"{found['instrument']}; {found['source']}",
            f"In force since {found['since']}, last checked against the text on {found['checked_on']}.",
        )
    )
    show_table(
        ("term", "value", "clause", "note"),
        ((each["term"], each["value"], each["clause"], each["note"]) for each in found["terms"]),
    )


def show_readings(found: dict[str, Any]) -> None:
    """`readings` as a table."""
    show_table(
        ("reading", "question", "default", "alternatives", "clause", "why"),
        (
            (
                each["id"],
                each["question"],
                each["default"],
                ", ".join(each["alternatives"]),
                each["clause"],
                each["reason"],
            )
            for each in found["readings"]
        ),
    )


def show_clauses(found: dict[str, Any]) -> None:
    """`clauses` as tables."""
    show_table(
        ("check", "severity", "clause", "cannot do without", "meaning"),
        (
            (each["check"], each["severity"], each["clause"], each["needs"], each["meaning"])
            for each in found["checks"]
        ),
    )
    show_table(("how a wager ends", "clause"), found["outcomes"].items())
    show_table(("irregularity reported", "clause"), found["irregularities"].items())


def show_differences(found: dict[str, Any]) -> None:
    """`differences` as two tables."""
    one, other = found["rulebooks"]
    show_table(
        ("term", one, "clause", other, "clause"),
        ((each["term"], *_pair(each[one]), *_pair(each[other])) for each in found["terms"]),
    )
    show_table(
        ("reading", one, "clause", other, "clause"),
        ((each["reading"], *_argued(each[one]), *_argued(each[other])) for each in found["readings"]),
    )


def _pair(term: dict[str, str] | None) -> tuple[str, str]:
    return ("not in it", "") if term is None else (term["value"], term["clause"])


def _argued(answers: dict[str, Any]) -> tuple[str, str]:
    more = f" (or {', '.join(answers['alternatives'])})" if answers["alternatives"] else ""
    return f"{answers['default']}{more}", answers["clause"]
