"""What a mapping says of the fields of a file: which it reads, and which keys are data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import jmespath

from audit.mapping.drift import OTHERS
from audit.mapping.model import SECTIONS, Document, Expr, expressions_of

Names: TypeAlias = tuple[str, ...]


@dataclass(slots=True)
class _Read:
    """What expressions read: paths from the record down, and ends of paths whose beginning is not plain."""

    whole: set[Names] = field(default_factory=set)
    ends: set[Names] = field(default_factory=set)

    def has(self, names: Names) -> bool:
        """Whether a field is read, by itself or within something that is."""
        if any(names[: len(each)] == each for each in self.whole):
            return True
        return any(names[-len(each) :] == each for each in self.ends)


def unmapped_fields(document: Document, fields: Iterable[str]) -> list[str]:
    """The fields out of these, named as `drift.Inventory` names them, that nothing reads."""
    read = _Read()
    for place, text in expressions_of(document):
        section = _section_of(document, place)
        for names, exact in _paths(text):
            _note(read, names, exact, section, place)
    return [each for each in fields if each != OTHERS and not read.has(_steps(each))]


def keyed_places(document: Document) -> frozenset[Names]:
    """The objects whose members are items, so that their keys name no field.

    Each is given by the names that lead to it, ``*`` for a member of another such object or of a list.
    """
    found: set[Names] = set()
    for name in SECTIONS:
        for section in getattr(document, name):
            at: Names = ()
            for step in section.each:
                way = _plain_way([step])
                if way is None:
                    break
                found.add(at + way)
                at = (*at, *way, "*")
    return frozenset(found)


def _steps(path: str) -> Names:
    return tuple(step for step in re.sub(r"\[\]", "", path).split(".") if step not in ("*", ""))


def _section_of(document: Document, place: str) -> list[str] | None:
    """The way to the items of the section in which an expression stands, None for one on the record."""
    found = re.match(r"(\w+)\[([0-9]+)\]\.", place)
    if found is None or found[1] not in SECTIONS:
        return None
    way: list[str] = getattr(document, found[1])[int(found[2])].each
    return way


def _note(read: _Read, names: Names, exact: bool, way: list[str] | None, place: str) -> None:
    if way is None:
        (read.whole if exact else read.ends).add(names)
        return
    step = re.search(r"\.each\[([0-9]+)\]$", place)
    if step is not None:
        # A way leads to items and reads none of them.
        return
    level = len(way)
    while names[:1] == ("up",):
        names, level = names[1:], level - 1
    root, names = names[:1], names[1:]
    if not exact or root not in (("item",), ("record",)):
        if not exact:
            read.ends.add(root + names)
        return
    before = _plain_way(way[:level] if root == ("item",) else [])
    if before is None:
        read.ends.add(names)
    elif before + names:
        read.whole.add(before + names)


def _plain_way(way: list[str]) -> Names | None:
    found: Names = ()
    for step in way:
        paths = list(_paths(step))
        if len(paths) != 1 or not paths[0][1]:
            return None
        found += paths[0][0]
    return found


def _paths(text: Expr) -> Iterator[tuple[Names, bool]]:
    """The paths in an expression, and whether each is one from where the expression begins."""
    if isinstance(text, str):
        for names, exact in _within(jmespath.compile(text).parsed, ()):
            if names:
                yield names, exact


def _within(node: Any, before: Names | None) -> Iterator[tuple[Names, bool]]:
    match node["type"]:
        case "field":
            yield (before or ()) + (node["value"],), before is not None
        case (
            "subexpression"
            | "index_expression"
            | "pipe"
            | "projection"
            | "value_projection"
            | "filter_projection"
        ):
            yield from _along(node["children"], before)
        case _:
            for child in node.get("children", []):
                if isinstance(child, dict):
                    yield from _within(child, before)


def _along(children: list[dict[str, Any]], before: Names | None) -> Iterator[tuple[Names, bool]]:
    """The paths of a chain, each part of which begins where the part before it leads."""
    at = before
    for number, child in enumerate(children):
        found = list(_within(child, at))
        last = number == len(children) - 1
        leads = child["type"] in ("field", "subexpression", "index_expression")
        if leads and len(found) == 1 and not last and _has_paths(children[number + 1 :]):
            names, exact = found[0]
            at = names if exact else None
            continue
        yield from found
        if found and not leads:
            at = None


def _has_paths(children: list[dict[str, Any]]) -> bool:
    return any(next(_within(child, ()), None) is not None for child in children)
