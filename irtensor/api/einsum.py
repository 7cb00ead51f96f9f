"""`einsum` with NumPy's exact rules over NumPy arrays, SciPy sparse arrays and irtensor tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from irtensor.api.einsum_request import (
    check_scheduled,
    choose_compiler,
    einsum_request,
    may_split_up,
    plan_einsum,
    split_operands,
)
from irtensor.compiler.kernel.given_result import shares_memory
from irtensor.core.diagnostics import UserError
from irtensor.frontend.arguments import as_flag, is_word
from irtensor.frontend.einsum.contraction_order import normalize_optimize
from irtensor.frontend.einsum.einsum_plan import EinsumPlan
from irtensor.frontend.einsum.einsum_types import read_dtype
from irtensor.frontend.kernel_request import CompiledStatement
from irtensor.frontend.notation.notation_errors import UserTypeError
from irtensor.frontend.parts.kernel_steps import run_steps
from irtensor.interop.as_operand import as_operand
from irtensor.late_imports import load_for
from irtensor.memory_cache import MemoryCache, code_of
from irtensor.storage.entries_about import entries_about

if TYPE_CHECKING:
    from irtensor.api.schedule import Schedule
    from irtensor.core.tensor_format import TensorFormat
    from irtensor.semirings import Semiring

_Known = tuple[EinsumPlan, "CompiledStatement | None", tuple[int, ...]]
# Plans by the signature of the call: a hit parses nothing and builds no IR; with each, what `_only_kernel` says of it.
_plans: MemoryCache[Any, _Known] = MemoryCache(lambda known: code_of(*[step.kernel for step in known[0].steps]))


def einsum(
    *operands: Any,
    out: np.ndarray | None = None,
    dtype: Any = None,
    order: str | None = "K",
    casting: str = "safe",
    optimize: Any = None,
    format: TensorFormat | str | Any | None = None,
    semiring: Semiring | None = None,
    convert: bool = True,
    schedule: Schedule | Literal["auto"] | None = None,
    tune: Literal["operands", "samples", "format"] | None = None,
    exact: bool = False,
    **options: Any,
) -> Any:
    """Sums of products of tensors, by the rules of `numpy.einsum`, for sparse and dense operands.

    `einsum("ij,j->i", A, x)` or `einsum(A, [0, 1], x, [1], [0])`. Operands are NumPy arrays (or what becomes one),
    arrays of SciPy and pydata/sparse, and Tensors. The result is a NumPy array or scalar, with `format` a Tensor. A
    single operand without a summed label gives a view. Labels may be any letters. Elements are bool (sums are `or`,
    products `and`), integers, float16 to float64, complex64 and complex128. Operands on a GPU are computed with there:
    all have to be on it, and so is the result, a DeviceArray or with `format` a Tensor.

    Products of two dense operands of floats or complex numbers are computed by NumPy's BLAS: see docs/planning.md.

    - `format`: how the result is stored. Without it the result is dense.
    - `out`, `dtype`, `order` and `casting` mean what they mean to NumPy.
    - `optimize`: False computes everything in one kernel. True, a strategy of opt_einsum such as "greedy" or
      "optimal", or a path as `einsum_path` gives it contracts more than two operands in pairs. Without it, that is
      chosen by the sizes of operands and results between two kernels, see `einsum_path`. Such a result is sparse
      where all that it is made of is, and takes at most 256 MB or what operands and result take together.
    - `semiring`: other operators than sum and product, such as irtensor.MIN_PLUS. What a sparse operand does not
      store is the semiring's zero. What it stores several times for one element is combined by the semiring's
      addition.
    - `convert`: whether operands may be converted where their storage orders contradict each other. If not, that is
      an error.
    - `schedule`: made by `irtensor.schedule()`, it rearranges the loops. Its steps call operands operand0, operand1,
      ...
    - `tune`: kernels are measured and the fastest schedule, or with "format" format of each operand, is taken, as by
      `compile`.
    - `exact`: whether what sparse operands do not store is multiplied as well: 0 times infinity is NaN, as for NumPy.
    - `options`: the keywords of docs/settings.md: num_threads, strict_fp, deterministic, gallop, verify,
      disk_cache, cache_dir.

    Dimensions of one label have the same extent; an extent of 1 broadcasts. The result has the extents of its labels.
    Raises UserError, which is a ValueError (also a TypeError where NumPy raises one), and points into the subscripts:
    [bad-subscripts], [operand-count], [extent-mismatch], [unsupported-dtype], [bad-cast], [loop-order-cycle] and more.

    >>> A = it.Tensor.from_coo([[0, 1], [2, 0]], [5.0, 7.0], shape=(2, 3), format="csr")
    >>> it.einsum("ij,j->i", A, np.array([1.0, 10.0, 100.0]))
    array([500.,   7.])
    >>> it.einsum("ij,kj->ik", A, A, format="csr").nnz
    2
    """
    subscripts, given = split_operands(operands)
    if semiring is not None:
        load_for("calls")
        from irtensor.tensors.duplicates import with_combined_duplicates

        given = [with_combined_duplicates(operand, semiring) for operand in given]
    arrays = _of_host(given)
    if arrays is None or is_word(tune, "format"):
        choices = (dtype, order, casting, optimize, format, semiring, convert, schedule, tune, exact)
        return _elsewhere(subscripts, given, arrays, out, choices, options)
    if out is not None and not isinstance(out, np.ndarray):
        raise UserTypeError("bad-argument", f"out must be a NumPy array, got {type(out).__name__}")
    chosen, convert = normalize_optimize(optimize), as_flag("convert=", convert)
    if dtype is not None and not isinstance(dtype, type | str | np.dtype):
        dtype = read_dtype(dtype)  # that of an array, which may have no hash
    key = (
        subscripts,
        *[_signature(array, arrays) for array in arrays],
        dtype,
        None if out is None else out.dtype,
        order,
        casting,
        chosen,
        None if chosen is not None or len(arrays) < 3 else _entries(arrays),
        format,
        semiring,
        convert,
        schedule,
        tune,
        exact,
        tuple(options.items()) if options else None,
    )
    try:
        known = _plans[key]
    except TypeError:
        # Arguments that have no hash are wrong, which is said below.
        known = None
    if known is None:
        choices = (dtype, order, casting, chosen, format, semiring, exact)
        known = _plans[key] = _planned(subscripts, arrays, out, choices, (schedule, tune, convert, options))
    plan, kernel, order_of_arguments = known
    if kernel is None or out is not None:
        return _run(plan, arrays, out)
    result = kernel([arrays[position] for position in order_of_arguments], None)
    if type(result) is not np.ndarray:
        return result
    if not plan.is_dense:
        from irtensor.storage.make_tensors import as_stored_tensor

        return as_stored_tensor(result)
    return result if result.ndim else result[()]


def _elsewhere(
    subscripts: Any, given: Sequence[Any], arrays: list[Any] | None, out: Any, choices: tuple[Any, ...], options: Any
) -> Any:
    """The result of a call for operands on a GPU, without `arrays`, or for copies of operands."""
    if arrays is None:
        load_for("cards")
        from irtensor.api.device_einsum import einsum_on_device

        return einsum_on_device(subscripts, given, out, choices, options)
    load_for("tuning")
    from irtensor.api.einsum_formats import einsum_in_formats

    return einsum_in_formats(einsum, subscripts, given, arrays, out, choices, options)


def _planned(
    subscripts: Any, arrays: Sequence[Any], out: np.ndarray | None, choices: tuple[Any, ...], asked: tuple[Any, ...]
) -> _Known:
    """The plan of a call; `asked` is `schedule`, `tune`, `convert` and `options`."""
    dtype, order, casting, chosen, format, semiring, exact = choices
    schedule, tune, convert, options = asked
    in_pairs = chosen not in (None, False) and len(arrays) > 2
    may_split = len(arrays) > 2 and may_split_up(schedule, tune, convert, options)
    compiler, schedule = choose_compiler(schedule, tune, convert, options, in_pairs=in_pairs)
    parts = (out, dtype, order, casting, chosen, format, semiring, exact)
    plan = plan_einsum(einsum_request(subscripts, *parts, may_split=may_split), arrays, compiler)
    check_scheduled(schedule, plan)
    return plan, *_only_kernel(plan)


def _of_host(given: Sequence[Any]) -> list[Any] | None:
    """The operands of a call, None if some are on a GPU."""
    try:
        return [as_operand(operand) for operand in given]
    except UserError as error:
        if error.slug != "operand-on-device":
            raise
    return None


def _only_kernel(plan: EinsumPlan) -> tuple[CompiledStatement | None, tuple[int, ...]]:
    """The kernel that is all there is to a plan, and the order of its operands; None where more is to be done."""
    if plan.view is not None or len(plan.steps) != 1 or any(operand.prepare for operand in plan.operands):
        return None, ()
    step = plan.steps[0]
    is_transposed = plan.is_dense and plan.dimensions != tuple(range(len(plan.dimensions)))
    if is_transposed or plan.compute_dtype != plan.result_dtype:
        return None, ()
    return step.kernel, step.arguments


def _entries(operands: Sequence[Any]) -> tuple[int, ...]:
    """How many entries sparse operands have, as numbers of binary digits."""
    return tuple([entries_about(operand).bit_length() for operand in operands if type(operand) is not np.ndarray])


def _signature(operand: Any, operands: Sequence[Any]) -> tuple[Any, ...]:
    """Everything of an operand that a plan depends on; which earlier operand it is, if it is given twice."""
    first = 0
    while operands[first] is not operand:
        first += 1
    if isinstance(operand, np.ndarray):
        flags = operand.flags
        layout = None if flags.c_contiguous and flags.aligned else (operand.strides, flags.aligned)
        return (first, operand.shape, operand.dtype, layout)
    return (first, operand.shape, operand.dtype, operand.format)


def _run(plan: EinsumPlan, arrays: list[Any], out: np.ndarray | None) -> Any:
    if plan.view is not None:
        view = plan.view(arrays[0])
        return view if plan.shape else view[()]
    if out is not None:
        _check_out(out, plan.shape)
    current = [
        array if operand.prepare is None else operand.prepare(array)
        for array, operand in zip(arrays, plan.operands, strict=True)
    ]
    target = _direct_target(plan, current, out)
    result = run_steps(plan.steps, current, plan.shape, target)
    if plan.exactly is not None and np.isnan(result).any():
        result = run_steps(plan.exactly(), current, plan.shape, target)
    return _finish(plan, result, out, written=target is not None)


def _check_out(out: np.ndarray, shape: tuple[int, ...]) -> None:
    if out.ndim != len(shape):
        raise UserError("bad-argument", f"out has {out.ndim} dimensions, the result has {len(shape)}")
    if any(extent not in (1, given) for extent, given in zip(shape, out.shape, strict=True)):
        raise UserError("bad-argument", f"out has shape {out.shape}, the result has shape {shape}")
    if not out.flags.writeable:
        raise UserError("bad-argument", "out is read-only")


def _direct_target(plan: EinsumPlan, operands: Sequence[Any], out: np.ndarray | None) -> np.ndarray | None:
    """`out` as the last kernel may write it, in the kernel's layout; None if its values must be copied afterwards."""
    if out is None or out.dtype != plan.result_dtype or not out.dtype.isnative or out.shape != plan.shape:
        return None
    if plan.compute_dtype != plan.result_dtype:
        return None
    target = out.transpose(plan.dimensions)
    if not target.flags.c_contiguous or not target.flags.aligned:
        return None
    return None if shares_memory(target, operands) else target


def _finish(plan: EinsumPlan, result: Any, out: np.ndarray | None, written: bool) -> Any:
    if not plan.is_dense:
        from irtensor.storage.make_tensors import as_stored_tensor

        tensor = as_stored_tensor(result)
        return tensor if plan.compute_dtype == plan.result_dtype else tensor.astype(plan.result_dtype)
    if written:
        return out
    if plan.compute_dtype != plan.result_dtype:
        result = result.astype(plan.result_dtype)
    dimensions = plan.dimensions
    if dimensions != tuple(range(len(dimensions))):
        result = result.transpose(np.argsort(dimensions))
    if out is not None:
        out[...] = result.astype(out.dtype, copy=False)
        return out
    return result if plan.shape else result[()]


def clear_plans() -> None:
    """Forget every plan, and with them the kernels that only they hold."""
    _plans.clear()
