"""The pass `lower-algebra-to-arith`: scalar operators as upstream arith, math and complex operations."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr, f32
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.core.arithmetic import COMPLEX, FLOAT
from irtensor.core.diagnostics import UserError
from irtensor.dialects.algebra.algebra import (
    ApplyOp,
    CastOp,
    ConstantOp,
    OperatorOp,
    YieldOp,
    find_declaration,
    operator_of,
)
from irtensor.dialects.algebra.order_of_sums import may_reassociate
from irtensor.dialects.loop.loop import AccumulateOp
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.passes.loop.support.accumulations import lower_accumulation
from irtensor.passes.loop.support.code_arithmetic import CodeArithmetic
from irtensor.passes.loop.support.register_types import use_types_of_registers
from irtensor.passes.loop.support.scalar_conversion import convert
from irtensor.passes.loop.support.scalar_emitter import NO_FLAGS, Emit, kind_of
from irtensor.passes.loop.support.stored_floats import STORED_FLOATS
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass
from irtensor.passes.support.wrong_stage import wrong_stage

_CONTRACT = FastMathFlag.ALLOW_CONTRACT
_CONTRACTED = FastMathFlagsAttr((_CONTRACT,))
_REGROUPED = (StringAttr("add"), StringAttr("mul"))
_REASSOCIATED = FastMathFlagsAttr((FastMathFlag.REASSOC,))
# Operators that give an argument as it is.
_MOVES = ("where", "first", "second", "identity", "stored")
_SCALAR = frozenset((ApplyOp, CastOp, ConstantOp))


def _apply_built_in(
    emit: Emit, name: str, arguments: Sequence[SSAValue], flags: FastMathFlagsAttr, op: ApplyOp
) -> SSAValue:
    definition = operator_of(op).definitions.get(kind_of(arguments[-1].type))
    if definition is None:
        raise UserError(
            "unsupported-operator",
            f"operator '{name}' is not defined for elements of type {arguments[-1].type}",
            op=op,
            help="convert the operands first, as NumPy does for this operator",
        )
    stored = [argument.type for argument in arguments if isinstance(argument.type, STORED_FLOATS)]
    if not stored or name in _MOVES:
        return definition(CodeArithmetic(emit, flags), *arguments)
    # Of floats that are stored only: as it would be of what they are read as, and stored.
    read = [convert(emit, argument, f32) if argument.type in stored else argument for argument in arguments]
    return convert(emit, definition(CodeArithmetic(emit, flags), *read), op.result.type)


def _combining(declaration: OperatorOp) -> Operation | None:
    """What combines the first argument in the body of an operator whose applications may be regrouped.

    What else is in the body belongs to one application: it is computed as it is written.
    """
    block = declaration.body.block
    last = block.last_op
    if declaration.associative is None or declaration.commutative is None or last is None:
        return None
    op = last.operands[0].owner
    is_float = kind_of(last.operands[0].type) in (FLOAT, COMPLEX)
    if not is_float or not isinstance(op, ApplyOp) or op.operator not in _REGROUPED:
        return None
    return op if block.args[0] in op.operands else None


def _apply_operator(emit: Emit, op: ApplyOp, arguments: Sequence[SSAValue], depth: int) -> SSAValue:
    """Inline the body of a user's operator."""
    name = op.operator
    assert isinstance(name, SymbolRefAttr)
    declaration = find_declaration(name, op)
    if depth > 100:
        message = f"operator @{name.root_reference.data} applies itself, so expanding its body has no end"
        help = "compute its result from its arguments with other operators"
        raise UserError("recursive-operator", message, op=op, help=help)
    if declaration.has_regions:
        message = f"@{name.root_reference.data} computes by which operands are stored, which is not known here"
        raise wrong_stage(op, LowerAlgebraToArithPass.name, message, "run expand-regions on index notation")
    block = declaration.body.block
    known: dict[SSAValue, SSAValue] = dict(zip(block.args, arguments, strict=True))
    combining = _combining(declaration) if may_reassociate(op.fastmath) else None
    for inner in block.ops:
        operands = [known[operand] for operand in inner.operands]
        if isinstance(inner, YieldOp):
            return operands[0]
        value = known[inner.results[0]] = lower_scalar(emit, inner, operands, depth + 1)
        if inner is combining:
            assert isinstance(value.owner, Operation)
            value.owner.properties["fastmath"] = _REASSOCIATED
    raise AssertionError("an operator's body ends in algebra.yield")


def lower_scalar(emit: Emit, op: Operation, operands: Sequence[SSAValue], depth: int = 0) -> SSAValue:
    """Add what one operation of the algebra dialect computes from `operands`, and return its value."""
    if isinstance(op, ApplyOp):
        if isinstance(op.operator, StringAttr):
            return _apply_built_in(emit, op.operator.data, operands, op.fastmath or NO_FLAGS, op)
        return _apply_operator(emit, op, operands, depth)
    if isinstance(op, CastOp):
        return convert(emit, operands[0], op.result.type)
    assert isinstance(op, ConstantOp), op.name
    scalar: complex | float | int = op.scalar
    type: Attribute = op.result.type
    return emit.constant(scalar, type)


def _contract_products(operands: Sequence[SSAValue]) -> None:
    """Let products join the addition that they feed: both must allow it for a fused multiply-add."""
    for operand in operands:
        owner = operand.owner
        if isinstance(owner, arith.MulfOp) and not owner.fastmath.data:
            owner.properties["fastmath"] = _CONTRACTED


def _lower_block(block: Block) -> None:
    op = block.first_op
    while op is not None:
        if type(op) is AccumulateOp:
            op = lower_accumulation(op, always=False)
        following = op.next_op
        if type(op) in _SCALAR:
            value = lower_scalar(Emit(block, op), op, op.operands)
            if isinstance(op, ApplyOp) and op.fastmath is not None and _CONTRACT in op.fastmath.data:
                _contract_products(op.operands)
            result = op.results[0]
            if value.name_hint is None:
                value.name_hint = result.name_hint
            result.replace_all_uses_with(value)
            block.erase_op(op)
        elif op.regions and type(op) is not OperatorOp:
            for region in op.regions:
                for inner in region.blocks:
                    _lower_block(inner)
        op = following


class LowerAlgebraToArithPass(TensorPass):
    """Compute scalar operators with upstream operations, with NumPy's results; inline the user's operators.

    A product may be contracted with the addition that it feeds, if that one may be. Of a user's operator that is
    associative and commutative, and applied with leave to reassociate, what adds to the first argument or multiplies it
    may be reassociated.

    Integers without a sign become plain ones, as LLVM has them: from here on operations say how they are read. So do
    f16 and bf16, which are read to f32 and rounded from it by operations on their bits, alike on all processors.
    """

    name = "lower-algebra-to-arith"
    accepts = ("algebra",)
    leaves = ("loop",)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # Of nested modules as well. They are what others are written in until all is done.
        operators = operations_in(op, OperatorOp)
        _lower_block(op.body.block)
        use_types_of_registers(op)
        for operator in operators:
            erase_operation(operator)
