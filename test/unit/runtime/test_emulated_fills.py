"""What host code fills by the driver of a device: elements of all sizes, by the emulator."""

import numpy as np
import pytest
from emulated_loops import EmulatedLoops

FILL = """
func.func @kernel(%lo: index, %hi: index, %y: !loop.buffer<{type}>) {{
  %value = {value}
  loop.fill %value, %y[%lo to %hi] : {type}
  func.return
}}
"""
VALUES = {
    "f64": ("arith.constant 0.0 : f64", np.float64, 0.0),
    "i64": ("arith.constant -1 : i64", np.int64, -1),
    "f32": ("arith.constant 1.5 : f32", np.float32, 1.5),
    "i16": ("arith.constant -2 : i16", np.int16, -2),
    "i8": ("arith.constant 7 : i8", np.int8, 7),
    "i1": ("arith.constant true", np.bool_, True),
    "complex<f32>": ("complex.constant [1.5 : f32, 1.5 : f32] : complex<f32>", np.complex64, 1.5 + 1.5j),
    "complex<f64>": ("complex.constant [0.0, 0.0] : complex<f64>", np.complex128, 0),
}


@pytest.mark.parametrize("type", VALUES)
def test_elements_are_filled_without_a_kernel(type: str):
    value, dtype, number = VALUES[type]
    fill = EmulatedLoops(FILL.format(type=type, value=value))
    for lower, upper in ((0, 7), (2, 5), (3, 3), (5, 2)):
        found = np.arange(7).astype(dtype)
        expected = found.copy()
        expected[lower:upper] = number
        fill(lower, upper, found)
        np.testing.assert_array_equal(found, expected)
    assert not fill.kernels
