"""`compile_module`: what its texts and its operands may be."""

import numpy as np
import pytest

import irtensor as it


@pytest.mark.parametrize("text", [None, 3, b"func.func @f()", ["func.func @f()"]])
def test_a_module_that_is_no_text(text):
    with pytest.raises(it.UserError, match=r"\[bad-argument\] the module is a text, not"):
        it.compile_module(text)


@pytest.mark.parametrize("text", ["@@@", "%", "`", "^", "\ufeff#"])
def test_a_first_token_that_is_none(text):
    with pytest.raises(it.UserError, match="syntax-error") as caught:
        it.compile_module(text, "k.mlir")
    assert str(caught.value).startswith("k.mlir:1:1: error: ")


SPMV = """#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @spmv(%A: tensor<SHAPExf64, #csr>, %x: tensor<XxSCALAR>) -> tensor<YxSCALAR> {
  %y = index_notation.assign (%i) : tensor<YxSCALAR> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<SHAPExf64, #csr>
      %b = index_notation.access %x[%j] : tensor<XxSCALAR>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<YxSCALAR>
}
""".replace("SCALAR", "f64")
OTHER_LEVELS = [
    "i : dense, j : compressed",
    "j : compressed, i : compressed",
    "i : dense, j : dense",
    "i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense",
]


def spmv(shape, x, y):
    return SPMV.replace("SHAPE", shape).replace("X", x).replace("Y", y)


@pytest.mark.parametrize(
    ("shape", "x", "y", "line", "message"),
    [
        ("4x5", "4", "4", 6, "dimension 0 of %x has extent 4, but dimension 1 of %A, over which %j ranges as well, 5"),
        ("4x5", "5", "3", 5, "dimension 0 of %A has extent 4, but dimension 0 of the result, over which %i ranges"),
        ("?x5", "0", "?", 6, "dimension 0 of %x has extent 0, but dimension 1 of %A, over which %j ranges as well, 5"),
    ],
)
def test_stated_extents_that_contradict(shape, x, y, line, message):
    with pytest.raises(it.UserError, match="extent-mismatch") as caught:
        it.compile_module(spmv(shape, x, y), "k.mlir")
    assert str(caught.value).startswith(f"k.mlir:{line}:")
    assert message in str(caught.value)


@pytest.mark.parametrize("levels", OTHER_LEVELS)
@pytest.mark.parametrize(
    ("shape", "x", "y", "message"),
    [
        ("4x5", "5", "4", "dimension 0 of A has extent 7, but the module states extent 4 for dimension 0 of A"),
        ("?x5", "?", "?", "dimension 1 of A has extent 9, but the module states extent 5 for dimension 1 of A"),
        ("?x?", "5", "?", "dimension 0 of x has extent 9, but the module states extent 5 for dimension 0 of x"),
        ("?x?", "?", "4", "dimension 0 of A has extent 7, but the module states extent 4 for dimension 0 of y"),
    ],
)
def test_operands_of_other_extents_than_stated(shape, x, y, message, levels):
    kernel = it.compile_module(spmv(shape, x, y).replace(OTHER_LEVELS[0], levels))
    with pytest.raises(it.UserError, match="extent-mismatch") as caught:
        kernel(np.ones((7, 9)), np.ones(9))
    assert message in str(caught.value)
    np.testing.assert_array_equal(kernel(np.ones((4, 5)), np.arange(5.0)), np.full(4, 10.0))


# What computes %r of %a, an entry of A, and %b, one of x: upstream operations, and operators of the algebra.
SCALARS = {
    "f64": [
        ("%r = arith.mulf %a, %b : f64", "%r = algebra.apply mul(%a, %b) : (f64, f64) -> f64"),
        (
            "%c = arith.constant 2.0 : f64\n %d = arith.negf %a : f64\n %e = arith.subf %d, %b : f64\n"
            " %f = arith.divf %e, %c : f64\n %g = arith.maximumf %f, %a : f64\n %r = arith.mulf %g, %b : f64",
            "%c = algebra.constant 2.0 : f64\n %d = algebra.apply neg(%a) : (f64) -> f64\n"
            " %e = algebra.apply sub(%d, %b) : (f64, f64) -> f64\n %f = algebra.apply div(%e, %c) : (f64, f64) -> f64\n"
            " %g = algebra.apply max(%f, %a) : (f64, f64) -> f64\n"
            " %r = algebra.apply mul(%g, %b) : (f64, f64) -> f64",
        ),
        (
            "%c = arith.cmpf olt, %a, %b : f64\n %d = math.absf %b : f64\n %r = arith.select %c, %a, %d : f64",
            "%c = algebra.apply lt(%a, %b) : (f64, f64) -> i1\n %d = algebra.apply abs(%b) : (f64) -> f64\n"
            " %r = algebra.apply where(%c, %a, %d) : (i1, f64, f64) -> f64",
        ),
        (
            "%c = arith.truncf %a : f64 to f32\n %d = arith.extf %c : f32 to f64\n %r = arith.mulf %d, %b : f64",
            "%c = algebra.cast %a : f64 to f32\n %d = algebra.cast %c : f32 to f64\n"
            " %r = algebra.apply mul(%d, %b) : (f64, f64) -> f64",
        ),
        (
            "%c = math.atan2 %b, %a : f64\n %d = math.roundeven %b : f64\n %e = math.copysign %c, %d : f64\n"
            " %r = math.sinh %e : f64",
            "%c = algebra.apply atan2(%b, %a) : (f64, f64) -> f64\n %d = algebra.apply round(%b) : (f64) -> f64\n"
            " %e = algebra.apply copysign(%c, %d) : (f64, f64) -> f64\n %r = algebra.apply sinh(%e) : (f64) -> f64",
        ),
    ],
    "i64": [
        (
            "%c = arith.constant 3 : i64\n %d = arith.addi %a, %c : i64\n %e = arith.cmpi sge, %d, %b : i64\n"
            " %f = arith.minsi %a, %b : i64\n %g = arith.select %e, %f, %a : i64\n %r = arith.muli %g, %b : i64",
            "%c = algebra.constant 3 : i64\n %d = algebra.apply add(%a, %c) : (i64, i64) -> i64\n"
            " %e = algebra.apply ge(%d, %b) : (i64, i64) -> i1\n %f = algebra.apply min(%a, %b) : (i64, i64) -> i64\n"
            " %g = algebra.apply where(%e, %f, %a) : (i1, i64, i64) -> i64\n"
            " %r = algebra.apply mul(%g, %b) : (i64, i64) -> i64",
        ),
    ],
}
CONCRETE = """#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @f(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%out) : tensor<?xf64> {
    concrete_index.forall %i {
      concrete_index.forall %j {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64, #csr>
        %b = concrete_index.access %x[%j] : tensor<?xf64>
        COMPUTE
        concrete_index.assign add %r into %out[%i] : tensor<?xf64>
      }
    }
  }
  func.return %y : tensor<?xf64>
}
"""
NOTATION = """#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @f(%A: tensor<?x?xf64, #csr>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
      %b = index_notation.access %x[%j] : tensor<?xf64>
      COMPUTE
      index_notation.yield %r : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", [NOTATION, CONCRETE], ids=["index_notation", "concrete_index"])
@pytest.mark.parametrize(("element", "number"), [(e, n) for e, ways in SCALARS.items() for n in range(len(ways))])
def test_upstream_operations_are_read_as_the_algebra(text, element, number):
    upstream, algebra = (
        it.compile_module(text.replace("f64", element).replace("COMPUTE", way)) for way in SCALARS[element][number]
    )
    assert upstream.ir("loop") == algebra.ir("loop")
    random = np.random.default_rng(1)
    matrix = random.integers(-3, 4, (7, 9)) * (random.random((7, 9)) < 0.3)
    dtype = np.float64 if element == "f64" else np.int64
    operands = matrix.astype(dtype), np.arange(-4, 5).astype(dtype)
    np.testing.assert_array_equal(upstream(*operands), algebra(*operands))


@pytest.mark.parametrize("text", [NOTATION, CONCRETE], ids=["index_notation", "concrete_index"])
@pytest.mark.parametrize("way", ["%r = arith.minnumf %a, %b : f64", "%r = arith.maxnumf %a, %b : f64"])
def test_upstream_operations_that_the_algebra_does_not_have(text, way):
    with pytest.raises(it.UserError, match="wrong-stage") as caught:
        it.compile_module(text.replace("COMPUTE", way), "k.mlir")
    assert str(caught.value).startswith(f"k.mlir:{text[: text.index('COMPUTE')].count(chr(10)) + 1}:")


@pytest.mark.parametrize(
    ("lines", "operation"),
    [
        ("%s = arith.extf %a : f64 to f128 \n%r = arith.truncf %s : f128 to f64", "extf"),
        ("%p = arith.cmpf olt, %a, %b : f64\n%c = arith.cmpi sgt, %p, %p : i1", "cmpi"),
        ("%p = arith.cmpf olt, %a, %b : f64\n%c = arith.addi %p, %p : i1", "addi"),
    ],
)
def test_upstream_operations_on_types_for_which_the_algebra_has_others(lines, operation):
    """There true is more than false, a sum of truth values is "or", and no element is an f128."""
    text = CONCRETE.replace("COMPUTE", lines).replace("add %r", "add %a")
    with pytest.raises(it.UserError) as caught:
        it.compile_module(text, "k.mlir")
    message = f"compile_module cannot lower 'arith.{operation}' in a statement: it is not an operator of the algebra"
    help = "help: use algebra.apply, with an algebra.operator of your own if none exists"
    first, *_, last = str(caught.value).splitlines()
    assert first.endswith(f": error: [wrong-stage] {message}") and last == help


def test_upstream_constants_outside_of_a_statement():
    text = NOTATION.replace("COMPUTE", "%r = arith.mulf %a, %c : f64")
    text = text.replace("  %y =", "  %c = arith.constant 2.5 : f64\n  %y =", 1)
    matrix = np.diag(np.arange(4.0))
    np.testing.assert_array_equal(it.compile_module(text)(matrix, np.ones(4)), 2.5 * np.arange(4))


# Coordinates j of x, computed from i, which goes over all of d; the values of d may be coordinates.
COMPUTED = """func.func @f(%x: tensor<?xf64>, %d: tensor<?xi64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%o) : tensor<?xf64> {
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %n = concrete_index.extent %x, 0 : tensor<?xf64>
    concrete_index.forall %i {
      %v = concrete_index.access %d[%i] : tensor<?xi64>
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
GATHER = "%c = arith.index_cast %v : i64 to index"
SHIFT = "%c = arith.addi %i, %two : index"
# What each is in plain Python, of i, the element v of d and the extent n.
COORDINATES = {
    GATHER: lambda i, v, n: v,
    SHIFT: lambda i, v, n: i + 2,
    "%c = arith.subi %i, %one : index": lambda i, v, n: i - 1,
    "%c = arith.muli %i, %two : index": lambda i, v, n: 2 * i,
    "%c = arith.remsi %i, %n : index": lambda i, v, n: i % n,
    "%c = arith.divsi %i, %two : index": lambda i, v, n: i // 2,
    "%m = arith.subi %n, %one : index %c = arith.minsi %i, %m : index": lambda i, v, n: min(i, n - 1),
    # Neither the least nor the greatest value of a part says that it stays inside.
    "%m = arith.addi %i, %two : index %c = arith.subi %m, %i : index": lambda i, v, n: 2,
}


@pytest.mark.parametrize("way", COORDINATES)
@pytest.mark.parametrize("stored", [[0, 3, 1], [4, 0], [], [2, 10**9], [-1, 2], [5, 1, 1], [1] * 9])
def test_computed_coordinates_stay_inside(way, stored):
    x, d = np.arange(5.0), np.array(stored, np.int64)
    kernel = it.compile_module(COMPUTED.replace("COMPUTE", way.replace(" : index %", " : index\n %")))
    wanted = [COORDINATES[way](i, int(v), 5) for i, v in enumerate(d)]
    outside = [value for value in wanted if not 0 <= value < 5]
    if not outside:
        np.testing.assert_array_equal(kernel(x, d), x[wanted] if wanted else [])
        return
    with pytest.raises(it.UserError, match="index-out-of-range") as caught:
        kernel(x, d)
    assert any(f"j is {value} in x[j], where dimension 0 has extent 5" in str(caught.value) for value in outside)


SPARSE_COORDINATES = ["(i) -> (i : compressed)", "(i) -> (i : bitmap)", "(i) -> (i : hashed)", "(i) -> (i : padded)"]


@pytest.mark.parametrize("format", SPARSE_COORDINATES)
def test_coordinates_that_a_sparse_operand_holds(format):
    text = COMPUTED.replace("COMPUTE", GATHER).replace("tensor<?xi64>", f"tensor<?xi64, #storage.format<{format}>>")
    kernel = it.compile_module(text)
    d = np.array([0, 3, 0, 4])
    np.testing.assert_array_equal(kernel(np.arange(5.0), d), d)
    with pytest.raises(it.UserError, match=r"index-out-of-range.*j is 7 in x\[j\]"):
        kernel(np.arange(5.0), np.array([0, 7, 0, 4]))


@pytest.mark.parametrize("format", SPARSE_COORDINATES)
def test_a_coordinate_of_two_sparse_operands(format):
    """What is read depends on both: at a coordinate where neither has an entry, where one has, and where both have."""
    type = f"tensor<?xi64, #storage.format<{format}>>"
    text = COMPUTED.replace("%d: tensor<?xi64>", f"%d: {type}, %e: {type}").replace(
        "%d[%i] : tensor<?xi64>", f"%d[%i] : {type}"
    )
    way = f"""%w = concrete_index.access %e[%i] : {type}
      %0 = arith.index_cast %v : i64 to index
      %1 = arith.index_cast %w : i64 to index
      %c = arith.addi %0, %1 : index"""
    kernel = it.compile_module(text.replace("COMPUTE", way))
    d, e = np.array([0, 3, 0, 4, 1]), np.array([0, 0, 2, 0, 1])
    np.testing.assert_array_equal(kernel(np.arange(10.0, 17.0), d, e), 10.0 + d + e)


OF_A_TEMPORARY = """func.func @f(%x: tensor<?xf64>, %d: tensor<?xi64>) -> tensor<?xf64> {
  %y = concrete_index.compute (%o) : tensor<?xf64> {
    concrete_index.where produce (%t) : tensor<?xf64> {
      concrete_index.forall %k {
        %a = concrete_index.access %x[%k] : tensor<?xf64>
        %b = algebra.apply add(%a, %a) : (f64, f64) -> f64
        concrete_index.assign %b into %t[%k] : tensor<?xf64>
      }
    } consume (%u) {
      concrete_index.forall %i {
        %v = concrete_index.access %d[%i] : tensor<?xi64>
        %c = arith.index_cast %v : i64 to index
        concrete_index.let %j = %c {
          %a = concrete_index.access %u[%j] : tensor<?xf64>
          concrete_index.assign %a into %o[%i] : tensor<?xf64>
        }
      }
    }
  }
  func.return %y : tensor<?xf64>
}
"""


@pytest.mark.parametrize("stored", [[0, 3, 1], [4, 0], [], [5, 1], [2, 10**9], [-1, 2]])
def test_coordinates_stay_inside_of_a_temporary(stored):
    """It is as large as what goes into it."""
    x, d = np.arange(5.0), np.array(stored, np.int64)
    kernel = it.compile_module(OF_A_TEMPORARY)
    outside = [value for value in stored if not 0 <= value < 5]
    if not outside:
        np.testing.assert_array_equal(kernel(x, d), 2 * x[d])
        return
    with pytest.raises(it.UserError, match="index-out-of-range") as caught:
        kernel(x, d)
    assert f"j is {outside[0]} in u[j], where dimension 0 has extent 5" in str(caught.value)


def test_a_temporary_into_which_nothing_goes_has_no_coordinates():
    kernel = it.compile_module(OF_A_TEMPORARY)
    np.testing.assert_array_equal(kernel(np.zeros(0), np.zeros(0, np.int64)), [])
    with pytest.raises(it.UserError, match=r"j is 0 in u\[j\], where dimension 0 has extent 0"):
        kernel(np.zeros(0), np.zeros(1, np.int64))


RANGES = """func.func @f(%A: tensor<?x?xf64>) -> tensor<f64> {
  %y = concrete_index.compute (%o) : tensor<f64> {
    %low = arith.constant LOW : index
    %high = arith.constant HIGH : index
    %m = concrete_index.extent %A, 1 : tensor<?x?xf64>
    concrete_index.forall %i {
      RANGE {
        %a = concrete_index.access %A[%i, %j] : tensor<?x?xf64>
        concrete_index.assign add %a into %o[] : tensor<f64>
      }
    }
  }
  func.return %y : tensor<f64>
}
"""


@pytest.mark.parametrize(
    ("low", "high", "range_of_j", "outside"),
    [
        (0, 4, "from %low to %high", None),
        (1, 3, "from %low to %high", None),
        (3, 1, "from %low to %high", None),
        (9, 9, "from %low to %high", None),
        (0, 300000000, "from %low to %high", 299999999),
        (-2, 2, "from %low to %high", -2),
        (0, 5, "from %low to %high", 4),
        (0, 0, "from %i to %m", None),
        (0, 0, "from %low to %i", None),
    ],
)
@pytest.mark.parametrize("shape", [(3, 4), (4, 4), (0, 4)])
def test_ranges_end_inside(low, high, range_of_j, outside, shape):
    text = RANGES.replace("RANGE", f"concrete_index.forall %j {range_of_j}")
    kernel = it.compile_module(text.replace("LOW", str(low)).replace("HIGH", str(high)))
    array = np.arange(float(np.prod(shape))).reshape(shape)
    if outside is not None and shape[0]:
        with pytest.raises(it.UserError, match=rf"j is {outside} in A\[i, j\], where dimension 1 has extent 4"):
            kernel(array)
        return
    ends = {"%low": low, "%high": high, "%m": 4}
    first, last = range_of_j.removeprefix("from ").split(" to ")
    wanted = sum(
        array[i, j] for i in range(shape[0]) for j in range(*({**ends, "%i": i}[end] for end in (first, last)))
    )
    assert kernel(array) == wanted


@pytest.mark.parametrize("text", [NOTATION, CONCRETE], ids=["index_notation", "concrete_index"])
@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize(("element", "number"), [("f64", 2.5), ("f32", 0.5), ("i64", 3), ("i8", -2)])
def test_numbers_as_arguments(text, outside, element, number):
    """What is computed of a number may stand outside of the statement."""
    double = f"%d = algebra.apply add(%c, %c) : ({element}, {element}) -> {element}\n"
    text = text.replace("f64", element)
    text = text.replace(f"%x: tensor<?x{element}>", f"%c: {element}, %x: tensor<?x{element}>")
    text = text.replace("  %y =", f"  {double if outside else ''}  %y =", 1)
    product = f"%r = algebra.apply mul(%a, %d) : ({element}, {element}) -> {element}"
    text = text.replace("COMPUTE", f"{'' if outside else double} {product}")
    kernel = it.compile_module(text)
    dtype = np.dtype({"f64": "f8", "f32": "f4", "i64": "i8", "i8": "i1"}[element])
    matrix = np.array([[1, 0, 2], [0, 0, 3]]).astype(dtype)
    for found in (
        kernel(matrix, number, np.ones(3, dtype)),
        kernel(A=matrix, c=dtype.type(number), x=np.ones(3, dtype)),
    ):
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, matrix.sum(1) * 2 * number)
    with pytest.raises(it.UserError, match=r"bad-cast.*operand c"):
        kernel(matrix, 1j, np.ones(3, dtype))
    with pytest.raises(it.UserError, match=r"rank-mismatch.*operand c has 1 dimensions"):
        kernel(matrix, np.ones(3, dtype), np.ones(3, dtype))


@pytest.mark.parametrize("type", ["index", "memref<?xf64>", "f128"])
def test_arguments_that_are_neither_tensors_nor_numbers(type):
    text = NOTATION.replace("COMPUTE", "%r = algebra.apply mul(%a, %b) : (f64, f64) -> f64")
    text = text.replace("%x: tensor<?xf64>", f"%x: tensor<?xf64>, %c: {type}")
    with pytest.raises(it.UserError, match=r"unsupported-function.*argument 'c' of @f is not a tensor"):
        it.compile_module(text)
