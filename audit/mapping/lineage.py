"""Which hand came from which, and whose cards are whose."""

from __future__ import annotations

from audit.mapping.errors import Unmapped
from audit.mapping.pieces import (
    FIRST_HAND,
    ActionPiece,
    CardPiece,
    HandKey,
    Pieces,
    WagerPiece,
    hand_words,
)


def settle_keys(pieces: Pieces) -> None:
    """Give things that name no hand the key of their box's first hand; the dealer has but one.

    Raises `Unmapped` for a box with two hands of which neither came from the other.
    """
    first: dict[int, str] = {}
    placed: list[CardPiece | WagerPiece | ActionPiece] = [*pieces.cards, *pieces.wagers, *pieces.actions]
    for each in placed:
        box, key = each.hand
        if box == 0 or key == FIRST_HAND or each.hand in pieces.parents:
            continue
        if first.setdefault(box, key) != key:
            raise Unmapped(
                "hands",
                f"box {box} has the hands {first[box]} and {key}, and nothing says that one was "
                "split from the other; map hands.parent, or the hand that a split made",
            )
    for each in placed:
        box, key = each.hand
        if box == 0:
            each.hand = (0, FIRST_HAND)
        elif key == FIRST_HAND:
            each.hand = (box, first.get(box, FIRST_HAND))


def children_of(pieces: Pieces) -> dict[HandKey, list[HandKey]]:
    """The hands split off each hand, in the order of the record; raises `Unmapped` for a circle."""
    found: dict[HandKey, list[HandKey]] = {}
    for hand, parent in pieces.parents.items():
        at, seen = hand, {hand}
        while at in pieces.parents:
            at = (hand[0], pieces.parents[at])
            if at in seen:
                raise Unmapped("hands", f"{hand_words(hand)} comes from itself")
            seen.add(at)
        found.setdefault((hand[0], parent), []).append(hand)
    return found


def written_once(pieces: Pieces) -> None:
    """Where a card that a split moved is written with both hands, leave it with the new one alone.

    Raises `Unmapped` where the new hand does not begin with the other's second card.
    """
    for parent, hands in children_of(pieces).items():
        for hand in hands:
            mine, others = _of(pieces, hand), _of(pieces, parent)
            if not mine or len(others) < 2 or mine[0].card != others[1].card:
                found = mine[0].card if mine else "no card"
                second = others[1].card if len(others) > 1 else "no second card"
                raise Unmapped(
                    "splits.moved_card",
                    f"{hand_words(hand)} begins with {found} and {hand_words(parent)} has {second}; "
                    "expected the card that moved in both",
                )
            mine[0].at, mine[0].position = others[1].at, others[1].position
            pieces.cards.remove(others[1])


def moved_back(pieces: Pieces) -> None:
    """Give each card that a split moved back to the hand to which it was dealt."""
    first = [(hand, _of(pieces, hand)) for hand in pieces.parents]
    for hand, mine in first:
        if mine:
            mine[0].hand = (hand[0], pieces.parents[hand])


def _of(pieces: Pieces, hand: HandKey) -> list[CardPiece]:
    return [card for card in pieces.cards if card.hand == hand and not card.cancelled]
