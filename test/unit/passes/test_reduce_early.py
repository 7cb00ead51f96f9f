"""Programs by a rule: each sum is taken as soon as its factors are multiplied, into no more than a vector."""

import random

import numpy as np
import pytest

import irtensor as it
from irtensor.compiler.compilation.draft import Draft
from irtensor.options import current_options
from irtensor.passes.autoschedule.plan_comparison import PlanComparison
from irtensor.passes.autoschedule.read_program import kernel_of, read_program
from irtensor.passes.autoschedule.reduce_early import reduce_early
from irtensor.passes.autoschedule.search import Search
from irtensor.passes.autoschedule.statements import depth, stored_by, text_of, wheres

CSR = it.CSR


def by_rule(notation, formats, **options):
    request = it.compile(notation, formats, **options)._last.request()
    (definition,) = Draft(request, current_options(), compares=True).definitions
    assert definition is not None
    program = read_program(definition)
    kernel = kernel_of(program, definition, converted=False)
    return reduce_early(kernel, program), kernel


@pytest.mark.parametrize(
    ("notation", "sparse", "expected"),
    [
        (
            "y[i] = A[i,j] * B[j,k] * x[k]",
            "AB",
            "(forall ij: y[i] += A[l(i),s(j)] * w[l(j)]) where (forall jk: w[j] += B[l(j),s(k)] * x[k])",
        ),
        # Rows of the result, each by one row after the other.
        (
            "D[i,l] = A[i,j] * B[j,k] * C[k,l]",
            "ABCD",
            "forall i: ((forall kl: D[i,l] += C[l(k),s(l)] * w[s(k)]) where "
            "(forall jk: w[k] += A[l(i),s(j)] * B[l(j),s(k)]))",
        ),
        # Columns, where all are stored by columns and the result is dense.
        (
            "D[i,l] = A[j,i] * B[k,j] * C[l,k]",
            "ABC",
            "forall l: ((forall ji: D[i,l] += A[l(j),s(i)] * w[s(j)]) where "
            "(forall kj: w[j] += B[l(k),s(j)] * C[l(l),s(k)]))",
        ),
        # What does not depend on the row is computed before all rows.
        (
            "y[i,j] = A[i,j] * B[j,k] * x[k] * z[i]",
            "AB",
            "(forall ij: y[i,j] += A[l(i),s(j)] * z[i] * w[l(j)]) where (forall jk: w[j] += B[l(j),s(k)] * x[k])",
        ),
        # Sums of single factors; numbers need no room.
        ("a = b[i] * c[j]", "", "((a += w * w1) where (forall i: w1 += b[i])) where (forall j: w += c[j])"),
        # The trace of a product of four.
        (
            "a = A[i,j] * B[j,k] * C[k,l] * D[l,i]",
            "ABCD",
            "forall i: (((forall j: a += A[l(i),s(j)] * w1[l(j)]) where (forall jk: w1[j] += B[l(j),s(k)] * w[l(k)])) "
            "where (forall kl: w[k] += C[l(k),s(l)] * D[s(l),l(i)]))",
        ),
        # All have all variables, only sums of differences are products, and a root of a sum is no sum of roots.
        ("y[i] = A[i,j] * B[i,j]", "AB", None),
        ("y[i] = A[i,j] + x[j]", "A", None),
        ("y[i] = sqrt(A[i,j] * x[j])", "A", None),
        ("C[i,j] = A[i,k] * B[k,j]", "ABC", None),
    ],
)
def test_programs(notation, sparse, expected):
    found, kernel = by_rule(notation, dict.fromkeys(sparse, CSR))
    assert (found and text_of(found)) == expected
    if found is not None:
        # It is one of those that a search would find.
        assert Search(kernel).has(found)


def test_other_reductions_and_operators():
    """As far as the one distributes over the other."""
    notation = "y[i] min= A[i,j] + B[j,k] + x[k]"
    found, _ = by_rule(notation, {})
    assert found is not None
    assert text_of(found) == "(forall ij: y[i] min= A[i,j] + w[l(j)]) where (forall jk: w[j] min= B[j,k] + x[k])"
    assert by_rule("y[i] max= min(min(A[i,j], B[j,k]), x[k])", {}, dtypes=dict.fromkeys("ABx", np.int64))[0] is not None
    assert by_rule("y[i] min= A[i,j] * B[j,k] * x[k]", {})[0] is None


def random_product(rng):
    """Six or seven factors with one to three of seven variables, some sparse, and up to two variables of the result."""
    factors = {name: rng.sample("ijklmno", rng.choice([1, 2, 2, 2, 3])) for name in "ABCDEFG"[: rng.randint(6, 7)]}
    result = rng.sample(sorted({index for indices in factors.values() for index in indices}), rng.randint(0, 2))
    formats = {1: [it.Format("compressed")], 2: [CSR, it.CSC, it.DCSR], 3: [it.CSF(3)]}
    sparse = {name: rng.choice(formats[len(its)]) for name, its in factors.items() if rng.random() < 0.6}
    if len(result) == 2 and rng.random() < 0.5:
        sparse["R"] = CSR
    accesses = [f"{name}[{','.join(its)}]" if its else name for name, its in {"R": result, **factors}.items()]
    return f"{accesses[0]} = {' * '.join(accesses[1:])}", factors, result, sparse


@pytest.mark.one_in(16)
@pytest.mark.parametrize("seed", range(40))
def test_random_products(seed):
    """Too large to be searched: they are reduced early by default or as "auto" asks, and give what NumPy gives."""
    rng, numbers = random.Random(seed), np.random.default_rng(seed)
    notation, factors, result, sparse = random_product(rng)
    extents = dict.fromkeys("ijklmno", 3) | {"j": 2, "m": 4}
    arrays = {}
    for name, indices in factors.items():
        shape = [extents[index] for index in indices]
        share = 0.6 if name in sparse else 1
        arrays[name] = (numbers.integers(1, 3, shape) * (numbers.random(shape) < share)).astype(float)
    expected = np.einsum(f"{','.join(map(''.join, factors.values()))}->{''.join(result)}", *arrays.values())
    given = {name: it.Tensor.from_numpy(one, sparse[name]) if name in sparse else one for name, one in arrays.items()}
    for schedule in (None, "auto"):
        found = it.compile(notation, sparse, schedule=schedule)(**given)
        np.testing.assert_array_equal(found.to_numpy() if "R" in sparse else found, expected)


def test_it_is_taken_only_where_it_does_less():
    """The product of six: what is taken instead of the loops without a schedule has a cost that theirs contains."""
    notation = "y[i] = A[i,j] * B[j,k] * C[k,l] * D[l,m] * E[m,n] * x[n]"
    sparse: dict[str, object] = dict.fromkeys("ABCDE", CSR)
    kernel = it.compile(notation, sparse)
    assert "no program does less: each reads every operand" in kernel.explain()
    watch = Draft(
        it.compile(notation, sparse, schedule=it.schedule())._last.request(), current_options(), compares=True
    )
    (comparison,) = watch.comparisons(100)
    assert isinstance(comparison, PlanComparison)
    found = comparison.shallower
    assert found is not None
    assert comparison.more_work(found, comparison.plan) is None
    assert comparison.more_work(comparison.plan, found) is not None
    assert depth(found) == 2 and all(len(stored_by(where.producer).target.indices) == 1 for where in wheres(found))
