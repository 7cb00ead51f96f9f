"""Ops of the `loop` dialect for what several iterations of a parallel loop combine with something."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import ComplexType, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, MemoryReadEffect, MemoryWriteEffect, is_side_effect_free
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.algebra.algebra import verify_operator
from irtensor.dialects.loop.loop_types import (
    INDEX,
    BufferType,
    CellType,
    buffer_type,
    cell_type,
    held_type,
    is_scalar_element,
)
from irtensor.dialects.loop.loop_units import AROUND, loop_around, units_of
from irtensor.dialects.loop.memory_op import MemoryOp, Spelling, index_type
from irtensor.dialects.support.assembly import parse_operator, print_operator
from irtensor.dialects.support.create_operation import create_block, create_operation, create_region
from irtensor.dialects.support.define_operation import define_operation
from irtensor.dialects.support.is_inside import is_inside


@define_operation
class ViewOp(MemoryOp):
    """The elements of a buffer from an index on, as a buffer."""

    name = "loop.view"
    SPELLING: ClassVar[Spelling] = Spelling("%[%]", (buffer_type, index_type), buffer_type)
    buffer = operand_def(BufferType)
    first = operand_def(INDEX)
    view = result_def(BufferType)
    traits = traits_def(MemoryReadEffect())

    @staticmethod
    def of(buffer: SSAValue, first: SSAValue) -> ViewOp:
        return create_operation(ViewOp, (buffer, first), (buffer.type,))


@define_operation
class PrivateOp(IRDLOperation):
    """Elements `lower` up to, not including, `upper` of a buffer. Parts of a parallel loop may have own copies.

    Each part's are combined with the others' by the operator when the loop ends. Where a loop is not divided, they are
    the elements themselves. Rules: all that is done with an element of the result is to combine it with a value, the
    element on the left; the operator is associative, and has an identity.
    """

    name = "loop.private"
    buffer = operand_def(BufferType)
    lower = operand_def(INDEX)
    upper = operand_def(INDEX)
    operator = prop_def(StringAttr | SymbolRefAttr)
    own = result_def(BufferType)
    traits = traits_def(MemoryReadEffect())

    @staticmethod
    def of(operator: Attribute, buffer: SSAValue, lower: SSAValue, upper: SSAValue) -> PrivateOp:
        operands = (buffer, lower, upper)
        return create_operation(PrivateOp, operands, properties={"operator": operator}, result_types=(buffer.type,))

    @property
    def element(self) -> Attribute:
        return held_type(self.buffer)

    def verify_(self) -> None:
        verify_operator(self.operator, self, (self.element, self.element), self.element)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_operator(printer, self.operator)
        for text, operand in zip((" ", "[", " to "), self.operands, strict=True):
            printer.print_string(text)
            printer.print_ssa_value(operand)
        printer.print_string("] : ")
        printer.print_attribute(self.element)

    @classmethod
    def parse(cls, parser: Parser) -> PrivateOp:
        operator = parse_operator(parser)
        buffer = parser.parse_unresolved_operand()
        parser.parse_punctuation("[")
        lower = parser.parse_unresolved_operand()
        parser.parse_keyword("to")
        upper = parser.parse_unresolved_operand()
        parser.parse_punctuation("]")
        parser.parse_punctuation(":")
        element = parser.parse_type()
        bounds = (parser.resolve_operand(bound, INDEX) for bound in (lower, upper))
        return PrivateOp.of(operator, parser.resolve_operand(buffer, buffer_type(element)), *bounds)


@define_operation
class AtomicOp(IRDLOperation):
    """Replace an element by what the body computes of it, with no other iteration's change in between.

    The body may run several times. Rules: it only computes; the element is one machine word, not a complex number.
    """

    name = "loop.atomic"
    buffer = operand_def(BufferType)
    index = operand_def(INDEX)
    body = region_def("single_block")
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @staticmethod
    def of(buffer: SSAValue, index: SSAValue) -> AtomicOp:
        """An update with an empty body."""
        block = create_block((held_type(buffer),))
        return create_operation(AtomicOp, (buffer, index), regions=(create_region(block),))

    @property
    def old(self) -> SSAValue:
        return self.body.block.args[0]

    def verify_(self) -> None:
        element = held_type(self.buffer)
        if isinstance(element, ComplexType) or not is_scalar_element(element):
            raise VerifyException(f"an element of type {element} does not change as a whole")
        last = self.body.block.last_op
        if [argument.type for argument in self.body.block.args] != [element] or not isinstance(last, YieldOp):
            raise VerifyException(f"the body takes the element, of type {element}, and ends in loop.yield")
        if last.value.type != element:
            raise VerifyException(f"the body gives {last.value.type} for an element of type {element}")

    def print(self, printer: Printer) -> None:
        for text, operand in zip((" ", "["), self.operands, strict=True):
            printer.print_string(text)
            printer.print_ssa_value(operand)
        printer.print_string("] (")
        printer.print_block_argument(self.body.block.args[0])
        printer.print_string(") ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    @classmethod
    def parse(cls, parser: Parser) -> AtomicOp:
        buffer = parser.parse_unresolved_operand()
        parser.parse_punctuation("[")
        index = parser.parse_unresolved_operand()
        parser.parse_punctuation("]")
        parser.parse_punctuation("(")
        old = parser.parse_argument()
        parser.parse_punctuation(")")
        body = parser.parse_region((old,))
        operands = parser.resolve_operand(buffer, buffer_type(old.type)), parser.resolve_operand(index, INDEX)
        return create_operation(AtomicOp, operands, regions=(body,))


@define_operation
class ReduceOp(IRDLOperation):
    """Combine a cell that is made outside of a loop on lanes or threads with a value of each of them.

    After the loop the cell has the body's result for all values and its old value, in an order that is not said.
    Rules: the operation stands in the loop itself, so that all lanes reach it; it is all that the loop does with the
    cell, which is made in the loop on teams or on blocks around; the body only computes, and is associative and
    commutative.
    """

    name = "loop.reduce"
    value = operand_def()
    cell = operand_def(CellType)
    body = region_def("single_block")
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    @staticmethod
    def of(value: SSAValue, cell: SSAValue) -> ReduceOp:
        """A reduction with an empty body."""
        block = create_block((value.type, value.type))
        return create_operation(ReduceOp, (value, cell), regions=(create_region(block),))

    def verify_(self) -> None:
        element, last = self.value.type, self.body.block.last_op
        if held_type(self.cell) != element:
            raise VerifyException(f"the cell has a value of type {held_type(self.cell)}, not {element}")
        if [argument.type for argument in self.body.block.args] != [element] * 2 or not isinstance(last, YieldOp):
            raise VerifyException(f"the body takes two values of type {element}, and ends in loop.yield")
        if last.value.type != element:
            raise VerifyException(f"the body gives {last.value.type} for a cell of {element}")
        for op in self.body.walk():
            if op is not last and not is_side_effect_free(op):
                raise VerifyException(f"the body only computes, and '{op.name}' does more")
        self._verify_units()

    def _verify_units(self) -> None:
        loop = self.parent_op()
        units = units_of(loop)
        if loop is None or units is None or units.word not in ("lanes", "threads"):
            raise VerifyException("it stands in a loop on lanes or threads, and under no condition inside of it")
        if is_inside(self.cell, loop):
            raise VerifyException("the cell is made outside of the loop")
        word = AROUND[units.word]
        around = loop_around(loop, word)
        if around is None or not is_inside(self.cell, around):
            raise VerifyException(f"the cell is made in the loop on {word}: it is a cell of each of the {word}")
        for use in self.cell.uses:
            if use.operation is not self and loop.is_ancestor(use.operation):
                raise VerifyException(f"'{use.operation.name}' uses the cell in the loop, before all have reached it")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(" into ")
        printer.print_ssa_value(self.cell)
        printer.print_string(" (")
        printer.print_list(self.body.block.args, printer.print_block_argument)
        printer.print_string(") ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    @classmethod
    def parse(cls, parser: Parser) -> ReduceOp:
        value = parser.parse_unresolved_operand()
        parser.parse_keyword("into")
        cell = parser.parse_unresolved_operand()
        arguments = parser.parse_comma_separated_list(Parser.Delimiter.PAREN, parser.parse_argument)
        body = parser.parse_region(arguments)
        element = arguments[0].type if arguments else INDEX
        operands = parser.resolve_operand(value, element), parser.resolve_operand(cell, cell_type(element))
        return create_operation(ReduceOp, operands, regions=(body,))


@define_operation
class YieldOp(IRDLOperation):
    """What an element or a cell is replaced by."""

    name = "loop.yield"
    value = operand_def()
    traits = traits_def(IsTerminator(), HasParent(AtomicOp, ReduceOp))
    assembly_format = "$value `:` type($value) attr-dict"

    @staticmethod
    def of(value: SSAValue) -> YieldOp:
        return create_operation(YieldOp, (value,))
