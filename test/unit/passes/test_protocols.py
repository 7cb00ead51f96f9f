"""Protocols of accesses: which level formats have them, and that all of them give the same values."""

from itertools import product

import numpy as np
import pytest

import irtensor as it
from irtensor.dialects.concrete_index.protocols import APPEND, INSERT, LOCATE, READS, STEP, WIDENED, WRITES, supports
from irtensor.levels.known_levels import LEVEL_PROPERTIES

# Per level format: step, locate, append, insert.
SUPPORTED = {
    "dense": (False, True, True, True),
    "compressed": (True, False, True, False),
    "singleton": (True, False, True, False),
    "bitmap": (False, True, True, True),
    "hashed": (True, True, True, True),
    "padded": (True, False, True, False),
    "range": (True, False, True, True),
    "offset": (True, False, True, True),
    "run_list": (False, True, True, False),
    "sparse_run_list": (True, False, True, False),
    "block_list": (True, False, True, False),
    "point": (True, False, True, False),
    "band": (True, False, True, False),
    "ragged": (True, False, True, False),
    "interval": (True, False, True, False),
    "triangle": (True, False, True, False),
    "strict_triangle": (True, False, True, False),
    "accumulator": (True, True, True, True),
    "map": (True, True, True, True),
}


def test_which_levels_have_which_protocols():
    found = {
        name: tuple(supports(properties, protocol) for protocol in (STEP, LOCATE, APPEND, INSERT))
        for name, properties in LEVEL_PROPERTIES.items()
    }
    assert found == SUPPORTED


def test_widening():
    """What a level becomes has what it is used for, and what it was used for before (Ahrens 2022, section 7.8)."""
    uses = (*READS, *WRITES)
    for length in (1, 2, 3):
        for asked in product(uses, repeat=length):
            level = None
            for protocol in asked:
                level = WIDENED[level, protocol]
            assert level is not None and all(supports(LEVEL_PROPERTIES[level], protocol) for protocol in asked)
    assert WIDENED[None, STEP] == WIDENED[None, APPEND] == "compressed"
    assert WIDENED[None, LOCATE] == "dense"
    assert WIDENED["compressed", LOCATE] == WIDENED["dense", STEP] == "hashed"


KERNEL = """
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#x = #storage.format<(i) -> (i : {level})>
func.func @kernel(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64, #x>) -> tensor<?xf64> {{
  %y = concrete_index.compute (%out) : tensor<?xf64> {{
    concrete_index.forall %i {{
      concrete_index.forall %j {{
        %a = concrete_index.access %A[locate %i, step %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %x[{protocol} %j] : tensor<?xf64, #x>
        %p = algebra.apply {operator}(%a, %b) : (f64, f64) -> f64
        concrete_index.assign add %p into %out[insert %i] : tensor<?xf64>
      }}
    }}
  }}
  func.return %y : tensor<?xf64>
}}
"""


@pytest.mark.parametrize("operator", ["mul", "add"])
@pytest.mark.parametrize(
    ("level", "protocol"),
    [("compressed", STEP), ("bitmap", LOCATE), ("hashed", LOCATE), ("dense", LOCATE)],
)
def test_protocols_give_the_same_values(level, protocol, operator):
    rng = np.random.default_rng(5)
    matrix = rng.integers(1, 9, (6, 8)) * (rng.random((6, 8)) < 0.4).astype(float)
    vector = rng.integers(1, 9, 8) * (rng.random(8) < 0.5).astype(float)
    kernel = it.compile_module(KERNEL.format(level=level, protocol=protocol, operator=operator))
    operand = vector if level == "dense" else it.Tensor.from_numpy(vector, level)
    result = kernel(A=it.Tensor.from_numpy(matrix, it.CSR), x=operand)
    expected = matrix * vector if operator == "mul" else matrix + vector
    np.testing.assert_array_equal(result, expected.sum(axis=1))


TOTAL = """
#x = #storage.format<(i) -> (i : hashed)>
func.func @kernel(%x: tensor<?xf64, #x>) -> tensor<f64> {{
  %y = concrete_index.compute (%out) : tensor<f64> {{
    concrete_index.forall %i {{
      %a = concrete_index.access %x[{protocol}%i] : tensor<?xf64, #x>
      concrete_index.assign add %a into %out[] : tensor<f64>
    }}
  }}
  func.return %y : tensor<f64>
}}
"""


def test_a_table_is_gone_along_unless_it_is_to_be_located():
    vector = it.Tensor.from_numpy(np.array([0, 3.0, 0, 0, 4.0]), "hashed")
    loops = {}
    for protocol in ("", "step ", "locate "):
        kernel = it.compile_module(TOTAL.format(protocol=protocol))
        assert kernel(x=vector) == 7.0
        loops[protocol] = kernel.ir("loop")
    assert loops[""] == loops["step "] != loops["locate "]
    # Finding a coordinate is a search of its own.
    assert "loop.while" in loops["locate "] and "loop.while" not in loops["step "]


def test_a_table_does_not_lead_where_a_list_has_to_be_met():
    text = KERNEL.format(level="hashed", protocol=STEP, operator="mul")
    with pytest.raises(it.UserError, match="not ordered") as caught:
        it.compile_module(text).llvm_ir()
    assert caught.value.slug == "unordered-merge"


ROW_IN_MAP = """
#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
#x = #storage.format<(i) -> (i : compressed)>
#w = #storage.format<(i) -> (i : map)>
func.func @kernel(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64, #x>) -> tensor<?xf64> {{
  %y = concrete_index.compute (%out) : tensor<?xf64> {{
    concrete_index.where produce (%w) : tensor<?xf64, #w> {{
      concrete_index.forall %k {{
        %a = concrete_index.access %x[step %k] : tensor<?xf64, #x>
        concrete_index.assign %a into %w[%k] : tensor<?xf64, #w>
      }}
    }} consume (%v) {{
      concrete_index.forall %i {{
        concrete_index.forall %j {{
          %a = concrete_index.access %A[locate %i, step %j] : tensor<?x?xf64, #csr>
          %b = concrete_index.access %v[{protocol} %j] : tensor<?xf64, #w>
          %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
          concrete_index.assign add %p into %out[%i] : tensor<?xf64>
        }}
      }}
    }}
  }}
  func.return %y : tensor<?xf64>
}}
"""


def test_a_map_is_looked_up_in_where_it_is_to_be_located():
    """What a row of the matrix does not have is not gone along."""
    rng = np.random.default_rng(6)
    matrix = rng.integers(1, 9, (6, 8)) * (rng.random((6, 8)) < 0.4).astype(float)
    vector = rng.integers(1, 9, 8) * (rng.random(8) < 0.5).astype(float)
    loops = {}
    for protocol in READS:
        kernel = it.compile_module(ROW_IN_MAP.format(protocol=protocol))
        result = kernel(A=it.Tensor.from_numpy(matrix, it.CSR), x=it.Tensor.from_numpy(vector, "compressed"))
        np.testing.assert_array_equal(result, matrix @ vector)
        loops[protocol] = kernel.ir("lower-looplets")
    # Stepping merges two lists; locating walks one of them.
    assert "iteration_lattice.merge" in loops[STEP] and "iteration_lattice.merge" not in loops[LOCATE]
    assert "loop.map_find" in loops[LOCATE] and "lower_bound" not in loops[LOCATE]
