"""House books and rounds in a few words, for the cases of ``tests/cases/books.toml``.

An entry is a table of its own fields; ``format``, ``venue``, ``entry_id``, ``table`` and ``at``
are put in where they are left out, and a time such as ``20:01`` is one of the evening on which
the case's rulebook was in force. Rounds are told as in `tests.rounds`; they begin at 20:00,
20:02 and so on, end a minute later, and have the limits 5 to 500 unless they say otherwise.
``keeps`` stands for a book that keeps entries of these kinds all day.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from rules_replay.book import AnyEntry, BookReplay, audit_book, dealt
from rules_replay.log import Round, decode_custom
from rules_replay.venues import load_register
from tests.rounds import PLACES, play

CASES = Path(__file__).parent / "cases"
REGISTER = load_register()


def book_cases() -> Iterator[dict[str, Any]]:
    """Every case, once for each rulebook that it is told under."""
    for case in tomllib.loads((CASES / "books.toml").read_text(encoding="utf-8"))["case"]:
        for rulebook in case["rulebooks"]:
            yield case | {"rulebook": rulebook}


def named(case: dict[str, Any]) -> str:
    """What a case is called, without a space."""
    return f"{case['code']}/{case['rulebook']}/{case['title']}".replace(" ", "-")


def timed(value: Any, rulebook: str) -> Any:
    """The same with every time of day turned into an instant of the rulebook's evening."""
    match value:
        case str() if re.fullmatch(r"[0-9]{2}:[0-9]{2}", value):
            evening = PLACES[rulebook][1]
            return f"{evening[:10]}T{value}:00{evening[19:]}"
        case list():
            return [timed(each, rulebook) for each in value]
        case dict():
            kept = ("opens", "closes")
            return {name: each if name in kept else timed(each, rulebook) for name, each in value.items()}
        case _:
            return value


def entry(rulebook: str, number: int, fields: dict[str, Any]) -> AnyEntry:
    """One entry of a case."""
    placed = {"table": "P01", "at": "20:01"} if fields["entry"] not in ("book", "hours") else {}
    head = {
        "format": "pontoon-book/1",
        "entry_id": f"e{number}",
        "venue": PLACES[rulebook][0],
    }
    # A TOML file has no null; "none" stands for it.
    given = {name: None if value == "none" else value for name, value in fields.items()}
    plain = timed(head | placed | given, rulebook)
    found: AnyEntry = msgspec.convert(plain, AnyEntry, dec_hook=decode_custom)
    return found


def entries(case: dict[str, Any]) -> list[AnyEntry]:
    """The entries of a case, and the book that keeps them."""
    listed = list(case.get("entries", ()))
    if "keeps" in case:
        listed.append({"entry": "book", "since": "06:00", "until": "23:59", "keeps": case["keeps"]})
    return [entry(case["rulebook"], number, fields) for number, fields in enumerate(listed, 1)]


def rounds(case: dict[str, Any]) -> list[Round] | None:
    """The rounds of a case, or None where it gives none."""
    if "rounds" not in case:
        return None
    found = []
    first = datetime.fromisoformat(timed("20:00", case["rulebook"]))
    for number, told in enumerate(case["rounds"], 1):
        fields = dict(told) if isinstance(told, dict) else {"say": told}
        begun = first + timedelta(minutes=2 * number - 2)
        head: dict[str, Any] = {
            "started_at": begun.isoformat(),
            "ended_at": (begun + timedelta(minutes=1)).isoformat(),
            "round_id": f"r{number}",
            "round_no": number,
            "limits": {"min": "5", "max": "500"},
        }
        head |= {name: value for name, value in timed(fields, case["rulebook"]).items() if name != "say"}
        if head["ended_at"] == "none":
            del head["ended_at"]
        found.append(play(case["rulebook"], fields.get("say", "a 5@1"), **head))
    return found


def audited(listed: Iterable[AnyEntry], given: Iterable[Round] | None) -> BookReplay:
    """A book with its rounds, held against the rules in force."""
    known = None if given is None else [dealt(each, whole=True) for each in given]
    return audit_book(listed, known, REGISTER)
