"""The least and the greatest of vectors, as rewritten for x86, are those of IEEE 754's minimum and maximum."""

import ctypes

import numpy as np
import pytest

from irtensor.runtime.cpu_engine import compile_llvm_text
from irtensor.runtime.extremes_of_vectors import with_quick_extremes

SPECIAL = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, -np.nan, 1e-310, -1e-310, 3e38, -3e38, 2.5)


def text_for(name, element, lanes):
    suffix = {"double": "f64", "float": "f32"}[element]
    vector, function = f"<{lanes} x {element}>", f"llvm.{name}.v{lanes}{suffix}"
    return f"""
declare {vector} @{function}({vector}, {vector})
define void @both(ptr %a, ptr %b, ptr %c) {{
  %x = load {vector}, ptr %a, align 4
  %y = load {vector}, ptr %b, align 4
  %z = call contract reassoc {vector} @{function}({vector} %x, {vector} %y)
  store {vector} %z, ptr %c, align 4
  ret void
}}
"""


def expected_of(name, a, b):
    """As IEEE 754-2019 has it: NaN if either is, and -0 is less than 0."""
    if np.isnan(a) or np.isnan(b):
        return np.nan
    least, most = sorted((a, b), key=lambda one: (one, not np.signbit(one)))
    return least if name == "minimum" else most


@pytest.mark.parametrize(("element", "dtype"), [("double", np.float64), ("float", np.float32)])
@pytest.mark.parametrize("name", ["minimum", "maximum"])
def test_all_pairs_of_special_numbers(name, element, dtype):
    text = text_for(name, element, 8)
    rewritten = with_quick_extremes(text)
    assert f"call contract reassoc <8 x {element}> @llvm" not in rewritten
    call = compile_llvm_text(rewritten, "both").as_ctypes(*[ctypes.c_void_p] * 3)
    numbers = np.array(SPECIAL, dtype)
    pairs = [(one, other) for one in numbers for other in numbers]
    for start in range(0, len(pairs), 8):
        chosen = (pairs[start:] + pairs)[:8]
        a, b, c = (np.array(column, dtype) for column in (*zip(*chosen, strict=True), [0] * 8))
        call(a.ctypes.data, b.ctypes.data, c.ctypes.data)
        for found, (one, other) in zip(c, chosen, strict=True):
            expected = expected_of(name, one, other)
            same = (
                np.isnan(found)
                if np.isnan(expected)
                else found == expected and np.signbit(found) == np.signbit(expected)
            )
            assert same, (name, one, other, found)


def test_others_stay():
    """Scalars, and numbers whose minimum ignores NaN."""
    for line in (
        "  %z = call double @llvm.minimum.f64(double %x, double %y)",
        "  %z = call <2 x double> @llvm.minnum.v2f64(<2 x double> %x, <2 x double> %y)",
        "declare <2 x double> @llvm.minimum.v2f64(<2 x double>, <2 x double>)",
    ):
        assert with_quick_extremes(line) == line
