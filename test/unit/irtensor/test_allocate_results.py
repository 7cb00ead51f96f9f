"""Memory that is lent to results before their kernel runs."""

import numpy as np

import irtensor as it
from irtensor.compiler.allocate_results import ResultLayout
from irtensor.runtime.result_memory import RESULT_MEMORY, SLOT_WORDS

DOUBLE = np.dtype("f8")


def _operand(entries):
    return it.Tensor.from_coo(np.arange(entries)[None], np.ones(entries), shape=(entries,), format="compressed")


def _room(result, number):
    return result.slots[SLOT_WORDS * number + 1]


def _grow(result, number, element, size):
    """What a kernel does that needs more than it was lent."""
    RESULT_MEMORY.discard(result.slots, number, element.itemsize)
    RESULT_MEMORY.lend(result.slots, number, element.itemsize, size)
    result.slots[SLOT_WORDS * number + 2] = size


def test_a_result_is_lent_what_the_one_before_used():
    layout, operand = ResultLayout(DOUBLE, it.CSR), _operand(1000)
    result = layout.allocate((10, 10), [operand], 1)
    for number, element in enumerate((np.dtype("i8"), DOUBLE)):
        _grow(result, number, element, 50_000)
    result.finish()
    for factor in (1, 2):
        result = layout.allocate((10, 10), [_operand(factor * 1000)], 1)
        assert all(_room(result, number) >= factor * 50_000 for number in range(layout.slot_count))
        result.discard()


def test_what_is_expected_is_bounded():
    layout = ResultLayout(DOUBLE, it.CSR)
    layout.growth = [1e12] * layout.slot_count
    result = layout.allocate((10, 10), [_operand(1000)], 1)
    assert all(_room(result, number) <= 2 * RESULT_MEMORY.bound // 8 for number in range(layout.slot_count))
    result.discard()
