"""A round as it was recorded: who placed what, where it rides, what was settled and undone."""

from __future__ import annotations

from rules_replay import log
from rules_replay.explain.wording import amount
from rules_replay.log import Round


class Record:
    """What the log says of a round: places, players, settlements and what undid them."""

    def __init__(self, round_: Round) -> None:
        self.round = round_
        self.placed = {event.id: event for event in round_.events if isinstance(event, log.Wager)}
        self.settled = {
            seq: event for seq, event in enumerate(round_.events) if isinstance(event, log.Settle)
        }
        self.undone_at = {
            event.reverses: seq for seq, event in self.settled.items() if event.reverses is not None
        }
        self._several = {
            event.box
            for event in round_.events
            if isinstance(event, log.Split) or (isinstance(event, log.Deal | log.Wager) and event.hand > 1)
        }
        self._rides_on: dict[str, tuple[int, int]] = {}
        for event in round_.events:
            if isinstance(event, log.Wager) and event.kind in ("main", "split"):
                self._rides_on[event.id] = (event.box, event.hand)
            elif isinstance(event, log.Assign):
                self._rides_on[event.wager] = (event.box, event.hand)

    def money(self, thousandths: int) -> str:
        """An amount in the currency of the table."""
        return amount(thousandths, self.round.currency)

    def where(self, box: int, hand: int = 1) -> str:
        """A place as people call it: ``dealer``, ``box 3``, ``box 1, hand 2``."""
        if box == 0:
            return "dealer"
        return f"box {box}, hand {hand}" if box in self._several else f"box {box}"

    def the(self, box: int, hand: int) -> str:
        """A place within a sentence."""
        return "the dealer" if box == 0 else self.where(box, hand)

    def players(self, box: int, hand: int) -> tuple[str, ...]:
        """Whose main and split wagers ride on a hand, the controlling player first."""
        there = (wager for wager, place in self._rides_on.items() if place == (box, hand))
        return tuple(dict.fromkeys(self.placed[wager].player for wager in there))

    def standing_lines(self, wager: str, line: str) -> list[tuple[int, log.Settle]]:
        """Settlements of a line that were not undone, in order."""
        return [
            (seq, event)
            for seq, event in self.settled.items()
            if (event.wager, event.line) == (wager, line)
            and event.reverses is None
            and seq not in self.undone_at
        ]
