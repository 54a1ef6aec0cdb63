"""A vendor's amounts as thousandths, exactly: whole cents, decimals, either decimal mark."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

from audit.mapping.errors import Unmapped, shown
from audit.mapping.model import Amounts
from rules_replay.log import MAX_AMOUNT

_MOST_DIGITS = 30
"""A number of more digits before or after the point is no amount, and slow to work with."""

_THOUSANDTHS = {"units": 1000, "cents": 10, "thousandths": 1}
_EXPECTED = {
    "units": "an amount such as {} with at most three decimals",
    "cents": "a whole number of cents",
    "thousandths": "a whole number of thousandths",
}


class AmountReader:
    """Reads amounts in the unit and notation that a mapping states."""

    def __init__(self, amounts: Amounts) -> None:
        self._amounts = amounts
        self._factor = _THOUSANDTHS[amounts.unit]
        part = rf"(?:{re.escape(amounts.decimal_mark)}[0-9]{{1,12}})?" if amounts.unit == "units" else ""
        self._plain = re.compile(rf"[+-]?[0-9]{{1,15}}{part}")

    def read(self, found: Any, place: str) -> int:
        """The amount in thousandths, negative where it is written so; raises `Unmapped`."""
        exact = Fraction(self._number(found, place)) * self._factor
        if exact.denominator != 1 or abs(exact) > MAX_AMOUNT:
            raise self._unmapped(found, place)
        return exact.numerator

    def _number(self, found: Any, place: str) -> Decimal:
        # Whole cents are written whole: with a point it would be an amount in units, a hundred times as much.
        written = int | Decimal if self._amounts.unit == "units" else int
        if isinstance(found, written) and not isinstance(found, bool):
            number = Decimal(found)
            if number.is_finite() and -_MOST_DIGITS < number.adjusted() < _MOST_DIGITS:
                return number
        elif isinstance(found, str):
            text = found.strip()
            for mark in self._amounts.strip:
                text = text.replace(mark, "")
            if self._plain.fullmatch(text):
                return Decimal(text.replace(self._amounts.decimal_mark, "."))
        raise self._unmapped(found, place)

    def _unmapped(self, found: Any, place: str) -> Unmapped:
        return Unmapped(place, f"expected {self._expected()}, found {shown(found)}")

    def _expected(self) -> str:
        return _EXPECTED[self._amounts.unit].format(f"12{self._amounts.decimal_mark}50")
