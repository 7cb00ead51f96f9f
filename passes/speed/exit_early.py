"""`exit-early`: a loop that only combines into a number ends when nothing can change the number any more."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects.builtin import IntegerType, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.core.diagnostics import remark
from irtensor.core.element_values import largest, smallest
from irtensor.core.operators import Scalar
from irtensor.dialects.algebra.algebra import ApplyOp, find_operator
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.loop.loop import (
    AS_IT_IS,
    STRIPS,
    CellOp,
    ConditionOp,
    ForOp,
    GetOp,
    IfOp,
    LoadOp,
    ParallelOp,
    SetOp,
    WhileOp,
)
from irtensor.dialects.support.create_operation import clone_operation, create_operation, erase_operation
from irtensor.dialects.support.is_inside import is_inside, replace_inside
from irtensor.passes.analysis.races import PARALLEL
from irtensor.passes.speed.support.memory_effects import effects_of
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass

# How many iterations are run before the number is looked at: they become vectors. Elements that are loaded from
# wherever other elements say take as long as that many others.
_STRIP, _STRIP_OF_GATHERS = 4096, 64
# Numbers of more bits hardly ever come to the least or greatest one.
_WIDEST = 16


class ExitEarlyPass(TensorPass):
    """End a loop, and the loops around it, when the number that they combine into is the operator's annihilator.

    Before: `for %p = %a to %b { %t = %t or %x[%p] }`
    After:  `%q = %a; while %q < %b and not %t { for %p = %q to min(%q + 4096, %b) { %t = %t or %x[%p] }; %q += 4096 }`
    So it is for `or` at true, `and` at false, products of integers at 0, `min` and `max` of narrow integers at the
    least or greatest one, and operators that are declared with an identity and an annihilator. Only where all that a
    loop does is to combine into one number, so that nothing else depends on its other iterations. Loops along lists
    side by side ask in each iteration, others after some thousands, as they become vectors in between. A loop that is
    divided among threads ends in each part by itself.
    """

    name = "exit-early"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"divide-parallel-loops": "each part of a loop ends by itself"}
    before = {"lower-algebra-to-arith": "operators say what their annihilators are"}

    def on_function(self, function: FuncOp) -> None:
        if _exit_in(function.body.block):
            remark("loops end when their result is known", by=self.name)


class _Number(NamedTuple):
    """The cell that a loop combines into, and the value that it keeps once it has it."""

    cell: SSAValue
    last: Scalar
    identity: Scalar
    element: Attribute
    applied: ApplyOp
    position: int
    """Which argument of the operator the number is."""

    def is_open(self, emit: Emitter) -> SSAValue:
        """Emit whether the number can still change."""
        last = emit.constant(self.last, self.element)
        return emit.compare("ne", emit.get(self.cell), last)

    def combine_apart(self, loop: ForOp, emit: Emitter) -> SSAValue:
        """Let a loop combine into a cell of its own: what a number starts from has no part in the vectors of it."""
        part = emit.cell(emit.constant(self.identity, self.element))
        replace_inside(loop, self.cell, part)
        return part

    def add(self, part: SSAValue, emit: Emitter) -> None:
        """Combine the number with that of a loop."""
        operands = [emit.get(self.cell), emit.get(part)]
        if self.position:
            operands.reverse()
        op = create_operation(ApplyOp, operands, (self.element,), self.applied.properties, self.applied.attributes)
        emit.set(emit.insert(op).result, self.cell)


def _exit_in(block: Block) -> bool:
    """Rewrite the loops of a block, and those inside of others; gives whether there was one."""
    found = False
    for op in operations_of(block):
        number = _only_number(op) if isinstance(op, ForOp | WhileOp) else None
        if number is not None:
            found = True
            if isinstance(op, WhileOp):
                _end_walk(op, number)
            elif isinstance(op, ForOp):
                _end_counted(op, number)
            continue
        for region in op.regions:
            for inner in region.blocks:
                found |= _exit_in(inner)
    return found


def _only_number(loop: ForOp | WhileOp) -> _Number | None:
    """The number that a loop combines into, if it does nothing else and the number may be final before its end."""
    # A loop with hints has a few iterations, or threads of its own.
    has_hints = PARALLEL in loop.attributes or AS_IT_IS.items() <= loop.attributes.items()
    effects = None if has_hints else effects_of(loop)
    if effects is None:
        return None
    outside = [one for one in effects.writes if not is_inside(one, loop)]
    kept = [cell for cell in outside if any(not loop.is_ancestor(use.operation) for use in cell.uses)]
    if len(kept) != 1 or not isinstance(kept[0].owner, CellOp) or (type(loop) is ForOp and len(outside) != 1):
        return None
    return _number(kept[0], loop)


def _gathers(loop: ForOp) -> bool:
    """Whether elements are loaded whose positions are loaded as well."""
    loaded: set[SSAValue] = set()
    for op in operations_of(loop.body.block):
        if isinstance(op, LoadOp) and op.index in loaded:
            return True
        if isinstance(op, LoadOp) or any(operand in loaded for operand in op.operands):
            loaded.update(op.results)
    return False


def _number(cell: SSAValue, loop: Operation) -> _Number | None:
    uses = [use.operation for use in cell.uses if loop.is_ancestor(use.operation)]
    stores = [op for op in uses if isinstance(op, SetOp)]
    combined = [op.value.owner for op in stores]
    reads = [op for op in uses if isinstance(op, GetOp)]
    if not combined or not all(isinstance(op, ApplyOp) for op in combined):
        return None
    applied = [op for op in combined if isinstance(op, ApplyOp)]
    read = {use.operation for one in reads for use in one.value.uses}
    if len(stores) != len(reads) or read != {*applied} or len({op.operator for op in applied}) != 1:
        return None
    values = {one.value for one in reads}
    (position, *others) = {number for op in applied for number, one in enumerate(op.operands) if one in values}
    element = applied[0].result.type
    if others or len(applied[0].operands) != 2 or not isinstance(element, IntegerType):
        return None
    operator, name = find_operator(applied[0].operator, applied[0]), element_name(element)
    # The loop is in parts that start from the identity.
    identity, last = operator.identity(name), operator.annihilators(position, name)
    if identity is None or len(last) != 1 or _is_far(last[0], element):
        return None
    return _Number(cell, last[0], identity, element, applied[0], position)


def _is_far(number: Scalar, element: IntegerType) -> bool:
    """Whether a number is an end of a wide range, 0 apart, which hardly any element comes to."""
    name = element_name(element)
    return bool(number) and element.width.data > _WIDEST and number in (smallest(name), largest(name))


def _end_walk(loop: WhileOp, number: _Number) -> None:
    """Ask in each iteration of a loop that asks something in any case."""
    end = loop.condition.block.last_op
    assert isinstance(end, ConditionOp)
    condition = end.condition
    erase_operation(end)
    emit = Emitter(loop.condition.block)
    emit.insert(ConditionOp.of(emit.both(condition, number.is_open(emit))))


def _end_counted(loop: ForOp, number: _Number) -> None:
    """Let a loop of many iterations end early, and loops inside of it."""
    if operations_in(loop.body, ForOp, WhileOp):
        walk = _end_nest(loop, number)
        _exit_in(walk.body.block)
        return
    length = _STRIP_OF_GATHERS if _gathers(loop) else _STRIP
    if isinstance(loop.parent_op(), FuncOp | ParallelOp):
        _end_strips(loop, number, length)
        return
    # Rows are short as a rule: one that is a strip is a loop as before.
    before = Emitter(Block())
    is_long = before.compare("sgt", before.sub(loop.upper, loop.lower), before.index(length))
    branch = before.insert(IfOp.of(is_long, with_else=True))
    branch.attributes["unlikely"] = UnitAttr()
    move_before(before.block, loop)
    branch.otherwise.block.add_op(clone_operation(loop, {}))
    loop.detach()
    branch.then.block.add_op(loop)
    _end_strips(loop, number, length)


def _end_nest(loop: ForOp, number: _Number) -> WhileOp:
    """Make a while of a loop with others inside."""
    walk = _Walk.over(loop, number, 1)
    loop.induction.replace_all_uses_with(walk.first)
    walk.body.take(operations_of(loop.body.block))
    erase_operation(loop)
    walk.body.set(walk.end, walk.start)
    return walk.loop


def _end_strips(loop: ForOp, number: _Number, length: int) -> None:
    """Put a while around the strips of an innermost loop, which becomes vectors as before."""
    walk = _Walk.over(loop, number, length)
    walk.loop.attributes[STRIPS] = UnitAttr()
    loop.detach()
    loop.operands[0], loop.operands[1] = walk.first, walk.body.min(walk.end, loop.upper)
    part = number.combine_apart(loop, walk.body)
    walk.body.insert(loop)
    number.add(part, walk.body)
    walk.body.set(walk.end, walk.start)


class _Walk(NamedTuple):
    """A while in front of a counted loop, over its range in steps of some length, as long as a number is open."""

    loop: WhileOp
    body: Emitter
    start: SSAValue
    first: SSAValue
    end: SSAValue

    @staticmethod
    def over(counted: ForOp, number: _Number, length: int) -> _Walk:
        before, walk = Emitter(Block()), WhileOp.of()
        start = before.cell(counted.lower)
        asked, body = Emitter(walk.condition.block), Emitter(walk.body.block)
        more = asked.compare("slt", asked.get(start), counted.upper)
        asked.insert(ConditionOp.of(asked.both(more, number.is_open(asked))))
        first = body.get(start)
        before.insert(walk)
        walk.location = counted.location
        move_before(before.block, counted)
        return _Walk(walk, body, start, first, body.add(first, body.index(length)))
