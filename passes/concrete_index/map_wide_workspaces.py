"""`map-wide-workspaces`: workspaces along dimensions of huge extent take memory for what is stored, not the extent."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from irtensor.dialects.concrete_index import AccessOp, AssignOp, WhereOp
from irtensor.dialects.diagnostics import remark
from irtensor.dialects.storage import format_of
from irtensor.dialects.tensor_format import LevelFormat
from irtensor.passes.analysis.iteration_graph import level_variables, name_of, whole_variable
from irtensor.passes.concrete_index.workspace_format import store_by_levels
from irtensor.passes.operations_in import operations_in
from irtensor.passes.pass_base import TensorPass


@dataclass(frozen=True)
class MapWideWorkspacesPass(TensorPass):
    """Let workspaces that list what they store, and have a place for each coordinate, be maps along wide dimensions.

    Before: `where produce (%w : tensor<?xf64, (j : accumulator)>) { ... %w[%j] ... }`
    After `map-wide-workspaces{indices=j}`: `where produce (%w : tensor<?xf64, (j : map)>) { ... %w[%j] ... }`

    Option: `indices`, the names of the index variables whose extents are huge. Whoever knows the operands' shapes
    gives them: a kernel that is called with such shapes is compiled for them.
    """

    name = "map-wide-workspaces"
    indices: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for where in operations_in(op, WhereOp):
            blocks = [region.block for region in where.regions]
            wide = {level: name for block in blocks for level, name in self._wide_levels(block.args[0])}
            if wide:
                names = ", ".join(dict.fromkeys(wide.values()))
                remark(f"map-wide-workspaces: '{name_of(blocks[0].args[0])}' is a hash table: {names} is wide", where)
            for block in blocks if wide else ():
                store_by_levels(block, dict.fromkeys(wide, LevelFormat("map")))

    def _wide_levels(self, workspace: SSAValue) -> list[tuple[int, str]]:
        """The levels, along wide dimensions, that have a place for each coordinate and list what is stored.

        So are all such levels below one, which would have a place for each of its coordinates.
        """
        levels = format_of(workspace.type).levels
        found: list[tuple[int, str]] = []
        for use in workspace.uses:
            if isinstance(use.operation, AccessOp | AssignOp):
                wide: str | None = None
                names = [name_of(whole_variable(variable)) for variable in level_variables(use.operation)]
                for number, name in enumerate(names):
                    if levels[number].format.properties.lists_all:
                        wide = name if name in self.indices else wide
                        found += [] if wide is None else [(number, wide)]
        return found
