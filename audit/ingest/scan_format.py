"""The format of a round as tables, which the compiled functions of `scan` take.

What is legal is read off the classes of `rules_replay.log`. So none of those functions knows one
kind of event from another, but for `scan_references`.
"""

from __future__ import annotations

from typing import Any, NamedTuple, get_args, get_type_hints

import msgspec
import numpy as np

from audit.ingest.columns import AMOUNT_COLUMNS, EMPTY, MODELS, TEXT_COLUMNS, WHOLE_COLUMNS, WORDS
from audit.ingest.compiled import inlined
from audit.ingest.scan_values import Bytes, Numbers
from rules_replay.log import Round

NAME, _FREE, WHOLE, AMOUNT, WORD, INSTANT = range(6)

HEAD = tuple(name for name in Round.__struct_encode_fields__ if name != "events")
"""The fields of a round beside its events."""

FIELDS = ("e", *dict.fromkeys(name for model in MODELS for name in model.__struct_encode_fields__))
"""Every field that an event may have. A field is the place of its name here."""

E = FIELDS.index("e")
_WORD_COLUMNS = tuple(WORDS)
KEYS = len(_WORD_COLUMNS)
"""Which of the lists of words is that of the fields of events."""
HEAD_KEYS = KEYS + 1
"""Which is that of the fields of a round, the events being the last."""
_LARGEST = int(np.iinfo(np.int64).max)
_HASHES = 256


def _column(name: str) -> str:
    return "wager" if name == "id" else name


def _type_of(name: str) -> tuple[int, int]:
    """What is written in a field, and the row of its column among those of its type."""
    column = _column(name)
    if column in WORDS:
        return WORD, _WORD_COLUMNS.index(column)
    if column in AMOUNT_COLUMNS:
        return AMOUNT, AMOUNT_COLUMNS.index(column)
    if column in WHOLE_COLUMNS:
        return WHOLE, WHOLE_COLUMNS.index(column)
    if column == "at":
        return INSTANT, 0
    return _FREE if column == "reason" else NAME, TEXT_COLUMNS.index(column)


def _bounds(kind: Any) -> tuple[int, int]:
    """The least and the greatest of a whole number, out of its annotation."""
    for each in (kind, *get_args(kind)):
        for meta in getattr(each, "__metadata__", ()):
            if isinstance(meta, msgspec.Meta) and meta.ge is not None:
                return int(meta.ge), _LARGEST if meta.le is None else int(meta.le)
    return 0, _LARGEST


def _hash(word: bytes) -> int:
    """What `code_of` looks a word up by: its size, its first and its last letter."""
    return (len(word) * 7 + word[0] * 31 + word[-1] * 17) & (_HASHES - 1)


class Lists(NamedTuple):
    """Lists of words with a hash table each: ``codes`` by hash, the words by code."""

    codes: Any
    words: Any
    sizes: Any


def _lists(lists: list[tuple[str, ...]]) -> Lists:
    longest = max(len(word) for words in lists for word in words)
    most = max(map(len, lists))
    found = Lists(
        codes=np.full((len(lists), _HASHES), EMPTY, np.int64),
        words=np.zeros((len(lists), most, longest), np.uint8),
        sizes=np.zeros((len(lists), most), np.int64),
    )
    for place, words in enumerate(lists):
        for code, word in enumerate(words):
            data = word.encode()
            found.words[place, code, : len(data)] = bytearray(data)
            found.sizes[place, code] = len(data)
            at = _hash(data)
            while found.codes[place, at] >= 0:
                at = (at + 1) % _HASHES
            found.codes[place, at] = code
    return found


@inlined
def code_of(data: Bytes, at: int, stop: int, which: int, lists: Lists) -> int:
    """The code of a word in one of the lists, or -1."""
    size = stop - at
    if size < 1:
        return -1
    slot = (size * 7 + np.int64(data[at]) * 31 + np.int64(data[stop - 1]) * 17) & (_HASHES - 1)
    while lists.codes[which, slot] >= 0:
        code = lists.codes[which, slot]
        if lists.sizes[which, code] == size:
            same = True
            for place in range(size):
                if lists.words[which, code, place] != data[at + place]:
                    same = False
                    break
            if same:
                return int(code)
        slot = (slot + 1) % _HASHES
    return -1


class Format(NamedTuple):
    """The format as the arrays that `scan` takes.

    ``types`` and ``rows`` say of each field of an event what is written in it and which row of
    its type's columns it goes to. The others have a row for each kind of event: the least and
    greatest value by field, what an absent one stands for, bits of the fields allowed, required
    and allowed to be null, and the fields in canonical order. ``head_required`` has a bit for
    each field that a round must have.
    """

    lists: Lists
    types: Numbers
    rows: Numbers
    low: Any
    high: Any
    default: Any
    allowed: Numbers
    required: Numbers
    nullable: Numbers
    order: Any
    head_required: int


def _format() -> Format:
    kinds, fields = len(MODELS), len(FIELDS)
    types = [_type_of(name) for name in FIELDS]
    required = [each.encode_name for each in msgspec.structs.fields(Round) if each.required]
    found = Format(
        lists=_lists([*(WORDS[column] for column in _WORD_COLUMNS), FIELDS, (*HEAD, "events")]),
        types=np.array([each[0] for each in types]),
        rows=np.array([each[1] for each in types]),
        low=np.zeros((kinds, fields), np.int64),
        high=np.full((kinds, fields), _LARGEST),
        default=np.full((kinds, fields), EMPTY),
        allowed=np.full(kinds, 1 << E),
        required=np.full(kinds, 1 << E),
        nullable=np.zeros(kinds, np.int64),
        order=np.full((kinds, fields), -1),
        head_required=sum(1 << (*HEAD, "events").index(name) for name in required),
    )
    for kind, model in enumerate(MODELS):
        _add(found, kind, model)
    return found


def _add(found: Format, kind: int, model: type[msgspec.Struct]) -> None:
    hints = get_type_hints(model, include_extras=True)
    for place, each in enumerate(msgspec.structs.fields(model)):
        field = FIELDS.index(each.encode_name)
        found.order[kind, place] = field
        found.allowed[kind] |= 1 << field
        if found.types[field] == WHOLE:
            found.low[kind, field], found.high[kind, field] = _bounds(hints[each.name])
        if each.required:
            found.required[kind] |= 1 << field
        elif each.default is None:
            found.nullable[kind] |= 1 << field
        else:
            words = WORDS.get(_column(each.encode_name))
            found.default[kind, field] = words.index(each.default) if words else each.default


FORMAT = _format()
