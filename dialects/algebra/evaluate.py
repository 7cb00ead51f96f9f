"""The values that operations and bodies of operators have for the known ones among their operands."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.core.operators import Operator, Scalar, convert, fold_to_value
from irtensor.dialects.algebra.asks_if_stored import asks_if_stored
from irtensor.dialects.algebra.scalar_types import constant_value, element_name

Part = Callable[[SSAValue], Scalar | None]
Apply = Callable[[Operation, Sequence[Scalar | None]], Scalar | None]


def evaluate_operation(op: Operation, part: Part, apply: Apply) -> Scalar | None:
    """The value of an operation of the algebra dialect, if the known ones among its operands decide it.

    `part` gives the known value of an operand, and `apply` that of an operator. Of other operations nothing is known.
    """
    match op.name:
        case "algebra.constant":
            return constant_value(op.properties["value"])
        case "algebra.cast":
            value = part(op.operands[0])
            return None if value is None else convert(value, element_name(op.results[0].type))
        case "algebra.apply":
            return apply(op, [part(operand) for operand in op.operands])
        case _:
            return None


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

    def apply(op: Operation, values: Sequence[Scalar | None]) -> Scalar | None:
        # Which entries are there does not depend on how they are computed with.
        computed = exact and not asks_if_stored(op)
        numbers = [number for number, value in enumerate(op.operands) if computed or value in written]
        elements = [element_name(value.type) for value in op.operands]
        return fold_to_value(find(op.properties["operator"], op), values, elements, numbers)

    for op in block.ops:
        if op.name == "algebra.yield":
            return known[op.operands[0]]
        if written.issuperset(op.operands):
            written.update(op.results)
        known[op.results[0]] = evaluate_operation(op, known.__getitem__, apply)
    raise AssertionError("an operator's body ends in algebra.yield")
