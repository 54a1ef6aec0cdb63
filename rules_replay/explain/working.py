"""The engine's working on a round: what the remarks, the claims and the dues are read from."""

from __future__ import annotations

from functools import cached_property

import msgspec

from rules_replay import log
from rules_replay.engine import play
from rules_replay.engine.laying_out import lay_out
from rules_replay.engine.pieces import Bet
from rules_replay.engine.table import Table
from rules_replay.explain.record import Record
from rules_replay.log import Round
from rules_replay.results import RoundReplay, SettlementRow
from rules_replay.rulebook import Rulebook


class Working(Record):
    """A record with the rulebook in force, the engine's working and what the replay made of it."""

    def __init__(self, round_: Round, replay: RoundReplay, book: Rulebook) -> None:
        super().__init__(round_)
        self.replay = replay
        self.book = book
        self.played = play(round_, book)
        self.table = self.played.table

    @cached_property
    def tables(self) -> list[Table]:
        """The engine's table before the first event and after each, each laid out anew."""
        events = self.round.events
        return [
            lay_out(msgspec.structs.replace(self.round, events=events[:count]), self.book, self.round)
            for count in range(len(events) + 1)
        ]

    def cited(self, clause: str) -> str:
        """A clause with its edition; empty where the rulebook has none."""
        return "" if clause in ("none", "silent") else self.book.cite(clause)

    def mains(self, box: int) -> list[Bet]:
        """The main wagers on a box, the controlling player's first."""
        return self.table.boxes[box].mains if box in self.table.boxes else []

    def line_closed_by(self, seq: int, event: log.Settle) -> SettlementRow | None:
        """The line of a wager that a settlement completes; None where it was undone or another follows."""
        standing = [place for place, _ in self.standing_lines(event.wager, event.line)]
        if seq not in standing[-1:]:
            return None
        rows = self.replay.settlements
        return next((row for row in rows if (row.wager, row.line) == (event.wager, event.line)), None)
