"""With `strict_fp`, sums have the bits of a plain loop in Python; without, they are close, and differ where they may.

The loops here add one NumPy number after the other, complex ones by their parts, and share nothing with the compiler.
"""

from functools import reduce
from typing import Any, cast

import effort
import numpy as np
import pytest

import irtensor as it
from irtensor.runtime import cpu_engine

TYPES = (np.float32, np.float64, np.complex64, np.complex128)
CSF = it.CSF(3)
ROWS, COLUMNS = 12, 1500
# Longer than a block of a sum that is split.
LONG = 9000


@pytest.fixture(autouse=True)
def full_effort(monkeypatch):
    """What LLVM makes of flags and hints shows in optimised code only."""
    monkeypatch.setattr(cpu_engine, "compile_llvm_text", effort.as_asked)


def numbers(seed, *shape, dtype=np.float64, density=1.0):
    """Numbers of very different sizes, whose sum depends on the order in nearly every step."""
    rng = np.random.default_rng(seed)

    def part():
        return (rng.random(shape) - 0.5) * 10.0 ** rng.integers(-4, 4, shape)

    values = part() + 1j * part() if np.dtype(dtype).kind == "c" else part()
    return np.where(rng.random(shape) < density, values, 0).astype(dtype)


def times(*factors):
    """A product, rounded after each factor; NumPy's own of complex numbers may be fused."""

    def one(a, b):
        if a.dtype.kind != "c":
            return a * b
        real, imaginary = a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real
        return a.dtype.type(complex(real, imaginary))

    return reduce(one, factors)


def total(terms, dtype=np.float64):
    """The terms added up from zero, one after the other."""
    result = np.dtype(dtype).type(0)
    for term in terms:
        result = result + term
    return result


def stored(array, *at):
    """The coordinates in a row of what is stored, in order."""
    return [int(j) for j in np.flatnonzero(array[at])]


def bits(value):
    return np.asarray(value.to_numpy() if isinstance(value, it.Tensor) else value).tobytes()


def packed(array, format):
    return array if format is None else it.Tensor.from_numpy(array, format)


def compiled(notation, formats=None, schedule=None, threads=1, *, strict=True):
    steps = None if schedule is None else it.schedule(schedule)
    options: dict[str, Any] = {"strict_fp": strict, "num_threads": threads, "disk_cache": False, "schedule": steps}
    # By loops in any case, and not by BLAS.
    options["deterministic"] = schedule is None
    return lambda **operands: it.compile(
        notation,
        formats={name: format for name, format in (formats or {}).items() if format is not None},
        dtypes={name: value.dtype for name, value in operands.items()},
        **options,
    )(**{name: packed(value, (formats or {}).get(name)) for name, value in operands.items()})


def check(
    notation: str,
    expected: Any,
    formats: Any = None,
    schedule: str | None = None,
    threads: int = 1,
    **operands: Any,
):
    result = compiled(notation, formats, schedule, threads)(**operands)
    assert bits(result) == np.asarray(expected).tobytes()
    close = compiled(notation, formats, schedule, threads, strict=False)(**operands)
    close = close.to_numpy() if isinstance(close, it.Tensor) else close
    scale = np.abs(np.asarray(expected)).max() + max(np.abs(value).max() for value in operands.values()) ** 2
    precision = np.finfo(np.asarray(expected).dtype).eps
    np.testing.assert_allclose(close, expected, rtol=0, atol=scale * precision * LONG)
    return bits(close) != np.asarray(expected).tobytes()


@pytest.mark.one_in(4)
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", TYPES)
def test_long_sums(dtype, threads):
    x, y = numbers(1, LONG, dtype=dtype), numbers(2, LONG, dtype=dtype)
    differs = check("s = x[i]", total(x, dtype), threads=threads, x=x)
    # Else nothing has been shown.
    assert differs or np.dtype(dtype).kind == "c"
    check("s = x[i] * y[i]", total(map(times, x, y), dtype), threads=threads, x=x, y=y)
    sparse = numbers(3, LONG, dtype=dtype, density=0.7)
    terms = [times(sparse[i], y[i]) for i in stored(sparse)]
    check("s = x[i] * y[i]", total(terms, dtype), {"x": "compressed"}, threads=threads, x=sparse, y=y)


@pytest.mark.one_in(3)
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("format", [it.CSR, it.CSC, it.DCSR, it.COO(2), None], ids=str)
@pytest.mark.parametrize("dtype", TYPES)
def test_rows_times_a_vector(dtype, format, threads):
    a, x = numbers(4, ROWS, COLUMNS, dtype=dtype, density=0.5), numbers(5, COLUMNS, dtype=dtype)
    columns = [range(COLUMNS) if format is None else stored(a, i) for i in range(ROWS)]
    expected = [total((times(a[i, j], x[j]) for j in columns[i]), dtype) for i in range(ROWS)]
    check("y[i] = A[i,j] * x[j]", expected, {"A": format}, threads=threads, A=a, x=x)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("threads", [1, 3])
def test_sums_of_all_entries(threads):
    a = numbers(6, 300, 40, density=0.5)
    expected = total(a[i, j] for i in range(300) for j in stored(a, i))
    assert check("s = A[i,j]", expected, {"A": it.CSR}, threads=threads, A=a)
    down = [total(a[i, j] for i in range(300) if a[i, j]) for j in range(40)]
    check("y[j] = A[i,j]", down, {"A": it.CSR}, threads=threads, A=a)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("threads", [1, 3])
def test_entries_of_one_coordinate(threads):
    rng = np.random.default_rng(7)
    places, values, x = rng.integers(0, 9, (2, 4000)), numbers(8, 4000), numbers(9, 9)
    places = places[:, np.lexsort(places[::-1])]
    format = it.Format("(i, j) -> (i : compressed(nonunique), j : singleton(nonunique))")
    A = it.Tensor.from_coo(list(places), values, shape=(9, 9), format=format, duplicates="keep")
    expected = np.zeros(9)
    for (i, j), value in zip(places.T, values, strict=True):
        expected[i] += value * x[j]
    kernel = it.compile("y[i] = A[i,j] * x[j]", {"A": format}, strict_fp=True, num_threads=threads)
    assert bits(kernel(A=A, x=x)) == bits(expected)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("format", [CSF, None], ids=str)
def test_a_loop_of_the_result_between_those_of_a_sum(format, threads):
    a = numbers(10, 20, 8, 30, density=0.6)
    places = {(k, i): range(30) if format is None else stored(a, k, i) for k in range(20) for i in range(8)}
    expected = [total(a[k, i, j] for k in range(20) for j in places[k, i]) for i in range(8)]
    assert check("y[i] = A[k,i,j]", expected, {"A": format}, threads=threads, A=a)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("format", [it.CSR, None], ids=str)
def test_products_of_matrices(format, threads):
    a, b = numbers(11, 10, 40, density=0.5), numbers(12, 40, 90, density=0.5)
    inner = range(40)
    expected = [
        [total(a[i, k] * b[k, j] for k in inner if format is None or (a[i, k] and b[k, j])) for j in range(90)]
        for i in range(10)
    ]
    formats = dict.fromkeys("ABC", format)
    assert check("C[i,j] = A[i,k] * B[k,j]", expected, formats, threads=threads, A=a, B=b)
    if format is not None:
        # In registers, row by row of B.
        check("C[i,j] = A[i,k] * B[k,j]", expected, {"A": format}, threads=threads, A=a, B=b)


@pytest.mark.parametrize("format", [it.CSR, None], ids=str)
def test_three_factors(format):
    a, b, c = numbers(13, 6, 15, density=0.5), numbers(14, 15, 16, density=0.5), numbers(15, 16, 7)
    pairs = [(j, k) for j in range(15) for k in range(16)]
    expected = [
        [total(times(a[i, j], b[j, k], c[k, l]) for j, k in pairs if a[i, j] and b[j, k]) for l in range(7)]
        for i in range(6)
    ]
    formats = dict.fromkeys("AB", format)
    assert bits(compiled("D[i,l] = A[i,j] * B[j,k] * C[k,l]", formats)(A=a, B=b, C=c)) == bits(expected)


def test_sampled_products_and_unions_of_many():
    s, a, b = numbers(16, 9, 9, density=0.4), numbers(17, 9, 300), numbers(18, 300, 9)
    expected = np.zeros((9, 9))
    for i, j in np.argwhere(s):
        expected[i, j] = total(times(s[i, j], a[i, k], b[k, j]) for k in range(300))
    formats = {"S": it.CSR, "C": it.CSR}
    assert check("C[i,j] = S[i,j] * A[i,k] * B[k,j]", expected, formats, S=s, A=a, B=b)
    terms = {name: numbers(19 + number, 9, 30, density=0.4) for number, name in enumerate("ABCDEF")}
    notation = "Z[i,j] = " + " + ".join(f"{name}[i,j]" for name in terms)
    check(notation, reduce(np.add, terms.values()), dict.fromkeys("ABCDEFZ", it.CSR), **cast(Any, terms))


@pytest.mark.parametrize("format", [it.CSR, None], ids=str)
def test_sums_inside_of_sums(format):
    a, b, m = numbers(40, 6, 9, 200), numbers(41, 9, 200), numbers(42, 6, 9, density=0.6)
    rows = range(6)
    flat = [total(a[i, j, k] for j in range(9) for k in range(200)) for i in rows]
    assert check("y[i] = sum(j, sum(k, A[i,j,k]))", flat, A=a)
    columns = [range(9) if format is None else stored(m, i) for i in rows]
    grouped = [total(m[i, j] * total(a[i, j] * b[j]) for j in columns[i]) for i in rows]
    assert check("y[i] = sum(j, M[i,j] * sum(k, A[i,j,k] * B[j,k]))", grouped, {"M": format}, A=a, B=b, M=m)
    added = [b[0, i] + total(m[i, j] * b[j, 9] for j in columns[i]) for i in rows]
    operands = {"y": b[0, :6].copy(), "M": packed(m, format), "x": b[:, 9].copy()}
    for notation in ("y[i] += M[i,j] * x[j]", "z[i] = y[i] + M[i,j] * x[j]"):
        formats = {} if format is None else {"M": format}
        kernel = it.compile(notation, formats, strict_fp=True, disk_cache=False)
        assert bits(kernel(**operands)) == bits(added)


def test_fill_values_are_added_one_by_one():
    a = np.where(np.random.default_rng(38).random((30, 200)) < 0.1, numbers(39, 30, 200), 0.1)
    assert check("s = x[i]", total(a[0]), {"x": "compressed, fill = 0.1"}, x=a[0])
    down = [total(a[:, j]) for j in range(200)]
    formats = {"A": "dense, compressed, fill = 0.1"}
    assert bits(compiled("y[j] = A[i,j]", formats)(A=a)) == bits(down)


def test_products_are_rounded_before_they_are_added():
    # The square of `x` is 1 + 2**-26 + 2**-54, of which the last part is rounded away.
    x = np.float64(1 + 2.0**-27)
    a, b = np.array([-1 - 2.0**-26, x]), np.array([1.0, x])
    kernel = it.compile("s = a[i] * b[i]", strict_fp=True, disk_cache=False)
    assert kernel(a=a, b=b) == 0.0
    assert not {"contract", "reassoc", "fast", "fmuladd"} & set(kernel.llvm_ir().replace("(", " ").split())
    assert "vfmadd" not in kernel.assembly() and "fmla" not in kernel.assembly()
    loose = it.compile("s = a[i] * b[i]", disk_cache=False)
    assert "fmul contract " in loose.llvm_ir() and "fadd contract reassoc " in loose.llvm_ir()
    # Of what is no sum, a product is rounded whatever the setting.
    for strict in (False, True):
        kernel = it.compile("y[i] = a[i] * b[i] + c[i]", strict_fp=strict, disk_cache=False)
        np.testing.assert_array_equal(kernel(a=b, b=b, c=np.full(2, -1 - 2.0**-26)), [-(2.0**-26), 0.0])


DOT, ROW_SUMS = "s = a[i] * b[i]", "y[i] = A[i,j] * x[j]"
KEEPING = [
    (DOT, "vectorize(i, 8)"),
    (DOT, "unroll(i, 4)"),
    (DOT, "split(i, i0, i1, 8)"),
    (DOT, "split(i, i0, i1, 8); vectorize(i1, 8)"),
    (DOT, "divide(i, i0, i1, 3); unroll(i1, 4)"),
    (DOT, "divide(i, i0, i1, 3); vectorize(i1, 4)"),
    (DOT, "precompute(a[i] * b[i], over=i)"),
    (DOT, "precompute(a[i] * b[i], over=i, workspace=w); split(i, i0, i1, 16)"),
    (DOT, "precompute(a[i], over=i)"),
    (ROW_SUMS, "vectorize(j, 4)"),
    (ROW_SUMS, "reorder(j, i); vectorize(i, 4)"),
    (ROW_SUMS, "split(j, j0, j1, 5); reorder(j0, i)"),
    (ROW_SUMS, "split(j, j0, j1, 5); reorder(j0, i); vectorize(j1, 4)"),
    (ROW_SUMS, "divide(j, j0, j1, 3); reorder(j0, i); unroll(j1, 4)"),
    (ROW_SUMS, "precompute(A[i,j] * x[j], over=i)"),
    (ROW_SUMS, "precompute(A[i,j] * x[j], over=j)"),
    (ROW_SUMS, "reorder(j, i); precompute(A[i,j] * x[j], over=i)"),
    (ROW_SUMS, "parallelize(i)"),
    (ROW_SUMS, "split(i, i0, i1, 4); parallelize(i0); vectorize(j, 8)"),
    (ROW_SUMS, "reorder(j, i); parallelize(i)"),
]
REFUSED = [
    (DOT, "parallelize(i, races=temporary)", "parallel-race"),
    (DOT, "parallelize(i, races=atomics)", "parallel-race"),
    (DOT, "split(i, i0, i1, 8); parallelize(i0, races=temporary)", "parallel-race"),
    (ROW_SUMS, "parallelize(j, races=temporary)", "parallel-race"),
    (ROW_SUMS, "reorder(j, i); parallelize(j, races=temporary)", "parallel-race"),
    (ROW_SUMS, "reorder(j, i); parallelize(j, races=atomics)", "parallel-race"),
    ("s = A[i,j] * x[j]", "precompute(A[i,j], over=j)", "illegal-precompute"),
    ("s = A[i,j] * x[j]", "reorder(j, i); precompute(A[i,j])", "illegal-precompute"),
]


@pytest.mark.one_in(8)
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("notation", "schedule"), KEEPING)
def test_schedules_that_keep_the_order(notation, schedule, threads):
    a, x = numbers(30, ROWS, COLUMNS), numbers(31, COLUMNS)
    if notation == DOT:
        expected = total(map(times, a[0], x))
        check(notation, expected, schedule=schedule, threads=threads, a=a[0], b=x)
    else:
        expected = [total(map(times, row, x)) for row in a]
        check(notation, expected, schedule=schedule, threads=threads, A=a, x=x)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("notation", "schedule", "slug"), REFUSED)
@pytest.mark.parametrize("threads", [1, 3])
def test_schedules_that_do_not_are_refused(notation, schedule, slug, threads):
    shapes = {"a": (50,), "b": (50,), "x": (40,), "A": (50, 40)}
    operands = {name: numbers(32, *shape) for name, shape in shapes.items() if f"{name}[" in notation}
    with pytest.raises(it.UserError, match="floating-point sum") as caught:
        compiled(notation, schedule=schedule, threads=threads)(**operands)
    assert caught.value.slug == slug
    assert caught.value.location is not None
    assert caught.value.help is not None and "omit strict_fp" in caught.value.help
    assert any("this is step" in note.message for note in caught.value.notes)
    compiled(notation, schedule=schedule, threads=threads, strict=False)(**operands)


def test_entries_are_not_divided_where_rows_may_be_cut():
    a, x = numbers(36, 40, 30, density=0.5), numbers(37, 30)
    blocks = "fuse(i, j, f); split(f, f0, f1, 16, tensor=A)"
    expected = [total(a[i, j] * x[j] for j in stored(a, i)) for i in range(40)]
    assert bits(compiled(ROW_SUMS, {"A": it.CSR}, blocks)(A=a, x=x)) == bits(expected)
    for races in ("temporary", "atomics"):
        with pytest.raises(it.UserError, match="floating-point sums keep their order"):
            compiled(ROW_SUMS, {"A": it.CSR}, f"{blocks}; parallelize(f0, races={races})", 3)(A=a, x=x)


@pytest.mark.usefixtures("small_parts")
def test_what_is_the_same_in_any_order_is_still_computed_in_parts():
    x = np.random.default_rng(33).integers(-9, 9, LONG)
    options: dict[str, Any] = {"strict_fp": True, "num_threads": 3, "disk_cache": False}
    for notation, expected in {"s = x[i]": x.sum(), "s = max(i, x[i])": x.max()}.items():
        kernel = it.compile(notation, schedule=it.schedule("parallelize(i, races=temporary)"), **options)
        assert kernel(x=x) == expected
        assert "loop.parallel" in kernel.ir("divide-parallel-loops")
        floats = x.astype(float)
        if "max" in notation:
            assert it.compile(notation, **options)(x=floats) == floats.max()


FUNCTION = """
func.func @dot(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<f64> {
  %s = concrete_index.compute (%r) : tensor<f64> {
    concrete_index.forall %i attributes {vectorize = 4 : i64} {
      %x = concrete_index.access %a[%i] : tensor<?xf64>
      %y = concrete_index.access %b[%i] : tensor<?xf64>
      %p = algebra.apply mul(%x, %y) : (f64, f64) -> f64
      concrete_index.assign add %p into %r[] : tensor<f64>
    }
  }
  func.return %s : tensor<f64>
}
"""


@pytest.mark.parametrize("threads", [1, 3])
def test_functions_of_loops(threads):
    a, b = numbers(34, LONG), numbers(35, LONG)
    expected = total(map(times, a, b))
    options: dict[str, Any] = {"num_threads": threads, "disk_cache": False}
    kernel = it.compile_module(FUNCTION, strict_fp=True, **options)
    assert bits(kernel(a, b)) == bits(expected)
    assert "reassoc" not in kernel.llvm_ir() and "vectorize.width" not in kernel.llvm_ir()
    loose = it.compile_module(FUNCTION, **options)
    assert bits(loose(a, b)) != bits(expected)
    assert "reassoc" in loose.llvm_ir() and "vectorize.width" in loose.llvm_ir()
    # A function may say so itself.
    marked = FUNCTION.replace("-> tensor<f64> {", "-> tensor<f64> attributes {algebra.keeps_order} {")
    assert bits(it.compile_module(marked, **options)(a, b)) == bits(expected)


def test_operators_of_ones_own():
    traits = "associative, commutative, identity = 0.0 : f64"
    declared = f"""algebra.operator @plus(%a: f64, %b: f64) -> f64 attributes {{{traits}}} {{
      %c = algebra.apply add(%a, %b) : (f64, f64) -> f64
      algebra.yield %c : f64
    }}"""
    text = declared + FUNCTION.replace("assign add", "assign @plus")
    a, b = numbers(43, LONG), numbers(44, LONG)
    expected = total(map(times, a, b))
    options: dict[str, Any] = {"num_threads": 1, "disk_cache": False}
    assert bits(it.compile_module(text, strict_fp=True, **options)(a, b)) == bits(expected)
    loose = it.compile_module(text, **options)
    assert "vectorize.width" in loose.llvm_ir() and bits(loose(a, b)) != bits(expected)
    ordered = it.compile_module(text.replace("associative, commutative", "associative"), **options)
    assert bits(ordered(a, b)) == bits(expected)
