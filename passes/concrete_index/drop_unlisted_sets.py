"""`drop-unlisted-sets`: a temporary that is filled once and only looked up in has a value for each coordinate."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from irtensor.dialects.concrete_index import AccessOp, ComputeOp, WhereOp
from irtensor.dialects.storage import format_of
from irtensor.dialects.tensor_format import LevelFormat
from irtensor.passes.analysis.absence import is_temporary
from irtensor.passes.analysis.iteration_graph import enclosing_variables, level_variables
from irtensor.passes.analysis.lattice_points import acts_without
from irtensor.passes.analysis.ranges import forall_of
from irtensor.passes.concrete_index.recorded_steps import recorded_steps
from irtensor.passes.concrete_index.workspace_format import fill_along, store_by_levels
from irtensor.passes.operations_in import operations_in
from irtensor.passes.pass_base import TensorPass


@dataclass(frozen=True)
class DropUnlistedSetsPass(TensorPass):
    """Let a temporary be dense that keeps a set of its coordinates, if the set is not listed, and emptied once.

    Before: `where produce (%w : tensor<?xf64, (j : accumulator)>) { ... } consume (%v) { forall %i { forall %j {
             assign mul(%C[%i, %j], %v[%j]) into %X[%i, %j] } } }`, where %C has few entries in a row
    After:  `where produce (%w : tensor<?xf64>) { ... } consume (%v) { ... }`
    The set takes memory for each coordinate as well, which is cleared once. Without it nothing is asked when values are
    stored and found, and loops that store can be for threads. What has no value reads as what the temporary starts at.
    Not inside of loops, each iteration of which would clear all of it, not where coordinates are listed, and not for
    what a schedule has arranged.
    """

    name = "drop-unlisted-sets"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {
        "map-wide-workspaces": "temporaries along wide dimensions are maps, which stay",
        "look-up-repeated-fibers": "every temporary has to be there",
    }

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for compute in operations_in(op, ComputeOp):
            if not recorded_steps(compute):
                for where in operations_in(compute, WhereOp):
                    _drop(where)


def _drop(where: WhereOp) -> None:
    temporary = where.consumer.block.args[0]
    levels = format_of(temporary.type).levels
    is_set = [level.format.name for level in levels] == ["accumulator"]
    if is_set and not [*enclosing_variables(where)] and _is_looked_up(temporary):
        for region in where.regions:
            store_by_levels(region.block, {0: LevelFormat("dense")})


def _is_looked_up(temporary: SSAValue) -> bool:
    """Whether loops go along coordinates of other tensors wherever they read a temporary with one dimension."""
    for use in temporary.uses:
        read = use.operation
        loop = forall_of(level_variables(read)[0]) if isinstance(read, AccessOp) else None
        if loop is None or loop.bounds:
            return False
        around = {*enclosing_variables(loop)}
        reads = [one for one in operations_in(loop, AccessOp) if not is_temporary(one.tensor)]
        others = {one.tensor for one in reads if fill_along(one.result, loop.variable, around) is not None}
        if not others or acts_without(loop.body.block, others):
            return False
    return True
