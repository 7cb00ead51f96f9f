"""Workspaces whose producer has nothing to do for some rows, read beside operands that have entries there.

A small space: what is computed aside, over which loops, in which workspace, between which operands, for one thread and
several. The operands have rows, and rows of rows, in which one, the other, both or none stores anything. A run takes a
sample; `-m exhaustive` takes all.
"""

import random
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from sampling import few_or_many

import irtensor as it

pytestmark = pytest.mark.usefixtures("small_parts")
LEVELS = ("dense", "bitmap", "hashed")
LOOPS = "ijkl"
# What is computed aside of each right-hand side. A and C have all loops, B has the outer ones.
PRODUCERS = {
    "A * B + C": ("A * B", "A", "B", "C"),
    "C + A * B + A": ("A * B", "C + A * B"),
    "max(A * B, C)": ("A * B", "B"),
    "(A + B) * C": ("A + B", "A", "B"),
}
SPARSE = {order: it.COO(order) if order == 1 else it.CSF(order) for order in range(1, 5)}
STORED = {
    order: (SPARSE[order], it.COO(order), it.Format(", ".join(["dense"] + ["compressed"] * (order - 1))))
    for order in range(1, 5)
}


@dataclass(frozen=True)
class Case:
    """A statement over `order` loops, B over the first `outer` of them, with a workspace over the last `held`."""

    order: int
    outer: int
    right: str
    producer: str
    held: int
    levels: tuple[str, ...] | None

    def index(self, name: str) -> str:
        return ",".join(LOOPS[: self.outer if name == "B" else self.order])

    def text(self, expression: str) -> str:
        return "".join(f"{c}[{self.index(c)}]" if c in "ABC" else c for c in expression)

    @property
    def statement(self) -> str:
        return f"Q[{self.index('Q')}] = {self.text(self.right)}"

    @property
    def over(self) -> str:
        return self.index(self.producer)[::2][-self.held :]

    @property
    def schedule(self):
        format = None if self.levels is None else ", ".join(self.levels)
        return it.schedule().precompute(self.text(self.producer), over=tuple(self.over), workspace="w", format=format)


def every_case():
    for order in (2, 3, 4):
        for outer, (right, producers) in product(range(1, order + 1), PRODUCERS.items()):
            for producer in producers:
                loops = outer if producer == "B" else order
                for held in range(1, loops + 1):
                    for levels in (None, *filter(usable, product(LEVELS, repeat=held))):
                        yield Case(order, outer, right, producer, held, levels)


def usable(levels):
    """Whether no set of places is below a table, whose places are not numbered beforehand."""
    return not any(outer == "hashed" and inner == "bitmap" for n, inner in enumerate(levels) for outer in levels[:n])


def operands(case: Case, seed: int) -> dict[str, np.ndarray]:
    """Arrays in which whole rows, and parts of rows, are empty in some operands and not in others."""
    draw = np.random.default_rng(seed)
    shape = (6, 3, 3, 2)[: case.order]
    arrays: dict[str, np.ndarray] = {}
    for number, name in enumerate("ABC"):
        own = shape[: case.outer] if name == "B" else shape
        array = draw.integers(1, 9, own) * 10.0**number
        for depth in range(1, len(own) + 1):
            kept = draw.random(own[:depth]) < 0.7
            array = array * kept.reshape(own[:depth] + (1,) * (len(own) - depth))
        arrays[name] = array
    return arrays


def expected(case: Case, arrays: dict[str, np.ndarray]) -> np.ndarray:
    """The right-hand side, as NumPy evaluates it."""
    b = arrays["B"].reshape(arrays["B"].shape + (1,) * (case.order - case.outer))
    return eval(case.right, {"max": np.maximum}, {**arrays, "B": b})


def check(case: Case, seed: int, threads: tuple[int, ...] = (1, 3), verify: bool = True) -> None:
    """Compare with NumPy, on one thread and on three, and what a kernel finds in a workspace that it filled before."""
    draw = random.Random(seed)
    formats = {name: draw.choice(STORED[case.order]) for name in "AC"}
    formats["B"] = draw.choice(STORED[case.outer])
    result = draw.choice((SPARSE[case.order], it.COO(case.order), None))
    arrays = operands(case, seed)
    tensors = {name: it.Tensor.from_numpy(array, formats[name]) for name, array in arrays.items()}
    for count in threads:
        kernel = it.compile(
            case.statement,
            formats=formats | ({} if result is None else {"Q": result}),
            schedule=case.schedule,
            num_threads=count,
            # Threads that share a table rarely meet in it, but the verifier of loops sees that they may.
            verify=verify and (count == threads[-1] or few_or_many(False, True)),
        )
        for found in (kernel(**tensors), kernel(**tensors)):
            array: np.ndarray = found if result is None else found.to_numpy()
            wanted = expected(case, arrays)
            message = f"{case.statement}; {case.schedule}; {formats}; {result}; {count} threads; seed {seed}"
            np.testing.assert_array_equal(array, wanted, err_msg=message)
            if result is not None:
                found.check()


CASES = list(every_case())
# Cases that were wrong: tables below tables, read where the outer one has nothing; parts of a loop counted in tables;
# threads that shared a table.
FOUND = (
    Case(4, 2, "A * B + C", "A * B", 3, None),
    Case(4, 4, "(A + B) * C", "B", 3, None),
    Case(2, 2, "(A + B) * C", "B", 2, ("dense", "hashed")),
    Case(4, 1, "A * B + C", "A", 4, ("dense", "hashed", "hashed", "dense")),
    Case(4, 4, "(A + B) * C", "A + B", 3, ("dense", "hashed", "hashed")),
)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", [*FOUND, *random.Random(1).sample(CASES, few_or_many(1, 60))], ids=str)
def test_sample(case):
    check(case, 35)


@pytest.mark.exhaustive
@pytest.mark.parametrize("right", PRODUCERS)
@pytest.mark.parametrize("order", [2, 3, 4])
def test_every_case(order, right):
    for number, case in enumerate(CASES):
        if (case.order, case.right) == (order, right):
            check(case, number, threads=((1, 3)[number % 2],), verify=number % 16 == 1)


@pytest.mark.soak
def test_random_pieces(soak_seeds):
    for seed in soak_seeds:
        for case in random.Random(seed).sample(CASES, 20):
            check(case, seed)
