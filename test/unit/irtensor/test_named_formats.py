"""Formats under their names: what they cannot be made of is a mistake of the user's, and no other exception."""

# Most arguments are wrong on purpose.
# pyrefly: ignore-errors[bad-argument-type]

import numpy as np
import pytest

import irtensor as it


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: it.BCSR(2.5, 1), "block factor 2.5 is not a number from 1"),
        (lambda: it.BCSC("a", 1), "block factor 'a' is not a number"),
        (lambda: it.CSB(0), "block factor 0 is not"),
        (lambda: it.COO(10**10), "rank 10000000000 is not a number from 0 to 64"),
        (lambda: it.CSF("a"), "rank 'a' is not a number"),
        (lambda: it.Dense(-1), "rank -1 is not a number"),
        (lambda: it.ModeGeneric(3, "a"), "rank 'a' is not a number"),
        (lambda: it.ModeGeneric(2, 3), "3 sparse dimensions of 2: expected 1..2"),
        (lambda: it.CSF(3, order=[0, 1]), "does not name each dimension from 0 to 2 once"),
        (lambda: it.CSF(3, order=[0, 1, 1]), "does not name each dimension"),
        (lambda: it.CSF(3, order=["a", 1, 2]), "does not name each dimension"),
        (lambda: it.Dense(3, order=5), "the order 5 does not name"),
        (lambda: it.Format(3), "the text of a format is a str, not int"),
    ],
)
def test_what_is_no_format_is_refused(make, message):
    with pytest.raises(it.UserError, match="bad-format") as caught:
        make()
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["coo", "COO, crd = i32", "csf", "csr, pos = i32", "Dense", it.COO])
def test_files_are_read_into_formats_of_their_rank(name, tmp_path):
    matrix = np.diag([1.0, 0.0, 2.0])
    for path in ("a.mtx", "a.tns"):
        it.write(tmp_path / path, it.Tensor.from_numpy(matrix, "csr"))
        read = it.read(tmp_path / path, shape=(3, 3), format=name)
        assert read.format == it.Tensor.from_numpy(matrix, name).format
        np.testing.assert_array_equal(read.to_numpy(), matrix)


def test_orders_may_be_any_sequence():
    assert it.CSF(3, order=range(2, -1, -1)) == it.CSF(3, order=(2, 1, 0))


@pytest.mark.parametrize(
    "text, format",
    [
        ("csr", it.CSR),
        ("CSC", it.CSC),
        (" dcsr ", it.DCSR),
        ("coo", it.COO(2)),
        ("COO(2)", it.COO(2)),
        ("csf", it.CSF(2)),
        ("dense, compressed", it.CSR),
    ],
)
def test_formats_are_given_by_name(text, format):
    identity = np.eye(4)
    assert it.Tensor.from_numpy(identity, text).format == format
    assert it.einsum("ij,jk->ik", identity, identity, format=text).format == format
    assert it.compile("R[i,j] = A[i,j]", {"A": text, "R": text})(A=identity).format == format


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("csr, fill = inf", it.CSR.with_fill(float("inf"))),
        ("CSR, pos = i64, crd = i32", it.CSR.with_widths(64, 32)),
        ("coo, fill = 1", it.COO(2).with_fill(1.0)),
        ("coo(2),crd=i32, fill = -2", it.COO(2).with_widths(64, 32).with_fill(-2.0)),
        ("bcsr(2, 2), fill = 3", it.BCSR(2, 2).with_fill(3.0)),
    ],
)
def test_names_may_have_settings(text, format):
    assert it.Tensor.from_numpy(np.eye(4), text).format == format


@pytest.mark.parametrize(
    "text", ["csr, fill = x", "csr, level = 2", "csr, pos = i7", "foo, fill = 1", "csr,", ", fill = 1"]
)
def test_settings_that_are_none_are_refused(text):
    with pytest.raises(it.UserError, match="bad-format"):
        it.Tensor.from_numpy(np.eye(4), text)


def test_names_may_have_numbers():
    assert it.Tensor.from_numpy(np.eye(4), "bcsr(2, 2)").format == it.BCSR(2, 2)


@pytest.mark.parametrize("text", ["csx", "Format", "Format(2)", "csr(2)", "bcsr(2)", "bcsr", "named(3)", "coo(99)"])
def test_names_of_no_format_are_refused(text):
    with pytest.raises(it.UserError, match="bad-format"):
        it.Tensor.from_numpy(np.eye(4), text)


@pytest.mark.parametrize("format", [it.CSR, it.BCSR(2, 3), it.CSR.with_fill(float("inf")).with_widths(32, 64), it.DIA])
def test_a_format_is_shown_as_its_text(format):
    assert repr(format) == str(format)
    assert it.Format(repr(format)) == format
