"""The least and the greatest of floats and vectors, as rewritten for x86, are IEEE 754's minimum and maximum."""

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


def text_for_numbers(name, element):
    """Eight elements, one after the other, as an element is combined with a number."""
    function = f"llvm.{name}.{'f64' if element == 'double' else 'f32'}"
    return f"""
declare {element} @{function}({element}, {element})
define void @both(ptr %a, ptr %b, ptr %c) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds {element}, ptr %a, i64 %i
  %x = load {element}, ptr %p, align 4
  %q = getelementptr inbounds {element}, ptr %b, i64 %i
  %y = load {element}, ptr %q, align 4
  %z = call contract reassoc {element} @{function}({element} %x, {element} %y)
  %r = getelementptr inbounds {element}, ptr %c, i64 %i
  store {element} %z, ptr %r, align 4
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 8
  br i1 %more, label %loop, label %end
end:
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
@pytest.mark.parametrize("is_vector", [True, False])
def test_all_pairs_of_special_numbers(is_vector, name, element, dtype):
    text = text_for(name, element, 8) if is_vector else text_for_numbers(name, element)
    rewritten = with_quick_extremes(text)
    assert "call contract reassoc" in text
    assert "call contract reassoc" not in rewritten
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
    """Numbers in a register, which LLVM may take for a reduction, and those whose minimum ignores NaN."""
    for line in (
        "  %z = call double @llvm.minimum.f64(double %x, double %y)",
        "  %z = call double @llvm.minimum.f64(double %x, double %y)\n  store double %z, ptr %cell",
        "  %z = call <2 x double> @llvm.minnum.v2f64(<2 x double> %x, <2 x double> %y)",
        "declare <2 x double> @llvm.minimum.v2f64(<2 x double>, <2 x double>)",
    ):
        assert with_quick_extremes(line) == line


def test_an_element_that_is_reduced_stays():
    """The same element in each iteration is a reduction for LLVM."""
    text = text_for_numbers("minimum", "double")
    assert with_quick_extremes(text) != text
    reduced = text.replace("ptr %c, i64 %i", "ptr %c, i64 %k")
    assert with_quick_extremes(reduced) == reduced
