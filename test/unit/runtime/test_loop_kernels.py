"""Native code of hand-written kernels of the loop dialect, against the interpreter and NumPy."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from reference.interpret_loop import interpret_loop
from reference.loop_memory import Growable, OutOfBounds

SPMV = """
func.func @kernel(%m: index, %pos: !loop.buffer<i32>, %crd: !loop.buffer<i32>, %val: !loop.buffer<f64>,
                  %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  loop.for %i = %c0 to %m {
    %i1 = arith.addi %i, %c1 : index
    %p0 = loop.load %pos[%i] : i32
    %p1 = loop.load %pos[%i1] : i32
    %lo = arith.index_cast %p0 : i32 to index
    %hi = arith.index_cast %p1 : i32 to index
    %s = loop.cell %z : f64
    loop.for %p = %lo to %hi {
      %j = loop.load %crd[%p] : i32
      %jj = arith.index_cast %j : i32 to index
      %a = loop.load %val[%p] : f64
      %b = loop.load %x[%jj] : f64
      %ab = arith.mulf %a, %b FLAGS : f64
      %old = loop.get %s : f64
      %new = arith.addf %old, %ab FLAGS : f64
      loop.set %new, %s : f64
    }
    %r = loop.get %s : f64
    loop.store %r, %y[%i] : f64
  }
  func.return
}
"""
FAST = SPMV.replace("FLAGS", "fastmath<reassoc,contract>")


def spmv_arguments(rows: int, columns: int, density: float) -> tuple[Any, np.ndarray, list[Any]]:
    random = np.random.default_rng(rows)
    matrix = scipy.sparse.random(rows, columns, density, random_state=random).tocsr()
    x = random.random(columns)
    return matrix, x, [np.int64(rows), matrix.indptr, matrix.indices, matrix.data, x, np.empty(rows)]


@pytest.mark.parametrize("shape", [(1, 1), (7, 5), (40, 300)])
def test_strict_spmv_has_the_bits_of_scipy(run, shape):
    rows, columns = shape
    matrix, x, arguments = spmv_arguments(rows, columns, 0.4)
    result = run(SPMV.replace("FLAGS", ""), *arguments)[-1]
    np.testing.assert_array_equal(result, matrix @ x)


def test_strict_option_removes_reassociation(run):
    matrix, x, arguments = spmv_arguments(40, 300, 0.4)
    result = run(FAST, *arguments, strict=True)[-1]
    np.testing.assert_array_equal(result, matrix @ x)


@pytest.mark.parametrize("effort", ["scalar", "light"])
def test_less_effort_computes_the_same(run, effort):
    matrix, x, arguments = spmv_arguments(40, 300, 0.4)
    result = run(SPMV.replace("FLAGS", ""), *arguments, effort=effort)[-1]
    np.testing.assert_array_equal(result, matrix @ x)


def test_fast_spmv_is_close(run):
    matrix, x, arguments = spmv_arguments(40, 300, 0.4)
    np.testing.assert_allclose(run(FAST, *arguments, exact=False)[-1], matrix @ x)


FILTER = """
func.func @kernel(%n: index, %a: !loop.buffer<f64>, %limit: f64, %crd: !loop.growable<i32>,
                  %val: !loop.growable<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = loop.cell %c0 : index
  loop.for %i = %c0 to %n {
    %x = loop.load %a[%i] : f64
    %keep = arith.cmpf ogt, %x, %limit : f64
    loop.if %keep {
      %q = loop.get %count : index
      %next = arith.addi %q, %c1 : index
      loop.reserve %crd, %next : i32
      loop.reserve %val, %next : f64
      %i32 = arith.index_cast %i : index to i32
      %c = loop.data %crd : i32
      %v = loop.data %val : f64
      loop.store %i32, %c[%q] : i32
      loop.store %x, %v[%q] : f64
      loop.set %next, %count : index
    }
  }
  %total = loop.get %count : index
  loop.set_size %crd, %total : i32
  loop.set_size %val, %total : f64
  func.return
}
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 5000])
def test_append_grows(run, count):
    values = np.random.default_rng(count).random(count)
    arguments = run(FILTER, np.int64(count), values, np.float64(0.25), Growable("i4"), Growable("f8"))
    np.testing.assert_array_equal(arguments[3].contents, np.nonzero(values > 0.25)[0])
    np.testing.assert_array_equal(arguments[4].contents, values[values > 0.25])


HUGE = """
func.func @kernel(%n: index, %g: !loop.growable<f64>, %done: !loop.buffer<i8>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i8
  loop.store %one, %done[%c0] : i8
  loop.reserve %g, %n : f64
  %c1 = arith.constant 1 : index
  loop.store %one, %done[%c1] : i8
  func.return
}
"""


@pytest.mark.parametrize("count", [1 << 45, 1 << 60, (1 << 63) - 1])
def test_out_of_memory_is_a_status(machine, count):
    module = machine.parse(HUGE)
    done = np.zeros(2, "i1")
    assert machine.call_native(machine.compile_module(module, "kernel"), [np.int64(count), Growable("f8"), done]) == 1
    assert done.tolist() == [1, 0]
    assert interpret_loop(module, "kernel", [count, Growable("f8", limit=10), done]) == 1


SEARCH = """
func.func @kernel(%n: index, %m: index, %a: !loop.buffer<TYPE>, %x: !loop.buffer<i64>, %lower: !loop.buffer<i64>,
                  %upper: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  loop.for %i = %c0 to %m {
    %key = loop.load %x[%i] : i64
    %k = arith.index_cast %key : i64 to index
    %p = loop.lower_bound %a[%c0 to %n], %k : TYPE
    %q = loop.upper_bound %a[%c0 to %n], %k : TYPE
    %p64 = arith.index_cast %p : index to i64
    %q64 = arith.index_cast %q : index to i64
    loop.store %p64, %lower[%i] : i64
    loop.store %q64, %upper[%i] : i64
  }
  func.return
}
"""


@pytest.mark.parametrize("type", ["i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 100])
def test_search(run, type, count):
    a = np.sort(np.random.default_rng(count).integers(-20, 20, count)).astype(f"i{int(type[1:]) // 8}")
    keys = np.arange(-25, 25)
    out = np.zeros(50, "i8")
    arguments = run(SEARCH.replace("TYPE", type), np.int64(count), np.int64(50), a, keys, out, out)
    np.testing.assert_array_equal(arguments[4], np.searchsorted(a, keys, "left"))
    np.testing.assert_array_equal(arguments[5], np.searchsorted(a, keys, "right"))


FILL = """
func.func @kernel(%v: TYPE, %a: !loop.buffer<TYPE>, %b: !loop.buffer<TYPE>, %lo: index, %hi: index) {
  CONSTANT
  loop.fill %v, %a[%lo to %hi] : TYPE
  loop.fill %z, %b[%lo to %hi] : TYPE
  func.return
}
"""
ELEMENTS = {
    **{"i1": "?", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "f32": "f4", "f64": "f8"},
    **{"complex<f32>": "c8", "complex<f64>": "c16"},
}


@pytest.mark.parametrize("type", ELEMENTS)
@pytest.mark.parametrize("bounds", [(0, 10), (3, 7), (4, 4), (6, 2)])
def test_fill(run, type, bounds):
    dtype = np.dtype(ELEMENTS[type])
    zero = "arith.constant 0.0 : " + type if type[0] == "f" else f"arith.constant 0 : {type}"
    if type[0] == "c":
        part = type[8:-1]
        zero = f"complex.constant [0.0 : {part}, 0.0 : {part}] : {type}"
    text = FILL.replace("TYPE", type).replace("CONSTANT", f"%z = {zero}")
    value = dtype.type(3 - 2j if dtype.kind == "c" else 1)
    a = np.zeros(10, dtype)
    b = np.ones(10, dtype)
    arguments = run(text, value, a, b, np.int64(bounds[0]), np.int64(bounds[1]))
    a[bounds[0] : bounds[1]] = value
    b[bounds[0] : bounds[1]] = 0
    np.testing.assert_array_equal(arguments[1], a)
    np.testing.assert_array_equal(arguments[2], b)


COPY = """
func.func @kernel(%a: !loop.buffer<i32>, %b: !loop.buffer<i32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  loop.copy %a[%c0], %b[%c2], %n : i32
  loop.copy %b[%c2], %b[%c0], %n : i32
  func.return
}
"""


@pytest.mark.parametrize("count", [-3, 0, 1, 8])
def test_copy_also_within_one_buffer(run, count):
    run(COPY, np.arange(8, dtype="i4"), np.zeros(10, "i4"), np.int64(count))


CONTROL = """
func.func private @step(%x: !loop.buffer<i64>, %i: index, %odd: i1) {
  %c3 = arith.constant 3 : i64
  %c2 = arith.constant 2 : i64
  %c1 = arith.constant 1 : i64
  %v = loop.load %x[%i] : i64
  loop.if %odd {
    %a = arith.muli %v, %c3 : i64
    %b = arith.addi %a, %c1 : i64
    loop.store %b, %x[%i] : i64
  } else {
    %h = arith.divsi %v, %c2 : i64
    loop.store %h, %x[%i] : i64
  }
  func.return
}
func.func @kernel(%n: index, %x: !loop.buffer<i64>, %steps: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i64
  %z = arith.constant 0 : i64
  loop.for %i = %c0 to %n {
    %count = loop.cell %z : i64
    loop.while {
      %v = loop.load %x[%i] : i64
      %more = arith.cmpi sgt, %v, %c1 : i64
      loop.condition %more
    } do {
      %v = loop.load %x[%i] : i64
      %bit = arith.andi %v, %c1 : i64
      %odd = arith.cmpi eq, %bit, %c1 : i64
      func.call @step(%x, %i, %odd) : (!loop.buffer<i64>, index, i1) -> ()
      %old = loop.get %count : i64
      %new = arith.addi %old, %c1 : i64
      loop.set %new, %count : i64
    }
    %total = loop.get %count : i64
    loop.store %total, %steps[%i] : i64
  }
  func.return
}
"""


def test_control_flow_and_calls(run):
    arguments = run(CONTROL, np.int64(30), np.arange(30), np.zeros(30, "i8"))
    assert arguments[2][27] == 111


LANES = """
func.func @kernel(%n: index, %a: !loop.buffer<f64>, %x: !loop.buffer<i64>, %b: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %numbers = loop.load_lanes %x[%c0], %n : vector<4xi64>
  %read = loop.gather %a[%numbers], %n : vector<4xf64>
  %old = loop.load %b[%c0] : vector<4xf64>
  %new = loop.select_lanes %read, %old, %n : vector<4xf64>
  loop.store %new, %b[%c0] : vector<4xf64>
  func.return
}
"""


@pytest.mark.parametrize("count", range(-1, 6))
def test_the_first_lanes(run, count):
    used = min(max(count, 0), 4)
    a, numbers, b = np.arange(10.0, 17.0), np.array([6, 0, 3, 3])[:used], np.arange(4.0)
    result = run(LANES, np.int64(count), a, numbers, b.copy())[-1]
    np.testing.assert_array_equal(result, [*a[numbers], *b[used:]])


VECTOR = """
func.func @kernel(%n: index, %a: !loop.buffer<f32>, %b: !loop.buffer<f32>, %s: f32, %out: !loop.buffer<f32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant dense<0.0> : vector<4xf32>
  %acc = loop.cell %z : vector<4xf32>
  %w = vector.broadcast %s : f32 to vector<4xf32>
  loop.for %k = %c0 to %n {
    %i = arith.muli %k, %c4 : index
    loop.prefetch %a[%i] : f32
    %x = loop.load %a[%i] : vector<4xf32>
    %y = arith.mulf %x, %w : vector<4xf32>
    loop.store %y, %b[%i] : vector<4xf32>
    %old = loop.get %acc : vector<4xf32>
    %new = arith.maximumf %old, %y : vector<4xf32>
    loop.set %new, %acc : vector<4xf32>
  }
  %last = loop.get %acc : vector<4xf32>
  %m = vector.reduction <maximumf>, %last : vector<4xf32> into f32
  %one = vector.extract %last[1] : f32 from vector<4xf32>
  %c1 = arith.constant 1 : index
  loop.store %m, %out[%c0] : f32
  loop.store %one, %out[%c1] : f32
  func.return
}
"""


def test_vectors(run):
    a = np.random.default_rng(0).random(16, "f4")
    arguments = run(VECTOR, np.int64(4), a, np.zeros(16, "f4"), np.float32(3), np.zeros(2, "f4"))
    assert arguments[-1][0] == (a * np.float32(3)).max()


def test_interpreter_refuses_an_access_out_of_bounds(machine):
    _, _, arguments = spmv_arguments(7, 5, 0.5)
    arguments[4] = arguments[4][:-1]
    with pytest.raises(OutOfBounds, match=r"loop\.load"):
        interpret_loop(machine.parse(SPMV.replace("FLAGS", "")), "kernel", arguments)
