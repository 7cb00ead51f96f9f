"""The `algebra` dialect: scalar operators with traits, shared by every level above `loop`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    ArrayAttr,
    FunctionType,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    UnitAttr,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, Pure, SymbolOpInterface, SymbolTable
from xdsl.utils.exceptions import VerifyException

from irtensor.dialects.built_in_operators import verify_built_in, verify_combining, verify_scalar
from irtensor.dialects.create_operation import create_operation
from irtensor.dialects.define_operation import define_operation
from irtensor.dialects.operators import (
    OPERATORS,
    Operator,
    Scalar,
    Traits,
    convert,
    converts_exactly,
    fold_to_value,
    same_value,
)
from irtensor.dialects.scalar_types import (
    ELEMENT_TYPES,
    constant_attribute,
    constant_type,
    constant_value,
    element_name,
)


@define_operation
class ConstantOp(IRDLOperation):
    """A scalar constant of any element type.

    With `absent` it is what an entry that is not there reads as, which annihilates what a number of the program does
    not: infinity times the fill value 0 is 0.
    """

    name = "algebra.constant"
    value = prop_def()
    absent = opt_prop_def(UnitAttr)
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

    def print(self, printer: Printer) -> None:
        printer.print_string(" " if self.absent is None else " absent ")
        printer.print_attribute(self.value)
        printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        absent = parser.parse_optional_keyword("absent") is not None
        position = parser.pos
        value = parser.parse_attribute()
        result = constant_type(value)
        if result is None:
            parser.raise_error("expected a number with its type, or a pair of floats for a complex number", position)
        attributes = parser.parse_optional_attr_dict()
        properties = {"value": value, "absent": UnitAttr()} if absent else {"value": value}
        return create_operation(ConstantOp, result_types=(result,), properties=properties, attributes=attributes)


@define_operation
class ApplyOp(IRDLOperation):
    """Apply an operator to scalars.

    Rules: the operator is built in or a symbol of an `algebra.operator`; the number of operands is its arity; operands
    are element types or indices, and other than the condition of `where` have one type; comparisons give i1; a symbol's
    operands and result have the types that it is declared with. With `exact` no argument annihilates because its entry
    is absent: the operator computes with its fill value, as IEEE 754 says for floats.
    """

    name = "algebra.apply"
    operator = prop_def(StringAttr | SymbolRefAttr)
    fastmath = opt_prop_def(FastMathFlagsAttr)
    exact = opt_prop_def(UnitAttr)
    arguments = var_operand_def()
    result = result_def()
    traits = traits_def(Pure())

    @staticmethod
    def of(operator: Attribute, arguments: Sequence[SSAValue], result: Attribute) -> ApplyOp:
        return create_operation(ApplyOp, arguments, (result,), {"operator": operator})

    def verify_(self) -> None:
        verify_operator(self.operator, self, [value.type for value in self.arguments], self.result.type)

    def print(self, printer: Printer) -> None:
        if isinstance(self.operator, SymbolRefAttr):
            printer.print_string(f" @{self.operator.root_reference.data}(")
        else:
            printer.print_string(f" {self.operator.data}(")
        printer.print_list(self.arguments, printer.print_ssa_value)
        printer.print_string(")" if self.exact is None else ") exact")
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
        if parser.parse_optional_keyword("exact"):
            properties["exact"] = UnitAttr()
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
class CastOp(IRDLOperation):
    """Convert a scalar to another element type, as NumPy's astype does. Rule: both are element types."""

    name = "algebra.cast"
    operand = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$operand `:` type($operand) `to` type($result) attr-dict"

    @staticmethod
    def of(operand: SSAValue, result: Attribute) -> CastOp:
        return create_operation(CastOp, (operand,), (result,))

    def verify_(self) -> None:
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


@define_operation
class OperatorOp(IRDLOperation):
    """A user's operator: a body over scalars, and the traits that rewrites may rely on.

    Rules: the body holds operations of this dialect and ends in `algebra.yield` of the only result's type, which need
    not be the arguments'; `identity` and `annihilator` have the type of an argument; as `op(x, identity)` is `x`, an
    operator with an identity takes and gives one type; as `op(x, annihilator)` is the annihilator, it is a value of the
    result's type as well; an associative or idempotent operator combines two values of one type. `distributes_over` has
    built-in operators, as strings, and symbols of operators beside this one: of `g` where `op(g(x, y), z)` is
    `g(op(x, z), op(y, z))`, in each argument; `op` takes and gives one type, of which `g` combines two values.
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
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def verify_(self) -> None:
        name, inputs, outputs = self.sym_name.data, self.function_type.inputs.data, self.function_type.outputs.data
        last = self.body.block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyException(f"operator @{name} must end in algebra.yield")
        for op in self.body.block.ops:
            if not isinstance(op, ApplyOp | CastOp | ConstantOp | YieldOp):
                raise VerifyException(f"operator @{name} holds '{op.name}', which is not of the algebra dialect")
        if len(outputs) != 1 or last.value.type != outputs[0]:
            declared = ", ".join(map(str, outputs)) or "nothing"
            raise VerifyException(f"operator @{name} yields {last.value.type}, declared {declared}")
        for trait, value in (("identity", self.neutral), ("annihilator", self.annihilator)):
            if value is not None and constant_type(value) not in inputs:
                raise VerifyException(f"the {trait} of operator @{name} is {value}, not of its argument type")
        if self.neutral is not None and len({*inputs, outputs[0]}) > 1:
            raise VerifyException(
                f"operator @{name} cannot have an identity, beside which it gives the other argument: its types differ"
            )
        self._verify_annihilator(outputs[0])
        if (self.associative or self.idempotent) and not self.combines(outputs[0]):
            raise VerifyException(f"operator @{name} cannot be associative or idempotent: its types differ")
        for reduction in self.distributes_over or ():
            self._verify_distribution(reduction, outputs[0])

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

    def _verify_annihilator(self, result: Attribute) -> None:
        if self.annihilator is None:
            return
        value = constant_value(self.annihilator)
        if value is None or not converts_exactly(value, element_name(result)):
            raise VerifyException(
                f"the annihilator of operator @{self.sym_name.data} is {self.annihilator}, which is not a value of its "
                f"result type {result}"
            )

    @property
    def value(self) -> Operator:
        """The operator as a plain value; constants are computed by folding the body."""
        elements = tuple([element_name(type) for type in self.function_type.inputs.data])

        def traits(attribute: Attribute | None) -> Traits:
            type = None if attribute is None else constant_type(attribute)
            value = None if attribute is None else constant_value(attribute)
            if type is None or value is None:
                return lambda requested: ()
            return lambda requested: (value,) if requested == element_name(type) else ()

        identity, annihilator = traits(self.neutral), traits(self.annihilator)
        return Operator(
            f"@{self.sym_name.data}",
            len(elements),
            self._evaluate,
            result=element_name(self.function_type.outputs.data[0]),
            commutative=self.commutative is not None,
            associative=self.associative is not None,
            idempotent=self.idempotent is not None,
            left_identity=identity,
            right_identity=identity,
            left_annihilator=annihilator,
            right_annihilator=annihilator,
            distributes_over=tuple([_name_of(reduction) for reduction in self.distributes_over or ()]),
            elements=elements,
            decide=self._decide,
        )

    def _evaluate(self, *arguments: Scalar) -> Scalar | None:
        # Believed, whatever the body says: -inf * -inf is -inf for a product that -inf annihilates.
        zero = None if self.annihilator is None else constant_value(self.annihilator)
        if zero is not None and any(same_value(argument, zero) for argument in self._annihilated_by(arguments)):
            return convert(zero, element_name(self.function_type.outputs.data[0]))
        return self._decide(arguments, range(len(arguments)))

    def _decide(self, arguments: Sequence[Scalar | None], literals: Collection[int]) -> Scalar | None:
        """What the body gives for the known ones among its arguments, if these decide it."""
        block = self.body.block
        known: dict[SSAValue, Scalar | None] = dict(zip(block.args, arguments, strict=True))
        written: set[SSAValue] = {block.args[number] for number in literals}
        for op in block.ops:
            if isinstance(op, ConstantOp):
                known[op.result] = op.scalar
                written.add(op.result)
            elif isinstance(op, ApplyOp):
                elements = [element_name(value.type) for value in op.arguments]
                numbers = [number for number, value in enumerate(op.arguments) if value in written]
                known[op.result] = fold_to_value(
                    operator_of(op), [known[value] for value in op.arguments], elements, numbers
                )
            elif isinstance(op, CastOp):
                value = known[op.operand]
                known[op.result] = None if value is None else convert(value, element_name(op.result.type))
                written.update((op.result,) if op.operand in written else ())
            elif isinstance(op, YieldOp):
                return known[op.value]
        raise AssertionError("an operator's body ends in algebra.yield")

    def _annihilated_by(self, arguments: Sequence[Scalar]) -> list[Scalar]:
        """The arguments of the annihilator's type."""
        assert self.annihilator is not None
        of = constant_type(self.annihilator)
        return [value for value, type in zip(arguments, self.function_type.inputs.data, strict=True) if type == of]

    def print(self, printer: Printer) -> None:
        attributes = {
            name: value for name, value in self.properties.items() if name not in ("sym_name", "function_type")
        }
        print_func_op_like(
            printer,
            self.sym_name,
            self.function_type,
            self.body,
            {**self.attributes, **attributes},
            arg_attrs=None,
            res_attrs=None,
            reserved_attr_names=("sym_name", "function_type"),
        )

    @classmethod
    def parse(cls, parser: Parser) -> OperatorOp:
        name, inputs, outputs, body, extra, _, _ = parse_func_op_like(
            parser, reserved_attr_names=("sym_name", "function_type")
        )
        properties: dict[str, Attribute] = {
            "sym_name": StringAttr(name),
            "function_type": FunctionType.from_lists(inputs, outputs),
        }
        if extra is not None:
            properties.update(extra.data)
        return create_operation(OperatorOp, properties=properties, regions=[body])


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
    """Look up a built-in or user operator by its attribute, from the place that uses it."""
    from irtensor.dialects.diagnostics import UserError

    if isinstance(name, StringAttr):
        operator = OPERATORS.get(name.data)
        if operator is None:
            known = ", ".join(sorted(OPERATORS))
            raise UserError(
                "unknown-operator", f"there is no operator '{name.data}'", op=user, help=f"known are {known}"
            )
        return operator
    assert isinstance(name, SymbolRefAttr)
    return find_declaration(name, user).value


def find_declaration(name: SymbolRefAttr, user: Operation) -> OperatorOp:
    """The declaration of a user's operator, from the place that uses it."""
    from irtensor.dialects.diagnostics import UserError

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
    from irtensor.dialects.diagnostics import UserError

    operator = find_operator(name, user)
    identity = operator.identity(element_name(element))
    if identity is None:
        raise UserError(
            "not-a-reduction",
            f"operator '{operator.name}' cannot reduce: it is not associative with an identity",
            op=user,
            help="reduce with add, mul, min, max, and, or, xor, or an algebra.operator that declares both",
        )
    return identity


Algebra = Dialect("algebra", [ConstantOp, ApplyOp, CastOp, YieldOp, OperatorOp], [])
