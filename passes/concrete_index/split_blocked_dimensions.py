"""`split-blocked-dimensions`: loops over blocks and inside them, for tensors stored in blocks (Kjolstad 2020, 2.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.arith import AddiOp, ConstantOp, MuliOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Block, Region, SSAValue

from irtensor.dialects.concrete_index import AccessOp, AssignOp, ForallOp, LetOp
from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.storage import format_of
from irtensor.passes.analysis.iteration_graph import name_of, needs_splitting, needs_whole_coordinates
from irtensor.passes.analysis.ranges import range_sources
from irtensor.passes.concrete_index.reorder import forall_chains
from irtensor.passes.pass_base import TensorPass
from irtensor.passes.wrong_stage import wrong_stage

_index = IndexType()
# Which part of a variable a level of a blocked dimension is over.
_PARTS = {"floordiv": 0, "mod": 1}


@dataclass(frozen=True)
class SplitBlockedDimensionsPass(TensorPass):
    """Split every index variable of a blocked dimension into the block and the place in it.

    Before: `forall %j { access %A[%i, %j] ... access %x[%j] }` with %A stored by (j floordiv 4, j mod 4)
    After:  `forall %jo { forall %ji { let %j = %jo * 4 + %ji { access %A[..., %jo, ..., %ji] ... access %x[%j] } } }`
    Accesses of blocked tensors then have one index per level.
    """

    name = "split-blocked-dimensions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        factors = _block_sizes(op)
        if not factors:
            return
        parts: dict[SSAValue, tuple[SSAValue, SSAValue]] = {}
        for chain in forall_chains(op):
            _check_whole_ranges(chain, factors)
            _split_chain(chain, factors, parts)
        for access in [nested for nested in op.walk() if isinstance(nested, AccessOp | AssignOp)]:
            if needs_splitting(access):
                _index_by_level(access, parts)


def _block_sizes(op: ModuleOp) -> dict[SSAValue, int]:
    """Block size of every index variable of a blocked dimension."""
    factors: dict[SSAValue, int] = {}
    every = [nested for nested in op.walk() if isinstance(nested, AccessOp | AssignOp)]
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


def _check_whole_ranges(chain: Sequence[ForallOp], factors: Mapping[SSAValue, int]) -> None:
    """A window of a blocked dimension would cut blocks; other windows may depend on blocks, but not on places."""
    for loop in chain:
        cut = [variable for variable in range_sources(loop.variable) if variable in factors]
        if (loop.variable in factors and loop.bounds) or cut:
            name = name_of(cut[0] if cut else loop.variable)
            raise UserError(
                "blocked-range",
                f"loop {name} is split, but a tensor is stored in blocks of {name}",
                op=loop,
                help="run split-blocked-dimensions first and split the loop over blocks, or convert the tensor to a "
                "format without blocks",
            )


def _split_chain(
    chain: Sequence[ForallOp], factors: Mapping[SSAValue, int], parts: dict[SSAValue, tuple[SSAValue, SSAValue]]
) -> None:
    """Bind blocks and places by foralls of one chain, the original variables by lets inside all of them."""
    split = [forall.variable for forall in chain if forall.variable in factors]
    if not split:
        return
    operations = list(chain[-1].body.block.ops)
    parent = chain[0].parent
    assert parent is not None
    block: Block | None = None
    for loop in chain:
        variable = loop.variable
        names = ("o", "i") if variable in factors else ("",)
        ranges = [] if block is None else list(loop.parent.ops)[:-1]  # pyright: ignore[reportOptionalMemberAccess]
        made: list[SSAValue] = []
        for suffix in names:
            body = Block(arg_types=(_index,))
            body.args[0].name_hint = f"{name_of(variable)}{suffix}"
            forall = ForallOp.of(Region(body), list(loop.bounds), dict(loop.attributes))
            if block is None:
                parent.insert_op_before(forall, chain[0])
            else:
                for op in ranges:
                    op.detach()
                block.add_ops((*ranges, forall))
                ranges = []
            block = body
            made.append(body.args[0])
        if variable in factors:
            parts[variable] = (made[0], made[1])
        else:
            variable.replace_all_uses_with(made[0])
    assert block is not None
    for variable in split:
        block = _bind_whole(variable, factors[variable], parts, block)
    for op in operations:
        op.detach()
        block.add_op(op)
    chain[0].detach()
    chain[0].erase()


def _bind_whole(
    variable: SSAValue, factor: int, parts: dict[SSAValue, tuple[SSAValue, SSAValue]], block: Block
) -> Block:
    """A `let` that puts the original variable together from its parts, if anything uses it whole."""
    outer, inner = parts.pop(variable)
    size = ConstantOp.create(result_types=(_index,), properties={"value": IntegerAttr(factor, _index)})
    start = MuliOp.create(operands=(outer, size.result), result_types=(_index,))
    whole = AddiOp.create(operands=(start.result, inner), result_types=(_index,))
    block.add_ops((size, start, whole))
    body = Block(arg_types=(_index,))
    body.args[0].name_hint = variable.name_hint
    block.add_op(LetOp.of(whole.result, Region(body)))
    variable.replace_all_uses_with(body.args[0])
    parts[body.args[0]] = (outer, inner)
    return body


def _index_by_level(access: AccessOp | AssignOp, parts: Mapping[SSAValue, tuple[SSAValue, SSAValue]]) -> None:
    indices: list[SSAValue] = []
    for level in format_of(access.tensor.type).levels:
        variable = access.indices[level.expression.dimension]
        part = _PARTS.get(level.expression.kind)
        if part is not None and variable not in parts:
            message = f"'{name_of(variable)}', which indexes '{name_of(access.tensor)}', is bound by no forall"
            raise wrong_stage(access, SplitBlockedDimensionsPass.name, message, "run it before concordize")
        indices.append(variable if part is None else parts[variable][part])
    fixed = list(access.operands)[: len(access.operands) - len(access.indices)]
    access.operands = [*fixed, *indices]
