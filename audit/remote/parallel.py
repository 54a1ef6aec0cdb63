"""Many requests at once: most of the time of each is spent waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Final, TypeVar

from audit.progress import Advance

Item = TypeVar("Item")
Result = TypeVar("Result")

AT_ONCE: Final = 16
"""Requests under way at a time."""


def each_of(
    doing: Callable[[Item], Result], items: Iterable[Item], advance: Advance = lambda done: None
) -> dict[Item, Result]:
    """What came of each item. On the first error those not yet begun are left."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        begun = {pool.submit(doing, item): item for item in items}
        try:
            results = {}
            for done, future in enumerate(as_completed(begun), 1):
                results[begun[future]] = future.result()
                advance(done)
            return results
        finally:
            pool.shutdown(cancel_futures=True)
