"""Blocked formats against NumPy: every block size, extents that do not divide, dense and blocked results."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import irtensor as it
from irtensor.compiler.compilation.compile_kernel import compile_statement
from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions
from irtensor.named_formats import BCSC, BCSR, COO, CSC, CSR
from irtensor.tensors.tensor import Tensor

BLOCKS = [(2, 3), (4, 1), (3, 3)]
SHAPES = [(12, 12), (13, 11), (1, 2), (0, 5)]


def _compute(notation: str, result: TensorFormat | None = None, *, convert: bool = True, **operands: Any) -> Any:
    described = {
        name: OperandDescription(value.dtype, value.ndim, None if isinstance(value, np.ndarray) else value.format)
        for name, value in operands.items()
    }
    kernel = compile_statement(insert_reductions(parse_statement(notation)), described, result, convert=convert)
    return kernel([operands[name] for name in kernel.argument_names])


def _sparse(shape: tuple[int, ...], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.random(shape) < 0.2) * rng.random(shape)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("block", "shape"), list(product(BLOCKS, SHAPES)))
def test_blocked_operands_and_results(block: tuple[int, int], shape: tuple[int, int]) -> None:
    format = BCSR(*block)
    a, b = _sparse(shape, 1), _sparse(shape, 2)
    A, B = Tensor.from_numpy(a, format), Tensor.from_numpy(b, format)
    x = np.random.default_rng(3).random(shape[1])
    np.testing.assert_allclose(_compute("y[i] = A[i,j] * x[j]", A=A, x=x), a @ x)
    np.testing.assert_allclose(_compute("y[j] = A[i,j]", A=A), a.sum(axis=0))
    for notation, expected in (("C[i,j] = A[i,j] + B[i,j]", a + b), ("C[i,j] = A[i,j] * B[i,j]", a * b)):
        np.testing.assert_allclose(_compute(notation, A=A, B=B), expected)
        stored = _compute(notation, format, A=A, B=B)
        stored.check()
        np.testing.assert_allclose(stored.to_numpy(), expected)


OTHERS = [BCSR(2, 3), BCSR(3, 3), BCSC(2, 2), CSR, COO(2)]


@pytest.mark.one_in(12)
@pytest.mark.parametrize("shape", [(12, 12), (7, 10)])
@pytest.mark.parametrize(("left", "right"), list(product(OTHERS, OTHERS)))
def test_blocks_of_any_size_and_none_in_one_statement(left: TensorFormat, right: TensorFormat, shape: Any) -> None:
    a, b = _sparse(shape, 1), _sparse(shape, 2)
    A, B = Tensor.from_numpy(a, left), Tensor.from_numpy(b, right)
    for result in (None, CSR, BCSR(2, 2)):
        sum = _compute("C[i,j] = A[i,j] + B[i,j]", result, A=A, B=B)
        np.testing.assert_allclose(sum if result is None else sum.to_numpy(), a + b)
    copy = _compute("C[i,j] = A[i,j]", right, A=A)
    copy.check()
    np.testing.assert_array_equal(copy.to_numpy(), a)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("format", [BCSR(2, 3), BCSR(2, 2), BCSC(3, 2)])
@pytest.mark.parametrize("result", [None, CSR, BCSR(2, 2)])
def test_an_operand_in_blocks_and_its_transpose(format: TensorFormat, result: TensorFormat | None) -> None:
    a, b = _sparse((7, 7), 1), _sparse((7, 7), 2)
    A, B = Tensor.from_numpy(a, format), Tensor.from_numpy(b, CSR)
    for notation, expected in (
        ("C[i,j] = A[i,j] + A[j,i]", a + a.T),
        ("C[i,j] = A[i,j] + A[j,i] * B[i,j]", a + a.T * b),
    ):
        operands: dict[str, Any] = {"A": A, "B": B} if "B" in notation else {"A": A}
        computed = _compute(notation, result, **operands)
        np.testing.assert_allclose(computed if result is None else computed.to_numpy(), expected)


def test_blocks_are_not_converted_where_that_is_forbidden() -> None:
    A, B = (Tensor.from_numpy(_sparse((6, 6), 1), format) for format in (BCSR(2, 2), CSR))
    with pytest.raises(UserError, match="block-mismatch"):
        _compute("C[i,j] = A[i,j] + B[i,j]", convert=False, A=A, B=B)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("result", [BCSR(2, 2), BCSC(3, 2), CSR, None])
@pytest.mark.parametrize(("left", "right"), list(product([BCSR(2, 2), BCSC(3, 2), CSR, None], repeat=2)))
def test_products_of_blocks_and_others(left: Any, right: Any, result: TensorFormat | None) -> None:
    """Blocks of the result that no operand has are made when the product is there."""
    for shape in ((6, 12), (7, 11)):
        a, b = _sparse(shape, 1), _sparse(shape[::-1], 2)
        A = a if left is None else Tensor.from_numpy(a, left)
        B = b if right is None else Tensor.from_numpy(b, right)
        computed = _compute("C[i,j] = A[i,k] * B[k,j]", result, A=A, B=B)
        if isinstance(computed, Tensor):
            computed.check()
            assert computed.format == result
            computed = computed.to_numpy()
        np.testing.assert_allclose(computed, a @ b, atol=1e-12)


BLOCKED_ROWS = "(i, j) -> (i floordiv 2 : compressed, j : compressed, i mod 2 : dense)"
SPLITS = (
    "split(i, i0, i1, 4)",
    "split(i, i0, i1, 3)",
    "split(j, j0, j1, 3); reorder(j0, i, j1)",
    "divide(i, i0, i1, 3); divide(j, j0, j1, 2)",
    "split(i, i0, i1, 6); split(i1, i2, i3, 2)",
    "split(i, i0, i1, 3); parallelize(i0)",
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("schedule", SPLITS)
@pytest.mark.parametrize(("format", "shape"), [(it.BCSR(2, 2), (13, 9)), (it.BCSR(3, 2), (12, 8))])
def test_loops_over_blocks_are_split_anywhere(format, shape, schedule):
    random = np.random.default_rng(0)
    dense = np.where(random.random(shape) < 0.3, random.integers(1, 9, shape), 0).astype(float)
    operands = {"A": it.Tensor.from_numpy(dense, format), "x": random.integers(1, 9, shape[1]).astype(float)}
    kernel = it.compile("y[i] = A[i,j] * x[j]", {"A": format}, schedule=it.schedule(schedule))
    np.testing.assert_array_equal(kernel(**operands), dense @ operands["x"])


@pytest.mark.parametrize("schedule", ["split(i, i0, i1, 4)", "divide(j, j0, j1, 2)", "split(i, i0, i1, 3)"])
def test_results_in_blocks_are_appended_block_by_block(schedule):
    """Through a workspace where a loop may end in the middle of one: how many columns a part has depends on A."""
    random = np.random.default_rng(0)
    dense = np.where(random.random((13, 9)) < 0.3, random.integers(1, 9, (13, 9)), 0).astype(float)
    blocks = it.Format(
        "(i, j) -> (i floordiv 2 : compressed, j floordiv 2 : compressed, i mod 2 : dense, j mod 2 : dense)"
    )
    kernel = it.compile("B[i,j] = 2 * A[i,j]", {"A": blocks, "B": blocks}, schedule=it.schedule(schedule))
    result = kernel(A=it.Tensor.from_numpy(dense, blocks))
    result.check()
    np.testing.assert_array_equal(result.to_numpy(), 2 * dense)
    assert ("workspace w:" in kernel.explain()) is (schedule != SPLITS[0])


def test_an_operand_that_loses_its_blocks_takes_others_along() -> None:
    """D loses blocks of l to the rows of C, and with them those of k, which B has as well."""
    a, b, d = _sparse((4, 5), 1), _sparse((5, 6), 2), _sparse((6, 7), 3)
    B, D = Tensor.from_numpy(b, BCSR(2, 3)), Tensor.from_numpy(d, BCSC(3, 2))
    computed = _compute("C[i,l] = A[i,j] * B[j,k] * D[k,l]", CSR, A=a, B=B, D=D)
    np.testing.assert_allclose(computed.to_numpy(), a @ b @ d, atol=1e-12)


ROWS, PLACES = (
    it.Format("compressed, dense"),
    "(i, j, k) -> (j : dense, i : dense, k floordiv 2 : bitmap, k mod 2 : dense)",
)
# Statement, its operands' formats, a schedule that counts entries of C as they are stored, and what NumPy says.
COUNTED = [
    ("A[i,j] = max(B[i,j], C[i,j])", ROWS, ROWS, "split(i, i0, i1, 100, tensor=C); split(i1, i2, i3, 3)", np.maximum),
    ("A[i,j] = max(B[i,j], C[i,j])", CSR, ROWS, "split(i, i0, i1, 2, tensor=C)", np.maximum),
    ("A[i,j] = B[i,j] + C[i,j]", COO(2), it.DCSR, "divide(i, i0, i1, 3, tensor=C)", np.add),
    ("A[i,j] = B[i,j] * C[i,j]", it.DCSR, it.DCSR, "split(i, i0, i1, 1, tensor=C)", np.multiply),
    ("A[i,j] = B[i,j] - C[i,j]", it.DCSC, it.DCSR, "split(i, i0, i1, 2, tensor=C); split(i1, i2, i3, 5)", np.subtract),
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("result", [BCSR(2, 3), BCSR(4, 1), it.DCSR], ids=str)
@pytest.mark.parametrize(("statement", "left", "right", "schedule", "combine"), COUNTED)
def test_entries_are_counted_as_they_are_stored(statement, left, right, schedule, combine, result):
    """Operands in lists are converted to the blocks of the result; those of which entries are counted as well."""
    b, c = _sparse((9, 7), 1), _sparse((9, 7), 2)
    b[3], c[4] = 0, 0
    formats = {"A": result, "B": left, "C": right}
    computed = it.compile(statement, formats, schedule=it.schedule(schedule))(B=b, C=c)
    computed.check()
    np.testing.assert_array_equal(computed.to_numpy(), combine(b, c))


@pytest.mark.parametrize("format", [it.CSF(3), COO(3)], ids=str)
@pytest.mark.parametrize("order", ["reorder(i, j)", "reorder(j, i)"])
def test_entries_are_counted_below_levels_that_only_a_copy_is_read_by(format, order):
    random = np.random.default_rng(0)
    b, c = ((random.random((4, 5, 6)) < 0.3) * random.random((4, 5, 6)) for _ in "bc")
    schedule = it.schedule(f"{order}; split(k, k0, k1, 2, tensor=C)")
    kernel = it.compile("A[i,j,k] = B[i,j,k] + C[i,j,k]", {"A": it.Format(PLACES), "C": format}, schedule=schedule)
    np.testing.assert_array_equal(kernel(B=b, C=c).to_numpy(), b + c)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("result", [BCSR(2, 3), it.Format(BLOCKED_ROWS)], ids=str)
@pytest.mark.parametrize("left", [it.Format("dense, hashed"), BCSR(3, 3)], ids=str)
@pytest.mark.parametrize("right", [it.DCSR, COO(2)], ids=str)
def test_lists_of_blocks_where_not_all_variables_are_the_results(left, right, result):
    """What goes into a workspace of one dimension goes along a variable of its own, and one of the result's blocks."""
    b, c, d = (_sparse((7, 10), seed) for seed in (1, 2, 3))
    formats = {"A": result, "B": left, "C": right, "D": ROWS}
    for part in ("B[i,j] * C[i,j]", "D[i,j]"):
        schedule = it.schedule().precompute(part, over="j", workspace="w")
        computed = it.compile("A[i,j] = B[i,j] * C[i,j] + D[i,j]", formats, schedule=schedule)(B=b, C=c, D=d)
        computed.check()
        np.testing.assert_array_equal(computed.to_numpy(), b * c + d)


@pytest.mark.one_in(12)
@pytest.mark.parametrize("over", ["j", ("i", "j")])
@pytest.mark.parametrize("workspace", [None, "bitmap", "hashed"])
@pytest.mark.parametrize(
    "format", [CSR, COO(2), BCSR(2, 2), "padded, hashed", "compressed(nonunique, nonordered), hashed"]
)
def test_what_is_precomputed_for_a_result_in_blocks(format, workspace, over):
    """The last block of the result has places that no operand has coordinates for."""
    kind = None if workspace is None else workspace if over == "j" else f"dense, {workspace}"
    schedule = it.schedule().precompute("A[i,j] * B[i,j]", over=over, format=kind)
    formats = {"A": format, "B": "compressed(nonunique, nonordered), compressed(nonordered)", "R": BCSR(2, 3)}
    for threads in (1, 2):
        kernel = it.compile("R[i,j] = A[i,j] * B[i,j]", formats, schedule=schedule, num_threads=threads)
        for shape in ((7, 8), (8, 9), (1, 1)):
            a, b = _sparse(shape, 1), _sparse(shape, 2)
            result = kernel(A=a, B=b)
            result.check()
            np.testing.assert_allclose(result.to_numpy(), a * b)


BLOCKED = {
    "bcsr": BCSR(2, 3),
    "bcsc": BCSC(3, 2),
    "columns": TensorFormat.parse("(i, j) -> (i : dense, j floordiv 3 : bitmap, j mod 3 : dense)"),
    "rows": TensorFormat.parse(BLOCKED_ROWS),
    "csb": it.CSB(3),
}
WORKSPACES = (
    "precompute(B[i,j], over=j)",
    "precompute(B[i,j], over=j, format=bitmap)",
    "precompute(B[i,j], over=j, format=hashed)",
    "precompute(B[i,j], over=(i,j))",
    "precompute(B[i,j], over=(j,i), format='hashed, hashed')",
)


LEVELS = ("i floordiv 2", "j floordiv 2", "i mod 2", "j mod 2")
ORDERS = ("0123", "0132", "1023", "1032", "0213", "1302")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("places", ["dense, dense", "dense, bitmap"])
@pytest.mark.parametrize("blocks", ["dense, dense", "dense, compressed", "compressed, dense", "dense, bitmap"])
@pytest.mark.parametrize("order", ORDERS)
def test_functions_of_sums_over_blocks(order: str, blocks: str, places: str) -> None:
    """Tables and temporaries of sums, with places stored in another order than blocks."""
    kinds = dict(zip(sorted(order), f"{blocks}, {places}".split(", "), strict=True))
    text = ", ".join(f"{LEVELS[int(level)]} : {kinds[level]}" for level in order)
    dense = np.arange(1.0, 16.0).reshape(5, 3)
    dense[2] = 0
    A = Tensor.from_numpy(dense, TensorFormat.parse(f"(i, j) -> ({text})"))
    rows, columns = dense.sum(1), dense.sum(0)
    for statement, expected in (
        ("y[i] = exp(sum(j, A[i,j]))", np.exp(rows)),
        ("y[j] = exp(sum(i, A[i,j]))", np.exp(columns)),
        ("C[i,j] = A[i,j] / (1 + sum(k, A[i,k]))", dense / (1 + rows)[:, None]),
    ):
        np.testing.assert_allclose(it.compile(statement, {"A": A.format})(A=A), expected)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("schedule", WORKSPACES)
@pytest.mark.parametrize("result", BLOCKED)
def test_a_workspace_says_which_blocks_there_are(result: str, schedule: str) -> None:
    """As many values are stored as without it: not all blocks, which no list of whole coordinates tells apart."""
    dense = np.zeros((14, 20))
    dense[[0, 4, 4, 7, 13], [5, 0, 6, 19, 19]] = 1, 2, 3, 4, 5
    format = BLOCKED[result]
    # Of an operand in other blocks, the padding counts as stored where it is not converted.
    for number, operand in enumerate((CSR, CSC, COO(2), format)):
        formats, threads = {"A": format, "B": operand}, 1 + 2 * ((number + len(schedule)) % 2)
        kernel = it.compile("A[i,j] = B[i,j]", formats, schedule=it.schedule(schedule), num_threads=threads)
        computed = kernel(B=Tensor.from_numpy(dense, operand))
        computed.check()
        np.testing.assert_array_equal(computed.to_numpy(), dense)
        assert len(computed.values) == len(Tensor.from_numpy(dense, format).values), operand
