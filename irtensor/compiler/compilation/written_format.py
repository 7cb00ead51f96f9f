"""The format that a kernel writes its result in, where that is not the format that was asked for."""

from __future__ import annotations

from collections.abc import Mapping

from irtensor.core.operators import OPERATORS, stays_true
from irtensor.core.tensor_format import TensorFormat
from irtensor.core.wide_formats import for_all_sizes
from irtensor.core.without_blocks import without_blocks
from irtensor.core.writable_formats import writable_at_once, writable_in_runs
from irtensor.frontend.expression_tree import Access, Expression, Reduce, Statement, accesses, free_indices, walk


def written_format(
    statement: Statement,
    formats: Mapping[str, TensorFormat | None],
    result: TensorFormat,
    joins_runs: bool,
    if_it_fits: bool = False,
) -> TensorFormat:
    """What the statement is computed as, to be converted to `result`, the format asked for; mostly that itself.

    Levels with a fixed number of slots are written as lists, and blocks without blocks where loops over the operands
    cannot follow them. Elements that are combined where they are have values, unless they stay true. How much is
    stored then is not what narrow indices of the result have to hold.
    With `joins_runs`, runs of equal values are joined before that, so that parts of one may be written apart. With
    `if_it_fits`, levels are written that the entries may not fit into.
    """
    written = result.writable
    if joins_runs:
        written = writable_at_once(result) if if_it_fits else writable_in_runs(result)
    if written.is_pattern and written.levels[-1].format.access.inserts and not _adds_truth(statement.expression):
        written = written.with_values
    if written.is_blocked and not _follows_blocks(statement, formats, written):
        written = without_blocks(written)
    return written if written == result else for_all_sizes(written)


def _adds_truth(expression: Expression) -> bool:
    """Whether a true element stays true, whatever is combined with it, in each reduction of an expression."""
    reductions = [OPERATORS.get(part.operator) for part in walk(expression) if isinstance(part, Reduce)]
    return all([operator is not None and stays_true(operator) for operator in reductions])


def _follows_blocks(statement: Statement, formats: Mapping[str, TensorFormat | None], result: TensorFormat) -> bool:
    """Whether loops over the operands can be loops over the result's blocks.

    Operands with all of the result's variables are converted to its blocks (`match-blocks`). All others must agree on
    the blocks of each variable, and where there is a sum each blocked variable of the result must be in the blocks of
    some operand, whose loops then go in the order of the sum.
    """
    target = statement.target.plain_indices
    blocks = _block_sizes(statement.target, result)
    sizes, followed = dict(blocks), set[str]()
    operands = list(accesses(statement.expression))
    for access in operands:
        format = formats[access.tensor]
        if format is None or format.is_dense:
            continue
        if sorted(access.plain_indices) == sorted(target) and len(access.indices) == len(target):
            followed.update(target)
            continue
        own = _block_sizes(access, format)
        if any(sizes.setdefault(index, size) != size for index, size in own.items()):
            return False
        followed |= own.keys()
    sums = any(index not in target for access in operands for index in free_indices(access))
    return not sums or blocks.keys() <= followed


def _block_sizes(access: Access, format: TensorFormat) -> dict[str, int]:
    """The block size of each index variable; 0 where its coordinates are searched for, none where they are located."""
    sizes: dict[str, int] = {}
    for level in format.levels:
        index = access.indices[level.expression.dimension]
        if not isinstance(index, str):
            continue
        if level.expression.form == "floordiv":
            sizes[index] = level.expression.factor
        elif level.expression.form == "whole" and not level.format.access.inserts:
            sizes[index] = 0
    return sizes
