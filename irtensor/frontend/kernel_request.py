"""What `einsum` and statements ask the compiler for: a statement, descriptions of its operands, and a result format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from irtensor.frontend.expression_tree import Statement

if TYPE_CHECKING:
    from irtensor.api.schedule import Schedule
    from irtensor.core.tensor_format import TensorFormat
    from irtensor.frontend.bind_extents import WideIndices
    from irtensor.frontend.user_operator import UserOperator

# The function of a module that is the kernel.
KERNEL_NAME = "kernel"


class OperandDescription(NamedTuple):
    """An operand without its data. `format` None is a dense row-major array, fill 0.

    `read_as` converts each value when it is read, before any operator sees it (einsum computes in one dtype).
    `entries_of` is the number of an operand before it that has entries at the same coordinates, if that is known.
    """

    dtype: np.dtype
    rank: int
    format: TensorFormat | None = None
    read_as: np.dtype | None = None
    entries_of: int | None = None


@dataclass(frozen=True)
class NonemptyRange:
    """An index that has to have a coordinate: dimension `dimension` of operand number `operand` is its extent.

    `reduction` is the number of the reduction over it in the statement, outermost first, from left to right;
    `is_result` says that the result is just what it gives.
    """

    operand: int
    dimension: int
    index: str
    operator: str
    identity: str
    fill: str
    reduction: int
    is_result: bool


class CompiledStatement(Protocol):
    """A compiled kernel. `argument_names` gives the order of `operands`: tensors by first appearance in the statement.
    `result_dtype` follows from the statement and the operands' dtypes. `warnings` are about a result that is full.

    Operands without a format are C-contiguous native arrays of the described dtype and rank; the others are Tensors of
    exactly the described format. `out`, for dense results only, is a C-contiguous writeable array of the result's shape
    and dtype that shares no memory with an operand; the kernel overwrites it and returns it.
    """

    argument_names: tuple[str, ...]
    result_dtype: np.dtype
    warnings: tuple[str, ...]

    def __call__(self, operands: Sequence[Any], out: np.ndarray | None = None) -> Any: ...


class CompileStatement(Protocol):
    """Compiles a statement with explicit reductions; equal requests may return the same kernel."""

    def __call__(
        self,
        statement: Statement,
        operands: Mapping[str, OperandDescription],
        result_format: TensorFormat | None = None,
        *,
        operators: tuple[UserOperator, ...] = (),
        convert: bool = True,
        options: Mapping[str, Any] | None = None,
        schedule: Schedule | None = None,
        wide: WideIndices | None = None,
        result_dtype: np.dtype | None = None,
    ) -> CompiledStatement: ...
