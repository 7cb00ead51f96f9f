"""Memory that DLPack passes on: what NumPy makes of it, and that it is kept no longer than somebody uses it."""

from __future__ import annotations

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from irtensor.runtime import dlpack


class Producer:
    """An array of NumPy that passes itself on by the code for arrays of a card."""

    def __init__(self, array, device=(dlpack.CPU, 0), read_only=False):
        self.array = array
        self.device = device
        self.read_only = read_only

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        array, device = self.array, self.device
        versioned = max_version is not None
        address = array.ctypes.data
        return dlpack.capsule(
            array, address, array.shape, array.dtype, device, versioned=versioned, read_only=self.read_only
        )


class OldProducer(Producer):
    """One of the time before versions."""

    def __dlpack__(self, *, stream=None):  # pyrefly: ignore[bad-override]
        return super().__dlpack__()


class Owner(np.ndarray):
    """An array that can be seen to go."""


@pytest.fixture(autouse=True)
def _nothing_is_left():
    yield
    gc.collect()
    assert dlpack._used == {}


@pytest.mark.parametrize("kind", [Producer, OldProducer])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 0, 4), (2, 1, 3)])
@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float32", "float64", "complex64", "complex128"])
def test_numpy_reads_what_is_passed_on(kind, shape, dtype):
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    taken = np.from_dlpack(kind(array))
    assert taken.dtype == array.dtype and taken.shape == array.shape and (taken == array).all()
    assert taken.size == 0 or np.shares_memory(taken, array)


@pytest.mark.parametrize("read_only", [False, True])
def test_what_may_not_be_written_to_is_marked(read_only):
    assert np.from_dlpack(Producer(np.ones(3), read_only=read_only)).flags.writeable is not read_only


def test_the_owner_lives_as_long_as_somebody_uses_its_memory():
    array = np.ones(3).view(Owner)
    seen = weakref.ref(array)
    taken = np.from_dlpack(Producer(array))
    del array
    assert seen() is not None and len(dlpack._used) == 1
    taken[0] = 7
    del taken
    assert seen() is None


@pytest.mark.parametrize("versioned", [False, True])
def test_a_capsule_that_nobody_takes_lets_go(versioned):
    array = np.ones(3).view(Owner)
    seen = weakref.ref(array)
    made = dlpack.capsule(array, 1, (3,), array.dtype, (dlpack.CUDA, 0), versioned=versioned)
    del array
    assert seen() is not None
    del made
    assert seen() is None


def test_an_exception_that_is_on_its_way_stays_what_it_is():
    """The capsule goes while NumPy refuses the device."""
    with pytest.raises((RuntimeError, BufferError), match="device"):
        np.from_dlpack(Producer(np.ones(3), device=(dlpack.CUDA, 0)))


def test_memory_is_let_go_by_other_threads():
    with ThreadPoolExecutor(4) as pool:
        sums = pool.map(lambda n: float(np.from_dlpack(Producer(np.full(5, n))).sum()), range(40))
        assert list(sums) == [5.0 * n for n in range(40)]
