"""What the odds need to know of a rulebook: its options, its payouts and what a dealer's Pontoon takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, TypeAlias

from rules_replay.rulebook import NONE, SILENT, Rulebook

Row: TypeAlias = Literal[
    "pontoon",
    "five_cards",
    "six_cards",
    "seven_cards",
    "678_mixed",
    "678_suited",
    "678_spades",
    "777_mixed",
    "777_suited",
    "777_spades",
    "other",
    "doubled",
]
ROWS: tuple[Row, ...] = (
    "pontoon",
    "five_cards",
    "six_cards",
    "seven_cards",
    "678_mixed",
    "678_suited",
    "678_spades",
    "777_mixed",
    "777_suited",
    "777_spades",
    "other",
    "doubled",
)
"""The rows of every payout table, in the order of the arrays that hold them."""

STAKE = 10_000
"""The initial wager in thousandths, 10 units: all rulebooks that have a Super Bonus then pay 100 times it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The parameters of one game; words are those of `rules_replay.rulebook`.

    ``odds`` holds one payout a row of `ROWS`, ``super_bonus`` is the award in initial
    wagers, 0 where there is none. ``hit_after_double`` lets a doubled hand draw on.
    """

    decks: int
    hands_per_box: int
    aces_split_once: bool
    split_aces_draw: bool
    double_on: str
    hit_after_double: bool
    fixed_aces: str
    doubled_21: str
    doubled_bust: str
    forfeit_limit: int
    pontoon_split: str
    pontoon_double: str
    card_count_rows: str
    odds: tuple[Fraction, ...]
    super_bonus: Fraction
    super_bonus_instead: bool
    super_bonus_excluded_by: str

    def pays(self, row: Row) -> Fraction:
        """The odds of a row."""
        return self.odds[ROWS.index(row)]


def rules_of(book: Rulebook, decks: int, stake: int = STAKE) -> Rules:
    """The parameters of a rulebook under its readings in force, for a shoe and an initial wager."""
    return Rules(
        decks=decks,
        hands_per_box=book.whole("split.hands_per_box"),
        aces_split_once=book.clauses["split.aces-resplit"] not in (SILENT, NONE),
        split_aces_draw=book.clauses["split.aces-extra-card"] in (SILENT, NONE),
        double_on=book.word("double.on"),
        hit_after_double=book.clauses["double.one-card"] in (SILENT, NONE),
        fixed_aces=book.reads("fixed_aces"),
        doubled_21=book.reads("doubled_21"),
        doubled_bust=book.reads("doubled_bust_dealer_pontoon"),
        forfeit_limit=int(book.reads("forfeit_limit")),
        pontoon_split=book.reads("dealer_pontoon_split"),
        pontoon_double=book.reads("dealer_pontoon_double"),
        card_count_rows=book.reads("card_count_rows"),
        odds=tuple(book.odds(f"payout.{row}") for row in ROWS),
        super_bonus=_super_bonus(book, stake),
        super_bonus_instead=book.reads("super_bonus_with_table") == "instead",
        super_bonus_excluded_by=book.reads("super_bonus_excluded_by"),
    )


def _super_bonus(book: Rulebook, stake: int) -> Fraction:
    if book.reads("super_bonus_excluded_by") == "never_paid" or stake < book.whole("bonus.lowest_stake"):
        return Fraction(0)
    tier = "high" if stake >= book.whole("bonus.high_from") else "low"
    return Fraction(book.whole(f"bonus.{tier}_award"), stake)


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A published house edge, in hundredths of a per cent of the initial wager, and its rule set.

    ``read_as`` gives the rule sets that its shorthand may stand for, in words; the first
    is the one that the figure is held against.
    """

    edge: int
    words: str
    read_as: tuple[tuple[str, Rules], ...]

    @property
    def rules(self) -> Rules:
        return self.read_as[0][1]

    @property
    def text(self) -> str:
        return f"{self.edge / 100:.2f}"


_TABLE: dict[Row, Fraction] = {
    "pontoon": Fraction(3, 2),
    "five_cards": Fraction(3, 2),
    "six_cards": Fraction(2),
    "seven_cards": Fraction(3),
    "678_mixed": Fraction(3, 2),
    "678_suited": Fraction(2),
    "678_spades": Fraction(3),
    "777_mixed": Fraction(3, 2),
    "777_suited": Fraction(2),
    "777_spades": Fraction(3),
    "other": Fraction(1),
    "doubled": Fraction(1),
}

_COMMON = Rules(
    decks=8,
    hands_per_box=3,
    aces_split_once=False,
    split_aces_draw=False,
    double_on="two_cards_or_three_plus",
    hit_after_double=False,
    fixed_aces="first_two_of_hand",
    doubled_21="wins_at_once",
    doubled_bust="lost_at_bust",
    forfeit_limit=21,
    pontoon_split="all",
    pontoon_double="original_per_box",
    card_count_rows="total_21",
    odds=tuple(_TABLE[row] for row in ROWS),
    super_bonus=Fraction(100),
    super_bonus_instead=False,
    super_bonus_excluded_by="any_split_or_double",
)


ONE_CARD = "doubled on any number of cards, one card after it"
DRAWS_ON = "doubled on any number of cards, drawn to after it"
TWO_CARDS = "doubled on the first two cards"
ONE_STACK = "a Pontoon takes the first hand's stake"
EACH_HAND = "a Pontoon takes one stake of each live hand"


def published() -> tuple[Published, ...]:
    """The published rule sets, as their shorthand can be read.

    Payout table, surrender and forfeit are those of every rulebook, a 21 wins at once and
    the Super Bonus averages 100 to 1.
    """
    plus_one = replace(
        _COMMON, decks=4, hands_per_box=4, aces_split_once=True, pontoon_split="busted_plus_one"
    )
    to_three = replace(_COMMON, pontoon_split="original_stack")
    each_hand = replace(_COMMON, pontoon_double="original_per_hand")
    two_cards = replace(to_three, aces_split_once=True, double_on="two_cards")
    return (
        Published(
            edge=31,
            words="4 decks; busted bets plus one on a dealer's Pontoon; split to 4 hands, aces once; "
            "hit after double",
            read_as=((ONE_CARD, plus_one), (DRAWS_ON, replace(plus_one, hit_after_double=True))),
        ),
        Published(
            edge=34,
            words="8 decks; original and busted bets only; split to 3; hit after double",
            read_as=(
                (f"{ONE_CARD}; {ONE_STACK}", to_three),
                (f"{ONE_CARD}; {EACH_HAND}", each_hand),
                (f"{DRAWS_ON}; {ONE_STACK}", replace(to_three, hit_after_double=True)),
            ),
        ),
        Published(
            edge=50,
            words="8 decks; original and busted bets only; split to 3, aces once",
            read_as=(
                (f"{TWO_CARDS}; {ONE_STACK}", two_cards),
                (
                    f"{TWO_CARDS}; {EACH_HAND}",
                    replace(each_hand, aces_split_once=True, double_on="two_cards"),
                ),
                (f"{ONE_CARD}; {ONE_STACK}", replace(to_three, aces_split_once=True)),
            ),
        ),
        Published(
            edge=62,
            words="8 decks; split to 3, aces once; double on 9 to 11 only",
            read_as=(
                (
                    "every stake of a live hand is lost to a Pontoon",
                    replace(
                        _COMMON,
                        aces_split_once=True,
                        double_on="hard_nine_to_eleven",
                        fixed_aces="none",
                        pontoon_double="all",
                    ),
                ),
            ),
        ),
    )
