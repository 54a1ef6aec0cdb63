"""The kernel as plain Python in which a place is an error that what it is looked up in does not have.

Compiled, a place counts from the start and nobody asks whether it is there. Uncompiled, Python asks, but
counts a negative one from the end. So the sources are changed as they are loaded: in every function that
would be compiled, each ``a[place]`` is looked up by `looked_up`, or written through `Written`.

Run as a module without the compiler, it judges rounds of the rulebooks named by the kernel so loaded, and
says of each how many, and how many places in the source are watched:
``NUMBA_DISABLE_JIT=1 python -m tests.kernel.watched act-2018``.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

import numpy as np

KERNEL = "rules_replay.kernel."
COMPILED = frozenset({"compiled", "inlined", "entry"})
NUMBERS = (int, np.int64)
"""What most places are: so many are looked up that these are not taken apart first."""


def _check(values: Any, place: Any) -> None:
    if isinstance(place, slice):
        return
    sizes = getattr(values, "shape", None) or (len(values),)
    for at, size in zip(place if isinstance(place, tuple) else (place,), sizes, strict=False):
        if not 0 <= at < size:
            raise IndexError(f"place {place} of {sizes}")


def looked_up(values: Any, place: Any) -> Any:
    """What is at a place, or at one of each of several dimensions. Raises ``IndexError`` where it is not."""
    if not (place.__class__ in NUMBERS and 0 <= place < len(values)):
        _check(values, place)
    return values[place]


class Written:
    """Values of which those at a place are written, and read before where they are added to."""

    def __init__(self, values: Any) -> None:
        self._values = values

    def __getitem__(self, place: Any) -> Any:
        return looked_up(self._values, place)

    def __setitem__(self, place: Any, value: Any) -> None:
        if not (place.__class__ in NUMBERS and 0 <= place < len(self._values)):
            _check(self._values, place)
        self._values[place] = value


class _Watching(ast.NodeTransformer):
    """Changes the functions that are compiled. ``places`` counts what is looked up or written in them."""

    def __init__(self) -> None:
        self.places = 0
        self._within = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        names = {each.id for each in node.decorator_list if isinstance(each, ast.Name)}
        if not COMPILED & names:
            return node
        node.body = [self._body(each) for each in node.body]
        return node

    def _body(self, statement: ast.stmt) -> ast.stmt:
        self._within = True
        found: ast.stmt = self.visit(statement)
        self._within = False
        return found

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not self._within:
            return node
        self.places += 1
        if isinstance(node.ctx, ast.Load):
            return ast.Call(ast.Name("__looked_up__", ast.Load()), [node.value, node.slice], [])
        node.value = ast.Call(ast.Name("__written__", ast.Load()), [node.value], [])
        return node


class Loader(SourceFileLoader):
    """Loads a module of the kernel from its source, changed. ``places`` counts those watched in all."""

    places = 0

    def get_code(self, fullname: str) -> CodeType:
        source = self.get_data(self.path)
        watching = _Watching()
        tree = ast.fix_missing_locations(watching.visit(ast.parse(source)))
        Loader.places += watching.places
        return compile(tree, self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(__looked_up__=looked_up, __written__=Written)
        super().exec_module(module)


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target) if fullname.startswith(KERNEL) else None
        if spec is not None and spec.origin is not None:
            spec.loader = Loader(fullname, spec.origin)
        return spec


FAULTY, RECKLESS, OTHERWISE = 15, 25, 2
"""Rounds of each rulebook, and of each kind the rounds that are judged under every other reading."""


def watch() -> None:
    """Have the modules of the kernel, none of which may be loaded yet, loaded so that places are watched."""
    assert not [name for name in sys.modules if name.startswith(KERNEL)]
    sys.meta_path.insert(0, _Finder())


def judged(rulebook: str) -> int:
    """Judge rounds of a rulebook by the kernel that is loaded, and read its results; returns how many."""
    from rules_replay.auditor import Auditor
    from rules_replay.fast import FastReplay
    from rules_replay.fast.columns import hand_columns, settlement_columns
    from rules_replay.kernel.batch import HANDS, SETTLEMENTS
    from tests.kernel.parity import register_for, tables
    from tests.kernel.rounds import faulty_rounds, reckless_rounds

    count = 0
    for dealt in (list(faulty_rounds(rulebook, 2, FAULTY)), list(reckless_rounds(rulebook, 7, RECKLESS))):
        fast = FastReplay(
            Auditor(register_for(rulebook, dealt[0].venue)), dealt[0].venue, lambda some, its: []
        )
        fast.follow(*tables(dealt[:10]))
        rounds, events = tables(dealt)
        log = fast.encoded(rounds, events)
        found = fast.judge(log)
        hand_columns(found.rows, found.count(HANDS), rounds)
        settlement_columns(found.rows, found.count(SETTLEMENTS), log, rounds, fast._books)
        told = np.flatnonzero(found.rows.told)
        for number in told[:: max(len(told) // OTHERWISE, 1)]:
            fast._read_otherwise(found, int(number))
        count += len(found.rows.ends)
    return count


if __name__ == "__main__":
    watch()
    for name in sys.argv[1:]:
        print(name, judged(name), Loader.places)
