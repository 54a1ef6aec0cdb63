"""What a winning hand earns: the row of the payout table, and amounts the chips can pay."""

from __future__ import annotations

from fractions import Fraction

import msgspec

from rules_replay.cards import RED_SUITS, Card, Total
from rules_replay.engine.pieces import Bet
from rules_replay.engine.table import Table
from rules_replay.log import amount_text


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A row of a payout table: its odds, the clause behind it, and its name."""

    odds: Fraction
    outcome: str
    name: str

    @property
    def text(self) -> str:
        return odds_text(self.odds)


def odds_text(odds: Fraction) -> str:
    """Odds as the rulebooks print them: ``3:2``."""
    return f"{odds.numerator}:{odds.denominator}"


def faces_text(cards: tuple[Card, ...]) -> str:
    """Cards as signs: ``7♠ 7♠ 7♠``."""
    return " ".join([each.sign for each in cards])


def payout_row(table: Table, cards: tuple[Card, ...], counted: Total, *, pontoon: bool) -> Row:
    """The one row of the payout table that an undoubled winning hand earns."""
    book = table.book
    if pontoon:
        return Row(odds=book.odds("payout.pontoon"), outcome="payout_pontoon", name="Pontoon")
    special = _special_21(cards)
    if special is not None and special[1] == "mixed" and book.reads("mixed_suits") == "all_different":
        special = special if len({each.suit for each in cards}) == 3 else None
    if special is not None:
        ranks, colour = special
        odds = book.odds(f"payout.{ranks}_{colour}")
        if colour == "spades" and book.reads("spades_row") == "added":
            odds += book.odds(f"payout.{ranks}_suited")
        return Row(
            odds=odds,
            outcome=f"payout_{ranks}_{colour}",
            name=f"{'-'.join(ranks)} {colour}",
        )
    if counted.points == 21 or book.reads("card_count_rows") == "any_winning_hand":
        for count, name in ((7, "seven"), (6, "six"), (5, "five")):
            exactly = len(cards) >= 7 if count == 7 else len(cards) == count
            if exactly:
                return Row(
                    odds=book.odds(f"payout.{name}_cards"),
                    outcome=f"payout_{name}",
                    name=f"{name}{' or more' if count == 7 else ''} cards",
                )
    return Row(odds=book.odds("payout.other"), outcome="payout_other", name="other winning wager")


def _special_21(cards: tuple[Card, ...]) -> tuple[str, str] | None:
    ranks = "".join(sorted(each.rank for each in cards)) if len(cards) == 3 else ""
    if ranks not in ("678", "777"):
        return None
    suits = {each.suit for each in cards}
    if len(suits) > 1:
        return ranks, "mixed"
    return ranks, "spades" if suits == {"S"} else "suited"


def suited_sevens(cards: tuple[Card, ...]) -> bool:
    """Three sevens of one suit."""
    return len(cards) == 3 and all(each.rank == "7" for each in cards) and len({c.suit for c in cards}) == 1


def pair_row(table: Table, kind: str, cards: tuple[Card, ...]) -> Row | None:
    """The row that a pairs wager earns on the first two cards; None where they are no pair."""
    first, second = cards
    book = table.book
    if first.rank != second.rank:
        return None
    if kind == "pair" and first.rank == "A" and book.reads("aces_are_a_pair") == "no":
        return None
    if kind == "pair":
        return Row(odds=book.odds("payout.any_pair"), outcome="pairs_win", name="pair")
    if first.suit == second.suit:
        tier = "perfect"
    elif (first.suit in RED_SUITS) == (second.suit in RED_SUITS):
        tier = "coloured"
    else:
        tier = "mixed"
    return Row(odds=book.odds(f"payout.{tier}_pair"), outcome="pairs_win", name=f"{tier} pair")


class Win(msgspec.Struct, frozen=True, kw_only=True):
    """What a win pays: None where the chips cannot fix it, with the arithmetic in words."""

    paid: int | None
    arithmetic: str


def win(table: Table, stake: int, odds: Fraction) -> Win:
    """The payment of a win, in thousandths, under the reading on what chips can pay."""
    paid, part = divmod(stake * odds.numerator, odds.denominator)
    sum_text = f"{amount_text(stake)} at {odds_text(odds)}"
    if part:
        return Win(paid=None, arithmetic=f"{sum_text} is no whole thousandth")
    limits = table.round.limits
    chip = limits.smallest_chip if limits is not None else None
    reading = table.book.reads("amounts")
    if reading == "exact" or not chip or paid % chip == 0:
        return Win(paid=paid, arithmetic=f"{sum_text} is {amount_text(paid)}")
    if reading == "payable":
        return _payable(table, stake, odds, paid, int(chip))
    rounded = paid - paid % chip + (chip if reading == "chip_up" else 0)
    return Win(
        paid=rounded,
        arithmetic=f"{sum_text} is {amount_text(paid)}, rounded to the chip {amount_text(rounded)}",
    )


def _payable(table: Table, stake: int, odds: Fraction, exact: int, chip: int) -> Win:
    """adelaide-2008 120: cut the stake where multiples are posted, else pay the next amount up."""
    limits = table.round.limits
    sum_text = f"{amount_text(stake)} at {odds_text(odds)} is {amount_text(exact)}"
    if limits is None or not limits.multiples:
        raised = exact - exact % chip + chip
        return Win(paid=raised, arithmetic=f"{sum_text}, raised to {amount_text(raised)}")
    unit = limits.min or limits.multiples
    cut = stake - stake % unit
    paid = cut * odds
    if not cut or paid.denominator != 1 or paid.numerator % chip:
        return Win(paid=None, arithmetic=f"{sum_text}; no clause says how chips pay it")
    return Win(
        paid=paid.numerator,
        arithmetic=f"{sum_text}; stake cut to {amount_text(cut)} pays {amount_text(paid.numerator)}",
    )


_ROWS: tuple[str, ...] = (
    *("pontoon", "five_cards", "six_cards", "seven_cards", "other"),
    *("678_mixed", "678_suited", "678_spades", "777_mixed", "777_suited", "777_spades"),
)
_PAIRS: tuple[str, ...] = ("mixed_pair", "coloured_pair", "perfect_pair")


def most_paid(table: Table, bet: Bet) -> int:
    """The most that a wager may be paid, whatever the cards: its stake at the best odds there are for it.

    In thousandths, rounded up to a chip.
    """
    odds = _best_odds(table, bet.kind)
    paid = -(-bet.placed.amount * odds.numerator // odds.denominator)
    limits = table.round.limits
    chip = limits.smallest_chip if limits is not None else None
    return paid + -paid % chip if chip else paid


def _best_odds(table: Table, kind: str) -> Fraction:
    book = table.book
    if kind == "insurance":
        return book.odds("payout.insurance")
    if kind == "pandemonium":
        return Fraction(max(book.multipliers(), default=0))
    if kind in ("pair", "perfect_pairs"):
        rows = ("any_pair",) if kind == "pair" else _PAIRS
    elif kind == "double" and book.reads("doubled_split_odds") == "even":
        rows = ("doubled",)
    else:
        rows = _ROWS
    best = Fraction(0)
    for row in rows:
        odds = book.odds(f"payout.{row}") if f"payout.{row}" in book.terms else Fraction(0)
        if row.endswith("_spades") and book.reads("spades_row") == "added":
            odds += book.odds(f"payout.{row.replace('spades', 'suited')}")
        best = max(best, odds)
    return best


def limit_of(table: Table, root: Bet) -> int | None:
    """The maximum that binds a main wager: the sign's, or a personal limit (act-2018 3.2 4.6)."""
    limits = table.round.limits
    sign = limits.max if limits is not None else None
    if root.placed.limit is not None:
        return root.placed.limit
    if table.book.reads("personal_limit") == "box":
        box = table.boxes.get(root.box)
        raised = [bet.placed.limit for bet in box.mains if bet.placed.limit is not None] if box else []
        if raised:
            return max(raised)
    return sign


def effective_stake(table: Table, bet: Bet) -> int:
    """The stake that every amount is computed on (act-2018 3.5, adelaide-2008 119)."""
    placed = int(bet.placed.amount)
    if table.book.reads("over_max_base") == "as_placed" or bet.kind == "insurance":
        return placed
    limits = table.round.limits
    if bet.kind in ("main", "split", "double"):
        maximum = limit_of(table, bet.root)
    else:
        maximum = limits.side_max if limits is not None else None
    return placed if maximum is None else min(placed, int(maximum))
