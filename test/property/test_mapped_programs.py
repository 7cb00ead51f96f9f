"""Hand-written loops on blocks, teams, lanes and threads give what NumPy gives: in any order, and as plain loops."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from loop_machine import call_native, compile_module, duplicate, parse
from reference.interpret_loop import ORDERS, interpret_loop
from xdsl.context import Context

from irtensor.passes import get_all_passes
from irtensor.passes.nvvm import spread_prefix_sums

CONSTANTS = "\n".join(f"  %c{number} = arith.constant {number} : index" for number in (0, 1, 4, 8, 16, 32))
# Iteration %i of a team of eight lanes, of which a block has four, and the entries of its row.
ROW = """
  loop.parallel %b = %c0 to %blocks on blocks(32) {
    loop.parallel %g = %c0 to %c4 on teams(8) {
      %first = arith.muli %b, %c4 : index
      %i = arith.addi %first, %g : index
      %is_row = arith.cmpi slt, %i, %n : index
      loop.if %is_row {
        %next = arith.addi %i, %c1 : index
        %lo64 = loop.load %pos[%i] : i64
        %hi64 = loop.load %pos[%next] : i64
        %lo = arith.index_cast %lo64 : i64 to index
        %hi = arith.index_cast %hi64 : i64 to index
"""
# Every eighth index below %end from that of lane %l on, as %p.
STRIDED = """
          %far = arith.subi %end, %l : index
          %more = arith.addi %far, %c8 : index
          %up = arith.subi %more, %c1 : index
          %count = arith.divsi %up, %c8 : index
          loop.for %q = %c0 to %count {
            %step = arith.muli %q, %c8 : index
            %p = arith.addi %l, %step : index
"""
MATRIX = "%pos: !loop.buffer<i64>, %crd: !loop.buffer<i32>, %v: !loop.buffer<f64>"
SPMV = f"""
func.func @kernel(%n: index, %blocks: index, {MATRIX}, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {{
{CONSTANTS}
  %zero = arith.constant 0.0 : f64
{ROW}
        %sum = loop.cell %zero : f64
        %end = arith.subi %hi, %lo : index
        loop.parallel %l = %c0 to %c8 on lanes {{
          %own = loop.cell %zero : f64
{STRIDED}
            %e = arith.addi %lo, %p : index
            %c = loop.load %crd[%e] : i32
            %j = arith.index_cast %c : i32 to index
            %a = loop.load %v[%e] : f64
            %w = loop.load %x[%j] : f64
            %m = arith.mulf %a, %w : f64
            %old = loop.get %own : f64
            %new = arith.addf %old, %m : f64
            loop.set %new, %own : f64
          }}
          %mine = loop.get %own : f64
          loop.reduce %mine into %sum (%one: f64, %other: f64) {{
            %both = arith.addf %one, %other : f64
            loop.yield %both : f64
          }}
        }}
        %total = loop.get %sum : f64
        loop.store %total, %y[%i] : f64
      }}
    }}
  }}
  func.return
}}
"""
SPMM = f"""
func.func @kernel(%n: index, %blocks: index, %end: index, {MATRIX}, %x: !loop.buffer<f64>, %y: !loop.buffer<f64>) {{
{CONSTANTS}
  %zero = arith.constant 0.0 : f64
{ROW}
        %start = arith.muli %i, %end : index
        %stop = arith.addi %start, %end : index
        loop.fill %zero, %y[%start to %stop] : f64
        loop.for %e = %lo to %hi {{
          %c = loop.load %crd[%e] : i32
          %j = arith.index_cast %c : i32 to index
          %a = loop.load %v[%e] : f64
          %from = arith.muli %j, %end : index
          loop.parallel %l = %c0 to %c8 on lanes {{
{STRIDED}
              %in = arith.addi %from, %p : index
              %out = arith.addi %start, %p : index
              %w = loop.load %x[%in] : f64
              %old = loop.load %y[%out] : f64
              %m = arith.mulf %a, %w : f64
              %new = arith.addf %old, %m : f64
              loop.store %new, %y[%out] : f64
            }}
          }}
        }}
      }}
    }}
  }}
  func.return
}}
"""
# A block of 32 threads adds up 32 numbers: in memory that they share, and in a cell; blocks meet atomically.
SUMS = f"""
func.func @kernel(%n: index, %blocks: index, %x: !loop.buffer<i64>, %total: !loop.buffer<i64>) {{
{CONSTANTS}
  %zero = arith.constant 0 : i64
  loop.parallel %b = %c0 to %blocks on blocks(32) {{
    %s = loop.shared 32 : i64
    %all = loop.cell %zero : i64
    %first = arith.muli %b, %c32 : index
    loop.parallel %t = %c0 to %c32 on threads {{
      %p = arith.addi %first, %t : index
      %own = loop.cell %zero : i64
      %is_in = arith.cmpi slt, %p, %n : index
      loop.if %is_in {{
        %w = loop.load %x[%p] : i64
        loop.set %w, %own : i64
      }}
      %mine = loop.get %own : i64
      loop.store %mine, %s[%t] : i64
      loop.reduce %mine into %all (%one: i64, %other: i64) {{
        %both = arith.addi %one, %other : i64
        loop.yield %both : i64
      }}
    }}
    %half = loop.cell %c16 : index
    loop.while {{
      %h = loop.get %half : index
      %more = arith.cmpi sgt, %h, %c0 : index
      loop.condition %more
    }} do {{
      %h = loop.get %half : index
      loop.parallel %t = %c0 to %c32 on threads {{
        %is_low = arith.cmpi slt, %t, %h : index
        loop.if %is_low {{
          %far = arith.addi %t, %h : index
          %one = loop.load %s[%t] : i64
          %other = loop.load %s[%far] : i64
          %both = arith.addi %one, %other : i64
          loop.store %both, %s[%t] : i64
        }}
      }}
      %less = arith.shrsi %h, %c1 : index
      loop.set %less, %half : index
    }}
    %shared = loop.load %s[%c0] : i64
    loop.atomic %total[%c0] (%old: i64) {{
      %new = arith.addi %old, %shared : i64
      loop.yield %new : i64
    }}
    %reduced = loop.get %all : i64
    loop.atomic %total[%c1] (%old: i64) {{
      %new = arith.addi %old, %reduced : i64
      loop.yield %new : i64
    }}
  }}
  func.return
}}
"""
STARTS = """
func.func @kernel(%lo: index, %hi: index, %first: TYPE, %counts: !loop.buffer<TYPE>) {
  loop.prefix_sum %counts[%lo to %hi]FROM : TYPE
  func.return
}
"""


def apply(module, *names, **options):
    for name in names:
        get_all_passes()[name]()(**options).apply(Context(), module)
    module.verify()
    return module


@cache
def compiled(text, *names, **options):
    """A program after passes, and native code of what it is with plain loops."""
    module = apply(parse(text), *names, **options)
    plain = apply(module.clone(), "unspread-loops", "lower-prefix-sums")
    assert "loop.parallel" not in str(plain) and "loop.shared" not in str(plain)
    return module, compile_module(plain, "kernel", effort="light")


def outcomes(program, *arguments) -> Iterator[list[Any]]:
    """The arguments after a call, by the interpreter in several orders and by native code."""
    module, native = program
    for order in ORDERS.values():
        given = [duplicate(argument) for argument in arguments]
        assert interpret_loop(module, "kernel", given, order) == 0
        yield given
    given = [duplicate(argument) for argument in arguments]
    assert call_native(native, given) == 0
    yield given


@st.composite
def matrices(draw):
    """Rows of a matrix as lists of lengths: some empty, some longer than a team has lanes, or none at all."""
    lengths = draw(st.lists(st.one_of(st.integers(0, 9), st.sampled_from([0, 0, 8, 40])), max_size=11))
    columns = draw(st.integers(1, 7))
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    pos = np.concatenate([[0], np.cumsum(lengths)]).astype("i8")
    crd, values = random.integers(0, columns, pos[-1]).astype("i4"), random.integers(-9, 9, pos[-1]).astype("f8")
    dense = np.zeros((len(lengths), columns))
    np.add.at(dense, (np.repeat(np.arange(len(lengths)), lengths), crd), values)
    return dense, (pos, crd, values)


@settings(max_examples=15)
@given(matrices())
def test_rows_of_teams(matrix):
    dense, stored = matrix
    rows, columns = dense.shape
    x = np.arange(1.0, columns + 1)
    arguments = np.int64(rows), np.int64(-(-rows // 4)), *stored, x, np.full(rows, np.nan)
    for *_, y in outcomes(compiled(SPMV), *arguments):
        np.testing.assert_array_equal(y, dense @ x)


@settings(max_examples=12)
@given(matrices(), st.sampled_from([0, 1, 7, 8, 9, 17]))
def test_columns_of_lanes(matrix, width):
    dense, stored = matrix
    rows, columns = dense.shape
    x = np.arange(1.0, columns * width + 1).reshape(columns, width)
    extents = np.int64(rows), np.int64(-(-rows // 4)), np.int64(width)
    for *_, y in outcomes(compiled(SPMM), *extents, *stored, x.reshape(-1), np.full(rows * width, np.nan)):
        np.testing.assert_array_equal(y.reshape(rows, width), dense @ x)


@settings(max_examples=15)
@given(st.one_of(st.integers(0, 100), st.sampled_from([0, 1, 31, 32, 33, 64])))
def test_sums_of_blocks(count):
    x = np.random.default_rng(count).integers(-(2**62), 2**62, count)
    for *_, total in outcomes(compiled(SUMS), np.int64(count), np.int64(-(-count // 32)), x, np.zeros(2, "i8")):
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(total, [x.sum()] * 2)


def check_starts(lower, length, *names, element="i64", start="", **options):
    program = compiled(STARTS.replace("FROM", start).replace("TYPE", element), *names, **options)
    dtype, random = np.dtype(f"i{int(element[1:]) // 8}"), np.random.default_rng(length)
    limits = np.iinfo(dtype)
    counts = random.integers(limits.min, limits.max, lower + length + 3, dtype)
    first, upper = random.integers(limits.min, limits.max, dtype=dtype), lower + length
    expected = counts.copy()
    with np.errstate(over="ignore"):
        terms = np.array([first if start else 0, *counts[lower:upper]], dtype)
        sums = np.cumsum(terms, dtype=dtype)
    expected[lower : upper + 1] = sums
    for *_, found in outcomes(program, np.int64(lower), np.int64(upper), first, counts):
        np.testing.assert_array_equal(found, expected)


LENGTHS = st.one_of(st.integers(0, 100), st.sampled_from([0, 1, 31, 32, 33, 64, 65]))
ELEMENTS = st.sampled_from(["i8", "i16", "i32", "i64"])
STARTING = st.sampled_from(["", " from %first"])


@settings(max_examples=20)
@given(st.integers(0, 3), LENGTHS, ELEMENTS, STARTING)
def test_prefix_sums(lower, length, element, start):
    check_starts(lower, length, element=element, start=start)


@pytest.fixture(scope="module")
def small_tiles():
    """There are several tiles of 64 elements, and no more than three."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spread_prefix_sums, "_ELEMENTS_OF_THREAD", 2)
        patch.setattr(spread_prefix_sums, "_MOST_TILES", 3)
        yield


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize(("element", "start"), [("i64", ""), ("i32", " from %first")])
@settings(max_examples=4)
@given(st.integers(0, 3), LENGTHS)
@example(0, 0)
@example(1, 200)
def test_prefix_sums_of_blocks(element, start, lower, length):
    check_starts(lower, length, "spread-prefix-sums", element=element, start=start, threads=32)


@pytest.mark.parametrize(("threads", "length"), [(32, 513), (64, 70), (256, 1)])
def test_prefix_sums_of_larger_blocks(threads, length):
    """As many tiles as there are; an odd number of steps, and an even one."""
    check_starts(0, length, "spread-prefix-sums", threads=threads)
