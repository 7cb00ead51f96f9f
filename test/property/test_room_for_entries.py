"""Loops ask for room before they append: the interpreter gives not one element more, and refuses what has none."""

from math import prod

import numpy as np
import pytest
from reference.interpret_loop import interpret_loop
from reference.loop_memory import Growable
from xdsl.context import Context

from irtensor.dialects.argument_layout import tensor_arguments
from irtensor.dialects.tensor_format import TensorFormat
from irtensor.frontend.build_index_notation import build_index_notation
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation_parser import parse_notation
from irtensor.frontend.summation import insert_reductions
from irtensor.passes import get_all_passes
from irtensor.passes.pipelines import passes_between
from irtensor.storage.level_storage import LevelStorage
from irtensor.tensor import Tensor

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


def _request(notation: str, operands: dict[str, Tensor | Array], result: TensorFormat):
    described = {n: OperandDescription(t.dtype, t.ndim, getattr(t, "format", None)) for n, t in operands.items()}
    request = build_index_notation(insert_reductions(parse_notation(notation)), described, result)
    for name in (*passes_between("index_notation", "loop"), "lower-algebra-to-arith"):
        get_all_passes()[name]()().apply(Context(), request.module)
    return request


def _evaluate(request, operands: dict[str, Tensor | Array], result: TensorFormat) -> Tensor:
    arguments: list[object] = []
    for name in request.argument_names:
        operand = operands[name]
        arrays = [operand.reshape(-1)] if isinstance(operand, Array) else operand.buffers()
        # Every array that a kernel is given has a readable element 0.
        arguments += [*operand.shape, *(a if a.size else np.zeros(1, a.dtype) for a in arrays)]
    extents = [level.expression.extent(SHAPE) for level in result.levels]
    made: list[dict[str, Array | Growable]] = [{} for _ in (*result.levels, None)]
    for kind, number, grows in tensor_arguments(result, is_result=True):
        if kind == "extent":
            arguments.append(SHAPE[number])
            continue
        dtype = np.dtype({"positions": "i8", "coordinates": "i8", "flags": "?", "values": "f8"}[kind])
        length = prod(extents[: number + (kind == "flags")]) + (kind == "positions")
        made[number][kind] = Growable(dtype) if grows else np.zeros(length, dtype)
        arguments.append(made[number][kind])
    assert interpret_loop(request.module, "kernel", arguments) == 0
    arrays = [{kind: a.contents if isinstance(a, Growable) else a for kind, a in level.items()} for level in made]
    values = arrays.pop()["values"]
    return Tensor(SHAPE, result, tuple(LevelStorage(**level) for level in arrays), values)


@pytest.mark.one_in(12)
@pytest.mark.parametrize("formats", FORMATS, ids=str)
@pytest.mark.parametrize("notation", STATEMENTS)
def test_room_for_entries(notation: str, formats: tuple[str, ...]) -> None:
    result = TensorFormat.parse(formats[-1])
    names = "ABC"
    for seed, density in enumerate((0.0, 0.1, 0.5, 1.0)):
        operands = _operands(notation, formats, seed, density)
        computed = _evaluate(_request(notation, operands, result), operands, result)
        computed.check()
        given = [operands.get(name) for name in names]
        dense = [operand.to_numpy() if isinstance(operand, Tensor) else None for operand in given]
        np.testing.assert_array_equal(computed.to_numpy(), STATEMENTS[notation](*dense))
