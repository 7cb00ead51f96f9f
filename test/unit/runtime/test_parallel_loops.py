"""loop.parallel natively: what its body may use of the function around it, on one thread and on several."""

import numpy as np
import pytest
from reference.interpret_loop import Growable

import irtensor as it
from irtensor.runtime import thread_pool

THREADS = pytest.mark.parametrize("threads", [1, 2, 3, 8])


pytestmark = pytest.mark.usefixtures("small_parts")


SQUARES = """
func.func @kernel(%n: index, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  loop.parallel %i = %c0 to %n {
    %v = loop.load %x[%i] : f64
    %w = arith.mulf %v, %v : f64
    loop.store %w, %y[%i] : f64
  }
  func.return
}
"""


@THREADS
@pytest.mark.parametrize("n", [0, 1, 2, 1000])
def test_every_iteration_runs_once(run, threads, n):
    x = np.arange(n, dtype=float)
    *_, y = run(SQUARES, np.int64(n), x, np.zeros(n), threads=threads)
    np.testing.assert_array_equal(y, x * x)


@THREADS
def test_what_is_captured(run, threads):
    text = """
func.func @kernel(%n: index, %z: complex<f64>, %t: i1, %b: i8, %f: f32, %x: !loop.buffer<f64>, %g: !loop.growable<i32>,
                  %y: !loop.buffer<complex<f64>>, %q: !loop.buffer<i1>, %r: !loop.buffer<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %i7 = arith.constant 7 : i32
  loop.reserve %g, %n : i32
  loop.set_size %g, %n : i32
  %d = loop.data %g : i32
  loop.fill %i7, %d[%c0 to %n] : i32
  %set = loop.index_set %n
  %was = loop.insert %c1 into %set
  %zs = loop.cell %z : complex<f64>
  %ts = loop.cell %t : i1
  %v = loop.load %x[%c0] : vector<4xf64>
  %vs = loop.cell %v : vector<4xf64>
  loop.parallel %i = %c0 to %n {
    %z1 = loop.get %zs : complex<f64>
    %t1 = loop.get %ts : i1
    %w = loop.get %vs : vector<4xf64>
    %e0 = vector.extract %w[3] : f64 from vector<4xf64>
    %e1 = vector.extract %v[2] : f64 from vector<4xf64>
    %e = arith.addf %e0, %e1 : f64
    %ze = complex.create %e, %e : complex<f64>
    %z2 = complex.mul %z1, %ze : complex<f64>
    loop.store %z2, %y[%i] : complex<f64>
    %in = loop.contains %i in %set
    %both = arith.andi %in, %t1 : i1
    %any = arith.andi %both, %t : i1
    loop.store %any, %q[%i] : i1
    %b32 = arith.extsi %b : i8 to i32
    %f32 = arith.fptosi %f : f32 to i32
    %d1 = loop.data %g : i32
    %g1 = loop.load %d1[%i] : i32
    %s0 = arith.addi %b32, %f32 : i32
    %s = arith.addi %s0, %g1 : i32
    loop.store %s, %r[%i] : i32
  }
  func.return
}
"""
    n = 30
    arguments = [np.int64(n), np.complex128(1 + 2j), np.bool_(True), np.int8(-3), np.float32(5)]
    memory = [np.arange(4.0), Growable(np.dtype("i4")), np.zeros(n, complex), np.zeros(n, bool), np.zeros(n, "i4")]
    *_, y, q, r = run(text, *arguments, *memory, threads=threads)
    np.testing.assert_array_equal(y, np.full(n, (1 + 2j) * (5 + 5j)))
    np.testing.assert_array_equal(q, np.arange(n) == 1)
    np.testing.assert_array_equal(r, np.full(n, -3 + 5 + 7))


@pytest.mark.one_in(2)
@THREADS
def test_scratch_and_sets_are_one_per_iteration(run, threads):
    text = """
func.func @kernel(%n: index, %y: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  loop.parallel %i = %c0 to %n {
    %g = loop.scratch : i64
    loop.reserve %g, %n : i64
    %d = loop.data %g : i64
    %s = loop.index_set %n
    loop.for %j = %c0 to %i {
      %k = arith.subi %i, %j : index
      %p = loop.insert %k into %s
    }
    %count = loop.members %s into %d : !loop.buffer<i64>
    %sum = loop.cell %count : index
    loop.for %j = %c0 to %count {
      %m = loop.load %d[%j] : i64
      %x = arith.index_cast %m : i64 to index
      %o = loop.get %sum : index
      %a = arith.addi %o, %x : index
      loop.set %a, %sum : index
    }
    %a = loop.get %sum : index
    %v = arith.index_cast %a : index to i64
    loop.store %v, %y[%i] : i64
  }
  func.return
}
"""
    n = 100
    _, y = run(text, np.int64(n), np.zeros(n, np.int64), threads=threads)
    numbers = np.arange(n)
    np.testing.assert_array_equal(y, numbers + numbers * (numbers + 1) // 2)


@pytest.mark.one_in(2)
@THREADS
def test_two_loops_and_a_function_that_calls_another(run, threads):
    text = """
func.func private @twice(%n: index, %y: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %parts = loop.parts %n
  loop.parallel %p = %c0 to %parts {
    %c1 = arith.constant 1 : index
    %after = arith.addi %p, %c1 : index
    %a = arith.muli %p, %n : index
    %b = arith.muli %after, %n : index
    %lo = arith.divsi %a, %parts : index
    %hi = arith.divsi %b, %parts : index
    loop.for %i = %lo to %hi {
      %v = loop.load %y[%i] : i64
      %w = arith.addi %v, %v : i64
      loop.store %w, %y[%i] : i64
    }
  }
  func.return
}
func.func @kernel(%n: index, %y: !loop.buffer<i64>) {
  func.call @twice(%n, %y) : (index, !loop.buffer<i64>) -> ()
  %c0 = arith.constant 0 : index
  loop.parallel %i = %c0 to %n {
    %v = loop.load %y[%i] : i64
    %j = arith.index_cast %i : index to i64
    %w = arith.addi %v, %j : i64
    loop.store %w, %y[%i] : i64
  }
  func.return
}
"""
    n = 1000
    _, y = run(text, np.int64(n), np.ones(n, np.int64), threads=threads)
    np.testing.assert_array_equal(y, 2 + np.arange(n))


@THREADS
def test_memory_that_runs_out_in_one_iteration_ends_the_kernel(machine, threads):
    text = """
func.func @kernel(%n: index, %y: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %c60 = arith.constant 60 : index
  %huge = arith.constant 4611686018427387904 : index
  loop.parallel %i = %c0 to %n {
    %g = loop.scratch : i64
    loop.reserve %g, %n : i64
    %is = arith.cmpi eq, %i, %c60 : index
    loop.if %is {
      loop.reserve %g, %huge : i64
    }
    %v = arith.constant 1 : i64
    loop.store %v, %y[%i] : i64
  }
  func.return
}
"""
    native = machine.compile_module(machine.parse(text), "kernel")
    y = np.zeros(100, np.int64)
    assert machine.call_native(native, [np.int64(100), y], threads) == 1
    assert y[60] == 0
    y[:] = 0
    assert machine.call_native(native, [np.int64(50), y], threads) == 0
    assert y.sum() == 50


def forget_the_pool(threads):
    """As if no kernel had needed so many threads yet."""
    thread_pool.Context.from_address(thread_pool.context_address(threads)).run = thread_pool._first_run()


def test_a_kernel_that_starts_the_threads_runs_once(machine):
    """What it has written by then, such as y = 2 y, is not done again."""
    text = """
func.func @kernel(%n: index, %y: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  loop.for %i = %c0 to %n {
    %v = loop.load %y[%i] : i64
    %w = arith.addi %v, %v : i64
    loop.store %w, %y[%i] : i64
  }
  loop.parallel %i = %c0 to %n {
    %v = loop.load %y[%i] : i64
    %w = arith.addi %v, %v : i64
    loop.store %w, %y[%i] : i64
  }
  func.return
}
"""
    forget_the_pool(2)
    y = np.arange(1000)
    assert machine.call_native(machine.compile_module(machine.parse(text), "kernel"), [np.int64(1000), y], 2) == 0
    np.testing.assert_array_equal(y, 4 * np.arange(1000))


def test_threads_that_cannot_be_started_are_an_error_of_the_call(monkeypatch):
    """An exception of Python code that a kernel calls."""
    kernel = it.compile("y[i] = A[i,j] * x[j]", deterministic=True, num_threads=2)

    def fail(address):
        raise RuntimeError("no threads today")

    monkeypatch.setattr(thread_pool, "_start", fail)
    forget_the_pool(2)
    a = np.ones((1000, 1000))
    with pytest.raises(RuntimeError, match="no threads today"):
        kernel(A=a, x=a[0])
    monkeypatch.undo()
    np.testing.assert_array_equal(kernel(A=a, x=a[0]), np.full(1000, 1000.0))
