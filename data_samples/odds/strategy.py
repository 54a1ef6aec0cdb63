"""Basic strategy of a rulebook, by dynamic programming over what a hand shows.

A hand is its number of cards, its points with every ace at one, whether an ace among the
first two or a later ace can still count eleven, and, on two cards, whether a 6-7-8 or a
7-7-7 is on the way. Cards come from the full shoe less the dealer's first card, the
dealer's finals are exact. On a split box the strategy has two sheets: on one the dealer's
Pontoon costs the hand its stake, on the other that stake is spared or already lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from data_samples.odds.rules import Row, Rules
from rules_replay.dealer_finals import dealer_finals, shoe_counts

STAND, HIT, DOUBLE, FORFEIT = 0, 1, 2, 3
PLAY, SPLIT, SURRENDER = 0, 1, 2
UNSPLIT, AT_RISK, SPARED = 0, 1, 2
"""The sheets: an unsplit hand, a split hand that a Pontoon costs its stake, one that it spares."""

PLAIN = 0
SPECIALS: tuple[Row, ...] = (
    "678_mixed",
    "678_suited",
    "678_spades",
    "777_mixed",
    "777_suited",
    "777_spades",
)
"""What two cards may be on the way to; a special of 0 is none, else one more than its place here."""

FIRST_ACE, LATER_ACE = 1, 2
"""Flags: an ace among the first two cards that a double fixes at one, any other ace."""

Table: TypeAlias = npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """What to do.

    ``play`` gives STAND, HIT or DOUBLE by sheet, dealer's first value, cards (7 for more),
    points, ace flags and special; ``doubled`` gives STAND, HIT or FORFEIT by sheet, value,
    points and whether an ace may count eleven; ``opening`` gives PLAY, SPLIT or SURRENDER
    by value, points (see `opening_place`), ace flags and special. ``value`` is the expected
    net of an initial wager.
    """

    play: Table
    doubled: Table
    opening: Table
    value: float


PAIRS = 22
"""How far behind the other hands ``opening`` keeps the pairs."""


def opening_place(points: int, pair: bool) -> int:
    """Where ``opening`` keeps two cards of these points."""
    return points + PAIRS if pair else points


class Outlook(NamedTuple):
    """Expected net in initial wagers, and the chances of being lost early, won early and live."""

    net: float
    lost: float
    won: float

    def plus(self, other: Outlook, chance: float) -> Outlook:
        return Outlook(
            self.net + chance * other.net, self.lost + chance * other.lost, self.won + chance * other.won
        )

    @property
    def live(self) -> float:
        return 1 - self.lost - self.won


_NOTHING = Outlook(0.0, 0.0, 0.0)


class Sheet:
    """The best play of a hand against one first card of the dealer, on one sheet."""

    def __init__(self, rules: Rules, first: int, sheet: int) -> None:
        self.rules = rules
        self.first = first
        self.sheet = sheet
        self.split = sheet != UNSPLIT
        self.cost = 0 if sheet == SPARED else 1
        finals = {name: float(chance) for name, chance in dealer_finals(rules.decks, first).items()}
        self.pontoon = finals["pontoon"]
        self.bust = finals["bust"]
        self.at = {points: finals[str(points)] for points in (17, 18, 19, 20, 21)}  # type: ignore[index]
        counts = list(shoe_counts(rules.decks))
        counts[first - 1] -= 1
        self.draws = [(value, counts[value - 1] / sum(counts)) for value in range(1, 11)]
        self.pays = {row: float(rules.pays(row)) for row in (*SPECIALS, "other", "doubled", "pontoon")}
        self.plays: dict[tuple[int, int, int, int], tuple[int, Outlook]] = {}
        self.doubles: dict[tuple[int, bool], tuple[int, Outlook]] = {}

    def best(self, cards: int, points: int, flags: int, special: int) -> tuple[int, Outlook]:
        """The best play of a hand under 21 and what it is worth."""
        key = (cards, points, flags, special)
        if key not in self.plays:
            options = [(HIT, self._hit(*key))]
            total = best_total(points, flags != 0)
            if total >= 12:
                options.append((STAND, self.stand(cards, total)))
            if may_double(self.rules, cards, points, flags):
                options.append((DOUBLE, self._double(points, flags)))
            self.plays[key] = max(options, key=lambda option: option[1].net)
        return self.plays[key]

    def worth(self, cards: int, points: int, flags: int, special: int) -> Outlook:
        """What a hand is worth, decided or not."""
        if points > 21:
            return Outlook(-1.0, 1.0, 0.0)
        if best_total(points, flags != 0) == 21:
            return Outlook(self._pays_21(cards), 0.0, 1.0)
        return self.best(cards, points, flags, special)[1]

    def _pays_21(self, cards: int) -> float:
        if cards >= 5:
            return float(self.rules.pays(_count_row(cards)))
        return self.pays["pontoon" if cards == 2 and not self.split else "other"]

    def stand(self, cards: int, total: int) -> Outlook:
        """What standing on a total is worth."""
        wins, loses = self._against(total)
        odds = self.pays["other"]
        if cards >= 5 and self.rules.card_count_rows == "any_winning_hand":
            odds = float(self.rules.pays(_count_row(cards)))
        return Outlook(wins * odds - loses - self.cost * self.pontoon, 0.0, 0.0)

    def _against(self, total: int) -> tuple[float, float]:
        wins = self.bust + sum(chance for points, chance in self.at.items() if points < total)
        return wins, sum(chance for points, chance in self.at.items() if points > total)

    def _hit(self, cards: int, points: int, flags: int, special: int) -> Outlook:
        sums = _NOTHING
        for value, chance in self.draws:
            if special != PLAIN and points + value == 21:
                after = Outlook(self._pays_special(special), 0.0, 1.0)
            else:
                later = flags | LATER_ACE if value == 1 else flags
                after = self.worth(min(cards + 1, 7), points + value, later, PLAIN)
            sums = sums.plus(after, chance)
        return sums

    def _pays_special(self, special: int) -> float:
        """The third card makes the row of the suit with its share, else the mixed row."""
        row = SPECIALS[special - 1]
        family, _, colour = row.partition("_")
        if colour == "mixed":
            return self.pays[row]
        decks = self.rules.decks
        share = max(decks - 2, 0) / (4 * decks - 2) if family == "777" else 0.25
        suited = self.pays[row]
        if family == "777" and self.first == 7 and not self.split:
            bonus = float(self.rules.super_bonus)
            suited = bonus if bonus and self.rules.super_bonus_instead else suited + bonus
        return share * suited + (1 - share) * self.pays[f"{family}_mixed"]  # type: ignore[index]

    def _double(self, points: int, flags: int) -> Outlook:
        sums = _NOTHING
        for value, chance in self.draws:
            sums = sums.plus(
                self.doubled_worth(points + value, bool(flags & LATER_ACE) or value == 1), chance
            )
        return sums

    def doubled_worth(self, points: int, ace: bool) -> Outlook:
        """What a doubled hand is worth once its card has come."""
        if points > 21:
            spared = self.pontoon if self.rules.doubled_bust == "original_only" else 0.0
            return Outlook(-2.0 + spared, 1.0, 0.0)
        if best_total(points, ace) == 21:
            return self._doubled_21()
        return self.doubled_best(points, ace)[1]

    def _doubled_21(self) -> Outlook:
        held = self.rules.doubled_21
        if held == "wins_at_once":
            return Outlook(2 * self.pays["doubled"], 0.0, 1.0)
        wins = 1 - self.pontoon - (self.at[21] if held == "held" else 0.0)
        return Outlook(2 * wins * self.pays["doubled"] - self._pontoon_takes(), 0.0, 0.0)

    def _pontoon_takes(self) -> float:
        return self.pontoon * (self.cost + (self.rules.pontoon_double == "all"))

    def doubled_best(self, points: int, ace: bool) -> tuple[int, Outlook]:
        """Stand, forfeit or, where the rules let a doubled hand draw on, hit."""
        key = (points, ace)
        if key not in self.doubles:
            total = best_total(points, ace)
            wins, loses = self._against(total)
            net = 2 * (wins * self.pays["doubled"] - loses) - self._pontoon_takes()
            options = [(STAND, Outlook(net, 0.0, 0.0))]
            if total <= self.rules.forfeit_limit:
                options.append((FORFEIT, Outlook(-1.0, 1.0, 0.0)))
            if self.rules.hit_after_double:
                sums = _NOTHING
                for value, chance in self.draws:
                    sums = sums.plus(self.doubled_worth(points + value, ace or value == 1), chance)
                options.append((HIT, sums))
            self.doubles[key] = max(options, key=lambda option: option[1].net)
        return self.doubles[key]


def best_total(points: int, ace: bool) -> int:
    """Points with one ace at eleven where that does not exceed 21."""
    return points + 10 if ace and points <= 11 else points


def _count_row(cards: int) -> Row:
    return "five_cards" if cards == 5 else "six_cards" if cards == 6 else "seven_cards"


def may_double(rules: Rules, cards: int, points: int, flags: int) -> bool:
    """Whether the rules let a hand under 21 be doubled."""
    if rules.double_on == "two_cards_or_three_plus":
        return True
    if cards != 2:
        return False
    return rules.double_on == "two_cards" or (flags == 0 and 9 <= points <= 11)


def ace_flags(rules: Rules, first: int, second: int, *, split: bool) -> int:
    """The ace flags of two cards: which of their aces a double would fix at one."""
    flags = 0
    for place, value in enumerate((first, second)):
        if value == 1:
            initial = not split or place == 0
            fixed = rules.fixed_aces == "first_two_of_hand" or (
                rules.fixed_aces == "initial_deal" and initial
            )
            flags |= FIRST_ACE if fixed else LATER_ACE
    return flags


def specials(first: int, second: int) -> tuple[int, ...]:
    """The specials that two values can be, from mixed suits to spades; only plain for most."""
    if {first, second} <= {6, 7, 8} and (first != second or first == 7):
        start = 4 if first == second else 1
        return (start, start + 1, start + 2)
    return (PLAIN,)


@cache
def basic_strategy(rules: Rules) -> Strategy:
    """The strategy of a rule set and the expected net of an initial wager that follows it.

    The expectation is that of the program that found the strategy, whose cards come with
    unchanging chances: it is near the edge, and the simulation is what measures it.
    """
    play = np.full((3, 11, 8, 22, 4, 7), HIT, dtype=np.int8)
    doubled = np.full((3, 11, 22, 2), STAND, dtype=np.int8)
    opening = np.full((11, 2 * PAIRS, 4, 7), PLAY, dtype=np.int8)
    value = 0.0
    shoe = shoe_counts(rules.decks)
    for first in range(1, 11):
        sheets = [Sheet(rules, first, sheet) for sheet in (UNSPLIT, AT_RISK, SPARED)]
        value += _fill_opening(rules, sheets, opening) * shoe[first - 1] / sum(shoe)
        for sheet in sheets:
            _fill_play(rules, sheet, play)
            for points in range(3, 21):
                for ace in (False, True):
                    if best_total(points, ace) < 21:
                        doubled[sheet.sheet, first, points, int(ace)] = sheet.doubled_best(points, ace)[0]
    return Strategy(play=play, doubled=doubled, opening=opening, value=value)


def _fill_play(rules: Rules, sheet: Sheet, play: Table) -> None:
    for cards in range(2, 8):
        for points in range(cards, 21):
            for flags in range(4):
                if best_total(points, flags != 0) >= 21:
                    continue
                for special in range(7 if cards == 2 else 1):
                    action, _ = sheet.best(cards, points, flags, special)
                    play[sheet.sheet, sheet.first, cards, points, flags, special] = action


def _fill_opening(rules: Rules, sheets: list[Sheet], opening: Table) -> float:
    """Choose between playing, splitting and surrendering; the expected net against this first card."""
    sheet = sheets[UNSPLIT]
    net = 0.0
    for one, chance_one in sheet.draws:
        for two, chance_two in sheet.draws:
            flags = ace_flags(rules, one, two, split=False)
            for special in specials(one, two):
                share = chance_one * chance_two * _suit_share(rules, special)
                action, worth = _open(rules, sheets, one, two, special)
                opening[sheet.first, opening_place(one + two, one == two), flags, special] = action
                net += share * worth
    return net


def _suit_share(rules: Rules, special: int) -> float:
    """How often two cards on the way to a row have its suits."""
    if special == PLAIN:
        return 1.0
    decks = rules.decks
    same = (decks - 1) / (4 * decks - 1) if special >= 4 else 0.25
    return (1 - same, same * 3 / 4, same / 4)[(special - 1) % 3]


def _open(rules: Rules, sheets: list[Sheet], one: int, two: int, special: int) -> tuple[int, float]:
    sheet = sheets[UNSPLIT]
    flags = ace_flags(rules, one, two, split=False)
    options = [(PLAY, sheet.worth(2, one + two, flags, special).net)]
    if best_total(one + two, flags != 0) < 21:
        if sheet.first in (1, 10):
            options.append((SURRENDER, -0.5 - 0.5 * sheet.pontoon))
        if one == two and rules.hands_per_box > 1:
            options.append((SPLIT, _split_net(rules, sheets, one)))
    return max(options, key=lambda option: option[1])


def _split_net(rules: Rules, sheets: list[Sheet], value: int) -> float:
    """A split into two hands and, where a pair comes again, more; what a Pontoon takes of two hands."""
    sheet = sheets[AT_RISK if rules.pontoon_split == "all" else SPARED]
    more = rules.hands_per_box - 2
    if value == 1 and rules.aces_split_once:
        more = 0
    single = _split_hand(rules, sheet, value, more=0, again=0.0)
    again = single.net
    for splits in range(1, more + 1):
        again = _split_hand(rules, sheet, value, more=splits, again=again).net
    return 2 * again - sheet.pontoon * _pontoon_extra(rules, single)


def _split_hand(rules: Rules, sheet: Sheet, value: int, *, more: int, again: float) -> Outlook:
    sums = _NOTHING
    for drawn, chance in sheet.draws:
        flags = ace_flags(rules, value, drawn, split=True)
        points = value + drawn
        if value == 1 and not rules.split_aces_draw and best_total(points, True) < 21:
            worth = sheet.stand(2, best_total(points, True))
        else:
            worth = sheet.worth(2, points, flags, specials(value, drawn)[0])
        if drawn == value and more and 2 * again > worth.net:
            worth = worth._replace(net=2 * again)
        sums = sums.plus(worth, chance)
    return sums


def _pontoon_extra(rules: Rules, hand: Outlook) -> float:
    """What a Pontoon takes of two like hands beyond those that were lost before it."""
    if rules.pontoon_split == "original_cap":
        return (1 - hand.lost) ** 2 - hand.won**2
    if rules.pontoon_split == "busted_plus_one":
        return 1 - (1 - hand.live) ** 2
    if rules.pontoon_split == "original_stack":
        return hand.live + hand.won * hand.live
    return 0.0
