"""Loops that ask whether to go on: they do the same as others, and end when they shall."""

import signal
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from reference.interpret_loop import Growable

import irtensor as it
from irtensor.compiler.kernel.kernel import Kernel
from irtensor.core.tensor_format import TensorFormat
from irtensor.runtime import thread_pool

COUNTED = """
func.func @kernel(%n: index, %x: !loop.buffer<i64>, %g: !loop.growable<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %sum = loop.cell %zero : i64
  loop.reserve %g, %n : i64
  loop.set_size %g, %n : i64
  %d = loop.data %g : i64
  loop.for %i = %c0 to %n attributes {poll = 5 : i64} {
    %v = loop.load %x[%i] : i64
    %s = loop.get %sum : i64
    %t = arith.addi %s, %v : i64
    loop.set %t, %sum : i64
    loop.store %t, %d[%i] : i64
  }
  func.return
}
"""

MERGED = """
func.func @kernel(%n: index, %x: !loop.buffer<i64>, %g: !loop.growable<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %at = loop.cell %c0 : index
  %zero = arith.constant 0 : i64
  %sum = loop.cell %zero : i64
  loop.reserve %g, %n : i64
  loop.set_size %g, %n : i64
  %d = loop.data %g : i64
  loop.while attributes {poll = 5 : i64} {
    %i = loop.get %at : index
    %more = arith.cmpi slt, %i, %n : index
    loop.condition %more
  } do {
    %i = loop.get %at : index
    %v = loop.load %x[%i] : i64
    %s = loop.get %sum : i64
    %t = arith.addi %s, %v : i64
    loop.set %t, %sum : i64
    loop.store %t, %d[%i] : i64
    %j = arith.addi %i, %c1 : index
    loop.set %j, %at : index
  }
  func.return
}
"""


def strips(text, first=1):
    return text.replace("{poll = 5 : i64}", f"{{poll = 5 : i64, strip = {first} : i64}}")


# The rows of a triangle, whose sizes pass every count of iterations between two questions.
NESTED = """
func.func @kernel(%n: index, %x: !loop.buffer<i64>, %g: !loop.growable<i64>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %sum = loop.cell %zero : i64
  loop.reserve %g, %n : i64
  loop.set_size %g, %n : i64
  %d = loop.data %g : i64
  loop.for %i = %c0 to %n attributes {poll = 3 : i64} {
    loop.set %zero, %sum : i64
    loop.for %j = %c0 to %i attributes {poll = 5 : i64} {
      %v = loop.load %x[%j] : i64
      %s = loop.get %sum : i64
      %t = arith.addi %s, %v : i64
      loop.set %t, %sum : i64
    }
    %own = loop.load %x[%i] : i64
    %s = loop.get %sum : i64
    %t = arith.addi %s, %own : i64
    loop.store %t, %d[%i] : i64
  }
  func.return
}
"""


FORMS = {
    "counted": COUNTED,
    "merged": MERGED,
    "strips": strips(COUNTED),
    "long strips": strips(COUNTED, 6),
    "merged strips": strips(MERGED, 6),
    "nested": NESTED,
    "nested strips": strips(NESTED, 6),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("n", [0, 1, 2, 5, 6, 7, 69, 1000])
def test_every_iteration_is_done_once_and_in_order(run, text, n):
    if "to %i " in text:
        # Rows of a triangle are as many iterations as its area.
        n = min(n, 100)
    x = np.arange(1, n + 1)
    *_, sums = run(text, np.int64(n), x, Growable(np.dtype(np.int64)), threads=1)
    np.testing.assert_array_equal(sums.contents, np.cumsum(x))


ENDLESS = """
func.func @kernel(%n: index, %m: index, %y: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  loop.for %i = %c0 to %n attributes {poll = 4096 : i64} {
    loop.for %j = %c0 to %m {
      loop.atomic %y[%c0] (%old: i64) {
        %k = arith.index_cast %j : index to i64
        %new = arith.xori %old, %k : i64
        loop.yield %new : i64
      }
    }
  }
  func.return
}
"""


LONG_ROW = ENDLESS.replace("to %m {", "to %m attributes {poll = 4096 : i64STRIP} {")


@contextmanager
def ctrl_c_inside(*functions: Any) -> Generator[None]:
    """A signal whose handler raises KeyboardInterrupt as soon as the main thread is in a function, and not before."""
    codes = [function.__code__ for function in functions]

    def handler(number, frame):
        if frame.f_code in codes:
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(KeyboardInterrupt) as raised:
            signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # Not when the kernel was over.
    assert any(entry.name == "raise_interruption" for entry in raised.traceback)


@pytest.mark.parametrize("strip", ["", ", strip = 64 : i64"])
@pytest.mark.parametrize("iterations", [1, 100_000])
def test_a_loop_of_short_iterations_or_long_ones_ends(machine, iterations, strip):
    """Without polls it would take years."""
    text = ENDLESS.replace("poll = 4096 : i64", f"poll = 4096 : i64{strip}")
    native = machine.compile_module(machine.parse(text), "kernel")

    def call(n):
        return machine.call_native(native, [np.int64(n), np.int64(iterations), np.zeros(1, np.int64)], 1)

    with ctrl_c_inside(machine.call_native):
        assert call(1 << 60) == thread_pool.INTERRUPTED
        thread_pool.raise_interruption()
    assert call(3) == 0


@pytest.mark.parametrize("strip", ["", ", strip = 64 : i64"])
def test_a_single_long_iteration_of_an_outer_loop_ends(machine, strip):
    """Without polls in the inner loop it would take years."""
    native = machine.compile_module(machine.parse(LONG_ROW.replace("STRIP", strip)), "kernel")

    def call(m):
        return machine.call_native(native, [np.int64(1), np.int64(m), np.zeros(1, np.int64)], 1)

    with ctrl_c_inside(machine.call_native):
        assert call(1 << 60) == thread_pool.INTERRUPTED
        thread_pool.raise_interruption()
    assert call(3) == 0


# Rows that are empty, so that the loop asks only after as many iterations as it ever does, and very long ones behind.
EMPTY_FIRST = """
func.func @kernel(%n: index, %m: index, %y: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %empty = arith.constant 1000000 : index
  loop.for %i = %c0 to %n attributes {poll = 65536 : i64} {
    %is_empty = arith.cmpi slt, %i, %empty : index
    %length = arith.select %is_empty, %c0, %m : index
INNER
  }
  func.return
}
"""
ROWS = {
    "for": """
    loop.for %j = %c0 to %length attributes {counts_to_poll} {
      loop.atomic %y[%c0] (%old: i64) {
        %k = arith.index_cast %j : index to i64
        %new = arith.xori %old, %k : i64
        loop.yield %new : i64
      }
    }""",
    "while": """
    %c1 = arith.constant 1 : index
    %at = loop.cell %c0 : index
    loop.while attributes {counts_to_poll} {
      %j = loop.get %at : index
      %more = arith.cmpi slt, %j, %length : index
      loop.condition %more
    } do {
      %j = loop.get %at : index
      loop.atomic %y[%c0] (%old: i64) {
        %k = arith.index_cast %j : index to i64
        %new = arith.xori %old, %k : i64
        loop.yield %new : i64
      }
      %next = arith.addi %j, %c1 : index
      loop.set %next, %at : index
    }""",
}


@pytest.mark.parametrize("row", ROWS)
def test_long_rows_behind_empty_ones_end(machine, row):
    """Without a count of their iterations it would take half an hour."""
    native = machine.compile_module(machine.parse(EMPTY_FIRST.replace("INNER", ROWS[row])), "kernel")

    def call(n):
        return machine.call_native(native, [np.int64(n), np.int64(10_000_000), np.zeros(1, np.int64)], 1)

    with ctrl_c_inside(machine.call_native):
        assert call(1 << 60) == thread_pool.INTERRUPTED
        thread_pool.raise_interruption()
    assert call(1_000_000) == 0


# Statements that take seconds at least, each by one kernel: a dense result, a sparse one, a number, and one with the
# order of its sum kept.
LONG: dict[str, tuple[str, dict[str, TensorFormat], dict[str, Any]]] = {
    "dense": ("C[i,j] = A[i,k] * B[k,j]", {}, {"deterministic": True}),
    "sparse": ("C[i,j] = A[i,k] * B[k,j]", {"A": it.CSR, "B": it.CSR, "C": it.CSR}, {}),
    "number": ("s = A[i,k] * B[k,j] * A[i,j]", {"A": it.CSR}, {"schedule": it.schedule()}),
    "strict": ("s = A[i,k] * B[k,j] * A[i,j]", {"A": it.CSR}, {"strict_fp": True}),
}


@pytest.mark.one_in(16)
@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_ends_a_kernel(name, threads):
    statement, formats, options = LONG[name]
    kernel = it.compile(statement, formats=formats, num_threads=threads, **options)

    def operands(extent, density):
        stored = sp.random_array((extent, extent), density=density, rng=np.random.default_rng(0)).tocsr()
        return {operand: stored if operand in formats else stored.toarray() for operand in "AB"}

    small = operands(3, 1.0)
    before = kernel(**small)
    large = operands(3000, 0.3)
    # The last of them runs where a kernel is the first that needs threads.
    with ctrl_c_inside(Kernel.__call__, Kernel._run_stored, thread_pool._start_and_run):
        kernel(**large)
    after = kernel(**small)
    if isinstance(after, it.Tensor):
        before, after = before.to_numpy(), after.to_numpy()
    np.testing.assert_array_equal(after, before)


# Loops of short iterations: one that has no loops inside, rows, a merge of two lists, and a table that grows. Below,
# loops of a single long iteration: a row that is dense, one that is stored, and two that are merged.
WAVES = "sum({index}, {first} * (" + " + ".join(f"sin({{value}} * {n}.5) * exp({{value}})" for n in range(60)) + "))"
SHORT: dict[str, tuple[str, dict[Any, Any]]] = {
    "flat": ("s = " + WAVES.format(index="i", first="a[i]", value="a[i]"), {}),
    "rows": ("y[i] = " + WAVES.format(index="j", first="A[i,j]", value="A[i,j]"), {"A": it.CSR}),
    "merge": ("s = " + WAVES.format(index="i", first="u[i]", value="v[i]"), dict.fromkeys("uv", "compressed")),
    "hashed": ("w[j] = A[i,j]", {"A": it.CSR, "w": "hashed"}),
}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", SHORT)
def test_ctrl_c_ends_a_loop_of_short_iterations(name, threads):
    statement, formats = SHORT[name]
    kernel = it.compile(statement, formats=formats, num_threads=threads)

    def operands(entries):
        rng = np.random.default_rng(0)
        positions = np.arange(0, entries + 1, 4, dtype=np.int64)
        coordinates = np.sort(rng.integers(0, 1 << 40, (entries // 4, 4)), axis=1).ravel()
        A = sp.csr_array((rng.random(entries), coordinates, positions), shape=(positions.size - 1, 1 << 40))
        u = it.Tensor.from_coo([np.arange(entries)], rng.random(entries), shape=(entries,), format="compressed")
        # Lists that were equal would be walked together.
        v = it.Tensor.from_coo([np.arange(1, entries)], rng.random(entries - 1), shape=(entries,), format="compressed")
        given = {"a": rng.random(entries), "A": A, "u": u, "v": v}
        return {name: given[name] for name in kernel.operand_names}

    kernel(**operands(8))
    large = operands(1 << 22)
    with ctrl_c_inside(Kernel.__call__, Kernel._run_stored, thread_pool._start_and_run):
        kernel(**large)
    kernel(**operands(8))


LONG_ROWS: dict[str, tuple[str, dict[Any, Any]]] = {
    "dense": ("y[i] = " + WAVES.format(index="j", first="A[i,j]", value="A[i,j]"), {}),
    "stored": ("y[i] = " + WAVES.format(index="j", first="A[i,j]", value="A[i,j]"), {"A": it.CSR}),
    "merged": ("y[i] = " + WAVES.format(index="j", first="A[i,j]", value="B[i,j]"), dict.fromkeys("AB", it.CSR)),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", LONG_ROWS)
def test_ctrl_c_ends_a_single_long_row(name):
    statement, formats = LONG_ROWS[name]
    kernel = it.compile(statement, formats=formats, num_threads=1)

    def operands(extent):
        row = np.random.default_rng(0).random((1, extent))
        shorter = np.where(np.arange(extent) == 0, 0, row)
        given = {"A": row, "B": shorter}
        return {name: it.Tensor.from_numpy(given[name], it.CSR) if formats else row for name in kernel.operand_names}

    with ctrl_c_inside(Kernel.__call__, Kernel._run_stored, thread_pool._start_and_run):
        kernel(**operands((1 << 22) + 1))
    kernel(**operands(8))
