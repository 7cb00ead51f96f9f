"""Statements spread over a GPU's blocks, teams and threads, compiled for the CPU as plain loops, against the oracle."""

import random
from itertools import permutations

import numpy as np
import pytest
import small_kernels
from interpreted_statements import interpret, lowered
from reference import case_space
from reference.compare_with_oracle import DEFAULT_POOL, SITUATIONS, Case, compare_with_oracle
from reference.draw_widths import with_drawn_widths
from reference.evaluate_dense import evaluate_dense
from reference.interpret_loop import ORDERS
from reference.random_operands import random_operand
from sampling import few_or_many

import irtensor as it
from irtensor.compiler.compilation import pipeline_choices
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.expression_tree import accesses
from irtensor.passes.nvvm import spread_loops
from irtensor.passes.pipelines import STAGES, passes_between
from irtensor.tensors.tensor import Tensor

STAGE = {stage.name: stage.passes for stage in STAGES}
# What a CPU has in place of what spreads loops.
REPLACED = (*STAGE["optimized"], *STAGE["parallel"])


def _spread_and_back(start, end, asked=()):
    names = passes_between(start, end, asked)
    first = next((number for number, name in enumerate(names) if name in REPLACED), None)
    if first is None:
        return names
    return (*names[:first], *STAGE["spread"], "unspread-loops", *(n for n in names[first:] if n not in REPLACED))


@pytest.fixture(autouse=True, params=[32, 4, 1, 64], ids="team of {}".format)
def spread(request, monkeypatch, small_parts):
    """Kernels for the CPU are spread first, on teams of so many lanes, and on small blocks: 64 is all of one."""
    monkeypatch.setattr(pipeline_choices, "passes_between", _spread_and_back)
    monkeypatch.setattr(spread_loops, "WARP", request.param)
    monkeypatch.setattr(spread_loops, "BLOCK", 64)
    monkeypatch.setenv("IRTENSOR_NUM_THREADS", "2")
    it.clear_caches()
    yield
    it.clear_caches()


# Results are sparse where entries can be counted.
KERNELS = {
    **small_kernels.KERNELS,
    "SDDMM, sparse result": ("A[i,j] = B[i,j] * sum(k, C[i,k] * D[k,j])", "A B"),
    "sum of sparse": ("A[i,j] = B[i,j] + C[i,j]", "A B C"),
    "product": ("A[i,j] = B[i,j] * C[i,j]", "A B C"),
}


def _random_format(rank, choose):
    levels = TensorFormat.parse(choose.choice(small_kernels.LEVELS[rank])).levels
    order = choose.choice(list(permutations(range(rank))))
    format = TensorFormat.of([level.format for level in levels], order)
    return with_drawn_widths(format, choose.choice)


@pytest.mark.one_in(32)
@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel(kernel):
    notation, stored = KERNELS[kernel]
    choose = random.Random(kernel)
    for _ in range(3):
        statement = Case(notation, {}).statement()
        ranks = {access.tensor: len(access.indices) for access in (*accesses(statement.expression), statement.target)}
        formats = {
            name: _random_format(rank, choose) if name in stored.split() else None for name, rank in ranks.items()
        }
        result = formats.pop(statement.target.tensor)
        compare_with_oracle(Case(notation, formats, result), convert=True)


@pytest.mark.one_in(16)
@pytest.mark.parametrize("loops", [1, 2, 3])
def test_formats_by_operators(loops):
    cases = case_space.sample(loops, candidates=few_or_many(12, 600))
    for case in [case for of_operator in cases.values() for case in of_operator]:
        compare_with_oracle(case, convert=True)


# Operands in a format, the result's format, and shapes by the names of index variables.
CSR, DCSR, CSF = "dense, compressed", "compressed, compressed", "compressed, compressed, compressed"
CSC, COO = "(i, j) -> (j : dense, i : compressed)", "compressed(nonunique), singleton"
INTERPRETED = {
    "SpMV": ("y[i] = B[i,j] * c[j]", {"B": CSR}),
    "SpMV of hypersparse": ("y[i] = B[i,j] * c[j]", {"B": DCSR}),
    "SpMV by columns": ("y[i] = B[i,j] * c[j]", {"B": CSC}),
    "SpMV of coordinates": ("y[i] = B[i,j] * c[j]", {"B": COO}),
    "SpMM": ("A[i,j] = B[i,k] * C[k,j]", {"B": CSR}),
    "SDDMM": ("A[i,j] = B[i,j] * sum(k, C[i,k] * D[k,j])", {"B": CSR}),
    "SDDMM, sparse result": ("A[i,j] = B[i,j] * sum(k, C[i,k] * D[k,j])", {"A": CSR, "B": CSR}),
    "MTTKRP": ("A[i,j] = B[i,k,l] * C[k,j] * D[l,j]", {"B": CSF}),
    "TTV": ("A[i,j] = B[i,j,k] * c[k]", {"B": CSF}),
    "sum of sparse": ("A[i,j] = B[i,j] + C[i,j]", {"A": CSR, "B": CSR, "C": CSR}),
    "product": ("A[i,j] = B[i,j] * C[i,j]", {"A": CSR, "B": CSR, "C": CSR}),
    "sparse matrices": ("A[i,j] = B[i,k] * C[k,j]", {"A": CSR, "B": CSR, "C": CSR}),
    "sparse matrices, dense result": ("A[i,j] = B[i,k] * C[k,j]", {"B": CSR, "C": CSR}),
    "all entries": ("s = B[i,j]", {"B": CSR}),
    "greatest of rows": ("y[i] max= B[i,j]", {"B": CSR}),
    "dense": ("A[i,j] = B[i,j] * c[j]", {}),
}
FRONT = passes_between("index_notation", "loop", ("parallelize-outermost",))
SPREAD = passes_between("loop", "device")
PASSES = {
    "gpu": (*FRONT, *SPREAD[: SPREAD.index("lower-assembly")]),
    "cpu": (*FRONT, *passes_between("loop", "arith")),
}
SMALL_BLOCKS = {"spread-prefix-sums": {"threads": 32}}


def _situations(statement, formats):
    """The shape of the result, and operands with the arrays that they stand for."""
    random = np.random.default_rng(0)
    for extents, patterns in SITUATIONS:
        sizes: dict[str, int] = dict(zip("ijkl", extents, strict=True))
        yield (
            tuple(sizes[index] for index in statement.target.indices),
            {
                access.tensor: random_operand(
                    tuple(sizes[index] for index in access.plain_indices),
                    formats.get(access.tensor),
                    DEFAULT_POOL,
                    patterns[number % 3],
                    random,
                )
                for number, access in enumerate(accesses(statement.expression))
            },
        )


@pytest.mark.one_in(64)
@pytest.mark.parametrize("target", PASSES)
@pytest.mark.parametrize("kernel", INTERPRETED)
def test_no_two_iterations_race(kernel, target):
    """In any order of the iterations at all levels, with every access checked; parts for a CPU's threads as well."""
    notation, named = INTERPRETED[kernel]
    statement = Case(notation, {}).statement()
    formats = {name: TensorFormat.parse(format) for name, format in named.items()}
    result = formats.pop(statement.target.tensor, None)
    if result is not None:
        result = result.with_fill(0.0)
    request = None
    for shape, made in _situations(statement, formats):
        expected = evaluate_dense(statement, {name: array for name, (_, array) in made.items()}, None)
        operands = {name: operand for name, (operand, _) in made.items()}
        request = request or lowered(notation, operands, result, PASSES[target], SMALL_BLOCKS)
        for order in ORDERS.values():
            found = interpret(request, operands, shape, result, order)
            if isinstance(found, Tensor):
                found.check()
                found = found.to_numpy()
            np.testing.assert_array_equal(found, expected)


def test_what_is_spread():
    """Without it, nothing here is a test of mapped loops."""
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.CSR}, disk_cache=False)
    assert " on blocks(64)" in kernel.ir("spread-loops")
    assert "loop.parallel" not in kernel.ir("unspread-loops")
    kernel = it.compile("C[i,j] = A[i,j] + B[i,j]", formats=dict.fromkeys("ABC", it.CSR), disk_cache=False)
    assert "loop.prefix_sum" in kernel.ir("spread-loops") and "loop.shared" in kernel.ir("spread-prefix-sums")
