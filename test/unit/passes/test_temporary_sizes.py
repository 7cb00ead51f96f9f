"""How large workspaces may become: not at all larger than an operand, as expected, and at most."""

import pytest
from work_models import CSR, SIZES, work

from irtensor.passes.autoschedule.operand_sizes import OperandSizes
from irtensor.passes.autoschedule.parse_program import parse_program
from irtensor.passes.autoschedule.temporary_sizes import large_modes, unbounded_modes

MASKED, CHAIN = "A[i,j] += B[i,k] * C[j,k] * D[j,k]", "A[i,j] += B[i,k] * C[k,l] * D[j,l]"
MTTKRP = "A[i,j] += B[i,k,l] * C[j,k] * D[j,l]"
FORMATS = {"A": CSR, "B": CSR, "C": CSR, "D": CSR}
CSF = "dense, compressed, compressed"
# What both have, a product of matrices, and one of rows.
BOTH = "(forall ikj: A[i,j] += B[l(i),s(k)] * w[l(k),s(j)]) where (forall jk: w[k,j] += C[l(j),s(k)] * D[l(j),s(k)])"
MATRICES = (
    "(forall ikj: A[i,j] += B[l(i),s(k)] * w[l(k),s(j)]) where (forall kjl: w[k,j] += C[l(k),s(l)] * D[l(j),s(l)])"
)
ROWS = (
    "(forall iklj: A[i,j] += B[l(i),s(k),s(l)] * w[l(k),l(l),s(j)]) where "
    "(forall jkl: w[k,l,j] += C[l(j),s(k)] * D[l(j),s(l)])"
)
WITHIN = (
    "forall i: ((forall j: A[i,j] = w[s(j)]) where (forall kjl: w[j] += B[l(i),s(k)] * C[l(k),l(l)] * D[l(j),s(l)]))"
)


def sizes(extent: float, share: float, of_b: float | None = None, **extents: float) -> OperandSizes:
    return OperandSizes({**dict.fromkeys("ijkl", extent), **extents}, {"B": of_b or share, "C": share, "D": share})


@pytest.mark.parametrize(
    ("statement", "program", "modes"), [(MASKED, BOTH, 0), (CHAIN, MATRICES, 2), (MTTKRP, ROWS, 3), (CHAIN, WITHIN, 0)]
)
def test_no_larger_than_an_operand(statement, program, modes):
    formats = {**FORMATS, "B": CSF if statement == MTTKRP else CSR}
    assert unbounded_modes(parse_program(program, "ijkl"), work(statement, SIZES, **formats).search) == modes


def large(statement, program, given):
    formats = {**FORMATS, "B": CSF if statement == MTTKRP else CSR}
    return large_modes(parse_program(program, "ijkl"), work(statement, given, **formats))


def test_what_is_expected():
    assert large(MASKED, BOTH, sizes(1e4, 0.01)) == 0
    # A product of sparse matrices is denser than these.
    assert large(CHAIN, MATRICES, sizes(1e4, 0.01)) == 2
    # A hundred pairs in each of ten thousand rows, beside a thousand million entries of B, or ten thousand.
    assert large(MTTKRP, ROWS, sizes(1e4, 1e-3, of_b=1e-3)) == 0
    assert large(MTTKRP, ROWS, sizes(1e4, 1e-3, of_b=1e-8)) == 3
    # There are few of them.
    assert large(MTTKRP, ROWS, sizes(500.0, 0.01, of_b=1e-8)) == 0


def test_what_is_at_most():
    """A thousand entries of C, which may all be in one row, in which D may have all that it has."""
    assert large(MTTKRP, ROWS, sizes(1e3, 1e-3, of_b=1e-3)) == 0
    # A hundred are expected, and ten thousand entries of C and D each may all be in one row, beside a million of B.
    few = OperandSizes(dict.fromkeys("ijkl", 1e6), {"B": 1e-12, "C": 1e-8, "D": 1e-8})
    assert large(MTTKRP, ROWS, few) == 3
    # No matter what: there are no more coordinates.
    assert large(MTTKRP, ROWS, sizes(1e6, 1e-6, of_b=1e-3, j=10.0, k=10.0, l=10.0)) == 0
