"""What the `llvm` dialect of xDSL lacks, spelled as upstream MLIR spells it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IntAttr, IntegerType, StringAttr, VectorType, i1
from xdsl.dialects.llvm import GenericCastOp, LLVMPointerType, LLVMStructType
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_attr_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser, Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.llvm.llvm_loop_hints import (
    AccessGroupAttr,
    LoopAnnotationAttr,
    LoopInterleaveAttr,
    LoopUnrollAttr,
    LoopVectorizeAttr,
)
from irtensor.dialects.support.assembly import Word
from irtensor.dialects.support.define_operation import define_operation

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
class AddressesOp(IRDLOperation):
    """For each lane, the address of an element: `llvm.getelementptr` of a vector, which xDSL's operation does not
    support."""

    name = "llvm.addresses"
    pointer = operand_def(LLVMPointerType)
    numbers = operand_def(VectorType)
    res = result_def(VectorType)
    elem_type = prop_def()
    traits = traits_def(Pure())
    assembly_format = (
        "$pointer `[` $numbers `]` `of` $elem_type attr-dict `:` type($pointer) `,` type($numbers) `->` type($res)"
    )


@define_operation
class SelectLanesOp(IRDLOperation):
    """Each lane of one vector or of another: `llvm.select` by a vector, which xDSL's operation does not support."""

    name = "llvm.select_lanes"
    condition = operand_def(VectorType)
    then = operand_def(_T)
    otherwise = operand_def(_T)
    res = result_def(_T)
    traits = traits_def(Pure())
    assembly_format = "$condition `,` $then `,` $otherwise attr-dict `:` type($condition) `,` type($then)"


@define_operation
class AddrSpaceCastOp(GenericCastOp):
    """The same address as a pointer into another address space."""

    name = "llvm.addrspacecast"

    def verify_(self) -> None:
        for type in (self.arg.type, self.result.type):
            if not isinstance(type, LLVMPointerType):
                raise VerifyException(f"pointers have address spaces, {type} has none")


@define_operation
class AtomicRMWOp(IRDLOperation):
    """Combine the value at an address with another, atomically; the result is the old value.

    `syncscope` says which threads see it as a whole, without it all of the system.
    """

    name = "llvm.atomicrmw"
    pointer = operand_def(LLVMPointerType)
    value = operand_def(_T)
    res = result_def(_T)
    bin_op = prop_def(StringAttr)
    syncscope = opt_prop_def(StringAttr)
    ordering = prop_def(StringAttr)
    assembly_format = (
        "custom<Word>($bin_op) $pointer `,` $value (`syncscope` `(` $syncscope^ `)`)? custom<Word>($ordering) "
        "attr-dict `:` type($pointer) `,` type($value)"
    )
    custom_directives = (Word,)


@define_operation
class CmpXchgOp(IRDLOperation):
    """Replace the value at an address if it is the expected one; the results are the old value, and whether it was.

    `syncscope` is as that of `llvm.atomicrmw`.
    """

    name = "llvm.cmpxchg"
    pointer = operand_def(LLVMPointerType)
    expected = operand_def(_T)
    value = operand_def(_T)
    res = result_def(LLVMStructType)
    syncscope = opt_prop_def(StringAttr)
    success_ordering = prop_def(StringAttr)
    failure_ordering = prop_def(StringAttr)

    def verify_(self) -> None:
        if self.res.type != (expected := exchanged_type(self.value.type)):
            raise VerifyException(f"the result of an exchange of {self.value.type} is {expected}, not {self.res.type}")

    # The type of the result follows from that of the value, which the declarative form cannot say.

    @classmethod
    def parse(cls, parser: Parser) -> CmpXchgOp:
        operands = [parser.parse_unresolved_operand()]
        for _ in range(2):
            parser.parse_punctuation(",")
            operands.append(parser.parse_unresolved_operand())
        properties: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("syncscope"):
            with parser.in_parens():
                properties["syncscope"] = StringAttr(parser.parse_str_literal())
        for name in ("success_ordering", "failure_ordering"):
            properties[name] = StringAttr(parser.parse_identifier())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        pointer = parser.parse_type()
        parser.parse_punctuation(",")
        value = parser.parse_type()
        return cls.create(
            operands=_resolved(parser, operands, (pointer, value, value)),
            result_types=(exchanged_type(value),),
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        if self.syncscope is not None:
            printer.print_string(" syncscope(")
            printer.print_string_literal(self.syncscope.data)
            printer.print_string(")")
        printer.print_string(f" {self.success_ordering.data} {self.failure_ordering.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_list((self.pointer.type, self.value.type), printer.print_attribute)


def exchanged_type(value: Attribute) -> LLVMStructType:
    """What an exchange gives: the value that was there, and whether it was replaced."""
    return LLVMStructType.from_type_list([value, i1])


def _resolved(
    parser: Parser, operands: Sequence[UnresolvedOperand], types: Sequence[Attribute]
) -> list[SSAValue[Attribute]]:
    return [parser.resolve_operand(operand, type) for operand, type in zip(operands, types, strict=True)]


@define_operation
class FenceOp(IRDLOperation):
    """Writes before it are seen before writes after it, by the threads of a scope."""

    name = "llvm.fence"
    syncscope = opt_prop_def(StringAttr)
    ordering = prop_def(StringAttr)
    assembly_format = "(`syncscope` `(` $syncscope^ `)`)? custom<Word>($ordering) attr-dict"
    custom_directives = (Word,)


OPERATIONS: list[type[Operation]] = [
    FPToSIOp,
    FPToUIOp,
    UIToFPOp,
    FreezeOp,
    ExtractElementOp,
    AddressesOp,
    SelectLanesOp,
    AddrSpaceCastOp,
    AtomicRMWOp,
    CmpXchgOp,
    FenceOp,
]
ATTRIBUTES: list[type[Attribute]] = [
    AccessGroupAttr,
    ConstantRangeAttr,
    LoopAnnotationAttr,
    LoopInterleaveAttr,
    LoopUnrollAttr,
    LoopVectorizeAttr,
]
