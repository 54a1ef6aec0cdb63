"""``rules``: the law as the program holds it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, get_args

from audit.commands.show import show_lines, show_table
from audit.errors import UsageProblem
from rules_replay.checks import catalogue
from rules_replay.editions import Editions, compare_editions
from rules_replay.log import Amount, amount_text
from rules_replay.matrix import Evidence, citations, known_checks, load_matrix
from rules_replay.matrix import unchecked as without_check
from rules_replay.rulebook import READINGS, Reading, Rulebook, TermValue, load_rulebook, rulebook_ids
from rules_replay.tournament import editions
from rules_replay.venues import Register


def held(rulebook: str | None) -> Rulebook:
    """A rulebook by its id; raises `UsageProblem` naming those held."""
    if rulebook is None:
        raise UsageProblem(f"no rulebook named; held are {', '.join(rulebook_ids())}")
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
                "readings": {**window.readings, **window.tournament_readings},
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


def all_readings(chosen: Mapping[str, str]) -> dict[str, Any]:
    """`readings` of every rulebook."""
    return {"rulebooks": [readings(load_rulebook(each), chosen) for each in rulebook_ids()]}


def readings(book: Rulebook, chosen: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The open questions of a rulebook, each with its answer in force and what else could be argued.

    ``chosen`` answers some of them otherwise than by their default. Those of the rules on
    tournaments stand among the others.
    """
    chosen = chosen or {}
    asked = dict(
        book.with_readings({name: chosen[name] for name in chosen.keys() & READINGS.keys()}).readings
    )
    if book.id in editions():
        asked |= editions()[book.id].with_readings(chosen).readings
    return {
        "id": book.id,
        "readings": [
            {
                "id": reading.id,
                "question": reading.question,
                "value": reading.value,
                "default": reading.default,
                "alternatives": list(reading.alternatives),
                "weaker": list(reading.weaker),
                "clause": reading.clause,
                "reason": reading.reason,
            }
            for _, reading in sorted(asked.items())
        ],
    }


def clauses(book: Rulebook, *, unchecked: bool = False) -> dict[str, Any]:
    """The traceability matrix of a rulebook with its counts; or only what no check covers yet."""
    rows = load_matrix(book.id)
    counts = Counter((row.evidence, row.standing) for row in rows)
    return {
        "id": book.id,
        "counts": {
            evidence: {standing: count for (of, standing), count in sorted(counts.items()) if of == evidence}
            for evidence in get_args(Evidence)
        },
        "clauses": [
            {
                "clause": row.clause,
                "gist": row.gist,
                "evidence": row.evidence,
                "checks": list(row.checks),
                "readings": list(row.readings),
                "standing": row.standing,
                "reason": row.reason,
            }
            for row in (without_check(rows) if unchecked else rows)
        ],
    }


def by_check(book: Rulebook) -> dict[str, Any]:
    """The clause behind every check, every way a wager can end, and every irregularity.

    Checks of tournaments and house books are listed where the rulebook has a clause for them.
    """
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
    cited = citations(book)
    checks += [
        {
            "check": check.code,
            "severity": check.severity,
            "clause": "; ".join(cited[f"clauses.{check.code}"]),
            "needs": check.needs,
            "meaning": check.meaning,
        }
        for check in known_checks().values()
        if check.code not in catalogue() and cited.get(f"clauses.{check.code}")
    ]
    return {
        "id": book.id,
        "checks": checks,
        "outcomes": dict(book.outcomes),
        "irregularities": dict(book.irregularities),
    }


def differences(one: Rulebook, other: Rulebook) -> dict[str, Any]:
    """Where two rulebooks differ: terms, readings, the clause of each check, and the clauses themselves."""
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
        "checks": [
            {"check": code, one.id: one.clauses[code], other.id: other.clauses[code]}
            for code in catalogue()
            if one.clauses[code] != other.clauses[code]
        ],
        "clauses": _editions(one.id, other.id, compare_editions(one.id, other.id)),
    }


def _editions(one: str, other: str, found: Editions) -> dict[str, Any]:
    return {
        "editions_of_one_text": found.akin,
        "unchanged": found.unchanged,
        "changes": [
            {
                "change": each.change,
                one: _clause(each.one, each.one_gist),
                other: _clause(each.other, each.other_gist),
            }
            for each in found.changes
        ],
        "reused_numbers": [
            {"clause": each.clause, one: list(each.one_gists), other: list(each.other_gists)}
            for each in found.reused
        ],
    }


def _clause(clause: str | None, gist: str | None) -> dict[str, str | None] | None:
    return None if clause is None else {"clause": clause, "gist": gist}


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
        ("reading", "question", "in force", "alternatives", "weaker", "clause", "why"),
        (
            (
                each["id"],
                each["question"],
                _in_force(each),
                ", ".join(each["alternatives"]),
                ", ".join(each["weaker"]),
                each["clause"],
                each["reason"],
            )
            for each in found["readings"]
        ),
        title=found["id"],
    )


def _in_force(reading: dict[str, Any]) -> str:
    value, default = reading["value"], reading["default"]
    return str(value) if value == default else f"{value} (default {default})"


def show_clauses(found: dict[str, Any]) -> None:
    """`clauses` as a table and a line of counts for each kind of evidence."""
    show_table(
        ("clause", "gist", "evidence", "checks", "reading", "why none, or where they end"),
        (
            (
                each["clause"],
                each["gist"],
                each["evidence"],
                " ".join(each["checks"]),
                " ".join(each["readings"]),
                each["reason"],
            )
            for each in found["clauses"]
        ),
    )
    show_lines(
        f"{evidence}: " + (", ".join(f"{count} {standing}" for standing, count in counted.items()) or "none")
        for evidence, counted in found["counts"].items()
    )


def show_by_check(found: dict[str, Any]) -> None:
    """`by_check` as tables."""
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
    """`differences` as tables; numbers that mean something else now come before the clauses."""
    one, other = found["rulebooks"]
    show_table(
        ("term", one, "clause", other, "clause"),
        ((each["term"], *_pair(each[one]), *_pair(each[other])) for each in found["terms"]),
    )
    show_table(
        ("reading", one, "clause", other, "clause"),
        ((each["reading"], *_argued(each[one]), *_argued(each[other])) for each in found["readings"]),
    )
    show_table(("check", one, other), ((each["check"], each[one], each[other]) for each in found["checks"]))
    clauses = found["clauses"]
    if not clauses["editions_of_one_text"]:
        apart = f"{one} and {other} are two texts and no editions of one"
        show_lines((f"{apart}: clause numbers are not compared. The clause behind each check is above.",))
        return
    show_table(
        ("number reused", one, other),
        ((each["clause"], " ".join(each[one]), " ".join(each[other])) for each in clauses["reused_numbers"]),
    )
    show_table(
        ("what changed", one, "gist", other, "gist"),
        ((each["change"], *_told(each[one]), *_told(each[other])) for each in clauses["changes"]),
    )
    show_lines((f"{clauses['unchanged']:,} rows of the matrices are the same in both.",))


def _told(clause: dict[str, str] | None) -> tuple[str, str]:
    return ("", "") if clause is None else (clause["clause"], clause["gist"])


def _pair(term: dict[str, str] | None) -> tuple[str, str]:
    return ("not in it", "") if term is None else (term["value"], term["clause"])


def _argued(answers: dict[str, Any]) -> tuple[str, str]:
    more = f" (or {', '.join(answers['alternatives'])})" if answers["alternatives"] else ""
    return f"{answers['default']}{more}", answers["clause"]
