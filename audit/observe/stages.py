"""How long the stages of a run took. A stopwatch's figures go to metrics and never into a record."""

from __future__ import annotations

import time
from collections.abc import Callable


class Stages:
    """A stopwatch: each stage begins where the one before it ended, the first with the object."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since = clock()
        self.seconds: dict[str, float] = {}

    def done(self, stage: str) -> None:
        """A stage has ended; its seconds are added to what it took before."""
        until = self._clock()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + until - self._since
        self._since = until
