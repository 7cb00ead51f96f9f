"""Statements that are one product of dense operands: NumPy's BLAS computes them, and nothing is compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irtensor.compiler.kernel.called_as_kernel import CalledAsKernel
from irtensor.core.cached_property import cached_property
from irtensor.frontend.expression_tree import Access, Apply, Expression, Reduce, Statement
from irtensor.frontend.kernel_request import CompiledStatement, OperandDescription
from irtensor.late_imports import load_for
from irtensor.options import current_options
from irtensor.runtime.matrix_product import MatrixProduct, is_matrix_product, matrix_product

if TYPE_CHECKING:
    from irtensor.compiler.compilation.compile_request import CompileRequest
    from irtensor.core.tensor_format import TensorFormat
    from irtensor.options import Options

_TYPES = tuple(map(np.dtype, (np.float32, np.float64, np.complex64, np.complex128)))
# Bytes from which on the first touch of new memory takes longer than asking for memory that has been used.
_LARGE = 1 << 16


class _Parts(NamedTuple):
    """`left * right`, summed over what the result lacks, plus `added` if there is that."""

    left: Access
    right: Access
    added: Access | None


class DenseProduct(CalledAsKernel):
    """A CompiledStatement that BLAS computes where it is faster than loops; `make_loops` compiles the kernel of these.

    It may run in several threads at once.
    """

    def __init__(
        self,
        statement: Statement,
        described: Mapping[str, OperandDescription],
        parts: _Parts,
        dtype: np.dtype,
        make_loops: Callable[[], CompiledStatement],
    ) -> None:
        super().__init__(statement, described, dtype)
        self._parts = parts
        self._output = statement.target.plain_indices
        self._make_loops = make_loops
        self._left, self._right = (self.argument_names.index(access.tensor) for access in parts[:2])
        self._added = None if parts.added is None else self.argument_names.index(parts.added.tensor)
        # The shapes of the last call, that of its result, and what computes it: most calls have the same ones.
        self._last: tuple[list[tuple[int, ...]], tuple[int, ...], MatrixProduct | None] = [], (), None

    def __call__(self, operands: Sequence[Any], out: np.ndarray | None = None, index: Any = None) -> Any:
        """The result; see CompiledStatement. The index of a dense result says nothing."""
        shape, product = self._product_for(operands)
        if product is None:
            return self.loops(operands, out)
        dtype = self.result_dtype
        left, right = operands[self._left], operands[self._right]
        if left.dtype is not dtype or right.dtype is not dtype:
            left, right = left.astype(dtype, copy=False), right.astype(dtype, copy=False)
        result = _empty(shape, dtype) if out is None else out
        product(left, right, result)
        if dtype.kind == "c" and not np.isfinite(result).all():
            # BLAS multiplies once more, by 1 + 0j, and of infinities that makes NaN.
            return self.loops(operands, result)
        if self._added is not None:
            _add(operands[self._added], result)
        return result

    def prepare(self, operands: Sequence[Any]) -> None:
        """Compile what operands of these shapes need, if anything."""
        if self._product_for(operands)[1] is None:
            _ = self.loops

    def _product_for(self, operands: Sequence[Any]) -> tuple[tuple[int, ...], MatrixProduct | None]:
        """The shape of the result, and what computes it; None for loops."""
        shapes, shape, product = self._last
        given = [operand.shape for operand in operands]
        if given != shapes:
            left, right = self._parts.left.plain_indices, self._parts.right.plain_indices
            extents = dict(zip(left + right, given[self._left] + given[self._right], strict=True))
            shape = tuple(extents[label] for label in self._output)
            product = matrix_product(left, right, self._output, extents)
            self._last = given, shape, product
        return shape, product

    def explain(self) -> list[str]:
        """When BLAS computes it and when loops do, for people."""
        summed = ", ".join(label for label in self._parts.left.plain_indices if label not in self._output)
        added = "" if self._parts.added is None else f", and {self._parts.added.tensor} is added"
        lines = [
            f"NumPy's BLAS computes products of matrices, summed over {summed}{added}",
            f"loops do where {summed} has one coordinate, where operands would be copied for few products, and for "
            "many products of very small matrices",
        ]
        if self.result_dtype.kind == "c":
            lines.append("loops compute it once more if a component is not finite")
        return [*lines, "schedule=, tune=, strict_fp=, deterministic=, verify= and target= ask for loops"]

    @cached_property
    def loops(self) -> CompiledStatement:
        """The kernel for what BLAS is not made for."""
        return self._make_loops()


@np.errstate(all="ignore")
def _add(one: np.ndarray, result: np.ndarray) -> None:
    np.add(one, result, out=result)


def _empty(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    result_size = dtype.itemsize
    for extent in shape:
        result_size *= extent
    if result_size < _LARGE:
        return np.empty(shape, dtype)
    load_for("large results")
    from irtensor.compiler.kernel.dense_result import empty_array

    return empty_array(shape, dtype)


def _by_size() -> Callable[..., CompiledStatement]:
    load_for("calls")
    from irtensor.compiler.kernel.statement_by_size import compile_for_sizes

    return compile_for_sizes


def compile_product(
    statement: Statement,
    operands: Mapping[str, OperandDescription],
    result_format: TensorFormat | None = None,
    *,
    options: Mapping[str, Any] | None = None,
    compiler: Callable[[], Callable[..., CompiledStatement]] = _by_size,
    **choices: Any,
) -> CompiledStatement:
    """What computes a product of dense operands without code, unless a choice says how; else what `compiler` gives.

    The choices are those of `compile_for_sizes`, or of the other function that `compiler` loads.
    """

    def loops() -> CompiledStatement:
        return compiler()(statement, operands, result_format, options=options, **choices)

    product = None
    if result_format is None and all(choices.get(name) is None for name in ("by", "schedule", "result_dtype")):
        product = _product_of(statement, operands, current_options(**(options or {})), loops)
    return loops() if product is None else product


def product_of(request: CompileRequest, settings: Options) -> DenseProduct | None:
    """What computes a statement without code, if it is a product of dense operands and nothing forbids it."""

    def loops() -> CompiledStatement:
        from irtensor.compiler.kernel.statement_by_size import kernel_by_size

        return kernel_by_size(request, settings.as_keywords())

    if request.result_format is not None or request.schedule is not None or request.purpose != "fused":
        return None
    product = _product_of(request.statement, dict(request.operands), settings, loops)
    asked = request.result_dtype
    return None if product is None or (asked is not None and asked != product.result_dtype) else product


def _product_of(
    statement: Statement,
    operands: Mapping[str, OperandDescription],
    settings: Options,
    loops: Callable[[], CompiledStatement],
) -> DenseProduct | None:
    # BLAS adds in an order of its own, which may be another one with another number of threads.
    if settings.verify or not settings.may_regroup:
        return None
    parts = _parts_of(statement)
    if parts is None:
        return None
    described = [operands[access.tensor] for access in filter(None, parts)]
    types = {one.read_as or one.dtype for one in described}
    if any(one.format is not None for one in described) or len(types) > 1 or not types <= {*_TYPES}:
        return None
    if parts.added is not None and operands[parts.added.tensor].read_as is not None:
        return None
    return DenseProduct(statement, operands, parts, types.pop(), loops)


def _parts_of(statement: Statement) -> _Parts | None:
    """The parts of a statement that is one product of matrices, perhaps added to something; None for another one."""
    output, expression, added = statement.target.plain_indices, statement.expression, None
    match expression:
        case Apply("add", (Access() as access, Reduce() as sum) | (Reduce() as sum, Access() as access)) if (
            access.plain_indices == output
        ):
            expression, added = sum, access
        case _:
            pass
    match _summed(expression):
        case Apply("mul", (Access() as left, Access() as right)):
            is_product = isinstance(expression, Reduce) and is_matrix_product(
                left.plain_indices, right.plain_indices, output
            )
            return _Parts(left, right, added) if is_product else None
        case _:
            return None


def _summed(expression: Expression) -> Expression:
    while isinstance(expression, Reduce) and expression.operator == "add":
        expression = expression.body
    return expression
