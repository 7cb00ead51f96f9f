"""An operator applied to tensors, arrays and numbers element by element, with NumPy's broadcasting, by a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.frontend.expression_tree import Access, Apply, Literal, Statement
from irtensor.interop.as_operand import as_operand
from irtensor.late_imports import load_for
from irtensor.memory_cache import MemoryCache
from irtensor.storage.stored_tensor import of_arrays

_NUMBERS = (bool, int, float, complex)


class _Part(NamedTuple):
    """An argument: a NumPy array or a Tensor, or a number; and the dimensions of the result that it has."""

    value: Any
    dimensions: tuple[int, ...]
    # None for dense arguments: an array, a dense Tensor, or a number.
    format: Any = None

    @property
    def is_number(self) -> bool:
        return not getattr(self.value, "shape", ())

    @property
    def type(self) -> Any:
        """Its dtype; of a Python number, which is weak in promotion, the Python type."""
        return type(self.value) if type(self.value) in _NUMBERS else self.value.dtype


class _Plan(NamedTuple):
    """The computation on arguments of some kinds, without the dimensions along which they are repeated.

    `numbers` has the types of those that are numbers, else None.
    """

    statement: Statement
    format: Any
    numbers: tuple[np.dtype | None, ...]

    def run(self, values: Sequence[Any]) -> Any:
        from irtensor.tensors.wide_results import evaluate_wide

        operands = {
            # A number on a GPU stays there.
            name: value if dtype is None or _is_on_device(value) else _scalar_array(value, dtype)
            for name, value, dtype in zip("ABC", values, self.numbers, strict=False)
        }
        return evaluate_wide(self.statement, operands, self.format)


_plans: MemoryCache[tuple[Any, ...], _Plan] = MemoryCache()


def _key_of(value: Any) -> Any:
    """All of an argument that a plan depends on."""
    if type(value) in _NUMBERS:
        return type(value)
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype, value.shape
    return value.dtype, value.shape, value.format, value.has_indices


def elementwise(operator: str, *given: Any) -> Any:
    """`operator` of the given arguments, each broadcast to the common shape; NotImplemented for other types.

    The result is a Tensor in the format of the first sparse argument that has its shape, whose fill is the operator's
    value of the fills; where a dense array leaves no fill, it is an array. Raises UserError [extent-mismatch].
    """
    values = [as_argument(value) for value in given]
    if any(value is None for value in values):
        return NotImplemented
    key = (operator, *map(_key_of, values))
    if (plan := _plans[key]) is not None:
        return plan.run(values)
    shape = _common_shape([getattr(value, "shape", ()) for value in values])
    parts = [_fitted(value, shape) for value in values]
    types = _types(operator, parts)
    if all(part.format is None for part in parts):
        return _planned(key, values, parts, types, len(shape), None)
    formats = tuple(part.format for part in parts)
    if _fill_is_known(operator, tuple(types), formats):
        return _planned(key, values, parts, types, len(shape), _result_format(parts, shape))
    for part in parts:
        if part.is_number and _is_on_device(part.value):
            raise part.value.not_on_host("its value decides that of elements which are not stored")
    sparse = [part for part in parts if part.format is not None]
    if len(sparse) == 1 and all(part.is_number for part in parts if part is not sparse[0]):
        if not sparse[0].format.allows_duplicates:
            return _of_stored(operator, _as_arrays(parts, types), sparse[0].value)
    # Entries add up, then meet numbers that decide the fill of the result: these are written into the statement.
    parts = [
        _as_literal(part) if part.is_number else _cast(part, dtype) for part, dtype in zip(parts, types, strict=True)
    ]
    numbers = tuple(part.value if part.is_number else None for part in parts)
    known = _fill_is_known(operator, tuple(types), formats, tuple(map(_literal, numbers)))
    return _run(operator, parts, len(shape), _result_format(parts, shape) if known else None)


def _planned(
    key: tuple[Any, ...],
    values: Sequence[Any],
    parts: Sequence[_Part],
    types: Sequence[np.dtype],
    rank: int,
    format: Any,
) -> Any:
    """The operator of arguments, with numbers as operands of the kernel; what was found of their kinds is kept."""
    statement = _statement(key[0], rank, tuple(part.dimensions for part in parts), (None,) * len(parts))
    numbers = tuple(dtype if part.is_number else None for part, dtype in zip(parts, types, strict=True))
    plan = _Plan(statement, format, numbers)
    # A squeezed argument is made anew for each call.
    if all(part.value is value for part, value in zip(parts, values, strict=True)):
        _plans[key] = plan
    return plan.run([part.value for part in parts])


def as_argument(value: Any) -> Any:
    """A Python number as it is, a NumPy array or a Tensor; None for what takes no part in arithmetic."""
    if type(value) in _NUMBERS:
        return value
    # Expressions over index variables combine with tensors by themselves, as others that say so.
    cls = type(value)
    if getattr(cls, "takes_operators", False) or getattr(cls, "__array_ufunc__", False) is None:
        return None
    # SciPy's dok arrays are dictionaries.
    if isinstance(value, str | bytes | set) or type(value) is dict or value is None:
        return None
    try:
        operand: Any = as_operand(value)
    except UserError as error:
        if error.slug != "operand-on-device":
            raise
        load_for("cards")
        from irtensor.interop.device_operands import as_device_operand

        return as_device_operand(value, "an operand")
    if operand.shape:
        return operand
    return (operand if isinstance(operand, np.ndarray) else operand.to_numpy())[()]


def _common_shape(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    if len(set(shapes)) == 1:
        return shapes[0]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        message = f"shapes {' and '.join(map(str, [shape for shape in shapes if shape]))} do not broadcast"
        help = "extents are equal or 1, from the last dimension on"
        raise UserError("extent-mismatch", message, help=help) from None


def _fitted(value: Any, shape: tuple[int, ...]) -> _Part:
    """The value without the dimensions along which it is repeated."""
    own = getattr(value, "shape", ())
    if own == shape:
        return _Part(value, tuple(range(len(own))), _sparse_format(value))
    first = len(shape) - len(own)
    repeated = tuple(k for k, extent in enumerate(own) if extent != shape[first + k])
    if repeated:
        from irtensor.tensors.tensor_dimensions import without_dimensions

        value = value.squeeze(repeated) if isinstance(value, np.ndarray) else without_dimensions(value, repeated)
        value = value if value.shape else as_argument(value)
    return _Part(value, tuple(first + k for k in range(len(own)) if k not in repeated), _sparse_format(value))


def _sparse_format(value: Any) -> Any:
    format = getattr(value, "format", None)
    return None if format is None or format.is_dense else format


def _types(operator: str, parts: Sequence[_Part]) -> tuple[np.dtype, ...]:
    """In which types the operator computes; those of the arguments where it is not defined for them."""
    load_for("calls")
    load_for("expressions")
    from irtensor.frontend.operator_signatures import resolve_types

    wanted = [part.type for part in parts]
    if all(isinstance(one, type) for one in wanted):
        wanted = [np.asarray(part.value).dtype for part in parts]
    types = resolve_types(operator, wanted)
    # An error about them is raised where the statement is typed.
    return types[:-1] if types is not None else tuple(np.result_type(one) for one in wanted)


def _as_arrays(parts: Sequence[_Part], types: Sequence[np.dtype]) -> list[_Part]:
    """Numbers as operands of the kernel, in the type that the operator computes in."""
    return [
        part._replace(value=_scalar_array(part.value, dtype)) if part.is_number else part
        for part, dtype in zip(parts, types, strict=True)
    ]


def _is_on_device(number: Any) -> bool:
    return not isinstance(number, (np.ndarray, np.generic, *_NUMBERS))


def _scalar_array(number: Any, dtype: np.dtype) -> np.ndarray:
    try:
        with np.errstate(over="ignore"):
            return np.asarray(dtype.type(number))
    except OverflowError:
        raise UserError("number-too-large", f"{number} does not fit in {dtype}") from None


def _as_literal(part: _Part) -> _Part:
    return part if type(part.value) in _NUMBERS else part._replace(value=np.asarray(part.value).item())


def _cast(part: _Part, dtype: np.dtype) -> _Part:
    """An argument in the type that the operator computes in, beside which a literal has the value of the number."""
    if part.value.dtype == dtype:
        return part
    value = part.value.astype(dtype)
    return part._replace(value=value, format=_sparse_format(value))


def _literal(number: Any) -> Literal | None:
    return None if number is None else Literal(number)


@lru_cache(maxsize=1024)
def _fill_is_known(
    operator: str,
    types: tuple[np.dtype, ...],
    formats: tuple[Any, ...],
    numbers: tuple[Literal | None, ...] = (),
) -> bool:
    """Whether the value where nothing is stored follows from fills and literals, whatever is in dense operands."""
    from irtensor.frontend.kernel_request import OperandDescription
    from irtensor.frontend.promotion import type_statement
    from irtensor.frontend.result_fill import result_fill

    ranks = [0 if format is None else format.rank for format in formats]
    names = "ABC"[: len(types)]
    literals = numbers or (None,) * len(types)
    read = tuple(
        literal or Access(name, tuple(f"i{k}" for k in range(rank)))
        for name, rank, literal in zip(names, ranks, literals, strict=True)
    )
    described = {
        name: OperandDescription(dtype, rank, format)
        for name, dtype, rank, format in zip(names, types, ranks, formats, strict=True)
    }
    typed = type_statement(Statement(Access("result"), None, Apply(operator, read)), described)
    return result_fill(typed, described) is not None


def _of_stored(operator: str, parts: Sequence[_Part], tensor: Any) -> Any:
    """The operator of what a tensor stores and numbers, and of its fill value and these, which then is the result's."""

    def applied(value: np.ndarray) -> Any:
        dimensions = tuple(range(value.ndim))
        own = [_Part(value, dimensions) if part.value is tensor else part for part in parts]
        return _run(operator, own, value.ndim, None)

    fill = applied(np.asarray(tensor.fill_value))
    format = tensor.format.with_values.with_fill(fill.item())
    return of_arrays(type(tensor), tensor.shape, format, tensor.levels, applied(tensor.values))


def _result_format(parts: Sequence[_Part], shape: tuple[int, ...]) -> Any:
    """Without its fill, which follows from the statement."""
    from irtensor.tensors.wide_results import read_formats

    sparse = [part for part in parts if part.format is not None]
    stored = next((part.format for part in sparse if len(part.dimensions) == len(shape)), None)
    if stored is not None and sum(1 for part in parts if part.dimensions) > 1:
        # Other operands may change what has a structure.
        stored = stored.unstructured
    return _plain_format(stored, shape, read_formats([part.value for part in sparse]))


@lru_cache(maxsize=1024)
def _plain_format(stored: Any, shape: tuple[int, ...], read: tuple[Any, ...]) -> Any:
    from irtensor.named_formats import CSF
    from irtensor.tensors.wide_results import wide_enough

    plain = CSF(len(shape)) if stored is None else stored.with_mirrors.with_values.with_fill(None)
    return wide_enough(plain, shape, read)


def _run(operator: str, parts: Sequence[_Part], rank: int, format: Any) -> Any:
    from irtensor.tensors.wide_results import evaluate_wide

    numbers = tuple(Literal(part.value) if type(part.value) in _NUMBERS else None for part in parts)
    statement = _statement(operator, rank, tuple(part.dimensions for part in parts), numbers)
    read = zip("ABC", parts, numbers, strict=False)
    return evaluate_wide(statement, {name: part.value for name, part, number in read if number is None}, format)


@lru_cache(maxsize=1024)
def _statement(
    operator: str, rank: int, dimensions: tuple[tuple[int, ...], ...], numbers: tuple[Literal | None, ...]
) -> Statement:
    arguments = tuple(
        number or Access(name, tuple(f"i{dimension}" for dimension in own))
        for name, own, number in zip("ABC", dimensions, numbers, strict=False)
    )
    return Statement(Access("result", tuple(f"i{k}" for k in range(rank))), None, Apply(operator, arguments))
