"""A mapping as its TOML file states it, and everything that is wrong with one.

The file is decoded strictly: an unknown key or a wrong type is an error. What types cannot say
(an expression that is none, a zone that does not exist, a word the log does not have) is
collected, so that a file's problems come out together.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args
from zoneinfo import ZoneInfo

import msgspec

from audit.errors import UsageProblem, os_reason
from audit.mapping.errors import MappingProblem, shown
from rules_replay import log
from rules_replay.cards import JOKER, LEGAL_TEXTS, RANKS, SUITS, UNREADABLE

FORMAT = "pontoon-mapping/1"

Expr: TypeAlias = str | int | bool
"""A JMESPath expression, or a whole number or truth value that stands for itself."""

Text: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]
Words: TypeAlias = dict[str, str]
"""The vendor's word to the log's."""

BONUS_LINES = ("super_bonus", "bonus")
"""Words for what is no wager: a payment beside the wager on the hand, which the log has as a line of it."""

Action: TypeAlias = Literal["stand", "double", "split", "surrender", "forfeit", "none"]
Status: TypeAlias = Literal["settled", "void", "open", "not_placed"]
Encoding: TypeAlias = Literal["utf-8", "cp1252", "iso-8859-1"]
CardForm: TypeAlias = Literal["rank_suit", "suit_rank", "rank"]
Unit: TypeAlias = Literal["units", "cents", "thousandths"]
DecimalMark: TypeAlias = Literal[".", ","]
OrderedBy: TypeAlias = Literal["rules", "time", "number"]
MovedCard: TypeAlias = Literal["child", "parent", "both"]
CancelledCards: TypeAlias = Literal["burn", "leave_out"]
FileFormat: TypeAlias = Literal["csv", "json", "jsonl"]
RowOf: TypeAlias = Literal["round", "hand", "card", "event"]


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Csv(_Strict, frozen=True, kw_only=True):
    """How a CSV file is written."""

    delimiter: Annotated[str, msgspec.Meta(min_length=1, max_length=1)] = ","
    encoding: Encoding = "utf-8"


class Expectation(_Strict, frozen=True, kw_only=True):
    """What must hold of a record for it to be a round of Pontoon at all."""

    value: Expr
    words: Annotated[list[str], msgspec.Meta(min_length=1)] = msgspec.field(name="is")


class CardCodes(_Strict, frozen=True, kw_only=True):
    """How cards are written. ``ranks`` and ``suits`` add to the usual ones."""

    form: CardForm = "rank_suit"
    separator: str = ""
    ranks: Words = {}
    suits: Words = {}
    words: Words = {}
    unreadable: list[str] = []


class Amounts(_Strict, frozen=True, kw_only=True):
    """How amounts are written; ``strip`` are marks that carry no value, such as a currency sign."""

    unit: Unit
    decimal_mark: DecimalMark = "."
    strip: list[Text] = []


class Times(_Strict, frozen=True, kw_only=True):
    """How times are written: ``epoch_ms`` and the like, ``rfc3339``, or a format of strptime."""

    form: Text
    zone: str = ""


class Order(_Strict, frozen=True, kw_only=True):
    """What puts the events of a round in order."""

    by: OrderedBy


class Splits(_Strict, frozen=True, kw_only=True):
    """With which hand the card is written that a split moves: the new one, the one it came from, or both."""

    moved_card: MovedCard = "child"


class Cancelled(_Strict, frozen=True, kw_only=True):
    """What becomes of a card that the vendor has as cancelled."""

    cards: CancelledCards = "burn"


class RoundFields(_Strict, frozen=True, kw_only=True):
    """The fields of the round itself."""

    round_id: Expr
    venue: Expr
    table: Expr
    started_at: Expr
    decks: Expr
    currency: Expr
    shoe: Expr | None = None
    round_no: Expr | None = None
    ended_at: Expr | None = None
    rulebook: Expr | None = None
    shuffler: Expr | None = None
    dealer: Expr | None = None
    supervisor: Expr | None = None
    last_rounds: Expr | None = None
    void: Expr | None = None
    offers: list[str] | None = None


class LimitFields(_Strict, frozen=True, kw_only=True):
    """The sign of the table."""

    min: Expr | None = None
    max: Expr | None = None
    box_max: Expr | None = None
    multiples: Expr | None = None
    side_min: Expr | None = None
    side_max: Expr | None = None
    smallest_chip: Expr | None = None


class Section(_Strict, frozen=True, kw_only=True):
    """Things that a record holds several of. ``each`` leads to them, ``when`` picks among them."""

    each: list[Text] = []
    when: Expr | None = None


class HandFields(Section, frozen=True, kw_only=True):
    """Hands, where they have keys of their own or come from one another."""

    box: Expr
    hand: Expr
    parent: Expr | None = None


class CardFields(Section, frozen=True, kw_only=True):
    """Cards: one an item (``card``) or a list an item (``cards``). Box 0 is the dealer."""

    box: Expr
    hand: Expr | None = None
    card: Expr | None = None
    cards: Expr | None = None
    at: Expr | None = None
    number: Expr | None = None
    cancelled: Expr | None = None


class ActionFields(Section, frozen=True, kw_only=True):
    """Decisions on a hand."""

    action: Expr
    box: Expr
    hand: Expr | None = None
    to: Expr | None = None
    at: Expr | None = None
    number: Expr | None = None
    cancelled: Expr | None = None


class WagerFields(Section, frozen=True, kw_only=True):
    """Wagers with what became of them."""

    box: Expr
    player: Expr
    amount: Expr
    hand: Expr | None = None
    kind: Expr | None = None
    id: Expr | None = None
    at: Expr | None = None
    number: Expr | None = None
    limit: Expr | None = None
    includes_double: bool = False
    status: Expr | None = None
    result: Expr | None = None
    net: Expr | None = None
    returned: Expr | None = None
    paid: Expr | None = None
    taken: Expr | None = None


class SettlementFields(Section, frozen=True, kw_only=True):
    """Settlements that are written apart from their wagers."""

    wager: Expr
    at: Expr | None = None
    number: Expr | None = None
    result: Expr | None = None
    net: Expr | None = None
    returned: Expr | None = None
    paid: Expr | None = None
    taken: Expr | None = None


class WordTables(_Strict, frozen=True, kw_only=True):
    """The vendor's words for the log's, by field."""

    venue: Words = {}
    box: dict[str, int] = {}
    shuffler: Words = {}
    kind: Words = {}
    action: Words = {}
    result: Words = {}
    status: Words = {}


class Document(_Strict, frozen=True, kw_only=True):
    """A whole mapping file."""

    mapping: Literal["pontoon-mapping/1"]
    id: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?\Z")]
    version: Annotated[int, msgspec.Meta(ge=1, le=10**6)]
    title: Text
    format: FileFormat
    rows: RowOf
    records_at: list[Text] = []
    group_by: Expr | None = None
    csv: Csv | None = None
    records: list[log.Fact] = []
    expect: list[Expectation] = []
    card_codes: CardCodes
    amounts: Amounts
    times: Times
    order: Order
    splits: Splits = Splits()
    cancelled: Cancelled = Cancelled()
    words: WordTables = WordTables()
    round: RoundFields
    limits: LimitFields | None = None
    hands: list[HandFields] = []
    cards: Annotated[list[CardFields], msgspec.Meta(min_length=1)]
    actions: list[ActionFields] = []
    wagers: Annotated[list[WagerFields], msgspec.Meta(min_length=1)]
    settlements: list[SettlementFields] = []


@dataclass(frozen=True)
class LogMapping:
    """A mapping that is in order, with the SHA-256 of its file's bytes and the name of it."""

    document: Document
    sha256: str
    name: str

    @property
    def label(self) -> str:
        """``live-replay version 2``."""
        return f"{self.document.id} version {self.document.version}"

    @cached_property
    def unrecorded(self) -> tuple[str, ...]:
        """What the vendor does not record and the format has no word for, see `audit.mapping.support`."""
        found = {
            "double_shares": any(each.includes_double for each in self.document.wagers),
            "order": self.document.order.by == "rules",
            "results": not self._results(),
            "shoe": self.document.round.shoe is None,
            "suits": self.document.card_codes.form == "rank",
            "surrenders": not self.document.actions and not self._results(),
            "wager_times": self.document.order.by != "rules" and not self._wagers_in_order(),
        }
        return tuple(name for name, missing in found.items() if missing)

    def _results(self) -> bool:
        sections = self.document.settlements or self.document.wagers
        return all(each.result is not None for each in sections)

    def _wagers_in_order(self) -> bool:
        name = "at" if self.document.order.by == "time" else "number"
        return all(getattr(each, name) is not None for each in self.document.wagers)

    def as_json(self) -> dict[str, Any]:
        """What a ledger says of the mapping."""
        return {"id": self.document.id, "version": self.document.version, "sha256": self.sha256}


def schema() -> dict[str, Any]:
    """The JSON Schema of a mapping file, for editors; what it cannot say `parse_mapping` checks."""
    found = msgspec.json.schema(Document)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": FORMAT, **found}


# --- reading -----------------------------------------------------------------------------


def shipped() -> dict[str, Traversable]:
    """The mappings that come with the program, by id."""
    found = files("audit.mapping").joinpath("shipped").iterdir()
    named = {each.name.removesuffix(".toml"): each for each in found if each.name.endswith(".toml")}
    return dict(sorted(named.items()))


def load_mapping(named: str | Path) -> LogMapping:
    """A mapping by the id of a shipped one or by its path.

    Raises `UsageProblem` where there is none, `MappingProblem` for one that is wrong.
    """
    ours = shipped().get(str(named))
    if ours is not None and not Path(named).is_file():
        return parse_mapping(ours.read_bytes(), ours.name)
    path = Path(named)
    try:
        return parse_mapping(path.read_bytes(), path.name)
    except FileNotFoundError:
        raise UsageProblem(
            f"{named}: no such mapping; expected a file or one of {', '.join(shipped())}"
        ) from None
    except OSError as error:
        raise UsageProblem(f"{named}: {os_reason(error)}") from None


def parse_mapping(data: bytes, name: str) -> LogMapping:
    """A mapping from the bytes of its file; raises `MappingProblem` with every problem found."""
    try:
        values = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise MappingProblem(name, [f"not UTF-8 at byte {error.start}; a mapping is TOML text"]) from None
    except tomllib.TOMLDecodeError as error:
        raise MappingProblem(name, [f"not TOML: {error}"]) from None
    try:
        document = msgspec.convert(values, Document)
    except msgspec.ValidationError as error:
        raise MappingProblem(name, [_structural(str(error), values)]) from None
    problems = list(_problems(document))
    if problems:
        raise MappingProblem(name, problems)
    return LogMapping(document, hashlib.sha256(data).hexdigest(), name)


_TYPES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number with a fraction",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}


def _structural(message: str, values: Any) -> str:
    """What msgspec said, with the TOML path, what was found and what was expected."""
    text, _, place = message.rpartition(" - at `$")
    text, path = (text, place.rstrip("`").removeprefix(".")) if text else (message, "")
    found = _at(values, path)
    missing = re.fullmatch(r"Object missing required field `(.+)`", text)
    if missing:
        return f"{_under(path, missing[1])}: missing; a mapping needs it"
    unknown = re.fullmatch(r"Object contains unknown field `(.+)`", text)
    if unknown:
        return f"{_under(path, unknown[1])}: unknown key; the keys known here are in docs/mappings.md"
    if text.startswith("Invalid enum value"):
        return f"{path}: found {shown(found)}; expected one of {', '.join(_choices(path))}"
    types = re.fullmatch(r"Expected `([^`]+)`, got `(\w+)`", text)
    if types:
        kinds = " or ".join(_TYPES.get(each, each) for each in types[1].split(" | ") if each != "null")
        return f"{path or 'the file'}: expected {kinds}, found {shown(found)}"
    if "matching regex" in text:
        return f"{path}: expected small letters, digits, . _ or -, at most 64, found {shown(found)}"
    return f"{path}: {text[0].lower()}{text[1:]}, found {shown(found)}"


def _under(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _at(value: Any, path: str) -> Any:
    for name, place in re.findall(r"([^.\[\]]+)|\[([0-9]+)\]", path):
        try:
            value = value[name] if name else value[int(place)]
        except (LookupError, TypeError):
            return None
    return value


_CHOICES: Mapping[str, tuple[str, ...]] = {
    "mapping": (FORMAT,),
    "format": get_args(FileFormat),
    "rows": get_args(RowOf),
    "records": log.FACTS,
    "csv.encoding": get_args(Encoding),
    "card_codes.form": get_args(CardForm),
    "amounts.unit": get_args(Unit),
    "amounts.decimal_mark": get_args(DecimalMark),
    "order.by": get_args(OrderedBy),
    "splits.moved_card": get_args(MovedCard),
    "cancelled.cards": get_args(CancelledCards),
}


def _choices(path: str) -> tuple[str, ...]:
    return _CHOICES[re.sub(r"\[[^]]*\]", "", path)]


# --- what types cannot say ---------------------------------------------------------------

SECTIONS = ("hands", "cards", "actions", "wagers", "settlements")


def _problems(document: Document) -> Iterator[str]:
    yield from _bad_expressions(document)
    yield from _bad_words(document)
    yield from _bad_cards(document.card_codes)
    yield from _bad_times(document.times)
    yield from _bad_shape(document)
    yield from _bad_order(document)
    yield from _bad_money(document)
    yield from _bad_doubles(document)


def expressions_of(document: Document) -> Iterator[tuple[str, Expr]]:
    """Every expression of a mapping with the TOML path at which it stands."""
    if document.group_by is not None:
        yield "group_by", document.group_by
    for place, expected in enumerate(document.expect):
        yield f"expect[{place}].value", expected.value
    for name in ("round", "limits"):
        table = getattr(document, name)
        if table is not None:
            yield from _in_table(name, table)
    for name in SECTIONS:
        for place, section in enumerate(getattr(document, name)):
            for step, text in enumerate(section.each):
                yield f"{name}[{place}].each[{step}]", text
            yield from _in_table(f"{name}[{place}]", section)


def _in_table(path: str, table: msgspec.Struct) -> Iterator[tuple[str, Expr]]:
    for name in table.__struct_fields__:
        value = getattr(table, name)
        if value is not None and name not in ("each", "offers", "includes_double"):
            yield f"{path}.{name}", value


def _bad_expressions(document: Document) -> Iterator[str]:
    # JMESPath takes a moment to import, and help is not to wait for it.
    from audit.mapping.expressions import problem_of

    for place, text in expressions_of(document):
        problem = problem_of(text) if isinstance(text, str) else None
        if problem is not None:
            yield f"{place}: {shown(text)} is no JMESPath expression: {problem}"


KNOWN_WORDS: Mapping[str, tuple[str, ...]] = {
    "shuffler": get_args(log.Shuffler),
    "kind": (*get_args(log.WagerKind), *BONUS_LINES),
    "action": get_args(Action),
    "result": get_args(log.Result),
    "status": get_args(Status),
}


def _bad_words(document: Document) -> Iterator[str]:
    for field, known in KNOWN_WORDS.items():
        for word, meant in getattr(document.words, field).items():
            if meant not in known:
                yield f"words.{field}.{word}: found {shown(meant)}; expected one of {', '.join(known)}"
    for word, box in document.words.box.items():
        if not 0 <= box <= 99:
            yield f"words.box.{word}: found {box}; expected a box from 1 to 99, or 0 for the dealer"


def _bad_cards(codes: CardCodes) -> Iterator[str]:
    ranks = (*RANKS, "10", JOKER)
    for word, rank in codes.ranks.items():
        if rank not in ranks:
            yield f"card_codes.ranks.{word}: found {shown(rank)}; expected one of {', '.join(ranks)}"
    for word, suit in codes.suits.items():
        if suit not in SUITS:
            yield f"card_codes.suits.{word}: found {shown(suit)}; expected one of {', '.join(SUITS)}"
    for word, card in codes.words.items():
        if card not in LEGAL_TEXTS:
            yield (
                f"card_codes.words.{word}: found {shown(card)}; expected a card such as AS or 8H, "
                f"{JOKER} or {UNREADABLE}"
            )
    if codes.form == "rank" and (codes.suits or codes.separator):
        yield "card_codes.form: 'rank' has no suits; leave out card_codes.suits and card_codes.separator"


def _bad_times(times: Times) -> Iterator[str]:
    if times.zone:
        try:
            ZoneInfo(times.zone)
        except (KeyError, ValueError, OSError):
            yield f"times.zone: no such zone {shown(times.zone)}; expected a name such as Pacific/Auckland"
    if times.form in ("epoch_s", "epoch_ms", "epoch_us", "rfc3339"):
        return
    if "%" not in times.form:
        yield (
            f"times.form: found {shown(times.form)}; expected epoch_s, epoch_ms, epoch_us, rfc3339, "
            "or a format such as '%d/%m/%Y %H:%M:%S'"
        )
        return
    sample = datetime(2024, 11, 28, 21, 40, 12)  # noqa: DTZ001 - only to try the format
    try:
        read = datetime.strptime(sample.strftime(times.form), times.form)  # noqa: DTZ007
    except ValueError as error:
        yield f"times.form: {shown(times.form)} cannot be read back: {error}"
        return
    if read.date() != sample.date():
        yield f"times.form: {shown(times.form)} does not name a whole date"
    if not times.zone and "%z" not in times.form:
        yield "times.zone: missing; a local time names an instant only with a zone such as Pacific/Auckland"


def _bad_shape(document: Document) -> Iterator[str]:
    if document.csv is not None and document.format != "csv":
        yield f"csv: the format is {document.format}; leave the table out"
    if document.records_at and document.format != "json":
        yield f"records_at: only a json document has a place for its records; the format is {document.format}"
    if document.rows == "round" and document.group_by is not None:
        yield "group_by: a row is a whole round; leave it out, or set rows to hand, card or event"
    if document.rows != "round" and document.group_by is None:
        yield f"group_by: missing; rows are one a {document.rows}, so say what names their round"
    if (document.round.shoe is None) != (document.round.round_no is None):
        yield "round: shoe and round_no go together; map both, or neither where the vendor has no shoe"
    if document.card_codes.form == "rank" and document.round.shoe is not None:
        yield (
            "round.shoe: without suits the cards of a shoe cannot be counted, so every round stands alone; "
            "leave out shoe and round_no"
        )
    for place, section in enumerate(document.cards):
        if (section.card is None) == (section.cards is None):
            yield f"cards[{place}]: expected either card (one an item) or cards (a list an item)"


def _bad_order(document: Document) -> Iterator[str]:
    by = document.order.by
    if by == "rules":
        shown_by_order = [fact for fact in document.records if fact in ("decisions", "settle_order")]
        for fact in shown_by_order:
            yield (
                f"records: {fact} with order.by = 'rules': an order that was put in shows no moment; "
                f"leave {fact} out"
            )
        return
    needed = "at" if by == "time" else "number"
    for name in ("cards", "actions"):
        for place, section in enumerate(getattr(document, name)):
            if getattr(section, needed) is None:
                yield f"{name}[{place}].{needed}: missing; order.by = {by!r} needs it"
    if "settle_order" in document.records:
        for place, settlement in enumerate(document.settlements):
            if getattr(settlement, needed) is None:
                yield f"settlements[{place}].{needed}: missing; records has settle_order"
        if not document.settlements:
            yield "records: settle_order without [[settlements]]: nothing says when a wager was settled"


def _bad_money(document: Document) -> Iterator[str]:
    for place, wager in enumerate(document.wagers):
        ways = _ways(wager)
        if document.settlements and ways:
            yield f"wagers[{place}].{ways[0]}: the money is in [[settlements]] already; leave it out"
        elif not document.settlements:
            yield from _one_way(f"wagers[{place}]", wager)
    for place, wager in enumerate(document.wagers):
        if wager.includes_double and document.settlements:
            yield f"wagers[{place}].includes_double: not with [[settlements]], which name one wager each"
    for place, settlement in enumerate(document.settlements):
        yield from _one_way(f"settlements[{place}]", settlement)
        if any(wager.id is None for wager in document.wagers):
            yield f"settlements[{place}].wager: the wagers have no id; map wagers.id as well"


def _bad_doubles(document: Document) -> Iterator[str]:
    by_wager = any(wager.kind is not None for wager in document.wagers)
    if not document.actions and not by_wager:
        yield (
            "actions: missing; a doubled hand is paid at other odds, so say which were: by [[actions]], "
            "or by wagers.kind with a word for the double"
        )
    if document.order.by != "rules" and not document.actions:
        yield "actions: missing; in a recorded order a split or a double needs the moment it was decided at"


def _ways(section: WagerFields | SettlementFields) -> list[str]:
    return [name for name in ("net", "returned", "paid", "taken") if getattr(section, name) is not None]


def _one_way(path: str, section: WagerFields | SettlementFields) -> Iterator[str]:
    ways = _ways(section)
    if ways not in (["net"], ["returned"], ["paid", "taken"]):
        yield (
            f"{path}: found {' and '.join(ways) or 'nothing'} to settle a wager by; expected net, "
            "or returned (the stake with what was won), or paid with taken"
        )
