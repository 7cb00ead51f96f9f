"""Memory of results: reuse, lifetime, growables, threads, fork."""

import ctypes
import gc
import os
import threading

import numpy as np
import pytest

from irtensor.runtime.result_memory import ResultMemory, new_slots

DOUBLE = np.dtype("f8")


@pytest.fixture
def memory():
    pool = ResultMemory(bound=64 << 20)
    yield pool
    pool.clear()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (5,), (300, 40), (7, 100_000)])
def test_arrays_are_ordinary(memory, shape):
    array = memory.empty(shape, DOUBLE)
    assert array.shape == shape
    assert type(array) is np.ndarray
    assert array.flags.c_contiguous
    assert array.flags.writeable
    array[...] = 1
    assert array.sum() == array.size


def test_block_returns_when_the_last_view_dies(memory):
    array = memory.empty((1000, 100), DOUBLE)
    address = array.ctypes.data
    view = array.reshape(100, 1000).T[3:, ::2]
    del array
    gc.collect()
    assert memory.unused_bytes == 0
    del view
    assert memory.unused_bytes >= 800_000
    again = memory.empty((100_000,), DOUBLE)
    assert again.ctypes.data == address
    assert memory.unused_bytes == 0


def test_live_arrays_never_share_memory(memory):
    arrays = [memory.empty((10_000,), DOUBLE) for _ in range(20)]
    for number, array in enumerate(arrays):
        array[:] = number
    del arrays[::2]
    arrays += [memory.empty((9_990,), DOUBLE) for _ in range(20)]
    for number, array in enumerate(arrays[10:]):
        array[:] = -number
    assert [array[0] for array in arrays[:10]] == list(range(1, 20, 2))


def test_unused_memory_is_bounded():
    pool = ResultMemory(bound=1 << 20)
    arrays = [pool.empty((50_000,), DOUBLE) for _ in range(10)]
    del arrays
    assert 0 < pool.unused_bytes <= 1 << 20
    pool.clear()
    assert pool.unused_bytes == 0


@pytest.mark.parametrize("count", [0, 1, 511, 512, 2048, 100_000, 2_000_000])
def test_growable_becomes_an_array(memory, count):
    slots = new_slots(2)
    memory.lend(slots, 1, 8, 10)
    libc = ctypes.CDLL(None)
    libc.realloc.restype = ctypes.c_void_p
    libc.realloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    if count > slots[4]:
        slots[3] = libc.realloc(slots[3], 8 * 2 * count)
        slots[4] = 2 * count
    values = np.arange(count, dtype=DOUBLE)
    ctypes.memmove(slots[3], values.ctypes.data, values.nbytes)
    slots[5] = count
    array = memory.adopt(slots, 1, DOUBLE)
    assert list(slots) == [0] * 6
    np.testing.assert_array_equal(array, values)
    array[...] = 7
    del array
    assert memory.adopt(slots, 0, DOUBLE).shape == (0,)


def test_discard_takes_the_memory_back(memory):
    slots = new_slots(1)
    memory.lend(slots, 0, 4, 100_000)
    memory.discard(slots, 0, 4)
    assert memory.unused_bytes >= 400_000
    memory.discard(slots, 0, 4)


def test_a_short_list_leaves_a_large_block_to_a_long_one(memory):
    slots = new_slots(2)
    memory.lend(slots, 0, 8, 2_000_000)
    large = slots[0]
    memory.discard(slots, 0, 8)
    memory.lend(slots, 0, 8, 500_000)
    memory.lend(slots, 1, 8, 2_000_000)
    assert slots[3] == large
    assert slots[1] < 1_000_000
    for number in range(2):
        memory.discard(slots, number, 8)
    # One that is not much larger will do.
    memory.lend(slots, 1, 8, 1_200_000)
    assert slots[3] == large
    memory.discard(slots, 1, 8)


def test_no_memory_is_a_memory_error(memory):
    with pytest.raises(MemoryError):
        memory.empty((1 << 45,), DOUBLE)


def test_threads(memory):
    failures = []

    def work(number):
        random = np.random.default_rng(number)
        for _ in range(300):
            array = memory.empty((int(random.integers(1, 40_000)),), DOUBLE)
            array[:] = number
            if not (array == number).all():
                failures.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_fork_while_another_thread_holds_the_lock(memory):
    held, release = threading.Event(), threading.Event()

    def hold():
        with memory._lock:
            held.set()
            release.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        array = memory.empty((100_000,), DOUBLE)
        array[:] = 1
        del array
        os._exit(0 if memory.unused_bytes else 1)
    release.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
