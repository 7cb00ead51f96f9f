"""Numbers that a function of IR takes, as tensors without dimensions, which is how kernels are passed numbers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from irtensor.dialects.algebra.scalar_types import ELEMENT_TYPES, element_name
from irtensor.dialects.concrete_index import concrete_index
from irtensor.dialects.index_notation import index_notation
from irtensor.dialects.support.expect import expect
from irtensor.passes.support.erase_unused import erase_unused
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import structured_functions


def read_scalar_arguments(module: ModuleOp) -> None:
    """Let functions with statements take tensors without dimensions in place of numbers; statements read their element.

    Expressions of a number outside of statements are computed inside of the statements that use them.
    """
    for function in structured_functions(module):
        statements = operations_in(function.body, index_notation.AssignOp, concrete_index.ComputeOp)
        block = function.body.block
        scalars = [argument for argument in block.args if _is_element(argument.type)]
        if not statements or not scalars:
            continue
        for scalar in scalars:
            _pass_as_tensor(block, scalar, statements)
        types = [argument.type for argument in block.args]
        function.function_type = FunctionType.from_lists(types, function.function_type.outputs.data)


def _is_element(type: Attribute) -> bool:
    return ELEMENT_TYPES.get(element_name(type)) == type


def _pass_as_tensor(block: Block, scalar: BlockArgument, statements: Sequence[Operation]) -> None:
    tensor = block.insert_arg(TensorType(scalar.type, []), scalar.index)
    tensor.name_hint = scalar.name_hint
    # Operations outside of statements that depend on the number, and the copies of them in statements.
    outside: list[Operation] = []
    waiting: list[tuple[SSAValue, Operation]] = [(scalar, use.operation) for use in list(scalar.uses)]
    while waiting:
        value, user = waiting.pop()
        statement = next((one for one in statements if one.is_ancestor(user)), None)
        if statement is not None:
            inside = _inside(value, scalar, tensor, user, statement)
            user.operands = [inside if operand is value else operand for operand in user.operands]
        elif user.results and not user.regions and user not in outside:
            outside.append(user)
            waiting += [(result, use.operation) for result in user.results for use in list(result.uses)]
    erase_unused(outside)
    if not scalar.uses.get_length():
        block.erase_arg(scalar)


def _inside(value: SSAValue, scalar: SSAValue, tensor: SSAValue, user: Operation, statement: Operation) -> SSAValue:
    """The value, computed in front of an operation in a statement."""
    assert user.parent is not None
    if value is scalar:
        is_notation = isinstance(statement, index_notation.AssignOp)
        access = index_notation.AccessOp(tensor, ()) if is_notation else concrete_index.AccessOp.of(tensor, ())
        access.location = user.location
        user.parent.insert_op_before(access, user)
        return access.result
    owner = value.owner
    if not isinstance(owner, Operation) or scalar not in _sources(value):
        return value
    operands = {operand: _inside(operand, scalar, tensor, user, statement) for operand in owner.operands}
    copy = owner.clone(operands)
    user.parent.insert_op_before(copy, user)
    return copy.results[expect(value, OpResult).index]


def _sources(value: SSAValue) -> set[SSAValue]:
    owner = value.owner
    operands = owner.operands if isinstance(owner, Operation) else ()
    return {value}.union(*map(_sources, operands))
