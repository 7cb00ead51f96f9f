"""`lower-storage`: tensors become the arrays and extents that they are passed as."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IndexType,
    StringAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

from irtensor.core.argument_layout import Argument, argument_name, tensor_arguments
from irtensor.core.diagnostics import UserError
from irtensor.dialects.loop import loop
from irtensor.dialects.loop.loop import DataOp, ReserveOp, ScratchOp
from irtensor.dialects.loop.loop_maps import LEVEL
from irtensor.dialects.loop.loop_types import BufferType, buffer_type, growable_type
from irtensor.dialects.storage.storage import (
    ArrayOp,
    DimOp,
    GrowableOp,
    IndexMapOp,
    IndexSetOp,
    ResultOp,
    ValuesOp,
    WorkspaceOp,
    array_element,
    format_of,
)
from irtensor.dialects.storage.storage_workspace import INDICES
from irtensor.dialects.support.create_operation import erase_operation, insert_operation, replace_value
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.loop.support.regrouped_tensors import add_regrouped, erase_regrouped, made_as
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass
from irtensor.passes.support.wrong_stage import wrong_stage

_index = IndexType()
_NO_FACTS = DictionaryAttr({})
# Attribute of a buffer argument: the numbers of the arguments that are its extents, the outermost first.
EXTENTS = "loop.extents"
# Attribute of a buffer argument that holds coordinates in order; several may be equal.
REPEATS = "loop.repeats"
_ArrayOp = DimOp | ArrayOp | ValuesOp | GrowableOp | IndexSetOp | IndexMapOp
_ARRAY_OPS: tuple[type[_ArrayOp], ...] = get_args(_ArrayOp)
_Arguments = dict[tuple[SSAValue, str, int], SSAValue]
_LOWER_FIBERS = "run lower-looplets and lower-iteration-lattice-to-loop before it"


class LowerStoragePass(TensorPass):
    """Replace tensors in signatures by buffers and extents (irtensor/core/argument_layout.py), results by arguments.

    Before: `func @f(%A: tensor<?x?xf64, #csr>) -> tensor<?xf64>` with `storage.array positions %A, 1`
    After:  `func @f(%A_0: index, %A_1: index, %A_pos1: !loop.buffer<i64>, ..., %y_vals: !loop.buffer<f64>)`
    The buffer of a dense tensor says in `loop.extents` which arguments are its extents. One that holds coordinates in
    order, where several may be equal, has the attribute `loop.repeats`.
    """

    name = "lower-storage"
    accepts = ("storage",)
    leaves = ("loop",)
    after = {
        "lower-iteration-lattice-to-loop": "a tensor becomes arrays when its entries are read and written by position",
    }

    def on_function(self, function: FuncOp) -> None:
        _lower(function)


def check_returned(terminator: ReturnOp) -> None:
    """Raise UserError for a function that returns what it was given, or a tensor twice."""
    results = terminator.arguments
    for number, result in enumerate(results):
        if isinstance(result.owner, Block):
            message = f"the function returns '{name_of(result)}', which it does not compute"
            help = "return the result of index_notation.assign or concrete_index.compute, which may copy it"
            raise UserError("operand-returned", message, op=terminator, help=help)
        if result in results[:number]:
            message = f"the function returns '{name_of(result)}' twice, and a tensor is stored once"
            raise UserError("unsupported-function", message, op=terminator, help="return it once")


def _lower(function: FuncOp) -> None:
    block = function.body.block
    if not _has_tensors(function):
        return
    terminator = block.last_op
    if not isinstance(terminator, ReturnOp):
        raise wrong_stage(terminator or function, LowerStoragePass.name, help="end the function in func.return")
    tensors = [argument for argument in block.args if isinstance(argument.type, TensorType)]
    check_returned(terminator)
    returned = [*terminator.arguments]
    results = [made_as(result) for result in returned]
    arguments = _add_arguments(block, tensors, returned)
    add_regrouped(block, arguments)
    workspaces = [op.result for op in operations_of(block) if type(op) is WorkspaceOp]
    for op in operations_in(block, WorkspaceOp, *_ARRAY_OPS):
        if isinstance(op, WorkspaceOp):
            _allocate(op, arguments)
        else:
            replace_value(op.results[0], _replacement(op, arguments))
            erase_operation(op)
    terminator.operands = ()
    erase_regrouped(block, LowerStoragePass.name, _LOWER_FIBERS)
    for use in [use for tensor in (*tensors, *workspaces, *results) for use in tensor.uses]:
        raise wrong_stage(use.operation, LowerStoragePass.name, help=_LOWER_FIBERS)
    for made in (*workspaces, *results):
        assert isinstance(made.owner, Operation)
        erase_operation(made.owner)
    for tensor in tensors:
        block.erase_arg(tensor)
    function.function_type = FunctionType.from_lists([argument.type for argument in block.args], [])
    function.arg_attrs = function.res_attrs = None
    _record_facts(function, arguments, returned)


def _add_arguments(block: Block, tensors: list[BlockArgument], results: Sequence[SSAValue]) -> _Arguments:
    """Append the arrays and extents of operands, then of results, to the arguments of a function."""
    for made in map(made_as, results):
        if not isinstance(made.owner, ResultOp):
            assert isinstance(made.owner, Operation)
            raise wrong_stage(made.owner, LowerStoragePass.name)
    arguments: _Arguments = {}
    for tensor, is_result in [*((t, False) for t in tensors), *((r, True) for r in results)]:
        made = made_as(tensor).owner
        purpose = made.kernel_purpose if isinstance(made, ResultOp) else "fused"
        for argument in tensor_arguments(format_of(tensor.type), is_result, purpose):
            value = block.insert_arg(_argument_type(tensor.type, argument), len(block.args))
            value.name_hint = argument_name(tensor.name_hint or "t", argument)
            arguments[(tensor, argument.role, argument.number)] = value
    return arguments


def _has_tensors(function: FuncOp) -> bool:
    type = function.function_type
    if any(isinstance(one, TensorType) for one in (*type.inputs.data, *type.outputs.data)):
        return True
    return bool(operations_in(function.body, ResultOp, WorkspaceOp, *_ARRAY_OPS))


def _record_facts(function: FuncOp, arguments: _Arguments, returned: Sequence[SSAValue]) -> None:
    """Note which arguments are the extents of a dense tensor, and which hold coordinates that repeat: loops alone do
    not tell."""
    attributes = [_NO_FACTS] * len(function.body.block.args)
    noted = False
    for (tensor, role, number), values in arguments.items():
        format = format_of(tensor.type)
        if role == "coordinates" and isinstance(tensor, BlockArgument):
            level = format.levels[number].format
            if level.ordered and not level.unique:
                attributes[function.body.block.args.index(values)] = DictionaryAttr({REPEATS: UnitAttr()})
                noted = True
        # A tensor with other dimensions than the one that is passed has computed extents.
        is_passed = isinstance(tensor, BlockArgument) or tensor in returned
        if role == "values" and is_passed and format.is_dense and not format.is_blocked and format.levels:
            extents = [arguments[(tensor, "extent", level.expression.dimension)] for level in format.levels]
            numbers = DenseArrayBase.from_list(i64, [function.body.block.args.index(extent) for extent in extents])
            attributes[function.body.block.args.index(values)] = DictionaryAttr({EXTENTS: numbers})
            noted = True
    function.arg_attrs = ArrayAttr(attributes) if noted else None


def _allocate(workspace: WorkspaceOp, arguments: _Arguments) -> None:
    """Make the arrays of a workspace where it is defined: as large as its extents ask for, empty below a map."""
    block, tensor = Block(), workspace.result
    emit = Emitter(block)
    format = format_of(tensor.type)
    for dimension, extent in enumerate(workspace.extents):
        arguments[(tensor, "extent", dimension)] = extent
    size: SSAValue | None = emit.index(1)
    for number, level in enumerate(format.levels):
        properties = level.format.properties
        if properties.workspace == "map":
            made = emit.insert(loop.IndexMapOp.of())
            made.attributes.update(_level_of_map(workspace, number))
            arguments[(tensor, "map", number)] = made.map
            size = None
        elif size is not None:
            size = emit.saturated_product(size, workspace.extents[level.expression.dimension])
        if properties.workspace == "set":
            assert size is not None
            arguments[(tensor, "set", number)] = emit.insert(loop.IndexSetOp.of(size)).set
        for array in properties.arrays:
            arguments[(tensor, array.name, number)] = _memory(
                array_element(tensor.type, array.name, number), size, emit
            )
    element = array_element(tensor.type, "values")
    arguments[(tensor, "values", len(format.levels))] = _memory(element, size, emit)
    parent = workspace.parent
    assert parent is not None
    for op in operations_of(block):
        op.detach()
        if op.results:
            op.results[0].name_hint = op.results[0].name_hint or tensor.name_hint
        parent.insert_op_before(op, workspace)


def _level_of_map(workspace: WorkspaceOp, number: int) -> dict[str, Attribute]:
    """What a map is, for people, if it is known which indices the levels of the workspace are over."""
    indices = workspace.attributes.get(INDICES)
    if not isinstance(indices, ArrayAttr):
        return {}
    index = indices.data[number]
    assert isinstance(index, StringAttr)
    return {LEVEL: StringAttr(f"level {number} of '{name_of(workspace.result)}' (over {index.data})")}


def _memory(element: Attribute, size: SSAValue | None, emit: Emitter) -> SSAValue:
    """Memory of the function's own for so many elements, or that grows; its element 0 can be read."""
    growable = emit.insert(ScratchOp.of(element)).growable
    if size is None:
        return growable
    emit.insert(ReserveOp.of(growable, emit.max(size, emit.index(1))))
    return emit.insert(DataOp.of(growable)).buffer


def _present_storage(growable: SSAValue, op: Operation) -> SSAValue:
    """The buffer of an array that grows, as it is where an operation asks for it."""
    data = DataOp.of(growable)
    insert_operation(data, op)
    return data.buffer


def _argument_type(tensor: Attribute, argument: Argument) -> Attribute:
    if argument.role == "extent":
        return _index
    element = array_element(tensor, argument.role, argument.number)
    return growable_type(element) if argument.growable else buffer_type(element)


def _replacement(op: _ArrayOp, arguments: _Arguments) -> SSAValue:
    """The argument that an operation asks for."""
    match op:
        case DimOp():
            role, number = "extent", op.dimension.value.data
        case ValuesOp():
            role, number = "values", len(format_of(op.tensor.type).levels)
        case ArrayOp() | GrowableOp():
            role, number = op.array.data, op.level.value.data
        case IndexSetOp():
            role, number = "set", op.level.value.data
        case IndexMapOp():
            role, number = "map", op.level.value.data
    argument = arguments.get((op.tensor, role, number))
    if argument is None:
        message = f"the tensor of '{op.name}' is neither an argument nor returned"
        raise wrong_stage(op, LowerStoragePass.name, message, "pass the tensor, or return it")
    if isinstance(argument.owner, ScratchOp) and isinstance(op.results[0].type, BufferType):
        return _present_storage(argument, op)
    if argument.type != op.results[0].type:
        message = f"the function is given this array as {argument.type}, not {op.results[0].type}"
        help = "storage.growable, and nothing else, reaches arrays of a result whose length is not known beforehand"
        raise wrong_stage(op, LowerStoragePass.name, message, help)
    return argument
