"""Every card of every shoe in turn: what the chances were just before it came.

Arrays, all of ``int64`` unless said:

- ``cards``: place in the deck of 48, below 0 for none of them; ``rounds``: number of its round;
  ``boxes``, ``hands``: where it went; ``burned``: 1 where it went nowhere. Shape (cards,).
- ``shoes``, ``decks``, ``returned``, ``quiet``, ``plays``: by round: number of the shoe, its decks, 1 where
  the cards go back after each round, 1 where the round is counted, 1 where the dealer has to play
  his hand to the end. Shape (rounds,).
- ``split``: 1 by (round, box) where a box was split. Shape (rounds, 100).

Cards not seen are as likely to come as one another: those left, those burned face down and those
of rounds that are not in the log. So the chance of a card is its copies not yet seen over the cards
not yet seen, whatever was played before.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from audit.surveil.compiled import compiled

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

RANKS = 12
CARDS = 48
VALUES = 11

PONTOON, PAIR, PERFECT_PAIR, THREE_CARDS, MANY_CARDS, FINALS = 0, 1, 2, 3, 4, 5
"""Kinds of trials; from `FINALS` on the dealer's totals 17 to 21, Pontoon and bust."""

BUST = 6
FINAL_COUNT = 7

MOST_CARDS = 9
"""Cards of a hand after which none is looked at; one that was not read counts as so many."""

NOT_WHOLE = 99
"""The dealer's number of cards once one of them was not read."""


@compiled
def value_of(rank: int) -> int:
    """Point value of a rank by its place, ace 1."""
    if rank >= 9:
        return 10
    return rank + 1


@compiled
def final_of(points: int, ace: bool, drawn: int) -> int:
    """Where a dealer's hand of the first card and so many more stops; -1 while it draws."""
    soft = ace and points <= 11
    total = points + 10 if soft else points
    if drawn == 0 or total <= 16 or (soft and total == 17):
        return -1
    if total > 21:
        return BUST
    if total == 21 and drawn == 1:
        return 5
    return total - 17


@compiled
def play_on(left: Ints, cards_left: int, points: int, ace: int, chances: Floats) -> None:
    """Add the probability of every final of a dealer's one card to ``chances``, a card at a time.

    Depth first, with the cards drawn so far on a stack of its own: at most 22 of them.
    """
    values = np.zeros(24, dtype=np.int64)
    sums = np.zeros(24, dtype=np.int64)
    aces = np.zeros(24, dtype=np.int64)
    weights = np.zeros(24, dtype=np.float64)
    depth = 0
    sums[0], aces[0], weights[0] = points, ace, 1.0
    while depth >= 0:
        last = values[depth]
        if last > 0:
            left[last] += 1
        value = last + 1
        while value < VALUES and left[value] <= 0:
            value += 1
        if value >= VALUES:
            values[depth] = 0
            depth -= 1
            continue
        values[depth] = value
        chance = weights[depth] * left[value] / (cards_left - depth)
        left[value] -= 1
        total = sums[depth] + value
        has_ace = 1 if (aces[depth] == 1 or value == 1) else 0
        final = final_of(total, has_ace == 1, depth + 1)
        if final >= 0 or cards_left - depth <= 1:
            if final >= 0:
                chances[final] += chance
            continue
        depth += 1
        values[depth] = 0
        sums[depth], aces[depth], weights[depth] = total, has_ace, chance


@compiled
def second_card(
    first: int, card: int, left: Ints, by_rank: Ints, by_value: Ints, likely: Floats, made: Ints
) -> None:
    """By kind the copies left of what makes one of the first two cards of a box, and whether this did."""
    rank = first % RANKS
    value = value_of(card % RANKS)
    if rank == 0:
        likely[PONTOON], made[PONTOON] = by_value[10], value == 10
    elif rank >= 9:
        likely[PONTOON], made[PONTOON] = by_value[1], value == 1
    likely[PAIR], made[PAIR] = by_rank[rank], card % RANKS == rank
    likely[PERFECT_PAIR], made[PERFECT_PAIR] = left[first], card == first


@compiled
def third_card(first: int, second: int, card: int, by_value: Ints, likely: Floats, made: Ints) -> None:
    """The same of a third, for 6, 7 and 8 or three sevens."""
    one = value_of(first % RANKS)
    two = value_of(second % RANKS)
    wanted = 0
    if one == 7 and two == 7:
        wanted = 7
    elif one != two and one >= 6 and one <= 8 and two >= 6 and two <= 8:
        wanted = 21 - one - two
    if wanted > 0:
        likely[THREE_CARDS], made[THREE_CARDS] = by_value[wanted], value_of(card % RANKS) == wanted


@compiled
def later_card(
    total: int, ace: bool, card: int, unseen: int, by_value: Ints, likely: Floats, made: Ints
) -> None:
    """The same of a fifth or later card to a hand of so many points, for 21; ``ace``: it holds one."""
    value = value_of(card % RANKS)
    wanted = 21 - total
    soft = 11 - total if ace and total <= 10 else 0
    fits = 0
    if wanted >= 1 and wanted <= 10:
        fits += by_value[wanted]
    if soft >= 1 and soft != wanted:
        fits += by_value[soft]
    if not ace and total == 10:
        fits += by_value[1]
    # A card that is certain to come is no trial.
    if fits < unseen:
        likely[MANY_CARDS] = fits
        made[MANY_CARDS] = (
            value == wanted or (soft >= 1 and value == soft) or (not ace and total == 10 and value == 1)
        )


@compiled
def note(
    count: int,
    first: int,
    likely: Floats,
    made: Ints,
    at: int,
    box: int,
    kinds: Ints,
    of_round: Ints,
    of_box: Ints,
    chances: Floats,
    hits: Ints,
) -> int:
    """Add a trial of each kind, from the ``first`` on, that had a chance; the number of trials then."""
    for each in range(likely.shape[0]):
        if likely[each] > 0.0:
            kinds[count], of_round[count], of_box[count] = first + each, at, box
            chances[count], hits[count] = likely[each], made[each]
            count += 1
    return count


@compiled
def walk(
    cards: Ints,
    rounds: Ints,
    boxes: Ints,
    hands: Ints,
    burned: Ints,
    shoes: Ints,
    decks: Ints,
    returned: Ints,
    quiet: Ints,
    plays: Ints,
    split: Ints,
    kinds: Ints,
    of_round: Ints,
    of_box: Ints,
    chances: Floats,
    hits: Ints,
    seen: Ints,
    broken: Ints,
) -> int:
    """Fill the trials, and by shoe the copies ``seen`` of each card; the number of trials.

    ``kinds``, ``of_round``, ``of_box``, ``chances``, ``hits`` take the trials; ``broken`` gets the number
    of the first round of a shoe that holds a card it cannot hold, else it stays -1.
    """
    count = 0
    left = np.zeros(CARDS, dtype=np.int64)
    by_value = np.zeros(VALUES, dtype=np.int64)
    by_rank = np.zeros(RANKS, dtype=np.int64)
    held = np.zeros((100, 3), dtype=np.int64)
    number = np.zeros(100, dtype=np.int64)
    points = np.zeros(100, dtype=np.int64)
    aces = np.zeros(100, dtype=np.int64)
    likely = np.zeros(FINALS, dtype=np.float64)
    made = np.zeros(FINALS, dtype=np.int64)
    dealer = np.zeros(FINAL_COUNT, dtype=np.float64)
    ended_on = np.zeros(FINAL_COUNT, dtype=np.int64)
    unseen = 0
    shoe = -1
    at = -1
    dealer_points = 0
    dealer_ace = 0
    dealer_cards = 0
    dealer_final = -1
    expecting = False
    total_draws = cards.shape[0]
    for place in range(total_draws + 1):
        ended = place == total_draws
        if ended or rounds[place] != at:
            if expecting and dealer_final >= 0:
                ended_on[:] = 0
                ended_on[dealer_final] = 1
                for each in range(FINAL_COUNT):
                    # A total that is certain is no trial.
                    if dealer[each] >= 1.0:
                        dealer[each] = 0.0
                count = note(count, FINALS, dealer, ended_on, at, 0, kinds, of_round, of_box, chances, hits)
            if ended:
                break
            at = rounds[place]
            expecting = False
            dealer_points, dealer_ace, dealer_cards, dealer_final = 0, 0, 0, -1
            number[:] = 0
            points[:] = 0
            aces[:] = 0
            if shoes[at] != shoe or returned[at] == 1:
                shoe = shoes[at]
                unseen = CARDS * decks[at]
                left[:] = decks[at]
                by_rank[:] = 4 * decks[at]
                by_value[:] = 4 * decks[at]
                by_value[10] = 12 * decks[at]
                by_value[0] = 0
        card = cards[place]
        if card == -1:
            if burned[place] == 0:
                box = boxes[place]
                number[box] = MOST_CARDS
                if box == 0:
                    expecting = False
                    dealer_cards = NOT_WHOLE
            continue
        if broken[shoe] >= 0:
            continue
        if card < -1 or left[card] <= 0:
            broken[shoe] = at
            expecting = False
            continue
        rank = card % RANKS
        value = value_of(rank)
        if burned[place] == 0 and quiet[at] == 1:
            box = boxes[place]
            if box == 0:
                if dealer_cards == 1 and plays[at] == 1:
                    dealer[:] = 0.0
                    play_on(by_value, unseen, dealer_points, dealer_ace, dealer)
                    expecting = True
                dealer_points += value
                if rank == 0:
                    dealer_ace = 1
                dealer_cards += 1
                if dealer_final < 0 and dealer_cards < NOT_WHOLE:
                    dealer_final = final_of(dealer_points, dealer_ace == 1, dealer_cards - 1)
            elif hands[place] == 1 and number[box] < MOST_CARDS:
                nth = number[box]
                likely[:] = 0.0
                made[:] = 0
                if nth == 1:
                    second_card(held[box, 0], card, left, by_rank, by_value, likely, made)
                elif nth == 2 and split[at, box] == 0:
                    third_card(held[box, 0], held[box, 1], card, by_value, likely, made)
                elif nth >= 4 and split[at, box] == 0:
                    later_card(points[box], aces[box] == 1, card, unseen, by_value, likely, made)
                likely /= unseen
                count = note(count, 0, likely, made, at, box, kinds, of_round, of_box, chances, hits)
                if nth < 3:
                    held[box, nth] = card
                points[box] += value
                if rank == 0:
                    aces[box] = 1
                number[box] = nth + 1
        left[card] -= 1
        by_rank[rank] -= 1
        by_value[value] -= 1
        unseen -= 1
        if returned[at] == 0:
            seen[shoe, card] += 1
    return count
