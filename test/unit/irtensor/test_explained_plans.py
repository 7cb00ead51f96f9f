"""What explain() says of whole plans, as a reader sees it; `explained/NAME.txt` has the texts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irtensor as it

CSR, DCSR, COO = it.CSR, it.DCSR, it.COO(2)
UNSORTED = it.Format("dense, compressed(nonordered)")
PRODUCT = "C[i,j] = A[i,k] * B[k,j]"
WIDE = "Z[i,j] = " + " + ".join(f"{name}[i,j]" for name in "ABCDEF")

# Notation, formats, schedule.
PLANS: dict[str, tuple[str, dict[str, Any], str]] = {
    "product": (PRODUCT, dict.fromkeys("ABC", CSR), ""),
    "product_of_lists": (PRODUCT, dict.fromkeys("ABC", DCSR), ""),
    "sum_of_three": ("D[i,j] = A[i,j] + B[i,j] + C[i,j]", dict.fromkeys("ABCD", CSR), ""),
    "sum_of_six": (WIDE, dict.fromkeys("ABCDEFZ", CSR), ""),
    "sum_of_unsorted_rows": ("C[i,j] = A[i,j] + B[i,j]", {"A": UNSORTED, "B": CSR, "C": CSR}, ""),
    "sampled_product": ("A[i,j] = B[i,j] * C[i,k] * D[j,k]", dict.fromkeys("AB", CSR), ""),
    "masked_product": ("C[i,j] = M[i,j] * A[i,k] * B[k,j]", dict.fromkeys("ABCM", CSR), ""),
    "mttkrp": (
        "A[i,j] = B[i,k,l] * C[k,j] * D[l,j]",
        {"A": CSR, "B": it.CSF(3), "C": CSR, "D": CSR},
        "",
    ),
    "transposed": ("C[j,i] = A[i,j]", {"A": CSR, "C": DCSR}, ""),
    "triangles": ("s = L[i,j] * L[j,k] * L[i,k]", {"L": CSR}, ""),
    "diagonals": ("y[i] = A[i,j] * x[j]", {"A": it.DIA}, ""),
    "blocks": ("y[i] = A[i,j] * x[j]", {"A": it.BCSR(2, 3)}, ""),
    "one_diagonal": ("y[i] = A[i,i] * x[i]", {"A": CSR}, ""),
    "two_loops": (
        "y[i] = b[i] + c[i]",
        dict.fromkeys("bc", it.Format("compressed")),
        "precompute(b[i], over=i, reuse=True); parallelize(i)",
    ),
    "asked_for": ("A[i,j] = B[i,j] + C[i,j]", dict.fromkeys("ABC", CSR), "precompute(B[i,j], over=j, workspace=t)"),
    "parts_of_entries": (
        "y[i] = A[i,j] * x[j]",
        {"A": CSR},
        "fuse(i, j, f); split(f, p, q, 4, A); parallelize(p, atomics)",
    ),
}
# Results of which the index, or the values for an index, are computed.
KINDS: dict[str, tuple[str, dict[str, Any], str]] = {
    "index_of_product": (PRODUCT, dict.fromkeys("ABC", CSR), "assemble"),
    "values_of_product": (PRODUCT, dict.fromkeys("ABC", CSR), "compute"),
    "values_of_product_through_tables": (PRODUCT, dict.fromkeys("ABC", DCSR), "compute"),
    "values_of_sum": ("C[i,j] = A[i,j] + B[i,j]", {"A": CSR, "B": CSR, "C": COO}, "compute"),
}


def _check(name: str, kernel) -> None:
    text = kernel.explain().partition("\n\nstages, for")[0] + "\n"
    assert text == (Path(__file__).parent / "explained" / f"{name}.txt").read_text()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", PLANS)
def test_plans(name: str) -> None:
    notation, formats, steps = PLANS[name]
    schedule = it.schedule(steps) if steps else None
    _check(name, it.compile(notation, formats=formats, schedule=schedule, num_threads=2))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", KINDS)
def test_kinds(name: str) -> None:
    notation, formats, kind = KINDS[name]
    kernel = it.compile(notation, formats=formats, num_threads=2)
    operands = dict.fromkeys("AB", it.Tensor.from_numpy(np.eye(4), CSR))
    if "tables" in name:
        # No memory is taken for extents like these.
        operands = dict.fromkeys("AB", it.Tensor.from_coo([[5], [5]], [1.0], shape=(10**9,) * 2, format=DCSR))
    index = kernel.assemble(**operands)
    if kind == "compute":
        kernel.compute(index, **operands)
    _check(name, kernel)
