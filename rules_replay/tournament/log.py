"""The vocabulary of a tournament log (``pontoon-tournament/1``): one tournament, from entry to prizes.

A tournament is a ledger: what was written down, not what should have been. Money is in
thousandths of the currency unit, tournament chips are whole chips (`Chips`). What None
means stands with each class; where nothing is said, the fact was not recorded, and a check
that needs it is *not evaluable*.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec

from rules_replay.log import Amount, Instant, Name

FORMAT = "pontoon-tournament/1"

Chips: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
Place: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=10**6)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=10**6)]

Form: TypeAlias = Literal["single", "knock_out", "points"]
Stage: TypeAlias = Literal["heat", "semi_final", "final", "repechage"]
Ties: TypeAlias = Literal["play_off", "share"]
EntryKind: TypeAlias = Literal["entry", "reserve", "buy_back"]
Item: TypeAlias = Literal[
    "start",
    "entry_method",
    "sessions",
    "tables",
    "progression",
    "points",
    "repechage",
    "buy_back",
    "fee",
    "starting_chips",
    "players",
    "groups",
    "table_limits",
    "perfect_pairs",
    "elimination",
    "session_ties",
    "prizes",
    "final_ties",
    "rules_prevail",
]


class Director(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who conducted the tournament, and the post of whoever named that person."""

    name: Name
    named_by: Literal["gaming_shift_manager", "other"]


class Documents(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The papers about the conditions: when each step was taken; None where it was not.

    ``commission`` is the commission approved for one entry, None where none was.
    """

    approved_at: Instant | None = None
    documented_at: Instant | None = None
    available_at: Instant | None = None
    notified_at: Instant | None = None
    commission: Amount | None = None


class Share(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The prize of one place: a fixed ``amount``, or ``percent`` of the prize pool in thousandths."""

    place: Place
    amount: Amount | None = None
    percent: Amount | None = None


class Variation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A condition that differs from a rule, and whether the tables played by the condition."""

    clause: Name
    says: str = ""
    applied: bool


class Conditions(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The conditions as approved or notified; None where they say nothing.

    ``states`` lists what they state in words; a figure below states its own item.
    ``fee`` includes ``commission``. ``buy_backs`` is how often one player may buy back.
    """

    form: Form
    states: tuple[Item, ...] = ()
    fee: Amount | None = None
    commission: Amount | None = None
    buy_backs: Count | None = None
    buy_back_fee: Amount | None = None
    starting_chips: Chips | None = None
    chips_carried: bool = False
    min_players: Count | None = None
    max_players: Count | None = None
    min_wager: Chips | None = None
    max_wager: Chips | None = None
    session_ties: Ties | None = None
    final_ties: Ties | None = None
    prizes: tuple[Share, ...] = ()
    varies: tuple[Variation, ...] = ()

    @property
    def stated(self) -> frozenset[Item]:
        """Every item that the conditions state, in words or by a figure."""
        figures: dict[Item, bool] = {
            "fee": self.fee is not None,
            "buy_back": self.buy_backs is not None,
            "starting_chips": self.starting_chips is not None,
            "players": self.min_players is not None and self.max_players is not None,
            "table_limits": self.min_wager is not None and self.max_wager is not None,
            "session_ties": self.session_ties is not None,
            "final_ties": self.final_ties is not None,
            "prizes": bool(self.prizes),
        }
        return frozenset(self.states) | {item for item, given in figures.items() if given}


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A fee taken: ``commission`` is the part of ``fee`` that the operator kept.

    ``replaces`` names the absent player whose seat a reserve was offered.
    """

    player: Name
    kind: EntryKind = "entry"
    fee: Amount
    commission: Amount = Amount(0)
    at: Instant | None = None
    replaces: Name | None = None


class ChipChange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Chips that came to a player or left him otherwise than by a wager."""

    way: Literal["added", "removed"]
    chips: Chips
    why: Literal["buy_back", "other"] = "other"


class Seat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One player's place in one session; a player moved has a second one.

    ``seated_at`` is when the player sat down, None if that was not recorded; ``forfeited``
    when the place was taken as lost. ``won`` and ``lost`` are the chips of the wagers of the
    session, None where they were not added up.
    """

    player: Name
    table: Name
    seat: Annotated[int, msgspec.Meta(ge=1, le=99)]
    by: Literal["ballot", "other"] | None = None
    drawn_at: Instant | None = None
    seated_at: Instant | None = None
    forfeited: bool = False
    chips_start: Chips | None = None
    chips_end: Chips | None = None
    won: Chips | None = None
    lost: Chips | None = None
    changes: tuple[ChipChange, ...] = ()
    points: Count | None = None


class Stake(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One player's main wager in a round; ``holding`` is what the player held before it.

    ``changed`` after the player's turn to bet; ``warned`` and ``voided`` for betting out of turn.
    """

    player: Name
    chips: Chips
    holding: Chips | None = None
    changed: bool = False
    warned: bool = False
    voided: bool = False


class TournamentRound(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A round of a session at one table; ``round_id`` is its name in the round log.

    ``stakes`` stand in the order in which they were placed; ``marker`` is the player whom the
    starting marker showed.
    """

    round_id: Name
    table: Name
    marker: Name | None = None
    stakes: tuple[Stake, ...]


class Elimination(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A player put out: why, holding how much, and after which round of the session."""

    player: Name
    reason: Literal["below_minimum", "conditions", "other"]
    chips: Chips | None = None
    after: Name | None = None


class PlayOff(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Additional rounds between tied players, who are listed as they came out of them."""

    players: tuple[Name, ...]
    rounds: Annotated[int, msgspec.Meta(ge=1, le=10**6)]


class Session(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One session: ``starts_at`` is the stated time, ``began_at`` when play began.

    ``rounds`` and ``eliminations`` are None where they were not recorded.
    """

    session: Name
    stage: Stage
    starts_at: Instant
    began_at: Instant | None = None
    seats: tuple[Seat, ...]
    rounds: tuple[TournamentRound, ...] | None = None
    eliminations: tuple[Elimination, ...] | None = None
    play_offs: tuple[PlayOff, ...] = ()


class Placing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The place awarded to a player and the prize paid for it; tied players share a place."""

    player: Name
    place: Place
    prize: Amount = Amount(0)


class Refund(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Money of entries paid back to a player."""

    player: Name
    amount: Amount


class Tournament(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One tournament as recorded; sections that are None were not recorded."""

    format: Literal["pontoon-tournament/1"]
    tournament_id: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._:-]{1,64}\Z")]
    venue: Name
    currency: Annotated[str, msgspec.Meta(pattern=r"^[A-Z]{3}\Z")]
    held_at: Instant
    cancelled_at: Instant | None = None
    director: Director | None = None
    documents: Documents | None = None
    conditions: Conditions | None = None
    entries: tuple[Entry, ...]
    sessions: tuple[Session, ...] = ()
    places: tuple[Placing, ...] | None = None
    refunds: tuple[Refund, ...] | None = None

    @property
    def in_time(self) -> tuple[Session, ...]:
        """The sessions in the order of their stated times."""
        return tuple(sorted(self.sessions, key=lambda each: each.starts_at))

    def entered(self, *kinds: EntryKind) -> frozenset[str]:
        """The players with an entry of one of these kinds."""
        return frozenset(each.player for each in self.entries if each.kind in kinds)
