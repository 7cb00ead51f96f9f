"""What it takes to call the code of a kernel, apart from the code: names, conversions, result. Travels as JSON."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any, NamedTuple

import numpy as np

from irtensor.compiler.check_bounds import BoundExtent
from irtensor.dialects.argument_layout import KernelKind, tensor_arguments
from irtensor.dialects.tensor_format import TensorFormat
from irtensor.frontend.kernel_request import NonemptyRange


class PassedTensor(NamedTuple):
    """One tensor argument of the code: which operand it is, and its format; None is a dense row-major array.

    Where `converted` is set, the operand comes in another format and is converted before the call.
    """

    operand: int
    rank: int
    format: TensorFormat | None
    converted: bool = False

    @property
    def argument_count(self) -> int:
        return len(tensor_arguments(self.format or TensorFormat.dense(self.rank), False))


@dataclass(frozen=True)
class KernelSignature:
    """How a kernel is called.

    `operand_names` gives the order of operands, `passed` the tensors that the code takes, in its order. `extents` has,
    for every dimension of the result, the operand number and dimension that its extent is taken from. `nonempty` lists
    ranges of reductions that need a coordinate for a sparse result to be right, `bounds` what the kernel checks of the
    extents. `kind` says which arrays of a sparse result the kernel writes. With `uses_threads` the code's last argument
    says which threads it may use, and where Ctrl-C is noted. `warnings` are what its user should be told, once.
    """

    operand_names: tuple[str, ...]
    passed: tuple[PassedTensor, ...]
    result_dtype: np.dtype
    result_format: TensorFormat | None
    extents: tuple[tuple[int, int], ...]
    nonempty: tuple[NonemptyRange, ...] = ()
    kind: KernelKind = "fused"
    uses_threads: bool = False
    bounds: tuple[BoundExtent, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def argument_count(self) -> int:
        """Number of machine words the code takes."""
        result = self.result_format or TensorFormat.dense(len(self.extents))
        count = sum(tensor.argument_count for tensor in self.passed) + len(tensor_arguments(result, True, self.kind))
        return count + self.uses_threads

    def to_json(self) -> Any:
        return {
            "operands": list(self.operand_names),
            "passed": [[p.operand, p.rank, _format_text(p.format), p.converted] for p in self.passed],
            "dtype": self.result_dtype.str,
            "format": _format_text(self.result_format),
            "extents": [list(source) for source in self.extents],
            "nonempty": [list(astuple(needed)) for needed in self.nonempty],
            "kind": self.kind,
            "threads": self.uses_threads,
            "bounds": [list(bound) for bound in self.bounds],
            "warnings": list(self.warnings),
        }

    @staticmethod
    def from_json(data: Any) -> KernelSignature:
        return KernelSignature(
            tuple(data["operands"]),
            tuple(PassedTensor(n, rank, _read_format(text), converted) for n, rank, text, converted in data["passed"]),
            np.dtype(data["dtype"]),
            _read_format(data["format"]),
            tuple((operand, dimension) for operand, dimension in data["extents"]),
            tuple(NonemptyRange(*needed) for needed in data["nonempty"]),
            data["kind"],
            data["threads"],
            tuple(BoundExtent(*bound) for bound in data["bounds"]),
            tuple(data["warnings"]),
        )


def _format_text(format: TensorFormat | None) -> str | None:
    return None if format is None else str(format)


def _read_format(text: str | None) -> TensorFormat | None:
    return None if text is None else TensorFormat.parse(text)
