"""Pieces of assembly syntax that several dialects share."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IndexType, IntAttr, IntegerAttr, StringAttr, SymbolRefAttr, TensorType, i64
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    RegionVariable,
    VariadicRegionVariable,
    irdl_custom_directive,
)
from xdsl.parser import AttrParser, Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.support.create_operation import create_block

_index = IndexType()


def print_stored(printer: Printer, operator: Attribute | None, value: SSAValue) -> None:
    """`add %x into`, or `%x into` without an operator."""
    printer.print_string(" ")
    if operator is not None:
        print_operator(printer, operator)
        printer.print_string(" ")
    printer.print_ssa_value(value)
    printer.print_string(" into ")


def parse_stored(parser: Parser) -> tuple[Attribute | None, UnresolvedOperand]:
    """The operator and the value of `add %x into`."""
    operator, value = None, parser.parse_optional_unresolved_operand()
    if value is None:
        operator, value = parse_operator(parser), parser.parse_unresolved_operand()
    parser.parse_keyword("into")
    return operator, value


def print_operator(printer: Printer, operator: Attribute) -> None:
    """Print an operator as its bare name, or as a symbol when the user declared it."""
    if isinstance(operator, SymbolRefAttr):
        printer.print_string(f"@{operator.root_reference.data}")
    elif isinstance(operator, StringAttr):
        printer.print_string(operator.data)


def parse_operator(parser: Parser) -> Attribute:
    symbol = parser.parse_optional_symbol_name()
    if symbol is not None:
        return SymbolRefAttr(symbol)
    return StringAttr(parser.parse_identifier(context_msg=" (an operator name)"))


def parse_tensor_type(parser: AttrParser, rule: str) -> TensorType[Attribute]:
    """Parse the type of a tensor; `rule` says why it must be one."""
    position = parser.pos
    tensor = parser.parse_type()
    if not isinstance(tensor, TensorType):
        parser.raise_error(rule, position)
    return tensor


def print_index_region(printer: Printer, body: Region, result: Attribute) -> None:
    """Print ` (%i, %j) : type { ... }`, the index variables being the region's arguments."""
    printer.print_string(" ")
    with printer.in_parens():
        printer.print_list(body.block.args, printer.print_ssa_value)
    printer.print_string(" : ")
    printer.print_attribute(result)
    printer.print_string(" ")
    printer.print_region(body, print_entry_block_args=False, print_empty_block=False)


def parse_index_region(parser: Parser) -> tuple[Region, Attribute]:
    arguments = parse_index_arguments(parser)
    parser.parse_punctuation(":")
    result = parser.parse_type()
    return parser.parse_region(arguments), result


def parse_index_arguments(parser: Parser) -> list[Parser.Argument]:
    """Parse `(%i, %j)` as index variables that a region is about to bind."""

    def parse_argument() -> Parser.Argument:
        argument = parser.parse_argument(expect_type=False)
        return argument.resolve(_index)

    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_argument)


def verify_bound(block: Block, expected: Sequence[Attribute], what: str) -> None:
    """Check the types of what a region binds; `what` names it in the message."""
    if tuple(argument.type for argument in block.args) != tuple(expected):
        found = ", ".join(str(argument.type) for argument in block.args) or "nothing"
        raise VerifyException(f"{what} binds {', '.join(map(str, expected))}, not {found}")


def verify_yielded(values: Sequence[SSAValue], expected: Sequence[Attribute], what: str) -> None:
    """Check the types of what a region yields; `what` names it in the message."""
    if tuple(value.type for value in values) != tuple(expected):
        found = ", ".join(str(value.type) for value in values) or "nothing"
        raise VerifyException(f"{what} yields {', '.join(map(str, expected))}, not {found}")


def number_list(numbers: Sequence[int]) -> ArrayAttr[IntAttr]:
    return ArrayAttr([IntAttr(number) for number in numbers])


def _parse_numbers(parser: Parser) -> ArrayAttr[IntAttr]:
    numbers = parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False, allow_negative=False)
    )
    return number_list(numbers)


def _print_numbers(printer: Printer, numbers: Attribute) -> None:
    assert isinstance(numbers, ArrayAttr)
    printer.print_string(str([number.data for number in numbers.data]))


@irdl_custom_directive
class Numbers(CustomDirective):
    """A list of numbers, `[0, 2]`."""

    attribute: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.attribute.set(state, _parse_numbers(parser))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        numbers = self.attribute.get(op)
        assert numbers is not None
        _print_numbers(printer, numbers)


@irdl_custom_directive
class NumberLists(CustomDirective):
    """A list of lists of numbers, `[[0, 1], [0]]`."""

    attribute: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        lists = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_numbers(parser))
        self.attribute.set(state, ArrayAttr(lists))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        lists = self.attribute.get(op)
        assert isinstance(lists, ArrayAttr)
        with printer.in_square_brackets():
            printer.print_list(lists.data, lambda numbers: _print_numbers(printer, numbers))


@irdl_custom_directive
class OptionalNumbers(CustomDirective):
    """The name of an optional attribute and its numbers, `live [0, 2]`, or nothing."""

    attribute: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if parser.parse_optional_keyword(self.attribute.name):
            self.attribute.set(state, _parse_numbers(parser))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        numbers = self.attribute.get(op)
        if numbers is not None:
            state.print_whitespace(printer)
            printer.print_string(f"{self.attribute.name} ")
            _print_numbers(printer, numbers)


@irdl_custom_directive
class OptionalCount(CustomDirective):
    """The name of an optional attribute and its number, `copies 2`, or nothing."""

    attribute: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if parser.parse_optional_keyword(self.attribute.name):
            self.attribute.set(state, IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        count = self.attribute.get(op)
        if count is not None:
            assert isinstance(count, IntAttr)
            state.print_whitespace(printer)
            printer.print_string(f"{self.attribute.name} {count.data}")


@irdl_custom_directive
class Number(CustomDirective):
    """A number without its type."""

    attribute: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        number = parser.parse_integer(allow_boolean=False, allow_negative=False)
        self.attribute.set(state, IntegerAttr(number, i64))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        number = self.attribute.get(op)
        assert isinstance(number, IntegerAttr)
        printer.print_string(str(number.value.data))


@irdl_custom_directive
class Statements(CustomDirective):
    """A region of one block, which may be empty: `{ }` is an empty block, not a region without one."""

    region: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        region = parser.parse_region()
        if not region.blocks:
            region.add_block(create_block())
        self.region.set(state, region)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_region(self.region.get(op), print_empty_block=False)


@irdl_custom_directive
class Regions(CustomDirective):
    """Any number of regions, one after another; xDSL 0.75 and newer wants commas between them if it is left to it."""

    regions: VariadicRegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        regions: list[Region] = []
        while (region := parser.parse_optional_region()) is not None:
            regions.append(region)
        self.regions.set(state, regions)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        for region in self.regions.get(op):
            state.print_whitespace(printer)
            printer.print_region(region)


@irdl_custom_directive
class Word(CustomDirective):
    """A string without its quotes."""

    attribute: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.attribute.set(state, StringAttr(parser.parse_identifier()))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        word = self.attribute.get(op)
        assert isinstance(word, StringAttr)
        printer.print_string(word.data)
