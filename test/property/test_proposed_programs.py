"""A program that explain() proposes is one that can be had, and takes no more steps than the loops that are taken.

Statements, formats and steps are those of test_whole_statements.py.
"""

from pathlib import Path

import numpy as np
import pytest
import whole_statements
from whole_statements import Case, described_operands, read_corpus, steps_of

import irtensor as it
from irtensor.compiler.compile_request import CompileRequest
from irtensor.compiler.explain_work import compared
from irtensor.options import current_options
from irtensor.passes.autoschedule.statements import text_of
from irtensor.planning.planner import plan_for

OPTIONS = current_options(num_threads=1)
CORPUS = read_corpus(Path(whole_statements.__file__).with_suffix(".txt"))
# Programs that skip rows or elements of a dense result, which is filled all the same, and one that is better.
SAMPLE = (
    "R[i,f] = max(sum(j, A[i,j] * B[j,f]), 0) | A csr",
    "R[i,f] = C[i,f] * sum(j, A[i,j] * B[j,f]) | A csr",
    "R[i,j] = X[i,j] - sum(k, X[i,k]) * sum(l, X[l,j]) / sum(k, l, X[l,k]) | X csr",
    "R[f,j] = W[i,f] * A[i,j] | A csr",
)


def proposed(case: Case) -> tuple[CompileRequest, list[str]]:
    """The request for a case as it is planned, and the programs that explain() says do less."""
    described = described_operands(case.statement, case.formats, case.arrays())
    request = CompileRequest(case.statement, described, case.formats.get(case.statement.target.tensor))
    planned = plan_for(request, OPTIONS).request
    assert isinstance(planned, CompileRequest)
    verdicts = [one.verdict for one in compared(planned, OPTIONS) if one is not None]
    return planned, [text_of(one.better) for one in verdicts if one.better is not None]


@pytest.mark.parametrize(
    "case", [pytest.param(one, id=one.name, marks=() if one.name in SAMPLE else pytest.mark.thorough) for one in CORPUS]
)
def test_what_is_proposed_is_better(case: Case):
    planned, programs = proposed(case)
    for program in programs:
        given = case.statement, case.formats, case.arrays(), case.extents()
        _, steps = steps_of(*given, planned.schedule)
        result, fewer = steps_of(*given, it.schedule().autoschedule(program=program))
        np.testing.assert_allclose(result, case.expected())
        assert fewer < steps, program


def test_the_sample_has_all_kinds():
    cases = {case.name: case for case in CORPUS}
    assert [bool(proposed(cases[name])[1]) for name in SAMPLE] == [False, False, False, True]
