"""Which of the programs of least cost is taken, by the formats of operands and result."""

import pytest

import irtensor as it

CSR, CSF = it.CSR, it.CSF(3)
CHOSEN = [
    (
        "a[i] = B[i,j] * C[j,k] * d[k]",
        {"B": CSR, "C": CSR},
        "(forall ij: a[i] += B[l(i),s(j)] * w[l(j)]) where (forall jk: w[j] += C[l(j),s(k)] * d[k])",
    ),
    # Gustavson's algorithm, for which an operand may have to be put in another order.
    ("A[i,j] = B[i,k] * C[k,j]", dict.fromkeys("ABC", CSR), "forall ikj: A[i,j] += B[l(i),s(k)] * C[l(k),s(j)]"),
    ("A[i,j] = B[i,k] * C[j,k]", dict.fromkeys("ABC", CSR), "forall ikj: A[i,j] += B[l(i),s(k)] * C[s(j),l(k)]"),
    # Row by row, with a row in memory, not with the product of two operands.
    (
        "A[i,j] = B[i,k] * C[k,l] * D[j,l]",
        dict.fromkeys("ABCD", CSR),
        "forall i: ((forall lj: A[i,j] += D[s(j),l(l)] * w[s(l)]) where "
        "(forall kl: w[l] += B[l(i),s(k)] * C[l(k),s(l)]))",
    ),
    # Tables are made of the operand with the most entries, so that only what all three have is gone to.
    (
        "A[i,j] = B[i,k,l] * C[j,k] * D[j,l]",
        {"A": CSR, "B": it.Format("dense, compressed, compressed"), "C": CSR, "D": CSR},
        "forall kjli: A[i,j] += B[s(i),l(k),l(l)] * C[s(j),l(k)] * D[l(j),s(l)]",
    ),
    # Lists are gone along once, dense rows in the innermost loop.
    (
        "A[i,j] = B[i,k,l] * C[k,j] * D[l,j]",
        {"B": CSF},
        "forall iklj: A[i,j] += B[s(i),s(k),s(l)] * C[k,j] * D[l,j]",
    ),
    # A row of the mask is looked up in while a row of the product is computed.
    (
        "A[i,j] = B[i,k] * C[k,j] * D[i,j]",
        dict.fromkeys("ABCD", CSR),
        "forall ikj: A[i,j] += B[l(i),s(k)] * C[l(k),s(j)] * D[l(i),l(j)]",
    ),
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("statement", "formats", "program"), CHOSEN)
def test_chosen_programs(statement, formats, program):
    kernel = it.compile(statement, formats=formats, schedule="auto")
    rules = kernel.explain().partition("\n\nrules that apply\n")[2].partition("\n\n")[0]
    assert f"  the program is {program}" in rules.splitlines()
