"""Rounds and events as Arrow tables to records; words and names become numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rules_replay import log
from rules_replay.cards import DECK, JOKER, LEGAL_TEXTS, RANKS, SUITS, UNREADABLE, card
from rules_replay.kernel.book import WAGER_KINDS
from rules_replay.kernel.cells import Amounts, Cells, Numbers, Texts, fill_events
from rules_replay.kernel.codes import JOKER_CARD, NOT, TEN, UNREADABLE_CARD
from rules_replay.kernel.records import EVENT, ROUND, Records


def card_number(text: str) -> int:
    """The number of a card: four times its rank plus its suit."""
    if text == UNREADABLE:
        return UNREADABLE_CARD
    if text == JOKER:
        return JOKER_CARD
    found = card(text)
    return 4 * (RANKS.index(found.rank) if found.rank in RANKS else TEN) + SUITS.index(found.suit)


CARDS: Final = {text: card_number(text) for text in sorted(LEGAL_TEXTS)}
CARD_TEXTS: Final = tuple(
    [rank + suit for rank in RANKS for suit in SUITS] + ["10" + suit for suit in SUITS] + [JOKER, UNREADABLE]
)
"""The texts of cards by number."""
assert set(DECK) <= set(CARD_TEXTS)


def _places(words: Sequence[str]) -> dict[str, int]:
    return {word: number for number, word in enumerate(words)}


_VOCABULARY: Final[Mapping[str, Mapping[str, int]]] = {
    "e": _places(log.EVENT_KINDS),
    "kind": _places(WAGER_KINDS),
    "card": CARDS,
    "scope": _places(("round", "hand", "wager")),
    "code": _places(get_args(log.IrregularityCode)),
    "line": _places(get_args(log.Line)),
    "result": _places(get_args(log.Result)),
    "source": {"hand": 1},
    "reason": {"": 0},
}
_ANY_OTHER: Final = {"reason": 1}
"""The number of every text that is not in the vocabulary of a column; elsewhere it is `NOT`."""
_LIMITS: Final = ("min", "max", "box_max", "multiples", "side_min", "side_max", "smallest_chip")
_NOT_HELD: Final = -2


@dataclass(frozen=True, slots=True)
class Log:
    """Rounds and their events as records; ``wagers`` and ``players`` are the names by number.

    ``shoes`` are the table and the name of each shoe by number; ``bets`` counts the wagers.
    """

    rounds: Records
    events: Records
    wagers: tuple[str, ...]
    players: tuple[str, ...]
    shoes: tuple[tuple[str, str], ...]
    bets: int


def encode(rounds: pa.Table, events: pa.Table, books: npt.NDArray[np.int32], held: Sequence[str]) -> Log:
    """Tables as `rules_replay.log.ROUNDS` and `EVENTS`, the events in the order of the rounds.

    Columns of text may be dictionaries instead, chunk by chunk, which spares looking at every value.
    ``books`` is the number of the rulebook in force of each round (`NOT`: none), ``held`` the ids of
    the rulebooks by number.
    """
    encoded, bets, wagers, players = _events(events)
    numbers, shoes = _shoes(rounds)
    return Log(
        rounds=_rounds(rounds, books, held, numbers),
        events=encoded,
        wagers=wagers,
        players=players,
        shoes=shoes,
        bets=bets,
    )


def _rounds(
    rounds: pa.Table, books: npt.NDArray[np.int32], held: Sequence[str], shoes: npt.NDArray[np.int32]
) -> Records:
    made = np.zeros(rounds.num_rows, ROUND)
    counts = _ints(rounds["event_count"])
    made["count"] = counts
    made["first"] = np.cumsum(counts) - counts
    made["book"] = books
    claimed = _words(rounds["rulebook"], _places(sorted(set(held))), _NOT_HELD)
    in_force = np.array([*(sorted(set(held)).index(each) for each in held), NOT])[made["book"]]
    made["claims"] = claimed != NOT
    made["misclaimed"] = (claimed != NOT) & (claimed != in_force)
    made["shoe"] = shoes
    made["round_no"] = _ints(rounds["round_no"])
    made["decks"] = _ints(rounds["decks"])
    made["shuffler"] = _words(rounds["shuffler"], _places(get_args(log.Shuffler)))
    made["facts"] = _bits(rounds["records"], log.FACTS, (1 << len(log.FACTS)) - 1)
    made["offers"] = _bits(rounds["offers"], WAGER_KINDS, NOT)
    made["last_rounds"] = rounds["last_rounds"].to_numpy()
    for name in _LIMITS:
        made[f"limit_{name}"] = _money(rounds[f"limit_{name}"])
        made["has_limits"] |= made[f"limit_{name}"] != NOT
    return cast(Records, made.view(np.recarray))


def _shoes(rounds: pa.Table) -> tuple[npt.NDArray[np.int32], tuple[tuple[str, str], ...]]:
    """The number of the shoe of each round, and its table and name by number."""
    tables, table_names = _codes(rounds["table"].chunks)
    shoes, shoe_names = _codes(rounds["shoe"].chunks)
    width = max(len(shoe_names), 1)
    keys, numbers = np.unique(tables.astype(np.int64) * width + shoes, return_inverse=True)
    names = tuple((table_names[key // width], shoe_names[key % width]) for key in keys.tolist())
    return numbers.astype(np.int32), names


def _events(events: pa.Table) -> tuple[Records, int, tuple[str, ...], tuple[str, ...]]:
    made = cast(Records, np.empty(events.num_rows, EVENT).view(np.recarray))
    wagers: dict[str, int] = {}
    players: dict[str, int] = {}
    bets = done = 0
    for batch in events.to_batches():
        cells: Any = (_cells(batch, name, wagers, players) for name in Cells._fields)
        bets += fill_events(made, done, batch.num_rows, Cells(*cells))
        done += batch.num_rows
    return made, bets, tuple(wagers), tuple(players)


def _cells(
    batch: pa.RecordBatch, name: str, wagers: dict[str, int], players: dict[str, int]
) -> Texts | Numbers | Amounts:
    """A column of events; names that are new get numbers."""
    column = batch["from" if name == "source" else name]
    if pa.types.is_decimal(column.type):
        return Amounts(_buffer(column, np.int64, 2), *_known(column))
    if pa.types.is_integer(column.type):
        return Numbers(_buffer(column, column.type.to_pandas_dtype()), *_known(column))
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    indices, texts = encoded.indices.cast(pa.int32()), encoded.dictionary.to_pylist()
    numbered = {"wager": wagers, "on": wagers, "player": players}.get(name)
    if numbered is None:
        places, other = _VOCABULARY[name], _ANY_OTHER.get(name, NOT)
        numbers = [places.get(text, other) for text in texts]
    else:
        numbers = [numbered.setdefault(text, len(numbered)) for text in texts]
    return Texts(_buffer(indices, np.int32), np.array(numbers, np.int32), *_known(indices))


def _buffer(array: pa.Array, kind: Any, width: int = 1) -> npt.NDArray[Any]:
    """The values of an array, so many numbers each, whatever stands where there is none."""
    held = array.buffers()[1]
    first, last = array.offset * width, (array.offset + len(array)) * width
    return _unchanging(np.zeros(last, kind) if held is None else np.frombuffer(held, kind)[first:last])


def _known(array: pa.Array) -> tuple[npt.NDArray[np.uint8], int]:
    """The bits of the rows that hold something, and the first of them; no bits where all do."""
    held = array.buffers()[0] if array.null_count else None
    return _unchanging(np.zeros(0, np.uint8) if held is None else np.frombuffer(held, np.uint8)), array.offset


def _unchanging(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A view that cannot be written to, as numba compiles anew for one that can."""
    view = array.view()
    view.flags.writeable = False
    return view


def _ints(column: pa.ChunkedArray) -> npt.NDArray[Any]:
    return cast(npt.NDArray[Any], pc.fill_null(column, NOT).to_numpy())


def _money(column: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """DECIMAL(18,3) as thousandths: the low half of each sixteen bytes."""
    made = np.full(len(column), NOT, np.int64)
    start = 0
    for chunk in column.chunks:
        values = np.frombuffer(chunk.buffers()[1], np.int64)[0::2][chunk.offset : chunk.offset + len(chunk)]
        stop = start + len(chunk)
        if chunk.null_count:
            known = chunk.is_valid().to_numpy(zero_copy_only=False)
            made[start:stop][known] = values[known]
        else:
            made[start:stop] = values
        start = stop
    return made


def _codes(chunks: Sequence[pa.Array]) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
    """Each text as the number of its name, `NOT` for none, and the names."""
    numbered: dict[str, int] = {}
    made = [np.zeros(0, np.int32)]
    for indices, names in map(_dictionary, chunks):
        numbers = [numbered.setdefault(name, len(numbered)) for name in names]
        made.append(np.array([*numbers, NOT], np.int32)[indices])
    return np.concatenate(made), tuple(numbered)


def _words(column: pa.ChunkedArray, places: Mapping[str, int], unknown: int = NOT) -> npt.NDArray[np.int32]:
    made = [np.zeros(0, np.int32)]
    for indices, names in map(_dictionary, column.chunks):
        numbers = np.array([*(places.get(name, unknown) for name in names), NOT], np.int32)
        made.append(numbers[indices])
    return np.concatenate(made) if len(made) > 2 else made[-1]


def _dictionary(chunk: pa.Array) -> tuple[npt.NDArray[np.int32], list[str]]:
    """The place of each text among some, -1 for none, and these."""
    encoded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
    return pc.fill_null(encoded.indices, -1).to_numpy(), encoded.dictionary.to_pylist()


def _bits(column: pa.ChunkedArray, words: Sequence[str], none: int) -> npt.NDArray[np.int64]:
    """Lists of words as a bit each, ``none`` for no list."""
    lists = column.combine_chunks()
    made = np.zeros(len(lists), np.int64)
    whose = pc.list_parent_indices(lists).to_numpy()
    numbers = _words(pa.chunked_array([pc.list_flatten(lists)]), _places(words))
    np.bitwise_or.at(made, whose[numbers != NOT], np.int64(1) << numbers[numbers != NOT])
    made[~lists.is_valid().to_numpy(zero_copy_only=False)] = none
    return made
