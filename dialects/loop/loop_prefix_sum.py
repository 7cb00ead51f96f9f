"""Op of the `loop` dialect that turns counts into where each begins."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, IntegerType, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, operand_def, opt_operand_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.loop.loop_types import INDEX, BufferType, buffer_type, held_type
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation


@define_operation
class PrefixSumOp(IRDLOperation):
    """Replace each element from `lower` up to, not including, `upper` by the sum of those before it.

    The sum of all is stored at `upper`, behind them. Sums begin with `start`, a number of the buffer's type, or with 0.
    They are those of integers of that type, which wrap around. Rule: `lower` is not greater than `upper`.

    Example: 2, 0, 5 and one element more become 0, 2, 2 and 7.
    """

    name = "loop.prefix_sum"
    buffer = operand_def(BufferType)
    lower = operand_def(INDEX)
    upper = operand_def(INDEX)
    start = opt_operand_def()
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @staticmethod
    def of(buffer: SSAValue, lower: SSAValue, upper: SSAValue, start: SSAValue | None = None) -> PrefixSumOp:
        return create_operation(PrefixSumOp, (buffer, lower, upper, *(() if start is None else (start,))))

    @property
    def element(self) -> Attribute:
        return held_type(self.buffer)

    def verify_(self) -> None:
        if not isinstance(self.element, IntegerType | IndexType) or self.element == i1:
            raise VerifyException(f"sums of counts are integers, not {self.element}")
        if self.start is not None and self.start.type != self.element:
            raise VerifyException(f"the sums begin with a value of type {self.element}, not {self.start.type}")

    def print(self, printer: Printer) -> None:
        for text, operand in zip((" ", "[", " to ", "] from "), self.operands, strict=False):
            printer.print_string(text)
            printer.print_ssa_value(operand)
        printer.print_string(" : " if self.start is not None else "] : ")
        printer.print_attribute(self.element)

    @classmethod
    def parse(cls, parser: Parser) -> PrefixSumOp:
        buffer = parser.parse_unresolved_operand()
        parser.parse_punctuation("[")
        lower = parser.parse_unresolved_operand()
        parser.parse_keyword("to")
        upper = parser.parse_unresolved_operand()
        parser.parse_punctuation("]")
        has_start = parser.parse_optional_keyword("from") is not None
        start = parser.parse_unresolved_operand() if has_start else None
        parser.parse_punctuation(":")
        element = parser.parse_type()
        return PrefixSumOp.of(
            parser.resolve_operand(buffer, buffer_type(element)),
            parser.resolve_operand(lower, INDEX),
            parser.resolve_operand(upper, INDEX),
            None if start is None else parser.resolve_operand(start, element),
        )
