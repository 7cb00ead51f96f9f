"""`compile_module`: what is known of coordinates that IR computes, and what is refused."""

import numpy as np
import pytest

import irtensor as it

# Coordinates j of x, computed from i, which goes over all of d.
COMPUTED = """func.func @f(%x: tensor<?xf64>, %d: tensor<?xi64>, %e: tensor<?xi64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%o) : tensor<?xf64> {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %n = concrete_index.extent %x, 0 : tensor<?xf64>
    concrete_index.forall %i {
      %v = concrete_index.access %d[%i] : tensor<?xi64>
      %w = concrete_index.access %e[%i] : tensor<?xi64>
      COMPUTE
      concrete_index.let %j = %c {
        %a = concrete_index.access %x[%j] : tensor<?xf64>
        concrete_index.assign %a into %o[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
"""


def computed(*lines):
    return it.compile_module(COMPUTED.replace("COMPUTE", "\n      ".join(lines)), "k.mlir")


PREDICATES: dict[str, np.ufunc] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "slt": np.less,
    "sle": np.less_equal,
    "sgt": np.greater,
}
PREDICATES["sge"] = np.greater_equal


@pytest.mark.parametrize("predicate", PREDICATES)
def test_a_choice_between_coordinates_is_followed(predicate):
    """Each of the two is outside where the other is chosen."""
    kernel = computed(
        "%s = arith.index_cast %v : i64 to index",
        "%t = arith.index_cast %w : i64 to index",
        f"%p = arith.cmpi {predicate}, %i, %two : index",
        "%c = arith.select %p, %s, %t : index",
    )
    x, chosen = np.arange(5.0), PREDICATES[predicate](np.arange(5), 2)
    first, second = np.where(chosen, 1, -9), np.where(chosen, 99, 4)
    np.testing.assert_array_equal(kernel(x, first, second), np.where(chosen, 1.0, 4.0))
    with pytest.raises(it.UserError, match=r"j is (-9|99) in x\[j\], where dimension 0 has extent 5"):
        kernel(x, second, first)


UNKNOWN = """k.mlir:LINE:14: error: [index-out-of-range] nothing says which values j has in x[j], \
so it may be outside of dimension 0
          %a = concrete_index.access %x[%j] : tensor<?xf64>
               ^^^^^^^^^^^^^^^^^^^^^
help: compute it from variables, extents, numbers and elements of operands, and not from very many of them"""


@pytest.mark.parametrize(
    "lines",
    [
        ["%c = arith.xori %i, %one : index"],
        # A divisor that may be 0.
        ["%s = arith.index_cast %v : i64 to index", "%c = arith.divsi %i, %s : index"],
        ["%s = arith.index_cast %v : i64 to index", "%c = arith.remsi %i, %s : index"],
    ],
)
def test_coordinates_of_which_nothing_is_known(lines):
    kernel = computed(*lines)
    with pytest.raises(it.UserError) as caught:
        kernel(np.arange(5.0), np.array([1, 0, 3]), np.zeros(3, np.int64))
    assert str(caught.value) == UNKNOWN.replace("LINE", str(11 + len(lines)))


def of_sparse_operands(*lines):
    sparse = COMPUTED.replace("tensor<?xi64>", "tensor<?xi64, #storage.format<(i) -> (i : compressed)>>")
    return it.compile_module(sparse.replace("COMPUTE", "\n      ".join(lines)))


def test_very_many_values_are_not_computed():
    """Which element a sparse operand has in which iteration is not known, so each of 5000 may be in each of 5000."""
    kernel = of_sparse_operands("%s = arith.index_cast %v : i64 to index", "%c = arith.subi %s, %i : index")
    x, one, many = np.arange(5.0), np.full(1, 4), np.full(5000, 4)
    np.testing.assert_array_equal(kernel(x, one, one), [4])
    with pytest.raises(it.UserError, match=r"nothing says which values j has in x\[j\]"):
        kernel(x, many, many)


def test_which_elements_of_two_sparse_operands_meet_is_not_computed():
    kernel = of_sparse_operands(
        "%s = arith.index_cast %v : i64 to index",
        "%t = arith.index_cast %w : i64 to index",
        "%c = arith.subi %s, %t : index",
    )
    with pytest.raises(it.UserError, match=r"nothing says which values j has in x\[j\]"):
        kernel(np.arange(5.0), np.array([2, 0, 3]), np.array([1, 0, 3]))


def test_unchanged_shapes_are_checked_once():
    """Coordinates that no element decides follow from the shapes; others are asked for again."""
    kernel = computed("%c = arith.subi %i, %zero : index")
    x = np.arange(5.0)
    few, many = np.zeros(4, np.int64), np.zeros(6, np.int64)
    for _ in range(2):
        np.testing.assert_array_equal(kernel(x, few, few), x[:4])
    for _ in range(2):
        with pytest.raises(it.UserError, match=r"j is 5 in x\[j\], where dimension 0 has extent 5"):
            kernel(x, many, many)
    np.testing.assert_array_equal(kernel(x, few, few), x[:4])


def of_range(high, body):
    return it.compile_module(f"""func.func @f(%x: tensor<?xf64>) -> tensor<f64> {{
  %y = concrete_index.compute (%o) : tensor<f64> {{
    %zero = arith.constant 0 : index
    %high = arith.constant {high} : index
    concrete_index.forall %j from %zero to %high {{
      {body}
    }}
  }}
  func.return %y : tensor<f64>
}}
""")


@pytest.mark.parametrize("high", [9, 1 << 25])
def test_a_range_of_very_many_iterations_is_not_computed(high):
    """That j - j is 0 is found out by computing it in every iteration."""
    kernel = of_range(
        high,
        """%c = arith.subi %j, %j : index
      concrete_index.let %k = %c {
        %a = concrete_index.access %x[%k] : tensor<?xf64>
        concrete_index.assign add %a into %o[] : tensor<f64>
      }""",
    )
    if high == 9:
        assert kernel(np.arange(5.0) + 2) == 2 * 9
        return
    with pytest.raises(it.UserError, match=r"nothing says which values k has in x\[k\]"):
        kernel(np.arange(5.0))


BLOCKS = "#storage.format<(i) -> (i floordiv 2 : dense, i mod 2 : dense)>"


@pytest.mark.parametrize("first", [0, 1])
def test_coordinates_of_blocks_stay_inside(first):
    kernel = it.compile_module(f"""#blocks = {BLOCKS}
func.func @f(%x: tensor<?xf64, #blocks>) -> tensor<f64> {{
  %y = concrete_index.compute (%o) : tensor<f64> {{
    %zero = arith.constant 0 : index
    %first = arith.constant {first} : index
    %high = arith.constant 3 : index
    concrete_index.forall %b from %first to %high {{
      concrete_index.forall %j {{
        %a = concrete_index.access %x[%b, %j] : tensor<?xf64, #blocks>
        concrete_index.assign add %a into %o[] : tensor<f64>
      }}
    }}
  }}
  func.return %y : tensor<f64>
}}
""")
    assert kernel(np.arange(6.0)) == sum(range(2 * first, 6))
    assert kernel(np.arange(5.0)) == sum(range(2 * first, 5))
    with pytest.raises(it.UserError, match=r"b is 2 in x\[b, j\], where dimension 0 has extent 2"):
        kernel(np.arange(4.0))
