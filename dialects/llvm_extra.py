"""Operations of the `llvm` dialect that xDSL lacks, spelled as upstream MLIR spells them."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, VectorType
from xdsl.dialects.llvm import GenericCastOp
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class FPToSIOp(GenericCastOp):
    """Float to signed integer, rounding toward zero; outside the integer's range the value is unspecified."""

    name = "llvm.fptosi"


@irdl_op_definition
class FPToUIOp(GenericCastOp):
    """Float to unsigned integer, rounding toward zero; outside the integer's range the value is unspecified."""

    name = "llvm.fptoui"


@irdl_op_definition
class UIToFPOp(GenericCastOp):
    """Unsigned integer to float."""

    name = "llvm.uitofp"


@irdl_op_definition
class ExtractElementOp(IRDLOperation):
    """One lane of a vector."""

    name = "llvm.extractelement"
    vector = operand_def(VectorType)
    position = operand_def(IntegerType)
    res = result_def()
    traits = traits_def(Pure())
    assembly_format = "$vector `[` $position `:` type($position) `]` attr-dict `:` type($vector) `->` type($res)"

    def verify_(self) -> None:
        vector = self.vector.type
        if isinstance(vector, VectorType) and vector.element_type != self.res.type:
            raise VerifyException(f"a lane of {vector} is not of type {self.res.type}")


OPERATIONS: list[type[Operation]] = [FPToSIOp, FPToUIOp, UIToFPOp, ExtractElementOp]
ATTRIBUTES: list[type[Attribute]] = []
