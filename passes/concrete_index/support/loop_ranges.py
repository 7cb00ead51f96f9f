"""What the passes that cut loops share: finding loops by name, their ranges, and loops over blocks of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from xdsl.dialects.builtin import IndexType, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.diagnostics import UserError
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, LetOp, WhereOp
from irtensor.dialects.concrete_index.index_ranges import BoundOp, ExtentOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import create_block, create_region, erase_operation, insert_operation
from irtensor.passes.analysis.iteration_graph import name_of, needs_splitting, stores_into
from irtensor.passes.analysis.ranges import computes_range, foralls_in, sources
from irtensor.passes.concrete_index.support.recorded_steps import definition_of
from irtensor.passes.concrete_index.support.where_laws import is_same
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_in, operations_of

_index = IndexType()
# Attribute of the loops of a nest that is cut as one: the name of that loop.
FUSED = "fused"
# Attribute of loops over elements at one offset in a block: they go outside up to the loops that give the offset.
FOLLOWS = "follows"
# Attribute of loops that are cut by the stored entries of an operand: its name.
POSITIONS = "positions"
# The set of tasks of a loop, for people to read.
TASKS = "tasks"


def loops_named(module: ModuleOp, variable: str, step: str) -> list[ForallOp]:
    """All loops over the index variables of this name; there is at least one."""
    loops = operations_in(module, ForallOp)
    found = [loop for loop in loops if name_of(loop.variable) == variable]
    if not found:
        names = ", ".join(dict.fromkeys(name_of(loop.variable) for loop in loops))
        raise UserError(
            "no-such-loops",
            f"{step}: no loop is over '{variable}'",
            op=loops[0] if loops else module,
            help=f"loops are over {names}" if names else "the module has no loops: run it where there are foralls",
        )
    return found


def nests_named(module: ModuleOp, variable: str, step: str) -> list[list[ForallOp]]:
    """The loops over variables of this name, each a nest of its own, and the nests that are fused under this name."""
    parts = [op for op in operations_in(module, ForallOp) if fused_name(op) == variable]
    if not parts:
        return [[loop] for loop in loops_named(module, variable, step)]
    nests: list[list[ForallOp]] = []
    for loop in parts:
        if not any(loop in nest for nest in nests):
            nest = [loop, *fused_inside(loop)]
            nests.append(nest)
            if any(other in parts for other in operations_in(nest[-1].body, ForallOp)):
                message = f"{step}: other loops are between those that are fused as '{variable}'"
                help = "reorder the loops so that they are directly nested again"
                raise UserError("illegal-split", message, op=loop, help=help)
    return nests


def fused_inside(loop: ForallOp) -> list[ForallOp]:
    """The loops directly inside of one that are fused with it."""
    found: list[ForallOp] = []
    name, inner = fused_name(loop), loop
    while name is not None and (inner := directly_inside(inner, name)) is not None and fused_name(inner) == name:
        found.append(inner)
    return found


def directly_inside(loop: ForallOp, name: str) -> ForallOp | None:
    """The loop that another consists of. Loops over elements at one offset in a block, which follow that one, are
    passed over, unless the name is theirs."""
    for inner in foralls_in(loop.body.block):
        if FOLLOWS not in inner.attributes or name in (name_of(inner.variable), fused_name(inner)):
            return inner
    return None


def fused_name(loop: ForallOp) -> str | None:
    name = loop.attributes.get(FUSED)
    return name.data if isinstance(name, StringAttr) else None


def step_name(loop: ForallOp) -> str:
    """What steps of a schedule call a loop: by its variable, or with all those that it is fused with."""
    return fused_name(loop) or name_of(loop.variable)


# Sums of such a number and a coordinate do not overflow.
_LARGEST_COUNT = (1 << 31) - 1
# For so many iterations at a time LLVM takes seconds; more would not fit into the processor's caches either.
MOST_ITERATIONS = 64


def check_count(step: str, what: str, count: int, op: Operation, most: int = _LARGEST_COUNT) -> None:
    """Sizes, and numbers of parts or of iterations, are positive and not larger than `most`."""
    if not 1 <= count <= most:
        raise UserError(
            "bad-schedule-step", f"{step}: {what} is {count}", op=op, help=f"give a {what} from 1 to {most}"
        )


def check_new_names(step: str, loops: Sequence[ForallOp], names: Sequence[str]) -> None:
    """New loops in place of others have names that no other loop of the definition has."""
    for loop in loops:
        inside = [op for op in operations_in(definition_of(loop) or loop, ForallOp, LetOp) if op not in loops]
        taken = {name_of(op.variable) for op in inside}
        for number, name in enumerate(names):
            problem = None if name.isidentifier() else "is not a name"
            problem = "is the name of another loop" if name in taken or name in names[:number] else problem
            if problem is not None:
                message, help = f"{step}: '{name}' {problem}", "give each new loop a name of its own"
                raise UserError("bad-schedule-step", message, op=loop, help=help)


def loop_range(loop: ForallOp, step: str, tensor: SSAValue | None = None) -> tuple[SSAValue, SSAValue]:
    """The first coordinate of a loop and one past the last, which it is given if it has no range yet: that of `tensor`
    if it has one, so that a search among its coordinates has nothing behind the last."""
    if not loop.bounds:
        source = _extent_source(loop.variable, step, tensor)
        computed = Block()
        emit = Emitter(computed)
        set_range(loop, emit.index(0), emit.insert(ExtentOp.of(*source)).result, computed)
    return loop.bounds[0], loop.bounds[1]


def known_range(loop: ForallOp) -> tuple[SSAValue, SSAValue] | None:
    """The range of a loop, as `loop_range` gives it; None where nothing says how far it goes."""
    try:
        return loop_range(loop, "")
    except UserError:
        return None


def is_multiple(extent: SSAValue, size: int) -> bool:
    """Whether an extent is known to be a multiple of a number: it is given, or a schedule has said so (`bound`)."""
    bound, number = extent.owner, constant_index(extent)
    if number is not None:
        return number % size == 0
    return isinstance(bound, BoundOp) and bound.number.value.data % size == 0


def _extent_source(variable: SSAValue, step: str, wanted: SSAValue | None = None) -> tuple[SSAValue, int]:
    """An operand or result, and the dimension of it, that a variable indexes, perhaps by way of a temporary."""
    # Variables that index the same dimensions of temporaries; those that are found go through the loop as well.
    same = [variable]
    for one in same:
        found = [(access.tensor, dimension) for dimension, access in dimensions_of(one)]
        found = [source for source in found if _where_of(source[0]) is None]
        if found:
            return next((source for source in found if source[0] is wanted), found[0])
        for dimension, access in dimensions_of(one):
            same += [other for other in _on_other_side(access, dimension) if other not in same]
    raise UserError(
        "unknown-extent",
        f"{step}: no operand or result says how many coordinates '{name_of(variable)}' has",
        op=variable.owner.parent_op() if isinstance(variable.owner, Block) else None,
        help="use the variable in an operand or in the result",
    )


def dimensions_of(variable: SSAValue) -> Iterator[tuple[int, AccessOp | AssignOp]]:
    """The dimensions that a variable indexes as a whole."""
    for access in _accesses_by(variable):
        if needs_splitting(access) or not format_of(access.tensor.type).is_blocked:
            dimension = list(access.indices).index(variable)
            expressions = [level.expression for level in format_of(access.tensor.type).levels]
            forms = {level.form for level in expressions if level.dimension == dimension}
            if needs_splitting(access) or forms <= {"whole", "minus"}:
                yield dimension, access


def _on_other_side(access: AccessOp | AssignOp, dimension: int) -> list[SSAValue]:
    """The indices of a dimension of a temporary where it is written, of one that is read, and the other way round."""
    where = _where_of(access.tensor)
    if where is None:
        return []
    if isinstance(access, AccessOp):
        produced = where.producer.block.args[0]
        return [store.indices[dimension] for store in stores_into(where.producer.block, produced)]
    reads = [use.operation for use in where.consumer.block.args[0].uses]
    return [read.indices[dimension] for read in reads if isinstance(read, AccessOp)]


def _accesses_by(variable: SSAValue) -> Iterable[AccessOp | AssignOp]:
    for use in variable.uses:
        if isinstance(use.operation, AccessOp | AssignOp):
            yield use.operation


def _where_of(tensor: SSAValue) -> WhereOp | None:
    """The statement that a tensor is the temporary of, if it is one."""
    where = tensor.owner.parent_op() if isinstance(tensor.owner, Block) else None
    return where if isinstance(where, WhereOp) else None


def cut_loop(loop: ForallOp, outer: str, inner: str) -> ForallOp:
    """Put a loop inside a new one, which is given and has no range yet; the old one keeps its body and its tags."""
    blocks = create_block((_index,), (outer,))
    around = ForallOp.of(create_region(blocks))
    around.location = loop.location
    insert_operation(around, loop)
    loop.detach()
    blocks.add_op(loop)
    loop.variable.name_hint = inner
    return around


def set_range(loop: ForallOp, lo: SSAValue, hi: SSAValue, computed: Block, *others: SSAValue) -> list[SSAValue]:
    """Let a loop go from `lo` up to, not including, `hi`; `computed` holds what computes them, and `others`, given."""
    lo, hi, *rest = compute_before(loop, computed, (lo, hi, *others))
    bounds = (lo, hi)
    for name, bound in zip(("lo", "hi"), bounds, strict=True):
        if bound.name_hint is None and isinstance(bound.owner, Operation) and isinstance(loop.parent_op(), ForallOp):
            bound.name_hint = name if bound.owner.parent is loop.parent else None
    loop.operands = bounds
    return rest


def compute_before(loop: ForallOp, computed: Block, values: Sequence[SSAValue]) -> list[SSAValue]:
    """Compute values before a loop by the operations of a block.

    What depends on no loop is put once before all loops of the definition, the rest right before the loop.
    """
    definition = definition_of(loop)
    assert definition is not None and loop.parent is not None
    shared = list(takewhile(computes_range, definition.body.block.ops))
    first = next(op for op in definition.body.block.ops if not computes_range(op))
    found = list(values)
    for op in operations_of(computed):
        op.detach()
        if all((isinstance(o.owner, Block) and not sources(o)) or o.owner in shared for o in op.operands):
            same = next((other for other in shared if is_same(op, other)), None)
            if same is None:
                definition.body.block.insert_op_before(op, first)
                shared.append(op)
                continue
            replaced: dict[SSAValue, SSAValue] = dict(zip(op.results, same.results, strict=True))
            found = [replaced.get(value, value) for value in found]
            for old, new in replaced.items():
                old.replace_all_uses_with(new)
            op.erase()
        else:
            loop.parent.insert_op_before(op, loop)
    return found


def erase_unused(op: Operation) -> None:
    """Erase what computes nothing that is used, and what only that has used."""
    operands = [operand.owner for operand in op.operands]
    if op.parent is not None and computes_range(op) and not any(result.uses for result in op.results):
        erase_operation(op)
        for owner in dict.fromkeys(owner for owner in operands if isinstance(owner, Operation)):
            erase_unused(owner)
