"""Basic strategy as a reader sees it: tables of letters by the dealer's first card."""

from __future__ import annotations

from collections.abc import Iterator

from data_samples.odds.rules import Rules
from data_samples.odds.strategy import (
    DOUBLE,
    FIRST_ACE,
    FORFEIT,
    SPLIT,
    SURRENDER,
    UNSPLIT,
    Strategy,
    ace_flags,
    opening_place,
)

UPCARDS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 1)
LETTERS = "SHD"
LEGEND = (
    "S stand, H hit, D double, P split, R surrender; `D/H4` is D on two and three cards and H from four on. "
    "Hard hands are not 6-7-8 or 7-7-7 on the way, soft ones hold the ace in their first two cards."
)


def card_name(value: int) -> str:
    """A point value as a heading: A for the ace."""
    return "A" if value == 1 else str(value)


def charts(rules: Rules, strategy: Strategy) -> str:
    """The tables of an unsplit hand, equal neighbouring rows drawn together, in Markdown."""
    lines = [_line(["hand", *map(card_name, UPCARDS)]), _line(["---"] * 11)]
    hard = [(f"hard {points}", _hand_row(strategy, points, 0)) for points in range(5, 21)]
    soft = [(f"soft {points + 10}", _hand_row(strategy, points, FIRST_ACE)) for points in range(3, 11)]
    suited = list(_suited_rows(strategy))
    pairs = [(f"{card_name(v)}-{card_name(v)}", _pair_row(rules, strategy, v)) for v in (*range(2, 11), 1)]
    for group in (hard, soft, suited, pairs):
        lines += [_line([name, *row]) for name, row in _together(group)]
    lines += ["", _forfeits(strategy)]
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _together(rows: list[tuple[str, list[str]]]) -> Iterator[tuple[str, list[str]]]:
    start = 0
    for place in range(1, len(rows) + 1):
        if place < len(rows) and rows[place][1] == rows[start][1]:
            continue
        first, last = rows[start][0], rows[place - 1][0]
        yield first if first == last else f"{first} to {last.split()[-1]}", rows[start][1]
        start = place


def _hand_row(strategy: Strategy, points: int, flags: int) -> list[str]:
    return [_cell(strategy, up, points, flags) for up in UPCARDS]


def _cell(strategy: Strategy, up: int, points: int, flags: int) -> str:
    """The action on two cards, and each change as the cards become more."""
    text = last = ""
    if strategy.opening[up, opening_place(points, False), flags, 0] == SURRENDER:
        text = last = "R"
    for cards in range(3 if text else 2, min(7, points) + 1):
        letter = LETTERS[strategy.play[UNSPLIT, up, cards, points, flags, 0]]
        if letter != last:
            text += f"/{letter}{cards}" if text else letter
            last = letter
    return text


def _suited_rows(strategy: Strategy) -> Iterator[tuple[str, list[str]]]:
    """Two cards on the way to a bonus row, where that changes the play."""
    for name, points, first in (("6-7", 13, 1), ("6-8", 14, 1), ("7-8", 15, 1)):
        plain = _two_cards(strategy, points, 0)
        for place, suits in enumerate(("mixed", "suited", "spades")):
            row = _two_cards(strategy, points, first + place)
            if row != plain:
                yield f"{name} {suits}", row


def _two_cards(strategy: Strategy, points: int, special: int) -> list[str]:
    return [
        "R"
        if strategy.opening[up, opening_place(points, False), 0, special] == SURRENDER
        else LETTERS[strategy.play[UNSPLIT, up, 2, points, 0, special]]
        for up in UPCARDS
    ]


def _pair_row(rules: Rules, strategy: Strategy, value: int) -> list[str]:
    flags = ace_flags(rules, value, value, split=False)

    def cell(up: int, special: int) -> str:
        choice = strategy.opening[up, opening_place(2 * value, True), flags, special]
        if choice in (SPLIT, SURRENDER):
            return "P" if choice == SPLIT else "R"
        return LETTERS[strategy.play[UNSPLIT, up, 2, 2 * value, flags, special]]

    if value != 7:
        return [cell(up, 0) for up in UPCARDS]
    return [_suits(cell(up, 4), cell(up, 5), cell(up, 6)) for up in UPCARDS]


def _suits(mixed: str, suited: str, spades: str) -> str:
    """A pair of sevens: the play, and what it becomes when the two are of one suit, or spades."""
    text = mixed
    if suited != mixed:
        text += f", suited {suited}"
    if spades != suited:
        text += f", spades {spades}"
    return text


def _forfeits(strategy: Strategy) -> str:
    """What is forfeited once a double that the strategy makes has had its card."""
    parts = []
    for up in UPCARDS:
        plays = strategy.play[UNSPLIT, up, 2:, :, 0, 0]
        doubled = [points for points in range(4, 21) if (plays[:, points] == DOUBLE).any()]
        totals = sorted({points + card for points in doubled for card in range(2, 11)} & set(range(21)))
        given_up = [total for total in totals if strategy.doubled[UNSPLIT, up, total, 0] == FORFEIT]
        if given_up:
            parts.append(f"{', '.join(map(str, given_up))} against {card_name(up)}")
    return f"Forfeited after doubling, hard totals: {'; '.join(parts) if parts else 'none'}."
