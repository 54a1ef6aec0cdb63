"""The same rounds through both engines, everything that they say compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

import pyarrow as pa

from audit.ingest.columns import Columns, Origin, events_of, rounds_of
from rules_replay.auditor import Auditor
from rules_replay.fast import FastReplay
from rules_replay.log import Round
from rules_replay.replay import Batch, Replay, Tally
from rules_replay.venues import Register, load_register
from tests.kernel.rounds import faulty_rounds

WHOLLY = 8
"""One round in so many has a digest low enough for the sample that both engines replay."""

_ORIGIN = Origin("a.jsonl", "0" * 64, 1, 0)


Said: TypeAlias = dict[str, pa.Table]
"""What an engine says of rounds, as tables by name."""

SAID = ("hands", "settlements", "findings", "coverage")


def tables(rounds: Iterable[Round], *, wholly: bool = True) -> tuple[pa.Table, pa.Table]:
    """Rounds and their events as the lake has them, with digests that put one in `WHOLLY` into the sample.

    For a round of the sample the fast replay has the readable engine audit it, whatever the kernel found. The
    others go the way of nearly all in a night: told where something was found, read otherwise by the kernel.
    Not ``wholly``, none is in the sample.
    """
    columns = Columns()
    for number, round_ in enumerate(rounds):
        first = "0" if wholly and number % WHOLLY == 0 else "f"
        columns.add(round_, extra=None, digest=f"{first}{number:063x}", origin=_ORIGIN)
    return columns.tables()


def register_for(rulebook: str, venue: str) -> Register:
    """The shipped register with one rulebook in force at a venue for ever."""
    register = load_register()
    known = register.venues[venue]
    window = next(each for each in known.windows if each.rulebook == rulebook)
    always = replace(window, since=window.since.replace(year=1970), until=None)
    return Register(venues={**register.venues, venue: replace(known, windows=(always,))})


def compile_kernel() -> None:
    """Have compiled, or loaded, what a replay by the kernel needs."""
    rounds = list(faulty_rounds("act-2018", 2, 20))
    assert differences(rounds, rounds[0].venue) == []
    fast = FastReplay(Auditor(load_register()), rounds[0].venue, lambda some, its: [])
    fast.follow(*tables(rounds))


def differences(
    rounds: Iterable[Round],
    venue: str,
    *,
    register: Register | None = None,
    readings: Mapping[str, str] | None = None,
    batch: int = 1000,
) -> list[str]:
    """In what the two engines differ on some rounds of one venue; nothing, if all is well."""
    auditor = Auditor(register or load_register(), readings)
    some = list(rounds)
    theirs, slow = by_engine(some, auditor)
    ours, fast = by_kernel(map(tables, _batched(some, batch)), auditor, venue)
    found = compared(ours, theirs)
    if fast != slow:
        found.append(f"tally: {fast} and {slow}")
    return found


def by_engine(rounds: Iterable[Round], auditor: Auditor) -> tuple[Said, Tally]:
    """What the readable engine says of rounds."""
    replay = Replay(auditor)
    return _said(list(replay.batches(rounds)), replay.coverage()), replay.tally


def by_kernel(
    batches: Iterable[tuple[pa.Table, pa.Table]], auditor: Auditor, venue: str
) -> tuple[Said, Tally]:
    """What the kernel says of the rounds of one venue, given as tables of rounds and events."""
    replay = FastReplay(auditor, venue, lambda some, its: [*rounds_of(some, events_of(its), venue)])
    done = [replay.batch(*each) for each in batches]
    replay.finish()
    return _said(done, replay.coverage()), replay.tally


def _said(batches: Sequence[Batch], coverage: pa.Table) -> Said:
    joined = {name: pa.concat_tables([getattr(each, name) for each in batches]) for name in SAID[:-1]}
    return {**joined, "coverage": coverage}


def compared(ours: Said, theirs: Said) -> list[str]:
    """The first difference in each of the tables that has one."""
    found: list[str] = []
    for name in SAID:
        one = ours[name].cast(theirs[name].schema)
        if not one.equals(theirs[name]):
            found.append(f"{name}: {_first_difference(one, theirs[name])}")
    return found


def _batched(rounds: Iterable[Round], size: int) -> Iterator[list[Round]]:
    coming = iter(rounds)
    while some := list(islice(coming, size)):
        yield some


def _first_difference(one: pa.Table, other: pa.Table) -> str:
    rows = zip(one.to_pylist(), other.to_pylist(), strict=False)
    for ours, theirs in rows:
        if ours != theirs:
            return str(
                {name: (ours[name], theirs[name]) for name in ours if ours[name] != theirs[name]}
                | {"row": ours}
            )
    return f"{one.num_rows} rows and {other.num_rows}"
