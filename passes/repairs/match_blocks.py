"""`match-blocks`: operands whose blocks do not fit those of others are asked for without, or in the result's blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.core.diagnostics import remark
from irtensor.core.level_format import ARRAY, LIST
from irtensor.core.storage_levels import Level, LevelExpression
from irtensor.core.tensor_format import TensorFormat
from irtensor.core.wide_formats import for_all_sizes
from irtensor.core.without_blocks import without_blocks
from irtensor.dialects.algebra.asks_if_stored import asks_if_stored
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.absence import is_temporary, reduces_fills, takes_fills_once
from irtensor.passes.analysis.iteration_graph import accesses_in, name_of, needs_splitting, needs_whole_coordinates
from irtensor.passes.analysis.ranges import forall_of
from irtensor.passes.repairs.insert_conversions import converted_argument, pattern_argument
from irtensor.passes.support.pass_base import TensorPass

# Instead of a size: whole coordinates in a row, which go with no blocks, not even with those of one coordinate.
_NO_BLOCKS = 0


class MatchBlocksPass(TensorPass):
    """Ask for operands in other blocks where an index variable runs over blocks of several sizes.

    Before: `func @f(%A: tensor<?x?xf64, #bcsr>, %B: tensor<?x?xf64, #csr>)` reading %A[%i, %j] and %B[%i, %j]
    After:  `func @f(%A: tensor<?x?xf64, #csr> {storage.converts = 0 : index}, %B: tensor<?x?xf64, #csr>)`
    Operands take the blocks of a blocked result that has all their variables. Otherwise their blocks are joined to
    whole levels, also where a result stores some of its slots only, as a bitmap does. Lists over variables in whose
    blocks a result is appended become lists of these blocks. A block has a slot for each coordinate: whether an
    operand has an entry is then read from a further one, true where it has. Blocks are joined as well where a
    coordinate is computed. What that does not repair is left for
    split-blocked-dimensions to report.
    """

    name = "match-blocks"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    before = {"split-blocked-dimensions": "only blocks of one size can be split"}
    needs = "conversions"

    def on_function(self, function: FuncOp) -> None:
        _match(function)


def _match(function: FuncOp) -> None:
    accesses = _accesses(function)
    results = [access for access in accesses if isinstance(access, AssignOp)]
    blocked = next((result for result in results if format_of(result.tensor.type).is_blocked), None)
    given = {variable: size for result in results for variable, size in _block_sizes(result)}
    for access in _operands(function, accesses):
        counted = [variable for variable in access.indices if reduces_fills(access, variable)]
        if not all(takes_fills_once(access, variable) for variable in counted):
            _convert(function, access, None, {}, "so that gaps between entries are counted")
        elif format_of(access.tensor.type).is_blocked and any(forall_of(index) is None for index in access.indices):
            _convert(function, access, None, {}, "so that coordinates can be computed")
    # What loses its blocks in one variable loses them in the others, where another operand may have some.
    while mismatched := _mismatched(_accesses(function)):
        concerned = [
            access
            for access in _operands(function, _accesses(function))
            if any(one in mismatched and size != given.get(one, _NO_BLOCKS) for one, size in _block_sizes(access))
        ]
        if not any([_convert(function, access, blocked, given) for access in concerned]):
            return


def _accesses(function: FuncOp) -> list[AccessOp | AssignOp]:
    return [access for access in accesses_in(function.body.block) if _is_whole(access)]


def _operands(function: FuncOp, accesses: Sequence[AccessOp | AssignOp]) -> list[AccessOp]:
    reads = [access for access in accesses if isinstance(access, AccessOp)]
    return [access for access in reads if access.tensor.owner is function.body.block]


def _convert(
    function: FuncOp,
    access: AccessOp,
    result: AssignOp | None,
    given: Mapping[SSAValue, int],
    reason: str = "so that blocks agree",
) -> bool:
    """Ask for an operand in a blocked result's blocks, in those given, or in none; says whether it had others."""
    before = format_of(access.tensor.type)
    after = (result and _like(result, access, before)) or _in_blocks(access, without_blocks(before), given)
    if after == before:
        return False
    name = name_of(access.tensor)
    text = f"'{name}', stored {before}, is converted to {for_all_sizes(after)}, {reason}"
    remark(text, access, by="match-blocks", about=[name])
    if after.stores_fill and not before.stores_fill:
        _read_pattern(function, access, after)
    if access.result.uses:
        access.operands[0] = converted_argument(function, access, after)
    else:
        Rewriter.erase_op(access)
    return True


def _read_pattern(function: FuncOp, access: AccessOp, format: TensorFormat) -> None:
    """Read where an operand has entries from a tensor of its own, in these blocks.

    A block has a slot for each of its coordinates, and does not tell which of them were stored.
    """
    asking = [use.operation for use in access.result.uses if asks_if_stored(use.operation)]
    if asking:
        assert isinstance(access.tensor, BlockArgument) and access.parent is not None
        read = AccessOp.of(pattern_argument(function, access.tensor, format), access.indices)
        read.location = access.location
        access.parent.insert_op_before(read, access)
        for op in asking:
            op.results[0].replace_all_uses_with(read.result)
            Rewriter.erase_op(op)


def _is_whole(access: AccessOp | AssignOp) -> bool:
    """Whether an access is by dimension: not one that is split already."""
    return needs_splitting(access) or not format_of(access.tensor.type).is_blocked


def _mismatched(accesses: Sequence[AccessOp | AssignOp]) -> set[SSAValue]:
    """Variables that run over blocks of different sizes, or over blocks and over coordinates in a row."""
    sizes: dict[SSAValue, set[int]] = {}
    for access in accesses:
        for variable, size in _block_sizes(access):
            sizes.setdefault(variable, set()).add(size)
    return {variable for variable, found in sizes.items() if len(found) > 1}


def _block_sizes(access: AccessOp | AssignOp) -> Iterator[tuple[SSAValue, int]]:
    """The variables of an access whose blocks matter to it, and their sizes."""
    for number, level in enumerate(format_of(access.tensor.type).levels):
        variable = access.indices[level.expression.dimension]
        if level.expression.form == "floordiv":
            yield variable, level.expression.factor
        elif level.expression.form == "whole" and (needs_whole_coordinates(access, number) or _chooses(access, level)):
            yield variable, _NO_BLOCKS


def _chooses(access: AccessOp | AssignOp, level: Level) -> bool:
    """Whether entries of a result are some of its slots: all slots of a block would become entries."""
    return isinstance(access, AssignOp) and not is_temporary(access.tensor) and not level.format.pattern.full


def _like(result: AssignOp, access: AccessOp, before: TensorFormat) -> TensorFormat | None:
    """The result's levels over the operand's dimensions, if both have the same variables, each once."""
    indices = list(access.indices)
    if len(set(indices)) < len(indices) or set(indices) != set(result.indices):
        return None
    levels = [
        replace(
            level,
            expression=replace(level.expression, dimension=indices.index(result.indices[level.expression.dimension])),
        )
        for level in format_of(result.tensor.type).levels
    ]
    return replace(before, levels=tuple(levels))


def _in_blocks(access: AccessOp, format: TensorFormat, given: Mapping[SSAValue, int]) -> TensorFormat:
    """Lists of blocks, and below each its offsets, for lists over variables whose blocks have a given size."""
    sizes = [
        given.get(access.indices[level.expression.dimension], _NO_BLOCKS)
        if not level.format.access.inserts
        else _NO_BLOCKS
        for level in format.levels
    ]
    if not any(sizes):
        return format
    levels: list[Level] = []
    for level, size in zip(format.levels, sizes, strict=True):
        # Entries that were told apart by whole coordinates may be in one block: no list of tuples is left.
        listed = level if level.format.access.inserts else replace(level, format=LIST)
        if size == _NO_BLOCKS:
            levels.append(listed)
            continue
        dimension = level.expression.dimension
        levels.append(replace(listed, expression=LevelExpression(dimension, "floordiv", size)))
        levels.append(Level(LevelExpression(dimension, "mod", size), ARRAY))
    return replace(format, levels=tuple(levels))
