"""A kernel for calls where some operands have entries at the same coordinates, and one for all other calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from irtensor.compiler.compilation.compile_kernel import compiled
from irtensor.compiler.compilation.compile_request import CompileRequest
from irtensor.compiler.compilation.warn_user import warn_user
from irtensor.compiler.kernel.equal_entries import EqualEntries, with_equal_entries
from irtensor.frontend.expression_tree import Statement
from irtensor.frontend.kernel_request import CompiledStatement, OperandDescription
from irtensor.options import current_options

if TYPE_CHECKING:
    import numpy as np

    from irtensor.core.tensor_format import TensorFormat
    from irtensor.frontend.bind_extents import WideIndices
    from irtensor.frontend.user_operator import UserOperator

_Compile = Callable[[CompileRequest], CompiledStatement]


class StatementByEntries:
    """The kernels of one request, by which operands of a call have equal lists of entries; a CompiledStatement."""

    def __init__(
        self, request: CompileRequest, plain: CompiledStatement, equal_entries: EqualEntries, compile: _Compile
    ) -> None:
        self.argument_names = plain.argument_names
        self.result_dtype = plain.result_dtype
        self.warnings = plain.warnings
        self._request, self._plain, self._equal_entries, self._compile = request, plain, equal_entries, compile
        self._others: dict[tuple[int | None, ...], CompiledStatement] = {}

    def __call__(self, operands: Sequence[Any], out: np.ndarray | None = None) -> Any:
        known = self._equal_entries.of_operands(operands)
        if known is None:
            return self._plain(operands, out)
        kernel = self._others.get(known)
        if kernel is None:
            described = dict(self._request.operands)
            names = self.argument_names
            described.update(zip(names, with_equal_entries([described[name] for name in names], known), strict=True))
            kernel = self._compile(replace(self._request, operands=tuple(described.items())))
            self._others[known] = kernel
        return kernel(operands, out)


def kernel_by_entries(
    request: CompileRequest, options: Mapping[str, Any] | None, compile: _Compile
) -> CompiledStatement:
    """The kernel that `compile` gives, or one that compares the entries of operands first.

    A schedule says how lists are merged, and arrays on a GPU are not compared here.
    """
    plain = compile(request)
    lists = [name for name, one in request.operands if one.format is not None and not one.format.is_dense]
    if len(lists) < 2 or request.schedule is not None or current_options(**(options or {})).target != "cpu":
        return plain
    equal_entries = EqualEntries.of(request.statement, plain.argument_names)
    return plain if equal_entries is None else StatementByEntries(request, plain, equal_entries, compile)


def compile_for_entries(
    statement: Statement,
    operands: Mapping[str, OperandDescription],
    result_format: TensorFormat | None = None,
    *,
    options: Mapping[str, Any] | None = None,
    operators: tuple[UserOperator, ...] = (),
    wide: WideIndices | None = None,
    result_dtype: np.dtype | None = None,
) -> CompiledStatement:
    """`compile_statement`, where operands with equal entries have a kernel of their own. Raises UserError."""
    parts = (statement, tuple(operands.items()), result_format, operators)
    request = CompileRequest(*parts, wide=wide, result_dtype=result_dtype)
    kernel = kernel_by_entries(request, options, lambda one: compiled(one, options))
    warn_user(kernel.warnings)
    return kernel
