"""The looplet rewrites give the same results in any order: each waits for what has to be rewritten first."""

import random
from collections.abc import Callable

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from irtensor.compiler.compilation.compile_request import CompileRequest
from irtensor.compiler.compilation.lower_module import lower_module
from irtensor.compiler.compilation.read_signature import kernel_function, read_signature
from irtensor.compiler.kernel.kernel import Kernel
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.iteration_lattice.iteration_lattice import CoiterateOp
from irtensor.frontend.kernel_request import KERNEL_NAME, OperandDescription
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions
from irtensor.passes import get_all_passes
from irtensor.runtime.cpu_engine import compile_llvm_text
from irtensor.runtime.emit_llvm import emit_llvm
from irtensor.tensors.tensor import Tensor

REWRITES = [
    "unfurl",
    "lower-thunk",
    "lower-run",
    "lower-switch",
    "lower-sequence",
    "lower-jumper",
    "lower-stepper",
    "lower-spike",
    "lower-lookup",
]
FORMATS = ["dense, compressed", "compressed, compressed", "(i, j) -> (i : compressed(nonunique), j : singleton)"]
STATEMENTS: dict[str, tuple[str | None, Callable[..., np.ndarray]]] = {
    "y[i] = A[i,j] * x[j]": (None, lambda a, b, x: a @ x),
    "y[i] = sum(j, A[i,j] + x[j])": (None, lambda a, b, x: (a + x).sum(axis=1)),
    "y[i] = max(A[i,j], x[j]) * B[i,j]": (None, lambda a, b, x: (np.maximum(a, x) * b).sum(axis=1)),
    "C[i,j] = A[i,j] + B[i,j]": ("dense, compressed", lambda a, b, x: a + b),
    "C[i,j] = A[i,j] * B[i,j]": ("compressed, compressed", lambda a, b, x: a * b),
}


def _lower_in_random_order(module: ModuleOp, chance: random.Random) -> list[str]:
    """Apply rewrites, each to the whole module, until no coiterate is left; gives the order taken."""
    taken: list[str] = []
    while any(isinstance(op, CoiterateOp) for op in module.walk()):
        assert len(taken) < 1000, "the rewrites wait for each other"
        taken.append(chance.choice(REWRITES))
        get_all_passes()[taken[-1]]()().apply(Context(), module)
    return taken


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(30))
def test_any_order_of_rewrites(seed: int) -> None:
    chance, rng = random.Random(seed), np.random.default_rng(seed)
    notation = chance.choice(list(STATEMENTS))
    result, expected = STATEMENTS[notation]
    a, b = ((rng.random((5, 7)) < 0.3) * rng.integers(1, 9, (5, 7)).astype(float) for _ in range(2))
    x = rng.integers(1, 9, 7).astype(float)
    operands = {
        "A": Tensor.from_numpy(a, chance.choice(FORMATS)),
        "B": Tensor.from_numpy(b, chance.choice(FORMATS)),
        "x": x,
    }
    used = {name: value for name, value in operands.items() if f"{name}[" in notation}
    described = {n: OperandDescription(v.dtype, v.ndim, getattr(v, "format", None)) for n, v in used.items()}
    format = None if result is None else TensorFormat.parse(result)
    request = CompileRequest(insert_reductions(parse_statement(notation)), tuple(described.items()), format)
    module = request.build().module
    lower_module(module, "index_notation", "concrete_index")
    signature = read_signature(kernel_function(module), request.names(), request.extent_sources())
    lower_module(module, "concrete_index", "iteration_lattice")
    taken = _lower_in_random_order(module, chance)
    for name in ("lower-iteration-lattice-to-loop", "lower-storage", "simplify-loops"):
        get_all_passes()[name]()().apply(Context(), module)
    module.verify()
    lower_module(module, "loop", "llvm")
    kernel = Kernel(signature, compile_llvm_text(emit_llvm(module), KERNEL_NAME, effort="light"))
    computed = kernel([used[name] for name in kernel.argument_names])
    if isinstance(computed, Tensor):
        computed.check()
        computed = computed.to_numpy()
    np.testing.assert_allclose(computed, expected(a, b, x), err_msg=f"{notation} by {taken}")
