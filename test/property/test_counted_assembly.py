"""Results whose entries are counted before they are stored are what NumPy gives, on any number of threads."""

import numpy as np
import pytest

import irtensor as it
from irtensor.errors import UserError

STATEMENTS = {
    "C[i,j] = A[i,k] * B[k,j]": ("AB", lambda a, b: a @ b),
    "C[i,j] = A[i,j] + D[i,j]": ("AD", lambda a, d: a + d),
    "C[i,j] = A[i,j] * D[i,j]": ("AD", lambda a, d: a * d),
    "C[i,j] = A[i,k] * B[k,j] + E[i,j]": ("ABE", lambda a, b, e: a @ b + e),
    "C[i,j] = A[i,j] + D[i,j] + F[i,j]": ("ADF", lambda a, d, f: a + d + f),
    "C[i,j] = A[j,i]": ("A", lambda a: a.T),
    "C[i,j] = 2 * A[i,j]": ("A", lambda a: 2 * a),
}
SHAPES = {"A": (40, 30), "B": (30, 50), "D": (40, 30), "E": (40, 50), "F": (40, 30)}
FORMATS = {"csr": it.CSR, "dcsr": it.DCSR, "coo": it.COO(2), "csc": it.CSC}
# The iterations of a loop over rows meet in columns.
CASES = [(result, threads) for result in FORMATS for threads in (1, 3) if (result, threads) != ("csc", 3)]


def operands_of(statement):
    random = np.random.default_rng(0)
    names, _ = STATEMENTS[statement]
    stored = {name: random.integers(1, 9, SHAPES[name]) * (random.random(SHAPES[name]) < 0.2) for name in names}
    return {name: array.astype(float) for name, array in stored.items()}


def kernel(statement, result, threads, strategy="insert"):
    schedule = it.schedule().assemble("C", strategy)
    if threads > 1:
        schedule = schedule.parallelize("i")
    formats = {**dict.fromkeys(STATEMENTS[statement][0], it.CSR), "C": result}
    return it.compile(statement, formats, schedule=schedule, num_threads=threads, disk_cache=False)


@pytest.mark.one_in(4)
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(("result", "threads"), CASES)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_counted_results(statement, result, threads):
    operands = operands_of(statement)
    found = kernel(statement, FORMATS[result], threads)(**operands)
    np.testing.assert_array_equal(found.to_numpy(), STATEMENTS[statement][1](*operands.values()))


@pytest.mark.one_in(3)
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(("result", "threads"), CASES)
@pytest.mark.parametrize("density", [0.02, 0.3])
@pytest.mark.parametrize("factors", ["P[i,k] * Q[k,j]", "P[k,i] * Q[k,j]", "P[k,i] * Q[j,k]"])
def test_values_across_the_rows_of_dense_operands(factors, density, result, threads):
    """Those are copied first where they are read often, which is decided when the kernel runs."""
    random = np.random.default_rng(1)
    stored = random.integers(1, 9, (40, 30)) * (random.random((40, 30)) < density).astype(float)
    left, right = random.integers(0, 5, (40, 6)).astype(float), random.integers(0, 5, (6, 30)).astype(float)
    schedule = it.schedule("assemble(C, insert)")
    formats = {"A": FORMATS[result], "C": FORMATS[result]}
    counted = it.compile(f"C[i,j] = A[i,j] * {factors}", formats, schedule=schedule, num_threads=threads)
    operands = {
        "P": left if "P[i" in factors else np.ascontiguousarray(left.T),
        "Q": right if "Q[k" in factors else np.ascontiguousarray(right.T),
    }
    found = counted(A=it.Tensor.from_numpy(stored, FORMATS[result]), **operands)
    np.testing.assert_array_equal(found.to_numpy(), stored * (left @ right))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("operand", FORMATS)
@pytest.mark.parametrize("result", ["compressed, dense", "dense, compressed", "compressed, compressed"])
def test_what_is_collected_before_the_loop_is_there_for_both_runs(result, operand):
    dense = operands_of("C[i,j] = 2 * A[i,j]")["A"]
    formats = {"A": FORMATS[operand], "C": it.Format(result)}
    counted = it.compile("C[i,j] = A[i,j]", formats, schedule=it.schedule("assemble(C, insert)"))
    try:
        found = counted(A=it.Tensor.from_numpy(dense, FORMATS[operand]))
    except UserError as error:
        refused = error
    else:
        np.testing.assert_array_equal(found.to_numpy(), dense)
        return
    assert refused.slug == "illegal-assemble"


def test_the_index_alone_is_counted_as_well():
    operands = operands_of("C[i,j] = A[i,k] * B[k,j]")
    counted, appended = (kernel("C[i,j] = A[i,k] * B[k,j]", it.CSR, 1, strategy) for strategy in ("insert", "append"))
    index = counted.assemble(**operands)
    assert index.nnz == appended.assemble(**operands).nnz
    values = counted.compute(index, **operands)
    np.testing.assert_array_equal(values.to_numpy(), operands["A"] @ operands["B"])


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    "result",
    [
        *("dense, compressed, dense", "compressed, compressed, dense", "compressed(nonunique), singleton, dense"),
        *("compressed, dense, dense", "dense, compressed, compressed", "compressed, dense, compressed"),
    ],
)
def test_blocks_that_turn_out_to_be_empty_are_no_part_of_others(result, threads):
    """What is below an entry is filled before it is known whether anything is there."""
    random = np.random.default_rng(0)
    shape = 400, 5, 6
    dense = np.where((random.random(shape) < 0.25) & (random.random((400, 5, 1)) < 0.6), random.random(shape), 0)
    dense[::7] = 0
    formats = {"A": it.Format(result), "B": it.Format("dense, dense, compressed")}
    schedule = it.schedule("assemble(A, insert)")
    counted = it.compile("A[i,j,k] = B[i,j,k]", formats, schedule=schedule, num_threads=threads, disk_cache=False)
    operand = it.Tensor.from_numpy(dense, formats["B"])
    for _ in range(20):
        found = counted(B=operand)
        found.check()
        np.testing.assert_array_equal(found.to_numpy(), dense)


LISTS = {"dcsr": it.DCSR, "coo": it.COO(2)}


@pytest.mark.one_in(4)
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("result", ["csr", "dcsr", "coo"])
@pytest.mark.parametrize("pair", [("dcsr", "dcsr"), ("coo", "dcsr"), ("coo", "coo")])
@pytest.mark.parametrize("statement", [s for s, (names, _) in STATEMENTS.items() if names in ("AD", "ADF")])
def test_merged_lists_are_counted(statement, pair, result, threads):
    operands = operands_of(statement)
    operands["A"][3:9] = 0
    formats = {name: LISTS[pair[name == "A"]] for name in operands}
    stored = {name: it.Tensor.from_numpy(array, formats[name]) for name, array in operands.items()}
    schedule = it.schedule("assemble(C, insert)")
    counted = it.compile(statement, {**formats, "C": FORMATS[result]}, schedule=schedule, num_threads=threads)
    found = counted(**stored)
    found.check()
    np.testing.assert_array_equal(found.to_numpy(), STATEMENTS[statement][1](*operands.values()))


PADDED = "padded", "compressed", "padded, compressed", "padded, dense"


@pytest.mark.one_in(2)
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("operand", PADDED)
@pytest.mark.parametrize("operator", ["+", "*"])
def test_merges_of_the_outermost_level_are_counted(operator, operand, threads):
    """Several loops follow one another there, which go on in the same lists."""
    random = np.random.default_rng(2)
    index, levels = ("i", ["compressed"]) if "," not in operand else ("i,j", [*FORMATS.values(), "compressed, dense"])
    shape = (40,) if index == "i" else (40, 30)
    a, b = (random.integers(1, 9, shape) * (random.random(shape) < 0.3).astype(float) for _ in "ab")
    formats = {"A": it.Format("padded" if index == "i" else operand), "B": it.Format(operand)}
    stored = {name: it.Tensor.from_numpy(array, formats[name]) for name, array in (("A", a), ("B", b))}
    for level in levels:
        text = f"C[{index}] = A[{index}] {operator} B[{index}]"
        schedule = it.schedule("assemble(C, insert)")
        counted = it.compile(text, {**formats, "C": level}, schedule=schedule, num_threads=threads, disk_cache=False)
        assert "counted" in counted.ir("loop")
        found = counted(**stored)
        found.check()
        np.testing.assert_array_equal(found.to_numpy(), a + b if operator == "+" else a * b)
