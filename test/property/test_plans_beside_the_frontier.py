"""Without a schedule, what is taken for large operands is never much more work than any program of least cost, whatever
the sizes: of the programs whose temporaries are small, or no larger than those of the plan."""

from collections.abc import Iterator

import pytest

import irtensor as it
from irtensor.frontend.expression_tree import accesses
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.options import current_options
from irtensor.passes.autoschedule.operand_sizes import OperandSizes
from irtensor.passes.autoschedule.papers.counted_options import CountedOptions
from irtensor.passes.autoschedule.papers.counted_search import CountedSearch
from irtensor.passes.autoschedule.temporary_sizes import large_modes
from irtensor.planning.default_planner import DEFAULT_PLANNER

FORMATS = {2: it.CSR, 3: it.Format("dense, compressed, compressed")}
# Statement, matrices that are dense, and how many costs are computed: those of all programs but for the last.
KERNELS = [
    ("a[i] = B[i,j] * C[j,k] * d[k]", "", 1_000),
    ("A[i,j] = B[i,k] * C[j,k]", "", 1_000),
    ("A[i,j] = B[i,k] * C[k,l] * D[j,l]", "", 50_000),
    ("A[i,j] = B[i,k] * C[j,k] * D[j,k]", "", 200_000),
    ("A[i,j] = B[i,k] * C[k,j] * D[i,j]", "BC", 200_000),
    ("a = A[i,j] * B[j,k] * C[k,i]", "", 200_000),
    ("A[i,j] = B[i,k,l] * C[j,k] * D[j,l]", "", 4_000),
]
# A plan within this factor is kept where a program would have operands converted.
WORTH = 2.0


def sizes(ranks: dict[str, int], indices: list[str]) -> Iterator[OperandSizes]:
    """Square operands and with one short dimension, with few entries in a row and many, one of them thinner."""
    for extent in (1e3, 3e4, 1e6):
        for short in (None, *indices):
            for row in (0.1, 10.0, 300.0):
                for thin in (None, *ranks):
                    shares = {name: min(1.0, row / (30 if name == thin else 1) / extent) for name in ranks}
                    yield OperandSizes({index: 50.0 if index == short else extent for index in indices}, shares)


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("notation", "dense", "budget"), KERNELS)
def test_what_is_taken_for_large_operands(notation, dense, budget):
    parsed = parse_statement(notation)
    read = {one.tensor: one.plain_indices for one in accesses(parsed.expression)}
    ranks = {name: len(its) for name, its in read.items() if len(its) > 1 and name not in dense}
    formats = {name: FORMATS[rank] for name, rank in ranks.items()}
    if len(parsed.target.indices) == 2:
        formats[parsed.target.tensor] = it.CSR
    kernel = it.compile(notation, formats)
    (candidates,) = DEFAULT_PLANNER.candidates(kernel._last.request(), current_options())
    comparison = candidates._plan
    assert comparison is not None
    programs = {
        program
        for filled in (False, True)
        for members in CountedSearch(
            comparison.search.kernel, CountedOptions(filled=filled, budget=budget)
        ).least.values()
        for program in members
    }
    modes = comparison.unbounded_modes
    compared = 0
    for given in sizes(ranks, sorted({*"".join(map("".join, read.values()))})):
        plan = candidates.work_of_plan(given)
        if not 1e9 <= plan <= 1e15:
            continue
        model = comparison.model(given)
        taken = candidates.instead_of_plan(given)
        amount = taken[0].amount if taken else plan
        admitted = [one for one in programs if modes(one) <= modes(comparison.plan) or not large_modes(one, model)]
        least = min(map(model.of, admitted))
        assert amount <= WORTH * least, (given, taken[0], min(admitted, key=model.of))
        compared += 1
    assert compared
