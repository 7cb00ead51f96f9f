"""The signature of a kernel, which a call needs beside the code: names, conversions, result. It is stored as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import Any, NamedTuple

import numpy as np

from irtensor.compiler.device.team_by_size import LaneIterations
from irtensor.compiler.kernel.check_bounds import BoundExtent
from irtensor.core.argument_layout import KernelPurpose, tensor_arguments
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.kernel_request import NonemptyRange


class PassedTensor(NamedTuple):
    """One tensor argument of the code: which operand it is, and its format; None is a dense row-major array.

    Where `converted` is set, the operand comes in another format and is converted before the call. Where `is_pattern`
    is set as well, the argument is true where the operand has an entry. With `is_stored_part`, the operand is
    symmetric, and the argument is a tensor of its arrays, without the mirrors, which may be converted further.
    """

    operand: int
    rank: int
    format: TensorFormat | None
    converted: bool = False
    is_pattern: bool = False
    is_stored_part: bool = False

    @property
    def argument_count(self) -> int:
        return len(tensor_arguments(self.format or TensorFormat.dense(self.rank), False))


class ResultTensor(NamedTuple):
    """One tensor that the code writes; without a format it is a dense row-major array.

    `extents` has, for every dimension, the operand number and dimension that its extent is taken from.
    """

    dtype: np.dtype
    format: TensorFormat | None
    extents: tuple[tuple[int, int], ...]

    def shape(self, operands: Sequence[Any]) -> tuple[int, ...]:
        """The shape that it has for these operands."""
        extents = self.extents
        if len(extents) == 1:
            # Calls for vectors have the least time, and those for small matrices little.
            number, dimension = extents[0]
            return (operands[number].shape[dimension],)
        if len(extents) == 2:
            (number, dimension), (other, its) = extents
            return operands[number].shape[dimension], operands[other].shape[its]
        return tuple([operands[number].shape[dimension] for number, dimension in extents])


class KernelSignature(NamedTuple):
    """How a kernel is called.

    `operand_names` gives the order of operands, `passed` the tensors that the code takes, in its order, and `results`
    those that it writes. `nonempty` lists ranges of reductions that need a coordinate for a sparse result to be right,
    `bounds` what the kernel checks of the extents. `purpose` says which arrays of a sparse result the kernel writes.
    With `uses_threads` the code's last argument says which threads it may use, and where Ctrl-C is noted. `warnings`
    are what its user should be told, once. With `by_size`, operands may be so large that another schedule is better.
    `target` is what runs the kernel. `kernels` has those that the code launches on a GPU, by their
    numbers: the name, how many words each is passed, and how many threads a block has (see KernelShape).
    `lane_iterations` says how many iterations the threads of a team share, by the operands of a call.
    """

    operand_names: tuple[str, ...]
    passed: tuple[PassedTensor, ...]
    results: tuple[ResultTensor, ...]
    nonempty: tuple[NonemptyRange, ...] = ()
    purpose: KernelPurpose = "fused"
    uses_threads: bool = False
    bounds: tuple[BoundExtent, ...] = ()
    warnings: tuple[str, ...] = ()
    by_size: bool = False
    target: str = "cpu"
    kernels: tuple[tuple[str, int, int], ...] = ()
    lane_iterations: tuple[LaneIterations, ...] = ()

    @property
    def converts_operands(self) -> bool:
        """Whether a call has operands stored anew before the code runs."""
        return any(tensor.converted for tensor in self.passed)

    @property
    def argument_count(self) -> int:
        """Number of machine words the code takes."""
        formats = [result.format or TensorFormat.dense(len(result.extents)) for result in self.results]
        written = sum(len(tensor_arguments(format, True, self.purpose)) for format in formats)
        return sum(tensor.argument_count for tensor in self.passed) + written + self.uses_threads

    @property
    def result(self) -> ResultTensor:
        """The first result, the only one of a statement."""
        return self.results[0]

    def to_json(self) -> Any:
        return {
            "operands": list(self.operand_names),
            "passed": [[p.operand, p.rank, _format_text(p.format), *p[3:]] for p in self.passed],
            "results": [
                [r.dtype.str, _format_text(r.format), [list(pair) for pair in r.extents]] for r in self.results
            ],
            "nonempty": [list(astuple(needed)) for needed in self.nonempty],
            "purpose": self.purpose,
            "threads": self.uses_threads,
            "bounds": [list(bound) for bound in self.bounds],
            "warnings": list(self.warnings),
            "by_size": self.by_size,
            "target": self.target,
            "kernels": [list(kernel) for kernel in self.kernels],
            "lane_iterations": [list(one) for one in self.lane_iterations],
        }

    @staticmethod
    def from_json(data: Any) -> KernelSignature:
        return KernelSignature(
            tuple(data["operands"]),
            tuple(PassedTensor(n, rank, _read_format(text), *how) for n, rank, text, *how in data["passed"]),
            tuple(
                ResultTensor(np.dtype(dtype), _read_format(text), tuple((n, dimension) for n, dimension in extents))
                for dtype, text, extents in data["results"]
            ),
            tuple(NonemptyRange(*needed) for needed in data["nonempty"]),
            data["purpose"],
            data["threads"],
            tuple(BoundExtent(*bound) for bound in data["bounds"]),
            tuple(data["warnings"]),
            data["by_size"],
            data["target"],
            tuple((name, words, threads) for name, words, threads in data["kernels"]),
            tuple(LaneIterations(*one) for one in data["lane_iterations"]),
        )


def _format_text(format: TensorFormat | None) -> str | None:
    return None if format is None else str(format)


def _read_format(text: str | None) -> TensorFormat | None:
    return None if text is None else TensorFormat.parse(text)
