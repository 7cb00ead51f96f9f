"""Ops of the `loop` dialect that read and write cells, buffers and growables."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, i1, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.irdl import IRDLOperation, operand_def, prop_def, result_def, traits_def
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import HasParent, MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.assembly import Number
from irtensor.dialects.buffer_uses import may_write
from irtensor.dialects.create_operation import create_operation
from irtensor.dialects.define_operation import define_operation
from irtensor.dialects.loop_parallel import ParallelOp
from irtensor.dialects.loop_types import (
    INDEX,
    BufferType,
    CellType,
    GrowableType,
    buffer_type,
    cell_type,
    element_of,
    growable_type,
    is_scalar_element,
    is_vector_value,
)


def _same(value: Attribute) -> Attribute:
    return value


def _index(value: Attribute) -> Attribute:
    return INDEX


def _cell(value: Attribute) -> Attribute:
    return cell_type(value)


def _buffer(value: Attribute) -> Attribute:
    return buffer_type(element_of(value))


def _growable(value: Attribute) -> Attribute:
    return growable_type(value)


@dataclass(frozen=True)
class Spelling:
    """How a memory op is written: its text with `%` for each operand, and the types that follow from the value type."""

    text: str
    operands: tuple[Callable[[Attribute], Attribute], ...]
    result: Callable[[Attribute], Attribute] | None = None
    vectors: bool = False
    integers_only: bool = False


class MemoryOp(IRDLOperation):
    """An op whose operand and result types all follow from one type, the one printed after the colon."""

    SPELLING: ClassVar[Spelling]

    @property
    def value_type(self) -> Attribute:
        """The type of the values moved: a scalar, or a vector where the op allows it."""
        if self.SPELLING.result is _same:
            return self.results[0].type
        holder = (self.operands or self.results)[0].type
        return holder.element if isinstance(holder, CellType | BufferType | GrowableType) else holder

    def verify_(self) -> None:
        value, spelling = self.value_type, self.SPELLING
        if not is_scalar_element(value) and not (spelling.vectors and is_vector_value(value)):
            raise VerifyException(f"{self.name} cannot move values of type {value}")
        if spelling.integers_only and not isinstance(value, IntegerType | IndexType):
            raise VerifyException(f"{self.name} searches integers, not {value}")
        for number, (rule, operand) in enumerate(zip(spelling.operands, self.operands, strict=True)):
            if operand.type != rule(value):
                raise VerifyException(f"operand {number} has type {operand.type}, expected {rule(value)}")
        if spelling.result is not None and self.results[0].type != spelling.result(value):
            raise VerifyException(f"the result has type {self.results[0].type}, expected {spelling.result(value)}")

    def print(self, printer: Printer) -> None:
        *before, last = self.SPELLING.text.split("%")
        if before:
            printer.print_string(" ")
        for text, operand in zip(before, self.operands, strict=True):
            printer.print_string(text)
            printer.print_ssa_value(operand)
        printer.print_string(last)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.value_type)

    @classmethod
    def parse(cls, parser: Parser) -> MemoryOp:
        spelling = cls.SPELLING
        operands = [
            operand for token in _TOKENS.findall(spelling.text) if (operand := _parse_token(parser, token)) is not None
        ]
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        value = parser.parse_type()
        resolved = parser.resolve_operands(operands, [rule(value) for rule in spelling.operands], position)
        results = () if spelling.result is None else (spelling.result(value),)
        return create_operation(cls, resolved, results, attributes=attributes)


_TOKENS = re.compile(r"to|[%,\[\]]")


def _parse_token(parser: Parser, token: str) -> UnresolvedOperand | None:
    if token == "%":
        return parser.parse_unresolved_operand()
    if token == "to":
        parser.parse_keyword(token)
    else:
        parser.parse_punctuation(token)  # pyright: ignore[reportArgumentType]
    return None


@define_operation
class CellOp(MemoryOp):
    """A new cell holding `initial`; inside a loop it starts anew each time it is reached."""

    name = "loop.cell"
    SPELLING: ClassVar[Spelling] = Spelling("%", (_same,), _cell, vectors=True)
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
    SPELLING: ClassVar[Spelling] = Spelling("%", (_cell,), _same, vectors=True)
    cell = operand_def(CellType)
    value = result_def()
    traits = traits_def(MemoryReadEffect())

    @staticmethod
    def of(cell: SSAValue) -> GetOp:
        return create_operation(GetOp, (cell,), (cell.type.element,))  # pyright: ignore


@define_operation
class SetOp(MemoryOp):
    """Let a cell hold another value."""

    name = "loop.set"
    SPELLING: ClassVar[Spelling] = Spelling("%, %", (_same, _cell), vectors=True)
    value = operand_def()
    cell = operand_def(CellType)
    traits = traits_def(MemoryWriteEffect())

    @staticmethod
    def of(value: SSAValue, cell: SSAValue) -> SetOp:
        return create_operation(SetOp, (value, cell))


# Attribute of loads and stores through which one turn of a parallel loop tells others that it is done.
ORDERED = "ordered"
SPECULATABLE = "speculatable"  # of loads that may be executed early


@define_operation
class LoadOp(MemoryOp):
    """The element at an index, or as a vector the consecutive elements from there on.

    With the attribute `ordered`, other turns of a parallel loop may store it meanwhile, with `ordered` as well: what
    a turn stored before that is then seen by all that comes after the load.

    With the attribute `speculatable`, it may be executed where it would not be reached: its index lies in the buffer
    wherever the loads, cells and loops are known that arithmetic computes it from. Rules: it is not `ordered`, and
    nothing writes to the buffer, so that it may be executed at any time as well.
    """

    name = "loop.load"
    SPELLING: ClassVar[Spelling] = Spelling("%[%]", (_buffer, _index), _same, vectors=True)
    buffer = operand_def(BufferType)
    index = operand_def(INDEX)
    value = result_def()
    traits = traits_def(MemoryReadEffect())

    @staticmethod
    def of(buffer: SSAValue, index: SSAValue, value_type: Attribute | None = None) -> LoadOp:
        """Load the buffer's element type, or `value_type`, a vector of it."""
        result = buffer.type.element if value_type is None else value_type  # pyright: ignore
        return create_operation(LoadOp, (buffer, index), (result,))

    def verify_(self) -> None:
        super().verify_()
        if SPECULATABLE not in self.attributes:
            return
        if ORDERED in self.attributes:
            raise VerifyException("an ordered load waits for other turns, so it is not speculatable")
        for use in filter(may_write, self.buffer.uses):
            raise VerifyException(f"{use.operation.name} may write to the buffer, so the load is not speculatable")


@define_operation
class StoreOp(MemoryOp):
    """Write an element, or a vector's lanes to consecutive elements.

    With the attribute `ordered`, turns of a parallel loop that load the element with it see all that was stored before.
    """

    name = "loop.store"
    SPELLING: ClassVar[Spelling] = Spelling("%, %[%]", (_same, _buffer, _index), vectors=True)
    value = operand_def()
    buffer = operand_def(BufferType)
    index = operand_def(INDEX)
    traits = traits_def(MemoryWriteEffect())

    @staticmethod
    def of(value: SSAValue, buffer: SSAValue, index: SSAValue) -> StoreOp:
        return create_operation(StoreOp, (value, buffer, index))


@define_operation
class FillOp(MemoryOp):
    """Write one value to the elements from `lower` up to, not including, `upper`."""

    name = "loop.fill"
    SPELLING: ClassVar[Spelling] = Spelling("%, %[% to %]", (_same, _buffer, _index, _index))
    value = operand_def()
    buffer = operand_def(BufferType)
    lower = operand_def(INDEX)
    upper = operand_def(INDEX)
    traits = traits_def(MemoryWriteEffect())

    @staticmethod
    def of(value: SSAValue, buffer: SSAValue, lower: SSAValue, upper: SSAValue) -> FillOp:
        return create_operation(FillOp, (value, buffer, lower, upper))


@define_operation
class CopyOp(MemoryOp):
    """Copy `count` elements; the two ranges may overlap only within one buffer."""

    name = "loop.copy"
    SPELLING: ClassVar[Spelling] = Spelling("%[%], %[%], %", (_buffer, _index, _buffer, _index, _index))
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
        "%[% to %], %", (_buffer, _index, _index, _index), _index, integers_only=True
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


# Attribute of scratches: each element is 0, as all of its bytes are, until something is stored to it.
ZEROED = "zeroed"


@define_operation
class ScratchOp(MemoryOp):
    """A growable of the function's own: empty at first, and given back when the function ends.

    At the top of a parallel loop, each turn has one of its own. With the attribute `zeroed`, elements are 0 until
    something is stored to them; to make room a second time loses what was stored.
    """

    name = "loop.scratch"
    SPELLING: ClassVar[Spelling] = Spelling("", (), _growable)
    growable = result_def(GrowableType)
    # Beside loops and branches, so that there is one per call or turn.
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
    SPELLING: ClassVar[Spelling] = Spelling("%[%]", (_growable, _index), _growable)
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
    SPELLING: ClassVar[Spelling] = Spelling("%, %", (_growable, _index))
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
    SPELLING: ClassVar[Spelling] = Spelling("%", (_growable,), _buffer)
    growable = operand_def(GrowableType)
    buffer = result_def(BufferType)
    traits = traits_def(MemoryReadEffect())

    @staticmethod
    def of(growable: SSAValue) -> DataOp:
        return create_operation(DataOp, (growable,), (buffer_type(growable.type.element),))  # pyright: ignore


@define_operation
class SetSizeOp(MemoryOp):
    """Record how many elements of a growable are in use."""

    name = "loop.set_size"
    SPELLING: ClassVar[Spelling] = Spelling("%, %", (_growable, _index))
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
    SPELLING: ClassVar[Spelling] = Spelling("%", (_growable,), _index)
    growable = operand_def(GrowableType)
    capacity = result_def(INDEX)
    traits = traits_def(MemoryReadEffect())

    @staticmethod
    def of(growable: SSAValue) -> CapacityOp:
        return create_operation(CapacityOp, (growable,), (INDEX,))


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
    SPELLING: ClassVar[Spelling] = Spelling("%[%]", (_buffer, _index))
    buffer = operand_def(BufferType)
    index = operand_def(INDEX)
    # A write effect keeps it from being removed as dead.
    traits = traits_def(MemoryWriteEffect())

    @staticmethod
    def of(buffer: SSAValue, index: SSAValue) -> PrefetchOp:
        return create_operation(PrefetchOp, (buffer, index))
