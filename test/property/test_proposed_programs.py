"""What explain() proposes can be had, and takes fewer steps: another program, another format, a statement more.

Statements, formats and steps are those of test_whole_statements.py.
"""

import re
from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np
import pytest
import whole_statements
from whole_statements import Case, described_operands, excess, read_corpus, steps_of

import irtensor as it
from irtensor.compiler.compilation.compile_request import CompileRequest
from irtensor.compiler.explain.refusals import refusals_of
from irtensor.compiler.explain.work import compared
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.parts.may_split import may_split
from irtensor.options import current_options
from irtensor.passes.autoschedule.statements import text_of
from irtensor.planning.planner import plan_for

OPTIONS = current_options(num_threads=1)
CORPUS = read_corpus(Path(whole_statements.__file__).with_suffix(".txt"))
# Programs that skip rows or elements of a dense result, which is filled all the same, and one that is proposed.
SAMPLE = (
    "R[i,f] = max(sum(j, A[i,j] * B[j,f]), 0) | A csr",
    "R[i,f] = C[i,f] * sum(j, A[i,j] * B[j,f]) | A csr",
    "R[i,j] = X[i,j] - sum(k, X[i,k]) * sum(l, X[l,j]) / sum(k, l, X[l,k]) | X csr",
    "C[i,j] = A[i,k] * B[k,j] | A csr, C csr",
)
# Programs know no workspace whose rows are full only where an operand has a row: that the plan has one counts as more.
MORE = {"C[i,j] = A[i,k] * B[k,j] | A csr, C csr"}
# Of each kind of rule that does not apply, those that are cheap to count.
REFUSED = ("R[i,j] = X[j,i] + Y[i,j] | dense",)


def planned_with(case: Case, formats: Mapping[str, TensorFormat]) -> CompileRequest:
    """The request for a case as it is planned, with tensors in some formats."""
    described = described_operands(case.statement, formats, case.arrays())
    request = CompileRequest(case.statement, described, formats.get(case.statement.target.tensor))
    planned = plan_for(request, OPTIONS).request
    assert isinstance(planned, CompileRequest)
    return planned


def marked(sample: Collection[str]) -> list[object]:
    """Parameters: some of the cases run each time, all with --thorough."""
    return [pytest.param(one, id=one.name, marks=() if one.name in sample else pytest.mark.thorough) for one in CORPUS]


def proposed(case: Case) -> tuple[CompileRequest, list[str]]:
    """The request for a case as it is planned, and the programs that explain() says do less."""
    planned = planned_with(case, case.formats)
    verdicts = [one.verdict for one in compared(planned, OPTIONS) if one is not None]
    return planned, [text_of(one.better) for one in verdicts if one.better is not None]


@pytest.mark.parametrize("case", marked(SAMPLE))
def test_what_is_proposed_is_better(case: Case):
    planned, programs = proposed(case)
    for program in programs:
        given = case.statement, case.formats, case.arrays(), case.extents()
        _, steps = steps_of(*given, planned.schedule)
        result, fewer = steps_of(*given, it.schedule().autoschedule(program=program))
        np.testing.assert_allclose(result, case.expected())
        assert (fewer < steps) == (case.name not in MORE), program


def test_the_sample_has_all_kinds():
    cases = {case.name: case for case in CORPUS}
    assert [bool(proposed(cases[name])[1]) for name in SAMPLE] == [False, False, False, True]


@pytest.mark.parametrize("case", marked(REFUSED))
def test_the_way_out_is_better(case: Case):
    planned = planned_with(case, case.formats)
    result = case.formats.get(case.statement.target.tensor)
    splits = may_split(case.statement, result is not None and not result.is_dense)
    lines = refusals_of(planned, OPTIONS, may_split=splits)
    assert lines or case.name not in REFUSED
    given = case.arrays(), case.extents()
    for rule, way_out in zip(lines[::2], lines[1::2], strict=True):
        if "of its own" in way_out:
            assert excess(case)[0][0] > 1, rule
        else:
            stored = re.fullmatch(r"  stored as (.*), it is read along its rows", way_out)
            assert stored is not None
            formats = {**case.formats, rule.partition("[")[0]: TensorFormat.parse(stored[1])}
            _, steps = steps_of(case.statement, case.formats, *given, planned.schedule)
            _, fewer = steps_of(case.statement, formats, *given, planned_with(case, formats).schedule)
            assert fewer < steps, rule
