"""What is fuzzed: each target takes any bytes, and an exception out of it is a fault found.

The decoders may refuse with `Rejected`, the readers of TOML with `RulebookError`, a CSV pair as
a whole with `SourceFailed`. Everything else that comes out is a fault, and so is a refusal that
is no line for people, or a round that its two ways of being read do not agree on.
"""

from __future__ import annotations

import io
import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from audit.errors import SourceFailed
from audit.ingest import wire
from audit.ingest.books import BOOK_FORMAT
from audit.ingest.bulk import bulk_of
from audit.ingest.columns import Columns, Origin, events_of, rounds_of
from audit.ingest.csv_pair import csv_rounds
from audit.ingest.lines import BOM, Lines, Read, Refused, json_lines
from audit.ingest.sources import Source
from audit.ingest.tournaments import decode_tournament
from audit.ingest.wire import Rejected
from rules_replay.auditor import Auditor, tell
from rules_replay.errors import RulebookError
from rules_replay.explain import explain_round
from rules_replay.log import Round
from rules_replay.rulebook import load_rulebook, parse_rulebook, rulebook_ids
from rules_replay.shoe import Shoe
from rules_replay.venues import load_register, parse_register
from tests.kernel.parity import differences, register_for
from tests.kernel.rounds import nonsensical
from tests.strategies import senseless, spoiled

T = TypeVar("T")
Target = Callable[[bytes], None]

CORPUS = Path(__file__).parent / "corpus"
"""Inputs kept for each target, one folder each: seeds, and what was hard once."""

_ORIGIN = Origin("a.jsonl", "0" * 64, 1, 0)

LONGEST_REASON = 2000
"""More characters than any reason for a refusal has."""


def _refusal(rejected: Rejected | Refused) -> None:
    """What is said of a refused line must be short, and can be stored as text."""
    assert rejected.reason
    assert len(rejected.reason) + len(rejected.field) <= LONGEST_REASON, "a reason as long as a line"
    for text in (rejected.reason, rejected.field, rejected.round_id or "", rejected.venue or ""):
        text.encode()


def line(data: bytes) -> None:
    """One line of a round log: read or refused, and the same when written and read again."""
    try:
        decoded = wire.decode_line(data)
    except Rejected as rejected:
        _refusal(rejected)
        return
    again = wire.decode_line(wire.encode_line(decoded.round))
    assert wire.content_digest(again.round) == wire.content_digest(decoded.round)
    assert again.extra is None
    columns = Columns()
    columns.add(decoded.round, extra=decoded.extra, digest="0" * 64, origin=_ORIGIN)
    stored, events = columns.tables()
    assert next(rounds_of(stored, events_of(events), decoded.round.venue)) == decoded.round


def lines(data: bytes) -> None:
    """Many lines: compiled reading takes a line only if `wire` does, and reads the same in it."""
    cut = Lines("f", data, 1, 0)
    starts, stops = cut.spans()
    bulk, others = bulk_of(cut, starts + cut.marks(len(starts)), stops)
    each = [line_.data for line_ in cut.each()]
    assert sorted([*bulk.places.tolist(), *others]) == list(range(len(each)))
    singly = [wire.decode_line(each[place].removeprefix(_mark(place))) for place in bulk.places.tolist()]
    assert bulk.columns["round_id"].to_pylist() == [whole.round.round_id for whole in singly]
    assert bulk.columns["extra"].to_pylist() == [whole.extra for whole in singly]
    for digest, whole in zip(bulk.digests, singly, strict=True):
        assert digest.hex() == wire.content_digest(whole.round, whole.extra)
    read = list(json_lines("f", io.BytesIO(data)))
    assert len(read) == len(each), "a line is lost"
    for item in read:
        if isinstance(item, Refused):
            _refusal(item)


def _mark(place: int) -> bytes:
    return BOM if place == 0 else b""


def csv(data: bytes) -> None:
    """A CSV pair: rows of ``rounds.csv``, an empty line of three dashes, rows of ``events.csv``."""
    rounds, _, events = data.partition(b"\n---\n")
    source = Source("rounds.csv", Path("rounds.csv"), Path("events.csv"))
    try:
        for each in csv_rounds(source, io.BytesIO(rounds), io.BytesIO(events)):
            if isinstance(each, Read):
                wire.content_digest(each.round, each.extra)
            else:
                _refusal(each)
    except SourceFailed:
        return


def book(data: bytes) -> None:
    """One line of a house book."""
    _ledger(BOOK_FORMAT.decode, data)


def tournament(data: bytes) -> None:
    """One line of a tournament log."""
    _ledger(decode_tournament, data)


def _ledger(decode: Callable[[bytes], Any], data: bytes) -> None:
    try:
        decoded = decode(data)
    except Rejected as rejected:
        _refusal(rejected)
        return
    assert decoded.digest
    assert decoded.unknown is not None


def rulebook(data: bytes) -> None:
    """A rulebook as TOML, under names that may exist: read, or every problem named."""
    _toml(lambda text: parse_rulebook(text, "some.toml"), data)


def register(data: bytes) -> None:
    """A venue register as TOML."""
    _toml(lambda text: parse_register(text, "venues.toml"), data)


def _toml(parse: Callable[[str], object], data: bytes) -> None:
    try:
        text = data.decode()
        tomllib.loads(text)
    except (ValueError, RecursionError):
        return
    try:
        parse(text)
    except RulebookError:
        return


def readable(data: bytes) -> None:
    """A round made of these bytes, through the readable engine and its explanation."""
    name, round_ = made_of(data)
    replay = Auditor(_register(name, round_.venue)).audit(round_)
    explain_round(round_, load_rulebook(name), replay, level=3).text()


def engines(data: bytes) -> None:
    """A round made of these bytes, through both engines: they say the same."""
    name, round_ = made_of(data)
    assert differences([round_], round_.venue, register=_register(name, round_.venue)) == []


def logged(data: bytes) -> None:
    """A line that is a round, whatever it says, under every rulebook: replayed, never given up."""
    try:
        round_ = wire.decode_line(data).round
    except Rejected:
        return
    Auditor(load_register()).audit(round_)
    for name in rulebook_ids():
        book_ = load_rulebook(name)
        told = tell(round_, book_, Shoe())
        explain_round(round_, book_, told.replayed, level=3).text()


class _Choices:
    """Choices out of a list made by bytes; the first of the list once the bytes are used up."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def __call__(self, listed: Sequence[T]) -> T:
        return listed[int.from_bytes(self._data.read(1 if len(listed) <= 256 else 2)) % len(listed)]


def made_of(data: bytes) -> tuple[str, Round]:
    """A rulebook and a round under it that these bytes choose."""
    choose = _Choices(data)
    name = choose(rulebook_ids())
    maker = choose((spoiled, senseless, nonsensical))
    return name, maker(name, choose)


@cache
def _register(name: str, venue: str) -> Any:
    return register_for(name, venue)


TARGETS: dict[str, Target] = {
    each.__name__: each
    for each in (line, lines, csv, book, tournament, rulebook, register, logged, readable, engines)
}
"""Every target by its name."""
