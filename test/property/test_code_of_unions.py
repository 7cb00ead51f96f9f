"""Unions of five operands have one loop over pieces, and at most three times the code of two, in every level."""

from functools import partial

import numpy as np
import pytest
from calls_made import calls_made
from loop_machine import parse
from xdsl.dialects.builtin import ModuleOp

import irtensor as it
from irtensor.dialects.loop.loop import ForOp, IfOp, WhileOp
from irtensor.passes.support.operations_in import everything_in, operations_in

LISTS = ("compressed", "run_list", "sparse_run_list", "interval", "point", "bitmap")
# Within the pieces of bands, there is a loop over the elements.
BLOCKS = ("band", "block_list")
# Those that begin at 0 are looked up, up to where the last of them ends.
FROM_ZERO = ("ragged", "triangle", "strict_triangle")
LEVELS = (*LISTS, *BLOCKS, *FROM_ZERO)
# Options of formats of bools whose entries are all true: no level of another kind.
PATTERN = ", leaf = pattern"
PATTERNS = tuple(f"{level}{PATTERN}" for level in ("compressed", "sparse_run_list", "block_list", "point"))
PLACES = ("compressed, {}", "{}, {}", "{}, dense", "{}, compressed")
RESULTS = ("s", "y", "sparse")


def lowered(format: str, count: int, operator: str, result: str) -> ModuleOp:
    names = "ABCDE"[:count]
    rank = it.Format(format).rank
    index = ",".join("ijk"[:rank])
    terms = [f"{name}[{index}]" for name in names]
    value = " + ".join(terms)
    if operator == "max":
        value = terms[0]
        for term in terms[1:]:
            value = f"max({value}, {term})"
    formats: dict[str, str] = dict.fromkeys(names, format)
    if result == "sparse":
        formats["y"] = ", ".join(["compressed"] * rank) + (PATTERN if format.endswith(PATTERN) else "")
    text = f"s = sum({', '.join('ijk'[:rank])}, {value})" if result == "s" else f"y[{index}] = {value}"
    return parse(it.compile(text, formats, num_threads=1).ir("loop"))


def size(module: ModuleOp) -> int:
    return len(everything_in(module))


def number_of_loops(module: ModuleOp) -> int:
    return len(operations_in(module, ForOp, WhileOp))


def check_branches_and_loops(module: ModuleOp) -> None:
    """No loop is empty, and no branch has equal sides."""
    for loop in operations_in(module, ForOp, WhileOp):
        assert loop.body.block.first_op is not None, loop
    for branch in operations_in(module, IfOp):
        assert branch.then.block.first_op is not None, branch
        other = branch.otherwise.first_block
        if other is not None:
            assert not branch.then.is_structurally_equivalent(branch.otherwise), branch


@pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")
@pytest.mark.one_in(3)
@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("operator", ["add", "max"])
@pytest.mark.parametrize("level", [*LEVELS, *PATTERNS])
def test_one_loop(level, operator, result):
    if result == "s" and operator == "add":
        pytest.skip("a sum of sums is computed term by term: a loop for each, and no union")
    kind = level.removesuffix(PATTERN)
    is_below = kind.endswith("triangle")
    format = f"dense, {level}" if is_below else level
    two, five = (lowered(format, count, operator, result) for count in (2, 5))
    check_branches_and_loops(two)
    check_branches_and_loops(five)
    assert size(five) <= 3 * size(two)
    # The result of a run, a range of coordinates, is written by a loop as well.
    writes_ranges = result != "s" and kind in ("run_list", "sparse_run_list", "interval", "point")
    assert number_of_loops(five) <= 1 + (is_below or kind in BLOCKS or writes_ranges)


@pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")
@pytest.mark.one_in(4)
@pytest.mark.parametrize("result", ["s", "y"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("level", [*LISTS[1:], *BLOCKS, "ragged"])
def test_levels_in_other_places(level, place, result):
    two, five = (lowered(place.format(level, level), count, "max", result) for count in (2, 5))
    check_branches_and_loops(five)
    assert size(five) <= 3 * size(two)
    assert number_of_loops(five) <= max(6, number_of_loops(two))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("level", [*LEVELS, *PATTERNS])
def test_work_of_lowering(level):
    format = f"dense, {level}" if level.endswith("triangle") else level
    for count in (2, 5):
        lowered(format, count, "max", "s")  # What is kept for later calls is there.
    two, five = (calls_made(partial(lowered, format, count, "max", "s")) for count in (2, 5))
    assert five <= 3 * two


@pytest.mark.parametrize("level", ["band", "ragged", "interval"])
def test_a_list_times_a_range(level):
    """The entries within the range are found by a search for the first, and one for the last: no loop compares them."""
    module = parse(it.compile("s = A[i] * B[i]", {"A": "compressed", "B": level}).ir("loop"))
    (loop,) = operations_in(module, ForOp)
    assert not [op for op in everything_in(loop) if op.name == "arith.cmpi" or isinstance(op, IfOp)]
    # Each search doubles its steps, then halves them. A range that begins at 0 has none for the first entry.
    assert len(operations_in(module, WhileOp)) == (2 if level == "ragged" else 4)


def test_runs_that_touch():
    """No gap is between them: nothing is done for one of no length."""
    random = np.random.default_rng(3)
    for _ in range(20):
        arrays = [random.integers(-3, 3, 12).astype(float) for _ in "ABC"]
        operands = {n: it.Tensor.from_numpy(a, "sparse_run_list") for n, a in zip("ABC", arrays, strict=True)}
        total = np.sum(arrays, axis=0)
        found = it.compile("y[i] = A[i] + B[i] + C[i]", {"y": "sparse_run_list"})(**operands)
        found.check()
        np.testing.assert_array_equal(found.to_numpy(), total)
        assert it.compile("s = max(i, A[i] + B[i] + C[i])")(**operands) == total.max()
        assert it.compile("s = xor(i, A[i] + B[i] + C[i] > 0)")(**operands) == (np.count_nonzero(total > 0) % 2 == 1)
