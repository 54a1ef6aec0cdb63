"""Vendors' files and mappings for the tests."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from audit.ingest.lines import Read, Refused
from audit.mapping.model import LogMapping, parse_mapping, shipped
from audit.mapping.read import MappedFile
from rules_replay.log import Event, Round, amount_text, event_kind

SAMPLES = Path(__file__).parent.parent / "data_samples" / "foreign"


def shipped_text(name: str) -> str:
    """The text of a shipped mapping."""
    return shipped()[name].read_text(encoding="utf-8")


def mapping(text: str) -> LogMapping:
    """A mapping of a text."""
    return parse_mapping(text.encode(), "mapping.toml")


def read(by: LogMapping, data: bytes) -> list[Read | Refused]:
    """Everything in a vendor's file."""
    return list(MappedFile("vendor", by).rounds(io.BytesIO(data)))


def rounds(by: LogMapping, data: bytes) -> list[Round]:
    """The rounds of a vendor's file, none of which may be refused."""
    found = read(by, data)
    assert not [each.message for each in found if isinstance(each, Refused)]
    return [each.round for each in found if isinstance(each, Read)]


def refusals(by: LogMapping, data: bytes) -> list[str]:
    """Why records were refused, a line each."""
    return [each.message for each in read(by, data) if isinstance(each, Refused)]


def json_document(games: Iterable[Any]) -> bytes:
    """Games as the live table's document."""
    return json.dumps({"games": list(games)}).encode()


def told(event: Event) -> str:
    """An event in few words: ``deal 1.1 8S``, ``wager 1.1 main 25``, ``settle win 25 0``."""
    kind = event_kind(event)  # type: ignore[arg-type]
    words = [kind]
    box, hand = getattr(event, "box", None), getattr(event, "hand", None)
    if box is not None:
        words.append(f"{box}.{hand}")
    for name in ("kind", "amount", "card", "to", "scope", "line", "result", "paid", "taken"):
        value = getattr(event, name, None)
        if value is not None and (name, value) != ("line", "stake"):
            words.append(amount_text(value) if name in ("amount", "paid", "taken") else str(value))
    return " ".join(words)


def story(round_: Round) -> list[str]:
    """The events of a round in few words."""
    return [told(each) for each in round_.events]
