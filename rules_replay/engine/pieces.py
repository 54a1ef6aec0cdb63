"""What lies on the table: cards, hands, wagers and boxes."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rules_replay import log
from rules_replay.cards import Card, Total, counted
from rules_replay.results import Money

NEVER = 2**31
"""A seq later than any event: the place of what never happened."""


class Drawn(msgspec.Struct, frozen=True):
    """A card on a hand: where in the log it was dealt, and whether in the initial deal."""

    card: Card
    seq: int
    initial: bool


class Pile(msgspec.Struct, frozen=True, eq=False):
    """The cards of a hand at one moment: the last one on the pile below it.

    Moments share what they have in common, and each carries its count, so that a hand of
    any length can be looked at after every card.
    """

    below: Pile | None = None
    last: Card | None = None
    size: int = 0
    points: int = 0
    aces: int = 0
    legible: bool = True

    def __len__(self) -> int:
        return self.size

    def under(self, last: Card) -> Pile:
        """The pile with one more card on it."""
        return Pile(
            below=self,
            last=last,
            size=self.size + 1,
            points=self.points + last.value,
            aces=self.aces + (last.rank == "A"),
            legible=self.legible and last.readable,
        )

    @property
    def faces(self) -> tuple[Card, ...]:
        """The cards, first to last."""
        found: list[Card] = []
        pile: Pile | None = self
        while pile is not None and pile.last is not None:
            found.append(pile.last)
            pile = pile.below
        return tuple(reversed(found))

    def total(self, fixed_aces: int = 0) -> Total:
        """What the cards count, as `rules_replay.cards.total`."""
        return counted(self.points, self.aces, fixed_aces)


NO_CARDS = Pile()


class Hand(msgspec.Struct, eq=False):
    """A hand of a box, or the dealer's (box 0).

    ``split_aces`` marks a hand formed from two aces; ``doubled_at`` is the seq of the
    double and ``cards_at_double`` the number of cards the hand had then. ``lacks_split_card``
    marks a hand split off one that had no second card to give: a card is not in the log.
    ``cut_short_at`` is the seq at which one from a split was doubled or split again before its second card.
    ``excess`` are cards too many of the initial deal, which lie beside it and not on it, and ``overdealt``
    marks a hand that they may belong to. ``undecided`` are the bets that came to it since it was last
    surrendered.
    """

    box: int
    no: int
    cards: list[Drawn] = msgspec.field(default_factory=list)
    split_from: int | None = None
    of_split: bool = False
    split_aces: bool = False
    doubled_at: int | None = None
    cards_at_double: int = 0
    stood_at: int | None = None
    void_at: int | None = None
    superfluous: bool = False
    lacks_initial_card: bool = False
    lacks_split_card: bool = False
    cut_short_at: int | None = None
    overdealt: bool = False
    excess: list[Drawn] = msgspec.field(default_factory=list)
    pile: Pile = NO_CARDS
    undecided: list[Bet] = msgspec.field(default_factory=list)

    def take(self, drawn: Drawn) -> None:
        """A card comes on the hand."""
        self.cards.append(drawn)
        self.pile = self.pile.under(drawn.card)

    def drop(self) -> Drawn:
        """The last card goes off the hand."""
        self.pile = self.pile.below or NO_CARDS
        return self.cards.pop()

    def give_second(self) -> Drawn:
        """The second card goes to another hand."""
        given = self.cards.pop(1)
        self.pile = NO_CARDS
        for drawn in self.cards:
            self.pile = self.pile.under(drawn.card)
        return given

    @property
    def faces(self) -> tuple[Card, ...]:
        return tuple([drawn.card for drawn in self.cards])

    @property
    def lying(self) -> Pile:
        """Its cards and after them those too many of the initial deal."""
        pile = self.pile
        for drawn in self.excess:
            pile = pile.under(drawn.card)
        return pile

    @property
    def doubled(self) -> bool:
        return self.doubled_at is not None


class Bet(msgspec.Struct, eq=False, kw_only=True):
    """A wager with what became of it; ``on`` is the wager doubled, split or insured.

    ``moved_late`` marks one put on another hand when it was settled, or its own hand complete;
    ``misplaced`` a doubled portion put on another hand, just doubled, than that of the wager it is named for.
    Once the round is laid out, ``standing`` are the settlements of each line that no reversal undid, and
    ``recorded`` is what those of its stake come to, with the seq of the last.
    """

    placed: log.Wager
    id: str
    kind: str
    player: str
    box: int
    seq: int
    on: Bet | None
    hand: Hand
    effective: int = 0
    surrendered_at: int | None = None
    forfeited_at: int | None = None
    withdrawn_at: int | None = None
    void_at: int | None = None
    moved_late: bool = False
    misplaced: bool = False
    lines: list[tuple[int, log.Settle]] = msgspec.field(default_factory=list)
    reversed: set[int] = msgspec.field(default_factory=set)
    standing: dict[str, list[tuple[int, log.Settle]]] = msgspec.field(default_factory=dict)
    recorded: tuple[Money, int] | None = None

    @property
    def root(self) -> Bet:
        """The main wager that a split or double belongs to; any other bet itself."""
        return self.on.root if self.on is not None and self.kind in ("split", "double") else self

    @property
    def base(self) -> Bet:
        """The main or split wager that a doubled portion rests on; any other bet itself."""
        return self.on if self.kind == "double" and self.on is not None else self

    @property
    def settled_at(self) -> int:
        """Seq of the first settlement of the stake, `NEVER` where there is none."""
        return next((seq for seq, settle in self.lines if settle.line == "stake"), NEVER)

    def standing_lines(self, line: str) -> Sequence[tuple[int, log.Settle]]:
        """Settlements of a line that no reversal undid, in order."""
        return self.standing.get(line, ())


class Box(msgspec.Struct, eq=False):
    """A box: its hands by number, and the main wagers on it, the controlling player's first."""

    no: int
    hands: dict[int, Hand] = msgspec.field(default_factory=dict)
    mains: list[Bet] = msgspec.field(default_factory=list)
