"""Shifts, and numbers of bits and reversed bits: NumPy's results for all of 8 bits, and at the edges of wider ones."""

import numpy as np
import pytest

import irtensor as it
from irtensor.core.operators import OPERATORS
from irtensor.frontend.element_types import element_name

DTYPES = [np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8)]
SHIFTS = {"<<": np.left_shift, ">>": np.right_shift}


def numbers(dtype):
    limits = np.iinfo(dtype)
    if limits.bits == 8:
        return np.arange(limits.min, limits.max + 1).astype(dtype)
    between = np.random.default_rng(1).integers(limits.min, limits.max, 9, dtype=dtype)
    return np.concatenate([np.array([limits.min, 0, 1, 5, limits.max // 2 + 1, limits.max], dtype), between])


def amounts(dtype):
    """Shifts by less than the width, by the width and by more; signed ones by negative numbers as well."""
    limits = np.iinfo(dtype)
    return numbers(dtype) if limits.bits == 8 else np.array([limits.min, 0, 1, 7, 31, 32, 63, 64, limits.max], dtype)


def same(found, expected):
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def bits(number, dtype):
    width = 8 * dtype.itemsize
    return f"{int(number) % (1 << width):0{width}b}"


@pytest.mark.parametrize("target", ["cpu", "cuda-emulated"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_shifts_of_arrays(dtype, target):
    a, b = (np.ascontiguousarray(grid.ravel()) for grid in np.meshgrid(numbers(dtype), amounts(dtype)))
    for symbol, shift in SHIFTS.items():
        same(it.compile(f"y[i] = a[i] {symbol} b[i]", target=target)(a=a, b=b), shift(a, b))
    same(it.compile("y[i] = (a[i] << 3) ^ (a[i] >> 70) ^ (1 << a[i])", target=target)(a=a), a << 3 ^ a >> 70 ^ 1 << a)
    count, reverse = (it.compile(f"y[i] = {name}(a[i])", target=target)(a=a) for name in ("popcount", "bitreverse"))
    same(count, np.array([bits(number, dtype).count("1") for number in a], dtype))
    reversed_bits = np.array([int(bits(number, dtype)[::-1], 2) for number in a], f"u{dtype.itemsize}")
    same(reverse, reversed_bits.view(dtype))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_constants_have_the_same_values(dtype):
    element = element_name(dtype)
    for number in numbers(dtype)[::17]:
        for amount in amounts(dtype)[::5]:
            for name, shift in (("shl", np.left_shift), ("shr", np.right_shift)):
                assert OPERATORS[name].value_of((int(number), int(amount)), (element,) * 2) == shift(number, amount)
        found = OPERATORS["bitreverse"].value_of((int(number),), (element,))
        assert bits(found, dtype) == bits(number, dtype)[::-1]
        assert OPERATORS["popcount"].value_of((int(number),), (element,)) == bits(number, dtype).count("1")


def test_types_are_those_of_numpy():
    for left, right in (("u1", "i1"), ("i1", "u4"), ("?", "?"), ("u8", "u2")):
        a, b = np.ones(3, left), np.arange(3).astype(right)
        same(it.compile("y[i] = a[i] << b[i]")(a=a, b=b), a << b)
    for wrong in ("f8", "c8"):
        with pytest.raises(it.UserError, match="unsupported-operator"):
            it.compile("y[i] = a[i] << 1")(a=np.ones(3, wrong))
    with pytest.raises(it.UserError, match="unsupported-operator"):
        it.compile("y[i] = a[i] >> b[i]")(a=np.ones(3, "u8"), b=np.ones(3, "i8"))


def test_expressions_and_tensors():
    """They bind as in Python, between sums and `&`; a shift keeps what is absent."""
    a = np.array([0, 3, 0, 12, -7])
    found = it.compile("y[i] = a[i] + 1 << 2 & 28 | 1 << 1 + 1")(a=a)
    same(found, a + 1 << 2 & 28 | 1 << 1 + 1)
    tensor, i = it.Tensor.from_numpy(a, "compressed"), it.indices("i")
    for result in (tensor << 2, np.left_shift(tensor, 2)):
        assert isinstance(result, it.Tensor)
        assert result.nnz == 3
        same(result.to_numpy(), a << 2)
    same((1 << tensor).to_numpy() if isinstance(1 << tensor, it.Tensor) else 1 << tensor, 1 << a)
    expression = (tensor[i] << 2) >> it.functions.popcount(5 >> tensor[i])
    assert str(expression) == "<expression A[i] << 2 >> popcount(5 >> A[i])>"
