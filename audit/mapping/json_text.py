"""Records out of JSON, exactly: numbers with a fraction as `Decimal`, no key twice in an object."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, TypeAlias

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
    """A document that has no list of records where the mapping looks for it, or two."""


class NotJson(ValueError):
    """A document that is not JSON from its beginning to its end."""


Span: TypeAlias = tuple[int, int]
"""From where to where a record goes."""


def spans(text: str, path: Sequence[str]) -> list[Span]:
    """From where to where each record goes in a document, whose list is under these keys.

    Without keys the document is the list, or it is one record. It is read to its end, so that no record
    is passed over. Raises `NotAList` and `NotJson`.
    """
    try:
        found, end = _under(text, _skip(text, 0), path, 0)
        if _skip(text, end) != len(text):
            raise json.JSONDecodeError("Extra data", text, end)
    except NotAList:
        raise
    except RecursionError:
        raise NotAList("nested too deep") from None
    except IndexError:
        raise NotJson("not JSON: it breaks off") from None
    except ValueError as error:
        raise NotJson(f"not JSON: {wire.shortened(str(error))}") from None
    return found


def _under(text: str, at: int, path: Sequence[str], depth: int) -> tuple[list[Span], int]:
    """The records in the value that begins here, under the keys from a depth on, and where it ends."""
    if depth < len(path):
        return _in_object(text, at, path, depth)
    if text[at : at + 1] == "[":
        return _elements(text, at)
    if path:
        raise NotAList(f"{'.'.join(path)}: expected a list of records")
    _, end = _SKIPPER.raw_decode(text, at)
    return [(at, end)], end


def _in_object(text: str, at: int, path: Sequence[str], depth: int) -> tuple[list[Span], int]:
    name = path[depth]
    if text[at] != "{":
        raise NotAList(f"expected an object with the key {name!r}")
    found: list[Span] | None = None
    at, closed = _opened(text, at, "}")
    while not closed:
        if text[at] != '"':
            raise json.JSONDecodeError("Expecting a key in double quotes", text, at)
        key, at = _SKIPPER.raw_decode(text, at)
        at = _expect(text, at, ":")
        if key != name:
            _, at = _SKIPPER.raw_decode(text, at)
        elif found is None:
            found, at = _under(text, at, path, depth + 1)
        else:
            raise NotAList(f"the key {name!r} stands twice in one object; expected it once")
        at, closed = _next(text, at, "}")
    if found is None:
        raise NotAList(f"the document has no key {name!r}")
    return found, at


def _elements(text: str, at: int) -> tuple[list[Span], int]:
    found: list[Span] = []
    at, closed = _opened(text, at, "]")
    while not closed:
        _, end = _SKIPPER.raw_decode(text, at)
        found.append((at, end))
        at, closed = _next(text, end, "]")
    return found, at


def _opened(text: str, at: int, end: str) -> tuple[int, bool]:
    """What comes first in a list or object that begins here, or what comes after an empty one."""
    at = _skip(text, at + 1)
    return (at + 1, True) if text[at] == end else (at, False)


def _next(text: str, at: int, end: str) -> tuple[int, bool]:
    """What comes after the comma, or after the end of the list or object."""
    at = _skip(text, at)
    return (at + 1, True) if text[at] == end else (_expect(text, at, ","), False)


def _expect(text: str, at: int, mark: str) -> int:
    at = _skip(text, at)
    if text[at] != mark:
        raise json.JSONDecodeError(f"Expecting {mark!r}", text, at)
    return _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()
