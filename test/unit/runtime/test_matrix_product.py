"""Products of matrices by NumPy: all label patterns of two operands, and what is left to loops."""

from collections.abc import Iterator
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

from irtensor.runtime.matrix_product import is_matrix_product, matrix_product

EXTENTS = {"a": 2, "b": 3, "c": 4, "d": 5, "e": 6}


def patterns() -> Iterator[tuple[Any, Any, Any]]:
    """Labels of a left operand in the order of the alphabet, of a right one and a result in any order."""
    for m in range(4):
        for left in combinations("abc", m):
            for n in range(4):
                for right in permutations("abcde", n):
                    labels = sorted({*left, *right})
                    for k in range(len(labels) + 1):
                        yield from ((left, right, output) for output in permutations(labels, k))


def labels_of(text: str) -> tuple[Any, Any, Any]:
    """The labels of operands and result of a text like `ab,bc->ac`."""
    left, right, output = map(tuple, text.replace("->", ",").split(","))
    return left, right, output


def is_summed_in_both(left: Any, right: Any, output: Any) -> bool:
    summed = [label for label in (*left, *right) if label not in output]
    return bool(summed) and all(label in left and label in right for label in summed)


def computed(left: Any, right: Any, output: Any, extents: dict[str, int], dtype: str = "float64") -> Any:
    """The product by BLAS and by np.einsum; None where loops compute it."""
    rng = np.random.default_rng(0)
    shapes = [[extents[label] for label in labels] for labels in (left, right, output)]
    # Small whole numbers: sums are exact in any order.
    A, B = (rng.integers(-9, 9, shape).astype(dtype) for shape in shapes[:2])
    used = {label: extents[label] for label in (*left, *right)}
    product = matrix_product(left, right, output, used)
    if product is None:
        return None
    result = np.full(shapes[2], np.nan, dtype)
    product(A, B, result)
    return result, np.einsum(f"{''.join(left)},{''.join(right)}->{''.join(output)}", A, B)


def test_all_patterns():
    seen = 0
    for left, right, output in patterns():
        assert is_matrix_product(left, right, output) == is_summed_in_both(left, right, output)
        if is_matrix_product(left, right, output):
            found = computed(left, right, output, EXTENTS)
            assert found is not None, (left, right, output)
            np.testing.assert_array_equal(*found, err_msg=f"{left} {right} {output}")
            seen += 1
    assert seen > 1000


def test_infinities_and_numbers_that_are_none():
    """At each place of each operand, beside zeros: nothing is skipped where a factor is 0."""
    texts = ("ab,bc->ac", "ab,bc->ca", "ba,bc->ac", "ab,cb->ac", "ab,b->a", "ba,b->a", "b,ba->a", "a,a->", "ab,ab->")
    for text in (*texts, "abc,cd->abd", "abc,abd->adc", "abc,bd->adc", "abc,ac->ab"):
        left, right, output = labels_of(text)
        extents = {label: EXTENTS[label] for label in (*left, *right)}
        product = matrix_product(left, right, output, extents)
        assert product is not None
        for special in (np.inf, -np.inf, np.nan, 0.0):
            A, B = np.zeros([extents[x] for x in left]), np.ones([extents[x] for x in right])
            B.flat[::2] = special
            A.flat[1] = 1.0
            for one, two in ((A, B), (A + 1, B), (A + np.inf, B)):
                result = np.full([extents[x] for x in output], 7.0)
                with np.errstate(all="raise"):
                    product(one, two, result)
                with np.errstate(all="ignore"):
                    expected = np.einsum(text, one, two)
                np.testing.assert_array_equal(result, expected, err_msg=f"{text} {special}")


@pytest.mark.parametrize("dtype", ["float32", "complex64", "complex128"])
def test_types(dtype: str):
    for text in ("ab,bc->ac", "ab,cb->ca", "abc,bd->adc", "abc,dcb->ad", "abc,abd->bdc", "ab,ab->", "ab,b->a"):
        found = computed(*labels_of(text), EXTENTS, dtype)
        np.testing.assert_array_equal(*found)
        assert found[0].dtype == dtype


@pytest.mark.parametrize("label", "abcd")
def test_nothing_along_a_label(label: str):
    for text in ("ab,bc->ac", "abc,bd->adc", "abc,abd->bdc", "abc,dcb->ad"):
        np.testing.assert_array_equal(*computed(*labels_of(text), {**EXTENTS, label: 0}))


@pytest.mark.parametrize("label", "abcde")
def test_one_coordinate_along_a_label(label: str):
    """Dimensions of extent 1 are left out; a sum over nothing else is left to loops, as BLAS does not multiply by 0."""
    extents = {**EXTENTS, label: 1}
    seen = 0
    for left, right, output in patterns():
        if is_matrix_product(left, right, output) and label in (*left, *right):
            found = computed(left, right, output, extents)
            if {*left, *right} - {*output} == {label}:
                assert found is None
            else:
                np.testing.assert_array_equal(*found, err_msg=f"{left} {right} {output}")
                seen += 1
    assert seen > 300


def test_repeated_labels_are_no_matrix_product():
    assert not is_matrix_product(("a", "a"), ("a", "b"), ("b",))
    assert not is_matrix_product(("a", "b"), ("b", "b"), ("a",))
    assert not is_matrix_product(("a", "b"), ("b", "c"), ("d",))


@pytest.mark.parametrize(
    ("text", "extents", "by_blas"),
    [
        # One number along the sum: BLAS does not multiply by 0.
        ("ab,bc->ac", (500, 1, 500), False),
        ("ab,b->a", (500, 1), False),
        ("ab,bc->ac", (500, 500, 500), True),
        ("ab,b->a", (500, 500), True),
        # What is copied is read once: by neither way is it faster.
        ("abc,ac->b", (50, 50, 50), False),
        ("abc,acd->bd", (50, 50, 50, 50), True),
        # Many small matrices: calls of BLAS take longer than the loops.
        ("abc,acd->abd", (10_000, 4, 4, 4), True),
        ("abc,adc->abd", (10_000, 4, 4, 4), False),
        ("abc,adc->abd", (10_000, 8, 8, 8), True),
        ("abc,ac->ab", (10_000, 8, 8), False),
        ("abc,ac->ab", (10, 8, 8), True),
        ("abc,ac->ab", (10_000, 30, 30), True),
        # Few rows of each: loops take each as one vector.
        ("abc,db->adc", (10_000, 2, 8, 2), False),
        ("abc,db->adc", (1_000, 2, 64, 2), False),
        ("abc,db->adc", (10, 2, 64, 2), True),
        ("abc,db->adc", (10_000, 4, 8, 4), True),
        # Matrices of one column are one large matrix.
        ("abc,db->adc", (10_000, 2, 1, 2), True),
    ],
)
def test_who_computes(text: str, extents: tuple[int, ...], by_blas: bool):
    found = matrix_product(*labels_of(text), dict(zip("abcd", extents)))
    assert (found is not None) == by_blas


@pytest.mark.parametrize("text", ["abc,cd->abd", "abc,cd->bad", "cd,abc->abd", "ce,bca->eba"])
def test_matrices_are_taken_apart(text: str):
    """Tall ones, and those that would have to be copied."""
    extents = {"a": 25, "b": 40, "c": 30, "d": 3, "e": 4}
    np.testing.assert_array_equal(*computed(*labels_of(text), extents))


def test_nothing_is_warned_of():
    large = np.full((3, 3), 1e300)
    for text in ("ab,bc->ac", "abd,bc->adc"):
        left, right, output = labels_of(text)
        shape = (3,) * len(output)
        product = matrix_product(left, right, output, {**dict.fromkeys("abc", 3), "d": 3})
        assert product is not None
        result = np.zeros(shape)
        with np.errstate(all="raise"):
            product(np.broadcast_to(large, (3,) * len(left)).copy(), large, result)
        assert np.isinf(result).all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("text", ["ab,bc->ac", "ab,cb->ac", "ba,bc->ac", "ba,cb->ac", "ab,bc->ca", "abd,bdc->ac"])
def test_large_results(text, dtype):
    found = computed(*labels_of(text), {"a": 90, "b": 5, "c": 70, "d": 3}, dtype)
    assert found is not None
    np.testing.assert_array_equal(*found)


def test_large_results_are_not_filled_before(monkeypatch):
    monkeypatch.setattr(np, "dot", None)
    product = matrix_product(*labels_of("ab,bc->ac"), {"a": 90, "b": 5, "c": 70})
    assert product is not None
    result = np.empty((90, 70))
    product(np.ones((90, 5)), np.ones((5, 70)), result)
    assert (result == 5).all()
