"""Errors split by who acts next: the rulebook's editor or the developer."""

from __future__ import annotations


class RulebookError(Exception):
    """A rulebook or the venue register is wrong; carries every problem found at once."""

    def __init__(self, source: str, problems: list[str]) -> None:
        self.source = source
        self.problems = tuple(problems)
        count = len(problems)
        head = f"{source}: {count} problem{'' if count == 1 else 's'}"
        super().__init__("\n".join([head, *(f"  {problem}" for problem in problems)]))


class ReplayFailed(Exception):
    """The engine could not replay a round; the developer acts."""

    def __init__(self, round_id: str, detail: str) -> None:
        self.round_id = round_id
        self.detail = detail
        super().__init__(
            f"round {round_id} could not be replayed ({detail}); report this as a fault of the program"
        )


class EnginesDisagree(ReplayFailed):
    """The two engines say different things of some rounds; the developer acts, and nothing is published."""

    def __init__(self, round_id: str, detail: str, rounds: int) -> None:
        self.rounds = rounds
        super().__init__(round_id, f"{detail}; the two engines disagree on {rounds} of its batch")
