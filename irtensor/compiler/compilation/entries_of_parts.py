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
from irtensor.passes.analysis.entries_of_terms import has_entries_of_terms, loops_to_entries

if TYPE_CHECKING:
    from irtensor.core.tensor_format import TensorFormat
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
    requests = [one for one in _requests(parts, operands, operators) if _is_sparse(one.result_format)]
    try:
        return all([has_entries_of_terms(module_at(one, "concrete_index", settings)) for one in requests])
    except UserError:
        return False


def last_has_entries_of(whole: CompileRequest, parts: Sequence[Part], settings: Options) -> bool:
    """Whether the last of parts stores what one kernel stores for all of them. The other parts are dense."""
    *_, last = _requests(parts, whole.operands, whole.operators)
    try:
        found = [loops_to_entries(module_at(one, "concrete_index", settings)) for one in (whole, last)]
    except UserError:
        return False
    return found[0] == found[1]


def _requests(
    parts: Sequence[Part], operands: Sequence[tuple[str, OperandDescription]], operators: tuple[UserOperator, ...]
) -> list[CompileRequest]:
    load_for("compiling")
    described, requests = dict(reversed(operands)), list[CompileRequest]()
    for part in parts:
        target, read = part.statement.target, tensor_names(part.statement.expression)
        its = tuple([(name, described[name]) for name in read])
        requests.append(CompileRequest(part.statement, its, part.format, operators))
        described[target.tensor] = OperandDescription(its[0][1].dtype, len(target.indices), part.format)
    return requests


def _is_sparse(format: TensorFormat | None) -> bool:
    return format is not None and not format.is_dense
