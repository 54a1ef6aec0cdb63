"""The one door to numba: functions compiled to machine code and kept on disk for the next run."""

from __future__ import annotations

import hashlib
import importlib
import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import types as numba_types

from rules_replay.kernel.kept import cache_folder
from rules_replay.kernel.places import Compiler
from rules_replay.spared import unavailable

F = TypeVar("F", bound=Callable[..., Any])

# numba's own types leave some of its options out.
_njit: Any = numba.njit
_named_tuples: Any = numba_types.NamedTuple
_unliteral: Any = numba_types.unliteral
_whole: Any = numba_types.Integer


# numba looks there for the product of matrices, which nothing here asks for; looking takes longer than
# loading the kernel.
with unavailable("scipy.linalg"):
    importlib.import_module("numba.np.arraymath")


def _symbol(kind: Any) -> tuple[str, tuple[()]]:
    """What a kind of named tuple is called within the names of compiled functions."""
    return f"{kind.instance_class.__name__}.{hashlib.sha256(kind.name.encode()).hexdigest()[:16]}", ()


# By itself numba spells out every field of every record in the tuple, 15 kB in each of nine hundred names:
# all but a hundredth of what it keeps, loads and holds of a function.
_named_tuples.mangling_args = property(_symbol)

if "NUMBA_CACHE_DIR" not in os.environ:
    numba.config.CACHE_DIR = str(cache_folder())  # type: ignore[attr-defined]


# Division cannot fail, since no odds are under nothing; and records are addresses, which nobody counts.
_OPTIONS: Any = {
    "cache": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,
    "pipeline_class": Compiler,
}


def _once(dispatcher: Any) -> Any:
    """The function taking whole numbers as the widest alone.

    By itself numba compiles it anew for every width of a number and for each that is written out where it is
    called, such as the code of a check: half of all that there was to compile.
    """
    if not numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        as_given = dispatcher.get_call_template

        def widened(args: Any, kws: Any) -> Any:
            return as_given(tuple(map(_wide, args)), {name: _wide(each) for name, each in kws.items()})

        dispatcher.get_call_template = widened
    return dispatcher


def _wide(kind: Any) -> Any:
    plain = _unliteral(kind)
    return numba_types.int64 if isinstance(plain, _whole) and plain.signed else plain


def compiled(function: F) -> F:
    """The function compiled, to be called by other compiled functions only.

    It cannot be called from Python, which halves the time that it takes to compile.
    """
    return cast(F, _once(_njit(no_cpython_wrapper=True, **_OPTIONS)(function)))


def inlined(function: F) -> F:
    """The function compiled into the one place that calls it, which spares the call.

    Not for large ones: of more values than it has registers for, a compiler keeps most in memory.
    """
    return cast(F, _once(_njit(no_cpython_wrapper=True, forceinline=True, **_OPTIONS)(function)))


def entry(function: F) -> F:
    """The function compiled, to be called from Python; it releases the interpreter's lock while it runs."""
    return cast(F, _njit(nogil=True, **_OPTIONS)(function))
