"""Workspaces of several sparse dimensions are right whichever of their levels are located, and list the others only."""

import numpy as np
import pytest
from reference.interpret_iteration_lattice import interpret_iteration_lattice
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func
from xdsl.parser import Parser

import irtensor as it
from irtensor.dialects.algebra.algebra import Algebra
from irtensor.dialects.iteration_lattice.iteration_lattice import IterationLattice
from irtensor.dialects.loop.loop import Loop
from irtensor.dialects.storage.storage import Storage, format_of

CHAIN, CUBES = "D[i,j] = A[i,l] * B[l,k] * C[k,j]", "D[i,j] = A[i,k,m] * B[m,l] * C[k,l,j]"
AB = "(forall ilk: w[i,k] += A[s(i),s(l)] * B[l(l),s(k)])"
BC = "(forall jkl: w[j,l] += B[s(l),l(k)] * C[s(k),s(j)])"
CUBE = "(forall ikml: w[i,k,l] += A[s(i),s(k),s(m)] * B[l(m),s(l)])"
# Statement, program, of the levels of w: how many are located, and how many listed.
PROGRAMS = [
    (CHAIN, f"(forall ikj: D[i,j] += w[l(i),l(k)] * C[s(k),s(j)]) where {AB}", 2, 0),
    (CHAIN, f"(forall ikj: D[i,j] += w[s(i),l(k)] * C[s(k),s(j)]) where {AB}", 1, 1),
    (CHAIN, f"(forall ikj: D[i,j] += w[l(i),s(k)] * C[l(k),s(j)]) where {AB}", 1, 1),
    (CHAIN, f"(forall ijl: D[i,j] += A[s(i),s(l)] * w[l(j),l(l)]) where {BC}", 2, 0),
    (CHAIN, f"(forall ilj: D[i,j] += A[s(i),s(l)] * w[s(j),l(l)]) where {BC}", 1, 1),
    (CHAIN, f"(forall ilj: D[i,j] += A[s(i),l(l)] * w[l(j),s(l)]) where {BC}", 1, 1),
    (CUBES, f"(forall iklj: D[i,j] += w[l(i),l(k),l(l)] * C[s(k),s(l),s(j)]) where {CUBE}", 3, 0),
    (CUBES, f"(forall iklj: D[i,j] += w[l(i),s(k),l(l)] * C[l(k),s(l),s(j)]) where {CUBE}", 2, 1),
    (CUBES, f"(forall iklj: D[i,j] += w[l(i),l(k),s(l)] * C[s(k),l(l),s(j)]) where {CUBE}", 2, 1),
    (CUBES, f"(forall iklj: D[i,j] += w[s(i),l(k),s(l)] * C[s(k),s(l),s(j)]) where {CUBE}", 1, 2),
]
INDICES = {CHAIN: {"A": "il", "B": "lk", "C": "kj"}, CUBES: {"A": "ikm", "B": "ml", "C": "klj"}}
FORMATS = {"A": it.DCSR, "B": it.CSR, "C": it.DCSR, "D": it.DCSR}
EACH = pytest.mark.parametrize(
    ("text", "program", "located", "listed"),
    PROGRAMS,
    ids=[program.split(") where")[0][1:] for _, program, *_ in PROGRAMS],
)


def formats_of(text):
    """Lists of lists, so that no dimension is dense because another tensor is."""
    return {"D": it.DCSR} | {name: it.CSF(len(its)) for name, its in INDICES[text].items()}


def compiled(text, program, **options):
    schedule = it.schedule().autoschedule(program=program)
    return it.compile(text, formats=formats_of(text), schedule=schedule, **options)


def operands_of(text, extents, density, dtype, random):
    """Arrays of small whole numbers, whose sums are exact in any order, and what the statement gives."""
    arrays = {}
    for name, its in INDICES[text].items():
        shape = [extents[index] for index in its]
        arrays[name] = (random.integers(1, 5, shape) * (random.random(shape) < density)).astype(dtype)
    return arrays, np.einsum(",".join(INDICES[text].values()) + "->ij", *arrays.values())


@pytest.mark.one_in(16)
@EACH
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_kernels_equal_numpy(text, program, located, listed, dtype, threads):
    random, formats = np.random.default_rng(len(program)), formats_of(text)
    kernel = compiled(text, program, num_threads=threads)
    for extents in ({"i": 6, "j": 5, "k": 7, "l": 4, "m": 3}, {"i": 70, "j": 30, "k": 90, "l": 40, "m": 9}):
        for density in (0.0, 0.05, 0.3, 1.0):
            arrays, expected = operands_of(text, extents, density, dtype, random)
            given = {name: it.Tensor.from_numpy(array, formats[name]) for name, array in arrays.items()}
            np.testing.assert_array_equal(kernel(**given).to_numpy(), expected)
        for empty in arrays:
            nothing = it.Tensor.from_numpy(np.zeros_like(arrays[empty]), formats[empty])
            assert not kernel(**given | {empty: nothing}).to_numpy().any()


@EACH
def test_levels_that_are_located_are_not_listed(text, program, located, listed):
    loops = compiled(text, program).ir("loop")
    assert (loops.count("loop.map_find"), loops.count("loop.map_list")) == (located, listed)


@pytest.mark.one_in(4)
@EACH
@pytest.mark.parametrize("stage", ["iteration_lattice", "lower-looplets"])
def test_they_mean_the_same_before_there_are_loops(text, program, located, listed, stage):
    extents = {"i": 4, "j": 3, "k": 4, "l": 3, "m": 2}
    arrays, expected = operands_of(text, extents, 0.5, np.float64, np.random.default_rng(7))
    context = Context()
    for dialect in (builtin.Builtin, arith.Arith, func.Func, Algebra, IterationLattice, Loop, Storage):
        context.load_dialect(dialect)
    module = Parser(context, compiled(text, program).ir(stage)).parse_module()
    function = module.body.block.first_op
    assert isinstance(function, func.FuncOp)
    operands = [
        it.Tensor.from_numpy(arrays[str(argument.name_hint)[0]], format_of(argument.type))
        for argument in function.body.block.args
    ]
    np.testing.assert_array_equal(interpret_iteration_lattice(module, operands, expected.shape), expected)
