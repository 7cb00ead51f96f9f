"""Sets of many integers in kernels: their upper layers keep flags, which a GPU reads without vectors."""

import numpy as np
import pytest
from emulated_loops import EmulatedLoops

# Each row of members is put in, and listed in order; `counts` says how many there are. The set is empty for the next.
LIST = """
func.func @kernel(%rows: index, %width: index, %extent: index, %members: !loop.buffer<i64>,
                  %listed: !loop.buffer<i64>, %counts: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  loop.parallel %row = %zero to %one {
    %set = loop.index_set %extent
    loop.for %i = %zero to %rows {
      %begin = arith.muli %i, %width : index
      %end = arith.addi %begin, %width : index
      loop.for %p = %begin to %end {
        %m = loop.load %members[%p] : i64
        %n = arith.index_cast %m : i64 to index
        %before = loop.insert %n into %set
      }
      %count = loop.cell %zero : index
      loop.visit %m in %set {
        %c = loop.get %count : index
        %q = arith.addi %begin, %c : index
        %j = arith.index_cast %m : index to i64
        loop.store %j, %listed[%q] : i64
        %next = arith.addi %c, %one : index
        loop.set %next, %count : index
      }
      %all = loop.get %count : index
      %found = arith.index_cast %all : index to i64
      loop.store %found, %counts[%i] : i64
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("extent", [1, 64, 65, 4096, 4097, 64**3, 64**3 + 1, 1 << 20])
def test_members_are_listed_in_order(extent: int):
    random = np.random.default_rng(extent)
    rows, width = 6, 40
    members = random.integers(0, extent, (rows, width))
    # Neighbours, and the last ones.
    members[1] = np.minimum(np.arange(width), extent - 1)
    members[2] = np.maximum(extent - 1 - 64 * np.arange(width), 0)
    listed, counts = np.full((rows, width), -1), np.zeros(rows, int)
    EmulatedLoops(LIST)(rows, width, extent, members, listed, counts)
    for given, found, count in zip(members, listed, counts, strict=True):
        assert found[:count].tolist() == np.unique(given).tolist()
