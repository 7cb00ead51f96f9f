"""Reads off a function's IR which operands say how many iterations the threads of a team share."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.func import FuncOp

from irtensor.compiler.compilation.kernel_signature import KernelSignature
from irtensor.compiler.device.team_by_size import LaneIterations
from irtensor.core.argument_layout import Argument, tensor_arguments
from irtensor.core.tensor_format import TensorFormat
from irtensor.passes.nvvm.support.lane_iterations import noted_lane_iterations


def read_lane_iterations(function: FuncOp, signature: KernelSignature) -> tuple[LaneIterations, ...]:
    """What says how many iterations the threads of a team share in a function that `spread-loops` has changed.

    Empty where nothing does that is known before the call.
    """
    known = list(_arguments(signature))
    found = [known[number] if number < len(known) else None for number in noted_lane_iterations(function)]
    return tuple(one for one in found if one is not None) if all(found) else ()


def _arguments(signature: KernelSignature) -> Iterator[LaneIterations | None]:
    """For each argument of the code, up to those of results' arrays, what it says of a number of iterations."""
    for tensor in signature.passed:
        format = tensor.format or TensorFormat.dense(tensor.rank)
        for argument in tensor_arguments(format, False):
            yield _said_by(argument, tensor.operand, format)
    for result in signature.results:
        format = result.format or TensorFormat.dense(len(result.extents))
        for argument in tensor_arguments(format, True, signature.purpose):
            if argument.role == "extent":
                operand, dimension = result.extents[argument.number]
                yield LaneIterations(operand, "extent", dimension)
            else:
                yield None


def _said_by(argument: Argument, operand: int, format: TensorFormat) -> LaneIterations | None:
    if argument.role == "extent":
        return LaneIterations(operand, "extent", argument.number)
    if argument.role == "positions" and format.levels[argument.number].format.properties.has_coordinates:
        return LaneIterations(operand, "positions", argument.number)
    return None
