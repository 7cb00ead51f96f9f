"""Whether kernels that are called one after the other store what one kernel stores: as loops say, before compiling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from irtensor.compiler.compilation.compile_request import CompileRequest
from irtensor.compiler.compilation.stage_ir import module_at
from irtensor.core.diagnostics import UserError
from irtensor.frontend.expression_tree import tensor_names
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.late_imports import load_for
from irtensor.passes.analysis.entries_of_terms import has_entries_of_terms

if TYPE_CHECKING:
    from irtensor.frontend.parts.kernel_steps import Part
    from irtensor.frontend.user_operator import UserOperator
    from irtensor.options import Options


def entries_are_terms(
    parts: Sequence[Part],
    operands: Sequence[tuple[str, OperandDescription]],
    operators: tuple[UserOperator, ...],
    settings: Options,
) -> bool:
    """Whether the sparse results of all parts, which are of one type, have an entry only where there is a term.

    A sum of products has the same terms in whatever order its factors are multiplied.
    """
    load_for("compiling")
    described = dict(reversed(operands))
    for part in parts:
        target, read = part.statement.target, tensor_names(part.statement.expression)
        its = tuple([(name, described[name]) for name in read])
        if part.format is not None and not part.format.is_dense:
            try:
                module = module_at(
                    CompileRequest(part.statement, its, part.format, operators), "concrete_index", settings
                )
            except UserError:
                return False
            if not has_entries_of_terms(module):
                return False
        described[target.tensor] = OperandDescription(its[0][1].dtype, len(target.indices), part.format)
    return True
