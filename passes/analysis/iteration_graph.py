"""The iteration graph of a statement: which index variable must be bound before which, and why (Kjolstad 2020, 3.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from xdsl.dialects.arith import AddiOp, MuliOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.diagnostics import Note, UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, LetOp, WhereOp
from irtensor.dialects.storage.storage import format_of
from irtensor.levels.known_levels import LEVEL_PROPERTIES
from irtensor.passes.analysis.ranges import (
    block_parts,
    block_variables,
    covered_by,
    forall_of,
    nested_blocks,
    range_sources,
    sources,
)
from irtensor.passes.support.operations_in import operations_in


def name_of(value: SSAValue) -> str:
    """The name a reader knows a value by; of a coordinate that is put together, that of the variable it is bound to."""
    if value.name_hint is not None:
        return value.name_hint
    bound = (use.operation.variable for use in value.uses if isinstance(use.operation, LetOp))
    return next((variable.name_hint for variable in bound if variable.name_hint is not None), "?")


def loops_named(variables: Iterable[SSAValue]) -> str:
    """How a message names the loops over some variables."""
    return loops_called([name_of(variable) for variable in variables])


def loops_called(names: Sequence[str]) -> str:
    """How a message names the loops over variables of these names."""
    return f"the loop{'s' if len(names) > 1 else ''} over {', '.join(names)}"


def loop_name(variable: SSAValue) -> str:
    """How a message names the loop of a variable: the parts of a split variable by the name of the whole."""
    found = _split_from(variable)
    return name_of(variable) if found is None else f"{name_of(found[0])} ({found[1]})"


def whole_variable(variable: SSAValue) -> SSAValue:
    """The variable that was split into blocks or offsets, which this one counts; itself, if none was."""
    found = _split_from(variable)
    return variable if found is None else whole_variable(found[0])


def _split_from(variable: SSAValue) -> tuple[SSAValue, str] | None:
    """The variable that is bound to `number * size + offset` with this one in it, and which of the two this one is."""
    users = [use.operation for use in variable.uses]
    users += [use.operation for op in users if isinstance(op, MuliOp) for use in op.result.uses]
    for op in users:
        parts = block_parts(op.result) if isinstance(op, AddiOp) else None
        if parts is None or variable not in parts:
            continue
        for use in op.results[0].uses:
            if isinstance(use.operation, LetOp):
                return use.operation.variable, "inside blocks" if parts[1] is variable else "blocks"
    return None


def needs_splitting(op: AccessOp | AssignOp) -> bool:
    """Whether a tensor stored in blocks is indexed by dimension, not yet by the block and the offset in it."""
    return len(op.indices) != len(format_of(op.tensor.type).levels)


def level_variables(op: AccessOp | AssignOp) -> list[SSAValue]:
    """The index variable of every level of the accessed tensor, outermost level first."""
    format = format_of(op.tensor.type)
    if not format.is_blocked:
        indices = op.indices
        return [indices[dimension] for dimension in format.dimension_order]
    if needs_splitting(op):
        raise UserError(
            "wrong-stage",
            f"'{name_of(op.tensor)}' is stored in blocks ({format}), but indexed by dimension",
            op=op,
            help="run split-blocked-dimensions before",
        )
    return list(op.indices)


def level_protocols(op: AccessOp | AssignOp) -> list[str | None]:
    """The protocol of every level of the accessed tensor; None where none is asked for."""
    format = format_of(op.tensor.type)
    if op.protocols is None:
        return [None] * len(format.levels)
    words = [protocol.data for protocol in op.protocols]
    return [*words] if format.is_blocked else [words[dimension] for dimension in format.dimension_order]


def levels_in_order(op: AccessOp | AssignOp, order: Sequence[SSAValue]) -> list[int]:
    """The levels of the accessed tensor as loops in an order reach them; what follows from variables comes last."""
    variables = level_variables(op)
    positions = {variable: position for position, variable in enumerate(order) if forall_of(variable) is not None}
    return sorted(range(len(variables)), key=lambda level: positions.get(variables[level], len(order)))


def can_locate(format: TensorFormat, level: int) -> bool:
    """Whether a coordinate of the level is found in constant time."""
    return LEVEL_PROPERTIES[format.levels[level].format.name].access.inserts


def last_append_level(format: TensorFormat) -> int | None:
    """The innermost level that a result appends to, or None if every level can be written in any order."""
    levels = [number for number in range(len(format.levels)) if not can_locate(format, number)]
    return levels[-1] if levels else None


def needs_whole_coordinates(access: AccessOp | AssignOp, level: int) -> bool:
    """Whether a level takes its coordinates one after the other: those of a list, and those a result is appended by."""
    format = format_of(access.tensor.type)
    last = last_append_level(format) if isinstance(access, AssignOp) else None
    return not can_locate(format, level) or (last is not None and level <= last)


class Edge(NamedTuple):
    """`before` is bound outside `after`, because of one access. A soft edge is a preference (locality)."""

    before: SSAValue
    after: SSAValue
    access: AccessOp | AssignOp | ForallOp
    """What asks for it; a loop asks for those that its range is computed from."""
    hard: bool
    appends: bool = False

    def reason(self) -> str:
        before, after = loop_name(self.before), loop_name(self.after)
        if isinstance(self.access, ForallOp):
            return f"the range of loop {after} is computed from {before}"
        tensor = name_of(self.access.tensor)
        if self.appends:
            return f"result '{tensor}' is appended in order of {before}, so the loop over {after} goes inside"
        return f"'{tensor}' needs loop {before} before {after}"

    def note(self) -> Note:
        if isinstance(self.access, ForallOp):
            return Note(f"loop {loop_name(self.after)} goes inside of {loop_name(self.before)}", op=self.access)
        return Note(f"'{name_of(self.access.tensor)}' is stored {format_of(self.access.tensor.type)}", op=self.access)


def accesses_in(block: Block) -> list[AccessOp | AssignOp]:
    """Accesses and assignments of a statement, in program order, nested ones included."""
    return operations_in(block, AccessOp, AssignOp)


def stores_into(block: Block, tensor: SSAValue) -> Iterator[AssignOp]:
    """Assignments of a statement to one tensor, in program order."""
    return (assign for assign in operations_in(block, AssignOp) if assign.tensor is tensor)


def first_store_of(where: WhereOp) -> AssignOp:
    """The first assignment to a temporary, from which its indices are known. Raises UserError."""
    produced = where.producer.block.args[0]
    store = next(stores_into(where.producer.block, produced), None)
    if store is None:
        message = f"nothing is stored into temporary '{name_of(produced)}'"
        help = "assign to it in the first region, or read a constant in its place"
        raise UserError("unsupported-workspace", message, op=where, help=help)
    return store


def chain_edges(chain: Sequence[ForallOp]) -> list[Edge]:
    """Order constraints between the variables of a nest: of every access in it, and of the ranges of its loops."""
    accesses = accesses_in(chain[-1].body.block)
    return [*(edge for access in accesses for edge in edges_of(access)), *range_edges(chain)]


def range_edges(chain: Iterable[ForallOp]) -> list[Edge]:
    """The variables that a loop's range is computed from are bound outside of it."""
    variables = [(loop.variable, loop) for loop in chain if loop.bounds]
    return [Edge(outer, inner, loop, hard=True) for inner, loop in variables for outer in range_sources(inner)]


def edges_of(access: AccessOp | AssignOp) -> Iterator[Edge]:
    """Order constraints of one access between the variables of consecutive levels."""
    format = format_of(access.tensor.type)
    variables = level_variables(access)
    # Tuples appended in no order may be reached in any order.
    tuples = format.tuples if isinstance(access, AssignOp) else range(0)
    for level in range(1, len(variables)):
        if variables[level - 1] is not variables[level]:
            hard = not all(can_locate(format, deeper) for deeper in range(level, len(variables)))
            edge = Edge(variables[level - 1], variables[level], access, hard and level not in tuples[1:])
            yield from _of_loops(edge) if edge.hard and isinstance(access, AccessOp) else (edge,)
    if tuples.start > 0:
        yield from (Edge(variables[tuples.start - 1], variables[inner], access, hard=True) for inner in tuples[1:])
    if format.is_blocked:
        yield from _block_edges(access, format)
    if isinstance(access, AssignOp):
        yield from _append_edges(access, format, variables)


def _of_loops(edge: Edge) -> Iterator[Edge]:
    """What an edge says of loops: a coordinate that is computed from several is bound as soon as all of them are."""
    computed_from = sources(edge.before)
    if forall_of(edge.before) is not None or forall_of(edge.after) is None or edge.after in computed_from:
        yield edge
    else:
        yield from (edge._replace(before=loop) for loop in sorted(computed_from, key=_depth))


def _depth(variable: SSAValue) -> int:
    loop = forall_of(variable)
    return 0 if loop is None else sum(1 for _ in enclosing_variables(loop))


def _block_edges(access: AccessOp | AssignOp, format: TensorFormat) -> Iterator[Edge]:
    """Inside a block after the block: the number of coordinates in a partial block depends on which block it is."""
    blocks = {
        level.expression.dimension: access.indices[number]
        for number, level in enumerate(format.levels)
        if level.expression.form == "floordiv"
    }
    for number, level in enumerate(format.levels):
        if level.expression.form == "mod":
            yield Edge(blocks[level.expression.dimension], access.indices[number], access, hard=True)


def _append_edges(assign: AssignOp, format: TensorFormat, variables: Sequence[SSAValue]) -> Iterator[Edge]:
    """Loops that do not index the levels that a result appends to go inside the loop of the innermost of them."""
    level = last_append_level(format)
    if level is None:
        return
    edges, blocks = _loops_over_blocks(assign, format, variables[: level + 1])
    yield from edges
    for variable in enclosing_variables(assign):
        if variable not in variables[: level + 1] and variable not in blocks:
            for outer in format.tuples if level in format.tuples else (level,):
                yield Edge(variables[outer], variable, assign, hard=True, appends=True)


def _loops_over_blocks(
    assign: AssignOp, format: TensorFormat, variables: Sequence[SSAValue]
) -> tuple[list[Edge], set[SSAValue]]:
    """The loops over blocks of the outer levels' coordinates, and where they go: inside the loop of the level
    above, and inside of those over the blocks that they are parts of."""
    covered = covered_by(variables)
    edges: list[Edge] = []
    blocks: set[SSAValue] = set()
    above: Set[SSAValue] = frozenset()
    for number, variable in enumerate(variables):
        own = block_variables(variable) & covered
        if number > 0:
            # Blocks that begin within the fibers of the level above would append to it twice; those that begin within
            # the coordinates of a level further out would come back to the fibers of the levels between.
            outer = own - above if can_locate(format, number - 1) else own
            edges += [Edge(variables[number - 1], block, assign, hard=True, appends=True) for block in outer]
        edges += [Edge(*pair, assign, hard=True, appends=True) for pair in nested_blocks(variable)]
        blocks |= own
        above = own
    return edges, blocks


def workspace_edges(
    assign: AssignOp, variables: Sequence[SSAValue], outside: Sequence[SSAValue] | None = None
) -> list[Edge]:
    """What an assignment into an appended result asks of the loops if a workspace holds all levels but those `outside`.

    The loops over the levels above go first, in the result's order; inside of them any order will do. By default the
    workspace holds the innermost sparse level, or all tuples in no order, and the levels below.
    """
    format = format_of(assign.tensor.type)
    levels, last = level_variables(assign), last_append_level(format)
    tuples = [levels[number] for number in format.tuples]
    if outside is None:
        outside = () if last is None else levels[: format.tuples.start if last in format.tuples else last]
    edges, blocks = _loops_over_blocks(assign, format, outside)
    for number, before in enumerate(outside):
        above = outside if before in tuples else outside[: number + 1]
        after = [variable for variable in variables if variable not in above and variable not in blocks]
        edges += [Edge(before, variable, assign, hard=True, appends=True) for variable in after]
    return edges


def enclosing_variables(op: Operation) -> Iterator[SSAValue]:
    """Index variables bound around an operation, innermost first."""
    parent = op.parent_op()
    while parent is not None:
        if type(parent) is ForallOp or type(parent) is LetOp:
            yield parent.variable
        parent = parent.parent_op()
