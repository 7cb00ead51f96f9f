"""The `storage` dialect: how tensors are stored, and access to their levels.

A tensor is a builtin `tensor<?x?xf64, #storage.format<...>>`; without an encoding it is dense, row-major, with fill 0.
A fiber is one subtree of a stored tensor: the entries of level `level` that belong to a range of parent positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard, cast

from xdsl.dialects.builtin import IndexType, IntegerAttr, StringAttr, TensorType, UnitAttr, i1
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from irtensor.core.argument_layout import KernelPurpose
from irtensor.dialects.algebra.scalar_types import constant_type
from irtensor.dialects.loop.loop_types import BufferType, GrowableType, buffer_type, growable_type
from irtensor.dialects.storage.storage_merging import MergeLevelsOp, SplitLevelOp
from irtensor.dialects.storage.storage_types import (
    FiberType,
    FormatAttr,
    array_element,
    fiber_type,
    fill_of,
    format_of,
    number_attribute,
    payload_type,
    verify_entries,
    verify_tensor,
    verify_written,
)
from irtensor.dialects.storage.storage_workspace import (
    FinalizeOp,
    IndexMapOp,
    IndexSetOp,
    InitializeOp,
    StoredOp,
    WorkspaceOp,
)
from irtensor.dialects.support.assembly import Number, Word, parse_tensor_type
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation
from irtensor.levels.known_levels import LEVEL_PROPERTIES

__all__ = [
    "ArrayOp",
    "DimOp",
    "FiberOp",
    "FiberType",
    "FillFiberOp",
    "FinalizeOp",
    "FormatAttr",
    "GrowableOp",
    "IndexMapOp",
    "IndexSetOp",
    "InitializeOp",
    "MergeLevelsOp",
    "OptionalFiberOp",
    "ResultOp",
    "RootOp",
    "SplitLevelOp",
    "Storage",
    "StoredOp",
    "ValuesOp",
    "WorkspaceOp",
    "array_element",
    "fiber_type",
    "fill_of",
    "format_of",
    "is_array",
    "payload_type",
    "verify_entries",
    "verify_tensor",
]

_index = IndexType()


@define_operation
class RootOp(IRDLOperation):
    """The fiber of a whole tensor."""

    name = "storage.root"
    tensor = operand_def(TensorType)
    result = result_def(FiberType)
    traits = traits_def(Pure())

    def __init__(self, tensor: SSAValue):
        super().__init__(operands=[tensor], result_types=[fiber_type(tensor.type, 0)])

    def verify_(self) -> None:
        if self.result.type != fiber_type(self.tensor.type, 0):
            raise VerifyException("the root fiber has the tensor's type and level 0")

    @classmethod
    def parse(cls, parser: Parser) -> RootOp:
        operand = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        return RootOp(parser.resolve_operand(operand, parse_tensor_type(parser, "only tensors are stored")))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.tensor)
        printer.print_string(" : ")
        printer.print_attribute(self.tensor.type)


@define_operation
class FiberOp(IRDLOperation):
    """The fiber below the parent positions [begin, end) of a tensor; one position unless the parent is nonunique.

    `path` has the coordinates of the levels above that positions of its level depend on, from the outermost.
    """

    name = "storage.fiber"
    tensor = operand_def(TensorType)
    begin = operand_def(IndexType)
    end = operand_def(IndexType)
    path = var_operand_def(IndexType)
    result = result_def(FiberType)
    traits = traits_def(Pure())
    assembly_format = (
        "$tensor `[` $begin `to` $end `]` (`below` $path^)? `:` type($tensor) `->` type($result) attr-dict"
    )

    @staticmethod
    def of(tensor: SSAValue, begin: SSAValue, end: SSAValue, level: int, path: Sequence[SSAValue] = ()) -> FiberOp:
        result = fiber_type(tensor.type, level)
        return create_operation(FiberOp, (tensor, begin, end, *path), (result,))

    def verify_(self) -> None:
        fiber = self.result.type
        assert isinstance(fiber, FiberType)
        if fiber.tensor != self.tensor.type:
            raise VerifyException(f"a fiber of {self.tensor.type} cannot have type {fiber}")
        if fiber.level.data == 0:
            raise VerifyException("the fiber at level 0 is the root; level 1 is the first below positions")
        needed = format_of(self.tensor.type).bounding_levels(fiber.level.data)
        if len(self.path) != needed:
            raise VerifyException(f"positions of this fiber depend on {needed} coordinates, not {len(self.path)}")


@define_operation
class FillFiberOp(IRDLOperation):
    """A fiber without stored entries: every element is the tensor's fill value."""

    name = "storage.fill_fiber"
    result = result_def(FiberType)
    traits = traits_def(Pure())
    assembly_format = "`:` type($result) attr-dict"

    @staticmethod
    def of(fiber: Attribute) -> FillFiberOp:
        return create_operation(FillFiberOp, (), (fiber,))


@define_operation
class OptionalFiberOp(IRDLOperation):
    """A fiber if a condition holds, else a fiber without stored entries."""

    name = "storage.optional_fiber"
    present = operand_def(i1)
    fiber = operand_def(FiberType)
    result = result_def(FiberType)
    traits = traits_def(Pure())
    assembly_format = "$present `,` $fiber `:` type($fiber) `->` type($result) attr-dict"

    @staticmethod
    def of(present: SSAValue, fiber: SSAValue) -> OptionalFiberOp:
        return create_operation(OptionalFiberOp, (present, fiber), (fiber.type,))

    def verify_(self) -> None:
        if self.result.type != self.fiber.type:
            raise VerifyException(f"what may be absent is a {self.fiber.type}, not a {self.result.type}")


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


@define_operation
class DimOp(IRDLOperation):
    """Extent of one dimension of a tensor. Rule: the tensor has that dimension."""

    name = "storage.dim"
    tensor = operand_def(TensorType)
    dimension = prop_def(IntegerAttr)
    result = result_def(IndexType)
    traits = traits_def(Pure())

    @staticmethod
    def of(tensor: SSAValue, dimension: int) -> DimOp:
        properties = {"dimension": number_attribute(dimension)}
        return create_operation(DimOp, (tensor,), (_index,), properties)

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
    """Check that a level of a tensor has an array of that name."""
    format = format_of(tensor.type)
    if array == "values":
        if level != len(format.levels):
            raise VerifyException(f"values lie below all {len(format.levels)} levels, not at level {level}")
        return
    if not 0 <= level < len(format.levels):
        raise VerifyException(f"the tensor has {len(format.levels)} levels, so no level {level}")
    if format.levels[level].format.properties.array(array) is None:
        raise VerifyException(f"level {level} ({format.level_text(level)}) has no {array}")


@define_operation
class ArrayOp(IRDLOperation):
    """An array of a level of a tensor, by name: `positions`, `coordinates`, `flags`. Rule: the level stores it."""

    name = "storage.array"
    tensor = operand_def(TensorType)
    array = prop_def(StringAttr)
    level = prop_def(IntegerAttr)
    result = result_def(BufferType)
    traits = traits_def(Pure())

    @staticmethod
    def of(tensor: SSAValue, array: str, level: int) -> ArrayOp:
        result = buffer_type(array_element(tensor.type, array, level))
        properties = {"array": StringAttr(array), "level": number_attribute(level)}
        return create_operation(ArrayOp, (tensor,), (result,), properties)

    def verify_(self) -> None:
        array, level = self.array.data, self.level.value.data
        if array == "values":
            raise VerifyException("the values of a tensor are read by storage.values")
        _verify_array(self.tensor, array, level)
        expected = buffer_type(array_element(self.tensor.type, array, level))
        if self.result.type != expected:
            raise VerifyException(f"{array} are {expected}, not {self.result.type}")

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.array.data}")
        _print_numbered(printer, self.tensor, self.level)

    @classmethod
    def parse(cls, parser: Parser) -> ArrayOp:
        array = parser.parse_identifier()
        tensor, level = _parse_numbered(parser)
        return ArrayOp.of(tensor, array, level)


def is_array(value: object, *names: str) -> TypeGuard[ArrayOp]:
    """Whether this is an array of a level, of one of these names."""
    return isinstance(value, ArrayOp) and value.array.data in names


@define_operation
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
        return create_operation(ValuesOp, (tensor,), (buffer_type(tensor.type.element_type),))

    def verify_(self) -> None:
        expected = buffer_type(array_element(self.tensor.type, "values"))
        if self.result.type != expected:
            raise VerifyException(f"values are {expected}, not {self.result.type}")


@define_operation
class ResultOp(IRDLOperation):
    """A result under construction; reads as its fill value until written.

    `initialize` says that entries may stay unwritten or are accumulated into, so the values start at the fill value,
    or at `initial` where a reduction starts from another value. `purpose` says which arrays are written:
    "assemble" only the index arrays, "compute" only the values, of a result whose index exists; without it all.
    `counted` says that entries are to be counted before there is memory for them.
    Rules: `initial` has the element type; only a result with appended levels has a purpose; no level is of a format
    that other formats are converted to, but that no loop writes (hashed, padded, range, offset, run_list).
    """

    name = "storage.result"
    result = result_def(TensorType)
    initialize = opt_prop_def(UnitAttr)
    initial = opt_prop_def()
    purpose = opt_prop_def(StringAttr)
    counted = opt_prop_def(UnitAttr)
    assembly_format = (
        "(`purpose` $purpose^)? (`counted` $counted^)? (`initialize` $initialize^)? (`initial` $initial^)? "
        "`:` type($result) attr-dict"
    )

    @staticmethod
    def of(tensor: Attribute, purpose: KernelPurpose = "fused") -> ResultOp:
        properties: dict[str, Attribute] = {} if purpose == "fused" else {"purpose": StringAttr(purpose)}
        return create_operation(ResultOp, (), (tensor,), properties)

    @property
    def kernel_purpose(self) -> KernelPurpose:
        return "fused" if self.purpose is None else cast("KernelPurpose", self.purpose.data)

    def verify_(self) -> None:
        assert isinstance(self.result.type, TensorType)
        element = self.result.type.element_type
        verify_written(self.result.type)
        if self.initial is not None and constant_type(self.initial) != element:
            raise VerifyException(f"initial value {self.initial} is not of type {element}")
        if self.purpose is not None:
            if self.purpose.data not in ("assemble", "compute"):
                raise VerifyException(f"unknown purpose '{self.purpose.data}'; purposes are assemble and compute")
            if format_of(self.result.type).is_dense:
                raise VerifyException("a dense result has no index arrays, so it is always computed as a whole")


def _known_arrays() -> list[str]:
    """The names of all arrays that levels have, and that of the values."""
    names = dict.fromkeys(array.name for level in LEVEL_PROPERTIES.values() for array in level.arrays)
    return [*names, "values"]


@define_operation
class GrowableOp(IRDLOperation):
    """An array of a result or workspace that grows as entries are added.

    `array` is positions, coordinates, flags, slots or values. Rules: the level has that array, values lie
    below the last level; the result has the array's element type.
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
        properties = {"array": StringAttr(array), "level": number_attribute(level)}
        result = growable_type(array_element(tensor.type, array, level))
        return create_operation(GrowableOp, (tensor,), (result,), properties)

    def verify_(self) -> None:
        array = self.array.data
        if array not in (known := _known_arrays()):
            raise VerifyException(f"unknown array '{array}'; arrays are {', '.join(known)}")
        _verify_array(self.tensor, array, self.level.value.data)
        expected = growable_type(array_element(self.tensor.type, array, self.level.value.data))
        if self.result.type != expected:
            raise VerifyException(f"{array} grow as {expected}, not {self.result.type}")


Storage = Dialect(
    "storage",
    [
        RootOp,
        FiberOp,
        FillFiberOp,
        OptionalFiberOp,
        DimOp,
        ArrayOp,
        ValuesOp,
        ResultOp,
        GrowableOp,
        WorkspaceOp,
        InitializeOp,
        FinalizeOp,
        IndexSetOp,
        IndexMapOp,
        StoredOp,
        MergeLevelsOp,
        SplitLevelOp,
    ],
    [FormatAttr, FiberType],
)
