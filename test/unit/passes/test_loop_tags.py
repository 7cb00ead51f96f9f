"""What unroll and vectorize ask for reaches LLVM as loop metadata."""

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func

import irtensor as it
from irtensor.dialects import get_all_dialects
from irtensor.dialects.support.located_parser import parse_module
from irtensor.passes import get_all_passes

GEMM = """
func.func @gemm(%A: tensor<?x?xf64>, %B: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %C = concrete_index.compute (%out) : tensor<?x?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %k {
        concrete_index.forall %j {
          %a = concrete_index.access %A[%i, %k] : tensor<?x?xf64>
          %b = concrete_index.access %B[%k, %j] : tensor<?x?xf64>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i, %j] : tensor<?x?xf64>
        }
      }
    }
  }
  func.return %C : tensor<?x?xf64>
}
"""


def scheduled(*steps):
    context = Context()
    for name, factory in {**get_all_dialects(), "builtin": lambda: Builtin, "func": lambda: Func}.items():
        context.register_dialect(name, factory)
    module = parse_module(context, GEMM, "gemm.mlir")
    for name, options in steps:
        get_all_passes()[name]()(**options).apply(Context(), module)
    module.verify()
    return it.compile_module(str(module), disk_cache=False)


TILES = [
    ("split", {"variable": "i", "outer": "i0", "inner": "i1", "size": 16}),
    ("divide", {"variable": "j", "outer": "j0", "inner": "j1", "parts": 3}),
    ("reorder", {"order": ("i0", "j0", "i1", "k")}),
]


@pytest.mark.parametrize(
    ("step", "options", "metadata"),
    [
        ("unroll", {"variable": "k", "factor": 4}, '"llvm.loop.unroll.count", i32 4'),
        ("vectorize", {"variable": "j1", "width": 4}, '"llvm.loop.vectorize.width", i32 4'),
    ],
)
def test_tags_reach_llvm(step, options, metadata):
    a, b = np.random.default_rng(0).random((37, 19)), np.random.default_rng(1).random((19, 41))
    plain, tagged = scheduled(*TILES), scheduled(*TILES, (step, options))
    assert metadata not in plain.llvm_ir() and metadata in tagged.llvm_ir()
    np.testing.assert_allclose(tagged(a, b), a @ b)
