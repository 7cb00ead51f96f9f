"""Schedules of TACO's tests, and of the dissertation that it comes from, in the words of this project.

Each is accepted, gives what NumPy gives, and is read back from what is printed of it.
"""

import re

import numpy as np
import pytest

import irtensor as it

SPMV, SPMM, SDDMM = "y[i] = A[i,j] * x[j]", "C[i,k] = A[i,j] * B[j,k]", "A[i,k] = B[i,k] * C[i,j] * D[j,k]"
MTTKRP, TTV = "A[i,j] = B[i,k,l] * D[l,j] * C[k,j]", "A[i,j] = B[i,j,k] * c[k]"
TTM, PRODUCT = "A[i,j,l] = B[i,j,k] * C[k,l]", "C[i,j] = A[i,k] * B[k,j]"
EXTENTS = {"i": 24, "j": 20, "k": 16, "l": 9, "m": 7}
CASES = [
    (SPMV, {"A": "csr"}, "split(i, i0, i1, 16); reorder(i0, i1, j); parallelize(i0, none)"),
    (
        SPMM,
        {"A": "csr"},
        "split(i, i0, i1, 16); pos(j, jpos, A[i, j]); split(jpos, jpos0, jpos1, 8); "
        "reorder(i0, i1, jpos0, k, jpos1); parallelize(i0, none); vectorize(k, 8)",
    ),
    (
        SPMM,
        {"A": "csr"},
        "split(i, i0, i1, 16); pos(j, jpos, A[i, j]); split(jpos, jpos0, jpos1, 8); "
        "reorder(i0, i1, jpos0, k, jpos1); parallelize(i0, none); vectorize(jpos1, 8)",
    ),
    (
        SDDMM,
        {"B": "csr"},
        "split(i, i0, i1, 16); pos(k, kpos, B[i, k]); split(kpos, kpos0, kpos1, 8); "
        "reorder(i0, i1, kpos0, j, kpos1); parallelize(i0, none); vectorize(kpos1, 8)",
    ),
    (
        SDDMM,
        {"B": "csr", "A": "csr"},
        "split(i, i0, i1, 16); pos(k, kpos, B[i, k]); split(kpos, kpos0, kpos1, 8); "
        "reorder(i0, i1, kpos0, j, kpos1); parallelize(i0, none); vectorize(kpos1, 8)",
    ),
    (
        SDDMM,
        {"B": "csr", "A": "csr"},
        "split(i, i0, i1, 16); pos(k, kpos, B[i, k]); split(kpos, kpos0, kpos1, 8); "
        "reorder(i0, i1, kpos0, kpos1, j); parallelize(i0, none); vectorize(j, 8)",
    ),
    (
        TTV,
        {"B": "csf(3)"},
        "fuse(i, j, f); pos(f, fpos, B[i, j, k]); split(fpos, chunk, fpos2, 16); reorder(chunk, fpos2, k); "
        "parallelize(chunk, none)",
    ),
    (
        TTM,
        {"B": "csf(3)"},
        "fuse(i, j, f); pos(f, fpos, B[i, j, k]); split(fpos, chunk, fpos2, 16); pos(k, kpos, B[i, j, k]); "
        "split(kpos, kpos1, kpos2, 8); reorder(chunk, fpos2, kpos1, l, kpos2); parallelize(chunk, none); "
        "vectorize(kpos2, 8)",
    ),
    (
        TTM,
        {"B": "csf(3)"},
        "fuse(i, j, f); pos(f, fpos, B[i, j, k]); split(fpos, chunk, fpos2, 16); pos(k, kpos, B[i, j, k]); "
        "split(kpos, kpos1, kpos2, 8); reorder(chunk, fpos2, kpos1, kpos2, l); parallelize(chunk, none); "
        "vectorize(l, 8)",
    ),
    (MTTKRP, {"B": "csf(3)"}, "split(i, i1, i2, 8); reorder(i1, i2, k, l, j); parallelize(i1, none)"),
    (
        MTTKRP,
        {"B": "csf(3)"},
        "reorder(i, k, l, j); precompute(B[i, k, l]*D[l, j], over=j, workspace=w); parallelize(i, none)",
    ),
    (
        MTTKRP,
        {"B": "csf(3)"},
        "pos(i, ipos, B[i, k, l]); split(ipos, chunk, ipos2, 8); reorder(chunk, ipos2, k, l, j); "
        "precompute(B[i, k, l]*D[l, j], over=j, workspace=w); parallelize(chunk, none)",
    ),
    (
        MTTKRP,
        {"B": "csf(3)"},
        "split(i, i1, i2, 8); reorder(i1, i2, k, l, j); "
        "precompute(B[i2, k, l]*D[l, j], over=j, producer=jp, workspace=w); split(jp, j0, j1, 4); "
        "parallelize(i1, none); vectorize(j1, 4)",
    ),
    (
        SPMV,
        {"A": "csr"},
        "fuse(i, j, f); pos(f, fpos, A[i, j]); split(fpos, block, fpos1, 64); split(fpos1, warp, fpos2, 16); "
        "split(fpos2, thread, thread_nz, 4); reorder(block, warp, thread, thread_nz); "
        "precompute(A[i, j]*x[j], over=thread_nz, producer=pre, workspace=precomputed); unroll(pre, 4); "
        "parallelize(block, atomics)",
    ),
    (
        SPMV,
        {"A": "csr"},
        "split(i, block, block_row, 64); split(block_row, warp_row, warp, 8); pos(j, jpos, A[i, j]); "
        "split(jpos, thread_nz, thread, 8); reorder(block, warp, warp_row, thread, thread_nz); "
        "parallelize(block, none)",
    ),
    (
        SPMV,
        {"A": "csr"},
        "split(i, block, block_row, 64); split(block_row, warp_row, warp, 8); pos(j, jpos, A[i, j]); "
        "split(jpos, thread_nz, thread, 8); reorder(block, warp, warp_row, thread, thread_nz); "
        "precompute(A[i, j]*x[j], over=thread, workspace=w); parallelize(block, none)",
    ),
    (
        SPMM,
        {"A": "csr"},
        "reorder(i, j, k); fuse(i, j, f); pos(f, fpos, A[i, j]); split(fpos, block, fpos1, 64); "
        "split(fpos1, warp, nnz, 8); split(k, dense_val, thread, 4); "
        "reorder(block, warp, thread, dense_val, nnz); bound(dense_val, 4); unroll(dense_val, 4); "
        "parallelize(block, atomics)",
    ),
    (
        SPMM,
        {"A": "csr"},
        "reorder(i, j, k); fuse(i, j, f); pos(f, fpos, A[i, j]); split(fpos, block, fpos1, 64); "
        "split(fpos1, warp, nnz, 8); split(k, dense_val, thread, 4); "
        "reorder(block, warp, nnz, thread, dense_val); "
        "precompute(A[i, j], over=nnz, producer=nnz_pre, workspace=w); parallelize(block, atomics)",
    ),
    (
        SDDMM,
        {"B": "csr"},
        "reorder(i, k, j); fuse(i, k, f); pos(f, fpos, B[i, k]); split(fpos, block, fpos1, 64); "
        "split(fpos1, warp, nnz, 8); split(j, dense_val, thread, 4); "
        "reorder(block, warp, nnz, thread, dense_val); unroll(dense_val, 2); parallelize(block, atomics)",
    ),
    (
        TTV,
        {"B": "csf(3)"},
        "fuse(j, k, jk); fuse(i, jk, f); pos(f, fpos, B[i, j, k]); split(fpos, block, fpos1, 64); "
        "split(fpos1, warp, fpos2, 16); split(fpos2, thread, thread_nz, 4); "
        "reorder(block, warp, thread, thread_nz); "
        "precompute(B[i, j, k]*c[k], over=thread_nz, producer=pre, workspace=w); unroll(pre, 4); "
        "parallelize(block, atomics)",
    ),
    (
        TTM,
        {"B": "csf(3)"},
        "reorder(i, j, k, l); fuse(j, k, jk); fuse(i, jk, f); pos(f, fpos, B[i, j, k]); "
        "split(fpos, block, fpos1, 64); split(fpos1, warp, nnz, 8); split(l, dense_val, thread, 4); "
        "reorder(block, warp, nnz, thread, dense_val); parallelize(block, atomics)",
    ),
    (
        MTTKRP,
        {"B": "csf(3)"},
        "reorder(i, k, l, j); fuse(k, l, kl); fuse(i, kl, f); pos(f, fpos, B[i, k, l]); "
        "split(fpos, block, fpos1, 64); split(fpos1, warp, nnz, 8); split(j, dense_val, thread, 4); "
        "reorder(block, warp, dense_val, thread, nnz); parallelize(block, atomics)",
    ),
    (
        PRODUCT,
        {},
        "split(i, i0, i1, 4); split(j, j0, j1, 4); split(k, k0, k1, 4); reorder(i0, j0, k0, i1, j1, k1); "
        "parallelize(i0, none)",
    ),
    (
        PRODUCT,
        {},
        "bound(i, 24); bound(j, 20); bound(k, 16); split(i, i0, i1, 8); split(j, j0, j1, 4); "
        "split(k, k0, k1, 8); reorder(i0, j0, k0, k1, i1, j1); unroll(k1, 4); vectorize(j1, 4)",
    ),
    (
        PRODUCT,
        {"A": "csr", "B": "csr"},
        "reorder(i, k, j); precompute(A[i, k]*B[k, j], over=j, workspace=w); parallelize(i, none)",
    ),
    (
        PRODUCT,
        {"A": "csr", "B": "csr", "C": "csr"},
        "reorder(i, k, j); precompute(A[i, k]*B[k, j], over=j, workspace=w, format=bitmap); parallelize(i, none)",
    ),
    (
        PRODUCT,
        {"A": "csr", "B": "csr", "C": "csr"},
        "reorder(i, k, j); precompute(A[i, k]*B[k, j], over=j, workspace=w); assemble(C, insert); parallelize(i, none)",
    ),
    (
        PRODUCT,
        {"A": "csr", "B": "csr"},
        "reorder(i, k, j); fuse(i, k, f); pos(f, fpos, A[i, k]); split(fpos, p0, p1, 16); parallelize(p0, atomics)",
    ),
    (PRODUCT, {"A": "csr"}, "reorder(k, i, j); precompute(A[i, k]*B[k, j], over=(i, j), workspace=w)"),
    ("a[i] = b[i]", {"b": "compressed"}, "split(i, i0, i1, 4)"),
    ("a[i] = b[i]", {"b": "compressed"}, "pos(i, ip, b[i]); split(ip, ip0, ip1, 4)"),
    ("a[i] = b[i] * c[i]", {"b": "compressed"}, "split(i, i0, i1, 4); parallelize(i0, none)"),
    (
        "a[i] = b[i] * c[i]",
        {"b": "compressed", "c": "compressed"},
        "pos(i, ip, b[i]); split(ip, ip0, ip1, 4); parallelize(ip0, none)",
    ),
    ("a[i] = b[i] * c[i]", {"b": "compressed", "c": "compressed", "a": "compressed"}, "merge(i, gallop)"),
    ("a[i] = b[i] + c[i]", {"b": "compressed", "c": "compressed"}, "split(i, i0, i1, 4)"),
    (
        "a[i] = b[i] + c[i]",
        {"b": "compressed", "c": "compressed", "a": "compressed"},
        "pos(i, ip, b[i]); split(ip, ip0, ip1, 4)",
    ),
    (
        "a = b[i] * c[i]",
        {"b": "compressed", "c": "compressed"},
        "split(i, i0, i1, 4); precompute(b[i1]*c[i1], over=i0, workspace=w); parallelize(i0, temporary)",
    ),
    (
        "a[i] = b[i] * c[i]",
        {},
        "bound(i, 24); split(i, i0, i1, 8); precompute(b[i1]*c[i1], over=i1, producer=iw, workspace=w); unroll(iw, 4)",
    ),
    (
        "a[i] = b[i] * c[i]",
        {},
        "split(i, i0, i1, 5); precompute(b[i1], over=i1, producer=iw, workspace=w); "
        "precompute(c[i1], over=i1, producer=iv, workspace=v); unroll(iw, 5); parallelize(i0)",
    ),
    (
        "a = b[i] * c[i]",
        {},
        "bound(i, 24); split(i, i0, i1, 8); precompute(b[i1]*c[i1], over=i1, producer=iw, workspace=B_new); "
        "precompute(b[iw], over=iw, producer=iv, workspace=C_new)",
    ),
    (
        "a = b[i] * c[i]",
        {},
        "split(i, i0, i1, 8); precompute(b[i1]*c[i1], over=i0, producer=iw, workspace=w); parallelize(iw)",
    ),
    ("A[i,j] = B[i,j] + C[i,j]", {}, "precompute(B[i, j]+C[i, j], over=(i, j), producer=(iw, jw), workspace=w)"),
    (
        "A[i,j,k,l] = B[i,j,k,l] + C[i,j,k,l]",
        {},
        "precompute(B[i, j, k, l]+C[i, j, k, l], over=(i, j, k, l), producer=(a, b, c, d), workspace=w); "
        "fuse(a, b, f); parallelize(f)",
    ),
    (TTV, {}, "precompute(B[i, j, k]*c[k], over=(i, j, k), producer=(a, b, c), workspace=w); reorder(c, a, b)"),
    (
        "A[i,j] = B[i,k,l] * C[k,l,m] * D[m,j]",
        {},
        "precompute(B[i, k, l]*C[k, l, m], over=(i, m), producer=(a, b), workspace=w)",
    ),
    (
        "A[i,j] = B[i,k,l] * C[k,l,m] * D[m,j]",
        {"B": "csf(3)"},
        "reorder(i, k, l, m, j); precompute(B[i, k, l]*C[k, l, m], over=m, workspace=w); parallelize(i)",
    ),
    ("A[i,j] = B[i,j] + C[i,j]", {"B": "csr", "C": "csr"}, "divide(i, half, row, 2); parallelize(half)"),
    (
        "A[i,j] = B[i,j] + C[i,j]",
        {"B": "csr", "C": "csr", "A": "csr"},
        "reorder(i, j); precompute(B[i, j]+C[i, j], over=j, workspace=w)",
    ),
    (
        "A[i,j] = B[i,j] * C[i,j]",
        {"B": "dcsr", "C": "dcsr", "A": "dcsr"},
        "fuse(i, j, f); pos(f, fp, B[i, j]); split(fp, b, e, 8)",
    ),
    ("A[i,j] = B[i,j] * C[i,j]", {"B": "csr", "C": "csr"}, "merge(j, gallop); parallelize(i, none)"),
    (SPMV, {"A": "dcsr"}, "divide(i, half, row, 2); parallelize(half)"),
    (SPMV, {"A": "dcsr"}, "pos(i, ip, A[i, j]); divide(ip, half, row, 2); parallelize(half)"),
    (
        SPMV,
        {"A": "dcsr"},
        "fuse(i, j, f); pos(f, fp, A[i, j]); divide(fp, half, entry, 2); parallelize(half, temporary)",
    ),
    (SPMV, {"A": "dcsr"}, "fuse(i, j, f); pos(f, fp, A[i, j]); coord(fp, g); split(g, g0, g1, 32)"),
    (SPMV, {"A": "csr"}, "reorder(j, i)"),
    (SPMV, {"A": "csr"}, "pos(j, jp, A[i, j]); coord(jp, j2); split(j2, j3, j4, 8)"),
    (SPMV, {"A": "csr"}, "split(i, i0, i1, 16); split(j, j0, j1, 16); reorder(i0, j0, i1, j1); parallelize(i0)"),
    (SPMV, {"A": "csc"}, "reorder(j, i); parallelize(j, temporary)"),
    (
        SPMV,
        {"A": "csc"},
        "reorder(j, i); fuse(j, i, f); pos(f, fp, A[i, j]); split(fp, b, e, 16); parallelize(b, atomics)",
    ),
    ("y[i] = A[i,j] * x[j] + z[i]", {"A": "csr"}, "precompute(A[i, j]*x[j], over=i, workspace=w); parallelize(i)"),
    (
        "y[i] = a * A[i,j] * x[j] + b * z[i]",
        {"A": "csr"},
        "precompute(A[i, j]*x[j], workspace=w); split(i, i0, i1, 8); parallelize(i0)",
    ),
    (
        "s = A[i,j]",
        {"A": "csr"},
        "fuse(i, j, f); pos(f, fp, A[i, j]); split(fp, b, e, 16); precompute(A[i, j], over=b, workspace=w); "
        "parallelize(b, temporary)",
    ),
    (
        "y[i] = A[i,j]",
        {"A": "csr"},
        "fuse(i, j, f); pos(f, fp, A[i, j]); split(fp, b, e, 16); precompute(A[i, j], over=i, workspace=w); "
        "parallelize(b, atomics)",
    ),
    (TTV, {"B": "csf(3)", "A": "csr"}, "reorder(i, j, k); fuse(i, j, f); parallelize(f, none)"),
    (
        TTV,
        {"B": "csf(3)"},
        "reorder(i, j, k); pos(k, kp, B[i, j, k]); split(kp, k0, k1, 4); unroll(k1, 4); parallelize(i)",
    ),
]
NAMES = re.compile(r"(\w+)\[([^\]]*)\]")


def operands_of(right):
    """Small whole numbers, so that sums are the same in any order."""
    random, found = np.random.default_rng(0), {}
    for name, indices in NAMES.findall(right):
        shape = [EXTENTS[index] for index in indices.replace(" ", "").split(",")]
        found.setdefault(name, random.integers(1, 5, shape) * (random.random(shape) < 0.3) * 1.0)
    return found


def expected(left, right, operands):
    indices = "".join(NAMES.findall(left)[0][1].split(",")) if "[" in left else ""
    total = 0.0
    for term in right.split("+"):
        factors = NAMES.findall(term)
        inputs = ",".join("".join(own.replace(" ", "").split(",")) for _, own in factors)
        scale = 2.0 if re.search(r"\b[ab] \*", term) else 1.0
        total = total + scale * np.einsum(f"{inputs}->{indices}", *[operands[name] for name, _ in factors])
    return total


@pytest.mark.one_in(48)
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("options", [{"num_threads": 1}, {"num_threads": 2}, {"target": "cuda-emulated"}], ids=str)
@pytest.mark.parametrize(("statement", "formats", "steps"), CASES)
def test_schedules_give_what_numpy_gives(statement, formats, steps, options):
    left, right = (side.strip() for side in statement.split(" = "))
    arrays = operands_of(right)
    scalars = {name: 2.0 for name in "ab" if re.search(rf"\b{name} \*", right)}
    operands = {n: it.Tensor.from_numpy(one, formats[n]) if n in formats else one for n, one in arrays.items()}
    schedule = it.schedule(steps)
    kernel = it.compile(statement, formats, schedule=schedule, disk_cache=False, **options)
    found = kernel(**operands, **scalars)
    dense = found.to_numpy() if isinstance(found, it.Tensor) else found
    np.testing.assert_array_equal(dense, expected(left, right, arrays))
    listed = kernel.explain().partition("\nschedule\n")[2].partition("\n\n")[0]
    assert it.schedule("; ".join(re.findall(r"^  \d+\. (.*)$", listed, re.MULTILINE))) == schedule
