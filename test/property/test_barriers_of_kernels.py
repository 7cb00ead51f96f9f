"""Each barrier of a kernel is there for something: without it, numbers are wrong in some order of the threads."""

from typing import Any

import numpy as np
import pytest
from emulated_loops import EmulatedLoops

import irtensor as it
from irtensor.dialects.loop.loop import BarrierOp
from irtensor.passes.nvvm import place_barriers
from irtensor.passes.support.operations_in import operations_in
from irtensor.runtime import emulator

ORDERS = ("forward", "backward", "greedy", "shuffled")
SUMS = """
func.func @kernel(%n: index, %counts: !loop.buffer<i64>) {
  %c0 = arith.constant 0 : index
  loop.prefix_sum %counts[%c0 to %n] : i64
  func.return
}
"""
# Statements in which all threads of a block share a row, and how many barriers there are.
STATEMENTS = {
    "y[i] = A[i,j] * x[j]": 2,
    "y[i] = sum(j, A[i,j] * x[j]) * sum(j, A[i,j])": 2,
}
# Barriers of prefix sums that may go: what is overwritten behind them is in the half of the shared memory that nobody
# reads any more. `place-barriers` does not tell the halves apart.
REDUNDANT = {0, 3, 6}


def run_in_order(order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulator, "order", np.random.default_rng(0) if order == "shuffled" else order)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_threads_that_share_a_row(statement: str, monkeypatch: pytest.MonkeyPatch):
    random = np.random.default_rng(3)
    A, x = np.where(random.random((13, 300)) < 0.5, random.random((13, 300)), 0), random.random(300)
    operands = {"A": it.Tensor.from_numpy(A, it.CSR)} | ({"x": x} if "x[" in statement else {})
    expected = A @ x * (A.sum(1) if "sum" in statement else 1)
    placed, without = [0], [-1]
    apply = place_barriers.PlaceBarriersPass.apply

    def place(self: Any, context: Any, module: Any) -> None:
        apply(self, context, module)
        barriers = operations_in(module, BarrierOp)
        placed[0] = len(barriers)
        for barrier in barriers[without[0] :][:1] if without[0] >= 0 else ():
            barrier.detach()

    monkeypatch.setattr(place_barriers.PlaceBarriersPass, "apply", place)

    def wrong_orders() -> list[str]:
        it.clear_caches()
        schedule = it.schedule().parallelize("i", team="block")
        kernel = it.compile(statement, formats={"A": it.CSR}, schedule=schedule, target="cuda-emulated")
        wrong: list[str] = []
        for order in ORDERS:
            run_in_order(order, monkeypatch)
            if not np.allclose(kernel(**operands), expected):
                wrong.append(order)
        return wrong

    assert wrong_orders() == [] and placed[0] == STATEMENTS[statement]
    for number in range(placed[0]):
        without[0] = number
        assert wrong_orders(), f"nobody misses barrier {number}"
    it.clear_caches()


def test_prefix_sums(monkeypatch: pytest.MonkeyPatch):
    """By one block, and by more blocks than a block has threads, whose sums are a range of several pieces."""

    def is_wrong(sums: EmulatedLoops, count: int, order: str) -> bool:
        run_in_order(order, monkeypatch)
        found = np.append(np.arange(count) % 7, -1)
        sums(count, found)
        return not np.array_equal(found[1:], np.cumsum(np.arange(count) % 7)) or found[0] != 0

    def is_wrong_somewhere(sums: EmulatedLoops) -> bool:
        return any(is_wrong(sums, count, order) for count in (300, 270_000) for order in ORDERS)

    sums = EmulatedLoops(SUMS)
    assert not is_wrong_somewhere(sums)
    needed = [number for number in range(sums.barriers) if number not in REDUNDANT]
    assert len(needed) == 4
    for number in needed:
        assert is_wrong_somewhere(EmulatedLoops(SUMS, without=number)), f"nobody misses barrier {number}"
