"""The rounds of a tournament as the round log has them: where, when, and who wagered how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import TypeAlias

import msgspec

from rules_replay.log import Round, Void, Wager, Withdraw


class LoggedRound(msgspec.Struct, frozen=True, kw_only=True):
    """A round of the round log, as far as a tournament is held against it.

    ``wagered`` has the main wagers of each player added up, in thousandths; those declared
    void or withdrawn are left out.
    """

    table: str
    started_at: datetime
    wagered: dict[str, int]


LoggedRounds: TypeAlias = Mapping[str, LoggedRound]
"""The rounds of one venue by ``round_id``; one that is not in it is in no log given."""


def logged_round(round_: Round) -> LoggedRound:
    """What a tournament needs of a round."""
    undone = {
        each.wager
        for each in round_.events
        if isinstance(each, Withdraw) or (isinstance(each, Void) and each.scope == "wager")
    }
    wagered: Counter[str] = Counter()
    for each in round_.events:
        if isinstance(each, Wager) and each.kind == "main" and each.id not in undone:
            wagered[each.player] += each.amount
    return LoggedRound(table=round_.table, started_at=round_.started_at, wagered=dict(wagered))
