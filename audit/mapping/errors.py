"""What is wrong with a mapping file, or with a vendor's record under it."""

from __future__ import annotations

from audit.errors import UsageProblem
from audit.ingest.wire import shortened


class MappingProblem(UsageProblem):
    """A mapping that cannot be used; whoever keeps it acts. One line a problem."""

    def __init__(self, name: str, problems: list[str]) -> None:
        super().__init__("\n".join(f"{name}: {each}" for each in problems))
        self.problems = problems


class Unmapped(Exception):
    """A record that gives no round.

    ``place`` is the part of the mapping that could not be followed, such as ``wagers[0].amount``.
    """

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}" if place else reason)
        self.place = place
        self.reason = reason


def shown(value: object) -> str:
    """A value of a record as messages quote it."""
    if value is None:
        return "nothing"
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, bool):
        return "true" if value else "false"
    return shortened(repr(value) if isinstance(value, str) else str(value), 120)
