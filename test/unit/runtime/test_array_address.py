"""Addresses of arrays that kernels are passed."""

import numpy as np
import pytest

from irtensor.runtime.array_address import EMPTY_ADDRESS, array_address
from irtensor.tensors.tensor import Tensor


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "i8", "f4", "f8", "c8", "c16"])
def test_the_address_is_numpys(dtype):
    array = np.zeros((3, 2), dtype)
    assert array_address(array) == array.ctypes.data
    assert array_address(array[1:]) == array.ctypes.data + array.strides[0]


def test_a_read_only_array_has_an_address():
    array = np.ones(3)
    array.flags.writeable = False
    assert array_address(array) == array.ctypes.data


def test_an_empty_array_stands_for_readable_memory():
    # Behind the end of its base, where nothing may be read.
    assert array_address(np.ones(4)[4:]) == EMPTY_ADDRESS
    assert array_address(np.ones((0, 3))) == EMPTY_ADDRESS


def test_empty_arrays_of_a_tensor_are_readable():
    tensor = Tensor.from_numpy(np.zeros((2, 3)), "dense, compressed")
    positions, coordinates, values = tensor.arguments()[2:]
    assert (array := tensor.levels[1].positions) is not None and positions == array.ctypes.data
    assert coordinates == values == EMPTY_ADDRESS
