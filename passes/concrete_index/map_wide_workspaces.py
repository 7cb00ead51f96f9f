"""`map-wide-workspaces`: workspaces along dimensions of huge extent take memory for their entries, not the extent."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from irtensor.core.diagnostics import remark
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, WhereOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.absence import is_temporary
from irtensor.passes.analysis.iteration_graph import accesses_in, level_variables, name_of, whole_variable
from irtensor.passes.concrete_index.support.workspace_format import store_by_levels
from irtensor.passes.concrete_index.support.workspace_levels import MAPPED
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, option


@dataclass(frozen=True)
class MapWideWorkspacesPass(TensorPass):
    """Let workspaces that list what they store, and have a slot for each coordinate, be maps along wide dimensions.

    Before: `where produce (%w : tensor<?xf64, (j : accumulator)>) { ... %w[%j] ... }`
    After `map-wide-workspaces{huge=j}`: `where produce (%w : tensor<?xf64, (j : map)>) { ... %w[%j] ... }`

    Whoever knows the operands' shapes names the variables: a kernel that is called with such shapes is compiled for
    them.
    """

    name = "map-wide-workspaces"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {
        "insert-workspaces": "every workspace has to be there",
        "accumulate-wide-unions": "every workspace has to be there",
        "look-up-repeated-fibers": "every workspace has to be there",
    }
    huge: tuple[str, ...] = option("Index variables of such extents that no workspace is to take memory for them.", ())
    large: tuple[str, ...] = option(
        "Index variables of extents for which memory is taken only where an operand or a result takes it anyway.",
        (),
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for compute in operations_in(op, ComputeOp):
            wide = {*self.huge, *(self.large if _is_compact(compute) else ())}
            for where in operations_in(compute.body.block, WhereOp):
                _map_wide(where, wide)


def _is_compact(compute: ComputeOp) -> bool:
    """Whether no operand and no result takes memory for an extent."""
    accesses = accesses_in(compute.body.block)
    stored = (one.tensor for one in accesses if not is_temporary(one.tensor))
    return not any(level.format.pattern.full for tensor in stored for level in format_of(tensor.type).levels)


def _map_wide(where: WhereOp, wide: Collection[str]) -> None:
    blocks = [region.block for region in where.regions]
    found = {level: name for block in blocks for level, name in _wide_levels(block.args[0], wide)}
    if not found:
        return
    names = ", ".join(dict.fromkeys(found.values()))
    workspace = name_of(blocks[0].args[0])
    remark(f"'{workspace}' is a hash table: {names} is wide", where, by="map-wide-workspaces", about=[workspace])
    for block in blocks:
        store_by_levels(block, dict.fromkeys(found, MAPPED))


def _wide_levels(workspace: SSAValue, wide: Collection[str]) -> list[tuple[int, str]]:
    """The levels, along wide dimensions, that have a slot for each coordinate and list their entries.

    So are all such levels below one, which would have a slot for each of its coordinates.
    """
    levels = format_of(workspace.type).levels
    found: list[tuple[int, str]] = []
    for use in workspace.uses:
        if isinstance(use.operation, AccessOp | AssignOp):
            within: str | None = None
            names = [name_of(whole_variable(variable)) for variable in level_variables(use.operation)]
            for number, name in enumerate(names):
                if levels[number].format.workspace == "set":
                    within = name if name in wide else within
                    found += [] if within is None else [(number, within)]
    return found
