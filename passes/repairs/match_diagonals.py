"""`match-diagonals`: operands stored by diagonals that a statement does not traverse along them are converted."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument

from irtensor.core.diagnostics import remark
from irtensor.core.wide_formats import for_all_sizes
from irtensor.dialects.concrete_index.concrete_index import AccessOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.diagonals import Access, diagonals_of
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.repairs.insert_conversions import converted_argument
from irtensor.passes.support.pass_base import TensorPass


class MatchDiagonalsPass(TensorPass):
    """Ask for operands by rows or columns where computed values are not only on their diagonals.

    Before: `func @f(%A: tensor<?x?xf64, #dia>, %B: tensor<?x?xf64, #csr>)` adding %A[%i, %j] and %B[%i, %j]
    After:  `func @f(%A: tensor<?x?xf64, #csr> {storage.converts = 0 : index}, %B: tensor<?x?xf64, #csr>)`
    Operands stay as they are where all that a statement reads at a time has the same diagonals or is looked up. What
    no conversion repairs is left for split-diagonals to report.
    """

    name = "match-diagonals"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    before = {"split-diagonals": "loops iterate over the diagonals on which operands agree"}
    needs = "conversions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        while any([_convert(access, reason) for access, reason in diagonals_of(op)[1]]):
            pass


def _convert(access: Access, reason: str) -> bool:
    """Whether the tensor of an access is an operand, which is then converted."""
    tensor = access.tensor
    function = tensor.owner.parent_op() if isinstance(tensor, BlockArgument) else None
    if not isinstance(access, AccessOp) or not isinstance(function, FuncOp):
        return False
    before, name = format_of(tensor.type), name_of(tensor)
    after = before.without_diagonals
    access.operands[0] = converted_argument(function, access, after)
    remark(
        f"'{name}', stored {before}, is converted to {for_all_sizes(after)}: {reason}",
        access,
        by="match-diagonals",
        about=[name],
    )
    return True
