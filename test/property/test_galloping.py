"""Galloping intersections give what stepping ones give; unions are not affected."""

from itertools import product

import numpy as np
import pytest
from reference.interpret_loop import interpret_loop
from xdsl.context import Context

import irtensor as it
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.iteration_lattice.iteration_lattice import MergeOp
from irtensor.dialects.loop.loop import WhileOp
from irtensor.frontend.build_index_notation import build_index_notation
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions
from irtensor.passes import get_all_passes
from irtensor.passes.iteration_lattice.lower_looplets import LowerLoopletsPass
from irtensor.passes.pipelines import passes_between
from irtensor.tensors.tensor import Tensor

STATEMENTS = {
    "s = A[i] * B[i]": lambda a, b, c: a @ b,
    "s = A[i] * B[i] * C[i]": lambda a, b, c: (a * b * c).sum(),
    "s = (A[i] + B[i]) * C[i]": lambda a, b, c: ((a + b) * c).sum(),
    "s = sum(i, A[i] + B[i])": lambda a, b, c: (a + b).sum(),
}


def _module(notation: str, operands: dict[str, Tensor], stage: str):
    described = {name: OperandDescription(t.dtype, t.ndim, t.format) for name, t in operands.items()}
    request = build_index_notation(insert_reductions(parse_statement(notation)), described)
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
        for text in ("s = A[i] * B[i]", "s = sum(i, abs(A[i] + B[i]))")
    ]
    # A galloping iteration has two searches of two loops each inside the merge; the union is one merge.
    assert loops == [5, 1]
    assert not any(isinstance(op, MergeOp) for op in _module("s = A[i] * B[i]", operands, "loop").module.walk())


LEVELS = ("compressed", "compressed(nonunique)", "compressed(nonordered)", "hashed", "bitmap", "padded", "dense")
SCHEDULED = {
    "y = a[j] * b[j]": lambda a, b, c: a @ b,
    "y[j] = a[j] * b[j]": lambda a, b, c: a * b,
    "y = a[j] * b[j] * c[j]": lambda a, b, c: (a * b * c).sum(),
    "y[j] = a[j] * b[j] + c[j]": lambda a, b, c: a * b + c,
    "y[j] = max(a[j] * b[j], c[j] * a[j])": lambda a, b, c: np.maximum(a * b, c * a),
}


def _scheduled_cases():
    for text in SCHEDULED:
        names = [name for name in "abc" if f"{name}[" in text]
        for levels in product(LEVELS, repeat=len(names)):
            for step in ("merge(j, gallop)", "merge(j, linear)", "split(j, j0, j1, 7); merge(j1, gallop)"):
                yield text, dict(zip(names, levels, strict=True)), step


@pytest.mark.one_in(128)
@pytest.mark.parametrize(("text", "levels", "step"), list(_scheduled_cases()))
def test_one_loop_is_merged_as_scheduled(text: str, levels: dict[str, str], step: str) -> None:
    arrays = [_vector(seed, density, 41) for seed, density in enumerate((0.1, 0.9, 0.5))]
    operands = {
        name: array if levels[name] == "dense" else Tensor.from_numpy(array, TensorFormat.parse(levels[name]))
        for name, array in zip("abc", arrays, strict=True)
        if name in levels
    }
    lists = [level for level in levels.values() if level.startswith(("compressed", "padded"))]
    refused = "gallop" in step and (len(lists) < 2 or "+" in text or "max" in text)
    kernel = it.compile(text, formats=levels, schedule=it.schedule(step), num_threads=2)
    if refused:
        with pytest.raises(it.UserError, match=r"illegal-merge.*cannot gallop"):
            kernel(**operands)
    else:
        np.testing.assert_allclose(kernel(**operands), SCHEDULED[text](*arrays))


def test_merge_is_about_one_loop() -> None:
    formats: dict[str, object] = dict.fromkeys("AB", it.Format("compressed, compressed"))
    for loop, other in ("ij", "ji"):
        kernel = it.compile("y = A[i,j] * B[i,j]", formats=formats, schedule=it.schedule(f"merge({loop}, gallop)"))
        lines = [line.strip() for line in kernel.explain().splitlines()]
        assert [line for line in lines if line.startswith(f"for {loop}:") and line.endswith("by searches")]
        assert not [line for line in lines if line.startswith(f"for {other}:") and line.endswith("by searches")]


def test_linear_takes_the_place_of_searches_that_are_chosen() -> None:
    formats = {"A": it.CSR, "x": it.Format("compressed")}
    texts = {
        step: it.compile("y[i] = A[i,j] * x[j]", formats=formats, schedule=it.schedule(step)).explain()
        for step in ("", "merge(j, linear)")
    }
    assert ["by searches" in text for text in texts.values()] == [True, False]
