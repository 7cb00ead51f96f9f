"""Types of the `storage` dialect: formats as encodings of tensors, fibers, and the types of a tensor's arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from xdsl.dialects.builtin import IntAttr, IntegerAttr, IntegerType, NoneAttr, TensorType, i1, i64
from xdsl.ir import Attribute, Data, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser, Span
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from irtensor.core.argument_layout import array_width
from irtensor.core.diagnostics import UserError
from irtensor.core.level_format import LevelFormat
from irtensor.core.operators import Scalar, convert
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.algebra.scalar_types import ELEMENT_TYPES, element_name
from irtensor.dialects.support.assembly import parse_tensor_type

# Attribute of a function argument: it has entries where the argument of this number has them, in as many levels.
ENTRIES_OF = "storage.entries_of"


@irdl_attr_definition
class FormatAttr(Data[TensorFormat]):
    """Storage format of a tensor: `#storage.format<(i, j) -> (i : dense, j : compressed), fill = 0>`."""

    name = "storage.format"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> TensorFormat:
        with parser.in_angle_brackets():
            pieces = _format_pieces(parser)
            try:
                return TensorFormat.parse(" ".join(text for text, _ in pieces))
            except UserError as error:
                # xDSL's own tools report it like this; our parser finds the whole error in the context.
                parser.raise_error(f"[{error.slug}] {error.message}", _piece_at(pieces, error))

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(str(self.data))


def _format_pieces(parser: AttrParser) -> list[tuple[str, Span[str]]]:
    """The tokens up to the closing angle bracket: formats have one grammar, that of `TensorFormat.parse`."""
    pieces: list[tuple[str, Span[str]]] = []
    depth = 0
    while True:
        token = parser._current_token
        if token.text == ">" and depth == 0:
            return pieces
        if not token.text:
            parser.raise_error("expected '>' after the storage format")
        depth += (token.text == "<") - (token.text == ">")
        pieces.append((token.text, token.span))
        parser._consume_token()


def _piece_at(pieces: Sequence[tuple[str, Span[str]]], error: UserError) -> Span[str] | None:
    """The token that an error is about which points into the tokens joined by blanks."""
    column = error.location.column if error.location is not None else 1
    offset = 1
    for text, span in pieces:
        offset += len(text) + 1
        if column < offset:
            return span
    return pieces[-1][1] if pieces else None


@lru_cache(maxsize=256)
def _dense_format(rank: int) -> TensorFormat:
    return TensorFormat.dense(rank)


def format_of(tensor: Attribute) -> TensorFormat:
    """Format of a tensor type; without an encoding it is dense and row-major."""
    assert isinstance(tensor, TensorType)
    encoding = tensor.encoding
    if type(encoding) is NoneAttr:
        return _dense_format(len(tensor.shape))
    if not isinstance(encoding, FormatAttr):
        raise UserError(
            "unknown-encoding",
            f"tensor encoding {encoding} is not a #storage.format",
            help="write the encoding as #storage.format<(i, j) -> (i : dense, j : compressed)>",
        )
    return encoding.data


def verify_tensor(tensor: Attribute) -> None:
    """Check that a tensor has elements and an encoding that can be compiled, and as many dimensions as its format."""
    assert isinstance(tensor, TensorType)
    element = tensor.element_type
    if ELEMENT_TYPES.get(element_name(element)) != element:
        raise VerifyException(f"elements of type {element} are not supported; supported are {', '.join(ELEMENT_TYPES)}")
    format = format_of(tensor)
    if format.is_pattern and element != i1:
        raise VerifyException(f"a pattern has no values of type {element}; elements of leaf = pattern are bools (i1)")
    rank = format.rank
    if rank != len(tensor.shape):
        raise VerifyException(f"a format of {rank} dimensions cannot store a tensor of {len(tensor.shape)}")


def verify_written(tensor: Attribute) -> None:
    """Check that every level of a tensor is of a format that loops write."""
    format = format_of(tensor)
    for number, level in enumerate(format.levels):
        if not level.format.properties.is_written:
            text = f"level {number} ({format.level_text(number)}) is not written"
            raise VerifyException(f"{text}; compute it as {format.writable}, and convert that")


def verify_entries(tensor: Attribute, first: int, count: int, above: str) -> None:
    """Check that a tensor has so many levels from the `first`, below those `above`, whose entries have numbers."""
    assert isinstance(tensor, TensorType)
    verify_tensor(tensor)
    format = format_of(tensor)
    below = len(format.levels) - first
    if not 1 <= count <= below:
        raise VerifyException(f"{count} levels are counted, {below} are below {above}")
    for number in range(first, first + count):
        if not format.levels[number].format.properties.numbers_entries:
            raise VerifyException(f"entries of level {number} ({format.level_text(number)}) have no numbers")


def fill_of(tensor: Attribute) -> Scalar:
    """Fill value of a tensor type as a constant of its element type."""
    assert isinstance(tensor, TensorType)
    fill = format_of(tensor).fill
    return convert(0 if fill is None else fill, element_name(tensor.element_type))


@irdl_attr_definition
class FiberType(ParametrizedAttribute, TypeAttribute):
    """`!storage.fiber<tensor<...>, level>`: a subtree; `level` levels above it are already resolved."""

    name = "storage.fiber"
    tensor: TensorType[Attribute]
    level: IntAttr

    @property
    def level_format(self) -> LevelFormat:
        """How the level is stored that comes next."""
        return format_of(self.tensor).levels[self.level.data].format

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            tensor = parse_tensor_type(parser, "a fiber is a part of a tensor")
            parser.parse_punctuation(",")
            level = parser.parse_integer(allow_boolean=False, allow_negative=False)
        return [tensor, IntAttr(level)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.tensor)
            printer.print_string(f", {self.level.data}")

    def verify(self) -> None:
        verify_tensor(self.tensor)
        levels = len(format_of(self.tensor).levels)
        if not 0 <= self.level.data <= levels:
            raise VerifyException(f"fiber level {self.level.data} is outside 0..{levels}")


@lru_cache(maxsize=1024)
def fiber_type(tensor: Attribute, level: int) -> FiberType:
    """The type below `level` resolved levels of a tensor type."""
    assert isinstance(tensor, TensorType)
    return FiberType(tensor, IntAttr(level))


def payload_type(tensor: TensorType[Attribute], level: int) -> Attribute:
    """The part below `level` resolved levels: a fiber, or the element when all levels are resolved."""
    return tensor.element_type if level == len(format_of(tensor).levels) else fiber_type(tensor, level)


@lru_cache(maxsize=64)
def _integer_type(width: int) -> IntegerType:
    return IntegerType(width)


def array_element(tensor: Attribute, array: str, level: int = 0) -> Attribute:
    """Element type of an array of a level, by its name, or of the values, of a tensor type."""
    assert isinstance(tensor, TensorType)
    if array == "values":
        return tensor.element_type
    format = format_of(tensor)
    found = format.levels[level].format.properties.array(array) if level < len(format.levels) else None
    if found is None:
        return i64  # the verifier of what asks refuses it
    width = array_width(format, level, found)
    return i1 if width is None else _integer_type(width)


@lru_cache(maxsize=256)
def number_attribute(number: int) -> IntegerAttr[IntegerType]:
    """The number of a level or dimension, as operations that read storage have it."""
    return IntegerAttr(number, i64)
