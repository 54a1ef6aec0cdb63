"""What a vendor says became of a wager, as ``result``, ``paid`` and ``taken``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from audit.mapping.errors import Unmapped
from rules_replay.log import amount_text


class Settled(NamedTuple):
    """A settlement as the log has it, amounts in thousandths."""

    result: str
    paid: int
    taken: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What the vendor wrote, in thousandths, in one of three ways.

    ``net`` is what the player won, or lost where it is negative; ``returned`` is what came back to
    him, the stake among it; ``paid`` and ``taken`` are the log's own. ``result`` is the log's word,
    None where the vendor has none.
    """

    result: str | None = None
    net: int | None = None
    returned: int | None = None
    paid: int | None = None
    taken: int | None = None

    def settled(self, stake: int, place: str, *, surrendered: bool = False) -> Settled:
        """The settlement of a wager of that stake; raises `Unmapped` for a negative amount."""
        paid, taken = self._moved(stake)
        if paid < 0 or taken < 0:
            least = amount_text(min(paid, taken))
            raise Unmapped(place, f"expected paid and taken of 0 or more, found {least}")
        return Settled(self.result or _result(stake, paid, taken, surrendered=surrendered), paid, taken)

    def _moved(self, stake: int) -> tuple[int, int]:
        if self.paid is not None and self.taken is not None:
            return self.paid, self.taken
        net = self.net if self.net is not None else (self.returned or 0) - stake
        return max(net, 0), max(-net, 0)


def _result(stake: int, paid: int, taken: int, *, surrendered: bool) -> str:
    """The word for an outcome of which only the money is known."""
    if paid:
        return "win"
    if not taken:
        return "stand_off"
    return "surrender" if taken < stake and (surrendered or 2 * taken == stake) else "lose"


def shares(settled: Settled, *, forfeited: bool) -> tuple[Settled, Settled]:
    """One payment for a wager and its double, as one for each.

    Half and half, as both are of one size; of a hand given up after the double the wager is lost
    and the double goes back.
    """
    result, paid, taken = settled
    if forfeited:
        return Settled("forfeit", paid, taken), Settled("returned", 0, 0)
    return (
        Settled(result, paid - paid // 2, taken - taken // 2),
        Settled(result, paid // 2, taken // 2),
    )
