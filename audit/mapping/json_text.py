"""Records out of JSON, exactly: numbers with a fraction as `Decimal`, no key twice in an object."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from audit.ingest import wire
from audit.ingest.wire import Rejected

_SPACE = re.compile(r"[ \t\r\n]*")


def _pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(items)
    if len(found) != len(items):
        names = [name for name, _ in items]
        twice = next(name for name in names if names.count(name) > 1)
        raise Rejected(wire.shortened(twice, 60), "the key stands twice in one object; expected it once")
    return found


def _whole(digits: str) -> int | Decimal:
    return int(digits) if len(digits) < 40 else Decimal(digits)


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=Decimal, parse_int=_whole, parse_constant=_no_number
)
_SKIPPER = json.JSONDecoder(parse_float=str, parse_int=str)


def decoded(raw: bytes) -> dict[str, Any]:
    """One record; raises `wire.Rejected` for bytes that are no JSON object."""
    wire.refuse_bytes(raw, "record")
    try:
        found = _DECODER.decode(raw.decode("utf-8"))
    except Rejected:
        raise
    except RecursionError:
        raise Rejected("", "nested too deep; expected at most a few levels") from None
    except (ValueError, ArithmeticError) as error:
        raise Rejected("", f"not JSON: {wire.shortened(str(error))}") from None
    if not isinstance(found, dict):
        raise Rejected("", f"expected one record as a JSON object, got {wire.shortened(str(found), 60)}")
    if b"\\ud" in raw.lower():
        _refuse_halves(found)
    return found


def _refuse_halves(found: Any) -> None:
    """Refuse half a character, which JSON can write and no file in UTF-8 can hold."""
    try:
        json.dumps(found, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        raise Rejected("", "found half of a surrogate pair, which is no character") from None


class NotAList(ValueError):
    """A document that has no list of records where the mapping looks for it."""


def spans(text: str, path: Sequence[str]) -> Iterator[tuple[int, int]]:
    """From where to where each record goes in a document, whose list is under these keys.

    Without keys the document is the list, or it is one record. Raises `NotAList`.
    """
    try:
        at = _skip(text, 0)
        for name in path:
            at = _value_of(text, at, name)
        if text[at : at + 1] == "[":
            yield from _elements(text, at)
        elif path:
            raise NotAList(f"{'.'.join(path)}: expected a list of records")
        else:
            _, end = _SKIPPER.raw_decode(text, at)
            _end_at(text, end)
            yield at, end
    except NotAList:
        raise
    except RecursionError:
        raise NotAList("nested too deep") from None
    except (ValueError, IndexError) as error:
        raise NotAList(f"not JSON: {wire.shortened(str(error))}") from None


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _value_of(text: str, at: int, name: str) -> int:
    """Where the value of a key begins in the object that begins here."""
    if text[at : at + 1] != "{":
        raise NotAList(f"expected an object with the key {name!r}")
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, at = _SKIPPER.raw_decode(text, at)
        at = _expect(text, at, ":")
        if key == name:
            return at
        _, at = _SKIPPER.raw_decode(text, at)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    raise NotAList(f"the document has no key {name!r}")


def _elements(text: str, at: int) -> Iterator[tuple[int, int]]:
    at = _skip(text, at + 1)
    if text[at] == "]":
        return
    while True:
        _, end = _SKIPPER.raw_decode(text, at)
        yield at, end
        at = _skip(text, end)
        if text[at] == "]":
            return
        at = _expect(text, at, ",")


def _expect(text: str, at: int, mark: str) -> int:
    at = _skip(text, at)
    if text[at] != mark:
        raise json.JSONDecodeError(f"Expecting {mark!r}", text, at)
    return _skip(text, at + 1)


def _end_at(text: str, at: int) -> None:
    if _skip(text, at) != len(text):
        raise json.JSONDecodeError("Extra data", text, at)
