"""The vocabulary of a house book (``pontoon-book/1``): one entry a line, each of one kind.

A book is a ledger: what was written down, not what should have been. A field that is left
out was not recorded, and a check that needs it is *not evaluable*; where None says something
else, the class says what. A field of type `Told` is ``null`` where the thing did not happen.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal, TypeAlias, get_args

import msgspec
from msgspec import UNSET, UnsetType

from rules_replay.log import (
    CardText,
    HandNo,
    Instant,
    IrregularityCode,
    Name,
    PlayerBox,
    Seq,
)

FORMAT = "pontoon-book/1"

Told: TypeAlias = Instant | UnsetType | None
"""When something happened; None if it did not, unset if that was not recorded."""

Id: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._:-]{1,64}\Z")]
RoundNo: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
TimeOfDay: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]\Z")]
Post: TypeAlias = Literal[
    "player", "dealer", "supervisor", "inspector", "pit_boss", "games_management", "employee"
]
Weekday: TypeAlias = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEK: tuple[Weekday, ...] = get_args(Weekday)
Approved: TypeAlias = Literal["table", "perfect_pairs", "pair"]
CutGround: TypeAlias = Literal["start", "cutting_card", "new_cards"]
VoidGround: TypeAlias = Literal[
    "misplaced_card", "cutting_card", "disturbance", "fraud", "contravention", "impractical", "other"
]
EntryKind: TypeAlias = Literal[
    "hours",
    "approval",
    "card_check",
    "card_change",
    "limit_change",
    "restriction",
    "late_entry",
    "cut",
    "voiding",
    "closure",
    "loading",
    "fault",
    "dealer_change",
    "incident",
    "refusal",
    "seating",
    "insurance_request",
]
KINDS: tuple[EntryKind, ...] = get_args(EntryKind)


class Person(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody and the post in which he acted."""

    name: Name
    post: Post


class CardsChecked(Person, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody who checked cards, and when he was done."""

    at: Instant | None = None


class Seat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The player who sat at a box."""

    box: PlayerBox
    player: Name


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="entry"):
    """What every entry has: a name, never used twice at one venue, and the venue."""

    format: Literal["pontoon-book/1"]
    entry_id: Id
    venue: Name


class Book(Entry, frozen=True, kw_only=True, tag="book"):
    """What a book covers: the tables (None: all), from ``since`` until before ``until``.

    Of the kinds in ``keeps`` it holds every entry that bears on that time; of no other kind
    is the absence of an entry a fact.
    """

    tables: tuple[Name, ...] | None = None
    since: Instant
    until: Instant
    keeps: tuple[EntryKind, ...]


class Opening(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """From when to when play is allowed on some weekdays, by the venue's clock.

    A time to close that is not after the time to open is on the next day.
    """

    days: tuple[Weekday, ...]
    opens: TimeOfDay
    closes: TimeOfDay


class Hours(Entry, frozen=True, kw_only=True, tag="hours"):
    """The hours of gaming set for the venue, or a table, on a span of days (None: no last day)."""

    table: Name | None = None
    first_day: date
    last_day: date | None = None
    week: tuple[Opening, ...]


class TableEntry(Entry, frozen=True, kw_only=True):
    """What every entry on something at a table has: the table, and when it happened."""

    table: Name
    at: Instant


class Approval(TableEntry, frozen=True, kw_only=True, tag="approval"):
    """The approval of a table, or of its layout for a side wager, in force from ``at``.

    ``until`` is the first instant without it, None while it lasts.
    """

    of: Approved
    until: Instant | None = None


class CardCheck(TableEntry, frozen=True, kw_only=True, tag="card_check"):
    """The cards of a table checked before gaming begins or when it has ended.

    ``pre_shuffled`` cards come sealed.
    """

    when: Literal["opening", "closing"]
    by: tuple[Person, ...]
    one_by_one: bool | None = None
    pre_shuffled: bool = False


class CardChange(TableEntry, frozen=True, kw_only=True, tag="card_change"):
    """Cards of a table replaced at ``at``: ``all`` or ``some``, and who had checked the new ones."""

    cards: Literal["all", "some"]
    checks: tuple[CardsChecked, ...] | None = None
    pre_shuffled: bool = False


class LimitChange(TableEntry, frozen=True, kw_only=True, tag="limit_change"):
    """Other limits at a table from ``at`` on, and when the players were told."""

    notice_at: Told = UNSET


class Restriction(Entry, frozen=True, kw_only=True, tag="restriction"):
    """A player held to one box and the table minimum, from ``at`` until before ``until``.

    At ``table``, or at every table (None). ``reported_at`` and ``consulted_at`` are when the
    regulator was told, and when he was asked.
    """

    at: Instant
    until: Instant | None = None
    table: Name | None = None
    player: Name
    procedures: Literal["followed", "not_followed"] | None = None
    reported_at: Told = UNSET
    consulted_at: Told = UNSET


class LateEntry(TableEntry, frozen=True, kw_only=True, tag="late_entry"):
    """A player held to the minimum for the rest of a shoe because he bets late or with gaps.

    ``round_no`` is the first round so held.
    """

    player: Name
    shoe: Name
    round_no: RoundNo


class Cut(TableEntry, frozen=True, kw_only=True, tag="cut"):
    """Who cut the cards of a new shoe, and the players who had declined, in order.

    ``seats`` is everybody who sat at the table then; ``first_player`` whoever came first.
    """

    shoe: Name
    ground: CutGround
    by: Person
    declined: tuple[Name, ...] = ()
    seats: tuple[Seat, ...] | None = None
    first_player: Name | None = None


class Voiding(TableEntry, frozen=True, kw_only=True, tag="voiding"):
    """Why a round was declared void; ``error_round`` is the round in which a card was misplaced."""

    round_id: Name
    ground: VoidGround
    error_round: Name | None = None


class Closure(TableEntry, frozen=True, kw_only=True, tag="closure"):
    """A table closed before the close of gaming, and when the players were told.

    ``last_rounds`` where the last three rounds were declared with the notice.
    """

    notice_at: Told = UNSET
    last_rounds: bool = False


class Loading(TableEntry, frozen=True, kw_only=True, tag="loading"):
    """Cards put into a shuffling machine for a shoe: new ones, or again after a jam.

    ``burned`` is how many were drawn face down into the rack at once.
    """

    shoe: Name
    why: Literal["new_cards", "jam"]
    shuffled_by: Person | None = None
    shuffled_at: Instant | None = None
    burned: Annotated[int, msgspec.Meta(ge=0, le=1000)] | None = None


class Fault(TableEntry, frozen=True, kw_only=True, tag="fault"):
    """A fault of the shuffling machine during a round, and how the round was finished.

    ``declined`` and ``seats`` are of the cut, as in `Cut`.
    """

    round_id: Name
    rectified: bool
    shuffled_by: Person | None = None
    cut_by: Person | None = None
    declined: tuple[Name, ...] = ()
    seats: tuple[Seat, ...] | None = None
    finished_from: Literal["ordinary_shoe", "machine"] | None = None


class DealerChange(TableEntry, frozen=True, kw_only=True, tag="dealer_change"):
    """One dealer took over from another; ``forced`` by what the house could not control."""

    leaves: Name
    takes_over: Name
    forced: bool = False


class Incident(TableEntry, frozen=True, kw_only=True, tag="incident"):
    """An irregularity of a round: who was told, who let the game go on, who supervised a rebuild.

    ``during`` is when the cards were rebuilt: while the initial deal was open, or later.
    """

    round_id: Name
    code: IrregularityCode
    informed: Person | None = None
    approved_by: Person | None = None
    supervised_by: Person | None = None
    during: Literal["initial_deal", "later"] | None = None


class RefusedBy(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A hand whose player refused a card."""

    player: Name
    box: PlayerBox
    hand: HandNo = 1


class Refusal(TableEntry, frozen=True, kw_only=True, tag="refusal"):
    """Players who refused an exposed card; ``by_all`` where every player did.

    ``seq`` is the place of the exposed card's irregularity in the round.
    """

    round_id: Name
    seq: Seq | None = None
    card: CardText | None = None
    refused: tuple[RefusedBy, ...] = ()
    by_all: bool = False


class Seating(TableEntry, frozen=True, kw_only=True, tag="seating"):
    """Who sat at a box (None: nobody) in the rounds of a shoe from ``first_round`` to ``last_round``.

    ``nearest`` is the players of the box in the order of their stakes from the dealer,
    ``declined`` those who would not decide. Without ``last_round`` it is to the end of the shoe.
    """

    shoe: Name
    first_round: RoundNo
    last_round: RoundNo | None = None
    box: PlayerBox
    player: Name | None
    nearest: tuple[Name, ...] | None = None
    declined: tuple[Name, ...] = ()


class InsuranceRequest(TableEntry, frozen=True, kw_only=True, tag="insurance_request"):
    """The players who wished to insure another player's main wager ``on`` in a round."""

    round_id: Name
    on: Name
    players: tuple[Name, ...]


AnyEntry: TypeAlias = (
    Book
    | Hours
    | Approval
    | CardCheck
    | CardChange
    | LimitChange
    | Restriction
    | LateEntry
    | Cut
    | Voiding
    | Closure
    | Loading
    | Fault
    | DealerChange
    | Incident
    | Refusal
    | Seating
    | InsuranceRequest
)


def entry_kind(entry: Entry) -> str:
    """The ``entry`` of an entry: ``"cut"`` for a `Cut`."""
    return str(entry.__struct_config__.tag)


def instant_of(entry: AnyEntry) -> datetime | None:
    """When the thing entered happened; None for what lasts: a book, hours, an approval."""
    return None if isinstance(entry, Book | Hours | Approval) else entry.at
