"""Reads upstream scalar operations inside of statements as the operators of the algebra that they mean.

Of an operator it is known what it gives where an entry is absent; of an operation of `arith` it is not.
"""

from __future__ import annotations

from functools import cache

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.core.arithmetic import BOOL, Upstream
from irtensor.core.operators import OPERATORS
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp
from irtensor.dialects.algebra.scalar_types import ELEMENT_TYPES, constant_value, element_name
from irtensor.dialects.concrete_index import concrete_index
from irtensor.dialects.index_notation import index_notation
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.dialects.support.expect import expect
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import structured_functions
from irtensor.passes.support.wrong_stage import wrong_stage

_COMPARISONS = {
    "arith.cmpf": {1: "eq", 2: "gt", 3: "ge", 4: "lt", 5: "le", 13: "ne"},
    "arith.cmpi": {0: "eq", 1: "ne", 2: "lt", 3: "le", 4: "gt", 5: "ge"},
}
# Conversions that give what NumPy's do.
_CASTS = ("arith.extf", "arith.truncf", "arith.extsi", "arith.trunci", "arith.sitofp")
_READ = ("arith", "math", "complex")


@cache
def _operators(count: int) -> dict[str, str]:
    """Operators by the upstream operations that they are, of numbers: of truth values, sums are other operations."""
    return {
        definition.op: operator.name
        for operator in OPERATORS.values()
        for kind, definition in operator.definitions.items()
        if kind != BOOL and isinstance(definition, Upstream)
    } | {"arith.select": "where"}


def read_arith(module: ModuleOp, name: str) -> None:
    """Replace operations with a counterpart in the algebra, in statements and where these take values from.

    Raises UserError [wrong-stage] that says that `name` cannot lower it, for an operation in a statement that has none.
    """
    for function in structured_functions(module):
        statements = operations_in(function.body, index_notation.AssignOp, concrete_index.ComputeOp)
        if not statements:
            continue
        for op in list(function.walk()):
            if op.name.partition(".")[0] not in _READ or not _computes_elements(op):
                continue
            new = _counterpart(op)
            if new is not None:
                assert op.parent is not None
                new.location = op.location
                new.results[0].name_hint = op.results[0].name_hint
                op.parent.insert_op_before(new, op)
                op.results[0].replace_all_uses_with(new.results[0])
                erase_operation(op)
            elif any(statement.is_ancestor(op) for statement in statements):
                message = f"{name} cannot lower '{op.name}' in a statement: it is not an operator of the algebra"
                help = "use algebra.apply, with an algebra.operator of your own if none exists"
                raise wrong_stage(op, name, message, help)


def _computes_elements(op: Operation) -> bool:
    """Whether an operation gives elements of tensors: coordinates are computed by the same dialect."""
    return len(op.results) == 1 and not isinstance(op.results[0].type, IndexType)


def _counterpart(op: Operation) -> Operation | None:
    result = op.results[0].type
    if not all(map(_is_known, (result, *(operand.type for operand in op.operands)))):
        return None
    if isinstance(op, arith.ConstantOp):
        value = constant_value(op.value)
        return None if value is None else ConstantOp.of(value, result)
    if op.name in _CASTS:
        return None if _is_bool(op.operands[0]) or _is_bool(op.results[0]) else CastOp.of(op.operands[0], result)
    operator = _operators(len(OPERATORS)).get(op.name)
    if op.name in _COMPARISONS:
        operator = _COMPARISONS[op.name].get(expect(op.properties["predicate"], IntegerAttr).value.data)
        if operator not in ("eq", "ne") and any(map(_is_bool, op.operands)):
            return None  # true is less than false there
    elif any(map(_is_bool, op.results)) and operator not in ("and", "or", "xor", "where"):
        # Of truth values, sums and products are other operators in the algebra.
        return None
    return None if operator is None else ApplyOp.of(StringAttr(operator), op.operands, result)


def _is_known(type: Attribute) -> bool:
    return isinstance(type, IndexType) or ELEMENT_TYPES.get(element_name(type)) == type


def _is_bool(value: SSAValue) -> bool:
    return element_name(value.type) == "i1"
