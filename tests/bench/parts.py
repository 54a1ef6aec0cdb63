"""Where the processor time of a replay goes, part by part, without a profiler to slow it down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import reduce, wraps
from importlib import import_module
from time import process_time
from typing import Any
from unittest.mock import patch

PARTS = {
    "reading rounds and events from Parquet": ("audit.rows:_Part.read_on",),
    "their words and names to numbers": ("rules_replay.fast.replay:FastReplay.encoded",),
    "the kernel": ("rules_replay.fast.replay:FastReplay.judge",),
    "its records to columns": (
        "rules_replay.fast.replay:hand_columns",
        "rules_replay.fast.replay:settlement_columns",
    ),
    "telling findings and comparing a sample": ("rules_replay.fast.replay:FastReplay._tell",),
    "columns to row groups": ("audit.partitions:narrow",),
    "writing four tables as Parquet": ("audit.staging:Writing.add", "audit.staging:Writing.staged"),
    "counting and keeping aside for the report": ("audit.behind:Behind.add", "audit.behind:Behind.finish"),
    "counting for the validation": ("audit.partitions:census_of", "expectations.quick:Evidence.add"),
}
"""The functions of each part, as ``module:name``."""


class Stopwatch:
    """Processor seconds by part; what is spent in a part within a part counts for the inner one."""

    def __init__(self) -> None:
        self.spent: defaultdict[str, float] = defaultdict(float)
        self._within: list[str] = []
        self._since = 0.0

    def timed(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, its time counted for a part."""

        @wraps(function)
        def timed(*arguments: Any, **named: Any) -> Any:
            self._lap()
            self._within.append(part)
            try:
                return function(*arguments, **named)
            finally:
                self._lap()
                self._within.pop()

        return timed

    def _lap(self) -> None:
        now = process_time()
        if self._within:
            self.spent[self._within[-1]] += now - self._since
        self._since = now

    @contextmanager
    def watching(self, parts: dict[str, tuple[str, ...]]) -> Iterator[None]:
        """Time the functions of some parts as long as this lasts."""
        with ExitStack() as stack:
            for part, names in parts.items():
                for name in names:
                    module, _, path = name.partition(":")
                    *outer, last = path.split(".")
                    holder = reduce(getattr, outer, import_module(module))
                    timed = self.timed(part, getattr(holder, last))
                    stack.enter_context(patch.object(holder, last, timed))
            yield
