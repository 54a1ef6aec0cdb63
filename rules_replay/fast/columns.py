"""What the kernel writes down as records, as columns of `rules_replay.narrow`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rules_replay import log
from rules_replay.kernel.batch import Rows
from rules_replay.kernel.book import WAGER_KINDS
from rules_replay.kernel.clauses import clause_text, reading_text
from rules_replay.kernel.codes import NOT, STAKE
from rules_replay.kernel.encode import Log
from rules_replay.kernel.hands import ENDED
from rules_replay.kernel.records import Letters, Records
from rules_replay.kernel.stories import card_texts, reason_texts
from rules_replay.narrow import NARROW_HANDS, NARROW_SETTLEMENTS
from rules_replay.rulebook import Rulebook

_RESULTS = get_args(log.Result)
_LINES = get_args(log.Line)
_DUE_BONUS = "due in a Super Bonus round"
_NO_BONUS = "no entitlement"


def hand_columns(rows: Rows, count: int, rounds: pa.Table) -> pa.Table:
    """The hands of a batch as a table of `rules_replay.narrow.NARROW_HANDS`."""
    hands = rows.hands[:count]
    made: dict[str, pa.Array] = {
        "round_id": _of_rounds(rounds, hands),
        "box": pa.array(hands["box"]),
        "hand": pa.array(hands["no"]),
        "cards": _texts(*card_texts(hands, rows.cards)),
        "card_count": pa.array(hands["n"]),
        "total": pa.array(hands["total"].astype(np.int16)),
        "soft": pa.array(hands["soft"]),
        "doubled": pa.array(hands["doubled"]),
        "split_from": pa.array(hands["split_from"], mask=hands["split_from"] == NOT),
        "ended": _words(ENDED, hands["ended"]),
    }
    return pa.table([made[each.name] for each in NARROW_HANDS], schema=NARROW_HANDS)


def settlement_columns(
    rows: Rows, count: int, log_: Log, rounds: pa.Table, books: Sequence[Rulebook]
) -> pa.Table:
    """The settlements of a batch as a table of `rules_replay.narrow.NARROW_SETTLEMENTS`."""
    settled = rows.settled[:count]
    stake = settled["line"] == STAKE
    unfixed, unsettled = ~settled["fixed"], ~settled["settled"]
    delta = settled["paid"] - settled["taken"] - settled["due_paid"] + settled["due_taken"]
    owed = settled["due_paid"] - settled["due_taken"]
    made: dict[str, pa.Array] = {
        "round_id": _of_rounds(rounds, settled),
        "wager": _words(log_.wagers, settled["name"]),
        "line": _words(_LINES, settled["line"]),
        "kind": _words(WAGER_KINDS, settled["kind"]),
        "player": _words(log_.players, settled["player"]),
        "box": pa.array(settled["box"]),
        "hand": pa.array(settled["hand"]),
        "stake": _money(settled["stake"]),
        "effective_stake": _money(settled["effective"]),
        "status": _words(("fixed", "indeterminate"), unfixed.astype(np.int8)),
        "expected_result": _words(_RESULTS, settled["due_result"], unfixed),
        "expected_paid": _money(settled["due_paid"], unfixed),
        "expected_taken": _money(settled["due_taken"], unfixed),
        "recorded_result": _by_value(settled["results"], _recorded, unsettled),
        "recorded_paid": _money(settled["paid"], unsettled),
        "recorded_taken": _money(settled["taken"], unsettled),
        "delta": _money(np.where(unsettled, -owed, delta), unfixed),
        "odds": _odds(settled),
        "clause": _clauses(settled, log_.rounds["book"], books),
        "reading": _by_value(settled["reading"], reading_text, settled["reading"] == NOT),
        "basis": _words(("as_required", "as_dealt"), settled["basis"]),
        "reason": _reasons(rows, settled, stake),
        "corrected": pa.array(settled["corrected"] & stake),
    }
    return pa.table([made[each.name] for each in NARROW_SETTLEMENTS], schema=NARROW_SETTLEMENTS)


def _of_rounds(rounds: pa.Table, records: Records) -> pa.Array:
    places = pa.array(np.ascontiguousarray(records["round_at"]))
    return pa.DictionaryArray.from_arrays(places, rounds["round_id"].combine_chunks())


def _texts(letters: Letters, ends: npt.NDArray[np.int64]) -> pa.Array:
    """Texts that lie one after another, each up to its end."""
    offsets = np.concatenate([np.zeros(1, np.int32), ends.astype(np.int32)])
    size = int(offsets[-1])
    return pa.StringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(letters[:size].copy()))


def _words(
    words: Sequence[str], numbers: npt.NDArray[Any], absent: npt.NDArray[np.bool_] | None = None
) -> pa.Array:
    places = pa.array(numbers.astype(np.int32), mask=absent)
    return pa.DictionaryArray.from_arrays(places, pa.array(words, pa.string()))


def _money(thousandths: npt.NDArray[np.int64], absent: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """Thousandths as amounts."""
    validity = None if absent is None else pa.array(~absent).buffers()[1]
    whole = pa.py_buffer(np.ascontiguousarray(thousandths))
    return pa.Array.from_buffers(pa.decimal64(18, 3), len(thousandths), [validity, whole])


def _by_value(
    values: npt.NDArray[np.int64],
    text: Callable[[int], str | None],
    absent: npt.NDArray[np.bool_] | None = None,
) -> pa.Array:
    """The text of each number, made once for each that occurs."""
    numbered = pa.array(values, pa.int64(), mask=absent).dictionary_encode()
    # Different numbers may have the same text, which a list holds once.
    places: dict[str | None, int] = {}
    made = [places.setdefault(text(each), len(places)) for each in numbered.dictionary.to_pylist()]
    found = pa.array(made, pa.int32()).take(numbered.indices)
    return pa.DictionaryArray.from_arrays(found, pa.array(places, pa.string()))


def _recorded(results: int) -> str | None:
    """A result, or several that stand recorded for one stake, by their bits."""
    return " and ".join(sorted(word for number, word in enumerate(_RESULTS) if results >> number & 1))


def _odds(settled: Records) -> pa.Array:
    over, under = settled["odds"][:, 0], settled["odds"][:, 1]
    absent = (over <= 0) | ~settled["fixed"]
    packed = np.where(absent, 0, over << 32 | under)
    return _by_value(packed, lambda odds: f"{odds >> 32}:{odds & 0xFFFFFFFF}", absent)


def _clauses(settled: Records, book_of: npt.NDArray[np.int32], books: Sequence[Rulebook]) -> pa.Array:
    keys = settled["clause"] * len(books) + book_of[settled["round_at"]]

    def text(key: int) -> str:
        clause, book = divmod(key, len(books))
        return clause_text(books[book], clause)

    return _by_value(keys, text)


def _reasons(rows: Rows, settled: Records, stake: npt.NDArray[np.bool_]) -> pa.Array:
    told = _texts(*reason_texts(settled, rows.cards))
    if stake.all():
        return told
    entitled = pc.if_else(pa.array(settled["entitled"]), _DUE_BONUS, _NO_BONUS)
    return pc.if_else(pa.array(stake), told, entitled)
