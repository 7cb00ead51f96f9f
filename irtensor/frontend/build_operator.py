"""Builds the algebra.operator of a user's operator for arguments of one type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, FunctionType, IntAttr, StringAttr, SymbolRefAttr, UnitAttr
from xdsl.ir import Attribute, Block, Region, SSAValue

from irtensor.core.operators import convert
from irtensor.core.regions import is_operand_name
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp, OperatorOp, YieldOp
from irtensor.dialects.algebra.argument_constants import constants_attribute
from irtensor.dialects.algebra.region_attribute import RegionAttr
from irtensor.dialects.algebra.scalar_types import ELEMENT_TYPES, constant_attribute
from irtensor.frontend.element_types import element_name
from irtensor.frontend.typed_expression import (
    TypedAccess,
    TypedApply,
    TypedCast,
    TypedConstant,
    TypedExpression,
    TypedIf,
    TypedReduce,
    TypedVariable,
)
from irtensor.frontend.user_operator import UserOperator


def build_operator(
    operator: UserOperator, symbol: str, bodies: Sequence[TypedExpression], dtype: np.dtype
) -> OperatorOp:
    """`algebra.operator @symbol` with arguments of `dtype`; `bodies` are its own and those of its cases, typed."""
    name, result = element_name(dtype), element_name(bodies[0].dtype)
    types = [ELEMENT_TYPES[name]] * len(operator.parameters)
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr(symbol),
        "function_type": FunctionType.from_lists(types, [ELEMENT_TYPES[result]]),
    }
    for trait in ("commutative", "associative", "idempotent"):
        if getattr(operator, trait):
            properties[trait] = UnitAttr()
    for trait, constants in (("identity", operator.identities), ("annihilator", operator.annihilators)):
        if constants:
            converted = {number: convert(constant, name) for number, constant in constants.items()}
            properties[trait] = constants_attribute(converted, types)
    if operator.region is not None:
        properties["region"] = RegionAttr.of(_names(operator), operator.region)
    if operator.fill is not None:
        properties["fill"] = constant_attribute(convert(operator.fill, result), ELEMENT_TYPES[result])
    if operator.cases:
        properties["cases"] = ArrayAttr([ArrayAttr(map(IntAttr, case)) for case, _ in operator.cases])
    regions = [_build_body(operator, body, types) for body in bodies]
    return OperatorOp.create(properties=properties, regions=regions)


def _build_body(operator: UserOperator, body: TypedExpression, types: Sequence[Attribute]) -> Region:
    block = Block(arg_types=types)
    for parameter, argument in zip(operator.parameters, block.args, strict=True):
        argument.name_hint = parameter
    value = _build(body, dict(zip(operator.parameters, block.args, strict=True)), block)
    block.add_op(YieldOp.create(operands=(value,)))
    return Region(block)


def _names(operator: UserOperator) -> list[str]:
    """What operands are called in the text of a region: as in the body, if that can be read back."""
    names = operator.parameters
    return [*names] if all(map(is_operand_name, names)) else [f"operand{number}" for number in range(len(names))]


def declare_distribution(
    declarations: Mapping[tuple[str, np.dtype], OperatorOp], operators: Mapping[str, UserOperator]
) -> None:
    """Name in a module's operators what they distribute over: built-in ones, and those declared for the same dtype.

    Both are by `@name`. An operator whose result has another type than its arguments has no such reduction above and
    below itself, and what the module does not declare does not reduce in it.
    """
    for (name, dtype), declared in declarations.items():
        element = ELEMENT_TYPES[element_name(dtype)]
        if declared.function_type.outputs.data != (element,):
            continue
        over: list[StringAttr | SymbolRefAttr] = []
        for reduction in operators[name].distributes_over:
            known = declarations.get((reduction, dtype))
            if not reduction.startswith("@"):
                over.append(StringAttr(reduction))
            elif known is not None and known.combines(element):
                over.append(SymbolRefAttr(known.sym_name.data))
        if over:
            declared.properties["distributes_over"] = ArrayAttr(over)


def _build(value: TypedExpression, arguments: Mapping[str, SSAValue], block: Block) -> SSAValue:
    element = ELEMENT_TYPES[element_name(value.dtype)]
    match value:
        case TypedAccess(access=access):
            return arguments[access.tensor]
        case TypedConstant():
            op = ConstantOp.of(value.value, element)
        case TypedCast():
            operand = _build(value.operand, arguments, block)
            if operand.type == element:
                return operand
            op = CastOp.of(operand, element, written=value.written)
        case TypedApply():
            inner = [_build(argument, arguments, block) for argument in value.arguments]
            op = ApplyOp.of(StringAttr(value.operator), inner, element)
        case TypedReduce() | TypedVariable() | TypedIf():
            raise AssertionError("an operator's body has no index variables")
    block.add_op(op)
    return op.results[0]
