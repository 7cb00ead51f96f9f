"""Whether results have a NaN: infinities and large numbers are none, and nobody is warned."""

import warnings

import numpy as np
import pytest

from irtensor.compiler.kernel.has_nan import has_nan


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_only_nan_is_one(dtype):
    most = np.finfo(dtype).max
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for numbers in ([], [0, 1], [most, -most], [np.inf, 1, -np.inf]):
            assert not has_nan(np.array(numbers, dtype))
            assert has_nan(np.array([*numbers, np.nan, 2], dtype))
        assert not has_nan(np.full((3, 4), np.inf, dtype)[:, ::2])
    if np.dtype(dtype).kind == "c":
        assert has_nan(np.array([1, complex(np.inf, np.nan)], dtype))


def test_numbers_and_integers():
    assert has_nan(np.float64("nan")) and not has_nan(np.float64("inf"))
    assert not has_nan(np.arange(3)) and not has_nan(np.ones(2, bool))
