"""What somebody has set up at one table, for surveillance to find over many rounds.

Unlike a fault a scheme is no single mistake: no round of it need be wrong by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_samples.players import HABITS

if TYPE_CHECKING:
    from data_samples.tables import Table

REGULAR = "regular"
"""The player who sits on box 1 of the table throughout, where a scheme has one."""

LEFT = ("loser-left", "tie-paid")
"""Mistakes in settling by which a dealer favours a player."""

PEEKED = 0.15
"""Share of the rounds he is going to win in which a player who knows it raises his stake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """One table that is not as it should be.

    ``lacks`` are cards missing from its decks; ``keeps`` how many cards of a shoe keep their order in the
    next; ``favours`` the share of the regular's losses and ties that the first dealer of the table lets him
    off; ``peeks`` by how much the regular multiplies his stake in some of the rounds that he is going to
    win; ``skips_first_card`` whether the first dealer deals his own first card only after the boxes'
    second; ``stands_on_soft_17`` whether the whole table does. ``lasts`` counts its rounds at the table
    from the first on; None is for ever.
    """

    table: str = "P01"
    lacks: tuple[str, ...] = ()
    keeps: int = 0
    favours: float = 0.0
    peeks: int = 0
    skips_first_card: bool = False
    stands_on_soft_17: bool = False
    lasts: int | None = None

    def on(self, table: Table) -> bool:
        """Whether it is going on at a table now."""
        return table.name == self.table and (self.lasts is None or table.dealt < self.lasts)

    def by_first_dealer(self, table: Table) -> bool:
        """Whether it is going on and the first dealer of the table is there."""
        return self.on(table) and table.dealer == table.dealers[0]

    def seat(self, table: Table) -> None:
        """Have the regular sit alone on box 1."""
        if table.name == self.table and (self.favours or self.peeks):
            table.seats[0].players[:] = [(REGULAR, HABITS[0])]
