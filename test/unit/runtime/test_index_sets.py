"""Sets that are filled, visited and filled again: native code against the interpreter, and against NumPy."""

from itertools import pairwise

import numpy as np
import pytest

# Each row adds `v` at some places, with repetitions, and appends the sums in order.
ROWS = """
func.func @kernel(%rows: index, %n: index, %pos: !loop.buffer<index>, %at: !loop.buffer<index>, %v: !loop.buffer<f64>,
                  %ends: !loop.buffer<index>, %crd: !loop.buffer<index>, %vals: !loop.buffer<f64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %count = loop.cell %c0 : index
  %set = loop.index_set %n
  %scratch = loop.scratch {zeroed} : f64
  loop.reserve %scratch, %n : f64
  %w = loop.data %scratch : f64
  loop.for %i = %c0 to %rows {
    %next = arith.addi %i, %c1 : index
    %begin = loop.load %pos[%i] : index
    %end = loop.load %pos[%next] : index
    loop.for %p = %begin to %end {
      %j = loop.load %at[%p] : index
      %present = loop.insert %j into %set
      %before = loop.load %w[%j] : f64
      %more = loop.load %v[%p] : f64
      %sum = arith.addf %before, %more : f64
      loop.store %sum, %w[%j] : f64
    }
    loop.visit %j in %set {
      %q = loop.get %count : index
      loop.store %j, %crd[%q] : index
      %sum = loop.load %w[%j] : f64
      loop.store %sum, %vals[%q] : f64
      %after = arith.addi %q, %c1 : index
      loop.set %after, %count : index
      loop.store %zero, %w[%j] : f64
    }
    %q = loop.get %count : index
    loop.store %q, %ends[%i] : index
  }
  func.return
}
"""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("extent", [1, 63, 64, 65, 4096, 4097, 1 << 18, 300_000])
def test_rows_are_listed_in_order_and_the_next_row_starts_empty(run, extent):
    generator = np.random.default_rng(extent)
    lengths = generator.integers(0, min(60, 2 * extent), 40)
    pos = np.concatenate(([0], np.cumsum(lengths)))
    at = generator.integers(0, extent, pos[-1])
    at[generator.random(pos[-1]) < 0.1] = extent - 1
    v = generator.integers(1, 9, pos[-1]).astype(float)
    ends, crd, vals = np.zeros(40, np.int64), np.zeros(pos[-1] + 1, np.int64), np.zeros(pos[-1] + 1)
    *_, ends, crd, vals = run(ROWS, np.int64(40), np.int64(extent), pos, at, v, ends, crd, vals)
    rows = [slice(a, b) for a, b in pairwise(pos)]
    expected = [np.unique(at[row]) for row in rows]
    np.testing.assert_array_equal(ends, np.cumsum([len(row) for row in expected]))
    np.testing.assert_array_equal(crd[: ends[-1]], np.concatenate(expected))
    sums = [np.bincount(at[row], v[row])[places] for row, places in zip(rows, expected, strict=True)]
    np.testing.assert_array_equal(vals[: ends[-1]], np.concatenate(sums))


# Members are listed, asked for, and cleared; then others are listed.
LISTED_TWICE = """
func.func @kernel(%n: index, %count: index, %at: !loop.buffer<index>, %listed: !loop.buffer<i64>,
                  %found: !loop.buffer<index>, %sizes: !loop.buffer<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.subi %count, %c1 : index
  %set = loop.index_set %n
  loop.for %p = %c0 to %count {
    %j = loop.load %at[%p] : index
    %present = loop.insert %j into %set
    %old = arith.extui %present : i1 to i64
    %known = arith.index_cast %old : i64 to index
    loop.store %known, %found[%p] : index
  }
  %first = loop.members %set into %listed : !loop.buffer<i64>
  loop.store %first, %sizes[%c0] : index
  loop.clear %set
  %j = loop.load %at[%last] : index
  %present = loop.insert %j into %set
  %second = loop.members %set into %listed : !loop.buffer<i64>
  loop.store %second, %sizes[%c1] : index
  func.return
}
"""


@pytest.mark.parametrize("extent", [64, 4096, 4097, 1 << 18, (1 << 18) + 1, (1 << 24) + 100])
def test_what_is_listed_stays_until_the_set_is_cleared(run, extent):
    """Extents at which a layer of summaries begins to be looked at."""
    generator = np.random.default_rng(extent)
    at = np.append(generator.integers(0, extent, 50), [extent - 1, extent - 1, 0])
    listed, found, sizes = np.zeros(len(at), np.int64), np.zeros(len(at), np.int64), np.zeros(2, np.int64)
    *_, listed, found, sizes = run(LISTED_TWICE, np.int64(extent), np.int64(len(at)), at, listed, found, sizes)
    members = np.unique(at)
    assert sizes.tolist() == [len(members), 1]
    np.testing.assert_array_equal(listed[1 : len(members)], members[1:])
    assert listed[0] == at[-1]
    assert found.tolist() == [int(at[place] in at[:place]) for place in range(len(at))]


# Puts in all of one list and takes out all of another; says what was there, and lists the rest if it is asked to.
TAKEN_OUT = """
func.func @kernel(%n: index, %k: index, %in: !loop.buffer<index>, %out: !loop.buffer<index>,
                  %was: !loop.buffer<i1>, %list: !loop.buffer<i64>, %counts: !loop.buffer<index>) {
  %c0 = arith.constant 0 : index
  %set = loop.index_set %n
  loop.for %p = %c0 to %k {
    %j = loop.load %in[%p] : index
    %before = loop.insert %j into %set
  }
  loop.for %p = %c0 to %k {
    %j = loop.load %out[%p] : index
    %there = loop.remove %j from %set
    loop.store %there, %was[%p] : i1
  }
  LISTING
  func.return
}
"""


@pytest.mark.parametrize("extent", [1, 64, 65, 5000, 300_000])
@pytest.mark.parametrize("lists", [False, True])
def test_members_are_taken_out_one_by_one(run, extent, lists):
    """With and without the layers above, which only what lists the members needs."""
    listing = "%count = loop.members %set into %list : !loop.buffer<i64>\n  loop.store %count, %counts[%c0] : index"
    generator = np.random.default_rng(extent)
    put = generator.integers(0, extent, 200)
    take = np.where(generator.random(200) < 0.5, generator.permutation(put), generator.integers(0, extent, 200))
    was, listed, counts = np.zeros(200, bool), np.zeros(200, np.int64), np.zeros(1, np.int64)
    text = TAKEN_OUT.replace("LISTING", listing if lists else "")
    *_, was, listed, counts = run(text, np.int64(extent), np.int64(200), put, take, was, listed, counts)
    seen = set(put.tolist())
    expected = [seen.discard(j) or True if j in seen else False for j in take.tolist()]
    np.testing.assert_array_equal(was, expected)
    if lists:
        np.testing.assert_array_equal(listed[: counts[0]], sorted(seen))
