"""Evaluates `index_notation` definitions coordinate by coordinate over dense arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from reference.interpret_scalars import combine, evaluate_scalar, identity_of
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.index_notation.affine import AffineOp
from irtensor.dialects.index_notation.bounded import ClampOp, IsInsideOp, WrapOp
from irtensor.dialects.index_notation.index_notation import AccessOp, AssignOp, ReduceOp


def interpret_index_notation(module: ModuleOp, operands: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Call the module's first function with the dense meaning of its operands; gives that of its results."""
    function = next(op for op in module.body.block.ops if isinstance(op, FuncOp))
    tensors: dict[SSAValue, np.ndarray] = dict(zip(function.body.block.args, operands, strict=True))
    for op in function.body.block.ops:
        if isinstance(op, AssignOp):
            tensors[op.result] = _define(op, tensors)
        elif isinstance(op, ReturnOp):
            return [tensors[value] for value in op.arguments]
    raise AssertionError("a function ends in func.return")


def _define(definition: AssignOp, tensors: Mapping[SSAValue, np.ndarray]) -> np.ndarray:
    extents = _extents(definition, tensors)
    shape = tuple(extents[index] for index in definition.indices)
    result = np.zeros(shape, object)
    for coordinates in product(*map(range, shape)):
        bound = dict(zip(definition.indices, coordinates, strict=True))
        if definition.condition is not None and not _value(definition.condition, bound, extents, tensors):
            continue
        result[coordinates] = _value(definition.value, bound, extents, tensors)
    return result


def _extents(definition: AssignOp, tensors: Mapping[SSAValue, np.ndarray]) -> dict[SSAValue, int]:
    """The extent of every index variable, from the dimensions that it indexes."""
    extents: dict[SSAValue, int] = {}
    for op in definition.walk():
        if isinstance(op, AccessOp):
            for index, extent in zip(op.indices, tensors[op.tensor].shape, strict=True):
                if isinstance(index.owner, Operation):
                    continue  # a coordinate that is computed
                assert extents.setdefault(index, extent) == extent, "the extents of an index variable differ"
    return extents


def _coordinate(index: SSAValue, bound: Mapping[SSAValue, int], extents: Mapping[SSAValue, int], tensors: Any) -> int:
    """A variable, or a coordinate that is computed."""
    match op := index.owner:
        case AffineOp():
            parts = [factor * int(_value(term, bound, extents, tensors)) for term, factor in op.summands]
            return (sum(parts) + op.offset.value.data) // op.divisor.value.data
        case ClampOp():
            last = tensors[op.tensor].shape[op.dimension.value.data] - 1
            return max(0, min(_coordinate(op.coordinate, bound, extents, tensors), last))
        case WrapOp():
            extent = tensors[op.tensor].shape[op.dimension.value.data]
            return _coordinate(op.coordinate, bound, extents, tensors) % extent
        case _:
            return bound[index]


def _value(value: SSAValue, bound: Mapping[SSAValue, int], extents: Mapping[SSAValue, int], tensors: Any) -> Any:
    op = value.owner
    match op:
        case AccessOp():
            coordinates = [_coordinate(index, bound, extents, tensors) for index in op.indices]
            assert all(0 <= one < extent for one, extent in zip(coordinates, tensors[op.tensor].shape, strict=True))
            return tensors[op.tensor][tuple(coordinates)]
        case Block() | AffineOp() | ClampOp() | WrapOp():
            return _coordinate(value, bound, extents, tensors)
        case IsInsideOp():
            extent = tensors[op.tensor].shape[op.dimension.value.data]
            return 0 <= _coordinate(op.coordinate, bound, extents, tensors) < extent
        case ReduceOp():
            total = identity_of(op.operator, op.result.type, op)
            for coordinates in product(*(range(extents[index]) for index in op.indices)):
                inner = {**bound, **dict(zip(op.indices, coordinates, strict=True))}
                if op.condition is not None and not _value(op.condition, inner, extents, tensors):
                    continue
                total = combine(op.operator, total, _value(op.value, inner, extents, tensors), op.result.type, op)
            return total
        case _:
            return evaluate_scalar(op, {operand: _value(operand, bound, extents, tensors) for operand in op.operands})


def scalars_of(array: np.ndarray) -> np.ndarray:
    """An array of Python numbers, which the interpreters compute with."""
    return np.array(array.tolist(), object).reshape(array.shape)
