"""The same rounds through both engines, everything that they say compared.

Run as a module with the names of rulebooks it compares so many rounds of each:
``python -m tests.kernel.parity 1000000 act-2018``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice

import pyarrow as pa

from audit.ingest.columns import Columns, Origin, events_of, rounds_of
from rules_replay.auditor import Auditor
from rules_replay.fast import FastReplay
from rules_replay.log import Round
from rules_replay.replay import Batch, Replay
from rules_replay.venues import Register, load_register
from tests.kernel.rounds import faulty_rounds, lawful_rounds

WHOLLY = 8
"""One round in so many has a digest low enough for the sample that both engines replay."""

_ORIGIN = Origin("a.jsonl", "0" * 64, 1, 0)


def tables(rounds: Iterable[Round]) -> tuple[pa.Table, pa.Table]:
    """Rounds and their events as the lake has them, with digests that put one in `WHOLLY` into the sample.

    For a round of the sample the fast replay has the readable engine audit it, whatever the kernel found. The
    others go the way of nearly all in a night: told where something was found, read otherwise by the kernel.
    """
    columns = Columns()
    for number, round_ in enumerate(rounds):
        first = "f" if number % WHOLLY else "0"
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
    register = register or load_register()
    slow = Replay(Auditor(register, readings))
    fast = FastReplay(
        Auditor(register, readings), venue, lambda some, its: [*rounds_of(some, events_of(its), venue)]
    )
    found: list[str] = []
    for some in _batched(rounds, batch):
        ours = fast.batch(*tables(some))
        theirs = _joined(list(slow.batches(some)))
        for name in ("hands", "settlements", "findings"):
            other = getattr(theirs, name)
            one = getattr(ours, name).cast(other.schema)
            if not one.equals(other):
                found.append(f"{name}: {_first_difference(one, other)}")
    fast.finish()
    if not fast.coverage().equals(slow.coverage()):
        found.append(f"coverage: {_first_difference(fast.coverage(), slow.coverage())}")
    if fast.tally != slow.tally:
        found.append(f"tally: {fast.tally} and {slow.tally}")
    return found


def _batched(rounds: Iterable[Round], size: int) -> Iterator[list[Round]]:
    coming = iter(rounds)
    while some := list(islice(coming, size)):
        yield some


def _joined(batches: list[Batch]) -> Batch:
    return Batch(
        hands=pa.concat_tables([each.hands for each in batches]),
        settlements=pa.concat_tables([each.settlements for each in batches]),
        findings=pa.concat_tables([each.findings for each in batches]),
    )


def _first_difference(one: pa.Table, other: pa.Table) -> str:
    rows = zip(one.to_pylist(), other.to_pylist(), strict=False)
    for ours, theirs in rows:
        if ours != theirs:
            return str(
                {name: (ours[name], theirs[name]) for name in ours if ours[name] != theirs[name]}
                | {"row": ours}
            )
    return f"{one.num_rows} rows and {other.num_rows}"


def main() -> None:
    """Compare so many lawful rounds of each rulebook named."""
    count, *rulebooks = sys.argv[1:]
    for rulebook in rulebooks:
        rounds = lawful_rounds(rulebook, 1, int(count))
        first = next(rounds)
        found = differences(chain([first], rounds), first.venue)
        print(rulebook, count, "rounds:", found[0] if found else "no difference")
        if found:
            sys.exit(1)


if __name__ == "__main__":
    main()
