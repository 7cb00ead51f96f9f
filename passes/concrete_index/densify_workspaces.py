"""`densify-workspaces`: a workspace that is made once is dense where nobody asks what it has entries for."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from irtensor.dialects.algebra import ApplyOp
from irtensor.dialects.asks_if_stored import asks_if_stored
from irtensor.dialects.concrete_index import AccessOp, ComputeOp, ForallOp, WhereOp
from irtensor.dialects.diagnostics import remark
from irtensor.dialects.is_inside import innermost_around
from irtensor.dialects.storage import format_of
from irtensor.dialects.tensor_format import LevelFormat
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.lattice_points import acts_without
from irtensor.passes.concrete_index.map_wide_workspaces import is_compact
from irtensor.passes.concrete_index.recorded_steps import recorded_steps
from irtensor.passes.concrete_index.workspace_format import store_by_levels
from irtensor.passes.operations_in import operations_in
from irtensor.passes.pass_base import TensorPass


@dataclass(frozen=True)
class DensifyWorkspacesPass(TensorPass):
    """Let a workspace outside of all loops be dense, where the statements that read it act at all coordinates alike.

    Before: `where produce (%w : tensor<?xf64, (j : accumulator)>) { forall %l, %j: assign add %A[%l, %j] into %w[%j] }
             consume (%v) { forall %i, %j: assign div %A[%i, %j] by sqrt(%v[%j]) into %N[%i, %j] }`
    After:  `where produce (%w : tensor<?xf64, (j : dense)>) { ... } consume (%v) { ... }`
    A set takes a place for each coordinate as well. It is cleared once, in less time than entries take to be put into
    a set and to be asked for. Only where an operand or a result takes memory for an extent anyway. What a schedule has
    asked for stays.
    """

    name = "densify-workspaces"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {
        "hoist-producers": "workspaces are outside of the loops that they do not depend on",
        "map-wide-workspaces": "along wide dimensions there are maps",
        "ask-workspaces": "workspaces are asked what they store",
    }

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for compute in operations_in(op, ComputeOp):
            if not recorded_steps(compute) and not is_compact(compute):
                for where in operations_in(compute.body.block, WhereOp):
                    if innermost_around(where, ForallOp) is None:
                        _densify(where)


def _densify(where: WhereOp) -> None:
    blocks = [region.block for region in where.regions]
    levels = format_of(blocks[0].args[0].type).levels
    sets = {number for number, level in enumerate(levels) if level.format.properties.lists_all}
    if sets != {0} or not _reads_all_alike(where.consumer.block.args[0]):
        return
    workspace = name_of(blocks[0].args[0])
    remark(f"'{workspace}' is dense: it is made once", where, by="densify-workspaces", about=[workspace])
    for block in blocks:
        store_by_levels(block, {0: LevelFormat("dense")})


def _reads_all_alike(workspace: SSAValue) -> bool:
    """Whether each statement that reads a workspace acts also where that has no entry, and none asks where it has."""
    for use in workspace.uses:
        access, block = use.operation, use.operation.parent
        if not isinstance(access, AccessOp) or not isinstance(block, Block) or not acts_without(block, {workspace}):
            return False
        readers = [use.operation for use in access.result.uses]
        if any(isinstance(reader, ApplyOp) and asks_if_stored(reader) for reader in readers):
            return False
    return True
