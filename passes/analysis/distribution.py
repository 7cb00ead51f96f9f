"""Whether a reduction may be done before the operators above the value that it reduces (the distributive law)."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.core.diagnostics import Note, UserError
from irtensor.core.expression_text import Term
from irtensor.core.operators import Operator, fold_to_value, is_float, same_value
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, find_operator, operator_of
from irtensor.dialects.algebra.order_of_sums import keeps_order, rounds
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, WhereOp
from irtensor.passes.analysis.iteration_graph import accesses_in, name_of


def check_distribution(where: WhereOp, store: AssignOp, variable: SSAValue, term: Term) -> None:
    """A loop that moves into a producer reduces its expression first, and only then applies the operators above it.

    Raises UserError [illegal-precompute] unless every operator above distributes over that of the store.
    """
    assert store.operator is not None
    over = find_operator(store.operator, store)
    temporary = where.consumer.block.args[0]
    read: set[SSAValue] = {
        access.results[0] for access in accesses_in(where.consumer.block) if access.tensor is temporary
    }
    for op in _above(store.value, read, set()):
        problem = _problem(op, read, over, store)
        if problem is not None:
            message = f"precompute: the loop over {name_of(variable)} would reduce '{term}' with '{over.name}' before "
            help = "precompute a larger part of the right-hand side, or over all variables of the expression"
            if isinstance(op, ApplyOp) and isinstance(op.operator, SymbolRefAttr):
                operator = operator_of(op)
                if over.name not in operator.distributes_over:
                    help += f"; if '{operator.name}' distributes, declare it with distributes_over"
            raise UserError("illegal-precompute", message + problem, op=store, notes=_declared(over), help=help)


def check_order(where: WhereOp, write: AssignOp, store: AssignOp, term: Term) -> None:
    """Raise UserError [illegal-precompute] if a temporary holds parts of sums whose order is to be kept.

    It does if it is combined, and the values read from it are combined further or changed by operators above.
    """
    if write.operator is None or not keeps_order(where):
        return
    read = store.value.owner
    is_whole = isinstance(read, AccessOp) and read.tensor is where.consumer.block.args[0]
    if is_whole and store.operator is None:
        return
    if rounds(find_operator(write.operator, write), element_name(write.value.type)):
        message = f"precompute: '{term}' would be a part of a floating-point sum, whose order is kept (strict_fp)"
        help = "precompute over all variables of the expression, or omit strict_fp"
        raise UserError("illegal-precompute", message, op=store, help=help)


def distributes(operator: Operator, position: int, count: int, reduction: Operator, element: str) -> bool:
    """Whether an operator on `count` arguments may be applied after a reduction of one of them instead of before.

    Also if there is nothing to reduce: of the identity of the reduction it has to give that. The least of two numbers
    distributes over the least of many, but not of none. What users declare to distribute is believed to do so.
    """
    if operator.name == "neg" and reduction.name == "add":
        return True
    if reduction.name not in operator.distributes_over:
        return False
    identity = reduction.identity(element)
    # One that is associative may have any number of arguments.
    count, position = (2, min(position, 1)) if operator.associative and operator.arity == 2 else (count, position)
    known = [identity if number == position else None for number in range(count)]
    kept = fold_to_value(operator, known, (element,) * count)
    if kept is None:
        return operator.name.startswith("@")
    return identity is not None and same_value(kept, identity)


def distributes_over_sum(product: Operator, sum: Operator, type: Attribute) -> bool:
    """Whether each of two factors may be summed up before they are combined."""
    return all(distributes(product, position, 2, sum, element_name(type)) for position in (0, 1))


def _declared(over: Operator) -> list[Note]:
    from irtensor.core.operators import OPERATORS

    names = [name for name, operator in OPERATORS.items() if over.name in operator.distributes_over]
    return [Note(f"{', '.join(names)} distribute{'s' if len(names) == 1 else ''} over {over.name}")] if names else []


def _above(value: SSAValue, read: set[SSAValue], seen: set[SSAValue]) -> Iterator[Operation]:
    """The operations on the way from the values in `read` to `value`; their results join `read`."""
    owner = value.owner
    if value in read or value in seen or not isinstance(owner, Operation):
        return
    seen.add(value)
    for operand in owner.operands:
        yield from _above(operand, read, seen)
    if any(operand in read for operand in owner.operands):
        read.add(value)
        yield owner


def _problem(op: Operation, read: set[SSAValue], over: Operator, store: AssignOp) -> str | None:
    """Why an operation does not distribute, if it does not."""
    if isinstance(op, CastOp):
        return f"it is converted to {op.result.type}"
    if not isinstance(op, ApplyOp):
        return f"'{op.name}' is applied"
    operator = operator_of(op)
    if sum(argument in read for argument in op.arguments) > 1:
        return f"'{operator.name}' is applied, both of whose arguments depend on it"
    position = next(number for number, argument in enumerate(op.arguments) if argument in read)
    element = element_name(op.result.type)
    if distributes(operator, position, len(op.arguments), over, element):
        return None
    if over.name not in operator.distributes_over:
        return f"'{operator.name}' is applied, which does not distribute over '{over.name}'"
    if operator.name == "add" and not is_float(element):
        return f"'add' is applied, which wraps around in {element} and so does not distribute over '{over.name}'"
    return f"'{operator.name}' is applied, which does not distribute over '{over.name}' of no values"
