"""How the workspace of a precomputed expression is stored: dense, or as a set of what is stored."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, SSAValue

from irtensor.dialects.algebra import ApplyOp, CastOp, ConstantOp, element_name, identity_of, operator_of
from irtensor.dialects.concrete_index import AccessOp, AssignOp, ForallOp
from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.operators import Scalar, convert, same_value
from irtensor.dialects.storage import FormatAttr, fill_of, format_of
from irtensor.dialects.tensor_format import LevelFormat, TensorFormat
from irtensor.passes.analysis.iteration_graph import name_of


def workspace_format(
    assign: AssignOp, value: SSAValue, over: Sequence[SSAValue], asked: str | None
) -> FormatAttr | None:
    """The format of a workspace for a value over some index variables; None for a dense one with fill 0.

    What the loops over sparse operands do not visit has to read as what would have been stored there: the identity of
    the assignment's operator, or the value that the operands' fills give.
    """
    fills = [fill_along(value, variable) for variable in over]
    fill = next((found for found in fills if found is not None), None)
    if assign.operator is not None:
        fill = identity_of(assign.operator, assign, value.type)
    if asked is not None:
        format = _requested(asked, fill, over, assign)
    elif not over:
        return None
    else:
        sparse = [found is not None or _has_range(v) for found, v in zip(fills, over, strict=True)]
        # A set of coordinates serves where all that is below a coordinate is stored, a map where only some is.
        kind = "map" if any(sparse[1:]) else "accumulator"
        format = TensorFormat.of([LevelFormat(kind if found else "dense") for found in sparse], fill=fill)
    return None if format.is_row_major and format.fill is None else FormatAttr(format)


def _requested(text: str, fill: Scalar | None, over: Sequence[SSAValue], assign: AssignOp) -> TensorFormat:
    format = TensorFormat.parse(text)
    names = ", ".join(map(name_of, over)) or "no variables"
    if format.rank != len(over):
        message = f"precompute: the format '{text}' has rank {format.rank}, the workspace is over {names}"
        raise UserError("illegal-precompute", message, op=assign, help="give one level for each variable")
    for number, level in enumerate(format.levels):
        text = f"level {number} ({format.level_text(number)})"
        properties, help = level.format.properties, "store it dense, or as an accumulator or a map"
        if not properties.inserts:
            message = f"precompute: {text} of the workspace is only appended to, and it is written in any order"
            raise UserError("illegal-precompute", message, op=assign, help=help)
        if not (properties.full or properties.workspace_only):
            message = f"precompute: {text} of the workspace cannot say what it stores without going through all of it"
            raise UserError("illegal-precompute", message, op=assign, help=help)
    return format if format.fill is not None else format.with_fill(fill)


def _has_range(variable: SSAValue) -> bool:
    """Whether the loop over a variable visits a part of its coordinates: emptying a dense workspace would cost all."""
    loop = variable.owner.parent_op() if isinstance(variable.owner, Block) else None
    return isinstance(loop, ForallOp) and bool(loop.operands)


def fill_along(value: SSAValue, variable: SSAValue) -> Scalar | None:
    """What a value is wherever no operand has an entry for a coordinate of the variable; None if that takes data."""
    op = value.owner
    match op:
        case ConstantOp():
            return op.scalar
        case AccessOp():
            return fill_of(op.tensor.type) if _is_sparse_along(op, variable) else None
        case CastOp():
            inner = fill_along(op.operand, variable)
            return None if inner is None else convert(inner, element_name(op.result.type))
        case ApplyOp():
            return _fill_of_application(op, variable)
        case _:
            return None


def _is_sparse_along(access: AccessOp, variable: SSAValue) -> bool:
    format = format_of(access.tensor.type)
    dimensions = [number for number, index in enumerate(access.indices) if index is variable]
    return any(not level.format.properties.full for level in format.levels if level.expression.dimension in dimensions)


def _fill_of_application(op: ApplyOp, variable: SSAValue) -> Scalar | None:
    operator = operator_of(op)
    fills = [fill_along(argument, variable) for argument in op.arguments]
    if all(fill is not None for fill in fills):
        return convert(operator.evaluate(*fills), element_name(op.result.type))
    if operator.arity != 2:
        return None
    element = element_name(op.arguments[0].type)
    sided = zip(fills, (operator.left_annihilator(element), operator.right_annihilator(element)), strict=True)
    for fill, annihilators in sided:
        if fill is not None and any(same_value(fill, zero) for zero in annihilators):
            return convert(fill, element_name(op.result.type))
    return None
