"""Ops of the `loop` dialect for what threads of a block share, and how they wait for each other."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.loop.loop_parallel import ParallelOp
from irtensor.dialects.loop.loop_types import BufferType, buffer_type, held_type
from irtensor.dialects.loop.loop_units import loop_around, units_of
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation


@define_operation
class SharedOp(IRDLOperation):
    """So many elements of memory that the threads of a block share.

    It stands in a loop on blocks. Its contents are undefined at the beginning of an iteration.
    """

    name = "loop.shared"
    count = prop_def(IntegerAttr)
    buffer = result_def(BufferType)
    traits = traits_def(MemoryAllocEffect())

    @staticmethod
    def of(count: int, element: Attribute) -> SharedOp:
        properties = {"count": IntegerAttr(count, i64)}
        return create_operation(SharedOp, (), (buffer_type(element),), properties=properties)

    def verify_(self) -> None:
        if self.count.type != i64 or self.count.value.data < 1:
            raise VerifyException(f"the count is an i64 of 1 or more, not {self.count}")
        parent = self.parent_op()
        units = units_of(parent)
        if not isinstance(parent, ParallelOp) or units is None or units.word != "blocks":
            raise VerifyException("shared memory is made in a loop on blocks, and under no condition inside of it")

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.count.value.data} : ")
        printer.print_attribute(held_type(self.buffer))

    @classmethod
    def parse(cls, parser: Parser) -> SharedOp:
        count = parser.parse_integer(allow_negative=False)
        parser.parse_punctuation(":")
        return SharedOp.of(count, parser.parse_type())


@define_operation
class BarrierOp(IRDLOperation):
    """Wait for all threads of the team around, or else of the block, and see what they wrote.

    It stands between loops on lanes and on threads, where all threads come by.
    """

    name = "loop.barrier"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"

    @staticmethod
    def of() -> BarrierOp:
        return create_operation(BarrierOp, ())

    def verify_(self) -> None:
        if loop_around(self, "blocks") is None or loop_around(self, "lanes") or loop_around(self, "threads"):
            raise VerifyException("a barrier is in a loop on blocks or teams, and in no loop on lanes or threads")
