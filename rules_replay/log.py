"""The vocabulary of a round log: events, wagers, results, and the Arrow schemas.

The classes are the interchange form (``pontoon-round/1``) and the form the engine
replays: one round, its events in the order in which they happened. ``seq`` of an
event is its place in ``Round.events``, counted from 0.

Money is a whole number of thousandths of the currency unit (`Amount`), so that
3 to 2 of any cent, and half of it, are exact. No float touches it.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
import pyarrow as pa

from rules_replay.cards import LEGAL_TEXTS

FORMAT = "pontoon-round/1"
THOUSANDTHS = 1000
MAX_AMOUNT = 10**15 - 1
"""Largest amount in thousandths that DECIMAL(18,3) holds: 999,999,999,999.999."""

_AMOUNT = re.compile(r"[0-9]{1,12}(\.[0-9]{1,3})?")
_DECIMAL = re.compile(r"[0-9]+(\.[0-9]{1,3})?")


class Amount(int):
    """Money in thousandths of the currency unit; never negative in a log."""

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> Amount:
        """Read a decimal string such as ``"12.50"``; ``ValueError`` says what is wrong."""
        if not _AMOUNT.fullmatch(text):
            if _DECIMAL.fullmatch(text):
                raise ValueError(f"expected at most {amount_text(MAX_AMOUNT)}, got {text!r}")
            raise ValueError(
                f"expected a decimal string such as '12.50' with at most three decimals, got {text!r}"
            )
        whole, _, part = text.partition(".")
        return cls(int(whole) * THOUSANDTHS + int(part.ljust(3, "0") or 0))


def amount_text(thousandths: int) -> str:
    """An amount as a decimal string without trailing zeros: 12500 is ``"12.5"``."""
    sign = "-" if thousandths < 0 else ""
    whole, part = divmod(abs(thousandths), THOUSANDTHS)
    return f"{sign}{whole}.{part:03d}".rstrip("0").rstrip(".") if part else f"{sign}{whole}"


class CardText(str):
    """A card as written in the log; see `rules_replay.cards`."""

    __slots__ = ()


def decode_custom(kind: type, found: Any) -> Any:
    """msgspec hook that reads amounts and cards.

    Raises ``TypeError`` or ``ValueError``, which msgspec turns into a
    ``ValidationError`` that names the field.
    """
    if kind is Amount:
        if type(found) is not str:
            raise TypeError(f"expected an amount as a decimal string, got {_shown(found)}")
        return Amount.parse(found)
    if kind is CardText:
        if type(found) is not str or found not in LEGAL_TEXTS:
            raise ValueError(f"expected a card such as 'AS' or '8H', got {_shown(found)}")
        return CardText(found)
    raise NotImplementedError(kind)


def _shown(found: Any) -> str:
    """A decoded value in the words of JSON."""
    if isinstance(found, list | dict):
        return "a list" if isinstance(found, list) else "an object"
    if isinstance(found, bool) or found is None:
        return {None: "null", True: "true", False: "false"}[found]
    return repr(found)


def encode_custom(value: Any) -> Any:
    """msgspec hook that writes amounts and cards as the log does."""
    if isinstance(value, Amount):
        return amount_text(value)
    if isinstance(value, CardText):
        return str(value)
    raise NotImplementedError(type(value))


Instant: TypeAlias = Annotated[datetime, msgspec.Meta(tz=True)]
Box: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=99)]
PlayerBox: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=99)]
HandNo: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=99)]
Seq: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]

WagerKind: TypeAlias = Literal["main", "split", "double", "insurance", "perfect_pairs", "pair", "pandemonium"]
Result: TypeAlias = Literal["win", "lose", "stand_off", "surrender", "forfeit", "returned", "void"]
Line: TypeAlias = Literal["stake", "super_bonus", "bonus"]
Shuffler: TypeAlias = Literal["manual", "automatic", "continuous"]
Fact: TypeAlias = Literal["decisions", "settle_order", "burns", "cut_card"]
FACTS: tuple[Fact, ...] = ("decisions", "settle_order", "burns", "cut_card")
SIDE_KINDS = frozenset({"perfect_pairs", "pair", "pandemonium"})


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="e"):
    """What every event may carry: the instant at which it happened."""

    at: Instant | None = None


class Wager(Event, frozen=True, kw_only=True, tag="wager"):
    """Money placed. ``limit`` is the player's personal maximum, ``on`` the wager it rests on."""

    id: Name
    box: PlayerBox
    hand: HandNo = 1
    player: Name
    kind: WagerKind
    amount: Amount
    on: Name | None = None
    limit: Amount | None = None


class NoMoreBets(Event, frozen=True, kw_only=True, tag="no_more_bets"):
    """Betting was closed by announcement."""


class Deal(Event, frozen=True, kw_only=True, tag="deal"):
    """A card from the shoe to a hand; box 0 is the dealer."""

    box: Box
    hand: HandNo = 1
    card: CardText


class Burn(Event, frozen=True, kw_only=True, tag="burn"):
    """A card removed from play, off the shoe or off the end of a hand."""

    card: CardText
    source: Literal["shoe", "hand"] = msgspec.field(name="from", default="shoe")
    box: Box | None = None
    hand: HandNo = 1
    reason: str | None = None


class Surrender(Event, frozen=True, kw_only=True, tag="surrender"):
    """A hand, or one wager on it, given up for half the stake."""

    box: PlayerBox
    hand: HandNo = 1
    wager: Name | None = None


class Split(Event, frozen=True, kw_only=True, tag="split"):
    """The second card of ``hand`` moves to the new hand ``to``."""

    box: PlayerBox
    hand: HandNo = 1
    to: HandNo


class Assign(Event, frozen=True, kw_only=True, tag="assign"):
    """A co-wagerer who does not split chooses the hand the wager rides on."""

    wager: Name
    box: PlayerBox
    hand: HandNo = 1


class Double(Event, frozen=True, kw_only=True, tag="double"):
    """The controlling player doubles; the double wagers follow."""

    box: PlayerBox
    hand: HandNo = 1


class Stand(Event, frozen=True, kw_only=True, tag="stand"):
    """No further card is wanted."""

    box: PlayerBox
    hand: HandNo = 1


class Forfeit(Event, frozen=True, kw_only=True, tag="forfeit"):
    """After doubling: the wager is given up and the doubled portion taken back."""

    wager: Name


class Press(Event, frozen=True, kw_only=True, tag="press"):
    """The Pandemonium button was pressed and the meter showed ``multiplier``."""

    box: PlayerBox
    wager: Name | None = None
    multiplier: Annotated[int, msgspec.Meta(ge=0, le=10**9)]


class CutCard(Event, frozen=True, kw_only=True, tag="cut_card"):
    """The cutting card came out of the shoe."""


class Void(Event, frozen=True, kw_only=True, tag="void"):
    """The casino declared the round, a hand or a wager void."""

    scope: Literal["round", "hand", "wager"]
    box: PlayerBox | None = None
    hand: HandNo = 1
    wager: Name | None = None
    reason: str | None = None


IrregularityCode: TypeAlias = Literal[
    "exposed_card",
    "card_burned_in_error",
    "missed_first_card",
    "short_hand",
    "superfluous_hand",
    "absent_player",
    "shoe_exhausted",
    "reconstructed",
    "option_not_offered",
    "other",
]


MISDEALT: frozenset[IrregularityCode] = frozenset(
    {
        *("exposed_card", "card_burned_in_error", "missed_first_card", "short_hand", "superfluous_hand"),
        *("reconstructed", "other"),
    }
)
"""Irregularities of the cards: why one may have been taken off a hand again."""


class Irregularity(Event, frozen=True, kw_only=True, tag="irregularity"):
    """The table itself reported that something went wrong at this point."""

    code: IrregularityCode
    box: Box | None = None
    hand: HandNo | None = None


class Withdraw(Event, frozen=True, kw_only=True, tag="withdraw"):
    """A wager taken back where an irregularity rule lets the player; settled as void."""

    wager: Name


class Settle(Event, frozen=True, kw_only=True, tag="settle"):
    """What the dealer was recorded to do with a wager, or (``reverses``) to undo.

    A settlement carries ``result``, ``paid`` and ``taken``; a reversal carries the
    ``seq`` of the settlement undone and nothing else.
    """

    wager: Name
    line: Line = "stake"
    result: Result | None = None
    paid: Amount | None = None
    taken: Amount | None = None
    reverses: Seq | None = None


AnyEvent: TypeAlias = (
    Wager
    | NoMoreBets
    | Deal
    | Burn
    | Surrender
    | Split
    | Assign
    | Double
    | Stand
    | Forfeit
    | Press
    | CutCard
    | Void
    | Irregularity
    | Withdraw
    | Settle
)

EVENT_KINDS = (
    "wager",
    "no_more_bets",
    "deal",
    "burn",
    "surrender",
    "split",
    "assign",
    "double",
    "stand",
    "forfeit",
    "press",
    "cut_card",
    "void",
    "irregularity",
    "withdraw",
    "settle",
)


def event_kind(event: AnyEvent) -> str:
    """The ``e`` of an event: ``"deal"`` for a `Deal`."""
    return str(event.__struct_config__.tag)


class Limits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The table's sign, in thousandths; None where the sign says nothing."""

    min: Amount | None = None
    max: Amount | None = None
    box_max: Amount | None = None
    multiples: Amount | None = None
    side_min: Amount | None = None
    side_max: Amount | None = None
    smallest_chip: Amount | None = None


class Round(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One round of play as recorded."""

    format: Literal["pontoon-round/1"]
    round_id: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._:-]{1,64}\Z")]
    venue: Name
    table: Name
    shoe: Name
    round_no: Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
    started_at: Instant
    ended_at: Instant | None = None
    rulebook: str | None = None
    decks: Annotated[int, msgspec.Meta(ge=0, le=1000)]
    shuffler: Shuffler = "manual"
    currency: Annotated[str, msgspec.Meta(pattern=r"^[A-Z]{3}\Z")]
    dealer: str | None = None
    supervisor: str | None = None
    limits: Limits | None = None
    offers: tuple[str, ...] | None = None
    records: tuple[Fact, ...] | None = None
    last_rounds: bool = False
    events: tuple[AnyEvent, ...]

    @property
    def facts(self) -> frozenset[str]:
        """What this recorder captures; an absent list means everything."""
        return frozenset(FACTS if self.records is None else self.records)


MONEY = pa.decimal128(18, 3)
INSTANT = pa.timestamp("us", tz="UTC")


def _field(name: str, kind: pa.DataType, meaning: str, *, null: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable=null, metadata={"comment": meaning})


ROUNDS = pa.schema(
    [
        _field("round_id", pa.string(), "unique within the venue, for ever"),
        _field("table", pa.string(), "table at which the round was played"),
        _field("shoe", pa.string(), "changes whenever the cards are shuffled into a new shoe"),
        _field("round_no", pa.int32(), "order of the round within the shoe, from 1"),
        _field("started_at", INSTANT, "instant at which the first card left the shoe"),
        _field("started_at_text", pa.string(), "the same instant as recorded, with its offset"),
        _field("ended_at", INSTANT, "instant at which the round ended", null=True),
        _field("rulebook", pa.string(), "rulebook the table claims", null=True),
        _field("decks", pa.int32(), "decks of 48 cards in the shoe"),
        _field("shuffler", pa.string(), "manual, automatic or continuous"),
        _field("currency", pa.string(), "ISO 4217 code of every amount in the round"),
        _field("dealer", pa.string(), "staff id of the dealer", null=True),
        _field("supervisor", pa.string(), "staff id of the supervisor", null=True),
        _field("limit_min", MONEY, "sign: least main wager", null=True),
        _field("limit_max", MONEY, "sign: greatest main wager", null=True),
        _field("limit_box_max", MONEY, "sign: greatest sum of main wagers on a box", null=True),
        _field("limit_multiples", MONEY, "sign: wagers are multiples of this", null=True),
        _field("limit_side_min", MONEY, "sign: least side wager", null=True),
        _field("limit_side_max", MONEY, "sign: greatest side wager", null=True),
        _field("limit_smallest_chip", MONEY, "smallest chip in the float", null=True),
        _field("offers", pa.list_(pa.string()), "side wagers on offer; null: as the rulebook has", null=True),
        _field("records", pa.list_(pa.string()), "facts the recorder captures; null: all", null=True),
        _field("last_rounds", pa.bool_(), "one of the announced final three rounds"),
        _field("event_count", pa.int32(), "events in the round"),
        _field("extra", pa.string(), "fields outside the format, as JSON text", null=True),
        _field("content_sha256", pa.string(), "digest of the round in canonical form"),
        _field("source_file", pa.string(), "file the round came from, as named on ingest"),
        _field("source_sha256", pa.string(), "digest of that file"),
        _field("source_line", pa.int64(), "line within the file, from 1"),
        _field("source_offset", pa.int64(), "byte offset of the line in the decompressed file"),
    ]
)

EVENTS = pa.schema(
    [
        _field("round_id", pa.string(), "round the event belongs to"),
        _field("seq", pa.int32(), "place of the event in the round, from 0"),
        _field("e", pa.string(), "kind of event"),
        _field("at", INSTANT, "instant of the event, where recorded", null=True),
        _field("wager", pa.string(), "wager placed or referred to", null=True),
        _field("box", pa.int16(), "box, 0 for the dealer", null=True),
        _field("hand", pa.int16(), "hand within the box, from 1", null=True),
        _field("player", pa.string(), "who placed the wager", null=True),
        _field("kind", pa.string(), "kind of wager", null=True),
        _field("amount", MONEY, "amount placed", null=True),
        _field("on", pa.string(), "wager that this one doubles, splits or insures", null=True),
        _field("limit", MONEY, "personal maximum of the player", null=True),
        _field("card", pa.string(), "card dealt or burned", null=True),
        _field("from", pa.string(), "where a burned card came from: shoe or hand", null=True),
        _field("reason", pa.string(), "reason given for a burn or a void", null=True),
        _field("to", pa.int16(), "new hand formed by a split", null=True),
        _field("scope", pa.string(), "what a void covers: round, hand or wager", null=True),
        _field("multiplier", pa.int64(), "multiplier the Pandemonium meter showed", null=True),
        _field("code", pa.string(), "irregularity the table reported", null=True),
        _field("line", pa.string(), "settlement line: stake, super_bonus or bonus", null=True),
        _field("result", pa.string(), "recorded result", null=True),
        _field("paid", MONEY, "paid over and above the stake", null=True),
        _field("taken", MONEY, "part of the stake the house kept", null=True),
        _field("reverses", pa.int32(), "seq of the settlement undone", null=True),
    ]
)

HANDS = pa.schema(
    [
        _field("round_id", pa.string(), "round the hand was played in"),
        _field("box", pa.int16(), "box, 0 for the dealer"),
        _field("hand", pa.int16(), "hand within the box, from 1"),
        _field("cards", pa.string(), "cards in the order drawn, space between"),
        _field("card_count", pa.int16(), "number of cards"),
        _field("total", pa.int16(), "best total of the hand"),
        _field("soft", pa.bool_(), "an ace stands at eleven"),
        _field("doubled", pa.bool_(), "the controlling player doubled"),
        _field("split_from", pa.int16(), "hand it was split from", null=True),
        _field("ended", pa.string(), "pontoon, 21, bust, stood, doubled, surrendered, void, one card, open"),
    ]
)

SETTLEMENTS = pa.schema(
    [
        _field("round_id", pa.string(), "round of the wager"),
        _field("wager", pa.string(), "wager settled"),
        _field("line", pa.string(), "stake, super_bonus or bonus"),
        _field("kind", pa.string(), "kind of wager"),
        _field("player", pa.string(), "who placed it"),
        _field("box", pa.int16(), "box it rides on"),
        _field("hand", pa.int16(), "hand it rides on"),
        _field("stake", MONEY, "amount placed"),
        _field("effective_stake", MONEY, "amount that every computation starts from"),
        _field("status", pa.string(), "fixed or indeterminate"),
        _field("expected_result", pa.string(), "result the rules require", null=True),
        _field("expected_paid", MONEY, "payment the rules require", null=True),
        _field("expected_taken", MONEY, "collection the rules require", null=True),
        _field("recorded_result", pa.string(), "result recorded at the end", null=True),
        _field("recorded_paid", MONEY, "payment recorded, all lines added", null=True),
        _field("recorded_taken", MONEY, "collection recorded, all lines added", null=True),
        _field("delta", MONEY, "recorded net to the player less the required net", null=True),
        _field("odds", pa.string(), "odds of a win, such as 3:2", null=True),
        _field("clause", pa.string(), "clause that fixes the settlement"),
        _field("reading", pa.string(), "reading the settlement rests on", null=True),
        _field("basis", pa.string(), "as_required or as_dealt"),
        _field("reason", pa.string(), "the arithmetic, or why nothing can be fixed"),
        _field("corrected", pa.bool_(), "the table reversed an earlier settlement"),
    ]
)

FINDINGS = pa.schema(
    [
        _field("round_id", pa.string(), "round the finding is about"),
        _field("ordinal", pa.int32(), "place of the finding in its round, from 0"),
        _field("code", pa.string(), "check that was not held"),
        _field("severity", pa.string(), "breach, procedure, ambiguous, indeterminate or notice"),
        _field("seq", pa.int32(), "event it points at", null=True),
        _field("box", pa.int16(), "box it is about", null=True),
        _field("hand", pa.int16(), "hand it is about", null=True),
        _field("wager", pa.string(), "wager it is about", null=True),
        _field("player", pa.string(), "owner of that wager", null=True),
        _field("expected", pa.string(), "what the rules require"),
        _field("recorded", pa.string(), "what the log shows"),
        _field("delta", MONEY, "recorded net to the player less the required net", null=True),
        _field("clause", pa.string(), "edition and clause"),
        _field("depends_on", pa.string(), "reading that would remove the finding", null=True),
        _field("basis", pa.string(), "as_required or as_dealt"),
        _field("rulebook", pa.string(), "rulebook in force", null=True),
        _field("fingerprint", pa.string(), "names the finding, the same in every run that finds it"),
    ]
)

CHANGES = pa.schema(
    [
        _field("run", pa.int64(), "run that saw the change: line of the run ledger, from 1"),
        _field("fingerprint", pa.string(), "finding that changed"),
        _field("change", pa.string(), "new, changed, resolved or reopened"),
        _field("round_id", pa.string(), "round the finding is about"),
        _field("code", pa.string(), "check that was not held"),
        _field("severity", pa.string(), "severity as the run found it; of a resolved one its last"),
        _field("seq", pa.int32(), "event it points at", null=True),
        _field("box", pa.int16(), "box it is about", null=True),
        _field("hand", pa.int16(), "hand it is about", null=True),
        _field("wager", pa.string(), "wager it is about", null=True),
        _field("delta", MONEY, "recorded net to the player less the required net", null=True),
    ]
)

COVERAGE = pa.schema(
    [
        _field("code", pa.string(), "check"),
        _field("rulebook", pa.string(), "rulebook in force; none where none was", null=True),
        _field("evaluated", pa.int64(), "rounds in which the check could be evaluated"),
        _field("passed", pa.int64(), "rounds in order"),
        _field("failed", pa.int64(), "rounds with a finding of that code"),
        _field("not_evaluable", pa.int64(), "rounds whose evidence cannot support the check"),
        _field("reason", pa.string(), "what was missing", null=True),
    ]
)

QUARANTINE = pa.schema(
    [
        _field("source_file", pa.string(), "file the line came from"),
        _field("source_sha256", pa.string(), "digest of that file"),
        _field("source_line", pa.int64(), "line within the file, from 1"),
        _field("source_offset", pa.int64(), "byte offset of the line in the decompressed file"),
        _field("bytes", pa.binary(), "the line, byte for byte, up to the kept maximum"),
        _field("byte_count", pa.int64(), "full length of the line in bytes"),
        _field("field", pa.string(), "field at fault, or empty for the whole line"),
        _field("reason", pa.string(), "what was found and what was expected"),
        _field("round_id", pa.string(), "round id where one could be read", null=True),
    ]
)
