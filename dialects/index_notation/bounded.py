"""Operations of `index_notation` that bring computed coordinates inside of a dimension, or ask whether they are."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from xdsl.dialects.builtin import IndexType, IntegerAttr, TensorType, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, operand_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.storage.storage import verify_tensor
from irtensor.dialects.support.assembly import parse_tensor_type
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation

_index = IndexType()
_Op = TypeVar("_Op", bound="_OfDimension")


class _OfDimension(IRDLOperation):
    """What the operations have in common: `%e, %x, 0 : tensor<?xf64>`, a coordinate and a dimension of a tensor."""

    RESULT: ClassVar[Attribute]

    coordinate = operand_def(IndexType)
    tensor = operand_def(TensorType)
    dimension = prop_def(IntegerAttr[IndexType])
    result = result_def()
    traits = traits_def(Pure())

    @classmethod
    def of(cls: type[_Op], coordinate: SSAValue, tensor: SSAValue, dimension: int) -> _Op:
        properties: dict[str, Attribute] = {"dimension": IntegerAttr(dimension, _index)}
        return create_operation(cls, (coordinate, tensor), properties=properties, result_types=(cls.RESULT,))

    def verify_(self) -> None:
        assert isinstance(self.tensor.type, TensorType)
        verify_tensor(self.tensor.type)
        rank, number = len(self.tensor.type.shape), self.dimension.value.data
        if not 0 <= number < rank:
            raise VerifyException(f"dimension {number} does not exist; the tensor has rank {rank}")
        if self.result.type != self.RESULT:
            raise VerifyException(f"{self.name} gives {self.RESULT}, not {self.result.type}")

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.coordinate)
        printer.print_string(", ")
        printer.print_ssa_value(self.tensor)
        printer.print_string(f", {self.dimension.value.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.tensor.type)

    @classmethod
    def parse(cls: type[_Op], parser: Parser) -> _Op:
        coordinate = parser.resolve_operand(parser.parse_unresolved_operand(), _index)
        parser.parse_punctuation(",")
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        dimension = parser.parse_integer(allow_boolean=False, allow_negative=False)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        tensor = parser.resolve_operand(name, parse_tensor_type(parser, "a dimension is that of a tensor"))
        op = cls.of(coordinate, tensor, dimension)
        op.attributes = attributes
        return op


@define_operation
class ClampOp(_OfDimension):
    """The nearest coordinate of a dimension: `clamp %e, %x, 0`, so that the element at the edge is read outside."""

    name = "index_notation.clamp"
    RESULT: ClassVar[Attribute] = _index


@define_operation
class WrapOp(_OfDimension):
    """The coordinate modulo the extent of a dimension: `wrap %e, %x, 0`, so that elements are read periodically."""

    name = "index_notation.wrap"
    RESULT: ClassVar[Attribute] = _index


@define_operation
class IsInsideOp(_OfDimension):
    """Whether a dimension has a coordinate: `is_inside %e, %x, 0`."""

    name = "index_notation.is_inside"
    RESULT: ClassVar[Attribute] = i1
