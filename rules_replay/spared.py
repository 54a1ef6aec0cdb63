"""Libraries that others look for, and that nobody here needs: looking would load them in every process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from typing import Any


class _Missing(MetaPathFinder):
    """Says of one module that it is not there."""

    def __init__(self, module: str) -> None:
        self._module = module

    def find_spec(self, name: str, *_: Any) -> None:
        """Nothing, which has the next finder look, or the error for a module that is not there."""
        if name == self._module:
            raise ModuleNotFoundError(f"{name} is not looked for here", name=name)


def leave_out(*modules: str) -> None:
    """Have modules appear to be missing in this process from now on, unless they are loaded already."""
    sys.meta_path[:0] = map(_Missing, modules)


@contextmanager
def unavailable(module: str) -> Iterator[None]:
    """Have a module appear to be missing meanwhile, unless it is loaded already."""
    missing = _Missing(module)
    sys.meta_path.insert(0, missing)
    try:
        yield
    finally:
        sys.meta_path.remove(missing)
