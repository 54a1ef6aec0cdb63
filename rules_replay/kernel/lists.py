"""Lists of texts in the order in which their texts first occur, which is found in one pass over the rows."""

from __future__ import annotations

import numpy as np

from rules_replay.kernel.compiled import entry
from rules_replay.kernel.records import Ints


def in_order(places: Ints, many: int) -> tuple[Ints, Ints]:
    """Places in a list of so many texts, as places in the list of those that occur, and where these stood.

    A place below 0 is that of no text, and becomes 0.
    """
    read = places.view()
    # numba compiles anew for arrays that may be written, which some that come here are and some are not.
    read.flags.writeable = False
    ordered = np.empty(len(places), np.int32)
    order = np.empty(many, np.int32)
    return ordered, order[: _number(read, np.full(many, -1, np.int32), ordered, order)]


@entry
def _number(places: Ints, numbers: Ints, ordered: Ints, order: Ints) -> int:
    """Number places as they occur; ``numbers`` has a negative number for each at first. Returns how many."""
    count = 0
    for row in range(len(places)):
        place = places[row]
        if place < 0:
            ordered[row] = 0
            continue
        number = numbers[place]
        if number < 0:
            number = count
            numbers[place] = number
            order[count] = place
            count += 1
        ordered[row] = number
    return count
