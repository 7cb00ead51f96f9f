"""`scatter-reductions`: terms that a condition gives one coordinate of a result are combined with the element there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import IndexType, IntegerType, StringAttr, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.diagnostics import remark
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, find_operator
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AssignOp, ForallOp, IfOp, LetOp, WhereOp
from irtensor.dialects.storage.storage import FormatAttr
from irtensor.dialects.support.create_operation import create_block, create_region, erase_operation
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.ranges import sources
from irtensor.passes.concrete_index.support.loop_ranges import known_range
from irtensor.passes.concrete_index.support.sieves import conditions_of, set_conditions
from irtensor.passes.concrete_index.support.where_laws import (
    add_dimensions,
    distribute_loop,
    is_within,
    sink_values,
)
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass

_index = IndexType()


class ScatterReductionsPass(TensorPass):
    """Combine each term with the component at its coordinate, in the place of a loop that compares all coordinates.

    Before: `forall %b { forall %i { if %I[%i] == %b { assign add %x[%i] into %h[%b] } } }`
    After:  `forall %i { if 0 <= %I[%i] < %n { let %b = %I[%i] { assign add %x[%i] into %h[%b] } } }`
    A reduction that is only part of a value is computed for all coordinates into a temporary first. Each component
    combines the same terms in the same order. Only where the coordinate is an integer that does not depend on the
    variable, and loops and definitions in between hold nothing else.
    """

    name = "scatter-reductions"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {"concretize": "conditions and reductions are statements then"}
    before = {
        "insert-workspaces": "a result that is appended to needs one",
        "choose-loop-order": "the loop that goes has no place in the order",
    }

    def on_function(self, function: FuncOp) -> None:
        for sieve in operations_in(function, IfOp):
            while sieve.parent is not None and any([_step(sieve, one) for one in _equalities(sieve)]):
                pass


class _Equality(NamedTuple):
    """The condition that the variable of a loop is a coordinate."""

    condition: ApplyOp
    loop: ForallOp
    coordinate: SSAValue


def _equalities(sieve: IfOp) -> list[_Equality]:
    found: list[_Equality] = []
    for condition in conditions_of(sieve.condition):
        op = condition.owner
        if isinstance(op, ApplyOp) and op.operator == StringAttr("eq"):
            for one, other in (op.arguments, op.arguments[::-1]):
                loop = _loop_over(one)
                if loop is not None and isinstance(other.type, IntegerType | IndexType):
                    found.append(_Equality(op, loop, other))
    return found


def _loop_over(value: SSAValue) -> ForallOp | None:
    """The loop whose variable a value is, as a number of any type."""
    while isinstance(value.owner, CastOp):
        value = value.owner.operand
    loop = value.owner.parent_op() if isinstance(value.owner, Block) else None
    return loop if isinstance(loop, ForallOp) else None


def _step(sieve: IfOp, found: _Equality) -> bool:
    """Let the loop of a condition go, or go around the producer of a temporary only; says whether it did."""
    loop, stores = found.loop, operations_in(sieve.body, AssignOp)
    if len(stores) != 1 or stores[0].operator is None or loop.bounds or loop.attributes:
        return False
    if loop.variable in sources(found.coordinate) or not loop.is_ancestor(sieve):
        return False
    between = _between(sieve, loop)
    if between is None or not _is_compared_only(found, sieve, between):
        return False
    wheres = [op for op in between if isinstance(op, WhereOp)]
    if wheres:
        return _distribute(wheres, loop, stores[0])
    if loop.variable not in stores[0].indices or known_range(loop) is None:
        return False
    _scatter(sieve, found)
    return True


def _between(sieve: IfOp, loop: ForallOp) -> list[Operation] | None:
    """The statements around an `if` up to a loop, innermost first, if their blocks hold nothing else."""
    found: list[Operation] = []
    inner: Operation = sieve
    while (block := inner.parent) is not None:
        if any(op.regions or isinstance(op, AssignOp) for op in block.ops if op is not inner):
            return None
        around = block.parent_op()
        if around is loop:
            return found
        is_side = isinstance(around, WhereOp) and block is not around.producer.block
        if is_side or not isinstance(around, ForallOp | LetOp | WhereOp):
            return None
        found.append(around)
        inner = around
    return None


def _is_compared_only(found: _Equality, sieve: IfOp, between: Sequence[Operation]) -> bool:
    """Whether the variable of a loop is used in the `if`, by its condition, and by what reads a temporary only."""
    waiting, consumers = [found.loop.variable], [op.consumer.block for op in between if isinstance(op, WhereOp)]
    while waiting:
        for use in waiting.pop().uses:
            op = use.operation
            if op is found.condition or any(is_within(op, block) for block in (sieve.body.block, *consumers)):
                continue
            if not isinstance(op, CastOp):
                return False
            waiting.append(op.result)
    return True


def _distribute(wheres: Sequence[WhereOp], loop: ForallOp, store: AssignOp) -> bool:
    """Compute a temporary for all coordinates of a loop first, if that is what the loop consists of."""
    where, operator = wheres[-1], store.operator
    assert operator is not None
    if len(wheres) > 1 or where.parent is not loop.body.block or store.tensor is not where.producer.block.args[0]:
        return False
    identity = find_operator(operator, store).identity(element_name(store.value.type))
    if identity is None or not sink_values(where):
        return False
    rank = len(store.indices) + 1
    add_dimensions(where, [loop.variable], FormatAttr(TensorFormat.dense(rank).with_fill(identity)))
    distribute_loop(where, loop)
    return True


def _scatter(sieve: IfOp, found: _Equality) -> None:
    """Bind the variable of a loop to the coordinate, where that is inside of the range, and let the loop go."""
    (store,) = operations_in(sieve.body, AssignOp)
    loop, name = found.loop, found.loop.variable.name_hint
    remark(
        f"terms are combined with '{name_of(store.tensor)}' at the {name} that each has, without a loop over {name}",
        sieve,
        by="scatter-reductions",
        about=[name_of(store.tensor)],
    )
    lo, hi = loop.bounds
    emit = Emitter(Block())
    coordinate = emit.to_index(found.coordinate)
    inside = [
        emit.insert(ApplyOp.of(StringAttr(how), (coordinate, bound), i1)).result
        for how, bound in (("ge", lo), ("lt", hi))
    ]
    move_before(emit.block, sieve)
    body = create_block((_index,), (name,))
    let = LetOp.of(coordinate, create_region(body))
    let.location = sieve.location
    Emitter(body).take(operations_of(sieve.body.block))
    sieve.body.block.add_op(let)
    for use in [use for use in loop.variable.uses if is_within(use.operation, body)]:
        use.operation.operands[use.index] = body.args[0]
    rest = [one for one in conditions_of(sieve.condition) if one.owner is not found.condition]
    set_conditions(sieve, [*inside, *rest])
    move_before(loop.body.block, loop)
    erase_operation(loop)
