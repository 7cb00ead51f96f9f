"""Ops of the `loop` dialect on vectors with only the first lanes in use."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import VectorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.traits import MemoryReadEffect, Pure
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.loop.loop_types import INDEX, BufferType
from irtensor.dialects.loop.memory_op import MemoryOp, Spelling, buffer_type_of, index_type, same_type
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation


def _numbers_type(value: Attribute) -> Attribute:
    return VectorType(i64, value.shape) if isinstance(value, VectorType) else i64


class LanesOp(MemoryOp):
    """An op whose result is a vector. Its last operand says how many of the first lanes are in use."""

    def verify_(self) -> None:
        if not isinstance(self.results[0].type, VectorType):
            raise VerifyException(f"{self.name} gives a vector, not {self.results[0].type}")
        super().verify_()


@define_operation
class LoadLanesOp(LanesOp):
    """The consecutive elements from an index on, in the first `count` lanes, in all of them if there are no more. Other
    lanes are zero, and nothing is read for them."""

    name = "loop.load_lanes"
    SPELLING: ClassVar[Spelling] = Spelling(
        "%[%], %", (buffer_type_of, index_type, index_type), same_type, vectors=True
    )
    buffer = operand_def(BufferType)
    index = operand_def(INDEX)
    count = operand_def(INDEX)
    value = result_def()
    traits = traits_def(MemoryReadEffect())

    @staticmethod
    def of(buffer: SSAValue, index: SSAValue, count: SSAValue, type: Attribute) -> LoadLanesOp:
        return create_operation(LoadLanesOp, (buffer, index, count), (type,))


@define_operation
class GatherOp(LanesOp):
    """The elements that a vector of numbers counts, in the first `count` lanes. Other lanes are zero, and nothing is
    read for them."""

    name = "loop.gather"
    SPELLING: ClassVar[Spelling] = Spelling(
        "%[%], %", (buffer_type_of, _numbers_type, index_type), same_type, vectors=True
    )
    buffer = operand_def(BufferType)
    numbers = operand_def()
    count = operand_def(INDEX)
    value = result_def()
    traits = traits_def(MemoryReadEffect())

    @staticmethod
    def of(buffer: SSAValue, numbers: SSAValue, count: SSAValue, type: Attribute) -> GatherOp:
        return create_operation(GatherOp, (buffer, numbers, count), (type,))


@define_operation
class SelectLanesOp(LanesOp):
    """The first `count` lanes of one vector, all of them if there are no more, and the other lanes of another one."""

    name = "loop.select_lanes"
    SPELLING: ClassVar[Spelling] = Spelling("%, %, %", (same_type, same_type, index_type), same_type, vectors=True)
    first = operand_def()
    other = operand_def()
    count = operand_def(INDEX)
    value = result_def()
    traits = traits_def(Pure())

    @staticmethod
    def of(first: SSAValue, other: SSAValue, count: SSAValue) -> SelectLanesOp:
        return create_operation(SelectLanesOp, (first, other, count), (first.type,))
