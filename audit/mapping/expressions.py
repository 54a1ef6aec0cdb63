"""Where a value of a round stands in a vendor's record: JMESPath (https://jmespath.org).

Numbers of a JSON record with a fraction are `Decimal`, which JMESPath passes on as it found
them. Its own arithmetic would make floats of them, so a float that comes out is refused.
"""

from __future__ import annotations

from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.visitor import TreeInterpreter

from audit.mapping.errors import Unmapped


class Expression:
    """A JMESPath expression of a mapping, or a whole number or truth value that stands for itself."""

    def __init__(self, place: str, text: str | int | bool) -> None:
        self.place = place
        self._constant = None if isinstance(text, str) else text
        self._parsed: Any = jmespath.compile(text).parsed if isinstance(text, str) else None
        self._names = _plain_path(self._parsed)
        self._interpreter = TreeInterpreter()

    def value(self, of: Any) -> Any:
        """What the expression finds, None for nothing; raises `Unmapped` where it cannot be worked out."""
        if self._names is not None:
            # Most expressions are a path, and the interpreter takes several times as long over one.
            for name in self._names:
                of = of.get(name) if isinstance(of, dict) else None
            return of
        if self._parsed is None:
            return self._constant
        try:
            found = self._interpreter.visit(self._parsed, of)
        except (JMESPathError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
            raise Unmapped(self.place, f"the expression failed on this record: {_one_line(error)}") from None
        if isinstance(found, float):
            raise Unmapped(
                self.place,
                "the expression worked out a number with a fraction, which is no exact amount; "
                "map the field as the vendor wrote it",
            )
        return found

    def truth(self, of: Any) -> bool:
        """Whether what it finds holds: nothing, false, 0 and what is empty do not."""
        return self.value(of) not in (None, False, "", [], {})


def problem_of(text: str) -> str | None:
    """Why a text is no expression, or None."""
    try:
        jmespath.compile(text)
    except JMESPathError as error:
        return _one_line(error)
    return None


def _plain_path(parsed: Any) -> tuple[str, ...] | None:
    """The names of a path such as ``item.code``, None for any other expression."""
    if not isinstance(parsed, dict):
        return None
    if parsed["type"] == "field":
        return (parsed["value"],)
    if parsed["type"] != "subexpression":
        return None
    parts = [_plain_path(each) for each in parsed["children"]]
    return None if None in parts else tuple(name for part in parts if part is not None for name in part)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
