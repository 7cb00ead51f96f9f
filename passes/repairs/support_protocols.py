"""`support-protocols`: ask for operands in formats that can be read by the protocols that are said of them."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp

from irtensor.core.diagnostics import remark
from irtensor.core.wide_formats import for_all_sizes
from irtensor.dialects.concrete_index.concrete_index import AccessOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.iteration_graph import enclosing_variables, levels_in_order, name_of
from irtensor.passes.concrete_index.support.operand_formats import format_to_read
from irtensor.passes.repairs.insert_conversions import converted_argument, is_convertible
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass


class SupportProtocolsPass(TensorPass):
    """Change levels of operands, and their order, so that loops can read them by the protocols that accesses have.

    The order of the loops stays, for which the protocols were said; the caller converts the operands. A level that is
    stepped through becomes a list. A located one becomes a table over the outermost dimension, or hash tables below: as
    large for each parent as for the one that has most. Blocks and diagonals stay, because loops over dimensions see
    parts of them. Source: Ahrens 2022, section 7.8, of whole operands.

    Before: `func @f(%A: tensor<?x?xf64, #dcsr>)` reading %A[locate %i, step %j]
    After:  `func @f(%A: tensor<?x?xf64, #csr> {storage.converts = 0 : index})`
    """

    name = "support-protocols"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    before = {
        "expand-temporaries": "protocols are said for the order of the loops as written",
        "insert-conversions": "conversions start from the levels that protocols ask for",
        "choose-loop-order": "protocols are said for the order of the loops as written",
    }
    needs = "conversions"

    def on_function(self, function: FuncOp) -> None:
        for access in operations_in(function, AccessOp):
            _convert(function, access)


def _convert(function: FuncOp, access: AccessOp) -> None:
    order, before = list(enclosing_variables(access))[::-1], format_of(access.tensor.type)
    if access.protocols is None or before.is_blocked or not is_convertible(access, order):
        return
    protocols = [protocol.data for protocol in access.protocols]
    after = format_to_read(before, levels_in_order(access, order), protocols)
    if after == before:
        return
    name = name_of(access.tensor)
    access.operands[0] = converted_argument(function, access, after)
    asked = ", ".join(f"{word} {name_of(index)}" for word, index in zip(protocols, access.indices, strict=True))
    remark(
        f"'{name}', stored {before}, is converted to {for_all_sizes(after)}: loops over "
        f"{', '.join(map(name_of, order))} are to {asked}",
        access,
        by="support-protocols",
        about=[name],
    )
