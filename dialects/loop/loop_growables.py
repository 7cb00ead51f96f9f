"""Ops of the `loop` dialect that make room in growables, and say how much of it is in use."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.traits import HasParent, MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.loop.loop_parallel import ParallelOp
from irtensor.dialects.loop.loop_types import INDEX, BufferType, GrowableType, buffer_type, growable_type, held_type
from irtensor.dialects.loop.memory_op import MemoryOp, Spelling, buffer_type_of, growable_type_of, index_type
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation

# Attribute of scratches: each element is 0, as all of its bytes are, until something is stored to it.
ZEROED = "zeroed"


@define_operation
class ScratchOp(MemoryOp):
    """A growable of the function's own: empty at first, and given back when the function ends.

    At the top of a parallel loop, each iteration has one of its own. With the attribute `zeroed`, elements are 0 until
    something is stored to them; to make room a second time loses stored elements.
    """

    name = "loop.scratch"
    SPELLING: ClassVar[Spelling] = Spelling("", (), growable_type_of)
    growable = result_def(GrowableType)
    # Beside loops and branches, so that there is one per call or iteration.
    traits = traits_def(MemoryAllocEffect(), HasParent(FuncOp, ParallelOp))

    @staticmethod
    def of(element: Attribute) -> ScratchOp:
        return create_operation(ScratchOp, (), (growable_type(element),))


@define_operation
class PartOfOp(MemoryOp):
    """What part `number` of a divided loop appends to: part 0 to the caller's growable itself, others to their own.

    A result that is joined from parts is thus made without moving the first. Rule: the growable is an argument. The
    caller passes the slots of all growables in a row, and as many again for each further part that there may be.
    """

    name = "loop.part_of"
    SPELLING: ClassVar[Spelling] = Spelling("%[%]", (growable_type_of, index_type), growable_type_of)
    whole = operand_def(GrowableType)
    number = operand_def(INDEX)
    part = result_def(GrowableType)
    traits = traits_def(MemoryReadEffect())

    @staticmethod
    def of(whole: SSAValue, number: SSAValue) -> PartOfOp:
        return create_operation(PartOfOp, (whole, number), (whole.type,))

    def verify_(self) -> None:
        super().verify_()
        owner = self.whole.owner
        if not isinstance(owner, Block) or not isinstance(owner.parent_op(), FuncOp):
            raise VerifyException("only a growable of the caller has parts")


@define_operation
class ReserveOp(MemoryOp):
    """Make room for at least `count` elements, keeping the contents; on failure the function ends with status 1."""

    name = "loop.reserve"
    SPELLING: ClassVar[Spelling] = Spelling("%, %", (growable_type_of, index_type))
    growable = operand_def(GrowableType)
    count = operand_def(INDEX)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @staticmethod
    def of(growable: SSAValue, count: SSAValue) -> ReserveOp:
        return create_operation(ReserveOp, (growable, count))


@define_operation
class DataOp(MemoryOp):
    """The present storage of a growable; not valid after the next `loop.reserve` on it."""

    name = "loop.data"
    SPELLING: ClassVar[Spelling] = Spelling("%", (growable_type_of,), buffer_type_of)
    growable = operand_def(GrowableType)
    buffer = result_def(BufferType)
    traits = traits_def(MemoryReadEffect())

    @staticmethod
    def of(growable: SSAValue) -> DataOp:
        return create_operation(DataOp, (growable,), (buffer_type(held_type(growable)),))


@define_operation
class SetSizeOp(MemoryOp):
    """Record how many elements of a growable are in use."""

    name = "loop.set_size"
    SPELLING: ClassVar[Spelling] = Spelling("%, %", (growable_type_of, index_type))
    growable = operand_def(GrowableType)
    size = operand_def(INDEX)
    traits = traits_def(MemoryWriteEffect())

    @staticmethod
    def of(growable: SSAValue, size: SSAValue) -> SetSizeOp:
        return create_operation(SetSizeOp, (growable, size))


@define_operation
class CapacityOp(MemoryOp):
    """How many elements a growable has room for."""

    name = "loop.capacity"
    SPELLING: ClassVar[Spelling] = Spelling("%", (growable_type_of,), index_type)
    growable = operand_def(GrowableType)
    capacity = result_def(INDEX)
    traits = traits_def(MemoryReadEffect())

    @staticmethod
    def of(growable: SSAValue) -> CapacityOp:
        return create_operation(CapacityOp, (growable,), (INDEX,))
