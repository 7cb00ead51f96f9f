"""Operations of `concrete_index` from which the ranges of loops are computed."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, IntegerAttr, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.assembly import parse_tensor_type
from irtensor.dialects.storage import verify_tensor

_index = IndexType()


@irdl_op_definition
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
        return ExtentOp.create(operands=(tensor,), properties=properties, result_types=(_index,))

    def verify_(self) -> None:
        assert isinstance(self.tensor.type, TensorType)
        verify_tensor(self.tensor.type)
        rank = len(self.tensor.type.shape)
        if not 0 <= self.dimension.value.data < rank:
            raise VerifyException(f"there is no dimension {self.dimension.value.data}; the tensor has {rank}")

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
