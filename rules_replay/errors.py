"""Errors split by who acts next: the rulebook's editor or the user of the command line."""

from __future__ import annotations


class RulebookError(Exception):
    """A rulebook or the venue register is wrong; carries every problem found at once."""

    def __init__(self, source: str, problems: list[str]) -> None:
        self.source = source
        self.problems = tuple(problems)
        count = len(problems)
        head = f"{source}: {count} problem{'' if count == 1 else 's'}"
        super().__init__("\n".join([head, *(f"  {problem}" for problem in problems)]))
