"""A kernel whose schedule is chosen when it is called, for front ends that compile before they have operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irtensor.api.schedule import UNASKED, Schedule
from irtensor.compiler.compilation.compile_kernel import compiled
from irtensor.compiler.compilation.compile_request import CompileRequest
from irtensor.compiler.kernel.specialiser import Specialiser
from irtensor.compiler.kernel.statement_by_entries import kernel_by_entries
from irtensor.frontend.expression_tree import Statement
from irtensor.frontend.kernel_request import CompiledStatement, OperandDescription
from irtensor.options import current_options

if TYPE_CHECKING:
    import numpy as np

    from irtensor.compiler.kernel.kernel import Kernel
    from irtensor.core.tensor_format import TensorFormat
    from irtensor.frontend.bind_extents import WideIndices
    from irtensor.frontend.user_operator import UserOperator


class StatementBySize:
    """The kernels of one request, for operands of different orders of magnitude; a CompiledStatement."""

    def __init__(self, request: CompileRequest, plain: Kernel, by: str, options: Mapping[str, Any] | None) -> None:
        self.argument_names = request.names()
        self.result_dtype = plain.result_dtype
        self.warnings = plain.warnings
        self._specialiser = Specialiser(lambda _: request, lambda: current_options(**(options or {})), by)

    def __call__(self, operands: Sequence[Any], out: np.ndarray | None = None) -> Any:
        return self._specialiser.kernel_for(None, operands)(operands, out)


def compile_for_sizes(
    statement: Statement,
    operands: Mapping[str, OperandDescription],
    result_format: TensorFormat | None = None,
    *,
    by: str | None = None,
    operators: tuple[UserOperator, ...] = (),
    convert: bool = True,
    options: Mapping[str, Any] | None = None,
    schedule: Schedule | None = None,
    wide: WideIndices | None = None,
) -> CompiledStatement:
    """`compile_statement` with a schedule that is chosen `by` what operands are: see `Planner.plan`.

    Raises UserError for what cannot be compiled without one. The caller says what the kernel warns of.
    """
    parts = (statement, tuple(operands.items()), result_format, operators, convert)
    request = CompileRequest(*parts, schedule=schedule, wide=wide)
    return kernel_by_size(request, options, by)


def kernel_by_size(
    request: CompileRequest, options: Mapping[str, Any] | None, by: str | None = None
) -> CompiledStatement:
    """The kernel of a request, or one that chooses a schedule `by` what operands are. Raises UserError."""

    def by_size(request: CompileRequest) -> CompiledStatement:
        plain = compiled(request, options)
        if by is None and not plain.signature.by_size:
            return plain
        return StatementBySize(request, plain, by or UNASKED, options)

    return kernel_by_entries(request, options, by_size)
