"""A vendor's card codes as cards of the log: ``S_K``, ``C_10``, ``Ks``, ``10♥``, or a bare rank."""

from __future__ import annotations

from typing import Any

from audit.mapping.errors import Unmapped, shown
from audit.mapping.model import CardCodes
from rules_replay.cards import JOKER, RANKS, UNREADABLE

_RANKS = {**{rank: rank for rank in RANKS}, "10": "10", "T": "10", "1": "A"}
_SUITS = {**dict(zip("SHDC", "SHDC", strict=True)), **dict(zip("♠♥♦♣", "SHDC", strict=True))}
NO_SUIT = "?"
"""Stands for the suit of a card whose suit the vendor does not record, until `suits` gives it one."""


class CardReader:
    """Reads the codes that a mapping describes."""

    def __init__(self, codes: CardCodes) -> None:
        self._codes = codes
        self._ranks = _RANKS | codes.ranks
        self._suits = _SUITS | codes.suits
        self._known: dict[str, str] = dict(codes.words)

    def read(self, found: Any, place: str) -> str:
        """A card as the log writes it; raises `Unmapped` for a code that the mapping does not know."""
        if isinstance(found, int) and not isinstance(found, bool):
            found = str(found)
        if not isinstance(found, str):
            raise Unmapped(place, f"expected a card, found {shown(found)}")
        code = found.strip()
        card = self._known.get(code)
        if card is None:
            card = self._known[code] = self._read(code, place)
        return card

    def _read(self, code: str, place: str) -> str:
        if code in self._codes.unreadable:
            return UNREADABLE
        parts = self._parts(code)
        if parts is not None:
            rank, suit = (self._ranks.get(_either(parts[0], self._ranks)), self._suit(parts[1]))
            if rank == JOKER:
                return JOKER
            if rank is not None and suit is not None:
                return rank + suit
        raise Unmapped(place, f"unknown card {code!r}; expected {self._expected()}")

    def _parts(self, code: str) -> tuple[str, str] | None:
        """Rank and suit as written."""
        match self._codes.form:
            case "rank":
                return code, ""
            case "rank_suit" if self._codes.separator:
                rank, _, suit = code.partition(self._codes.separator)
                return rank, suit
            case "suit_rank" if self._codes.separator:
                suit, _, rank = code.partition(self._codes.separator)
                return rank, suit
            case "rank_suit":
                return self._cut(code, ends=True)
            case _:
                return self._cut(code, ends=False)

    def _cut(self, code: str, *, ends: bool) -> tuple[str, str] | None:
        for suit in sorted(self._suits, key=len, reverse=True):
            for spelled in dict.fromkeys((suit, suit.lower(), suit.upper())):
                if ends and code.endswith(spelled):
                    return code[: -len(spelled)], spelled
                if not ends and code.startswith(spelled):
                    return code[len(spelled) :], spelled
        return None

    def _suit(self, written: str) -> str | None:
        if self._codes.form == "rank":
            return NO_SUIT
        return self._suits.get(_either(written, self._suits))

    def _expected(self) -> str:
        ranks = ", ".join(sorted(self._ranks))
        if self._codes.form == "rank":
            return f"a rank: {ranks}"
        first, second = ("suit", "rank") if self._codes.form == "suit_rank" else ("rank", "suit")
        between = f", {self._codes.separator!r} between them" if self._codes.separator else ""
        return f"{first} and {second}{between}; ranks {ranks}; suits {', '.join(sorted(self._suits))}"


def _either(written: str, known: dict[str, str]) -> str:
    """A text as it is known: as written, or in capitals."""
    return written if written in known else written.upper()
