"""Operands with entries at the same coordinates: kernels walk their lists together, and give what others give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import irtensor as it
from irtensor.compiler.kernel import equal_entries, statement_by_entries

FORMATS = {
    "csr": "(i, j) -> (i : dense, j : compressed)",
    "csc": "(i, j) -> (j : dense, i : compressed)",
    "dcsr": "(i, j) -> (i : compressed, j : compressed)",
    "narrow": "(i, j) -> (i : dense, j : compressed), pos = i32, crd = i16",
    "coo": "(i, j) -> (i : compressed(nonunique), j : singleton)",
    "blocks": "(i, j) -> (i floordiv 2 : dense, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)",
    "hashed": "(i, j) -> (i : dense, j : hashed)",
}
STATEMENTS = {
    "C[i,j] = A[i,j] + B[i,j]": lambda a, b, m: a + b,
    "C[i,j] = A[i,j] - 2 * B[i,j]": lambda a, b, m: a - 2 * b,
    "C[i,j] = A[i,j] * B[i,j]": lambda a, b, m: a * b,
    "C[i,j] = A[i,j] * exp(B[i,j] - m[i])": lambda a, b, m: a * np.exp(b - m[:, None]),
    "C[i,j] = max(A[i,j], B[i,j])": lambda a, b, m: np.maximum(a, b),
    "C[i] = sum(j, A[i,j] * B[i,j])": lambda a, b, m: (a * b).sum(axis=1),
    "C[i] = max(j, A[i,j] + B[i,j])": lambda a, b, m: (a + b).max(axis=1),
    "C[i,j] = A[i,j] * B[j,i]": lambda a, b, m: a * b.T,
    "C[i,k] = sum(j, A[i,j] * B[k,j])": lambda a, b, m: a @ b.T,
    "C[i] = sum(j, A[i,j]) + sum(j, B[i,j] * m[j])": lambda a, b, m: a.sum(axis=1) + b @ m,
}


@pytest.fixture(autouse=True)
def small_operands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equal_entries, "_LEAST", 0)


def _array(seed: int, stored: np.ndarray) -> np.ndarray:
    return np.where(stored, np.random.default_rng(seed).uniform(1.0, 2.0, stored.shape), 0.0)


def _stored(seed: int, shape: tuple[int, ...] = (6, 6), share: float = 0.4) -> np.ndarray:
    return np.random.default_rng(seed).random(shape) < share


def _dense(value: Any) -> np.ndarray:
    return value.to_numpy() if isinstance(value, it.Tensor) else value


def _merges(kernel: Any) -> bool:
    return "iteration_lattice.merge" in kernel.ir("walk-equal-lists")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_equal_entries_give_what_others_give(statement: str, format: str) -> None:
    """Of the same kernel, in turns, with operands that are alike and that are not."""
    operands = {"A": FORMATS[format], "B": FORMATS["csr" if format == "narrow" else format]}
    kernel = it.compile(statement, formats=operands)
    m = np.linspace(0.5, 1.5, 6)
    given = {"m": m} if "m[" in statement else {}
    for seeds in ((1, 1), (1, 2), (2, 2), (3, 1), (1, 1)):
        a, b = (_array(n, _stored(seed)) for n, seed in enumerate(seeds))
        tensors = {name: it.Tensor.from_numpy(x, operands[name]) for name, x in (("A", a), ("B", b))}
        for _ in range(2):
            np.testing.assert_allclose(_dense(kernel(**tensors, **given)), STATEMENTS[statement](a, b, m), rtol=1e-12)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("format", ["csr", "csc", "dcsr"])
@pytest.mark.parametrize("statement", list(STATEMENTS)[:6])
def test_nothing_is_merged_where_entries_are_equal(statement: str, format: str) -> None:
    # Threads go along windows of the outermost lists, which are merged.
    kernel = it.compile(statement, formats={"A": FORMATS[format], "B": FORMATS[format]}, num_threads=1)
    given = {"m": np.ones(6)} if "m[" in statement else {}
    a, b, other = (it.Tensor.from_numpy(_array(n, _stored(n // 2)), FORMATS[format]) for n in (0, 1, 2))
    kernel(A=a, B=b, **given)
    assert not _merges(kernel)
    kernel(A=a, B=other, **given)
    assert _merges(kernel)


OPERATIONS: dict[str, Any] = {
    "A * B": (lambda a, b: a * b, lambda a, b: a * b),
    "A + B": (lambda a, b: a + b, lambda a, b: a + b),
    "maximum": (np.maximum, np.maximum),
    "einsum to a number": (lambda a, b: it.einsum("ij,ij->", a, b), lambda a, b: (a * b).sum()),
    "einsum to rows": (lambda a, b: it.einsum("ij,ij->i", a, b), lambda a, b: (a * b).sum(axis=1)),
    "einsum to entries": (lambda a, b: it.einsum("ij,ij->ij", a, b, format="csr"), lambda a, b: a * b),
    "einsum of three": (lambda a, b: it.einsum("ij,ij,ij->j", a, b, a), lambda a, b: (a * b * a).sum(axis=0)),
    "einsum of pairs": (
        lambda a, b: it.einsum("ij,ij,ij->j", a, b, a, optimize="optimal"),
        lambda a, b: (a * b * a).sum(axis=0),
    ),
    "a product": (lambda a, b: it.einsum("ij,kj->ik", a, b), lambda a, b: a @ b.T),
    "expression": (lambda a, b: _lazy(a, b), lambda a, b: 2 * a - b),
}


def _lazy(a: Any, b: Any) -> Any:
    i, j = it.indices("i j")
    y = it.tensor_variable("y", 2)
    y[i, j] = 2 * a[i, j] - b[i, j]
    return y.evaluate(format="csr")


@pytest.mark.one_in(8)
@pytest.mark.parametrize("format", ["csr", "dcsr", "coo", "blocks"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_operators_and_einsum_compare_operands(operation: str, format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal lists, others, a tensor beside itself, and SciPy's."""
    known: list[Any] = []
    monkeypatch.setattr(
        statement_by_entries,
        "with_equal_entries",
        lambda d, k: known.append(k) or equal_entries.with_equal_entries(d, k),
    )
    it.clear_caches()
    compute, expected = OPERATIONS[operation]
    for seeds in ((1, 1), (1, 2), (2, 2), (3, 1), (1, 1)):
        a, b = (_array(n, _stored(seed)) for n, seed in enumerate(seeds))
        tensors = [it.Tensor.from_numpy(x, FORMATS[format]) for x in (a, b)]
        for _ in range(2):
            np.testing.assert_allclose(_dense(compute(*tensors)), expected(a, b), rtol=1e-12)
        np.testing.assert_allclose(_dense(compute(tensors[0], tensors[0])), expected(a, a), rtol=1e-12)
    assert bool(known) is (operation != "a product" and format != "blocks")


def test_widths_of_indices_may_differ() -> None:
    kernel = it.compile("C[i,j] = A[i,j] * B[i,j]", formats={"A": "csr", "B": "csr", "C": "csr"})
    a, b = (_array(n, _stored(0)) for n in (0, 1))
    wide, narrow = it.Tensor.from_numpy(a, FORMATS["csr"]), it.Tensor.from_numpy(b, FORMATS["narrow"])
    for pair, expected in (((wide, narrow), a * b), ((narrow, wide), a * b), ((narrow, narrow), b * b)):
        np.testing.assert_array_equal(kernel(A=pair[0], B=pair[1]).to_numpy(), expected)
        assert not _merges(kernel)


@pytest.mark.parametrize("change", ["last coordinate", "middle coordinate", "positions"])
def test_one_difference_is_found(change: str) -> None:
    """Of long lists with as many entries each."""
    rows, columns = 40, 60
    stored = np.zeros((rows, columns), bool)
    stored[:, 1::2] = True
    other = stored.copy()
    row = {"last coordinate": rows - 1, "middle coordinate": 17, "positions": 5}[change]
    if change == "positions":
        # The same list of coordinates, one of which is in another row.
        stored[row, -1] = other[row + 1, 0] = False
        stored[row + 1, 0] = True
        stored[row, :] = other[row, :] = False
        stored[row, 3] = stored[row + 1, 5] = True
        other[row, [3, 5]] = True
        other[row + 1, :] = stored[row + 1, :] = False
        stored[row + 1, 5] = True
    else:
        other[row, -3], other[row, -4] = False, True
    a, b = _array(0, stored), _array(1, other)
    tensors = [it.Tensor.from_numpy(x, "csr") for x in (a, b)]
    assert tensors[0].values.size == tensors[1].values.size
    coordinates = [tensor.levels[1].coordinates for tensor in tensors]
    assert coordinates[0] is not None and coordinates[1] is not None
    same = np.array_equal(coordinates[0], coordinates[1])
    assert same is (change == "positions")
    kernel = it.compile("C[i,j] = A[i,j] + B[i,j]", formats={"A": "csr", "B": "csr", "C": "csr"})
    np.testing.assert_array_equal(kernel(A=tensors[0], B=tensors[1]).to_numpy(), a + b)
    assert _merges(kernel)


@pytest.mark.parametrize("seeds", [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 2)])
def test_three_operands(seeds: tuple[int, int, int]) -> None:
    operands: dict[str, str] = {name: FORMATS["csr"] for name in "ABDC"}
    a, b, d = (_array(n, _stored(seed)) for n, seed in enumerate(seeds))
    tensors = {name: it.Tensor.from_numpy(x, FORMATS["csr"]) for name, x in zip("ABD", (a, b, d), strict=True)}
    for statement, expected in (
        ("C[i,j] = A[i,j] + B[i,j] + D[i,j]", a + b + d),
        ("C[i,j] = A[i,j] * B[i,j] + D[i,j]", a * b + d),
        ("C[i,j] = A[i,j] * B[i,j] * D[i,j]", a * b * d),
    ):
        kernel = it.compile(statement, formats=operands)
        np.testing.assert_allclose(kernel(**tensors).to_numpy(), expected, rtol=1e-12)
        assert _merges(kernel) is (len(set(seeds)) > 1)


def test_tensors_of_three_dimensions() -> None:
    format = "(i, j, k) -> (i : compressed, j : compressed, k : compressed)"
    kernel = it.compile("C[i,j,k] = A[i,j,k] + B[i,j,k]", formats=dict.fromkeys("ABC", format), num_threads=1)
    a, b = (_array(n, _stored(0, (4, 5, 6), 0.2)) for n in (0, 1))
    result = kernel(A=it.Tensor.from_numpy(a, format), B=it.Tensor.from_numpy(b, format))
    np.testing.assert_array_equal(result.to_numpy(), a + b)
    assert not _merges(kernel)


def test_nothing_stored() -> None:
    kernel = it.compile("C[i,j] = A[i,j] + B[i,j]", formats=dict.fromkeys("ABC", "csr"))
    for shape in ((3, 4), (0, 4), (3, 0)):
        a, b = (it.Tensor.from_numpy(np.zeros(shape), "csr") for _ in range(2))
        assert kernel(A=a, B=b).to_numpy().shape == shape


def test_a_schedule_says_how_lists_are_merged() -> None:
    schedule = it.schedule().merge("j", "linear")
    kernel = it.compile("C[i,j] = A[i,j] * B[i,j]", formats=dict.fromkeys("ABC", "csr"), schedule=schedule)
    a, b = (_array(n, _stored(0)) for n in (0, 1))
    result = kernel(A=it.Tensor.from_numpy(a, "csr"), B=it.Tensor.from_numpy(b, "csr"))
    np.testing.assert_array_equal(result.to_numpy(), a * b)
    assert _merges(kernel)


def test_kernels_for_a_gpu_merge() -> None:
    """What is on a card is not compared by the host."""
    kernel = it.compile("C[i] = sum(j, A[i,j] * B[i,j])", formats=dict.fromkeys("AB", "csr"), target="cuda-emulated")
    a, b = (_array(n, _stored(0)) for n in (0, 1))
    result = kernel(A=it.Tensor.from_numpy(a, "csr"), B=it.Tensor.from_numpy(b, "csr"))
    np.testing.assert_allclose(result, (a * b).sum(axis=1), rtol=1e-12)
    assert _merges(kernel)


def test_few_entries_are_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    """To compare them takes as long."""
    monkeypatch.setattr(equal_entries, "_LEAST", 37)
    kernel = it.compile("C[i,j] = A[i,j] + B[i,j]", formats=dict.fromkeys("ABC", "csr"))
    for shape in ((6, 6), (6, 7)):
        a, b = (_array(n, np.ones(shape, bool)) for n in (0, 1))
        kernel(A=it.Tensor.from_numpy(a, "csr"), B=it.Tensor.from_numpy(b, "csr"))
        assert _merges(kernel) is (shape == (6, 6))


@pytest.mark.parametrize("format", ["bcsr(2, 2)", "(i, j) -> (j - i : compressed, i : range, j : offset)"])
@pytest.mark.parametrize("result", ["csr", "coo"])
def test_blocks_and_diagonals_with_other_zeros_inside(format: str, result: str) -> None:
    """They become lists, from which zeros are left out."""
    a = np.ones((8, 8))
    c = np.where(np.random.default_rng(0).random((8, 8)) < 0.5, 3.0, 0.0)
    c[0, :], c[:, 0] = 3, 3
    kernel = it.compile("y[i,j] = A[i,j] + C[i,j]", formats={"A": format, "C": format, "y": result})
    for first, second in ((a, c), (c, a)):
        found = kernel(A=it.Tensor.from_numpy(first, format), C=it.Tensor.from_numpy(second, format))
        np.testing.assert_array_equal(found.to_numpy(), first + second)


def test_what_a_module_says_of_its_operands_is_not_believed() -> None:
    text = """
!csr = tensor<?x?xf64, #storage.format<(i, j) -> (i : dense, j : compressed)>>
func.func @f(%A: !csr, %B: !csr {storage.entries_of = 0 : index}) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : !csr
      %b = index_notation.access %B[%i, %j] : !csr
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}
"""
    kernel = it.compile_module(text)
    a, b = np.ones((3, 3)), np.eye(3)
    found = kernel(*(it.Tensor.from_numpy(x, "csr") for x in (a, b)))
    np.testing.assert_array_equal(found, (a * b).sum(axis=1))
    assert "iteration_lattice.walk" not in kernel.ir("iteration_lattice")


def test_lists_that_differ_are_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = it.compile("C[i,j] = A[i,j] * B[i,j]", formats=dict.fromkeys("ABC", "csr"))
    a, b = np.ones((6, 6)), np.ones((6, 6))
    a[2, 2] = b[2, 3] = 0
    tensors = {"A": it.Tensor.from_numpy(a, "csr"), "B": it.Tensor.from_numpy(b, "csr")}
    np.testing.assert_array_equal(kernel(**tensors).to_numpy(), a * b)
    monkeypatch.setattr(equal_entries, "_equal_arrays", lambda a, b: pytest.fail("compared again"))
    np.testing.assert_array_equal(kernel(**tensors).to_numpy(), a * b)
