"""Paths of loops from a definition down to a statement, through the temporaries that are computed on the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.diagnostics import UserError
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp, WhereOp
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.ranges import covered_by, only_forall, sources
from irtensor.passes.concrete_index.support.where_laws import (
    add_dimensions,
    distribute_loop,
    loops_needed,
    sides,
    sink_values,
)
from irtensor.passes.concrete_index.support.workspace_format import expanded_format
from irtensor.passes.support.operations_in import operations_in


class LoopPath(NamedTuple):
    """Chains of directly nested loops, outermost first; `sides[n]` is the side of a where that holds `chains[n + 1]`.

    Each is the whole body of the one before it; a chain may be empty.
    """

    chains: tuple[tuple[ForallOp, ...], ...] = ((),)
    sides: tuple[Block, ...] = ()

    @property
    def loops(self) -> list[ForallOp]:
        return [loop for chain in self.chains for loop in chain]


def loop_paths(module: ModuleOp) -> Iterator[LoopPath]:
    """The longest paths: one begins anew where several statements follow each other."""
    for op in operations_in(module, ComputeOp):
        yield from (path for path in _paths(op.body.block, LoopPath()) if path.loops)


def _paths(block: Block, path: LoopPath) -> Iterator[LoopPath]:
    statements = [op for op in block.ops if not op.results]
    if len(statements) > 1:
        yield path
        path = LoopPath()
    for op in statements:
        if isinstance(op, ForallOp):
            *before, last = path.chains
            yield from _paths(op.body.block, LoopPath((*before, (*last, op)), path.sides))
        elif isinstance(op, WhereOp):
            for side in sides(op):
                yield from _paths(side, LoopPath((*path.chains, ()), (*path.sides, side)))
        else:
            yield path


def chain_in(block: Block) -> list[ForallOp]:
    """The directly nested loops that a block consists of."""
    chain: list[ForallOp] = []
    while (loop := only_forall(block)) is not None:
        chain.append(loop)
        block = loop.body.block
    return chain


def move_inside(where: WhereOp, loops: Sequence[ForallOp]) -> None:
    """Put the innermost loops around a where, and nothing else, around its producer and its consumer each.

    The temporary gets a dimension for each variable that its values depend on. A loop that only the consumer needs goes
    there, because the producer computes the same in each of its iterations.
    Raises UserError [illegal-reorder].
    """
    temporary = name_of(where.producer.block.args[0])
    needed = loops_needed(where.producer.block)
    produced = [loop for loop in loops if loop.variable in needed]
    dimensions = [loop.variable for loop in produced if indexes_within(loop.variable, where.producer.block)]
    blocks = next((loop for loop in produced if loop.variable not in covered_by(dimensions)), None)
    if blocks is not None:
        problem = f"'{temporary}' would need a dimension for the blocks that this loop counts"
        raise cannot_go_inside(
            blocks, problem, "precompute before loops are split, or leave the loop over blocks outside"
        )
    if not sink_values(where):
        raise cannot_go_inside(
            loops[-1], f"other statements stand beside that of '{temporary}'", "leave the loop where it is"
        )
    if dimensions:
        add_dimensions(where, dimensions, expanded_format(where, dimensions))
    for loop in reversed(loops):
        sink_values(where)
        distribute_loop(where, loop)


def cannot_go_inside(loop: ForallOp, problem: str, help: str) -> UserError:
    message = f"reorder: loop {name_of(loop.variable)} cannot go inside: {problem}"
    return UserError("illegal-reorder", message, op=loop, help=help)


def indexes_within(variable: SSAValue, block: Block) -> bool:
    """Whether an access in a block has a variable as one of its indices, or a coordinate that is computed from it, if
    another access says how many values the variable has."""
    accesses = operations_in(block, AccessOp, AssignOp)
    if any(variable in access.indices for access in accesses):
        return True
    has_extent = any(isinstance(use.operation, AccessOp) for use in variable.uses)
    return has_extent and any(variable in sources(index) for access in accesses for index in access.indices)


def why_apart(module: ModuleOp, names: Sequence[str]) -> str | None:
    """Why loops of these names are on no path together; None if a name has no loop."""
    loops = list(operations_in(module, ForallOp))
    for first, second in pairwise(names):
        pairs = [
            (one, other)
            for one in loops
            for other in loops
            if name_of(one.variable) == first and name_of(other.variable) == second
        ]
        if not pairs:
            return None
        if not any({*pair} <= {*path.loops} for path in loop_paths(module) for pair in pairs):
            return _apart(*pairs[0])
    return None


def _apart(one: ForallOp, other: ForallOp) -> str:
    names = f"loops {name_of(one.variable)} and {name_of(other.variable)}"
    around = [*_ancestors(one)]
    common = next(op for op in _ancestors(other) if op in around)
    if isinstance(common, WhereOp):
        return f"{names} are on different sides of the temporary '{name_of(common.producer.block.args[0])}'"
    return f"other statements stand between {names}"


def _ancestors(op: Operation | None) -> Iterator[Operation]:
    while op is not None:
        yield op
        op = op.parent_op()
