"""One line of a tournament log to one `Tournament`, or one `Rejected` that says why not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args

import msgspec

from audit.ingest import wire
from audit.ingest.wire import Rejected
from rules_replay.log import decode_custom, encode_custom
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

_typed = msgspec.json.Decoder(Tournament, dec_hook=decode_custom)
_encoder = msgspec.json.Encoder(enc_hook=encode_custom)


@dataclass(frozen=True, slots=True)
class DecodedTournament:
    """A tournament, and the fields outside the format: their paths, such as ``entries[0].colour``."""

    tournament: Tournament
    extra: dict[str, Any]

    @property
    def unknown(self) -> tuple[str, ...]:
        """The paths with places taken out, each once: ``entries[].colour``."""
        return tuple(sorted({re.sub(r"\[[0-9]+\]", "[]", name) for name in self.extra}))


def decode_tournament(line: bytes) -> DecodedTournament:
    """Read one line of JSON Lines; raises `Rejected`, and nothing else, for a bad one."""
    wire.refuse_bytes(line, "tournament")
    found = wire.loosely(line)
    try:
        tournament = _typed.decode(line)
    except msgspec.ValidationError as error:
        raise wire.explain(str(error), found, _WORDS, "tournament") from None
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise Rejected("", f"not JSON: {wire.shortened(str(error))}") from None
    wire.refuse_twice(line)
    _check(tournament)
    return DecodedTournament(tournament, dict(_outside(tournament, found, "")))


def encode_tournament(tournament: Tournament) -> bytes:
    """A tournament as one line of JSON Lines, without the line feed; defaults are left out."""
    return _encoder.encode(tournament)


def _outside(value: Any, found: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The fields of ``found`` that the format does not give ``value``, by path."""
    if isinstance(value, tuple):
        for place, (each, raw) in enumerate(zip(value, found, strict=True)):
            yield from _outside(each, raw, f"{path}[{place}]")
    elif isinstance(value, msgspec.Struct):
        prefix = f"{path}." if path else ""
        for name, raw in found.items():
            if name in value.__struct_encode_fields__:
                yield from _outside(getattr(value, name), raw, prefix + name)
            else:
                yield prefix + name, raw


def _check(tournament: Tournament) -> None:
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
