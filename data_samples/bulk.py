"""The fast path of the croupier: millions of rounds out of some tens of thousands.

One evening is dealt in earnest under each rulebook, shoe by shoe: `EVENING_ROUNDS` rounds
at `TABLES` tables. Every further evening is that one under another date. New are its round
ids, its shoes and all its instants, so that rulebook and gaming date are found anew.
Everything else repeats: tables, cards, players, stakes, decisions, settlements and faults.
Such rounds are for measuring how fast they are read and replayed, and say nothing about
how often anything happens.

``python -m data_samples.bulk --rounds 1000000 night.jsonl`` writes them as a round log.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec

from data_samples.croupier import deal_night
from data_samples.tables import HOUSES, House, opening
from rules_replay.log import Round, decode_custom, encode_custom
from rules_replay.rulebook import rulebook_ids
from rules_replay.venues import load_register

SEED = 1
EVENING_ROUNDS = 10_000
TABLES = 32
"""Enough for an evening to end before the first table has to open on the next one."""

BOXES = 3
"""Most boxes taken at a table, which comes to about 23 events a round."""

RATE = 0.002
"""Share of rounds in which a fault is sought, one kind after another."""

_DAY = timedelta(days=1)
_ENCODER = msgspec.json.Encoder(enc_hook=encode_custom)
_DECODER = msgspec.json.Decoder(Round, dec_hook=decode_custom)


@dataclass(frozen=True)
class Original:
    """The evening that was dealt under a rulebook, its rounds as lines of a log in order of time."""

    rulebook: str
    lines: tuple[bytes, ...]

    @property
    def house(self) -> House:
        """Where it was dealt."""
        return HOUSES[self.rulebook]

    @cached_property
    def day(self) -> date:
        """The local date on which its tables opened."""
        return next(_even_evenings(self.house))

    def rounds(self) -> Iterator[Round]:
        """Its rounds, read from the lines."""
        return map(_DECODER.decode, self.lines)


def deal_original(
    rulebook: str, rounds: int = EVENING_ROUNDS, *, seed: int = SEED, rate: float = RATE
) -> Original:
    """Deal so many rounds of an evening; fewer are the beginning of more.

    Raises ``ValueError`` for more than an evening has, ``KeyError`` for an unknown rulebook.
    """
    day = next(_even_evenings(HOUSES[rulebook]))
    dealt = deal_night(
        rulebook, seed, rounds, faults="all", rate=rate, tables=TABLES, evening=day, boxes=BOXES
    )
    lines = tuple(_ENCODER.encode(round_) for round_, _ in dealt)
    if lines and _compact(day) not in lines[-1]:
        raise ValueError(f"{rulebook}: {rounds} rounds are more than {TABLES} tables deal in an evening")
    return Original(rulebook, lines)


def _even_evenings(house: House) -> Iterator[date]:
    """The house's first evening and those after it, without those on which the clocks change."""
    zone = ZoneInfo(house.zone)
    day = house.evening
    while True:
        here, there = (opening(house, each).astimezone(zone).utcoffset() for each in (day, day + _DAY))
        if here == there:
            yield day
        day += _DAY


def _compact(day: date) -> bytes:
    """A date as round ids and shoes have it."""
    return f"-{day:%Y%m%d}-".encode()


@dataclass(frozen=True)
class Evening:
    """The beginning of an original, so many rounds, under another date."""

    original: Original
    day: date
    rounds: int

    @cached_property
    def _instants(self) -> tuple[tuple[bytes, bytes], ...]:
        """What to write for what in instants; the morning first, whose date the new evening may have."""
        old, new = self.original.day, self.day
        return (
            (f'"{old + _DAY}T'.encode(), f'"{new + _DAY}T'.encode()),
            (f'"{old}T'.encode(), f'"{new}T'.encode()),
            (f'{self._offset(old)}"'.encode(), f'{self._offset(new)}"'.encode()),
        )

    def _offset(self, day: date) -> str:
        house = self.original.house
        return opening(house, day).astimezone(ZoneInfo(house.zone)).isoformat()[-6:]

    def stamped(self, text: bytes) -> bytes:
        """Lines of the original as those of this evening; the length stays the same."""
        for old, new in self._instants:
            text = text.replace(old, new)
        return text.replace(_compact(self.original.day), _compact(self.day))

    def lines(self) -> bytes:
        """The rounds as JSON Lines, in order of time."""
        return self.stamped(b"".join(line + b"\n" for line in self.original.lines[: self.rounds]))


def evenings(original: Original, rounds: int) -> Iterator[Evening]:
    """So many rounds of an original's house, evening after evening; the last may be shorter.

    Raises ``ValueError`` where the venue plays by the rulebook for fewer evenings.
    """
    house = original.house
    days = _even_evenings(house)
    register = load_register()
    while rounds > 0:
        day = next(days)
        window = register.window_at(house.venue, opening(house, day))
        if window is None or window.rulebook != original.rulebook:
            raise ValueError(
                f"{house.venue} played by {original.rulebook} until {day} only: ask for fewer rounds"
            )
        evening = Evening(original, day, min(rounds, len(original.lines)))
        yield evening
        rounds -= evening.rounds


def shares(rounds: int, rulebooks: Sequence[str] = rulebook_ids()) -> Mapping[str, int]:
    """So many rounds parted evenly among the rulebooks."""
    part, over = divmod(rounds, len(rulebooks))
    return {name: part + (place < over) for place, name in enumerate(rulebooks)}


def main(arguments: Sequence[str]) -> int:
    """Write a round log; 2 for arguments that make no sense."""
    parser = argparse.ArgumentParser(
        prog="python -m data_samples.bulk", description="Write a large round log."
    )
    parser.add_argument("file", type=Path, help="where the log goes, as JSON Lines")
    parser.add_argument("--rounds", type=int, default=1_000_000, help="rounds in all (%(default)s)")
    parser.add_argument("--seed", type=int, default=SEED, help="(%(default)s)")
    parser.add_argument("--rate", type=float, default=RATE, help="share of rounds with a fault (%(default)s)")
    chosen = parser.parse_args(arguments)
    with chosen.file.open("wb") as log:
        for rulebook, rounds in shares(chosen.rounds).items():
            original = deal_original(
                rulebook, min(rounds, EVENING_ROUNDS), seed=chosen.seed, rate=chosen.rate
            )
            for evening in evenings(original, rounds):
                log.write(evening.lines())
            print(f"{rulebook}: {rounds:,} rounds", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
