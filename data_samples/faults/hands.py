"""Names for the hands that the pay tables name."""

from __future__ import annotations

from rules_replay.results import HandRow


def shape(hand: HandRow) -> str | None:
    """What a 21 is known by: ``pontoon``, ``678_spades``, ``four`` cards and more; None for any other."""
    if hand.total != 21:
        return None
    ranks = sorted(text[:-1] for text in hand.cards)
    for name in ("678", "777"):
        if ranks == list(name):
            return f"{name}_{_suits(hand)}"
    if len(hand.cards) == 2 and hand.split_from is None and hand.ended == "pontoon":
        return "pontoon"
    return {4: "four", 5: "five", 6: "six"}.get(len(hand.cards), "seven" if len(hand.cards) > 6 else None)


def _suits(hand: HandRow) -> str:
    suits = {text[-1] for text in hand.cards}
    if len(suits) > 1:
        return "mixed"
    return "spades" if suits == {"S"} else "suited"
