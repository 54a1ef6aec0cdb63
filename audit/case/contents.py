"""What a case holds of a round, derived from the round, its shoe and the law alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import pyarrow as pa

from audit.ingest.wire import encode_line
from rules_replay.auditor import audit_in_shoe
from rules_replay.explain import explain_round
from rules_replay.log import Round, amount_text
from rules_replay.replay import findings_table, hands_table, settlements_table
from rules_replay.results import RoundReplay
from rules_replay.rulebook import Rulebook
from rules_replay.shoe import Shoe, check_shoe
from rules_replay.venues import Register

FORMAT: Final = "pontoon-case/1"

CASE: Final = "case.json"
ROUND: Final = "round.json"
SHOE: Final = "shoe.jsonl"
SOURCE: Final = "source.jsonl"
REGISTER: Final = "venues.toml"
RULEBOOKS: Final = "rulebooks"
INGEST: Final = "ledger/ingest.jsonl"
RUN: Final = "ledger/run.jsonl"
DISPOSITIONS: Final = "ledger/dispositions.jsonl"

_WIDTH: Final = 100
_LEVEL: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """A round with the earlier ones of its shoe, oldest first, and the law that they are under.

    ``readings`` were chosen for the run; they come before those of the register.
    """

    round: Round
    shoe: tuple[Round, ...]
    register: Register
    rulebooks: Mapping[str, Rulebook]
    readings: Mapping[str, str]

    def book_for(self, round_: Round) -> Rulebook | None:
        """The rulebook in force for a round; ``KeyError`` where it is not among ``rulebooks``."""
        window = self.register.window_at(round_.venue, round_.started_at)
        if window is None:
            return None
        return self.rulebooks[window.rulebook].with_readings({**window.readings, **self.readings})

    def replayed(self) -> RoundReplay:
        """Everything known about the round."""
        shoe = Shoe()
        for earlier in self.shoe:
            check_shoe(shoe, earlier, self.book_for(earlier))
        return audit_in_shoe(self.round, self.book_for(self.round), shoe)


def books_of(register: Register, rounds: Iterable[Round]) -> list[str]:
    """The rulebooks in force for some rounds, sorted."""
    windows = (register.window_at(each.venue, each.started_at) for each in rounds)
    return sorted({window.rulebook for window in windows if window is not None})


def tables_of(matter: Matter, replay: RoundReplay) -> dict[str, pa.Table]:
    """The rows that a run publishes of the round, by table."""
    return {
        "hands": hands_table([replay]),
        "settlements": settlements_table([replay]),
        "findings": findings_table([(matter.round.venue, replay)]),
    }


def derived(matter: Matter, replay: RoundReplay) -> dict[str, bytes]:
    """The files that are made of the round, by name."""
    told = explain_round(matter.round, matter.book_for(matter.round), replay, _LEVEL)
    files = {f"{name}.json": as_json(_rows(table)) for name, table in tables_of(matter, replay).items()}
    return {
        **files,
        "explanation.json": as_json(told.as_json()),
        "explanation.txt": f"{told.text(width=_WIDTH).rstrip()}\n".encode(),
    }


def round_line(round_: Round) -> bytes:
    """A round in canonical form: as one line of a round log, defaults left out."""
    return encode_line(round_) + b"\n"


def as_json(value: Any) -> bytes:
    """A value as the JSON text of a case."""
    return f"{json.dumps(value, ensure_ascii=False, indent=2)}\n".encode()


def _rows(table: pa.Table) -> list[dict[str, Any]]:
    return [{name: _plain(value) for name, value in row.items()} for row in table.to_pylist()]


def _plain(value: Any) -> Any:
    return amount_text(int(value.scaleb(3))) if isinstance(value, Decimal) else value
