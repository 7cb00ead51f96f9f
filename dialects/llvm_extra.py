"""Operations of the `llvm` dialect that xDSL lacks, spelled as upstream MLIR spells them."""

from __future__ import annotations

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IntAttr, IntegerType, StringAttr, VectorType
from xdsl.dialects.llvm import GenericCastOp, LLVMPointerType
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_attr_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.assembly import Word
from irtensor.dialects.define_operation import define_operation

_T = VarConstraint("T", AnyAttr())


@irdl_attr_definition
class ConstantRangeAttr(ParametrizedAttribute):
    """The integers of a type from `lower` on and below `upper`."""

    name = "llvm.constant_range"
    range_type: IntegerType
    lower: IntAttr
    upper: IntAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> tuple[Attribute, IntAttr, IntAttr]:
        with parser.in_angle_brackets():
            type = parser.parse_type()
            parser.parse_punctuation(",")
            lower = parser.parse_integer(allow_boolean=False)
            parser.parse_punctuation(",")
            upper = parser.parse_integer(allow_boolean=False)
        return type, IntAttr(lower), IntAttr(upper)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.range_type)
            printer.print_string(f", {self.lower.data}, {self.upper.data}")

    def verify(self) -> None:
        if self.lower.data >= self.upper.data:
            raise VerifyException(f"no integer is from {self.lower.data} on and below {self.upper.data}")


@define_operation
class FPToSIOp(GenericCastOp):
    """Float to signed integer, rounding toward zero; outside the integer's range the value is unspecified."""

    name = "llvm.fptosi"


@define_operation
class FPToUIOp(GenericCastOp):
    """Float to unsigned integer, rounding toward zero; outside the integer's range the value is unspecified."""

    name = "llvm.fptoui"


@define_operation
class UIToFPOp(GenericCastOp):
    """Unsigned integer to float."""

    name = "llvm.uitofp"


# What conversions of integers are in the llvm dialect, which has them for vectors as well; arith in xDSL does not.
INTEGER_CONVERSIONS: dict[type[Operation], type[Operation]] = {
    arith.ExtSIOp: llvm.SExtOp,
    arith.ExtUIOp: llvm.ZExtOp,
    arith.TruncIOp: llvm.TruncOp,
    arith.SIToFPOp: llvm.SIToFPOp,
    arith.UIToFPOp: UIToFPOp,
    arith.FPToSIOp: FPToSIOp,
    arith.FPToUIOp: FPToUIOp,
}


@define_operation
class FreezeOp(IRDLOperation):
    """The same value, which LLVM neither derives anything from nor looks through."""

    name = "llvm.freeze"
    val = operand_def(_T)
    res = result_def(_T)
    traits = traits_def(Pure())
    assembly_format = "$val attr-dict `:` type($val)"


@define_operation
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


@define_operation
class AtomicRMWOp(IRDLOperation):
    """Combine what is at an address with a value, as a whole; the result is what was there."""

    name = "llvm.atomicrmw"
    pointer = operand_def(LLVMPointerType)
    value = operand_def(_T)
    res = result_def(_T)
    bin_op = prop_def(StringAttr)
    ordering = prop_def(StringAttr)
    assembly_format = (
        "custom<Word>($bin_op) $pointer `,` $value custom<Word>($ordering) attr-dict "
        "`:` type($pointer) `,` type($value)"
    )
    custom_directives = (Word,)


@define_operation
class CmpXchgOp(IRDLOperation):
    """Replace what is at an address if it is what is expected; the result is what was there, and whether it was."""

    name = "llvm.cmpxchg"
    pointer = operand_def(LLVMPointerType)
    expected = operand_def(_T)
    value = operand_def(_T)
    res = result_def()
    success_ordering = prop_def(StringAttr)
    failure_ordering = prop_def(StringAttr)
    assembly_format = (
        "$pointer `,` $expected `,` $value custom<Word>($success_ordering) custom<Word>($failure_ordering) attr-dict "
        "`:` type($pointer) `,` type($value) `->` type($res)"
    )
    custom_directives = (Word,)


OPERATIONS: list[type[Operation]] = [
    FPToSIOp,
    FPToUIOp,
    UIToFPOp,
    FreezeOp,
    ExtractElementOp,
    AtomicRMWOp,
    CmpXchgOp,
]
ATTRIBUTES: list[type[Attribute]] = [ConstantRangeAttr]
