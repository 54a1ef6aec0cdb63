"""Which hand came from which, and whose cards are whose."""

from __future__ import annotations

from collections.abc import Iterator

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
    for hand, parent in pieces.parents.items():
        if parent == FIRST_HAND:
            pieces.parents[hand] = first.get(hand[0], FIRST_HAND)


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


def place_moved_cards(pieces: Pieces, written_with: str, order: str) -> None:
    """Put the cards that splits moved where the order of the events looks for them.

    A recorded order has them with the hand to which they were dealt, one by the rules with the
    hand that they begin. Raises `Unmapped` for a split hand that does not fit the one it came from.
    """
    if written_with == "both":
        _write_once(pieces)
    if order == "rules" and written_with == "parent":
        _move_on(pieces)
    elif order != "rules" and written_with != "parent":
        _move_back(pieces)


def _write_once(pieces: Pieces) -> None:
    """Of a card that is written with both hands leave the one with the new hand."""
    for hand, mine, others in _split_hands(pieces):
        if not mine or len(others) < 2 or mine[0].card != others[1].card:
            found = mine[0].card if mine else "no card"
            second = others[1].card if len(others) > 1 else "no second card"
            parent = hand[0], pieces.parents[hand]
            raise Unmapped(
                "splits.moved_card",
                f"{hand_words(hand)} begins with {found} and {hand_words(parent)} has {second}; "
                "expected the card that moved in both",
            )
        mine[0].at, mine[0].position = others[1].at, others[1].position
        pieces.cards.remove(others[1])


def _move_on(pieces: Pieces) -> None:
    for hand, _, others in _split_hands(pieces):
        if len(others) > 1:
            moved = others[1]
            moved.hand = hand
            pieces.cards.remove(moved)
            pieces.cards.insert(0, moved)


def _move_back(pieces: Pieces) -> None:
    for hand, mine in [(hand, _of(pieces, hand)) for hand in pieces.parents]:
        if mine:
            mine[0].hand = (hand[0], pieces.parents[hand])


def _split_hands(pieces: Pieces) -> Iterator[tuple[HandKey, list[CardPiece], list[CardPiece]]]:
    """Each hand that a split made, with its cards and those of the hand it came from, one by one."""
    for parent, hands in children_of(pieces).items():
        for hand in hands:
            yield hand, _of(pieces, hand), _of(pieces, parent)


def _of(pieces: Pieces, hand: HandKey) -> list[CardPiece]:
    return [card for card in pieces.cards if card.hand == hand and not card.cancelled]
