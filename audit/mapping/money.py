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
class Outcome:
    """What is known of a wager besides money, from which the word for its result follows.

    ``surrendered`` is None where the vendor records no decisions: half the stake kept is then
    taken for a surrender, since nothing else is.
    """

    kind: str
    void: bool = False
    surrendered: bool | None = None
    forfeited: bool = False
    dealer_pontoon: bool = False

    def word(self, stake: int, paid: int, taken: int) -> str:
        """The word for money that moved so, where the vendor has none."""
        if paid:
            return "win"
        if not taken:
            return self._back()
        if self.forfeited and self.kind in ("main", "split"):
            return "forfeit"
        given_up = 2 * taken == stake if self.surrendered is None else self.surrendered
        return "surrender" if taken < stake and given_up else "lose"

    def _back(self) -> str:
        """A stake that went back whole: at a tie, as no wager, or as one that the rules let go."""
        if self.void or self.kind not in ("main", "split", "double"):
            return "void"
        # A dealer's Pontoon ties with nothing: what it does not take goes back.
        return "returned" if self.dealer_pontoon or self.forfeited else "stand_off"


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

    def moved(self, stake: int, place: str) -> tuple[int, int]:
        """Paid and taken on a stake; raises `Unmapped` for a negative amount."""
        paid, taken = self._moved(stake)
        if paid < 0 or taken < 0:
            least = amount_text(min(paid, taken))
            raise Unmapped(place, f"expected paid and taken of 0 or more, found {least}")
        return paid, taken

    def _moved(self, stake: int) -> tuple[int, int]:
        if self.paid is not None and self.taken is not None:
            return self.paid, self.taken
        net = self.net if self.net is not None else (self.returned or 0) - stake
        return max(net, 0), max(-net, 0)

    def settled(self, stake: int, moved: tuple[int, int], outcome: Outcome) -> Settled:
        """The settlement of a wager on which so much was paid and taken."""
        return Settled(self.result or outcome.word(stake, *moved), *moved)


def shares(paid: int, taken: int, stake: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """One payment for a wager and its double of one stake each, as one for each.

    A win is half and half. A loss falls on the wager first: where only one was lost, after a
    forfeit or to a dealer's Pontoon, the double is what goes back.
    """
    lost = min(taken, stake)
    return (paid - paid // 2, lost), (paid // 2, taken - lost)
