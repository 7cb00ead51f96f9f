"""`einsum` of operands on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from irtensor.api.einsum_request import check_options, check_scheduled, choose_compiler, einsum_request, plan_einsum
from irtensor.compiler.device.given_device_result import write_into
from irtensor.core.diagnostics import UserError
from irtensor.frontend.arguments import as_flag
from irtensor.frontend.einsum.contraction_order import normalize_optimize
from irtensor.frontend.einsum.einsum_plan import EinsumPlan
from irtensor.frontend.einsum.einsum_types import read_dtype
from irtensor.frontend.einsum.result_layout import normalize_order
from irtensor.frontend.parts.kernel_steps import run_steps
from irtensor.interop.device_operands import as_device_operand, format_of, is_device_operand, on_host
from irtensor.memory_cache import MemoryCache, code_of
from irtensor.options import current_kernel_key, current_options
from irtensor.storage.stored_device_array import StoredDeviceArray, make_device_array
from irtensor.tensors.device_evaluation import TARGET


class _Planned(NamedTuple):
    """The plan of a call, and the shapes that its kernels read operands in, without the extents that broadcast."""

    plan: EinsumPlan
    shapes: tuple[tuple[int, ...], ...]


_plans: MemoryCache[Any, _Planned] = MemoryCache(lambda known: code_of(*[step.kernel for step in known.plan.steps]))


def einsum_on_device(
    subscripts: Any, given: Sequence[Any], out: Any, choices: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """`einsum` of operands, some of them on a GPU; `choices` are its keywords from `dtype` to `exact`.

    Raises UserError: [operand-on-host] where others are not, [cuda-conversion] for what NumPy would convert before or
    after it computes.
    """
    operands = [as_device_operand(operand, f"operand {number}") for number, operand in enumerate(given)]
    if options.get("target") not in (None, "cuda"):
        message = f"operand {_first_on_device(given)} is on a GPU, and target={options['target']!r} computes on the CPU"
        raise UserError("operand-on-device", message, help="copy it: .to_numpy() or .to_host(), or omit target=")
    target = None if out is None else as_device_operand(out, "out")
    if target is not None and not isinstance(target, StoredDeviceArray):
        raise on_host(out, "out")
    known = _planned(subscripts, operands, target, choices, options)
    result = _run(known, operands, target)
    return result if out is None else out


def _first_on_device(given: Sequence[Any]) -> int:
    return next(number for number, operand in enumerate(given) if is_device_operand(operand))


def _planned(
    subscripts: Any, operands: Sequence[Any], out: Any, choices: tuple[Any, ...], options: dict[str, Any]
) -> _Planned:
    dtype, order, casting, optimize, format, semiring, convert, schedule, tune, exact = choices
    dtype = None if dtype is None else read_dtype(dtype)
    chosen = normalize_optimize(optimize) or False
    first = {id(operand): number for number, operand in reversed(list(enumerate(operands)))}
    seen = [(first[id(operand)], operand.shape, operand.dtype, format_of(operand)) for operand in operands]
    taken = None if out is None else (out.shape, out.dtype)
    order = "C" if normalize_order(order) in "CAK" else "F"
    settings = _settings_key(options)
    key = (str(subscripts), *seen, taken, dtype, order, casting, chosen, format, semiring, schedule, tune, settings)
    key = (*key, as_flag("convert=", convert), as_flag("exact=", exact))
    known = _plans[key]
    if known is None:
        _check_duplicates(operands, semiring)
        arrays = [_stand_in(operand) for operand in operands]
        in_pairs = chosen is not False and len(operands) > 2
        compiler, steps = choose_compiler(schedule, tune, convert, {**options, **TARGET}, in_pairs=in_pairs)
        given_out = None if out is None else _stand_in(out)
        parts = (given_out, dtype, order, casting, chosen, format, semiring, exact)
        plan = plan_einsum(einsum_request(subscripts, *parts, gives_view=False), arrays, compiler)
        check_scheduled(steps, plan)
        _refuse_conversions(plan, arrays)
        known = _plans[key] = _Planned(plan, tuple(_read_shape(plan, k, array) for k, array in enumerate(arrays)))
    return known


def _settings_key(options: dict[str, Any]) -> tuple[Any, ...]:
    """What kernels depend on of the settings. Most calls give none, and have no time to read them."""
    if not options:
        return current_kernel_key()
    check_options(options)
    return current_options(**{**options, **TARGET}).kernel_key()


def _stand_in(operand: Any) -> Any:
    """What a plan is made of, in place of an array of a GPU: an array of NumPy without elements that can be read."""
    if not isinstance(operand, StoredDeviceArray):
        return operand
    strides = np.cumprod((operand.dtype.itemsize, *operand.shape[:0:-1]))[::-1]
    return as_strided(np.empty(1, operand.dtype), operand.shape, strides[: operand.ndim])


def _check_duplicates(operands: Sequence[Any], semiring: Any) -> None:
    """Raise UserError [cuda-conversion] for entries that the host would have to combine for a semiring."""
    if semiring is None or getattr(semiring, "addition", None) == "add":
        return
    for number, operand in enumerate(operands):
        format = format_of(operand)
        if format is not None and format.allows_duplicates:
            message = f"operand {number}, stored {format}, may store an element twice, which the host combines"
            help = "store it in a format without duplicates on the host: .to_host().to_format('csr').to_device()"
            raise UserError("cuda-conversion", message, help=help)


def _refuse_conversions(plan: EinsumPlan, arrays: Sequence[Any]) -> None:
    """Raise UserError [cuda-conversion] for what NumPy does beside the kernels, but for other shapes."""
    for number, (operand, array) in enumerate(zip(plan.operands, arrays, strict=True)):
        if operand.description.dtype != array.dtype:
            message = f"operand {number} of dtype {array.dtype} would have to be converted to {plan.compute_dtype}"
            raise UserError("cuda-conversion", message, help="convert it first, or give all operands one dtype")
    if plan.compute_dtype != plan.result_dtype:
        message = f"the result would be computed in {plan.compute_dtype}, and converted to {plan.result_dtype}"
        raise UserError("cuda-conversion", message, help="omit dtype=, or convert the operands first")
    if plan.dimensions != tuple(range(len(plan.dimensions))):
        message = "a result in column-major order would be a transposed view, and a DeviceArray has none"
        raise UserError("cuda-conversion", message, help="omit order=, or swap the labels of the result")


def _read_shape(plan: EinsumPlan, number: int, array: Any) -> tuple[int, ...]:
    """The shape in which the kernels read an operand: what broadcasts is not in it."""
    prepare = plan.operands[number].prepare
    return tuple(array.shape if prepare is None or not isinstance(array, np.ndarray) else prepare(array).shape)


def _run(known: _Planned, operands: Sequence[Any], out: StoredDeviceArray | None) -> Any:
    plan = known.plan
    current: list[Any] = [
        make_device_array(shape, operand.dtype, operand.memory) if isinstance(operand, StoredDeviceArray) else operand
        for operand, shape in zip(operands, known.shapes, strict=True)
    ]
    run = partial(run_steps, plan.steps, current, plan.shape)
    if out is None:
        return run(None)
    write_into(out, plan.shape, plan.result_dtype, operands, run)
    return out
