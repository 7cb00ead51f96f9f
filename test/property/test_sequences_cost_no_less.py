"""Statements one after the other, which are not searched, never cost less than what is searched: for each sequence of
programs of which one computes a term and the next ones add theirs, some program of least cost does no other tasks."""

from itertools import product

import pytest

import irtensor as it
from irtensor.options import current_options
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.papers.counted_options import CountedOptions
from irtensor.passes.autoschedule.papers.counted_search import CountedSearch
from irtensor.passes.autoschedule.read_program import kernel_of, read_program
from irtensor.passes.autoschedule.statements import Sequence
from irtensor.planning.default_planner import DEFAULT_PLANNER

MATRICES = dict.fromkeys("BCDEF", it.CSR)


def kernel(notation: str, result: str) -> Kernel:
    """The statement for which programs are searched."""
    formats = {name: format for name, format in MATRICES.items() if f"{name}[" in notation}
    compiled = it.compile(f"{result} = {notation}", formats)
    (candidates,) = DEFAULT_PLANNER.candidates(compiled._last.request(), current_options())
    assert candidates._definition is not None
    return kernel_of(read_program(candidates._definition), candidates._definition)


@pytest.mark.one_in(16)
@pytest.mark.parametrize("filled", [False, True])
@pytest.mark.parametrize(
    ("result", "terms"),
    [
        ("A[i,j]", ["B[i,j]", "C[i,j]"]),
        ("A[i,j]", ["B[i,k] * C[k,j]", "D[i,j]"]),
        ("A[i,j]", ["B[i,k] * C[k,j]", "D[j,i]"]),
        ("A[i,j]", ["B[i,k] * C[k,j]", "D[i,l] * E[l,j]"]),
        ("A[i,j]", ["B[i,k] * C[k,j]", "D[i,l] * E[j,l]"]),
        ("a[i]", ["B[i,j] * x[j]", "C[i,k] * y[k]"]),
        ("a[i]", ["B[i,j]", "C[j,i]", "x[i]"]),
        ("a", ["B[i,j] * C[i,j]", "D[i,j]"]),
    ],
)
def test_a_program_costs_no_more(result, terms, filled):
    options = CountedOptions(filled=filled, budget=5_000)
    together = CountedSearch(kernel(" + ".join(terms), result), options)
    sets, least = together.task_sets, list(together.least)
    programs = [CountedSearch(kernel(term, result), options).programs("frontier") for term in terms]
    for sequence in product(*programs):
        cost = together.cost(Sequence(sequence))
        assert any(sets.contains(cost, one) for one in least), sequence
