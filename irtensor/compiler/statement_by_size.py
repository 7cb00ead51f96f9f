"""A kernel whose schedule is chosen when it is called, for front ends that compile before they have operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irtensor.compiler.compile_kernel import compiled
from irtensor.compiler.compile_request import CompileRequest
from irtensor.frontend.expression_tree import Statement
from irtensor.frontend.kernel_request import CompiledStatement, OperandDescription
from irtensor.memory_cache import MemoryCache, code_of
from irtensor.options import current_options
from irtensor.planning.call_sizes import magnitudes
from irtensor.schedule import UNASKED, Schedule

if TYPE_CHECKING:
    import numpy as np

    from irtensor.compiler.kernel import Kernel
    from irtensor.dialects.tensor_format import TensorFormat
    from irtensor.frontend.bind_extents import WideIndices
    from irtensor.frontend.user_operator import UserOperator


class StatementBySize:
    """The kernels of one request, for operands of different orders of magnitude; a CompiledStatement."""

    def __init__(self, request: CompileRequest, plain: Kernel, by: str, options: Mapping[str, Any] | None) -> None:
        self.argument_names = request.names()
        self.result_dtype = plain.result_dtype
        self.warnings = plain.warnings
        self._request = request
        self._by = by
        self._options = options
        self._kernels: MemoryCache[Any, Kernel] = MemoryCache(code_of)

    def __call__(self, operands: Sequence[Any], out: np.ndarray | None = None) -> Any:
        sizes = magnitudes(operands)
        kernel = self._kernels[sizes]
        if kernel is None:
            # Loaded with the first kernel that has something to choose.
            from irtensor.planning.planner import plan_for_call

            plan = plan_for_call(self._request, operands, self._by, current_options(**(self._options or {})))
            kernel = self._kernels[sizes] = compiled(plan.request, self._options, plan.lowered)
        return kernel(operands, out)


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
    plain = compiled(request, options)
    if by is None and not plain.signature.by_size:
        return plain
    return StatementBySize(request, plain, by or UNASKED, options)
