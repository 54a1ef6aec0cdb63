"""Words and figures that several parts of an explanation share."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from decimal import Decimal

from rules_replay.cards import JOKER, SUIT_SIGNS, UNREADABLE, Card, card
from rules_replay.log import amount_text

KIND_WORDS = {
    "main": "main",
    "split": "split",
    "double": "doubled portion",
    "insurance": "insurance",
    "perfect_pairs": "Perfect Pairs",
    "pair": "any pair",
    "pandemonium": "Pandemonium",
}
LINE_WORDS = {"super_bonus": "Super Bonus", "bonus": "bonus for other wagers"}
FACT_WORDS = {
    "decisions": "the players' decisions",
    "settle_order": "when each wager was settled",
    "burns": "the cards burned",
    "cut_card": "when the cutting card came out",
}


def figure(decimal: str) -> str:
    """Decimal text as a table prints it: ``1,312.50``, a third decimal only where it counts."""
    value = Decimal(decimal)
    cents = value.quantize(Decimal("0.01"))
    return f"{cents if cents == value else value:,f}"


def amount(thousandths: int, currency: str) -> str:
    """An amount with its currency: ``AUD 1,312.50``."""
    return f"{currency} {figure(amount_text(thousandths))}"


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: ``1 card``, ``3 cards``."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def listed(words: Iterable[str]) -> str:
    """Words joined as in a sentence: ``a, b and c``."""
    *first, last = [*words] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def wagers_listed(wagers: Collection[str]) -> str:
    """Wagers by their ids: ``wagers a and b``."""
    return f"wager{'' if len(wagers) == 1 else 's'} {listed(wagers)}"


def sentence(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def card_sign(text: str) -> str:
    """A card as a reader knows it: ``8♠``, ``10♦``, ``joker``, ``??``."""
    if text in (UNREADABLE, JOKER):
        return "joker" if text == JOKER else text
    face = card(text)
    return face.rank + SUIT_SIGNS[face.suit]


def legible(cards: Iterable[Card]) -> bool:
    """Whether every card could be read."""
    return all(each.readable for each in cards)


def total_words(cards: Iterable[Card], counted: object) -> str:
    """The count of a hand, saying so where a card of it is not in it."""
    return str(counted) if legible(cards) else f"{counted} without the card that could not be read"


def lack(fact: str | None) -> str:
    """Why a check could not be made."""
    if fact in FACT_WORDS:
        return f"the log does not record {FACT_WORDS[fact]}"
    return "a card of the round could not be read" if fact == "a readable card" else f"for want of {fact}"


def answer_words(word: str) -> str:
    """An answer to an open question, as words."""
    return word.replace("_", " ")
