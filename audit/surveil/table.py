"""The table of results, and the questions that they answer."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from rules_replay.log import MONEY

QUESTIONS: Final = {
    "overpaid": "rounds in which players received more than was due",
    "underpaid": "rounds in which players received less than was due",
    "findings": "rounds with a finding",
    "cards": "how often cards completed a hand",
    "dealer": "how often the dealer ended on a total",
    "multiplier": "how often the jackpot meter showed a multiplier or more",
    "hold": "what the house kept, against the theoretical return",
    "sequence": "cards that came again in the order of an earlier shoe",
    "missing": "cards that never came",
    "stake": "wins at a stake suddenly raised",
}
"""The questions and what they ask, in the order of the report."""


def _field(name: str, kind: pa.DataType, meaning: str, *, null: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable=null, metadata={"comment": meaning})


SURVEILLANCE = pa.schema(
    [
        _field("venue", pa.string(), "key into the venue register"),
        _field("question", pa.string(), f"one of {', '.join(QUESTIONS)}"),
        _field("subject_kind", pa.string(), "dealer, table, shift, player, pair of dealer and player, …"),
        _field("subject", pa.string(), "which of that kind"),
        _field("detail", pa.string(), "check, total, card or multiplier that it is about; may be empty"),
        _field("verdict", pa.string(), "unusual, ordinary or not evaluable; never a statement of guilt"),
        _field("trials", pa.int64(), "what could have gone either way"),
        _field("observed", MONEY, "how often, or how much, it was"),
        _field("expected", MONEY, "how often, or how much, it would be on the average", null=True),
        _field("p", pa.string(), "probability of that or more if nothing is out of the ordinary", null=True),
        _field("e", pa.string(), "what a bet of 1 against chance has grown to", null=True),
        _field("q", pa.string(), "p, or 1 / e, adjusted for the number of tests", null=True),
        _field("tests", pa.int64(), "tests of that question and kind of subject"),
        _field("level", pa.string(), "share of unusual results that may be false"),
        _field("currency", pa.string(), "of the amounts; null where no money is counted", null=True),
        _field("overpaid", MONEY, "received by players beyond what was due", null=True),
        _field("underpaid", MONEY, "held back from players", null=True),
        _field("net", MONEY, "won by players in these rounds, as recorded; negative: lost", null=True),
        _field("rounds", pa.int64(), "rounds that it rests on"),
        _field(
            "needed", pa.int64(), "trials that the test needs for the power that limits states", null=True
        ),
        _field("first_round", pa.string(), "first round that it points at", null=True),
        _field("last_round", pa.string(), "last round that it points at", null=True),
        _field("limits", pa.string(), "the power of the test, and what it does not show"),
    ]
)
