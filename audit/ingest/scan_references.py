"""What an event may refer to: wagers, hands and boxes that events before it in the round have made.

What it needs of them is noted once for each spelling; whether it can follow them is then told from
the notes in every line. Nowhere else does the scan know one kind of event from another.
"""

from __future__ import annotations

from typing import Any

from audit.ingest.columns import KINDS, WORDS
from audit.ingest.compiled import compiled, inlined
from audit.ingest.scan_format import FIELDS
from audit.ingest.scan_values import Bytes, Numbers

MOST_WAGERS, MOST_HANDS = 512, 128
"""More of them in one round than this is unusual."""

_COUNT_WAGERS, _COUNT_HANDS, BOXES = range(3)
"""What is kept of what the events made: how many wagers and hands, and a bit for each box with a hand 1."""
_LAST_BOX = 62
"""A box beyond it is unusual."""

_WAGER, _DEAL, _BURN, _VOID, _IRREGULARITY, _SETTLE, _SPLIT = (
    KINDS[each] for each in ("wager", "deal", "burn", "void", "irregularity", "settle", "split")
)
_NO_HAND = tuple(
    KINDS[each] for each in ("no_more_bets", "cut_card", "forfeit", "withdraw", "settle", "press")
)
_ID, _WAGER_FIELD, _ON, _BOX, _HAND, _TO, _KIND, _FROM, _SCOPE, _LINE, _RESULT, _PAID, _TAKEN, _REVERSES = (
    FIELDS.index(each)
    for each in (
        "id", "wager", "on", "box", "hand", "to", "kind", "from", "scope", "line", "result", "paid", "taken",
        "reverses",
    )
)  # fmt: skip
_ON_SOMETHING = tuple(WORDS["kind"].index(each) for each in ("split", "double", "insurance"))
_FROM_HAND = WORDS["from"].index("hand")
_STAKE = WORDS["line"].index("stake")
_SCOPE_HAND, _SCOPE_WAGER = (WORDS["scope"].index(each) for each in ("hand", "wager"))


_ASKED, _WAGER_AT, _WAGER_STOP, _ON_AT, _ON_STOP, _ITS_HAND, _NEW_HAND = range(7)
TEXT, SIZE, FORM, FORM_STOP, _ITS_BOX, _NEW_BOX = range(7, 13)
"""What is noted of the spelling of an event: bits of what it asks of the events before it, where its
wager stands and the one that it is on, its hand and the one that it makes; where it is among the
spellings, its size, and where it is in canonical form; the bit of the box whose hand 1 it asks for, and
of the box whose hand 1 it makes."""
NOTES = 16
"""Room for so many, which is what the processor reads at a time."""
_IS_PLACED, _REFERS, _IS_ON, _HAS_HAND, _SPLITS = (1 << bit for bit in range(5))


@inlined
def _has_wager(data: Bytes, start: int, stop: int, made: Numbers, froms: Numbers, tos: Numbers) -> bool:
    size = stop - start
    for each in range(made[_COUNT_WAGERS]):
        first = froms[each]
        if tos[each] - first == size:
            same = True
            for place in range(size):
                if data[first + place] != data[start + place]:
                    same = False
                    break
            if same:
                return True
    return False


@compiled
def _has_hand(hand: int, made: Numbers, hands: Numbers) -> bool:
    for each in range(made[_COUNT_HANDS]):  # noqa: SIM110 - numba compiles no generator here
        if hands[each] == hand:
            return True
    return False


@compiled
def _names_hand(kind: int, values: Numbers) -> bool:
    """Whether the hand of an event must have been made."""
    if kind in _NO_HAND:
        return False
    if kind == _BURN:
        return values[_FROM] == _FROM_HAND
    if kind == _VOID:
        return values[_SCOPE] == _SCOPE_HAND
    if kind == _IRREGULARITY:
        return values[_BOX] >= 0 and values[_HAND] >= 0
    return True


@compiled
def _makes_hand(kind: int) -> bool:
    """Whether an event makes hand 1 of its box: a wager placed there, a card dealt to it."""
    return kind in (_WAGER, _DEAL)


@inlined
def note_needs(kind: int, written: int, values: Numbers, froms: Numbers, tos: Numbers, notes: Any) -> bool:
    """Note what an event needs of those before it; false where it is unusual after any.

    ``values`` has the defaults by now. Compare `audit.ingest.wire.check_round`.
    """
    if written >> _REVERSES & 1:
        return False
    asked = 0
    notes[_ITS_BOX], notes[_NEW_BOX] = 0, 0
    if written >> _WAGER_FIELD & 1:
        asked |= _REFERS
        notes[_WAGER_AT], notes[_WAGER_STOP] = froms[_WAGER_FIELD], tos[_WAGER_FIELD]
    if written >> _ON & 1:
        asked |= _IS_ON
        notes[_ON_AT], notes[_ON_STOP] = froms[_ON], tos[_ON]
    if _names_hand(kind, values):
        if values[_BOX] < 0 or values[_HAND] < 0:
            return False
        if values[_BOX] > _LAST_BOX:
            return False
        if values[_HAND] != 1:
            asked |= _HAS_HAND
            notes[_ITS_HAND] = values[_BOX] * 100 + values[_HAND]
        elif _makes_hand(kind):
            notes[_NEW_BOX] = 1 << values[_BOX]
        elif kind != _IRREGULARITY:
            notes[_ITS_BOX] = 1 << values[_BOX]
    if kind == _WAGER:
        if values[_KIND] in _ON_SOMETHING and not written >> _ON & 1:
            return False
        asked |= _IS_PLACED
        notes[_WAGER_AT], notes[_WAGER_STOP] = froms[_ID], tos[_ID]
    elif kind == _SPLIT:
        if values[_TO] == 1:
            return False
        asked |= _SPLITS
        notes[_NEW_HAND] = values[_BOX] * 100 + values[_TO]
    elif kind == _SETTLE:
        if not (written >> _RESULT & 1 and written >> _PAID & 1):
            return False
        if values[_LINE] == _STAKE and not written >> _TAKEN & 1:
            return False
    elif kind == _VOID and values[_SCOPE] == _SCOPE_WAGER and not written >> _WAGER_FIELD & 1:
        return False
    notes[_ASKED] = asked
    return True


@inlined
def follows(
    data: Bytes, notes: Any, made: Numbers, wager_froms: Numbers, wager_tos: Numbers, hands: Numbers
) -> bool:
    """Whether an event can follow those before it; what it makes is added to what they made."""
    if notes[_ITS_BOX] & ~made[BOXES]:
        return False
    made[BOXES] |= notes[_NEW_BOX]
    asked = notes[_ASKED]
    if asked == 0:
        return True
    wager, wager_stop = notes[_WAGER_AT], notes[_WAGER_STOP]
    if asked & _REFERS and not _has_wager(data, wager, wager_stop, made, wager_froms, wager_tos):
        return False
    if asked & _IS_ON:
        if not _has_wager(data, notes[_ON_AT], notes[_ON_STOP], made, wager_froms, wager_tos):
            return False
    if asked & _HAS_HAND and not _has_hand(notes[_ITS_HAND], made, hands):
        return False
    if asked & _IS_PLACED:
        count = made[_COUNT_WAGERS]
        if count == MOST_WAGERS or _has_wager(data, wager, wager_stop, made, wager_froms, wager_tos):
            return False
        wager_froms[count], wager_tos[count] = wager, wager_stop
        made[_COUNT_WAGERS] = count + 1
    elif asked & _SPLITS:
        count = made[_COUNT_HANDS]
        if count == MOST_HANDS or _has_hand(notes[_NEW_HAND], made, hands):
            return False
        hands[count] = notes[_NEW_HAND]
        made[_COUNT_HANDS] = count + 1
    return True
