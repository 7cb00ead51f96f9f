"""Protocols: how an access steps through the levels of a tensor, or locates positions in them (Ahrens 2022, section 4).

A read steps through the coordinates that a level stores, and its loop visits no other coordinates for it, or locates
the loop's coordinate. A write appends, if its coordinates come in order in this level and all above, or inserts.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IndexType, StringAttr
from xdsl.ir import SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

from irtensor.core.level_properties import LevelProperties
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.support.assembly import parse_tensor_type

STEP, LOCATE, APPEND, INSERT = "step", "locate", "append", "insert"
READS, WRITES = (STEP, LOCATE), (APPEND, INSERT)
Protocols = ArrayAttr[StringAttr]

# The level format that a new tensor needs for a protocol, and what one has to become that is used otherwise so far.
# Source: Ahrens 2022, section 7.8.
WIDENED: dict[tuple[str | None, str], str] = {
    (None, STEP): "compressed",
    (None, LOCATE): "dense",
    (None, APPEND): "compressed",
    (None, INSERT): "hashed",
    ("dense", STEP): "hashed",
    ("dense", LOCATE): "dense",
    ("dense", APPEND): "dense",
    ("dense", INSERT): "dense",
    ("compressed", STEP): "compressed",
    ("compressed", LOCATE): "hashed",
    ("compressed", APPEND): "compressed",
    ("compressed", INSERT): "hashed",
    **{("hashed", protocol): "hashed" for protocol in (*READS, *WRITES)},
}


def supports(level: LevelProperties, protocol: str) -> bool:
    """Whether a level format can be accessed by a protocol in time that does not depend on its extent."""
    if protocol == STEP:
        pattern = level.pattern
        return (level.stores_coordinates and not pattern.full) or pattern.along_diagonals or pattern.structured
    if protocol == LOCATE:
        return level.pattern.full or (level.access.inserts and not level.pattern.along_diagonals)
    return protocol == APPEND or level.access.inserts


def protocols_attribute(protocols: Sequence[str]) -> Protocols:
    return ArrayAttr([StringAttr(protocol) for protocol in protocols])


def by_level(protocols: Protocols | None, format: TensorFormat) -> Protocols | None:
    """The protocols of a tensor's dimensions as protocols of its levels. A dimension may have several levels.

    A step through blocks visits all positions of each block.
    """
    if protocols is None:
        return None
    pairs = [(level.format.pattern.full, protocols.data[level.expression.dimension].data) for level in format.levels]
    return protocols_attribute([LOCATE if full and word == STEP else word for full, word in pairs])


def print_access(printer: Printer, tensor: SSAValue, indices: Sequence[SSAValue], protocols: Protocols | None) -> None:
    """A tensor with its indices in brackets, each after its protocol: `%A[locate %i, step %j] : tensor<?x?xf64>`."""
    words = [] if protocols is None else [f"{protocol.data} " for protocol in protocols]
    printer.print_ssa_value(tensor)
    with printer.in_square_brackets():
        for number, index in enumerate(indices):
            printer.print_string((", " if number else "") + (words[number] if number < len(words) else ""))
            printer.print_ssa_value(index)
    printer.print_string(" : ")
    printer.print_attribute(tensor.type)


def parse_access(parser: Parser) -> tuple[SSAValue, list[SSAValue], Protocols | None]:
    """The other direction of `print_access`; if one index has a protocol, all have to."""
    words: list[str] = []

    def parse_index() -> SSAValue:
        for word in (*READS, *WRITES):
            if parser.parse_optional_keyword(word):
                words.append(word)
        return parser.resolve_operand(parser.parse_unresolved_operand(), IndexType())

    name = parser.parse_unresolved_operand()
    indices = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parse_index)
    parser.parse_punctuation(":")
    tensor = parser.resolve_operand(name, parse_tensor_type(parser, "an access names a tensor"))
    return tensor, indices, protocols_attribute(words) if words else None
