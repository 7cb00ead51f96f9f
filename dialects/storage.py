"""The `storage` dialect: how tensors are stored, and access to their levels.

A tensor is a builtin `tensor<?x?xf64, #storage.format<...>>`; without an encoding it is dense, row-major, with fill 0.
A fiber is one subtree of a stored tensor: the entries of level `level` that belong to a range of parent positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from xdsl.dialects.builtin import IndexType, IntAttr, IntegerAttr, NoneAttr, StringAttr, TensorType, UnitAttr, i32, i64
from xdsl.ir import Attribute, Data, Dialect, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser, Parser, Span
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.algebra import ELEMENT_TYPES, constant_type, element_name
from irtensor.dialects.assembly import Number, Word, parse_tensor_type
from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.loop_types import BufferType, GrowableType, growable_type
from irtensor.dialects.operators import Scalar, convert
from irtensor.dialects.tensor_format import TensorFormat

_index = IndexType()


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
        token = parser._current_token  # pyright: ignore[reportPrivateUsage]
        if token.text == ">" and depth == 0:
            return pieces
        if not token.text:
            parser.raise_error("expected '>' after the storage format")
        depth += (token.text == "<") - (token.text == ">")
        pieces.append((token.text, token.span))
        parser._consume_token()  # pyright: ignore[reportPrivateUsage]


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
    if isinstance(encoding, FormatAttr):
        return encoding.data
    if not isinstance(encoding, NoneAttr):
        raise UserError(
            "unknown-encoding",
            f"tensor encoding {encoding} is not a #storage.format",
            help="write the encoding as #storage.format<(i, j) -> (i : dense, j : compressed)>",
        )
    return _dense_format(len(tensor.shape))


def verify_tensor(tensor: Attribute) -> None:
    """Check that a tensor has elements and an encoding that can be compiled, and as many dimensions as its format."""
    assert isinstance(tensor, TensorType)
    element = tensor.element_type
    if ELEMENT_TYPES.get(element_name(element)) != element:
        raise VerifyException(f"elements of type {element} are not supported; supported are {', '.join(ELEMENT_TYPES)}")
    rank = format_of(tensor).rank
    if rank != len(tensor.shape):
        raise VerifyException(f"a format of {rank} dimensions cannot store a tensor of {len(tensor.shape)}")


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
def fiber_type(tensor: TensorType[Attribute], level: int) -> FiberType:
    return FiberType(tensor, IntAttr(level))


def payload_type(tensor: TensorType[Attribute], level: int) -> Attribute:
    """What lies below `level` resolved levels: a fiber, or the element when all levels are resolved."""
    return tensor.element_type if level == len(format_of(tensor).levels) else fiber_type(tensor, level)


@irdl_op_definition
class RootOp(IRDLOperation):
    """The fiber of a whole tensor."""

    name = "storage.root"
    tensor = operand_def(TensorType)
    result = result_def(FiberType)
    traits = traits_def(Pure())

    def __init__(self, tensor: SSAValue):
        super().__init__(operands=[tensor], result_types=[fiber_type(tensor.type, 0)])  # pyright: ignore

    def verify_(self) -> None:
        if self.result.type != fiber_type(self.tensor.type, 0):  # pyright: ignore
            raise VerifyException("the root fiber has the tensor's type and level 0")

    @classmethod
    def parse(cls, parser):  # pyright: ignore
        operand = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        return RootOp(parser.resolve_operand(operand, parse_tensor_type(parser, "only tensors are stored")))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.tensor)
        printer.print_string(" : ")
        printer.print_attribute(self.tensor.type)


@irdl_op_definition
class FiberOp(IRDLOperation):
    """The fiber below the parent positions [begin, end) of a tensor; one position unless the parent is nonunique."""

    name = "storage.fiber"
    tensor = operand_def(TensorType)
    begin = operand_def(IndexType)
    end = operand_def(IndexType)
    result = result_def(FiberType)
    traits = traits_def(Pure())
    assembly_format = "$tensor `[` $begin `to` $end `]` `:` type($tensor) `->` type($result) attr-dict"

    @staticmethod
    def of(tensor: SSAValue, begin: SSAValue, end: SSAValue, level: int) -> FiberOp:
        result = fiber_type(tensor.type, level)  # pyright: ignore
        return FiberOp.create(operands=(tensor, begin, end), result_types=(result,))

    def verify_(self) -> None:
        fiber = self.result.type
        assert isinstance(fiber, FiberType)
        if fiber.tensor != self.tensor.type:
            raise VerifyException(f"a fiber of {self.tensor.type} cannot have type {fiber}")
        if fiber.level.data == 0:
            raise VerifyException("the fiber at level 0 is the root; level 1 is the first below positions")


@irdl_op_definition
class FillFiberOp(IRDLOperation):
    """A fiber without stored entries: every element is the tensor's fill value."""

    name = "storage.fill_fiber"
    result = result_def(FiberType)
    traits = traits_def(Pure())
    assembly_format = "`:` type($result) attr-dict"

    @staticmethod
    def of(fiber: Attribute) -> FillFiberOp:
        return FillFiberOp.create(result_types=(fiber,))


def _print_numbered(printer: Printer, tensor: SSAValue, number: IntegerAttr) -> None:
    """Print ` %A, 1 : type`: an operand and the number of one of its levels or dimensions."""
    printer.print_string(" ")
    printer.print_ssa_value(tensor)
    printer.print_string(f", {number.value.data} : ")
    printer.print_attribute(tensor.type)


def _parse_numbered(parser: Parser) -> tuple[SSAValue, int]:
    name = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    number = parser.parse_integer(allow_boolean=False, allow_negative=False)
    parser.parse_punctuation(":")
    return parser.resolve_operand(name, parse_tensor_type(parser, "only tensors are stored")), number


@irdl_op_definition
class DimOp(IRDLOperation):
    """Extent of one dimension of a tensor. Rule: the tensor has that dimension."""

    name = "storage.dim"
    tensor = operand_def(TensorType)
    dimension = prop_def(IntegerAttr)
    result = result_def(IndexType)
    traits = traits_def(Pure())

    @staticmethod
    def of(tensor: SSAValue, dimension: int) -> DimOp:
        properties = {"dimension": IntegerAttr(dimension, i64)}
        return DimOp.create(operands=(tensor,), result_types=(_index,), properties=properties)

    def verify_(self) -> None:
        assert isinstance(self.tensor.type, TensorType)
        rank = len(self.tensor.type.shape)
        if self.dimension.value.data >= rank:
            raise VerifyException(f"the tensor has {rank} dimensions, so no dimension {self.dimension.value.data}")

    def print(self, printer: Printer) -> None:
        _print_numbered(printer, self.tensor, self.dimension)

    @classmethod
    def parse(cls, parser: Parser) -> DimOp:
        return DimOp.of(*_parse_numbered(parser))


def _verify_array(tensor: SSAValue, array: str, level: int) -> None:
    """Check that a level of a tensor has an array of that kind."""
    format = format_of(tensor.type)
    if array == "values":
        if level != len(format.levels):
            raise VerifyException(f"values lie below all {len(format.levels)} levels, not at level {level}")
        return
    if level >= len(format.levels):
        raise VerifyException(f"the tensor has {len(format.levels)} levels, so no level {level}")
    properties = format.levels[level].format.properties
    if not (properties.has_positions if array == "positions" else properties.has_coordinates):
        raise VerifyException(f"level {level} ({format.level_text(level)}) has no {array}")


@irdl_op_definition
class PositionsOp(IRDLOperation):
    """The positions array `pos` of a level. Rule: the level has positions."""

    name = "storage.positions"
    tensor = operand_def(TensorType)
    level = prop_def(IntegerAttr)
    result = result_def(BufferType)
    traits = traits_def(Pure())

    @staticmethod
    def of(tensor: SSAValue, level: int) -> PositionsOp:
        result = buffer_type(width_type(format_of(tensor.type).position_width))
        properties = {"level": IntegerAttr(level, i64)}
        return PositionsOp.create(operands=(tensor,), result_types=(result,), properties=properties)

    def verify_(self) -> None:
        _verify_array(self.tensor, "positions", self.level.value.data)

    def print(self, printer: Printer) -> None:
        _print_numbered(printer, self.tensor, self.level)

    @classmethod
    def parse(cls, parser: Parser) -> PositionsOp:
        return PositionsOp.of(*_parse_numbered(parser))


@irdl_op_definition
class CoordinatesOp(IRDLOperation):
    """The coordinates array `crd` of a level. Rule: the level has coordinates."""

    name = "storage.coordinates"
    tensor = operand_def(TensorType)
    level = prop_def(IntegerAttr)
    result = result_def(BufferType)
    traits = traits_def(Pure())

    @staticmethod
    def of(tensor: SSAValue, level: int) -> CoordinatesOp:
        result = buffer_type(width_type(format_of(tensor.type).coordinate_width))
        properties = {"level": IntegerAttr(level, i64)}
        return CoordinatesOp.create(operands=(tensor,), result_types=(result,), properties=properties)

    def verify_(self) -> None:
        _verify_array(self.tensor, "coordinates", self.level.value.data)

    def print(self, printer: Printer) -> None:
        _print_numbered(printer, self.tensor, self.level)

    @classmethod
    def parse(cls, parser: Parser) -> CoordinatesOp:
        return CoordinatesOp.of(*_parse_numbered(parser))


@irdl_op_definition
class ValuesOp(IRDLOperation):
    """The values array `vals` of a tensor. Rule: a buffer of the element type."""

    name = "storage.values"
    tensor = operand_def(TensorType)
    result = result_def(BufferType)
    traits = traits_def(Pure())
    assembly_format = "$tensor `:` type($tensor) `->` type($result) attr-dict"

    @staticmethod
    def of(tensor: SSAValue) -> ValuesOp:
        assert isinstance(tensor.type, TensorType)
        return ValuesOp.create(operands=(tensor,), result_types=(buffer_type(tensor.type.element_type),))

    def verify_(self) -> None:
        expected = buffer_type(array_element(self.tensor.type, "values"))
        if self.result.type != expected:
            raise VerifyException(f"values are {expected}, not {self.result.type}")


@irdl_op_definition
class ResultOp(IRDLOperation):
    """A result under construction; reads as its fill value until written.

    `initialize` says that entries may stay unwritten or are accumulated into, so the values start at the fill value,
    or at `initial` where a reduction starts from another value. Rule: `initial` has the element type.
    """

    name = "storage.result"
    result = result_def(TensorType)
    initialize = opt_prop_def(UnitAttr)
    initial = opt_prop_def()
    assembly_format = "(`initialize` $initialize^)? (`initial` $initial^)? `:` type($result) attr-dict"

    @staticmethod
    def of(tensor: Attribute) -> ResultOp:
        return ResultOp.create(result_types=(tensor,))

    def verify_(self) -> None:
        assert isinstance(self.result.type, TensorType)
        element = self.result.type.element_type
        if self.initial is not None and constant_type(self.initial) != element:
            raise VerifyException(f"initial value {self.initial} is not of type {element}")


@irdl_op_definition
class GrowableOp(IRDLOperation):
    """An array of a result under construction that grows as entries are appended.

    `array` is positions, coordinates or values. Rules: the level has that array, values lie below the last level;
    the result has the array's element type.
    """

    name = "storage.growable"
    tensor = operand_def(TensorType)
    array = prop_def(StringAttr)
    level = prop_def(IntegerAttr)
    result = result_def(GrowableType)
    assembly_format = (
        "custom<Word>($array) custom<Number>($level) `of` $tensor `:` type($tensor) `->` type($result) attr-dict"
    )
    custom_directives = (Number, Word)

    @staticmethod
    def of(tensor: SSAValue, array: str, level: int) -> GrowableOp:
        properties = {"array": StringAttr(array), "level": IntegerAttr(level, i64)}
        result = growable_type(array_element(tensor.type, array))
        return GrowableOp.create(operands=(tensor,), result_types=(result,), properties=properties)

    def verify_(self) -> None:
        array = self.array.data
        if array not in ("positions", "coordinates", "values"):
            raise VerifyException(f"unknown array '{array}'; arrays are positions, coordinates and values")
        _verify_array(self.tensor, array, self.level.value.data)
        expected = growable_type(array_element(self.tensor.type, array))
        if self.result.type != expected:
            raise VerifyException(f"{array} grow as {expected}, not {self.result.type}")


def array_element(tensor: Attribute, array: str) -> Attribute:
    """Element type of the positions, coordinates or values of a tensor type."""
    assert isinstance(tensor, TensorType)
    if array == "values":
        return tensor.element_type
    format = format_of(tensor)
    return width_type(format.position_width if array == "positions" else format.coordinate_width)


@lru_cache(maxsize=64)
def buffer_type(element: Attribute) -> BufferType:
    return BufferType(element)


def width_type(width: int) -> Attribute:
    return i32 if width == 32 else i64


Storage = Dialect(
    "storage",
    [RootOp, FiberOp, FillFiberOp, DimOp, PositionsOp, CoordinatesOp, ValuesOp, ResultOp, GrowableOp],
    [FormatAttr, FiberType],
)
