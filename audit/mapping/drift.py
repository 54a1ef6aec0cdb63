"""Which fields a vendor's file has, and what changed since the last file under the same mapping.

A field is named by its path; places in a list are ``[]`` and keys that are data ``*``, so that
``seats.*.hands.*.cards.*.code`` is one field however many cards there are. Keys are data where
they are numbers, and where the mapping goes through the members of an object.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")
_MOST_FIELDS = 2_000
"""Fields that are kept count of; a file with more has keys that are data."""

OTHERS = "(further fields)"


class Inventory:
    """The fields of the records seen, and the types that each had.

    With ``texts`` everything is text and what it says is told from it: a number, or other text.
    ``keyed`` are the objects whose keys are data, as `unmapped.keyed_places` gives them.
    """

    def __init__(self, *, texts: bool, keyed: frozenset[tuple[str, ...]] = frozenset()) -> None:
        self._texts = texts
        self._keyed = keyed
        self._fields: dict[str, set[str]] = {}

    def add(self, record: Any) -> None:
        """Take in the fields of one record."""
        if isinstance(record, dict):
            self._add_members("", (), record)

    def _add_members(self, path: str, names: tuple[str, ...], found: dict[str, Any]) -> None:
        keyed = names in self._keyed
        for name, value in found.items():
            data = keyed or name.isdecimal()
            step = "*" if data else name
            self._add(f"{path}.{step}" if path else step, (*names, step), value)

    def _add(self, path: str, names: tuple[str, ...], value: Any) -> None:
        if isinstance(value, dict):
            self._add_members(path, names, value)
        elif isinstance(value, list):
            for below in value:
                self._add(f"{path}[]", (*names, "*"), below)
            if not value:
                self._keep(f"{path}[]", "nothing")
        else:
            self._keep(path, self._type(value))

    def _keep(self, path: str, kind: str) -> None:
        if path not in self._fields and len(self._fields) >= _MOST_FIELDS:
            path = OTHERS
        self._fields.setdefault(path, set()).add(kind)

    def _type(self, value: Any) -> str:
        if value is None or value == "":
            return "nothing"
        if isinstance(value, bool):
            return "true or false"
        if isinstance(value, int | Decimal):
            return "number"
        return "number" if self._texts and _NUMBER.fullmatch(value.strip()) else "text"

    def as_json(self) -> dict[str, list[str]]:
        """Every field in alphabetical order, with its types."""
        return {name: sorted(self._fields[name]) for name in sorted(self._fields)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """What changed between the fields of two files; ``since`` is the name of the earlier."""

    since: str
    appeared: tuple[str, ...]
    vanished: tuple[str, ...]
    changed: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]

    def __bool__(self) -> bool:
        return bool(self.appeared or self.vanished or self.changed)

    def as_json(self) -> dict[str, Any]:
        """The drift ready for JSON."""
        return {
            "since": self.since,
            "appeared": list(self.appeared),
            "vanished": list(self.vanished),
            "changed": {
                name: {"was": list(before), "is": list(after)}
                for name, (before, after) in self.changed.items()
            },
        }

    def lines(self) -> list[str]:
        """The drift in lines for people, none where nothing changed."""
        told = [f"field {name} appeared" for name in self.appeared]
        told += [f"field {name} vanished" for name in self.vanished]
        told += [
            f"field {name} was {' or '.join(before)} and is {' or '.join(after)}"
            for name, (before, after) in self.changed.items()
        ]
        return [f"{each} since {self.since}" for each in told]


def drift(since: str, before: Mapping[str, list[str]], after: Mapping[str, list[str]]) -> Drift:
    """What changed. A field that came to be empty, or is no longer, keeps its type."""
    return Drift(
        since=since,
        appeared=tuple(name for name in after if name not in before),
        vanished=tuple(name for name in before if name not in after),
        changed={
            name: (tuple(before[name]), tuple(after[name]))
            for name in after
            if _differ(_kinds(before.get(name, [])), _kinds(after[name]))
        },
    )


def _differ(before: set[str], after: set[str]) -> bool:
    return bool(before and after and before != after)


def _kinds(types: list[str]) -> set[str]:
    return set(types) - {"nothing"}
