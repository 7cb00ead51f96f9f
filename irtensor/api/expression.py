"""Lazy expressions for users: index and tensor variables, `C[i, j] = A[i, k] * B[k, j]`, and their evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irtensor.compiler.kernel.extents_of_call import ExtentsOfCall
from irtensor.core.diagnostics import UserError
from irtensor.frontend import expression_functions as functions
from irtensor.frontend.arguments import as_flag, as_integer, as_mapping, as_text
from irtensor.frontend.bind_extents import bind_extents, wide_indices
from irtensor.frontend.computed_coordinates import uses_coordinates
from irtensor.frontend.expression_tree import Access, Scalar, Statement
from irtensor.frontend.extents_of_result import extent_operands, indices_of_result_alone, with_extents
from irtensor.frontend.kernel_request import CompiledStatement, CompileStatement, OperandDescription
from irtensor.frontend.lazy_expression import (
    Index,
    LazyExpression,
    Operand,
    Outside,
    access,
    check_rank,
    index_names,
    is_lazy,
    make_statement,
    tensor_label,
)
from irtensor.interop.as_operand import as_operand
from irtensor.late_imports import load_for
from irtensor.memory_cache import MemoryCache, code_of
from irtensor.options import current_kernel_key

if TYPE_CHECKING:
    from irtensor.core.tensor_format import TensorFormat
    from irtensor.frontend.user_operator import UserOperator

# Kernels by statement, dtypes, shapes and formats: a call with the same ones checks and compiles nothing.
_kernels: MemoryCache[Any, CompiledStatement] = MemoryCache(code_of)

__all__ = [
    "Index",
    "LazyExpression",
    "TensorVariable",
    "access",
    "assign",
    "clamped",
    "evaluate",
    "functions",
    "indices",
    "is_lazy",
    "padded",
    "tensor_variable",
    "wrapped",
]


def indices(names: str) -> Any:
    """Index variables by name: `i, j, k = indices("i j k")`; a single name gives a single Index.

    They index tensors and tensor variables in lazy expressions. Two of the same name are the same variable. Raises
    UserError [bad-index].

    >>> i, j = it.indices("i j")
    >>> A = it.as_tensor(np.eye(2))
    >>> y = it.tensor_variable("y", 1)
    >>> y[i] = 3 * A[i, j]  # nothing is computed yet
    >>> y.evaluate()
    array([3., 3.])
    """
    made = tuple(Index(name) for name in as_text("a list of index variables", names).replace(",", " ").split())
    if not made:
        raise UserError("bad-index", "indices needs at least one name", help='write i, j = indices("i j")')
    return made[0] if len(made) == 1 else made


def padded(index: Any, value: Scalar | None = None) -> Outside:
    """An index that reads the fill value outside of the dimension, or another number: `x[padded(i - 1, 2.5)]`.

    >>> i, x, y = it.indices("i"), it.as_tensor(np.array([1.0, 2.0, 4.0])), it.tensor_variable("y", 1)
    >>> y[i] = x[i] - x[it.padded(i - 1)]
    >>> y.evaluate()
    array([1., 1., 2.])
    """
    return Outside(index, "pad", value)


def wrapped(index: Any) -> Outside:
    """An index that continues periodically: behind the last element follows the first.

    >>> i, x, y = it.indices("i"), it.as_tensor(np.array([1.0, 2.0, 4.0])), it.tensor_variable("y", 1)
    >>> y[i] = x[it.wrapped(i + 1)]
    >>> y.evaluate()
    array([2., 4., 1.])
    """
    return Outside(index, "wrap")


def clamped(index: Any) -> Outside:
    """An index that reads the element at the edge outside of the dimension.

    >>> i, x, y = it.indices("i"), it.as_tensor(np.array([1.0, 2.0, 4.0])), it.tensor_variable("y", 1)
    >>> y[i] = x[it.clamped(i + 1)]
    >>> y.evaluate()
    array([2., 4., 4.])
    """
    return Outside(index, "clamp")


def tensor_variable(name: str, rank: int) -> TensorVariable:
    """A tensor of `rank` dimensions without data, to write statements with; `C[i, j] = ...` gives it a definition.

    `C.evaluate(format=...)` computes it. Other tensor variables that the definition reads get their data there, by
    name. Raises UserError [bad-name].

    >>> i, j = it.indices("i j")
    >>> A, C = it.tensor_variable("A", 2), it.tensor_variable("C", 2)
    >>> C[i, j] = A[j, i] + 1
    >>> C.evaluate({"A": np.array([[1.0, 2.0]])})
    array([[2.],
           [3.]])
    """
    return TensorVariable(name, rank)


class TensorVariable:
    """A named tensor without data. `definition` is the statement last assigned to it, `operands` what that reads."""

    def __init__(self, name: str, rank: int):
        if not as_text("the name of a tensor", name).isidentifier():
            help = "a name has letters, digits and underscores, and starts with no digit"
            raise UserError("bad-name", f"{name!r} is not a name for a tensor", help=help)
        self.variable_name = name
        self.rank = as_integer("the rank of a tensor", rank)
        self.definition: Statement | None = None
        self.operands: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"tensor_variable({self.variable_name!r}, {self.rank})"

    __iter__ = None

    def __getitem__(self, key: Any) -> LazyExpression:
        return access(self, key)

    def __setitem__(self, key: Any, value: Operand) -> None:
        names = index_names(key)
        check_rank(self, self.variable_name, names)
        statement, tensors = make_statement(Access(self.variable_name, names), value)
        if tensors.get(self.variable_name, self) is not self:
            message = f"another tensor variable in the definition is called {self.variable_name}, too"
            raise UserError("name-conflict", message, help="give each variable a name of its own")
        self.definition, self.operands = statement, tensors

    def evaluate(
        self,
        operands: Mapping[str, Any] | None = None,
        *,
        format: TensorFormat | str | Any | None = None,
        exact: bool = False,
    ) -> Any:
        """Compute the definition. `operands` gives data for the tensor variables it reads, by name.

        The result is a NumPy array or scalar, with `format` a Tensor; `exact` is that of `irtensor.compile`. Raises
        UserError [undefined-variable].
        """
        if self.definition is None:
            message = f"{self.variable_name} has no definition"
            raise UserError("undefined-variable", message, help=f"assign to it first: {self.variable_name}[i, j] = ...")
        definition = replace(self.definition, exact=True) if as_flag("exact=", exact) else self.definition
        return evaluate(definition, {**self.operands, **as_mapping("operands", operands)}, format=format)


def assign(target: Any, key: Any, value: Operand) -> None:
    """`target[key] = value` for a Tensor with data: computes now, and stores in the target's own format and dtype.

    Sums are computed in that dtype where it is wider, as with `dtypes=` of `irtensor.compile`.
    The result's shape must be the target's. Raises UserError, among them [extent-mismatch] and [bad-cast].
    """
    names = index_names(key, getattr(target, "is_on_device", False))
    check_rank(target, tensor_label(target), names)
    statement, tensors = make_statement(Access(tensor_label(target), names), value)
    statement, extents = with_extents(statement, indices_of_result_alone(statement))
    tensors = {**tensors, **extent_operands(statement, extents, target.shape)}
    result = evaluate(statement, tensors, format=target.format, dtype=target.dtype)
    if tuple(result.shape) != tuple(target.shape):
        message = f"the result has shape {tuple(result.shape)}, the tensor assigned to {tuple(target.shape)}"
        raise UserError("extent-mismatch", message)
    target.replace_storage(result)


def evaluate(
    statement: Statement,
    operands: Mapping[str, Any],
    *,
    format: TensorFormat | str | Any | None = None,
    dtype: np.dtype | None = None,
) -> Any:
    """Compile and run a statement with explicit reductions over Tensors, NumPy and SciPy arrays given by name.

    The result is a NumPy array or scalar; with `format`, a Tensor stored so; with `dtype`, of that. Raises UserError.
    """
    data: dict[str, Any] = {}
    resolved = _resolve(format, len(statement.target.indices))
    declared = tuple(operand for name, operand in operands.items() if name.startswith("@"))
    for name, operand in operands.items():
        if name.startswith("@"):
            continue
        if isinstance(operand, TensorVariable):
            message = f"tensor variable {name} has no data"
            raise UserError("missing-operand", message, help=f"give it by name: evaluate({{{name!r}: array}})")
        try:
            data[name] = _native(as_operand(operand))
        except UserError as error:
            if error.slug != "operand-on-device":
                raise
            load_for("cards")
            from irtensor.tensors.device_evaluation import evaluate_on_device

            return evaluate_on_device(statement, operands, resolved, dtype)
    if uses_coordinates(statement.expression):
        statement = _with_extents(statement, data)
    seen = tuple([(name, x.dtype, x.shape, None if type(x) is np.ndarray else x.format) for name, x in data.items()])
    key = (statement, seen, resolved, declared, dtype, current_kernel_key())
    kernel = _kernels[key]
    if kernel is None:
        kernel = _kernels[key] = _compile(statement, data, resolved, declared, dtype)
    result = kernel([data[name] for name in kernel.argument_names])
    if format is not None and isinstance(result, np.ndarray):
        from irtensor.storage.make_tensors import as_stored_tensor

        return as_stored_tensor(result)
    return result[()] if isinstance(result, np.ndarray) and result.ndim == 0 else result


def _with_extents(statement: Statement, data: dict[str, Any]) -> Statement:
    """The statement with operands that say how far variables run, which become part of `data`, after checks."""
    extents = ExtentsOfCall(statement)
    data |= extents.arrays(None, data)
    extents.check(tuple(data), tuple(data.values()), True)
    return extents.open_statement


def _compile(
    statement: Statement,
    data: Mapping[str, Any],
    format: TensorFormat | None,
    operators: tuple[UserOperator, ...],
    dtype: np.dtype | None,
) -> CompiledStatement:
    """The kernel of a statement for these operands, after a check of their shapes."""
    shapes = {name: tuple(operand.shape) for name, operand in data.items()}
    bind_extents(statement, shapes)
    descriptions = {name: _describe(operand) for name, operand in data.items()}
    compiler = _load_compiler()
    if operators:
        compiler = partial(compiler, operators=operators)
    wide = wide_indices(statement, shapes)
    if dtype is not None:
        return compiler(statement, descriptions, format, wide=wide, result_dtype=dtype)
    return compiler(statement, descriptions, format, wide=wide)


def _native(operand: Any) -> Any:
    if not isinstance(operand, np.ndarray):
        return operand
    flags = operand.flags
    if operand.dtype.isnative and flags.c_contiguous and flags.aligned:
        return operand
    native = operand.astype(operand.dtype.newbyteorder("="), copy=False)
    return np.require(native, requirements=["C", "ALIGNED"])


def _describe(operand: Any) -> OperandDescription:
    format = None if isinstance(operand, np.ndarray) else operand.format
    return OperandDescription(operand.dtype, len(operand.shape), format)


def _resolve(format: Any, rank: int) -> TensorFormat | None:
    if format is None:
        return None
    from irtensor.frontend.requested_format import resolve_format

    return resolve_format(format, rank)


def _load_compiler() -> CompileStatement:
    from irtensor.compiler.kernel.dense_product import compile_product

    return partial(compile_product, compiler=_load_statements)


def _load_statements() -> Callable[..., CompiledStatement]:
    from irtensor.compiler.kernel.statement_by_entries import compile_for_entries

    return compile_for_entries
