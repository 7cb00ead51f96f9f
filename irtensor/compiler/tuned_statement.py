"""A kernel whose schedule is measured when it is called, for front ends that compile before they have operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from irtensor.compiler.compile_kernel import CompileRequest, compiled
from irtensor.compiler.statement_variant import magnitudes
from irtensor.compiler.tune_schedule import tuned
from irtensor.frontend.expression_tree import Statement
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.options import current_options

if TYPE_CHECKING:
    import numpy as np

    from irtensor.compiler.kernel import Kernel
    from irtensor.dialects.tensor_format import TensorFormat
    from irtensor.frontend.user_operator import UserOperator


class TunedStatement:
    """The kernels of one request, for operands of different orders of magnitude; a CompiledStatement."""

    def __init__(
        self, request: CompileRequest, result_dtype: np.dtype, tune: str, options: Mapping[str, Any] | None
    ) -> None:
        self.argument_names = request.names()
        self.result_dtype = result_dtype
        self._request = request
        self._tune = tune
        self._options = options
        self._kernels: dict[Any, Kernel] = {}

    def __call__(self, operands: Sequence[Any], out: np.ndarray | None = None) -> Any:
        sizes = magnitudes(operands)
        kernel = self._kernels.get(sizes)
        if kernel is None:
            request, _ = tuned(self._request, operands, self._tune, current_options(**(self._options or {})))
            kernel = self._kernels[sizes] = compiled(request, self._options)
        return kernel(operands, out)


def tuned_statement(
    statement: Statement,
    operands: Mapping[str, OperandDescription],
    result_format: TensorFormat | None = None,
    *,
    tune: str,
    operators: tuple[UserOperator, ...] = (),
    convert: bool = True,
    options: Mapping[str, Any] | None = None,
    wide: tuple[str, ...] = (),
) -> TunedStatement:
    """`compile_statement` with a schedule by measurement. Raises UserError for what cannot be compiled without one."""
    parts = (statement, tuple(operands.items()), result_format, operators, convert)
    request = CompileRequest(*parts, wide=wide)
    plain = compiled(request, options)
    return TunedStatement(request, plain.result_dtype, tune, options)
