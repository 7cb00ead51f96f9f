"""Tensors of huge extents cost what they store: the same entries, further apart, give the same results."""

import numpy as np
import pytest

import irtensor as it

SMALL, WIDE = 6, 10**12
STRIDE = WIDE // SMALL
STATEMENTS = {
    "product": "C[i,j] = A[i,k] * B[k,j]",
    "product of columns": "C[j,i] = A[k,i] * B[j,k]",
    "sum of six": "C[i,j] = A[i,j] + B[i,j] + D[i,j] + E[i,j] + F[i,j] + G[i,j]",
    "sum with a transpose": "C[i,j] = A[i,j] + B[j,i]",
    "masked product": "C[i,j] = D[i,j] * sum(k, A[i,k] * B[k,j])",
    "three factors": "C[i,j] = A[i,k] * B[k,l] * D[l,j]",
    "product in a sum": "C[i,j] = A[i,k] * B[k,j] + D[i,j]",
    "shortest paths": "C[i,j] min= A[i,k] + B[k,j]",
    "vector of sums": "C[j] = A[i,j] * B[i,k]",
}
SPARSE = ("compressed, compressed", "compressed(nonunique), singleton", "(i, j) -> (j : compressed, i : compressed)")


def operands(names, rows, fill):
    """By name: an array, and a tensor whose coordinates are as many times further apart as their extents are larger."""
    rng = np.random.default_rng(len(names))
    for number, name in enumerate(sorted(names)):
        entries = np.argwhere(rng.random((SMALL, SMALL)) < 0.4).T
        values = rng.integers(1, 9, entries.shape[1]).astype(float)
        dense = np.full((SMALL, SMALL), fill)
        dense[tuple(entries)] = values
        is_first = rows and name == "A"
        format = it.Format("dense, compressed" if is_first else SPARSE[number % 3]).with_fill(fill)
        scale = np.array([[1 if is_first else STRIDE], [STRIDE]])
        shape = (SMALL if is_first else WIDE, WIDE)
        yield name, dense, it.Tensor.from_coo(entries * scale, values, shape=shape, format=format)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("options", [{"num_threads": 1}, {"num_threads": 3}, {"target": "cuda-emulated"}])
@pytest.mark.parametrize("name", STATEMENTS)
def test_entries_far_apart(name, options):
    text = STATEMENTS[name]
    rows = "A[i,k] * B[k,j]" == text.partition("= ")[2]
    fill = float("inf") if "min" in text else 0.0
    names = set(text) & set("ABDEFG")
    given = list(operands(names, rows, fill))
    formats = {"C": it.Format("compressed" if "C[j]" in text else "compressed, compressed").with_fill(fill)}
    if rows:
        formats["C"] = it.CSR
    kernel = it.compile(text, formats=formats, **options)
    wide = kernel(**{name: tensor for name, _, tensor in given})
    expected = it.compile(text)(**{name: dense for name, dense, _ in given})
    if fill:
        expected = np.min(given[0][1][:, :, None] + given[1][1][None], axis=1)
    wide.check("C")
    coordinates, values = wide.to_coo()
    found = np.full(expected.shape, fill)
    scale = [1 if rows and dimension == 0 else STRIDE for dimension in range(len(coordinates))]
    found[tuple(row // step for row, step in zip(coordinates, scale, strict=True))] = values
    np.testing.assert_array_equal(found, expected)


def test_a_kernel_is_compiled_for_wide_extents_where_it_meets_them():
    kernel = it.compile("C[i,j] = A[i,k] * B[k,j]", formats={"C": it.CSR})

    def run(extent):
        a = it.Tensor.from_coo([[0, 1], [3, 4]], [1.0, 2.0], shape=(2, extent), format=it.CSR)
        b = it.Tensor.from_coo([[3, 4], [1, 2]], [3.0, 4.0], shape=(extent, extent), format=it.DCSR)
        coordinates, values = kernel(A=a, B=b).to_coo()
        np.testing.assert_array_equal(coordinates, [[0, 1], [1, 2]])
        np.testing.assert_array_equal(values, [3, 8])
        return kernel.explain()

    assert "'w' is a hash table: j is wide" not in run(5)
    assert "'w' is a hash table: j is wide" in run(10**12)
    assert "'w' is a hash table: j is wide" not in run(6)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("extent", "level"), [(1000, "accumulator"), (2**22 + 1, "map"), (10**12, "map")])
@pytest.mark.parametrize("format", [it.COO(2), it.DCSR])
def test_workspaces_have_places_where_extents_are_moderate(format, extent, level):
    """A hash table takes several times as long, and is for extents that would take much memory."""
    tensor = it.Tensor.from_coo([[0, 5, extent - 1], [5, 0, 7]], [1.0, 2.0, 3.0], shape=(extent,) * 2, format=format)
    kernel = it.compile("R[i,j] = A[i,k] * B[k,j]", dict.fromkeys("ABR", format))
    coordinates, values = kernel(A=tensor, B=tensor).to_coo()
    np.testing.assert_array_equal(coordinates, [[0, 5], [0, 5]])
    np.testing.assert_array_equal(values, [2.0, 2.0])
    assert f"level 0 of w ({level}) is inserted into" in kernel.explain()
