"""Makes the signature of a kernel from the IR of its function: which operands are converted first, and where extents
come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.compiler.compilation.kernel_signature import KernelSignature, PassedTensor, ResultTensor
from irtensor.compiler.kernel.check_bounds import OPERATIONS, BoundExtent, Extent
from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, LetOp, WhereOp
from irtensor.dialects.concrete_index.index_ranges import BoundOp, ExtentOp
from irtensor.dialects.storage.static_extents import static_extents
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.constant_index import constant_index
from irtensor.frontend.element_types import dtype_named
from irtensor.frontend.kernel_request import KERNEL_NAME
from irtensor.frontend.requested_format import check_storable
from irtensor.late_imports import load_for
from irtensor.passes.analysis.iteration_graph import name_of, stores_into
from irtensor.passes.analysis.temporaries import coordinate_of
from irtensor.passes.loop.lower_storage import check_returned
from irtensor.passes.repairs.insert_conversions import (
    converted_operands,
    is_pattern_of_operand,
    is_stored_part_of_operand,
)
from irtensor.passes.support.operations_in import operations_in

# Operands and dimensions that have an extent.
_Sources = Sequence[tuple[int, int]]


def kernel_function(module: ModuleOp, name: str = KERNEL_NAME) -> FuncOp:
    """The function of this name."""
    return next(op for op in module.body.block.ops if isinstance(op, FuncOp) and op.sym_name.data == name)


def read_signature(function: FuncOp, names: Sequence[str], extents: Sequence[_Sources]) -> KernelSignature:
    """The signature of a function in the concrete_index stage; `names` are those of its operands.

    `extents` has the operand and dimension for every dimension of each result.
    Raises UserError [unsupported-function] unless it takes tensors and returns some that it defines, and
    [level-has-no-storage] for a tensor whose arrays nothing here makes.
    """
    passed = tuple(_passed(function, number, source) for number, source in enumerate(converted_operands(function)))
    computed = computed_results(function)
    results = tuple(_written(one.result.type, its) for one, its in zip(computed, extents, strict=True))
    for tensor in passed:
        _check_stored(tensor.format, names[tensor.operand])
    for one, tensor in zip(computed, results, strict=True):
        _check_stored(tensor.format, one.result.name_hint or "result")
    targets = dict[SSAValue, ResultTensor]()
    for one, result in zip(computed, results, strict=True):
        targets[one.target] = result
    return KernelSignature(tuple(names), passed, results, bounds=tuple(_bounds(function, passed, targets)))


def _check_stored(format: TensorFormat | None, name: str) -> None:
    if format is not None:
        # Loaded with the first tensor that is sparse.
        load_for("tensors")
        from irtensor.storage.stored_levels import check_stored

        check_stored(format, name)


def _bounds(
    function: FuncOp, passed: Sequence[PassedTensor], targets: Mapping[SSAValue, ResultTensor]
) -> Iterator[BoundExtent]:
    """What a schedule says of extents, and where they come from; `targets` are the results where they are written."""
    arguments: list[SSAValue] = list(function.body.block.args)

    def extent(value: SSAValue) -> Extent:
        match op := value.owner:
            case ExtentOp(tensor=tensor, dimension=dimension) if tensor in arguments:
                return "dim", passed[arguments.index(tensor)].operand, dimension.value.data
            case ExtentOp(tensor=tensor, dimension=dimension):
                target = tensor.owner.target if isinstance(tensor.owner, ComputeOp) else tensor
                return "dim", *targets[target].extents[dimension.value.data]
            case BoundOp():
                return extent(op.extent)
            case arith.ConstantOp():
                return constant_index(value)
            case arith.SelectOp():
                # A product of extents, unless it is beyond all numbers.
                return extent(op.operands[1])
            case Operation() if (operation := op.name.rpartition(".")[2]) in OPERATIONS:
                parts = [extent(operand) for operand in op.operands]
                return None if None in parts else (operation, *parts)
            case _:
                return None

    for bound in operations_in(function, BoundOp):
        yield BoundExtent(bound.index_name, bound.kind.data, bound.number.value.data, extent(bound.extent))


def computed_results(function: FuncOp) -> list[ComputeOp]:
    """What a function computes and returns. Raises UserError [unsupported-function] or [bad-format]."""
    for argument in function.body.block.args:
        if not isinstance(argument.type, TensorType):
            message = f"argument '{argument.name_hint}' of @{function.sym_name.data} is not a tensor"
            raise _unsupported(message, function)
        check_storable(format_of(argument.type))
    terminator = function.body.block.last_op
    results = terminator.arguments if isinstance(terminator, ReturnOp) else ()
    if not results:
        raise _unsupported(f"@{function.sym_name.data} returns no tensor", function)
    assert isinstance(terminator, ReturnOp)
    check_returned(terminator)
    found: list[ComputeOp] = []
    for result in results:
        if not isinstance(compute := result.owner, ComputeOp):
            message = f"@{function.sym_name.data} returns '{name_of(result)}', which is not a tensor that it computes"
            raise _unsupported(message, function)
        check_storable(format_of(compute.result.type))
        found.append(compute)
    return found


def argument_dtypes(function: FuncOp) -> list[np.dtype]:
    """The dtypes of a function's tensors."""
    return [dtype_named(element_name(_element(argument.type))) for argument in function.body.block.args]


def _unsupported(message: str, function: FuncOp) -> UserError:
    help = "a kernel takes tensors and returns tensors computed by index_notation.assign or concrete_index.compute"
    return UserError("unsupported-function", message, op=function, help=help)


def _element(type: Attribute) -> Attribute:
    assert isinstance(type, TensorType)
    return type.element_type


def _written(type: Attribute, extents: _Sources) -> ResultTensor:
    return ResultTensor(dtype_named(element_name(_element(type))), _stored_format(type), tuple(extents))


def _passed(function: FuncOp, number: int, source: int | None) -> PassedTensor:
    type = function.body.block.args[number].type
    return PassedTensor(
        number if source is None else source,
        format_of(type).rank,
        _stored_format(type),
        converted=source is not None,
        is_pattern=is_pattern_of_operand(function, number),
        is_stored_part=is_stored_part_of_operand(function, number),
    )


def _stored_format(type: Attribute) -> TensorFormat | None:
    """The format of a tensor that is not passed as a plain array."""
    format = format_of(type)
    return None if format.is_row_major and format.fill is None else format


class IndexRanges(NamedTuple):
    """What the index variables of a function range over, each as (argument, dimension).

    `shared` has the dimensions that share a variable, `results` those that give each result its extents, `definitions`
    those of each variable by the definition that binds it. `stated` has the extents that types state, each with what
    it is said of and the argument and dimension that has to have it. `extents` has those of all tensors.
    """

    shared: list[_Sources]
    results: list[_Sources]
    definitions: dict[ComputeOp, dict[SSAValue, list[tuple[int, int]]]]
    stated: list[StatedExtent]
    extents: Mapping[SSAValue, Sequence[_Sources]]


class StatedExtent(NamedTuple):
    """What a type states, of a dimension with the extent of `source`, an argument and a dimension of it."""

    dimension: int
    tensor: str
    extent: int
    source: tuple[int, int]


def index_ranges(function: FuncOp) -> IndexRanges:
    """The ranges of a function as `concretize` or a schedule leaves it. Raises UserError [unknown-extent]."""
    results = computed_results(function)
    sources: dict[SSAValue, list[_Sources]] = {
        argument: [[(number, dimension)] for dimension in range(format_of(argument.type).rank)]
        for number, argument in enumerate(function.body.block.args)
    }
    definitions: dict[ComputeOp, dict[SSAValue, list[tuple[int, int]]]] = {}
    # A statement may read the results of those before it.
    for compute in operations_in(function, ComputeOp):
        ranges = definitions[compute] = dict[SSAValue, list[tuple[int, int]]]()
        for access in operations_in(compute, AccessOp):
            if access.tensor in sources:
                read = sources[access.tensor]
                if len(access.indices) != len(read):
                    continue  # by level, where the parts of a blocked dimension have loops of their own
            elif (stored := _stored(access)) is not None:
                read = [ranges.get(_resolved(index), []) for index in stored.indices]
            else:
                continue
            for index, its in zip(access.indices, read, strict=True):
                ranges.setdefault(_resolved(index), []).extend(its)
        sources[compute.result] = [its[:1] for its in _target_ranges(compute, ranges)]
    shared: list[_Sources] = [its for ranges in definitions.values() for its in ranges.values() if its]
    stated = [
        StatedExtent(dimension, name_of(tensor), extent, its[dimension][0])
        for tensor, its in sources.items()
        for dimension, extent in static_extents(tensor.type)
    ]
    of_results: list[_Sources] = [[its[0] for its in sources[one.result]] for one in results]
    return IndexRanges(shared, of_results, definitions, stated, sources)


def _target_ranges(compute: ComputeOp, ranges: Mapping[SSAValue, list[tuple[int, int]]]) -> list[_Sources]:
    """Where the extents of a result come from, by the variables of an assignment to it."""
    result = compute.body.block.args[0]
    for assign in operations_in(compute, AssignOp):
        if assign.tensor is result:
            indices = [_resolved(index) for index in assign.indices]
            if unknown := [name_of(index) for index in indices if not ranges.get(index)]:
                message = f"index {unknown[0]} of the result is in no operand, so its extent is unknown"
                help = f"use {unknown[0]} in an access of an argument of the function"
                raise UserError("unknown-extent", message, op=assign, help=help)
            return [ranges[index] for index in indices]
    raise UserError("undefined-variable", "the result is never assigned to", op=compute, help="assign to it")


def _stored(access: AccessOp) -> AssignOp | None:
    """What stores the temporary that an access reads."""
    where = access.tensor.owner.parent_op() if isinstance(access.tensor.owner, Block) else None
    if not isinstance(where, WhereOp):
        return None
    return next(stores_into(where.producer.block, where.producer.block.args[0]), None)


def _resolved(index: SSAValue) -> SSAValue:
    """The variable itself behind a `let`; that of the coordinate at an offset in a block."""
    while isinstance(index.owner, Block) and isinstance(binder := index.owner.parent_op(), LetOp):
        coordinate = coordinate_of(index)
        index = binder.coordinate if coordinate is index else coordinate
    return index
