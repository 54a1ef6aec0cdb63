"""A step of the compiler: places in arrays count from the start.

Python lets a place count from the end where it is negative, and compiled code asks at every
access which of the two is meant. No place in the kernel is negative (`NOT` is tested for before
anything is looked up by it), so here each becomes a number without a sign, of which that need
not be asked. With ``NUMBA_BOUNDSCHECK=1`` a place beyond the array, or a negative one, is an error.
"""

from __future__ import annotations

from typing import Any, cast

from numba.core import ir as numba_ir
from numba.core import types as numba_types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import mk_unique_var
from numba.core.typed_passes import NopythonRewrites

# numba leaves these without types.
ir: Any = numba_ir
types: Any = numba_types
_unique: Any = mk_unique_var
_registered: Any = register_pass(mutates_CFG=False, analysis_only=False)  # type: ignore[no-untyped-call]
_usual_steps: Any = DefaultPassBuilder


@_registered
class PlacesFromStart(FunctionPass):
    """Makes every place by which an array is read or written a number without a sign."""

    _name = "places_from_start"

    def __init__(self) -> None:
        cast(Any, super()).__init__()

    def run_pass(self, state: Any) -> bool:
        """Change the function at hand; True where there was anything to change."""
        changed = False
        for block in state.func_ir.blocks.values():
            body = []
            for statement in block.body:
                access = _access(statement)
                if access is not None and access in state.calltypes:
                    cast = _without_sign(state, access, block.scope)
                    if cast is not None:
                        body.append(cast)
                        changed = True
                body.append(statement)
            block.body = body
        return changed


def _access(statement: Any) -> Any:
    """The access to an array by a computed place in a statement; None where there is none."""
    if isinstance(statement, ir.SetItem):
        return statement
    value = getattr(statement, "value", None)
    return value if isinstance(value, ir.Expr) and value.op == "getitem" else None


def _without_sign(state: Any, access: Any, scope: Any) -> Any:
    """A statement that makes the place of an access a number without a sign, by which it is then made."""
    called = state.calltypes[access]
    array, place, *value = called.args
    unsigned = _unsigned(place)
    if not isinstance(array, types.Array) or unsigned is None:
        return None
    made = ir.Var(scope, _unique("$place"), access.loc)
    state.typemap[made.name] = unsigned
    cast = ir.Assign(ir.Expr.cast(access.index, access.loc), made, access.loc)
    state.func_ir._definitions[made.name].append(cast.value)
    del state.calltypes[access]
    access.index = made
    state.calltypes[access] = called.replace(args=(array, unsigned, *value))
    return cast


def _unsigned(place: Any) -> Any:
    """The type of a place, or of several, without a sign; None for what is no number, as a slice."""
    if isinstance(place, types.Integer):
        return types.uint64
    if isinstance(place, types.BaseTuple) and all(isinstance(each, types.Integer) for each in place):
        return types.UniTuple(types.uint64, len(place))
    return None


class Compiler(CompilerBase):
    """numba's compiler with that step."""

    def define_pipelines(self) -> list[Any]:
        """The steps to machine code, this one once all types are known."""
        steps = _usual_steps.define_nopython_pipeline(self.state)
        steps.add_pass_after(PlacesFromStart, NopythonRewrites)
        steps.finalize()
        return [steps]
