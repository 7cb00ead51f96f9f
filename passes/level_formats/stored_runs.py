"""Looplets of runs that are stored by their exclusive ends: what levels of runs share."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import RunOp, StepperOp, YieldOp
from irtensor.dialects.loop.loop_memory import LowerBoundOp, UpperBoundOp
from irtensor.dialects.support.create_operation import create_block, create_region
from irtensor.passes.level_formats.interface import Fiber
from irtensor.passes.support.emit import Emitter

_index = IndexType()

# The nest that a chunk has at a position.
Chunk = Callable[[Emitter, SSAValue], SSAValue]


def run_nest(
    emit: Emitter,
    fiber: Fiber,
    ends: SSAValue,
    begin: SSAValue,
    end: SSAValue,
    chunk: Chunk | None = None,
    stop: SSAValue | None = None,
) -> SSAValue:
    """Chunks up to each of the ends at positions [begin, end), and up to `stop`: by default the end of the fiber.

    Within a window, the last chunk ends with the window at the latest.

    `chunk` gives the nest of one, where that is not the same child at every coordinate.
    """
    load, inside = create_block((_index,)), create_block((_index, _index))
    inner = Emitter(load)
    last = inner.load_index(ends, load.args[0])
    inner.insert(YieldOp.of(last if fiber.window is None else inner.min(last, fiber.window[1])))
    inner = Emitter(inside)
    if chunk is None:
        nest = inner.insert(RunOp.of(fiber.child(inner, inside.args[0]))).result
    else:
        nest = chunk(inner, inside.args[0])
    inner.insert(YieldOp.of(nest))
    regions = create_region(load), create_region(inside)
    stepper = StepperOp.of(emit.cell(begin), end, stop or fiber.extent(emit), *regions, fiber.payload, {})
    return emit.insert(stepper).result


def first_run_after(emit: Emitter, ends: SSAValue, begin: SSAValue, end: SSAValue, coordinate: SSAValue) -> SSAValue:
    """The position in [begin, end) of the first run that ends after a coordinate, or `end`."""
    return emit.insert(UpperBoundOp.of(ends, begin, end, coordinate)).position


def runs_before(emit: Emitter, begins: SSAValue, begin: SSAValue, end: SSAValue, coordinate: SSAValue) -> SSAValue:
    """The position in [begin, end) of the first run that begins at a coordinate or after it, or `end`."""
    return emit.insert(LowerBoundOp.of(begins, begin, end, coordinate)).position


def end_of_last(emit: Emitter, fiber: Fiber, ends: SSAValue, begin: SSAValue, end: SSAValue) -> SSAValue:
    """Where the last of some runs or blocks ends, within the coordinates that matter, or where these begin."""
    stored = emit.compare("slt", begin, end)
    last = emit.load_index(ends, emit.select(stored, emit.sub(end, emit.index(1)), emit.index(0)))
    if fiber.window is None:
        return emit.select(stored, last, emit.index(0))
    return emit.select(stored, emit.min(last, fiber.window[1]), fiber.window[0])
