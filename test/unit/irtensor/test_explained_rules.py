"""explain() says which rules changed the loops of a statement, and why one did not where a reader would ask."""

from typing import Any

import numpy as np
import pytest

import irtensor as it

CSR, CSC = it.CSR, it.CSC
SUM = "sum(k, Q[i, k] * K[j, k])"
ACROSS = "(i, j) -> (j : dense, i : dense)"
COLLECTED = "is collected in a workspace over {}: the loop over {} goes inside of the reduction"


def section(kernel: Any, title: str) -> list[str]:
    parts = kernel.explain().split("\n\n")
    return next((part.splitlines()[1:] for part in parts if part.splitlines()[0] == title), [])


@pytest.mark.parametrize(
    ("notation", "formats", "lines"),
    [
        (
            "J[i,j] = A[i,j] * sum(k, B[i,k] * C[j,k]) / (2 - sum(l, C[j,l] * B[i,l]))",
            dict.fromkeys("ABC", CSR),
            ["  sum(k, B[i, k] * C[j, k]) is computed once, as sum(l, C[j, l] * B[i, l]) is equal"],
        ),
        (
            "R[i,j] = A[i,j] / (sum(k, D[i,k]) + sqrt(sum(k, D[i,k])))",
            dict.fromkeys("AD", CSR),
            [
                "  sum(k, D[i, k]) is computed once",
                "  sum(k, D[i, k]) is computed outside of the loop over j",
                "  a sum is computed only where 'A' has entries that use it",
            ],
        ),
        (
            "R[i,j] = X[i,j] / (1 + exp(sum(k, D[i,k])))",
            {"D": CSR},
            [
                "  sum(k, D[i, k]) is computed outside of the loop over j",
                "  exp is computed outside of the loop over j",
                "  exp is computed for 128 iterations at a time",
            ],
        ),
        (
            "R[i,j] = X[i,j] * sum(k, x[k])",
            {},
            [
                "  sum(k, x[k]) is computed outside of the loops over i, j",
                "  the loops over i, j are one, because no tensor tells them apart",
                "  sums of elements of 'x' are computed for 256 iterations at a time",
            ],
        ),
        # The sums of all columns are a workspace, which is told of beside the others.
        ("R[i,j] = X[i,j] - sum(k, Y[k,j])", {}, []),
        (
            "R[i,f] = max(sum(j, A[i,j] * B[j,f]), 0)",
            {},
            ["  6 rows of 'w' are computed together, if there are enough"],
        ),
        (
            "R[i,j] = A[i,j] * sum(k, P[i,k] * Q[j,k])",
            {"A": CSR},
            ["  rows of 'P' are prefetched, one iteration ahead"],
        ),
        # The rows of its transposed copy.
        ("R[i,f] = A[i,j] * H[f,j]", {"A": it.CSC}, ["  rows of 'H' are prefetched, one iteration ahead"]),
        ("y[i] = A[i,j] * x[j]", {"A": CSR}, []),
        # A sum that leaves one loop after the other is told of once.
        (
            "R[i,j] = X[i,j] * sum(k, D[i,k]) * sum(k, x[k])",
            {"D": CSR},
            [
                "  sum(k, D[i, k]) is computed outside of the loop over j",
                "  sum(k, x[k]) is computed outside of the loops over i, j",
                "  sums of elements of 'x' are computed for 256 iterations at a time",
            ],
        ),
        (
            "y[f] = sum(j, sum(k, Q[j,k] * w[k]) * V[j,f])",
            {},
            [
                "  sum(k, Q[j, k] * w[k]) is computed outside of the loop over f",
                "  sums of elements of 'Q' and 'w' are computed for 256 iterations at a time",
            ],
        ),
        # The maximum has the name that the sum around its second place leaves free.
        (
            "R[i,j] = X[i,j] * max(l, D[i,l]) / sum(l, D[i,l] - max(m, D[i,m]))",
            {},
            [
                "  max(l, D[i, l]) is computed once, as max(m, D[i, m]) is equal",
                "  max(m, D[i, m]) is computed outside of the loop over j",
                "  sum(l, D[i, l] - max(m, D[i, m])) is computed outside of the loop over j",
            ],
        ),
        # What is written in the order of the loops stays.
        ("R[i,f] = 0.5 * A[i,j] * B[j,f]", {"A": CSR}, []),
    ],
)
def test_what_rules_did(notation: str, formats: dict[str, Any], lines: list[str]):
    assert section(it.compile(notation, formats=formats, num_threads=1), "rules that apply") == lines


@pytest.mark.parametrize(
    ("notation", "formats", "lines"),
    [
        (
            "R[i,f] = A[i,j] * B[j,f] + D[i,k] * E[k,f]",
            {"A": CSR, "D": CSR},
            [
                f"  {sum} {COLLECTED.format('f', 'f')}"
                for sum in ("sum(j, A[i, j] * B[j, f])", "sum(k, D[i, k] * E[k, f])")
            ],
        ),
        (
            "y[j] = b[j] - sum(i, A[i,j] * x[i])",
            {"A": CSR},
            [
                f"  sum(i, A[i, j] * x[i]) {COLLECTED.format('j', 'j')}",
                "  'y' takes the place of the workspace: it starts from b[j], "
                "and the terms of the reduction are combined with that",
            ],
        ),
        (
            "R[i,j] = X[i,j] - sum(k, Y[k,j])",
            {},
            [
                f"  sum(k, Y[k, j]) {COLLECTED.format('j, outside of the loop over i', 'j')}",
            ],
        ),
        # A number needs no workspace.
        (
            "R[i,j] = X[i,j] - sum(k, X[i,k]) * sum(l, X[l,j])",
            {"X": CSR},
            [
                "  sum(k, X[i, k]) is computed outside of the loop over j",
                f"  sum(l, X[l, j]) {COLLECTED.format('j', 'j')}",
            ],
        ),
    ],
)
def test_what_is_collected(notation: str, formats: dict[str, Any], lines: list[str]):
    assert section(it.compile(notation, formats=formats, num_threads=1), "conversions and workspaces") == lines


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("notation", "formats", "lines"),
    [
        # A call computes the sums before, if they are read more than once.
        ("R[i,j] = X[i,j] / sum(k, Y[k,j])", dict.fromkeys("XR", CSR), []),
        # What is tabulated is not computed again, nor is what it is made of.
        ("R[i,j] = X[i,j] / sum(k, Y[k,j])", {"X": CSR}, []),
        ("R[i,j] = X[i,j] / sum(k, Y[k,j] * sum(l, Z[l,j]))", {"X": CSR}, []),
        # One of two sums is tabulated. The other is computed again, though it is a part of the first.
        (
            "R[i,j] = X[i,j] / (sum(k, Y[k,j] * sum(l, Z[l,j])) + abs(sum(l, Z[l,j])))",
            {"X": CSR},
            [
                "  sum(l, Z[l, j]) is computed again for each i, because the loop over j, which it needs, is inside",
                "    a statement of its own computes it once for each j",
                "  Z[l, j] is read across its rows in the loop over l, and is not copied",
                f"    stored as {ACROSS}, it is read along its rows",
            ],
        ),
        (
            f"o[i,m] = sum(j, {SUM} * B[j,m]) / sum(j, {SUM} * A[j,m])",
            {"A": CSC},
            [
                f"  {SUM} is computed again, because the sums around it are different ones",
                "    a statement of its own computes it once",
            ],
        ),
        # What two loops share is not computed again.
        (f"o[i] = sum(j, exp({SUM}) * v[j]) / sum(j, exp({SUM}))", {}, []),
        # Other variables, other sums.
        ("o[i] = sum(j, sum(k, A[i,j,k]) * x[j]) / sum(j, sum(k, B[i,j,k]) * y[j])", {}, []),
        (
            "R[i,j] = A[i,j,k] * H[k,j]",
            {},
            [
                "  H[k, j] is read across its rows in the loop over k, and is not copied",
                f"    stored as {ACROSS}, it is read along its rows",
            ],
        ),
        # It is copied, it is in order, it is a diagonal.
        ("R[i,k] = A[i,j] * H[k,j]", {"A": CSR}, []),
        ("R[i,j] = A[i,j,k] * H[k,j]", {"H": it.Format(ACROSS)}, []),
        ("y[i] = A[i,i] * x[i]", {}, []),
        # A copy goes across the rows of one of the two.
        ("R[i,j] = X[j,i]", {}, []),
        (
            "R[i,j] = 2 * X[j,i]",
            {},
            [
                "  X[j, i] is read across its rows in the loop over j, and is not copied",
                f"    stored as {ACROSS}, it is read along its rows",
            ],
        ),
    ],
)
def test_why_a_rule_does_not_apply(notation: str, formats: dict[str, Any], lines: list[str]):
    assert section(it.compile(notation, formats=formats, num_threads=1), "rules that do not apply") == lines


def test_a_sum_again_where_nothing_is_split():
    kernel = it.compile("R[i,j] = X[i,j] / sum(k, Y[j,k])", dict.fromkeys("XYR", CSR), num_threads=1, strict_fp=True)
    assert section(kernel, "rules that do not apply")[:2] == [
        "  sum(k, Y[j, k]) is computed again for each i, because the loop over j, which it needs, is inside",
        "    a statement of its own computes it once for each j",
    ]


def test_a_schedule_is_not_argued_with():
    schedule = it.schedule("fuse(i, j, f); split(f, p, q, 4, A)")
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": CSR}, schedule=schedule)
    assert not section(kernel, "rules that do not apply")


def test_where_the_kernels_of_pairs_are_seen():
    entries = np.arange(20_000)
    A = it.Tensor.from_coo([entries // 10, entries * 7919 % 2_000], np.ones(20_000), shape=(2_000, 2_000), format="csr")
    W, V = np.ones((2_000, 64)), np.ones((64, 16))
    chain = it.compile("Y[i,l] = A[i,j] * W[j,k] * V[k,l]", formats={"A": CSR}).prepare(A=A, W=W, V=V)
    *_, part, rest, _, last = section(chain, "kernels")
    assert last == "  ir() and assembly() show one kernel for all; compile one of these statements to see its own"
    for statement in (part.rpartition(":")[0], rest):
        assert "loop.for" in it.compile(statement.strip()).ir("loop")


def test_what_was_decided_for_each_of_several_kernels():
    rows = np.ones((2_000, 64))
    entries = np.arange(20_000)
    A = it.Tensor.from_coo([entries // 10, entries * 7919 % 2_000], np.ones(20_000), shape=(2_000, 2_000), format="csr")
    text = "Y[i,l] = A[i,j] * max(b[l] + sum(k, W[j,k] * V[k,l]), 0)"
    kernel = it.compile(text, {"A": CSR}, num_threads=1).prepare(A=A, W=rows, V=np.ones((64, 64)), b=np.ones(64))
    first, second = [part.splitlines() for part in kernel.explain().split("\n\n") if part.startswith("kernel ")]
    assert first[:5] == [
        "kernel 0: intermediate0[j, l] = max(b[l] + sum(k, W[j, k] * V[k, l]), 0)",
        "  conversions and workspaces",
        f"    sum(k, W[j, k] * V[k, l]) {COLLECTED.format('l', 'l')}",
        "  rules that apply",
        "    6 rows of 'w' are computed together, if there are enough",
    ]
    assert second[:3] == [
        "kernel 1: Y[i, l] = sum(j, A[i, j] * intermediate0[j, l])",
        "  loops",
        "    for i: level 0 of A, Y (dense) is located",
    ]
    assert second[-2:] == ["  threads", "    one thread, as num_threads says"]
