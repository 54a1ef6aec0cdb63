"""What a record holds, taken out of it by the expressions of a mapping and not yet put in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeAlias

from audit.mapping.amounts import AmountReader
from audit.mapping.cards import CardReader
from audit.mapping.errors import Unmapped, shown
from audit.mapping.expressions import Expression
from audit.mapping.model import KNOWN_WORDS, Document, Section, expressions_of
from audit.mapping.money import Recorded
from audit.mapping.times import TimeReader

FIRST_HAND = ""
"""Key of a box's hand where the vendor names none."""

Position: TypeAlias = int | Decimal | datetime | None
Context: TypeAlias = dict[str, Any]
HandKey: TypeAlias = tuple[int, str]


@dataclass(slots=True, kw_only=True, eq=False)
class CardPiece:
    """A card that came to a hand."""

    hand: HandKey
    card: str
    at: datetime | None
    position: Position
    cancelled: bool


@dataclass(slots=True, kw_only=True, eq=False)
class ActionPiece:
    """A decision on a hand; ``to`` is the hand that a split made, where it says."""

    hand: HandKey
    action: str
    to: str | None
    at: datetime | None
    position: Position


@dataclass(slots=True, kw_only=True, eq=False)
class WagerPiece:
    """A wager; ``recorded`` is what became of it, None where that is written apart or still open."""

    hand: HandKey
    player: str
    kind: str | None
    amount: int
    id: str | None
    at: datetime | None
    position: Position
    limit: int | None
    status: str
    includes_double: bool
    recorded: Recorded | None
    place: str


@dataclass(slots=True, kw_only=True, eq=False)
class SettlementPiece:
    """A settlement written apart from its wager, which it names by the vendor's id."""

    wager: str
    at: datetime | None
    position: Position
    recorded: Recorded
    place: str


@dataclass(slots=True)
class Pieces:
    """All there is of one round; ``parents`` has the hands that came from another, in their order."""

    parents: dict[HandKey, str] = field(default_factory=dict)
    cards: list[CardPiece] = field(default_factory=list)
    actions: list[ActionPiece] = field(default_factory=list)
    wagers: list[WagerPiece] = field(default_factory=list)
    settlements: list[SettlementPiece] = field(default_factory=list)
    left_out: int = 0


class PieceReader:
    """Reads the pieces of records under one mapping."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._expressions = {place: Expression(place, text) for place, text in expressions_of(document)}
        self.cards = CardReader(document.card_codes)
        self.amounts = AmountReader(document.amounts)
        self.times = TimeReader(document.times)

    # --- values ---

    def value(self, place: str, context: Mapping[str, Any]) -> Any:
        """What the expression at a place of the mapping finds; None where the mapping has none there."""
        expression = self._expressions.get(place)
        return None if expression is None else expression.value(context)

    def truth(self, place: str, context: Mapping[str, Any]) -> bool:
        """Whether the expression at a place holds; false where the mapping has none there."""
        expression = self._expressions.get(place)
        return expression is not None and expression.truth(context)

    def text(self, place: str, context: Mapping[str, Any]) -> str | None:
        """A text, also where the vendor writes a whole number; None for nothing."""
        found = self.value(place, context)
        if found is None or found == "":
            return None
        if isinstance(found, int) and not isinstance(found, bool):
            return str(found)
        if not isinstance(found, str):
            raise Unmapped(place, f"expected text, found {shown(found)}")
        return found.strip() or None

    def given(self, place: str, context: Mapping[str, Any]) -> str:
        """A text that must be there."""
        found = self.text(place, context)
        if found is None:
            raise Unmapped(place, "found nothing; the round log requires it")
        return found

    def whole(self, place: str, context: Mapping[str, Any]) -> int:
        """A whole number, also one written as text."""
        found = self.value(place, context)
        if isinstance(found, str) and found.strip().isdecimal() and len(found.strip()) < 19:
            return int(found)
        if isinstance(found, int) and not isinstance(found, bool):
            return found
        raise Unmapped(place, f"expected a whole number, found {shown(found)}")

    def word(self, place: str, field_: str, context: Mapping[str, Any]) -> str | None:
        """The log's word for the vendor's, by the table of that field where the mapping has one."""
        found = self.text(place, context)
        table: Mapping[str, str] = getattr(self._document.words, field_)
        if found is None:
            return None
        if not table:
            known = KNOWN_WORDS.get(field_)
            if known is None or found in known:
                return found
            words = ", ".join(known)
            raise Unmapped(
                place, f"unknown word {shown(found)}; expected one of {words}, or a table words.{field_}"
            )
        if found not in table:
            words = ", ".join(table)
            raise Unmapped(place, f"unknown word {shown(found)}; words.{field_} has {words}")
        return table[found]

    def amount(self, place: str, context: Mapping[str, Any]) -> int:
        """An amount in thousandths that must be there, perhaps negative."""
        return self.amounts.read(self.value(place, context), place)

    def _amount_or_none(self, place: str, context: Mapping[str, Any]) -> int | None:
        return None if self.value(place, context) in (None, "") else self.amount(place, context)

    def instant(self, place: str, context: Mapping[str, Any]) -> datetime | None:
        """An instant, None for nothing."""
        found = self.value(place, context)
        return None if found in (None, "") else self.times.read(found, place)

    def box(self, place: str, context: Mapping[str, Any]) -> int:
        """A box, 0 for the dealer."""
        words = self._document.words.box
        if words:
            found = self.text(place, context)
            if found in words:
                return words[found]
            raise Unmapped(place, f"unknown box {shown(found)}; words.box has {', '.join(words)}")
        return self.whole(place, context)

    # --- pieces ---

    def pieces(self, contexts: Sequence[Context]) -> Pieces:
        """Everything in a record, whose items these are: itself, or its rows."""
        found = Pieces()
        for place, context in self._items("hands", contexts):
            parent = self.text(f"{place}.parent", context)
            if parent is not None:
                found.parents[self._hand(place, context)] = parent
        for place, context in self._items("cards", contexts):
            self._add_cards(found, place, context)
        for place, context in self._items("actions", contexts):
            self._add_action(found, place, context)
        for place, context in self._items("wagers", contexts):
            self._add_wager(found, place, context)
        for place, context in self._items("settlements", contexts):
            found.settlements.append(
                SettlementPiece(
                    wager=self.given(f"{place}.wager", context),
                    at=self.instant(f"{place}.at", context),
                    position=self._position(place, context),
                    recorded=self._recorded(place, context),
                    place=place,
                )
            )
        return found

    def _items(self, name: str, contexts: Sequence[Context]) -> Iterator[tuple[str, Context]]:
        sections: Sequence[Section] = getattr(self._document, name)
        for number, section in enumerate(sections):
            place = f"{name}[{number}]"
            for context in contexts:
                for item in self._within(place, section, context, 0):
                    if section.when is None or self.truth(f"{place}.when", item):
                        yield place, item

    def _within(self, place: str, section: Section, context: Context, step: int) -> Iterator[Context]:
        if step == len(section.each):
            yield context
            return
        here = f"{place}.each[{step}]"
        for key, item in _members(self.value(here, context["item"]), here):
            below = {"key": key, "item": item, "up": context, "record": context["record"]}
            yield from self._within(place, section, below, step + 1)

    def _hand(self, place: str, context: Context) -> HandKey:
        return self.box(f"{place}.box", context), self.text(f"{place}.hand", context) or FIRST_HAND

    def _position(self, place: str, context: Context) -> Position:
        if self._document.order.by == "time":
            return self.instant(f"{place}.at", context)
        if self._document.order.by == "number":
            found = self.value(f"{place}.number", context)
            if found is None or found == "":
                return None
            return self.whole(f"{place}.number", context)
        return None

    def _required_position(self, place: str, context: Context) -> Position:
        position = self._position(place, context)
        if position is None and self._document.order.by != "rules":
            name = "at" if self._document.order.by == "time" else "number"
            raise Unmapped(f"{place}.{name}", "found nothing; the order of the events depends on it")
        return position

    def _add_cards(self, found: Pieces, place: str, context: Context) -> None:
        hand = self._hand(place, context)
        many = self.value(f"{place}.cards", context)
        codes = many if many is not None else [self.value(f"{place}.card", context)]
        if not isinstance(codes, list):
            raise Unmapped(f"{place}.cards", f"expected a list of cards, found {shown(codes)}")
        written = [code not in (None, "") for code in codes]
        if sorted(written, reverse=True) != written:
            gap = written.index(False) + 1
            raise Unmapped(f"{place}.cards", f"card {gap} is empty and a later one is not")
        read = [self.cards.read(code, f"{place}.card") for code in codes[: sum(written)]]
        if many is not None:
            before = [piece.card for piece in found.cards if piece.hand == hand]
            if before and before != read:
                raise Unmapped(
                    f"{place}.cards",
                    f"two places of the record disagree on the cards of {hand_words(hand)}: "
                    f"{' '.join(before)} and {' '.join(read)}",
                )
            if before:
                return
        elif not read:
            raise Unmapped(f"{place}.card", "found nothing; expected a card")
        cancelled = self.truth(f"{place}.cancelled", context)
        if cancelled and self._document.cancelled.cards == "leave_out":
            found.left_out += len(read)
            return
        at, position = self.instant(f"{place}.at", context), self._required_position(place, context)
        found.cards += [
            CardPiece(hand=hand, card=card, at=at, position=position, cancelled=cancelled) for card in read
        ]

    def _add_action(self, found: Pieces, place: str, context: Context) -> None:
        action = self.word(f"{place}.action", "action", context)
        if action is None or action == "none":
            return
        if self.truth(f"{place}.cancelled", context):
            found.left_out += 1
            return
        hand, to = self._hand(place, context), self.text(f"{place}.to", context)
        if action == "split" and to is not None:
            found.parents.setdefault((hand[0], to), hand[1])
        found.actions.append(
            ActionPiece(
                hand=hand,
                action=action,
                to=to,
                at=self.instant(f"{place}.at", context),
                position=self._required_position(place, context),
            )
        )

    def _add_wager(self, found: Pieces, place: str, context: Context) -> None:
        status = self.word(f"{place}.status", "status", context) or "settled"
        if status == "not_placed":
            found.left_out += 1
            return
        section = self._document.wagers[int(place[len("wagers[") : -1])]
        apart = bool(self._document.settlements) or status == "open"
        amount = self.amount(f"{place}.amount", context)
        if amount < 0:
            raise Unmapped(f"{place}.amount", f"expected an amount of 0 or more, found {shown(amount)}")
        found.wagers.append(
            WagerPiece(
                hand=self._hand(place, context),
                player=self.given(f"{place}.player", context),
                kind=self.word(f"{place}.kind", "kind", context),
                amount=amount,
                id=self.text(f"{place}.id", context),
                at=self.instant(f"{place}.at", context),
                position=self._position(place, context),
                limit=self._amount_or_none(f"{place}.limit", context),
                status=status,
                includes_double=section.includes_double,
                recorded=None if apart else self._recorded(place, context),
                place=place,
            )
        )

    def _recorded(self, place: str, context: Context) -> Recorded:
        amounts = {
            name: self.amount(f"{place}.{name}", context)
            for name in ("net", "returned", "paid", "taken")
            if f"{place}.{name}" in self._expressions
        }
        return Recorded(result=self.word(f"{place}.result", "result", context), **amounts)


def hand_words(hand: HandKey) -> str:
    """A hand in words, such as ``box 3, hand 2``."""
    box, key = hand
    if box == 0:
        return "the dealer's hand"
    return f"box {box}" + (f", hand {key}" if key else "")


def _members(found: Any, place: str) -> list[tuple[Any, Any]]:
    """The members of a list by place from 0, of an object by key; keys that are numbers count as such."""
    if found is None:
        return []
    if isinstance(found, list):
        return list(enumerate(found))
    if isinstance(found, dict):
        return sorted(found.items(), key=lambda member: _natural(member[0]))
    raise Unmapped(place, f"expected a list or an object, found {shown(found)}")


def _natural(key: str) -> tuple[int, int, str]:
    number = key.isdecimal() and key.isascii() and len(key) < 19
    return (0, int(key), key) if number else (1, 0, key)
