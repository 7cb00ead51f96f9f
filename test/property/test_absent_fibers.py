"""One body of a merge for operands with and without an entry, whatever the levels below the entry."""

from itertools import product

import numpy as np
import pytest
from reference.interpret_loop import interpret_loop
from xdsl.context import Context

import irtensor as it
from irtensor.dialects.storage.storage import OptionalFiberOp
from irtensor.frontend.build_index_notation import build_index_notation
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.passes import get_all_passes
from irtensor.passes.pipelines import passes_between
from irtensor.passes.support.operations_in import operations_in

pytestmark = pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")

LEVELS = ("dense", "bitmap", "hashed", "padded", "compressed")
ROWS = [f"(i, j) -> (i : {outer}, j : {level})" for outer in ("compressed", "bitmap") for level in LEVELS]
BLOCKS = [
    f"(i, j) -> (i floordiv 2 : dense, j floordiv 3 : {outer}, i mod 2 : {above}, j mod 3 : {below})"
    for outer, above, below in product(("compressed", "bitmap"), LEVELS, LEVELS)
]
STATEMENTS = {
    "A[i,j] + B[i,j] + C[i,j] + D[i,j] + E[i,j] + F[i,j]": lambda a, b, c, d, e, f: a + b + c + d + e + f,
    "A[i,j] * B[i,j] + C[i,j] * D[i,j] + E[i,j] + F[i,j]": lambda a, b, c, d, e, f: a * b + c * d + e + f,
    "(A[i,j] + B[i,j] + C[i,j]) * (D[i,j] + E[i,j] + F[i,j])": lambda a, b, c, d, e, f: (a + b + c) * (d + e + f),
    "exp(A[i,j]) * B[i,j] + max(C[i,j], D[i,j]) + sqrt(E[i,j] + F[i,j])": lambda a, b, c, d, e, f: (
        np.exp(a) * b + np.maximum(c, d) + np.sqrt(e + f)
    ),
    "exp(A[i,j] - B[i,j]) + C[i,j] * D[i,j] * E[i,j] + F[i,j]": lambda a, b, c, d, e, f: np.exp(a - b) + c * d * e + f,
}
SHAPE = (5, 7)


def _arrays(empty, dtype: type[complex] = float):
    random = np.random.default_rng(3)
    arrays = [random.integers(1, 9, SHAPE) * (random.random(SHAPE) < 0.25) * 1.0 for _ in range(6)]
    for number in empty:
        arrays[number][:] = 0
    return [array.astype(dtype) for array in arrays]


def _array(result):
    return result.to_numpy() if isinstance(result, it.Tensor) else result


@pytest.mark.one_in(240)
@pytest.mark.parametrize("format", ROWS + BLOCKS)
@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("empty", [(), (0,), (1, 2, 3)])
def test_values(statement, format, empty):
    arrays = _arrays(empty)
    result = it.compile(f"R[i,j] = {statement}")(*[it.Tensor.from_numpy(array, format) for array in arrays])
    np.testing.assert_allclose(_array(result), STATEMENTS[statement](*arrays))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("format", ROWS)
@pytest.mark.parametrize("statement", list(STATEMENTS)[:3])
def test_complex_numbers(statement, format):
    arrays = [array * (1 + 2j) for array in _arrays((1,), complex)]
    result = it.compile(f"R[i,j] = {statement}")(*[it.Tensor.from_numpy(array, format) for array in arrays])
    np.testing.assert_allclose(_array(result), STATEMENTS[statement](*arrays))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("format", ROWS)
@pytest.mark.parametrize("count", [8, 12])
def test_many_operands(format, count):
    random = np.random.default_rng(count)
    arrays = [random.integers(1, 9, SHAPE) * (random.random(SHAPE) < 0.2) * 1.0 for _ in range(count)]
    names = [f"A{number}" for number in range(count)]
    kernel = it.compile("R[i,j] = " + " + ".join(f"{name}[i,j]" for name in names))
    result = kernel(*[it.Tensor.from_numpy(array, format) for array in arrays])
    np.testing.assert_array_equal(_array(result), sum(arrays))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("format", ROWS)
def test_an_infinite_factor_of_what_is_absent(format):
    arrays = _arrays((2,))
    x = np.full(SHAPE[1], np.inf)
    statement = "R[i,j] = A[i,j] * x[j] + B[i,j] * x[j] + C[i,j] * x[j] + D[i,j] * x[j] + E[i,j] + F[i,j]"
    tensors = {name: it.Tensor.from_numpy(array, format) for name, array in zip("ABCDEF", arrays, strict=True)}
    infinite = np.any([array != 0 for array in arrays[:4]], axis=0)
    result = it.compile(statement)(**tensors, x=x)
    if "j : dense" not in format:  # There 0 is an element, and 0 times infinity is NaN.
        np.testing.assert_array_equal(_array(result), np.where(infinite, np.inf, arrays[4] + arrays[5]))


# In a sum a hashed operand is handed over as a sorted list.
@pytest.mark.one_in(24)
@pytest.mark.parametrize("format", [format for format in ROWS + BLOCKS if "hashed" not in format])
@pytest.mark.parametrize("empty", [(), (0,), range(6)])
def test_no_load_is_outside_of_its_array(format, empty):
    arrays = _arrays(empty)
    operands = {n: it.Tensor.from_numpy(a, format) for n, a in zip("ABCDEF", arrays, strict=True)}
    described = {name: OperandDescription(t.dtype, t.ndim, t.format) for name, t in operands.items()}
    statement = "R[i,j] = exp(A[i,j]) * B[i,j] + C[i,j] + D[i,j] + E[i,j] + F[i,j]"
    request = build_index_notation(parse_statement(statement), described)
    found = 0
    for name in (*passes_between("index_notation", "loop"), "lower-algebra-to-arith"):
        get_all_passes()[name]()().apply(Context(), request.module)
        found += len(operations_in(request.module, OptionalFiberOp))
    # Without them, this is no test of what is read where a fiber is absent.
    assert found or format in ROWS or "dense" not in format.rpartition(":")[2]
    result = np.full(SHAPE, np.nan)
    arguments = []
    for name in request.argument_names:
        # Every array that a kernel is given has a readable element 0.
        buffers = [a if a.size else np.zeros(1, a.dtype) for a in operands[name].buffers()]
        arguments += [*operands[name].shape, *buffers]
    assert interpret_loop(request.module, "kernel", [*arguments, *SHAPE, result.reshape(-1)]) == 0
    np.testing.assert_allclose(result, np.exp(arrays[0]) * arrays[1] + sum(arrays[2:]))
