"""Events as records: what an event of a kind cannot have is nothing to the kernel either."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import islice
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pytest

from rules_replay import log
from rules_replay.kernel.codes import NOT, WAGER
from rules_replay.kernel.encode import encode
from rules_replay.log import EVENT_KINDS, EVENTS
from rules_replay.rulebook import rulebook_ids
from tests.kernel.parity import tables
from tests.kernel.rounds import reckless_rounds

HELD = {
    str(kind.__struct_config__.tag): {"round_id", "seq", "e", *kind.__struct_encode_fields__}
    | ({"wager"} if kind is log.Wager else set())
    for kind in get_args(log.AnyEvent)
}
"""The columns that an event of a kind can have a value in."""

STRAY: dict[str, Any] = {
    "wager": "w",
    "box": 3,
    "hand": 2,
    "player": "Bo",
    "kind": "main",
    "amount": Decimal("1.5"),
    "on": "w",
    "limit": Decimal("7"),
    "card": "AS",
    "from": "hand",
    "reason": "exposed",
    "to": 4,
    "scope": "round",
    "multiplier": 9,
    "code": "other",
    "line": "bonus",
    "result": "win",
    "paid": Decimal("2"),
    "taken": Decimal("0.5"),
    "reverses": 0,
}


def records(rounds: pa.Table, events: pa.Table) -> dict[str, list[Any]]:
    """The fields of the records of events, names of wagers and players in place of their numbers."""
    made = encode(rounds, events, np.zeros(rounds.num_rows, np.int32), ["act-2018"])
    names: dict[str, Sequence[str]] = {"wager": made.wagers, "on": made.wagers, "player": made.players}
    found = {name: made.events[name].tolist() for name in made.events.dtype.names}
    # On the bytes of a player's number, which means nothing by itself, other events have other fields.
    placed = made.events["kind"] == WAGER
    found["player"] = np.where(placed, made.events["player"], NOT).tolist()
    for name in ("reverses", "card", "to", "explained"):
        found[name] = np.where(placed, NOT, made.events[name]).tolist()
    for name, texts in names.items():
        found[name] = [None if each < 0 else texts[each] for each in found[name]]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("rulebook", rulebook_ids())
def test_of_an_event_only_what_its_kind_has_is_looked_at(rulebook: str) -> None:
    rounds, events = tables(islice(reckless_rounds(rulebook, 3, 400), 400))
    rows = events.to_pylist()
    for row in rows:
        row.update({name: value for name, value in STRAY.items() if name not in HELD[row["e"]]})
    assert set(events["e"].to_pylist()) == set(EVENT_KINDS)
    assert records(rounds, pa.Table.from_pylist(rows, EVENTS)) == records(rounds, events)
