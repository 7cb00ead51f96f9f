"""The `algebra` dialect: scalar operators with traits, shared by every level above `loop`.

This module offers every op of the dialect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    ArrayAttr,
    FunctionType,
    IntAttr,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    UnitAttr,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, Dialect, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_region_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, Pure, SymbolOpInterface, SymbolTable
from xdsl.utils.exceptions import VerifyException

from irtensor.core.operators import OPERATORS, Operator, Scalar, convert, of_arguments, same_value
from irtensor.dialects.algebra.algebra_values import CastOp, ConstantOp, YieldOp
from irtensor.dialects.algebra.argument_constants import constants_by_argument, traits_by_argument, verify_annihilators
from irtensor.dialects.algebra.asks_if_stored import asks_if_stored
from irtensor.dialects.algebra.built_in_operators import verify_built_in, verify_combining
from irtensor.dialects.algebra.evaluate import evaluate_body
from irtensor.dialects.algebra.region_attribute import RegionAttr, verify_regions
from irtensor.dialects.algebra.scalar_types import (
    constant_value,
    element_name,
)
from irtensor.dialects.support.create_operation import create_operation
from irtensor.dialects.support.define_operation import define_operation

__all__ = [
    "Algebra",
    "ApplyOp",
    "CastOp",
    "ConstantOp",
    "OperatorOp",
    "YieldOp",
    "find_declaration",
    "find_operator",
    "identity_of",
    "operator_of",
    "verify_operator",
]

_APPLY_WORDS = ("exact", "entry")
# Of an operator, what its text has before and behind its attributes.
_PRINTED_APART = ("sym_name", "function_type", "cases")


@define_operation
class ApplyOp(IRDLOperation):
    """Apply an operator to scalars.

    Rules: the operator is built in or a symbol of an `algebra.operator`; the number of operands is its arity; operands
    are element types or indices, and other than the condition of `where` have one type; comparisons give i1; a symbol's
    operands and result have the types that it is declared with. With `exact` no argument annihilates because its entry
    is absent: the operator computes with its fill value, as IEEE 754 says for floats. With `entry`, `where` chooses
    between an entry, also if its value is a number, and what reads as the third operand where there is none.
    """

    name = "algebra.apply"
    operator = prop_def(StringAttr | SymbolRefAttr)
    fastmath = opt_prop_def(FastMathFlagsAttr)
    exact = opt_prop_def(UnitAttr)
    entry = opt_prop_def(UnitAttr)
    arguments = var_operand_def()
    result = result_def()
    traits = traits_def(Pure())

    @staticmethod
    def of(operator: Attribute, arguments: Sequence[SSAValue], result: Attribute) -> ApplyOp:
        return create_operation(ApplyOp, arguments, (result,), {"operator": operator})

    def verify_(self) -> None:
        verify_operator(self.operator, self, [value.type for value in self.arguments], self.result.type)
        if self.entry is not None and self.operator != StringAttr("where"):
            raise VerifyException("only 'where' chooses between an entry and none")

    def print(self, printer: Printer) -> None:
        if isinstance(self.operator, SymbolRefAttr):
            printer.print_string(f" @{self.operator.root_reference.data}(")
        else:
            printer.print_string(f" {self.operator.data}(")
        printer.print_list(self.arguments, printer.print_ssa_value)
        printer.print_string(")")
        for word in _APPLY_WORDS:
            printer.print_string(f" {word}" if word in self.properties else "")
        if self.fastmath is not None:
            printer.print_string(" fastmath")
            with printer.in_angle_brackets():
                printer.print_string(",".join(sorted(flag.value for flag in self.fastmath.data)))
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : (")
        printer.print_list(self.arguments.types, printer.print_attribute)
        printer.print_string(") -> ")
        printer.print_attribute(self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> ApplyOp:
        symbol = parser.parse_optional_symbol_name()
        operator = (
            SymbolRefAttr(symbol)
            if symbol is not None
            else StringAttr(parser.parse_identifier(context_msg=" (an operator name)"))
        )
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        properties: dict[str, Attribute] = {"operator": operator}
        properties.update({word: UnitAttr() for word in _APPLY_WORDS if parser.parse_optional_keyword(word)})
        if parser.parse_optional_keyword("fastmath"):
            properties["fastmath"] = FastMathFlagsAttr(FastMathFlagsAttr.parse_parameter(parser))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        parser.parse_punctuation("->")
        result = parser.parse_type()
        operands = parser.resolve_operands(arguments, types, position)
        return create_operation(ApplyOp, operands, (result,), properties, attributes)


@define_operation
class OperatorOp(IRDLOperation):
    """A user's operator: a body over scalars, and the traits that rewrites may rely on.

    Rules: the body holds operations of this dialect and ends in `algebra.yield` of the only result's type, which need
    not be the arguments'; `identity` and `annihilator` have the type of an argument; as `op(x, identity)` is `x`, an
    operator with an identity takes and gives one type; as `op(x, annihilator)` is the annihilator, it is a value of the
    result's type as well; an associative or idempotent operator combines two values of one type. `distributes_over` has
    built-in operators, as strings, and symbols of operators beside this one: of `g` where `op(g(x, y), z)` is
    `g(op(x, z), op(y, z))`, in each argument; `op` takes and gives one type, and `g` combines two values of it.
    `identity` and `annihilator` may be a list with one for each argument, `unit` for none.

    `region` says where it has a value, by which operands are stored; its names are the body's. Elsewhere it gives
    `fill`, of the result's type. A `case` has numbers of operands, and another body for where just these are stored.
    An operator with a region or cases is expanded by `expand-regions`, and does not reduce.
    """

    name = "algebra.operator"
    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    commutative = opt_prop_def(UnitAttr)
    associative = opt_prop_def(UnitAttr)
    idempotent = opt_prop_def(UnitAttr)
    neutral = opt_prop_def(prop_name="identity")
    annihilator = opt_prop_def()
    distributes_over = opt_prop_def(ArrayAttr[StringAttr | SymbolRefAttr])
    region = opt_prop_def(RegionAttr)
    fill = opt_prop_def()
    cases = opt_prop_def(ArrayAttr[ArrayAttr[IntAttr]])
    body = region_def("single_block")
    case_bodies = var_region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def verify_(self) -> None:
        name, inputs, outputs = self.sym_name.data, self.function_type.inputs.data, self.function_type.outputs.data
        for body in (self.body, *self.case_bodies):
            self._verify_body(body)
        for trait, value in (("identity", self.neutral), ("annihilator", self.annihilator)):
            if constants_by_argument(value, inputs) is None:
                raise VerifyException(f"the {trait} of operator @{name} is {value}, not of its argument type")
        if self.neutral is not None and len({*inputs, outputs[0]}) > 1:
            raise VerifyException(
                f"operator @{name} cannot have an identity, beside which it gives the other argument: its types differ"
            )
        verify_annihilators(name, self.annihilator, inputs, outputs[0])
        if (self.associative or self.idempotent) and not self.combines(outputs[0]):
            raise VerifyException(f"operator @{name} cannot be associative or idempotent: its types differ")
        for reduction in self.distributes_over or ():
            self._verify_distribution(reduction, outputs[0])
        verify_regions(self)

    def _verify_body(self, body: Region) -> None:
        name, outputs, last = self.sym_name.data, self.function_type.outputs.data, body.block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyException(f"operator @{name} must end in algebra.yield")
        for op in body.block.ops:
            if not isinstance(op, ApplyOp | CastOp | ConstantOp | YieldOp):
                raise VerifyException(f"operator @{name} holds '{op.name}', which is not of the algebra dialect")
        if len(outputs) != 1 or last.value.type != outputs[0]:
            declared = ", ".join(map(str, outputs)) or "nothing"
            raise VerifyException(f"operator @{name} yields {last.value.type}, declared {declared}")

    def combines(self, element: Attribute) -> bool:
        """Whether it gives a value of a type for two of it, as an operator that reduces does."""
        return self.function_type == FunctionType.from_lists([element, element], [element])

    def _verify_distribution(self, reduction: StringAttr | SymbolRefAttr, result: Attribute) -> None:
        name = self.sym_name.data
        if {*self.function_type.inputs.data} != {result}:
            raise VerifyException(f"operator @{name} cannot distribute over another: its types differ")
        if isinstance(reduction, StringAttr):
            verify_combining(reduction.data, f"operator @{name}")
            return
        other = SymbolTable.lookup_symbol(self, reduction)
        if not isinstance(other, OperatorOp):
            raise VerifyException(f"operator @{name} distributes over {reduction}, which no algebra.operator declares")
        if not other.combines(result):
            raise VerifyException(
                f"operator @{name} cannot distribute over {reduction}, which does not combine two values of {result}"
            )

    @property
    def has_regions(self) -> bool:
        """Whether which operands are stored decides what it computes, beside their values."""
        return self.region is not None or self.cases is not None or any(map(asks_if_stored, self.body.block.ops))

    @property
    def value(self) -> Operator:
        """The operator as a plain value; constants are computed by folding the body."""
        types = self.function_type.inputs.data
        identities = traits_by_argument(self.neutral, types)
        annihilators = traits_by_argument(self.annihilator, types)
        return Operator(
            f"@{self.sym_name.data}",
            len(types),
            self._evaluate,
            result=element_name(self.function_type.outputs.data[0]),
            commutative=self.commutative is not None,
            # An operator with regions is not a function of values alone, so it does not reduce.
            associative=self.associative is not None and not self.has_regions,
            idempotent=self.idempotent is not None,
            **of_arguments(identities, annihilators),
            distributes_over=tuple([_name_of(reduction) for reduction in self.distributes_over or ()]),
            elements=tuple([element_name(type) for type in types]),
            decide=partial(evaluate_body, find_operator, self.body.block),
        )

    def value_where(self, stored: Sequence[int], exact: bool = False) -> Operator:
        """The operator where just these operands are stored: its body is that of their case, if they have one.

        In `exact` arithmetic absent operands are computed with like numbers.
        """
        cases = [tuple(number.data for number in case) for case in self.cases or ()]
        body = self.case_bodies[cases.index(tuple(stored))] if tuple(stored) in cases else self.body
        return replace(self.value, decide=partial(evaluate_body, find_operator, body.block, exact=exact))

    def _evaluate(self, *arguments: Scalar) -> Scalar | None:
        # Believed, whatever the body says: -inf * -inf is -inf for a product that -inf annihilates.
        constants = constants_by_argument(self.annihilator, self.function_type.inputs.data) or ()
        for constant, argument in zip(constants, arguments, strict=False):
            zero = None if constant is None else constant_value(constant)
            if zero is not None and same_value(argument, zero):
                return convert(zero, element_name(self.function_type.outputs.data[0]))
        return evaluate_body(find_operator, self.body.block, arguments, range(len(arguments)))

    def print(self, printer: Printer) -> None:
        attributes = {name: value for name, value in self.properties.items() if name not in _PRINTED_APART}
        print_func_op_like(
            printer,
            self.sym_name,
            self.function_type,
            self.body,
            {**self.attributes, **attributes},
            arg_attrs=None,
            res_attrs=None,
            reserved_attr_names=_PRINTED_APART,
        )
        for numbers, body in zip(self.cases or (), self.case_bodies, strict=True):
            printer.print_string(" case [")
            printer.print_list(numbers, lambda number: printer.print_string(str(number.data)))
            printer.print_string("] ")
            printer.print_region(body)

    @classmethod
    def parse(cls, parser: Parser) -> OperatorOp:
        name, inputs, outputs, body, extra, _, _ = parse_func_op_like(parser, reserved_attr_names=_PRINTED_APART)
        cases: list[ArrayAttr[IntAttr]] = []
        case_bodies: list[Region] = []
        while parser.parse_optional_keyword("case") is not None:
            numbers = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
            cases.append(ArrayAttr(map(IntAttr, numbers)))
            case_bodies.append(parser.parse_region())
        properties: dict[str, Attribute] = {
            "sym_name": StringAttr(name),
            "function_type": FunctionType.from_lists(inputs, outputs),
        }
        if extra is not None:
            properties.update(extra.data)
        if cases:
            properties["cases"] = ArrayAttr(cases)
        return create_operation(OperatorOp, properties=properties, regions=[body, *case_bodies])


def _name_of(operator: StringAttr | SymbolRefAttr) -> str:
    """The name that the operator of an attribute has as a plain value."""
    return operator.data if isinstance(operator, StringAttr) else f"@{operator.root_reference.data}"


def verify_operator(name: Attribute, user: Operation, arguments: Sequence[Attribute], result: Attribute) -> None:
    """Check that an operator takes values of these types and gives one of that type.

    A symbol that nothing declares is an error of the pass that needs it, as it may be declared later.
    """
    if isinstance(name, StringAttr):
        verify_built_in(name.data, arguments, result)
        return
    assert isinstance(name, SymbolRefAttr)
    declaration = SymbolTable.lookup_symbol(user, name)
    if isinstance(declaration, OperatorOp):
        declared, used = declaration.function_type, FunctionType.from_lists(arguments, [result])
        if declared != used:
            raise VerifyException(f"operator @{name.root_reference.data} is {declared}, used as {used}")


def operator_of(op: ApplyOp) -> Operator:
    """The operator that an application names, built in or declared in an enclosing module."""
    return find_operator(op.operator, op)


def find_operator(name: Attribute, user: Operation) -> Operator:
    """Look up a built-in or user operator by its attribute, from the operation that uses it."""
    from irtensor.core.diagnostics import UserError

    if isinstance(name, StringAttr):
        operator = OPERATORS.get(name.data)
        if operator is None:
            known = ", ".join(sorted(OPERATORS))
            raise UserError("unknown-operator", f"unknown operator '{name.data}'", op=user, help=f"known are {known}")
        return operator
    assert isinstance(name, SymbolRefAttr)
    return find_declaration(name, user).value


def find_declaration(name: SymbolRefAttr, user: Operation) -> OperatorOp:
    """The declaration of a user's operator, from the operation that uses it."""
    from irtensor.core.diagnostics import UserError

    declaration = SymbolTable.lookup_symbol(user, name)
    if not isinstance(declaration, OperatorOp):
        raise UserError(
            "unknown-operator",
            f"no algebra.operator @{name.root_reference.data} is declared",
            op=user,
            help="declare it in the module, or use a built-in operator",
        )
    return declaration


def identity_of(name: Attribute, user: Operation, element: Attribute) -> Scalar:
    """The value that a reduction with an operator starts from. Raises UserError if it cannot reduce."""
    from irtensor.core.diagnostics import UserError

    operator = find_operator(name, user)
    identity = operator.identity(element_name(element))
    if identity is None:
        raise UserError(
            "not-a-reduction",
            f"operator '{operator.name}' cannot reduce: it is not associative with an identity",
            op=user,
            help="reduce with add, mul, min, max, choose, and, or, xor, or an algebra.operator that declares both",
        )
    return identity


Algebra = Dialect("algebra", [ConstantOp, ApplyOp, CastOp, YieldOp, OperatorOp], [RegionAttr])
