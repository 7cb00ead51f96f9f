"""Operations of `algebra` on values that no operator is applied to: constants, conversions, and what a body gives."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from irtensor.core.operators import Scalar
from irtensor.dialects.algebra.built_in_operators import verify_scalar
from irtensor.dialects.algebra.scalar_types import (
    ELEMENT_TYPES,
    constant_attribute,
    constant_type,
    constant_value,
    element_name,
)
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation

_CONSTANT_WORDS = ("absent", "entry")


@define_operation
class ConstantOp(IRDLOperation):
    """A scalar constant of any element type.

    With `absent` it is what an entry that is not there reads as, which annihilates what a number of the program does
    not: infinity times the fill value 0 is 0. With `entry` it is the value of an entry, which is stored in a result
    also where it is the fill value.
    """

    name = "algebra.constant"
    value = prop_def()
    absent = opt_prop_def(UnitAttr)
    entry = opt_prop_def(UnitAttr)
    result = result_def()
    traits = traits_def(Pure())

    @staticmethod
    def of(value: Scalar, element: Attribute) -> ConstantOp:
        return create_operation(
            ConstantOp, result_types=(element,), properties={"value": constant_attribute(value, element)}
        )

    @property
    def scalar(self) -> Scalar:
        value = constant_value(self.value)
        assert value is not None
        return value

    def verify_(self) -> None:
        if constant_type(self.value) != self.result.type:
            raise VerifyException(f"constant {self.value} is not of type {self.result.type}")
        verify_scalar(self.result.type)
        if self.absent is not None and self.entry is not None:
            raise VerifyException("a constant is an entry or absent, not both")

    def print(self, printer: Printer) -> None:
        for word in _CONSTANT_WORDS:
            printer.print_string(f" {word}" if word in self.properties else "")
        printer.print_string(" ")
        printer.print_attribute(self.value)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        words = [word for word in _CONSTANT_WORDS if parser.parse_optional_keyword(word) is not None]
        position = parser.pos
        value = parser.parse_attribute()
        result = constant_type(value)
        if result is None:
            parser.raise_error("expected a number with its type, or a pair of floats for a complex number", position)
        attributes = parser.parse_optional_attr_dict()
        properties = {"value": value, **{word: UnitAttr() for word in words}}
        return create_operation(ConstantOp, result_types=(result,), properties=properties, attributes=attributes)


@define_operation
class CastOp(IRDLOperation):
    """Convert a scalar to another element type, as NumPy's astype does; or a coordinate to i64, its value.

    Rule: both are element types, or the operand is an index and the result i64.

    NaN, and floats that i32 does not hold (i64 for i64), become the least integer; narrower types keep its low
    bits. With `written` it stands in the statement, and so in what a schedule says of it.
    """

    name = "algebra.cast"
    written = opt_prop_def(UnitAttr)
    operand = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$operand (`written` $written^)? `:` type($operand) `to` type($result) attr-dict"

    @staticmethod
    def of(operand: SSAValue, result: Attribute, *, written: bool = False) -> CastOp:
        return create_operation(CastOp, (operand,), (result,), {"written": UnitAttr()} if written else {})

    def verify_(self) -> None:
        if isinstance(self.operand.type, IndexType) and self.result.type == i64:
            return
        for type in (self.operand.type, self.result.type):
            if ELEMENT_TYPES.get(element_name(type)) != type:
                raise VerifyException(f"{type} is not an element type; those are {', '.join(ELEMENT_TYPES)}")


@define_operation
class YieldOp(IRDLOperation):
    """The value of an operator's body."""

    name = "algebra.yield"
    value = operand_def()
    traits = traits_def(IsTerminator())
    assembly_format = "$value `:` type($value) attr-dict"
