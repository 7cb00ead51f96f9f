"""Random programs over levels of pieces have at most two iterations for each, whatever the pieces cover."""

import numpy as np
import pytest
from loops_of_kernel import iterations
from sampling import few_or_many
from structured_operands import structured_operand

import irtensor as it

LEVELS = ("run_list", "sparse_run_list", "interval", "point", "compressed")
RUNS = LEVELS[:3]
OPERATORS = ("{} + {}", "{} * {}", "max({}, {})")
NAMES = "ABCDE"
# Searches for the part of a list that is in a range, and first iterations that find a range empty.
BESIDE = 4


def program(random, levels):
    """A random expression of as many operands as there are levels, added up."""
    parts = [f"{name}[i]" for name in NAMES[: len(levels)]]
    while len(parts) > 1:
        # Neighbours: arguments of a kernel are in the order in which a statement has them.
        at = int(random.integers(len(parts) - 1))
        parts[at : at + 2] = ["(" + str(random.choice(OPERATORS)).format(*parts[at : at + 2]) + ")"]
    return f"s = sum(i, {parts[0]})"


def operand(level, random, extent):
    if level in ("run_list", "sparse_run_list"):
        # Runs of some length, a third of them gaps.
        bounds = np.sort(random.choice(np.arange(1, extent), 4, replace=False))
        stored = np.repeat(random.integers(0, 3, 5), np.diff([0, *bounds, extent])).astype(float)
        return it.Tensor.from_numpy(stored, level), stored
    return structured_operand(level, (extent,), random, 0.3)


def longer(stored, by):
    """The tensor with so many coordinates more: the last run of a level that has only runs goes on."""
    level = stored.levels[0].named()
    arrays = {name: array.copy() for name, array in level.items()}
    if str(stored.format.levels[0].format) == "run_list":
        arrays["coordinates"][-1] += by
    return it.Tensor.from_buffers((stored.shape[0] + by,), stored.format, [arrays], stored.values)


def scaled(stored, by):
    """The tensor with each coordinate of its runs so many times."""
    level = stored.levels[0].named()
    arrays = {name: array * by if name != "positions" else array for name, array in level.items()}
    return it.Tensor.from_buffers((stored.shape[0] * by,), stored.format, [arrays], stored.values)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("number", range(few_or_many(12, 100)))
def test_two_iterations_for_each_piece(number):
    random, extent = np.random.default_rng([8, number]), 16
    levels = [str(random.choice(RUNS if number % 2 else LEVELS)) for _ in range(int(random.integers(1, 6)))]
    text = program(random, levels)
    made = [operand(level, random, extent) for level in levels]
    operands = {name: stored for name, (stored, _) in zip(NAMES, made, strict=False)}
    counted = iterations(text, {}, operands)
    most = 2 * sum(stored.pieces for stored in operands.values()) + BESIDE
    assert counted <= most, (text, levels)
    # Behind the last pieces there may be one gap more, however long it is.
    ways = [{name: longer(one, by) for name, one in operands.items()} for by in (1, 999 * extent)]
    short, long = (iterations(text, {}, way) for way in ways)
    assert short == long, (text, levels)
    if number % 2:
        wide = {name: scaled(one, 1000) for name, one in operands.items()}
        assert iterations(text, {}, wide) == counted, (text, levels)
    names = {"max": np.maximum, **{name: dense for name, (_, dense) in zip(NAMES, made, strict=False)}}
    expected = eval(text.partition("sum(i, ")[2][:-1].replace("[i]", ""), {}, names)
    assert it.compile(text)(**operands) == expected.sum()
