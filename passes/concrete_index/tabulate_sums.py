"""`tabulate-sums`: a sum that loops reach more often than it has values is computed for all coordinates before them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from itertools import dropwhile
from typing import NamedTuple

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.diagnostics import remark
from irtensor.core.storage_levels import LevelExpression
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp
from irtensor.dialects.concrete_index.concrete_index import (
    AccessOp,
    AssignOp,
    ComputeOp,
    ForallOp,
    IfOp,
    LetOp,
    WhereOp,
)
from irtensor.dialects.concrete_index.index_ranges import EntryCountOp, ExtentOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import (
    clone_operation,
    copy_of,
    create_block,
    create_operation,
    create_region,
    erase_operation,
    insert_operation,
)
from irtensor.passes.analysis.find_expression import term_computed
from irtensor.passes.analysis.iteration_graph import accesses_in, level_variables, name_of
from irtensor.passes.analysis.races import AUTOMATIC, PARALLEL
from irtensor.passes.analysis.ranges import forall_of
from irtensor.passes.concrete_index.scalarize_reductions import scalarize
from irtensor.passes.concrete_index.support.recorded_steps import recorded_steps
from irtensor.passes.concrete_index.support.where_laws import is_within, uses_within
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.erase_unused import erase_unused
from irtensor.passes.support.operations_in import is_argument, operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass


class TabulateSumsPass(TensorPass):
    """Compute a sum that one inner loop determines into a vector, where loops outside would compute it repeatedly.

    Before: `forall %j { forall %i { where produce (%t) { forall %k { assign add %p(%i, %k) into %t[] } }
             consume (%u) { assign add mul(%X[%i, %j], exp(%u)) into %o[%j] } } }`
    After:  `if %entries of %X > %n { where produce (%w) { forall %i { where produce (%t) { ... as before }
             consume (%u) { assign exp(%u) into %w[%i] } } }
             consume (%v) { forall %j { forall %i { assign add mul(%X[%i, %j], %v[%i]) into %o[%j] } } } }
             if %entries of %X <= %n { as before }`
    What the sum and the coordinate determine together is in the vector.
    Whether it is less work is asked when the kernel runs: there have to be more entries, which are what the loops
    visit, than coordinates of %i. Dense loops come to all coordinates, so that there is one version of them. Loops that
    append to a result are one version as well, which reads the vector or computes the sum, so that entries stay the
    same: `where produce (%s) { if %more { assign %w[%i] into %s[] } if %fewer { ... } }`. Not where several sparse
    operands decide together which coordinates are visited, for results that are appended to by sums that may have no
    value, and for loops that a schedule has arranged.
    """

    name = "tabulate-sums"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {
        "hoist-producers": "a sum that may simply stand outside of a loop does",
        "scalarize-reductions": "sums are scalars then, which become elements of vectors",
        "parallelize-outermost": "the loop over the vector is for threads if the other one is",
        "concordize": "accesses have the loops around them that they need",
    }
    before = {"merge-dense-dimensions": "loops that a version keeps together become one afterwards"}

    def on_function(self, function: FuncOp) -> None:
        for compute in operations_of(function.body.block):
            if isinstance(compute, ComputeOp):
                tabulate_sums(compute)


def tabulate_sums(compute: ComputeOp, *, asks: bool = True) -> bool:
    """Put the sums of a definition into vectors, and say whether there are any.

    `asks` when the kernel runs whether that is less work; else the loops are those where it is.
    """
    if recorded_steps(compute):
        return False
    appends = not format_of(compute.result.type).is_dense
    done: set[ForallOp] = set()
    for where in operations_in(compute, WhereOp):
        found = _repeated(where)
        if found is not None and found.loops[0] not in done and not (appends and not _keeps_entries(found)):
            done.add(found.loops[0])
            if asks:
                _rewrite(found, appends)
            else:
                _replace(found.loops[0], _tabulated(found))
    return bool(done)


class _Repeated(NamedTuple):
    """`where` computes a sum that only `coordinate` determines, in each iteration of `loops`, outermost first."""

    where: WhereOp
    loops: tuple[ForallOp, ...]
    coordinate: ForallOp
    driver: AccessOp | None
    """The read of the sparse operand whose entries the loops visit; None if they are dense."""


def _repeated(where: WhereOp) -> _Repeated | None:
    """The loops around a where from the outermost one on that its sum does not depend on, if it does on one inside."""
    producer = where.producer.block
    temporary = producer.args[0].type
    assert isinstance(temporary, TensorType)
    if temporary.shape.data or not operations_in(producer, ForallOp):
        return None
    around = _loops_around(where)
    needed = [loop for loop in around if uses_within(loop.variable, producer)]
    loops = tuple(dropwhile(lambda loop: loop in needed, around))
    inner = [loop for loop in loops if loop in needed]
    if (
        len(inner) != 1
        or any(loop.bounds for loop in loops)
        or not _is_apart(producer, {loop.variable for loop in needed})
    ):
        return None
    drivers = {(read.tensor, *read.indices): read for read in _reads(loops[0]) if _levels_of(read, loops)}
    if len(drivers) > 1:
        return None
    driver = next(iter(drivers.values()), None)
    is_counted = driver is None or _counts(driver, loops)
    has_extents = all(_operand_along(loop) for loop in (inner if driver is not None else loops))
    return _Repeated(where, loops, inner[0], driver) if is_counted and has_extents else None


def _loops_around(where: WhereOp) -> list[ForallOp]:
    """The loops around a where, outermost first, as far out as nothing but loops decides how often it is reached."""
    found: list[ForallOp] = []
    op = where.parent_op()
    while isinstance(op, ForallOp | LetOp | WhereOp):
        if isinstance(op, ForallOp):
            found.insert(0, op)
        op = op.parent_op()
    return found if isinstance(op, ComputeOp) else []


def _is_apart(producer: Block, variables: Collection[SSAValue]) -> bool:
    """Whether a producer computes from operands alone, at these variables."""
    for op in producer.walk():
        for value in op.operands:
            owner = value.owner
            binder = owner.parent_op() if isinstance(owner, Block) else owner
            is_own = binder is not None and (owner is producer or is_within(binder, producer))
            is_operand = binder is not None and (isinstance(binder, FuncOp) or isinstance(binder.parent_op(), FuncOp))
            if not (is_own or is_operand or value in variables):
                return False
    return True


def _reads(loop: ForallOp) -> list[AccessOp]:
    return [access for access in accesses_in(loop.body.block) if isinstance(access, AccessOp)]


def _levels_of(read: AccessOp, loops: Sequence[ForallOp]) -> list[int]:
    """The levels of an operand that loops iterate over, up to the last one that does not have all coordinates."""
    variables, levels = level_variables(read), format_of(read.tensor.type).levels
    found = [number for number, variable in enumerate(variables) if forall_of(variable) in loops]
    while found and levels[found[-1]].format.pattern.full:
        found.pop()
    return found


def _counts(read: AccessOp, loops: Sequence[ForallOp]) -> bool:
    """Whether the iterations of loops are the entries of an operand, and how many these are can be asked."""
    format, numbers = format_of(read.tensor.type), _levels_of(read, loops)
    levels = [format.levels[number].format for number in numbers]
    return (
        is_argument(read.tensor)
        and not format.is_blocked
        and numbers == list(range(numbers[0], numbers[-1] + 1))
        and all(level.properties.numbers_entries and level.unique for level in levels)
    )


def _keeps_entries(found: _Repeated) -> bool:
    """Whether loops that append have the same entries where one value that a sum determines is read from a vector.

    Sums of dense operands have values everywhere.
    """
    reads = operations_in(found.where.producer, AccessOp)
    is_dense = all(format_of(read.tensor.type).is_dense for read in reads)
    values = _values_used(found.where, _determined(found.where, found.coordinate.variable))
    return is_dense and found.driver is not None and len(values) == 1


def _rewrite(found: _Repeated, appends: bool) -> None:
    """Two versions of the loops, and a kernel runs one of them; or one version that asks for itself if it `appends`."""
    root, coordinate = found.loops[0], found.coordinate
    name, term = name_of(coordinate.variable), str(term_computed(found.where))
    remark(
        f"{term} is computed for all {name} first, if the loops come to each {name} more than once on average",
        by="tabulate-sums",
        about=[term],
    )
    emit = Emitter(Block())
    values = _extent(coordinate, emit)
    if found.driver is None:
        others = [_extent(loop, emit) for loop in found.loops if loop is not coordinate]
        visits = emit.mul(values, reduce(emit.mul, others))
    else:
        numbers = _levels_of(found.driver, found.loops)
        prefix = level_variables(found.driver)[: numbers[0]]
        visits = emit.insert(EntryCountOp.of(found.driver.tensor, prefix, len(numbers))).result
    if found.driver is None:
        # The loops come to all coordinates, or to none.
        is_read = emit.compare("sgt", visits, emit.index(0))
        move_before(emit.block, root)
        table = _tabulated(found)
        computed = _if(is_read)
        Emitter(computed.body.block).take(operations_of(table.producer.block))
        table.producer.block.add_op(computed)
        _replace(root, table)
        return
    conditions = [emit.compare(how, visits, values) for how in ("sgt", "sle")]
    if appends:
        move_before(emit.block, root)
        _replace_in_one_version(found, *conditions)
        return
    more, fewer = (emit.insert(_if(one)) for one in conditions)
    move_before(emit.block, root)
    table = _tabulated(found)
    more.body.block.add_op(table)
    _scalarize(table)
    root.detach()
    fewer.body.block.add_op(root)


def _replace_in_one_version(found: _Repeated, more: SSAValue, fewer: SSAValue) -> None:
    """Loops that read a value from a vector if there are `more` entries, and compute it if there are `fewer`."""
    root, where = found.loops[0], found.where
    determined = _determined(where, found.coordinate.variable)
    (value,) = _values_used(where, determined)
    table = _tabulated(found)
    computed = _if(more)
    Emitter(computed.body.block).take(operations_of(table.producer.block))
    table.producer.block.add_op(computed)
    (read,) = [use.operation for use in table.consumer.block.args[0].uses]
    assert isinstance(read, AccessOp) and read.parent is not None and root.parent is not None
    choice = WhereOp.of(TensorType(value.type, []), "s")
    choice.location = where.location
    read.parent.insert_op_before(choice, read)
    chosen = choice.producer.block.args[0]
    from_vector, by_itself = _if(more), _if(fewer)
    choice.producer.block.add_ops((from_vector, by_itself))
    total = AccessOp.of(choice.consumer.block.args[0], ())
    choice.consumer.block.add_op(total)
    read.result.replace_all_uses_with(total.result)
    while (op := choice.next_op) is not None:
        op.detach()
        (from_vector.body.block if op is read else choice.consumer.block).add_op(op)
    from_vector.body.block.add_op(AssignOp.of(read.result, chosen, (), None))
    here = {found.coordinate.variable: read.indices[0]}
    by_itself.body.block.add_op(_storing(where, value, determined, chosen, here))
    root.parent.insert_op_before(table, root)
    erase_operation(root)


def _replace(loops: ForallOp, table: WhereOp) -> None:
    insert_operation(table, loops)
    erase_operation(loops)
    _scalarize(table)


def _if(condition: SSAValue) -> IfOp:
    return create_operation(IfOp, (condition,), regions=[create_region(create_block())])


def _operand_along(loop: ForallOp) -> tuple[SSAValue, LevelExpression] | None:
    """An operand that a loop iterates over, and the part of its dimension: blocks, and offsets in them, have loops as
    well."""
    for read in _reads(loop):
        levels = format_of(read.tensor.type).levels
        for variable, level in zip(level_variables(read), levels, strict=True) if is_argument(read.tensor) else ():
            if variable is loop.variable and level.expression.form != "minus":
                return read.tensor, level.expression
    return None


def _extent(loop: ForallOp, emit: Emitter) -> SSAValue:
    found = _operand_along(loop)
    assert found is not None
    tensor, part = found
    if part.form == "mod":
        return emit.index(part.factor)
    extent = emit.insert(ExtentOp.of(tensor, part.dimension)).result
    return emit.divide_up(extent, part.factor) if part.form == "floordiv" else extent


def _tabulated(found: _Repeated) -> WhereOp:
    """A copy of the loops that reads from a vector what the sum determines, where the vector is computed."""
    root = copy_of(found.loops[0])
    copies = dict(zip(found.loops[0].walk(), root.walk(), strict=True))
    where, coordinate = copies[found.where], copies[found.coordinate]
    assert isinstance(where, WhereOp) and isinstance(coordinate, ForallOp)
    determined = _determined(where, coordinate.variable)
    values = _values_used(where, determined)
    table = WhereOp.of(TensorType(values[0].type, [DYNAMIC_INDEX]), "w")
    table.location = where.location
    loop = _loop_over(coordinate, where, values[0], determined, table.producer.block.args[0])
    table.producer.block.add_op(loop)
    if PARALLEL in root.attributes:
        loop.attributes[PARALLEL] = AUTOMATIC
    for value in values:
        op = value.owner
        assert isinstance(op, Operation) and op.parent is not None
        read = AccessOp.of(table.consumer.block.args[0], [coordinate.variable])
        op.parent.insert_op_before(read, op)
        value.replace_all_uses_with(read.result)
    erase_unused(determined)
    move_before(where.consumer.block, where)
    erase_operation(where)
    table.consumer.block.add_op(root)
    return table


def _scalarize(table: WhereOp) -> None:
    """With the sum out of the way, a reduction may be the whole of a loop. The loops around a table count for that."""
    for assign in operations_in(table.consumer.block, AssignOp):
        if assign.operator is not None:
            scalarize(assign)


def _loop_over(
    coordinate: ForallOp, where: WhereOp, value: SSAValue, determined: Sequence[Operation], target: SSAValue
) -> ForallOp:
    """The loop that computes the sum of a where, and from that a value of its consumer, for each coordinate."""
    body = create_block((coordinate.variable.type,), (coordinate.variable.name_hint,))
    here: dict[SSAValue, SSAValue] = {coordinate.variable: body.args[0]}
    body.add_op(_storing(where, value, determined, target, here, [body.args[0]]))
    return ForallOp.of(create_region(body))


def _storing(
    where: WhereOp,
    value: SSAValue,
    determined: Sequence[Operation],
    target: SSAValue,
    variables: Mapping[SSAValue, SSAValue],
    indices: Sequence[SSAValue] = (),
) -> WhereOp:
    """The sum of a where, and a value of its consumer that is stored instead of used, for other variables."""
    inner = WhereOp.of(where.producer.block.args[0].type, name_of(where.producer.block.args[0]))
    inner.location = where.location
    Emitter(inner.producer.block).take(operations_of(where.producer.block))
    where.producer.block.args[0].replace_all_uses_with(inner.producer.block.args[0])
    for variable, new in variables.items():
        for use in [use for use in variable.uses if is_within(use.operation, inner.producer.block)]:
            use.operation.operands[use.index] = new
    known: dict[SSAValue, SSAValue] = {where.consumer.block.args[0]: inner.consumer.block.args[0], **variables}
    for op in determined:
        inner.consumer.block.add_op(clone_operation(op, known))
    inner.consumer.block.add_op(AssignOp.of(known[value], target, indices, None))
    erase_unused(operations_of(inner.consumer.block))
    return inner


def _determined(where: WhereOp, coordinate: SSAValue) -> list[Operation]:
    """The operations of a consumer whose values the sum and the coordinate determine, in program order."""
    found: dict[Operation, None] = {}
    for op in where.consumer.block.walk():
        if isinstance(op, AccessOp):
            is_sum = op.tensor is where.consumer.block.args[0]
            known = is_sum or (_is_full(op.tensor) and all(index is coordinate for index in op.indices))
        else:
            known = isinstance(op, ApplyOp | CastOp | ConstantOp) and all(one.owner in found for one in op.operands)
        if known:
            found[op] = None
    return list(found)


def _is_full(tensor: SSAValue) -> bool:
    return is_argument(tensor) and format_of(tensor.type).is_dense


def _values_used(where: WhereOp, determined: Sequence[Operation]) -> list[SSAValue]:
    """What the rest of a consumer uses of what the sum determines, if that is one value, else the reads of the sum."""
    temporary = where.consumer.block.args[0]
    reads = [op for op in determined if isinstance(op, AccessOp) and op.tensor is temporary]
    from_sum: dict[Operation, None] = dict.fromkeys(reads)
    for op in determined:
        if any(operand.owner in from_sum for operand in op.operands):
            from_sum[op] = None
    used = [op for op in from_sum if any(use.operation not in from_sum for use in op.results[0].uses)]
    return [op.results[0] for op in (used if len(used) == 1 else reads)]
