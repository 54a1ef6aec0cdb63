"""Libraries that others look for, and that nobody here needs: looking would load them in every process."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from typing import Any


class _Missing(MetaPathFinder):
    """Says of one module that it is not there."""

    def __init__(self, module: str) -> None:
        self._module = module

    def find_spec(self, name: str, *_: Any) -> None:
        """Nothing, which has the next finder look, or the error for a module that is not there."""
        if name == self._module:
            raise ModuleNotFoundError(f"{name} is not looked for here", name=name)


class _Later(MetaPathFinder):
    """Finds some modules that are loaded only as something of them is asked for."""

    def __init__(self, modules: tuple[str, ...]) -> None:
        self._modules = modules

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        """Where such a module lies; nothing of any other."""
        spec = PathFinder.find_spec(name, path, target) if name in self._modules else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def leave_out(*modules: str) -> None:
    """Have modules appear to be missing in this process from now on, unless they are loaded already."""
    sys.meta_path[:0] = map(_Missing, modules)


def unavailable(module: str) -> AbstractContextManager[None]:
    """Have a module appear to be missing meanwhile, unless it is loaded already."""
    return _looked_for_by(_Missing(module))


def later(*modules: str) -> AbstractContextManager[None]:
    """Have modules that are imported meanwhile loaded only once something of them is asked for."""
    return _looked_for_by(_Later(modules))


@contextmanager
def _looked_for_by(finder: MetaPathFinder) -> Iterator[None]:
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
