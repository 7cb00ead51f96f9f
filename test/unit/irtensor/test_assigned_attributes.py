"""What happens when a user assigns to attributes of tensors, levels and device arrays, or resizes their arrays."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from cuda_stub import run_on_card

import irtensor as it

DENSE = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
FORMATS = ["csr", "csc", "coo", "dense, dense", "dense, bitmap", "dense, hashed", "dense, padded"]
X = np.array([1.0, 10.0, 100.0])


def tensor(format="csr", dtype=np.float64) -> Any:
    return it.Tensor.from_numpy(DENSE.astype(dtype), format)


@pytest.mark.parametrize("format", FORMATS)
def test_values_are_replaced_and_changed_in_place(format):
    A = tensor(format)
    kernel = it.compile("y[i] = A[i,j] * x[j]")
    before = kernel(A=A, x=X)
    given = A.values * 2
    A.values = given
    assert A.values is given
    np.testing.assert_allclose(kernel(A=A, x=X), 2 * before)
    A.values[...] *= 3
    np.testing.assert_allclose(kernel(A=A, x=X), 6 * before)
    np.testing.assert_allclose(A.to_numpy(), 6 * DENSE)


def test_values_may_be_read_only_and_lists():
    A = tensor()
    given = np.array([4.0, 5.0, 6.0])
    given.flags.writeable = False
    A.values = given
    np.testing.assert_allclose(it.einsum("ij,j->i", A, X), [504.0, 60.0])
    A.values = [1.0, 2.0, 3.0]
    np.testing.assert_allclose(it.einsum("ij,j->i", A, X), [201.0, 30.0])


WRONG = {
    "short": np.ones(2),
    "long": np.ones(4),
    "empty": np.ones(0),
    "number": 5.0,
    "matrix": np.ones((3, 1)),
    "narrow": np.ones(3, np.float32),
    "integers": [1, 2, 3],
    "strided": np.ones(6)[::2],
    "reversed": np.ones(3)[::-1],
    "words": np.array(["a", "b", "c"]),
    "objects": np.array([1.0, None, {}], dtype=object),
    "none": None,
    "ragged": [[1.0], [1.0, 2.0]],
    "masked": np.ma.masked_array(np.ones(3), np.array([False, True, False])),
    "sparse": sp.csr_array(np.ones((1, 3))),
    "tensor": it.Tensor.from_numpy(np.array([1.0, 0.0, 3.0]), "compressed"),
}


@pytest.mark.parametrize("given", WRONG.values(), ids=WRONG)
def test_values_that_do_not_fit_are_refused(given):
    A = tensor()
    present = A.values
    with pytest.raises(it.UserError) as caught:
        A.values = given
    assert caught.value.slug in ("bad-storage", "unsupported-dtype", "bad-argument", "silent-densification")
    assert A.values is present
    np.testing.assert_allclose(it.einsum("ij,j->i", A, X), DENSE @ X)


def test_padding_of_blocks_stays_the_fill_value():
    A = it.Tensor.from_numpy(np.arange(1.0, 10.0).reshape(3, 3), it.BCSR(2, 2))
    with pytest.raises(it.UserError, match="in the padding of a block"):
        A.values = np.ones(A.values.size)
    A.values = A.values * 2
    np.testing.assert_allclose(A.to_numpy(), 2 * np.arange(1.0, 10.0).reshape(3, 3))


@pytest.mark.parametrize("name", ["shape", "dtype", "format", "levels"])
def test_other_attributes_are_fixed(name):
    A = tensor()
    for change in (lambda: setattr(A, name, getattr(tensor("coo"), name)), lambda: delattr(A, name)):
        with pytest.raises(it.UserError) as caught:
            change()
        assert caught.value.slug == "fixed-attribute" and isinstance(caught.value, AttributeError)
    np.testing.assert_allclose(it.einsum("ij,j->i", A, X), DENSE @ X)


@pytest.mark.parametrize("name", ["positions", "coordinates", "flags"])
def test_arrays_of_a_level_are_fixed(name):
    A = tensor()
    with pytest.raises(it.UserError, match=rf"fixed-attribute\] a level keeps its {name}"):
        setattr(A.levels[1], name, np.zeros(1, np.int64))
    with pytest.raises(it.UserError, match="fixed-attribute"):
        delattr(A.levels[0], name)


def test_values_are_not_deleted():
    with pytest.raises(AttributeError):
        del tensor().values


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="NumPy counts references elsewhere differently")
@pytest.mark.parametrize("is_used", [False, True])
def test_arrays_are_not_resized(is_used):
    A: Any = it.Tensor.from_coo([[0, 0, 1], [0, 2, 1]], [1.0, 2.0, 3.0], shape=(2, 3), format="csr")
    A.values = np.array([1.0, 2.0, 3.0])
    if is_used:
        it.einsum("ij,j->i", A, X)
    for resize in (
        lambda: A.values.resize(1),
        lambda: A.levels[1].positions.resize(1),
        lambda: A.levels[1].coordinates.resize(1),
    ):
        with pytest.raises(ValueError, match="cannot resize"):
            resize()
    np.testing.assert_allclose(it.einsum("ij,j->i", A, X), DENSE @ X)


def test_copies_have_arrays_of_their_own():
    A = tensor()
    for made in (A.copy(), pickle.loads(pickle.dumps(A))):
        made.values = np.zeros(3)
        np.testing.assert_allclose(A.to_numpy(), DENSE)
        assert made.levels[1].coordinates.tolist() == [0, 2, 1]


def test_levels_are_a_tuple_wherever_tensors_come_from():
    A = tensor()
    made = [A.T, A + A, A.to_format("coo"), A.with_fill(2.0), A.copy(), A.astype("f4"), A.sum(axis=0), A.sum(axis=(0,))]
    made += [it.Tensor.from_scipy(one(DENSE)) for one in (sp.csr_array, sp.csc_array, sp.coo_array, sp.dia_array)]
    made += [it.Tensor.from_buffers(A.shape, A.format, list(A.levels), A.values), it.Tensor.from_numpy(DENSE)]
    assert [type(one.levels) for one in made] == [tuple] * len(made)


def test_attributes_on_a_card():
    ran = run_on_card(
        """
kernel = compiled(SPMV)
first = kernel(A=A, x=X).to_numpy().tolist()
size = A.values.size
A.values = it.cuda.to_device(2 * A.to_host().values)
show([2 * one for one in first] == kernel(A=A, x=X).to_numpy().tolist())
def assigned(name, value, one=A):
    show(raised(lambda: setattr(one, name, value)))
assigned("values", np.ones(size))
assigned("values", it.cuda.to_device(np.ones(size + 1)))
assigned("values", it.cuda.to_device(np.ones(size, np.float32)))
assigned("values", it.cuda.to_device(np.ones((size, 1))))
assigned("values", 5.0)
for name in ("shape", "dtype", "format", "levels"):
    assigned(name, None)
assigned("coordinates", X, A.levels[1])
for name in ("shape", "dtype", "memory", "size", "nbytes"):
    assigned(name, None, X)
show(raised(lambda: X.reshaped((10**9,))))
show(raised(lambda: X.reshaped((-1,))))
show([2 * one for one in first] == kernel(A=A, x=X).to_numpy().tolist())
H = it.Tensor.from_numpy(np.ones((2, 2)), "csr")
assigned("values", it.cuda.to_device(np.ones(4)), H)
B = it.Tensor.from_numpy(np.ones((3, 3)), it.BCSR(2, 2)).to_device()
assigned("values", it.cuda.to_device(np.ones(B.values.size)), B)
C = A.copy()
known = C.known_elements()
other = A.copy()
C.replace_storage(other)
show(C.known_elements() == other.known_elements() != known)
"""
    )
    slugs = [one.split("[")[1].split("]")[0] if isinstance(one, str) and "[" in one else one for one in ran.shown]
    storage = ["operand-on-host", *["bad-storage"] * 3, "operand-on-host"]
    assert slugs[:6] == [True, *storage]
    assert slugs[6:16] == ["fixed-attribute"] * 10
    assert slugs[16:] == ["bad-shape", "bad-shape", True, "operand-on-device", "bad-storage", True]
