"""tile-for-registers keeps what loops mean, for all extents around those of a tile, of statements of each kind."""

import numpy as np
import pytest
from loop_machine import call_native, compile_module, duplicate, parse
from reference.interpret_loop import interpret_loop
from sampling import few_or_many
from xdsl.context import Context

import irtensor as it
from irtensor.passes.cleanup.hoist_invariants import HoistInvariantsPass
from irtensor.passes.speed.tile_for_registers import TileForRegistersPass

# Statement, types of operands, and for each operand and the result the indices of its extents.
STATEMENTS = {
    "product": ("C[i,j] = A[i,k] * B[k,j]", {"A": "ik", "B": "kj"}),
    "shortest paths": ("C[i,j] min= A[i,k] + B[k,j]", {"A": "ik", "B": "kj"}),
    "integers": ("C[i,j] = A[i,k] * B[k,j]", {"A": "ik", "B": "kj"}),
    "bias and relu": ("C[i,j] = max(sum(k, A[i,k] * B[k,j]) + b[j], 0)", {"A": "ik", "B": "kj", "b": "j"}),
    "old values": ("C[i,j] = max(D[i,j], sum(k, A[i,k] * B[k,j]))", {"D": "ij", "A": "ik", "B": "kj"}),
    "batches": ("C[b,i,j] = A[b,i,k] * B[b,k,j]", {"A": "bik", "B": "bkj"}),
    # What is done with a row leaves one element, or adds to one of all rows.
    "maxima of rows": ("m[i] = max(j, min(k, A[i,k] + B[k,j]))", {"A": "ik", "B": "kj"}),
    "maxima of columns": ("m[j] = max(i, sum(k, A[i,k] * B[k,j]))", {"A": "ik", "B": "kj"}),
    "squares": ("s = sum(i, j, (sum(k, A[i,k] * B[k,j]) - D[i,j]) ** 2)", {"A": "ik", "B": "kj", "D": "ij"}),
}
# Indices of results that are no matrix.
RESULTS = {"batches": "bij", "maxima of rows": "i", "maxima of columns": "j", "squares": ""}
DTYPES = {"integers": np.int32}
# Two rows of two or four elements, blocks of four rows and three steps.
SMALL = {"width": 128, "rows": 2, "steps": 3, "block": 4}
EXTENTS = [(rows, steps, columns) for rows in range(10) for steps in (0, 7, 8, 9, 10, 13) for columns in range(10)]


def tiled_and_plain(name):
    statement, operands = STATEMENTS[name]
    dtype = np.dtype(DTYPES.get(name, np.float64))
    kernel = it.compile(statement, dtypes=dict.fromkeys(operands, dtype.name), num_threads=1)
    plain = parse(kernel.ir("arith"))
    HoistInvariantsPass().apply(Context(), plain)
    tiled = plain.clone()
    TileForRegistersPass(**SMALL).apply(Context(), tiled)
    tiled.verify()
    return plain, tiled, operands, dtype


def arguments(operands, extents, dtype, generator, result="ij"):
    """Each array behind its extents, as kernels take them; the last one is the result, in which anything may be."""
    listed = []
    for indices in [*operands.values(), result]:
        shape = tuple(extents[index] for index in indices)
        listed += [*map(np.int64, shape), generator.integers(-4, 9, max(1, int(np.prod(shape)))).astype(dtype)]
    return listed


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", STATEMENTS)
def test_all_extents_around_a_tile(name):
    plain, tiled, operands, dtype = tiled_and_plain(name)
    assert str(tiled) != str(plain)
    generator = np.random.default_rng(0)
    before, after = compile_module(plain, "kernel"), compile_module(tiled, "kernel")
    for number, (rows, steps, columns) in enumerate(EXTENTS):
        given = arguments(
            operands, {"b": 2, "i": rows, "k": steps, "j": columns}, dtype, generator, RESULTS.get(name, "ij")
        )
        expected, found = [duplicate(one) for one in given], [duplicate(one) for one in given]
        assert call_native(before, expected) == 0
        assert call_native(after, found) == 0
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other, f"{rows} {steps} {columns}")
        if number % few_or_many(41, 3) == 0:
            assert interpret_loop(tiled, "kernel", given) == 0
            np.testing.assert_array_equal(given[-1], expected[-1], f"{rows} {steps} {columns}, interpreted")


def test_rows_that_overlap_are_not_tiled():
    """The result's rows are shorter than those that are updated: an iteration changes the row of the next one."""
    plain, tiled, operands, dtype = tiled_and_plain("shortest paths")
    generator = np.random.default_rng(0)
    given = arguments(operands, {"i": 9, "k": 9, "j": 8}, dtype, generator)
    given[-2] = np.int64(5)
    expected, found = [duplicate(one) for one in given], [duplicate(one) for one in given]
    assert call_native(compile_module(plain, "kernel"), expected) == 0
    assert call_native(compile_module(tiled, "kernel"), found) == 0
    np.testing.assert_array_equal(found[-1], expected[-1])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "i8", "i2", "?"])
def test_kernels_with_tiles(dtype, threads):
    """Whole kernels with tiles as they are chosen, on several threads, against NumPy."""
    generator = np.random.default_rng(0)
    for rows, steps, columns in ((70, 300, 40), (263, 20, 65), (13, 8, 130)):
        a, b = (generator.integers(0, 5, shape).astype(dtype) for shape in ((rows, steps), (steps, columns)))
        np.testing.assert_array_equal(it.einsum("ik,kj->ij", a, b), a @ b)
        if dtype != "?":
            close = it.compile("C[i,j] min= A[i,k] + B[k,j]", num_threads=threads)
            old = generator.integers(0, 5, (rows, columns)).astype(dtype)
            expected = np.minimum(old, np.array([(row[:, None] + b).min(0) for row in a]))
            np.testing.assert_array_equal(close(C=old, A=a, B=b), expected)


@pytest.mark.parametrize("operator, reduce", [("max", np.logical_or.reduce), ("min", np.logical_and.reduce)])
def test_conditions_choose_between_vectors_of_conditions(operator, reduce):
    """In a register a condition has one bit, in memory eight."""
    rng = np.random.default_rng(0)
    A, B, d = rng.random((70, 6)) < 0.3, rng.random((70, 6)) < 0.6, rng.random(70) < 0.5
    text = f"R[i,j] = {operator}(l, where(A[i,l] * B[j,l] != d[i], d[j], e[l]))"
    chosen = np.where((A[:, None] & B[None]) != d[:, None, None], d[None, :, None], d[None, None, :6])
    kernel = it.compile(text, {"A": it.CSR})
    np.testing.assert_array_equal(kernel(A=A, B=B, d=d, e=d[:6]), reduce(chosen, axis=2))
