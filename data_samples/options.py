"""Which options are open on a hand under a rulebook, and amounts a sign allows for them."""

from __future__ import annotations

from random import Random
from typing import cast

from data_samples.law import Law
from data_samples.plan import Move
from data_samples.players import Habit, View, decision
from data_samples.state import Hand, Stake
from data_samples.tables import Sign
from rules_replay.log import Amount


def open_to(hand: Hand, law: Law, *, hands: int, declined: bool) -> frozenset[str]:
    """The options on a hand that is not finished."""
    found = {"hit"}
    if hand.total(law).points >= 12:
        found.add("stand")
    if may_split(hand, law, hands=hands, declined=declined):
        found.add("split")
    if may_double(hand, law):
        found.add("double")
    return frozenset(found)


def may_split(hand: Hand, law: Law, *, hands: int, declined: bool) -> bool:
    """Two cards of equal value; aces once; a limit of hands; adelaide-2008 67(b) and 68."""
    if len(hand.cards) != 2 or hand.cards[0].value != hand.cards[1].value or hand.split_aces:
        return False
    return hands < law.hands_per_box and (law.split_after_declining or not declined)


def may_double(hand: Hand, law: Law) -> bool:
    """act-2018 12.1, nz-2000 12.1, rws-2017 3.14, adelaide-2008 62; split aces never."""
    count = hand.total(law)
    if hand.doubled or hand.split_aces or count.points >= 21:
        return False
    if law.double_on == "two_cards_or_three_plus":
        return True
    if len(hand.cards) != 2:
        return False
    return law.double_on == "two_cards" or (not count.soft and count.points in (9, 10, 11))


def view(hand: Hand, law: Law, upcard: int, options: frozenset[str]) -> View:
    """What a player looks at before he answers."""
    return View(
        values=tuple(card.value for card in hand.cards),
        total=hand.total(law),
        upcard=upcard,
        options=options,
    )


def decide(habit: Habit, seen: View, rng: Random) -> Move:
    """A lawful decision by the player's habit."""
    return cast(Move, decision(habit, seen, rng))


def insurance_of(main: Stake, sign: Sign, law: Law) -> int:
    """Half the wager that counts, down to half of the smallest chip (act-2018 7.4, nz-2000 10.4(b))."""
    counts = main.amount
    if law.cuts_at_maximum and main.limit is None:
        counts = min(counts, sign.maximum * 1000)
    if sign.smallest_chip is None:
        return counts // 2
    step = Amount.parse(sign.smallest_chip) // 2
    return counts // 2 // step * step


def double_for_less(stake: int, sign: Sign) -> int:
    """About half the wager in the sign's multiples, and the whole where that is too little."""
    step = sign.step * 1000
    return stake // 2 // step * step or stake
