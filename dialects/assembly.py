"""Pieces of assembly syntax that several dialects share."""

from xdsl.dialects.builtin import IndexType, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Region
from xdsl.parser import Parser
from xdsl.printer import Printer

_index = IndexType()


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
    return StringAttr(parser.parse_identifier(" (an operator name)"))


def print_index_region(printer: Printer, body: Region, result: Attribute) -> None:
    """Print ` (%i, %j) : type { ... }`, the index variables being the region's arguments."""
    printer.print_string(" ")
    with printer.in_parens():
        printer.print_list(body.block.args, printer.print_ssa_value)
    printer.print_string(" : ")
    printer.print_attribute(result)
    printer.print_string(" ")
    printer.print_region(body, print_entry_block_args=False)


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
