"""`split-blocked-dimensions`: loops over blocks and inside them, for tensors stored in blocks (Kjolstad 2020, 2.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.arith import AddiOp, MinSIOp, MuliOp
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.concrete_index import AccessOp, AssignOp, ForallOp, LetOp, WhereOp
from irtensor.dialects.create_operation import create_block, create_region
from irtensor.dialects.diagnostics import AskedBy, UserError
from irtensor.dialects.index_ranges import BoundOp, ExtentOp
from irtensor.dialects.protocols import by_level
from irtensor.dialects.storage import format_of
from irtensor.dialects.tensor_format import TensorFormat
from irtensor.passes.analysis.iteration_graph import name_of, needs_splitting, needs_whole_coordinates
from irtensor.passes.analysis.races import PARALLEL
from irtensor.passes.analysis.ranges import range_sources
from irtensor.passes.concrete_index.blocked_temporaries import bind_parts, blocked_temporaries, store_by_block
from irtensor.passes.concrete_index.loop_ranges import cut_loop, set_range
from irtensor.passes.concrete_index.reorder import forall_chains
from irtensor.passes.emit import Emitter, constant_index
from irtensor.passes.operations_in import operations_in, operations_of
from irtensor.passes.pass_base import TensorPass
from irtensor.passes.wrong_stage import wrong_stage

_index = IndexType()
# Which part of a variable a level of a blocked dimension is over.
_PARTS = {"floordiv": 0, "mod": 1}


# Of a variable, for blocks of a size: the number of the block and the place in it.
_Parts = dict[tuple[SSAValue, int], tuple[SSAValue, SSAValue]]


@dataclass(frozen=True)
class SplitBlockedDimensionsPass(TensorPass):
    """Split every index variable of a blocked dimension into the block and the place in it.

    Before: `forall %j { access %A[%i, %j] ... access %x[%j] }` with %A stored by (j floordiv 4, j mod 4)
    After:  `forall %jo { forall %ji { let %j = %jo * 4 + %ji { access %A[..., %jo, ..., %ji] ... access %x[%j] } } }`
    Accesses of blocked tensors then have one index per level. A loop over a part of the coordinates becomes one over
    the blocks in which they lie, and one over those of their places that belong to it. Temporaries that list what is
    stored, and are read by loops over blocks, are stored in these blocks, wherever their entries come from:
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
        if not factors:
            return
        wheres = operations_in(op, WhereOp)
        temporaries = blocked_temporaries(wheres, factors, _listed_places(op))
        parts: _Parts = {}
        for chain in forall_chains(op):
            _check_ranges(chain, factors)
            _split_chain(chain, factors, parts)
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
            if level.expression.kind == "floordiv":
                variable = access.indices[level.expression.dimension]
                size = factors.setdefault(variable, level.expression.factor)
                if size != level.expression.factor:
                    raise _mismatch(access, variable, f"has blocks of {level.expression.factor}, another of {size}")
    for access in accesses:
        for number, level in enumerate(format_of(access.tensor.type).levels):
            variable = access.indices[level.expression.dimension]
            is_whole = level.expression.kind == "whole"
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


def _listed_places(op: ModuleOp) -> set[SSAValue]:
    """The index variables of blocked dimensions of which a tensor lists the places in a block that are stored."""
    return {
        access.indices[level.expression.dimension]
        for access in operations_in(op, AccessOp, AssignOp)
        if needs_splitting(access)
        for level in format_of(access.tensor.type).levels
        if level.expression.kind == "mod" and not level.format.properties.full
    }


def _check_ranges(chain: Sequence[ForallOp], factors: Mapping[SSAValue, int]) -> None:
    """A window may cut blocks, but none may depend on the chain's own places in blocks."""
    # Of a loop around the chain, block and place are put together before the chain.
    split = {loop.variable for loop in chain if loop.variable in factors}
    for loop in chain:
        source = next((variable for variable in range_sources(loop.variable) if variable in split), None)
        if source is not None:
            cut, size = name_of(loop.variable), factors[source]
            raise UserError(
                "blocked-range",
                f"the range of loop {cut} is computed from {name_of(source)}, of which there is a loop over blocks of "
                f"{size}, in which a tensor is stored",
                op=loop,
                help=f"cut {cut} by coordinates, and not fused with {name_of(source)}, or convert the tensor to a "
                "format without blocks",
                asked_by=AskedBy(("split", "divide"), cut),
            )


def _keeps_blocks(loop: ForallOp, size: int) -> bool:
    """Whether a loop begins and ends where blocks do; behind the last coordinate there is nothing to be cut."""
    return all(_is_multiple(bound, size) for bound in loop.bounds)


def _is_multiple(value: SSAValue, size: int) -> bool:
    number, owner = constant_index(value), value.owner
    if number is not None or isinstance(owner, Block):
        return number is not None and number % size == 0
    if isinstance(owner, MuliOp):
        return any(_is_multiple(operand, size) for operand in owner.operands)
    if isinstance(owner, AddiOp | MinSIOp):
        return all(_is_multiple(operand, size) for operand in owner.operands)
    return isinstance(owner, ExtentOp | BoundOp)


def _split_chain(chain: Sequence[ForallOp], factors: Mapping[SSAValue, int], parts: _Parts) -> None:
    """Put loops over blocked dimensions inside loops over blocks; the original variables are bound inside all loops."""
    split = [loop for loop in chain if loop.variable in factors]
    block = chain[-1].body.block
    operations = [*_computed_from(split, chain), *operations_of(block)] if split else []
    for loop in split:
        variable, size, name = loop.variable, factors[loop.variable], name_of(loop.variable)
        around = cut_loop(loop, f"{name}o", f"{name}i")
        around.attributes.update(loop.attributes)
        # Threads are divided once: blocks are what they share.
        loop.attributes.pop(PARALLEL, None)
        if loop.bounds:
            _divide_window(around, loop, size)
        block = _bind_whole(variable, around.variable, size, name, block)
        parts[block.args[0], size] = (around.variable, variable)
    for op in operations:
        op.detach()
        block.add_op(op)


def _computed_from(split: Sequence[ForallOp], chain: Sequence[ForallOp]) -> list[Operation]:
    """What stands between the loops of a chain and is computed from variables that are bound inside all of them."""
    values: set[SSAValue] = {loop.variable for loop in split}
    found: list[Operation] = []
    for loop in chain[:-1]:
        for op in operations_of(loop.body.block)[:-1]:
            if not values.isdisjoint(op.operands):
                found.append(op)
                values.update(op.results)
    return found


def _divide_window(around: ForallOp, loop: ForallOp, factor: int) -> None:
    """Let the loop over blocks visit those in which a window lies, the loop inside only places in the window."""
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


def _bind_whole(place: SSAValue, number: SSAValue, factor: int, name: str, block: Block) -> Block:
    """A `let` that puts a variable together from the number of a block and the place in it; gives its region."""
    body = create_block((_index,))
    body.args[0].name_hint = name
    place.replace_all_uses_with(body.args[0])
    emit = Emitter(block)
    # Not left out for blocks of one: by the product, block_parts() finds what the sum is put together from.
    start = emit.insert(MuliOp(number, emit.index(factor))).result
    emit.insert(LetOp.of(emit.add(start, place), create_region(body)))
    return body


def _index_by_level(access: AccessOp | AssignOp, format: TensorFormat, parts: _Parts) -> None:
    """Give an access one index per level of the format in which its tensor is stored."""
    found: dict[SSAValue, tuple[SSAValue, SSAValue]] = {}
    indices: list[SSAValue] = []
    for level in format.levels:
        variable, size = access.indices[level.expression.dimension], level.expression.factor
        part = _PARTS.get(level.expression.kind)
        if part is not None and variable not in found:
            found[variable] = parts.get((variable, size)) or _parts_at(access, variable, size)
        indices.append(variable if part is None else found[variable][part])
    fixed = list(access.operands)[: len(access.operands) - len(access.indices)]
    access.operands = [*fixed, *indices]
    access.protocols = by_level(access.protocols, format)


def _parts_at(access: AccessOp | AssignOp, variable: SSAValue, size: int) -> tuple[SSAValue, SSAValue]:
    """The parts of a variable of which there is no loop over blocks: what is stored into a temporary needs none."""
    if isinstance(access, AssignOp) and not needs_splitting(access):
        return bind_parts(access, variable, size)
    message = f"'{name_of(variable)}', which indexes '{name_of(access.tensor)}', is bound by no forall"
    raise wrong_stage(access, SplitBlockedDimensionsPass.name, message, "run it before concordize")
