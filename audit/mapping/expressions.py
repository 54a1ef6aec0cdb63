"""Where a value of a round stands in a vendor's record: JMESPath (https://jmespath.org).

Numbers of a JSON record with a fraction are `Decimal`, which JMESPath passes on as it found
them. Its own arithmetic would make floats of them, so a float that comes out is refused.
"""

from __future__ import annotations

from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.parser import ParsedResult

from audit.mapping.errors import Unmapped


class Expression:
    """A JMESPath expression of a mapping, or a whole number or truth value that stands for itself."""

    def __init__(self, place: str, text: str | int | bool) -> None:
        self.place = place
        self._constant = None if isinstance(text, str) else text
        self._compiled = _compiled(text) if isinstance(text, str) else None

    def value(self, of: Any) -> Any:
        """What the expression finds, None for nothing; raises `Unmapped` where it cannot be worked out."""
        if self._compiled is None:
            return self._constant
        try:
            found = self._compiled.search(of)
        except (JMESPathError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
            raise Unmapped(self.place, f"the expression failed on this record: {_one_line(error)}") from None
        if isinstance(found, float):
            raise Unmapped(
                self.place, "the expression worked out a number with a fraction, which is no exact amount; "
                "map the field as the vendor wrote it"
            )
        return found

    def truth(self, of: Any) -> bool:
        """Whether what it finds holds, as JMESPath has it: nothing, ``""``, ``[]``, ``{}`` do not."""
        return self.value(of) not in (None, False, "", [], {})


def problem_of(text: str) -> str | None:
    """Why a text is no expression, or None."""
    try:
        _compiled(text)
    except JMESPathError as error:
        return _one_line(error)
    return None


def _compiled(text: str) -> ParsedResult:
    return jmespath.compile(text)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
