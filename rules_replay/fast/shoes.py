"""The shoes of a run of rounds, as the kernel keeps them and as the readable engine does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np

from rules_replay.cards import DECK
from rules_replay.cutting_card import Stack
from rules_replay.kernel.codes import MAIN, NONE_OF, NOT, WAGER, WAGER_BELOW_MIN_AGAIN
from rules_replay.kernel.encode import CARD_TEXTS, CARDS, Log
from rules_replay.kernel.records import Records, records_of
from rules_replay.kernel.shoe import SHOE, new_shoe
from rules_replay.shoe import Shoe

ShoeName: TypeAlias = tuple[str, str]
"""Table and shoe."""

_BYTES: Final = np.dtype((np.void, SHOE.itemsize))
"""A shoe as so many bytes: numpy copies records field by field, which takes several times as long."""


class Shoes:
    """Every shoe so far, and whose wagers in it lay under the minimum, which the kernel does not know."""

    def __init__(self) -> None:
        self._places: dict[ShoeName, int] = {}
        self._kept = np.zeros(0, _BYTES)
        self._undersized: dict[ShoeName, set[str]] = {}

    @contextmanager
    def taken(self, log: Log) -> Iterator[Records]:
        """The shoes of some rounds by number, as they are before them; kept as they are in the end."""
        places = [self._places.setdefault(name, len(self._places)) for name in log.shoes]
        more = len(self._places) - len(self._kept)
        if more > 0:
            # At least as many again, so that copying those there are does not grow as the square.
            added = np.repeat(_empty_shoe().view(_BYTES), max(more, len(self._kept)))
            self._kept = np.concatenate([self._kept, added])
        shoes = self._kept.take(places).view(SHOE).view(np.recarray)
        yield shoes
        self._kept[places] = shoes.view(_BYTES)

    def undersized(self, name: ShoeName) -> set[str]:
        """Whose wagers lay under the minimum in a shoe so far; a round that is told adds to it."""
        return self._undersized.setdefault(name, set())

    def follow_undersized(self, log: Log, books: Records) -> None:
        """Note whose wagers lay under the minimum in rounds that nobody tells."""
        events, counts = log.events, log.rounds["count"]
        least, shoes, governed = (
            np.repeat(log.rounds[name], counts) for name in ("limit_min", "shoe", "book")
        )
        minded = books["says"][:, WAGER_BELOW_MIN_AGAIN] != NONE_OF
        under = (events["kind"] == WAGER) & (events["wager_kind"] == MAIN) & (events["amount"] < least)
        under &= (governed != NOT) & minded[np.maximum(governed, 0)]
        for place in np.flatnonzero(under):
            self.undersized(log.shoes[shoes[place]]).add(log.players[events["player"][place]])


@cache
def _empty_shoe() -> Records:
    shoes = records_of(1, SHOE)
    new_shoe(shoes[0])
    return shoes


def readable_shoe(kept: Any, undersized: set[str]) -> Shoe:
    """A shoe of the kernel as the readable engine has it; ``undersized`` becomes part of it."""
    # Out of the record at once: by its fields takes as long as to replay a tenth of the round.
    held = dict(zip(SHOE.names or (), kept.tolist(), strict=True))
    reported = held["reported"]
    return Shoe(
        copies=Counter(
            {CARD_TEXTS[card]: count for card, count in enumerate(held["copies"].tolist()) if count}
        ),
        reported={CARD_TEXTS[card] for card in range(len(DECK)) if reported >> card & 1}
        if reported
        else set(),
        cut_card_round=_known(held["cut_card_round"]),
        cut_unseen=held["cut_unseen"],
        last_round=_known(held["last_round"]),
        stack=Stack(
            out=held["out"],
            decks=held["stack_decks"],
            last_round=held["stack_last_round"],
            whole=held["whole"],
            cut=held["cut"],
        ),
        decks=_known(held["decks"]),
        continuous=None if held["continuous"] == NOT else bool(held["continuous"]),
        continuous_noted=held["continuous_noted"],
        final_rounds=held["final_rounds"],
        undersized=undersized,
    )


def keep_shoe(shoe: Shoe, kept: Any) -> None:
    """A shoe of the readable engine as the kernel keeps it."""
    new_shoe(kept)
    for name, count in shoe.copies.items():
        if name in DECK:
            kept.copies[CARDS[name]] = count
    kept.reported = sum(1 << CARDS[name] for name in shoe.reported)
    kept.cut_card_round = _number(shoe.cut_card_round)
    kept.cut_unseen = shoe.cut_unseen
    kept.last_round = _number(shoe.last_round)
    kept.out = shoe.stack.out
    kept.stack_decks = shoe.stack.decks
    kept.stack_last_round = shoe.stack.last_round
    kept.whole = shoe.stack.whole
    kept.cut = shoe.stack.cut
    kept.decks = _number(shoe.decks)
    kept.continuous = NOT if shoe.continuous is None else int(shoe.continuous)
    kept.continuous_noted = shoe.continuous_noted
    kept.final_rounds = shoe.final_rounds


def _known(number: int) -> int | None:
    return None if number == NOT else number


def _number(known: int | None) -> int:
    return NOT if known is None else known
