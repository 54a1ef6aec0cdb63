"""A vendor's times as instants: epoch seconds or milliseconds, RFC 3339, or a format and a zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from audit.mapping.errors import Unmapped, shown
from audit.mapping.model import Times

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST = 10**18
_EARLIEST, _LATEST = 1990, 2100
_MICROS = {"epoch_s": 1_000_000, "epoch_ms": 1_000, "epoch_us": 1}
_WORDS = {
    "epoch_s": "seconds since 1970",
    "epoch_ms": "milliseconds since 1970",
    "epoch_us": "microseconds since 1970",
    "rfc3339": "a date and time with its offset, such as 2024-06-07T21:40:12+12:00",
}


class TimeReader:
    """Reads instants in the form that a mapping states.

    An epoch time is given the mapping's zone, or UTC where it has none, so that the round is
    written in the time of its table.
    """

    def __init__(self, times: Times) -> None:
        self._form = times.form
        self._zone = ZoneInfo(times.zone) if times.zone else None

    def read(self, found: Any, place: str) -> datetime:
        """The instant; raises `Unmapped`, also for a local time that a clock change makes ambiguous."""
        try:
            instant = self._read(found, place)
        except (ValueError, OverflowError, ArithmeticError):
            raise self._unmapped(found, place) from None
        if not _EARLIEST <= instant.year < _LATEST:
            raise Unmapped(
                place,
                f"{shown(found)} as {self._words()} is {instant.date()}; "
                f"expected a time between {_EARLIEST} and {_LATEST}, so check times.form",
            )
        return instant

    def _read(self, found: Any, place: str) -> datetime:
        if self._form in _MICROS:
            micros = _whole(found) * _MICROS[self._form]
            return (_EPOCH + timedelta(microseconds=int(micros))).astimezone(self._zone or UTC)
        if not isinstance(found, str):
            raise self._unmapped(found, place)
        if self._form == "rfc3339":
            read = datetime.fromisoformat(found.strip())
            if read.tzinfo is None:
                raise self._unmapped(found, place)
            return read
        read = datetime.strptime(found.strip(), self._form)  # noqa: DTZ007 - the zone is given below
        return read if read.tzinfo is not None else self._at(read, found, place)

    def _at(self, local: datetime, found: str, place: str) -> datetime:
        first = local.replace(tzinfo=self._zone)
        if first.utcoffset() == local.replace(tzinfo=self._zone, fold=1).utcoffset():
            return first
        raise Unmapped(
            place,
            f"{shown(found)} does not name one instant in {self._zone}: the clocks were changed then; "
            "the vendor has to write the offset",
        )

    def _unmapped(self, found: Any, place: str) -> Unmapped:
        return Unmapped(place, f"expected {self._words()}, found {shown(found)}")

    def _words(self) -> str:
        return _WORDS.get(self._form) or f"a time written {self._form!r}"


def _whole(found: Any) -> Decimal:
    if isinstance(found, bool) or not isinstance(found, int | str | Decimal):
        raise ValueError
    number = Decimal(found.strip() if isinstance(found, str) else found)
    if abs(number) > _MOST:
        raise ValueError
    return number
