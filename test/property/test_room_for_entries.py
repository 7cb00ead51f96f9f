"""Loops ask for room before they append: the interpreter gives not one element more, and refuses what has none."""

import numpy as np
import pytest
from interpreted_statements import interpret, lowered

from irtensor.core.tensor_format import TensorFormat
from irtensor.passes.pipelines import passes_between
from irtensor.tensors.tensor import Tensor

PASSES = (*passes_between("index_notation", "loop"), "lower-algebra-to-arith")
Array = np.ndarray
SHAPE = (5, 7)
STATEMENTS = {
    "R[i,j] = A[i,j] + B[i,j]": lambda a, b, c: a + b,
    "R[i,j] = A[i,j] * B[i,j]": lambda a, b, c: a * b,
    "R[i,j] = A[i,j] + B[i,j] + C[i,j]": lambda a, b, c: a + b + c,
    "R[i,j] = A[i,j] * B[i,j] + C[i,j]": lambda a, b, c: a * b + c,
    "R[i,j] = (A[i,j] + B[i,j]) * C[i,j]": lambda a, b, c: (a + b) * c,
    "R[i,j] = A[i,j] + x[j] * B[i,j]": lambda a, b, c: a + np.arange(7.0) * b,
}
CSR, DCSR, COO, RUNS = (
    "dense, compressed",
    "compressed, compressed",
    "compressed(nonunique), singleton",
    "compressed, dense",
)
FLAGS = "compressed, bitmap"
BLOCKS = "(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)"
# The formats of A, B, C and the result.
FORMATS = (
    (CSR, CSR, CSR, CSR),
    (DCSR, DCSR, DCSR, DCSR),
    (DCSR, CSR, DCSR, CSR),
    (CSR, DCSR, COO, DCSR),
    (CSR, CSR, DCSR, COO),
    (DCSR, RUNS, DCSR, RUNS),
    (DCSR, FLAGS, CSR, FLAGS),
    ("dense, bitmap", CSR, "dense, padded", CSR),
    ("dense, padded", CSR, "dense, bitmap", DCSR),
    (BLOCKS, BLOCKS, BLOCKS, BLOCKS),
)


def _operands(notation: str, formats: tuple[str, ...], seed: int, density: float) -> dict[str, Tensor | Array]:
    random = np.random.default_rng(seed)
    made: dict[str, Tensor | Array] = {}
    for name, format in zip("ABC", formats, strict=False):
        if name in notation:
            array = np.where(random.random(SHAPE) < density, random.integers(1, 9, SHAPE), 0.0)
            made[name] = Tensor.from_numpy(array, TensorFormat.parse(format))
    if "x[" in notation:
        made["x"] = np.arange(7.0)
    return made


@pytest.mark.one_in(12)
@pytest.mark.parametrize("formats", FORMATS, ids=str)
@pytest.mark.parametrize("notation", STATEMENTS)
def test_room_for_entries(notation: str, formats: tuple[str, ...]) -> None:
    result = TensorFormat.parse(formats[-1])
    names = "ABC"
    for seed, density in enumerate((0.0, 0.1, 0.5, 1.0)):
        operands = _operands(notation, formats, seed, density)
        computed = interpret(lowered(notation, operands, result, PASSES), operands, SHAPE, result)
        assert isinstance(computed, Tensor)
        computed.check()
        given = [operands.get(name) for name in names]
        dense = [operand.to_numpy() if isinstance(operand, Tensor) else None for operand in given]
        np.testing.assert_array_equal(computed.to_numpy(), STATEMENTS[notation](*dense))
