"""What was done instead of what was due, without stakes, cards, seats and names.

Of a settlement: the result and the odds due, and the result and the share of the stake recorded,
as exact fractions. Of a limit: the figure on the sign. Of a dealer's card: the total. Of anything
else: the words of the finding, every word with a figure in it left out.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from audit.causes.model import Manner
from audit.results import decimal_text
from rules_replay.checks import catalogue

SIGN_COLUMNS = {
    "wager.below-min": ("limit_min", "limit_side_min"),
    "wager.above-max": ("limit_max", "limit_side_max"),
    "wager.multiples": ("limit_multiples",),
    "wager.box-total": ("limit_box_max",),
}
"""Checks of the sign at the table, and where the round has the figure."""

ABOVE_SIGN = "above the maximum on the sign"

_FIGURE = re.compile(r"\d+(?:\.\d+)?")
_MASKED = re.compile(r"\S*\d\S*")
_TOLD = re.compile(r"[a-z]{3}")
_LONGEST = 160
_PLAIN = ("main", "split", "double")


def sign_figure(code: str, expected: str) -> Decimal | None:
    """The figure of the sign that a finding about a limit was held against."""
    found = _FIGURE.search(expected) if code in SIGN_COLUMNS else None
    return None if found is None else Decimal(found[0])


def told(code: str, expected: str, recorded: str) -> Manner:
    """The manner of a finding that is not about one settlement."""
    if code == "wager.above-max":
        return Manner(key=ABOVE_SIGN, words="a wager above the maximum on the sign", above_sign=True)
    if code in SIGN_COLUMNS:
        return Manner(key=expected, words=f"a wager on a table whose sign allows {expected}")
    if code == "dealer.under-draw":
        return Manner(key=recorded, words=f"the dealer {recorded}")
    if code == "dealer.over-draw":
        # "no card on hard 17, or the card burned"
        total = expected.removeprefix("no card on ").partition(",")[0]
        return Manner(key=expected, words=f"a card taken by the dealer on {total} and not burned")
    if code.startswith("deck.count"):
        return Manner(key=f"{expected}|{recorded}", words=f"{recorded}, where {expected} are due")
    due, was = (_MASKED.sub("…", each) for each in (expected, recorded))
    check = catalogue().get(code)
    words = code if check is None else check.meaning
    if _TOLD.search(was):
        words += f" ({was if len(was) <= _LONGEST else was[:_LONGEST] + '…'})"
    return Manner(key=f"{due}|{was}", words=words)


@lru_cache(maxsize=10_000)
def settled(
    *,
    line: str,
    kind: str,
    placed: Decimal,
    stake: Decimal,
    due: tuple[str, str | None, Decimal, Decimal],
    was: tuple[str | None, Decimal, Decimal],
) -> Manner:
    """The manner of a finding about a settlement: what was ``due`` and what it ``was``.

    ``due`` is result, odds, paid and taken, ``was`` result, paid and taken. ``placed`` is the amount
    placed and ``stake`` what of it counts: where a sign cuts the one to the other and the whole was
    settled, that is the manner, whatever was due.
    """
    result, odds, due_paid, due_taken = due
    recorded, paid, taken = was
    if 0 < stake < placed and result == recorded:
        if (paid * stake, taken * stake) == (due_paid * placed, due_taken * placed):
            words = "a wager above the maximum on the sign settled in full"
            return Manner(key=ABOVE_SIGN, words=words, above_sign=True)
    whole = line == "stake" and stake > 0

    def share(amount: Decimal) -> str:
        return str(Fraction(amount) / Fraction(stake)) if whole else decimal_text(amount)

    parts = (line, result, odds, share(due_paid), share(due_taken), recorded, share(paid), share(taken))
    on = "" if kind in _PLAIN else kind.replace("_", " ") + ": "
    if not whole:
        words = f"{line.replace('_', ' ')}: {decimal_text(paid)} paid where {decimal_text(due_paid)} are due"
    else:
        words = _due(result, odds) + _was(result, recorded, Fraction(paid) / Fraction(stake), share(taken))
    key = "|".join("" if each is None else each for each in ("" if on == "" else kind, *parts))
    return Manner(key=key, words=on + words)


def _due(result: str, odds: str | None) -> str:
    names = {
        "win": f"a win at {odds}" if odds else "a win",
        "lose": "a loss",
        "stand_off": "a stand-off",
        "surrender": "a surrender",
        "forfeit": "a forfeit",
        "returned": "a wager to be returned",
        "void": "a void wager",
    }
    return names.get(result, result.replace("_", " "))


def _was(due: str, recorded: str | None, paid: Fraction, taken: str) -> str:
    if recorded is None:
        return " not settled"
    if paid:
        odds = f"{paid.numerator}:{paid.denominator}"
        return f" paid at {odds}" if due == recorded else f" paid as a win at {odds}"
    if taken == "0":
        return {
            "lose": " not collected",
            "win": " not paid",
            "stand_off": " settled as a stand-off",
        }.get(recorded, f" settled as {recorded.replace('_', ' ')}, nothing paid or collected")
    if taken == "1":
        return " collected as a loss" if recorded == "lose" else f" collected in full as {recorded}"
    return f" of which {taken} of the stake was collected"
