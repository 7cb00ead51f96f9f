"""Galloping intersections give what stepping ones give; unions are not affected."""

from itertools import product

import numpy as np
import pytest
from reference.interpret_loop import interpret_loop
from xdsl.context import Context

from irtensor.dialects.iteration_lattice import MergeOp
from irtensor.dialects.loop import WhileOp
from irtensor.dialects.tensor_format import TensorFormat
from irtensor.frontend.build_index_notation import build_index_notation
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation_parser import parse_notation
from irtensor.frontend.summation import insert_reductions
from irtensor.passes import get_all_passes
from irtensor.passes.iteration_lattice.lower_looplets import LowerLoopletsPass
from irtensor.passes.pipelines import passes_between
from irtensor.tensor import Tensor

STATEMENTS = {
    "s = A[i] * B[i]": lambda a, b, c: a @ b,
    "s = A[i] * B[i] * C[i]": lambda a, b, c: (a * b * c).sum(),
    "s = (A[i] + B[i]) * C[i]": lambda a, b, c: ((a + b) * c).sum(),
    "s = sum(i, A[i] + B[i])": lambda a, b, c: (a + b).sum(),
}


def _module(notation: str, operands: dict[str, Tensor], stage: str):
    described = {name: OperandDescription(t.dtype, t.ndim, t.format) for name, t in operands.items()}
    request = build_index_notation(insert_reductions(parse_notation(notation)), described)
    for name in passes_between("index_notation", stage):
        chosen = LowerLoopletsPass(gallop=True) if name == "lower-looplets" else get_all_passes()[name]()()
        chosen.apply(Context(), request.module)
    return request


def _vector(seed: int, density: float, extent: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.random(extent) < density) * rng.integers(1, 9, extent).astype(float)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("notation", "densities"), list(product(STATEMENTS, [(0.02, 0.9, 0.5), (0.5, 0.5, 0.5), (0, 1, 1)]))
)
def test_galloping_equals_stepping(notation: str, densities: tuple[float, float, float]) -> None:
    format = TensorFormat.parse("compressed")
    arrays = [_vector(seed, density, 97) for seed, density in enumerate(densities)]
    tensors = {name: Tensor.from_numpy(array, format) for name, array in zip("ABC", arrays, strict=True)}
    used = {name: tensor for name, tensor in tensors.items() if f"{name}[" in notation}
    request = _module(notation, used, "loop")
    get_all_passes()["lower-algebra-to-arith"]()().apply(Context(), request.module)
    result = np.full(1, np.nan)
    arguments: list[object] = []
    for name in request.argument_names:
        # Every array that a kernel is given has a readable element 0.
        arrays_of = [a if a.size else np.zeros(1, a.dtype) for a in used[name].buffers()]
        arguments += [*used[name].shape, *arrays_of]
    assert interpret_loop(request.module, "kernel", [*arguments, result]) == 0
    assert result[0] == STATEMENTS[notation](*arrays)


def test_only_intersections_gallop() -> None:
    format = TensorFormat.parse("compressed")
    operands = {name: Tensor.from_numpy(np.ones(3), format) for name in "AB"}
    loops = [
        sum(isinstance(op, WhileOp) for op in _module(text, operands, "loop").module.walk())
        for text in ("s = A[i] * B[i]", "s = sum(i, A[i] + B[i])")
    ]
    # A galloping iteration has two searches of two loops each inside the merge; the union is one merge.
    assert loops == [5, 1]
    assert not any(isinstance(op, MergeOp) for op in _module("s = A[i] * B[i]", operands, "loop").module.walk())
