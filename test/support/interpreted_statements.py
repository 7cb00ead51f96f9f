"""Statements lowered by given passes, and run by the interpreter of loops over tensors and arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from reference.interpret_loop import Order, from_both_ends, interpret_loop
from reference.loop_memory import Growable
from xdsl.context import Context

from irtensor.core.argument_layout import tensor_arguments
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.build_index_notation import IndexNotation, build_index_notation
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions
from irtensor.passes import get_all_passes
from irtensor.storage.level_storage import LevelStorage
from irtensor.tensors.tensor import Tensor

Array = np.ndarray[Any, Any]
_DTYPES = {"positions": "i8", "coordinates": "i8", "flags": "?"}


def lowered(
    notation: str,
    operands: Mapping[str, Tensor | Array],
    result: TensorFormat | None,
    passes: Sequence[str],
    options: Mapping[str, Mapping[str, Any]] = {},
) -> IndexNotation:
    """The statement after the passes, for operands as they are stored, and a result in a format or as an array.

    `options` are those of passes, by their names.
    """
    described = {n: OperandDescription(t.dtype, t.ndim, getattr(t, "format", None)) for n, t in operands.items()}
    request = build_index_notation(insert_reductions(parse_statement(notation)), described, result)
    for name in passes:
        get_all_passes()[name]()(**options.get(name, {})).apply(Context(), request.module)
    request.module.verify()
    return request


def interpret(
    request: IndexNotation,
    operands: Mapping[str, Tensor | Array],
    shape: tuple[int, ...],
    result: TensorFormat | None = None,
    order: Order = from_both_ends,
) -> Tensor | Array:
    """The result, of this shape and of elements of f64. Raises what `interpret_loop` does."""
    arguments: list[object] = []
    for name in request.argument_names:
        operand = operands[name]
        arrays = operand.buffers() if isinstance(operand, Tensor) else [operand.reshape(-1)]
        # Every array that a kernel is given has a readable element 0.
        arguments += [*operand.shape, *(a if a.size else np.zeros(1, a.dtype) for a in arrays)]
    if result is None:
        array = np.full(shape, np.nan)
        assert interpret_loop(request.module, "kernel", [*arguments, *shape, array.reshape(-1)], order) == 0
        return array
    extents = [level.expression.extent(shape) for level in result.levels]
    made: list[dict[str, Array | Growable]] = [{} for _ in (*result.levels, None)]
    for kind, number, grows, _ in tensor_arguments(result, is_result=True):
        if kind == "extent":
            arguments.append(shape[number])
            continue
        dtype = np.dtype(_DTYPES.get(kind, "f8"))
        length = prod(extents[: number + (kind == "flags")]) + (kind == "positions")
        made[number][kind] = Growable(dtype) if grows else np.zeros(length, dtype)
        arguments.append(made[number][kind])
    assert interpret_loop(request.module, "kernel", arguments, order) == 0
    arrays = [{kind: a.contents if isinstance(a, Growable) else a for kind, a in level.items()} for level in made]
    values = arrays.pop()["values"]
    return Tensor.from_buffers(shape, result, tuple(LevelStorage(**level) for level in arrays), values)
