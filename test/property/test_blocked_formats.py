"""Blocked formats against NumPy: every block size, extents that do not divide, dense and blocked results."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from irtensor.compiler.compile_kernel import compile_statement
from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.tensor_format import TensorFormat
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation_parser import parse_notation
from irtensor.frontend.summation import insert_reductions
from irtensor.named_formats import BCSR, CSR
from irtensor.tensor import Tensor

BLOCKS = [(2, 3), (4, 1), (3, 3)]
SHAPES = [(12, 12), (13, 11), (1, 2), (0, 5)]


def _compute(notation: str, result: TensorFormat | None = None, **operands: Any) -> Any:
    described = {
        name: OperandDescription(value.dtype, value.ndim, None if isinstance(value, np.ndarray) else value.format)
        for name, value in operands.items()
    }
    kernel = compile_statement(insert_reductions(parse_notation(notation)), described, result)
    return kernel([operands[name] for name in kernel.argument_names])


def _sparse(shape: tuple[int, int], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.random(shape) < 0.2) * rng.random(shape)


@pytest.mark.parametrize(("block", "shape"), list(product(BLOCKS, SHAPES)))
def test_blocked_operands_and_results(block: tuple[int, int], shape: tuple[int, int]) -> None:
    format = BCSR(*block)
    a, b = _sparse(shape, 1), _sparse(shape, 2)
    A, B = Tensor.from_numpy(a, format), Tensor.from_numpy(b, format)
    x = np.random.default_rng(3).random(shape[1])
    np.testing.assert_allclose(_compute("y[i] = A[i,j] * x[j]", A=A, x=x), a @ x)
    np.testing.assert_allclose(_compute("y[j] = A[i,j]", A=A), a.sum(axis=0))
    for notation, expected in (("C[i,j] = A[i,j] + B[i,j]", a + b), ("C[i,j] = A[i,j] * B[i,j]", a * b)):
        np.testing.assert_allclose(_compute(notation, A=A, B=B), expected)
        stored = _compute(notation, format, A=A, B=B)
        stored.check()
        np.testing.assert_allclose(stored.to_numpy(), expected)


def test_blocks_beside_an_unblocked_sparse_operand_are_refused() -> None:
    a = _sparse((6, 6), 1)
    A, B = Tensor.from_numpy(a, BCSR(2, 2)), Tensor.from_numpy(a, CSR)
    with pytest.raises(UserError, match="block-mismatch"):
        _compute("C[i,j] = A[i,j] + B[i,j]", A=A, B=B)


def test_different_block_sizes_are_refused() -> None:
    a = _sparse((6, 6), 1)
    A, B = Tensor.from_numpy(a, BCSR(2, 2)), Tensor.from_numpy(a, BCSR(3, 2))
    with pytest.raises(UserError, match="block-mismatch"):
        _compute("C[i,j] = A[i,j] + B[i,j]", A=A, B=B)
