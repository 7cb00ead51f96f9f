"""Refuses operands over whose empty dimensions a reduction would give what a sparse result cannot express."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irtensor.compiler.compilation.kernel_signature import KernelSignature
from irtensor.core.diagnostics import UserError
from irtensor.frontend.expression_tree import Reduce, Statement, walk
from irtensor.frontend.notation.notation_errors import locate


def check_ranges(signature: KernelSignature, operands: Sequence[Any], statement: Statement | None = None) -> None:
    """Raise UserError [empty-reduction], located in a statement equal to the one that was compiled."""
    if any(operands[number].shape[dimension] == 0 for number, dimension in signature.result.extents):
        return
    for needed in signature.nonempty:
        if operands[needed.operand].shape[needed.dimension]:
            continue
        location = None
        if statement is not None:
            reductions = [node for node in walk(statement.expression) if isinstance(node, Reduce)]
            location = locate(statement.source, reductions[needed.reduction].span)
        other = f", or for a format with fill = {needed.identity}" if needed.is_result else ""
        raise UserError(
            "empty-reduction",
            f"{needed.operator} over index {needed.index} has nothing to reduce: dimension {needed.dimension} of "
            f"{signature.operand_names[needed.operand]} has extent 0. That is {needed.identity} at every coordinate, "
            f"but where a sparse result stores nothing, it is {needed.fill}",
            location=location,
            help=f"ask for a dense result{other}",
        ) from None
