"""Rounds played by basic strategy from true shoes, in compiled loops of whole numbers.

One player on one box. Amounts are counted in *units*: the initial wager is a number of
units that makes every payout and every half a whole number. Nothing here is shared with
the engine; a test settles the same rounds with both.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm, sqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from data_samples.odds.compiled import compiled, inlined
from data_samples.odds.rules import ROWS, Rules
from data_samples.odds.strategy import (
    AT_RISK,
    DOUBLE,
    FORFEIT,
    PAIRS,
    SPARED,
    SPLIT,
    STAND,
    SURRENDER,
    UNSPLIT,
    Strategy,
    Table,
)

Whole: TypeAlias = npt.NDArray[np.int64]
Word: TypeAlias = npt.NDArray[np.uint64]

BLOCK = 1_000_000
"""Rounds that share one stream of random numbers; results add up over blocks in any order."""

MOST_HANDS = 8
MOST_CARDS = 24

UNIT = 0
HANDS = 1
ACES_ONCE = 2
ACES_DRAW = 3
FIXED_ACES = 4
DOUBLED_21 = 5
BUST_RETURNS = 6
PONTOON_SPLIT = 7
PONTOON_DOUBLE = 8
ANY_COUNT = 9
SUPER = 10
SUPER_INSTEAD = 11
SUPER_AFTER_SPLIT = 12
PARAMETERS = 13

NO_ACES, INITIAL_ACES, FIRST_TWO_ACES = 0, 1, 2
AT_ONCE, HELD_BEATS_21, HELD = 0, 1, 2
ALL, CAP, PLUS_ONE, STACK = 0, 1, 2, 3
PER_BOX, PER_HAND, BOTH = 0, 1, 2

ROW_PONTOON, ROW_FIVE, ROW_678, ROW_777, ROW_OTHER, ROW_DOUBLED = 0, 1, 4, 7, 10, 11
"""Places in `ROWS`; six and seven cards, suited and spades follow their first row."""

COUNT, POINTS, FLAGS, DOUBLED, PLACE, TOTAL = 0, 1, 2, 3, 4, 5
HAND_FIELDS = 6
LIVE, BUST, WON, FORFEITED, SURRENDERED = 0, 1, 2, 3, 4

NEXT, NOTED, TRACING = 0, 1, 2
STATE_FIELDS = 3
DEAL_, SPLIT_, DOUBLE_, STAND_, FORFEIT_, SURRENDER_ = 0, 1, 2, 3, 4, 5
"""What a trace notes: the kind, the hand (0 the dealer's, else from 1), a card or another hand."""

SUM, SQUARES, SUPER_SUM, SPLITS, DOUBLES, FORFEITS, SURRENDERS = 0, 1, 2, 3, 4, 5, 6
TALLIES = 7


@inlined
def _random(stream: Word) -> np.uint64:
    """The next 64 bits: a counter, mixed (splitmix64)."""
    stream[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = stream[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return np.uint64(mixed)


@inlined
def _draw(shoe: Whole, state: Whole, stream: Word) -> int:
    """A card out of those left, each as likely as another; a shuffle made one card at a time."""
    here = state[NEXT]
    left = np.uint64(shoe.size - here)
    other = here + np.int64(((_random(stream) >> np.uint64(32)) * left) >> np.uint64(32))
    card: int = shoe[other]
    shoe[other] = shoe[here]
    shoe[here] = card
    state[NEXT] = here + 1
    return card


@inlined
def _note(trace: Whole, state: Whole, kind: int, hand: int, what: int) -> None:
    if state[TRACING]:
        trace[state[NOTED], 0] = kind
        trace[state[NOTED], 1] = hand
        trace[state[NOTED], 2] = what
        state[NOTED] += 1


@inlined
def _total(points: int, ace: bool) -> int:
    return points + 10 if ace and points <= 11 else points


@inlined
def _give(
    rules: Whole,
    hand: int,
    split: bool,
    cards: Whole,
    hands: Whole,
    shoe: Whole,
    state: Whole,
    stream: Word,
    trace: Whole,
) -> None:
    """Deal a card to a hand; an ace among the first two is one that a double may fix."""
    card = _draw(shoe, state, stream)
    _note(trace, state, DEAL_, hand + 1, card)
    count = hands[hand, COUNT]
    value = min(card // 4, 10)
    cards[hand, count] = card
    hands[hand, COUNT] = count + 1
    hands[hand, POINTS] += value
    if value == 1:
        fixed = rules[FIXED_ACES]
        first = count < 2 and (fixed == FIRST_TWO_ACES or (fixed == INITIAL_ACES and not split))
        hands[hand, FLAGS] |= 1 if first else 2


@inlined
def _special(cards: Whole, hand: int) -> int:
    """Whether two cards are on the way to 6-7-8 or 7-7-7, and in which suits; 0 where not."""
    one, two = cards[hand, 0] // 4, cards[hand, 1] // 4
    if one < 6 or one > 8 or two < 6 or two > 8 or (one == two and one != 7):
        return 0
    base = 4 if one == two else 1
    if cards[hand, 0] % 4 != cards[hand, 1] % 4:
        return base
    return base + 2 if cards[hand, 0] % 4 == 0 else base + 1


@inlined
def _row_21(cards: Whole, hand: int, count: int) -> int:
    """The payout row of an undoubled 21 that is no Pontoon."""
    if count == 3:
        ranks = sorted([cards[hand, 0] // 4, cards[hand, 1] // 4, cards[hand, 2] // 4])
        straight = ranks[0] == 6 and ranks[1] == 7 and ranks[2] == 8
        if straight or (ranks[0] == 7 and ranks[2] == 7):
            row = ROW_678 if straight else ROW_777
            suit = cards[hand, 0] % 4
            if cards[hand, 1] % 4 != suit or cards[hand, 2] % 4 != suit:
                return row
            return row + 2 if suit == 0 else row + 1
    return _count_row(count)


@inlined
def _count_row(count: int) -> int:
    return ROW_FIVE + min(count, 7) - 5 if count >= 5 else ROW_OTHER


@inlined
def _sheet(rules: Whole, hand: int, boxed: int, hands: Whole) -> int:
    """The sheet of the strategy that a hand is played by."""
    if boxed == 1:
        return UNSPLIT
    taken = rules[PONTOON_SPLIT]
    if taken == ALL:
        return AT_RISK
    if taken == STACK:
        return AT_RISK if hand == 0 else SPARED
    lost = 0
    live = boxed - 1 - hand
    for earlier in range(hand):
        place = hands[earlier, PLACE]
        lost += place in (BUST, FORFEITED)
        live += place == LIVE
    if taken == CAP:
        return SPARED if lost > 0 else AT_RISK
    return SPARED if live > 0 else AT_RISK


@inlined
def _play_double(
    rules: Whole,
    doubled: Table,
    pays: Whole,
    upcard: int,
    sheet: int,
    hand: int,
    split: bool,
    cards: Whole,
    hands: Whole,
    shoe: Whole,
    state: Whole,
    stream: Word,
    trace: Whole,
) -> int:
    """The card of a double and what the player then does; the net that is decided by it."""
    unit: int = rules[UNIT]
    even: int = pays[ROW_DOUBLED]
    _note(trace, state, DOUBLE_, hand + 1, 0)
    hands[hand, DOUBLED] = 1
    while True:
        _give(rules, hand, split, cards, hands, shoe, state, stream, trace)
        points = hands[hand, POINTS]
        ace = hands[hand, FLAGS] & 2 != 0
        total = _total(points, ace)
        hands[hand, TOTAL] = total
        if total > 21:
            hands[hand, PLACE] = BUST
            return -2 * unit
        if total == 21:
            if rules[DOUBLED_21] == AT_ONCE:
                hands[hand, PLACE] = WON
                return 2 * even
            return 0
        action = doubled[sheet, upcard, points, 1 if ace else 0]
        if action == FORFEIT:
            _note(trace, state, FORFEIT_, hand + 1, 0)
            hands[hand, PLACE] = FORFEITED
            return -unit
        if action == STAND:
            return 0


@inlined
def _play_hand(
    rules: Whole,
    play: Table,
    doubled: Table,
    pays: Whole,
    upcard: int,
    hand: int,
    boxed: int,
    cards: Whole,
    hands: Whole,
    shoe: Whole,
    state: Whole,
    stream: Word,
    trace: Whole,
) -> int:
    """Play a hand of two cards to its end; the net that is decided by it."""
    unit: int = rules[UNIT]
    split = boxed > 1
    sheet = _sheet(rules, hand, boxed, hands)
    while True:
        count = hands[hand, COUNT]
        points = hands[hand, POINTS]
        flags = hands[hand, FLAGS]
        total = _total(points, flags != 0)
        hands[hand, TOTAL] = total
        if total > 21:
            hands[hand, PLACE] = BUST
            return -unit
        if total == 21:
            hands[hand, PLACE] = WON
            paid: int = pays[_row_21(cards, hand, count)]
            return paid
        special = _special(cards, hand) if count == 2 else 0
        action = play[sheet, upcard, min(count, 7), points, flags, special]
        if action == STAND:
            _note(trace, state, STAND_, hand + 1, 0)
            return 0
        if action == DOUBLE:
            return _play_double(
                rules, doubled, pays, upcard, sheet, hand, split, cards, hands, shoe, state, stream, trace
            )
        _give(rules, hand, split, cards, hands, shoe, state, stream, trace)


@inlined
def _split(hand: int, boxed: int, cards: Whole, hands: Whole, state: Whole, trace: Whole) -> None:
    """The second card of a pair moves to a new hand."""
    _note(trace, state, SPLIT_, hand + 1, boxed + 1)
    hands[boxed, :] = 0
    cards[boxed, 0] = cards[hand, 1]
    value = min(cards[hand, 1] // 4, 10)
    for each in (hand, boxed):
        hands[each, COUNT] = 1
        hands[each, POINTS] = value
        hands[each, FLAGS] = 1 if value == 1 else 0


@inlined
def _suited_sevens(cards: Whole, hand: int, count: int) -> bool:
    for place in range(count):
        if cards[hand, place] // 4 != 7 or cards[hand, place] % 4 != cards[hand, 0] % 4:
            return False
    return True


@inlined
def _play_box(
    rules: Whole,
    play: Table,
    doubled: Table,
    pays: Whole,
    upcard: int,
    splits: bool,
    cards: Whole,
    hands: Whole,
    shoe: Whole,
    state: Whole,
    stream: Word,
    trace: Whole,
    result: Whole,
) -> int:
    """Play every hand of the box; ``result`` gets the net decided and the Super Bonus."""
    boxed = 1
    suited_sevens_split = False
    hand = 0
    while hand < boxed:
        if hands[hand, COUNT] == 1:
            _give(rules, hand, True, cards, hands, shoe, state, stream, trace)
        pair = hands[hand, COUNT] == 2 and min(cards[hand, 0] // 4, 10) == min(cards[hand, 1] // 4, 10)
        aces = cards[hand, 0] // 4 == 1
        again = boxed == 1 or not (aces and rules[ACES_ONCE])
        if splits and pair and again and boxed < rules[HANDS]:
            suited_sevens_split |= _suited_sevens(cards, hand, 2)
            _split(hand, boxed, cards, hands, state, trace)
            boxed += 1
            continue
        if boxed > 1 and aces and not rules[ACES_DRAW] and _total(hands[hand, POINTS], True) < 21:
            hands[hand, TOTAL] = _total(hands[hand, POINTS], True)
            _note(trace, state, STAND_, hand + 1, 0)
        else:
            net = _play_hand(
                rules, play, doubled, pays, upcard, hand, boxed, cards, hands, shoe, state, stream, trace
            )
            if (
                upcard == 7
                and hands[hand, PLACE] == WON
                and hands[hand, COUNT] == 3
                and not hands[hand, DOUBLED]
            ):
                allowed = boxed == 1 or (rules[SUPER_AFTER_SPLIT] and not suited_sevens_split)
                if allowed and rules[SUPER] and _suited_sevens(cards, hand, 3):
                    result[1] += rules[SUPER]
                    net = 0 if rules[SUPER_INSTEAD] else net
            result[0] += net
        hand += 1
    return boxed


@inlined
def _against_pontoon(rules: Whole, boxed: int, hands: Whole) -> int:
    """Net of the live hands, and of what a bust doubled hand gets back, when the dealer makes Pontoon."""
    unit: int = rules[UNIT]
    net = 0
    live = doubled_live = lost = 0
    for hand in range(boxed):
        place = hands[hand, PLACE]
        stakes = 2 if hands[hand, DOUBLED] else 1
        if place == LIVE:
            live += 1
            doubled_live += hands[hand, DOUBLED]
        elif place == BUST:
            lost += stakes
            if rules[BUST_RETURNS] and hands[hand, DOUBLED]:
                net += unit
        elif place == FORFEITED:
            lost += 1
    if live == 0:
        return net
    taken = rules[PONTOON_SPLIT]
    if boxed > 1 and (taken == ALL or (rules[PONTOON_DOUBLE] == PER_HAND and doubled_live > 0)):
        due = live
    elif boxed > 1 and taken == CAP:
        due = max(0, 1 - lost)
    elif boxed > 1 and taken == STACK:
        due = 1 if hands[0, PLACE] == LIVE or hands[0, PLACE] == WON else 0
    else:
        due = 1
    if rules[PONTOON_DOUBLE] == BOTH:
        due += doubled_live
    return net - due * unit


@inlined
def _against_total(rules: Whole, pays: Whole, boxed: int, hands: Whole, dealer: int) -> int:
    """Net of the live hands against a dealer without Pontoon."""
    net = 0
    for hand in range(boxed):
        if hands[hand, PLACE] != LIVE:
            continue
        total = hands[hand, TOTAL]
        stakes = 2 if hands[hand, DOUBLED] else 1
        beats = total == 21 and dealer == 21 and rules[DOUBLED_21] == HELD_BEATS_21
        if dealer > 21 or total > dealer or beats:
            if stakes == 2:
                net += 2 * pays[ROW_DOUBLED]
            elif rules[ANY_COUNT]:
                net += pays[_count_row(hands[hand, COUNT])]
            else:
                net += pays[ROW_OTHER]
        elif total < dealer:
            net -= stakes * rules[UNIT]
    return net


@inlined
def _dealer(first: int, to_the_end: bool, shoe: Whole, state: Whole, stream: Word, trace: Whole) -> int:
    """The dealer's total, 0 for Pontoon; one further card where nothing turns on the total."""
    points = min(first // 4, 10)
    ace = points == 1
    count = 1
    while True:
        card = _draw(shoe, state, stream)
        _note(trace, state, DEAL_, 0, card)
        value = min(card // 4, 10)
        points += value
        ace = ace or value == 1
        count += 1
        soft = ace and points <= 11
        total = points + 10 if soft else points
        if count == 2 and total == 21:
            return 0
        if not to_the_end or (total > 17 if soft else total > 16):
            return total


@compiled
def _play_round(
    rules: Whole,
    play: Table,
    doubled: Table,
    opening: Table,
    pays: Whole,
    cards: Whole,
    hands: Whole,
    shoe: Whole,
    state: Whole,
    stream: Word,
    trace: Whole,
    tallies: Whole,
    result: Whole,
) -> None:
    """One round; ``result`` gets the net without the Super Bonus, and the Super Bonus."""
    result[:] = 0
    hands[0, :] = 0
    _give(rules, 0, False, cards, hands, shoe, state, stream, trace)
    first = _draw(shoe, state, stream)
    _note(trace, state, DEAL_, 0, first)
    upcard = min(first // 4, 10)
    _give(rules, 0, False, cards, hands, shoe, state, stream, trace)
    points, flags = hands[0, POINTS], hands[0, FLAGS]
    if flags != 0 and points == 11:
        result[0] = pays[ROW_PONTOON]
        return
    pair = min(cards[0, 0] // 4, 10) == min(cards[0, 1] // 4, 10)
    choice = opening[upcard, points + PAIRS if pair else points, flags, _special(cards, 0)]
    boxed = 1
    if choice == SURRENDER:
        _note(trace, state, SURRENDER_, 1, 0)
        hands[0, PLACE] = SURRENDERED
        tallies[SURRENDERS] += 1
    else:
        boxed = _play_box(
            rules,
            play,
            doubled,
            pays,
            upcard,
            choice == SPLIT,
            cards,
            hands,
            shoe,
            state,
            stream,
            trace,
            result,
        )
    live = second = beaten_by_pontoon_alone = False
    for hand in range(boxed):
        held = hands[hand, PLACE] == LIVE and hands[hand, DOUBLED] and hands[hand, TOTAL] == 21
        held = held and rules[DOUBLED_21] == HELD_BEATS_21
        live |= hands[hand, PLACE] == LIVE and not held
        beaten_by_pontoon_alone |= held
        second |= hands[hand, PLACE] == SURRENDERED
        bust_double = hands[hand, PLACE] == BUST and hands[hand, DOUBLED]
        second |= (held or (bust_double and rules[BUST_RETURNS])) and (upcard == 1 or upcard == 10)
        tallies[DOUBLES] += hands[hand, DOUBLED]
        tallies[FORFEITS] += hands[hand, PLACE] == FORFEITED
    tallies[SPLITS] += boxed - 1
    if not live and not second:
        if beaten_by_pontoon_alone:
            result[0] += _against_total(rules, pays, boxed, hands, 0)
        return
    dealer = _dealer(first, live, shoe, state, stream, trace)
    if choice == SURRENDER:
        result[0] -= rules[UNIT] if dealer == 0 else rules[UNIT] // 2
    elif dealer == 0:
        result[0] += _against_pontoon(rules, boxed, hands)
    elif live or beaten_by_pontoon_alone:
        result[0] += _against_total(rules, pays, boxed, hands, dealer)


@compiled
def _play_block(
    rules: Whole,
    play: Table,
    doubled: Table,
    opening: Table,
    pays: Whole,
    decks: int,
    cut: int,
    rounds: int,
    stream: Word,
) -> Whole:
    """Sums over rounds from shoes that are shuffled once ``cut`` cards are out."""
    shoe = _new_shoe(decks)
    cards = np.zeros((MOST_HANDS, MOST_CARDS), dtype=np.int64)
    hands = np.zeros((MOST_HANDS, HAND_FIELDS), dtype=np.int64)
    state = np.zeros(STATE_FIELDS, dtype=np.int64)
    trace = np.zeros((1, 3), dtype=np.int64)
    tallies = np.zeros(TALLIES, dtype=np.int64)
    result = np.zeros(2, dtype=np.int64)
    for _ in range(rounds):
        if state[NEXT] >= cut:
            state[NEXT] = 0
        _play_round(
            rules, play, doubled, opening, pays, cards, hands, shoe, state, stream, trace, tallies, result
        )
        net = result[0] + result[1]
        tallies[SUM] += net
        tallies[SQUARES] += net * net
        tallies[SUPER_SUM] += result[1]
    return tallies


@compiled
def _new_shoe(decks: int) -> Whole:
    """The cards of a shoe: four times the rank (1 an ace, 10 to 12 the pictures) and the suit, 0 spades."""
    shoe = np.zeros(decks * 48, dtype=np.int64)
    for place in range(decks * 48):
        shoe[place] = 4 + place % 48
    return shoe


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A rule set and a strategy as the compiled loops take them; ``unit`` units are one initial wager."""

    unit: int
    decks: int
    parameters: Whole
    pays: Whole
    strategy: Strategy


def game_of(rules: Rules, strategy: Strategy) -> Game:
    """Rules and strategy as whole numbers; ``ValueError`` where a box may be split too often."""
    if rules.hands_per_box > MOST_HANDS:
        raise ValueError(f"{rules.hands_per_box} hands from a box: expected at most {MOST_HANDS}")
    unit = lcm(2, *(odds.denominator for odds in rules.odds), rules.super_bonus.denominator)
    parameters = np.zeros(PARAMETERS, dtype=np.int64)
    parameters[UNIT] = unit
    parameters[HANDS] = rules.hands_per_box
    parameters[ACES_ONCE] = rules.aces_split_once
    parameters[ACES_DRAW] = rules.split_aces_draw
    parameters[FIXED_ACES] = ("none", "initial_deal", "first_two_of_hand").index(rules.fixed_aces)
    parameters[DOUBLED_21] = ("wins_at_once", "held_beats_21", "held").index(rules.doubled_21)
    parameters[BUST_RETURNS] = ("lost_at_bust", "original_only").index(rules.doubled_bust)
    parameters[PONTOON_SPLIT] = ("all", "original_cap", "busted_plus_one", "original_stack").index(
        rules.pontoon_split
    )
    parameters[PONTOON_DOUBLE] = ("original_per_box", "original_per_hand", "all").index(rules.pontoon_double)
    parameters[ANY_COUNT] = ("total_21", "any_winning_hand").index(rules.card_count_rows)
    parameters[SUPER] = int(rules.super_bonus * unit)
    parameters[SUPER_INSTEAD] = rules.super_bonus_instead
    parameters[SUPER_AFTER_SPLIT] = rules.super_bonus_excluded_by == "suited_sevens_split_or_double"
    pays = np.array([int(rules.odds[place] * unit) for place in range(len(ROWS))], dtype=np.int64)
    return Game(unit=unit, decks=rules.decks, parameters=parameters, pays=pays, strategy=strategy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a simulation counted: sums of units over rounds, and how often options were taken."""

    unit: int
    rounds: int
    net: int
    squares: int
    super_bonus: int
    splits: int
    doubles: int
    forfeits: int
    surrenders: int

    @property
    def edge(self) -> float:
        """House edge in per cent of the initial wager."""
        return -100 * self.net / (self.unit * self.rounds)

    @property
    def error(self) -> float:
        """Standard error of the edge, in per cent of the initial wager."""
        mean = self.net / self.rounds
        variance = self.squares / self.rounds - mean * mean
        return 100 * sqrt(variance / self.rounds) / self.unit

    @property
    def super_bonus_share(self) -> float:
        """What Super Bonuses paid, in per cent of the initial wager."""
        return 100 * self.super_bonus / (self.unit * self.rounds)


def stream_of(seed: int, block: int) -> Word:
    """The stream of random numbers of a block; another seed or block, another place in the cycle."""
    stream = np.array([seed % 2**64], dtype=np.uint64)
    start = int(_random(stream)) ^ block
    stream[0] = start
    stream[0] = _random(stream)
    return stream


def simulate(game: Game, rounds: int, seed: int, dealt: float = 0.5) -> Tally:
    """Play rounds; the same seed and number of rounds give the same sums.

    ``dealt`` is the share of the shoe after which it is shuffled before the next round.
    """
    sums = np.zeros(TALLIES, dtype=np.int64)
    cut = int(game.decks * 48 * dealt)
    plan = game.strategy
    for block, start in enumerate(range(0, rounds, BLOCK)):
        sums += _play_block(
            game.parameters,
            plan.play,
            plan.doubled,
            plan.opening,
            game.pays,
            game.decks,
            cut,
            min(BLOCK, rounds - start),
            stream_of(seed, block),
        )
    return Tally(
        unit=game.unit,
        rounds=rounds,
        net=int(sums[SUM]),
        squares=int(sums[SQUARES]),
        super_bonus=int(sums[SUPER_SUM]),
        splits=int(sums[SPLITS]),
        doubles=int(sums[DOUBLES]),
        forfeits=int(sums[FORFEITS]),
        surrenders=int(sums[SURRENDERS]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One round as it was played: steps of kind, hand and card (or new hand), and its net in units."""

    steps: tuple[tuple[int, int, int], ...]
    net: int
    super_bonus: int


def play_rounds(
    game: Game, rounds: int, seed: int, dealt: float = 0.5, shoe: Whole | None = None
) -> list[Played]:
    """Play rounds and keep what happened in each; ``shoe`` holds other cards than the rules' decks."""
    plan = game.strategy
    shoe = _new_shoe(game.decks) if shoe is None else shoe.copy()
    cards = np.zeros((MOST_HANDS, MOST_CARDS), dtype=np.int64)
    hands = np.zeros((MOST_HANDS, HAND_FIELDS), dtype=np.int64)
    state = np.zeros(STATE_FIELDS, dtype=np.int64)
    state[TRACING] = 1
    trace = np.zeros((256, 3), dtype=np.int64)
    tallies = np.zeros(TALLIES, dtype=np.int64)
    result = np.zeros(2, dtype=np.int64)
    stream = stream_of(seed, 0)
    cut = int(shoe.size * dealt)
    played = []
    for _ in range(rounds):
        if state[NEXT] >= cut:
            state[NEXT] = 0
        state[NOTED] = 0
        _play_round(
            game.parameters,
            plan.play,
            plan.doubled,
            plan.opening,
            game.pays,
            cards,
            hands,
            shoe,
            state,
            stream,
            trace,
            tallies,
            result,
        )
        steps = tuple((int(a), int(b), int(c)) for a, b, c in trace[: state[NOTED]])
        played.append(Played(steps=steps, net=int(result[0]), super_bonus=int(result[1])))
    return played
