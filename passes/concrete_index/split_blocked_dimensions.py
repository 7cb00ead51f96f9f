"""`split-blocked-dimensions`: loops over blocks and inside them, for tensors stored in blocks (Kjolstad 2020, 2.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects.arith import DivSIOp, MuliOp, RemSIOp
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, LetOp, WhereOp
from irtensor.dialects.concrete_index.protocols import by_level
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import create_block, create_region
from irtensor.passes.analysis.iteration_graph import name_of, needs_splitting, needs_whole_coordinates
from irtensor.passes.analysis.races import PARALLEL
from irtensor.passes.analysis.ranges import needed_by
from irtensor.passes.concrete_index.support.blocked_temporaries import bind_parts, blocked_temporaries, store_by_block
from irtensor.passes.concrete_index.support.entries_by_level import bind_computed, count_by_level, is_multiple_of
from irtensor.passes.concrete_index.support.loop_ranges import cut_loop, set_range
from irtensor.passes.schedule.reorder import forall_chains
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass
from irtensor.passes.support.wrong_stage import wrong_stage

_index = IndexType()
# Which part of a variable a level of a blocked dimension is over.
_PARTS = {"floordiv": 0, "mod": 1}


# Of a variable, for blocks of a size: the number of the block and the offset in it.
_Parts = dict[tuple[SSAValue, int], tuple[SSAValue, SSAValue]]


class SplitBlockedDimensionsPass(TensorPass):
    """Split every index variable of a blocked dimension into the block and the offset in it.

    Before: `forall %j { access %A[%i, %j] ... access %x[%j] }` with %A stored by (j floordiv 4, j mod 4)
    After:  `forall %jo { forall %ji { let %j = %jo * 4 + %ji { access %A[..., %jo, ..., %ji] ... access %x[%j] } } }`
    Accesses of blocked tensors then have one index per level. A loop over a part of the coordinates becomes one over
    the blocks in which they lie, and one over those of their offsets that belong to it. Temporaries that list their
    entries, and are read by loops over blocks, are stored in these blocks, wherever their entries come from:
    Before: `where produce (%w) { ... assign %b into %w[%j] } consume (%v) { forall %j { assign %v[%j] into %A[%j] } }`
    After:  `where produce (%w) { ... let %jo = %j / 4 { let %ji = %j mod 4 { assign %b into %w[%jo, %ji] } } }
             consume (%v) { forall %jo { forall %ji { assign %v[%jo, %ji] into %A[%jo, %ji] } } }`
    """

    name = "split-blocked-dimensions"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    before = {
        "choose-loop-order": "loops over blocks, and those inside of blocks, are ordered like any others",
        "concordize": "accesses that are fixed to the loops around them can no longer be split",
    }

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        factors = _block_sizes(op)
        count_by_level(op)
        if not factors:
            bind_computed(op)
            return
        wheres = operations_in(op, WhereOp)
        temporaries = blocked_temporaries(wheres, factors, _listed_slots(op))
        parts: _Parts = {}
        for chain in forall_chains(op):
            _split_chain(chain, factors, parts)
        bind_computed(op)
        for access in operations_in(op, AccessOp, AssignOp):
            if access.tensor in temporaries:
                _index_by_level(access, temporaries[access.tensor], parts)
            elif needs_splitting(access):
                _index_by_level(access, format_of(access.tensor.type), parts)
        for where in wheres:
            store_by_block(where, temporaries)


def _block_sizes(op: ModuleOp) -> dict[SSAValue, int]:
    """Block size of every index variable of a blocked dimension."""
    factors: dict[SSAValue, int] = {}
    every = operations_in(op, AccessOp, AssignOp)
    accesses = [access for access in every if needs_splitting(access) or not format_of(access.tensor.type).is_blocked]
    for access in accesses:
        for level in format_of(access.tensor.type).levels:
            if level.expression.form == "floordiv":
                variable = access.indices[level.expression.dimension]
                size = factors.setdefault(variable, level.expression.factor)
                if size != level.expression.factor:
                    raise _mismatch(access, variable, f"has blocks of {level.expression.factor}, another of {size}")
    for access in accesses:
        for number, level in enumerate(format_of(access.tensor.type).levels):
            variable = access.indices[level.expression.dimension]
            is_whole = level.expression.form == "whole"
            if variable in factors and is_whole and needs_whole_coordinates(access, number):
                how = "appends to it in order" if isinstance(access, AssignOp) else "stores it in a sparse level"
                text = f"{how} without blocks, another tensor in blocks of {factors[variable]}"
                raise _mismatch(access, variable, text)
    return factors


def _mismatch(access: AccessOp | AssignOp, variable: SSAValue, text: str) -> UserError:
    return UserError(
        "block-mismatch",
        f"'{name_of(access.tensor)}', indexed by {name_of(variable)}, {text}",
        op=access,
        help="convert one operand so that both have the same blocks, or neither has any",
    )


def _listed_slots(op: ModuleOp) -> set[SSAValue]:
    """The index variables of blocked dimensions where a tensor lists the stored slots of a block."""
    return {
        access.indices[level.expression.dimension]
        for access in operations_in(op, AccessOp, AssignOp)
        if needs_splitting(access)
        for level in format_of(access.tensor.type).levels
        if level.expression.form == "mod" and not level.format.pattern.full
    }


def _keeps_blocks(loop: ForallOp, size: int) -> bool:
    """Whether a loop begins and ends where blocks do; behind the last coordinate there is nothing to be cut."""
    return all(is_multiple_of(bound, size) for bound in loop.bounds)


def _split_chain(chain: Sequence[ForallOp], factors: Mapping[SSAValue, int], parts: _Parts) -> None:
    """Put loops over blocked dimensions inside loops over blocks; the original variables are bound inside all loops.

    One from which the range of a loop further inside is computed is bound before that loop.
    """
    split = [loop for loop in chain if loop.variable in factors]
    block = chain[-1].body.block
    ranges = _range_operations(chain)
    operations = [*_computed_from(split, chain, ranges), *operations_of(block)] if split else []
    late = list[tuple[SSAValue, SSAValue, int, str]]()
    for loop in split:
        variable, size, name = loop.variable, factors[loop.variable], name_of(loop.variable)
        around = cut_loop(loop, f"{name}o", f"{name}i")
        around.attributes.update(loop.attributes)
        # Threads are divided once: blocks are what they share.
        loop.attributes.pop(PARALLEL, None)
        if loop.bounds:
            _divide_window(around, loop, size)
        _replace_divisions(variable, DivSIOp, around.variable, size)
        inward = [use.operation for use in variable.uses if use.operation in ranges or use.operation in chain]
        if all(op in _divisions(variable, size) for op in inward):
            late.append((variable, around.variable, size, name))
            continue
        inside = operations_of(loop.body.block)
        early = _bind_whole(variable, around.variable, size, name, loop.body.block)
        Emitter(early).take(inside)
        parts[early.args[0], size] = (around.variable, variable)
    block = chain[-1].body.block
    for variable, number, size, name in late:
        block = _bind_whole(variable, number, size, name, block)
        parts[block.args[0], size] = (number, variable)
    # What divided a coordinate is gone.
    Emitter(block).take([op for op in operations if op.parent is not None])


def _range_operations(chain: Sequence[ForallOp]) -> set[Operation]:
    """The operations between the loops of a chain that compute their ranges."""
    between = [op for loop in chain[:-1] for op in operations_of(loop.body.block)[:-1]]
    return set(needed_by([bound for loop in chain for bound in loop.bounds], between))


def _replace_divisions(variable: SSAValue, op_type: type[Operation], part: SSAValue, size: int) -> None:
    """Replace divisions of a coordinate by the block size with the part that a loop counts."""
    for op in _divisions(variable, size):
        if isinstance(op, op_type):
            op.results[0].replace_all_uses_with(part)
            Rewriter.erase_op(op)


def _divisions(variable: SSAValue, size: int) -> list[Operation]:
    """The operation that gives the number of the block of a coordinate, or the offset in it."""
    users = [use.operation for use in variable.uses]
    divisions = [op for op in users if isinstance(op, DivSIOp | RemSIOp)]
    return [op for op in divisions if op.lhs is variable and constant_index(op.rhs) == size]


def _computed_from(split: Sequence[ForallOp], chain: Sequence[ForallOp], ranges: set[Operation]) -> list[Operation]:
    """The operations between the loops of a chain that compute no `ranges` of theirs, and need coordinates composed of
    block and offset."""
    values: set[SSAValue] = {loop.variable for loop in split}
    found: list[Operation] = []
    for loop in chain[:-1]:
        for op in operations_of(loop.body.block)[:-1]:
            if op not in ranges and not values.isdisjoint(op.operands):
                found.append(op)
                values.update(op.results)
    return found


def _divide_window(around: ForallOp, loop: ForallOp, factor: int) -> None:
    """Let the loop over blocks visit those in which a window lies, the loop inside only offsets in the window."""
    lo, hi = loop.bounds
    keeps_blocks = _keeps_blocks(loop, factor)
    emit = Emitter(Block())
    size, rounded = emit.index(factor), emit.add(hi, emit.index(factor - 1))
    set_range(around, emit.divide(lo, size), emit.divide(rounded, size), emit.block)
    if keeps_blocks:
        loop.operands = ()
        return
    emit = Emitter(Block())
    size = emit.index(factor)
    start = emit.mul(around.variable, size)
    first, last = emit.max(emit.sub(lo, start), emit.index(0)), emit.min(emit.sub(hi, start), size)
    set_range(loop, first, last, emit.block)


def _bind_whole(offset: SSAValue, number: SSAValue, factor: int, name: str, block: Block) -> Block:
    """A `let` that composes a variable of the number of a block and the offset in it; gives its region."""
    body = create_block((_index,), (name,))
    offset.replace_all_uses_with(body.args[0])
    _replace_divisions(body.args[0], RemSIOp, offset, factor)
    emit = Emitter(block)
    # Also for blocks of one: block_parts() finds the parts of the sum by the product.
    start = emit.insert(MuliOp(number, emit.index(factor))).result
    emit.insert(LetOp.of(emit.add(start, offset), create_region(body)))
    return body


def _index_by_level(access: AccessOp | AssignOp, format: TensorFormat, parts: _Parts) -> None:
    """Give an access one index per level of the format in which its tensor is stored."""
    found: dict[SSAValue, tuple[SSAValue, SSAValue]] = {}
    indices: list[SSAValue] = []
    for level in format.levels:
        variable, size = access.indices[level.expression.dimension], level.expression.factor
        part = _PARTS.get(level.expression.form)
        if part is not None and variable not in found:
            found[variable] = parts.get((variable, size)) or _parts_at(access, variable, size)
        indices.append(variable if part is None else found[variable][part])
    fixed = list(access.operands)[: len(access.operands) - len(access.indices)]
    access.operands = [*fixed, *indices]
    access.protocols = by_level(access.protocols, format)


def _parts_at(access: AccessOp | AssignOp, variable: SSAValue, size: int) -> tuple[SSAValue, SSAValue]:
    """The parts of a variable without a loop over blocks: stores into a temporary need no loop."""
    if isinstance(access, AssignOp) and not needs_splitting(access):
        return bind_parts(access, variable, size)
    message = f"'{name_of(variable)}', which indexes '{name_of(access.tensor)}', is bound by no forall"
    raise wrong_stage(access, SplitBlockedDimensionsPass.name, message, "run it before concordize")
