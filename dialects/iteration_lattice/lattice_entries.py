"""Operations of `iteration_lattice` that number the entries of a fiber."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr, UnitAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.storage.storage import FiberType, format_of, verify_entries
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation

_index = IndexType()


def _parse_indices(parser: Parser) -> list[SSAValue]:
    names = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
    return [parser.resolve_operand(name, _index) for name in names]


def _verify_levels(fiber: SSAValue, count: int) -> None:
    assert isinstance(fiber.type, FiberType)
    verify_entries(fiber.type.tensor, fiber.type.level.data, count, "the fiber")


@define_operation
class EntryOp(IRDLOperation):
    """The coordinates, one per level, of the entry with a number below a fiber; behind the last entry, those of `past`.

    Entries are counted at the last of these levels, in storage order. Where two coordinates of the first level are
    given, the entry is `between` them, or at one.
    Rules: then that level stores every coordinate.
    """

    name = "iteration_lattice.entry"
    fiber = operand_def(FiberType)
    number = operand_def(IndexType)
    ends = var_operand_def(IndexType)
    has_ends = opt_prop_def(UnitAttr, prop_name="between")
    coordinates = var_result_def(IndexType)
    traits = traits_def(Pure())

    @staticmethod
    def of(fiber: SSAValue, number: SSAValue, past: Sequence[SSAValue], between: Sequence[SSAValue] = ()) -> EntryOp:
        properties: dict[str, Attribute] = {"between": UnitAttr()} if between else {}
        operands = (fiber, number, *past, *between)
        return create_operation(EntryOp, operands, properties=properties, result_types=[_index] * len(past))

    @property
    def past(self) -> Sequence[SSAValue]:
        """The coordinates behind the last entry."""
        return self.ends[: len(self.ends) - len(self.between)]

    @property
    def between(self) -> Sequence[SSAValue]:
        """The first and the last coordinate at which the entry may be; none if it may be at any."""
        return () if self.has_ends is None else self.ends[-2:]

    def verify_(self) -> None:
        _verify_levels(self.fiber, len(self.past))
        if len(self.coordinates) != len(self.past):
            raise VerifyException(f"an entry of {len(self.past)} levels has as many coordinates")
        assert isinstance(self.fiber.type, FiberType)
        level = format_of(self.fiber.type.tensor).levels[self.fiber.type.level.data]
        if self.has_ends is not None and not level.format.pattern.full:
            raise VerifyException("an entry is looked for between coordinates of a level that stores every one")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.fiber)
        printer.print_string(", ")
        printer.print_ssa_value(self.number)
        printer.print_string(" past ")
        printer.print_list(self.past, printer.print_ssa_value)
        if self.between:
            printer.print_string(" between ")
            printer.print_list(self.between, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_attribute(self.fiber.type)

    @classmethod
    def parse(cls, parser: Parser) -> EntryOp:
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        number = parser.resolve_operand(parser.parse_unresolved_operand(), _index)
        parser.parse_keyword("past")
        past = _parse_indices(parser)
        between = _parse_indices(parser) if parser.parse_optional_keyword("between") else []
        parser.parse_punctuation(":")
        fiber = parser.resolve_operand(name, parser.parse_type())
        return EntryOp.of(fiber, number, past, between)


@define_operation
class EntryNumberOp(IRDLOperation):
    """The number of the entry that has been `found` below a fiber, counted from another one; `past` if it is none.

    Entries are counted at the last of `levels` levels, in storage order; the one of the number `first` is 0. The value
    found is that of the entry, or its replacement where there is none.
    """

    name = "iteration_lattice.entry_number"
    fiber = operand_def(FiberType)
    found = operand_def()
    first = operand_def(IndexType)
    past = operand_def(IndexType)
    levels = prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType)
    traits = traits_def(Pure())
    assembly_format = (
        "$found `from` $first `past` $past `in` $fiber `levels` $levels `:` type($found) `,` type($fiber) attr-dict"
    )

    @staticmethod
    def of(fiber: SSAValue, found: SSAValue, first: SSAValue, past: SSAValue, levels: int) -> EntryNumberOp:
        properties: dict[str, Attribute] = {"levels": IntegerAttr(levels, _index)}
        return create_operation(
            EntryNumberOp, (fiber, found, first, past), properties=properties, result_types=[_index]
        )

    def verify_(self) -> None:
        assert isinstance(self.fiber.type, FiberType)
        _verify_levels(self.fiber, self.levels.value.data)
        below = self.fiber.type.level.data + self.levels.value.data
        if below != len(format_of(self.fiber.type.tensor).levels):
            raise VerifyException("an entry is found below all levels")
        if self.found.type != self.fiber.type.tensor.element_type:
            raise VerifyException(f"an entry has type {self.fiber.type.tensor.element_type}, not {self.found.type}")


@define_operation
class EntryCountOp(IRDLOperation):
    """How many entries are below a fiber, counted at the last of `levels` levels; or those `before` coordinates, in
    storage order.

    Rules: entries are counted before a coordinate of each of these levels.
    """

    name = "iteration_lattice.entry_count"
    fiber = operand_def(FiberType)
    before = var_operand_def(IndexType)
    levels = prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType)
    traits = traits_def(Pure())
    assembly_format = "$fiber (`before` $before^)? `levels` $levels `:` type($fiber) attr-dict"

    @staticmethod
    def of(fiber: SSAValue, levels: int, before: Sequence[SSAValue] = ()) -> EntryCountOp:
        properties: dict[str, Attribute] = {"levels": IntegerAttr(levels, _index)}
        return create_operation(EntryCountOp, (fiber, *before), properties=properties, result_types=[_index])

    def verify_(self) -> None:
        if self.before and len(self.before) != self.levels.value.data:
            raise VerifyException("entries are counted before a coordinate of each of the levels")
        _verify_levels(self.fiber, self.levels.value.data)
