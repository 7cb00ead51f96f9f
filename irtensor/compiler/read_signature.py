"""Reads off a function's IR how its kernel is called: which operands it takes converted, where extents come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.compiler.check_bounds import OPERATIONS, BoundExtent, Extent
from irtensor.compiler.kernel_signature import KernelSignature, PassedTensor
from irtensor.dialects.concrete_index import AccessOp, AssignOp, ComputeOp, LetOp, WhereOp
from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.index_ranges import BoundOp, ExtentOp
from irtensor.dialects.scalar_types import element_name
from irtensor.dialects.storage import format_of
from irtensor.frontend.element_types import ELEMENT_NAMES
from irtensor.frontend.kernel_request import KERNEL_NAME
from irtensor.frontend.requested_format import check_storable
from irtensor.passes.analysis.iteration_graph import name_of, stores_into
from irtensor.passes.concrete_index.insert_conversions import converted_operands
from irtensor.passes.emit import constant_index
from irtensor.passes.loop.lower_storage import operand_returned
from irtensor.passes.operations_in import operations_in

_DTYPES = {name: dtype for dtype, name in ELEMENT_NAMES.items()}


def kernel_function(module: ModuleOp, name: str = KERNEL_NAME) -> FuncOp:
    """The function of this name."""
    return next(op for op in module.body.block.ops if isinstance(op, FuncOp) and op.sym_name.data == name)


def read_signature(function: FuncOp, names: Sequence[str], extents: Sequence[tuple[int, int]]) -> KernelSignature:
    """The signature of a function in the concrete_index stage; `names` are those of its operands.

    Raises UserError [unsupported-function] unless it returns one tensor that it defines, from tensors.
    """
    sources = converted_operands(function)
    passed = tuple(_passed(argument.type, n, sources[n]) for n, argument in enumerate(function.body.block.args))
    result = computed_result(function).result.type
    format = format_of(result)
    is_plain = format.is_row_major and format.fill is None
    dtype = _DTYPES[element_name(_element(result))]
    bounds = tuple(_bounds(function, passed, extents))
    return KernelSignature(tuple(names), passed, dtype, None if is_plain else format, tuple(extents), bounds=bounds)


def _bounds(
    function: FuncOp, passed: Sequence[PassedTensor], extents: Sequence[tuple[int, int]]
) -> Iterator[BoundExtent]:
    """What a schedule says of extents, and where they come from."""
    arguments: list[SSAValue] = list(function.body.block.args)

    def extent(value: SSAValue) -> Extent:
        match op := value.owner:
            case ExtentOp(tensor=tensor, dimension=dimension) if tensor in arguments:
                return "dim", passed[arguments.index(tensor)].operand, dimension.value.data
            case ExtentOp():  # of the result
                return "dim", *extents[op.dimension.value.data]
            case BoundOp():
                return extent(op.extent)
            case arith.ConstantOp():
                return constant_index(value)
            case Operation() if (operation := op.name.rpartition(".")[2]) in OPERATIONS:
                parts = [extent(operand) for operand in op.operands]
                return None if None in parts else (operation, *parts)
            case _:
                return None

    for bound in operations_in(function, BoundOp):
        yield BoundExtent(bound.index_name, bound.kind.data, bound.number.value.data, extent(bound.extent))


def computed_result(function: FuncOp) -> ComputeOp:
    """What a function computes. Raises UserError [unsupported-function] or [bad-format]."""
    for argument in function.body.block.args:
        if not isinstance(argument.type, TensorType):
            raise _unsupported(f"argument '{argument.name_hint}' of @{function.sym_name.data} is no tensor", function)
        check_storable(format_of(argument.type))
    terminator = function.body.block.last_op
    results = terminator.arguments if isinstance(terminator, ReturnOp) else ()
    if isinstance(terminator, ReturnOp) and len(results) == 1 and results[0] in function.body.block.args:
        raise operand_returned(terminator, results[0])
    if len(results) != 1 or not isinstance(compute := results[0].owner, ComputeOp):
        raise _unsupported(f"@{function.sym_name.data} does not return one tensor that it computes", function)
    check_storable(format_of(compute.result.type))
    return compute


def argument_dtypes(function: FuncOp) -> list[np.dtype]:
    """The dtypes of a function's tensors."""
    return [_DTYPES[element_name(_element(argument.type))] for argument in function.body.block.args]


def _unsupported(message: str, function: FuncOp) -> UserError:
    help = "a kernel takes tensors and returns one tensor computed by index_notation.assign or concrete_index.compute"
    return UserError("unsupported-function", message, op=function, help=help)


def _element(type: Attribute) -> Attribute:
    assert isinstance(type, TensorType)
    return type.element_type


def _passed(type: Attribute, number: int, source: int | None) -> PassedTensor:
    format = format_of(type)
    chosen = None if format.is_row_major and format.fill is None else format
    if source is None:
        return PassedTensor(number, format.rank, chosen)
    return PassedTensor(source, format.rank, chosen, converted=True)


def index_ranges(function: FuncOp) -> tuple[list[list[tuple[int, int]]], list[tuple[int, int]]]:
    """Which dimensions of a function's arguments share an index variable, and those that the result's extents are.

    Both as (argument, dimension); the function is as `concretize` or a schedule leaves it. Raises UserError
    [unknown-extent].
    """
    compute = computed_result(function)
    arguments: list[SSAValue] = list(function.body.block.args)
    ranges: dict[SSAValue, list[tuple[int, int]]] = {}
    for access in compute.walk():
        if isinstance(access, AccessOp) and access.tensor in arguments:
            for dimension, index in enumerate(access.indices):
                ranges.setdefault(_resolved(index), []).append((arguments.index(access.tensor), dimension))
        elif isinstance(access, AccessOp) and (stored := _stored(access)) is not None:
            for index, source in zip(access.indices, stored.indices, strict=True):
                ranges.setdefault(_resolved(index), []).extend(ranges.get(_resolved(source), []))
    result = compute.body.block.args[0]
    for assign in compute.walk():
        if isinstance(assign, AssignOp) and assign.tensor is result:
            indices = [_resolved(index) for index in assign.indices]
            unknown = [name_of(index) for index in indices if index not in ranges]
            if unknown:
                message = f"index {unknown[0]} of the result is in no operand, so its extent is unknown"
                help = f"use {unknown[0]} in an access of an argument of the function"
                raise UserError("unknown-extent", message, op=assign, help=help)
            return list(ranges.values()), [ranges[index][0] for index in indices]
    raise UserError("undefined-variable", "the result is never assigned to", op=compute, help="assign to it")


def _stored(access: AccessOp) -> AssignOp | None:
    """What stores the temporary that an access reads."""
    where = access.tensor.owner.parent_op() if isinstance(access.tensor.owner, Block) else None
    if not isinstance(where, WhereOp):
        return None
    return next(stores_into(where.producer.block, where.producer.block.args[0]), None)


def _resolved(index: SSAValue) -> SSAValue:
    """The variable itself behind a `let`."""
    while isinstance(index.owner, Block) and isinstance(binder := index.owner.parent_op(), LetOp):
        index = binder.coordinate
    return index
