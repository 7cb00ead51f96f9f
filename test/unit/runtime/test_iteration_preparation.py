"""Iterations of parallel loops in two functions: what is done once before the main loop, and the loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("small_parts")


PREPARED = """
func.func @kernel(%n: index, %m: index, %y: !loop.buffer<index>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  loop.parallel %part = %c0 to %n {
    %count = loop.cell %part : index
    %low = loop.cell %m : index
    loop.while attributes {search} {
      %l = loop.get %low : index
      %more = arith.cmpi slt, %part, %l : index
      loop.condition %more
    } do {
      %l = loop.get %low : index
      %half = arith.divsi %l, %c2 : index
      loop.set %half, %low : index
    }
    %end = loop.get %low : index
    loop.for %i = %c0 to %end {
      %before = loop.get %count : index
      %after = arith.addi %before, %c1 : index
      loop.set %after, %count : index
    }
    %counted = loop.get %count : index
    loop.store %counted, %y[%part] : index
  }
  func.return
}
"""


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_what_an_iteration_searches_before_its_main_loop_is_passed_to_it(run: Any, threads: int) -> None:
    n, m = 40, 1000
    *_, y = run(PREPARED, np.int64(n), np.int64(m), np.zeros(n, dtype=np.int64), threads=threads)
    expected: list[int] = []
    for part in range(n):
        low = m
        while part < low:
            low //= 2
        expected.append(part + low)
    assert y.tolist() == expected
