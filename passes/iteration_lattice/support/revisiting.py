"""Whether a loop body may run once per stored entry where several entries share a coordinate (Kjolstad 2020, 2.3)."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, SSAValue

from irtensor.core.operators import same_value
from irtensor.dialects.algebra.algebra import ApplyOp, find_operator
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.iteration_lattice.iteration_lattice import CoiterateOp, PlaceOp, ThunkOp, UnfurlOp, UpdateOp
from irtensor.dialects.loop.loop_memory import CellOp, GetOp
from irtensor.dialects.storage.storage import FiberType, InitializeOp, format_of
from irtensor.passes.iteration_lattice.support.known_values import Fill, known_value

_ADD = StringAttr("add")


def may_revisit(body: Block, payload: SSAValue) -> bool:
    """Whether running the body once per stored entry accumulates what one run with all of them would.

    The entries' fibers must be traversed by one loop, and all that is computed from it combined by one operator.
    """
    for nested in body.walk():
        if isinstance(nested, UpdateOp) and not _accumulates(nested):
            return False
        if isinstance(nested, CellOp) and not _only_passes_on(nested):
            return False
        if isinstance(nested, InitializeOp):
            return False  # A workspace would be read when it has a part of the entries.
        if isinstance(nested, PlaceOp) and isinstance(nested.fiber.type, FiberType):
            if not nested.fiber.type.level_format.access.inserts:
                return False
    return _is_divisible(payload)


def _accumulates(update: UpdateOp) -> bool:
    if update.operator is None:
        return False
    operator = find_operator(update.operator, update)
    return operator.associative and operator.commutative


def _only_passes_on(cell: CellOp) -> bool:
    """Whether a temporary collects from its operator's identity on, and is only combined further by that operator."""
    operators: set[Attribute | None] = set()
    for use in cell.cell.uses:
        match use.operation:
            case UpdateOp() as update:
                operators.add(update.operator)
            case GetOp() as get:
                for further in get.value.uses:
                    if not isinstance(further.operation, UpdateOp):
                        return False
                    operators.add(further.operation.operator)
            case _:
                return False
    if len(operators) != 1 or None in operators:
        return False
    operator = operators.pop()
    assert operator is not None
    identity = find_operator(operator, cell).identity(element_name(cell.initial.type))
    start = known_value(cell.initial)
    return identity is not None and start is not None and not isinstance(start, Fill) and same_value(start, identity)


def _is_divisible(payload: SSAValue) -> bool:
    """Whether parts of a payload can be taken one at a time: fibers by a single loop, elements by linear arithmetic."""
    if not isinstance(payload.type, FiberType):
        return _is_linear(payload)
    users = [use.operation for use in payload.uses]
    if len(users) != 1 or not isinstance(users[0], UnfurlOp | ThunkOp):
        return False
    loops = list(users[0].result.uses)
    if len(loops) != 1 or not isinstance(loops[0].operation, CoiterateOp):
        return False
    format = format_of(payload.type.tensor)
    # Each of its coordinates is in one part.
    if format.levels[payload.type.level.data].format.unique and not format.allows_duplicates:
        return True
    inner = loops[0].operation
    return _is_divisible(inner.body.block.args[loops[0].index - 1])


def _is_linear(value: SSAValue) -> bool:
    """Whether everything done with a value is to scale it and add it up."""
    # Values computed from it; a product of two of these is not linear, however they are reached.
    reached, scalings = [value], list[ApplyOp]()
    for part in reached:
        for use in part.uses:
            match use.operation:
                case ApplyOp(operator=StringAttr(data="neg" | "mul")) as scaled:
                    if scaled not in scalings:
                        scalings.append(scaled)
                        reached.append(scaled.result)
                case UpdateOp() as update if update.operator == _ADD and use.index == 0:
                    continue
                case _:
                    return False
    return all(sum(argument in reached for argument in one.arguments) == 1 for one in scalings)
