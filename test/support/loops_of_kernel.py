"""Runs the loops of a statement in their interpreter, and counts the iterations."""

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
import pytest
from loop_machine import parse
from reference import interpret_loop
from reference.loop_memory import Growable
from xdsl.ir import Block

import irtensor as it
from irtensor.core.argument_layout import tensor_arguments
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.loop.loop import ForOp, WhileOp


class _Counter(interpret_loop.Interpreter):
    """Counts iterations of all loops."""

    counted = 0

    def run_block(self, block: Block) -> None:
        loop = block.parent_op()
        if isinstance(loop, ForOp | WhileOp) and block is loop.body.block:
            _Counter.counted += 1
        super().run_block(block)


def iterations(text: str, formats: Mapping[str, str], operands: Mapping[str, it.Tensor]) -> int:
    """How many iterations the loops of a kernel have; the result has the extents of the first operand."""
    kernel = it.compile(text, {**formats, **{name: one.format for name, one in operands.items()}}, num_threads=1)
    shape = next(iter(operands.values())).shape
    arguments: list[Any] = []
    for one in operands.values():
        arguments += [*one.shape, *(array if array.size else np.zeros(1, array.dtype) for array in one.buffers())]
    format = (
        TensorFormat.parse(formats[text[0]])
        if text[0] in formats
        else TensorFormat.dense(text.startswith(text[0] + "["))
    )
    for kind, number, grows, array in tensor_arguments(format, is_result=True):
        if kind == "extent":
            arguments.append(shape[number])
        else:
            dtype = np.dtype("f8" if array is None else "i8")
            length = prod(shape[: format.rank]) if array is None else array.static_length(1)
            arguments.append(Growable(dtype) if grows else np.zeros(length, dtype))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interpret_loop, "Interpreter", _Counter)
        _Counter.counted = 0
        assert interpret_loop.interpret_loop(parse(kernel.ir("loop")), "kernel", arguments) == 0
    return _Counter.counted
