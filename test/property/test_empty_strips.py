"""Loops along flags do what they did where strips without any are passed over, wherever flags are."""

import numpy as np
import pytest
from reference.interpret_loop import interpret_loop
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func
from xdsl.parser import Parser

import irtensor as it
from irtensor.dialects.loop.loop import ForOp, Loop
from irtensor.passes.speed.skip_empty_strips import SkipEmptyStripsPass
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.verify_dominance import VerifyDominancePass

# Each iteration with a flag notes its number behind those of the others.
TEXT = """
func.func @kernel(%flags: !loop.buffer<i1>, %out: !loop.buffer<index>, %start: index, %a: index, %b: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = loop.cell %zero : index
  loop.for %i = %a to %b {
    %place = arith.addi %start, %i : index
    %flag = loop.load %flags[%place] : i1
    loop.if %flag {
      %n = loop.get %count : index
      loop.store %i, %out[%n] : index
      %more = arith.addi %n, %one : index
      loop.set %more, %count : index
    }
  }
  func.return
}
"""


@pytest.mark.parametrize(("a", "b"), [(0, 0), (5, 3), (0, 1), (3, 67), (0, 64), (0, 63), (1, 66), (7, 200)])
def test_iterations_with_flags_are_run_in_order(a: int, b: int) -> None:
    context = Context()
    for dialect in (builtin.Builtin, arith.Arith, func.Func, Loop):
        context.load_dialect(dialect)
    module = Parser(context, TEXT).parse_module()
    SkipEmptyStripsPass().apply(context, module)
    assert len(operations_in(module, ForOp)) == 3
    module.verify()
    VerifyDominancePass().apply(context, module)
    random = np.random.default_rng(b)
    for density in (0.0, 0.01, 0.5, 1.0):
        flags, out = random.random(210) < density, np.full(300, -1)
        # Behind the range, where no strip may look.
        flags[10 + max(a, b) :] = True
        assert interpret_loop(module, "kernel", [flags[: 10 + max(a, b)], out, 10, a, b]) == 0
        expected = a + np.flatnonzero(flags[10 + a : 10 + b])
        np.testing.assert_array_equal(out, np.pad(expected, (0, 300 - expected.size), constant_values=-1))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("density", [0.0, 0.01, 1.0])
def test_bitmaps(density: float, threads: int, small_parts) -> None:
    """Vectors and rows of several strips, in one kernel each."""
    random = np.random.default_rng(3)
    f, a = ((random.random(shape) < density) * random.integers(1, 9, shape) * 1.0 for shape in (333, (7, 333)))
    b = (random.random((333, 50)) < 0.1) * random.integers(1, 9, (333, 50)) * 1.0
    F, A = it.Tensor.from_numpy(f, "bitmap"), it.Tensor.from_numpy(a, "dense, bitmap")
    product = it.compile("y[j] = F[i] * B[i,j]", formats={"B": it.CSR}, num_threads=threads)
    np.testing.assert_array_equal(product(F=F, B=it.Tensor.from_numpy(b, "csr")), f @ b)
    rows = it.compile("C[i,k] = A[i,j] * B[j,k]", formats={"C": it.CSR}, num_threads=threads)
    np.testing.assert_array_equal(rows(A=A, B=it.Tensor.from_numpy(b, "csr")).to_numpy(), a @ b)
