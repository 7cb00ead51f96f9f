"""Runs statements in the interpreter of loops, and counts what they execute."""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, TypeVar

import numpy as np
from reference import interpret_loop
from reference.loop_memory import Growable
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

import irtensor as it
from irtensor.api.schedule import Schedule
from irtensor.compiler.compilation.lower_module import lower_module
from irtensor.compiler.compilation.pipeline_choices import PipelineChoices
from irtensor.core.argument_layout import tensor_arguments
from irtensor.dialects.concrete_index.concrete_index import ComputeOp
from irtensor.dialects.storage.storage import format_of
from irtensor.options import current_options
from irtensor.passes import get_all_passes
from irtensor.passes.repairs.insert_conversions import converted_operands
from irtensor.passes.support.operations_in import operations_in
from irtensor.storage.level_storage import LevelStorage

_Found = TypeVar("_Found")


class Counter(interpret_loop.Interpreter):
    """Counts operations, and the elements that one fills or copies."""

    executed = 0

    def run(self, op: Operation) -> None:
        Counter.executed += 1
        if op.name == "loop.fill":
            Counter.executed += max(0, int(self.get(op, 3)) - int(self.get(op, 2)))
        elif op.name == "loop.copy":
            Counter.executed += int(self.get(op, 4))
        super().run(op)


def executed(
    module: ModuleOp,
    names: Sequence[str],
    arrays: Mapping[str, np.ndarray],
    shape: tuple[int, ...],
    schedule: Schedule | None = None,
    passes: Sequence[str] = ("lower-algebra-to-arith",),
) -> tuple[np.ndarray, int]:
    """The result of a kernel at `concrete_index` as an array, and how many operations it took after `passes` on loops.

    Operands that are converted come converted: that is not counted. The interpreter of the test has to be `Counter`.
    """

    def run(arguments: list[Any]) -> int:
        Counter.executed = 0
        assert interpret_loop.interpret_loop(module, "kernel", arguments) == 0
        return Counter.executed

    return run_kernel(module, names, arrays, shape, run, schedule, passes)


def run_kernel(
    module: ModuleOp,
    names: Sequence[str],
    arrays: Mapping[str, np.ndarray],
    shape: tuple[int, ...],
    run: Callable[[list[Any]], _Found],
    schedule: Schedule | None = None,
    passes: Sequence[str] = ("lower-algebra-to-arith",),
) -> tuple[np.ndarray, _Found]:
    """The same, and what `run` gives for the arguments of the kernel."""
    function = next(op for op in module.ops if isinstance(op, FuncOp))
    arguments: list[Any] = []
    for argument, source in zip(function.body.block.args, converted_operands(function), strict=True):
        array = arrays[names[source] if source is not None else str(argument.name_hint)]
        tensor = it.Tensor.from_numpy(array, format_of(argument.type))
        # Every array that a kernel is given has a readable element 0.
        arguments += [*tensor.shape, *(a if a.size else np.zeros(1, a.dtype) for a in tensor.buffers())]
    (compute,) = operations_in(module, ComputeOp)
    format = format_of(compute.result.type)
    made: dict[tuple[str, int], np.ndarray | Growable] = {}
    for kind, number, grows, _ in tensor_arguments(format, is_result=True):
        if kind != "extent":
            dtype = np.dtype({"positions": "i8", "coordinates": "i8", "values": "f8"}[kind])
            extents = [format.level_extent(level, shape) for level in range(number)]
            length = prod(extents) + (kind == "positions")
            made[kind, number] = Growable(dtype) if grows else np.zeros(length, dtype)
        arguments.append(shape[number] if kind == "extent" else made[kind, number])
    choices = PipelineChoices.of(True, current_options(num_threads=1), schedule=schedule)
    lower_module(module, "concrete_index", "loop", choices=choices)
    for name in passes:
        get_all_passes()[name]()().apply(Context(), module)
    found = run(arguments)
    contents = {key: a.contents if isinstance(a, Growable) else a for key, a in made.items()}
    values = contents.pop(("values", len(format.levels)))
    levels = [{k: a for (k, n), a in contents.items() if n == number} for number in range(len(format.levels))]
    result = it.Tensor.from_buffers(shape, format, tuple(LevelStorage(**level) for level in levels), values)
    return result.to_numpy(), found
