"""The story of one round: every card, what each decision was allowed by, what each wager was due.

`explain_round` joins the events of a round, the readable engine's working and the
findings of its replay into one `Explanation`. It is written for a dealer who is told
that something was wrong and wants to know why, and for a regulator who checks each
figure. It judges nothing: totals, dues, clauses and findings are the engine's.

Three levels of detail: 1 tells the verdict, the findings, the hands and the wagers;
2 adds the arithmetic and every event in order; 3 adds the readings that would change
something, the checks that the log could not support, and the timestamps.

An `Explanation` carries the texts of the log as they were recorded. They may hold
anything, so `Explanation.text` writes control and direction characters as escapes.

``record`` is the round as logged, ``working`` the engine's view of it. ``story`` tells
either, through ``judged`` (with ``remarks``, ``claims`` and ``wagers``) or ``unjudged``;
``heading``, ``findings`` and ``readings`` tell the rest. ``data`` is what they make, and
``sections`` writes it on a ``page``.
"""

from rules_replay.explain.data import (
    CoverageTold,
    FindingTold,
    Ground,
    HandTold,
    Heading,
    NotChecked,
    ReadingTold,
    Settlement,
    Step,
    WagerTold,
)
from rules_replay.explain.explanation import LEVELS, Explanation, explain_round
from rules_replay.words import visible

__all__ = [
    "LEVELS",
    "CoverageTold",
    "Explanation",
    "FindingTold",
    "Ground",
    "HandTold",
    "Heading",
    "NotChecked",
    "ReadingTold",
    "Settlement",
    "Step",
    "WagerTold",
    "explain_round",
    "visible",
]
