"""What a statement computes where some of its operands have no entry."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.ir import Operation, SSAValue

from irtensor.dialects.algebra import ApplyOp, ConstantOp, element_name, operator_of
from irtensor.dialects.concrete_index import AccessOp, AssignOp, ForallOp
from irtensor.dialects.operators import Constant, Scalar, fold
from irtensor.dialects.storage import fill_of
from irtensor.passes.analysis.iteration_graph import accesses_in


def stores_out_of(loop: ForallOp) -> list[AssignOp]:
    """The assignments of a loop's body but those to temporaries inside it."""
    stores = [access for access in accesses_in(loop.body.block) if isinstance(access, AssignOp)]
    return [store for store in stores if not _is_inside(store.tensor, loop)]


def _is_inside(value: SSAValue, op: Operation) -> bool:
    owner = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    return owner is not None and op.is_ancestor(owner)


def value_without(value: SSAValue, absent: Collection[AccessOp | AssignOp]) -> Scalar | None:
    """The value of an expression where some accesses give the fill values of their tensors, if that decides it."""
    match value.owner:
        case AccessOp() as access:
            return fill_of(access.tensor.type) if access in absent else None  # pyright: ignore[reportArgumentType]
        case ConstantOp() as constant:
            return constant.scalar
        case ApplyOp() as apply:
            known = [value_without(argument, absent) for argument in apply.arguments]
            if all(one is None for one in known):
                return None
            folded = fold(operator_of(apply), known, [element_name(one.type) for one in apply.arguments])
            if isinstance(folded, Constant):
                return folded.value
            return None if folded is None or folded.operator is not None else known[folded.index]
        case _:
            return None
