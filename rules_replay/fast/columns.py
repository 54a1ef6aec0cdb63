"""What the kernel writes down as records, as columns of `rules_replay.narrow`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from rules_replay import log
from rules_replay.kernel.batch import Rows
from rules_replay.kernel.book import WAGER_KINDS
from rules_replay.kernel.clauses import clause_text, reading_text
from rules_replay.kernel.codes import NOT
from rules_replay.kernel.encode import Log
from rules_replay.kernel.hands import ENDED
from rules_replay.kernel.records import Letters
from rules_replay.kernel.spread import Lines, spread, spread_hands
from rules_replay.kernel.stories import card_texts, reason_texts
from rules_replay.narrow import NARROW_HANDS, NARROW_SETTLEMENTS
from rules_replay.rulebook import Rulebook

_RESULTS = get_args(log.Result)
_LINES = get_args(log.Line)


def hand_columns(rows: Rows, count: int, rounds: pa.Table) -> pa.Table:
    """The hands of a batch as a table of `rules_replay.narrow.NARROW_HANDS`."""
    hands = rows.hands[:count]
    ends = spread_hands(hands)
    made: dict[str, pa.Array] = {
        "round_id": _of_rounds(rounds, ends.round_at),
        "box": pa.array(ends.box),
        "hand": pa.array(ends.hand),
        "cards": _texts(*card_texts(hands, rows.cards)),
        "card_count": pa.array(ends.card_count),
        "total": pa.array(ends.total),
        "soft": pa.array(ends.soft),
        "doubled": pa.array(ends.doubled),
        "split_from": pa.array(ends.split_from, mask=ends.split_from == NOT),
        "ended": _words(ENDED, ends.ended),
    }
    return pa.table([made[each.name] for each in NARROW_HANDS], schema=NARROW_HANDS)


def settlement_columns(
    rows: Rows, count: int, log_: Log, rounds: pa.Table, books: Sequence[Rulebook]
) -> pa.Table:
    """The settlements of a batch as a table of `rules_replay.narrow.NARROW_SETTLEMENTS`."""
    settled = rows.settled[:count]
    lines = spread(settled, np.ascontiguousarray(log_.rounds["book"]), len(books))
    unfixed, unsettled = lines.unfixed, lines.unsettled
    made: dict[str, pa.Array] = {
        "round_id": _of_rounds(rounds, lines.round_at),
        "wager": _words(log_.wagers, lines.name),
        "line": _words(_LINES, lines.line),
        "kind": _words(WAGER_KINDS, lines.kind),
        "player": _words(log_.players, lines.player),
        "box": pa.array(lines.box),
        "hand": pa.array(lines.hand),
        "stake": _money(lines.stake),
        "effective_stake": _money(lines.effective),
        "status": _words(("fixed", "indeterminate"), lines.status),
        "expected_result": _words(_RESULTS, lines.due_result, unfixed),
        "expected_paid": _money(lines.due_paid, unfixed),
        "expected_taken": _money(lines.due_taken, unfixed),
        "recorded_result": _by_value(lines.results, _recorded, unsettled),
        "recorded_paid": _money(lines.paid, unsettled),
        "recorded_taken": _money(lines.taken, unsettled),
        "delta": _money(lines.net, unfixed),
        "odds": _by_value(lines.odds, lambda odds: f"{odds >> 32}:{odds & 0xFFFFFFFF}", lines.without_odds),
        "clause": _clauses(lines, books),
        "reading": _by_value(lines.reading, reading_text, lines.reading == NOT),
        "basis": _words(("as_required", "as_dealt"), lines.basis),
        "reason": _texts(*reason_texts(settled, rows.cards)),
        "corrected": pa.array(lines.corrected),
    }
    return pa.table([made[each.name] for each in NARROW_SETTLEMENTS], schema=NARROW_SETTLEMENTS)


def _of_rounds(rounds: pa.Table, places: npt.NDArray[np.int32]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(places), rounds["round_id"].combine_chunks())


def _texts(letters: Letters, ends: npt.NDArray[np.int64]) -> pa.Array:
    """Texts that lie one after another, each up to its end."""
    offsets = np.concatenate([np.zeros(1, np.int32), ends.astype(np.int32)])
    size = int(offsets[-1])
    return pa.StringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(letters[:size]))


def _words(
    words: Sequence[str], numbers: npt.NDArray[Any], absent: npt.NDArray[np.bool_] | None = None
) -> pa.Array:
    places = pa.array(numbers.astype(np.int32, copy=False), mask=absent)
    return pa.DictionaryArray.from_arrays(places, pa.array(words, pa.string()))


def _money(thousandths: npt.NDArray[np.int64], absent: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """Thousandths as amounts."""
    validity = None if absent is None else pa.array(~absent).buffers()[1]
    return pa.Array.from_buffers(pa.decimal64(18, 3), len(thousandths), [validity, pa.py_buffer(thousandths)])


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
    found = numbered.indices
    if len(places) < len(made):
        found = pa.array(made, pa.int32()).take(found)
    return pa.DictionaryArray.from_arrays(found, pa.array(places, pa.string()))


def _recorded(results: int) -> str | None:
    """A result, or several that stand recorded for one stake, by their bits."""
    return " and ".join(sorted(word for number, word in enumerate(_RESULTS) if results >> number & 1))


def _clauses(lines: Lines, books: Sequence[Rulebook]) -> pa.Array:
    def text(key: int) -> str:
        clause, book = divmod(key, len(books))
        return clause_text(books[book], clause)

    return _by_value(lines.clause, text)
