"""Ops of the `loop` dialect that append to a result: what a loop assembles, before it is said how it is counted."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import IRDLOperation, irdl_attr_definition, operand_def, opt_operand_def, result_def, traits_def
from xdsl.traits import MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.create_operation import create_operation
from irtensor.dialects.define_operation import define_operation
from irtensor.dialects.loop_types import INDEX, BufferType, GrowableType


@irdl_attr_definition
class CounterType(ParametrizedAttribute, TypeAttribute):
    """How many entries have been appended to a level of a result, so far."""

    name = "loop.counter"


_COUNTER = CounterType()


@define_operation
class CounterOp(IRDLOperation):
    """A new counter of the entries of a level: none at first, or with `from`, as many as there are before those.

    What is done with it besides: `loop.count`, `loop.append`, `loop.close` and `loop.assembled`.
    """

    name = "loop.counter"
    start = opt_operand_def(INDEX)
    counter = result_def(_COUNTER)
    traits = traits_def(MemoryAllocEffect(), MemoryWriteEffect())
    assembly_format = "(`from` $start^)? attr-dict"

    @staticmethod
    def of(start: SSAValue | None = None) -> CounterOp:
        return create_operation(CounterOp, () if start is None else (start,), (_COUNTER,))


@define_operation
class CountOp(IRDLOperation):
    """How many entries there are by now, which is the position of the next one."""

    name = "loop.count"
    counter = operand_def(_COUNTER)
    count = result_def(INDEX)
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$counter attr-dict"

    @staticmethod
    def of(counter: SSAValue) -> CountOp:
        return create_operation(CountOp, (counter,), (INDEX,))


@define_operation
class AppendOp(IRDLOperation):
    """What was stored at the next `entries` positions becomes part of the result. Nothing does if that is 0.

    Rule: what is stored at a position that does not become part of the result is never read, and may be overwritten.
    """

    name = "loop.append"
    entries = operand_def(INDEX)
    counter = operand_def(_COUNTER)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$entries `to` $counter attr-dict"

    @staticmethod
    def of(entries: SSAValue, counter: SSAValue) -> AppendOp:
        return create_operation(AppendOp, (entries, counter))


@define_operation
class CloseOp(IRDLOperation):
    """The segment that ends at a place of a positions array ends with the entries that there are by now.

    Their number is stored at that place, or at all places from `place` up to, not including, `to`: the segments between
    these are empty so far.
    """

    name = "loop.close"
    positions = operand_def(BufferType)
    place = operand_def(INDEX)
    counter = operand_def(_COUNTER)
    to = opt_operand_def(INDEX)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$positions `[` $place (`to` $to^)? `]` `at` $counter attr-dict `:` type($positions)"

    @staticmethod
    def of(positions: SSAValue, place: SSAValue, counter: SSAValue, to: SSAValue | None = None) -> CloseOp:
        return create_operation(CloseOp, (positions, place, counter, *(() if to is None else (to,))))

    def verify_(self) -> None:
        element = self.positions.type.element  # pyright: ignore
        if not isinstance(element, IntegerType | IndexType):
            raise VerifyException(f"positions are integers, not {element}")


@define_operation
class AssembledOp(IRDLOperation):
    """A growable is complete: it has `width` elements for each entry, after so many that are there without entries."""

    name = "loop.assembled"
    growable = operand_def(GrowableType)
    counter = operand_def(_COUNTER)
    width = operand_def(INDEX)
    first = operand_def(INDEX)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$growable `,` $counter `*` $width `+` $first attr-dict `:` type($growable)"

    @staticmethod
    def of(growable: SSAValue, counter: SSAValue, width: SSAValue, first: SSAValue) -> AssembledOp:
        return create_operation(AssembledOp, (growable, counter, width, first))
