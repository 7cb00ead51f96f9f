"""Parts of a loop whose iterations reach segments through coordinates are about equal work, wherever long ones are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.interpret_loop import interpret_loop
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func
from xdsl.ir import Block

import irtensor as it
from irtensor.dialects.loop.loop import ForOp, Loop, ParallelOp
from irtensor.dialects.support.located_parser import parse_module
from irtensor.passes.loop.support import sampled_lengths
from irtensor.passes.support.balance import balanced_bounds
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.threads.divide_parallel_loops import DivideParallelLoopsPass

# For each row, the rows of a second matrix that it has coordinates of, and their entries.
ROWS = """
func.func @f(%from: index, %n: index, %pos: !loop.buffer<i64>, %crd: !loop.buffer<i64>, %rows: !loop.buffer<i64>,
             %y: !loop.buffer<i64>, %first: !loop.buffer<i64>, %last: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  loop.for %i = %from to %n attributes {parallel = "automatic"} {
    %after = arith.addi %i, %c1 : index
    %a = loop.load %pos[%i] : i64
    %lo = arith.index_cast %a : i64 to index
    %b = loop.load %pos[%after] : i64
    %hi = arith.index_cast %b : i64 to index
    loop.for %p = %lo to %hi {
      %c = loop.load %crd[%p] : i64
      %row = arith.index_cast %c : i64 to index
      %next = arith.addi %row, %c1 : index
      %d = loop.load %rows[%row] : i64
      %begin = arith.index_cast %d : i64 to index
      %e = loop.load %rows[%next] : i64
      %end = arith.index_cast %e : i64 to index
      loop.for %q = %begin to %end {
        %old = loop.load %y[%i] : i64
        %new = arith.addi %old, %one : i64
        loop.store %new, %y[%i] : i64
      }
    }
  }
  func.return
}
"""
# As many as the interpreter divides work into.
PARTS = 3


def _divided(text):
    """A module whose loop over %i is in parts, which note where each begins and ends."""
    context = Context()
    for dialect in (builtin.Builtin, arith.Arith, func.Func, Loop):
        context.load_dialect(dialect)
    module = parse_module(context, text, "rows.mlir")
    DivideParallelLoopsPass().apply(context, module)
    (parallel,) = operations_in(module, ParallelOp)
    loop = next(op for op in operations_in(parallel, ForOp) if op.induction.name_hint == "i")
    assert parallel.parent is not None
    first, last = parallel.parent.args[-2:]
    emit = Emitter(Block())
    emit.store_index(loop.lower, first, parallel.induction)
    emit.store_index(loop.upper, last, parallel.induction)
    move_before(emit.block, loop)
    module.verify()
    return module


def _run(pos, crd, rows, first_row=0, last_row=None):
    """How often each row comes to an entry, and where parts begin and end."""
    module = _divided(ROWS)
    y, begins, ends = (np.zeros(count, np.int64) for count in (len(pos) - 1, PARTS, PARTS))
    last_row = len(pos) - 1 if last_row is None else last_row
    assert interpret_loop(module, "f", [first_row, last_row, pos, crd, rows, y, begins, ends]) == 0
    return y, begins, ends


def _starts(lengths):
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.integers(1, 12), st.integers(1, 2))
def test_parts_are_about_equal_and_cover_all(seed, n, m, skew):
    random = np.random.default_rng(seed)
    pos = _starts(random.integers(0, 5, n))
    rows = _starts(random.integers(0, 5, m) ** skew)
    crd = random.integers(0, m, pos[-1])
    y, begins, ends = _run(pos, crd, rows)
    per_entry = np.diff(rows)[crd]
    work = np.array([per_entry[pos[i] : pos[i + 1]].sum() for i in range(n)])
    np.testing.assert_array_equal(y, work)
    assert begins[0] == 0 and ends[-1] == n and (begins[1:] == ends[:-1]).all()
    # An iteration is two, an entry one; a part may be longer by the iteration that it ends with.
    full = work + 2 + np.diff(pos)
    assert max(full[a:b].sum() for a, b in zip(begins, ends, strict=True)) <= full.sum() / PARTS + full.max() + 1


@pytest.mark.parametrize("samples", [64, 1 << 14])
def test_long_segments_that_the_last_iterations_reach(monkeypatch, samples):
    monkeypatch.setattr(sampled_lengths, "_SAMPLES", samples)
    random = np.random.default_rng(3)
    n, m = 200, 50
    pos, rows = _starts(np.full(n, 4)), _starts(np.where(np.arange(m) < m - 5, 1, 30))
    # Nine of ten rows have only short ones.
    crd = np.concatenate([random.integers(0, m - 5, 180 * 4), random.integers(m - 5, m, 20 * 4)])
    y, begins, ends = _run(pos, crd, rows)
    shares = [y[a:b].sum() / y.sum() for a, b in zip(begins, ends, strict=True)]
    assert max(shares) < 0.45, shares


@pytest.mark.parametrize("rows", [(2, 5), (3, 3), (5, 2)])
def test_a_range_that_begins_later_or_is_empty(rows):
    pos, lengths, crd = _starts([3, 1, 2, 0, 4, 1]), _starts([1, 5, 2]), np.arange(11) % 3
    y, _, _ = _run(pos, crd, lengths, *rows)
    per_entry = np.diff(lengths)[crd]
    work = [per_entry[pos[i] : pos[i + 1]].sum() if rows[0] <= i < rows[1] else 0 for i in range(6)]
    np.testing.assert_array_equal(y, work)


BOUNDS = """
func.func @f(%lower: index, %upper: index, %part: index, %found: !loop.buffer<i64>) {
  func.return
}
"""


@pytest.mark.parametrize("lower", [0, -5, -8, -20])
def test_places_below_zero(lower):
    """Diagonals are numbered from below 0: half of a negative number is not rounded down."""
    context = Context()
    for dialect in (builtin.Builtin, arith.Arith, func.Func, Loop):
        context.load_dialect(dialect)
    module = parse_module(context, BOUNDS, "bounds.mlir")
    (end,) = operations_in(module, func.ReturnOp)
    assert end.parent is not None
    begin, upper, part, found = end.parent.args
    emit = Emitter(Block())
    total = emit.mul(emit.sub(upper, begin), emit.index(2))

    def work(place, inner):
        return inner.mul(inner.sub(place, begin), inner.index(2))

    places = balanced_bounds((begin, upper), part, emit.index(PARTS), total, work, emit)
    for number, place in enumerate(places):
        emit.store_index(place, found, emit.index(number))
    move_before(emit.block, end)
    module.verify()
    for number in range(PARTS):
        bounds = np.zeros(2, np.int64)
        assert interpret_loop(module, "f", [lower, lower + 9, number, bounds]) == 0
        assert bounds.tolist() == [lower + 3 * number, lower + 3 * number + 3]


# For each row, a block of coordinates that ends somewhere, or begins at 0.
BLOCKS = """
func.func @f(%from: index, %n: index, %ends: !loop.buffer<i64>, %ofs: !loop.buffer<i64>, %y: !loop.buffer<i64>,
             %first: !loop.buffer<i64>, %last: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  loop.for %i = %from to %n attributes {parallel = "automatic"} {
    %e = loop.load %ends[%i] : i64
    %end = arith.index_cast %e : i64 to index
    %after = arith.addi %i, %c1 : index
    %a = loop.load %ofs[%i] : i64
    %first_element = arith.index_cast %a : i64 to index
    %b = loop.load %ofs[%after] : i64
    %past = arith.index_cast %b : i64 to index
    %length = arith.subi %past, %first_element : index
    %begin = arith.subi %end, %length : index
    %cut = arith.maxsi %c0, %begin : index
    loop.for %j = BOUNDS {
      %old = loop.load %y[%i] : i64
      %new = arith.addi %old, %one : i64
      loop.store %new, %y[%i] : i64
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("bounds", ["%begin to %end", "%c0 to %length", "%cut to %end"])
@pytest.mark.parametrize("lengths", [np.arange(40), np.arange(40)[::-1], np.full(40, 3), np.zeros(40, np.int64)])
def test_rows_of_blocks_count_as_long_as_they_are(lengths, bounds):
    """Of a triangle, the first third of the rows has a ninth of the elements."""
    module, n = _divided(BLOCKS.replace("BOUNDS", bounds)), lengths.size
    y, begins, ends = (np.zeros(count, np.int64) for count in (n, PARTS, PARTS))
    assert interpret_loop(module, "f", [0, n, np.full(n, 50), _starts(lengths), y, begins, ends]) == 0
    np.testing.assert_array_equal(y, lengths)
    assert begins[0] == 0 and ends[-1] == n and (begins[1:] == ends[:-1]).all()
    full = lengths + 2
    assert max(full[a:b].sum() for a, b in zip(begins, ends, strict=True)) <= full.sum() / PARTS + full.max() + 1


@pytest.mark.parametrize("format", ["dense, band", "dense, ragged", "dense, block_list"])
def test_matrices_of_blocks_are_divided_by_their_elements(format):
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": format}, num_threads=2)
    assert "in parts of about equal work, by the positions of entries" in kernel.explain()
