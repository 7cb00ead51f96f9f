"""Ops of the `loop` dialect that assemble results and workspaces, before it is said how that is counted and kept."""

from __future__ import annotations

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import IndexType, IntegerType, StringAttr, SymbolRefAttr, i1
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.algebra.algebra import verify_operator
from irtensor.dialects.loop.loop_types import INDEX, BufferType, GrowableType, buffer_type, held_type
from irtensor.dialects.support.assembly import parse_operator, print_operator
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation


@irdl_attr_definition
class CounterType(ParametrizedAttribute, TypeAttribute):
    """How many entries have been appended to a level of a result, so far."""

    name = "loop.counter"


_COUNTER = CounterType()


@define_operation
class CounterOp(IRDLOperation):
    """A new counter of the entries of a level: none at first, or with `from`, as many as there are before those.

    Its other operations: `loop.count`, `loop.append`, `loop.close` and `loop.assembled`.
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
    """The values stored at the next `entries` positions become part of the result. Nothing does if that is 0.

    Rule: a value stored at a position that does not become part of the result is never read, and may be overwritten.
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
    """The segment that ends at an index of a positions array ends with the entries that there are by now.

    Their number is stored at that index, or at all indices from `index` up to, not including, `to`: the segments
    between these are empty so far.
    """

    name = "loop.close"
    positions = operand_def(BufferType)
    index = operand_def(INDEX)
    counter = operand_def(_COUNTER)
    to = opt_operand_def(INDEX)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$positions `[` $index (`to` $to^)? `]` `at` $counter attr-dict `:` type($positions)"

    @staticmethod
    def of(positions: SSAValue, index: SSAValue, counter: SSAValue, to: SSAValue | None = None) -> CloseOp:
        return create_operation(CloseOp, (positions, index, counter, *(() if to is None else (to,))))

    def verify_(self) -> None:
        element = held_type(self.positions)
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


@define_operation
class AccumulateOp(IRDLOperation):
    """Combine an element with a value, the element on the left, or where nothing is stored yet, store the value.

    `present` says which of both. Rule: the operator gives values of the type that it combines.
    """

    name = "loop.accumulate"
    value = operand_def()
    buffer = operand_def(BufferType)
    index = operand_def(INDEX)
    present = operand_def(i1)
    operator = prop_def(StringAttr | SymbolRefAttr)
    fastmath = opt_prop_def(FastMathFlagsAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @staticmethod
    def of(
        operator: Attribute,
        value: SSAValue,
        buffer: SSAValue,
        index: SSAValue,
        present: SSAValue,
        fastmath: FastMathFlagsAttr | None = None,
    ) -> AccumulateOp:
        properties = {"operator": operator} if fastmath is None else {"operator": operator, "fastmath": fastmath}
        return create_operation(AccumulateOp, (value, buffer, index, present), properties=properties)

    def verify_(self) -> None:
        verify_operator(self.operator, self, (self.value.type, self.value.type), self.value.type)
        if self.buffer.type != buffer_type(self.value.type):
            raise VerifyException(f"a value of type {self.value.type} is not an element of {self.buffer.type}")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_operator(printer, self.operator)
        for text, operand in zip((" ", " into ", "[", "] where "), self.operands, strict=True):
            printer.print_string(text)
            printer.print_ssa_value(operand)
        if self.fastmath is not None:
            printer.print_string(" fastmath")
            with printer.in_angle_brackets():
                printer.print_string(",".join(sorted(flag.value for flag in self.fastmath.data)))
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)

    @classmethod
    def parse(cls, parser: Parser) -> AccumulateOp:
        operator, value = parse_operator(parser), parser.parse_unresolved_operand()
        parser.parse_keyword("into")
        buffer = parser.parse_unresolved_operand()
        parser.parse_punctuation("[")
        index = parser.resolve_operand(parser.parse_unresolved_operand(), INDEX)
        parser.parse_punctuation("]")
        parser.parse_keyword("where")
        present = parser.resolve_operand(parser.parse_unresolved_operand(), i1)
        flags = parser.parse_optional_keyword("fastmath") and FastMathFlagsAttr.parse_parameter(parser)
        parser.parse_punctuation(":")
        type = parser.parse_type()
        operands = parser.resolve_operand(value, type), parser.resolve_operand(buffer, buffer_type(type))
        return AccumulateOp.of(operator, *operands, index, present, FastMathFlagsAttr(flags) if flags else None)
