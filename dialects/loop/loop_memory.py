"""Ops of the `loop` dialect that read and write cells and buffers."""

from __future__ import annotations

from typing import ClassVar, Self

from xdsl.dialects.builtin import IntegerAttr, i1, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, operand_def, prop_def, result_def, traits_def
from xdsl.traits import MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.loop.buffer_uses import may_write
from irtensor.dialects.loop.loop_types import INDEX, BufferType, CellType, cell_type, held_type
from irtensor.dialects.loop.memory_op import MemoryOp, Spelling, buffer_type_of, cell_type_of, index_type, same_type
from irtensor.dialects.support.assembly import Number
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation


@define_operation
class CellOp(MemoryOp):
    """A new cell holding `initial`; inside a loop it starts anew each time it is reached."""

    name = "loop.cell"
    SPELLING: ClassVar[Spelling] = Spelling("%", (same_type,), cell_type_of, vectors=True)
    initial = operand_def()
    cell = result_def(CellType)
    traits = traits_def(MemoryAllocEffect(), MemoryWriteEffect())

    @staticmethod
    def of(initial: SSAValue) -> CellOp:
        return create_operation(CellOp, (initial,), (cell_type(initial.type),))


@define_operation
class GetOp(MemoryOp):
    """The value a cell holds now."""

    name = "loop.get"
    SPELLING: ClassVar[Spelling] = Spelling("%", (cell_type_of,), same_type, vectors=True)
    cell = operand_def(CellType)
    value = result_def()
    traits = traits_def(MemoryReadEffect())

    @staticmethod
    def of(cell: SSAValue) -> GetOp:
        return create_operation(GetOp, (cell,), (held_type(cell),))


@define_operation
class SetOp(MemoryOp):
    """Let a cell hold another value."""

    name = "loop.set"
    SPELLING: ClassVar[Spelling] = Spelling("%, %", (same_type, cell_type_of), vectors=True)
    value = operand_def()
    cell = operand_def(CellType)
    traits = traits_def(MemoryWriteEffect())

    @staticmethod
    def of(value: SSAValue, cell: SSAValue) -> SetOp:
        return create_operation(SetOp, (value, cell))


# Attribute of loads and stores through which one iteration of a parallel loop tells others that it is done.
ORDERED = "ordered"
SPECULATABLE = "speculatable"  # of loads that may be executed early
PROVISIONAL = "provisional"  # of stores that may be executed in vain
# Attribute of loads and stores whose element no other iteration of the independent loop around them stores.
APART = "apart"


@define_operation
class LoadOp(MemoryOp):
    """The element at an index, or as a vector the consecutive elements from there on.

    With the attribute `ordered`, other iterations of a parallel loop may store it meanwhile, with `ordered` as well:
    what an iteration stored before that is then seen by all that comes after the load.

    With the attribute `apart`, no other iteration of the innermost loop around it that is `independent` stores the
    element.

    With the attribute `speculatable`, it may be executed where it would not be reached: its index lies in the buffer
    wherever the loads, cells and loops are known that arithmetic computes it from. Rules: it is not `ordered`, and
    nothing writes to the buffer, so that it may be executed at any time as well.
    """

    name = "loop.load"
    SPELLING: ClassVar[Spelling] = Spelling("%[%]", (buffer_type_of, index_type), same_type, vectors=True)
    buffer = operand_def(BufferType)
    index = operand_def(INDEX)
    value = result_def()
    traits = traits_def(MemoryReadEffect())

    @staticmethod
    def of(buffer: SSAValue, index: SSAValue, value_type: Attribute | None = None) -> LoadOp:
        """Load the buffer's element type, or `value_type`, a vector of it."""
        result = held_type(buffer) if value_type is None else value_type
        return create_operation(LoadOp, (buffer, index), (result,))

    def verify_(self) -> None:
        super().verify_()
        if SPECULATABLE not in self.attributes:
            return
        if ORDERED in self.attributes:
            raise VerifyException("an ordered load waits for other iterations, so it is not speculatable")
        for use in filter(may_write, self.buffer.uses):
            raise VerifyException(f"{use.operation.name} may write to the buffer, so the load is not speculatable")


@define_operation
class StoreOp(MemoryOp):
    """Write an element, or a vector's lanes to consecutive elements.

    With the attribute `ordered`, iterations of a parallel loop that load the element with it see all that was stored
    before. With `apart`, no other iteration of the innermost loop around it that is `independent` loads or stores the
    element.

    With the attribute `provisional`, it may be executed where it would not be reached, as long as nothing is counted
    that counts its element: its index lies in the buffer all the same, and the element is that of the next entry, which
    is stored anew, or of none.
    """

    name = "loop.store"
    SPELLING: ClassVar[Spelling] = Spelling("%, %[%]", (same_type, buffer_type_of, index_type), vectors=True)
    value = operand_def()
    buffer = operand_def(BufferType)
    index = operand_def(INDEX)
    traits = traits_def(MemoryWriteEffect())

    @staticmethod
    def of(value: SSAValue, buffer: SSAValue, index: SSAValue) -> StoreOp:
        return create_operation(StoreOp, (value, buffer, index))


class FillingOp(MemoryOp):
    """Writes one value to the elements from `lower` up to, not including, `upper`."""

    SPELLING: ClassVar[Spelling] = Spelling("%, %[% to %]", (same_type, buffer_type_of, index_type, index_type))
    value = operand_def()
    buffer = operand_def(BufferType)
    lower = operand_def(INDEX)
    upper = operand_def(INDEX)
    traits = traits_def(MemoryWriteEffect())

    @classmethod
    def of(cls, value: SSAValue, buffer: SSAValue, lower: SSAValue, upper: SSAValue) -> Self:
        return create_operation(cls, (value, buffer, lower, upper))


@define_operation
class FillOp(FillingOp):
    """Write one value to the elements from `lower` up to, not including, `upper`."""

    name = "loop.fill"


@define_operation
class CopyOp(MemoryOp):
    """Copy `count` elements; the two ranges may overlap only within one buffer."""

    name = "loop.copy"
    SPELLING: ClassVar[Spelling] = Spelling(
        "%[%], %[%], %", (buffer_type_of, index_type, buffer_type_of, index_type, index_type)
    )
    source = operand_def(BufferType)
    source_index = operand_def(INDEX)
    target = operand_def(BufferType)
    target_index = operand_def(INDEX)
    count = operand_def(INDEX)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @staticmethod
    def of(
        source: SSAValue, source_index: SSAValue, target: SSAValue, target_index: SSAValue, count: SSAValue
    ) -> CopyOp:
        return create_operation(CopyOp, (source, source_index, target, target_index, count))


class SearchOp(MemoryOp):
    """Binary search in the sorted elements from `lower` up to, not including, `upper`, compared as signed integers."""

    SPELLING: ClassVar[Spelling] = Spelling(
        "%[% to %], %", (buffer_type_of, index_type, index_type, index_type), index_type, integers_only=True
    )
    buffer = operand_def(BufferType)
    lower = operand_def(INDEX)
    upper = operand_def(INDEX)
    key = operand_def(INDEX)
    position = result_def(INDEX)
    traits = traits_def(MemoryReadEffect())

    @classmethod
    def of(cls, buffer: SSAValue, lower: SSAValue, upper: SSAValue, key: SSAValue) -> SearchOp:
        return create_operation(cls, (buffer, lower, upper, key), (INDEX,))


@define_operation
class LowerBoundOp(SearchOp):
    """The first position whose element is at least `key`, or `upper`."""

    name = "loop.lower_bound"


@define_operation
class UpperBoundOp(SearchOp):
    """The first position whose element is greater than `key`, or `upper`."""

    name = "loop.upper_bound"


@define_operation
class RequireOp(IRDLOperation):
    """If the condition does not hold, the function ends with `status`. Rule: the status is at least 2; 1 is memory."""

    name = "loop.require"
    condition = operand_def(i1)
    status = prop_def(IntegerAttr)
    # A write effect keeps it where it is.
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$condition `else` custom<Number>($status) attr-dict"
    custom_directives = (Number,)

    @staticmethod
    def of(condition: SSAValue, status: int) -> RequireOp:
        return create_operation(RequireOp, (condition,), properties={"status": IntegerAttr(status, i64)})

    def verify_(self) -> None:
        if self.status.value.data < 2:
            raise VerifyException("0 is success and 1 is lack of memory, so a requirement has status 2 or more")


@define_operation
class PrefetchOp(MemoryOp):
    """Ask for the cache line of an element; the index may lie outside the buffer."""

    name = "loop.prefetch"
    SPELLING: ClassVar[Spelling] = Spelling("%[%]", (buffer_type_of, index_type))
    buffer = operand_def(BufferType)
    index = operand_def(INDEX)
    # A write effect keeps it from being removed as dead.
    traits = traits_def(MemoryWriteEffect())

    @staticmethod
    def of(buffer: SSAValue, index: SSAValue) -> PrefetchOp:
        return create_operation(PrefetchOp, (buffer, index))
