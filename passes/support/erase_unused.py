"""Operations that nothing uses any more are erased."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation
from xdsl.rewriter import Rewriter


def erase_unused(operations: Sequence[Operation]) -> None:
    """Erase those operations with results that nothing uses, the last ones first: what only they use goes as well."""
    for op in reversed(operations):
        if op.results and not any(result.uses for result in op.results):
            Rewriter.erase_op(op)
