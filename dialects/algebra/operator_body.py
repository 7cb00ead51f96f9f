"""What the body of an operator gives for the known ones among its arguments."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.core.operators import Operator, Scalar, convert, fold_to_value
from irtensor.dialects.algebra.asks_if_stored import asks_if_stored
from irtensor.dialects.algebra.scalar_types import constant_value, element_name


def evaluate_body(
    find: Callable[[Attribute, Operation], Operator],
    block: Block,
    arguments: Sequence[Scalar | None],
    literals: Collection[int],
    exact: bool = False,
) -> Scalar | None:
    """What a block of the algebra dialect yields, if the arguments that are known decide it.

    `find` gives the operator that an operation names (`find_operator`). Arguments of `literals` are numbers of the
    program, and so are values computed from these alone; others that are known are there because an entry is absent. In
    `exact` arithmetic absent ones are computed with like numbers.
    """
    known: dict[SSAValue, Scalar | None] = dict(zip(block.args, arguments, strict=True))
    written: set[SSAValue] = {block.args[number] for number in literals}
    for op in block.ops:
        match op.name:
            case "algebra.constant":
                known[op.results[0]] = constant_value(op.properties["value"])
                written.add(op.results[0])
            case "algebra.apply":
                numbers: Sequence[int] = [n for n, value in enumerate(op.operands) if value in written]
                if len(numbers) == len(op.operands):
                    written.update(op.results)
                # Which entries are there does not depend on how they are computed with.
                computed = exact and not asks_if_stored(op)
                operator = find(op.properties["operator"], op)
                numbers = range(len(op.operands)) if computed else numbers
                known[op.results[0]] = _apply(operator, op, known, numbers)
            case "algebra.cast":
                value = known[op.operands[0]]
                known[op.results[0]] = None if value is None else convert(value, element_name(op.results[0].type))
                written.update(op.results if op.operands[0] in written else ())
            case _:
                return known[op.operands[0]]
    raise AssertionError("an operator's body ends in algebra.yield")


def _apply(
    operator: Operator, op: Operation, known: dict[SSAValue, Scalar | None], literals: Collection[int]
) -> Scalar | None:
    elements = [element_name(value.type) for value in op.operands]
    return fold_to_value(operator, [known[value] for value in op.operands], elements, literals)
