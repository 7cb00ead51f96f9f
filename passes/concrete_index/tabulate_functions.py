"""`tabulate-functions`: functions of a vector that loops compute in each row are computed once, before the rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import takewhile
from typing import NamedTuple

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.diagnostics import remark
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp, operator_of
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp, LetOp, WhereOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import clone_operation, create_block, create_region, insert_operation
from irtensor.passes.analysis.enclosing_loops import enclosing_loops
from irtensor.passes.analysis.find_expression import term_of
from irtensor.passes.analysis.iteration_graph import accesses_in, level_variables, name_of
from irtensor.passes.analysis.races import AUTOMATIC, PARALLEL
from irtensor.passes.analysis.ranges import forall_of
from irtensor.passes.concrete_index.support.recorded_steps import recorded_steps
from irtensor.passes.concrete_index.support.where_laws import is_within
from irtensor.passes.loop.support.long_functions import takes_long
from irtensor.passes.support.erase_unused import erase_unused
from irtensor.passes.support.operations_in import is_argument, operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass


class TabulateFunctionsPass(TensorPass):
    """Compute a slow function of a vector before the loops that would compute all of it again in each iteration.

    Before: `forall %i { forall %j { assign div(%X[%i, %j], sqrt(%s[%j])) into %Z[%i, %j] } }`
    After:  `where produce (%w) { forall %j { assign sqrt(%s[%j]) into %w[%j] } }
             consume (%v) { forall %i { forall %j { assign div(%X[%i, %j], %v[%j]) into %Z[%i, %j] } } }`
    Slow are functions, roots and divisions. Their arguments are numbers, and dense vectors of one variable: operands or
    workspaces. Never more work than one more row: the loops come to all coordinates in each row, an element of the new
    vector is read in place of its arguments, and each value is the same to the bit. Not where entries of a sparse
    operand say to which coordinates the loops come, and not in definitions that a schedule has arranged.
    """

    name = "tabulate-functions"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {
        "choose-loop-order": "the order says which loops are around a function",
        "concordize": "accesses have the loops around them that they need",
        "tabulate-sums": "what a sum determines is in a vector of its own",
        "parallelize-outermost": "the loop over the vector is for threads if the other one is",
    }
    before = {"merge-dense-dimensions": "loops over rows are loops of their own"}

    def on_function(self, function: FuncOp) -> None:
        for compute in operations_of(function.body.block):
            if isinstance(compute, ComputeOp) and not recorded_steps(compute):
                for assign in operations_in(compute, AssignOp):
                    _tabulate_in(assign)


def _tabulate_in(assign: AssignOp) -> None:
    """Put slow functions in the value of an assignment into vectors, the largest parts that a variable determines."""
    waiting = [assign.value]
    while waiting:
        value = waiting.pop()
        op = value.owner
        if not isinstance(op, ApplyOp | CastOp):
            continue
        found = _Vector.of(value)
        if found is not None and not found.is_slow:
            continue
        outside = None if found is None else _loop_outside(op, found)
        if found is None or outside is None:
            waiting += op.operands
        else:
            _tabulate(value, found, outside)


class _Vector(NamedTuple):
    """What computes a value that one variable determines: the operations in order, and the temporaries that they read.

    `variable` is None for a number.
    """

    operations: tuple[Operation, ...]
    variable: SSAValue | None = None
    temporaries: frozenset[WhereOp] = frozenset()

    @staticmethod
    def of(value: SSAValue) -> _Vector | None:
        """None for a value that is computed from anything else."""
        op = value.owner
        match op:
            case ConstantOp():
                return _Vector((op,))
            case AccessOp():
                where = op.tensor.owner.parent_op() if isinstance(op.tensor.owner, Block) else None
                is_read = is_argument(op.tensor) or (
                    isinstance(where, WhereOp) and op.tensor.owner is where.consumer.block
                )
                if not is_read or not format_of(op.tensor.type).is_dense or len({*op.indices}) != len(op.indices):
                    return None
                if len(op.indices) > 1:
                    return None
                temporaries = frozenset([where] if isinstance(where, WhereOp) else [])
                return _Vector((op,), next(iter(op.indices), None), temporaries)
            case ApplyOp() | CastOp():
                parts = [_Vector.of(one) for one in op.operands]
                known = [part for part in parts if part is not None]
                variables = {part.variable for part in known} - {None}
                if len(known) < len(parts) or len(variables) > 1:
                    return None
                operations = dict.fromkeys([one for part in known for one in part.operations])
                temporaries = frozenset[WhereOp]().union(*[part.temporaries for part in known])
                return _Vector((*operations, op), next(iter(variables), None), temporaries)
            case _:
                return None

    @property
    def is_slow(self) -> bool:
        return any(isinstance(op, ApplyOp) and (operator_of(op).divides or takes_long(op)) for op in self.operations)


def _loop_outside(op: Operation, vector: _Vector) -> ForallOp | None:
    """The outermost loop that would compute a vector again, and comes to all of its elements each time."""
    own = None if vector.variable is None else forall_of(vector.variable)
    if own is None or own.bounds:
        return None
    outside = list(takewhile(lambda loop: _may_leave(loop, vector.temporaries), _loops_around(own)))
    loops = [loop for loop in enclosing_loops(op) if loop in outside or own.is_ancestor(loop)]
    return outside[-1] if outside and all(not loop.bounds for loop in loops) and _are_full(outside[-1], loops) else None


def _loops_around(loop: ForallOp) -> Iterator[ForallOp]:
    """The loops around a loop, innermost first, as far out as nothing but loops decides how often it is reached."""
    op = loop.parent_op()
    while isinstance(op, ForallOp | LetOp | WhereOp):
        if isinstance(op, ForallOp):
            yield op
        op = op.parent_op()


def _may_leave(loop: ForallOp, temporaries: Collection[WhereOp]) -> bool:
    """Whether temporaries are there before a loop."""
    return all(is_within(loop, where.consumer.block) for where in temporaries)


def _are_full(outside: ForallOp, loops: Collection[ForallOp]) -> bool:
    """Whether loops iterate over whole dimensions: no operand says at which coordinates there is something to do."""
    for access in accesses_in(outside.body.block):
        if isinstance(access, AccessOp):
            levels = format_of(access.tensor.type).levels
            for variable, level in zip(level_variables(access), levels, strict=True):
                if forall_of(variable) in loops and not level.format.pattern.full:
                    return False
    return True


def _tabulate(value: SSAValue, vector: _Vector, outside: ForallOp) -> None:
    """Compute a value for all coordinates before a loop, and read it inside."""
    assert vector.variable is not None and outside.parent is not None and isinstance(value.owner, Operation)
    name, term = name_of(vector.variable), str(term_of(value))
    text = f"{term} is computed for all {name} first, outside of the loop over {name_of(outside.variable)}"
    remark(text, by="tabulate-functions", about=[term])
    table = WhereOp.of(TensorType(value.type, [DYNAMIC_INDEX]), "v")
    table.location = outside.location
    body = create_block((vector.variable.type,), (name,))
    known: dict[SSAValue, SSAValue] = {vector.variable: body.args[0]}
    for op in vector.operations:
        body.add_op(clone_operation(op, known))
    body.add_op(AssignOp.of(known[value], table.producer.block.args[0], [body.args[0]], None))
    loop = ForallOp.of(create_region(body))
    if PARALLEL in outside.attributes:
        loop.attributes[PARALLEL] = AUTOMATIC
    table.producer.block.add_op(loop)
    read = AccessOp.of(table.consumer.block.args[0], [vector.variable])
    insert_operation(read, value.owner)
    value.replace_all_uses_with(read.result)
    erase_unused(vector.operations)
    outside.parent.insert_op_before(table, outside)
    outside.detach()
    table.consumer.block.add_op(outside)
