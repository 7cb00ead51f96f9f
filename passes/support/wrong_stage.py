"""The error of a pass that meets an operation of another stage."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from irtensor.core.diagnostics import UserError
from irtensor.dialects.loop.loop_maps import IndexMapType
from irtensor.dialects.loop.loop_sets import IndexSetType
from irtensor.dialects.loop.loop_types import CellType
from irtensor.passes.support.operations_in import everything_in
from irtensor.passes.support.pass_order import lowered_by

# Operations of the loop dialect that are replaced by simpler ones of it, and by which pass.
LOWERED_EARLIER = {
    **{f"loop.{name}": "lower-assembly" for name in ("counter", "count", "append", "close", "assembled")},
    "loop.accumulate": "lower-algebra-to-arith",
}
_OWN: dict[type[Attribute], str] = {CellType: "a cell", IndexSetType: "an index set", IndexMapType: "an index map"}


def wrong_stage(op: Operation, name: str, message: str | None = None, help: str | None = None) -> UserError:
    """`op` cannot be there when the pass `name` runs; `message` says more than that the pass does not know it."""
    operation = op.op_name.data if isinstance(op, UnregisteredOp) else op.name
    if help is None:
        earlier = LOWERED_EARLIER.get(operation) or " and ".join(lowered_by(operation.partition(".")[0]))
        help = f"run {earlier} before {name}" if earlier not in ("", name) else "remove it, or lower it by other means"
    return UserError("wrong-stage", message or f"{name} cannot lower '{operation}'", op=op, help=help)


def refuse_own_memory(function: FuncOp, name: str) -> None:
    """Raise UserError for an argument that only the function itself could make: a cell, a set or a map."""
    for argument in function.body.block.args:
        described = _OWN.get(type(argument.type))
        if described is not None:
            raise wrong_stage(function, name, f"{described} cannot be an argument: it ends with its function")


def refuse_left(module: ModuleOp, dialect: str, name: str) -> None:
    """Raise UserError for an operation of `dialect` that the pass `name` has not reached, wherever it stands."""
    for op in everything_in(module):
        if op.name.partition(".")[0] == dialect:
            help = "write it into the body of a func.func without branches, and into nothing else"
            raise wrong_stage(op, name, f"{name} cannot lower '{op.name}' here", help)
