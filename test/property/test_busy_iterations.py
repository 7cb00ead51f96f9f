"""Loops of which only the busy iterations run do what they did: strips of all lengths, with work in any iterations."""

import numpy as np
import pytest
from reference.interpret_loop import interpret_loop
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, math
from xdsl.dialects.math import CountTrailingZerosOp
from xdsl.parser import Parser

import irtensor as it
from irtensor.dialects.loop.loop import Loop
from irtensor.passes.speed.list_busy_iterations import ListBusyIterationsPass
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.verify_dominance import VerifyDominancePass

# What an iteration does depends on its number and on the iterations before.
TEXT = """
func.func @kernel(%crd: !loop.buffer<i32>, %pos: !loop.buffer<i32>, %out: !loop.buffer<index>, %a: index, %b: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = loop.cell %zero : index
  loop.for %p = %a to %b {
    %c = loop.load %crd[%p] : i32
    %k = arith.index_cast %c : i32 to index
    %next = arith.addi %k, %one : index
    %x = loop.load %pos[%k] : i32
    %y = loop.load %pos[%next] : i32
    %begin = arith.index_cast %x : i32 to index
    %end = arith.index_cast %y : i32 to index
    %stored = arith.cmpi slt, %begin, %end : index
    loop.if %stored attributes {unlikely} {
      loop.for %q = %begin to %end {
        %n = loop.get %count : index
        %value = arith.addi %p, %q : index
        loop.store %value, %out[%n] : index
        %more = arith.addi %n, %one : index
        loop.set %more, %count : index
      }
    }
  }
  func.return
}
"""


def _expected(crd: np.ndarray, pos: np.ndarray, size: int, a: int, b: int) -> np.ndarray:
    found = [p + q for p in range(a, b) for q in range(pos[crd[p]], pos[crd[p] + 1])]
    return np.array(found + [-1] * (size - len(found)))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("a", "b"), [(0, 0), (5, 3), (0, 1), (3, 67), (0, 64), (0, 63), (1, 66), (7, 200)])
@pytest.mark.parametrize("density", [0.0, 0.02, 0.5, 1.0])
def test_busy_iterations_are_run_in_order(a: int, b: int, density: float) -> None:
    context = Context()
    for dialect in (builtin.Builtin, arith.Arith, math.Math, func.Func, Loop):
        context.load_dialect(dialect)
    module = Parser(context, TEXT).parse_module()
    ListBusyIterationsPass().apply(context, module)
    assert len(operations_in(module, CountTrailingZerosOp)) == 1
    module.verify()
    VerifyDominancePass().apply(context, module)
    random = np.random.default_rng(b)
    lengths = np.where(random.random(30) < density, random.integers(1, 3, 30), 0)
    pos, crd = np.array([0, *np.cumsum(lengths)], "i4"), random.integers(0, 30, 200).astype("i4")
    out = np.full(500, -1)
    assert interpret_loop(module, "kernel", [crd, pos, out, a, b]) == 0
    np.testing.assert_array_equal(out, _expected(crd, pos, 500, a, b))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("density", [0.0, 0.02, 0.5])
@pytest.mark.parametrize("leading", ["compressed, compressed, compressed", "dense, hashed, compressed", "COO"])
@pytest.mark.parametrize("threads", [1, 2])
def test_factors_with_empty_rows(density: float, leading: str, threads: int, small_parts) -> None:
    """Fibers of more than two strips; rows of both factors are empty at random."""
    random = np.random.default_rng(7)

    def sparse(shape: tuple[int, ...], density: float) -> np.ndarray:
        return np.where(random.random(shape) < density, random.integers(1, 9, shape), 0.0)

    b, c, d = sparse((5, 150, 6), 0.4), sparse((150, 9), density), sparse((6, 9), 0.3)
    formats = {"A": it.CSR, "B": it.COO(3) if leading == "COO" else leading, "C": it.CSR, "D": it.CSR}
    kernel = it.compile("A[i,j] = B[i,k,l] * C[k,j] * D[l,j]", formats=formats, convert=True, num_threads=threads)
    if leading.startswith("compressed"):
        assert "cttz" in kernel.llvm_ir()
    result = kernel(B=b, C=c, D=d)
    result.check()
    np.testing.assert_array_equal(result.to_numpy(), np.einsum("ikl,kj,lj->ij", b, c, d))
