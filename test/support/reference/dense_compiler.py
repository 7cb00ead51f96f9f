"""A stand-in for the compiler that evaluates every statement with the dense oracle; for tests of the front doors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from reference.evaluate_dense import evaluate_dense

from irtensor.frontend.expression_tree import Statement, tensor_names
from irtensor.frontend.kernel_request import OperandDescription

if TYPE_CHECKING:
    from irtensor.core.tensor_format import TensorFormat
    from irtensor.frontend.bind_extents import WideIndices


@dataclass(frozen=True)
class DenseKernel:
    """A CompiledStatement (irtensor.frontend.kernel_request) that densifies its operands and asks the oracle."""

    statement: Statement
    argument_names: tuple[str, ...]
    operands: Mapping[str, OperandDescription]
    result_format: TensorFormat | None
    result_dtype: np.dtype
    warnings: tuple[str, ...] = ()

    def __call__(self, operands: Sequence[Any], out: np.ndarray | None = None) -> Any:
        result = self.evaluate(operands)
        if self.result_format is not None:
            from irtensor.tensors.tensor import Tensor

            return Tensor.from_numpy(result, self.result_format)
        if out is None:
            return result
        assert out.shape == result.shape and out.dtype == result.dtype and out.flags.c_contiguous
        out[...] = result
        return out

    def evaluate(self, operands: Sequence[Any]) -> np.ndarray:
        arrays: dict[str, np.ndarray] = {}
        for name, operand in zip(self.argument_names, operands, strict=True):
            description = self.operands[name]
            _check_operand(name, operand, description)
            array = operand if isinstance(operand, np.ndarray) else operand.to_numpy()
            arrays[name] = array if description.read_as is None else array.astype(description.read_as)
        return evaluate_dense(self.statement, arrays).astype(self.result_dtype, casting="same_kind")


def _check_operand(name: str, operand: Any, description: OperandDescription) -> None:
    """What a caller promises about operands, asserted."""
    assert operand.dtype == description.dtype, f"{name}: {operand.dtype} is not {description.dtype}"
    assert len(operand.shape) == description.rank, f"{name}: {operand.shape} is not of rank {description.rank}"
    if description.format is None:
        assert isinstance(operand, np.ndarray), f"{name} is no array"
        assert operand.flags.c_contiguous and operand.flags.aligned and operand.dtype.isnative, f"{name}: bad layout"
    else:
        assert operand.format == description.format, f"{name}: {operand.format} is not {description.format}"


def compile_statement(
    statement: Statement,
    operands: Mapping[str, OperandDescription],
    result_format: TensorFormat | None = None,
    *,
    wide: WideIndices | None = None,
    result_dtype: np.dtype | None = None,
) -> DenseKernel:
    """A kernel that computes `statement` by the dense oracle; see CompileStatement. No index variable is wide to it."""
    assert not wide
    names = tensor_names(statement.expression)
    sample = {
        name: np.ones((1,) * operands[name].rank, operands[name].read_as or operands[name].dtype) for name in names
    }
    dtype = evaluate_dense(statement, sample).dtype if result_dtype is None else result_dtype
    return DenseKernel(statement, names, operands, result_format, dtype)
