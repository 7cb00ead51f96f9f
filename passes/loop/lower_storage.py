"""`lower-storage`: tensors become the arrays and extents that they are passed as."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, IndexType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.dialects.argument_layout import Argument, tensor_arguments
from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.loop_types import buffer_type, growable_type
from irtensor.dialects.storage import (
    CoordinatesOp,
    DimOp,
    GrowableOp,
    PositionsOp,
    ResultOp,
    ValuesOp,
    array_element,
    format_of,
)
from irtensor.passes.pass_base import TensorPass

_index = IndexType()


@dataclass(frozen=True)
class LowerStoragePass(TensorPass):
    """Replace tensors in signatures by buffers and extents (dialects/argument_layout.py), results by further arguments.

    Before: `func @f(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64>` with `storage.positions %A, 1`
    After:  `func @f(%A_0: index, %A_1: index, %A_pos1: !loop.buffer<i64>, ..., %y_vals: !loop.buffer<f64>)`
    """

    name = "lower-storage"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if isinstance(function, FuncOp) and not function.is_declaration:
                _lower(function)


def _lower(function: FuncOp) -> None:
    block = function.body.block
    terminator = block.last_op
    assert isinstance(terminator, ReturnOp)
    arguments: dict[tuple[SSAValue, str, int], SSAValue] = {}
    tensors = [argument for argument in block.args if isinstance(argument.type, TensorType)]
    results = list(terminator.arguments)
    for result in results:
        if not isinstance(result.owner, ResultOp):
            raise UserError(
                "operand-returned",
                "a function returns a tensor that it does not define",
                op=terminator,
                help="return the result of index_notation.assign or concrete_index.compute",
            )
    for tensor, is_result in [*((t, False) for t in tensors), *((r, True) for r in results)]:
        for argument in tensor_arguments(format_of(tensor.type), is_result):
            value = block.insert_arg(_argument_type(tensor.type, argument), len(block.args))
            value.name_hint = _argument_name(tensor, argument)
            arguments[(tensor, argument.kind, argument.number)] = value
    for op in list(block.walk()):
        replacement = _replacement(op, arguments)
        if replacement is not None:
            op.results[0].replace_all_uses_with(replacement)
            op.detach()
            op.erase()
    terminator.operands = ()
    for result in results:
        assert isinstance(result.owner, Operation)
        result.owner.detach()
        result.owner.erase()
    for tensor in tensors:
        block.erase_arg(tensor)
    function.function_type = FunctionType.from_lists([argument.type for argument in block.args], [])
    function.arg_attrs = function.res_attrs = None


def _argument_type(tensor: Attribute, argument: Argument) -> Attribute:
    if argument.kind == "extent":
        return _index
    element = array_element(tensor, argument.kind)
    return growable_type(element) if argument.growable else buffer_type(element)


def _argument_name(tensor: SSAValue, argument: Argument) -> str:
    name = tensor.name_hint or "t"
    if argument.kind == "extent":
        return f"{name}_n{argument.number}"
    short = {"positions": "pos", "coordinates": "crd", "values": "vals"}[argument.kind]
    return f"{name}_{short}" if argument.kind == "values" else f"{name}_{short}{argument.number}"


def _replacement(op: Operation, arguments: dict[tuple[SSAValue, str, int], SSAValue]) -> SSAValue | None:
    match op:
        case DimOp():
            return arguments[(op.tensor, "extent", op.dimension.value.data)]
        case PositionsOp():
            return arguments[(op.tensor, "positions", op.level.value.data)]
        case CoordinatesOp():
            return arguments[(op.tensor, "coordinates", op.level.value.data)]
        case ValuesOp():
            return arguments[(op.tensor, "values", len(format_of(op.tensor.type).levels))]
        case GrowableOp():
            return arguments[(op.tensor, op.array.data, op.level.value.data)]
        case _:
            return None
