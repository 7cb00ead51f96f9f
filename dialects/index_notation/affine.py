"""The operation of `index_notation` that computes coordinates."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, IntegerType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, prop_def, result_def, traits_def, var_operand_def
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation

_index = IndexType()


@define_operation
class AffineOp(IRDLOperation):
    """A coordinate that is computed: `affine 2 * %i + %k - 1 floordiv 3`, rounded down.

    The terms are index variables, other coordinates, and signed integers that an access reads. Rules: each term has a
    factor other than 0; the divisor is positive.
    """

    name = "index_notation.affine"
    terms = var_operand_def(IndexType | IntegerType)
    factors = prop_def(DenseArrayBase.constr(i64))
    offset = prop_def(IntegerAttr)
    divisor = prop_def(IntegerAttr)
    result = result_def(IndexType)
    traits = traits_def(Pure())

    @staticmethod
    def of(terms: Sequence[SSAValue], factors: Sequence[int], offset: int = 0, divisor: int = 1) -> AffineOp:
        properties: dict[str, Attribute] = {
            "factors": DenseArrayBase.from_list(i64, factors),
            "offset": IntegerAttr(offset, i64),
            "divisor": IntegerAttr(divisor, i64),
        }
        return create_operation(AffineOp, terms, properties=properties, result_types=(_index,))

    @property
    def summands(self) -> list[tuple[SSAValue, int]]:
        """The terms, with their factors."""
        return [(term, int(factor)) for term, factor in zip(self.terms, self.factors.get_values(), strict=True)]

    def verify_(self) -> None:
        count = len(self.factors.get_values())
        if count != len(self.terms):
            raise VerifyException(f"{len(self.terms)} terms have {count} factors")
        if 0 in self.factors.get_values():
            raise VerifyException("a term has a factor other than 0")
        if self.divisor.value.data < 1:
            raise VerifyException(f"a coordinate is divided by a positive number, not {self.divisor.value.data}")
        if any(term.type == IntegerType(1) for term in self.terms):
            raise VerifyException("a coordinate is not computed from truth values")

    def print(self, printer: Printer) -> None:
        texts: list[tuple[bool, int, SSAValue | None]] = [
            (factor < 0, abs(factor), term) for term, factor in self.summands
        ]
        if self.offset.value.data or not texts:
            texts.append((self.offset.value.data < 0, abs(self.offset.value.data), None))
        for number, (is_negative, factor, term) in enumerate(texts):
            printer.print_string(f" {'-' if is_negative else '+'} " if number else " -" if is_negative else " ")
            if term is None or factor != 1:
                printer.print_string(str(factor) if term is None else f"{factor} * ")
            if term is not None:
                printer.print_ssa_value(term)
        if self.divisor.value.data != 1:
            printer.print_string(f" floordiv {self.divisor.value.data}")
        if any(term.type != _index for term in self.terms):
            printer.print_string(" : ")
            printer.print_list(self.terms, lambda term: printer.print_attribute(term.type))
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> AffineOp:
        names: list[UnresolvedOperand] = []
        factors: list[int] = []
        offset, sign = 0, -1 if parser.parse_optional_punctuation("-") else 1
        while sign:
            number = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
            if number is None or parser.parse_optional_punctuation("*"):
                names.append(parser.parse_unresolved_operand())
                factors.append(sign * (1 if number is None else number))
            else:
                offset += sign * number
            minus = parser.parse_optional_punctuation("-")
            sign = -1 if minus else 1 if parser.parse_optional_punctuation("+") else 0
        divisor = 1
        if parser.parse_optional_keyword("floordiv"):
            divisor = parser.parse_integer(allow_boolean=False, allow_negative=False)
        types: Sequence[Attribute] = [_index] * len(names)
        if parser.parse_optional_punctuation(":"):
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        terms = parser.resolve_operands(names, types, parser.pos)
        for number in (*factors, offset, divisor):
            if not -(1 << 63) <= number < 1 << 63:
                parser.raise_error(f"{number} does not fit in int64")
        op = AffineOp.of(terms, factors, offset, divisor)
        op.attributes = parser.parse_optional_attr_dict()
        return op
