"""Memory that is lent to results before their kernel runs."""

import threading
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import irtensor as it
from irtensor.compiler.kernel import part_lists
from irtensor.compiler.kernel.allocate_results import GrowableResult, ResultLayout, _Past
from irtensor.runtime import result_memory
from irtensor.runtime.result_memory import LARGEST_AGE, RESULT_MEMORY, SLOT_WORDS, ResultMemory, most_kept

DOUBLE = np.dtype("f8")


def _operand(entries: int) -> it.Tensor:
    return it.Tensor.from_coo(np.arange(entries)[None], np.ones(entries), shape=(entries,), format="compressed")


def _room(result: GrowableResult, number: int) -> int:
    return result.slots[SLOT_WORDS * number + 1]


def _grow(result: GrowableResult, number: int, element: np.dtype[Any], size: int) -> None:
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


def test_large_and_small_results_in_turn_are_lent_what_the_largest_used():
    layout, large, small = ResultLayout(DOUBLE, it.CSR), _operand(1000), _operand(10)
    for _ in range(3):
        result = layout.allocate((1000, 1000), [large], 1)
        for number, element in enumerate((np.dtype("i8"), DOUBLE)):
            if _room(result, number) < 50_000:
                _grow(result, number, element, 50_000)
            result.slots[SLOT_WORDS * number + 2] = 50_000
        result.finish()
        result = layout.allocate((3, 3), [small], 1)
        _fill(result, 9)
        result.finish()
    result = layout.allocate((1000, 1000), [large], 1)
    assert all(_room(result, number) >= 50_000 for number in range(layout.slot_count))
    result.discard()


def test_a_call_that_comes_again_is_lent_what_it_used():
    """Results of the calls of a program may have little in common, and what is lent in vain is missing elsewhere."""
    # Of what other tests have left in the pool, a kernel may get blocks of twice the size.
    RESULT_MEMORY.clear()
    layout = ResultLayout(DOUBLE, it.CSR)
    sizes = {100: 150_000, 1000: 160_000, 300: 40_000}
    for _ in range(3):
        for entries, size in sizes.items():
            result = layout.allocate((1000, 1000), [_operand(entries)], 1)
            for number, element in enumerate((np.dtype("i8"), DOUBLE)):
                if _room(result, number) < size:
                    _grow(result, number, element, size)
                result.slots[SLOT_WORDS * number + 2] = size
            result.finish()
    for entries, size in sizes.items():
        RESULT_MEMORY.clear()
        result = layout.allocate((1000, 1000), [_operand(entries)], 1)
        assert all(size < _room(result, number) <= 2 * size for number in range(layout.slot_count))
        result.discard()


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dcsr", "(i,j) -> (i: dense, j: hashed)", "bcsr(2, 2)"])
def test_products_of_large_and_small_operands_in_turn_leave_no_memory_behind(format):
    rng = np.random.default_rng(5)
    large = scipy.sparse.random_array((1000, 1000), density=0.01, rng=rng, format="csr")
    small = scipy.sparse.csr_array(np.ones((3, 3)))
    kernel = it.compile("C[i,j] = A[i,k] * B[k,j]", formats={"A": "csr", "B": "csr", "C": format}, num_threads=1)
    unused = []
    for _ in range(20):
        kernel(A=large, B=large)
        kernel(A=small, B=small)
        unused.append(RESULT_MEMORY.unused_bytes)
    # Less is left where blocks of earlier results have become old.
    assert unused[-1] <= unused[3]


def _room_in(memory: ResultMemory, kibibytes: int) -> np.ndarray[Any, Any]:
    return memory.empty((kibibytes * 1024,), np.dtype("u1"))


def test_blocks_that_nobody_asks_for_leave_the_pool():
    memory = ResultMemory()
    # Blocks that kernels made come back without having been asked for.
    for _ in range(10 * LARGEST_AGE):
        address = result_memory._allocate(64 * 1024)
        memory._take_back(address)
    assert memory.unused_bytes == (LARGEST_AGE + 1) * 64 * 1024
    memory.clear()
    assert memory.unused_bytes == 0


def test_blocks_that_are_in_use_at_once_stay_in_the_pool():
    memory = ResultMemory()
    for _ in range(5 * LARGEST_AGE):
        arrays = [_room_in(memory, 64) for _ in range(LARGEST_AGE)]
        addresses = {array.ctypes.data for array in arrays}
        del arrays
        arrays = [_room_in(memory, 64) for _ in range(LARGEST_AGE)]
        assert {array.ctypes.data for array in arrays} == addresses
        del arrays
    memory.clear()


def test_a_full_pool_takes_new_blocks_for_old_ones():
    memory = ResultMemory(bound=1024 * 1024)
    first = [_room_in(memory, 64) for _ in range(16)]
    del first
    assert memory.unused_bytes == memory.bound
    for _ in range(2 * LARGEST_AGE):
        _room_in(memory, 128)
    # A block of 128 KiB is in the pool now, and is taken out of it.
    unused = memory.unused_bytes
    block = _room_in(memory, 128)
    assert unused <= memory.bound and memory.unused_bytes == unused - block.nbytes
    memory.clear()


def test_levels_with_few_entries_are_lent_what_they_keep():
    layout, operand, used = ResultLayout(DOUBLE, it.DCSR), _operand(1_000_000), (1000, 1001, 900_000, 900_000)
    for iteration in range(3):
        RESULT_MEMORY.clear()
        result = layout.allocate((10_000, 10_000), [operand], 1)
        for slot, count in enumerate(used):
            room = _room(result, slot)
            # In the first iteration nothing is known.
            assert count < room and (iteration == 0 or 8 * room <= most_kept(8 * count))
            result.slots[SLOT_WORDS * slot + 2] = count
        result.finish()


def test_what_is_expected_is_bounded(monkeypatch):
    monkeypatch.setattr(RESULT_MEMORY, "bound", 1 << 24)
    layout = ResultLayout(DOUBLE, it.CSR)
    many = [10**12] * layout.slot_count
    layout.recent = (_Past(1, (), many, many),)
    result = layout.allocate((10, 10), [_operand(1000)], 1)
    assert all(_room(result, number) <= 2 * RESULT_MEMORY.bound // 8 for number in range(layout.slot_count))
    result.discard()


def _fill(result: GrowableResult, count: int) -> None:
    """What a kernel does that appends `count` entries."""
    for number, element in enumerate((np.dtype("i8"), DOUBLE)):
        RESULT_MEMORY.view(result.slots, number, element)[:count] = np.arange(count)
        result.slots[SLOT_WORDS * number + 2] = count
    result.fixed[0][:] = count


def test_small_results_are_copied_from_memory_that_the_next_one_uses_again():
    layout, operand = ResultLayout(DOUBLE, it.CSR), _operand(10)
    first = layout.allocate((10, 10), [operand], 1)
    _fill(first, 5)
    tensor = first.finish()
    second = layout.allocate((10, 10), [_operand(3)], 1)
    assert second is first
    _fill(second, 7)
    other = second.finish()
    assert tensor.values.tolist() == [0, 1, 2, 3, 4] and other.values.tolist() == [0, 1, 2, 3, 4, 5, 6]
    positions, others = tensor.levels[1].arrays()[0], other.levels[1].arrays()[0]
    assert set(positions.tolist()) == {5} and set(others.tolist()) == {7}
    pairs = zip(tensor.levels[1].arrays(), other.levels[1].arrays(), strict=True)
    assert not any(np.shares_memory(a, b) for a, b in pairs)


def test_memory_is_not_used_again_for_larger_results_or_other_shapes():
    layout = ResultLayout(DOUBLE, it.CSR)
    for shape, entries, parts in (((10, 10), 11, 1), ((10, 11), 10, 1), ((10, 10), 10, 2)):
        small = layout.allocate((10, 10), [_operand(10)], 1)
        _fill(small, 5)
        small.finish()
        other = layout.allocate(shape, [_operand(entries)], parts)
        assert other is not small and layout.spare == []
        other.discard()


def test_a_result_that_has_grown_is_read_where_it_is_now():
    layout, operand = ResultLayout(DOUBLE, it.CSR), _operand(10)
    result = layout.allocate((10, 10), [operand], 1)
    _fill(result, 5)
    result.finish()
    again = layout.allocate((10, 10), [operand], 1)
    for number, element in enumerate((np.dtype("i8"), DOUBLE)):
        _grow(again, number, element, 3000)
    _fill(again, 6)
    assert again.finish().values.tolist() == [0, 1, 2, 3, 4, 5]


def test_memory_of_a_kernel_that_is_gone_goes_back():
    layout = ResultLayout(DOUBLE, it.CSR)
    result = layout.allocate((10, 10), [_operand(10)], 1)
    _fill(result, 5)
    before, lent, keepers = RESULT_MEMORY.unused_bytes, result.size, len(RESULT_MEMORY._keepers)
    result.finish()
    assert RESULT_MEMORY.unused_bytes == before + lent and len(RESULT_MEMORY._keepers) == keepers + 1
    del result
    layout.spare.clear()
    # The pool has the blocks themselves now.
    assert RESULT_MEMORY.unused_bytes == before + lent and len(RESULT_MEMORY._keepers) == keepers


def test_memory_that_is_kept_can_be_taken_back():
    layout = ResultLayout(DOUBLE, it.CSR)
    result = layout.allocate((10, 10), [_operand(10)], 1)
    _fill(result, 5)
    tensor = result.finish()
    RESULT_MEMORY.clear()
    assert RESULT_MEMORY.unused_bytes == 0 and not any(result.slots)
    again = layout.allocate((10, 10), [_operand(10)], 1)
    assert again is not result
    _fill(again, 7)
    assert again.finish().values.tolist() == [0, 1, 2, 3, 4, 5, 6] and tensor.values.tolist() == [0, 1, 2, 3, 4]


def test_what_is_kept_is_counted_as_it_has_grown():
    layout = ResultLayout(DOUBLE, it.CSR)
    for size in (3000, 9000):
        result = layout.allocate((10, 10), [_operand(10)], 1)
        for number, element in enumerate((np.dtype("i8"), DOUBLE)):
            if _room(result, number) < size:
                _grow(result, number, element, size)
        _fill(result, 6)
        result.finish()
        assert result.size == sum(8 * _room(result, number) for number in range(2)) >= 2 * 8 * size


def test_lists_of_parts_are_lent_what_those_before_grew_to():
    layout, operand, parts = ResultLayout(DOUBLE, it.CSR), _operand(200_000), 4
    appended = {2 * layout.slot_count: (np.dtype("i8"), 300_000), 2 * layout.slot_count + 1: (DOUBLE, 300_000)}
    result = layout.allocate((10, 10), [operand], parts)
    assert not any(_room(result, number) for number in range(layout.slot_count, parts * layout.slot_count))
    for number, (element, size) in appended.items():
        _grow(result, number, element, size)
    result.finish()
    for factor in (2, 1):
        result = layout.allocate((10, 10), [_operand(factor * 200_000)], parts)
        for number in range(layout.slot_count, parts * layout.slot_count):
            assert (_room(result, number) >= factor * 300_000) == (number in appended)
        # What fits changes nothing, be there more room than was asked for or not.
        before = dict(layout.list_growth)
        result.finish()
        assert layout.list_growth == before
    # With fewer parts there are fewer slots.
    result = layout.allocate((10, 10), [operand], 2)
    assert not any(_room(result, number) for number in range(layout.slot_count, 2 * layout.slot_count))
    result.discard()


def test_short_results_tell_nothing_of_long_ones():
    layout = ResultLayout(DOUBLE, it.CSR)
    result = layout.allocate((10, 10), [_operand(1)], 2)
    _grow(result, layout.slot_count, np.dtype("i8"), 64)
    result.finish()
    result = layout.allocate((10, 10), [_operand(1_000_000)], 2)
    assert not _room(result, layout.slot_count)
    result.discard()


def _with_a_list(layout: ResultLayout, entries: int, parts: int = 2) -> tuple[GrowableResult, int]:
    """A result with memory for one list, as calls have it from the second on, and the list's address."""
    layout.list_growth = {layout.slot_count: 1.0}
    result = layout.allocate((10, 10), [_operand(entries)], parts)
    _fill(result, 100_000)
    return result, result.slots[SLOT_WORDS * layout.slot_count]


def test_lists_keep_their_memory_until_the_next_call():
    layout = ResultLayout(DOUBLE, it.CSR)
    before = RESULT_MEMORY.unused_bytes
    first, address = _with_a_list(layout, 200_000)
    slots, in_use = first.slots, RESULT_MEMORY.unused_bytes
    kept = first.finish()
    assert address and RESULT_MEMORY.unused_bytes >= in_use + 8 * 200_000
    # Also for a little less, though not by two calls at the same time.
    second, again = _with_a_list(layout, 150_000)
    other, elsewhere = _with_a_list(layout, 200_000)
    assert second.slots is slots and again == address != elsewhere
    del first, kept
    assert second.slots[SLOT_WORDS * layout.slot_count] == address
    second.discard()
    other.discard()
    assert not any(second.slots) and RESULT_MEMORY.unused_bytes >= before


def test_lists_that_are_too_short_or_far_too_long_are_lent_anew():
    for entries in (400_000, 10_000):
        layout = ResultLayout(DOUBLE, it.CSR)
        _with_a_list(layout, 200_000)[0].finish()
        result = layout.allocate((10, 10), [_operand(entries)], 2)
        room = _room(result, layout.slot_count)
        assert room >= entries if entries > 200_000 else room == 0
        result.discard()


def test_lists_go_back_with_their_kernel_and_when_all_that_is_unused_does():
    layout = ResultLayout(DOUBLE, it.CSR)
    RESULT_MEMORY.clear()
    result, _ = _with_a_list(layout, 200_000)
    slots = result.slots
    result.finish()
    (lists,) = layout.idle
    assert lists.is_kept and RESULT_MEMORY.unused_bytes >= lists.size > 0
    RESULT_MEMORY.clear()
    assert RESULT_MEMORY.unused_bytes == 0 and not lists.is_kept and not any(slots)
    # They can still be had, without memory.
    result, address = _with_a_list(layout, 200_000)
    assert result.slots is slots and address
    result.finish()
    del result, lists, slots
    before = RESULT_MEMORY.unused_bytes
    del layout
    # Counted as blocks of the pool now, instead of as a list that is kept.
    assert RESULT_MEMORY.unused_bytes == before
    RESULT_MEMORY.clear()


def test_lists_are_not_kept_beyond_the_bound(monkeypatch: pytest.MonkeyPatch):
    layout = ResultLayout(DOUBLE, it.CSR)
    result, address = _with_a_list(layout, 200_000)
    monkeypatch.setattr(RESULT_MEMORY, "bound", 0)
    result.finish()
    assert address and not layout.idle


def test_lists_are_left_alone_when_the_interpreter_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of modules may be gone by then."""
    lists = part_lists.PartLists([8], 2)
    with monkeypatch.context() as ending:
        ending.setattr(part_lists, "RESULT_MEMORY", None)
        lists.__del__(lambda: True)
        with pytest.raises(AttributeError):
            lists.__del__(lambda: False)


def test_a_result_is_lent_the_room_that_the_one_before_had():
    """A kernel may make room for a row of which it stores little, and fresh memory takes long: but for other rows."""
    layout, operand = ResultLayout(DOUBLE, it.CSR), _operand(3)
    result = layout.allocate((10, 50_000), [operand], 1)
    for number, element in enumerate((np.dtype("i8"), DOUBLE)):
        _grow(result, number, element, 50_000)
        result.slots[SLOT_WORDS * number + 2] = 3
    result.finish()
    unused = RESULT_MEMORY.unused_bytes
    for _ in range(3):
        result = layout.allocate((10, 50_000), [operand], 1)
        assert all(_room(result, number) >= 50_000 for number in range(layout.slot_count))
        result.finish()
        assert RESULT_MEMORY.unused_bytes == unused
    result = layout.allocate((10, 20), [operand], 1)
    assert all(_room(result, number) < 5_000 for number in range(layout.slot_count))
    result.discard()


@pytest.mark.parametrize("format", [it.CSR, it.COO(2), it.DCSR])
def test_memory_of_products_is_used_again(format):
    """Three entries in rows of 20,000 elements, for which the kernel makes room."""
    extent = 20_000
    tensor = it.Tensor.from_coo([[0, 5, extent - 1], [5, 0, 7]], [1.0, 2.0, 3.0], shape=(extent,) * 2, format=format)
    kernel = it.compile("R[i,j] = A[i,k] * B[k,j]", dict.fromkeys("ABR", format), num_threads=1)
    unused = []
    for _ in range(12):
        assert kernel(A=tensor, B=tensor).nnz == 2
        unused.append(RESULT_MEMORY.unused_bytes)
    assert len({*unused[6:]}) == 1


class Interrupted(list[Any]):
    """A signal's handler raises as soon as something was appended."""

    def append(self, item: Any) -> None:
        super().append(item)
        raise KeyboardInterrupt


@pytest.mark.parametrize("entries", [3, 20_000])
def test_a_result_that_is_interrupted_when_it_is_done(entries: int) -> None:
    """Its memory is given back once, or kept for the next result as it is."""
    array = scipy.sparse.csr_array(
        (np.ones(entries), (np.arange(entries), np.arange(entries))), shape=(entries, entries)
    )
    kernel = it.compile("C[i,j] = 2 * A[i,j]", formats={"C": "csr"}, num_threads=1)
    kernel(array)
    assert kernel._last.last is not None
    (layout,) = kernel._last.last.kernel._layouts
    for name in ("spare", "idle"):
        interrupted = Interrupted(getattr(layout, name))
        setattr(layout, name, interrupted)
        try:
            kernel(array)
        except KeyboardInterrupt:
            if name == "spare":
                assert all(one.slots[0] for one in interrupted)
        setattr(layout, name, list(interrupted))
        for _ in range(2):
            np.testing.assert_array_equal(kernel(array).values, np.full(entries, 2.0))


def test_memory_that_another_thread_has_by_now_stays_there():
    """A signal's handler may raise when a result is done: its call gives back what is its own still."""
    layout, operand = ResultLayout(DOUBLE, it.CSR), _operand(10)
    result = layout.allocate((10, 10), [operand], 1)
    _fill(result, 5)
    result.finish()
    taken: list[GrowableResult] = []
    thread = threading.Thread(target=lambda: taken.append(layout.allocate((10, 10), [operand], 1)))
    thread.start()
    thread.join()
    assert taken == [result]
    result.discard()
    assert all(_room(result, number) > 10 for number in range(layout.slot_count))
    _fill(result, 7)
    assert result.finish().values.tolist() == [0, 1, 2, 3, 4, 5, 6]


def test_what_was_not_made_to_the_end_leaves_quietly(monkeypatch: pytest.MonkeyPatch):
    layout = ResultLayout(DOUBLE, it.CSR)
    monkeypatch.setattr(layout, "lists_for", lambda parts: {}[parts])
    with warnings.catch_warnings(), pytest.raises(KeyError):
        warnings.simplefilter("error")
        layout.allocate((10, 10), [_operand(10)], 1)
