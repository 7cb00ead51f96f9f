"""`merge-dense-dimensions`: neighbouring loops that no tensor tells apart are one loop."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.core.diagnostics import remark
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp, LetOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.storage.storage_merging import MergeLevelsOp, SplitLevelOp, is_dense_level, merged_type
from irtensor.dialects.support.create_operation import erase_operation, insert_operation
from irtensor.passes.analysis.iteration_graph import accesses_in, name_of
from irtensor.passes.analysis.races import AUTOMATIC, PARALLEL
from irtensor.passes.schedule.reorder import forall_chains
from irtensor.passes.support.emit import move_before
from irtensor.passes.support.operations_in import is_argument, operations_of
from irtensor.passes.support.pass_base import TensorPass

_Access = AccessOp | AssignOp


class MergeDenseDimensionsPass(TensorPass):
    """Make one loop of neighbouring loops over dense levels that every tensor stores next to each other.

    Every access that has one of the variables has all of them, for dense levels that follow each other in the order of
    the loops, and the variables are used nowhere else, but under the names that `concordize` gives them. Then the loops
    together iterate over the positions of all these tensors, and so does one loop over the product of the extents.
    Operands are seen with their levels merged, results are computed so and split again; no array changes.

    Before: `forall %i { forall %j { %a = access %A[%i, %j]; assign %a into %y[%i, %j] } }`
    After:  `%B = storage.merge_levels %A from 0 count 2 ... forall %i { %a = access %B[%i]; assign %a into %z[%i] }
            ... %Y = storage.split_level %Z from 0 count 2`

    It never makes things worse, as the kernel is that of arrays which are reshaped by hand: the iterations and their
    order are the same, each computes one position instead of one per loop, short loops inside become long ones, and a
    loop for threads has more iterations to divide. Left as they are: loops that a schedule has cut or marked, those
    over parts of coordinates, those that index temporaries, and, beside a sparse operand, levels of a dense one that
    others follow: `pack-strided-reads` may transpose it.
    """

    name = "merge-dense-dimensions"
    accepts = ("concrete_index",)
    leaves = ("concrete_index", "storage")
    after = {
        "parallelize-outermost": "a loop is marked for threads by what its own variable indexes",
        "concordize": "accesses that need other names for their coordinates are told apart by them",
    }
    before = {"lower-concrete-index-to-iteration-lattice": "the loops over index variables are gone afterwards"}

    def on_function(self, function: FuncOp) -> None:
        for compute in operations_of(function.body.block):
            if isinstance(compute, ComputeOp):
                _merge_in(compute)


def _merge_in(compute: ComputeOp) -> None:
    is_sparse = any(not format_of(access.tensor.type).is_dense for access in accesses_in(compute.body.block))
    for chain in forall_chains(compute):
        run: list[ForallOp] = []
        for outer, inner in pairwise(chain):
            run = run or [outer]
            if _are_one(outer, inner, is_sparse):
                run.append(inner)
                continue
            _merge(run, compute)
            run = []
        _merge(run, compute)


def _are_one(outer: ForallOp, inner: ForallOp, is_sparse: bool) -> bool:
    """Whether two loops, one directly inside of the other, iterate over the positions of all tensors that they
    index."""
    tags = dict(outer.attributes)
    if tags.pop(PARALLEL, AUTOMATIC) != AUTOMATIC or tags or inner.attributes or outer.bounds or inner.bounds:
        return False
    if outer.body.block.first_op is not inner:
        return False
    accesses = _accesses(outer.variable)
    if not accesses or accesses != _accesses(inner.variable):
        return False
    made = [access for access in accesses if not _is_operand(access.tensor)]
    return (
        all(_are_neighbours(access, outer.variable, inner.variable, is_sparse) for access in accesses)
        and all(_may_change(access.tensor, outer.variable) for access in made)
        # The loops are inside of one definition, which makes one tensor.
        and len({tuple(_levels_of(access, outer.variable)) for access in made}) < 2
    )


def _accesses(variable: SSAValue) -> list[_Access] | None:
    """The accesses that a variable indexes, once each, in program order; None if it is used in another way as well."""
    users = [use.operation for name in _names(variable) for use in name.uses]
    users = [user for user in users if not isinstance(user, LetOp)]
    found = [user for user in users if isinstance(user, AccessOp | AssignOp)]
    if len(found) < len(users) or len(set(found)) < len(found):
        return None
    return sorted(found, key=id)


def _names(variable: SSAValue) -> list[SSAValue]:
    """A variable under all its names, the first one first."""
    lets = [use.operation for use in variable.uses if isinstance(use.operation, LetOp)]
    return [variable, *(name for let in lets for name in _names(let.variable))]


def _levels_of(access: _Access, variable: SSAValue) -> list[int]:
    format = format_of(access.tensor.type)
    if format.is_blocked:
        return []
    names = _names(variable)
    return [n for n, level in enumerate(format.levels) if access.indices[level.expression.dimension] in names]


def _are_neighbours(access: _Access, outer: SSAValue, inner: SSAValue, is_sparse: bool) -> bool:
    """Whether an access has two variables for dense levels that follow each other."""
    first, second = _levels_of(access, outer), _levels_of(access, inner)
    if len(first) != 1 or second != [first[0] + 1] or access.protocols is not None:
        return False
    format = format_of(access.tensor.type)
    if format.bounding_levels(second[0] + 1):
        return False  # coordinates of the inner one bound those below
    is_followed = second[0] + 1 < len(format.levels)
    if is_sparse and is_followed and format.is_dense and _is_operand(access.tensor):
        return False
    return is_dense_level(format.levels[first[0]]) and is_dense_level(format.levels[second[0]])


def _is_operand(tensor: SSAValue) -> bool:
    """Whether a tensor is an argument of the function, perhaps with merged levels: each access may see it its way."""
    while isinstance(tensor.owner, MergeLevelsOp):
        tensor = tensor.owner.tensor
    return is_argument(tensor)


def _may_change(tensor: SSAValue, variable: SSAValue) -> bool:
    """Whether the computed tensor may have other levels: only stores by a variable and its receivers see it.

    A temporary has loops of its own where it is made and where it is read, and stays as it is.
    """
    compute, names = tensor.owner.parent_op() if isinstance(tensor.owner, Block) else None, _names(variable)
    return isinstance(compute, ComputeOp) and (
        all(any(operand in names for operand in use.operation.operands) for use in tensor.uses)
        and all(isinstance(use.operation, ReturnOp | SplitLevelOp) for use in compute.result.uses)
    )


def _merge(run: Sequence[ForallOp], compute: ComputeOp) -> None:
    """Make one loop of loops that are one by pairs."""
    if len(run) < 2:
        return
    outer, gone = run[0], {name: None for loop in run[1:] for name in _names(loop.variable)}
    names = ", ".join(name_of(loop.variable) for loop in run)
    remark(f"the loops over {names} are one, because no tensor tells them apart", by="merge-dense-dimensions")
    by_tensor: dict[tuple[SSAValue, int], list[_Access]] = {}
    for access in _accesses(outer.variable) or []:
        by_tensor.setdefault((access.tensor, _levels_of(access, outer.variable)[0]), []).append(access)
    for (tensor, first), accesses in by_tensor.items():
        for access in accesses:
            fixed = list(access.operands)[: len(access.operands) - len(access.indices)]
            access.operands = [*fixed, *(index for index in access.indices if index not in gone)]
        if _is_operand(tensor):
            view = MergeLevelsOp.of(tensor, first, len(run))
            view.result.name_hint = tensor.name_hint
            insert_operation(view, compute)
            for access in accesses:
                access.operands[len(access.operands) - len(access.indices) - 1] = view.result
        else:
            _retype(compute, first, len(run))
    for name in reversed(gone):
        _remove_let(name)
    statements = operations_of(run[-1].body.block)
    for op in statements:
        op.detach()
    erase_operation(run[1])
    outer.body.block.add_ops(statements)


def _remove_let(name: SSAValue) -> None:
    """Remove another name of a variable, which nothing uses."""
    assert isinstance(name.owner, Block)
    let = name.owner.parent_op()
    if isinstance(let, LetOp):
        move_before(name.owner, let)
        erase_operation(let)


def _retype(compute: ComputeOp, first: int, count: int) -> None:
    """Give a result its merged levels; who gets it gets it with the levels that it had."""
    type, uses = compute.result.type, list(compute.result.uses)
    merged = merged_type(type, first, count)
    Rewriter.replace_value_with_new_type(compute.target, merged)
    split = SplitLevelOp.of(Rewriter.replace_value_with_new_type(compute.result, merged), first, count, type)
    split.result.name_hint = compute.result.name_hint
    assert compute.parent is not None
    compute.parent.insert_op_after(split, compute)
    for use in uses:
        use.operation.operands[use.index] = split.result
