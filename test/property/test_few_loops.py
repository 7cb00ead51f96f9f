"""Loops that serve all cases by selects, as those do that have been copied often, store what is there and no more."""

import random
from collections.abc import Iterator

import numpy as np
import pytest
from sampling import few_or_many

import irtensor as it
from irtensor.passes.iteration_lattice.support import coiteration

SIZES = {"i": 6, "j": 5, "k": 7}
LEVELS = ("dense", "bitmap", "hashed", "compressed", "compressed")
# Statements, and where they have entries by where operands have some.
STATEMENTS = {
    "A[i,j] = B[i,j] * C[i,j] + D[i,j]": "B & C | D",
    "A[i,j] = B[i,j] * c[j] + D[i,j]": "B & c | D",
    "A[i,j] = B[i,j] * c[i] + D[i,j]": "B & c | D",
    "A[i,j] = B[i,j] * (c[i] + d[i])": "B & (c | d)",
    "A[i,j] = max(B[i,j] * c[i], 0) - D[i,j] * d[j]": "B & c | D & d",
    "A[i,j] = B[i,j] * c[i] * e[j] + D[i,j] * d[i]": "B & c & e | D & d",
    "T[i,j,k] = B[i,j,k] * C[i,j] + D[i,j,k]": "B & C | D",
    "T[i,j,k] = B[i,j,k] * C[i,j] * e[i] + D[i,j,k] * E[i,k]": "B & C & e | D & E",
}


@pytest.fixture
def one_loop(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    it.clear_caches()
    monkeypatch.setattr(coiteration, "MOST_LOOPS", 0)
    yield
    it.clear_caches()


def format_of(rank: int, draw: random.Random) -> str:
    """Levels at random, none of which stores values beside entries: a dense one is above all others."""
    levels = [draw.choice(LEVELS) for _ in range(rank - 1)]
    sparse = next((number for number, level in enumerate(levels) if level != "dense"), rank - 1)
    below = [level if level != "dense" else "compressed" for level in levels[sparse:]]
    return ", ".join([*levels[:sparse], *below, draw.choice(LEVELS[1:])])


@pytest.mark.usefixtures("one_loop")
@pytest.mark.one_in(4)
@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("seed", range(few_or_many(4, 20)))
def test_entries_are_those_of_the_statement(statement: str, seed: int):
    draw, generator = random.Random(f"{statement} {seed}"), np.random.default_rng(seed)
    target, *accesses = [part.split("]")[0].split("[") for part in statement.replace("]", "]|").split("|")[:-1]]
    rank = target[1].count(",") + 1
    operands, stored = {}, {}
    for name, indices in ((access[0][-1], access[1].split(",")) for access in accesses):
        there = generator.random([SIZES[index] for index in indices]) < 0.4
        array = np.where(there, generator.integers(1, 4, there.shape), 0).astype(float)
        operands[name] = it.Tensor.from_numpy(array, format_of(len(indices), draw))
        stored[name] = there.reshape([SIZES[index] if index in indices else 1 for index in "ijk"[:rank]])
    result = it.Format(", ".join(["dense", *["compressed"] * (rank - 1)]))
    formats = {name: operand.format for name, operand in operands.items()}
    kernel = it.compile(statement, {**formats, target[0].strip(): result}, disk_cache=False)
    found = kernel(**operands)
    entries = np.zeros(found.shape, bool)
    entries[tuple(found.to_coo()[0])] = True
    np.testing.assert_array_equal(entries, np.broadcast_to(eval(STATEMENTS[statement], {}, stored), found.shape))
