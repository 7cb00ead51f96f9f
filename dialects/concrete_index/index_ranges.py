"""Operations of `concrete_index` from which the ranges of loops are computed."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr, StringAttr, TensorType, UnitAttr, i64
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
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from irtensor.core.numbered_dimensions import NotNumbered, numbered_dimensions
from irtensor.core.schedule_words import BOUND_KINDS
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.storage.storage import format_of, verify_entries, verify_tensor
from irtensor.dialects.support.assembly import Number, Word, parse_tensor_type
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation

_index = IndexType()


@define_operation
class ExtentOp(IRDLOperation):
    """How many coordinates a dimension of a tensor has."""

    name = "concrete_index.extent"
    tensor = operand_def(TensorType)
    dimension = prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType)
    traits = traits_def(Pure())

    @staticmethod
    def of(tensor: SSAValue, dimension: int) -> ExtentOp:
        properties: dict[str, Attribute] = {"dimension": IntegerAttr(dimension, _index)}
        return create_operation(ExtentOp, (tensor,), properties=properties, result_types=(_index,))

    def verify_(self) -> None:
        assert isinstance(self.tensor.type, TensorType)
        verify_tensor(self.tensor.type)
        rank = len(self.tensor.type.shape)
        if not 0 <= self.dimension.value.data < rank:
            raise VerifyException(f"dimension {self.dimension.value.data} does not exist; the tensor has rank {rank}")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.tensor)
        printer.print_string(f", {self.dimension.value.data} : ")
        printer.print_attribute(self.tensor.type)

    @classmethod
    def parse(cls, parser: Parser) -> ExtentOp:
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        dimension = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation(":")
        tensor = parser.resolve_operand(name, parse_tensor_type(parser, "an extent is that of a tensor"))
        return ExtentOp.of(tensor, dimension)


def _verify_levels(op: EntryOp | EntryCountOp) -> None:
    if op.by_dimension is None:
        verify_entries(op.tensor.type, len(op.prefix), op.levels.value.data, "the given indices")
    else:
        _verify_dimensions(op, format_of(op.tensor.type), op.levels.value.data)


def _verify_dimensions(op: EntryOp | EntryCountOp, format: TensorFormat, count: int) -> None:
    if not format.is_blocked:
        raise VerifyException("entries are counted by dimension where a tensor is stored in blocks; here by level")
    below = format.rank - len(op.prefix)
    if not 1 <= count <= below:
        raise VerifyException(f"{count} dimensions are counted, {below} are below the given indices")
    found = numbered_dimensions(format, len(op.prefix), count)
    if isinstance(found, NotNumbered):
        raise VerifyException(f"the format {found.problem}, so that entries have no numbers")
    verify_entries(op.tensor.type, found[0].levels.start, found[-1].levels.stop - found[0].levels.start, "others")


def _print_fiber(printer: Printer, tensor: SSAValue, indices: Sequence[SSAValue]) -> None:
    printer.print_string(" ")
    printer.print_ssa_value(tensor)
    with printer.in_square_brackets():
        printer.print_list(indices, printer.print_ssa_value)


def _print_levels(printer: Printer, op: EntryOp | EntryCountOp | EntryNumberOp) -> None:
    by_dimension = not isinstance(op, EntryNumberOp) and op.by_dimension is not None
    printer.print_string(f" {'dimensions' if by_dimension else 'levels'} {op.levels.value.data} : ")
    printer.print_attribute(op.tensor.type)


def _parse_fiber(parser: Parser) -> tuple[UnresolvedOperand, list[SSAValue]]:
    name = parser.parse_unresolved_operand()
    indices = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand)
    return name, [parser.resolve_operand(index, _index) for index in indices]


def _parse_index(parser: Parser) -> SSAValue:
    return parser.resolve_operand(parser.parse_unresolved_operand(), _index)


def _parse_numbered(parser: Parser, name: UnresolvedOperand) -> tuple[SSAValue, int, bool]:
    if parser.parse_optional_keyword("dimensions"):
        return *_parse_count(parser, name), True
    return *_parse_levels(parser, name), False


def _parse_levels(parser: Parser, name: UnresolvedOperand) -> tuple[SSAValue, int]:
    parser.parse_keyword("levels")
    return _parse_count(parser, name)


def _parse_count(parser: Parser, name: UnresolvedOperand) -> tuple[SSAValue, int]:
    start = parser.pos
    levels = parser.parse_integer(allow_boolean=False)
    end = parser.pos
    parser.parse_punctuation(":")
    tensor = parser.resolve_operand(name, parse_tensor_type(parser, "entries are those of a tensor"))
    # An entry has a coordinate, which is a result, for each.
    if levels > (most := len(format_of(tensor.type).levels)):
        parser.raise_error(f"{levels} levels are counted, the tensor has {most}", at_position=start, end_position=end)
    return tensor, levels


@define_operation
class EntryOp(IRDLOperation):
    """The coordinates of the entry with a number, in storage order, among those of a tensor below given coordinates.

    Entries are counted at the last of `levels` levels below the given indices, which are those of its outer levels.
    Gives the coordinate of each of these levels; of a number behind the last entry, their extents. It is looked for
    `between` two coordinates of the outermost of these levels, where those are given: it is at one of them, or between.
    Of a tensor in blocks, `dimensions` are counted instead of levels, and the indices are those of dimensions: entries
    are all elements of stored blocks, in lexicographic order, those behind the last coordinate included. They are
    there. Rules: a level between whose coordinates an entry is stores every one.
    """

    name = "concrete_index.entry"
    tensor = operand_def(TensorType)
    indices = var_operand_def(IndexType)
    number = operand_def(IndexType)
    has_ends = opt_prop_def(UnitAttr, prop_name="between")
    levels = prop_def(IntegerAttr[IndexType])
    by_dimension = opt_prop_def(UnitAttr)
    coordinates = var_result_def(IndexType)
    traits = traits_def(Pure())

    @staticmethod
    def of(
        tensor: SSAValue,
        prefix: Sequence[SSAValue],
        number: SSAValue,
        levels: int,
        between: Sequence[SSAValue] = (),
        by_dimension: bool = False,
    ) -> EntryOp:
        properties: dict[str, Attribute] = {"levels": IntegerAttr(levels, _index)}
        if between:
            properties["between"] = UnitAttr()
        if by_dimension:
            properties["by_dimension"] = UnitAttr()
        operands = (tensor, *prefix, *between, number)
        return create_operation(EntryOp, operands, properties=properties, result_types=[_index] * levels)

    @property
    def prefix(self) -> Sequence[SSAValue]:
        """The given coordinates."""
        return self.indices[: len(self.indices) - len(self.between)]

    @property
    def between(self) -> Sequence[SSAValue]:
        """The first and the last coordinate at which the entry may be; none if it may be at any."""
        return () if self.has_ends is None else self.indices[-2:]

    def verify_(self) -> None:
        _verify_levels(self)
        if self.has_ends is not None:
            if self.by_dimension is not None:
                raise VerifyException("an entry is looked for between coordinates of a level, not of a dimension")
            level = format_of(self.tensor.type).levels[len(self.prefix)]
            if not level.format.pattern.full:
                raise VerifyException("an entry is looked for between coordinates of a level that stores every one")
        if len(self.coordinates) != self.levels.value.data:
            raise VerifyException(f"an entry of {self.levels.value.data} levels has as many coordinates")

    def print(self, printer: Printer) -> None:
        _print_fiber(printer, self.tensor, self.prefix)
        printer.print_string(", ")
        printer.print_ssa_value(self.number)
        if self.between:
            printer.print_string(" between ")
            printer.print_list(self.between, printer.print_ssa_value)
        _print_levels(printer, self)

    @classmethod
    def parse(cls, parser: Parser) -> EntryOp:
        name, prefix = _parse_fiber(parser)
        parser.parse_punctuation(",")
        number = _parse_index(parser)
        between: list[SSAValue] = []
        if parser.parse_optional_keyword("between"):
            between.append(_parse_index(parser))
            parser.parse_punctuation(",")
            between.append(_parse_index(parser))
        tensor, levels, by_dimension = _parse_numbered(parser, name)
        return EntryOp.of(tensor, prefix, number, levels, between, by_dimension)


@define_operation
class EntryCountOp(IRDLOperation):
    """How many entries a tensor has below given coordinates, counted at the last of `levels` levels.

    With `before`, the last operands are coordinates of these levels: entries before them are counted, in storage order.
    Of a tensor in blocks, `dimensions` may be counted, as by `entry`.
    """

    name = "concrete_index.entry_count"
    tensor = operand_def(TensorType)
    indices = var_operand_def(IndexType)
    levels = prop_def(IntegerAttr[IndexType])
    has_end = opt_prop_def(UnitAttr, prop_name="before")
    by_dimension = opt_prop_def(UnitAttr)
    result = result_def(IndexType)
    traits = traits_def(Pure())

    @staticmethod
    def of(
        tensor: SSAValue,
        prefix: Sequence[SSAValue],
        levels: int,
        before: Sequence[SSAValue] = (),
        by_dimension: bool = False,
    ) -> EntryCountOp:
        properties: dict[str, Attribute] = {"levels": IntegerAttr(levels, _index)}
        if before:
            properties["before"] = UnitAttr()
        if by_dimension:
            properties["by_dimension"] = UnitAttr()
        operands = (tensor, *prefix, *before)
        return create_operation(EntryCountOp, operands, properties=properties, result_types=[_index])

    @property
    def prefix(self) -> Sequence[SSAValue]:
        """The given coordinates."""
        return self.indices[: len(self.indices) - len(self.before)]

    @property
    def before(self) -> Sequence[SSAValue]:
        """The coordinates before which entries are counted, one for each level; none if all are."""
        return () if self.has_end is None else self.indices[-self.levels.value.data :]

    def verify_(self) -> None:
        if self.has_end is not None and len(self.indices) < self.levels.value.data:
            raise VerifyException("entries are counted before a coordinate of each of the levels")
        _verify_levels(self)

    def print(self, printer: Printer) -> None:
        _print_fiber(printer, self.tensor, self.prefix)
        if self.before:
            printer.print_string(" before ")
            printer.print_list(self.before, printer.print_ssa_value)
        _print_levels(printer, self)

    @classmethod
    def parse(cls, parser: Parser) -> EntryCountOp:
        name, prefix = _parse_fiber(parser)
        before: list[SSAValue] = []
        if parser.parse_optional_keyword("before"):
            before = parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: _parse_index(parser))
        tensor, levels, by_dimension = _parse_numbered(parser, name)
        return EntryCountOp.of(tensor, prefix, levels, before, by_dimension)


@define_operation
class EntryNumberOp(IRDLOperation):
    """The number of the entry at some coordinates, counted from another one; `past` where there is none.

    The inverse of `entry`: entries are counted in storage order at the last of `levels` levels, below the indices
    before, and `first` is the number of the one that is 0. The indices are those of all levels, the outermost first.
    """

    name = "concrete_index.entry_number"
    tensor = operand_def(TensorType)
    indices = var_operand_def(IndexType)
    first = operand_def(IndexType)
    past = operand_def(IndexType)
    levels = prop_def(IntegerAttr[IndexType])
    result = result_def(IndexType)
    traits = traits_def(Pure())

    @staticmethod
    def of(
        tensor: SSAValue, indices: Sequence[SSAValue], first: SSAValue, past: SSAValue, levels: int
    ) -> EntryNumberOp:
        properties: dict[str, Attribute] = {"levels": IntegerAttr(levels, _index)}
        operands = (tensor, *indices, first, past)
        return create_operation(EntryNumberOp, operands, properties=properties, result_types=[_index])

    @property
    def prefix(self) -> Sequence[SSAValue]:
        """The indices below which entries are counted."""
        return self.indices[: len(self.indices) - self.levels.value.data]

    def verify_(self) -> None:
        levels = format_of(self.tensor.type).levels
        if len(self.indices) != len(levels):
            raise VerifyException(f"an entry has an index for each of {len(levels)} levels, not {len(self.indices)}")
        verify_entries(self.tensor.type, len(self.prefix), self.levels.value.data, "the given indices")
        if not levels[-1].format.unique:
            raise VerifyException("the last level stores each coordinate once, so that there is one number for it")

    def print(self, printer: Printer) -> None:
        _print_fiber(printer, self.tensor, self.indices)
        printer.print_string(" from ")
        printer.print_ssa_value(self.first)
        printer.print_string(" past ")
        printer.print_ssa_value(self.past)
        _print_levels(printer, self)

    @classmethod
    def parse(cls, parser: Parser) -> EntryNumberOp:
        name, indices = _parse_fiber(parser)
        parser.parse_keyword("from")
        first = _parse_index(parser)
        parser.parse_keyword("past")
        past = _parse_index(parser)
        tensor, levels = _parse_levels(parser, name)
        return EntryNumberOp.of(tensor, indices, first, past, levels)


@define_operation
class BoundOp(IRDLOperation):
    """An extent with a known property: it is `exact`ly so large, or a `multiple` of a number.

    Where that does not hold, the kernel ends with a status of its own. Rules: the kind is one of these words; the
    number is positive.
    """

    name = "concrete_index.bound"
    extent = operand_def(IndexType)
    kind = prop_def(StringAttr)
    number = prop_def(IntegerAttr)
    result = result_def(IndexType)
    traits = traits_def(Pure())
    assembly_format = "$extent custom<Word>($kind) custom<Number>($number) attr-dict"
    custom_directives = (Word, Number)

    @staticmethod
    def of(extent: SSAValue, kind: str, number: int, variable: str) -> BoundOp:
        properties: dict[str, Attribute] = {"kind": StringAttr(kind), "number": IntegerAttr(number, i64)}
        op = create_operation(BoundOp, (extent,), properties=properties, result_types=(_index,))
        op.attributes["variable"] = StringAttr(variable)
        return op

    @property
    def index_name(self) -> str:
        """The variable that it is said of, for messages."""
        name = self.attributes.get("variable")
        return name.data if isinstance(name, StringAttr) else "an index variable"

    @property
    def is_exact(self) -> bool:
        return self.kind.data == "exact"

    def verify_(self) -> None:
        if self.kind.data not in BOUND_KINDS:
            raise VerifyException(f"unknown kind '{self.kind.data}'; kinds are {' and '.join(BOUND_KINDS)}")
        if self.number.value.data < 1:
            raise VerifyException(f"an extent is bounded by a positive number, not {self.number.value.data}")
