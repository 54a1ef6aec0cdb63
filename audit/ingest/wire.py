"""One line of a log to one `Round`, or one `Rejected` that says why not.

Types are decoded by msgspec. What types cannot say (`check_round`) and what a
decoder passes over in silence (a key given twice, fields outside the format) is
checked here.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, NamedTuple, NoReturn, TypeVar, get_args

import msgspec

from rules_replay import log
from rules_replay.log import Amount, CardText, Round

MAX_LINE = 8 * 1024 * 1024
"""Longest line decoded, in bytes. A longer one is quarantined without being held in memory."""

KEPT_OF_LONG_LINE = 64 * 1024
"""How much of a longer line is kept in quarantine, in bytes."""

LONGEST_VENUE_PART = 200
"""Longest venue as a folder name, percent-encoded, in bytes; file systems end at 255."""

RESERVED_VENUE = "__HIVE_DEFAULT_PARTITION__"
"""What readers of Hive-partitioned files take for null; no venue can be called so."""

T = TypeVar("T")


class Rejected(Exception):
    """A line that cannot be replayed.

    ``field`` is the path of the field at fault, such as ``events[3].amount``, or
    empty for the whole line; ``round_id``, ``venue`` and ``started_at`` are given
    where they could be read.
    """

    def __init__(
        self,
        field: str,
        reason: str,
        round_id: str | None = None,
        venue: str | None = None,
        started_at: datetime | None = None,
    ) -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.field = field
        self.reason = reason
        self.round_id = round_id
        self.venue = venue
        self.started_at = started_at


class Decoded(NamedTuple):
    """A round, and what the line held besides it.

    ``extra`` is a JSON object from field path to value as written, None when
    there is nothing; ``unknown`` are the same paths without places, to be counted
    per file: ``events[].colour``.
    """

    round: Round
    extra: str | None = None
    unknown: tuple[str, ...] = ()


_MEMO_SIZE = 50_000
_amounts: dict[str, Amount] = {}
_cards: dict[str, CardText] = {}
_amount_texts: dict[int, str] = {}


def read_custom(kind: type, found: Any) -> Any:
    """`log.decode_custom` with a memory: a log writes few amounts and cards, very often."""
    memo: dict[str, Any] = _amounts if kind is Amount else _cards
    if type(found) is not str:
        return log.decode_custom(kind, found)
    value = memo.get(found)
    if value is None:
        value = log.decode_custom(kind, found)
        if len(memo) < _MEMO_SIZE:
            memo[found] = value
    return value


def _write_custom(value: Any) -> Any:
    if type(value) is Amount:
        text = _amount_texts.get(value)
        if text is None:
            text = log.amount_text(value)
            if len(_amount_texts) < _MEMO_SIZE:
                _amount_texts[value] = text
        return text
    if type(value) is CardText:
        return str(value)
    return log.encode_custom(value)


_typed = msgspec.json.Decoder(Round, dec_hook=read_custom)
_encoder = msgspec.json.Encoder(enc_hook=_write_custom)
_raw_object = msgspec.json.Decoder(dict[str, msgspec.Raw])
_raw_objects = msgspec.json.Decoder(list[dict[str, msgspec.Raw]])

_EVENT_TYPES = get_args(log.AnyEvent)
ROUND_FIELDS = frozenset(Round.__struct_encode_fields__)
_LIMIT_FIELDS = frozenset(log.Limits.__struct_encode_fields__)
_FIELDS_OF_TYPE = {kind: frozenset(kind.__struct_encode_fields__) | {"e"} for kind in _EVENT_TYPES}
EVENT_FIELDS = {str(kind.__struct_config__.tag): names for kind, names in _FIELDS_OF_TYPE.items()}
"""The fields the format gives each kind of event, ``e`` among them."""


def decode_line(line: bytes) -> Decoded:
    """Read one line of JSON Lines; raises `Rejected`, and nothing else, for a bad one."""
    try:
        refuse_bytes(line)
        round_ = _decode_typed(line)
        if _HAS_ONE.search(line):
            _refuse_instants(loosely(line))
    except Rejected as rejected:
        rejected.round_id, rejected.venue, rejected.started_at = _sketch(line)
        raise
    try:
        decoded = _with_extra(line, round_)
        check_round(round_)
    except Rejected as rejected:
        raise _about(rejected, round_) from None
    except RecursionError:
        raise _about(_too_deep(), round_) from None
    return decoded


def decode_fields(fields: Mapping[str, Any]) -> Round:
    """A round from plain values under the format's names, as the CSV form gives them.

    Raises `Rejected`.
    """
    try:
        round_ = _without_empty_limits(msgspec.convert(fields, Round, dec_hook=read_custom))
        _refuse_instants(fields)
    except msgspec.ValidationError as error:
        raise sketched(explain(str(error), fields), fields) from None
    except Rejected as rejected:
        raise _about(rejected, round_) from None
    try:
        check_round(round_)
    except Rejected as rejected:
        raise _about(rejected, round_) from None
    return round_


_OFFSET_WITHOUT_COLON = re.compile(r"[+-][0-9]{4}\Z")
"""How ``2019-03-01T20:14:05+1100`` ends, which msgspec reads and RFC 3339 does not know."""

_HAS_ONE = re.compile(rb'at"\s*:\s*"[^"\\]*[+-][0-9]{4}"')


def _refuse_instants(fields: Mapping[str, Any]) -> None:
    """Refuse an instant whose offset has no colon, of a round that could be read otherwise."""
    found = [(name, fields.get(name)) for name in ("started_at", "ended_at")]
    found.extend((f"events[{seq}].at", event.get("at")) for seq, event in enumerate(fields["events"]))
    for path, text in found:
        if isinstance(text, str) and _OFFSET_WITHOUT_COLON.search(text):
            raise Rejected(path, f"expected {_INSTANT}, got {_shown(text)}")


def _without_empty_limits(round_: Round) -> Round:
    if round_.limits is not None and round_.limits == _NO_LIMITS:
        return msgspec.structs.replace(round_, limits=None)
    return round_


_NO_LIMITS = log.Limits()


def encode_line(round_: Round) -> bytes:
    """A round as one line of JSON Lines, without the line feed; defaults are left out."""
    line = _encoder.encode(round_)
    for spelled in _SPELLED_DEFAULTS:
        line = line.replace(spelled, b"")
    return line


_SPELLED_DEFAULTS = (b',"line":"stake"', b',"shuffler":"manual"', b',"from":"shoe"')
"""What msgspec writes although it is the default, since it compares text by identity.

Inside a text a quotation mark is written with a backslash before it, so these bytes
stand nowhere but where a field stands.
"""


def encode_value(value: Any) -> bytes:
    """The value of one field of a round, as `encode_line` writes it."""
    return _encoder.encode(value)


def content_digest(round_: Round, extra: str | None = None) -> str:
    """SHA-256 of a round in canonical form, in hexadecimal.

    Key order, white space, spelled-out defaults, trailing zeros of an amount and
    the offset in which an instant is written make no difference.
    """
    hasher = hashlib.sha256(encode_line(_in_utc(round_)))
    if extra is not None:
        hasher.update(b"\n" + extra.encode())
    return hasher.hexdigest()


_INSTANT_OF = attrgetter("at")


def _in_utc(round_: Round) -> Round:
    changes: dict[str, Any] = {"started_at": round_.started_at.astimezone(UTC)}
    if round_.ended_at is not None:
        changes["ended_at"] = round_.ended_at.astimezone(UTC)
    if any(map(_INSTANT_OF, round_.events)):
        changes["events"] = tuple(
            event if event.at is None else msgspec.structs.replace(event, at=event.at.astimezone(UTC))
            for event in round_.events
        )
    return msgspec.structs.replace(round_, **changes)


# --- bytes and JSON ---------------------------------------------------------------

_ESCAPED_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
NUL_REASON = "found a NUL character; a log is text, so the file is damaged or not a log"
_OTHER_FORMS = {
    b"\xff\xfe": "UTF-16 text; expected UTF-8",
    b"\xfe\xff": "UTF-16 text; expected UTF-8",
    b"PK\x03\x04": "a zip archive; expected a log as plain text, gzip or zstd",
    b"BZh": "bzip2 data; expected a log as plain text, gzip or zstd",
    b"\xfd7zXZ": "xz data; expected a log as plain text, gzip or zstd",
    b"PAR1": "Parquet; expected a log as JSON Lines or a pair of CSV files",
}
"""What files that are often taken for logs begin with."""


def refuse_bytes(line: bytes, what: str = "round") -> None:
    """Refuse a line that is blank, holds a NUL or is not UTF-8; ``what`` a line should hold."""
    if not line.strip():
        raise Rejected("", f"blank line; expected one {what} as a JSON object")
    if b"\0" in line or (b"\\u0000" in line and _ESCAPED_NUL.search(line)):
        raise Rejected("", other_form(line) or NUL_REASON)
    if not line.isascii():
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Rejected("", other_form(line) or not_utf8(error)) from None


def other_form(line: bytes) -> str | None:
    """What a line that is no text begins, where it can be told."""
    for start, reason in _OTHER_FORMS.items():
        if line.startswith(start):
            return f"the file begins as {reason}"
    return None


def not_utf8(error: UnicodeDecodeError) -> str:
    """The reason for bytes that are not UTF-8, naming the first bad one."""
    return f"not UTF-8: byte 0x{error.object[error.start]:02x} at byte {error.start} of the line"


def _decode_typed(line: bytes) -> Round:
    try:
        return _without_empty_limits(_typed.decode(line))
    except msgspec.ValidationError as error:
        # msgspec stops at the first wrong type, which a line that is not JSON has as well.
        raise explain(str(error), loosely(line)) from None
    except RecursionError:
        raise _too_deep() from None
    except (msgspec.DecodeError, ValueError) as error:
        raise _not_json(str(error)) from None


def _not_json(message: str) -> Rejected:
    detail = message.removeprefix("JSON is malformed: ")
    if detail == "Input data was truncated":
        detail = "the line ends in the middle of a value; a round stands on one line"
    return Rejected("", f"not JSON: {shortened(detail)}")


def _too_deep() -> Rejected:
    return Rejected("", "nested too deep; expected at most a few levels")


def loosely(line: bytes, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """A line as plain values, whatever they are; raises `Rejected` where it is not JSON."""
    try:
        return json.loads(line, object_pairs_hook=pairs, parse_int=_whole, parse_float=_Number)
    except RecursionError:
        raise _too_deep() from None
    except json.JSONDecodeError as error:
        byte = len(error.doc[: error.pos].encode("utf-8", "surrogatepass"))
        what = "trailing characters" if error.msg == "Extra data" else error.msg
        raise _not_json(f"{what[:1].lower()}{what[1:]} (byte {byte})") from None
    except ValueError as error:
        raise _not_json(str(error)) from None


class _Number(str):
    """A number as it was written, or words for one."""

    __slots__ = ()


def _whole(digits: str) -> int | _Number:
    return int(digits) if len(digits) < 40 else _Number(f"a whole number of {len(digits)} digits")


def _with_extra(line: bytes, round_: Round) -> Decoded:
    """Refuse keys given twice and collect the fields outside the format.

    A key is a string followed by a colon, so counting ``":`` bounds the keys written.
    When white space stands before no colon and no string is escaped, that count
    equals the keys decoded only if no key was written twice and no text begins with
    a colon. Only a line that this cannot clear is read again, slowly.
    """
    top = _raw_object.decode(line)
    events = _raw_objects.decode(top["events"])
    limits = _raw_object.decode(top["limits"]) if bytes(top.get("limits", b"")).startswith(b"{") else {}
    keys = len(top) + len(limits) + sum(map(len, events))
    if line.count(b'":') != keys or b"\\" in line or b" :" in line or b"\t:" in line or b"\r:" in line:
        refuse_twice(line)

    found: dict[str, msgspec.Raw] = {}
    if not top.keys() <= ROUND_FIELDS:
        found.update((name, top[name]) for name in top.keys() - ROUND_FIELDS)
    if not limits.keys() <= _LIMIT_FIELDS:
        found.update((f"limits.{name}", limits[name]) for name in limits.keys() - _LIMIT_FIELDS)
    for seq, (raw, event) in enumerate(zip(events, round_.events, strict=True)):
        known = _FIELDS_OF_TYPE[type(event)]
        if not raw.keys() <= known:
            found.update((f"events[{seq}].{name}", raw[name]) for name in raw.keys() - known)
    if not found:
        return Decoded(round_)
    return Decoded(round_, extra_text(found), unknown_names(found))


def known_limits(limits: bytes) -> bool:
    """Whether an object of limits has no field outside the format."""
    return _raw_object.decode(limits).keys() <= _LIMIT_FIELDS


def extra_text(found: Mapping[str, Any]) -> str:
    """Fields outside the format as one JSON object, by path, values as they were written."""
    parts = []
    for name in sorted(found):
        value = found[name]
        text = bytes(value) if isinstance(value, msgspec.Raw) else msgspec.json.encode(value)
        parts.append(msgspec.json.encode(name) + b":" + msgspec.json.format(text, indent=-1))
    return (b"{" + b",".join(parts) + b"}").decode()


def unknown_names(found: Mapping[str, Any]) -> tuple[str, ...]:
    """The paths of fields outside the format with places taken out, each once."""
    return tuple(sorted({re.sub(r"^events\[[0-9]+\]", "events[]", name) for name in found}))


def refuse_twice(line: bytes) -> None:
    """Refuse a line in which an object has a key twice, naming the path of the key."""
    twice: dict[int, str] = {}
    kept: list[dict[str, Any]] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in items:
            if name in found and id(found) not in twice:
                twice[id(found)] = name
                kept.append(found)
            found.setdefault(name, value)
        return found

    whole = loosely(line, pairs)
    if twice:
        raise Rejected(_path_of(whole, twice), "the key stands twice in one object; expected it once")


def _members(path: str, value: dict[str, Any] | list[Any]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        return ((f"{path}.{name}".removeprefix("."), each) for name, each in value.items())
    return ((f"{path}[{place}]", each) for place, each in enumerate(value))


def _path_of(whole: Any, twice: Mapping[int, str]) -> str:
    """The path of the first key that stands twice, by the objects that have one."""
    ahead = [iter([("", whole)])]
    while ahead:
        for path, value in ahead[-1]:
            if id(value) in twice:
                return shortened(f"{path}.{twice[id(value)]}".removeprefix("."))
            if isinstance(value, dict | list):
                ahead.append(_members(path, value))
                break
        else:
            ahead.pop()
    return shortened(next(iter(twice.values())))


# --- what a line says about itself although it cannot be read ----------------------

_ROUND_ID = re.compile(rb'"round_id"\s*:\s*"([A-Za-z0-9._:-]{1,64})"')
_SKETCH_BYTES = 64 * 1024


class _Sketch(msgspec.Struct):
    round_id: Any = None
    venue: Any = None
    started_at: Any = None


def _sketch(line: bytes) -> tuple[str | None, str | None, datetime | None]:
    """Round id, venue and start of a rejected line, as far as they can be made out."""
    try:
        fields = msgspec.structs.asdict(msgspec.json.decode(line, type=_Sketch))
    except (ValueError, RecursionError):
        match = _ROUND_ID.search(line[:_SKETCH_BYTES])
        return (match[1].decode() if match else None, None, None)
    found = sketched(Rejected("", ""), fields)
    return found.round_id, found.venue, found.started_at


def legible_round_id(found: object) -> str | None:
    """What was found for a round id, if it can be one."""
    legal = isinstance(found, str) and re.fullmatch(r"[A-Za-z0-9._:-]{1,64}", found)
    return str(found) if legal else None


def sketched(rejected: Rejected, fields: Mapping[str, Any]) -> Rejected:
    """The rejection with round id, venue and start, as far as the fields give them."""
    rejected.round_id = legible_round_id(fields.get("round_id"))
    venue = fields.get("venue")
    if isinstance(venue, str) and not venue_problem(venue) and 0 < len(venue) <= 200:
        rejected.venue = venue
    try:
        started_at = msgspec.convert(fields.get("started_at"), log.Instant)
    except msgspec.ValidationError:
        return rejected
    if _in_range(started_at):
        rejected.started_at = started_at
    return rejected


def _about(rejected: Rejected, round_: Round) -> Rejected:
    rejected.round_id = round_.round_id
    if not venue_problem(round_.venue):
        rejected.venue = round_.venue
    if _in_range(round_.started_at):
        rejected.started_at = round_.started_at
    return rejected


# --- msgspec's messages in the words of a log's owner -------------------------------

_WORDS: dict[str, tuple[str, ...]] = {
    "format": (log.FORMAT,),
    "e": log.EVENT_KINDS,
    "kind": get_args(log.WagerKind),
    "result": get_args(log.Result),
    "line": get_args(log.Line),
    "shuffler": get_args(log.Shuffler),
    "records": get_args(log.Fact),
    "code": get_args(log.IrregularityCode),
    "scope": ("round", "hand", "wager"),
    "from": ("shoe", "hand"),
}
_CALLED = {"e": "event", "records": "fact"}
_INSTANT = "a date and time with its offset, such as 2019-03-01T20:14:05+11:00"
_DAY = "a date such as 2019-03-01"
_TYPES = {
    "datetime": _INSTANT,
    "date": _DAY,
    "str": "text",
    "int": "a whole number",
    "float": "a number with a fraction",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_PATTERNS = {
    "round_id": "1 to 64 of the characters A-Z a-z 0-9 . _ : -",
    "tournament_id": "1 to 64 of the characters A-Z a-z 0-9 . _ : -",
    "entry_id": "1 to 64 of the characters A-Z a-z 0-9 . _ : -",
    "currency": "a code of three capital letters, such as AUD",
    "opens": "a time of day such as 11:30",
    "closes": "a time of day such as 04:00",
}


def explain(
    message: str, values: Any, words: Mapping[str, tuple[str, ...]] = _WORDS, what: str = "round"
) -> Rejected:
    """What msgspec said of ``values``, as a rejection; ``words`` are the words that each field knows."""
    text, _, place = message.rpartition(" - at `$")
    if not text:
        text, place = message, ""
    path = place.rstrip("`").removeprefix(".")
    missing = re.fullmatch(r"Object missing required field `(.+)`", text)
    if missing:
        return Rejected(f"{path}.{missing[1]}" if path else missing[1], "missing; the format requires it")
    name = re.sub(r"\[[^]]*\]", "", path).rpartition(".")[2]
    return Rejected(path, shortened(_reason(text, name, _value_at(values, path), words, what)))


def _reason(text: str, name: str, found: Any, known: Mapping[str, tuple[str, ...]], what: str) -> str:
    got = "" if found is _ABSENT else f", got {_shown(found)}"
    if text.startswith(("Invalid enum value", "Invalid value")):
        words = known.get(name, ())
        expected = words[0] if len(words) == 1 else f"one of {', '.join(words)}"
        return f"unknown {_CALLED.get(name, name)} {_shown(found)}; expected {expected}"
    if text == "Invalid RFC3339 encoded date":
        return f"expected {_DAY}{got}"
    if "`datetime` with a timezone" in text or text.startswith("Invalid RFC3339"):
        return f"expected {_INSTANT}{got}"
    if "matching regex" in text:
        return f"expected {_PATTERNS.get(name, text)}{got}"
    if text == "Expected `str` of length >= 1":
        return "empty; expected text"
    if text == "Expected `str`":
        return f"expected text{got}"
    types = re.fullmatch(r"Expected `(\w+)(?: \| null)?`, got `(\w+)`", text)
    if types:
        if not name:
            return f"expected one {what} as a JSON object, got {_TYPES.get(types[2], types[2])}"
        return f"expected {_TYPES.get(types[1], types[1])}{got}"
    bound = re.fullmatch(r"Expected `(int|str)` (?:of length )?(>=|<=) (-?[0-9]+)", text)
    if bound:
        which = f"at {'least' if bound[2] == '>=' else 'most'} {bound[3]}"
        if bound[1] == "int":
            return f"expected a whole number of {which}{got}"
        size = f", got {len(found):,}" if isinstance(found, str) else ""
        return f"expected {which} characters{size}"
    return text


_ABSENT = object()


def _value_at(value: Any, path: str) -> Any:
    for name, place in re.findall(r"([^.\[\]]+)|\[([0-9]+)\]", path):
        try:
            value = value[name] if name else value[int(place)]
        except (LookupError, TypeError):
            return _ABSENT
    return value


def _shown(value: Any) -> str:
    if isinstance(value, _Number):
        return shortened(value, 200)
    if isinstance(value, str):
        return repr(value[:200])
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    return str(value)


def shortened(text: str, most: int = 300) -> str:
    """A text cut to a length that still fits one line of a report."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


# --- what types cannot say ------------------------------------------------------------


def _in_range(instant: datetime) -> bool:
    return 2 <= instant.year <= 9998


def venue_problem(venue: str) -> str | None:
    """Why a venue cannot name a folder of a lake, or None."""
    if venue == RESERVED_VENUE:
        return "this text stands for an unknown venue; expected the key of a venue"
    size = len(venue) if re.fullmatch(r"[A-Za-z0-9._-]*", venue) else 3 * len(venue.encode())
    if size > LONGEST_VENUE_PART:
        return f"too long to name a folder: expected at most {LONGEST_VENUE_PART} plain characters"
    return None


def check_round(round_: Round) -> None:
    """Refuse a round whose events cannot be followed.

    Raises `Rejected` at the first event that names a wager or a hand which no earlier
    event made, makes one that exists, undoes a settlement that is not there, or lacks
    a field that its kind requires. Hand 1 of a box is made by the first wager placed on the
    box or the first card dealt to it; only an irregularity may be reported of it before.
    """
    problem = venue_problem(round_.venue)
    if problem:
        raise Rejected("venue", problem)
    for name in ("started_at", "ended_at"):
        instant = getattr(round_, name)
        if instant is not None and not _in_range(instant):
            raise Rejected(name, f"{instant.isoformat()} lies outside the years 2 to 9998")
    _Follower().follow(round_.events)


class _Follower:
    """The wagers, hands and settlements that exist as the events go by."""

    def __init__(self) -> None:
        self.wagers: set[str] = set()
        self.hands: set[tuple[int, int]] = set()
        self.settled: dict[int, str] = {}
        self.reversed: set[int] = set()

    def follow(self, events: tuple[log.AnyEvent, ...]) -> None:
        for seq, event in enumerate(events):
            if event.at is not None and not _in_range(event.at):
                _refuse(seq, "at", f"{event.at.isoformat()} lies outside the years 2 to 9998")
            if type(event) is log.Deal:
                if event.hand == 1:
                    self.hands.add((event.box, 1))
                else:
                    self._hand(seq, event.box, event.hand)
            elif type(event) is log.Settle:
                self._settle(seq, event)
            elif type(event) is log.Wager:
                self._wager(seq, event)
            else:
                self._rarer(seq, event)

    def _rarer(self, seq: int, event: log.AnyEvent) -> None:
        match event:
            case log.Split():
                self._hand(seq, event.box, event.hand)
                if event.to == 1 or (event.box, event.to) in self.hands:
                    _refuse(seq, "to", f"hand {event.to} of box {event.box} exists; expected a new one")
                self.hands.add((event.box, event.to))
            case log.Stand() | log.Double():
                self._hand(seq, event.box, event.hand)
            case log.Surrender() | log.Assign():
                self._hand(seq, event.box, event.hand)
                self._earlier(seq, "wager", event.wager)
            case log.Forfeit() | log.Withdraw() | log.Press():
                self._earlier(seq, "wager", event.wager)
            case log.Burn() if event.source == "hand":
                self._hand(seq, self._given(seq, "box", event.box, "a burn from a hand"), event.hand)
            case log.Void():
                self._void(seq, event)
            case log.Irregularity(box=int(box), hand=int(hand)) if hand != 1:
                self._hand(seq, box, hand)

    def _void(self, seq: int, event: log.Void) -> None:
        if event.scope == "hand":
            self._hand(seq, self._given(seq, "box", event.box, "a void of scope hand"), event.hand)
        if event.scope == "wager":
            self._given(seq, "wager", event.wager, "a void of scope wager")
        self._earlier(seq, "wager", event.wager)

    def _wager(self, seq: int, event: log.Wager) -> None:
        if event.id in self.wagers:
            _refuse(seq, "id", f"wager {shortened(event.id, 60)!r} was placed before; expected a new id")
        if event.kind in ("split", "double", "insurance"):
            self._given(seq, "on", event.on, f"a wager of kind {event.kind}")
        self._earlier(seq, "on", event.on)
        if event.hand == 1:
            self.hands.add((event.box, 1))
        else:
            self._hand(seq, event.box, event.hand)
        self.wagers.add(event.id)

    def _settle(self, seq: int, event: log.Settle) -> None:
        self._earlier(seq, "wager", event.wager)
        if event.reverses is not None:
            self._reverse(seq, event, event.reverses)
            return
        self._given(seq, "result", event.result, "a settlement")
        self._given(seq, "paid", event.paid, "a settlement")
        if event.line == "stake":
            self._given(seq, "taken", event.taken, "a settlement")
        self.settled[seq] = event.wager

    def _reverse(self, seq: int, event: log.Settle, undone: int) -> None:
        if event.result is not None or event.paid is not None or event.taken is not None:
            _refuse(
                seq,
                "reverses",
                "a reversal carries no result, paid or taken; write a line of its own for those",
            )
        if self.settled.get(undone) != event.wager:
            wager = shortened(event.wager, 60)
            reason = f"expected the seq of an earlier settlement of wager {wager!r}, got {undone}"
            _refuse(seq, "reverses", reason)
        if undone in self.reversed:
            _refuse(seq, "reverses", f"the settlement at seq {undone} was already reversed")
        self.reversed.add(undone)

    def _earlier(self, seq: int, field: str, wager: str | None) -> None:
        if wager is not None and wager not in self.wagers:
            _refuse(seq, field, f"no earlier event placed wager {shortened(wager, 60)!r}")

    def _hand(self, seq: int, box: int, hand: int) -> None:
        if (box, hand) in self.hands:
            return
        if hand == 1:
            _refuse(seq, "box", f"no earlier event placed a wager on box {box} or dealt a card to it")
        _refuse(seq, "hand", f"no earlier split made hand {hand} of box {box}")

    @staticmethod
    def _given(seq: int, field: str, value: T | None, who: str) -> T:
        if value is None:
            _refuse(seq, field, f"missing; {who} requires it")
        return value


def _refuse(seq: int, field: str, reason: str) -> NoReturn:
    raise Rejected(f"events[{seq}].{field}", reason)
