"""Ops of the `storage` dialect that see neighbouring dense levels of a tensor as one level, and the other way round."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, NoneAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from irtensor.core.storage_levels import Level
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.storage.storage_types import FormatAttr, format_of, number_attribute
from irtensor.dialects.support.assembly import Number
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation


def is_dense_level(level: Level) -> bool:
    """Whether a level stores all coordinates of one dimension, so that it can be one with its neighbours."""
    return level.format.properties.is_array and level.expression.form == "whole"


def merged_type(tensor: Attribute, first: int, count: int) -> TensorType[Attribute]:
    """The type of a tensor with `count` dense levels from the `first` merged into one, over the dimension of the first.

    Its extent is the product of theirs. The other dimensions keep their order.
    """
    assert isinstance(tensor, TensorType)
    format, shape = format_of(tensor), tensor.get_shape()
    merged = [level.expression.dimension for level in format.levels[first : first + count]]
    gone = set(merged[1:])
    kept = [dimension for dimension in range(format.rank) if dimension not in gone]
    extents = [shape[dimension] for dimension in merged]
    product = DYNAMIC_INDEX if DYNAMIC_INDEX in extents else prod(extents)
    sizes = [product if dimension == merged[0] else shape[dimension] for dimension in kept]
    encoding = tensor.encoding
    if not isinstance(encoding, NoneAttr):
        encoding = FormatAttr(_merged_format(format, first, count, kept))
    return TensorType(tensor.element_type, sizes, encoding)


def _merged_format(format: TensorFormat, first: int, count: int, kept: list[int]) -> TensorFormat:
    levels = (*format.levels[: first + 1], *format.levels[first + count :])
    number = {dimension: position for position, dimension in enumerate(kept)}
    renumbered = [
        replace(
            level,
            expression=replace(
                level.expression,
                dimension=number[level.expression.dimension],
                other=None if level.expression.other is None else number[level.expression.other],
            ),
        )
        for level in levels
    ]
    return replace(format, rank=len(kept), levels=tuple(renumbered), symmetric=())


def _verify(fine: SSAValue, coarse: SSAValue, first: int, count: int) -> None:
    levels = format_of(fine.type).levels
    if count < 2 or first + count > len(levels) or not all(map(is_dense_level, levels[first : first + count])):
        raise VerifyException(f"levels {first} to {first + count - 1} are not two or more dense levels")
    if coarse.type != (expected := merged_type(fine.type, first, count)):
        raise VerifyException(f"with {count} levels from level {first} as one it is {expected}, not {coarse.type}")


@define_operation
class MergeLevelsOp(IRDLOperation):
    """A tensor whose `count` dense levels from the `first` are one level, over their entries in storage order.

    It has the arrays of the tensor. Rule: the levels are dense, each over the whole of a dimension.
    """

    name = "storage.merge_levels"
    tensor = operand_def(TensorType)
    first = prop_def(IntegerAttr)
    count = prop_def(IntegerAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = (
        "$tensor `from` custom<Number>($first) `count` custom<Number>($count) `:` type($tensor) `->` type($result) "
        "attr-dict"
    )
    custom_directives = (Number,)

    @staticmethod
    def of(tensor: SSAValue, first: int, count: int) -> MergeLevelsOp:
        properties = {"first": number_attribute(first), "count": number_attribute(count)}
        return create_operation(MergeLevelsOp, (tensor,), (merged_type(tensor.type, first, count),), properties)

    def verify_(self) -> None:
        _verify(self.tensor, self.result, self.first.value.data, self.count.value.data)


@define_operation
class SplitLevelOp(IRDLOperation):
    """A tensor whose level `first` is the `count` dense levels that it was merged from: `merge_levels` undone.

    It has the arrays of the tensor. Rule: to merge the levels of the result gives the type of the tensor.
    """

    name = "storage.split_level"
    tensor = operand_def(TensorType)
    first = prop_def(IntegerAttr)
    count = prop_def(IntegerAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = MergeLevelsOp.assembly_format
    custom_directives = (Number,)

    @staticmethod
    def of(tensor: SSAValue, first: int, count: int, result: Attribute) -> SplitLevelOp:
        properties = {"first": number_attribute(first), "count": number_attribute(count)}
        return create_operation(SplitLevelOp, (tensor,), (result,), properties)

    def verify_(self) -> None:
        _verify(self.result, self.tensor, self.first.value.data, self.count.value.data)
