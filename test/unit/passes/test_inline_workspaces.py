"""Whether a program computes a statement is seen from the text of it: no list of all programs is needed."""

import random

import pytest
from schedule_kernels import INDICES, KERNELS, kernel

from irtensor.core.operators import OPERATORS
from irtensor.passes.autoschedule.inline_workspaces import inline_workspaces
from irtensor.passes.autoschedule.name_workspaces import index_workspaces, number_workspaces
from irtensor.passes.autoschedule.papers.counted_search import CountedSearch
from irtensor.passes.autoschedule.parse_program import parse_program
from irtensor.passes.autoschedule.statements import (
    Assign,
    Forall,
    flattened,
    map_expressions,
    parts,
    text_of,
    with_parts,
    without_protocols,
)

STATEMENTS = [
    KERNELS["SpMV2"],
    KERNELS["SpGEMM2"],
    KERNELS["SpMTTKRP"],
    ("a[i] += B[i,k] * c[k] * B[i,k] * c[k]", "c"),
    ("a[i] += B[i,j] * (C[j,k] + d[k])", "d"),
    ("a[i] += B[i,j] * C[j,k] - B[i,j] * d[k]", "d"),
    ("a[i] += sqrt(B[i,j] * C[j,k]) * d[k]", "d"),
    ("a += B[i] * C[j]", ""),
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("text", "dense"), STATEMENTS)
def test_what_is_accepted_is_what_all_programs_have(text, dense):
    """All programs, and others that differ from one by a loop that is elsewhere, doubled or left out, or by a sum."""
    search, rng = CountedSearch(kernel(text, dense)), random.Random(text)
    programs = [one for depth in search.depths for one in search._named(search._placement.programs(depth))]
    accepted = 0
    for program in programs if len(programs) < 150 else rng.sample(programs, 150):
        for one in (program, *(changed(program, sorted(search.kernel.indices), rng) for _ in range(4))):
            expected = is_one_of_all(search, one)
            assert search.has(one) == expected, text_of(one)
            accepted += expected
        assert search.has(program)
    assert accepted > len(programs[:150])


def is_one_of_all(search, program):
    """Whether it is among the groupings of all expression trees with loops around them."""
    numbered = number_workspaces(without_protocols(program))
    has_modes = index_workspaces(numbered, search.kernel.element) == numbered
    return has_modes and search._placement.has(map_expressions(numbered, flattened))


def changed(program, indices, rng):
    nodes = list(paths_in(program))
    if rng.random() < 0.3:
        path, assign = rng.choice([(path, node) for path, node in nodes if isinstance(node, Assign)])
        operator = OPERATORS["add"] if assign.operator is None else None
        return put(program, path, assign._replace(operator=operator))
    path, loop = rng.choice([(path, node) for path, node in nodes if isinstance(node, Forall)])
    without = put(program, path, loop.body)
    path, node = rng.choice(list(paths_in(without)))
    return put(without, path, Forall(rng.choice([loop.variable, *indices]), node))


def paths_in(statement, path=()):
    yield path, statement
    for place, part in enumerate(parts(statement)):
        yield from paths_in(part, (*path, place))


def put(statement, path, new):
    if not path:
        return new
    inside = list(parts(statement))
    inside[path[0]] = put(inside[path[0]], path[1:], new)
    return with_parts(statement, inside)


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("(forall ij: a[i] += B[i,j] * w[j]) where (forall jk: w[j] += C[j,k] * d[k])", "B[i,j] * C[j,k] * d[k]"),
        (
            "forall i: ((forall j: ((a[i] += w * w1) where (w1 = B[i,j] * w))) where (forall k: w += C[i,k] * d[k]))",
            None,
        ),
        ("forall ij: ((a[i] += w1 * w1) where (w1 = B[i,j] * C[i,j]))", "B[i,j] * B[i,j] * C[i,j] * C[i,j]"),
        # The square of a sum, the root of a sum, the largest of sums.
        ("forall i: ((a[i] += w1 * w1) where (forall j: w1 += B[i,j] * C[i,j]))", None),
        ("forall i: ((a[i] += sqrt(w1)) where (forall j: w1 += B[i,j] * C[i,j]))", None),
        ("forall ij: ((a[i] max= w * B[i,j]) where (forall k: w += C[j,k] * d[k]))", None),
    ],
)
def test_values(program, value):
    inlined = inline_workspaces(number_workspaces(without_protocols(parse_program(program, INDICES))), "f64")
    assert (inlined and text_of(map_expressions(inlined, flattened)).partition("= ")[2]) == value
