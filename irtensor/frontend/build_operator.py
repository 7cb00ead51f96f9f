"""Builds the algebra.operator of a user's operator for arguments of one type."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, FunctionType, StringAttr, SymbolRefAttr, UnitAttr
from xdsl.ir import Attribute, Block, Region, SSAValue

from irtensor.dialects.algebra import ApplyOp, CastOp, ConstantOp, OperatorOp, YieldOp
from irtensor.dialects.operators import convert
from irtensor.dialects.scalar_types import ELEMENT_TYPES, constant_attribute
from irtensor.frontend.element_types import element_name
from irtensor.frontend.promotion import (
    TypedAccess,
    TypedApply,
    TypedCast,
    TypedConstant,
    TypedExpression,
    TypedReduce,
)
from irtensor.frontend.user_operator import UserOperator


def build_operator(operator: UserOperator, symbol: str, body: TypedExpression, dtype: np.dtype) -> OperatorOp:
    """`algebra.operator @symbol` with arguments of `dtype`; `body` is the operator's, typed for them."""
    name = element_name(dtype)
    element, result = ELEMENT_TYPES[name], ELEMENT_TYPES[element_name(body.dtype)]
    block = Block(arg_types=[element] * len(operator.parameters))
    for parameter, argument in zip(operator.parameters, block.args, strict=True):
        argument.name_hint = parameter
    value = _build(body, dict(zip(operator.parameters, block.args, strict=True)), block)
    block.add_op(YieldOp.create(operands=(value,)))
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr(symbol),
        "function_type": FunctionType.from_lists([element] * len(operator.parameters), [result]),
    }
    for trait in ("commutative", "associative", "idempotent"):
        if getattr(operator, trait):
            properties[trait] = UnitAttr()
    for trait, constant in (("identity", operator.identity), ("annihilator", operator.annihilator)):
        if constant is not None:
            properties[trait] = constant_attribute(convert(constant, name), element)
    return OperatorOp.create(properties=properties, regions=[Region(block)])


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
            op = CastOp.of(_build(value.operand, arguments, block), element)
        case TypedApply():
            inner = [_build(argument, arguments, block) for argument in value.arguments]
            op = ApplyOp.of(StringAttr(value.operator), inner, element)
        case TypedReduce():
            raise AssertionError("an operator's body has no reductions")
    block.add_op(op)
    return op.results[0]
