"""One line of a tournament log to one `Tournament`, or one `Rejected` that says why not."""

from __future__ import annotations

from collections import Counter
from typing import get_args

from audit.ingest import wire
from audit.ingest.intake import Kind, line_by_line
from audit.ingest.ledgers import LedgerFormat, LedgerLine
from audit.ingest.wire import Rejected
from rules_replay.tournament import log
from rules_replay.tournament.log import Session, Tournament

_WORDS: dict[str, tuple[str, ...]] = {
    "format": (log.FORMAT,),
    "form": get_args(log.Form),
    "states": get_args(log.Item),
    "session_ties": get_args(log.Ties),
    "final_ties": get_args(log.Ties),
    "kind": get_args(log.EntryKind),
    "stage": get_args(log.Stage),
    "named_by": ("gaming_shift_manager", "other"),
    "by": ("ballot", "other"),
    "way": ("added", "removed"),
    "why": ("buy_back", "other"),
    "reason": ("below_minimum", "conditions", "other"),
}


def _refuse(tournament: Tournament) -> None:
    """Refuse what types cannot say: a session named twice, a round that is nowhere, an unclear prize."""
    for name, times in Counter(each.session for each in tournament.sessions).items():
        if times > 1:
            raise Rejected(
                "sessions", f"{times} sessions are called {wire.shortened(name, 60)!r}; expected one"
            )
    for place, session in enumerate(tournament.sessions):
        _check_session(session, f"sessions[{place}]")
    for place, share in enumerate(tournament.conditions.prizes if tournament.conditions else ()):
        if (share.amount is None) == (share.percent is None):
            raise Rejected(f"conditions.prizes[{place}]", "expected either an amount or a percent")


def _check_session(session: Session, path: str) -> None:
    if session.rounds is None:
        return
    rounds = {each.round_id for each in session.rounds}
    for place, each in enumerate(session.eliminations or ()):
        if each.after is not None and each.after not in rounds:
            raise Rejected(
                f"{path}.eliminations[{place}].after",
                f"no round of the session is called {wire.shortened(each.after, 60)!r}",
            )


_FORMAT: LedgerFormat[Tournament] = LedgerFormat(Tournament, _WORDS, "tournament", _refuse)

decode_tournament = _FORMAT.decode
"""One line of JSON Lines to a tournament; raises `Rejected`, and nothing else, for a bad one."""

TOURNAMENTS: Kind[LedgerLine[Tournament]] = Kind(
    name="tournament",
    read=line_by_line(decode_tournament, "tournaments"),
    identity=lambda line: (line.item.venue, line.item.tournament_id),
    digest=lambda line: line.digest,
    unknown=lambda line: line.unknown,
)
"""Tournament logs."""
