"""Lines of the ledgers beside the round log: decoded, with what lies outside their format."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

import msgspec

from audit.ingest import wire
from audit.ingest.wire import Rejected
from rules_replay.log import decode_custom, encode_custom

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LedgerLine(Generic[T]):
    """What a line holds, and the fields outside the format: their paths, such as ``seats[0].colour``."""

    item: T
    extra: dict[str, Any]

    @property
    def unknown(self) -> tuple[str, ...]:
        """The paths with places taken out, each once: ``seats[].colour``."""
        return tuple(sorted({re.sub(r"\[[0-9]+\]", "[]", name) for name in self.extra}))

    @property
    def digest(self) -> str:
        """SHA-256 of the content: spelled-out defaults and the offset of an instant make no difference."""
        plain = msgspec.to_builtins(self.item, builtin_types=(datetime,), enc_hook=encode_custom)
        text = json.dumps([plain, self.extra], sort_keys=True, default=_in_utc)
        return hashlib.sha256(text.encode()).hexdigest()


def _in_utc(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat()


class LedgerFormat(Generic[T]):
    """How a line of a ledger is read.

    ``words`` are the words that each field knows, ``what`` a noun for one line, ``refuse``
    raises `Rejected` for what types cannot say.
    """

    def __init__(
        self, kind: Any, words: Mapping[str, tuple[str, ...]], what: str, refuse: Callable[[T], None]
    ) -> None:
        self._typed = msgspec.json.Decoder(kind, dec_hook=decode_custom)
        self._words = words
        self._what = what
        self._refuse = refuse

    def decode(self, line: bytes) -> LedgerLine[T]:
        """Read one line of JSON Lines; raises `Rejected`, and nothing else, for a bad one."""
        wire.refuse_bytes(line, self._what)
        found = wire.loosely(line)
        try:
            item: T = self._typed.decode(line)
        except msgspec.ValidationError as error:
            raise wire.explain(self._first(str(error), found), found, self._words, self._what) from None
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise Rejected("", f"not JSON: {wire.shortened(str(error))}") from None
        wire.refuse_twice(line)
        self._refuse(item)
        return LedgerLine(item, dict(_outside(item, found, "")))

    def _first(self, message: str, found: Any) -> str:
        """What msgspec said, unless the line is of another format, which says more."""
        named = found.get("format") if isinstance(found, dict) else None
        if isinstance(named, str) and named not in self._words["format"]:
            return "Invalid value - at `$.format`"
        return message


def _outside(value: Any, found: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The fields of ``found`` that the format does not give ``value``, by path."""
    if isinstance(value, tuple):
        for place, (each, raw) in enumerate(zip(value, found, strict=True)):
            yield from _outside(each, raw, f"{path}[{place}]")
    elif isinstance(value, msgspec.Struct):
        prefix = f"{path}." if path else ""
        for name, raw in found.items():
            if name in value.__struct_encode_fields__:
                yield from _outside(getattr(value, name), raw, prefix + name)
            elif name != value.__struct_config__.tag_field:
                yield prefix + name, raw
