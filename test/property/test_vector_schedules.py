"""Steps for the machine code of a loop, `vectorize` and `unroll`, keep the result, also around other loops."""

from typing import Any

import effort
import numpy as np
import pytest

import irtensor as it
from irtensor.runtime import cpu_engine

rng = np.random.default_rng(0)
A, x, B = rng.integers(0, 3, (13, 11)).astype(float), rng.random(11), rng.random((11, 10))
COLUMNS = "(i, j) -> (j : dense, i : dense)"
VECTOR, MATRIX = "y[i] = A[i,j] * x[j]", "C[i,k] = A[i,j] * B[j,k]"
CASES: list[tuple[str, dict[str, Any], str]] = [
    (VECTOR, {"A": COLUMNS}, "vectorize(i, 8)"),
    (VECTOR, {}, "vectorize(i, 4)"),
    (VECTOR, {}, "bound(j, 11); vectorize(i, 4)"),
    (VECTOR, {}, "split(j, j0, j1, 4); unroll(j1)"),
    (VECTOR, {"A": it.CSR}, "vectorize(j, 4)"),
    (VECTOR, {"A": it.CSR}, "unroll(j, 3)"),
    (VECTOR, {"A": it.CSR}, "fuse(i, j, f); split(f, b, e, 8, tensor=A); vectorize(j, 4); unroll(b, 2)"),
    (MATRIX, {"A": it.CSR}, "vectorize(k, 4)"),
    (MATRIX, {"A": it.CSR}, "bound(k, 10); unroll(k); reorder(i, j, k)"),
    (MATRIX, {"A": it.CSR}, "bound(k, 10); reorder(i, j, k); vectorize(k, 8)"),
    (MATRIX, {"A": it.CSR}, "parallelize(i); vectorize(k, 4)"),
    (MATRIX, {}, "vectorize(i, 4)"),
    (MATRIX, {}, "reorder(j, i, k); vectorize(i, 4)"),
    (MATRIX, {}, "split(i, i0, i1, 4); vectorize(i1, 4)"),
    (VECTOR, {}, "split(i, i0, i1, 4); reorder(i1, i0); vectorize(i1, 4)"),
    (VECTOR, {"A": COLUMNS}, "split(i, i0, i1, 8); split(i1, i2, i3, 4); reorder(i3, i2, i0); vectorize(i2, 2)"),
    (VECTOR, {"A": it.CSR}, "split(j, j0, j1, 4); reorder(j1, i, j0); vectorize(j1, 4)"),
    (VECTOR, {"A": it.CSR}, "fuse(i, j, f); split(f, b, e, 8, tensor=A); reorder(e, b); vectorize(e, 4)"),
    (MATRIX, {}, "bound(i, 13); bound(j, 11); reorder(k, i, j); vectorize(j, 4)"),
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("options", [{"num_threads": 1}, {"num_threads": 2}, {"target": "cuda-emulated"}])
@pytest.mark.parametrize(("text", "formats", "schedule"), CASES)
def test_vectors_keep_the_result(text, formats, schedule, options):
    kernel = it.compile(text, formats=formats, schedule=it.schedule(schedule), **options)
    stored = it.Tensor.from_numpy(A, it.Format(str(formats["A"]))) if formats else A
    given = {"x": x} if text == VECTOR else {"B": B}
    expected = A @ x if text == VECTOR else A @ B
    np.testing.assert_allclose(kernel(A=stored, **given), expected)


@pytest.mark.parametrize(
    ("text", "formats", "schedule"),
    [
        # A block of one vector is done in one vector, be its end known or not.
        (MATRIX, {"A": it.CSR}, "bound(k, 4); reorder(i, j, k); vectorize(k, 4)"),
        (MATRIX, {"A": it.CSR}, "split(k, k0, k1, 4); reorder(i, k0, j, k1); vectorize(k1, 4)"),
        # A row that is known to be shorter than a register of AVX-512 is kept in a shorter one.
        (MATRIX, {"A": it.CSR}, "bound(k, 4); reorder(i, j, k)"),
        # Loops inside are written out, or go outside.
        (VECTOR, {"A": COLUMNS}, "bound(j, 3); vectorize(i, 4)"),
        (VECTOR, {"A": COLUMNS}, "vectorize(i, 4)"),
        # The entries of a list are gathered, and scattered.
        (VECTOR, {"A": it.CSR}, "vectorize(j, 4)"),
        ("y[j] = A[i,j] * x[i]", {"A": it.CSR}, "reorder(i, j); vectorize(j, 4)"),
        ("y[j] = A[i,j] * x[i]", {"A": it.CSR}, "vectorize(j, 4)"),
        ("C[i,j] = A[i,j] * D[i,j]", {"A": it.CSR, "C": it.CSR}, "vectorize(j, 4)"),
    ],
)
def test_llvm_makes_the_vectors_that_are_asked_for(text, formats, schedule):
    kernel = it.compile(text, formats=formats, schedule=it.schedule(schedule), num_threads=1, target="cpu")
    assert "fmul <4 x double>" in (code := kernel.llvm_ir(optimized=True)) or "fmul contract <4 x double>" in code


@pytest.fixture
def full_effort(monkeypatch):
    """LLVM makes vectors, as for users."""
    monkeypatch.setattr(cpu_engine, "compile_llvm_text", effort.as_asked)


S = (rng.random((13, 21)) < 0.4) * rng.integers(1, 5, (13, 21)).astype(float)
APPENDED: list[tuple[str, dict[str, str], str]] = [
    ("C[i,j] = S[i,j] * 2.0", {"S": "dense, compressed"}, "vectorize(j, 4)"),
    ("C[i,j] = S[i,j] * 2.0", {"S": "compressed, compressed", "C": "dense, compressed(crd = i16)"}, "vectorize(j, 4)"),
    ("C[i,j] = square(S[i,j])", {"S": "compressed(nonunique), singleton"}, "vectorize(j, 8)"),
    ("C[i,j] = S[i,j] * D[i,j]", {"S": "dense, compressed"}, "vectorize(j, 4)"),
    ("C[i,j] = S[i,j] * D[i,j]", {"S": "dense, hashed"}, "vectorize(j, 4)"),
    ("C[i,j] = D[i,j] * 2.0", {}, "vectorize(j, 4)"),
    ("C[i,j] = S[i,j] * D[i,j]", {"S": "dense, compressed"}, "split(j, j0, j1, 4, tensor=S); vectorize(j1, 4)"),
    ("C[i,j] = S[i,j] * D[i,j]", {"S": "dense, compressed"}, "parallelize(i); vectorize(j, 2)"),
    ("C[i,j] = S[i,j] * 2.0", dict.fromkeys("SC", "compressed, dense"), "bound(j, 21); vectorize(i, 4)"),
]


@pytest.mark.usefixtures("full_effort")
@pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("options", [{"num_threads": 1}, {"num_threads": 3}, {"target": "cuda-emulated"}])
@pytest.mark.parametrize(("text", "formats", "schedule"), APPENDED)
def test_each_lane_appends_an_entry(text, formats, schedule, options):
    formats = {"C": "dense, compressed", **formats}
    dense = rng.random(S.shape)
    given = {"S": it.Tensor.from_numpy(S, formats["S"])} if "S" in formats else {}
    given |= {"D": dense} if "D" in text else {}
    found = it.compile(text, formats, schedule=it.schedule(schedule), **options)(**given)
    plain = it.compile(text, formats, num_threads=1)(**given)
    found.check()
    np.testing.assert_array_equal(found.to_numpy(), plain.to_numpy())
    assert found.nnz == plain.nnz


T = S.T.copy()
SCATTERED: list[tuple[str, dict[str, str], str]] = [
    ("y[j] = S[i,j] * z[i]", {"S": "dense, compressed"}, "reorder(i, j); vectorize(j, 4)"),
    ("y[j] = S[i,j] * z[i]", {"S": "compressed, compressed"}, "vectorize(j, 8)"),
    ("y[j] = S[i,j] * z[i]", {"S": "dense, hashed"}, "vectorize(j, 4)"),
    ("y[j] = S[i,j] * z[i]", {"S": "dense, padded"}, "vectorize(j, 4)"),
    ("y[j] = S[i,j] * z[i]", {"S": "dense, compressed(nonordered)"}, "vectorize(j, 4)"),
    ("y[j] = S[i,j] * z[i]", {"S": "compressed(nonunique), singleton"}, "vectorize(j, 4)"),
    ("y[j] = S[i,j] * z[i]", {"S": "dense, compressed"}, "parallelize(i, temporary); vectorize(j, 4)"),
    ("y[j] = S[i,j] * z[i]", {"S": "dense, compressed"}, "reorder(i, j); split(j, a, b, 4, tensor=S); vectorize(b, 4)"),
    ("C[i,j] = S[i,j] * D[i,j]", {"S": "dense, compressed"}, "vectorize(j, 4)"),
    ("C[i,j] = S[i,j] * D[i,j]", {"S": "dense, compressed", "C": "dense, bitmap"}, "vectorize(j, 4)"),
    ("C[i,j] = S[i,j] * D[i,j]", {"S": "compressed, compressed", "C": "bitmap, dense"}, "vectorize(j, 4)"),
    ("C[i,j] = S[i,k] * T[k,j]", dict.fromkeys("ST", "dense, compressed"), "reorder(i, k, j); vectorize(j, 4)"),
    (
        "C[i,j] = S[i,k] * T[k,j]",
        dict.fromkeys("ST", "dense, compressed"),
        "reorder(i, k, j); precompute(S[i,k] * T[k,j], over=j, producer=p, format=dense); vectorize(p, 4)",
    ),
]


@pytest.mark.usefixtures("full_effort")
@pytest.mark.one_in(2)
@pytest.mark.parametrize("options", [{"num_threads": 1}, {"num_threads": 3}, {"target": "cuda-emulated"}])
@pytest.mark.parametrize(("text", "formats", "schedule"), SCATTERED)
def test_lanes_store_where_a_list_has_entries(text, formats, schedule, options):
    """Numbers are whole, so that sums are the same in any order."""
    dense, z = rng.integers(1, 5, S.shape) * 1.0, rng.integers(1, 5, len(S)) * 1.0
    arrays = {"S": S, "T": T, "D": dense, "z": z}
    used = {name: array for name, array in arrays.items() if f"{name}[" in text}
    operands = {n: it.Tensor.from_numpy(a, formats[n]) if n in formats else a for n, a in used.items()}
    found = it.compile(text, formats, schedule=it.schedule(schedule), **options)(**operands)
    expected = S.T @ z if text.startswith("y") else S @ T if "T" in used else S * dense
    np.testing.assert_array_equal(found.to_numpy() if isinstance(found, it.Tensor) else found, expected)


@pytest.mark.parametrize("levels", ["compressed, compressed(nonunique)", "dense, compressed(nonunique)"])
def test_lanes_that_could_meet_are_refused(levels):
    """Two entries of a list may have one coordinate, which is stored into twice."""
    stored = it.Tensor.from_numpy(S, levels)
    kernel = it.compile("y[j] = S[i,j] * z[i]", {"S": levels}, schedule=it.schedule("reorder(i, j); vectorize(j, 4)"))
    with pytest.raises(it.UserError, match="where 'S' has entries, and several may have one j"):
        kernel(S=stored, z=np.ones(13))


@pytest.mark.parametrize(
    ("text", "formats", "problem"),
    [
        ("C[i,j] = S[i,j] * 2.0", {"S": "dense, bitmap"}, "appends entries of 'C' in some of its iterations only"),
        (
            "C[i,j] = S[i,j] * T[i,j]",
            {"S": "dense, compressed", "T": "dense, bitmap"},
            "in some of its iterations only",
        ),
        ("C[i,j] = S[i,j] * T[i,j]", dict.fromkeys("ST", "dense, compressed"), "merges level 1"),
    ],
)
def test_lanes_that_append_nothing_are_refused(text, formats, problem):
    operands = {name: it.Tensor.from_numpy(S, format) for name, format in formats.items()}
    kernel = it.compile(text, {"C": "dense, compressed", **formats}, schedule=it.schedule("vectorize(j, 4)"))
    with pytest.raises(it.UserError, match=problem) as refused:
        kernel(**operands)
    assert refused.value.slug == "illegal-vectorize" and "step 1: vectorize(j, 4)" in str(refused.value)


@pytest.mark.usefixtures("full_effort")
@pytest.mark.parametrize(
    ("text", "formats", "schedule"),
    [
        (VECTOR, {}, "vectorize(i, 4)"),
        ("y[i] = max(j, A[i,j])", {}, "split(j, j0, j1, 2); vectorize(i, 2)"),
        ("y = A[i,j] * x[j]", {"A": "coo", "x": "bitmap"}, "vectorize(j, 8); parallelize(j, races=temporary)"),
    ],
)
def test_nothing_is_said_about_vectors_that_cannot_be_made(text, formats, schedule, capfd):
    """LLVM writes to the standard error where it does not what it is asked for."""
    given = {name: array for name, array in {"A": A, "x": x}.items() if f"{name}[" in text}
    operands = {n: it.Tensor.from_numpy(a, formats[n]) if n in formats else a for n, a in given.items()}
    kernel = it.compile(text, formats, schedule=it.schedule(schedule), disk_cache=False)
    found = kernel(**operands)
    expected = A.max(1) if "max" in text else A @ x
    np.testing.assert_allclose(found, expected if text.startswith("y[") else expected.sum())
    assert capfd.readouterr().err == ""
